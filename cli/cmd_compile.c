/* gramc compile: sources to one target, on standard output or in a file that appears whole or not
 * at all. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include "base/json.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT_MAX = INT32_MAX };

static bool is_target(const char *name) {
    for (size_t i = 0; gramc_target_name(i); i++)
        if (strcmp(gramc_target_name(i), name) == 0) return true;
    return false;
}

int cli_know_target(struct cli *cli, const char *name) {
    if (is_target(name)) return EXIT_FINE;
    fprintf(cli->err, "gramc: there is no target %s; there are", name);
    for (size_t i = 0; gramc_target_name(i); i++)
        fprintf(cli->err, "%s %s", i ? "," : "", gramc_target_name(i));
    fputc('\n', cli->err);
    return EXIT_USAGE;
}

/* NULL in *out: a spec without agents, all its tools. */
static int choose_agent(struct cli *cli, const gramc_spec *spec, const gramc_agent **out) {
    const char *name = cli->options[OPTION_AGENT];
    gramc_status status = gramc_spec_find_agent(out, spec, text_of(name ? name : ""));
    if (status == GRAMC_OK || (!name && gramc_spec_agent_count(spec) == 0)) return EXIT_FINE;
    if (name) fprintf(cli->err, "gramc: there is no agent %s; there are", name);
    else fputs("gramc: there are several agents; choose one with --agent:", cli->err);
    for (size_t i = 0; i < gramc_spec_agent_count(spec); i++) {
        gramc_text agent = gramc_spec_agent(spec, i)->name;
        fprintf(cli->err, "%s %.*s", i ? "," : "", TEXT_ARGS(agent));
    }
    fputs(gramc_spec_agent_count(spec) ? "\n" : " none\n", cli->err);
    return EXIT_USAGE;
}

static int append(void *ctx, const char *bytes, size_t len) {
    struct buf *buf = ctx;
    buf_put(buf, bytes, len);
    return buf->state == BUF_FINE ? 0 : 1;
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

/* Written beside and renamed, so that nobody reads half a file. */
static int write_file(struct cli *cli, const char *path, gramc_text text) {
    struct buf name;
    buf_init(&name, &cli->allocator, 4096);
    buf_printf(&name, "%s.%ld.tmp", path, (long)getpid());
    if (buf_status(&name) != GRAMC_OK) {
        buf_free(&name);
        return cli_no_memory(cli);
    }
    FILE *file = fopen(name.ptr, "wb");
    bool good = file && fwrite(text.ptr, 1, text.len, file) == text.len;
    if (file) good = fclose(file) == 0 && good;
    good = good && rename(name.ptr, path) == 0;
    int code = good ? EXIT_FINE : cli_usage(cli, "%s: %s", path, strerror(errno));
    if (!good && file) unlink(name.ptr);
    buf_free(&name);
    return code;
}

/* Straight to standard output: needs no memory of the output's size. */
static bool is_direct(const struct cli *cli) {
    const char *path = cli->options[OPTION_OUTPUT];
    return !cli->options[OPTION_PRETTY] && (!path || strcmp(path, "-") == 0);
}

static int print_gathered(struct cli *cli, const gramc_spec *spec, const gramc_agent *agent,
                          const char *target) {
    const char *path = cli->options[OPTION_OUTPUT];
    int code = EXIT_FINE;
    struct buf out;
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    gramc_status status = gramc_emit(spec, agent, text_of(target), (gramc_writer){append, &out});
    if (status == GRAMC_IO) status = buf_status(&out);
    bool is_json = strcmp(target, "markdown") != 0;
    if (status == GRAMC_OK && is_json && cli->options[OPTION_PRETTY]) status = indent(&out);
    if (status != GRAMC_OK) code = cli_status(cli, status);
    else if (path && strcmp(path, "-") != 0) code = write_file(cli, path, buf_view(&out));
    else code = cli_status(cli, buf_send(&out, cli_writer(cli->out)));
    buf_free(&out);
    return code;
}

static int print_target(struct cli *cli, const gramc_spec *spec, const gramc_agent *agent,
                        const char *target) {
    if (!is_direct(cli)) return print_gathered(cli, spec, agent, target);
    return cli_status(cli, gramc_emit(spec, agent, text_of(target), cli_writer(cli->out)));
}

/* Reports what there is to say about the spec, and, if it is sound, about the target. */
static int judge(struct cli *cli, gramc_compilation *compilation, const gramc_spec *spec,
                 const char *target, const gramc_agent **agent) {
    int chosen = EXIT_FINE, code = EXIT_FINE;
    bool sound = gramc_finding_count(compilation, GRAMC_ERROR) == 0;
    if (sound) chosen = choose_agent(cli, spec, agent);
    if (sound && chosen == EXIT_FINE)
        code = cli_status(cli, gramc_target_check(spec, *agent, text_of(target)));
    if (code == EXIT_FINE) code = cli_report(cli, compilation, cli->err);
    return code == EXIT_FINE ? chosen : code;
}

int cmd_compile(struct cli *cli) {
    const char *target = cli->options[OPTION_TARGET] ? cli->options[OPTION_TARGET] : "json-schema";
    gramc_compilation *compilation;
    const gramc_spec *spec;
    const gramc_agent *agent = NULL;
    if (cli->operand_count == 0) return cli_usage(cli, "compile: name a file, or -");
    int code = cli_know_target(cli, target);
    if (code != EXIT_FINE) return code;
    code = cli_load(cli, &compilation, cli->operands, cli->operand_count);
    if (code != EXIT_FINE) return code;
    code = cli_status(cli, gramc_compile(&spec, compilation));
    if (code == EXIT_FINE) code = judge(cli, compilation, spec, target, &agent);
    if (code == EXIT_FINE) code = print_target(cli, spec, agent, target);
    gramc_compilation_free(compilation);
    return code;
}
