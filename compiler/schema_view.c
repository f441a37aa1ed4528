/* Answers what a type says in the end: what is written at the place of use, else what its base
 * says. The chain from use to base is short, and was checked to have no cycle when it was made. */
#include "compiler/definition.h"

#include "base/text.h"

uint64_t schema_said(const struct schema *schema) {
    uint64_t said = 0;
    for (; schema; schema = schema->base)
        for (const struct constraint *c = schema->constraints; c; c = c->next)
            said |= PROPERTY_BIT(c->property);
    return said;
}

const struct constraint *schema_find(const struct schema *schema, enum type_property property) {
    for (; schema; schema = schema->base)
        for (const struct constraint *c = schema->constraints; c; c = c->next)
            if (c->property == property) return c;
    return NULL;
}

gramc_text schema_get(const struct schema *schema, enum type_property property) {
    const struct constraint *c = schema_find(schema, property);
    return c ? c->text : (gramc_text){NULL, 0};
}

const struct json *constraint_json(const struct constraint *c) {
    return c->has_document ? ((const struct data_constraint *)(const void *)c)->document : NULL;
}

bool schema_is_nullable(const struct schema *schema) {
    while (schema && schema->nullable == UNSAID) schema = schema->base;
    return schema && schema->nullable == SAID_TRUE;
}

bool schema_is_unique(const struct schema *schema) {
    while (schema && schema->unique == UNSAID) schema = schema->base;
    return schema && schema->unique == SAID_TRUE;
}

bool schema_is_deprecated(const struct schema *schema) {
    while (schema && schema->deprecated == UNSAID) schema = schema->base;
    return schema && schema->deprecated == SAID_TRUE;
}

enum said schema_open(const struct schema *schema) {
    while (schema && schema->open == UNSAID) schema = schema->base;
    return schema ? (enum said)schema->open : UNSAID;
}

const struct schema *schema_inner(const struct schema *schema) {
    while (schema && !schema->inner) schema = schema->base;
    return schema ? schema->inner : NULL;
}

const struct schema *schema_values(const struct schema *schema) {
    while (schema && !schema->values) schema = schema->base;
    return schema ? schema->values : NULL;
}

const struct schema *schema_keys(const struct schema *schema) {
    while (schema && !schema->keys) schema = schema->base;
    return schema ? schema->keys : NULL;
}

bool schema_has_patterns(const struct schema *schema) {
    while (schema && !schema->patterns) schema = schema->base;
    return schema != NULL;
}

static bool lists_name(const struct constraint *c, gramc_text name) {
    const struct json *list = c->property == P_REQUIRED ? constraint_json(c) : NULL;
    const struct json *v = list ? list->first : NULL;
    while (v && !text_eq(v->text, name)) v = v->next;
    return v != NULL;
}

bool schema_requires(const struct schema *schema, gramc_text name) {
    for (; schema; schema = schema->base) {
        for (const struct field *f = schema->fields; f; f = f->next)
            if (!f->optional && text_eq(f->name, name)) return true;
        for (const struct constraint *c = schema->constraints; c; c = c->next)
            if (lists_name(c, name)) return true;
    }
    return false;
}

const struct member *schema_members(const struct schema *schema) {
    while (schema && !schema->members) schema = schema->base;
    return schema ? schema->members : NULL;
}

bool schema_is_choice(const struct schema *schema) {
    return schema->kind == TYPE_ANY_OF || schema->kind == TYPE_ONE_OF;
}

bool schema_has_all(const struct schema *schema) {
    while (schema && !schema->all) schema = schema->base;
    return schema != NULL;
}

const struct raw_schema *schema_raw(const struct schema *schema) {
    while (schema && !schema->raw) schema = schema->base;
    return schema ? schema->raw : NULL;
}

bool schema_has_fields(const struct schema *schema) {
    while (schema && !schema->has_fields) schema = schema->base;
    return schema != NULL;
}

