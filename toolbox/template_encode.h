/* How one value is written at its place in a template. */
#ifndef TOOLBOX_TEMPLATE_ENCODE_H
#define TOOLBOX_TEMPLATE_ENCODE_H

#include "toolbox/template.h"

/* A JSON value, or a text of our own (`is_text`); neither: there is no value. */
struct template_value {
    const struct json *json;
    gramc_text text;
    bool is_text;
    bool is_fallback; /* as a JSON value it is JSON if it can be read as such */
};

/* NULL, or why the value cannot stand there: "is empty, which a path cannot have". */
const char *template_encode(struct buf *out, enum template_place place,
                            const struct template_value *value);

#endif
