/* Turns bytes into messages, and answers into bytes. A request that is cancelled while it waits is
 * marked here, and never begun. */
#include "lsp/message.h"

#include <stdio.h>

enum { LARGEST_MESSAGE = 1 << 29, LARGEST_HEADER = 4096 };

/* ## In */

static void cancel(struct lsp *lsp, const struct json *params) {
    const struct json *id = json_get(params, "id");
    for (struct lsp_message *m = lsp->first; m && id; m = m->next) {
        const struct json *other = json_get(m->root, "id");
        if (other && json_get(m->root, "method") && json_equal(id, other)) m->is_cancelled = true;
    }
}

static bool enqueue(struct lsp *lsp, gramc_text body) {
    struct lsp_message *message = mem_alloc(&lsp->host.allocator, sizeof *message);
    if (!message) return false;
    *message = (struct lsp_message){.next = NULL};
    arena_init(&message->arena, &lsp->host.allocator);
    gramc_text bytes = arena_text(&message->arena, body);
    if (bytes.ptr) bytes = json_mended(&message->arena, bytes);
    if (bytes.ptr) message->root = json_parse(&message->arena, bytes, NULL);
    if (message->arena.oom) {
        message_free(lsp, message);
        return false;
    }
    const struct json *method = json_get(message->root, "method");
    if (json_is(method, JSON_STRING) && text_is(method->text, "$/cancelRequest")) {
        cancel(lsp, json_get(message->root, "params"));
        message_free(lsp, message);
        return true;
    }
    if (lsp->last) lsp->last->next = message;
    else lsp->first = message;
    lsp->last = message;
    return true;
}

/* What `Content-Length` says in a header; SIZE_MAX: nothing that can be understood. */
static size_t content_length(gramc_text header) {
    size_t found = SIZE_MAX;
    for (size_t start = 0; start < header.len;) {
        size_t end = start;
        while (end < header.len && header.ptr[end] != '\r' && header.ptr[end] != '\n') end++;
        gramc_text line = text_slice(header, start, end), name = text_slice(line, 0, 15);
        if (line.len > 15 && text_is_nocase(name, "content-length:")) {
            gramc_text digits = text_trim(text_slice(line, 15, line.len));
            found = digits.len ? 0 : SIZE_MAX;
            for (size_t i = 0; i < digits.len && found <= LARGEST_MESSAGE; i++)
                found = digits.ptr[i] >= '0' && digits.ptr[i] <= '9'
                            ? found * 10 + (size_t)(digits.ptr[i] - '0')
                            : SIZE_MAX;
        }
        start = end + 1;
    }
    return found <= LARGEST_MESSAGE ? found : SIZE_MAX;
}

/* Where a header ends, blank line included; 0: not yet. */
static size_t header_end(gramc_text bytes) {
    for (size_t i = 0; i + 3 < bytes.len && i < LARGEST_HEADER; i++)
        if (memcmp(bytes.ptr + i, "\r\n\r\n", 4) == 0) return i + 4;
    return 0;
}

bool messages_take(struct lsp *lsp) {
    size_t taken = 0;
    bool good = true;
    for (;;) {
        gramc_text rest = text_slice(buf_view(&lsp->in), taken, lsp->in.len);
        size_t head = header_end(rest);
        if (!head) {
            good = rest.len < LARGEST_HEADER;
            break;
        }
        size_t len = content_length(text_slice(rest, 0, head));
        good = len != SIZE_MAX;
        if (!good || rest.len - head < len) break;
        good = enqueue(lsp, text_slice(rest, head, head + len));
        if (!good) break;
        taken += head + len;
    }
    if (taken) {
        memmove(lsp->in.ptr, lsp->in.ptr + taken, lsp->in.len - taken + 1);
        lsp->in.len -= taken;
    }
    return good && lsp->in.state == BUF_FINE;
}

struct lsp_message *message_next(struct lsp *lsp) {
    struct lsp_message *message = lsp->first;
    if (!message) return NULL;
    lsp->first = message->next;
    if (!lsp->first) lsp->last = NULL;
    return message;
}

void message_free(struct lsp *lsp, struct lsp_message *message) {
    arena_free(&message->arena);
    mem_free(&lsp->host.allocator, message, sizeof *message);
}

void messages_free(struct lsp *lsp) {
    struct lsp_message *message;
    while ((message = message_next(lsp)) != NULL) message_free(lsp, message);
}

/* ## Out */

static void send(struct lsp *lsp) {
    char head[64];
    int len = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", lsp->out.len);
    bool good = lsp->out.state == BUF_FINE && len > 0;
    if (good) good = lsp->host.write(lsp->host.ctx, head, (size_t)len) == 0;
    if (good) good = lsp->host.write(lsp->host.ctx, lsp->out.ptr, lsp->out.len) == 0;
    if (!good) lsp->state = LSP_OVER;
}

static struct json_writer begin(struct lsp *lsp) {
    buf_reset(&lsp->out);
    struct json_writer w = json_writer(&lsp->out);
    json_object_begin(&w);
    json_member_text(&w, "jsonrpc", TEXT("2.0"));
    return w;
}

struct json_writer notify_begin(struct lsp *lsp, const char *method) {
    struct json_writer w = begin(lsp);
    json_member_text(&w, "method", text_of(method));
    json_member_object(&w, "params");
    return w;
}

void notify_end(struct lsp *lsp, struct json_writer *w) {
    json_object_end(w);
    json_object_end(w);
    send(lsp);
}

struct json_writer response_begin(struct lsp *lsp, const struct json *id) {
    struct json_writer w = begin(lsp);
    if (id) json_member_value(&w, "id", id);
    else json_member_raw(&w, "id", TEXT("null"));
    json_key(&w, "result");
    return w;
}

void response_end(struct lsp *lsp, struct json_writer *w) {
    json_object_end(w);
    send(lsp);
}

void response_error(struct lsp *lsp, const struct json *id, int code, const char *message) {
    struct json_writer w = begin(lsp);
    if (id) json_member_value(&w, "id", id);
    else json_member_raw(&w, "id", TEXT("null"));
    json_member_object(&w, "error");
    json_key(&w, "code");
    buf_printf(json_slot(&w), "%d", code);
    json_member_text(&w, "message", text_of(message));
    json_object_end(&w);
    json_object_end(&w);
    send(lsp);
}
