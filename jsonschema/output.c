/* Walks a document once more, after it was evaluated, and makes a unit for each keyword at each
 * place. Without `all` the document is valid, and what it would walk that is not (an alternative, a
 * condition) is left out, as its annotations are dropped: the evaluator tells. With `all` the walk
 * itself finds out what is valid. Time and memory: the evaluation's. */
#include "jsonschema/output.h"

#include "base/map.h"
#include "base/text.h"
#include "jsonschema/keywords.h"
#include "jsonschema/words.h"

enum { LONGEST_PLACE = 64 * 1024, MOST_SENTENCES = 1000, SIBLINGS_PER_STEP = 8 };

struct output_walk {
    struct evaluation *evaluation;
    struct map places;  /* of schemas that references lead to */
    struct map schemas; /* as they are written */
    bool all;
};

struct schema_place {
    const struct schema_node *node;
    gramc_text absolute;
};

struct written_schema {
    const struct schema_node *node;
    const struct json *schema;
};

/* One keyword at one place. */
struct visit {
    const struct evaluation_frame *at;
    const struct json *schema; /* that it stands in */
    const struct json *member; /* of the schema */
    struct output_unit *unit, **link;
    struct report *own; /* what the schema itself says is wrong */
    struct marks *marks;
};

/* ## Units */

static struct output_unit *add_unit(struct output_walk *walk, struct output_unit ***link) {
    if (!evaluation_take(walk->evaluation, 1)) return NULL;
    struct output_unit *unit = ARENA_NEW(walk->evaluation->arena, struct output_unit);
    if (!unit) {
        evaluation_stop(walk->evaluation, GRAMC_NOMEM);
        return NULL;
    }
    unit->valid = true;
    **link = unit;
    *link = &unit->next;
    return unit;
}

/* Where a schema stands, made once. */
static gramc_text absolute_of(struct output_walk *walk, const struct evaluation_frame *at) {
    struct evaluation *evaluation = walk->evaluation;
    gramc_text key = {(const char *)&at->node, sizeof at->node}, none = {NULL, 0};
    struct schema_place *place = map_get(&walk->places, key);
    struct buf buf;
    if (place) return place->absolute;
    place = ARENA_NEW(evaluation->arena, struct schema_place);
    if (!place) return none;
    buf_init(&buf, &evaluation->arena->allocator, LONGEST_PLACE);
    size_t passed = words_put_uri(&buf, at->node);
    *place = (struct schema_place){at->node, arena_text(evaluation->arena, buf_view(&buf))};
    key.ptr = (const char *)&place->node;
    (void)map_put(&walk->places, key, place);
    if (buf.state == BUF_NOMEM || evaluation->arena->oom) evaluation_stop(evaluation, GRAMC_NOMEM);
    buf_free(&buf);
    evaluation_take(evaluation, passed / SIBLINGS_PER_STEP);
    return place->absolute;
}

/* A schema as it is written, looked for once. NULL, with the status: no memory, or a limit. */
static const struct json *schema_of(struct output_walk *walk, const struct schema_node *node) {
    static const struct json unknown = {.kind = JSON_TRUE}; /* given, and without its places */
    struct evaluation *evaluation = walk->evaluation;
    gramc_text key = {(const char *)&node, sizeof node};
    struct written_schema *written = map_get(&walk->schemas, key);
    size_t passed;
    if (written) return written->schema;
    written = ARENA_NEW(evaluation->arena, struct written_schema);
    if (!written || !find_schema(evaluation->schema, node, &written->schema, &passed)) {
        evaluation_stop(evaluation, GRAMC_NOMEM);
        return NULL;
    }
    if (!written->schema) written->schema = &unknown;
    written->node = node;
    key.ptr = (const char *)&written->node;
    (void)map_put(&walk->schemas, key, written);
    if (evaluation->arena->oom) evaluation_stop(evaluation, GRAMC_NOMEM);
    return evaluation_take(evaluation, passed / SIBLINGS_PER_STEP) ? written->schema : NULL;
}

