/* The parts of formatting that depend on what gram means here. */
#ifndef COMPILER_FMT_FORMAT_H
#define COMPILER_FMT_FORMAT_H

#include "compiler/compilation.h"
#include "grammar/format.h"

/* Ours for JSON Schema's spelling of a property of types; {NULL, 0} if there is no other. */
gramc_text format_renamed(gramc_text key);
/* The same with what is said by it: of `additionalProperties` there are two. */
gramc_text format_renamed_key(const struct property *property);

/* What is to be written differently, as an array of struct format_edit in `edits`. Texts are in the
 * arena or the tree. Memory running out shows in edits or arena. */
void format_rules(struct buf *edits, struct arena *arena, const struct tree *tree, bool portable);

/* True if both say the same, with the same comments in the same order. What the rules may change is
 * no difference: colons, quotes of names, the family of an arrow, the spelling of a property. */
bool format_same_tree(struct arena *arena, const struct tree *before, const struct tree *after);

/* How a string or tagged string is written so that every reference parser reads it, and as the same
 * text; {NULL, 0}: as it is. False if there is no such way. */
bool format_spell(gramc_text *out, struct arena *arena, gramc_text source,
                  const struct value *value, bool in_array);
/* The text that a string means, in the arena if it is a fence's. */
gramc_text format_meant(struct arena *arena, const struct value *value);

/* Reports what one of the reference parsers cannot read. */
void format_portable(struct findings *findings, const struct tree *tree);

#endif
