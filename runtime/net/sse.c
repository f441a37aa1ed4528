/* Cuts a stream of bytes into lines, whatever ends them, and lines into events. Keeps the last id
 * and the time that the server wants waited, for who connects again; what an event says is left to
 * others. */
#include "runtime/net/sse.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"

enum { TYPE_MAX = 256, RETRY_DIGITS = 9, SEARCHED = 256 };

void sse_init(struct sse *sse, const gramc_allocator *allocator, size_t max) {
    *sse = (struct sse){.retry_ms = -1};
    buf_init(&sse->line, allocator, max);
    buf_init(&sse->data, allocator, max);
    buf_init(&sse->type, allocator, TYPE_MAX);
    buf_init(&sse->last_id, allocator, SSE_ID_MAX);
}

void sse_free(struct sse *sse) {
    buf_free(&sse->line);
    buf_free(&sse->data);
    buf_free(&sse->type);
    buf_free(&sse->last_id);
}

void sse_restart(struct sse *sse) {
    buf_reset(&sse->line);
    buf_reset(&sse->data);
    buf_reset(&sse->type);
    sse->told = sse->started = sse->after_cr = false;
}

/* ## Fields */

/* An id with a NUL is passed over, as the standard says, and so is one of no sensible length. */
static void take_id(struct sse *sse, gramc_text value) {
    if (value.len > SSE_ID_MAX || (value.len && memchr(value.ptr, '\0', value.len))) return;
    buf_reset(&sse->last_id);
    buf_text(&sse->last_id, value);
}

static void take_retry(struct sse *sse, gramc_text value) {
    int64_t number;
    if (value.len <= RETRY_DIGITS && number_to_int(&number, value) && number >= 0)
        sse->retry_ms = number;
}

static void take_type(struct sse *sse, gramc_text value) {
    buf_reset(&sse->type);
    buf_text(&sse->type, value.len <= TYPE_MAX ? value : TEXT("too long"));
}

static void take_data(struct sse *sse, gramc_text value) {
    buf_text(&sse->data, value);
    buf_putc(&sse->data, '\n');
    sse->told = true;
}

static void take_field(struct sse *sse, gramc_text name, gramc_text value) {
    static const struct {
        const char *name;
        void (*take)(struct sse *sse, gramc_text value);
    } fields[] = {
        {"data", take_data}, {"event", take_type}, {"id", take_id}, {"retry", take_retry}};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (text_is(name, fields[i].name)) fields[i].take(sse, value);
}

/* A line that begins with a colon is a comment: its name is empty. */
static void take_line(struct sse *sse, gramc_text line) {
    const char *colon = line.len ? memchr(line.ptr, ':', line.len) : NULL;
    size_t name = colon ? (size_t)(colon - line.ptr) : line.len;
    size_t value = colon ? name + 1 : line.len;
    if (value < line.len && line.ptr[value] == ' ') value++;
    take_field(sse, text_slice(line, 0, name), text_slice(line, value, line.len));
}

/* ## Lines and events */

static gramc_status worst(const struct sse *sse) {
    bool fine = sse->line.state == BUF_FINE && sse->data.state == BUF_FINE &&
                sse->type.state == BUF_FINE && sse->last_id.state == BUF_FINE;
    if (fine) return GRAMC_OK;
    const struct buf *bufs[] = {&sse->line, &sse->data, &sse->type, &sse->last_id};
    for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
        if (buf_status(bufs[i]) != GRAMC_OK) return buf_status(bufs[i]);
    return GRAMC_OK;
}

/* The standard drops events without any data line; so do we. */
static bool give_event(struct sse *sse, struct sse_event *event) {
    if (!sse->told) {
        buf_reset(&sse->type);
        return false;
    }
    event->data = text_slice(buf_view(&sse->data), 0, sse->data.len - 1);
    event->type = sse->type.len ? buf_view(&sse->type) : TEXT("message");
    sse->told = false;
    return true;
}

/* The bytes of an event are kept until the next line begins one. */
static void begin_event(struct sse *sse) {
    if (sse->told) return;
    if (sse->data.len) {
        buf_reset(&sse->data);
        buf_reset(&sse->type);
    }
}

static gramc_text without_mark(struct sse *sse, gramc_text line) {
    bool first = !sse->started;
    sse->started = true;
    return first && text_starts(line, "\xEF\xBB\xBF") ? text_slice(line, 3, line.len) : line;
}

/* True if the line ends an event. */
static bool end_line(struct sse *sse, gramc_text line, struct sse_event *event) {
    line = without_mark(sse, line);
    begin_event(sse);
    bool ended = line.len == 0 && give_event(sse, event);
    if (line.len) take_line(sse, line);
    buf_reset(&sse->line);
    return ended;
}

/* By pieces, so that a stream without line feeds is not searched for one again with each line. */
static size_t line_length(gramc_text bytes) {
    for (size_t at = 0, len; at < bytes.len; at += len) {
        len = bytes.len - at < SEARCHED ? bytes.len - at : SEARCHED;
        const char *piece = bytes.ptr + at, *feed = memchr(piece, '\n', len);
        if (feed) len = (size_t)(feed - piece);
        const char *cr = memchr(piece, '\r', len);
        if (cr) return at + (size_t)(cr - piece);
        if (feed) return at + len;
    }
    return bytes.len;
}

bool sse_next(struct sse *sse, gramc_text *bytes, struct sse_event *event) {
    while (bytes->len && sse->status == GRAMC_OK) {
        if (sse->after_cr && bytes->ptr[0] == '\n') *bytes = text_slice(*bytes, 1, bytes->len);
        sse->after_cr = false;
        size_t len = line_length(*bytes);
        bool whole = len < bytes->len, at_once = whole && !sse->line.len && len <= sse->line.max;
        gramc_text line = {bytes->ptr, len};
        if (!at_once) {
            buf_put(&sse->line, bytes->ptr, len);
            line = buf_view(&sse->line);
        }
        sse->after_cr = whole && bytes->ptr[len] == '\r';
        *bytes = text_slice(*bytes, len + whole, bytes->len);
        bool ended = whole && worst(sse) == GRAMC_OK && end_line(sse, line, event);
        sse->status = worst(sse);
        if (ended && sse->status == GRAMC_OK) return true;
    }
    return false;
}

bool sse_end(struct sse *sse, struct sse_event *event) {
    if (sse->status != GRAMC_OK) return false;
    if (sse->line.len) (void)end_line(sse, buf_view(&sse->line), event);
    sse->status = worst(sse);
    return sse->status == GRAMC_OK && give_event(sse, event);
}
