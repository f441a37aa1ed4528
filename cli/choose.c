/* Picks one agent or tool library of a spec by name, or the only one there is; else says which
 * there are. */
#include "cli/cli.h"

#include "base/text.h"

struct catalogue {
    const char *noun, *plural, *how;
    size_t (*count)(const gramc_spec *spec);
    gramc_text (*name)(const gramc_spec *spec, size_t i);
};

static gramc_text agent_name(const gramc_spec *spec, size_t i) {
    return gramc_spec_agent(spec, i)->name;
}

static gramc_text library_name(const gramc_spec *spec, size_t i) {
    return gramc_spec_library(spec, i)->name;
}

static const struct catalogue agents = {"agent", "agents", "--agent NAME", gramc_spec_agent_count,
                                        agent_name};
static const struct catalogue libraries = {"tool library", "tool libraries", "FILE#NAME",
                                           gramc_spec_library_count, library_name};

static void put_names(FILE *err, const struct catalogue *catalogue, const gramc_spec *spec) {
    for (size_t i = 0; i < catalogue->count(spec); i++) {
        fputs(i ? ", " : " ", err);
        cli_put_safe(err, catalogue->name(spec, i));
    }
    fputc('\n', err);
}

static int explain(struct cli *cli, const struct catalogue *catalogue, const gramc_spec *spec,
                   const char *path, gramc_text wanted) {
    if (catalogue->count(spec) == 0) return cli_usage(cli, "%s holds no %s", path, catalogue->noun);
    if (wanted.len) {
        fprintf(cli->err, "gramc: %s holds no %s ", path, catalogue->noun);
        cli_put_safe(cli->err, wanted);
        fputs("; it holds", cli->err);
    } else {
        fprintf(cli->err, "gramc: %s holds several %s; choose with %s:", path, catalogue->plural,
                catalogue->how);
    }
    put_names(cli->err, catalogue, spec);
    return EXIT_USAGE;
}

int cli_choose_agent(struct cli *cli, const gramc_spec *spec, const char *path,
                     const gramc_agent **out) {
    gramc_text name = text_of(cli->options[OPTION_AGENT] ? cli->options[OPTION_AGENT] : "");
    if (gramc_spec_find_agent(out, spec, name) == GRAMC_OK) return EXIT_FINE;
    return explain(cli, &agents, spec, path, name);
}

int cli_choose_library(struct cli *cli, const gramc_spec *spec, const char *path, gramc_text name,
                       const gramc_library **out) {
    if (gramc_spec_find_library(out, spec, name) == GRAMC_OK) return EXIT_FINE;
    return explain(cli, &libraries, spec, path, name);
}
