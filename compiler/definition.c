/* Turns top-level patterns such as `[Color:Text {enum: [...]}]` and `(personName::Text)` into named
 * types and vocabulary, and finds out what no single one can tell: recursion, types that no value
 * satisfies, fields that are defined twice. */
#include "compiler/definition.h"

#include "base/limits.h"
#include "base/text.h"
#include "compiler/cut.h"
#include "compiler/cycles.h"
#include "compiler/derived.h"
#include "compiler/fixes.h"
#include "compiler/pattern.h"
#include "compiler/reuse.h"
#include "compiler/spec.h"
#include "compiler/split.h"

enum { LARGEST_IN_LINE = 2000, DEEPEST_IN_LINE = 64 };

/* ## Collecting */

const struct definition *definition_named(const struct pass *pass, gramc_text name) {
    const struct definition *d = registry_get(&pass->compilation->spec->definitions, name);
    return d && !d->cut_from ? d : NULL;
}

struct definition *definition_find(const struct pass *pass, gramc_text name) {
    struct definition *definition = registry_get(&pass->compilation->spec->definitions, name);
    return definition && definition->row && !definition->cyclic && !definition->cut_from
               ? definition
               : NULL;
}

gramc_text definition_nearest(const struct pass *pass, gramc_text name) {
    gramc_text best = {NULL, 0};
    for (const struct definition *d = pass->compilation->spec->first_definition; d; d = d->next) {
        gramc_text pair[2] = {d->name, best};
        if (d->row && !d->cut_from) best = text_nearest(name, pair, best.len ? 2 : 1);
    }
    return best;
}

void definition_slips(const struct pass *pass, struct slip *slip) {
    for (const struct definition *d = pass->compilation->spec->first_definition; d; d = d->next)
        if (d->row && !d->cut_from) slip_try(slip, d->name);
}

void definition_collect(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern) {
    struct definition *definition = ARENA_NEW(pass->arena, struct definition);
    if (!definition) return;
    definition->pattern = pattern;
    definition->base = pattern->subject->labels->name;
    definition->source = pass->source;
    if (subject_has_identifier(pattern->subject)) {
        definition->name = name_text(pattern->subject->identifier);
        definition->name_at = name_span(pattern->subject->identifier);
    }
    definition->field.identifier = definition->field.name = definition->name;
    definition->field.span = definition->name_at;
    definition->field.schema = ARENA_NEW(pass->arena, struct schema);
    *spec->last_definition = definition;
    spec->last_definition = &definition->next;
}

/* ## Bases */

static struct definition *base_of(const struct gramc_spec *spec, const struct definition *d) {
    return registry_get(&spec->definitions, name_text(d->base));
}

/* Too many links are told at the first type that has them; those built on it are not followed. */
static void note_links(struct pass *pass, struct definition *d, uint32_t links) {
    d->links = links;
    if (links <= BASES_MAX) return;
    d->cyclic = true;
    if (links == BASES_MAX + 1)
        FIND(pass->findings, D_LONG_CHAIN, d->source, d->name_at, d->name, TEXT("2000"));
}

/* Follows the labels down to a base type; what was found is written to all on the way. */
static void find_row(struct pass *pass, const struct gramc_spec *spec, struct definition *first) {
    const struct type_row *row = NULL;
    struct definition *d = first;
    for (; d && d->state == DEFINITION_NEW; d = base_of(spec, d)) {
        d->state = DEFINITION_BUSY;
        row = type_find(name_text(d->base));
        if (row) break;
    }
    bool cycle = !row && d && (d->cyclic || d->state == DEFINITION_BUSY);
    if (cycle && !d->cyclic) cycle_report_base(pass, spec, d);
    else if (!row && d) row = d->row;
    uint32_t links = !cycle && d && d->state == DEFINITION_DONE ? d->links : 0;
    for (d = first; !cycle && d && d->state == DEFINITION_BUSY; d = base_of(spec, d)) links++;
    for (d = first; d && d->state == DEFINITION_BUSY; d = base_of(spec, d)) {
        d->state = DEFINITION_DONE;
        d->cyclic = cycle;
        d->row = row;
        if (!cycle) note_links(pass, d, links--);
    }
}

