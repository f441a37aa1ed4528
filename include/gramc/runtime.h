/* runtime.h: agents that run.
 *
 * libgramrun joins a compiled agent (compile.h) with a tool library, asks a model, calls tools and
 * writes down what happened. A run is a state machine and never blocks a thread: one loop drives
 * thousands of them.
 *
 *     gramc_agent_prepare(compilation, agent);
 *     gramc_builtins_new(&builtins, NULL);
 *     gramc_bind(&bound, agent, library, &bind_options);
 *     gramc_model_new_endpoint(&model, &endpoint_options);
 *     gramc_loop_new(&loop, NULL);
 *     gramc_run_start(NULL, loop, bound, &run_options, &handler);
 *     gramc_loop_run(loop);
 *
 * The library never prints, exits, aborts, reads the environment or touches the locale. Of signals:
 * while gramc_loop_run runs, SIGPIPE is blocked and SIGCHLD unblocked in the calling thread (both
 * are restored); the first child process makes libuv install its handler of SIGCHLD. It runs in
 * any thread that does not block that signal: a thread that may be cancelled must block it.
 *
 * Threads: a loop and its runs belong to one thread, that of gramc_loop_run; the two calls that
 * may come from elsewhere say so. Builtins, bound agents and models are immutable once made and
 * may be shared by the loops of several threads. They must outlive the runs that use them.
 *
 * Ownership is as gramc.h says; options are copied unless a field says "borrowed". */
#ifndef GRAMC_RUNTIME_H
#define GRAMC_RUNTIME_H

#include "gramc/event.h"
#include "gramc/toolbox.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ## Builtins
 * Functions of this process that a library reaches by name: [add:ToolImpl {builtin: "math.add"}].
 *
 * `arguments` is the JSON object that the model sent, checked against the tool's signature,
 * defaults filled in; it is valid only during the call. What is written to `result` is the tool's
 * result (text, or JSON where the signature promises it), at most 1 MiB. Anything but 0 means that
 * the tool failed; what was written is then shown to the model as the reason. */
typedef int (*gramc_function)(void *ctx, gramc_text arguments, gramc_writer result);

typedef struct gramc_builtin {
    gramc_text name; /* "math.add" */
    gramc_function function;
    void *ctx;     /* borrowed: must outlive every run that may call it */
    bool blocking; /* false: called on the loop's thread and must return at once.
                      true: called on a worker thread of libuv (UV_THREADPOOL_SIZE of them, shared
                      with name look-ups), several at a time. The loop's allocator is then called
                      from that thread too. Its time limit begins when a thread takes it up. A
                      call that outlives it is abandoned, not stopped: it keeps its thread, and
                      gramc_loop_free waits for it. */
} gramc_builtin;

typedef struct gramc_builtins gramc_builtins;

/* A registry that holds the standard ones: greeting.sayHello, text.length, text.echo, math.add,
 * math.sqrt. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_builtins_new(gramc_builtins **out,
                                                         const gramc_allocator *allocator);
/* Adds a copy. GRAMC_AMBIGUOUS: the name is taken. GRAMC_USAGE: no name or no function. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_builtins_add(gramc_builtins *builtins,
                                                         const gramc_builtin *builtin);
/* The i-th, in the order of registration; NULL past the end. */
GRAMC_API const gramc_builtin *gramc_builtins_get(const gramc_builtins *builtins, size_t i);
GRAMC_API void gramc_builtins_free(gramc_builtins *builtins);

/* ## Binding
 * Joins one agent with one library, by the tools' wire names. Changes neither of them: one agent
 * binds to many libraries, which is how two implementations are compared. Any thread. */
typedef struct gramc_bound gramc_bound;
typedef struct gramc_offering gramc_offering; /* see "What libraries offer" */

/* How models of a name are asked that agents write. */
typedef struct gramc_named_protocol {
    gramc_text model;    /* as in gramc_agent.evaluator_model, gramc_agent.model and the like */
    gramc_text protocol; /* as in gramc_bind_options */
} gramc_named_protocol;

/* Where the HTTP tools and the MCP servers of a library may be. What is checked is what is
 * connected to: the host as it is written, then every address that it leads to, also where a
 * connection is used again. Private addresses are reached where the host is named, those of this
 * machine, of its link and of clouds' metadata where they are named themselves (docs/egress.md). A
 * library names the hosts that it writes, if it is one's own. Models are not meant. */
typedef struct gramc_egress {
    size_t struct_size;      /* sizeof(gramc_egress) */
    const gramc_text *hosts; /* api.example.com, *.example.com, 127.0.0.1, [::1], :PORT behind it */
    size_t host_count;
    bool only_these; /* no other hosts are asked, and libraries name none; with none: nobody is */
    /* Whether that file, as libraries name it, is one's own. NULL: every one is. */
    bool (*owns)(void *ctx, gramc_text file);
    void *ctx;
} gramc_egress;
#define GRAMC_EGRESS_INIT                                                                          \
    { sizeof(gramc_egress), NULL, 0, false, NULL, NULL }
/* NULL, or what is wrong with the spelling of a host for such a list: half a sentence. */
GRAMC_API const char *gramc_egress_problem(gramc_text host);

/* What can keep a program in; bits of what is missing. */
typedef enum gramc_wall {
    GRAMC_WALL_FILES = 1,  /* `read` and `write`: Landlock */
    GRAMC_WALL_CALLS = 2,  /* `network: none`: seccomp */
    GRAMC_WALL_NETWORK = 4 /* `network: hosts`: namespaces */
} gramc_wall;
/* Starts that gramc-host, which tries to build each wall here, and waits for it: some milliseconds.
 * The bits of those that it cannot; all of them, where it cannot be asked. */
