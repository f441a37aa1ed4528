/* Has another agent do a tool's work: a run in the run that calls it. The arguments are its inputs,
 * its answer is the result. What it asks and uses counts for its caller too (budget.c), and ends
 * with it; guards, approval, a cassette and the company of programs are the caller's. */
#include "runtime/bind_roles.h"

#include "base/json/json.h"
#include "base/text.h"
#include "base/sha256.h"
#include "runtime/offering.h"
#include "runtime/run.h"
#include "runtime/secret.h"

enum { RUN_ID_DIGITS = 32 };

struct agent_work {
    struct tool_call *call;
    gramc_run *caller, *run; /* run NULL: it is over, or never began */
    struct arena arena;
    gramc_text within;
    bool is_left; /* nobody listens any more */
};

static void describe(struct buf *out, const gramc_impl *impl) {
    buf_text(out, impl->target);
    if (impl->library_named.len) buf_puts(out, " with ");
    buf_text(out, impl->library_named);
}

/* ## Binding */

static bool is_same(const struct bind_chain *link, const gramc_agent *agent,
                    const gramc_library *library) {
    return text_eq(link->agent->name, agent->name) &&
           text_eq(link->agent->fingerprint, agent->fingerprint) &&
           (link->library == library ||
            (link->library && text_eq(link->library->fingerprint, library->fingerprint)));
}

/* False after a message: it would call itself, or there are too many inside each other. */
static bool may_call(gramc_bound *bound, const gramc_impl *impl, const gramc_library *library) {
    const struct bind_place place = {impl->file, impl->start, impl->end};
    unsigned depth = 0;
    for (const struct bind_chain *link = bound->chain; link; link = link->outer) {
        depth++;
        if (!is_same(link, impl->agent, library)) continue;
        BOUND_TELL(bound, D_AGENT_CYCLE, &place, TEXT("let another agent, or another tool, do it"),
                   impl->name, impl->agent->name);
        return false;
    }
    if (depth < AGENT_DEPTH_MAX) return true;
    BOUND_TELL(bound, D_AGENT_DEPTH, &place, TEXT(""), impl->name, impl->agent->name);
    return false;
}

static void check_inputs(gramc_bound *bound, const struct bound_tool *choice) {
    const gramc_impl *impl = choice->impl;
    const struct bind_place place = {impl->file, impl->start, impl->end};
    const struct json *parameters = gramc_schema_document(choice->tool->accepts);
    const struct json *properties = json_get(parameters, "properties");
    for (size_t i = 0; i < impl->agent->input_count; i++)
        if (!json_get_text(properties, impl->agent->inputs[i]))
            BOUND_TELL(bound, D_AGENT_LACKS_INPUT, &place, TEXT(""), impl->agent->name,
                       impl->agent->inputs[i], impl->name);
}

/* What is known of the boxes of the library, under their own names there. */
static const gramc_offering *offering_of(gramc_bound *bound, const gramc_library *library) {
    struct arena *arena = &bound->arena;
    const struct bind_chain *first = bound->chain;
    while (first->outer) first = first->outer;
    const gramc_offering *all = first->offering;
    if (!all || !library || library == first->library) return all;
    gramc_offering *own = ARENA_NEW(arena, gramc_offering);
    if (own) own->boxes = arena_array(arena, library->box_count + 1, sizeof(*own->boxes));
    if (!own || !own->boxes) return NULL;
    own->library = library->name;
    own->fingerprint = library->fingerprint;
    own->box_count = 0;
    for (size_t i = 0; i < library->box_count; i++) {
        const struct offered_box *box = offered_box(
            all->boxes, all->box_count, offering_box_name(arena, library, library->boxes[i].name));
        if (!box) continue;
        own->boxes[own->box_count] = *box;
        own->boxes[own->box_count++].name = library->boxes[i].name;
    }
    return own;
}

/* Without a model of its own it is asked by that of its caller's first role. */
static gramc_bind_options options_for(gramc_bound *bound, const gramc_agent *agent,
                                      const gramc_library *library) {
    gramc_bind_options options = *bound->given;
    const struct protocol *protocol =
        agent->model.len ? bind_protocol(&options, bound->agent, agent->model) : bound->protocol;
    options.offering = offering_of(bound, library);
    if (!protocol) return options;
    if (protocol != bound->protocol) options.target = text_of(protocol->target);
    options.protocol = text_of(protocol->name);
    return options;
}

