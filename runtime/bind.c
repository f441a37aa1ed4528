/* Joins one agent with one library by the tools' names: each tool gets its implementation, which
 * its kind binds, and what requests say about the tools is printed once (bind_blocks.c). Reports
 * every missing piece, not only the first. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "runtime/bind_approval.h"
#include "runtime/bind_blocks.h"
#include "runtime/bind_box.h"
#include "runtime/bind_guard.h"
#include "runtime/bind_roles.h"
#include "runtime/egress_policy.h"
#include "runtime/offering.h"
#include "base/options.h"
#include "runtime/proof.h"
#include "runtime/protocol.h"
#include "runtime/sandbox.h"
#include "runtime/secret.h"
#include "runtime/strategy.h"
#include "runtime/wire.h"

enum { SENTENCE_MAX = 4096 };

/* ## Messages */

gramc_text bound_join(gramc_bound *bound, const gramc_text *pieces, size_t count) {
    struct buf out;
    buf_init(&out, &bound->arena.allocator, SENTENCE_MAX);
    for (size_t i = 0; i < count; i++) buf_text(&out, pieces[i]);
    return buf_to_arena_cut(&out, &bound->arena);
}

void bound_report(gramc_bound *bound, gramc_severity severity, const struct bind_place *place,
                  gramc_text message, gramc_text help) {
    struct bind_note *note = ARENA_NEW(&bound->arena, struct bind_note);
    if (!note) return;
    note->message = (gramc_bind_message){.severity = severity, .message = message, .help = help};
    if (place) {
        note->message.file = place->file;
        note->message.start = place->start;
        note->message.end = place->end;
    }
    if (bound->last) bound->last->next = note;
    else bound->first = note;
    bound->last = note;
    if (severity == GRAMC_ERROR) bound->failed = true;
}

void bound_refuse(gramc_bound *bound, const gramc_impl *impl, gramc_text message, gramc_text help) {
    const struct bind_place place = {impl->file, impl->start, impl->end};
    bound_report(bound, GRAMC_ERROR, &place, message, help);
}

void bound_cannot_work(gramc_bound *bound, const gramc_impl *impl, const char *why) {
    const struct bind_place place = {impl->file, impl->start, impl->end};
    BOUND_TELL(bound, D_IMPL_CANNOT_WORK, &place, TEXT(""), impl->name, text_of(why));
}

bool bound_own(gramc_bound *bound, void (*destroy)(void *what), void *what) {
    struct bound_owned *owned = ARENA_NEW(&bound->arena, struct bound_owned);
    if (!owned) {
        destroy(what);
        return false;
    }
    *owned = (struct bound_owned){destroy, what, bound->owned};
    bound->owned = owned;
    return true;
}

void bound_tell(gramc_bound *bound, enum diag_id id, const struct bind_place *place,
                gramc_text help, const gramc_text *args, size_t count) {
    const struct diag_row *row = diag_row(id);
    bound_report(bound, row->severity, place, diag_fill(&bound->arena, id, args, count), help);
    if (bound->last && !bound->arena.oom) bound->last->message.code = text_of(row->code);
}

gramc_text bound_did_you_mean(gramc_bound *bound, gramc_text near, const char *otherwise) {
    if (near.len) return BOUND_JOIN(bound, TEXT("did you mean `"), near, TEXT("`?"));
    return text_of(otherwise);
}

/* ## Choosing */

const gramc_impl *bound_impl(const gramc_bound *bound, gramc_text name) {
    const gramc_library *library = bound->library;
    for (size_t i = 0; library && i < library->impl_count; i++)
        if (text_eq(library->impls[i].name, name)) return &library->impls[i];
    return NULL;
}

gramc_text bound_nearest_impl(gramc_bound *bound, gramc_text name) {
    size_t count = bound->library ? bound->library->impl_count : 0, offers = 0;
    const gramc_text *offered = bind_offered_names(bound, &offers);
    gramc_text *names = arena_array(&bound->arena, count + offers + 1, sizeof(*names));
    if (!names) return (gramc_text){NULL, 0};
    for (size_t i = 0; i < count; i++) names[i] = bound->library->impls[i].name;
    for (size_t i = 0; i < offers; i++) names[count + i] = offered[i];
    return bound_did_you_mean(bound, text_nearest(name, names, count + offers),
                              "add a ToolImpl of that name, or make the tool optional");
}

