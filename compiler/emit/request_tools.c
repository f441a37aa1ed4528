/* Prints the tools of a request that is about to be sent, by the same printers as `gramc compile`:
 * what a run sends is what was to be seen before. Tools of servers and of programs, which no spec
 * holds, are printed too; theirs are the only schemas that are read here. */
#include "compiler/emit/target.h"

#include "base/text.h"

static const struct target *request_target(gramc_text name, bool functions) {
    const struct target *target = target_find(name);
    unsigned form = functions ? CHAT_FORM : REQUEST_FORM;
    if (!target || (target->flags & form)) return target;
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

static gramc_status put_tool(struct emission *e, const gramc_tool *tool, bool functions) {
    struct tool printed = {.public = *tool};
    gramc_status status = GRAMC_OK;
    if (!tool->document) status = read_parameters(&e->arena, &printed.public);
    if (status) return status;
    e->names = &printed.public.name;
    e->json = json_writer(e->out);
    if (functions) emit_openai_functions(e, &printed);
    else e->target->print(e, &printed);
    return buf_status(e->out);
}

static gramc_status put_tools(struct emission *e, const gramc_tool *const *tools, size_t count,
                              bool functions, size_t *bad) {
    gramc_status status = GRAMC_OK;
    buf_puts(e->out, e->target->before);
    for (size_t i = 0; i < count && !status; i++) {
        if (i) buf_putc(e->out, ',');
        *bad = i;
        status = put_tool(e, tools[i], functions);
    }
    buf_puts(e->out, e->target->after);
    return status;
}

gramc_status gramc_target_request(gramc_text target_name, bool functions,
                                  const gramc_tool *const *tools, size_t count, size_t *bad,
                                  const gramc_allocator *allocator, gramc_writer writer) {
    struct emission e = {
        .target = request_target(target_name, functions), .count = 1, .style = SCHEMA_PRINTED};
    struct buf out;
    if (!e.target) return GRAMC_USAGE;
    arena_init(&e.arena, allocator);
    buf_init(&out, &e.arena.allocator, SOURCE_MAX);
    e.out = &out;
    gramc_status status = put_tools(&e, tools, count, functions, bad);
    if (!status) status = buf_send(&out, writer);
    buf_free(&out);
    arena_free(&e.arena);
    return status;
}
