/* Turns the keywords of one schema object into the rules of one node. Looks at each keyword's shape
 * and says what is wrong with it; subschemas become nodes of their own, filled in later. What needs
 * all nodes is left to link.c. */
#include "jsonschema/compile.h"

#include <string.h>

#include "base/json/number.h"
#include "base/sort.h"
#include "base/text.h"
#include "jsonschema/formats.h"

/* One schema object on its way to a node. */
struct builder {
    struct schema_compiler *c;
    struct schema_node *node;
    struct resource *resource;
    const struct json *keywords[K_COUNT];
};

static bool bad(struct builder *b, enum keyword keyword, const char *must_be) {
    return compile_fail(b->c, b->resource->document, b->keywords[keyword], "%s must be %s",
                        keyword_row(keyword)->name.ptr, must_be);
}

static void *make(struct builder *b, size_t count, size_t size) {
    void *made = arena_array(b->c->arena, count, size);
    if (!made) compile_stop(b->c, GRAMC_NOMEM);
    return made;
}

static gramc_text kept_text(struct builder *b, gramc_text text) {
    return keep_text(b->c, b->resource->document, text);
}

static const struct json *keep(struct builder *b, const struct json *value) {
    return keep_value(b->c, b->resource->document, value);
}

/* ## Nodes */

static struct schema_node *new_node(struct schema_compiler *c, struct location *location) {
    struct schema_node *node = ARENA_NEW(c->arena, struct schema_node);
    if (!node) {
        compile_stop(c, GRAMC_NOMEM);
        return NULL;
    }
    node->schema = location->schema;
    node->place = location->schema->start;
    node->resource = location->resource;
    bool none = location->schema->kind == JSON_FALSE;
    node->types = none ? 0 : TYPE_BIT_ALL;
    node->flags = none ? NODE_FALSE : 0;
    if (c->last) c->last->next = node;
    else c->schema->nodes = node;
    c->last = node;
    if (!c->queue) c->queue = node;
    return node;
}

static struct schema_node *any_node(struct schema_compiler *c, const struct json *schema,
                                    struct resource *resource) {
    if (schema->kind != JSON_OBJECT && schema->kind != JSON_TRUE && schema->kind != JSON_FALSE) {
        compile_fail(c, resource->document, schema, "a schema must be an object or a boolean");
        return NULL;
    }
    struct location *location = resources_location(c, schema, resource);
    if (!location) return NULL;
    if (location->node && location->node == c->root) c->root_is_shared = true;
    if (!location->node) location->node = new_node(c, location);
    return location->node;
}

struct schema_node *compile_node(struct schema_compiler *c, const struct json *schema,
                                 struct resource *resource) {
    if (resource->dialect.draft != GRAMC_DRAFT_4 || schema->kind == JSON_OBJECT)
        return any_node(c, schema, resource);
    compile_fail(c, resource->document, schema,
                 "a schema must be an object; draft-04 has booleans for additionalItems and "
                 "additionalProperties alone");
    return NULL;
}

static bool one_node(struct builder *b, enum keyword keyword, const struct schema_node **out) {
    bool additional = keyword == K_ADDITIONAL_ITEMS || keyword == K_ADDITIONAL_PROPERTIES;
    if (!b->keywords[keyword]) return true;
    *out = (additional ? any_node : compile_node)(b->c, b->keywords[keyword], b->resource);
    return *out != NULL;
}

static bool list_nodes(struct builder *b, enum keyword keyword, struct node_list *out) {
    const struct json *list = b->keywords[keyword];
    if (!list) return true;
    if (list->kind != JSON_ARRAY) return bad(b, keyword, "an array of schemas");
    const struct schema_node **nodes = make(b, list->count ? list->count : 1, sizeof *nodes);
    if (!nodes) return false;
    *out = (struct node_list){nodes, list->count};
    for (const struct json *item = list->first; item; item = item->next)
        if (!(*nodes++ = compile_node(b->c, item, b->resource))) return false;
    return true;
}

