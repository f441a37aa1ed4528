/* Turns a type as it is written, `(age::Int {min: 0})`, `[Text]`, `{type: Object, fields: ...}`, a
 * named type's elements, into the schema IR. What the properties say is schema_properties.c's,
 * printing schema_json.c's, contradictions and defaults are schema_check.c's. */
#include "compiler/schema_reader.h"

#include "base/text.h"
#include "compiler/fixes.h"
#include "compiler/data.h"
#include "compiler/definition.h"
#include "compiler/meant.h"
#include "compiler/spec.h"

/* ## Fields */

static void append_field(struct pass *pass, struct field_list *list, struct field *field) {
    struct field *other = field ? field_list_add(list, field) : NULL;
    if (!other) return;
    struct finding *f =
        FIND(pass->findings, D_DUPLICATE_FIELD, pass->source, field->span, field->name);
    finding_label(pass->findings, f, pass->source, other->span, "first declared here");
}

static struct schema *schema_at(struct pass *pass, struct span span) {
    struct schema *schema = ARENA_NEW(pass->arena, struct schema);
    if (schema) schema->span = span;
    return schema;
}

/* `fields: {street: Text, zip: {type: Text}}` */
static struct field *field_of_entry(struct pass *pass, const struct property *entry) {
    struct field *field = ARENA_NEW(pass->arena, struct field);
    if (!field) return NULL;
    field->identifier = field->name = name_text(entry->key);
    field->span = name_span(entry->key);
    struct reader reader = {.pass = pass, .field = field, .from_map = true};
    if (entry->value->kind != VALUE_MAP) {
        field->schema = schema_inside(pass, entry->value);
        return field;
    }
    field->schema = reader.schema = schema_at(pass, entry->value->span);
    if (field->schema) properties_of_type(&reader, entry->value->as.entries);
    return field;
}

/* `fields: [{name: "street", type: Text}]` */
static struct field *field_of_item(struct pass *pass, const struct value *item) {
    struct field *field = ARENA_NEW(pass->arena, struct field);
    if (!field) return NULL;
    struct reader reader = {.pass = pass, .field = field, .from_map = true};
    if (item->kind != VALUE_MAP) {
        FIND(pass->findings, D_WRONG_VALUE, pass->source, item->span, TEXT("fields"),
             TEXT("maps such as {name: \"street\", type: Text}"), text_of(value_noun(item)));
        return NULL;
    }
    field->span = item->span;
    field->schema = reader.schema = schema_at(pass, item->span);
    if (field->schema) properties_of_type(&reader, item->as.entries);
    field->identifier = field->name;
    if (field->name.ptr) return field;
    FIND0(pass->findings, D_FIELD_WITHOUT_NAME, pass->source, item->span);
    return NULL;
}

void reader_read_fields(struct reader *reader, const struct property *p) {
    struct pass *pass = reader->pass;
    struct field_list list;
    field_list_init(&list, pass->arena);
    reader->schema->has_fields = true;
    if (p->value->kind == VALUE_MAP) {
        for (const struct property *e = p->value->as.entries; e; e = e->next)
            append_field(pass, &list, field_of_entry(pass, e));
    } else if (p->value->kind == VALUE_ARRAY) {
        for (const struct value *v = p->value->as.items; v; v = v->next)
            append_field(pass, &list, field_of_item(pass, v));
    } else {
        reader_wrong_value(reader, p, "a list of fields or a map from name to type");
    }
    reader->schema->fields = list.first;
}

void reader_read_patterns(struct reader *reader, const struct property *p) {
    struct pass *pass = reader->pass;
    struct field_list list;
    field_list_init(&list, pass->arena);
    if (p->value->kind != VALUE_MAP) {
        reader_wrong_value(reader, p, "a map from regular expression to type");
        return;
    }
    for (const struct property *e = p->value->as.entries; e; e = e->next) {
        struct field *field = ARENA_NEW(pass->arena, struct field);
        if (!field) return;
        field->identifier = field->name = name_text(e->key);
        field->span = name_span(e->key);
        field->schema = schema_inside(pass, e->value);
        append_field(pass, &list, field);
    }
    reader->schema->patterns = list.first;
}

/* ## Types */

/* What is built on it is wrong where it is defined. False: that was found there already. */
static bool is_news(struct pass *pass, gramc_text label) {
    const struct definition *d = definition_named(pass, label);
    return !d || !d->cyclic;
}

/* `[Color:Enum | red]`: the name is there, and it is no type. */
static void point_to_base(struct pass *pass, struct finding *f, const struct definition *d) {
    gramc_text base = name_text(d->base);
    const char *written = meant_type(base);
    finding_label(pass->findings, f, d->source, name_span(d->base), "this label is no type");
    if (written) finding_help(pass->findings, f, "for `%.*s` write `%s`", TEXT_ARGS(base), written);
}

