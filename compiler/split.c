/* Gives a use such as `(next::Node {fields: {weight: Int}})` inside Node a type of its own,
 * `Node_with_weight`, which goes by reference as Node does. In line it would hold itself without
 * end. Everywhere else what a use adds stands in line. */
#include "compiler/split.h"

#include "base/text.h"
#include "compiler/registry.h"
#include "compiler/spec.h"

enum { LONGEST_NAME = 64 };

static void put_added(struct buf *name, const struct schema *use) {
    for (const struct field *f = use->fields; f && name->len < LONGEST_NAME; f = f->next)
        buf_printf(name, "_%.*s", TEXT_ARGS(f->name));
    if (use->fields) return;
    buf_puts(name, use->values     ? "_values"
                   : use->patterns ? "_patterns"
                   : use->inner    ? "_items"
                                   : "_more");
}

/* The first that nothing has. */
static gramc_text choose_name(struct pass *pass, const struct gramc_spec *spec,
                              const struct schema *use) {
    gramc_text chosen = {NULL, 0};
    struct buf name;
    buf_init(&name, &pass->arena->allocator, SOURCE_MAX);
    for (unsigned number = 1; !chosen.ptr && name.state == BUF_FINE; number++) {
        buf_reset(&name);
        buf_text(&name, use->definition->name);
        buf_puts(&name, "_with");
        put_added(&name, use);
        if (number > 1) buf_printf(&name, "_%u", number);
        if (registry_get(&spec->definitions, buf_view(&name))) continue;
        chosen = arena_text(pass->arena, buf_view(&name));
        if (!chosen.ptr) break;
    }
    if (name.state == BUF_NOMEM) pass->arena->oom = true;
    buf_free(&name);
    return chosen;
}

static void split(struct pass *pass, struct gramc_spec *spec, const struct definition *owner,
                  struct schema *use) {
    struct definition *d = ARENA_NEW(pass->arena, struct definition);
    struct schema *schema = ARENA_NEW(pass->arena, struct schema);
    gramc_text name = choose_name(pass, spec, use);
    if (!d || !schema || !name.ptr) return;
    *schema = *use;
    schema->nullable = UNSAID;
    *d = (struct definition){.name = name, .name_at = use->span, .row = use->type};
    d->source = owner->source;
    d->field = (struct field){.identifier = name, .name = name, .schema = schema};
    d->field.span = d->name_at;
    d->state = DEFINITION_DONE;
    d->is_type = d->by_reference = true;
    d->index = d->low = owner->index;
    d->cut_from = use->base;
    *use = (struct schema){.type = schema->type,
                           .base = schema,
                           .definition = d,
                           .span = schema->span,
                           .kind = schema->kind,
                           .nullable = use->nullable,
                           .deprecated = use->deprecated};
    *spec->last_definition = d;
    spec->last_definition = &d->next;
    registry_add(&spec->definitions, name, d);
}

/* Recursion is bounded by the parser's nesting limit. */
static void split_parts(struct pass *pass, struct gramc_spec *spec, const struct definition *owner,
                        const struct schema *schema) {
    struct part_walk walk = part_walk(schema);
    for (const struct schema *part; part_next(&walk, &part);) {
        if (!part) continue;
        split_parts(pass, spec, owner, part);
        const struct definition *d = part->definition;
        if (d && d->by_reference && d->component == owner->component && schema_adds_parts(part))
            split(pass, spec, owner, (struct schema *)(void *)(uintptr_t)part);
    }
}

void uses_split(struct pass *pass, struct gramc_spec *spec, const struct definition *owner) {
    split_parts(pass, spec, owner, owner->field.schema);
}
