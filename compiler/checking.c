/* Bounds what checks of a spec take in all. Beyond it the spec is compiled as ever, and what is not
 * looked at any more is told at the place where that began. */
#include "compiler/checking.h"

#include "base/json/json.h"
#include "base/limits.h"
#include "compiler/spec.h"

/* Of each schema: small ones are work in proportion to the spec. */
enum { FREE_VALUES = 100 };

bool checking_is_over(const struct pass *pass) {
    return pass->compilation->spec->checking > CHECKING_MAX;
}

void checking_takes(struct pass *pass, uint64_t values, struct span at) {
    uint64_t *taken = &pass->compilation->spec->checking;
    bool was_over = checking_is_over(pass);
    *taken += values > FREE_VALUES ? values - FREE_VALUES : 0;
    if (!was_over && checking_is_over(pass))
        FIND0(pass->findings, D_CHECKING_LIMIT, pass->source, at);
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
uint64_t json_size(const struct json *document) {
    uint64_t size = document ? 1 : 0;
    bool holds = document && (document->kind == JSON_ARRAY || document->kind == JSON_OBJECT);
    for (const struct json *v = holds ? document->first : NULL; v; v = v->next)
        size += json_size(v);
    return size;
}
