/* Fuzzes cassettes of experiments. The first byte chooses: a file that is played for a cell, a
 * trace that is recorded, an item that a file is named after. Whatever the bytes are, they are
 * taken or refused in words; what was recorded is found again, and holds nothing that looks like a
 * key. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/cassette.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PLAYED, RECORDED, NAMED, KINDS };

static const gramc_arm arms[] = {{.name = {"control", 7}}, {.name = {"treatment", 9}}};
static const gramc_experiment experiment = {.name = {"e", 1}, .arms = arms, .arm_count = 2};
static const struct item items[] = {{.id = {"by name", 7}}, {.id = {"other", 5}}};
static const struct cases cases = {.items = items, .count = 2};
static const struct plan plan = {.experiment = &experiment, .cases = &cases, .seed = 42};

static void demand(bool condition) {
    if (!condition) abort();
}

static gramc_status play(gramc_text file, const struct cell *cell) {
    struct cassette_error error = {""};
    gramc_cassette *cassette;
    gramc_status status = cassette_load(&cassette, file, &plan, cell, NULL, &error);
    demand(status == GRAMC_OK || status == GRAMC_FINDINGS || status == GRAMC_NOT_FOUND);
    demand((cassette != NULL) == (status == GRAMC_OK));
    demand((error.message[0] != '\0') == (status != GRAMC_OK));
    demand(!cassette || gramc_cassette_model(cassette));
    gramc_cassette_free(cassette);
    return status;
}

static void record(gramc_text trace) {
    const struct attempt attempt = {.cell = {.item = 0, .repeat = 1, .arm = 1}, .trace = trace};
    struct cassette_error error = {""};
    struct cassette_writer writer;
    cassette_begin(&writer, &plan, 0, NULL);
    gramc_status status = cassette_put(&writer, &plan, &attempt, &error);
    demand(status == GRAMC_OK || (status == GRAMC_FINDINGS && error.message[0]));
    if (status == GRAMC_OK) {
        demand(!cassette_find_secret(cassette_bytes(&writer)).len);
        /* Events that no run of ours writes may be no recording; but the cell is there. */
        demand(play(cassette_bytes(&writer), &attempt.cell) != GRAMC_NOT_FOUND);
    }
    cassette_end(&writer);
}

static void name(gramc_text item) {
    struct arena arena;
    arena_init(&arena, NULL);
    gramc_text file = cassette_file_name(&arena, item);
    demand(file.len > 6 && text_is(text_slice(file, file.len - 6, file.len), ".jsonl"));
    demand(!memchr(file.ptr, '/', file.len) && !text_has_nul(file) && file.ptr[0] != '.');
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    gramc_text text = {(const char *)data + 1, size - 1};
    const struct cell cells[] = {{0, 0, 0}, {0, 1, 1}};
    switch (data[0] % KINDS) {
    case PLAYED:
        for (size_t i = 0; i < 2; i++) (void)play(text, &cells[i]);
        break;
    case RECORDED: record(text); break;
    default:
        if (text.len) name(text); /* no item is without an id */
    }
    return 0;
}
