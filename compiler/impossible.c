/* Finds types that no value satisfies though each property alone is fine, and members of unions
 * that never decide anything. Bounds that cross are schema_check.c's; types that need themselves
 * without end are definition.c's. What is not surely so is left alone. */
#include "compiler/arms.h"
#include "compiler/checking.h"
#include "compiler/definition.h"

#include "base/number.h"
#include "base/text.h"
#include "jsonschema/subsume/prove.h"

enum { MOST_MEMBERS = 16, MOST_VALUES = 500, GLANCE_STEPS = 5000, COMPARE_STEPS = 5000 };

static void report(struct pass *pass, const struct schema *schema, const char *why) {
    FIND(pass->findings, D_IMPOSSIBLE, pass->source, schema->span, text_of(why));
}

/* ## Whole numbers between bounds */

/* Beyond this a double does not hold every integer. */
static const double largest = 9007199254740992.0;

static bool read_bound(const struct schema *schema, enum type_property property, double *out) {
    gramc_text text = schema_get(schema, property);
    return text.len && number_to_double(out, text) && *out<largest && * out> - largest;
}

static int64_t floor_of(double number) {
    int64_t whole = (int64_t)number;
    return (double)whole > number ? whole - 1 : whole;
}

static int64_t ceiling_of(double number) {
    return -floor_of(-number);
}

/* The least and the greatest integer that the bounds leave; false unless both ends are bounded. */
static bool read_window(const struct schema *schema, int64_t *low, int64_t *high) {
    double bound;
    bool has_low = read_bound(schema, P_MIN, &bound), has_high = false;
    if (has_low) *low = ceiling_of(bound);
    if (read_bound(schema, P_ABOVE, &bound)) {
        int64_t above = floor_of(bound) + 1;
        *low = has_low && *low > above ? *low : above;
        has_low = true;
    }
    if (read_bound(schema, P_MAX, &bound)) {
        *high = floor_of(bound);
        has_high = true;
    }
    if (read_bound(schema, P_BELOW, &bound)) {
        int64_t below = ceiling_of(bound) - 1;
        *high = has_high && *high < below ? *high : below;
        has_high = true;
    }
    return has_low && has_high;
}

static void check_window(struct pass *pass, const struct schema *schema) {
    int64_t low = 0, high = 0, step = 0;
    bool numeric = schema->kind == TYPE_INTEGER || schema->kind == TYPE_NUMBER;
    if (!numeric || !read_window(schema, &low, &high)) return;
    gramc_text multiple = schema_get(schema, P_MULTIPLE_OF);
    bool has_step = multiple.len && number_to_int(&step, multiple) && step > 0;
    if (schema->kind == TYPE_INTEGER && low > high) {
        report(pass, schema, "there is no whole number between its bounds");
    } else if (has_step) {
        int64_t rest = low % step, first = rest > 0 ? low + (step - rest) : low - rest;
        if (first > high) report(pass, schema, "no multiple lies between its bounds");
    }
}

/* ## Enums */

static void check_twice(struct pass *pass, const struct constraint *list,
                        const struct json *values) {
    if (values->count > MOST_VALUES) return;
    for (const struct json *v = values->first; v; v = v->next)
        for (const struct json *w = values->first; w != v; w = w->next) {
            if (!json_equal(v, w)) continue;
            FIND(pass->findings, D_DUPLICATE_VALUE, pass->source, list->at,
                 text_slice(list->text, v->start, v->end));
            break;
        }
}

/* A document even of a scalar, in the arena. */
static const struct json *document_of(struct pass *pass, const struct constraint *data) {
    struct json_sink sink;
    if (constraint_json(data)) return constraint_json(data);
    json_sink_init(&sink, NULL, pass->arena);
    json_sink_scalar(&sink, data->text);
    return json_sink_document(&sink);
}

static bool holds(const struct json *values, const struct json *value) {
    const struct json *v = values->first;
    while (v && !json_equal(v, value)) v = v->next;
    return v != NULL;
}

static void check_enum(struct pass *pass, const struct schema *schema) {
    const struct constraint *list = schema_find(schema, P_ENUM);
    const struct constraint *constant = schema_find(schema, P_CONST);
    const struct json *values = list ? constraint_json(list) : NULL;
    if (!json_is(values, JSON_ARRAY)) return;
    if (!values->count) report(pass, schema, "its enum is empty");
    check_twice(pass, list, values);
    const struct json *value = constant ? document_of(pass, constant) : NULL;
    if (value && values->count && !holds(values, value))
        report(pass, schema, "its const is not in its enum");
}

/* ## How many values there are */

/* False if there are very many, or nobody knows. */
static bool count_values(const struct schema *schema, uint32_t *count) {
    const struct constraint *list = schema_find(schema, P_ENUM);
    const struct json *values = list ? constraint_json(list) : NULL;
    if (schema_raw(schema)) return false;
    if (schema_find(schema, P_CONST)) *count = 1;
    else if (values) *count = values->count;
    else if (schema->kind == TYPE_BOOLEAN) *count = 2;
    else if (schema->kind == TYPE_NULL) *count = 1;
    else return false;
    *count += schema_is_nullable(schema) ? 1 : 0;
    return true;
}