static void unknown_type(struct pass *pass, gramc_text label, struct span span) {
    const struct definition *named = definition_named(pass, label);
    if (!is_news(pass, label)) return;
    struct finding *f = FIND(pass->findings, D_UNKNOWN_TYPE, pass->source, span, label);
    if (!f) return; /* one of very many: nobody reads what was meant */
    gramc_text near[2] = {type_nearest(label), definition_nearest(pass, label)};
    gramc_text best =
        near[0].len && near[1].len ? text_nearest(label, near, 2) : near[near[1].len ? 1 : 0];
    const char *written = meant_type(label);
    bool same = (near[1].len || (best.len && text_eq_nocase(best, label)));
    if (named) point_to_base(pass, f, named);
    else if (written && !same) finding_help(pass->findings, f, "write `%s`", written);
    else if (best.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(best));
    if (f) fix_type(pass, f, label);
}

/* What comes with a base type: its format, its bounds. */
static void say_own_constraints(struct reader *reader, const struct type_row *row,
                                struct span span) {
    reader_say(reader, P_FORMAT, text_of(row->format), span);
    if (row->one_character) {
        reader_say(reader, P_MIN_LENGTH, TEXT("1"), span);
        reader_say(reader, P_MAX_LENGTH, TEXT("1"), span);
    }
    if (row->bounds_hidden) return;
    reader_say(reader, P_MIN, text_of(row->min), span);
    reader_say(reader, P_MAX, text_of(row->max), span);
}

void reader_set_type(struct reader *reader, gramc_text label, struct span span) {
    struct schema *schema = reader->schema;
    const struct type_row *row = type_find(label);
    struct definition *definition = row ? NULL : definition_find(reader->pass, label);
    if (row) say_own_constraints(reader, row, span);
    else if (definition) row = definition->row;
    else unknown_type(reader->pass, label, span);
    if (!row) return;
    schema->type = row;
    schema->kind = (uint8_t)row->kind;
    schema->definition = definition;
    if (definition) definition->is_type = true;
    schema->base = definition ? definition->field.schema : NULL;
}

static bool is_plain(const struct type_row *row) {
    bool scalar = row->kind == TYPE_STRING || row->kind == TYPE_INTEGER ||
                  row->kind == TYPE_NUMBER || row->kind == TYPE_BOOLEAN || row->kind == TYPE_NULL;
    return scalar && !row->format && !row->min && !row->one_character;
}

/* `Text`, `Int`: a base type that says nothing is the same wherever it stands, and nothing is ever
 * found in it, so that one schema does for all of them. NULL: something else. */
static struct schema *plain_type(struct pass *pass, gramc_text label) {
    const struct type_row *row = type_find(label);
    if (!row || !is_plain(row)) return NULL;
    struct schema **shared = &pass->compilation->spec->plain_types[type_index(row)];
    if (*shared || !(*shared = ARENA_NEW(pass->arena, struct schema))) return *shared;
    (*shared)->type = row;
    (*shared)->kind = (uint8_t)row->kind;
    return *shared;
}

struct member *members_of_value(struct pass *pass, const struct value *list) {
    struct member *first = NULL, **tail = &first;
    if (list->kind != VALUE_ARRAY) {
        FIND(pass->findings, D_NOT_A_TYPE, pass->source, list->span, text_of(value_noun(list)));
        return NULL;
    }
    for (const struct value *v = list->as.items; v; v = v->next) {
        struct member *member = ARENA_NEW(pass->arena, struct member);
        if (!member) break;
        member->schema = schema_of_value(pass, v);
        *tail = member;
        tail = &member->next;
    }
    return first;
}

struct schema *schema_of_value(struct pass *pass, const struct value *value) {
    struct schema *schema = ARENA_NEW(pass->arena, struct schema);
    if (!schema) return NULL;
    struct reader reader = {.pass = pass, .schema = schema, .from_map = true};
    schema->span = value->span;
    if (value_is_name(value)) {
        reader_set_type(&reader, value_name(value), value->span);
    } else if (value->kind == VALUE_ARRAY && value->count == 1) {
        schema->kind = TYPE_ARRAY;
        schema->inner = schema_inside(pass, value->as.items);
    } else if (value->kind == VALUE_MAP) {
        properties_of_type(&reader, value->as.entries);
    } else {
        FIND(pass->findings, D_NOT_A_TYPE, pass->source, value->span, text_of(value_noun(value)));
    }
    return schema;
}

struct schema *schema_inside(struct pass *pass, const struct value *value) {
    struct schema *plain = value_is_name(value) ? plain_type(pass, value_name(value)) : NULL;
    return plain ? plain : schema_of_value(pass, value);
}

/* Fills in a schema from the label and the record of a pattern. */
void schema_read(struct pass *pass, struct schema *schema, const struct pattern *node,
                 struct field *field) {
    struct reader reader = {.pass = pass, .schema = schema, .field = field};
    const struct label *label = node->subject->labels;
    schema->span = name_span(label->name);
    reader_set_type(&reader, name_text(label->name), name_span(label->name));
    if (label->next)
        FIND0(pass->findings, D_SEVERAL_LABELS, pass->source, name_span(label->next->name));
    /* An unknown type was reported; its properties would only add noise. */
    if (schema->type) properties_of_type(&reader, node->subject->properties);
}

