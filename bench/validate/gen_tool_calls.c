/* Writes schemas of tools and calls for them, for any collection of tools:
 *     gen_tool_calls TOOLS SCHEMAS CALLS COUNT SEED [shuffled]
 * TOOLS is a JSON list of {name, schema}, or lines of {name, parameters} whose types may have the
 * names that BFCL gives them. To SCHEMAS goes a list of {name, schema}, strict at the top level, to
 * CALLS what gen_calls writes: 90 % valid calls, 9 % with a mistake, 1 % cut off. Members that may
 * be left out are there every other time. Tools that no such call can be made for are left out. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json/json.h"
#include "base/text.h"
#include "bench/validate/workload.h"
#include "gramc/schema.h"

enum { LARGEST = 1 << 28, DEEPEST = 8 };

struct generator {
    struct random random;
    const struct json *root;
    bool shuffled, spaced;
};

/* ## Schemas */

static gramc_text type_name(gramc_text name) {
    static const char *const names[][2] = {
        {"dict", "object"},    {"HashMap", "object"},  {"float", "number"}, {"double", "number"},
        {"tuple", "array"},    {"list", "array"},      {"Array", "array"},  {"ArrayList", "array"},
        {"String", "string"},  {"Boolean", "boolean"}, {"long", "integer"}, {"int", "integer"},
        {"Integer", "integer"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_is(name, names[i][0])) return text_of(names[i][1]);
    return name;
}

static bool is_type(gramc_text name) {
    static const char *const names[] = {"object", "array",   "number", "integer",
                                        "string", "boolean", "null"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_is(name, names[i])) return true;
    return false;
}

static void put_schema(struct buf *out, const struct json *schema, bool root);

static void put_schema_member(struct buf *out, const struct json *member, bool properties) {
    bool is_name = !properties && text_is(member->key, "type") && member->kind == JSON_STRING;
    json_put_string(out, member->key);
    buf_putc(out, ':');
    if (is_name) json_put_string(out, type_name(member->text));
    else if (!properties && text_is(member->key, "properties")) {
        buf_putc(out, '{');
        for (const struct json *p = member->first; p; p = p->next) {
            if (p != member->first) buf_putc(out, ',');
            put_schema_member(out, p, true);
        }
        buf_putc(out, '}');
    } else if (member->kind == JSON_OBJECT && (properties || text_is(member->key, "items"))) {
        put_schema(out, member, false);
    } else {
        json_put(out, member);
    }
}

/* A type that is none ("any") says nothing. */
static void put_schema(struct buf *out, const struct json *schema, bool root) {
    const char *between = "{";
    for (const struct json *member = schema->first; member; member = member->next) {
        if (text_is(member->key, "description")) continue;
        if (text_is(member->key, "type") && member->kind == JSON_STRING &&
            !is_type(type_name(member->text)))
            continue;
        buf_puts(out, between);
        put_schema_member(out, member, false);
        between = ",";
    }
    if (root && !json_get(schema, "additionalProperties")) {
        buf_puts(out, between);
        buf_puts(out, "\"additionalProperties\":false");
    } else if (*between == '{') {
        buf_putc(out, '{');
    }
    buf_putc(out, '}');
}

/* ## Values */

static void put_value(struct generator *g, struct buf *out, const struct json *schema,
                      unsigned depth);

static double number_at(const struct json *schema, const char *name, double otherwise) {
    const struct json *value = json_get(schema, name);
    return json_is(value, JSON_NUMBER) ? strtod(value->text.ptr, NULL) : otherwise;
}

static void put_number(struct generator *g, struct buf *out, const struct json *schema) {
    double least = number_at(schema, "minimum", 1);
    double most = number_at(schema, "maximum", least + 1000);
    const struct json *type = json_get(schema, "type");
    buf_printf(out, "%ld",
               (long)least + (long)random_below(&g->random, (uint32_t)(most - least) + 1));
    if (text_is(type->text, "number") && most > least + 100 && random_below(&g->random, 2))
        buf_printf(out, ".%u", 10 + random_below(&g->random, 90));
}

static void put_text(struct generator *g, struct buf *out, const struct json *schema) {
    const struct json *format = json_get(schema, "format");
    if (json_get(schema, "pattern")) buf_puts(out, "\"DE123456\"");
    else if (json_is(format, JSON_STRING)) buf_puts(out, "\"2026-03-14\"");
    else random_words(&g->random, out, 1, random_below(&g->random, 5) ? 4 : 15);
}

static void put_items(struct generator *g, struct buf *out, const struct json *schema,
                      unsigned depth) {
    uint32_t least = (uint32_t)number_at(schema, "minItems", 1);
    uint32_t most = (uint32_t)number_at(schema, "maxItems", least + 2);
    uint32_t count = least + random_below(&g->random, most - least + 1);
    buf_putc(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i) buf_puts(out, g->spaced ? ", " : ",");
        put_value(g, out, json_get(schema, "items"), depth + 1);
    }
    buf_putc(out, ']');
}

