/* What stands under $defs of a schema that is being described: named types, and what raw schemas
 * bring along. */
#ifndef COMPILER_SCHEMA_REFERENCES_H
#define COMPILER_SCHEMA_REFERENCES_H

#include "base/json/sink.h"
#include "compiler/raw_schema.h"

/* What stands under $defs: a named type, or what a raw schema brings along. */
struct schema_reference {
    const struct definition *definition;
    const struct raw_schema *raw;
    const struct raw_use *use;
    unsigned number; /* from the second of a name on: Name_2 */
};

/* One schema document: the references in it gather as it is described. */
struct schema_description {
    struct json_sink *sink;
    struct buf references; /* struct schema_reference, each once */
    unsigned style;
    bool hides_bounds; /* some are checked and not printed */
};

size_t references_count(const struct schema_description *document);
struct schema_reference references_at(const struct schema_description *document, size_t i);
/* Makes sure that the type will stand under $defs. */
void references_note(struct schema_description *document, const struct definition *definition);
/* "#/$defs/Name", as a string. */
void references_put_pointer(struct schema_description *document,
                            const struct schema_reference *reference);
/* "Name", as a key. */
void references_put_key(struct schema_description *document,
                        const struct schema_reference *reference);
/* A raw schema, its references noted and by their new names. */
void references_put_raw(struct schema_description *document, const struct raw_schema *raw,
                        const struct json *schema);
/* One keyword of it. */
void references_put_raw_member(struct schema_description *document, const struct raw_schema *raw,
                               const struct json *member);

#endif