/* Makes a report collect what `at` itself breaks. */
static struct report *listen(struct output_walk *walk, struct report *own) {
    *own = (struct report){.max = MOST_SENTENCES, .brief = true};
    own->link = &own->first;
    walk->evaluation->report = own;
    return own;
}

/* Hands the sentences about one keyword to its unit, several to units below it; false if there are
 * any. */
static bool tell(struct output_walk *walk, struct visit *visit, gramc_text keyword) {
    size_t count = 0;
    for (const struct violation *v = visit->own->first; v; v = v->next)
        count += text_eq(v->shown.keyword, keyword);
    for (const struct violation *v = visit->own->first; v && count; v = v->next) {
        if (!text_eq(v->shown.keyword, keyword)) continue;
        struct output_unit *unit = count == 1 ? visit->unit : add_unit(walk, &visit->link);
        if (!unit) return false;
        unit->error = v->shown.message;
        unit->valid = false;
    }
    return count == 0;
}

/* ## Schemas */

static bool walk_schema(struct output_walk *walk, struct output_unit *unit,
                        const struct evaluation_frame *at, struct marks *marks);

/* Applies a schema below a keyword. */
static bool apply(struct output_walk *walk, struct visit *visit,
                  const struct evaluation_frame *inner, struct marks *marks) {
    const struct evaluation_frame *at = visit->at;
    struct output_unit *unit = add_unit(walk, &visit->link);
    if (!unit) return false;
    unit->token = inner->token;
    unit->index = inner->index;
    unit->listed = inner->listed;
    if (inner->value != at->value && !inner->name) {
        unit->place = inner->value;
        unit->item = inner->item;
        unit->is_item = inner->placed;
    }
    if (inner->keyword[0] == '$' ||
        (inner->node->resource && inner->node->resource != at->node->resource))
        unit->absolute = absolute_of(walk, inner);
    return walk_schema(walk, unit, inner, marks);
}

/* At the same place: keeps what it evaluated if it accepts. */
static bool apply_here(struct output_walk *walk, struct visit *visit,
                       const struct evaluation_frame *inner) {
    struct marks marks;
    if (!visit->marks) return apply(walk, visit, inner, NULL);
    if (!marks_init(walk->evaluation, &marks, inner->value) || !apply(walk, visit, inner, &marks))
        return false;
    marks_add(visit->marks, &marks);
    return true;
}

/* Whether what may fail is walked: if not, it is left out. */
static bool is_wanted(struct output_walk *walk, const struct evaluation_frame *inner) {
    return walk->all || evaluate_quietly(walk->evaluation, inner);
}

static struct evaluation_frame frame_item(const struct visit *visit, const struct schema_node *node,
                                          const struct json *item, uint32_t i) {
    const char *keyword = keyword_row(keyword_named(visit->member->key))->name.ptr;
    struct evaluation_frame inner = frame_child(visit->at, node, item, keyword);
    inner.item = i;
    inner.placed = true;
    return inner;
}

static uint8_t says_from(const struct visit *visit, gramc_draft first, enum output_says says) {
    gramc_draft draft = visit->at->node->resource->dialect.draft;
    return (uint8_t)(!draft_is_old(draft) && draft <= first ? says : SAYS_NOTHING);
}

/* ## Keywords that apply schemas. Each gives whether the keyword holds, as far as the schemas that
 * it applies tell; `tell` knows the rest. */

static bool walk_ref(struct output_walk *walk, struct visit *visit) {
    struct evaluation_frame inner = frame_inner(visit->at, visit->at->node->apply->ref, "$ref");
    return apply_here(walk, visit, &inner);
}

