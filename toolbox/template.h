/* Texts with ${parameters} in them, for HTTP calls. A value is encoded by where it stands, in one
 * pass, so that nothing in it can leave its place: no other path, no further query parameter,
 * header or JSON member, no second expansion. Pure: no network, no environment. */
#ifndef TOOLBOX_TEMPLATE_H
#define TOOLBOX_TEMPLATE_H

#include "base/json/json.h"
#include "gramc/toolbox.h"
#include "toolbox/parameter_style.h"

/* What a template is a template of. */
enum template_kind {
    TEMPLATE_URL,     /* path and query; may begin with http://host, where nothing is filled in */
    TEMPLATE_HEADER,  /* one header's value */
    TEMPLATE_COOKIES, /* the value of a Cookie header */
    TEMPLATE_JSON,    /* a body that is JSON once it is filled in */
    TEMPLATE_FORM,    /* application/x-www-form-urlencoded */
    TEMPLATE_MARKUP,  /* XML, HTML */
    TEMPLATE_PART,    /* the value of a part of a multipart body: values as they are */
    TEMPLATE_FILE,    /* the path of the file that is one, likewise */
    TEMPLATE_TEXT     /* any other body: values as they are */
};

/* Where one value stands. */
enum template_place {
    PLACE_SEGMENT,     /* of a path: percent-encoded; never empty, never a step up */
    PLACE_QUERY,       /* percent-encoded; of a form as well */
    PLACE_HEADER,      /* as it is; no control characters */
    PLACE_JSON_STRING, /* inside quotes: escaped */
    PLACE_JSON_VALUE,  /* a JSON value of its own */
    PLACE_MARKUP,      /* & < > " ' escaped */
    PLACE_RAW          /* as it is */
};

enum part_kind { PART_TEXT, PART_PARAMETER, PART_SECRET };

struct template_part {
    enum part_kind kind;
    enum template_place place;
    gramc_text text; /* the text, or the name */
    gramc_text fallback;
    bool has_fallback;
    uint8_t own;         /* enum style_place: the place that a parameter has for itself */
    uint8_t style;       /* enum parameter_style; STYLE_UNSAID: that of its place */
    uint8_t explode;     /* enum style_explode */
    uint32_t start, end; /* in the template */
};

/* What is said of the style of one parameter. */
struct template_style {
    gramc_text name;
    enum parameter_style style;
    enum style_explode explode;
};

struct template {
    gramc_text source;
    struct template_part *parts;
    size_t count;
    const gramc_template_engine *engine; /* fills it in (engine.h); NULL: template_expand does */
    gramc_template_use use;              /* for the engine, as is the next */
    gramc_text content_type;
};

/* What is wrong, and where in the template: [start, end). */
struct template_error {
    uint32_t start, end;
    char message[256];
};

/* GRAMC_FINDINGS, so that it can be returned. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
gramc_status
template_fail(struct template_error *error, size_t start, size_t end, const char *format, ...);

/* The content type decides how a body is filled in. */
enum template_kind template_body_kind(gramc_text content_type);
/* A header's name decides it too. */
enum template_kind template_header_kind(gramc_text name);

/* `text` is copied. ${name}, ${name:-fallback}, ${env:NAME}, $${ for a literal one. `literal`:
 * values go in as they are (but headers keep out control characters). GRAMC_FINDINGS with `error`.
 */
gramc_status template_read(struct template *out, struct arena *arena, gramc_text text,
                           enum template_kind kind, bool literal, struct template_error *error);
/* A template without parameters: the text as it is, ${ and all. */
gramc_status template_fixed(struct template *out, struct arena *arena, gramc_text text);

/* Every parameter must be among `names`; marks those that occur in `used`. GRAMC_FINDINGS for the
 * first that is not, with the nearest name. */
gramc_status template_check(const struct template *what, const gramc_text *names, size_t count,
                            bool *used, struct template_error *error);

/* Parameters that have a place of their own are written there in these styles. */
void template_set_styles(struct template *what, const struct template_style *styles, size_t count);

/* True if a parameter without a fallback is none of the arguments' members, or a list or object
 * that has nothing in it where its style would write that. */
bool template_lacks(const struct template *what, const struct json *arguments);

/* GRAMC_FINDINGS if the path that begins at `from` would go a step up. */
gramc_status template_check_steps(const struct buf *out, size_t from, const struct template *what,
                                  struct template_error *error);

/* Looks up the value of ${env:name}; false if it may not be read or is not set. */
typedef bool (*template_secret)(const void *ctx, gramc_text name, gramc_text *out);

/* Fills in the members of `arguments` (an object). secret NULL: none. What is null is `null` as a
 * JSON value, empty elsewhere, and refused in a path. What is absent takes its member of a JSON
 * object or its pair of a query, form or cookie with it; where it is none of these, it is as null.
 * Arrays and objects are written in their style where they have a place of their own, else as JSON.
 * GRAMC_FINDINGS: a value that cannot stand where it would. GRAMC_LIMIT: `out` is full. */
gramc_status template_expand(struct buf *out, const struct template *what,
                             const struct json *arguments, template_secret secret,
                             const void *secret_ctx, struct template_error *error);

#endif
