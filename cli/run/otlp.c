/* --otlp: the spans of the run go to a collector when it is over. A collector that is down costs a
 * warning, never the run. Headers come from OTEL_EXPORTER_OTLP_HEADERS, as other programs have it:
 * what stands in argv can be read by everybody on the machine. */
#include "cli/run/otlp.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { HEADERS_MAX = 31, HEADERS_SIZE = 16384 };

int otlp_start(struct cli *cli, gramc_spans **out) {
    const char *url = cli->options[OPTION_OTLP], *service = getenv("OTEL_SERVICE_NAME");
    gramc_spans_options options = GRAMC_SPANS_OPTIONS_INIT;
    bool web = url && (strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0);
    *out = NULL;
    if (!url && cli->options[OPTION_OTLP_CONTENT])
        return cli_usage(cli, "--otlp-content says what --otlp sends; name a collector with it");
    if (!url) return EXIT_FINE;
    if (!web)
        return cli_usage(cli, "--otlp takes an address with http:// or https://, not %s", url);
    options.allocator = &cli->allocator;
    options.service = text_of(service ? service : "");
    options.content = cli->options[OPTION_OTLP_CONTENT] != NULL;
    return cli_status(cli, gramc_spans_new(out, &options));
}

/* ## Headers: `name=value,name=value`, values percent-encoded */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void put_decoded(struct buf *out, gramc_text value) {
    for (size_t i = 0; i < value.len; i++) {
        bool escape = value.ptr[i] == '%' && i + 2 < value.len &&
                      hex_digit(value.ptr[i + 1]) >= 0 && hex_digit(value.ptr[i + 2]) >= 0;
        if (!escape) {
            buf_putc(out, value.ptr[i]);
            continue;
        }
        buf_putc(out, (char)(16 * hex_digit(value.ptr[i + 1]) + hex_digit(value.ptr[i + 2])));
        i += 2;
    }
}

/* "name: value" and a NUL; nothing for what is no header, or would be several. */
static bool put_header(struct buf *out, gramc_text pair) {
    size_t equals = 0, start = out->len;
    while (equals < pair.len && pair.ptr[equals] != '=') equals++;
    gramc_text name = text_trim(text_slice(pair, 0, equals));
    if (equals == pair.len || !name.len) return false;
    buf_text(out, name);
    buf_puts(out, ": ");
    put_decoded(out, text_trim(text_slice(pair, equals + 1, pair.len)));
    for (size_t i = start; i < out->len; i++)
        if ((unsigned char)out->ptr[i] < 0x20) return false;
    buf_putc(out, '\0');
    return buf_status(out) == GRAMC_OK;
}

/* False: there is something that is no list of headers. */
static bool read_headers(struct buf *texts, const char *headers[HEADERS_MAX + 1]) {
    const char *variable = getenv("OTEL_EXPORTER_OTLP_HEADERS");
    gramc_text list = text_of(variable ? variable : "");
    size_t offsets[HEADERS_MAX], count = 0;
    while (text_trim(list).len) {
        const char *comma = memchr(list.ptr, ',', list.len);
        size_t len = comma ? (size_t)(comma - list.ptr) : list.len;
        if (count == HEADERS_MAX) return false;
        offsets[count++] = texts->len;
        if (!put_header(texts, text_slice(list, 0, len))) return false;
        list = text_slice(list, comma ? len + 1 : len, list.len);
    }
    for (size_t i = 0; i < count; i++) headers[i] = texts->ptr + offsets[i];
    headers[count] = NULL;
    return true;
}

static void warn(struct cli *cli, const char *why) {
    fputs("gramc: warning: the spans did not reach their collector: ", cli->err);
    run_print_hostile(cli->err, text_of(why));
    fputc('\n', cli->err);
}

int otlp_send(struct cli *cli, const gramc_spans *spans, gramc_loop *loop) {
    gramc_spans_target target = GRAMC_SPANS_TARGET_INIT;
    const char *headers[HEADERS_MAX + 1];
    struct buf texts;
    char why[256] = "";
    if (!spans) return EXIT_FINE;
    buf_init_secret(&texts, &cli->allocator, HEADERS_SIZE);
    gramc_status status = GRAMC_OK;
    bool fine = read_headers(&texts, headers);
    if (fine) {
        target.url = text_of(cli->options[OPTION_OTLP]);
        target.headers = headers;
        struct interrupt *interrupt = interrupt_start(cli, loop);
        status = gramc_spans_send(spans, loop, &target, why);
        interrupt_stop(cli, interrupt);
    }
    if (buf_status(&texts) == GRAMC_NOMEM) status = GRAMC_NOMEM;
    buf_free(&texts);
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    if (!fine) warn(cli, "OTEL_EXPORTER_OTLP_HEADERS is no list of name=value");
    else if (status == GRAMC_LIMIT) warn(cli, "they are too large");
    else if (status) warn(cli, why[0] ? why : "that is no address");
    return EXIT_FINE;
}
