/* Prints a tool as a function declaration of Gemini's generateContent, its parameters in the older
 * `parameters` form that every model takes: like OpenAPI 3.0, types in capitals. */
#include "compiler/emit/target.h"

/* A function without parameters has no `parameters`: an object without properties is refused. */
void emit_gemini(struct emission *e, const struct tool *tool) {
    json_object_begin(&e->json);
    json_member_text(&e->json, "name", emission_name(e));
    json_member_some(&e->json, "description", tool->public.description);
    if (tool->signature->parameters || tool->signature->arguments.raw) {
        json_key(&e->json, "parameters");
        emission_put_parameters(e, tool);
    }
    json_object_end(&e->json);
}
