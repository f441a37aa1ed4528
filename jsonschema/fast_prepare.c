/* Prepares a linked schema for the fast path: keys and choices to compare sixteen bytes at once,
 * bounds as machine numbers, and for each node how it can be run. */
#include "jsonschema/compile.h"
#include "jsonschema/fast.h"

#include <string.h>

#include "base/text.h"

enum { MOST_FAST = 64, MANY_KEYS = 16 };

/* ## What accepts everything */

static const struct fast_key no_key = {.mask = {0}};

const struct object_rules schema_any_members = {
    .max = UINT32_MAX, .fast = {.keys = &no_key}, .other = &schema_any, .simple = true};

#define ANY(start, bits, how, ...)                                                                 \
    [start] = {.types = TYPE_BIT_ALL,                                                              \
               .kinds = (bits),                                                                    \
               .mode = (how),                                                                      \
               .same = &any_variants[start],                                                       \
               __VA_ARGS__}

static const struct schema_node any_variants[STARTS] = {
    ANY(START_NONE, 0, MODE_NOTHING, .least = 0),
    ANY(START_STRING, TYPE_BIT_STRING, MODE_TEXT, .least = 0),
    ANY(START_NUMBER, TYPE_BIT_NUMBER, MODE_NUMBER, .least = INT64_MIN, .most = INT64_MAX),
    ANY(START_WORD, TYPE_BIT_BOOLEAN | TYPE_BIT_NULL, MODE_WORD, .least = 0),
    ANY(START_OBJECT, TYPE_BIT_OBJECT, MODE_OBJECT, .members = &schema_any_members),
    ANY(START_ARRAY, TYPE_BIT_ARRAY, MODE_ARRAY, .least = 0),
};

const struct schema_node schema_any = {.types = TYPE_BIT_ALL,
                                       .kinds = TYPE_BIT_ALL,
                                       .mode = MODE_MIXED,
                                       .variants = any_variants,
                                       .same = &schema_any};

/* ## Names */

/* A text that cannot stand in a JSON string without an escape is never found by its bytes. */
static bool needs_escape(gramc_text text) {
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == '"' || text.ptr[i] == '\\')
            return true;
    return false;
}

static struct fast_key fast_key(gramc_text text, const struct schema_node *node) {
    struct fast_key key = {.head = {1}, .text = text, .node = node}; /* 1: no masked byte is */
    size_t len = text.len < 15 ? text.len : 15;
    if (needs_escape(text)) return key;
    memset(key.mask, 0xFF, len + 1);
    memcpy(key.head, text.ptr, len);
    key.head[len] = text.len > len ? (unsigned char)text.ptr[len] : '"';
    return key;
}

/* Room for keys, each in a cache line of its own. */
static struct fast_key *fast_room(struct schema_compiler *c, size_t count) {
    _Static_assert(sizeof(struct fast_key) == ARENA_LINE || sizeof(void *) < 8,
                   "a key is a cache line, and less where pointers are short");
    return arena_lines(c->arena, count * sizeof(struct fast_key));
}

static void add_key(struct fast_keys *table, struct fast_key *keys, gramc_text text,
                    const struct schema_node *node) {
    keys[table->count] = fast_key(text, node);
    keys[table->count].bit = UINT64_C(1) << (table->count & 63);
    table->count++;
    if (text.len > table->longest) table->longest = (uint32_t)text.len;
}

/* A table of keys while it is ours to write. */
struct key_maker {
    struct schema_compiler *c;
    struct fast_keys *table;
    struct fast_key *keys;
    uint32_t *slots; /* NULL: they are few */
};

static bool put_in_slot(struct key_maker *maker, size_t i) {
    gramc_text text = maker->keys[i].text;
    size_t at = (size_t)fast_hash(text.ptr, text.len), mask = maker->table->slot_mask;
    if (!maker->slots) return true;
    for (; maker->slots[at & mask]; at++)
        if (!compile_step(maker->c)) return false;
    maker->slots[at & mask] = (uint32_t)i + 1;
    return true;
}

/* For at most so many keys. Sizes are powers of two, twice as large as need be. */
static bool hash_keys(struct key_maker *maker, size_t most) {
    size_t size = 4 * MANY_KEYS;
    if (most <= MANY_KEYS) return true;
    while (size < 2 * most) size *= 2;
    maker->slots = arena_zalloc(maker->c->arena, size * sizeof *maker->slots);
    if (!maker->slots) return compile_stop(maker->c, GRAMC_NOMEM);
    maker->table->slots = maker->slots;
    maker->table->slot_mask = (uint32_t)size - 1;
    for (size_t i = 0; i < maker->table->count; i++)
        if (!put_in_slot(maker, i)) return false;
    return true;
}

