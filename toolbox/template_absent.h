/* What goes with an argument that was not given: its member of a JSON object, its pair of a query
 * or form. An API tells absent from null and from empty. */
#ifndef TOOLBOX_TEMPLATE_ABSENT_H
#define TOOLBOX_TEMPLATE_ABSENT_H

#include "base/buf.h"

/* `out` ends where the value would stand, and holds the template from `from` on. True if what names
 * the value has been taken back. *separator is then the character that has to go as well, with the
 * blanks before it, if the template goes on with it; else 0. */
bool template_drop_member(struct buf *out, size_t from, char *separator);
/* The same for `name=`, or for nothing, of a pair; `rest` is the literal text behind the value. */
bool template_drop_pair(struct buf *out, size_t from, gramc_text rest, char *separator);
/* The same for `name=` of a Cookie header. */
bool template_drop_cookie(struct buf *out, size_t from, gramc_text rest, char *separator);
/* The quote in front of a value that is all of a JSON string. False if there is more in it. */
bool template_drop_quote(struct buf *out, size_t from, gramc_text rest);

#endif
