/* Turns the tools of a spec into a program that has a place for each, and into the library that
 * binds them to it: both work before anything is filled in. One emitter a language; here is what
 * they share: which tools, their names, values that their results accept, the other files. */
#include "compiler/stub/stub.h"

#include "base/text.h"
#include "compiler/agent.h"
#include "compiler/tool.h"

static const struct stub_language *const languages[] = {&stub_c, &stub_python, &stub_typescript};
static const char *const kinds[] = {
    [STUB_EXEC] = "exec", [STUB_STAYING] = "staying", [STUB_PLUGIN] = "plugin", [STUB_MCP] = "mcp"};

enum { LANGUAGES = sizeof languages / sizeof *languages, LARGEST_STUB = 1 << 28 };

const char *gramc_stub_language(size_t i) {
    return i < LANGUAGES ? languages[i]->name : NULL;
}

const char *gramc_stub_kind(gramc_text language, size_t i) {
    size_t at = 0;
    for (size_t k = 0; k < LANGUAGES; k++)
        for (size_t kind = 0; text_is(language, languages[k]->name) && kind < STUB_KINDS; kind++)
            if (languages[k]->kinds & 1u << kind && at++ == i) return kinds[kind];
    return NULL;
}

/* ## Gathering */

/* False where no value is found: such a tool cannot be answered by a skeleton. */
static gramc_status make_sample(struct stub *s, const struct stub_tool *t, gramc_text *out) {
    struct buf sample;
    buf_init(&sample, &s->arena->allocator, LARGEST_STUB);
    gramc_status status = gramc_schema_sample(t->result, &s->arena->allocator, buf_writer(&sample));
    if (status == GRAMC_IO) status = buf_status(&sample);
    if (status == GRAMC_OK) *out = buf_to_arena(&sample, s->arena);
    else buf_free(&sample);
    return status;
}

/* Two schemas of one name, as raw ones may have in different tools: no type can be both. */
static void widen(struct stub *s, const struct json *other) {
    for (size_t i = 0; i < s->definition_count; i++) {
        if (!text_eq(s->definitions[i]->key, other->key) || json_equal(s->definitions[i], other))
            continue;
        struct json *any = ARENA_NEW(s->arena, struct json);
        if (!any) return;
        any->kind = JSON_OBJECT;
        any->key = other->key;
        s->definitions[i] = any;
    }
}

static void add_definitions(struct stub *s, const struct json *schema, size_t *room) {
    const struct json *defs = json_get(schema, "$defs");
    for (const struct json *d = json_is(defs, JSON_OBJECT) ? defs->first : NULL; d; d = d->next) {
        if (map_get(&s->types, d->key)) {
            widen(s, d);
            continue;
        }
        gramc_text *name = ARENA_NEW(s->arena, gramc_text);
        if (!name) return;
        map_put(&s->types, d->key, name);
        if (s->definition_count == *room) {
            size_t more = *room ? *room * 2 : 16;
            const struct json **list = arena_array(s->arena, more, sizeof *list);
            if (!list) return;
            if (*room) memcpy(list, s->definitions, *room * sizeof *list);
            s->definitions = list;
            *room = more;
        }
        s->definitions[s->definition_count++] = d;
    }
}

static bool is_asked_for(const struct stub *s, const gramc_tool *tool) {
    for (size_t i = 0; i < s->options->tool_count; i++)
        if (text_eq(s->options->tools[i], tool->name)) return true;
    return s->options->tool_count == 0;
}

/* A tool of several agents has one place; two of one name cannot be told apart. */
static gramc_status add_tool(struct stub *s, const gramc_tool *tool, size_t *room) {
    const struct tool *inside = (const struct tool *)(const void *)tool;
    const struct stub_tool *same = map_get(&s->by_name, tool->name);
    struct stub_tool *t = &s->tools[s->count];
    *t = (struct stub_tool){.tool = tool};
    if (inside->signature) {
        const struct schema *result = inside->signature->result;
        t->parameters = schema_document(s->arena, &inside->signature->arguments, SCHEMA_DEFS);
        t->result = schema_document(s->arena, result, SCHEMA_DEFS);
        if (s->kind == STUB_MCP)
            t->promise = schema_document(s->arena, result, SCHEMA_DEFS | SCHEMA_CHECKED);
    }
    if (s->arena->oom) return GRAMC_NOMEM;
    if (!t->parameters || !t->result) return GRAMC_FINDINGS;
    if (same && json_equal(same->parameters, t->parameters) && json_equal(same->result, t->result))
        return GRAMC_OK;
    if (same) return GRAMC_AMBIGUOUS;
    gramc_status status = make_sample(s, t, &t->sample);
    if (status != GRAMC_OK) return status;
    map_put(&s->by_name, tool->name, t);
    s->count++;
    add_definitions(s, t->parameters, room);
    add_definitions(s, t->result, room);
    return s->arena->oom ? GRAMC_NOMEM : GRAMC_OK;
}