static bool walk_dynamic(struct output_walk *walk, struct visit *visit) {
    const struct dynamic_ref *dynamic = visit->at->node->apply->dynamic;
    struct evaluation_frame inner =
        frame_inner(visit->at, evaluate_dynamic_target(visit->at, dynamic),
                    dynamic->name.ptr ? "$dynamicRef" : "$recursiveRef");
    return apply_here(walk, visit, &inner);
}

static bool walk_all(struct output_walk *walk, struct visit *visit) {
    const struct node_list *all = &visit->at->node->apply->all;
    bool valid = true;
    for (size_t i = 0; i < all->count; i++) {
        struct evaluation_frame inner = frame_nth(visit->at, all->nodes[i], "allOf", i);
        valid &= apply_here(walk, visit, &inner);
    }
    return valid;
}

static bool walk_any(struct output_walk *walk, struct visit *visit) {
    const struct node_list *any = &visit->at->node->apply->any;
    bool valid = false;
    for (size_t i = 0; i < any->count; i++) {
        struct evaluation_frame inner = frame_nth(visit->at, any->nodes[i], "anyOf", i);
        if (is_wanted(walk, &inner)) valid |= apply_here(walk, visit, &inner);
    }
    return valid;
}

static bool walk_one(struct output_walk *walk, struct visit *visit) {
    const struct node_list *one = &visit->at->node->apply->one;
    size_t count = 0, fitting[2] = {0, 0};
    for (size_t i = 0; i < one->count; i++) {
        struct evaluation_frame inner = frame_nth(visit->at, one->nodes[i], "oneOf", i);
        if (!is_wanted(walk, &inner) || !apply_here(walk, visit, &inner)) continue;
        if (count < 2) fitting[count] = i;
        count++;
    }
    if (count < 2) return count == 1;
    report_two_fit(walk->evaluation, visit->at, fitting[0], fitting[1]);
    return false;
}

/* What `not` holds is dropped either way. */
static bool walk_not(struct output_walk *walk, struct visit *visit) {
    struct evaluation_frame inner = frame_inner(visit->at, visit->at->node->apply->no, "not");
    if (!walk->all || !apply(walk, visit, &inner, NULL)) return true;
    report_not(walk->evaluation, visit->at);
    return false;
}

static bool walk_if(struct output_walk *walk, struct visit *visit) {
    struct evaluation_frame inner = frame_inner(visit->at, visit->at->node->apply->if_node, "if");
    if (is_wanted(walk, &inner)) apply_here(walk, visit, &inner);
    return true;
}

/* Of `then` and `else` at most one counts. */
static bool is_taken(struct output_walk *walk, const struct evaluation_frame *at,
                     enum keyword keyword) {
    const struct applicators *apply = at->node->apply;
    if (keyword != K_THEN && keyword != K_ELSE) return true;
    if (!apply->if_node) return false;
    struct evaluation_frame condition = frame_inner(at, apply->if_node, "if");
    return evaluate_quietly(walk->evaluation, &condition) == (keyword == K_THEN);
}

static bool walk_branch(struct output_walk *walk, struct visit *visit) {
    const struct applicators *apply = visit->at->node->apply;
    bool then = visit->member->key.ptr[0] == 't';
    struct evaluation_frame inner =
        frame_inner(visit->at, then ? apply->then_node : apply->else_node, then ? "then" : "else");
    return apply_here(walk, visit, &inner);
}

/* ### Objects */

static bool walk_member(struct output_walk *walk, struct visit *visit,
                        const struct schema_node *node, gramc_text token,
                        const struct json *member) {
    const char *keyword = keyword_row(keyword_named(visit->member->key))->name.ptr;
    struct evaluation_frame inner = frame_child(visit->at, node, member, keyword);
    inner.token = token;
    return apply(walk, visit, &inner, NULL);
}

