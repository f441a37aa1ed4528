/* HTTP tools as a file describes them: upstreams, each with its tools; a tool has metadata and the
 * templates of one HTTP call. The format is that of sentinel-ai's HttpToolBox (docs/http-tools.md).
 * Immutable once read; free to share between threads. */
#ifndef TOOLBOX_TOOLBOX_H
#define TOOLBOX_TOOLBOX_H

#include "gramc/gramc.h"
#include "base/limits.h"
#include "gramc/jolt.h"
#include "toolbox/template.h"

enum http_method {
    METHOD_GET,
    METHOD_POST,
    METHOD_PUT,
    METHOD_PATCH,
    METHOD_DELETE,
    METHOD_HEAD,
    METHODS
};
extern const char *const http_method_names[METHODS];
bool http_method_has_body(enum http_method method);
/* NULL, or why a tool may not set a header of that name: half a sentence. */
const char *http_header_problem(gramc_text name);

struct http_header {
    gramc_text name;
    struct template value;
};

/* One part of a multipart body, or a body that is a file. */
struct http_part {
    gramc_text name;         /* empty: it is all of the body */
    struct template value;   /* of a file: its path */
    gramc_text content_type; /* empty: that of the value, or by the file's name */
    bool is_file;
};

/* One HTTP call, to be filled in. */
struct http_call {
    enum http_method method;
    struct template path; /* begins with / */
    struct http_header *headers;
    size_t header_count;
    struct template body;
    bool has_body;
    struct http_part *parts; /* in place of `body` */
    size_t part_count;
    gramc_text content_type;
    gramc_jolt *transform; /* NULL: none; owned */
};

struct toolbox_tool {
    struct toolbox_tool *next;
    gramc_text name;
    gramc_text id; /* upstream_tool in snake case: unique in the toolbox */
    gramc_text description;
    gramc_text parameters; /* JSON Schema */
    struct http_call call;
    uint32_t line, column;
};

struct toolbox_upstream {
    struct toolbox_upstream *next;
    gramc_text name;
    gramc_text url; /* empty: the file does not say */
    struct toolbox_tool *tools;
    size_t tool_count;
};

struct toolbox_finding {
    struct toolbox_finding *next;
    gramc_severity severity;
    uint32_t line, column;
    gramc_text message, help;
};

struct toolbox {
    struct arena arena;
    gramc_text file;
    struct toolbox_upstream *upstreams;
    size_t tool_count;
    struct toolbox_finding *findings;
    size_t errors, warnings;
};

/* The file's name stands in messages. `literal`: values go in as they are and what is not declared
 * stays as it is, as in the original (template.h). GRAMC_FINDINGS: there are errors; *out is then
 * set all the same, and only good for its findings. */
gramc_status toolbox_read(struct toolbox **out, const gramc_allocator *allocator, gramc_text file,
                          gramc_text text, bool literal);
/* The same where a host brings engines for templates; NULL: none. */
gramc_status toolbox_read_for(struct toolbox **out, const gramc_allocator *allocator,
                              gramc_text file, gramc_text text, bool literal,
                              const gramc_toolbox_host *host);
void toolbox_free(struct toolbox *toolbox);

const struct toolbox_upstream *toolbox_upstream(const struct toolbox *toolbox, gramc_text name);
/* The one that is called as the box, or the only one; else NULL and why: half a sentence. */
const struct toolbox_upstream *toolbox_choose(const struct toolbox *toolbox, gramc_text box,
                                              const char **why);
/* By name or by id. */
const struct toolbox_tool *toolbox_tool(const struct toolbox_upstream *upstream, gramc_text name);

/* Where a line and a column stand: lines count from 1, columns in characters from 1. */
uint32_t toolbox_offset(gramc_text file, uint32_t line, uint32_t column);

/* "test", "getWeatherForCity" give test_get_weather_for_city. */
void toolbox_put_id(struct buf *out, gramc_text upstream, gramc_text tool);

#endif
