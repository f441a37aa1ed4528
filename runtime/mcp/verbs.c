/* The two requests that tools need: tools/list, page by page, and tools/call. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "runtime/foreign.h"
#include "runtime/mcp/client.h"

enum { ERROR_LONGEST = 8000 /* of a call, for the model */ };

/* ## Calls */

static void finish_call(struct mcp_call *call, enum mcp_outcome outcome) {
    call->outcome = outcome;
    if (call->result.state == BUF_NOMEM) call->outcome = MCP_NOMEM;
    if (call->result.state == BUF_TOO_BIG) {
        buf_reset(&call->result);
        buf_puts(&call->result, "the server's result is longer than 1 MiB; ask for less of it");
        call->outcome = MCP_BAD_RESULT;
    }
    call->done(call);
}

static void put_call(struct mcp_request *request, struct json_writer *w) {
    const struct mcp_call *call = (const struct mcp_call *)(const void *)request;
    gramc_text arguments = text_trim(call->arguments);
    json_member_text(w, "name", call->tool);
    json_key(w, "arguments");
    struct buf *out = json_slot(w);
    /* One line: blanks between tokens may hold line ends, strings cannot. */
    for (size_t i = 0; i < arguments.len; i++)
        buf_putc(out,
                 arguments.ptr[i] == '\n' || arguments.ptr[i] == '\r' ? ' ' : arguments.ptr[i]);
    if (arguments.len == 0) buf_puts(out, "{}");
    if (call->replies.len) json_raw(w, buf_view(&call->replies));
}

static void describe_call(const struct mcp_request *request, struct mcp_message *message) {
    const struct mcp_call *call = (const struct mcp_call *)(const void *)request;
    message->name = call->tool;
    message->mirrors = call->relisted ? call->other_mirrors : call->mirrors;
    message->arguments = call->arguments;
}

static void fail_call(struct mcp_request *request, enum mcp_outcome outcome, const char *why) {
    struct mcp_call *call = (struct mcp_call *)(void *)request;
    buf_reset(&call->result);
    buf_puts(&call->result, why);
    finish_call(call, outcome);
}

void mcp_put_error(struct buf *out, const char *what, const struct mcp_client *client,
                   const struct json *error, size_t longest) {
    const struct foreign how = {.secrets = mcp_client_secrets(client),
                                .longest = longest,
                                .keeps_lines = longest > FOREIGN_WORDS};
    const struct json *message = json_get(error, "message"), *code = json_get(error, "code");
    buf_puts(out, what);
    if (json_is(code, JSON_NUMBER) && code->text.len < 32)
        buf_printf(out, " (%.*s)", TEXT_ARGS(code->text));
    if (!json_is(message, JSON_STRING)) return;
    buf_puts(out, ": ");
    foreign_put(out, message->text, &how);
}

static const struct mcp_verb call_verb;

/* Asked back, the call is made again, with replies to what was asked. */
static void ask_again(struct mcp_client *client, struct mcp_call *call, const struct json *result) {
    buf_reset(&call->replies);
    if (++call->rounds > MCP_ROUNDS_MAX) {
        fail_call(&call->request, MCP_BAD_RESULT, "the server asks back over and over");
    } else if (!mcp_decline(&call->replies, result)) {
        fail_call(&call->request, MCP_BAD_RESULT,
                  "the server asks for input of a person or a model, which it cannot get here");
    } else if (buf_status(&call->replies) != GRAMC_OK) {
        fail_call(&call->request, MCP_NOMEM, "out of memory");
    } else {
        mcp_request_start(client, &call->request, &call_verb);
    }
}

/* ## Calls whose headers the server wants otherwise */

static const struct mcp_tool *find_tool(const struct mcp_listing *listing, gramc_text name) {
    const struct mcp_tool *tool = listing->tools;
    while (tool && !text_eq(tool->name, name)) tool = tool->next;
    return tool;
}

static void on_relisted(struct mcp_listing *listing) {
    struct mcp_call *call = listing->ctx;
    const struct mcp_tool *tool = find_tool(listing, call->tool);
    if (listing->outcome != MCP_FINE) {
        fail_call(&call->request, listing->outcome, listing->why);
    } else if (!tool || tool->refused) {
        fail_call(&call->request, MCP_PROTOCOL_ERROR, "the server does not list the tool any more");
    } else {
        call->other_mirrors = tool->mirrors;
        mcp_request_start(call->client, &call->request, &call_verb);
    }
}

