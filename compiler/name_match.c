/* Asks whether a name matches a regular expression of `patterns`, as the validator would. For the
 * few names that are judged while a spec is checked: each expression is compiled anew. */
#include "compiler/name_match.h"

#include "jsonschema/regex.h"

bool name_matches(struct pass *pass, gramc_text pattern, gramc_text name) {
    struct regex_set set;
    struct regex_session session;
    struct regex_error error;
    struct arena scratch;
    arena_init(&scratch, &pass->arena->allocator);
    regex_set_init(&set, &scratch);
    const struct regex *regex = regex_compile(&set, pattern, &error);
    regex_session_init(&session, &pass->arena->allocator, NULL);
    bool matches = regex && regex_matches(&session, regex, name) == REGEX_YES;
    regex_session_free(&session);
    regex_set_free(&set);
    if (scratch.oom) pass->arena->oom = true;
    arena_free(&scratch);
    return matches;
}
