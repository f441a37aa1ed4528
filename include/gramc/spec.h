/* spec.h: what a compiled spec says.
 *
 * Agents with their tools and tasks, tool libraries, experiments. compile.h makes specs from the
 * sources of a compilation (gramc.h); diff.h compares two; runtime.h runs their agents.
 *
 * Every struct here is filled by the library, is const for you, and may grow at its end between
 * minor versions. A gramc_spec and all that it leads to belong to the compilation and live as long
 * as it does. Several threads may read them at once, as long as none of them calls anything that
 * takes the compilation itself. The look-ups cannot fail but as they say. */
#ifndef GRAMC_SPEC_H
#define GRAMC_SPEC_H

#include "gramc/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the sources of a compilation mean. */
typedef struct gramc_spec gramc_spec;

typedef enum gramc_result_kind {
    GRAMC_RESULT_TEXT, /* what a tool prints is the result as it is */
    GRAMC_RESULT_JSON, /* it must be JSON that fits the output schema */
    GRAMC_RESULT_NULL  /* nothing comes back */
} gramc_result_kind;

/* What may be left unsaid. */
typedef enum gramc_said { GRAMC_SAID_NOTHING, GRAMC_SAID_NO, GRAMC_SAID_YES } gramc_said;

/* When somebody is asked before a call. */
typedef enum gramc_approve {
    GRAMC_APPROVE_UNSAID, /* as destructive */
    GRAMC_APPROVE_NEVER,
    GRAMC_APPROVE_DESTRUCTIVE, /* of a tool that may destroy something */
    GRAMC_APPROVE_ALWAYS
} gramc_approve;

typedef struct gramc_tool {
    gramc_text name; /* on the wire and for binding */
    gramc_text description;
    gramc_text title;            /* empty: none */
    gramc_text parameters;       /* JSON Schema of the arguments object */
    gramc_text result;           /* JSON Schema of the result */
    const gramc_schema *accepts; /* `parameters`, compiled; unknown top-level names refused */
    const gramc_schema *returns; /* `result`, compiled */
    gramc_result_kind result_kind;
    uint32_t timeout_ms;      /* 30000 unless the spec says otherwise */
    uint32_t max_call_errors; /* 5: rounds with one */
    uint32_t max_tool_errors; /* 5 */
    bool optional, return_direct;
    /* `parameters` as the library built them; NULL in a tool made by hand, whose text is read. */
    const struct json *document;
    bool destructive; /* the spec says so */
    gramc_approve approve;
    gramc_said untrusted; /* its results may hold anybody's words (docs/taint.md); `openWorld` says
                             it where `untrusted` does not */
    bool sensitive;       /* asked about once such words are in the conversation */
    gramc_text examples;  /* of calls: a JSON array of arguments objects; empty: none */
} gramc_tool;

/* `[everything:ToolBox {tools: ["echo"]}]`: an agent takes tools of a box of the library; what they
 * are is known when the two are bound. */
typedef struct gramc_box_use {
    gramc_text name;
    const gramc_text *tools;
    size_t tool_count;
    bool all_tools;  /* `tools` is not written */
    gramc_text file; /* where it is written, for messages */
    uint32_t start, end;
    bool qualified; /* each tool is called box_tool, in snake case */
} gramc_box_use;

/* One step of an agent: what the model is asked, and with what besides the agent's tools. */
typedef struct gramc_task {
    gramc_text name;
    gramc_text description;
    gramc_text prompt;              /* with ${inputs} in it; see gramc_prompt_fill */
    const gramc_tool *const *tools; /* its own */
    size_t tool_count;
    const gramc_box_use *box_uses;
    size_t box_use_count;
    gramc_text output;           /* JSON Schema of the answer; empty: a text, or not prepared yet */
    const gramc_schema *answers; /* `output`, compiled; NULL likewise */
    gramc_text response_format;  /* what a chat completion request says about it */
    bool has_output;
    bool answer_wrapped; /* response_format asks for an object whose member `answer` it is */
    const struct json *output_document; /* `output`, as the library built it */
    gramc_text tool_choice; /* as in gramc_agent, which it replaces in this task; empty: not said */
} gramc_task;

