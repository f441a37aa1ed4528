/* Reads `schema: json`{...}``, the escape hatch: JSON Schema that is printed as it stands. Only its
 * references are looked at here: its own `$defs` first, then the named types of the compilation.
 * Whether it is a schema at all is schema_check.c's question, printing emit/json_schema.c's. */
#include "compiler/raw_schema.h"

#include "base/text.h"
#include "compiler/data.h"
#include "compiler/definition.h"
#include "compiler/spec.h"

static const char prefix[] = "#/$defs/";

/* ## What a schema is made of */

static const struct {
    const char *keyword;
    enum hatch_content content;
} contents[] = {
    {"properties", HATCH_SCHEMAS},
    {"patternProperties", HATCH_SCHEMAS},
    {"dependentSchemas", HATCH_SCHEMAS},
    {"$defs", HATCH_SCHEMAS},
    {"definitions", HATCH_SCHEMAS},
    {"anyOf", HATCH_SCHEMAS},
    {"oneOf", HATCH_SCHEMAS},
    {"allOf", HATCH_SCHEMAS},
    {"prefixItems", HATCH_SCHEMAS},
    {"items", HATCH_SCHEMA},
    {"additionalProperties", HATCH_SCHEMA},
    {"not", HATCH_SCHEMA},
    {"if", HATCH_SCHEMA},
    {"then", HATCH_SCHEMA},
    {"else", HATCH_SCHEMA},
    {"contains", HATCH_SCHEMA},
    {"propertyNames", HATCH_SCHEMA},
    {"unevaluatedItems", HATCH_SCHEMA},
    {"unevaluatedProperties", HATCH_SCHEMA},
    {"contentSchema", HATCH_SCHEMA},
};

enum hatch_content hatch_content(const struct json *keyword) {
    size_t i = 0, count = sizeof contents / sizeof *contents;
    while (i < count && !text_is(keyword->key, contents[i].keyword)) i++;
    if (i == count) return HATCH_DATA;
    /* A list where a schema stands is one of schemas: `items` of older drafts. */
    return keyword->kind == JSON_ARRAY ? HATCH_SCHEMAS : contents[i].content;
}

/* ## References */

const struct hatch_use *hatch_find(const struct hatch *hatch, gramc_text reference) {
    const struct hatch_use *use = hatch->uses;
    while (use && !text_eq(use->reference, reference)) use = use->next;
    return use;
}

/* Names of types need no escapes in a pointer, unless somebody quotes a slash or a tilde. */
static gramc_text unescaped(struct arena *arena, gramc_text token) {
    char *out = arena_alloc(arena, token.len + 1);
    size_t len = 0;
    if (!out) return token;
    for (size_t i = 0; i < token.len; i++) {
        bool escape = token.ptr[i] == '~' && i + 1 < token.len;
        char next = escape ? token.ptr[i + 1] : '\0';
        bool known = next == '0' || next == '1';
        out[len++] = !known ? token.ptr[i] : next == '0' ? '~' : '/';
        if (known) i++;
    }
    out[len] = '\0';
    return (gramc_text){out, len};
}

struct search {
    struct pass *pass;
    struct hatch *hatch;
    bool broken; /* reported */
};

static gramc_text name_of(gramc_text reference) {
    bool local = text_starts(reference, prefix);
    return local ? text_slice(reference, sizeof prefix - 1, reference.len) : (gramc_text){NULL, 0};
}

static void report(struct search *search, gramc_text reference) {
    struct pass *pass = search->pass;
    gramc_text name = name_of(reference);
    gramc_text near = definition_nearest(pass, name.len ? name : reference);
    struct finding *f = FIND(pass->findings, D_BAD_SCHEMA, pass->source, search->hatch->at,
                             TEXT("a $ref leads to a named type, #/$defs/Name"), reference);
    search->broken = true;
    if (near.len)
        finding_help(pass->findings, f, "did you mean `%s%.*s`?", prefix, TEXT_ARGS(near));
}

static void note(struct search *search, gramc_text reference) {
    struct arena *arena = search->pass->arena;
    struct hatch *hatch = search->hatch;
    gramc_text name = name_of(reference);
    if (hatch_find(hatch, reference)) return;
    const struct json *own =
        name.len ? json_at(hatch->json, text_slice(reference, 1, reference.len)) : NULL;
    const struct definition *definition =
        name.len && !own ? definition_find(search->pass, unescaped(arena, name)) : NULL;
    if (!own && !definition) {
        report(search, reference);
        return;
    }
    struct hatch_use *use = ARENA_NEW(arena, struct hatch_use);
    if (!use) return;
    *use = (struct hatch_use){hatch->uses, reference, name, own, definition};
    hatch->uses = use;
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
static void search_schema(struct search *search, const struct json *schema) {
    if (schema->kind != JSON_OBJECT) return;
    for (const struct json *m = schema->first; m; m = m->next) {
        enum hatch_content content = hatch_content(m);
        if (text_is(m->key, "$ref") && m->kind == JSON_STRING) note(search, m->text);
        else if (content == HATCH_SCHEMA) search_schema(search, m);
        else if (content == HATCH_SCHEMAS)
            for (const struct json *inner = m->first; inner; inner = inner->next)
                search_schema(search, inner);
    }
}

/* ## The whole */

struct hatch *hatch_read(struct pass *pass, const struct value *value, bool *wrong) {
    bool tagged = value->kind == VALUE_TAGGED;
    gramc_text json = tagged ? data_json(pass, value) : (gramc_text){NULL, 0};
    const struct json *document = json.len ? json_parse(pass->arena, json, NULL) : NULL;
    struct hatch *hatch =
        json_is(document, JSON_OBJECT) ? ARENA_NEW(pass->arena, struct hatch) : NULL;
    *wrong = !json_is(document, JSON_OBJECT) && (!tagged || document);
    if (!hatch) return NULL;
    *hatch = (struct hatch){
        .json = document, .at = value->span, .types = &pass->compilation->spec->definitions};
    struct search search = {pass, hatch, false};
    search_schema(&search, document);
    return search.broken ? NULL : hatch;
}