static void check_unique(struct pass *pass, const struct schema *schema) {
    const struct schema *inner = schema_inner(schema);
    int64_t least = 0;
    uint32_t count = 0;
    gramc_text text = schema_get(schema, P_MIN_ITEMS);
    bool applies = schema->kind == TYPE_ARRAY && schema_is_unique(schema) && inner && text.len;
    if (!applies || !number_to_int(&least, text) || !count_values(inner, &count)) return;
    if (least > (int64_t)count)
        report(pass, schema, "its items are unique, and there are not that many of them");
}

/* Without a rest a tuple holds no more than its own items. */
static void check_tuple(struct pass *pass, const struct schema *schema) {
    int64_t least = 0, count = 0;
    bool closed = schema->kind == TYPE_TUPLE && !schema_inner(schema);
    if (!closed || !number_to_int(&least, schema_get(schema, P_MIN_ITEMS))) return;
    for (const struct member *m = schema_members(schema); m; m = m->next) count++;
    if (count && least > count) report(pass, schema, "it needs more items than it may have");
}

/* ## Names of an object */

static bool names_leave_out(const struct schema *schema, gramc_text name) {
    const struct schema *keys = schema_keys(schema);
    const struct constraint *list = keys && !schema_raw(keys) ? schema_find(keys, P_ENUM) : NULL;
    const struct json *v = list && constraint_json(list) ? constraint_json(list)->first : NULL;
    if (!v) return false;
    while (v && !(v->kind == JSON_STRING && text_eq(v->text, name))) v = v->next;
    return v == NULL;
}

static void check_names(struct pass *pass, const struct schema *schema) {
    struct field_walk walk = field_walk(schema);
    int64_t most = 0, count = 0;
    bool limited = number_to_int(&most, schema_get(schema, P_MAX_NAMES));
    for (const struct field *f; (f = field_next(&walk)) != NULL;) {
        if (f->optional) continue;
        count++;
        if (names_leave_out(schema, f->name))
            report(pass, schema, "it needs a field whose name its keys leave out");
    }
    if (limited && count > most) report(pass, schema, "it needs more fields than it may have");
}

/* ## Lengths of formats */

static void check_format(struct pass *pass, const struct schema *schema) {
    static const struct {
        const char *format;
        int64_t least, most; /* in code points; 0: no limit */
    } lengths[] = {{"date", 10, 10}, {"date-time", 20, 0}, {"time", 9, 0},  {"uuid", 36, 36},
                   {"ipv4", 7, 15},  {"ipv6", 2, 45},      {"email", 3, 0}, {"duration", 3, 0}};
    gramc_text format = schema_get(schema, P_FORMAT);
    int64_t low = 0, high = INT64_MAX;
    if (schema->kind != TYPE_STRING || !format.len) return;
    (void)number_to_int(&low, schema_get(schema, P_MIN_LENGTH));
    if (!number_to_int(&high, schema_get(schema, P_MAX_LENGTH))) high = INT64_MAX;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (!text_is(format, lengths[i].format)) continue;
        if (high < lengths[i].least || (lengths[i].most && low > lengths[i].most))
            report(pass, schema, "no text of its format has that length");
    }
}

/* ## Members of unions */

static gramc_text name_of(const struct schema *schema) {
    if (schema->definition) return schema->definition->name;
    return schema->type ? text_of(schema->type->label) : TEXT("a list");
}

/* The members of one union; their documents are made when two of them have to be compared. */
struct arms {
    struct pass *pass;
    struct arena scratch;
    const struct schema *members[MOST_MEMBERS];
    const struct json *documents[MOST_MEMBERS];
    size_t count;
};

static const struct json *document_at(struct arms *arms, size_t i) {
    const struct json **document = &arms->documents[i];
    if (!*document) {
        *document = schema_document(&arms->scratch, arms->members[i], SCHEMA_CHECKED);
        if (*document) checking_takes(arms->pass, json_size(*document), arms->members[i]->span);
    }
    if (arms->scratch.oom) arms->pass->arena->oom = true;
    return *document;
}

/* It leads back to itself without getting any deeper: reported, and nothing to reason about. */
static bool is_endless(const struct schema *schema) {
    return schema->definition && !schema->definition->settled;
}

static bool is_part_of(struct arms *arms, size_t i, size_t j) {
    struct pass *pass = arms->pass;
    gramc_compare_options options = GRAMC_COMPARE_OPTIONS_INIT;
    uint64_t glance = GLANCE_STEPS;
    bool yes = false;
    if (is_endless(arms->members[i]) || is_endless(arms->members[j])) return false;
    if (arms_differ(arms->members[i], arms->members[j], &glance)) return false;
    options.allocator = &pass->arena->allocator;
    options.max_steps = COMPARE_STEPS;
    if (checking_is_over(pass)) return false;
    const struct json *a = document_at(arms, i), *b = document_at(arms, j);
    if (!a || !b) return false;
    checking_takes(pass, json_size(a) + json_size(b), arms->members[i]->span);
    if (subsume_prove(&yes, a, b, &options) == GRAMC_NOMEM) pass->arena->oom = true;
    return yes;
}

