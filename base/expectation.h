/* What a case of an experiment may expect, and what a grader may look at: the members of such an
 * object and the form of each. Read by `gramc check` and by the graders, so that both take the
 * same. */
#ifndef BASE_EXPECTATION_H
#define BASE_EXPECTATION_H

#include "base/json/json.h"

enum expectation_member {
    EXPECT_EQUALS,
    EXPECT_CONTAINS,
    EXPECT_MATCHES,
    EXPECT_JSON,
    EXPECT_POINTER,
    EXPECT_CALLS,
    EXPECT_NOT_CALLS,
    EXPECTATION_CHECKS, /* those above ask for something, those below say how */
    EXPECT_ARGUMENTS = EXPECTATION_CHECKS,
    EXPECT_MODE,
    EXPECTATION_MEMBERS
};

const char *expectation_name(enum expectation_member member);
/* EXPECTATION_MEMBERS: there is none of that name. */
enum expectation_member expectation_named(gramc_text name);
/* What each takes, in words: "a text, or a list of texts". */
const char *expectation_wanted(enum expectation_member member);
/* Has the value the form that the member takes? */
bool expectation_fits(enum expectation_member member, const struct json *value);

/* What is wrong with a whole object. */
enum expectation_fault {
    EXPECTATION_FINE,
    EXPECTATION_UNKNOWN,  /* no member has that name */
    EXPECTATION_TWICE,    /* the member stands there twice */
    EXPECTATION_MISFIT,   /* its value has another form */
    EXPECTATION_DANGLING, /* arguments or mode without the calls that they are about */
    EXPECTATION_EMPTY     /* nothing is asked for */
};
/* `where` is the member that is wrong; NULL: none in particular. */
enum expectation_fault expectation_check(const struct json *object, const struct json **where);

#endif