static bool is_required(const struct json *schema, gramc_text name) {
    const struct json *required = json_get(schema, "required");
    for (const struct json *item = required ? required->first : NULL; item; item = item->next)
        if (text_eq(item->text, name)) return true;
    return false;
}

static void put_member(struct generator *g, struct buf *out, const struct json *member,
                       unsigned depth) {
    json_put_string(out, member->key);
    buf_puts(out, g->spaced ? ": " : ":");
    put_value(g, out, member, depth + 1);
}

enum { MOST_MEMBERS = 64 };

/* Which members there are, in which order; `spoiled`: not the first that has to be
 * and that nothing fills in. */
static size_t choose_members(struct generator *g, const struct json *schema, bool spoiled,
                             const struct json **chosen) {
    const struct json *properties = json_get(schema, "properties");
    size_t count = 0;
    for (const struct json *p = properties ? properties->first : NULL; p; p = p->next) {
        bool required = is_required(schema, p->key);
        bool left_out = required && spoiled && !json_get(p, "default");
        spoiled = spoiled && !left_out;
        if (left_out || count == MOST_MEMBERS) continue;
        if (required || (random_below(&g->random, 2) && p->kind == JSON_OBJECT))
            chosen[count++] = p;
    }
    for (size_t i = count; g->shuffled && i > 1; i--) {
        size_t other = random_below(&g->random, (uint32_t)i);
        const struct json *kept = chosen[i - 1];
        chosen[i - 1] = chosen[other];
        chosen[other] = kept;
    }
    return count;
}

static void put_members(struct generator *g, struct buf *out, const struct json *schema,
                        unsigned depth, bool spoiled) {
    const struct json *chosen[MOST_MEMBERS];
    size_t count = choose_members(g, schema, spoiled, chosen);
    buf_putc(out, '{');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_puts(out, g->spaced ? ", " : ",");
        put_member(g, out, chosen[i], depth);
    }
    buf_putc(out, '}');
}

static void put_typed(struct generator *g, struct buf *out, const struct json *schema,
                      gramc_text type, unsigned depth) {
    if (text_is(type, "object") || json_get(schema, "properties"))
        put_members(g, out, schema, depth, false);
    else if (text_is(type, "array")) put_items(g, out, schema, depth);
    else if (text_is(type, "integer") || text_is(type, "number")) put_number(g, out, schema);
    else if (text_is(type, "boolean"))
        buf_puts(out, random_below(&g->random, 2) ? "true" : "false");
    else if (text_is(type, "null")) buf_puts(out, "null");
    else put_text(g, out, schema);
}

static void put_value(struct generator *g, struct buf *out, const struct json *schema,
                      unsigned depth) {
    const struct json *choices = json_get(schema, "enum"), *any = json_get(schema, "anyOf");
    const struct json *type = json_get(schema, "type");
    if (depth > DEEPEST || !schema) {
        buf_puts(out, "\"deep\"");
    } else if (choices && choices->count) {
        const struct json *choice = choices->first;
        for (uint32_t i = random_below(&g->random, choices->count); i; i--) choice = choice->next;
        json_put(out, choice);
    } else if (any && any->first) {
        const struct json *branch = any->first;
        for (uint32_t i = random_below(&g->random, any->count); i; i--) branch = branch->next;
        put_value(g, out, branch, depth + 1);
    } else {
        put_typed(g, out, schema, json_is(type, JSON_STRING) ? type->text : TEXT("string"), depth);
    }
}

/* ## Tools and calls */

struct tool {
    gramc_text name, text;
    const struct json *schema;
    gramc_schema *compiled;
};

/* The call stands behind what `out` holds. */
static void put_call(struct generator *g, struct buf *out, const struct tool *tool, bool spoiled) {
    put_members(g, out, tool->schema, 0, spoiled);
}

