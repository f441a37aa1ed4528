/* gramc tools: what a library offers, its implementations and all tools of its boxes; as a table,
 * as JSON, or as a spec to begin with. --save keeps what the boxes said. --compose is compose.c's.
 */
#include <string.h>

#include "base/buf.h"
#include "base/json/json.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "cli/run/compose.h"
#include "cli/run/done_by.h"
#include "cli/run/table.h"
#include "cli/run/workshop.h"

enum { OUTPUT_MAX = 256 << 20 };

static const gramc_box *box_of(const gramc_library *library, const gramc_offer *offer) {
    for (size_t i = 0; i < library->box_count; i++)
        if (text_eq(library->boxes[i].name, offer->box)) return &library->boxes[i];
    return NULL;
}

/* Under what name; empty: the library does not take it. */
static gramc_text name_of(const gramc_library *library, const gramc_offer *offer) {
    const gramc_box *box = box_of(library, offer);
    return box ? gramc_box_name(box, offer->tool) : TEXT("");
}

static gramc_text origin_of(struct arena *arena, const gramc_library *library,
                            const gramc_offer *offer) {
    gramc_impl_kind kind = gramc_box_tool_kind(box_of(library, offer)->kind);
    struct buf out;
    buf_init(&out, &arena->allocator, 4096);
    buf_puts(&out, gramc_impl_kind_name(kind));
    buf_putc(&out, ' ');
    buf_text(&out, offer->box);
    buf_putc(&out, '.');
    buf_text(&out, offer->tool);
    return buf_to_arena_cut(&out, arena);
}

/* ## A table */

/* "personName?, limit": what a call gives, and what it may leave out; "-": nothing says. */
static gramc_text parameters_of(struct arena *arena, gramc_text schema) {
    struct json_error error = {0};
    const struct json *root = schema.len ? json_parse(arena, schema, &error) : NULL;
    const struct json *properties = root ? json_get(root, "properties") : NULL;
    struct buf out;
    if (!properties || properties->kind != JSON_OBJECT) return root ? TEXT("") : TEXT("-");
    buf_init(&out, &arena->allocator, 4096);
    for (const struct json *p = properties->first; p; p = p->next) {
        buf_puts(&out, out.len ? ", " : "");
        buf_text(&out, p->key);
        if (!parameter_is_required(root, p->key)) buf_putc(&out, '?');
    }
    return buf_to_arena_cut(&out, arena);
}

/* What the server says of it: "destructive, open world". */
static gramc_text hints_of(struct arena *arena, gramc_text annotations) {
    static const struct {
        const char *hint, *word;
    } words[] = {{"readOnlyHint", "read-only"},
                 {"destructiveHint", "destructive"},
                 {"idempotentHint", "idempotent"},
                 {"openWorldHint", "open world"}};
    const struct json *hints = annotations.len ? json_parse(arena, annotations, NULL) : NULL;
    struct buf out;
    buf_init(&out, &arena->allocator, 4096);
    for (size_t i = 0; hints && i < sizeof words / sizeof *words; i++) {
        if (!json_is(json_get(hints, words[i].hint), JSON_TRUE)) continue;
        buf_puts(&out, out.len ? ", " : "");
        buf_puts(&out, words[i].word);
    }
    return out.len || out.state != BUF_FINE ? buf_to_arena_cut(&out, arena) : TEXT("");
}

static bool has_hints(const struct workshop *shop) {
    gramc_offer offer;
    for (size_t i = 0; gramc_offering_get(shop->offering, i, &offer); i++)
        if (offer.annotations.len) return true;
    return false;
}

/* The hints have a column where there are any. */
static void add_row(struct table *table, struct arena *arena, gramc_text name,
                    gramc_text parameters, gramc_text by, gramc_text hints, gramc_text about) {
    table_add(table, arena, name);
    table_add(table, arena, parameters);
    table_add(table, arena, by);
    if (table->columns == 5) table_add(table, arena, hints);
    table_add(table, arena, text_trim(about));
}

