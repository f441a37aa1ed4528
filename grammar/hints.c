/* Knows the mistakes that people make most and the way out of each: one row, a question and an
 * answer. The first row that fits speaks. Changes nothing but the help of a finding. */
#include "grammar/hint_types.h"
#include "grammar/recovery.h"

#include "parser.h"

#include "base/text.h"

struct hint_place {
    const struct recovery *recovery;
    struct token token, last, before;
    uint64_t expected;
    uint16_t inside; /* code of the innermost open bracket, 0 at the top */
    uint16_t next;   /* code of the token behind */
    bool new_line;   /* the token is the first one on its line */
};

static bool expects(const struct hint_place *p, uint16_t code) {
    return (p->expected >> code & 1) != 0;
}

static bool is_colon(uint16_t code) {
    return code == TK_COLON || code == TK_COLONCOLON;
}

static bool is_arrow_piece(uint16_t code) {
    return code >= TK_DASH && code <= TK_TILDE_LEFT;
}

static bool is_word(uint16_t code) {
    return code >= TK_SYMBOL && code <= TK_BACKTICK;
}

static bool is_number(uint16_t code) {
    return code == TK_INTEGER || (code >= TK_DECIMAL && code <= TK_DECIMAL_MEASUREMENT);
}

static bool is_string(uint16_t code) {
    return code == TK_SINGLE || code == TK_DOUBLE || code == TK_FENCE;
}

static bool is_closer(uint16_t code) {
    return code == TK_RPAREN || code == TK_RBRACKET || code == TK_RBRACE;
}

static bool expects_identifier(const struct hint_place *p) {
    return expects(p, TK_INTEGER) && expects(p, TK_BACKTICK) && !expects(p, TK_SINGLE);
}

static bool expects_label(const struct hint_place *p) {
    return is_colon(p->last.code) && expects(p, TK_BACKTICK) && !expects(p, TK_DOUBLE);
}

/* Pieces come in threes: plain, pointing right, pointing left. */
static int family(uint16_t code) {
    return (code - TK_DASH) / 3;
}

static bool touches(struct token left, struct token right) {
    return left.end == right.start;
}

