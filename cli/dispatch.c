/* Hands a command over to gramc-run, which carries what a quick command must not load: libcurl and
 * libuv. It and gramc-host are found from the real path of this program, in the build tree, under a
 * prefix or under a moved prefix; PATH and the current folder are never asked. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const places[] = {"../libexec/gramc/", ""};

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

bool cli_own_program(const char *name, char *out, size_t size) {
    char folder[PATH_MAX];
    if (!own_folder(folder, sizeof folder)) return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int len = snprintf(out, size, "%s%s%s", folder, places[i], name);
        if (len > 0 && (size_t)len < size && access(out, X_OK) == 0) return true;
    }
    return false;
}

int cmd_dispatch(struct cli *cli, int argc, char **argv) {
    char path[PATH_MAX];
    (void)argc;
    if (!cli_own_program("gramc-run", path, sizeof path))
        return cli_usage(cli, "gramc-run is missing: it belongs beside gramc or into "
                              "../libexec/gramc; gramc was built without its runtime");
    fflush(cli->out);
    execv(path, argv);
    return cli_usage(cli, "%s: %s", path, strerror(errno));
}
