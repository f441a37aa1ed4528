/* The limits of limits.def as constants. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdint.h>

#define LIMIT_GROUP(title)
#define LIMIT(name, value, unit, what, beyond) name = (value),
enum {
#include "base/limits.def"
};
#undef LIMIT
#undef LIMIT_GROUP

#endif
