/* Turns the values that a tool library is made of (lists, maps, sizes, addresses) into texts and
 * numbers, and what does not fit into findings. Knows nothing of the kinds they belong to. */
#include "compiler/library.h"

#include "base/text.h"
#include "compiler/data.h"
#include "compiler/properties.h"
#include "compiler/words.h"

#include <string.h>

void library_wrong_value(struct pass *pass, const struct value *value, const char *key,
                         const char *wanted) {
    find_wrong_value_of(pass, value, text_of(key), wanted);
}

void library_incomplete(struct pass *pass, const struct pattern *pattern, gramc_text name,
                        const char *key, const char *example) {
    struct finding *f = FIND(pass->findings, D_INCOMPLETE_IMPL, pass->source,
                             name_span(pattern->subject->identifier), name, text_of(key));
    finding_help(pass->findings, f, "write `%s`", example);
}

gramc_text library_folder(gramc_text path) {
    while (path.len && path.ptr[path.len - 1] != '/') path.len--;
    return path;
}

bool library_whole(struct pass *pass, struct span at, const char *key, gramc_text text) {
    if (text_has_nul(text))
        FIND(pass->findings, D_WRONG_VALUE, pass->source, at, text_of(key),
             TEXT("texts without a NUL"), TEXT("one with a NUL"));
    return !text_has_nul(text);
}

gramc_text library_name(struct pass *pass, const struct value *value, const char *key) {
    const gramc_text none = {NULL, 0};
    if (value_is_name(value) && value_name(value).len) {
        gramc_text name = value_text(pass, value);
        return library_whole(pass, value->span, key, name) ? name : none;
    }
    library_wrong_value(pass, value, key, "a name");
    return none;
}

/* ## Lists */

/* False after a finding. */
static bool read_word(struct pass *pass, const struct value *value, const char *key,
                      gramc_text *out) {
    bool number = value->kind == VALUE_INTEGER || value->kind == VALUE_DECIMAL;
    if (!number && !value_is_name(value)) {
        library_wrong_value(pass, value, key, "texts");
        return false;
    }
    *out = number ? scalar_text(value) : value_text(pass, value);
    return library_whole(pass, value->span, key, *out);
}

const gramc_text *library_list(struct pass *pass, const struct value *value, const char *key,
                               size_t *count) {
    *count = 0;
    if (value->kind != VALUE_ARRAY || value->count == 0) {
        library_wrong_value(pass, value, key, "a list that is not empty");
        return NULL;
    }
    gramc_text *list = arena_array(pass->arena, value->count, sizeof *list);
    for (const struct value *v = value->as.items; v && list; v = v->next)
        if (read_word(pass, v, key, &list[*count])) ++*count;
    return list;
}

void library_guard(struct pass *pass, const struct value *value, const char *key,
                   gramc_guard_program *out) {
    *out = (gramc_guard_program){.folder = library_folder(pass->source->name),
                                 .file = pass->source->name,
                                 .start = value->span.start,
                                 .end = value->span.end};
    out->argv = library_list(pass, value, key, &out->argc);
}

/* ## Maps */

static bool same_name(gramc_text a, gramc_text b, bool nocase) {
    if (a.len != b.len) return false;
    for (size_t i = 0; i < a.len; i++) {
        unsigned x = (unsigned char)a.ptr[i], y = (unsigned char)b.ptr[i];
        if (nocase && x - 'A' < 26U) x |= 32U;
        if (nocase && y - 'A' < 26U) y |= 32U;
        if (x != y) return false;
    }
    return true;
}

/* Maps here hold a handful of entries. */
static bool stands_before(struct pass *pass, const struct value *map, const struct property *p,
                          bool nocase) {
    const struct property *other = map->as.entries;
    while (other != p && !same_name(name_text(other->key), name_text(p->key), nocase))
        other = other->next;
    if (other == p) return false;
    struct finding *f = FIND(pass->findings, D_DUPLICATE_PROPERTY, pass->source, name_span(p->key),
                             name_text(p->key));
    finding_label(pass->findings, f, pass->source, name_span(other->key), "first written here");
    return true;
}

