/* What a pattern is called, and findings about names: missing, taken, unknown. */
#ifndef COMPILER_PATTERN_H
#define COMPILER_PATTERN_H

#include "base/map.h"
#include "compiler/compilation.h"

/* What an annotation stands in front of, or the pattern itself. */
const struct pattern *pattern_plain(const struct pattern *pattern);
/* For those that look at it when all has been read: itself, or a copy if its tree is given back.
 * NULL without memory. */
const struct pattern *pattern_kept(struct pass *pass, const struct pattern *pattern);
/* The first label of a pattern; empty if it has none. */
gramc_text pattern_label(const struct pattern *pattern);
/* The identifier of a pattern; empty, with a finding, if it has none. */
gramc_text pattern_name(struct pass *pass, const struct pattern *pattern, const char *owner);

/* Reports that a name stands there twice. */
void report_name_taken(struct pass *pass, enum diag_id id, gramc_text name, struct span at,
                       const struct source *other_source, struct span other);
/* Reports that a name stands for nothing, with what it was probably meant to be. */
void report_unresolved(struct pass *pass, enum diag_id id, const struct map *map, gramc_text noun,
                       gramc_text name, struct span at);

#endif
