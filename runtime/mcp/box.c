/* Asks MCP servers for their tools and turns the answers into what binding knows of any box; binds
 * single tools of them. Filters, renames and the choice between boxes are bind_box.c's. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/mcp/box.h"

#include <stdio.h>

#include "base/text.h"
#include "runtime/bind_sandbox.h"
#include "runtime/foreign.h"
#include "runtime/loop.h"

/* ## Asking */

enum { OFFER_MAX = 64 << 20, NOTE_MAX = 4096, MCP_TOLD_MAX = 512 };

struct asking {
    struct inquiry *inquiry;
    struct mcp_listing listing;
    struct mcp_server *server;
    struct offered_box *out;
    uint32_t timeout_ms; /* of the box; 0: it has as long as all of them */
    bool waits;
};

struct inquiry {
    struct arena *arena;
    struct mcp_given given;
    struct asking *list;
    size_t count, pending;
    uv_timer_t deadline;
    uint64_t start;      /* in the loop's time */
    uint32_t timeout_ms; /* of all */
    uint32_t company;
    bool pinned;
};

static uint32_t time_of(const struct asking *asking) {
    uint32_t all = asking->inquiry->timeout_ms, own = asking->timeout_ms;
    return own && own < all ? own : all;
}

/* A server may repeat what it was started with anywhere, and what it offers is shown, saved and put
 * into requests. */
static gramc_text hide_from(struct inquiry *inquiry, gramc_text text, size_t shortest) {
    struct buf copy;
    if (text.len == 0) return TEXT("");
    buf_init(&copy, &inquiry->arena->allocator, OFFER_MAX);
    buf_text(&copy, text);
    secrets_hide_from(inquiry->given.secrets, &copy, shortest);
    return buf_to_arena_cut(&copy, inquiry->arena);
}

static gramc_text hide(struct inquiry *inquiry, gramc_text text) {
    return hide_from(inquiry, text, SECRET_SHORTEST);
}

/* Names and schemas are more than words: a short value that occurs in them by chance stays. */
static gramc_text hide_formal(struct inquiry *inquiry, gramc_text text) {
    return hide_from(inquiry, text, SECRET_SURE);
}

struct refusal {
    const struct mcp_tool *tool; /* the first one that cannot be called; NULL: there is none */
    size_t number;               /* in the list, from 1 */
    const char *why;
    size_t more;
};

static gramc_text note_refused(struct inquiry *inquiry, const struct offered_box *out,
                               const struct refusal *refusal) {
    const struct foreign how = {.secrets = inquiry->given.secrets, .longest = FOREIGN_NAME};
    struct buf line;
    gramc_text name = refusal->tool->name;
    buf_init(&line, &inquiry->arena->allocator, NOTE_MAX);
    buf_puts(&line, "box `");
    foreign_put(&line, out->name, &how);
    buf_puts(&line, "`: its tool ");
    if (name.len == 0) buf_printf(&line, "number %zu", refusal->number);
    else buf_puts(&line, "`"), foreign_put(&line, name, &how), buf_puts(&line, "`");
    buf_printf(&line, " is not offered: %s", refusal->why);
    if (refusal->more)
        buf_printf(&line, "; nor %s %zu more", refusal->more == 1 ? "is" : "are", refusal->more);
    return buf_to_arena_cut(&line, inquiry->arena);
}

static const char *why_refused(struct inquiry *inquiry, const struct mcp_tool *tool) {
    if (tool->refused) return tool->refused;
    return text_eq(hide_formal(inquiry, tool->name), tool->name) ? NULL : "its name holds a secret";
}

static void offer(struct inquiry *inquiry, struct offered_box *out,
                  const struct mcp_listing *listing) {
    struct arena *arena = inquiry->arena;
    struct offered_tool *tools = arena_array(arena, listing->count + 1, sizeof(*tools));
    struct refusal first = {.tool = NULL};
    size_t number = 0;
    out->tools = tools;
    for (const struct mcp_tool *tool = listing->tools; tool && tools; tool = tool->next) {
        const char *why = why_refused(inquiry, tool);
        number++;
        if (why && first.tool) first.more++;
        else if (why) first = (struct refusal){tool, number, why, 0};
        if (why) continue;
        tools[out->tool_count++] = (struct offered_tool){
            .name = arena_text(arena, tool->name),
            .title = hide(inquiry, tool->title),
            .description = hide(inquiry, tool->description),
            .accepts = hide_formal(inquiry, mcp_plain_schema(arena, tool->input)),
            .returns = hide_formal(inquiry, mcp_plain_schema(arena, tool->output)),
            .annotations = hide_formal(inquiry, tool->annotations)};
    }
    if (first.tool) out->note = note_refused(inquiry, out, &first);
}