/* Sampling settings keep their spelling (`1.0` is sent as 1.0); empty: not written, not sent. */
typedef struct gramc_agent {
    gramc_text name;
    gramc_text description;
    gramc_text instruction; /* empty: no system message */
    gramc_text model;       /* "OpenAI/gpt-4o-mini" as written; empty: none */
    gramc_text temperature, top_p, presence_penalty, frequency_penalty, max_tokens, seed;
    gramc_text tool_choice;      /* auto, none, required, a tool's name; empty: not sent */
    gramc_text wire;             /* tools, functions; empty: not said */
    gramc_text strategy;         /* direct, evaluated, prompted; empty: direct */
    int parallel_tool_calls;     /* 1, 0, or -1: not said */
    uint32_t max_iterations;     /* 10 */
    uint32_t max_calls_per_turn; /* 0: no limit of its own */
    uint32_t max_messages;       /* 0: the whole conversation */
    const gramc_tool *const *tools;
    size_t tool_count;
    gramc_text fingerprint;  /* sha256, 64 hexadecimal digits: the agent and all it reaches; empty
                                until gramc_agent_prepare */
    const gramc_task *tasks; /* in order; none: the user's message is the task */
    size_t task_count;
    const gramc_text *inputs; /* what a run must be given: the ${names} of instruction and prompts,
                                 `message` left out, each once, in the order of their first use */
    size_t input_count;
    gramc_text generator_model, evaluator_model,
        output_model;    /* strategy `evaluated`; empty: model */
    uint32_t max_rounds; /* strategy `evaluated`: 5; else 0 */
    gramc_text output;   /* as in gramc_task, of the last answer */
    const gramc_schema *answers;
    gramc_text response_format;
    bool has_output, answer_wrapped;
    const gramc_box_use *box_uses;
    size_t box_use_count;
    const struct json *output_document; /* as in gramc_task */
    bool coerce; /* what a model writes is converted without loss where its type asks for another */
    /* Of a whole run; 0 and empty: none. What it costs is a number above 0, in the currency of the
     * prices. */
    uint32_t max_total_tokens, max_duration_ms;
    gramc_text max_cost;
    gramc_text num_ctx;    /* Ollama's size of the context, in tokens */
    gramc_text keep_alive; /* how long Ollama keeps the model loaded: "10m" */
} gramc_agent;

/* What does a tool: GRAMC_IMPL_BUILTIN (target: the registered name), GRAMC_IMPL_EXEC (argv),
 * GRAMC_IMPL_RETURNS (target: the text that it always returns), GRAMC_IMPL_HTTP (target: the URL,
 * with ${...}), GRAMC_IMPL_MCP (target: the tool on the server of the box `server`),
 * GRAMC_IMPL_PLUGIN (target: the file), GRAMC_IMPL_REPLAY (target: the trace file),
 * GRAMC_IMPL_AGENT (target: the agent's name). */
typedef enum gramc_impl_kind {
#define GRAMC_KIND(id, word, value, takes, example) GRAMC_IMPL_##id,
#include "gramc/kinds.def"
} gramc_impl_kind;

/* One line of a map. In headers and URLs the value is a template: `${param}`, `${env:X}`, `$${`. */
typedef struct gramc_pair {
    gramc_text name, value;
} gramc_pair;

/* How one argument of an HTTP call is written where it stands alone; OpenAPI's words. */
typedef struct gramc_style {
    gramc_text parameter;
    gramc_text style;   /* form, simple, ...; empty: that of its place */
    gramc_text explode; /* true or false; empty: that of its style */
} gramc_style;

/* One part of a body that is multipart/form-data. */
typedef struct gramc_part {
    gramc_text name;
    gramc_text value;        /* a template; of a file: of its path */
    gramc_text content_type; /* empty: that of the value, or by the file's name */
    bool is_file;
} gramc_part;

