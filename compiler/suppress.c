/* Turns comments `// gramc: allow(G0203, G0204) reason` into findings that are not reported: those
 * of the comment's own line, or, if it has the line to itself, of the line below. A comment that
 * does nothing, says no reason or is misspelt is a finding itself. */
#include "compiler/advice.h"
#include "compiler/allowance.h"
#include "compiler/config.h"

#include "base/text.h"
#include "compiler/diff/diff.h"

struct directive {
    struct pass *pass;
    struct allowance said;
    bool complete;   /* all findings are known: what is allowed and does not occur is unused */
    bool of_targets; /* look at the findings about targets, and only at those */
};

/* ## Doing */

struct suppress_target {
    const struct directive *directive;
    enum diag_id id;
};

static bool is_meant(void *ctx, const struct finding *finding) {
    const struct suppress_target *target = ctx;
    const struct directive *directive = target->directive;
    return finding->id == target->id && finding->source == directive->pass->source &&
           finding->span.start >= directive->said.row.start &&
           finding->span.start <= directive->said.row.end;
}

/* Found later, and only where that target is asked for. */
static bool is_of_target(enum diag_id id) {
    return diag_row(id)->code[2] == '8';
}

static void allow(const struct directive *directive, gramc_text code) {
    struct pass *pass = directive->pass;
    enum diag_id id = diag_find(code);
    const char *text = pass->source->text.ptr;
    struct span at = {(uint32_t)(code.ptr - text), (uint32_t)(code.ptr + code.len - text)};
    if (id == DIAG_COUNT && (directive->of_targets || diff_is_kind(code))) return;
    if (id == DIAG_COUNT) {
        gramc_text near = diag_nearest(code);
        struct finding *f = FIND(pass->findings, D_UNKNOWN_FINDING, pass->source, at, code);
        if (near.len) finding_help(pass->findings, f, "did you mean %.*s?", TEXT_ARGS(near));
        return;
    }
    if (directive->of_targets != is_of_target(id)) return;
    if (!diag_is_suppressible(id)) {
        FIND(pass->findings, D_NOT_SUPPRESSIBLE, pass->source, at, code);
        return;
    }
    struct suppress_target target = {directive, id};
    uint32_t removed = findings_remove(pass->findings, is_meant, &target);
    findings_withhold(pass->compilation, id, removed);
    if (!removed && directive->complete && !directive->of_targets && advice_is_wanted(pass, id))
        FIND(pass->findings, D_UNUSED_ALLOW, pass->source, at, code);
}

static void allow_all(const struct directive *directive) {
    gramc_text rest = directive->said.codes;
    while (rest.len) allow(directive, allowance_next(&rest));
    if (!directive->said.reason.len && !directive->of_targets)
        FIND(directive->pass->findings, D_ALLOW_WITHOUT_REASON, directive->pass->source,
             directive->said.comment, text_trim(directive->said.codes));
}

static void obey(struct pass *pass, const struct comment *comment, bool complete, bool of_targets) {
    struct directive directive = {.pass = pass, .complete = complete, .of_targets = of_targets};
    if (!allowance_is(pass->source, comment)) return;
    bool good = allowance_read(&directive.said, pass->source, comment);
    if (!good && of_targets) return;
    if (!good) {
        struct finding *f = FIND0(pass->findings, D_BAD_DIRECTIVE, pass->source, comment->span);
        finding_help(pass->findings, f, "write `// gramc: allow(CODE) reason`");
        return;
    }
    allow_all(&directive);
}

static void obey_all(struct pass *pass, bool complete, bool of_targets) {
    for (const struct unit *unit = pass->compilation->units; unit; unit = unit->next) {
        pass->source = &unit->source;
        bool read = complete && !unit->is_incomplete && !unit->is_left_out;
        for (const struct comment *c = unit->tree->comments; c; c = c->next)
            obey(pass, c, read, of_targets);
    }
}

void suppress(struct pass *pass, bool complete) {
    const struct findings *findings = pass->findings;
    uint32_t total = findings->counts[0] + findings->counts[1] + findings->counts[2];
    obey_all(pass, complete && total == findings_kept(findings), false);
}

void suppress_of_targets(struct pass *pass) {
    obey_all(pass, false, true);
}
