/* Answers that come in pieces: what a run writes waits in a buffer until the library asks for it,
 * and the connection is suspended while there is nothing. A client that takes nothing costs a
 * buffer of a stated size, and then its run. */
#include "serve/service.h"

#include "base/text.h"

enum { BLOCK = 16 << 10, KEEP_ALIVE_S = 15 };

struct outpour {
    struct service *service;
    struct asked *asked; /* NULL: the request is over */
    struct buf waiting;
    size_t taken; /* of it */
    bool is_suspended, is_over, is_broken, is_attached;
    uint64_t told_ns; /* when something came last */
};

bool outpour_begin(struct asked *asked) {
    struct service *service = asked->service;
    struct outpour *made = mem_alloc(&service->allocator, sizeof(*made));
    if (!made) return false;
    *made = (struct outpour){.service = service, .asked = asked, .told_ns = uv_hrtime()};
    buf_init(&made->waiting, &service->allocator, SERVE_STREAM_MAX);
    asked->stream = made;
    asked->status = 200;
    asked->content_type = "text/event-stream";
    return true;
}

static void free_outpour(void *ctx) {
    struct outpour *stream = ctx;
    if (stream->asked) stream->asked->stream = NULL;
    buf_free(&stream->waiting);
    mem_free(&stream->service->allocator, stream, sizeof(*stream));
}

void outpour_drop(struct asked *asked) {
    struct outpour *stream = asked->stream;
    if (!stream) return;
    asked->stream = NULL;
    asked->status = 0;
    stream->asked = NULL;
    if (!stream->is_attached) free_outpour(stream);
}

struct buf *outpour_buffer(struct asked *asked) {
    struct outpour *stream = asked->stream;
    if (!stream || stream->is_over || stream->is_broken) return NULL;
    if (stream->taken && stream->taken == stream->waiting.len) {
        buf_reset(&stream->waiting);
        stream->taken = 0;
    }
    return &stream->waiting;
}

static void go_on(struct outpour *stream) {
    stream->told_ns = uv_hrtime();
    if (!stream->is_suspended || !stream->asked) return;
    stream->is_suspended = false;
    stream->service->http.resume(stream->asked->connection);
    pump_wake(stream->service);
}

void outpour_flush(struct asked *asked) {
    struct outpour *stream = asked->stream;
    if (!stream) return;
    if (buf_status(&stream->waiting) && !stream->is_broken) {
        stream->is_broken = true;
        request_cancel(asked);
    }
    go_on(stream);
}

void outpour_end(struct asked *asked) {
    if (!asked->stream) return;
    asked->stream->is_over = true;
    outpour_flush(asked);
}

/* A comment, as the format of event streams has it. */
void outpour_keep_alive(struct asked *asked, uint64_t now_ns) {
    struct outpour *stream = asked->stream;
    if (!stream->is_suspended || now_ns - stream->told_ns < KEEP_ALIVE_S * UINT64_C(1000000000))
        return;
    struct buf *out = outpour_buffer(asked);
    if (out) buf_puts(out, ":\n\n");
    outpour_flush(asked);
}

/* ## What the library asks for */

static ssize_t read_more(void *ctx, uint64_t position, char *out, size_t room) {
    struct outpour *stream = ctx;
    size_t left = stream->waiting.len - stream->taken;
    (void)position;
    if (stream->is_broken) return MHD_CONTENT_READER_END_WITH_ERROR;
    if (left) {
        size_t len = left < room ? left : room;
        memcpy(out, stream->waiting.ptr + stream->taken, len);
        stream->taken += len;
        if (stream->asked) stream->asked->bytes += len;
        return (ssize_t)len;
    }
    if (stream->is_over || !stream->asked) return MHD_CONTENT_READER_END_OF_STREAM;
    stream->is_suspended = true;
    stream->service->http.suspend(stream->asked->connection);
    return 0;
}

enum MHD_Result outpour_send(struct asked *asked) {
    struct outpour *stream = asked->stream;
    struct MHD_Response *response =
        asked->service->http.from_reader(MHD_SIZE_UNKNOWN, BLOCK, read_more, stream, free_outpour);
    if (!response) return MHD_NO;
    stream->is_attached = true;
    return reply_queue(asked, response);
}
