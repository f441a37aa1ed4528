/* What the fast path would change in a text that it accepts: defaults that are filled in, nulls
 * that are left out, values that are converted. A run only notes it (fast_fill.c); the new text and
 * the list of changes are made when the whole is known to be valid (fill.c). */
#ifndef JSONSCHEMA_FILL_H
#define JSONSCHEMA_FILL_H

#include "jsonschema/compiled.h"

enum { FILL_FEW_CHANGES = 8, FILL_FEW_CUTS = 12 };

enum fill_of { FILL_MEMBER, FILL_ITEM, FILL_ROOT };

/* Of the list of changes. */
struct fill_change {
    uint32_t object;    /* where the object or array starts in which it is */
    uint32_t item;      /* FILL_ITEM: its place there */
    uint8_t kind;       /* gramc_adjustment_kind */
    uint8_t of;         /* fill_of */
    uint32_t value;     /* where the value starts in what is written */
    gramc_text key;     /* FILL_MEMBER */
    gramc_text before;  /* GRAMC_ADJUSTED_COERCED */
    gramc_text written; /* where its cut is: a default with its key, a value */
    gramc_text after;   /* in the new text, once there is one */
    gramc_text place;   /* JSON Pointer; found last */
};

/* Bytes [from, to) of the text that give way to something, or to nothing. */
struct fill_cut {
    uint32_t from, to;
    uint32_t change; /* what is written there; its place among the changes, from 1 */
    bool comma;      /* is written first */
};

struct fills {
    struct arena *arena;
    uint64_t spent; /* steps that the run took, whatever it found */
    unsigned flags; /* gramc_check_flags */
    bool unsorted;  /* the cuts */
    const char *text;
    struct fill_change *changes;
    size_t change_count, change_room;
    struct fill_cut *cuts;
    size_t cut_count, cut_room;
    struct fill_change few_changes[FILL_FEW_CHANGES];
    struct fill_cut few_cuts[FILL_FEW_CUTS];
};

void fills_init(struct fills *fills, struct arena *arena, gramc_text text, unsigned flags);
/* False without memory. */
bool fills_note(struct fills *fills, const struct fill_change *change);
bool fills_cut(struct fills *fills, const struct fill_cut *cut);

/* Whether anything is changed at this place of the text or behind it. */
bool fills_has_behind(const struct fills *fills, const char *p);

/* The text with everything in place, without the blanks around it. No ptr: it would be too large,
 * or there is no memory. */
gramc_text fills_apply(struct fills *fills, gramc_text text);
/* Writes the changes as they are shown. False as above. `text` is the one that was run over. */
bool fills_show(struct fills *fills, gramc_text text, gramc_adjustment *out);

/* ## fast.c */
/* True if the text is valid once it is changed as `fills` says. False says nothing: the thorough
 * half has to be asked. */
bool run_with_fills(const struct gramc_schema *schema, gramc_text text, struct fills *fills);
/* The same for a default, by the node that it is for; the text has a pair of brackets around it. */
bool run_default(const struct gramc_schema *schema, const struct schema_node *node,
                 gramc_text bracketed, struct fills *fills);

#endif
