/* The validator's thorough half: judges a document against a node, keeps track of where it stands,
 * and reports every error if somebody listens. */
#ifndef JSONSCHEMA_EVALUATE_H
#define JSONSCHEMA_EVALUATE_H

#include "jsonschema/compiled.h"

enum {
    JUDGE_MAX_FRAMES = 2500,       /* schema applications inside each other */
    JUDGE_STEPS = 2 * 1000 * 1000, /* applications and comparisons, whatever the instance... */
    JUDGE_STEPS_PER_BYTE = 16      /* ...and with each of its bytes */
};

/* One application of a node to a value. Frames on the C stack lead back to the root: through the
 * schema (keyword and token), through the instance (values), through the dynamic scope. */
struct frame {
    const struct frame *up;
    const struct node *node;
    const struct json *value;
    const char *keyword; /* by which the node was reached; NULL at the root */
    gramc_text token;    /* behind it: a member name... */
    uint32_t index;      /* ...or the place in a list, if token.ptr is NULL and `listed` */
    bool listed;
    bool name; /* the value is a member's name, not a member */
};

struct violation {
    struct violation *next;
    gramc_violation shown;
    gramc_text path;     /* through the schema with every $ref: the standard's keywordLocation */
    gramc_text absolute; /* URI of the keyword */
    unsigned weight;     /* how far off the value is: for choosing among alternatives */
};

struct report {
    struct violation *first, **link;
    size_t kept, total, max;
    unsigned weight;
};

struct judge {
    const struct gramc_schema *schema;
    struct arena *arena;
    struct report *report; /* NULL: only the answer counts, the first failure ends it */
    struct regex_session regexes;
    uint64_t steps, all_steps;
    unsigned frames;
    gramc_status status; /* GRAMC_LIMIT or GRAMC_NOMEM: the answer means nothing */
};

/* Which items or members were evaluated. */
struct marks {
    uint64_t *bits;
    uint32_t count;
    uint64_t some[4]; /* where bits points when that is enough */
};

/* `bytes`: of the instance, which the time limit grows with. */
void judge_init(struct judge *judge, const struct gramc_schema *schema, struct arena *arena,
                struct report *report, size_t bytes);
void judge_free(struct judge *judge);

/* True if the value is valid, and the status is still GRAMC_OK. */
bool judge_document(struct judge *judge, const struct json *value);
/* The same below another frame; marks NULL: nobody asks what was evaluated. */
bool judge_frame(struct judge *judge, const struct frame *frame, struct marks *marks);
/* Reports members with the same name, at every depth; false if there are any. */
bool judge_duplicates(struct judge *judge, const struct json *root);
/* Whether this place accepts the value, without any report. */
bool judge_quietly(struct judge *judge, const struct frame *frame);
/* What a dynamic reference means at this place. */
const struct node *judge_dynamic_target(const struct frame *frame, const struct dynamic_ref *ref);
/* GRAMC_LIMIT or GRAMC_NOMEM ends the judging; returns false. */
bool judge_stop(struct judge *judge, gramc_status status);
bool judge_matches(struct judge *judge, const struct regex *regex, gramc_text text);

bool judge_scalar(struct judge *judge, const struct frame *at);
bool judge_array(struct judge *judge, const struct frame *at, struct marks *marks);
bool judge_object(struct judge *judge, const struct frame *at, struct marks *marks);
bool judge_apply(struct judge *judge, const struct frame *at, struct marks *marks);
/* The first two equal items, by place; false if all differ. */
bool judge_find_equal(struct judge *judge, const struct json *array, uint32_t pair[2]);

static inline void marks_set(struct marks *marks, uint32_t i) {
    if (marks) marks->bits[i / 64] |= UINT64_C(1) << i % 64;
}
static inline bool marks_has(const struct marks *marks, uint32_t i) {
    return marks->bits[i / 64] >> i % 64 & 1;
}
/* All clear, with room for each item or member of the value. False without memory. */
bool marks_init(struct judge *judge, struct marks *marks, const struct json *value);

/* A child frame in the same place of the instance. */
static inline struct frame frame_inner(const struct frame *at, const struct node *node,
                                       const char *keyword) {
    return (struct frame){.up = at, .node = node, .value = at->value, .keyword = keyword};
}
static inline struct frame frame_nth(const struct frame *at, const struct node *node,
                                     const char *keyword, size_t i) {
    return (struct frame){.up = at,
                          .node = node,
                          .value = at->value,
                          .keyword = keyword,
                          .index = (uint32_t)i,
                          .listed = true};
}
/* A frame for an item or member. */
static inline struct frame frame_child(const struct frame *at, const struct node *node,
                                       const struct json *value, const char *keyword) {
    return (struct frame){.up = at, .node = node, .value = value, .keyword = keyword};
}

/* ## report.c: one function per kind of sentence. Each does nothing without a report. */
void report_type(struct judge *judge, const struct frame *at);
void report_choice(struct judge *judge, const struct frame *at, const char *keyword);
void report_number(struct judge *judge, const struct frame *at, const char *keyword,
                   const char *expected, gramc_text limit);
void report_size(struct judge *judge, const struct frame *at, const char *keyword, uint32_t limit,
                 size_t got);
void report_pattern(struct judge *judge, const struct frame *at);
void report_format(struct judge *judge, const struct frame *at);
void report_equal_items(struct judge *judge, const struct frame *at, const uint32_t pair[2]);
void report_contains(struct judge *judge, const struct frame *at, const char *keyword,
                     uint32_t limit, uint32_t got);
void report_required(struct judge *judge, const struct frame *at, const struct property *property);
void report_dependent(struct judge *judge, const struct frame *at,
                      const struct dependent *dependent, gramc_text missing);
/* A schema that is `false`: nothing may stand here. */
void report_never(struct judge *judge, const struct frame *at);
void report_not(struct judge *judge, const struct frame *at);
void report_none_fits(struct judge *judge, const struct frame *at, const char *keyword,
                      unsigned kinds);
void report_two_fit(struct judge *judge, const struct frame *at, size_t first, size_t second);
void report_duplicate(struct judge *judge, const struct frame *at, const struct json *member);
/* Not a judgement: the bytes are not JSON. */
void report_not_json(struct judge *judge, const struct json_error *error);
/* Appends what `from` holds. */
void report_append(struct report *report, const struct report *from);

#endif
