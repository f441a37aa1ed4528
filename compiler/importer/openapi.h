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
/* The schema of the JSON that a body or an answer holds; NULL: it holds none. */
const struct json *openapi_json(const struct api_operation *o, const struct json *holder);

/* A document of Swagger 2 as one of OpenAPI 3.0; itself without memory. */
const struct json *swagger_convert(struct importer *in, const struct json *old);

/* Sets the arguments of the tool and the call that carries it out. False without memory. */
bool request_read(const struct api_operation *o, struct import_tool *tool);

#endif
