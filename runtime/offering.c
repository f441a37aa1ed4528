/* Finds out what the boxes of a library offer, which the kinds of boxes know how to ask. What
 * becomes of it in a file is offering_snapshot.c's, what a binding makes of it bind_box.c's. */
#include "runtime/offering.h"

#include "base/limits.h"
#include "base/text.h"
#include "runtime/bind_box.h"
#include "runtime/discover.h"
#include "runtime/egress_policy.h"
#include "runtime/loop.h"
#include "runtime/secret.h"
#include "base/options.h"

/* ## Which boxes */

static bool has_impl(const gramc_library *library, gramc_text name) {
    for (size_t i = 0; i < library->impl_count; i++)
        if (text_eq(library->impls[i].name, name)) return true;
    return false;
}

static bool has_tool(const gramc_tool *const *tools, size_t count, gramc_text name) {
    for (size_t i = 0; i < count; i++)
        if (text_eq(tools[i]->name, name)) return true;
    return false;
}

static bool uses(const gramc_box_use *list, size_t count, const gramc_box *box) {
    for (size_t i = 0; i < count; i++)
        if (text_eq(list[i].name, box->name)) return true;
    return false;
}

/* Something that no ToolImpl does may be in any box. */
static bool all_done(const gramc_tool *const *tools, size_t count, const gramc_library *library) {
    for (size_t i = 0; i < count; i++)
        if (!has_impl(library, tools[i]->name)) return false;
    return true;
}

/* Some tool of the list is done by a ToolImpl that names the box. */
static bool serves(const gramc_library *library, const gramc_box *box,
                   const gramc_tool *const *tools, size_t count) {
    for (size_t i = 0; i < library->impl_count; i++) {
        const gramc_impl *impl = &library->impls[i];
        bool is_here = impl->server.len && text_eq(impl->server, box->name);
        if (is_here && has_tool(tools, count, impl->name)) return true;
    }
    return false;
}

static bool is_used(const gramc_agent *agent, const gramc_library *library, const gramc_box *box) {
    bool used = uses(agent->box_uses, agent->box_use_count, box) ||
                !all_done(agent->tools, agent->tool_count, library) ||
                serves(library, box, agent->tools, agent->tool_count);
    for (size_t i = 0; i < agent->task_count && !used; i++) {
        const gramc_task *task = &agent->tasks[i];
        used = uses(task->box_uses, task->box_use_count, box) ||
               !all_done(task->tools, task->tool_count, library) ||
               serves(library, box, task->tools, task->tool_count);
    }
    return used;
}

/* For an agent, only those are asked that do not open alone. */
static bool is_needed(const gramc_agent *agent, const gramc_library *library,
                      const gramc_box *box) {
    if (!agent) return true;
    if (tool_kind_of_box(box->kind)->boxes->opens_alone && !box->url_argc) return false;
    return is_used(agent, library, box);
}

/* ## Whose: the agent's, and those of agents that do its tools */

struct asked_library {
    const gramc_library *library;
    const gramc_agent *agent; /* NULL: all boxes */
    struct asked_library *next;
};

static bool needs_tool(const gramc_agent *agent, gramc_text name) {
    bool needs = has_tool(agent->tools, agent->tool_count, name);
    for (size_t i = 0; i < agent->task_count && !needs; i++)
        needs = has_tool(agent->tasks[i].tools, agent->tasks[i].tool_count, name);
    return needs;
}

/* Each pair once; recursion is bounded by what binding takes. */
static void collect(struct arena *arena, struct asked_library **list, const gramc_library *library,
                    const gramc_agent *agent, unsigned depth) {
    for (; *list; list = &(*list)->next)
        if ((*list)->library == library && (*list)->agent == agent) return;
    struct asked_library *asked = *list = ARENA_NEW(arena, struct asked_library);
    if (!asked) return;
    *asked = (struct asked_library){library, agent, NULL};
    for (size_t i = 0; agent && depth < AGENT_DEPTH_MAX && i < library->impl_count; i++) {
        const gramc_impl *impl = &library->impls[i];
        if (impl->agent && needs_tool(agent, impl->name))
            collect(arena, &asked->next, impl->library ? impl->library : library, impl->agent,
                    depth + 1);
    }
}

