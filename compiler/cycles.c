/* Finds types that lead to themselves without ever saying anything: bases and unions that come
 * back, and types each value of which would have to contain another one. Tells the way round.
 * Recursion that a finite value ends is fine; how it is printed is definition.c's. */
#include "compiler/cycles.h"

#include "base/number.h"
#include "base/text.h"
#include "compiler/name_match.h"
#include "compiler/registry.h"
#include "compiler/spec.h"

enum { MOST_TOLD = 12, MOST_STEPS = 1000 };

/* Where a type leads to next on its way round; NULL: nowhere. */
typedef struct definition *next_function(struct pass *pass, const struct gramc_spec *spec,
                                         const struct definition *d);

static struct definition *definition_of(const struct gramc_spec *spec,
                                        const struct schema *schema) {
    return registry_get(&spec->definitions, schema->definition->name);
}

/* ## The way round */

/* Each step with its place, as far as there is room for labels; the names in the help. */
static void tell_way(struct pass *pass, const struct gramc_spec *spec, struct finding *finding,
                     const struct definition *from, next_function *next) {
    const struct definition *d = next(pass, spec, from);
    struct buf way;
    buf_init(&way, &pass->arena->allocator, SOURCE_MAX);
    buf_printf(&way, "`%.*s`", TEXT_ARGS(from->name));
    for (size_t i = 0; d && d != from && i < MOST_TOLD; i++, d = next(pass, spec, d)) {
        finding_label(pass->findings, finding, d->source, d->name_at, "on the way round");
        buf_printf(&way, " -> `%.*s`", TEXT_ARGS(d->name));
    }
    if (d != from) buf_puts(&way, " -> ...");
    buf_printf(&way, " -> `%.*s`", TEXT_ARGS(from->name));
    if (way.state == BUF_NOMEM) pass->arena->oom = true;
    else finding_help(pass->findings, finding, "the way round: %.*s", TEXT_ARGS(buf_view(&way)));
    buf_free(&way);
}

/* ## Bases */

static struct definition *next_base(struct pass *pass, const struct gramc_spec *spec,
                                    const struct definition *d) {
    (void)pass;
    return registry_get(&spec->definitions, name_text(d->base));
}

static void report_cycle(struct pass *pass, const struct gramc_spec *spec, struct definition *d,
                         next_function *next) {
    pass->source = d->source;
    d->cyclic = true;
    struct finding *f = FIND(pass->findings, D_TYPE_CYCLE, d->source, d->name_at, d->name);
    tell_way(pass, spec, f, d, next);
}

void cycle_report_base(struct pass *pass, const struct gramc_spec *spec, struct definition *d) {
    report_cycle(pass, spec, d, next_base);
}

/* ## Unions of themselves: a member stands in the same place as its union, so a union that comes
 * back to itself by members alone says nothing about any value. A type without any value is told
 * as that. */

/* What this type leads to without moving into the value, and is not settled yet. Recursion is
 * bounded by the parser's nesting limit. */
static struct definition *find_unsettled(const struct gramc_spec *spec,
                                         const struct schema *schema) {
    if (!schema) return NULL;
    if (schema->definition && !schema->definition->settled) return definition_of(spec, schema);
    struct definition *found = NULL;
    for (const struct member *m = schema->all; m && !found; m = m->next)
        found = find_unsettled(spec, m->schema);
    if (!schema_is_choice(schema)) return found;
    for (const struct member *m = schema->members; m && !found; m = m->next)
        found = find_unsettled(spec, m->schema);
    return found;
}

static struct definition *next_unsettled(struct pass *pass, const struct gramc_spec *spec,
                                         const struct definition *d) {
    (void)pass;
    return find_unsettled(spec, d->field.schema);
}

/* Whatever is not settled leads to something else that is not: so the walk meets itself. */
static void report_union_cycle(struct pass *pass, const struct gramc_spec *spec,
                               struct definition *from, uint32_t walk) {
    struct definition *d = from;
    for (; d && d->walk == 0; d = find_unsettled(spec, d->field.schema)) d->walk = walk;
    if (d && d->walk == walk && !d->cyclic && d->inhabited)
        report_cycle(pass, spec, d, next_unsettled);
}

