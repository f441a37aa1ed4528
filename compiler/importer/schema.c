/* Brings the schemas that tools are described with into one form: JSON Schema 2020-12 as a tree of
 * its own, each key once, references resolved to types, the type names of programming languages and
 * of providers translated. What of it gram can say is type.c's question. */
#include "compiler/importer/parts.h"

#include "base/text.h"
#include "jsonschema/keywords.h"
#include "jsonschema/types.h"

/* MOST_MEMBERS: beyond, what looks a key up for each key would take too long. */
enum { DEEPEST = 100, MOST_MEMBERS = 10000 };

/* ## Trees */

struct json *import_json(struct arena *arena, enum json_kind kind, gramc_text key,
                         gramc_text text) {
    struct json *node = ARENA_NEW(arena, struct json);
    if (!node) return NULL;
    node->kind = (uint8_t)kind;
    node->key = key;
    node->text = text;
    return node;
}

void import_append(struct json *parent, struct json *child) {
    if (!parent || !child) return;
    struct json **link = &parent->first;
    while (*link) link = &(*link)->next;
    *link = child;
    child->next = NULL;
    parent->count++;
}

gramc_text import_text(const struct json *object, const char *key) {
    const struct json *value = json_get(object, key);
    return json_is(value, JSON_STRING) ? value->text : (gramc_text){NULL, 0};
}

/* A node of its own that shares what is inside. */
static struct json *share(struct importer *in, const struct json *value) {
    struct json *copy = ARENA_NEW(in->arena, struct json);
    if (!copy) return NULL;
    *copy = *value;
    copy->next = NULL;
    return copy;
}

static struct json *empty_like(struct importer *in, const struct json *value) {
    struct json *copy = share(in, value);
    if (!copy) return NULL;
    copy->first = NULL;
    copy->count = 0;
    return copy;
}

/* Appends at *tail; returns the new tail. */
static struct json **append(struct json *parent, struct json **tail, struct json *child) {
    if (!child) return tail;
    *tail = child;
    parent->count++;
    return &child->next;
}

/* ## Type names */

static const struct {
    const char *name, *type; /* type NULL: no constraint */
} type_names[] = {
    {"str", "string"},
    {"char", "string"},
    {"character", "string"},
    {"text", "string"},
    {"int", "integer"},
    {"long", "integer"},
    {"short", "integer"},
    {"byte", "integer"},
    {"bigint", "integer"},
    {"biginteger", "integer"},
    {"float", "number"},
    {"double", "number"},
    {"decimal", "number"},
    {"bigdecimal", "number"},
    {"bool", "boolean"},
    {"list", "array"},
    {"tuple", "array"},
    {"arraylist", "array"},
    {"linkedlist", "array"},
    {"vector", "array"},
    {"set", "array"},
    {"hashset", "array"},
    {"queue", "array"},
    {"stack", "array"},
    {"dict", "object"},
    {"map", "object"},
    {"hashmap", "object"},
    {"hashtable", "object"},
    {"none", "null"},
    {"nonetype", "null"},
    {"void", "null"},
    {"any", NULL},
    {"", NULL},
};

static bool find_type(gramc_text name, const char **type) {
    for (enum json_type t = 0; t < JSON_TYPES; t++)
        if (text_is_nocase(name, *type = json_type_name(t))) return true;
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        if (text_is_nocase(name, type_names[i].name)) {
            *type = type_names[i].type;
            return true;
        }
    *type = NULL;
    return false;
}

/* One note a spelling: such files have thousands of them. */
static void report_foreign(struct importer *in, const struct json *at, const char *type) {
    gramc_text text = type ? text_of(type) : TEXT("no constraint");
    struct json *marker = share(in, at);
    if (in->dialect == IMPORT_DIALECT_GEMINI || !marker) return;
    if (map_put(&in->foreign, at->text, marker) == marker)
        import_find(in, D_IMPORT_TYPE_NAME, in->source, at, at->text, text);
}

/* NULL: leave it out. */
static struct json *type_name(struct importer *in, const struct json *value) {
    const char *type = NULL;
    if (!find_type(value->text, &type)) {
        import_find(in, D_IMPORT_LOST, in->source, value, TEXT("type"), value->text);
        return NULL;
    }
    if (type && text_is(value->text, type)) return share(in, value);
    report_foreign(in, value, type);
    struct json *copy = type ? share(in, value) : NULL;
    if (copy) copy->text = text_of(type);
    return copy;
}

