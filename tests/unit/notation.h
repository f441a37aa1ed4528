/* The rows of tests/data/notation.tsv, one after the other. */
#ifndef TESTS_UNIT_NOTATION_H
#define TESTS_UNIT_NOTATION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gramc/gramc.h"

struct notation {
    FILE *file;
    char line[512], spelling[512];
    const char *verdict;
    gramc_text text;
};

static inline int notation_hex(char c) {
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* C escapes, in place; returns the length. */
static inline size_t notation_unescape(char *text) {
    static const char letters[] = "ntrvf0\\", meanings[] = "\n\t\r\v\f\0\\";
    char *out = text;
    for (const char *in = text; *in;) {
        if (*in != '\\') {
            *out++ = *in++;
        } else if (in[1] == 'x') {
            *out++ = (char)(notation_hex(in[2]) * 16 + notation_hex(in[3]));
            in += 4;
        } else {
            const char *known = strchr(letters, in[1]);
            assert_non_null(known);
            *out++ = meanings[known - letters];
            in += 2;
        }
    }
    *out = '\0';
    return (size_t)(out - text);
}

static inline void notation_open(struct notation *row) {
    char path[1024];
    const char *folder = getenv("GRAMC_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/data/notation.tsv", folder ? folder : ".");
    row->file = fopen(path, "rb");
    assert_non_null(row->file);
}

static inline bool notation_next(struct notation *row) {
    do {
        if (!fgets(row->line, sizeof row->line, row->file)) return false;
    } while (row->line[0] == '#');
    char *text = strchr(row->line, '\t');
    assert_non_null(text);
    *text++ = '\0';
    text[strcspn(text, "\n")] = '\0';
    memcpy(row->spelling, text, strlen(text) + 1);
    row->verdict = row->line;
    row->text = (gramc_text){text, notation_unescape(text)};
    return true;
}

static inline void notation_close(struct notation *row) {
    fclose(row->file);
}

#endif
