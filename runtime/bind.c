/* Joins one agent with one library by the tools' names: each tool gets its implementation, each
 * builtin its function, and what a request says about the tools is printed once. Reports every
 * missing piece, not only the first. */
#include "base/buf.h"
#include "base/text.h"
#include "runtime/bound.h"
#include "runtime/builtin.h"
#include "runtime/llm.h"
#include "runtime/options.h"

enum { DEFAULT_TIMEOUT_MS = 30000, BLOCK_MAX = 64 << 20, SENTENCE_MAX = 4096 };

/* ## Messages */

static gramc_text join(gramc_bound *bound, const gramc_text *pieces, size_t count) {
    struct buf out;
    buf_init(&out, &bound->arena.allocator, SENTENCE_MAX);
    for (size_t i = 0; i < count; i++) buf_text(&out, pieces[i]);
    gramc_text text = arena_text(&bound->arena, buf_view(&out));
    if (buf_status(&out) == GRAMC_NOMEM) bound->arena.oom = true;
    buf_free(&out);
    return text;
}
#define JOIN(bound, ...)                                                                           \
    join((bound), (const gramc_text[]){__VA_ARGS__},                                               \
         sizeof((const gramc_text[]){__VA_ARGS__}) / sizeof(gramc_text))

static void report(gramc_bound *bound, gramc_severity severity, const gramc_impl *impl,
                   gramc_text message, gramc_text help) {
    struct bind_note *note = ARENA_NEW(&bound->arena, struct bind_note);
    if (!note) return;
    note->message = (gramc_bind_message){.severity = severity, .message = message, .help = help};
    if (impl) {
        note->message.file = impl->file;
        note->message.start = impl->start;
        note->message.end = impl->end;
    }
    if (bound->last) bound->last->next = note;
    else bound->first = note;
    bound->last = note;
    if (severity == GRAMC_ERROR) bound->failed = true;
}

static gramc_text did_you_mean(gramc_bound *bound, gramc_text near, const char *otherwise) {
    if (near.ptr) return JOIN(bound, TEXT("did you mean `"), near, TEXT("`?"));
    return text_of(otherwise);
}

/* ## Choosing */

static const gramc_impl *find_impl(const gramc_library *library, gramc_text name) {
    for (size_t i = 0; library && i < library->impl_count; i++)
        if (text_eq(library->impls[i].name, name)) return &library->impls[i];
    return NULL;
}

static gramc_text nearest_impl(gramc_bound *bound, gramc_text name) {
    size_t count = bound->library ? bound->library->impl_count : 0;
    gramc_text *names = arena_array(&bound->arena, count + 1, sizeof(*names));
    if (!names) return (gramc_text){NULL, 0};
    for (size_t i = 0; i < count; i++) names[i] = bound->library->impls[i].name;
    return text_nearest(name, names, count);
}

static gramc_text missing_where(gramc_bound *bound) {
    if (!bound->library) return TEXT("there is no library");
    return JOIN(bound, TEXT("library `"), bound->library->name, TEXT("` has none"));
}

static void report_missing(gramc_bound *bound, const gramc_tool *tool) {
    gramc_text message = JOIN(bound, TEXT("tool `"), tool->name, TEXT("` has no implementation: "),
                              missing_where(bound));
    if (tool->optional)
        report(bound, GRAMC_NOTE, NULL, message, TEXT("it is optional and will not be offered"));
    else
        report(bound, GRAMC_ERROR, NULL, message,
               did_you_mean(bound, nearest_impl(bound, tool->name),
                            "add a ToolImpl of that name, or make the tool optional"));
}

static void choose_builtin(gramc_bound *bound, struct bound_tool *choice,
                           const gramc_builtins *builtins) {
    const gramc_impl *impl = choice->impl;
    const gramc_builtin *builtin = builtins_find(builtins, impl->target);
    if (builtin) {
        choice->builtin = *builtin;
        return;
    }
    report(bound, GRAMC_ERROR, impl,
           JOIN(bound, TEXT("tool `"), impl->name, TEXT("` wants the builtin `"), impl->target,
                TEXT("`, which is not registered")),
           did_you_mean(bound, builtins_nearest(builtins, impl->target),
                        "the embedding program registers builtins"));
}

static uint32_t first_set(uint32_t a, uint32_t b, uint32_t c) {
    return a ? a : b ? b : c;
}

static void choose(gramc_bound *bound, struct bound_tool *choice, const gramc_tool *tool,
                   const gramc_builtins *builtins) {
    choice->tool = tool;
    choice->impl = find_impl(bound->library, tool->name);
    if (!choice->impl) {
        report_missing(bound, tool);
        return;
    }
    const gramc_impl *impl = choice->impl;
    choice->timeout_ms = first_set(impl->timeout_ms, tool->timeout_ms, DEFAULT_TIMEOUT_MS);
    choice->kind = tool_kind_of(impl->kind);
    if (!choice->kind)
        report(bound, GRAMC_ERROR, impl,
               JOIN(bound, TEXT("tool `"), impl->name, TEXT("` has an unknown kind")), TEXT(""));
    if (impl->kind == GRAMC_IMPL_BUILTIN) choose_builtin(bound, choice, builtins);
    if (impl->kind == GRAMC_IMPL_EXEC && impl->argc == 0)
        report(bound, GRAMC_ERROR, impl,
               JOIN(bound, TEXT("tool `"), impl->name, TEXT("` names no program to run")),
               TEXT("exec takes the program and its arguments"));
}

