/* Looks keywords up in the table, keywords.def, and finds the subschemas of a schema by it. Says
 * nothing about what is right or wrong in a schema: read_keywords.c does. */
#include "jsonschema/keywords.h"

#include "base/text.h"
#include "jsonschema/types.h"

enum {
    D4 = 1,
    D6 = 2,
    D7 = 4,
    D19 = 8,
    D20 = 16,
    FROM_19 = D19 | D20,
    FROM_7 = D7 | FROM_19,
    FROM_6 = D6 | FROM_7,
    FROM_4 = D4 | FROM_6,
    UNTIL_19 = FROM_4 & ~D20
};

static const struct keyword_row rows[K_COUNT] = {
#define KEYWORD(id, name, drafts, vocabulary, holds, about)                                        \
    {{name, sizeof(name) - 1}, drafts, VOCABULARY_##vocabulary, HOLDS_##holds, TYPE_BIT_##about},
#include "jsonschema/keywords.def"
#undef KEYWORD
};

const struct keyword_row *keyword_row(enum keyword keyword) {
    return &rows[keyword];
}

enum keyword keyword_named(gramc_text name) {
    size_t low = 0, high = K_COUNT;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = text_compare(name, rows[middle].name);
        if (order == 0) return (enum keyword)middle;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return K_COUNT;
}

bool keyword_asserts(gramc_text name) {
    static const unsigned demanding =
        VOCABULARY_APPLICATOR | VOCABULARY_VALIDATION | VOCABULARY_UNEVALUATED | VOCABULARY_FORMAT;
    enum keyword keyword = keyword_named(name);
    return keyword != K_COUNT && rows[keyword].vocabulary & demanding;
}

bool keyword_in_draft(enum keyword keyword, gramc_draft draft) {
    switch (draft) {
    case GRAMC_DRAFT_4: return rows[keyword].drafts & D4;
    case GRAMC_DRAFT_6: return rows[keyword].drafts & D6;
    case GRAMC_DRAFT_7: return rows[keyword].drafts & D7;
    case GRAMC_DRAFT_2019_09: return rows[keyword].drafts & D19;
    case GRAMC_DRAFT_2020_12: return rows[keyword].drafts & D20;
    case GRAMC_DRAFT_AUTO: return true;
    }
    return true;
}

bool draft_is_old(gramc_draft draft) {
    return draft == GRAMC_DRAFT_4 || draft == GRAMC_DRAFT_6 || draft == GRAMC_DRAFT_7;
}

/* ## Subschemas */

static bool may_be_schema(const struct json *value) {
    return value->kind == JSON_OBJECT || value->kind == JSON_TRUE || value->kind == JSON_FALSE;
}

static enum keyword_content content_of(enum keyword keyword, const struct json *value) {
    bool list = value->kind == JSON_ARRAY, map = value->kind == JSON_OBJECT;
    switch (rows[keyword].holds) {
    case HOLDS_DATA: return CONTENT_DATA;
    case HOLDS_SCHEMA: return may_be_schema(value) ? CONTENT_SCHEMA : CONTENT_DATA;
    case HOLDS_LIST: return list ? CONTENT_SCHEMAS : CONTENT_DATA;
    case HOLDS_SCHEMA_OR_LIST:
        return list ? CONTENT_SCHEMAS : may_be_schema(value) ? CONTENT_SCHEMA : CONTENT_DATA;
    case HOLDS_MAP:
    case HOLDS_MAP_OR_NAMES: return map ? CONTENT_SCHEMAS : CONTENT_DATA;
    }
    return CONTENT_DATA;
}

enum keyword_content keyword_content(const struct json *member) {
    enum keyword keyword = keyword_named(member->key);
    return keyword == K_COUNT ? CONTENT_DATA : content_of(keyword, member);
}

struct subschema_walk subschema_walk(const struct json *schema, gramc_draft draft) {
    bool object = json_is(schema, JSON_OBJECT);
    return (struct subschema_walk){.next_member = object ? schema->first : NULL, .draft = draft};
}

/* The first subschema in the value of a member; NULL: there is none. */
static const struct json *first_in(const struct json *member, gramc_draft draft) {
    bool may_hold = member->kind == JSON_ARRAY || may_be_schema(member);
    enum keyword keyword = may_hold ? keyword_named(member->key) : K_COUNT;
    if (keyword == K_COUNT || !keyword_in_draft(keyword, draft)) return NULL;
    enum keyword_content content = content_of(keyword, member);
    return content == CONTENT_SCHEMA ? member : content == CONTENT_SCHEMAS ? member->first : NULL;
}

/* Of a map to schemas or names, the lists of names are left out. */
static bool is_names(const struct subschema_walk *walk, const struct json *value) {
    return value != walk->member && !may_be_schema(value);
}

const struct json *subschema_next(struct subschema_walk *walk) {
    for (;;) {
        const struct json *found = walk->next;
        if (found) {
            walk->next = found == walk->member ? NULL : found->next;
            if (!is_names(walk, found)) return found;
        } else if (walk->next_member) {
            walk->member = walk->next_member;
            walk->next_member = walk->member->next;
            walk->next = first_in(walk->member, walk->draft);
        } else return NULL;
    }
}