/* Who shares a process that stays: all runs of an arm (an experiment's arms never share one), or
 * nobody, each run having its own. */
typedef enum gramc_isolation { GRAMC_ISOLATION_ARM, GRAMC_ISOLATION_RUN } gramc_isolation;

/* A program that is asked about calls (docs/guards.md). argc 0: there is none. */
typedef struct gramc_guard_program {
    const gramc_text *argv; /* program and arguments */
    size_t argc;
    gramc_text folder; /* of the file that names it; empty: the current one */
    gramc_text file;   /* where it is written, for messages */
    uint32_t start, end;
} gramc_guard_program;

/* What a contained program may connect to: nothing, the hosts that `allowHosts` lets out, anything.
 */
typedef enum gramc_network {
    GRAMC_NETWORK_NONE,
    GRAMC_NETWORK_HOSTS,
    GRAMC_NETWORK_OPEN
} gramc_network;

/* What a program that a library starts may touch besides what every contained one may
 * (docs/sandbox.md). Places are files or folders, relative to `folder`, absolute, or `~/...`;
 * `write` is read as well. env: names of variables that are handed down. */
typedef struct gramc_sandbox {
    const gramc_text *read, *write, *env;
    size_t read_count, write_count, env_count;
    gramc_network network;
    gramc_text folder; /* of the file that says it; empty: the current one */
    gramc_text file;   /* where it is written, for messages */
    uint32_t start, end;
} gramc_sandbox;

/* How a server over HTTP is reached, besides its address: PEM files, relative to the folder of
 * what names them, and a proxy, in which `${env:X}` may stand. Empty: as for every other. */
typedef struct gramc_transport {
    gramc_text ca_file; /* the only certificates by which it is trusted */
    gramc_text client_certificate, client_key;
    gramc_text proxy; /* http, https, socks5 or socks5h */
} gramc_transport;

typedef struct gramc_impl {
    gramc_text name; /* of the tool that it implements */
    gramc_impl_kind kind;
    gramc_text target;
    const gramc_text *argv; /* EXEC: program and arguments, argc of them */
    size_t argc;
    gramc_text folder;     /* of the file that names it; empty: the current one */
    const gramc_text *env; /* EXEC, PLUGIN: NAME=value, values are templates of secrets */
    size_t env_count;
    uint32_t timeout_ms; /* 0: the tool's own */
    gramc_text file;     /* where it is written, for messages */
    uint32_t start, end;
    gramc_text description;
    gramc_text method;         /* HTTP: GET, POST, PUT, DELETE, HEAD, PATCH */
    const gramc_pair *headers; /* HTTP */
    size_t header_count;
    gramc_text body; /* HTTP: a template; body.ptr NULL: none */
    gramc_text content_type;
    gramc_text transform;   /* HTTP: JOLT, as JSON; empty: none */
    gramc_text server;      /* MCP: the McpServer of the same library */
    gramc_text symbol;      /* PLUGIN: the function; empty: named as the tool */
    bool in_process;        /* PLUGIN: loaded into this process, only when asked */
    bool persistent;        /* EXEC: one process for many calls, by the line protocol */
    uint64_t max_memory;    /* EXEC, PLUGIN: bytes of address space; 0: no limit */
    uint32_t max_cpu_s;     /* EXEC, PLUGIN: seconds of CPU time; 0: no limit */
    uint32_t max_files;     /* EXEC, PLUGIN: open at once; 0: no limit */
    uint32_t max_processes; /* EXEC, PLUGIN: of the user, who is not root; 0: no limit */
    uint64_t max_file_size; /* EXEC, PLUGIN: bytes of a file that it writes; 0: no limit */
    /* JSON Schemas of its own signature; empty: it has none. */
    gramc_text accepts_schema, returns_schema;
    /* The same as the library built them; NULL in one made by hand, whose texts are read. */
    const struct json *accepts_document, *returns_document;
    const gramc_style *styles; /* HTTP */
    size_t style_count;
    gramc_isolation isolation;         /* PLUGIN, and EXEC that stays */
    gramc_guard_program before, after; /* asked after those of the library */
    gramc_approve approve;
    gramc_said untrusted;
    bool sensitive;
    /* AGENT: who does it (prepared with the compilation), and with which library; NULL: with the
     * one that this stands in. library_named: as it is written. All of them are borrowed. */
    const gramc_agent *agent;
    const struct gramc_library *library;
    gramc_text library_named;
    gramc_transport transport; /* HTTP */
    const gramc_part *parts;   /* HTTP: in place of a body */
    size_t part_count;
    gramc_text body_file; /* HTTP: likewise, a template of the path of a file; ptr NULL: none */
    const gramc_sandbox *sandbox; /* EXEC, PLUGIN: in place of the library's; NULL: not said */
} gramc_impl;