static void compare_members(struct pass *pass, const struct schema *schema, struct arms *arms) {
    enum diag_id id = schema->kind == TYPE_ONE_OF ? D_UNREACHABLE_MEMBER : D_NEEDLESS_MEMBER;
    const struct schema *const *members = arms->members;
    for (size_t i = 0; i < arms->count; i++)
        for (size_t j = 0; j < arms->count && !pass->arena->oom; j++) {
            if (i == j || !is_part_of(arms, i, j)) continue;
            /* Of equal ones the later is too much. */
            if (i < j && is_part_of(arms, j, i)) continue;
            struct finding *f = FIND(pass->findings, id, pass->source, members[i]->span,
                                     name_of(members[i]), name_of(members[j]));
            finding_label(pass->findings, f, pass->source, members[j]->span, "the other one");
            break;
        }
}

static void check_members(struct pass *pass, const struct schema *schema) {
    struct arms arms = {.pass = pass};
    if (!schema_is_choice(schema)) return;
    for (const struct member *m = schema->members; m; m = m->next) {
        if (arms.count < MOST_MEMBERS) arms.members[arms.count] = m->schema;
        arms.count++;
    }
    if (arms.count < 2 || arms.count > MOST_MEMBERS) return;
    arena_init(&arms.scratch, &pass->arena->allocator);
    compare_members(pass, schema, &arms);
    arena_free(&arms.scratch);
}

/* ## Types that all must fit */

/* NULL: of any type, or nobody knows. Whole numbers are numbers. */
static const char *only_type(const struct schema *schema) {
    bool unsure = schema_raw(schema) || schema_is_nullable(schema);
    const char *name = unsure ? NULL : type_json_name((enum type_kind)schema->kind);
    return name && schema->kind == TYPE_INTEGER ? type_json_name(TYPE_NUMBER) : name;
}

static bool has_field(const struct schema *schema, gramc_text name) {
    struct field_walk walk = field_walk(schema);
    const struct field *f;
    while ((f = field_next(&walk)) != NULL && !text_eq(f->name, name)) continue;
    return f != NULL;
}

/* A closed record refuses what others bring along: what they need must be its own. */
static void check_closed(struct pass *pass, const struct schema *closed,
                         const struct schema *other) {
    bool sure = schema_open(closed) == SAID_FALSE && !schema_raw(closed) && !schema_raw(other);
    if (!sure || closed->kind != TYPE_OBJECT || schema_has_all(closed)) return;
    struct field_walk walk = field_walk(other);
    for (const struct field *f; (f = field_next(&walk)) != NULL;) {
        if (f->optional || has_field(closed, f->name)) continue;
        struct finding *found = FIND(pass->findings, D_IMPOSSIBLE, pass->source, closed->span,
                                     TEXT("it is closed, and what stands beside it in AllOf needs "
                                          "a field that it does not have"));
        finding_label(pass->findings, found, pass->source, other->span, "needs a field more");
        return;
    }
}

static void check_pair(struct pass *pass, const struct schema *one, const struct schema *other) {
    const char *a = only_type(one), *b = only_type(other);
    if (a && b && a != b) {
        struct finding *f = FIND(pass->findings, D_IMPOSSIBLE, pass->source, other->span,
                                 TEXT("the types that it must fit have no value in common"));
        finding_label(pass->findings, f, pass->source, one->span, "the other one");
        return;
    }
    check_closed(pass, one, other);
    check_closed(pass, other, one);
}

static void check_all(struct pass *pass, const struct schema *schema) {
    size_t count = 0;
    for (const struct member *m = schema->all; m && count < MOST_MEMBERS; m = m->next, count++) {
        check_pair(pass, m->schema, schema);
        for (const struct member *n = schema->all; n != m; n = n->next)
            check_pair(pass, n->schema, m->schema);
    }
}

#define LOWER_BOUNDS (PROPERTY_BIT(P_MIN) | PROPERTY_BIT(P_ABOVE))
#define UPPER_BOUNDS (PROPERTY_BIT(P_MAX) | PROPERTY_BIT(P_BELOW))

void impossible_check(struct pass *pass, const struct schema *schema) {
    /* A use that adds nothing is as its type is, which was looked at. */
    if (schema->raw || (schema->base && !schema->constraints && !schema->members && !schema->all))
        return;
    uint64_t said = schema_said(schema);
    if (said & LOWER_BOUNDS && said & UPPER_BOUNDS) check_window(pass, schema);
    if (said & PROPERTY_BIT(P_ENUM)) check_enum(pass, schema);
    if (said & PROPERTY_BIT(P_MIN_ITEMS)) check_unique(pass, schema);
    if (said & PROPERTY_BIT(P_MIN_ITEMS)) check_tuple(pass, schema);
    if (said & PROPERTY_BIT(P_FORMAT)) check_format(pass, schema);
    if (schema->fields || said & PROPERTY_BIT(P_MAX_NAMES)) check_names(pass, schema);
    check_members(pass, schema);
    check_all(pass, schema);
}
