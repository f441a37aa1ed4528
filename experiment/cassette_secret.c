/* Looks for secrets by their looks. Random texts change between small letters, capitals and digits
 * at six of ten places, words and identifiers at two: this tells them apart better than counting
 * how often each letter comes, which is asked for beside it. */
#include "experiment/cassette_secret.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "experiment/cassette.h"

enum { RANDOM_LEAST = 24, SHOWN = 2 };

/* ## By beginnings */

static bool is_alnum(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_key_letter(char c) {
    return is_alnum(c) || c == '-' || c == '_';
}

static const struct secret_shape {
    const char *prefix;
    size_t letters; /* that must follow */
} shapes[] = {{"sk-", 20},         {"sk_live_", 16},  {"ghp_", 30}, {"gho_", 30},
              {"github_pat_", 30}, {"glpat-", 20},    {"AKIA", 16}, {"AIza", 30},
              {"xoxb-", 20},       {"xoxp-", 20},     {"hf_", 30},  {"npm_", 30},
              {"-----BEGIN ", 0},  {"eyJhbGciOi", 40}};

/* A private key goes on to its last line, a token with its dots. */
static size_t end_of_secret(gramc_text rest, const struct secret_shape *shape, size_t end) {
    if (shape->letters) {
        while (end < rest.len && (is_key_letter(rest.ptr[end]) || rest.ptr[end] == '.')) end++;
        while (rest.ptr[end - 1] == '.') end--;
        return end;
    }
    for (size_t at = end; at + 9 <= rest.len; at++)
        if (memcmp(rest.ptr + at, "-----END ", 9) == 0) {
            const char *line = memchr(rest.ptr + at + 9, '-', rest.len - at - 9);
            end = line ? (size_t)(line - rest.ptr) : rest.len;
            while (end < rest.len && rest.ptr[end] == '-') end++;
            return end;
        }
    return rest.len;
}

/* In JSON what stands at the beginning of a line stands behind `\n`, whose n belongs to no word. */
static bool is_behind_escape(gramc_text text, size_t at) {
    bool is_short = at >= 2 && text.ptr[at - 2] == '\\' && memchr("bfnrt", text.ptr[at - 1], 5);
    return is_short || (at >= 6 && text.ptr[at - 6] == '\\' && text.ptr[at - 5] == 'u');
}

bool secret_by_prefix(gramc_text text, size_t from, struct secret_span *out) {
    for (size_t at = from; at < text.len; at++) {
        if (at && is_key_letter(text.ptr[at - 1]) && !is_behind_escape(text, at)) continue;
        gramc_text rest = text_slice(text, at, text.len);
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            if (!text_starts(rest, shapes[i].prefix)) continue;
            size_t begin = strlen(shapes[i].prefix), end = begin;
            while (end < rest.len && is_key_letter(rest.ptr[end])) end++;
            if (end - begin < shapes[i].letters) continue;
            *out = (struct secret_span){at, at + end_of_secret(rest, &shapes[i], end)};
            return true;
        }
    }
    return false;
}

gramc_text cassette_find_secret(gramc_text text) {
    struct secret_span span;
    if (!secret_by_prefix(text, 0, &span)) return (gramc_text){NULL, 0};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (text_starts(text_slice(text, span.start, span.end), shapes[i].prefix))
            return text_slice(text, span.start, span.start + strlen(shapes[i].prefix) + SHOWN);
    return text_slice(text, span.start, span.start + SHOWN);
}

/* ## By looks */

static int class_of(char c) {
    return c >= 'a' && c <= 'z' ? 1 : c >= 'A' && c <= 'Z' ? 2 : 4;
}

static double bits_of(gramc_text token) {
    unsigned counts[256] = {0};
    double bits = 0;
    for (size_t i = 0; i < token.len; i++) counts[(unsigned char)token.ptr[i]]++;
    for (size_t i = 0; i < 256; i++)
        if (counts[i]) bits -= counts[i] * log2((double)counts[i] / (double)token.len);
    return bits / (double)token.len;
}

static bool is_random(gramc_text token) {
    int classes = 0;
    size_t changes = 0, digits = 0;
    for (size_t i = 0; i < token.len; i++) {
        classes |= class_of(token.ptr[i]);
        digits += class_of(token.ptr[i]) == 4;
        changes += i && class_of(token.ptr[i]) != class_of(token.ptr[i - 1]);
    }
    return token.len >= RANDOM_LEAST && classes == 7 && digits > 1 &&
           changes * 5 >= (token.len - 1) * 2 && bits_of(token) >= 3.5;
}

bool secret_by_entropy(gramc_text text, size_t from, struct secret_span *out) {
    for (size_t at = from; at < text.len; at++) {
        size_t end = at;
        while (end < text.len && (is_alnum(text.ptr[end]) || text.ptr[end] == '+')) end++;
        if (is_random(text_slice(text, at, end))) {
            *out = (struct secret_span){at, end};
            return true;
        }
        if (end > at) at = end;
    }
    return false;
}

/* ## By names */

static bool is_among(gramc_text name, const char *const *words) {
    for (; *words; words++)
        if (text_is(name, *words)) return true;
    return false;
}

bool secret_is_id(gramc_text member) {
    static const char *const words[] = {"id",
                                        "tool_call_id",
                                        "call_id",
                                        "tool_use_id",
                                        "fingerprint",
                                        "signature",
                                        "system_fingerprint",
                                        "encrypted_content",
                                        "opaque",
                                        "thought_signature",
                                        "thoughtSignature",
                                        "data",
                                        NULL};
    return is_among(member, words);
}

/* As spelled in any style: small letters alone count. */
bool secret_is_name(gramc_text member) {
    static const char *const words[] = {
        "password",   "passwd",       "secret",        "apikey",       "accesstoken", "accesskey",
        "privatekey", "clientsecret", "authorization", "refreshtoken", "token",       "bearer",
        NULL};
    char name[32];
    size_t len = 0;
    for (size_t i = 0; i < member.len && len < sizeof name; i++) {
        char c = member.ptr[i];
        if (c == '_' || c == '-' || c == ' ') continue;
        name[len++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return is_among((gramc_text){name, len}, words);
}
