/* gramc run: one agent, one library, one model, a conversation. Answers go to standard output,
 * everything else to standard error (tell.c), events to --trace. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/otlp.h"
#include "cli/run/streamed.h"
#include "cli/run/tell.h"
#include "cli/run/workshop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* What belongs to one command. */
struct session {
    struct cli *cli;
    struct choice choice;
    struct workshop shop;
    gramc_bound *bound;
    gramc_model *model;
    gramc_text *messages;
    size_t message_count;
    gramc_input inputs[CLI_GIVEN];
    size_t input_count;
    int trace;      /* descriptor, -1: none */
    bool trace_out; /* to standard output instead */
    bool escape;
    gramc_outcome outcome;
    struct tell tell;
    gramc_status shown; /* what printing requests came to */
    gramc_spans *spans; /* NULL: none are wanted */
    struct streamed streamed;
    struct document document;
    bool wants_document; /* --format json: it goes to standard output instead of the answers */
    int printed;         /* the exit code of printing it */
    bool said_no_curl;   /* that there is nothing for --curl to show */
};

/* ## Messages */

static int read_input(struct session *session) {
    struct cli *cli = session->cli;
    if (strcmp(cli->operands[0], "-") == 0)
        return cli_usage(cli, "run: standard input is the spec; give the message as an argument");
    const struct cli_file *file = cli_read(cli, "-");
    if (!file) return cli->failure;
    gramc_text text = {file->bytes, file->len};
    while (text.len && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
        text.len--;
    session->messages[0] = text;
    session->message_count = 1;
    return EXIT_FINE;
}

static int read_messages(struct session *session) {
    struct cli *cli = session->cli;
    size_t room = cli->operand_count * sizeof *session->messages;
    session->messages = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, room);
    if (!session->messages) return cli_no_memory(cli);
    for (size_t i = 1; i < cli->operand_count; i++)
        session->messages[session->message_count++] = text_of(cli->operands[i]);
    if (session->message_count == 0) {
        int code = read_input(session);
        if (code != EXIT_FINE) return code;
    }
    for (size_t i = 0; i < session->message_count; i++)
        if (text_trim(session->messages[i]).len == 0)
            return cli_usage(cli, "run: message %zu is empty", i + 1);
    return EXIT_FINE;
}

/* ## The trace */

static int open_trace(struct session *session) {
    const char *path = session->cli->options[OPTION_TRACE];
    if (!path) return EXIT_FINE;
    session->trace_out = strcmp(path, "-") == 0;
    return session->trace_out ? EXIT_FINE : cli_open_private(session->cli, path, &session->trace);
}

static int write_trace(void *ctx, const char *bytes, size_t len) {
    const struct session *session = ctx;
    if (session->trace_out)
        return cli_send_json(session->cli, (gramc_text){bytes, len}) == EXIT_FINE &&
                       !fflush(session->cli->out)
                   ? 0
                   : 1;
    while (len) {
        ssize_t written = write(session->trace, bytes, len);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return 1;
        bytes += written;
        len -= (size_t)written;
    }
    return 0;
}

/* ## What the run reports */

static void on_turn(void *ctx, gramc_text answer) {
    struct session *session = ctx;
    FILE *out = session->cli->out;
    if (session->trace_out || session->wants_document) return; /* the answer is in there */
    tell_hide(&session->tell);
    if (streamed_is_answer(&session->streamed, answer)) return;
    if (session->escape) run_print_hostile(out, answer);
    else fwrite(answer.ptr, 1, answer.len, out);
    fputc('\n', out);
    fflush(out);
}

static int write_safe(void *ctx, const char *bytes, size_t len) {
    cli_put_json_safe(ctx, (gramc_text){bytes, len});
    return 0;
}

