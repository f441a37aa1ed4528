/* What the two files about OpenAPI share: one operation being read. */
#ifndef COMPILER_IMPORTER_OPENAPI_H
#define COMPILER_IMPORTER_OPENAPI_H

#include "compiler/importer/parts.h"

struct api_operation {
    struct importer *in;
    const struct json *document, *path, *operation;
    gramc_text method, address; /* of the path: /pets/{id} */
};

/* What a reference leads to, parameters, bodies and answers being references too; NULL: nowhere. */
const struct json *openapi_follow(const struct api_operation *o, const struct json *value);
/* How one argument is written, by OpenAPI's `style` and `explode` (style.c). */
struct api_style_question {
    gramc_text name, argument;
    enum style_place place;
    const struct json *holder; /* a parameter, or the encoding of a field; NULL: nothing is said */
    const struct json *schema; /* NULL: none */
    const struct json *at;     /* for findings */
    bool is_field;             /* of a form */
};
/* NULL: as the place does it by itself. What cannot be said is reported. */
struct import_style *openapi_style(const struct api_operation *o,
                                   const struct api_style_question *question);

/* A media type of JSON, or of anything. */
bool openapi_is_json(gramc_text type);
/* The schema of the JSON that a body or an answer holds; NULL: it holds none. */
const struct json *openapi_json(const struct api_operation *o, const struct json *holder);

/* A schema without the members that it marks so (`readOnly`, in a request), at any depth; what
 * refers to a type with such members is written out. The schema itself where there are none. */
const struct json *openapi_without(const struct api_operation *o, const struct json *schema,
                                   const char *mark);

/* A document of Swagger 2 as one of OpenAPI 3.0; itself without memory. */
const struct json *swagger_convert(struct importer *in, const struct json *old);

/* Sets the arguments of the tool and the call that carries it out. False without memory. */
bool request_read(const struct api_operation *o, struct import_tool *tool);

#endif
