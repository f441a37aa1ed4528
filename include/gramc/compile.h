/* compile.h: agent specs and their schemas.
 *
 * From the sources of a compilation (gramc.h) to agents, tools and libraries with their JSON
 * Schemas, and from those to every printed form. schema.h has the validator.
 * No network, no threads, no global state. All structs here are filled by the library, const for
 * you, and may grow at their ends between minor versions. */
#ifndef GRAMC_COMPILE_H
#define GRAMC_COMPILE_H

#include "gramc/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ## Specs
 * What the sources of a compilation mean. A gramc_spec and everything in it belongs to the
 * compilation and is const: several threads may read it at once. */
typedef struct gramc_spec gramc_spec;

typedef enum gramc_result_kind {
    GRAMC_RESULT_TEXT, /* what a tool prints is the result as it is */
    GRAMC_RESULT_JSON, /* it must be JSON that fits the output schema */
    GRAMC_RESULT_NULL  /* nothing comes back */
} gramc_result_kind;

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
    uint32_t max_call_errors; /* 5 */
    uint32_t max_tool_errors; /* 5 */
    bool optional, return_direct;
    /* What `accepts` and `returns` were compiled from: with bounds that are judged, not printed (of
     * Long). Empty in a tool made by hand: the same as what is printed. */
    gramc_text checked_parameters, checked_result;
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
} gramc_agent;

typedef enum gramc_impl_kind {
    GRAMC_IMPL_BUILTIN, /* target: the registered name */
    GRAMC_IMPL_EXEC,    /* argv */
    GRAMC_IMPL_RETURNS, /* target: the text that it always returns */
    GRAMC_IMPL_HTTP,    /* target: the URL, with ${...} */
    GRAMC_IMPL_MCP,     /* target: the tool on the server of the box `server` */
    GRAMC_IMPL_PLUGIN,  /* target: the file */
    GRAMC_IMPL_REPLAY   /* target: the trace file */
} gramc_impl_kind;

/* One line of a map. In headers and URLs the value is a template: `${param}`, `${env:X}`, `$${`. */
typedef struct gramc_pair {
    gramc_text name, value;
} gramc_pair;

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
    gramc_text transform; /* HTTP: JOLT, as JSON; empty: none */
    gramc_text server;    /* MCP: the McpServer of the same library */
    gramc_text symbol;    /* PLUGIN: the function; empty: named as the tool */
    bool in_process;      /* PLUGIN: loaded into this process, only when asked */
    bool persistent;      /* EXEC: one process for many calls, by the line protocol */
    uint64_t max_memory;  /* EXEC, PLUGIN: bytes of address space; 0: no limit */
    uint32_t max_cpu_s;   /* EXEC, PLUGIN: seconds of CPU time; 0: no limit */
    uint32_t max_files;   /* EXEC, PLUGIN: open at once; 0: no limit */
    /* JSON Schemas of its own signature; empty: it has none. */
    gramc_text accepts_schema, returns_schema;
} gramc_impl;

typedef enum gramc_box_kind {
    GRAMC_BOX_MCP, /* argv (stdio), or url (Streamable HTTP) */
    GRAMC_BOX_HTTP /* the tools of a YAML file */
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
} gramc_box;

/* What `extends` names is merged in; own implementations and boxes win over it. */
typedef struct gramc_library {
    gramc_text name;
    gramc_text description;
    const gramc_impl *impls;
    size_t impl_count;
    gramc_text fingerprint; /* all of it, and the sha256 of every file it names and can read */
    const gramc_box *boxes;
    size_t box_count;
} gramc_library;

/* One way of doing it: what is written in an arm replaces what its agent says. */
typedef struct gramc_arm {
    gramc_text name;
    const gramc_agent *agent;
    const gramc_library *library; /* NULL: the agent needs none */
    gramc_text model;             /* empty here and below: as the agent says */
    gramc_text temperature, top_p, presence_penalty, frequency_penalty, max_tokens, seed;
} gramc_arm;

/* What is compared with what, on which cases, and how it is judged. */
typedef struct gramc_experiment {
    gramc_text name;
    gramc_text cases;    /* path of the JSON lines file, from where the compilation's paths begin */
    gramc_text metric;   /* `pass` unless another one is named */
    gramc_text vary;     /* none, description, schema, model, agent */
    gramc_text stop;     /* fixed, sequential */
    gramc_text margin;   /* a number as it is spelled; 0 */
    gramc_text alpha;    /* 0.05 */
    gramc_text max_cost; /* in the money of the configuration's prices; empty: no limit */
    uint64_t seed;
    uint32_t repeats;     /* 1 */
    uint32_t concurrency; /* 0: not said */
    const gramc_text *guardrails;
    size_t guardrail_count;
    const gramc_arm *arms; /* two or more; the first is what the others are compared with */
    size_t arm_count;
} gramc_experiment;

