/* Asks of a type what no single property can tell: do its bounds leave anything, does its pattern
 * compile, do its default, enum, const and examples fit? The last by the validator itself, over
 * the schema as it will be printed, so that there is one evaluator only. */
#include "compiler/checking.h"
#include "compiler/derived.h"
#include "compiler/raw_schema.h"
#include "compiler/told_apart.h"

#include "base/text.h"

#include <string.h>

/* ## Bounds */

/* Pairs of a lower and an upper bound; with `strict`, equal ones leave nothing either. */
static const struct {
    enum type_property low, high;
    bool strict;
} pairs[] = {{P_MIN, P_MAX, false},
             {P_ABOVE, P_MAX, true},
             {P_MIN, P_BELOW, true},
             {P_ABOVE, P_BELOW, true},
             {P_MIN_LENGTH, P_MAX_LENGTH, false},
             {P_MIN_ITEMS, P_MAX_ITEMS, false},
             {P_MIN_NAMES, P_MAX_NAMES, false}};

static void check_bounds(struct pass *pass, const struct schema *schema) {
    /* What the base alone says was looked at there. */
    uint64_t said = schema->constraints ? schema_said(schema) : 0;
    if (!said) return;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        uint64_t both = PROPERTY_BIT(pairs[i].low) | PROPERTY_BIT(pairs[i].high);
        if ((said & both) != both) continue;
        gramc_text low = schema_get(schema, pairs[i].low);
        gramc_text high = schema_get(schema, pairs[i].high);
        int order = low.len && high.len ? json_number_compare(low, high) : -1;
        if (order > 0 || (order == 0 && pairs[i].strict))
            FIND(pass->findings, D_IMPOSSIBLE_BOUNDS, pass->source, schema->span, low, high);
    }
    if (!(said & PROPERTY_BIT(P_MULTIPLE_OF))) return;
    gramc_text step = schema_get(schema, P_MULTIPLE_OF);
    if (!step.len || json_number_compare(step, TEXT("0")) > 0) return;
    struct finding *f = FIND(pass->findings, D_IMPOSSIBLE_BOUNDS, pass->source, schema->span,
                             TEXT("multipleOf"), step);
    finding_help(pass->findings, f, "`multipleOf` takes a number above 0");
}

/* ## Data against a schema */

/* A number against one keyword: true only if it surely fits. Other keywords hold no number. */
static bool number_fits(const struct constraint *c, gramc_text number) {
    switch (c->property) {
    case P_MIN: return json_number_compare(number, c->text) >= 0;
    case P_MAX: return json_number_compare(number, c->text) <= 0;
    case P_ABOVE: return json_number_compare(number, c->text) > 0;
    case P_BELOW: return json_number_compare(number, c->text) < 0;
    default: return false;
    }
}

/* Keywords that only annotate. */
static bool is_annotation(enum type_property property) {
    return property == P_TITLE || property == P_DESCRIPTION || property == P_EXAMPLES ||
           property == P_READ_ONLY || property == P_WRITE_ONLY;
}

static bool is_number(gramc_text json) {
    return json.ptr[0] == '-' || (json.ptr[0] >= '0' && json.ptr[0] <= '9');
}

static bool has_base_type(const struct schema *s, gramc_text json) {
    switch ((enum type_kind)s->kind) {
    case TYPE_STRING: return json.ptr[0] == '"';
    case TYPE_INTEGER: return is_number(json) && json_number_is_integer(json);
    case TYPE_NUMBER: return is_number(json);
    case TYPE_BOOLEAN: return json.ptr[0] == 't' || json.ptr[0] == 'f';
    case TYPE_ANY: return true;
    case TYPE_NULL:
    case TYPE_OBJECT:
    case TYPE_MAP:
    case TYPE_ARRAY:
    case TYPE_TUPLE:
    case TYPE_ANY_OF:
    case TYPE_ONE_OF:
    case TYPE_ALL_OF:
    case TYPE_KINDS: break;
    }
    return false;
}

static gramc_text item_text(const struct constraint *list, const struct json *item) {
    return text_slice(list->text, item->start, item->end);
}

/* Written alike; the same value may be written otherwise. */
static bool is_listed(const struct constraint *list, gramc_text json) {
    const struct json *item = constraint_json(list) ? constraint_json(list)->first : NULL;
    while (item && !text_eq(item_text(list, item), json)) item = item->next;
    return item != NULL;
}

