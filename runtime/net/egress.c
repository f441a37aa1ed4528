/* Decides about hosts and addresses, by one table of ranges and the hosts that are named. Knows
 * nothing of sockets and URLs: net/http.c asks before a request, with each address that it is about
 * to connect to, and with that of a connection which it uses again. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/net/egress.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { SHOWN = 100 };

/* ## Ranges */

/* An address in them is one of the IPv4 address that begins at that byte. */
enum { NONE = 0, AT_2 = 2, AT_12 = 12 };

struct address_range {
    unsigned char prefix[HOST_ADDRESS];
    unsigned char bits;
    unsigned char inside;
    enum egress_need need;
    const char *what;
};

#define V4(a, b, c, d)                                                                             \
    { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, a, b, c, d }

/* Narrow ranges stand before the wide ones that hold them. IANA's registries of special addresses,
 * and where clouds keep their credentials. */
static const struct address_range ranges[] = {
    {V4(169, 254, 169, 254), 128, NONE, EGRESS_OF_ITSELF, "the metadata address of a cloud"},
    {V4(169, 254, 170, 2), 128, NONE, EGRESS_OF_ITSELF, "the metadata address of a cloud"},
    {V4(169, 254, 170, 23), 128, NONE, EGRESS_OF_ITSELF, "the metadata address of a cloud"},
    {V4(100, 100, 100, 200), 128, NONE, EGRESS_OF_ITSELF, "the metadata address of a cloud"},
    {V4(168, 63, 129, 16), 128, NONE, EGRESS_OF_ITSELF, "the metadata address of a cloud"},
    {V4(192, 0, 0, 192), 128, NONE, EGRESS_OF_ITSELF, "the metadata address of a cloud"},
    {V4(0, 0, 0, 0), 96 + 8, NONE, EGRESS_OF_ITSELF, "an address of this machine"},
    {V4(127, 0, 0, 0), 96 + 8, NONE, EGRESS_OF_ITSELF, "a loopback address"},
    {V4(169, 254, 0, 0), 96 + 16, NONE, EGRESS_OF_ITSELF, "a link-local address"},
    {V4(10, 0, 0, 0), 96 + 8, NONE, EGRESS_OF_A_HOST, "a private address"},
    {V4(172, 16, 0, 0), 96 + 12, NONE, EGRESS_OF_A_HOST, "a private address"},
    {V4(192, 168, 0, 0), 96 + 16, NONE, EGRESS_OF_A_HOST, "a private address"},
    {V4(100, 64, 0, 0), 96 + 10, NONE, EGRESS_OF_A_HOST, "a private address"},
    {V4(198, 18, 0, 0), 96 + 15, NONE, EGRESS_OF_A_HOST, "a private address"},
    {V4(192, 0, 0, 0), 96 + 24, NONE, EGRESS_OF_ITSELF, "a reserved address"},
    {V4(192, 0, 2, 0), 96 + 24, NONE, EGRESS_OF_ITSELF, "a reserved address"},
    {V4(198, 51, 100, 0), 96 + 24, NONE, EGRESS_OF_ITSELF, "a reserved address"},
    {V4(203, 0, 113, 0), 96 + 24, NONE, EGRESS_OF_ITSELF, "a reserved address"},
    {V4(224, 0, 0, 0), 96 + 4, NONE, EGRESS_OF_ITSELF, "a multicast address"},
    {V4(240, 0, 0, 0), 96 + 4, NONE, EGRESS_OF_ITSELF, "a reserved address"},
    {V4(0, 0, 0, 0), 96, NONE, EGRESS_OPEN, "a public address"},
    {{0}, 128, NONE, EGRESS_OF_ITSELF, "an address of this machine"},
    {{[15] = 1}, 128, NONE, EGRESS_OF_ITSELF, "a loopback address"},
    {{0}, 96, AT_12, EGRESS_OPEN, ""},                      /* ::a.b.c.d */
    {{[8] = 0xFF, 0xFF}, 96, AT_12, EGRESS_OPEN, ""},       /* ::ffff:0:a.b.c.d */
    {{0x00, 0x64, 0xFF, 0x9B}, 96, AT_12, EGRESS_OPEN, ""}, /* NAT64 */
    {{0x20, 0x02}, 16, AT_2, EGRESS_OPEN, ""},              /* 6to4 */
    {{0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01}, 48, NONE, EGRESS_OF_ITSELF, "an address of a tunnel"},
    {{0x20, 0x01, 0x00, 0x00}, 32, NONE, EGRESS_OF_ITSELF, "an address of a tunnel"},
    {{0xFD, 0x00, 0x0E, 0xC2, [14] = 0x02, 0x54},
     128,
     NONE,
     EGRESS_OF_ITSELF,
     "the metadata address of a cloud"},
    {{0xFD, 0x20, 0x00, 0xCE, [14] = 0x02, 0x54},
     128,
     NONE,
     EGRESS_OF_ITSELF,
     "the metadata address of a cloud"},
    {{0xFE, 0x80}, 10, NONE, EGRESS_OF_ITSELF, "a link-local address"},
    {{0xFE, 0xC0}, 10, NONE, EGRESS_OF_A_HOST, "a private address"},
    {{0xFC}, 7, NONE, EGRESS_OF_A_HOST, "a private address"},
    {{0xFF}, 8, NONE, EGRESS_OF_ITSELF, "a multicast address"},
    {{0x20, 0x01, 0x0D, 0xB8}, 32, NONE, EGRESS_OF_ITSELF, "a reserved address"},
    {{0x20}, 3, NONE, EGRESS_OPEN, "a public address"}};

