/* Turns a list of changes into findings of the files that they stand in, which the printers of
 * findings know how to print. What is gone stands in the old file; else the old place is a second
 * place of the finding. */
#include "compiler/diff/diff.h"

#include "base/text.h"

enum { FACTS = 4 };

static const char *const impacts[] = {"none", "cosmetic", "additive", "breaking"};
/* By severity: an impact less one. */
static const char *const *const grades = impacts + GRAMC_IMPACT_COSMETIC;

/* The list on its way: copies of the sources, the new ones in front of the old ones. */
struct printed {
    struct arena arena;
    struct findings findings;
    struct source *sources;
    size_t new_count, count;
};

static size_t count_sources(const struct source *first) {
    size_t count = 0;
    for (const struct source *s = first; s; s = s->next) count++;
    return count;
}

static void copy_sources(struct printed *printed, const struct source *first) {
    for (const struct source *s = first; s; s = s->next) {
        struct source *copy = &printed->sources[printed->count];
        *copy =
            (struct source){.name = s->name, .text = s->text, .order = (uint32_t)printed->count};
        printed->count++;
    }
}

static struct source *copy_of(const struct printed *printed, const struct difference *d) {
    const struct source *after = d->after.source;
    return &printed->sources[after ? after->order : printed->new_count + d->before.source->order];
}

/* All new files are listed; an old one only if a change stands there. */
static void link_sources(struct printed *printed) {
    const struct finding *f = printed->findings.first;
    struct source *last = NULL;
    for (size_t i = 0; i < printed->count; i++) {
        while (f && f->source->order < i) f = f->next;
        bool listed = i < printed->new_count || (f && f->source->order == i);
        if (listed && last) last->next = &printed->sources[i];
        if (listed) last = &printed->sources[i];
    }
}

static const struct diag_fact *make_facts(struct arena *arena, const struct difference *d) {
    struct diag_fact *facts = arena_array(arena, FACTS, sizeof *facts);
    if (!facts) return NULL;
    const struct diag_fact all[FACTS] = {
        {"impact", text_of(impacts[diff_impact(d)]), true},
        {"callers", text_of(impacts[d->caller]), false},
        {"implementers", text_of(impacts[d->implementer]), false},
        {"example", d->example, false},
    };
    for (size_t i = 0; i < FACTS; i++) facts[i] = all[i];
    return facts;
}

static void add_uses(struct printed *printed, struct finding *f, const struct difference *d) {
    struct diag_label *labels = NULL;
    if (d->use_count) labels = arena_array(&printed->arena, d->use_count, sizeof *labels);
    if (!labels) return;
    f->uses = labels;
    for (const struct diff_use *u = d->uses; u; u = u->next, f->use_count++)
        labels[f->use_count] = (struct diag_label){u->at.source, u->at.span, u->text};
}

static void add(struct printed *printed, const struct difference *d) {
    bool gone = !d->after.source;
    struct finding *f = findings_report(&printed->findings, diff_row(d->id), copy_of(printed, d),
                                        gone ? d->before.span : d->after.span, d->message);
    if (!f) return;
    finding_set_severity(&printed->findings, f,
                         (gramc_severity)(diff_impact(d) - GRAMC_IMPACT_COSMETIC));
    f->help = d->help;
    add_uses(printed, f, d);
    f->facts = make_facts(&printed->arena, d);
    f->fact_count = f->facts ? FACTS : 0;
    if (!gone && d->before.source)
        finding_label(&printed->findings, f, d->before.source, d->before.span, "it was this");
}

static gramc_status gather(struct printed *printed, const gramc_diff *diff) {
    printed->new_count = count_sources(diff->new_sources);
    size_t count = printed->new_count + count_sources(diff->old_sources);
    printed->sources = arena_array(&printed->arena, count, sizeof *printed->sources);
    if (!printed->sources) return GRAMC_NOMEM;
    copy_sources(printed, diff->new_sources);
    copy_sources(printed, diff->old_sources);
    for (const struct difference *d = diff->first; d; d = d->next) add(printed, d);
    findings_sort(&printed->findings);
    link_sources(printed);
    return printed->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
}

gramc_status gramc_diff_print(const gramc_diff *diff, gramc_report_format format,
                              gramc_impact fails, gramc_writer writer) {
    struct printed printed = {.count = 0};
    arena_init(&printed.arena, &diff->arena.allocator);
    findings_init(&printed.findings, &printed.arena, UINT32_MAX);
    gramc_status status = gather(&printed, diff);
    const struct diag_tally tallies[] = {{"accepted", diff->accepted},
                                         {"not_compared", diff->skipped_count}};
    const struct diag_report report = {
        .sources = printed.sources,
        .findings = &printed.findings,
        .fails = fails ? (int)fails - GRAMC_IMPACT_COSMETIC : GRAMC_ERROR + 1,
        .command = "diff",
        .language = "gram",
        .grades = grades,
        .tallies = tallies,
        .tally_count = sizeof tallies / sizeof *tallies,
        .nothing = "no changes",
    };
    if (status == GRAMC_OK) status = diag_print(&report, format, &diff->arena.allocator, writer);
    arena_free(&printed.arena);
    return status;
}
