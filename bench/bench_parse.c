/* How fast a spec is parsed and how much memory its tree takes: 10 MB of agents with tools, parsed
 * several times; prints the best. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/pages.h"
#include "base/text.h"
#include "bench/spec_text.h"
#include "grammar/lexer.h"
#include "grammar/parse.h"

enum { ROUNDS = 9 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static size_t count_tokens(const struct source *source) {
    struct lexer lexer;
    size_t count = 1;
    lexer_init(&lexer, source);
    while (lexer_next(&lexer).code != 0) count++;
    return count;
}

int main(void) {
    struct buf text;
    const gramc_allocator allocator = pages_allocator(); /* as gramc itself does */
    double best = 1e9, memory = 0;
    spec_text(&text, 10000000);
    if (buf_status(&text) != GRAMC_OK) return 1;
    struct source source = {.name = TEXT("bench"), .text = buf_view(&text)};
    for (int round = 0; round < ROUNDS; round++) {
        struct arena arena;
        struct findings findings;
        arena_init(&arena, &allocator);
        findings_init(&findings, &arena, 0);
        double start = seconds();
        const struct tree *tree = parse_source(&arena, &findings, &source, NULL);
        double time = seconds() - start;
        if (!tree || findings_have_errors(&findings)) return 1;
        if (time < best) best = time;
        memory = (double)arena.total / (double)text.len;
        arena_free(&arena);
    }
    size_t tokens = count_tokens(&source);
    printf("parse: %.0f MB/s, %.1f ns a token (%zu tokens), memory %.2f times the source\n",
           (double)text.len / best / 1e6, best * 1e9 / (double)tokens, tokens, memory);
    buf_free(&text);
    return 0;
}
