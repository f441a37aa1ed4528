/* Looks at `${name}`, `${env:NAME}` and `$${` in the URLs, headers and bodies of a library: what
 * nobody gives a value is found here, before anything runs. Filling in is the runtime's. */
#include "compiler/library.h"

#include "base/placeholder.h"
#include "base/text.h"

/* The name in `${name:-fallback}`. */
static gramc_text name_of(gramc_text inside) {
    for (size_t i = 0; i + 1 < inside.len; i++)
        if (inside.ptr[i] == ':' && inside.ptr[i + 1] == '-') return text_slice(inside, 0, i);
    return inside;
}

static void malformed(struct pass *pass, const struct template_use *use, const char *why) {
    FIND(pass->findings, D_BAD_TEMPLATE, pass->source, use->at, text_of(why));
}

static gramc_text nearest(struct pass *pass, const struct field *parameters, gramc_text name) {
    size_t count = 0;
    for (const struct field *p = parameters; p; p = p->next) count++;
    gramc_text *names = arena_array(pass->arena, count + 1, sizeof *names);
    if (!names) return (gramc_text){NULL, 0};
    count = 0;
    for (const struct field *p = parameters; p; p = p->next) names[count++] = p->name;
    return text_nearest(name, names, count);
}

static void undeclared(struct pass *pass, const struct template_use *use,
                       const struct template_check *check, gramc_text name) {
    struct finding *f = FIND(pass->findings, D_UNDECLARED_NAME, pass->source, use->at, name);
    gramc_text near = nearest(pass, check->parameters, name);
    if (near.len) finding_help(pass->findings, f, "did you mean `${%.*s}`?", TEXT_ARGS(near));
    else if (check->secrets_only)
        finding_help(pass->findings, f,
                     "there are no parameters here: write `${env:%.*s}` for a secret, `$${` for a "
                     "literal one",
                     TEXT_ARGS(name));
    else
        finding_help(pass->findings, f,
                     "declare it in the signature, or write `$${` for a literal one");
}

static bool look_up(struct pass *pass, const struct template_use *use,
                    const struct template_check *check, gramc_text inside) {
    gramc_text name = name_of(inside);
    size_t i = 0;
    if (name.len == 0 || text_is(name, "env:")) {
        malformed(pass, use, "`${}` names nothing");
        return false;
    }
    if (text_starts(name, "env:")) return true;
    for (const struct field *p = check->parameters; p; p = p->next, i++) {
        if (!text_eq(p->name, name)) continue;
        check->used[i] = true;
        return true;
    }
    if (check->parameters_known || check->secrets_only) undeclared(pass, use, check, name);
    return true;
}

bool library_template(struct pass *pass, const struct template_use *use,
                      const struct template_check *check) {
    struct placeholder part;
    bool good = true;
    for (size_t pos = 0; placeholder_next(use->text, &pos, &part);) {
        switch (part.kind) {
        case PLACEHOLDER_TEXT: break;
        case PLACEHOLDER_NAME:
        case PLACEHOLDER_BAD: good = look_up(pass, use, check, part.text) && good; break;
        case PLACEHOLDER_OPEN: malformed(pass, use, "`${` is never closed"); return false;
        }
    }
    return good;
}
