/* Picks one agent or tool library of a spec by name, or the only one there is; else says which
 * there are, the likely one first. */
#include "cli/cli.h"

#include "base/list.h"
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

static gramc_text experiment_name(const gramc_spec *spec, size_t i) {
    return gramc_spec_experiment(spec, i)->name;
}

static const struct catalogue experiments = {"experiment", "experiments", "--experiment NAME",
                                             gramc_spec_experiment_count, experiment_name};

/* By the label of their patterns. */
static const struct catalogue *catalogue_of(const char *label) {
    if (text_is(text_of(label), "Agent")) return &agents;
    return text_is(text_of(label), "Experiment") ? &experiments : &libraries;
}

static gramc_text nearest(const struct catalogue *catalogue, const gramc_spec *spec,
                          gramc_text wanted) {
    gramc_text best = {NULL, 0};
    for (size_t i = 0; i < catalogue->count(spec); i++) {
        const gramc_text pair[] = {catalogue->name(spec, i), best};
        best = text_nearest(wanted, pair, best.len ? 2 : 1);
    }
    return best;
}

void cli_did_you_mean(struct cli *cli, gramc_text near) {
    if (!near.len) return;
    fputs("; did you mean ", cli->err);
    cli_put_safe(cli->err, near);
    fputc('?', cli->err);
}

int cli_put_list(struct cli *cli, struct name_list *list) {
    gramc_text text = list_end(list);
    cli_put_safe(cli->err, text);
    fputc('\n', cli->err);
    bool oom = buf_status(&list->text) == GRAMC_NOMEM;
    list_free(list);
    return oom ? cli_no_memory(cli) : EXIT_USAGE;
}

static int put_names(struct cli *cli, const struct catalogue *catalogue, const gramc_spec *spec) {
    struct name_list list;
    list_init(&list, &cli->allocator, "");
    for (size_t i = 0; i < catalogue->count(spec); i++)
        list_add(&list, TEXT(""), catalogue->name(spec, i));
    return cli_put_list(cli, &list);
}

static int explain(struct cli *cli, const struct catalogue *catalogue, const gramc_spec *spec,
                   const char *path, gramc_text wanted) {
    if (catalogue->count(spec) == 0) return cli_usage(cli, "%s holds no %s", path, catalogue->noun);
    if (wanted.len) {
        fprintf(cli->err, "gramc: %s holds no %s ", path, catalogue->noun);
        cli_put_safe(cli->err, wanted);
        gramc_text near = nearest(catalogue, spec, wanted);
        cli_did_you_mean(cli, near);
        fputs(near.len ? " It holds " : "; it holds ", cli->err);
    } else {
        fprintf(cli->err, "gramc: %s holds several %s; choose with %s: ", path, catalogue->plural,
                catalogue->how);
    }
    return put_names(cli, catalogue, spec);
}

/* ## Which file */

enum { MOST_FOUND = LIST_SHOWN };
#define ALL_SOURCES SIZE_MAX

const char *cli_noun(const struct cli *cli) {
    return cli->operand_count == 1 ? cli->operands[0] : "the spec";
}

static gramc_text file_name(const gramc_compilation *compilation, size_t i) {
    gramc_source source;
    return gramc_source_get(compilation, i, &source) ? source.name : (gramc_text){NULL, 0};
}

static int report_several(struct cli *cli, const gramc_compilation *compilation,
                          const struct cli_wanted *wanted, const struct catalogue *catalogue,
                          const gramc_pattern *found, size_t count) {
    size_t shown = count < MOST_FOUND ? count : MOST_FOUND;
    fprintf(cli->err, "gramc: %s holds several %s", wanted->path, catalogue->plural);
    if (wanted->name.len) fputs(" of that name; name one of the files:", cli->err);
    else fprintf(cli->err, "; choose with %s:", catalogue->how);
    for (size_t i = 0; i < shown; i++) {
        fputs(i ? ", " : " ", cli->err);
        cli_put_safe(cli->err, found[i].name);
        fputs(" (", cli->err);
        cli_put_safe(cli->err, file_name(compilation, found[i].source));
        fputc(')', cli->err);
    }
    if (count > shown) fprintf(cli->err, " and %zu more", count - shown);
    fputc('\n', cli->err);
    return EXIT_USAGE;
}

/* The only source that imports all others; false if there is none, or several, which import each
 * other. */
static bool find_top(gramc_compilation *compilation, size_t *out) {
    size_t tops = 0;
    for (size_t i = 0; i < gramc_source_count(compilation); i++) {
        if (!gramc_source_imports_all(compilation, i)) continue;
        *out = i;
        tops++;
    }
    return tops == 1;
}

