/* The access log: a line for each request when it is over. Paths are hostile text; queries, bodies
 * and headers are not shown at all, since they hold what was said, tokens and session ids. */
#include "serve/service.h"

#include "base/text.h"

enum { LOG_LINE_MAX = 2048, SHOWN_PATH = 200 };

static void put_safe(struct buf *out, gramc_text text) {
    for (size_t i = 0; i < text.len && i < SHOWN_PATH; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c > ' ' && c < 0x7F && c != '"' && c != '\\') buf_putc(out, (char)c);
        else buf_printf(out, "\\x%02x", c);
    }
    if (text.len > SHOWN_PATH) buf_puts(out, "...");
}

static void write_line(const struct service *service, struct buf *line) {
    gramc_writer log = service->options.log;
    buf_putc(line, '\n');
    if (log.write && !buf_status(line)) (void)log.write(log.ctx, line->ptr, line->len);
    buf_free(line);
}

void log_line(const struct service *service, const char *format, ...) {
    struct buf line;
    va_list args;
    buf_init(&line, &service->allocator, LOG_LINE_MAX);
    va_start(args, format);
    buf_vprintf(&line, format, args);
    va_end(args);
    write_line(service, &line);
}

/* Ids of sessions are secrets. */
static gramc_text shown_path(const struct asked *asked) {
    if (text_starts(asked->path, "/v1/sessions/")) return TEXT("/v1/sessions/*");
    return asked->path.len ? asked->path : TEXT("-");
}

static void put_time(struct buf *line, uint64_t began_ns) {
    unsigned long long us = (uv_hrtime() - began_ns) / 1000;
    buf_printf(line, " %llu.%03llu ms", us / 1000, us % 1000);
}

void log_request(const struct asked *asked, const char *note) {
    struct buf line;
    if (!asked->service->options.log.write) return;
    buf_init(&line, &asked->service->allocator, LOG_LINE_MAX);
    put_safe(&line, asked->method.len ? asked->method : TEXT("-"));
    buf_putc(&line, ' ');
    put_safe(&line, shown_path(asked));
    buf_printf(&line, " %u %zu bytes", asked->status, asked->sent ? asked->bytes : 0);
    put_time(&line, asked->began_ns);
    buf_puts(&line, note);
    write_line(asked->service, &line);
}

void log_connection(const struct incoming *connection) {
    struct buf line;
    buf_init(&line, &connection->service->allocator, LOG_LINE_MAX);
    buf_puts(&line, "- - 0 0 bytes");
    put_time(&line, connection->began_ns);
    buf_puts(&line, connection->is_too_slow ? ", too slow" : ", no request");
    write_line(connection->service, &line);
}
