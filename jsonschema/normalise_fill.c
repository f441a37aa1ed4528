/* Defaults: fills them in where members are absent, and decides which of them stay. All are filled
 * in first. If the document is not valid then, it is evaluated without any, and they come back in
 * groups, halved until it is known which ones it is not valid with: those are left out. */
#include "jsonschema/normalise.h"

#include "base/limits.h"
#include "base/text.h"

enum { PROPERTIES_PER_STEP = 8 };

/* ## Filling in */

/* Takes back what was filled in inside of a default. */
static bool put_as_written(struct normaliser *n, const struct evaluation_frame *at,
                           struct json *member, const struct json *initial) {
    const struct json *again = normalise_clone(n, initial, MARK_NEW);
    if (!again) return false;
    member->kind = again->kind;
    member->text = again->text;
    member->first = again->first;
    member->count = again->count;
    memo_forget(&n->evaluation->memo);
    n->filling++;
    normalise_place(n, at, member);
    n->filling--;
    return true;
}

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
    n->inside = n->filling ? n->inside + 1 : 0;
    n->filling++;
    normalise_place(n, &inner, member);
    n->filling--;
    /* Schemas that are each other's defaults: without inner ones, which n->inside still refuses. */
    bool too_many = !n->filling && n->inside > DEFAULTS_INSIDE_MAX;
    bool put = !too_many || put_as_written(n, &inner, member, property->initial);
    if (put && change && evaluate_quietly(n->evaluation, &inner)) {
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
    if (n->filling && (n->inside > DEFAULTS_INSIDE_MAX || is_inside_itself(at))) return false;
    if (!evaluation_take(evaluation, cost)) return false;
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

struct default_trial {
    struct verdict *verdict;
    struct evaluation *evaluation;
    struct json *root;
    struct filled_object *objects;
    struct fill *list;
    size_t object_count, count;
    size_t least;  /* errors so far */
    uint64_t cost; /* of the evaluation that took the most steps */
};

/* In the order of the document; what is inside of a default is part of it. */
static void collect(struct default_trial *trial, struct json *value) {
    struct filled_object *owner = NULL;
    if (!value->mark) return;
    for (struct json **link = &value->first; *link; link = &(*link)->next) {
        struct json *child = *link;
        if (!(child->mark & MARK_FILLED)) {
            collect(trial, child);
            continue;
        }
        if (!owner) {
            owner = &trial->objects[trial->object_count++];
            *owner = (struct filled_object){value, link, link};
        }
        owner->end = &child->next;
        trial->list[trial->count++] = (struct fill){owner, child, link, true};
    }
}

static void put_in(struct default_trial *trial, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        struct fill *fill = &trial->list[i];
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
static void take_out(struct default_trial *trial, size_t from, size_t to) {
    for (size_t i = to; i-- > from;) {
        struct fill *fill = &trial->list[i];
        *fill->before = NULL;
        fill->owner->end = fill->before;
        fill->owner->object->count--;
        fill->in = false;
    }
}

static size_t count_errors(struct default_trial *trial) {
    struct evaluation *evaluation = trial->evaluation;
    struct report *report = evaluation->report, weighed = {.max = 0};
    uint64_t before = evaluation->steps;
    memo_forget(&evaluation->memo);
    evaluation->report = &weighed;
    evaluate_document(evaluation, trial->root);
    evaluation->report = report;
    if (before - evaluation->steps > trial->cost) trial->cost = before - evaluation->steps;
    return weighed.total;
}

/* Puts back in as many of them as it takes. As deep as the logarithm of their number. */
static void try_fills(struct default_trial *trial, size_t from, size_t to) {
    const gramc_status *status = &trial->evaluation->status;
    if (*status != GRAMC_OK) return;
    put_in(trial, from, to);
    size_t errors = count_errors(trial);
    bool fits = errors == 0 || (to - from == 1 && errors <= trial->least);
    if (*status == GRAMC_OK && fits) {
        trial->least = errors;
        return;
    }
    take_out(trial, from, to);
    if (to - from == 1) return;
    size_t middle = from + (to - from) / 2;
    try_fills(trial, from, middle);
    try_fills(trial, middle, to);
}

/* The changes that made those defaults that are out now tell so; what was changed inside of them
 * goes. */
static bool note_left_out(struct default_trial *trial) {
    struct verdict *verdict = trial->verdict;
    bool *out = arena_array(&verdict->arena, (size_t)verdict->fill_count + 1, sizeof *out);
    if (!out) return evaluation_stop(trial->evaluation, GRAMC_NOMEM);
    for (size_t i = 0; i < trial->count; i++)
        if (!trial->list[i].in) out[trial->list[i].member->key_start] = true;
    for (size_t i = 0; i < trial->object_count; i++)
        if (trial->objects[i].end == trial->objects[i].own)
            trial->objects[i].object->mark &= (uint8_t)~MARK_ADDED;
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
    struct default_trial trial = {.verdict = verdict, .evaluation = evaluation, .root = root};
    if (!verdict->fill_count || evaluation->status != GRAMC_OK) return false;
    trial.objects = arena_array(arena, verdict->fill_count, sizeof *trial.objects);
    trial.list = arena_array(arena, verdict->fill_count, sizeof *trial.list);
    if (!trial.objects || !trial.list) return evaluation_stop(evaluation, GRAMC_NOMEM);
    collect(&trial, root);
    if (!trial.count) return false;
    take_out(&trial, 0, trial.count);
    trial.least = count_errors(&trial);
    /* What is found is evaluated once more. */
    uint64_t reserve = 2 * trial.cost;
    if (!evaluation_take(evaluation, reserve)) return false;
    try_fills(&trial, 0, trial.count);
    evaluation->steps += reserve;
    /* Out of time it is valid all the same, without those that were not tried. */
    if (evaluation->status == GRAMC_LIMIT && !trial.least) {
        evaluation->status = GRAMC_OK;
        if (evaluation->error) evaluation->error->message[0] = '\0';
    }
    return evaluation->status == GRAMC_OK && note_left_out(&trial);
}
