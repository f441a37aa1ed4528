/* Documents with one value replaced, for tests that try every value of a recorded answer. */
#ifndef TESTS_SUPPORT_CHANGED_H
#define TESTS_SUPPORT_CHANGED_H

#include "base/json/json.h"

/* Writes the document with its n-th value, counted from the root, replaced. False: it has fewer. */
bool put_changed(struct buf *out, const struct json *value, size_t *n, const char *with);

#endif
