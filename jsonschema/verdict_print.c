/* Prints verdicts: sentences for people, everything as JSON for programs, and errors in the output
 * formats of JSON Schema (2020-12, Core, section 12.4); output_print.c has the rest of these. Pure:
 * the same verdict, the same bytes. */
#include <string.h>

#include "base/json/writer.h"
#include "base/text.h"
#include "jsonschema/output.h"

enum { LARGEST_OUTPUT = 64 * 1024 * 1024 };

static const struct {
    const char *name, *about;
    gramc_verdict_format format;
} formats[] = {
    {"verdict", "one JSON for each instance: errors, and what was changed", GRAMC_VERDICT_JSON},
    {"flag", "JSON Schema's format of that name, for each instance", GRAMC_VERDICT_FLAG},
    {"basic", "the same: errors in a list, or annotations", GRAMC_VERDICT_BASIC},
    {"detailed", "the same: in a tree that follows the schema", GRAMC_VERDICT_DETAILED},
    {"verbose", "the same: every keyword at every place", GRAMC_VERDICT_VERBOSE},
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

/* ## Sentences and everything */

static void put_text(struct buf *out, const gramc_verdict *verdict) {
    for (size_t i = 0; i < verdict->error_count; i++) {
        buf_text(out, verdict->errors[i].message);
        buf_putc(out, '\n');
    }
    size_t more = verdict->errors_total - verdict->error_count;
    if (more) buf_printf(out, "and %zu more error%s\n", more, text_plural(more));
}

static void put_error(struct json_writer *w, const gramc_violation *error) {
    json_object_begin(w);
    json_member_text(w, "instance", error->instance);
    json_member_text(w, "schema", error->schema);
    json_member_text(w, "keyword", error->keyword);
    json_member_number(w, "position", error->position);
    json_member_text(w, "message", error->message);
    json_object_end(w);
}

static void put_json_or_null(struct json_writer *w, const char *key, gramc_text json) {
    json_member_raw(w, key, json.len ? json : TEXT("null"));
}

static void put_change(struct json_writer *w, const gramc_adjustment *change) {
    static const char *const kinds[] = {
        [GRAMC_ADJUSTED_DEFAULT] = "default",
        [GRAMC_ADJUSTED_COERCED] = "coerced",
        [GRAMC_ADJUSTED_REMOVED] = "removed",
        [GRAMC_ADJUSTED_LEFT_OUT] = "left-out",
    };
    json_object_begin(w);
    json_member_text(w, "instance", change->instance);
    json_member_text(w, "kind", text_of(kinds[change->kind]));
    put_json_or_null(w, "before", change->before);
    put_json_or_null(w, "after", change->after);
    json_object_end(w);
}

static bool is_json(const gramc_verdict *verdict) {
    return verdict->error_count == 0 || !text_is(verdict->errors[0].keyword, "json");
}

static void put_everything(struct json_writer *w, const gramc_verdict *verdict) {
    gramc_text nothing = {NULL, 0};
    json_object_begin(w);
    json_member_bool(w, "valid", verdict->valid);
    json_member_number(w, "errors_total", verdict->errors_total);
    json_member_array(w, "errors");
    for (size_t i = 0; i < verdict->error_count; i++) put_error(w, &verdict->errors[i]);
    json_array_end(w);
    json_member_array(w, "changes");
    for (size_t i = 0; i < verdict->adjustment_count; i++) put_change(w, &verdict->adjustments[i]);
    json_array_end(w);
    put_json_or_null(w, "normalised", is_json(verdict) ? verdict->normalised : nothing);
    json_object_end(w);
}

/* ## The standard's units */

static void begin_unit(struct json_writer *w, gramc_text path, gramc_text absolute,
                       gramc_text instance) {
    json_object_begin(w);
    json_member_bool(w, "valid", false);
    json_member_text(w, "keywordLocation", path);
    json_member_some(w, "absoluteKeywordLocation", absolute);
    json_member_text(w, "instanceLocation", instance);
}

void verdict_put_leaf(struct json_writer *w, const struct violation *violation) {
    begin_unit(w, violation->path, violation->absolute, violation->shown.instance);
    json_member_text(w, "error", violation->shown.message);
    json_object_end(w);
}

static void put_flag(struct json_writer *w, const gramc_verdict *verdict) {
    json_object_begin(w);
    json_member_bool(w, "valid", verdict->valid);
    json_object_end(w);
}

static void put_basic(struct json_writer *w, const struct verdict *verdict) {
    json_object_begin(w);
    json_member_bool(w, "valid", false);
    json_member_array(w, "errors");
    for (const struct violation *v = verdict->violations; v; v = v->next) verdict_put_leaf(w, v);
    json_array_end(w);
    json_object_end(w);
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

static void put_units(struct json_writer *w, const struct violation **leaves, size_t count,
                      size_t from);

/* One unit around leaves that share so many bytes of their paths and places. */
static void put_around(struct json_writer *w, const struct violation **leaves, size_t count,
                       size_t path, size_t instance) {
    begin_unit(w, text_slice(leaves[0]->path, 0, path), absolute_of(leaves[0], path),
               text_slice(leaves[0]->shown.instance, 0, instance));
    json_member_array(w, "errors");
    for (size_t i = 0; i < count;) {
        bool ends = leaves[i]->path.len <= path; /* the same keyword at several places */
        size_t end = ends ? path : token_end(leaves[i]->path, path);
        size_t group = ends ? 1 : gather(leaves + i, count - i, end);
        put_units(w, leaves + i, group, end);
        i += group;
    }
    json_array_end(w);
    json_object_end(w);
}

/* One unit for leaves that share the first `from` bytes of their paths. As deep as the paths. */
static void put_units(struct json_writer *w, const struct violation **leaves, size_t count,
                      size_t from) {
    if (count == 1 || w->out->state != BUF_FINE) {
        verdict_put_leaf(w, leaves[0]);
        return;
    }
    size_t path = leaves[0]->path.len, instance = leaves[0]->shown.instance.len;
    for (size_t i = 1; i < count; i++) {
        path = common_start(leaves[0]->path, path, leaves[i]->path);
        instance = common_start(leaves[0]->shown.instance, instance, leaves[i]->shown.instance);
    }
    put_around(w, leaves, count, path < from ? from : path, instance);
}

static void put_detailed(struct json_writer *w, const struct verdict *verdict) {
    size_t count = verdict->shown.error_count, i = 0;
    size_t size = count * sizeof(const struct violation *);
    const struct violation **leaves = mem_alloc(&w->out->allocator, size);
    if (!leaves) {
        w->out->state = BUF_NOMEM;
        return;
    }
    for (const struct violation *v = verdict->violations; v; v = v->next) leaves[i++] = v;
    put_around(w, leaves, count, 0, 0);
    mem_free(&w->out->allocator, leaves, size);
}

/* In one of the standard's formats. */
static void put_output(struct json_writer *w, const struct verdict *verdict,
                       gramc_verdict_format format) {
    bool valid = verdict->shown.valid;
    if (format == GRAMC_VERDICT_VERBOSE) output_put_verbose(w, verdict);
    else if (valid && !verdict->output) put_flag(w, &verdict->shown);
    else if (format == GRAMC_VERDICT_BASIC) (valid ? output_put_basic : put_basic)(w, verdict);
    else (valid ? output_put_detailed : put_detailed)(w, verdict);
}

static bool lacks_units(const struct verdict *verdict, gramc_verdict_format format) {
    return format == GRAMC_VERDICT_VERBOSE && !verdict->output_all && is_json(&verdict->shown);
}

gramc_status gramc_verdict_print(const gramc_verdict *shown, gramc_verdict_format format,
                                 gramc_writer writer) {
    const struct verdict *verdict = (const struct verdict *)shown; /* its first member */
    gramc_status status = GRAMC_OK;
    struct buf out;
    buf_init(&out, &verdict->arena.allocator, LARGEST_OUTPUT);
    struct json_writer w = json_writer(&out);
    if (lacks_units(verdict, format)) return GRAMC_USAGE;
    switch (format) {
    case GRAMC_VERDICT_TEXT: put_text(&out, shown); break;
    case GRAMC_VERDICT_JSON: put_everything(&w, shown); break;
    case GRAMC_VERDICT_FLAG: put_flag(&w, shown); break;
    case GRAMC_VERDICT_BASIC:
    case GRAMC_VERDICT_DETAILED:
    case GRAMC_VERDICT_VERBOSE: put_output(&w, verdict, format); break;
    default: status = GRAMC_USAGE;
    }
    if (format != GRAMC_VERDICT_TEXT) buf_putc(&out, '\n');
    if (status == GRAMC_OK) status = buf_send(&out, writer);
    buf_free(&out);
    return status;
}
