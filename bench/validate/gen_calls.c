/* Writes tool calls for schemas.json, the same for the same seed:
 *     gen_calls COUNT SEED [shuffled] >calls.tsv
 * Each line is "tool TAB expected TAB text": 90 % valid calls, 9 % with a mistake that models make,
 * 1 % cut off. Half of the texts are compact, half have blanks; a few have escapes or letters
 * beyond ASCII. `shuffled` gives the members in any order. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/validate/workload.h"

enum { MOST_MEMBERS = 8, MOST_TEXT = 2000 };

struct text {
    char bytes[MOST_TEXT];
    size_t len;
};

struct member {
    const char *name;
    struct text value;
};

struct call {
    struct member members[MOST_MEMBERS];
    size_t count;
};

struct generator {
    struct random random;
    bool shuffled, spaced, escaped;
};

static uint32_t draw(struct generator *g, uint32_t below) {
    return random_below(&g->random, below);
}

static bool chance(struct generator *g, uint32_t percent) {
    return draw(g, 100) < percent;
}

static void put(struct text *text, const char *bytes) {
    size_t len = strlen(bytes);
    if (text->len + len >= MOST_TEXT) return;
    memcpy(text->bytes + text->len, bytes, len + 1);
    text->len += len;
}

static void put_number(struct text *text, uint32_t number) {
    char digits[16];
    snprintf(digits, sizeof digits, "%u", (unsigned)number);
    put(text, digits);
}

/* Some words in quotes; rarely with an escape, or letters beyond ASCII. */
static void put_words(struct generator *g, struct text *text, uint32_t least, uint32_t most) {
    uint32_t count = least + draw(g, most - least + 1);
    bool foreign = chance(g, 15);
    put(text, "\"");
    for (uint32_t i = 0; i < count; i++) {
        const char *word = random_word(&g->random, foreign);
        if (i) put(text, g->escaped && chance(g, 10) ? "\\n" : " ");
        put(text, word);
    }
    if (g->escaped) put(text, " \\\"\\u00e9\\\"");
    put(text, "\"");
}

static struct text *add(struct call *call, const char *name) {
    struct member *member = &call->members[call->count++];
    member->name = name;
    member->value.len = 0;
    member->value.bytes[0] = '\0';
    return &member->value;
}

static void add_choice(struct generator *g, struct call *call, const char *name,
                       const char *const *choices, uint32_t count) {
    struct text *text = add(call, name);
    put(text, "\"");
    put(text, choices[draw(g, count)]);
    put(text, "\"");
}

static void add_list(struct generator *g, struct call *call, const char *name, uint32_t most) {
    struct text *text = add(call, name);
    uint32_t count = 1 + draw(g, most);
    put(text, "[");
    for (uint32_t i = 0; i < count; i++) {
        if (i) put(text, g->spaced ? ", " : ",");
        put_words(g, text, 1, 2);
    }
    put(text, "]");
}

