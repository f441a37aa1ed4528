/* A bound agent: what gramc_bind joined. Immutable once made. */
#ifndef RUNTIME_BOUND_H
#define RUNTIME_BOUND_H

#include "base/diag/diag.h"
#include "base/map.h"
#include "gramc/runtime.h"
#include "runtime/httptool/file.h"
#include "runtime/role.h"
#include "runtime/tool.h"

struct bind_note {
    gramc_bind_message message;
    struct bind_note *next;
};

/* What requests of one protocol say about a step. */
struct bound_blocks {
    gramc_text tools, functions; /* functions: by that wire; empty: the protocol has none */
    gramc_text answer;           /* a structured one; empty: a text */
};

/* A name for models, and how they are asked. */
struct bound_named {
    gramc_text name;
    const struct protocol *protocol;
    struct bound_named *next;
};

/* One step of a message: a task, or the agent itself where it has none. */
struct bound_step {
    const gramc_task *task;    /* NULL: the message is the task */
    struct bound_tool **tools; /* that the model sees: the task's own, then the agent's */
    size_t tool_count;
    struct bound_blocks blocks[RUN_ROLES]; /* of the roles that the strategy asks */
    gramc_text output;                     /* JSON Schema of the answer; empty: any text */
    const struct json *output_document;    /* the same, as it was built */
    const gramc_schema *answers;           /* the same, compiled; NULL: any text */
    bool answer_wrapped;
};

/* Where something is written, for messages. */
struct bind_place {
    gramc_text file;
    uint32_t start, end;
};

/* Who is being bound inside whom, innermost first. */
struct bind_chain {
    const gramc_agent *agent;
    const gramc_library *library; /* may be NULL */
    const struct bind_chain *outer;
    const gramc_offering *offering; /* of the first of them; NULL: none */
};

/* What is freed with a bound agent. */
struct bound_owned {
    void (*destroy)(void *what);
    void *what;
    struct bound_owned *next;
};

struct gramc_bound {
    struct arena arena;
    const gramc_agent *agent;
    const gramc_library *library; /* may be NULL */
    struct bound_tool *tools;     /* one per tool of the agent and its tasks */
    size_t tool_count;
    const struct protocol *protocol;             /* of the role that is asked first */
    const struct protocol *protocols[RUN_ROLES]; /* NULL: the strategy does not ask it */
    struct bound_named *named, **named_end; /* what is asked otherwise, by agents of tools too */
    gramc_text
        own_format[RUN_ROLES]; /* of answers that its strategy asks for itself; empty: none */
    struct bound_step *steps;  /* one per task, or a single one */
    size_t step_count;
    struct bind_note *first, *last;
    bool failed;
    bool is_by_hand;         /* for one tool, which a person calls: no agent */
    struct secrets *secrets; /* NULL: none */
    bool secrets_may_miss;
    struct file_folders folders; /* where files that calls send may lie */
    struct bound_owned *owned;
    const struct offered_box *offered; /* what is known of boxes; used while binding only */
    size_t offered_count;
    /* While binding only: */
    struct box_view *boxes; /* of the library */
    size_t box_count;
    struct map offered_schemas; /* of the tools that were looked at: bind_offer_schemas */
    const struct bind_chain *chain;
    const gramc_bind_options *given;
    const gramc_builtins *builtins;
    gramc_reader reader;
    const gramc_toolbox_host *host; /* NULL: none */
    struct egress_policy *egress;
    struct sandboxes *sandboxes;
    gramc_text path; /* that programs inherit; ptr NULL: not known */
};

/* By the name on the wire, else by its own. NULL if the step has no such tool, or has it without an
 * implementation. */
const struct bound_tool *step_find(const struct bound_step *step, gramc_text name);
/* All tools of the agent and its tasks, each once; NULL without memory. */
const gramc_tool **steps_tools(struct arena *arena, const gramc_agent *agent, size_t *count);
/* Makes bound->steps, but for the blocks, once bound->tools is complete. */
void steps_make(gramc_bound *bound);
/* Without an agent and its tools; free it by gramc_bound_free, after a look at arena.oom. NULL
 * without memory. */
gramc_bound *bound_new(const gramc_library *library, const gramc_bind_options *options);
/* gramc_bind, for an agent that does a tool of another; outer NULL: for one that does not. */
gramc_status bound_make(gramc_bound **out, const gramc_agent *agent, const gramc_library *library,
                        const gramc_bind_options *options, const struct bind_chain *outer);
/* Adds a message; texts must live as long as `bound`. place NULL: none. An error fails the binding.
 */
void bound_report(gramc_bound *bound, gramc_severity severity, const struct bind_place *place,
                  gramc_text message, gramc_text help);
/* Adds a finding by its row; up to three texts for {0}, {1}, {2}, copied. `help` may be empty. */
void bound_tell(gramc_bound *bound, enum diag_id id, const struct bind_place *place,
                gramc_text help, const gramc_text *args, size_t count);
#define BOUND_TELL(bound, id, place, help, ...)                                                    \
    bound_tell((bound), (id), (place), (help), (const gramc_text[]){__VA_ARGS__},                  \
               sizeof((const gramc_text[]){__VA_ARGS__}) / sizeof(gramc_text))
/* Adds an error about an implementation. */
void bound_refuse(gramc_bound *bound, const gramc_impl *impl, gramc_text message, gramc_text help);
/* The same in the common form: tool `x` cannot work: why. `why` is copied. */
void bound_cannot_work(gramc_bound *bound, const gramc_impl *impl, const char *why);
/* Texts put together, in the arena. */
gramc_text bound_join(gramc_bound *bound, const gramc_text *pieces, size_t count);
#define BOUND_JOIN(bound, ...)                                                                     \
    bound_join((bound), (const gramc_text[]){__VA_ARGS__},                                         \
               sizeof((const gramc_text[]){__VA_ARGS__}) / sizeof(gramc_text))
/* "did you mean `near`?", or the other text if there is none near. */
gramc_text bound_did_you_mean(gramc_bound *bound, gramc_text near, const char *otherwise);

/* ## Implementations of the library (bind.c) */
const gramc_impl *bound_impl(const gramc_bound *bound, gramc_text name);
/* Help and reason when there is none of that name. */
gramc_text bound_nearest_impl(gramc_bound *bound, gramc_text name);
gramc_text bound_missing_where(gramc_bound *bound);
/* Chooses the ToolImpl of the choice's tool and proves that it fits; false if there is none. */
bool bind_impl_tool(gramc_bound *bound, struct bound_tool *choice);

/* Hands `what` over; false without memory, and it is destroyed at once then. */
bool bound_own(gramc_bound *bound, void (*destroy)(void *what), void *what);

/* NULL if the agent has no such tool, or has it without an implementation. */
const struct bound_tool *bound_find(const gramc_bound *bound, gramc_text name);

#endif
