/* Turns the trace of a run into a cassette: its model as a script (llm_script.c), its tools as a
 * recording (recording.c). A run that is given one asks these instead of the world; what was not
 * recorded ends it. Which run gets which cassette is the experiment's matter. */
#include "runtime/cassette.h"

static gramc_status read_tools(gramc_cassette *cassette, gramc_text trace,
                               gramc_json_error *error) {
    struct arena scratch;
    arena_init(&scratch, &cassette->arena.allocator);
    struct trace_reader reader = {.arena = &scratch, .text = trace, .error = error};
    gramc_status status =
        recording_read(&cassette->tools, &cassette->arena, GRAMC_TEXT(""), &reader);
    bool oom = scratch.oom || cassette->arena.oom;
    arena_free(&scratch);
    return oom ? GRAMC_NOMEM : status;
}

gramc_status gramc_cassette_new(gramc_cassette **out, gramc_text trace,
                                const gramc_allocator *allocator, gramc_json_error *error) {
    gramc_model *model;
    *out = NULL;
    gramc_status status = gramc_model_new_script(&model, trace, allocator, error);
    if (status) return status;
    gramc_cassette *cassette = arena_zalloc(&model->arena, sizeof *cassette);
    if (!cassette) {
        gramc_model_free(model);
        return GRAMC_NOMEM;
    }
    cassette->model = model;
    model->of_cassette = true;
    arena_init(&cassette->arena, allocator);
    status = read_tools(cassette, trace, error);
    if (status) gramc_cassette_free(cassette);
    else *out = cassette;
    return status;
}

const gramc_model *gramc_cassette_model(const gramc_cassette *cassette) {
    return cassette->model;
}

void gramc_cassette_free(gramc_cassette *cassette) {
    if (!cassette) return;
    arena_free(&cassette->arena);
    gramc_model_free(cassette->model);
}
