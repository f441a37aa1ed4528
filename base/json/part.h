/* A value that is read from the middle of a text. */
#ifndef BASE_JSON_PART_H
#define BASE_JSON_PART_H

#include "base/json/json.h"

/* The value in [from, to) of a text of at most 2 GiB; places count from the start of the text. As
 * json_parse does otherwise. */
struct json *json_parse_part(struct arena *arena, gramc_text text, size_t from, size_t to);

#endif
