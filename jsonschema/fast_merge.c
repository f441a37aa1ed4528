/* Makes one node of several that apply at the same place ($ref, allOf, unevaluated*), so that the
 * fast path reads a value once and needs no document. What cannot be merged (alternatives,
 * conditions, a second pattern for a string) is looked at beside it as before. Where what is
 * evaluated is not known before there is an instance, the node stays with the evaluator. */
#include "jsonschema/compile.h"
#include "jsonschema/fast.h"

#include "base/text.h"

enum {
    MOST_PARTS = 16,
    MOST_NODES = 64,       /* that are looked at to merge one */
    MOST_MERGED = 1 << 16, /* properties in all merged nodes of a schema... */
    MOST_SEEN = 1 << 18    /* ...and nodes looked at for them */
};

/* Nodes that apply at the place of one. */
struct merge {
    struct schema_compiler *c;
    const struct schema_node *node;
    const struct schema_node *parts[MOST_PARTS]; /* become one */
    const struct schema_node *apart[MOST_PARTS]; /* are looked at beside it */
    size_t part_count, apart_count, seen;
    unsigned types; /* that all parts allow */
    bool fits;      /* there was room for all of them */
};

/* ## Which nodes become one */

static bool says_something(const struct schema_node *node) {
    return node->types != TYPE_BIT_ALL || node->values || node->number || node->string ||
           node->array || node->object;
}

/* Nothing but conjunction. */
static bool is_plain(const struct schema_node *node) {
    const struct applicators *a = node->apply;
    if (node->mode == MODE_TREE || node->flags & NODE_UNEVALUATED) return false;
    return !a || (!a->any.count && !a->one.count && !a->no && !a->if_node);
}

static bool has_patterns(const struct schema_node *node) {
    return node->object && node->object->pattern_count;
}
static bool has_additional(const struct schema_node *node) {
    return node->object && node->object->additional;
}

/* Which members are additional depends on patterns: only where just one of the two is there can it
 * be known before. */
static bool get_along(const struct schema_node *a, const struct schema_node *b) {
    if (has_patterns(a) && (has_additional(a) || has_additional(b))) return false;
    if (has_patterns(b) && (has_additional(a) || has_additional(b))) return false;
    if (a->object && b->object && a->object->names && b->object->names) return false;
    return !(a->values && b->values) && !(a->number && b->number) && !(a->string && b->string) &&
           !(a->array && b->array);
}

static void add_to(struct merge *merge, const struct schema_node **list, size_t *count,
                   const struct schema_node *node) {
    if (*count < MOST_PARTS) list[(*count)++] = node;
    else merge->fits = false;
}

/* What a node says itself. A part that must stand apart does so with all that applies there. */
static bool add_part(struct merge *merge, const struct schema_node *node) {
    bool fine = true;
    for (size_t i = 0; i < merge->part_count && fine; i++) fine = get_along(merge->parts[i], node);
    if (!fine) return false;
    merge->types &= node->types;
    if (says_something(node)) add_to(merge, merge->parts, &merge->part_count, node);
    return true;
}

static void gather(struct merge *merge, const struct schema_node *node);

static void gather_inner(struct merge *merge, const struct schema_node *node) {
    const struct applicators *a = node->apply;
    if (!a) return;
    if (a->ref) gather(merge, a->ref);
    if (a->dynamic) gather(merge, a->dynamic->target);
    for (size_t i = 0; i < a->all.count && merge->fits; i++) gather(merge, a->all.nodes[i]);
}

/* Chains of applicators are at most SCHEMA_CHAIN_MAX long, and here at most MOST_NODES. */
static void gather(struct merge *merge, const struct schema_node *node) {
    for (size_t i = 0; i < merge->part_count; i++)
        if (merge->parts[i] == node) return;
    if (++merge->seen > MOST_NODES) merge->fits = false;
    if (!merge->fits) return;
    if (is_plain(node) && add_part(merge, node)) gather_inner(merge, node);
    else add_to(merge, merge->apart, &merge->apart_count, node);
}

/* ## What they evaluate */

static bool is_named(const struct merge *merge, gramc_text key) {
    for (size_t i = 0; i < merge->part_count; i++) {
        const struct object_rules *rules = merge->parts[i]->object;
        const struct schema_property *property = rules ? find_property(rules, key) : NULL;
        if (property && property->node) return true;
    }
    return false;
}

static bool adds_properties(const struct merge *merge, const struct object_rules *rules) {
    if (!rules) return false;
    if (rules->additional || rules->pattern_count) return true;
    for (size_t i = 0; i < rules->property_count; i++)
        if (rules->properties[i].node && !is_named(merge, rules->properties[i].key)) return true;
    return false;
}

