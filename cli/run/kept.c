/* Finds the folder in which gramc keeps what outlives a run, by the rules of the XDG base
 * directories, and the sessions in it. What a store is, the library says. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/kept.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* ## The folder */

/* Paths from / on alone, as the specification has it. False: it is nowhere, or too long. */
static bool name_folder(const struct cli *cli, char path[CLI_PATH]) {
    const char *given = cli->options[OPTION_STATE], *state = cli_variable(cli, "XDG_STATE_HOME");
    const char *home = cli_variable(cli, "HOME");
    int len = -1;
    if (given) len = snprintf(path, CLI_PATH, "%s", given);
    else if (state && state[0] == '/') len = snprintf(path, CLI_PATH, "%s/gramc", state);
    else if (home && home[0] == '/') len = snprintf(path, CLI_PATH, "%s/.local/state/gramc", home);
    return len > 0 && len < CLI_PATH;
}

static int add_name(struct cli *cli, const char *name, char path[CLI_PATH]) {
    size_t len = strlen(path);
    int more = snprintf(path + len, CLI_PATH - len, "/%s", name);
    if (more > 0 && (size_t)more < CLI_PATH - len) return EXIT_FINE;
    return cli_usage(cli, "the path of the folder for what is kept is too long");
}

bool kept_is_somewhere(const struct cli *cli) {
    char path[CLI_PATH];
    return name_folder(cli, path);
}

int kept_find(struct cli *cli, const char *name, char path[CLI_PATH]) {
    if (!name_folder(cli, path))
        return cli_usage(
            cli,
            "there is no folder to keep that in; set HOME, or XDG_STATE_HOME, or give --state");
    return add_name(cli, name, path);
}

/* Every folder on the way. */
static bool make_folders(char *path) {
    for (char *slash = path + 1; *slash; slash++) {
        if (*slash != '/') continue;
        *slash = '\0';
        int made = mkdir(path, 0700);
        *slash = '/';
        if (made && errno != EEXIST) return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* One that somebody has named may be shared with others for a reason; our own is for its owner's
 * eyes alone. */
static int check_folder(struct cli *cli, const char *path) {
    struct stat st;
    if (stat(path, &st)) return cli_usage(cli, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode)) return cli_usage(cli, "%s: this is no folder", path);
    if (cli->options[OPTION_STATE]) return EXIT_FINE;
    if (st.st_uid != geteuid())
        return cli_usage(cli, "%s: this folder belongs to somebody else", path);
    if (st.st_mode & 077 && chmod(path, 0700))
        return cli_usage(cli, "%s: others may read this folder: %s", path, strerror(errno));
    return EXIT_FINE;
}

int kept_path(struct cli *cli, const char *name, char path[CLI_PATH]) {
    int code = kept_find(cli, name, path);
    if (code != EXIT_FINE) return code;
    char *slash = strrchr(path, '/');
    *slash = '\0';
    if (make_folders(path)) code = check_folder(cli, path);
    else code = cli_usage(cli, "%s: the folder cannot be made: %s", path, strerror(errno));
    *slash = '/';
    return code;
}

/* ## The store */

int kept_failed(struct cli *cli, const gramc_session_store *store, gramc_status status) {
    gramc_text why = store ? gramc_session_store_message(store) : TEXT("");
    if (status == GRAMC_OK || status == GRAMC_NOMEM || !why.len) return cli_status(cli, status);
    return cli_usage(cli, "%.*s", TEXT_ARGS(why));
}

int kept_open_store(struct cli *cli, const char *path, gramc_session_store **out) {
    gramc_session_store_options options = GRAMC_SESSION_STORE_OPTIONS_INIT;
    options.allocator = &cli->allocator;
    options.path = text_of(path);
    options.clock = cli->clock;
    gramc_status status = gramc_session_store_open(out, &options);
    if (!status) return EXIT_FINE;
    int code = kept_failed(cli, *out, status);
    gramc_session_store_free(*out);
    *out = NULL;
    return code;
}

/* ## A session */

struct kept {
    struct cli *cli;
    gramc_session_store *store;
    gramc_kept_session *session;
};

static int open_session(struct kept *kept, const char *id) {
    char path[CLI_PATH];
    int code = kept_path(kept->cli, KEPT_SESSIONS, path);
    if (code == EXIT_FINE) code = kept_open_store(kept->cli, path, &kept->store);
    if (code != EXIT_FINE) return code;
    gramc_status status = gramc_kept_session_open(&kept->session, kept->store, text_of(id));
    return kept_failed(kept->cli, kept->store, status);
}

int kept_open(struct cli *cli, const char *id, struct kept **out) {
    struct kept *kept = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, sizeof *kept);
    if (!kept) return cli_no_memory(cli);
    *kept = (struct kept){.cli = cli};
    int code = open_session(kept, id);
    if (code == EXIT_FINE) *out = kept;
    else kept_close(kept);
    return code;
}

gramc_session *kept_session(const struct kept *kept) {
    return gramc_kept_session_get(kept->session);
}

int kept_save(struct kept *kept) {
    if (!kept) return EXIT_FINE;
    return kept_failed(kept->cli, kept->store, gramc_kept_session_save(kept->session));
}

void kept_close(struct kept *kept) {
    if (!kept) return;
    struct cli *cli = kept->cli;
    gramc_kept_session_free(kept->session);
    gramc_session_store_free(kept->store);
    cli->allocator.alloc(cli->allocator.ctx, kept, sizeof *kept, 0);
}
