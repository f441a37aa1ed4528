/* Answers whether a schema accepts some bytes. */
#include "compiler/validate_judge.h"

bool gramc_schema_accepts(const gramc_schema *schema, const char *json, size_t len) {
    struct arena arena;
    struct judge judge;
    arena_init(&arena, &schema->arena.allocator);
    judge_init(&judge, schema, &arena, NULL);
    const struct json *root = json_parse(&arena, (gramc_text){json, len}, NULL);
    bool valid = root && judge_duplicates(&judge, root) && judge_document(&judge, root);
    judge_free(&judge);
    arena_free(&arena);
    return valid;
}
