/* The report of an online experiment, from its store alone: the spec and its libraries may be gone
 * (report_online.c). */
#ifndef CLI_RUN_REPORT_ONLINE_H
#define CLI_RUN_REPORT_ONLINE_H

#include "cli/run/report.h"
#include "experiment/store/store.h"

/* It was served, and not run over cases. */
bool report_is_online(const struct store_entry *entry);
/* Of the experiment of that entry, which may be gone after the next call of the store. An exit
 * code. */
int report_online(struct cli *cli, struct store *store, const struct store_entry *entry,
                  const struct report_request *request);
/* Of the newest online experiment in the store at `where`, or that of --id. */
int report_store_online(struct cli *cli, const char *where, const struct report_request *request);
/* "812 of 2000 units, 3412 messages", on the output. */
int report_online_progress(struct cli *cli, struct store *store, const struct store_entry *entry);

#endif
