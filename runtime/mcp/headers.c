/* Reads the annotations x-mcp-header of a tool's schema, and turns arguments into the headers that
 * they ask for (https://modelcontextprotocol.io/specification/2026-07-28, Streamable HTTP, "Custom
 * Headers from Tool Parameters"); and reads what such headers say. Sending them is http.c's work.
 */
#include "runtime/mcp/headers.h"

#include <string.h>

#include "base/base64.h"
#include "base/text.h"

/* ## Values */

static const char mark[] = "=?base64?";

static bool is_marked(gramc_text text) {
    size_t tail = text.len >= 2 ? text.len - 2 : 0;
    return text_starts(text, mark) && text_is(text_slice(text, tail, text.len), "?=");
}

static bool fits_header(gramc_text text) {
    for (size_t i = 0; i < text.len; i++)
        if ((text.ptr[i] < 0x20 || text.ptr[i] > 0x7E) && text.ptr[i] != '\t') return false;
    return text_trim(text).len == text.len && !is_marked(text);
}

void mcp_header_value(struct buf *out, gramc_text text) {
    if (fits_header(text)) {
        buf_text(out, text);
        return;
    }
    buf_puts(out, mark);
    base64_put(out, text);
    buf_puts(out, "?=");
}

bool mcp_header_read(gramc_text *out, struct arena *arena, gramc_text value) {
    *out = text_trim(value);
    if (!is_marked(*out) || out->len < strlen(mark) + 2) return true;
    return base64_read(out, arena, text_slice(*out, strlen(mark), out->len - 2));
}

bool mcp_mirror_text(gramc_text *out, const struct mcp_parameter *parameter,
                     const struct json *arguments) {
    const struct json *value = json_at(arguments, parameter->path);
    if (!value) return false;
    switch (value->kind) {
    case JSON_STRING:
    case JSON_NUMBER: *out = value->text; return true;
    case JSON_TRUE: *out = TEXT("true"); return true;
    case JSON_FALSE: *out = TEXT("false"); return true;
    default: return false;
    }
}

bool mcp_mirror_value(struct buf *out, const struct mcp_parameter *parameter,
                      const struct json *arguments) {
    gramc_text text;
    if (!mcp_mirror_text(&text, parameter, arguments)) return false;
    mcp_header_value(out, text);
    return true;
}

/* ## Annotations */

struct header_search {
    struct arena *arena;
    struct mcp_parameter *first, **end;
    size_t count;
    const char *why;
};

static bool is_token(gramc_text name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (c == '\0' || !strchr("!#$%&'*+-.^_`|~", c))) return false;
    }
    return name.len != 0;
}

static bool is_taken(const struct header_search *search, gramc_text name) {
    for (const struct mcp_parameter *one = search->first; one; one = one->next)
        if (text_eq_nocase(one->name, name)) return true;
    return false;
}

static bool is_plain(const struct json *schema) {
    const struct json *type = json_get(schema, "type");
    return json_is(type, JSON_STRING) &&
           (text_is(type->text, "string") || text_is(type->text, "integer") ||
            text_is(type->text, "boolean"));
}

static void add(struct header_search *search, const struct json *schema, const struct json *name,
                gramc_text path) {
    if (!json_is(name, JSON_STRING) || !is_token(name->text))
        search->why = "an x-mcp-header that names no header";
    else if (!is_plain(schema))
        search->why = "an x-mcp-header on what is no string, integer or boolean";
    else if (path.len == 0) search->why = "an x-mcp-header where no argument stands";
    else if (is_taken(search, name->text)) search->why = "two equal x-mcp-header";
    else if (search->count++ == MCP_MIRRORS_MAX) search->why = "too many x-mcp-header";
    if (search->why) return;
    struct mcp_parameter *one = ARENA_NEW(search->arena, struct mcp_parameter);
    if (!one) return;
    one->name = arena_text(search->arena, name->text);
    one->path = arena_text(search->arena, path);
    *search->end = one;
    search->end = &one->next;
}

/* An annotation that stands anywhere else, in `items` or below `anyOf`, names no one argument. */
static bool has_annotation(const struct json *value, unsigned depth) {
    if (!value || depth > MCP_MIRROR_DEPTH) return false;
    for (const struct json *one = value->first; one; one = one->next) {
        bool inside = value->kind == JSON_OBJECT || value->kind == JSON_ARRAY;
        if (value->kind == JSON_OBJECT && text_is(one->key, "x-mcp-header")) return true;
        if (inside && has_annotation(one, depth + 1)) return true;
    }
    return false;
}

static void walk(struct header_search *search, const struct json *schema, gramc_text path,
                 unsigned depth);

static void walk_properties(struct header_search *search, const struct json *properties,
                            gramc_text path, unsigned depth) {
    for (const struct json *one = properties->first; one && !search->why; one = one->next) {
        struct buf below;
        buf_init(&below, &search->arena->allocator, 1 << 16);
        buf_text(&below, path);
        json_put_pointer_token(&below, one->key);
        if (buf_status(&below) == GRAMC_OK) walk(search, one, buf_view(&below), depth);
        else if (buf_status(&below) == GRAMC_NOMEM) search->arena->oom = true;
        buf_free(&below);
    }
}

/* Reached by `properties` only, or refused. */
static void walk(struct header_search *search, const struct json *schema, gramc_text path,
                 unsigned depth) {
    if (!json_is(schema, JSON_OBJECT) || depth > MCP_MIRROR_DEPTH) return;
    for (const struct json *one = schema->first; one && !search->why; one = one->next) {
        if (text_is(one->key, "x-mcp-header")) add(search, schema, one, path);
        else if (text_is(one->key, "properties") && one->kind == JSON_OBJECT)
            walk_properties(search, one, path, depth + 1);
        else if (!text_is(one->key, "default") && !text_is(one->key, "examples") &&
                 !text_is(one->key, "enum") && !text_is(one->key, "const") &&
                 has_annotation(one, depth + 1))
            search->why = "an x-mcp-header where no argument simply stands";
    }
}

const char *mcp_mirrors_read(struct mcp_parameter **out, struct arena *arena,
                             const struct json *schema) {
    struct header_search search = {.arena = arena};
    search.end = &search.first;
    walk(&search, schema, (gramc_text){"", 0}, 0);
    *out = search.first;
    return search.why;
}
