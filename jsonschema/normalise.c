/* Changes a document the way the caller asked for: lossless coercions, nulls that count as absent,
 * defaults. Works on the reader's own copy and keeps a list of what it did; whether the result is
 * valid is evaluated afterwards. Unchanged parts keep their bytes. Recursion and time are limited
 * by the evaluator's frames and steps. */
#include "jsonschema/verdict.h"

#include <string.h>

#include "base/json/scan.h"
#include "base/text.h"

enum mark {
    MARK_NEW = 1,     /* has no bytes of its own in the input */
    MARK_INSIDE = 2,  /* something inside changed */
    MARK_MEMBERS = 4, /* members came or went */
};

enum { LARGEST_RESULT = 64 * 1024 * 1024, STEPS_PER_CLONE = 16, BYTES_PER_STEP = 16 };

struct normaliser {
    struct verdict *verdict;
    struct evaluation *evaluation;
    gramc_text text;
    unsigned flags;
};

static bool normalise(struct normaliser *n, const struct evaluation_frame *at, struct json *value);

/* ## The list of changes */

static gramc_text bytes_of(struct normaliser *n, const struct json *value) {
    if (!value->mark) return text_slice(n->text, value->start, value->end);
    struct buf buf;
    buf_init(&buf, &n->verdict->arena.allocator, LARGEST_RESULT);
    json_put(&buf, value);
    gramc_text text = buf_to_arena(&buf, &n->verdict->arena);
    if (!text.ptr) evaluation_stop(n->evaluation, GRAMC_NOMEM);
    return text;
}

static void put_place(struct buf *out, const struct evaluation_frame *at) {
    if (!at->up) return;
    put_place(out, at->up);
    if (at->value == at->up->value) return;
    if (at->up->value->kind == JSON_OBJECT) {
        json_put_pointer_token(out, at->value->key);
        return;
    }
    size_t i = 0;
    for (const struct json *item = at->up->value->first; item && item != at->value;
         item = item->next)
        i++;
    buf_printf(out, "/%zu", i);
}

static struct change *note(struct normaliser *n, const struct evaluation_frame *at,
                           gramc_adjustment_kind kind) {
    struct arena *arena = &n->verdict->arena;
    struct change *change = ARENA_NEW(arena, struct change);
    struct buf buf;
    buf_init(&buf, &arena->allocator, 64 * 1024);
    put_place(&buf, at);
    gramc_text instance = buf_to_arena_cut(&buf, arena);
    if (!change || !instance.ptr) evaluation_stop(n->evaluation, GRAMC_NOMEM);
    if (!change) return NULL;
    change->shown.kind = kind;
    change->shown.instance = instance;
    *n->verdict->link = change;
    n->verdict->link = &change->next;
    return change;
}

/* ## Copies */

/* Everything but the neighbours; in depth as the document. NULL without memory. */
static struct json *clone(struct normaliser *n, const struct json *value, unsigned mark) {
    struct evaluation *evaluation = n->evaluation;
    if (evaluation->steps <= STEPS_PER_CLONE) {
        evaluation_stop(evaluation, GRAMC_LIMIT);
        return NULL;
    }
    evaluation->steps -= STEPS_PER_CLONE;
    struct json *copy = ARENA_NEW(&n->verdict->arena, struct json);
    if (!copy) {
        evaluation_stop(evaluation, GRAMC_NOMEM);
        return NULL;
    }
    *copy = *value;
    copy->mark |= (uint8_t)mark;
    copy->next = copy->first = NULL;
    struct json **link = &copy->first;
    for (const struct json *child = value->first; child; child = child->next) {
        *link = clone(n, child, mark);
        if (!*link) return NULL;
        link = &(*link)->next;
    }
    return copy;
}

/* ## Coercions */

static bool to_number(struct json *value, unsigned types, gramc_text trimmed) {
    bool whole;
    const char *end = trimmed.ptr + trimmed.len;
    if (trimmed.len == 0 || (*trimmed.ptr != '-' && !json_byte_is(*trimmed.ptr, JSON_BYTE_DIGIT)))
        return false;
    if (json_scan_number(trimmed.ptr, end, &whole) != end) return false;
    if (!(types & TYPE_BIT_FRACTION) && !json_number_is_integer(trimmed)) return false;
    value->kind = JSON_NUMBER;
    value->text = trimmed;
    return true;
}

