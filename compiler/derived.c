/* A type that is built on a named one, or a use of it, adds to what that says: finds bounds that
 * loosen it, items and values that it would not take, and what a named type cannot have because it
 * belongs to the place of use. */
#include "compiler/derived.h"

#include "base/json/number.h"
#include "base/text.h"
#include "compiler/cut.h"
#include "compiler/definition.h"
#include "compiler/pattern.h"

enum { MOST_STEPS = 5000 };

/* ## Bounds */

static const struct {
    enum type_property property;
    int tighter; /* the sign of own - base */
} bounds[] = {{P_MIN, 1},        {P_MAX, -1},        {P_ABOVE, 1},     {P_BELOW, -1},
              {P_MIN_LENGTH, 1}, {P_MAX_LENGTH, -1}, {P_MIN_ITEMS, 1}, {P_MAX_ITEMS, -1},
              {P_MIN_NAMES, 1},  {P_MAX_NAMES, -1}};

static void report(struct pass *pass, const struct schema *schema, struct span at,
                   enum type_property property, gramc_text base) {
    const struct definition *d = schema->definition;
    struct finding *f = FIND(pass->findings, D_LOOSENED, pass->source, at,
                             type_property_row(property)->name, d->name, base);
    finding_label(pass->findings, f, d->source, d->name_at, "built on this");
}

static void check_bound(struct pass *pass, const struct schema *schema,
                        const struct constraint *own) {
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        if (bounds[i].property != own->property) continue;
        const struct constraint *base = schema_find(schema->base, own->property);
        int order = base ? json_number_compare(own->text, base->text) : 0;
        if (order * bounds[i].tighter < 0) report(pass, schema, own->at, own->property, base->text);
    }
}

/* The bounds that come with a type of the language. */
static void check_own_bounds(struct pass *pass, const struct schema *schema) {
    const struct type_row *row = schema->type;
    const gramc_text one = row && row->one_character ? TEXT("1") : (gramc_text){NULL, 0};
    const struct {
        enum type_property property;
        int tighter;
        gramc_text limit;
    } limits[] = {{P_MIN, 1, text_of(row ? row->min : NULL)},
                  {P_MAX, -1, text_of(row ? row->max : NULL)},
                  {P_MIN_LENGTH, 1, one},
                  {P_MAX_LENGTH, -1, one}};
    for (size_t i = 0; row && i < sizeof limits / sizeof *limits; i++)
        for (const struct constraint *c = schema->constraints; c && limits[i].limit.ptr;
             c = c->next)
            if (c->property == limits[i].property &&
                json_number_compare(c->text, limits[i].limit) * limits[i].tighter < 0)
                FIND(pass->findings, D_LOOSENED, pass->source, c->at,
                     type_property_row(c->property)->name, text_of(row->label), limits[i].limit);
}

/* ## Types inside */

/* Surely not: what cannot be decided is left alone. */
static bool takes_more(struct pass *pass, const struct schema *own, const struct schema *base) {
    gramc_compare_options options = GRAMC_COMPARE_OPTIONS_INIT;
    gramc_comparison *comparison = NULL;
    struct arena scratch;
    if (!own || !base) return false;
    arena_init(&scratch, &pass->arena->allocator);
    options.allocator = &pass->arena->allocator;
    options.max_steps = MOST_STEPS;
    const struct json *a = schema_document(&scratch, own, SCHEMA_CHECKED);
    const struct json *b = schema_document(&scratch, base, SCHEMA_CHECKED);
    gramc_status status = GRAMC_LIMIT;
    if (a && b) status = gramc_schema_compare_documents(&comparison, a, b, &options);
    if (status == GRAMC_NOMEM || scratch.oom) pass->arena->oom = true;
    bool more = status == GRAMC_OK && comparison->answer == GRAMC_COMPARE_NO;
    gramc_comparison_free(comparison);
    arena_free(&scratch);
    return more;
}

static void check_inside(struct pass *pass, const struct schema *schema) {
    const struct schema *base = schema->base;
    const struct {
        enum type_property property;
        const struct schema *own, *base;
    } parts[] = {{P_ITEMS, schema->inner, schema_inner(base)},
                 {P_VALUES, schema->values, schema_values(base)},
                 {P_KEYS, schema->keys, schema_keys(base)}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (takes_more(pass, parts[i].own, parts[i].base))
            report(pass, schema, parts[i].own->span.end ? parts[i].own->span : schema->span,
                   parts[i].property, TEXT("less"));
}

/* ## Names */

/* A record adds fields to its base; it does not change them. */
static void check_fields(struct pass *pass, const struct schema *schema) {
    for (const struct field *own = schema->fields; own; own = own->next) {
        struct field_walk walk = field_walk(schema);
        for (const struct field *f; (f = field_next(&walk)) != NULL && f != own;) {
            if (!text_eq(f->name, own->name)) continue;
            report_name_taken(pass, D_DUPLICATE_FIELD, own->name, own->span, pass->source, f->span);
            break;
        }
    }
}

/* A pattern that a base has stands there for good as well. */
static void check_patterns(struct pass *pass, const struct schema *schema) {
    for (const struct field *own = schema->patterns; own; own = own->next)
        for (const struct schema *base = schema->base; base; base = base->base)
            for (const struct field *f = base->patterns; f; f = f->next)
                if (text_eq(f->name, own->name))
                    report_name_taken(pass, D_DUPLICATE_FIELD, own->name, own->span, pass->source,
                                      f->span);
}

/* A word of the vocabulary that is used again is replaced, not built on. */
void derived_check(struct pass *pass, const struct schema *schema) {
    const struct definition *d = schema->definition;
    if (schema->base && schema->fields) check_fields(pass, schema);
    if (schema->base && schema->patterns) check_patterns(pass, schema);
    if (!schema->base) check_own_bounds(pass, schema);
    if (!d || schema->base != d->field.schema || d->cyclic) return;
    if (d->cut_from) cut_check(pass, schema);
    for (const struct constraint *c = schema->constraints; c; c = c->next)
        check_bound(pass, schema, c);
    if (schema->inner || schema->values || schema->keys) check_inside(pass, schema);
}

/* ## Definitions */

static void check_flags(struct pass *pass, const struct schema *schema) {
    bool opens = schema->open == SAID_TRUE && schema_open(schema->base) == SAID_FALSE;
    bool repeats = schema->unique == SAID_FALSE && schema_is_unique(schema->base);
    if (opens) report(pass, schema, schema->span, P_OPEN, TEXT("false"));
    if (repeats) report(pass, schema, schema->span, P_UNIQUE, TEXT("true"));
}

/* A word of the vocabulary keeps its default for those who use it again. */
static void check_place(struct pass *pass, const struct definition *d) {
    const struct constraint *fallback = d->field.fallback;
    if (!d->is_type || !(fallback || d->field.optional)) return;
    struct finding *f =
        FIND(pass->findings, D_PROPERTY_NOT_HERE, d->source, fallback ? fallback->at : d->name_at,
             fallback ? TEXT("default") : TEXT("optional"),
             TEXT("it belongs to the place where the type is used"));
    finding_help(pass->findings, f, "write `(x::%.*s {%s})` there", TEXT_ARGS(d->name),
                 fallback ? "default: ..." : "optional: true");
}

void derived_check_type(struct pass *pass, const struct definition *d) {
    const struct schema *schema = d->field.schema;
    check_place(pass, d);
    if (d->is_word && !d->is_type) return;
    if (schema->definition && schema->base == schema->definition->field.schema)
        check_flags(pass, schema);
}
