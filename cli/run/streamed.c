/* Writes what the model says to standard output as it says it. What it says beside calls stands on
 * lines of its own; the answer is written once more only where it is another text in the end. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/streamed.h"

#include <unistd.h>

#include "base/text.h"

enum { TEXT_MAX = 64 << 20 };

int streamed_start(struct streamed *streamed, struct cli *cli, bool shows) {
    bool yes = cli->options[OPTION_STREAM], no = cli->options[OPTION_NO_STREAM];
    bool terminal = isatty(fileno(cli->out)) == 1;
    if (yes && no) return cli_usage(cli, "run: --stream or --no-stream, not both");
    *streamed = (struct streamed){
        .out = cli->out, .on = yes || (terminal && shows && !no), .escape = terminal};
    streamed->shows = shows && streamed->on;
    buf_init(&streamed->text, &cli->allocator, TEXT_MAX);
    return EXIT_FINE;
}

void streamed_stop(struct streamed *streamed) {
    if (streamed->out) buf_free(&streamed->text);
}

void streamed_break(struct streamed *streamed) {
    if (!streamed->open) return;
    fputc('\n', streamed->out);
    fflush(streamed->out);
    streamed->open = false;
    buf_reset(&streamed->text);
}

/* What tells of the same answer does not end its line: it may turn out to be the last one. */
static bool is_of_answer(const gramc_event *event) {
    if (event->kind == GRAMC_EVENT_RESPONSE) return event->response->call_count == 0;
    return event->kind == GRAMC_EVENT_ATTEMPT || event->kind == GRAMC_EVENT_ANSWER;
}

void streamed_event(struct streamed *streamed, const gramc_event *event) {
    if (!streamed->shows) return;
    if (event->kind != GRAMC_EVENT_DELTA) {
        if (!is_of_answer(event)) streamed_break(streamed);
        return;
    }
    if (streamed->escape) run_print_hostile(streamed->out, event->text);
    else fwrite(event->text.ptr, 1, event->text.len, streamed->out);
    fflush(streamed->out);
    buf_text(&streamed->text, event->text);
    streamed->open = true;
}

bool streamed_is_answer(struct streamed *streamed, gramc_text answer) {
    bool same = streamed->open && text_eq(buf_view(&streamed->text), answer);
    streamed_break(streamed);
    return same;
}
