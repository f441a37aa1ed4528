/* The keywords of JSON Schema: which there are, where subschemas stand in them, and a walk over the
 * subschemas of a schema. The table is keywords.def; what a keyword means to a value is the
 * validator's. Everything here is const and may be called from any thread. */
#ifndef JSONSCHEMA_KEYWORDS_H
#define JSONSCHEMA_KEYWORDS_H

#include "gramc/schema.h"

#include "base/json/json.h"

enum keyword {
#define KEYWORD(id, name, drafts, vocabulary, holds, about) K_##id,
#include "jsonschema/keywords.def"
#undef KEYWORD
    K_COUNT
};

enum vocabulary {
    VOCABULARY_CORE = 1,
    VOCABULARY_APPLICATOR = 2,
    VOCABULARY_VALIDATION = 4,
    VOCABULARY_UNEVALUATED = 8,
    VOCABULARY_FORMAT = 16,
    VOCABULARY_META_DATA = 32,
    VOCABULARY_CONTENT = 64,
    VOCABULARY_ALL = 127
};

/* What the value of a keyword is. */
enum keyword_holds {
    HOLDS_DATA,
    HOLDS_SCHEMA,
    HOLDS_LIST,
    HOLDS_SCHEMA_OR_LIST,
    HOLDS_MAP,
    HOLDS_MAP_OR_NAMES
};

struct keyword_row {
    gramc_text name;
    unsigned drafts; /* bits, see keyword_in_draft */
    enum vocabulary vocabulary;
    enum keyword_holds holds;
    unsigned about; /* enum type_bit: it says nothing of values of other types */
};

/* `keyword` is not K_COUNT. */
const struct keyword_row *keyword_row(enum keyword keyword);
/* The keyword of that name, in whatever draft; K_COUNT for none. */
enum keyword keyword_named(gramc_text name);
/* True for the name of a keyword that can refuse a value; `$ref` does so by what it leads to. */
bool keyword_asserts(gramc_text name);
/* GRAMC_DRAFT_AUTO stands for all of them. */
bool keyword_in_draft(enum keyword keyword, gramc_draft draft);
/* Before 2019-09: nothing counts beside `$ref`, and an identifier can be an anchor. */
bool draft_is_old(gramc_draft draft);

/* What the value of a member of a schema is made of. Subschemas are the value itself, or its items
 * or members; in data `$ref` is no reference. */
enum keyword_content { CONTENT_DATA, CONTENT_SCHEMA, CONTENT_SCHEMAS };
/* By any draft. A value of the wrong kind is data. */
enum keyword_content keyword_content(const struct json *member);

/* The subschemas that stand in a schema, in order, true and false included:
 *     struct subschema_walk walk = subschema_walk(schema, draft);
 *     for (const struct json *s; (s = subschema_next(&walk)) != NULL;) ... */
struct subschema_walk {
    const struct json *member; /* the keyword in which the last one stands */
    const struct json *next, *next_member;
    gramc_draft draft;
};
/* Keywords of that draft alone, of all for GRAMC_DRAFT_AUTO. */
struct subschema_walk subschema_walk(const struct json *schema, gramc_draft draft);
const struct json *subschema_next(struct subschema_walk *walk);

#endif
