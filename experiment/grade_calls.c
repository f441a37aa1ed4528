/* Looks at the calls of a run: were these made, with these arguments, in this order; were those
 * not. Arguments compare as JSON means them; `mode: bfcl` compares as bfcl.c does. */
#include "base/text.h"
#include "experiment/bfcl.h"
#include "experiment/grading.h"

/* ## Which calls */

/* The names of the calls, for reasons. */
static gramc_text called(struct ruling *verdict, const struct graded_run *run) {
    struct buf out;
    buf_init(&out, &verdict->arena->allocator, 200);
    for (size_t i = 0; i < run->call_count; i++) {
        if (i) buf_puts(&out, ", ");
        buf_text(&out, run->calls[i].name);
    }
    if (!run->call_count) buf_puts(&out, "nothing");
    return buf_to_arena_cut(&out, verdict->arena);
}

/* A name, or {name, arguments}; `arguments` NULL: any. */
struct wanted_call {
    gramc_text name;
    const struct json *arguments;
};

static struct wanted_call wanted_of(const struct json *call, const struct json *beside) {
    if (call->kind != JSON_OBJECT) return (struct wanted_call){call->text, beside};
    const struct json *name = json_get(call, "name"), *arguments = json_get(call, "arguments");
    return (struct wanted_call){name ? name->text : TEXT(""), arguments ? arguments : beside};
}

/* ## Strictly */

static bool equals_json(struct ruling *verdict, gramc_text text, const struct json *wanted) {
    const struct json *given = text.len ? json_parse(verdict->arena, text, NULL) : NULL;
    return given && json_equal(given, wanted);
}

/* As the model wrote them, or as they were sent, with defaults filled in. */
static bool has_arguments(struct ruling *verdict, const struct graded_call *call,
                          const struct json *wanted) {
    return !wanted || equals_json(verdict, call->arguments, wanted) ||
           equals_json(verdict, call->sent, wanted);
}

static void tell_missing(struct ruling *verdict, const struct graded_run *run,
                         struct wanted_call wanted, size_t from) {
    gramc_text all = called(verdict, run);
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = pass ? 0 : from; i < run->call_count; i++) {
            const struct graded_call *call = &run->calls[i];
            if (!text_eq(call->name, wanted.name)) continue;
            if (!call->sent.len) {
                verdict_fail(verdict,
                             "`%.*s` was asked for and not called: its arguments were refused",
                             TEXT_ARGS(wanted.name));
            } else if (!has_arguments(verdict, call, wanted.arguments)) {
                gramc_text said = verdict_json(verdict, wanted.arguments);
                gramc_text got = verdict_quote(verdict, call->arguments);
                verdict_fail(verdict, "`%.*s` was called with %.*s, wanted %.*s",
                             TEXT_ARGS(wanted.name), TEXT_ARGS(got), TEXT_ARGS(said));
            } else
                verdict_fail(verdict, "`%.*s` was called too early; called: %.*s",
                             TEXT_ARGS(wanted.name), TEXT_ARGS(all));
            return;
        }
    verdict_fail(verdict, "`%.*s` was not called; called: %.*s", TEXT_ARGS(wanted.name),
                 TEXT_ARGS(all));
}

/* The index behind the next such call that was made; 0: there is none. */
static size_t find_call(struct ruling *verdict, const struct graded_run *run,
                        struct wanted_call wanted, size_t from) {
    for (size_t i = from; i < run->call_count; i++)
        if (run->calls[i].sent.len && text_eq(run->calls[i].name, wanted.name) &&
            has_arguments(verdict, &run->calls[i], wanted.arguments))
            return i + 1;
    return 0;
}

/* In their order; others may stand between them. */
static bool check_strict(struct ruling *verdict, const struct graded_run *run,
                         const struct json *calls, const struct json *beside) {
    bool list = calls->kind == JSON_ARRAY;
    size_t from = 0;
    if (list && !calls->count && run->call_count) {
        gramc_text all = called(verdict, run);
        verdict_fail(verdict, "no call was wanted; called: %.*s", TEXT_ARGS(all));
        return false;
    }
    for (const struct json *c = list ? calls->first : calls; c; c = list ? c->next : NULL) {
        struct wanted_call wanted = wanted_of(c, beside);
        size_t behind = find_call(verdict, run, wanted, from);
        if (!behind) {
            tell_missing(verdict, run, wanted, from);
            return false;
        }
        from = behind;
    }
    return true;
}

/* ## As the leaderboard does */

struct known_tools {
    const gramc_agent *agent;
    struct arena *arena;
};

