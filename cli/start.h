/* The first steps of a program (start.c). */
#ifndef CLI_START_H
#define CLI_START_H

#include <stdbool.h>

/* Opens /dev/null for whichever of descriptors 0 to 2 is closed: else the next file that is opened
 * would become standard output. False if that is not possible. */
bool start_with_descriptors(void);
/* Nobody but root may read this process: its memory, and the keys in /proc/PID/environ. Programs
 * that it starts are readable again. Not in sanitized builds. */
void start_unreadable(void);
/* A file that may not grow further (ulimit -f) is a write that fails and is told, as on a full
 * disk, and no signal that ends the process. What it starts has the signal again. */
void start_without_size_signal(void);

#endif
