/* Turns the elements of an agent or a task into its list of tools, in the order of the wire: those
 * that are defined there, and those that are named there and stand elsewhere. What a tool says is
 * tool.c's matter. */
#include "compiler/tool_list.h"

#include "base/text.h"
#include "compiler/box_use.h"
#include "compiler/fixes.h"
#include "compiler/pattern.h"
#include "compiler/task.h"
#include "grammar/copy.h"

static bool is_tool(const struct pattern *element) {
    return (element->kind == PATTERN_BRACKET || element->kind == PATTERN_NODE) &&
           text_is(pattern_label(element), "Tool");
}

static bool is_task_of(const struct pattern *element, const struct pattern *owner) {
    return task_is(element) && !task_is(owner);
}

/* What an element says once its tree is gone. */
static void keep(struct pass *pass, struct tool_uses *uses, struct pattern ***last,
                 const struct pattern *element) {
    struct pattern *copy = pattern_copy(pass->arena, element);
    if (!copy) return;
    **last = copy;
    *last = &copy->next;
    uses->count++;
}

struct tool_uses tools_read(struct pass *pass, struct gramc_spec *spec,
                            const struct pattern *owner) {
    struct tool_uses uses = {.tools =
                                 arena_array(pass->arena, owner->element_count, sizeof(void *))};
    struct pattern **last = &uses.references;
    for (const struct pattern *e = owner->elements; e && uses.tools; e = e->next) {
        const struct pattern *element = pattern_plain(e);
        if (!is_tool(element)) {
            if (!is_task_of(element, owner)) keep(pass, &uses, &last, element);
            continue;
        }
        uses.tools[uses.count] = tool_read(pass, spec, element);
        if (uses.tools[uses.count]) uses.count++;
    }
    return uses;
}

const gramc_tool **tools_public(struct pass *pass, struct tool *const *tools, size_t count) {
    const gramc_tool **list = arena_array(pass->arena, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) list[i] = &tools[i]->public;
    return list;
}

/* ## References */

static struct tool *find_tool(struct pass *pass, const struct gramc_spec *spec,
                              const struct pattern *reference) {
    gramc_text name = name_text(reference->subject->identifier);
    struct tool *tool = registry_get(&spec->tools, name);
    if (!tool)
        report_unresolved(pass, D_UNRESOLVED_TOOL, &spec->tools.names, TEXT("tool"), name,
                          reference->span);
    return tool;
}

/* A label that is nearly one of those, or none at all, is what went wrong. */
static void not_a_tool(struct pass *pass, const struct pattern *element) {
    static const char *const labels[] = {"Tool", "ToolBox", "Task"};
    gramc_text names[] = {text_of(labels[0]), text_of(labels[1]), text_of(labels[2])};
    gramc_text label = pattern_label(element), near = text_nearest(label, names, 3);
    bool known = near.len && text_eq(near, label);
    const struct subject *subject = element->kind == PATTERN_PATH ? NULL : element->subject;
    if (near.len && !known) {
        struct finding *f = FIND(pass->findings, D_MISSPELT_LABEL, pass->source,
                                 name_span(subject->labels->name), label);
        struct slip slip = {.word = label};
        for (size_t i = 0; i < 3; i++) slip_try(&slip, names[i]);
        finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
        fix_slip(pass, f, &slip);
        return;
    }
    struct finding *f = FIND0(pass->findings, D_NOT_A_TOOL, pass->source, element->span);
    if (!label.len && subject && subject_has_identifier(subject))
        finding_help(pass->findings, f, "its label is missing: `[%.*s:Tool {...} | ...]`",
                     TEXT_ARGS(name_text(subject->identifier)));
    else
        finding_help(pass->findings, f,
                     "the elements of an agent are tools, `[name:Tool {...} | "
                     "...]`, or names of tools");
}

static struct tool *resolve_element(struct pass *pass, const struct gramc_spec *spec,
                                    const struct pattern *element) {
    gramc_text label = pattern_label(element);
    bool bare = element->subject && subject_has_identifier(element->subject) && !label.len &&
                !subject_has_record(element->subject) && element->element_count == 0 &&
                element->kind != PATTERN_PATH;
    if (bare) return find_tool(pass, spec, element);
    if (box_use_is(element)) return NULL;
    not_a_tool(pass, element);
    return NULL;
}

static void report_wire_name(struct pass *pass, const struct wire_scope *scope,
                             const struct tool *one, const struct tool *other) {
    struct finding *f = FIND(pass->findings, D_DUPLICATE_WIRE_NAME, pass->source, scope->at,
                             scope->name, one->public.name, text_of(scope->noun));
    finding_label(pass->findings, f, one->source, one->name_at,
                  one == other ? "this one stands there twice" : "one of them");
    if (one != other) finding_label(pass->findings, f, other->source, other->name_at, "the other");
}

/* The map is needed here only, so it gets an arena of its own. */
void wire_scope_check(struct pass *pass, const struct wire_scope *scope) {
    struct arena scratch;
    struct map seen;
    arena_init(&scratch, &pass->arena->allocator);
    map_init(&seen, &scratch);
    for (size_t i = 0; i < scope->count + scope->more_count; i++) {
        bool own = i < scope->count;
        struct tool *tool = own ? scope->tools[i] : scope->more[i - scope->count];
        const struct tool *first = map_get(&seen, tool->public.name);
        if (!first) map_put(&seen, tool->public.name, tool);
        else if (first == tool && tool_is_taken(pass, pass->compilation->spec, tool)) continue;
        else if (own || first != tool) report_wire_name(pass, scope, first, tool);
    }
    pass->arena->oom = pass->arena->oom || scratch.oom;
    arena_free(&scratch);
}

void tools_resolve(struct pass *pass, const struct gramc_spec *spec, struct tool_uses *uses) {
    const struct pattern *reference = uses->references;
    size_t count = 0;
    for (size_t i = 0; i < uses->count; i++) {
        struct tool *tool = uses->tools[i];
        if (!tool) {
            tool = resolve_element(pass, spec, reference);
            reference = reference->next;
        }
        if (tool) uses->tools[count++] = tool;
    }
    uses->count = count;
}
