/* Turns sources into specs: a file with all that it imports is one, whatever other sources there
 * are. What a spec says is spec.c's; here is what belongs together, and what is reported once. */
#include "compiler/spec.h"

#include "base/text.h"
#include "compiler/config.h"
#include "compiler/imports.h"
#include "compiler/pattern.h"
#include "compiler/tool.h"

#include <stdio.h>

/* ## Findings of several specs */

struct hand_over {
    gramc_compilation *compilation;
    struct unit *root; /* stands for the spec */
};

/* True if another spec, with the same file in it, reported the same of the same place. */
static bool is_repeated(void *ctx, const struct finding *f) {
    const struct hand_over *h = ctx;
    char key[64];
    int len = snprintf(key, sizeof key, "%u %d %u %u", (unsigned)f->source->order, (int)f->id,
                       (unsigned)f->span.start, (unsigned)f->span.end);
    gramc_text copy = arena_text(&h->compilation->arena, (gramc_text){key, (size_t)len});
    return copy.ptr && map_put(&h->compilation->reported, copy, h->root) != h->root;
}

void spec_hand_over(gramc_compilation *compilation, const struct gramc_spec *spec,
                    struct findings *own) {
    bool shares = spec->is_one_of_several;
    struct hand_over h = {compilation, shares ? spec->units->unit : NULL};
    findings_move(&compilation->findings, own, shares ? is_repeated : NULL, &h);
}

/* ## Specs */

static bool is_readable(const struct unit_link *units) {
    while (units && !units->unit->is_broken) units = units->next;
    return !units;
}

/* True if the tree of none of them has been given back. */
static bool are_remembered(const struct unit_link *units) {
    while (units && !units->unit->is_forgotten) units = units->next;
    return !units;
}

static bool is_read_once(const struct unit *unit, bool is_root) {
    if (is_root) return unit->importers == 0;
    return unit->is_imported && unit->importers == 1 && unit->importer->is_read_once;
}

/* Marks those that no other spec reads: all if there is no other, else what hangs together with
 * this root alone. Importers stand before what they import. */
static void mark_read_once(const gramc_compilation *compilation, const struct unit_link *units,
                           bool is_one_of_several) {
    for (const struct unit_link *l = units; l; l = l->next)
        l->unit->is_read_once =
            compilation->forget_trees && (!is_one_of_several || is_read_once(l->unit, l == units));
}

/* After a syntax error the tree has holes; what would be found there is noise. */
static struct gramc_spec *make(gramc_compilation *compilation, struct unit_link *units,
                               bool is_one_of_several) {
    struct findings own;
    struct pass pass = {compilation, &compilation->arena, &own, NULL};
    struct gramc_spec *spec = spec_new(compilation, units);
    if (!spec) return NULL;
    findings_init(&own, &compilation->arena, compilation->findings.max);
    spec->is_one_of_several = is_one_of_several;
    spec->is_readable = is_readable(units);
    spec->older = compilation->specs;
    compilation->spec = compilation->specs = spec;
    compilation->spec_count++;
    mark_read_once(compilation, units, is_one_of_several);
    if (spec->is_readable) spec_read(&pass, spec);
    for (const struct unit_link *l = units; l && !spec->is_readable; l = l->next)
        l->unit->is_incomplete = true;
    spec->errors = own.counts[GRAMC_ERROR];
    spec_hand_over(compilation, spec, &own);
    return compilation->arena.oom ? NULL : spec;
}

static gramc_status settle(gramc_compilation *compilation) {
    struct pass pass = {compilation, &compilation->arena, &compilation->findings, NULL};
    findings_settle(&pass, true);
    findings_sort(&compilation->findings);
    if (compilation->arena.oom) return GRAMC_NOMEM;
    bool refused = compilation->withheld || findings_have_errors(&compilation->findings);
    return refused ? GRAMC_FINDINGS : GRAMC_OK;
}

static void read_headers(gramc_compilation *compilation) {
    struct pass pass = {compilation, &compilation->arena, &compilation->findings, NULL};
    headers_read(&pass);
}

