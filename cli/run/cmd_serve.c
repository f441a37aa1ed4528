/* gramc serve: from the command line to a service (serve/): every agent of a spec with every
 * library that is named, the tokens, where to listen; and the signals that stop it. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "cli/run/approve.h"
#include "cli/run/kept.h"
#include "cli/run/mcp_stock.h"
#include "cli/run/roles.h"
#include "cli/run/serve_mcp.h"
#include "cli/run/study.h"
#include "cli/run/workshop.h"
#include "serve/serve.h"

enum { SERVED_MAX = 256, TOKENS_MAX = 256, TOKEN_SHORTEST = 16 };

/* An agent with a library, and what is its own. */
struct bound_pair {
    gramc_bound *bound;
    gramc_model *model;
    struct role_models roles;
    gramc_prices prices;
};

struct serving {
    struct cli *cli;
    struct workshop shop;
    gramc_compilation *spec;
    struct choice libraries[CLI_GIVEN]; /* what they were read from */
    size_t library_count;
    const gramc_library *known[SERVED_MAX]; /* the libraries that are served */
    size_t known_count;
    struct served_agent served[SERVED_MAX];
    struct bound_pair pairs[SERVED_MAX];
    size_t served_count;
    gramc_text texts[TOKENS_MAX], hosts[CLI_GIVEN], origins[CLI_GIVEN];
    struct serve_options options;
    gramc_session_store *sessions; /* NULL: they end with the server */
    struct service *service;
    struct mcp_stock *stock;  /* tools of a library for MCP clients; NULL: there are none */
    struct tool_shelf *shelf; /* an agent for them; likewise */
    gramc_loop *loop;
    struct study study; /* of --ab: its arms are what is served */
    bool has_study;
    struct store *store;
    struct online *online;
};

/* ## Agents and libraries */

static int read_libraries(struct serving *serving, const gramc_spec *spec) {
    struct cli *cli = serving->cli;
    for (size_t i = 0; i < cli->given_count; i++) {
        if (cli->given[i].id != OPTION_LIBRARY) continue;
        struct choice *choice = &serving->libraries[serving->library_count++];
        int code = run_choose_library(cli, choice, spec, cli->given[i].value);
        if (code != EXIT_FINE) return code;
        for (size_t k = 0; k < serving->known_count; k++)
            if (text_eq(serving->known[k]->name, choice->library->name))
                return cli_usage(cli, "serve: two libraries are called `%.*s`",
                                 TEXT_ARGS(choice->library->name));
        serving->known[serving->known_count++] = choice->library;
    }
    size_t own = serving->known_count ? 0 : gramc_spec_library_count(spec);
    for (size_t i = 0; i < own && i < SERVED_MAX; i++)
        serving->known[serving->known_count++] = gramc_spec_library(spec, i);
    return EXIT_FINE;
}

static int bind_model(struct serving *serving, struct choice *choice, struct bound_pair *pair) {
    struct cli *cli = serving->cli;
    int code = workshop_ask(&serving->shop, choice->library, choice->agent, true);
    if (code != EXIT_FINE) return code;
    gramc_bind_options options = workshop_binding(&serving->shop);
    struct role_protocols protocols;
    code = run_provider(cli, choice, &options, &pair->model);
    if (code != EXIT_FINE) return code;
    role_protocols_list(&protocols, cli, choice, pair->model, &options);
    gramc_status status = gramc_bind(&pair->bound, choice->agent, choice->library, &options);
    bool quiet = cli->options[OPTION_QUIET] && status != GRAMC_FINDINGS;
    if (pair->bound && !quiet) run_print_binding(cli, pair->bound);
    if (status == GRAMC_FINDINGS) code = workshop_findings_code(&serving->shop, pair->bound);
    else code = cli_status(cli, status);
    gramc_offering_free(serving->shop.offering);
    serving->shop.offering = NULL;
    if (code == EXIT_FINE) code = run_model(cli, choice, &pair->model);
    return code == EXIT_FINE ? role_models_open(&pair->roles, cli, choice, pair->model) : code;
}

