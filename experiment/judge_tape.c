/* Wraps the events of a judge's run into events of the trace of the cell that it judged, each with
 * its grader, so that readers of the cell's own events pass them over; and finds them again. */
#include "experiment/judge_tape.h"

#include "base/json/trace_read.h"
#include "base/json/writer.h"
#include "base/text.h"

static gramc_text take_line(gramc_text text, size_t *at) {
    size_t start = *at, end = start;
    while (end < text.len && text.ptr[end] != '\n') end++;
    *at = end < text.len ? end + 1 : end;
    return text_slice(text, start, end);
}

void judge_tape_write(struct buf *out, gramc_text grader, unsigned asking, gramc_text trace) {
    for (size_t at = 0; at < trace.len;) {
        gramc_text line = take_line(trace, &at);
        if (!line.len) continue;
        struct json_writer w = json_writer(out);
        json_object_begin(&w);
        json_member_text(&w, "event", TEXT("judge"));
        json_member_text(&w, "grader", grader);
        json_member_number(&w, "asking", asking);
        json_member_raw(&w, "said", line);
        json_object_end(&w);
        buf_putc(out, '\n');
    }
}

bool judge_tape_owns(gramc_text line) {
    return text_starts(line, "{\"event\":\"judge\",");
}

static void put_said(struct buf *out, struct arena *arena, gramc_text line, gramc_text grader,
                     unsigned asking) {
    const struct json *event = judge_tape_owns(line) ? json_parse(arena, line, NULL) : NULL;
    if (!event || !text_eq(trace_text(event, "grader"), grader) ||
        trace_number(event, "asking") != asking)
        return;
    const struct json *said = json_get(event, "said");
    if (!said) return;
    json_put(out, said);
    buf_putc(out, '\n');
}

gramc_status judge_tape_open(gramc_cassette **out, const struct judge_tape *tape, gramc_text grader,
                             unsigned asking, const gramc_allocator *allocator) {
    gramc_json_error error;
    struct arena arena;
    struct buf lines;
    *out = NULL;
    arena_init(&arena, allocator);
    buf_init(&lines, allocator, TRACE_SIZE_MAX);
    for (size_t at = 0; at < tape->recorded.len && !arena.oom;)
        put_said(&lines, &arena, take_line(tape->recorded, &at), grader, asking);
    gramc_status status = arena.oom ? GRAMC_NOMEM : buf_status(&lines);
    if (!status && !lines.len) status = GRAMC_NOT_FOUND;
    if (!status) status = gramc_cassette_new(out, buf_view(&lines), allocator, &error);
    buf_free(&lines);
    arena_free(&arena);
    return status;
}
