/* Calls tools and parameters by names that the provider takes, and understands those names when the
 * model uses them. How a name is rewritten is libgramc's matter; here it is asked once, at binding.
 */
#include "runtime/wire.h"

#include "base/json/json.h"
#include "base/text.h"
#include "gramc/compile.h"
#include "runtime/checked_call.h"
#include "runtime/reading.h"

enum { SCHEMA_MAX = 64 << 20 };

/* What a conversion wrote, in the arena; `otherwise` if it could not. */
static gramc_text take(struct arena *arena, gramc_status status, struct buf *out,
                       gramc_text otherwise) {
    gramc_text text = otherwise;
    if (status == GRAMC_NOMEM || out->state == BUF_NOMEM) arena->oom = true;
    else if (status == GRAMC_OK && !text_eq(buf_view(out), otherwise))
        text = arena_text(arena, buf_view(out));
    buf_free(out);
    return text.ptr ? text : otherwise;
}

static bool report(gramc_bound *bound, gramc_status status) {
    if (status == GRAMC_NOMEM) bound->arena.oom = true;
    else if (status == GRAMC_USAGE)
        bound_report(bound, GRAMC_ERROR, NULL, TEXT("there is no target of that name to bind for"),
                     TEXT(""));
    else if (status != GRAMC_OK)
        bound_report(bound, GRAMC_ERROR, NULL, TEXT("the name of a tool is too long to be sent"),
                     TEXT(""));
    return status == GRAMC_OK;
}

static bool name_tools(gramc_bound *bound, gramc_text target) {
    struct arena *arena = &bound->arena;
    size_t count = bound->tool_count;
    gramc_text *names = arena_array(arena, count + 1, sizeof(*names));
    char(*wire)[GRAMC_WIRE_NAME_SIZE] = arena_array(arena, count + 1, sizeof(*wire));
    if (!names || !wire) return false;
    for (size_t i = 0; i < count; i++) names[i] = bound->tools[i].tool->name;
    if (!report(bound, gramc_target_wire_names(target, GRAMC_NAME_TOOL, names, count, wire,
                                               &arena->allocator)))
        return false;
    for (size_t i = 0; i < count; i++) {
        gramc_text made = text_of(wire[i]);
        bound->tools[i].wire_name = text_eq(made, names[i]) ? names[i] : made;
    }
    return true;
}

void wire_show(gramc_bound *bound, struct bound_tool *tool, gramc_text target) {
    struct buf out;
    gramc_text own = tool->tool->parameters;
    buf_init(&out, &bound->arena.allocator, SCHEMA_MAX);
    gramc_status status =
        gramc_target_schema(target, tool->tool, &bound->arena.allocator, buf_writer(&out));
    tool->wire_parameters = take(&bound->arena, status, &out, own);
    if (tool->wire_parameters.ptr != own.ptr) tool->target = arena_text(&bound->arena, target);
}

bool wire_make(gramc_bound *bound, gramc_text target) {
    if (!name_tools(bound, target)) return false;
    for (size_t i = 0; i < bound->tool_count && !bound->arena.oom; i++)
        wire_show(bound, &bound->tools[i], target);
    return !bound->arena.oom;
}

gramc_text wire_arguments(struct arena *arena, const struct bound_tool *tool,
                          gramc_text arguments) {
    struct buf out;
    if (!tool->target.len) return arguments;
    buf_init(&out, &arena->allocator, SCHEMA_MAX);
    gramc_status status = gramc_target_arguments(tool->target, tool->tool, arguments,
                                                 &arena->allocator, buf_writer(&out));
    return take(arena, status, &out, arguments);
}

gramc_text wire_examples(struct arena *arena, const struct bound_tool *tool) {
    struct buf out;
    gramc_text own = tool->tool->examples;
    if (!tool->target.len || !own.len) return own;
    buf_init(&out, &arena->allocator, SCHEMA_MAX);
    gramc_status status =
        gramc_target_examples(tool->target, tool->tool, &arena->allocator, buf_writer(&out));
    return take(arena, status, &out, own);
}

/* ## Errors */

static gramc_text as_it_is(void *ctx, struct arena *arena, gramc_text json) {
    (void)ctx, (void)arena;
    return json;
}

static gramc_text put_verdict(struct arena *arena, const gramc_verdict *verdict) {
    struct buf out;
    buf_init(&out, &arena->allocator, SCHEMA_MAX);
    checked_put_violations(&out, verdict);
    return buf_to_arena(&out, arena);
}

/* The schema that the model was shown is compiled for this alone: it happens seldom. */
static gramc_text explain(struct arena *arena, const gramc_schema *schema, gramc_text arguments,
                          unsigned coerce, bool tolerant) {
    const struct reading_view view = {.schema = schema,
                                      .kinds = tolerant ? 1u << JSON_OBJECT : 0,
                                      .flags =
                                          GRAMC_CHECK_DEFAULTS | GRAMC_CHECK_NULL_ABSENT | coerce,
                                      .seen = as_it_is};
    struct taken reading;
    gramc_verdict *verdict = NULL;
    gramc_text said = {NULL, 0};
    reading_init(&reading, &arena->allocator);
    gramc_status status = reading_take(&reading, &verdict, json_mended(arena, arguments), &view);
    if (status == GRAMC_NOMEM) arena->oom = true;
    else if (status == GRAMC_OK && !verdict->valid) said = put_verdict(arena, verdict);
    gramc_verdict_free(verdict);
    reading_free(&reading);
    return said;
}

gramc_text wire_violations(struct arena *arena, const struct bound_tool *tool, gramc_text arguments,
                           unsigned coerce, bool tolerant) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_schema *schema = NULL;
    gramc_text shown = tool->wire_parameters, said = {NULL, 0};
    if (!tool->target.len) return said;
    options.allocator = &arena->allocator;
    options.assert_formats = true;
    options.closed_root = true;
    gramc_status status = gramc_schema_compile(&schema, shown.ptr, shown.len, &options, NULL);
    if (status == GRAMC_NOMEM) arena->oom = true;
    else if (status == GRAMC_OK) said = explain(arena, schema, arguments, coerce, tolerant);
    gramc_schema_free(schema);
    return said;
}
