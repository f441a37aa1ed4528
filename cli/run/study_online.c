/* An experiment that those who use a service carry out (gramc serve --ab): what it must not ask
 * for, since nobody could do it online, and the store that its messages are recorded in. */
#include "cli/run/study.h"

#include <string.h>

#include "base/text.h"

/* ## What cannot be done online */

static int refuse(struct study *study, const char *words) {
    return cli_usage(study->cli, "--ab %.*s: %s", TEXT_ARGS(study->experiment->name), words);
}

static int check_settings(struct study *study) {
    const gramc_experiment *experiment = study->experiment;
    const struct {
        bool wrong;
        const char *words;
    } rows[] = {
        {!experiment->units, "the experiment does not say how many `units` are planned, without "
                             "which there is never a verdict"},
        {experiment->repeats > 1,
         "`repeats` has no meaning online: every message is answered once"},
        {experiment->reset_count > 0, "`reset` has no meaning online: runs go on side by side"},
        {experiment->max_cost.len > 0,
         "`maxCost` is not watched online; --max-cost limits each run"},
        {experiment->max_judge_cost.len > 0, "`maxJudgeCost` is not watched online"},
        {experiment->concurrency > 0,
         "`concurrency` has no meaning online; --max-runs limits runs"},
        {study->cli->options[OPTION_LIBRARY] != NULL, "the arms say which libraries are served"},
        {study->cli->options[OPTION_AGENT] != NULL, "the arms say which agent is served"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].wrong) return refuse(study, rows[i].words);
    return EXIT_FINE;
}

/* Nobody knows what the right answer is, and nobody sees two. */
static int check_graders(struct study *study) {
    const gramc_experiment *experiment = study->experiment;
    for (size_t i = 0; i < experiment->grader_count; i++) {
        const gramc_grader *grader = &experiment->graders[i];
        if (grader->kind == GRAMC_GRADER_PREFER)
            return cli_usage(study->cli,
                             "--ab %.*s: grader %.*s compares two answers, and online each "
                             "message has one",
                             TEXT_ARGS(experiment->name), TEXT_ARGS(grader->name));
        for (size_t k = 0; k < experiment->arm_count; k++) {
            gramc_text lacks = online_lacks(grader, experiment->arms[k].agent);
            if (!lacks.len) continue;
            return cli_usage(study->cli,
                             "--ab %.*s: grader %.*s names ${%.*s}, which a case has and a "
                             "message has not; only the agent's inputs and ${message} are known",
                             TEXT_ARGS(experiment->name), TEXT_ARGS(grader->name),
                             TEXT_ARGS(lacks));
        }
    }
    return EXIT_FINE;
}

/* ## Arms */

static const gramc_input *sample_inputs(struct study *study, const gramc_agent *agent) {
    gramc_input *inputs = arena_array(&study->arena, agent->input_count + 1, sizeof *inputs);
    for (size_t i = 0; inputs && i < agent->input_count; i++)
        inputs[i] = (gramc_input){agent->inputs[i], TEXT("x")};
    return inputs;
}

/* Something to compare the first requests by. */
static int make_sample(struct study *study, struct item *item, gramc_text *message) {
    const gramc_experiment *experiment = study->experiment;
    const gramc_agent *agent = experiment->arms[0].agent;
    for (size_t i = 1; i < experiment->arm_count; i++) {
        const gramc_agent *other = experiment->arms[i].agent;
        bool same = other->input_count == agent->input_count;
        for (size_t k = 0; same && k < agent->input_count; k++)
            same = text_eq(other->inputs[k], agent->inputs[k]);
        if (!same)
            return refuse(study, "the agents of its arms ask for different inputs, so that not "
                                 "every message could be answered by each");
    }
    *message = TEXT("Hello");
    *item = (struct item){.id = TEXT("1"),
                          .messages = message,
                          .message_count = 1,
                          .inputs = sample_inputs(study, agent),
                          .input_count = agent->input_count,
                          .text = TEXT("{\"message\":\"Hello\"}")};
    return study->arena.oom ? cli_no_memory(study->cli) : EXIT_FINE;
}

static int bind_online(struct study *study) {
    gramc_text message;
    struct item sample;
    int code = make_sample(study, &sample, &message);
    if (code != EXIT_FINE) return code;
    study->cases = (struct cases){.items = &sample, .count = 1};
    code = study_bind(study);
    study->cases = (struct cases){.fingerprint = "online"};
    return code;
}

int study_prepare_online(struct study *study) {
    int code = check_settings(study);
    if (code == EXIT_FINE) code = check_graders(study);
    if (code == EXIT_FINE) code = bind_online(study);
    if (code == EXIT_FINE) code = study_open_graders(study);
    return code == EXIT_FINE ? study_plan(study) : code;
}

/* ## The store */

static int begin(struct study *study, struct store *store, struct online **online) {
    struct store_error error = {""};
    gramc_text id = study_base_id(study);
    char name[STUDY_ID];
    int len = snprintf(name, sizeof name, "%.*s", TEXT_ARGS(id));
    if (len <= 0 || (size_t)len >= sizeof name)
        return cli_usage(study->cli, "the name of the experiment is too long or empty");
    int code = study_begin(study, store, name);
    if (code != EXIT_FINE) return code;
    const struct online_options options = {
        .plan = &study->plan,
        .store = store,
        .is_shared = store_is_server(text_of(study->store_path)),
        .graders = {grading_start, grading_prefer, grading_cancel, study->grading},
        .loop = study->shop.loop,
        .allocator = &study->cli->allocator};
    gramc_status status = online_new(online, &options, &error);
    if (!status) status = store_set_status(store, EXPERIMENT_RUNNING, TEXT(""));
    if (status == GRAMC_NOMEM) return cli_no_memory(study->cli);
    return status ? study_tell_store(study, &error) : EXIT_FINE;
}

int study_open_online(struct study *study, struct store **store, struct online **online) {
    struct store_error error = {""};
    int code = study_find_store(study, true);
    if (code != EXIT_FINE) return code;
    gramc_status status =
        store_open(store, text_of(study->store_path), &study->cli->allocator, &error);
    if (status == GRAMC_NOMEM) return cli_no_memory(study->cli);
    return status ? study_tell_store(study, &error) : begin(study, *store, online);
}

int study_close_online(struct study *study, struct store *store, struct online *online) {
    struct store_error error = {""};
    gramc_status status = GRAMC_OK;
    if (online)
        status = store_set_status(store, EXPERIMENT_STOPPED, TEXT("the server was stopped"));
    online_free(online);
    gramc_status closed = store_close(store, &error);
    if (status == GRAMC_NOMEM || closed == GRAMC_NOMEM) return cli_no_memory(study->cli);
    return closed ? study_tell_store(study, &error) : EXIT_FINE;
}
