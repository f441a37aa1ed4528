/* Fuzzes what is shown of a trace: any bytes that are one become a text and a page without a
 * character that could act, and a summary that is JSON. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/trace_read.h"
#include "base/text.h"
#include "cli/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_EVENTS = 256 };

static void demand(bool condition) {
    if (!condition) abort();
}

static void demand_harmless(gramc_text text) {
    for (size_t pos = 0; pos < text.len;) {
        uint32_t c = text_decode(text, &pos);
        demand(c != UINT32_MAX && !text_is_treacherous(c));
    }
}

/* Between its end tag and that of the page no markup is but ours. */
static void demand_markup(gramc_text page) {
    static const char *const ours[] = {"section",  "h2",      "pre",     "small", "dl",   "dt",
                                       "dd",       "details", "summary", "body",  "html", "h1",
                                       "!doctype", "head",    "meta",    "style", "title"};
    for (size_t i = 0; i < page.len; i++) {
        bool known = page.ptr[i] != '<';
        size_t at = i + 1 + (i + 1 < page.len && page.ptr[i + 1] == '/');
        for (size_t j = 0; !known && j < sizeof ours / sizeof *ours; j++)
            known = text_starts(text_slice(page, at, page.len), ours[j]);
        demand(known);
    }
}

static void show(const struct trace_events *trace, struct arena *arena, bool page) {
    struct buf out;
    buf_init(&out, NULL, 1 << 26);
    struct block_writer writer = page ? trace_page_writer(&out) : trace_text_writer(&out);
    trace_walk(&writer, trace, arena);
    demand(buf_status(&out) == GRAMC_OK && !arena->oom);
    demand_harmless(buf_view(&out));
    if (page) demand_markup(buf_view(&out));
    buf_free(&out);
}

static void summarize(const struct trace_events *trace, struct arena *arena) {
    struct buf out;
    buf_init(&out, NULL, 1 << 26);
    trace_summary(&out, trace);
    demand(json_is(json_parse(arena, buf_view(&out), NULL), JSON_OBJECT));
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct json *events[MOST_EVENTS], *event;
    struct trace_events trace = {.events = events};
    struct arena arena;
    if (size > 1 << 16) return 0;
    arena_init(&arena, NULL);
    struct trace_reader reader = {.arena = &arena, .text = {(const char *)data, size}};
    while (trace.count < MOST_EVENTS && trace_next(&reader, &event) == GRAMC_OK && event)
        events[trace.count++] = event;
    if (trace.count) {
        show(&trace, &arena, false);
        show(&trace, &arena, true);
        summarize(&trace, &arena);
    }
    arena_free(&arena);
    return 0;
}