/* *bad: the tool that there is an error with. */
static gramc_status gather(struct stub *s, const gramc_spec *spec, const gramc_agent *agent,
                           const gramc_tool **bad) {
    const struct agent *one = spec->first_agent;
    while (agent && one && &one->public != agent) one = one->next;
    if (agent && !one) return GRAMC_NOT_FOUND;
    size_t count = agent ? one->reach_count : gramc_spec_tool_count(spec), room = 0;
    s->tools = arena_array(s->arena, count + 1, sizeof *s->tools);
    if (!s->tools) return GRAMC_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const gramc_tool *tool = agent ? &one->reach[i]->public : gramc_spec_tool(spec, i);
        if (!is_asked_for(s, tool)) continue;
        gramc_status status = add_tool(s, tool, &room);
        if (status == GRAMC_FINDINGS || status == GRAMC_AMBIGUOUS) *bad = tool;
        if (status != GRAMC_OK) return status;
    }
    return s->count ? GRAMC_OK : GRAMC_USAGE;
}

void stub_name_all(struct stub *s) {
    for (size_t i = 0; i < s->definition_count; i++) {
        gramc_text *name = map_get(&s->types, s->definitions[i]->key);
        if (name) *name = stub_name(s, s->definitions[i]->key, true);
    }
    for (size_t i = 0; i < s->count; i++) {
        struct stub_tool *t = &s->tools[i];
        char type[300];
        size_t len = t->tool->name.len < 250 ? t->tool->name.len : 250;
        memcpy(type, t->tool->name.ptr, len);
        memcpy(type + len, " arguments", 10);
        t->function = stub_name(s, t->tool->name, false);
        t->type = stub_name(s, (gramc_text){type, len + 10}, true);
    }
}

/* ## The library */

static void put_impl(struct stub *s, const struct stub_tool *t) {
    const struct stub_language *l = s->language;
    buf_printf(s->out, "[`%.*s`:ToolImpl {", TEXT_ARGS(t->tool->name));
    if (s->kind == STUB_PLUGIN)
        buf_printf(s->out, "plugin: \"tools.so\", symbol: \"tool_%.*s\"}]", TEXT_ARGS(t->function));
    else {
        buf_puts(s->out, "exec: [");
        if (l->starter[0]) buf_printf(s->out, "\"%s\", \"%s\"", l->starter, l->file);
        else buf_puts(s->out, "\"./tools\"");
        if (s->kind == STUB_EXEC) {
            buf_puts(s->out, ", ");
            json_put_string(s->out, t->tool->name);
        }
        buf_puts(s->out, s->kind == STUB_STAYING ? "], persistent: true}]" : "]}]");
    }
}

static void put_library(struct stub *s) {
    const struct stub_language *l = s->language;
    buf_printf(s->out, "[tools:ToolLibrary {description: \"By %s\"}", l->file);
    if (s->kind == STUB_MCP)
        buf_printf(s->out, " |\n  [server:McpServer {command: [\"%s\", \"%s\"]}]\n", l->starter,
                   l->file);
    for (size_t i = 0; i < s->count && s->kind != STUB_MCP; i++) {
        buf_puts(s->out, i ? ",\n  " : " |\n  ");
        put_impl(s, &s->tools[i]);
        if (i + 1 == s->count) buf_putc(s->out, '\n');
    }
    buf_puts(s->out, "]\n");
}

