/* Copies the lines of the cells that a plan has, byte for byte: of its items, arms and repeats.
 * Which requests a run makes is not asked: those of a cell are played in order, or are a miss. */
#include "experiment/cassette_prune.h"

#include <stdio.h>

#include "base/json/trace_read.h"
#include "base/text.h"

/* A run finds the file by its name. */
static bool has_item(const struct cassette_reader *reader, const struct plan *plan, gramc_text id,
                     gramc_text name) {
    if (!text_eq(cassette_file_name(reader->arena, id), name)) return false;
    for (size_t i = 0; i < plan->cases->count; i++)
        if (text_eq(plan->cases->items[i].id, id)) return true;
    return false;
}

static bool has_cell(const struct plan *plan, const struct cassette_reader *reader) {
    if (reader->repeat < 1 || reader->repeat > plan->repeats) return false;
    for (size_t i = 0; i < plan->experiment->arm_count; i++)
        if (text_eq(plan->experiment->arms[i].name, reader->arm)) return true;
    return false;
}

static gramc_status check_seed(const struct cassette_reader *reader, const struct plan *plan,
                               struct cassette_error *error) {
    uint64_t seed = trace_number(reader->event, "seed");
    if (seed == plan->seed) return GRAMC_OK;
    snprintf(error->message, sizeof error->message,
             "it was recorded with seed %llu, and the experiment has %llu: nothing of it would be "
             "played; record it anew, or remove it yourself",
             (unsigned long long)seed, (unsigned long long)plan->seed);
    return GRAMC_FINDINGS;
}

gramc_status cassette_prune(struct buf *out, gramc_text name, gramc_text file,
                            const struct plan *plan, struct cassette_pruned *pruned,
                            struct cassette_error *error) {
    struct arena arena;
    arena_init(&arena, &out->allocator);
    struct cassette_reader reader = {.arena = &arena, .text = file};
    bool item = false, keeps = true;
    gramc_status status;
    *pruned = (struct cassette_pruned){0, 0};
    while (!(status = cassette_next(&reader))) {
        if (reader.line == 1) {
            status = check_seed(&reader, plan, &reader.error);
            item = has_item(&reader, plan, trace_text(reader.event, "item"), name);
        } else if (text_is(reader.kind, "cell")) {
            keeps = item && has_cell(plan, &reader);
            pruned->kept += keeps;
            pruned->dropped += !keeps;
        }
        if (status) break;
        if (!keeps) continue;
        buf_text(out, reader.source);
        buf_putc(out, '\n');
    }
    *error = reader.error;
    if (arena.oom) status = GRAMC_NOMEM;
    arena_free(&arena);
    return status == GRAMC_NOT_FOUND ? buf_status(out) : status;
}
