/* Defaults: fills them in where members are absent, and decides which of them stay. All are filled
 * in first. If the document is not valid then, it is evaluated without any, and they come back in
 * groups, halved until it is known which ones it is not valid with: those are left out. */
#include "jsonschema/normalise.h"

#include "base/text.h"

enum { PROPERTIES_PER_STEP = 8 };

/* ## Filling in */

/* Fills in one default at *end, the last link of the object's list, unless it does not fit its own
 * schema: then it was never meant to be. */
static bool fill_one(struct normaliser *n, const struct evaluation_frame *at, struct json *object,
                     const struct schema_property *property, struct json **end) {
    struct change **changes = n->verdict->link;
    struct json *member = normalise_clone(n, property->initial, MARK_NEW);
    if (!member) return false;
    member->key = property->key;
    member->start = member->end = object->end - 1;
    struct evaluation_frame inner = frame_child(at, property->node, member, "properties");
    inner.token = property->key;
    struct change *change = change_note(n, &inner, GRAMC_ADJUSTED_DEFAULT);
    member->mark |= MARK_FILLED;
    member->key_start = ++n->verdict->fill_count;
    *end = member;
    object->count++;
    n->filling++;
    normalise_place(n, &inner, member);
    n->filling--;
    if (change && evaluate_quietly(n->evaluation, &inner)) {
        object->mark |= MARK_ADDED;
        change->filled = member;
        change->number = member->key_start;
        /* What was filled in or converted inside is part of it. */
        change->next = NULL;
        n->verdict->link = &change->next;
        return true;
    }
    *end = NULL;
    object->count--;
    *changes = NULL;
    n->verdict->link = changes;
    memo_forget(&n->evaluation->memo);
    return false;
}

/* The same schema has filled in the default in which this object stands: without an end. */
static bool is_inside_itself(const struct evaluation_frame *at) {
    for (const struct evaluation_frame *up = at->up; up; up = up->up)
        if (up->node == at->node && up->value != at->value) return true;
    return false;
}

/* A bit for each property that is there; gives the last link of the list. */
static struct json **find_present(const struct object_rules *rules, struct json *object,
                                  struct marks *present) {
    struct json **link = &object->first;
    for (; *link; link = &(*link)->next) {
        const struct schema_property *property = find_property(rules, (*link)->key);
        if (property) marks_set(present, (uint32_t)(property - rules->properties));
    }
    return link;
}

bool normalise_fill(struct normaliser *n, const struct evaluation_frame *at, struct json *object) {
    const struct object_rules *rules = at->node->object;
    struct evaluation *evaluation = n->evaluation;
    const struct json room = {.count = (uint32_t)rules->property_count};
    const uint64_t cost = rules->property_count / PROPERTIES_PER_STEP;
    struct marks present;
    bool changed = false;
    if (!(n->flags & GRAMC_CHECK_DEFAULTS) || !rules->defaults) return false;
    if (n->filling && is_inside_itself(at)) return false;
    if (evaluation->steps <= cost) return evaluation_stop(evaluation, GRAMC_LIMIT);
    evaluation->steps -= cost;
    if (!marks_init(evaluation, &present, &room)) return false;
    struct json **end = find_present(rules, object, &present);
    for (uint32_t i = rules->first; i < rules->property_count; i = rules->properties[i].next) {
        const struct schema_property *property = &rules->properties[i];
        if (!property->initial || marks_has(&present, i)) continue;
        if (!fill_one(n, at, object, property, end)) continue;
        end = &(*end)->next;
        changed = true;
    }
    return changed;
}

/* ## Leaving out */

/* An object with defaults, which are the last in its list. */
struct filled_object {
    struct json *object;
    struct json **own, **end; /* the last link without any of them, and with those that are in */
};

struct fill {
    struct filled_object *owner;
    struct json *member;
    struct json **before; /* the link at which it stands */
    bool in;
};

struct fills {
    struct verdict *verdict;
    struct evaluation *evaluation;
    struct json *root;
    struct filled_object *objects;
    struct fill *list;
    size_t object_count, count;
    size_t least; /* errors so far */
};

