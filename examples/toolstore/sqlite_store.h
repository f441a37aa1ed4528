/* A store of HTTP tools in an SQLite database. */
#ifndef SQLITE_STORE_H
#define SQLITE_STORE_H

#include <gramc/toolbox.h>

/* Opens the database, and makes it if it is not there. GRAMC_IO: it cannot be, and `why` says why.
 * Any number of threads and processes may use it at once. */
gramc_status sqlite_store_open(gramc_toolstore *out, const char *path, char why[256]);
void sqlite_store_close(gramc_toolstore *store);

#endif
