/* The inside of the validator: what a schema is compiled to, shared by the parts that compile it
 * (resources, read_keywords, link, compile), the two that run it (fast over bytes, evaluate over a
 * document) and those that explain (report, words). Everything that hangs off a gramc_schema is
 * const after gramc_schema_compile and free to share. */
#ifndef JSONSCHEMA_COMPILED_H
#define JSONSCHEMA_COMPILED_H

#include "gramc/schema.h"

#include "base/json/json.h"
#include "base/map.h"
#include "jsonschema/keywords.h"
#include "jsonschema/regex.h"
#include "jsonschema/types.h"

/* Which keywords there are and what they mean. */
struct dialect {
    gramc_draft draft;
    unsigned vocabularies; /* enum vocabulary, or-ed */
    bool assert_formats;
};

struct schema_document {
    struct schema_document *next;
    gramc_text uri;                    /* without fragment; empty for a nameless one */
    gramc_text text;                   /* no ptr: the document was given */
    uint32_t start;                    /* of the value, behind blanks */
    const struct json *root;           /* NULL: it is kept as text, and was let go (written.c) */
    _Atomic(struct read_again *) read; /* the same, once somebody asked for it */
};

/* A name for a place in a resource. */
struct anchor {
    struct anchor *next;
    gramc_text name;
    const struct json *schema;      /* while compiling */
    const struct schema_node *node; /* of dynamic anchors */
    bool dynamic;
};

/* All of them, and the dynamic ones. */
struct anchor_names {
    struct map all, dynamic;
};

/* A schema that has a URI of its own: a document's root, or what carries $id. */
struct resource {
    struct resource *next;
    gramc_text uri;
    const struct schema_document *document;
    const struct json *root; /* while compiling */
    uint32_t place;          /* of the root in the document */
    struct dialect dialect;
    struct anchor *anchors;
    struct anchor_names *names;          /* NULL: there are none */
    bool recursive_anchor;               /* 2019-09 */
    const struct schema_node *root_node; /* of resources with a recursive anchor */
};

struct schema_node;

struct node_list {
    const struct schema_node *const *nodes;
    size_t count;
};

enum bound { BOUND_MIN, BOUND_MAX, BOUND_OVER, BOUND_UNDER, BOUND_COUNT };

struct number_rules {
    gramc_text bounds[BOUND_COUNT]; /* minimum, maximum, exclusiveMinimum, exclusiveMaximum */
    gramc_text multiple_of;         /* empty: none */
    int64_t least, most;            /* the bounds on whole numbers that fit, for the fast path */
    bool inclusive;                 /* neither bound is exclusive */
    bool bounded;                   /* they say all that there is to say about numbers that fit */
};

/* Bytes that are gone over to judge a number of that length: a long divisor is taken away from it
 * several times for each digit. */
static inline uint64_t number_rules_bytes(const struct number_rules *rules, size_t len) {
    uint64_t bytes = len, divisor = rules->multiple_of.len;
    for (size_t i = 0; i < BOUND_COUNT; i++)
        if (rules->bounds[i].ptr) bytes += len + rules->bounds[i].len;
    return bytes + divisor + (divisor > 18 ? 4 * divisor * (len + 4 * divisor) : len);
}

struct format;

struct content_encoding;

/* What a string holds, for those who asked to have it checked. */
struct content_rules {
    const struct content_encoding *encoding; /* NULL: none */
    bool json;
    const struct schema_node *schema; /* of the JSON; NULL: anything */
};

struct string_rules {
    uint32_t min, max; /* code points */
    const struct regex *pattern;
    const struct format *format;         /* NULL: none, or only noted */
    const struct content_rules *content; /* NULL: none, or only noted */
    bool lengths_only;                   /* none of these */
    bool secret;                         /* by its format: it is not quoted */
};

struct array_rules {
    struct node_list prefix;
    const struct schema_node *rest; /* of the items behind the prefix; NULL: anything */
    const char *rest_keyword;
    const struct schema_node *contains;
    uint32_t min_contains, max_contains;
    uint32_t min, max;
    bool unique;
};

