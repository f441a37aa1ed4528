/* Prints what requests say about the tools and answers of a bound agent, once for each protocol
 * that its models are asked by. Names are those of the role that calls the tools; where another
 * role's provider would refuse one, it is shown a name of its own. */
#include "runtime/bind_blocks.h"

#include "base/json/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "gramc/compile.h"
#include "runtime/protocol.h"
#include "runtime/strategy.h"
#include "runtime/wire.h"

enum { BLOCK_MAX = 64 << 20, SENTENCE_MAX = 4096 };

/* ## One role */

static gramc_text print_block(gramc_bound *bound, gramc_text target, bool functions,
                              const gramc_tool *const *list, size_t count) {
    struct buf out;
    size_t bad = 0;
    gramc_text block = {NULL, 0};
    if (count == 0) return block;
    buf_init(&out, &bound->arena.allocator, BLOCK_MAX);
    gramc_status status = gramc_target_request(target, functions, list, count, &bad,
                                               &bound->arena.allocator, buf_writer(&out));
    if (!status) block = arena_text(&bound->arena, buf_view(&out));
    else if (status == GRAMC_NOMEM || out.state == BUF_NOMEM) bound->arena.oom = true;
    else if (!bound->failed)
        bound_report(bound, GRAMC_ERROR, NULL,
                     BOUND_JOIN(bound, TEXT("the parameters of tool `"), list[bad]->name,
                                TEXT("` are no JSON of usable size")),
                     TEXT(""));
    buf_free(&out);
    return block;
}

static gramc_text print_answer(gramc_bound *bound, const struct protocol *protocol,
                               const struct json *output) {
    struct buf out;
    if (!output) return (gramc_text){NULL, 0};
    buf_init(&out, &bound->arena.allocator, BLOCK_MAX);
    gramc_status status = gramc_target_answer(text_of(protocol->target), output,
                                              &bound->arena.allocator, buf_writer(&out));
    if (status) bound->arena.oom = true;
    return buf_to_arena(&out, &bound->arena);
}

/* The tool as the provider knows it. */
static const gramc_tool *shown(gramc_bound *bound, const struct bound_tool *tool) {
    gramc_tool *copy = ARENA_NEW(&bound->arena, gramc_tool);
    if (!copy) return tool->tool;
    *copy = *tool->tool;
    copy->name = tool->wire_name;
    if (copy->parameters.ptr != tool->wire_parameters.ptr) copy->document = NULL;
    copy->parameters = tool->wire_parameters;
    copy->examples = wire_examples(&bound->arena, tool);
    return copy;
}

/* As a provider is shown it that never calls it. False without memory. */
static bool rename_all(gramc_bound *bound, gramc_text target, const gramc_tool **list,
                       size_t count) {
    struct arena *arena = &bound->arena;
    gramc_text *names = arena_array(arena, count + 1, sizeof(*names));
    char(*wire)[GRAMC_WIRE_NAME_SIZE] = arena_array(arena, count + 1, sizeof(*wire));
    if (!names || !wire) return false;
    for (size_t i = 0; i < count; i++) names[i] = list[i]->name;
    if (gramc_target_wire_names(target, GRAMC_NAME_TOOL, names, count, wire, &arena->allocator))
        return false;
    for (size_t i = 0; i < count && !arena->oom; i++) {
        struct bound_tool shown_there = {.tool = list[i], .wire_name = text_of(wire[i])};
        wire_show(bound, &shown_there, target);
        list[i] = shown(bound, &shown_there);
    }
    return !arena->oom;
}

/* ## Steps */

