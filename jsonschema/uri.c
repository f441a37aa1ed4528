/* Resolves URI references against a base and takes them apart. Purely textual: looks nothing up and
 * refuses nothing; what does not resolve to a known document is reported by resources.c.
 */
#include "jsonschema/uri.h"

#include <string.h>

#include "base/text.h"

struct uri {
    gramc_text scheme, authority, path, query; /* ptr NULL: absent; path is never absent */
};

static size_t find(gramc_text text, size_t from, const char *any) {
    while (from < text.len && !(text.ptr[from] && strchr(any, text.ptr[from]))) from++;
    return from;
}

gramc_text uri_without_fragment(gramc_text uri) {
    return text_slice(uri, 0, find(uri, 0, "#"));
}

gramc_text uri_fragment(gramc_text uri) {
    size_t hash = find(uri, 0, "#");
    return hash == uri.len ? (gramc_text){NULL, 0} : text_slice(uri, hash + 1, uri.len);
}

/* RFC 3986, appendix B, without the fragment. */
static struct uri split(gramc_text text) {
    struct uri uri = {{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
    size_t pos = 0, colon = find(text, 0, ":/?#");
    if (colon > 0 && colon < text.len && text.ptr[colon] == ':') {
        uri.scheme = text_slice(text, 0, colon);
        pos = colon + 1;
    }
    if (text.len - pos >= 2 && text.ptr[pos] == '/' && text.ptr[pos + 1] == '/') {
        size_t end = find(text, pos + 2, "/?");
        uri.authority = text_slice(text, pos + 2, end);
        pos = end;
    }
    size_t question = find(text, pos, "?");
    uri.path = text_slice(text, pos, question);
    if (question < text.len) uri.query = text_slice(text, question + 1, text.len);
    return uri;
}

static void append(char *out, size_t *len, const char *bytes, size_t count) {
    if (count) memcpy(out + *len, bytes, count);
    *len += count;
}

/* RFC 3986, section 5.2.4, in place; returns the new length. */
static size_t remove_dots(char *path, size_t len) {
    size_t out = 0, in = 0;
    while (in < len) {
        size_t end = in + (path[in] == '/');
        while (end < len && path[end] != '/') end++;
        size_t name = in + (path[in] == '/'), size = end - name;
        bool dot = size == 1 && path[name] == '.';
        bool dots = size == 2 && path[name] == '.' && path[name + 1] == '.';
        if (dots)
            while (out > 0 && path[--out] != '/') {
            }
        if (!dot && !dots) {
            memmove(path + out, path + in, end - in);
            out += end - in;
        } else if (end == len && path[in] == '/') {
            path[out++] = '/';
        }
        in = end;
    }
    return out;
}

/* RFC 3986, section 5.2.3. */
static size_t merge(char *out, const struct uri *base, gramc_text path) {
    size_t len = 0, slash = base->path.len;
    while (slash > 0 && base->path.ptr[slash - 1] != '/') slash--;
    if (base->authority.ptr && base->path.len == 0) append(out, &len, "/", 1);
    else append(out, &len, base->path.ptr, slash);
    append(out, &len, path.ptr, path.len);
    return len;
}

/* RFC 3986, section 5.2.2; `path` has room for both paths and a slash. */
static struct uri transform(const struct uri *base, struct uri ref, char *path) {
    bool same_path = !ref.scheme.ptr && !ref.authority.ptr && ref.path.len == 0;
    if (same_path) {
        ref.path = base->path;
        if (!ref.query.ptr) ref.query = base->query;
    } else {
        bool relative = !ref.scheme.ptr && !ref.authority.ptr && ref.path.ptr[0] != '/';
        size_t len = 0;
        if (relative) len = merge(path, base, ref.path);
        else append(path, &len, ref.path.ptr, ref.path.len);
        ref.path = (gramc_text){path, remove_dots(path, len)};
    }
    if (!ref.scheme.ptr && !ref.authority.ptr) ref.authority = base->authority;
    if (!ref.scheme.ptr) ref.scheme = base->scheme;
    return ref;
}

static gramc_text recompose(struct arena *arena, const struct uri *uri) {
    char *out = arena_alloc(arena, uri->scheme.len + uri->authority.len + uri->path.len +
                                       uri->query.len + 5);
    size_t len = 0;
    if (!out) return (gramc_text){NULL, 0};
    if (uri->scheme.ptr) {
        append(out, &len, uri->scheme.ptr, uri->scheme.len);
        append(out, &len, ":", 1);
    }
    if (uri->authority.ptr) {
        append(out, &len, "//", 2);
        append(out, &len, uri->authority.ptr, uri->authority.len);
    }
    append(out, &len, uri->path.ptr, uri->path.len);
    if (uri->query.ptr) {
        append(out, &len, "?", 1);
        append(out, &len, uri->query.ptr, uri->query.len);
    }
    return (gramc_text){out, len};
}

gramc_text uri_resolve(struct arena *arena, gramc_text base, gramc_text reference) {
    if (base.len == 0) return reference;
    struct uri parts = split(base);
    char *path = arena_alloc(arena, parts.path.len + reference.len + 1);
    if (!path) return (gramc_text){NULL, 0};
    struct uri resolved = transform(&parts, split(reference), path);
    return recompose(arena, &resolved);
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

gramc_text uri_decode(struct arena *arena, gramc_text text) {
    if (find(text, 0, "%") == text.len) return text;
    char *out = arena_alloc(arena, text.len);
    size_t len = 0;
    if (!out) return (gramc_text){NULL, 0};
    for (size_t i = 0; i < text.len; i++) {
        int high = i + 2 < text.len ? hex_value(text.ptr[i + 1]) : -1;
        int low = i + 2 < text.len ? hex_value(text.ptr[i + 2]) : -1;
        bool encoded = text.ptr[i] == '%' && high >= 0 && low >= 0;
        out[len++] = encoded ? (char)(high << 4 | low) : text.ptr[i];
        if (encoded) i += 2;
    }
    return (gramc_text){out, len};
}

static bool may_be_in_fragment(char c) {
    bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z', digit = c >= '0' && c <= '9';
    return letter || digit || (c && strchr("-._~!$&'()*+,;=:@/?", c));
}

bool uri_encode_fragment(struct buf *out, size_t from) {
    static const char digits[] = "0123456789ABCDEF";
    size_t more = 0, read = out->len;
    if (out->state != BUF_FINE || from > out->len) return false;
    for (size_t i = from; i < out->len; i++) more += may_be_in_fragment(out->ptr[i]) ? 0 : 2;
    if (!more || !buf_reserve(out, more)) return false;
    size_t write = out->len += more;
    out->ptr[write] = '\0';
    while (read > from) {
        char c = out->ptr[--read];
        unsigned byte = (unsigned char)c;
        if (may_be_in_fragment(c)) {
            out->ptr[--write] = c;
            continue;
        }
        out->ptr[--write] = digits[byte % 16];
        out->ptr[--write] = digits[byte / 16];
        out->ptr[--write] = '%';
    }
    return true;
}