static void find_union_cycles(struct pass *pass, const struct gramc_spec *spec,
                              struct definition *const *all, size_t count) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < 2 * count; i++) {
            struct definition *d = all[i < count ? i : 2 * count - 1 - i];
            if (d->settled || find_unsettled(spec, d->field.schema)) continue;
            d->settled = changed = true;
        }
    }
    uint32_t walk = 0;
    for (size_t i = 0; i < count; i++)
        if (!all[i]->settled && all[i]->name.ptr && !all[i]->cut_from)
            report_union_cycle(pass, spec, all[i], ++walk);
}

/* ## Values: the least fixed point of "some finite value satisfies it" */

/* What keeps a type from having a value: a part that has none (so far), by whose name it goes on.
 */
static const struct schema *find_empty(struct pass *pass, const struct schema *schema);

static const struct schema *empty_member(struct pass *pass, const struct schema *schema) {
    const struct schema *empty = NULL;
    bool is_union = schema_is_choice(schema);
    int64_t wanted = INT64_MAX; /* of a tuple: items that must be there */
    gramc_text least = is_union ? TEXT("") : schema_get(schema, P_MIN_ITEMS);
    if (least.len && !number_to_int(&wanted, least)) wanted = INT64_MAX;
    for (const struct member *m = schema->members; m && wanted-- > 0; m = m->next) {
        const struct schema *one = find_empty(pass, m->schema);
        if (!one && is_union) return NULL;
        if (one && !empty) empty = one;
        if (one && !is_union) return one;
    }
    return empty;
}

static const struct schema *empty_items(struct pass *pass, const struct schema *schema) {
    gramc_text least = schema_get(schema, P_MIN_ITEMS);
    bool needs_items = schema->kind == TYPE_ARRAY && least.len && !text_is(least, "0");
    return needs_items ? find_empty(pass, schema_inner(schema)) : NULL;
}

/* ### Names that must be there */

static const struct field *field_named(const struct schema *schema, gramc_text name) {
    struct field_walk walk = field_walk(schema);
    const struct field *f;
    while ((f = field_next(&walk)) != NULL && !text_eq(f->name, name)) continue;
    return f;
}

/* The value of a name fits its field and each pattern that the name matches, else `values`. */
static const struct schema *empty_name(struct pass *pass, const struct schema *schema,
                                       gramc_text name) {
    const struct field *field = field_named(schema, name);
    const struct schema *empty = field ? find_empty(pass, field->schema) : NULL;
    const struct schema *other = find_empty(pass, schema_values(schema));
    bool matched = field != NULL;
    for (const struct schema *link = schema; link && !empty; link = link->base)
        for (const struct field *p = link->patterns; p && !empty; p = p->next) {
            const struct schema *one = find_empty(pass, p->schema);
            bool matters = one || (other && !matched);
            if (!matters || !name_matches(pass, p->name, name)) continue;
            matched = true;
            empty = one;
        }
    return matched ? empty : other;
}

/* Fields that must be there by themselves were looked at, but for what patterns say of them. */
static const struct schema *empty_required(struct pass *pass, const struct schema *schema) {
    const struct schema *empty = NULL;
    struct field_walk walk = field_walk(schema);
    bool patterns = schema_has_patterns(schema);
    for (const struct field *f; patterns && !empty && (f = field_next(&walk)) != NULL;)
        if (!f->optional) empty = empty_name(pass, schema, f->name);
    for (const struct schema *link = schema; link && !empty; link = link->base)
        for (const struct constraint *c = link->constraints; c && !empty; c = c->next) {
            const struct json *list = c->property == P_REQUIRED ? constraint_json(c) : NULL;
            for (const struct json *v = list ? list->first : NULL; v && !empty; v = v->next)
                empty = empty_name(pass, schema, v->text);
        }
    return empty;
}

