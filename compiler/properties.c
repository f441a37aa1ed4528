/* Turns a record into a C struct by a table of rows, and everything that is not in the table into
 * findings. Knows nothing of what the properties are for. */
#include "compiler/properties.h"

#include "base/limits.h"
#include "base/text.h"
#include "compiler/data.h"
#include "compiler/fixes.h"
#include "compiler/meant.h"

#include <string.h>

enum { MOST_ROWS = 48 };

/* ## Values of another kind */

static bool is_among(gramc_text word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (text_is_nocase(word, words[i])) return true;
    return false;
}

/* `True` is Python's, `yes` is YAML's. NULL: no truth value of any language. */
static const char *truth_of(gramc_text word) {
    static const char *const yes[] = {"true", "yes", "on", "1"};
    static const char *const no[] = {"false", "no", "off", "0"};
    return is_among(word, yes, 4) ? "true" : is_among(word, no, 4) ? "false" : NULL;
}

static bool is_number_text(gramc_text text) {
    size_t digits = 0, points = 0;
    for (size_t i = text.len && text.ptr[0] == '-'; i < text.len; i++) {
        digits += text.ptr[i] >= '0' && text.ptr[i] <= '9';
        points += text.ptr[i] == '.';
    }
    return digits && points < 2 && digits + points + (text.ptr[0] == '-') == text.len;
}

/* `"python3 x.py"` as a list of its words; the first quotation mark ends the guess. */
static void help_list(struct pass *pass, struct finding *f, gramc_text text, char between) {
    struct buf out;
    buf_init(&out, &pass->arena->allocator, 512);
    for (size_t start = 0, i = 0; i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != between) continue;
        gramc_text word = text_trim(text_slice(text, start, i));
        if (word.len) buf_printf(&out, "%s\"%.*s\"", out.len ? ", " : "", TEXT_ARGS(word));
        start = i + 1;
    }
    bool plain = true;
    for (size_t i = 0; i < text.len; i++) plain = plain && !strchr("\"'\\\n", text.ptr[i]);
    if (plain && out.state == BUF_FINE && out.len)
        finding_help(pass->findings, f, "write a list: [%.*s]", (int)out.len, out.ptr);
    if (out.state == BUF_NOMEM) pass->arena->oom = true;
    buf_free(&out);
}

void find_wrong_value_of(struct pass *pass, const struct value *v, gramc_text key,
                         const char *wanted) {
    bool said = value_is_name(v);
    gramc_text text = said ? value_name(v) : (gramc_text){NULL, 0};
    struct finding *f = FIND(pass->findings, D_WRONG_VALUE, pass->source, v->span, key,
                             text_of(wanted), text_of(value_noun(v)));
    const char *truth = said ? truth_of(text) : NULL;
    if (text_is(text_of(wanted), "true or false") && truth)
        finding_help(pass->findings, f, "did you mean `%s`?", truth);
    else if (text_is(text_of(wanted), "a number") && said && is_number_text(text))
        finding_help(pass->findings, f, "write %.*s without quotes", TEXT_ARGS(text));
    else if (text_starts(text_of(wanted), "a list") && said)
        help_list(pass, f, text, text_is(key, "enum") ? ',' : ' ');
}

void find_wrong_value(struct pass *pass, const struct property *p, const char *wanted) {
    find_wrong_value_of(pass, p->value, name_text(p->key), wanted);
}

const struct property *property_find(const struct subject *subject, const char *name) {
    for (const struct property *p = subject ? subject->properties : NULL; p; p = p->next)
        if (text_is(name_text(p->key), name)) return p;
    return NULL;
}

struct span property_place(const struct subject *subject, const char *name) {
    const struct property *p = property_find(subject, name);
    return p ? p->value->span : (struct span){0, 0};
}

/* ## Texts from files */

static gramc_text folder_of(gramc_text path) {
    while (path.len && path.ptr[path.len - 1] != '/') path.len--;
    return path;
}

static gramc_text join(struct pass *pass, gramc_text folder, gramc_text name) {
    char *path = arena_alloc(pass->arena, folder.len + name.len + 1);
    if (!path) return (gramc_text){NULL, 0};
    memcpy(path, folder.ptr, folder.len);
    memcpy(path + folder.len, name.ptr, name.len);
    path[folder.len + name.len] = '\0';
    return (gramc_text){path, folder.len + name.len};
}