static int print_table(struct workshop *shop, const gramc_library *library) {
    struct cli *cli = shop->cli;
    struct table table = {.columns = has_hints(shop) ? 5 : 4};
    struct arena arena;
    gramc_offer offer;
    arena_init(&arena, &cli->allocator);
    add_row(&table, &arena, TEXT("TOOL"), TEXT("PARAMETERS"), TEXT("DONE BY"), TEXT("HINTS"),
            TEXT("ABOUT"));
    for (size_t i = 0; i < library->impl_count; i++)
        add_row(&table, &arena, library->impls[i].name,
                parameters_of(&arena, library->impls[i].accepts_schema),
                done_by(&arena, &library->impls[i]), TEXT(""), library->impls[i].description);
    for (size_t i = 0; gramc_offering_get(shop->offering, i, &offer); i++) {
        gramc_text name = name_of(library, &offer);
        if (name.len)
            add_row(&table, &arena, name, parameters_of(&arena, offer.parameters),
                    origin_of(&arena, library, &offer), hints_of(&arena, offer.annotations),
                    offer.description);
    }
    if (!arena.oom) table_print(&table, cli->out);
    bool oom = arena.oom;
    arena_free(&arena);
    return oom ? cli_no_memory(cli) : EXIT_FINE;
}

/* ## JSON: the shape of MCP's tools/list, and where each comes from */

static void put_tool(struct json_writer *w, gramc_text name, const gramc_offer *offer,
                     gramc_text by) {
    json_object_begin(w);
    json_member_text(w, "name", name);
    json_member_some(w, "title", offer->title);
    json_member_some(w, "description", offer->description);
    json_key(w, "inputSchema");
    if (offer->parameters.len) {
        json_raw(w, offer->parameters);
    } else {
        json_object_begin(w);
        json_member_text(w, "type", TEXT("object"));
        json_object_end(w);
    }
    if (offer->result.len) json_member_raw(w, "outputSchema", offer->result);
    if (offer->annotations.len) json_member_raw(w, "annotations", offer->annotations);
    if (by.ptr) json_member_text(w, "by", by);
    json_object_end(w);
}

static void put_tools(struct json_writer *w, struct arena *arena, const struct workshop *shop,
                      const gramc_library *library, bool origins) {
    const gramc_text none = {NULL, 0};
    gramc_offer offer;
    for (size_t i = 0; i < library->impl_count; i++) {
        const gramc_impl *impl = &library->impls[i];
        offer = (gramc_offer){.description = impl->description,
                              .parameters = impl->accepts_schema,
                              .result = impl->returns_schema};
        put_tool(w, impl->name, &offer, origins ? done_by(arena, impl) : none);
    }
    for (size_t i = 0; gramc_offering_get(shop->offering, i, &offer); i++) {
        gramc_text name = name_of(library, &offer);
        if (name.len) put_tool(w, name, &offer, origins ? origin_of(arena, library, &offer) : none);
    }
}

static gramc_status put_listing(struct buf *out, const struct workshop *shop,
                                const gramc_library *library, bool origins) {
    struct arena arena;
    struct json_writer w = json_writer(out);
    arena_init(&arena, &shop->cli->allocator);
    json_object_begin(&w);
    json_member_array(&w, "tools");
    put_tools(&w, &arena, shop, library, origins);
    json_array_end(&w);
    json_object_end(&w);
    buf_putc(out, '\n');
    bool oom = arena.oom;
    arena_free(&arena);
    return oom ? GRAMC_NOMEM : buf_status(out);
}

static int print_json(struct workshop *shop, const gramc_library *library) {
    struct buf out;
    buf_init(&out, &shop->cli->allocator, OUTPUT_MAX);
    gramc_status status = put_listing(&out, shop, library, true);
    int code = status ? cli_status(shop->cli, status) : cli_send_json_buf(shop->cli, &out);
    buf_free(&out);
    return code;
}

/* ## A spec: what gramc import makes of the listing */

static int import(struct cli *cli, const struct buf *listing) {
    gramc_import_options options = GRAMC_IMPORT_OPTIONS_INIT;
    gramc_options about = GRAMC_OPTIONS_INIT;
    gramc_import_file file = {TEXT("<tools>"), listing->ptr, listing->len};
    gramc_compilation *compilation;
    about.allocator = &cli->allocator;
    options.kind = TEXT("mcp");
    if (gramc_compilation_new(&compilation, &about)) return cli_no_memory(cli);
    gramc_status status = gramc_import(compilation, &file, 1, &options, cli_writer(cli->out));
    int code = cli_status(cli, status);
    /* That an implementation describes itself in no words is no news here. */
    if (code == EXIT_FINE && gramc_finding_count(compilation, GRAMC_ERROR))
        code = cli_report(cli, compilation, cli->err);
    gramc_compilation_free(compilation);
    return code;
}