static void pass_on(gramc_bound *bound, const gramc_bound *inner) {
    for (const struct bind_note *note = inner->first; note; note = note->next) {
        const gramc_bind_message *m = &note->message;
        const struct bind_place place = {m->file, m->start, m->end};
        if (m->severity == GRAMC_NOTE) continue;
        bound_report(bound, m->severity, m->file.len ? &place : NULL, m->message, m->help);
        if (bound->last) bound->last->message.code = m->code;
    }
}

static void free_bound(void *bound) {
    gramc_bound_free(bound);
}

static void bind_agent(gramc_bound *bound, struct bound_tool *choice) {
    const gramc_impl *impl = choice->impl;
    const gramc_library *library = impl->library ? impl->library : bound->library;
    bool is_said = choice->tool->timeout_ms != DEFAULT_TOOL_TIMEOUT_MS;
    choice->timeout_ms = impl->timeout_ms ? impl->timeout_ms
                         : is_said        ? choice->tool->timeout_ms
                                          : 0;
    if (!impl->agent || !may_call(bound, impl, library)) {
        bound->failed = true;
        return;
    }
    check_inputs(bound, choice);
    const gramc_bind_options options = options_for(bound, impl->agent, library);
    gramc_bound *inner = NULL;
    gramc_status status = bound_make(&inner, impl->agent, library, &options, bound->chain);
    if (status == GRAMC_NOMEM) bound->arena.oom = true;
    if (status == GRAMC_USAGE)
        bound_cannot_work(bound, impl, "its agent was not prepared, or its protocol is not known");
    if (!inner || !bound_own(bound, free_bound, inner)) return;
    pass_on(bound, inner);
    choice->data = inner;
}

/* ## What it is told */

static gramc_text text_of_value(struct arena *arena, const struct json *value) {
    struct buf out;
    if (value->kind == JSON_STRING) return value->text;
    buf_init(&out, &arena->allocator, TOOL_RESULT_MAX);
    json_put(&out, value);
    return buf_to_arena(&out, arena);
}

static gramc_input *read_inputs(struct arena *arena, const struct json *arguments, size_t *count) {
    gramc_input *inputs = arena_array(arena, arguments->count + 1, sizeof(*inputs));
    *count = 0;
    for (const struct json *m = inputs ? arguments->first : NULL; m; m = m->next)
        inputs[(*count)++] = (gramc_input){.name = m->key, .value = text_of_value(arena, m)};
    return inputs;
}

/* The parameter `message`, if it says something; else all of them. */
static gramc_text message_of(const struct json *arguments, gramc_text all) {
    const struct json *message = json_get(arguments, "message");
    bool says = json_is(message, JSON_STRING) && text_trim(message->text).len;
    return says ? message->text : all;
}

/* ## The run in the run */

static void on_event(void *ctx, const gramc_event *event) {
    const struct agent_work *work = ctx;
    if (!work->is_left) watch_inner(&work->caller->watch, work->within, event);
}

static void on_note(void *ctx, gramc_text line) {
    const struct agent_work *work = ctx;
    const gramc_run_handler *handler = &work->caller->handler;
    if (!work->is_left && handler->note) handler->note(handler->ctx, line);
}

static void settle(struct tool_call *call, const gramc_run_result *result) {
    const gramc_impl *impl = call->bound->impl;
    if (result->outcome != GRAMC_OUTCOME_ANSWERED) {
        tool_fail(call, "agent `%.*s` ended as %s: %.*s", TEXT_ARGS(impl->target),
                  gramc_outcome_name(result->outcome), TEXT_ARGS(result->message));
        return;
    }
    buf_text(&call->result, result->text);
    switch (buf_status(&call->result)) {
    case GRAMC_OK: tool_settle(call, TOOL_FINE); break;
    case GRAMC_LIMIT: tool_fail(call, "the agent's answer is longer than 1 MiB"); break;
    default: tool_settle(call, TOOL_NOMEM);
    }
}

/* What was secret in there is secret here, and what was untrusted is untrusted. */
static bool learn_of(gramc_run *caller, const gramc_run *run) {
    if (!caller->tainted_by.ptr) caller->tainted_by = run->tainted_by;
    return !secrets_merge(&caller->watch.secrets, &caller->loop->allocator, run->watch.secrets);
}

