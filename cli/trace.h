/* Traces for people: what `gramc trace` shows (trace_walk.c), as text, as a page (trace_write.c),
 * or as the document that `gramc run --format json` prints (trace_summary.c). */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "base/json/json.h"

struct trace_events {
    const struct json **events;
    size_t count;
};

enum block_kind {
    BLOCK_FACT,    /* about the run: a name and a value */
    BLOCK_USER,    /* what was said to the model */
    BLOCK_MODEL,   /* what it said */
    BLOCK_CALL,    /* a tool is called */
    BLOCK_RESULT,  /* and answers */
    BLOCK_FAILURE, /* what went wrong */
    BLOCK_RAW,     /* for who wants it all: folded on a page, left out of a text */
    BLOCK_OTHER,   /* an event that is not known here */
    BLOCK_END      /* how it ended */
};

/* Hostile text all of it. */
struct block {
    enum block_kind kind;
    gramc_text label, note, text;
    unsigned depth; /* of runs inside the first one */
};

/* Who writes blocks: into `out`, whose errors stick. */
struct block_writer {
    struct buf *out;
    void (*begin)(struct block_writer *writer, gramc_text title);
    void (*block)(struct block_writer *writer, const struct block *block);
    void (*end)(struct block_writer *writer);
    enum block_kind before; /* the kind of the newest block */
    bool any;
};

struct block_writer trace_text_writer(struct buf *out);
struct block_writer trace_page_writer(struct buf *out);
/* Makes blocks of all events. `arena`: for labels. */
void trace_walk(struct block_writer *writer, const struct trace_events *trace, struct arena *arena);
/* One JSON document (docs/formats/run.schema.json). */
void trace_summary(struct buf *out, const struct trace_events *trace);

/* Milliseconds of a member as "1.2 s"; "" if it is none. */
const char *trace_seconds(const struct json *event, const char *key, char room[32]);

#endif