/* The links of the chain right in front of `at`, seen from the place of use: as many as there is
 * room for, so that a long chain is not searched for each of them. */
static void note_links(struct field_walk *walk) {
    unsigned count = 0;
    for (const struct schema *s = walk->schema; s != walk->at; s = s->base)
        walk->links[count++ % WALKED_LINKS] = s;
    walk->left = count < WALKED_LINKS ? count : WALKED_LINKS;
    walk->newest = count;
}

/* Towards the place of use; NULL behind it. */
static const struct schema *next_link(struct field_walk *walk) {
    if (walk->at == walk->schema) return NULL;
    if (!walk->left) note_links(walk);
    walk->left--;
    return walk->links[--walk->newest % WALKED_LINKS];
}

struct field_walk field_walk(const struct schema *schema) {
    struct field_walk walk;
    walk.schema = schema;
    walk.at = schema;
    walk.left = walk.newest = 0;
    if (schema->base) {
        walk.at = NULL;
        walk.at = next_link(&walk);
    }
    walk.next = walk.at->fields;
    return walk;
}

/* From the deepest base towards the place of use. */
const struct field *field_next(struct field_walk *walk) {
    while (!walk->next && walk->at) {
        walk->at = next_link(walk);
        walk->next = walk->at ? walk->at->fields : NULL;
    }
    const struct field *field = walk->next;
    if (field) walk->next = field->next;
    return field;
}

/* ## Parts */

struct part_walk part_walk(const struct schema *schema) {
    return (struct part_walk){.schema = schema};
}

/* The single ones first, then the lists. */
bool part_next(struct part_walk *walk, const struct schema **part) {
    const struct schema *s = walk->schema;
    const struct schema *single[] = {s->inner, s->values, s->keys};
    const struct field *fields[] = {walk->skips_fields ? NULL : s->fields, s->patterns};
    const struct member *members[] = {s->members, s->all};
    enum { SINGLE = 3, LISTS = 2 };
    while (!walk->field && !walk->member && walk->stage < SINGLE + 2 * LISTS) {
        unsigned at = walk->stage++;
        if (at < SINGLE && single[at]) {
            *part = single[at];
            return true;
        }
        if (at < SINGLE) continue;
        at -= SINGLE;
        if (at < LISTS) walk->field = fields[at];
        else walk->member = members[at - LISTS];
    }
    *part = walk->field ? walk->field->schema : walk->member ? walk->member->schema : NULL;
    if (walk->field) walk->field = walk->field->next;
    else if (walk->member) walk->member = walk->member->next;
    else return false;
    return true;
}

bool schema_adds_parts(const struct schema *schema) {
    const struct schema *type = schema->definition ? schema->definition->field.schema : NULL;
    for (; type && schema && schema != type; schema = schema->base)
        if (schema->inner || schema->values || schema->fields || schema->patterns ||
            schema->members)
            return true;
    return false;
}

/* ## Lists of fields */

enum { LONG_LIST = 16 };

void field_list_init(struct field_list *list, struct arena *arena) {
    *list = (struct field_list){.first = NULL};
    list->tail = &list->first;
    map_init(&list->seen, arena);
}

/* Short lists are searched from the front: nearly all are, and a map would cost more. */
static struct field *find_or_note(struct field_list *list, struct field *field) {
    if (list->count < LONG_LIST) {
        for (struct field *f = list->first; f; f = f->next)
            if (text_eq(f->name, field->name)) return f;
        return field;
    }
    if (list->count == LONG_LIST)
        for (struct field *f = list->first; f; f = f->next) map_put(&list->seen, f->name, f);
    return map_put(&list->seen, field->name, field);
}

struct field *field_list_add(struct field_list *list, struct field *field) {
    struct field *other = find_or_note(list, field);
    if (other != field) return other;
    *list->tail = field;
    list->tail = &field->next;
    list->count++;
    return NULL;
}
