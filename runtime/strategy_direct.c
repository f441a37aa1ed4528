/* The function-calling loop: one model is asked with all tools until it answers with text. All of
 * it stays in the conversation. */
#include "base/text.h"
#include "runtime/answer.h"
#include "runtime/run.h"

static void begin(gramc_run *run, gramc_text text) {
    if (!conversation_user(&run->talk, &run->arena, text)) run_nomem(run);
}

static void ask(gramc_run *run, struct planned_request *asking) {
    (void)asking;
    conversation_trim(&run->talk, run->bound->agent->max_messages);
}

/* Results that nobody could be told of are not worth the side effects of having them. */
static void read_calls(gramc_run *run, const struct reply *reply) {
    run->assistant = conversation_assistant(run->asking.talk, run->asking.arena, reply);
    bool direct = run->assistant && round_wants_direct(run, run->assistant);
    if (reply->content.len) answer_set_text(run, reply->content);
    if (!run->assistant) {
        run_nomem(run);
    } else if (!direct && budget_is_spent(run, "; its last calls were not made")) {
        return;
    } else if (run->iteration >= run->max_iterations && !direct) {
        run_end(
            run, GRAMC_OUTCOME_MAX_ITERATIONS,
            "no answer after %u request%s: the model still calls tools; its last calls were not "
            "made",
            (unsigned)run->iteration, text_plural(run->iteration));
    } else {
        run->state = RUN_CALL;
    }
}

static void read(gramc_run *run, const struct reply *reply) {
    if (reply->call_count) read_calls(run, reply);
    else answer_read(run, reply);
}

static void collect(gramc_run *run) {
    round_put_results(run);
    if (run_is_ending(run)) return;
    if (round_is_direct(run)) {
        answer_of_tools(run);
    } else if (run->iteration >= run->max_iterations) {
        run_end(run, GRAMC_OUTCOME_MAX_ITERATIONS, "no answer after %u request%s",
                (unsigned)run->iteration, text_plural(run->iteration));
    } else {
        run->state = RUN_ASK;
    }
}

const struct strategy strategy_direct = {.name = "direct",
                                         .roles = 1u << RUN_AGENT,
                                         .begin = begin,
                                         .ask = ask,
                                         .read = read,
                                         .collect = collect};
