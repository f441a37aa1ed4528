/* Traces: what happened in a run, one JSON object a line, each written as it happens. The format
 * is docs/formats/trace.md. */
#ifndef RUNTIME_TRACE_H
#define RUNTIME_TRACE_H

#include "base/json/trace_read.h"
#include "base/json/writer.h"
#include "runtime/bound.h"
#include "runtime/llm.h"

struct trace {
    gramc_writer writer; /* write NULL: none */
    bool without_times;
    gramc_status status; /* sticky: the writer refused, or memory ran out */
    uint64_t start;      /* of the run, nanoseconds */
    uint32_t sequence;
    uint32_t turn, iteration; /* stand in every event but the first and the last */
    struct buf line;
    struct json_writer event; /* on the line */
};

void trace_init(struct trace *trace, const gramc_allocator *allocator, gramc_writer writer,
                bool without_times);
void trace_free(struct trace *trace);

struct trace_header {
    const gramc_bound *bound;
    gramc_text provider, model;
    gramc_wire wire;
};

/* A call as it is told: under the tool's own name, and as the model called it where that differs.
 */
struct trace_call {
    const struct call *call;
    const struct bound_tool *tool; /* NULL: there is none of that name */
    uint32_t index;
};

struct trace_result {
    struct trace_call call;
    const char *outcome;
    gramc_text text;
    uint64_t started;
};

void trace_head(struct trace *trace, const struct trace_header *header);
void trace_turn(struct trace *trace, gramc_text message);
void trace_task(struct trace *trace, gramc_text name, gramc_text prompt);
void trace_request(struct trace *trace, gramc_text body);
void trace_retry(struct trace *trace, long status, gramc_text message, uint64_t wait_ms);
/* size: of the body that it was read from, 0 if there was none. */
void trace_reply(struct trace *trace, const struct reply *reply, size_t size, uint64_t started);
void trace_model_error(struct trace *trace, long status, gramc_text message, uint64_t started);
/* `sent` is what the tool gets; shown only where it differs from what the model wrote. */
void trace_call(struct trace *trace, const struct trace_call *call, gramc_text sent);
void trace_result(struct trace *trace, const struct trace_result *result);
void trace_answer(struct trace *trace, gramc_text text);
void trace_outcome(struct trace *trace, const gramc_run_result *result);

#endif