static bool adds_any(struct merge *merge, const struct schema_node *node);

static bool list_adds(struct merge *merge, const struct node_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (adds_any(merge, list->nodes[i])) return true;
    return false;
}

static bool dependents_add(struct merge *merge, const struct object_rules *rules) {
    for (size_t i = 0; rules && i < rules->dependent_count; i++)
        if (rules->dependents[i].node && adds_any(merge, rules->dependents[i].node)) return true;
    return false;
}

/* What a node may evaluate by its applicators that the parts do not. */
static bool applied_adds(struct merge *merge, const struct applicators *a) {
    if (!a) return false;
    if (a->unevaluated_items || a->unevaluated_properties || (a->dynamic && a->dynamic->dynamic))
        return true;
    return (a->ref && adds_any(merge, a->ref)) ||
           (a->dynamic && adds_any(merge, a->dynamic->target)) || list_adds(merge, &a->all) ||
           list_adds(merge, &a->any) || list_adds(merge, &a->one) ||
           (a->if_node && adds_any(merge, a->if_node)) ||
           (a->then_node && adds_any(merge, a->then_node)) ||
           (a->else_node && adds_any(merge, a->else_node));
}

static bool adds_any(struct merge *merge, const struct schema_node *node) {
    const struct applicators *own = merge->node->apply;
    if (++merge->seen > MOST_NODES) return true;
    if (own->unevaluated_items && node->array) return true;
    if (own->unevaluated_properties && adds_properties(merge, node->object)) return true;
    return dependents_add(merge, node->object) || applied_adds(merge, node->apply);
}

/* Everything that is evaluated here is known from the parts. */
static bool knows_evaluated(struct merge *merge) {
    const struct applicators *own = merge->node->apply;
    struct applicators branches = {.any = own->any,
                                   .one = own->one,
                                   .if_node = own->if_node,
                                   .then_node = own->then_node,
                                   .else_node = own->else_node};
    for (size_t i = 0; i < merge->part_count; i++) {
        const struct schema_node *part = merge->parts[i];
        if (own->unevaluated_items && part->array && part->array->contains) return false;
        if (dependents_add(merge, part->object)) return false;
    }
    for (size_t i = 0; i < merge->apart_count; i++)
        if (adds_any(merge, merge->apart[i])) return false;
    return !applied_adds(merge, &branches);
}

/* ## One node of all */

/* Several nodes at one place, of which it is not worth to make one. */
static const struct schema_node *all_of(struct merge *merge, const struct schema_node **nodes,
                                        size_t count) {
    struct schema_compiler *c = merge->c;
    struct schema_node *node = ARENA_NEW(c->arena, struct schema_node);
    struct applicators *apply = ARENA_NEW(c->arena, struct applicators);
    const struct schema_node **list = arena_array(c->arena, count, sizeof *list);
    if (!node || !apply || !list) {
        compile_stop(c, GRAMC_NOMEM);
        return NULL;
    }
    memcpy(list, nodes, count * sizeof *list);
    apply->all = (struct node_list){list, count};
    *node = (struct schema_node){.types = TYPE_BIT_ALL,
                                 .kinds = TYPE_BIT_ALL,
                                 .mode = MODE_LOOK,
                                 .apply = apply,
                                 .look = apply,
                                 .place = merge->node->place,
                                 .resource = merge->node->resource};
    for (size_t i = 0; i < count; i++) node->kinds &= nodes[i]->kinds;
    return node->same = node;
}

/* The node for what all of a list say together; NULL: nothing, or no memory. */
static const struct schema_node *together(struct merge *merge, const struct schema_node **nodes,
                                          size_t count) {
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t j = 0; j < different && !known; j++) known = nodes[j] == nodes[i];
        if (!known) nodes[different++] = nodes[i];
    }
    if (different == 0) return NULL;
    return different == 1 ? nodes[0] : all_of(merge, nodes, different);
}

/* What all parts say about a member. */
static struct schema_property property_of_all(struct merge *merge, gramc_text key) {
    const struct schema_node *nodes[MOST_PARTS];
    struct schema_property out = {.key = key, .required = NO_REQUIRED};
    size_t count = 0;
    for (size_t i = 0; i < merge->part_count; i++) {
        const struct object_rules *rules = merge->parts[i]->object;
        const struct schema_property *property = rules ? find_property(rules, key) : NULL;
        if (!rules) continue;
        if (property && property->required != NO_REQUIRED) out.required = 0;
        if (property && property->initial) out.initial = property->initial;
        if (property && property->node) nodes[count++] = property->node;
        else if (rules->additional) nodes[count++] = rules->additional;
    }
    out.node = together(merge, nodes, count);
    return out;
}

