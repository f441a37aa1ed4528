/* What stands under $defs of a schema that is being printed: named types, and what escape hatches
 * bring along. */
#ifndef COMPILER_SCHEMA_REFERENCES_H
#define COMPILER_SCHEMA_REFERENCES_H

#include "compiler/raw_schema.h"

/* What stands under $defs: a named type, or what an escape hatch brings along. */
struct schema_reference {
    const struct definition *definition;
    const struct raw_schema *raw;
    const struct raw_use *use;
    unsigned number; /* from the second of a name on: Name_2 */
};

/* One schema document: the references in it gather as it is printed. */
struct printed_document {
    struct buf *out;
    struct buf references; /* struct schema_reference, each once */
    unsigned style;
};

size_t references_count(const struct printed_document *document);
struct schema_reference references_at(const struct printed_document *document, size_t i);
/* Makes sure that the type will stand under $defs. */
void references_note(struct printed_document *document, const struct definition *definition);
/* "#/$defs/Name", as a JSON string. */
void references_put_pointer(struct buf *out, const struct schema_reference *reference);
/* "Name", as a JSON string. */
void references_put_key(struct printed_document *document,
                        const struct schema_reference *reference);
/* JSON of an escape hatch, its references noted and by their new names. */
void references_put_raw(struct printed_document *document, const struct raw_schema *raw,
                        const struct json *schema);
/* `"keyword":value` */
void references_put_raw_member(struct printed_document *document, const struct raw_schema *raw,
                               const struct json *member);

#endif