/* For --curl. */
static void show_request(struct session *session, gramc_text body) {
    struct cli *cli = session->cli;
    gramc_text id = buf_view(&session->tell.model), key = run_key_name(cli, &session->choice);
    tell_hide(&session->tell);
    gramc_status status = gramc_model_curl(session->model, id, key, body, session->streamed.on,
                                           (gramc_writer){write_safe, cli->err});
    if (status && status != GRAMC_NOT_FOUND) session->shown = status;
    if (status == GRAMC_NOT_FOUND && !session->tell.quiet && !session->said_no_curl)
        fputs("gramc: --curl has nothing to show: this model is asked over no network\n", cli->err);
    session->said_no_curl = status == GRAMC_NOT_FOUND;
}

static void on_event(void *ctx, const gramc_event *event) {
    struct session *session = ctx;
    if (event->kind == GRAMC_EVENT_REQUEST && session->cli->options[OPTION_CURL])
        show_request(session, event->text);
    if (event->kind == GRAMC_EVENT_DELTA) tell_hide(&session->tell);
    streamed_event(&session->streamed, event);
    tell_event(&session->tell, event);
    if (session->spans) gramc_spans_event(session->spans, event);
}

static void on_note(void *ctx, gramc_text line) {
    struct session *session = ctx;
    streamed_break(&session->streamed);
    tell_note(&session->tell, line);
}

static void on_done(void *ctx, const gramc_run_result *result) {
    struct session *session = ctx;
    session->outcome = result->outcome;
    tell_hide(&session->tell);
    if (session->wants_document)
        session->printed = document_print(&session->document, session->cli, result,
                                          tell_partial(&session->tell, result));
    tell_done(&session->tell, result);
}

/* ## Running */

static int bind(struct session *session) {
    struct cli *cli = session->cli;
    int code = workshop_ask(&session->shop, session->choice.library, session->choice.agent);
    if (code != EXIT_FINE) return code;
    gramc_bind_options options = workshop_binding(&session->shop);
    code = run_provider(cli, &session->choice, &options, &session->model);
    if (code != EXIT_FINE) return code;
    gramc_status status =
        gramc_bind(&session->bound, session->choice.agent, session->choice.library, &options);
    bool quiet = cli->options[OPTION_QUIET] && status != GRAMC_FINDINGS;
    if (session->bound && !quiet) run_print_binding(cli, session->bound);
    if (status != GRAMC_FINDINGS) return cli_status(cli, status);
    if (!session->choice.library)
        fputs("gramc: no tool library was named; see --library\n", cli->err);
    return workshop_findings_code(&session->shop);
}

static int output_options(struct session *session) {
    struct cli *cli = session->cli;
    const char *format = cli->options[OPTION_FORMAT], *trace = cli->options[OPTION_TRACE];
    session->wants_document = format && strcmp(format, "json") == 0;
    if (format && !session->wants_document && strcmp(format, "text") != 0)
        return cli_usage(cli, "--format takes text or json, not %s", format);
    if (session->wants_document && trace && strcmp(trace, "-") == 0)
        return cli_usage(cli, "--format json and --trace - both want standard output");
    if (cli->options[OPTION_QUIET] && cli->options[OPTION_VERBOSE])
        return cli_usage(cli, "run: --quiet or --verbose, not both");
    cli->options[OPTION_FORMAT] = NULL; /* it is about runs, not findings */
    return EXIT_FINE;
}

static int run_options(struct session *session, gramc_run_options *out) {
    const char *wire = session->cli->options[OPTION_WIRE];
    const char *iterations = session->cli->options[OPTION_MAX_ITERATIONS];
    if (wire && strcmp(wire, "tools") == 0) out->wire = GRAMC_WIRE_TOOLS;
    else if (wire && strcmp(wire, "functions") == 0) out->wire = GRAMC_WIRE_FUNCTIONS;
    else if (wire) return cli_usage(session->cli, "--wire takes tools or functions, not %s", wire);
    if (iterations && !run_parse_count(iterations, &out->max_iterations))
        return cli_usage(session->cli, "--max-iterations takes a number from 1, not %s",
                         iterations);
    const char *id = session->cli->options[OPTION_RUN_ID];
    if (id && (strlen(id) != 32 || strspn(id, "0123456789abcdef") != 32))
        return cli_usage(session->cli, "--run-id takes 32 of 0-9a-f, not %s", id);
    if (id) out->run_id = text_of(id);
    out->model = session->model;
    out->messages = session->messages;
    out->message_count = session->message_count;
    out->inputs = session->inputs;
    out->input_count = session->input_count;
    return EXIT_FINE;
}

