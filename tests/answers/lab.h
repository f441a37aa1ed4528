/* One agent, asked in every protocol, and what came of a run of it. */
#ifndef TESTS_ANSWERS_LAB_H
#define TESTS_ANSWERS_LAB_H

#include "tests/answers/replayed_http.h"
#include "tests/support/agent.h"

enum { SCENARIO_STEPS = 3 };

/* A way in which models are asked: a folder of tests/data/answers. */
struct way {
    const char *folder, *protocol;
    gramc_wire wire;
    const char *finish; /* what says why it ended: keys, with blanks around each */
    const char *heeded; /* keys of what the outcome depends on, the same way */
};
extern const struct way ways[];
enum { WAYS = 6 };

/* A conversation: what the model says to each request. */
struct scenario {
    const char *steps[SCENARIO_STEPS]; /* files, up to a NULL */
    gramc_outcome outcome;
    const char *text;    /* of the result */
    const char *lacking; /* folders that have no such thing, with blanks around each */
};
extern const struct scenario scenarios[];
enum { SCENARIOS = 6 };

struct lab {
    const struct way *way;
    bool stream;
    struct test_agent test;
    gramc_builtins *builtins;
    gramc_bound *bound;
    gramc_model *model;
    gramc_loop *loop;
    struct buf calls; /* that tools were asked for: a line each */
};

/* What came of a run. */
struct came {
    int done;
    gramc_outcome outcome;
    char message[1024];
    struct buf text, calls, said, trace;
    size_t requests;
    size_t calls_before[SCENARIO_STEPS + 1]; /* bytes of `calls` when the n-th request was made */
};

void lab_init(struct lab *lab, const struct way *way, bool stream);
void lab_free(struct lab *lab);
void lab_run(struct lab *lab, struct came *came, const struct replayed *answers, size_t count);
/* The same, with a trace in the place of the model. */
void lab_play(struct lab *lab, struct came *came, gramc_text trace);
void came_init(struct came *came);
void came_free(struct came *came);

/* The file of a step; with a NUL behind it. False: this way has no such thing. */
bool lab_read(struct buf *out, const struct lab *lab, const char *step);
/* Is the word among those of the list, each with blanks around it? */
bool lab_lists(const char *list, gramc_text word);

#endif
