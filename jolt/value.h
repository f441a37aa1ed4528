/* JSON that can be changed, for transformations: values in the arena of one application, scalars
 * immutable and shared, containers owned by one parent. Every operation counts against budgets, so
 * that no spec can make a small input grow without bound; the first failure is sticky. */
#ifndef JOLT_VALUE_H
#define JOLT_VALUE_H

#include "base/json/json.h"
#include "base/limits.h"

struct jolt_node {
    uint8_t kind;    /* enum json_kind */
    bool wide;       /* a number that was made as 64-bit: Java's long, whatever its value */
    gramc_text text; /* number: as spelled; string: decoded */
    struct jolt_node **items;
    gramc_text *keys; /* of an object */
    uint32_t count, room;
    uint32_t *slots; /* of a large object: 1 + position, by hash; NULL: to be made when needed */
    uint32_t slot_count;
};

/* One application of a chain. */
struct jolt_work {
    struct arena arena;
    gramc_status status; /* GRAMC_OK, GRAMC_NOMEM or GRAMC_LIMIT */
    uint32_t values_left;
    size_t bytes_left;
    uint64_t steps_left;
    struct jolt_node *null; /* the one that fills holes */
    struct jolt_node *context;
};

/* Counts a step; false when the work has failed or must end. */
bool work_step(struct jolt_work *work);
/* Counts bytes of a text that is being made. */
bool work_bytes(struct jolt_work *work, size_t len);
void work_fail(struct jolt_work *work, gramc_status status);

/* All of these give NULL without memory or budget. */
struct jolt_node *node_new(struct jolt_work *work, enum json_kind kind);
struct jolt_node *node_text(struct jolt_work *work, enum json_kind kind, gramc_text text);
/* Copies containers, and shares scalars. */
struct jolt_node *node_copy(struct jolt_work *work, struct jolt_node *node);
struct jolt_node *node_from_json(struct jolt_work *work, const struct json *value);

/* The place of a member; NULL if there is none. Valid until the object changes. */
struct jolt_node **node_member(struct jolt_work *work, struct jolt_node *object, gramc_text key);
/* The same, made if absent: then it holds NULL, which the caller replaces. */
struct jolt_node **node_make_member(struct jolt_work *work, struct jolt_node *object,
                                    gramc_text key);
/* The place of an item; NULL if there is none. */
struct jolt_node **node_item(struct jolt_node *array, size_t index);
/* Fills up with null until there are `count` items. */
bool node_fill(struct jolt_work *work, struct jolt_node *array, size_t count);
/* A new last place, holding NULL. */
struct jolt_node **node_append(struct jolt_work *work, struct jolt_node *array);
bool node_push(struct jolt_work *work, struct jolt_node *array, struct jolt_node *item);
/* Drops the members or items that hold NULL. */
void node_compact(struct jolt_node *container);
/* Exchanges the order: `order` holds positions, one of each. */
bool node_reorder(struct jolt_work *work, struct jolt_node *object, const uint32_t *order);

/* All false for NULL, but that NULL counts as absent, as null does. */
static inline bool node_is(const struct jolt_node *node, enum json_kind kind) {
    return node && node->kind == kind;
}
static inline bool node_is_absent(const struct jolt_node *node) {
    return !node || node->kind == JSON_NULL;
}
static inline bool node_is_container(const struct jolt_node *node) {
    return node && node->kind >= JSON_ARRAY;
}
/* Numbers by their spelling: 5 and 5.0 differ. False as well when the steps are used up. */
bool node_equal(struct jolt_work *work, struct jolt_node *a, struct jolt_node *b);
/* True if nothing is nested deeper than `depth` levels. */
bool node_fits(const struct jolt_node *node, unsigned depth);
void node_put(struct buf *out, const struct jolt_node *node);
/* A key as the position in an array; false if it is none. */
bool text_index(gramc_text text, uint32_t *index);
enum { INDEX_DIGITS = 12 };
/* The other way round; borrowed from `digits`. */
gramc_text index_text(uint32_t index, char digits[INDEX_DIGITS]);

#endif
