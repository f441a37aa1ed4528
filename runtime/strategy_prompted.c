/* For models without tool calls: the tools are told in plain words, and what the model answers is
 * read as a name, a yes or no, or the arguments of a call. A step is a conversation of its own, of
 * which the task and its answer stay. What is said is prompted_say.c's, what is understood
 * prompted_read.c's; how arguments are mended and checked is the same as for every call. */
#include "base/family.h"
#include "base/json/json.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "runtime/answer.h"
#include "runtime/prompted.h"
#include "runtime/prompted_read.h"
#include "runtime/prompted_words.h"

/* ## Phases */

static void enter(gramc_run *run, enum prompted_phase phase) {
    struct prompted_plan *plan = run->plan;
    if (plan->phase != phase) plan->failures = 0;
    plan->phase = phase;
    run->iteration = 0;
    run->state = RUN_ASK;
    prompted_say(run);
}

/* The same question again, with what was wrong. */
static void enter_again(gramc_run *run) {
    struct prompted_plan *plan = run->plan;
    plan->failures++;
    enter(run, plan->phase);
}

/* ## Beginning */

/* Nothing said is `required`; a tool by its name is the only one there is. */
static void choose_tools(gramc_run *run) {
    struct prompted_plan *plan = run->plan;
    const struct bound_step *step = run->step;
    gramc_text choice = run_tool_choice(run);
    plan->tools = step->tools;
    plan->tool_count = text_is(choice, "none") ? 0 : step->tool_count;
    plan->may = text_is(choice, "auto");
    for (size_t i = 0; i < step->tool_count && choice.len; i++) {
        if (!text_eq(step->tools[i]->wire_name, choice)) continue;
        plan->tools = &step->tools[i];
        plan->tool_count = 1;
    }
    if (prompted_is_single(plan)) plan->chosen = plan->tools[0];
}

static void begin(gramc_run *run, gramc_text text) {
    struct prompted_plan *plan = run->plan;
    plan->query = text;
    choose_tools(run);
    if (!conversation_user(&run->talk, &run->arena, text)) {
        run_nomem(run);
        return;
    }
    conversation_trim(&run->talk, run->bound->agent->max_messages);
    if (plan->tool_count == 0) enter(run, PLAIN);
    else if (!conversation_branch(&plan->talk, &run->talk, &run->inner, run->talk.count - 1))
        run_nomem(run);
    else enter(run, ANNOUNCE);
}

/* ## Asking */

/* What is said again and again in the same way is not said better: from the second failure on the
 * model is asked with another temperature, from the fourth on with more room. */
static double other_temperature(const gramc_agent *agent, uint32_t failures) {
    double now;
    if (failures > 2) return 1;
    return number_to_double(&now, agent->temperature) && now > 0 ? now / 2 : 0.5;
}

static gramc_text spell(gramc_run *run, double number) {
    struct buf out = prompted_text(run);
    (void)json_put_double(&out, number);
    return prompted_take(run, &out);
}

static gramc_text spell_count(gramc_run *run, int64_t count) {
    struct buf out = prompted_text(run);
    buf_printf(&out, "%lld", (long long)count);
    return prompted_take(run, &out);
}

static const gramc_agent *sampling(gramc_run *run) {
    const struct prompted_plan *plan = run->plan;
    const gramc_agent *agent = run->bound->agent;
    const uint32_t failures = plan->failures + plan->silences;
    int64_t tokens;
    if (failures < 2) return agent;
    gramc_agent *copy = ARENA_NEW(&run->inner, gramc_agent);
    if (!copy) return agent;
    *copy = *agent;
    if (!family_refuses_temperature(run->models[RUN_AGENT].id))
        copy->temperature = spell(run, other_temperature(agent, failures));
    if (failures >= 4 && number_to_int(&tokens, agent->max_tokens) && tokens < INT32_MAX)
        copy->max_tokens = spell_count(run, tokens + tokens / 2);
    return copy;
}

static gramc_text simplest(const struct prompted_plan *plan) {
    switch (plan->phase) {
    case DECIDE: return TEXT("yes");
    case DECIDE_MORE: return TEXT("no");
    case CHOOSE: return plan->tools[0]->wire_name;
    case REVIEW: return plan->result;
    case ANNOUNCE:
    case CONSIDER:
    case SHOW:
    case CALL:
    case ANSWER:
    case PLAIN: break;
    }
    return (gramc_text){NULL, 0};
}

