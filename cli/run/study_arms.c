/* Joins the agent of each arm with its library and its model, and looks before the first call
 * whether the arms can be compared: each binds, each case can be run, and the models see the same
 * but for what the experiment varies. */
#include "cli/run/study.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "experiment/view.h"

enum { WHY_MAX = 1 << 16 };

/* ## One arm */

/* What --model says holds for every arm; arms that name models of their own would be alike then. */
static int check_model(struct study *study, const gramc_arm *arm) {
    const char *model = study->cli->options[OPTION_MODEL];
    if (!model || !run_asks(model) || !arm->model.len) return EXIT_FINE;
    return cli_usage(study->cli,
                     "arm %.*s names its model, and --model would put another in its place",
                     TEXT_ARGS(arm->name));
}

static int ask_boxes(struct study *study, size_t i) {
    struct workshop *shop = &study->shop;
    shop->offering = NULL;
    shop->company = (uint32_t)i + 1;
    int code = workshop_ask(shop, study->choice.library, study->choice.agent, true);
    study->arms[i].offering = shop->offering;
    return code;
}

static int bind_arm(struct study *study, size_t i) {
    struct cli *cli = study->cli;
    struct study_arm *arm = &study->arms[i];
    gramc_bind_options options = workshop_binding(&study->shop);
    struct role_protocols protocols;
    int code = run_provider(cli, &study->choice, &options, &arm->model);
    if (code != EXIT_FINE) return code;
    role_protocols_list(&protocols, cli, &study->choice, arm->model, &options);
    if (study_plays_models(study))
        code = study_follow(study, study->experiment->arms[i].name, &options, &protocols,
                            &arm->plays_mock);
    if (code != EXIT_FINE) return code;
    gramc_status status =
        gramc_bind(&arm->bound, study->choice.agent, study->choice.library, &options);
    if (status && arm->bound) {
        fprintf(cli->err, "gramc: arm %.*s does not bind:\n",
                TEXT_ARGS(study->experiment->arms[i].name));
        run_print_binding(cli, arm->bound);
    }
    if (status != GRAMC_FINDINGS) return cli_status(cli, status);
    return workshop_findings_code(&study->shop, arm->bound);
}

static void name_model(struct study *study, struct study_arm *arm) {
    const char *given = study->cli->options[OPTION_MODEL];
    gramc_text name;
    char room[STUDY_MODEL];
    if (given && !run_asks(given)) name = text_of(given);
    else if (!run_name_model(study->cli, &study->choice, room, sizeof room, &name)) name = TEXT("");
    snprintf(arm->model_name, sizeof arm->model_name, "%.*s", TEXT_ARGS(name));
}

static int open_arm(struct study *study, size_t i) {
    struct cli *cli = study->cli;
    const gramc_arm *arm = &study->experiment->arms[i];
    struct study_arm *made = &study->arms[i];
    int code = cli_status(cli, gramc_agent_prepare(study->choice.compilation, arm->agent));
    if (code == EXIT_FINE) code = check_model(study, arm);
    if (code != EXIT_FINE) return code;
    made->agent = arm_agent(arm);
    study->choice.agent = &made->agent;
    study->choice.library = arm->library;
    study->arm_count = i + 1;
    code = ask_boxes(study, i);
    if (code == EXIT_FINE) code = bind_arm(study, i);
    if (code == EXIT_FINE && !study_plays_models(study))
        code = run_model(cli, &study->choice, &made->model);
    if (code == EXIT_FINE) code = role_models_open(&made->roles, cli, &study->choice, made->model);
    if (code != EXIT_FINE) return code;
    name_model(study, made);
    made->has_prices = run_find_prices(cli, &study->choice, &made->prices);
    study->run_arms[i] =
        (struct run_arm){made->bound, made->model, made->has_prices ? &made->prices : NULL,
                         made->roles.models, made->roles.count};
    return EXIT_FINE;
}

/* ## All of them */

