/* Turns a pattern for which PCRE2 has no words (a lookbehind of any length, a reference into a loop
 * or ahead, more than its code can hold) into a program for regex_run.c. The pattern is one that
 * regex_translate took: only what PCRE2 has to say about a set of characters can be wrong here. */
#include <string.h>

#include "base/text.h"
#include "jsonschema/regex_inside.h"

enum node_kind { NODE_TEXT, NODE_ONE, NODE_GROUP, NODE_LOOK, NODE_ASSERT, NODE_SAME };

struct re_branch;

struct re_node {
    struct re_node *next, *before;
    enum node_kind kind;
    bool lazy, back, negative;
    enum regex_op op; /* of an assertion */
    uint32_t least, most;
    uint32_t number;                 /* of the set or the group; 0: it captures nothing */
    uint32_t first_group, end_group; /* that stand inside */
    gramc_text text;
    struct re_branch *branches;
};

struct re_branch {
    struct re_branch *next;
    struct re_node *first, *last;
};

struct re_set {
    struct re_set *next;
    gramc_text text; /* as PCRE2 takes it */
    size_t position;
    uint32_t single;
    uint32_t index;
};

struct pattern_reader {
    struct translator t;
    struct arena scratch;
    struct buf set_text;
    struct re_set *sets; /* newest first */
    uint32_t set_count;
    uint32_t groups;
    unsigned behind; /* lookbehinds that are open */
};

/* ## Reading */

static uint32_t set_of(struct pattern_reader *r, gramc_text text, size_t position,
                       uint32_t single) {
    for (struct re_set *set = r->sets; set; set = set->next)
        if (set->single == single && text_eq(set->text, text)) return set->index;
    struct re_set *set = ARENA_NEW(&r->scratch, struct re_set);
    if (!set) return 0;
    *set = (struct re_set){r->sets, arena_text(&r->scratch, text), position, single, r->set_count};
    r->sets = set;
    return r->set_count++;
}

static bool read_set(struct pattern_reader *r, struct re_node *node) {
    size_t position = r->t.pos;
    buf_reset(&r->set_text);
    r->t.out = &r->set_text;
    bool fine;
    switch (pattern_peek(&r->t, 0)) {
    case '[': fine = pattern_class(&r->t); break;
    case '.':
        r->t.pos++;
        buf_puts(&r->set_text, ".");
        fine = true;
        break;
    default: fine = pattern_set_escape(&r->t, false);
    }
    node->kind = NODE_ONE;
    node->number = set_of(r, buf_view(&r->set_text), position, 0);
    return fine && r->set_text.state == BUF_FINE;
}

/* A single character, either text or, with a quantifier behind it, a set. */
static bool read_text(struct pattern_reader *r, struct re_node *node) {
    size_t start = r->t.pos;
    uint32_t code_point;
    node->kind = NODE_TEXT;
    if (pattern_peek(&r->t, 0) != '\\') {
        text_decode(r->t.pattern, &r->t.pos);
        node->text = text_slice(r->t.pattern, start, r->t.pos);
        return true;
    }
    if (!pattern_character(&r->t, &code_point)) return false;
    char bytes[4];
    node->text = arena_text(&r->scratch, (gramc_text){bytes, text_encode(bytes, code_point)});
    return node->text.ptr != NULL;
}

static void read_quantifier(struct pattern_reader *r, struct re_node *node) {
    char c = pattern_peek(&r->t, 0);
    size_t len = c == '*' || c == '+' || c == '?';
    if (c == '{') len = pattern_braces(&r->t, &node->least, &node->most);
    if (len == 0) return;
    if (c != '{') {
        node->least = c == '+';
        node->most = c == '?' ? 1 : REPEAT_MAX;
    }
    r->t.pos += len;
    node->lazy = pattern_peek(&r->t, 0) == '?';
    if (node->lazy) r->t.pos++;
    if (node->kind != NODE_TEXT) return;
    size_t at = 0;
    node->kind = NODE_ONE;
    node->number = set_of(r, node->text, r->t.pos, text_decode(node->text, &at));
}

static struct re_branch *read_branches(struct pattern_reader *r);
static bool share_starts(struct pattern_reader *r, struct re_branch **branches);

/* pos is at the '('. */
static bool read_group(struct pattern_reader *r, struct re_node *node) {
    node->kind = NODE_GROUP;
    node->first_group = r->groups + 1;
    r->t.pos++;
    if (pattern_peek(&r->t, 0) == '?') {
        char second = pattern_peek(&r->t, 1), third = pattern_peek(&r->t, 2);
        bool back = second == '<' && (third == '=' || third == '!');
        char look = back ? third : second;
        bool looks = look == '=' || look == '!';
        if (looks) node->kind = NODE_LOOK;
        node->back = back;
        node->negative = looks && look == '!';
        if (second == '<' && !back) node->number = ++r->groups;
        while (node->number && pattern_peek(&r->t, 0) != '>') r->t.pos++;
        r->t.pos += node->number ? 1 : back ? 3 : 2;
    } else {
        node->number = ++r->groups;
    }
    r->behind += node->back;
    node->branches = read_branches(r);
    r->behind -= node->back;
    node->end_group = r->groups + 1;
    r->t.pos++;
    return node->branches != NULL;
}

