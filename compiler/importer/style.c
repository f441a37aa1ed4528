/* Turns `style`, `explode` and `content` of an OpenAPI parameter, or of a form's encoding, into
 * what the library says of the argument: nothing where the place does it by itself. What has no
 * words there is reported. */
#include "compiler/importer/openapi.h"

#include "base/text.h"

/* ## Findings */

static void lose(const struct api_operation *o, const struct api_style_question *q,
                 const struct json *member, const char *help) {
    struct importer *in = o->in;
    struct span span = {member->start, member->end};
    struct buf owner;
    if (member->end == 0) span = (struct span){q->at->start, q->at->end};
    buf_init(&owner, &in->arena->allocator, SOURCE_MAX);
    buf_printf(&owner, "the parameter `%.*s`", TEXT_ARGS(q->name));
    struct finding *f = FIND(in->findings, D_IMPORT_LOST, in->source, span, member->key,
                             buf_to_arena(&owner, in->arena));
    finding_help(in->findings, f, "%s", help);
}

static void report_nested(const struct api_operation *o, const struct api_style_question *q,
                          enum parameter_style style, const char *problem) {
    struct importer *in = o->in;
    struct finding *f = FIND(in->findings, D_STYLE_CANNOT_SAY, in->source,
                             ((struct span){q->at->start, q->at->end}), text_of(style_word(style)),
                             q->name, text_of(problem));
    finding_help(in->findings, f, "if the server reads JSON there, say `style: {%.*s: \"json\"}`",
                 TEXT_ARGS(q->argument));
}

/* ## Reading */

/* A media type instead of a style. */
static enum parameter_style style_of_content(const struct api_operation *o,
                                             const struct api_style_question *q,
                                             const struct json *content) {
    struct importer *in = o->in;
    const struct json *media = json_is(content, JSON_OBJECT) ? content->first : NULL;
    if (media && openapi_is_json(media->key)) {
        FIND(in->findings, D_IMPORT_CONTENT, in->source,
             ((struct span){content->start, content->end}), q->name);
        return STYLE_JSON;
    }
    lose(o, q, content, "the argument is sent as a plain text; JSON alone can be said");
    return STYLE_UNSAID;
}

static enum parameter_style read_style(const struct api_operation *o,
                                       const struct api_style_question *q) {
    const struct json *said = json_get(q->holder, "style"),
                      *content = json_get(q->holder, "content"),
                      *type = json_get(q->holder, "contentType");
    bool is_object = q->schema && style_kinds(o->document, q->schema) == STYLE_KIND_OBJECT;
    bool exploded = json_get(q->holder, "explode");
    if (said) {
        enum parameter_style style =
            json_is(said, JSON_STRING) ? style_of_word(said->text) : STYLE_UNSAID;
        if (style && style != STYLE_JSON && style_fits(style, q->place)) return style;
        lose(o, q, said, style_choices(q->place));
        return STYLE_UNSAID;
    }
    if (!q->is_field)
        return content && !json_get(q->holder, "schema") ? style_of_content(o, q, content)
                                                         : STYLE_UNSAID;
    /* A field that is an object is JSON, if nothing is said of its encoding. */
    if (json_is(type, JSON_STRING) && openapi_is_json(type->text)) return STYLE_JSON;
    if (json_is(type, JSON_STRING) && !text_starts(type->text, "text/plain"))
        lose(o, q, type, "the argument is sent as a plain text; JSON alone can be said");
    return is_object && !exploded && !type ? STYLE_JSON : STYLE_UNSAID;
}

static enum style_explode read_explode(const struct json *holder) {
    const struct json *said = json_get(holder, "explode");
    if (json_is(said, JSON_TRUE)) return EXPLODE_TRUE;
    return json_is(said, JSON_FALSE) ? EXPLODE_FALSE : EXPLODE_UNSAID;
}

/* deepObject and json are written one way only. */
static bool may_explode(enum parameter_style style) {
    return style != STYLE_DEEP && style != STYLE_JSON;
}

/* A part is written by itself as its value is; only what is said counts. */
static bool is_plain_part(const struct api_style_question *q) {
    return q->place == STYLE_PART && !json_get(q->holder, "style") &&
           !json_get(q->holder, "explode");
}

struct import_style *openapi_style(const struct api_operation *o,
                                   const struct api_style_question *q) {
    if (is_plain_part(q)) return NULL;
    const struct json *reserved = json_get(q->holder, "allowReserved");
    unsigned kinds = q->schema ? style_kinds(o->document, q->schema) : STYLE_KIND_ANY;
    enum parameter_style normal = style_default(q->place), style = read_style(o, q);
    enum style_explode explode = read_explode(q->holder);
    if (json_is(reserved, JSON_TRUE)) import_lose(o->in, reserved, NULL, "a parameter");
    const char *problem = style_cannot_say(o->document, q->schema, style ? style : normal);
    if (problem) report_nested(o, q, style ? style : normal, problem);
    if (!style) style = normal;
    /* A scalar is the same in all styles but these. */
    bool plain = !(kinds & (STYLE_KIND_LIST | STYLE_KIND_OBJECT));
    bool prefixed = style == STYLE_LABEL || style == STYLE_MATRIX;
    bool says_style = style != normal && (!plain || prefixed || style == STYLE_JSON);
    bool says_explode = !plain && explode && may_explode(style) &&
                        (explode == EXPLODE_TRUE) != style_explodes(style, EXPLODE_UNSAID);
    if (!says_style && !says_explode) return NULL;
    struct import_style *made = ARENA_NEW(o->in->arena, struct import_style);
    if (!made) return NULL;
    *made = (struct import_style){.argument = q->argument,
                                  .style = says_style ? style : STYLE_UNSAID,
                                  .explode = says_explode ? explode : EXPLODE_UNSAID};
    return made;
}
