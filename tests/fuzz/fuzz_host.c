/* Hosts, addresses and lists of them, out of any bytes: what is read can be read again, and an
 * entry names the host that it was read from. */
#include <stdlib.h>

#include "base/text.h"
#include "runtime/net/egress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool truth) {
    if (!truth) abort();
}

/* What a URL's host is named by names it. */
static void try_url(gramc_text text) {
    gramc_allocator allocator = mem_default();
    gramc_text host;
    uint16_t port;
    struct buf line;
    struct host_entry entry;
    if (!host_of_url(text, &host, &port)) return;
    buf_init(&line, &allocator, 1 << 20);
    egress_put(&line, host, port);
    if (buf_status(&line) == GRAMC_OK && line.len && !text_has_nul(buf_view(&line)) &&
        !host_entry_read(&entry, text_slice(buf_view(&line), 0, line.len - 1)))
        expect(host_entry_names(&entry, host, port) || entry.is_below);
    buf_free(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gramc_text text = {(const char *)data, size}, host;
    unsigned char address[HOST_ADDRESS];
    char why[EGRESS_WHY_MAX];
    struct host_entry entry;
    uint16_t port;
    if (!host_entry_read(&entry, text)) {
        gramc_text name = entry.name;
        expect(name.len && name.len <= text.len);
        expect(entry.is_below || host_entry_names(&entry, name, entry.port ? entry.port : 80));
    }
    if (host_address(text, address)) {
        const char *what = NULL;
        (void)egress_need_of(address, &what);
        expect(what && *what);
    }
    const struct egress none = {"", true};
    expect(!egress_host(&none, text, 80, why) && why[0]);
    (void)host_of_proxy(text, &host, &port);
    try_url(text);
    return 0;
}
