/* The content type of a file that is sent, by what the call says and by the file's name. */
#ifndef RUNTIME_HTTPTOOL_MEDIA_TYPE_H
#define RUNTIME_HTTPTOOL_MEDIA_TYPE_H

#include "gramc/gramc.h"

/* `said`: one media type, or several separated by commas, in which stars may stand (OpenAPI's
 * encoding); empty: nothing. Of several, the one that fits the name; else the first without a star;
 * else application/octet-stream. */
gramc_text media_type_of_file(gramc_text said, gramc_text name);

#endif