static void pin(struct inquiry *inquiry, struct offered_box *out,
                const struct mcp_listing *listing) {
    char hex[SHA256_HEX];
    mcp_listing_digest(listing, hex);
    out->pin = arena_text(inquiry->arena, (gramc_text){hex, sizeof(hex)});
}

static void on_listed(struct mcp_listing *listing) {
    struct asking *asking = listing->ctx;
    struct inquiry *inquiry = asking->inquiry;
    asking->waits = false;
    inquiry->pending--;
    if (listing->outcome == MCP_FINE) {
        offer(inquiry, asking->out, listing);
        if (inquiry->pinned) pin(inquiry, asking->out, listing);
    } else if (listing->outcome == MCP_NOMEM) inquiry->arena->oom = true;
    else asking->out->failure = hide(inquiry, text_of(listing->why));
}

static void ask(struct inquiry *inquiry, struct asking *asking, gramc_loop *loop,
                const gramc_box *box) {
    char why[MCP_WHY_MAX];
    /* One for each run is not there yet: the one that is asked is nobody's, then. */
    const struct tool_memory memory = {.company = inquiry->company};
    asking->inquiry = inquiry;
    *asking->out = (struct offered_box){.name = box->name};
    gramc_status status =
        mcp_server_read(&asking->server, inquiry->arena, box, &inquiry->given, why);
    if (status == GRAMC_FINDINGS) asking->out->failure = arena_text(inquiry->arena, text_of(why));
    struct mcp_client *client = status ? NULL : mcp_pool_client(loop, asking->server, &memory);
    if (!status && !client) inquiry->arena->oom = true;
    if (!client) return;
    asking->listing =
        (struct mcp_listing){.done = on_listed, .ctx = asking, .allocator = loop->allocator};
    asking->waits = true;
    asking->timeout_ms = box->timeout_ms;
    inquiry->pending++;
    mcp_list_start(client, &asking->listing);
}

static void stop_asking(struct asking *asking, const char *why) {
    char text[MCP_TOLD_MAX];
    mcp_client_tell(asking->listing.request.client, why, text, sizeof(text));
    mcp_cancel(&asking->listing.request);
    asking->out->failure = hide(asking->inquiry, text_of(text));
    asking->waits = false;
    asking->inquiry->pending--;
}

static const char *const late = "the server did not list its tools in time";

/* The timer goes from one box's time to the next one's; the last is that of all. */
static void set_deadline(struct inquiry *inquiry);

static void deadline_passed(uv_timer_t *timer) {
    struct inquiry *inquiry = timer->data;
    uint64_t passed = uv_now(timer->loop) - inquiry->start;
    for (size_t i = 0; i < inquiry->count; i++) {
        struct asking *asking = &inquiry->list[i];
        if (asking->waits && time_of(asking) <= passed) stop_asking(asking, late);
    }
    if (inquiry->pending) set_deadline(inquiry);
}

static void set_deadline(struct inquiry *inquiry) {
    uint64_t passed = uv_now(inquiry->deadline.loop) - inquiry->start, next = UINT64_MAX;
    for (size_t i = 0; i < inquiry->count; i++) {
        const struct asking *asking = &inquiry->list[i];
        if (asking->waits && time_of(asking) < next) next = time_of(asking);
    }
    uv_timer_start(&inquiry->deadline, deadline_passed, next > passed ? next - passed : 0, 0);
}

static bool is_over(void *ctx) {
    const struct inquiry *inquiry = ctx;
    return inquiry->pending == 0;
}

static void deadline_closed(uv_handle_t *handle) {
    handle->data = NULL;
}

