/* Joins HTTP calls with the tools that they carry out: what a bound tool of that kind points at is
 * made here, and everything that is wrong with it is said here, before anything runs. */
#ifndef RUNTIME_HTTPTOOL_BIND_H
#define RUNTIME_HTTPTOOL_BIND_H

#include "runtime/bound.h"
#include "runtime/tool_http.h"

/* Of a `ToolImpl {http: "GET", url: ...}`: ${names} are those of its own signature, or of the tool.
 * NULL after a message, or without memory (bound->arena.oom). */
const struct http_endpoint *http_bind_impl(gramc_bound *bound, const gramc_impl *impl,
                                           const gramc_tool *tool);

/* ## For box.c as well */

/* What is being read, for messages and for its names. */
struct http_binder {
    gramc_bound *bound;
    struct bind_place place;
    gramc_text who; /* "tool `x`" */
    gramc_text *names;
    bool *used;
    size_t name_count;
    const struct template_style *styles;
    size_t style_count;
    bool any_names; /* nobody has declared any: the caller brings them */
    bool failed;
};

/* "tool `name`", no longer than a line. */
gramc_text http_bind_who(gramc_bound *bound, const char *noun, gramc_text name);
/* Reports "{who}: {what}{message}" as an error. */
void http_bind_wrong(struct http_binder *binder, const char *what, const char *message,
                     const char *help);
/* NULL, or what is wrong with it as the address of an upstream: scheme, host, perhaps a path. */
const char *http_origin_problem(gramc_text url);
/* Every ${env:NAME} may be read and is set. */
void http_bind_secrets(struct http_binder *binder, const char *what, const struct template *used);
/* `header_count` of them, in the arena; NULL without memory. */
struct http_header *http_bind_headers(struct http_binder *binder, const gramc_pair *pairs,
                                      size_t count);

/* What is said of a server, and where. */
struct http_said {
    const gramc_transport *transport;
    gramc_text folder, file; /* of the library; the file that has the url */
    gramc_text url;          /* filled in */
};
/* How the server is reached, and where that may lead; NULL after a message. */
const struct http_route *http_bind_route(struct http_binder *binder, const struct http_said *said);
/* The address, filled in where it comes from the environment. False after a message. */
bool http_bind_url(struct http_binder *binder, gramc_text url, gramc_text *out);

#endif
