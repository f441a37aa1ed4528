/* The table of JOLT's stock functions, and how each takes its arguments: one by one, all together,
 * or with a leading one of a certain kind. The bodies are in jolt_function_*.c. */
#include "jolt/function.h"

#include "base/text.h"

enum arity {
    TAKES_EACH,     /* one value; of a list or of several each by itself */
    TAKES_LIST,     /* a list, or several values */
    TAKES_ALL,      /* the same, and one value as well */
    TAKES_TEXT,     /* a text, and then a list or several values */
    TAKES_POSITION, /* a whole number, and then those */
    TAKES_TEXT_EACH,
    TAKES_RAW /* whatever there is, null and nothing too */
};

struct function {
    const char *name;
    enum arity taking;
    function_body body;
};

static const struct function functions[] = {
    {"toLower", TAKES_EACH, function_to_lower},
    {"toUpper", TAKES_EACH, function_to_upper},
    {"concat", TAKES_LIST, function_concat},
    {"join", TAKES_TEXT, function_join},
    {"split", TAKES_TEXT_EACH, function_split},
    {"substring", TAKES_LIST, function_substring},
    {"trim", TAKES_EACH, function_trim},
    {"leftPad", TAKES_TEXT, function_left_pad},
    {"rightPad", TAKES_TEXT, function_right_pad},
    {"min", TAKES_ALL, function_min},
    {"max", TAKES_ALL, function_max},
    {"abs", TAKES_EACH, function_abs},
    {"avg", TAKES_LIST, function_avg},
    {"intSum", TAKES_LIST, function_int_sum},
    {"doubleSum", TAKES_LIST, function_double_sum},
    {"longSum", TAKES_LIST, function_long_sum},
    {"intSubtract", TAKES_LIST, function_int_subtract},
    {"doubleSubtract", TAKES_LIST, function_double_subtract},
    {"longSubtract", TAKES_LIST, function_long_subtract},
    {"divide", TAKES_LIST, function_divide},
    {"divideAndRound", TAKES_POSITION, function_divide_and_round},
    {"toInteger", TAKES_EACH, function_to_integer},
    {"toDouble", TAKES_EACH, function_to_double},
    {"toLong", TAKES_EACH, function_to_long},
    {"toBoolean", TAKES_EACH, function_to_boolean},
    {"toString", TAKES_EACH, function_to_string},
    {"size", TAKES_RAW, function_size},
    {"squashNulls", TAKES_RAW, function_squash_nulls},
    {"recursivelySquashNulls", TAKES_RAW, function_squash_all_nulls},
    {"squashDuplicates", TAKES_RAW, function_squash_duplicates},
    {"noop", TAKES_RAW, function_noop},
    {"isPresent", TAKES_RAW, function_is_present},
    {"notNull", TAKES_RAW, function_not_null},
    {"isNull", TAKES_RAW, function_is_null},
    {"firstElement", TAKES_LIST, function_first},
    {"lastElement", TAKES_LIST, function_last},
    {"elementAt", TAKES_POSITION, function_element_at},
    {"toList", TAKES_ALL, function_to_list},
    {"sort", TAKES_ALL, function_sort},
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

const struct function *function_find(gramc_text name) {
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (text_is(name, functions[i].name)) return &functions[i];
    return NULL;
}

gramc_text function_nearest(gramc_text name) {
    gramc_text names[FUNCTIONS];
    for (size_t i = 0; i < FUNCTIONS; i++) names[i] = text_of(functions[i].name);
    return text_nearest(name, names, FUNCTIONS);
}

struct jolt_node *node_list(struct jolt_work *work, struct jolt_node **items, size_t count) {
    struct jolt_node *list = node_new(work, JSON_ARRAY);
    for (size_t i = 0; list && i < count; i++)
        if (!node_push(work, list, items[i])) return NULL;
    return list;
}

/* What has no value stays as it is. */
static bool call_each(struct jolt_work *work, const struct function *function,
                      struct jolt_node *first, struct jolt_node **items, size_t count,
                      struct jolt_node **out) {
    struct jolt_node *list = node_new(work, JSON_ARRAY);
    for (size_t i = 0; list && i < count; i++) {
        struct jolt_node *value = NULL;
        if (!work_step(work)) return false;
        if (!function->body(work, first, &items[i], 1, &value)) value = items[i];
        if (!node_push(work, list, value)) return false;
    }
    *out = list;
    return list != NULL;
}

static bool call_single(struct jolt_work *work, const struct function *function,
                        struct jolt_node *item, struct jolt_node **out) {
    if (item->kind == JSON_NULL) return false;
    if (function->taking == TAKES_LIST) return false;
    return function->body(work, NULL, &item, 1, out);
}

static bool call_plain(struct jolt_work *work, const struct function *function,
                       struct jolt_node **items, size_t count, struct jolt_node **out) {
    if (count == 1 && items[0]->kind != JSON_ARRAY)
        return call_single(work, function, items[0], out);
    if (count == 1) {
        count = items[0]->count;
        items = items[0]->items;
        if (count == 0) return false;
    }
    return function->taking == TAKES_EACH ? call_each(work, function, NULL, items, count, out)
                                          : function->body(work, NULL, items, count, out);
}

static bool leads(const struct function *function, const struct jolt_node *first) {
    return function->taking == TAKES_POSITION
               ? node_is(first, JSON_NUMBER) && node_number_type(first) == NUMBER_INT
               : node_is(first, JSON_STRING);
}

static bool call_led(struct jolt_work *work, const struct function *function,
                     struct jolt_node **items, size_t count, struct jolt_node **out) {
    if (count == 1 && items[0]->kind == JSON_ARRAY) {
        count = items[0]->count;
        items = items[0]->items;
    }
    if (count < 2 || !leads(function, items[0])) return false;
    struct jolt_node *first = items[0], *second = items[1];
    bool each = function->taking == TAKES_TEXT_EACH;
    if (count > 2)
        return each ? call_each(work, function, first, items + 1, count - 1, out)
                    : function->body(work, first, items + 1, count - 1, out);
    if (second->kind == JSON_ARRAY)
        return each ? call_each(work, function, first, second->items, second->count, out)
                    : function->body(work, first, second->items, second->count, out);
    return each && function->body(work, first, &second, 1, out);
}

bool function_call(struct jolt_work *work, const struct function *function,
                   struct jolt_node **arguments, size_t count, struct jolt_node **out) {
    if (count == 1 && !arguments[0]) return false;
    for (size_t i = 0; i < count; i++)
        if (!arguments[i]) arguments[i] = work->null;
    switch (function->taking) {
    case TAKES_RAW: return function->body(work, NULL, arguments, count, out);
    case TAKES_EACH:
    case TAKES_LIST:
    case TAKES_ALL: return call_plain(work, function, arguments, count, out);
    default: return call_led(work, function, arguments, count, out);
    }
}