enum { NO_REQUIRED = INT32_MAX };

struct schema_property {
    gramc_text key;
    const struct schema_node *node; /* NULL: only required */
    const struct json *initial;     /* the default; NULL: none, or null */
    uint32_t required;              /* its place among the required names, or NO_REQUIRED */
    uint32_t next; /* in the table: the one that the schema writes next; until that is known, how
                      many it writes before this one */
};

/* A text as it may stand in JSON bytes, made to be compared sixteen bytes at once: its first bytes
 * and its closing quote, and which of these count. */
struct fast_key {
    unsigned char head[16], mask[16];
    gramc_text text;
    const struct schema_node *node; /* of members; NULL: only required (objects not simple) */
    uint64_t bit; /* of the member; if not simple: fast_flag, or-ed. A cache line in all */
};

enum fast_flag { FAST_REQUIRED = 1, FAST_DEFAULT = 2 };

struct fast_number;

struct fast_keys {
    const struct fast_key *keys; /* in the order of the schema */
    const uint32_t *slots;       /* a hash table of their places, from 1; NULL: they are few */
    const struct fast_number *numbers; /* of choices, as a hash table; NULL: they are few */
    const gramc_text *number_texts;    /* one for each slot of it, as the schema writes them */
    uint32_t slot_mask, number_mask;
    uint32_t count;
    uint32_t longest; /* of the texts, in bytes */
    uint8_t words;    /* of choices: null, false, true; a bit for each json_kind */
};

/* const and enum, each NULL if it is not there. */
struct value_rules {
    struct fast_keys texts; /* the strings among the choices, or the constant */
    const struct json *constant, *choices;
};

/* A default as it is filled in: `"key":value`. Empty where the fast path does not know whether it
 * fits. */
struct fast_default {
    gramc_text member;
    size_t value; /* where it starts */
};

/* What can be told of a pattern without asking it. */
enum name_pattern { PATTERN_ANY, PATTERN_PREFIX, PATTERN_WHOLE };

struct pattern_property {
    const struct regex *regex;
    gramc_text pattern;
    gramc_text literal;     /* that a name starts with, or that it is */
    enum name_pattern kind; /* PATTERN_ANY: the regular expression has to be asked */
    const struct schema_node *node;
};

/* dependentRequired and dependentSchemas, and both kinds of dependencies. */
struct dependent {
    gramc_text key;
    const struct json *names;       /* an array of strings, or NULL */
    const struct schema_node *node; /* or NULL */
    const char *keyword;
};

/* The same for the fast path: places among the fast keys. */
struct fast_dependent {
    uint32_t key;
    uint32_t count;
    const uint32_t *names;
    const struct schema_node *node; /* or NULL */
};

struct object_rules {
    struct schema_property *properties; /* sorted by key; also holds the names that are required */
    uint32_t property_count;
    uint32_t first; /* in the order of the schema */
    uint32_t required_count;
    uint32_t required_undefaulted; /* without those that have a default */
    const uint32_t *asked; /* the places of those that are required, as the schema writes them */
    const struct pattern_property *patterns;
    const struct dependent *dependents;
    uint32_t pattern_count, dependent_count;
    const struct schema_node *additional; /* NULL: anything */
    const struct schema_node *names;      /* propertyNames */
    uint32_t min, max;
    struct fast_keys fast; /* the properties again, for the fast path; then the names that
                              only dependents know */
    const struct fast_dependent *fast_dependents; /* NULL: there are none */
    uint64_t required;                            /* a bit for each fast keys that must be there */
    uint64_t defaults;               /* one for each that would be filled in; of an object that is
                                        not simple: how many there are */
    struct fast_default *initials;   /* one for each fast key, if there are defaults */
    const struct schema_node *other; /* of members without a property; NULL: none may be there */
    bool simple;                     /* at most 64; fast, required and other say everything */
    bool has_nodes;                  /* some of the properties has a schema */
};