/* Gives the sources their meaning. Call once, after the last gramc_add_source. GRAMC_FINDINGS when
 * there are errors, or errors that were allowed or lowered and leave nothing to compile; *out is
 * then still set and holds what could be understood, unless memory ran out. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_compile(const gramc_spec **out,
                                                    gramc_compilation *compilation);

/* The same for the i-th source with all that it imports, and nothing else: what other sources there
 * are means nothing to it, and the findings about them are taken out. GRAMC_NOT_FOUND: there are
 * fewer sources. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_compile_source(const gramc_spec **out,
                                                           gramc_compilation *compilation,
                                                           size_t i);
/* A pattern at the top level of a source. */
typedef struct gramc_pattern {
    size_t source;   /* the i-th of the compilation */
    gramc_text name; /* its identifier */
} gramc_pattern;
/* Finds the patterns with that label ("Agent", "ToolLibrary") and name (empty: any) in all sources
 * and in what they import, compiled or not; fills in as many as there is room for and returns how
 * many there are. */
GRAMC_API size_t gramc_sources_find(gramc_compilation *compilation, gramc_text label,
                                    gramc_text name, gramc_pattern *out, size_t room);
/* True if another source imports the i-th; known after gramc_sources_find or compiling. */
GRAMC_API bool gramc_source_is_imported(const gramc_compilation *compilation, size_t i);

/* The same for each source that was added: each is a spec of its own with all that it imports. A
 * file that several import is parsed once, and what is found in it is reported once. GRAMC_FINDINGS
 * if there is an error in any of them. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_compile_each(gramc_compilation *compilation);
/* The i-th spec that was made; NULL past the end. Sources that import each other share one. */
GRAMC_API const gramc_spec *gramc_compiled(const gramc_compilation *compilation, size_t i);
/* The name of the source in which a tool stands. */
GRAMC_API gramc_text gramc_tool_file(const gramc_tool *tool);
/* True for one spec, of all that a tool's source is part of: the one that the source is the root
 * of, or else the first. */
GRAMC_API bool gramc_tool_is_own(const gramc_spec *spec, const gramc_tool *tool);
/* True if no error is reported about any of its sources. */
GRAMC_API bool gramc_spec_is_sound(const gramc_spec *spec);

GRAMC_API size_t gramc_spec_agent_count(const gramc_spec *spec);
GRAMC_API const gramc_agent *gramc_spec_agent(const gramc_spec *spec, size_t i);
/* name empty: the only one. GRAMC_NOT_FOUND, GRAMC_AMBIGUOUS. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_spec_find_agent(const gramc_agent **out,
                                                            const gramc_spec *spec,
                                                            gramc_text name);
/* All tools of the compilation, in the order of the sources. */
GRAMC_API size_t gramc_spec_tool_count(const gramc_spec *spec);
GRAMC_API const gramc_tool *gramc_spec_tool(const gramc_spec *spec, size_t i);
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
/* The library, with its fingerprint: that of the same library in the notation. It lives as long as
 * the maker, to which nothing can be added any more. The reader gives the files that count in the
 * fingerprint; read NULL: none do. GRAMC_NOT_FOUND: an implementation names a server that was not
 * added. GRAMC_NOMEM. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_library_maker_finish(const gramc_library **out,
                                                                 gramc_library_maker *maker,
                                                                 gramc_reader reader);
GRAMC_API void gramc_library_maker_free(gramc_library_maker *maker);

/* Makes an agent ready to run: gives its tools their schema texts and validators, and the agent its
 * fingerprint. Checking and printing need none of that, so it is a step of its own. Call it before
 * other threads see the spec; a second call does nothing. GRAMC_NOMEM, GRAMC_FINDINGS (a schema
 * that cannot be compiled, reported by gramc_compile already), GRAMC_LIMIT. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_agent_prepare(gramc_compilation *compilation,
                                                          const gramc_agent *agent);

/* The same for one tool: for judging calls without an agent. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_tool_prepare(gramc_compilation *compilation,
                                                         const gramc_tool *tool);

/* ## Targets
 * Prints an agent's tools (agent NULL: all tools of the spec) for a provider, a program or a
 * reader. The same spec gives the same bytes on every machine. GRAMC_USAGE for an unknown target.
 */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_emit(const gramc_spec *spec, const gramc_agent *agent,
                                                 gramc_text target, gramc_writer writer);