GRAMC_API unsigned gramc_walls_missing(gramc_text host, const gramc_allocator *allocator);

/* What holds the programs of a library that has a `sandbox`, or is from elsewhere by
 * gramc_egress.owns (docs/sandbox.md). What cannot be held is an error of the binding. */
typedef struct gramc_containment {
    size_t struct_size; /* sizeof(gramc_containment) */
    gramc_text host;    /* as in gramc_loop_options; empty: nothing can be held */
    gramc_text home;    /* what `~` stands for, and what no library's folder holds; may be empty */
    gramc_text path;    /* the PATH that programs inherit: where it leads is read; may be empty */
    /* As gramc_walls_missing, whose answer it may keep; called where something is to be contained.
     * NULL: that is asked, once a binding. */
    unsigned (*missing)(void *ctx);
    void *ctx;
} gramc_containment;
#define GRAMC_CONTAINMENT_INIT                                                                     \
    { sizeof(gramc_containment), {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, NULL }

typedef struct gramc_bind_options {
    size_t struct_size; /* sizeof(gramc_bind_options) */
    const gramc_allocator *allocator;
    const gramc_builtins *builtins; /* NULL: none are known. Entries are copied */
    gramc_reader reader;            /* of the files that boxes name; read NULL: none can be read */
    /* What ${env:NAME} in a library may stand for; a value without ptr is allowed, but not set.
     * Copied. They go into the requests that name them and nowhere else: not into messages, traces
     * or results. Keys of providers are refused by name, and a NUL is GRAMC_USAGE. */
    const gramc_pair *secrets;
    size_t secret_count;
    bool secrets_may_miss; /* one that is not set fails the call that needs it, not the binding */
    /* What the MCP servers of the library offer; borrowed, used while binding. NULL: nothing is
     * known of them, so a tool that only they could do is missing. */
    const gramc_offering *offering;
    /* A target of gramc_emit, by whose rules tools and parameters are called in requests; what the
     * model calls is mapped back. Empty: that of the protocol. */
    gramc_text target;
    /* The PATH that programs inherit (gramc_loop_options.environment): one that is not there is
     * then an error of the binding. ptr NULL: they are looked for when they are called. */
    gramc_text path;
    /* How the models are asked that will run it: chat (OpenAI's chat completions), responses
     * (OpenAI's), messages (Anthropic's), gemini, ollama. Empty: as the target says. It is how the
     * agent's own model is asked; those that it names for roles, and those of agents that do its
     * tools, are asked as `protocols` says of their names, else by their providers' protocols, if
     * its own is asked by its provider's, else as that. GRAMC_USAGE: there is no such protocol. */
    gramc_text protocol;
    const gramc_named_protocol *protocols; /* borrowed, used while binding */
    size_t protocol_count;
    /* The store and the engines that HTTP toolboxes may name; borrowed, and used by calls too.
     * NULL: there are none. */
    const gramc_toolbox_host *toolboxes;
    /* Folders below which files may lie that HTTP calls send; a path that a model gives leads
     * nowhere else. Copied; a NUL is GRAMC_USAGE. None: no file is read. */
    const gramc_text *folders;
    size_t folder_count;
    const gramc_egress *egress;           /* borrowed, used while binding. NULL: see gramc_egress */
    const gramc_containment *containment; /* likewise. NULL: nothing can be held */
} gramc_bind_options;
#define GRAMC_BIND_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(gramc_bind_options), NULL, NULL, {NULL, NULL}, NULL, 0, false, NULL, {NULL, 0},     \
            {NULL, 0}, {NULL, 0}, NULL, 0, NULL, NULL, 0, NULL, NULL                               \
    }

/* agent and library are borrowed; library NULL means an empty one. GRAMC_FINDINGS: something does
 * not fit; *out is then set and only good for its messages. GRAMC_USAGE: the agent is not prepared
 * (gramc_agent_prepare). An optional tool without an implementation is a note and is not offered
 * to the model. A ToolImpl wins over boxes. Tools that the agent takes of boxes (box_uses) come
 * after its own, with the boxes' schemas. Where an implementation has schemas of its own, they are
 * compared with the tool's: what does not fit is an error. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_bind(gramc_bound **out, const gramc_agent *agent,
                                                 const gramc_library *library,
                                                 const gramc_bind_options *options);
GRAMC_API void gramc_bound_free(gramc_bound *bound);

typedef struct gramc_bind_message {
    gramc_severity severity;
    gramc_text message; /* one line, lower case, no full stop */
    gramc_text help;    /* a way out, or empty */
    gramc_text file;    /* of the implementation, or empty */
    uint32_t start, end;
    gramc_text code; /* of gramc_explain: "G0440"; empty: it has none */
} gramc_bind_message;

/* The i-th message; false past the end. */
GRAMC_API bool gramc_bound_message(const gramc_bound *bound, size_t i, gramc_bind_message *out);

typedef enum gramc_proof {
    GRAMC_PROOF_NONE,    /* the implementation has no schema of its own */
    GRAMC_PROOF_PROVEN,  /* everything that can come fits */
    GRAMC_PROOF_REFUTED, /* there is a counterexample */
    GRAMC_PROOF_UNKNOWN  /* not decided */
} gramc_proof;

typedef struct gramc_choice {
    const gramc_tool *tool;
    const gramc_impl *impl; /* NULL: none, and the tool is optional */
    gramc_text kind;        /* "builtin", "exec", "returns"...; empty without impl */
    gramc_text box;         /* that offers it; empty: a ToolImpl does it */
    gramc_proof accepts, returns;
    gramc_text accepts_why, returns_why; /* a counterexample (JSON), or why it is not decided */
    bool asks;                           /* somebody has to approve of each call */
    const gramc_sandbox *sandbox; /* what its program may touch, as it is said; NULL: it starts
                                     none, or one that may touch what the user may */
} gramc_choice;

