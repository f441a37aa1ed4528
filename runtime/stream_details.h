/* The reasoning_details of chat completions in pieces: what OpenRouter's models thought. */
#ifndef RUNTIME_STREAM_DETAILS_H
#define RUNTIME_STREAM_DETAILS_H

#include "runtime/stream.h"

/* Takes those of one delta. They stand among the stream's parts, behind all calls. */
void details_take(struct stream *stream, const struct json *delta);
bool details_is_one(const struct stream_part *part);
/* The member, if there are any. */
void details_put(struct json_writer *w, const struct stream *stream);

#endif
