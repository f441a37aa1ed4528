/* event.h: what happens in a run, as it happens.
 *
 * Every run tells its events to whoever watches it (gramc_run_handler.event); a trace is the same
 * events as lines of JSON (docs/formats/trace.md), and says nothing that an observer does not hear.
 * Events come in order, on the loop's thread. Everything that an event leads to is valid during the
 * call alone and holds no secret that the loop knows of; it is hostile text all the same: models,
 * tools and servers wrote it. Structs may grow at their ends between minor versions. */
#ifndef GRAMC_EVENT_H
#define GRAMC_EVENT_H

#include "gramc/compile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gramc_event_kind {
    GRAMC_EVENT_RUN,      /* "header": the first; `start` */
    GRAMC_EVENT_TURN,     /* "turn": a message of the user is taken up; `text` */
    GRAMC_EVENT_TASK,     /* "task": one begins: `task`, with its prompt as `text` */
    GRAMC_EVENT_REQUEST,  /* "model.request": one is ready to be sent; its body is `text` */
    GRAMC_EVENT_ATTEMPT,  /* "model.attempt": one has ended, well or not; `attempt` */
    GRAMC_EVENT_DELTA,    /* a piece of a streamed answer is there: `text`. Not in traces */
    GRAMC_EVENT_RESPONSE, /* "model.response": an answer was understood; `response` */
    GRAMC_EVENT_ERROR,    /* "model.error": there will be no answer; `attempt`, `text` says why */
    GRAMC_EVENT_CALL,     /* "tool.request": a tool is called; `call` */
    GRAMC_EVENT_RESULT,   /* "tool.response": the model can be told; `call`, `text` is what it is
                           * told */
    GRAMC_EVENT_ANSWER,   /* "answer": the turn has its answer; `text` */
    GRAMC_EVENT_OUTCOME,  /* "outcome": the last; `result` */
    GRAMC_EVENT_READING,  /* "answer.reading": a structured answer was not taken as it stood;
                           * `reading`, `text` is what it was taken for */
    GRAMC_EVENT_GUARD,    /* "tool.guard": a guard has decided about a call; `call`, `guard` */
    GRAMC_EVENT_INNER /* in a run of an agent that does a tool: `inner`; `text` says within which
                       * call (turn.iteration.call; of deeper ones a list, "/" between) */
} gramc_event_kind;

/* How an attempt to get an answer ended. */
typedef enum gramc_attempt_class {
    GRAMC_ATTEMPT_ANSWERED,    /* "answered" */
    GRAMC_ATTEMPT_UNREACHABLE, /* "unreachable": no connection, or it broke */
    GRAMC_ATTEMPT_TIMEOUT,     /* "timeout" */
    GRAMC_ATTEMPT_RATE_LIMIT,  /* "rate-limit": 429 */
    GRAMC_ATTEMPT_QUOTA,       /* "quota": waiting does not help */
    GRAMC_ATTEMPT_DENIED,      /* "denied": 401, 403 */
    GRAMC_ATTEMPT_REFUSED,     /* "refused": any other status below 500 */
    GRAMC_ATTEMPT_SERVER,      /* "server": 500 and above */
    GRAMC_ATTEMPT_MALFORMED,   /* "malformed": an answer that is none */
    GRAMC_ATTEMPT_TOO_LARGE,   /* "too-large" */
    GRAMC_ATTEMPT_LOCAL        /* "local": it was never sent, or a script had no answer */
} gramc_attempt_class;
GRAMC_API const char *gramc_attempt_class_name(gramc_attempt_class class_);

typedef struct gramc_event_start {
    gramc_text run;    /* 32 hexadecimal digits */
    gramc_text parent; /* of the run that this one is part of; empty: none */
    int64_t time_ms;   /* since 1970, of the loop's clock */
    gramc_text agent, agent_fingerprint;
    gramc_text library, library_fingerprint; /* empty: none */
    gramc_text provider, protocol, model;
    const char *wire; /* tools, functions */
    gramc_text seed;  /* of sampling, as it is sent; empty: none is */
    const struct gramc_bound *bound;
    const gramc_input *inputs; /* but `message` */
    size_t input_count;
    size_t history; /* messages of its session that were there before it */
} gramc_event_start;

typedef struct gramc_event_attempt {
    uint32_t number; /* from 1, of this request */
    gramc_attempt_class class_;
    long status;       /* of HTTP; 0: none */
    gramc_text body;   /* of the answer, as it came; of a streamed one, put together */
    gramc_text reason; /* empty: it went well */
    bool again;        /* there will be another one, after `wait_ms` */
    uint64_t wait_ms;
    uint64_t queued_ns; /* it waited so long for its turn; not part of its duration */
} gramc_event_attempt;

typedef struct gramc_model_call {
    gramc_text id;        /* empty in the functions wire */
    gramc_text name;      /* may be any text */
    gramc_text arguments; /* byte for byte; may be no JSON at all */
    bool own_id;          /* we made the id up: the provider does not know it */
} gramc_model_call;

typedef struct gramc_event_response {
    gramc_text content; /* ptr NULL: none */
    gramc_text refusal; /* empty: none */
    const gramc_model_call *calls;
    size_t call_count;
    gramc_text finish; /* why it ended, as the model said */
    gramc_text id, model,
        system_fingerprint; /* of the answer, as the provider said; may be empty */
    uint64_t prompt_tokens, completion_tokens, total_tokens;
    uint64_t cached_tokens; /* of the prompt's */
    gramc_text opaque; /* JSON: the answer as its provider wants it back; empty: as the rest says */
    size_t size;       /* of the body that it was read from; 0: there was none */
} gramc_event_response;

