/* What the files of the engine share: the engine itself, and an item that it runs. */
#ifndef EXPERIMENT_ENGINE_PARTS_H
#define EXPERIMENT_ENGINE_PARTS_H

#include "experiment/engine.h"
#include "experiment/kept_answers.h"

enum { END_REASON_MAX = 300 };

/* An item that is being run. */
struct item_run {
    struct engine *engine;
    struct store_claim claim;
    uint32_t item;
    uint64_t step;              /* of each repeat: its cells, then what is to be compared in it */
    uint32_t tries;             /* of that step, in this process */
    struct kept_answers kept;   /* where answers are compared */
    bool dropped;               /* not run to its end */
    bool calling, ended_inside; /* start has not returned; its cell has ended meanwhile */
    struct item_run *next, **link;
};

struct engine {
    struct engine_options options;
    gramc_allocator allocator;
    uint8_t *cells;    /* what is known of each, in the order of (place, repeat, arm) */
    uint16_t *numbers; /* of its newest attempt, at most 65535 */
    bool *finished;    /* items, by place */
    uint32_t prefix;   /* so many from the first place on are finished, and the watch knows */
    struct item_run *groups;
    struct engine_progress progress;
    bool stopping, exhausted, beating;
    bool filling;     /* further items are being started */
    bool looking;     /* it will look again whether there is an item to claim */
    uint64_t away_ms; /* the database has been gone so long already */
    enum engine_end end;
    char reason[END_REASON_MAX];
};

/* ## engine.c */
/* Starts nothing more. The first reason counts, but that the store is gone is worse than any. */
void engine_stop(struct engine *engine, enum engine_end end, const char *reason);
void engine_stop_for_memory(struct engine *engine);
/* GRAMC_OK, or it stops. */
void engine_check_store(struct engine *engine, gramc_status status);
/* Stops where it has used up what it may. */
void engine_check_limits(struct engine *engine);
/* Frees the group and starts what may run in its place. */
void engine_end_group(struct item_run *group);

/* ## engine_steps.c */
/* Goes on until something has to be waited for, or all of it is over: then the group is gone. */
void engine_run_group(struct item_run *group);

/* ## engine_known.c */
/* Reads what the store has of all cells. */
gramc_status known_read(struct engine *engine, struct store_error *error);
/* Reads again what it has of an item that was somebody else's: answers too. */
gramc_status known_read_item(struct item_run *group, struct store_error *error);
/* The number of the cell's newest attempt; 0: there is none. */
uint32_t known_number(const struct item_run *group, const struct cell *cell);
/* A further attempt was made: its number, and what it has cost. */
void known_note_attempt(struct item_run *group, const struct attempt *attempt);
/* The cell is over: with what it gave, or for good without. */
void known_note_over(struct engine *engine, uint32_t place, const struct attempt *attempt);
/* A preference between the cell and the first arm could not be had. */
void known_note_undecided(struct item_run *group, const struct cell *cell);
/* All that was to be compared in the item was. */
void known_note_compared(struct item_run *group);
/* Where answers are compared. */
void known_keep_answer(struct item_run *group, const struct attempt *attempt);
bool known_is_over(const struct item_run *group, const struct cell *cell);
/* Over, for good without an answer. */
bool known_is_lacking(const struct item_run *group, const struct cell *cell);
/* All cells are over, and nothing is left to be compared; `lacking`: one of them is missing. */
bool known_item_is_over(const struct engine *engine, uint32_t place, bool *lacking);

#endif
