/* Patterns of paths that are passed over, as a .gitignore has them (ignore.c). */
#ifndef CLI_IGNORE_H
#define CLI_IGNORE_H

#include "base/mem.h"

struct ignore_rule {
    gramc_text pattern;
    size_t base; /* length of the path of the folder that it is relative to */
    bool is_negated, only_folders, is_anchored;
};

/* Those in force, outer ones first. Empty: {0}. */
struct ignore {
    struct ignore_rule *rules;
    size_t first, count, room; /* what stands in front of `first` is out of force */
};

/* Adds the pattern in one line, if there is one; it is copied. False without memory. */
bool ignore_add(struct ignore *ignore, struct arena *arena, size_t base, gramc_text line);
/* Each line of a .gitignore. */
bool ignore_add_lines(struct ignore *ignore, struct arena *arena, size_t base, gramc_text text);
/* Of a path that begins with the folders of all rules; the last rule that fits decides. */
bool ignore_matches(const struct ignore *ignore, gramc_text path, bool is_folder);

#endif