gramc_text bound_missing_where(gramc_bound *bound) {
    if (!bound->library) return TEXT("there is no library");
    return BOUND_JOIN(bound, TEXT("library `"), bound->library->name, TEXT("` has none"));
}

static void report_missing(gramc_bound *bound, const gramc_tool *tool) {
    gramc_text where = bound_missing_where(bound);
    if (tool->optional)
        BOUND_TELL(bound, D_UNBOUND_OPTIONAL, NULL, TEXT("it is optional and will not be offered"),
                   tool->name, where);
    else
        BOUND_TELL(bound, D_UNBOUND_TOOL, NULL, bound_nearest_impl(bound, tool->name), tool->name,
                   where);
}

static uint32_t first_set(uint32_t a, uint32_t b, uint32_t c) {
    return a ? a : b ? b : c;
}

static void choose_kind(gramc_bound *bound, struct bound_tool *choice) {
    const gramc_tool *tool = choice->tool;
    const gramc_impl *impl = choice->impl;
    choice->timeout_ms = first_set(impl->timeout_ms, tool->timeout_ms, DEFAULT_TOOL_TIMEOUT_MS);
    choice->kind = tool_kind_of(impl->kind);
    if (!choice->kind)
        bound_refuse(bound, impl,
                     BOUND_JOIN(bound, TEXT("tool `"), impl->name, TEXT("` has an unknown kind")),
                     TEXT(""));
    else if (choice->kind->bind) choice->kind->bind(bound, choice);
}

bool bind_impl_tool(gramc_bound *bound, struct bound_tool *choice) {
    const gramc_impl *impl = choice->impl = bound_impl(bound, choice->tool->name);
    if (!impl) return false;
    choose_kind(bound, choice);
    if (!bound->arena.oom) proof_make(bound, choice, bind_offer_for(bound, impl));
    return true;
}

/* A ToolImpl wins over boxes. */
static void choose(gramc_bound *bound, struct bound_tool *choice, const gramc_tool *tool) {
    bool failed = false;
    *choice = (struct bound_tool){.tool = tool};
    if (bind_impl_tool(bound, choice)) return;
    const struct offered_tool *offered = bind_box_tool(bound, choice, &failed);
    if (offered && choice->impl) proof_make(bound, choice, offered);
    else if (!failed && !bound->arena.oom) report_missing(bound, tool);
}

/* ## The agent */

/* What an agent may say that not every provider can be told. */
struct told_setting {
    unsigned setting;
    const char *name;
    bool said;
    const char *by; /* NULL: by the agent itself */
};

/* `to`: NULL, or to which of its roles. */
static void report_setting(gramc_bound *bound, const struct told_setting *what, const char *to) {
    gramc_text role = text_of(to ? to : "");
    bound_report(bound, GRAMC_WARNING, NULL,
                 BOUND_JOIN(bound, TEXT("`"), text_of(what->name), TEXT("` of "),
                            text_of(what->by ? what->by : ""), TEXT("agent `"), bound->agent->name,
                            TEXT("` is not sent"), text_of(to ? " to its " : ""), role,
                            text_of(to ? ": that provider has no such setting"
                                       : ": its provider has no such setting")),
                 TEXT(""));
}

/* Where its roles are asked by several protocols, some of them may have it. */
static void check_setting(gramc_bound *bound, const struct told_setting *what) {
    bool some_have = false;
    for (size_t i = 0; i < RUN_ROLES; i++)
        if (bound->protocols[i] && !(bound->protocols[i]->lacks & what->setting)) some_have = true;
    if (!some_have) report_setting(bound, what, NULL);
    for (size_t i = 0; i < RUN_ROLES && some_have; i++)
        if (bound->protocols[i] && (bound->protocols[i]->lacks & what->setting))
            report_setting(bound, what, role_name((enum run_role)i));
}

static bool a_task_chooses(const gramc_agent *agent) {
    for (size_t i = 0; i < agent->task_count; i++)
        if (agent->tasks[i].tool_choice.len) return true;
    return false;
}

