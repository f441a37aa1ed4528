/* The version of everything that is written or read in a form of ours. A form that changes so that
 * old readers would misunderstand it gets the next number here, and a page in docs/formats. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* Of the reference grammar (tree-sitter-gram) that the notation follows. */
#define VERSION_NOTATION "0.3.7"

enum {
    VERSION_LANGUAGE = 1,    /* what a spec means: `{language: 1}` */
    VERSION_BUNDLE = 1,      /* compile --target bundle */
    VERSION_TRACE = 2,       /* run --trace */
    VERSION_SNAPSHOT = 1,    /* tools --save */
    VERSION_BASELINE = 1,    /* check --baseline */
    VERSION_DIAGNOSTICS = 1, /* --format json */
    VERSION_RUN = 1,         /* run --format json */
    VERSION_SESSION = 1,     /* session show --format json, and what --session keeps */
    VERSION_EXPERIMENT = 1,  /* experiment --format json */
    VERSION_PLAN = 1,        /* experiment FILE plan --format json */
    VERSION_CASSETTE = 1,    /* experiment --record */
    VERSION_WORK = 1         /* worker --format json */
};

#endif
