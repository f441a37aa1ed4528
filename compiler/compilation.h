/* The inside of a gramc_compilation: sources with their trees, the findings, and what the passes
 * share. Every pass takes a `struct pass`: the compilation and the source that it reads. */
#ifndef COMPILER_COMPILATION_H
#define COMPILER_COMPILATION_H

#include "base/diag/diag.h"
#include "base/map.h"
#include "grammar/tree.h"
#include "gramc/compile.h"

struct unit;
struct unit_link {
    struct unit *unit;
    struct unit_link *next;
};

/* A source that may mean something. */
struct unit {
    struct source source;
    struct tree *tree;
    struct arena nodes; /* of its patterns */
    struct unit *older; /* that was parsed before, of whatever sort */
    struct unit *next;
    gramc_text path; /* its name, by the shortest spelling */
    struct unit_link *imports, *last_import;
    uint32_t mark;    /* the last closure that it was found in (imports.c) */
    uint32_t reach;   /* how many sources it was compiled with as a root; 0: it was not */
    bool is_left_out; /* gramc_compile_source was asked for others */
    bool is_imported; /* nobody but another source named it */
    bool has_errors;  /* of syntax */
    bool header_is_read;
    bool is_broken;     /* of syntax, or in its header: what would be found behind is noise */
    bool is_incomplete; /* some root that it belongs to was not read to the end */
    bool is_configuration;
    bool may_define;       /* patterns besides those with the language's own labels */
    struct unit *importer; /* the last one */
    uint32_t importers;
    bool is_read_once; /* by the spec that is being read, and by no other: its tree may go */
    bool is_forgotten; /* its tree is gone */
};

struct gramc_compilation {
    struct arena_pool pool; /* of `arena` and the trees */
    struct arena arena;
    struct findings findings;
    gramc_reader reader;
    bool plain, strict_vocabulary, strict, keep_types, forget_trees, advice;
    bool looks_for_files;  /* that libraries name: to check them, not to use them */
    bool evaluates_format; /* gramc_source_check_format was asked: the findings are those of fmt */
    struct unit *parsed;   /* the last one first */
    struct source *first_source, *last_source; /* of all units, the configuration's too */
    struct unit *units, *last;
    size_t unit_count;
    struct map paths;    /* units by path */
    uint32_t closures;   /* that were asked for */
    struct map reported; /* by source, finding and place: the spec that reported it */
    gramc_configurer configurer;
    struct config *configs;      /* all that were read */
    const struct config *config; /* in force for everything, or else for the root; NULL: none */
    bool is_configured;          /* config is in force for everything */
    uint32_t withheld;           /* errors that are not reported, but leave nothing to compile */
    struct gramc_spec *spec;     /* that is being read, or was last; NULL before gramc_compile */
    struct gramc_spec *specs;    /* all, the last one first */
    size_t spec_count;
    bool has_programs; /* some tool was prepared */
};

struct pass {
    gramc_compilation *compilation;
    struct arena *arena;       /* the compilation's */
    struct findings *findings; /* of the headers: the compilation's; of a spec: its own, until it
                                * is read */
    const struct source *source;
};

/* Parses a text that is none of `units` yet; NULL without memory. */
struct unit *unit_parse(gramc_compilation *compilation, gramc_text name, gramc_text text,
                        bool plain);

/* Frees what a spec holds outside the arena (validators); NULL is fine. */
void spec_free(struct gramc_spec *spec);

#endif
