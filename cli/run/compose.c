/* gramc tools --compose: the tools of a spec to pairs of a result and a parameter that takes it. A
 * result fits where every value that its type allows is one that the parameter's type allows;
 * gramc_schema_compare decides that, once for each two types that differ in more than words. What
 * takes anything would be in every pair, and is told once instead. */
#include "cli/run/compose.h"

#include "base/buf.h"
#include "base/json/json.h"
#include "base/json/writer.h"
#include "base/map.h"
#include "base/text.h"
#include "cli/run/table.h"
#include "gramc/compile.h"
#include "gramc/schema.h"

#include <string.h>

enum { OUTPUT_MAX = 256 << 20, TYPE_MAX = 16 << 20 };

/* A type without its words: the same text, the same values. */
struct compose_type {
    gramc_text schema;
    uint32_t id;
    int8_t takes_anything;      /* -1: not asked yet */
    struct compose_type *items; /* of a list; NULL: it is none */
};

struct compose_side {
    const gramc_tool *tool;
    gramc_text name; /* of the parameter */
    bool is_optional;
    struct compose_type *type;
    struct compose_side *next;
};

enum fit { FIT_NONE, FIT_WHOLE, FIT_ITEM, FIT_UNDECIDED, FIT_ITEM_UNDECIDED };

struct composer {
    struct cli *cli;
    struct arena arena;
    struct map types, answers; /* by schema; by the ids of two types */
    uint32_t type_count;
    struct compose_side *results, **last_result, *parameters, **last_parameter;
    bool failed; /* a schema is too large to be compared */
};

struct compose_answer {
    gramc_comparison_answer answer;
    gramc_text reason;
};

/* ## Types */

static bool is_wording(gramc_text key) {
    static const char *const words[] = {"title",      "description", "examples", "default",
                                        "deprecated", "readOnly",    "writeOnly"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_is(key, words[i])) return true;
    return false;
}

