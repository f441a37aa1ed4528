/* Three roles, one after the other: a generator calls tools, an evaluator decides whether their
 * results are enough, an output generator writes the answer. A round is what the generator calls
 * and what the evaluator says of it. Only the user's text and the answer stay in the conversation;
 * what the roles say to each other is gone with the step. What they are told is
 * evaluated_words.h's. */
#include "base/family.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/json/tolerant.h"
#include "base/json/writer.h"
#include "runtime/answer.h"
#include "runtime/evaluated_words.h"
#include "runtime/run.h"
#include "runtime/session/session.h"

enum { INNER_MAX = 256 << 20 };

enum phase { GENERATE, EVALUATE, OUTPUT };

struct called {
    struct called *next;
    uint32_t round;
    gramc_text name, parameters, result;
};

/* Why there was another round. */
struct continued {
    struct continued *next;
    gramc_text reason;
};

struct evaluated_plan {
    enum phase phase;
    uint32_t round;           /* from 1 */
    gramc_text query;         /* what the step is about */
    struct conversation talk; /* with the role that is asked now */
    struct called *called, **called_end;
    struct continued *reasons, **reasons_end;
    gramc_text instruction;
};

/* ## What the roles are told */

static void put_call(struct json_writer *w, struct arena *arena, const struct called *call) {
    json_object_begin(w);
    json_member_number(w, "round", call->round);
    json_member_text(w, "name", call->name);
    if (json_parse(arena, call->parameters, NULL))
        json_member_raw(w, "parameters", call->parameters);
    else json_member_text(w, "parameters", call->parameters);
    json_member_text(w, "result", call->result);
    json_object_end(w);
}

/* Those of one round, or of all: 0. */
static void put_calls(struct buf *out, gramc_run *run, uint32_t round) {
    const struct evaluated_plan *plan = run->plan;
    struct json_writer w = json_writer(out);
    json_array_begin(&w);
    for (const struct called *call = plan->called; call; call = call->next)
        if (!round || call->round == round) put_call(&w, &run->inner, call);
    json_array_end(&w);
}

static gramc_text take(gramc_run *run, struct buf *text) {
    gramc_text taken = buf_to_arena(text, &run->inner);
    if (!taken.ptr) run_nomem(run);
    return taken;
}

/* Not every provider has a word for it. */
static bool can_forbid_calls(const gramc_run *run, enum run_role role) {
    return !(run_protocol(run, role)->lacks & SETTING_CHOICE);
}

static void put_tool_list(struct buf *out, const struct bound_step *step) {
    buf_puts(out, "\n\n" WORDS_TOOLS);
    for (size_t i = 0; i < step->tool_count; i++) {
        buf_puts(out, "\n* ");
        buf_text(out, step->tools[i]->wire_name);
        buf_puts(out, ": ");
        buf_text(out, step->tools[i]->tool->description);
    }
}

/* The agent's own comes first. */
static void instruct(gramc_run *run, const char *words, bool lists_tools) {
    struct evaluated_plan *plan = run->plan;
    struct buf out;
    buf_init(&out, &run->loop->allocator, INNER_MAX);
    buf_text(&out, run->instruction);
    if (run->instruction.len) buf_puts(&out, "\n\n");
    buf_puts(&out, words);
    if (lists_tools && run->step->tool_count) put_tool_list(&out, run->step);
    plan->instruction = take(run, &out);
}

static void say(gramc_run *run, gramc_text text) {
    struct evaluated_plan *plan = run->plan;
    if (!text.ptr || !conversation_user(&plan->talk, &run->inner, text)) run_nomem(run);
}

static void say_calls_made(gramc_run *run, const struct continued *reason, uint32_t round) {
    struct evaluated_plan *plan = run->plan;
    struct buf out;
    buf_init(&out, &run->loop->allocator, INNER_MAX);
    put_calls(&out, run, round);
    const struct reply said = {.content = take(run, &out), .has_content = true};
    if (run_is_ending(run)) return;
    if (!conversation_assistant(&plan->talk, &run->inner, &said)) run_nomem(run);
    buf_init(&out, &run->loop->allocator, INNER_MAX);
    buf_puts(&out, WORDS_CONTINUE);
    buf_text(&out, reason->reason);
    if (!run_is_ending(run)) say(run, take(run, &out));
    buf_free(&out);
}

