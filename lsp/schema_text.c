/* Turns a definition that is known by its place into the schema that the compiler has for it. */
#include "lsp/schema_text.h"

#include "compiler/definition.h"
#include "compiler/library.h"
#include "compiler/tool.h"
#include "gramc/schema.h"

enum { LARGEST_SCHEMA = 1 << 24, LONGEST_ANSWER = 400 };

static gramc_text printed(struct arena *arena, const struct schema *schema) {
    struct buf out;
    buf_init(&out, &arena->allocator, LARGEST_SCHEMA);
    schema_print(&out, schema, SCHEMA_PRINTED);
    return buf_to_arena(&out, arena);
}

static bool is_there(struct span at, const struct occurrence *d) {
    return at.start <= d->at.start && d->at.end <= at.end;
}

const struct definition *definition_of_occurrence(const struct insight *a,
                                                  const struct occurrence *d) {
    if (!a->spec || d->kind != SYMBOL_TYPE) return NULL;
    for (const struct definition *t = a->spec->first_definition; t; t = t->next)
        if (t->source == &d->unit->source && is_there(t->name_at, d)) return t;
    return NULL;
}

static const struct field *parameter_in(const struct signature *signature,
                                        const struct occurrence *d) {
    const struct field *f = signature ? signature->parameters : NULL;
    while (f && !is_there(f->span, d)) f = f->next;
    return f;
}

const struct field *parameter_of_occurrence(const struct insight *a, const struct occurrence *d) {
    const struct field *found = NULL;
    if (!a->spec || d->kind != SYMBOL_PARAMETER) return NULL;
    for (const struct tool *t = a->spec->first_tool; t && !found; t = t->next)
        if (t->source == &d->unit->source) found = parameter_in(t->signature, d);
    for (const struct library *l = a->spec->first_library; l && !found; l = l->next)
        for (size_t i = 0; i < l->impl_count && !found; i++)
            if (l->source == &d->unit->source) found = parameter_in(l->impls[i].signature, d);
    for (const struct bare *b = a->spec->first_bare; b && !found; b = b->next)
        if (b->source == &d->unit->source) found = parameter_in(b->signature, d);
    return found;
}

gramc_text schema_of_occurrence(struct arena *arena, const struct insight *a,
                                const struct occurrence *d) {
    const gramc_text none = {NULL, 0};
    if (!a->spec) return none;
    const struct tool *tool = occurrence_tool(a, d);
    if (tool) return tool->signature ? printed(arena, &tool->signature->arguments) : none;
    const struct definition *type = definition_of_occurrence(a, d);
    if (type) return type->row && !type->cyclic ? printed(arena, type->field.schema) : none;
    const struct field *parameter = parameter_of_occurrence(a, d);
    return parameter && parameter->schema ? printed(arena, parameter->schema) : none;
}

gramc_text answer_of_tool(struct arena *arena, const struct insight *a,
                          const struct occurrence *d) {
    const struct tool *tool = a->spec ? occurrence_tool(a, d) : NULL;
    const struct json *result = tool && tool->signature
                                    ? schema_document(arena, tool->signature->result, SCHEMA_DEFS)
                                    : NULL;
    gramc_status status = GRAMC_FINDINGS;
    struct buf out;
    buf_init(&out, &arena->allocator, LONGEST_ANSWER);
    if (result) status = gramc_schema_sample(result, &arena->allocator, buf_writer(&out));
    if (status != GRAMC_OK) {
        out.len = 0;
        buf_puts(&out, "\"\"");
    }
    return buf_to_arena_cut(&out, arena);
}
