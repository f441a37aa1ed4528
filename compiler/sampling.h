/* Numbers with bounds that agents, arms and experiments say: temperature, topP, margin... */
#ifndef COMPILER_SAMPLING_H
#define COMPILER_SAMPLING_H

#include "compiler/properties.h"

/* Reports sampling properties that no provider takes. */
void sampling_check(struct pass *pass, const struct subject *subject);

struct number_range {
    const char *name;
    const char *min, *max; /* NULL: no bound */
    bool open;             /* the bounds themselves are outside */
    bool whole;
    const char *wanted; /* in words */
};
/* Reports those properties of the subject that are numbers outside their range. */
void ranges_check(struct pass *pass, const struct subject *subject,
                  const struct number_range *ranges, size_t count);

#endif