/* What an agent says and its provider cannot be told. */
static void check_settings(gramc_bound *bound) {
    const gramc_agent *agent = bound->agent;
    bool sends_choice = !text_is(agent->strategy, "prompted"); /* which reads it itself */
    const struct told_setting settings[] = {
        {SETTING_PRESENCE, "presencePenalty", agent->presence_penalty.len, NULL},
        {SETTING_FREQUENCY, "frequencyPenalty", agent->frequency_penalty.len, NULL},
        {SETTING_SEED, "seed", agent->seed.len, NULL},
        {SETTING_CHOICE, "toolChoice", sends_choice && agent->tool_choice.len, NULL},
        {SETTING_CHOICE, "toolChoice", sends_choice && a_task_chooses(agent), "a task of "},
        {SETTING_PARALLEL, "parallelToolCalls", agent->parallel_tool_calls >= 0, NULL},
        {SETTING_CONTEXT, "numCtx", agent->num_ctx.len, NULL},
        {SETTING_KEEP_ALIVE, "keepAlive", agent->keep_alive.len, NULL}};
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        if (settings[i].said) check_setting(bound, &settings[i]);
}

static void check_strategy(gramc_bound *bound) {
    gramc_text strategy = bound->agent->strategy;
    if (strategy_of(bound->agent)) return;
    bound_report(bound, GRAMC_ERROR, NULL,
                 BOUND_JOIN(bound, TEXT("agent `"), bound->agent->name,
                            TEXT("` has the strategy `"), strategy,
                            TEXT("`, which this version cannot run")),
                 TEXT("it runs `direct`, `evaluated` and `prompted`"));
}

static void fill(gramc_bound *bound, gramc_text target) {
    const gramc_agent *agent = bound->agent;
    check_strategy(bound);
    check_settings(bound);
    size_t listed = 0;
    const gramc_tool **tools = steps_tools(&bound->arena, agent, &listed);
    size_t room = listed + bind_use_count(bound) + 1;
    bound->tools = arena_array(&bound->arena, room, sizeof(*bound->tools));
    if (!tools || !bound->tools) return;
    for (size_t i = 0; i < listed && !bound->arena.oom; i++)
        choose(bound, &bound->tools[bound->tool_count++], tools[i]);
    bind_uses(bound);
    bind_guards(bound);
    bind_approvals(bound);
    proof_summarise(bound);
    if (!bound->failed && !bound->arena.oom && wire_make(bound, target)) steps_make(bound);
    bind_list_named(bound);
    if (!bound->failed) bind_blocks(bound, target);
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

static void note_other_snapshot(gramc_bound *bound, const gramc_offering *offering) {
    if (!bound->library || !offering) return;
    if (text_eq(offering->fingerprint, bound->library->fingerprint)) return;
    BOUND_TELL(bound, D_OTHER_SNAPSHOT, NULL, TEXT(""), bound->library->name);
}

static void copy_folders(gramc_bound *bound, const gramc_bind_options *options) {
    gramc_text *paths = arena_array(&bound->arena, options->folder_count + 1, sizeof *paths);
    bound->folders = (struct file_folders){.paths = paths};
    for (size_t i = 0; i < options->folder_count && paths; i++) {
        paths[i] = arena_text(&bound->arena, options->folders[i]);
        bound->folders.count += paths[i].ptr != NULL;
    }
}

static bool is_usable(const gramc_bind_options *options) {
    for (size_t i = 0; i < options->folder_count; i++)
        if (!options->folders[i].len || text_has_nul(options->folders[i])) return false;
    return secrets_are_usable(options->secrets, options->secret_count) &&
           egress_is_usable(options->egress);
}

gramc_bound *bound_new(const gramc_library *library, const gramc_bind_options *options) {
    gramc_allocator allocator = options->allocator ? *options->allocator : mem_default();
    gramc_bound *bound = mem_alloc(&allocator, sizeof(*bound));
    if (!bound) return NULL;
    *bound = (gramc_bound){.library = library,
                           .protocol = &protocol_chat,
                           .protocols = {&protocol_chat},
                           .builtins = options->builtins,
                           .reader = options->reader,
                           .host = options->toolboxes,
                           .path = options->path,
                           .secrets_may_miss = options->secrets_may_miss};
    bound->named_end = &bound->named;
    arena_init(&bound->arena, &allocator);
    map_init(&bound->offered_schemas, &bound->arena);
    if (secrets_new(&bound->secrets, &allocator, options->secrets, options->secret_count))
        bound->arena.oom = true;
    copy_folders(bound, options);
    bound->egress = egress_policy_new(&bound->arena, options->egress);
    bound->sandboxes = sandboxes_new(&bound->arena, options->containment, bound->egress);
    if (options->offering) {
        const gramc_offering *offering = options->offering;
        bound->offered = offered_copy(&bound->arena, offering->boxes, offering->box_count);
        bound->offered_count = bound->offered ? offering->box_count : 0;
    }
    note_other_snapshot(bound, options->offering);
    if (!bound->arena.oom) bind_boxes_init(bound);
    return bound;
}

static gramc_status finish(gramc_bound **out, gramc_bound *bound) {
    if (bound->arena.oom) {
        gramc_bound_free(bound);
        return GRAMC_NOMEM;
    }
    bound->offered = NULL;
    bound->boxes = NULL;
    map_init(&bound->offered_schemas, NULL);
    bound->offered_count = bound->box_count = 0;
    bound->builtins = NULL;
    bound->chain = NULL;
    bound->given = NULL;
    *out = bound;
    return bound->failed ? GRAMC_FINDINGS : GRAMC_OK;
}

gramc_status bound_make(gramc_bound **out, const gramc_agent *agent, const gramc_library *library,
                        const gramc_bind_options *given, const struct bind_chain *outer) {
    const struct bind_chain chain = {agent, library, outer,
                                     outer ? outer->offering : given->offering};
    gramc_bind_options options = *given;
    *out = NULL;
    if (!is_prepared(agent)) return GRAMC_USAGE;
    if (!is_usable(&options)) return GRAMC_USAGE;
    gramc_bound *bound = bound_new(library, &options);
    if (!bound) return GRAMC_NOMEM;
    bound->agent = agent;
    bound->chain = &chain;
    bound->given = &options;
    if (!bind_roles(bound, &options)) {
        gramc_bound_free(bound);
        return GRAMC_USAGE;
    }
    if (!bound->arena.oom) fill(bound, options.target);
    return finish(out, bound);
}

gramc_status gramc_bind(gramc_bound **out, const gramc_agent *agent, const gramc_library *library,
                        const gramc_bind_options *given) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    OPTIONS_READ(options, given);
    return bound_make(out, agent, library, &options, NULL);
}

