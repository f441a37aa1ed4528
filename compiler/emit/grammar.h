/* Grammars of JSON texts, for engines that let a model write nothing else. A schema becomes a tree
 * of pieces (grammar_*.c), which a target prints in its notation (gbnf.c, regex.c).
 *
 * What a grammar accepts the schema accepts: a keyword that no grammar can say makes the language
 * smaller, and that is told. Only whether two names or two items are the same is beyond all of
 * them. */
#ifndef COMPILER_EMIT_GRAMMAR_H
#define COMPILER_EMIT_GRAMMAR_H

#include "base/map.h"
#include "compiler/emit/target.h"
#include "jsonschema/subsume/subsume.h"

/* ## Pieces */

enum piece_kind {
    PIECE_NEVER,  /* no text at all */
    PIECE_TEXT,   /* these bytes; none of them: the empty text */
    PIECE_SET,    /* one character of some */
    PIECE_CHAR,   /* the same inside a JSON string, not yet spelled as JSON */
    PIECE_ROW,    /* its parts one behind the other */
    PIECE_CHOICE, /* one of its parts */
    PIECE_REPEAT, /* its part, `least` to `most` times */
    PIECE_RULE    /* what a rule says */
};

enum { WITHOUT_END = INT32_MAX, CODE_POINT_MAX = 0x10FFFF };

struct char_range {
    uint32_t low, high;
};

struct grammar_piece {
    enum piece_kind kind;
    uint32_t count; /* of parts or ranges */
    uint32_t least, most;
    gramc_text text;
    const struct char_range *ranges; /* sorted, with gaps between them, no surrogates */
    const struct grammar_piece **parts;
    struct grammar_rule *rule;
};

struct grammar_rule {
    struct grammar_rule *next;
    gramc_text name;                   /* letters, digits and hyphens */
    struct conjunction of;             /* the schemas that it is for; none: not of a schema */
    const struct grammar_piece *piece; /* NULL while it is being made */
    bool is_begun, is_finite, is_used, is_scanned;
};

/* ## Making them */

struct made_choice; /* alternatives that stand for a keyword, by its schema */

struct grammar {
    struct arena *arena; /* the compat's */
    struct compat *compat;
    struct emission *e;
    const struct tool *tool;
    struct buf place;           /* `a.b[]` of the schema that is looked at */
    struct buf prefix;          /* of the names of rules */
    struct grammar_rule *first; /* rules in the order in which they were begun */
    struct grammar_rule **end;
    struct map names, told;
    struct map shared; /* rules that are not of a schema, by name */
    struct made_choice *made;
    const struct json *text_schema;
    uint32_t pieces, depth;
    bool flat; /* no rules: what contains itself is left out */
    bool too_large;
};

/* Pieces that need no memory. */
extern const struct grammar_piece piece_never, piece_empty;

const struct grammar_piece *piece_text(struct grammar *g, const char *text);
const struct grammar_piece *piece_bytes(struct grammar *g, gramc_text text);
/* A character of the ranges, which are sorted and copied; none: never. */
const struct grammar_piece *piece_set(struct grammar *g, enum piece_kind kind,
                                      const struct char_range *ranges, size_t count);
const struct grammar_piece *piece_row(struct grammar *g, const struct grammar_piece *const *parts,
                                      size_t count);
const struct grammar_piece *piece_choice(struct grammar *g,
                                         const struct grammar_piece *const *parts, size_t count);
const struct grammar_piece *piece_repeat(struct grammar *g, const struct grammar_piece *part,
                                         uint64_t least, uint64_t most);
const struct grammar_piece *piece_rule(struct grammar *g, struct grammar_rule *rule);
#define PIECES(...)                                                                                \
    (const struct grammar_piece *[]){__VA_ARGS__},                                                 \
        sizeof((const struct grammar_piece *[]){__VA_ARGS__}) /                                    \
            sizeof(const struct grammar_piece *)
static inline const struct grammar_piece *piece_maybe(struct grammar *g,
                                                      const struct grammar_piece *part) {
    return piece_repeat(g, part, 0, 1);
}
static inline bool piece_is_never(const struct grammar_piece *piece) {
    return piece->kind == PIECE_NEVER;
}
static inline bool piece_is_empty(const struct grammar_piece *piece) {
    return piece->kind == PIECE_TEXT && piece->text.len == 0;
}

/* Parts that are gathered for a row or a choice. */
struct piece_list {
    struct grammar *g;
    const struct grammar_piece **parts;
    size_t count, size;
};
void piece_list_add(struct piece_list *list, const struct grammar_piece *piece);

/* A rule with a name of its own, near to the one that is wanted; NULL without memory. */
struct grammar_rule *grammar_rule_new(struct grammar *g, gramc_text wanted);
/* The piece by a rule, where there are rules. */
const struct grammar_piece *grammar_named(struct grammar *g, const char *name,
                                          const struct grammar_piece *piece);

/* ## What is told. `what` says what is lost, as the end of a sentence. */
void grammar_narrowed(struct grammar *g, const char *what);
/* The same, and the empty language. */
const struct grammar_piece *grammar_refused(struct grammar *g, const char *what);
/* Names or items may be the same. */
void grammar_may_repeat(struct grammar *g, const char *what);

/* ## Schemas that all hold for one value, with alternatives that are still to be chosen */

enum { MEET_CHOICES = 24 };

