/* Looks at an answer as text: is it this, does it hold that, does it match. */
#include "base/text.h"
#include "experiment/grading.h"

/* ## equals */

bool check_equals(struct ruling *verdict, const struct graded_run *run, const struct json *wanted) {
    gramc_text answer = text_trim(run->attempt->answer);
    if (wanted->kind == JSON_STRING && text_eq(answer, text_trim(wanted->text))) return true;
    const struct json *given =
        wanted->kind == JSON_STRING ? NULL : answer_json(verdict->arena, run->attempt->answer);
    if (given && json_equal(given, wanted)) return true;
    gramc_text said = wanted->kind == JSON_STRING ? verdict_quote(verdict, wanted->text)
                                                  : verdict_json(verdict, wanted);
    gramc_text got = verdict_quote(verdict, answer);
    verdict_fail(verdict, "wanted %.*s, the answer is %.*s", TEXT_ARGS(said), TEXT_ARGS(got));
    return false;
}

/* ## contains */

static bool holds(gramc_text text, gramc_text part) {
    if (!part.len) return true;
    for (size_t i = 0; i + part.len <= text.len; i++) {
        const char *at = memchr(text.ptr + i, part.ptr[0], text.len - i - part.len + 1);
        if (!at) return false;
        i = (size_t)(at - text.ptr);
        if (memcmp(at, part.ptr, part.len) == 0) return true;
    }
    return false;
}

/* A field that was filled in may be a number: its JSON is looked for. */
static gramc_text text_of_value(struct ruling *verdict, const struct json *value) {
    struct buf out;
    if (value->kind == JSON_STRING) return value->text;
    buf_init(&out, &verdict->arena->allocator, SOURCE_MAX);
    json_put(&out, value);
    return buf_to_arena(&out, verdict->arena);
}

static bool contains_one(struct ruling *verdict, const struct graded_run *run,
                         const struct json *wanted) {
    gramc_text part = text_of_value(verdict, wanted), answer = run->attempt->answer;
    if (holds(answer, part)) return true;
    gramc_text said = verdict_quote(verdict, part), got = verdict_quote(verdict, answer);
    verdict_fail(verdict, "the answer does not contain %.*s; it is %.*s", TEXT_ARGS(said),
                 TEXT_ARGS(got));
    return false;
}

bool check_contains(struct ruling *verdict, const struct graded_run *run,
                    const struct json *wanted) {
    if (wanted->kind != JSON_ARRAY) return contains_one(verdict, run, wanted);
    bool all = true;
    for (const struct json *v = wanted->first; v; v = v->next)
        all = contains_one(verdict, run, v) && all;
    return all;
}

/* ## matches: by the regular expressions of JSON Schema, which are those of types */

static gramc_status compile(struct ruling *verdict, gramc_text pattern, gramc_schema **out) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    struct buf schema;
    options.allocator = &verdict->arena->allocator;
    buf_init(&schema, &verdict->arena->allocator, SOURCE_MAX);
    buf_puts(&schema, "{\"pattern\":");
    json_put_string(&schema, pattern);
    buf_puts(&schema, "}");
    gramc_status status = buf_status(&schema);
    if (status == GRAMC_OK)
        status = gramc_schema_compile(out, schema.ptr, schema.len, &options, NULL);
    if (status == GRAMC_NOMEM) verdict->arena->oom = true;
    buf_free(&schema);
    return status;
}

static gramc_text as_json(struct ruling *verdict, gramc_text text) {
    struct buf out;
    buf_init(&out, &verdict->arena->allocator, SOURCE_MAX);
    json_put_string(&out, text);
    return buf_to_arena(&out, verdict->arena);
}

static bool matches_one(struct ruling *verdict, const struct graded_run *run,
                        const struct json *wanted) {
    gramc_schema *schema = NULL;
    gramc_text pattern = text_of_value(verdict, wanted);
    gramc_text answer = as_json(verdict, run->attempt->answer);
    if (compile(verdict, pattern, &schema) != GRAMC_OK) {
        gramc_text said = verdict_quote(verdict, pattern);
        verdict_miss(verdict, "%.*s is no regular expression", TEXT_ARGS(said));
        return false;
    }
    bool good = answer.ptr && gramc_schema_accepts(schema, answer.ptr, answer.len);
    gramc_schema_free(schema);
    if (good) return true;
    gramc_text said = verdict_quote(verdict, pattern);
    gramc_text got = verdict_quote(verdict, run->attempt->answer);
    verdict_fail(verdict, "the answer does not match %.*s; it is %.*s", TEXT_ARGS(said),
                 TEXT_ARGS(got));
    return false;
}

bool check_matches(struct ruling *verdict, const struct graded_run *run,
                   const struct json *wanted) {
    if (wanted->kind != JSON_ARRAY) return matches_one(verdict, run, wanted);
    bool all = true;
    for (const struct json *v = wanted->first; v; v = v->next)
        all = matches_one(verdict, run, v) && all;
    return all;
}
