/* The table of formats that findings can be printed in, and the key that some of them carry. Each
 * format has a file of its own. */
#include "base/diag/diag.h"

#include "base/sha256.h"
#include "base/text.h"

#include <string.h>

static const struct {
    const char *name, *about;
    gramc_report_format format;
    diag_printer *print;
} formats[] = {
    {"text", "source lines with the place underlined", GRAMC_REPORT_TEXT, diag_print_text},
    {"concise", "one line each, as compilers write them", GRAMC_REPORT_CONCISE, diag_print_concise},
    {"json", "the gram project's diagnostics, with slug, help and related places",
     GRAMC_REPORT_JSON, diag_print_json},
    {"sarif", "SARIF 2.1.0, for code scanning", GRAMC_REPORT_SARIF, diag_print_sarif},
    {"junit", "JUnit XML, one test case a file", GRAMC_REPORT_JUNIT, diag_print_junit},
    {"gitlab", "GitLab's code quality report, shown in merge requests", GRAMC_REPORT_GITLAB,
     diag_print_gitlab},
    {"github", "workflow commands, which GitHub Actions shows in the diff", GRAMC_REPORT_GITHUB,
     diag_print_github},
    /* Chosen by whoever knows the terminal, not by name. */
    {NULL, NULL, GRAMC_REPORT_COLOR, diag_print_color},
};

bool diag_fails(const struct diag_report *report, const struct finding *finding) {
    bool warns = finding->source->strict && finding->severity >= GRAMC_WARNING;
    return warns || (int)finding->severity >= report->fails;
}

enum { FORMATS = sizeof formats / sizeof *formats, OUTPUT_MAX = INT32_MAX };

diag_printer *diag_format_printer(gramc_report_format format) {
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].format == format) return formats[i].print;
    return NULL;
}

gramc_status diag_print(const struct diag_report *report, gramc_report_format format,
                        const gramc_allocator *allocator, gramc_writer writer) {
    diag_printer *print = diag_format_printer(format);
    struct buf out;
    if (!print) return GRAMC_USAGE;
    buf_init(&out, allocator, OUTPUT_MAX);
    print(&out, report);
    gramc_status status = buf_send(&out, writer);
    buf_free(&out);
    return status;
}

const char *gramc_report_format_name(size_t i) {
    return i < FORMATS ? formats[i].name : NULL;
}

const char *gramc_report_format_about(size_t i) {
    return i < FORMATS ? formats[i].about : NULL;
}

bool gramc_report_format_find(gramc_text name, gramc_report_format *out) {
    for (size_t i = 0; i < FORMATS && formats[i].name; i++) {
        if (!text_is(name, formats[i].name)) continue;
        *out = formats[i].format;
        return true;
    }
    return false;
}

gramc_text diag_from_root(gramc_text path) {
    while (text_starts(path, "./")) path = text_slice(path, 2, path.len);
    return path;
}

void diag_key(const struct finding *finding, char out[DIAG_KEY]) {
    struct sha256 sha;
    char hex[SHA256_HEX];
    gramc_text path = diag_from_root(finding->source->name);
    struct position at = source_position(finding->source, finding->span.start);
    sha256_init(&sha);
    sha256_add_text(&sha, path);
    sha256_add_text(&sha, text_of(finding->row->code));
    sha256_add_text(&sha, text_trim(source_slice(finding->source, at.row)));
    sha256_hex(&sha, hex);
    memcpy(out, hex, DIAG_KEY);
}

void diag_put_key(struct buf *out, struct buf *keys, const struct finding *finding) {
    char key[DIAG_KEY];
    uint32_t ordinal = 1;
    diag_key(finding, key);
    for (size_t at = 0; at + DIAG_KEY <= keys->len; at += DIAG_KEY)
        ordinal += text_eq((gramc_text){keys->ptr + at, DIAG_KEY}, (gramc_text){key, DIAG_KEY});
    buf_put(keys, key, DIAG_KEY);
    buf_printf(out, "%.*s:%u", (int)DIAG_KEY, key, (unsigned)ordinal);
}