static struct unit_link *all_units(gramc_compilation *compilation) {
    struct unit_link *first = NULL, **last = &first;
    for (struct unit *u = compilation->units; u; u = u->next) {
        struct unit_link *link = ARENA_NEW(&compilation->arena, struct unit_link);
        if (!link) return NULL;
        link->unit = u;
        *last = link;
        last = &link->next;
    }
    return first;
}

gramc_status gramc_compile(const gramc_spec **out, gramc_compilation *compilation) {
    *out = NULL;
    read_headers(compilation);
    struct unit_link *units = all_units(compilation);
    if (compilation->arena.oom) return GRAMC_NOMEM;
    if (!are_remembered(units)) return GRAMC_USAGE;
    *out = make(compilation, units, false);
    return *out ? settle(compilation) : GRAMC_NOMEM;
}

/* ## One of the sources */

static bool is_about_others(void *ctx, const struct finding *f) {
    const gramc_compilation *compilation = ctx;
    const struct unit *u = compilation->units;
    while (u && &u->source != f->source) u = u->next;
    if (u) return u->is_left_out;
    const struct config *c = compilation->configs;
    while (c && c->source != f->source) c = c->next;
    return c && c->is_left_out;
}

/* What is found in others is not asked for. */
static void leave_others_out(gramc_compilation *compilation, const struct unit_link *units) {
    for (struct config *c = compilation->configs; c; c = c->next)
        c->is_left_out = !compilation->is_configured;
    for (struct unit *u = compilation->units; u; u = u->next)
        u->is_left_out = u->mark != compilation->closures;
    for (struct config *c = compilation->configs; c; c = c->next)
        for (const struct unit_link *l = units; l && c->is_left_out; l = l->next)
            c->is_left_out = l->unit->source.config != c;
    findings_remove(&compilation->findings, is_about_others, compilation);
}

gramc_status gramc_compile_source(const gramc_spec **out, gramc_compilation *compilation,
                                  size_t i) {
    struct unit *root = compilation->units;
    uint32_t count;
    *out = NULL;
    while (root && i--) root = root->next;
    if (!root) return GRAMC_NOT_FOUND;
    read_headers(compilation);
    struct unit_link *units = unit_closure(compilation, root, &count);
    if (compilation->arena.oom) return GRAMC_NOMEM;
    if (!are_remembered(units)) return GRAMC_USAGE;
    leave_others_out(compilation, units);
    if (!compilation->is_configured) compilation->config = root->source.config;
    *out = make(compilation, units, false);
    return *out ? settle(compilation) : GRAMC_NOMEM;
}

/* ## Looking for one */

static bool is_meant(const struct pattern *pattern, gramc_text label, gramc_text name) {
    const struct pattern *plain = pattern_plain(pattern);
    bool is_named = plain->subject && subject_has_identifier(plain->subject);
    return text_eq(pattern_label(plain), label) && is_named &&
           (!name.len || text_eq(name_text(plain->subject->identifier), name));
}

/* The first from `p` on; the language calls what stands there by its identifier. */
static const struct pattern *find_pattern(const struct pattern *p, gramc_text label,
                                          gramc_text name) {
    while (p && (p->kind == PATTERN_HEADER || !is_meant(p, label, name))) p = p->next;
    return p;
}

size_t gramc_sources_find(gramc_compilation *compilation, gramc_text label, gramc_text name,
                          gramc_pattern *out, size_t room) {
    size_t count = 0, i = 0;
    read_headers(compilation);
    for (const struct unit *u = compilation->units; u; u = u->next, i++) {
        const struct pattern *p = find_pattern(u->tree->patterns, label, name);
        for (; p; p = find_pattern(p->next, label, name), count++)
            if (count < room)
                out[count] = (gramc_pattern){i, name_text(pattern_plain(p)->subject->identifier)};
    }
    return count;
}

bool gramc_source_imports_all(gramc_compilation *compilation, size_t i) {
    struct unit *unit = compilation->units;
    uint32_t count = 0;
    while (unit && i--) unit = unit->next;
    return unit && unit_closure(compilation, unit, &count) && count == compilation->unit_count;
}