/* What it is held to was looked at; this was not. */
static void on_reviewed(struct mcp_listing *listing) {
    struct mcp_call *call = listing->ctx;
    if (listing->outcome == MCP_FINE && !mcp_pin_says(call->client, call->pin))
        fail_call(
            &call->request, MCP_PROTOCOL_ERROR,
            "the server's tools have changed since gramc.lock was compared with them; nothing "
            "of it is called any more");
    else on_relisted(listing);
}

/* Once. False without memory. */
static bool relist(struct mcp_call *call, void (*done)(struct mcp_listing *listing)) {
    call->relisted = mem_alloc(&call->allocator, sizeof(*call->relisted));
    if (!call->relisted) return false;
    *call->relisted = (struct mcp_listing){.done = done, .ctx = call, .allocator = call->allocator};
    mcp_list_start(call->client, call->relisted);
    return true;
}

static bool wants_other_headers(const struct mcp_call *call, const struct json *error) {
    const struct json *code = json_get(error, "code");
    return !call->relisted && json_is(code, JSON_NUMBER) && text_is(code->text, "-32020");
}

static void answer_call(struct mcp_client *client, struct mcp_request *request,
                        const struct json *result, const struct json *error) {
    struct mcp_call *call = (struct mcp_call *)(void *)request;
    if (!result && client->is_modern && wants_other_headers(call, error)) {
        if (!relist(call, on_relisted)) fail_call(request, MCP_NOMEM, "out of memory");
    } else if (!result) {
        mcp_put_error(&call->result, "the server answers with an error", client, error,
                      ERROR_LONGEST);
        finish_call(call, MCP_PROTOCOL_ERROR);
    } else if (client->is_modern && mcp_asks_back(result)) {
        ask_again(client, call, result);
    } else
        finish_call(call, mcp_result_read(&call->result, result, call->output, call->as_text,
                                          mcp_client_secrets(client)));
}

static const struct mcp_verb call_verb = {"tools/call", put_call, describe_call, fail_call,
                                          answer_call};

void mcp_call_start(struct mcp_client *client, struct mcp_call *call) {
    buf_init(&call->result, &call->allocator, MCP_RESULT_MAX);
    buf_init(&call->replies, &call->allocator, MCP_RESULT_MAX);
    call->rounds = 0;
    call->client = client;
    call->relisted = NULL;
    if (mcp_pin_holds(client, call->pin)) mcp_request_start(client, &call->request, &call_verb);
    else if (!relist(call, on_reviewed)) fail_call(&call->request, MCP_NOMEM, "out of memory");
}

void mcp_call_cancel(struct mcp_call *call) {
    mcp_cancel(&call->request);
    if (call->relisted) mcp_cancel(&call->relisted->request);
}

void mcp_call_free(struct mcp_call *call) {
    if (call->relisted) {
        mcp_list_free(call->relisted);
        mem_free(&call->allocator, call->relisted, sizeof(*call->relisted));
        call->relisted = NULL;
    }
    buf_free(&call->result);
    buf_free(&call->replies);
}

/* ## Lists */

static void finish_list(struct mcp_listing *listing, enum mcp_outcome outcome, const char *why) {
    listing->outcome = listing->arena.oom ? MCP_NOMEM : outcome;
    snprintf(listing->why, sizeof(listing->why), "%s", why);
    listing->done(listing);
}

static void put_list(struct mcp_request *request, struct json_writer *w) {
    const struct mcp_listing *listing = (const struct mcp_listing *)(const void *)request;
    if (listing->cursor.ptr) json_member_text(w, "cursor", listing->cursor);
}

static void fail_list(struct mcp_request *request, enum mcp_outcome outcome, const char *why) {
    finish_list((struct mcp_listing *)(void *)request, outcome, why);
}

static gramc_text keep_text(struct mcp_listing *listing, const struct json *tool, const char *key) {
    const struct json *value = json_get(tool, key);
    return json_is(value, JSON_STRING) ? arena_text(&listing->arena, value->text)
                                       : (gramc_text){NULL, 0};
}