bool fast_make_keys(struct schema_compiler *c, struct fast_keys *out, const gramc_text *texts,
                    const uint64_t *bits, size_t count) {
    struct key_maker maker = {.c = c, .table = out, .keys = fast_room(c, count)};
    if (!maker.keys) return compile_stop(c, GRAMC_NOMEM);
    *out = (struct fast_keys){.keys = maker.keys};
    for (size_t i = 0; i < count; i++) {
        add_key(out, maker.keys, texts[i], NULL);
        maker.keys[i].bit = bits[i];
    }
    return hash_keys(&maker, count);
}

/* ## Objects */

static void note_default(struct schema_compiler *c, struct object_rules *rules, uint64_t bit) {
    rules->defaults |= bit;
    c->schema->has_defaults = true;
}

/* How the fast path has a property: bits in masks, or flags of its own. */
static void add_property(struct schema_compiler *c, struct object_rules *rules,
                         struct fast_key *keys, const struct schema_property *property) {
    const struct schema_node *other = rules->additional ? rules->additional->same : &schema_any;
    const struct schema_node *node = property->node ? property->node->same : NULL;
    size_t i = rules->fast.count;
    uint64_t bit = UINT64_C(1) << (i & 63);
    bool required = property->required != NO_REQUIRED;
    add_key(&rules->fast, keys, property->key, node || !rules->simple ? node : other);
    if (rules->simple) {
        if (required) rules->required |= bit;
        if (property->initial) note_default(c, rules, bit);
        return;
    }
    keys[i].bit = (required ? FAST_REQUIRED : 0) | (property->initial ? FAST_DEFAULT : 0);
    if (!property->initial) return;
    rules->defaults++;
    c->schema->has_defaults = true;
}

static bool prepare_initials(struct schema_compiler *c, struct object_rules *rules) {
    rules->initials = NULL;
    if (!rules->defaults || !rules->simple) return true;
    rules->initials = arena_zalloc(c->arena, rules->fast.count * sizeof *rules->initials);
    return rules->initials || compile_stop(c, GRAMC_NOMEM);
}

/* ## Dependents */

/* How many names dependents say, and how many of them no property has: one that comes twice counts
 * twice. */
struct dependent_names {
    size_t all, others;
};

static struct dependent_names count_names(const struct object_rules *rules) {
    struct dependent_names names = {0, 0};
    for (size_t i = 0; i < rules->dependent_count; i++) {
        const struct dependent *dependent = &rules->dependents[i];
        const struct json *name = dependent->names ? dependent->names->first : NULL;
        names.others += !find_property(rules, dependent->key);
        for (; name; name = name->next, names.all++)
            names.others += !find_property(rules, name->text);
    }
    return names;
}

/* The place of a name among the fast keys, where it may be new. */
static bool place_of(struct key_maker *maker, const struct object_rules *rules, gramc_text name,
                     uint32_t *place) {
    const struct schema_node *other = rules->additional ? rules->additional->same : &schema_any;
    const struct fast_key *key = run_find_text(maker->table, name);
    *place = (uint32_t)(key ? (size_t)(key - maker->keys) : maker->table->count);
    if (key) return true;
    add_key(maker->table, maker->keys, name, rules->simple ? other : NULL);
    if (!rules->simple) maker->keys[*place].bit = 0;
    return put_in_slot(maker, *place);
}

static bool prepare_dependents(struct key_maker *maker, struct object_rules *rules,
                               size_t all_names) {
    struct arena *arena = maker->c->arena;
    struct fast_dependent *out = arena_array(arena, rules->dependent_count, sizeof *out);
    uint32_t *names = arena_array(arena, all_names + 1, sizeof *names);
    rules->fast_dependents = out;
    if (!out || !names) return compile_stop(maker->c, GRAMC_NOMEM);
    for (size_t i = 0; i < rules->dependent_count; i++) {
        const struct dependent *dependent = &rules->dependents[i];
        const struct json *name = dependent->names ? dependent->names->first : NULL;
        out[i] = (struct fast_dependent){.names = names,
                                         .node = dependent->node ? dependent->node->same : NULL};
        if (!place_of(maker, rules, dependent->key, &out[i].key)) return false;
        for (; name; name = name->next, out[i].count++)
            if (!place_of(maker, rules, name->text, names++)) return false;
    }
    return true;
}