static bool is_in(const struct address_range *range, const unsigned char address[HOST_ADDRESS]) {
    size_t whole = range->bits / 8, rest = range->bits % 8;
    if (memcmp(range->prefix, address, whole) != 0) return false;
    return !rest || !((range->prefix[whole] ^ address[whole]) >> (8 - rest));
}

/* What no range holds is not given to anybody yet. */
enum egress_need egress_need_of(const unsigned char address[HOST_ADDRESS], const char **what) {
    unsigned char four[HOST_ADDRESS] = V4(0, 0, 0, 0);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const struct address_range *range = &ranges[i];
        if (!is_in(range, address)) continue;
        if (range->inside) {
            memcpy(four + 12, address + range->inside, 4);
            return egress_need_of(four, what);
        }
        if (what) *what = range->what;
        return range->need;
    }
    if (what) *what = "a reserved address";
    return EGRESS_OF_ITSELF;
}

/* ## The hosts that are named */

/* Takes a line off the front; false: there is none. Lines that cannot be read name nothing. */
static bool next_entry(gramc_text *rest, struct host_entry *out) {
    while (rest->len) {
        const char *end = memchr(rest->ptr, '\n', rest->len);
        size_t len = end ? (size_t)(end - rest->ptr) : rest->len;
        const char *problem = host_entry_read(out, text_slice(*rest, 0, len));
        *rest = text_slice(*rest, end ? len + 1 : len, rest->len);
        if (!problem) return true;
    }
    return false;
}

static bool names_host(const struct egress *rules, gramc_text host, uint16_t port) {
    gramc_text rest = text_of(rules->hosts);
    struct host_entry entry;
    while (next_entry(&rest, &entry))
        if (host_entry_names(&entry, host, port)) return true;
    return false;
}

static bool is_of_localhost(const unsigned char address[HOST_ADDRESS]) {
    static const unsigned char four[] = V4(127, 0, 0, 1), six[HOST_ADDRESS] = {[15] = 1};
    return memcmp(address, four, HOST_ADDRESS) == 0 || memcmp(address, six, HOST_ADDRESS) == 0;
}

/* `localhost` and the names below it, which nobody is asked for. */
static bool is_localhost(const struct host_entry *entry) {
    static const char suffix[] = ".localhost";
    size_t len = sizeof(suffix) - 1;
    gramc_text name = entry->name;
    if (entry->is_address || entry->is_below) return false;
    return text_is_nocase(name, suffix + 1) ||
           (name.len > len && text_is_nocase(text_slice(name, name.len - len, name.len), suffix));
}

static bool names_address(const struct egress *rules, const unsigned char address[HOST_ADDRESS],
                          uint16_t port) {
    gramc_text rest = text_of(rules->hosts);
    struct host_entry entry;
    while (next_entry(&rest, &entry)) {
        if (entry.port && entry.port != port) continue;
        if (entry.is_address && memcmp(entry.address, address, HOST_ADDRESS) == 0) return true;
        if (is_localhost(&entry) && is_of_localhost(address)) return true;
    }
    return false;
}

/* ## Decisions */

static const char *spell(const unsigned char address[HOST_ADDRESS], char out[INET6_ADDRSTRLEN]) {
    struct address_range mapped = {.prefix = V4(0, 0, 0, 0), .bits = 96};
    bool four = is_in(&mapped, address);
    return inet_ntop(four ? AF_INET : AF_INET6, four ? address + 12 : address, out,
                     INET6_ADDRSTRLEN);
}

bool egress_host(const struct egress *rules, gramc_text host, uint16_t port,
                 char why[EGRESS_WHY_MAX]) {
    unsigned char address[HOST_ADDRESS];
    int len = host.len < SHOWN ? (int)host.len : SHOWN;
    if (!rules->hosts) return true;
    bool named = names_host(rules, host, port);
    if (rules->only && !named) {
        snprintf(why, EGRESS_WHY_MAX, "`allowHosts` of gramc.gram does not list %.*s:%u", len,
                 host.ptr, (unsigned)port);
        return false;
    }
    return !host_address(host, address) || egress_address(rules, host, address, port, why);
}

bool egress_address(const struct egress *rules, gramc_text host,
                    const unsigned char address[HOST_ADDRESS], uint16_t port,
                    char why[EGRESS_WHY_MAX]) {
    char spelled[INET6_ADDRSTRLEN];
    const char *what;
    unsigned char same[HOST_ADDRESS];
    if (!rules->hosts) return true;
    enum egress_need need = egress_need_of(address, &what);
    if (need == EGRESS_OPEN || names_address(rules, address, port)) return true;
    if (need == EGRESS_OF_A_HOST && names_host(rules, host, port)) return true;
    spell(address, spelled);
    if (host_address(host, same))
        snprintf(why, EGRESS_WHY_MAX,
                 "%s is %s, which is reached only where it is named: list it under `allowHosts` in "
                 "gramc.gram",
                 spelled, what);
    else
        snprintf(why, EGRESS_WHY_MAX,
                 "%.*s leads to %s, %s, which is reached only where it is named: list it under "
                 "`allowHosts` in gramc.gram",
                 host.len < SHOWN ? (int)host.len : SHOWN, host.ptr, spelled, what);
    return false;
}

void egress_put(struct buf *hosts, gramc_text host, uint16_t port) {
    char spelled[INET6_ADDRSTRLEN];
    unsigned char address[HOST_ADDRESS];
    for (size_t i = 0; i < host.len; i++)
        if ((unsigned char)host.ptr[i] <= ' ') return; /* no line of its own */
    if (host_address(host, address)) host = text_of(spell(address, spelled));
    bool six = memchr(host.ptr, ':', host.len) != NULL;
    buf_puts(hosts, six ? "[" : "");
    buf_text(hosts, host);
    buf_printf(hosts, "%s:%u\n", six ? "]" : "", (unsigned)port);
}
