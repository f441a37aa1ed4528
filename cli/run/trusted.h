/* Which libraries from elsewhere somebody has trusted, by their fingerprints (trusted.c). */
#ifndef CLI_RUN_TRUSTED_H
#define CLI_RUN_TRUSTED_H

#include "cli/run/run.h"

enum trust_memory { TRUST_NEVER, TRUST_CHANGED /* what it was then */, TRUST_THIS };

/* What is remembered of the library whose file that is, by its real path. An exit code. */
int trusted_look(struct cli *cli, const char *path, gramc_text fingerprint, enum trust_memory *out);
/* Remembers it. An exit code. */
int trusted_add(struct cli *cli, const char *path, gramc_text fingerprint);

#endif
