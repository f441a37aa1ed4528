/* OpenAPI's styles: how an array or object is written into a query, a header, a path or a cookie.
 * Which there are, which place takes which, what a style has no words for. Writing is the
 * runtime's. */
#ifndef TOOLBOX_PARAMETER_STYLE_H
#define TOOLBOX_PARAMETER_STYLE_H

#include "base/json/json.h"

enum parameter_style {
    STYLE_UNSAID, /* that of the place */
    STYLE_FORM,
    STYLE_SPACE,
    STYLE_PIPE,
    STYLE_DEEP,
    STYLE_SIMPLE,
    STYLE_LABEL,
    STYLE_MATRIX,
    STYLE_JSON, /* ours: what OpenAPI says by `content` */
    STYLES
};

enum style_place {
    STYLE_NOWHERE,
    STYLE_PATH,
    STYLE_QUERY,
    STYLE_HEADER,
    STYLE_COOKIE,
    STYLE_PART, /* of a multipart body */
    STYLE_FILE  /* the same, by its path; no style means anything to it */
};

/* What is said of one parameter. */
enum style_explode { EXPLODE_UNSAID, EXPLODE_FALSE, EXPLODE_TRUE };

/* STYLE_UNSAID if there is none of that name. */
enum parameter_style style_of_word(gramc_text word);
const char *style_word(enum parameter_style style);
/* All names; returns how many. */
size_t style_words(gramc_text out[STYLES]);

/* "a query" */
const char *style_place_name(enum style_place place);
/* "a query or form takes form, spaceDelimited, ..." */
const char *style_choices(enum style_place place);
bool style_fits(enum parameter_style style, enum style_place place);
enum parameter_style style_default(enum style_place place);
bool style_explodes(enum parameter_style style, enum style_explode said);

/* ## Places */

/* What a text with ${parameters} is a text of. */
enum style_text {
    STYLE_IN_URL,
    STYLE_IN_HEADER,
    STYLE_IN_COOKIES, /* the value of a Cookie header */
    STYLE_IN_FORM,
    STYLE_IN_PART, /* the value of a part of a multipart body */
    STYLE_IN_FILE, /* the path of the file that is one */
    STYLE_IN_OTHER
};
/* A header of that name. */
enum style_text style_text_of_header(gramc_text name);
/* A body of that content type. */
enum style_text style_text_of_body(gramc_text content_type);

/* The place that the ${...} at [start, end) has for itself: anywhere in a path, a whole header, the
 * value of a pair in a query, form or cookie, or a whole pair. STYLE_NOWHERE if other text stands
 * there too. */
enum style_place style_place_at(enum style_text kind, gramc_text text, size_t start, size_t end);

/* Where a parameter stands in one request; zero at first, then every text of the request. */
struct style_survey {
    bool stands;             /* somewhere */
    enum style_place place;  /* the first of its own; STYLE_NOWHERE: none */
    enum style_place misfit; /* the first that does not take the style; STYLE_NOWHERE: none */
};
void style_survey(struct style_survey *survey, enum style_text kind, gramc_text text,
                  gramc_text name, enum parameter_style style);

/* ## Schemas */

enum { STYLE_KIND_SCALAR = 1, STYLE_KIND_LIST = 2, STYLE_KIND_OBJECT = 4, STYLE_KIND_ANY = 7 };
/* What the values of a JSON Schema can be, as far as it says so plainly; `root` is where its
 * references lead. */
unsigned style_kinds(const struct json *root, const struct json *schema);
/* NULL, or why no value of the schema that is worth sending can be said: "its items are lists or
 * objects". */
const char *style_cannot_say(const struct json *root, const struct json *schema,
                             enum parameter_style style);

#endif
