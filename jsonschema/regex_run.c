/* Runs the programs of regex_program.c by backtracking, as ECMA-262 describes it: a round of a loop
 * begins without the captures of the one before, a round that reads nothing is not taken, and
 * inside of a lookbehind everything is read towards the start. Each step is counted. */
#include <string.h>

#include "base/text.h"
#include "jsonschema/regex_inside.h"

enum {
    FREE_STEPS = 60, /* those of all matches in a session count from here... */
    FREE_STEPS_PER_BYTE = 1,
    RUN_PER_STEP = 2, /* characters of a run... */
    CODE_STEPS = 12,  /* ...unless PCRE2 is asked about one */
    STACK_BYTES_MAX = 20000 * 1024,
    STACK_FIRST = 128
};

static const size_t NOTHING = SIZE_MAX;

enum entry_kind { ENTRY_CHOICE, ENTRY_RUN, ENTRY_UNDO, ENTRY_LOOK };

/* What backtracking returns to: a place in the program and in the text, what a register held, or
 * the lookaround around this one. */
struct regex_entry {
    uint32_t kind, step;
    size_t pos, other;
};

struct regex_stack {
    struct regex_entry *entries;
    size_t used, room;
    size_t *registers;
    size_t register_room;
};

struct vm {
    struct regex_session *session;
    struct regex_stack *stack;
    const struct regex_program *program;
    gramc_text text;
    size_t pos;
    size_t look;    /* the innermost lookaround's entry */
    size_t run_end; /* of a run without end that the program begins with */
    uint32_t step;
    uint64_t left; /* steps */
    enum regex_result failed;
};

/* ## The stack */

void regex_stack_free(struct regex_session *session) {
    struct regex_stack *stack = session->stack;
    if (!stack) return;
    mem_free(&session->allocator, stack->entries, stack->room * sizeof *stack->entries);
    mem_free(&session->allocator, stack->registers,
             stack->register_room * sizeof *stack->registers);
    mem_free(&session->allocator, stack, sizeof *stack);
    session->stack = NULL;
}

static bool grow(struct vm *vm) {
    struct regex_stack *stack = vm->stack;
    size_t room = stack->room ? 2 * stack->room : STACK_FIRST;
    vm->failed = REGEX_LIMIT;
    if (room * sizeof *stack->entries > STACK_BYTES_MAX) return false;
    vm->failed = REGEX_NOMEM;
    struct regex_entry *entries = mem_alloc(&vm->session->allocator, room * sizeof *stack->entries);
    if (!entries) return false;
    if (stack->used) memcpy(entries, stack->entries, stack->used * sizeof *entries);
    mem_free(&vm->session->allocator, stack->entries, stack->room * sizeof *entries);
    stack->entries = entries;
    stack->room = room;
    vm->failed = REGEX_NO;
    return true;
}

static bool push(struct vm *vm, enum entry_kind kind, size_t step, size_t pos, size_t other) {
    if (vm->stack->used == vm->stack->room && !grow(vm)) return false;
    vm->stack->entries[vm->stack->used++] =
        (struct regex_entry){(uint32_t)kind, (uint32_t)step, pos, other};
    return true;
}

static bool set_register(struct vm *vm, size_t index, size_t value) {
    size_t old = vm->stack->registers[index];
    vm->stack->registers[index] = value;
    return push(vm, ENTRY_UNDO, index, old, 0);
}

/* ## Characters */

static bool code_matches(struct vm *vm, const struct regex_chars *chars, size_t from, size_t to) {
    vm->left -= vm->left < CODE_STEPS ? vm->left : CODE_STEPS;
    return pcre2_match(chars->code, (PCRE2_SPTR)vm->text.ptr + from, to - from, 0,
                       PCRE2_NO_UTF_CHECK, vm->session->match, NULL) >= 0;
}

/* Where a character begins or ends that is read at *pos. */
static bool next_place(const struct vm *vm, bool back, size_t pos, size_t *to) {
    if (!back) {
        if (pos >= vm->text.len) return false;
        (void)text_decode(vm->text, &pos);
    } else {
        if (pos == 0) return false;
        do pos--;
        while (pos > 0 && ((unsigned char)vm->text.ptr[pos] & 0xC0) == 0x80);
    }
    *to = pos;
    return true;
}

static bool read_one(struct vm *vm, const struct regex_chars *chars, bool back, size_t *pos) {
    size_t to;
    if (!next_place(vm, back, *pos, &to)) return false;
    size_t from = back ? to : *pos, at = from, end = back ? *pos : to;
    uint32_t c = text_decode(vm->text, &at);
    bool fine;
    if (chars->single) fine = c == chars->single;
    else if (chars->dot) fine = c != '\n' && c != '\r' && c != 0x2028 && c != 0x2029;
    else if (c < 128) fine = chars->ascii[c / 64] >> c % 64 & 1;
    else fine = code_matches(vm, chars, from, end);
    if (fine) *pos = to;
    return fine;
}