bool fast_prepare_members(struct schema_compiler *c, struct object_rules *rules) {
    struct dependent_names names = count_names(rules);
    size_t count = rules->property_count, most = count + names.others;
    const struct schema_node *other = rules->additional ? rules->additional->same : &schema_any;
    struct key_maker maker = {.c = c, .table = &rules->fast, .keys = fast_room(c, most)};
    rules->other = other->types ? other : NULL;
    rules->fast = (struct fast_keys){.keys = maker.keys};
    rules->required = rules->defaults = 0;
    rules->simple = !rules->pattern_count && !rules->names && most <= MOST_FAST;
    if (!maker.keys) return compile_stop(c, GRAMC_NOMEM);
    for (uint32_t i = rules->first; i < count; i = rules->properties[i].next)
        add_property(c, rules, maker.keys, &rules->properties[i]);
    return hash_keys(&maker, most) &&
           (!rules->dependent_count || prepare_dependents(&maker, rules, names.all)) &&
           prepare_initials(c, rules);
}

/* ## Choices */

static bool fast_prepare_choices(struct schema_compiler *c, struct value_rules *values) {
    const struct json *list = values->choices, *first = list ? list->first : values->constant;
    struct fast_keys *table = &values->texts;
    size_t count = 0;
    for (const struct json *value = first; value; value = list ? value->next : NULL)
        count += value->kind == JSON_STRING;
    struct key_maker maker = {.c = c, .table = table, .keys = fast_room(c, count)};
    if (!maker.keys) return compile_stop(c, GRAMC_NOMEM);
    *table = (struct fast_keys){.keys = maker.keys};
    for (const struct json *value = first; value; value = list ? value->next : NULL) {
        if (value->kind == JSON_STRING) add_key(table, maker.keys, value->text, NULL);
        if (value->kind < JSON_NUMBER) table->words |= (uint8_t)(1u << value->kind);
    }
    return hash_keys(&maker, table->count) && (!list || fast_prepare_numbers(c, table, list));
}

/* ## Numbers */

/* Bounds that are whole numbers of a usual size leave nothing else to ask. */
static void fast_prepare_number(struct number_rules *rules) {
    int64_t bound;
    rules->least = INT64_MIN;
    rules->most = INT64_MAX;
    rules->bounded = false;
    rules->inclusive = !rules->bounds[BOUND_OVER].ptr && !rules->bounds[BOUND_UNDER].ptr;
    if (rules->multiple_of.ptr) return;
    for (size_t i = 0; i < BOUND_COUNT; i++) {
        if (!rules->bounds[i].ptr) continue;
        if (!fast_whole(rules->bounds[i], &bound)) return;
        if (i == BOUND_OVER) bound++;
        if (i == BOUND_UNDER) bound--;
        bool low = i == BOUND_MIN || i == BOUND_OVER;
        if (low && bound > rules->least) rules->least = bound;
        if (!low && bound < rules->most) rules->most = bound;
    }
    rules->bounded = true;
}

/* ## Nodes */

static bool has_large(const struct json *list) {
    for (const struct json *value = list->first; value; value = value->next)
        if (value->kind >= JSON_ARRAY) return true;
    return false;
}

static bool needs_tree_anyway(const struct schema_node *node) {
    if (node->apply && node->apply->dynamic && node->apply->dynamic->dynamic) return true;
    if (node->string && node->string->content) return true;
    if (node_constant(node) && node_choices(node)) return true;
    if (node_constant(node) && node_constant(node)->kind >= JSON_ARRAY) return true;
    return node_choices(node) && has_large(node_choices(node));
}

static bool needs_tree(const struct schema_node *node) {
    return node->flags & NODE_UNEVALUATED || needs_tree_anyway(node);
}

bool fast_needs_only_evaluated(const struct schema_node *node) {
    return node->flags & NODE_UNEVALUATED && !needs_tree_anyway(node);
}

/* ## Ways */

/* Machine numbers are enough for it. */
static bool is_fast_number(const struct schema_node *node) {
    const struct number_rules *rules = node->number;
    return node->types & TYPE_BIT_INTEGER && !node->values &&
           (!rules || (rules->bounded && (rules->inclusive || !(node->types & TYPE_BIT_FRACTION))));
}

