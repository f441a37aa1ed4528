/* Turns the lines of JSON, or the rows of CSV, into cases, and what has the wrong form into one
 * line that says so. What a case needs beside its form (inputs, a message) is known by others. */
#include "base/case_file.h"

#include "base/expectation.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void case_file_init(struct case_file *file, gramc_text name, gramc_text text,
                    const gramc_allocator *allocator) {
    gramc_text end = name.len >= 4 ? text_slice(name, name.len - 4, name.len) : name;
    arena_init(&file->arena, allocator);
    map_init(&file->ids, &file->arena);
    csv_init(&file->csv, text);
    file->is_csv = text_is_nocase(end, ".csv");
    file->header.count = 0;
    file->count = 0;
}

void case_file_free(struct case_file *file) {
    arena_free(&file->arena);
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static bool
broken(struct case_fault *fault, unsigned line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(fault->message, sizeof fault->message, format, args);
    va_end(args);
    fault->line = line;
    return false;
}

enum { SHOWN_MAX = 60 };

/* Of a name that somebody wrote: not more than fits a line. */
#define SHOWN(text) (int)((text).len < SHOWN_MAX ? (text).len : SHOWN_MAX), (text).ptr

/* ## Reserved fields */

static bool is_word(const struct json *value) {
    return (value->kind == JSON_STRING && value->text.len) || value->kind == JSON_NUMBER;
}

static bool is_text(const struct json *value) {
    return value->kind == JSON_STRING && value->text.len;
}

static bool is_texts(const struct json *value) {
    if (value->kind != JSON_ARRAY || !value->count) return false;
    const struct json *v = value->first;
    while (v && is_text(v)) v = v->next;
    return !v;
}

static bool is_expectation(const struct json *value) {
    return is_text(value) || value->kind == JSON_OBJECT;
}

static const struct {
    const char *name, *wanted;
    bool (*fits)(const struct json *value);
} reserved[] = {{"id", "a text or a number", is_word},
                {"message", "a text that is not empty", is_text},
                {"messages", "a list of texts that are not empty", is_texts},
                {"cluster", "a text or a number", is_word},
                {"stratum", "a text or a number", is_word},
                {"expect", "a text or an object", is_expectation}};

enum { RESERVED = sizeof reserved / sizeof *reserved };

bool case_field_is_reserved(gramc_text name) {
    for (size_t i = 0; i < RESERVED; i++)
        if (text_is(name, reserved[i].name)) return true;
    return false;
}

static bool check_expectation(const struct json *expect, unsigned line, struct case_fault *fault) {
    const struct json *where = NULL;
    switch (expectation_check(expect, &where)) {
    case EXPECTATION_FINE: return true;
    case EXPECTATION_EMPTY: return broken(fault, line, "`expect` asks for nothing");
    case EXPECTATION_UNKNOWN:
        return broken(fault, line, "`expect` has no member `%.*s`", SHOWN(where->key));
    case EXPECTATION_TWICE:
        return broken(fault, line, "`%.*s` stands twice in `expect`", SHOWN(where->key));
    case EXPECTATION_MISFIT:
        return broken(fault, line, "`%.*s` in `expect` takes %s", SHOWN(where->key),
                      expectation_wanted(expectation_named(where->key)));
    case EXPECTATION_DANGLING: break;
    }
    return broken(fault, line, "`%.*s` in `expect` belongs to calls that it does not name",
                  SHOWN(where->key));
}

static bool check_fields(const struct json *object, unsigned line, struct case_fault *fault) {
    for (const struct json *m = object->first; m; m = m->next) {
        if (json_get_text(object, m->key) != m)
            return broken(fault, line, "`%.*s` stands twice", SHOWN(m->key));
        for (size_t i = 0; i < RESERVED; i++)
            if (text_is(m->key, reserved[i].name) && !reserved[i].fits(m))
                return broken(fault, line, "`%s` takes %s", reserved[i].name, reserved[i].wanted);
    }
    const struct json *expect = json_get(object, "expect");
    if (json_get(object, "message") && json_get(object, "messages"))
        return broken(fault, line, "it has both `message` and `messages`");
    return !json_is(expect, JSON_OBJECT) || check_expectation(expect, line, fault);
}

/* ## Ids */

static bool add_id(struct case_file *file, struct case_row *row, struct case_fault *fault) {
    const struct json *id = json_get(row->object, "id");
    char digits[16];
    int len = snprintf(digits, sizeof digits, "%u", row->line);
    gramc_text text = id ? id->text : (gramc_text){digits, (size_t)len};
    unsigned *line = ARENA_NEW(&file->arena, unsigned);
    row->id = arena_text(&file->arena, text);
    if (!line || file->arena.oom) return true;
    *line = row->line;
    const unsigned *first = map_put(&file->ids, row->id, line);
    if (!first || first == line) return true;
    return broken(fault, row->line, "the id `%.*s` is that of line %u already", SHOWN(row->id),
                  *first);
}

/* ## JSON lines */

/* The next line that is not blank; false at the end. */
static bool next_line(struct csv *at, gramc_text *line) {
    while (at->at < at->text.len) {
        size_t start = at->at;
        while (at->at < at->text.len && at->text.ptr[at->at] != '\n') at->at++;
        *line = text_slice(at->text, start, at->at++);
        at->line++;
        if (text_trim(*line).len) return true;
    }
    return false;
}

static enum case_read read_line(struct case_file *file, struct arena *arena, struct case_row *row,
                                struct case_fault *fault) {
    struct json_error error = {.message = ""};
    gramc_text line;
    if (!next_line(&file->csv, &line)) return CASE_END;
    row->line = file->csv.line - 1;
    if (line.len > CASE_BYTES_MAX) {
        broken(fault, row->line, "this is longer than %d MiB", CASE_BYTES_MAX >> 20);
        return CASE_BROKEN;
    }
    row->object = json_parse(arena, line, &error);
    if (json_is(row->object, JSON_OBJECT)) return CASE_ROW;
    if (arena->oom) return CASE_NOMEM;
    const char *why = row->object || !error.message ? "" : error.message;
    broken(fault, row->line, "this is no JSON object%s%s", *why ? ": " : "", why);
    return CASE_BROKEN;
}

/* ## CSV */

static struct json *new_text(struct arena *arena, gramc_text key, gramc_text text) {
    struct json *value = ARENA_NEW(arena, struct json);
    if (!value) return NULL;
    value->kind = JSON_STRING;
    value->key = key;
    value->text = text;
    return value;
}

/* A list of messages and what is expected may be written as JSON in a cell. */
static struct json *new_field(struct arena *arena, gramc_text key, gramc_text cell) {
    bool expect = text_is(key, "expect"), messages = text_is(key, "messages");
    struct json *value = NULL;
    gramc_text trimmed = text_trim(cell);
    if ((expect && text_starts(trimmed, "{")) || (messages && text_starts(trimmed, "[")))
        value = json_parse(arena, cell, NULL);
    if (!value) return new_text(arena, key, cell);
    value->key = key;
    return value;
}

/* An empty cell of a reserved column is none. */
static const struct json *new_object(const struct case_file *file, struct arena *arena) {
    struct json *object = ARENA_NEW(arena, struct json);
    if (!object) return NULL;
    struct json **tail = &object->first;
    object->kind = JSON_OBJECT;
    for (size_t i = 0; i < file->row.count; i++) {
        gramc_text key = file->header.fields[i], cell = file->row.fields[i];
        if (!cell.len && case_field_is_reserved(key)) continue;
        struct json *field = new_field(arena, key, cell);
        if (!field) return NULL;
        *tail = field;
        tail = &field->next;
        object->count++;
    }
    return object;
}

static bool check_header(const struct case_file *file, struct case_fault *fault) {
    const struct csv_row *header = &file->header;
    for (size_t i = 0; i < header->count; i++) {
        if (!header->fields[i].len)
            return broken(fault, header->line, "column %zu of the header has no name", i + 1);
        if (!text_is_utf8(header->fields[i]))
            return broken(fault, header->line, "column %zu of the header is not UTF-8", i + 1);
        for (size_t j = 0; j < i; j++)
            if (text_eq(header->fields[i], header->fields[j]))
                return broken(fault, header->line, "two columns are called `%.*s`",
                              SHOWN(header->fields[i]));
    }
    return true;
}

static enum case_read told(enum csv_read read, const struct csv *csv, const char *why,
                           struct case_fault *fault) {
    if (read == CSV_BROKEN) broken(fault, csv->line, "this is no CSV: %s", why);
    return read == CSV_NOMEM ? CASE_NOMEM : read == CSV_END ? CASE_END : CASE_BROKEN;
}

static enum case_read read_header(struct case_file *file, struct case_fault *fault) {
    const char *why = NULL;
    enum csv_read read = csv_next(&file->csv, &file->arena, &file->header, &why);
    if (read != CSV_ROW) return told(read, &file->csv, why, fault);
    return check_header(file, fault) ? CASE_ROW : CASE_BROKEN;
}

static enum case_read read_row(struct case_file *file, struct arena *arena, struct case_row *row,
                               struct case_fault *fault) {
    const char *why = NULL;
    if (!file->header.count) {
        enum case_read header = read_header(file, fault);
        if (header != CASE_ROW) return header;
    }
    enum csv_read read = csv_next(&file->csv, arena, &file->row, &why);
    if (read != CSV_ROW) return told(read, &file->csv, why, fault);
    row->line = file->row.line;
    if (file->row.count != file->header.count) {
        broken(fault, row->line, "this row has %zu fields, and the header %zu", file->row.count,
               file->header.count);
        return CASE_BROKEN;
    }
    for (size_t i = 0; i < file->row.count; i++)
        if (!text_is_utf8(file->row.fields[i])) {
            broken(fault, row->line, "this is not UTF-8");
            return CASE_BROKEN;
        }
    row->object = new_object(file, arena);
    return row->object ? CASE_ROW : CASE_NOMEM;
}

/* ## One case */

enum case_read case_file_next(struct case_file *file, struct arena *arena, struct case_row *row,
                              struct case_fault *fault) {
    enum case_read read =
        file->is_csv ? read_row(file, arena, row, fault) : read_line(file, arena, row, fault);
    if (read == CASE_END && !file->count) {
        broken(fault, 0, "there is no case in the file");
        return CASE_BROKEN;
    }
    if (read != CASE_ROW) return read;
    if (++file->count > CASES_MAX) {
        broken(fault, row->line, "there are more than %d cases", CASES_MAX);
        return CASE_BROKEN;
    }
    if (!check_fields(row->object, row->line, fault) || !add_id(file, row, fault))
        return CASE_BROKEN;
    return file->arena.oom || arena->oom ? CASE_NOMEM : CASE_ROW;
}
