/* Says what is wrong in a file of HTTP tools and where, and checks that a map has the keys that it
 * should have, with the word that was probably meant. What the keys mean is read.c's and
 * call.c's matter. */
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "toolbox/reader.h"

/* ## Findings */

struct toolbox_finding *toolbox_find(struct toolbox_reader *reader, gramc_severity severity,
                                     uint32_t line, uint32_t column, const char *format, ...) {
    char message[512];
    va_list args;
    if (severity == GRAMC_ERROR) reader->box->errors++;
    else reader->box->warnings++;
    if (reader->kept == TOOLBOX_FINDINGS_MAX) return NULL;
    struct toolbox_finding *finding = ARENA_NEW(reader->arena, struct toolbox_finding);
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    gramc_text copy = arena_text(reader->arena, text_of(message));
    if (!finding || !copy.ptr) {
        reader->nomem = true;
        return NULL;
    }
    finding->severity = severity;
    finding->line = line;
    finding->column = column;
    finding->message = copy;
    *reader->link = finding;
    reader->link = &finding->next;
    reader->kept++;
    return finding;
}

void toolbox_help(struct toolbox_finding *finding, const char *text) {
    if (finding) finding->help = text_of(text);
}

/* False, once and for all, when aliases have made a small file a large one. */
bool toolbox_take_text(struct toolbox_reader *reader, const struct yaml *node) {
    bool before = reader->texts <= TOOLBOX_TEXTS_MAX;
    reader->texts += node->text.len + 64;
    if (reader->texts <= TOOLBOX_TEXTS_MAX) return true;
    if (before) ERROR_AT(reader, node, "with its aliases the file is larger than gramc takes");
    return false;
}

/* What people write instead. */
static const struct {
    const char *wrong, *right;
} hints[] = {
    {"template", "definition"},
    {"responseTransformations", "transformer"},
    {"transform", "transformer"},
    {"endpoint", "url"},
    {"TEXT_SUBSTITUTION", "TEXT_SUBSTITUTOR"},
    {"TEXT_SUBSTITUTER", "TEXT_SUBSTITUTOR"},
    {"TEXT", "STRING"},
    {"INT", "INTEGER"},
    {"NUMBER", "DOUBLE"},
    {"BOOL", "BOOLEAN"},
    {"CHAR", "CHARACTER"},
    {"INT_ARRAY", "INTEGER_ARRAY"},
    {"HANDLEBARS", "TEXT_SUBSTITUTOR"},
    {"XSLT", "JOLT"},
};

static gramc_text hint_for(gramc_text word, const gramc_text *known, size_t count) {
    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
        for (size_t k = 0; k < count; k++)
            if (text_is(word, hints[i].wrong) && text_is(known[k], hints[i].right)) return known[k];
    for (size_t k = 0; k < count; k++)
        if (known[k].len == word.len && text_is_nocase(word, known[k].ptr)) return known[k];
    return text_nearest(word, known, count);
}

struct toolbox_finding *toolbox_unknown_word(struct toolbox_reader *reader, const struct yaml *node,
                                             const char *what, const gramc_text *known,
                                             size_t count) {
    gramc_text near = hint_for(node->text, known, count);
    if (!near.len) return ERROR_AT(reader, node, "there is no %s `%.*s`", what, SHORT(node->text));
    return ERROR_AT(reader, node, "there is no %s `%.*s`; did you mean `%.*s`?", what,
                    SHORT(node->text), SHORT(near));
}

static const char *kind_name(enum yaml_kind kind) {
    static const char *const names[] = {"a text", "a list", "a map"};
    return names[kind];
}

/* An unknown key is told and passed over, so that what stands beside it is checked all the same. */
static void check_keys(struct toolbox_reader *reader, const struct yaml *map,
                       const struct toolbox_field *fields, size_t count) {
    gramc_text names[16];
    for (size_t i = 0; i < count; i++) names[i] = text_of(fields[i].name);
    for (const struct yaml_item *item = map->first; item; item = item->next) {
        size_t i = 0;
        while (i < count && !text_eq(names[i], item->key->text)) i++;
        if (i == count) toolbox_unknown_word(reader, item->key, "key", names, count);
    }
}

static bool check_values(struct toolbox_reader *reader, const struct yaml *map, const char *path,
                         const struct toolbox_field *fields, size_t count) {
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const struct yaml *value = yaml_get(map, fields[i].name);
        if (yaml_is_null(value)) {
            if (!fields[i].required) continue;
            ERROR_AT(reader, map, "%s has no `%s`", path, fields[i].name);
            good = false;
        } else if (value->kind != fields[i].kind) {
            ERROR_AT(reader, value, "`%s` is %s here, and should be %s", fields[i].name,
                     kind_name(value->kind), kind_name(fields[i].kind));
            good = false;
        }
    }
    return good;
}

bool toolbox_check_map(struct toolbox_reader *reader, const struct yaml *map, const char *path,
                       const struct toolbox_field *fields, size_t count) {
    if (map->kind != YAML_MAP) {
        ERROR_AT(reader, map, "%s is %s here, and should be a map", path, kind_name(map->kind));
        return false;
    }
    check_keys(reader, map, fields, count);
    return check_values(reader, map, path, fields, count);
}

/* A member's text, copied already; empty if it is absent. */
gramc_text toolbox_text_at(const struct yaml *map, const char *key) {
    const struct yaml *value = yaml_get(map, key);
    return yaml_is_null(value) ? (gramc_text){NULL, 0} : value->text;
}
