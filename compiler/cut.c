/* Turns `pick`, `omit` and `partial` into records: between the type that says so and its base comes
 * one of its own, without a name in the source, which has the fields that are left. To everything
 * else it is a named type like others, so that recursion, size and printing need to know nothing
 * about it. What is added to it is derived.c's. */
#include "compiler/cut.h"

#include <stdio.h>

#include "base/json/sink.h"
#include "base/text.h"
#include "compiler/definition.h"
#include "compiler/name_match.h"
#include "compiler/spec.h"

enum { MOST_PARTS = 200, DEEPEST_PARTS = 32, LONGEST_NAME = 64 };

enum cut_state { CUT_NEW, CUT_BUSY, CUT_DONE };

/* A schema that says such a property. */
struct cut_request {
    struct cut_request *next;
    struct cut_request *above; /* which waits for this one */
    struct schema *schema;
    const struct source *source;
    enum cut_state state;
};

static const struct constraint *own(const struct schema *schema, enum type_property property) {
    const struct constraint *c = schema->constraints;
    while (c && c->property != property) c = c->next;
    return c;
}

bool cut_is_said(const struct schema *schema) {
    return own(schema, P_PICK) || own(schema, P_OMIT) || own(schema, P_PARTIAL);
}

static gramc_text key_of(const struct schema *const *schema) {
    return (gramc_text){(const char *)schema, sizeof *schema};
}

void cut_note(struct pass *pass, struct schema *schema) {
    struct gramc_spec *spec = pass->compilation->spec;
    struct cut_request *request = ARENA_NEW(pass->arena, struct cut_request);
    if (!request) return;
    *request = (struct cut_request){spec->cuts, NULL, schema, pass->source, CUT_NEW};
    const struct schema *const *key = (const struct schema *const *)&request->schema;
    if (map_put(&spec->cut_schemas, key_of(key), request) == request) spec->cuts = request;
}

/* ## Making one */

/* One being made. */
struct cut {
    struct pass *pass;
    struct schema *schema;           /* that says it */
    const struct constraint *names;  /* to keep or to leave out; NULL: all stay */
    const struct constraint *blamed; /* whichever was said first */
    bool picks, partial, failed;
    struct map listed; /* the names, to their marks */
    bool *marks;       /* which of them the base has */
    struct map fields; /* names that the base has */
    unsigned parts;
};

static const struct json *first_name(const struct constraint *names) {
    return names && constraint_json(names) ? constraint_json(names)->first : NULL;
}

static void refuse(struct cut *cut, const char *what, const char *instead) {
    if (!cut->failed)
        FIND(cut->pass->findings, D_CONTRADICTION, cut->pass->source, cut->blamed->at,
             text_of(what), text_of(instead));
    cut->failed = true;
}

static bool is_kept(const struct cut *cut, gramc_text name) {
    bool *mark = cut->names ? map_get(&cut->listed, name) : NULL;
    if (mark) *mark = true;
    return !cut->names || (mark != NULL) == cut->picks;
}

static struct field **copy_field(struct cut *cut, struct field **tail, const struct field *field) {
    struct field *copy = ARENA_NEW(cut->pass->arena, struct field);
    if (!copy) return tail;
    *copy = *field;
    copy->next = NULL;
    *tail = copy;
    return &copy->next;
}

/* What may be absent stays absent: nothing is filled in for it. */
static void cut_fields(struct cut *cut, struct schema *out, const struct schema *from) {
    struct field_walk walk = field_walk(from);
    struct field **tail = &out->fields;
    for (const struct field *f; (f = field_next(&walk)) != NULL;) {
        map_put(&cut->fields, f->name, cut);
        if (!is_kept(cut, f->name)) continue;
        struct field **copy = tail;
        tail = copy_field(cut, tail, f);
        if (!cut->partial || !*copy) continue;
        (*copy)->optional = true;
        (*copy)->fallback = NULL;
    }
    out->has_fields = schema_has_fields(from);
}

/* Those of the base first. */
static void cut_patterns(struct cut *cut, struct schema *out, const struct schema *from) {
    for (const struct schema *link = from; link; link = link->base) {
        struct field *behind = out->patterns, **tail = &out->patterns;
        out->patterns = NULL;
        for (const struct field *f = link->patterns; f; f = f->next)
            tail = copy_field(cut, tail, f);
        *tail = behind;
    }
}

static void say(struct cut *cut, struct schema *out, struct constraint *copy,
                const struct constraint *like) {
    if (!copy) return;
    copy->property = like->property;
    copy->at = like->at;
    copy->next = out->constraints;
    out->constraints = copy;
    cut->failed = cut->failed || cut->pass->arena->oom;
}