static bool is_reserved(struct pass *pass, const struct definition *definition) {
    if (!type_find(definition->name) && !label_is_known(definition->name)) return false;
    FIND(pass->findings, D_RESERVED_TYPE, definition->source, definition->name_at,
         definition->name);
    return true;
}

/* ## Reading */

static void read_one(struct pass *pass, struct definition *definition) {
    pass->source = definition->source;
    if (definition->pattern->element_count && definition->pattern->kind != PATTERN_BRACKET) return;
    schema_read(pass, definition->field.schema, definition->pattern, &definition->field);
    schema_read_elements(pass, definition->field.schema, definition->pattern->elements);
}

void definitions_read(struct pass *pass, struct gramc_spec *spec,
                      void (*not_a_type)(struct pass *pass, const struct pattern *pattern)) {
    for (struct definition *d = spec->first_definition; d; d = d->next)
        if (d->name.ptr) registry_add(&spec->definitions, d->name, d);
    for (struct definition *d = spec->first_definition; d && !pass->arena->oom; d = d->next)
        find_row(pass, spec, d);
    for (struct definition *d = spec->first_definition; d && !pass->arena->oom; d = d->next) {
        pass->source = d->source;
        if (d->cyclic) continue;
        if (!d->row) not_a_type(pass, d->pattern);
        else if (!d->name.ptr) pattern_name(pass, d->pattern, "a type");
        else if (!is_reserved(pass, d)) read_one(pass, d);
        d->pattern = NULL;
    }
}

/* ## Size: what would be very large in line is printed once, under $defs */

static uint32_t add(uint32_t a, uint32_t b) {
    return a > LARGEST_IN_LINE || b > LARGEST_IN_LINE ? LARGEST_IN_LINE + 1 : a + b;
}

static uint32_t size_of(const struct schema *schema, uint32_t *depth) {
    uint32_t size = 1, deepest = 0;
    const struct definition *d = schema->definition;
    struct part_walk walk = part_walk(schema);
    if (d && (!d->by_reference || schema_adds_parts(schema))) {
        size = add(size, d->size);
        deepest = d->depth;
    }
    for (const struct schema *part; part_next(&walk, &part);) {
        uint32_t inner = 0;
        size = add(size, size_of(part, &inner));
        if (inner > deepest) deepest = inner;
    }
    *depth = deepest + 1;
    return size;
}

/* What it mentions has been measured, or goes by reference. */
static void measure(struct definition *definition) {
    definition->size = size_of(definition->field.schema, &definition->depth);
    if (definition->size > LARGEST_IN_LINE || definition->depth > DEEPEST_IN_LINE)
        definition->by_reference = true;
}

/* ## Recursion: strongly connected components, by Tarjan's algorithm
 * (SIAM J. Comput. 1(2), 1972), over the names that a type's schema mentions. With a stack of its
 * own: a chain of types may be as long as the file. */

struct cycle_search {
    struct pass *pass;
    struct definition **stack; /* visited, and of no complete component yet */
    struct definition **path;  /* those that are being visited, each mentioned by the one below */
    size_t height, length;
    uint32_t next_index, components;
};

/* `const` is for everybody else: the search writes marks. */
static struct definition *writable(const struct cycle_search *search, const struct definition *d) {
    return registry_get(&search->pass->compilation->spec->definitions, d->name);
}

static void add_mention(struct cycle_search *search, struct definition *from,
                        struct definition *to) {
    struct mention *mention = to ? ARENA_NEW(search->pass->arena, struct mention) : NULL;
    if (!mention) return;
    *mention = (struct mention){from->mentions, to};
    from->mentions = mention;
}

/* Recursion is bounded by the parser's nesting limit. */
static void find_mentions(struct cycle_search *search, struct definition *from,
                          const struct schema *schema) {
    if (!schema) return;
    if (schema->definition) add_mention(search, from, writable(search, schema->definition));
    struct part_walk walk = part_walk(schema);
    for (const struct schema *part; part_next(&walk, &part);) find_mentions(search, from, part);
}