gramc_text offering_box_name(struct arena *arena, const gramc_library *library, gramc_text box) {
    struct buf out;
    buf_init(&out, &arena->allocator, SOURCE_MAX);
    buf_text(&out, library->name);
    buf_putc(&out, '/');
    buf_text(&out, box);
    return buf_to_arena(&out, arena);
}

static gramc_text name_of(gramc_offering *offering, const gramc_bound *scratch,
                          const gramc_library *library, const gramc_box *box) {
    if (library == scratch->library) return arena_text(&offering->arena, box->name);
    return offering_box_name(&offering->arena, library, box->name);
}

/* ## Asking */

/* Where the box is: the same box, with that as its url; NULL, and its offer says why. */
static const gramc_box *find_out(gramc_offering *offering, struct offered_box *out,
                                 const gramc_box *box, gramc_loop *loop, gramc_bound *scratch,
                                 const gramc_library *library) {
    if (!box->url_argc) return box;
    *out = (struct offered_box){.name = box->name};
    discover_url(out, &offering->arena, box, loop, scratch, library);
    const gramc_box *found = out->failure.len ? NULL : offered_at(&scratch->arena, out, box);
    if (!found && !out->failure.len) scratch->arena.oom = true;
    return found;
}

/* A url that the library does not say was asked for. */
static void take_name(struct offered_box *out, gramc_text name, const gramc_box *asked,
                      const gramc_library *library, struct arena *arena) {
    out->name = name;
    for (size_t i = 0; i < library->box_count; i++)
        if (text_eq(library->boxes[i].name, asked->name) && library->boxes[i].url_argc)
            out->url = arena_text(arena, asked->url);
}

/* Appends what the boxes of one kind say, in the order of the library. */
static gramc_status ask_kind(gramc_offering *offering, gramc_box_kind kind, gramc_loop *loop,
                             gramc_bound *scratch, const gramc_offering_options *options,
                             const struct asked_library *asked) {
    const gramc_library *library = asked->library;
    const gramc_box **boxes = arena_array(&scratch->arena, library->box_count + 1, sizeof(*boxes));
    struct box_question question = {.out = offering->boxes + offering->box_count,
                                    .boxes = boxes,
                                    .arena = &offering->arena,
                                    .loop = loop,
                                    .secrets = scratch->secrets,
                                    .egress = scratch->egress,
                                    .sandboxes = scratch->sandboxes,
                                    .sandbox = library->sandbox,
                                    .reader = options->reader,
                                    .host = options->toolboxes,
                                    .timeout_ms = options->timeout_ms,
                                    .pinned = options->pinned,
                                    .company = options->company};
    if (!boxes) return GRAMC_NOMEM;
    for (size_t i = 0; i < library->box_count; i++) {
        const gramc_box *box = &library->boxes[i];
        if (box->kind != kind || !is_needed(asked->agent, library, box)) continue;
        if (offered_box(offering->boxes, offering->box_count,
                        name_of(offering, scratch, library, box)))
            continue;
        struct offered_box known = {.url = {NULL, 0}};
        const gramc_box *found = find_out(offering, &known, box, loop, scratch, library);
        if (scratch->arena.oom) return GRAMC_NOMEM;
        if (found) {
            boxes[question.count++] = found;
            continue;
        }
        known.name = name_of(offering, scratch, library, box);
        *question.out++ = known;
        offering->box_count++;
    }
    if (question.count == 0) return GRAMC_OK;
    gramc_status status = tool_kind_of_box(kind)->boxes->ask(&question);
    for (size_t i = 0; i < question.count && !status; i++)
        take_name(&question.out[i], name_of(offering, scratch, library, boxes[i]), boxes[i],
                  library, &offering->arena);
    if (!status) offering->box_count += question.count;
    return status;
}

