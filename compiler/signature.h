/* A tool's signature: what goes in, by name and in order, and what comes out. */
#ifndef COMPILER_SIGNATURE_H
#define COMPILER_SIGNATURE_H

#include "compiler/schema.h"

struct signature {
    struct field *parameters; /* in order; NULL for `()` */
    struct schema arguments;  /* the object of them, and what the tool says about it as a whole */
    struct schema *result;    /* never NULL */
    struct span span;
};

/* Arguments that no parameter names are refused, unless the tool says otherwise. */
bool signature_is_closed(const struct signature *signature);

/* Something is said about the arguments as a whole, beside `open`. */
bool signature_says_more(const struct signature *signature);
/* What the tool says about them, taken over from a schema of its own. */
void signature_take(struct signature *signature, const struct schema *whole);

/* What can only be checked once all names are known: defaults, bounds, patterns. */
void signature_check(struct pass *pass, const struct signature *signature);

void signature_check_examples(struct pass *pass, const struct signature *signature,
                              const struct constraint *examples);

/* True for a path whose nodes are parameters and a type, joined by plain arrows, as at the top
 * level of a file that is about signatures alone. */
bool signature_is(const struct pattern *pattern);
/* Reads `(p::T {...})==>(::R)`. NULL, with findings, if it is no signature; parameters that could
 * not be read are left out. */
struct signature *signature_read(struct pass *pass, const struct pattern *pattern);

#endif
