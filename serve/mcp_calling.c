/* Makes the calls that an MCP client asks for, of tools and of agents, and tells how they end. What
 * went wrong with a tool is a result, for the model to read; what went wrong with the request is an
 * error. */
#include "serve/mcp_peer.h"

#include "base/text.h"
#include "runtime/checked_call.h"
#include "runtime/loop.h"

enum { TOLD_MAX = 2 << 20, NS_A_SECOND = 1000000000 };

struct shelf_call {
    struct shelf_call *next, **link;
    struct mcp_peer *peer; /* NULL: nobody waits for its end */
    gramc_allocator allocator;
    struct arena arena;
    gramc_text id, token; /* JSON; token empty: no progress is wanted */
    bool is_modern;
    struct tool_shelf *shelf; /* held */
    const struct shelf_tool *tool;
    struct checked_call checked; /* of a tool */
    gramc_run *run;              /* of an agent; NULL: it is over */
    uint64_t told, told_ns;      /* progress, and when; at first when it began */
};

/* ## The list */

static void unlink_call(struct shelf_call *call) {
    struct mcp_peer *peer = call->peer;
    *call->link = call->next;
    if (call->next) call->next->link = call->link;
    peer->calling--;
    call->peer = NULL;
}

static void link_call(struct mcp_peer *peer, struct shelf_call *call) {
    call->next = peer->calls;
    call->link = &peer->calls;
    if (call->next) call->next->link = &call->next;
    peer->calls = call;
    peer->calling++;
    call->peer = peer;
}

static struct shelf_call *find(const struct mcp_peer *peer, gramc_text id) {
    struct shelf_call *call = peer->calls;
    while (call && !text_eq(call->id, id)) call = call->next;
    return call;
}

static void free_call(struct shelf_call *call) {
    gramc_allocator allocator = call->allocator;
    shelf_let_go(call->shelf);
    arena_free(&call->arena);
    mem_free(&allocator, call, sizeof(*call));
}

/* ## While it works */

/* The number grows with each word, as the protocol wants it. Without memory the call goes on. */
static void tell_progress(struct shelf_call *call, gramc_text message) {
    struct mcp_peer *peer = call->peer;
    struct buf out;
    if (!peer || !call->token.len) return;
    call->told_ns = uv_hrtime();
    call->told++;
    buf_init(&out, &peer->allocator, MCP_LINE_MAX);
    struct json_writer w = mcp_say_tell(&out, "notifications/progress");
    json_member_raw(&w, "progressToken", call->token);
    json_member_number(&w, "progress", call->told);
    json_member_text(&w, "message", message);
    mcp_say_told(&w);
    if (buf_status(&out)) buf_free(&out);
    else mcp_peer_tell(peer, &out);
}

/* ## How it ends */

/* The call is gone behind this. `failure`: `text` says why there is no result. */
static void settle(struct shelf_call *call, gramc_text text, bool failure) {
    struct mcp_peer *peer = call->peer;
    struct buf out;
    if (peer) {
        struct json_writer w = mcp_peer_answer(peer, &out, call->id, call->is_modern);
        if (failure) shelf_put_failure(&w, text);
        else if (!shelf_put_result(call->tool, &w, text, call->is_modern)) out.state = BUF_NOMEM;
        json_object_end(&w);
        mcp_say_end(&w);
        unlink_call(call);
        mcp_peer_send(peer, &out, call->id);
    }
    free_call(call);
    if (peer && !peer->calling) peer->idle(peer->ctx);
}

static void settle_nomem(struct shelf_call *call) {
    struct mcp_peer *peer = call->peer;
    if (peer) {
        unlink_call(call);
        mcp_peer_refuse(peer, call->id, MCP_CODE_INTERNAL, "out of memory");
    }
    free_call(call);
    if (peer && !peer->calling) peer->idle(peer->ctx);
}

/* Ends it with the sentence in `why`, which is freed. */
static void fail(struct shelf_call *call, struct buf *why) {
    if (buf_status(why) == GRAMC_NOMEM) settle_nomem(call);
    else settle(call, buf_view(why), true);
    buf_free(why);
}

/* ## A tool */

static const char *const before_why[] = {
    [CHECKED_FINE] = "",
    [CHECKED_BAD_ARGUMENTS] = "the arguments do not fit: ",
    [CHECKED_TOOL_ERROR] = "",
    [CHECKED_TIMEOUT] = "the tool did not finish in time and was stopped",
    [CHECKED_BAD_RESULT] = "the tool's result is not what it promises: ",
    [CHECKED_DENIED] = "the call was denied",
    [CHECKED_NOMEM] = "",
};

static void put_why(struct buf *out, const struct checked_end *end) {
    bool is_denied = end->outcome == CHECKED_DENIED;
    if (is_denied && end->after) buf_puts(out, "the result was withheld");
    else buf_puts(out, before_why[end->outcome]);
    if (is_denied && end->failed) buf_puts(out, ", since what guards the tool does not work");
    if (is_denied && !end->failed && end->text.len) buf_puts(out, ": ");
    if (end->unread) buf_puts(out, "cannot be checked: ");
    buf_text(out, end->text);
}

