/* One HTTP call of a tool, between its request (request.c) and its answer (tool_http.c).
 * Internal to these two. */
#ifndef RUNTIME_HTTPTOOL_WORK_H
#define RUNTIME_HTTPTOOL_WORK_H

#include "runtime/net/http.h"
#include "base/limits.h"
#include "runtime/tool.h"
#include "runtime/tool_http.h"

enum { HTTP_LINES_MAX = HTTP_HEADERS_MAX + 3 };

struct http_work {
    struct tool_call *call;
    struct http_request request;
    struct arena arena; /* header lines, arguments */
    struct buf url, body;
    const char *lines[HTTP_LINES_MAX];
    size_t line_count;
    unsigned redirects;
    bool running;
};

/* Fills in url, lines and body. False once the call has been settled instead. */
bool http_work_fill(struct http_work *work);

/* Settles with what stands in the result, secrets taken out: whoever is asked may repeat those that
 * came with the question. */
void http_work_settle(struct tool_call *call, enum tool_outcome outcome);
/* The same as TOOL_FAILED, with that text; printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void http_work_fail(struct tool_call *call, const char *format, ...);

#endif
