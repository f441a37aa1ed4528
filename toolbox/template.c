/* Turns the text of a template into parts, each of which knows where it stands, and checks the
 * names in it. Filling in is template_expand.c's. */
#include "toolbox/template.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/placeholder.h"
#include "base/text.h"

gramc_status template_fail(struct template_error *error, size_t start, size_t end,
                           const char *format, ...) {
    va_list args;
    error->start = (uint32_t)start;
    error->end = (uint32_t)end;
    va_start(args, format);
    vsnprintf(error->message, sizeof(error->message), format, args);
    va_end(args);
    return GRAMC_FINDINGS;
}

enum template_kind template_body_kind(gramc_text content_type) {
    static const struct {
        const char *end;
        enum template_kind kind;
    } ends[] = {{"/json", TEMPLATE_JSON},
                {"+json", TEMPLATE_JSON},
                {"/x-www-form-urlencoded", TEMPLATE_FORM},
                {"/xml", TEMPLATE_MARKUP},
                {"+xml", TEMPLATE_MARKUP},
                {"/html", TEMPLATE_MARKUP}};
    size_t len = 0;
    while (len < content_type.len && content_type.ptr[len] != ';') len++;
    gramc_text type = text_trim(text_slice(content_type, 0, len));
    if (type.len == 0) return TEMPLATE_JSON;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        size_t end = strlen(ends[i].end);
        if (type.len >= end &&
            text_is_nocase(text_slice(type, type.len - end, type.len), ends[i].end))
            return ends[i].kind;
    }
    return TEMPLATE_TEXT;
}

enum template_kind template_header_kind(gramc_text name) {
    return style_text_of_header(name) == STYLE_IN_COOKIES ? TEMPLATE_COOKIES : TEMPLATE_HEADER;
}

/* ## Where we are, from the literal text so far */

enum url_zone { ZONE_AUTHORITY, ZONE_PATH, ZONE_QUERY, ZONE_FRAGMENT };

struct place_finder {
    enum template_kind kind;
    bool literal;
    enum url_zone zone;
    bool in_string, escaped;
};

static size_t authority_end(gramc_text text) {
    size_t i = text_starts(text, "http://") ? 7 : text_starts(text, "https://") ? 8 : 0;
    while (i && i < text.len && !strchr("/?#", text.ptr[i])) i++;
    return i;
}

static void see_url_char(struct place_finder *finder, char c) {
    if (c == '#') finder->zone = ZONE_FRAGMENT;
    else if (c == '?' && finder->zone == ZONE_PATH) finder->zone = ZONE_QUERY;
}

static void see_json_char(struct place_finder *finder, char c) {
    if (finder->escaped) finder->escaped = false;
    else if (c == '\\') finder->escaped = finder->in_string;
    else if (c == '"') finder->in_string = !finder->in_string;
}

static void see(struct place_finder *finder, gramc_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (finder->kind == TEMPLATE_URL) see_url_char(finder, text.ptr[i]);
        if (finder->kind == TEMPLATE_JSON) see_json_char(finder, text.ptr[i]);
    }
}

static enum template_place place_here(const struct place_finder *finder) {
    if (finder->kind == TEMPLATE_HEADER || finder->kind == TEMPLATE_COOKIES) return PLACE_HEADER;
    if (finder->literal) return PLACE_RAW;
    switch (finder->kind) {
    case TEMPLATE_URL: return finder->zone == ZONE_PATH ? PLACE_SEGMENT : PLACE_QUERY;
    case TEMPLATE_JSON: return finder->in_string ? PLACE_JSON_STRING : PLACE_JSON_VALUE;
    case TEMPLATE_FORM: return PLACE_QUERY;
    case TEMPLATE_MARKUP: return PLACE_MARKUP;
    case TEMPLATE_HEADER:
    case TEMPLATE_COOKIES:
    case TEMPLATE_PART:
    case TEMPLATE_FILE:
    case TEMPLATE_TEXT: break;
    }
    return PLACE_RAW;
}

/* ## Reading */

struct template_reader {
    struct template *out;
    gramc_text text;
    struct place_finder finder;
    size_t authority; /* end of http://host */
    struct template_error *error;
};

