/* The validator's thorough half: evaluates a document against a node, keeps track of where it
 * stands, and reports every error if somebody listens. */
#ifndef JSONSCHEMA_EVALUATE_H
#define JSONSCHEMA_EVALUATE_H

#include "jsonschema/compiled.h"
#include "jsonschema/members.h"
#include "jsonschema/memo.h"

enum {
    EVALUATE_STEPS_PER_BYTE = 2,    /* beside JUDGE_STEPS_MAX */
    EVALUATE_MEMORY_PER_BYTE = 128, /* beside JUDGE_MEMORY_MAX */
    EVALUATE_MEMO_AFTER = 4096      /* steps: most evaluations end before a table pays */
};

enum evaluation_limit {
    LIMIT_WORK,
    LIMIT_MEMORY,
    LIMIT_FRAMES,
    LIMIT_PATTERN,
    LIMIT_CONTENT,
    LIMIT_RESULT
};

/* json.mark of a member of the root that is known to be valid and has nothing in it (MARK_FINE), of
 * a value that has no bytes of its own in the input, and of one that is on the stack:
 * others may come to stand at its address. */
enum { MARK_NEW = 1, MARK_FINE = 64, MARK_BRIEF = 128 };

/* One application of a node to a value. Frames on the C stack lead back to the root: through the
 * schema (keyword and token), through the instance (values), through the dynamic scope. */
struct evaluation_frame {
    const struct evaluation_frame *up;
    const struct schema_node *node;
    const struct json *value;
    const char *keyword; /* by which the node was reached; NULL at the root */
    gramc_text token;    /* behind it: a member name... */
    uint32_t index;      /* ...or the place in a list, if token.ptr is NULL and `listed` */
    bool listed;
    bool name;     /* the value is a member's name, not a member */
    bool placed;   /* `item` says where it stands */
    uint32_t item; /* the place of an item in its array */
};

struct violation {
    struct violation *next;
    gramc_violation shown;
    gramc_text path;     /* through the schema with every $ref: the standard's keywordLocation */
    gramc_text absolute; /* URI of the keyword */
};

/* Where violations go. One that keeps none (max is 0) only weighs how far off a value is, which is
 * how the nearest of several alternatives is found. */
struct report {
    struct violation *first, **link;
    size_t kept, total, max;
    unsigned weight;
    bool brief; /* of a violation its keyword and sentence will do */
};

struct evaluation {
    const struct gramc_schema *schema;
    struct arena *arena;
    struct report *report; /* NULL: only the answer counts, the first failure ends it */
    struct regex_session regexes;
    struct memo memo;
    struct member_index members; /* of the object that was looked at last... */
    uint32_t members_age;        /* ...when the memo had this age */
    const struct json *walked;   /* the object that was walked over last, without an index */
    uint64_t steps, all_steps;   /* left, and at first: for all that is done with the instance */
    size_t most_memory;          /* of the arena */
    unsigned frames;
    unsigned trials; /* schemas being tried, one inside another: their answer alone counts */
    const struct evaluation_frame *current; /* where it is */
    gramc_status status;     /* GRAMC_LIMIT or GRAMC_NOMEM: the answer means nothing */
    gramc_json_error *error; /* which limit, and where; NULL: nobody asks */
};

/* Which items or members were evaluated. */
struct marks {
    uint64_t *bits;
    uint32_t count;
    uint64_t some[4]; /* where bits points when that is enough */
};

/* `bytes`: of the instance, which the limits grow with. */
void evaluation_init(struct evaluation *evaluation, const struct gramc_schema *schema,
                     struct arena *arena, struct report *report, size_t bytes);
void evaluation_free(struct evaluation *evaluation);
/* Before it begins: so many steps are taken already, by the fast half. */
void evaluation_spend(struct evaluation *evaluation, uint64_t steps);

/* True if the value is valid, and the status is still GRAMC_OK. */
bool evaluate_document(struct evaluation *evaluation, const struct json *value);
/* The same below another frame; marks NULL: nobody asks what was evaluated. */
bool evaluate_frame(struct evaluation *evaluation, const struct evaluation_frame *frame,
                    struct marks *marks);
/* A schema is about to be applied: false beyond a limit. What was applied before it (`current`) is
 * told when it ends. */
bool evaluation_enter(struct evaluation *evaluation, const struct evaluation_frame *at);
void evaluation_leave(struct evaluation *evaluation, const struct evaluation_frame *outer);
/* What a node itself says of a value, without what it applies to the value or its parts, and
 * without names that others depend on. */
bool evaluate_itself(struct evaluation *evaluation, const struct evaluation_frame *at);
/* Reports members with the same name, at every depth; false if there are any. */
bool evaluate_duplicates(struct evaluation *evaluation, const struct json *root);
/* The members of an object by name, sorted if they are many. False at a limit or without memory. */
bool evaluate_index(struct evaluation *evaluation, const struct json *object,
                    struct member_index *index);
/* Whether this place accepts the value, without any report. */
bool evaluate_quietly(struct evaluation *evaluation, const struct evaluation_frame *frame);
/* What a dynamic reference means at this place. */
const struct schema_node *evaluate_dynamic_target(const struct evaluation_frame *frame,
                                                  const struct dynamic_ref *ref);
/* Whether there is a reason to look at more of a place: somebody listens, or all was well. */
static inline bool evaluation_goes_on(const struct evaluation *evaluation, bool valid) {
    return (valid || evaluation->report) && evaluation->status == GRAMC_OK;
}
/* GRAMC_NOMEM ends the evaluation; returns false. */
bool evaluation_stop(struct evaluation *evaluation, gramc_status status);
/* GRAMC_LIMIT does; says which limit it was. */
bool evaluation_limit(struct evaluation *evaluation, enum evaluation_limit limit);
/* Takes work from the budget that all parts of a judgement share; GRAMC_LIMIT when it is used up,
 * or memory is. */
