/* Calls of one tool of a hand-made agent, and what the model was told. Include cmocka.h first. */
#ifndef TESTS_SUPPORT_CALLS_H
#define TESTS_SUPPORT_CALLS_H

#include "tests/support/agent.h"

enum { TEST_CALLS = 32 };

struct test_said {
    char texts[TEST_CALLS][4096]; /* decoded, cut where there is no room */
    size_t count;
    double seconds; /* that the run took */
};

/* Calls the agent's first tool `times` times with these arguments: one after the other, or all in
 * one answer. The run must end as answered. */
void test_say(const struct test_agent *test, const char *arguments, size_t times, bool at_once,
              struct test_said *said);
/* The same with arguments of their own for each call, ended by NULL. */
void test_say_each(const struct test_agent *test, const char *const *arguments, bool at_once,
                   struct test_said *said);
/* The same, one after the other; `trace` gets what the run wrote down. */
void test_record(const struct test_agent *test, const char *const *arguments,
                 struct test_said *said, struct buf *trace);
/* Calls these tools without arguments, one after the other. */
void test_say_tools(const struct test_agent *test, const char *const *names,
                    struct test_said *said);
/* Plays the model's part from this script; the texts stand in the order in which they came. */
void test_say_script(const struct test_agent *test, gramc_text script, struct test_said *said);

#endif
