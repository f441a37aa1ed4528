/* YAML as a tree that knows where everything stands. Everything of libyaml is behind this header.
 * An alias is the node that it stands for, not a copy, so no file grows by being read. */
#ifndef RUNTIME_YAML_H
#define RUNTIME_YAML_H

#include "base/mem.h"

enum { YAML_LARGEST = 4 << 20, YAML_DEEPEST = 32, YAML_MOST_NODES = 200000 };

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml {
    enum yaml_kind kind;
    uint32_t line, column; /* from 1; columns in characters */
    uint32_t end_line;
    gramc_text text; /* of a scalar */
    bool plain;      /* written without quotes */
    struct yaml_item *first;
    uint32_t count;
};

/* An item of a list, or a member of a map. Nodes may be shared, so they are not linked themselves.
 */
struct yaml_item {
    struct yaml *key; /* of a member: a scalar */
    struct yaml *value;
    struct yaml_item *next;
};

struct yaml_error {
    uint32_t line, column;
    char message[256];
};

/* One document in UTF-8. GRAMC_FINDINGS: not YAML, or more than this takes, with `error`. */
gramc_status yaml_read(struct yaml **out, struct arena *arena, gramc_text text,
                       struct yaml_error *error);

/* The value of a member; NULL if there is none, or no map. */
const struct yaml *yaml_get(const struct yaml *map, const char *key);
/* Absent, or an empty plain scalar, ~ or null. */
bool yaml_is_null(const struct yaml *node);

#endif
