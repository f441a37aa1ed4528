/* Puts the pieces of a JSON text behind one another, and the commas between them. What is a correct
 * sequence of pieces is the caller's to know; how strings are escaped, write.c's. */
#include "base/json/writer.h"

#include "base/text.h"

void json_line(struct json_writer *w, unsigned blanks) {
    if (w->comma) buf_putc(w->out, ',');
    w->comma = false;
    buf_putc(w->out, '\n');
    for (unsigned i = 0; i < blanks; i++) buf_putc(w->out, ' ');
}

static void begin(struct json_writer *w, char bracket) {
    buf_putc(json_slot(w), bracket);
    w->comma = false;
}

void json_object_begin(struct json_writer *w) {
    begin(w, '{');
}

void json_array_begin(struct json_writer *w) {
    begin(w, '[');
}

static void end_key(struct json_writer *w) {
    buf_putc(w->out, ':');
    if (w->spaced) buf_putc(w->out, ' ');
    w->comma = false;
}

/* Keys are half of what is printed: without blanks they go in one piece. */
void json_plain_key(struct json_writer *w, const char *key, size_t len) {
    struct buf *out = w->out;
    size_t comma = w->comma, all = comma + len + 3;
    char *room = w->spaced ? NULL : buf_room(out, all);
    if (room) {
        room[0] = ',';
        room[comma] = '"';
        memcpy(room + comma + 1, key, len);
        memcpy(room + all - 2, "\":", 2);
        buf_took(out, all);
        w->comma = false;
        return;
    }
    json_slot(w);
    buf_putc(out, '"');
    buf_put(out, key, len);
    buf_putc(out, '"');
    end_key(w);
}

void json_key_text(struct json_writer *w, gramc_text key) {
    json_put_string(json_slot(w), key);
    end_key(w);
}

void json_text(struct json_writer *w, gramc_text text) {
    json_put_string(json_slot(w), text);
}

void json_number(struct json_writer *w, uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    buf_put(json_slot(w), digits + at, sizeof digits - at);
}

void json_bool(struct json_writer *w, bool truth) {
    json_raw(w, truth ? TEXT("true") : TEXT("false"));
}

void json_null(struct json_writer *w) {
    json_raw(w, TEXT("null"));
}

void json_raw(struct json_writer *w, gramc_text json) {
    buf_text(json_slot(w), json);
}

void json_value(struct json_writer *w, const struct json *value) {
    json_put(json_slot(w), value);
}
