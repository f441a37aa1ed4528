/* Imports every tool of the files given, compiles what was written, and compares: name,
 * description, parameters and result must be what came in. Objects are unordered, `required` is a
 * set, an empty one is none. Says of each tool that differs why, and fails below a share.
 *
 *   roundtrip PERCENT FILE.jsonl...
 *
 * Lines are {name, description, parameters[, response]}. Some collections write type names of
 * Python, Java and JavaScript; the table below says what they mean, independent of the importer's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/text.h"
#include "gramc/compile.h"

/* ## What the rows mean */

static const struct {
    const char *name, *type; /* NULL: no constraint */
} meanings[] = {
    {"dict", "object"},     {"HashMap", "object"}, {"Hashtable", "object"}, {"float", "number"},
    {"double", "number"},   {"Double", "number"},  {"Float", "number"},     {"int", "integer"},
    {"long", "integer"},    {"Long", "integer"},   {"short", "integer"},    {"byte", "integer"},
    {"Integer", "integer"}, {"Bigint", "integer"}, {"str", "string"},       {"String", "string"},
    {"char", "string"},     {"bool", "boolean"},   {"Boolean", "boolean"},  {"tuple", "array"},
    {"list", "array"},      {"Array", "array"},    {"ArrayList", "array"},  {"Set", "array"},
    {"Queue", "array"},     {"Stack", "array"},    {"any", NULL},           {"", NULL},
};

static void remove_member(struct json *object, const struct json *member) {
    struct json **link = &object->first;
    while (*link != member) link = &(*link)->next;
    *link = member->next;
    object->count--;
}

static void translate(struct json *schema);

static void translate_children(struct json *parent) {
    for (struct json *child = parent->first; child; child = child->next) translate(child);
}

static void translate_type(struct json *schema, struct json *type) {
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (!text_is(type->text, meanings[i].name)) continue;
        if (meanings[i].type) type->text = text_of(meanings[i].type);
        else remove_member(schema, type);
        return;
    }
}

/* Applies the table to a schema and to those in it. */
static void translate(struct json *schema) {
    if (schema->kind != JSON_OBJECT) return;
    for (struct json *m = schema->first, *next; m; m = next) {
        next = m->next;
        bool map = text_is(m->key, "properties") || text_is(m->key, "$defs");
        bool list =
            text_is(m->key, "anyOf") || text_is(m->key, "oneOf") || text_is(m->key, "prefixItems");
        if (text_is(m->key, "type") && m->kind == JSON_STRING) translate_type(schema, m);
        else if ((map && m->kind == JSON_OBJECT) || (list && m->kind == JSON_ARRAY))
            translate_children(m);
        else if (text_is(m->key, "items") || text_is(m->key, "additionalProperties")) translate(m);
    }
}

/* A response without an object round its fields. */
static bool is_field_map(const struct json *response) {
    if (!json_is(response, JSON_OBJECT)) return false;
    for (const struct json *m = response->first; m; m = m->next)
        if (!json_is(json_get(m, "type"), JSON_STRING)) return false;
    return response->first != NULL;
}

/* ## Comparing */

struct difference {
    char pointer[512];
    const char *what;
};

static bool same(const struct json *a, const struct json *b, struct difference *d);

static bool contains(const struct json *list, const struct json *wanted) {
    for (const struct json *item = list ? list->first : NULL; item; item = item->next)
        if (json_equal(item, wanted)) return true;
    return false;
}

static bool same_set(const struct json *a, const struct json *b) {
    for (const struct json *item = a ? a->first : NULL; item; item = item->next)
        if (!contains(b, item)) return false;
    for (const struct json *item = b ? b->first : NULL; item; item = item->next)
        if (!contains(a, item)) return false;
    return true;
}

static bool is_required(const struct json *member) {
    return text_is(member->key, "required") && member->kind == JSON_ARRAY;
}

static bool says(struct difference *d, const char *what) {
    if (!d->what) d->what = what;
    return false;
}

static bool same_members(const struct json *a, const struct json *b, struct difference *d) {
    size_t len = strlen(d->pointer);
    for (const struct json *m = a->first; m; m = m->next) {
        const struct json *other = json_get_text(b, m->key);
        if (is_required(m)) continue;
        snprintf(d->pointer + len, sizeof d->pointer - len, "/%.*s", TEXT_ARGS(m->key));
        if (!other) return says(d, "is missing");
        if (!same(m, other, d)) return false;
    }
    for (const struct json *m = b->first; m; m = m->next) {
        snprintf(d->pointer + len, sizeof d->pointer - len, "/%.*s", TEXT_ARGS(m->key));
        if (!is_required(m) && !json_get_text(a, m->key)) return says(d, "was not there");
    }
    snprintf(d->pointer + len, sizeof d->pointer - len, "/required");
    const struct json *x = json_get(a, "required"), *y = json_get(b, "required");
    bool sets = (!x || x->kind == JSON_ARRAY) && (!y || y->kind == JSON_ARRAY);
    if (sets && !same_set(x, y)) return says(d, "differs");
    d->pointer[len] = '\0';
    return true;
}

static bool same(const struct json *a, const struct json *b, struct difference *d) {
    if (a->kind == JSON_OBJECT && b->kind == JSON_OBJECT) return same_members(a, b, d);
    if (a->kind == JSON_ARRAY && b->kind == JSON_ARRAY && a->count == b->count) {
        const struct json *x = a->first, *y = b->first;
        while (x && y && same(x, y, d)) {
            x = x->next;
            y = y->next;
        }
        return !x;
    }
    return json_equal(a, b) ? true : says(d, "differs");
}

/* ## One row */

