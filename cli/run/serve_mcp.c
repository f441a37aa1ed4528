/* gramc serve --mcp: from a library, or an agent, to a shelf of tools for one MCP client; and from
 * a library whose file has changed to another shelf. What is said to the client is serve/'s matter.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/serve_mcp.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

enum { WHY_LENGTH = 256, PATH_LENGTH = 4096 };

struct mcp_serving {
    struct cli *cli;
    struct workshop *shop;
    gramc_approver approver;
    char path[PATH_LENGTH];
    gramc_text file;
};

/* A library as it was read at some time, and its tools. */
struct stocked {
    struct cli *cli;
    struct choice choice;
    struct shelf_item *items;
    gramc_bound **bounds; /* of the items */
    gramc_offering *offering;
    size_t count, room;
};

/* ## Tools of a library */

static void *allocate(struct cli *cli, size_t size) {
    void *memory = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, size);
    if (memory) memset(memory, 0, size);
    return memory;
}

static void stocked_free(void *ctx) {
    struct stocked *stocked = ctx;
    struct cli *cli = stocked->cli;
    const gramc_allocator *allocator = &cli->allocator;
    for (size_t i = 0; i < stocked->count; i++) gramc_bound_free(stocked->bounds[i]);
    if (stocked->items)
        allocator->alloc(allocator->ctx, stocked->items, stocked->room * sizeof *stocked->items, 0);
    if (stocked->bounds)
        allocator->alloc(allocator->ctx, stocked->bounds, stocked->room * sizeof *stocked->bounds,
                         0);
    gramc_offering_free(stocked->offering);
    run_choice_free(&stocked->choice);
    allocator->alloc(allocator->ctx, stocked, sizeof *stocked, 0);
}

static int bind_tool(struct stocked *stocked, const struct workshop *shop, gramc_text name,
                     gramc_text annotations) {
    struct cli *cli = stocked->cli;
    gramc_bind_options options = workshop_binding(shop);
    gramc_bound *bound;
    gramc_status status = gramc_bind_tool(&bound, stocked->choice.library, name, &options);
    if (!bound) return cli_status(cli, status);
    stocked->items[stocked->count] = (struct shelf_item){bound, annotations};
    stocked->bounds[stocked->count++] = bound;
    if (status) run_print_binding(cli, bound);
    return status == GRAMC_FINDINGS ? workshop_findings_code(shop) : cli_status(cli, status);
}