/* GRAMC_BOX_MCP: argv (stdio), or url (Streamable HTTP). GRAMC_BOX_HTTP: the tools of a YAML file.
 */
typedef enum gramc_box_kind {
#define GRAMC_BOX(id, label, tools) GRAMC_BOX_##id,
#include "gramc/kinds.def"
} gramc_box_kind;

/* Offers several tools at once, each under its own name and as `box_tool`. */
typedef struct gramc_box {
    gramc_text name;
    gramc_box_kind kind;
    gramc_text description;
    const gramc_text *argv; /* MCP over stdio */
    size_t argc;
    gramc_text url; /* MCP: of its endpoint; HTTP: of the upstream, in place of the file's */
    const gramc_pair *headers;
    size_t header_count;
    gramc_text file_named; /* HTTP: the YAML file, relative to `folder` */
    gramc_text stored;     /* HTTP: the upstream in the host's store, in place of a file */
    bool literal;          /* HTTP: values go in as they are, as in the original */
    const gramc_text *env; /* MCP over stdio: NAME=value, declared for the server */
    size_t env_count;
    const gramc_text *tools; /* those that are taken; all_tools: every one */
    size_t tool_count;
    bool all_tools;
    const gramc_pair *renames; /* name: the box's; value: the one that it is offered under */
    size_t rename_count;
    uint32_t timeout_ms; /* of a call; 0: the tool's own */
    gramc_text folder;   /* of the file that names it; empty: the current one */
    gramc_text file;     /* where it is written, for messages */
    uint32_t start, end;
    gramc_isolation isolation; /* MCP */
    gramc_approve approve;     /* of all its tools, as are the next two */
    gramc_said untrusted;
    bool sensitive;
    gramc_transport transport; /* HTTP, and MCP over HTTP */
    /* A program whose output is the url, asked when the box is (gramc_offering_new); argc 0: none
     */
    const gramc_text *url_argv;
    size_t url_argc;
    const gramc_sandbox *sandbox; /* MCP over stdio: in place of the library's; NULL: not said */
} gramc_box;

/* What `extends` names is merged in; own implementations, boxes and guards win over it. */
typedef struct gramc_library gramc_library;
struct gramc_library {
    gramc_text name;
    gramc_text description;
    const gramc_impl *impls;
    size_t impl_count;
    gramc_text fingerprint; /* all of it, and the sha256 of every file it names and can read */
    const gramc_box *boxes;
    size_t box_count;
    gramc_guard_program before, after; /* of all its tools, those of its boxes too */
    const gramc_sandbox *sandbox;      /* of all programs that it starts; NULL: not said */
};

/* One way of doing it: what is written in an arm replaces what its agent says. */
typedef struct gramc_arm {
    gramc_text name;
    const gramc_agent *agent;
    const gramc_library *library; /* NULL: the agent needs none */
    gramc_text model;             /* empty here and below: as the agent says */
    gramc_text temperature, top_p, presence_penalty, frequency_penalty, max_tokens, seed;
    gramc_text weight; /* online: its share of the units, against the others'; empty: 1 */
} gramc_arm;