static bool some_nodes(struct builder *b, enum keyword keyword, struct node_list *out) {
    if (b->keywords[keyword] && !b->keywords[keyword]->first)
        return bad(b, keyword, "an array of at least one schema");
    return list_nodes(b, keyword, out);
}

/* ## Simple values */

/* A number of items, characters or members. What is larger than any instance is cut. */
static bool read_size(struct builder *b, enum keyword keyword, uint32_t *out) {
    const struct json *value = b->keywords[keyword];
    if (!value) return true;
    if (value->kind != JSON_NUMBER || !json_number_is_integer(value->text) ||
        json_number_compare(value->text, TEXT("0")) < 0)
        return bad(b, keyword, "a whole number of at least 0");
    *out = UINT32_MAX;
    if (json_number_compare(value->text, TEXT("4294967295")) >= 0) return true;
    struct decimal number = decimal_read(value->text);
    *out = 0;
    for (size_t i = 0; !number.zero && i <= (size_t)number.top; i++) {
        size_t at = number.first + i;
        *out = *out * 10 + (at <= number.last ? decimal_digit(&number, at) : 0);
    }
    return true;
}

static bool read_number(struct builder *b, enum keyword keyword, gramc_text *out) {
    const struct json *value = b->keywords[keyword];
    if (!value) return true;
    if (value->kind != JSON_NUMBER) return bad(b, keyword, "a number");
    *out = value->text;
    return true;
}

static bool build_types(struct builder *b) {
    static const char must_be[] =
        "null, boolean, integer, number, string, array or object, or an array of these";
    const struct json *type = b->keywords[K_TYPE];
    if (!type) return true;
    unsigned types = 0;
    const struct json *first = type->kind == JSON_ARRAY ? type->first : type;
    if (!first) return bad(b, K_TYPE, must_be);
    for (const struct json *name = first; name;
         name = type->kind == JSON_ARRAY ? name->next : NULL) {
        unsigned bits = name->kind == JSON_STRING ? type_bits_named(name->text) : 0;
        if (!bits) return bad(b, K_TYPE, must_be);
        types |= bits;
    }
    b->node->types = (uint8_t)types;
    if (b->resource->dialect.draft == GRAMC_DRAFT_4) b->node->flags |= NODE_WRITTEN;
    return true;
}

static bool build_values(struct builder *b) {
    const struct json *choices = b->keywords[K_ENUM];
    if (choices && choices->kind != JSON_ARRAY) return bad(b, K_ENUM, "an array of values");
    if (!choices && !b->keywords[K_CONST]) return true;
    struct value_rules *values = b->node->values = make(b, 1, sizeof *values);
    if (!values) return false;
    values->constant = keep(b, b->keywords[K_CONST]);
    values->choices = keep(b, choices);
    return b->c->status == GRAMC_OK;
}

/* ## Numbers and strings */

static bool has(const struct builder *b, const enum keyword *keywords, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (b->keywords[keywords[i]]) return true;
    return false;
}
#define HAS(b, ...)                                                                                \
    has((b), (const enum keyword[]){__VA_ARGS__},                                                  \
        sizeof((const enum keyword[]){__VA_ARGS__}) / sizeof(enum keyword))

static bool check_divisor(struct builder *b, gramc_text divisor) {
    if (!divisor.ptr) return true;
    struct decimal number = decimal_read(divisor);
    if (number.zero || number.negative) return bad(b, K_MULTIPLE_OF, "a number above 0");
    if (decimal_length(&number) > DECIMAL_LONGEST_DIVISOR)
        return bad(b, K_MULTIPLE_OF, "a number of at most 100 significant digits");
    return true;
}

