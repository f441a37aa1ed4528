/* Models: where answers come from. One vtable, three kinds, a file each. */
#ifndef RUNTIME_MODEL_H
#define RUNTIME_MODEL_H

#include <uv.h>

#include "base/mem.h"
#include "runtime/limiter.h"
#include "runtime/net/http.h"
#include "runtime/protocol.h"

struct ask;
struct secrets;

struct model_kind {
    const char *name;
    /* Starts; calls ask_answer or ask_fail now or later. */
    void (*start)(struct ask *ask);
    /* Stops; neither is called then. May be called when nothing is going on. */
    void (*cancel)(struct ask *ask);
};

extern const struct model_kind model_endpoint, model_script, model_mock;

struct script_answer {
    const struct json *request; /* NULL: the script does not say */
    gramc_text within;          /* of which run inside the first one; empty: of that */
    struct reply reply;
};

struct script_named {
    gramc_text name; /* of models, as agents write it */
    const struct protocol *protocol;
};

struct gramc_model {
    struct arena arena;
    const struct model_kind *kind;
    gramc_text id;    /* empty: the agent's */
    unsigned profile; /* enum profile */
    /* endpoint */
    const struct protocol *protocol;
    struct http_target *target;
    gramc_text base;         /* of its URL, without a slash at the end */
    struct secrets *secrets; /* the key; NULL: none */
    struct limiter_name limiter;
    struct limiter_rules rules;
    uint32_t max_retries, retry_wait_ms, idle_timeout_ms;
    bool stream;
    size_t max_response;
    /* script */
    struct script_answer *answers;
    size_t answer_count;
    struct script_named *named; /* that were asked by other protocols than `protocol` */
    size_t named_count;
    bool has_key;     /* endpoint: one is sent */
    bool of_cassette; /* script: what it has no answer to ends the run as a miss */
    bool is_mock;     /* or a script of its answers */
};

/* One question to a model. Lives in its run; used again for the next question. */
struct ask {
    gramc_run *run;
    struct arena arena; /* of the current answer */
    struct reply reply;
    bool failed;
    bool nomem;
    uint64_t started, attempt_started; /* by the loop's clock */
    gramc_event_attempt last;          /* how the newest attempt ended; texts are not kept */
    size_t size;                       /* of the answer's body, 0 if there was none */
    /* endpoint */
    struct http_request http;
    uv_timer_t timer;
    bool timer_open;
    uint32_t attempt;
    struct limiter_wait limit;
    struct answer_pieces *pieces; /* an answer in pieces; NULL: it is none */
    bool delta_told;              /* a piece reached somebody */
};

/* Of an endpoint, with the model's id where the protocol has it. */
void model_put_url(struct buf *url, const gramc_model *model, const char *path, gramc_text id);
gramc_model *model_new(const struct model_kind *kind, const gramc_allocator *allocator);

/* All of it is zero. */
void ask_init(struct ask *ask, gramc_run *run);
void ask_start(struct ask *ask);
void ask_cancel(struct ask *ask);
/* Frees what it holds; after ask_cancel. */
void ask_free(struct ask *ask);

/* ## For the kinds */
/* `reply` is filled in: tells the run. */
/* Notes what types call secret in the answer, before it is told; false without memory. */
bool ask_learn(struct ask *ask);
void ask_answer(struct ask *ask);
/* No answer; printf, into the run's message. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void ask_fail(struct ask *ask, const char *format, ...);
void ask_fail_nomem(struct ask *ask);
/* Starts the timer of the question, or starts it anew. */
void ask_wait(struct ask *ask, uv_timer_cb passed, double ms);

#endif