/* ## Each of the sources */

/* True if a source that it imports was compiled with as many: they import each other, and mean the
 * same together. */
static bool is_compiled(const struct unit_link *units, uint32_t count) {
    for (const struct unit_link *l = units; l; l = l->next)
        if (l->unit->reach == count) return true;
    return false;
}

static void make_each(gramc_compilation *compilation) {
    uint32_t count;
    read_headers(compilation);
    for (struct unit *u = compilation->units; u && !compilation->arena.oom; u = u->next) {
        if (u->is_imported) continue;
        struct unit_link *units = unit_closure(compilation, u, &count);
        if (!units || is_compiled(units, count) || !are_remembered(units)) continue;
        u->reach = count;
        make(compilation, units, true);
    }
}

gramc_status gramc_compile_each(gramc_compilation *compilation) {
    compilation->looks_for_files = true;
    make_each(compilation);
    return compilation->arena.oom ? GRAMC_NOMEM : settle(compilation);
}

/* A list beside the specs: none of them reads it, and it reads none of the sources. */
gramc_status gramc_compile_tools(const gramc_spec **out, gramc_compilation *compilation) {
    struct pass pass = {compilation, &compilation->arena, &compilation->findings, NULL};
    *out = NULL;
    make_each(compilation);
    struct gramc_spec *list = spec_new(compilation, NULL);
    if (list) spec_list_tools(&pass, list);
    if (compilation->arena.oom) return GRAMC_NOMEM;
    *out = compilation->spec = list;
    return settle(compilation);
}

const gramc_spec *gramc_compiled(const gramc_compilation *compilation, size_t i) {
    const struct gramc_spec *spec = compilation->specs;
    if (i >= compilation->spec_count) return NULL;
    for (size_t newer = compilation->spec_count - 1 - i; newer; newer--) spec = spec->older;
    return spec;
}

static bool is_part(const struct gramc_spec *spec, const struct source *source) {
    const struct unit_link *l = spec->units;
    while (l && &l->unit->source != source) l = l->next;
    return l != NULL;
}

bool spec_is_sound(const gramc_spec *spec) {
    const struct findings *findings = &spec->compilation->findings;
    const struct finding *f = spec->errors ? findings->first : NULL;
    if (!spec->is_readable || findings_unshown(findings, GRAMC_ERROR)) return false;
    while (f && !(f->severity == GRAMC_ERROR && is_part(spec, f->source))) f = f->next;
    return !f;
}

bool spec_is_whole(const struct gramc_spec *spec) {
    const struct findings *findings = &spec->compilation->findings;
    const struct finding *f = findings->first;
    if (!spec->is_readable || findings_unshown(findings, GRAMC_ERROR)) return false;
    for (; f; f = f->next) {
        bool is_harmless =
            f->severity != GRAMC_ERROR || f->id == D_NO_MEANING || finding_leaves_a_spec(f->id);
        if (!is_harmless && is_part(spec, f->source)) return false;
    }
    return true;
}

static const struct tool *inside(const gramc_tool *tool) {
    return (const struct tool *)(const void *)tool;
}

gramc_text gramc_tool_file(const gramc_tool *tool) {
    return inside(tool)->source->name;
}

gramc_tool_hints gramc_tool_get_hints(const gramc_tool *tool) {
    const struct tool *t = inside(tool);
    return (gramc_tool_hints){t->read_only, t->destructive, t->idempotent, t->open_world};
}

/* Of a source that others import as well, the spec whose root it is counts, if there is one. */
bool spec_owns(const struct gramc_spec *spec, const struct source *source) {
    if (&spec->units->unit->source == source) return true;
    for (const struct gramc_spec *s = spec->compilation->specs; s; s = s->older)
        if (&s->units->unit->source == source) return false;
    for (const struct gramc_spec *s = spec->older; s; s = s->older)
        if (is_part(s, source)) return false;
    return true;
}

bool gramc_tool_is_own(const gramc_spec *spec, const gramc_tool *tool) {
    return spec_owns(spec, inside(tool)->source);
}
