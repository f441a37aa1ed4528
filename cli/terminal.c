/* Sends JSON and other texts to standard output. On a terminal, characters that could move a cursor
 * or turn text round are spelled out, in JSON by its own escapes: the same document, to be read and
 * not to be obeyed. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <unistd.h>

#include "base/text.h"

/* Outside strings JSON has none of these characters, and inside any may be an escape. */
static void put_escape(FILE *file, uint32_t c) {
    uint32_t over = c - 0x10000;
    if (c < 0x10000) fprintf(file, "\\u%04x", (unsigned)c);
    else
        fprintf(file, "\\u%04x\\u%04x", (unsigned)(0xD800 + (over >> 10)),
                (unsigned)(0xDC00 + (over & 0x3FF)));
}

void cli_put_json_safe(FILE *file, gramc_text json) {
    for (size_t pos = 0; pos < json.len;) {
        size_t start = pos;
        uint32_t c = text_decode(json, &pos);
        if (c == UINT32_MAX) fputs("\\ufffd", file);
        else if (c != '\r' && text_is_treacherous(c)) put_escape(file, c);
        else fwrite(json.ptr + start, 1, pos - start, file);
    }
}

bool cli_is_terminal(const struct cli *cli) {
    return isatty(fileno(cli->out)) == 1;
}

int cli_send_json(struct cli *cli, gramc_text json) {
    if (cli_is_terminal(cli)) cli_put_json_safe(cli->out, json);
    else fwrite(json.ptr, 1, json.len, cli->out);
    return ferror(cli->out) ? cli_status(cli, GRAMC_IO) : EXIT_FINE;
}

int cli_send_json_buf(struct cli *cli, const struct buf *json) {
    gramc_status status = buf_status(json);
    return status == GRAMC_OK ? cli_send_json(cli, buf_view(json)) : cli_status(cli, status);
}

/* ## Texts that come whole, as printers of the library hand them out */

static int write_json(void *ctx, const char *bytes, size_t len) {
    return cli_send_json(ctx, (gramc_text){bytes, len}) == EXIT_FINE ? 0 : 1;
}

gramc_writer cli_json_writer(struct cli *cli) {
    return (gramc_writer){write_json, cli};
}

static void put_lines(FILE *file, gramc_text text) {
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = text_decode(text, &pos);
        bool ends_line = c == '\n' || (c == '\r' && pos < text.len && text.ptr[pos] == '\n');
        if (ends_line) fwrite(text.ptr + start, 1, pos - start, file);
        else cli_put_safe(file, text_slice(text, start, pos));
    }
}

static int write_text(void *ctx, const char *bytes, size_t len) {
    struct cli *cli = ctx;
    if (cli_is_terminal(cli)) put_lines(cli->out, (gramc_text){bytes, len});
    else fwrite(bytes, 1, len, cli->out);
    return ferror(cli->out) ? 1 : 0;
}

gramc_writer cli_text_writer(struct cli *cli) {
    return (gramc_writer){write_text, cli};
}
