/* Turns comments `// gramc: allow(G0203, G0204) reason` into findings that are not reported: those
 * of the comment's own line, or, if it has the line to itself, of the line below. A comment that
 * does nothing, says no reason or is misspelt is a finding itself. */
#include "compiler/config.h"

#include "base/text.h"

#include <string.h>

struct directive {
    struct pass *pass;
    struct span comment;
    struct span row; /* bytes of the line that it speaks of; the end may be a finding's start */
    gramc_text codes, reason;
    bool complete;   /* all findings are known: what is allowed and does not occur is unused */
    bool of_targets; /* look at the findings about targets, and only at those */
};

/* ## Reading */

static uint32_t row_start(gramc_text text, uint32_t offset) {
    while (offset > 0 && text.ptr[offset - 1] != '\n') offset--;
    return offset;
}

static uint32_t row_end(gramc_text text, uint32_t offset) {
    const char *feed = memchr(text.ptr + offset, '\n', text.len - offset);
    return feed ? (uint32_t)(feed - text.ptr) : (uint32_t)text.len;
}

static bool is_comment_row(gramc_text text, struct span row) {
    return text_starts(text_trim(text_slice(text, row.start, row.end)), "//");
}

/* Behind code: its own line. Alone: the next line that is no comment, so that several can stand
 * above each other. */
static struct span find_row(gramc_text text, struct span comment) {
    struct span row = {row_start(text, comment.start), row_end(text, comment.end)};
    bool alone = text_trim(text_slice(text, row.start, comment.start)).len == 0;
    while (alone && row.end < text.len) {
        row.start = row.end + 1;
        row.end = row_end(text, row.start);
        alone = is_comment_row(text, row);
    }
    return row;
}

/* The text behind `// gramc:`; {NULL, 0} for any other comment. */
static gramc_text directive_text(gramc_text comment) {
    gramc_text text = text_trim(text_slice(comment, 2, comment.len));
    if (!text_starts(text, "gramc:")) return (gramc_text){NULL, 0};
    return text_trim(text_slice(text, sizeof "gramc:" - 1, text.len));
}

static bool parse(struct directive *directive, gramc_text text) {
    static const char keyword[] = "allow(";
    const char *close = text.len ? memchr(text.ptr, ')', text.len) : NULL;
    if (!text_starts(text, keyword) || !close) return false;
    size_t end = (size_t)(close - text.ptr);
    directive->codes = text_slice(text, sizeof keyword - 1, end);
    directive->reason = text_trim(text_slice(text, end + 1, text.len));
    return text_trim(directive->codes).len > 0;
}

/* ## Doing */

struct suppress_target {
    const struct directive *directive;
    enum diag_id id;
};

static bool is_meant(void *ctx, const struct finding *finding) {
    const struct suppress_target *target = ctx;
    const struct directive *directive = target->directive;
    return finding->id == target->id && finding->source == directive->pass->source &&
           finding->span.start >= directive->row.start && finding->span.start <= directive->row.end;
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
    if (id == DIAG_COUNT && directive->of_targets) return;
    if (id == DIAG_COUNT) {
        gramc_text near = diag_nearest(code);
        struct finding *f = FIND(pass->findings, D_UNKNOWN_FINDING, pass->source, at, code);
        if (near.len) finding_help(pass->findings, f, "did you mean %.*s?", TEXT_ARGS(near));
        return;
    }
    if (directive->of_targets != is_of_target(id)) return;
    if (!diag_is_judgement(id)) {
        FIND(pass->findings, D_NOT_A_JUDGEMENT, pass->source, at, code);
        return;
    }
    struct suppress_target target = {directive, id};
    uint32_t removed = findings_remove(pass->findings, is_meant, &target);
    findings_withhold(pass->compilation, id, removed);
    if (!removed && directive->complete && !directive->of_targets)
        FIND(pass->findings, D_UNUSED_ALLOW, pass->source, at, code);
}

static void allow_all(const struct directive *directive) {
    gramc_text rest = directive->codes;
    while (rest.len) {
        const char *comma = memchr(rest.ptr, ',', rest.len);
        size_t len = comma ? (size_t)(comma - rest.ptr) : rest.len;
        gramc_text code = text_trim(text_slice(rest, 0, len));
        allow(directive, code);
        rest = text_slice(rest, comma ? len + 1 : len, rest.len);
    }
    if (!directive->reason.len && !directive->of_targets)
        FIND(directive->pass->findings, D_ALLOW_WITHOUT_REASON, directive->pass->source,
             directive->comment, text_trim(directive->codes));
}

static void obey(struct pass *pass, const struct comment *comment, bool complete, bool of_targets) {
    gramc_text text = directive_text(source_slice(pass->source, comment->span));
    struct directive directive = {
        .pass = pass, .comment = comment->span, .complete = complete, .of_targets = of_targets};
    if (!text.ptr) return;
    bool good = parse(&directive, text);
    if (!good && of_targets) return;
    if (!good) {
        struct finding *f = FIND0(pass->findings, D_BAD_DIRECTIVE, pass->source, comment->span);
        finding_help(pass->findings, f, "write `// gramc: allow(CODE) reason`");
        return;
    }
    directive.row = find_row(pass->source->text, comment->span);
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
    obey_all(pass, complete && total == findings->kept, false);
}

void suppress_of_targets(struct pass *pass) {
    obey_all(pass, false, true);
}
