/* The names of drafts. Finds out whether a schema means the same in draft-07 and in 2020-12. What
 * was renamed, split or added follows from the table of keywords; what both have and read
 * differently stands here. See https://json-schema.org/draft/2020-12/release-notes, and 2019-09's.
 */
#include "jsonschema/keywords.h"

#include "base/text.h"

bool gramc_draft_find(gramc_text name, gramc_draft *out) {
    static const struct {
        const char *name;
        gramc_draft draft;
    } drafts[] = {
        {"2020-12", GRAMC_DRAFT_2020_12},
        {"2019-09", GRAMC_DRAFT_2019_09},
        {"7", GRAMC_DRAFT_7},
        {"draft-07", GRAMC_DRAFT_7},
        {"6", GRAMC_DRAFT_6},
        {"draft-06", GRAMC_DRAFT_6},
        {"4", GRAMC_DRAFT_4},
        {"draft-04", GRAMC_DRAFT_4},
    };
    for (size_t i = 0; i < sizeof drafts / sizeof *drafts; i++) {
        if (!text_is(name, drafts[i].name)) continue;
        *out = drafts[i].draft;
        return true;
    }
    return false;
}

/* Annotations change no verdict. */
static bool is_annotation(enum keyword keyword) {
    return keyword_row(keyword)->vocabulary & (VOCABULARY_META_DATA | VOCABULARY_CONTENT);
}

/* 2020-12 keeps definitions and dependencies for old schemas, but no tool has to know them. */
static bool is_read_differently(enum keyword keyword, const struct json *value) {
    return keyword == K_REF || keyword == K_ID || keyword == K_DEFINITIONS ||
           keyword == K_DEPENDENCIES || (keyword == K_ITEMS && value->kind == JSON_ARRAY);
}

static bool differs(const struct json *member) {
    enum keyword keyword = keyword_named(member->key);
    if (keyword == K_COUNT || is_annotation(keyword)) return false;
    return keyword_in_draft(keyword, GRAMC_DRAFT_7) !=
               keyword_in_draft(keyword, GRAMC_DRAFT_2020_12) ||
           is_read_differently(keyword, member);
}

/* Recursion is as deep as the document: JSON_MAX_DEPTH at most. */
bool gramc_schema_drafts_agree(const struct json *schema) {
    if (!json_is(schema, JSON_OBJECT)) return true;
    for (const struct json *member = schema->first; member; member = member->next)
        if (differs(member)) return false;
    struct subschema_walk inner = subschema_walk(schema, GRAMC_DRAFT_AUTO);
    for (const struct json *s; (s = subschema_next(&inner)) != NULL;)
        if (!gramc_schema_drafts_agree(s)) return false;
    return true;
}