/* What a grader looks at. */
typedef enum gramc_grader_kind {
    GRAMC_GRADER_CHECKS, /* answer and calls, by themselves: equals, contains, matches, ... */
    GRAMC_GRADER_EXEC,   /* a program judges */
    GRAMC_GRADER_RUBRIC, /* a model judges the answer */
    GRAMC_GRADER_PREFER, /* a model says which of two arms' answers is better */
    GRAMC_GRADER_METRIC  /* what the run took: cost, latency, ... */
} gramc_grader_kind;

/* How every run of an experiment is judged, whatever its case expects. In all texts ${field} is a
 * field of the case; a text of `checks` that is nothing else stands for the field's JSON value. */
typedef struct gramc_grader {
    gramc_text name;
    gramc_text description;
    gramc_grader_kind kind;
    gramc_text checks; /* CHECKS: a JSON object such as a case's `expect`; all of it must hold */
    gramc_text type;   /* CHECKS: JSON Schema that the answer must fit; empty: none */
    const gramc_text *argv; /* EXEC */
    size_t argc;
    uint32_t timeout_ms;  /* EXEC, and of a judge's request; 60000 */
    gramc_text question;  /* RUBRIC, PREFER */
    gramc_text model;     /* of the judge */
    gramc_text metric;    /* METRIC: one of an experiment's, but for pass and score */
    gramc_text min, max;  /* inclusive, as spelled; of latency in milliseconds; empty: no bound */
    gramc_text threshold; /* the score from which it passes, 0 to 1; empty: not said */
    gramc_text weight;    /* in the metric `score`; 1 */
    bool required;        /* for the metric `pass`; true */
    gramc_text folder;    /* of the file that names it; empty: the current one */
} gramc_grader;

/* What is compared with what, on which cases, and by which measure. */
typedef struct gramc_experiment {
    gramc_text name;
    gramc_text cases;    /* path of the JSON lines or CSV file, from where the compilation's paths
                            begin; empty: it is online alone (`units`) */
    gramc_text metric;   /* `pass` unless another one, or a grader, is named */
    gramc_text stop;     /* fixed, sequential */
    gramc_text margin;   /* a number as it is spelled; 0 */
    gramc_text alpha;    /* 0.05 */
    gramc_text max_cost; /* in the money of the configuration's prices; empty: no limit */
    gramc_text max_judge_cost; /* of the models of graders alone; the same */
    uint64_t seed;
    uint32_t repeats;     /* 1 */
    uint32_t concurrency; /* 0: not said */
    const gramc_text *guardrails;
    size_t guardrail_count;
    const gramc_arm *arms; /* two to 16; the first is what the others are compared with */
    size_t arm_count;
    const gramc_text *vary; /* description, schema, model, agent; nothing: none */
    size_t vary_count;
    const gramc_grader *graders;
    size_t grader_count;
    const gramc_text *reset; /* a command before each run; nothing: none */
    size_t reset_count;
    gramc_text folder;      /* of the file that it stands in, where `reset` starts; empty: the
                               current one */
    gramc_text max_missing; /* the share of items that may lack a run: 0.02 */
    uint32_t units;         /* online: sessions or users that are planned; 0: not said */
} gramc_experiment;

/* ## Look-ups */
GRAMC_API size_t gramc_spec_agent_count(const gramc_spec *spec);
GRAMC_API const gramc_agent *gramc_spec_agent(const gramc_spec *spec, size_t i);
/* name empty: the only one. GRAMC_NOT_FOUND, GRAMC_AMBIGUOUS. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_spec_find_agent(const gramc_agent **out,
                                                            const gramc_spec *spec,
                                                            gramc_text name);
/* All tools of the compilation, in the order of the sources. */
GRAMC_API size_t gramc_spec_tool_count(const gramc_spec *spec);
GRAMC_API const gramc_tool *gramc_spec_tool(const gramc_spec *spec, size_t i);
/* How many signatures stand at top level, of no tool. */
GRAMC_API size_t gramc_spec_signature_count(const gramc_spec *spec);
GRAMC_API size_t gramc_spec_library_count(const gramc_spec *spec);
GRAMC_API const gramc_library *gramc_spec_library(const gramc_spec *spec, size_t i);
GRAMC_API GRAMC_MUST_USE gramc_status gramc_spec_find_library(const gramc_library **out,
                                                              const gramc_spec *spec,
                                                              gramc_text name);