static bool read_assertion(struct pattern_reader *r, struct re_node *node, enum regex_op op,
                           size_t len) {
    node->kind = NODE_ASSERT;
    node->op = op;
    r->t.pos += len;
    return true;
}

static bool read_escape(struct pattern_reader *r, struct re_node *node) {
    char c = pattern_peek(&r->t, 1);
    if (c == 'b' || c == 'B') {
        node->negative = c == 'B';
        return read_assertion(r, node, RE_WORD, 2);
    }
    if (pattern_is_set_escape(c)) return read_set(r, node);
    if (c != 'k' && !(c >= '1' && c <= '9')) return read_text(r, node);
    node->kind = NODE_SAME;
    return pattern_reference(&r->t, &node->number);
}

static struct re_node *read_node(struct pattern_reader *r) {
    struct re_node *node = ARENA_NEW(&r->scratch, struct re_node);
    if (!node) return NULL;
    bool fine;
    node->least = node->most = 1;
    switch (pattern_peek(&r->t, 0)) {
    case '(': fine = read_group(r, node); break;
    case '^': fine = read_assertion(r, node, RE_BEGIN, 1); break;
    case '$': fine = read_assertion(r, node, RE_END, 1); break;
    case '[':
    case '.': fine = read_set(r, node); break;
    case '\\': fine = read_escape(r, node); break;
    default: fine = read_text(r, node);
    }
    if (!fine) return NULL;
    read_quantifier(r, node);
    return node;
}

/* Letters that follow each other become one text, if they do in the pattern. */
static void add_node(struct re_branch *branch, struct re_node *node) {
    struct re_node *last = branch->last;
    if (last && last->kind == NODE_TEXT && node->kind == NODE_TEXT &&
        last->text.ptr + last->text.len == node->text.ptr) {
        last->text.len += node->text.len;
        return;
    }
    node->before = last;
    *(last ? &last->next : &branch->first) = node;
    branch->last = node;
}

static struct re_branch *read_branches(struct pattern_reader *r) {
    struct re_branch *first = NULL, **link = &first;
    do {
        struct re_branch *branch = *link = ARENA_NEW(&r->scratch, struct re_branch);
        if (!branch) return NULL;
        if (first != branch) r->t.pos++;
        link = &branch->next;
        while (r->t.pos < r->t.pattern.len && !strchr("|)", pattern_peek(&r->t, 0))) {
            struct re_node *node = read_node(r);
            if (!node) return NULL;
            add_node(branch, node);
        }
    } while (pattern_peek(&r->t, 0) == '|' && r->t.pos < r->t.pattern.len);
    /* What is read towards the start differs at its end. */
    return r->behind || share_starts(r, &first) ? first : NULL;
}

/* ## Many words: those that begin alike are tried together, in their order */

enum { FEW_WORDS = 8 };

static bool are_words(const struct re_branch *branch) {
    size_t count = 0;
    for (; branch; branch = branch->next, count++)
        if (!branch->first || branch->first->kind != NODE_TEXT || !branch->first->text.len)
            return false;
    return count > FEW_WORDS;
}

/* Of all branches' first texts. */
static size_t common_length(const struct re_branch *branch) {
    gramc_text first = branch->first->text;
    size_t len = first.len;
    for (; branch; branch = branch->next) {
        gramc_text text = branch->first->text;
        size_t i = 0;
        while (i < len && i < text.len && text.ptr[i] == first.ptr[i]) i++;
        len = i;
    }
    return len;
}

/* Branches that begin alike become one: what they share, and then a group of what differs. */
static struct re_branch *shared(struct pattern_reader *r, struct re_branch *branches) {
    if (!branches->next) return branches;
    struct re_branch *branch = ARENA_NEW(&r->scratch, struct re_branch);
    struct re_node *text = ARENA_NEW(&r->scratch, struct re_node);
    struct re_node *group = ARENA_NEW(&r->scratch, struct re_node);
    if (!branch || !text || !group) return NULL;
    size_t len = common_length(branches);
    *text = (struct re_node){.next = group, .kind = NODE_TEXT, .least = 1, .most = 1};
    text->text = (gramc_text){branches->first->text.ptr, len};
    *group = (struct re_node){.before = text, .kind = NODE_GROUP, .least = 1, .most = 1};
    group->branches = branches;
    for (; branches; branches = branches->next) {
        branches->first->text.ptr += len;
        branches->first->text.len -= len;
    }
    *branch = (struct re_branch){.first = text, .last = group};
    return share_starts(r, &group->branches) ? branch : NULL;
}