/* The model cannot call what it is not told of, so the step forgets it too. */
static void cut_tools(gramc_bound *bound, struct bound_step *step) {
    size_t most = bound->protocol->most_tools;
    if (most == 0 || step->tool_count <= most) return;
    struct buf all, taken;
    buf_init(&all, &bound->arena.allocator, SENTENCE_MAX);
    buf_init(&taken, &bound->arena.allocator, SENTENCE_MAX);
    if (step->task) buf_printf(&all, "task `%.*s` has ", TEXT_ARGS(step->task->name));
    else buf_printf(&all, "agent `%.*s` has ", TEXT_ARGS(bound->agent->name));
    buf_printf(&all, "%zu", step->tool_count);
    buf_printf(&taken, "%zu", most);
    BOUND_TELL(bound, D_TOOLS_CUT, NULL, TEXT(""), buf_to_arena_cut(&all, &bound->arena),
               buf_to_arena_cut(&taken, &bound->arena), step->tools[most]->tool->name);
    step->tool_count = most;
}

/* What takes no arguments has nothing to be asked for. */
static void print_arguments(gramc_bound *bound) {
    for (size_t i = 0; i < bound->tool_count && !bound->arena.oom; i++) {
        struct bound_tool *tool = &bound->tools[i];
        const struct json *schema = json_parse(&bound->arena, tool->wire_parameters, NULL);
        const struct json *properties = json_get(schema, "properties");
        if (json_is(properties, JSON_OBJECT) && properties->first)
            tool->arguments_format = print_answer(bound, bound->protocol, schema);
    }
}

struct printing {
    gramc_bound *bound;
    const struct protocol *protocol;
    gramc_text target;
    bool is_other; /* not the one that the tools have their names for */
};

static void print_step(const struct printing *to, struct bound_step *step,
                       struct bound_blocks *out) {
    gramc_bound *bound = to->bound;
    const gramc_tool **list = arena_array(&bound->arena, step->tool_count + 1, sizeof(*list));
    size_t count = step->tool_count, most = to->protocol->most_tools;
    if (most && count > most) count = most;
    for (size_t t = 0; list && t < count; t++) list[t] = shown(bound, step->tools[t]);
    if (!list || bound->arena.oom) return;
    if (to->is_other && !rename_all(bound, to->target, list, count)) {
        bound->arena.oom = true;
        return;
    }
    out->tools = print_block(bound, to->target, false, list, count);
    if (to->protocol->has_functions)
        out->functions = print_block(bound, to->target, true, list, count);
    out->answer = print_answer(bound, to->protocol, step->output_document);
}

static void print_role(gramc_bound *bound, size_t role, gramc_text target) {
    const struct strategy *strategy = strategy_of(bound->agent);
    const struct protocol *protocol = bound->protocols[role];
    bool is_other = protocol != bound->protocol;
    const struct printing to = {bound, protocol, is_other ? text_of(protocol->target) : target,
                                is_other};
    if (strategy && strategy->answers)
        bound->own_format[role] = print_answer(
            bound, protocol, json_parse(&bound->arena, text_of(strategy->answers), NULL));
    for (size_t i = 0; i < bound->step_count && !bound->arena.oom; i++)
        print_step(&to, &bound->steps[i], &bound->steps[i].blocks[role]);
}

/* ## All roles */

static void copy_role(gramc_bound *bound, size_t from, size_t to) {
    bound->own_format[to] = bound->own_format[from];
    for (size_t i = 0; i < bound->step_count; i++)
        bound->steps[i].blocks[to] = bound->steps[i].blocks[from];
}

void bind_blocks(gramc_bound *bound, gramc_text target) {
    const struct strategy *strategy = strategy_of(bound->agent);
    if (strategy && strategy->asks_arguments) print_arguments(bound);
    for (size_t i = 0; i < bound->step_count; i++) cut_tools(bound, &bound->steps[i]);
    for (size_t role = 0; role < RUN_ROLES && !bound->arena.oom; role++) {
        size_t same = 0;
        if (!bound->protocols[role]) continue;
        while (bound->protocols[same] != bound->protocols[role]) same++;
        if (same < role) copy_role(bound, same, role);
        else print_role(bound, role, target);
    }
}
