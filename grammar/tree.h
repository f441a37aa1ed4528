/* The pattern tree: what a .gram text says, before anybody asks what it means. Built once by the
 * parser in one arena and const afterwards. Spans are byte offsets into the source.
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

struct name {
    gramc_text text; /* decoded; of an integer, as written */
    struct span span;
    uint8_t kind;
    uint8_t colons; /* of a label or a key: 1 or 2, as it was written; else 0 */
};

enum value_kind {
    VALUE_INTEGER,
    VALUE_DECIMAL, /* with an exponent too (extension) */
    VALUE_HEXADECIMAL,
    VALUE_OCTAL,
    VALUE_MEASUREMENT, /* text is all of it, unit_at says where in it the unit begins */
    VALUE_BOOLEAN,
    VALUE_SYMBOL,
    VALUE_STRING,
    VALUE_TAGGED, /* tag, text */
    VALUE_RANGE,  /* first: lower or NULL when open, second in `upper` */
    VALUE_ARRAY,  /* items from first */
    VALUE_MAP     /* entries */
};

enum quote_kind { QUOTE_NONE, QUOTE_SINGLE, QUOTE_DOUBLE, QUOTE_BACKTICK, QUOTE_FENCE };

struct value {
    struct value *next; /* in an array */
    struct span span;
    uint8_t kind;     /* enum value_kind */
    uint8_t quote;    /* enum quote_kind, of VALUE_STRING and VALUE_TAGGED */
    uint32_t unit_at; /* VALUE_MEASUREMENT */
    union {
        struct {
            gramc_text text;  /* spelling of a number or symbol, decoded content of a string;
                                 a fence's is raw: no dedent, closing blanks kept */
            struct name *tag; /* VALUE_TAGGED */
        } scalar;
        struct {
            struct value *first;
            uint32_t count;
        } array;
        struct {
            struct property *first;
            uint32_t count;
        } map;
        struct {
            struct value *lower, *upper; /* NULL: open */
        } range;
    } as;
};

/* A pair in a record or map, or an annotation `@key(value)`. */
struct property {
    struct property *next;
    struct name key;
    struct value *value;
    struct span span;
};

struct label {
    struct label *next;
    struct name name;
};

struct subject {
    struct name identifier; /* valid if has_identifier */
    struct label *labels;
    struct property *properties;
    struct span record; /* braces included, if has_record */
    uint32_t property_count;
    bool has_identifier, has_record;
};

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
