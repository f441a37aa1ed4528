/* Streamed answers. Pieces go in as they come, and at the end comes out the body that the same
 * answer would have had unstreamed: so one reader reads both (protocol.h), and the reply, what its
 * provider wants back and what a trace holds are the same. Pure: bytes in, bytes out. */
#ifndef RUNTIME_STREAM_H
#define RUNTIME_STREAM_H

#include "base/json/json.h"
#include "base/json/writer.h"
#include "runtime/net/sse.h"

struct stream;

/* How one protocol streams; a file each (stream_*.c). */
struct stream_protocol {
    bool lines; /* a JSON object a line (NDJSON), not server-sent events */
    /* One event, always an object, and no error. */
    void (*event)(struct stream *stream, const struct json *event);
    /* The string of an event that only adds it to STREAM_TEXT: the same event with another string
     * adds that one, and changes nothing else when it has come before. NULL: it does more, or less.
     * No such function: no event of the protocol is read by the one before it. */
    const struct json *(*lone_text)(const struct json *event);
    /* The body, of what came so far. */
    void (*body)(const struct stream *stream, struct json_writer *w);
};

extern const struct stream_protocol stream_chat, stream_responses, stream_messages, stream_gemini,
    stream_ollama;

enum stream_framing {
    STREAM_UNDECIDED,
    STREAM_EVENTS,
    STREAM_LINES,
    STREAM_PLAIN /* no stream: the server did not listen */
};

/* What there is one of in an answer. Texts but for the last three, which are JSON. */
enum stream_field {
    STREAM_TEXT, /* what the model says to its reader */
    STREAM_THOUGHT,
    STREAM_REFUSAL,
    STREAM_ID,
    STREAM_MODEL,
    STREAM_FINGERPRINT,
    STREAM_FINISH,
    STREAM_USAGE,
    STREAM_FEEDBACK,
    STREAM_WHOLE, /* an event that says it all */
    STREAM_FIELDS
};

/* Of what there may be several: calls, blocks, parts. What a field means is the protocol's. */
enum part_field {
    SECTION_ID,
    SECTION_NAME,
    SECTION_HEAD, /* JSON */
    SECTION_TEXT,
    SECTION_THOUGHT,
    SECTION_SIGNATURE,
    SECTION_ARGUMENTS,
    SECTION_LIST, /* JSON values with commas between */
    SECTION_FIELDS
};

struct stream_part {
    struct stream_part *next;
    uint64_t index;
    bool flag;
    struct buf fields[SECTION_FIELDS];
};

enum { STREAM_COUNTS = 4 };

struct stream {
    const struct stream_protocol *protocol;
    enum stream_framing framing;
    struct arena arena;   /* of the parts */
    struct arena scratch; /* of the current event */
    struct sse sse;
    struct buf line;               /* what came of the next one */
    struct buf frame;              /* the event before, if it was lone text, and where that is */
    size_t frame_head, frame_tail; /* bytes in front of it and behind it */
    struct buf error;              /* the event that says that it failed; empty: none has */
    struct buf fields[STREAM_FIELDS];
    bool has_text, has_message, legacy; /* as the protocol means them */
    struct stream_part *parts;
    uint64_t counts[STREAM_COUNTS];
    size_t told;         /* bytes of the text that stream_delta gave */
    size_t bytes;        /* that came */
    size_t size, max;    /* of what is kept */
    const char *odd;     /* a member of an event, as in struct reply */
    bool finished;       /* the reason of the end was seen: the answer is whole */
    bool ended;          /* nothing more is to be waited for */
    gramc_status status; /* sticky: GRAMC_LIMIT, GRAMC_NOMEM */
};

/* max: bytes that an answer may have. */
void stream_init(struct stream *stream, const struct stream_protocol *protocol,
                 const gramc_allocator *allocator, size_t max);
void stream_free(struct stream *stream);
/* Takes bytes off the front of `bytes`. Those that it leaves are to come again with more behind
 * them, all of them where the framing is STREAM_PLAIN. */
void stream_feed(struct stream *stream, gramc_text *bytes);
/* There are no more than these, which it takes unless the answer is plain. */
void stream_end(struct stream *stream, gramc_text bytes);
/* What the model said since it was asked last; may be empty. Valid until more is fed. */
gramc_text stream_delta(struct stream *stream);
/* The body of the answer as far as it came, or the error as an error body. */
void stream_body(const struct stream *stream, struct buf *out);

/* ## For protocols */
/* A member of an event that the answer depends on and that is of the wrong type is named in
 * stream->odd (protocol.h, heeded), which ends the answer as an error; others are passed over. */
void stream_add(struct stream *stream, enum stream_field field, gramc_text more);
void stream_set(struct stream *stream, enum stream_field field, gramc_text text); /* if not empty */
void stream_set_json(struct stream *stream, enum stream_field field, const struct json *value);
gramc_text stream_text(const struct stream *stream, enum stream_field field);
/* The newest of that index; NULL: there is none. */
struct stream_part *stream_find(const struct stream *stream, uint64_t index);
struct stream_part *stream_last(const struct stream *stream);
/* A new one, behind those up to its index; NULL without memory. */
struct stream_part *stream_part(struct stream *stream, uint64_t index);
void part_add(struct stream *stream, struct stream_part *part, enum part_field field,
              gramc_text more);
void part_set(struct stream *stream, struct stream_part *part, enum part_field field,
              gramc_text text); /* if not empty */
/* Appends to a list. */
void part_add_json(struct stream *stream, struct stream_part *part, enum part_field field,
                   const struct json *value);
gramc_text part_text(const struct stream_part *part, enum part_field field);

#endif
