/* Collects what the calls of a request are known by, and what its results name, in the order in
 * which they stand: the two lists have to be the same, for a server refuses anything else. */
#include "tests/answers/pairs.h"

#include <string.h>

#include "base/buf.h"
#include "base/json/json.h"
#include "base/text.h"

struct pairs {
    const char *folder;
    struct buf calls, results; /* a line each */
    bool nameless;             /* one of them is known by nothing */
};

static void put_line(struct pairs *pairs, struct buf *out, const struct json *name) {
    bool named = json_is(name, JSON_STRING) && name->text.len;
    bool by_name = strcmp(pairs->folder, "functions") == 0 || strcmp(pairs->folder, "ollama") == 0;
    if (!named && !by_name) pairs->nameless = true;
    if (json_is(name, JSON_STRING)) buf_text(out, name->text);
    buf_putc(out, '\n');
}

static bool is_type(const struct json *object, const char *type) {
    const struct json *own = json_get(object, "type");
    return json_is(own, JSON_STRING) && text_is(own->text, type);
}

/* Gemini's are known by name and, if the model gave one, id. */
static void take_gemini(struct pairs *pairs, const struct json *object) {
    static const char *const keys[] = {"functionCall", "functionResponse"};
    for (size_t i = 0; i < 2; i++) {
        const struct json *member = json_get(object, keys[i]), *id = json_get(member, "id");
        const struct json *name = json_get(member, "name");
        struct buf *out = i ? &pairs->results : &pairs->calls;
        if (!json_is(member, JSON_OBJECT)) continue;
        if (json_is(name, JSON_STRING)) buf_text(out, name->text);
        if (json_is(id, JSON_STRING) && id->text.len) buf_printf(out, "/%.*s", TEXT_ARGS(id->text));
        buf_putc(out, '\n');
    }
}

static void take_object(struct pairs *pairs, const struct json *object, const char *holder) {
    static const struct {
        const char *folder, *holder, *type; /* of a call; NULL: does not matter */
        const char *member, *known;         /* the name itself is a member of that one; NULL: own */
        bool is_call;
    } rules[] = {
        {"chat", "tool_calls", NULL, NULL, "id", true},
        {"chat", NULL, NULL, NULL, "tool_call_id", false},
        {"functions", NULL, NULL, "function_call", "name", true},
        {"responses", NULL, "function_call", NULL, "call_id", true},
        {"responses", NULL, "function_call_output", NULL, "call_id", false},
        {"messages", NULL, "tool_use", NULL, "id", true},
        {"messages", NULL, "tool_result", NULL, "tool_use_id", false},
        {"ollama", "tool_calls", NULL, "function", "name", true},
        {"ollama", NULL, NULL, NULL, "tool_name", false},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(rules[i].folder, pairs->folder) != 0) continue;
        if (rules[i].holder && (!holder || strcmp(holder, rules[i].holder) != 0)) continue;
        if (rules[i].type && !is_type(object, rules[i].type)) continue;
        const struct json *of = rules[i].member ? json_get(object, rules[i].member) : object;
        const struct json *known = json_get(of, rules[i].known);
        if (rules[i].member ? !of : !known && !rules[i].type && !rules[i].holder) continue;
        put_line(pairs, rules[i].is_call ? &pairs->calls : &pairs->results, known);
    }
    const struct json *role = json_get(object, "role");
    if (strcmp(pairs->folder, "functions") == 0 && json_is(role, JSON_STRING) &&
        text_is(role->text, "function"))
        put_line(pairs, &pairs->results, json_get(object, "name"));
    if (strcmp(pairs->folder, "gemini") == 0) take_gemini(pairs, object);
}

static void walk(struct pairs *pairs, const struct json *value, const char *holder) {
    if (json_is(value, JSON_OBJECT)) take_object(pairs, value, holder);
    for (const struct json *item = value->first; item; item = item->next) {
        bool calls = json_is(value, JSON_OBJECT) && text_is(item->key, "tool_calls");
        bool offered = json_is(value, JSON_OBJECT) &&
                       (text_is(item->key, "tools") || text_is(item->key, "functions"));
        if (!offered)
            walk(pairs, item, calls ? "tool_calls" : json_is(value, JSON_ARRAY) ? holder : NULL);
    }
}

bool pairs_match(const char *folder, gramc_text request) {
    struct pairs pairs = {.folder = folder};
    struct arena arena;
    arena_init(&arena, NULL);
    buf_init(&pairs.calls, NULL, 1 << 20);
    buf_init(&pairs.results, NULL, 1 << 20);
    const struct json *json = json_parse(&arena, request, NULL);
    if (json) walk(&pairs, json, NULL);
    bool match =
        json && !pairs.nameless && text_eq(buf_view(&pairs.calls), buf_view(&pairs.results));
    buf_free(&pairs.calls);
    buf_free(&pairs.results);
    arena_free(&arena);
    return match;
}
