/* Looks through a printed JSON Schema for arrays that do not say of what they are: OpenAI refuses
 * the whole request for one. */
#include "compiler/emit/target.h"

#include "base/text.h"

enum { LONGEST_PLACE = 512 };

struct items_search {
    struct emission *e;
    const struct tool *tool;
    struct buf place; /* `a.b[]` of the schema that is looked at */
};

static void look(struct items_search *s, const struct json *schema);

static void report(const struct items_search *s) {
    gramc_text place = buf_view(&s->place);
    size_t end = 0;
    while (end < place.len && place.ptr[end] != '.' && place.ptr[end] != '[') end++;
    struct span at = s->tool->name_at;
    for (const struct field *f = s->tool->signature->parameters; f; f = f->next)
        if (text_eq(f->name, text_slice(place, 0, end))) at = f->span;
    FIND(s->e->findings, D_NO_ITEMS, s->tool->source, at, place.len ? place : s->tool->public.name,
         text_of(s->e->target->name));
}

static void look_inside(struct items_search *s, const char *step, gramc_text name,
                        const struct json *schema) {
    size_t len = s->place.len;
    if (name.len && len) buf_putc(&s->place, '.');
    buf_text(&s->place, name);
    buf_puts(&s->place, step);
    look(s, schema);
    s->place.len = len;
}

static bool is_array(const struct json *schema) {
    const struct json *type = json_get(schema, "type");
    if (json_is(type, JSON_STRING)) return text_is(type->text, "array");
    for (const struct json *t = json_is(type, JSON_ARRAY) ? type->first : NULL; t; t = t->next)
        if (json_is(t, JSON_STRING) && text_is(t->text, "array")) return true;
    return false;
}

/* Where a schema holds others. */
enum inside { ONE, LIST, MAP };
static const struct {
    const char *keyword;
    enum inside inside;
} keywords[] = {{"items", ONE},
                {"additionalProperties", ONE},
                {"contains", ONE},
                {"not", ONE},
                {"if", ONE},
                {"then", ONE},
                {"else", ONE},
                {"propertyNames", ONE},
                {"unevaluatedItems", ONE},
                {"unevaluatedProperties", ONE},
                {"anyOf", LIST},
                {"oneOf", LIST},
                {"allOf", LIST},
                {"prefixItems", LIST},
                {"properties", MAP},
                {"$defs", MAP},
                {"patternProperties", MAP},
                {"dependentSchemas", MAP}};

static void look_below(struct items_search *s, enum inside inside, const struct json *value) {
    const gramc_text here = {NULL, 0};
    bool several = json_is(value, inside == LIST ? JSON_ARRAY : JSON_OBJECT);
    if (inside == ONE) look_inside(s, "[]", here, value);
    for (const struct json *v = inside != ONE && several ? value->first : NULL; v; v = v->next)
        look_inside(s, "", inside == MAP ? v->key : here, v);
}

/* Recursion is bounded by the depth to which JSON is read. */
static void look(struct items_search *s, const struct json *schema) {
    if (!json_is(schema, JSON_OBJECT)) return;
    if (is_array(schema) && !json_get(schema, "items")) report(s);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        const struct json *value = json_get(schema, keywords[i].keyword);
        if (value) look_below(s, keywords[i].inside, value);
    }
}

void items_check(struct emission *e, const struct tool *tool, const struct json *document) {
    struct items_search s = {.e = e, .tool = tool};
    buf_init(&s.place, &e->arena.allocator, LONGEST_PLACE);
    look(&s, document);
    if (s.place.state == BUF_NOMEM) e->arena.oom = true;
    buf_free(&s.place);
}