static const struct value *file_of(const struct value *value) {
    const struct property *only = value->kind == VALUE_MAP ? value->as.entries : NULL;
    bool is_file = only && !only->next && text_is(name_text(only->key), "file");
    return is_file && value_is_name(only->value) ? only->value : NULL;
}

void find_unreadable(struct pass *pass, struct span at, gramc_text path, int failure) {
    struct finding *f = FIND(pass->findings, D_UNREADABLE_FILE, pass->source, at, path);
    if (failure == GRAMC_NOT_FOUND) finding_help(pass->findings, f, "there is no such file");
    else if (failure == GRAMC_USAGE)
        finding_help(pass->findings, f,
                     "it lies outside the project, which is the folder with gramc.gram or .git");
    else if (failure == GRAMC_LIMIT)
        finding_help(pass->findings, f, "gramc takes %d files at once, each smaller than 2 GiB",
                     COMPILATION_FILES_MAX);
}

static gramc_text read_file(struct pass *pass, const struct value *name) {
    gramc_reader reader = pass->compilation->reader;
    gramc_text path = value_name(name), content = {NULL, 0};
    bool absolute = path.len && path.ptr[0] == '/';
    if (!absolute) path = join(pass, folder_of(pass->source->name), path);
    if (!path.ptr) return path;
    int failure = reader.read ? reader.read(reader.ctx, path, &content) : GRAMC_NOT_FOUND;
    if (failure == GRAMC_NOMEM) {
        pass->arena->oom = true;
        return (gramc_text){NULL, 0};
    }
    if (failure) {
        find_unreadable(pass, name->span, path, failure);
        return (gramc_text){NULL, 0};
    }
    if (text_is_utf8(content)) return content;
    FIND(pass->findings, D_NOT_UTF8, pass->source, name->span, path);
    return (gramc_text){NULL, 0};
}

/* ## One value */

bool text_property_read(struct pass *pass, const struct property *p, gramc_text *out) {
    const struct value *file = file_of(p->value);
    if (file) *out = read_file(pass, file);
    else if (value_is_name(p->value)) *out = value_text(pass, p->value);
    else find_wrong_value(pass, p, "a text");
    return out->ptr != NULL;
}

static void read_number(struct pass *pass, const struct property *p, gramc_text *out) {
    if (p->value->kind == VALUE_INTEGER || p->value->kind == VALUE_DECIMAL)
        *out = scalar_text(p->value);
    else find_wrong_value(pass, p, "a number");
}

static bool whole_number(gramc_text digits, uint64_t most, uint64_t *out) {
    uint64_t number = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9') return false;
        number = number * 10 + (uint64_t)(digits.ptr[i] - '0');
        if (number > most) return false;
    }
    *out = number;
    return digits.len > 0;
}

void find_wrong_count(struct pass *pass, const struct property *p, const char *wanted) {
    bool number = p->value->kind == VALUE_INTEGER || p->value->kind == VALUE_DECIMAL;
    FIND(pass->findings, D_WRONG_VALUE, pass->source, p->value->span, name_text(p->key),
         text_of(wanted), number ? scalar_text(p->value) : text_of(value_noun(p->value)));
}

static void read_count(struct pass *pass, const struct property *p, uint32_t *out) {
    uint64_t number = 0;
    bool good = p->value->kind == VALUE_INTEGER &&
                whole_number(scalar_text(p->value), UINT32_MAX, &number) && number > 0;
    if (good) *out = (uint32_t)number;
    else find_wrong_count(pass, p, "a whole number from 1 up");
}

bool duration_read(struct pass *pass, const struct property *p, uint32_t *out) {
    static const struct {
        const char *unit;
        uint32_t ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
    uint64_t number = 0;
    if (p->value->kind == VALUE_MEASUREMENT) {
        gramc_text text = scalar_text(p->value);
        uint32_t at = measurement_unit_at(p->value);
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            if (!text_is(text_slice(text, at, text.len), units[i].unit)) continue;
            if (!whole_number(text_slice(text, 0, at), UINT32_MAX / units[i].ms, &number)) break;
            if (!number) break;
            *out = (uint32_t)number * units[i].ms;
            return true;
        }
    }
    struct finding *f = FIND(pass->findings, D_BAD_DURATION, pass->source, p->value->span,
                             name_text(p->key), source_slice(pass->source, p->value->span));
    finding_help(pass->findings, f, "write a whole number with its unit: 500ms, 30s, 5m or 1h");
    return false;
}