static gramc_status add(struct template_reader *reader, struct template_part part) {
    if (reader->out->count == TEMPLATE_PARTS_MAX)
        return template_fail(reader->error, part.start, part.end,
                             "more than %d parts in a template", TEMPLATE_PARTS_MAX);
    reader->out->parts[reader->out->count++] = part;
    return GRAMC_OK;
}

static gramc_status add_text(struct template_reader *reader, gramc_text text) {
    size_t start = (size_t)(text.ptr - reader->text.ptr);
    see(&reader->finder, text);
    return add(reader, (struct template_part){.kind = PART_TEXT,
                                              .place = PLACE_RAW,
                                              .text = text,
                                              .start = (uint32_t)start,
                                              .end = (uint32_t)(start + text.len)});
}

static void split_fallback(struct template_part *part) {
    for (size_t i = 0; i + 1 < part->text.len; i++) {
        if (part->text.ptr[i] != ':' || part->text.ptr[i + 1] != '-') continue;
        part->fallback = text_slice(part->text, i + 2, part->text.len);
        part->has_fallback = true;
        part->text.len = i;
        return;
    }
}

static gramc_status add_parameter(struct template_reader *reader, size_t start, size_t end) {
    struct template_part part = {.kind = PART_PARAMETER,
                                 .place = place_here(&reader->finder),
                                 .text = text_slice(reader->text, start + 2, end - 1),
                                 .start = (uint32_t)start,
                                 .end = (uint32_t)end};
    split_fallback(&part);
    if (text_starts(part.text, "env:")) {
        part.kind = PART_SECRET;
        part.text = text_slice(part.text, 4, part.text.len);
    }
    if (part.text.len == 0)
        return template_fail(reader->error, start, end, "a parameter without a name");
    if (start < reader->authority)
        return template_fail(reader->error, start, end,
                             "scheme and host of an address are not filled in");
    if (reader->finder.escaped)
        return template_fail(reader->error, start, end,
                             "a \\ in a JSON text stands before a parameter");
    if (reader->finder.kind == TEMPLATE_URL && reader->finder.zone == ZONE_FRAGMENT)
        return template_fail(reader->error, start, end, "nothing behind a # is sent");
    return add(reader, part);
}

static gramc_status read_parts(struct template_reader *reader) {
    struct placeholder part;
    gramc_status status = GRAMC_OK;
    size_t start = 0;
    for (size_t pos = 0; !status && placeholder_next(reader->text, &pos, &part); start = pos) {
        switch (part.kind) {
        case PLACEHOLDER_TEXT: status = add_text(reader, part.text); break;
        case PLACEHOLDER_NAME:
        case PLACEHOLDER_BAD: status = add_parameter(reader, start, pos); break;
        case PLACEHOLDER_OPEN:
            return template_fail(reader->error, start, pos, "`${` is never closed");
        }
    }
    return status;
}

static size_t most_parts(gramc_text text) {
    size_t count = 1;
    for (size_t i = 0; i < text.len; i++) count += text.ptr[i] == '$' ? 2 : 0;
    return count < TEMPLATE_PARTS_MAX ? count : TEMPLATE_PARTS_MAX;
}

/* With a null for each value and nothing inside quotes the body must be JSON. */
static gramc_status check_json(const struct template *what, struct arena *arena,
                               struct template_error *error) {
    struct buf sample;
    struct json_error syntax;
    struct arena scratch;
    buf_init(&sample, &arena->allocator, (size_t)INT32_MAX);
    arena_init(&scratch, &arena->allocator);
    for (size_t i = 0; i < what->count; i++) {
        if (what->parts[i].kind == PART_TEXT) buf_text(&sample, what->parts[i].text);
        else if (what->parts[i].place == PLACE_JSON_VALUE) buf_puts(&sample, "null");
    }
    gramc_status status = buf_status(&sample);
    if (status == GRAMC_OK && !json_parse(&scratch, buf_view(&sample), &syntax)) {
        status = GRAMC_NOMEM;
        if (!scratch.oom)
            status = template_fail(error, 0, what->source.len, "the body is no JSON: %s",
                                   syntax.message);
    }
    arena_free(&scratch);
    buf_free(&sample);
    return status;
}

