/* Looks tools up in what boxes offer, by the names that a library gives them: which it takes, what
 * it calls them, and what a spec may call them. What is known of a box is given here, not found. */
#include "runtime/offered.h"

#include "base/text.h"
#include "toolbox/toolbox.h"

enum { NAME_MAX_BYTES = 4096 };

static gramc_text copy(struct arena *arena, gramc_text text) {
    return text.len ? arena_text(arena, text) : TEXT("");
}

static const struct offered_tool *copy_tools(struct arena *arena, const struct offered_box *box) {
    struct offered_tool *tools = arena_array(arena, box->tool_count + 1, sizeof(*tools));
    for (size_t i = 0; i < box->tool_count && tools; i++) {
        const struct offered_tool *tool = &box->tools[i];
        tools[i] = (struct offered_tool){.name = copy(arena, tool->name),
                                         .title = copy(arena, tool->title),
                                         .description = copy(arena, tool->description),
                                         .accepts = copy(arena, tool->accepts),
                                         .returns = copy(arena, tool->returns),
                                         .annotations = copy(arena, tool->annotations)};
    }
    return tools;
}

const struct offered_box *offered_copy(struct arena *arena, const struct offered_box *boxes,
                                       size_t count) {
    struct offered_box *list = arena_array(arena, count + 1, sizeof(*list));
    for (size_t i = 0; i < count && list; i++)
        list[i] = (struct offered_box){.name = copy(arena, boxes[i].name),
                                       .tools = copy_tools(arena, &boxes[i]),
                                       .tool_count = boxes[i].tool_count,
                                       .failure = copy(arena, boxes[i].failure),
                                       .url = copy(arena, boxes[i].url),
                                       .pin = copy(arena, boxes[i].pin),
                                       .note = copy(arena, boxes[i].note)};
    return arena->oom ? NULL : list;
}

const gramc_box *offered_at(struct arena *arena, const struct offered_box *known,
                            const gramc_box *box) {
    if (!box->url_argc || !known || !known->url.len) return box;
    gramc_box *found = ARENA_NEW(arena, gramc_box);
    if (!found) return NULL;
    *found = *box;
    found->url = known->url;
    found->url_argc = 0;
    return found;
}

const struct offered_box *offered_box(const struct offered_box *boxes, size_t count,
                                      gramc_text name) {
    for (size_t i = 0; i < count; i++)
        if (text_eq(boxes[i].name, name)) return &boxes[i];
    return NULL;
}

const struct offered_tool *offered_tool(const struct offered_box *box, gramc_text name) {
    for (size_t i = 0; i < box->tool_count; i++)
        if (text_eq(box->tools[i].name, name)) return &box->tools[i];
    return NULL;
}

bool box_takes(const gramc_box *box, gramc_text tool) {
    for (size_t i = 0; i < box->tool_count; i++)
        if (text_eq(box->tools[i], tool)) return true;
    return box->all_tools;
}

gramc_text box_offers_as(const gramc_box *box, gramc_text tool) {
    for (size_t i = 0; i < box->rename_count; i++)
        if (text_eq(box->renames[i].name, tool)) return box->renames[i].value;
    return tool;
}

gramc_text box_tool_id(struct arena *arena, const gramc_box *box, gramc_text tool) {
    struct buf text;
    buf_init(&text, &arena->allocator, NAME_MAX_BYTES);
    toolbox_put_id(&text, box->name, box_offers_as(box, tool));
    return buf_to_arena(&text, arena);
}

bool box_means(struct arena *arena, const gramc_box *box, gramc_text tool, gramc_text wanted) {
    gramc_text name = box_offers_as(box, tool);
    struct buf text;
    if (text_eq(name, wanted)) return true;
    buf_init(&text, &arena->allocator, NAME_MAX_BYTES);
    buf_text(&text, box->name);
    buf_putc(&text, '_');
    buf_text(&text, name);
    bool means = text_eq(buf_view(&text), wanted);
    if (buf_status(&text) == GRAMC_NOMEM) arena->oom = true;
    buf_reset(&text);
    toolbox_put_id(&text, box->name, name);
    means = means || text_eq(buf_view(&text), wanted);
    if (buf_status(&text) == GRAMC_NOMEM) arena->oom = true;
    buf_free(&text);
    return means && !arena->oom;
}
