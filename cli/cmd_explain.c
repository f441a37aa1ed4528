/* gramc explain: rows of the table of findings and of the table of changes, for people or as one
 * JSON document; one row in full, or all of them, a line each. What the rows say is the libraries'.
 */
#include "cli/cli.h"
#include "gramc/diff.h"

#include "base/json/writer.h"
#include "base/text.h"

#include <string.h>

enum { OUTPUT_MAX = INT32_MAX };

static const char *const severities[] = {
    [GRAMC_NOTE] = "note", [GRAMC_WARNING] = "warning", [GRAMC_ERROR] = "error"};
static const char *const impacts[] = {"not affected", "cosmetic", "additive", "breaking"};

/* ## Which rows: all without a code, else that of the code or slug */

static bool is_wanted(const struct cli *cli, const char *code, const char *slug) {
    if (!cli->operand_count) return true;
    gramc_text wanted = text_of(cli->operands[0]);
    return text_is_nocase(wanted, code) || text_is(wanted, slug);
}

/* The next row from *i on; *i is behind it then. */
static bool next_finding(const struct cli *cli, size_t *i, gramc_explanation *row) {
    while (gramc_explain((*i)++, row))
        if (is_wanted(cli, row->code, row->slug)) return true;
    return false;
}

static const gramc_diff_kind *next_change(const struct cli *cli, size_t *i) {
    const gramc_diff_kind *row;
    while ((row = gramc_diff_explain((*i)++)) != NULL)
        if (is_wanted(cli, row->code, row->slug)) return row;
    return NULL;
}

/* ## For people */

static void tell_finding(FILE *out, const gramc_explanation *row) {
    fprintf(out, "%s: %s (%s)\n\n  %s\n\n%s\n", row->code, row->slug, severities[row->severity],
            row->message, row->explanation);
    if (row->bad[0]) fprintf(out, "\nGives it:\n\n  %s\n", row->bad);
    if (row->good[0]) fprintf(out, "\nInstead:\n\n  %s\n", row->good);
}

static void tell_change(FILE *out, const gramc_diff_kind *row) {
    fprintf(out, "%s: %s (callers: %s; implementers: %s)\n\n  %s\n\n%s\n", row->code, row->slug,
            impacts[row->caller], impacts[row->implementer], row->message, row->explanation);
}

static int tell_one(struct cli *cli) {
    gramc_explanation finding;
    size_t i = 0, j = 0;
    if (next_finding(cli, &i, &finding)) tell_finding(cli->out, &finding);
    else tell_change(cli->out, next_change(cli, &j));
    return EXIT_FINE;
}

/* How wide the column of slugs is. */
static int widest_slug(const struct cli *cli) {
    size_t widest = 0;
    gramc_explanation finding;
    const gramc_diff_kind *change;
    for (size_t i = 0; next_finding(cli, &i, &finding);)
        if (strlen(finding.slug) > widest) widest = strlen(finding.slug);
    for (size_t i = 0; (change = next_change(cli, &i)) != NULL;)
        if (strlen(change->slug) > widest) widest = strlen(change->slug);
    return (int)widest;
}

/* Codes in order; the changes of gramc diff behind. */
static int tell_all(struct cli *cli) {
    int width = widest_slug(cli);
    gramc_explanation finding;
    const gramc_diff_kind *change;
    fprintf(cli->out, "%-5s  %-8s  %-*s  %s\n", "CODE", "SEVERITY", width, "NAME", "MESSAGE");
    for (size_t i = 0; next_finding(cli, &i, &finding);)
        fprintf(cli->out, "%-5s  %-8s  %-*s  %s\n", finding.code, severities[finding.severity],
                width, finding.slug, finding.message);
    for (size_t i = 0; (change = next_change(cli, &i)) != NULL;)
        fprintf(cli->out, "%-5s  %-8s  %-*s  %s\n", change->code, "change", width, change->slug,
                change->message);
    return EXIT_FINE;
}

/* ## For programs: docs/formats/explanations.schema.json */

static void member(struct json_writer *w, const char *key, const char *value) {
    json_member_text(w, key, text_of(value));
}

static void put_finding(struct json_writer *w, const gramc_explanation *row) {
    json_line(w, 2);
    json_object_begin(w);
    member(w, "code", row->code);
    member(w, "slug", row->slug);
    member(w, "severity", severities[row->severity]);
    member(w, "message", row->message);
    member(w, "explanation", row->explanation);
    json_member_some(w, "bad", text_of(row->bad));
    json_member_some(w, "good", text_of(row->good));
    json_object_end(w);
}

static void put_change(struct json_writer *w, const gramc_diff_kind *row) {
    json_line(w, 2);
    json_object_begin(w);
    member(w, "code", row->code);
    member(w, "slug", row->slug);
    member(w, "callers", impacts[row->caller]);
    member(w, "implementers", impacts[row->implementer]);
    member(w, "message", row->message);
    member(w, "explanation", row->explanation);
    json_object_end(w);
}

static void put_document(struct json_writer *w, const struct cli *cli) {
    gramc_explanation finding;
    const gramc_diff_kind *change;
    json_object_begin(w);
    json_member_array(w, "findings");
    for (size_t i = 0; next_finding(cli, &i, &finding);) put_finding(w, &finding);
    json_array_end(w);
    json_line(w, 0);
    json_member_array(w, "changes");
    for (size_t i = 0; (change = next_change(cli, &i)) != NULL;) put_change(w, change);
    json_array_end(w);
    json_object_end(w);
    buf_putc(w->out, '\n');
}

static int print_document(struct cli *cli) {
    struct buf out;
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    struct json_writer w = json_writer(&out);
    put_document(&w, cli);
    int code = cli_status(cli, buf_send(&out, cli_writer(cli->out)));
    buf_free(&out);
    return code;
}

static bool is_known(const struct cli *cli) {
    gramc_explanation finding;
    size_t i = 0, j = 0;
    return next_finding(cli, &i, &finding) || next_change(cli, &j) != NULL;
}

int cmd_explain(struct cli *cli) {
    const char *format = cli->options[OPTION_FORMAT];
    bool json = format && strcmp(format, "json") == 0;
    if (cli->operand_count > 1) return cli_usage(cli, "explain: name one code, such as G0203");
    if (format && !json && strcmp(format, "text") != 0)
        return cli_usage(cli, "--format takes text or json, not %s", format);
    if (!is_known(cli))
        return cli_usage(cli, "explain: there is no finding %s; gramc explain lists them",
                         cli->operands[0]);
    if (json) return print_document(cli);
    return cli->operand_count ? tell_one(cli) : tell_all(cli);
}
