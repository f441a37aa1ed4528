/* What a shared object exports, without loading it. */
#ifndef RUNTIME_PROCESS_PLUGIN_SYMBOLS_H
#define RUNTIME_PROCESS_PLUGIN_SYMBOLS_H

#include "gramc/gramc.h"

enum plugin_finding {
    PLUGIN_EXPORTS,
    PLUGIN_LACKS,      /* it is one, and it does not */
    PLUGIN_UNREADABLE, /* there is no such file, or it cannot be read */
    PLUGIN_NO_OBJECT,  /* the file is no shared object for this machine */
    PLUGIN_UNKNOWN     /* it has no table that can be read without loading it */
};

/* Reads no more of the file than its tables and runs nothing of it. Any thread. */
enum plugin_finding plugin_exports(const char *path, gramc_text symbol);

#endif
