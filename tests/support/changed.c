/* Documents with one value replaced, for tests that try every value of a recorded answer. */
#include "tests/support/changed.h"

bool put_changed(struct buf *out, const struct json *value, size_t *n, const char *with) {
    bool is_list = value->kind == JSON_ARRAY || value->kind == JSON_OBJECT, done = false;
    if ((*n)-- == 0) {
        buf_puts(out, with);
        return true;
    }
    if (!is_list) {
        json_put(out, value);
        return false;
    }
    buf_putc(out, value->kind == JSON_ARRAY ? '[' : '{');
    for (const struct json *one = value->first; one; one = one->next) {
        if (one != value->first) buf_putc(out, ',');
        if (value->kind == JSON_OBJECT) {
            json_put_string(out, one->key);
            buf_putc(out, ':');
        }
        if (done) json_put(out, one);
        else done = put_changed(out, one, n, with);
    }
    buf_putc(out, value->kind == JSON_ARRAY ? ']' : '}');
    return done;
}
