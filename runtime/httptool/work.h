/* One HTTP call of a tool, between its request (request.c) and its answer (tool_http.c).
 * Internal to these two. */
#ifndef RUNTIME_HTTPTOOL_WORK_H
#define RUNTIME_HTTPTOOL_WORK_H

#include "runtime/net/http.h"
#include "base/limits.h"
#include "runtime/httptool/file.h"
#include "runtime/tool.h"
#include "runtime/tool_http.h"

enum { HTTP_LINES_MAX = HTTP_HEADERS_MAX + 3 };

/* One part of a multipart body, or all of a body that is a file. */
struct http_piece {
    struct http_piece *next;
    gramc_text name, content_type;
    gramc_text text;
    struct call_file *file; /* NULL: it is `text` */
};

struct http_work {
    struct tool_call *call;
    struct http_request request;
    struct arena arena; /* header lines, arguments */
    struct buf url, body;
    const char *lines[HTTP_LINES_MAX];
    size_t line_count;
    unsigned redirects;
    bool running;
    /* Of a call that sends parts (parts.c). */
    struct http_piece *pieces, **last_piece;
    struct call_file *files;
    size_t room; /* for files, of the most that a body has */
    gramc_text content_type;
    uv_work_t reading;
    bool is_reading;
};

/* Fills in url, lines and body; where there are parts, these are planned alone. False once the call
 * has been settled instead. */
bool http_work_fill(struct http_work *work);
/* The rest of it, once the files are read. False as above. */
bool http_work_fill_parts(struct http_work *work);
/* One template. False as above. */
bool http_work_expand(struct http_work *work, struct buf *out, const struct template *what,
                      const struct json *arguments);

/* Settles with what stands in the result, secrets taken out: whoever is asked may repeat those that
 * came with the question. */
void http_work_settle(struct tool_call *call, enum tool_outcome outcome);
/* The same as TOOL_FAILED, with that text; printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void http_work_fail(struct tool_call *call, const char *format, ...);

#endif
