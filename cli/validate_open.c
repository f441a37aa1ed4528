/* From `SCHEMA` or `SPEC#TOOL` to a compiled schema. References to other documents are read from
 * the folders that --remote maps, never from a network. */
#define _POSIX_C_SOURCE 200809L
#include "cli/validate.h"

#include "base/buf.h"
#include "base/list.h"
#include "base/text.h"

#include <string.h>
#include <sys/stat.h>

/* ## References to other files */

/* The part of a URI behind the prefix as a path; false if it would leave the folder. */
static bool is_inside(gramc_text rest) {
    for (size_t start = 0, i = 0; i <= rest.len; i++) {
        if (i < rest.len && rest.ptr[i] != '/') continue;
        if (text_is(text_slice(rest, start, i), "..")) return false;
        start = i + 1;
    }
    return !(rest.len && memchr(rest.ptr, '\0', rest.len));
}

static int read_remote(struct cli *cli, gramc_text folder, gramc_text rest, gramc_text *out) {
    struct buf path;
    const struct cli_file *file = NULL;
    if (!is_inside(rest)) return GRAMC_NOT_FOUND;
    buf_init(&path, &cli->allocator, 4096);
    buf_text(&path, folder);
    buf_putc(&path, '/');
    buf_text(&path, rest);
    gramc_status status = buf_status(&path);
    if (status == GRAMC_OK) file = cli_read(cli, path.ptr);
    buf_free(&path);
    if (!file) {
        bool no_memory = status == GRAMC_NOMEM || cli->failure == EXIT_RUN_FAILED;
        return no_memory ? GRAMC_NOMEM : GRAMC_NOT_FOUND;
    }
    *out = (gramc_text){file->bytes, file->len};
    return GRAMC_OK;
}

static int resolve(void *ctx, gramc_text uri, gramc_text *out) {
    struct cli *cli = ctx;
    for (size_t i = 0; i < cli->given_count; i++) {
        if (cli->given[i].id != OPTION_REMOTE) continue;
        gramc_text mapping = text_of(cli->given[i].value);
        const char *equals = memchr(mapping.ptr, '=', mapping.len);
        size_t prefix = equals ? (size_t)(equals - mapping.ptr) : 0;
        if (!prefix || uri.len < prefix || memcmp(uri.ptr, mapping.ptr, prefix) != 0) continue;
        return read_remote(cli, text_slice(mapping, prefix + 1, mapping.len),
                           text_slice(uri, prefix, uri.len), out);
    }
    return GRAMC_NOT_FOUND;
}

static int check_remotes(struct cli *cli) {
    for (size_t i = 0; i < cli->given_count; i++) {
        const char *value = cli->given[i].value;
        if (cli->given[i].id == OPTION_REMOTE && (!strchr(value, '=') || value[0] == '='))
            return cli_usage(cli, "--remote takes PREFIX=FOLDER, not %s", value);
    }
    return EXIT_FINE;
}

/* ## Schema files */

static int open_schema(struct evaluated *evaluated, const char *path) {
    struct cli *cli = evaluated->cli;
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error = {.message = ""};
    const char *draft = cli->options[OPTION_DRAFT];
    options.allocator = &cli->allocator;
    options.assert_formats = cli->options[OPTION_ASSERT_FORMATS] != NULL;
    options.assert_content = cli->options[OPTION_ASSERT_CONTENT] != NULL;
    options.resolver = (gramc_resolver){resolve, cli};
    if (draft && !gramc_draft_find(text_of(draft), &options.draft))
        return cli_usage(cli, "--draft takes 2020-12, 2019-09, 7, 6 or 4, not %s", draft);
    if (cli->options[OPTION_RESULT]) return cli_usage(cli, "--result needs SPEC#TOOL");
    const struct cli_file *file = cli_read(cli, path);
    if (!file) return cli->failure;
    gramc_status status =
        gramc_schema_compile(&evaluated->own, file->bytes, file->len, &options, &error);
    evaluated->schema = evaluated->own;
    if (status == GRAMC_OK) return EXIT_FINE;
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    return cli_usage(cli, "%s: no usable schema, at byte %zu (%s): %s", path, error.position,
                     error.pointer[0] ? error.pointer : "the whole", error.message);
}

/* ## Specs */

/* The tools that one can mean: of a file all that it has and imports; of several files, each in the
 * file where it stands. */
static const gramc_tool *next_tool(const gramc_compilation *compilation, size_t *spec, size_t *i) {
    bool several = gramc_compiled(compilation, 1) != NULL;
    for (const gramc_spec *s; (s = gramc_compiled(compilation, *spec)) != NULL; ++*spec, *i = 0) {
        while (*i < gramc_spec_tool_count(s)) {
            const gramc_tool *tool = gramc_spec_tool(s, (*i)++);
            if (!several || gramc_tool_is_own(s, tool)) return tool;
        }
    }
    return NULL;
}

