/* Says what happens in a run, on standard error: each call that failed, with -v every call, while
 * it waits what for, and at the end what it took. Answers are not its matter, traces neither.
 * Failures are always told; the closing line is for people, on a terminal or with -v. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/tell.h"

#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"

enum { WHO_MAX = 8192, SAID_MAX = 16 << 20, SHOWN_REASON = 400, SHOWN_TEXT = 2000 };

/* ## Pieces */

/* On one line, and no longer than people read. */
static void put_some(FILE *err, gramc_text text, size_t most) {
    size_t end = 0;
    while (end < text.len && end < most) text_decode(text, &end);
    cli_put_safe(err, text_slice(text, 0, end));
    if (end < text.len) fprintf(err, "... (%zu bytes)", text.len);
}

/* By hand: printf's point depends on the locale. */
static void put_seconds(FILE *err, uint64_t ns) {
    unsigned long long tenths = (ns + 50000000) / 100000000;
    fprintf(err, "%llu.%llu s", tenths / 10, tenths % 10);
}

static void put_counted(FILE *err, unsigned long long count, const char *noun) {
    fprintf(err, "%llu %s%s", count, noun, count == 1 ? "" : "s");
}

static void put_retries(FILE *err, uint32_t count) {
    fprintf(err, " (%u retr%s)", (unsigned)count, count == 1 ? "y" : "ies");
}

static void wait_for(struct tell *tell, const char *format, gramc_text subject) {
    if (!tell->asking) progress_wait(tell->progress, format, subject);
}

void tell_ask(struct tell *tell) {
    tell_hide(tell);
    tell->asking++;
}

/* ## Calls */

static const char *verb_of(gramc_text outcome) {
    static const struct {
        const char *outcome, *verb;
    } verbs[] = {{"call-error", "was called wrongly"},
                 {"unknown-tool", "was called wrongly"},
                 {"skipped", "was not called"},
                 {"denied", "was denied"}};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (text_is(outcome, verbs[i].outcome)) return verbs[i].verb;
    return "failed";
}

static size_t count_converted(const gramc_event_reading *reading) {
    size_t count = 0;
    for (size_t i = 0; i < reading->change_count; i++)
        count += reading->changes[i].kind == GRAMC_ADJUSTED_COERCED;
    return count;
}

/* What the model's words were taken for, where they were mended or converted. */
static void put_reading(struct tell *tell, const gramc_event_reading *reading, gramc_text taken) {
    FILE *err = tell->cli->err;
    size_t converted = reading ? count_converted(reading) : 0;
    if (!reading || (!reading->repair_count && !converted)) return;
    tell_hide(tell);
    fputs("~ read as ", err);
    put_some(err, taken, SHOWN_TEXT);
    for (size_t i = 0; i < reading->repair_count; i++)
        fprintf(err, "%s%s", i ? ", " : " (", reading->repairs[i]);
    if (converted) fprintf(err, "%s%zu converted", reading->repair_count ? ", " : " (", converted);
    fputs(")\n", err);
}

static void tell_reading(struct tell *tell, const gramc_event *event) {
    if (tell->verbose) put_reading(tell, event->reading, event->text);
}

/* One that does not work is always told, and with -v what one puts in place. */
static void tell_guard(struct tell *tell, const gramc_event *event) {
    const gramc_event_guard *guard = event->guard;
    FILE *err = tell->cli->err;
    bool rewrites = guard->to.ptr != NULL;
    if (strcmp(guard->phase, "approval") == 0 && tell->asking) tell->asking--;
    if (!guard->failed && !(rewrites && tell->verbose)) return;
    tell_hide(tell);
    fputs(guard->failed ? "gramc: the guard `" : "~ `", err);
    cli_put_safe(err, guard->guard);
    fputs(guard->failed ? "` of `" : "` put in place for `", err);
    cli_put_safe(err, event->call->tool);
    fputs(guard->failed ? "` does not work: " : "`: ", err);
    put_some(err, guard->failed ? guard->message : guard->to,
             guard->failed ? SHOWN_REASON : SHOWN_TEXT);
    fputc('\n', err);
}

static void put_call(struct tell *tell, const gramc_event_call *call) {
    FILE *err = tell->cli->err;
    tell_hide(tell);
    fputs("> ", err);
    cli_put_safe(err, call->tool);
    fputc(' ', err);
    put_some(err, call->call->arguments, SHOWN_TEXT);
    fputc('\n', err);
}

