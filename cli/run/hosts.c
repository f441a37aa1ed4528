/* From `allowHosts` of the spec's configuration to the hosts that tools may ask. A library of the
 * spec's own project names the hosts that it writes; one from elsewhere, given by --library, names
 * none. Without a spec the library is the first operand, and one's own where it lies in the project
 * of the current folder. */
#include "cli/run/run.h"

#include "base/text.h"

/* Finding out costs a walk through folders; the tools of a file come one after the other. */
static bool owns(void *ctx, gramc_text file) {
    struct run_hosts *hosts = ctx;
    if (!hosts->file.ptr || !text_eq(hosts->file, file)) {
        hosts->file = file;
        hosts->is_own = hosts->has_spec ? cli_is_own(hosts->cli, file) : cli_is_here(file);
    }
    return hosts->is_own;
}

int run_read_hosts(struct cli *cli, const gramc_compilation *spec, struct run_hosts *out) {
    gramc_setting setting;
    size_t settings = 0;
    gramc_egress egress = GRAMC_EGRESS_INIT;
    while (spec && gramc_setting_get(spec, settings, &setting)) settings++;
    *out = (struct run_hosts){.cli = cli, .has_spec = spec != NULL, .room = settings + 1};
    out->list = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, out->room * sizeof *out->list);
    if (!out->list) return cli_no_memory(cli);
    for (size_t i = 0; spec && gramc_setting_get(spec, i, &setting); i++) {
        if (!text_is(setting.key, "allowHosts")) continue;
        egress.only_these = true;
        if (setting.value.len) out->list[egress.host_count++] = setting.value;
    }
    egress.hosts = out->list;
    egress.owns = owns;
    egress.ctx = out;
    out->egress = egress;
    return EXIT_FINE;
}

void run_free_hosts(struct run_hosts *hosts) {
    if (!hosts->list) return;
    gramc_allocator allocator = hosts->cli->allocator;
    allocator.alloc(allocator.ctx, hosts->list, hosts->room * sizeof *hosts->list, 0);
}
