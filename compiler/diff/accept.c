/* Turns what somebody accepted into changes that are not reported any more, but counted: comments
 * `// gramc: allow(D209) reason` at the new place, and baselines. */
#include "compiler/allowance.h"
#include "compiler/baseline.h"
#include "compiler/compilation.h"
#include "compiler/diff/diff.h"

#include "base/sha256.h"
#include "base/text.h"

#include <string.h>

static const struct diff_place nowhere = {NULL, {0, 0}};
static const gramc_text nothing = {NULL, 0};

/* Takes out those for which `is_accepted` answers true. */
static void take_out(struct gramc_diff *diff,
                     bool (*is_accepted)(void *ctx, const struct difference *d), void *ctx) {
    struct difference **link = &diff->first;
    while (*link) {
        struct difference *d = *link;
        if (!is_accepted(ctx, d)) {
            link = &d->next;
            continue;
        }
        *link = d->next;
        diff->counts[diff_impact(d)]--;
        diff->accepted++;
    }
    diff->last = link;
}

/* ## Comments */

static enum change_id find_kind(gramc_text name) {
    int id = 0;
    while (id < CHANGE_COUNT && !text_is(name, diff_kind((enum change_id)id)->code) &&
           !text_is(name, diff_kind((enum change_id)id)->slug))
        id++;
    return (enum change_id)id;
}

struct allowed {
    const struct source *source;
    const struct allowance *said;
    enum change_id id;
};

static bool is_allowed(void *ctx, const struct difference *d) {
    const struct allowed *allowed = ctx;
    return d->id == allowed->id && d->after.source == allowed->source &&
           d->after.span.start >= allowed->said->row.start &&
           d->after.span.start <= allowed->said->row.end;
}

/* Codes of findings are none of our business. */
static bool allow(struct gramc_diff *diff, const struct source *source,
                  const struct allowance *said, gramc_text code) {
    struct allowed allowed = {source, said, find_kind(code)};
    uint32_t before = diff->accepted, start = (uint32_t)(code.ptr - source->text.ptr);
    const struct diff_place at = {source, {start, start + (uint32_t)code.len}};
    if (allowed.id == CHANGE_COUNT) return false;
    take_out(diff, is_allowed, &allowed);
    if (diff->accepted == before)
        diff_add(diff, CHANGE_ALLOWED_IN_VAIN, nowhere, at, code, nothing, nothing);
    return true;
}

static void obey(struct gramc_diff *diff, const struct source *source,
                 const struct allowance *said) {
    gramc_text rest = said->codes;
    bool any = false;
    while (rest.len) any = allow(diff, source, said, allowance_next(&rest)) || any;
    if (any && !said->reason.len)
        diff_add(diff, CHANGE_ALLOWED_WITHOUT_REASON, nowhere,
                 (struct diff_place){source, said->comment}, text_trim(said->codes), nothing,
                 nothing);
}

void diff_accept_allowed(struct gramc_diff *diff, const gramc_compilation *after) {
    struct allowance said;
    for (const struct unit *u = after->units; u; u = u->next)
        for (const struct comment *c = u->tree->comments; c; c = c->next)
            if (allowance_is(&u->source, c) && allowance_read(&said, &u->source, c))
                obey(diff, &u->source, &said);
}

/* ## Baselines */

/* git:REV:./path was that path. */
static gramc_text path_of(const struct source *source) {
    gramc_text path = source->name;
    if (text_starts(path, "git:")) {
        const char *colon = memchr(path.ptr + 4, ':', path.len - 4);
        if (colon) path = text_slice(path, (size_t)(colon + 1 - path.ptr), path.len);
    }
    while (text_starts(path, "./")) path = text_slice(path, 2, path.len);
    return path;
}

static void add_place(struct sha256 *sha, struct diff_place place) {
    if (!place.source) {
        sha256_add_text(sha, nothing);
        return;
    }
    struct position at = source_position(place.source, place.span.start);
    sha256_add_text(sha, text_trim(source_slice(place.source, at.row)));
}

/* Like that of a finding, and what it was before: an accepted change is this one and no further. */
static void make_key(const struct difference *d, char out[DIAG_KEY]) {
    struct sha256 sha;
    char hex[SHA256_HEX];
    sha256_init(&sha);
    sha256_add_text(&sha, path_of(d->after.source ? d->after.source : d->before.source));
    sha256_add_text(&sha, text_of(diff_kind(d->id)->code));
    sha256_add(&sha, (const char[]){(char)d->caller, (char)d->implementer}, 2);
    add_place(&sha, d->after);
    add_place(&sha, d->before);
    sha256_add_text(&sha, d->uses ? nothing : d->message); /* whose number of uses may change */
    for (int i = 0; i < 2; i++) sha256_add_text(&sha, d->evidence[i]);
    sha256_hex(&sha, hex);
    memcpy(out, hex, DIAG_KEY);
}

gramc_status gramc_diff_baseline_write(const gramc_diff *diff, gramc_writer writer) {
    const gramc_allocator *allocator = &diff->arena.allocator;
    size_t count = 0;
    for (const struct difference *d = diff->first; d; d = d->next) count++;
    size_t size = (count + 1) * sizeof(struct baseline_entry);
    struct baseline_entry *entries = mem_alloc(allocator, size), *entry = entries;
    if (!entries) return GRAMC_NOMEM;
    for (const struct difference *d = diff->first; d; d = d->next, entry++) {
        *entry = (struct baseline_entry){
            .path = path_of(d->after.source ? d->after.source : d->before.source),
            .code = text_of(diff_kind(d->id)->code),
            .order = (uint32_t)(entry - entries),
            .count = 1};
        make_key(d, entry->key);
    }
    gramc_status status = baseline_write(entries, count, allocator, writer);
    mem_free(allocator, entries, size);
    return status;
}

static bool is_known(void *ctx, const struct difference *d) {
    char key[DIAG_KEY];
    make_key(d, key);
    return baseline_take(ctx, key);
}

gramc_status gramc_diff_baseline_apply(gramc_diff *diff, gramc_text baseline, size_t *gone) {
    struct baseline known;
    struct arena arena;
    *gone = 0;
    arena_init(&arena, &diff->arena.allocator);
    gramc_status status = baseline_read(&known, &arena, baseline);
    if (status == GRAMC_OK) take_out(diff, is_known, &known);
    if (status == GRAMC_OK) *gone = baseline_left(&known, true);
    arena_free(&arena);
    return status;
}

size_t gramc_diff_accepted(const gramc_diff *diff) {
    return diff->accepted;
}
