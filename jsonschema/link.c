/* Finishes a compiled schema once all its nodes are there: finds references that go in circles,
 * works out which kinds of values a node can accept at all, fills in defaults, closes the root of a
 * tool call, and prepares the tables of the fast path. Works in the order of applicators, inner
 * nodes first; recursion is as deep as the longest chain of them, SCHEMA_CHAIN_MAX at most. */
#include "jsonschema/compile.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

enum { LONGEST_REF_TO_DEFAULT = 8, FEW_PROPERTIES = 8 };

const struct schema_property *find_property(const struct object_rules *rules, gramc_text key) {
    size_t low = 0, high = rules->property_count;
    for (size_t i = 0; high <= FEW_PROPERTIES && i < high; i++)
        if (text_eq(key, rules->properties[i].key)) return &rules->properties[i];
    if (high <= FEW_PROPERTIES) return NULL;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = text_compare(key, rules->properties[middle].key);
        if (order == 0) return &rules->properties[middle];
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

const struct schema_property *find_next_property(const struct object_rules *rules, gramc_text key,
                                                 uint32_t *likely) {
    const struct schema_property *property =
        *likely < rules->property_count ? &rules->properties[*likely] : NULL;
    if (!property || !text_eq(property->key, key)) property = find_property(rules, key);
    if (property) *likely = property->next;
    return property;
}

/* What a node refers to that says nothing else, or NULL. */
static const struct schema_node *only_reference(const struct schema_node *node) {
    const struct applicators *a = node->apply;
    bool refers = a && !a->ref != !a->dynamic && node->types == TYPE_BIT_ALL && !node->values &&
                  !node->number && !node->string && !node->array && !node->object &&
                  !a->all.count && !a->any.count && !a->one.count && !a->no && !a->if_node &&
                  !a->unevaluated_items && !a->unevaluated_properties;
    if (!refers || (a->dynamic && a->dynamic->dynamic)) return NULL;
    return a->ref ? a->ref : a->dynamic->target;
}

/* ## Dynamic references */

/* What a dynamic reference means to those who come from this resource; NULL: nothing. */
static const struct schema_node *dynamic_anchor(const struct resource *resource, gramc_text name) {
    if (!name.ptr) return resource->recursive_anchor ? resource->root_node : NULL;
    const struct anchor *anchor = resource_anchor(resource, name, true);
    return anchor ? anchor->node : NULL;
}

/* What is around everything and may have anchors: the schema, or what it refers to alone. */
static const struct resource *outermost(const struct gramc_schema *schema) {
    const struct schema_node *node = schema->root, *target;
    for (unsigned i = 0; i < SCHEMA_CHAIN_MAX && !node->resource->anchors; i++) {
        if (node->resource->recursive_anchor || !(target = only_reference(node))) break;
        node = target;
    }
    return node->resource;
}

/* The outermost resource decides what a dynamic reference means. */
static void settle_dynamic(struct schema_compiler *c) {
    const struct resource *around = outermost(c->schema);
    c->schema->dynamic = false;
    for (const struct schema_node *node = c->schema->nodes; node; node = node->next) {
        struct dynamic_ref *ref = node->apply ? node->apply->dynamic : NULL;
        if (!ref || !ref->dynamic) continue;
        const struct schema_node *target = dynamic_anchor(around, ref->name);
        if (target) *ref = (struct dynamic_ref){.target = target, .name = ref->name};
        c->schema->dynamic |= ref->dynamic;
    }
}

/* ## Circles and kinds */

struct chain {
    struct schema_compiler *c;
    const struct schema_node *from;
    uint16_t longest;
};

static bool link_node(struct schema_compiler *c, const struct schema_node *node, unsigned depth);

/* Links a node that applies where another one does. NULL is fine. */
static bool link_inner(struct chain *chain, const struct schema_node *inner, unsigned depth) {
    if (!inner) return true;
    if (inner->flags & NODE_OPEN)
        return compile_fail(chain->c, inner->resource->document, inner->schema,
                            "references go in a circle without ever moving into the instance");
    if (!link_node(chain->c, inner, depth + 1)) return false;
    if (inner->chain >= chain->longest) chain->longest = (uint16_t)(inner->chain + 1);
    return true;
}

static bool link_list(struct chain *chain, const struct node_list *list, unsigned depth) {
    for (size_t i = 0; i < list->count; i++)
        if (!link_inner(chain, list->nodes[i], depth)) return false;
    return true;
}

static bool link_dependents(struct chain *chain, const struct object_rules *rules, unsigned depth) {
    for (size_t i = 0; rules && i < rules->dependent_count; i++)
        if (!link_inner(chain, rules->dependents[i].node, depth)) return false;
    return true;
}

static bool link_apply(struct chain *chain, const struct applicators *apply, unsigned depth) {
    if (!apply) return true;
    return link_inner(chain, apply->ref, depth) &&
           link_inner(chain, apply->dynamic ? apply->dynamic->target : NULL, depth) &&
           link_list(chain, &apply->all, depth) && link_list(chain, &apply->any, depth) &&
           link_list(chain, &apply->one, depth) && link_inner(chain, apply->no, depth) &&
           link_inner(chain, apply->if_node, depth) && link_inner(chain, apply->then_node, depth) &&
           link_inner(chain, apply->else_node, depth);
}

static unsigned types_of_all(const struct json *list) {
    unsigned types = 0;
    for (const struct json *value = list->first; value; value = value->next)
        types |= type_of(value);
    return types;
}

static unsigned union_of(const struct node_list *list) {
    unsigned kinds = list->count ? 0 : TYPE_BIT_ALL;
    for (size_t i = 0; i < list->count; i++) kinds |= list->nodes[i]->kinds;
    return kinds;
}

static unsigned kinds_of(const struct schema_node *node) {
    const struct applicators *apply = node->apply;
    unsigned kinds = node->types;
    if (node_constant(node)) kinds &= type_of(node_constant(node));
    if (node_choices(node)) kinds &= types_of_all(node_choices(node));
    if (!apply) return kinds;
    if (apply->ref) kinds &= apply->ref->kinds;
    if (apply->dynamic && !apply->dynamic->dynamic) kinds &= apply->dynamic->target->kinds;
    for (size_t i = 0; i < apply->all.count; i++) kinds &= apply->all.nodes[i]->kinds;
    return kinds & union_of(&apply->any) & union_of(&apply->one);
}

/* The node that says the same, never NULL. */
static const struct schema_node *same_as(const struct schema_node *node) {
    const struct schema_node *target = only_reference(node);
    return target ? target->same : node;
}

static const char chain_too_long[] =
    "more than 256 schemas apply to the same place, each by way of the one before";

static bool link_node(struct schema_compiler *c, const struct schema_node *const_node,
                      unsigned depth) {
    /* The nodes of a schema under construction are ours to write. */
    struct schema_node *node = resources_location(c, const_node->schema, NULL)->node;
    struct chain chain = {c, node, 0};
    if (node->flags & NODE_LINKED) return true;
    compile_enter(c, node->resource->document, node->schema);
    if (depth > SCHEMA_CHAIN_MAX) return compile_limit(c, chain_too_long);
    node->flags |= NODE_OPEN;
    if (!link_apply(&chain, node->apply, depth) || !link_dependents(&chain, node->object, depth))
        return false;
    node->flags = (uint8_t)((node->flags & ~NODE_OPEN) | NODE_LINKED);
    node->chain = chain.longest;
    if (node->chain > SCHEMA_CHAIN_MAX) {
        compile_enter(c, node->resource->document, node->schema);
        return compile_limit(c, chain_too_long);
    }
    node->kinds = (uint8_t)kinds_of(node);
    if (node->apply && (node->apply->unevaluated_items || node->apply->unevaluated_properties))
        node->flags |= NODE_UNEVALUATED;
    node->same = c->schema->dynamic ? node : same_as(node);
    return true;
}

/* ## Defaults */

/* The default of a node, which many may refer to, is kept once. NULL without memory. */
static const struct json *kept_default(struct schema_compiler *c, const struct schema_node *node,
                                       const struct json *initial) {
    struct location *location = resources_location(c, node->schema, NULL);
    if (!location->initial) location->initial = keep_value(c, node->resource->document, initial);
    return location->initial;
}

/* A schema's own default, or that of the schema it refers to. */
static const struct json *default_of(struct schema_compiler *c, const struct schema_node *node) {
    for (int i = 0; node && i < LONGEST_REF_TO_DEFAULT; i++) {
        const struct json *initial = json_get(node->schema, "default");
        if (initial) return initial->kind == JSON_NULL ? NULL : kept_default(c, node, initial);
        node = node->apply ? node->apply->ref : NULL;
    }
    return NULL;
}

static bool fill_defaults(struct schema_compiler *c, const struct schema_node *node) {
    if (!node->object) return true;
    struct schema_property *properties = node->object->properties;
    for (size_t i = 0; i < node->object->property_count; i++)
        properties[i].initial = default_of(c, properties[i].node);
    return c->status == GRAMC_OK;
}

/* Those that are required, and what else is to be known of all properties together. */
static bool list_required(struct schema_compiler *c, struct object_rules *rules) {
    uint32_t *asked = arena_array(c->arena, rules->required_count, sizeof *asked);
    if (!asked) return compile_stop(c, GRAMC_NOMEM);
    rules->asked = asked;
    for (uint32_t i = rules->first; i < rules->property_count; i = rules->properties[i].next) {
        const struct schema_property *property = &rules->properties[i];
        rules->has_nodes |= property->node != NULL;
        if (property->required == NO_REQUIRED) continue;
        *asked++ = i;
        rules->required_undefaulted += !property->initial;
    }
    return true;
}

/* Chains the properties in the order in which the schema writes them. */
static bool chain_properties(struct schema_compiler *c, struct object_rules *rules) {
    size_t count = 0;
    for (size_t i = 0; i < rules->property_count; i++)
        if (rules->properties[i].next >= count) count = rules->properties[i].next + 1;
    uint32_t *at = arena_array(&c->scratch, count, sizeof *at);
    if (!at) return compile_stop(c, GRAMC_NOMEM);
    for (size_t i = 0; i < rules->property_count; i++)
        at[rules->properties[i].next] = (uint32_t)i + 1;
    uint32_t *link = &rules->first;
    for (size_t i = 0; i < count; i++) {
        if (!at[i]) continue;
        *link = at[i] - 1;
        link = &rules->properties[at[i] - 1].next;
    }
    *link = (uint32_t)rules->property_count;
    return list_required(c, rules);
}

/* ## The root of a tool call */

/* What nothing in the schema says: it has no place there. */
static const struct schema_node refusing = {.flags = NODE_LINKED | NODE_CLOSED, .same = &refusing};

/* The root as the caller sees it; a copy where the schema refers to its own root, which stays open
 * there. NULL without memory. */
static struct schema_node *root_to_close(struct schema_compiler *c) {
    struct schema_node *root = c->root;
    if (!c->root_is_shared) return root;
    struct schema_node *closed = ARENA_NEW(c->arena, struct schema_node);
    struct object_rules *rules = root->object ? ARENA_NEW(c->arena, struct object_rules) : NULL;
    if (!closed || (root->object && !rules)) return NULL;
    *closed = *root;
    if (rules) *rules = *root->object;
    closed->object = rules;
    closed->next = NULL;
    c->last->next = closed;
    c->last = closed;
    c->schema->root = closed;
    return closed;
}

static bool refuse_unevaluated(struct schema_compiler *c, struct schema_node *closed) {
    struct applicators *more = ARENA_NEW(c->arena, struct applicators);
    if (!more) return compile_stop(c, GRAMC_NOMEM);
    if (closed->apply) *more = *closed->apply;
    more->unevaluated_properties = &refusing;
    closed->apply = more;
    closed->flags |= NODE_UNEVALUATED;
    return true;
}

/* The root takes no unknown members: `additionalProperties: false`, or, where other schemas apply
 * as well, `unevaluatedProperties: false`. */
static bool close_root(struct schema_compiler *c) {
    const struct schema_node *root = c->root;
    if (root->schema->kind != JSON_OBJECT || (root->object && root->object->additional) ||
        (root->apply && root->apply->unevaluated_properties))
        return true;
    struct schema_node *closed = root_to_close(c);
    if (!closed) return compile_stop(c, GRAMC_NOMEM);
    closed->same = closed;
    closed->flags |= NODE_CLOSED;
    if (closed->apply || (closed->object && closed->object->dependent_count))
        return refuse_unevaluated(c, closed);
    if (!closed->object) {
        closed->object = ARENA_NEW(c->arena, struct object_rules);
        if (!closed->object) return compile_stop(c, GRAMC_NOMEM);
        closed->object->max = UINT32_MAX;
    }
    closed->object->additional = &refusing;
    return true;
}

bool link_nodes(struct schema_compiler *c) {
    if (c->schema->dynamic) settle_dynamic(c);
    for (const struct schema_node *node = c->schema->nodes; node; node = node->next)
        if (!link_node(c, node, 0)) return false;
    for (const struct schema_node *node = c->schema->nodes; node; node = node->next) {
        if (!fill_defaults(c, node)) return false;
        if (node->object && !chain_properties(c, node->object)) return false;
    }
    if (c->options->closed_root && !close_root(c)) return false;
    for (struct schema_node *node = c->schema->nodes; node; node = node->next)
        if (!fast_prepare_node(c, node)) return false;
    return fast_merge_nodes(c) && fast_discern_nodes(c) && fast_prepare_defaults(c);
}
