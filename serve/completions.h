/* What the two files of /v1/chat/completions share. */
#ifndef SERVE_COMPLETIONS_H
#define SERVE_COMPLETIONS_H

#include "serve/answering.h"

/* False after a refusal, or without memory. */
bool completions_read(struct asked *asked, struct served_question *out, bool *streams);

#endif