static bool compile_tool(struct arena *arena, const struct json *read, struct tool *out) {
    const struct json *schema = json_get(read, "schema"), *name = json_get(read, "name");
    struct buf text;
    if (!schema) schema = json_get(read, "parameters");
    if (!json_is(schema, JSON_OBJECT) || !json_is(name, JSON_STRING)) return false;
    buf_init(&text, NULL, LARGEST);
    put_schema(&text, schema, true);
    out->name = name->text;
    out->text = buf_to_arena(&text, arena);
    out->schema = json_parse(arena, out->text, NULL);
    return out->schema && gramc_schema_compile(&out->compiled, out->text.ptr, out->text.len, NULL,
                                               NULL) == GRAMC_OK;
}

/* Calls that are made for it fit, and one without its first required member does not. */
static bool is_usable(struct generator *g, const struct tool *tool) {
    struct buf call;
    bool fine = json_get(tool->schema, "required") && json_get(tool->schema, "properties");
    buf_init(&call, NULL, LARGEST);
    for (int i = 0; fine && i < 20; i++) {
        bool spoiled = i % 2;
        buf_reset(&call);
        put_call(g, &call, tool, spoiled);
        fine = gramc_schema_accepts(tool->compiled, call.ptr, call.len) == !spoiled;
    }
    buf_free(&call);
    return fine;
}

static void write_call(struct generator *g, FILE *out, const struct tool *tools, size_t count) {
    struct buf call;
    uint32_t tool = random_below(&g->random, (uint32_t)count), fate = random_below(&g->random, 100);
    size_t len;
    buf_init(&call, NULL, LARGEST);
    g->spaced = random_below(&g->random, 2);
    put_call(g, &call, &tools[tool], fate < 9);
    len = fate == 9 ? 1 + random_below(&g->random, (uint32_t)call.len - 1) : call.len;
    fprintf(out, "%u\t%d\t%.*s\n", tool, fate < 9 ? 0 : fate == 9 ? 2 : 1, (int)len, call.ptr);
    buf_free(&call);
}

/* A list, or one of each line. */
static const struct json *read_tools(struct arena *arena, gramc_text text) {
    struct json *list = json_parse(arena, text, NULL);
    if (json_is(list, JSON_ARRAY)) return list;
    struct json *lines = ARENA_NEW(arena, struct json), **link = lines ? &lines->first : NULL;
    for (size_t pos = 0; lines && pos < text.len;) {
        size_t end = pos;
        while (end < text.len && text.ptr[end] != '\n') end++;
        struct json *line = json_parse(arena, text_slice(text, pos, end), NULL);
        if (line) *link = line, link = &line->next;
        pos = end + 1;
    }
    return lines;
}

static bool write_all(struct generator *g, const struct json *list, const char *const paths[2],
                      unsigned long calls) {
    FILE *schemas = fopen(paths[0], "wb"), *out = fopen(paths[1], "wb");
    struct arena arena;
    size_t count = 0, most = 0;
    for (const struct json *tool = list->first; tool; tool = tool->next) most++;
    struct tool *tools = calloc(most + 1, sizeof *tools);
    if (!schemas || !out || !tools) return false;
    arena_init(&arena, NULL);
    for (const struct json *tool = list->first; tool; tool = tool->next)
        if (compile_tool(&arena, tool, &tools[count]) && is_usable(g, &tools[count])) count++;
    for (size_t i = 0; i < count; i++)
        fprintf(schemas, "%s{\"name\":\"%.*s\",\"schema\":%.*s}", i ? ",\n" : "[\n",
                (int)tools[i].name.len, tools[i].name.ptr, (int)tools[i].text.len,
                tools[i].text.ptr);
    fputs("]\n", schemas);
    while (count && calls--) write_call(g, out, tools, count);
    fprintf(stderr, "%zu of %zu tools\n", count, most);
    for (size_t i = 0; i < most; i++) gramc_schema_free(tools[i].compiled);
    arena_free(&arena);
    free(tools);
    return !fclose(schemas) && !fclose(out) && count;
}

int main(int argc, char **argv) {
    struct arena arena;
    if (argc < 6) {
        fputs("usage: gen_tool_calls TOOLS SCHEMAS CALLS COUNT SEED [shuffled]\n", stderr);
        return 2;
    }
    const char *const paths[] = {argv[2], argv[3]};
    struct generator g = {.shuffled = argc > 6};
    random_seed(&g.random, strtoul(argv[5], NULL, 10));
    arena_init(&arena, NULL);
    const struct json *list = read_tools(&arena, workload_file(argv[1]));
    bool fine = list && write_all(&g, list, paths, strtoul(argv[4], NULL, 10));
    arena_free(&arena);
    return !fine;
}