static bool walk_properties(struct output_walk *walk, struct visit *visit) {
    const struct object_rules *rules = visit->at->node->object;
    bool valid = true;
    uint32_t i = 0;
    visit->unit->says = says_from(visit, GRAMC_DRAFT_2019_09, SAYS_NAMES);
    for (const struct json *member = visit->at->value->first; member; member = member->next, i++) {
        const struct schema_property *property = find_property(rules, member->key);
        if (!property || !property->node) continue;
        valid &= walk_member(walk, visit, property->node, property->key, member);
        marks_set(visit->marks, i);
    }
    return valid;
}

static bool walk_patterns(struct output_walk *walk, struct visit *visit) {
    const struct object_rules *rules = visit->at->node->object;
    bool valid = true;
    uint32_t i = 0;
    visit->unit->says = says_from(visit, GRAMC_DRAFT_2019_09, SAYS_NAMES);
    for (const struct json *member = visit->at->value->first; member; member = member->next, i++)
        for (size_t p = 0; p < rules->pattern_count; p++) {
            const struct pattern_property *pattern = &rules->patterns[p];
            if (!evaluate_matches(walk->evaluation, pattern->regex, member->key)) continue;
            valid &= walk_member(walk, visit, pattern->node, pattern->pattern, member);
            marks_set(visit->marks, i);
        }
    return valid;
}

static bool is_additional(struct output_walk *walk, const struct object_rules *rules,
                          const struct json *member) {
    const struct schema_property *property = find_property(rules, member->key);
    if (property && property->node) return false;
    for (size_t p = 0; p < rules->pattern_count; p++)
        if (evaluate_matches(walk->evaluation, rules->patterns[p].regex, member->key)) return false;
    return true;
}

static bool walk_additional(struct output_walk *walk, struct visit *visit) {
    const struct object_rules *rules = visit->at->node->object;
    gramc_text none = {NULL, 0};
    bool valid = true;
    uint32_t i = 0;
    visit->unit->says = says_from(visit, GRAMC_DRAFT_2019_09, SAYS_NAMES);
    for (const struct json *member = visit->at->value->first; member; member = member->next, i++) {
        if (!is_additional(walk, rules, member)) continue;
        valid &= walk_member(walk, visit, rules->additional, none, member);
        marks_set(visit->marks, i);
    }
    return valid;
}

static bool walk_names(struct output_walk *walk, struct visit *visit) {
    const struct schema_node *names = visit->at->node->object->names;
    bool valid = true;
    for (const struct json *member = visit->at->value->first; member; member = member->next) {
        struct json name = evaluate_name_of(member);
        struct evaluation_frame inner = frame_child(visit->at, names, &name, "propertyNames");
        inner.name = true;
        valid &= apply(walk, visit, &inner, NULL);
    }
    return valid;
}

static bool walk_dependents(struct output_walk *walk, struct visit *visit) {
    const struct object_rules *rules = visit->at->node->object;
    struct member_index index;
    bool valid = true;
    if (!evaluate_index(walk->evaluation, visit->at->value, &index)) return false;
    for (size_t i = 0; i < rules->dependent_count; i++) {
        const struct dependent *dependent = &rules->dependents[i];
        if (!dependent->node || !text_is(visit->member->key, dependent->keyword)) continue;
        if (!evaluation_take(walk->evaluation, 1)) return false;
        if (!member_find(&index, dependent->key)) continue;
        struct evaluation_frame inner = frame_inner(visit->at, dependent->node, dependent->keyword);
        inner.token = dependent->key;
        valid &= apply_here(walk, visit, &inner);
    }
    return valid;
}