struct meet {
    struct conjunction of;
    const struct json *choices[MEET_CHOICES]; /* keywords with lists */
    uint32_t choice_count;
    bool is_never, is_too_much;
    bool is_closed;    /* by unevaluatedProperties of the first schema */
    bool is_call;      /* the arguments themselves: an object */
    bool is_sealed;    /* it has no names but those that are listed */
    bool refers;       /* a reference was followed */
    gramc_text target; /* the last one */
};

void meet_add(struct grammar *g, struct meet *meet, const struct json *node);
/* Values of all the schemas. */
const struct grammar_piece *grammar_meet(struct grammar *g, const struct meet *meet);
const struct grammar_piece *grammar_schema(struct grammar *g, const struct json *schema);
/* One value as it is. */
const struct grammar_piece *grammar_value(struct grammar *g, const struct json *value);
/* Any value. */
const struct grammar_piece *grammar_any(struct grammar *g);
/* Between the items of a list; behind a name. */
const struct grammar_piece *grammar_comma(struct grammar *g);
const struct grammar_piece *grammar_colon(struct grammar *g);
/* Steps to a schema inside, for `place`; grammar_leave goes back. */
size_t grammar_enter(struct grammar *g, const char *step, gramc_text name);
void grammar_leave(struct grammar *g, size_t len);
/* A count that a keyword says, the strictest of all schemas. */
struct counts grammar_counts(const struct meet *meet, const char *min, const char *max);
/* The values that a keyword lists (`const`: the one); NULL: none does. */
const struct json *grammar_listed(const struct meet *meet);
/* True if the value is accepted by all the schemas. */
bool grammar_accepts(struct grammar *g, const struct meet *meet, gramc_text json);

/* ## One type each */
const struct grammar_piece *grammar_object(struct grammar *g, const struct meet *meet);
const struct grammar_piece *grammar_array(struct grammar *g, const struct meet *meet);
const struct grammar_piece *grammar_string(struct grammar *g, const struct meet *meet);
const struct grammar_piece *grammar_number(struct grammar *g, const struct meet *meet, bool whole);

/* Parts in a given order, each of which may be absent unless it is required, with commas between.
 */
struct ordered {
    struct grammar *g;
    const struct grammar_piece **parts;
    bool *required;
    size_t count;
    const struct grammar_piece *free; /* what may follow them; never: nothing */
    uint64_t least, most;             /* of all */
    const char *what;                 /* "names" */
};
const struct grammar_piece *grammar_ordered(struct ordered *list);
/* By a rule whose name is the place's, where there are rules. */
const struct grammar_piece *grammar_part(struct grammar *g, const char *suffix,
                                         const struct grammar_piece *piece);
/* The most repetitions that engines take; told where that is less. */
uint64_t grammar_repeats(struct grammar *g, uint64_t most, const char *what);

/* ## Strings */
/* Any character of a string; one that is none of `c`. */
const struct grammar_piece *grammar_char(struct grammar *g);
const struct grammar_piece *grammar_char_but(struct grammar *g, const uint32_t *c, size_t count);
/* The text, of PIECE_CHARs. */
const struct grammar_piece *grammar_chars(struct grammar *g, gramc_text text);
/* Between quotes, each PIECE_CHAR spelled as JSON. */
const struct grammar_piece *grammar_quoted(struct grammar *g, const struct grammar_piece *chars);
/* The inside of strings that are none of the names. */
const struct grammar_piece *grammar_other_names(struct grammar *g, const gramc_text *names,
                                                size_t count);
/* What a regular expression finds something in, of PIECE_CHARs; NULL: not to be said. */
const struct grammar_piece *grammar_pattern(struct grammar *g, gramc_text pattern);
/* {"type":"string"}, and one that has the key as its pattern; the same ones each time. */
const struct json *grammar_text_schema(struct grammar *g);
const struct json *grammar_pattern_schema(struct grammar *g, const struct json *member);
/* A regular expression for texts of the format; NULL: there is none. *all: for each of them. */
const char *grammar_format(gramc_text format, bool *all);

/* ## Whole documents */
/* The arguments of a tool. */
const struct grammar_piece *grammar_arguments(struct grammar *g, const struct tool *tool);
/* {"name":...,"arguments":...} of any tool of the emission. */
const struct grammar_piece *grammar_calls(struct grammar *g);

/* Without rules that never end, and with `is_used` for those that the root leads to. */
const struct grammar_piece *grammar_prune(struct grammar *g, const struct grammar_piece *root);

/* Repetitions that are too heavy for llama.cpp get rules. */
void grammar_lighten(struct grammar *g, const struct grammar_piece *root);

/* ## Printing */
typedef void grammar_printer(struct buf *out, struct grammar *g, const struct grammar_piece *root);
typedef void grammar_char_printer(struct buf *out, uint32_t c);
void grammar_put_times(struct buf *out, const struct grammar_piece *repeat);
void grammar_put_set(struct buf *out, const struct grammar_piece *set, grammar_char_printer *put);

/* Makes the grammar of a tool's arguments, or (NULL) of calls, tells what is lost, and prints it;
 * an empty text if there is none. `flat`: without rules. */
void grammar_emit(struct emission *e, const struct tool *tool, bool flat, grammar_printer *printer,
                  struct buf *out);
/* {"name":...,MEMBER:"the grammar of the arguments"} */
void grammar_put_tool(struct emission *e, const struct tool *tool, const char *member, bool flat,
                      size_t max, grammar_printer *printer);
/* The grammar of calls alone. */
void grammar_put_calls(struct emission *e, bool flat, size_t max, grammar_printer *printer);

#endif
