/* Turns what a guard's program printed into a decision. Whatever is not plainly one of the three is
 * a denial with a reason: a guard that cannot be understood must not let anything through.
 * Whether what it puts in place fits the schema is checked_call.c's matter. */
#include "runtime/guard_answer.h"

#include "base/text.h"

static size_t count_of(const struct json *object, const char *key) {
    size_t count = 0;
    for (const struct json *member = object->first; member; member = member->next)
        count += text_is(member->key, key);
    return count;
}

static bool says_twice(const struct json *object) {
    static const char *const keys[] = {"decision", "message", "arguments", "result"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (count_of(object, keys[i]) > 1) return true;
    return false;
}

static gramc_text printed(struct arena *arena, const struct json *value) {
    struct buf out;
    buf_init(&out, &arena->allocator, (size_t)INT32_MAX);
    json_put(&out, value);
    return buf_to_arena(&out, arena);
}

static gramc_text read_result(struct arena *arena, const struct json *value,
                              enum guard_result result, const char **why) {
    bool is_text = value->kind == JSON_STRING;
    if (result == GUARD_RESULT_NONE) *why = "it rewrites the result of a tool that has none";
    else if (result == GUARD_RESULT_TEXT && !is_text) *why = "its `result` is no string";
    else if (is_text && result != GUARD_RESULT_JSON) return value->text;
    else return printed(arena, value);
    return (gramc_text){NULL, 0};
}

static gramc_text read_rewritten(struct arena *arena, const struct json *answer,
                                 enum guard_phase phase, enum guard_result result,
                                 const char **why) {
    const struct json *value = json_get(answer, phase == GUARD_BEFORE ? "arguments" : "result");
    if (!value)
        *why = phase == GUARD_BEFORE ? "it says rewrite, but no `arguments`"
                                     : "it says rewrite, but no `result`";
    else if (phase == GUARD_AFTER) return read_result(arena, value, result, why);
    else if (value->kind != JSON_OBJECT) *why = "its `arguments` are no object";
    else return printed(arena, value);
    return (gramc_text){NULL, 0};
}

static const char *shape_problem(const struct json *answer) {
    const struct json *decision = json_get(answer, "decision"), *message;
    if (!json_is(answer, JSON_OBJECT)) return "it printed JSON that is no object";
    if (says_twice(answer)) return "it says a member twice";
    if (!json_is(decision, JSON_STRING)) return "it says no `decision`";
    message = json_get(answer, "message");
    if (message && message->kind != JSON_STRING) return "its `message` is no string";
    return NULL;
}

gramc_decision guard_answer_read(struct arena *arena, gramc_text said, enum guard_phase phase,
                                 enum guard_result result, const char **why) {
    gramc_decision out = {.kind = GRAMC_DECISION_DENY};
    const struct json *answer = json_parse(arena, said, NULL), *message;
    *why = NULL;
    if (text_trim(said).len == 0) *why = "it printed nothing";
    else if (!answer) *why = "it printed no JSON";
    else *why = shape_problem(answer);
    if (*why) return out;
    gramc_text decision = json_get(answer, "decision")->text;
    message = json_get(answer, "message");
    if (message) out.message = message->text;
    if (text_is(decision, "rewrite")) {
        out.text = read_rewritten(arena, answer, phase, result, why);
        if (!*why) out.kind = GRAMC_DECISION_REWRITE;
    } else if (text_is(decision, "allow")) {
        if (json_get(answer, "arguments") || json_get(answer, "result"))
            *why = "it says allow, and rewrites";
        else out.kind = GRAMC_DECISION_ALLOW;
    } else if (!text_is(decision, "deny")) {
        *why = "its `decision` is not allow, deny or rewrite";
    }
    return out;
}
