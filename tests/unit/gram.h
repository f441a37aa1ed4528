/* Shared by the tests of the grammar layer: a text, its tree and its findings in one place. */
#ifndef TESTS_UNIT_GRAM_H
#define TESTS_UNIT_GRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "grammar/parse.h"
#include "grammar/print.h"

struct gram {
    struct arena arena;
    struct findings findings;
    struct source source;
    struct tree *tree;
};

/* The text is borrowed and must have a NUL behind it. */
static inline void gram_read_text(struct gram *gram, gramc_text text, bool plain) {
    const struct parse_options options = {.plain = plain};
    arena_init(&gram->arena, NULL);
    findings_init(&gram->findings, &gram->arena, 0);
    gram->source = (struct source){.name = TEXT("test"), .text = text};
    gram->tree = parse_source(&gram->arena, &gram->findings, &gram->source, &options);
    assert_non_null(gram->tree);
}

static inline void gram_read(struct gram *gram, const char *text, bool plain) {
    gram_read_text(gram, text_of(text), plain);
}

static inline void gram_free(struct gram *gram) {
    arena_free(&gram->arena);
}

static inline uint32_t gram_errors(const struct gram *gram) {
    return gram->findings.counts[GRAMC_ERROR];
}

static inline uint32_t gram_findings(const struct gram *gram) {
    return gram_errors(gram) + gram->findings.counts[GRAMC_WARNING] +
           gram->findings.counts[GRAMC_NOTE];
}

/* The i-th finding; fails if there are fewer. */
static inline const struct finding *gram_finding(const struct gram *gram, uint32_t i) {
    const struct finding *finding = gram->findings.first;
    while (finding && i-- > 0) finding = finding->next;
    assert_non_null(finding);
    return finding;
}

/* What a printer makes of a text; the caller frees the buffer. */
static inline struct buf gram_print(const struct gram *gram,
                                    void (*print)(struct buf *, const struct tree *)) {
    struct buf out;
    buf_init(&out, NULL, (size_t)1 << 30);
    print(&out, gram->tree);
    assert_int_equal(buf_status(&out), GRAMC_OK);
    return out;
}

static inline void gram_assert_prints(const char *text,
                                      void (*print)(struct buf *, const struct tree *),
                                      const char *expected) {
    struct gram gram;
    gram_read(&gram, text, false);
    struct buf out = gram_print(&gram, print);
    assert_int_equal(gram_errors(&gram), 0);
    assert_string_equal(out.ptr ? out.ptr : "", expected);
    buf_free(&out);
    gram_free(&gram);
}

#endif
