/* The second reading of a text in which the first found an error: slower, and with findings. */
#ifndef GRAMMAR_RECOVERY_H
#define GRAMMAR_RECOVERY_H

#include "base/diag/diag.h"
#include "grammar/build.h"
#include "grammar/parse.h"
#include "grammar/push.h"

enum {
    RECOVERY_MAX_ERRORS = 100,   /* then it stops reading */
    RECOVERY_LOOKAHEAD = 1 << 21 /* tokens that may be read ahead in one text, all together */
};

/* An open bracket. */
struct open_bracket {
    struct token token;
    size_t height; /* of the parser's stack, this bracket included */
};

struct recovery {
    struct push *push;
    struct build *build;
    struct findings *findings;
    const struct source *source;
    struct lexer lexer;
    struct token last, before_last; /* what the parser took last; code 0 at the beginning */
    struct open_bracket open[PARSE_MAX_DEPTH];
    uint32_t depth;
    uint32_t errors;
    int32_t taken_since_error; /* tokens; an error right behind another is its echo */
    uint32_t lookahead_left;
    bool stopped;       /* enough was said */
    bool skips_foreign; /* what is dropped now is no gram: its characters are no news */
    bool quiet_end;     /* the rest of the text was swallowed, with all closing brackets */
};

/* Reads the whole text into recovery->build, with at least one finding. The caller has set push,
 * build, findings and source, and cleared the rest. */
void recovery_read(struct recovery *recovery);

/* The code of the token behind the one that was read last; from LEX_COMMENT on if it is none. */
uint16_t recovery_peek(const struct recovery *recovery);
/* Would a comma in front of this token, the one that was read last, explain it and the next? */
bool recovery_takes_comma(const struct recovery *recovery, struct token token);

/* ## Its parts */
/* lexical.c: the next token that the parser knows. Comments go to the tree, wrong characters
 * become findings and are dropped, or replaced by the nearest token that could be meant. */
struct token lexical_next(struct recovery *recovery);

/* expected.c: the text of a token for a message, as it stands in the source. */
gramc_text expected_token(const struct recovery *recovery, struct token token, char *buf,
                          size_t size);
/* Bit n is set if the parser would take code n now. */
uint64_t expected_set(const struct recovery *recovery);
/* That set in words, "`,`, `|` or `]`"; in the findings' arena. */
gramc_text expected_words(const struct recovery *recovery, uint64_t set);
/* `(` and so on; NULL if there is no such code. */
const char *expected_name(uint16_t code);

/* hints.c: sets the way out for the common mistakes, if this is one of them, and a fix if there
 * can be only one. */
void hint_unexpected(struct recovery *recovery, struct finding *finding, struct token token,
                     uint64_t expected);

#endif
