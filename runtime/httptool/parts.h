/* The body of an HTTP call that is multipart/form-data, or a file. Internal to request.c and
 * tool_http.c. */
#ifndef RUNTIME_HTTPTOOL_PARTS_H
#define RUNTIME_HTTPTOOL_PARTS_H

#include "runtime/httptool/work.h"

/* What the arguments make of the call's parts; its files are opened, and not read yet. False: the
 * call has been settled. */
bool http_parts_plan(struct http_work *work, const struct json *arguments);
/* Reads its files; on any thread. */
void http_parts_read(struct http_work *work);
/* Joins the pieces to work->body, and sets work->content_type: empty if there is nothing to send.
 * False as above. */
bool http_parts_join(struct http_work *work);
void http_parts_free(struct http_work *work);

#endif