/* In the order of the document; what is inside of a default is part of it. */
static void collect(struct fills *fills, struct json *value) {
    struct filled_object *owner = NULL;
    if (!value->mark) return;
    for (struct json **link = &value->first; *link; link = &(*link)->next) {
        struct json *child = *link;
        if (!(child->mark & MARK_FILLED)) {
            collect(fills, child);
            continue;
        }
        if (!owner) {
            owner = &fills->objects[fills->object_count++];
            *owner = (struct filled_object){value, link, link};
        }
        owner->end = &child->next;
        fills->list[fills->count++] = (struct fill){owner, child, link, true};
    }
}

static void put_in(struct fills *fills, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        struct fill *fill = &fills->list[i];
        struct filled_object *owner = fill->owner;
        fill->before = owner->end;
        *owner->end = fill->member;
        fill->member->next = NULL;
        owner->end = &fill->member->next;
        owner->object->count++;
        fill->in = true;
    }
}

/* The last ones that were put in. */
static void take_out(struct fills *fills, size_t from, size_t to) {
    for (size_t i = to; i-- > from;) {
        struct fill *fill = &fills->list[i];
        *fill->before = NULL;
        fill->owner->end = fill->before;
        fill->owner->object->count--;
        fill->in = false;
    }
}

static size_t count_errors(struct fills *fills) {
    struct evaluation *evaluation = fills->evaluation;
    struct report *report = evaluation->report, weighed = {.max = 0};
    memo_forget(&evaluation->memo);
    evaluation->report = &weighed;
    evaluate_document(evaluation, fills->root);
    evaluation->report = report;
    return weighed.total;
}

/* Puts back in as many of them as it takes. As deep as the logarithm of their number. */
static void try_fills(struct fills *fills, size_t from, size_t to) {
    const gramc_status *status = &fills->evaluation->status;
    if (*status != GRAMC_OK) return;
    put_in(fills, from, to);
    size_t errors = count_errors(fills);
    bool fits = errors == 0 || (to - from == 1 && errors <= fills->least);
    if (*status == GRAMC_OK && fits) {
        fills->least = errors;
        return;
    }
    take_out(fills, from, to);
    if (to - from == 1) return;
    size_t middle = from + (to - from) / 2;
    try_fills(fills, from, middle);
    try_fills(fills, middle, to);
}

/* The changes that made those defaults that are out now tell so; what was changed inside of them
 * goes. */
static bool note_left_out(struct fills *fills) {
    struct verdict *verdict = fills->verdict;
    bool *out = arena_array(&verdict->arena, (size_t)verdict->fill_count + 1, sizeof *out);
    if (!out) return evaluation_stop(fills->evaluation, GRAMC_NOMEM);
    for (size_t i = 0; i < fills->count; i++)
        if (!fills->list[i].in) out[fills->list[i].member->key_start] = true;
    for (size_t i = 0; i < fills->object_count; i++)
        if (fills->objects[i].end == fills->objects[i].own)
            fills->objects[i].object->mark &= (uint8_t)~MARK_ADDED;
    for (struct change **link = &verdict->changes; *link;) {
        struct change *change = *link;
        if (change->number && out[change->number]) change->shown.kind = GRAMC_ADJUSTED_LEFT_OUT;
        if (change->inside && out[change->inside]) *link = change->next;
        else link = &change->next;
    }
    return true;
}

bool verdict_leave_out(struct verdict *verdict, struct evaluation *evaluation, struct json *root) {
    struct arena *arena = &verdict->arena;
    struct fills fills = {.verdict = verdict, .evaluation = evaluation, .root = root};
    if (!verdict->fill_count || evaluation->status != GRAMC_OK) return false;
    fills.objects = arena_array(arena, verdict->fill_count, sizeof *fills.objects);
    fills.list = arena_array(arena, verdict->fill_count, sizeof *fills.list);
    if (!fills.objects || !fills.list) return evaluation_stop(evaluation, GRAMC_NOMEM);
    collect(&fills, root);
    if (!fills.count) return false;
    evaluation->steps = evaluation->all_steps;
    take_out(&fills, 0, fills.count);
    fills.least = count_errors(&fills);
    try_fills(&fills, 0, fills.count);
    /* Out of time it is valid all the same, without those that were not tried. */
    if (evaluation->status == GRAMC_LIMIT && !fills.least) evaluation->status = GRAMC_OK;
    evaluation->steps = evaluation->all_steps;
    return evaluation->status == GRAMC_OK && note_left_out(&fills);
}
