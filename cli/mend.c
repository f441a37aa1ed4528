/* Makes the safe fixes of all findings, again and again until there are none: a syntax error hides
 * what is wrong behind it. Works in memory; files are written, or differences printed, at the end.
 * Files that are only imported are left alone. */
#include "cli/mend.h"

#include "base/buf.h"
#include "base/text.h"
#include "cli/diff.h"

#include <string.h>

enum { MOST_ROUNDS = 20, OUTPUT_MAX = INT32_MAX };

struct mended {
    gramc_source source; /* as it was loaded */
    struct buf text;     /* as it is now, if it has changed */
    bool changed, is_formatted;
};

struct mend_run {
    struct cli *cli;
    mend_evaluate *evaluate;
    struct mended *files;
    size_t count, fixed;
};

static gramc_text current(const struct mended *file) {
    return file->changed ? buf_view(&file->text) : file->source.text;
}

static int compile(struct mend_run *m, gramc_compilation **out) {
    int code = cli_new(m->cli, out);
    for (size_t i = 0; i < m->count && code == EXIT_FINE; i++) {
        gramc_text text = current(&m->files[i]);
        code =
            cli_status(m->cli, gramc_add_source(*out, m->files[i].source.name, text.ptr, text.len));
    }
    return code == EXIT_FINE ? cli_status(m->cli, gramc_compile_each(*out)) : code;
}

/* What came out replaces the text once nothing points into the old one any more. */
static int mend_one(struct mend_run *m, const gramc_compilation *compilation, size_t i,
                    struct buf *out, size_t *fixed) {
    buf_init(out, &m->cli->allocator, OUTPUT_MAX);
    gramc_status status = gramc_source_fix(compilation, i, buf_writer(out), fixed);
    return cli_status(m->cli, status == GRAMC_IO ? buf_status(out) : status);
}

static int mend_all(struct mend_run *m, const gramc_compilation *compilation, struct buf *texts,
                    size_t *fixed) {
    int code = EXIT_FINE;
    *fixed = 0;
    for (size_t i = 0; i < m->count && code == EXIT_FINE; i++) {
        size_t here = 0;
        code = mend_one(m, compilation, i, &texts[i], &here);
        *fixed += here;
        if (here == 0) buf_free(&texts[i]);
    }
    return code;
}

static void take_over(struct mend_run *m, struct buf *texts) {
    for (size_t i = 0; i < m->count; i++) {
        if (texts[i].len == 0 && !texts[i].ptr) continue;
        buf_free(&m->files[i].text);
        m->files[i].text = texts[i];
        m->files[i].changed = true;
        texts[i] = (struct buf){.ptr = NULL};
    }
}

/* One compilation, and the fixes of its findings; *left is the compilation if there were none. */
static int round_of(struct mend_run *m, struct buf *texts, bool last, gramc_compilation **left) {
    gramc_compilation *compilation = NULL;
    size_t fixed = 0;
    int code = compile(m, &compilation);
    if (code == EXIT_FINE && !last) code = mend_all(m, compilation, texts, &fixed);
    if (code == EXIT_FINE && fixed == 0) {
        *left = compilation;
        return EXIT_FINE;
    }
    gramc_compilation_free(compilation);
    if (code == EXIT_FINE) take_over(m, texts);
    m->fixed += fixed;
    return code;
}

/* ## Layout: what gramc fmt had written stays as it would write it */

static int format(struct cli *cli, gramc_source source, gramc_text text, struct buf *out) {
    gramc_compilation *compilation = NULL;
    buf_init(out, &cli->allocator, OUTPUT_MAX);
    int code = cli_new(cli, &compilation);
    if (code != EXIT_FINE) return code;
    gramc_status status = gramc_add_source(compilation, source.name, text.ptr, text.len);
    if (!status) status = gramc_source_format(compilation, 0, NULL, buf_writer(out));
    if (status == GRAMC_IO) status = buf_status(out);
    gramc_compilation_free(compilation);
    if (status != GRAMC_FINDINGS) return cli_status(cli, status);
    buf_reset(out);
    return EXIT_FINE;
}

static int note_formatted(struct mend_run *m) {
    int code = EXIT_FINE;
    for (size_t i = 0; i < m->count && code == EXIT_FINE; i++) {
        struct mended *file = &m->files[i];
        struct buf out;
        code = format(m->cli, file->source, file->source.text, &out);
        file->is_formatted = text_eq(buf_view(&out), file->source.text);
        buf_free(&out);
    }
    return code;
}