static bool walk_unevaluated(struct output_walk *walk, struct visit *visit) {
    const struct applicators *apply_rules = visit->at->node->apply;
    bool object = visit->at->value->kind == JSON_OBJECT, valid = true;
    const struct schema_node *node =
        object ? apply_rules->unevaluated_properties : apply_rules->unevaluated_items;
    gramc_text none = {NULL, 0};
    uint32_t i = 0;
    visit->unit->says = says_from(visit, GRAMC_DRAFT_2019_09, object ? SAYS_NAMES : SAYS_TRUE);
    for (const struct json *child = visit->at->value->first; child; child = child->next, i++) {
        if (marks_has(visit->marks, i)) continue;
        struct evaluation_frame inner = frame_item(visit, node, child, i);
        valid &=
            object ? walk_member(walk, visit, node, none, child) : apply(walk, visit, &inner, NULL);
        marks_set(visit->marks, i);
    }
    return valid;
}

/* ### Arrays */

static bool walk_items(struct output_walk *walk, struct visit *visit) {
    const struct array_rules *rules = visit->at->node->array;
    bool prefix = visit->member->kind == JSON_ARRAY, valid = true;
    uint32_t i = 0;
    visit->unit->says = says_from(visit, GRAMC_DRAFT_2019_09, prefix ? SAYS_LAST : SAYS_TRUE);
    if (!rules) return true; /* additionalItems alone */
    if (!prefix && !(rules->rest && text_is(visit->member->key, rules->rest_keyword))) return true;
    for (const struct json *item = visit->at->value->first; item; item = item->next, i++) {
        if (prefix != (i < rules->prefix.count)) continue;
        struct evaluation_frame inner =
            frame_item(visit, prefix ? rules->prefix.nodes[i] : rules->rest, item, i);
        inner.index = i;
        inner.listed = prefix;
        valid &= apply(walk, visit, &inner, NULL);
        marks_set(visit->marks, i);
    }
    return valid;
}

/* How many there must be is among what the schema itself says. */
static bool walk_contains(struct output_walk *walk, struct visit *visit) {
    const struct array_rules *rules = visit->at->node->array;
    bool evaluates = visit->at->node->resource->dialect.draft == GRAMC_DRAFT_2020_12;
    uint32_t i = 0;
    visit->unit->says = says_from(visit, GRAMC_DRAFT_2020_12, SAYS_PLACES);
    for (const struct json *item = visit->at->value->first; item; item = item->next, i++) {
        struct evaluation_frame inner = frame_item(visit, rules->contains, item, i);
        if (!is_wanted(walk, &inner) || !apply(walk, visit, &inner, NULL)) continue;
        if (evaluates) marks_set(visit->marks, i);
    }
    return true;
}

/* ## All keywords */

typedef bool walk_keyword_function(struct output_walk *walk, struct visit *visit);

static walk_keyword_function *walker_of(enum keyword keyword) {
    switch (keyword) {
    case K_REF: return walk_ref;
    case K_DYNAMIC_REF:
    case K_RECURSIVE_REF: return walk_dynamic;
    case K_ALL_OF: return walk_all;
    case K_ANY_OF: return walk_any;
    case K_ONE_OF: return walk_one;
    case K_NOT: return walk_not;
    case K_IF: return walk_if;
    case K_THEN:
    case K_ELSE: return walk_branch;
    case K_PROPERTIES: return walk_properties;
    case K_PATTERN_PROPERTIES: return walk_patterns;
    case K_ADDITIONAL_PROPERTIES: return walk_additional;
    case K_PROPERTY_NAMES: return walk_names;
    case K_DEPENDENT_SCHEMAS:
    case K_DEPENDENCIES: return walk_dependents;
    case K_UNEVALUATED_ITEMS:
    case K_UNEVALUATED_PROPERTIES: return walk_unevaluated;
    case K_PREFIX_ITEMS:
    case K_ITEMS:
    case K_ADDITIONAL_ITEMS: return walk_items;
    case K_CONTAINS: return walk_contains;
    default: return NULL;
    }
}

static bool is_about(enum keyword keyword, const struct evaluation_frame *at) {
    unsigned about = keyword_row(keyword)->about;
    if (about == TYPE_BIT_OBJECT) return at->value->kind == JSON_OBJECT;
    if (about == TYPE_BIT_ARRAY) return at->value->kind == JSON_ARRAY;
    return true;
}