/* The i-th target's name and one line about it; NULL past the end. */
GRAMC_API const char *gramc_target_name(size_t i);
GRAMC_API const char *gramc_target_about(size_t i);

/* Adds findings to the compilation about what the target does not take as it is (the G08 family),
 * for an agent's tools, or (agent NULL) for all tools and agents. GRAMC_FINDINGS when the
 * compilation has errors afterwards; GRAMC_USAGE for an unknown target; GRAMC_NOMEM. Call it before
 * other threads see the spec. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_check(const gramc_spec *spec,
                                                         const gramc_agent *agent,
                                                         gramc_text target);

/* Room for any name that gramc_target_tool_name gives, with its NUL. */
#define GRAMC_WIRE_NAME_SIZE 129
/* Writes the name under which the target's provider knows a tool, NUL at its end: the tool's own,
 * unless the provider's rules are narrower. It depends on the names of all tools of the agent
 * (agent NULL: of the spec), and no two get the same one. GRAMC_NOT_FOUND if the tool is not among
 * them, GRAMC_USAGE for an unknown target, GRAMC_LIMIT for a target without rules and a name that
 * is longer than the room, GRAMC_NOMEM. Any thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_tool_name(const gramc_spec *spec,
                                                             const gramc_agent *agent,
                                                             const gramc_tool *tool,
                                                             gramc_text target,
                                                             char out[GRAMC_WIRE_NAME_SIZE]);
/* The way back: the tool that the provider knows under that name. GRAMC_NOT_FOUND, GRAMC_USAGE,
 * GRAMC_NOMEM. Any thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_find_tool(const gramc_tool **out,
                                                             const gramc_spec *spec,
                                                             const gramc_agent *agent,
                                                             gramc_text target, gramc_text name);

typedef enum gramc_name_kind { GRAMC_NAME_TOOL, GRAMC_NAME_PARAMETER } gramc_name_kind;
/* The same for any list of names: of tools, or of the properties of one object. Writes to wire[i]
 * what the provider knows names[i] under; equal names stay equal, and no two become one. For lists
 * that no spec holds, such as tools of servers. GRAMC_USAGE, GRAMC_LIMIT and GRAMC_NOMEM as above.
 * Any thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_names(gramc_text target, gramc_name_kind kind,
                                                         const gramc_text *names, size_t count,
                                                         char (*wire)[GRAMC_WIRE_NAME_SIZE],
                                                         const gramc_allocator *allocator);
/* Writes a tool's parameters (JSON Schema) with the names that the provider takes, in each object;
 * nothing else changes. GRAMC_FINDINGS: it is no JSON. GRAMC_USAGE, GRAMC_NOMEM, GRAMC_IO. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_schema(gramc_text target, gramc_text schema,
                                                          const gramc_allocator *allocator,
                                                          gramc_writer writer);
/* The way back: arguments (JSON) as the provider's model wrote them, with the names of the tool's
 * own schema. What no schema names stays as it is. GRAMC_FINDINGS: one of the two is no JSON. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_arguments(gramc_text target, gramc_text schema,
                                                             gramc_text arguments,
                                                             const gramc_allocator *allocator,
                                                             gramc_writer writer);

/* ## Formatting */
typedef struct gramc_format_options {
    size_t struct_size; /* sizeof(gramc_format_options) */
    bool portable;      /* write only what every reference parser of gram notation reads */
} gramc_format_options;
#define GRAMC_FORMAT_OPTIONS_INIT                                                                  \
    { sizeof(gramc_format_options), false }

/* Writes the i-th source in the one style that there is, comments included; options NULL means
 * GRAMC_FORMAT_OPTIONS_INIT. The text is read again before it is handed out: it has the same
 * patterns and the same comments, and formatting it once more changes nothing. GRAMC_FINDINGS: the
 * source has errors, or (portable) holds what cannot be written for everybody, which is then among
 * the findings. GRAMC_NOT_FOUND: there are fewer sources. GRAMC_NOMEM, GRAMC_LIMIT (2 GiB),
 * GRAMC_IO; GRAMC_INTERNAL if the reading came out different. Nothing is written but on GRAMC_OK.
 * The caller's thread, as with everything that takes a compilation. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_source_format(gramc_compilation *compilation, size_t i,
                                                          const gramc_format_options *options,
                                                          gramc_writer writer);
/* Compares the i-th source with what gramc_source_format would write and, where they differ, adds
 * the finding not-formatted with the edit that mends it. Statuses as there; GRAMC_FINDINGS also for
 * that. Findings are then printed as `gramc fmt`'s. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_source_check_format(
    gramc_compilation *compilation, size_t i, const gramc_format_options *options);

/* ## Import
 * Tool definitions in JSON, as providers, MCP servers, OpenAPI and JSON Schema have them, become
 * the text of an agent spec that compiles to the same schemas. */