static void tell_call(struct tell *tell, const gramc_event *event) {
    if (tell->verbose) {
        put_call(tell, event->call);
        put_reading(tell, event->call->reading, event->call->sent);
    }
    tell->waiting++;
    wait_for(tell, "waiting for ", event->call->tool);
}

/* What the model is told begins so. */
static gramc_text without_error(gramc_text text) {
    return text_starts(text, "Error: ") ? text_slice(text, 7, text.len) : text;
}

/* Nobody has heard of the call before: it did not begin. */
static bool never_began(gramc_text outcome, bool is_denied) {
    return is_denied || text_is(outcome, "call-error") || text_is(outcome, "unknown-tool") ||
           text_is(outcome, "skipped");
}

static void tell_failure(struct tell *tell, const gramc_event *event) {
    static const char denied[] = "the call was denied"; /* as the verb says, too */
    gramc_text reason = without_error(event->text);
    bool is_denied = text_starts(reason, denied);
    FILE *err = tell->cli->err;
    if (tell->verbose && never_began(text_of(event->call->outcome), is_denied))
        put_call(tell, event->call);
    fputs("gramc: `", err);
    cli_put_safe(err, event->call->tool);
    if (is_denied) reason = text_slice(reason, strlen(denied), reason.len);
    fprintf(err, "` %s%s", verb_of(text_of(event->call->outcome)), is_denied ? "" : ": ");
    put_some(err, reason, SHOWN_REASON);
    fputc('\n', err);
}

static void tell_result(struct tell *tell, const gramc_event *event) {
    FILE *err = tell->cli->err;
    bool fine = text_is(text_of(event->call->outcome), "ok");
    if (tell->waiting) tell->waiting--;
    if (fine && !tell->verbose) return;
    tell_hide(tell);
    if (!fine) {
        tell_failure(tell, event);
        return;
    }
    fputs("< ", err);
    cli_put_safe(err, event->call->tool);
    fputs(", ", err);
    put_seconds(err, event->duration_ns);
    fputs(": ", err);
    put_some(err, event->text, SHOWN_TEXT);
    fputc('\n', err);
}

/* ## The model */

static void tell_start_of(struct tell *tell, const gramc_event *event) {
    const gramc_event_start *start = event->start;
    bool named = start->model.len > 0;
    buf_text(&tell->model, named ? start->model : start->provider);
    if (start->library.len) {
        buf_puts(&tell->who, "library ");
        buf_text(&tell->who, start->library);
        buf_puts(&tell->who, ", ");
    }
    buf_puts(&tell->who, "model ");
    buf_text(&tell->who, start->provider);
    if (named) buf_putc(&tell->who, '/');
    if (named) buf_text(&tell->who, start->model);
}

/* What a strategy asks in words of its own, and what the model says to it. */
static void put_words(struct tell *tell, const char *mark, gramc_text words) {
    tell_hide(tell);
    fputs(mark, tell->cli->err);
    put_some(tell->cli->err, words, SHOWN_TEXT);
    fputc('\n', tell->cli->err);
}

static void tell_request(struct tell *tell, const gramc_event *event) {
    tell->prompted = event->prompt.len > 0;
    if (tell->prompted && tell->verbose) put_words(tell, "? ", event->prompt);
    buf_reset(&tell->said);
    wait_for(tell, "waiting for ", buf_view(&tell->model));
}

static void tell_attempt(struct tell *tell, const gramc_event *event) {
    if (event->attempt->again)
        wait_for(tell, "waiting to ask again: ",
                 text_of(gramc_attempt_class_name(event->attempt->class_)));
}

static void tell_delta(struct tell *tell, const gramc_event *event) {
    buf_text(&tell->said, event->text);
    tell_hide(tell);
}

static void tell_response(struct tell *tell, const gramc_event *event) {
    buf_reset(&tell->said);
    buf_text(&tell->said, event->response->content);
    tell_hide(tell);
    if (tell->prompted && tell->verbose) put_words(tell, "= ", event->response->content);
}

static void (*const tellers[])(struct tell *tell, const gramc_event *event) = {
    [GRAMC_EVENT_RUN] = tell_start_of,      [GRAMC_EVENT_REQUEST] = tell_request,
    [GRAMC_EVENT_ATTEMPT] = tell_attempt,   [GRAMC_EVENT_DELTA] = tell_delta,
    [GRAMC_EVENT_RESPONSE] = tell_response, [GRAMC_EVENT_CALL] = tell_call,
    [GRAMC_EVENT_RESULT] = tell_result,     [GRAMC_EVENT_READING] = tell_reading,
    [GRAMC_EVENT_GUARD] = tell_guard};

