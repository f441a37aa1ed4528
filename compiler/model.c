/* Checks what a spec calls a model, `Provider/id`: both parts are there, and somebody knows the
 * provider. Whether the provider has such a model is not asked; nothing connects here. */
#include "compiler/model.h"

#include "base/text.h"
#include "compiler/properties.h"
#include "compiler/data.h"

enum { NAMES_MAX = 256 };

static const char *const known[] = {
#define GRAMC_PROVIDER_NAME(name) name,
#include "gramc/providers.def"
};
enum { KNOWN = sizeof known / sizeof *known };

/* Those of the table, then those that have an endpoint. */
static size_t list_names(const struct config *config, gramc_text names[NAMES_MAX]) {
    size_t count = 0;
    const struct setting *s = config ? config->first_setting : NULL;
    for (size_t i = 0; i < KNOWN; i++) names[count++] = text_of(known[i]);
    for (; s && count < NAMES_MAX; s = s->next)
        if (text_starts(s->key, "endpoints."))
            names[count++] = text_slice(s->key, sizeof "endpoints." - 1, s->key.len);
    return count;
}

void provider_check(struct pass *pass, const struct config *config, const struct value *value,
                    gramc_text provider) {
    gramc_text names[NAMES_MAX];
    size_t count = list_names(config, names);
    for (size_t i = 0; i < count; i++)
        if (text_eq_nocase(names[i], provider)) return;
    struct finding *f =
        FIND(pass->findings, D_UNKNOWN_PROVIDER, pass->source, value->span, provider);
    gramc_text near = text_nearest(provider, names, count);
    if (near.len) {
        finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
        return;
    }
    /* No slip, then: --base-url may name its server when the agent runs. */
    if (f) finding_set_severity(pass->findings, f, GRAMC_WARNING);
    finding_help(pass->findings, f,
                 "give its server an address in gramc.gram: `endpoints: {%.*s: \"https://...\"}`",
                 provider.len < 60 ? (int)provider.len : 60, provider.ptr);
}

static void check(struct pass *pass, const struct config *config, const struct value *value) {
    if (!value_is_name(value)) return;
    gramc_text model = value_name(value);
    size_t slash = 0;
    if (text_starts(model, "script:")) return; /* of an arm: a file */
    while (slash < model.len && model.ptr[slash] != '/') slash++;
    bool has_provider = slash < model.len;
    size_t id = has_provider ? slash + 1 : 0;
    if (text_trim(text_slice(model, id, model.len)).len == 0) {
        FIND(pass->findings, D_INCOMPLETE_MODEL, pass->source, value->span,
             model.len ? model : TEXT("\"\""), TEXT("model"));
        return;
    }
    if (has_provider && slash == 0)
        FIND(pass->findings, D_INCOMPLETE_MODEL, pass->source, value->span, model,
             TEXT("provider"));
    else if (has_provider) provider_check(pass, config, value, text_slice(model, 0, slash));
}

void model_check(struct pass *pass, const struct config *config, const struct subject *subject,
                 const char *name) {
    const struct property *p = property_find(subject, name);
    if (p) check(pass, config, p->value);
}