/* Pieces of a structured answer are nothing to read. */
static int stream_options(struct session *session) {
    const gramc_agent *agent = session->choice.agent;
    bool shows = !session->trace_out && !session->wants_document && !agent->has_output;
    return streamed_start(&session->streamed, session->cli, shows);
}

static int run(struct session *session) {
    struct cli *cli = session->cli;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_run_handler handler = {
        .turn = on_turn, .note = on_note, .done = on_done, .ctx = session, .event = on_event};
    gramc_prices prices;
    int code = run_options(session, &options);
    if (code == EXIT_FINE) code = run_budget(cli, &session->choice, &options, &prices);
    if (code == EXIT_FINE) code = otlp_start(cli, &session->spans);
    if (code == EXIT_FINE) code = open_trace(session);
    if (code == EXIT_FINE) code = stream_options(session);
    options.stream = session->streamed.on;
    if (session->trace >= 0 || session->trace_out)
        options.trace = (gramc_writer){write_trace, session};
    if (code != EXIT_FINE) return code;
    tell_start(&session->tell, cli, session->wants_document ? &session->document : NULL);
    gramc_status status =
        gramc_run_start(NULL, session->shop.loop, session->bound, &options, &handler);
    if (status) return cli_status(cli, status);
    struct interrupt *interrupt = interrupt_start(cli, session->shop.loop);
    status = gramc_loop_run(session->shop.loop);
    bool interrupted = interrupt_stop(cli, interrupt);
    if (status) return cli_status(cli, status);
    if (session->shown) return cli_status(cli, session->shown);
    code = otlp_send(cli, session->spans, session->shop.loop);
    if (session->printed != EXIT_FINE) return session->printed;
    if (code != EXIT_FINE) return code;
    if (interrupted && session->outcome == GRAMC_OUTCOME_CANCELED) return EXIT_INTERRUPTED;
    return session->outcome == GRAMC_OUTCOME_ANSWERED ? EXIT_FINE : EXIT_RUN_FAILED;
}

static void session_free(struct session *session) {
    struct cli *cli = session->cli;
    workshop_close(&session->shop);
    tell_stop(&session->tell);
    streamed_stop(&session->streamed);
    document_free(&session->document);
    gramc_spans_free(session->spans);
    gramc_model_free(session->model);
    gramc_bound_free(session->bound);
    run_choice_free(&session->choice);
    if (session->trace >= 0) close(session->trace);
    if (session->messages)
        cli->allocator.alloc(cli->allocator.ctx, session->messages,
                             cli->operand_count * sizeof *session->messages, 0);
}

int cmd_run(struct cli *cli) {
    struct session session = {.cli = cli, .trace = -1};
    if (cli->operand_count == 0) return cli_usage(cli, "run: name a file");
    session.escape = isatty(fileno(cli->out)) == 1;
    document_init(&session.document, &cli->allocator);
    int code = output_options(&session);
    if (code == EXIT_FINE) code = run_choose(cli, &session.choice);
    if (code == EXIT_FINE) code = workshop_open(&session.shop, cli, session.choice.compilation);
    if (code == EXIT_FINE) code = bind(&session);
    if (code == EXIT_FINE)
        code = run_inputs(cli, session.choice.agent, session.inputs, &session.input_count);
    if (code == EXIT_FINE) code = run_model(cli, &session.choice, &session.model);
    if (code == EXIT_FINE) code = read_messages(&session);
    if (code == EXIT_FINE) code = run(&session);
    session_free(&session);
    return code;
}
