/* Memory that held a secret is given back without it: buffers that grow, arenas of several chunks,
 * and the model of an endpoint with its key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "gramc/runtime.h"
#include "tests/support/agent.h"

#define SECRET "sk-0123456789"

struct watch {
    size_t freed, leaked;
    long live; /* blocks that were not given back */
};

/* Every resize moves, so that nothing is left behind by luck. */
static void *watched(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct watch *watch = ctx;
    if (!ptr && new_size) watch->live++;
    if (ptr && !new_size) watch->live--;
    char *moved = new_size ? malloc(new_size) : NULL;
    if (moved && ptr) memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
    if (ptr && (moved || !new_size)) {
        const char *bytes = ptr;
        size_t len = sizeof SECRET - 1;
        watch->freed++;
        for (size_t i = 0; i + len <= old_size; i++)
            if (memcmp(bytes + i, SECRET, len) == 0) watch->leaked++;
        free(ptr);
    }
    return moved;
}

static void a_plain_buffer_leaves_it(void **state) {
    struct watch watch = {.freed = 0};
    gramc_allocator allocator = {watched, &watch};
    struct buf buf;
    (void)state;
    buf_init(&buf, &allocator, 1 << 20);
    for (int i = 0; i < 100; i++) buf_puts(&buf, SECRET);
    buf_free(&buf);
    assert_true(watch.leaked > 100); /* or the tests below would show nothing */
}

static void a_secret_buffer_does_not(void **state) {
    struct watch watch = {.freed = 0};
    gramc_allocator allocator = {watched, &watch};
    struct buf buf;
    (void)state;
    buf_init_secret(&buf, &allocator, 1 << 20);
    for (int i = 0; i < 100; i++) buf_puts(&buf, SECRET);
    assert_int_equal(buf.len, 100 * strlen(SECRET));
    assert_memory_equal(buf.ptr + buf.len - strlen(SECRET), SECRET, strlen(SECRET));
    buf_free(&buf);
    assert_true(watch.freed > 3);
    assert_int_equal(watch.leaked, 0);
    assert_int_equal(watch.live, 0); /* what was not given back was not looked at */
}

static void a_wiped_arena_does_not(void **state) {
    struct watch watch = {.freed = 0};
    gramc_allocator allocator = {watched, &watch};
    struct arena arena;
    (void)state;
    arena_init(&arena, &allocator);
    for (int i = 0; i < 10000; i++) arena_text(&arena, GRAMC_TEXT(SECRET));
    arena_wipe(&arena);
    assert_true(watch.freed > 1);
    assert_int_equal(watch.leaked, 0);
    assert_int_equal(watch.live, 0); /* what was not given back was not looked at */
}

static void a_model_does_not(void **state) {
    struct watch watch = {.freed = 0};
    gramc_allocator allocator = {watched, &watch};
    gramc_endpoint_options options = GRAMC_ENDPOINT_OPTIONS_INIT;
    gramc_model *model;
    (void)state;
    options.allocator = &allocator;
    options.model = GRAMC_TEXT("OpenAI/gpt-4o-mini");
    options.api_key = GRAMC_TEXT(SECRET);
    options.proxy = GRAMC_TEXT("http://me:" SECRET "@127.0.0.1:1");
    assert_int_equal(gramc_model_new_endpoint(&model, &options), GRAMC_OK);
    gramc_model_free(model);
    assert_true(watch.freed > 3);
    assert_int_equal(watch.leaked, 0);
    assert_int_equal(watch.live, 0); /* what was not given back was not looked at */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_buffer_leaves_it),
        cmocka_unit_test(a_secret_buffer_does_not),
        cmocka_unit_test(a_wiped_arena_does_not),
        cmocka_unit_test(a_model_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
