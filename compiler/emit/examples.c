/* Says how a tool is called by example: in a member of its own where the provider has one, else in
 * words at the end of the description. An example that fits the tool's own schema and not the one
 * that the provider is shown (an open object was closed, say) stands in words too: such a member
 * would be refused with the whole request. */
#include "compiler/emit/examples.h"

#include "base/text.h"
#include "compiler/emit/wire_names.h"

struct example {
    gramc_text json; /* with the names of the wire */
    bool in_words;
};

struct examples {
    struct arena arena;
    struct example *list;
    size_t count;
};

/* ## Reading them */

static const struct json *parameters_of(const struct emission *e, const struct tool *tool,
                                        struct arena *arena) {
    if (tool->public.document) return tool->public.document;
    return tool->signature ? schema_document(arena, &tool->signature->arguments, e->style) : NULL;
}

/* All of them in words, until somebody finds a better place. */
static bool take(struct examples *examples, struct emission *e, const struct tool *tool) {
    struct arena *arena = &examples->arena;
    const struct json *list = json_parse(arena, tool->public.examples, NULL);
    const struct json *schema = list ? parameters_of(e, tool, arena) : NULL;
    examples->list = list ? arena_array(arena, list->count + 1, sizeof *examples->list) : NULL;
    for (const struct json *v = examples->list ? list->first : NULL; v; v = v->next) {
        struct buf text;
        buf_init(&text, &arena->allocator, SOURCE_MAX);
        wire_put_arguments(&text, arena, e->target, schema, v);
        examples->list[examples->count++] = (struct example){buf_to_arena(&text, arena), true};
    }
    return !arena->oom;
}

static bool open_examples(struct examples *examples, struct emission *e, const struct tool *tool) {
    *examples = (struct examples){.count = 0};
    arena_init(&examples->arena, &e->out->allocator);
    if (take(examples, e, tool)) return true;
    arena_free(&examples->arena);
    e->out->state = BUF_NOMEM;
    return false;
}

/* ## Writing them */

static void put_words(struct emission *e, const struct tool *tool,
                      const struct examples *examples) {
    struct buf text;
    buf_init(&text, &e->out->allocator, SOURCE_MAX);
    buf_text(&text, tool->public.description);
    for (size_t i = 0; i < examples->count; i++) {
        if (!examples->list[i].in_words) continue;
        buf_puts(&text, text.len ? "\nExample: " : "Example: ");
        buf_text(&text, examples->list[i].json);
    }
    json_member_some(&e->json, "description", buf_view(&text));
    if (text.state == BUF_NOMEM) e->out->state = BUF_NOMEM;
    buf_free(&text);
}

void emission_put_description(struct emission *e, const struct tool *tool) {
    struct examples examples;
    if (!tool->public.examples.len) {
        json_member_some(&e->json, "description", tool->public.description);
    } else if (open_examples(&examples, e, tool)) {
        put_words(e, tool, &examples);
        arena_free(&examples.arena);
    }
}

/* ## A member of their own */

/* How many fit the schema that the provider is shown. */
static size_t choose(struct examples *examples, gramc_text shown) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_schema *schema = NULL;
    size_t fitting = 0;
    options.allocator = &examples->arena.allocator;
    gramc_status status = gramc_schema_compile(&schema, shown.ptr, shown.len, &options, NULL);
    if (status == GRAMC_NOMEM) examples->arena.oom = true;
    for (size_t i = 0; i < examples->count && status == GRAMC_OK; i++) {
        struct example *example = &examples->list[i];
        example->in_words =
            !gramc_schema_accepts_as_is(schema, example->json.ptr, example->json.len);
        fitting += !example->in_words;
    }
    gramc_schema_free(schema);
    return fitting;
}

static void put_list(struct emission *e, const char *key, const struct examples *examples) {
    json_member_array(&e->json, key);
    for (size_t i = 0; i < examples->count; i++)
        if (!examples->list[i].in_words) json_raw(&e->json, examples->list[i].json);
    json_array_end(&e->json);
}

static void put_all(struct emission *e, const struct tool *tool, const struct example_members *keys,
                    struct examples *examples) {
    struct emission aside = *e;
    struct buf schema;
    buf_init(&schema, &e->out->allocator, SOURCE_MAX);
    aside.out = &schema;
    aside.json = json_writer(&schema);
    emission_put_parameters(&aside, tool);
    size_t fitting = choose(examples, buf_view(&schema));
    put_words(e, tool, examples);
    json_member_raw(&e->json, keys->schema, buf_view(&schema));
    if (fitting) put_list(e, keys->examples, examples);
    if (schema.state == BUF_NOMEM || examples->arena.oom) e->out->state = BUF_NOMEM;
    buf_free(&schema);
}

void emission_put_with_examples(struct emission *e, const struct tool *tool,
                                const struct example_members *keys) {
    struct examples examples;
    if (!tool->public.examples.len) {
        json_member_some(&e->json, "description", tool->public.description);
        json_key(&e->json, keys->schema);
        emission_put_parameters(e, tool);
    } else if (open_examples(&examples, e, tool)) {
        put_all(e, tool, keys, &examples);
        arena_free(&examples.arena);
    }
}
