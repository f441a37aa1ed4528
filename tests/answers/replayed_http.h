/* What stands in for runtime/net/http.c in a program that replays answers: no connection is made,
 * and a run takes microseconds. */
#ifndef TESTS_ANSWERS_REPLAYED_HTTP_H
#define TESTS_ANSWERS_REPLAYED_HTTP_H

#include "runtime/net/http.h"

/* One answer as it comes over a connection. */
struct replayed {
    gramc_text body;
    enum http_failure failure; /* how the connection ended behind it */
    long status;               /* 0: 200 */
    size_t part;               /* bytes that come at a time; 0: all at once */
};

/* The n-th request from now on gets the n-th answer, those behind the last one the last one. The
 * answers are borrowed. */
void replay(struct http *http, const struct replayed *answers, size_t count);
/* How many requests have come since, and the body of each of the first ones. */
size_t replay_count(const struct http *http);
gramc_text replay_request(const struct http *http, size_t i);

#endif
