/* Turns the result of tools/call into the text that a model sees. Texts stand as they are; what is
 * no text is told in a line, without its bytes. Structured content is checked where a schema
 * demands it, and stands for the texts, which only repeat it, unless words are wanted. */
#include "runtime/mcp/mcp.h"

#include "base/text.h"
#include "runtime/foreign.h"

enum { TYPE_LONGEST = 100, URI_LONGEST = 500 };

static gramc_text text_at(const struct json *object, const char *key) {
    const struct json *value = json_get(object, key);
    return json_is(value, JSON_STRING) ? value->text : (gramc_text){NULL, 0};
}

/* What is written, and what must not stand in it. */
struct result_reader {
    struct buf *out;
    const struct secrets *secrets;
};

static void put_label(const struct result_reader *reader, gramc_text label, size_t longest) {
    const struct foreign how = {.secrets = reader->secrets, .longest = longest};
    foreign_put(reader->out, label, &how);
}

static void put_blob(const struct result_reader *reader, const char *what, const struct json *block,
                     const char *data) {
    gramc_text type = text_at(block, "mimeType");
    buf_printf(reader->out, "[%s%s", what, type.len ? " " : "");
    if (type.len) put_label(reader, type, TYPE_LONGEST);
    buf_puts(reader->out, ", ");
    buf_count(reader->out, text_at(block, data).len, "byte");
    buf_puts(reader->out, " of base64]");
}

static void put_resource(const struct result_reader *reader, const struct json *resource) {
    gramc_text text = text_at(resource, "text"), uri = text_at(resource, "uri");
    if (uri.len) {
        buf_puts(reader->out, "[resource ");
        put_label(reader, uri, URI_LONGEST);
        buf_puts(reader->out, "]\n");
    }
    if (json_get(resource, "text")) buf_text(reader->out, text);
    else put_blob(reader, "binary", resource, "blob");
}

static void put_link(struct buf *out, const struct json *link) {
    gramc_text name = text_at(link, "name"), uri = text_at(link, "uri");
    gramc_text description = text_at(link, "description");
    buf_puts(out, "[link ");
    buf_text(out, name);
    if (name.len) buf_puts(out, ": ");
    buf_text(out, uri);
    buf_putc(out, ']');
    if (description.len) buf_putc(out, '\n');
    buf_text(out, description);
}

static void put_block(const struct result_reader *reader, const struct json *block) {
    gramc_text type = text_at(block, "type");
    struct buf *out = reader->out;
    if (text_is(type, "text")) buf_text(out, text_at(block, "text"));
    else if (text_is(type, "image")) put_blob(reader, "image", block, "data");
    else if (text_is(type, "audio")) put_blob(reader, "audio", block, "data");
    else if (text_is(type, "resource")) put_resource(reader, json_get(block, "resource"));
    else if (text_is(type, "resource_link")) put_link(out, block);
    else json_put(out, block); /* what later revisions bring */
}

static void put_content(const struct result_reader *reader, const struct json *content) {
    const struct json *first = json_is(content, JSON_ARRAY) ? content->first : NULL;
    for (const struct json *block = first; block; block = block->next) {
        if (block != first) buf_putc(reader->out, '\n');
        put_block(reader, block);
    }
}

static enum mcp_outcome bad(struct buf *out, const char *why) {
    buf_reset(out);
    buf_puts(out, why);
    return MCP_BAD_RESULT;
}

static enum mcp_outcome put_structured(struct buf *out, const struct json *structured,
                                       const gramc_schema *output) {
    json_put(out, structured);
    if (buf_status(out) != GRAMC_OK || !output) return MCP_FINE;
    if (gramc_schema_accepts(output, out->ptr, out->len)) return MCP_FINE;
    return bad(out, "the server's structured content does not fit the schema that it declares");
}

static enum mcp_outcome check_type(struct buf *out, const struct json *result) {
    const struct json *type = json_get(result, "resultType");
    if (!type || (json_is(type, JSON_STRING) && text_is(type->text, "complete"))) return MCP_FINE;
    if (mcp_asks_back(result))
        return bad(out, "the server asks for input of a person, which it cannot get here");
    return bad(out, "the server answers with a type of result that is not known");
}

enum mcp_outcome mcp_result_read(struct buf *out, const struct json *result,
                                 const gramc_schema *output, bool as_text,
                                 const struct secrets *secrets) {
    const struct result_reader reader = {out, secrets};
    const struct json *content = json_get(result, "content");
    const struct json *structured = json_get(result, "structuredContent");
    if (!json_is(result, JSON_OBJECT)) return bad(out, "the server's result is no object");
    enum mcp_outcome outcome = check_type(out, result);
    if (outcome != MCP_FINE) return outcome;
    if (json_is(json_get(result, "isError"), JSON_TRUE)) {
        put_content(&reader, content);
        if (out->len == 0) buf_puts(out, "the tool failed, and does not say why");
        return MCP_TOOL_ERROR;
    }
    if (output && !structured)
        return bad(out, "the server gives no structured content, though it declares a schema");
    bool has_content = json_is(content, JSON_ARRAY) && content->first;
    if (structured) outcome = put_structured(out, structured, output);
    if (structured && (outcome != MCP_FINE || !as_text || !has_content)) return outcome;
    buf_reset(out);
    if (!json_is(content, JSON_ARRAY)) return bad(out, "the server's result has no content");
    put_content(&reader, content);
    return MCP_FINE;
}
