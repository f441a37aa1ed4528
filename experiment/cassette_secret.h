/* What looks like a secret in a text: by the known beginnings of keys, by the name of the member
 * that holds it, and by how random it looks. A guess, for people to look at; what gramc knows to be
 * secret never gets so far (runtime/secret.c). */
#ifndef EXPERIMENT_CASSETTE_SECRET_H
#define EXPERIMENT_CASSETTE_SECRET_H

#include "base/json/json.h"

struct secret_span {
    size_t start, end;
};

/* The first key of a known service, or private key, from `from` on. */
bool secret_by_prefix(gramc_text text, size_t from, struct secret_span *out);
/* The first run of letters and digits that is too mixed for a word: 24 at least, small and capital
 * letters and digits, changing at nearly every second place. */
bool secret_by_entropy(gramc_text text, size_t from, struct secret_span *out);
/* A member of that name holds random texts that are no secrets: ids, fingerprints, signatures. */
bool secret_is_id(gramc_text member);
/* A member of that name holds a secret: password, apiKey, authorization... */
bool secret_is_name(gramc_text member);

#endif
