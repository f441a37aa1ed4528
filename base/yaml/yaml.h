/* YAML as a tree that knows where everything stands. Everything of libyaml is behind this header.
 * An alias is the node that it stands for, not a copy, so no file grows by being read. */
#ifndef BASE_YAML_YAML_H
#define BASE_YAML_YAML_H

#include "base/json/json.h"
#include "base/mem.h"

/* What a file may be. Whoever reads tool sources takes yaml_small, whoever reads documents of
 * others yaml_large. */
struct yaml_limits {
    size_t bytes;
    uint32_t depth, nodes, keys; /* keys of one map */
};
extern const struct yaml_limits yaml_small, yaml_large;

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml {
    enum yaml_kind kind;
    uint32_t line, column; /* from 1; columns in characters */
    uint32_t end_line;
    uint32_t start, end; /* bytes in the text, [start, end) */
    gramc_text text;     /* of a scalar */
    bool plain;          /* written without quotes */
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
    uint32_t start; /* in bytes */
    char message[256];
};

/* One document in UTF-8. GRAMC_FINDINGS: not YAML, or more than the limits allow, with `error`. */
gramc_status yaml_read(struct yaml **out, struct arena *arena, gramc_text text,
                       struct yaml_error *error);
gramc_status yaml_read_within(struct yaml **out, struct arena *arena, gramc_text text,
                              const struct yaml_limits *limits, struct yaml_error *error);

/* The value of a member; NULL if there is none, or no map. */
const struct yaml *yaml_get(const struct yaml *map, const char *key);
/* The document as JSON by the core schema of YAML 1.2, with `<<` merged; spans are places in the
 * YAML text. What an alias stands for is copied: NULL with `error` beyond limits->nodes, NULL alone
 * without memory (arena->oom). */
struct json *yaml_json(struct arena *arena, const struct yaml *root,
                       const struct yaml_limits *limits, struct yaml_error *error);
/* Absent, or an empty plain scalar, ~ or null. */
bool yaml_is_null(const struct yaml *node);

#endif
