/* Turns `[crm:HttpToolBox {file: "crm.yaml", url: ..., headers: ...}]` into the tools of one
 * upstream, ready to be bound. What is wrong in the file becomes a message at its place there; how
 * the file is read is toolbox/read.c's matter. */
#include "runtime/httptool/box.h"

#include <stdio.h>

#include "base/diag/diag.h"
#include "base/text.h"
#include "runtime/httptool/bind.h"
#include "runtime/httptool/stored.h"

enum { PATH_MAX_BYTES = 4096, FAILURE_MAX = 4096 };

/* Opened: its file read, one upstream of it chosen, url and headers of the library put over the
 * file's. */
struct http_box {
    const gramc_box *box;
    const struct toolbox_upstream *upstream;
    gramc_text file; /* the path that was read, or what the store is called in messages */
    gramc_text text; /* of the file, while binding */
    gramc_text url;
    const struct http_header *headers;
    size_t header_count;
    struct offered_box offered; /* in the order of the file */
    const struct http_route *route;
};

/* ## The file */

static gramc_text join_path(struct arena *arena, const gramc_box *box) {
    struct buf path;
    bool absolute = text_starts(box->file_named, "/");
    buf_init(&path, &arena->allocator, PATH_MAX_BYTES);
    if (!absolute) buf_text(&path, box->folder);
    buf_text(&path, box->file_named);
    return buf_to_arena_cut(&path, arena);
}

/* Whom a box's tools are read from. */
struct box_sources {
    gramc_reader reader;
    const gramc_toolbox_host *host; /* NULL: none */
    char why[256];                  /* why the store did not say */
};

/* GRAMC_FINDINGS: with a toolbox that tells what is wrong. GRAMC_NOT_FOUND: no such file. GRAMC_IO:
 * the store does not say, and sources->why tells why. */
static gramc_status read_box(struct toolbox **out, struct arena *arena, struct http_box *box,
                             struct box_sources *sources) {
    gramc_reader reader = sources->reader;
    *out = NULL;
    if (box->box->stored.len) {
        gramc_status status =
            store_document(&box->text, arena, sources->host, box->box->stored, sources->why);
        box->file = store_name(arena, box->box->stored);
        if (status == GRAMC_OK && !box->file.ptr) status = GRAMC_NOMEM;
        return status ? status
                      : toolbox_read_for(out, &arena->allocator, box->file, box->text,
                                         box->box->literal, sources->host);
    }
    box->file = join_path(arena, box->box);
    if (!box->file.ptr) return GRAMC_NOMEM;
    int failure = reader.read ? reader.read(reader.ctx, box->file, &box->text) : GRAMC_NOT_FOUND;
    if (failure) return failure == GRAMC_NOMEM ? GRAMC_NOMEM : GRAMC_NOT_FOUND;
    return toolbox_read_for(out, &arena->allocator, box->file, box->text, box->box->literal,
                            sources->host);
}

/* ## What it offers */

/* Copied: a toolbox may be gone before its arena. */
static void offer(struct offered_box *out, struct arena *arena,
                  const struct toolbox_upstream *upstream) {
    struct offered_tool *tools = arena_array(arena, upstream->tool_count + 1, sizeof(*tools));
    out->tools = tools;
    for (const struct toolbox_tool *tool = upstream->tools; tool && tools; tool = tool->next)
        tools[out->tool_count++] =
            (struct offered_tool){.name = arena_text(arena, tool->name),
                                  .description = arena_text(arena, tool->description),
                                  .accepts = arena_text(arena, tool->parameters)};
}

/* ## Asking */

static gramc_text first_error(struct arena *arena, const struct toolbox *toolbox) {
    struct buf line;
    const struct toolbox_finding *f = toolbox->findings;
    while (f && f->severity != GRAMC_ERROR) f = f->next;
    buf_init(&line, &arena->allocator, FAILURE_MAX);
    buf_text(&line, toolbox->file);
    if (f) buf_printf(&line, ":%u:%u: ", (unsigned)f->line, (unsigned)f->column);
    if (f) buf_text(&line, f->message);
    return buf_to_arena_cut(&line, arena);
}

static gramc_status ask(struct offered_box *out, struct arena *arena, const gramc_box *box,
                        const struct box_question *question) {
    struct box_sources sources = {question->reader, question->host, ""};
    struct http_box opened = {.box = box};
    struct toolbox *toolbox;
    const char *why = NULL;
    gramc_status status = read_box(&toolbox, arena, &opened, &sources);
    *out = (struct offered_box){.name = box->name};
    const struct toolbox_upstream *upstream =
        status ? NULL : toolbox_choose(toolbox, box->name, &why);
    if (upstream) offer(out, arena, upstream);
    else if (status == GRAMC_FINDINGS) out->failure = first_error(arena, toolbox);
    else if (status == GRAMC_NOT_FOUND) out->failure = TEXT("its file cannot be read");
    else if (status == GRAMC_IO) out->failure = arena_text(arena, text_of(sources.why));
    else if (why) out->failure = text_of(why);
    toolbox_free(toolbox);
    return status == GRAMC_NOMEM || arena->oom ? GRAMC_NOMEM : GRAMC_OK;
}

gramc_status http_boxes_ask(const struct box_question *question) {
    gramc_status status = GRAMC_OK;
    for (size_t i = 0; i < question->count && !status; i++)
        status = ask(&question->out[i], question->arena, question->boxes[i], question);
    return status;
}

/* ## Opening */

