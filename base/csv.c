/* Cuts comma-separated values into rows and fields. What a field means is its reader's matter. */
#include "base/csv.h"

#include "base/text.h"

void csv_init(struct csv *csv, gramc_text text) {
    size_t mark = text_starts(text, "\xEF\xBB\xBF") ? 3 : 0;
    *csv = (struct csv){text, mark, 1};
}

static bool ends_line(const struct csv *csv, size_t at) {
    const char *p = csv->text.ptr + at;
    return *p == '\n' || (*p == '\r' && at + 1 < csv->text.len && p[1] == '\n');
}

/* Behind a line end, if one is there. */
static bool skip_line_end(struct csv *csv) {
    if (csv->at >= csv->text.len || !ends_line(csv, csv->at)) return false;
    csv->at += csv->text.ptr[csv->at] == '\r' ? 2 : 1;
    csv->line++;
    return true;
}

/* ## One field */

static gramc_text without_doubles(struct arena *arena, gramc_text text) {
    char *copy = arena_alloc(arena, text.len);
    size_t len = 0;
    if (!copy) return (gramc_text){NULL, 0};
    for (size_t i = 0; i < text.len; i++) {
        copy[len++] = text.ptr[i];
        if (text.ptr[i] == '"') i++;
    }
    return (gramc_text){copy, len};
}

static const char *read_quoted(struct csv *csv, struct arena *arena, gramc_text *out) {
    size_t start = ++csv->at, doubles = 0, lines = 0;
    for (;; csv->at++) {
        if (csv->at >= csv->text.len) return "a quote is never closed";
        char c = csv->text.ptr[csv->at];
        lines += c == '\n';
        if (c != '"') continue;
        if (csv->at + 1 == csv->text.len || csv->text.ptr[csv->at + 1] != '"') break;
        doubles++;
        csv->at++;
    }
    csv->line += (unsigned)lines;
    *out = text_slice(csv->text, start, csv->at++);
    if (doubles) *out = without_doubles(arena, *out);
    bool ends =
        csv->at >= csv->text.len || csv->text.ptr[csv->at] == ',' || ends_line(csv, csv->at);
    return ends ? NULL : "something stands behind a closing quote";
}

static const char *read_plain(struct csv *csv, gramc_text *out) {
    size_t start = csv->at;
    for (; csv->at < csv->text.len && !ends_line(csv, csv->at); csv->at++) {
        char c = csv->text.ptr[csv->at];
        if (c == ',') break;
        if (c == '"') return "a quote stands in a field that does not begin with one";
        if (c == '\r') return "a carriage return stands in a field without quotes";
    }
    *out = text_slice(csv->text, start, csv->at);
    return NULL;
}

/* ## One row */

static const char *read_fields(struct csv *csv, struct arena *arena, struct csv_row *row) {
    for (bool more = true; more;) {
        const char *why = NULL;
        if (row->count == CSV_FIELDS_MAX) return "there are too many fields";
        gramc_text *field = &row->fields[row->count];
        bool quoted = csv->at < csv->text.len && csv->text.ptr[csv->at] == '"';
        why = quoted ? read_quoted(csv, arena, field) : read_plain(csv, field);
        if (why) return why;
        row->count++;
        more = csv->at < csv->text.len && csv->text.ptr[csv->at] == ',';
        if (more) csv->at++;
    }
    return NULL;
}

enum csv_read csv_next(struct csv *csv, struct arena *arena, struct csv_row *row,
                       const char **why) {
    while (skip_line_end(csv)) {
    }
    if (csv->at >= csv->text.len) return CSV_END;
    row->count = 0;
    row->line = csv->line;
    *why = read_fields(csv, arena, row);
    if (arena->oom) return CSV_NOMEM;
    if (*why) return CSV_BROKEN;
    skip_line_end(csv);
    return CSV_ROW;
}
