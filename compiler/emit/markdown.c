/* Prints a page about an agent's tools for people: what each does, a table of its parameters, what
 * comes back, examples. It reads the schemas as they are printed, so that it tells what a model is
 * told. Escaping is markup.c's. */
#include "compiler/emit/target.h"

#include "base/text.h"
#include "compiler/emit/markup.h"
#include "jsonschema/keywords.h"
#include "jsonschema/types.h"

#include <string.h>

struct page {
    struct buf *out;
    struct arena *arena;
    unsigned style;
    bool in_table;
};

static void put_json_code(struct page *page, const struct json *value) {
    struct buf json;
    buf_init(&json, &page->out->allocator, SOURCE_MAX);
    json_put(&json, value);
    if (buf_status(&json) == GRAMC_OK) markup_put_code(page->out, buf_view(&json), page->in_table);
    else page->out->state = json.state;
    buf_free(&json);
}

/* ## Types in words. Recursion is bounded by JSON_MAX_DEPTH. */

static void put_type(struct page *page, const struct json *schema);

static void put_values(struct page *page, const struct json *list, const char *between) {
    for (const struct json *v = list->first; v; v = v->next) {
        if (v != list->first) buf_puts(page->out, between);
        put_json_code(page, v);
    }
}

static void put_schemas(struct page *page, const struct json *list, const char *between) {
    for (const struct json *v = list->first; v; v = v->next) {
        if (v != list->first) buf_puts(page->out, between);
        put_type(page, v);
    }
}

static void put_container(struct page *page, const struct json *schema, const char *type) {
    bool list = strcmp(type, "array") == 0, object = strcmp(type, "object") == 0;
    const struct json *tuple = json_get(schema, "prefixItems");
    const struct json *inner = json_get(schema, list ? "items" : "additionalProperties");
    const struct json *format = json_get(schema, "format");
    buf_puts(page->out, list ? "list" : type);
    if (list && json_is(tuple, JSON_ARRAY)) {
        buf_puts(page->out, " (");
        put_schemas(page, tuple, ", ");
        buf_putc(page->out, ')');
    } else if ((list || object) && json_is(inner, JSON_OBJECT)) {
        buf_puts(page->out, " of ");
        put_type(page, inner);
    } else if (json_is(format, JSON_STRING)) {
        buf_puts(page->out, " (");
        markup_put_line(page->out, format->text);
        buf_putc(page->out, ')');
    }
}

static void put_type_names(struct page *page, const struct json *schema, const struct json *type) {
    const struct json *t = json_is(type, JSON_ARRAY) ? type->first : type;
    for (const struct json *first = t; t; t = type->kind == JSON_ARRAY ? t->next : NULL) {
        if (t != first) buf_puts(page->out, " or ");
        enum json_type named = json_type_named(t->text);
        if (named != JSON_TYPES) put_container(page, schema, json_type_name(named));
    }
}

static void put_type(struct page *page, const struct json *schema) {
    static const char prefix[] = "#/$defs/";
    const struct json *reference = json_get(schema, "$ref"), *values = json_get(schema, "enum");
    const struct json *any = json_get(schema, "anyOf"), *constant = json_get(schema, "const");
    const struct json *type = json_get(schema, "type");
    if (!any) any = json_get(schema, "oneOf");
    if (json_is(reference, JSON_STRING)) {
        gramc_text name = reference->text;
        if (text_starts(name, prefix)) name = text_slice(name, sizeof prefix - 1, name.len);
        markup_put_code(page->out, name, page->in_table);
    } else if (json_is(values, JSON_ARRAY)) put_values(page, values, " or ");
    else if (constant) put_json_code(page, constant);
    else if (json_is(any, JSON_ARRAY)) put_schemas(page, any, " or ");
    else if (type) put_type_names(page, schema, type);
    else buf_puts(page->out, "any");
}

/* ## Tables */

/* Told in other columns, or by the type. */
static bool is_told(gramc_text name) {
    static const bool told[K_COUNT + 1] = {
        [K_TYPE] = true,       [K_FORMAT] = true,       [K_ENUM] = true,
        [K_CONST] = true,      [K_ANY_OF] = true,       [K_ONE_OF] = true,
        [K_REF] = true,        [K_PREFIX_ITEMS] = true, [K_ITEMS] = true,
        [K_PROPERTIES] = true, [K_REQUIRED] = true,     [K_ADDITIONAL_PROPERTIES] = true,
        [K_TITLE] = true,      [K_DEFS] = true,         [K_DEFAULT] = true,
        [K_DESCRIPTION] = true};
    return told[keyword_named(name)];
}

