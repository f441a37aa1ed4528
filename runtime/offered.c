/* Looks tools up in what boxes offer, by the names that a library gives them: which it takes, what
 * it calls them, and what a spec may call them. What is known of a box is given here, not found. */
#include "runtime/offered.h"

#include "base/text.h"
#include "runtime/toolbox.h"

enum { NAME_MAX_BYTES = 4096 };

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

bool box_means(struct arena *arena, const gramc_box *box, gramc_text tool, gramc_text wanted) {
    gramc_text name = box_offers_as(box, tool);
    struct buf text;
    if (text_eq(name, wanted)) return true;
    buf_init(&text, &arena->allocator, NAME_MAX_BYTES);
    buf_text(&text, box->name);
    buf_putc(&text, '_');
    buf_text(&text, name);
    bool means = text_eq(buf_view(&text), wanted);
    buf_reset(&text);
    toolbox_put_id(&text, box->name, name);
    means = means || text_eq(buf_view(&text), wanted);
    if (buf_status(&text) == GRAMC_NOMEM) arena->oom = true;
    buf_free(&text);
    return means && !arena->oom;
}