static void free_toolbox(void *toolbox) {
    toolbox_free(toolbox);
}

static void report_no_file(struct http_binder *binder, gramc_text file) {
    char message[256];
    snprintf(message, sizeof(message), "its file `%.*s` cannot be read",
             file.len < 200 ? (int)file.len : 200, file.ptr);
    http_bind_wrong(binder, message, "", "");
}

static void open_upstream(struct http_binder *binder, struct http_box *box) {
    gramc_bound *bound = binder->bound;
    struct box_sources sources = {bound->reader, bound->host, ""};
    struct toolbox *toolbox;
    const char *why = NULL;
    gramc_status status = read_box(&toolbox, &bound->arena, box, &sources);
    if (status == GRAMC_NOMEM) bound->arena.oom = true;
    if (status == GRAMC_NOT_FOUND) report_no_file(binder, box->file);
    if (status == GRAMC_IO) http_bind_wrong(binder, "", sources.why, "");
    if (!toolbox || !bound_own(bound, free_toolbox, toolbox)) return;
    for (const struct toolbox_finding *f = toolbox->findings; f; f = f->next) {
        uint32_t at = toolbox_offset(box->text, f->line, f->column);
        struct bind_place place = {box->file, at, at};
        bool error = f->severity == GRAMC_ERROR;
        BOUND_TELL(bound, error ? D_BAD_TOOLBOX : D_DOUBTFUL_TOOLBOX, &place,
                   arena_text(&bound->arena, f->help), f->message);
    }
    if (status == GRAMC_OK) box->upstream = toolbox_choose(toolbox, box->box->name, &why);
    if (why && !box->upstream)
        http_bind_wrong(binder, why, "",
                        toolbox->upstreams ? "call the box as the upstream that it stands for"
                                           : "");
}

/* The program that is asked for its url has not said it. */
static void refuse_unknown(struct http_binder *binder, const struct offered_box *known) {
    char why[512];
    gramc_text words = TEXT("its url is asked of a program, which has not said it");
    if (known && known->failure.len) words = known->failure;
    snprintf(why, sizeof(why), "%.*s", words.len < 500 ? (int)words.len : 500, words.ptr);
    http_bind_wrong(binder, "", why, "");
}

static void choose_url(struct http_binder *binder, struct http_box *box) {
    gramc_bound *bound = binder->bound;
    const struct offered_box *known =
        offered_box(bound->offered, bound->offered_count, box->box->name);
    const gramc_box *given = offered_at(&bound->arena, known, box->box);
    if (!given) return;
    if (given->url_argc) {
        refuse_unknown(binder, known);
        return;
    }
    box->url = given->url.len ? given->url : box->upstream->url;
    if (box->url.len == 0) {
        http_bind_wrong(binder, "neither the library nor the file says its url", "",
                        "say url: \"http://...\" in the library");
        return;
    }
    if (!http_bind_url(binder, box->url, &box->url)) return;
    const char *problem = http_origin_problem(box->url);
    if (problem) http_bind_wrong(binder, "in its url, ", problem, "");
}

static void open_box(gramc_bound *bound, struct box_view *view) {
    const gramc_box *given = view->box;
    struct http_binder binder = {.bound = bound,
                                 .place = {given->file, given->start, given->end},
                                 .who = http_bind_who(bound, "box", given->name)};
    struct http_box *box = ARENA_NEW(&bound->arena, struct http_box);
    if (!box) return;
    box->box = given;
    box->offered.name = given->name;
    open_upstream(&binder, box);
    if (!box->upstream) return;
    choose_url(&binder, box);
    bool in_library = given->url.len || given->url_argc || given->stored.len;
    box->route = http_bind_route(&binder, &(struct http_said){&given->transport, given->folder,
                                                              in_library ? given->file : box->file,
                                                              box->url});
    box->headers = http_bind_headers(&binder, given->headers, given->header_count);
    box->header_count = given->header_count;
    offer(&box->offered, &bound->arena, box->upstream);
    if (binder.failed || bound->arena.oom) return;
    view->inside = box;
    view->offered = &box->offered;
}

/* ## Its tools */

/* The endpoint of a tool that is offered, and so exists. */
static const void *bind_offered(gramc_bound *bound, const struct box_view *view,
                                const struct offered_tool *offered, const gramc_tool *wanted) {
    const struct http_box *box = view->inside;
    const struct toolbox_tool *tool = toolbox_tool(box->upstream, offered->name);
    uint32_t at = toolbox_offset(box->text, tool->line, tool->column);
    struct http_binder binder = {.bound = bound,
                                 .place = {box->file, at, at},
                                 .who = http_bind_who(bound, "tool", tool->name)};
    struct http_endpoint *endpoint = ARENA_NEW(&bound->arena, struct http_endpoint);
    (void)wanted;
    if (!endpoint) return NULL;
    http_bind_secrets(&binder, "in its path, ", &tool->call.path);
    for (size_t i = 0; i < tool->call.header_count; i++)
        http_bind_secrets(&binder, "in a header, ", &tool->call.headers[i].value);
    http_bind_secrets(&binder, "in its body, ", &tool->call.body);
    *endpoint = (struct http_endpoint){.url = box->url,
                                       .headers = box->headers,
                                       .header_count = box->header_count,
                                       .call = &tool->call,
                                       .secrets = bound->secrets,
                                       .route = box->route};
    return binder.failed ? NULL : endpoint;
}

const struct box_kind http_boxes = {
    .open = open_box, .bind = bind_offered, .ask = http_boxes_ask, .opens_alone = true};