static bool glued_number(const struct hint_place *p) {
    return is_number(p->last.code) && touches(p->last, p->token) &&
           (is_number(p->token.code) || is_word(p->token.code));
}
static bool bare_property(const struct hint_place *p) {
    return is_word(p->token.code) && is_colon(p->next) && expects(p, TK_LBRACE) &&
           !expects(p, TK_FENCE) && p->inside != 0;
}
static bool two_words(const struct hint_place *p) {
    return is_word(p->last.code) && is_word(p->token.code) && expects(p, TK_LBRACE) &&
           !is_colon(p->before.code);
}
static bool glued_to_string(const struct hint_place *p) {
    return (p->last.code == TK_SINGLE || p->last.code == TK_DOUBLE) && touches(p->last, p->token) &&
           (is_word(p->token.code) || is_number(p->token.code));
}
static bool string_prefix(const struct hint_place *p) {
    return p->last.code == TK_SYMBOL && is_string(p->token.code) && touches(p->last, p->token);
}
static bool three_quotes(const struct hint_place *p) {
    return p->last.code == p->token.code && is_string(p->token.code) &&
           touches(p->last, p->token) && p->last.end - p->last.start == 2;
}
static bool default_value(const struct hint_place *p) {
    return p->inside == TK_LPAREN && p->token.code == TK_EQUALS && is_word(p->last.code);
}
static bool several_in_node(const struct hint_place *p) {
    return p->inside == TK_LPAREN && p->token.code == TK_COMMA;
}
static bool bar_before_record(const struct hint_place *p) {
    return p->last.code == TK_BAR && p->token.code == TK_LBRACE;
}
static bool second_bar(const struct hint_place *p) {
    return p->token.code == TK_BAR && p->inside == TK_LBRACKET && expects(p, TK_COMMA);
}
static bool elements_without_bar(const struct hint_place *p) {
    return p->inside == TK_LBRACKET && expects(p, TK_BAR) && p->last.code == TK_RBRACE &&
           (p->token.code == TK_LPAREN || p->token.code == TK_LBRACKET);
}
static bool elements_of_node(const struct hint_place *p) {
    return p->token.code == TK_BAR && p->inside == TK_LPAREN &&
           (p->next == TK_LPAREN || p->next == TK_LBRACKET);
}
static bool arrow_to_name(const struct hint_place *p) {
    return is_arrow_piece(p->last.code) && is_word(p->token.code);
}
static bool arrow_from_nothing(const struct hint_place *p) {
    return p->last.code == TK_BAR && is_arrow_piece(p->token.code);
}
static bool trailing_comma(const struct hint_place *p) {
    return p->last.code == TK_COMMA && is_closer(p->token.code);
}
static bool two_commas(const struct hint_place *p) {
    return p->last.code == TK_COMMA && p->token.code == TK_COMMA;
}
static bool comma_at_top(const struct hint_place *p) {
    return p->inside == 0 && p->token.code == TK_COMMA;
}
static bool empty_elements(const struct hint_place *p) {
    return p->last.code == TK_BAR && p->token.code == TK_RBRACKET;
}
static bool described_reference(const struct hint_place *p) {
    return p->inside == TK_LBRACKET && expects(p, TK_COMMA) && expects(p, TK_RBRACKET) &&
           (is_word(p->last.code) || p->last.code == TK_INTEGER) &&
           (is_colon(p->token.code) || p->token.code == TK_LBRACE);
}
static bool three_colons(const struct hint_place *p) {
    return is_colon(p->last.code) && is_colon(p->token.code) && touches(p->last, p->token);
}
static bool string_label(const struct hint_place *p) {
    return expects_label(p) && is_string(p->token.code);
}
static bool number_label(const struct hint_place *p) {
    return expects_label(p) && is_number(p->token.code);
}
static bool type_label(const struct hint_place *p) {
    return expects_label(p) && (p->token.code == TK_LBRACKET || p->token.code == TK_LBRACE);
}
static bool union_label(const struct hint_place *p) {
    return p->token.code == TK_BAR && p->inside == TK_LPAREN;
}
static bool arrow_subject_elements(const struct hint_place *p) {
    return p->token.code == TK_BAR && p->inside == TK_LBRACKET && !expects(p, TK_COMMA);
}
static bool string_identifier(const struct hint_place *p) {
    return expects_identifier(p) && is_string(p->token.code);
}
static bool number_identifier(const struct hint_place *p) {
    return expects_identifier(p) && is_number(p->token.code);
}
static bool wrong_key(const struct hint_place *p) {
    return expects(p, TK_DOUBLE) && !expects(p, TK_SINGLE) &&
           (p->token.code == TK_SINGLE || is_number(p->token.code));
}
static bool equals_sign(const struct hint_place *p) {
    return p->inside == TK_LBRACE && p->token.code == TK_EQUALS;
}
static bool two_strings(const struct hint_place *p) {
    return is_string(p->last.code) && is_string(p->token.code);
}
static bool pattern_as_value(const struct hint_place *p) {
    return expects(p, TK_FENCE) && p->token.code == TK_LPAREN;
}
static bool annotation_inside(const struct hint_place *p) {
    return p->inside != 0 && (p->token.code == TK_AT || p->token.code == TK_ATAT);
}
static bool annotation_without_value(const struct hint_place *p) {
    return p->last.code == TK_LPAREN && p->token.code == TK_RPAREN && expects(p, TK_FENCE);
}
static bool annotation_key(const struct hint_place *p) {
    return p->last.code == TK_AT && !is_closer(p->token.code);
}
static bool nameless_annotation(const struct hint_place *p) {
    return p->last.code == TK_ATAT;
}
static bool annotation_of_nothing(const struct hint_place *p) {
    return p->inside == 0 && expects(p, TK_LPAREN) && expects(p, TK_LBRACKET) &&
           expects(p, TK_AT) && !expects(p, 0);
}
static bool arrow_of_one_token(const struct hint_place *p) {
    return is_arrow_piece(p->token.code) && p->last.code == TK_RPAREN && expects(p, TK_DASH);
}
static bool half_an_arrow(const struct hint_place *p) {
    return is_arrow_piece(p->last.code) && p->token.code == TK_LPAREN;
}
static bool mixed_families(const struct hint_place *p) {
    return is_arrow_piece(p->token.code) &&
           (expects(p, TK_DASH) || expects(p, TK_EQUALS) || expects(p, TK_TILDE)) &&
           !expects(p, (uint16_t)(TK_DASH + 3 * family(p->token.code)));
}
static bool doubled_half(const struct hint_place *p) {
    return is_arrow_piece(p->last.code) && is_arrow_piece(p->before.code) &&
           touches(p->before, p->last) && p->token.code == TK_LBRACKET &&
           p->last.end - p->last.start == 1;
}
static bool long_arrow(const struct hint_place *p) {
    return is_arrow_piece(p->last.code) && is_arrow_piece(p->before.code) &&
           is_arrow_piece(p->token.code);
}
static bool dash_comment(const struct hint_place *p) {
    return (p->token.code == TK_DASH && p->next == TK_DASH && p->new_line) ||
           (p->last.code == TK_DASH && p->before.code == TK_DASH && is_word(p->token.code));
}
static bool bracket_endpoint(const struct hint_place *p) {
    return is_arrow_piece(p->last.code) && p->token.code == TK_LBRACKET;
}
static bool bracket_start(const struct hint_place *p) {
    return p->last.code == TK_RBRACKET && is_arrow_piece(p->token.code);
}
static bool late_header(const struct hint_place *p) {
    return p->inside == 0 && p->token.code == TK_LBRACE;
}
static bool bare_name(const struct hint_place *p) {
    return p->inside == 0 && (is_word(p->token.code) || is_number(p->token.code));
}
static bool bare_string(const struct hint_place *p) {
    return p->inside == 0 && is_string(p->token.code);
}
static bool two_dots(const struct hint_place *p) {
    return p->last.code == TK_DOTDOT || (p->token.code == TK_DOTDOT && expects(p, TK_ELLIPSIS));
}
static bool three_dots(const struct hint_place *p) {
    return p->last.code == TK_ELLIPSIS && is_number(p->token.code);
}
static bool open_dots(const struct hint_place *p) {
    return p->last.code == TK_ELLIPSIS || p->token.code == TK_ELLIPSIS;
}
static bool key_without_value(const struct hint_place *p) {
    return is_colon(p->last.code) && expects(p, TK_FENCE);
}
static bool missing_comma(const struct hint_place *p) {
    return expects(p, TK_COMMA) && p->inside != 0 && !is_closer(p->token.code);
}