/* By the first byte: which of two words that begin differently is tried first does not matter. */
static bool share_starts(struct pattern_reader *r, struct re_branch **branches) {
    if (!are_words(*branches)) return true;
    struct re_branch **firsts = arena_array(&r->scratch, 512, sizeof *firsts);
    if (!firsts) return false;
    struct re_branch **lasts = firsts + 256, *next;
    for (struct re_branch *branch = *branches; branch; branch = next) {
        unsigned char start = (unsigned char)branch->first->text.ptr[0];
        next = branch->next;
        branch->next = NULL;
        *(lasts[start] ? &lasts[start]->next : &firsts[start]) = branch;
        lasts[start] = branch;
    }
    for (int start = 0; start < 256; start++) {
        if (!firsts[start]) continue;
        *branches = shared(r, firsts[start]);
        if (!*branches) return false;
        branches = &(*branches)->next;
    }
    *branches = NULL;
    return true;
}

/* ## Writing: once to count, once into the room for as many steps */

struct writer {
    struct regex_step *steps; /* NULL: counts */
    uint32_t count;
    uint32_t registers;
    bool back;
};

static uint32_t put_step(struct writer *w, struct regex_step step) {
    step.back = w->back;
    if (w->steps) w->steps[w->count] = step;
    return w->count++;
}

static void put_branches(struct writer *w, const struct re_branch *branches);

static void put_group(struct writer *w, const struct re_node *node) {
    uint32_t at = 2 * node->number;
    if (node->number) put_step(w, (struct regex_step){.op = RE_SAVE, .a = at + w->back});
    put_branches(w, node->branches);
    if (node->number) put_step(w, (struct regex_step){.op = RE_SAVE, .a = at + !w->back});
}

static void put_look(struct writer *w, const struct re_node *node) {
    bool outside = w->back;
    uint32_t look = put_step(w, (struct regex_step){.op = RE_LOOK, .negative = node->negative});
    w->back = node->back;
    put_branches(w, node->branches);
    put_step(w, (struct regex_step){.op = RE_LOOKED});
    w->back = outside;
    if (w->steps) w->steps[look].a = w->count;
}

static void put_atom(struct writer *w, const struct re_node *node) {
    struct regex_step step = {.a = node->number, .negative = node->negative};
    switch (node->kind) {
    case NODE_GROUP: put_group(w, node); return;
    case NODE_LOOK: put_look(w, node); return;
    case NODE_TEXT:
        step.op = RE_TEXT;
        step.a = (uint32_t)node->text.len;
        step.more.text = node->text.ptr;
        break;
    case NODE_ONE: step.op = RE_ONE; break;
    case NODE_SAME: step.op = RE_SAME; break;
    case NODE_ASSERT: step.op = (uint8_t)node->op; break;
    }
    put_step(w, step);
}

static void put_loop(struct writer *w, const struct re_node *node) {
    uint32_t counter = w->registers;
    w->registers += 2;
    put_step(w, (struct regex_step){.op = RE_LOOP, .a = counter});
    uint32_t round = put_step(
        w,
        (struct regex_step){
            .op = RE_ROUND, .lazy = node->lazy, .a = counter, .b = node->least, .c = node->most});
    if (node->first_group < node->end_group)
        put_step(w, (struct regex_step){
                        .op = RE_CLEAR, .a = 2 * node->first_group, .b = 2 * node->end_group});
    put_atom(w, node);
    put_step(w, (struct regex_step){.op = RE_AGAIN, .a = counter, .b = node->least, .c = round});
    if (w->steps) w->steps[round].more.out = w->count;
}

static void put_node(struct writer *w, const struct re_node *node) {
    if (node->most == 0) return;
    if (node->least == 1 && node->most == 1) {
        put_atom(w, node);
    } else if (node->kind == NODE_ONE && !node->lazy) {
        put_step(w, (struct regex_step){
                        .op = RE_RUN, .a = node->number, .b = node->least, .c = node->most});
    } else {
        put_loop(w, node);
    }
}

static void put_branch(struct writer *w, const struct re_branch *branch) {
    const struct re_node *node = w->back ? branch->last : branch->first;
    for (; node; node = w->back ? node->before : node->next) put_node(w, node);
}

/* One more than the byte with which a branch must begin; 0 if nothing is known. */
static uint32_t first_byte(const struct writer *w, const struct re_branch *branch) {
    const struct re_node *first = branch->first;
    if (w->back || !first || first->kind != NODE_TEXT || !first->text.len) return 0;
    return (unsigned char)first->text.ptr[0] + 1U;
}

