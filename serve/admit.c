/* Decides who may ask, before anything is done: requests whose end others could see elsewhere
 * (smuggling), names that a browser was led here by (DNS rebinding), pages of other sites, clients
 * without a token. */
#include "serve/service.h"

#include "base/text.h"

static bool refuse(struct asked *asked, unsigned status, const char *code, const char *words) {
    reply_error(asked, status, code, "%s", words);
    return false;
}

/* ## Where the request ends */

static bool is_number(gramc_text text) {
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9') return false;
    return text.len > 0 && text.len < 19;
}

static bool has_one_end(struct asked *asked) {
    const struct asked_headers *headers = &asked->headers;
    if (headers->lengths + headers->codings > 1)
        return refuse(asked, 400, "ambiguous_length", "the request states its length twice");
    if (headers->lengths && !is_number(headers->length))
        return refuse(asked, 400, "bad_length", "Content-Length is no number");
    if (headers->codings && !text_is_nocase(headers->coding, "chunked"))
        return refuse(asked, 501, "bad_coding", "Transfer-Encoding is not chunked");
    return true;
}

/* ## Names of this server */

/* Without the port; of [::1] the brackets stay. */
static gramc_text host_name(gramc_text host) {
    size_t end = 0;
    bool inside = host.len && host.ptr[0] == '[';
    while (end < host.len && (inside || host.ptr[end] != ':')) {
        if (host.ptr[end] == ']') inside = false;
        end++;
    }
    return text_slice(host, 0, end);
}

static bool is_port(gramc_text text) {
    return text.len == 0 || (text.ptr[0] == ':' && is_number(text_slice(text, 1, text.len)));
}

/* Nobody can make a browser take a number for another host. */
static bool is_numeric(gramc_text name) {
    if (name.len > 2 && name.ptr[0] == '[') return true;
    for (size_t i = 0; i < name.len; i++)
        if ((name.ptr[i] < '0' || name.ptr[i] > '9') && name.ptr[i] != '.') return false;
    return name.len > 0;
}

static bool is_our_name(const struct service *service, gramc_text name) {
    static const char *const local[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof(local) / sizeof(*local); i++)
        if (text_is_nocase(name, local[i])) return true;
    for (size_t i = 0; i < service->options.host_count; i++)
        if (text_eq_nocase(name, service->options.hosts[i])) return true;
    return !service->is_local && is_numeric(name);
}

static bool is_for_us(struct asked *asked) {
    if (asked->headers.hosts != 1)
        return refuse(asked, 400, "bad_host", "a request has one Host header");
    gramc_text host = asked->headers.host, name = host_name(host);
    if (!is_our_name(asked->service, name) || !is_port(text_slice(host, name.len, host.len)))
        return refuse(asked, 403, "unknown_host", "this server is not known by that Host");
    return true;
}

/* ## Pages of other sites */

bool admit_origin(const struct asked *asked) {
    const struct serve_options *options = &asked->service->options;
    for (size_t i = 0; asked->headers.origins && i < options->origin_count; i++)
        if (text_eq(asked->headers.origin, options->origins[i])) return true;
    return false;
}

static bool is_same_origin(const struct asked *asked) {
    gramc_text origin = asked->headers.origin;
    if (text_starts(origin, "http://")) origin = text_slice(origin, 7, origin.len);
    else if (text_starts(origin, "https://")) origin = text_slice(origin, 8, origin.len);
    else return false;
    return text_eq_nocase(origin, asked->headers.host);
}

/* A link to the page may stand anywhere: what follows it has no Origin, but says what it is. */
static bool is_followed_link(const struct asked *asked) {
    return text_is(asked->path, "/") && text_is(asked->method, "GET") &&
           text_is(asked->headers.fetch_mode, "navigate");
}

static bool is_from_our_page(struct asked *asked) {
    gramc_text site = asked->headers.fetch_site;
    if (admit_origin(asked)) return true;
    if (asked->headers.origins && (asked->headers.origins > 1 || !is_same_origin(asked)))
        return refuse(asked, 403, "other_origin", "pages of that origin may not ask");
    if (site.len && !text_is(site, "same-origin") && !text_is(site, "none") &&
        !is_followed_link(asked))
        return refuse(asked, 403, "other_origin", "pages of other sites may not ask");
    return true;
}

bool admit_request(struct asked *asked) {
    if (!has_one_end(asked) || !is_for_us(asked)) return false;
    if (!text_starts(asked->path, "/"))
        return refuse(asked, 400, "bad_target", "the request's target is no path");
    return is_from_our_page(asked);
}

/* ## Tokens */

bool is_same_hash(const char a[SHA256_HEX], const char b[SHA256_HEX]) {
    unsigned difference = 0;
    for (size_t i = 0; i < SHA256_HEX; i++) difference |= (unsigned)(a[i] ^ b[i]);
    return difference == 0;
}

static int find_client(const struct service *service, gramc_text token) {
    struct sha256 sha;
    char hash[SHA256_HEX];
    int found = NOBODY;
    sha256_init(&sha);
    sha256_add_text(&sha, token);
    sha256_hex(&sha, hash);
    for (size_t i = 0; i < service->options.token_count; i++)
        if (is_same_hash(hash, service->tokens[i])) found = (int)i;
    mem_wipe(&sha, sizeof(sha));
    return found;
}

bool admit_client(struct asked *asked) {
    gramc_text given = asked->headers.authorization;
    if (asked->service->options.token_count == 0 || asked->route->flags & ROUTE_OPEN) return true;
    bool bearer = asked->headers.authorizations == 1 && given.len > 7 &&
                  text_is_nocase(text_slice(given, 0, 7), "bearer ");
    if (bearer)
        asked->client = find_client(asked->service, text_trim(text_slice(given, 7, given.len)));
    if (asked->client != NOBODY) return true;
    return refuse(asked, 401, bearer ? "invalid_token" : "missing_token",
                  bearer ? "the token is not known" : "send Authorization: Bearer TOKEN");
}
