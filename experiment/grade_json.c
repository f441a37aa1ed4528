/* Looks at an answer as JSON: is a part of it there, what stands at a pointer, does it fit a type.
 * Numbers and objects compare as JSON means them: 1 is 1.0, members have no order. */
#include "base/text.h"
#include "experiment/grading.h"

/* ## The answer as JSON */

/* What stands between the first line and the last one of a single fence. */
static gramc_text inside_fence(gramc_text text) {
    gramc_text none = {NULL, 0};
    if (!text_starts(text, "```") || text.len < 6) return none;
    size_t start = 3, end = text.len - 3;
    while (start < end && text.ptr[start] != '\n') start++;
    if (start >= end || memcmp(text.ptr + end, "```", 3) != 0) return none;
    return text_slice(text, start, end);
}

const struct json *answer_json(struct arena *arena, gramc_text answer) {
    gramc_text text = text_trim(answer), inside = inside_fence(text);
    return json_parse(arena, inside.len ? inside : text, NULL);
}

static const struct json *need_json(struct ruling *verdict, const struct graded_run *run) {
    const struct json *given = answer_json(verdict->arena, run->attempt->answer);
    if (given) return given;
    gramc_text got = verdict_quote(verdict, run->attempt->answer);
    verdict_fail(verdict, "the answer is no JSON; it is %.*s", TEXT_ARGS(got));
    return NULL;
}

/* ## json: a part must be there */

/* Members that are wanted are there; items that are wanted are there in their order, and others may
 * stand between them. Recursion is bounded by JSON_MAX_DEPTH. */
static bool is_part(const struct json *wanted, const struct json *given) {
    if (wanted->kind == JSON_OBJECT && given->kind == JSON_OBJECT) {
        const struct json *m = wanted->first;
        for (; m; m = m->next) {
            const struct json *other = json_get_text(given, m->key);
            if (!other || !is_part(m, other)) break;
        }
        return !m;
    }
    if (wanted->kind == JSON_ARRAY && given->kind == JSON_ARRAY) {
        const struct json *w = wanted->first;
        for (const struct json *g = given->first; w && g; g = g->next)
            if (is_part(w, g)) w = w->next;
        return !w;
    }
    return json_equal(wanted, given);
}

/* Where the first member that is wanted is not there. */
static void put_missing(struct buf *path, const struct json **wanted, const struct json **given) {
    while ((*wanted)->kind == JSON_OBJECT && *given && (*given)->kind == JSON_OBJECT) {
        const struct json *m = (*wanted)->first, *other = NULL;
        for (; m; m = m->next) {
            other = json_get_text(*given, m->key);
            if (!other || !is_part(m, other)) break;
        }
        if (!m) return;
        json_put_pointer_token(path, m->key);
        *wanted = m;
        *given = other;
    }
}

static void differ(struct ruling *verdict, gramc_text where, const struct json *wanted,
                   const struct json *given) {
    gramc_text said = verdict_json(verdict, wanted);
    gramc_text got = given ? verdict_json(verdict, given) : TEXT("nothing");
    verdict_fail(verdict, "wanted %.*s at %s%.*s, got %.*s", TEXT_ARGS(said),
                 where.len ? "" : "the top", TEXT_ARGS(where), TEXT_ARGS(got));
}

bool check_json(struct ruling *verdict, const struct graded_run *run, const struct json *wanted) {
    const struct json *given = need_json(verdict, run);
    struct buf path;
    if (!given || is_part(wanted, given)) return given != NULL;
    buf_init(&path, &verdict->arena->allocator, SOURCE_MAX);
    put_missing(&path, &wanted, &given);
    differ(verdict, buf_to_arena(&path, verdict->arena), wanted, given);
    return false;
}

/* ## pointer */

bool check_pointer(struct ruling *verdict, const struct graded_run *run,
                   const struct json *wanted) {
    const struct json *given = need_json(verdict, run);
    bool all = true;
    if (!given) return false;
    for (const struct json *m = wanted->first; m; m = m->next) {
        const struct json *at = json_at(given, m->key);
        if (at && json_equal(at, m)) continue;
        differ(verdict, m->key, m, at);
        all = false;
    }
    return all;
}

/* ## type */

/* Tells the first violation; true if it is that the value is of another kind altogether, which was
 * not told yet if `quietly`. */
static bool is_other_kind(struct ruling *verdict, const gramc_schema *type, gramc_text json,
                          bool quietly) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *found = NULL;
    options.allocator = &verdict->arena->allocator;
    options.max_errors = 1;
    gramc_status status = gramc_schema_check(&found, type, json.ptr, json.len, &options);
    if (status == GRAMC_NOMEM) verdict->arena->oom = true;
    if (status != GRAMC_OK) {
        verdict_fail(verdict, "the answer is too large to be checked");
        return false;
    }
    const gramc_violation *first = found->error_count ? &found->errors[0] : NULL;
    bool other = first && text_is(first->keyword, "type") && !first->instance.len;
    if (first && !(other && quietly))
        verdict_fail(verdict, "the answer is not of the type: %.*s", TEXT_ARGS(first->message));
    gramc_verdict_free(found);
    return other;
}

/* JSON that fits, or a text that does: a date need not stand in quotes. */
bool check_type(struct ruling *verdict, const struct graded_run *run, const gramc_schema *type) {
    const struct json *given = answer_json(verdict->arena, run->attempt->answer);
    struct buf out;
    buf_init(&out, &verdict->arena->allocator, SOURCE_MAX);
    json_put_string(&out, text_trim(run->attempt->answer));
    gramc_text text = buf_to_arena(&out, verdict->arena);
    if (!text.ptr) return false;
    if (gramc_schema_accepts(type, text.ptr, text.len)) return true;
    if (!given) return is_other_kind(verdict, type, text, false), false;
    buf_init(&out, &verdict->arena->allocator, SOURCE_MAX);
    json_put(&out, given);
    gramc_text json = buf_to_arena(&out, verdict->arena);
    if (!json.ptr || gramc_schema_accepts(type, json.ptr, json.len)) return json.ptr != NULL;
    if (is_other_kind(verdict, type, json, true) && is_other_kind(verdict, type, text, true))
        is_other_kind(verdict, type, json, false);
    return false;
}