/* A list with a name that means no constraint is none. */
static struct json *normal_type(struct importer *in, const struct json *value) {
    if (value->kind == JSON_STRING) return type_name(in, value);
    if (value->kind != JSON_ARRAY) return share(in, value);
    struct json *list = empty_like(in, value), **tail = list ? &list->first : NULL;
    for (const struct json *item = value->first; item && list; item = item->next) {
        struct json *name = item->kind == JSON_STRING ? type_name(in, item) : NULL;
        if (!name) return NULL;
        tail = append(list, tail, name);
    }
    return list;
}

/* ## Keywords */

static struct json *normalise(struct importer *in, const struct json *schema, unsigned depth);

/* true and false as schemas are objects here. */
static struct json *subschema(struct importer *in, const struct json *value, unsigned depth) {
    if (value->kind == JSON_OBJECT) return normalise(in, value, depth + 1);
    struct json *object = empty_like(in, value);
    if (!object || (value->kind != JSON_TRUE && value->kind != JSON_FALSE)) return NULL;
    object->kind = JSON_OBJECT;
    if (value->kind == JSON_FALSE)
        import_append(object, import_json(in->arena, JSON_OBJECT, TEXT("not"), TEXT("")));
    return object;
}

static bool is_too_large(struct importer *in, const struct json *value) {
    bool large = value->count > MOST_MEMBERS;
    if (large)
        import_find(in, D_IMPORT_LOST, in->source, value, value->key,
                    TEXT("more than 10,000 members"));
    return large;
}

static struct json *each_of(struct importer *in, const struct json *value, unsigned depth) {
    struct json *copy = empty_like(in, value), **tail = copy ? &copy->first : NULL;
    bool or_names = value->kind == JSON_OBJECT && text_is(value->key, "dependencies");
    if (is_too_large(in, value)) return copy;
    for (const struct json *item = value->first; item && copy; item = item->next) {
        const struct json *kept =
            value->kind == JSON_OBJECT ? json_get_text(value, item->key) : item;
        bool is_names = or_names && item->kind == JSON_ARRAY;
        struct json *child = kept != item ? NULL
                             : is_names   ? share(in, item)
                                          : subschema(in, item, depth);
        if (kept == item && !child && !in->arena->oom)
            import_find(in, D_IMPORT_LOST, in->source, item, item->key.len ? item->key : value->key,
                        TEXT("the schema"));
        tail = append(copy, tail, child);
    }
    return copy;
}

static struct json *applied(struct importer *in, const struct json *value, unsigned depth) {
    switch (keyword_content(value)) {
    case CONTENT_DATA: break;
    case CONTENT_SCHEMA:
        if (value->kind == JSON_OBJECT) return normalise(in, value, depth + 1);
        break;
    case CONTENT_SCHEMAS: return each_of(in, value, depth);
    }
    return share(in, value);
}

static struct json *normal_reference(struct importer *in, const struct json *value) {
    if (value->kind != JSON_STRING) return share(in, value);
    struct buf key;
    buf_init(&key, &in->arena->allocator, 1 << 16);
    buf_printf(&key, "%u", (unsigned)in->document_number);
    buf_text(&key, value->text);
    struct json *copy = share(in, value);
    if (copy && key.state == BUF_FINE) copy->text = arena_text(in->arena, buf_view(&key));
    if (key.state == BUF_NOMEM) in->arena->oom = true;
    buf_free(&key);
    if (copy && import_reference(in, copy->text)) return copy;
    if (!in->arena->oom)
        import_find(in, D_IMPORT_LOST, in->source, value, TEXT("$ref"), value->text);
    return NULL;
}

/* 2019-09 refers so to the whole, of which there is one here. */
static struct json *recursive_reference(struct importer *in, const struct json *value) {
    struct json *reference = normal_reference(in, value);
    if (reference) reference->key = TEXT("$ref");
    return reference;
}

/* ## Dialects */

static const char *const silent[] = {"$defs",   "definitions",    "$schema",
                                     "$id",     "$comment",       "$recursiveAnchor",
                                     "$anchor", "$dynamicAnchor", "$vocabulary"};
static const char *const silent_places[] = {"propertyOrdering", "xml",      "externalDocs",
                                            "discriminator",    "nullable", "example",
                                            "x-nullable"};

static bool in_list(gramc_text key, const char *const *list, size_t count) {
    size_t i = 0;
    while (i < count && !text_is(key, list[i])) i++;
    return i < count;
}

/* Draft 4 says `id`; of that name there are keywords of somebody's own, too. */
static bool is_identifier(const struct json *member) {
    return text_is(member->key, "id") && member->kind == JSON_STRING;
}

