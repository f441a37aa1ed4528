/* Turns a source into a tree. Reads it once at full speed; only if that fails, throws the attempt
 * away and has recovery.c read again, which asks the parser before each token and so can say what
 * was expected and go on behind a mistake. Holds the generated parser, on the C stack, because
 * asking it needs its tables. What plain gram does not have is plain.c's. */
#include "grammar/parse.h"

#include "grammar/recovery.h"
#include "grammar/plain.h"

struct yyParser;
static void GramParserInit(void *parser, struct build *build);
static void GramParserFinalize(void *parser);
static void GramParser(void *parser, int code, struct token token);
static int GramParserFallback(int code);
#ifndef NDEBUG
#include <stdio.h>
static void GramParserTrace(FILE *stream, char *prompt);
#endif

#define GramParser_ENGINEALWAYSONSTACK 1
#define YYNOERRORRECOVERY 1
/* Lemon lets productions with the same action fall into one, and cannot say so to clang. We push
 * tokens ourselves, so that GramParser() and some others stay unused. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#endif
#include "parser.c"
#pragma GCC diagnostic pop

struct push {
    yyParser parser;
};

/* ## Pushing */

/* Reduces by one rule; the next action, or the error's if the stack has no room for a left side
 * that comes from nothing. */
static YYACTIONTYPE reduce(yyParser *parser, unsigned rule, struct token token) {
    if (yyRuleInfoNRhs[rule] == 0 && parser->yytos >= parser->yystackEnd) {
        yyStackOverflow(parser);
        return YY_ERROR_ACTION;
    }
    return yy_reduce(parser, rule, token.code, token, parser->build);
}

/* What GramParser() does, for many tokens in one loop: entering and leaving it costs as much as a
 * token. */
bool push_tokens(struct push *push, const struct token *tokens, size_t count) {
    yyParser *parser = &push->parser;
    for (const struct token *token = tokens; token < tokens + count; token++) {
        if (token->code >= LEX_COMMENT) {
            if (token->code > LEX_COMMENT) return false;
            build_comment(parser->build, *token);
            continue;
        }
        const YYCODETYPE code = (YYCODETYPE)token->code;
        YYACTIONTYPE action = yy_find_shift_action(code, parser->yytos->stateno);
        while (action >= YY_MIN_REDUCE)
            action = yy_find_shift_action(code, reduce(parser, action - YY_MIN_REDUCE, *token));
        if (action > YY_MAX_SHIFTREDUCE) return action == YY_ACCEPT_ACTION;
        yy_shift(parser, action, code, *token);
    }
    return !parser->build->failed;
}

/* ## The first reading: no questions asked */

enum { BATCH = 128 };

/* Counts no brackets: each takes an entry at least, so that no more can be open than there are.
 * What needs more is left to recovery, which counts. */
static bool read_fast(struct push *push, struct build *build) {
    struct lexer lexer;
    struct token tokens[BATCH];
    size_t count;
    lexer_init(&lexer, build->tree->source);
    GramParserInit(&push->parser, build);
    push->parser.yystackEnd = &push->parser.yystack[PARSE_MAX_DEPTH];
    do {
        count = lexer_read(&lexer, tokens, BATCH);
        if (!push_tokens(push, tokens, count)) return false;
    } while (tokens[count - 1].code != 0);
    return !build->failed && !build->bad_escape;
}

/* ## The parser seen from outside */

/* The parser's stack as it would be: some entries of the real one and, above them, states that
 * were only thought of. One code adds few: some empty constructs and itself. */
struct shadow {
    const yyStackEntry *real;
    size_t kept, count;
    YYACTIONTYPE added[64];
};

static YYACTIONTYPE shadow_top(const struct shadow *shadow) {
    return shadow->count ? shadow->added[shadow->count - 1]
                         : shadow->real[shadow->kept - 1].stateno;
}

static void shadow_pop(struct shadow *shadow, size_t entries) {
    size_t own = entries < shadow->count ? entries : shadow->count;
    shadow->count -= own;
    shadow->kept -= entries - own;
}

static void shadow_reduce(struct shadow *shadow, unsigned rule) {
    shadow_pop(shadow, (size_t)-yyRuleInfoNRhs[rule]);
    YYACTIONTYPE next = yy_find_reduce_action(shadow_top(shadow), yyRuleInfoLhs[rule]);
    shadow->added[shadow->count++] = next;
}

/* What GramParser() does with a code, without its actions. */
static bool shadow_take(struct shadow *shadow, YYCODETYPE code) {
    while (shadow->count + 2 < sizeof shadow->added / sizeof *shadow->added) {
        YYACTIONTYPE action = yy_find_shift_action(code, shadow_top(shadow));
        if (action >= YY_MIN_REDUCE) {
            shadow_reduce(shadow, action - YY_MIN_REDUCE);
            continue;
        }
        if (action == YY_ACCEPT_ACTION) return true;
        if (action > YY_MAX_SHIFTREDUCE) return false;
        unsigned state = action;
        if (state > YY_MAX_SHIFT) state += YY_MIN_REDUCE - YY_MIN_SHIFTREDUCE;
        shadow->added[shadow->count++] = (YYACTIONTYPE)state;
        return true;
    }
    return false;
}

size_t push_height(const struct push *push) {
    return (size_t)(push->parser.yytos - push->parser.yystack) + 1;
}

bool push_accepts(const struct push *push, size_t height, const uint16_t *codes, size_t count) {
    struct shadow shadow = {.real = push->parser.yystack, .kept = height};
    for (size_t i = 0; i < count; i++)
        if (!shadow_take(&shadow, (YYCODETYPE)codes[i])) return false;
    return true;
}

void push_cut(struct push *push, size_t height) {
    push->parser.yytos = push->parser.yystack + height - 1;
}

/* ## Both together */

static void read_recovering(struct push *push, struct build *build, struct findings *findings) {
    struct recovery recovery = {.push = push,
                                .build = build,
                                .findings = findings,
                                .source = build->tree->source,
                                .lookahead_left = RECOVERY_LOOKAHEAD};
    GramParserInit(&push->parser, build);
    recovery_read(&recovery);
}

struct tree *parse_source(struct arena *arena, struct findings *findings,
                          const struct source *source, const struct parse_options *options) {
    struct arena *nodes = options && options->nodes ? options->nodes : arena;
    struct push push;
    struct build build;
    if (!build_init(&build, arena, nodes, source)) return NULL;
    if (!read_fast(&push, &build) && build_has_memory(&build)) {
        if (!build_init(&build, arena, nodes, source)) return NULL;
        read_recovering(&push, &build, findings);
    }
    GramParserFinalize(&push.parser);
    build_finish(&build);
    plain_check(findings, build.tree, options && options->plain);
    arena->oom = arena->oom || nodes->oom;
    return arena->oom ? NULL : build.tree;
}
