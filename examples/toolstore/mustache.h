/* Templates with {{name}} in them. */
#ifndef MUSTACHE_H
#define MUSTACHE_H

#include <gramc/toolbox.h>

/* `type: MUSTACHE`. Values are percent-encoded in a path, JSON in a body, and as they are in a
 * header. Keeps nothing: for any number of threads. */
extern const gramc_template_engine mustache;

#endif
