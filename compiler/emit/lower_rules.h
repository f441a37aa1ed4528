/* The inside of lowering: one schema while it is rewritten, and the steps that do it. lower.c
 * walks, lower_steps.c rewrites single schemas, lower_objects.c those with properties. */
#ifndef COMPILER_EMIT_LOWER_RULES_H
#define COMPILER_EMIT_LOWER_RULES_H

#include "compiler/emit/lower.h"

struct lowering {
    struct arena *arena;
    enum target_dialect dialect;
    const struct lower_report *report;
    const struct json *document;
    uint32_t budget; /* schemas that may still be made */
    gramc_text refused;
};

/* Where in the document a schema stands, for messages and against endless references. */
struct lower_place {
    const struct lower_place *outer;
    gramc_text name;             /* of a property; "[]" for items; empty: same as outside */
    const struct json *referred; /* the definition that was put in line here */
    struct span at;
    uint32_t depth;
};

/* One schema while it is rewritten. */
struct lower_node {
    struct lowering *lowering;
    struct lower_place *place;
    struct json *json;
    struct buf words, keywords; /* sentences for the description; what they are about */
};

/* Lowers a schema inside `node`; NULL without memory. */
struct json *lower_inside(struct lower_node *node, gramc_text name, const struct json *schema);

/* Moves a keyword into the description. */
void node_describe(struct lower_node *node, const char *keyword);
/* Notes that something was rewritten: the words stand in a sentence behind the place. */
void node_rewritten(struct lower_node *node, const char *what);
/* A finding with the place as {0}. */
void node_report(struct lower_node *node, enum diag_id id, gramc_text second, gramc_text third);
/* Strict mode cannot say it. */
void node_refuse(struct lower_node *node);
gramc_text place_path(struct arena *arena, const struct lower_place *place);

bool type_includes(const struct json *schema, const char *type);
void schema_set_type(struct arena *arena, struct json *schema, const char *type);
/* Adds null to what a lowered schema accepts. */
void schema_allow_null(struct arena *arena, struct json *schema);

/* ## Steps. Each looks at one schema; which dialects it is for stands in lower.c. */
void step_inline_reference(struct lower_node *node);
void step_wrap_reference(struct lower_node *node);
void step_all_of(struct lower_node *node);
void step_described_enum(struct lower_node *node);
void step_one_of(struct lower_node *node);
void step_choice_or_fields(struct lower_node *node);
void step_tuple(struct lower_node *node);
void step_const(struct lower_node *node);
void step_null_flag(struct lower_node *node);
void step_text_enum(struct lower_node *node);
void step_choice_alone(struct lower_node *node);
void step_no_properties(struct lower_node *node);
void step_format(struct lower_node *node);
void step_split_null(struct lower_node *node);
void step_missing_type(struct lower_node *node);
void step_single_type(struct lower_node *node);
void step_out_of_place(struct lower_node *node);
void step_missing_items(struct lower_node *node);
void step_one_combiner(struct lower_node *node);
/* After the keywords are lowered. */
void step_required_known(struct lower_node *node);
void step_names(struct lower_node *node);
void step_close(struct lower_node *node);
void step_require_all(struct lower_node *node);
void step_upper_case(struct lower_node *node);

#endif
