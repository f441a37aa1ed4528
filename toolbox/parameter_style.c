/* Turns the name of a style into one of a few, and a template with a parameter in it into the place
 * that the parameter has there. Purely lexical; schemas are parameter_kinds.c's. */
#include "toolbox/parameter_style.h"

#include "base/placeholder.h"
#include "base/text.h"

/* ## Words */

static const char *const words[STYLES] = {[STYLE_UNSAID] = "",
                                          [STYLE_FORM] = "form",
                                          [STYLE_SPACE] = "spaceDelimited",
                                          [STYLE_PIPE] = "pipeDelimited",
                                          [STYLE_DEEP] = "deepObject",
                                          [STYLE_SIMPLE] = "simple",
                                          [STYLE_LABEL] = "label",
                                          [STYLE_MATRIX] = "matrix",
                                          [STYLE_JSON] = "json"};

enum parameter_style style_of_word(gramc_text word) {
    for (unsigned i = STYLE_FORM; i < STYLES; i++)
        if (text_is(word, words[i])) return (enum parameter_style)i;
    return STYLE_UNSAID;
}

const char *style_word(enum parameter_style style) {
    return words[style];
}

size_t style_words(gramc_text out[STYLES]) {
    for (unsigned i = STYLE_FORM; i < STYLES; i++) out[i - 1] = text_of(words[i]);
    return STYLES - 1;
}

#define BIT(style) (1U << (style))
static const struct {
    const char *name, *choices;
    unsigned styles;
    enum parameter_style normal;
} places[] = {
    [STYLE_NOWHERE] = {"no place of its own", "", 0, STYLE_UNSAID},
    [STYLE_PATH] = {"a path", "a path takes simple, label, matrix and json",
                    BIT(STYLE_SIMPLE) | BIT(STYLE_LABEL) | BIT(STYLE_MATRIX) | BIT(STYLE_JSON),
                    STYLE_SIMPLE},
    [STYLE_QUERY] =
        {"a query or form",
         "a query or form takes form, spaceDelimited, pipeDelimited, deepObject and json",
         BIT(STYLE_FORM) | BIT(STYLE_SPACE) | BIT(STYLE_PIPE) | BIT(STYLE_DEEP) | BIT(STYLE_JSON),
         STYLE_FORM},
    [STYLE_HEADER] = {"a header", "a header takes simple and json",
                      BIT(STYLE_SIMPLE) | BIT(STYLE_JSON), STYLE_SIMPLE},
    [STYLE_COOKIE] = {"a cookie", "a cookie takes form and json", BIT(STYLE_FORM) | BIT(STYLE_JSON),
                      STYLE_FORM},
    /* Without a word an object is one part of JSON, which is no style of OpenAPI's. */
    [STYLE_PART] = {"a part of a multipart body",
                    "a part takes form, spaceDelimited, pipeDelimited, deepObject and json",
                    BIT(STYLE_FORM) | BIT(STYLE_SPACE) | BIT(STYLE_PIPE) | BIT(STYLE_DEEP) |
                        BIT(STYLE_JSON),
                    STYLE_JSON},
    [STYLE_FILE] = {"a file", "a file takes none", 0, STYLE_JSON}};

const char *style_place_name(enum style_place place) {
    return places[place].name;
}

const char *style_choices(enum style_place place) {
    return places[place].choices;
}

bool style_fits(enum parameter_style style, enum style_place place) {
    return style == STYLE_UNSAID || (places[place].styles & BIT(style));
}

enum parameter_style style_default(enum style_place place) {
    return places[place].normal;
}

bool style_explodes(enum parameter_style style, enum style_explode said) {
    return said == EXPLODE_UNSAID ? style == STYLE_FORM : said == EXPLODE_TRUE;
}

/* ## Places */

enum style_text style_text_of_header(gramc_text name) {
    return text_is_nocase(name, "Cookie") ? STYLE_IN_COOKIES : STYLE_IN_HEADER;
}

enum style_text style_text_of_body(gramc_text content_type) {
    size_t len = 0;
    while (len < content_type.len && content_type.ptr[len] != ';') len++;
    gramc_text type = text_trim(text_slice(content_type, 0, len));
    return text_is_nocase(type, "application/x-www-form-urlencoded") ? STYLE_IN_FORM
                                                                     : STYLE_IN_OTHER;
}

/* True if a query has begun before `end`; what stands in ${...} does not count. */
static bool in_query(gramc_text text, size_t end) {
    struct placeholder part;
    gramc_text before = text_slice(text, 0, end);
    for (size_t pos = 0; placeholder_next(before, &pos, &part);)
        if (part.kind == PLACEHOLDER_TEXT && part.text.len &&
            memchr(part.text.ptr, '?', part.text.len))
            return true;
    return false;
}

/* The text is `name=` or nothing, between `opening` or the beginning and `closing` or the end. */
static bool is_pair(gramc_text text, size_t start, size_t end, const char *opening, char closing) {
    gramc_text behind = text_trim(text_slice(text, end, text.len));
    if (behind.len && (closing != ';' ? text.ptr[end] : behind.ptr[0]) != closing) return false;
    size_t from = start;
    while (from > 0 && !strchr(opening, text.ptr[from - 1])) from--;
    gramc_text name = text_trim(text_slice(text, from, start));
    if (name.len == 0) return true;
    return name.len > 1 && memchr(name.ptr, '=', name.len) == name.ptr + name.len - 1;
}

enum style_place style_place_at(enum style_text kind, gramc_text text, size_t start, size_t end) {
    bool whole = text_trim(text).len == end - start;
    switch (kind) {
    case STYLE_IN_URL:
        if (!in_query(text, start)) return STYLE_PATH;
        return is_pair(text, start, end, "?&", '&') ? STYLE_QUERY : STYLE_NOWHERE;
    case STYLE_IN_FORM: return is_pair(text, start, end, "&", '&') ? STYLE_QUERY : STYLE_NOWHERE;
    case STYLE_IN_COOKIES:
        return is_pair(text, start, end, ";", ';') ? STYLE_COOKIE : STYLE_NOWHERE;
    case STYLE_IN_HEADER: return whole ? STYLE_HEADER : STYLE_NOWHERE;
    case STYLE_IN_PART: return whole ? STYLE_PART : STYLE_NOWHERE;
    case STYLE_IN_FILE: return whole ? STYLE_FILE : STYLE_NOWHERE;
    case STYLE_IN_OTHER: break;
    }
    return STYLE_NOWHERE;
}

/* The name in `name:-fallback`. */
static gramc_text name_in(gramc_text inside) {
    for (size_t i = 0; i + 1 < inside.len; i++)
        if (inside.ptr[i] == ':' && inside.ptr[i + 1] == '-') return text_slice(inside, 0, i);
    return inside;
}

void style_survey(struct style_survey *survey, enum style_text kind, gramc_text text,
                  gramc_text name, enum parameter_style style) {
    struct placeholder part;
    for (size_t pos = 0, start = 0; placeholder_next(text, &pos, &part); start = pos) {
        bool is_name = part.kind == PLACEHOLDER_NAME || part.kind == PLACEHOLDER_BAD;
        if (!is_name || !text_eq(name_in(part.text), name)) continue;
        enum style_place place = style_place_at(kind, text, start, pos);
        survey->stands = true;
        if (!place) continue;
        if (!survey->place) survey->place = place;
        if (!survey->misfit && !style_fits(style, place)) survey->misfit = place;
    }
}
