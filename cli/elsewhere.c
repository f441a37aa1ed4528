/* Hands a command over to gramc-run, which carries what a quick command must not load: libcurl and
 * libuv. It is found from the real path of this program, in the build tree, under a prefix or under
 * a moved prefix; PATH and the current folder are never asked. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const places[] = {"../libexec/gramc/gramc-run", "gramc-run"};

/* The folder of the running program, with a slash; false if the system does not tell. */
static bool own_folder(char *out, size_t size) {
    char link[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", link, sizeof link - 1);
    if (len <= 0) return false;
    link[len] = '\0';
    char *slash = strrchr(link, '/');
    if (!slash || (size_t)(slash - link) + 2 > size) return false;
    memcpy(out, link, (size_t)(slash - link) + 1);
    out[slash - link + 1] = '\0';
    return true;
}

int cmd_run_elsewhere(struct cli *cli, int argc, char **argv) {
    char folder[PATH_MAX], path[PATH_MAX + 64];
    (void)argc;
    if (!own_folder(folder, sizeof folder))
        return cli_usage(cli, "cannot tell where gramc is installed: %s", strerror(errno));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s", folder, places[i]);
        if (access(path, X_OK) != 0) continue;
        fflush(cli->out);
        execv(path, argv);
        return cli_usage(cli, "%s: %s", path, strerror(errno));
    }
    return cli_usage(cli,
                     "gramc-run is missing: it belongs into %slibexec/gramc; "
                     "gramc was built without its runtime",
                     folder);
}