/* ## Who is asked next */

static void enter(gramc_run *run, enum phase phase) {
    struct evaluated_plan *plan = run->plan;
    plan->phase = phase;
    run->iteration = 0;
    run->state = RUN_ASK;
}

/* The first messages of the run's conversation, as that role's provider wants them. */
static void take_up(gramc_run *run, enum run_role role, size_t count) {
    struct evaluated_plan *plan = run->plan;
    const struct protocol *protocol = run_protocol(run, role);
    plan->talk = (struct conversation){.protocol = protocol};
    bool taken = protocol == run->talk.protocol
                     ? conversation_branch(&plan->talk, &run->talk, &run->inner, count)
                     : session_reword(&plan->talk, &run->talk, &run->inner, count);
    if (!taken) run_nomem(run);
}

/* Sees what was said before, the request, and each round before this one as two messages. */
static void enter_generator(gramc_run *run) {
    struct evaluated_plan *plan = run->plan;
    uint32_t round = 0;
    enter(run, GENERATE);
    plan->round++;
    instruct(run, WORDS_GENERATOR, false);
    take_up(run, RUN_GENERATOR, run->talk.count);
    for (const struct continued *r = plan->reasons; r && !run_is_ending(run); r = r->next)
        say_calls_made(run, r, ++round);
}

/* Sees the request and the calls, nothing that was said before. */
static void enter_evaluator(gramc_run *run) {
    struct evaluated_plan *plan = run->plan;
    struct buf out;
    enter(run, EVALUATE);
    instruct(run, WORDS_EVALUATOR, false);
    plan->talk = (struct conversation){.protocol = run_protocol(run, RUN_EVALUATOR)};
    buf_init(&out, &run->loop->allocator, INNER_MAX);
    buf_puts(&out, WORDS_REQUEST);
    buf_text(&out, plan->query);
    buf_puts(&out, "\n\n" WORDS_CALLS);
    put_calls(&out, run, 0);
    say(run, take(run, &out));
}

/* Sees what was said before, the request and the calls. Without calls the request may be about the
 * tools: it sees them then. */
static void enter_output(gramc_run *run) {
    struct evaluated_plan *plan = run->plan;
    struct buf out;
    bool called = plan->called != NULL;
    enter(run, OUTPUT);
    if (run->step->tool_count == 0) plan->instruction = run->instruction;
    else if (called) instruct(run, WORDS_OUTPUT, false);
    else instruct(run, WORDS_OUTPUT_WITHOUT_CALLS, !can_forbid_calls(run, RUN_OUTPUT));
    size_t kept = run->talk.count - (called ? 1 : 0); /* the request comes again, with the calls */
    take_up(run, RUN_OUTPUT, kept);
    if (!called || run_is_ending(run)) return;
    buf_init(&out, &run->loop->allocator, INNER_MAX);
    buf_text(&out, plan->query);
    buf_puts(&out, "\n\n" WORDS_CALLS);
    put_calls(&out, run, 0);
    say(run, take(run, &out));
}

static void begin(gramc_run *run, gramc_text text) {
    struct evaluated_plan *plan = run->plan;
    plan->query = text;
    plan->called_end = &plan->called;
    plan->reasons_end = &plan->reasons;
    if (!conversation_user(&run->talk, &run->arena, text)) {
        run_nomem(run);
        return;
    }
    conversation_trim(&run->talk, run->bound->agent->max_messages);
    if (run->step->tool_count) enter_generator(run);
    else enter_output(run);
}

/* ## Asking */

/* 0 is what this strategy presets. */
static const gramc_agent *sampling(gramc_run *run, enum run_role role) {
    const gramc_agent *agent = run->bound->agent;
    if (!family_refuses_temperature(run->models[role].id) || !text_is(agent->temperature, "0"))
        return agent;
    gramc_agent *copy = ARENA_NEW(&run->inner, gramc_agent);
    if (!copy) return agent;
    *copy = *agent;
    copy->temperature = (gramc_text){NULL, 0};
    return copy;
}

/* A forced choice is for the first calls. */
static gramc_text choice_of(const gramc_run *run, gramc_text choice) {
    const struct evaluated_plan *plan = run->plan;
    bool forced = choice.len && !text_is(choice, "auto") && !text_is(choice, "none");
    return forced && plan->called ? TEXT("auto") : choice;
}