static void put_call(struct generator *g, const struct call *call, struct text *out) {
    size_t order[MOST_MEMBERS];
    for (size_t i = 0; i < call->count; i++) order[i] = i;
    for (size_t i = call->count; g->shuffled && i > 1; i--) {
        size_t other = draw(g, (uint32_t)i), kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    put(out, "{");
    for (size_t i = 0; i < call->count; i++) {
        const struct member *member = &call->members[order[i]];
        if (i) put(out, g->spaced ? ", " : ",");
        put(out, "\"");
        put(out, member->name);
        put(out, g->spaced ? "\": " : "\":");
        put(out, member->value.bytes);
    }
    put(out, "}");
}

static void add_bool(struct generator *g, struct call *call, const char *name) {
    put(add(call, name), chance(g, 50) ? "true" : "false");
}

static void find_trains(struct generator *g, struct call *call) {
    static const char *const classes[] = {"first", "second"};
    put_words(g, add(call, "from"), 1, 2);
    put_words(g, add(call, "to"), 1, 2);
    if (chance(g, 60)) add_choice(g, call, "class", classes, 2);
    if (chance(g, 60)) put_number(add(call, "seats"), 1 + draw(g, 9));
    if (chance(g, 40)) add_bool(g, call, "direct");
    if (chance(g, 20)) put_words(g, add(call, "remarks"), 3, 8);
}

static void search_notes(struct generator *g, struct call *call) {
    static const char *const orders[] = {"newest", "oldest", "relevance", "title"};
    put_words(g, add(call, "query"), 2, 8);
    put_number(add(call, "limit"), 1 + draw(g, 100));
    if (chance(g, 60)) add_choice(g, call, "order", orders, 4);
    if (chance(g, 40)) add_list(g, call, "folders", 3);
    if (chance(g, 30)) add_bool(g, call, "archived");
}

static void send_message(struct generator *g, struct call *call) {
    static const char *const urgencies[] = {"low", "normal", "high"};
    add_list(g, call, "recipients", 2);
    put_words(g, add(call, "subject"), 2, 6);
    put_words(g, add(call, "text"), 8, 20);
    if (chance(g, 30)) add_choice(g, call, "urgency", urgencies, 3);
}

static void place_order(struct generator *g, struct call *call) {
    struct call buyer = {.count = 0};
    put_number(add(&buyer, "number"), 1 + draw(g, 999999));
    put_words(g, add(&buyer, "name"), 2, 2);
    put_call(g, &buyer, add(call, "buyer"));
    struct text *lines = add(call, "lines");
    put(lines, "[");
    for (uint32_t i = 0, count = 1 + draw(g, 3); i < count; i++) {
        struct call line = {.count = 0};
        put_words(g, add(&line, "article"), 1, 1);
        put_number(add(&line, "count"), 1 + draw(g, 20));
        struct text *price = add(&line, "price");
        put_number(price, draw(g, 1000));
        put(price, ".");
        put_number(price, 10 + draw(g, 90));
        if (i) put(lines, g->spaced ? ", " : ",");
        put_call(g, &line, lines);
    }
    put(lines, "]");
    if (chance(g, 30)) put_words(g, add(call, "voucher"), 1, 1);
}

static void query_table(struct generator *g, struct call *call) {
    static const char *const comparisons[] = {"=", "<>", "<", "<=", ">", ">=", "like"};
    put_words(g, add(call, "table"), 1, 1);
    add_list(g, call, "columns", 5);
    if (chance(g, 70)) {
        struct text *where = add(call, "where");
        struct call test = {.count = 0};
        put_words(g, add(&test, "column"), 1, 1);
        add_choice(g, &test, "is", comparisons, 7);
        put_words(g, add(&test, "value"), 1, 3);
        put(where, "[");
        put_call(g, &test, where);
        put(where, "]");
    }
    put_number(add(call, "limit"), 1 + draw(g, 10000));
    if (chance(g, 40)) put_number(add(call, "offset"), draw(g, 500));
}

/* A mistake that makes the call invalid, whatever the tool: its first member is required. */
static void spoil(struct generator *g, struct call *call) {
    struct text *first = &call->members[0].value;
    switch (draw(g, 4)) {
    case 0: /* forgotten */
        memmove(call->members, call->members + 1, (call->count - 1) * sizeof call->members[0]);
        call->count--;
        break;
    case 1: put_words(g, add(call, "thoughts"), 1, 3); break;
    case 2:
        first->len = 0;
        put(first, "null");
        break;
    default: first->len = 0; put_number(first, draw(g, 100));
    }
}

static void write_line(struct generator *g) {
    static void (*const tools[])(struct generator *, struct call *) = {
        find_trains, search_notes, send_message, place_order, query_table};
    struct call call = {.count = 0};
    struct text out = {.len = 0};
    uint32_t tool = draw(g, 5), fate = draw(g, 100);
    g->spaced = chance(g, 50);
    g->escaped = chance(g, 15);
    tools[tool](g, &call);
    if (fate < 9) spoil(g, &call);
    put_call(g, &call, &out);
    if (fate == 9) out.bytes[1 + draw(g, (uint32_t)out.len - 1)] = '\0';
    printf("%u\t%d\t%s\n", (unsigned)tool, fate < 9 ? 0 : fate == 9 ? 2 : 1, out.bytes);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fputs("usage: gen_calls COUNT SEED [shuffled]\n", stderr);
        return 2;
    }
    unsigned long count = strtoul(argv[1], NULL, 10);
    struct generator g = {.shuffled = argc > 3};
    random_seed(&g.random, strtoul(argv[2], NULL, 10));
    while (count--) write_line(&g);
    return 0;
}
