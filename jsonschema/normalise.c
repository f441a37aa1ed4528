/* Walks over a document and changes it the way the caller asked for: lossless coercions, nulls that
 * count as absent, defaults. Works on the reader's own copy; whether the result is valid is
 * evaluated afterwards. Of alternatives it follows the one that accepts the value as it is, else
 * the first that accepts it once changed. Recursion and time are limited by the evaluator's frames
 * and steps. */
#include "jsonschema/normalise.h"

#include "base/limits.h"
#include "base/text.h"

enum { STEPS_PER_CLONE = 2, MEMBERS_PER_STEP = 8 };

static bool normalise(struct normaliser *n, const struct evaluation_frame *at, struct json *value);

/* ## Copies */

struct json *normalise_clone(struct normaliser *n, const struct json *value, unsigned mark) {
    struct evaluation *evaluation = n->evaluation;
    if (!evaluation_take(evaluation, STEPS_PER_CLONE)) return NULL;
    struct json *copy = arena_piece(&n->verdict->arena, sizeof *copy);
    if (!copy) {
        evaluation_stop(evaluation, GRAMC_NOMEM);
        return NULL;
    }
    *copy = *value;
    copy->mark |= (uint8_t)mark;
    copy->next = copy->first = NULL;
    struct json **link = &copy->first;
    for (const struct json *child = value->first; child; child = child->next) {
        *link = normalise_clone(n, child, mark);
        if (!*link) return NULL;
        link = &(*link)->next;
    }
    return copy;
}

/* ## Alternatives */

static const struct schema_node *behind_refs(const struct schema_node *node) {
    bool refers = true;
    while (refers) {
        refers = node->apply && node->apply->ref && !node->object;
        if (refers) node = node->apply->ref;
    }
    return node;
}

/* No conversion makes the value of this member one of those that the schema lists. */
static bool is_other_choice(struct normaliser *n, const struct evaluation_frame *at,
                            const struct json *member) {
    const struct schema_property *property = find_property(at->node->object, member->key);
    const struct schema_node *node = property ? property->node : NULL;
    if (!node || !node->values || !(node->kinds & type_of(member))) return false;
    struct evaluation_frame inner = frame_child(at, node, member, "properties");
    return !evaluate_quietly(n->evaluation, &inner);
}

static bool lacks_required(struct normaliser *n, const struct object_rules *rules,
                           const struct json *object) {
    uint32_t missing = rules->required_undefaulted;
    if (!missing) return false;
    if (!evaluation_take(n->evaluation, object->count / MEMBERS_PER_STEP)) return true;
    for (const struct json *member = object->first; member && missing; member = member->next) {
        const struct schema_property *property = find_property(rules, member->key);
        missing -= property && property->required != NO_REQUIRED && !property->initial;
    }
    return missing > 0;
}

/* The alternative is about other values, as can be seen without going inside. */
static bool is_hopeless(struct normaliser *n, const struct evaluation_frame *frame,
                        const struct json *value) {
    const struct schema_node *node = behind_refs(frame->node);
    struct evaluation_frame at = frame_inner(frame, node, "$ref");
    if (value->kind != JSON_OBJECT || !node->object) return false;
    if (lacks_required(n, node->object, value)) return true;
    for (const struct json *member = value->first; member; member = member->next)
        if (member->kind < JSON_ARRAY && is_other_choice(n, &at, member)) return true;
    return false;
}

/* What stands there in the text, if nothing has changed it yet; NULL otherwise. */
static const struct json *place_in_text(struct normaliser *n, const struct json *value) {
    bool fresh = !value->mark && !n->evaluation->schema->dynamic;
    return fresh ? (const struct json *)(const void *)(n->text.ptr + value->start) : NULL;
}

static bool was_refused(struct normaliser *n, const struct evaluation_frame *frame,
                        const struct json *value) {
    const struct json *place = place_in_text(n, value);
    return place && memo_find(&n->refused, frame->node, place, false);
}

static void remember_refusal(struct normaliser *n, const struct evaluation_frame *frame,
                             const struct json *value) {
    const struct memo_entry entry = {.node = frame->node, .value = place_in_text(n, value)};
    if (entry.value && n->evaluation->status == GRAMC_OK &&
        !memo_add(&n->refused, &n->verdict->arena, &entry))
        evaluation_stop(n->evaluation, GRAMC_NOMEM);
}

