/* Walks every text of an event, also of JSON that stands in a text (arguments and results of tools
 * do), and cuts out what looks like a secret or what rules name. Events that have none are copied
 * byte for byte. */
#include "experiment/cassette_scrub.h"

#include <stdio.h>
#include <string.h>

#include "base/json/writer.h"
#include "base/text.h"
#include "experiment/cassette_secret.h"

enum { INNER_MOST = 3, NAMED_LEAST = 8 };

struct scrubbing {
    const struct scrub_rules *rules; /* NULL: none */
    struct arena *arena;
    size_t places;
    unsigned inner;
};

/* ## Spans of one text */

/* The first match that is not empty, as far as the text is one of C. */
static bool find_match(struct scrubbing *s, const regex_t *pattern, const char *text, size_t from,
                       struct secret_span *out) {
    regmatch_t match;
    for (size_t len = strlen(text); from <= len; from = out->end + 1) {
        int result = regexec(pattern, text + from, 1, &match, from ? REG_NOTBOL : 0);
        if (result == REG_ESPACE) s->arena->oom = true;
        if (result) return false;
        *out = (struct secret_span){from + (size_t)match.rm_so, from + (size_t)match.rm_eo};
        if (out->start < out->end) return true;
    }
    return false;
}

static bool by_pattern(struct scrubbing *s, gramc_text text, size_t from, struct secret_span *out) {
    struct secret_span other = {0, 0};
    bool found = false;
    size_t count = s->rules ? s->rules->pattern_count : 0;
    gramc_text copy = count ? arena_text(s->arena, text) : TEXT("");
    for (size_t i = 0; copy.ptr && i < count; i++) {
        if (!find_match(s, s->rules->patterns[i], copy.ptr, from, &other)) continue;
        if (!found || other.start < out->start) *out = other;
        found = true;
    }
    return found;
}

static bool next_span(struct scrubbing *s, gramc_text text, size_t from, bool is_id,
                      struct secret_span *out) {
    struct secret_span other = {0, 0};
    bool found = by_pattern(s, text, from, out);
    if (secret_by_prefix(text, from, &other) && (!found || other.start < out->start)) {
        *out = other;
        found = true;
    }
    if (!is_id && secret_by_entropy(text, from, &other) && (!found || other.start < out->start)) {
        *out = other;
        found = true;
    }
    return found;
}

static bool is_member(const struct scrub_rules *rules, gramc_text name) {
    for (size_t i = 0; rules && i < rules->member_count; i++)
        if (text_eq(rules->members[i], name)) return true;
    return false;
}

/* A member that is called as secrets are, and holds a word that is long enough for one. */
static bool holds_secret(gramc_text name, gramc_text text) {
    if (!secret_is_name(name) || text.len < NAMED_LEAST || text_is(text, SCRUBBED)) return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '\n' || (text.ptr[i] == ' ' && !text_starts(text, "Bearer ")))
            return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '*') return true;
    return false;
}

/* ## Writing */

static void put_value(struct scrubbing *s, struct buf *out, const struct json *value,
                      gramc_text name, bool hidden);

static void put_spans(struct scrubbing *s, struct buf *out, gramc_text text, bool is_id) {
    struct secret_span span = {0, 0};
    size_t at = 0;
    while (next_span(s, text, at, is_id, &span)) {
        buf_text(out, text_slice(text, at, span.start));
        buf_puts(out, SCRUBBED);
        s->places++;
        at = span.end;
    }
    buf_text(out, text_slice(text, at, text.len));
}

/* JSON in a text, if something in it was cut out. */
static bool put_inner(struct scrubbing *s, struct buf *out, gramc_text text) {
    if (!text.len || (text.ptr[0] != '{' && text.ptr[0] != '[') || s->inner == INNER_MOST)
        return false;
    const struct json *document = json_parse(s->arena, text, NULL);
    size_t before = s->places;
    struct buf inner;
    if (!document) return false;
    buf_init(&inner, &s->arena->allocator, TRACE_SIZE_MAX);
    s->inner++;
    put_value(s, &inner, document, TEXT(""), false);
    s->inner--;
    bool changed = s->places > before;
    if (changed) buf_text(out, buf_view(&inner));
    if (buf_status(&inner)) s->arena->oom = true;
    buf_free(&inner);
    return changed;
}

static void put_text(struct scrubbing *s, struct buf *out, gramc_text text, gramc_text name,
                     bool hidden) {
    struct buf plain;
    buf_init(&plain, &s->arena->allocator, TRACE_SIZE_MAX);
    if ((hidden && !text_is(text, SCRUBBED)) || holds_secret(name, text)) {
        buf_puts(&plain, SCRUBBED);
        s->places++;
    } else if (!put_inner(s, &plain, text)) {
        put_spans(s, &plain, text, secret_is_id(name));
    }
    if (buf_status(&plain)) s->arena->oom = true;
    json_put_string(out, buf_view(&plain));
    buf_free(&plain);
}

