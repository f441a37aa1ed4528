/* The first steps of a program (start.c). */
#ifndef CLI_START_H
#define CLI_START_H

#include <stdbool.h>

/* Opens /dev/null for whichever of descriptors 0 to 2 is closed: else the next file that is opened
 * would become standard output. False if that is not possible. */
bool start_with_descriptors(void);
/* Nobody but root may read this process: its memory, and the keys in /proc/PID/environ; and it
 * leaves no core. Programs that it starts are readable again. The first in sanitized builds not. */
void start_unreadable(void);
/* Moves the environment to memory of its own and overwrites where it stood, which is what
 * /proc/PID/environ shows, also to root. Before there are threads. False without memory. */
bool start_with_own_environment(void);
/* A file that may not grow further (ulimit -f) is a write that fails and is told, as on a full
 * disk, and no signal that ends the process. What it starts has the signal again. */
void start_without_size_signal(void);

#endif
