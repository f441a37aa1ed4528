/* What an option may be followed by where only a few words are known, and what --help says of an
 * option to one command: read off the tables by help, man page and completions alike. */
#include "cli/cli.h"

#include "base/text.h"

#include <string.h>

/* ## Values */

static const struct {
    enum option_id option;
    unsigned commands; /* that take these */
    const char *values[6];
} values[] = {
    {OPTION_FORMAT,
     FOR_BIND | FOR_RUN | FOR_TRACE | FOR_SESSION | FOR_GRADE | FOR_WORKER | FOR_CASSETTE |
         FOR_EXPLAIN,
     {"text", "json"}},
    {OPTION_FORMAT,
     FOR_EXPERIMENT | FOR_AB | FOR_REPORT,
     {"text", "json", "junit", "csv", "markdown", "html"}},
    {OPTION_FORMAT, FOR_TOOLS, {"table", "json", "gram"}},
    {OPTION_COLOR, FOR_ALL, {"auto", "always", "never"}},
    {OPTION_DRAFT, FOR_ALL, {"2020-12", "2019-09", "7", "6", "4"}},
    {OPTION_WIRE, FOR_ALL, {"tools", "functions"}},
    {OPTION_FAIL_ON, FOR_ALL, {"breaking", "additive", "any", "none"}},
};

/* Those of validate: findings' first, verdicts' behind. */
static const char *format(unsigned command, size_t i) {
    size_t of_findings = 0;
    while (gramc_report_format_name(of_findings)) of_findings++;
    if (i < of_findings) return gramc_report_format_name(i);
    return command & FOR_VALIDATE ? gramc_verdict_format_name(i - of_findings) : NULL;
}

const char *cli_option_value(enum option_id option, unsigned command, size_t i) {
    for (size_t row = 0; row < sizeof values / sizeof *values; row++)
        if (values[row].option == option && values[row].commands & command)
            return i < 6 ? values[row].values[i] : NULL;
    if (option == OPTION_FORMAT) return format(command, i);
    if (option == OPTION_TARGET) return gramc_target_name(i);
    return option == OPTION_FROM ? gramc_import_kind(i) : NULL;
}

/* ## Help: "for all; bind: for bind alone" */

/* The command that a part of the help begins with, and where its words begin. */
static gramc_text owner_of(gramc_text part) {
    size_t end = 0;
    while (end < part.len && part.ptr[end] >= 'a' && part.ptr[end] <= 'z') end++;
    bool owned = end && end + 1 < part.len && part.ptr[end] == ':' && part.ptr[end + 1] == ' ';
    return text_slice(part, 0, owned ? end : 0);
}

/* The next part, up to `; ` in front of another command's words or to the end. */
static gramc_text next_part(gramc_text *rest) {
    size_t end = 0;
    for (; end < rest->len; end++)
        if (rest->ptr[end] == ';' && end + 2 < rest->len &&
            owner_of(text_slice(*rest, end + 2, rest->len)).len)
            break;
    gramc_text part = text_slice(*rest, 0, end);
    *rest = text_slice(*rest, end < rest->len ? end + 2 : end, rest->len);
    return part;
}

gramc_text cli_option_help(const struct option_row *option, const char *command) {
    gramc_text rest = text_of(option->help), common = {NULL, 0};
    while (rest.len) {
        gramc_text part = next_part(&rest), owner = owner_of(part);
        if (!owner.len) common = part;
        else if (text_is(owner, command)) return text_slice(part, owner.len + 2, part.len);
    }
    return common;
}