static bool was_before(const struct merge *merge, size_t part, gramc_text key) {
    for (size_t i = 0; i < part; i++)
        if (merge->parts[i]->object && find_property(merge->parts[i]->object, key)) return true;
    return false;
}

static bool merge_properties(struct merge *merge, struct object_rules *out) {
    for (size_t i = 0; i < merge->part_count; i++) {
        const struct object_rules *rules = merge->parts[i]->object;
        for (uint32_t j = rules ? rules->first : 0; rules && j < rules->property_count;
             j = rules->properties[j].next) {
            if (was_before(merge, i, rules->properties[j].key)) continue;
            struct schema_property *property = &out->properties[out->property_count++];
            *property = property_of_all(merge, rules->properties[j].key);
            property->next = (uint32_t)out->property_count;
            if (property->required != NO_REQUIRED) property->required = out->required_count++;
        }
    }
    return merge->c->status == GRAMC_OK;
}

static bool merge_patterns(struct merge *merge, struct object_rules *out, size_t count) {
    struct pattern_property *patterns = arena_array(merge->c->arena, count, sizeof *patterns);
    if (!patterns) return compile_stop(merge->c, GRAMC_NOMEM);
    out->patterns = patterns;
    for (size_t i = 0; i < merge->part_count; i++) {
        const struct object_rules *rules = merge->parts[i]->object;
        for (size_t j = 0; rules && j < rules->pattern_count; j++)
            patterns[out->pattern_count++] = rules->patterns[j];
    }
    return true;
}

static bool merge_dependents(struct merge *merge, struct object_rules *out, size_t count) {
    struct dependent *dependents = arena_array(merge->c->arena, count, sizeof *dependents);
    if (!dependents) return compile_stop(merge->c, GRAMC_NOMEM);
    out->dependents = dependents;
    for (size_t i = 0; i < merge->part_count; i++) {
        const struct object_rules *rules = merge->parts[i]->object;
        for (size_t j = 0; rules && j < rules->dependent_count; j++)
            dependents[out->dependent_count++] = rules->dependents[j];
    }
    return true;
}

/* How much there is of what is put together. */
struct merged_sizes {
    size_t properties, patterns, dependents;
};

/* The rules about the whole object, and what else is to be counted. */
static struct merged_sizes merge_rules(struct merge *merge, struct object_rules *out) {
    const struct schema_node *additional[MOST_PARTS];
    struct merged_sizes sizes = {0, 0, 0};
    size_t count = 0;
    for (size_t i = 0; i < merge->part_count; i++) {
        const struct object_rules *rules = merge->parts[i]->object;
        if (!rules) continue;
        if (rules->min > out->min) out->min = rules->min;
        if (rules->max < out->max) out->max = rules->max;
        if (rules->names) out->names = rules->names;
        if (rules->additional) additional[count++] = rules->additional;
        sizes.properties += rules->property_count;
        sizes.patterns += rules->pattern_count;
        sizes.dependents += rules->dependent_count;
    }
    out->additional =
        count ? together(merge, additional, count) : merge->node->apply->unevaluated_properties;
    return sizes;
}

static bool merge_objects(struct merge *merge, struct schema_node *node) {
    struct schema_compiler *c = merge->c;
    struct object_rules *rules = ARENA_NEW(c->arena, struct object_rules);
    if (!rules) return compile_stop(c, GRAMC_NOMEM);
    rules->max = UINT32_MAX;
    const struct merged_sizes sizes = merge_rules(merge, rules);
    rules->properties = arena_array(c->arena, sizes.properties + 1, sizeof *rules->properties);
    if (!rules->properties) return compile_stop(c, GRAMC_NOMEM);
    node->object = rules;
    return merge_properties(merge, rules) &&
           (!sizes.patterns || merge_patterns(merge, rules, sizes.patterns)) &&
           (!sizes.dependents || merge_dependents(merge, rules, sizes.dependents)) &&
           fast_prepare_members(c, rules);
}

static bool merge_arrays(struct merge *merge, struct schema_node *node) {
    const struct schema_node *rest = merge->node->apply->unevaluated_items;
    if (!rest || (node->array && node->array->rest)) return true;
    struct array_rules *rules = ARENA_NEW(merge->c->arena, struct array_rules);
    if (!rules) return compile_stop(merge->c, GRAMC_NOMEM);
    *rules = node->array ? *node->array : (struct array_rules){.max = UINT32_MAX};
    rules->rest = rest;
    node->array = rules;
    return true;
}

