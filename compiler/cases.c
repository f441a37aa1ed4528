/* Reads an experiment's cases for what can be told before anything runs: the form of each, and that
 * it has what agents and graders will ask it for. Nothing of it is kept. */
#include "compiler/cases.h"

#include "base/case_file.h"
#include "base/placeholder.h"
#include "base/text.h"
#include "compiler/grader.h"
#include "compiler/properties.h"

#include <stdio.h>

struct case_check {
    struct pass *pass;
    const struct experiment *experiment;
    struct span at; /* of the property `cases` */
    bool needs_message, told_call;
};

static bool report(const struct case_check *check, unsigned line, const char *what,
                   gramc_text more) {
    char digits[32];
    int len = snprintf(digits, sizeof digits, "%u", line);
    FIND(check->pass->findings, D_BAD_CASE, check->pass->source, check->at,
         (gramc_text){digits, (size_t)len}, text_of(what), more);
    return false;
}

/* ## What agents need */

static bool asks_for_message(gramc_text text) {
    struct placeholder part;
    for (size_t pos = 0; placeholder_next(text, &pos, &part);)
        if (part.kind == PLACEHOLDER_NAME && text_is(part.text, "message")) return true;
    return false;
}

/* Without tasks the message is what the model is asked. */
static bool needs_message(const gramc_agent *agent) {
    if (!agent->task_count || asks_for_message(agent->instruction)) return true;
    for (size_t i = 0; i < agent->task_count; i++)
        if (asks_for_message(agent->tasks[i].prompt)) return true;
    return false;
}

static bool has_inputs(const struct case_check *check, const struct case_row *row) {
    const gramc_experiment *experiment = &check->experiment->public;
    for (size_t i = 0; i < experiment->arm_count; i++) {
        const gramc_agent *agent = experiment->arms[i].agent;
        for (size_t j = 0; agent && j < agent->input_count; j++)
            if (!json_get_text(row->object, agent->inputs[j]))
                return report(check, row->line, "no field for the input ", agent->inputs[j]);
    }
    if (!check->needs_message || json_get(row->object, "message") ||
        json_get(row->object, "messages"))
        return true;
    return report(check, row->line, "it has no `message`, and the agent needs one", TEXT(""));
}

/* ## What graders need */

static bool has_fields(const struct case_check *check, const struct case_row *row) {
    const struct experiment *experiment = check->experiment;
    for (size_t i = 0; i < experiment->public.grader_count; i++) {
        const struct grader *grader = &experiment->graders[i];
        for (size_t j = 0; j < grader->field_count; j++) {
            gramc_text name = grader->fields[j];
            bool always = text_is(name, "id") ||
                          (text_is(name, "message") && json_get(row->object, "messages"));
            if (!always && !json_get_text(row->object, name))
                return report(check, row->line, "no field that graders name: ", name);
        }
    }
    return true;
}

static bool has_patterns(const struct case_check *check, const struct case_row *row) {
    const struct json *expect = json_get(row->object, "expect");
    char message[200];
    if (!json_is(expect, JSON_OBJECT) ||
        !expectation_bad_pattern(check->pass->arena, expect, message, sizeof message))
        return true;
    return report(check, row->line, "`matches` is no regular expression: ", text_of(message));
}

/* A slip, told once: the check fails always, or holds always. */
static void check_calls(struct case_check *check, const struct case_row *row) {
    const struct json *expect = json_get(row->object, "expect");
    const gramc_experiment *experiment = &check->experiment->public;
    char place[48];
    if (!json_is(expect, JSON_OBJECT) || check->told_call) return;
    gramc_text name = expectation_unknown_call(expect, experiment);
    if (!name.len) return;
    gramc_text near = nearest_call(check->pass->arena, name, experiment);
    if (!near.len) return;
    int len = snprintf(place, sizeof place, "line %u of the cases", row->line);
    struct finding *f = FIND(check->pass->findings, D_UNKNOWN_CALL, check->pass->source, check->at,
                             name, (gramc_text){place, (size_t)len});
    finding_help(check->pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
    check->told_call = true;
}

/* ## All of them */

/* One finding is enough: the next lines are seldom better. */
static void check_text(struct case_check *check, gramc_text name, gramc_text text) {
    const gramc_allocator *allocator = &check->pass->arena->allocator;
    struct case_file *file = mem_alloc(allocator, sizeof *file);
    struct case_fault fault;
    struct case_row row;
    struct arena arena;
    enum case_read read = file ? CASE_ROW : CASE_NOMEM;
    arena_init(&arena, allocator);
    if (file) case_file_init(file, name, text, allocator);
    while (read == CASE_ROW) {
        read = case_file_next(file, &arena, &row, &fault);
        if (read == CASE_ROW &&
            !(has_inputs(check, &row) && has_fields(check, &row) && has_patterns(check, &row)))
            break;
        if (read == CASE_ROW) check_calls(check, &row);
        arena_reset(&arena);
    }
    if (read == CASE_BROKEN) report(check, fault.line ? fault.line : 1, fault.message, TEXT(""));
    if (read == CASE_NOMEM) check->pass->arena->oom = true;
    if (file) case_file_free(file);
    mem_free(allocator, file, sizeof *file);
    arena_free(&arena);
}

void cases_check(struct pass *pass, const struct experiment *experiment) {
    const struct property *p = property_find(experiment->pattern->subject, "cases");
    gramc_reader reader = pass->compilation->reader;
    gramc_text path = experiment->public.cases, text = {NULL, 0};
    if (!p || !path.len) return;
    struct case_check check = {pass, experiment, p->value->span, false, false};
    for (size_t i = 0; i < experiment->public.arm_count; i++) {
        const gramc_agent *agent = experiment->public.arms[i].agent;
        check.needs_message = check.needs_message || (agent && needs_message(agent));
    }
    int failure = reader.read ? reader.read(reader.ctx, path, &text) : GRAMC_NOT_FOUND;
    if (failure == GRAMC_NOMEM) pass->arena->oom = true;
    else if (failure) FIND(pass->findings, D_NO_CASES, pass->source, p->value->span, path);
    else check_text(&check, path, text);
}
