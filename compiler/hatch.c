/* Reads an escape hatch and finds out what its references mean: its own `$defs` first, then the
 * named types of the compilation. Other references are left as they are, for the validator to
 * judge; printing is emit_json_schema.c's. */
#include "compiler/hatch.h"

#include "base/text.h"
#include "compiler/data.h"
#include "compiler/definition.h"
#include "compiler/spec.h"

#define DEFINITIONS "#/$defs/"

bool hatch_holds_data(gramc_text keyword) {
    return text_is(keyword, "const") || text_is(keyword, "enum") || text_is(keyword, "default") ||
           text_is(keyword, "examples");
}

const struct hatch_use *hatch_find(const struct hatch *hatch, gramc_text reference) {
    const struct hatch_use *use = hatch->uses;
    while (use && !text_eq(use->reference, reference)) use = use->next;
    return use;
}

static void note(struct pass *pass, struct hatch *hatch, gramc_text reference) {
    if (!text_starts(reference, DEFINITIONS) || hatch_find(hatch, reference)) return;
    gramc_text name = text_slice(reference, sizeof DEFINITIONS - 1, reference.len);
    const struct json *own = json_at(hatch->json, text_slice(reference, 1, reference.len));
    const struct definition *definition = own ? NULL : definition_find(pass, name);
    struct hatch_use *use = own || definition ? ARENA_NEW(pass->arena, struct hatch_use) : NULL;
    if (!use) return;
    *use = (struct hatch_use){hatch->uses, reference, name, own, definition};
    hatch->uses = use;
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
static void collect(struct pass *pass, struct hatch *hatch, const struct json *value) {
    for (const struct json *m = value->first; m; m = m->next) {
        bool reference = text_is(m->key, "$ref") && m->kind == JSON_STRING;
        if (reference) note(pass, hatch, m->text);
        else if (!hatch_holds_data(m->key)) collect(pass, hatch, m);
    }
}

struct hatch *hatch_read(struct pass *pass, const struct value *value, bool *wrong) {
    bool tagged = value->kind == VALUE_TAGGED;
    gramc_text json = tagged ? data_json(pass, value) : (gramc_text){NULL, 0};
    const struct json *document = json.len ? json_parse(pass->arena, json, NULL) : NULL;
    struct hatch *hatch =
        json_is(document, JSON_OBJECT) ? ARENA_NEW(pass->arena, struct hatch) : NULL;
    *wrong = !json_is(document, JSON_OBJECT) && (!tagged || document);
    if (!hatch) return NULL;
    *hatch = (struct hatch){
        .json = document, .at = value->span, .types = &pass->compilation->spec->definitions};
    collect(pass, hatch, document);
    return hatch;
}