/* In draft-04 exclusiveMinimum and its like are flags: they move the bound beside them. */
static bool read_exclusive(struct builder *b, enum keyword keyword, gramc_text *inclusive,
                           gramc_text *exclusive) {
    const struct json *value = b->keywords[keyword];
    if (b->resource->dialect.draft != GRAMC_DRAFT_4) return read_number(b, keyword, exclusive);
    if (!value) return true;
    if (value->kind != JSON_TRUE && value->kind != JSON_FALSE) return bad(b, keyword, "a boolean");
    if (value->kind == JSON_FALSE) return true;
    *exclusive = *inclusive;
    *inclusive = (gramc_text){NULL, 0};
    return true;
}

static bool build_number(struct builder *b) {
    if (!HAS(b, K_MINIMUM, K_MAXIMUM, K_EXCLUSIVE_MINIMUM, K_EXCLUSIVE_MAXIMUM, K_MULTIPLE_OF))
        return true;
    struct number_rules *rules = make(b, 1, sizeof *rules);
    b->node->number = rules;
    return rules && read_number(b, K_MINIMUM, &rules->bounds[BOUND_MIN]) &&
           read_number(b, K_MAXIMUM, &rules->bounds[BOUND_MAX]) &&
           read_exclusive(b, K_EXCLUSIVE_MINIMUM, &rules->bounds[BOUND_MIN],
                          &rules->bounds[BOUND_OVER]) &&
           read_exclusive(b, K_EXCLUSIVE_MAXIMUM, &rules->bounds[BOUND_MAX],
                          &rules->bounds[BOUND_UNDER]) &&
           read_number(b, K_MULTIPLE_OF, &rules->multiple_of) &&
           check_divisor(b, rules->multiple_of);
}

/* What PCRE2 takes to compile the smallest one. */
enum { STEPS_PER_PATTERN = 700 };

/* `at` is the schema value or member name that holds the pattern. */
static const struct regex *read_pattern(struct builder *b, const struct json *at,
                                        gramc_text pattern) {
    struct regex_set *set = &b->c->schema->regexes;
    struct regex_error error = {0, ""};
    const struct regex *last = set->first, *regex = regex_compile(set, pattern, &error);
    uint64_t cost =
        regex && regex != last && regex == set->first ? STEPS_PER_PATTERN + 2 * pattern.len : 1;
    if (regex) return compile_steps(b->c, cost) ? regex : NULL;
    if (b->c->arena->oom) compile_stop(b->c, GRAMC_NOMEM);
    else
        compile_fail(b->c, b->resource->document, at, "the pattern %.*s at character %zu: %s",
                     pattern.len > 80 ? 80 : (int)pattern.len, pattern.ptr, error.position + 1,
                     error.message);
    return NULL;
}

static bool says(const struct builder *b, enum keyword keyword, const char *value) {
    const struct json *said = b->keywords[keyword];
    return json_is(said, JSON_STRING) && text_is_nocase(said->text, value);
}

/* An encoding that is not known here keeps what is inside from being judged; contentSchema says
 * nothing without a media type. */
static bool build_content(struct builder *b, struct string_rules *rules) {
    const struct json *encoding = b->keywords[K_CONTENT_ENCODING];
    struct content_rules content = {.encoding = NULL};
    if (!b->c->options->assert_content) return true;
    if (json_is(encoding, JSON_STRING)) content.encoding = content_encoding_find(encoding->text);
    content.json =
        (content.encoding || !encoding) && says(b, K_CONTENT_MEDIA_TYPE, "application/json");
    if (!content.encoding && !content.json) return true;
    if (content.json && !one_node(b, K_CONTENT_SCHEMA, &content.schema)) return false;
    struct content_rules *made = make(b, 1, sizeof *made);
    if (!made) return false;
    *made = content;
    rules->content = made;
    return true;
}

