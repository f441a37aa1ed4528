/* Turns JSON text into a document in an arena: values in linked lists, each with its span. Strict;
 * keeps the spelling of numbers and every duplicate key. Iterative: nesting costs no stack. Leaves
 * tokens to scan.h and questions about documents to value.c. */
#include "base/json/json.h"

#include <string.h>

#include "base/json/part.h"
#include "base/json/scan.h"

struct json_level {
    struct json *container;
    struct json **link; /* where the next item goes */
};

struct json_reader {
    struct arena *arena;
    const char *start, *end;
    const char *p;
    struct json_error error;
    size_t depth;
    struct json_level levels[JSON_MAX_DEPTH];
};

static bool fail_at(struct json_reader *reader, const char *at, const char *message) {
    if (!reader->error.message) {
        reader->error.position = (size_t)(at - reader->start);
        reader->error.message = message;
    }
    return false;
}

static bool fail(struct json_reader *reader, const char *message) {
    return fail_at(reader, reader->p, message);
}

/* Walks to the byte that spoils a string and says why; the scanner itself only says that. Out of
 * line, so that a good string, as nearly all are, has no registers to save for it. */
#if defined(__GNUC__)
__attribute__((cold, noinline))
#endif
static bool
fail_string(struct json_reader *reader, const char *p) {
    gramc_text text = {p, (size_t)(reader->end - p)};
    for (size_t pos = 0; pos < text.len;) {
        const char *at = p + pos;
        if (*at == '\\') {
            const char *next = json_scan_escape(at, reader->end);
            if (!next) return fail_at(reader, at, "invalid escape sequence in a string");
            pos = (size_t)(next - p);
        } else if ((unsigned char)*at < 0x20) {
            return fail_at(reader, at, "control character in a string; write it as an escape");
        } else {
            size_t before = pos;
            if (*at == '"' || json_next_char(&at, reader->end) == UINT32_MAX)
                return fail_at(reader, p + before, "invalid UTF-8 in a string");
            pos = (size_t)(at - p);
        }
    }
    return fail_at(reader, p - 1, "unterminated string");
}

/* p is at the opening quote. */
static bool read_string(struct json_reader *reader, gramc_text *out) {
    unsigned seen = 0;
    const char *inside = reader->p + 1, *close = json_scan_string(inside, reader->end, &seen);
    if (!close) return fail_string(reader, inside);
    *out = (gramc_text){inside, (size_t)(close - inside)};
    reader->p = close + 1;
    if (!(seen & JSON_SEEN_ESCAPE)) return true;
    char *decoded = arena_alloc(reader->arena, out->len + 1);
    if (!decoded) return false;
    size_t len = json_unescape(decoded, inside, close);
    decoded[len] = '\0';
    *out = (gramc_text){decoded, len};
    return true;
}

static void skip_blanks(struct json_reader *reader) {
    reader->p = json_scan_blanks(reader->p, reader->end);
}

static bool read_key(struct json_reader *reader, gramc_text *key) {
    if (reader->p == reader->end || *reader->p != '"')
        return fail(reader, "expected a member name in double quotes");
    if (!read_string(reader, key)) return false;
    skip_blanks(reader);
    if (reader->p == reader->end || *reader->p != ':')
        return fail(reader, "expected ':' behind a member name");
    reader->p++;
    skip_blanks(reader);
    return true;
}

static bool read_number(struct json_reader *reader, struct json *value) {
    bool whole;
    const char *end = json_scan_number(reader->p, reader->end, &whole);
    if (!end) return fail(reader, "invalid number");
    if (*reader->p == '0' && end < reader->end && json_byte_is(*end, JSON_BYTE_DIGIT))
        return fail(reader, "a number must not begin with 0");
    value->kind = JSON_NUMBER;
    value->text = (gramc_text){reader->p, (size_t)(end - reader->p)};
    reader->p = end;
    return true;
}

static bool read_word(struct json_reader *reader, struct json *value) {
    const char *end = json_scan_word(reader->p, reader->end);
    if (!end) return fail(reader, "expected a value");
    value->kind = *reader->p == 't' ? JSON_TRUE : *reader->p == 'f' ? JSON_FALSE : JSON_NULL;
    reader->p = end;
    return true;
}

static bool open_container(struct json_reader *reader, struct json *value) {
    if (reader->depth == JSON_MAX_DEPTH) {
        reader->error.limit = true;
        return fail(reader, "nested deeper than 1000 levels");
    }
    value->kind = *reader->p == '{' ? JSON_OBJECT : JSON_ARRAY;
    reader->levels[reader->depth++] = (struct json_level){value, &value->first};
    reader->p++;
    return true;
}