GRAMC_API size_t gramc_spec_experiment_count(const gramc_spec *spec);
GRAMC_API const gramc_experiment *gramc_spec_experiment(const gramc_spec *spec, size_t i);
/* name empty: the only one. GRAMC_NOT_FOUND, GRAMC_AMBIGUOUS. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_spec_find_experiment(const gramc_experiment **out,
                                                                 const gramc_spec *spec,
                                                                 gramc_text name);

/* One ${name} of a prompt and what stands for it. */
typedef struct gramc_input {
    gramc_text name, value;
} gramc_input;
/* Writes a prompt or instruction with its inputs filled in, in one pass: nothing in a value is read
 * again, and $${ is a literal ${. GRAMC_NOT_FOUND: a name that is not among the inputs (nothing was
 * written); GRAMC_FINDINGS: a ${ that is never closed or holds no name; GRAMC_IO. Any thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_prompt_fill(gramc_text prompt,
                                                        const gramc_input *inputs, size_t count,
                                                        gramc_writer writer);

/* "exec": the property that chooses the kind in a library. Both: a kind of the enum. */
GRAMC_API const char *gramc_impl_kind_name(gramc_impl_kind kind);
/* The kind of the tools that such a box offers. */
GRAMC_API gramc_impl_kind gramc_box_tool_kind(gramc_box_kind kind);
/* Writes in a few words how a tool is done: "exec sh search.sh", "mcp files.read". GRAMC_IO. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_impl_print(const gramc_impl *impl, gramc_writer writer);

/* ## Libraries without text
 * For programs that have their implementations at hand: functions (registered as builtins, see
 * runtime.h), programs, HTTP calls, and the tools of an upstream or server, as boxes. What is added
 * is copied. A maker belongs to one thread at a time; the library that comes of it is const, and
 * any number of threads may bind agents to it. */
typedef struct gramc_library_maker gramc_library_maker;

GRAMC_API GRAMC_MUST_USE gramc_status gramc_library_maker_new(gramc_library_maker **out,
                                                              gramc_text name,
                                                              gramc_text description,
                                                              const gramc_allocator *allocator);
/* GRAMC_AMBIGUOUS: there is one of that name, and it stays. GRAMC_USAGE: no name, or not what its
 * kind needs (a target, a program, a method, a server, one of command and url), or the library is
 * finished. GRAMC_NOMEM. Templates are looked at when an agent is bound. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_library_maker_add_impl(gramc_library_maker *maker,
                                                                   const gramc_impl *impl);
GRAMC_API GRAMC_MUST_USE gramc_status gramc_library_maker_add_box(gramc_library_maker *maker,
                                                                  const gramc_box *box);
/* The sandbox of all programs that it starts; NULL: it has none. Copied. GRAMC_USAGE once it is
 * finished. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_library_maker_set_sandbox(gramc_library_maker *maker,
                                                                      const gramc_sandbox *sandbox);
/* The library's own guards; NULL: it has none. Copied. GRAMC_USAGE once it is finished. */
GRAMC_API GRAMC_MUST_USE gramc_status
gramc_library_maker_set_guards(gramc_library_maker *maker, const gramc_guard_program *before,
                               const gramc_guard_program *after);
/* The library, with its fingerprint: that of the same library in the notation. It lives as long as
 * the maker, to which nothing can be added any more. The reader gives the files that count in the
 * fingerprint; read NULL: none do. GRAMC_NOT_FOUND: an implementation names a server that was not
 * added. GRAMC_NOMEM. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_library_maker_finish(const gramc_library **out,
                                                                 gramc_library_maker *maker,
                                                                 gramc_reader reader);
GRAMC_API void gramc_library_maker_free(gramc_library_maker *maker);

#ifdef __cplusplus
}
#endif
#endif
