/* gramc call: one call of one tool of a library, by hand. The result goes to standard output; why
 * there is none, to standard error. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"
#include "cli/run/workshop.h"

enum { OUTPUT_MAX = 64 << 20 };

/* JSON, @FILE, or - for standard input. */
static int read_arguments(struct cli *cli, gramc_text *out) {
    const char *operand = cli->operand_count > 2 ? cli->operands[2] : "{}";
    bool is_file = operand[0] == '@' || strcmp(operand, "-") == 0;
    *out = text_of(operand);
    if (!is_file) return EXIT_FINE;
    const struct cli_file *file = cli_read(cli, operand[0] == '@' ? operand + 1 : operand);
    if (!file) return cli->failure;
    *out = (gramc_text){file->bytes, file->len};
    return EXIT_FINE;
}

static void print_end(struct cli *cli, gramc_call_outcome end, gramc_text text) {
    static const char *const words[] = {
        [GRAMC_CALL_FINE] = "",
        [GRAMC_CALL_BAD_ARGUMENTS] = "the arguments do not fit: ",
        [GRAMC_CALL_TOOL_ERROR] = "the tool failed: ",
        [GRAMC_CALL_TIMEOUT] = "the tool did not finish in time and was stopped",
        [GRAMC_CALL_BAD_RESULT] = "the tool's result is not what it promises: ",
        [GRAMC_CALL_CANCELED] = "canceled",
        [GRAMC_CALL_DENIED] = "denied: "};
    bool fine = end == GRAMC_CALL_FINE;
    FILE *file = fine ? cli->out : cli->err;
    if (!fine) fprintf(file, "gramc: %s", words[end]);
    if (fine && isatty(fileno(file)) != 1) fwrite(text.ptr, 1, text.len, file);
    else run_print_hostile(file, text);
    if (!fine || (text.len && text.ptr[text.len - 1] != '\n')) fputc('\n', file);
}

static int call(struct workshop *shop, const gramc_bound *bound, gramc_text tool,
                gramc_text arguments) {
    struct cli *cli = shop->cli;
    gramc_call_outcome end;
    struct buf out;
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    struct interrupt *interrupt = interrupt_start(cli, shop->loop);
    gramc_status status = gramc_call(&end, shop->loop, bound, tool, arguments, buf_writer(&out));
    bool interrupted = interrupt_stop(cli, interrupt);
    if (status == GRAMC_IO) status = buf_status(&out);
    int code = status ? cli_status(cli, status) : workshop_call_code(end);
    if (!status) print_end(cli, end, buf_view(&out));
    buf_free(&out);
    return interrupted ? EXIT_INTERRUPTED : code;
}

static int bind_and_call(struct workshop *shop, const gramc_library *library,
                         gramc_text arguments) {
    struct cli *cli = shop->cli;
    gramc_bind_options options = workshop_binding(shop);
    gramc_text tool = text_of(cli->operands[1]);
    gramc_bound *bound;
    gramc_status status = gramc_bind_tool(&bound, library, tool, &options);
    if (!bound) return cli_status(cli, status);
    if (status) run_print_binding(cli, bound); /* else nothing was promised to anybody */
    else (void)workshop_report_boxes(shop);    /* which did not stop the call */
    int code = status ? workshop_findings_code(shop, bound) : call(shop, bound, tool, arguments);
    gramc_bound_free(bound);
    return code;
}

/* Only those servers are asked that the tool may be on. */
static int ask(struct workshop *shop, const gramc_library *library) {
    gramc_tool tool = {.name = text_of(shop->cli->operands[1])};
    const gramc_tool *const tools[] = {&tool};
    const gramc_agent caller = {.name = tool.name, .tools = tools, .tool_count = 1};
    return workshop_ask(shop, library, &caller, true);
}

int cmd_call(struct cli *cli) {
    struct choice chosen = {.agent = NULL};
    struct workshop shop = {.cli = NULL};
    gramc_text arguments;
    if (cli->operand_count < 2 || cli->operand_count > 3)
        return cli_usage(cli, "call: name a library, a tool and its arguments");
    int code = run_choose_library(cli, &chosen, NULL, cli->operands[0]);
    if (code == EXIT_FINE) code = read_arguments(cli, &arguments);
    if (code == EXIT_FINE) code = workshop_open(&shop, cli, NULL);
    if (code == EXIT_FINE) code = ask(&shop, chosen.library);
    if (code == EXIT_FINE) code = bind_and_call(&shop, chosen.library, arguments);
    workshop_close(&shop);
    run_choice_free(&chosen);
    return code;
}
