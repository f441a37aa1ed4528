/* Keeps what happened to schemas on the way from JSON to a spec: which part of one the compiler
 * refused, what is written as raw schema, what changed. The marks stand beside the documents, which
 * are const once they are normalised. Who sets which mark is importer.c's. */
#include "compiler/importer/parts.h"

struct marked {
    const struct json *schema;
    uint8_t marks;
};

static gramc_text key_of(const struct json *const *schema) {
    return (gramc_text){(const char *)schema, sizeof *schema};
}

uint8_t import_marks(const struct importer *in, const struct json *schema) {
    const struct marked *marked = map_get(&in->marks, key_of(&schema));
    return marked ? marked->marks : 0;
}

void import_set_marks(struct importer *in, const struct json *schema, uint8_t marks) {
    struct marked *marked = map_get(&in->marks, key_of(&schema));
    if (!marked && marks) {
        marked = ARENA_NEW(in->arena, struct marked);
        if (!marked) return;
        marked->schema = schema;
        map_put(&in->marks, key_of(&marked->schema), marked);
    }
    if (marked) marked->marks = marks;
}
