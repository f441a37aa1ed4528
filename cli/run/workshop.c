/* What every command needs that has to do with tools: the variables that a library may read, the
 * builtins, a loop, and what the boxes of the library offer. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/workshop.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/run/lock.h"
#include "cli/run/trust.h"

enum { INHERITED = 4, PATIENCE_MS = 2000 };

/* Of --ca, else what OpenSSL's own programs ask. False: such a file cannot be read. */
static bool choose_ca(const struct cli *cli, gramc_text *out) {
    const char *path = cli->options[OPTION_CA];
    if (!path) path = cli_variable(cli, "SSL_CERT_FILE");
    *out = text_of(path ? path : "");
    return !path || !*path || access(path, R_OK) == 0;
}

/* The same for all bindings of a command. */
static unsigned missing_walls(void *ctx) {
    struct workshop *shop = ctx;
    if (!shop->knows_missing)
        shop->missing = gramc_walls_missing(shop->containment.host, &shop->cli->allocator);
    shop->knows_missing = true;
    return shop->missing;
}

/* What programs are contained by, and what of the user's they are kept from. */
static void find_containment(struct workshop *shop) {
    gramc_containment containment = GRAMC_CONTAINMENT_INIT;
    const char *home = getenv("HOME"), *path = getenv("PATH");
    if (!cli_own_program("gramc-host", shop->host, sizeof shop->host)) shop->host[0] = '\0';
    containment.host = text_of(shop->host);
    containment.home = text_of(home ? home : "");
    containment.path = text_of(path ? path : "");
    containment.missing = missing_walls;
    containment.ctx = shop;
    shop->containment = containment;
}

static int make_loop(struct workshop *shop) {
    struct cli *cli = shop->cli;
    static const char *const names[INHERITED] = {"PATH", "HOME", "LANG", "TMPDIR"};
    gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
    gramc_text pairs[INHERITED];
    char texts[INHERITED][4096];
    for (size_t i = 0; i < INHERITED; i++) {
        const char *value = getenv(names[i]);
        int len = value ? snprintf(texts[i], sizeof texts[i], "%s=%s", names[i], value) : -1;
        /* One that is too long is left out, not cut. */
        if (len < 0 || (size_t)len >= sizeof texts[i]) continue;
        pairs[options.environment_count++] = text_of(texts[i]);
    }
    if (!choose_ca(cli, &options.ca_file))
        return cli_usage(cli, "%s: the certificates cannot be read", options.ca_file.ptr);
    options.allocator = &cli->allocator;
    options.environment = pairs;
    options.owns_process = true;
    options.clock = cli->clock;
    options.host = shop->containment.host;
    return cli_status(cli, gramc_loop_new(&shop->loop, &options));
}

int workshop_open(struct workshop *shop, struct cli *cli, const gramc_compilation *spec) {
    *shop = (struct workshop){.cli = cli};
    int code = cli_read_variables(cli);
    if (code == EXIT_FINE) code = run_read_secrets(cli, spec, &shop->secrets);
    if (code == EXIT_FINE) code = run_read_folders(cli, spec, &shop->folders);
    if (code == EXIT_FINE) code = run_read_hosts(cli, spec, &shop->hosts);
    if (code != EXIT_FINE) return code;
    if (gramc_builtins_new(&shop->builtins, &cli->allocator)) return cli_no_memory(cli);
    find_containment(shop);
    return make_loop(shop);
}

void workshop_close(struct workshop *shop) {
    if (!shop->cli) return;
    if (gramc_loop_close(shop->loop, PATIENCE_MS)) {
        shop->cli->left_behind = true;
        fputs(
            "gramc: a function of a plugin in this process has not returned, and is left behind\n",
            shop->cli->err);
    }
    gramc_offering_free(shop->offering);
    lock_free(shop->lock);
    gramc_builtins_free(shop->builtins);
    run_free_secrets(shop->cli, &shop->secrets);
    run_free_folders(shop->cli, &shop->folders);
    run_free_hosts(&shop->hosts);
}

/* ## What boxes offer */

static int load_snapshot(struct workshop *shop, const char *path) {
    gramc_json_error error = {.message = ""};
    const struct cli_file *file = cli_read(shop->cli, path);
    if (!file) return shop->cli->failure;
    gramc_status status = gramc_offering_load(&shop->offering, (gramc_text){file->bytes, file->len},
                                              &shop->cli->allocator, &error);
    if (status == GRAMC_FINDINGS)
        return cli_usage(shop->cli, "%s: %s (at byte %zu)", path, error.message, error.position);
    return cli_status(shop->cli, status);
}

static int ask_boxes(struct workshop *shop, const gramc_library *library,
                     const gramc_agent *agent) {
    struct cli *cli = shop->cli;
    gramc_offering_options options = GRAMC_OFFERING_OPTIONS_INIT;
    options.allocator = &cli->allocator;
    options.reader = cli_reader(cli);
    options.secrets = shop->secrets.list;
    options.secret_count = shop->secrets.count;
    options.egress = &shop->hosts.egress;
    options.containment = &shop->containment;
    options.agent = agent;
    options.pinned = lock_state_of(shop->lock, library) != LOCK_NOTHING;
    options.company = shop->company;
    struct interrupt *interrupt = interrupt_start(cli, shop->loop);
    gramc_status status = gramc_offering_new(&shop->offering, shop->loop, library, &options);
    if (interrupt_stop(cli, interrupt)) return EXIT_INTERRUPTED;
    return cli_status(cli, status);
}