/* ## Repairs: where only one thing can have been meant */

static struct span span_of(struct token token) {
    return (struct span){token.start, token.end};
}

static void repair(const struct hint_place *p, struct finding *finding, struct span span,
                   gramc_text text) {
    finding_fix(p->recovery->findings, finding, span, text);
}

static void drop_last(const struct hint_place *p, struct finding *finding) {
    repair(p, finding, span_of(p->last), TEXT(""));
}

/* In front of the first element; one more `[` or `(` there would say the same. */
static void add_bar(const struct hint_place *p, struct finding *finding) {
    repair(p, finding, (struct span){p->last.end, p->last.end}, TEXT(" |"));
}

static void drop_token(const struct hint_place *p, struct finding *finding) {
    repair(p, finding, span_of(p->token), TEXT(""));
}

static void add_comma(const struct hint_place *p, struct finding *finding) {
    struct span gap = {p->last.end, p->last.end};
    if (recovery_takes_comma(p->recovery, p->token)) repair(p, finding, gap, TEXT(","));
}

/* `->` in front of a node: the other half is missing. */
static void lengthen_arrow(const struct hint_place *p, struct finding *finding) {
    static const char *const halves[] = {"-", "=", "~"};
    bool points_right = (p->token.code - TK_DASH) % 3 == 1;
    struct span gap = {p->token.start, p->token.start};
    if (points_right && p->next == TK_LPAREN)
        repair(p, finding, gap, text_of(halves[family(p->token.code)]));
}

/* `<-` between two nodes. */
static void lengthen_half(const struct hint_place *p, struct finding *finding) {
    static const char *const halves[] = {"-", "=", "~"};
    bool points_left = (p->last.code - TK_DASH) % 3 == 2;
    struct span gap = {p->last.end, p->last.end};
    if (points_left && p->before.code == TK_RPAREN)
        repair(p, finding, gap, text_of(halves[family(p->last.code)]));
}

static const struct {
    bool (*fits)(const struct hint_place *place);
    void (*repair)(const struct hint_place *place, struct finding *finding);
} repairs[] = {
    {trailing_comma, drop_last},     {two_commas, drop_token},
    {comma_at_top, drop_token},      {arrow_of_one_token, lengthen_arrow},
    {missing_comma, add_comma},      {half_an_arrow, lengthen_half},
    {elements_without_bar, add_bar},
};

