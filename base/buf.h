/* A byte buffer that grows up to a stated size. Errors are sticky: write on, ask once. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/mem.h"

#include <stdarg.h>
#include <string.h>

enum buf_state { BUF_FINE, BUF_NOMEM, BUF_TOO_BIG };

struct buf {
    gramc_allocator allocator;
    char *ptr; /* NULL while empty; a NUL stands behind the last byte */
    size_t len, size, max;
    enum buf_state state;
    bool secret; /* nothing of it stays in memory that is given back */
};

/* `max` is the largest number of bytes that it may ever hold; there is no "unlimited". */
void buf_init(struct buf *buf, const gramc_allocator *allocator, size_t max);
/* The same for secrets: what it held is overwritten when it grows and when it is freed. */
void buf_init_secret(struct buf *buf, const gramc_allocator *allocator, size_t max);
/* The same for a text that stays in an arena: it grows at the arena's end, where buf_to_arena
 * leaves it. Quickest while nothing else is made in the arena meanwhile. */
void buf_init_arena(struct buf *buf, struct arena *arena, size_t max);
void buf_free(struct buf *buf);
/* Empties it, keeps the memory, forgets errors. */
void buf_reset(struct buf *buf);
/* Room for `more` bytes at the end without writing them; NULL if there cannot be. */
char *buf_reserve(struct buf *buf, size_t more);
/* The general way of buf_put, which is taken when there is no room yet, or an error. */
void buf_put_slowly(struct buf *buf, const char *bytes, size_t len);
/* In line, because most of what is printed are short pieces of known length. */
static inline void buf_put(struct buf *buf, const char *bytes, size_t len) {
    if (buf->state != BUF_FINE || len >= buf->size - buf->len || len > buf->max - buf->len) {
        buf_put_slowly(buf, bytes, len);
        return;
    }
    if (len) memcpy(buf->ptr + buf->len, bytes, len);
    buf->len += len;
    buf->ptr[buf->len] = '\0';
}
static inline void buf_puts(struct buf *buf, const char *c_string) {
    buf_put(buf, c_string, strlen(c_string));
}
void buf_text(struct buf *buf, gramc_text text);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void buf_printf(struct buf *buf, const char *format, ...);
void buf_vprintf(struct buf *buf, const char *format, va_list args);
/* Its digits, without what a format costs. */
void buf_number(struct buf *buf, uint64_t number);
/* `1 tool`, `2 tools`: for nouns whose plural has an s and nothing else. */
void buf_count(struct buf *buf, uint64_t count, const char *noun);
/* One byte at a time is how JSON is written: in line when there is room. */
static inline void buf_putc(struct buf *buf, char c) {
    if (buf->state != BUF_FINE || buf->len + 1 >= buf->size || buf->len >= buf->max) {
        buf_put(buf, &c, 1);
        return;
    }
    buf->ptr[buf->len++] = c;
    buf->ptr[buf->len] = '\0';
}
/* Where `len` bytes can be written at once, to be counted by buf_took; NULL: there is no room yet,
 * or an error, and buf_put does it. */
static inline char *buf_room(const struct buf *buf, size_t len) {
    bool fits = buf->state == BUF_FINE && len < buf->size - buf->len && len <= buf->max - buf->len;
    return fits ? buf->ptr + buf->len : NULL;
}
static inline void buf_took(struct buf *buf, size_t len) {
    buf->len += len;
    buf->ptr[buf->len] = '\0';
}
gramc_text buf_view(const struct buf *buf);
/* GRAMC_OK, GRAMC_NOMEM or GRAMC_LIMIT. */
gramc_status buf_status(const struct buf *buf);
/* Hands all bytes to the writer: the buffer's own status first, then GRAMC_IO if that fails. */
gramc_status buf_send(const struct buf *buf, gramc_writer writer);
/* Appends to the buffer what is written. Once the buffer has failed it refuses, so that its caller
 * reports GRAMC_IO: buf_status then says why. */
gramc_writer buf_writer(struct buf *buf);
/* What the buffer holds as a text of the arena; frees the buffer. All or nothing: {NULL, 0} and
 * arena->oom where memory ran out, or where the text reached the buffer's greatest size. */
gramc_text buf_to_arena(struct buf *buf, struct arena *arena);
/* The same for sentences: one that reached the greatest size is cut there. */
gramc_text buf_to_arena_cut(struct buf *buf, struct arena *arena);

#endif
