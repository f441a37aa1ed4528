/* Takes `"name": ` or `name=` off the end of a text that is being filled in, together with the
 * separator before it or behind it. Whatever looks otherwise is left alone. */
#include "toolbox/template_absent.h"

#include <string.h>

static void cut(struct buf *out, size_t len) {
    out->len = len;
    out->ptr[len] = '\0';
}

/* ## JSON */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t skip_blanks_back(const struct buf *out, size_t from, size_t at) {
    while (at > from && is_blank(out->ptr[at - 1])) at--;
    return at;
}

/* From behind a string's last quote to before its first; `at` if there is no string. */
static size_t skip_string_back(const struct buf *out, size_t from, size_t at) {
    if (at == from || out->ptr[at - 1] != '"') return at;
    for (size_t i = at - 1; i > from; i--) {
        size_t slashes = 0;
        if (out->ptr[i - 1] != '"') continue;
        while (i - 1 - slashes > from && out->ptr[i - 2 - slashes] == '\\') slashes++;
        if (slashes % 2 == 0) return i - 1;
    }
    return at;
}

bool template_drop_member(struct buf *out, size_t from, char *separator) {
    *separator = '\0';
    size_t colon = skip_blanks_back(out, from, out->len);
    if (colon == from || out->ptr[colon - 1] != ':') return false;
    size_t name_end = skip_blanks_back(out, from, colon - 1);
    size_t name = skip_string_back(out, from, name_end);
    size_t before = skip_blanks_back(out, from, name);
    if (name == name_end || before == from) return false;
    char c = out->ptr[before - 1];
    if (c != ',' && c != '{') return false;
    if (c == '{') *separator = ',';
    cut(out, c == ',' ? before - 1 : before);
    return true;
}

bool template_drop_quote(struct buf *out, size_t from, gramc_text rest) {
    size_t len = out->len;
    bool opens = len > from && out->ptr[len - 1] == '"';
    bool is_escaped = len - from > 1 && out->ptr[len - 2] == '\\';
    if (!opens || is_escaped || !rest.len || rest.ptr[0] != '"') return false;
    cut(out, len - 1);
    return true;
}

/* ## Cookies */

bool template_drop_cookie(struct buf *out, size_t from, gramc_text rest, char *separator) {
    size_t name = out->len;
    *separator = '\0';
    bool ends = rest.len == 0 || rest.ptr[0] == ';';
    if (!ends) return false;
    size_t bare = skip_blanks_back(out, from, name);
    bool named = bare > from && out->ptr[bare - 1] != ';';
    if (named && out->ptr[--name] != '=') return false;
    for (; name > from && out->ptr[name - 1] != ';'; name--)
        if (out->ptr[name - 1] == '=') return false;
    if (name > from) name--;
    else *separator = ';';
    cut(out, name);
    return true;
}

/* ## Queries and forms */

static bool ends_pair(gramc_text rest) {
    return rest.len == 0 || rest.ptr[0] == '&';
}

bool template_drop_pair(struct buf *out, size_t from, gramc_text rest, char *separator) {
    size_t name = out->len;
    *separator = '\0';
    if (!ends_pair(rest)) return false;
    if (name == from) {
        *separator = '&';
        return true;
    }
    if (!strchr("&?", out->ptr[name - 1]) && out->ptr[--name] != '=') return false;
    for (; name > from && !strchr("&?", out->ptr[name - 1]); name--)
        if (out->ptr[name - 1] == '=') return false;
    if (name > from && (out->ptr[name - 1] == '&' || rest.len == 0)) name--;
    else *separator = '&';
    cut(out, name);
    return true;
}