/* Normalises a copy by one alternative; keeps it if the alternative then accepts. */
static bool try_alternative(struct normaliser *n, const struct evaluation_frame *frame,
                            struct json *value, bool *changed) {
    struct change **link = n->verdict->link;
    const struct json before = *value;
    struct json *copy = normalise_clone(n, value, 0);
    if (!copy) return false;
    value->first = copy->first;
    bool touched = normalise(n, frame, value);
    if (touched && evaluate_quietly(n->evaluation, frame)) {
        *changed = true;
        return true;
    }
    *value = before;
    memo_forget(&n->evaluation->memo);
    *link = NULL;
    n->verdict->link = link;
    remember_refusal(n, frame, value);
    return false;
}

static bool alternatives(struct normaliser *n, const struct evaluation_frame *at,
                         struct json *value, const struct node_list *list, const char *keyword) {
    bool changed = false;
    for (size_t i = 0; i < list->count && n->evaluation->status == GRAMC_OK; i++) {
        struct evaluation_frame inner = frame_nth(at, list->nodes[i], keyword, i);
        if (!was_refused(n, &inner, value) && evaluate_quietly(n->evaluation, &inner))
            return normalise(n, &inner, value);
    }
    for (size_t i = 0; i < list->count && n->evaluation->status == GRAMC_OK; i++) {
        struct evaluation_frame inner = frame_nth(at, list->nodes[i], keyword, i);
        if (was_refused(n, &inner, value) || is_hopeless(n, &inner, value)) continue;
        if (try_alternative(n, &inner, value, &changed)) break;
    }
    return changed;
}

static bool conditions(struct normaliser *n, const struct evaluation_frame *at,
                       struct json *value) {
    const struct applicators *apply = at->node->apply;
    if (!apply->if_node || (!apply->then_node && !apply->else_node)) return false;
    struct evaluation_frame condition = frame_inner(at, apply->if_node, "if");
    bool holds = evaluate_quietly(n->evaluation, &condition);
    const struct schema_node *next = holds ? apply->then_node : apply->else_node;
    if (!next) return false;
    struct evaluation_frame inner = frame_inner(at, next, holds ? "then" : "else");
    return normalise(n, &inner, value);
}

static bool applied(struct normaliser *n, const struct evaluation_frame *at, struct json *value) {
    const struct applicators *apply = at->node->apply;
    bool changed = false;
    if (apply->ref) {
        struct evaluation_frame inner = frame_inner(at, apply->ref, "$ref");
        changed |= normalise(n, &inner, value);
    }
    if (apply->dynamic) {
        struct evaluation_frame inner =
            frame_inner(at, evaluate_dynamic_target(at, apply->dynamic), "$dynamicRef");
        changed |= normalise(n, &inner, value);
    }
    for (size_t i = 0; i < apply->all.count; i++) {
        struct evaluation_frame inner = frame_nth(at, apply->all.nodes[i], "allOf", i);
        changed |= normalise(n, &inner, value);
    }
    if (apply->any.count) changed |= alternatives(n, at, value, &apply->any, "anyOf");
    if (apply->one.count) changed |= alternatives(n, at, value, &apply->one, "oneOf");
    return conditions(n, at, value) || changed;
}

/* ## Objects and arrays */

/* A null for a member that need not be there and must not be null. */
static bool counts_as_absent(struct normaliser *n, const struct evaluation_frame *at,
                             const struct json *member) {
    if (!(n->flags & GRAMC_CHECK_NULL_ABSENT) || member->kind != JSON_NULL) return false;
    const struct schema_property *property = find_property(at->node->object, member->key);
    if (!property || !property->node || property->required != NO_REQUIRED) return false;
    struct evaluation_frame inner = frame_child(at, property->node, member, "properties");
    return !evaluate_quietly(n->evaluation, &inner) && n->evaluation->status == GRAMC_OK;
}

