/* The words of the validator's sentences: places, types, values, examples. All to a buf; what does
 * not fit in is cut. */
#ifndef JSONSCHEMA_WORDS_H
#define JSONSCHEMA_WORDS_H

#include "jsonschema/evaluate.h"

/* `customer.items[0].qty`; the root is "the value". */
void words_put_place(struct buf *out, const struct evaluation_frame *at);
/* The place of a member of the object at `at`. */
void words_put_member(struct buf *out, const struct evaluation_frame *at, gramc_text key);

/* The node in whose name a place refuses: a root that the caller closes does so itself. */
const struct schema_node *words_written_node(const struct evaluation_frame *at);

/* JSON Pointers. The instance's; the schema's own, from the start of its document; the way through
 * the schema with each $ref; the URI. `keyword` is what comes last; NULL for none. */
void words_put_instance(struct buf *out, const struct evaluation_frame *at, const char *keyword);
void words_put_schema(struct buf *out, const struct evaluation_frame *at, const char *keyword);
void words_put_path(struct buf *out, const struct evaluation_frame *at, const char *keyword);
/* The URI before it is encoded. */
void words_put_absolute(struct buf *out, const struct evaluation_frame *at, const char *keyword);
/* Whether words_put_path writes what words_put_absolute has behind the #: no reference was
 * followed. */
bool words_is_direct(const struct evaluation_frame *at);
/* Whether words_put_schema would write what stands behind the # of words_put_absolute. */
bool words_is_end_of_absolute(const struct evaluation_frame *at, const char *keyword);
/* The URI of a schema, encoded; tells how many values had to be passed to find it. */
size_t words_put_uri(struct buf *out, const struct schema_node *node);

/* "the string \"abc\"", "an array of 3 items". */
void words_put_value(struct buf *out, const struct json *value);
/* True if a value of this schema, or of one that it may fit, is not to be quoted. */
bool words_is_secret(const struct schema_node *node);
/* The value itself, shortened. */
void words_put_short(struct buf *out, const struct json *value);
/* Text shortened to `most` bytes, between characters. */
void words_put_cut(struct buf *out, gramc_text text, size_t most);
void words_put_quoted(struct buf *out, gramc_text text);
/* "one of \"a\", \"b\"", at most `most` of them. */
void words_put_choices(struct buf *out, const struct json *choices, size_t most);
/* What a node takes: its choices or its types. */
void words_put_expected(struct buf *out, const struct schema_node *node, size_t most);
/* What to pass for a node of some type: "a whole number such as 18". */
void words_put_example(struct buf *out, const struct schema_node *node,
                       const struct json *instead_of);

#endif
