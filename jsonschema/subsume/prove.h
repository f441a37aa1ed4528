/* Whether one schema is surely a part of another, where nobody asks for a value that shows the
 * contrary. */
#ifndef JSONSCHEMA_SUBSUME_PROVE_H
#define JSONSCHEMA_SUBSUME_PROVE_H

#include "base/json/json.h"
#include "gramc/schema.h"

/* As gramc_schema_compare_documents where its answer is YES; else false, and much sooner: no value
 * is made, and a program only where listed values are evaluated. */
gramc_status subsume_prove(bool *proven, const struct json *a, const struct json *b,
                           const gramc_compare_options *options);

#endif
