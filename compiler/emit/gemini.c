/* Prints a tool as a function declaration of Gemini's generateContent, its parameters in the older
 * `parameters` form that every model takes: like OpenAPI 3.0, types in capitals. */
#include "compiler/emit/examples.h"
#include "compiler/emit/meta.h"

/* A tool made by hand has no signature: its schema is read. */
static bool has_parameters(const struct tool *tool) {
    const struct signature *signature = tool->signature;
    if (signature) return signature->parameters || signature_says_more(signature);
    const struct json *properties = json_get(tool->public.document, "properties");
    return properties && properties->first;
}

/* A function without parameters has no `parameters`: an object without properties is refused. */
void emit_gemini(struct emission *e, const struct tool *tool) {
    json_object_begin(&e->json);
    json_member_text(&e->json, "name", emission_name(e));
    emission_put_description(e, tool);
    if (has_parameters(tool)) {
        json_key(&e->json, "parameters");
        emission_put_parameters(e, tool);
    }
    emission_put_meta(e, tool, "gemini");
    json_object_end(&e->json);
}
