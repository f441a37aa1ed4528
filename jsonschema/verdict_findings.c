/* Turns verdicts about many instances into findings of the files that they stand in, which the
 * printers of findings know how to print. The row of a violation is that of its keyword. */
#include "jsonschema/verdict.h"

#include "base/diag/diag.h"
#include "base/text.h"

#include <string.h>

enum { FACTS = 2 };

#define RULE(keyword, explanation)                                                                 \
    { keyword, keyword, GRAMC_ERROR, explanation, explanation, NULL, NULL }

/* By keyword; the last row is for a place without one, a schema that is `false`. */
static const struct diag_row rules[] = {
    RULE("type", "The value is of another JSON type than the schema names."),
    RULE("enum", "The value is none of those that the schema lists."),
    RULE("const", "The value is not the only one that the schema allows."),
    RULE("minimum", "The number is less than the schema allows."),
    RULE("maximum", "The number is greater than the schema allows."),
    RULE("exclusiveMinimum", "The number is not greater than the bound."),
    RULE("exclusiveMaximum", "The number is not less than the bound."),
    RULE("multipleOf", "The number is no multiple of the one in the schema."),
    RULE("minLength", "The text has fewer characters than the schema asks for."),
    RULE("maxLength", "The text has more characters than the schema allows."),
    RULE("pattern", "No part of the text matches the regular expression."),
    RULE("format", "The text is not what the format names: a date, an address and so on."),
    RULE("contentEncoding", "The text is not in the encoding that the schema names."),
    RULE("contentMediaType", "What the text holds is not of the media type that the schema names."),
    RULE("contentSchema", "What the text holds is not as the schema describes it."),
    RULE("minItems", "The array has fewer items than the schema asks for."),
    RULE("maxItems", "The array has more items than the schema allows."),
    RULE("uniqueItems", "Two items of the array are equal."),
    RULE("contains", "Too few items of the array are what the schema asks for."),
    RULE("minContains", "Too few items of the array are what the schema asks for."),
    RULE("maxContains", "Too many items of the array are what the schema describes."),
    RULE("items", "The schema allows no item in this place."),
    RULE("prefixItems", "The schema allows no item in this place."),
    RULE("additionalItems", "The array has an item more than the schema describes."),
    RULE("unevaluatedItems",
         "No part of the schema describes this item, and others are not allowed."),
    RULE("required", "A member that the object must have is missing."),
    RULE("minProperties", "The object has fewer members than the schema asks for."),
    RULE("maxProperties", "The object has more members than the schema allows."),
    RULE("properties", "The schema allows no member of this name."),
    RULE("patternProperties", "The schema allows no member of such a name."),
    RULE("additionalProperties",
         "The schema does not describe a member of this name, and others are not allowed."),
    RULE("unevaluatedProperties",
         "No part of the schema describes this member, and others are not allowed."),
    RULE("propertyNames", "The name of the member is not one that the schema allows."),
    RULE("dependentRequired", "A member asks for another one, which is missing."),
    RULE("dependencies", "A member asks for another one, which is missing."),
    RULE("dependentSchemas", "A member asks for something that the object is not."),
    RULE("not", "The value is what the schema says it must not be."),
    RULE("anyOf", "The value is none of the alternatives."),
    RULE("oneOf", "The value is none of the alternatives, or more than one."),
    RULE("allOf", "The value is not everything that the schema asks for."),
    RULE("if", "The value is not what the schema asks for in this case."),
    RULE("then", "The value is not what the schema asks for in this case."),
    RULE("else", "The value is not what the schema asks for in the other case."),
    RULE("duplicate",
         "An object has two members of one name; readers do not agree which one counts."),
    RULE("json", "The bytes are no JSON."),
    RULE("false", "The schema allows no value in this place."),
};

static const struct diag_row *rule_of(gramc_text keyword) {
    size_t i = 0;
    while (i + 1 < sizeof rules / sizeof *rules && !text_is(keyword, rules[i].code)) i++;
    return &rules[i];
}

/* Where the JSON value that starts there ends; of an array or object only the bracket. */
static size_t value_end(gramc_text text, size_t start) {
    bool string = start < text.len && text.ptr[start] == '"';
    size_t end = start + 1;
    if (string)
        while (end < text.len && text.ptr[end] != '"' && text.ptr[end] != '\n')
            end += text.ptr[end] == '\\' ? 2 : 1;
    else if (start < text.len && !strchr("[{", text.ptr[start]))
        while (end < text.len && !strchr(" \t\r\n,:]}", text.ptr[end])) end++;
    if (string) end++;
    return end < text.len ? end : text.len;
}

static const struct diag_fact *make_facts(struct arena *arena, const gramc_violation *violation) {
    struct diag_fact *facts = arena_array(arena, FACTS, sizeof *facts);
    if (!facts) return NULL;
    facts[0] = (struct diag_fact){"instance", violation->instance, true};
    facts[1] = (struct diag_fact){"schema", violation->schema, false};
    return facts;
}

static void add_violations(struct findings *findings, const struct source *source,
                           const gramc_evaluated *evaluated) {
    const gramc_verdict *verdict = evaluated->verdict;
    for (size_t i = 0; i < verdict->error_count; i++) {
        const gramc_violation *violation = &verdict->errors[i];
        size_t start = evaluated->start + violation->position;
        struct span span = {(uint32_t)start, (uint32_t)value_end(source->text, start)};
        struct finding *f = findings_report(findings, rule_of(violation->keyword), source, span,
                                            violation->message);
        if (!f) return;
        f->facts = make_facts(findings->arena, violation);
        f->fact_count = f->facts ? FACTS : 0;
    }
    findings->counts[GRAMC_ERROR] += (uint32_t)(verdict->errors_total - verdict->error_count);
}

static bool is_same_file(const gramc_evaluated *a, const gramc_evaluated *b) {
    return a->name.ptr == b->name.ptr && a->text.ptr == b->text.ptr;
}

/* One source for each file; the instances of one file stand together. */
static gramc_status gather(struct findings *findings, struct source *sources,
                           const gramc_evaluated *evaluated, size_t count) {
    struct source *source = NULL;
    for (size_t i = 0; i < count; i++) {
        if (evaluated[i].text.len > SOURCE_MAX) return GRAMC_LIMIT;
        if (!source || !is_same_file(&evaluated[i - 1], &evaluated[i])) {
            struct source *next = source ? source + 1 : sources;
            *next = (struct source){
                .name = evaluated[i].name, .text = evaluated[i].text, .order = (uint32_t)i};
            if (source) source->next = next;
            source = next;
        }
        if (evaluated[i].verdict) add_violations(findings, source, &evaluated[i]);
    }
    findings_sort(findings);
    return findings->arena->oom ? GRAMC_NOMEM : GRAMC_OK;
}

gramc_status gramc_verdicts_print(const gramc_evaluated *evaluated, size_t count,
                                  gramc_report_format format, const gramc_allocator *allocator,
                                  gramc_writer writer) {
    gramc_allocator own = allocator ? *allocator : mem_default();
    struct arena arena;
    struct findings findings;
    arena_init(&arena, &own);
    findings_init(&findings, &arena, UINT32_MAX);
    struct source *sources = arena_array(&arena, count, sizeof *sources);
    const struct diag_report report = {
        .sources = count ? sources : NULL,
        .findings = &findings,
        .fails = GRAMC_ERROR,
        .command = "validate",
        .language = "json",
    };
    gramc_status status = sources ? gather(&findings, sources, evaluated, count) : GRAMC_NOMEM;
    if (status == GRAMC_OK) status = diag_print(&report, format, &own, writer);
    arena_free(&arena);
    return status;
}
