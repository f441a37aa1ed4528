/* Keeps the values that ${env:NAME} stands for in one block of memory, which is overwritten before
 * it is given back, and takes them out of texts. Who may read what is decided by the list alone;
 * the keys of providers are on no list. */
#include "runtime/secret.h"

#include <string.h>

#include "base/text.h"
#include "runtime/httptool/template_encode.h"

struct secret {
    gramc_text name, value;
    bool is_set;
};

struct secrets {
    gramc_allocator allocator;
    size_t size; /* of the block: this, the list, the bytes */
    size_t count;
    struct secret list[];
};

/* ## Life */

static size_t size_of(const gramc_pair *pairs, size_t count) {
    size_t size = sizeof(struct secrets) + count * sizeof(struct secret);
    for (size_t i = 0; i < count; i++) size += pairs[i].name.len + pairs[i].value.len;
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

gramc_status secrets_new(struct secrets **out, const gramc_allocator *allocator,
                         const gramc_pair *pairs, size_t count) {
    size_t size = size_of(pairs, count);
    struct secrets *secrets = mem_alloc(allocator, size);
    *out = secrets;
    if (!secrets) return GRAMC_NOMEM;
    secrets->allocator = *allocator;
    secrets->size = size;
    secrets->count = 0;
    char *cursor = (char *)&secrets->list[count];
    for (size_t i = 0; i < count; i++) {
        gramc_text name = put(&cursor, pairs[i].name);
        gramc_text value = put(&cursor, pairs[i].value);
        add(secrets, (struct secret){name, value, pairs[i].value.ptr != NULL});
    }
    return GRAMC_OK;
}

void secrets_free(struct secrets *secrets) {
    if (!secrets) return;
    gramc_allocator allocator = secrets->allocator;
    size_t size = secrets->size;
    mem_wipe(secrets, size);
    mem_free(&allocator, secrets, size);
}

/* ## Asking */

/* Names under which model providers document their keys. */
static bool is_provider_key(gramc_text name) {
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
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (text_is_nocase(name, keys[i])) return true;
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

/* ## Hiding */

static const char *find(const char *from, size_t len, gramc_text what) {
    const char *end = from + len;
    while ((size_t)(end - from) >= what.len) {
        const char *at = memchr(from, what.ptr[0], (size_t)(end - from) - what.len + 1);
        if (!at || memcmp(at, what.ptr, what.len) == 0) return at;
        from = at + 1;
    }
    return NULL;
}

static void hide_text(struct buf *text, gramc_text value, gramc_text name) {
    struct buf copy;
    size_t done = 0;
    const char *at = text->len && value.len ? find(text->ptr, text->len, value) : NULL;
    if (!at) return;
    buf_init_secret(&copy, &text->allocator, text->max);
    for (; at; at = find(text->ptr + done, text->len - done, value)) {
        buf_put(&copy, text->ptr + done, (size_t)(at - text->ptr) - done);
        buf_puts(&copy, "${env:");
        buf_text(&copy, name);
        buf_putc(&copy, '}');
        done = (size_t)(at - text->ptr) + value.len;
    }
    buf_put(&copy, text->ptr + done, text->len - done);
    mem_wipe(text->ptr, text->len);
    buf_free(text);
    *text = copy;
}

/* JSON as most write it, and as those do who escape each slash; then how it stands in a URL. */
enum secret_form { FORM_JSON, FORM_JSON_SLASHED, FORM_URL, FORMS };

static void write_form(struct buf *out, enum secret_form form, gramc_text value) {
    const struct template_value given = {.text = value, .is_text = true};
    struct buf json;
    if (form != FORM_JSON_SLASHED) {
        template_encode(out, form == FORM_URL ? PLACE_QUERY : PLACE_JSON_STRING, &given);
        return;
    }
    buf_init_secret(&json, &out->allocator, out->max);
    template_encode(&json, PLACE_JSON_STRING, &given);
    for (size_t i = 0; i < json.len; i++) {
        if (json.ptr[i] == '/') buf_putc(out, '\\');
        buf_putc(out, json.ptr[i]);
    }
    if (json.state != BUF_FINE) out->state = json.state;
    buf_free(&json);
}

/* Most secrets are letters and digits, which look the same in every form. */
static bool is_plain(gramc_text value) {
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '_' || c == '.';
        if (!plain) return false;
    }
    return true;
}

static void hide_one(struct buf *text, const struct secret *secret) {
    hide_text(text, secret->value, secret->name);
    if (is_plain(secret->value)) return;
    for (enum secret_form form = 0; form < FORMS && text->state == BUF_FINE; form++) {
        struct buf written;
        buf_init_secret(&written, &text->allocator, 12 * secret->value.len);
        write_form(&written, form, secret->value);
        if (written.state == BUF_FINE) hide_text(text, buf_view(&written), secret->name);
        else text->state = written.state;
        buf_free(&written);
    }
}

/* How many bytes of the value end the text, or begin it; 0: too few to tell anything. */
static size_t part_before(gramc_text text, gramc_text value) {
    size_t len = value.len - 1 < text.len ? value.len - 1 : text.len;
    for (; len >= SECRET_SHORTEST; len--)
        if (memcmp(text.ptr + text.len - len, value.ptr, len) == 0) return len;
    return 0;
}

static size_t part_behind(gramc_text text, gramc_text value) {
    size_t len = value.len - 1 < text.len ? value.len - 1 : text.len;
    for (; len >= SECRET_SHORTEST; len--)
        if (memcmp(text.ptr, value.ptr + value.len - len, len) == 0) return len;
    return 0;
}

/* Where "..." says that a text was cut, the cut may have gone through the value. What is left of it
 * is overwritten in place, since it is gone anyway. */
static void hide_cut(struct buf *text, gramc_text value) {
    const gramc_text mark = TEXT("...");
    const char *at = text->len ? find(text->ptr, text->len, mark) : NULL;
    while (at) {
        size_t start = (size_t)(at - text->ptr), end = start + mark.len;
        size_t before = part_before((gramc_text){text->ptr, start}, value);
        size_t behind = part_behind(text_slice(buf_view(text), end, text->len), value);
        memset(text->ptr + start - before, '*', before);
        memset(text->ptr + end, '*', behind);
        at = find(text->ptr + end, text->len - end, mark);
    }
}

void secrets_hide(const struct secrets *secrets, struct buf *text) {
    secrets_hide_from(secrets, text, SECRET_SHORTEST);
}

void secrets_hide_from(const struct secrets *secrets, struct buf *text, size_t shortest) {
    for (size_t i = 0; secrets && i < secrets->count; i++) {
        if (secrets->list[i].value.len < shortest) continue;
        hide_one(text, &secrets->list[i]);
        hide_cut(text, secrets->list[i].value);
    }
}
