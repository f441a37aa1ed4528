/* docs/findings.md: the rows of base/diag/diag.def and of compiler/diff/change.def as a page to
 * look things up in, each under its code. A test compares the page that is kept with this one. What
 * a row says is plain text: what Markdown would take for its own is escaped, bytes that are no
 * UTF-8 are written out. */
#include "cli/generate/generate.h"

#include <string.h>

#include "base/text.h"
#include "gramc/diff.h"

/* What the codes that begin so are about. */
static const struct {
    const char *begins, *title;
} groups[] = {
    {"G01", "Text and syntax"},
    {"G02", "Agents, tools, signatures"},
    {"G03", "Types and schemas"},
    {"G04", "Libraries and binding"},
    {"G05", "Plain gram"},
    {"G06", "Limits"},
    {"G07", "Comments that allow, and the configuration"},
    {"G08", "Targets"},
    {"G09", "Import"},
    {"D1", "Changes of tools"},
    {"D2", "Changes of parameters"},
    {"D3", "Changes of results"},
    {"D4", "Changes of agents"},
    {"D5", "Changes of what several places share"},
    {"D6", "Changes of what was accepted"},
};

/* A new group begins where the last code did not begin so. */
static void put_group(FILE *out, const char *last, const char *code) {
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        size_t len = strlen(groups[i].begins);
        if (strncmp(code, groups[i].begins, len) != 0) continue;
        if (last && strncmp(last, groups[i].begins, len) == 0) return;
        fprintf(out, "\n## %s\n", groups[i].title);
    }
}

/* One line of Markdown. Between backticks nothing is escaped. */
static void put_prose(FILE *out, const char *text) {
    bool code = false;
    for (; *text; text++) {
        if (*text == '`') code = !code;
        if (!code && strchr("\\<>*_[]{}$", *text)) fputc('\\', out);
        fputc(*text, out);
    }
}

/* How many backticks the fence needs: one more than stand in a row inside. */
static size_t fence_of(const char *text) {
    size_t longest = 2;
    for (const char *at = strchr(text, '`'); at; at = strchr(at, '`')) {
        size_t count = strspn(at, "`");
        if (count > longest) longest = count;
        at += count;
    }
    return longest + 1;
}

static void put_backticks(FILE *out, size_t count) {
    while (count--) fputc('`', out);
}

static void put_example(FILE *out, const char *title, const char *text) {
    if (!text[0]) return;
    size_t fence = fence_of(text);
    fprintf(out, "\n%s\n\n", title);
    put_backticks(out, fence);
    fputs("gram-example\n", out);
    for (const char *line = text; line;) {
        const char *end = strchr(line, '\n');
        cli_put_safe(out, (gramc_text){line, end ? (size_t)(end - line) : strlen(line)});
        fputc('\n', out);
        line = end && end[1] ? end + 1 : NULL;
    }
    put_backticks(out, fence);
    fputc('\n', out);
}

static void put_finding(FILE *out, const gramc_explanation *row) {
    static const char *const severities[] = {
        [GRAMC_NOTE] = "Note", [GRAMC_WARNING] = "Warning", [GRAMC_ERROR] = "Error"};
    fprintf(out, "\n### %s %s\n\n%s: ", row->code, row->slug, severities[row->severity]);
    put_prose(out, row->message);
    fputs("\n\n", out);
    put_prose(out, row->explanation);
    fputc('\n', out);
    put_example(out, "Gives it:", row->bad);
    put_example(out, "Instead:", row->good);
}

static void put_change(FILE *out, const gramc_diff_kind *row) {
    static const char *const impacts[] = {"not affected", "cosmetic", "additive", "breaking"};
    fprintf(out, "\n### %s %s\n\nCallers: %s; implementers: %s. ", row->code, row->slug,
            impacts[row->caller], impacts[row->implementer]);
    put_prose(out, row->message);
    fputs("\n\n", out);
    put_prose(out, row->explanation);
    fputc('\n', out);
}

void write_findings(FILE *out) {
    gramc_explanation row;
    const char *last = NULL;
    fputs(
        "# All findings\n\nEverything that gramc reports about a spec, by its code; `gramc explain "
        "CODE`\nprints the same, `gramc explain` lists them. `{0}` stands for a name of the spec. "
        "What `gramc diff`\ncalls a change follows behind. How findings are printed, allowed and "
        "counted: [formats of\nfindings](formats/findings.md).\n\nThis page is generated from "
        "`base/diag/diag.def` and `compiler/diff/change.def` (`gramc-generate\nfindings FILE`); a "
        "test compares the two, another one holds that each example gives its finding.\n",
        out);
    for (size_t i = 0; gramc_explain(i, &row); last = row.code, i++) {
        put_group(out, last, row.code);
        put_finding(out, &row);
    }
    for (size_t i = 0; gramc_diff_explain(i); last = gramc_diff_explain(i)->code, i++) {
        put_group(out, last, gramc_diff_explain(i)->code);
        put_change(out, gramc_diff_explain(i));
    }
}