void tell_event(struct tell *tell, const gramc_event *event) {
    size_t kinds = sizeof tellers / sizeof *tellers;
    if (tell->document) document_event(tell->document, event);
    if ((size_t)event->kind < kinds && tellers[event->kind]) tellers[event->kind](tell, event);
}

void tell_note(struct tell *tell, gramc_text line) {
    if (tell->quiet) return;
    tell_hide(tell);
    fputs("gramc: ", tell->cli->err);
    run_print_hostile(tell->cli->err, line);
    fputc('\n', tell->cli->err);
}

/* ## The end */

static void put_tokens(FILE *err, const gramc_run_result *result) {
    if (!result->prompt_tokens && !result->completion_tokens && !result->total_tokens) return;
    fprintf(err, "; %llu + %llu tokens", (unsigned long long)result->prompt_tokens,
            (unsigned long long)result->completion_tokens);
    if (result->cached_tokens)
        fprintf(err, " (%llu cached)", (unsigned long long)result->cached_tokens);
}

static void close_line(struct tell *tell, const gramc_run_result *result) {
    FILE *err = tell->cli->err;
    unsigned errors = result->call_errors + result->tool_errors;
    char cost[AMOUNT_ROOM];
    fprintf(err, "gramc: %s in ", gramc_outcome_name(result->outcome));
    put_seconds(err, result->duration_ns);
    fputs(": ", err);
    cli_put_safe(err, buf_view(&tell->who));
    fputs("; ", err);
    put_counted(err, result->requests, "request");
    if (result->retries) put_retries(err, result->retries);
    fputs(", ", err);
    put_counted(err, result->calls, "call");
    if (errors) fprintf(err, " (%u failed)", errors);
    if (result->denied) fprintf(err, " (%u denied)", (unsigned)result->denied);
    put_tokens(err, result);
    if (result->has_cost) fprintf(err, "; cost %s", number_amount(cost, result->cost));
    fputs("; ", err);
    put_seconds(err, result->model_ns);
    fputs(" in the model, ", err);
    put_seconds(err, result->tool_ns);
    fputs(" in tools\n", err);
}

gramc_text tell_partial(const struct tell *tell, const gramc_run_result *result) {
    bool canceled = result->outcome == GRAMC_OUTCOME_CANCELED;
    return canceled && result->text.len == 0 ? buf_view(&tell->said) : result->text;
}

static void tell_outcome(struct tell *tell, const gramc_run_result *result) {
    FILE *err = tell->cli->err;
    fprintf(err, "gramc: the run ended as %s: ", gramc_outcome_name(result->outcome));
    run_print_hostile(err, result->message);
    fputc('\n', err);
    gramc_text said = tell_partial(tell, result);
    if (said.len == 0 || tell->document) return;
    fputs("gramc: what the model had said: ", err);
    run_print_hostile(err, said);
    fputc('\n', err);
}

void tell_done(struct tell *tell, const gramc_run_result *result) {
    tell_hide(tell);
    if (result->outcome != GRAMC_OUTCOME_ANSWERED) tell_outcome(tell, result);
    if (tell->closes) close_line(tell, result);
}

/* ## Starting */

void tell_start(struct tell *tell, struct cli *cli, struct document *document) {
    *tell = (struct tell){.cli = cli, .document = document};
    tell->quiet = cli->options[OPTION_QUIET] != NULL;
    tell->verbose = cli->options[OPTION_VERBOSE] != NULL;
    bool chats = cli->options[OPTION_CHAT];
    tell->closes = tell->verbose || (!tell->quiet && !chats && isatty(fileno(cli->err)) == 1);
    buf_init(&tell->who, &cli->allocator, WHO_MAX);
    buf_init(&tell->model, &cli->allocator, WHO_MAX);
    buf_init(&tell->said, &cli->allocator, SAID_MAX);
    if (!tell->quiet) tell->progress = progress_start(cli);
}

void tell_stop(struct tell *tell) {
    if (!tell->cli) return;
    progress_stop(tell->cli, tell->progress);
    tell->progress = NULL;
    buf_free(&tell->who);
    buf_free(&tell->model);
    buf_free(&tell->said);
}
