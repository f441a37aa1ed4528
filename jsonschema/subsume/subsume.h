/* The inside of gramc_schema_compare: two schema documents, and what its parts share. subsume.c
 * takes the question apart; rules.c decides about one type and one keyword; shape.c says what a
 * schema lets through; sample.c makes values; evaluate.c asks the validator. */
#ifndef JSONSCHEMA_SUBSUME_SUBSUME_H
#define JSONSCHEMA_SUBSUME_SUBSUME_H

#include "base/json/json.h"
#include "gramc/schema.h"
#include "jsonschema/types.h"

enum { COMPAT_NODES = 24, COMPAT_LEVELS = 60, SUBSUME_PROGRAMS = 4096 };

struct subsume_program {
    struct subsume_program *next;
    const struct json *node;
    gramc_schema *program; /* NULL: it cannot be compiled on its own */
};

enum { EVALUATE_BUCKETS = 256 };

struct subsume_side {
    const struct json *root, *defs; /* defs NULL: none */
    gramc_schema *program;          /* of the whole document */
    gramc_schema *given;            /* that the document was made from; NULL: it is the document */
    struct subsume_program *programs[EVALUATE_BUCKETS];
};

/* Schemas that all apply to one value. Leaving one out only makes the set larger, which may cost a
 * "yes" but never makes a wrong one. */
struct conjunction {
    const struct json *nodes[COMPAT_NODES];
    uint32_t count;
};

/* NO comes with a witness: JSON that A's part accepts and B's part does not. */
struct subsume_answer {
    gramc_comparison_answer kind;
    gramc_text witness;
    const char *reason; /* of UNKNOWN; a constant */
};

struct pair;
struct compat {
    struct arena arena;
    struct subsume_side a, b;
    const struct pair *pairs; /* that are being compared, innermost first */
    const char *limit;        /* the limit that was passed; NULL: none */
    uint64_t steps;           /* that are left */
    uint32_t level;           /* members and items above */
    uint32_t evaluate_count;
    enum json_type sampled;  /* only values of that type; JSON_TYPES: of any */
    uint32_t variant, depth; /* of the sample that is being made; how deep it may still get */
    uint32_t doubts;         /* required members that are being searched for an empty one */
    bool sampling;
    bool typical; /* samples are for people to see: what is usual comes first, not what is small */
    bool same_defs;
    bool only_proves; /* nobody asks for a NO: no values are made */
    bool undecided;   /* a part could not be evaluated: then nothing is proven */
};

extern const struct subsume_answer subsume_yes;
struct subsume_answer subsume_unknown(const char *reason);
struct subsume_answer subsume_no(gramc_text witness);
/* Takes one step; false when there are none left, or memory. */
bool subsume_step(struct compat *compat);

/* The values of a schema with their defaults filled in, as a schema; NULL without memory. Its texts
 * are the schema's. */
const struct json *subsume_filled_in(struct arena *arena, const struct json *schema);
/* The same for a tool's parameters, whose root has no unknown members. */
const struct json *subsume_as_sent(struct arena *arena, const struct json *parameters);

/* ## Taking apart */

/* What is to be decided about one branch: values of one type, and B. JSON_TYPE_NUMBER has the whole
 * numbers too, unless they are a branch of their own. */
typedef struct subsume_answer branch_question(struct compat *compat, const struct conjunction *a,
                                              enum json_type only, const struct json *b);
/* Asks about each branch of A (alternatives, types) until one answer is NO. */
struct subsume_answer subsume_each_branch(struct compat *compat, const struct conjunction *a,
                                          const struct json *b, branch_question *question);
/* A is a part of B? */
struct subsume_answer subsume_includes(struct compat *compat, const struct conjunction *a,
                                       const struct json *b);
/* The same for one branch; B is followed through references and alternatives. */
struct subsume_answer subsume_branch_includes(struct compat *compat, const struct conjunction *a,
                                              enum json_type only, const struct json *b);
/* True if it, or something in it, refers to another schema. */
bool subsume_has_reference(const struct json *value);
const struct json *subsume_follow(const struct subsume_side *side, const struct json *reference);
/* Why a document cannot be taken apart; NULL: it can. */
const char *subsume_obstacle(const struct json *document);
void conjunction_add(struct conjunction *conjunction, const struct json *node);

