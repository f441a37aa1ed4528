/* gramc serve --mcp: from a library to a shelf of its tools, and, when one of the files that it was
 * read from has changed, to another one. Who is told of them is serve/'s matter. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/mcp_stock.h"

#include <string.h>

#include "base/text.h"

enum { WHY_LENGTH = 256 };

/* A library as it was read at some time, and its tools. */
struct stocked {
    struct cli *cli;
    struct choice choice;
    struct shelf_item *items;
    gramc_bound **bounds;     /* of the items */
    struct asked_tool *asked; /* likewise, of those that are bound as a spec says */
    gramc_offering *offering;
    size_t count, room;
    struct cli_file *files; /* that it was read from */
};

/* An agent that is made up: it asks for the one tool. */
struct asked_tool {
    gramc_agent agent;
    const gramc_tool *tool;
};

struct mcp_stock {
    struct cli *cli;
    struct workshop *shop;
    gramc_approver approver;
    char path[CLI_PATH]; /* of the operand */
    struct arena arena;  /* of the source's files */
    struct shelf_source source;
    const struct stocked *current; /* what the newest shelf was made of */
    struct tool_shelf *shelf;      /* the first one; held */
};

/* ## Tools of a library */

static void *allocate(struct cli *cli, size_t size) {
    void *memory = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, size);
    if (memory) memset(memory, 0, size);
    return memory;
}

static void give_back(struct cli *cli, void *memory, size_t size) {
    if (memory) cli->allocator.alloc(cli->allocator.ctx, memory, size, 0);
}

static void stocked_free(void *ctx) {
    struct stocked *stocked = ctx;
    struct cli *cli = stocked->cli;
    for (size_t i = 0; i < stocked->count; i++) gramc_bound_free(stocked->bounds[i]);
    give_back(cli, stocked->items, stocked->room * sizeof *stocked->items);
    give_back(cli, stocked->bounds, stocked->room * sizeof *stocked->bounds);
    give_back(cli, stocked->asked, stocked->room * sizeof *stocked->asked);
    gramc_offering_free(stocked->offering);
    run_choice_free(&stocked->choice);
    cli_free_files(cli, stocked->files);
    give_back(cli, stocked, sizeof *stocked);
}

/* What the file of the library, or one that it imports, says of a tool. NULL: nothing. */
static const gramc_tool *find_said(const struct stocked *stocked, gramc_text name) {
    const gramc_spec *spec = gramc_compiled(stocked->choice.library_compilation, 0);
    for (size_t i = 0; spec && i < gramc_spec_tool_count(spec); i++)
        if (text_eq(gramc_spec_tool(spec, i)->name, name)) return gramc_spec_tool(spec, i);
    return NULL;
}

/* Has it a signature, be it that of whoever does it? */
static bool has_signature(const gramc_library *library, gramc_text name) {
    const gramc_impl *impl = NULL;
    for (size_t i = 0; i < library->impl_count; i++)
        if (text_eq(library->impls[i].name, name)) impl = &library->impls[i];
    if (!impl || impl->accepts_schema.len || impl->returns_schema.len) return true;
    return impl->kind != GRAMC_IMPL_EXEC && impl->kind != GRAMC_IMPL_HTTP &&
           impl->kind != GRAMC_IMPL_RETURNS && impl->kind != GRAMC_IMPL_BUILTIN;
}

/* A tool without a signature has that of the spec, as if an agent asked for it. */
static gramc_status bind_by_signature(struct stocked *stocked, const struct workshop *shop,
                                      gramc_text name, const gramc_tool *said, gramc_bound **out) {
    const gramc_library *library = stocked->choice.library;
    gramc_bind_options options = workshop_binding(shop);
    struct asked_tool *asked = &stocked->asked[stocked->count];
    *out = NULL;
    if (!said || has_signature(library, name)) return gramc_bind_tool(out, library, name, &options);
    gramc_status status = gramc_tool_prepare(stocked->choice.library_compilation, said);
    if (status) return status;
    asked->tool = said;
    asked->agent = (gramc_agent){.name = name, .tools = &asked->tool, .tool_count = 1};
    return gramc_bind(out, &asked->agent, library, &options);
}

static int bind_tool(struct stocked *stocked, const struct workshop *shop, gramc_text name,
                     gramc_text annotations) {
    struct cli *cli = stocked->cli;
    const gramc_tool *said = find_said(stocked, name);
    gramc_bound *bound;
    gramc_status status = bind_by_signature(stocked, shop, name, said, &bound);
    if (!bound) return cli_status(cli, status);
    stocked->items[stocked->count] = (struct shelf_item){bound, annotations, said};
    stocked->bounds[stocked->count++] = bound;
    if (status) run_print_binding(cli, bound);
    return status == GRAMC_FINDINGS ? workshop_findings_code(shop, bound) : cli_status(cli, status);
}

