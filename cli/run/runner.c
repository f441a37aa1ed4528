/* One run of an agent: starts it, hands what happens to whoever shows it, keeps its session.
 * Answers go to standard output, everything else to standard error (tell.c), events to --trace. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/runner.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/write_all.h"
#include "cli/run/kept.h"
#include "cli/run/approve.h"
#include "cli/run/otlp.h"

/* ## The trace */

static int open_trace(struct runner *runner) {
    const char *path = runner->cli->options[OPTION_TRACE];
    if (!path) return EXIT_FINE;
    runner->trace_out = strcmp(path, "-") == 0;
    return runner->trace_out ? EXIT_FINE : cli_open_private(runner->cli, path, &runner->trace);
}

static int write_trace(void *ctx, const char *bytes, size_t len) {
    const struct runner *runner = ctx;
    if (runner->trace_out)
        return cli_send_json(runner->cli, (gramc_text){bytes, len}) == EXIT_FINE &&
                       !fflush(runner->cli->out)
                   ? 0
                   : 1;
    return write_all(runner->trace, (gramc_text){bytes, len}) ? 0 : 1;
}

/* ## What the run reports */

static void on_turn(void *ctx, gramc_text answer) {
    struct runner *runner = ctx;
    FILE *out = runner->cli->out;
    if (runner->trace_out || runner->wants_document) return; /* the answer is in there */
    tell_hide(&runner->tell);
    if (streamed_is_answer(&runner->streamed, answer)) return;
    if (runner->escape) run_print_hostile(out, answer);
    else fwrite(answer.ptr, 1, answer.len, out);
    fputc('\n', out);
    fflush(out);
}

static int write_safe(void *ctx, const char *bytes, size_t len) {
    cli_put_json_safe(ctx, (gramc_text){bytes, len});
    return 0;
}

/* For --curl. */
static void show_request(struct runner *runner, const gramc_event *event) {
    struct cli *cli = runner->cli;
    const gramc_model *model =
        role_models_get(&runner->roles, runner->choice.agent, event->role, runner->model);
    bool streamed = runner->streamed.on && (!event->role || strcmp(event->role, "output") == 0);
    gramc_text id = event->role ? event->model : buf_view(&runner->tell.model),
               key = run_key_name(cli, &runner->choice);
    tell_hide(&runner->tell);
    gramc_status status = gramc_model_curl(model, id, key, event->text, streamed,
                                           (gramc_writer){write_safe, cli->err});
    if (status && status != GRAMC_NOT_FOUND) runner->shown = status;
    if (status == GRAMC_NOT_FOUND && !runner->tell.quiet && !runner->said_no_curl)
        fputs("gramc: --curl has nothing to show: this model is asked over no network\n", cli->err);
    runner->said_no_curl = status == GRAMC_NOT_FOUND;
}

static void on_event(void *ctx, const gramc_event *event) {
    struct runner *runner = ctx;
    if (event->kind == GRAMC_EVENT_REQUEST && runner->cli->options[OPTION_CURL])
        show_request(runner, event);
    if (event->kind == GRAMC_EVENT_DELTA) tell_hide(&runner->tell);
    streamed_event(&runner->streamed, event);
    tell_event(&runner->tell, event);
    if (runner->spans) gramc_spans_event(runner->spans, event);
}

static void on_note(void *ctx, gramc_text line) {
    struct runner *runner = ctx;
    streamed_break(&runner->streamed);
    tell_note(&runner->tell, line);
}

static int print_document(struct runner *runner, const gramc_run_result *result) {
    struct buf out;
    buf_init(&out, &runner->cli->allocator, DOCUMENT_MAX);
    gramc_status status =
        document_print(&runner->document, &out, result, tell_partial(&runner->tell, result));
    buf_putc(&out, '\n');
    int code = status ? cli_status(runner->cli, status) : cli_send_json_buf(runner->cli, &out);
    buf_free(&out);
    return code;
}

static void on_done(void *ctx, const gramc_run_result *result) {
    struct runner *runner = ctx;
    runner->outcome = result->outcome;
    tell_hide(&runner->tell);
    if (runner->wants_document) runner->printed = print_document(runner, result);
    tell_done(&runner->tell, result);
}

/* ## Options */

