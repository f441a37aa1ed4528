/* Writes JSON piece by piece, where no document stands in memory: objects, arrays, members, items.
 *
 * The caller says what stands where, begin and end in pairs, a key before each value of an object;
 * the writer puts the commas. For that it needs one bit and no stack: behind a `{`, a `[` or a key
 * no comma is due, behind a value, a `}` or a `]` one is. So nothing is allocated, objects may nest
 * as deep as the caller likes, and a writer can be copied, or made in the middle of a document.
 * Nothing is checked either: a caller who forgets a key writes ill-formed JSON. Errors stick to the
 * buffer, which is asked once, at the end.
 *
 *     struct json_writer w = json_writer(&out);
 *     json_object_begin(&w);
 *     json_member_text(&w, "name", name);
 *     json_key(&w, "tools");
 *     json_array_begin(&w);
 *     for (...) json_text(&w, tools[i]);
 *     json_array_end(&w);
 *     json_object_end(&w);                       gives {"name":"...","tools":["...","..."]}
 */
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include "base/json/json.h"

#include <string.h>

struct json_writer {
    struct buf *out;
    bool comma;  /* one is due before the next key or item */
    bool spaced; /* a blank behind each colon, and each comma that ends no line */
};

static inline struct json_writer json_writer(struct buf *out) {
    return (struct json_writer){.out = out};
}

/* The comma that is due, for a value that the caller writes into the buffer itself: exactly one. */
static inline struct buf *json_slot(struct json_writer *w) {
    if (w->comma) buf_putc(w->out, ',');
    if (w->comma && w->spaced) buf_putc(w->out, ' ');
    w->comma = true;
    return w->out;
}
/* Where the next key or item will begin. */
static inline size_t json_next(const struct json_writer *w) {
    return w->out->len + (w->comma ? 1u + w->spaced : 0u);
}
/* The comma that is due, then a new line that begins with some blanks. */
void json_line(struct json_writer *w, unsigned blanks);

void json_object_begin(struct json_writer *w);
void json_array_begin(struct json_writer *w);
static inline void json_object_end(struct json_writer *w) {
    buf_putc(w->out, '}');
    w->comma = true;
}
static inline void json_array_end(struct json_writer *w) {
    buf_putc(w->out, ']');
    w->comma = true;
}

/* ## Keys: the next value is the member's */

void json_plain_key(struct json_writer *w, const char *key, size_t len);
/* One of ours, in which nothing has to be escaped. In line, so that its length is a constant. */
static inline void json_key(struct json_writer *w, const char *key) {
    json_plain_key(w, key, strlen(key));
}
/* Any text. */
void json_key_text(struct json_writer *w, gramc_text key);

/* ## Values: items, or what belongs to the key before them */

/* A string, escaped as json_put_string does. */
void json_text(struct json_writer *w, gramc_text text);
void json_number(struct json_writer *w, uint64_t number);
void json_bool(struct json_writer *w, bool truth);
void json_null(struct json_writer *w);
/* What is JSON already: one value. */
void json_raw(struct json_writer *w, gramc_text json);
void json_value(struct json_writer *w, const struct json *value);

/* ## Both at once */

static inline void json_member_object(struct json_writer *w, const char *key) {
    json_key(w, key);
    json_object_begin(w);
}
static inline void json_member_array(struct json_writer *w, const char *key) {
    json_key(w, key);
    json_array_begin(w);
}
static inline void json_member_text(struct json_writer *w, const char *key, gramc_text text) {
    json_key(w, key);
    json_text(w, text);
}
/* What may be left out: no text, no member. */
static inline void json_member_some(struct json_writer *w, const char *key, gramc_text text) {
    if (text.len) json_member_text(w, key, text);
}
static inline void json_member_number(struct json_writer *w, const char *key, uint64_t number) {
    json_key(w, key);
    json_number(w, number);
}
static inline void json_member_bool(struct json_writer *w, const char *key, bool truth) {
    json_key(w, key);
    json_bool(w, truth);
}
static inline void json_member_raw(struct json_writer *w, const char *key, gramc_text json) {
    json_key(w, key);
    json_raw(w, json);
}
static inline void json_member_value(struct json_writer *w, const char *key,
                                     const struct json *value) {
    json_key(w, key);
    json_value(w, value);
}

#endif