/* With the tools and told not to call them; where it cannot be told, without. */
static void forbid_calls(const gramc_run *run, struct planned_request *request, bool shows_tools) {
    if (!shows_tools || !can_forbid_calls(run, request->role))
        request->tools = (gramc_text){NULL, 0};
    request->tool_choice = TEXT("none");
}

static void ask(gramc_run *run, struct planned_request *request) {
    static const enum run_role roles[] = {
        [GENERATE] = RUN_GENERATOR, [EVALUATE] = RUN_EVALUATOR, [OUTPUT] = RUN_OUTPUT};
    struct evaluated_plan *plan = run->plan;
    run_ask_as(run, request, roles[plan->phase]);
    request->talk = &plan->talk;
    request->arena = &run->inner;
    request->instruction = plan->instruction;
    request->agent = sampling(run, request->role);
    request->stream = plan->phase == OUTPUT;
    switch (plan->phase) {
    case GENERATE:
        request->tool_choice = choice_of(run, request->tool_choice);
        request->answer_format = (gramc_text){NULL, 0};
        break;
    case EVALUATE:
        forbid_calls(run, request, true);
        request->answer_format = run->bound->own_format[RUN_EVALUATOR];
        if (request->tools.len &&
            run_protocol(run, RUN_EVALUATOR)->lacks & SETTING_FORMAT_WITH_TOOLS)
            request->answer_format = (gramc_text){NULL, 0};
        break;
    case OUTPUT: forbid_calls(run, request, !plan->called); break;
    }
}

/* ## The generator */

static bool has_called(const struct evaluated_plan *plan) {
    for (const struct called *call = plan->called; call; call = call->next)
        if (call->round == plan->round) return true;
    return false;
}

static void read_generator(gramc_run *run, const struct reply *reply) {
    struct evaluated_plan *plan = run->plan;
    if (reply->call_count == 0) { /* whatever it says instead */
        if (has_called(plan)) enter_evaluator(run);
        else enter_output(run);
        return;
    }
    run->assistant = conversation_assistant(&plan->talk, &run->inner, reply);
    if (!run->assistant) run_nomem(run);
    else if (!budget_is_spent(run, "; its last calls were not made")) run->state = RUN_CALL;
}

static bool was_made(const struct slot *slot) {
    return slot->outcome != SLOT_UNKNOWN_TOOL && slot->outcome != SLOT_BAD_CALL &&
           slot->outcome != SLOT_SKIPPED;
}

static void record(gramc_run *run, const struct slot *slot) {
    struct evaluated_plan *plan = run->plan;
    struct called *call = ARENA_NEW(&run->inner, struct called);
    if (!call) return;
    gramc_text sent = slot->sent.len ? slot->sent : slot->call->arguments;
    *call = (struct called){.round = plan->round,
                            .name = slot->bound->wire_name,
                            .parameters = arena_text(&run->inner, sent),
                            .result = arena_text(&run->inner, slot->text)};
    *plan->called_end = call;
    plan->called_end = &call->next;
}

/* A wrong call is for the generator to mend, in the same round: the evaluator hears of calls that
 * were made. */
static void mend(gramc_run *run) {
    const struct evaluated_plan *plan = run->plan;
    if (run->iteration < run->max_iterations) run->state = RUN_ASK;
    else if (has_called(plan)) enter_evaluator(run);
    else
        run_end(run, GRAMC_OUTCOME_MAX_ITERATIONS,
                "no call that fits after %u request%s of round %u", (unsigned)run->iteration,
                text_plural(run->iteration), (unsigned)plan->round);
}

static void keep_answer(gramc_run *run);

static void collect(gramc_run *run) {
    bool wrong = false;
    round_put_results(run);
    for (size_t i = 0; i < run->slot_count; i++) {
        bool made = was_made(&run->slots[i]);
        if (made) record(run, &run->slots[i]);
        wrong = wrong || !made;
    }
    if (run->inner.oom) run_nomem(run); /* before it ends for anything else */
    if (run_is_ending(run)) return;
    if (round_is_direct(run)) {
        answer_of_tools(run);
        keep_answer(run);
    } else if (wrong) {
        mend(run);
    } else {
        enter_evaluator(run);
    }
}