/* $dynamicRef, and $recursiveRef whose name is empty. */
struct dynamic_ref {
    const struct schema_node *target; /* where it leads without a dynamic scope */
    gramc_text name;
    bool dynamic; /* the target is a dynamic anchor: look for the outermost one */
};

/* What a value's first byte tells. */
enum glance_class {
    GLANCE_STRING,
    GLANCE_NUMBER,
    GLANCE_TRUE,
    GLANCE_FALSE,
    GLANCE_NULL,
    GLANCE_OBJECT,
    GLANCE_ARRAY,
    GLANCE_CLASSES
};

/* Who judges a number. */
struct glance_number {
    const struct schema_node *node;
    uint64_t subject;
};

/* What a member says about the subjects of a glance, a bit for each. */
struct glance_row {
    uint64_t required;             /* who must have it */
    uint64_t fits[GLANCE_CLASSES]; /* whom such a value may be right for... */
    uint64_t sure[GLANCE_CLASSES]; /* ...and who has nothing more to say about it */
    uint64_t listed;               /* who lists texts */
    struct fast_keys texts;        /* bit: of all who list it */
    const struct glance_number *numbers;
    size_t number_count;
};

/* What the keys of an object tell about schemas that apply to it, the subjects: those of anyOf,
 * then those of oneOf, then `if`, then `not`. */
struct glance {
    struct fast_keys keys; /* bit: of the row */
    const struct glance_row *rows;
    uint64_t required; /* rows that somebody requires */
    uint64_t objects;  /* subjects that may be objects... */
    uint64_t exact;    /* ...and say nothing but what stands here */
    size_t nodes;      /* of allOf whose subjects are here, the first of them */
    bool choice;       /* all subjects are of one list */
};

/* What applies to the same place of the instance. */
struct applicators {
    const struct schema_node *ref;
    struct dynamic_ref *dynamic;
    struct node_list all, any, one;
    const struct schema_node *no, *if_node, *then_node, *else_node;
    const struct schema_node *unevaluated_items, *unevaluated_properties;
    const struct glance *glance; /* of those that are looked at; NULL: it would tell nothing */
};

/* How many schemas of one node a glance can be about. */
static inline size_t applicators_subjects(const struct applicators *a) {
    return a->any.count + a->one.count + (a->if_node != NULL) + (a->no != NULL) +
           (a->then_node != NULL) + (a->else_node != NULL);
}

/* How the fast path goes about a node: mostly by the one type of value that it accepts. */
enum mode {
    MODE_NOTHING, /* accepts nothing */
    MODE_TEXT,    /* strings without rules */
    MODE_STRING,
    MODE_NUMBER,      /* between `least` and `most`, and no more rules */
    MODE_CHOICE,      /* one of many numbers, and no more rules */
    MODE_EXACT,       /* any other number */
    MODE_WORD,        /* true, false, null */
    MODE_OBJECT,      /* `members` says everything */
    MODE_LONG_OBJECT, /* patterns, names to check, or very many members */
    MODE_ARRAY,
    MODE_MIXED,  /* several types: the variant for the first byte */
    MODE_MERGED, /* what applies here is one node: `itself` */
    MODE_LOOK,   /* several passes over the same bytes */
    MODE_TREE    /* reads a document and asks the evaluator */
};

/* What a value can start with. */
enum start {
    START_NONE,
    START_STRING,
    START_NUMBER,
    START_WORD,
    START_OBJECT,
    START_ARRAY,
    STARTS
};

enum node_flag {
    NODE_UNEVALUATED = 1, /* needs to know what was evaluated */
    NODE_CLOSED = 2,      /* the root of a tool call: no unknown members */
    NODE_OPEN = 4,        /* while linking: being looked at */
    NODE_LINKED = 8,      /* while linking: done */
    NODE_WRITTEN = 16,    /* an integer has neither point nor exponent (draft-04) */
    NODE_FALSE = 32,      /* the schema is `false` */
    NODE_JSON_TEXT = 64   /* says of strings that they are JSON */
};

