/* From options to gates and reports of an experiment, and from their outcome to an exit code. Where
 * the analysis comes from is the commands' matter. */
#include "cli/run/report.h"

#include "base/text.h"

#include <string.h>

enum { REPORT_MAX = INT32_MAX };

/* ## Formats */

static const struct experiment_format *format_named(const char *name) {
    const struct experiment_format *format;
    for (size_t i = 0; (format = experiment_format(i)) != NULL; i++)
        if (strcmp(format->name, name) == 0) return format;
    return NULL;
}

static const struct experiment_format *format_of_file(const char *path) {
    static const char *const endings[][2] = {{".html", "html"}, {".json", "json"},
                                             {".xml", "junit"}, {".md", "markdown"},
                                             {".csv", "csv"},   {".txt", "text"}};
    size_t len = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t of = strlen(endings[i][0]);
        if (len > of && strcmp(path + len - of, endings[i][0]) == 0)
            return format_named(endings[i][1]);
    }
    return NULL;
}

static int read_formats(struct cli *cli, struct report_request *out) {
    const char *wanted = cli->options[OPTION_FORMAT];
    out->format = format_named(wanted ? wanted : "text");
    if (!out->format)
        return cli_usage(cli, "--format takes text, json, junit, csv, markdown or html, not %s",
                         wanted);
    for (size_t i = 0; i < cli->given_count; i++) {
        if (cli->given[i].id != OPTION_REPORT || format_of_file(cli->given[i].value)) continue;
        return cli_usage(cli, "--report %s: a name ends in .html, .json, .xml, .md, .csv or .txt",
                         cli->given[i].value);
    }
    return EXIT_FINE;
}

bool report_wants_transcripts(const struct cli *cli) {
    const char *wanted = cli->options[OPTION_FORMAT];
    bool page = wanted && strcmp(wanted, "html") == 0;
    for (size_t i = 0; i < cli->given_count; i++) {
        if (cli->given[i].id != OPTION_REPORT) continue;
        const struct experiment_format *format = format_of_file(cli->given[i].value);
        page = page || (format && strcmp(format->name, "html") == 0);
    }
    return page;
}

/* ## Gates */

/* The expression, and below it where it is wrong. */
static int refuse(struct cli *cli, const struct gate_rule *gate, const struct gate_error *error) {
    int code = cli_usage(cli, "%s: %s", gate_option_name(gate->option), error->message);
    size_t at = error->position < gate->source.len ? error->position : gate->source.len;
    fputs("  ", cli->err);
    cli_put_safe(cli->err, gate->source);
    fprintf(cli->err, "\n  %*s^\n", (int)text_length(text_slice(gate->source, 0, at)), "");
    return code;
}

static int read_gates(struct cli *cli, struct report_request *out) {
    static const struct {
        enum option_id id;
        enum gate_option option;
    } rows[] = {{OPTION_FAIL_IF, GATE_FAIL_IF},
                {OPTION_MIN, GATE_MIN},
                {OPTION_MAX, GATE_MAX},
                {OPTION_CASE_REGRESSIONS, GATE_CASE_REGRESSIONS}};
    for (size_t i = 0; i < cli->given_count; i++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            if (cli->given[i].id != rows[k].id) continue;
            struct gate_rule *gate = &out->gates[out->gate_count];
            struct gate_error error;
            gramc_text source = text_of(cli->given[i].value);
            if (gate_parse(gate, rows[k].option, source, &error) != GRAMC_OK)
                return refuse(cli, gate, &error);
            out->gate_count++;
        }
    return EXIT_FINE;
}

int report_prepare(struct cli *cli, struct report_request *out) {
    *out = (struct report_request){.gate_count = 0};
    int code = read_formats(cli, out);
    return code == EXIT_FINE ? read_gates(cli, out) : code;
}

int report_check(struct cli *cli, const struct report_request *request,
                 const gramc_experiment *experiment, const struct analysis_grader *graders,
                 size_t grader_count) {
    for (size_t i = 0; i < request->gate_count; i++) {
        const struct gate_rule *gate = &request->gates[i];
        struct gate_error error;
        if (gate_check(gate, experiment, graders, grader_count, &error) != GRAMC_OK)
            return refuse(cli, gate, &error);
    }
    return EXIT_FINE;
}

int report_check_found(struct cli *cli, const struct report_request *request,
                       const struct analysis *analysis) {
    gramc_arm arms[ARMS_MAX] = {{.name = {NULL, 0}}};
    struct analysis_grader graders[64];
    size_t count = 0;
    for (size_t i = 0; i < analysis->arm_count; i++) arms[i].name = analysis->arms[i].name;
    for (size_t m = 0; m < analysis->metric_count && count < 64; m++)
        if (analysis->metrics[m].kind == METRIC_GRADER ||
            analysis->metrics[m].kind == METRIC_PREFERENCE)
            graders[count++] = (struct analysis_grader){.name = analysis->metrics[m].name};
    gramc_experiment experiment = {.arms = arms, .arm_count = analysis->arm_count};
    return report_check(cli, request, &experiment, graders, count);
}

/* ## Printing */

static int print(struct cli *cli, const struct experiment_report *report,
                 const struct experiment_format *format, const char *path) {
    struct buf out;
    buf_init(&out, &cli->allocator, REPORT_MAX);
    format->print(&out, report);
    gramc_status status = buf_status(&out);
    int code = EXIT_FINE;
    if (status != GRAMC_OK) code = cli_status(cli, status);
    else if (path) code = cli_write_file(cli, path, buf_view(&out));
    else if (report->color) fwrite(out.ptr, 1, out.len, cli->out);
    else code = cli_send_json_buf(cli, &out);
    buf_free(&out);
    return code;
}

/* Texts are made safe by each format, so that colours are the only escapes of a terminal. */
int report_write(struct cli *cli, struct analysis *analysis, const struct report_request *request) {
    struct gate_report gates;
    bool decide = cli->options[OPTION_REQUIRE_DECISION] != NULL;
    gramc_status status =
        gates_judge(&gates, analysis, request->gates, request->gate_count, decide);
    if (status != GRAMC_OK) return cli_status(cli, status);
    struct experiment_report report = {.analysis = analysis, .gates = &gates};
    for (size_t i = 0; i < cli->given_count; i++) {
        const char *path = cli->given[i].value;
        if (cli->given[i].id != OPTION_REPORT) continue;
        int code = print(cli, &report, format_of_file(path), path);
        if (code != EXIT_FINE) return code;
    }
    bool text = strcmp(request->format->name, "text") == 0;
    report.color = text && cli_is_colored(cli, cli->out);
    int code = print(cli, &report, request->format, NULL);
    if (code != EXIT_FINE) return code;
    if (gates.code == GATES_NOTHING && (!text || cli->options[OPTION_QUIET])) {
        fputs("gramc: ", cli->err);
        cli_put_safe(cli->err, gates.reason);
        fputc('\n', cli->err);
    }
    return (int)gates.code;
}