/* True without asking the validator: a plain value of a base type, within plain bounds, one of the
 * enum's (unless it is the enum that is in question). False says nothing: most values are plain,
 * and the others are worth a program. */
static bool fits_plainly(const struct schema *s, gramc_text json, bool without_enum) {
    if (s->raw || s->base || s->all || s->keys || (s->type && s->type->bounds_hidden)) return false;
    for (const struct constraint *c = s->constraints; c; c = c->next) {
        bool fits = is_annotation(c->property);
        if (!fits && c->property == P_ENUM) fits = without_enum || is_listed(c, json);
        else if (!fits) fits = is_number(json) && number_fits(c, json);
        if (!fits) return false;
    }
    return has_base_type(s, json);
}

/* A bad pattern or raw schema is reported at its own place; anything else would be our defect, and
 * is reported too rather than hidden. */
static void report_uncompilable(struct pass *pass, const struct schema *schema,
                                const gramc_json_error *error) {
    const struct constraint *pattern = schema_find(schema, P_PATTERN);
    static const char names[] = "/patternProperties/";
    const struct field *of_names = NULL;
    if (strncmp(error->pointer, names, sizeof names - 1) == 0) {
        of_names = schema->patterns;
        while (of_names && of_names->next &&
               !text_is(of_names->name, error->pointer + sizeof names - 1))
            of_names = of_names->next;
    }
    if (of_names)
        FIND(pass->findings, D_BAD_PATTERN, pass->source, of_names->span, text_of(error->message));
    else if (pattern && strstr(error->pointer, "pattern"))
        FIND(pass->findings, D_BAD_PATTERN, pass->source, pattern->at, text_of(error->message));
    else
        FIND(pass->findings, D_BAD_SCHEMA, pass->source,
             schema->raw ? schema->raw->at : schema->span, text_of(error->message),
             text_of(error->pointer));
}

/* What a program is made of. */
struct trial {
    const struct schema *schema;
    const struct schema *blamed; /* when it cannot be compiled */
    unsigned style;
    bool closed;
};

/* A program that accepts what the printed schema would; NULL after a report, or without memory. It
 * borrows from the arena. */
static gramc_schema *compile_trial(struct pass *pass, struct arena *arena,
                                   const struct trial *trial) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error = {0};
    gramc_schema *program = NULL;
    options.allocator = &pass->arena->allocator;
    options.assert_formats = true;
    options.closed_root = trial->closed;
    if (checking_is_over(pass)) return NULL;
    const struct json *document =
        schema_document(arena, trial->schema, SCHEMA_CHECKED | trial->style);
    checking_takes(pass, json_size(document), trial->schema->span);
    gramc_status status = arena->oom ? GRAMC_NOMEM : GRAMC_OK;
    if (status == GRAMC_OK)
        status = gramc_schema_compile_document(&program, document, &options, &error);
    if (status == GRAMC_NOMEM) pass->arena->oom = true;
    else if (status != GRAMC_OK) report_uncompilable(pass, trial->blamed, &error);
    return status == GRAMC_OK ? program : NULL;
}

static gramc_schema *compile(struct pass *pass, struct arena *arena, const struct schema *schema,
                             unsigned style) {
    const struct trial trial = {schema, schema, style, false};
    return compile_trial(pass, arena, &trial);
}

/* A type that adds to another one is checked with all that the other says: what does not fit there
 * was told of already. */
static bool was_told(const struct pass *pass, enum diag_id id, struct span at, gramc_text json) {
    size_t before = strcspn(diag_row(id)->message, "{");
    for (const struct finding *f = pass->findings->first; f; f = f->next) {
        bool same_place = f->id == id && f->source == pass->source && f->span.start == at.start &&
                          f->span.end == at.end && f->message.len > before + json.len;
        if (same_place && text_eq(text_slice(f->message, before, before + json.len), json) &&
            f->message.ptr[before + json.len] == ' ')
            return true;
    }
    return false;
}

/* What a finding calls the value: a secret is not repeated. */
static gramc_text shown(const struct schema *schema, gramc_text json) {
    return text_is(schema_get(schema, P_FORMAT), "password") ? TEXT("(a secret)") : json;
}