static void on_tool_done(void *ctx, const struct checked_end *end) {
    struct shelf_call *call = ctx;
    struct buf why;
    if (end->outcome == CHECKED_NOMEM) {
        settle_nomem(call);
    } else if (end->outcome == CHECKED_FINE) {
        settle(call, end->text, false);
    } else {
        buf_init(&why, &call->allocator, TOLD_MAX);
        put_why(&why, end);
        fail(call, &why);
    }
}

static void start_tool(struct shelf_call *call, gramc_text arguments) {
    static const struct checked_events events = {NULL, NULL, NULL, on_tool_done};
    const gramc_approver *approver = &call->shelf->approver;
    call->checked = (struct checked_call){.loop = call->peer->loop,
                                          .bound = call->tool->tool,
                                          .events = &events,
                                          .ctx = call,
                                          .approver = approver};
    checked_call_start(&call->checked, NULL, arguments); /* the last that is done with it here */
}

/* ## An agent */

static void on_run_event(void *ctx, const gramc_event *event) {
    struct shelf_call *call = ctx;
    struct buf words;
    buf_init(&words, &call->allocator, TOLD_MAX);
    if (event->kind == GRAMC_EVENT_TASK)
        buf_printf(&words, "begins task %.*s", TEXT_ARGS(event->task));
    else if (event->kind == GRAMC_EVENT_REQUEST)
        buf_printf(&words, "asks the model, iteration %u", (unsigned)event->iteration);
    else if (event->kind == GRAMC_EVENT_CALL)
        buf_printf(&words, "calls %.*s", TEXT_ARGS(event->call->tool));
    else if (event->kind == GRAMC_EVENT_RESULT)
        buf_printf(&words, "%.*s: %s", TEXT_ARGS(event->call->tool), event->call->outcome);
    if (words.len && !buf_status(&words)) tell_progress(call, buf_view(&words));
    buf_free(&words);
}

static void on_run_done(void *ctx, const gramc_run_result *result) {
    struct shelf_call *call = ctx;
    struct buf why;
    call->run = NULL;
    if (result->no_memory) {
        settle_nomem(call);
    } else if (result->outcome == GRAMC_OUTCOME_ANSWERED) {
        settle(call, result->text, false);
    } else {
        buf_init(&why, &call->allocator, TOLD_MAX);
        buf_printf(&why, "the agent ended as %s: ", gramc_outcome_name(result->outcome));
        buf_text(&why, result->message);
        fail(call, &why);
    }
}

static bool is_input(const gramc_agent *agent, gramc_text name) {
    for (size_t i = 0; i < agent->input_count; i++)
        if (text_eq(agent->inputs[i], name)) return true;
    return false;
}

/* What is wrong with the arguments, in words; nothing is written if they fit. */
static void check_inputs(struct buf *why, const gramc_agent *agent, const struct json *arguments) {
    for (const struct json *m = arguments ? arguments->first : NULL; m && !why->len; m = m->next) {
        bool is_known = is_input(agent, m->key) || text_is(m->key, "message");
        if (is_known && m->kind == JSON_STRING) continue;
        buf_printf(why, "the arguments do not fit: `%.*s` %s", TEXT_ARGS(m->key),
                   is_known ? "is no text" : "is none of them");
    }
    for (size_t i = 0; i <= agent->input_count && !why->len; i++) {
        gramc_text name = i < agent->input_count ? agent->inputs[i] : TEXT("message");
        const struct json *value = json_get_text(arguments, name);
        bool is_empty = i == agent->input_count && value && !text_trim(value->text).len;
        if (value && !is_empty) continue;
        buf_printf(why, "the arguments do not fit: `%.*s` is %s", TEXT_ARGS(name),
                   value ? "empty" : "missing");
    }
}

static gramc_status start_run(struct shelf_call *call, const struct json *arguments) {
    const struct served_agent *served = call->tool->agent;
    gramc_run_options options = served->options;
    const gramc_run_handler handler = {
        .done = on_run_done, .event = call->token.len ? on_run_event : NULL, .ctx = call};
    const struct json *message = json_get(arguments, "message");
    gramc_input *inputs =
        arena_array(&call->arena, served->agent->input_count + 1, sizeof(*inputs));
    if (!inputs) return GRAMC_NOMEM;
    for (size_t i = 0; i < served->agent->input_count; i++) {
        gramc_text name = served->agent->inputs[i];
        inputs[i] = (gramc_input){.name = name, .value = json_get_text(arguments, name)->text};
    }
    options.model = served->model;
    options.messages = &message->text;
    options.message_count = 1;
    options.inputs = inputs;
    options.input_count = served->agent->input_count;
    return gramc_run_start(&call->run, call->peer->loop, served->bound, &options, &handler);
}