static void put_branches(struct writer *w, const struct re_branch *branch) {
    uint32_t jumps = 0; /* a list of those that lead to the end, each naming the one before it */
    for (; branch->next; branch = branch->next) {
        uint32_t split =
            put_step(w, (struct regex_step){.op = RE_SPLIT, .b = first_byte(w, branch)});
        put_branch(w, branch);
        jumps = put_step(w, (struct regex_step){.op = RE_JUMP, .a = jumps});
        if (w->steps) w->steps[split].a = w->count;
    }
    put_branch(w, branch);
    while (w->steps && jumps) {
        uint32_t jump = jumps;
        jumps = w->steps[jump].a;
        w->steps[jump].a = w->count;
    }
}

static bool put_all(struct pattern_reader *r, const struct re_branch *branches, struct arena *arena,
                    struct regex_program *program) {
    uint32_t registers = 2 * (r->groups + 1);
    struct writer w = {.registers = registers};
    put_branches(&w, branches);
    w = (struct writer){arena_array(arena, (size_t)w.count + 1, sizeof *w.steps), 0, registers,
                        false};
    if (!w.steps) return false;
    put_branches(&w, branches);
    put_step(&w, (struct regex_step){.op = RE_MATCH});
    program->steps = w.steps;
    program->registers = w.registers;
    return true;
}

/* ## Sets of characters */

static void find_ascii(struct regex_chars *chars, pcre2_match_data *match) {
    for (unsigned c = 0; c < 128; c++) {
        const unsigned char byte = (unsigned char)c;
        int result = pcre2_match(chars->code, &byte, 1, 0, PCRE2_NO_UTF_CHECK, match, NULL);
        if (result >= 0) chars->ascii[c / 64] |= (uint64_t)1 << c % 64;
    }
}

static bool make_chars(struct regex_set *set, const struct re_set *from, struct regex_chars *chars,
                       struct regex_error *error) {
    chars->single = from->single;
    chars->dot = text_is(from->text, ".");
    if (from->single || chars->dot) return true;
    chars->code = regex_set_code(set, from->text, error);
    error->position = from->position;
    pcre2_match_data *match =
        chars->code ? pcre2_match_data_create_from_pattern(chars->code, NULL) : NULL;
    if (chars->code && !match) set->arena->oom = true;
    if (!match) return false;
    find_ascii(chars, match);
    pcre2_match_data_free(match);
    return true;
}

static bool make_all_chars(struct pattern_reader *r, struct regex_set *set,
                           struct regex_program *program, struct regex_error *error) {
    struct regex_chars *chars = arena_array(set->arena, r->set_count + (size_t)1, sizeof *chars);
    if (!chars) return false;
    memset(chars, 0, (r->set_count + (size_t)1) * sizeof *chars);
    program->chars = chars;
    program->char_count = r->set_count;
    for (const struct re_set *from = r->sets; from; from = from->next)
        if (!make_chars(set, from, &chars[from->index], error)) return false;
    return true;
}

/* The escaped letters of a text are the reader's; they move to where the program is. */
static bool keep_texts(struct arena *arena, gramc_text pattern, const struct re_branch *branches) {
    for (; branches; branches = branches->next)
        for (struct re_node *node = branches->first; node; node = node->next) {
            bool is_inside =
                node->text.ptr >= pattern.ptr && node->text.ptr < pattern.ptr + pattern.len;
            if (node->kind == NODE_TEXT && !is_inside) node->text = arena_text(arena, node->text);
            if (arena->oom || !keep_texts(arena, pattern, node->branches)) return false;
        }
    return true;
}

struct regex_program *regex_program_compile(struct regex_set *set, gramc_text pattern,
                                            struct regex_error *error) {
    struct pattern_reader r = {.t = {.pattern = pattern, .error = error}};
    struct regex_program *program = ARENA_NEW(set->arena, struct regex_program);
    arena_init(&r.scratch, &set->arena->allocator);
    buf_init(&r.set_text, &set->arena->allocator, 16 * PATTERN_BYTES_MAX);
    r.t.groups = pattern_groups(pattern, (gramc_text){NULL, 0});
    const struct re_branch *branches = read_branches(&r);
    bool fine = program && branches && keep_texts(set->arena, pattern, branches) &&
                put_all(&r, branches, set->arena, program) &&
                make_all_chars(&r, set, program, error);
    if (r.scratch.oom || r.set_text.state == BUF_NOMEM) set->arena->oom = true;
    buf_free(&r.set_text);
    arena_free(&r.scratch);
    if (fine) return program;
    regex_program_free(program);
    return NULL;
}

void regex_program_free(struct regex_program *program) {
    if (!program || !program->chars) return;
    for (size_t i = 0; i < program->char_count; i++) pcre2_code_free(program->chars[i].code);
    program->char_count = 0;
}