static void wait_for_all(struct inquiry *inquiry, gramc_loop *loop) {
    uv_timer_init(&loop->uv, &inquiry->deadline);
    inquiry->deadline.data = inquiry;
    uv_update_time(&loop->uv);
    inquiry->start = uv_now(&loop->uv);
    set_deadline(inquiry);
    loop_turn_until(loop, is_over, inquiry);
    uv_close((uv_handle_t *)&inquiry->deadline, deadline_closed);
    while (inquiry->deadline.data) uv_run(&loop->uv, UV_RUN_NOWAIT);
}

static void end(struct inquiry *inquiry, const gramc_loop *loop) {
    for (size_t i = 0; i < inquiry->count; i++) {
        struct asking *asking = &inquiry->list[i];
        if (asking->waits) stop_asking(asking, loop->interrupted ? "it was interrupted" : late);
        if (asking->server) {
            mcp_list_free(&asking->listing);
            mcp_server_wipe(asking->server);
        }
    }
}

static gramc_status ask_all(const struct box_question *question) {
    gramc_loop *loop = question->loop;
    size_t count = question->count;
    struct inquiry inquiry = {
        .arena = question->arena,
        .company = question->company,
        .pinned = question->pinned,
        .given = {question->secrets, question->egress, question->sandboxes, question->sandbox},
        .count = count,
        .timeout_ms = question->timeout_ms ? question->timeout_ms : MCP_ASK_MS};
    inquiry.list = mem_alloc(&loop->allocator, (count + 1) * sizeof(*inquiry.list));
    if (!inquiry.list) return GRAMC_NOMEM;
    for (size_t i = 0; i < count; i++) {
        inquiry.list[i] = (struct asking){.out = &question->out[i]};
        ask(&inquiry, &inquiry.list[i], loop, question->boxes[i]);
    }
    if (inquiry.pending) wait_for_all(&inquiry, loop);
    end(&inquiry, loop);
    mem_free(&loop->allocator, inquiry.list, (count + 1) * sizeof(*inquiry.list));
    return question->arena->oom ? GRAMC_NOMEM : GRAMC_OK;
}

gramc_status mcp_boxes_ask(const struct box_question *question) {
    sigset_t before;
    if (question->loop->running) return GRAMC_USAGE;
    if (loop_learn(question->loop, question->secrets)) return GRAMC_NOMEM;
    loop_set_signals(&before);
    gramc_status status = ask_all(question);
    loop_restore_signals(&before);
    return status;
}

/* ## Binding */

static void wipe_server(void *server) {
    mcp_server_wipe(server);
}

/* False after a message. */
static bool is_contained(gramc_bound *bound, const gramc_box *box) {
    struct sandboxed sandboxed;
    const gramc_impl program = mcp_program(box);
    if (!box->argc) return true;
    gramc_text who = BOUND_JOIN(bound, TEXT("box `"), box->name, TEXT("`"));
    return bind_sandbox(&sandboxed, bound, &program, who) && sandboxed.verdict == SANDBOX_FINE;
}

const struct mcp_server *mcp_box_bind(gramc_bound *bound, const gramc_box *box) {
    char why[MCP_WHY_MAX], line[MCP_WHY_MAX + 160];
    struct mcp_server *server;
    const struct bind_place place = {box->file, box->start, box->end};
    box = offered_at(&bound->arena, offered_box(bound->offered, bound->offered_count, box->name),
                     box);
    if (!box) return NULL;
    if (!is_contained(bound, box)) return NULL;
    const struct mcp_given given = {bound->secrets, bound->egress, bound->sandboxes,
                                    bound->library->sandbox};
    gramc_status status = mcp_server_read(&server, &bound->arena, box, &given, why);
    if (status == GRAMC_NOMEM) bound->arena.oom = true;
    if (status == GRAMC_FINDINGS) {
        snprintf(line, sizeof(line), "box `%.*s`: %s",
                 box->name.len < 128 ? (int)box->name.len : 128, box->name.ptr, why);
        bound_report(bound, GRAMC_ERROR, &place, arena_text(&bound->arena, text_of(line)),
                     TEXT(""));
    }
    if (status) return NULL;
    return bound_own(bound, wipe_server, server) ? server : NULL;
}

static void free_schema(void *schema) {
    gramc_schema_free(schema);
}

