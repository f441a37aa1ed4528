/* JOLT from the inside: how specs are spelled, what they are matched against, and the operations,
 * one file each. The notation is that of https://github.com/bazaarvoice/jolt; docs/jolt.md says
 * where we decided otherwise. */
#ifndef JOLT_JOLT_H
#define JOLT_JOLT_H

#include "jolt/value.h"
#include "gramc/jolt.h"

enum {
    JOLT_STARS = 16,       /* in one key */
    JOLT_SPEC_DEPTH = 100, /* of nested objects in a spec */
    JOLT_PATH_LENGTH = 64  /* elements of a path */
};

/* ## Reading a spec */
struct jolt_reader {
    struct arena *arena;
    const struct json *document; /* for JSON Pointers */
    gramc_json_error *error;
    bool failed, limit;
};

/* Reports once; false, so that it can be returned. `at` is the value that is wrong or whose key is.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool jolt_fail(struct jolt_reader *reader, const struct json *at, const char *format, ...);

/* False, and reported, if `at` stands deeper in its spec than any may. */
bool jolt_may_nest(struct jolt_reader *reader, const struct json *at, unsigned depth);

/* A text with its escapes taken out: what was escaped means only itself. */
struct spelling {
    const char *chars;
    const bool *escaped;
    size_t len;
};
bool spelling_read(struct jolt_reader *reader, gramc_text text, struct spelling *out);

/* Levels up from here, and which star's part of the key there; 0 is the whole key. */
struct jolt_reference {
    uint32_t level, group;
};

enum element_kind {
    ELEMENT_LITERAL,
    ELEMENT_STAR,   /* tokens: the texts between the stars */
    ELEMENT_AMP,    /* tokens: texts and references */
    ELEMENT_AT,     /* "@" alone */
    ELEMENT_LOOKUP, /* "@(2,a.b)" */
    ELEMENT_DOLLAR,
    ELEMENT_HASH,   /* "#text" */
    ELEMENT_APPEND, /* "[]" */
    ELEMENT_INDEX,
    ELEMENT_INDEX_AMP,    /* "[&1]" */
    ELEMENT_INDEX_HITS,   /* "[#2]" */
    ELEMENT_INDEX_LOOKUP, /* "[@(1,i)]" */
    ELEMENT_KINDS
};

struct jolt_token {
    gramc_text text;
    bool is_reference;
    struct jolt_reference reference;
};

struct jolt_path;
struct element {
    enum element_kind kind;
    gramc_text text;      /* literal or constant without escapes */
    gramc_text canonical; /* equal for two spellings of one key; what stars are ordered by */
    const struct jolt_token *tokens;
    size_t token_count;
    struct jolt_reference reference;
    uint32_t index;
    const struct jolt_path *path; /* of a lookup; NULL: stay where the levels lead */
};

struct jolt_path {
    const struct element *elements;
    size_t count;
};

/* A key of a spec. */
bool element_read(struct jolt_reader *reader, const struct json *at, struct spelling key,
                  struct element *out);
/* A key that knows no marks but stars. */
bool element_read_name(struct jolt_reader *reader, const struct json *at, struct spelling key,
                       struct element *out);
/* "a.b[0].&1": a place to write to, or (`lookup`) to read from. */
bool path_read(struct jolt_reader *reader, const struct json *at, struct spelling text, bool lookup,
               struct jolt_path *out);
/* "[": an element of an array. */
bool element_is_index(const struct element *element);

/* ## Walking */
struct match {
    gramc_text key;
    gramc_text groups[JOLT_STARS];
    uint32_t group_count;
    uint32_t hits; /* children that matched so far, for [#n] */
};

/* One level of the way from the root; the steps live on the stack of the walk. */
struct jolt_step {
    const struct jolt_step *up;
    struct jolt_node *tree;
    struct match *match;
    uint32_t original_count; /* of an array before it was filled up */
};

/* The levels are counted from `step`. */
bool element_match(struct jolt_work *work, const struct element *element, gramc_text key,
                   const struct jolt_step *step, struct match *out);
bool star_match(const struct element *element, gramc_text key, struct match *out);
/* The key that an element stands for: of a lookup, the text or whole number found there. */
bool element_text(struct jolt_work *work, const struct element *element,
                  const struct jolt_step *step, gramc_text *out);
bool element_lookup(struct jolt_work *work, const struct element *element,
                    const struct jolt_step *step, struct jolt_node **out);
bool path_lookup(struct jolt_work *work, const struct jolt_path *path, struct jolt_node *tree,
                 const struct jolt_step *step, struct jolt_node **out);
/* What a scalar is matched by: its spelling. */
gramc_text node_spelling(const struct jolt_node *scalar);

/* ## Operations */
struct jolt_operation {
    const char *name;
    bool needs_spec;
    /* Into *out, whatever it likes; reports itself. */
    bool (*read)(struct jolt_reader *reader, const struct json *spec, const void **out);
    /* Gives the new document; NULL when the work has failed. The old one is not used any more. */
    struct jolt_node *(*apply)(struct jolt_work *work, const void *spec, struct jolt_node *input);
};

extern const struct jolt_operation jolt_shift, jolt_default, jolt_remove, jolt_sort,
    jolt_cardinality, jolt_modify_overwrite, jolt_modify_default, jolt_modify_define;

/* ## Shared by the operations that match keys */
enum children_kind { CHILDREN_LITERAL, CHILDREN_COMPUTED, CHILDREN_SPECIAL };

/* Orders keys with wildcards: & first, then many stars, two, one, * alone; longer before shorter;
 * then by spelling. */
int element_order(const struct element *a, const struct element *b);
/* Finds the parts of "a|b|c". */
bool spelling_next(struct spelling *rest, struct spelling *part);

/* ## Functions of the modify operations (function.c) */
struct function;
const struct function *function_find(gramc_text name);
gramc_text function_nearest(gramc_text name);
/* An argument NULL is missing. False: there is no value to write. */
bool function_call(struct jolt_work *work, const struct function *function,
                   struct jolt_node **arguments, size_t count, struct jolt_node **out);

#endif
