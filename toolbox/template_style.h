/* Arrays and objects at places of their own: OpenAPI's styles, as bytes. */
#ifndef TOOLBOX_TEMPLATE_STYLE_H
#define TOOLBOX_TEMPLATE_STYLE_H

#include "toolbox/template.h"

/* True if a style writes the value there: a list or object at a place of its own, and anything but
 * null where a style was said. */
bool template_is_styled(const struct template_part *part, const struct json *value);
/* True if a style writes it and there is nothing to write: RFC 6570 takes that for absent. */
bool template_style_is_empty(const struct template_part *part, const struct json *value);
/* `out` ends where the value would stand, and holds the template from `from` on: a `name=` in front
 * is repeated or taken back as the style demands. NULL, or why it cannot stand there. */
const char *template_put_styled(struct buf *out, size_t from, const struct template_part *part,
                                const struct json *value);

#endif
