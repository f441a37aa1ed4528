/* Requests and tokens of a minute, counted without waiting for one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "runtime/rate.h"

enum { START = 1000000500, MINUTE = 60000 };

static const struct rate_limits three = {3, 0}, thousand = {0, 1000};

static void requests_of_a_minute(void **state) {
    struct rate rate = {0};
    (void)state;
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(rate_wait(&rate, &three, START + i * 10000, 0), 0);
        rate_take(&rate, START + i * 10000, 0);
    }
    uint64_t wait = rate_wait(&rate, &three, START + 20000, 0);
    assert_in_range(wait, MINUTE - 20000, MINUTE - 20000 + 1000);
    assert_int_equal(rate_wait(&rate, &three, START + 20000 + wait - 1, 0), 1);
    assert_int_equal(rate_wait(&rate, &three, START + 20000 + wait, 0), 0);
    rate_take(&rate, START + 20000 + wait, 0);
    assert_in_range(rate_wait(&rate, &three, START + 20000 + wait, 0), 9000, 10000);
}

static void tokens_of_a_minute(void **state) {
    struct rate rate = {0};
    (void)state;
    rate_take(&rate, START, 600);
    assert_int_equal(rate_wait(&rate, &thousand, START + 5000, 400), 0);
    assert_in_range(rate_wait(&rate, &thousand, START + 5000, 401), MINUTE - 5000, MINUTE - 4000);
    rate_correct(&rate, START, 600, 100); /* it took less than was guessed */
    assert_int_equal(rate_wait(&rate, &thousand, START + 5000, 900), 0);
    rate_correct(&rate, START, 100, 5000); /* or more */
    assert_true(rate_wait(&rate, &thousand, START + 5000, 1) > 0);
    rate_correct(&rate, START - 2 * MINUTE, 5000, 0); /* long forgotten */
    assert_true(rate_wait(&rate, &thousand, START + 5000, 1) > 0);
}

/* It would wait for ever. */
static void larger_than_a_minute(void **state) {
    struct rate rate = {0};
    (void)state;
    assert_int_equal(rate_wait(&rate, &thousand, START, 5000), 0);
    rate_take(&rate, START, 5000);
    assert_in_range(rate_wait(&rate, &thousand, START, 5000), MINUTE, MINUTE + 1000);
    assert_int_equal(rate_wait(&rate, &thousand, START + MINUTE + 1000, 5000), 0);
}

/* Whatever is asked when: never more than allowed in any sixty seconds. */
static void never_more(void **state) {
    static uint64_t sent[2000];
    struct rate rate = {0};
    uint64_t now = 17, random = 1;
    (void)state;
    for (size_t i = 0; i < 2000; i++) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        now += random >> 33 & 8191;
        uint64_t wait = rate_wait(&rate, &three, now, 0);
        assert_true(wait <= MINUTE + 1000);
        now += wait;
        assert_int_equal(rate_wait(&rate, &three, now, 0), 0);
        rate_take(&rate, now, 0);
        sent[i] = now;
        if (i >= 3) assert_true(now - sent[i - 3] >= MINUTE);
    }
}

static void durations(void **state) {
    static const struct {
        const char *text;
        double ms;
    } good[] = {{"1s", 1000},        {"6m0s", 360000}, {"20ms", 20},       {"1.5s", 1500},
                {"1h2m3s", 3723000}, {"0s", 0},        {"1m0.25s", 60250}, {"500us", 0.5}};
    static const char *const bad[] = {"",       "s",   "1",   "1x",   "1s2", "-1s",
                                      "1.2.3s", " 1s", "1s ", "soon", "1e3s"};
    double ms;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(rate_duration(text_of(good[i].text), &ms));
        assert_true(ms > good[i].ms - 0.001 && ms < good[i].ms + 0.001);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(rate_duration(text_of(bad[i]), &ms));
}

static void moments(void **state) {
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {{"1970-01-01T00:00:00Z", 0},
                {"2000-02-29T12:30:45Z", 951827445000},
                {"2026-11-22T12:00:00+01:30", 1795343400000},
                {"2026-11-22T10:30:00.5Z", 1795343401000},
                {"Sun, 22 Nov 2026 10:30:00 GMT", 1795343400000}};
    static const char *const bad[] = {"",
                                      "soon",
                                      "1s",
                                      "2026-11-22",
                                      "2026-13-22T10:30:00Z",
                                      "2026-11-22T10:30:00",
                                      "2026-11-22T10:30:00+1",
                                      "Sun, 22 Now 2026 10:30:00 GMT",
                                      "Sun, 22 Nov 2026 10:30:00 CET"};
    int64_t ms;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(rate_moment(text_of(good[i].text), &ms));
        if (ms != good[i].ms) fail_msg("%s: %lld", good[i].text, (long long)ms);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(rate_moment(text_of(bad[i]), &ms));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(requests_of_a_minute),
                                       cmocka_unit_test(tokens_of_a_minute),
                                       cmocka_unit_test(larger_than_a_minute),
                                       cmocka_unit_test(never_more),
                                       cmocka_unit_test(durations),
                                       cmocka_unit_test(moments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