/* Clients are shown no types then, and nothing is checked. */
static void warn_untyped(const struct stocked *stocked, gramc_text name) {
    if (find_said(stocked, name) || has_signature(stocked->choice.library, name)) return;
    fprintf(stocked->cli->err,
            "gramc: %.*s has no signature, so that its arguments are not checked: a Tool of that "
            "name, in this file or one that it imports, gives it one\n",
            TEXT_ARGS(name));
}

static int bind_impls(struct stocked *stocked, const struct workshop *shop) {
    const gramc_library *library = stocked->choice.library;
    int code = EXIT_FINE;
    for (size_t i = 0; i < library->impl_count && code == EXIT_FINE; i++) {
        const gramc_impl *impl = &library->impls[i];
        warn_untyped(stocked, impl->name);
        if (impl->kind != GRAMC_IMPL_AGENT) code = bind_tool(stocked, shop, impl->name, TEXT(""));
        else
            fprintf(stocked->cli->err,
                    "gramc: %.*s is left out: an agent does it; serve that by --agent\n",
                    TEXT_ARGS(impl->name));
    }
    return code;
}

/* Under what name the library offers it; empty: it does not, or does it itself. */
static gramc_text name_of(const gramc_library *library, const gramc_offer *offer) {
    gramc_text name = TEXT("");
    for (size_t i = 0; i < library->box_count; i++)
        if (text_eq(library->boxes[i].name, offer->box))
            name = gramc_box_name(&library->boxes[i], offer->tool);
    for (size_t i = 0; i < library->impl_count; i++)
        if (text_eq(library->impls[i].name, name)) return TEXT("");
    return name;
}

static size_t count_offers(const struct workshop *shop) {
    gramc_offer offer;
    size_t count = 0;
    while (shop->offering && gramc_offering_get(shop->offering, count, &offer)) count++;
    return count;
}

static int bind_tools(struct stocked *stocked, const struct workshop *shop) {
    struct cli *cli = stocked->cli;
    const gramc_library *library = stocked->choice.library;
    size_t offers = count_offers(shop);
    gramc_offer offer;
    stocked->room = library->impl_count + offers + 1;
    stocked->items = allocate(cli, stocked->room * sizeof *stocked->items);
    stocked->bounds = allocate(cli, stocked->room * sizeof *stocked->bounds);
    stocked->asked = allocate(cli, stocked->room * sizeof *stocked->asked);
    if (!stocked->items || !stocked->bounds || !stocked->asked) return cli_no_memory(cli);
    int code = bind_impls(stocked, shop);
    for (size_t i = 0; i < offers && code == EXIT_FINE; i++) {
        if (!gramc_offering_get(shop->offering, i, &offer)) break;
        gramc_text name = name_of(library, &offer);
        if (name.len) code = bind_tool(stocked, shop, name, offer.annotations);
    }
    return code;
}

/* Its boxes are asked on the loop of `asking`, which does not turn yet. */
static int read_library(struct stocked *stocked, struct workshop *asking) {
    struct cli *cli = stocked->cli;
    const struct cli_file *before = cli->files;
    int code = run_choose_library(cli, &stocked->choice, NULL, cli->operands[0]);
    if (code == EXIT_FINE) code = workshop_ask(asking, stocked->choice.library, NULL, true);
    if (code == EXIT_FINE) code = workshop_report_boxes(asking);
    if (code == EXIT_FINE) code = bind_tools(stocked, asking);
    stocked->offering = asking->offering;
    asking->offering = NULL;
    stocked->files = cli_take_files(cli, before);
    return code;
}

static int put_on_shelf(const struct mcp_stock *stock, struct stocked *stocked,
                        struct tool_shelf **out) {
    struct cli *cli = stock->cli;
    char why[WHY_LENGTH];
    const struct shelf_options options = {.allocator = &cli->allocator,
                                          .loop = stock->shop->loop,
                                          .items = stocked->items,
                                          .item_count = stocked->count,
                                          .approver = stock->approver,
                                          .gone = stocked_free,
                                          .ctx = stocked};
    gramc_status status = shelf_new(out, &options, why);
    if (status == GRAMC_AMBIGUOUS) return cli_usage(cli, "serve: %s", why);
    return cli_status(cli, status);
}