static int list_tools(struct cli *cli, const gramc_compilation *compilation, const char *path,
                      gramc_text name) {
    size_t spec = 0, i = 0;
    gramc_text near = {NULL, 0};
    struct name_list list;
    list_init(&list, &cli->allocator, "");
    for (const gramc_tool *t; (t = next_tool(compilation, &spec, &i)) != NULL;) {
        const gramc_text pair[] = {t->name, near};
        near = text_nearest(name, pair, near.len ? 2 : 1);
        list_add(&list, TEXT(""), t->name);
    }
    if (!list.count) list_add(&list, TEXT(""), TEXT("none"));
    if (name.len) {
        fprintf(cli->err, "gramc: %s has no tool ", path);
        cli_put_safe(cli->err, name);
        cli_did_you_mean(cli, near);
        fputs(near.len ? " It has " : "; it has ", cli->err);
    } else {
        fprintf(cli->err, "gramc: choose a tool of %s, as %s#NAME: ", path, path);
    }
    return cli_put_list(cli, &list);
}

static int report_both(struct cli *cli, const gramc_tool *one, const gramc_tool *other,
                       const char *path) {
    return cli_usage(cli, "%s has several tools %.*s, in %.*s and in %.*s; name one of the files",
                     path, TEXT_ARGS(one->name), TEXT_ARGS(gramc_tool_file(one)),
                     TEXT_ARGS(gramc_tool_file(other)));
}

static int find_tool(struct cli *cli, const gramc_compilation *compilation, const char *path,
                     gramc_text name, const gramc_tool **out) {
    size_t spec = 0, i = 0, count = 0;
    *out = NULL;
    for (const gramc_tool *t; (t = next_tool(compilation, &spec, &i)) != NULL;) {
        if (name.len && !text_eq(t->name, name)) continue;
        bool elsewhere = *out && !text_eq(gramc_tool_file(*out), gramc_tool_file(t));
        if (name.len && elsewhere) return report_both(cli, *out, t, path);
        if (!*out) *out = t;
        count++;
    }
    bool chosen = name.len ? count > 0 : count == 1;
    return chosen ? EXIT_FINE : list_tools(cli, compilation, path, name);
}

static int compile_spec(struct cli *cli, gramc_compilation *compilation) {
    gramc_status status = gramc_compile_each(compilation);
    int code = cli_report_compiled(cli, compilation, status);
    if (code == EXIT_FINDINGS && cli_wants_report(cli) &&
        gramc_finding_count(compilation, GRAMC_ERROR))
        code = cli_report_as(cli, compilation, cli->out, cli->options[OPTION_FORMAT]);
    return code;
}

static int open_tool(struct evaluated *evaluated, char *path, gramc_text name) {
    struct cli *cli = evaluated->cli;
    const gramc_tool *tool;
    int code = cli_load(cli, &evaluated->compilation, &path, 1);
    if (code != EXIT_FINE) return code;
    code = compile_spec(cli, evaluated->compilation);
    if (code == EXIT_FINE) code = find_tool(cli, evaluated->compilation, path, name, &tool);
    if (code != EXIT_FINE) return code;
    code = cli_status(cli, gramc_tool_prepare(evaluated->compilation, tool));
    evaluated->schema = cli->options[OPTION_RESULT] ? tool->returns : tool->accepts;
    evaluated->check.flags |= GRAMC_CHECK_NULL_ABSENT;
    return code;
}

static bool is_folder(gramc_text path) {
    char copy[CLI_PATH];
    struct stat st;
    if (path.len >= sizeof copy) return false;
    memcpy(copy, path.ptr, path.len);
    copy[path.len] = '\0';
    return stat(copy, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_spec(gramc_text path) {
    bool is_gram = path.len > 5 && text_is(text_slice(path, path.len - 5, path.len), ".gram");
    return is_gram || is_folder(path);
}

int validate_open(struct evaluated *evaluated) {
    char *operand = evaluated->cli->operands[0], *hash = strrchr(operand, '#');
    gramc_text path = {operand, hash ? (size_t)(hash - operand) : strlen(operand)};
    int code = check_remotes(evaluated->cli);
    if (code != EXIT_FINE) return code;
    if (!is_spec(path)) return open_schema(evaluated, operand);
    if (hash) *hash = '\0';
    return open_tool(evaluated, operand, text_of(hash ? hash + 1 : ""));
}

void validate_close(struct evaluated *evaluated) {
    gramc_schema_free(evaluated->own);
    gramc_compilation_free(evaluated->compilation);
}
