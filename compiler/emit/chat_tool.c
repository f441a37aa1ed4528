/* Prints one tool for a request that is about to be sent, by the same printers as `gramc compile`:
 * what a run sends is what was to be seen before. Tools of servers and of programs, which no spec
 * holds, are printed too; theirs are the only schemas that are read here. */
#include "compiler/emit/target.h"

#include "base/text.h"

static const struct target *chat_target(gramc_text name, bool functions) {
    const struct target *target = target_find(name);
    if (!target || (target->flags & CHAT_FORM)) return target;
    return target_find(functions ? TEXT("openai-functions") : TEXT("openai"));
}

/* A tool made by hand: its text, on one line. */
static gramc_status read_parameters(struct arena *arena, gramc_tool *tool) {
    struct buf compact;
    tool->document = json_parse(arena, tool->parameters, NULL);
    if (!tool->document) return arena->oom ? GRAMC_NOMEM : GRAMC_FINDINGS;
    buf_init(&compact, &arena->allocator, SOURCE_MAX);
    json_put(&compact, tool->document);
    tool->parameters = buf_to_arena(&compact, arena);
    return arena->oom ? GRAMC_NOMEM : GRAMC_OK;
}

gramc_status gramc_target_chat_tool(gramc_text target_name, bool functions, const gramc_tool *tool,
                                    gramc_text name, const gramc_allocator *allocator,
                                    gramc_writer writer) {
    const struct target *target = chat_target(target_name, functions);
    struct tool printed = {.public = *tool};
    struct emission e = {.target = target, .names = &name, .count = 1};
    gramc_status status = GRAMC_OK;
    struct buf out;
    if (!target) return GRAMC_USAGE;
    arena_init(&e.arena, allocator);
    buf_init(&out, &e.arena.allocator, SOURCE_MAX);
    e.out = &out;
    e.json = json_writer(&out);
    if (!tool->document) status = read_parameters(&e.arena, &printed.public);
    if (status == GRAMC_OK) {
        if (functions) emit_openai_functions(&e, &printed);
        else target->print(&e, &printed);
        status = buf_send(&out, writer);
    }
    buf_free(&out);
    arena_free(&e.arena);
    return status;
}