/* So many names are wanted, and only the fields can have a value. */
static const struct schema *empty_names(struct pass *pass, const struct schema *schema) {
    const struct schema *empty = find_empty(pass, schema_values(schema));
    struct field_walk walk = field_walk(schema);
    int64_t least = 0, count = 0;
    if (!empty || !number_to_int(&least, schema_get(schema, P_MIN_NAMES))) return NULL;
    for (const struct field *f; (f = field_next(&walk)) != NULL;)
        if (!find_empty(pass, f->schema)) count++;
    for (const struct schema *link = schema; link; link = link->base)
        for (const struct field *p = link->patterns; p; p = p->next)
            if (!find_empty(pass, p->schema)) return NULL;
    return count < least ? empty : NULL;
}

/* What comes from a named type is settled by that type's own mark. Recursion is bounded by the
 * parser's nesting limit. */
static const struct schema *find_empty(struct pass *pass, const struct schema *schema) {
    const struct schema *empty = NULL;
    if (!schema || schema->nullable == SAID_TRUE) return NULL;
    if (schema->definition && !schema->definition->inhabited) return schema;
    for (const struct field *f = schema->fields; f && !empty; f = f->next)
        if (!f->optional) empty = find_empty(pass, f->schema);
    for (const struct member *m = schema->all; m && !empty; m = m->next)
        empty = find_empty(pass, m->schema);
    if (!empty) empty = empty_member(pass, schema);
    if (empty || schema_is_choice(schema)) return empty;
    uint64_t said = schema_said(schema);
    bool is_plain = !schema->patterns && !schema->values && !schema->constraints && !schema->fields;
    if (said & PROPERTY_BIT(P_MIN_ITEMS)) empty = empty_items(pass, schema);
    if (is_plain) return empty;
    if (!empty) empty = empty_required(pass, schema);
    if (!empty && said & PROPERTY_BIT(P_MIN_NAMES)) empty = empty_names(pass, schema);
    return empty;
}

static bool note_inhabited(struct pass *pass, struct definition *d) {
    if (!d->row || d->cyclic || d->inhabited || find_empty(pass, d->field.schema)) return false;
    d->inhabited = true;
    return true;
}

static struct definition *next_empty(struct pass *pass, const struct gramc_spec *spec,
                                     const struct definition *d) {
    const struct schema *empty = find_empty(pass, d->field.schema);
    return empty && empty->definition ? definition_of(spec, empty) : NULL;
}

/* One that leads to a way round and is not on it is told what comes next. */
static void report_uninhabited(struct pass *pass, const struct gramc_spec *spec,
                               const struct definition *d) {
    struct finding *f = FIND(pass->findings, D_UNINHABITED, d->source, d->name_at, d->name);
    const struct definition *first = f ? next_empty(pass, spec, d) : NULL, *on = first;
    for (size_t i = 0; on && on != d && i < MOST_STEPS; i++) on = next_empty(pass, spec, on);
    if (first && on == d) tell_way(pass, spec, f, d, next_empty);
    if (!first || on == d) return;
    finding_help(pass->findings, f, "each value of it holds a `%.*s`, which has none",
                 TEXT_ARGS(first->name));
}

/* There and back: a long chain of types is settled in one go, whichever way it was written. */
void cycles_check(struct pass *pass, struct gramc_spec *spec) {
    struct definition **all, *d = spec->first_definition;
    size_t count = 0;
    for (; d; d = d->next) count++;
    all = arena_array(pass->arena, count, sizeof *all);
    if (!all) return;
    count = 0;
    for (d = spec->first_definition; d; d = d->next) all[count++] = d;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count; i++) changed = note_inhabited(pass, all[i]) || changed;
        for (size_t i = count; i-- > 0;) changed = note_inhabited(pass, all[i]) || changed;
    }
    find_union_cycles(pass, spec, all, count);
    for (d = spec->first_definition; d; d = d->next)
        if (d->row && !d->cyclic && !d->inhabited && d->name.ptr && !d->cut_from)
            report_uninhabited(pass, spec, d);
}