/* Reads a scalar whole and of a container the opening bracket. */
static struct json *begin_value(struct json_reader *reader) {
    if (reader->p == reader->end) {
        fail(reader, "expected a value, the text ends here");
        return NULL;
    }
    struct json *value = arena_piece(reader->arena, sizeof *value);
    if (!value) return NULL;
    *value = (struct json){.next = NULL};
    value->start = (uint32_t)(reader->p - reader->start);
    char c = *reader->p;
    bool fine;
    if (c == '"') {
        value->kind = JSON_STRING;
        fine = read_string(reader, &value->text);
    } else if (c == '{' || c == '[') {
        fine = open_container(reader, value);
    } else if (c == '-' || json_byte_is(c, JSON_BYTE_DIGIT)) {
        fine = read_number(reader, value);
    } else {
        fine = read_word(reader, value);
    }
    value->end = (uint32_t)(reader->p - reader->start);
    return fine ? value : NULL;
}

static bool add_item(struct json_reader *reader) {
    struct json_level *level = &reader->levels[reader->depth - 1];
    gramc_text key = {NULL, 0};
    uint32_t key_start = (uint32_t)(reader->p - reader->start);
    if (level->container->kind == JSON_OBJECT && !read_key(reader, &key)) return false;
    struct json *value = begin_value(reader);
    if (!value) return false;
    value->key = key;
    value->key_start = key.ptr ? key_start : 0;
    *level->link = value;
    level->link = &value->next;
    level->container->count++;
    return true;
}

/* Behind an item, or right behind an opening bracket: closes what ends here. Leaves p where the
 * next item starts, or behind the outermost bracket. */
static bool close_finished(struct json_reader *reader, bool fresh) {
    while (reader->depth) {
        struct json *container = reader->levels[reader->depth - 1].container;
        char closer = container->kind == JSON_OBJECT ? '}' : ']';
        skip_blanks(reader);
        if (reader->p == reader->end)
            return fail_at(reader, reader->start + container->start,
                           closer == '}' ? "'{' is never closed" : "'[' is never closed");
        if (*reader->p == closer) {
            container->end = (uint32_t)(++reader->p - reader->start);
            reader->depth--;
            fresh = false;
            continue;
        }
        if (fresh) return true;
        if (*reader->p != ',')
            return fail(reader, closer == '}' ? "expected ',' or '}' behind a member"
                                              : "expected ',' or ']' behind an item");
        reader->p++;
        skip_blanks(reader);
        if (reader->p < reader->end && *reader->p == closer)
            return fail(reader, "a comma stands before the closing bracket");
        return true;
    }
    return true;
}

static struct json *read_document(struct json_reader *reader) {
    skip_blanks(reader);
    struct json *root = begin_value(reader);
    if (!root) return NULL;
    for (bool fresh = reader->depth > 0; reader->depth;) {
        if (!close_finished(reader, fresh)) return NULL;
        if (!reader->depth) break;
        size_t depth = reader->depth;
        if (!add_item(reader)) return NULL;
        fresh = reader->depth > depth;
    }
    skip_blanks(reader);
    if (reader->p == reader->end) return root;
    fail(reader, "only blanks may follow the value");
    return NULL;
}

struct json *json_parse(struct arena *arena, gramc_text text, struct json_error *error) {
    struct json *root = NULL;
    struct json_reader reader;
    memset(&reader.error, 0, sizeof reader.error);
    if (text.len > INT32_MAX) {
        reader.error = (struct json_error){0, "larger than 2 GiB", true};
    } else {
        static const char nothing[1];
        const char *start = text.ptr ? text.ptr : nothing;
        reader.arena = arena;
        reader.start = reader.p = start;
        reader.end = start + text.len;
        reader.depth = 0;
        root = read_document(&reader);
        if (!root && !reader.error.message) reader.error.message = "out of memory";
    }
    if (error) *error = reader.error;
    return root;
}

struct json *json_parse_part(struct arena *arena, gramc_text text, size_t from, size_t to) {
    struct json_reader reader;
    memset(&reader.error, 0, sizeof reader.error);
    reader.arena = arena;
    reader.start = text.ptr;
    reader.p = text.ptr + from;
    reader.end = text.ptr + to;
    reader.depth = 0;
    return read_document(&reader);
}
