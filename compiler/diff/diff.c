/* Turns two specs into a list of changes: the table of all kinds, the list, and the changes of
 * agents and tools as wholes. Signatures are signature.c's, printing is print.c's. */
#include "compiler/approve.h"
#include "compiler/diff/diff.h"

#include "base/text.h"
#include "compiler/diff/cause.h"

#include <stdio.h>

enum {
    NONE = GRAMC_IMPACT_NONE,
    COSMETIC = GRAMC_IMPACT_COSMETIC,
    ADDITIVE = GRAMC_IMPACT_ADDITIVE,
    BREAKING = GRAMC_IMPACT_BREAKING,
    LONGEST_TEXT = 120,
    MOST_CANDIDATES = 64 /* for the new name of a tool that is gone */
};

static const gramc_diff_kind kinds[] = {
#define CHANGE(code, id, slug, caller, implementer, message, explanation)                          \
    {#code, slug, (gramc_impact)caller, (gramc_impact)implementer, message, explanation},
#include "compiler/diff/change.def"
#undef CHANGE
};

#define GREATER(a, b) ((a) > (b) ? (a) : (b))
static const struct diag_row rows[] = {
#define CHANGE(code, id, slug, caller, implementer, message, explanation)                          \
    {#code, slug, (gramc_severity)(GREATER(caller, implementer) - COSMETIC), message, explanation, \
     NULL,  NULL},
#include "compiler/diff/change.def"
#undef CHANGE
};

const struct diag_row *diff_row(enum change_id id) {
    return &rows[id];
}

const gramc_diff_kind *diff_kind(enum change_id id) {
    return &kinds[id];
}

const gramc_diff_kind *gramc_diff_explain(size_t i) {
    return i < CHANGE_COUNT ? &kinds[i] : NULL;
}

bool diff_is_kind(gramc_text name) {
    for (size_t i = 0; i < CHANGE_COUNT; i++)
        if (text_is(name, kinds[i].code) || text_is(name, kinds[i].slug)) return true;
    return false;
}

gramc_impact diff_impact(const struct difference *d) {
    return d->caller > d->implementer ? d->caller : d->implementer;
}

/* ## The list */

static void put_short(struct buf *out, gramc_text text) {
    size_t end = 0;
    while (end < text.len && end < LONGEST_TEXT) text_decode(text, &end);
    buf_text(out, text_slice(text, 0, end));
    if (end < text.len) buf_puts(out, "...");
}

gramc_text diff_fill(struct gramc_diff *diff, const char *sentence, const gramc_text args[3]) {
    struct buf out;
    buf_init(&out, &diff->arena.allocator, 4096);
    for (const char *p = sentence; *p; p++) {
        bool is_arg = p[0] == '{' && p[1] >= '0' && p[1] <= '2' && p[2] == '}';
        if (is_arg) put_short(&out, args[p[1] - '0']);
        else buf_putc(&out, *p);
        if (is_arg) p += 2;
    }
    return buf_to_arena_cut(&out, &diff->arena);
}

struct difference *diff_add_judged(struct gramc_diff *diff, enum change_id id, gramc_impact caller,
                                   gramc_impact implementer, struct diff_place before,
                                   struct diff_place after, gramc_text a, gramc_text b,
                                   gramc_text c) {
    const gramc_text args[3] = {a, b, c};
    struct difference *difference = ARENA_NEW(&diff->arena, struct difference);
    if (!difference) return NULL;
    *difference = (struct difference){
        .id = id, .caller = caller, .implementer = implementer, .before = before, .after = after};
    difference->message = diff_fill(diff, kinds[id].message, args);
    *diff->last = difference;
    diff->last = &difference->next;
    diff->counts[diff_impact(difference)]++;
    return difference;
}

struct difference *diff_add(struct gramc_diff *diff, enum change_id id, struct diff_place before,
                            struct diff_place after, gramc_text a, gramc_text b, gramc_text c) {
    return diff_add_judged(diff, id, kinds[id].caller, kinds[id].implementer, before, after, a, b,
                           c);
}

void diff_help(struct gramc_diff *diff, struct difference *difference, const char *format,
               gramc_text name) {
    const gramc_text args[3] = {name, {NULL, 0}, {NULL, 0}};
    if (difference) difference->help = diff_fill(diff, format, args);
}

gramc_text diff_from_to(struct gramc_diff *diff, gramc_text before, gramc_text after) {
    struct buf out;
    buf_init(&out, &diff->arena.allocator, 4096);
    if (before.len) put_short(&out, before);
    else buf_puts(&out, "nothing");
    buf_puts(&out, " to ");
    if (after.len) put_short(&out, after);
    else buf_puts(&out, "nothing");
    return buf_to_arena_cut(&out, &diff->arena);
}

/* ## Tools */

struct diff_place diff_tool_place(const struct tool *tool) {
    return (struct diff_place){tool->source, tool->name_at};
}

static const struct diff_place nowhere = {NULL, {0, 0}};
static const gramc_text nothing = {NULL, 0};

/* Tools of one name (in several agents) are matched in their order. `own` and `other` hold the
 * first tool of each name, on the tool's side and on the other one. */
struct tool_sides {
    const struct gramc_diff *diff;
    const struct map *own, *other;
    bool is_old; /* the tool's side */
};

static const struct tool *next_of_name(const struct tool_sides *s, const struct tool *tool,
                                       gramc_text name) {
    if (!map_get(&s->diff->repeated, name)) return NULL;
    do tool = tool->next;
    while (tool && !text_eq(tool->public.name, name));
    return tool;
}

static bool in_same_file(const struct tool_sides *s, const struct tool *own,
                         const struct tool *other) {
    return s->is_old ? diff_same_file(s->diff, own->source, other->source)
                     : diff_same_file(s->diff, other->source, own->source);
}

/* The one of the same name and file, and of the same rank among several there. */
static const struct tool *partner(const struct tool_sides *s, const struct tool *tool) {
    gramc_text name = tool->public.name;
    size_t rank = 0;
    const struct tool *t = map_get(s->own, name);
    for (; t != tool; t = next_of_name(s, t, name)) rank += t->source == tool->source;
    for (t = map_get(s->other, name); t; t = next_of_name(s, t, name))
        if (in_same_file(s, tool, t) && rank-- == 0) return t;
    return NULL;
}

/* Without a partner: in order among those without. */
static const struct tool *counterpart(const struct tool_sides *s, const struct tool *tool) {
    gramc_text name = tool->public.name;
    const struct tool_sides back = {s->diff, s->other, s->own, !s->is_old};
    const struct tool *there = partner(s, tool);
    size_t rank = 0;
    if (there) return there;
    for (const struct tool *t = map_get(s->own, name); t != tool; t = next_of_name(s, t, name))
        rank += !partner(s, t);
    for (there = map_get(s->other, name); there; there = next_of_name(s, there, name))
        if (!partner(&back, there) && rank-- == 0) return there;
    return NULL;
}

static const struct tool *before_of(const struct gramc_diff *diff, const struct tool *tool) {
    const struct tool_sides sides = {diff, &diff->after, &diff->before, false};
    return counterpart(&sides, tool);
}

static const struct tool *after_of(const struct gramc_diff *diff, const struct tool *tool) {
    const struct tool_sides sides = {diff, &diff->before, &diff->after, true};
    return counterpart(&sides, tool);
}

static void note_names(struct gramc_diff *diff, struct map *map, const struct gramc_spec *spec) {
    map_init(map, &diff->arena);
    for (struct tool *t = spec->first_tool; t; t = t->next)
        if (map_put(map, t->public.name, t) != t) map_put(&diff->repeated, t->public.name, t);
}

static gramc_text count_text(struct gramc_diff *diff, uint32_t count, const char *unit) {
    char text[32];
    int len = snprintf(text, sizeof text, "%u%s", (unsigned)count, unit);
    return arena_text(&diff->arena, (gramc_text){text, (size_t)len});
}

static gramc_text flag_text(int flag) {
    return flag < 0 ? nothing : flag ? TEXT("true") : TEXT("false");
}

struct pair_of_tools {
    struct gramc_diff *diff;
    const struct tool *before, *after;
};

static void behaviour(const struct pair_of_tools *p, const char *property, gramc_text before,
                      gramc_text after) {
    if (text_eq(before, after)) return;
    diff_add(p->diff, CHANGE_TOOL_BEHAVIOUR, diff_tool_place(p->before), diff_tool_place(p->after),
             p->after->public.name, text_of(property), diff_from_to(p->diff, before, after));
}

static void diff_behaviour(const struct pair_of_tools *p) {
    const gramc_tool *old = &p->before->public, *new = &p->after->public;
    struct gramc_diff *diff = p->diff;
    behaviour(p, "timeout", count_text(diff, old->timeout_ms, "ms"),
              count_text(diff, new->timeout_ms, "ms"));
    behaviour(p, "maxCallErrors", count_text(diff, old->max_call_errors, ""),
              count_text(diff, new->max_call_errors, ""));
    behaviour(p, "maxToolErrors", count_text(diff, old->max_tool_errors, ""),
              count_text(diff, new->max_tool_errors, ""));
    behaviour(p, "approve", approve_word(old->approve), approve_word(new->approve));
    behaviour(p, "untrusted", flag_text(p->before->untrusted), flag_text(p->after->untrusted));
    behaviour(p, "sensitive", flag_text(p->before->sensitive), flag_text(p->after->sensitive));
    behaviour(p, "returnDirect", flag_text(old->return_direct), flag_text(new->return_direct));
}

static void note(const struct pair_of_tools *p, const char *property, gramc_text before,
                 gramc_text after) {
    if (text_eq(before, after)) return;
    diff_add(p->diff, CHANGE_TOOL_NOTES, diff_tool_place(p->before), diff_tool_place(p->after),
             p->after->public.name, text_of(property), nothing);
}

static void diff_notes(const struct pair_of_tools *p) {
    const struct tool *old = p->before, *new = p->after;
    note(p, "title", old->public.title, new->public.title);
    note(p, "examples", old->examples.constraint.text, new->examples.constraint.text);
    note(p, "deprecated", old->deprecated, new->deprecated);
    note(p, "readOnly", flag_text(old->read_only), flag_text(new->read_only));
    note(p, "destructive", flag_text(old->destructive), flag_text(new->destructive));
    note(p, "idempotent", flag_text(old->idempotent), flag_text(new->idempotent));
    note(p, "openWorld", flag_text(old->open_world), flag_text(new->open_world));
}

static void diff_tool(struct gramc_diff *diff, const struct tool *before,
                      const struct tool *after) {
    const struct pair_of_tools p = {diff, before, after};
    struct diff_place old = diff_tool_place(before), new = diff_tool_place(after);
    gramc_text name = after->public.name;
    if (!text_eq(before->public.description, after->public.description))
        diff_add(diff, CHANGE_TOOL_DESCRIPTION, old, new, name, nothing, nothing);
    diff_notes(&p);
    diff_behaviour(&p);
    if (before->public.optional && !after->public.optional)
        diff_add(diff, CHANGE_TOOL_NOW_REQUIRED, old, new, name, nothing, nothing);
    if (!before->public.optional && after->public.optional)
        diff_add(diff, CHANGE_TOOL_NOW_OPTIONAL, old, new, name, nothing, nothing);
    if (before->signature && after->signature) diff_signature(diff, before, after);
}

static gramc_text signature_text(struct gramc_diff *diff, const struct tool *tool) {
    struct buf text;
    buf_init(&text, &diff->arena.allocator, SOURCE_MAX);
    if (tool->signature) {
        schema_print(&text, &tool->signature->arguments, SCHEMA_CHECKED);
        schema_print(&text, tool->signature->result, SCHEMA_CHECKED);
    }
    return buf_to_arena_cut(&text, &diff->arena);
}

/* A new tool with the same signature and identifier or description is the old one renamed. */
static void hint_rename(struct gramc_diff *diff, struct difference *difference,
                        const struct tool *gone, const struct gramc_spec *after) {
    gramc_text signature = signature_text(diff, gone);
    uint32_t candidates = 0;
    for (const struct tool *t = after->first_tool; t && candidates < MOST_CANDIDATES; t = t->next) {
        if (before_of(diff, t)) continue;
        candidates++;
        bool alike = text_eq(t->identifier, gone->identifier) ||
                     text_eq(t->public.description, gone->public.description) ||
                     text_eq(signature_text(diff, t), signature);
        if (!alike) continue;
        diff_help(diff, difference, "was it renamed to `{0}`?", t->public.name);
        return;
    }
}

static bool is_now_in(const struct gramc_diff *diff, const struct tool *old,
                      const struct source *source) {
    const struct tool *now = after_of(diff, old);
    return now && now->source == source;
}

/* The first tool of a file, in the new order, that stands behind one that it stood in front of. The
 * order of files means nothing. */
static void diff_order(struct gramc_diff *diff, const struct gramc_spec *before,
                       const struct gramc_spec *after) {
    const struct tool *expected = NULL;
    const struct source *file = NULL;
    for (const struct tool *t = after->first_tool; t; t = t->next) {
        const struct tool *old = before_of(diff, t);
        if (!old) continue;
        if (t->source != file) expected = before->first_tool;
        file = t->source;
        while (expected && !is_now_in(diff, expected, file)) expected = expected->next;
        if (expected && expected->source == old->source &&
            !text_eq(expected->public.name, t->public.name)) {
            diff_add(diff, CHANGE_TOOLS_REORDERED, diff_tool_place(expected), diff_tool_place(t),
                     t->public.name, nothing, nothing);
            return;
        }
        if (expected) expected = expected->next;
    }
}

void diff_tools(struct gramc_diff *diff, const struct gramc_spec *before,
                const struct gramc_spec *after) {
    map_init(&diff->repeated, &diff->arena);
    note_names(diff, &diff->before, before);
    note_names(diff, &diff->after, after);
    if (diff->arena.oom) return;
    for (const struct tool *t = after->first_tool; t; t = t->next) {
        const struct tool *old = before_of(diff, t);
        if (old) diff_tool(diff, old, t);
        else if (!diff_is_skipped_tool(diff, t))
            diff_add(diff, CHANGE_TOOL_ADDED, nowhere, diff_tool_place(t), t->public.name, nothing,
                     nothing);
    }
    diff_order(diff, before, after);
    for (const struct tool *t = before->first_tool; t; t = t->next) {
        if (after_of(diff, t)) continue;
        struct difference *d = diff_add(diff, CHANGE_TOOL_REMOVED, diff_tool_place(t), nowhere,
                                        t->public.name, nothing, nothing);
        hint_rename(diff, d, t, after);
    }
}

/* ## Files */

static size_t root_of(const struct source *first) {
    size_t len = first ? first->name.len : 0;
    for (const struct source *s = first; s; s = s->next) {
        size_t same = 0;
        while (same < len && same < s->name.len && s->name.ptr[same] == first->name.ptr[same])
            same++;
        len = same;
    }
    while (len && first->name.ptr[len - 1] != '/') len--;
    return len;
}

bool diff_same_file(const struct gramc_diff *diff, const struct source *before,
                    const struct source *after) {
    return text_eq(text_slice(before->name, diff->old_root, before->name.len),
                   text_slice(after->name, diff->new_root, after->name.len));
}

/* ## The whole */

gramc_status gramc_diff_new(gramc_diff **out, const gramc_spec *before, const gramc_spec *after,
                            const gramc_allocator *allocator) {
    gramc_allocator own = allocator ? *allocator : mem_default();
    struct gramc_diff *diff = mem_alloc(&own, sizeof *diff);
    *out = NULL;
    if (!diff) return GRAMC_NOMEM;
    *diff = (struct gramc_diff){.first = NULL};
    diff->last = &diff->first;
    diff->last_cause = &diff->first_cause;
    arena_init(&diff->arena, &own);
    diff->old_sources = before->compilation->first_source;
    diff->new_sources = after->compilation->first_source;
    diff->old_root = root_of(diff->old_sources);
    diff->new_root = root_of(diff->new_sources);
    size_t old_specs = before->compilation->spec_count;
    before = diff_view(diff, before, true);
    after = diff_view(diff, after, false);
    bool is_blind = diff->skipped_count && diff->skipped_count == old_specs;
    if (!is_blind && before && after) {
        causes_begin(diff, before, after);
        diff_agents(diff, before, after);
        diff_tools(diff, before, after);
        causes_report(diff);
        diff_accept_allowed(diff, after->compilation);
    }
    if (diff->arena.oom || is_blind) {
        gramc_status status = diff->arena.oom ? GRAMC_NOMEM : GRAMC_FINDINGS;
        gramc_diff_free(diff);
        return status;
    }
    *out = diff;
    return GRAMC_OK;
}

void gramc_diff_free(gramc_diff *diff) {
    if (!diff) return;
    gramc_allocator allocator = diff->arena.allocator;
    arena_free(&diff->arena);
    mem_free(&allocator, diff, sizeof *diff);
}

size_t gramc_diff_count(const gramc_diff *diff, gramc_impact impact) {
    return impact <= GRAMC_IMPACT_BREAKING ? diff->counts[impact] : 0;
}

size_t gramc_diff_not_compared(const gramc_diff *diff) {
    return diff->skipped_count;
}

bool gramc_diff_get(const gramc_diff *diff, size_t i, gramc_diff_entry *out) {
    const struct difference *d = diff->first;
    while (d && i--) d = d->next;
    if (!d) return false;
    *out = (gramc_diff_entry){.kind = diff_kind(d->id),
                              .impact = diff_impact(d),
                              .caller = d->caller,
                              .implementer = d->implementer,
                              .use_count = d->use_count,
                              .message = d->message,
                              .help = d->help,
                              .example = d->example,
                              .old_start = d->before.span.start,
                              .old_end = d->before.span.end,
                              .new_start = d->after.span.start,
                              .new_end = d->after.span.end};
    if (d->before.source) out->old_file = d->before.source->name;
    if (d->after.source) out->new_file = d->after.source->name;
    return true;
}

bool gramc_diff_get_use(const gramc_diff *diff, size_t i, size_t use, gramc_diff_use *out) {
    const struct difference *d = diff->first;
    while (d && i--) d = d->next;
    const struct diff_use *u = d ? d->uses : NULL;
    while (u && use--) u = u->next;
    if (!u) return false;
    *out = (gramc_diff_use){u->text, u->at.source->name, u->at.span.start, u->at.span.end};
    return true;
}