/* ## Rules */

/* One keyword of B, for one type. */
struct subsume_answer rules_keyword(struct compat *compat, const struct conjunction *a,
                                    enum json_type only, const struct json *b,
                                    const struct json *keyword);
/* YES: no value can be in both. */
struct subsume_answer rules_disjoint(struct compat *compat, const struct conjunction *a,
                                     enum json_type only, const struct json *b);
/* YES: there is no value at all. */
struct subsume_answer rules_empty(struct compat *compat, const struct conjunction *a,
                                  enum json_type only, const struct json *unused);

/* ## Shapes: what a branch of A lets through */

/* Bit of `type` that a name stands for; 0 for an unknown name. */
unsigned shape_types(const struct json *node);

struct range {
    gramc_text low, high; /* empty: none */
    bool over, under;     /* the bounds themselves are excluded */
    bool whole;
};
struct range shape_range(struct compat *compat, const struct conjunction *a, enum json_type only);
struct counts {
    uint64_t min, max;
};
enum { SHAPE_UNBOUNDED = INT32_MAX };
struct counts shape_counts(const struct conjunction *a, const char *min, const char *max);
/* The count that a keyword says; `otherwise` if it is absent or no plain number. */
uint64_t shape_count(const struct json *value, uint64_t otherwise);
/* Items of an array: as minItems and maxItems, and as its closed end says. */
struct counts shape_items(const struct conjunction *a);
bool shape_is_unique(const struct conjunction *a);
bool shape_has_text(const struct conjunction *a, const char *keyword, gramc_text text);
bool shape_requires(const struct conjunction *a, gramc_text name);
/* What applies to a member (name.ptr NULL: to one that no schema names), or to an item. */
void shape_member(struct conjunction *out, const struct conjunction *a, gramc_text name);
void shape_item(struct conjunction *out, const struct conjunction *a, uint64_t index);
uint64_t shape_prefix(const struct conjunction *a);
/* True if a schema says that there can be no such thing. */
bool conjunction_is_false(const struct conjunction *conjunction);

/* ## Samples */

/* A value of A; empty if none was found. Variants are different values where that is easy. */
gramc_text subsume_sample_of(struct compat *compat, const struct conjunction *a, uint32_t variant);
/* An object of A: with that member set (value.len), left out (value.ptr NULL), or (name.ptr NULL)
 * as small as can be. */
gramc_text subsume_sample_object(struct compat *compat, const struct conjunction *a,
                                 gramc_text name, gramc_text value);
/* An array of A of `count` items, with item `index` set unless value is empty. */
gramc_text subsume_sample_array(struct compat *compat, const struct conjunction *a, uint64_t count,
                                uint64_t index, gramc_text value);
/* Looks for a value of A that B refuses. */
struct subsume_answer subsume_sample_against(struct compat *compat, const struct conjunction *a,
                                             enum json_type only, const struct json *b,
                                             const char *reason);
/* A name that neither schema knows. */
gramc_text subsume_sample_name(struct compat *compat, const struct conjunction *a,
                               const struct json *b);

/* Writes a text that the regular expression probably matches; another taste, another text. */
void pattern_guess(struct buf *out, gramc_text pattern, uint32_t taste);

/* ## Evaluating */

bool subsume_evaluate_node(struct compat *compat, struct subsume_side *side,
                           const struct json *node, gramc_text json);
bool subsume_evaluate_conjunction(struct compat *compat, const struct conjunction *a,
                                  gramc_text json);
/* A accepts it and B does not. */
bool subsume_evaluate_witness(struct compat *compat, const struct conjunction *a,
                              const struct json *b, gramc_text json);
/* The validator's word; false, with arena.oom, without memory. */
bool subsume_evaluate_program(struct compat *compat, const gramc_schema *program, gramc_text json);
void subsume_evaluate_free(struct subsume_side *side);
/* The value with A's defaults filled in, as the runtime does it. */
gramc_text subsume_evaluate_fill(struct compat *compat, gramc_text json);
gramc_text subsume_print(struct compat *compat, const struct json *value);

#endif