/* The schema of a string's content counts if there is a media type to read it by. */
static bool says_itself(enum keyword keyword, const struct visit *visit) {
    if (keyword == K_CONTENT_SCHEMA && !json_get(visit->schema, "contentMediaType")) return false;
    switch (keyword_row(keyword)->vocabulary) {
    case VOCABULARY_META_DATA:
    case VOCABULARY_FORMAT: return true;
    case VOCABULARY_CONTENT: return visit->at->value->kind == JSON_STRING;
    default: return false;
    }
}

/* A schema that is applied in the same place says it all: the keyword takes over what it says. */
static void collapse(struct output_unit *unit) {
    const struct output_unit *inner = unit->first;
    if (!inner || inner->next || inner->token.ptr || inner->listed || inner->place ||
        inner->keyword || inner->valid != unit->valid || unit->error.ptr)
        return;
    unit->first = inner->first;
    unit->absolute = inner->absolute;
    unit->error = inner->error;
}

static bool is_kept(const struct output_unit *unit) {
    bool kept = unit->says != SAYS_NOTHING;
    for (const struct output_unit *inner = unit->first; inner && !kept; inner = inner->next)
        kept = inner->kept;
    return kept && unit->valid;
}

static void settle(struct output_walk *walk, struct visit *visit, bool valid) {
    struct output_unit *unit = visit->unit;
    unit->valid = tell(walk, visit, visit->member->key) && valid;
    if (!unit->first && (unit->says == SAYS_TRUE || unit->says == SAYS_LAST))
        unit->says = SAYS_NOTHING;
    collapse(unit);
    unit->kept = is_kept(unit);
}

static bool is_passed_over(enum keyword keyword) {
    return keyword != K_COUNT && keyword_row(keyword)->vocabulary == VOCABULARY_CORE &&
           !walker_of(keyword);
}

/* One keyword; `visit` has all but the unit. */
static bool walk_keyword(struct output_walk *walk, struct visit *visit,
                         struct output_unit ***link) {
    const struct dialect *dialect = &visit->at->node->resource->dialect;
    enum keyword keyword = keyword_named(visit->member->key);
    bool known = keyword != K_COUNT && keyword_is_heeded(keyword, dialect), valid = true;
    if (known ? is_passed_over(keyword) : draft_is_old(dialect->draft)) return true;
    if (known && !is_taken(walk, visit->at, keyword)) return true;
    visit->unit = add_unit(walk, link);
    if (!visit->unit) return false;
    visit->link = &visit->unit->first;
    visit->unit->keyword = true;
    visit->unit->token = visit->member->key;
    visit->unit->value = visit->member;
    if (!known || says_itself(keyword, visit)) visit->unit->says = SAYS_VALUE;
    walk_keyword_function *function = known ? walker_of(keyword) : NULL;
    if (function && is_about(keyword, visit->at)) valid = function(walk, visit);
    settle(walk, visit, valid);
    return visit->unit->valid;
}

static bool is_last(const struct json *member) {
    return text_is(member->key, "unevaluatedItems") ||
           text_is(member->key, "unevaluatedProperties");
}

/* In old drafts what stands beside $ref does not count. */
static const struct json *only_member(const struct schema_node *node, const struct json *schema) {
    return draft_is_old(node->resource->dialect.draft) ? json_get(schema, "$ref") : NULL;
}

/* The root of a tool call is closed by the caller, in words that the schema does not have. */
static bool walk_closed(struct output_walk *walk, struct visit *visit, struct output_unit ***link) {
    static const struct json additional = {.key = {"additionalProperties", 20}},
                             unevaluated = {.key = {"unevaluatedProperties", 21}};
    const struct schema_node *node = visit->at->node;
    bool rest = node->object && node->object->additional;
    if (!(node->flags & NODE_CLOSED) || visit->at->value->kind != JSON_OBJECT) return true;
    visit->member = rest ? &additional : &unevaluated;
    visit->unit = add_unit(walk, link);
    if (!visit->unit) return false;
    visit->link = &visit->unit->first;
    visit->unit->keyword = true;
    visit->unit->token = visit->member->key;
    settle(walk, visit, rest ? walk_additional(walk, visit) : walk_unevaluated(walk, visit));
    return visit->unit->valid;
}

