/* Days as YYYY-MM-DD, in UTC: when something was recorded. */
#ifndef EXPERIMENT_DAY_H
#define EXPERIMENT_DAY_H

#include "base/mem.h"

enum { DAY_ROOM = 11 };

/* False, and nothing that is worth reading, for a time that is not known (0). */
bool day_spell(char room[DAY_ROOM], int64_t ms);
/* The beginning of the day, in ms since 1970; 0 for what is no day after 1970. */
int64_t day_read(gramc_text day);

#endif