static void approve_listed(void *ctx, gramc_approval *approval, const gramc_guarded_call *call) {
    bool listed = approve_is_given_call(ctx, call);
    gramc_approval_answer(approval, listed,
                          listed ? TEXT("") : TEXT("it needs approval, and nobody can be asked"));
}

/* Each is answered as soon as it is asked. */
static void withdraw_nothing(void *ctx, gramc_approval *approval) {
    (void)ctx;
    (void)approval;
}

static int read_iterations(struct cli *cli, gramc_run_options *options) {
    const char *iterations = cli->options[OPTION_MAX_ITERATIONS];
    if (!iterations || run_parse_count(iterations, &options->max_iterations)) return EXIT_FINE;
    return cli_usage(cli, "--max-iterations takes a number from 1, not %s", iterations);
}

static int serve_pair(struct serving *serving, const gramc_agent *agent,
                      const gramc_library *library) {
    struct cli *cli = serving->cli;
    struct choice choice = {.compilation = serving->spec, .agent = agent, .library = library};
    if (serving->served_count == SERVED_MAX)
        return cli_usage(cli, "serve: more than %d agents with their libraries", SERVED_MAX);
    struct bound_pair *pair = &serving->pairs[serving->served_count];
    struct served_agent *served = &serving->served[serving->served_count++];
    *served = (struct served_agent){.agent = agent,
                                    .library = library ? library->name : TEXT(""),
                                    .options = GRAMC_RUN_OPTIONS_INIT};
    int code = bind_model(serving, &choice, pair);
    if (code == EXIT_FINE) code = run_budget(cli, &choice, &served->options, &pair->prices);
    if (code == EXIT_FINE) code = read_iterations(cli, &served->options);
    served->bound = pair->bound;
    served->model = pair->model;
    served->options.models = pair->roles.models;
    served->options.model_count = pair->roles.count;
    served->options.approver = (gramc_approver){approve_listed, withdraw_nothing, cli};
    return code;
}

static int serve_agent(struct serving *serving, const gramc_agent *agent) {
    struct cli *cli = serving->cli;
    int code = cli_status(cli, gramc_agent_prepare(serving->spec, agent));
    if (code == EXIT_FINE && serving->known_count == 0) return serve_pair(serving, agent, NULL);
    for (size_t i = 0; i < serving->known_count && code == EXIT_FINE; i++)
        code = serve_pair(serving, agent, serving->known[i]);
    return code;
}

static int choose_agents(struct serving *serving) {
    struct cli *cli = serving->cli;
    char *path = cli->operands[0];
    const char *only = cli->options[OPTION_AGENT];
    const struct cli_wanted wanted = {
        .label = "Agent", .name = text_of(only ? only : ""), .path = path};
    const gramc_spec *spec = NULL;
    int code = cli_load(cli, &serving->spec, &path, 1);
    if (code == EXIT_FINE) code = cli_compile(cli, serving->spec, &wanted, &spec);
    if (code == EXIT_FINE) code = workshop_open(&serving->shop, cli, serving->spec);
    if (code == EXIT_FINE) code = read_libraries(serving, spec);
    if (code != EXIT_FINE) return code;
    if (only) {
        const gramc_agent *agent;
        code = cli_choose_agent(cli, spec, path, &agent);
        return code == EXIT_FINE ? serve_agent(serving, agent) : code;
    }
    for (size_t i = 0; i < gramc_spec_agent_count(spec) && code == EXIT_FINE; i++)
        code = serve_agent(serving, gramc_spec_agent(spec, i));
    return code;
}

/* ## Tokens */

static bool is_token(gramc_text token) {
    for (size_t i = 0; i < token.len; i++)
        if (token.ptr[i] <= ' ' || token.ptr[i] >= 0x7F) return false;
    return token.len > 0;
}

