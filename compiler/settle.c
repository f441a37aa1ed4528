/* The last pass over the findings: first what comments allow, then the severities that the
 * configuration gives. An error that is taken out or lowered here was still an error: if it leaves
 * nothing sound to compile, the spec is withheld from everything but checking. */
#include "compiler/config.h"

/* Errors behind which a whole spec stands: something is missing or superfluous, nothing is torn. */
bool finding_leaves_a_spec(enum diag_id id) {
    static const enum diag_id harmless[] = {D_MISSING_DESCRIPTION, D_UNKNOWN_PROPERTY,
                                            D_VOCABULARY_STRICT,   D_EXAMPLE_MISMATCH,
                                            D_NEW_LIMIT,           D_UNKNOWN_PROVIDER};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (harmless[i] == id) return true;
    return false;
}

void findings_withhold(gramc_compilation *compilation, enum diag_id id, uint32_t count) {
    if (diag_row(id)->severity == GRAMC_ERROR && !finding_leaves_a_spec(id))
        compilation->withheld += count;
}

static enum config_severity severity_of(const gramc_compilation *compilation,
                                        const struct finding *f) {
    const struct config *config = config_for(compilation, f->source);
    /* A configuration does not judge itself. */
    if (!config || f->source == config->source) return SEVERITY_UNSAID;
    return (enum config_severity)config->severities[f->id];
}

static bool is_off(void *ctx, const struct finding *finding) {
    gramc_compilation *compilation = ctx;
    if (severity_of(compilation, finding) != SEVERITY_OFF) return false;
    findings_withhold(compilation, finding->id, 1);
    return true;
}

static void apply_severities(struct pass *pass) {
    if (!pass->compilation->configs) return;
    findings_remove(pass->findings, is_off, pass->compilation);
    for (struct finding *f = pass->findings->first; f; f = f->next) {
        enum config_severity said = severity_of(pass->compilation, f);
        if (said == SEVERITY_UNSAID) continue;
        if (said != SEVERITY_ERROR) findings_withhold(pass->compilation, f->id, 1);
        finding_set_severity(pass->findings, f, (gramc_severity)(said - SEVERITY_NOTE));
    }
}

void findings_settle(struct pass *pass, bool complete) {
    suppress(pass, complete);
    apply_severities(pass);
}

void findings_settle_targets(struct pass *pass) {
    suppress_of_targets(pass);
    apply_severities(pass);
}
