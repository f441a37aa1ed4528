/* The header record of a file: the version of the language, and the files that belong to it.
 * Imported files join the same compilation, each once; they are read through the caller's reader,
 * which decides what may be read at all. */
#include "compiler/imports.h"

#include "base/text.h"
#include "base/version.h"
#include "compiler/config.h"
#include "compiler/data.h"
#include "compiler/properties.h"
#include "grammar/parse.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FILES = 10000 };

/* ## Paths, by their spelling: "a/./b/../c" is "a/c" */

static void drop_last(struct buf *path) {
    if (path->len) path->len--;
    while (path->len && path->ptr[path->len - 1] != '/') path->len--;
}

static bool ends_with_parent(const struct buf *path) {
    gramc_text text = buf_view(path);
    return text.len >= 3 && text_is(text_slice(text, text.len - 3, text.len), "../") &&
           (text.len == 3 || text.ptr[text.len - 4] == '/');
}

static void add_segment(struct buf *path, gramc_text segment) {
    bool parent = text_is(segment, "..");
    if (!segment.len || text_is(segment, ".")) return;
    if (parent && path->len && !ends_with_parent(path) && buf_view(path).len > 1) {
        drop_last(path);
        return;
    }
    buf_text(path, segment);
    buf_putc(path, '/');
}

static void add_segments(struct buf *path, gramc_text text) {
    for (size_t start = 0, i = 0; i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != '/') continue;
        add_segment(path, text_slice(text, start, i));
        start = i + 1;
    }
}

static gramc_text folder_of(gramc_text path) {
    while (path.len && path.ptr[path.len - 1] != '/') path.len--;
    return path;
}

static gramc_text normalised(struct pass *pass, gramc_text folder, gramc_text name) {
    struct buf path;
    gramc_text start = name.len && name.ptr[0] == '/' ? name : folder;
    buf_init(&path, &pass->arena->allocator, 1 << 16);
    if (start.len && start.ptr[0] == '/') buf_putc(&path, '/');
    if (!(name.len && name.ptr[0] == '/')) add_segments(&path, folder);
    add_segments(&path, name);
    if (path.len > 1) path.len--;
    return buf_to_arena_cut(&path, pass->arena);
}

/* ## Files */

static bool is_loaded(const gramc_compilation *compilation, struct pass *pass, gramc_text path) {
    for (const struct unit *u = compilation->units; u; u = u->next)
        if (text_eq(normalised(pass, (gramc_text){NULL, 0}, u->source.name), path)) return true;
    return false;
}

static size_t count_units(const gramc_compilation *compilation) {
    size_t count = 0;
    for (const struct unit *u = compilation->units; u; u = u->next) count++;
    return count;
}

static void import(struct pass *pass, const struct value *value) {
    gramc_compilation *compilation = pass->compilation;
    gramc_reader reader = compilation->reader;
    gramc_text content, path = normalised(pass, folder_of(pass->source->name), value_name(value));
    if (!path.ptr || is_loaded(compilation, pass, path)) return;
    int failure = reader.read ? reader.read(reader.ctx, path, &content) : GRAMC_NOT_FOUND;
    if (count_units(compilation) >= MOST_FILES) failure = GRAMC_LIMIT;
    if (failure == GRAMC_NOMEM) pass->arena->oom = true;
    else if (failure)
        FIND(pass->findings, D_UNREADABLE_FILE, pass->source, value->span,
             path.len ? path : value_name(value));
    else if (gramc_add_source(compilation, path, content.ptr, content.len) == GRAMC_NOMEM)
        pass->arena->oom = true;
}

static void read_imports(struct pass *pass, const struct value *value) {
    if (value_is_name(value)) {
        import(pass, value);
        return;
    }
    const struct value *first = value->kind == VALUE_ARRAY ? value->as.items : NULL;
    if (value->kind != VALUE_ARRAY)
        FIND(pass->findings, D_WRONG_VALUE, pass->source, value->span, TEXT("imports"),
             TEXT("a path or a list of paths"), text_of(value_noun(value)));
    for (const struct value *v = first; v; v = v->next) {
        if (value_is_name(v)) import(pass, v);
        else
            FIND(pass->findings, D_WRONG_VALUE, pass->source, v->span, TEXT("imports"),
                 TEXT("paths"), text_of(value_noun(v)));
    }
}

/* ## The header: `{language: 1, imports: ["tools.gram"]}` */

void language_check(struct pass *pass, const struct value *value) {
    char known[16];
    snprintf(known, sizeof known, "%d", VERSION_LANGUAGE);
    if (value->kind == VALUE_INTEGER && text_is(scalar_text(value), known)) return;
    FIND(pass->findings, D_LANGUAGE_VERSION, pass->source, value->span,
         source_slice(pass->source, value->span));
}

struct header {
    const struct value *language, *imports;
};

static const struct property_row header_rows[] = {
    {"language", PROPERTY_VALUE, offsetof(struct header, language)},
    {"imports", PROPERTY_VALUE, offsetof(struct header, imports)},
    {"meta", PROPERTY_IGNORED, 0},
};

static void read_header(struct pass *pass, const struct pattern *pattern) {
    struct header header = {NULL, NULL};
    properties_read(pass, pattern->subject->properties, header_rows,
                    sizeof header_rows / sizeof *header_rows, &header, "headers");
    if (header.imports) read_imports(pass, header.imports);
    if (header.language) language_check(pass, header.language);
}

/* The list grows while it is walked: imports of imports come too. */
void headers_read(struct pass *pass) {
    for (const struct unit *u = pass->compilation->units; u && !pass->arena->oom; u = u->next) {
        pass->source = &u->source;
        bool is_spec = u->tree && !config_is(u->tree);
        if (is_spec && u->tree->has_header) read_header(pass, u->tree->patterns);
    }
}