static bool build_string(struct builder *b) {
    if (!HAS(b, K_MIN_LENGTH, K_MAX_LENGTH, K_PATTERN, K_FORMAT, K_CONTENT_ENCODING,
             K_CONTENT_MEDIA_TYPE))
        return true;
    struct string_rules *rules = make(b, 1, sizeof *rules);
    const struct json *pattern = b->keywords[K_PATTERN], *format = b->keywords[K_FORMAT];
    if (!rules) return false;
    rules->max = UINT32_MAX;
    b->node->string = rules;
    if (!read_size(b, K_MIN_LENGTH, &rules->min) || !read_size(b, K_MAX_LENGTH, &rules->max))
        return false;
    if (pattern && pattern->kind != JSON_STRING) return bad(b, K_PATTERN, "a string");
    if (format && format->kind != JSON_STRING) return bad(b, K_FORMAT, "a string");
    if (pattern && !(rules->pattern = read_pattern(b, pattern, kept_text(b, pattern->text))))
        return false;
    if (format && b->resource->dialect.assert_formats) rules->format = format_find(format->text);
    rules->secret = format && text_is(format->text, "password");
    if (!build_content(b, rules)) return false;
    rules->lengths_only = !rules->pattern && !rules->format && !rules->content;
    return true;
}

/* ## Arrays */

/* `items` may be an array before 2020-12; then additionalItems is about the rest. */
static bool build_items(struct builder *b, struct array_rules *rules) {
    const struct json *items = b->keywords[K_ITEMS];
    bool tuple = items && items->kind == JSON_ARRAY;
    if (b->resource->dialect.draft == GRAMC_DRAFT_2020_12) {
        if (tuple)
            return bad(b, K_ITEMS,
                       "a schema; one schema for each item is written with prefixItems");
        rules->rest_keyword = "items";
        return list_nodes(b, K_PREFIX_ITEMS, &rules->prefix) && one_node(b, K_ITEMS, &rules->rest);
    }
    rules->rest_keyword = tuple ? "additionalItems" : "items";
    if (!tuple) return one_node(b, K_ITEMS, &rules->rest);
    return list_nodes(b, K_ITEMS, &rules->prefix) && one_node(b, K_ADDITIONAL_ITEMS, &rules->rest);
}

static bool build_array(struct builder *b) {
    if (!HAS(b, K_PREFIX_ITEMS, K_ITEMS, K_CONTAINS, K_MIN_ITEMS, K_MAX_ITEMS, K_UNIQUE_ITEMS))
        return true;
    struct array_rules *rules = make(b, 1, sizeof *rules);
    const struct json *unique = b->keywords[K_UNIQUE_ITEMS];
    if (!rules) return false;
    rules->max = rules->max_contains = UINT32_MAX;
    rules->min_contains = 1;
    b->node->array = rules;
    if (unique && unique->kind != JSON_TRUE && unique->kind != JSON_FALSE)
        return bad(b, K_UNIQUE_ITEMS, "a boolean");
    rules->unique = unique && unique->kind == JSON_TRUE;
    return build_items(b, rules) && one_node(b, K_CONTAINS, &rules->contains) &&
           read_size(b, K_MIN_CONTAINS, &rules->min_contains) &&
           read_size(b, K_MAX_CONTAINS, &rules->max_contains) &&
           read_size(b, K_MIN_ITEMS, &rules->min) && read_size(b, K_MAX_ITEMS, &rules->max);
}

/* ## Objects */

static bool check_names(struct builder *b, enum keyword keyword, const struct json *names) {
    static const char must_be[] = "an array of member names";
    if (names->kind != JSON_ARRAY)
        return compile_fail(b->c, b->resource->document, names, "%s must be %s",
                            keyword_row(keyword)->name.ptr, must_be);
    for (const struct json *name = names->first; name; name = name->next)
        if (name->kind != JSON_STRING)
            return compile_fail(b->c, b->resource->document, name, "%s must be %s",
                                keyword_row(keyword)->name.ptr, must_be);
    return true;
}

static bool check_map(struct builder *b, enum keyword keyword) {
    const struct json *map = b->keywords[keyword];
    return !map || map->kind == JSON_OBJECT || bad(b, keyword, "an object of schemas");
}

static bool key_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return text_compare(((const struct schema_property *)a)->key,
                        ((const struct schema_property *)b)->key) < 0;
}