/* The list without the names that are left out. A name that may be absent is not required. */
static void cut_required(struct cut *cut, struct schema *out, const struct constraint *list) {
    struct data_constraint *copy = ARENA_NEW(cut->pass->arena, struct data_constraint);
    struct json_sink sink;
    struct buf text;
    size_t count = 0;
    if (!copy || cut->partial) return;
    buf_init(&text, &cut->pass->arena->allocator, SOURCE_MAX);
    json_sink_init(&sink, &text, cut->pass->arena);
    json_sink_open(&sink, JSON_ARRAY);
    for (const struct json *v = first_name(list); v; v = v->next) {
        if (!is_kept(cut, v->text)) continue;
        json_sink_string(&sink, v->text);
        count++;
    }
    json_sink_close(&sink, JSON_ARRAY);
    copy->constraint.text = arena_text(cut->pass->arena, buf_view(&text));
    copy->constraint.has_document = true;
    copy->document = json_sink_document(&sink);
    if (text.state == BUF_NOMEM) cut->pass->arena->oom = true;
    buf_free(&text);
    if (count && copy->document) say(cut, out, &copy->constraint, list);
}

/* Words, and how many names there may be. Examples and what names whole records go without. */
static void cut_constraints(struct cut *cut, struct schema *out, const struct schema *from) {
    static const uint64_t kept = PROPERTY_BIT(P_TITLE) | PROPERTY_BIT(P_DESCRIPTION) |
                                 PROPERTY_BIT(P_MIN_NAMES) | PROPERTY_BIT(P_MAX_NAMES) |
                                 PROPERTY_BIT(P_READ_ONLY) | PROPERTY_BIT(P_WRITE_ONLY) |
                                 PROPERTY_BIT(P_META);
    for (const struct schema *link = from; link; link = link->base)
        for (const struct constraint *c = link->constraints; c; c = c->next) {
            bool whole = c->property == P_ENUM || c->property == P_CONST;
            if (whole) refuse(cut, "the base lists whole records", "write the fields anew");
            if (c->property == P_REQUIRED) cut_required(cut, out, c);
            if (!(PROPERTY_BIT(c->property) & kept) || own(out, c->property)) continue;
            struct data_constraint *copy = ARENA_NEW(cut->pass->arena, struct data_constraint);
            if (!copy) return;
            copy->constraint.text = c->text;
            copy->constraint.has_document = c->has_document;
            copy->document = constraint_json(c);
            say(cut, out, &copy->constraint, c);
        }
}

static void cut_record(struct cut *cut, struct schema *out, const struct schema *from,
                       unsigned depth);

/* Each of the types that must all fit is cut the same. */
static void cut_all(struct cut *cut, struct schema *out, const struct schema *from,
                    unsigned depth) {
    struct member **tail = &out->all;
    for (const struct schema *link = from; link; link = link->base)
        for (const struct member *m = link->all; m && !cut->failed; m = m->next) {
            struct member *copy = ARENA_NEW(cut->pass->arena, struct member);
            struct schema *schema = ARENA_NEW(cut->pass->arena, struct schema);
            if (!copy || !schema) return;
            copy->schema = schema;
            *tail = copy;
            tail = &copy->next;
            if (m->schema) cut_record(cut, schema, m->schema, depth + 1);
        }
}

/* Recursion is bounded by DEEPEST_PARTS, and the work by MOST_PARTS. */
static void cut_record(struct cut *cut, struct schema *out, const struct schema *from,
                       unsigned depth) {
    static const unsigned records = 1U << TYPE_OBJECT | 1U << TYPE_MAP | 1U << TYPE_ALL_OF;
    if (!(records & 1U << from->kind))
        refuse(cut, "only records have fields to choose from", "name one, or write the fields");
    else if (schema_raw(from))
        refuse(cut, "nothing is known about the fields of a `schema`", "write the fields anew");
    else if (depth > DEEPEST_PARTS || ++cut->parts > MOST_PARTS)
        refuse(cut, "the base is made of too many types", "write the fields anew");
    if (cut->failed) return;
    *out = (struct schema){.type = from->type, .span = cut->schema->span, .kind = from->kind};
    out->open = (uint8_t)schema_open(from);
    out->nullable = schema_is_nullable(from) ? SAID_TRUE : UNSAID;
    out->deprecated = schema_is_deprecated(from) ? SAID_TRUE : UNSAID;
    for (const struct schema *link = from; link; link = link->base) {
        if (!out->values) out->values = link->values;
        if (!out->keys) out->keys = link->keys;
    }
    cut_fields(cut, out, from);
    cut_patterns(cut, out, from);
    cut_constraints(cut, out, from);
    cut_all(cut, out, from, depth);
}

