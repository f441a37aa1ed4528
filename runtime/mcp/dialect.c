/* Most MCP servers say that their schemas are of draft-07, and then use nothing in which it differs
 * from 2020-12, the protocol's own dialect. Takes the claim out of such a schema, so that it can be
 * compared with others and is not sent to models; leaves any other schema as it is. */
#include "base/text.h"
#include "runtime/mcp/mcp.h"

enum { DEEPEST = 100 };

static bool is_draft_07(const struct json *schema) {
    const struct json *dialect = json_get(schema, "$schema");
    return json_is(dialect, JSON_STRING) &&
           (text_is(dialect->text, "http://json-schema.org/draft-07/schema#") ||
            text_is(dialect->text, "http://json-schema.org/draft-07/schema"));
}

/* https://json-schema.org/draft/2020-12/release-notes, and 2019-09's: what was renamed, split, or
 * reads its neighbours differently; and what only the later drafts know. */
static bool differs(const struct json *member) {
    static const char *const words[] = {"$ref",
                                        "$id",
                                        "definitions",
                                        "dependencies",
                                        "additionalItems",
                                        "$anchor",
                                        "$dynamicRef",
                                        "$dynamicAnchor",
                                        "$recursiveRef",
                                        "$defs",
                                        "prefixItems",
                                        "minContains",
                                        "maxContains",
                                        "dependentRequired",
                                        "dependentSchemas",
                                        "unevaluatedItems",
                                        "unevaluatedProperties"};
    if (text_is(member->key, "items") && member->kind == JSON_ARRAY) return true;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (text_is(member->key, words[i])) return true;
    return false;
}

/* Looks at properties' names as well, which only errs on the safe side. */
static bool is_neutral(const struct json *value, unsigned depth) {
    if (depth > DEEPEST) return false;
    if (value->kind != JSON_OBJECT && value->kind != JSON_ARRAY) return true;
    for (const struct json *one = value->first; one; one = one->next) {
        if (value->kind == JSON_OBJECT && differs(one)) return false;
        if (!is_neutral(one, depth + 1)) return false;
    }
    return true;
}

static void put_without_claim(struct buf *out, const struct json *schema) {
    const char *between = "{";
    for (const struct json *one = schema->first; one; one = one->next) {
        if (text_is(one->key, "$schema")) continue;
        buf_puts(out, between);
        json_put_string(out, one->key);
        buf_putc(out, ':');
        json_put(out, one);
        between = ",";
    }
    buf_puts(out, between[0] == '{' ? "{}" : "}");
}

gramc_text mcp_plain_schema(struct arena *arena, gramc_text schema) {
    struct arena scratch;
    struct buf out;
    gramc_text kept = {NULL, 0};
    arena_init(&scratch, &arena->allocator);
    buf_init(&out, &arena->allocator, MCP_LINE_MAX);
    const struct json *root = schema.len ? json_parse(&scratch, schema, NULL) : NULL;
    if (is_draft_07(root) && is_neutral(root, 0)) put_without_claim(&out, root);
    else buf_text(&out, schema);
    if (scratch.oom) out.state = BUF_NOMEM;
    kept = buf_to_arena(&out, arena);
    arena_free(&scratch);
    return kept;
}
