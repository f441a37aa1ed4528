/* Reads `schema: json`{...}``, a raw schema: JSON Schema that is printed as it stands. Only its
 * references are looked at here: its own `$defs` first, then the named types of the compilation.
 * Whether it is a schema at all is schema_check.c's question, printing schema_json.c's. */
#include "compiler/raw_schema.h"

#include "base/text.h"
#include "compiler/data.h"
#include "compiler/definition.h"
#include "compiler/spec.h"
#include "jsonschema/keywords.h"

static const char prefix[] = "#/$defs/";

/* ## References */

const struct raw_use *raw_find(const struct raw_schema *raw, gramc_text reference) {
    const struct raw_use *use = raw->uses;
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

struct raw_search {
    struct pass *pass;
    struct raw_schema *raw;
    bool broken; /* reported */
};

static gramc_text name_of(gramc_text reference) {
    bool local = text_starts(reference, prefix);
    return local ? text_slice(reference, sizeof prefix - 1, reference.len) : (gramc_text){NULL, 0};
}

static void report(struct raw_search *search, gramc_text reference) {
    struct pass *pass = search->pass;
    gramc_text name = name_of(reference);
    gramc_text near = definition_nearest(pass, name.len ? name : reference);
    struct finding *f = FIND(pass->findings, D_BAD_SCHEMA, pass->source, search->raw->at,
                             TEXT("a $ref leads to a named type, #/$defs/Name"), reference);
    search->broken = true;
    if (near.len)
        finding_help(pass->findings, f, "did you mean `%s%.*s`?", prefix, TEXT_ARGS(near));
}

static void note(struct raw_search *search, gramc_text reference) {
    struct arena *arena = search->pass->arena;
    struct raw_schema *raw = search->raw;
    gramc_text name = name_of(reference);
    if (raw_find(raw, reference)) return;
    const struct json *own =
        name.len ? json_at(raw->json, text_slice(reference, 1, reference.len)) : NULL;
    const struct definition *definition =
        name.len && !own ? definition_find(search->pass, unescaped(arena, name)) : NULL;
    if (!own && !definition) {
        report(search, reference);
        return;
    }
    struct raw_use *use = ARENA_NEW(arena, struct raw_use);
    if (!use) return;
    *use = (struct raw_use){raw->uses, reference, name, own, definition};
    raw->uses = use;
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
static void search_schema(struct raw_search *search, const struct json *schema) {
    if (schema->kind != JSON_OBJECT) return;
    for (const struct json *m = schema->first; m; m = m->next)
        if (text_is(m->key, "$ref") && m->kind == JSON_STRING) note(search, m->text);
    struct subschema_walk inner = subschema_walk(schema, GRAMC_DRAFT_AUTO);
    for (const struct json *s; (s = subschema_next(&inner)) != NULL;) search_schema(search, s);
}

/* ## The whole */

struct raw_schema *raw_read(struct pass *pass, const struct value *value, bool *wrong) {
    bool tagged = value->kind == VALUE_TAGGED;
    const struct json *document = NULL;
    if (tagged) (void)data_document(pass, value, &document);
    struct raw_schema *raw =
        json_is(document, JSON_OBJECT) ? ARENA_NEW(pass->arena, struct raw_schema) : NULL;
    *wrong = !json_is(document, JSON_OBJECT) && (!tagged || document);
    if (!raw) return NULL;
    *raw = (struct raw_schema){
        .json = document, .at = value->span, .types = &pass->compilation->spec->definitions.names};
    struct raw_search search = {pass, raw, false};
    search_schema(&search, document);
    return search.broken ? NULL : raw;
}