static void start_agent(struct shelf_call *call, const struct json *arguments) {
    struct buf why;
    buf_init(&why, &call->allocator, TOLD_MAX);
    check_inputs(&why, call->tool->agent->agent, arguments);
    if (!why.len && !buf_status(&why)) {
        gramc_status status = start_run(call, arguments);
        if (!status) return;
        if (status == GRAMC_NOMEM) why.state = BUF_NOMEM;
        else buf_puts(&why, "the agent cannot be run as it is served");
    }
    fail(call, &why);
}

/* ## From the request */

static void keep_token(struct shelf_call *call, const struct json *token) {
    struct buf text;
    if (!json_is(token, JSON_STRING) && !json_is(token, JSON_NUMBER)) return;
    buf_init(&text, &call->allocator, TOLD_MAX);
    json_put(&text, token);
    call->token = buf_to_arena(&text, &call->arena);
}

static struct shelf_call *make_call(struct mcp_peer *peer, const struct mcp_said *said,
                                    const struct shelf_tool *tool) {
    struct shelf_call *call = mem_alloc(&peer->allocator, sizeof(*call));
    if (!call) return NULL;
    *call = (struct shelf_call){.allocator = peer->allocator,
                                .is_modern = said->is_modern,
                                .shelf = shelf_hold(peer->shelf),
                                .tool = tool,
                                .told_ns = uv_hrtime()};
    arena_init(&call->arena, &call->allocator);
    call->id = arena_text(&call->arena, said->id);
    keep_token(call, json_get(said->meta, "progressToken"));
    if (call->arena.oom) {
        free_call(call);
        return NULL;
    }
    link_call(peer, call);
    return call;
}

/* Arguments that are left out are none. */
static void start(struct shelf_call *call, const struct json *arguments) {
    struct buf text;
    if (call->tool->agent) {
        start_agent(call, arguments);
        return;
    }
    buf_init(&text, &call->allocator, MCP_LINE_MAX);
    if (arguments) json_put(&text, arguments);
    else buf_puts(&text, "{}");
    gramc_text bytes = arena_text(&call->arena, buf_view(&text));
    bool is_fine = buf_status(&text) == GRAMC_OK && bytes.ptr;
    buf_free(&text);
    if (is_fine) start_tool(call, bytes);
    else settle_nomem(call);
}

static void refuse_unknown(struct mcp_peer *peer, gramc_text id, gramc_text name) {
    struct buf out, why;
    buf_init(&why, &peer->allocator, MCP_LINE_MAX);
    buf_init(&out, &peer->allocator, MCP_LINE_MAX);
    buf_puts(&why, "Unknown tool: ");
    buf_text(&why, name);
    mcp_say_error(&out, id, MCP_CODE_PARAMS, buf_view(&why), TEXT(""));
    mcp_peer_send(peer, &out, id);
    buf_free(&why);
}

void mcp_calling_start(struct mcp_peer *peer, const struct mcp_said *said) {
    const struct json *name = json_get(said->params, "name");
    const struct json *arguments = json_get(said->params, "arguments");
    const struct shelf_tool *tool;
    struct shelf_call *call;
    if (!json_is(name, JSON_STRING))
        mcp_peer_refuse(peer, said->id, MCP_CODE_PARAMS, "params names no tool");
    else if (arguments && arguments->kind != JSON_OBJECT)
        mcp_peer_refuse(peer, said->id, MCP_CODE_PARAMS, "the arguments are no object");
    else if (!(tool = shelf_find(peer->shelf, name->text)))
        refuse_unknown(peer, said->id, name->text);
    else if (peer->calling >= peer->max_calls)
        mcp_peer_refuse(peer, said->id, MCP_CODE_INTERNAL, "too many calls are under way already");
    else if (!(call = make_call(peer, said, tool)))
        mcp_peer_refuse(peer, said->id, MCP_CODE_INTERNAL, "out of memory");
    else start(call, arguments);
}

/* ## All of them */

bool mcp_calling_has(const struct mcp_peer *peer, gramc_text id) {
    return find(peer, id) != NULL;
}

/* A run ends later; its end finds nobody that waits for it. */
static void drop(struct shelf_call *call) {
    unlink_call(call);
    if (call->run) {
        gramc_run_cancel(call->run);
        return;
    }
    checked_call_cancel(&call->checked);
    free_call(call);
}

bool mcp_calling_cancel(struct mcp_peer *peer, gramc_text id) {
    struct shelf_call *call = find(peer, id);
    if (!call) return false;
    drop(call);
    if (!peer->calling) peer->idle(peer->ctx);
    return true;
}

void mcp_calling_drop(struct mcp_peer *peer) {
    while (peer->calls) drop(peer->calls);
}

/* Where nothing else was told for a second. */
void mcp_calling_tick(struct mcp_peer *peer) {
    uint64_t now = uv_hrtime();
    for (struct shelf_call *call = peer->calls; call; call = call->next) {
        uint64_t due = call->told_ns + NS_A_SECOND;
        if (now < due) continue;
        tell_progress(call, TEXT("still at work"));
        call->told_ns = due; /* looking late does not add up */
    }
}
