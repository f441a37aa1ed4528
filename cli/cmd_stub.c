/* gramc stub: a spec to a program with a place for each of its tools, and the library that binds
 * them to it, in a folder. What is there already is left as it is, unless --force says otherwise.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { OUTPUT_MAX = INT32_MAX };

/* ## What is asked for */

static int know_language(struct cli *cli, const char *name) {
    for (size_t i = 0; gramc_stub_language(i); i++)
        if (strcmp(gramc_stub_language(i), name) == 0) return EXIT_FINE;
    fprintf(cli->err, "gramc: stub: there is no language %s; there are", name);
    for (size_t i = 0; gramc_stub_language(i); i++)
        fprintf(cli->err, "%s %s", i ? "," : "", gramc_stub_language(i));
    fputc('\n', cli->err);
    return EXIT_USAGE;
}

static int know_kind(struct cli *cli, const char *language, const char *kind) {
    gramc_text of = text_of(language);
    for (size_t i = 0; gramc_stub_kind(of, i); i++)
        if (strcmp(gramc_stub_kind(of, i), kind) == 0) return EXIT_FINE;
    fprintf(cli->err, "gramc: stub: in %s there is no kind %s; there are", language, kind);
    for (size_t i = 0; gramc_stub_kind(of, i); i++)
        fprintf(cli->err, "%s %s", i ? "," : "", gramc_stub_kind(of, i));
    fputc('\n', cli->err);
    return EXIT_USAGE;
}

static int choose_options(struct cli *cli, gramc_stub_options *options) {
    const char *language = cli->options[OPTION_LANG], *kind = cli->options[OPTION_KIND];
    if (!language) return cli_usage(cli, "stub: --lang c, python or typescript?");
    int code = know_language(cli, language);
    if (!kind) kind = "exec";
    if (code == EXIT_FINE) code = know_kind(cli, language, kind);
    options->language = text_of(language);
    options->kind = text_of(kind);
    return code;
}

/* ## Writing */

struct stubbing {
    struct cli *cli;
    gramc_compilation *compilation;
    const gramc_spec *spec;
    const gramc_agent *agent;
    gramc_stub_options options;
    gramc_text tools[CLI_GIVEN];
};

static int print(struct stubbing *s, size_t i, const char **name, struct buf *out, bool *is_there) {
    const gramc_tool *bad;
    gramc_status status = gramc_stub_print(s->compilation, s->spec, s->agent, &s->options, i, name,
                                           &bad, buf_writer(out));
    if (status == GRAMC_IO) status = buf_status(out);
    *is_there = status != GRAMC_NOT_FOUND;
    if (!*is_there) return EXIT_FINE;
    if (status == GRAMC_FINDINGS && bad)
        return cli_usage(s->cli, "stub: no value was found that the result type of %.*s accepts",
                         TEXT_ARGS(bad->name));
    if (status == GRAMC_AMBIGUOUS && bad)
        return cli_usage(s->cli,
                         "stub: two tools of different types are called %.*s, and a library has "
                         "one of that name; --agent takes those of one agent",
                         TEXT_ARGS(bad->name));
    return cli_status(s->cli, status);
}

static bool path_of(char path[CLI_PATH], const char *folder, const char *name) {
    int len = snprintf(path, CLI_PATH, "%s/%s", folder, name);
    return len > 0 && len < CLI_PATH;
}

/* Before anything is written. */
static int look(struct stubbing *s, const char *folder) {
    bool is_there = true;
    int code = EXIT_FINE;
    for (size_t i = 0; is_there && code == EXIT_FINE; i++) {
        const char *name;
        char path[CLI_PATH];
        struct stat st;
        struct buf out;
        buf_init(&out, &s->cli->allocator, OUTPUT_MAX);
        code = print(s, i, &name, &out, &is_there);
        buf_free(&out);
        if (code != EXIT_FINE || !is_there || s->cli->options[OPTION_FORCE]) continue;
        if (!path_of(path, folder, name))
            code = cli_usage(s->cli, "%s: %s", folder, strerror(ENAMETOOLONG));
        else if (lstat(path, &st) == 0)
            code = cli_usage(s->cli, "stub: %s is there already; --force writes it anew", path);
    }
    return code;
}

