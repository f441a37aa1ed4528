/* Turns a schema into one without the members that only go the other way: `readOnly` ones of a
 * request, `writeOnly` ones of an answer. A type that has such members, at whatever depth, cannot
 * be referred to any more: its schema stands in the place of the reference. Where a type comes back
 * to itself the inner reference stays as it is. What is known of a reference is kept for the whole
 * document. */
#include "compiler/importer/openapi.h"

#include "base/text.h"

enum { DEEPEST = 40, MOST_NODES = 20000 };

struct one_way {
    const struct api_operation *o;
    const char *mark;
    struct map *seen;                  /* references that were looked into, to what was found */
    size_t nodes;                      /* of what was copied */
    const struct json *stack[DEEPEST]; /* references that are being written out */
    size_t depth;
};

static const struct json *target_of(const struct one_way *w, const struct json *schema) {
    return import_target(w->o->in, w->o->document, import_text(schema, "$ref"));
}

/* The mark, beside a reference too; NULL: it has none. */
static const struct json *mark_of(const struct one_way *w, const struct json *member) {
    const struct json *own = json_get(member, w->mark);
    if (!json_is(own, JSON_TRUE)) own = json_get(openapi_follow(w->o, member), w->mark);
    return json_is(own, JSON_TRUE) ? own : NULL;
}

static bool is_marked(const struct one_way *w, const struct json *member) {
    return mark_of(w, member);
}

/* What stands in these is data. */
static bool is_data(gramc_text key) {
    static const char *const words[] = {"default", "example", "examples", "enum", "const", NULL};
    return import_in_list(key, words);
}

/* ## Looking */

static bool holds(struct one_way *w, const struct json *value, size_t depth);

static bool holds_behind(struct one_way *w, const struct json *schema, size_t depth) {
    static const char found = 1, open = 0;
    const struct json *target = target_of(w, schema);
    gramc_text reference = import_text(schema, "$ref");
    const char *known = target ? map_get(w->seen, reference) : &open;
    if (known) return *known;
    char *answer = ARENA_NEW(w->o->in->arena, char);
    if (!answer) return false;
    map_put(w->seen, reference, answer);
    bool holding = holds(w, target, depth + 1);
    *answer = holding ? found : open;
    return holding;
}

static bool holds_properties(const struct one_way *w, const struct json *properties) {
    for (const struct json *p = json_is(properties, JSON_OBJECT) ? properties->first : NULL; p;
         p = p->next)
        if (is_marked(w, p)) return true;
    return false;
}

static bool holds(struct one_way *w, const struct json *value, size_t depth) {
    if (depth == DEEPEST) return false;
    if (json_is(value, JSON_OBJECT) && holds_properties(w, json_get(value, "properties")))
        return true;
    if (json_is(value, JSON_OBJECT) && holds_behind(w, value, depth)) return true;
    bool container = json_is(value, JSON_OBJECT) || json_is(value, JSON_ARRAY);
    for (const struct json *m = container ? value->first : NULL; m; m = m->next)
        if (!is_data(m->key) && holds(w, m, depth + 1)) return true;
    return false;
}

/* ## Writing */

static struct json *copy_of(struct one_way *w, const struct json *value) {
    struct json *copy = ARENA_NEW(w->o->in->arena, struct json);
    if (!copy) return NULL;
    *copy = *value;
    copy->next = NULL;
    return copy;
}

static const struct json *written(struct one_way *w, const struct json *value);

static struct json *without_children(struct one_way *w, const struct json *value) {
    struct json *copy = copy_of(w, value);
    if (!copy) return NULL;
    copy->first = NULL;
    copy->count = 0;
    w->nodes++;
    return copy;
}

static struct json *properties_left(struct one_way *w, const struct json *properties) {
    struct json *left = without_children(w, properties);
    for (const struct json *p = properties->first; p && left; p = p->next) {
        if (!is_marked(w, p)) import_append(left, copy_of(w, written(w, p)));
        else
            import_lose(w->o->in, mark_of(w, p), NULL,
                        text_is(text_of(w->mark), "readOnly") ? "members of what is sent"
                                                              : "members of what comes back");
    }
    return left;
}

static struct json *required_left(struct one_way *w, const struct json *required,
                                  const struct json *properties) {
    struct json *left = without_children(w, required);
    for (const struct json *r = required->first; r && left; r = r->next) {
        const struct json *member = json_get_text(properties, r->text);
        if (!member || !is_marked(w, member)) import_append(left, copy_of(w, r));
    }
    return left;
}

static struct json *object_left(struct one_way *w, const struct json *object) {
    const struct json *properties = json_get(object, "properties");
    struct json *left = without_children(w, object);
    for (const struct json *m = object->first; m && left; m = m->next) {
        bool is_list = text_is(m->key, "required") && m->kind == JSON_ARRAY;
        if (m == properties && m->kind == JSON_OBJECT) import_append(left, properties_left(w, m));
        else if (is_list) import_append(left, required_left(w, m, properties));
        else import_append(left, copy_of(w, is_data(m->key) ? m : written(w, m)));
    }
    return left;
}

/* Beside what the reference leads to: its words, which say more of the place. */
static const struct json *written_out(struct one_way *w, const struct json *schema) {
    const struct json *target = target_of(w, schema);
    for (size_t i = 0; i < w->depth; i++)
        if (w->stack[i] == target) return schema;
    if (w->depth == DEEPEST) return schema;
    for (const struct json *m = schema->first; m; m = m->next)
        if (!text_is(m->key, "$ref") && !text_is(m->key, "description")) return schema;
    w->stack[w->depth++] = target;
    const struct json *said = json_get(schema, "description");
    struct json *made = copy_of(w, written(w, target));
    w->depth--;
    if (!made) return schema;
    made->key = schema->key;
    if (!said) return made;
    struct json *whole = without_children(w, made);
    for (const struct json *m = made->first; m && whole; m = m->next)
        if (!text_is(m->key, "description")) import_append(whole, copy_of(w, m));
    import_append(whole, copy_of(w, said));
    return whole;
}

static const struct json *written(struct one_way *w, const struct json *value) {
    const struct json *made = value;
    bool list = json_is(value, JSON_ARRAY), object = json_is(value, JSON_OBJECT);
    if ((!list && !object) || w->nodes > MOST_NODES || !holds(w, value, 0)) return value;
    if (object && target_of(w, value)) made = written_out(w, value);
    else if (object) made = object_left(w, value);
    else {
        struct json *left = without_children(w, value);
        for (const struct json *m = value->first; m && left; m = m->next)
            import_append(left, copy_of(w, written(w, m)));
        made = left;
    }
    return made ? made : value;
}

const struct json *openapi_without(const struct api_operation *o, const struct json *schema,
                                   const char *mark) {
    bool answers = text_is(text_of(mark), "writeOnly");
    struct one_way w = {.o = o, .mark = mark, .seen = &o->in->one_way[answers]};
    return written(&w, schema);
}
