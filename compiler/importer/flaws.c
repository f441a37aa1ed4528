/* Finds the keywords of a schema that no validator takes: a bound that is a text, a pattern that is
 * none, properties that are a list. Each is left out by itself, so that the rest of its schema
 * stays. What a keyword is good for is not asked here. */
#include "compiler/importer/parts.h"

#include "base/text.h"
#include "jsonschema/keywords.h"
#include "jsonschema/regex.h"

#include <stdio.h>

/* What the value of a keyword has to be. */
enum shape { SHAPE_NUMBER, SHAPE_COUNT, SHAPE_TEXT, SHAPE_NAMES, SHAPE_LIST, SHAPES };

static const struct {
    const char *keyword;
    enum shape shape;
} shapes[] = {
    {"minimum", SHAPE_NUMBER},      {"maximum", SHAPE_NUMBER},      {"multipleOf", SHAPE_NUMBER},
    {"minLength", SHAPE_COUNT},     {"maxLength", SHAPE_COUNT},     {"minItems", SHAPE_COUNT},
    {"maxItems", SHAPE_COUNT},      {"minContains", SHAPE_COUNT},   {"maxContains", SHAPE_COUNT},
    {"minProperties", SHAPE_COUNT}, {"maxProperties", SHAPE_COUNT}, {"pattern", SHAPE_TEXT},
    {"format", SHAPE_TEXT},         {"title", SHAPE_TEXT},          {"description", SHAPE_TEXT},
    {"required", SHAPE_NAMES},      {"enum", SHAPE_LIST},           {"examples", SHAPE_LIST},
};

static const char *const wanted[SHAPES] = {
    [SHAPE_NUMBER] = "it must be a number", [SHAPE_COUNT] = "it must be a whole number, 0 or more",
    [SHAPE_TEXT] = "it must be a text",     [SHAPE_NAMES] = "it must be a list of names",
    [SHAPE_LIST] = "it must be a list",
};

static bool is_count(const struct json *value) {
    return value->kind == JSON_NUMBER && !text_starts(value->text, "-") &&
           json_number_is_integer(value->text);
}

static bool all_texts(const struct json *list) {
    const struct json *item = list->kind == JSON_ARRAY ? list->first : NULL;
    while (item && item->kind == JSON_STRING) item = item->next;
    return list->kind == JSON_ARRAY && !item;
}

static bool has_shape(const struct json *value, enum shape shape) {
    switch (shape) {
    case SHAPE_NUMBER: return value->kind == JSON_NUMBER;
    case SHAPE_COUNT: return is_count(value);
    case SHAPE_TEXT: return value->kind == JSON_STRING;
    case SHAPE_NAMES: return all_texts(value);
    case SHAPE_LIST: return value->kind == JSON_ARRAY;
    case SHAPES: break;
    }
    return true;
}

/* ## Patterns */

static gramc_text pattern_flaw(struct importer *in, gramc_text pattern) {
    struct regex_set set;
    struct regex_error error = {.message = ""};
    regex_set_init(&set, in->arena);
    const struct regex *regex = regex_compile(&set, pattern, &error);
    regex_set_free(&set);
    return regex || in->arena->oom ? (gramc_text){NULL, 0}
                                   : arena_text(in->arena, text_of(error.message));
}

/* ## Subschemas */

static bool is_schema(const struct json *value) {
    return value->kind == JSON_OBJECT || value->kind == JSON_TRUE || value->kind == JSON_FALSE;
}

static bool holds_what_it_must(enum keyword_holds holds, const struct json *value) {
    switch (holds) {
    case HOLDS_SCHEMA: return is_schema(value);
    case HOLDS_LIST: return value->kind == JSON_ARRAY && value->first;
    case HOLDS_SCHEMA_OR_LIST: return is_schema(value) || value->kind == JSON_ARRAY;
    case HOLDS_MAP:
    case HOLDS_MAP_OR_NAMES: return value->kind == JSON_OBJECT;
    case HOLDS_DATA: break;
    }
    return true;
}

/* Draft 7 and those before it pass over what came with 2019-09, though it may have been meant. */
static bool is_of_later_draft(const struct importer *in, enum keyword keyword, gramc_text name) {
    gramc_text draft = import_text(in->document, "$schema");
    bool old = false;
    for (size_t i = 0; i + 8 <= draft.len && !old; i++) {
        gramc_text part = text_slice(draft, i, i + 8);
        old = text_is(part, "draft-04") || text_is(part, "draft-06") || text_is(part, "draft-07");
    }
    return old && keyword_asserts(name) && !keyword_in_draft(keyword, GRAMC_DRAFT_7);
}

gramc_text import_flaw(struct importer *in, const struct json *member) {
    bool gemini = in->dialect == IMPORT_DIALECT_GEMINI; /* writes numbers as texts */
    enum keyword keyword = keyword_named(member->key);
    if (keyword != K_COUNT && !holds_what_it_must(keyword_row(keyword)->holds, member))
        return TEXT("there must be schemas in it");
    if (keyword != K_COUNT && is_of_later_draft(in, keyword, member->key))
        return TEXT("the draft that the schema names has no such keyword");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (text_is(member->key, shapes[i].keyword) && !has_shape(member, shapes[i].shape) &&
            !(gemini && member->kind == JSON_STRING))
            return text_of(wanted[shapes[i].shape]);
    if (text_is(member->key, "pattern") && member->kind == JSON_STRING)
        return pattern_flaw(in, member->text);
    return (gramc_text){NULL, 0};
}
