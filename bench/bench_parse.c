/* How fast a spec is parsed and how much memory its tree takes: 10 MB of agents with tools, made
 * here, parsed several times; prints the best. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "grammar/lexer.h"
#include "grammar/parse.h"

enum { SIZE = 10000000, ROUNDS = 9 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void make_agents(struct buf *out) {
    for (unsigned i = 0; out->len < SIZE; i++)
        buf_printf(
            out,
            "[agent_%u:Agent {\n"
            "  description: \"A friendly agent that greets people and answers questions %u\",\n"
            "  instruction: \"You are a friendly assistant. Be brief; use tools when needed.\",\n"
            "  model: \"OpenAI/gpt-4o-mini\", temperature: 0.7, maxIterations: 10\n"
            "} |\n"
            "  [sayHello_%u:Tool { description: \"Returns a friendly greeting for a name\" } |\n"
            "    (personName::Text {default: \"world\"})==>(::String)\n"
            "  ],\n"
            "  [add_%u:Tool { description: \"Adds two numbers\" } | // both are integers\n"
            "    (a::Int {min: 0, max: 100})==>(b::Int {default: 18})==>(::Int)\n"
            "  ]\n"
            "]\n",
            i, i, i, i);
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
    double best = 1e9, memory = 0;
    buf_init(&text, NULL, SIZE + 10000);
    make_agents(&text);
    if (buf_status(&text) != GRAMC_OK) return 1;
    struct source source = {.name = TEXT("bench"), .text = buf_view(&text)};
    for (int round = 0; round < ROUNDS; round++) {
        struct arena arena;
        struct findings findings;
        arena_init(&arena, NULL);
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
