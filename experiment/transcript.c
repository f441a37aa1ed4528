/* A trace as a conversation to be read: who said what, which tool was called with what and gave
 * what. Keeps what fits, and says if there was more; a line that is no event is passed over. */
#include "base/text.h"
#include "experiment/analyse_parts.h"

static gramc_text text_in(const struct json *event, const char *key) {
    const struct json *value = json_get(event, key);
    return json_is(value, JSON_STRING) ? value->text : (gramc_text){NULL, 0};
}

static void put_said(struct buf *out, const char *who, gramc_text what) {
    if (!what.len) return;
    buf_puts(out, who);
    buf_text(out, what);
    buf_putc(out, '\n');
}

static void put_call(struct buf *out, const struct json *event) {
    buf_puts(out, "calls ");
    buf_text(out, text_in(event, "name"));
    buf_putc(out, ' ');
    buf_text(out, text_in(event, "arguments"));
    buf_putc(out, '\n');
}

static void put_result(struct buf *out, const struct json *event) {
    gramc_text outcome = text_in(event, "outcome");
    buf_text(out, text_in(event, "name"));
    if (!text_is(outcome, "ok")) {
        buf_puts(out, " (");
        buf_text(out, outcome);
        buf_putc(out, ')');
    }
    put_said(out, " gives ", text_in(event, "result"));
}

static void put_end(struct buf *out, const struct json *event) {
    gramc_text outcome = text_in(event, "outcome");
    if (text_is(outcome, "answered")) return;
    put_said(out, "ended: ", outcome);
    put_said(out, "because ", text_in(event, "message"));
}

static void put_event(struct buf *out, const struct json *event) {
    gramc_text kind = text_in(event, "event");
    if (text_is(kind, "turn")) put_said(out, "user: ", text_in(event, "message"));
    else if (text_is(kind, "model.response")) put_said(out, "model: ", text_in(event, "content"));
    else if (text_is(kind, "tool.request")) put_call(out, event);
    else if (text_is(kind, "tool.response")) put_result(out, event);
    else if (text_is(kind, "outcome")) put_end(out, event);
}

gramc_text transcript_of(struct columns *columns, gramc_text trace, bool *was_cut) {
    struct buf out;
    buf_init(&out, &columns->out->arena.allocator, TRANSCRIPT_BYTES);
    for (size_t start = 0; start < trace.len && out.state == BUF_FINE;) {
        const char *end = memchr(trace.ptr + start, '\n', trace.len - start);
        size_t stop = end ? (size_t)(end - trace.ptr) : trace.len;
        const struct json *event =
            json_parse(&columns->scratch, text_slice(trace, start, stop), NULL);
        if (event) put_event(&out, event);
        scratch_done(columns);
        start = stop + 1;
    }
    if (out.state == BUF_TOO_BIG) *was_cut = true;
    return buf_to_arena_cut(&out, &columns->out->arena);
}
