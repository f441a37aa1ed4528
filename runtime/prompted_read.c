/* Reads a decision, a tool's name or its arguments out of what a small model says around them.
 * Names may contain one another (`add`, `adder`), so what matches more of the text goes first. */
#include "runtime/prompted_read.h"

#include <string.h>

#include "base/json/json.h"
#include "base/json/tolerant.h"
#include "base/limits.h"
#include "base/text.h"

static bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* ## Thoughts */

gramc_text prompted_aloud(gramc_text said) {
    static const char open[] = "<think>", close[] = "</think>";
    const size_t len = sizeof close - 1;
    for (size_t at = said.len < len ? 0 : said.len - len + 1; at-- > 0;)
        if (memcmp(said.ptr + at, close, len) == 0) return text_slice(said, at + len, said.len);
    bool thinks = text_starts(text_trim(said), open);
    return thinks ? text_slice(said, said.len, said.len) : said;
}

/* ## Yes or no */

static gramc_text next_word(gramc_text said, size_t *at) {
    while (*at < said.len && !is_word_byte(said.ptr[*at])) (*at)++;
    size_t start = *at;
    while (*at < said.len && is_word_byte(said.ptr[*at])) (*at)++;
    return text_slice(said, start, *at);
}

static enum prompted_word word_of(gramc_text word) {
    if (text_is_nocase(word, "yes")) return PROMPTED_YES;
    return text_is_nocase(word, "no") ? PROMPTED_NO : PROMPTED_NEITHER;
}

/* Both of them, joined: nothing is decided by that. Moves behind them. */
static bool is_both(gramc_text said, size_t *at, enum prompted_word first) {
    size_t then = *at;
    gramc_text joint = next_word(said, &then);
    bool joined = text_is_nocase(joint, "or") || text_is_nocase(joint, "and");
    bool slash = *at < said.len && said.ptr[*at] == '/';
    enum prompted_word second = word_of(joined ? next_word(said, &then) : joint);
    if ((!joined && !slash) || second == PROMPTED_NEITHER || second == first) return false;
    *at = then;
    return true;
}

enum prompted_word prompted_word(gramc_text said) {
    for (size_t at = 0; at < said.len;) {
        enum prompted_word word = word_of(next_word(said, &at));
        if (word != PROMPTED_NEITHER && !is_both(said, &at, word)) return word;
    }
    return PROMPTED_NEITHER;
}

/* ## Names */

static gramc_text bare(gramc_text said) {
    static const char around[] = " \t\r\n`'\"*.:,;!()[]";
    size_t start = 0, end = said.len;
    while (start < end && strchr(around, said.ptr[start]) && said.ptr[start]) start++;
    while (end > start && strchr(around, said.ptr[end - 1]) && said.ptr[end - 1]) end--;
    return text_slice(said, start, end);
}

static bool stands_at(gramc_text said, gramc_text name, size_t at, bool as_word) {
    size_t end = at + name.len;
    if (!text_eq_nocase(text_slice(said, at, end), name)) return false;
    bool joined = (at > 0 && is_word_byte(said.ptr[at - 1])) ||
                  (end < said.len && is_word_byte(said.ptr[end]));
    return !as_word || !joined;
}

static bool is_found(gramc_text said, gramc_text name, bool as_word) {
    for (size_t at = 0; name.len && at + name.len <= said.len; at++)
        if (stands_at(said, name, at, as_word)) return true;
    return false;
}

static size_t only_one(const gramc_text *names, size_t count, gramc_text said, bool as_word) {
    size_t found = count;
    for (size_t i = 0; i < count; i++) {
        if (!is_found(said, names[i], as_word)) continue;
        if (found < count) return count;
        found = i;
    }
    return found;
}

size_t prompted_choice(const gramc_text *names, size_t count, gramc_text said) {
    gramc_text plain = bare(said);
    for (size_t i = 0; i < count; i++)
        if (text_eq(names[i], plain)) return i;
    for (size_t i = 0; i < count; i++)
        if (text_eq_nocase(names[i], plain)) return i;
    size_t found = only_one(names, count, said, true);
    return found < count ? found : only_one(names, count, said, false);
}

/* ## Arguments that are wrapped up */

static bool is_one_of(gramc_text key, const char *const *words) {
    while (*words && !text_is_nocase(key, *words)) words++;
    return *words;
}

/* The tool is named by the member, or what kind of thing it is. */
static bool names_call(const struct json *member, gramc_text name) {
    static const char *const keys[] = {"name",   "tool", "tool_name", "function",
                                       "action", "type", "id",        NULL};
    bool is_call = text_is_nocase(member->key, "id") || text_is(member->text, "function") ||
                   text_is(member->text, "tool_call") || text_eq_nocase(member->text, name);
    return is_one_of(member->key, keys) && json_is(member, JSON_STRING) && is_call;
}

static bool holds_arguments(const struct json *member, gramc_text name) {
    static const char *const keys[] = {"arguments", "parameters", "args", "params",
                                       "input",     "kwargs",     NULL};
    bool object = json_is(member, JSON_OBJECT);
    bool inside = is_one_of(member->key, keys) && (object || json_is(member, JSON_STRING));
    return inside || (object && text_eq_nocase(member->key, name));
}

/* NULL: this is no wrapping, but what is wrapped, or another tool's. */
static const struct json *unwrap(const struct json *object, gramc_text name,
                                 const struct json *parameters) {
    static const char *const around[] = {"function", "tool_call", "function_call", NULL};
    const struct json *properties = json_get(parameters, "properties"), *found = NULL;
    for (const struct json *m = object->first; m; m = m->next) {
        bool inner = is_one_of(m->key, around) && json_is(m, JSON_OBJECT);
        if (json_get_text(properties, m->key)) return NULL;
        if (holds_arguments(m, name) && !found) found = m;
        else if (inner && !found) found = unwrap(m, name, parameters);
        else if (!names_call(m, name)) return NULL;
    }
    return found;
}

gramc_text prompted_arguments(struct arena *arena, gramc_text said, gramc_text name,
                              const struct json *parameters) {
    const struct json_wish wish = {.kinds = 1u << JSON_OBJECT};
    struct buf text;
    unsigned repairs;
    buf_init(&text, &arena->allocator, TOOL_RESULT_MAX);
    gramc_status status = json_tolerant(&text, said, &wish, &repairs);
    if (status == GRAMC_NOMEM) arena->oom = true;
    if (status) buf_free(&text);
    if (status) return said;
    gramc_text json = buf_to_arena(&text, arena);
    const struct json *object = json.ptr ? json_parse(arena, json, NULL) : NULL;
    const struct json *inside =
        json_is(object, JSON_OBJECT) ? unwrap(object, name, parameters) : NULL;
    if (!inside) return said;
    return inside->kind == JSON_STRING ? inside->text
                                       : text_slice(json, inside->start, inside->end);
}
