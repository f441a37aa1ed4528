/* Rewrites names to what a provider's rule allows, so that the way back is a look into the same
 * list. Which rule a target has is emit.c's table. */
#include "compiler/emit/wire_names.h"

#include "base/map.h"
#include "base/sha256.h"
#include "base/text.h"

#include <string.h>

static const struct {
    const char *marks; /* besides letters and digits */
    size_t longest;
    bool letter_first; /* or an underscore */
} rules[NAME_RULES] = {
    [NAMES_ANY] = {NULL, 0, false},
    [NAMES_FUNCTION] = {"_-", 64, false},
    [NAMES_GEMINI] = {"_.:-", 128, true},
    [NAMES_MCP] = {"_.-", 128, false},
    [NAMES_GEMINI_PARAMETER] = {"_", 64, true},
    [NAMES_ANTHROPIC_PARAMETER] = {"_.-", 64, false},
};

enum { SALT_DIGITS = 8 };

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_allowed(enum name_rule rule, char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || (c && strchr(rules[rule].marks, c));
}

/* Allowed, but not as the first character. */
static bool begins_wrongly(enum name_rule rule, char c) {
    return rules[rule].letter_first && is_allowed(rule, c) && !is_letter(c) && c != '_';
}

static bool fits(enum name_rule rule, gramc_text name) {
    if (rule == NAMES_ANY) return true;
    if (name.len == 0 || name.len > rules[rule].longest) return false;
    if (begins_wrongly(rule, name.ptr[0])) return false;
    for (size_t i = 0; i < name.len; i++)
        if (!is_allowed(rule, name.ptr[i])) return false;
    return true;
}

/* One underscore for each forbidden character, one in front of a forbidden beginning. */
static gramc_text narrow(struct arena *arena, enum name_rule rule, gramc_text name) {
    char *out = arena_alloc(arena, name.len + 2);
    size_t len = 0, pos = 0;
    if (!out) return (gramc_text){NULL, 0};
    if (name.len == 0 || begins_wrongly(rule, name.ptr[0])) out[len++] = '_';
    while (pos < name.len) {
        char c = name.ptr[pos];
        text_decode(name, &pos);
        out[len++] = is_allowed(rule, c) ? c : '_';
    }
    return (gramc_text){out, len};
}

/* What the names of one list know of each other. */
struct list {
    struct arena *arena;
    enum name_rule rule;
    struct map forms;    /* narrowed form -> the first name that has it */
    struct map clashing; /* forms of several names */
    struct map taken;    /* given out -> its name */
};

static bool is_free(struct list *list, gramc_text wire, gramc_text *name) {
    const gramc_text *owner = map_put(&list->taken, wire, name);
    return owner && text_eq(*owner, *name);
}

static gramc_text salted(struct list *list, gramc_text form, gramc_text *name) {
    size_t room = rules[list->rule].longest - SALT_DIGITS - 1;
    size_t kept = form.len < room ? form.len : room;
    char *out = arena_alloc(list->arena, kept + 1 + SALT_DIGITS);
    char hex[SHA256_HEX];
    if (!out) return (gramc_text){NULL, 0};
    memcpy(out, form.ptr, kept);
    out[kept] = '_';
    gramc_text wire = {out, kept + 1 + SALT_DIGITS};
    for (uint64_t salt = 0;; salt++) {
        struct sha256 sha;
        sha256_init(&sha);
        sha256_add_text(&sha, *name);
        if (salt) sha256_add_number(&sha, salt);
        sha256_hex(&sha, hex);
        memcpy(out + kept + 1, hex, SALT_DIGITS);
        if (is_free(list, wire, name) || list->arena->oom) return wire;
    }
}

static void note_form(struct list *list, gramc_text form, gramc_text *name) {
    const gramc_text *other = map_put(&list->forms, form, name);
    if (other && !text_eq(*other, *name)) map_put(&list->clashing, form, name);
}

static bool all_fit(enum name_rule rule, const gramc_text *names, size_t count) {
    size_t i = 0;
    while (i < count && fits(rule, names[i])) i++;
    return i == count;
}

bool wire_names_make(struct arena *arena, enum name_rule rule, const gramc_text *names,
                     size_t count, gramc_text *wire) {
    struct list list = {.arena = arena, .rule = rule};
    /* As nearly always: nothing to rewrite, nothing to remember. */
    if (all_fit(rule, names, count)) {
        for (size_t i = 0; i < count; i++) wire[i] = names[i];
        return !arena->oom;
    }
    gramc_text *own = arena_array(arena, count, sizeof *own);
    map_init(&list.forms, arena);
    map_init(&list.clashing, arena);
    map_init(&list.taken, arena);
    for (size_t i = 0; own && i < count; i++) {
        bool fit = fits(rule, names[i]);
        own[i] = names[i];
        wire[i] = fit ? names[i] : narrow(arena, rule, names[i]);
        if (rule == NAMES_ANY || arena->oom) continue;
        if (fit) is_free(&list, wire[i], &own[i]);
        note_form(&list, wire[i], &own[i]);
    }
    /* First those that keep their plain form, so that it does not depend on the others' order. */
    for (int salting = 0; salting < 2 && rule != NAMES_ANY; salting++)
        for (size_t i = 0; i < count && !arena->oom; i++) {
            if (fits(rule, names[i])) continue;
            bool plain = fits(rule, wire[i]) && !map_get(&list.clashing, wire[i]);
            if (!salting && plain) is_free(&list, wire[i], &own[i]);
            else if (salting && !plain) wire[i] = salted(&list, wire[i], &own[i]);
        }
    return !arena->oom;
}