/* The first of its models without a price, by its name; empty: there is none. */
static gramc_text unpriced(const struct study_arm *arm) {
    if (!arm->has_prices) return text_of(arm->model_name[0] ? arm->model_name : "the model");
    for (size_t i = 0; i < arm->roles.count; i++)
        if (!arm->roles.models[i].prices) return arm->roles.models[i].name;
    return TEXT("");
}

/* A limit that nothing would ever reach is no limit. */
static int check_prices(struct study *study) {
    struct cli *cli = study->cli;
    const char *model = cli->options[OPTION_MODEL];
    bool limited = study->experiment->max_cost.len || cli->options[OPTION_MAX_COST];
    bool mock = model && strcmp(model, "mock") == 0 && !study_plays_models(study);
    for (size_t i = 0; i < study->arm_count; i++) {
        const struct study_arm *arm = &study->arms[i];
        gramc_text name = unpriced(arm);
        if (mock || arm->plays_mock || !name.len || !(limited || arm->agent.max_cost.len)) continue;
        return cli_usage(
            cli,
            "the cost of the %s is limited, and there is no price of %.*s (arm %.*s); add "
            "[`...`:Model {inputPerMillion: ..., outputPerMillion: ...}] to gramc.gram",
            limited ? "experiment" : "runs", TEXT_ARGS(name),
            TEXT_ARGS(study->experiment->arms[i].name));
    }
    return EXIT_FINE;
}

static int refuse(struct study *study, struct buf *why) {
    fputs("gramc: ", study->cli->err);
    run_print_hostile(study->cli->err, buf_view(why));
    fputc('\n', study->cli->err);
    return EXIT_FINDINGS;
}

static gramc_text spell_differences(struct study *study, const struct request_view *first,
                                    const struct request_view *second) {
    struct buf text;
    buf_init(&text, &study->cli->allocator, WHY_MAX);
    view_differences(&text, first, second);
    if (buf_status(&text) == GRAMC_NOMEM) study->arena.oom = true;
    gramc_text kept = arena_text(&study->arena, buf_view(&text));
    buf_free(&text);
    return kept;
}

/* The first case stands for all: what differs from case to case is the same in all arms. */
static int compare_views(struct study *study, struct arena *arena, struct buf *why) {
    const gramc_experiment *experiment = study->experiment;
    struct request_view *views = arena_array(arena, study->arm_count, sizeof(*views));
    if (!views) return cli_no_memory(study->cli);
    for (size_t i = 0; i < study->arm_count; i++) {
        views[i] = (struct request_view){.name = experiment->arms[i].name,
                                         .model = text_of(study->arms[i].model_name)};
        gramc_status status = view_take(&views[i], arena, study->shop.loop, study->arms[i].bound,
                                        &study->cases.items[0], why);
        if (status == GRAMC_FINDINGS) return refuse(study, why);
        if (status) return cli_status(study->cli, status);
        if (i && view_differs(why, &views[0], &views[i], experiment->vary, experiment->vary_count))
            return refuse(study, why);
        if (i) study->arms[i].differs = spell_differences(study, &views[0], &views[i]);
    }
    return study->arena.oom ? cli_no_memory(study->cli) : EXIT_FINE;
}

static int check_arms(struct study *study) {
    struct arena arena;
    struct buf why;
    int code = EXIT_FINE;
    arena_init(&arena, &study->cli->allocator);
    buf_init(&why, &study->cli->allocator, WHY_MAX);
    for (size_t i = 0; i < study->arm_count && code == EXIT_FINE; i++)
        if (view_case_lacks(&why, &study->arms[i].agent, &study->cases)) code = refuse(study, &why);
    if (code == EXIT_FINE) code = compare_views(study, &arena, &why);
    buf_free(&why);
    arena_free(&arena);
    return code;
}

int study_bind(struct study *study) {
    int code = workshop_open(&study->shop, study->cli, study->choice.compilation);
    for (size_t i = 0; i < study->experiment->arm_count && code == EXIT_FINE; i++)
        code = open_arm(study, i);
    study->shop.offering = NULL; /* they belong to the arms */
    if (code == EXIT_FINE) code = check_prices(study);
    return code == EXIT_FINE ? check_arms(study) : code;
}
