/* Reads `schema: json`{...}``, the escape hatch: JSON Schema that is printed as it stands. Only its
 * references are looked at here, since they must lead to named types; whether it is a schema at all
 * is schema_check.c's question. */
#include "compiler/definition.h"
#include "compiler/schema_reader.h"

#include "base/text.h"
#include "compiler/data.h"

static const char prefix[] = "#/$defs/";

static uint32_t count_references(const struct json *value) {
    uint32_t count = value->kind == JSON_STRING && text_is(value->key, "$ref");
    bool nested = value->kind == JSON_OBJECT || value->kind == JSON_ARRAY;
    for (const struct json *v = nested ? value->first : NULL; v; v = v->next)
        count += count_references(v);
    return count;
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

static void report(struct reader *reader, struct hatch *hatch, gramc_text reference) {
    hatch->is_broken = true;
    struct pass *pass = reader->pass;
    struct finding *f = FIND(pass->findings, D_BAD_SCHEMA, pass->source, hatch->at,
                             TEXT("a $ref leads to a named type, #/$defs/Name"), reference);
    gramc_text near =
        definition_nearest(pass, text_starts(reference, prefix)
                                     ? text_slice(reference, sizeof prefix - 1, reference.len)
                                     : reference);
    if (near.len)
        finding_help(pass->findings, f, "did you mean `%s%.*s`?", prefix, TEXT_ARGS(near));
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
static void find_references(struct reader *reader, struct hatch *hatch, const struct json *value) {
    if (value->kind == JSON_STRING && text_is(value->key, "$ref")) {
        gramc_text name = text_starts(value->text, prefix)
                              ? text_slice(value->text, sizeof prefix - 1, value->text.len)
                              : (gramc_text){NULL, 0};
        const struct definition *definition =
            name.len ? definition_find(reader->pass, unescaped(reader->pass->arena, name)) : NULL;
        if (definition) hatch->definitions[hatch->definition_count++] = definition;
        else report(reader, hatch, value->text);
    }
    bool nested = value->kind == JSON_OBJECT || value->kind == JSON_ARRAY;
    for (const struct json *v = nested ? value->first : NULL; v; v = v->next)
        find_references(reader, hatch, v);
}

struct hatch *hatch_read(struct reader *reader, const struct property *p) {
    struct pass *pass = reader->pass;
    bool tagged = p->value->kind == VALUE_TAGGED;
    gramc_text json = tagged ? data_json(pass, p->value) : (gramc_text){NULL, 0};
    const struct json *document = json.len ? json_parse(pass->arena, json, NULL) : NULL;
    struct hatch *hatch =
        json_is(document, JSON_OBJECT) ? ARENA_NEW(pass->arena, struct hatch) : NULL;
    if (!hatch) {
        if (!tagged || document) reader_wrong_value(reader, p, "a JSON object: json`{...}`");
        return NULL;
    }
    *hatch = (struct hatch){.json = document, .at = p->value->span};
    hatch->definitions =
        arena_array(pass->arena, count_references(document), sizeof(struct definition *));
    if (hatch->definitions) find_references(reader, hatch, document);
    return hatch->is_broken ? NULL : hatch;
}
