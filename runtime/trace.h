/* Traces: what happened in a run, one JSON object a line, each written as it happens. The format
 * is docs/formats/trace.md. */
#ifndef RUNTIME_TRACE_H
#define RUNTIME_TRACE_H

#include "base/json/writer.h"
#include "gramc/runtime.h"

struct trace {
    gramc_writer writer; /* write NULL: none */
    bool without_times;
    gramc_status status; /* sticky: the writer refused, or memory ran out */
    struct buf line;
    struct json_writer event; /* on the line */
};

void trace_init(struct trace *trace, const gramc_allocator *allocator, gramc_writer writer,
                bool without_times);
void trace_free(struct trace *trace);
static inline bool trace_is_on(const struct trace *trace) {
    return trace->writer.write && !trace->status;
}
/* Writes an event that has a name. */
void trace_event(struct trace *trace, const gramc_event *event);
/* Members of an object that is open: what was mended (repairs), what was made another type
 * (coerced), which defaults were not
 * filled in (left_out). No reading, or nothing done: no members. */
void trace_put_reading(struct json_writer *w, const gramc_event_reading *reading);

#endif
