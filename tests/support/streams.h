/* Recorded answers, streamed and not. */
#ifndef TESTS_SUPPORT_STREAMS_H
#define TESTS_SUPPORT_STREAMS_H

struct recorded {
    const char *protocol;
    const char *body;   /* the answer unstreamed */
    const char *stream; /* the same one in pieces */
    const char *said;   /* its text, for a reader */
};

/* Up to one without a protocol. */
extern const struct recorded recorded_streams[];

#endif
