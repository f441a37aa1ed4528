/* Turns `[crm:HttpToolBox {file: "crm.yaml", url: ..., headers: ...}]` into the tools of one
 * upstream, ready to be bound. What is wrong in the file becomes a message at its place there; how
 * the file is read is toolbox_yaml.c's matter. */
#include "runtime/http_box.h"

#include "base/text.h"

enum { PATH_MAX_BYTES = 4096 };

/* ## The file */

static gramc_text join_path(struct arena *arena, const gramc_box *box) {
    struct buf path;
    bool absolute = text_starts(box->file_named, "/");
    buf_init(&path, &arena->allocator, PATH_MAX_BYTES);
    if (!absolute) buf_text(&path, box->folder);
    buf_text(&path, box->file_named);
    gramc_text copy = arena_text(arena, buf_view(&path));
    if (buf_status(&path) == GRAMC_NOMEM) arena->oom = true;
    buf_free(&path);
    return copy;
}

/* Lines count from 1, columns in characters from 1. */
static uint32_t offset_of(gramc_text text, uint32_t line, uint32_t column) {
    size_t i = 0;
    for (uint32_t at = 1; at < line && i < text.len; i++) at += text.ptr[i] == '\n';
    for (uint32_t at = 1; at < column && i < text.len; at++) text_decode(text, &i);
    return (uint32_t)i;
}

static void report_findings(gramc_bound *bound, const struct http_box *box,
                            const struct toolbox *toolbox) {
    for (const struct toolbox_finding *f = toolbox->findings; f; f = f->next) {
        uint32_t at = offset_of(box->text, f->line, f->column);
        struct bind_place place = {box->file, at, at};
        bound_report(bound, f->severity, &place, arena_text(&bound->arena, f->message),
                     arena_text(&bound->arena, f->help));
    }
}

static void free_toolbox(void *toolbox) {
    toolbox_free(toolbox);
}

static const struct toolbox *read_file(struct http_binder *binder, struct http_box *box,
                                       gramc_reader reader) {
    gramc_bound *bound = binder->bound;
    struct toolbox *toolbox;
    box->file = join_path(&bound->arena, box->box);
    if (!box->file.ptr) return NULL;
    int failure = reader.read ? reader.read(reader.ctx, box->file, &box->text) : GRAMC_NOT_FOUND;
    if (failure == GRAMC_NOMEM) bound->arena.oom = true;
    else if (failure) http_bind_wrong(binder, "its file cannot be read", "", "");
    if (failure) return NULL;
    gramc_status status =
        toolbox_read(&toolbox, &bound->arena.allocator, box->file, box->text, box->box->literal);
    if (status == GRAMC_NOMEM) bound->arena.oom = true;
    else if (bound_own(bound, free_toolbox, toolbox)) {
        report_findings(bound, box, toolbox);
        return status == GRAMC_OK ? toolbox : NULL;
    }
    return NULL;
}

/* ## The upstream */

/* The one that is called as the box, or the only one. */
static const struct toolbox_upstream *
choose_upstream(struct http_binder *binder, const struct toolbox *toolbox, gramc_text name) {
    const struct toolbox_upstream *named = toolbox_upstream(toolbox, name);
    if (named) return named;
    if (!toolbox->upstreams) http_bind_wrong(binder, "there is no upstream in its file", "", "");
    else if (toolbox->upstreams->next)
        http_bind_wrong(binder, "there are several upstreams in its file, and none of its name", "",
                        "call the box as the upstream that it stands for");
    else return toolbox->upstreams;
    return NULL;
}

static void choose_url(struct http_binder *binder, struct http_box *box) {
    box->url = box->box->url.len ? box->box->url : box->upstream->url;
    if (box->url.len == 0) {
        http_bind_wrong(binder, "neither the library nor the file says its url", "",
                        "say url: \"http://...\" in the library");
        return;
    }
    const char *problem = http_origin_problem(box->url);
    if (problem) http_bind_wrong(binder, "in its url, ", problem, "");
}

static void offer(struct arena *arena, struct http_box *box) {
    struct offered_tool *tools = arena_array(arena, box->upstream->tool_count + 1, sizeof(*tools));
    size_t count = 0;
    if (!tools) return;
    for (const struct toolbox_tool *tool = box->upstream->tools; tool; tool = tool->next)
        tools[count++] = (struct offered_tool){
            .name = tool->name, .description = tool->description, .accepts = tool->parameters};
    box->offered =
        (struct offered_box){.name = box->box->name, .tools = tools, .tool_count = count};
}

const struct http_box *http_box_open(gramc_bound *bound, const gramc_box *given,
                                     gramc_reader reader) {
    struct http_binder binder = {.bound = bound,
                                 .place = {given->file, given->start, given->end},
                                 .who = http_bind_who(bound, "box", given->name)};
    struct http_box *box = ARENA_NEW(&bound->arena, struct http_box);
    if (!box) return NULL;
    box->box = given;
    const struct toolbox *toolbox = read_file(&binder, box, reader);
    if (!toolbox) return NULL;
    box->upstream = choose_upstream(&binder, toolbox, given->name);
    if (!box->upstream) return NULL;
    choose_url(&binder, box);
    box->headers = http_bind_headers(&binder, given->headers, given->header_count);
    box->header_count = given->header_count;
    offer(&bound->arena, box);
    return binder.failed || bound->arena.oom ? NULL : box;
}

/* ## Its tools */

const struct http_endpoint *http_box_endpoint(gramc_bound *bound, const struct http_box *box,
                                              gramc_text name) {
    const struct toolbox_tool *tool = toolbox_tool(box->upstream, name);
    uint32_t at = offset_of(box->text, tool->line, tool->column);
    struct http_binder binder = {.bound = bound,
                                 .place = {box->file, at, at},
                                 .who = http_bind_who(bound, "tool", tool->name)};
    struct http_endpoint *endpoint = ARENA_NEW(&bound->arena, struct http_endpoint);
    if (!endpoint) return NULL;
    http_bind_secrets(&binder, "in its path, ", &tool->call.path);
    for (size_t i = 0; i < tool->call.header_count; i++)
        http_bind_secrets(&binder, "in a header, ", &tool->call.headers[i].value);
    http_bind_secrets(&binder, "in its body, ", &tool->call.body);
    *endpoint = (struct http_endpoint){.url = box->url,
                                       .headers = box->headers,
                                       .header_count = box->header_count,
                                       .call = &tool->call,
                                       .secrets = bound->secrets};
    return binder.failed ? NULL : endpoint;
}
