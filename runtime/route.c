/* Finds out how a server of a library is reached: fills in what stands for the environment, and
 * looks whether the files can be read. What goes over the wire is net/http.c's. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/route.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/text.h"
#include "toolbox/template.h"

static gramc_status refuse(char why[ROUTE_WHY_MAX], const char *before, gramc_text name,
                           const char *after) {
    snprintf(why, ROUTE_WHY_MAX, "%s`%.*s`%s", before, name.len < 80 ? (int)name.len : 80, name.ptr,
             after);
    return GRAMC_FINDINGS;
}

/* ## The environment */

static gramc_status check_secret(const struct template_part *part,
                                 const struct route_source *source, char why[ROUTE_WHY_MAX]) {
    static const char variable[] = "the environment variable ";
    switch (secrets_find(source->secrets, part->text, NULL)) {
    case SECRET_FINE: return GRAMC_OK;
    case SECRET_OF_PROVIDER:
        return refuse(why, "", part->text,
                      " is the key of a model's provider, which no tool may read");
    case SECRET_NOT_ALLOWED:
        return refuse(
            why, variable, part->text,
            " may not be read: list it under `allowEnv` in gramc.gram, or say --allow-env");
    case SECRET_NOT_SET: break;
    }
    return part->has_fallback ? GRAMC_OK : refuse(why, variable, part->text, " is not set");
}

/* What is filled in lives as long as the arena, which is wiped. */
static gramc_status fill_in(gramc_text *out, struct arena *arena, gramc_text text,
                            const struct route_source *source, char why[ROUTE_WHY_MAX]) {
    struct template template;
    struct template_error error = {.message = ""};
    struct buf filled;
    gramc_status status = template_read(&template, arena, text, TEMPLATE_TEXT, false, &error);
    if (!status) status = template_check(&template, NULL, 0, NULL, &error);
    if (status == GRAMC_FINDINGS) snprintf(why, ROUTE_WHY_MAX, "%s", error.message);
    for (size_t i = 0; !status && i < template.count; i++)
        if (template.parts[i].kind == PART_SECRET)
            status = check_secret(&template.parts[i], source, why);
    if (status) return status;
    buf_init_secret(&filled, &arena->allocator, ENV_VALUE_MAX);
    status = template_expand(&filled, &template, NULL, secrets_look_up, source->secrets, &error);
    if (!status) status = buf_status(&filled);
    if (!status) *out = arena_text(arena, buf_view(&filled));
    if (status && status != GRAMC_NOMEM) snprintf(why, ROUTE_WHY_MAX, "it is too long");
    buf_free(&filled);
    if (arena->oom) return GRAMC_NOMEM;
    return status && status != GRAMC_NOMEM ? GRAMC_FINDINGS : status;
}

/* The value is an address and no template. */
gramc_status route_url(gramc_text *out, struct arena *arena, gramc_text url,
                       const struct route_source *source, char why[ROUTE_WHY_MAX]) {
    const char *brace = text_starts(url, "${env:") ? memchr(url.ptr, '}', url.len) : NULL;
    size_t end = brace ? (size_t)(brace - url.ptr) + 1 : 0;
    gramc_text base = {NULL, 0};
    struct buf whole;
    *out = url;
    if (!end) return GRAMC_OK;
    gramc_status status = fill_in(&base, arena, text_slice(url, 0, end), source, why);
    if (status) return status;
    if (base.len && memchr(base.ptr, '$', base.len))
        return refuse(why, "the address in ", text_slice(url, 0, end), " holds a $");
    while (base.len && base.ptr[base.len - 1] == '/') base.len--;
    buf_init_secret(&whole, &arena->allocator, ENV_VALUE_MAX);
    buf_text(&whole, base);
    buf_text(&whole, text_slice(url, end, url.len));
    *out = arena_text(arena, buf_view(&whole));
    buf_free(&whole);
    return arena->oom ? GRAMC_NOMEM : GRAMC_OK;
}

/* ## Files */

static gramc_status find_file(const char **out, struct arena *arena, const char *property,
                              gramc_text name, const struct route_source *source,
                              char why[ROUTE_WHY_MAX]) {
    struct buf path;
    if (!name.len) return GRAMC_OK;
    buf_init(&path, &arena->allocator, SOURCE_MAX);
    if (name.ptr[0] != '/') buf_text(&path, source->folder);
    buf_text(&path, name);
    *out = buf_to_arena(&path, arena).ptr;
    if (arena->oom) return GRAMC_NOMEM;
    if (access(*out, R_OK) == 0) return GRAMC_OK;
    char before[64];
    snprintf(before, sizeof(before), "its %s ", property);
    return refuse(why, before, name, " cannot be read");
}

/* ## Where it may lead */

static gramc_status check_host(const struct egress *rules, gramc_text host, uint16_t port,
                               char why[ROUTE_WHY_MAX]) {
    return egress_host(rules, host, port, why) ? GRAMC_OK : GRAMC_FINDINGS;
}

static gramc_status find_hosts(struct http_route *route, struct arena *arena,
                               const struct route_source *source, char why[ROUTE_WHY_MAX]) {
    gramc_text host, proxy = text_of(route->proxy ? route->proxy : "");
    uint16_t port;
    if (!egress_rules(&route->egress, arena, source->egress,
                      &(struct egress_written){source->file, source->url, proxy}))
        return GRAMC_NOMEM;
    if (!host_of_url(source->url, &host, &port)) return GRAMC_OK; /* told by others */
    gramc_status status = check_host(&route->egress, host, port, why);
    if (!status && host_of_proxy(proxy, &host, &port))
        status = check_host(&route->egress, host, port, why);
    return status;
}

/* ## The whole */

static bool is_proxy(gramc_text text) {
    return text_starts(text, "http://") || text_starts(text, "https://") ||
           text_starts(text, "socks5://") || text_starts(text, "socks5h://");
}

static gramc_status find_proxy(const char **out, struct arena *arena,
                               const struct route_source *source, char why[ROUTE_WHY_MAX]) {
    gramc_text proxy = {NULL, 0};
    if (!source->transport->proxy.len) return GRAMC_OK;
    gramc_status status = fill_in(&proxy, arena, source->transport->proxy, source, why);
    if (status) return status;
    *out = proxy.ptr;
    if (is_proxy(proxy)) return GRAMC_OK;
    snprintf(why, ROUTE_WHY_MAX,
             "its proxy begins with http://, https://, socks5:// or socks5h://");
    return GRAMC_FINDINGS;
}

gramc_status route_read(const struct http_route **out, struct arena *arena,
                        const struct route_source *source, char why[ROUTE_WHY_MAX]) {
    const gramc_transport *said = source->transport;
    struct http_route *route;
    *out = NULL;
    route = ARENA_NEW(arena, struct http_route);
    if (!route) return GRAMC_NOMEM;
    *route = (struct http_route){.ca_file = NULL};
    gramc_status status = find_file(&route->ca_file, arena, "caFile", said->ca_file, source, why);
    if (!status)
        status = find_file(&route->certificate, arena, "clientCertificate",
                           said->client_certificate, source, why);
    if (!status) status = find_file(&route->key, arena, "clientKey", said->client_key, source, why);
    if (!status) status = find_proxy(&route->proxy, arena, source, why);
    if (!status) status = find_hosts(route, arena, source, why);
    *out = route;
    return status;
}
