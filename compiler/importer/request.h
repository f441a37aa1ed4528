/* What the two files about requests share: one request being made. */
#ifndef COMPILER_IMPORTER_REQUEST_H
#define COMPILER_IMPORTER_REQUEST_H

#include "compiler/importer/openapi.h"

enum { DEEPEST_REFERENCE = 8, TEXT_MAX = INT32_MAX };

struct api_request {
    const struct api_operation *o;
    struct importer *in;
    struct json *properties, *required; /* of the arguments */
    struct json *in_body;               /* names that the body has already */
    struct buf path, query, cookies, body;
    struct import_header *headers, **last_header;
    struct import_style *styles, **last_style;
    struct import_part *parts, **last_part; /* of a multipart body */
    gramc_text body_file;                   /* a template; empty: the body is no file */
    gramc_text content_type;
    gramc_text flaw; /* why it cannot be called; empty: nothing is known against it */
};

/* A text that stands for itself: `${` would begin a parameter. */
void request_put_literal(struct buf *out, gramc_text text);
void request_put_argument(struct buf *out, gramc_text name);
void request_put_pair(struct buf *out, const char *separator, gramc_text name, gramc_text argument);
/* The name of the argument: `id`, or `id_query` if there is an `id` in another place. Empty: none.
 */
gramc_text request_add_argument(struct api_request *r, gramc_text name, gramc_text place,
                                const struct json *schema, bool required);
/* NULL: there is nothing to say. */
const struct import_style *request_add_style(struct api_request *r,
                                             const struct api_style_question *question);

/* Arguments and templates of the request's body (request_body.c). */
void request_add_body(struct api_request *r);

#endif