static void put_about(struct page *page, const struct json *schema) {
    const struct json *said = json_get(schema, "description"), *more;
    bool any = json_is(said, JSON_STRING) && said->text.len;
    if (any) markup_put_line(page->out, said->text);
    more = json_get(schema, "additionalProperties");
    if (json_is(more, JSON_FALSE)) {
        buf_puts(page->out, any ? "<br>No other names." : "No other names.");
        any = true;
    }
    for (const struct json *m = schema->first; m; m = m->next) {
        if (is_told(m->key)) continue;
        buf_puts(page->out, any ? "<br>" : "");
        any = true;
        if (lower_sentence(m->key)) buf_puts(page->out, lower_sentence(m->key));
        else markup_put_code(page->out, m->key, page->in_table);
        buf_puts(page->out, ": ");
        put_json_code(page, m);
    }
}

struct table_path {
    const struct table_path *outer;
    gramc_text name;
    const char *suffix; /* "[]" for the items of a list */
    unsigned choice;    /* which member of a union, from 1; 0: there is no choice */
};

static void put_path(struct buf *out, const struct table_path *path) {
    if (path->outer) put_path(out, path->outer);
    if (path->outer && path->name.len) buf_putc(out, '.');
    buf_text(out, path->name);
    buf_puts(out, path->suffix);
    if (path->choice) buf_printf(out, "(%u)", path->choice);
}

static bool is_required(const struct json *object, gramc_text name) {
    const struct json *list = json_get(object, "required");
    for (const struct json *v = json_is(list, JSON_ARRAY) ? list->first : NULL; v; v = v->next)
        if (v->kind == JSON_STRING && text_eq(v->text, name)) return true;
    return false;
}

static void put_row(struct page *page, const struct table_path *path, const struct json *schema,
                    bool required) {
    const struct json *fallback = json_get(schema, "default");
    struct buf name;
    buf_init(&name, &page->out->allocator, SOURCE_MAX);
    put_path(&name, path);
    if (buf_status(&name) != GRAMC_OK) page->out->state = name.state;
    page->in_table = true;
    buf_puts(page->out, "| ");
    markup_put_code(page->out, buf_view(&name), true);
    buf_puts(page->out, " | ");
    put_type(page, schema);
    buf_puts(page->out, required ? " | yes | " : " | no | ");
    if (fallback) put_json_code(page, fallback);
    buf_puts(page->out, fallback ? " | " : "| ");
    put_about(page, schema);
    buf_puts(page->out, " |\n");
    page->in_table = false;
    buf_free(&name);
}

static void put_rows(struct page *page, const struct table_path *outer, const struct json *object);

static unsigned count_objects(const struct json *list) {
    unsigned count = 0;
    for (const struct json *m = list->first; m; m = m->next)
        if (json_get(m, "properties")) count++;
    return count;
}

/* The members of a union that are objects; numbered if there are several. */
static void put_choices(struct page *page, const struct table_path *outer,
                        const struct json *list) {
    unsigned count = count_objects(list), number = 0;
    for (const struct json *m = list->first; m; m = m->next) {
        number += json_get(m, "properties") ? 1 : 0;
        struct table_path path = {outer, {NULL, 0}, "", count > 1 ? number : 0};
        put_rows(page, &path, m);
    }
}

/* The properties of an object, and what is inside them, one row each. */
static void put_rows(struct page *page, const struct table_path *outer, const struct json *object) {
    const struct json *properties = json_get(object, "properties");
    const struct json *items = json_get(object, "items"), *any = json_get(object, "anyOf");
    if (!any) any = json_get(object, "oneOf");
    if (json_is(any, JSON_ARRAY) && outer) put_choices(page, outer, any);
    if (json_is(items, JSON_OBJECT) && outer) {
        struct table_path path = {outer, {NULL, 0}, "[]", 0};
        put_rows(page, &path, items);
    }
    for (const struct json *p = json_is(properties, JSON_OBJECT) ? properties->first : NULL; p;
         p = p->next) {
        struct table_path path = {outer, p->key, "", 0};
        put_row(page, &path, p, is_required(object, p->key));
        put_rows(page, &path, p);
    }
}

static void put_table(struct page *page, const struct json *object, const char *what) {
    const struct json *properties = json_get(object, "properties");
    if (!properties || !properties->first) return;
    buf_printf(page->out, "\n| %s | Type | Required | Default | About |\n|---|---|---|---|---|\n",
               what);
    put_rows(page, NULL, object);
}

/* Recursive types have a table of their own. */
static void put_definitions(struct page *page, const struct json *document) {
    const struct json *defs = json_get(document, "$defs");
    for (const struct json *d = defs ? defs->first : NULL; d; d = d->next) {
        buf_puts(page->out, "\nType ");
        markup_put_code(page->out, d->key, false);
        buf_puts(page->out, ": ");
        put_type(page, d);
        buf_putc(page->out, '\n');
        put_table(page, d, "Field");
    }
}

/* ## Tools */

static void put_paragraph(struct page *page, gramc_text text) {
    if (!text.len) return;
    buf_putc(page->out, '\n');
    markup_put_text(page->out, text);
    buf_putc(page->out, '\n');
}

