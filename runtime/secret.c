/* Keeps the values that ${env:NAME} stands for, and what they are looked for as, in one block of
 * memory, which is overwritten before it is given back. Who may read what is decided by the list
 * alone; the keys of providers may be on it, but nobody reads them. secret_hide.c takes them out of
 * texts. */
#include "runtime/secret.h"

#include <string.h>

#include "base/text.h"
#include "runtime/secret_list.h"
#include "runtime/secret_match.h"

/* ## Base64, as far as a value decides it: its neighbours have a share in the outer letters */

enum {
    ALIGNMENTS = 3,
    VARIANTS = 2, /* with +/ and with -_ */
    TEXTS = 2,    /* as it is, and as it stands in JSON */
    PER_SECRET = 1 + ALIGNMENTS * VARIANTS * TEXTS
};

static size_t letters_room(size_t len) {
    return ALIGNMENTS * VARIANTS * (len + 2) * 4 / 3;
}

static size_t base64_room(size_t len) {
    return len < SECRET_SURE ? 0 : letters_room(len) + 2 * len + letters_room(2 * len);
}

static unsigned bits_at(gramc_text value, size_t before, size_t letter) {
    unsigned bits = 0;
    for (size_t bit = letter * 6; bit < letter * 6 + 6; bit++) {
        unsigned char byte = (unsigned char)value.ptr[bit / 8 - before];
        bits = bits << 1 | (byte >> (7 - bit % 8) & 1U);
    }
    return bits;
}

/* `before` bytes of something else share its first group. */
static gramc_text put_base64(char **cursor, gramc_text value, size_t before, const char *letters) {
    size_t first = (before * 8 + 5) / 6, end = (before + value.len) * 8 / 6;
    gramc_text out = {*cursor, end - first};
    for (size_t i = first; i < end; i++) *(*cursor)++ = letters[bits_at(value, before, i)];
    return out;
}

/* ## Life */

static size_t size_of(const gramc_pair *pairs, size_t count) {
    size_t size = sizeof(struct secrets) +
                  count * (sizeof(struct secret) + PER_SECRET * sizeof(struct secret_form));
    for (size_t i = 0; i < count; i++)
        size += pairs[i].name.len + pairs[i].value.len + base64_room(pairs[i].value.len);
    return size;
}

static gramc_text put(char **cursor, gramc_text text) {
    gramc_text copy = {*cursor, text.len};
    if (text.len) memcpy(*cursor, text.ptr, text.len);
    *cursor += text.len;
    return copy;
}

/* The longest first: one may be a part of another. */
static void add(struct secrets *secrets, struct secret secret) {
    size_t i = secrets->count++;
    for (; i && secrets->list[i - 1].value.len < secret.value.len; i--)
        secrets->list[i] = secrets->list[i - 1];
    secrets->list[i] = secret;
}

static void mark(unsigned char marks[256], gramc_text text) {
    marks[(unsigned char)text.ptr[0]] |= MARK_FIRST;
    marks[(unsigned char)text.ptr[1]] |= MARK_SECOND;
}

static void add_form(struct secrets *secrets, const struct secret *secret, gramc_text text) {
    secrets->forms[secrets->form_count++] =
        (struct secret_form){text, secret->name, secret->value.len, text_eq(text, secret->value)};
    mark(secrets->marks, text);
    if (secret->value.len >= SECRET_SURE) mark(secrets->sure_marks, text);
}

static void add_base64(struct secrets *secrets, const struct secret *secret, gramc_text text,
                       char **cursor) {
    static const char *const letters[VARIANTS] = {
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"};
    for (size_t before = 0; before < ALIGNMENTS; before++) {
        gramc_text plain = put_base64(cursor, text, before, letters[0]);
        gramc_text for_urls = put_base64(cursor, text, before, letters[1]);
        add_form(secrets, secret, plain);
        if (!text_eq(plain, for_urls)) add_form(secrets, secret, for_urls);
    }
}

/* Servers like to code whole requests, in which the value stood in a string. */
static gramc_text put_in_json(char **cursor, gramc_text value) {
    gramc_text out = {*cursor, 0};
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] == '"' || value.ptr[i] == '\\') *(*cursor)++ = '\\';
        *(*cursor)++ = value.ptr[i];
    }
    out.len = (size_t)(*cursor - out.ptr);
    return out;
}

static void add_forms(struct secrets *secrets, const struct secret *secret, char **cursor) {
    if (secret->value.len < SECRET_SHORTEST) return;
    add_form(secrets, secret, secret->value);
    if (secret->value.len < SECRET_SURE) return;
    add_base64(secrets, secret, secret->value, cursor);
    gramc_text in_json = put_in_json(cursor, secret->value);
    if (!text_eq(in_json, secret->value)) add_base64(secrets, secret, in_json, cursor);
}

bool secrets_are_usable(const gramc_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (text_has_nul(pairs[i].name) || text_has_nul(pairs[i].value)) return false;
    return true;
}

