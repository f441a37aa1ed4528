/* Node builders: what the productions of parser.y call, one call each. Without memory they return
 * NULL or leave a list as it is, and build_has_memory() says so. */
#ifndef GRAMMAR_BUILD_H
#define GRAMMAR_BUILD_H

#include "base/mem.h"
#include "grammar/lexer.h"
#include "grammar/tree.h"

struct build {
    struct arena *arena; /* of what outlives the patterns: texts, comments, the tree itself */
    struct arena *nodes; /* of patterns, names and values; may be the same */
    struct tree *tree;
    const char *text;
    struct comment *last_comment;
    struct extension_use *last_extension;
    uint32_t extension_count;
    bool failed;     /* set by the parser: a syntax error or its stack's end */
    bool bad_escape; /* a string could not be decoded as it stands */
};

struct pattern_list {
    struct pattern *first, *last;
    uint32_t count;
};
struct value_list {
    struct value *first, *last;
    uint32_t count;
};
struct label_list {
    struct label *first, *last;
};
struct property_list {
    struct property *first, *last;
    uint32_t count;
};
struct record {
    struct property *first;
    struct span span;
    uint32_t count;
};

struct annotations {
    struct pattern *pattern; /* its element comes last */
    struct property *last;
};

/* An empty tree to build; false without memory. */
bool build_init(struct build *build, struct arena *arena, struct arena *nodes,
                const struct source *source);
static inline bool build_has_memory(const struct build *build) {
    return !build->arena->oom && !build->nodes->oom;
}
/* Puts the list of extensions into the order of the text. */
void build_finish(struct build *build);
void build_comment(struct build *build, struct token token);
void build_document(struct build *build, const struct record *header,
                    const struct pattern_list *tops);

struct pattern *build_bracket(struct build *build, struct token open, struct subject *subject,
                              const struct pattern_list *elements, struct token close);
struct pattern *build_node(struct build *build, struct token open, struct subject *subject,
                           struct token close);
struct pattern *build_reference(struct build *build, struct token identifier);
struct pattern *build_arrow(struct build *build, struct token left, struct subject *subject,
                            struct token right);
/* A node by itself, or a PATTERN_PATH. */
struct pattern *build_path(struct build *build, const struct pattern_list *path);

struct annotations build_annotations(struct build *build, struct token open,
                                     const struct token *identifier,
                                     const struct label_list *labels);
struct annotations build_property_annotation(struct build *build, struct property *property);
struct property *build_annotation_property(struct build *build, struct token open, struct token key,
                                           struct value *value, struct token close);
void build_annotate(struct annotations *annotations, struct property *property);
struct pattern *build_annotated(struct annotations annotations, struct pattern *element);

struct subject *build_subject(struct build *build, const struct token *identifier,
                              const struct label_list *labels, const struct record *record);
struct label *build_label(struct build *build, struct token name, uint8_t colons);

struct property *build_pair(struct build *build, struct token key, struct value *value,
                            uint8_t colons);

struct value *build_scalar(struct build *build, struct token token);
struct value *build_number(struct build *build, struct token token);
struct value *build_tagged(struct build *build, struct token tag, struct token body);
/* `first` and `last` are the outermost tokens; an end that is open is NULL. */
struct value *build_range(struct build *build, const struct token *lower, struct token first,
                          const struct token *upper, struct token last);
struct value *build_map(struct build *build, const struct record *record);
struct value *build_array(struct build *build, struct token open, const struct value_list *values,
                          struct token close);

/* ## Lists, and a record, which is one in braces: most of the actions, and too short for calls */

static inline struct pattern_list build_patterns(struct pattern *first) {
    return (struct pattern_list){first, first, first ? 1 : 0};
}

static inline void build_add_pattern(struct pattern_list *list, struct pattern *pattern) {
    if (!pattern) return;
    if (list->last) list->last->next = pattern;
    else list->first = pattern;
    list->last = pattern;
    list->count++;
}

/* Adds an arrow and the node that it leads to. */
static inline void build_step(struct pattern_list *path, struct pattern *arrow,
                              struct pattern *node) {
    build_add_pattern(path, arrow);
    build_add_pattern(path, node);
}

static inline struct label_list build_labels(struct label *first) {
    return (struct label_list){first, first};
}

static inline void build_add_label(struct label_list *list, struct label *label) {
    if (!label) return;
    if (list->last) list->last->next = label;
    else list->first = label;
    list->last = label;
}

static inline struct value_list build_values(struct value *first) {
    return (struct value_list){first, first, first ? 1 : 0};
}

static inline void build_add_value(struct value_list *list, struct value *value) {
    if (!value) return;
    if (list->last) list->last->next = value;
    else list->first = value;
    list->last = value;
    list->count++;
}

static inline struct property_list build_pairs(struct property *first) {
    return (struct property_list){first, first, first ? 1 : 0};
}

static inline void build_add_pair(struct property_list *list, struct property *pair) {
    if (!pair) return;
    if (list->last) list->last->next = pair;
    else list->first = pair;
    list->last = pair;
    list->count++;
}

static inline struct record build_record(struct token open, const struct property_list *pairs,
                                         struct token close) {
    return (struct record){.first = pairs ? pairs->first : NULL,
                           .span = {open.start, close.end},
                           .count = pairs ? pairs->count : 0};
}

#endif