/* Nothing but a choice of many numbers. */
static bool is_number_choice(const struct schema_node *node) {
    return node->values && node->values->texts.numbers && !node->number &&
           !(node->flags & NODE_WRITTEN);
}

static enum mode number_mode(const struct schema_node *node) {
    if (is_fast_number(node)) return MODE_NUMBER;
    return is_number_choice(node) ? MODE_CHOICE : MODE_EXACT;
}

static const struct object_rules *members_of(const struct schema_node *node) {
    return node->object ? node->object : &schema_any_members;
}

static enum mode plain_mode(const struct schema_node *node) {
    switch (node->kinds) {
    case 0: return MODE_NOTHING;
    case TYPE_BIT_STRING: return node->string || node->values ? MODE_STRING : MODE_TEXT;
    case TYPE_BIT_OBJECT: return members_of(node)->simple ? MODE_OBJECT : MODE_LONG_OBJECT;
    case TYPE_BIT_ARRAY: return MODE_ARRAY;
    default: break;
    }
    if (!(node->kinds & ~TYPE_BIT_NUMBER)) return number_mode(node);
    return node->kinds & ~(TYPE_BIT_BOOLEAN | TYPE_BIT_NULL) ? MODE_MIXED : MODE_WORD;
}

/* What its mode asks for. */
static void set_mode(struct schema_node *node, enum mode mode) {
    node->mode = (uint8_t)mode;
    switch (mode) {
    case MODE_OBJECT:
    case MODE_LONG_OBJECT: node->members = members_of(node); break;
    case MODE_NUMBER:
        node->least = node->number ? node->number->least : INT64_MIN;
        node->most = node->number ? node->number->most : INT64_MAX;
        break;
    default: break;
    }
}

/* The same node for values that start in one way. */
static struct schema_node variant_of(const struct schema_node *node, enum start start) {
    static const uint8_t kinds[STARTS] = {0,
                                          TYPE_BIT_STRING,
                                          TYPE_BIT_NUMBER,
                                          TYPE_BIT_BOOLEAN | TYPE_BIT_NULL,
                                          TYPE_BIT_OBJECT,
                                          TYPE_BIT_ARRAY};
    struct schema_node variant = *node;
    variant.kinds = (uint8_t)(node->kinds & kinds[start]);
    set_mode(&variant, plain_mode(&variant));
    return variant;
}

static bool make_variants(struct schema_compiler *c, struct schema_node *node) {
    bool says = node->types != TYPE_BIT_ALL || node->kinds != TYPE_BIT_ALL || node->values ||
                node->number || node->string || node->array || node->object;
    if (!says) {
        node->variants = any_variants;
        return true;
    }
    struct schema_node *variants = arena_array(c->arena, STARTS, sizeof *variants);
    if (!variants) return compile_stop(c, GRAMC_NOMEM);
    for (unsigned start = 0; start < STARTS; start++) {
        variants[start] = variant_of(node, (enum start)start);
        variants[start].same = &variants[start];
    }
    node->variants = variants;
    return true;
}

bool fast_choose_mode(struct schema_compiler *c, struct schema_node *node) {
    set_mode(node, plain_mode(node));
    return node->mode != MODE_MIXED || make_variants(c, node);
}

/* What a node with applicators says itself. */
static bool set_apart(struct schema_compiler *c, struct schema_node *node) {
    bool says = node->types != TYPE_BIT_ALL || node->values || node->number || node->string ||
                node->array || node->object;
    if (!says) return true;
    struct schema_node *itself = ARENA_NEW(c->arena, struct schema_node);
    if (!itself) return compile_stop(c, GRAMC_NOMEM);
    *itself = *node;
    itself->apply = NULL;
    itself->same = node->itself = itself;
    return fast_choose_mode(c, itself);
}

bool fast_prepare_node(struct schema_compiler *c, struct schema_node *node) {
    if (node->object && !fast_prepare_members(c, node->object)) return false;
    if (node->values && !fast_prepare_choices(c, node->values)) return false;
    if (node->number) fast_prepare_number(node->number);
    if (!needs_tree(node) && !node->apply) return fast_choose_mode(c, node);
    node->mode = needs_tree(node) ? MODE_TREE : MODE_LOOK;
    node->itself = NULL;
    node->look = node->apply;
    return node->mode == MODE_TREE || set_apart(c, node);
}
