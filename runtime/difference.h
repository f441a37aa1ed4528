/* Where two JSON values first differ. */
#ifndef RUNTIME_DIFFERENCE_H
#define RUNTIME_DIFFERENCE_H

#include "base/json/json.h"

/* Writes a line, path and both values, as much of it as the buffer takes; false if they are equal
 * (objects unordered, arrays ordered, numbers by value). */
bool json_difference(struct buf *out, const struct json *expected, const struct json *actual);

#endif