gramc_status secrets_new(struct secrets **out, const gramc_allocator *allocator,
                         const gramc_pair *pairs, size_t count) {
    size_t size = size_of(pairs, count);
    struct secrets *secrets = mem_alloc(allocator, size);
    *out = secrets;
    if (!secrets) return GRAMC_NOMEM;
    *secrets = (struct secrets){.allocator = *allocator, .size = size};
    for (const char *c = match_escapes; *c; c++)
        secrets->marks[(unsigned char)*c] = secrets->sure_marks[(unsigned char)*c] = MARK_ESCAPE;
    secrets->list = (struct secret *)(void *)(secrets + 1);
    secrets->forms = (struct secret_form *)(void *)(secrets->list + count);
    char *cursor = (char *)(secrets->forms + PER_SECRET * count);
    for (size_t i = 0; i < count; i++) {
        gramc_text name = put(&cursor, pairs[i].name);
        gramc_text value = put(&cursor, pairs[i].value);
        add(secrets, (struct secret){name, value, pairs[i].value.ptr != NULL});
    }
    for (size_t i = 0; i < count; i++) add_forms(secrets, &secrets->list[i], &cursor);
    return GRAMC_OK;
}

void secrets_free(struct secrets *secrets) {
    if (!secrets) return;
    gramc_allocator allocator = secrets->allocator;
    size_t size = secrets->size;
    mem_wipe(secrets, size);
    mem_free(&allocator, secrets, size);
}

/* ## Learning */

static bool knows(const struct secrets *known, gramc_text value) {
    for (size_t i = 0; known && i < known->count; i++)
        if (text_eq(known->list[i].value, value)) return true;
    return false;
}

static gramc_status learn_all(struct secrets **known, const gramc_allocator *allocator,
                              const gramc_pair *more, size_t count) {
    size_t before = *known ? (*known)->count : 0, size = (before + count) * sizeof(gramc_pair);
    struct secrets *longer;
    gramc_pair *pairs = mem_alloc(allocator, size);
    if (!pairs) return GRAMC_NOMEM;
    for (size_t i = 0; i < before; i++)
        pairs[i] = (gramc_pair){(*known)->list[i].name, (*known)->list[i].value};
    size_t all = before;
    for (size_t i = 0; i < count; i++)
        if (more[i].value.len && !knows(*known, more[i].value)) pairs[all++] = more[i];
    gramc_status status = secrets_new(&longer, allocator, pairs, all);
    mem_free(allocator, pairs, size);
    if (status) return status;
    secrets_free(*known);
    *known = longer;
    return GRAMC_OK;
}

gramc_status secrets_learn(struct secrets **known, const gramc_allocator *allocator,
                           const gramc_pair *more, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (more[i].value.len && !knows(*known, more[i].value))
            return learn_all(known, allocator, more, count);
    return GRAMC_OK;
}

gramc_status secrets_merge(struct secrets **known, const gramc_allocator *allocator,
                           const struct secrets *more) {
    gramc_status status = GRAMC_OK;
    for (size_t i = 0; more && i < more->count && !status; i++) {
        gramc_pair pair = {more->list[i].name, more->list[i].value};
        status = secrets_learn(known, allocator, &pair, 1);
    }
    return status;
}

/* ## Asking */

/* Names under which model providers document their keys. */
const char *gramc_provider_key(size_t i) {
    static const char *const keys[] = {"ANTHROPIC_API_KEY",
                                       "ANTHROPIC_AUTH_TOKEN",
                                       "AZURE_OPENAI_API_KEY",
                                       "CEREBRAS_API_KEY",
                                       "COHERE_API_KEY",
                                       "DEEPSEEK_API_KEY",
                                       "FIREWORKS_API_KEY",
                                       "GEMINI_API_KEY",
                                       "GOOGLE_API_KEY",
                                       "GROQ_API_KEY",
                                       "HF_TOKEN",
                                       "MISTRAL_API_KEY",
                                       "OLLAMA_API_KEY",
                                       "OPENAI_ADMIN_KEY",
                                       "OPENAI_API_KEY",
                                       "OPENROUTER_API_KEY",
                                       "PERPLEXITY_API_KEY",
                                       "TOGETHER_API_KEY",
                                       "XAI_API_KEY"};
    return i < sizeof(keys) / sizeof(keys[0]) ? keys[i] : NULL;
}

static bool is_provider_key(gramc_text name) {
    const char *key;
    for (size_t i = 0; (key = gramc_provider_key(i)) != NULL; i++)
        if (text_is_nocase(name, key)) return true;
    return false;
}

enum secret_verdict secrets_find(const struct secrets *secrets, gramc_text name,
                                 gramc_text *value) {
    if (is_provider_key(name)) return SECRET_OF_PROVIDER;
    for (size_t i = 0; secrets && i < secrets->count; i++) {
        const struct secret *secret = &secrets->list[i];
        if (!text_eq(secret->name, name)) continue;
        if (value) *value = secret->value;
        return secret->is_set ? SECRET_FINE : SECRET_NOT_SET;
    }
    return SECRET_NOT_ALLOWED;
}

bool secrets_look_up(const void *secrets, gramc_text name, gramc_text *out) {
    return secrets_find(secrets, name, out) == SECRET_FINE;
}
