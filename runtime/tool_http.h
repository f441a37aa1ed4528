/* HTTP calls as tools: what a bound tool of that kind points at. */
#ifndef RUNTIME_TOOL_HTTP_H
#define RUNTIME_TOOL_HTTP_H

#include "runtime/httptool/file.h"
#include "runtime/secret.h"
#include "base/limits.h"
#include "toolbox/toolbox.h"

/* Immutable; must outlive the calls that use it. */
struct http_endpoint {
    gramc_text url; /* of the upstream: http://host:port/prefix; paths are put behind it */
    const struct http_header *headers; /* sent with every call, instead of its own of that name */
    size_t header_count;
    const struct http_call *call;
    struct secrets *secrets;        /* NULL: none may be read */
    const struct http_route *route; /* NULL: nothing special */
    struct file_folders folders;    /* where files that it sends may lie */
};

/* Of "http://host:port" at the beginning of an address; 0 if it has none. */
size_t http_origin_length(gramc_text url);
/* The same without the port that goes without saying. */
gramc_text http_origin(gramc_text url);
/* True if both addresses have the same scheme, host and port. */
bool http_same_origin(gramc_text a, gramc_text b);

#endif