/* One that cannot be compiled (it refers to other documents, say) is as good as none. */
static const gramc_schema *compile_output(gramc_bound *bound, const struct json *document) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_schema *schema = NULL;
    options.allocator = &bound->arena.allocator;
    if (!document) return NULL;
    gramc_status status = gramc_schema_compile_document(&schema, document, &options, NULL);
    if (status == GRAMC_NOMEM) bound->arena.oom = true;
    if (status) return NULL;
    return bound_own(bound, free_schema, schema) ? schema : NULL;
}

static const struct mcp_parameter *read_mirrors(gramc_bound *bound, const struct json *accepts) {
    struct mcp_parameter *mirrors = NULL;
    return mcp_mirrors_read(&mirrors, &bound->arena, accepts) ? NULL : mirrors;
}

const struct mcp_endpoint *mcp_box_endpoint(gramc_bound *bound, const struct mcp_server *server,
                                            const struct offered_tool *offered, gramc_text tool,
                                            gramc_result_kind kind) {
    struct mcp_endpoint *endpoint = ARENA_NEW(&bound->arena, struct mcp_endpoint);
    if (!endpoint) return NULL;
    const struct offered_box *known =
        offered_box(bound->offered, bound->offered_count, server->box->name);
    *endpoint = (struct mcp_endpoint){.server = server,
                                      .pin = known ? known->pin : TEXT(""),
                                      .tool = tool,
                                      .as_text = kind != GRAMC_RESULT_JSON,
                                      .secrets = bound->secrets};
    const struct offered_schemas *schemas = offered ? bind_offer_schemas(bound, offered) : NULL;
    if (schemas) {
        endpoint->output = compile_output(bound, schemas->returns);
        endpoint->mirrors = read_mirrors(bound, schemas->accepts);
    }
    return bound->arena.oom ? NULL : endpoint;
}

/* ## ToolImpl {mcp: ..., tool: ...} */

static const gramc_box *find_server(const gramc_library *library, gramc_text name) {
    for (size_t i = 0; i < library->box_count; i++)
        if (library->boxes[i].kind == GRAMC_BOX_MCP && text_eq(library->boxes[i].name, name))
            return &library->boxes[i];
    return NULL;
}

const struct mcp_endpoint *mcp_bind_impl(gramc_bound *bound, const gramc_impl *impl,
                                         const gramc_tool *tool) {
    const struct bind_place place = {impl->file, impl->start, impl->end};
    const gramc_box *box = find_server(bound->library, impl->server);
    const struct offered_box *known =
        offered_box(bound->offered, bound->offered_count, impl->server);
    gramc_text name = impl->target.len ? impl->target : impl->name;
    if (!box) {
        BOUND_TELL(bound, D_UNKNOWN_SERVER, &place, TEXT(""), impl->server);
        return NULL;
    }
    bool is_known = known && known->failure.len == 0;
    const struct offered_tool *offered = is_known ? offered_tool(known, name) : NULL;
    if (is_known && !offered) {
        BOUND_TELL(bound, D_NOT_OFFERED, &place, bind_near_offer(bound, known, name), impl->server,
                   name);
        return NULL;
    }
    const struct mcp_server *server = mcp_box_bind(bound, box);
    return server ? mcp_box_endpoint(bound, server, offered, name, tool->result_kind) : NULL;
}

/* ## Boxes */

static void open_server(gramc_bound *bound, struct box_view *view) {
    const gramc_box *box = view->box;
    const struct bind_place place = {box->file, box->start, box->end};
    const struct offered_box *known = offered_box(bound->offered, bound->offered_count, box->name);
    if (!is_contained(bound, box)) return;
    if (!known || known->failure.len) {
        BOUND_TELL(bound, D_BOX_UNKNOWN, &place, TEXT(""), box->name,
                   known ? known->failure : TEXT("nobody asked it what it offers"));
        return;
    }
    view->inside = mcp_box_bind(bound, box);
    if (!view->inside) return;
    view->offered = known;
    if (known->note.len)
        bound_report(bound, GRAMC_WARNING, &place, arena_text(&bound->arena, known->note),
                     TEXT(""));
}

static const void *bind_offered(gramc_bound *bound, const struct box_view *view,
                                const struct offered_tool *offered, const gramc_tool *tool) {
    return mcp_box_endpoint(bound, view->inside, offered, offered->name, tool->result_kind);
}

const struct box_kind mcp_boxes = {.open = open_server, .bind = bind_offered, .ask = mcp_boxes_ask};