static bool from_string(struct json *value, unsigned types) {
    gramc_text trimmed = text_trim(value->text);
    if (types & TYPE_BIT_NUMBER && to_number(value, types, trimmed)) return true;
    if (!(types & TYPE_BIT_BOOLEAN)) return false;
    bool yes = text_is_nocase(trimmed, "true");
    if (!yes && !text_is_nocase(trimmed, "false") && value->text.len) return false;
    value->kind = yes ? JSON_TRUE : JSON_FALSE;
    return true;
}

static bool from_number(struct json *value, unsigned types) {
    if (types & TYPE_BIT_STRING) {
        value->kind = JSON_STRING;
        return true;
    }
    bool one = json_number_compare(value->text, TEXT("1")) == 0;
    if (!(types & TYPE_BIT_BOOLEAN) || (!one && json_number_compare(value->text, TEXT("0")) != 0))
        return false;
    value->kind = one ? JSON_TRUE : JSON_FALSE;
    return true;
}

/* Converts in place what can be converted without losing anything. */
static bool convert(struct json *value, unsigned types, gramc_text bytes) {
    switch ((enum json_kind)value->kind) {
    case JSON_STRING: return from_string(value, types);
    case JSON_NUMBER: return from_number(value, types);
    case JSON_FALSE:
    case JSON_TRUE:
        if (!(types & TYPE_BIT_STRING)) return false;
        value->text = value->kind == JSON_TRUE ? TEXT("true") : TEXT("false");
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        if (!(types & TYPE_BIT_STRING)) return false;
        value->text = bytes;
        value->first = NULL;
        value->count = 0;
        break;
    case JSON_NULL: return false;
    }
    value->kind = JSON_STRING;
    return true;
}

/* All of it stands where the string stood. */
static void place_at(struct json *value, uint32_t start, uint32_t end) {
    value->start = value->key_start = start;
    value->end = end;
    for (struct json *child = value->first; child; child = child->next) place_at(child, start, end);
}

/* A string that is the JSON of the list or map that is asked for. */
static bool from_json(struct normaliser *n, struct json *value, unsigned types) {
    struct arena *arena = &n->verdict->arena;
    unsigned lists = types & (TYPE_BIT_ARRAY | TYPE_BIT_OBJECT);
    gramc_text text = text_trim(value->text);
    if (!lists || value->kind != JSON_STRING || !text.len) return false;
    if (*text.ptr != '{' && *text.ptr != '[') return false;
    uint64_t cost = text.len / BYTES_PER_STEP;
    if (n->evaluation->steps <= cost) return evaluation_stop(n->evaluation, GRAMC_LIMIT);
    n->evaluation->steps -= cost;
    const struct json *inner = json_parse(arena, value->text, NULL);
    if (arena->oom) return evaluation_stop(n->evaluation, GRAMC_NOMEM);
    struct json *copy = inner && lists & type_of(inner) ? clone(n, inner, MARK_NEW) : NULL;
    if (!copy) return false;
    place_at(copy, value->start, value->end);
    value->kind = copy->kind;
    value->first = copy->first;
    value->count = copy->count;
    value->text = (gramc_text){NULL, 0};
    return true;
}

static bool coerce(struct normaliser *n, const struct evaluation_frame *at, struct json *value) {
    unsigned types = at->node->types;
    if (!(n->flags & GRAMC_CHECK_COERCE) || types & type_of(value)) return false;
    gramc_text before = bytes_of(n, value);
    if (!convert(value, types, before) && !from_json(n, value, types)) return false;
    value->mark = MARK_NEW;
    struct change *change = note(n, at, GRAMC_ADJUSTED_COERCED);
    if (change) {
        change->shown.before = before;
        change->shown.after = bytes_of(n, value);
    }
    return true;
}

/* ## Alternatives */

/* Puts a tried copy in the place of the value. */
static void adopt(struct json *value, const struct json *copy) {
    struct json *next = value->next;
    *value = *copy;
    value->next = next;
}

/* Normalises a copy by one alternative; keeps it if the alternative then accepts. */
static bool try_alternative(struct normaliser *n, const struct evaluation_frame *frame,
                            struct json *value, bool *changed) {
    struct change **link = n->verdict->link;
    struct json *copy = clone(n, value, 0);
    if (!copy) return false;
    bool touched = normalise(n, frame, value);
    if (evaluate_quietly(n->evaluation, frame)) {
        *changed |= touched;
        return true;
    }
    adopt(value, copy);
    *link = NULL;
    n->verdict->link = link;
    return false;
}

