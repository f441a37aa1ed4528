/* Compares the schema that came in with the one that compiles from what was written: objects are
 * unordered, `required` is a set, an empty one is none, references are followed on both sides. */
#include "compiler/importer/parts.h"

#include "base/text.h"
#include "jsonschema/keywords.h"

#include <string.h>

enum { LAYERS = 16 };

/* A schema and what it refers to. Both hold, so that of words for people alone the first counts. */
struct view {
    const struct json *layers[LAYERS];
    size_t count;
};

/* Two schemas of which at least one is a reference. They wait their turn rather than being followed
 * at once: a chain of references may be as long as the document. */
struct schema_pair {
    struct schema_pair *next;
    const struct json *a, *b;
};

struct same_check {
    struct importer *in;
    const struct json *root; /* of the compiled side */
    struct map seen;         /* pairs behind references */
    struct schema_pair *first, **last;
    const struct json *found;
};

static const struct json *behind(const struct same_check *c, const struct json *schema, bool left) {
    const struct json *reference = json_get(schema, "$ref");
    if (!json_is(reference, JSON_STRING)) return NULL;
    if (left) {
        const struct import_type *type = map_get(&c->in->references, reference->text);
        return type ? type->schema : NULL;
    }
    bool local = text_starts(reference->text, "#");
    return local ? json_at(c->root, text_slice(reference->text, 1, reference->text.len)) : NULL;
}

static struct view view_of(const struct same_check *c, const struct json *schema, bool left) {
    struct view view = {.count = 0};
    for (; json_is(schema, JSON_OBJECT) && view.count < LAYERS; schema = behind(c, schema, left))
        view.layers[view.count++] = schema;
    return view;
}

/* Said elsewhere, or nothing that is sent. */
static bool is_structure(const struct same_check *c, gramc_text key) {
    return (c->in->bundles && text_is(key, "meta")) || text_is(key, "$ref") ||
           text_is(key, "$defs") || text_is(key, "required");
}

static const struct json *get(const struct view *view, gramc_text key) {
    const struct json *value = NULL;
    for (size_t i = 0; i < view->count && !value; i++) value = json_get_text(view->layers[i], key);
    return value;
}

static size_t members(const struct same_check *c, const struct view *view) {
    size_t count = 0;
    for (size_t i = 0; i < view->count; i++)
        for (const struct json *m = view->layers[i]->first; m; m = m->next) {
            size_t over = 0;
            while (over < i && !json_get_text(view->layers[over], m->key)) over++;
            if (over == i && !is_structure(c, m->key)) count++;
        }
    return count;
}

static bool same_schema(struct same_check *c, const struct json *a, const struct json *b);

static bool names_within(const struct json *a, const struct json *b) {
    for (const struct json *x = a ? a->first : NULL; x; x = x->next) {
        const struct json *y = b ? b->first : NULL;
        while (y && !json_equal(x, y)) y = y->next;
        if (!y) return false;
    }
    return true;
}

static bool same_required(const struct json *a, const struct json *b) {
    bool lists = (!a || a->kind == JSON_ARRAY) && (!b || b->kind == JSON_ARRAY);
    if (!lists) return a && b && json_equal(a, b);
    return (a ? a->count : 0) == (b ? b->count : 0) && names_within(a, b) && names_within(b, a);
}

static bool same_map(struct same_check *c, const struct json *a, const struct json *b) {
    if (a->count != b->count) return false;
    for (const struct json *x = a->first; x; x = x->next) {
        const struct json *y = json_get_text(b, x->key);
        if (!y || !same_schema(c, x, y)) return false;
    }
    return true;
}

static bool same_list(struct same_check *c, const struct json *a, const struct json *b) {
    const struct json *x = a->first, *y = b->first;
    while (x && y && same_schema(c, x, y)) {
        x = x->next;
        y = y->next;
    }
    return !x && !y;
}

