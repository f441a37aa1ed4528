/* One tool bound to one HTTP implementation, and calls of it by hand against a scripted server.
 * Include cmocka.h first. */
#ifndef TESTS_SUPPORT_CALLER_H
#define TESTS_SUPPORT_CALLER_H

#include "runtime/tool.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

struct caller {
    struct test_agent agent;
    struct mock_server *server;
    gramc_impl *impl; /* to be changed before caller_bind */
    char url[256];
    gramc_bind_options options;
    gramc_bound *bound;
    gramc_loop *loop;
    bool done;
    enum tool_outcome outcome;
    struct buf result; /* of the last call */
};

/* `path` stands behind the server's address; `parameters` is a JSON Schema. */
void caller_init(struct caller *caller, const char *path, const char *parameters,
                 const struct mock_answer *answers, size_t count);
void caller_bind(struct caller *caller);
/* Waits until nothing is left of the call. */
void caller_call(struct caller *caller, gramc_text arguments);
void caller_expect(const struct caller *caller, enum tool_outcome outcome, const char *result);
void caller_free(struct caller *caller);

#endif
