/* Safe fixes: edits that remove a finding, where only one thing can have been meant. Each takes the
 * finding (NULL is fine) and adds an edit to it, or none. */
#ifndef COMPILER_FIXES_H
#define COMPILER_FIXES_H

#include "compiler/compilation.h"

/* Counts the names that are one slip away from a word: one letter more, less, other, swapped, or
 * another case. */
struct slip {
    gramc_text word, name; /* name: the last one found */
    uint32_t count;
};
void slip_try(struct slip *slip, gramc_text candidate);
/* Writes the name instead of the finding's place, if it is the only one. */
void fix_slip(struct pass *pass, struct finding *finding, const struct slip *slip);

/* A type that there is not. */
void fix_type(struct pass *pass, struct finding *finding, gramc_text label);
/* definition.c: tries the types of this compilation. */
void definition_slips(const struct pass *pass, struct slip *slip);
/* A key that there is not, among those of the record that begins with `first`. */
void fix_key(struct pass *pass, struct finding *finding, const struct property *first,
             const struct property *property, const gramc_text *names, size_t count);
/* A property that says again what `other`, in front of it, says already. */
void fix_repeated(struct pass *pass, struct finding *finding, const struct property *first,
                  const struct property *other, const struct property *property);
/* `()` among other parameters. */
void fix_unit(struct pass *pass, struct finding *finding, const struct pattern *path,
              const struct pattern *node);
/* A signature whose arrows all point left. */
void fix_reversed(struct pass *pass, struct finding *finding, const struct pattern *path);

#endif
