/* Asks and frees toolboxes, makes ids, prints findings. Reading them is read.c's work. */
#include "toolbox/toolbox.h"
#include "gramc/jolt.h"

#include <string.h>

#include "base/text.h"

/* ## HTTP */

const char *const http_method_names[METHODS] = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"};

bool http_method_has_body(enum http_method method) {
    return method != METHOD_GET && method != METHOD_HEAD;
}

static bool is_token(gramc_text name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && !(c && strchr("!#$%&'*+-.^_`|~", c))) return false;
    }
    return name.len > 0;
}

/* What makes up a message's frame is ours to say. */
static bool is_framing(gramc_text name) {
    static const char *const framing[] = {
        "Content-Length", "Transfer-Encoding", "Connection", "Host", "Expect", "TE", "Trailer",
        "Upgrade"};
    for (size_t i = 0; i < sizeof(framing) / sizeof(framing[0]); i++)
        if (text_is_nocase(name, framing[i])) return true;
    return false;
}

const char *http_header_problem(gramc_text name) {
    if (!is_token(name)) return "is no header name";
    return is_framing(name) ? "is set by gramc itself" : NULL;
}

/* ## Asking */

const struct toolbox_upstream *toolbox_upstream(const struct toolbox *toolbox, gramc_text name) {
    for (const struct toolbox_upstream *u = toolbox->upstreams; u; u = u->next)
        if (text_eq(u->name, name)) return u;
    return NULL;
}

const struct toolbox_upstream *toolbox_choose(const struct toolbox *toolbox, gramc_text box,
                                              const char **why) {
    const struct toolbox_upstream *named = toolbox_upstream(toolbox, box);
    if (named) return named;
    *why = "there is no upstream in its file";
    if (!toolbox->upstreams) return NULL;
    *why = "there are several upstreams in its file, and none of its name";
    return toolbox->upstreams->next ? NULL : toolbox->upstreams;
}

const struct toolbox_tool *toolbox_tool(const struct toolbox_upstream *upstream, gramc_text name) {
    for (const struct toolbox_tool *tool = upstream->tools; tool; tool = tool->next)
        if (text_eq(tool->name, name)) return tool;
    for (const struct toolbox_tool *tool = upstream->tools; tool; tool = tool->next)
        if (text_eq(tool->id, name)) return tool;
    return NULL;
}

uint32_t toolbox_offset(gramc_text file, uint32_t line, uint32_t column) {
    size_t i = 0;
    for (uint32_t at = 1; at < line && i < file.len; i++) at += file.ptr[i] == '\n';
    for (uint32_t at = 1; at < column && i < file.len && file.ptr[i] != '\n'; at++)
        text_decode(file, &i);
    return (uint32_t)i;
}

void toolbox_free(struct toolbox *toolbox) {
    if (!toolbox) return;
    for (struct toolbox_upstream *u = toolbox->upstreams; u; u = u->next)
        for (struct toolbox_tool *tool = u->tools; tool; tool = tool->next)
            gramc_jolt_free(tool->call.transform);
    gramc_allocator allocator = toolbox->arena.allocator;
    arena_free(&toolbox->arena);
    mem_free(&allocator, toolbox, sizeof(*toolbox));
}

/* ## Ids */

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || is_upper(c) || (c >= '0' && c <= '9') ||
           ((unsigned char)c & 0x80);
}

/* A capital behind a small letter or a digit begins a word; runs of capitals are one. */
static void put_snake(struct buf *out, gramc_text name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool begins = is_upper(c) && i && is_word(name.ptr[i - 1]) && !is_upper(name.ptr[i - 1]);
        if (begins) buf_putc(out, '_');
        buf_putc(out, is_upper(c) ? (char)(c + 32) : is_word(c) ? c : '_');
    }
}

void toolbox_put_id(struct buf *out, gramc_text upstream, gramc_text tool) {
    put_snake(out, upstream);
    buf_putc(out, '_');
    put_snake(out, tool);
}

/* ## Findings */