static bool read_bytes(struct vm *vm, gramc_text bytes, bool back) {
    size_t room = back ? vm->pos : vm->text.len - vm->pos;
    if (bytes.len > room) return false;
    size_t from = back ? vm->pos - bytes.len : vm->pos;
    if (bytes.len && memcmp(vm->text.ptr + from, bytes.ptr, bytes.len) != 0) return false;
    vm->pos = back ? from : from + bytes.len;
    return true;
}

static bool is_word(const struct vm *vm, size_t pos) {
    if (pos >= vm->text.len) return false;
    char c = vm->text.ptr[pos];
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* ## Steps: false to go back */

static bool count_steps(struct vm *vm, uint64_t count) {
    if (vm->left >= count) {
        vm->left -= count;
        return true;
    }
    vm->failed = REGEX_LIMIT;
    return false;
}

static bool do_run(struct vm *vm, const struct regex_step *step) {
    const struct regex_chars *chars = &vm->program->chars[step->a];
    uint32_t count = 0;
    size_t least = vm->pos;
    while (count < step->c && read_one(vm, chars, step->back, &vm->pos))
        if (++count == step->b) least = vm->pos;
    if (vm->step++ == 0) vm->run_end = vm->pos;
    if (count < step->b || !count_steps(vm, count / RUN_PER_STEP)) return false;
    return vm->pos == least || push(vm, ENTRY_RUN, vm->step - (size_t)1, vm->pos, least);
}

static bool do_same(struct vm *vm, const struct regex_step *step) {
    size_t from = vm->stack->registers[2 * step->a], to = vm->stack->registers[2 * step->a + 1];
    vm->step++;
    if (from == NOTHING || to == NOTHING) return true;
    return read_bytes(vm, text_slice(vm->text, from, to), step->back);
}

/* The choices inside of a lookaround that has matched are gone; what it captured is kept, to be
 * undone by what comes before it. */
static bool do_looked(struct vm *vm) {
    struct regex_stack *stack = vm->stack;
    const struct regex_entry look = stack->entries[vm->look];
    const struct regex_step *step = &vm->program->steps[look.step];
    size_t kept = vm->look;
    if (step->negative) {
        while (stack->used > kept + 1) {
            const struct regex_entry *entry = &stack->entries[--stack->used];
            if (entry->kind == ENTRY_UNDO) stack->registers[entry->step] = entry->pos;
        }
        stack->used = kept;
        vm->look = look.other;
        return false;
    }
    for (size_t i = vm->look + 1; i < stack->used; i++)
        if (stack->entries[i].kind == ENTRY_UNDO) stack->entries[kept++] = stack->entries[i];
    stack->used = kept;
    vm->look = look.other;
    vm->pos = look.pos;
    vm->step = step->a;
    return true;
}

static bool do_round(struct vm *vm, const struct regex_step *step) {
    size_t count = vm->stack->registers[step->a];
    size_t inside = vm->step + (size_t)1, out = step->more.out;
    if (count >= step->c) {
        vm->step = (uint32_t)out;
        return true;
    }
    bool leaves = count >= step->b && step->lazy;
    if (count >= step->b && !push(vm, ENTRY_CHOICE, leaves ? inside : out, vm->pos, 0))
        return false;
    vm->step = (uint32_t)(leaves ? out : inside);
    return true;
}

static bool do_again(struct vm *vm, const struct regex_step *step) {
    const size_t *registers = vm->stack->registers;
    if (registers[step->a] >= step->b && registers[step->a + 1] == vm->pos) return false;
    vm->step = step->c;
    return set_register(vm, step->a, registers[step->a] + 1) &&
           set_register(vm, step->a + (size_t)1, vm->pos);
}

static bool do_clear(struct vm *vm, const struct regex_step *step) {
    for (size_t i = step->a; i < step->b; i++)
        if (vm->stack->registers[i] != NOTHING && !set_register(vm, i, NOTHING)) return false;
    vm->step++;
    return count_steps(vm, (step->b - step->a) / RUN_PER_STEP);
}

static bool do_split(struct vm *vm, const struct regex_step *step) {
    if (step->b &&
        (vm->pos >= vm->text.len || (unsigned char)vm->text.ptr[vm->pos] != step->b - 1)) {
        vm->step = step->a;
        return true;
    }
    vm->step++;
    return push(vm, ENTRY_CHOICE, step->a, vm->pos, 0);
}

static bool do_step(struct vm *vm, const struct regex_step *step) {
    switch ((enum regex_op)step->op) {
    case RE_TEXT:
        vm->step++;
        return read_bytes(vm, (gramc_text){step->more.text, step->a}, step->back);
    case RE_ONE:
        vm->step++;
        return read_one(vm, &vm->program->chars[step->a], step->back, &vm->pos);
    case RE_RUN: return do_run(vm, step);
    case RE_SPLIT: return do_split(vm, step);
    case RE_JUMP: vm->step = step->a; return true;
    case RE_SAVE: vm->step++; return set_register(vm, step->a, vm->pos);
    case RE_CLEAR: return do_clear(vm, step);
    case RE_BEGIN: vm->step++; return vm->pos == 0;
    case RE_END: vm->step++; return vm->pos == vm->text.len;
    case RE_WORD:
        vm->step++;
        return ((vm->pos > 0 && is_word(vm, vm->pos - 1)) != is_word(vm, vm->pos)) !=
               step->negative;
    case RE_SAME: return do_same(vm, step);
    case RE_LOOK:
        if (!push(vm, ENTRY_LOOK, vm->step, vm->pos, vm->look)) return false;
        vm->look = vm->stack->used - 1;
        vm->step++;
        return true;
    case RE_LOOKED: return do_looked(vm);
    case RE_LOOP:
        vm->step++;
        return set_register(vm, step->a, 0) && set_register(vm, step->a + (size_t)1, vm->pos);
    case RE_ROUND: return do_round(vm, step);
    case RE_AGAIN: return do_again(vm, step);
    case RE_MATCH: return true;
    }
    return false;
}

/* A run gives one character back; true while it has more of them. */
static bool shorten_run(struct vm *vm, struct regex_entry *entry) {
    bool back = vm->program->steps[entry->step].back;
    (void)next_place(vm, !back, entry->pos, &entry->pos);
    vm->pos = entry->pos;
    vm->step = entry->step + 1;
    return entry->pos != entry->other;
}

/* To the last choice; false if there is none. */
static bool go_back(struct vm *vm) {
    struct regex_stack *stack = vm->stack;
    while (stack->used && vm->failed == REGEX_NO) {
        struct regex_entry *entry = &stack->entries[--stack->used];
        switch ((enum entry_kind)entry->kind) {
        case ENTRY_UNDO: stack->registers[entry->step] = entry->pos; break;
        case ENTRY_CHOICE:
            vm->pos = entry->pos;
            vm->step = entry->step;
            return true;
        case ENTRY_RUN:
            if (shorten_run(vm, entry)) stack->used++;
            return true;
        case ENTRY_LOOK:
            vm->look = entry->other;
            if (!vm->program->steps[entry->step].negative) break;
            vm->pos = entry->pos;
            vm->step = vm->program->steps[entry->step].a;
            return true;
        }
    }
    return false;
}

static bool match_at(struct vm *vm, size_t pos) {
    vm->pos = pos;
    vm->step = 0;
    vm->stack->used = 0;
    for (size_t i = 0; i < vm->program->registers; i++) vm->stack->registers[i] = NOTHING;
    while (count_steps(vm, 1)) {
        const struct regex_step *step = &vm->program->steps[vm->step];
        if (step->op == RE_MATCH) return true;
        if (!do_step(vm, step) && !go_back(vm)) return false;
    }
    return false;
}

static bool make_stack(struct regex_session *session, size_t registers) {
    struct regex_stack *stack = session->stack;
    if (!stack) {
        stack = mem_alloc(&session->allocator, sizeof *stack);
        if (!stack) return false;
        memset(stack, 0, sizeof *stack);
        session->stack = stack;
    }
    if (stack->register_room >= registers) return true;
    mem_free(&session->allocator, stack->registers,
             stack->register_room * sizeof *stack->registers);
    stack->register_room = 0;
    stack->registers = mem_alloc(&session->allocator, registers * sizeof *stack->registers);
    if (stack->registers) stack->register_room = registers;
    return stack->registers != NULL;
}

/* What is more than usual is taken from what the session may spend. */
static bool pay(struct regex_session *session, uint64_t steps, size_t len) {
    uint64_t usual = FREE_STEPS + FREE_STEPS_PER_BYTE * (uint64_t)len;
    uint64_t cost = steps > usual ? (steps - usual) / PROGRAM_STEPS_PER_STEP : 0;
    return cost == 0 || regex_session_pay(session, cost * BACKTRACKING_PER_STEP);
}

/* What begins with as many characters of a set as there are has failed for all places among these:
 * from the first of them on the same would have been found. */
static bool next_start(struct vm *vm, size_t *from) {
    const struct regex_step *first = &vm->program->steps[0];
    if (first->op == RE_RUN && first->c == REPEAT_MAX && vm->run_end > *from) *from = vm->run_end;
    return next_place(vm, false, *from, from);
}

enum regex_result regex_program_find(struct regex_session *session,
                                     const struct regex_program *program, gramc_text text,
                                     uint64_t steps, size_t *start, size_t *end) {
    if (!make_stack(session, program->registers)) return REGEX_NOMEM;
    if (!text.ptr) text = (gramc_text){"", 0};
    struct vm vm = {.session = session,
                    .stack = session->stack,
                    .program = program,
                    .text = text,
                    .left = steps,
                    .failed = REGEX_NO};
    size_t from = *end;
    bool found = match_at(&vm, from), is_anchored = program->steps[0].op == RE_BEGIN;
    while (!found && !is_anchored && vm.failed == REGEX_NO && next_start(&vm, &from))
        found = match_at(&vm, from);
    if (!pay(session, steps - vm.left, text.len)) return REGEX_LIMIT;
    if (!found) return vm.failed;
    *start = from;
    *end = vm.pos;
    return REGEX_YES;
}