static const gramc_tool *find_tool(const gramc_agent *agent, gramc_text name) {
    for (size_t i = 0; i < agent->tool_count; i++)
        if (text_eq(agent->tools[i]->name, name)) return agent->tools[i];
    for (size_t t = 0; t < agent->task_count; t++)
        for (size_t i = 0; i < agent->tasks[t].tool_count; i++)
            if (text_eq(agent->tasks[t].tools[i]->name, name)) return agent->tasks[t].tools[i];
    return NULL;
}

/* What a box brings is not known here: then its arguments' types are those of the right values. */
static const struct json *parameters(void *ctx, gramc_text name) {
    const struct known_tools *known = ctx;
    const gramc_tool *tool = known->agent ? find_tool(known->agent, name) : NULL;
    return tool ? json_parse(known->arena, tool->parameters, NULL) : NULL;
}

/* One call that is only named, with `arguments` beside it, is a call like others. */
static const struct json *as_list(struct arena *arena, const struct json *calls,
                                  const struct json *beside) {
    const struct json *only = calls->kind == JSON_ARRAY ? NULL : calls;
    if (!only && beside) only = calls->first;
    if (!only) return calls;
    struct json *list = ARENA_NEW(arena, struct json), *call = ARENA_NEW(arena, struct json);
    struct json *name = ARENA_NEW(arena, struct json), *arguments = ARENA_NEW(arena, struct json);
    if (!list || !call || !name || !arguments) return NULL;
    list->kind = JSON_ARRAY;
    list->count = 1;
    list->first = call;
    *call = *only;
    call->next = NULL;
    if (only->kind == JSON_OBJECT || !beside) return list;
    *name = *only;
    name->key = TEXT("name");
    name->next = arguments;
    *arguments = *beside;
    arguments->key = TEXT("arguments");
    arguments->next = NULL;
    *call = (struct json){.kind = JSON_OBJECT, .count = 2, .first = name};
    return list;
}

static const gramc_agent *agent_of(const struct grading *grading, const struct graded_run *run) {
    const gramc_experiment *experiment = grading->experiment;
    uint32_t arm = run->attempt->cell.arm;
    return arm < experiment->arm_count ? experiment->arms[arm].agent : NULL;
}

static bool check_bfcl(struct ruling *verdict, const struct grading *grading,
                       const struct graded_run *run, const struct json *calls,
                       const struct json *beside) {
    struct arena *arena = verdict->arena;
    struct known_tools known = {agent_of(grading, run), arena};
    struct bfcl_call *made = arena_array(arena, run->call_count + 1, sizeof *made);
    const struct json *list = as_list(arena, calls, beside);
    struct buf reason;
    if (!made || !list) return false;
    for (size_t i = 0; i < run->call_count; i++) {
        const struct json *arguments = json_parse(arena, run->calls[i].arguments, NULL);
        made[i].name = run->calls[i].name;
        made[i].arguments = json_is(arguments, JSON_OBJECT) ? arguments : NULL;
    }
    struct bfcl_question question = {list,       made,   run->call_count,
                                     parameters, &known, &arena->allocator};
    buf_init(&reason, &arena->allocator, SOURCE_MAX);
    enum bfcl_answer answer = bfcl_judge(&question, &reason);
    if (answer == BFCL_NOMEM) arena->oom = true;
    if (answer == BFCL_DISAGREES) verdict_fail(verdict, "%.*s", TEXT_ARGS(buf_view(&reason)));
    buf_free(&reason);
    return answer == BFCL_AGREES;
}

/* ## Both */

bool check_calls(struct ruling *verdict, const struct grading *grading,
                 const struct graded_run *run, const struct json *object,
                 const struct json *calls) {
    const struct json *beside = json_get(object, "arguments"), *mode = json_get(object, "mode");
    if (!expectation_fits(EXPECT_CALLS, calls)) {
        verdict_miss(verdict, "what stands for `calls` is no list of calls");
        return false;
    }
    if (mode && text_is(mode->text, "bfcl"))
        return check_bfcl(verdict, grading, run, calls, beside);
    return check_strict(verdict, run, calls, beside);
}

static bool not_called(struct ruling *verdict, const struct graded_run *run,
                       const struct json *wanted) {
    for (size_t i = 0; i < run->call_count; i++) {
        if (!text_eq(run->calls[i].name, wanted->text)) continue;
        verdict_fail(verdict, "`%.*s` was called", TEXT_ARGS(wanted->text));
        return false;
    }
    return true;
}

/* A call that was refused was wanted all the same. */
bool check_not_calls(struct ruling *verdict, const struct graded_run *run,
                     const struct json *wanted) {
    if (wanted->kind != JSON_ARRAY) return not_called(verdict, run, wanted);
    bool all = true;
    for (const struct json *v = wanted->first; v; v = v->next)
        all = not_called(verdict, run, v) && all;
    return all;
}