static void put_remarks(struct page *page, const struct tool *tool) {
    const struct {
        int said;
        const char *yes, *no;
    } hints[] = {{tool->read_only, "only reads", "changes things"},
                 {tool->destructive, "may destroy", "destroys nothing"},
                 {tool->idempotent, "twice is as good as once", "twice is not the same as once"},
                 {tool->open_world, "reaches the world outside", "stays inside"}};
    const char *between = "\nHints: ";
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        if (hints[i].said < 0) continue;
        buf_puts(page->out, between);
        buf_puts(page->out, hints[i].said ? hints[i].yes : hints[i].no);
        between = ", ";
    }
    if (between[0] == ',') buf_puts(page->out, ".\n");
    if (!tool->deprecated.len) return;
    buf_puts(page->out, "\n**Deprecated.** ");
    if (!text_is(tool->deprecated, "true")) markup_put_line(page->out, tool->deprecated);
    buf_putc(page->out, '\n');
}

static void put_result(struct page *page, const struct json *result) {
    if (!result) return;
    buf_puts(page->out, "\nReturns: ");
    put_type(page, result);
    if (json_get(result, "description")) {
        buf_puts(page->out, ". ");
        put_about(page, result);
    }
    buf_putc(page->out, '\n');
    put_table(page, result, "Field");
    put_definitions(page, result);
}

static void put_examples(struct page *page, const struct tool *tool) {
    const struct json *list = tool->examples.document;
    for (const struct json *v = list ? list->first : NULL; v; v = v->next) {
        struct buf json;
        buf_init(&json, &page->out->allocator, SOURCE_MAX);
        json_put_pretty(&json, v);
        buf_puts(page->out, v == list->first ? "\nExample:\n\n" : "\n");
        markup_put_fence(page->out, "json", buf_view(&json));
        if (buf_status(&json) != GRAMC_OK) page->out->state = json.state;
        buf_free(&json);
    }
}

static void put_tool(struct page *page, const struct tool *tool) {
    const struct signature *signature = tool->signature;
    const struct json *parameters =
        schema_document(page->arena, &signature->arguments, page->style);
    buf_puts(page->out, "\n## ");
    markup_put_code(page->out, tool->public.name, false);
    if (tool->public.title.len) buf_puts(page->out, ": ");
    markup_put_line(page->out, tool->public.title);
    buf_putc(page->out, '\n');
    put_paragraph(page, tool->public.description);
    put_remarks(page, tool);
    if (parameters && signature->parameters) put_table(page, parameters, "Parameter");
    else buf_puts(page->out, "\nNo parameters.\n");
    if (parameters) put_definitions(page, parameters);
    put_result(page, schema_document(page->arena, signature->result, page->style));
    put_examples(page, tool);
}

/* What a run is given, and the steps that it takes. */
static void put_inputs(struct page *page, const gramc_agent *agent) {
    for (size_t i = 0; i < agent->input_count; i++) {
        buf_puts(page->out, i ? ", " : "\nInputs of a run: ");
        markup_put_code(page->out, agent->inputs[i], false);
    }
    if (agent->input_count) buf_puts(page->out, ".\n");
}

static void put_task(struct page *page, const gramc_task *task, size_t number) {
    buf_printf(page->out, "%zu. ", number);
    markup_put_code(page->out, task->name, false);
    buf_puts(page->out, task->description.len ? ": " : "");
    markup_put_line(page->out, task->description);
    for (size_t i = 0; i < task->tool_count; i++) {
        buf_puts(page->out, i ? ", " : " (with ");
        markup_put_code(page->out, task->tools[i]->name, false);
    }
    buf_puts(page->out, task->tool_count ? ")\n" : "\n");
}

static void put_agent(struct page *page, const struct agent *agent) {
    const gramc_agent *public = &agent->public;
    put_paragraph(page, public->description);
    put_inputs(page, public);
    buf_puts(page->out, public->task_count ? "\nTasks, in this order:\n\n" : "");
    for (size_t i = 0; i < public->task_count; i++) put_task(page, &public->tasks[i], i + 1);
}

void emit_markdown(struct emission *e, const struct agent *agent) {
    struct buf *out = e->out;
    buf_puts(out, "# ");
    if (agent) markup_put_code(out, agent->public.name, false);
    else buf_puts(out, "Tools");
    buf_putc(out, '\n');
    for (size_t i = 0; i <= e->count && out->state == BUF_FINE; i++) {
        struct arena arena;
        struct page page = {out, &arena, e->style, false};
        arena_init(&arena, &out->allocator);
        if (i == 0 && agent) put_agent(&page, agent);
        if (i > 0 && e->tools[i - 1]->signature) put_tool(&page, e->tools[i - 1]);
        if (arena.oom) out->state = BUF_NOMEM;
        arena_free(&arena);
    }
}
