/* The words of the language, with what is said about them: words.def as tables. */
#ifndef LSP_WORDS_H
#define LSP_WORDS_H

#include "compiler/types.h"

/* What a value is. */
enum word_sort {
    WORD_TEXT,
    WORD_NUMBER,
    WORD_FLAG,
    WORD_TIME,
    WORD_SIZE,
    WORD_WORD, /* one of `words` */
    WORD_DATA, /* any */
    WORD_LIST,
    WORD_MAP,
    WORD_SANDBOX, /* a map with the properties of `sandbox` */
    WORD_TYPE,    /* a type, or a list of types */
    WORD_TYPES,
    WORD_FIELDS, /* from name to type, or a list of maps with names */
    WORD_TOOL,   /* a name, or a list of names, of tools; so on */
    WORD_AGENT,
    WORD_LIBRARY,
    WORD_BOX,
    WORD_GRADER,
    WORD_GRADERS,
    WORD_MODEL,
    WORD_FILE,
    WORD_FILES
};

struct label_word {
    const char *label;
    const char *inside; /* the label that it stands inside of; empty: top level */
    const char *about;
};

struct property_word {
    const char *label; /* of what has it; "type" for all types */
    const char *name;
    enum word_sort sort;
    const char *words; /* parted by blanks */
    const char *about;
};

/* The i-th; NULL past the end. Any thread. */
const struct label_word *label_word(size_t i);
const struct property_word *property_word(size_t i);
const struct label_word *label_find(gramc_text label);
/* The owner of a label's properties: itself, or "type" for types and for what nobody knows. */
const char *property_owner(gramc_text label);
const struct property_word *property_word_find(const char *owner, gramc_text name);
/* True if a type of that kind has it. */
bool property_is_for(const struct property_word *word, enum type_kind kind);

#endif
