/* Compares what a property says with the words that it takes, and names them where it is none. */
#include "compiler/words.h"

#include "base/text.h"
#include "compiler/data.h"

enum { WORDS_MOST = 64 };

static size_t split(const char *words, gramc_text out[WORDS_MOST]) {
    gramc_text rest = text_of(words);
    size_t count = 0;
    for (size_t start = 0, i = 0; i <= rest.len; i++) {
        if (i < rest.len && rest.ptr[i] != ' ') continue;
        if (i > start && count < WORDS_MOST) out[count++] = text_slice(rest, start, i);
        start = i + 1;
    }
    return count;
}

bool word_check_value(struct pass *pass, const char *property, const char *words,
                      const struct value *value) {
    gramc_text names[WORDS_MOST], word = value_name(value);
    size_t count = split(words, names);
    for (size_t i = 0; i < count; i++)
        if (text_eq(names[i], word)) return true;
    struct buf said;
    buf_init(&said, &pass->arena->allocator, SOURCE_MAX);
    for (size_t i = 0; i < count; i++) {
        if (i) buf_puts(&said, ", ");
        buf_text(&said, names[i]);
    }
    struct finding *f = FIND(pass->findings, D_UNKNOWN_WORD, pass->source, value->span, word,
                             text_of(property), buf_view(&said));
    gramc_text near = text_nearest(word, names, count);
    if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
    if (said.state == BUF_NOMEM) pass->arena->oom = true;
    buf_free(&said);
    return false;
}

void word_check(struct pass *pass, const struct property *property, const char *words) {
    char name[32];
    gramc_text key = property ? name_text(property->key) : (gramc_text){NULL, 0};
    if (!key.len || key.len >= sizeof name || !value_is_name(property->value)) return;
    memcpy(name, key.ptr, key.len);
    name[key.len] = '\0';
    word_check_value(pass, name, words, property->value);
}
