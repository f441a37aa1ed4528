/* Judges the form of what a case expects, by a table of its members. Whether a regular expression
 * can be compiled, and whether an answer is as expected, is decided elsewhere. */
#include "base/expectation.h"

#include "base/text.h"

/* ## Forms */

static bool is_any(const struct json *value) {
    return value != NULL;
}

static bool is_named(const struct json *value) {
    return value->kind == JSON_STRING && value->text.len;
}

/* One that `fits`, or a list of them that is not empty. */
static bool is_some(const struct json *value, bool (*fits)(const struct json *)) {
    if (value->kind != JSON_ARRAY) return fits(value);
    const struct json *v = value->first;
    while (v && fits(v)) v = v->next;
    return !v && value->count;
}

static bool is_texts(const struct json *value) {
    return is_some(value, is_named);
}

static bool is_object(const struct json *value) {
    return value->kind == JSON_OBJECT;
}

/* A map from JSON Pointer to value. */
static bool is_pointers(const struct json *value) {
    if (value->kind != JSON_OBJECT || !value->count) return false;
    const struct json *m = value->first;
    while (m && (!m->key.len || m->key.ptr[0] == '/')) m = m->next;
    return !m;
}

/* `${field}` stands for what the field holds, which is judged when it is filled in. */
static bool is_field(const struct json *value) {
    return value->kind == JSON_STRING && text_starts(value->text, "${");
}

/* A tool's name, or {name, arguments}. */
static bool is_call(const struct json *value) {
    if (value->kind != JSON_OBJECT) return is_named(value);
    for (const struct json *m = value->first; m; m = m->next) {
        bool name = text_is(m->key, "name") && is_named(m);
        if (!name && !(text_is(m->key, "arguments") && (is_object(m) || is_field(m)))) return false;
    }
    return json_get(value, "name") != NULL;
}

/* An empty list says that nothing is called. */
static bool is_calls(const struct json *value) {
    return (value->kind == JSON_ARRAY && !value->count) || is_some(value, is_call);
}

static bool is_arguments(const struct json *value) {
    return is_object(value) || is_field(value);
}

static bool is_mode(const struct json *value) {
    return value->kind == JSON_STRING &&
           (text_is(value->text, "strict") || text_is(value->text, "bfcl"));
}

/* ## The table */

static const struct {
    const char *name, *wanted;
    bool (*fits)(const struct json *value);
} members[EXPECTATION_MEMBERS] = {
    [EXPECT_EQUALS] = {"equals", "any value", is_any},
    [EXPECT_CONTAINS] = {"contains", "a text, or a list of texts", is_texts},
    [EXPECT_MATCHES] = {"matches", "a regular expression, or a list of them", is_texts},
    [EXPECT_JSON] = {"json", "any value", is_any},
    [EXPECT_POINTER] = {"pointer", "a map from JSON Pointer (`/name`) to value", is_pointers},
    [EXPECT_CALLS] = {"calls", "a tool's name, or a list of {name, arguments}", is_calls},
    [EXPECT_NOT_CALLS] = {"notCalls", "a tool's name, or a list of them", is_texts},
    [EXPECT_ARGUMENTS] = {"arguments", "a map from argument to value", is_arguments},
    [EXPECT_MODE] = {"mode", "strict or bfcl", is_mode}};

const char *expectation_name(enum expectation_member member) {
    return members[member].name;
}

const char *expectation_wanted(enum expectation_member member) {
    return members[member].wanted;
}

bool expectation_fits(enum expectation_member member, const struct json *value) {
    return members[member].fits(value);
}

enum expectation_member expectation_named(gramc_text name) {
    int i = 0;
    while (i < EXPECTATION_MEMBERS && !text_is(name, members[i].name)) i++;
    return (enum expectation_member)i;
}

/* ## A whole object */

/* `arguments` belongs to one call that is only named. */
static bool names_one_call(const struct json *calls) {
    if (json_is(calls, JSON_ARRAY)) return calls->count == 1 && calls->first->kind == JSON_STRING;
    return json_is(calls, JSON_STRING);
}

enum expectation_fault expectation_check(const struct json *object, const struct json **where) {
    const struct json *seen[EXPECTATION_MEMBERS] = {NULL};
    bool asks = false;
    for (const struct json *m = object->first; m; m = m->next) {
        enum expectation_member member = expectation_named(m->key);
        *where = m;
        if (member == EXPECTATION_MEMBERS) return EXPECTATION_UNKNOWN;
        if (seen[member]) return EXPECTATION_TWICE;
        if (!expectation_fits(member, m)) return EXPECTATION_MISFIT;
        seen[member] = m;
        asks = asks || member < EXPECTATION_CHECKS;
    }
    const struct json *calls = seen[EXPECT_CALLS];
    if ((*where = seen[EXPECT_ARGUMENTS]) && !names_one_call(calls)) return EXPECTATION_DANGLING;
    if ((*where = seen[EXPECT_MODE]) && !calls) return EXPECTATION_DANGLING;
    return asks ? EXPECTATION_FINE : EXPECTATION_EMPTY;
}