static void on_done(void *ctx, const gramc_run_result *result) {
    struct agent_work *work = ctx;
    struct tool_call *call = work->call;
    if (!work->is_left && result->outcome == GRAMC_OUTCOME_CASSETTE_MISS && call->memory)
        call->memory->missed = call->bound;
    bool learnt = work->is_left || !work->run || learn_of(work->caller, work->run);
    work->run = NULL;
    if (result->no_memory || !learnt) tool_settle(call, TOOL_NOMEM);
    else if (!call->settled) settle(call, result);
    tool_let_go(call);
}

/* Made of its caller's, so that equal runs stay equal; empty where that has none. */
static gramc_text id_within(struct agent_work *work) {
    struct sha256 sha;
    char hex[SHA256_HEX];
    gramc_text outer = text_of(work->caller->id);
    if (!outer.len) return outer;
    sha256_init(&sha);
    sha256_add_text(&sha, outer);
    sha256_add_text(&sha, work->within);
    sha256_hex(&sha, hex);
    return arena_text(&work->arena, (gramc_text){hex, RUN_ID_DIGITS});
}

static gramc_status start(struct agent_work *work, const struct json *arguments) {
    struct tool_call *call = work->call;
    gramc_run *caller = work->caller;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    const gramc_run_handler handler = {.note = on_note,
                                       .done = on_done,
                                       .ctx = work,
                                       .event = watch_is_on(&caller->watch) ? on_event : NULL};
    gramc_text message = message_of(arguments, buf_view(&call->arguments));
    work->within = round_place(caller, &work->arena);
    options.inputs = read_inputs(&work->arena, arguments, &options.input_count);
    options.messages = &message;
    options.message_count = 1;
    options.parent_id = text_of(caller->id);
    options.run_id = id_within(work);
    options.guard = caller->guard;
    options.approver = caller->approver;
    options.company = call->memory->company;
    options.environment = call->memory->environment;
    options.environment_count = call->memory->environment_count;
    if (work->arena.oom) return GRAMC_NOMEM;
    return run_start_in(&work->run, call->loop, call->bound->data, &options, &handler,
                        &(struct run_caller){caller, work->within});
}

static void refuse(struct tool_call *call, gramc_status status) {
    const gramc_impl *impl = call->bound->impl;
    if (status == GRAMC_NOMEM) tool_settle(call, TOOL_NOMEM);
    else if (status == GRAMC_NOT_FOUND)
        tool_fail(call, "agent `%.*s` is to be asked of model `%.*s`, which nobody has opened",
                  TEXT_ARGS(impl->target), TEXT_ARGS(impl->agent->model));
    else tool_fail(call, "agent `%.*s` cannot be started", TEXT_ARGS(impl->target));
}

static void call_agent(struct tool_call *call) {
    gramc_run *caller = call->memory ? call->memory->run : NULL;
    struct agent_work *work = caller ? mem_alloc(&call->loop->allocator, sizeof(*work)) : NULL;
    if (!caller) {
        tool_fail(call, "an agent is called by a run, which has a model to ask");
        return;
    }
    call->state = work;
    if (!work) {
        tool_settle(call, TOOL_NOMEM);
        return;
    }
    *work = (struct agent_work){.call = call, .caller = caller};
    arena_init(&work->arena, &call->loop->allocator);
    const struct json *arguments = json_parse(&work->arena, buf_view(&call->arguments), NULL);
    gramc_status status = arguments ? start(work, arguments) : GRAMC_NOMEM;
    if (status) {
        refuse(call, status);
        return;
    }
    tool_hold(call);
    if (call->bound->timeout_ms) tool_wait(call);
}

/* It ends before this returns: its caller may be gone then. */
static void cancel(struct tool_call *call) {
    struct agent_work *work = call->state;
    if (!work || !work->run) return;
    gramc_run *run = work->run;
    gramc_run_cancel(run);
    run_step(run);
    if (!work->run) return;
    work->is_left = true;
    run->caller = NULL;
}

static void close_agent(struct tool_call *call) {
    struct agent_work *work = call->state;
    if (!work) return;
    arena_free(&work->arena);
    mem_free(&call->loop->allocator, work, sizeof(*work));
}

const struct tool_kind tool_agent = {.name = "agent",
                                     .describe = describe,
                                     .bind = bind_agent,
                                     .call = call_agent,
                                     .cancel = cancel,
                                     .close = close_agent,
                                     .has_own_calls = true};