/* ## The files that are watched */

static size_t count_files(const struct stocked *stocked) {
    size_t count = 0;
    for (const struct cli_file *f = stocked ? stocked->files : NULL; f; f = f->next) count++;
    return count;
}

static void add_files(struct shelf_source *source, struct arena *arena, gramc_text *files,
                      const struct stocked *stocked) {
    for (const struct cli_file *f = stocked ? stocked->files : NULL; f; f = f->next) {
        size_t i = 0;
        while (f->path && i < source->file_count && !text_is(files[i], f->path)) i++;
        if (i == source->file_count)
            files[source->file_count++] = arena_text(arena, text_of(f->path));
    }
}

/* Those of the tools that are served, and those of a newer reading that came to nothing: it may be
 * one of them that is put right. The operand is always the first. */
static void list_files(struct mcp_stock *stock, const struct stocked *failed) {
    size_t most = 1 + count_files(stock->current) + count_files(failed);
    arena_free(&stock->arena);
    arena_init(&stock->arena, &stock->cli->allocator);
    gramc_text *files = arena_array(&stock->arena, most, sizeof *files);
    stock->source.files = files;
    stock->source.file_count = 0;
    if (!files) return; /* nothing is watched: the tools stay as they are */
    files[stock->source.file_count++] = text_of(stock->path);
    add_files(&stock->source, &stock->arena, files, stock->current);
    add_files(&stock->source, &stock->arena, files, failed);
    if (stock->arena.oom) stock->source.file_count = 1;
}

/* ## Shelves */

static int make_shelf(struct mcp_stock *stock, struct workshop *asking, struct tool_shelf **out) {
    struct cli *cli = stock->cli;
    struct stocked *stocked = allocate(cli, sizeof *stocked);
    *out = NULL;
    if (!stocked) return cli_no_memory(cli);
    stocked->cli = cli;
    int code = read_library(stocked, asking);
    if (code == EXIT_FINE) code = put_on_shelf(stock, stocked, out);
    if (code == EXIT_FINE) stock->current = stocked;
    list_files(stock, code == EXIT_FINE ? NULL : stocked);
    if (code != EXIT_FINE) stocked_free(stocked);
    return code;
}

/* Where a file cannot be read, or says nothing good, the tools stay as they are. */
static struct tool_shelf *make_again(void *ctx) {
    struct mcp_stock *stock = ctx;
    struct cli *cli = stock->cli;
    struct workshop asking;
    struct tool_shelf *shelf = NULL;
    int code = workshop_open(&asking, cli, NULL);
    asking.may_not_ask = true;
    gramc_builtins *own = asking.builtins;
    asking.builtins = stock->shop->builtins; /* what is bound outlives the workshop */
    if (code == EXIT_FINE) code = make_shelf(stock, &asking, &shelf);
    asking.builtins = own;
    workshop_close(&asking);
    fprintf(cli->err, "gramc: %s has changed%s\n", stock->path,
            code == EXIT_FINE ? "" : "; its tools stay as they were");
    fflush(cli->err);
    return shelf;
}

static void find_path(struct mcp_stock *stock) {
    const char *operand = stock->cli->operands[0], *hash = strrchr(operand, '#');
    size_t len = hash ? (size_t)(hash - operand) : strlen(operand);
    if (len >= sizeof stock->path) len = 0; /* there is no such file */
    memcpy(stock->path, operand, len);
    stock->path[len] = '\0';
}

int mcp_stock_open(struct mcp_stock **out, struct cli *cli, struct workshop *shop,
                   gramc_approver approver) {
    struct mcp_stock *stock = *out = allocate(cli, sizeof *stock);
    if (!stock) return cli_no_memory(cli);
    stock->cli = cli;
    stock->shop = shop;
    stock->approver = approver;
    stock->source.again = make_again;
    stock->source.ctx = stock;
    arena_init(&stock->arena, &cli->allocator);
    find_path(stock);
    return make_shelf(stock, shop, &stock->shelf);
}

struct tool_shelf *mcp_stock_shelf(const struct mcp_stock *stock) {
    return stock->shelf;
}

const struct shelf_source *mcp_stock_source(const struct mcp_stock *stock) {
    return &stock->source;
}

void mcp_stock_free(struct mcp_stock *stock) {
    if (!stock) return;
    struct cli *cli = stock->cli;
    shelf_let_go(stock->shelf);
    arena_free(&stock->arena);
    give_back(cli, stock, sizeof *stock);
}