/* So many missing names that some go untold do not keep the dependent ones from being told. */
static bool judge_itself(struct output_walk *walk, const struct evaluation_frame *at,
                         struct report *own) {
    bool valid = evaluate_itself(walk->evaluation, at);
    own->max += MOST_SENTENCES;
    if (at->value->kind == JSON_OBJECT && at->node->object)
        valid &= evaluate_dependents(walk->evaluation, at);
    return valid;
}

static bool walk_keywords(struct output_walk *walk, struct output_unit *unit,
                          const struct evaluation_frame *at, const struct json *schema,
                          struct marks *marks) {
    const struct json *only = only_member(at->node, schema);
    struct output_unit **link = &unit->first;
    struct report own;
    struct visit visit = {.at = at, .schema = schema, .own = listen(walk, &own), .marks = marks};
    bool valid = !walk->all || judge_itself(walk, at, &own);
    for (int last = 0; last <= 1; last++)
        for (const struct json *member = schema->first; member; member = member->next) {
            if (walk->evaluation->status != GRAMC_OK) return false;
            if (only ? member != only || last : is_last(member) != last) continue;
            visit.member = member;
            valid &= walk_keyword(walk, &visit, &link);
        }
    return walk_closed(walk, &visit, &link) && valid;
}

static bool walk_node(struct output_walk *walk, struct output_unit *unit,
                      const struct evaluation_frame *at, struct marks *marks) {
    const struct schema_node *node = at->node;
    struct marks mine;
    struct report own;
    if (node->types == 0) {
        listen(walk, &own);
        report_never(walk->evaluation, at);
        if (own.first) unit->error = own.first->shown.message;
        return false;
    }
    const struct json *schema = schema_of(walk, node);
    if (!schema || schema->kind != JSON_OBJECT) return schema != NULL;
    if (node->flags & NODE_UNEVALUATED && at->value->kind >= JSON_ARRAY && !marks) {
        marks = &mine;
        if (!marks_init(walk->evaluation, marks, at->value)) return false;
    }
    return walk_keywords(walk, unit, at, schema, marks);
}

static bool walk_schema(struct output_walk *walk, struct output_unit *unit,
                        const struct evaluation_frame *at, struct marks *marks) {
    struct evaluation *evaluation = walk->evaluation;
    const struct evaluation_frame *outer = evaluation->current;
    struct report *report = evaluation->report;
    if (!evaluation_enter(evaluation, at)) return false;
    unit->valid = walk_node(walk, unit, at, marks) && evaluation->status == GRAMC_OK;
    unit->kept = is_kept(unit);
    evaluation_leave(evaluation, outer);
    evaluation->report = report;
    return unit->valid;
}

void output_walk(struct verdict *verdict, struct evaluation *evaluation, const struct json *root,
                 bool all) {
    struct evaluation_frame at = {.node = evaluation->schema->root, .value = root};
    struct output_walk walk = {.evaluation = evaluation, .all = all};
    struct report *report = evaluation->report;
    struct output_unit *first = NULL, **link = &first;
    map_init(&walk.places, evaluation->arena);
    map_init(&walk.schemas, evaluation->arena);
    struct output_unit *unit = add_unit(&walk, &link);
    if (!unit) return;
    unit->absolute = absolute_of(&walk, &at);
    walk_schema(&walk, unit, &at, NULL);
    evaluation->report = report;
    verdict->output = unit;
    verdict->output_all = all;
}