/* Makes one property of those with the same key. */
static size_t merge_properties(struct schema_property *list, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct schema_property *last = kept ? &list[kept - 1] : NULL;
        if (!last || !text_eq(last->key, list[i].key)) {
            list[kept++] = list[i];
            continue;
        }
        if (list[i].node) last->node = list[i].node;
        if (list[i].required != NO_REQUIRED) last->required = list[i].required;
    }
    return kept;
}

static bool build_properties(struct builder *b, struct object_rules *rules) {
    const struct json *map = b->keywords[K_PROPERTIES], *names = b->keywords[K_REQUIRED];
    size_t count = (map ? map->count : 0) + (names ? names->count : 0), used = 0;
    if (count == 0) return true;
    struct schema_property *list = make(b, count, sizeof *list);
    struct schema_property *spare = arena_array(&b->c->scratch, count, sizeof *spare);
    if (!list || !spare) return compile_stop(b->c, GRAMC_NOMEM);
    for (const struct json *member = map ? map->first : NULL; member; member = member->next) {
        const struct schema_node *node = compile_node(b->c, member, b->resource);
        if (!node) return false;
        list[used] = (struct schema_property){.key = kept_text(b, member->key),
                                              .node = node,
                                              .required = NO_REQUIRED,
                                              .next = (uint32_t)used};
        used++;
    }
    for (const struct json *name = names ? names->first : NULL; name; name = name->next) {
        list[used] = (struct schema_property){
            .key = kept_text(b, name->text), .required = 0, .next = (uint32_t)used};
        used++;
    }
    list = sort_merge(list, spare, count, sizeof *list, key_before, NULL); /* the last one wins */
    rules->property_count = (uint32_t)merge_properties(list, count);
    for (size_t i = 0; i < rules->property_count; i++)
        if (list[i].required != NO_REQUIRED) list[i].required = rules->required_count++;
    if (list == spare) {
        list = make(b, rules->property_count, sizeof *list);
        if (!list) return false;
        memcpy(list, spare, rules->property_count * sizeof *list);
    }
    rules->properties = list;
    return true;
}

/* The character that [*p, end) starts with, if it stands for itself, escaped or not; else 0. */
static char next_literal(const char **p, const char *end) {
    bool escaped = **p == '\\';
    if (escaped && ++*p == end) return 0;
    char byte = *(*p)++;
    if (!byte || (escaped && !strchr("^$\\.*+?()[]{}|/-", byte))) return 0;
    return escaped || !strchr("^$.*+?()[]{}|", byte) ? byte : 0;
}

/* Patterns of names are mostly like `^x-` or `^x$`. False without memory. */
static bool read_literal(struct builder *b, struct pattern_property *out) {
    const char *start = out->pattern.ptr, *end = start + out->pattern.len, *p;
    bool anchored = start < end && *start == '^', whole = anchored && end[-1] == '$';
    size_t len = 0;
    if (!anchored) return true;
    if (whole) end -= end - start > 1 && end[-2] == '\\' ? 0 : 1;
    for (p = start + 1; p < end; len++)
        if (!next_literal(&p, end)) return true;
    char *literal = arena_alloc(b->c->arena, len + 1);
    if (!literal) return compile_stop(b->c, GRAMC_NOMEM);
    out->literal = (gramc_text){literal, len};
    for (p = start + 1; p < end; literal++) *literal = next_literal(&p, end);
    out->kind = end < start + out->pattern.len ? PATTERN_WHOLE : PATTERN_PREFIX;
    return true;
}

static bool build_patterns(struct builder *b, struct object_rules *rules) {
    const struct json *map = b->keywords[K_PATTERN_PROPERTIES];
    if (!map || !map->count) return true;
    struct pattern_property *list = make(b, map->count, sizeof *list);
    if (!list) return false;
    rules->patterns = list;
    rules->pattern_count = map->count;
    for (const struct json *member = map->first; member; member = member->next, list++) {
        list->pattern = kept_text(b, member->key);
        list->regex = read_pattern(b, member, list->pattern);
        list->node = list->regex ? compile_node(b->c, member, b->resource) : NULL;
        if (!list->node || !read_literal(b, list)) return false;
    }
    return true;
}