/* An agent that is made up, with the one tool. */
static void fill_tool(gramc_bound *bound, gramc_text name) {
    gramc_agent *agent = ARENA_NEW(&bound->arena, gramc_agent);
    gramc_tool *tool = ARENA_NEW(&bound->arena, gramc_tool);
    const gramc_tool **list = arena_array(&bound->arena, 1, sizeof(*list));
    if (!agent || !tool || !list) return;
    list[0] = tool;
    *agent = (gramc_agent){.name = name, .tools = list};
    bound->agent = agent;
    bound->is_by_hand = true;
    agent->tool_count = bind_tool_of_library(bound, arena_text(&bound->arena, name), tool) ? 1 : 0;
    if (!bound->arena.oom) fill(bound, text_of(bound->protocol->target));
}

gramc_status gramc_bind_tool(gramc_bound **out, const gramc_library *library, gramc_text tool,
                             const gramc_bind_options *given) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    OPTIONS_READ(options, given);
    *out = NULL;
    if (!is_usable(&options)) return GRAMC_USAGE;
    gramc_bound *bound = bound_new(library, &options);
    if (!bound) return GRAMC_NOMEM;
    bound->given = &options;
    if (!bound->arena.oom) fill_tool(bound, tool);
    return finish(out, bound);
}

void gramc_bound_free(gramc_bound *bound) {
    if (!bound) return;
    gramc_allocator allocator = bound->arena.allocator;
    for (struct bound_owned *owned = bound->owned; owned; owned = owned->next)
        owned->destroy(owned->what);
    secrets_free(bound->secrets);
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
    bool starts = choice->kind && choice->kind->sandbox && choice->data;
    *out = (gramc_choice){.tool = choice->tool,
                          .impl = choice->impl,
                          .kind = text_of(choice->kind ? choice->kind->name : ""),
                          .box = choice->box,
                          .accepts = choice->accepts.answer,
                          .returns = choice->returns.answer,
                          .accepts_why = choice->accepts.why,
                          .returns_why = choice->returns.why,
                          .asks = choice->asks,
                          .sandbox = starts ? choice->kind->sandbox(choice->data) : NULL};
    return true;
}

gramc_text gramc_bound_spec_fingerprint(const gramc_bound *bound) {
    return bound->agent->fingerprint;
}

gramc_text gramc_bound_library_fingerprint(const gramc_bound *bound) {
    return bound->library ? bound->library->fingerprint : TEXT("");
}

const struct bound_tool *bound_find(const gramc_bound *bound, gramc_text name) {
    for (size_t i = 0; i < bound->tool_count; i++)
        if (bound->tools[i].impl && text_eq(bound->tools[i].tool->name, name))
            return &bound->tools[i];
    return NULL;
}
