/* Finds the texts that a schema calls secret in a value: walks both side by side. A member that any
 * of several schemas calls so is one, whichever of them holds; what is hidden too much does no
 * harm. Keeping and hiding them is secret.c's. */
#include "runtime/secret_typed.h"

#include <stdio.h>
#include <string.h>

#include "base/json/json.h"
#include "base/text.h"

/* A schema may lead to itself, which costs no depth of the value. */
enum { DEEPEST = 64, MOST_VISITS = 100000, NAME_MAX_LEN = 64 };

struct typed_search {
    struct secrets **known;
    const gramc_allocator *allocator;
    const struct json *root;
    unsigned visits;
    gramc_status status;
};

/* One place: a value, the schema for it, what it is called. */
struct typed_place {
    const struct json *schema, *value;
    gramc_text name;
    unsigned depth;
};

static void visit(struct typed_search *search, struct typed_place place);

static void learn(struct typed_search *search, const struct typed_place *place) {
    char name[NAME_MAX_LEN + 16];
    int len = snprintf(name, sizeof name, SECRET_TYPED "%.*s",
                       place->name.len < NAME_MAX_LEN ? (int)place->name.len : NAME_MAX_LEN,
                       place->name.ptr ? place->name.ptr : "");
    const gramc_pair pair = {{name, (size_t)len}, place->value->text};
    search->status = secrets_learn(search->known, search->allocator, &pair, 1);
}

static void visit_under(struct typed_search *search, const struct typed_place *place,
                        const struct json *schema) {
    struct typed_place next = {schema, place->value, place->name, place->depth + 1};
    if (schema) visit(search, next);
}

/* All of them may be what the value is. */
static void visit_each(struct typed_search *search, const struct typed_place *place,
                       const char *keyword) {
    const struct json *list = json_get(place->schema, keyword);
    for (const struct json *s = list ? list->first : NULL; s; s = s->next)
        visit_under(search, place, s);
}

static void visit_reference(struct typed_search *search, const struct typed_place *place) {
    static const char prefix[] = "#/$defs/";
    const struct json *reference = json_get(place->schema, "$ref");
    if (!reference || reference->kind != JSON_STRING) return;
    gramc_text to = reference->text;
    if (text_is(to, "#")) visit_under(search, place, search->root);
    if (!text_starts(to, prefix)) return;
    const struct json *all = json_get(search->root, "$defs");
    visit_under(search, place,
                all ? json_get_text(all, text_slice(to, sizeof prefix - 1, to.len)) : NULL);
}

static void visit_member(struct typed_search *search, const struct typed_place *place,
                         const struct json *member) {
    struct typed_place inner = {NULL, member, member->key, place->depth};
    const struct json *fields = json_get(place->schema, "properties"),
                      *patterns = json_get(place->schema, "patternProperties");
    const struct json *field = fields ? json_get_text(fields, member->key) : NULL;
    visit_under(search, &inner, field);
    for (const struct json *p = patterns ? patterns->first : NULL; p; p = p->next)
        visit_under(search, &inner, p);
    if (!field) visit_under(search, &inner, json_get(place->schema, "additionalProperties"));
}

static void visit_items(struct typed_search *search, const struct typed_place *place) {
    const struct json *prefix = json_get(place->schema, "prefixItems");
    const struct json *rest = json_get(place->schema, "items");
    const struct json *own = prefix ? prefix->first : NULL;
    for (const struct json *item = place->value->first; item; item = item->next) {
        struct typed_place inner = {NULL, item, place->name, place->depth};
        visit_under(search, &inner, own ? own : rest);
        own = own ? own->next : NULL;
    }
}

/* Recursion is bounded by DEEPEST and by the depth of the value. */
static void visit(struct typed_search *search, struct typed_place place) {
    static const char *const lists[] = {"allOf", "anyOf", "oneOf"};
    bool over = search->status || place.depth > DEEPEST || ++search->visits > MOST_VISITS;
    if (over || place.schema->kind != JSON_OBJECT) return;
    const struct json *format = json_get(place.schema, "format");
    bool secret = format && format->kind == JSON_STRING && text_is(format->text, "password");
    if (secret && place.value->kind == JSON_STRING) learn(search, &place);
    visit_reference(search, &place);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) visit_each(search, &place, lists[i]);
    if (place.value->kind == JSON_ARRAY) visit_items(search, &place);
    for (const struct json *m = place.value->kind == JSON_OBJECT ? place.value->first : NULL; m;
         m = m->next)
        visit_member(search, &place, m);
}

/* Nearly no schema has any: a look at its bytes says so. */
static bool may_have_secrets(gramc_text schema) {
    static const char word[] = "\"password\"";
    size_t len = sizeof word - 1;
    for (size_t i = 0; i + len <= schema.len; i++) {
        const char *next = memchr(schema.ptr + i, '"', schema.len - i);
        if (!next) return false;
        i = (size_t)(next - schema.ptr);
        if (i + len <= schema.len && memcmp(next, word, len) == 0) return true;
    }
    return false;
}

gramc_status secrets_learn_typed(struct secrets **known, const gramc_allocator *allocator,
                                 gramc_text schema, const struct json *document, gramc_text json) {
    struct arena scratch;
    if (!may_have_secrets(schema)) return GRAMC_OK;
    arena_init(&scratch, allocator);
    const struct json *root = document ? document : json_parse(&scratch, schema, NULL);
    gramc_text mended = json_mended(&scratch, json);
    const struct json *value = root ? json_parse(&scratch, mended, NULL) : NULL;
    struct typed_search search = {known, allocator, root, 0, GRAMC_OK};
    const struct typed_place whole = {root, value, {NULL, 0}, 0};
    if (value) visit(&search, whole);
    bool oom = scratch.oom;
    arena_free(&scratch);
    return oom ? GRAMC_NOMEM : search.status;
}

/* Models put words around it. */
static gramc_text object_in(gramc_text text) {
    size_t start = 0, end = text.len;
    while (start < end && text.ptr[start] != '{') start++;
    while (end > start && text.ptr[end - 1] != '}') end--;
    return text_slice(text, start, end);
}

gramc_status secrets_learn_reply(struct secrets **known, const gramc_allocator *allocator,
                                 const struct bound_step *step,
                                 const struct bound_tool *arguments_of, const struct reply *reply) {
    gramc_status status = GRAMC_OK;
    for (size_t i = 0; step && i < reply->call_count && !status; i++) {
        const struct bound_tool *tool = step_find(step, reply->calls[i].name);
        if (tool)
            status = secrets_learn_typed(known, allocator, tool->tool->parameters,
                                         tool->tool->document, reply->calls[i].arguments);
    }
    if (arguments_of && !status)
        status = secrets_learn_typed(known, allocator, arguments_of->tool->parameters,
                                     arguments_of->tool->document, object_in(reply->content));
    if (step && step->output.len && !status)
        status = secrets_learn_typed(known, allocator, step->output, step->output_document,
                                     reply->content);
    return status;
}
