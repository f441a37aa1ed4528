/* JSON as models write it. Where the strict reader refuses a text, this one looks for the one value
 * that can be meant: in a fence, in prose, with comments, quotes and words of other languages, with
 * its last brackets missing. What could mean two things is refused, and valid JSON keeps its
 * meaning: of it, a string that is JSON itself is all that is looked into. Pure; any thread. */
#ifndef BASE_JSON_TOLERANT_H
#define BASE_JSON_TOLERANT_H

#include "base/json/json.h"

/* What was mended, a bit each, and the word for it. */
#define JSON_REPAIRS(row)                                                                          \
    row(PROSE, "prose")                   /* text around the value */                              \
        row(FENCE, "fence")               /* ``` */                                                \
        row(DOUBLED, "doubled")           /* JSON in a JSON string */                              \
        row(COMMENT, "comment")           /* of C, C++ or Python */                                \
        row(TRAILING, "trailing-comma")   /* [1,] */                                               \
        row(MISSING, "missing-comma")     /* members on lines of their own */                      \
        row(QUOTES, "quotes")             /* 'x', curly ones, three of them */                     \
        row(BARE_KEY, "unquoted-key")     /* {x: 1} */                                             \
        row(WORD, "word")                 /* True, None */                                         \
        row(NUMBER, "number")             /* +1, .5, 1. or 1_000 */                                \
        row(CONTROL, "control-character") /* a line end in a string */                             \
        row(ESCAPE, "escape")             /* \' or \x41 */                                         \
        row(CUT, "cut-off")               /* the last brackets are missing */                      \
        row(EXTRA, "extra-bracket")       /* {"a": 1}} */
#define JSON_REPAIR_ORDER(id, word) JSON_REPAIR_NTH_##id,
enum json_repair_nth { JSON_REPAIRS(JSON_REPAIR_ORDER) JSON_REPAIR_COUNT };
#undef JSON_REPAIR_ORDER
#define JSON_REPAIR_BIT(id, word) JSON_REPAIR_##id = 1 << JSON_REPAIR_NTH_##id,
enum json_repair { JSON_REPAIRS(JSON_REPAIR_BIT) JSON_REPAIR_ALL = (1 << JSON_REPAIR_COUNT) - 1 };
#undef JSON_REPAIR_BIT

/* What is looked for. */
struct json_wish {
    unsigned kinds; /* 1 << JSON_OBJECT and so on */
    /* Of several values, whether this one may be meant. NULL: any may. */
    bool (*fits)(void *ctx, gramc_text json);
    void *ctx;
};

/* Appends the value as JSON. No repairs: the text itself was one, but for blanks. GRAMC_FINDINGS:
 * there is none, or it is not plain which or what it is; GRAMC_NOMEM, GRAMC_LIMIT of the buffer. */
gramc_status json_tolerant(struct buf *out, gramc_text text, const struct json_wish *wish,
                           unsigned *repairs);

/* The words for some repairs, in the order above; returns how many. */
size_t json_repair_words(unsigned repairs, const char *words[JSON_REPAIR_COUNT]);

/* ## One value (tolerant_read.c) */

struct tolerant {
    const char *p, *end; /* where it is, and where the text ends */
    struct buf *out;
    unsigned repairs;
    unsigned depth;
    bool swallowed; /* a comment goes on to the end, and may have eaten what is missing */
    bool committed; /* it is a value for certain: what cannot be read is broken, and no prose */
};

/* Reads one and writes it as JSON; false if that cannot be done, with `p` anywhere. */
bool tolerant_value(struct tolerant *t);

#endif