typedef struct gramc_import_file {
    gramc_text name;   /* for findings */
    const char *bytes; /* borrowed until the compilation is freed; bytes[len] is a readable NUL */
    size_t len;
} gramc_import_file;

typedef struct gramc_import_options {
    size_t struct_size;   /* sizeof(gramc_import_options) */
    gramc_text kind;      /* one of gramc_import_kind; empty: each file tells by what is in it */
    gramc_text agent;     /* an agent of this name gets all tools; empty: none is written */
    gramc_writer library; /* gets the tool library of an HTTP interface; write NULL: nobody does */
} gramc_import_options;
#define GRAMC_IMPORT_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(gramc_import_options), {NULL, 0}, {NULL, 0}, {                                      \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* Writes one spec for all files. The compilation takes the findings, whose places are in the files:
 * a note where the text says it in a roundabout way, a warning where something is lost or changed.
 * What is written passes `gramc check` without errors. options NULL: as the INIT has them.
 * GRAMC_FINDINGS, and nothing written, for what is not JSON or holds no tool; GRAMC_USAGE for an
 * unknown kind; GRAMC_NOMEM, GRAMC_LIMIT, GRAMC_IO. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_import(gramc_compilation *compilation,
                                                   const gramc_import_file *files, size_t count,
                                                   const gramc_import_options *options,
                                                   gramc_writer spec);
/* The i-th kind; NULL past the end. */
GRAMC_API const char *gramc_import_kind(size_t i);

/* ## Comparing specs
 * What changed between two specs, and for whom it matters. */
typedef enum gramc_impact {
    GRAMC_IMPACT_NONE,     /* that side does not see it */
    GRAMC_IMPACT_COSMETIC, /* nothing becomes valid or invalid, but the model reads or does another
                              thing */
    GRAMC_IMPACT_ADDITIVE, /* what was right stays right, and there is more */
    GRAMC_IMPACT_BREAKING  /* something that was right is not any more */
} gramc_impact;

/* A row of the table of all changes that there can be. */
typedef struct gramc_diff_kind {
    const char *code;         /* "D209" */
    const char *slug;         /* "parameter-narrowed" */
    gramc_impact caller;      /* for models, prompts, recorded calls */
    gramc_impact implementer; /* for tool libraries */
    const char *message;      /* with {0}, {1}, {2} */
    const char *explanation;
} gramc_diff_kind;

/* The i-th row; NULL past the end. Any thread. */
GRAMC_API const gramc_diff_kind *gramc_diff_explain(size_t i);

typedef struct gramc_diff_entry {
    const gramc_diff_kind *kind;
    gramc_impact impact; /* the greater one of the two sides */
    gramc_text message;  /* one line, lower case, no full stop */
    gramc_text help;     /* a hint, or empty */
    gramc_text example;  /* a value that shows it, and what became of it; or empty */
    gramc_text old_file; /* empty: it is new; the span is then 0 */
    uint32_t old_start, old_end;
    gramc_text new_file; /* empty: it is gone */
    uint32_t new_start, new_end;
} gramc_diff_entry;

typedef struct gramc_diff gramc_diff;

/* Compares two specs that gramc_compile gave without errors. The result is yours; it borrows from
 * both compilations, which must outlive it. The changes stand in the order of the new spec, what is
 * gone behind that in the order of the old one: same input, same list. GRAMC_NOMEM. Both
 * compilations are only read. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_diff_new(gramc_diff **out, const gramc_spec *before,
                                                     const gramc_spec *after,
                                                     const gramc_allocator *allocator);
GRAMC_API void gramc_diff_free(gramc_diff *diff);
/* How many changes have that impact (on the side that it hits harder). */
GRAMC_API size_t gramc_diff_count(const gramc_diff *diff, gramc_impact impact);
/* The i-th change; false past the end. */
GRAMC_API bool gramc_diff_get(const gramc_diff *diff, size_t i, gramc_diff_entry *out);
/* Prints the changes as gramc_findings_print prints findings, by the files that they stand in; what
 * is gone stands in the old file. `fails` is the least impact that fails (a JUnit case), NONE if
 * none does. GRAMC_USAGE for an unknown format, GRAMC_NOMEM, GRAMC_IO. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_diff_print(const gramc_diff *diff,
                                                       gramc_report_format format,
                                                       gramc_impact fails, gramc_writer writer);

#ifdef __cplusplus
}
#endif
#endif
