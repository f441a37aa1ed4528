/* An allocator for programs that take much memory once and soon end: large pieces come from the
 * system in huge pages where it has them, because touching memory for the first time, page by page,
 * costs more than a third of what parsing does. */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include "gramc/gramc.h"

/* Small pieces are malloc's. Any thread. */
gramc_allocator pages_allocator(void);

#endif