/* One that says all there is to say about objects is shared. */
static bool choose_object(struct merge *merge, struct schema_node *node) {
    bool more = merge->node->apply->unevaluated_properties != NULL;
    for (size_t i = 0; i < merge->part_count; i++) {
        struct object_rules *rules = merge->parts[i]->object;
        more |= rules && node->object;
        if (rules) node->object = rules;
    }
    return !more || merge_objects(merge, node);
}

/* Parts get along: of scalars' rules at most one has any. */
static bool merge_parts(struct merge *merge, struct schema_node *node) {
    *node = (struct schema_node){.types = (uint8_t)merge->types,
                                 .kinds = merge->node->kinds,
                                 .flags = merge->node->flags & NODE_JSON_TEXT,
                                 .place = merge->node->place,
                                 .resource = merge->node->resource};
    node->same = node;
    for (size_t i = 0; i < merge->part_count; i++) {
        const struct schema_node *part = merge->parts[i];
        if (!(part->types & TYPE_BIT_FRACTION)) node->flags |= part->flags & NODE_WRITTEN;
        if (part->values) node->values = part->values;
        if (part->string) node->string = part->string;
        if (part->number) node->number = part->number;
        if (part->array) node->array = part->array;
    }
    return choose_object(merge, node) && merge_arrays(merge, node) &&
           fast_choose_mode(merge->c, node);
}

/* ## All nodes */

/* Applicators of the node that are left beside the merged one. */
static bool leave_apart(struct merge *merge, struct applicators *look) {
    const struct applicators *own = merge->node->apply;
    const struct schema_node **list =
        arena_array(merge->c->arena, merge->apart_count + 1, sizeof *list);
    if (!list) return compile_stop(merge->c, GRAMC_NOMEM);
    memcpy(list, merge->apart, merge->apart_count * sizeof *list);
    *look = (struct applicators){.all = {list, merge->apart_count},
                                 .any = own->any,
                                 .one = own->one,
                                 .no = own->no,
                                 .if_node = own->if_node,
                                 .then_node = own->then_node,
                                 .else_node = own->else_node};
    return true;
}

static bool merge_all(struct merge *merge, struct schema_node *node) {
    const struct applicators *own = node->apply;
    struct schema_node *merged = ARENA_NEW(merge->c->arena, struct schema_node);
    struct applicators *look = ARENA_NEW(merge->c->arena, struct applicators);
    if (!merged || !look) return compile_stop(merge->c, GRAMC_NOMEM);
    if (!merge_parts(merge, merged) || !leave_apart(merge, look)) return false;
    bool alone =
        !merge->apart_count && !own->any.count && !own->one.count && !own->no && !own->if_node;
    node->itself = merged;
    node->look = look;
    node->mode = alone ? MODE_MERGED : MODE_LOOK;
    return true;
}

static size_t count_properties(const struct merge *merge) {
    size_t count = 1;
    for (size_t i = 0; i < merge->part_count; i++)
        if (merge->parts[i]->object) count += merge->parts[i]->object->property_count;
    return count;
}

/* Of a node that has a document read for it: because of what is unevaluated, and nothing else. */
static bool is_worth_it(const struct schema_node *node) {
    const struct applicators *a = node->apply;
    if (!a || node->same != node || (node->mode != MODE_LOOK && node->mode != MODE_TREE))
        return false;
    if (node->mode == MODE_TREE && !fast_needs_only_evaluated(node)) return false;
    return a->ref || a->dynamic || a->all.count || a->unevaluated_items ||
           a->unevaluated_properties;
}

bool fast_merge_nodes(struct schema_compiler *c) {
    size_t total = 0, seen = 0;
    for (struct schema_node *node = c->schema->nodes; node; node = node->next) {
        struct merge merge = {.c = c, .node = node, .types = TYPE_BIT_ALL, .fits = true};
        if (!is_worth_it(node)) continue;
        add_part(&merge, node);
        gather_inner(&merge, node);
        bool fits = merge.fits && (!(node->flags & NODE_UNEVALUATED) || knows_evaluated(&merge));
        if ((seen += merge.seen) > MOST_SEEN) break;
        if (!fits) continue;
        total += count_properties(&merge);
        if (total > MOST_MERGED) break;
        if (!merge_all(&merge, node)) return false;
    }
    return c->status == GRAMC_OK;
}
