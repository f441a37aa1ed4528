/* Turns many small writes into one stretch of bytes with a stated greatest size. Leaves it to the
 * caller to look at the state once, at the end. */
#include "base/buf.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

void buf_init(struct buf *buf, const gramc_allocator *allocator, size_t max) {
    *buf = (struct buf){.allocator = allocator ? *allocator : mem_default(), .max = max};
}

static void *grow_in_arena(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct arena *arena = ctx;
    char *old = ptr;
    if (arena_resize(arena, old, old_size, new_size)) return new_size ? old : NULL;
    char *larger = new_size ? arena_alloc(arena, new_size) : NULL;
    if (larger && old_size) memcpy(larger, old, old_size);
    return larger;
}

void buf_init_arena(struct buf *buf, struct arena *arena, size_t max) {
    const gramc_allocator allocator = {grow_in_arena, arena};
    buf_init(buf, &allocator, max);
}

void buf_init_secret(struct buf *buf, const gramc_allocator *allocator, size_t max) {
    buf_init(buf, allocator, max);
    buf->secret = true;
}

void buf_free(struct buf *buf) {
    if (buf->secret) mem_wipe(buf->ptr, buf->size);
    mem_free(&buf->allocator, buf->ptr, buf->size);
    buf_init(buf, &buf->allocator, buf->max);
}

void buf_reset(struct buf *buf) {
    buf->len = 0;
    buf->state = BUF_FINE;
}

/* An allocator that moves a block leaves the old bytes behind; here they go first. */
static char *move_secret(struct buf *buf, size_t size) {
    char *ptr = mem_alloc(&buf->allocator, size);
    if (!ptr || !buf->ptr) return ptr;
    memcpy(ptr, buf->ptr, buf->size);
    mem_wipe(buf->ptr, buf->size);
    mem_free(&buf->allocator, buf->ptr, buf->size);
    return ptr;
}

static bool grow(struct buf *buf, size_t needed) {
    size_t size = buf->size ? buf->size : 64;
    while (size < needed) size *= 2;
    char *ptr = buf->secret ? move_secret(buf, size)
                            : buf->allocator.alloc(buf->allocator.ctx, buf->ptr, buf->size, size);
    if (!ptr) {
        buf->state = BUF_NOMEM;
        return false;
    }
    buf->ptr = ptr;
    buf->size = size;
    return true;
}

char *buf_reserve(struct buf *buf, size_t more) {
    if (buf->state != BUF_FINE) return NULL;
    if (more > buf->max - buf->len) {
        buf->state = BUF_TOO_BIG;
        return NULL;
    }
    if (buf->len + more + 1 > buf->size && !grow(buf, buf->len + more + 1)) return NULL;
    return buf->ptr + buf->len;
}

void buf_put_slowly(struct buf *buf, const char *bytes, size_t len) {
    char *room = buf_reserve(buf, len);
    if (!room) return;
    if (len) memcpy(room, bytes, len);
    room[len] = '\0';
    buf->len += len;
}

void buf_text(struct buf *buf, gramc_text text) {
    buf_put(buf, text.ptr, text.len);
}

void buf_vprintf(struct buf *buf, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    char *room = len < 0 ? NULL : buf_reserve(buf, (size_t)len);
    if (room) vsnprintf(room, (size_t)len + 1, format, again);
    if (room) buf->len += (size_t)len;
    va_end(again);
}

void buf_printf(struct buf *buf, const char *format, ...) {
    va_list args;
    va_start(args, format);
    buf_vprintf(buf, format, args);
    va_end(args);
}

void buf_count(struct buf *buf, uint64_t count, const char *noun) {
    buf_printf(buf, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

void buf_number(struct buf *buf, uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    buf_put(buf, digits + at, sizeof digits - at);
}

gramc_text buf_view(const struct buf *buf) {
    return (gramc_text){buf->ptr ? buf->ptr : "", buf->len};
}

gramc_status buf_status(const struct buf *buf) {
    switch (buf->state) {
    case BUF_FINE: return GRAMC_OK;
    case BUF_NOMEM: return GRAMC_NOMEM;
    case BUF_TOO_BIG: return GRAMC_LIMIT;
    }
    return GRAMC_OK;
}

gramc_status buf_send(const struct buf *buf, gramc_writer writer) {
    if (buf->state != BUF_FINE) return buf_status(buf);
    if (buf->len == 0) return GRAMC_OK;
    return writer.write(writer.ctx, buf->ptr, buf->len) ? GRAMC_IO : GRAMC_OK;
}

static int append(void *ctx, const char *bytes, size_t len) {
    struct buf *buf = ctx;
    buf_put(buf, bytes, len);
    return buf->state == BUF_FINE ? 0 : 1;
}

gramc_writer buf_writer(struct buf *buf) {
    return (gramc_writer){append, buf};
}

gramc_text buf_to_arena(struct buf *buf, struct arena *arena) {
    if (buf->state == BUF_TOO_BIG) buf->state = BUF_NOMEM;
    return buf_to_arena_cut(buf, arena);
}

/* Gives back what there is room for behind it. */
static gramc_text leave_in_arena(struct buf *buf, struct arena *arena) {
    gramc_text text = buf_view(buf);
    arena_resize(arena, buf->ptr, buf->size, buf->len + 1);
    buf->ptr = NULL;
    buf->size = 0;
    return text;
}

static gramc_text take_text(struct buf *buf, struct arena *arena) {
    bool is_there = buf->ptr && buf->allocator.alloc == grow_in_arena;
    return is_there && buf->allocator.ctx == arena ? leave_in_arena(buf, arena)
                                                   : arena_text(arena, buf_view(buf));
}

gramc_text buf_to_arena_cut(struct buf *buf, struct arena *arena) {
    gramc_text text = {NULL, 0};
    if (buf->state == BUF_NOMEM) arena->oom = true;
    else text = take_text(buf, arena);
    buf_free(buf);
    return text;
}
