/* Prints verdicts: sentences for people, everything as JSON for programs, and the three output
 * formats of JSON Schema (2020-12, Core, section 12.4). Pure: the same verdict, the same bytes. */
#include <string.h>

#include "base/text.h"
#include "jsonschema/verdict.h"

enum { LARGEST_OUTPUT = 64 * 1024 * 1024 };

static const struct {
    const char *name, *about;
    gramc_verdict_format format;
} formats[] = {
    {"verdict", "one JSON for each instance: errors, and what was changed", GRAMC_VERDICT_JSON},
    {"flag", "JSON Schema's format of that name, for each instance", GRAMC_VERDICT_FLAG},
    {"basic", "the same: all errors in a list", GRAMC_VERDICT_BASIC},
    {"detailed", "the same: errors in a tree that follows the schema", GRAMC_VERDICT_DETAILED},
};

enum { FORMATS = sizeof formats / sizeof *formats };

const char *gramc_verdict_format_name(size_t i) {
    return i < FORMATS ? formats[i].name : NULL;
}

const char *gramc_verdict_format_about(size_t i) {
    return i < FORMATS ? formats[i].about : NULL;
}

bool gramc_verdict_format_find(gramc_text name, gramc_verdict_format *out) {
    for (size_t i = 0; i < FORMATS; i++) {
        if (!text_is(name, formats[i].name)) continue;
        *out = formats[i].format;
        return true;
    }
    return false;
}

static void put_member(struct buf *out, const char *name, gramc_text value, bool first) {
    if (!first) buf_putc(out, ',');
    json_put_string(out, text_of(name));
    buf_putc(out, ':');
    json_put_string(out, value);
}

/* ## Sentences and everything */

static void put_text(struct buf *out, const gramc_verdict *verdict) {
    for (size_t i = 0; i < verdict->error_count; i++) {
        buf_text(out, verdict->errors[i].message);
        buf_putc(out, '\n');
    }
    size_t more = verdict->errors_total - verdict->error_count;
    if (more) buf_printf(out, "and %zu more error%s\n", more, more == 1 ? "" : "s");
}

static void put_error(struct buf *out, const gramc_violation *error) {
    buf_putc(out, '{');
    put_member(out, "instance", error->instance, true);
    put_member(out, "schema", error->schema, false);
    put_member(out, "keyword", error->keyword, false);
    buf_printf(out, ",\"position\":%zu", error->position);
    put_member(out, "message", error->message, false);
    buf_putc(out, '}');
}

static void put_json_or_null(struct buf *out, const char *name, gramc_text json) {
    buf_printf(out, ",\"%s\":", name);
    if (json.len) buf_text(out, json);
    else buf_puts(out, "null");
}

static void put_change(struct buf *out, const gramc_adjustment *change) {
    static const char *const kinds[] = {
        [GRAMC_ADJUSTED_DEFAULT] = "default",
        [GRAMC_ADJUSTED_COERCED] = "coerced",
        [GRAMC_ADJUSTED_REMOVED] = "removed",
    };
    buf_putc(out, '{');
    put_member(out, "instance", change->instance, true);
    put_member(out, "kind", text_of(kinds[change->kind]), false);
    put_json_or_null(out, "before", change->before);
    put_json_or_null(out, "after", change->after);
    buf_putc(out, '}');
}

static bool is_json(const gramc_verdict *verdict) {
    return verdict->error_count == 0 || !text_is(verdict->errors[0].keyword, "json");
}

static void put_everything(struct buf *out, const gramc_verdict *verdict) {
    gramc_text nothing = {NULL, 0};
    buf_printf(out, "{\"valid\":%s,\"errors_total\":%zu,\"errors\":[",
               verdict->valid ? "true" : "false", verdict->errors_total);
    for (size_t i = 0; i < verdict->error_count; i++) {
        if (i) buf_putc(out, ',');
        put_error(out, &verdict->errors[i]);
    }
    buf_puts(out, "],\"changes\":[");
    for (size_t i = 0; i < verdict->change_count; i++) {
        if (i) buf_putc(out, ',');
        put_change(out, &verdict->changes[i]);
    }
    buf_putc(out, ']');
    put_json_or_null(out, "normalised", is_json(verdict) ? verdict->normalised : nothing);
    buf_puts(out, "}\n");
}

/* ## The standard's units */

static void put_unit_start(struct buf *out, gramc_text path, gramc_text absolute,
                           gramc_text instance) {
    buf_puts(out, "{\"valid\":false");
    put_member(out, "keywordLocation", path, false);
    if (absolute.len) put_member(out, "absoluteKeywordLocation", absolute, false);
    put_member(out, "instanceLocation", instance, false);
}

static void put_leaf(struct buf *out, const struct violation *violation) {
    put_unit_start(out, violation->path, violation->absolute, violation->shown.instance);
    put_member(out, "error", violation->shown.message, false);
    buf_putc(out, '}');
}

static void put_basic(struct buf *out, const struct verdict *verdict) {
    buf_printf(out, "{\"valid\":%s", verdict->shown.valid ? "true" : "false");
    for (const struct violation *v = verdict->violations; v; v = v->next) {
        buf_puts(out, v == verdict->violations ? ",\"errors\":[" : ",");
        put_leaf(out, v);
        if (!v->next) buf_putc(out, ']');
    }
    buf_puts(out, "}\n");
}