static void evaluate(struct pass *pass, const gramc_schema *program, const struct schema *schema,
                     gramc_text json, struct span at, enum diag_id id) {
    gramc_text told = shown(schema, json);
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    options.allocator = &pass->arena->allocator;
    gramc_status status = gramc_schema_check(&verdict, program, json.ptr, json.len, &options);
    if (status == GRAMC_NOMEM) pass->arena->oom = true;
    if (status == GRAMC_OK && !verdict->valid) {
        gramc_text why =
            verdict->error_count ? verdict->errors[0].message : TEXT("it is not valid");
        /* The finding has named the value already. */
        if (text_starts(why, "the value: ")) why = text_slice(why, 11, why.len);
        if (!was_told(pass, id, at, told)) FIND(pass->findings, id, pass->source, at, told, why);
    }
    gramc_verdict_free(verdict);
}

/* Each member of a list against a program. */
static void evaluate_list(struct pass *pass, const gramc_schema *program,
                          const struct schema *schema, const struct constraint *list,
                          enum diag_id id) {
    const struct json *items = list ? constraint_json(list) : NULL;
    for (const struct json *item = items ? items->first : NULL; item; item = item->next)
        evaluate(pass, program, schema, item_text(list, item), list->at, id);
}

void examples_check(struct pass *pass, const struct schema *arguments, bool closed,
                    const struct constraint *examples) {
    const struct schema whole = {.span = examples->at};
    const struct trial trial = {arguments, &whole, 0, closed};
    struct arena scratch;
    arena_init(&scratch, &pass->arena->allocator);
    gramc_schema *program = compile_trial(pass, &scratch, &trial);
    if (program) evaluate_list(pass, program, arguments, examples, D_EXAMPLE_MISMATCH);
    gramc_schema_free(program);
    arena_free(&scratch);
}

static const struct constraint *own(const struct schema *schema, enum type_property property) {
    const struct constraint *c = schema->constraints;
    while (c && c->property != property) c = c->next;
    return c;
}

static bool accepts(struct pass *pass, const gramc_schema *program, gramc_text json) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    options.allocator = &pass->arena->allocator;
    gramc_status status = gramc_schema_check(&verdict, program, json.ptr, json.len, &options);
    if (status == GRAMC_NOMEM) pass->arena->oom = true;
    bool valid = status != GRAMC_OK || verdict->valid;
    gramc_verdict_free(verdict);
    return valid;
}

/* Some member of the base's enum must be left. */
static void check_inherited(struct pass *pass, const gramc_schema *program,
                            const struct schema *schema) {
    const struct constraint *list = schema_find(schema, P_ENUM);
    const struct json *item = list && constraint_json(list) ? constraint_json(list)->first : NULL;
    if (!item) return;
    for (; item; item = item->next)
        if (accepts(pass, program, item_text(list, item))) return;
    FIND(pass->findings, D_IMPOSSIBLE, pass->source, schema->span,
         TEXT("it leaves no member of the enum that it is built on"));
}

/* ## What a value needs of a schema */

static bool is_flat(gramc_text json) {
    bool holds = json.len && (json.ptr[0] == '{' || json.ptr[0] == '[');
    return !holds || json.len == 2;
}

/* Every one is a scalar, or empty. */
static bool list_is_flat(const struct constraint *list) {
    const struct json *items = list ? constraint_json(list) : NULL;
    for (const struct json *v = items ? items->first : NULL; v; v = v->next)
        if (v->first) return false;
    return true;
}

/* Values without anything inside ask nothing about what is inside. */
static unsigned style_of(bool flat) {
    return flat ? SCHEMA_FLAT : 0;
}

static bool choices_fit_plainly(const struct schema *schema) {
    const struct constraint *list = own(schema, P_ENUM);
    const struct json *item = list && constraint_json(list) ? constraint_json(list)->first : NULL;
    if (!item || own(schema, P_CONST)) return false;
    while (item && fits_plainly(schema, item_text(list, item), true)) item = item->next;
    return item == NULL;
}

/* An enum and a const must fit what else the type says. Those of its base did; what is added here
 * leaves some of them out. */
static void check_choices(struct pass *pass, struct arena *scratch, const struct schema *schema) {
    const struct constraint *choice = own(schema, P_CONST);
    if (choices_fit_plainly(schema)) return;
    bool flat = list_is_flat(schema_find(schema, P_ENUM)) && (!choice || is_flat(choice->text));
    const struct trial trial = {schema, schema, SCHEMA_WITHOUT_CHOICES | style_of(flat), false};
    gramc_schema *program = compile_trial(pass, scratch, &trial);
    if (!program) return;
    evaluate_list(pass, program, schema, own(schema, P_ENUM), D_ENUM_MISMATCH);
    if (choice) evaluate(pass, program, schema, choice->text, choice->at, D_CONST_MISMATCH);
    if (!own(schema, P_ENUM)) check_inherited(pass, program, schema);
    gramc_schema_free(program);
}