/* What is short can be guessed. */
static int add_token(struct serving *serving, const char *where, gramc_text token) {
    struct cli *cli = serving->cli;
    if (!is_token(token)) return cli_usage(cli, "serve: %s holds no token", where);
    if (token.len < TOKEN_SHORTEST)
        return cli_usage(cli, "serve: a token of %s is shorter than %d characters", where,
                         TOKEN_SHORTEST);
    if (serving->options.token_count == TOKENS_MAX)
        return cli_usage(cli, "serve: there are more than %d tokens", TOKENS_MAX);
    serving->texts[serving->options.token_count++] = token;
    return EXIT_FINE;
}

/* A token a line; what begins with # is a comment. */
static int read_token_file(struct serving *serving, const char *path) {
    const struct cli_file *file = cli_read(serving->cli, path);
    size_t before = serving->options.token_count;
    if (!file) return serving->cli->failure;
    const gramc_text all = {file->bytes, file->len};
    for (size_t pos = 0; pos < all.len;) {
        const char *end = memchr(all.ptr + pos, '\n', all.len - pos);
        size_t next = end ? (size_t)(end - all.ptr) : all.len;
        gramc_text line = text_trim(text_slice(all, pos, next));
        pos = next + 1;
        if (!line.len || line.ptr[0] == '#') continue;
        int code = add_token(serving, path, line);
        if (code != EXIT_FINE) return code;
    }
    if (serving->options.token_count > before) return EXIT_FINE;
    return cli_usage(serving->cli, "serve: %s holds no token", path);
}

static int read_tokens(struct serving *serving) {
    struct cli *cli = serving->cli;
    const char *name = cli->options[OPTION_TOKEN_ENV], *path = cli->options[OPTION_TOKEN_FILE];
    int code = EXIT_FINE;
    if (name) {
        const char *value = cli_variable(cli, name);
        if (!value) return cli_usage(cli, "serve: the variable %s is not set", name);
        code = add_token(serving, name, text_of(value));
    }
    if (code == EXIT_FINE && path) code = read_token_file(serving, path);
    serving->options.tokens = serving->texts;
    return code;
}

/* ## The server */

static int write_log(void *ctx, const char *bytes, size_t len) {
    FILE *err = ctx;
    bool written = fwrite(bytes, 1, len, err) == len;
    return written && !fflush(err) ? 0 : 1;
}

static int read_time(struct cli *cli, enum option_id option, const char *name, uint32_t *out) {
    const char *value = cli->options[option];
    if (value && !run_parse_duration(value, out))
        return cli_usage(cli, "--%s takes a time such as 500ms, 30s or 5m, not %s", name, value);
    return EXIT_FINE;
}

static int open_store(struct serving *serving) {
    struct cli *cli = serving->cli;
    char path[CLI_PATH];
    if (!cli->options[OPTION_KEEP_SESSIONS]) return EXIT_FINE;
    int code = kept_path(cli, KEPT_SESSIONS, path);
    if (code == EXIT_FINE) code = kept_open_store(cli, path, &serving->sessions);
    serving->options.store = serving->sessions;
    return code;
}

static int read_options(struct serving *serving) {
    struct cli *cli = serving->cli;
    struct serve_options *options = &serving->options;
    const char *listen = cli->options[OPTION_LISTEN], *runs = cli->options[OPTION_MAX_RUNS];
    options->allocator = &cli->allocator;
    options->loop = serving->loop;
    options->listen = text_of(listen ? listen : "127.0.0.1:8080");
    options->agents = serving->served;
    options->agent_count = serving->served_count;
    options->allow_get = cli->options[OPTION_ALLOW_GET] != NULL;
    options->refuse_system = cli->options[OPTION_REFUSE_SYSTEM] != NULL;
    if (!cli->options[OPTION_QUIET]) options->log = (gramc_writer){write_log, cli->err};
    for (size_t i = 0; i < cli->given_count; i++) {
        gramc_text value = text_of(cli->given[i].value ? cli->given[i].value : "");
        if (cli->given[i].id == OPTION_HOST) serving->hosts[options->host_count++] = value;
        if (cli->given[i].id == OPTION_ORIGIN) serving->origins[options->origin_count++] = value;
    }
    options->hosts = serving->hosts;
    options->origins = serving->origins;
    if (runs && !run_parse_count(runs, &options->max_runs))
        return cli_usage(cli, "--max-runs takes a number from 1, not %s", runs);
    int code = read_time(cli, OPTION_GRACE, "grace", &options->grace_ms);
    if (code == EXIT_FINE)
        code = read_time(cli, OPTION_SESSION_TIME, "session-time", &options->session_ms);
    if (code == EXIT_FINE) code = read_tokens(serving);
    return code == EXIT_FINE ? open_store(serving) : code;
}