static int read_options(struct runner *runner, gramc_run_options *out) {
    const char *wire = runner->cli->options[OPTION_WIRE];
    const char *iterations = runner->cli->options[OPTION_MAX_ITERATIONS];
    if (wire && strcmp(wire, "tools") == 0) out->wire = GRAMC_WIRE_TOOLS;
    else if (wire && strcmp(wire, "functions") == 0) out->wire = GRAMC_WIRE_FUNCTIONS;
    else if (wire) return cli_usage(runner->cli, "--wire takes tools or functions, not %s", wire);
    if (iterations && !run_parse_count(iterations, &out->max_iterations))
        return cli_usage(runner->cli, "--max-iterations takes a number from 1, not %s", iterations);
    const char *id = runner->cli->options[OPTION_RUN_ID];
    if (id && (strlen(id) != 32 || strspn(id, "0123456789abcdef") != 32))
        return cli_usage(runner->cli, "--run-id takes 32 of 0-9a-f, not %s", id);
    if (id) out->run_id = text_of(id);
    out->model = runner->model;
    out->models = runner->roles.models;
    out->model_count = runner->roles.count;
    out->inputs = runner->inputs;
    out->input_count = runner->input_count;
    out->session = runner->session;
    return EXIT_FINE;
}

int runner_prepare(struct runner *runner) {
    runner->options = (gramc_run_options)GRAMC_RUN_OPTIONS_INIT;
    int code = read_options(runner, &runner->options);
    if (code == EXIT_FINE)
        code = run_budget(runner->cli, &runner->choice, &runner->options, &runner->prices);
    if (code == EXIT_FINE) code = open_trace(runner);
    if (runner->trace >= 0 || runner->trace_out)
        runner->options.trace = (gramc_writer){write_trace, runner};
    return code;
}

/* Pieces of a structured answer are nothing to read. */
static int start_streaming(struct runner *runner) {
    const gramc_agent *agent = runner->choice.agent;
    bool shows = !runner->trace_out && !runner->wants_document && !agent->has_output;
    int code = streamed_start(&runner->streamed, runner->cli, shows);
    runner->options.stream = runner->streamed.on;
    return code;
}

/* ## Running */

static int drive(struct runner *runner) {
    struct cli *cli = runner->cli;
    gramc_run_handler handler = {
        .turn = on_turn, .note = on_note, .done = on_done, .ctx = runner, .event = on_event};
    tell_start(&runner->tell, cli, runner->wants_document ? &runner->document : NULL);
    if (!runner->approve) runner->approve = approve_start(cli, &runner->tell);
    if (!runner->approve) return cli_no_memory(cli);
    runner->options.approver = approve_approver(runner->approve);
    gramc_status status =
        gramc_run_start(NULL, runner->shop.loop, runner->bound, &runner->options, &handler);
    if (status) return cli_status(cli, status);
    struct interrupt *interrupt = interrupt_start(cli, runner->shop.loop);
    status = gramc_loop_run(runner->shop.loop);
    bool interrupted = interrupt_stop(cli, interrupt);
    if (status) return cli_status(cli, status);
    if (runner->shown) return cli_status(cli, runner->shown);
    bool answered = runner->outcome == GRAMC_OUTCOME_ANSWERED;
    int saved = answered ? kept_save(runner->kept) : EXIT_FINE;
    int code = otlp_send(cli, runner->spans, runner->shop.loop);
    if (runner->printed != EXIT_FINE) return runner->printed;
    if (saved != EXIT_FINE) return saved;
    if (code != EXIT_FINE) return code;
    if (interrupted && runner->outcome == GRAMC_OUTCOME_CANCELED) return EXIT_INTERRUPTED;
    return answered ? EXIT_FINE : EXIT_RUN_FAILED;
}

int runner_ask(struct runner *runner, const gramc_text *messages, size_t count) {
    runner->options.messages = messages;
    runner->options.message_count = count;
    runner->shown = GRAMC_OK;
    runner->printed = EXIT_FINE;
    document_init(&runner->document, &runner->cli->allocator);
    int code = otlp_start(runner->cli, &runner->spans);
    if (code == EXIT_FINE) code = start_streaming(runner);
    if (code == EXIT_FINE) code = drive(runner);
    tell_stop(&runner->tell);
    streamed_stop(&runner->streamed);
    document_free(&runner->document);
    gramc_spans_free(runner->spans);
    runner->spans = NULL;
    return code;
}