struct schema_node {
    uint8_t types; /* that `type` allows */
    uint8_t kinds; /* that can be valid at all, as far as can be seen at once */
    uint8_t flags;
    uint8_t mode;
    uint32_t place; /* in the resource's document */
    union {         /* first what it was read from, then what its mode asks for */
        struct {
            const struct json *schema; /* while compiling */
            uint16_t chain; /* while linking: the longest way through applicators, in nodes */
        };
        struct {
            int64_t least, most; /* MODE_NUMBER */
        };
        struct {
            const struct schema_node *itself; /* MODE_LOOK, MODE_MERGED: this one without
                                                 applicators, or with those that were merged; NULL:
                                                 it says nothing */
            const struct applicators *look;   /* MODE_LOOK: those that are left */
        };
        const struct object_rules
            *members; /* MODE_OBJECT: object, or those that allow everything */
        const struct schema_node *variants; /* MODE_MIXED: this one for each start */
    };
    const struct string_rules *string; /* each NULL: no such rules */
    struct value_rules *values;
    struct object_rules *object;
    const struct array_rules *array;
    struct number_rules *number;
    const struct applicators *apply;
    const struct schema_node *same; /* for the fast path: the node that says the same, never NULL */
    struct schema_node *next;       /* of the schema, in the order of being found */
    const struct resource *resource;
};

struct gramc_schema {
    struct arena arena;
    const struct schema_node *root;
    const struct schema_document *document; /* the schema itself */
    struct schema_document *documents;      /* all */
    struct resource *resources;
    struct regex_set regexes;
    bool dynamic;      /* there are references whose target depends on the way to them */
    bool has_defaults; /* some object has members that would be filled in */
    struct schema_node *nodes;
    size_t size; /* of this, with the text behind it */
    struct schema_document own_document;
    struct resource own_resource; /* of the document's root */
    char text[];                  /* of the document, unless it was given */
};

/* Accepts everything. */
extern const struct schema_node schema_any;
extern const struct object_rules schema_any_members;

static inline const struct json *node_constant(const struct schema_node *node) {
    return node->values ? node->values->constant : NULL;
}
static inline const struct json *node_choices(const struct schema_node *node) {
    return node->values ? node->values->choices : NULL;
}

const struct anchor *resource_anchor(const struct resource *resource, gramc_text name,
                                     bool only_dynamic);

/* Whether a dialect knows the keyword. */
bool keyword_is_heeded(enum keyword keyword, const struct dialect *dialect);
/* Eight bytes at a time; the same for the same bytes. */
uint64_t fast_hash(const char *bytes, size_t len);

/* The encoding that contentEncoding names; NULL: not known (content.c). */
const struct content_encoding *content_encoding_find(gramc_text name);

/* ## written.c: documents as they were written */
/* The JSON Pointer that leads from one place to another inside it. Tells how many values it had to
 * pass. */
size_t put_pointer_to(struct buf *out, const struct schema_document *document, uint32_t from,
                      uint32_t place);
/* A schema that is an object as a document, if need be read into the arena; NULL without memory, or
 * if it was given and does not know its places. */
const struct json *read_schema(const struct schema_node *node, struct arena *arena);
/* The same of a document that is read again once and lives as long as the schema. False without
 * memory. Any thread. */
bool find_schema(const struct gramc_schema *schema, const struct schema_node *node,
                 const struct json **out, size_t *passed);
void free_read_again(struct gramc_schema *schema);

/* "an integer", "a string or null" ... for messages. */
void put_types(struct buf *out, unsigned types);

/* The property of that name, or NULL. */
const struct schema_property *find_property(const struct object_rules *rules, gramc_text key);
/* The same for one member after the other: those of most objects come in the order of the schema.
 * *likely: rules->first, to begin with. */
const struct schema_property *find_next_property(const struct object_rules *rules, gramc_text key,
                                                 uint32_t *likely);

#endif
