/* Turns a regular expression into texts that it probably matches, as guesses for samples. It reads
 * what people write in schemas: literals, classes, groups, alternatives, quantifiers; looks ahead
 * and back-references are passed over. A wrong guess does no harm: the validator evaluates it. */
#include "jsonschema/subsume/subsume.h"

#include "base/text.h"

enum { DEEPEST_GROUP = 30, LONGEST_GUESS = 400, MOST_REPEATS = 60, MOST_ATOMS = 20000 };

struct guesser {
    struct buf *out;
    gramc_text pattern;
    size_t at;
    uint32_t taste; /* which of several ways is gone: bits, used up one by one */
    uint32_t atoms; /* that may still be read: groups that repeat groups are read again and again */
    int depth;
};

static void put_alternatives(struct guesser *g, bool quiet);

static char peek(const struct guesser *g, size_t ahead) {
    return g->at + ahead < g->pattern.len ? g->pattern.ptr[g->at + ahead] : '\0';
}

static uint32_t choose(struct guesser *g, uint32_t ways) {
    uint32_t choice = ways ? g->taste % ways : 0;
    g->taste = ways > 1 ? g->taste / ways + choice : g->taste;
    return choice;
}

static void put(struct guesser *g, const char *bytes, size_t len, bool quiet) {
    if (!quiet && g->out->len + len < LONGEST_GUESS) buf_put(g->out, bytes, len);
}

/* ## Atoms */

static const char *members_of_escape(char letter) {
    switch (letter) {
    case 'd': return "0519";
    case 'w': return "a1_Z";
    case 's': return " ";
    case 'D':
    case 'S': return "aZ-.";
    case 'W': return "- .!";
    case 'n': return "\n";
    case 't': return "\t";
    default: return NULL;
    }
}

static void put_escape(struct guesser *g, bool quiet) {
    char letter = peek(g, 1);
    const char *members = members_of_escape(letter);
    g->at += letter ? 2 : 1;
    if (letter == 'b' || letter == 'B') return;
    if (members) put(g, members + choose(g, (uint32_t)text_of(members).len), 1, quiet);
    else put(g, &letter, 1, quiet);
}

/* Marks what a class names, in ASCII. */
static void read_class(struct guesser *g, bool *marked) {
    bool first = true;
    for (; g->at < g->pattern.len && (first || peek(g, 0) != ']'); first = false) {
        char low = peek(g, 0), high = low;
        const char *members = low == '\\' ? members_of_escape(peek(g, 1)) : NULL;
        if (low == '\\') low = high = peek(g, 1);
        g->at += peek(g, 0) == '\\' ? 2 : 1;
        for (const char *m = members; m && *m; m++) marked[(unsigned char)*m & 127] = true;
        if (members) continue;
        if (peek(g, 0) == '-' && peek(g, 1) && peek(g, 1) != ']') {
            high = peek(g, 1);
            g->at += 2;
        }
        for (int c = low; c <= high && c >= 0; c++) marked[c & 127] = true;
    }
    g->at++;
}

static void put_class(struct guesser *g, bool quiet) {
    bool marked[128] = {false};
    char members[128];
    uint32_t count = 0;
    g->at++;
    bool inverted = peek(g, 0) == '^';
    if (inverted) g->at++;
    read_class(g, marked);
    for (int c = 0x20; c < 0x7F; c++)
        if (marked[c] != inverted) members[count++] = (char)c;
    if (count == 0) return;
    uint32_t end = choose(g, 3);
    put(g, &members[end == 0 ? 0 : end == 1 ? count - 1 : count / 2], 1, quiet);
}

/* (...), (?:...), (?<name>...); what only looks is read and not written. */
static void put_group(struct guesser *g, bool quiet) {
    g->at++;
    if (peek(g, 0) == '?') {
        char kind = peek(g, 1);
        bool named = kind == '<' && peek(g, 2) != '=' && peek(g, 2) != '!';
        quiet = quiet || (kind != ':' && !named);
        while (named && g->at < g->pattern.len && peek(g, 0) != '>') g->at++;
        g->at += named ? 1 : 2;
    }
    if (g->depth < DEEPEST_GROUP) {
        g->depth++;
        put_alternatives(g, quiet);
        g->depth--;
    } else {
        g->at = g->pattern.len;
    }
    if (peek(g, 0) == ')') g->at++;
}

static void put_atom(struct guesser *g, bool quiet) {
    char c = peek(g, 0);
    if (g->atoms == 0) g->at = g->pattern.len;
    if (g->atoms == 0) return;
    g->atoms--;
    if (c == '\\') put_escape(g, quiet);
    else if (c == '[') put_class(g, quiet);
    else if (c == '(') put_group(g, quiet);
    else {
        g->at++;
        if (c == '^' || c == '$') return;
        put(g, c == '.' ? "x" : &c, 1, quiet);
    }
}

/* ## Quantifiers, sequences, alternatives */

static uint32_t read_number(struct guesser *g) {
    uint32_t number = 0;
    for (; peek(g, 0) >= '0' && peek(g, 0) <= '9'; g->at++)
        if (number < 10000) number = number * 10 + (uint32_t)(peek(g, 0) - '0');
    return number;
}

/* {2}, {2,}, {2,5} */
static void read_braces(struct guesser *g, uint32_t *least, uint32_t *most) {
    g->at++;
    *least = *most = read_number(g);
    if (peek(g, 0) == ',') {
        g->at++;
        *most = peek(g, 0) == '}' ? *least + 3 : read_number(g);
    }
    if (peek(g, 0) == '}') g->at++;
}

static uint32_t read_repeats(struct guesser *g) {
    uint32_t least = 1, most = 1, way = 0;
    char c = peek(g, 0);
    bool braces = c == '{' && peek(g, 1) >= '0' && peek(g, 1) <= '9';
    if (braces) read_braces(g, &least, &most);
    else if (c == '?' || c == '*' || c == '+') {
        least = c == '+' ? 1 : 0;
        most = c == '?' ? 1 : 4;
        g->at++;
    } else {
        return 1;
    }
    if (peek(g, 0) == '?') g->at++;
    if (most > least) way = choose(g, 3);
    if (most > MOST_REPEATS) most = MOST_REPEATS;
    return way == 0 || most <= least ? least : way == 1 ? most : least + 1;
}

static void put_repeated(struct guesser *g, bool quiet) {
    size_t start = g->at;
    put_atom(g, true);
    uint32_t repeats = read_repeats(g);
    size_t end = g->at;
    for (uint32_t i = 0; i < repeats && !quiet && g->out->len < LONGEST_GUESS; i++) {
        g->at = start;
        put_atom(g, false);
    }
    g->at = end;
}

static void put_sequence(struct guesser *g, bool quiet) {
    while (g->at < g->pattern.len && peek(g, 0) != '|' && peek(g, 0) != ')') put_repeated(g, quiet);
}

static void put_alternatives(struct guesser *g, bool quiet) {
    size_t start = g->at;
    uint32_t ways = 1, taste = g->taste;
    put_sequence(g, true);
    for (; peek(g, 0) == '|'; ways++) {
        g->at++;
        put_sequence(g, true);
    }
    size_t end = g->at;
    if (quiet) return;
    g->taste = taste;
    g->at = start;
    for (uint32_t skip = choose(g, ways); skip > 0; skip--) {
        put_sequence(g, true);
        g->at++;
    }
    put_sequence(g, false);
    g->at = end;
}

void pattern_guess(struct buf *out, gramc_text pattern, uint32_t taste) {
    struct guesser g = {out, pattern, 0, taste, MOST_ATOMS, 0};
    put_alternatives(&g, false);
}
