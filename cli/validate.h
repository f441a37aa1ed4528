/* What the two files of `gramc validate` share. */
#ifndef CLI_VALIDATE_H
#define CLI_VALIDATE_H

#include "cli/cli.h"

struct judged {
    struct cli *cli;
    const gramc_schema *schema;
    gramc_schema *own;              /* to free, if it came from a schema file */
    gramc_compilation *compilation; /* to free, if it came from a spec */
    gramc_check_options check;
    gramc_verdict_format format;
    bool lines, normalise;
    bool invalid; /* one was */
};

/* Finds or compiles the schema that the first operand names. An exit code. */
int validate_open(struct judged *judged);
void validate_close(struct judged *judged);

#endif