/* A use of a type, or a type that only says more about another in words: what does not fit there
 * was found where it is said. */
static bool only_repeats(const struct schema *schema) {
    const struct constraint *c = schema->constraints;
    if (!schema->base || schema->raw || schema->all || schema->patterns) return false;
    while (c && is_annotation(c->property) && c->property != P_EXAMPLES) c = c->next;
    return c == NULL;
}

/* What has neither choices nor examples nor anything that may not compile needs no program. */
static void check_data(struct pass *pass, const struct schema *schema) {
    if ((!schema->raw && !schema->constraints && !schema->base && !schema->all &&
         !schema->patterns) ||
        only_repeats(schema))
        return;
    const struct constraint *examples = schema_find(schema, P_EXAMPLES);
    bool choices = own(schema, P_ENUM) || own(schema, P_CONST) ||
                   (schema->constraints && schema_find(schema, P_ENUM));
    bool risky = !choices && (schema->raw || schema_find(schema, P_PATTERN) || schema->patterns);
    struct arena scratch;
    if (!choices && !examples && !risky) return;
    arena_init(&scratch, &pass->arena->allocator);
    if (choices) check_choices(pass, &scratch, schema);
    if (examples || risky) {
        /* A raw schema may lead back to itself through others. */
        unsigned style =
            !examples && !schema_raw(schema) ? SCHEMA_OUTLINE : style_of(list_is_flat(examples));
        gramc_schema *program = compile(pass, &scratch, schema, style);
        if (program) evaluate_list(pass, program, schema, examples, D_EXAMPLE_MISMATCH);
        gramc_schema_free(program);
    }
    arena_free(&scratch);
}

static void check_default(struct pass *pass, const struct field *field) {
    const struct constraint *fallback = field->fallback;
    struct arena scratch;
    if (!fallback || text_is(fallback->text, "null") ||
        fits_plainly(field->schema, fallback->text, false))
        return;
    arena_init(&scratch, &pass->arena->allocator);
    gramc_schema *program =
        compile(pass, &scratch, field->schema, style_of(is_flat(fallback->text)));
    if (program)
        evaluate(pass, program, field->schema, fallback->text, fallback->at, D_DEFAULT_MISMATCH);
    gramc_schema_free(program);
    arena_free(&scratch);
}

static void check_members(struct pass *pass, const struct schema *schema,
                          const struct field *field) {
    bool is_union = schema_is_choice(schema) || schema->kind == TYPE_ALL_OF;
    if (!is_union || schema->base || schema->members || schema->all || schema->raw) return;
    FIND(pass->findings, D_EMPTY_UNION, pass->source, field ? field->span : schema->span,
         field          ? field->identifier
         : schema->type ? text_of(schema->type->label)
                        : TEXT("AnyOf"));
}

static void note_replaced(struct pass *pass, const struct schema *schema) {
    const struct json *json = schema->raw ? schema->raw->json : NULL;
    if (!json) return;
    if (json_get(json, "type") && schema->kind != TYPE_ANY)
        FIND(pass->findings, D_RAW_REPLACES, pass->source, schema->raw->at, TEXT("type"));
    if (json_get(json, "properties") && schema->has_fields)
        FIND(pass->findings, D_RAW_REPLACES, pass->source, schema->raw->at, TEXT("properties"));
}

/* Recursion is bounded by the parser's nesting limit. */
void schema_check(struct pass *pass, const struct schema *schema, const struct field *field) {
    uint32_t before = pass->findings->counts[GRAMC_ERROR];
    if (!schema || pass->arena->oom) return;
    check_bounds(pass, schema);
    derived_check(pass, schema);
    check_members(pass, schema, field);
    told_apart_check(pass, schema);
    note_replaced(pass, schema);
    for (const struct field *inner = schema->fields; inner; inner = inner->next)
        schema_check(pass, inner->schema, inner);
    struct part_walk walk = part_walk(schema);
    walk.skips_fields = true;
    for (const struct schema *part; part_next(&walk, &part);) schema_check(pass, part, NULL);
    /* What is wrong inside would be found a second time from here. */
    if (pass->findings->counts[GRAMC_ERROR] > before) return;
    impossible_check(pass, schema);
    check_data(pass, schema);
    if (field && pass->findings->counts[GRAMC_ERROR] == before) check_default(pass, field);
}