static enum style_text style_text_of(enum template_kind kind) {
    switch (kind) {
    case TEMPLATE_URL: return STYLE_IN_URL;
    case TEMPLATE_HEADER: return STYLE_IN_HEADER;
    case TEMPLATE_COOKIES: return STYLE_IN_COOKIES;
    case TEMPLATE_FORM: return STYLE_IN_FORM;
    case TEMPLATE_PART: return STYLE_IN_PART;
    case TEMPLATE_FILE: return STYLE_IN_FILE;
    case TEMPLATE_JSON:
    case TEMPLATE_MARKUP:
    case TEMPLATE_TEXT: break;
    }
    return STYLE_IN_OTHER;
}

/* A value that is all of the markup is a document, not a text in one. */
static void find_document(struct template *what) {
    if (what->count == 1 && what->parts[0].place == PLACE_MARKUP) what->parts[0].place = PLACE_RAW;
}

static void find_own_places(struct template *what, enum template_kind kind) {
    for (size_t i = 0; i < what->count; i++) {
        struct template_part *part = &what->parts[i];
        if (part->kind == PART_PARAMETER)
            part->own =
                (uint8_t)style_place_at(style_text_of(kind), what->source, part->start, part->end);
    }
}

void template_set_styles(struct template *what, const struct template_style *styles, size_t count) {
    for (size_t i = 0; i < what->count; i++)
        for (size_t k = 0; k < count; k++) {
            struct template_part *part = &what->parts[i];
            if (part->kind != PART_PARAMETER || !text_eq(part->text, styles[k].name)) continue;
            part->style = (uint8_t)styles[k].style;
            part->explode = (uint8_t)styles[k].explode;
        }
}

gramc_status template_read(struct template *out, struct arena *arena, gramc_text text,
                           enum template_kind kind, bool literal, struct template_error *error) {
    gramc_text copy = arena_text(arena, text);
    *error = (struct template_error){.start = 0};
    *out = (struct template){.source = copy};
    if (text.len > INT32_MAX) return GRAMC_LIMIT;
    out->parts = arena_array(arena, most_parts(text) + 1, sizeof(*out->parts));
    if (!copy.ptr || !out->parts) return GRAMC_NOMEM;
    size_t authority = kind == TEMPLATE_URL ? authority_end(copy) : 0;
    struct template_reader reader = {.out = out,
                                     .text = copy,
                                     .finder = {kind, literal, ZONE_PATH, false, false},
                                     .authority = authority,
                                     .error = error};
    gramc_status status = read_parts(&reader);
    if (status == GRAMC_OK && kind == TEMPLATE_JSON && !literal)
        status = check_json(out, arena, error);
    if (status == GRAMC_OK) find_document(out);
    if (status == GRAMC_OK && !literal) find_own_places(out, kind);
    return status;
}

gramc_status template_fixed(struct template *out, struct arena *arena, gramc_text text) {
    gramc_text copy = arena_text(arena, text);
    struct template_part *part = ARENA_NEW(arena, struct template_part);
    *out = (struct template){.source = copy, .parts = part, .count = 1};
    if (!copy.ptr || !part) return GRAMC_NOMEM;
    part->place = PLACE_RAW;
    part->text = copy;
    part->end = (uint32_t)copy.len;
    return GRAMC_OK;
}

/* ## Checking */

gramc_status template_check(const struct template *what, const gramc_text *names, size_t count,
                            bool *used, struct template_error *error) {
    for (size_t i = 0; i < what->count; i++) {
        const struct template_part *part = &what->parts[i];
        size_t k = 0;
        if (part->kind != PART_PARAMETER) continue;
        while (k < count && !text_eq(names[k], part->text)) k++;
        if (k < count) {
            used[k] = true;
            continue;
        }
        gramc_text near = text_nearest(part->text, names, count), shown = part->text;
        if (shown.len > 60) shown.len = 60;
        if (near.len > 60 || near.len == 0)
            return template_fail(error, part->start, part->end, "no parameter `%.*s` is declared",
                                 TEXT_ARGS(shown));
        return template_fail(error, part->start, part->end,
                             "no parameter `%.*s` is declared; did you mean `%.*s`?",
                             TEXT_ARGS(shown), TEXT_ARGS(near));
    }
    return GRAMC_OK;
}