/* Which implementation serves the i-th tool, of the agent and then of its tasks; false past the
 * end. */
GRAMC_API bool gramc_bound_choice(const gramc_bound *bound, size_t i, gramc_choice *out);
/* Of the agent and of the library: the same agent with another library has another second one. */
GRAMC_API gramc_text gramc_bound_spec_fingerprint(const gramc_bound *bound);
GRAMC_API gramc_text gramc_bound_library_fingerprint(const gramc_bound *bound);

/* ## What libraries offer
 * Boxes (McpServer, HttpToolBox) offer tools that only they know. An offering is what was found
 * when they were asked, or a snapshot of that (docs/formats/snapshot.md). */
typedef struct gramc_loop gramc_loop;

typedef struct gramc_offering_options {
    size_t struct_size; /* sizeof(gramc_offering_options) */
    const gramc_allocator *allocator;
    gramc_reader reader; /* as in gramc_bind_options, as are the next two */
    const gramc_pair *secrets;
    size_t secret_count;
    const gramc_agent *agent; /* ask only the servers that it needs; NULL: all, and read the HTTP
                                 toolboxes too */
    uint32_t timeout_ms;      /* of all servers together; 0: 60,000 */
    uint32_t company;         /* as of the runs to come: see gramc_run_options */
    const gramc_toolbox_host *toolboxes; /* as in gramc_bind_options, as are the others */
    const gramc_egress *egress;
    const gramc_containment *containment;
    bool pinned; /* an MCP server is held to what it lists now: one that is started again, or says
                    that its tools have changed, and lists others, is not called any more */
} gramc_offering_options;
#define GRAMC_OFFERING_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(gramc_offering_options), NULL, {NULL, NULL}, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, \
            false                                                                                  \
    }

/* Asks the boxes of a library: starts or calls MCP servers on the loop, which they stay on for the
 * runs to come, and turns it until all have answered. A box that cannot be asked is told by
 * gramc_offering_failure. GRAMC_USAGE while the loop runs; GRAMC_NOMEM. The loop's thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_offering_new(gramc_offering **out, gramc_loop *loop,
                                                         const gramc_library *library,
                                                         const gramc_offering_options *options);
/* Reads a snapshot; the bytes are not needed afterwards. GRAMC_FINDINGS: it is none; `error`, if
 * not NULL, then says why. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_offering_load(gramc_offering **out, gramc_text snapshot,
                                                          const gramc_allocator *allocator,
                                                          gramc_json_error *error);
/* Writes a snapshot. GRAMC_FINDINGS, and nothing written: a box could not be asked. GRAMC_IO when
 * the writer stops. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_offering_save(const gramc_offering *offering,
                                                          gramc_writer writer);
GRAMC_API void gramc_offering_free(gramc_offering *offering);
/* Of the library that it was made of. */
GRAMC_API gramc_text gramc_offering_library(const gramc_offering *offering);
GRAMC_API gramc_text gramc_offering_fingerprint(const gramc_offering *offering);

typedef struct gramc_offer {
    gramc_text box;                /* its name in the library */
    gramc_text tool;               /* its name in the box */
    gramc_text title, description; /* empty: none; hostile text */
    gramc_text parameters;         /* JSON Schema */
    gramc_text result;             /* JSON Schema; empty: the box does not say */
    gramc_text annotations;        /* a JSON object: an MCP server's hints; empty: none */
} gramc_offer;

/* The i-th tool of all boxes, filters and renames of the library not applied; false past the end.
 */
GRAMC_API bool gramc_offering_get(const gramc_offering *offering, size_t i, gramc_offer *out);
/* The i-th box that could not be asked, and why; false past the end. */
GRAMC_API bool gramc_offering_failure(const gramc_offering *offering, size_t i, gramc_text *box,
                                      gramc_text *why);
/* The i-th line about what boxes list and cannot be called; false past the end. */
GRAMC_API bool gramc_offering_note(const gramc_offering *offering, size_t i, gramc_text *note);
/* What the library makes of a tool of one of its boxes: the name that it offers it under; empty if
 * it does not take it. Any thread. */
GRAMC_API gramc_text gramc_box_name(const gramc_box *box, gramc_text tool);

/* Binds one tool of a library, without an agent: for gramc_call. It has the schemas of its own
 * signature or of its box; without any it takes every object and returns a text. Statuses and
 * ownership as with gramc_bind. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_bind_tool(gramc_bound **out,
                                                      const gramc_library *library, gramc_text tool,
                                                      const gramc_bind_options *options);

typedef enum gramc_call_outcome {
    GRAMC_CALL_FINE,          /* the text is the result */
    GRAMC_CALL_BAD_ARGUMENTS, /* it was not called; here and below the text says why */
    GRAMC_CALL_TOOL_ERROR,
    GRAMC_CALL_TIMEOUT,
    GRAMC_CALL_BAD_RESULT, /* not what the signature promises */
    GRAMC_CALL_CANCELED,   /* by gramc_loop_interrupt; no text */
    GRAMC_CALL_DENIED      /* by a guard of the library; the text is what it says to models */
} gramc_call_outcome;

/* Calls a tool of a bound agent once, as a model would: the arguments (JSON) are checked and filled
 * in, the result is checked. Turns the loop until it is over. GRAMC_NOT_FOUND: there is no such
 * tool. GRAMC_FINDINGS: `bound` has errors. GRAMC_USAGE while the loop runs. The loop's thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_call(gramc_call_outcome *outcome, gramc_loop *loop,
                                                 const gramc_bound *bound, gramc_text tool,
                                                 gramc_text arguments, gramc_writer text);

/* ## Models
 * Where answers come from. */
