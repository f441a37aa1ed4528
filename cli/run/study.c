/* From a file to an experiment with its cases, and to the place of its store. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/study.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

enum { TEXTS_MAX = 1 << 20 };

int study_init(struct study *study, struct cli *cli) {
    study->cli = cli;
    buf_init(&study->texts, &cli->allocator, TEXTS_MAX);
    arena_init(&study->arena, &cli->allocator);
    int code = report_prepare(cli, &study->request);
    if (code == EXIT_FINE) cli->options[OPTION_FORMAT] = NULL; /* it is not about findings */
    return code == EXIT_FINE ? study_check_cassettes(study) : code;
}

int study_open(struct study *study, struct cli *cli) {
    char *path = cli->operands[0];
    const char *name = cli->options[OPTION_EXPERIMENT];
    const struct cli_wanted wanted = {
        .label = "Experiment", .name = text_of(name ? name : ""), .path = path};
    const gramc_spec *spec;
    int code = cli_load(cli, &study->choice.compilation, &path, 1);
    if (code == EXIT_FINE) code = cli_compile(cli, study->choice.compilation, &wanted, &spec);
    if (code == EXIT_FINE) code = cli_choose_experiment(cli, spec, path, &study->experiment);
    return code;
}

/* ## Cases */

static int report_cases(struct cli *cli, const char *path, const struct cases_error *error) {
    fputs("gramc: ", cli->err);
    cli_put_safe(cli->err, text_of(path));
    if (error->line) fprintf(cli->err, ":%u", error->line);
    fputs(": ", cli->err);
    cli_put_safe(cli->err, text_of(error->message));
    fputc('\n', cli->err);
    return EXIT_FINDINGS;
}

int study_read_cases(struct study *study) {
    struct cli *cli = study->cli;
    gramc_text named = study->experiment->cases;
    struct cases_error error = {0, ""};
    char path[CLI_PATH];
    if (named.len == 0)
        return cli_usage(cli, "%.*s has no cases: `gramc serve %s --ab %.*s` carries it out",
                         TEXT_ARGS(study->experiment->name), cli->operands[0],
                         TEXT_ARGS(study->experiment->name));
    if (named.len >= sizeof path || text_has_nul(named))
        return cli_usage(cli, "the path of the cases is too long");
    memcpy(path, named.ptr, named.len);
    path[named.len] = '\0';
    const struct cli_file *file = cli_read(cli, path);
    if (!file) return cli->failure;
    gramc_status status = cases_read(&study->cases, named, (gramc_text){file->bytes, file->len},
                                     &cli->allocator, &error);
    study->has_cases = status == GRAMC_OK;
    return status == GRAMC_FINDINGS ? report_cases(cli, path, &error) : cli_status(cli, status);
}

int study_plan(struct study *study) {
    const char *judge = study->cli->options[OPTION_JUDGE];
    struct plan_arm arms[ARMS_MAX];
    const struct plan_runs runs = {arms, text_of(judge ? judge : "")};
    for (size_t i = 0; i < study->arm_count; i++)
        arms[i] = (struct plan_arm){study->arms[i].bound, study->arms[i].offering,
                                    text_of(study->arms[i].model_name)};
    gramc_status status =
        plan_make(&study->plan, study->experiment, &study->cases, &runs, &study->cli->allocator);
    if (status) return cli_status(study->cli, status);
    study_mark_denied(study);
    study_warn_denied(study);
    return EXIT_FINE;
}

/* ## The store's place */

gramc_text study_base_id(const struct study *study) {
    const char *id = study->cli->options[OPTION_ID];
    return id ? text_of(id) : study->experiment->name;
}

static int make_folder(struct cli *cli, const char *path) {
    if (mkdir(path, 0700) == 0 || errno == EEXIST) return EXIT_FINE;
    return cli_usage(cli, "%s: the folder of the store cannot be made (%s)", path, strerror(errno));
}

const char *study_store_name(const struct study *study) {
    return store_is_server(text_of(study->store_path)) ? "the database" : study->store_path;
}

bool study_store_is_missing(const struct study *study) {
    return !store_is_server(text_of(study->store_path)) && access(study->store_path, F_OK) != 0;
}

int study_find_store(struct study *study, bool make) {
    struct cli *cli = study->cli;
    const char *given = cli->options[OPTION_STORE], *file = cli->operands[0];
    const char *slash = strrchr(file, '/');
    int folder = slash ? (int)(slash - file) + 1 : 0;
    if (given && store_is_foreign(text_of(given)))
        return cli_usage(cli, "--store takes a path, or postgresql://USER@HOST/DATABASE");
    int len =
        given ? snprintf(study->store_path, sizeof study->store_path, "%s", given)
              : snprintf(study->store_path, sizeof study->store_path, "%.*s.gramc", folder, file);
    if (len < 0 || len + 20 >= (int)sizeof study->store_path)
        return cli_usage(cli, "the path of the store is too long");
    if (given) return EXIT_FINE;
    int code = make ? make_folder(cli, study->store_path) : EXIT_FINE;
    memcpy(study->store_path + len, "/experiments.db", sizeof "/experiments.db");
    return code;
}

/* ## The end */

void study_close(struct study *study) {
    for (size_t i = 0; i < study->arm_count; i++) {
        gramc_model_free(study->arms[i].model);
        role_models_free(&study->arms[i].roles);
        gramc_bound_free(study->arms[i].bound);
    }
    workshop_close(&study->shop);
    grading_free(study->grading);
    arena_free(&study->arena);
    for (size_t i = 0; i < study->arm_count; i++) gramc_offering_free(study->arms[i].offering);
    plan_free(&study->plan);
    if (study->has_cases) cases_free(&study->cases);
    buf_free(&study->texts);
    gramc_compilation_free(study->second);
    run_choice_free(&study->choice);
}