/* ## The lock */

static int refuse_changed(struct workshop *shop) {
    return cli_usage(shop->cli, "nothing was run: look at what has changed, and say --update-lock");
}

/* Before anything is started. What is locked and has not changed, somebody has looked at. */
static int check_library(struct workshop *shop, const gramc_library *library, bool calls) {
    int code = shop->lock ? EXIT_FINE : lock_read(&shop->lock, shop->cli, shop->hosts.has_spec);
    if (code != EXIT_FINE) return code;
    enum lock_state state = lock_state_of(shop->lock, library);
    if (state == LOCK_SAME) return EXIT_FINE;
    if (state == LOCK_OTHER && !shop->pins) {
        lock_tell_library(shop->lock, library);
        if (!shop->cli->options[OPTION_UPDATE_LOCK]) return refuse_changed(shop);
    }
    return trust_library(shop, library, calls);
}

static int check_boxes(struct workshop *shop, const gramc_library *library) {
    if (shop->pins || lock_state_of(shop->lock, library) == LOCK_NOTHING) return EXIT_FINE;
    size_t differing = lock_compare(shop->lock, library, shop->offering);
    if (!shop->cli->options[OPTION_UPDATE_LOCK])
        return differing ? refuse_changed(shop) : EXIT_FINE;
    int code = lock_set(shop->lock, library, shop->offering);
    return code == EXIT_FINE ? lock_write(shop->lock, false) : code;
}

int workshop_ask(struct workshop *shop, const gramc_library *library, const gramc_agent *agent,
                 bool calls) {
    const char *snapshot = shop->cli->options[OPTION_SNAPSHOT];
    if (snapshot) return load_snapshot(shop, snapshot);
    if (!library) return EXIT_FINE;
    int code = check_library(shop, library, calls);
    if (code == EXIT_FINE) code = ask_boxes(shop, library, agent);
    return code == EXIT_FINE ? check_boxes(shop, library) : code;
}

static void print_line(FILE *err, const char *before, gramc_text subject, const char *between,
                       gramc_text rest) {
    fprintf(err, "gramc: %s", before);
    run_print_hostile(err, subject);
    fputs(between, err);
    run_print_hostile(err, rest);
    fputc('\n', err);
}

int workshop_report_boxes(const struct workshop *shop) {
    FILE *err = shop->cli->err;
    gramc_text box, why;
    size_t failures = 0;
    if (!shop->offering) return EXIT_FINE;
    for (; gramc_offering_failure(shop->offering, failures, &box, &why); failures++)
        print_line(err, "box ", box, " cannot be asked: ", why);
    for (size_t i = 0; gramc_offering_note(shop->offering, i, &why); i++)
        print_line(err, "", why, "", TEXT(""));
    return failures ? EXIT_RUN_FAILED : EXIT_FINE;
}

/* What the system cannot hold is no mistake in a library. */
static bool is_not_contained(const gramc_bound *bound) {
    gramc_bind_message message;
    for (size_t i = 0; gramc_bound_message(bound, i, &message); i++)
        if (text_is(message.code, "G0472")) return true;
    return false;
}

int workshop_findings_code(const struct workshop *shop, const gramc_bound *bound) {
    gramc_text box, why;
    if (is_not_contained(bound)) return EXIT_USAGE;
    bool is_down = shop->offering && gramc_offering_failure(shop->offering, 0, &box, &why);
    return is_down ? EXIT_RUN_FAILED : EXIT_FINDINGS;
}

gramc_bind_options workshop_binding(const struct workshop *shop) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    options.allocator = &shop->cli->allocator;
    options.builtins = shop->builtins;
    options.reader = cli_reader(shop->cli);
    options.secrets = shop->secrets.list;
    options.secret_count = shop->secrets.count;
    options.folders = shop->folders.list;
    options.folder_count = shop->folders.count;
    options.offering = shop->offering;
    options.egress = &shop->hosts.egress;
    options.containment = &shop->containment;
    const char *path = getenv("PATH");
    options.path = text_of(path ? path : "/usr/bin:/bin");
    return options;
}

int workshop_call_code(gramc_call_outcome end) {
    switch (end) {
    case GRAMC_CALL_FINE: return EXIT_FINE;
    case GRAMC_CALL_BAD_ARGUMENTS:
    case GRAMC_CALL_BAD_RESULT: return EXIT_FINDINGS;
    case GRAMC_CALL_TOOL_ERROR:
    case GRAMC_CALL_DENIED:
    case GRAMC_CALL_TIMEOUT: return EXIT_RUN_FAILED;
    case GRAMC_CALL_CANCELED: return EXIT_INTERRUPTED;
    }
    return EXIT_RUN_FAILED;
}
