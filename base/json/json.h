/* JSON: a strict scanner (RFC 8259), a document in an arena, a writer. Numbers keep their text,
 * duplicate keys stay visible, every value knows its span. */
#ifndef BASE_JSON_JSON_H
#define BASE_JSON_JSON_H

#include "base/buf.h"
#include "base/limits.h"
#include "base/source.h"

enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
};

struct json {
    struct json *next;   /* next item or member */
    struct json *first;  /* of an array or object */
    gramc_text key;      /* of a member: decoded */
    gramc_text text;     /* number: as written; string: decoded (may hold NUL) */
    uint32_t start, end; /* bytes in the document, [start, end) */
    uint32_t count;      /* items or members */
    uint32_t key_start;  /* of a member: where its key's quote stands */
    uint8_t kind;
    uint8_t mark; /* 0; free for whoever owns the document */
};

struct json_error {
    size_t position;
    const char *message; /* a constant: lower case, no full stop */
    bool limit;          /* depth or size, not syntax */
};

/* Parses the whole text (at most 2 GiB). NULL on error, and on memory (arena->oom). Strings borrow
 * from the text where nothing had to be decoded. `error` may be NULL. */
struct json *json_parse(struct arena *arena, gramc_text text, struct json_error *error);

/* For what programs send us: an escape that is half of a surrogate pair (a text that was cut in the
 * middle of an emoji) becomes the escape of U+FFFD, in place. True if there was one. */
bool json_mend(char *bytes, size_t len);
/* The same for bytes of others: the text itself where nothing is to be mended, else a copy in the
 * arena. No ptr without memory. */
gramc_text json_mended(struct arena *arena, gramc_text text);

/* The last member of that name (as most readers have it); NULL if absent or not an object. */
const struct json *json_get(const struct json *object, const char *key);
const struct json *json_get_text(const struct json *object, gramc_text key);
/* By JSON Pointer (RFC 6901), "" being the value itself. */
const struct json *json_at(const struct json *value, gramc_text pointer);
/* False for NULL. Seen by every caller, as what follows a check of many a document. */
static inline bool json_is(const struct json *value, enum json_kind kind) {
    return value && value->kind == kind;
}
/* Equal as JSON Schema means it: 1 and 1.0 are equal, objects are unordered, any length exact. */
bool json_equal(const struct json *a, const struct json *b);
/* Sorts `count` members by key, bytewise; duplicates keep their order. `spare` has as much room;
 * returns whichever of the two holds the result. */
const struct json **json_sort_members(const struct json **members, const struct json **spare,
                                      size_t count);
/* json_equal within a number of comparisons; false with *steps 0 when they did not suffice. */
bool json_equal_within(const struct json *a, const struct json *b, uint64_t *steps);
/* Compares two number spellings exactly, of any length and exponent: -1, 0, 1. */
int json_number_compare(gramc_text a, gramc_text b);
/* True for 5, 5.0, 1e3; exact. */
bool json_number_is_integer(gramc_text number);
/* Without a point and an exponent, as 1 is and 1.0 is not. */
bool json_number_is_written_whole(gramc_text number);

/* ## Writing. All to a buf, so that errors are sticky. */
/* With quotes. Ill-formed UTF-8 becomes U+FFFD; only what must be is escaped. */
void json_put_string(struct buf *out, gramc_text text);
/* One value, compact, numbers as spelled, members in order. */
void json_put(struct buf *out, const struct json *value);
/* The same with two blanks of indentation a level. */
void json_put_pretty(struct buf *out, const struct json *value);
/* Keys sorted bytewise at every level, compact, numbers as spelled. */
void json_put_canonical(struct buf *out, const struct json *value);
/* Shortest text that reads back as the same double. false (writes nothing) for NaN, infinities. */
bool json_put_double(struct buf *out, double value);

/* Appends one reference token to a JSON Pointer, `~` and `/` escaped. */
void json_put_pointer_token(struct buf *out, gramc_text token);

#endif