typedef struct gramc_model gramc_model;

/* A server that is known by the name in front of a model's: "openrouter" in "OpenRouter/x/y". */
typedef struct gramc_provider {
    const char *name;
    const char *base_url;
    const char *key; /* the environment variable that holds the key; NULL: it takes none */
    const char *target, *protocol; /* for gramc_bind_options */
} gramc_provider;
/* The i-th of the table; NULL past the end. */
GRAMC_API const gramc_provider *gramc_provider_get(size_t i);
/* The provider that a model names, the first if it names none; NULL: it is not known. */
GRAMC_API const gramc_provider *gramc_provider_of(gramc_text model);
/* The i-th environment variable under which some provider documents its key, also of providers that
 * are not known here; NULL past the end. Listed among the secrets of a library, with its value,
 * such a key is hidden like any other, and still no library may read it. */
GRAMC_API const char *gramc_provider_key(size_t i);

typedef struct gramc_endpoint_options {
    size_t struct_size; /* sizeof(gramc_endpoint_options) */
    const gramc_allocator *allocator;
    gramc_text model;    /* "Provider/id" or "id"; empty: the id that the agent names */
    gramc_text base_url; /* http or https, without /chat/completions; empty: the provider's own */
    gramc_text api_key;  /* empty: none is sent. Goes into the provider's header, nowhere else */
    gramc_text proxy;    /* URL of an HTTP proxy; empty: none */
    uint32_t timeout_ms; /* of one request; 0: 600,000 */
    uint32_t connect_timeout_ms; /* 0: 10,000 */
    uint32_t max_retries;        /* of 408, 409, 429, 5xx and connection errors; INIT says 2 */
    uint32_t retry_wait_ms;      /* before the first one, then doubled to 8 s; 0: 500 */
    size_t max_response;         /* bytes of one answer; 0: 16 MiB */
    gramc_text protocol;         /* as in gramc_bind_options; empty: the provider's own, or chat */
    /* Of all runs that ask this address with this key, whichever models they name, of one loop or
     * of those that share a gramc_limiter; 0: any number. Who comes too early waits, in order, and
     * no time limit but the run's runs meanwhile. Nobody asks while the server wants quiet (429,
     * Retry-After, x-ratelimit-*, anthropic-ratelimit-*). */
    uint32_t max_concurrent, requests_per_minute;
    uint64_t tokens_per_minute; /* guessed by a request's size until the answer says them */
    bool stream;                /* answers are wanted in pieces: GRAMC_EVENT_DELTA. Nothing is asked
                                   again once a piece was told */
    uint32_t idle_timeout_ms;   /* between pieces; 0: 60,000 */
} gramc_endpoint_options;
#define GRAMC_ENDPOINT_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(gramc_endpoint_options), NULL, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, 0, 0, 2, \
            0, 0, {NULL, 0}, 0, 0, 0, false, 0                                                     \
    }

/* The server of a provider, or one that is asked as it is: POST {base_url}/chat/completions, or
 * what the protocol has instead. Redirects are not followed. GRAMC_NOT_FOUND: a provider that is
 * not known, and no base_url. GRAMC_USAGE: base_url is not http or https, the key holds a control
 * character, or there is no such protocol. Connects nowhere yet. */
GRAMC_API GRAMC_MUST_USE gramc_status
gramc_model_new_endpoint(gramc_model **out, const gramc_endpoint_options *options);

/* Answers from a trace (docs/formats/trace.md): its model.response events in order, for every run
 * anew. Where the trace holds the request too, a run that asks something else ends with
 * GRAMC_OUTCOME_MODEL_ERROR and the difference. GRAMC_FINDINGS: not such a trace; `error`, if not
 * NULL, then says why. The bytes are copied. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_model_new_script(gramc_model **out, gramc_text trace,
                                                             const gramc_allocator *allocator,
                                                             gramc_json_error *error);

/* A recorded run (docs/formats/trace.md), whose model and whose tools can be played again: give the
 * one to gramc_run_options.model, the other to its `tools`, or both. A run that asks or calls what
 * was not recorded ends as GRAMC_OUTCOME_CASSETTE_MISS, with the difference. Bytes are copied;
 * statuses as with gramc_model_new_script. Immutable once made. */
typedef struct gramc_cassette gramc_cassette;
GRAMC_API GRAMC_MUST_USE gramc_status gramc_cassette_new(gramc_cassette **out, gramc_text trace,
                                                         const gramc_allocator *allocator,
                                                         gramc_json_error *error);
/* Borrowed from it. */
GRAMC_API const gramc_model *gramc_cassette_model(const gramc_cassette *cassette);
GRAMC_API void gramc_cassette_free(gramc_cassette *cassette);

/* Calls the first tool that it can make arguments for, from its schema alone, and then answers
 * with what the tool said. Without tools it says a fixed sentence. Needs no network. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_model_new_mock(gramc_model **out,
                                                           const gramc_allocator *allocator);
/* Writes a request as a curl command for a POSIX shell. `body` is that of GRAMC_EVENT_REQUEST, `id`
 * the model's where the model was made without one; where the key stands, the command has `$key`,
 * the name of an environment variable, never a value. GRAMC_NOT_FOUND: this model is asked over no
 * network. GRAMC_USAGE: it has a key, and `key` is no name. `streamed`: as
 * gramc_run_options.stream. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_model_curl(const gramc_model *model, gramc_text id,
                                                       gramc_text key, gramc_text body,
                                                       bool streamed, gramc_writer writer);
/* How it is asked: for gramc_bind_options. Empty: as the agent is bound, whatever that is. */
GRAMC_API gramc_text gramc_model_protocol(const gramc_model *model);
/* How a script was asked for models of that name, for gramc_named_protocol; of any other model as
 * gramc_model_protocol. */
