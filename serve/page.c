/* The chat page (chat.html, which the build turns into bytes): one document with its style and its
 * script, which the browser lets in by a number that is new with each answer, and nothing else. */
#include "serve/answering.h"

#include "base/text.h"
#include "page.h"

#define NONCE "@NONCE@"

enum { PAGE_MAX = 1 << 20, NONCE_BYTES = 16, POLICY_MAX = 512 };

static bool make_nonce(struct buf *out) {
    unsigned char bytes[NONCE_BYTES];
    if (uv_random(NULL, NULL, bytes, sizeof(bytes), 0, NULL)) return false;
    for (size_t i = 0; i < sizeof(bytes); i++) buf_printf(out, "%02x", bytes[i]);
    return buf_status(out) == GRAMC_OK;
}

static void put_page(struct buf *out, gramc_text page, gramc_text nonce) {
    size_t mark = sizeof(NONCE) - 1;
    for (size_t i = 0; i < page.len; i++) {
        if (page.len - i < mark || memcmp(page.ptr + i, NONCE, mark) != 0) {
            buf_putc(out, page.ptr[i]);
            continue;
        }
        buf_text(out, nonce);
        i += mark - 1;
    }
}

static void answer_with(struct asked *asked, gramc_text nonce) {
    const gramc_text page = {(const char *)page_bytes, sizeof(page_bytes)};
    struct buf policy, out;
    buf_init(&policy, &asked->service->allocator, POLICY_MAX);
    buf_init(&out, &asked->service->allocator, PAGE_MAX);
    buf_printf(&policy,
               "default-src 'none'; script-src 'nonce-%.*s'; style-src 'nonce-%.*s'; connect-src "
               "'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
               TEXT_ARGS(nonce), TEXT_ARGS(nonce));
    put_page(&out, page, nonce);
    asked->policy = arena_text(&asked->arena, buf_view(&policy)).ptr;
    buf_free(&policy);
    if (asked->policy && !buf_status(&out)) {
        reply_json(asked, 200, &out);
        asked->content_type = "text/html; charset=utf-8";
        return;
    }
    buf_free(&out);
    reply_nomem(asked);
}

void answer_page(struct asked *asked) {
    struct buf nonce;
    buf_init(&nonce, &asked->service->allocator, 2 * NONCE_BYTES);
    if (make_nonce(&nonce)) answer_with(asked, buf_view(&nonce));
    else reply_nomem(asked);
    buf_free(&nonce);
}