/* ## The evaluator */

struct decision {
    gramc_text reason, word;
    const char *odd; /* what is wrong with it; NULL: nothing */
};

static struct decision understand(struct arena *arena, gramc_text content) {
    const struct json_wish wish = {.kinds = 1u << JSON_OBJECT};
    struct decision out = {{NULL, 0}, {NULL, 0}, NULL};
    struct buf text;
    unsigned repairs;
    buf_init(&text, &arena->allocator, INNER_MAX);
    gramc_status status = json_tolerant(&text, content, &wish, &repairs);
    gramc_text json = buf_to_arena(&text, arena);
    if (status == GRAMC_NOMEM) arena->oom = true;
    const struct json *object = status ? NULL : json_parse(arena, json, NULL);
    const struct json *reason = json_get(object, "reason"), *word = json_get(object, "decision");
    if (!object) out.odd = "its answer is no JSON object";
    else if (!json_is(reason, JSON_STRING)) out.odd = "its answer has no `reason`";
    else if (!json_is(word, JSON_STRING)) out.odd = "its answer has no `decision`";
    if (out.odd) return out;
    out.reason = reason->text;
    out.word = word->text;
    if (!text_is(out.word, "FINISHED") && !text_is(out.word, "CONTINUE"))
        out.odd = "its `decision` is neither FINISHED nor CONTINUE";
    return out;
}

static void go_on(gramc_run *run, gramc_text reason) {
    struct evaluated_plan *plan = run->plan;
    struct continued *continued = ARENA_NEW(&run->inner, struct continued);
    if (!continued) return;
    *continued = (struct continued){NULL, arena_text(&run->inner, reason)};
    *plan->reasons_end = continued;
    plan->reasons_end = &continued->next;
    enter_generator(run);
}

static void read_evaluator(gramc_run *run, const struct reply *reply) {
    const struct evaluated_plan *plan = run->plan;
    struct decision decision = understand(&run->inner, reply->content);
    bool continues = !decision.odd && text_is(decision.word, "CONTINUE");
    uint32_t most = run->bound->agent->max_rounds;
    bool has_rounds = plan->round < (most ? most : DEFAULT_ROUNDS);
    if (run->inner.oom) return;
    if (continues && has_rounds) {
        go_on(run, decision.reason);
        return;
    }
    if (decision.odd)
        run_note(run, "the evaluator decided nothing in round %u: %s; the output follows",
                 (unsigned)plan->round, decision.odd);
    else if (continues)
        run_note(run, "the evaluator would continue, but maxRounds is %u; the output follows",
                 (unsigned)plan->round);
    enter_output(run);
}

/* ## The output */

/* All that is left of the step, behind the user's text. */
static void keep_answer(gramc_run *run) {
    bool answered = run->state == RUN_STEP || run->state == RUN_TURN;
    const struct reply kept = {.content = run->result.text, .has_content = true};
    if (answered && !conversation_assistant(&run->talk, &run->arena, &kept)) run_nomem(run);
}

static void read_output(gramc_run *run, const struct reply *reply) {
    answer_read(run, reply);
    keep_answer(run);
}

static void read(gramc_run *run, const struct reply *reply) {
    const struct evaluated_plan *plan = run->plan;
    struct reply heard = *reply;
    if (plan->phase == GENERATE) {
        read_generator(run, reply);
        return;
    }
    if (reply->call_count) {
        run_note(run, "the %s called %zu tool%s though it must not; nothing was called",
                 role_name(run->asking.role), reply->call_count, text_plural(reply->call_count));
        heard.calls = NULL;
        heard.call_count = 0;
        heard.opaque = (gramc_text){NULL, 0}; /* the calls are in there, too */
    }
    if (plan->phase == EVALUATE) read_evaluator(run, &heard);
    else read_output(run, &heard);
}

const struct strategy strategy_evaluated = {
    .name = "evaluated",
    .roles = 1u << RUN_GENERATOR | 1u << RUN_EVALUATOR | 1u << RUN_OUTPUT,
    .room = sizeof(struct evaluated_plan),
    .answers = WORDS_DECISION,
    .wants_sent = true,
    .begin = begin,
    .ask = ask,
    .read = read,
    .collect = collect,
};