GRAMC_API gramc_text gramc_model_protocol_of(const gramc_model *model, gramc_text name);
/* Its answers cost nothing and take no tokens: the mock, or a recording of its runs. */
GRAMC_API bool gramc_model_is_mock(const gramc_model *model);
GRAMC_API void gramc_model_free(gramc_model *model);

/* ## Sessions
 * A conversation that outlives its runs: with gramc_run_options.session a run takes up what was
 * said before, and leaves it and what it said itself there when it is answered. A run that ends
 * otherwise leaves the session as it was. What the messages hold is what a trace of the runs holds:
 * hostile text, without the secrets that the loop knows of. A session outlives its runs, may go
 * from one loop to another, and belongs to one thread at a time. */
typedef struct gramc_session gramc_session;

GRAMC_API GRAMC_MUST_USE gramc_status gramc_session_new(gramc_session **out,
                                                        const gramc_allocator *allocator);
/* NULL is fine. No run may have it. */
GRAMC_API void gramc_session_free(gramc_session *session);

typedef struct gramc_session_info {
    gramc_text agent, agent_fingerprint; /* that answered last; empty: nobody has */
    gramc_text protocol;                 /* of that answer */
    uint32_t turns;                      /* messages of the user that were answered */
    size_t messages;                     /* of everybody, results of tools included */
} gramc_session_info;
/* Borrowed until the session changes. */
GRAMC_API gramc_session_info gramc_session_about(const gramc_session *session);

typedef enum gramc_role { GRAMC_ROLE_USER, GRAMC_ROLE_ASSISTANT, GRAMC_ROLE_TOOL } gramc_role;

typedef struct gramc_session_message {
    gramc_role role;
    gramc_text content;            /* ptr NULL: none */
    const gramc_model_call *calls; /* ASSISTANT */
    size_t call_count;
    const gramc_model_call *call; /* TOOL: whose result it is */
    bool failed;                  /* TOOL: the call went wrong */
} gramc_session_message;
/* Every message, in order. Texts are borrowed until the session changes. */
GRAMC_API void gramc_session_each(const gramc_session *session,
                                  void (*message)(void *ctx, const gramc_session_message *message),
                                  void *ctx);
/* As one JSON document: docs/formats/session.md. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_session_print(const gramc_session *session,
                                                          gramc_writer writer);
/* Replaces what the session holds by what was printed. GRAMC_FINDINGS: this is no such document, as
 * `error` (may be NULL) says; GRAMC_LIMIT: a run has the session. It is as it was then. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_session_load(gramc_session *session, gramc_text json,
                                                         gramc_json_error *error);

typedef struct gramc_session_history {
    uint32_t turns;    /* that were answered, and are taken */
    uint32_t left_out; /* that were not */
    size_t earlier;    /* messages that were said before the trace began, and are not in it */
} gramc_session_history;
/* The same for the turns of a trace (docs/formats/trace.md) that were answered; a last line that
 * was cut is left out. `about` may be NULL. GRAMC_FINDINGS: no trace, or nothing was answered. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_session_load_trace(gramc_session *session,
                                                               gramc_text trace,
                                                               gramc_session_history *about,
                                                               gramc_json_error *error);

/* ## Loops */
typedef struct gramc_run gramc_run;

/* Where times come from; for tests and simulations. Waiting is done by the system's clock. */
typedef struct gramc_clock {
    uint64_t (*now_ns)(void *ctx); /* never goes back */
    int64_t (*wall_ms)(void *ctx); /* since 1970 */
    void *ctx;
} gramc_clock;

/* How much is asked of the endpoints, by address and key (gramc_endpoint_options): one for the
 * loops of all threads. Free it after the loops that were given it. NULL is fine there. */
typedef struct gramc_limiter gramc_limiter;
GRAMC_API GRAMC_MUST_USE gramc_status gramc_limiter_new(gramc_limiter **out,
                                                        const gramc_allocator *allocator);
GRAMC_API void gramc_limiter_free(gramc_limiter *limiter);

typedef struct gramc_loop_options {
    size_t struct_size; /* sizeof(gramc_loop_options) */
    const gramc_allocator *allocator;
    /* "NAME=value": what child processes see besides what their implementation declares. Give
     * PATH, or programs without a slash are not found. A NUL here or in `host` is GRAMC_USAGE. */
    const gramc_text *environment;
    size_t environment_count;
    /* The absolute path of gramc-host, which comes with the library (libexec/gramc): runs plugins,
     * and sets resource limits of programs. Empty: tools that need it fail and say so. */
    gramc_text host;
    /* Most processes at a time of one plugin or of one program that stays; 0: 4. They live until
     * the loop is freed. */
    uint32_t max_workers;
    /* No other part of this process starts programs that need its descriptors: all but the standard
     * three are set to close on exec before one is started, whoever opened them. Otherwise only
     * those that this library opens are kept from programs. */
    bool owns_process;
    const gramc_clock *clock; /* what times are taken by; borrowed. NULL: the system's */
    /* Most programs that work at a time: calls of exec, and of plugins and programs that stay. The
     * others wait in order, and a tool's time limit begins when it is its turn. 0: two a CPU, at
     * least 4. Fewer where RLIMIT_NOFILE, as it is when the loop is made, leaves no room. */
    uint32_t max_programs;
    /* Most HTTP requests under way at a time, of models, tools and MCP servers; the others wait in
     * order. 0: as many as RLIMIT_NOFILE leaves room for, which is also the most. */
    uint32_t max_connections;
    /* A file of certificates (PEM) by which https servers are judged; empty: the system's. */
    gramc_text ca_file;
    /* What the limits of endpoints are kept by, together with other loops: all runs of a process
     * are to have one. Outlives the loop. NULL: the loop has its own. */
    gramc_limiter *limiter;
} gramc_loop_options;
#define GRAMC_LOOP_OPTIONS_INIT                                                                    \
    { sizeof(gramc_loop_options), NULL, NULL, 0, {NULL, 0}, 0, false, NULL, 0, 0, {NULL, 0}, NULL }

