/* The public face of gramc.h: turns sources into trees and findings, and prints both. Holds no
 * meaning: that begins in spec.c. */
#include "compiler/compilation.h"

#include "base/options.h"
#include "base/text.h"
#include "compiler/config.h"
#include "compiler/imports.h"
#include "compiler/spec.h"
#include "grammar/parse.h"
#include "grammar/print.h"

enum { OUTPUT_MAX = INT32_MAX };

gramc_status gramc_compilation_new(gramc_compilation **out, const gramc_options *options) {
    gramc_options full = GRAMC_OPTIONS_INIT;
    OPTIONS_READ(full, options);
    gramc_allocator allocator = full.allocator ? *full.allocator : mem_default();
    gramc_compilation *compilation = mem_alloc(&allocator, sizeof *compilation);
    *out = compilation;
    if (!compilation) return GRAMC_NOMEM;
    *compilation = (gramc_compilation){.reader = full.reader,
                                       .configurer = full.configurer,
                                       .plain = full.plain,
                                       .strict_vocabulary = full.strict_vocabulary,
                                       .strict = full.strict,
                                       .keep_types = full.keep_types,
                                       .forget_trees = full.forget_trees,
                                       .advice = full.advice};
    arena_pool_init(&compilation->pool, &allocator);
    arena_init_pooled(&compilation->arena, &compilation->pool);
    findings_init(&compilation->findings, &compilation->arena, full.max_findings);
    map_init(&compilation->paths, &compilation->arena);
    map_init(&compilation->reported, &compilation->arena);
    return GRAMC_OK;
}

void gramc_compilation_free(gramc_compilation *compilation) {
    if (!compilation) return;
    gramc_allocator allocator = compilation->arena.allocator;
    for (struct gramc_spec *spec = compilation->specs; spec; spec = spec->older) spec_free(spec);
    for (struct unit *u = compilation->parsed; u; u = u->older) arena_free(&u->nodes);
    arena_free(&compilation->arena);
    arena_pool_free(&compilation->pool);
    mem_free(&allocator, compilation, sizeof *compilation);
}

struct unit *unit_parse(gramc_compilation *compilation, gramc_text name, gramc_text text,
                        bool plain) {
    struct unit *unit = ARENA_NEW(&compilation->arena, struct unit);
    if (!unit) return NULL;
    struct source *source = &unit->source, *last = compilation->last_source;
    arena_init_pooled(&unit->nodes, &compilation->pool);
    unit->older = compilation->parsed;
    compilation->parsed = unit;
    source->name = arena_text(&compilation->arena, name);
    source->text = text;
    source->order = last ? last->order + 1 : 0;
    if (last) last->next = source;
    else compilation->first_source = source;
    compilation->last_source = source;
    const struct parse_options options = {.plain = plain, .nodes = &unit->nodes};
    unit->tree = parse_source(&compilation->arena, &compilation->findings, source, &options);
    arena_seal(&unit->nodes);
    if (unit->tree) unit->is_configuration = config_is(unit->tree);
    if (unit->tree) unit->may_define = tree_may_define(unit->tree);
    return compilation->arena.oom || !unit->tree ? NULL : unit;
}

gramc_status gramc_add_source(gramc_compilation *compilation, gramc_text name, const char *bytes,
                              size_t len) {
    const struct config *config;
    if (len > SOURCE_MAX) return GRAMC_LIMIT;
    if (text_has_nul(name)) return GRAMC_USAGE; /* it names the folder in which programs start */
    gramc_status status = config_of(compilation, name, &config);
    if (status != GRAMC_OK) return status;
    uint32_t errors = compilation->findings.counts[GRAMC_ERROR];
    struct unit *unit = unit_parse(compilation, name, (gramc_text){bytes, len}, compilation->plain);
    if (!unit) return GRAMC_NOMEM;
    unit->source.config = config;
    unit->source.strict = config && config->strict;
    unit_enlist(compilation, unit);
    unit->has_errors = compilation->findings.counts[GRAMC_ERROR] > errors;
    unit->is_broken = unit->has_errors;
    return unit->has_errors ? GRAMC_FINDINGS : GRAMC_OK;
}