static gramc_status fill(gramc_offering *offering, gramc_loop *loop, gramc_bound *scratch,
                         const gramc_offering_options *options) {
    const gramc_library *library = scratch->library;
    gramc_status status = GRAMC_OK;
    struct asked_library *all = NULL;
    size_t room = 1;
    collect(&scratch->arena, &all, library, options->agent, 1);
    for (const struct asked_library *a = all; a; a = a->next) room += a->library->box_count;
    offering->library = arena_text(&offering->arena, library->name);
    offering->fingerprint = arena_text(&offering->arena, library->fingerprint);
    offering->boxes = arena_zalloc(&offering->arena, room * sizeof(*offering->boxes));
    if (!offering->boxes || scratch->arena.oom) return GRAMC_NOMEM;
    for (const struct asked_library *a = all; a; a = a->next)
        for (int kind = 0; tool_kind_of_box((gramc_box_kind)kind) && !status; kind++)
            status = ask_kind(offering, (gramc_box_kind)kind, loop, scratch, options, a);
    return offering->arena.oom ? GRAMC_NOMEM : status;
}

/* ## The public calls */

gramc_status gramc_offering_new(gramc_offering **out, gramc_loop *loop,
                                const gramc_library *library, const gramc_offering_options *given) {
    gramc_offering_options options = GRAMC_OFFERING_OPTIONS_INIT;
    gramc_bind_options binding = GRAMC_BIND_OPTIONS_INIT;
    OPTIONS_READ(options, given);
    gramc_allocator allocator = options.allocator ? *options.allocator : mem_default();
    *out = NULL;
    if (!secrets_are_usable(options.secrets, options.secret_count)) return GRAMC_USAGE;
    if (!egress_is_usable(options.egress)) return GRAMC_USAGE;
    binding.allocator = &allocator;
    binding.reader = options.reader;
    binding.secrets = options.secrets;
    binding.secret_count = options.secret_count;
    binding.egress = options.egress;
    binding.containment = options.containment;
    binding.secrets_may_miss = true;
    gramc_bound *scratch = bound_new(library, &binding);
    gramc_offering *offering = scratch ? mem_alloc(&allocator, sizeof(*offering)) : NULL;
    gramc_status status = offering && !scratch->arena.oom ? GRAMC_OK : GRAMC_NOMEM;
    if (offering) {
        *offering = (gramc_offering){.box_count = 0};
        arena_init(&offering->arena, &allocator);
    }
    if (!status) status = fill(offering, loop, scratch, &options);
    gramc_bound_free(scratch);
    if (!status) *out = offering;
    else gramc_offering_free(offering);
    return status;
}

void gramc_offering_free(gramc_offering *offering) {
    if (!offering) return;
    gramc_allocator allocator = offering->arena.allocator;
    arena_free(&offering->arena);
    mem_free(&allocator, offering, sizeof(*offering));
}

gramc_text gramc_offering_library(const gramc_offering *offering) {
    return offering->library;
}

gramc_text gramc_offering_fingerprint(const gramc_offering *offering) {
    return offering->fingerprint;
}

bool gramc_offering_get(const gramc_offering *offering, size_t i, gramc_offer *out) {
    size_t at = 0;
    while (at < offering->box_count && i >= offering->boxes[at].tool_count)
        i -= offering->boxes[at++].tool_count;
    if (at == offering->box_count) return false;
    const struct offered_tool *tool = &offering->boxes[at].tools[i];
    *out = (gramc_offer){.box = offering->boxes[at].name,
                         .tool = tool->name,
                         .title = tool->title,
                         .description = tool->description,
                         .parameters = tool->accepts,
                         .result = tool->returns,
                         .annotations = tool->annotations};
    return true;
}

bool gramc_offering_failure(const gramc_offering *offering, size_t i, gramc_text *box,
                            gramc_text *why) {
    for (size_t at = 0; at < offering->box_count; at++) {
        if (offering->boxes[at].failure.len == 0 || i--) continue;
        *box = offering->boxes[at].name;
        *why = offering->boxes[at].failure;
        return true;
    }
    return false;
}

bool gramc_offering_note(const gramc_offering *offering, size_t i, gramc_text *note) {
    for (size_t at = 0; at < offering->box_count; at++) {
        if (offering->boxes[at].note.len == 0 || i--) continue;
        *note = offering->boxes[at].note;
        return true;
    }
    return false;
}

gramc_text gramc_box_name(const gramc_box *box, gramc_text tool) {
    return box_takes(box, tool) ? box_offers_as(box, tool) : TEXT("");
}
