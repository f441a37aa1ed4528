/* The pattern tree: what a .gram text says, before anybody asks what it means. Built once by the
 * parser in one arena and const afterwards. Spans are byte offsets into the source.
 *
 * Nodes are small, because there are more of them than bytes of anything else: a name is 16 bytes
 * and a value 32. Ask for texts and spans through the functions below.
 *
 * Paths are flat: a PATTERN_PATH has the elements node, arrow, node, arrow, node, so that a path of
 * 100,000 steps is a list and not a tower. Texts are decoded (escapes resolved) and borrow from the
 * source where nothing had to be decoded. */
#ifndef GRAMMAR_TREE_H
#define GRAMMAR_TREE_H

#include "base/source.h"

enum name_kind {
    NAME_SYMBOL,
    NAME_QUOTED /* `x` */,
    NAME_DOUBLE_QUOTED /* "x": keys only */,
    NAME_INTEGER
};

/* A name in quotes, which is rare. */
struct quoted_name {
    gramc_text text; /* decoded */
    enum name_kind kind;
};

struct name {
    union {
        const char *plain; /* where it stands in the source */
        const struct quoted_name *quoted;
    } as;
    uint32_t start : 31;     /* in the source */
    uint32_t is_quoted : 1;  /* which one of `as` */
    uint32_t len : 31;       /* in the source, quotes included */
    uint32_t two_colons : 1; /* in front of a label, behind a key */
};

/* Decoded; of an integer, as written. */
static inline gramc_text name_text(struct name name) {
    return name.is_quoted ? name.as.quoted->text : (gramc_text){name.as.plain, name.len};
}
static inline struct span name_span(struct name name) {
    return (struct span){name.start, name.start + name.len};
}
static inline enum name_kind name_kind(struct name name) {
    if (name.is_quoted) return name.as.quoted->kind;
    char first = name.as.plain[0];
    return first == '-' || (first >= '0' && first <= '9') ? NAME_INTEGER : NAME_SYMBOL;
}

enum value_kind {
    VALUE_INTEGER,
    VALUE_DECIMAL, /* with an exponent too (extension) */
    VALUE_HEXADECIMAL,
    VALUE_OCTAL,
    VALUE_MEASUREMENT, /* text is all of it, measurement_unit_at() says where its unit begins */
    VALUE_BOOLEAN,
    VALUE_SYMBOL,
    VALUE_STRING,
    VALUE_TAGGED,
    VALUE_RANGE,
    VALUE_ARRAY,
    VALUE_MAP
};

enum quote_kind { QUOTE_NONE, QUOTE_SINGLE, QUOTE_DOUBLE, QUOTE_BACKTICK, QUOTE_FENCE };

struct tagged_text {
    const char *text;
    struct name tag;
};
struct value_range {
    struct value *lower, *upper; /* NULL: open */
};

struct value {
    struct value *next; /* in an array */
    struct span span;
    uint8_t kind;   /* enum value_kind */
    uint8_t quote;  /* enum quote_kind, of VALUE_STRING and VALUE_TAGGED */
    bool annotates; /* it belongs to a struct annotation */
    uint32_t count; /* of items or entries; of a scalar, the bytes of its text */
    union {
        const char *text; /* of every kind that is none of these */
        const struct tagged_text *tagged;
        const struct value_range *range;
        struct value *items;      /* VALUE_ARRAY: the first */
        struct property *entries; /* VALUE_MAP: the first */
    } as;
};

/* The spelling of a number or symbol, the decoded content of a string; a fence's is raw: no dedent,
 * closing blanks kept. */
static inline gramc_text scalar_text(const struct value *value) {
    const char *text = value->kind == VALUE_TAGGED ? value->as.tagged->text : value->as.text;
    return (gramc_text){text, value->count};
}
/* NULL: it has none. */
static inline const struct name *scalar_tag(const struct value *value) {
    return value->kind == VALUE_TAGGED ? &value->as.tagged->tag : NULL;
}
/* Of the text of a VALUE_MEASUREMENT: behind the last digit. */
uint32_t measurement_unit_at(const struct value *value);

/* A pair in a record or map, or an annotation `@key(value)`. */
struct property {
    struct property *next;
    struct name key;
    struct value *value;
};

/* `@key(value)`, which is rare. */
struct annotation {
    struct property property;
    struct span span;
};

static inline struct span property_span(const struct property *property) {
    if (property->value->annotates) return ((const struct annotation *)property)->span;
    return (struct span){property->key.start, property->value->span.end};
}

struct label {
    struct label *next;
    struct name name;
};

struct subject {
    struct name identifier; /* see subject_has_identifier() */
    struct label *labels;
    struct property *properties;
    struct span record; /* braces included; see subject_has_record() */
};

static inline bool subject_has_identifier(const struct subject *subject) {
    return subject->identifier.len > 0;
}
static inline bool subject_has_record(const struct subject *subject) {
    return subject->record.end > 0;
}

enum pattern_kind {
    PATTERN_NODE,      /* (subject) */
    PATTERN_BRACKET,   /* [subject | elements] */
    PATTERN_REFERENCE, /* a bare identifier among elements */
    PATTERN_PATH,      /* at least one arrow: node, arrow, node, ... */
    PATTERN_ARROW,     /* inside a path; its subject is the bracketed one */
    PATTERN_ANNOTATED, /* @@id:Label @key(value) in front of exactly one element */
    PATTERN_HEADER     /* the record that a file may begin with */
};

enum arrow_family { ARROW_SINGLE, ARROW_DOUBLE, ARROW_SQUIGGLE };
enum arrow_direction { ARROW_UNDIRECTED, ARROW_RIGHT, ARROW_LEFT, ARROW_BOTH };

struct pattern {
    struct pattern *next;     /* sibling */
    struct pattern *elements; /* first one */
    struct subject *subject;  /* NULL: nothing was written. For PATTERN_ANNOTATED: @@ identifier and
                                 labels, and the @key(value) pairs as properties */
    struct span span;
    uint32_t element_count;
    uint8_t kind;      /* enum pattern_kind */
    uint8_t family;    /* PATTERN_ARROW: enum arrow_family */
    uint8_t direction; /* PATTERN_ARROW: enum arrow_direction */
};

struct comment {
    struct comment *next;
    struct span span; /* from // to before the line feed */
};

/* Something that was used and that plain gram does not have. */
enum extension {
    EXT_NESTED_VALUE, /* array or map inside an array or map */
    EXT_EMPTY_ARRAY,  /* [] */
    EXT_MAP_DOUBLE_COLON,
    EXT_EXPONENT,            /* 1e5, 1.5e-3 */
    EXT_DECIMAL_MEASUREMENT, /* 1.5kg */
    EXT_STRING_NEWLINE,      /* a line feed inside quotes */
    EXT_UNICODE_ESCAPE,      /* \u0041 */
    EXTENSION_COUNT
};

struct extension_use {
    struct extension_use *next;
    struct span span;
    uint8_t extension;
};

struct tree {
    const struct source *source;
    struct pattern *patterns; /* top level, the header first if there is one */
    uint32_t pattern_count;
    struct comment *comments;         /* in order */
    struct extension_use *extensions; /* in order */
    bool has_header;
};

#endif
