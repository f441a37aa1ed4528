/* Keeps what graders that prefer one answer to another need of the cells of one item, from the end
 * of each cell to the end of the item: in this process, or as a store has them. */
#include "experiment/kept_answers.h"

bool kept_answers_init(struct kept_answers *kept, uint32_t repeats, uint32_t arms,
                       const gramc_allocator *allocator) {
    *kept = (struct kept_answers){.repeats = repeats, .arms = arms};
    arena_init(&kept->arena, allocator);
    kept->list = arena_zalloc(&kept->arena, sizeof(struct attempt *) * repeats * arms);
    return kept->list != NULL;
}

void kept_answers_free(struct kept_answers *kept) {
    arena_free(&kept->arena);
    kept->list = NULL;
}

bool kept_answers_put(struct kept_answers *kept, const struct attempt *attempt) {
    const struct cell *cell = &attempt->cell;
    struct attempt *copy = arena_zalloc(&kept->arena, sizeof *copy);
    struct score *scores =
        arena_array(&kept->arena, attempt->score_count + 1, sizeof *attempt->scores);
    if (!kept->list || !copy || !scores) return false;
    for (size_t i = 0; i < attempt->score_count; i++)
        scores[i] = (struct score){.missing = attempt->scores[i].missing};
    *copy = (struct attempt){.cell = *cell,
                             .number = attempt->number,
                             .fault = attempt->fault,
                             .outcome = arena_text(&kept->arena, attempt->outcome),
                             .answer = arena_text(&kept->arena, attempt->answer),
                             .scores = scores,
                             .score_count = attempt->score_count};
    kept->list[(size_t)cell->repeat * kept->arms + cell->arm] = copy;
    return !kept->arena.oom;
}

const struct attempt *kept_answer(const struct kept_answers *kept, uint32_t repeat, uint32_t arm) {
    return kept->list ? kept->list[(size_t)repeat * kept->arms + arm] : NULL;
}

bool kept_answer_is_judged(const struct attempt *answer, uint32_t grader) {
    return grader < answer->score_count && !answer->scores[grader].missing;
}
