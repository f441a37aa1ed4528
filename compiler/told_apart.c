/* Checks the discriminator of a union: each member is a record that must have the field, with one
 * value that no other member has. The validator finds such fields by itself; what is said is held
 * against what is there, so that nobody is promised a name that does not tell. */
#include "compiler/told_apart.h"

#include "base/text.h"
#include "compiler/definition.h"

enum { DEEPEST = 32 };

/* Why a member cannot be told by the field. */
static void report(struct pass *pass, const struct schema *member, gramc_text name,
                   const char *why) {
    gramc_text of = member->definition ? member->definition->name
                    : member->type     ? text_of(member->type->label)
                                       : TEXT("a list");
    struct finding *f =
        FIND(pass->findings, D_NOT_TOLD_APART, pass->source, member->span, name, of, text_of(why));
    finding_help(pass->findings, f, "give it a field `%.*s` with a `const` of its own",
                 TEXT_ARGS(name));
}

/* Also one that stands in a type of `allOf`. */
static const struct field *find_field(const struct schema *schema, gramc_text name,
                                      unsigned depth) {
    struct field_walk walk = field_walk(schema);
    const struct field *found;
    while ((found = field_next(&walk)) != NULL && !text_eq(found->name, name)) continue;
    for (const struct schema *link = schema; link && depth && !found; link = link->base)
        for (const struct member *m = link->all; m && !found; m = m->next)
            if (m->schema) found = find_field(m->schema, name, depth - 1);
    return found;
}

/* The only value of a field, as JSON; empty: it has several, or nobody knows. */
static gramc_text only_value(const struct schema *schema) {
    const struct constraint *value = schema_find(schema, P_CONST);
    const struct constraint *list = value ? NULL : schema_find(schema, P_ENUM);
    const struct json *values = list ? constraint_json(list) : NULL;
    if (schema_raw(schema) || schema_is_nullable(schema)) return TEXT("");
    if (value) return value->text;
    if (!json_is(values, JSON_ARRAY) || values->count != 1) return TEXT("");
    return text_slice(list->text, values->first->start, values->first->end);
}

/* The value by which it is told; empty, with a finding: by none. */
static gramc_text value_of(struct pass *pass, const struct schema *member, gramc_text name) {
    static const unsigned records = 1U << TYPE_OBJECT | 1U << TYPE_ALL_OF;
    bool is_record = records & 1U << member->kind && !schema_is_nullable(member);
    const struct field *field = is_record ? find_field(member, name, DEEPEST) : NULL;
    gramc_text value = field && field->schema ? only_value(field->schema) : TEXT("");
    if (!is_record) report(pass, member, name, "is no record");
    else if (!field) report(pass, member, name, "has no such field");
    else if (field->optional && !schema_requires(member, name))
        report(pass, member, name, "may be without it");
    else if (!value.len) report(pass, member, name, "may have several values there");
    else return value;
    return TEXT("");
}

static void report_same(struct pass *pass, const struct schema *one, const struct schema *other,
                        gramc_text name, gramc_text value) {
    struct finding *f =
        FIND(pass->findings, D_TOLD_THE_SAME, pass->source, other->span, name, value,
             one->definition ? one->definition->name : TEXT("another member"));
    finding_label(pass->findings, f, pass->source, one->span, "the other one");
}

void told_apart_check(struct pass *pass, const struct schema *schema) {
    gramc_text name = schema_get(schema, P_BY);
    struct map seen;
    const struct constraint *own = schema->constraints;
    while (own && own->property != P_BY) own = own->next;
    if (!name.len || (!own && !schema->members)) return;
    map_init(&seen, pass->arena);
    for (const struct member *m = schema_members(schema); m; m = m->next) {
        gramc_text value = m->schema ? value_of(pass, m->schema, name) : TEXT("");
        struct schema *first = value.len ? map_put(&seen, value, m->schema) : NULL;
        if (first && first != m->schema) report_same(pass, first, m->schema, name, value);
    }
}
