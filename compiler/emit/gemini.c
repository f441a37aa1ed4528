/* Prints a tool as a function declaration of Gemini's generateContent, its parameters in the older
 * `parameters` form that every model takes: like OpenAPI 3.0, types in capitals. */
#include "base/text.h"
#include "compiler/emit/examples.h"
#include "compiler/emit/meta.h"

/* A tool made by hand has no signature: its schema is read. */
static bool has_parameters(const struct tool *tool) {
    if (tool->signature) return tool->signature->parameters != NULL;
    const struct json *properties = json_get(tool->public.document, "properties");
    return properties && properties->first;
}

static void put_in_words(struct emission *e, const struct tool *tool, gramc_text words) {
    struct buf text;
    struct tool told = *tool;
    buf_init(&text, &e->out->allocator, SOURCE_MAX);
    buf_text(&text, tool->public.description);
    if (text.len && words.len) buf_putc(&text, '\n');
    buf_text(&text, words);
    told.public.description = buf_view(&text);
    emission_put_description(e, &told);
    if (text.state == BUF_NOMEM) e->out->state = BUF_NOMEM;
    buf_free(&text);
}

/* What is said of all arguments, where none has a name, may name some, or leave only words. */
static void put_nameless(struct emission *e, const struct tool *tool) {
    struct emission aside = *e;
    struct arena arena;
    struct buf schema;
    arena_init(&arena, &e->out->allocator);
    buf_init(&schema, &e->out->allocator, SOURCE_MAX);
    aside.out = &schema;
    aside.json = json_writer(&schema);
    emission_put_parameters(&aside, tool);
    const struct json *lowered = json_parse(&arena, buf_view(&schema), NULL);
    const struct json *properties = json_get(lowered, "properties");
    const struct json *words = json_get(lowered, "description");
    if (properties && properties->first) {
        emission_put_description(e, tool);
        json_member_raw(&e->json, "parameters", buf_view(&schema));
    } else {
        put_in_words(e, tool, json_is(words, JSON_STRING) ? words->text : TEXT(""));
    }
    if (schema.state == BUF_NOMEM || arena.oom) e->out->state = BUF_NOMEM;
    buf_free(&schema);
    arena_free(&arena);
}

/* A function without parameters has no `parameters`: an object without properties is refused. */
void emit_gemini(struct emission *e, const struct tool *tool) {
    json_object_begin(&e->json);
    json_member_text(&e->json, "name", emission_name(e));
    if (has_parameters(tool)) {
        emission_put_description(e, tool);
        json_key(&e->json, "parameters");
        emission_put_parameters(e, tool);
    } else if (tool->signature && signature_says_more(tool->signature)) {
        put_nameless(e, tool);
    } else {
        emission_put_description(e, tool);
    }
    emission_put_meta(e, tool, "gemini");
    json_object_end(&e->json);
}
