/* Raw schemas (`schema: json`{...}``): JSON Schema as it is, with what its references mean. A
 * reference is `#/$defs/Name`, and the name is that of a definition in the schema's own `$defs`, or
 * of a named type. */
#ifndef COMPILER_RAW_SCHEMA_H
#define COMPILER_RAW_SCHEMA_H

#include "compiler/schema.h"

struct value;

/* One reference, each spelling once. Exactly one of `own` and `definition` is not NULL. */
struct raw_use {
    struct raw_use *next;
    gramc_text reference;                /* "#/$defs/Name" */
    gramc_text name;                     /* "Name", as it is spelled in the reference */
    const struct json *own;              /* in the raw schema's `$defs` */
    const struct definition *definition; /* the named type */
};

struct raw_schema {
    const struct json *json;
    struct span at;
    struct raw_use *uses;
    const struct map *types; /* the compilation's definitions by name, for names that are taken */
};

/* Reads the value of `schema`. NULL if it is no JSON object, or after a finding about a reference
 * that leads nowhere; `*wrong` says whether the former was not reported yet. Named types must have
 * been collected. */
struct raw_schema *raw_read(struct pass *pass, const struct value *value, bool *wrong);
/* The use that a reference stands for; NULL: none. */
const struct raw_use *raw_find(const struct raw_schema *raw, gramc_text reference);

#endif
