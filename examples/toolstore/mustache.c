/* The smallest engine that is of use: {{name}} is the argument of that name. What is left out of a
 * call is empty in paths and headers, and null in a body. */
#include "mustache.h"

#include <stdio.h>
#include <string.h>

/* The next {{name}} behind *at: what stands before it, and the name; *at is then behind it. False:
 * there is none any more, and `before` is the rest. */
static bool next_tag(gramc_text source, size_t *at, gramc_text *before, gramc_text *name) {
    for (size_t i = *at; i + 1 < source.len; i++) {
        if (source.ptr[i] != '{' || source.ptr[i + 1] != '{') continue;
        size_t end = i + 2;
        while (end + 1 < source.len && !(source.ptr[end] == '}' && source.ptr[end + 1] == '}'))
            end++;
        if (end + 1 >= source.len) break;
        *before = (gramc_text){source.ptr + *at, i - *at};
        *name = (gramc_text){source.ptr + i + 2, end - i - 2};
        *at = end + 2;
        return true;
    }
    *before = (gramc_text){source.ptr + *at, source.len - *at};
    *at = source.len;
    return false;
}

static bool is_same(gramc_text a, gramc_text b) {
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static gramc_status check(void *ctx, const gramc_template *what, const gramc_text *parameters,
                          size_t count, char why[256]) {
    gramc_text before, name;
    (void)ctx;
    for (size_t at = 0; next_tag(what->source, &at, &before, &name);) {
        size_t i = 0;
        while (i < count && !is_same(parameters[i], name)) i++;
        if (i < count) continue;
        snprintf(why, 256, "no parameter `%.*s` is declared", name.len < 80 ? (int)name.len : 80,
                 name.ptr);
        return GRAMC_FINDINGS;
    }
    return GRAMC_OK;
}

static bool put(gramc_writer out, const char *bytes, size_t len) {
    return out.write(out.ctx, bytes, len) == 0;
}

static bool put_encoded(gramc_writer out, gramc_text text) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    bool good = true;
    for (size_t i = 0; i < text.len && good; i++) {
        char code[4] = {text.ptr[i], '\0', '\0', '\0'};
        if (!text.ptr[i] || !strchr(plain, text.ptr[i]))
            snprintf(code, sizeof code, "%%%02X", (unsigned)(unsigned char)text.ptr[i]);
        good = put(out, code, code[1] ? 3 : 1);
    }
    return good;
}

static bool put_value(gramc_writer out, const gramc_template *what,
                      const gramc_template_argument *value) {
    if (what->use == GRAMC_TEMPLATE_BODY)
        return value ? put(out, value->json.ptr, value->json.len) : put(out, "null", 4);
    if (!value) return true;
    if (what->use == GRAMC_TEMPLATE_PATH) return put_encoded(out, value->text);
    return put(out, value->text.ptr, value->text.len);
}

static gramc_status expand(void *ctx, const gramc_template *what,
                           const gramc_template_argument *arguments, size_t count, gramc_writer out,
                           char why[256]) {
    gramc_text before, name;
    (void)ctx;
    (void)why;
    for (size_t at = 0; next_tag(what->source, &at, &before, &name);) {
        const gramc_template_argument *value = NULL;
        for (size_t i = 0; i < count; i++)
            if (is_same(arguments[i].name, name)) value = &arguments[i];
        if (!put(out, before.ptr, before.len) || !put_value(out, what, value)) return GRAMC_IO;
    }
    return put(out, before.ptr, before.len) ? GRAMC_OK : GRAMC_IO;
}

const gramc_template_engine mustache = {{"MUSTACHE", 8}, check, expand, NULL};