/* A part of a schema as a schema by itself: with the definitions of the whole. */
static gramc_text print_type(struct composer *c, const struct json *part, const struct json *defs) {
    struct buf out;
    buf_init(&out, &c->arena.allocator, TYPE_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    for (const struct json *m = part->kind == JSON_OBJECT ? part->first : NULL; m; m = m->next) {
        if (is_wording(m->key) || (defs && text_is(m->key, "$defs"))) continue;
        json_key_text(&w, m->key);
        json_value(&w, m);
    }
    if (defs) json_key(&w, "$defs");
    if (defs) json_value(&w, defs);
    json_object_end(&w);
    if (out.state == BUF_TOO_BIG) c->failed = true;
    return buf_to_arena(&out, &c->arena);
}

static struct compose_type *type_of(struct composer *c, const struct json *part,
                                    const struct json *defs) {
    gramc_text schema = print_type(c, part, defs);
    struct compose_type *type = schema.ptr ? map_get(&c->types, schema) : NULL;
    if (type || !schema.ptr) return type;
    type = ARENA_NEW(&c->arena, struct compose_type);
    if (!type) return NULL;
    *type = (struct compose_type){.schema = schema, .id = c->type_count++, .takes_anything = -1};
    map_put(&c->types, schema, type);
    const struct json *kind = json_get(part, "type"), *items = json_get(part, "items");
    if (items && items->kind == JSON_OBJECT && kind && kind->kind == JSON_STRING &&
        text_is(kind->text, "array"))
        type->items = type_of(c, items, defs);
    return type;
}

/* ## Comparing */

static bool add_side(struct composer *c, struct compose_side ***last,
                     const struct compose_side *side) {
    struct compose_side *copy = ARENA_NEW(&c->arena, struct compose_side);
    if (!copy || !side->type) return false;
    *copy = *side;
    **last = copy;
    *last = &copy->next;
    return true;
}

/* Every value of `a` one of `b`? The texts of the answer are the arena's. */
static struct compose_answer ask(struct composer *c, gramc_text a, gramc_text b) {
    gramc_compare_options options = GRAMC_COMPARE_OPTIONS_INIT;
    gramc_comparison *comparison = NULL;
    options.allocator = &c->cli->allocator;
    gramc_status status = gramc_schema_compare(&comparison, a, b, &options);
    if (status == GRAMC_NOMEM) c->arena.oom = true;
    struct compose_answer answer = {GRAMC_COMPARE_UNKNOWN,
                                    TEXT("one of the types cannot be compiled")};
    if (comparison)
        answer =
            (struct compose_answer){comparison->answer, arena_text(&c->arena, comparison->reason)};
    gramc_comparison_free(comparison);
    return answer;
}

static struct compose_answer compare(struct composer *c, const struct compose_type *a,
                                     const struct compose_type *b) {
    char key[32];
    int len = snprintf(key, sizeof key, "%u %u", (unsigned)a->id, (unsigned)b->id);
    gramc_text pair = arena_text(&c->arena, (gramc_text){key, (size_t)len});
    struct compose_answer *known = pair.ptr ? map_get(&c->answers, pair) : NULL;
    if (known || !pair.ptr) return known ? *known : (struct compose_answer){0};
    struct compose_answer answer = ask(c, a->schema, b->schema);
    known = ARENA_NEW(&c->arena, struct compose_answer);
    if (!known) return answer;
    *known = answer;
    map_put(&c->answers, pair, known);
    return answer;
}

static bool takes_anything(struct composer *c, struct compose_type *type) {
    if (type->takes_anything < 0)
        type->takes_anything = ask(c, TEXT("{}"), type->schema).answer == GRAMC_COMPARE_YES;
    return type->takes_anything;
}

/* The whole result first; else, of a list, each of its items. */
static enum fit fit_of(struct composer *c, const struct compose_type *result,
                       const struct compose_type *parameter, gramc_text *reason) {
    struct compose_answer whole = compare(c, result, parameter);
    *reason = whole.reason;
    if (whole.answer == GRAMC_COMPARE_YES) return FIT_WHOLE;
    if (whole.answer == GRAMC_COMPARE_UNKNOWN) return FIT_UNDECIDED;
    if (!result->items) return FIT_NONE;
    struct compose_answer item = compare(c, result->items, parameter);
    *reason = item.reason;
    return item.answer == GRAMC_COMPARE_YES       ? FIT_ITEM
           : item.answer == GRAMC_COMPARE_UNKNOWN ? FIT_ITEM_UNDECIDED
                                                  : FIT_NONE;
}

/* ## The tools */

bool parameter_is_required(const struct json *parameters, gramc_text name) {
    const struct json *required = json_get(parameters, "required");
    for (const struct json *r = required ? required->first : NULL; r; r = r->next)
        if (r->kind == JSON_STRING && text_eq(r->text, name)) return true;
    return false;
}

static bool add_parameters(struct composer *c, const gramc_tool *tool) {
    const struct json *root = json_parse(&c->arena, tool->parameters, NULL);
    const struct json *properties = root ? json_get(root, "properties") : NULL;
    for (const struct json *p = properties ? properties->first : NULL; p; p = p->next) {
        const struct compose_side side = {.tool = tool,
                                          .name = p->key,
                                          .is_optional = !parameter_is_required(root, p->key),
                                          .type = type_of(c, p, json_get(root, "$defs"))};
        if (!add_side(c, &c->last_parameter, &side)) return false;
    }
    return root != NULL;
}

/* Null is no value: nothing comes back that could be passed on. */
static bool add_result(struct composer *c, const gramc_tool *tool) {
    if (tool->result_kind == GRAMC_RESULT_NULL) return true;
    const struct json *root = json_parse(&c->arena, tool->result, NULL);
    const struct compose_side side = {
        .tool = tool, .type = root ? type_of(c, root, json_get(root, "$defs")) : NULL};
    return add_side(c, &c->last_result, &side);
}

static int add_tools(struct composer *c, gramc_compilation *compilation, const gramc_spec *spec) {
    for (size_t i = 0; i < gramc_spec_tool_count(spec); i++) {
        const gramc_tool *tool = gramc_spec_tool(spec, i);
        gramc_status status = gramc_tool_prepare(compilation, tool);
        if (status != GRAMC_OK) return cli_status(c->cli, status);
        if (add_result(c, tool) && add_parameters(c, tool)) continue;
        return cli_status(c->cli, c->failed ? GRAMC_LIMIT : GRAMC_NOMEM);
    }
    return EXIT_FINE;
}

/* ## Printing */

typedef void pair_printer(void *ctx, const struct compose_side *result,
                          const struct compose_side *parameter, enum fit fit, gramc_text reason);

static void each_pair(struct composer *c, pair_printer *print, void *ctx) {
    gramc_text reason;
    for (const struct compose_side *r = c->results; r; r = r->next)
        for (const struct compose_side *p = c->parameters; p && !c->arena.oom; p = p->next) {
            enum fit fit =
                takes_anything(c, p->type) ? FIT_NONE : fit_of(c, r->type, p->type, &reason);
            if (fit != FIT_NONE) print(ctx, r, p, fit, reason);
        }
}

static gramc_text place_of(struct arena *arena, const struct compose_side *parameter) {
    struct buf out;
    buf_init(&out, &arena->allocator, 4096);
    buf_text(&out, parameter->tool->name);
    buf_putc(&out, '.');
    buf_text(&out, parameter->name);
    if (parameter->is_optional) buf_putc(&out, '?');
    return buf_to_arena_cut(&out, arena);
}

struct compose_table {
    struct composer *composer;
    struct table table;
};

static void add_row(void *ctx, const struct compose_side *result,
                    const struct compose_side *parameter, enum fit fit, gramc_text reason) {
    static const char *const words[] = {[FIT_WHOLE] = "",
                                        [FIT_ITEM] = "each item",
                                        [FIT_UNDECIDED] = "perhaps",
                                        [FIT_ITEM_UNDECIDED] = "perhaps each item"};
    struct compose_table *t = ctx;
    struct arena *arena = &t->composer->arena;
    (void)reason; /* for programs */
    table_add(&t->table, arena, result->tool->name);
    table_add(&t->table, arena, place_of(arena, parameter));
    table_add(&t->table, arena, text_of(words[fit]));
}

/* "Anything fits echo.value, log.data?" */
static void print_anything(struct composer *c) {
    size_t count = 0;
    for (const struct compose_side *p = c->parameters; p; p = p->next) {
        if (!takes_anything(c, p->type)) continue;
        fputs(count++ ? ", " : "\nAnything fits ", c->cli->out);
        run_print_hostile(c->cli->out, place_of(&c->arena, p));
    }
    if (count) fputc('\n', c->cli->out);
}

static int print_text(struct composer *c) {
    struct compose_table t = {.composer = c, .table = {.columns = 3}};
    table_add(&t.table, &c->arena, TEXT("RESULT OF"));
    table_add(&t.table, &c->arena, TEXT("FITS"));
    table_add(&t.table, &c->arena, TEXT("HOW"));
    each_pair(c, add_row, &t);
    if (c->arena.oom) return cli_no_memory(c->cli);
    if (t.table.count == t.table.columns) fputs("No result fits a parameter.\n", c->cli->out);
    else table_print(&t.table, c->cli->out);
    print_anything(c);
    return c->arena.oom ? cli_no_memory(c->cli) : EXIT_FINE;
}

static void put_parameter(struct json_writer *w, const struct compose_side *parameter) {
    json_member_text(w, "tool", parameter->tool->name);
    json_member_text(w, "parameter", parameter->name);
    if (parameter->is_optional) json_member_bool(w, "optional", true);
}

static void put_pair(void *ctx, const struct compose_side *result,
                     const struct compose_side *parameter, enum fit fit, gramc_text reason) {
    struct json_writer *w = ctx;
    bool is_item = fit == FIT_ITEM || fit == FIT_ITEM_UNDECIDED;
    bool is_decided = fit == FIT_WHOLE || fit == FIT_ITEM;
    json_object_begin(w);
    json_member_text(w, "result", result->tool->name);
    put_parameter(w, parameter);
    json_member_text(w, "fits", is_item ? TEXT("item") : TEXT("whole"));
    if (!is_decided) json_member_text(w, "undecided", reason);
    json_object_end(w);
}

static int print_json(struct composer *c) {
    struct buf out;
    buf_init(&out, &c->cli->allocator, OUTPUT_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    json_member_text(&w, "format", TEXT("gramc-compose"));
    json_member_number(&w, "version", 1);
    json_member_array(&w, "pairs");
    each_pair(c, put_pair, &w);
    json_array_end(&w);
    json_member_array(&w, "anything");
    for (const struct compose_side *p = c->parameters; p; p = p->next) {
        if (!takes_anything(c, p->type)) continue;
        json_object_begin(&w);
        put_parameter(&w, p);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    buf_putc(&out, '\n');
    int code = c->arena.oom ? cli_no_memory(c->cli) : cli_send_json_buf(c->cli, &out);
    buf_free(&out);
    return code;
}

/* ## The command */

static int compose(struct cli *cli, gramc_compilation *compilation, bool as_json) {
    struct composer c = {.cli = cli};
    const gramc_spec *spec = NULL;
    gramc_status status = gramc_compile_tools(&spec, compilation);
    int code = cli_report_compiled(cli, compilation, status);
    if (code != EXIT_FINE) return code;
    arena_init(&c.arena, &cli->allocator);
    map_init(&c.types, &c.arena);
    map_init(&c.answers, &c.arena);
    c.last_result = &c.results;
    c.last_parameter = &c.parameters;
    code = add_tools(&c, compilation, spec);
    if (code == EXIT_FINE) code = as_json ? print_json(&c) : print_text(&c);
    arena_free(&c.arena);
    return code;
}

int cmd_compose(struct cli *cli) {
    const char *format = cli->options[OPTION_FORMAT];
    gramc_compilation *compilation = NULL;
    bool as_json = format && strcmp(format, "json") == 0;
    if (!cli->operand_count) return cli_usage(cli, "tools --compose: name one spec or several");
    if (format && !as_json && strcmp(format, "table") != 0)
        return cli_usage(cli, "tools --compose: --format takes table or json, not %s", format);
    if (cli->options[OPTION_SAVE])
        return cli_usage(cli, "tools: --save keeps what boxes offer, and --compose asks none");
    cli->options[OPTION_FORMAT] = NULL;
    int code = cli_load(cli, &compilation, cli->operands, cli->operand_count);
    if (code == EXIT_FINE) code = compose(cli, compilation, as_json);
    gramc_compilation_free(compilation);
    return code;
}
