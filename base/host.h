/* Hosts as people write them: names, addresses, ports. Text only, nothing is looked up. */
#ifndef BASE_HOST_H
#define BASE_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "gramc/gramc.h"

enum { HOST_ADDRESS = 16, HOST_LETTERS_MAX = 253 };

/* One of a list of hosts: `api.example.com`, `*.example.com`, `127.0.0.1`, `[::1]`, each perhaps
 * with a port behind it. */
struct host_entry {
    gramc_text name; /* without the "*." and a final dot; as it is written, also of an address */
    bool is_below;   /* every name below it, and not the name itself */
    bool is_address;
    unsigned char address[HOST_ADDRESS]; /* IPv4 as ::ffff:a.b.c.d */
    uint16_t port;                       /* 0: any */
};

/* NULL, or what is wrong with it: half a sentence. Borrows the text. */
const char *host_entry_read(struct host_entry *out, gramc_text text);
/* True if that host is named by it. `host` may stand in brackets, in any spelling of an address. */
bool host_entry_names(const struct host_entry *entry, gramc_text host, uint16_t port);
/* An address in any form that is taken for one: 127.0.0.1, 127.1, 0x7f.1, 2130706433, ::1, [::1],
 * fe80::1%eth0 (the zone is dropped). */
bool host_address(gramc_text host, unsigned char out[HOST_ADDRESS]);
/* Host and port of an http or https address, the port that goes without saying filled in. False: it
 * has none. */
bool host_of_url(gramc_text url, gramc_text *host, uint16_t *port);

/* The same for a proxy (http, https, socks5, socks5h), which may name a user. */
bool host_of_proxy(gramc_text proxy, gramc_text *host, uint16_t *port);

#endif