static void ask(gramc_run *run, struct planned_request *request) {
    struct prompted_plan *plan = run->plan;
    request->tools = (gramc_text){NULL, 0};
    request->tool_choice = (gramc_text){NULL, 0};
    request->stream = plan->phase >= ANSWER;
    if (plan->phase == PLAIN) return;
    request->talk = &plan->talk;
    request->arena = &run->inner;
    request->agent = sampling(run);
    request->prompt = plan->prompt;
    request->simplest = simplest(plan);
    if (plan->phase == CALL) request->arguments_of = plan->chosen;
    if (plan->phase == CALL) request->answer_format = plan->chosen->arguments_format;
    else if (plan->phase != ANSWER) request->answer_format = (gramc_text){NULL, 0};
}

/* ## The end of a step */

static void keep_answer(gramc_run *run) {
    const struct reply kept = {.content = run->result.text, .has_content = true};
    bool answered = run->state == RUN_STEP || run->state == RUN_TURN;
    if (answered && !conversation_assistant(&run->talk, &run->arena, &kept)) run_nomem(run);
}

static void finish(gramc_run *run, gramc_text text) {
    const gramc_schema *answers = run->step->answers;
    if (answers && !gramc_schema_accepts_as_is(answers, text.ptr, text.len)) {
        enter(run, ANSWER);
        return;
    }
    answer_give(run, text);
    keep_answer(run);
}

/* ## Decisions */

static bool says_yes(gramc_run *run, gramc_text said) {
    enum prompted_word word = prompted_word(said);
    if (word == PROMPTED_NEITHER)
        run_note(run, "the model was asked for yes or no and said neither: taken as no");
    return word == PROMPTED_YES;
}

/* The question for one word and its answer are no part of what follows. */
static void forget_decision(gramc_run *run) {
    struct prompted_plan *plan = run->plan;
    const struct conversation with = plan->talk;
    if (!conversation_branch(&plan->talk, &with, &run->inner, plan->before)) run_nomem(run);
    plan->talk.ids = with.ids;
}

static void read_decision(gramc_run *run, gramc_text said) {
    bool yes = says_yes(run, said);
    forget_decision(run);
    if (run_is_ending(run)) return;
    const struct prompted_plan *plan = run->plan;
    if (!yes) enter(run, PLAIN);
    else enter(run, prompted_is_single(plan) ? CALL : CHOOSE);
}

static void read_decision_more(gramc_run *run, gramc_text said) {
    const struct prompted_plan *plan = run->plan;
    bool yes = says_yes(run, said);
    forget_decision(run);
    if (run_is_ending(run)) return;
    if (!yes) finish(run, plan->reviewed);
    else if (plan->rounds < run->max_iterations) enter(run, CHOOSE);
    else
        run_end(run, GRAMC_OUTCOME_MAX_ITERATIONS,
                "no answer after %u call%s: the model would call another tool",
                (unsigned)plan->rounds, text_plural(plan->rounds));
}

/* ## Choosing */

static void refuse_choice(gramc_run *run) {
    const struct prompted_plan *plan = run->plan;
    run->result.call_errors++;
    if (plan->failures + 1 < DEFAULT_ERRORS) {
        run_note(run, "the model did not name one of its tools; it is asked again");
        enter_again(run);
        return;
    }
    run_end(run, GRAMC_OUTCOME_TOO_MANY_CALL_ERRORS,
            "the model was asked %u times for the name of a tool and gave none",
            (unsigned)DEFAULT_ERRORS);
}

static void read_choice(gramc_run *run, gramc_text said) {
    struct prompted_plan *plan = run->plan;
    gramc_text *names = arena_array(&run->inner, plan->tool_count, sizeof(*names));
    if (!names) return;
    for (size_t i = 0; i < plan->tool_count; i++) names[i] = plan->tools[i]->wire_name;
    size_t choice = prompted_choice(names, plan->tool_count, said);
    if (choice == plan->tool_count) {
        refuse_choice(run);
        return;
    }
    plan->chosen = plan->tools[choice];
    plan->rounds++;
    enter(run, SHOW);
}

/* ## Calling */

static void read_shown(gramc_run *run, gramc_text said) {
    const struct prompted_plan *plan = run->plan;
    (void)said;
    prompted_put_examples(run);
    if (run_is_ending(run)) return;
    enter(run, prompted_is_single(plan) && plan->may ? CONSIDER : CALL);
}

