/* What the files that change a document share: normalise.c walks, normalise_convert.c converts one
 * value, normalise_fill.c decides which defaults stay, normalise_bytes.c keeps the list of changes
 * and writes the result. */
#ifndef JSONSCHEMA_NORMALISE_H
#define JSONSCHEMA_NORMALISE_H

#include "jsonschema/verdict.h"

/* json.mark */
enum mark {
    /* 1: MARK_NEW, which the evaluator knows as well */
    MARK_INSIDE = 2,   /* something inside changed */
    MARK_DROPPED = 4,  /* a member went */
    MARK_ADDED = 8,    /* a default came */
    MARK_FILLED = 16,  /* is one; key_start counts it */
    MARK_COERCED = 32, /* was converted, and is not once more */
    MARK_MEMBERS = MARK_DROPPED | MARK_ADDED
};

struct normaliser {
    struct verdict *verdict;
    struct evaluation *evaluation;
    gramc_text text;
    unsigned flags;
    unsigned filling;    /* defaults being filled in, one inside another */
    unsigned inside;     /* those that the outermost of them has had inside */
    struct memo refused; /* alternatives that converting does not help, by the place in the text */
};

/* Appends to the list. NULL without memory. */
struct change *change_note(struct normaliser *n, const struct evaluation_frame *at,
                           gramc_adjustment_kind kind);
/* What the value is written as now. */
gramc_text change_bytes(struct normaliser *n, const struct json *value);

/* Everything but the neighbours; in depth as the document. NULL without memory, or at a limit. */
struct json *normalise_clone(struct normaliser *n, const struct json *value, unsigned mark);

/* Normalises the value by the frame's node; whether anything changed. */
bool normalise_place(struct normaliser *n, const struct evaluation_frame *at, struct json *value);

/* Fills in what an object lacks. */
bool normalise_fill(struct normaliser *n, const struct evaluation_frame *at, struct json *object);

/* Converts a value whose type the node does not allow, if that can be done without loss. */
bool normalise_convert(struct normaliser *n, const struct evaluation_frame *at, struct json *value);

/* ## What both halves ask */
/* Converts a value in place to one of these types, but for a string that is the JSON of something.
 * `bytes`: as it is written. */
bool convert_value(struct json *value, unsigned types, gramc_text bytes);
/* Whether a string, without the blanks around it, may be the JSON of an array or object of these
 * types. */
bool convert_may_hold(gramc_text text, unsigned types);
/* Whether an array or object may become a string here: the caller or the schema says of strings
 * that they are JSON. */
bool convert_takes_json(const struct schema_node *node, unsigned flags);

#endif
