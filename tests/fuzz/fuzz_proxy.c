/* Requests to a proxy, out of any bytes: what is taken is read the same way again by whoever gets
 * the head that is sent on, and it asks for the host that was judged. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/net/proxy_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool truth) {
    if (!truth) abort();
}

static size_t count_of(gramc_text text, const char *piece) {
    size_t len = strlen(piece), count = 0;
    for (size_t i = 0; i + len <= text.len; i++)
        count += text_is_nocase(text_slice(text, i, i + len), piece);
    return count;
}

/* One head, with lines that end in CR and LF alone. */
static void judge(const struct proxy_request *request, gramc_text head) {
    expect(request->host[0] && request->port);
    if (request->is_tunnel) {
        expect(head.len == 0);
        return;
    }
    expect(count_of(head, "\r\n\r\n") == 1 && count_of(head, "\n") == count_of(head, "\r\n"));
    expect(count_of(head, "\nhost:") == 1 && count_of(head, "\nconnection:") == 1);
    expect(count_of(head, "\ncontent-length:") + count_of(head, "\ntransfer-encoding:") <= 1);
    expect(count_of(head, request->host) >= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gramc_allocator allocator = mem_default();
    struct proxy_request request, again;
    struct buf forward, other;
    const char *why, *same;
    gramc_text bytes = {(const char *)data, size};
    buf_init(&forward, &allocator, 1 << 20);
    buf_init(&other, &allocator, 1 << 20);
    enum proxy_verdict verdict = proxy_request_read(&request, bytes, &forward, &why);
    if (verdict == PROXY_WRONG) expect(why && *why);
    if (verdict == PROXY_FINE) {
        expect(request.head_len <= size);
        judge(&request, buf_view(&forward));
        gramc_text head = text_slice(bytes, 0, request.head_len);
        expect(proxy_request_read(&again, head, &other, &same) == PROXY_FINE);
        expect(text_eq(buf_view(&forward), buf_view(&other)));
    }
    buf_free(&forward);
    buf_free(&other);
    return 0;
}