/* The call is no message of the conversation: its model knows of none. */
static void read_call(gramc_run *run, gramc_text said) {
    struct prompted_plan *plan = run->plan;
    const struct bound_tool *tool = plan->chosen;
    if (budget_is_spent(run, "; its last call was not made")) return;
    const struct json *parameters = json_parse(&run->inner, tool->wire_parameters, NULL);
    gramc_text given = prompted_arguments(&run->inner, said, tool->wire_name, parameters);
    plan->calls[0] =
        (gramc_model_call){.name = tool->wire_name,
                           .arguments = arena_text(&run->inner, given),
                           .id = conversation_id(&plan->talk, &run->inner, (gramc_text){NULL, 0})};
    plan->call = (struct message){.role = ROLE_ASSISTANT, .calls = plan->calls, .call_count = 1};
    run->assistant = &plan->call;
    run->state = RUN_CALL;
}

static gramc_text result_of(gramc_run *run, const struct slot *slot) {
    if (slot->outcome != SLOT_FINE || slot->bound->tool->result_kind != GRAMC_RESULT_NULL)
        return arena_text(&run->inner, slot->text);
    struct buf out = prompted_text(run);
    buf_puts(&out, "`");
    buf_text(&out, slot->bound->wire_name);
    buf_puts(&out, WORDS_VOID);
    return prompted_take(run, &out);
}

/* A call that was denied is not to be tried until it is not. */
static void collect(gramc_run *run) {
    struct prompted_plan *plan = run->plan;
    if (run->slot_count == 0) return; /* without memory */
    const struct slot *slot = &run->slots[0];
    plan->result = result_of(run, slot);
    if (run->inner.oom || run_is_ending(run)) return;
    bool fine = slot->outcome == SLOT_FINE;
    if (!fine && slot->outcome != SLOT_DENIED) enter_again(run);
    else if (fine && (prompted_is_single(plan) || round_is_direct(run))) finish(run, plan->result);
    else enter(run, prompted_is_single(plan) ? ANSWER : REVIEW);
}

/* ## Reading */

static void read_announced(gramc_run *run, gramc_text said) {
    const struct prompted_plan *plan = run->plan;
    (void)said;
    if (prompted_is_single(plan)) enter(run, SHOW);
    else enter(run, plan->may ? CONSIDER : CHOOSE);
}

static void read_considered(gramc_run *run, gramc_text said) {
    (void)said;
    enter(run, DECIDE);
}

static void read_review(gramc_run *run, gramc_text said) {
    struct prompted_plan *plan = run->plan;
    plan->reviewed = arena_text(&run->inner, said);
    enter(run, DECIDE_MORE);
}

static void read_answer(gramc_run *run, const struct reply *reply) {
    const struct prompted_plan *plan = run->plan;
    answer_read(run, reply);
    if (plan->phase == ANSWER) keep_answer(run);
}

/* There is nothing to go on with. */
static bool is_refusal(const struct reply *reply) {
    return reply->refusal.len || reply->finish == FINISH_FILTER;
}

/* The same question again, until it was asked as often as any that is answered wrongly. */
static bool asks_again(gramc_run *run) {
    struct prompted_plan *plan = run->plan;
    if (++plan->silences >= DEFAULT_ERRORS) return false;
    run_note(run, "the model said nothing; it is asked again");
    run->state = RUN_ASK;
    return true;
}

static void read(gramc_run *run, const struct reply *reply) {
    static void (*const readers[])(gramc_run * run, gramc_text said) = {
        [ANNOUNCE] = read_announced, [CONSIDER] = read_considered,
        [DECIDE] = read_decision,    [CHOOSE] = read_choice,
        [SHOW] = read_shown,         [CALL] = read_call,
        [REVIEW] = read_review,      [DECIDE_MORE] = read_decision_more};
    struct prompted_plan *plan = run->plan;
    struct reply heard = *reply;
    if (reply->call_count) {
        run_note(run,
                 "the model called %zu tool%s in a way that it was not asked for; nothing was "
                 "called",
                 reply->call_count, text_plural(reply->call_count));
        heard.calls = NULL;
        heard.call_count = 0;
        heard.opaque = (gramc_text){NULL, 0}; /* the calls are in there, too */
    }
    if (plan->phase < ANSWER) heard.content = text_trim(prompted_aloud(heard.content));
    bool silent = heard.content.len == 0;
    if (!silent) plan->silences = 0;
    if (plan->phase >= ANSWER || is_refusal(&heard)) read_answer(run, &heard);
    else if (silent && asks_again(run)) return;
    else if (silent) read_answer(run, &heard);
    else if (!conversation_assistant(&plan->talk, &run->inner, &heard)) run_nomem(run);
    else readers[plan->phase](run, heard.content);
}

const struct strategy strategy_prompted = {.name = "prompted",
                                           .roles = 1u << RUN_AGENT,
                                           .room = sizeof(struct prompted_plan),
                                           .asks_arguments = true,
                                           .begin = begin,
                                           .ask = ask,
                                           .read = read,
                                           .collect = collect};