static int bind_impls(struct stocked *stocked, const struct workshop *shop) {
    const gramc_library *library = stocked->choice.library;
    int code = EXIT_FINE;
    for (size_t i = 0; i < library->impl_count && code == EXIT_FINE; i++) {
        const gramc_impl *impl = &library->impls[i];
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
    if (!stocked->items || !stocked->bounds) return cli_no_memory(cli);
    int code = bind_impls(stocked, shop);
    for (size_t i = 0; i < offers && code == EXIT_FINE; i++) {
        if (!gramc_offering_get(shop->offering, i, &offer)) break;
        gramc_text name = name_of(library, &offer);
        if (name.len) code = bind_tool(stocked, shop, name, offer.annotations);
    }
    return code;
}

/* Its boxes are asked on the loop of `asking`, which does not turn yet. */
static int stock(struct mcp_serving *serving, struct workshop *asking, struct stocked **out) {
    struct cli *cli = serving->cli;
    struct stocked *stocked = *out = allocate(cli, sizeof *stocked);
    if (!stocked) return cli_no_memory(cli);
    stocked->cli = cli;
    int code = run_choose_library(cli, &stocked->choice, NULL, cli->operands[0]);
    if (code == EXIT_FINE) code = workshop_ask(asking, stocked->choice.library, NULL);
    if (code == EXIT_FINE) code = workshop_report_boxes(asking);
    if (code == EXIT_FINE) code = bind_tools(stocked, asking);
    stocked->offering = asking->offering;
    asking->offering = NULL;
    return code;
}

static int put_on_shelf(struct mcp_serving *serving, struct stocked *stocked,
                        struct tool_shelf **out) {
    struct cli *cli = serving->cli;
    char why[WHY_LENGTH];
    const struct shelf_options options = {.allocator = &cli->allocator,
                                          .loop = serving->shop->loop,
                                          .items = stocked->items,
                                          .item_count = stocked->count,
                                          .approver = serving->approver,
                                          .gone = stocked_free,
                                          .ctx = stocked};
    gramc_status status = shelf_new(out, &options, why);
    if (status == GRAMC_AMBIGUOUS) return cli_usage(cli, "serve: %s", why);
    return cli_status(cli, status);
}

static int make_shelf(struct mcp_serving *serving, struct workshop *asking,
                      struct tool_shelf **out) {
    struct stocked *stocked;
    *out = NULL;
    int code = stock(serving, asking, &stocked);
    if (code == EXIT_FINE) code = put_on_shelf(serving, stocked, out);
    if (code != EXIT_FINE && stocked) stocked_free(stocked);
    return code;
}

/* The file has changed. Where it cannot be read, or says nothing good, the tools stay as they are.
 */
static struct tool_shelf *make_again(void *ctx) {
    struct mcp_serving *serving = ctx;
    struct cli *cli = serving->cli;
    struct workshop asking;
    struct tool_shelf *shelf = NULL;
    int code = workshop_open(&asking, cli, NULL);
    gramc_builtins *own = asking.builtins;
    asking.builtins = serving->shop->builtins; /* what is bound outlives the workshop */
    if (code == EXIT_FINE) code = make_shelf(serving, &asking, &shelf);
    asking.builtins = own;
    workshop_close(&asking);
    fprintf(cli->err, "gramc: %.*s has changed%s\n", TEXT_ARGS(serving->file),
            code == EXIT_FINE ? "" : "; its tools stay as they were");
    return shelf;
}

/* ## Standard input and output */

/* Nobody else may read or write there: what something prints goes to standard error. */
static bool take_pipes(int *input, int *output) {
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    *input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    *output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (nothing < 0 || *input < 0 || *output < 0) return false;
    bool moved = dup2(nothing, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    close(nothing);
    return moved;
}

static int write_log(void *ctx, const char *bytes, size_t len) {
    return fwrite(bytes, 1, len, ctx) == len ? 0 : 1;
}

static void stop(void *ctx) {
    mcp_stdio_stop(ctx);
}

static int turn(struct mcp_serving *serving, struct mcp_stdio *server) {
    struct cli *cli = serving->cli;
    struct interrupt *interrupt = interrupt_start_with(cli, stop, server);
    if (!interrupt) return cli_no_memory(cli);
    gramc_status status = gramc_loop_run(serving->shop->loop);
    interrupt_stop(cli, interrupt);
    return cli_status(cli, status);
}

static int read_numbers(struct cli *cli, struct mcp_stdio_options *options) {
    const char *calls = cli->options[OPTION_MAX_RUNS], *grace = cli->options[OPTION_GRACE];
    if (calls && !run_parse_count(calls, &options->max_calls))
        return cli_usage(cli, "--max-runs takes a number from 1, not %s", calls);
    if (grace && !run_parse_duration(grace, &options->grace_ms))
        return cli_usage(cli, "--grace takes a time such as 500ms, 30s or 5m, not %s", grace);
    return EXIT_FINE;
}

static int serve_shelf(struct mcp_serving *serving, struct tool_shelf *shelf) {
    struct cli *cli = serving->cli;
    struct mcp_stdio *server;
    char why[WHY_LENGTH];
    struct mcp_stdio_options options = {.allocator = &cli->allocator,
                                        .loop = serving->shop->loop,
                                        .shelf = shelf,
                                        .files = &serving->file,
                                        .file_count = serving->file.len ? 1 : 0,
                                        .again = make_again,
                                        .ctx = serving};
    int code = read_numbers(cli, &options);
    if (code != EXIT_FINE) return code;
    options.log = (gramc_writer){write_log, cli->err};
    if (!take_pipes(&options.input, &options.output))
        return cli_usage(cli, "serve: standard input and output cannot be used");
    gramc_status status = mcp_stdio_new(&server, &options, why);
    if (status) return status == GRAMC_IO ? cli_usage(cli, "serve: %s", why) : cli_no_memory(cli);
    code = turn(serving, server);
    mcp_stdio_free(server);
    return code;
}

/* ## The two ways */

static void find_file(struct mcp_serving *serving) {
    const char *operand = serving->cli->operands[0], *hash = strrchr(operand, '#');
    size_t len = hash ? (size_t)(hash - operand) : strlen(operand);
    if (len >= sizeof serving->path) return;
    memcpy(serving->path, operand, len);
    serving->path[len] = '\0';
    serving->file = text_of(serving->path);
}

int serve_mcp_library(struct cli *cli, struct workshop *shop, gramc_approver approver) {
    struct mcp_serving serving = {.cli = cli, .shop = shop, .approver = approver};
    struct tool_shelf *shelf;
    find_file(&serving);
    int code = make_shelf(&serving, shop, &shelf);
    if (code == EXIT_FINE) code = serve_shelf(&serving, shelf);
    shelf_let_go(shelf);
    return code;
}

int serve_mcp_agent(struct cli *cli, struct workshop *shop, const struct served_agent *agent) {
    struct mcp_serving serving = {.cli = cli, .shop = shop};
    struct tool_shelf *shelf;
    int code = serve_mcp_stock_agent(cli, shop, agent, &shelf);
    if (code == EXIT_FINE) code = serve_shelf(&serving, shelf);
    shelf_let_go(shelf);
    return code;
}

int serve_mcp_stock(struct cli *cli, struct workshop *shop, gramc_approver approver,
                    struct tool_shelf **out) {
    struct mcp_serving serving = {.cli = cli, .shop = shop, .approver = approver};
    return make_shelf(&serving, shop, out);
}

int serve_mcp_stock_agent(struct cli *cli, struct workshop *shop, const struct served_agent *agent,
                          struct tool_shelf **out) {
    char why[WHY_LENGTH];
    const struct shelf_options options = {
        .allocator = &cli->allocator, .loop = shop->loop, .agent = agent};
    return cli_status(cli, shelf_new(out, &options, why));
}