/* As `gramc fmt` would have it, where it can be laid out. */
static gramc_status lay_out(const struct stub *s, gramc_text text, gramc_writer writer) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *written;
    options.allocator = &s->arena->allocator;
    if (gramc_compilation_new(&written, &options)) return GRAMC_NOMEM;
    gramc_status status = gramc_add_source(written, GRAMC_TEXT("tools"), text.ptr, text.len);
    if (status == GRAMC_OK) status = gramc_source_format(written, 0, NULL, writer);
    gramc_compilation_free(written);
    return status;
}

static void print_library(struct stub *s) {
    struct buf plain, *out = s->out;
    buf_init(&plain, &s->arena->allocator, LARGEST_STUB);
    s->out = &plain;
    put_library(s);
    s->out = out;
    gramc_status status = lay_out(s, buf_view(&plain), buf_writer(out));
    if (plain.state != BUF_FINE) out->state = plain.state;
    if (status == GRAMC_NOMEM) s->arena->oom = true;
    else if (status != GRAMC_OK) buf_text(out, buf_view(&plain));
    buf_free(&plain);
}

static void print_makefile(struct stub *s) {
    bool plugin = s->kind == STUB_PLUGIN;
    buf_puts(s->out, "CFLAGS = -O2 -Wall -Wextra\n\n");
    buf_puts(s->out, plugin ? "tools.so: tools.c\n\t$(CC) $(CFLAGS) -shared -fPIC -o $@ tools.c\n"
                            : "tools: tools.c\n\t$(CC) $(CFLAGS) -o $@ tools.c\n");
}

/* ## Files */

static void print_program(struct stub *s) {
    s->language->print(s);
}

/* What the i-th file is called and who writes it; NULL: there are fewer. */
static void (*file_at(const struct stub *s, size_t i, const char **name))(struct stub *) {
    *name = i == 0 ? s->language->file : i == 1 ? "tools.gram" : "Makefile";
    if (i == 0) return print_program;
    if (i == 1) return print_library;
    return i == 2 && s->language == &stub_c ? print_makefile : NULL;
}

static bool choose(struct stub *s, const gramc_stub_options *options) {
    for (size_t i = 0; i < LANGUAGES; i++)
        if (text_is(options->language, languages[i]->name)) s->language = languages[i];
    s->kind = STUB_KINDS;
    for (size_t i = 0; i < STUB_KINDS; i++)
        if (text_is(options->kind, kinds[i])) s->kind = (enum stub_kind)i;
    return s->language && s->kind != STUB_KINDS && s->language->kinds & 1u << s->kind;
}

/* The names of functions stand in the library too: they are made by writing the program. */
static void print_file(struct stub *s, void (*print)(struct stub *)) {
    struct buf unread, *out = s->out;
    if (print != print_program) {
        buf_init(&unread, &s->arena->allocator, LARGEST_STUB);
        s->out = &unread;
        s->language->print(s);
        if (unread.state != BUF_FINE) out->state = unread.state;
        buf_free(&unread);
        s->out = out;
    }
    print(s);
}

gramc_status gramc_stub_print(gramc_compilation *compilation, const gramc_spec *spec,
                              const gramc_agent *agent, const gramc_stub_options *options, size_t i,
                              const char **name, const gramc_tool **bad, gramc_writer writer) {
    struct arena arena;
    struct buf out;
    struct stub s = {.arena = &arena, .out = &out, .options = options};
    *bad = NULL;
    if (!choose(&s, options)) return GRAMC_USAGE;
    void (*print)(struct stub *) = file_at(&s, i, name);
    if (!print) return GRAMC_NOT_FOUND;
    arena_init(&arena, &compilation->arena.allocator);
    buf_init(&out, &arena.allocator, LARGEST_STUB);
    buf_init(&s.later, &arena.allocator, LARGEST_STUB);
    map_init(&s.taken, &arena);
    map_init(&s.types, &arena);
    map_init(&s.by_name, &arena);
    gramc_status status = gather(&s, spec, agent, bad);
    for (size_t k = 0; status == GRAMC_OK && k < s.count; k++)
        status = gramc_tool_prepare(compilation, s.tools[k].tool);
    if (status == GRAMC_OK) print_file(&s, print);
    if (status == GRAMC_OK && (arena.oom || s.later.state == BUF_NOMEM)) status = GRAMC_NOMEM;
    if (status == GRAMC_OK) status = buf_send(&out, writer);
    buf_free(&out);
    buf_free(&s.later);
    arena_free(&arena);
    return status;
}