static void stop(void *ctx) {
    service_stop(ctx);
}

static int serve(struct serving *serving) {
    struct cli *cli = serving->cli;
    char why[256];
    gramc_status status = service_new(&serving->service, &serving->options, why);
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    if (status) return cli_usage(cli, "serve: %.*s: %s", TEXT_ARGS(serving->options.listen), why);
    fprintf(cli->out, "%.*s\n", TEXT_ARGS(service_address(serving->service)));
    fflush(cli->out);
    struct interrupt *interrupt = interrupt_start_with(cli, stop, serving->service);
    if (!interrupt) return cli_no_memory(cli);
    status = gramc_loop_run(serving->loop);
    interrupt_stop(cli, interrupt);
    return cli_status(cli, status);
}

static void serving_free(struct serving *serving) {
    struct cli *cli = serving->cli;
    service_free(serving->service);
    gramc_session_store_free(serving->sessions);
    shelf_let_go(serving->shelf);
    if (serving->has_study) study_close(&serving->study);
    mcp_stock_free(serving->stock);
    workshop_close(&serving->shop);
    for (size_t i = 0; i < serving->served_count; i++) {
        gramc_model_free(serving->pairs[i].model);
        role_models_free(&serving->pairs[i].roles);
        gramc_bound_free(serving->pairs[i].bound);
    }
    for (size_t i = 0; i < serving->library_count; i++) run_choice_free(&serving->libraries[i]);
    gramc_compilation_free(serving->spec);
    cli->allocator.alloc(cli->allocator.ctx, serving, sizeof *serving, 0);
}

/* ## By the Model Context Protocol */

static int serve_shelf(struct serving *serving, struct tool_shelf *shelf,
                       const struct shelf_source *source) {
    struct cli *cli = serving->cli;
    if (!cli->options[OPTION_LISTEN])
        return serve_mcp_stdio(cli, serving->shop.loop, shelf, source);
    serving->loop = serving->shop.loop;
    int code = read_options(serving);
    serving->options.agent_count = 0;
    serving->options.shelf = shelf;
    serving->options.source = source;
    return code == EXIT_FINE ? serve(serving) : code;
}

static int serve_one_agent(struct serving *serving) {
    struct cli *cli = serving->cli;
    char why[256];
    int code = choose_agents(serving);
    if (code != EXIT_FINE) return code;
    if (serving->served_count != 1)
        return cli_usage(cli, "serve: --mcp serves an agent with one library: name it");
    const struct shelf_options options = {
        .allocator = &cli->allocator, .loop = serving->shop.loop, .agent = &serving->served[0]};
    code = cli_status(cli, shelf_new(&serving->shelf, &options, why));
    return code == EXIT_FINE ? serve_shelf(serving, serving->shelf, NULL) : code;
}

static int serve_tools(struct serving *serving) {
    struct cli *cli = serving->cli;
    const gramc_approver approver = {approve_listed, withdraw_nothing, cli};
    if (cli->options[OPTION_LIBRARY])
        return cli_usage(cli, "serve: --library goes with --mcp and --agent; without an agent, the "
                              "library is the operand");
    int code = workshop_open(&serving->shop, cli, NULL);
    if (code == EXIT_FINE) code = mcp_stock_open(&serving->stock, cli, &serving->shop, approver);
    if (code != EXIT_FINE) return code;
    return serve_shelf(serving, mcp_stock_shelf(serving->stock), mcp_stock_source(serving->stock));
}

static int serve_mcp(struct serving *serving) {
    return serving->cli->options[OPTION_AGENT] ? serve_one_agent(serving) : serve_tools(serving);
}