static bool build_dependents(struct builder *b, struct object_rules *rules) {
    static const enum keyword keywords[] = {K_DEPENDENT_REQUIRED, K_DEPENDENT_SCHEMAS,
                                            K_DEPENDENCIES};
    size_t count = 0;
    for (size_t i = 0; i < 3; i++)
        count += b->keywords[keywords[i]] ? b->keywords[keywords[i]]->count : 0;
    if (count == 0) return true;
    struct dependent *list = make(b, count, sizeof *list);
    if (!list) return false;
    rules->dependents = list;
    rules->dependent_count = (uint32_t)count;
    for (size_t i = 0; i < 3; i++) {
        const struct json *map = b->keywords[keywords[i]];
        for (const struct json *member = map ? map->first : NULL; member; member = member->next) {
            bool names = keywords[i] == K_DEPENDENT_REQUIRED ||
                         (keywords[i] == K_DEPENDENCIES && member->kind == JSON_ARRAY);
            *list = (struct dependent){kept_text(b, member->key), keep(b, names ? member : NULL),
                                       NULL, keyword_row(keywords[i])->name.ptr};
            if (names ? !check_names(b, keywords[i], member)
                      : !(list->node = compile_node(b->c, member, b->resource)))
                return false;
            list++;
        }
    }
    return true;
}

static bool build_object(struct builder *b) {
    if (!HAS(b, K_PROPERTIES, K_PATTERN_PROPERTIES, K_ADDITIONAL_PROPERTIES, K_PROPERTY_NAMES,
             K_REQUIRED, K_MIN_PROPERTIES, K_MAX_PROPERTIES, K_DEPENDENT_REQUIRED,
             K_DEPENDENT_SCHEMAS, K_DEPENDENCIES))
        return true;
    struct object_rules *rules = make(b, 1, sizeof *rules);
    if (!rules) return false;
    rules->max = UINT32_MAX;
    b->node->object = rules;
    if (b->keywords[K_REQUIRED] && !check_names(b, K_REQUIRED, b->keywords[K_REQUIRED]))
        return false;
    return check_map(b, K_PROPERTIES) && check_map(b, K_PATTERN_PROPERTIES) &&
           check_map(b, K_DEPENDENT_REQUIRED) && check_map(b, K_DEPENDENT_SCHEMAS) &&
           check_map(b, K_DEPENDENCIES) && build_properties(b, rules) && build_patterns(b, rules) &&
           build_dependents(b, rules) && one_node(b, K_ADDITIONAL_PROPERTIES, &rules->additional) &&
           one_node(b, K_PROPERTY_NAMES, &rules->names) &&
           read_size(b, K_MIN_PROPERTIES, &rules->min) &&
           read_size(b, K_MAX_PROPERTIES, &rules->max);
}

/* ## What applies to the same place */

static struct schema_node *referred(struct builder *b, enum keyword keyword) {
    const struct json *reference = b->keywords[keyword];
    if (reference->kind != JSON_STRING) {
        bad(b, keyword, "a string, the URI of a schema");
        return NULL;
    }
    struct location *location = resources_find(b->c, b->resource, reference->text, reference);
    return location ? compile_node(b->c, location->schema, location->resource) : NULL;
}

