/* Words verdicts: why an answer did not pass, in one line for people. What the line quotes may be
 * hostile: it is escaped as JSON and cut. */
#include "experiment/grading.h"

#include "base/text.h"

#include <stdarg.h>

enum { REASON_MAX = 600, QUOTED_MAX = 120 };

/* At most so many bytes, no code point cut in two. */
static gramc_text cut(gramc_text text, size_t most) {
    size_t len = text.len < most ? text.len : most;
    while (len && len < text.len && ((unsigned char)text.ptr[len] & 0xC0) == 0x80) len--;
    return text_slice(text, 0, len);
}

gramc_text verdict_quote(struct ruling *verdict, gramc_text text) {
    struct buf out;
    gramc_text shown = cut(text, QUOTED_MAX);
    buf_init(&out, &verdict->arena->allocator, SOURCE_MAX);
    json_put_string(&out, shown);
    if (shown.len < text.len) buf_puts(&out, "...");
    return buf_to_arena(&out, verdict->arena);
}

gramc_text verdict_json(struct ruling *verdict, const struct json *value) {
    struct buf out;
    buf_init(&out, &verdict->arena->allocator, SOURCE_MAX);
    json_put(&out, value);
    gramc_text text = buf_to_arena(&out, verdict->arena), shown = cut(text, QUOTED_MAX);
    if (shown.len == text.len) return text;
    buf_init(&out, &verdict->arena->allocator, SOURCE_MAX);
    buf_text(&out, shown);
    buf_puts(&out, "...");
    return buf_to_arena(&out, verdict->arena);
}

static void put_reason(struct ruling *verdict, const char *format, va_list args) {
    struct buf out;
    buf_init(&out, &verdict->arena->allocator, SOURCE_MAX);
    buf_vprintf(&out, format, args);
    gramc_text text = buf_to_arena(&out, verdict->arena);
    char *line = arena_alloc(verdict->arena, REASON_MAX + 1);
    if (!line) return;
    gramc_text shown = cut(text, REASON_MAX);
    for (size_t i = 0; i < shown.len; i++)
        line[i] = (unsigned char)shown.ptr[i] < ' ' ? ' ' : shown.ptr[i];
    verdict->reason = (gramc_text){line, shown.len};
}

void verdict_fail(struct ruling *verdict, const char *format, ...) {
    va_list args;
    verdict->pass = false;
    if (verdict->reason.len) return;
    va_start(args, format);
    put_reason(verdict, format, args);
    va_end(args);
}

void verdict_miss(struct ruling *verdict, const char *format, ...) {
    va_list args;
    verdict->pass = false;
    verdict->missing = true;
    verdict->value = 0;
    va_start(args, format);
    put_reason(verdict, format, args);
    va_end(args);
}

bool judge_outcome(struct ruling *verdict, const struct graded_run *run) {
    gramc_text outcome = run->attempt->outcome;
    if (!outcome.len || text_is(outcome, "answered")) return true;
    verdict->value = 0;
    verdict_fail(verdict, "the run ended as %.*s", TEXT_ARGS(outcome));
    return false;
}
