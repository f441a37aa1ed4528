/* What an endpoint does where its answer comes in pieces. */
#ifndef RUNTIME_MODEL_STREAM_H
#define RUNTIME_MODEL_STREAM_H

#include "runtime/model.h"

/* Before the request is sent, if the run streams. */
bool streamed_begin(struct ask *ask);
/* When it has ended: the request then has the whole answer as its response. Not empty: the answer
 * is not whole, and this says so. */
gramc_text streamed_end(struct ask *ask);
void streamed_free(struct ask *ask);
/* What the model said before its answer broke off, without secrets; ptr NULL: nothing. */
gramc_text streamed_part(const struct ask *ask, struct arena *arena);

#endif
