/* Where JSON goes while it is made: to bytes, to a document in an arena, or to both at once, so
 * that one description of what is said serves printing and asking. Commas are the writer's matter.
 */
#ifndef BASE_JSON_SINK_H
#define BASE_JSON_SINK_H

#include "base/json/writer.h"

struct json_sink_level {
    struct json *container;
    struct json **tail; /* where its next item goes */
};

struct json_sink {
    struct json_writer writer; /* of the bytes; out NULL: none are wanted */
    struct arena *arena;       /* of the document; NULL: none is wanted */
    struct json *root;
    gramc_text key;  /* of the member that comes next */
    uint32_t key_at; /* where that begins */
    uint32_t tokens; /* so far, where there are no bytes to count */
    uint32_t depth;
    bool failed; /* too deep for a document, or without memory */
    struct json_sink_level levels[JSON_MAX_DEPTH];
};

/* Of the two, one may be NULL. */
void json_sink_init(struct json_sink *sink, struct buf *out, struct arena *arena);
/* The document, once all is closed; NULL if it is nested deeper than JSON_MAX_DEPTH, or without
 * memory (arena->oom). Its spans are those of the bytes; without bytes they only tell what stands
 * inside what. */
const struct json *json_sink_document(const struct json_sink *sink);

/* Begins a member. The key is borrowed. */
void json_sink_key(struct json_sink *sink, gramc_text key);
/* The same with a constant that needs no escapes. */
void json_sink_name(struct json_sink *sink, const char *name);
/* An array or object begins; ends. */
void json_sink_open(struct json_sink *sink, enum json_kind kind);
void json_sink_close(struct json_sink *sink, enum json_kind kind);
/* The text is borrowed. */
void json_sink_string(struct json_sink *sink, gramc_text text);
void json_sink_number(struct json_sink *sink, gramc_text number);
/* null, true, false. */
void json_sink_word(struct json_sink *sink, enum json_kind kind);
/* A string, number or word that is spelled as JSON already. A list or map that is too deep for a
 * document may be given too: to bytes it goes as it is, a document fails of it. */
void json_sink_scalar(struct json_sink *sink, gramc_text json);
/* All of a value, copied but for its texts. */
void json_sink_value(struct json_sink *sink, const struct json *value);
/* The text as long as the document lives: a copy, if there is one. */
gramc_text json_sink_keep(struct json_sink *sink, gramc_text text);
/* Takes over what went wrong in a buffer that a text was made in. */
void json_sink_fail(struct json_sink *sink, const struct buf *buf);
/* True if memory, or room for the bytes, has run out. */
bool json_sink_is_broken(const struct json_sink *sink);
const gramc_allocator *json_sink_allocator(const struct json_sink *sink);
#endif
