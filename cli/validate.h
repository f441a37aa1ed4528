/* What the files of `gramc validate` share. */
#ifndef CLI_VALIDATE_H
#define CLI_VALIDATE_H

#include "cli/cli.h"

struct evaluated {
    struct cli *cli;
    const gramc_schema *schema;
    gramc_schema *own;              /* to free, if it came from a schema file */
    gramc_compilation *compilation; /* to free, if it came from a spec */
    gramc_check_options check;
    bool at_once;                  /* each verdict is printed as it comes */
    gramc_verdict_format verdicts; /* at once */
    gramc_report_format format;    /* of the report of all */
    bool lines, normalise;
    bool invalid; /* one was */
    bool limited; /* of one it is not known */
};

/* Finds or compiles the schema that the first operand names. An exit code. */
int validate_open(struct evaluated *evaluated);
void validate_close(struct evaluated *evaluated);

/* Evaluates all instances and prints one report. An exit code. */
int validate_collect(struct evaluated *evaluated);

/* What messages call a path. */
const char *validate_name(const char *path);
/* True if no verdict is needed. */
bool validate_is_fine(struct evaluated *evaluated, gramc_text bytes);
/* On EXIT_FINE the verdict is yours; what --normalise asks for was printed. */
int validate_evaluate(struct evaluated *evaluated, const char *name, gramc_text bytes,
                      gramc_verdict **verdict);

#endif
