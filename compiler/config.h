/* What a gramc.gram says: severities, naming, strictness, the default target, prices. */
#ifndef COMPILER_CONFIG_H
#define COMPILER_CONFIG_H

#include "compiler/compilation.h"

enum config_severity {
    SEVERITY_UNSAID,
    SEVERITY_OFF,
    SEVERITY_NOTE,
    SEVERITY_WARNING,
    SEVERITY_ERROR
};

enum naming { NAMING_ANY, NAMING_CAMEL, NAMING_SNAKE, NAMING_KEBAB, NAMING_PASCAL };

struct setting {
    struct setting *next;
    gramc_text key, value;
    struct span at; /* of the value */
};

struct config {
    struct config *next;
    const struct source *source;
    bool strict;
    uint32_t errors;                /* of its own text */
    bool is_left_out;               /* it is in force for nothing that was asked for */
    uint8_t severities[DIAG_COUNT]; /* enum config_severity */
    enum naming tool_names, parameter_names;
    struct setting *first_setting, **last_setting;
};

/* True if the tree's header says kind: "configuration". */
bool config_is(const struct tree *tree);
/* Reads a configuration only for what is wrong with it. */
void config_check(struct pass *pass, const struct tree *tree);
/* The configuration that judges a source of that name; *out NULL: none does. GRAMC_IO: there is one
 * that cannot be read. */
gramc_status config_of(gramc_compilation *compilation, gramc_text name, const struct config **out);

/* The one that judges a source that was read; NULL: none does. */
const struct config *config_for(const gramc_compilation *compilation, const struct source *source);

/* The last pass: takes out what comments allow, then judges by the configuration's severities.
 * `complete`: the sources were read, so that an allowance that meets nothing is unused. */
void findings_settle(struct pass *pass, bool complete);
/* The same for what a target does not take (family G08), found after that. */
void findings_settle_targets(struct pass *pass);
/* True for errors behind which a whole spec stands all the same. */
bool finding_leaves_a_spec(enum diag_id id);
/* Counts an error that is not reported but leaves nothing to compile. */
void findings_withhold(gramc_compilation *compilation, enum diag_id id, uint32_t count);
/* The first halves, in suppress.c. */
void suppress(struct pass *pass, bool complete);
void suppress_of_targets(struct pass *pass);

/* "camelCase"...; NULL for NAMING_ANY. */
const char *naming_name(enum naming naming);
/* NAMING_ANY if there is none of that name. */
enum naming naming_find(gramc_text name);

#endif
