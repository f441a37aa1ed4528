/* --record, --replay and --live: where the runs of an experiment are written, so that they can lie
 * in a repository, and what is played of them. What stands in the files is experiment/cassette.c's.
 */
#include "cli/run/study.h"

#include <string.h>

#include "base/text.h"

static bool lives(const struct study *study, const char *what) {
    const char *live = study->cli->options[OPTION_LIVE];
    return live && strcmp(live, what) == 0;
}

int study_check_cassettes(struct study *study) {
    const struct cli *cli = study->cli;
    const char *record = cli->options[OPTION_RECORD], *replay = cli->options[OPTION_REPLAY];
    const char *live = cli->options[OPTION_LIVE];
    if (record && replay)
        return cli_usage(study->cli, "--record writes what --replay reads: give one of them");
    if (live && !replay) return cli_usage(study->cli, "--live goes with --replay");
    if (live && !lives(study, "tools") && !lives(study, "models") && !lives(study, "judges"))
        return cli_usage(study->cli, "--live takes tools, models or judges, not %s", live);
    if (record && !record[0]) return cli_usage(study->cli, "--record needs the name of a folder");
    return EXIT_FINE;
}

bool study_plays_models(const struct study *study) {
    return study->cli->options[OPTION_REPLAY] && !lives(study, "models");
}

bool study_plays_judges(const struct study *study) {
    return study_plays_models(study) && !lives(study, "judges") &&
           !study->cli->options[OPTION_JUDGE];
}

bool study_calls_tools(const struct study *study) {
    return !study->cli->options[OPTION_REPLAY] || lives(study, "tools");
}

static const struct cassette_folder *folder_of(struct study *study, enum option_id option) {
    study->cassettes = (struct cassette_folder){.path = text_of(study->cli->options[option]),
                                                .plan = &study->plan,
                                                .allocator = &study->cli->allocator};
    return &study->cassettes;
}

void study_play(struct study *study, struct run_cells_options *cells,
                struct engine_options *engine) {
    if (!study->cli->options[OPTION_REPLAY]) return;
    cells->cassettes = folder_of(study, OPTION_REPLAY);
    cells->plays_judges = study_plays_judges(study) && study->has_judges;
    cells->live_models = lives(study, "models");
    cells->live_tools = lives(study, "tools");
    engine->attempts = 1;
    engine->limits.max_missing = 0;
}

/* Where nothing was recorded every cell says so itself. */
int study_follow(struct study *study, gramc_text arm, gramc_bind_options *out,
                 struct role_protocols *protocols, bool *mock) {
    const struct plan named = {.experiment = study->experiment, .cases = &study->cases};
    const struct cassette_folder folder = {.path = text_of(study->cli->options[OPTION_REPLAY]),
                                           .plan = &named,
                                           .allocator = &study->cli->allocator};
    gramc_model *recorded;
    gramc_status status = cassettes_script(&recorded, &folder, arm);
    if (status == GRAMC_NOT_FOUND) return EXIT_FINE;
    if (status) return cli_status(study->cli, status);
    run_follow(out, recorded);
    role_protocols_list(protocols, study->cli, &study->choice, recorded, out);
    *mock = gramc_model_is_mock(recorded);
    gramc_model_free(recorded);
    return EXIT_FINE;
}

int study_record(struct study *study, struct store *store) {
    struct cli *cli = study->cli;
    struct cassettes_saved saved;
    struct cassette_error error;
    if (!cli->options[OPTION_RECORD]) return EXIT_FINE;
    gramc_status status = cassettes_save(folder_of(study, OPTION_RECORD), store, &saved, &error);
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    if (status) {
        fputs("gramc: nothing more is recorded: ", cli->err);
        cli_put_safe(cli->err, text_of(error.message));
        fputc('\n', cli->err);
        return EXIT_RUN_FAILED;
    }
    fprintf(cli->err, "gramc: recorded %u run%s of %u case%s in %s\n", (unsigned)saved.cells,
            text_plural(saved.cells), (unsigned)saved.items, text_plural(saved.items),
            cli->options[OPTION_RECORD]);
    if (!saved.left_out) return EXIT_FINE;
    fprintf(cli->err, "gramc: %u case%s not recorded: ", (unsigned)saved.left_out,
            saved.left_out == 1 ? " is" : "s are");
    cli_put_safe(cli->err, text_of(saved.reason.message));
    fputc('\n', cli->err);
    return EXIT_RUN_FAILED;
}