const gramc_pair *library_pairs(struct pass *pass, const struct value *value, const char *key,
                                bool nocase, size_t *count) {
    *count = 0;
    if (value->kind != VALUE_MAP) {
        library_wrong_value(pass, value, key, "a map from name to text");
        return NULL;
    }
    gramc_pair *pairs = arena_array(pass->arena, value->count, sizeof *pairs);
    for (const struct property *p = value->as.entries; p && pairs; p = p->next) {
        const struct value *v = p->value;
        bool number = v->kind == VALUE_INTEGER || v->kind == VALUE_DECIMAL;
        if (stands_before(pass, value, p, nocase)) continue;
        if (value_is_name(v)) pairs[*count].value = value_text(pass, v);
        else if (number || v->kind == VALUE_BOOLEAN) pairs[*count].value = scalar_text(v);
        else {
            library_wrong_value(pass, v, key, "texts");
            continue;
        }
        pairs[(*count)++].name = name_text(p->key);
    }
    return pairs;
}

/* The system splits NAME=value at the first `=`. */
static void check_variables(struct pass *pass, const struct value *map) {
    for (const struct property *p = map->as.entries; p; p = p->next) {
        gramc_text name = name_text(p->key);
        if (text_has_nul(name) || (name.len && memchr(name.ptr, '=', name.len)))
            FIND(pass->findings, D_WRONG_VALUE, pass->source, name_span(p->key), TEXT("env"),
                 TEXT("names without `=` and NUL"), TEXT("one with them"));
        if (value_is_name(p->value))
            library_whole(pass, p->value->span, "env", value_name(p->value));
    }
}

const gramc_text *library_env(struct pass *pass, const struct value *value, size_t *count) {
    const gramc_pair *pairs = library_pairs(pass, value, "env", false, count);
    gramc_text *list = pairs ? arena_array(pass->arena, *count, sizeof *list) : NULL;
    if (pairs) check_variables(pass, value);
    for (size_t i = 0; list && i < *count; i++) {
        size_t len = pairs[i].name.len + 1 + pairs[i].value.len;
        char *line = arena_alloc(pass->arena, len + 1);
        if (!line) return NULL;
        memcpy(line, pairs[i].name.ptr, pairs[i].name.len);
        line[pairs[i].name.len] = '=';
        if (pairs[i].value.len)
            memcpy(line + pairs[i].name.len + 1, pairs[i].value.ptr, pairs[i].value.len);
        line[len] = '\0';
        list[i] = (gramc_text){line, len};
    }
    if (!list) *count = 0;
    return list;
}

/* ## Headers (RFC 9110, section 5: names are tokens, values have no control characters) */

static bool is_token(gramc_text text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool letter = (unsigned char)((c | 32) - 'a') < 26 || (unsigned char)(c - '0') < 10;
        if (!letter && (c == '\0' || !strchr("!#$%&'*+-.^_`|~", c))) return false;
    }
    return text.len > 0;
}

static bool is_one_line(gramc_text text) {
    for (size_t i = 0; i < text.len; i++)
        if (((unsigned char)text.ptr[i] < ' ' && text.ptr[i] != '\t') || text.ptr[i] == 0x7F)
            return false;
    return true;
}

const gramc_pair *library_headers(struct pass *pass, const struct value *value, size_t *count) {
    const gramc_pair *pairs = library_pairs(pass, value, "headers", true, count);
    for (size_t i = 0; i < *count; i++) {
        const char *wrong = !is_token(pairs[i].name)       ? "this is no name of a header"
                            : !is_one_line(pairs[i].value) ? "its value has to be one line"
                                                           : NULL;
        if (wrong)
            FIND(pass->findings, D_BAD_HEADER, pass->source, value->span, pairs[i].name,
                 text_of(wrong));
    }
    return pairs;
}

/* ## Sizes and addresses */

