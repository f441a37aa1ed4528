/* Turns bound tools and an agent into what MCP says of tools: names that the protocol allows,
 * schemas of their signatures, hints; and a tool's result into content. Calls nothing. */
#include "serve/mcp_shelf.h"

#include <stdio.h>

#include "base/text.h"
#include "runtime/loop.h"

enum { NAME_LONGEST = 128, WHY_SIZE = 256, SCHEMA_MAX = 16 << 20 };

/* ## Names */

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

static bool is_mcp_name(gramc_text name) {
    for (size_t i = 0; i < name.len; i++)
        if (!is_name_char(name.ptr[i])) return false;
    return name.len > 0 && name.len <= NAME_LONGEST;
}

/* ## Schemas */

static bool is_object_schema(const struct json *schema) {
    const struct json *type = json_get(schema, "type");
    return json_is(type, JSON_STRING) && text_is(type->text, "object");
}

/* The protocol wants it said that arguments are an object. */
static gramc_text input_of(struct arena *arena, gramc_text parameters) {
    struct buf out;
    const struct json *schema = json_parse(arena, parameters, NULL);
    if (is_object_schema(schema)) return parameters;
    buf_init(&out, &arena->allocator, SCHEMA_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    json_member_text(&w, "type", TEXT("object"));
    for (const struct json *m = json_is(schema, JSON_OBJECT) ? schema->first : NULL; m; m = m->next)
        if (!text_is(m->key, "type")) {
            json_key_text(&w, m->key);
            json_value(&w, m);
        }
    json_object_end(&w);
    return buf_to_arena(&out, arena);
}

static void set_output(struct arena *arena, struct shelf_tool *out, gramc_text schema) {
    out->output = schema;
    out->output_is_object = is_object_schema(json_parse(arena, schema, NULL));
}

/* Clients pass over a tool whose annotations are wrong: then nothing is repeated. */
static void find_mirrored(struct arena *arena, struct shelf_tool *tool) {
    const char *wrong =
        mcp_mirrors_read(&tool->mirrored, arena, json_parse(arena, tool->input, NULL));
    if (wrong) tool->mirrored = NULL;
}

/* ## Hints */

enum { HINT_COUNT = 4 };
static const char *const hint_names[HINT_COUNT] = {"readOnlyHint", "destructiveHint",
                                                   "idempotentHint", "openWorldHint"};

/* What the spec says; else, where no server has said anything either, what the binding knows. */
static void find_hints(int out[HINT_COUNT], const struct shelf_item *item) {
    const struct bound_tool *tool = &item->bound->tools[0];
    gramc_tool_hints said = {-1, -1, -1, -1};
    bool is_constant = tool->kind->is_constant;
    if (item->said) said = gramc_tool_get_hints(item->said);
    if (!item->annotations.len) {
        if (said.read_only < 0 && (is_constant || tool->destructive))
            said.read_only = is_constant && said.destructive != 1;
        if (said.open_world < 0 && is_constant) said.open_world = 0;
        if (said.destructive < 0 && tool->destructive) said.destructive = 1;
    }
    const int hints[HINT_COUNT] = {said.read_only, said.destructive, said.idempotent,
                                   said.open_world};
    memcpy(out, hints, sizeof(hints));
}

static int find_hint(const int hints[HINT_COUNT], gramc_text name) {
    for (size_t i = 0; i < HINT_COUNT; i++)
        if (text_is(name, hint_names[i])) return hints[i];
    return -1;
}

/* A spec's word counts for more than that of the tool's server. */
static gramc_text annotations_of(struct arena *arena, const struct shelf_item *item) {
    const struct json *server =
        item->annotations.len ? json_parse(arena, item->annotations, NULL) : NULL;
    int hints[HINT_COUNT];
    struct buf out;
    find_hints(hints, item);
    buf_init(&out, &arena->allocator, SCHEMA_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    for (const struct json *m = json_is(server, JSON_OBJECT) ? server->first : NULL; m; m = m->next)
        if (find_hint(hints, m->key) < 0) {
            json_key_text(&w, m->key);
            json_value(&w, m);
        }
    for (size_t i = 0; i < HINT_COUNT; i++)
        if (hints[i] >= 0) json_member_bool(&w, hint_names[i], hints[i]);
    json_object_end(&w);
    gramc_text annotations = buf_to_arena(&out, arena);
    return annotations.len > 2 ? annotations : TEXT("");
}

/* ## What is put there */

static gramc_text words_of(gramc_text own, gramc_text said) {
    return text_trim(own).len ? text_trim(own) : text_trim(said);
}

/* The library's words about it, else those of a spec. */
static gramc_text description_of(const struct bound_tool *bound, const gramc_tool *said) {
    gramc_text own = bound->impl ? bound->impl->description : TEXT("");
    return words_of(own, words_of(bound->tool->description, said->description));
}

static void put_tool(struct tool_shelf *shelf, const struct shelf_item *item) {
    static const gramc_tool nothing = {.name = {NULL, 0}};
    const struct bound_tool *bound = &item->bound->tools[0];
    const gramc_tool *tool = bound->tool, *said = item->said ? item->said : &nothing;
    struct shelf_tool *out = &shelf->tools[shelf->count++];
    *out = (struct shelf_tool){.name = is_mcp_name(tool->name) ? tool->name : bound->wire_name,
                               .title = words_of(tool->title, said->title),
                               .description = description_of(bound, said),
                               .input = input_of(&shelf->arena, tool->parameters),
                               .annotations = annotations_of(&shelf->arena, item),
                               .tool = bound};
    find_mirrored(&shelf->arena, out);
    if (tool->result_kind == GRAMC_RESULT_JSON) set_output(&shelf->arena, out, tool->result);
}

static bool asks_for_message(const gramc_agent *agent) {
    for (size_t i = 0; i < agent->input_count; i++)
        if (text_is(agent->inputs[i], "message")) return true;
    return false;
}

static void put_text_property(struct json_writer *w, gramc_text name) {
    json_key_text(w, name);
    json_object_begin(w);
    json_member_text(w, "type", TEXT("string"));
    json_object_end(w);
}

/* Its inputs, and the message that it answers: texts, and all of them needed. */
static gramc_text input_of_agent(struct arena *arena, const gramc_agent *agent) {
    struct buf out;
    bool has_message = asks_for_message(agent);
    buf_init(&out, &arena->allocator, SCHEMA_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    json_member_text(&w, "type", TEXT("object"));
    json_member_object(&w, "properties");
    for (size_t i = 0; i < agent->input_count; i++) put_text_property(&w, agent->inputs[i]);
    if (!has_message) put_text_property(&w, TEXT("message"));
    json_object_end(&w);
    json_member_array(&w, "required");
    for (size_t i = 0; i < agent->input_count; i++) json_text(&w, agent->inputs[i]);
    if (!has_message) json_text(&w, TEXT("message"));
    json_array_end(&w);
    json_member_bool(&w, "additionalProperties", false);
    json_object_end(&w);
    return buf_to_arena(&out, arena);
}

static void put_agent(struct tool_shelf *shelf, const struct served_agent *served) {
    const gramc_bound *bound = served->bound;
    struct shelf_tool *out = &shelf->tools[shelf->count++];
    *out = (struct shelf_tool){.name = served->agent->name,
                               .description = text_trim(served->agent->description),
                               .input = input_of_agent(&shelf->arena, served->agent),
                               .agent = served};
    gramc_text output = bound->step_count ? bound->steps[bound->step_count - 1].output : TEXT("");
    if (output.len) set_output(&shelf->arena, out, output);
}

static gramc_status find_twin(const struct tool_shelf *shelf, char *why) {
    for (size_t i = 0; i < shelf->count; i++)
        for (size_t k = 0; k < i; k++) {
            if (!text_eq(shelf->tools[i].name, shelf->tools[k].name)) continue;
            snprintf(why, WHY_SIZE, "two tools are called `%.*s`", TEXT_ARGS(shelf->tools[i].name));
            return GRAMC_AMBIGUOUS;
        }
    return GRAMC_OK;
}

static gramc_status fill(struct tool_shelf *shelf, const struct shelf_options *options, char *why) {
    shelf->tools = arena_array(&shelf->arena, options->item_count + 1, sizeof(*shelf->tools));
    if (!shelf->tools) return GRAMC_NOMEM;
    for (size_t i = 0; i < options->item_count; i++) {
        put_tool(shelf, &options->items[i]);
        if (loop_learn(options->loop, options->items[i].bound->secrets)) return GRAMC_NOMEM;
    }
    if (options->agent) put_agent(shelf, options->agent);
    return shelf->arena.oom ? GRAMC_NOMEM : find_twin(shelf, why);
}

static void give_back(struct tool_shelf *shelf) {
    gramc_allocator allocator = shelf->arena.allocator;
    arena_free(&shelf->arena);
    mem_free(&allocator, shelf, sizeof(*shelf));
}

gramc_status shelf_new(struct tool_shelf **out, const struct shelf_options *options, char *why) {
    gramc_allocator allocator = options->allocator ? *options->allocator : mem_default();
    struct tool_shelf *shelf = mem_alloc(&allocator, sizeof(*shelf));
    *out = NULL;
    why[0] = '\0';
    if (!shelf) return GRAMC_NOMEM;
    *shelf = (struct tool_shelf){
        .holds = 1, .approver = options->approver, .gone = options->gone, .ctx = options->ctx};
    arena_init(&shelf->arena, &allocator);
    gramc_status status = fill(shelf, options, why);
    if (status) give_back(shelf);
    else *out = shelf;
    return status;
}

struct tool_shelf *shelf_hold(struct tool_shelf *shelf) {
    shelf->holds++;
    return shelf;
}

void shelf_let_go(struct tool_shelf *shelf) {
    if (!shelf || --shelf->holds) return;
    void (*gone)(void *ctx) = shelf->gone;
    void *ctx = shelf->ctx;
    give_back(shelf);
    if (gone) gone(ctx);
}

const struct shelf_tool *shelf_find(const struct tool_shelf *shelf, gramc_text name) {
    for (size_t i = 0; i < shelf->count; i++)
        if (text_eq(shelf->tools[i].name, name)) return &shelf->tools[i];
    return NULL;
}

/* ## What clients are told */

static bool has_structure(const struct shelf_tool *tool, bool is_modern) {
    return tool->output.len && (is_modern || tool->output_is_object);
}

void shelf_put_tools(const struct tool_shelf *shelf, struct json_writer *w, bool is_modern) {
    json_member_array(w, "tools");
    for (size_t i = 0; i < shelf->count; i++) {
        const struct shelf_tool *tool = &shelf->tools[i];
        json_object_begin(w);
        json_member_text(w, "name", tool->name);
        json_member_some(w, "title", tool->title);
        json_member_some(w, "description", tool->description);
        json_member_raw(w, "inputSchema", tool->input);
        if (has_structure(tool, is_modern)) json_member_raw(w, "outputSchema", tool->output);
        if (tool->annotations.len) json_member_raw(w, "annotations", tool->annotations);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_content(struct json_writer *w, gramc_text text) {
    json_member_array(w, "content");
    json_object_begin(w);
    json_member_text(w, "type", TEXT("text"));
    json_member_text(w, "text", text);
    json_object_end(w);
    json_array_end(w);
}

/* Where a type has texts among its values, a tool may have said one without quotes. */
bool shelf_put_result(const struct shelf_tool *tool, struct json_writer *w, gramc_text text,
                      bool is_modern) {
    struct arena scratch;
    put_content(w, text);
    if (!has_structure(tool, is_modern)) return true;
    arena_init(&scratch, &w->out->allocator);
    const struct json *value = json_parse(&scratch, text_trim(text), NULL);
    bool has_memory = !scratch.oom;
    if (value) json_member_value(w, "structuredContent", value);
    else json_member_text(w, "structuredContent", text);
    arena_free(&scratch);
    return has_memory;
}

void shelf_put_failure(struct json_writer *w, gramc_text why) {
    put_content(w, why);
    json_member_bool(w, "isError", true);
}