/* ## Names that are listed */

static void cut_begin(struct cut *cut, struct pass *pass, struct schema *schema) {
    const struct constraint *pick = own(schema, P_PICK), *omit = own(schema, P_OMIT);
    *cut = (struct cut){.pass = pass, .schema = schema, .names = pick ? pick : omit};
    cut->picks = pick != NULL;
    cut->partial = own(schema, P_PARTIAL) != NULL;
    cut->blamed = cut->names ? cut->names : own(schema, P_PARTIAL);
    map_init(&cut->listed, pass->arena);
    map_init(&cut->fields, pass->arena);
    size_t count = cut->names ? constraint_json(cut->names)->count : 0, i = 0;
    cut->marks = arena_array(pass->arena, count + 1, sizeof *cut->marks);
    if (!cut->marks) return;
    for (const struct json *v = first_name(cut->names); v; v = v->next, i++) {
        cut->marks[i] = false;
        if (map_put(&cut->listed, v->text, &cut->marks[i]) == &cut->marks[i]) continue;
        FIND(pass->findings, D_WRONG_VALUE, pass->source, cut->names->at,
             pick ? TEXT("pick") : TEXT("omit"), TEXT("each name once"), v->text);
        cut->marks[i] = true;
    }
}

static gramc_text base_name(const struct schema *schema) {
    if (schema->definition) return schema->definition->name;
    return schema->type ? text_of(schema->type->label) : TEXT("the base");
}

static void report_missing(const struct cut *cut, gramc_text name) {
    struct pass *pass = cut->pass;
    gramc_text *known = arena_array(pass->arena, cut->fields.count + 1, sizeof *known);
    size_t count = 0;
    struct finding *f = FIND(pass->findings, D_NO_SUCH_FIELD, pass->source, cut->names->at,
                             base_name(cut->schema), name);
    for (size_t i = 0; known && i < cut->fields.size; i++)
        if (cut->fields.slots[i].value) known[count++] = cut->fields.slots[i].key;
    struct field_walk walk = field_walk(cut->schema->base);
    for (const struct field *other; (other = field_next(&walk)) != NULL;)
        if (text_eq(other->identifier, name)) {
            finding_help(pass->findings, f, "its name on the wire is `%.*s`",
                         TEXT_ARGS(other->name));
            return;
        }
    gramc_text near = known ? text_nearest(name, known, count) : (gramc_text){NULL, 0};
    if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
}

static void report_names(const struct cut *cut) {
    size_t i = 0;
    for (const struct json *v = first_name(cut->names); v; v = v->next, i++)
        if (!cut->marks[i]) report_missing(cut, v->text);
}

/* ## The type in between */

/* `Contact_pick_name_home`: what it is, so that it is called so wherever the types stand. */
static gramc_text put_name(struct cut *cut, unsigned number) {
    struct buf name;
    buf_init(&name, &cut->pass->arena->allocator, SOURCE_MAX);
    buf_text(&name, base_name(cut->schema));
    size_t base = name.len;
    if (cut->names) buf_puts(&name, cut->picks ? "_pick" : "_omit");
    for (const struct json *v = first_name(cut->names); v; v = v->next) {
        if (name.len + v->text.len > base + LONGEST_NAME) break;
        buf_printf(&name, "_%.*s", TEXT_ARGS(v->text));
    }
    if (cut->partial) buf_puts(&name, "_partial");
    if (number > 1) buf_printf(&name, "_%u", number);
    if (name.state == BUF_NOMEM) cut->pass->arena->oom = true;
    gramc_text copy = arena_text(cut->pass->arena, buf_view(&name));
    buf_free(&name);
    return copy;
}

static bool says_the_same(const struct schema *a, const struct schema *b) {
    static const enum type_property properties[] = {P_PICK, P_OMIT, P_PARTIAL};
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const struct constraint *x = own(a, properties[i]), *y = own(b, properties[i]);
        if (!x != !y || (x && !text_eq(x->text, y->text))) return false;
    }
    return true;
}

/* The same cut of the same base is one type. */
static struct definition *find_type(struct cut *cut, gramc_text *name, const struct schema *base) {
    const struct gramc_spec *spec = cut->pass->compilation->spec;
    for (unsigned number = 1;; number++) {
        *name = put_name(cut, number);
        struct definition *d = name->ptr ? registry_get(&spec->definitions, *name) : NULL;
        if (!d) return NULL;
        if (d->cut_by && d->cut_from == base && says_the_same(d->cut_by, cut->schema)) return d;
    }
}

