/* Turns `[everything:ToolBox {tools: ["echo"]}]` in an agent into what it takes of a box of the
 * library. What those tools are is known when agent and library are bound. */
#include "compiler/box_use.h"

#include "base/text.h"
#include "compiler/data.h"
#include "compiler/library.h"
#include "compiler/pattern.h"
#include "compiler/properties.h"
#include "compiler/words.h"

struct use_properties {
    const struct value *tools, *ids;
};

static const struct property_row rows[] = {
    {"tools", PROPERTY_VALUE, offsetof(struct use_properties, tools)},
    {"ids", PROPERTY_VALUE, offsetof(struct use_properties, ids)},
    {"meta", PROPERTY_IGNORED, 0},
};

/* `own` or `qualified`. */
static bool read_ids(struct pass *pass, const struct value *value) {
    if (!value_is_name(value)) library_wrong_value(pass, value, "ids", "own or qualified");
    else word_check_value(pass, "ids", "own qualified", value);
    return value_is_name(value) && text_is(value_name(value), "qualified");
}

bool box_use_is(const struct pattern *element) {
    bool has_label = element->kind == PATTERN_NODE || element->kind == PATTERN_BRACKET;
    return has_label && text_is(pattern_label(element), "ToolBox");
}

static bool read_use(struct pass *pass, gramc_box_use *use, const struct pattern *pattern) {
    struct use_properties p = {.tools = NULL};
    gramc_text name = pattern_name(pass, pattern, "a box");
    if (!name.ptr) return false;
    properties_read(pass, pattern->subject->properties, rows, sizeof rows / sizeof *rows, &p,
                    "boxes in agents");
    *use = (gramc_box_use){.name = name,
                           .all_tools = !p.tools,
                           .file = pass->source->name,
                           .start = pattern->span.start,
                           .end = pattern->span.end};
    if (p.ids) use->qualified = read_ids(pass, p.ids);
    if (p.tools) use->tools = library_list(pass, p.tools, "tools", &use->tool_count);
    if (pattern->elements)
        FIND0(pass->findings, D_NOT_A_TOOL, pass->source, pattern->elements->span);
    return true;
}

const gramc_box_use *box_uses_read(struct pass *pass, const struct pattern *elements,
                                   size_t *count) {
    size_t room = 0;
    for (const struct pattern *e = elements; e; e = e->next) room += box_use_is(e);
    gramc_box_use *uses = arena_array(pass->arena, room, sizeof *uses);
    *count = 0;
    for (const struct pattern *e = elements; e && uses; e = e->next) {
        if (!box_use_is(e) || !read_use(pass, &uses[*count], e)) continue;
        size_t same = 0;
        while (!text_eq(uses[same].name, uses[*count].name)) same++;
        if (same < *count)
            report_name_taken(pass, D_BOX_USED_TWICE, uses[same].name, e->span, pass->source,
                              (struct span){uses[same].start, uses[same].end});
        else (*count)++;
    }
    return uses;
}