static const struct hint {
    bool (*fits)(const struct hint_place *place);
    const char *help;
} hints[] = {
    {glued_number,
     "a unit is made of ASCII letters only, and nothing stands between digits; put any "
     "other text into a string"},
    {two_words, "an identifier with blanks stands in backticks: `like this`"},
    {glued_to_string,
     "the string in front of this is closed too early, or its quote was forgotten; "
     "a quote inside a string is written \\\" or \\'"},
    {three_quotes, "a text of several lines stands in a fence: three backticks, the lines, three "
                   "backticks"},
    {string_prefix, "nothing stands in front of a string; a tag goes with backticks: json`...`"},
    {default_value, "a default stands in the record: (x::Text {default: ...})"},
    {several_in_node, "each parameter is a node of its own, and arrows join them: "
                      "(x::Int)==>(y::Int)==>(::Text)"},
    {bar_before_record, "the record stands in front of the bar: [name:Label {...} | elements]"},
    {elements_without_bar, "elements stand behind a bar: write `|` in front of the first one"},
    {second_bar,
     "a pattern has one `|`; elements are parted by commas, parameters joined by `==>`"},
    {elements_of_node, "elements stand in square brackets: [name:Label {...} | elements]"},
    {arrow_from_nothing, "a signature without parameters begins with `()`: ()==>(::Text)"},
    {arrow_to_name, "a node stands in parentheses: (::Text)"},
    {bare_property, "properties stand in braces: {key: value}"},
    {trailing_comma, "remove the comma: none may follow the last one"},
    {two_commas, "remove one of the commas"},
    {comma_at_top, "patterns at the top of a file are not separated by commas: remove it"},
    {empty_elements, "write at least one element behind the `|`, or leave it out"},
    {three_colons, "write `:` or `::`"},
    {string_label, "a label is a symbol or stands in backticks: write :`like this`"},
    {number_label, "a label begins with a letter or stands in backticks; a value belongs into a "
                   "record: (a {key: 1})"},
    {type_label, "a label is a name; more can be said in the record behind it"},
    {union_label, "a node has no elements and a label is one name: write `:A:B` for two labels, or "
                  "[a | b] for elements"},
    {arrow_subject_elements, "the subject of an arrow has an identifier, labels and a record, but "
                             "no elements"},
    {string_identifier, "an identifier with other characters stands in backticks: `like this`"},
    {number_identifier, "of the numbers only integers can be identifiers; put others in backticks"},
    {described_reference, "a bare name refers to what is defined elsewhere; an element with a "
                          "label of its own stands in "
                          "brackets: (b:B {...}) or [b:B {...}]"},
    {wrong_key, "a key is a symbol, or stands in backticks or double quotes: {\"a key\": 1}"},
    {equals_sign, "write `key: value`"},
    {two_strings, "strings are not joined; write one string, or a comma between two"},
    {annotation_without_value, "an annotation needs a value: @key(true)"},
    {pattern_as_value, "a pattern is not a value"},
    {annotation_inside, "annotations stand only in front of a pattern at the top of a file; say it "
                        "in a record, or quote the key: {\"@x\": 1}"},
    {annotation_key, "the key of an annotation is a symbol: @key(value)"},
    {nameless_annotation, "`@@` is followed by an identifier, labels, or both: @@id:Label"},
    {long_arrow, "an arrow has exactly two halves: -- or --> or <-- or <-->"},
    {doubled_half, "a subject stands between the two halves of an arrow, as in -[r]->, and a path "
                   "joins nodes, not brackets"},
    {arrow_of_one_token, "an arrow has two halves: --> or ==> or ~~>, or with a subject -[r]->"},
    {mixed_families, "both halves of an arrow are of one kind: -[r]-> or =[r]=> or ~[r]~>"},
    {dash_comment, "a comment begins with `//`"},
    {bracket_endpoint, "a path joins nodes: write (b), and define [b] by itself"},
    {bracket_start, "a path joins nodes: write (a), and define [a] by itself"},
    {half_an_arrow, "an arrow has two halves: -- or <-- or -->, or with a subject -[r]->"},
    {late_header, "only the first thing in a file can be a bare record; write ({...}) or [{...}]"},
    {annotation_of_nothing, "an annotation stands in front of a pattern: @key(value) (a)"},
    {bare_name, "a pattern stands in brackets: (a) or [a]"},
    {bare_string, "a value stands in a record: (a {key: \"value\"})"},
    {three_dots, "a range with two ends has two dots: 1..5"},
    {two_dots, "a range is 1..5 with both ends, 1... or ...5 with one"},
    {open_dots, "an ellipsis is part of a range: 1... or ...5"},
    {key_without_value, "a key needs a value"},
    {missing_comma, "write a comma between them"},
};

