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

#define TEMPLATE_EMPTY "is empty, which a part of a path cannot be"

/* RFC 3986, section 2.1; whatever is not unreserved. */
void template_put_percent(struct buf *out, gramc_text text);
/* NULL, or why the text cannot stand there, but for being empty. */
const char *template_refuse(enum template_place place, gramc_text text);

/* NULL, or why the value cannot stand there: "is empty, which a path cannot have". */
const char *template_encode(struct buf *out, enum template_place place,
                            const struct template_value *value);

#endif
