/* Reads what models write where the strict reader refuses it, by the schema that it is for: of
 * several values in one text the one is meant that fits. What is wrong with a value is said by
 * those who check it. */
#include "runtime/reading.h"

#include <stdio.h>

#include "base/limits.h"
#include "base/text.h"

enum { READING_BYTES = 64 << 20 };

/* Where a strategy asks for arguments in words, lists come for texts too. */
unsigned reading_coercion(const gramc_agent *agent) {
    if (!agent->coerce) return 0;
    bool in_words = text_is(agent->strategy, "evaluated");
    return GRAMC_CHECK_COERCE | (in_words ? (unsigned)GRAMC_CHECK_JSON_TEXT : 0);
}

void reading_init(struct taken *reading, const gramc_allocator *allocator) {
    *reading = (struct taken){.repair_count = 0};
    arena_init(&reading->arena, allocator);
}

void reading_free(struct taken *reading) {
    arena_free(&reading->arena);
}

void reading_limit_words(char words[READING_WORDS_MAX], const gramc_json_error *limit) {
    snprintf(words, READING_WORDS_MAX, "%s%s%s", limit->message, limit->pointer[0] ? ", at " : "",
             limit->pointer);
}

static gramc_status check(gramc_verdict **out, struct taken *reading, gramc_text json,
                          const struct reading_view *view) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    struct arena *arena = &reading->arena;
    options.error = &reading->limit;
    options.flags = view->flags;
    options.allocator = &arena->allocator;
    *out = NULL;
    gramc_text seen = view->seen(view->ctx, arena, json);
    if (arena->oom) return GRAMC_NOMEM;
    return gramc_schema_check(out, view->schema, seen.ptr, seen.len, &options);
}

gramc_event_reading reading_told(const struct taken *reading, const gramc_verdict *verdict) {
    return (gramc_event_reading){.repairs = reading->repairs,
                                 .repair_count = reading->repair_count,
                                 .changes = verdict->adjustments,
                                 .change_count = verdict->adjustment_count};
}

struct fitting {
    struct taken *reading;
    const struct reading_view *view;
};

static bool fits(void *ctx, gramc_text json) {
    const struct fitting *fitting = ctx;
    struct arena *arena = &fitting->reading->arena;
    gramc_verdict *verdict = NULL;
    gramc_status status = check(&verdict, fitting->reading, json, fitting->view);
    bool valid = !status && verdict->valid;
    if (status == GRAMC_NOMEM) arena->oom = true;
    gramc_verdict_free(verdict);
    return valid;
}

/* GRAMC_FINDINGS: there is nothing to mend, or it could mean two things. */
static gramc_status mend(struct taken *reading, gramc_text *text, const struct reading_view *view) {
    struct fitting fitting = {reading, view};
    const struct json_wish wish = {view->kinds, fits, &fitting};
    struct arena *arena = &reading->arena;
    struct buf out;
    unsigned repairs;
    buf_init(&out, &arena->allocator, READING_BYTES);
    gramc_status status = json_tolerant(&out, *text, &wish, &repairs);
    bool changed = !status && (repairs || !text_eq(buf_view(&out), *text));
    if (changed) *text = arena_text(arena, buf_view(&out));
    buf_free(&out);
    if (arena->oom || status == GRAMC_NOMEM) return GRAMC_NOMEM;
    reading->repair_count = changed ? json_repair_words(repairs, reading->repairs) : 0;
    return changed ? GRAMC_OK : GRAMC_FINDINGS;
}

gramc_status reading_take(struct taken *reading, gramc_verdict **verdict, gramc_text text,
                          const struct reading_view *view) {
    gramc_status status = check(verdict, reading, text, view);
    if (status || (*verdict)->valid || !view->kinds) return status;
    status = mend(reading, &text, view);
    if (status == GRAMC_FINDINGS || status == GRAMC_LIMIT) return GRAMC_OK;
    gramc_verdict_free(*verdict);
    *verdict = NULL;
    return status ? status : check(verdict, reading, text, view);
}

static unsigned kinds_of_type(gramc_text type) {
    static const struct {
        const char *type;
        unsigned kinds;
    } types[] = {{"object", 1u << JSON_OBJECT},  {"array", 1u << JSON_ARRAY},
                 {"integer", 1u << JSON_NUMBER}, {"number", 1u << JSON_NUMBER},
                 {"string", 1u << JSON_STRING},  {"boolean", 1u << JSON_TRUE | 1u << JSON_FALSE},
                 {"null", 1u << JSON_NULL}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (text_is(type, types[i].type)) return types[i].kinds;
    return 0;
}

unsigned reading_kinds(const struct json *schema) {
    const struct json *type = json_get(schema, "type");
    unsigned kinds = json_is(type, JSON_STRING) ? kinds_of_type(type->text) : 0;
    const struct json *first = json_is(type, JSON_ARRAY) ? type->first : NULL;
    for (const struct json *item = first; item; item = item->next)
        if (item->kind == JSON_STRING) kinds |= kinds_of_type(item->text);
    return kinds ? kinds : 1u << JSON_OBJECT | 1u << JSON_ARRAY;
}
