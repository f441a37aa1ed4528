/* Fuzzes the grammar layer: any bytes to a tree and findings; every printer over the tree; and if
 * there was no error, gram printed from the tree must parse to a tree that prints the same. The
 * first byte chooses plain gram or not. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/text.h"
#include "grammar/parse.h"
#include "grammar/print.h"
#include "tests/printing/print_gram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_OUTPUT = 1 << 26 };

struct reading {
    struct arena arena;
    struct findings findings;
    struct source source;
    struct tree *tree;
};

static void read_text(struct reading *reading, gramc_text text, bool plain) {
    const struct parse_options options = {.plain = plain};
    arena_init(&reading->arena, NULL);
    findings_init(&reading->findings, &reading->arena, 0);
    reading->source = (struct source){.name = TEXT("fuzz"), .text = text};
    reading->tree = parse_source(&reading->arena, &reading->findings, &reading->source, &options);
    if (!reading->tree) abort();
}

static struct buf print(const struct reading *reading,
                        void (*printer)(struct buf *, const struct tree *)) {
    struct buf out;
    buf_init(&out, NULL, MOST_OUTPUT);
    printer(&out, reading->tree);
    if (out.state == BUF_NOMEM) abort();
    return out;
}

static bool same(const struct buf *a, const struct buf *b) {
    return a->state == b->state && text_eq(buf_view(a), buf_view(b));
}

static void check_findings(struct reading *reading) {
    struct buf out;
    buf_init(&out, NULL, MOST_OUTPUT);
    for (const struct finding *f = reading->findings.first; f; f = f->next) {
        if (f->span.start > f->span.end || f->span.end > reading->source.text.len) abort();
        if (f->message.len == 0) abort();
    }
    findings_sort(&reading->findings);
    struct diag_report report = {.sources = &reading->source,
                                 .findings = &reading->findings,
                                 .fails = GRAMC_ERROR,
                                 .command = "check",
                                 .language = "gram"};
    diag_print_text(&out, &report);
    diag_print_json(&out, &report);
    if (out.state == BUF_FINE && !text_is_utf8(buf_view(&out))) abort();
    buf_free(&out);
}

static void check_json(const struct reading *reading, const struct buf *json) {
    struct arena arena;
    if (json->state != BUF_FINE || findings_have_errors(&reading->findings)) return;
    arena_init(&arena, NULL);
    struct json_error error = {0};
    if (!json_parse(&arena, text_trim(buf_view(json)), &error) && !error.limit) abort();
    arena_free(&arena);
}

static void check_round_trip(const struct reading *reading, const struct buf *json) {
    struct reading again;
    if (findings_have_errors(&reading->findings)) return;
    struct buf gram = print(reading, print_gram);
    read_text(&again, buf_view(&gram), false);
    struct buf gram_again = print(&again, print_gram), json_again = print(&again, print_json);
    if (!same(&gram, &gram_again) || !same(json, &json_again)) abort();
    buf_free(&gram);
    buf_free(&gram_again);
    buf_free(&json_again);
    arena_free(&again.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct reading reading;
    if (size == 0) return 0;
    char *text = malloc(size);
    if (!text) abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    read_text(&reading, (gramc_text){text, size - 1}, data[0] & 1);
    check_findings(&reading);
    struct buf json = print(&reading, print_json), sexp = print(&reading, print_sexp),
               listing = print(&reading, print_text);
    check_json(&reading, &json);
    check_round_trip(&reading, &json);
    buf_free(&json);
    buf_free(&sexp);
    buf_free(&listing);
    arena_free(&reading.arena);
    free(text);
    return 0;
}
