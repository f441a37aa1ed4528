/* The tools of an upstream in the host's store, as the document that a toolbox file would be. */
#ifndef RUNTIME_HTTPTOOL_STORED_H
#define RUNTIME_HTTPTOOL_STORED_H

#include "base/mem.h"
#include "gramc/toolbox.h"

/* GRAMC_IO: there is no store, it cannot be read, or it has nothing of that upstream; `why` is the
 * end of a sentence about the box. GRAMC_NOMEM. */
gramc_status store_document(gramc_text *out, struct arena *arena, const gramc_toolbox_host *host,
                            gramc_text upstream, char why[256]);
/* What messages call it, in the place of a file; ptr NULL without memory. */
gramc_text store_name(struct arena *arena, gramc_text upstream);

#endif
