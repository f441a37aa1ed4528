/* A folder of cassettes, one file an item: written from what a store has, read for each cell. */
#ifndef EXPERIMENT_CASSETTE_FOLDER_H
#define EXPERIMENT_CASSETTE_FOLDER_H

#include "experiment/cassette.h"
#include "experiment/store/store.h"

struct cassette_folder {
    gramc_text path;
    const struct plan *plan; /* borrowed */
    const gramc_allocator *allocator;
};

/* What was written, and what not. */
struct cassettes_saved {
    uint32_t items, cells;
    uint32_t left_out;            /* items of which nothing was written */
    struct cassette_error reason; /* of the first of them */
};

/* Makes the folder where it is not there, with mode 0700, and writes every item that has cells
 * which ran to their end; a file is there whole or not at all, and stays as it is if only the day
 * would change. GRAMC_IO with the error; what the
 * store says. Blocks: when nothing runs. */
gramc_status cassettes_save(const struct cassette_folder *folder, struct store *store,
                            struct cassettes_saved *out, struct cassette_error *error);
/* The recording of one cell, and the day of it (cassette_recorded). GRAMC_NOT_FOUND,
 * GRAMC_FINDINGS, GRAMC_IO with the error. */
gramc_status cassettes_open(gramc_cassette **out, int64_t *recorded_ms,
                            const struct cassette_folder *folder, const struct cell *cell,
                            struct cassette_error *error);
/* cassette_script, of the first file that has the arm. */
gramc_status cassettes_script(gramc_model **out, const struct cassette_folder *folder,
                              gramc_text arm);
/* The bytes of an item's file; *out is the caller's, inited, to be freed. The same statuses. */
gramc_status cassettes_read(struct buf *out, const struct cassette_folder *folder, uint32_t item,
                            struct cassette_error *error);
/* What its judges were asked and said; the same ends. */
gramc_status cassettes_judged(gramc_text *out, struct arena *arena,
                              const struct cassette_folder *folder, const struct cell *cell,
                              struct cassette_error *error);

/* ## A folder as it lies there, without a plan */

/* Names of its files that end in .jsonl, sorted, in the arena. GRAMC_IO with the error. */
gramc_status cassettes_list(gramc_text **out, size_t *count, struct arena *arena, gramc_text folder,
                            struct cassette_error *error);
/* One of them; *out is inited. */
gramc_status cassettes_read_file(struct buf *out, gramc_text folder, gramc_text name,
                                 struct cassette_error *error);
/* Writes it anew, whole or not at all, or removes it (bytes.ptr NULL). */
gramc_status cassettes_write_file(gramc_text folder, gramc_text name, gramc_text bytes,
                                  struct cassette_error *error);

#endif