static bool alternatives(struct normaliser *n, const struct evaluation_frame *at,
                         struct json *value, const struct node_list *list, const char *keyword) {
    bool changed = false;
    for (size_t i = 0; i < list->count; i++) {
        struct evaluation_frame inner = frame_nth(at, list->nodes[i], keyword, i);
        if (evaluate_quietly(n->evaluation, &inner)) return normalise(n, &inner, value);
    }
    for (size_t i = 0; i < list->count && n->evaluation->status == GRAMC_OK; i++) {
        struct evaluation_frame inner = frame_nth(at, list->nodes[i], keyword, i);
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
        struct change *change = note(n, &inner, GRAMC_ADJUSTED_REMOVED);
        if (change) change->shown.before = TEXT("null");
        *link = member->next;
        object->count--;
        object->mark |= MARK_MEMBERS;
        changed = true;
    }
    return changed;
}

/* The last link of an object's list. */
static struct json **end_of(struct json *object) {
    struct json **link = &object->first;
    while (*link) link = &(*link)->next;
    return link;
}

/* Fills in one default, unless it does not fit its own schema: then it was never meant to be. */
static bool fill_default(struct normaliser *n, const struct evaluation_frame *at,
                         struct json *object, const struct schema_property *property) {
    struct change **changes = n->verdict->link;
    struct json *member = clone(n, property->initial, MARK_NEW);
    if (!member) return false;
    member->key = property->key;
    member->start = member->end = object->end - 1;
    struct json **link = end_of(object);
    *link = member;
    object->count++;
    struct evaluation_frame inner = frame_child(at, property->node, member, "properties");
    inner.token = property->key;
    struct change *change = note(n, &inner, GRAMC_ADJUSTED_DEFAULT);
    normalise(n, &inner, member);
    if (change && evaluate_quietly(n->evaluation, &inner)) {
        object->mark |= MARK_MEMBERS;
        change->shown.after = bytes_of(n, member);
        /* What was filled in or converted inside is part of it. */
        change->next = NULL;
        n->verdict->link = &change->next;
        return true;
    }
    *link = NULL;
    object->count--;
    *changes = NULL;
    n->verdict->link = changes;
    return false;
}

