/* The formats of JSON Schema (2020-12, Validation, section 7.3). */
#ifndef JSONSCHEMA_FORMATS_H
#define JSONSCHEMA_FORMATS_H

#include "gramc/gramc.h"

struct format {
    const char *name;
    bool (*fits)(gramc_text text); /* of well-formed UTF-8; allocates nothing, any thread */
    const char *about;             /* "a date such as 2024-02-29" */
};

/* NULL for a name that the standard does not define: then nothing is checked. */
const struct format *format_find(gramc_text name);

#endif