static bool drop_nulls(struct normaliser *n, const struct evaluation_frame *at,
                       struct json *object) {
    bool changed = false;
    for (struct json **link = &object->first; *link;) {
        struct json *member = *link;
        if (!counts_as_absent(n, at, member)) {
            link = &member->next;
            continue;
        }
        struct evaluation_frame inner = frame_child(at, at->node, member, "properties");
        struct change *change = change_note(n, &inner, GRAMC_ADJUSTED_REMOVED);
        if (change) change->shown.before = TEXT("null");
        *link = member->next;
        object->count--;
        object->mark |= MARK_DROPPED;
        memo_forget(&n->evaluation->memo);
        changed = true;
    }
    return changed;
}

static bool normalise_member(struct normaliser *n, const struct evaluation_frame *at,
                             struct json *member) {
    const struct object_rules *rules = at->node->object;
    const struct schema_property *property = find_property(rules, member->key);
    bool known = false, changed = false;
    if (property && property->node) {
        struct evaluation_frame inner = frame_child(at, property->node, member, "properties");
        changed |= normalise(n, &inner, member);
        known = true;
    }
    for (size_t i = 0; i < rules->pattern_count; i++) {
        if (!evaluate_matches(n->evaluation, rules->patterns[i].regex, member->key)) continue;
        struct evaluation_frame inner =
            frame_child(at, rules->patterns[i].node, member, "patternProperties");
        changed |= normalise(n, &inner, member);
        known = true;
    }
    if (!known && rules->additional) {
        struct evaluation_frame inner =
            frame_child(at, rules->additional, member, "additionalProperties");
        changed |= normalise(n, &inner, member);
    }
    return changed;
}

static bool normalise_object(struct normaliser *n, const struct evaluation_frame *at,
                             struct json *object) {
    bool changed = drop_nulls(n, at, object);
    for (struct json *member = object->first; member; member = member->next)
        changed |= normalise_member(n, at, member);
    return normalise_fill(n, at, object) || changed;
}

static bool normalise_array(struct normaliser *n, const struct evaluation_frame *at,
                            struct json *array) {
    const struct array_rules *rules = at->node->array;
    bool changed = false;
    uint32_t i = 0;
    for (struct json *item = array->first; item; item = item->next, i++) {
        const struct schema_node *node =
            i < rules->prefix.count ? rules->prefix.nodes[i] : rules->rest;
        if (!node) break;
        struct evaluation_frame inner = frame_child(at, node, item, "items");
        inner.item = i;
        changed |= normalise(n, &inner, item);
    }
    return changed;
}

bool normalise_place(struct normaliser *n, const struct evaluation_frame *at, struct json *value) {
    return normalise(n, at, value);
}

/* Returns whether anything changed. */
static bool normalise(struct normaliser *n, const struct evaluation_frame *at, struct json *value) {
    struct evaluation *evaluation = n->evaluation;
    const struct schema_node *node = at->node;
    if (evaluation->status != GRAMC_OK) return false;
    if (evaluation->frames >= JUDGE_FRAMES_MAX) return evaluation_limit(evaluation, LIMIT_FRAMES);
    if (!evaluation_take(evaluation, 1)) return false;
    evaluation->frames++;
    const struct evaluation_frame *outer = evaluation->current;
    evaluation->current = at;
    bool changed = normalise_convert(n, at, value);
    if (value->kind == JSON_ARRAY && node->array) changed |= normalise_array(n, at, value);
    if (value->kind == JSON_OBJECT && node->object) changed |= normalise_object(n, at, value);
    if (node->apply) changed |= applied(n, at, value);
    if (changed) value->mark |= MARK_INSIDE;
    evaluation->frames--;
    evaluation->current = outer;
    return changed;
}

void verdict_normalise(struct verdict *verdict, struct evaluation *evaluation, struct json *root,
                       gramc_text text, unsigned flags) {
    struct normaliser n = {
        .verdict = verdict, .evaluation = evaluation, .text = text, .flags = flags};
    struct evaluation_frame at = {.node = evaluation->schema->root, .value = root};
    struct report *report = evaluation->report;
    verdict->link = &verdict->changes;
    if (!evaluation->schema->has_defaults) flags &= ~(unsigned)GRAMC_CHECK_DEFAULTS;
    if (!flags) return;
    evaluation->report = NULL;
    normalise(&n, &at, root);
    evaluation->report = report;
}