GRAMC_API GRAMC_MUST_USE gramc_status gramc_loop_new(gramc_loop **out,
                                                     const gramc_loop_options *options);
/* Returns when no run is left; a handler may start further ones. GRAMC_USAGE from a handler. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_loop_run(gramc_loop *loop);
/* Cancels every run, soon. Any thread, and a signal handler. */
GRAMC_API void gramc_loop_interrupt(gramc_loop *loop);
/* Cancels what is left (their handlers are called) and waits for blocking functions to return. */
GRAMC_API void gramc_loop_free(gramc_loop *loop);
/* The same, but waits for `patience_ms` at most; programs and sessions that end politely take up to
 * 2 s. GRAMC_LIMIT: a blocking function has not returned. Everything else has ended then; what the
 * function may still use stays, and the process can only be left by _exit, since exit waits for
 * libuv's threads. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_loop_close(gramc_loop *loop, uint32_t patience_ms);

/* ## Runs */
typedef enum gramc_outcome {
    GRAMC_OUTCOME_ANSWERED,             /* "answered": every message got its text */
    GRAMC_OUTCOME_MAX_ITERATIONS,       /* "max-iterations" */
    GRAMC_OUTCOME_TOO_MANY_CALL_ERRORS, /* "too-many-call-errors": by the model, of one tool */
    GRAMC_OUTCOME_TOO_MANY_TOOL_ERRORS, /* "too-many-tool-errors": by one tool */
    GRAMC_OUTCOME_EMPTY_RESPONSE,       /* "empty-response": neither text nor calls */
    GRAMC_OUTCOME_LENGTH,               /* "length": the text was cut at the token limit */
    GRAMC_OUTCOME_CONTENT_FILTER,       /* "content-filter" */
    GRAMC_OUTCOME_REFUSED,              /* "refused": `text` is what the model said instead */
    GRAMC_OUTCOME_MODEL_ERROR,          /* "model-error": no usable answer from the model */
    GRAMC_OUTCOME_TIMEOUT,              /* "timeout": of the whole run */
    GRAMC_OUTCOME_CANCELED,             /* "canceled" */
    GRAMC_OUTCOME_TRACE_ERROR,          /* "trace-error": the trace could not be written */
    GRAMC_OUTCOME_INTERNAL,             /* "internal": out of memory, or a stated limit */
    GRAMC_OUTCOME_BAD_ANSWER,   /* "bad-answer": three times no answer of the `output` type */
    GRAMC_OUTCOME_TOKEN_BUDGET, /* "token-budget": all tokens that the run may take are used */
    GRAMC_OUTCOME_COST_BUDGET,  /* "cost-budget": it has cost as much as it may */
    GRAMC_OUTCOME_MAX_DURATION, /* "max-duration": it took longer than it may */
    GRAMC_OUTCOME_CASSETTE_MISS /* "cassette-miss": what it asked or called was not recorded */
} gramc_outcome;

GRAMC_API const char *gramc_outcome_name(gramc_outcome outcome);

typedef enum gramc_wire {
    GRAMC_WIRE_AGENT,    /* as the agent says, else tools */
    GRAMC_WIRE_TOOLS,    /* `tools`, tool_calls, role tool */
    GRAMC_WIRE_FUNCTIONS /* `functions`, function_call, role function */
} gramc_wire;

/* ## Guards
 * Asked about every call of a run whose arguments fit, before the tool is called, and about every
 * result that fits, before the model hears of it. They allow, deny with words for the model, or put
 * other arguments or another result in place; those are checked against the tool's schema again,
 * and what does not fit denies. What fails (arguments, tools, results) is not asked about.
 *
 * A library has guards too (docs/guards.md): before a call this one is asked first, after it last.
 * Both are called on the loop's thread and must return at once; they may start and cancel runs, not
 * free the loop. */
typedef enum gramc_decision_kind {
    GRAMC_DECISION_ALLOW,
    GRAMC_DECISION_DENY,
    GRAMC_DECISION_REWRITE
} gramc_decision_kind;

typedef struct gramc_decision {
    gramc_decision_kind kind; /* ALLOW unless the guard says otherwise */
    gramc_text message;       /* DENY: words for the model; empty: ours */
    gramc_text text; /* REWRITE: the arguments, a JSON object, or the result, as the tool would have
                        returned it. Both are copied as soon as the guard has returned: they are
                        the guard's, and stay in place until then */
} gramc_decision;

typedef struct gramc_guarded_call {
    const gramc_tool *tool;
    const gramc_model_call *call; /* as the model wrote it: hostile text */
    gramc_text arguments; /* what the tool gets, if nobody objects: checked, defaults filled in */
    bool destructive; /* the tool may destroy something: the spec or the tool's server says so */
    uint32_t turn, iteration, index; /* which call of the run it is; index from 0 */
    /* For an approver: the tool is sensitive, and that tool brought untrusted words into the
     * conversation (docs/taint.md); ptr NULL: this is not why it is asked. */
    gramc_text tainted_by;
} gramc_guarded_call;

