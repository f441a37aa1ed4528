/* Every place of a name, in all files of the workspace. */
#ifndef LSP_FIND_H
#define LSP_FIND_H

#include "lsp/insight.h"

struct found_place {
    gramc_text path, text; /* of the file; the text lives as long as the search */
    struct span at;
    bool defines;
    enum symbol_kind kind;
    gramc_text of_path; /* of the definition that it stands for */
    uint32_t of_start;
};

struct found_names {
    struct arena *arena;
    struct found_place *list;
    size_t count, room;
    struct map seen; /* by path and offset */
    struct map texts;
};

/* What an occurrence stands for, by itself: it outlives the insight that it was found in. */
struct meaning {
    enum symbol_kind kind;
    gramc_text name, wire; /* wire: of tools and parameters */
    gramc_text path;       /* of the definition */
    struct span at;
    struct span scope_at; /* of the pattern that it counts in; empty: everywhere */
    bool is_known;
};

struct meaning meaning_of(struct arena *arena, const struct insight *a, const struct occurrence *m);
/* Appends all places with that meaning, definitions too. */
void find_everywhere(struct found_names *found, struct lsp *lsp, struct arena *arena,
                     const struct meaning *meaning);
/* The same in one file alone. */
void find_in(struct found_names *found, const struct insight *a, const struct meaning *meaning);
void found_init(struct found_names *found, struct arena *arena);

#endif