/* Below a member that is named by a rule every text is hidden. Recursion is bounded by
 * JSON_MAX_DEPTH. */
static void put_value(struct scrubbing *s, struct buf *out, const struct json *value,
                      gramc_text name, bool hidden) {
    bool object = value->kind == JSON_OBJECT;
    if (value->kind == JSON_STRING) {
        put_text(s, out, value->text, name, hidden);
        return;
    }
    if (!object && value->kind != JSON_ARRAY) {
        json_put(out, value);
        return;
    }
    buf_putc(out, object ? '{' : '[');
    for (const struct json *item = value->first; item; item = item->next) {
        if (item != value->first) buf_putc(out, ',');
        if (object) json_put_string(out, item->key);
        if (object) buf_putc(out, ':');
        gramc_text key = object ? item->key : name;
        put_value(s, out, item, key, hidden || (object && is_member(s->rules, key)));
    }
    buf_putc(out, object ? '}' : ']');
}

static void put_line(struct scrubbing *s, struct buf *out, const struct cassette_reader *reader) {
    size_t before = s->places, len = out->len;
    put_value(s, out, reader->event, TEXT(""), false);
    if (s->places == before && !buf_status(out)) {
        out->len = len;
        buf_text(out, reader->source);
    }
    buf_putc(out, '\n');
}

/* What a file is found and put in order by. */
static bool is_frame(gramc_text kind) {
    return text_is(kind, "cassette") || text_is(kind, "cell");
}

gramc_status cassette_scrub(struct buf *out, gramc_text file, const struct scrub_rules *rules,
                            size_t *places, struct cassette_error *error) {
    struct arena arena;
    arena_init(&arena, &out->allocator);
    struct cassette_reader reader = {.arena = &arena, .text = file};
    struct scrubbing s = {.rules = rules, .arena = &arena};
    gramc_status status;
    while (!(status = cassette_next(&reader))) {
        if (is_frame(reader.kind)) {
            buf_text(out, reader.source);
            buf_putc(out, '\n');
        } else {
            put_line(&s, out, &reader);
        }
    }
    *places = s.places;
    *error = reader.error;
    if (arena.oom) status = GRAMC_NOMEM;
    else if (status == GRAMC_NOT_FOUND) status = buf_status(out);
    arena_free(&arena);
    return status;
}

/* ## Looking */

static bool note(struct secret_place *out, const char *why, gramc_text text) {
    size_t len = text.len / 4 < 6 ? text.len / 4 : 6; /* enough to find it, too little to use it */
    snprintf(out->begin, sizeof out->begin, "%.*s", (int)len, len ? text.ptr : "");
    out->why = why;
    return true;
}

static bool is_secret(const struct json *value, gramc_text name, struct secret_place *out) {
    struct secret_span span = {0, 0};
    gramc_text text = value->text;
    if (secret_by_prefix(text, 0, &span))
        return note(out, "a key of a well-known service", text_slice(text, span.start, span.end));
    if (holds_secret(name, text)) return note(out, "a secret by its name", text);
    if (!secret_is_id(name) && secret_by_entropy(text, 0, &span))
        return note(out, "a key by its looks", text_slice(text, span.start, span.end));
    return false;
}

static bool look(struct arena *arena, const struct json *value, gramc_text name, unsigned inner,
                 struct secret_place *out) {
    if (value->kind == JSON_STRING) {
        gramc_text text = value->text;
        bool may_be_json = text.len && (text.ptr[0] == '{' || text.ptr[0] == '[');
        const struct json *document =
            arena && may_be_json && inner < INNER_MOST ? json_parse(arena, text, NULL) : NULL;
        if (document && look(arena, document, TEXT(""), inner + 1, out)) return true;
        return !document && is_secret(value, name, out);
    }
    if (value->kind != JSON_OBJECT && value->kind != JSON_ARRAY) return false;
    size_t len = strlen(out->where);
    for (const struct json *item = value->first; item; item = item->next) {
        bool object = value->kind == JSON_OBJECT;
        if (object)
            snprintf(out->where + len, sizeof out->where - len, "/%.*s", TEXT_ARGS(item->key));
        if (look(arena, item, object ? item->key : name, inner, out)) return true;
        out->where[len] = '\0';
    }
    return false;
}

bool cassette_event_secret(struct arena *arena, const struct json *event,
                           struct secret_place *out) {
    *out = (struct secret_place){.why = ""};
    return look(arena, event, TEXT(""), 0, out);
}