/* Either function may be NULL. What the calls lead to is valid while they last. */
typedef struct gramc_guard {
    void (*before)(void *ctx, const gramc_guarded_call *call, gramc_decision *decision);
    void (*after)(void *ctx, const gramc_guarded_call *call, gramc_text result,
                  gramc_decision *decision);
    void *ctx; /* borrowed */
} gramc_guard;

/* ## Approval
 * Calls that somebody has to approve of: those of tools that say `destructive: true` (or whose
 * server says so), or what `approve` of the tool, its implementation or its box says; the strictest
 * of them counts. Those of `sensitive` tools once an `untrusted` one brought something into the
 * conversation (docs/taint.md). Asked when no guard objects, about the arguments that the tool
 * would get. Other calls and runs go on meanwhile; the time counts as waiting for a turn, not as
 * the tool's. */
typedef struct gramc_approval gramc_approval;

typedef struct gramc_approver {
    /* Asks, without waiting: gramc_approval_answer may be called from here, or at any time until
     * `withdraw` has returned. NULL: such calls are denied. */
    void (*ask)(void *ctx, gramc_approval *approval, const gramc_guarded_call *call);
    /* The run has ended: when this returns, the approval is gone. Both on the loop's thread. */
    void (*withdraw)(void *ctx, gramc_approval *approval);
    void *ctx; /* borrowed */
} gramc_approver;

/* Once for each approval. Any thread. `words` are for the model, of a denial; copied, and cut after
 * 500 bytes; empty: ours. */
GRAMC_API void gramc_approval_answer(gramc_approval *approval, bool allow, gramc_text words);

/* What a million tokens of a model cost, in any currency. */
typedef struct gramc_prices {
    double input, output;
    double cached; /* of the input: what the provider had seen before; below 0: as much as other */
} gramc_prices;

/* A model for a name that an agent has for one besides its `model`. */
typedef struct gramc_named_model {
    gramc_text name;            /* as in gramc_agent.generator_model and the like */
    const gramc_model *model;   /* borrowed */
    const gramc_prices *prices; /* NULL: not known */
} gramc_named_model;

typedef struct gramc_run_options {
    size_t struct_size;         /* sizeof(gramc_run_options) */
    const gramc_model *model;   /* borrowed */
    const gramc_text *messages; /* of the user: one turn each, sharing the conversation */
    size_t message_count;
    gramc_wire wire;
    uint32_t max_iterations;   /* model requests a turn; 0: as the agent says */
    uint32_t timeout_ms;       /* of the whole run; 0: 30 minutes, unless it has a duration
                                * of its own (max_duration_ms); UINT32_MAX: none */
    gramc_writer trace;        /* gets whole lines; write NULL: no trace */
    bool trace_without_times;  /* every time is 0, so that equal runs give equal traces */
    const gramc_input *inputs; /* what stands for the ${names} of instruction and prompts */
    size_t input_count;
    gramc_text run_id;    /* 32 hexadecimal digits; empty: one is made up */
    gramc_text parent_id; /* of the run that this one is part of; empty: none */
    /* Budgets of the whole run, 0: as the agent says. A run that has used one up before it has its
     * answer asks no more and makes no more calls; an answer that does not say its tokens counts as
     * having used them up. */
    uint64_t max_total_tokens;
    double max_cost; /* by the prices: GRAMC_USAGE without them, unless gramc_model_is_mock */
    uint32_t max_duration_ms;
    const gramc_prices *prices; /* NULL: not known */
    bool stream;                /* as of the endpoint: either is enough */
    gramc_session *session; /* borrowed: whose conversation the run continues; NULL: a new one. An
                             * agent that is not the one that answered last goes on with it, and the
                             * handler's note says so; parts of answers that only another protocol
                             * can read (thinking, signatures) are left out, and it says so too */
    /* Calls are answered from it and no tool is called; one that was not recorded ends the run as
     * GRAMC_OUTCOME_CASSETTE_MISS. Borrowed. NULL: the tools are called. */
    const gramc_cassette *tools;
    gramc_text seed; /* of sampling, in place of the agent's: digits; empty: the agent's */
    /* "NAME=value", copied: what programs that are started for one call of this run see besides
     * what their implementation declares. */
    const gramc_text *environment;
    size_t environment_count;
    /* Programs and plugins that stay, and MCP servers, are shared with the runs of the same number
     * alone. */
    uint32_t company;
    gramc_guard guard;
    gramc_approver approver; /* GRAMC_USAGE: `ask` without `withdraw` */
    /* For strategies that ask several models. A name that is not here is asked of `model`, if that
     * answers whatever it is asked (script, mock) or is a server of the same provider that was made
     * without an id; else GRAMC_USAGE, as for one of another protocol. */
    const gramc_named_model *models;
    size_t model_count;
    gramc_text more_instruction; /* borrowed: behind the agent's, in every turn; it has no ${names}.
                                  * Agents that this one calls do not see it */
} gramc_run_options;
#define GRAMC_RUN_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(gramc_run_options), NULL, NULL, 0, GRAMC_WIRE_AGENT, 0, 0, {NULL, NULL}, false,     \
            NULL, 0, {NULL, 0}, {NULL, 0}, 0, 0, 0, NULL, false, NULL, NULL, {NULL, 0}, NULL, 0,   \
            0, {NULL, NULL, NULL}, {NULL, NULL, NULL}, NULL, 0, {                                  \
            NULL, 0                                                                                \
        }                                                                                          \
    }