/* What is wrong with the files may be why it is not found. */
static int report_none(struct cli *cli, gramc_compilation *compilation,
                       const struct cli_wanted *wanted, const struct catalogue *catalogue) {
    int code = cli_status(cli, gramc_compile_each(compilation));
    if (code == EXIT_FINE) code = cli_report_as(cli, compilation, cli->err, "text");
    fprintf(cli->err, "gramc: none of the files of %s holds %s %s", wanted->path,
            wanted->name.len ? "the" : "an", catalogue->noun);
    if (wanted->name.len) fputc(' ', cli->err);
    cli_put_safe(cli->err, wanted->name);
    fputc('\n', cli->err);
    return code == EXIT_FINE ? EXIT_USAGE : code;
}

/* A file that could not be read might hold another of that name. */
static void note_broken(struct cli *cli, const gramc_compilation *compilation, size_t chosen) {
    gramc_source source;
    size_t count = 0;
    for (size_t i = 0; gramc_source_get(compilation, i, &source); i++)
        count += i != chosen && source.has_errors;
    if (count)
        fprintf(cli->err, "gramc: note: %zu %s errors and %s not looked into\n", count,
                count == 1 ? "other file has" : "other files have", count == 1 ? "was" : "were");
}

static int choose_source(struct cli *cli, gramc_compilation *compilation,
                         const struct cli_wanted *wanted, size_t *out) {
    gramc_pattern found[MOST_FOUND];
    const struct catalogue *catalogue = catalogue_of(wanted->label);
    size_t several = gramc_source_count(compilation) > 1;
    *out = 0;
    if (!several) return EXIT_FINE;
    size_t count =
        gramc_sources_find(compilation, text_of(wanted->label), wanted->name, found, MOST_FOUND);
    if (count == 0 && !wanted->may_miss) return report_none(cli, compilation, wanted, catalogue);
    if (count == 0 && !find_top(compilation, out)) {
        *out = ALL_SOURCES;
        return EXIT_FINE;
    }
    for (size_t i = 1; i < count; i++)
        if (i >= MOST_FOUND || found[i].source != found[0].source)
            return report_several(cli, compilation, wanted, catalogue, found, count);
    if (count) *out = found[0].source;
    note_broken(cli, compilation, *out);
    return EXIT_FINE;
}

int cli_compile_wanted(struct cli *cli, gramc_compilation *compilation,
                       const struct cli_wanted *wanted, const gramc_spec **spec,
                       gramc_status *status) {
    size_t source;
    *spec = NULL;
    int code = choose_source(cli, compilation, wanted, &source);
    if (code != EXIT_FINE) return code;
    /* Where there is no agent, the tools of all files are one list. */
    *status = source == ALL_SOURCES ? gramc_compile_tools(spec, compilation)
                                    : gramc_compile_source(spec, compilation, source);
    /* A configuration alone. */
    if (*status == GRAMC_NOT_FOUND) *status = gramc_compile(spec, compilation);
    return cli_status(cli, *status);
}

int cli_compile(struct cli *cli, gramc_compilation *compilation, const struct cli_wanted *wanted,
                const gramc_spec **spec) {
    gramc_status status;
    int code = cli_compile_wanted(cli, compilation, wanted, spec, &status);
    return code == EXIT_FINE ? cli_report_compiled(cli, compilation, status) : code;
}

/* ## Which one */

int cli_choose_agent(struct cli *cli, const gramc_spec *spec, const char *path,
                     const gramc_agent **out) {
    gramc_text name = text_of(cli->options[OPTION_AGENT] ? cli->options[OPTION_AGENT] : "");
    if (gramc_spec_find_agent(out, spec, name) == GRAMC_OK) return EXIT_FINE;
    return explain(cli, &agents, spec, path, name);
}

int cli_choose_experiment(struct cli *cli, const gramc_spec *spec, const char *path,
                          const gramc_experiment **out) {
    const char *option = cli->options[OPTION_EXPERIMENT];
    gramc_text name = text_of(option ? option : "");
    if (gramc_spec_find_experiment(out, spec, name) == GRAMC_OK) return EXIT_FINE;
    return explain(cli, &experiments, spec, path, name);
}

int cli_choose_library(struct cli *cli, const gramc_spec *spec, const char *path, gramc_text name,
                       const gramc_library **out) {
    if (gramc_spec_find_library(out, spec, name) == GRAMC_OK) return EXIT_FINE;
    return explain(cli, &libraries, spec, path, name);
}