/* ## What a request says about the tools */

static gramc_text print_block(gramc_bound *bound, const gramc_tool *const *offered, size_t count,
                              gramc_wire wire) {
    struct buf out;
    size_t bad = 0;
    gramc_text block = {NULL, 0};
    buf_init(&out, &bound->arena.allocator, BLOCK_MAX);
    gramc_status status = openai_tools(&out, offered, count, wire, &bad);
    if (!status) block = arena_text(&bound->arena, buf_view(&out));
    else if (status == GRAMC_NOMEM) bound->arena.oom = true;
    else if (!bound->failed)
        report(bound, GRAMC_ERROR, NULL,
               JOIN(bound, TEXT("the parameters of tool `"), offered[bad]->name,
                    TEXT("` are no JSON of usable size")),
               TEXT(""));
    buf_free(&out);
    return block;
}

static void print_blocks(gramc_bound *bound) {
    const gramc_tool **offered =
        arena_array(&bound->arena, bound->tool_count + 1, sizeof(*offered));
    for (size_t i = 0; offered && i < bound->step_count; i++) {
        struct bound_step *step = &bound->steps[i];
        for (size_t t = 0; t < step->tool_count; t++) offered[t] = step->tools[t]->tool;
        step->tools_block = print_block(bound, offered, step->tool_count, GRAMC_WIRE_TOOLS);
        step->functions_block = print_block(bound, offered, step->tool_count, GRAMC_WIRE_FUNCTIONS);
    }
}

/* The function-calling loop is the only one that run.c knows. */
static void check_strategy(gramc_bound *bound) {
    gramc_text strategy = bound->agent->strategy;
    if (strategy.len == 0 || text_is(strategy, "direct")) return;
    report(bound, GRAMC_ERROR, NULL,
           JOIN(bound, TEXT("agent `"), bound->agent->name, TEXT("` has the strategy `"), strategy,
                TEXT("`, which this version cannot run")),
           TEXT("it runs `direct`"));
}

static void fill(gramc_bound *bound, const gramc_builtins *builtins) {
    check_strategy(bound);
    const gramc_tool **tools = steps_tools(&bound->arena, bound->agent, &bound->tool_count);
    bound->tools = arena_array(&bound->arena, bound->tool_count + 1, sizeof(*bound->tools));
    if (!tools || !bound->tools) return;
    for (size_t i = 0; i < bound->tool_count; i++)
        choose(bound, &bound->tools[i], tools[i], builtins);
    if (!bound->failed) steps_make(bound);
    if (!bound->failed) print_blocks(bound);
}

/* ## The public calls */

static bool are_prepared(const gramc_tool *const *tools, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!tools[i]->accepts || !tools[i]->returns) return false;
    return true;
}

static bool is_prepared(const gramc_agent *agent) {
    bool good = are_prepared(agent->tools, agent->tool_count);
    if (agent->has_output && !agent->answers) return false;
    for (size_t i = 0; i < agent->task_count && good; i++) {
        const gramc_task *task = &agent->tasks[i];
        good = are_prepared(task->tools, task->tool_count) && (!task->has_output || task->answers);
    }
    return good;
}

gramc_status gramc_bind(gramc_bound **out, const gramc_agent *agent, const gramc_library *library,
                        const gramc_bind_options *given) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    OPTIONS_READ(options, given);
    gramc_allocator allocator = options.allocator ? *options.allocator : mem_default();
    *out = NULL;
    if (!is_prepared(agent)) return GRAMC_USAGE;
    gramc_bound *bound = mem_alloc(&allocator, sizeof(*bound));
    if (!bound) return GRAMC_NOMEM;
    *bound = (gramc_bound){.agent = agent, .library = library};
    arena_init(&bound->arena, &allocator);
    fill(bound, options.builtins);
    if (bound->arena.oom) {
        gramc_bound_free(bound);
        return GRAMC_NOMEM;
    }
    *out = bound;
    return bound->failed ? GRAMC_FINDINGS : GRAMC_OK;
}

void gramc_bound_free(gramc_bound *bound) {
    if (!bound) return;
    gramc_allocator allocator = bound->arena.allocator;
    arena_free(&bound->arena);
    mem_free(&allocator, bound, sizeof(*bound));
}

bool gramc_bound_message(const gramc_bound *bound, size_t i, gramc_bind_message *out) {
    const struct bind_note *note = bound->first;
    while (note && i--) note = note->next;
    if (note) *out = note->message;
    return note != NULL;
}

bool gramc_bound_choice(const gramc_bound *bound, size_t i, gramc_choice *out) {
    if (i >= bound->tool_count) return false;
    const struct bound_tool *choice = &bound->tools[i];
    *out =
        (gramc_choice){choice->tool, choice->impl, text_of(choice->kind ? choice->kind->name : "")};
    return true;
}

gramc_text gramc_bound_spec_fingerprint(const gramc_bound *bound) {
    return bound->agent->fingerprint;
}

gramc_text gramc_bound_library_fingerprint(const gramc_bound *bound) {
    return bound->library ? bound->library->fingerprint : TEXT("");
}