typedef struct gramc_run_result {
    gramc_outcome outcome;
    gramc_text text;    /* of the last turn: the answer, or what there is of it */
    gramc_text message; /* why it is not `answered`: one line, hostile text inside */
    uint32_t turns;     /* that were answered */
    uint32_t requests;  /* to the model, retries not counted */
    uint32_t retries;
    uint32_t calls; /* of tools, wrong ones included */
    uint32_t call_errors, tool_errors;
    uint64_t prompt_tokens, completion_tokens, total_tokens; /* as the model said */
    uint64_t duration_ns;       /* of the whole run, by the loop's clock */
    uint64_t cached_tokens;     /* of the prompt's: that the provider had seen before */
    uint64_t model_ns, tool_ns; /* waited for answers, and for tools, by the loop's clock */
    double cost;                /* of all answers, by the prices */
    bool has_cost;              /* prices were given, and every answer said its tokens */
    uint32_t denied;            /* calls that guards denied: neither call errors nor tool errors */
    bool no_memory;             /* it ended, as `internal`, because memory ran out */
} gramc_run_result;

/* Called on the loop's thread. Texts are valid during the call. A handler may start and cancel
 * runs, not free the loop. turn, note and event may be NULL. */
typedef struct gramc_run_handler {
    void (*turn)(void *ctx, gramc_text answer); /* a message got its answer */
    void (*note)(void *ctx, gramc_text line);   /* a retry, another agent than before: for people */
    void (*done)(void *ctx, const gramc_run_result *result); /* exactly once, the last call */
    void *ctx;
    void (*event)(void *ctx, const gramc_event *event); /* all that happens (gramc/event.h) */
} gramc_run_handler;

/* Starts a run; nothing is called before gramc_loop_run. Stated limits: a request of 256 MiB, a
 * tool result of 1 MiB, 128 calls in one answer (more are not made, and the model is told). *out
 * (out may be NULL) is valid until done is called. GRAMC_FINDINGS: the bound agent has errors.
 * GRAMC_USAGE: no model, an endpoint for an agent where neither of them names a model or of another
 * protocol than the agent was bound for, a wire that the protocol has not, no message, an empty
 * one, an input of the agent that is not given, a limit of cost without prices, or no done.
 * GRAMC_LIMIT: another run has the session. GRAMC_NOMEM: done will not be called.
 */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_run_start(gramc_run **out, gramc_loop *loop,
                                                      const gramc_bound *bound,
                                                      const gramc_run_options *options,
                                                      const gramc_run_handler *handler);
/* Ends the run soon as GRAMC_OUTCOME_CANCELED: programs are killed, connections closed. */
GRAMC_API void gramc_run_cancel(gramc_run *run);

/* ## Sessions on disk
 * A database of sessions, by SQLite; any number of processes may use it at the same time, each
 * session one run at a time. What is saved has reached the disk. One thread at a time. */
typedef struct gramc_session_store gramc_session_store;

typedef struct gramc_session_store_options {
    size_t struct_size; /* sizeof(gramc_session_store_options) */
    const gramc_allocator *allocator;
    gramc_text path;  /* of the database; made with mode 0600 if it is not there, in a folder
                       * that is. Files whose names begin with it stand beside it */
    uint32_t busy_ms; /* how long it waits for others that write; 0: 5,000 */
    const gramc_clock *clock; /* what is written by; NULL: the system's */
} gramc_session_store_options;
#define GRAMC_SESSION_STORE_OPTIONS_INIT                                                           \
    { sizeof(gramc_session_store_options), NULL, {NULL, 0}, 0, NULL }

/* All that follow: GRAMC_FINDINGS: the database is damaged, of another program or of a newer
 * version, and nothing is changed in it; GRAMC_IO: the file or its disk; GRAMC_LIMIT: somebody
 * else keeps it busy. *out is set all the same, good for its message. */
GRAMC_API GRAMC_MUST_USE gramc_status
gramc_session_store_open(gramc_session_store **out, const gramc_session_store_options *options);
/* After what it was opened for. NULL is fine. */
GRAMC_API void gramc_session_store_free(gramc_session_store *store);
/* One line about what the newest call failed with; hostile text inside. */
GRAMC_API gramc_text gramc_session_store_message(const gramc_session_store *store);

/* A session of a store. Nobody else can have it until it is freed, or the process ends. */
typedef struct gramc_kept_session gramc_kept_session;
/* One that is not there is an empty one. GRAMC_LIMIT: somebody has it. GRAMC_USAGE: the id is
 * empty, longer than 200 bytes or holds control characters. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_kept_session_open(gramc_kept_session **out,
                                                              gramc_session_store *store,
                                                              gramc_text id);
/* For gramc_run_options; lives as long as what it is of. */
GRAMC_API gramc_session *gramc_kept_session_get(gramc_kept_session *kept);
/* As it is now. After a failure the store has what it had before. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_kept_session_save(gramc_kept_session *kept);
GRAMC_API void gramc_kept_session_free(gramc_kept_session *kept);

typedef struct gramc_session_row {
    gramc_text id;
    gramc_session_info about;
    int64_t created_ms, changed_ms; /* since 1970 */
} gramc_session_row;
/* The newest first. Texts are valid during the call, which must not use the store. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_session_store_list(
    gramc_session_store *store, void (*row)(void *ctx, const gramc_session_row *row), void *ctx);
/* What is kept of it now, whoever has it. GRAMC_NOT_FOUND. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_session_store_read(gramc_session_store *store,
                                                               gramc_text id,
                                                               gramc_session *session);
/* For ever: what it said is overwritten. GRAMC_NOT_FOUND, GRAMC_LIMIT: somebody has it. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_session_store_forget(gramc_session_store *store,
                                                                 gramc_text id);

#ifdef __cplusplus
}
#endif
#endif