void library_size(struct pass *pass, const struct value *value, const char *key, uint64_t *out) {
    static const struct {
        const char *unit;
        unsigned shift;
        uint64_t factor;
    } units[] = {{"kB", 0, 1000}, {"MB", 0, 1000000}, {"GB", 0, 1000000000},
                 {"KiB", 10, 1},  {"MiB", 20, 1},     {"GiB", 30, 1}};
    gramc_text text = value->kind == VALUE_MEASUREMENT ? scalar_text(value) : TEXT("");
    uint64_t number = 0;
    uint32_t unit_at = text.len ? measurement_unit_at(value) : 0;
    bool good = unit_at > 0 && unit_at <= 9;
    for (size_t i = 0; good && i < unit_at; i++) {
        good = text.ptr[i] >= '0' && text.ptr[i] <= '9';
        number = number * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    for (size_t i = 0; good && number && i < sizeof units / sizeof *units; i++) {
        if (!text_is(text_slice(text, unit_at, text.len), units[i].unit)) continue;
        *out = (number << units[i].shift) * units[i].factor;
        return;
    }
    library_wrong_value(pass, value, key, "a size such as 64MB or 1GiB");
}

/* Behind the host, or behind the bracket of an address. */
static bool is_port_fine(gramc_text host) {
    size_t colon = host.len;
    while (colon && host.ptr[colon - 1] != ':' && host.ptr[colon - 1] != ']') colon--;
    if (colon == 0 || host.ptr[colon - 1] == ']') return true;
    unsigned port = 0;
    for (size_t i = colon; i < host.len; i++) {
        if (host.ptr[i] < '0' || host.ptr[i] > '9') return false;
        port = port * 10 + (unsigned)(host.ptr[i] - '0');
        if (port > 65535) return false;
    }
    return colon == host.len || port > 0;
}

bool library_url(struct pass *pass, const struct value *value, gramc_text url) {
    if (text_starts(url, "${env:") && is_one_line(url)) return true;
    size_t from = text_starts(url, "http://") ? 7 : text_starts(url, "https://") ? 8 : 0;
    size_t end = from;
    while (end < url.len && !strchr("/?#", url.ptr[end])) end++;
    gramc_text host = text_slice(url, from, end);
    const char *wrong = from == 0 || host.len == 0        ? "it begins with http:// or https://"
                        : memchr(host.ptr, '$', host.len) ? "its host is not filled in"
                        : memchr(host.ptr, '@', host.len) ? "a password stands in a header"
                        : !is_one_line(url)               ? "it is one line"
                        : !is_port_fine(host)             ? "a port is a number from 1 to 65535"
                                                          : NULL;
    if (!wrong) return true;
    struct finding *f = FIND(pass->findings, D_BAD_URL, pass->source, value->span, url);
    finding_help(pass->findings, f, "%s", wrong);
    return false;
}

static bool is_proxy(gramc_text text) {
    static const char *const schemes[] = {"http://", "https://", "socks5://", "socks5h://",
                                          "${env:"};
    size_t i = 0;
    while (i < sizeof schemes / sizeof *schemes && !text_starts(text, schemes[i])) i++;
    return i < sizeof schemes / sizeof *schemes && is_one_line(text);
}

void library_check_transport(struct pass *pass, const struct pattern *pattern,
                             const gramc_transport *transport) {
    const struct {
        const char *name;
        gramc_text text;
    } files[] = {{"caFile", transport->ca_file},
                 {"clientCertificate", transport->client_certificate},
                 {"clientKey", transport->client_key}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct property *p = property_find(pattern->subject, files[i].name);
        if (p && library_whole(pass, p->value->span, files[i].name, files[i].text) &&
            !files[i].text.len)
            library_wrong_value(pass, p->value, files[i].name, "a PEM file");
    }
    const struct property *proxy = property_find(pattern->subject, "proxy");
    const struct property *key = property_find(pattern->subject, "clientKey");
    if (proxy && !is_proxy(transport->proxy))
        library_wrong_value(pass, proxy->value, "proxy",
                            "an address such as http://127.0.0.1:3128, or ${env:NAME}");
    if (key && !transport->client_certificate.len)
        FIND(pass->findings, D_CONTRADICTION, pass->source, key->value->span,
             TEXT("a key belongs to a certificate"), TEXT("say `clientCertificate`, too"));
}

gramc_isolation library_isolation(struct pass *pass, const struct value *value) {
    if (!value_is_name(value)) library_wrong_value(pass, value, "isolation", "run or arm");
    else word_check_value(pass, "isolation", "run arm", value);
    bool run = value_is_name(value) && text_is(value_name(value), "run");
    return run ? GRAMC_ISOLATION_RUN : GRAMC_ISOLATION_ARM;
}