static void stop(const char *what) {
    fprintf(stderr, "roundtrip: %s\n", what);
    exit(2);
}

static gramc_compilation *compilation_new(bool keep_types) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    options.keep_types = keep_types;
    if (gramc_compilation_new(&compilation, &options)) stop("out of memory");
    return compilation;
}

static gramc_status import(gramc_text line, struct buf *spec) {
    gramc_compilation *compilation = compilation_new(false);
    struct buf copy;
    buf_init(&copy, &spec->allocator, INT32_MAX);
    buf_text(&copy, line);
    gramc_import_file file = {GRAMC_TEXT("row"), copy.ptr, copy.len};
    gramc_status status = gramc_import(compilation, &file, 1, NULL, buf_writer(spec));
    gramc_compilation_free(compilation);
    buf_free(&copy);
    return status;
}

static gramc_status compile(const struct buf *spec, struct buf *out, bool keep_types) {
    gramc_compilation *compilation = compilation_new(keep_types);
    const gramc_spec *meaning = NULL;
    gramc_status status =
        gramc_add_source(compilation, GRAMC_TEXT("row.gram"), spec->ptr, spec->len);
    if (status == GRAMC_OK) status = gramc_compile(&meaning, compilation);
    if (status == GRAMC_OK)
        status = gramc_emit(meaning, NULL, GRAMC_TEXT("json-schema"), buf_writer(out));
    gramc_compilation_free(compilation);
    return status;
}

static bool is_formatted(const struct buf *spec) {
    gramc_compilation *compilation = compilation_new(false);
    gramc_status status =
        gramc_add_source(compilation, GRAMC_TEXT("row.gram"), spec->ptr, spec->len);
    if (status == GRAMC_OK) status = gramc_source_check_format(compilation, 0, NULL);
    gramc_compilation_free(compilation);
    return status == GRAMC_OK;
}

static bool same_row(struct json *row, const struct json *tool, struct difference *d) {
    struct json *parameters = NULL, *response = NULL;
    for (struct json *m = row->first; m; m = m->next) {
        if (text_is(m->key, "parameters")) parameters = m;
        if (text_is(m->key, "response")) response = m;
    }
    const struct json *name = json_get(tool, "name"), *result = json_get(tool, "result");
    snprintf(d->pointer, sizeof d->pointer, "name");
    if (!same(json_get(row, "name"), name, d)) return false;
    snprintf(d->pointer, sizeof d->pointer, "description");
    if (!same(json_get(row, "description"), json_get(tool, "description"), d)) return false;
    snprintf(d->pointer, sizeof d->pointer, "parameters");
    if (parameters) translate(parameters);
    if (parameters && !same(parameters, json_get(tool, "parameters"), d)) return false;
    if (!response) return true;
    snprintf(d->pointer, sizeof d->pointer, "response");
    if (!is_field_map(response)) {
        translate(response);
        return same(response, result, d);
    }
    translate_children(response);
    const struct json *fields = json_get(result, "properties");
    bool object = text_is(json_get(result, "type")->text, "object") && fields &&
                  !json_get(result, "required") && result->count == 2;
    return object ? same(response, fields, d) : says(d, "is no object of fields");
}

static bool check_row(struct arena *arena, gramc_text line, struct difference *d) {
    struct buf spec, out;
    struct json *row = json_parse(arena, line, NULL);
    if (!row) stop("a line is not JSON");
    buf_init(&spec, NULL, INT32_MAX);
    buf_init(&out, NULL, INT32_MAX);
    bool keep_types = json_get(json_get(row, "parameters"), "$defs") != NULL, good = false;
    snprintf(d->pointer, sizeof d->pointer, "the tool");
    if (import(line, &spec) != GRAMC_OK) says(d, "cannot be imported");
    else if (!is_formatted(&spec)) says(d, "is not laid out as gramc fmt does");
    else if (compile(&spec, &out, keep_types) != GRAMC_OK) says(d, "does not compile");
    else {
        const struct json *tools = json_parse(arena, buf_view(&out), NULL);
        if (!tools || tools->count != 1) says(d, "is not one tool");
        else good = same_row(row, tools->first, d);
    }
    if (!good)
        printf("  %.*s: %s %s\n", TEXT_ARGS(json_get(row, "name")->text), d->pointer, d->what);
    buf_free(&spec);
    buf_free(&out);
    return good;
}

/* ## Files */

static bool read_file(const char *path, struct buf *out) {
    FILE *file = fopen(path, "rb");
    char chunk[1 << 16];
    size_t got;
    if (!file) return false;
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0) buf_put(out, chunk, got);
    fclose(file);
    return out->state == BUF_FINE;
}

static bool check_file(const char *path, double least) {
    struct buf text;
    size_t rows = 0, good = 0;
    buf_init(&text, NULL, INT32_MAX);
    if (!read_file(path, &text)) stop("a file cannot be read");
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        struct arena arena;
        struct difference difference = {"", NULL};
        while (pos < text.len && text.ptr[pos] != '\n') pos++;
        gramc_text line = text_slice(buf_view(&text), start, pos++);
        if (!text_trim(line).len) continue;
        arena_init(&arena, NULL);
        rows++;
        if (check_row(&arena, line, &difference)) good++;
        arena_free(&arena);
    }
    buf_free(&text);
    double share = rows ? 100.0 * (double)good / (double)rows : 0;
    printf("%s: %zu of %zu tools come back as they were, %.2f %%\n", path, good, rows, share);
    return rows > 0 && share >= least;
}

int main(int argc, char **argv) {
    bool good = argc > 2;
    for (int i = 2; i < argc; i++) good = check_file(argv[i], strtod(argv[1], NULL)) && good;
    return good ? 0 : 1;
}