static bool same_keyword(struct same_check *c, const struct json *a, const struct json *b) {
    enum keyword_content content = a->kind == b->kind ? keyword_content(a) : CONTENT_DATA;
    if (content == CONTENT_SCHEMA) return same_schema(c, a, b);
    if (content == CONTENT_DATA) return json_equal(a, b);
    return a->kind == JSON_ARRAY ? same_list(c, a, b) : same_map(c, a, b);
}

/* Each pair once: if they are not the same, that will come out when it is their turn. */
static void compare_later(struct same_check *c, const struct json *a, const struct json *b) {
    const struct json *both[2] = {a, b};
    gramc_text key = {(const char *)both, sizeof both};
    struct schema_pair *pair =
        map_get(&c->seen, key) ? NULL : ARENA_NEW(&c->in->scratch, struct schema_pair);
    gramc_text kept = pair ? arena_text(&c->in->scratch, key) : (gramc_text){NULL, 0};
    if (!kept.ptr) return;
    *pair = (struct schema_pair){NULL, a, b};
    map_put(&c->seen, kept, pair);
    *c->last = pair;
    c->last = &pair->next;
}

/* Two layers demand different things by one keyword, which no schema with that keyword once can. */
static bool says_twice(const struct view *view) {
    for (size_t i = 1; i < view->count; i++)
        for (const struct json *m = view->layers[i]->first; m; m = m->next) {
            const struct json *other = import_asserts(m) ? get(view, m->key) : m;
            if (other != m && !json_equal(m, other)) return true;
        }
    return false;
}

static bool same_views(struct same_check *c, const struct view *x, const struct view *y) {
    if (says_twice(x) || says_twice(y)) return false;
    if (members(c, x) != members(c, y) ||
        !same_required(get(x, TEXT("required")), get(y, TEXT("required"))))
        return false;
    for (size_t i = 0; i < x->count; i++)
        for (const struct json *m = x->layers[i]->first; m; m = m->next) {
            if (is_structure(c, m->key) || get(x, m->key) != m) continue;
            const struct json *other = get(y, m->key);
            if (!other || !same_keyword(c, m, other)) return false;
        }
    return true;
}

/* What to write otherwise: the first that says something beside a reference, as raw schema beside
 * the name of a type stands in place of that type's own. */
static const struct json *to_blame(const struct same_check *c, const struct view *view,
                                   const struct json *otherwise) {
    for (size_t i = 0; i < view->count; i++) {
        const struct json *layer = view->layers[i];
        bool beside = json_get(layer, "$ref") && layer->count > 1;
        if (beside && !(import_marks(c->in, layer) & (MARK_RAW | MARK_DROP | MARK_CHANGED)))
            return layer;
    }
    return otherwise;
}

static bool same_layers(struct same_check *c, const struct json *a, const struct json *b) {
    struct view x = view_of(c, a, true), y = view_of(c, b, false);
    if (same_views(c, &x, &y)) return true;
    if (!c->found) c->found = to_blame(c, &x, a);
    return false;
}

/* Recursion is as deep as the schemas. */
static bool same_schema(struct same_check *c, const struct json *a, const struct json *b) {
    if (a->kind != JSON_OBJECT || b->kind != JSON_OBJECT) return json_equal(a, b);
    if (import_marks(c->in, a) & (MARK_DROP | MARK_CHANGED)) return true;
    if (!behind(c, a, true) && !behind(c, b, false)) return same_layers(c, a, b);
    compare_later(c, a, b);
    return true;
}

const struct json *import_difference(struct importer *in, const struct json *a,
                                     const struct json *b, const struct json *root) {
    struct same_check c = {.in = in, .root = root};
    map_init(&c.seen, &in->scratch);
    c.last = &c.first;
    bool same = same_schema(&c, a, b);
    for (const struct schema_pair *pair = c.first; pair && same; pair = pair->next)
        same = same_layers(&c, pair->a, pair->b);
    return same ? NULL : c.found;
}
