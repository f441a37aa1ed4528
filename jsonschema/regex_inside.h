/* Shared by the parts of the regular expressions: the reader of patterns, and programs, which match
 * what PCRE2 has no words for. */
#ifndef JSONSCHEMA_REGEX_INSIDE_H
#define JSONSCHEMA_REGEX_INSIDE_H

#include "base/limits.h"
#include "jsonschema/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct translator {
    struct buf *out; /* NULL: only evaluation */
    gramc_text pattern;
    size_t pos;
    size_t depth;
    unsigned groups;                     /* in the whole pattern */
    unsigned opened;                     /* of these, up to here */
    bool lookaround[PATTERN_GROUPS_MAX]; /* of the open parentheses: behind it nothing repeats */
    bool looks[PATTERN_GROUPS_MAX];      /* ...it looks ahead or behind */
    unsigned before[PATTERN_GROUPS_MAX]; /* ...groups that were opened before it */
    unsigned number[PATTERN_GROUPS_MAX]; /* ...its own as a group, 0 if it captures nothing */
    unsigned names;                      /* of groups, and references by name */
    bool refers;                         /* has a back reference */
    bool forgets;                        /* a group may lose what it has captured */
    bool ahead;                          /* has a reference to a group that is not closed yet */
    struct regex_error *error;
};

/* The byte `ahead` of the current one, 0 behind the end. */
static inline char pattern_peek(const struct translator *t, size_t ahead) {
    return t->pos + ahead < t->pattern.len ? t->pattern.ptr[t->pos + ahead] : '\0';
}

bool pattern_refuse(struct translator *t, size_t position, const char *why);
/* \d \D \w \W \s \S \p \P: sets of characters. */
bool pattern_is_set_escape(char c);
/* One set as PCRE2 takes it; pos is at the escape, or at the '[' of a class. */
bool pattern_set_escape(struct translator *t, bool in_class);
bool pattern_class(struct translator *t);
/* An escape that means one character; pos is at the backslash and moves behind the escape. */
bool pattern_character(struct translator *t, uint32_t *code_point);
/* \1 or \k<name>; pos is at the backslash. */
bool pattern_reference(struct translator *t, unsigned *number);
enum { REPEAT_MAX = 0x7FFFFFFF };
/* The length of a quantifier in braces at pos, 0 if it is none; REPEAT_MAX is without end. */
size_t pattern_braces(const struct translator *t, uint32_t *least, uint32_t *most);
/* Capturing parentheses outside of classes; with a name, the number of the group that has it. */
unsigned pattern_groups(gramc_text pattern, gramc_text name);

/* ## Programs */

/* Characters, one of which is matched: by PCRE2, ASCII by a bit each. */
struct regex_chars {
    uint64_t ascii[2];
    bool dot;        /* anything but the end of a line */
    uint32_t single; /* this one alone, unless 0; then there is no code */
    pcre2_code *code;
};

enum regex_op {
    RE_TEXT,   /* the bytes `text` */
    RE_ONE,    /* a character of set a */
    RE_RUN,    /* b to c characters of set a, as many as there are */
    RE_SPLIT,  /* goes on behind it, unless the next byte is not b - 1; or at a */
    RE_JUMP,   /* to a */
    RE_SAVE,   /* the place in register a */
    RE_CLEAR,  /* registers from a up to b hold nothing */
    RE_BEGIN,  /* ^ */
    RE_END,    /* $ */
    RE_WORD,   /* \b, or \B if negative */
    RE_SAME,   /* what group a has captured, nothing if it has not */
    RE_LOOK,   /* what follows up to RE_LOOKED, and then at a */
    RE_LOOKED, /* the end of it */
    RE_LOOP,   /* register a counts: before the first round */
    RE_ROUND,  /* decides on a round, from b to c of them; its `text` leads out */
    RE_AGAIN,  /* behind a round that is b at least; back to c */
    RE_MATCH
};

struct regex_step {
    uint8_t op;
    bool back;     /* reads towards the start */
    bool negative; /* RE_LOOK, RE_WORD */
    bool lazy;     /* RE_ROUND */
    uint32_t a, b, c;
    union {
        const char *text; /* RE_TEXT: a bytes */
        size_t out;       /* RE_ROUND */
    } more;
};

struct regex_program {
    const struct regex_step *steps;
    const struct regex_chars *chars;
    size_t char_count;
    size_t registers; /* two a group, then two a loop */
};

/* With the set's own memory; NULL with the reason. */
pcre2_code *regex_set_code(struct regex_set *set, gramc_text translated, struct regex_error *error);
/* For a pattern that regex_translate has found to be fine. NULL with the reason. */
struct regex_program *regex_program_compile(struct regex_set *set, gramc_text pattern,
                                            struct regex_error *error);
void regex_program_free(struct regex_program *program);
/* As regex_find, within so many steps; the session has its match data. */
enum regex_result regex_program_find(struct regex_session *session,
                                     const struct regex_program *program, gramc_text text,
                                     uint64_t steps, size_t *start, size_t *end);

void regex_stack_free(struct regex_session *session);
/* Takes it from what the session has left; false if that is too little. */
bool regex_session_pay(struct regex_session *session, uint64_t backtracking);

/* ## regex_exact.c */
/* Whether PCRE2 may go over much of a text without counting it. */
bool pattern_is_open(gramc_text pattern);
/* A program for a pattern that PCRE2 takes too, as long as the session lasts. REGEX_NO: there is
 * none, since it would be too large. */
enum regex_result regex_exact_program(struct regex_session *session, gramc_text pattern,
                                      const struct regex_program **program);
void regex_exact_free(struct regex_session *session);

#endif