static gramc_text keep_json(struct mcp_listing *listing, const struct json *tool, const char *key) {
    const struct json *value = json_get(tool, key);
    gramc_text kept = {NULL, 0};
    struct buf text;
    if (!json_is(value, JSON_OBJECT)) return kept;
    buf_init(&text, &listing->allocator, MCP_LINE_MAX);
    json_put(&text, value);
    return buf_to_arena(&text, &listing->arena);
}

/* One that cannot be called must not take the others with it. */
static const char *why_refused(struct mcp_listing *listing, struct mcp_tool *tool,
                               const struct json *value) {
    const struct json *input = json_get(value, "inputSchema");
    if (tool->name.len == 0) return "it has no name";
    if (!json_is(input, JSON_OBJECT)) return "it has no inputSchema";
    if (!listing->uses_headers) return NULL;
    return mcp_mirrors_read(&tool->mirrors, &listing->arena, input);
}

static const char *keep_tool(struct mcp_listing *listing, const struct json *value) {
    if (listing->count == MCP_TOOLS_MAX) return "the server lists more tools than gramc takes";
    struct mcp_tool *tool = ARENA_NEW(&listing->arena, struct mcp_tool);
    if (!tool) return "out of memory";
    tool->name = keep_text(listing, value, "name");
    tool->title = keep_text(listing, value, "title");
    tool->description = keep_text(listing, value, "description");
    tool->input = keep_json(listing, value, "inputSchema");
    tool->output = keep_json(listing, value, "outputSchema");
    tool->annotations = keep_json(listing, value, "annotations");
    tool->refused = why_refused(listing, tool, value);
    *listing->tools_end = tool;
    listing->tools_end = &tool->next;
    listing->count++;
    return listing->arena.oom ? "out of memory" : NULL;
}

static const char *keep_page(struct mcp_listing *listing, const struct json *result) {
    const struct json *tools = json_get(result, "tools"), *cursor = json_get(result, "nextCursor");
    const char *why = json_is(tools, JSON_ARRAY) ? NULL : "the server's list of tools is no list";
    for (const struct json *tool = why ? NULL : tools->first; tool && !why; tool = tool->next)
        why = keep_tool(listing, tool);
    if (why) return why;
    gramc_text before = listing->cursor;
    listing->cursor = (gramc_text){NULL, 0};
    if (!json_is(cursor, JSON_STRING)) return NULL;
    if (before.ptr && text_eq(before, cursor->text))
        return "the server gives the same page over and over";
    if (++listing->pages >= MCP_PAGES_MAX) return "the server lists more pages than gramc takes";
    listing->cursor = arena_text(&listing->arena, cursor->text);
    return listing->cursor.ptr ? NULL : "out of memory";
}

static const struct mcp_verb list_verb;

static void answer_list(struct mcp_client *client, struct mcp_request *request,
                        const struct json *result, const struct json *error) {
    struct mcp_listing *listing = (struct mcp_listing *)(void *)request;
    if (!result) {
        struct buf text;
        buf_init(&text, &listing->allocator, sizeof(listing->why) - 1);
        mcp_put_error(&text, "the server answers with an error", client, error, FOREIGN_WORDS);
        finish_list(listing, MCP_PROTOCOL_ERROR, text.ptr ? text.ptr : "out of memory");
        buf_free(&text);
        return;
    }
    listing->uses_headers = client->is_modern && !client->words.argv;
    const char *why = keep_page(listing, result);
    if (why) finish_list(listing, MCP_BAD_RESULT, why);
    else if (listing->cursor.ptr) mcp_request_start(client, request, &list_verb);
    else {
        mcp_pin_note(client, listing);
        finish_list(listing, MCP_FINE, "");
    }
}

static const struct mcp_verb list_verb = {"tools/list", put_list, NULL, fail_list, answer_list};

void mcp_list_start(struct mcp_client *client, struct mcp_listing *listing) {
    arena_init(&listing->arena, &listing->allocator);
    listing->tools = NULL;
    listing->tools_end = &listing->tools;
    listing->count = listing->pages = 0;
    listing->cursor = (gramc_text){NULL, 0};
    listing->changes = client->changes;
    mcp_request_start(client, &listing->request, &list_verb);
}

void mcp_list_free(struct mcp_listing *listing) {
    arena_free(&listing->arena);
}