/* How something that a model wrote was understood, where it was not taken as it stood. */
typedef struct gramc_event_reading {
    const char *const *repairs; /* what made JSON of it, a word each: see docs/formats/trace.md */
    size_t repair_count;
    const gramc_adjustment *changes; /* what its type made of it: defaults, conversions */
    size_t change_count;
} gramc_event_reading;

typedef struct gramc_event_call {
    const gramc_model_call *call; /* as the model wrote it */
    gramc_text tool;              /* its own name; of an unknown one, what the model called it */
    uint32_t index;               /* in the answer, from 0 */
    gramc_text sent;              /* CALL: what the tool gets */
    const char *outcome;          /* RESULT: "ok", "tool-error"... as in traces */
    gramc_text own;               /* RESULT: what the tool said, before anybody worded it */
    uint64_t queued_ns;           /* RESULT: it waited so long for its turn */
    const gramc_event_reading *reading; /* CALL: of the arguments; NULL: sent as they were */
} gramc_event_call;

/* A decision about a call. */
typedef struct gramc_event_guard {
    const char *phase;    /* "before", "after", "approval" */
    gramc_text guard;     /* who: "function", "exec sh guard.sh", "approver" */
    const char *decision; /* "allow", "deny", "rewrite" */
    bool failed;          /* it gave no decision that can be used, which denies */
    gramc_text message;   /* its words for the model; of one that failed, what went wrong */
    gramc_text from, to;  /* "rewrite": arguments or result, as they were and as they are now */
    uint64_t queued_ns;   /* it waited so long for its turn; not part of its duration */
} gramc_event_guard;

struct gramc_run_result;

typedef struct gramc_event {
    gramc_event_kind kind;
    const char *name;         /* as in traces; NULL: not in them */
    uint32_t sequence;        /* of those in traces, from 0 */
    uint32_t turn, iteration; /* from 1; 0: none yet */
    uint64_t at_ns;           /* since the run began */
    uint64_t duration_ns; /* of what has ended: ATTEMPT, RESPONSE, ERROR, RESULT, OUTCOME, GUARD */
    gramc_text text, task;
    const gramc_event_start *start;
    const gramc_event_attempt *attempt;
    const gramc_event_response *response;
    const gramc_event_call *call;
    const struct gramc_run_result *result;
    const gramc_event_reading *reading;
    const gramc_event_guard *guard;
    const struct gramc_event *inner; /* never an INNER one */
    /* Of a strategy with several roles, whatever belongs to a request of one of them: "generator",
     * "evaluator", "output", and the id of the model that is asked. role NULL: there is one. */
    const char *role;
    gramc_text model;
    gramc_text prompt; /* REQUEST: what the strategy says in words of its own; empty: nothing */
} gramc_event;

/* ## OpenTelemetry
 * The events of one run as spans, by the semantic conventions for generative AI: invoke_agent for
 * the run, in it chat for each request to the model and execute_tool for each call; in that of a
 * call invoke_agent for the run of an agent that does the tool. The trace's id is the first run's.
 * docs/opentelemetry.md lists the attributes. */
typedef struct gramc_spans gramc_spans;

typedef struct gramc_spans_options {
    size_t struct_size; /* sizeof(gramc_spans_options) */
    const gramc_allocator *allocator;
    gramc_text service; /* service.name; empty: gramc */
    bool content;       /* messages, arguments and results too; else names, counts and times */
} gramc_spans_options;
#define GRAMC_SPANS_OPTIONS_INIT                                                                   \
    { sizeof(gramc_spans_options), NULL, {NULL, 0}, false }

GRAMC_API GRAMC_MUST_USE gramc_status gramc_spans_new(gramc_spans **out,
                                                      const gramc_spans_options *options);
/* Every event of one run, from gramc_run_handler.event. Memory that runs out shows when they are
 * written or sent. */
GRAMC_API void gramc_spans_event(gramc_spans *spans, const gramc_event *event);
/* One ExportTraceServiceRequest of OTLP as JSON; its resourceSpans are empty before the first
 * span has ended. GRAMC_LIMIT: the spans are larger than 64 MiB. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_spans_print(const gramc_spans *spans,
                                                        gramc_writer writer);

typedef struct gramc_spans_target {
    size_t struct_size;         /* sizeof(gramc_spans_target) */
    gramc_text url;             /* of an OTLP/HTTP collector; /v1/traces is put behind it */
    const char *const *headers; /* "Name: value" each, up to a NULL; NULL: none */
    uint32_t timeout_ms;        /* 0: 10,000 */
} gramc_spans_target;
#define GRAMC_SPANS_TARGET_INIT                                                                    \
    { sizeof(gramc_spans_target), {NULL, 0}, NULL, 0 }

struct gramc_loop;
/* Sends them, and turns the loop until that is over. GRAMC_IO: they did not arrive, `why` (room for
 * 256 bytes) says what came between. GRAMC_USAGE while the loop runs, or for a URL that is neither
 * http nor https. The loop's thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_spans_send(const gramc_spans *spans,
                                                       struct gramc_loop *loop,
                                                       const gramc_spans_target *target, char *why);
GRAMC_API void gramc_spans_free(gramc_spans *spans);

#ifdef __cplusplus
}
#endif
#endif
