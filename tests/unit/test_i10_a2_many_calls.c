/* An answer with very many calls takes time in proportion to their number, whatever ids they have;
 * each id stands once all the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/map.h"
#include "base/text.h"
#include "runtime/protocol.h"

enum { MANY = 300000, SECONDS = 20 };

/* Ids of the server's own, none at all, and all the same. */
enum ids { OWN, NONE, SAME };

static gramc_model_call *make_calls(struct arena *arena, enum ids ids) {
    gramc_model_call *calls = arena_array(arena, MANY, sizeof(*calls));
    assert_non_null(calls);
    for (size_t i = 0; i < MANY; i++) {
        char id[32];
        snprintf(id, sizeof(id), "own-%zu", ids == SAME ? (size_t)7 : i);
        calls[i].name = TEXT("t");
        calls[i].arguments = TEXT("{}");
        calls[i].id = ids == NONE ? TEXT("") : arena_text(arena, text_of(id));
    }
    return calls;
}

static void hold(enum ids ids) {
    struct arena arena;
    struct map seen;
    struct conversation talk = {.protocol = &protocol_chat};
    const gramc_allocator allocator = mem_default();
    arena_init(&arena, &allocator);
    map_init(&seen, &arena);
    struct reply reply = {.calls = make_calls(&arena, ids), .call_count = MANY};
    clock_t start = clock();
    const struct message *message = conversation_assistant(&talk, &arena, &reply);
    assert_non_null(message);
    assert_true((clock() - start) / CLOCKS_PER_SEC < SECONDS);
    assert_int_equal(message->call_count, MANY);
    for (size_t i = 0; i < MANY; i++) {
        gramc_text id = message->calls[i].id;
        assert_null(map_get(&seen, id));
        assert_non_null(map_put(&seen, id, &seen));
    }
    arena_free(&arena);
}

static void own_ids(void **state) {
    (void)state;
    hold(OWN);
}

static void no_ids(void **state) {
    (void)state;
    hold(NONE);
}

static void equal_ids(void **state) {
    (void)state;
    hold(SAME);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_ids),
        cmocka_unit_test(no_ids),
        cmocka_unit_test(equal_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
