/* Which gram files git tracks: those are not ignored, whatever a .gitignore says. */
#ifndef CLI_TRACKED_H
#define CLI_TRACKED_H

#include "base/map.h"

struct tracked {
    struct map paths; /* files *.gram and all folders above them, from the repository's root on */
};

void tracked_init(struct tracked *tracked, struct arena *arena);
/* Adds what an index of git lists (versions 2 to 4). One that cannot be read adds nothing. */
void tracked_add(struct tracked *tracked, gramc_text index);
bool tracked_has(const struct tracked *tracked, gramc_text path);

#endif