/* What opens a definition in other languages, and how it is written here. */
static const struct {
    const char *word, *help;
} openers[] = {
    {"type", "a type is written [Person:Object | (name::Text), (age::Int)]"},
    {"interface", "a type is written [Person:Object | (name::Text), (age::Int)]"},
    {"class", "a type is written [Person:Object | (name::Text), (age::Int)]"},
    {"struct", "a type is written [Person:Object | (name::Text), (age::Int)]"},
    {"enum", "a type of few values is written [Color:Text {enum: [\"red\", \"green\"]}]"},
    {"def", "a tool is written [add:Tool {description: \"Adds\"} | (a::Int)==>(b::Int)==>(::Int)]"},
    {"async",
     "a tool is written [add:Tool {description: \"Adds\"} | (a::Int)==>(b::Int)==>(::Int)]"},
    {"function",
     "a tool is written [add:Tool {description: \"Adds\"} | (a::Int)==>(b::Int)==>(::Int)]"},
    {"fn", "a tool is written [add:Tool {description: \"Adds\"} | (a::Int)==>(b::Int)==>(::Int)]"},
    {"tool",
     "a tool is written [add:Tool {description: \"Adds\"} | (a::Int)==>(b::Int)==>(::Int)]"},
    {"agent",
     "an agent is written [helper:Agent {description: \"Helps\"} | firstTool, secondTool]"},
    {"import", "files are imported in a header, first of all: {imports: [\"tools.gram\"]}"},
    {"from", "files are imported in a header, first of all: {imports: [\"tools.gram\"]}"},
    {"include", "files are imported in a header, first of all: {imports: [\"tools.gram\"]}"},
    {"require", "files are imported in a header, first of all: {imports: [\"tools.gram\"]}"},
    {"use", "files are imported in a header, first of all: {imports: [\"tools.gram\"]}"},
};

static bool hint_opener(const struct hint_place *p, struct finding *finding) {
    gramc_text word = source_slice(p->recovery->source, span_of(p->token));
    if (p->inside != 0 || p->token.code != TK_SYMBOL) return false;
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        if (!text_is(word, openers[i].word)) continue;
        finding_help(p->recovery->findings, finding, "%s", openers[i].help);
        return true;
    }
    return false;
}

static bool begins_line(const struct recovery *recovery, struct token token) {
    const char *text = recovery->source->text.ptr;
    uint32_t at = recovery->last.end;
    while (at < token.start && text[at] != '\n') at++;
    return at < token.start || recovery->last.code == 0;
}

void hint_unexpected(struct recovery *recovery, struct finding *finding, struct token token,
                     uint64_t expected) {
    struct hint_place place = {.recovery = recovery,
                               .token = token,
                               .last = recovery->last,
                               .before = recovery->before_last,
                               .expected = expected,
                               .next = recovery_peek(recovery),
                               .new_line = begins_line(recovery, token)};
    if (recovery->depth > 0) place.inside = recovery->open[recovery->depth - 1].token.code;
    bool node = place.inside == TK_LPAREN && !elements_of_node(&place);
    if (node && hint_type(recovery, finding, token)) return;
    if (hint_opener(&place, finding)) return;
    if (described_reference(&place) && is_colon(token.code)) {
        struct lexer ahead = recovery->lexer;
        struct span element = {place.last.start, lexer_next(&ahead).end};
        finding_help(recovery->findings, finding,
                     "an element with a label stands in brackets: (%.*s)",
                     TEXT_ARGS(source_slice(recovery->source, element)));
        return;
    }
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        if (!hints[i].fits(&place)) continue;
        finding_help(recovery->findings, finding, "%s", hints[i].help);
        for (size_t r = 0; r < sizeof repairs / sizeof *repairs; r++)
            if (repairs[r].fits == hints[i].fits) repairs[r].repair(&place, finding);
        return;
    }
}
