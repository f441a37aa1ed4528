/* Makes the rules for one server (net/egress.h) of what the options say and what stands in the
 * library: a host that is written in a library of one's own is named there. */
#include "runtime/egress_policy.h"

#include <string.h>

#include "base/buf.h"
#include "base/options.h"
#include "base/text.h"

enum { RULES_MAX = 16 << 20 };

struct egress_policy {
    gramc_egress given;
    const char *hosts; /* those of the options, one a line */
};

const char *gramc_egress_problem(gramc_text host) {
    struct host_entry entry;
    return host_entry_read(&entry, host);
}

static gramc_egress read_options(const gramc_egress *given) {
    gramc_egress read = GRAMC_EGRESS_INIT;
    OPTIONS_READ(read, given);
    return read;
}

bool egress_is_usable(const gramc_egress *given) {
    gramc_egress read = read_options(given);
    for (size_t i = 0; i < read.host_count; i++)
        if (gramc_egress_problem(read.hosts[i])) return false;
    return true;
}

struct egress_policy *egress_policy_new(struct arena *arena, const gramc_egress *given) {
    struct egress_policy *policy = ARENA_NEW(arena, struct egress_policy);
    struct buf hosts;
    if (!policy) return NULL;
    policy->given = read_options(given);
    buf_init(&hosts, &arena->allocator, RULES_MAX);
    for (size_t i = 0; i < policy->given.host_count; i++) {
        buf_text(&hosts, policy->given.hosts[i]);
        buf_putc(&hosts, '\n');
    }
    policy->hosts = buf_to_arena(&hosts, arena).ptr;
    return policy->hosts ? policy : NULL;
}

bool egress_owns(const struct egress_policy *policy, gramc_text file) {
    return !policy || !policy->given.owns || policy->given.owns(policy->given.ctx, file);
}

static void add_own(struct buf *hosts, const struct egress_written *written) {
    gramc_text host;
    uint16_t port;
    if (host_of_url(written->url, &host, &port)) egress_put(hosts, host, port);
    if (host_of_proxy(written->proxy, &host, &port)) egress_put(hosts, host, port);
}

bool egress_rules(struct egress *out, struct arena *arena, const struct egress_policy *policy,
                  const struct egress_written *written) {
    struct buf hosts;
    out->only = policy && policy->given.only_these;
    out->hosts = policy ? policy->hosts : "";
    if (out->only || !egress_owns(policy, written->file)) return true;
    buf_init(&hosts, &arena->allocator, RULES_MAX);
    buf_puts(&hosts, out->hosts);
    add_own(&hosts, written);
    out->hosts = buf_to_arena(&hosts, arena).ptr;
    return out->hosts != NULL;
}
