/* Calls tools and parameters by names that the provider takes, and understands those names when the
 * model uses them. How a name is rewritten is libgramc's matter; here it is asked once, at binding.
 */
#include "runtime/wire.h"

#include "base/text.h"
#include "gramc/compile.h"

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

static void show_parameters(gramc_bound *bound, struct bound_tool *tool, gramc_text target) {
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
        show_parameters(bound, &bound->tools[i], target);
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
