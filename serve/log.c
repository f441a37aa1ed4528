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

void log_request(const struct asked *asked, bool complete) {
    struct buf line;
    unsigned long long us = (uv_hrtime() - asked->began_ns) / 1000;
    buf_init(&line, &asked->service->allocator, LOG_LINE_MAX);
    put_safe(&line, asked->method.len ? asked->method : TEXT("-"));
    buf_putc(&line, ' ');
    put_safe(&line, shown_path(asked));
    buf_printf(&line, " %u %zu bytes %llu.%03llu ms", asked->status, asked->sent ? asked->bytes : 0,
               us / 1000, us % 1000);
    if (!complete) buf_puts(&line, ", broken off");
    write_line(asked->service, &line);
}