static bool is_silent(const struct importer *in, const struct json *member) {
    gramc_text key = member->key;
    if (in_list(key, silent, sizeof silent / sizeof *silent) || is_identifier(member)) return true;
    return in->dialect != IMPORT_DIALECT_SCHEMA &&
           in_list(key, silent_places, sizeof silent_places / sizeof *silent_places);
}

static bool is_digits(gramc_text text) {
    size_t i = 0;
    while (i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9') i++;
    return text.len > 0 && i == text.len && (text.len == 1 || text.ptr[0] != '0');
}

/* Gemini writes 64-bit limits as strings; `format: "enum"` says nothing that enum does not. */
static struct json *gemini(struct importer *in, const struct json *value) {
    static const char *const limits[] = {"minItems",  "maxItems",      "minLength",
                                         "maxLength", "minProperties", "maxProperties"};
    if (value->kind != JSON_STRING) return share(in, value);
    if (text_is(value->key, "format") && text_is(value->text, "enum")) return NULL;
    struct json *copy = share(in, value);
    if (copy && in_list(value->key, limits, sizeof limits / sizeof *limits) &&
        is_digits(value->text))
        copy->kind = JSON_NUMBER;
    return copy;
}

static bool is_flawed(struct importer *in, const struct json *value) {
    gramc_text why = import_flaw(in, value);
    if (why.len) import_lose_schema(in, value, why);
    return why.len > 0;
}

static struct json *keyword(struct importer *in, const struct json *value, unsigned depth) {
    if (is_silent(in, value) || is_too_large(in, value)) return NULL;
    if (is_flawed(in, value)) return NULL;
    if (text_is(value->key, "type")) return normal_type(in, value);
    if (text_is(value->key, "$ref")) return normal_reference(in, value);
    if (text_is(value->key, "$recursiveRef")) return recursive_reference(in, value);
    if (in->dialect == IMPORT_DIALECT_GEMINI && value->kind == JSON_STRING)
        return gemini(in, value);
    return applied(in, value, depth);
}

static struct json *find(struct json *object, const char *key) {
    struct json *member = object->first;
    while (member && !text_is(member->key, key)) member = member->next;
    return member;
}

static void rename_key(struct json *object, const char *from, const char *to) {
    struct json *member = find(object, from);
    if (member && !find(object, to)) member->key = text_of(to);
}

static void take_out(struct json *copy, const struct json *member) {
    for (struct json **link = &copy->first; *link; link = &(*link)->next)
        if (*link == member) {
            *link = member->next;
            copy->count--;
            return;
        }
}

/* Draft 7 has one keyword for what has two names since. */
static void modern_dependencies(struct importer *in, struct json *copy) {
    struct json *both = find(copy, "dependencies");
    struct json *names = import_json(in->arena, JSON_OBJECT, TEXT("dependentRequired"), TEXT(""));
    if (!json_is(both, JSON_OBJECT) || !names || find(copy, "dependentSchemas") ||
        find(copy, "dependentRequired"))
        return;
    struct json *rest = both->first;
    both->key = TEXT("dependentSchemas");
    both->first = NULL;
    both->count = 0;
    for (struct json *next; rest; rest = next) {
        next = rest->next;
        import_append(rest->kind == JSON_ARRAY ? names : both, rest);
    }
    if (!both->first) take_out(copy, both);
    if (names->first) import_append(copy, names);
}

/* Draft 7 writes a tuple as a list under `items`. */
static void modern_tuple(struct json *copy) {
    struct json *items = find(copy, "items");
    if (!json_is(items, JSON_ARRAY) || find(copy, "prefixItems")) return;
    items->key = TEXT("prefixItems");
    rename_key(copy, "additionalItems", "items");
}

/* Draft 4 and OpenAPI 3.0: a flag that makes the bound beside it exclusive. */
static void modern_bound(struct importer *in, struct json *copy, const char *flag,
                         const char *bound) {
    struct json *exclusive = find(copy, flag), *limit = find(copy, bound);
    bool is_flag = json_is(exclusive, JSON_TRUE) || json_is(exclusive, JSON_FALSE);
    if (!is_flag) return;
    if (exclusive->kind == JSON_TRUE && limit) limit->key = exclusive->key;
    else if (exclusive->kind == JSON_TRUE)
        import_lose_schema(in, exclusive, TEXT("there is no bound that it makes exclusive"));
    take_out(copy, exclusive);
}

/* Gemini's enums hold texts alone: there `nullable` is what lets null in. */
static void gemini_nullable_enum(struct importer *in, struct json *copy) {
    struct json *old = find(copy, "enum"), *list = NULL;
    if (in->dialect != IMPORT_DIALECT_GEMINI || !json_is(old, JSON_ARRAY)) return;
    const struct json *member = old->first;
    while (member && member->kind != JSON_NULL) member = member->next;
    if (!member) list = import_json(in->arena, JSON_ARRAY, TEXT("enum"), TEXT(""));
    for (member = old->first; list && member; member = member->next)
        import_append(list, share(in, member));
    if (!list) return;
    import_append(list, import_json(in->arena, JSON_NULL, TEXT(""), TEXT("null")));
    old->first = list->first;
    old->count = list->count;
}

/* nullable and example, where the dialect has them. */
static void modern_nullable(struct importer *in, const struct json *schema, struct json *copy) {
    struct json *type = find(copy, "type");
    if (in->dialect == IMPORT_DIALECT_SCHEMA) return;
    bool nullable = json_is(json_get(schema, "nullable"), JSON_TRUE) ||
                    json_is(json_get(schema, "x-nullable"), JSON_TRUE);
    if (nullable && json_is(type, JSON_STRING)) {
        struct json *name = import_json(in->arena, JSON_STRING, TEXT(""), type->text);
        type->kind = JSON_ARRAY;
        import_append(type, name);
        import_append(type, import_json(in->arena, JSON_STRING, TEXT(""), TEXT("null")));
        gemini_nullable_enum(in, copy);
    }
    const struct json *example = json_get(schema, "example");
    struct json *list = example && !find(copy, "examples")
                            ? import_json(in->arena, JSON_ARRAY, TEXT("examples"), TEXT(""))
                            : NULL;
    if (!list) return;
    list->start = example->start;
    list->end = example->end;
    import_append(list, share(in, example));
    import_append(copy, list);
}

/* OpenAPI 3.0 says something beside a reference by `allOf` of it alone, as siblings of $ref mean
 * nothing there: it is the reference with its siblings, or with null. */
static void modern_all_of(struct importer *in, const struct json *schema, struct json *copy) {
    static const char *const beside[] = {"allOf",    "description", "title", "default",
                                         "examples", "deprecated",  NULL};
    struct json *all = find(copy, "allOf"), *part = all ? all->first : NULL;
    struct json *reference = json_is(part, JSON_OBJECT) ? part->first : NULL;
    if (!in->openapi || !json_is(all, JSON_ARRAY) || all->count != 1) return;
    if (!json_is(reference, JSON_STRING) || part->count != 1 || !text_is(reference->key, "$ref"))
        return;
    for (const struct json *m = copy->first; m; m = m->next)
        if (!import_in_list(m->key, beside)) return;
    if (json_is(json_get(schema, "nullable"), JSON_TRUE)) {
        struct json *null = import_json(in->arena, JSON_OBJECT, TEXT(""), TEXT(""));
        import_append(null, import_json(in->arena, JSON_STRING, TEXT("type"), TEXT("null")));
        import_append(all, null);
        all->key = TEXT("anyOf");
        return;
    }
    struct json *next = all->next;
    *all = *reference;
    all->next = next;
}

static struct json *normalise(struct importer *in, const struct json *schema, unsigned depth) {
    struct json *copy = empty_like(in, schema), **tail = copy ? &copy->first : NULL;
    if (!copy || is_too_large(in, schema)) return copy;
    for (const struct json *member = schema->first; member; member = member->next) {
        if (json_get_text(schema, member->key) != member) continue;
        tail = append(copy, tail, keyword(in, member, depth));
    }
    modern_tuple(copy);
    modern_dependencies(in, copy);
    modern_bound(in, copy, "exclusiveMinimum", "minimum");
    modern_bound(in, copy, "exclusiveMaximum", "maximum");
    modern_nullable(in, schema, copy);
    modern_all_of(in, schema, copy);
    import_plain(in, copy, schema == in->root);
    import_note_reference(in, copy);
    /* Deeper than this, brackets in brackets help nobody: the rest is written as JSON. */
    if (depth >= DEEPEST) import_set_marks(in, copy, MARK_RAW);
    return copy;
}

/* What was referred to, one after the other and not inside each other: a chain of references may be
 * as long as the document. */
static void normalise_pending(struct importer *in) {
    struct import_type *type = in->pending ? in->pending->next : in->first_type;
    for (; type && !in->arena->oom; type = type->next) {
        if (type->original) type->schema = subschema(in, type->original, 0);
        in->pending = type;
    }
}

struct json *import_normalise(struct importer *in, const struct json *schema) {
    struct json *copy =
        schema->kind == JSON_OBJECT ? normalise(in, schema, 0) : subschema(in, schema, 0);
    normalise_pending(in);
    return copy;
}
