/* Do the calls of a model agree with those that are right, by the rules of the Berkeley Function
 * Calling Leaderboard's checker for Python? They fold case and punctuation of texts, take lists of
 * values that are right for each argument, and the types of the tools' schemas as Python has them.
 */
#ifndef EXPERIMENT_BFCL_H
#define EXPERIMENT_BFCL_H

#include "base/json/json.h"

struct bfcl_call {
    gramc_text name;
    const struct json *arguments; /* NULL: they are no JSON object */
};

struct bfcl_question {
    /* A list of {name, arguments}; each argument is the list of the values that are right, and ""
     * among them says that it may be left out. */
    const struct json *expected;
    const struct bfcl_call *calls;
    size_t call_count;
    /* The schema of a tool's parameters; NULL: it is not known. */
    const struct json *(*parameters)(void *ctx, gramc_text tool);
    void *ctx;
    const gramc_allocator *allocator;
};

enum bfcl_answer { BFCL_AGREES, BFCL_DISAGREES, BFCL_NOMEM };

/* `reason`: why they do not agree, one line. */
enum bfcl_answer bfcl_judge(const struct bfcl_question *question, struct buf *reason);

#endif
