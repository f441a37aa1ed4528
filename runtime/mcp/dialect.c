/* Most MCP servers say that their schemas are of draft-07, and then use nothing in which it differs
 * from 2020-12, the protocol's own dialect. Takes the claim out of such a schema, so that it can be
 * compared with others and is not sent to models; leaves any other schema as it is. */
#include "base/text.h"
#include "gramc/schema.h"
#include "runtime/mcp/mcp.h"

static bool is_draft_07(const struct json *schema) {
    const struct json *dialect = json_get(schema, "$schema");
    return json_is(dialect, JSON_STRING) &&
           (text_is(dialect->text, "http://json-schema.org/draft-07/schema#") ||
            text_is(dialect->text, "http://json-schema.org/draft-07/schema"));
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
    if (is_draft_07(root) && gramc_schema_drafts_agree(root)) put_without_claim(&out, root);
    else buf_text(&out, schema);
    if (scratch.oom) out.state = BUF_NOMEM;
    kept = buf_to_arena(&out, arena);
    arena_free(&scratch);
    return kept;
}
