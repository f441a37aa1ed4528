/* gramc trace: what a trace says, for people: the conversation, the calls, the times, how it ended.
 * As text, as one HTML page, or as the JSON document that the run itself could have printed. */
#include "cli/cli.h"

#include <string.h>

#include "base/json/trace_read.h"
#include "base/text.h"
#include "cli/trace.h"

enum { OUTPUT_MAX = INT32_MAX };

/* A trace whose last line was cut is shown up to there: runs are killed. */
static int read_events(struct cli *cli, const struct cli_file *file, struct arena *arena,
                       struct trace_events *out) {
    gramc_json_error error = {.message = ""};
    struct trace_reader reader = {
        .arena = arena, .text = {file->bytes, file->len}, .error = &error};
    size_t room = 0;
    for (;;) {
        const struct json *event;
        gramc_status status = trace_next(&reader, &event);
        if (status == GRAMC_FINDINGS && out->count && reader.next >= file->len) {
            cli_usage(cli, "%s: the last line is cut off: %s", cli->operands[0], error.message);
            return EXIT_FINE;
        }
        if (status == GRAMC_FINDINGS)
            return cli_usage(cli, "%s: %s", cli->operands[0], error.message);
        if (status) return cli_status(cli, status);
        if (!event) return EXIT_FINE;
        if (out->count == room) {
            room = room ? 2 * room : 64;
            const struct json **events = arena_array(arena, room, sizeof *events);
            if (!events) return cli_no_memory(cli);
            if (out->count) memcpy(events, out->events, out->count * sizeof *events);
            out->events = events;
        }
        out->events[out->count++] = event;
    }
}

/* Everything that is printed is safe for a terminal already, or is JSON. */
static int print(struct cli *cli, const struct trace_events *trace, struct arena *arena,
                 bool json) {
    struct buf out;
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    struct block_writer writer =
        cli->options[OPTION_HTML] ? trace_page_writer(&out) : trace_text_writer(&out);
    if (json) trace_summary(&out, trace);
    else trace_walk(&writer, trace, arena);
    int code = arena->oom ? cli_no_memory(cli) : cli_send_json_buf(cli, &out);
    buf_free(&out);
    return code;
}

int cmd_trace(struct cli *cli) {
    const char *format = cli->options[OPTION_FORMAT];
    bool json = format && strcmp(format, "json") == 0;
    struct trace_events trace = {.count = 0};
    struct arena arena;
    if (cli->operand_count != 1) return cli_usage(cli, "trace: name one trace");
    if (format && !json && strcmp(format, "text") != 0)
        return cli_usage(cli, "--format takes text or json, not %s", format);
    if (json && cli->options[OPTION_HTML])
        return cli_usage(cli, "trace: --html or --format json, not both");
    const struct cli_file *file = cli_read(cli, cli->operands[0]);
    if (!file) return cli->failure;
    arena_init(&arena, &cli->allocator);
    int code = read_events(cli, file, &arena, &trace);
    if (code == EXIT_FINE) code = print(cli, &trace, &arena, json);
    arena_free(&arena);
    return code;
}
