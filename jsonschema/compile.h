/* What the parts that compile a schema share. One gramc_schema_compiler lives as long as one call
 * of gramc_schema_compile. */
#ifndef JSONSCHEMA_COMPILE_H
#define JSONSCHEMA_COMPILE_H

#include "jsonschema/compiled.h"
#include "jsonschema/keywords.h"
#include "jsonschema/members.h"

enum { INDEXES = 16 };

/* What is known about a place in a schema document. */
struct location {
    const struct json *schema;
    const struct json *initial; /* its default, kept; NULL: none, or not asked for yet */
    struct resource *resource;
    struct schema_node *node; /* NULL until somebody refers to it */
};

struct resource_name {
    gramc_text uri;
    struct resource *resource;
};

/* Open addressing; sizes are powers of two. */
struct location_table {
    struct location *slots;
    size_t count, size;
};
struct name_table {
    struct resource_name *slots;
    size_t count, size;
};

struct schema_compiler {
    struct gramc_schema *schema;
    struct arena *arena;  /* the schema's */
    struct arena scratch; /* for this call */
    const gramc_schema_options *options;
    gramc_json_error *error;
    gramc_status status; /* the first that was not GRAMC_OK */
    struct location_table locations;
    struct name_table names;
    struct schema_node *queue, *last;       /* nodes to fill in, and the last of all nodes */
    struct schema_node *root;               /* the first; others refer to it... */
    bool root_is_shared;                    /* ...if this is set */
    unsigned metas;                         /* meta-schemas being read, one for another */
    size_t bytes;                           /* of all documents */
    uint64_t work;                          /* steps so far */
    const struct schema_document *document; /* where it is; NULL: nowhere yet */
    const struct json *at;
    struct member_index indexes[INDEXES]; /* of large maps that references go through */
    size_t index_count;                   /* so far; the oldest makes room */
};

/* Records why the schema cannot be compiled, if nothing was recorded before; returns false. `at` is
 * in the document. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
bool compile_fail(struct schema_compiler *c, const struct schema_document *document,
                  const struct json *at, const char *format, ...);
/* Sets a status that needs no words; returns false. */
bool compile_stop(struct schema_compiler *c, gramc_status status);
/* GRAMC_LIMIT, where the compiler is: which limit it was; returns false. */
bool compile_limit(struct schema_compiler *c, const char *message);
/* The compiler goes on at this place. */
void compile_enter(struct schema_compiler *c, const struct schema_document *document,
                   const struct json *at);
/* Counts a step, or many; false, with GRAMC_LIMIT, when there were too many. */
bool compile_step(struct schema_compiler *c);
bool compile_steps(struct schema_compiler *c, uint64_t steps);

/* ## resources.c */
/* Reads the schema itself. NULL on failure. */
struct resource *resources_load_root(struct schema_compiler *c, gramc_text text);
/* The same for a document that outlives the schema. */
struct resource *resources_take_root(struct schema_compiler *c, const struct json *root);
/* The schema that a reference leads to; NULL on failure, which it reports at `at`. */
struct location *resources_find(struct schema_compiler *c, const struct resource *from,
                                gramc_text reference, const struct json *at);
struct location *resources_location(struct schema_compiler *c, const struct json *schema,
                                    struct resource *resource);

/* ## written.c: what outlives the documents. NULL, no ptr: without memory, which stops. */
struct arena *document_arena(struct schema_compiler *c, const struct schema_document *document);
gramc_text keep_text(struct schema_compiler *c, const struct schema_document *document,
                     gramc_text text);
const struct json *keep_value(struct schema_compiler *c, const struct schema_document *document,
                              const struct json *value);
/* Of those that are kept as text only that is left. */
void let_documents_go(struct schema_compiler *c);

/* ## read_keywords.c */
/* The node of a subschema, perhaps still to be filled in. NULL on failure. */
struct schema_node *compile_node(struct schema_compiler *c, const struct json *schema,
                                 struct resource *resource);
/* Fills in a node whose schema is an object. */
bool compile_keywords(struct schema_compiler *c, struct schema_node *node);

/* ## link.c: what needs all nodes. */
bool link_nodes(struct schema_compiler *c);

/* ## fast_prepare.c: what only the fast path needs. */
bool fast_prepare_members(struct schema_compiler *c, struct object_rules *rules);
bool fast_prepare_node(struct schema_compiler *c, struct schema_node *node);
/* Needs a document to know what was evaluated, and for nothing else. */
bool fast_needs_only_evaluated(const struct schema_node *node);
bool fast_choose_mode(struct schema_compiler *c, struct schema_node *node);
/* A table of texts, each with its bits. */
bool fast_make_keys(struct schema_compiler *c, struct fast_keys *out, const gramc_text *texts,
                    const uint64_t *bits, size_t count);
/* ## fast_discern.c: once nodes are merged. */
bool fast_discern_nodes(struct schema_compiler *c);
/* ## fast_merge.c: once all nodes are prepared. */
bool fast_merge_nodes(struct schema_compiler *c);
/* ## fast_numbers.c: the numbers among choices. */
bool fast_prepare_numbers(struct schema_compiler *c, struct fast_keys *table,
                          const struct json *choices);
/* ## fast_defaults.c: once all nodes are prepared. */
bool fast_prepare_defaults(struct schema_compiler *c);

/* ## metaschemas.c: the standard's own documents. ptr NULL: not one of them. */
gramc_text metaschema_find(gramc_text uri);

#endif
