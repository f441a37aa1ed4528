/* Fuzzes the reader of server-sent events: whatever the bytes, the same events come out in one part
 * and byte by byte. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/net/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_EVENT = 4096 };

static void demand(bool condition) {
    if (!condition) abort();
}

static void put_event(struct buf *out, const struct sse_event *event) {
    demand(event->type.len > 0 && event->data.len < MAX_EVENT);
    buf_text(out, event->type);
    buf_putc(out, '\0');
    buf_text(out, event->data);
    buf_putc(out, '\0');
}

static gramc_status read_all(struct buf *out, gramc_text stream, size_t part) {
    struct sse sse;
    struct sse_event event;
    sse_init(&sse, NULL, MAX_EVENT);
    for (size_t at = 0; at < stream.len; at += part) {
        size_t end = stream.len - at < part ? stream.len : at + part;
        gramc_text bytes = text_slice(stream, at, end);
        while (sse_next(&sse, &bytes, &event)) put_event(out, &event);
        demand(sse.status != GRAMC_OK || bytes.len == 0);
    }
    if (sse_end(&sse, &event)) put_event(out, &event);
    buf_text(out, buf_view(&sse.last_id));
    buf_printf(out, " %ld", (long)sse.retry_ms);
    gramc_status status = sse.status;
    sse_free(&sse);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct buf whole, bytes;
    gramc_text stream = {(const char *)data, size};
    if (size > 1 << 16) return 0;
    buf_init(&whole, NULL, 1 << 20);
    buf_init(&bytes, NULL, 1 << 20);
    gramc_status status = read_all(&whole, stream, size + 1);
    demand(read_all(&bytes, stream, 1) == status);
    if (status == GRAMC_OK) demand(text_eq(buf_view(&whole), buf_view(&bytes)));
    buf_free(&whole);
    buf_free(&bytes);
    return 0;
}
