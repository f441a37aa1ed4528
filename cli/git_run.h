/* git, as a program that answers questions. */
#ifndef CLI_GIT_RUN_H
#define CLI_GIT_RUN_H

#include "base/buf.h"
#include "cli/cli.h"

enum { GIT_WORDS = 5, GIT_ANSWER = INT32_MAX - 1 /* bytes, at most */ };

/* What git prints when it is called with these words, which end with NULL; false if it cannot be
 * started or fails, or if memory runs out (out->state). */
bool git_ask(struct cli *cli, struct buf *out, const char *const words[]);
/* Why it fails, as git says it; empty if it says nothing. False without memory. */
bool git_reason(struct cli *cli, const char *const words[], char *out, size_t size);

#endif