static bool build_dynamic(struct builder *b, struct applicators *apply, enum keyword keyword) {
    if (!b->keywords[keyword]) return true;
    struct dynamic_ref *dynamic = make(b, 1, sizeof *dynamic);
    if (!dynamic) return false;
    apply->dynamic = dynamic;
    const struct schema_node *target = dynamic->target = referred(b, keyword);
    if (!target) return false;
    if (keyword == K_RECURSIVE_REF) {
        dynamic->dynamic = target->resource->recursive_anchor;
    } else {
        gramc_text text = kept_text(b, b->keywords[keyword]->text);
        size_t hash = 0;
        while (hash < text.len && text.ptr[hash] != '#') hash++;
        dynamic->name = text_slice(text, hash < text.len ? hash + 1 : hash, text.len);
        const struct anchor *anchor = resource_anchor(target->resource, dynamic->name, true);
        dynamic->dynamic = dynamic->name.len && anchor && anchor->schema == target->schema;
    }
    b->c->schema->dynamic |= dynamic->dynamic;
    return true;
}

static bool build_apply(struct builder *b) {
    if (!HAS(b, K_REF, K_DYNAMIC_REF, K_RECURSIVE_REF, K_ALL_OF, K_ANY_OF, K_ONE_OF, K_NOT, K_IF,
             K_THEN, K_ELSE, K_UNEVALUATED_ITEMS, K_UNEVALUATED_PROPERTIES))
        return true;
    struct applicators *apply = make(b, 1, sizeof *apply);
    if (!apply) return false;
    b->node->apply = apply;
    if (b->keywords[K_REF] && !(apply->ref = referred(b, K_REF))) return false;
    return build_dynamic(b, apply, K_DYNAMIC_REF) && build_dynamic(b, apply, K_RECURSIVE_REF) &&
           some_nodes(b, K_ALL_OF, &apply->all) && some_nodes(b, K_ANY_OF, &apply->any) &&
           some_nodes(b, K_ONE_OF, &apply->one) && one_node(b, K_NOT, &apply->no) &&
           one_node(b, K_IF, &apply->if_node) && one_node(b, K_THEN, &apply->then_node) &&
           one_node(b, K_ELSE, &apply->else_node) &&
           one_node(b, K_UNEVALUATED_ITEMS, &apply->unevaluated_items) &&
           one_node(b, K_UNEVALUATED_PROPERTIES, &apply->unevaluated_properties);
}

bool keyword_is_heeded(enum keyword keyword, const struct dialect *dialect) {
    return keyword_in_draft(keyword, dialect->draft) &&
           (keyword_row(keyword)->vocabulary & dialect->vocabularies);
}

/* For conversions, in any draft: strings here are JSON. */
static void note_content(struct schema_node *node, const struct json *media_type,
                         const struct json *encoding) {
    if (json_is(media_type, JSON_STRING) && text_is(media_type->text, "application/json") &&
        !encoding)
        node->flags |= NODE_JSON_TEXT;
}

/* In old drafts what stands beside $ref does not count. */
static void read_keywords(struct builder *b) {
    const struct dialect *dialect = &b->resource->dialect;
    const struct json *media_type = NULL, *encoding = NULL;
    for (const struct json *member = b->node->schema->first; member; member = member->next) {
        enum keyword keyword = keyword_named(member->key);
        if (keyword == K_CONTENT_MEDIA_TYPE) media_type = member;
        if (keyword == K_CONTENT_ENCODING) encoding = member;
        if (keyword != K_COUNT && keyword_is_heeded(keyword, dialect))
            b->keywords[keyword] = member;
    }
    note_content(b->node, media_type, encoding);
    const struct json *ref = b->keywords[K_REF];
    if (!ref || !draft_is_old(dialect->draft)) return;
    memset(b->keywords, 0, sizeof b->keywords);
    b->keywords[K_REF] = ref;
}

bool compile_keywords(struct schema_compiler *c, struct schema_node *node) {
    struct location *location = resources_location(c, node->schema, NULL);
    struct builder b = {.c = c, .node = node};
    if (!location) return false;
    b.resource = location->resource;
    compile_enter(c, b.resource->document, node->schema);
    if (!compile_step(c)) return false;
    read_keywords(&b);
    return build_types(&b) && build_values(&b) && build_number(&b) && build_string(&b) &&
           build_array(&b) && build_object(&b) && build_apply(&b);
}
