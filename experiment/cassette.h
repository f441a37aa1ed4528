/* Cassettes of an experiment: for each item a file, in it the traces of its cells, without what
 * differs from run to run, so that they can lie in a repository. docs/formats/cassette.md. */
#ifndef EXPERIMENT_CASSETTE_H
#define EXPERIMENT_CASSETTE_H

#include "experiment/attempt.h"

#define CASSETTE_FORMAT "gramc-cassette"

struct cassette_error {
    char message[512];
};

/* ## Recording: begin an item, put its cells in the order of repeats and arms, take the bytes */

struct cassette_writer {
    struct buf out;
    gramc_text item;
    size_t cells;
    uint64_t seed;
    int64_t newest_ms; /* when the last of its runs began; 0: not known */
};

/* The name of an item's file in the folder: its id, what no file name may hold as %XX, and .jsonl.
 * {NULL, 0} without memory. */
gramc_text cassette_file_name(struct arena *arena, gramc_text item);

void cassette_begin(struct cassette_writer *writer, const struct plan *plan, uint32_t item,
                    const gramc_allocator *allocator);
/* A cell that ran to its end, from its trace. GRAMC_FINDINGS: the attempt has no trace, or in it
 * stands what looks like a key; the error says where, and nothing is to be written. GRAMC_NOMEM,
 * GRAMC_LIMIT. */
gramc_status cassette_put(struct cassette_writer *writer, const struct plan *plan,
                          const struct attempt *attempt, struct cassette_error *error);
/* But for the day on which each was recorded the two files are the same. */
bool cassettes_are_alike(struct arena *arena, gramc_text a, gramc_text b);
/* Valid until cassette_end. */
gramc_text cassette_bytes(const struct cassette_writer *writer);
void cassette_end(struct cassette_writer *writer);

/* ## Playing */

/* The cell's recording out of an item's file. GRAMC_NOT_FOUND: the file has no such cell;
 * GRAMC_FINDINGS: it is no cassette, or one of another item or seed. Both with the error. */
gramc_status cassette_load(gramc_cassette **out, gramc_text file, const struct plan *plan,
                           const struct cell *cell, const gramc_allocator *allocator,
                           struct cassette_error *error);

/* Any recording of that arm in an item's file, as a script: how it was asked, of whom.
 * GRAMC_NOT_FOUND: there is none, or none that can be read. GRAMC_NOMEM. */
gramc_status cassette_script(gramc_model **out, gramc_text file, gramc_text arm,
                             const gramc_allocator *allocator);
/* The beginning of the day on which a file was recorded, in ms since 1970; 0: it does not say. */
int64_t cassette_recorded(struct arena *arena, gramc_text file);
/* The lines of the cell's judges, in the arena: what judge_tape_open takes; none is no error. */
gramc_status cassette_judged(gramc_text *out, struct arena *arena, gramc_text file,
                             const struct plan *plan, const struct cell *cell,
                             struct cassette_error *error);

/* Where a text holds what looks like a secret (a private key, the key of a known service): its
 * beginning, a few bytes; {NULL, 0} if nothing does. */
gramc_text cassette_find_secret(gramc_text text);

#endif