static bool fill_defaults(struct normaliser *n, const struct evaluation_frame *at,
                          struct json *object) {
    const struct object_rules *rules = at->node->object;
    bool changed = false;
    if (!(n->flags & GRAMC_CHECK_DEFAULTS)) return false;
    for (uint32_t i = rules->first; i < rules->property_count; i = rules->properties[i].next) {
        const struct schema_property *property = &rules->properties[i];
        if (!property->initial || json_get_text(object, property->key)) continue;
        changed |= fill_default(n, at, object, property);
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
    return fill_defaults(n, at, object) || changed;
}

static bool normalise_array(struct normaliser *n, const struct evaluation_frame *at,
                            struct json *array) {
    const struct array_rules *rules = at->node->array;
    bool changed = false;
    size_t i = 0;
    for (struct json *item = array->first; item; item = item->next, i++) {
        const struct schema_node *node =
            i < rules->prefix.count ? rules->prefix.nodes[i] : rules->rest;
        if (!node) break;
        struct evaluation_frame inner = frame_child(at, node, item, "items");
        changed |= normalise(n, &inner, item);
    }
    return changed;
}

/* Returns whether anything changed. */
static bool normalise(struct normaliser *n, const struct evaluation_frame *at, struct json *value) {
    struct evaluation *evaluation = n->evaluation;
    const struct schema_node *node = at->node;
    if (evaluation->status != GRAMC_OK) return false;
    if (evaluation->frames >= EVALUATE_MAX_FRAMES || evaluation->steps == 0)
        return evaluation_stop(evaluation, GRAMC_LIMIT);
    evaluation->frames++;
    evaluation->steps--;
    bool changed = coerce(n, at, value);
    if (value->kind == JSON_ARRAY && node->array) changed |= normalise_array(n, at, value);
    if (value->kind == JSON_OBJECT && node->object) changed |= normalise_object(n, at, value);
    if (node->apply) changed |= applied(n, at, value);
    if (changed) value->mark |= MARK_INSIDE;
    evaluation->frames--;
    return changed;
}

void verdict_normalise(struct verdict *verdict, struct evaluation *evaluation, struct json *root,
                       gramc_text text, unsigned flags) {
    struct normaliser n = {verdict, evaluation, text, flags};
    struct evaluation_frame at = {.node = evaluation->schema->root, .value = root};
    struct report *report = evaluation->report;
    verdict->link = &verdict->changes;
    if (!flags) return;
    evaluation->report = NULL;
    normalise(&n, &at, root);
    evaluation->report = report;
    /* The evaluation itself gets the whole of its time again. */
    evaluation->steps = evaluation->all_steps;
}

/* ## Writing */

static void put_changed(struct buf *out, const struct json *value, gramc_text text);

/* The bytes between what stands before and a child, when both stood side by side in the input. */
static void put_between(struct buf *out, gramc_text text, size_t from, size_t to, bool neighbours,
                        bool first) {
    if (neighbours) buf_text(out, text_slice(text, from, to));
    else if (!first) buf_putc(out, ',');
}

static bool is_comma_between(gramc_text text, size_t from, size_t to) {
    size_t commas = 0;
    for (size_t i = from; i < to; i++) {
        if (text.ptr[i] == ',') commas++;
        else if (!json_byte_is(text.ptr[i], JSON_BYTE_BLANK)) return false;
    }
    return commas == 1;
}

static void put_member_start(struct buf *out, const struct json *child, gramc_text text) {
    if (child->mark & MARK_NEW && child->start == child->end) {
        json_put_string(out, child->key);
        buf_putc(out, ':');
    } else {
        buf_text(out, text_slice(text, child->key_start, child->start));
    }
}

static void put_container(struct buf *out, const struct json *value, gramc_text text) {
    bool object = value->kind == JSON_OBJECT, inserted = false;
    size_t done = value->start + 1;
    buf_putc(out, object ? '{' : '[');
    for (const struct json *child = value->first; child; child = child->next) {
        bool first = child == value->first;
        inserted = child->mark & MARK_NEW && child->start == child->end;
        size_t start = object ? child->key_start : child->start;
        bool neighbours =
            !inserted && start >= done &&
            (first ? !(value->mark & MARK_MEMBERS) : is_comma_between(text, done, start));
        put_between(out, text, done, start, neighbours, first);
        if (object) put_member_start(out, child, text);
        put_changed(out, child, text);
        if (!inserted) done = child->end;
    }
    if (!(value->mark & MARK_MEMBERS)) buf_text(out, text_slice(text, done, value->end - 1));
    buf_putc(out, object ? '}' : ']');
}

static void put_changed(struct buf *out, const struct json *value, gramc_text text) {
    if (!value->mark) buf_text(out, text_slice(text, value->start, value->end));
    else if (value->mark & MARK_NEW) json_put(out, value);
    else put_container(out, value, text);
}

gramc_text verdict_bytes(struct verdict *verdict, const struct json *root, gramc_text text) {
    struct buf buf;
    if (!verdict->changes) return text;
    buf_init(&buf, &verdict->arena.allocator, LARGEST_RESULT);
    put_changed(&buf, root, text);
    return buf_to_arena(&buf, &verdict->arena);
}

void verdict_finish(struct verdict *verdict, const struct evaluation *evaluation,
                    const struct report *report, const struct json *root, gramc_text text) {
    struct arena *arena = &verdict->arena;
    gramc_verdict *shown = &verdict->shown;
    size_t change_count = 0, i = 0;
    if (evaluation->status != GRAMC_OK) return;
    for (const struct change *change = verdict->changes; change; change = change->next)
        change_count++;
    gramc_violation *errors = arena_array(arena, report->kept, sizeof *errors);
    gramc_adjustment *changes = arena_array(arena, change_count, sizeof *changes);
    shown->normalised = root ? verdict_bytes(verdict, root, text) : text;
    if (!errors || !changes) return;
    for (const struct violation *v = report->first; v; v = v->next) errors[i++] = v->shown;
    i = 0;
    for (const struct change *change = verdict->changes; change; change = change->next)
        changes[i++] = change->shown;
    verdict->violations = report->first;
    shown->valid = report->total == 0;
    shown->errors = errors;
    shown->error_count = report->kept;
    shown->errors_total = report->total;
    shown->adjustments = changes;
    shown->adjustment_count = change_count;
}
