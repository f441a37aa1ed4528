/* What is kept between runs, in the folder of the user's state: the sessions (kept.c). */
#ifndef CLI_RUN_KEPT_H
#define CLI_RUN_KEPT_H

#include "cli/run/run.h"

#define KEPT_SESSIONS "sessions.db"

/* A file of the folder: --state, or $XDG_STATE_HOME/gramc, or ~/.local/state/gramc, which is made
 * with mode 0700. An exit code. */
int kept_path(struct cli *cli, const char *name, char path[CLI_PATH]);
/* The same, but makes nothing. */
int kept_find(struct cli *cli, const char *name, char path[CLI_PATH]);

/* False: nothing says where the folder is. */
bool kept_is_somewhere(const struct cli *cli);

/* A store that is open. An exit code. */
int kept_open_store(struct cli *cli, const char *path, gramc_session_store **out);
/* Says what the store failed with. An exit code. */
int kept_failed(struct cli *cli, const gramc_session_store *store, gramc_status status);

/* ## A session that a run has: --session */
struct kept;
int kept_open(struct cli *cli, const char *id, struct kept **out);
gramc_session *kept_session(const struct kept *kept);
/* NULL: EXIT_FINE. */
int kept_save(struct kept *kept);
void kept_close(struct kept *kept);

#endif
