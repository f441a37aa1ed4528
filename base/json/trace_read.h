/* Reading traces (docs/formats/trace.md) event by event, for who plays a part of one again. */
#ifndef BASE_JSON_TRACE_READ_H
#define BASE_JSON_TRACE_READ_H

#include "base/json/json.h"
#include "base/version.h"

#define TRACE_FORMAT "gramc-trace"
enum { TRACE_VERSION = VERSION_TRACE };

struct trace_reader {
    struct arena *arena; /* of the events, which borrow from the text */
    gramc_text text;
    gramc_json_error *error; /* may be NULL */
    size_t next;             /* where the next line begins */
    size_t line, position;   /* of the newest event */
    bool has_header;
};

/* The next event, checked if it is a header; *event NULL at the end. GRAMC_FINDINGS: no such trace,
 * as `error` says. GRAMC_NOMEM. */
gramc_status trace_next(struct trace_reader *reader, const struct json **event);
/* Fills in `error` about the newest event. GRAMC_FINDINGS. */
gramc_status trace_refuse(struct trace_reader *reader, const char *why);
/* "" where there is none. */
gramc_text trace_text(const struct json *event, const char *key);
uint64_t trace_number(const struct json *event, const char *key);

#endif
