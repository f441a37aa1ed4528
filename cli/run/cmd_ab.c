/* gramc ab: two tool libraries, one agent, one file of cases, no experiment file. Makes the
 * experiment out of options, and runs it as any other. */
#include "cli/run/study.h"

#include <string.h>

#include "base/json/writer.h"
#include "base/text.h"

static int missing(struct cli *cli, const char *option, const char *what) {
    return cli_usage(cli, "ab: %s names %s", option, what);
}

/* ## The libraries, each a compilation of its own */

static int open_libraries(struct study *study, const gramc_spec *spec) {
    struct cli *cli = study->cli;
    struct choice second = {.agent = NULL};
    int code = run_choose_library(cli, &study->choice, spec, cli->options[OPTION_ARM_A]);
    if (code == EXIT_FINE)
        code = run_choose_library(cli, &second, spec, cli->options[OPTION_ARM_B]);
    study->second = second.library_compilation;
    if (code != EXIT_FINE) return code;
    study->made_arms[0].library = study->choice.library;
    study->made_arms[1].library = second.library;
    return EXIT_FINE;
}

static int open_agent(struct study *study, const gramc_spec **spec) {
    struct cli *cli = study->cli;
    const char *name = cli->options[OPTION_AGENT];
    char *path = cli->operands[0];
    const struct cli_wanted wanted = {
        .label = "Agent", .name = text_of(name ? name : ""), .path = path};
    const gramc_agent *agent;
    int code = cli_load(cli, &study->choice.compilation, &path, 1);
    if (code == EXIT_FINE) code = cli_compile(cli, study->choice.compilation, &wanted, spec);
    if (code == EXIT_FINE) code = cli_choose_agent(cli, *spec, path, &agent);
    if (code != EXIT_FINE) return code;
    study->made_arms[0].agent = study->made_arms[1].agent = agent;
    return EXIT_FINE;
}

/* ## The experiment */

/* Arms are called as their libraries, or a and b where these have one name. */
static void name_arms(struct study *study) {
    gramc_text first = study->made_arms[0].library->name;
    gramc_text second = study->made_arms[1].library->name;
    bool alike = text_eq(first, second) || !first.len || !second.len;
    study->made_arms[0].name = alike ? TEXT("a") : first;
    study->made_arms[1].name = alike ? TEXT("b") : second;
}

static int read_count(struct study *study, enum option_id option, const char *name, uint32_t *out) {
    const char *text = study->cli->options[option];
    if (!text || run_parse_count(text, out)) return EXIT_FINE;
    return cli_usage(study->cli, "%s takes a number from 1, not %s", name, text);
}

/* {"contains": TEXT} */
static int add_expected(struct study *study) {
    const char *expected = study->cli->options[OPTION_EXPECT];
    struct json_writer w = json_writer(&study->texts);
    if (!expected) return EXIT_FINE;
    json_object_begin(&w);
    json_member_text(&w, "contains", text_of(expected));
    json_object_end(&w);
    if (buf_status(&study->texts)) return cli_no_memory(study->cli);
    study->made_grader = (gramc_grader){.name = TEXT("expect"),
                                        .kind = GRAMC_GRADER_CHECKS,
                                        .checks = buf_view(&study->texts),
                                        .weight = TEXT("1"),
                                        .required = true};
    study->made.graders = &study->made_grader;
    study->made.grader_count = 1;
    return EXIT_FINE;
}

static int make_experiment(struct study *study) {
    const struct cli *cli = study->cli;
    const char *margin = cli->options[OPTION_MARGIN];
    uint32_t seed = 1;
    double number;
    study->made = (gramc_experiment){
        .name = TEXT("ab"),
        .cases = text_of(cli->options[OPTION_CASES]),
        .metric = TEXT("pass"),
        .stop = text_of(cli->options[OPTION_SEQUENTIAL] ? "sequential" : "fixed"),
        .margin = text_of(margin ? margin : "0"),
        .alpha = TEXT("0.05"),
        .max_missing = TEXT("0.02"),
        .repeats = 1,
        .arms = study->made_arms,
        .arm_count = 2};
    if (margin && (!run_parse_amount(margin, &number) || number >= 1))
        return cli_usage(study->cli, "--margin takes a share such as 0.05, not %s", margin);
    int code = read_count(study, OPTION_REPEATS, "--repeats", &study->made.repeats);
    if (code == EXIT_FINE) code = read_count(study, OPTION_SEED, "--seed", &seed);
    study->made.seed = seed;
    study->experiment = &study->made;
    name_arms(study);
    return code == EXIT_FINE ? add_expected(study) : code;
}

static int run_ab(struct study *study) {
    const gramc_spec *spec;
    int code = open_agent(study, &spec);
    if (code == EXIT_FINE) code = open_libraries(study, spec);
    if (code == EXIT_FINE) code = make_experiment(study);
    if (code == EXIT_FINE) code = study_read_cases(study);
    if (code == EXIT_FINE) code = study_bind(study);
    if (code == EXIT_FINE) code = study_open_graders(study);
    if (code == EXIT_FINE) code = study_plan(study);
    return code == EXIT_FINE ? study_run(study, STUDY_RUN) : code;
}

int cmd_ab(struct cli *cli) {
    struct study study = {.cli = cli};
    if (cli->operand_count != 1) return cli_usage(cli, "ab: name the spec of one agent");
    if (!cli->options[OPTION_ARM_A]) return missing(cli, "--a", "the library to compare with");
    if (!cli->options[OPTION_ARM_B]) return missing(cli, "--b", "the library that is compared");
    if (!cli->options[OPTION_CASES]) return missing(cli, "--cases", "the file of cases");
    int code = study_init(&study, cli);
    if (code == EXIT_FINE) code = run_ab(&study);
    study_close(&study);
    return code;
}
