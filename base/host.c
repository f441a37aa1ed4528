/* Reads hosts, addresses and ports out of text. Lists of hosts are read strictly: one spelling for
 * each. Addresses in URLs are read as generously as libcurl and libc read them (a number, octal,
 * hexadecimal), so that none passes for a name. What may be reached is decided elsewhere. */
#define _POSIX_C_SOURCE 200809L
#include "base/host.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/text.h"

enum { PORT_MAX = 65535, LABEL_MAX = 63, IPV4_PARTS = 4, SPELLED_MAX = 64 };

/* ## Addresses */

static gramc_text without_brackets(gramc_text host) {
    bool bracketed = host.len > 1 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']';
    return bracketed ? text_slice(host, 1, host.len - 1) : host;
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* 10, 012 and 0xA: takes one off the front. */
static bool take_number(gramc_text *text, uint64_t *out) {
    int base = 10;
    bool any = false;
    *out = 0;
    if (text->len && text->ptr[0] == '0') {
        bool hex = text->len > 1 && (text->ptr[1] == 'x' || text->ptr[1] == 'X');
        base = hex ? 16 : 8;
        *text = text_slice(*text, hex ? 2 : 1, text->len);
        any = !hex;
    }
    for (; text->len && digit_of(text->ptr[0]) < base; any = true) {
        *out = *out * (uint64_t)base + (uint64_t)digit_of(text->ptr[0]);
        if (*out > UINT32_MAX) return false;
        *text = text_slice(*text, 1, text->len);
    }
    return any;
}

static void put_ipv4(unsigned char out[HOST_ADDRESS], uint64_t number) {
    memset(out, 0, HOST_ADDRESS);
    out[10] = out[11] = 0xFF;
    for (int i = 0; i < IPV4_PARTS; i++) out[12 + i] = (unsigned char)(number >> (24 - 8 * i));
}

/* As inet_aton: the last part fills what the others leave. */
static bool read_ipv4(gramc_text text, unsigned char out[HOST_ADDRESS]) {
    uint64_t number = 0, part;
    if (text.len && text.ptr[text.len - 1] == '.') text.len--;
    for (int i = 0; i < IPV4_PARTS && take_number(&text, &part); i++) {
        if (!text.len) {
            uint64_t room = (uint64_t)1 << (32 - 8 * i);
            if (part >= room) return false;
            put_ipv4(out, number | part);
            return true;
        }
        if (text.ptr[0] != '.' || part > 255) return false;
        number |= part << (24 - 8 * i);
        text = text_slice(text, 1, text.len);
    }
    return false;
}

bool host_address(gramc_text host, unsigned char out[HOST_ADDRESS]) {
    char spelled[SPELLED_MAX];
    gramc_text text = without_brackets(host);
    if (read_ipv4(text, out)) return true;
    const char *zone = text.len ? memchr(text.ptr, '%', text.len) : NULL;
    if (zone) text.len = (size_t)(zone - text.ptr);
    if (!text.len || text.len >= sizeof(spelled) || text_has_nul(text)) return false;
    memcpy(spelled, text.ptr, text.len);
    spelled[text.len] = '\0';
    return inet_pton(AF_INET6, spelled, out) == 1;
}

/* ## Entries */

static const char *read_port(gramc_text digits, uint16_t *out) {
    uint32_t port = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9' || port > PORT_MAX) port = PORT_MAX + 1;
        else port = port * 10 + (uint32_t)(digits.ptr[i] - '0');
    }
    if (!port || port > PORT_MAX || digits.ptr[0] == '0')
        return "a port is a number from 1 to 65535";
    *out = (uint16_t)port;
    return NULL;
}

static bool is_letter_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

static const char *name_problem(gramc_text name) {
    size_t label = 0;
    if (name.len > HOST_LETTERS_MAX) return "a name has 253 letters at most";
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if ((unsigned char)c >= 0x80) return "letters beyond ASCII are written as xn--";
        if (c == '*') return "a * stands only at the beginning, as in *.example.com";
        if (c != '.' && !is_letter_of_name(c)) return "a name has letters, digits, - and _";
        label = c == '.' ? 0 : label + 1;
        if (label > LABEL_MAX || (c == '.' && (i == 0 || name.ptr[i - 1] == '.')))
            return "between two dots stand 1 to 63 letters";
    }
    return label ? NULL : "it has no name";
}

/* Of what belongs to URLs, to ranges and to logins. */
static const char *foreign_part(gramc_text text) {
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '/':
            return i && text.ptr[i - 1] == ':' ? "a host has no scheme"
                                               : "it is a host alone: without a path, and no range";
        case '@': return "a host has no user";
        case '%': return "an address has no zone here";
        default: break;
        }
    }
    return NULL;
}

