/* The header record of a file: the version of the language, and the files that belong to it.
 * Imported files join the same compilation, each once; they are read through the caller's reader,
 * which decides what may be read at all. */
#include "compiler/imports.h"

#include "base/limits.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/version.h"
#include "compiler/config.h"
#include "compiler/data.h"
#include "compiler/properties.h"
#include "grammar/parse.h"

#include <stdio.h>
#include <string.h>

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

static gramc_text normalised(struct arena *arena, gramc_text folder, gramc_text name) {
    struct buf path;
    gramc_text start = name.len && name.ptr[0] == '/' ? name : folder;
    buf_init(&path, &arena->allocator, 1 << 16);
    if (start.len && start.ptr[0] == '/') buf_putc(&path, '/');
    if (!(name.len && name.ptr[0] == '/')) add_segments(&path, folder);
    add_segments(&path, name);
    if (path.len > 1) path.len--;
    return buf_to_arena_cut(&path, arena);
}

void unit_enlist(gramc_compilation *compilation, struct unit *unit) {
    const gramc_text here = {NULL, 0};
    unit->path = normalised(&compilation->arena, here, unit->source.name);
    if (unit->path.ptr) map_put(&compilation->paths, unit->path, unit);
    if (compilation->last) compilation->last->next = unit;
    else compilation->units = unit;
    compilation->last = unit;
    compilation->unit_count++;
}

/* ## Files */

static void link_import(struct pass *pass, struct unit *importer, struct unit *imported) {
    struct unit_link *link = ARENA_NEW(pass->arena, struct unit_link);
    if (!link) return;
    link->unit = imported;
    if (importer->last_import) importer->last_import->next = link;
    else importer->imports = link;
    importer->last_import = link;
    imported->importer = importer;
    imported->importers++;
}

/* A file that is none of the units yet. NULL, with a finding, if it cannot be read. */
static struct unit *load(struct pass *pass, gramc_text path, const struct value *value) {
    gramc_compilation *compilation = pass->compilation;
    gramc_reader reader = compilation->reader;
    gramc_text content;
    int failure = reader.read ? reader.read(reader.ctx, path, &content) : GRAMC_NOT_FOUND;
    if (compilation->unit_count >= COMPILATION_FILES_MAX) failure = GRAMC_LIMIT;
    if (!failure) {
        gramc_status status = gramc_add_source(compilation, path, content.ptr, content.len);
        if (status != GRAMC_OK && status != GRAMC_FINDINGS) failure = status;
    }
    if (failure == GRAMC_NOMEM) pass->arena->oom = true;
    else if (failure)
        find_unreadable(pass, value->span, path.len ? path : value_name(value), failure);
    if (failure) return NULL;
    compilation->last->is_imported = true;
    return compilation->last;
}

static void import(struct pass *pass, struct unit *importer, const struct value *value) {
    gramc_text path = normalised(pass->arena, folder_of(pass->source->name), value_name(value));
    struct unit *imported = path.ptr ? map_get(&pass->compilation->paths, path) : NULL;
    if (path.ptr && !imported) imported = load(pass, path, value);
    if (imported) link_import(pass, importer, imported);
}

static bool is_earlier_path(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return text_compare(value_name(*(const struct value *const *)a),
                        value_name(*(const struct value *const *)b)) < 0;
}

/* By their paths, so that the order in a list means nothing. */
static void import_all(struct pass *pass, struct unit *unit, const struct value *first) {
    const struct value **values, **spare;
    size_t count = 0;
    for (const struct value *v = first; v; v = v->next) count += value_is_name(v);
    values = arena_array(pass->arena, count, sizeof *values);
    spare = arena_array(pass->arena, count, sizeof *spare);
    if (!values || !spare) return;
    count = 0;
    for (const struct value *v = first; v; v = v->next)
        if (value_is_name(v)) values[count++] = v;
    values = sort_merge(values, spare, count, sizeof *values, is_earlier_path, NULL);
    for (size_t i = 0; i < count; i++) import(pass, unit, values[i]);
}

static void read_imports(struct pass *pass, struct unit *unit, const struct value *value) {
    if (value_is_name(value)) {
        import(pass, unit, value);
        return;
    }
    const struct value *first = value->kind == VALUE_ARRAY ? value->as.items : NULL;
    if (value->kind != VALUE_ARRAY)
        FIND(pass->findings, D_WRONG_VALUE, pass->source, value->span, TEXT("imports"),
             TEXT("a path or a list of paths"), text_of(value_noun(value)));
    for (const struct value *v = first; v; v = v->next)
        if (!value_is_name(v))
            FIND(pass->findings, D_WRONG_VALUE, pass->source, v->span, TEXT("imports"),
                 TEXT("paths"), text_of(value_noun(v)));
    import_all(pass, unit, first);
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

static void read_header(struct pass *pass, struct unit *unit, const struct pattern *pattern) {
    struct header header = {NULL, NULL};
    properties_read(pass, pattern->subject->properties, header_rows,
                    sizeof header_rows / sizeof *header_rows, &header, "headers");
    if (header.imports) read_imports(pass, unit, header.imports);
    if (header.language) language_check(pass, header.language);
}

/* The list grows while it is walked: imports of imports come too. */
void headers_read(struct pass *pass) {
    const uint32_t *errors = &pass->findings->counts[GRAMC_ERROR];
    for (struct unit *u = pass->compilation->units; u && !pass->arena->oom; u = u->next) {
        uint32_t before = *errors;
        if (u->header_is_read || u->is_broken) continue;
        u->header_is_read = true;
        pass->source = &u->source;
        if (u->tree && !u->is_configuration && u->tree->has_header)
            read_header(pass, u, u->tree->patterns);
        u->is_broken = *errors > before;
    }
}

/* ## Roots */

static struct unit_link *mark(gramc_compilation *compilation, struct unit *unit) {
    if (unit->mark == compilation->closures) return NULL;
    unit->mark = compilation->closures;
    struct unit_link *link = ARENA_NEW(&compilation->arena, struct unit_link);
    if (link) link->unit = unit;
    return link;
}

struct unit_link *unit_closure(gramc_compilation *compilation, struct unit *root, uint32_t *count) {
    compilation->closures++;
    struct unit_link *first = mark(compilation, root), *last = first;
    *count = 0;
    for (const struct unit_link *at = first; at; at = at->next) {
        ++*count;
        for (const struct unit_link *i = at->unit->imports; i; i = i->next) {
            struct unit_link *link = mark(compilation, i->unit);
            if (!link) continue;
            last->next = link;
            last = link;
        }
    }
    return first;
}
