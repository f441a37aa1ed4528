/* The files of a folder at a revision that are to be read. */
#ifndef CLI_GIT_TREE_H
#define CLI_GIT_TREE_H

#include "cli/cli.h"

struct git_tree {
    struct cli *cli;
    const char *name;  /* "git:REV:./path" */
    size_t prefix_len; /* of "git:REV:./" */
    /* Reads git:REV:path; *out stays as it is if there is nothing. An exit code. */
    int (*read)(void *cli, const char *name, gramc_text *out);
    /* Called for each file, by its path below the folder, in git's order. An exit code. */
    int (*found)(void *ctx, const char *path);
    void *ctx;
};

/* As sources.c chooses files of a folder: *.gram, less what .gitignore and `exclude` of that
 * revision pass over, less hidden ones and links; submodules are told. An exit code, after a
 * message. */
int git_tree_walk(const struct git_tree *tree);

#endif