static int write_all_files(struct stubbing *s, const char *folder) {
    bool is_there = true;
    int code = EXIT_FINE;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return cli_usage(s->cli, "%s: %s", folder, strerror(errno));
    for (size_t i = 0; is_there && code == EXIT_FINE; i++) {
        const char *name;
        char path[CLI_PATH];
        struct buf out;
        buf_init(&out, &s->cli->allocator, OUTPUT_MAX);
        code = print(s, i, &name, &out, &is_there);
        if (code == EXIT_FINE && is_there && path_of(path, folder, name)) {
            code = cli_write_file(s->cli, path, buf_view(&out));
            if (code == EXIT_FINE) fprintf(s->cli->err, "gramc: wrote %s\n", path);
        }
        buf_free(&out);
    }
    return code;
}

static int write_stub(struct stubbing *s) {
    const char *folder = s->cli->options[OPTION_OUTPUT];
    const char *name;
    bool is_there;
    struct buf out;
    if (folder) {
        int code = look(s, folder);
        return code == EXIT_FINE ? write_all_files(s, folder) : code;
    }
    buf_init(&out, &s->cli->allocator, OUTPUT_MAX);
    int code = print(s, 0, &name, &out, &is_there);
    if (code == EXIT_FINE) code = cli_status(s->cli, buf_send(&out, cli_text_writer(s->cli)));
    buf_free(&out);
    return code;
}

/* ## The command */

static int compile(struct stubbing *s) {
    struct cli *cli = s->cli;
    const char *agent = cli->options[OPTION_AGENT];
    const struct cli_wanted wanted = {.label = "Agent",
                                      .name = text_of(agent ? agent : ""),
                                      .path = cli_noun(cli),
                                      .may_miss = !agent};
    gramc_status status;
    int code = cli_compile_wanted(cli, s->compilation, &wanted, &s->spec, &status);
    if (code == EXIT_FINE) code = cli_report_compiled(cli, s->compilation, status);
    if (code == EXIT_FINE && (agent || gramc_spec_agent_count(s->spec) == 1))
        code = cli_choose_agent(cli, s->spec, wanted.path, &s->agent);
    if (code != EXIT_FINE) return code;
    return gramc_spec_tool_count(s->spec) ? EXIT_FINE
                                          : cli_usage(cli, "stub: %s has no tools", wanted.path);
}

static bool is_among(const gramc_tool *const *tools, size_t count, gramc_text name) {
    size_t i = 0;
    while (i < count && !text_eq(tools[i]->name, name)) i++;
    return i < count;
}

static bool has_tool(const struct stubbing *s, gramc_text name) {
    const gramc_agent *agent = s->agent;
    bool found = agent && is_among(agent->tools, agent->tool_count, name);
    for (size_t i = 0; agent && i < agent->task_count; i++)
        found = found || is_among(agent->tasks[i].tools, agent->tasks[i].tool_count, name);
    for (size_t i = 0; !agent && i < gramc_spec_tool_count(s->spec); i++)
        found = found || text_eq(gramc_spec_tool(s->spec, i)->name, name);
    return found;
}

static int take_tools(struct stubbing *s) {
    const struct cli *cli = s->cli;
    size_t count = 0;
    for (size_t i = 0; i < cli->given_count; i++) {
        if (cli->given[i].id != OPTION_TOOL) continue;
        gramc_text name = text_of(cli->given[i].value);
        if (!has_tool(s, name))
            return cli_usage(s->cli, "stub: there is no tool %.*s", TEXT_ARGS(name));
        s->tools[count++] = name;
    }
    s->options.tools = s->tools;
    s->options.tool_count = count;
    return EXIT_FINE;
}

int cmd_stub(struct cli *cli) {
    struct stubbing s = {.cli = cli, .options = {.struct_size = sizeof s.options}};
    if (cli->operand_count == 0) return cli_usage(cli, "stub: name a spec");
    int code = choose_options(cli, &s.options);
    if (code == EXIT_FINE) code = cli_load(cli, &s.compilation, cli->operands, cli->operand_count);
    if (code != EXIT_FINE) return code;
    code = compile(&s);
    if (code == EXIT_FINE) code = take_tools(&s);
    if (code == EXIT_FINE) code = write_stub(&s);
    gramc_compilation_free(s.compilation);
    return code;
}