static bool read_flag(struct pass *pass, const struct property *p, bool *out) {
    if (p->value->kind != VALUE_BOOLEAN) {
        find_wrong_value(pass, p, "true or false");
        return false;
    }
    *out = text_is(scalar_text(p->value), "true");
    return true;
}

static void read_meta(struct pass *pass, const struct property *p, gramc_text *out) {
    if (p->value->kind == VALUE_MAP) *out = data_json(pass, p->value);
    else find_wrong_value(pass, p, "a map");
}

static void read_row(struct pass *pass, const struct property *p, const struct property_row *row,
                     void *into) {
    char *base = into;
    void *place = base + row->offset;
    bool flag = false;
    switch (row->kind) {
    case PROPERTY_TEXT: text_property_read(pass, p, place); break;
    case PROPERTY_NAME:
        if (text_property_read(pass, p, place) && !((gramc_text *)place)->len)
            find_wrong_value(pass, p, "a text that is not empty");
        break;
    case PROPERTY_NUMBER: read_number(pass, p, place); break;
    case PROPERTY_COUNT: read_count(pass, p, place); break;
    case PROPERTY_FLAG: read_flag(pass, p, place); break;
    case PROPERTY_TRISTATE:
        if (read_flag(pass, p, &flag)) *(int *)place = flag;
        break;
    case PROPERTY_DURATION: duration_read(pass, p, place); break;
    case PROPERTY_META: read_meta(pass, p, place); break;
    case PROPERTY_VALUE: *(const struct value **)place = p->value; break;
    case PROPERTY_IGNORED: break;
    }
}

/* ## The table */

/* Returns the row that was meant, or row_count. */
static size_t unknown(struct pass *pass, const struct property *first, const struct property *p,
                      const struct property_row *rows, size_t row_count, const char *owner) {
    gramc_text names[MOST_ROWS];
    size_t row = 0;
    for (size_t i = 0; i < row_count; i++) names[i] = text_of(rows[i].name);
    struct finding *f = FIND(pass->findings, D_UNKNOWN_PROPERTY, pass->source, name_span(p->key),
                             name_text(p->key), text_of(owner));
    gramc_text near = meant_property(owner, name_text(p->key), names, row_count);
    meant_help_property(pass, f, owner, name_text(p->key), near);
    fix_key(pass, f, first, p, names, row_count);
    while (row < row_count && !text_eq(near, names[row])) row++;
    return row;
}

static void duplicate(struct pass *pass, const struct property *first, const struct property *p,
                      const struct property *other) {
    struct finding *f = FIND(pass->findings, D_DUPLICATE_PROPERTY, pass->source, name_span(p->key),
                             name_text(p->key));
    finding_label(pass->findings, f, pass->source, name_span(other->key), "first written here");
    fix_repeated(pass, f, first, other, p);
}

void properties_read(struct pass *pass, const struct property *first,
                     const struct property_row *rows, size_t row_count, void *into,
                     const char *owner) {
    const struct property *seen[MOST_ROWS] = {NULL};
    /* What was meant is read as if it were spelt so: that it is missing would be no news. */
    for (const struct property *p = first; p; p = p->next) {
        size_t row = 0;
        while (row < row_count && !text_is(name_text(p->key), rows[row].name)) row++;
        bool known = row < row_count;
        if (!known) row = unknown(pass, first, p, rows, row_count, owner);
        if (row == row_count || (seen[row] && !known)) continue;
        if (seen[row]) duplicate(pass, first, p, seen[row]);
        else read_row(pass, p, &rows[row], into);
        if (known && !seen[row]) seen[row] = p;
    }
}

bool rows_have(const struct property_row *rows, size_t count, gramc_text key) {
    for (size_t i = 0; i < count; i++)
        if (text_is(key, rows[i].name)) return true;
    return false;
}