gramc_status gramc_tree_print(const gramc_compilation *compilation, gramc_tree_format format,
                              gramc_writer writer) {
    static void (*const printers[])(struct buf *,
                                    const struct tree *) = {[GRAMC_TREE_JSON] = print_json,
                                                            [GRAMC_TREE_SEXP] = print_sexp,
                                                            [GRAMC_TREE_TEXT] = print_text};
    const struct unit *last = compilation->last;
    if (!last || !last->tree || last->is_forgotten) return GRAMC_NOT_FOUND;
    if ((unsigned)format >= sizeof printers / sizeof *printers) return GRAMC_USAGE;
    struct buf out;
    buf_init(&out, &compilation->arena.allocator, OUTPUT_MAX);
    printers[format](&out, compilation->last->tree);
    gramc_status status = buf_send(&out, writer);
    buf_free(&out);
    return status;
}

size_t gramc_finding_count(const gramc_compilation *compilation, gramc_severity severity) {
    return (unsigned)severity <= GRAMC_ERROR ? compilation->findings.counts[severity] : 0;
}

static bool is_strict(const gramc_compilation *compilation) {
    bool configured = compilation->is_configured && compilation->config->strict;
    return compilation->strict || configured;
}

/* Warnings about sources that a configuration of their own calls strict. */
static size_t count_strict_warnings(const gramc_compilation *compilation) {
    size_t count = 0;
    for (const struct finding *f = compilation->findings.first; f; f = f->next)
        count += f->severity == GRAMC_WARNING && f->source->strict;
    return count;
}

size_t gramc_finding_failures(const gramc_compilation *compilation) {
    const uint32_t *counts = compilation->findings.counts;
    size_t warnings =
        is_strict(compilation) ? counts[GRAMC_WARNING] : count_strict_warnings(compilation);
    return counts[GRAMC_ERROR] + warnings;
}

bool gramc_finding_get(const gramc_compilation *compilation, size_t i, gramc_finding *out) {
    const struct finding *f = compilation->findings.first;
    while (f && i--) f = f->next;
    if (!f) return false;
    const struct diag_row *row = f->row;
    *out = (gramc_finding){row->code, row->slug,       f->severity,   f->message,
                           f->help,   f->source->name, f->span.start, f->span.end};
    return true;
}

bool gramc_finding_edit(const gramc_compilation *compilation, size_t i, size_t j, gramc_edit *out) {
    const struct finding *f = compilation->findings.first;
    while (f && i--) f = f->next;
    const struct fix *fix = f ? f->fixes : NULL;
    while (fix && j--) fix = fix->next;
    if (!fix) return false;
    *out = (gramc_edit){fix->span.start, fix->span.end, fix->replacement};
    return true;
}

gramc_status gramc_findings_print(const gramc_compilation *compilation, gramc_report_format format,
                                  gramc_writer writer) {
    struct diag_report report = {.sources = compilation->first_source,
                                 .findings = &compilation->findings,
                                 .fails = is_strict(compilation) ? GRAMC_WARNING : GRAMC_ERROR,
                                 .command = compilation->evaluates_format ? "fmt" : "check",
                                 .language = "gram"};
    return diag_print(&report, format, &compilation->arena.allocator, writer);
}

gramc_status gramc_failure_print(gramc_report_format format, const char *command, gramc_text file,
                                 gramc_text message, const gramc_allocator *allocator,
                                 gramc_writer writer) {
    const gramc_allocator own = allocator ? *allocator : mem_default();
    const struct source source = {.name = file, .text = TEXT("")};
    const struct span beginning = {0, 0};
    struct arena arena;
    struct findings findings;
    arena_init(&arena, &own);
    findings_init(&findings, &arena, 1);
    FIND(&findings, D_NOT_DONE, &source, beginning, message);
    const struct diag_report report = {.sources = &source,
                                       .findings = &findings,
                                       .fails = GRAMC_ERROR,
                                       .command = command,
                                       .language = "gram"};
    gramc_status status = arena.oom ? GRAMC_NOMEM : diag_print(&report, format, &own, writer);
    arena_free(&arena);
    return status;
}