/* A parameter's type that is written with its name alone. Results and members have spans of their
 * own, because they have no name that findings could point at. */
static struct schema *plain_parameter(struct pass *pass, const struct subject *subject) {
    bool alone = !subject->properties && !subject->labels->next;
    return alone ? plain_type(pass, name_text(subject->labels->name)) : NULL;
}

struct schema *schema_of_node(struct pass *pass, const struct pattern *node, struct field *field) {
    bool labelled = node->subject && node->subject->labels;
    struct schema *schema = labelled && field ? plain_parameter(pass, node->subject) : NULL;
    if (!labelled || schema) return schema;
    schema = ARENA_NEW(pass->arena, struct schema);
    if (schema) schema_read(pass, schema, node, field);
    return schema;
}

void schema_reuse(struct pass *pass, struct field *field, const struct pattern *node,
                  const struct field *other) {
    struct schema *schema = ARENA_NEW(pass->arena, struct schema);
    if (!schema) return;
    *schema = (struct schema){.type = other->schema->type,
                              .base = other->schema,
                              .definition = other->schema->definition,
                              .span = node->span,
                              .kind = other->schema->kind};
    field->schema = schema;
    field->fallback = other->fallback;
    field->optional = other->optional;
    if (!text_eq(other->name, other->identifier)) field->name = other->name;
    struct reader reader = {.pass = pass, .schema = schema, .field = field};
    properties_of_type(&reader, node->subject->properties);
}

/* ## Elements of named types */

/* `(street::Text {optional: true})` in a record. */
static struct field *field_of_element(struct pass *pass, const struct pattern *element) {
    bool typed = element->kind != PATTERN_PATH && element->subject && element->subject->labels &&
                 subject_has_identifier(element->subject);
    struct field *field = typed ? ARENA_NEW(pass->arena, struct field) : NULL;
    if (!typed) FIND0(pass->findings, D_NOT_A_FIELD, pass->source, element->span);
    if (!field) return NULL;
    field->identifier = field->name = name_text(element->subject->identifier);
    field->span = name_span(element->subject->identifier);
    field->schema = schema_of_node(pass, element, field);
    return field->schema ? field : NULL;
}

/* `Circle`, or `(::Text {...})`, in a union or tuple. */
static struct schema *member_of_element(struct pass *pass, const struct pattern *element) {
    const struct subject *subject = element->subject;
    bool bare = subject && subject_has_identifier(subject) && !subject->labels &&
                !subject_has_record(subject);
    struct schema *schema = NULL;
    if (element->kind == PATTERN_PATH || !subject) {
        FIND0(pass->findings, D_NOT_A_MEMBER, pass->source, element->span);
    } else if (bare) {
        schema = ARENA_NEW(pass->arena, struct schema);
        struct reader reader = {.pass = pass, .schema = schema};
        if (schema) schema->span = element->span;
        if (schema) reader_set_type(&reader, name_text(subject->identifier), element->span);
    } else if (!(schema = schema_of_node(pass, element, NULL)) && !pass->arena->oom) {
        FIND0(pass->findings, D_NOT_A_MEMBER, pass->source, element->span);
    }
    return schema;
}

static void read_record(struct pass *pass, struct schema *schema, const struct pattern *first) {
    struct field_list list;
    field_list_init(&list, pass->arena);
    for (const struct pattern *e = first; e; e = e->next)
        append_field(pass, &list, field_of_element(pass, e));
    schema->has_fields = true;
    schema->fields = list.first;
}

static void read_members(struct pass *pass, struct schema *schema, const struct pattern *first) {
    struct member **tail = schema->kind == TYPE_ALL_OF ? &schema->all : &schema->members;
    for (const struct pattern *e = first; e; e = e->next) {
        struct schema *inner = member_of_element(pass, e);
        struct member *member = inner ? ARENA_NEW(pass->arena, struct member) : NULL;
        if (!member) continue;
        member->schema = inner;
        *tail = member;
        tail = &member->next;
    }
}

void schema_read_elements(struct pass *pass, struct schema *schema, const struct pattern *first) {
    bool of_all = schema->kind == TYPE_ALL_OF;
    bool of_members = schema->kind == TYPE_TUPLE || schema_is_choice(schema) || of_all;
    if (!first || !schema->type) return;
    bool twice = of_all       ? schema->all != NULL
                 : of_members ? schema->members != NULL
                              : schema->has_fields;
    if (twice)
        FIND(pass->findings, D_CONTRADICTION, pass->source, first->span,
             TEXT("the elements of this type are said twice"),
             TEXT("write them as elements or as a property, not both"));
    else if (of_members) read_members(pass, schema, first);
    else if (schema->kind == TYPE_OBJECT) read_record(pass, schema, first);
    else
        FIND(pass->findings, D_ELEMENTS_NOT_FOR_TYPE, pass->source, first->span,
             text_of(schema->type->label));
}