static struct definition *add_type(struct cut *cut, gramc_text name, const struct schema *base) {
    struct gramc_spec *spec = cut->pass->compilation->spec;
    struct definition *d = ARENA_NEW(cut->pass->arena, struct definition);
    struct schema *said = ARENA_NEW(cut->pass->arena, struct schema);
    struct schema *schema = ARENA_NEW(cut->pass->arena, struct schema);
    if (!d || !schema || !said) return NULL;
    cut_record(cut, schema, base, 0);
    if (!cut->failed) report_names(cut);
    if (cut->failed) return NULL;
    *said = *cut->schema;
    *d = (struct definition){.name = name, .name_at = cut->schema->span, .row = schema->type};
    d->source = cut->pass->source;
    d->field = (struct field){.identifier = name, .name = name, .schema = schema};
    d->field.span = d->name_at;
    d->state = DEFINITION_DONE;
    d->is_type = true;
    d->cut_from = base;
    d->cut_by = said;
    *spec->last_definition = d;
    spec->last_definition = &d->next;
    registry_add(&spec->definitions, name, d);
    return d;
}

static void make(struct pass *pass, struct cut_request *request) {
    struct schema *schema = request->schema;
    struct cut cut;
    gramc_text name;
    request->state = CUT_DONE;
    pass->source = request->source;
    cut_begin(&cut, pass, schema);
    if (!cut.marks) return;
    if (!schema->base) {
        refuse(&cut, "`pick`, `omit` and `partial` take the fields of a named record",
               "write the fields that it has");
        return;
    }
    struct definition *d = find_type(&cut, &name, schema->base);
    if (!d && name.ptr) d = add_type(&cut, name, schema->base);
    if (!d) return;
    schema->base = d->field.schema;
    schema->definition = d;
}

/* ## All of them, each behind what it is built on */

static struct cut_request *find_waiting(const struct gramc_spec *spec, const struct schema *schema,
                                        unsigned depth) {
    struct cut_request *found = NULL;
    if (depth > DEEPEST_PARTS) return NULL;
    for (; schema && !found; schema = schema->base) {
        found = map_get(&spec->cut_schemas, key_of(&schema));
        if (found && found->state != CUT_NEW) found = NULL;
        for (const struct member *m = schema->all; m && !found; m = m->next)
            found = find_waiting(spec, m->schema, depth + 1);
    }
    return found;
}

void cuts_make(struct pass *pass, struct gramc_spec *spec) {
    const struct source *source = pass->source;
    for (struct cut_request *r = spec->cuts; r && !pass->arena->oom; r = r->next)
        for (struct cut_request *top = r->state == CUT_NEW ? r : NULL; top;) {
            top->state = CUT_BUSY;
            struct cut_request *below = find_waiting(spec, top->schema->base, 0);
            if (below) {
                below->above = top;
                top = below;
                continue;
            }
            make(pass, top);
            top = top->above;
        }
    spec->cuts = NULL;
    pass->source = source;
}

/* ## What is said about names that are left out */

static bool has_field(const struct schema *schema, gramc_text name) {
    struct field_walk walk = field_walk(schema);
    const struct field *f;
    while ((f = field_next(&walk)) != NULL && !text_eq(f->name, name)) continue;
    return f != NULL;
}

static void report_left_out(struct pass *pass, const struct schema *schema, gramc_text name,
                            const char *by) {
    FIND(pass->findings, D_LEFT_OUT_NAMED, pass->source, schema->span, name, text_of(by));
}

/* The name of a field that the base of the cut has and the type does not. */
static void check_left_out(struct pass *pass, const struct schema *schema, gramc_text name) {
    const struct schema *keys = schema_keys(schema);
    const struct constraint *members = keys && !schema_raw(keys) ? schema_find(keys, P_ENUM) : NULL;
    if (schema_requires(schema, name)) report_left_out(pass, schema, name, "`required` lists it");
    for (const struct schema *link = schema; link; link = link->base)
        for (const struct field *f = link->patterns; f; f = f->next)
            if (name_matches(pass, f->name, name))
                report_left_out(pass, schema, name, "`patterns` match it");
    const struct json *v = first_name(members);
    while (v && !(v->kind == JSON_STRING && text_eq(v->text, name))) v = v->next;
    if (v) report_left_out(pass, schema, name, "`keys` name it");
}

void cut_check(struct pass *pass, const struct schema *schema) {
    const struct definition *d = schema->definition;
    if (!d || !d->cut_from || schema->base != d->field.schema || !cut_is_said(schema)) return;
    struct field_walk walk = field_walk(d->cut_from);
    for (const struct field *f; (f = field_next(&walk)) != NULL;)
        if (!has_field(schema, f->name)) check_left_out(pass, schema, f->name);
}