static void enter(struct cycle_search *search, struct definition *definition) {
    find_mentions(search, definition, definition->field.schema);
    definition->index = definition->low = ++search->next_index;
    definition->on_stack = true;
    search->stack[search->height++] = definition;
    search->path[search->length++] = definition;
}

/* One component is complete: more than one definition in it, and all are recursive. What it
 * mentions is complete already, so that its size is known. */
static void pop_component(struct cycle_search *search, struct definition *root) {
    bool several = search->stack[search->height - 1] != root;
    size_t bottom = search->height;
    while (search->stack[--bottom] != root) continue;
    for (size_t i = bottom; i < search->height; i++) {
        search->stack[i]->on_stack = false;
        if (several) search->stack[i]->by_reference = true;
    }
    search->components++;
    for (size_t i = bottom; i < search->height; i++)
        search->stack[i]->component = search->components;
    for (size_t i = bottom; i < search->height; i++)
        if (search->stack[i]->by_reference)
            uses_split(search->pass, search->pass->compilation->spec, search->stack[i]);
    for (size_t i = bottom; i < search->height; i++) measure(search->stack[i]);
    search->height = bottom;
}

static void leave(struct cycle_search *search, struct definition *definition) {
    struct definition *below;
    if (definition->low == definition->index) pop_component(search, definition);
    if (--search->length == 0) return;
    below = search->path[search->length - 1];
    if (definition->on_stack && definition->low < below->low) below->low = definition->low;
}

/* The next name that a definition mentions. */
static void follow(struct cycle_search *search, struct definition *from) {
    struct definition *to = from->mentions->to;
    from->mentions = from->mentions->next;
    if (from == to) from->by_reference = true;
    if (to->index == 0) enter(search, to);
    else if (to->on_stack && to->index < from->low) from->low = to->index;
}

static void visit(struct cycle_search *search, struct definition *definition) {
    enter(search, definition);
    while (search->length && !search->pass->arena->oom) {
        struct definition *top = search->path[search->length - 1];
        if (top->mentions) follow(search, top);
        else leave(search, top);
    }
}

/* Before anything is printed: printing follows what goes in line. */
void definitions_measure(struct pass *pass, struct gramc_spec *spec) {
    struct cycle_search search = {.pass = pass};
    size_t count = 0;
    if (!pass->arena->oom) cuts_make(pass, spec);
    for (struct definition *d = spec->first_definition; d; d = d->next) count += d->index == 0;
    if (!count || pass->arena->oom) return;
    search.stack = arena_array(pass->arena, count, sizeof *search.stack);
    search.path = arena_array(pass->arena, count, sizeof *search.path);
    if (!search.stack || !search.path) return;
    for (struct definition *d = spec->first_definition; d && !pass->arena->oom; d = d->next)
        if (d->row && !d->cyclic && d->index == 0) visit(&search, d);
}

/* ## Checks */

static struct registered place(const void *thing) {
    const struct definition *definition = thing;
    return (struct registered){definition->source, definition->name_at};
}

static bool is_same(struct pass *pass, void *first, void *other) {
    const struct definition *a = first, *b = other;
    return !a->row || !b->row || b->cyclic || fields_mean_the_same(pass, &a->field, &b->field);
}

/* A second definition of a name is fine if it means the same as the first. */
static const struct registry_sort sort = {D_DUPLICATE_TYPE, place, is_same};

static void check_one(struct pass *pass, const struct definition *definition) {
    const struct schema *schema = definition->field.schema;
    pass->source = definition->source;
    derived_check_type(pass, definition);
    schema_check(pass, schema, &definition->field);
}

void definitions_check(struct pass *pass, struct gramc_spec *spec) {
    if (!spec->first_definition) return;
    registry_check(pass, &spec->definitions, &sort);
    cycles_check(pass, spec);
    for (struct definition *d = spec->first_definition; d && !pass->arena->oom; d = d->next)
        if (d->row && !d->cyclic && d->name.ptr && !d->cut_by) check_one(pass, d);
}
