/* Reads an experiment's cases for what can be told before anything runs: every line is a JSON
 * object, and has a field for every ${input} of the agents. Nothing of it is kept. */
#include "compiler/cases.h"

#include "base/json/json.h"
#include "base/text.h"
#include "compiler/experiment.h"
#include "compiler/properties.h"

#include <stdio.h>

struct case_lines {
    struct pass *pass;
    const struct experiment *experiment;
    struct span at; /* of the property `cases` */
    unsigned number;
    size_t cases;
};

static void report(const struct case_lines *lines, const char *what, gramc_text more) {
    char line[32];
    int len = snprintf(line, sizeof line, "%u", lines->number);
    FIND(lines->pass->findings, D_BAD_CASE, lines->pass->source, lines->at,
         (gramc_text){line, (size_t)len}, text_of(what), more);
}

/* False after a finding: one is enough, the next lines are seldom better. */
static bool has_inputs(const struct case_lines *lines, const struct json *object) {
    const gramc_experiment *experiment = &lines->experiment->public;
    for (size_t i = 0; i < experiment->arm_count; i++) {
        const gramc_agent *agent = experiment->arms[i].agent;
        for (size_t j = 0; agent && j < agent->input_count; j++) {
            const struct json *field = object->first;
            while (field && !text_eq(field->key, agent->inputs[j])) field = field->next;
            if (field) continue;
            report(lines, "no field for the input ", agent->inputs[j]);
            return false;
        }
    }
    return true;
}

static bool check_line(struct case_lines *lines, gramc_text line) {
    struct arena arena;
    bool good = true;
    lines->number++;
    if (!text_trim(line).len) return true;
    lines->cases++;
    arena_init(&arena, &lines->pass->arena->allocator);
    const struct json *object = json_parse(&arena, line, NULL);
    if (arena.oom) lines->pass->arena->oom = true;
    else if (!json_is(object, JSON_OBJECT)) {
        report(lines, "this is no JSON object", TEXT(""));
        good = false;
    } else good = has_inputs(lines, object);
    arena_free(&arena);
    return good && !lines->pass->arena->oom;
}

static void check_text(struct case_lines *lines, gramc_text text) {
    bool good = true;
    size_t start = 0;
    while (start < text.len && good) {
        size_t end = start;
        while (end < text.len && text.ptr[end] != '\n') end++;
        good = check_line(lines, text_slice(text, start, end));
        start = end + 1;
    }
    if (good && !lines->cases) report(lines, "there is no case in the file", TEXT(""));
}

void cases_check(struct pass *pass, const struct experiment *experiment) {
    const struct property *p = property_find(experiment->pattern->subject, "cases");
    gramc_reader reader = pass->compilation->reader;
    gramc_text path = experiment->public.cases, text = {NULL, 0};
    if (!p || !path.len) return;
    struct case_lines lines = {pass, experiment, p->value->span, 0, 0};
    int failure = reader.read ? reader.read(reader.ctx, path, &text) : GRAMC_NOT_FOUND;
    if (failure == GRAMC_NOMEM) pass->arena->oom = true;
    else if (failure) FIND(pass->findings, D_NO_CASES, pass->source, p->value->span, path);
    else check_text(&lines, text);
}
