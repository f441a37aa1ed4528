/* The stock functions of JOLT's modify operations, and what they share. */
#ifndef JOLT_FUNCTION_H
#define JOLT_FUNCTION_H

#include "jolt/jolt.h"

/* `first` is the leading argument of those that have one; `items` are never NULL, but may be null.
 * False: no value. */
typedef bool (*function_body)(struct jolt_work *work, struct jolt_node *first,
                              struct jolt_node **items, size_t count, struct jolt_node **out);

/* ## Numbers (function_number.c) */
bool function_min(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                  struct jolt_node **);
bool function_max(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                  struct jolt_node **);
bool function_abs(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                  struct jolt_node **);
bool function_avg(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                  struct jolt_node **);
bool function_int_sum(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                      struct jolt_node **);
bool function_long_sum(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                       struct jolt_node **);
bool function_double_sum(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                         struct jolt_node **);
bool function_int_subtract(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                           struct jolt_node **);
bool function_long_subtract(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                            struct jolt_node **);
bool function_double_subtract(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                              struct jolt_node **);
bool function_divide(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                     struct jolt_node **);
bool function_divide_and_round(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                               struct jolt_node **);
bool function_to_integer(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                         struct jolt_node **);
bool function_to_long(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                      struct jolt_node **);
bool function_to_double(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                        struct jolt_node **);

/* Java's Integer, Long, Double; or too large for a long. */
enum number_type { NUMBER_INT, NUMBER_LONG, NUMBER_DOUBLE, NUMBER_HUGE };
enum number_type node_number_type(const struct jolt_node *number);
/* A whole number that is not negative, within an int. */
bool node_small(const struct jolt_node *node, uint32_t *out);
struct jolt_node *node_integer(struct jolt_work *work, int64_t value);
/* What Java reads as a number (+5, 007, .5, 5.) as JSON spells it; without a ptr if it is none, or
 * if arena->oom says so. */
gramc_text number_spelling(struct arena *arena, gramc_text text);

/* ## Texts (function_text.c) */
bool function_to_lower(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                       struct jolt_node **);
bool function_to_upper(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                       struct jolt_node **);
bool function_trim(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                   struct jolt_node **);
bool function_concat(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                     struct jolt_node **);
bool function_join(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                   struct jolt_node **);
bool function_split(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                    struct jolt_node **);
bool function_substring(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                        struct jolt_node **);
bool function_left_pad(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                       struct jolt_node **);
bool function_right_pad(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                        struct jolt_node **);
bool function_to_string(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                        struct jolt_node **);
bool function_to_boolean(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                         struct jolt_node **);

/* Changes the case of one code point; itself if it has none. */
uint32_t text_lower(uint32_t code_point);
uint32_t text_upper(uint32_t code_point);

/* ## Lists and values (function_list.c) */
bool function_size(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                   struct jolt_node **);
bool function_squash_nulls(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                           struct jolt_node **);
bool function_squash_all_nulls(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                               struct jolt_node **);
bool function_squash_duplicates(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                                struct jolt_node **);
bool function_first(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                    struct jolt_node **);
bool function_last(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                   struct jolt_node **);
bool function_element_at(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                         struct jolt_node **);
bool function_to_list(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                      struct jolt_node **);
bool function_sort(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                   struct jolt_node **);
bool function_noop(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                   struct jolt_node **);
bool function_is_present(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                         struct jolt_node **);
bool function_not_null(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                       struct jolt_node **);
bool function_is_null(struct jolt_work *, struct jolt_node *, struct jolt_node **, size_t,
                      struct jolt_node **);

/* A list of these items; NULL without memory or budget. */
struct jolt_node *node_list(struct jolt_work *work, struct jolt_node **items, size_t count);

#endif
