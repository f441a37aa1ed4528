/* gramc compile: sources to one target, on standard output or in a file that appears whole or not
 * at all. */
#include "cli/cli.h"

#include "base/json/json.h"
#include "base/text.h"

#include <string.h>

enum { OUTPUT_MAX = INT32_MAX };

int cli_know_target(struct cli *cli, const char *name) {
    for (size_t i = 0; gramc_target_name(i); i++)
        if (strcmp(gramc_target_name(i), name) == 0) return EXIT_FINE;
    fprintf(cli->err, "gramc: there is no target %s; there are", name);
    for (size_t i = 0; gramc_target_name(i); i++)
        fprintf(cli->err, "%s %s", i ? "," : "", gramc_target_name(i));
    fputc('\n', cli->err);
    return EXIT_USAGE;
}

/* NULL in *out: a spec without agents, all its tools. */
static int choose_agent(struct cli *cli, const gramc_spec *spec, const gramc_agent **out) {
    bool all = !cli->options[OPTION_AGENT] && gramc_spec_agent_count(spec) == 0;
    return all ? EXIT_FINE : cli_choose_agent(cli, spec, cli_noun(cli), out);
}

static gramc_status indent(struct buf *text) {
    struct arena arena;
    struct buf pretty;
    arena_init(&arena, &text->allocator);
    buf_init(&pretty, &text->allocator, OUTPUT_MAX);
    const struct json *document = json_parse(&arena, buf_view(text), NULL);
    if (document) {
        json_put_pretty(&pretty, document);
        buf_putc(&pretty, '\n');
    }
    gramc_status status = document ? buf_status(&pretty) : arena.oom ? GRAMC_NOMEM : GRAMC_LIMIT;
    arena_free(&arena);
    buf_free(text);
    *text = pretty;
    return status;
}

/* Straight to standard output: needs no memory of the output's size. */
static bool is_direct(const struct cli *cli) {
    const char *path = cli->options[OPTION_OUTPUT];
    return !cli->options[OPTION_PRETTY] && !cli_is_terminal(cli) &&
           (!path || strcmp(path, "-") == 0);
}

static bool is_json_target(gramc_text target) {
    return !text_is(target, "markdown") && !text_is(target, "gbnf") && !text_is(target, "regex");
}

static int print_gathered(struct cli *cli, const gramc_spec *spec, const gramc_agent *agent,
                          gramc_text target) {
    const char *path = cli->options[OPTION_OUTPUT];
    int code = EXIT_FINE;
    struct buf out;
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    gramc_status status = gramc_emit(spec, agent, target, buf_writer(&out));
    if (status == GRAMC_IO) status = buf_status(&out);
    bool is_json = is_json_target(target);
    if (status == GRAMC_OK && is_json && cli->options[OPTION_PRETTY]) status = indent(&out);
    if (status != GRAMC_OK) code = cli_status(cli, status);
    else if (path && strcmp(path, "-") != 0) code = cli_write_file(cli, path, buf_view(&out));
    else if (is_json) code = cli_send_json_buf(cli, &out);
    else code = cli_status(cli, buf_send(&out, cli_text_writer(cli)));
    buf_free(&out);
    return code;
}

static int print_target(struct cli *cli, const gramc_spec *spec, const gramc_agent *agent,
                        gramc_text target) {
    if (!is_direct(cli)) return print_gathered(cli, spec, agent, target);
    return cli_status(cli, gramc_emit(spec, agent, target, cli_writer(cli->out)));
}

/* --target, else what the configuration says, else JSON Schema. */
static gramc_text choose_target(const struct cli *cli, const gramc_compilation *compilation) {
    gramc_setting setting;
    if (cli->options[OPTION_TARGET]) return text_of(cli->options[OPTION_TARGET]);
    if (gramc_setting_find(compilation, TEXT("target"), &setting)) return setting.value;
    return TEXT("json-schema");
}

/* Types alone are sound, and print an empty list: that is said, so that nobody takes it for more.
 */
static void note_nothing(struct cli *cli, const gramc_spec *spec, const char *path) {
    if (gramc_spec_tool_count(spec) || gramc_spec_signature_count(spec)) return;
    fprintf(cli->err, "gramc: note: %s holds no agent, tool or signature to print\n", path);
}

/* The spec's own findings and, if it is sound, what the target does not take as it is. */
static int evaluate(struct cli *cli, gramc_compilation *compilation, const gramc_spec **spec,
                    const gramc_agent **agent) {
    const char *agent_name = cli->options[OPTION_AGENT];
    const struct cli_wanted wanted = {.label = "Agent",
                                      .name = text_of(agent_name ? agent_name : ""),
                                      .path = cli_noun(cli),
                                      .may_miss = !agent_name};
    gramc_status status, checked = GRAMC_OK;
    int chosen = cli_compile_wanted(cli, compilation, &wanted, spec, &status);
    if (chosen != EXIT_FINE) return chosen;
    if (status == GRAMC_OK) chosen = choose_agent(cli, *spec, agent);
    if (status == GRAMC_OK && chosen == EXIT_FINE)
        checked = gramc_target_check(compilation, *agent, choose_target(cli, compilation));
    int code = cli_status(cli, checked);
    if (code == EXIT_FINE) code = cli_report_compiled(cli, compilation, status);
    if (code == EXIT_FINE) code = chosen;
    if (code == EXIT_FINE && !*agent) note_nothing(cli, *spec, wanted.path);
    return code;
}

int cmd_compile(struct cli *cli) {
    const char *target = cli->options[OPTION_TARGET];
    gramc_compilation *compilation;
    const gramc_spec *spec;
    const gramc_agent *agent = NULL;
    if (cli->operand_count == 0) return cli_usage(cli, "compile: name a file, a folder, or -");
    int code = target ? cli_know_target(cli, target) : EXIT_FINE;
    if (code != EXIT_FINE) return code;
    code = cli_load(cli, &compilation, cli->operands, cli->operand_count);
    if (code != EXIT_FINE) return code;
    code = evaluate(cli, compilation, &spec, &agent);
    if (code == EXIT_FINE) code = print_target(cli, spec, agent, choose_target(cli, compilation));
    gramc_compilation_free(compilation);
    return code;
}