static int serve_http(struct serving *serving) {
    int code = choose_agents(serving);
    serving->loop = serving->shop.loop;
    if (code == EXIT_FINE) code = read_options(serving);
    return code == EXIT_FINE ? serve(serving) : code;
}

/* ## An experiment */

static int serve_arm(struct serving *serving, size_t i) {
    struct cli *cli = serving->cli;
    struct study *study = &serving->study;
    const struct study_arm *arm = &study->arms[i];
    const gramc_library *library = study->experiment->arms[i].library;
    struct served_agent *served = &serving->served[serving->served_count++];
    struct choice choice = study->choice;
    *served = (struct served_agent){.agent = &arm->agent,
                                    .library = library ? library->name : TEXT(""),
                                    .bound = arm->bound,
                                    .model = arm->model,
                                    .options = GRAMC_RUN_OPTIONS_INIT};
    choice.agent = &arm->agent;
    choice.library = library;
    int code = run_budget(cli, &choice, &served->options, &serving->pairs[i].prices);
    served->options.models = arm->roles.models;
    served->options.model_count = arm->roles.count;
    served->options.approver = study_approver(study);
    return code == EXIT_FINE ? read_iterations(cli, &served->options) : code;
}

static int serve_arms(struct serving *serving) {
    struct study *study = &serving->study;
    int code = study_prepare_online(study);
    for (size_t i = 0; i < study->arm_count && code == EXIT_FINE; i++) code = serve_arm(serving, i);
    if (code == EXIT_FINE) code = study_open_online(study, &serving->store, &serving->online);
    serving->loop = study->shop.loop;
    if (code == EXIT_FINE) code = read_options(serving);
    serving->options.online = serving->online;
    serving->options.shows_arm = serving->cli->options[OPTION_SHOW_ARM] != NULL;
    if (code == EXIT_FINE) code = serve(serving);
    service_free(serving->service);
    serving->service = NULL;
    int closed = study_close_online(study, serving->store, serving->online);
    return code == EXIT_FINE ? closed : code;
}

static int serve_experiment(struct serving *serving) {
    struct cli *cli = serving->cli;
    cli->options[OPTION_EXPERIMENT] = cli->options[OPTION_AB];
    serving->study.cli = cli;
    serving->has_study = true;
    int code = study_init(&serving->study, cli);
    if (code == EXIT_FINE) code = study_open(&serving->study, cli);
    return code == EXIT_FINE ? serve_arms(serving) : code;
}

/* What has no meaning without it is not dropped without a word. */
static int check_alone(struct cli *cli) {
    static const struct {
        enum option_id id;
        const char *name;
    } rows[] = {{OPTION_SHOW_ARM, "show-arm"},
                {OPTION_STORE, "store"},
                {OPTION_ID, "id"},
                {OPTION_JUDGE, "judge"}};
    if (cli->options[OPTION_AB] && cli->options[OPTION_MCP])
        return cli_usage(cli, "serve: --ab is of agents, and --mcp serves tools");
    if (cli->options[OPTION_KEEP_SESSIONS] && (cli->options[OPTION_AB] || cli->options[OPTION_MCP]))
        return cli_usage(cli, "serve: --keep-sessions goes with neither --ab nor --mcp");
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !cli->options[OPTION_AB]; i++)
        if (cli->options[rows[i].id])
            return cli_usage(cli, "serve: --%s goes with --ab", rows[i].name);
    return EXIT_FINE;
}

int cmd_serve(struct cli *cli) {
    if (cli->operand_count != 1) return cli_usage(cli, "serve: name one file");
    struct serving *serving = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, sizeof *serving);
    if (!serving) return cli_no_memory(cli);
    memset(serving, 0, sizeof *serving);
    serving->cli = cli;
    int code = check_alone(cli);
    if (code == EXIT_FINE)
        code = cli->options[OPTION_MCP]  ? serve_mcp(serving)
               : cli->options[OPTION_AB] ? serve_experiment(serving)
                                         : serve_http(serving);
    serving_free(serving);
    return code;
}
