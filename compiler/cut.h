/* Records that are cut from others: `pick`, `omit`, `partial`. */
#ifndef COMPILER_CUT_H
#define COMPILER_CUT_H

#include "compiler/schema.h"

struct gramc_spec;

/* True if the schema says such a property itself. */
bool cut_is_said(const struct schema *schema);
/* Notes that this schema says one; its base may not have been read yet. */
void cut_note(struct pass *pass, struct schema *schema);
/* Puts between each one that was noted and its base a type of its own, with the fields that are
 * left. Once the bases have been read, and before anything is measured or printed. */
void cuts_make(struct pass *pass, struct gramc_spec *spec);
/* Reports what the type says about names that it leaves out. */
void cut_check(struct pass *pass, const struct schema *schema);

#endif