/* The length of the longest common start of two pointers that ends between tokens. */
static size_t common_start(gramc_text a, size_t len, gramc_text b) {
    size_t i = 0, whole = 0;
    while (i < len && i < b.len && a.ptr[i] == b.ptr[i]) {
        if (i && a.ptr[i] == '/') whole = i;
        i++;
    }
    bool a_ends = i == len || (i < a.len && a.ptr[i] == '/');
    bool b_ends = i == b.len || b.ptr[i] == '/';
    return a_ends && b_ends ? i : whole;
}

/* The end of the token that starts behind `from`. */
static size_t token_end(gramc_text path, size_t from) {
    size_t end = from + 1;
    while (end < path.len && path.ptr[end] != '/') end++;
    return end < path.len ? end : path.len;
}

/* Where the first `len` bytes of a leaf's path stand in its URI; empty if a reference lies behind
 * them. */
static gramc_text absolute_of(const struct violation *leaf, size_t len) {
    gramc_text absolute = leaf->absolute, none = {NULL, 0};
    for (size_t from = len; from < leaf->path.len; from = token_end(leaf->path, from)) {
        gramc_text token = text_slice(leaf->path, from + 1, token_end(leaf->path, from));
        if (text_is(token, "$ref") || text_is(token, "$dynamicRef") ||
            text_is(token, "$recursiveRef"))
            return none;
        while (absolute.len && absolute.ptr[absolute.len - 1] != '/' &&
               absolute.ptr[absolute.len - 1] != '#')
            absolute.len--;
        if (absolute.len && absolute.ptr[absolute.len - 1] == '/') absolute.len--;
    }
    return absolute;
}

/* Moves the leaves whose paths agree with the first one's up to `end` to the front; how many. */
static size_t gather(const struct violation **leaves, size_t count, size_t end) {
    gramc_text path = leaves[0]->path;
    size_t kept = 1;
    for (size_t i = 1; i < count; i++) {
        if (common_start(path, end, leaves[i]->path) < end) continue;
        const struct violation *leaf = leaves[i];
        memmove(leaves + kept + 1, leaves + kept, (i - kept) * sizeof(const struct violation *));
        leaves[kept++] = leaf;
    }
    return kept;
}

/* One unit for leaves that share the first `from` bytes of their paths. As deep as the paths. */
static void put_units(struct buf *out, const struct violation **leaves, size_t count, size_t from) {
    if (count == 1 || out->state != BUF_FINE) {
        put_leaf(out, leaves[0]);
        return;
    }
    size_t path = leaves[0]->path.len, instance = leaves[0]->shown.instance.len;
    for (size_t i = 1; i < count; i++) {
        path = common_start(leaves[0]->path, path, leaves[i]->path);
        instance = common_start(leaves[0]->shown.instance, instance, leaves[i]->shown.instance);
    }
    if (path < from) path = from;
    put_unit_start(out, text_slice(leaves[0]->path, 0, path), absolute_of(leaves[0], path),
                   text_slice(leaves[0]->shown.instance, 0, instance));
    buf_puts(out, ",\"errors\":[");
    for (size_t i = 0; i < count;) {
        bool ends = leaves[i]->path.len <= path; /* the same keyword at several places */
        size_t end = ends ? path : token_end(leaves[i]->path, path);
        size_t group = ends ? 1 : gather(leaves + i, count - i, end);
        if (i) buf_putc(out, ',');
        put_units(out, leaves + i, group, end);
        i += group;
    }
    buf_puts(out, "]}");
}

static gramc_status put_detailed(struct buf *out, const struct verdict *verdict) {
    size_t count = verdict->shown.error_count, i = 0;
    if (count == 0) {
        put_basic(out, verdict);
        return GRAMC_OK;
    }
    size_t size = count * sizeof(const struct violation *);
    const struct violation **leaves = mem_alloc(&out->allocator, size);
    if (!leaves) return GRAMC_NOMEM;
    for (const struct violation *v = verdict->violations; v; v = v->next) leaves[i++] = v;
    put_units(out, leaves, count, 0);
    buf_putc(out, '\n');
    mem_free(&out->allocator, leaves, size);
    return GRAMC_OK;
}

gramc_status gramc_verdict_print(const gramc_verdict *shown, gramc_verdict_format format,
                                 gramc_writer writer) {
    const struct verdict *verdict = (const struct verdict *)shown; /* its first member */
    gramc_status status = GRAMC_OK;
    struct buf out;
    buf_init(&out, &verdict->arena.allocator, LARGEST_OUTPUT);
    switch (format) {
    case GRAMC_VERDICT_TEXT: put_text(&out, shown); break;
    case GRAMC_VERDICT_JSON: put_everything(&out, shown); break;
    case GRAMC_VERDICT_FLAG:
        buf_printf(&out, "{\"valid\":%s}\n", shown->valid ? "true" : "false");
        break;
    case GRAMC_VERDICT_BASIC: put_basic(&out, verdict); break;
    case GRAMC_VERDICT_DETAILED: status = put_detailed(&out, verdict); break;
    default: status = GRAMC_USAGE;
    }
    if (status == GRAMC_OK) status = buf_send(&out, writer);
    buf_free(&out);
    return status;
}
