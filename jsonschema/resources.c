/* Finds the schemas of a document: which subschemas there are, which of them have a URI or an
 * anchor of their own, in which dialect they are written, and where a reference leads. Loads other
 * documents from the built-in meta-schemas and from the caller's resolver, never by itself. */
#include "jsonschema/compile.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "jsonschema/uri.h"

enum { MAX_METAS = 8, FEW_CHILDREN = 32 };

/* ## Tables */

static uint64_t mix(uint64_t hash) {
    hash *= UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

static struct location *location_slot(const struct location_table *table,
                                      const struct json *schema) {
    size_t i = (size_t)mix((uint64_t)(uintptr_t)schema);
    for (;; i++) {
        struct location *slot = &table->slots[i & (table->size - 1)];
        if (!slot->schema || slot->schema == schema) return slot;
    }
}

static bool grow_locations(struct schema_compiler *c) {
    struct location_table old = c->locations, *table = &c->locations;
    table->size = old.size ? old.size * 2 : 64;
    table->slots = arena_array(&c->scratch, table->size, sizeof *table->slots);
    if (!table->slots) {
        *table = old;
        return compile_stop(c, GRAMC_NOMEM);
    }
    for (size_t i = 0; i < old.size; i++)
        if (old.slots[i].schema) *location_slot(table, old.slots[i].schema) = old.slots[i];
    return true;
}

struct location *resources_location(struct schema_compiler *c, const struct json *schema,
                                    struct resource *resource) {
    if (c->locations.count * 2 >= c->locations.size && !grow_locations(c)) return NULL;
    struct location *slot = location_slot(&c->locations, schema);
    if (!slot->schema) {
        if (!resource) return NULL;
        *slot = (struct location){.schema = schema, .resource = resource};
        c->locations.count++;
    }
    return slot;
}

static struct resource_name *name_slot(struct schema_compiler *c, gramc_text uri) {
    for (size_t i = text_hash(uri);; i++) {
        struct resource_name *slot = &c->names.slots[i & (c->names.size - 1)];
        if (!slot->resource || text_eq(slot->uri, uri)) return slot;
        if (!compile_step(c)) return slot;
    }
}

static bool add_name(struct schema_compiler *c, gramc_text uri, struct resource *resource) {
    struct name_table old = c->names;
    if (old.count * 2 >= old.size) {
        c->names.size = old.size ? old.size * 2 : 16;
        c->names.slots = arena_array(&c->scratch, c->names.size, sizeof *c->names.slots);
        if (!c->names.slots) {
            c->names = old;
            return compile_stop(c, GRAMC_NOMEM);
        }
        for (size_t i = 0; i < old.size; i++)
            if (old.slots[i].resource) *name_slot(c, old.slots[i].uri) = old.slots[i];
    }
    struct resource_name *slot = name_slot(c, uri);
    if (!slot->resource) {
        *slot = (struct resource_name){uri, resource};
        c->names.count++;
    }
    return c->status == GRAMC_OK;
}

/* ## Dialects */

static gramc_draft known_draft(gramc_text uri) {
    static const struct {
        const char *uri; /* behind http: or https: */
        gramc_draft draft;
    } known[] = {
        {"//json-schema.org/draft/2020-12/schema", GRAMC_DRAFT_2020_12},
        {"//json-schema.org/schema", GRAMC_DRAFT_2020_12},
        {"//json-schema.org/draft/2019-09/schema", GRAMC_DRAFT_2019_09},
        {"//json-schema.org/draft-07/schema", GRAMC_DRAFT_7},
        {"//json-schema.org/draft-06/schema", GRAMC_DRAFT_6},
        {"//json-schema.org/draft-04/schema", GRAMC_DRAFT_4},
    };
    size_t scheme = text_starts(uri, "https:") ? 6 : text_starts(uri, "http:") ? 5 : 0;
    for (size_t i = 0; scheme && i < sizeof known / sizeof known[0]; i++)
        if (text_is(text_slice(uri, scheme, uri.len), known[i].uri)) return known[i].draft;
    return GRAMC_DRAFT_AUTO;
}

static bool names_known_draft(const struct json *root) {
    const struct json *name = json_get(root, "$schema");
    return json_is(name, JSON_STRING) && name->text.len &&
           known_draft(uri_without_fragment(name->text)) != GRAMC_DRAFT_AUTO;
}

static struct dialect whole_dialect(const struct schema_compiler *c, gramc_draft draft) {
    return (struct dialect){draft, VOCABULARY_ALL, c->options->assert_formats};
}

/* Vocabularies by the last part of their URI. */
static const struct {
    const char *name;
    unsigned bits;
} vocabularies[] = {
    {"core", VOCABULARY_CORE},
    {"applicator", VOCABULARY_APPLICATOR},
    {"validation", VOCABULARY_VALIDATION},
    {"unevaluated", VOCABULARY_UNEVALUATED},
    {"format", VOCABULARY_FORMAT},
    {"format-annotation", VOCABULARY_FORMAT},
    {"format-assertion", VOCABULARY_FORMAT},
    {"meta-data", VOCABULARY_META_DATA},
    {"content", VOCABULARY_CONTENT},
};

static bool add_vocabulary(struct dialect *dialect, gramc_text uri, bool needed) {
    static const char *const prefixes[] = {"https://json-schema.org/draft/2020-12/vocab/",
                                           "https://json-schema.org/draft/2019-09/vocab/"};
    for (size_t draft = 0; draft < 2; draft++) {
        if (!text_starts(uri, prefixes[draft])) continue;
        gramc_text name = text_slice(uri, strlen(prefixes[draft]), uri.len);
        for (size_t i = 0; i < sizeof vocabularies / sizeof vocabularies[0]; i++) {
            if (!text_is(name, vocabularies[i].name)) continue;
            dialect->vocabularies |= vocabularies[i].bits;
            if (draft == 1 && text_is(name, "applicator"))
                dialect->vocabularies |= VOCABULARY_UNEVALUATED;
            if (text_is(name, "format-assertion") || (text_is(name, "format") && needed))
                dialect->assert_formats = true;
            return true;
        }
    }
    return !needed;
}

static struct resource *find_document(struct schema_compiler *c, gramc_text uri,
                                      struct dialect inherited, const struct schema_document *from,
                                      const struct json *at);

/* A meta-schema of somebody's own: its $vocabulary says what counts. */
static bool custom_dialect(struct schema_compiler *c, const struct schema_document *document,
                           const struct json *at, gramc_text uri, struct dialect *dialect) {
    if (c->metas == MAX_METAS)
        return compile_fail(c, document, at, "meta-schemas that describe each other");
    c->metas++;
    struct resource *meta = find_document(c, uri, *dialect, document, at);
    c->metas--;
    if (!meta) return false;
    const struct json *list = json_get(meta->root, "$vocabulary");
    *dialect = whole_dialect(c, meta->dialect.draft);
    if (!json_is(list, JSON_OBJECT)) return true;
    dialect->vocabularies = VOCABULARY_CORE;
    for (const struct json *member = list->first; member; member = member->next)
        if (!add_vocabulary(dialect, member->key, member->kind == JSON_TRUE))
            return compile_fail(c, document, at,
                                "the dialect needs a vocabulary that is not "
                                "known here: %.*s",
                                TEXT_ARGS(member->key));
    return true;
}

/* The dialect of a resource's root, which $schema names; else the inherited one stays. */
static bool find_dialect(struct schema_compiler *c, const struct schema_document *document,
                         const struct json *root, gramc_text uri, struct dialect *dialect) {
    const struct json *name = json_get(root, "$schema");
    if (!json_is(name, JSON_STRING)) return true;
    gramc_text meta = name->text.len ? uri_without_fragment(name->text) : name->text;
    gramc_draft draft = known_draft(meta);
    if (draft != GRAMC_DRAFT_AUTO) {
        *dialect = whole_dialect(c, draft);
        return true;
    }
    if (text_eq(meta, uri)) return true; /* a meta-schema that describes itself */
    meta = keep_text(c, document, meta);
    if (!meta.ptr) return false;
    if (!compile_step(c)) return false;
    return custom_dialect(c, document, name, meta, dialect);
}

/* ## Walking */

static bool make_names(struct schema_compiler *c, struct resource *resource) {
    if (resource->names) return true;
    resource->names = ARENA_NEW(c->arena, struct anchor_names);
    if (!resource->names) return compile_stop(c, GRAMC_NOMEM);
    map_init(&resource->names->all, c->arena);
    map_init(&resource->names->dynamic, c->arena);
    return true;
}

static bool add_anchor(struct schema_compiler *c, struct resource *resource,
                       const struct json *schema, const struct json *name, bool dynamic) {
    if (!json_is(name, JSON_STRING)) return true;
    gramc_text text = keep_text(c, resource->document, name->text);
    if (!text.ptr || !make_names(c, resource)) return false;
    struct anchor *anchor = ARENA_NEW(c->arena, struct anchor);
    if (!anchor) return compile_stop(c, GRAMC_NOMEM);
    *anchor = (struct anchor){resource->anchors, text, schema, NULL, dynamic};
    resource->anchors = anchor;
    map_put(&resource->names->all, anchor->name, anchor);
    if (dynamic) map_put(&resource->names->dynamic, anchor->name, anchor);
    return !c->arena->oom || compile_stop(c, GRAMC_NOMEM);
}

static struct resource *add_resource(struct schema_compiler *c, gramc_text uri,
                                     const struct schema_document *document,
                                     const struct json *root, struct dialect dialect) {
    struct resource *resource =
        c->schema->resources ? ARENA_NEW(c->arena, struct resource) : &c->schema->own_resource;
    if (!resource) {
        compile_stop(c, GRAMC_NOMEM);
        return NULL;
    }
    *resource = (struct resource){.next = c->schema->resources,
                                  .uri = uri,
                                  .document = document,
                                  .root = root,
                                  .place = root->start,
                                  .dialect = dialect};
    c->schema->resources = resource;
    return resource;
}

/* What $id says, `id` in draft-04: another resource, or in old drafts perhaps only an anchor. */
static bool enter_id(struct schema_compiler *c, const struct json *schema,
                     struct resource **resource) {
    const struct resource *outer = *resource;
    gramc_draft draft = outer->dialect.draft;
    const struct json *id = json_get(schema, draft == GRAMC_DRAFT_4 ? "id" : "$id");
    bool old = draft_is_old(draft);
    if (!json_is(id, JSON_STRING) || id->text.len == 0) return true;
    if (old && json_get(schema, "$ref")) return true;
    gramc_text name = keep_text(c, outer->document, id->text);
    if (!name.ptr) return false;
    gramc_text fragment = uri_fragment(name), uri = uri_without_fragment(name);
    if (uri.len) {
        uri = uri_resolve(c->arena, outer->uri, uri);
        struct dialect dialect = outer->dialect;
        if (schema != outer->root) {
            if (!find_dialect(c, outer->document, schema, uri, &dialect)) return false;
            *resource = add_resource(c, uri, outer->document, schema, dialect);
            if (!*resource) return false;
        } else {
            (*resource)->uri = uri;
        }
        if (!add_name(c, uri, *resource)) return false;
    }
    if (!old || !fragment.len) return true;
    struct json anchor = {.kind = JSON_STRING, .text = fragment};
    return add_anchor(c, *resource, schema, &anchor, false);
}

/* What names a schema within its resource. */
static bool add_anchors(struct schema_compiler *c, struct resource *resource,
                        const struct json *schema) {
    switch (resource->dialect.draft) {
    case GRAMC_DRAFT_4:
    case GRAMC_DRAFT_6:
    case GRAMC_DRAFT_7: return true;
    case GRAMC_DRAFT_2019_09:
        if (schema == resource->root && json_get(schema, "$recursiveAnchor"))
            resource->recursive_anchor = json_is(json_get(schema, "$recursiveAnchor"), JSON_TRUE);
        return add_anchor(c, resource, schema, json_get(schema, "$anchor"), false);
    case GRAMC_DRAFT_2020_12:
    case GRAMC_DRAFT_AUTO: break;
    }
    return add_anchor(c, resource, schema, json_get(schema, "$anchor"), false) &&
           add_anchor(c, resource, schema, json_get(schema, "$dynamicAnchor"), true);
}

/* Recursion is as deep as the document: JSON_MAX_DEPTH at most. */
static bool walk(struct schema_compiler *c, const struct json *schema, struct resource *resource) {
    if (schema->kind != JSON_OBJECT) return true;
    if (!enter_id(c, schema, &resource)) return false;
    struct location *location = resources_location(c, schema, resource);
    compile_enter(c, resource->document, schema);
    if (!location || !add_anchors(c, resource, schema)) return false;
    struct subschema_walk inner = subschema_walk(schema, resource->dialect.draft);
    for (const struct json *s; (s = subschema_next(&inner)) != NULL;)
        if (!walk(c, s, resource)) return false;
    return true;
}

/* ## Documents */

static struct schema_document *new_document(struct schema_compiler *c, gramc_text uri) {
    struct schema_document *document = c->schema->document
                                           ? ARENA_NEW(c->arena, struct schema_document)
                                           : &c->schema->own_document;
    if (!document) {
        compile_stop(c, GRAMC_NOMEM);
        return NULL;
    }
    document->uri = uri;
    if (!c->schema->document) c->schema->document = document;
    return document;
}

/* Its root is there. */
static struct resource *add_document(struct schema_compiler *c, struct schema_document *document,
                                     struct dialect inherited) {
    const struct json *root = document->root;
    document->start = root->start;
    struct dialect told = inherited;
    document->next = c->schema->documents;
    c->schema->documents = document;
    if (!find_dialect(c, document, root, document->uri, &inherited)) return NULL;
    /* A draft that the caller names outdoes a standard one that the schema names. */
    if (document == c->schema->document && c->options->draft != GRAMC_DRAFT_AUTO &&
        names_known_draft(root))
        inherited = told;
    struct resource *resource = add_resource(c, document->uri, document, root, inherited);
    if (!resource || !add_name(c, document->uri, resource) || !walk(c, root, resource)) return NULL;
    return resource;
}

static struct resource *read_document(struct schema_compiler *c, gramc_text uri, gramc_text text,
                                      struct dialect inherited) {
    struct json_error error;
    struct schema_document *document = new_document(c, uri);
    c->bytes += text.len;
    if (!document) return NULL;
    if (c->bytes > SCHEMA_BYTES_MAX) {
        compile_limit(c, "all documents together are larger than 16 MiB");
        return NULL;
    }
    document->text = text;
    document->root = json_parse(document_arena(c, document), text, &error);
    if (document->root) return add_document(c, document, inherited);
    if (c->arena->oom || c->scratch.oom) compile_stop(c, GRAMC_NOMEM);
    struct json place = {.start = (uint32_t)error.position};
    compile_fail(c, document, &place, "not JSON: %s", error.message);
    if (error.limit) c->status = GRAMC_LIMIT;
    return NULL;
}

/* The text of a document that is neither known yet nor built in. */
static bool ask_resolver(struct schema_compiler *c, gramc_text uri, gramc_text *text) {
    const gramc_resolver *resolver = &c->options->resolver;
    if (!resolver->resolve || uri.len == 0) return false;
    int failure = resolver->resolve(resolver->ctx, uri, text);
    if (failure == GRAMC_NOMEM) compile_stop(c, GRAMC_NOMEM);
    if (failure) return false;
    *text = arena_text(c->arena, *text);
    return true;
}

static struct resource *find_document(struct schema_compiler *c, gramc_text uri,
                                      struct dialect inherited, const struct schema_document *from,
                                      const struct json *at) {
    if (c->names.size) {
        const struct resource_name *slot = name_slot(c, uri);
        if (c->status != GRAMC_OK) return NULL;
        if (slot->resource) return slot->resource;
    }
    gramc_text text = metaschema_find(uri);
    if (!text.ptr && !ask_resolver(c, uri, &text)) {
        compile_fail(c, from, at, "cannot find the schema %.*s; nothing is fetched from a network",
                     uri.len > 200 ? 200 : (int)uri.len, uri.ptr ? uri.ptr : "");
        return NULL;
    }
    if (!text.ptr) {
        compile_stop(c, GRAMC_NOMEM);
        return NULL;
    }
    return read_document(c, uri, text, inherited);
}

static struct dialect root_dialect(const struct schema_compiler *c) {
    gramc_draft draft = c->options->draft;
    return whole_dialect(c, draft == GRAMC_DRAFT_AUTO ? GRAMC_DRAFT_2020_12 : draft);
}

static gramc_text own_uri(struct schema_compiler *c) {
    gramc_text uri = c->options->base_uri;
    if (!uri.len) return TEXT("");
    uri = arena_text(c->arena, uri);
    if (!uri.ptr) compile_stop(c, GRAMC_NOMEM);
    return uri;
}

struct resource *resources_load_root(struct schema_compiler *c, gramc_text text) {
    gramc_text uri = own_uri(c);
    if (!uri.ptr) return NULL;
    if (text.len <= SCHEMA_BYTES_MAX) {
        memcpy(c->schema->text, text.ptr, text.len);
        c->schema->text[text.len] = '\0';
        text.ptr = c->schema->text;
    }
    return read_document(c, uri, text, root_dialect(c));
}

struct resource *resources_take_root(struct schema_compiler *c, const struct json *root) {
    gramc_text uri = own_uri(c);
    struct schema_document *document = uri.ptr ? new_document(c, uri) : NULL;
    if (!document) return NULL;
    document->root = root;
    return add_document(c, document, root_dialect(c));
}

/* ## References */

const struct anchor *resource_anchor(const struct resource *resource, gramc_text name,
                                     bool only_dynamic) {
    const struct anchor_names *names = resource->names;
    return names ? map_get(only_dynamic ? &names->dynamic : &names->all, name) : NULL;
}

/* The index of a map that is large; NULL: it is none, or there is no memory. */
static const struct member_index *index_of(struct schema_compiler *c, const struct json *value) {
    for (size_t i = 0; i < INDEXES; i++)
        if (c->indexes[i].object == value) return &c->indexes[i];
    if (value->count <= FEW_CHILDREN || value->kind != JSON_OBJECT) return NULL;
    struct member_index *index = &c->indexes[c->index_count++ % INDEXES];
    if (!compile_steps(c, value->count)) return NULL;
    return member_index_make(index, &c->scratch, value) ? index : NULL;
}

/* The name that a token of a pointer means: ~0 is ~ and ~1 is /. No ptr without memory. */
static gramc_text unescaped(struct arena *arena, gramc_text token) {
    if (!memchr(token.ptr, '~', token.len)) return token;
    char *name = arena_alloc(arena, token.len);
    size_t len = 0;
    for (size_t i = 0; name && i < token.len; i++) {
        bool escape = token.ptr[i] == '~' && i + 1 < token.len;
        if (escape) i++;
        name[len++] = !escape ? token.ptr[i] : token.ptr[i] == '1' ? '/' : '~';
    }
    return (gramc_text){name, len};
}

/* What one token of a pointer leads to. */
static const struct json *child_of(struct schema_compiler *c, const struct json *value,
                                   gramc_text token) {
    const struct member_index *index = index_of(c, value);
    if (!index) {
        return compile_steps(c, value->count) ? json_at(value, token) : NULL;
    }
    gramc_text name = unescaped(&c->scratch, text_slice(token, 1, token.len));
    return name.ptr ? member_index_find(index, name) : NULL;
}

/* Follows a JSON Pointer token by token, so that a resource on the way counts. */
static const struct json *follow(struct schema_compiler *c, struct resource **resource,
                                 gramc_text pointer) {
    const struct json *at = (*resource)->root;
    size_t pos = 0;
    while (at && pos < pointer.len) {
        size_t start = pos++;
        while (pos < pointer.len && pointer.ptr[pos] != '/') pos++;
        at = child_of(c, at, text_slice(pointer, start, pos));
        const struct location *known =
            at && at->kind == JSON_OBJECT ? resources_location(c, at, NULL) : NULL;
        if (known) *resource = known->resource;
    }
    return at;
}

static const struct json *find_fragment(struct schema_compiler *c, struct resource **resource,
                                        gramc_text fragment) {
    if (fragment.len == 0) return (*resource)->root;
    if (fragment.ptr[0] == '/') return follow(c, resource, fragment);
    const struct anchor *anchor = resource_anchor(*resource, fragment, false);
    return anchor ? anchor->schema : NULL;
}

struct location *resources_find(struct schema_compiler *c, const struct resource *from,
                                gramc_text reference, const struct json *at) {
    reference = keep_text(c, from->document, reference);
    if (!reference.ptr) return NULL;
    gramc_text uri = reference.len ? uri_without_fragment(reference) : reference;
    uri = uri.len ? uri_resolve(c->arena, from->uri, uri) : from->uri;
    gramc_text fragment = uri_decode(&c->scratch, uri_fragment(reference));
    if (c->arena->oom || c->scratch.oom) compile_stop(c, GRAMC_NOMEM);
    if (c->status != GRAMC_OK || !compile_step(c)) return NULL;
    struct resource *resource = find_document(c, uri, from->dialect, from->document, at);
    if (!resource) return NULL;
    const struct json *schema = find_fragment(c, &resource, fragment);
    bool is_schema = schema && (schema->kind == JSON_OBJECT || schema->kind == JSON_TRUE ||
                                schema->kind == JSON_FALSE);
    if (!is_schema) {
        compile_fail(c, from->document, at, "the reference %.*s leads to %s",
                     reference.len > 200 ? 200 : (int)reference.len, reference.ptr,
                     schema ? "something that is not a schema" : "nothing");
        return NULL;
    }
    const struct location *known = resources_location(c, schema, NULL);
    if (!known && c->status == GRAMC_OK && !walk(c, schema, resource)) return NULL;
    return resources_location(c, schema, resource);
}