/* *again: a text has changed. */
static int format_all(struct mend_run *m, struct buf *texts, bool *again) {
    int code = EXIT_FINE;
    for (size_t i = 0; i < m->count && code == EXIT_FINE; i++) {
        const struct mended *file = &m->files[i];
        if (!file->changed || !file->is_formatted) continue;
        code = format(m->cli, file->source, current(file), &texts[i]);
        bool changes = texts[i].len && !text_eq(buf_view(&texts[i]), current(file));
        if (changes) *again = true;
        else buf_free(&texts[i]);
    }
    return code;
}

/* Findings have the places of the texts as they are written. */
static int lay_out(struct mend_run *m, struct buf *texts, gramc_compilation **left) {
    bool again = false;
    int code = format_all(m, texts, &again);
    if (code != EXIT_FINE || !again) return code;
    gramc_compilation_free(*left);
    *left = NULL;
    take_over(m, texts);
    return compile(m, left);
}

/* ## What comes out */

static int print_diff(struct mend_run *m, const struct mended *file) {
    struct buf out;
    buf_init(&out, &m->cli->allocator, OUTPUT_MAX);
    gramc_status status = diff_print(&out, file->source.name, file->source.text, current(file));
    if (status == GRAMC_OK) status = buf_send(&out, cli_text_writer(m->cli));
    buf_free(&out);
    return cli_status(m->cli, status);
}

static int hand_out(struct mend_run *m) {
    int code = EXIT_FINE;
    for (size_t i = 0; i < m->count && code == EXIT_FINE; i++) {
        const struct mended *file = &m->files[i];
        if (!file->changed) continue;
        code = m->cli->options[OPTION_DIFF]
                   ? print_diff(m, file)
                   : cli_rewrite(m->cli, file->source.name.ptr, current(file));
    }
    return code;
}

static int report(struct mend_run *m, gramc_compilation *left) {
    bool diff = m->cli->options[OPTION_DIFF] != NULL;
    if (m->fixed && !diff)
        fprintf(m->cli->err, "%zu finding%s fixed\n", m->fixed, text_plural(m->fixed));
    int code = m->evaluate(m->cli, left, diff ? m->cli->err : m->cli->out);
    return code == EXIT_FINE && diff && m->fixed ? EXIT_FINDINGS : code;
}

static int mend(struct mend_run *m, struct buf *texts) {
    gramc_compilation *left = NULL;
    int code = note_formatted(m);
    for (int round = 0; code == EXIT_FINE && !left; round++)
        code = round_of(m, texts, round == MOST_ROUNDS, &left);
    if (code == EXIT_FINE) code = lay_out(m, texts, &left);
    if (code == EXIT_FINE) code = hand_out(m);
    if (code == EXIT_FINE) code = report(m, left);
    gramc_compilation_free(left);
    return code;
}

static int mend_files(struct mend_run *m, const gramc_compilation *loaded, struct arena *arena) {
    m->files = arena_array(arena, m->count + 1, sizeof *m->files);
    struct buf *texts = arena_array(arena, m->count + 1, sizeof *texts);
    if (!m->files || !texts) return cli_no_memory(m->cli);
    for (size_t i = 0; i < m->count; i++) {
        gramc_source_get(loaded, i, &m->files[i].source);
        buf_init(&m->files[i].text, &m->cli->allocator, OUTPUT_MAX);
        buf_init(&texts[i], &m->cli->allocator, OUTPUT_MAX);
    }
    int code = mend(m, texts);
    for (size_t i = 0; i < m->count; i++) {
        buf_free(&m->files[i].text);
        if (texts[i].ptr) buf_free(&texts[i]);
    }
    return code;
}

int mend_sources(struct cli *cli, const gramc_compilation *loaded, mend_evaluate *evaluate) {
    struct mend_run m = {.cli = cli, .evaluate = evaluate, .count = gramc_source_count(loaded)};
    struct arena arena;
    for (size_t i = 0; i < cli->operand_count && !cli->options[OPTION_DIFF]; i++)
        if (strcmp(cli->operands[i], "-") == 0)
            return cli_usage(cli, "check: --fix cannot rewrite standard input; --diff shows what "
                                  "it would do");
    arena_init(&arena, &cli->allocator);
    int code = mend_files(&m, loaded, &arena);
    arena_free(&arena);
    return code;
}
