/* Finds the member that tells alternatives apart: each of them gives it a constant or a list, as
 * `kind` in a union of shapes. What is wrong with an object is then told by the alternative that it
 * names, not by the one that happens to come nearest. Sentences are report.c's. */
#include "jsonschema/discriminate.h"

enum { MOST_RULES = 16, MOST_HOPS = 8, PROPERTIES_PER_STEP = 8, STEPS_PER_ALTERNATIVE = 4 };

/* What a schema says of members, also through $ref and allOf. */
struct member_rules {
    const struct object_rules *list[MOST_RULES];
    size_t count;
};

/* Breadth first, as far as there is room: a circle of references ends by that. */
static struct member_rules member_rules(const struct schema_node *node) {
    const struct schema_node *queue[MOST_RULES] = {node};
    struct member_rules rules = {.count = 0};
    size_t end = 1;
    for (size_t i = 0; i < end; i++) {
        const struct applicators *apply = queue[i]->apply;
        if (queue[i]->object) rules.list[rules.count++] = queue[i]->object;
        if (!apply) continue;
        if (apply->ref && end < MOST_RULES) queue[end++] = apply->ref;
        for (size_t k = 0; k < apply->all.count && end < MOST_RULES; k++)
            queue[end++] = apply->all.nodes[k];
    }
    return rules;
}

/* The schema that lists the values of a member; NULL: none does. */
static const struct schema_node *listing(const struct schema_property *property) {
    const struct schema_node *node = property ? property->node : NULL;
    for (size_t hops = 0; node && hops < MOST_HOPS; hops++) {
        if (node->values) return node;
        node = node->apply ? node->apply->ref : NULL;
    }
    return NULL;
}

bool discriminate_applies(const struct schema_node *alternative) {
    return alternative->kinds & TYPE_BIT_OBJECT;
}

const struct schema_node *discriminate_values(const struct schema_node *alternative,
                                              gramc_text name) {
    struct member_rules rules = member_rules(alternative);
    for (size_t i = 0; discriminate_applies(alternative) && i < rules.count; i++) {
        const struct schema_node *found = listing(find_property(rules.list[i], name));
        if (found) return found;
    }
    return NULL;
}

static bool is_required(const struct schema_node *alternative, gramc_text name) {
    struct member_rules rules = member_rules(alternative);
    for (size_t i = 0; i < rules.count; i++) {
        const struct schema_property *property = find_property(rules.list[i], name);
        if (property && property->required != NO_REQUIRED) return true;
    }
    return false;
}

static bool is_single(const struct schema_node *values) {
    return node_constant(values) || node_choices(values)->count == 1;
}

const struct json *discriminate_next(const struct schema_node *values, const struct json *value) {
    if (!values) return NULL;
    if (node_constant(values)) return value ? NULL : node_constant(values);
    return value ? value->next : node_choices(values)->first;
}

static bool lists(struct evaluation *evaluation, const struct schema_node *values,
                  const struct json *wanted) {
    const struct json *value = discriminate_next(values, NULL);
    for (; value; value = discriminate_next(values, value))
        if (json_equal_within(value, wanted, &evaluation->steps)) return true;
    return false;
}

bool discriminate_names(struct evaluation *evaluation, const struct discriminator *by,
                        const struct schema_node *alternative) {
    return lists(evaluation, discriminate_values(alternative, by->name), by->member);
}

/* Whether two alternatives list some value both. */
static bool overlap(struct evaluation *evaluation, const struct schema_node *a,
                    const struct schema_node *b) {
    const struct json *value = discriminate_next(a, NULL);
    for (; value; value = discriminate_next(a, value))
        if (lists(evaluation, b, value)) return true;
    return false;
}

/* Every alternative lists values of this member. Where each has a single one, some may share it (a
 * version in all of them tells nothing, though); else the values of the first are its own. */
static bool tells_apart(struct evaluation *evaluation, const struct node_list *list, size_t first,
                        gramc_text name) {
    const struct schema_node *values = discriminate_values(list->nodes[first], name);
    bool single = is_single(values);
    size_t others = 0, shared = 0;
    if (!evaluation_take(evaluation, STEPS_PER_ALTERNATIVE * list->count)) return false;
    for (size_t i = first + 1; i < list->count; i++) {
        if (!discriminate_applies(list->nodes[i])) continue;
        const struct schema_node *other = discriminate_values(list->nodes[i], name);
        if (!other) return false;
        single = single && is_single(other);
        others++;
        shared += overlap(evaluation, values, other);
        if (shared && !single) return false;
    }
    return shared < others;
}

static bool find_name(struct evaluation *evaluation, const struct node_list *list, size_t first,
                      gramc_text *name) {
    struct member_rules rules = member_rules(list->nodes[first]);
    for (size_t i = 0; i < rules.count; i++) {
        const struct object_rules *object = rules.list[i];
        if (!evaluation_take(evaluation, object->property_count / PROPERTIES_PER_STEP))
            return false;
        for (size_t k = 0; k < object->property_count; k++) {
            *name = object->properties[k].key;
            if (listing(&object->properties[k]) && tells_apart(evaluation, list, first, *name))
                return true;
        }
    }
    return false;
}

/* Fills in what the object says; false where that tells nothing. */
static bool look_at(struct evaluation *evaluation, const struct node_list *list,
                    const struct json *object, struct discriminator *out) {
    if (!evaluation_take(evaluation, 1 + object->count / PROPERTIES_PER_STEP +
                                         STEPS_PER_ALTERNATIVE * list->count))
        return false;
    out->member = json_get_text(object, out->name);
    out->named = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!discriminate_applies(list->nodes[i])) continue;
        if (out->member) out->named += discriminate_names(evaluation, out, list->nodes[i]);
        else if (!is_required(list->nodes[i], out->name)) return false;
    }
    return evaluation->steps > 0 || evaluation_limit(evaluation, LIMIT_WORK);
}

bool discriminate(struct evaluation *evaluation, const struct node_list *list,
                  const struct json *value, struct discriminator *out) {
    size_t first = 0;
    if (value->kind != JSON_OBJECT) return false;
    while (first < list->count && !discriminate_applies(list->nodes[first])) first++;
    return first < list->count && find_name(evaluation, list, first, &out->name) &&
           look_at(evaluation, list, value, out);
}
