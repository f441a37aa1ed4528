/* Takes the pieces of a streamed answer from its connection to the stream that puts them together
 * (stream.h), tells what the model says as it says it, and watches that something comes. At the end
 * the request holds the body that an unstreamed answer would have had, for model_endpoint.c. */
#include "runtime/model_stream.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "runtime/run.h"
#include "runtime/secret.h"

enum { LINGER_MS = 500 /* for a server that has said all and does not close */ };

struct answer_pieces {
    struct stream stream;
    struct buf held; /* of its text, that nobody was told yet */
    bool lingers;    /* only the end is waited for */
    uint64_t heard;  /* when bytes came last, by the loop; 0: none have */
};

/* ## Pieces for those who watch */

static void init_copy(const struct ask *ask, struct buf *copy) {
    buf_init(copy, &ask->run->loop->allocator, 2 * ask->run->model->max_response + 1024);
}

/* A character that is not whole waits, too. */
static size_t settled(const struct ask *ask) {
    gramc_text held = buf_view(&ask->pieces->held);
    size_t len = secrets_settled(ask->run->loop->secrets, held, SECRET_SURE), last = len;
    while (last && len - last < 3 && ((unsigned char)held.ptr[last - 1] & 0xC0) == 0x80) last--;
    size_t start = last ? last - 1 : 0, end = start;
    if (len && len == held.len && (unsigned char)held.ptr[start] >= 0xC0 &&
        text_decode(held, &end) == 0xFFFFFFFF)
        return start;
    return len;
}

/* As traces and answers hide it. */
static void tell(struct ask *ask, size_t len) {
    struct buf copy;
    if (len == 0) return;
    init_copy(ask, &copy);
    buf_text(&copy, text_slice(buf_view(&ask->pieces->held), 0, len));
    secrets_hide_from(ask->run->loop->secrets, &copy, SECRET_SURE);
    memmove(ask->pieces->held.ptr, ask->pieces->held.ptr + len, ask->pieces->held.len - len);
    ask->pieces->held.len -= len;
    if (buf_status(&copy)) ask->pieces->stream.status = buf_status(&copy);
    else watch_delta(&ask->run->watch, buf_view(&copy));
    ask->delta_told = true;
    buf_free(&copy);
}

static void tell_deltas(struct ask *ask, bool last) {
    gramc_text delta = stream_delta(&ask->pieces->stream);
    if (!ask->run->watch.event) return;
    buf_text(&ask->pieces->held, delta);
    if (buf_status(&ask->pieces->held)) ask->pieces->stream.status = buf_status(&ask->pieces->held);
    else tell(ask, last ? ask->pieces->held.len : settled(ask));
}

/* ## While it comes */

static bool has_answer(const struct http_request *http) {
    return http->status >= 200 && http->status <= 299;
}

static enum http_failure failure_of(gramc_status status) {
    return status == GRAMC_LIMIT ? HTTP_TOO_BIG : HTTP_NOMEM;
}

static void give_up(struct ask *ask, enum http_failure failure) {
    http_cancel(&ask->http);
    ask->http.failure = failure;
    ask->http.done(&ask->http);
}

static void check_idle(uv_timer_t *timer) {
    struct ask *ask = timer->data;
    uint64_t most = ask->pieces->stream.ended ? LINGER_MS : ask->run->model->idle_timeout_ms;
    uint64_t silent = uv_now(timer->loop) - ask->pieces->heard;
    if (silent < most) {
        uv_timer_start(timer, check_idle, most - silent, 0);
        return;
    }
    snprintf(ask->http.error, sizeof(ask->http.error), "nothing more of it came for %u ms",
             (unsigned)most);
    give_up(ask, HTTP_TIMED_OUT);
}

static void watch_silence(struct ask *ask) {
    bool first = ask->pieces->heard == 0,
         lingers = ask->pieces->stream.ended && !ask->pieces->lingers;
    ask->pieces->heard = uv_now(&ask->run->loop->uv);
    ask->pieces->lingers = ask->pieces->stream.ended;
    if (lingers) ask_wait(ask, check_idle, LINGER_MS);
    else if (first) ask_wait(ask, check_idle, ask->run->model->idle_timeout_ms);
}

static void on_data(struct http_request *http) {
    struct ask *ask = http->ctx;
    gramc_text bytes = buf_view(&http->response);
    if (!has_answer(http) || buf_status(&http->response)) return;
    stream_feed(&ask->pieces->stream, &bytes);
    if (bytes.len == 0) buf_reset(&http->response);
    if (ask->pieces->stream.status == GRAMC_OK) tell_deltas(ask, false);
    if (ask->pieces->stream.status) give_up(ask, failure_of(ask->pieces->stream.status));
    else watch_silence(ask);
}

bool streamed_begin(struct ask *ask) {
    const gramc_model *model = ask->run->model;
    const gramc_allocator *allocator = &ask->run->loop->allocator;
    streamed_free(ask);
    ask->http.data = NULL;
    if (!ask->run->stream) return true;
    struct answer_pieces *pieces = mem_alloc(allocator, sizeof(*pieces));
    if (!pieces) return false;
    *pieces = (struct answer_pieces){.heard = 0};
    stream_init(&pieces->stream, model->protocol->stream, allocator, model->max_response);
    init_copy(ask, &pieces->held);
    ask->pieces = pieces;
    ask->http.data = on_data;
    return true;
}

void streamed_free(struct ask *ask) {
    struct answer_pieces *pieces = ask->pieces;
    if (!pieces) return;
    stream_free(&pieces->stream);
    buf_free(&pieces->held);
    mem_free(&ask->run->loop->allocator, pieces, sizeof(*pieces));
    ask->pieces = NULL;
}

/* ## The end */

/* The body is put together where the pieces came. */
static void put_together(struct ask *ask) {
    struct http_request *http = &ask->http;
    buf_reset(&http->response);
    stream_body(&ask->pieces->stream, &http->response);
    if (buf_status(&http->response)) http->failure = failure_of(buf_status(&http->response));
}

gramc_text streamed_end(struct ask *ask) {
    struct http_request *http = &ask->http;
    if (ask->timer_open) uv_timer_stop(&ask->timer);
    if (!ask->pieces || !has_answer(http)) return TEXT("");
    struct stream *stream = &ask->pieces->stream;
    if (stream->status == GRAMC_OK) stream_end(stream, buf_view(&http->response));
    if (stream->status == GRAMC_OK && stream->finished) tell_deltas(ask, true);
    if (stream->status) http->failure = failure_of(stream->status);
    if (stream->status || stream->framing == STREAM_UNDECIDED || stream->framing == STREAM_PLAIN)
        return TEXT("");
    bool told = stream->finished || stream->error.len;
    if (told) http->failure = HTTP_FINE;
    put_together(ask);
    if (stream->finished) streamed_free(ask);
    return told ? TEXT("") : TEXT("the stream ended before the answer was complete");
}

gramc_text streamed_part(const struct ask *ask, struct arena *arena) {
    gramc_text text = {NULL, 0};
    struct buf copy;
    if (!ask->pieces || ask->pieces->stream.fields[STREAM_TEXT].len == 0) return text;
    init_copy(ask, &copy);
    buf_text(&copy, stream_text(&ask->pieces->stream, STREAM_TEXT));
    secrets_hide_cut(ask->run->loop->secrets, &copy, CUT_AT_END);
    if (buf_status(&copy) == GRAMC_OK) text = arena_text(arena, buf_view(&copy));
    buf_free(&copy);
    return text;
}