static int print_gram(struct workshop *shop, const gramc_library *library) {
    struct buf out;
    buf_init(&out, &shop->cli->allocator, OUTPUT_MAX);
    gramc_status status = put_listing(&out, shop, library, false);
    int code = status ? cli_status(shop->cli, status) : import(shop->cli, &out);
    buf_free(&out);
    return code;
}

/* ## The command */

static int save(struct workshop *shop, const char *path) {
    struct cli *cli = shop->cli;
    struct buf out;
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    gramc_status status = gramc_offering_save(shop->offering, buf_writer(&out));
    int code = cli_status(cli, status == GRAMC_IO ? buf_status(&out) : status);
    if (code == EXIT_FINE && status == GRAMC_OK) code = cli_write_file(cli, path, buf_view(&out));
    buf_free(&out);
    return code;
}

typedef int printer(struct workshop *shop, const gramc_library *library);

static printer *find_printer(const char *name) {
    static const struct {
        const char *name;
        printer *print;
    } printers[] = {{"table", print_table}, {"json", print_json}, {"gram", print_gram}};
    for (size_t i = 0; i < sizeof printers / sizeof *printers; i++)
        if (!name || strcmp(name, printers[i].name) == 0) return printers[i].print;
    return NULL;
}

/* ## What the library says of a box, and is not so */

static bool is_down(const struct workshop *shop, gramc_text box) {
    gramc_text name, why;
    for (size_t i = 0; gramc_offering_failure(shop->offering, i, &name, &why); i++)
        if (text_eq(name, box)) return true;
    return false;
}

static int report_unoffered(const struct workshop *shop, const gramc_box *box, gramc_text tool) {
    FILE *err = shop->cli->err;
    gramc_text names[256];
    gramc_offer offer;
    size_t count = 0;
    for (size_t i = 0; gramc_offering_get(shop->offering, i, &offer); i++) {
        if (!text_eq(offer.box, box->name)) continue;
        if (text_eq(offer.tool, tool)) return EXIT_FINE;
        if (count < sizeof names / sizeof *names) names[count++] = offer.tool;
    }
    gramc_text near = text_nearest(tool, names, count);
    fputs("gramc: box ", err);
    run_print_hostile(err, box->name);
    fputs(" offers no tool ", err);
    run_print_hostile(err, tool);
    if (near.len) fputs("; did you mean ", err);
    run_print_hostile(err, near);
    fputs(near.len ? "?\n" : "\n", err);
    return EXIT_FINDINGS;
}

/* The names in `tools` and `rename` must be those of the box. */
static int check_selections(const struct workshop *shop, const gramc_library *library) {
    int code = EXIT_FINE;
    for (size_t i = 0; i < library->box_count; i++) {
        const gramc_box *box = &library->boxes[i];
        if (is_down(shop, box->name)) continue;
        for (size_t t = 0; t < box->tool_count; t++)
            if (report_unoffered(shop, box, box->tools[t])) code = EXIT_FINDINGS;
        for (size_t r = 0; r < box->rename_count && box->all_tools; r++)
            if (report_unoffered(shop, box, box->renames[r].name)) code = EXIT_FINDINGS;
    }
    return code;
}

/* With --save and no --format, the file is what is wanted. */
int cmd_tools(struct cli *cli) {
    struct choice chosen = {.agent = NULL};
    struct workshop shop = {.cli = NULL};
    const char *format = cli->options[OPTION_FORMAT], *path = cli->options[OPTION_SAVE];
    printer *print = find_printer(format);
    if (cli->options[OPTION_COMPOSE]) return cmd_compose(cli);
    if (cli->operand_count != 1)
        return cli_usage(cli, "tools: name one library, FILE or FILE#NAME");
    if (!print) return cli_usage(cli, "--format takes table, json or gram, not %s", format);
    cli->options[OPTION_FORMAT] = NULL;
    int code = run_choose_library(cli, &chosen, NULL, cli->operands[0]);
    if (code == EXIT_FINE) code = workshop_open(&shop, cli, NULL);
    if (code == EXIT_FINE) code = workshop_ask(&shop, chosen.library, NULL, false);
    int failed = code == EXIT_FINE ? workshop_report_boxes(&shop) : EXIT_FINE;
    if (code == EXIT_FINE && (!path || format)) code = print(&shop, chosen.library);
    if (code == EXIT_FINE && path && failed == EXIT_FINE) code = save(&shop, path);
    if (code == EXIT_FINE && failed == EXIT_FINE) failed = check_selections(&shop, chosen.library);
    workshop_close(&shop);
    run_choice_free(&chosen);
    return code == EXIT_FINE ? failed : code;
}