bool evaluation_take(struct evaluation *evaluation, uint64_t steps);
bool evaluate_matches(struct evaluation *evaluation, const struct regex *regex, gramc_text text);

bool evaluate_scalar(struct evaluation *evaluation, const struct evaluation_frame *at);
/* ## content.c: what a string holds. */
bool evaluate_content(struct evaluation *evaluation, const struct evaluation_frame *at);
bool evaluate_array(struct evaluation *evaluation, const struct evaluation_frame *at,
                    struct marks *marks);
bool evaluate_object(struct evaluation *evaluation, const struct evaluation_frame *at,
                     struct marks *marks);
/* The same without items and members. */
bool evaluate_array_itself(struct evaluation *evaluation, const struct evaluation_frame *at);
bool evaluate_object_itself(struct evaluation *evaluation, const struct evaluation_frame *at);
/* Names that must be there because others are. */
bool evaluate_dependents(struct evaluation *evaluation, const struct evaluation_frame *at);
/* A member's name as a value. */
struct json evaluate_name_of(const struct json *member);
bool evaluate_apply(struct evaluation *evaluation, const struct evaluation_frame *at,
                    struct marks *marks);
/* The first two equal items, by place; false if all differ. */
bool evaluate_find_equal(struct evaluation *evaluation, const struct json *array, uint32_t pair[2]);

static inline void marks_set(struct marks *marks, uint32_t i) {
    if (marks) marks->bits[i / 64] |= UINT64_C(1) << i % 64;
}
static inline void marks_add(struct marks *to, const struct marks *from) {
    for (size_t i = 0; i < (from->count + 63) / 64; i++) to->bits[i] |= from->bits[i];
}
static inline bool marks_has(const struct marks *marks, uint32_t i) {
    return marks->bits[i / 64] >> i % 64 & 1;
}
/* All clear, with room for each item or member of the value. False without memory. */
bool marks_init(struct evaluation *evaluation, struct marks *marks, const struct json *value);

/* A child frame in the same place of the instance. */
static inline struct evaluation_frame frame_inner(const struct evaluation_frame *at,
                                                  const struct schema_node *node,
                                                  const char *keyword) {
    return (struct evaluation_frame){
        .up = at, .node = node, .value = at->value, .keyword = keyword};
}
static inline struct evaluation_frame frame_nth(const struct evaluation_frame *at,
                                                const struct schema_node *node, const char *keyword,
                                                size_t i) {
    return (struct evaluation_frame){.up = at,
                                     .node = node,
                                     .value = at->value,
                                     .keyword = keyword,
                                     .index = (uint32_t)i,
                                     .listed = true};
}
/* A frame for an item or member. */
static inline struct evaluation_frame frame_child(const struct evaluation_frame *at,
                                                  const struct schema_node *node,
                                                  const struct json *value, const char *keyword) {
    return (struct evaluation_frame){.up = at, .node = node, .value = value, .keyword = keyword};
}

/* ## report.c: one function per kind of sentence. Each does nothing without a report. */
void report_type(struct evaluation *evaluation, const struct evaluation_frame *at);
void report_choice(struct evaluation *evaluation, const struct evaluation_frame *at,
                   const char *keyword);
void report_number(struct evaluation *evaluation, const struct evaluation_frame *at,
                   const char *keyword, const char *expected, gramc_text limit);
void report_size(struct evaluation *evaluation, const struct evaluation_frame *at,
                 const char *keyword, uint32_t limit, size_t got);
void report_pattern(struct evaluation *evaluation, const struct evaluation_frame *at);
void report_format(struct evaluation *evaluation, const struct evaluation_frame *at);
/* `why`: what a reader of JSON said, or NULL. */
void report_content(struct evaluation *evaluation, const struct evaluation_frame *at,
                    const char *keyword, const char *expected, const char *why);
void report_equal_items(struct evaluation *evaluation, const struct evaluation_frame *at,
                        const uint32_t pair[2]);
void report_contains(struct evaluation *evaluation, const struct evaluation_frame *at,
                     const char *keyword, uint32_t limit, uint32_t got);
void report_required(struct evaluation *evaluation, const struct evaluation_frame *at,
                     const struct schema_property *property);
void report_dependent(struct evaluation *evaluation, const struct evaluation_frame *at,
                      const struct dependent *dependent, gramc_text missing);
/* A schema that is `false`: nothing may stand here. */
void report_never(struct evaluation *evaluation, const struct evaluation_frame *at);
void report_not(struct evaluation *evaluation, const struct evaluation_frame *at);
void report_none_fits(struct evaluation *evaluation, const struct evaluation_frame *at,
                      const char *keyword, unsigned kinds);
/* The object does not say which alternative it means, or names none of them. */
struct discriminator;
void report_unnamed(struct evaluation *evaluation, const struct evaluation_frame *at,
                    const char *keyword, const struct node_list *list,
                    const struct discriminator *by);
void report_two_fit(struct evaluation *evaluation, const struct evaluation_frame *at, size_t first,
                    size_t second);
void report_duplicate(struct evaluation *evaluation, const struct evaluation_frame *at,
                      const struct json *member);
/* No rule failed: the bytes are not JSON. */
void report_not_json(struct evaluation *evaluation, const struct json_error *error);
/* One more violation, or several of that weight together. */
void report_weigh(struct report *report, unsigned weight);

#endif
