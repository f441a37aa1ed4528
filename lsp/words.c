/* Turns words.def into tables that are asked by label and name. */
#include "lsp/words.h"

#include "base/text.h"
#include "compiler/type_properties.h"

static const struct label_word labels[] = {
#define LABEL(label, place, about) {label, place, about},
#include "lsp/words.def"
};

static const struct property_word properties[] = {
#define PROPERTY(label, name, sort, words, about) {label, name, WORD_##sort, words, about},
#include "lsp/words.def"
};

enum {
    LABEL_WORDS = sizeof labels / sizeof *labels,
    PROPERTY_WORDS = sizeof properties / sizeof *properties
};

const struct label_word *label_word(size_t i) {
    return i < LABEL_WORDS ? &labels[i] : NULL;
}

const struct property_word *property_word(size_t i) {
    return i < PROPERTY_WORDS ? &properties[i] : NULL;
}

const struct label_word *label_find(gramc_text label) {
    for (size_t i = 0; i < LABEL_WORDS; i++)
        if (text_is(label, labels[i].label)) return &labels[i];
    return NULL;
}

const char *property_owner(gramc_text label) {
    static const char *const records[] = {"header", "configuration", "sandbox"};
    const struct label_word *known = label_find(label);
    if (known) return known->label;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (text_is(label, records[i])) return records[i];
    return "type";
}

const struct property_word *property_word_find(const char *owner, gramc_text name) {
    for (size_t i = 0; i < PROPERTY_WORDS; i++)
        if (text_is(name, properties[i].name) && strcmp(owner, properties[i].label) == 0)
            return &properties[i];
    return NULL;
}

bool property_is_for(const struct property_word *word, enum type_kind kind) {
    enum type_property property = type_property_named(text_of(word->name));
    if (property == TYPE_PROPERTIES) return true;
    return type_property_row(property)->kinds & 1u << kind;
}