/* Only as everybody writes it: whoever lists 0177.1 may mean something else. */
static const char *read_address(struct host_entry *out) {
    char spelled[SPELLED_MAX];
    unsigned char four[4];
    if (out->address[10] != 0xFF || memchr(out->name.ptr, ':', out->name.len)) return NULL;
    if (out->name.len >= sizeof(spelled)) return "an address is written as 127.0.0.1";
    memcpy(spelled, out->name.ptr, out->name.len);
    spelled[out->name.len] = '\0';
    return inet_pton(AF_INET, spelled, four) == 1 ? NULL : "an address is written as 127.0.0.1";
}

/* Cuts the port off. IPv6 has colons of its own, and brackets where a port follows. */
static const char *split_port(struct host_entry *out, gramc_text text) {
    const char *first = memchr(text.ptr, ':', text.len), *bracket = memchr(text.ptr, ']', text.len);
    size_t end = text.len;
    if (text.ptr[0] == '[') {
        if (!bracket) return "a bracket is not closed";
        end = (size_t)(bracket - text.ptr) + 1;
        if (end < text.len && text.ptr[end] != ':') return "behind the bracket stands only a port";
    } else if (first && !memchr(first + 1, ':', text.len - (size_t)(first + 1 - text.ptr))) {
        end = (size_t)(first - text.ptr);
    }
    out->name = text_slice(text, 0, end);
    return end < text.len ? read_port(text_slice(text, end + 1, text.len), &out->port) : NULL;
}

const char *host_entry_read(struct host_entry *out, gramc_text text) {
    *out = (struct host_entry){.port = 0};
    if (!text.len) return "it is empty";
    const char *problem = foreign_part(text);
    if (!problem) problem = split_port(out, text);
    if (problem) return problem;
    bool bracketed = out->name.len && out->name.ptr[0] == '[';
    out->is_address = host_address(out->name, out->address);
    if (out->is_address) return read_address(out);
    if (bracketed || (out->name.len && memchr(out->name.ptr, ':', out->name.len)))
        return "this is no IPv6 address";
    out->is_below = text_starts(out->name, "*.");
    if (out->is_below) out->name = text_slice(out->name, 2, out->name.len);
    if (out->name.len > 1 && out->name.ptr[out->name.len - 1] == '.') out->name.len--;
    return name_problem(out->name);
}

static bool is_below(gramc_text host, gramc_text name) {
    size_t dot = host.len - name.len - 1;
    return host.len > name.len + 1 && host.ptr[dot] == '.' &&
           text_eq_nocase(text_slice(host, dot + 1, host.len), name);
}

bool host_entry_names(const struct host_entry *entry, gramc_text host, uint16_t port) {
    unsigned char address[HOST_ADDRESS];
    if (entry->port && entry->port != port) return false;
    bool is_address = host_address(host, address);
    if (is_address || entry->is_address)
        return is_address && entry->is_address &&
               memcmp(address, entry->address, HOST_ADDRESS) == 0;
    if (host.len && host.ptr[host.len - 1] == '.') host.len--;
    return entry->is_below ? is_below(host, entry->name) : text_eq_nocase(host, entry->name);
}

/* ## URLs */

static size_t end_of_scheme(gramc_text url) {
    for (size_t i = 0; i + 2 < url.len; i++)
        if (url.ptr[i] == ':' && url.ptr[i + 1] == '/' && url.ptr[i + 2] == '/') return i + 3;
    return 0;
}

/* Of what stands behind the scheme. */
static bool host_of(gramc_text rest, uint16_t usual, gramc_text *host, uint16_t *port) {
    size_t end = 0;
    struct host_entry entry = {.port = usual};
    while (end < rest.len && !strchr("/?#\\", rest.ptr[end])) end++;
    rest.len = end;
    if (!rest.len || split_port(&entry, rest)) return false;
    *host = without_brackets(entry.name);
    *port = entry.port;
    return host->len > 0;
}

bool host_of_url(gramc_text url, gramc_text *host, uint16_t *port) {
    bool secure = text_starts(url, "https://");
    if (!secure && !text_starts(url, "http://")) return false;
    gramc_text rest = text_slice(url, end_of_scheme(url), url.len);
    return host_of(rest, secure ? 443 : 80, host, port) && !memchr(host->ptr, '@', host->len);
}

/* A user may hold anything; libcurl takes what stands behind the last @. */
bool host_of_proxy(gramc_text proxy, gramc_text *host, uint16_t *port) {
    size_t scheme = end_of_scheme(proxy), start = proxy.len;
    while (start > scheme && proxy.ptr[start - 1] != '@') start--;
    if (!scheme) return false;
    return host_of(text_slice(proxy, start, proxy.len), text_starts(proxy, "https://") ? 443 : 1080,
                   host, port);
}
