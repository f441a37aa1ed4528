/* Asks the validator about parts of a schema: each part is compiled once, with the definitions of
 * its document beside it. There is one evaluator; this file only brings it what to evaluate. */
#include "jsonschema/subsume/subsume.h"

#include "base/json/edit.h"
#include "base/text.h"
gramc_text subsume_print(struct compat *compat, const struct json *value) {
    struct buf text;
    buf_init(&text, &compat->arena.allocator, SOURCE_MAX);
    json_put(&text, value);
    return buf_to_arena(&text, &compat->arena);
}

/* The validator's fast path takes "no memory" for "no": then it is asked again. */
bool subsume_evaluate_program(struct compat *compat, const gramc_schema *program, gramc_text json) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    if (!json.len) return false;
    if (gramc_schema_accepts(program, json.ptr, json.len)) return true;
    options.allocator = &compat->arena.allocator;
    options.max_errors = 1;
    gramc_status status = gramc_schema_check(&verdict, program, json.ptr, json.len, &options);
    if (status == GRAMC_NOMEM) compat->arena.oom = true;
    else if (status != GRAMC_OK) compat->undecided = true;
    bool valid = status == GRAMC_OK && verdict->valid;
    gramc_verdict_free(verdict);
    return valid;
}

gramc_text subsume_evaluate_fill(struct compat *compat, gramc_text json) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    options.allocator = &compat->arena.allocator;
    options.flags = GRAMC_CHECK_DEFAULTS;
    gramc_status status =
        gramc_schema_check(&verdict, compat->a.program, json.ptr, json.len, &options);
    if (status == GRAMC_NOMEM) compat->arena.oom = true;
    if (status == GRAMC_OK) json = arena_text(&compat->arena, verdict->normalised);
    gramc_verdict_free(verdict);
    return json;
}

/* {"allOf":[part],"$defs":...}: what surrounds it is new, what stands in it is shared. */
static const struct json *alone(struct compat *compat, const struct subsume_side *side,
                                const struct json *node) {
    struct arena *arena = &compat->arena;
    struct json *whole = json_new(arena, JSON_OBJECT), *list = json_new(arena, JSON_ARRAY);
    json_append(list, json_copy_shallow(arena, node));
    json_set(whole, TEXT("allOf"), list);
    if (side->defs && subsume_has_reference(node))
        json_set(whole, TEXT("$defs"), json_copy_shallow(arena, side->defs));
    return arena->oom ? NULL : whole;
}

static gramc_schema *compile(struct compat *compat, const struct subsume_side *side,
                             const struct json *node) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_schema *program = NULL;
    const struct json *document = alone(compat, side, node);
    options.allocator = &compat->arena.allocator;
    options.assert_formats = true;
    if (!document) return NULL;
    if (gramc_schema_compile_document(&program, document, &options, NULL) == GRAMC_NOMEM)
        compat->arena.oom = true;
    return program;
}

static const struct subsume_program *find(struct compat *compat, struct subsume_side *side,
                                          const struct json *node) {
    struct subsume_program **bucket =
        &side->programs[(node->start ^ node->end * 31u) % EVALUATE_BUCKETS];
    for (struct subsume_program *program = *bucket; program; program = program->next)
        if (program->node == node) return program;
    if (compat->evaluate_count == SUBSUME_PROGRAMS) return NULL;
    struct subsume_program *program = ARENA_NEW(&compat->arena, struct subsume_program);
    if (!program) return NULL;
    compat->evaluate_count++;
    *program = (struct subsume_program){*bucket, node, compile(compat, side, node)};
    *bucket = program;
    return program;
}

bool subsume_evaluate_node(struct compat *compat, struct subsume_side *side,
                           const struct json *node, gramc_text json) {
    if (node == side->root && side->program)
        return subsume_evaluate_program(compat, side->program, json);
    if (node->kind != JSON_OBJECT) return node->kind == JSON_TRUE;
    const struct subsume_program *program = find(compat, side, node);
    if (!program || !program->program) compat->undecided = true;
    return program && program->program && subsume_evaluate_program(compat, program->program, json);
}

bool subsume_evaluate_conjunction(struct compat *compat, const struct conjunction *a,
                                  gramc_text json) {
    if (!json.len) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!subsume_evaluate_node(compat, &compat->a, a->nodes[i], json)) return false;
    return true;
}

bool subsume_evaluate_witness(struct compat *compat, const struct conjunction *a,
                              const struct json *b, gramc_text json) {
    return subsume_evaluate_conjunction(compat, a, json) &&
           !subsume_evaluate_node(compat, &compat->b, b, json);
}

void subsume_evaluate_free(struct subsume_side *side) {
    for (size_t i = 0; i < EVALUATE_BUCKETS; i++)
        for (struct subsume_program *program = side->programs[i]; program; program = program->next)
            gramc_schema_free(program->program);
    gramc_schema_free(side->program);
    gramc_schema_free(side->given);
}
