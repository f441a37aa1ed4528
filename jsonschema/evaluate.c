/* Judges a document against a compiled schema. This file knows the order of things, scalars and
 * what applies to the same place; items and members are in evaluate_parts.c, the sentences in
 * report.c. Recursion: JUDGE_MAX_FRAMES. Time: a number of steps. */
#include "jsonschema/evaluate.h"

#include <string.h>

#include "base/json/number.h"
#include "base/text.h"
#include "jsonschema/formats.h"

void judge_init(struct judge *judge, const struct gramc_schema *schema, struct arena *arena,
                struct report *report, size_t bytes) {
    judge->schema = schema;
    judge->arena = arena;
    judge->report = report;
    judge->steps = judge->all_steps = JUDGE_STEPS + JUDGE_STEPS_PER_BYTE * (uint64_t)bytes;
    judge->frames = 0;
    judge->status = GRAMC_OK;
    regex_session_init(&judge->regexes, &arena->allocator);
}

void judge_free(struct judge *judge) {
    regex_session_free(&judge->regexes);
}

bool judge_stop(struct judge *judge, gramc_status status) {
    if (judge->status == GRAMC_OK) judge->status = status;
    return false;
}

bool marks_init(struct judge *judge, struct marks *marks, const struct json *value) {
    size_t words = (value->count + 63) / 64;
    marks->count = value->count;
    marks->bits = marks->some;
    memset(marks->some, 0, sizeof marks->some);
    if (words <= sizeof marks->some / sizeof marks->some[0]) return true;
    if (words >= judge->steps) return judge_stop(judge, GRAMC_LIMIT);
    judge->steps -= words;
    marks->bits = arena_array(judge->arena, words, sizeof *marks->bits);
    return marks->bits || judge_stop(judge, GRAMC_NOMEM);
}

static void marks_add(struct marks *to, const struct marks *from) {
    for (size_t i = 0; i < (from->count + 63) / 64; i++) to->bits[i] |= from->bits[i];
}

bool judge_matches(struct judge *judge, const struct regex *regex, gramc_text text) {
    switch (regex_matches(&judge->regexes, regex, text)) {
    case REGEX_YES: return true;
    case REGEX_NO: return false;
    case REGEX_LIMIT: return judge_stop(judge, GRAMC_LIMIT);
    case REGEX_NOMEM: return judge_stop(judge, GRAMC_NOMEM);
    }
    return false;
}

/* ## Scalars */

static bool is_choice(struct judge *judge, const struct json *choices, const struct json *value) {
    for (const struct json *choice = choices->first; choice; choice = choice->next)
        if (json_equal_within(choice, value, &judge->steps)) return true;
    return judge->steps ? false : judge_stop(judge, GRAMC_LIMIT);
}

static bool judge_values(struct judge *judge, const struct frame *at) {
    const struct node *node = at->node;
    bool valid = true;
    if (node->constant && !json_equal_within(node->constant, at->value, &judge->steps)) {
        if (!judge->steps) return judge_stop(judge, GRAMC_LIMIT);
        report_choice(judge, at, "const");
        valid = false;
    }
    if (node->choices && !is_choice(judge, node->choices, at->value)) {
        if (judge->status == GRAMC_OK) report_choice(judge, at, "enum");
        valid = false;
    }
    return valid;
}

static bool judge_number(struct judge *judge, const struct frame *at) {
    static const struct {
        const char *keyword, *expected;
        int order;      /* of the number to the limit that breaks the rule... */
        bool also_same; /* ...and whether being equal does */
    } bounds[BOUND_COUNT] = {
        [BOUND_MIN] = {"minimum", "at least", -1, false},
        [BOUND_MAX] = {"maximum", "at most", 1, false},
        [BOUND_OVER] = {"exclusiveMinimum", "more than", -1, true},
        [BOUND_UNDER] = {"exclusiveMaximum", "less than", 1, true},
    };
    const struct number_rules *rules = at->node->number;
    gramc_text number = at->value->text;
    bool valid = true;
    for (size_t i = 0; i < BOUND_COUNT; i++) {
        if (!rules->bounds[i].ptr) continue;
        int order = json_number_compare(number, rules->bounds[i]);
        if (order != bounds[i].order && !(order == 0 && bounds[i].also_same)) continue;
        report_number(judge, at, bounds[i].keyword, bounds[i].expected, rules->bounds[i]);
        valid = false;
    }
    if (rules->multiple_of.ptr && !decimal_is_multiple(number, rules->multiple_of)) {
        report_number(judge, at, "multipleOf", "a multiple of", rules->multiple_of);
        valid = false;
    }
    return valid;
}

static bool judge_string(struct judge *judge, const struct frame *at) {
    const struct string_rules *rules = at->node->string;
    gramc_text text = at->value->text;
    bool valid = true;
    if (rules->min || rules->max != UINT32_MAX) {
        size_t length = text_length(text);
        if (length < rules->min) report_size(judge, at, "minLength", rules->min, length);
        if (length > rules->max) report_size(judge, at, "maxLength", rules->max, length);
        valid = length >= rules->min && length <= rules->max;
    }
    if (rules->pattern && !judge_matches(judge, rules->pattern, text)) {
        if (judge->status == GRAMC_OK) report_pattern(judge, at);
        valid = false;
    }
    if (rules->format && !rules->format->fits(text)) {
        report_format(judge, at);
        valid = false;
    }
    return valid;
}

bool judge_scalar(struct judge *judge, const struct frame *at) {
    if (!judge_values(judge, at)) return false;
    if (at->value->kind == JSON_NUMBER && at->node->number) return judge_number(judge, at);
    if (at->value->kind == JSON_STRING && at->node->string) return judge_string(judge, at);
    return true;
}

/* ## What applies to the same place */

bool judge_quietly(struct judge *judge, const struct frame *frame) {
    struct report *report = judge->report;
    judge->report = NULL;
    bool valid = judge_frame(judge, frame, NULL);
    judge->report = report;
    return valid;
}

/* Applies an inner schema and keeps what it evaluated if it accepts. */
static bool apply_inner(struct judge *judge, const struct frame *frame, struct marks *marks) {
    struct marks inner;
    if (!marks) return judge_frame(judge, frame, NULL);
    if (!marks_init(judge, &inner, frame->value) || !judge_frame(judge, frame, &inner))
        return false;
    marks_add(marks, &inner);
    return true;
}

static bool apply_quietly(struct judge *judge, const struct frame *frame, struct marks *marks) {
    struct report *report = judge->report;
    judge->report = NULL;
    bool valid = apply_inner(judge, frame, marks);
    judge->report = report;
    return valid;
}

const struct node *judge_dynamic_target(const struct frame *frame, const struct dynamic_ref *ref) {
    const struct node *target = ref->target;
    for (; ref->dynamic && frame; frame = frame->up) {
        const struct resource *resource = frame->node->resource;
        if (!ref->name.ptr) {
            if (resource->recursive_anchor) target = resource->root_node;
            continue;
        }
        for (const struct anchor *anchor = resource->anchors; anchor; anchor = anchor->next)
            if (anchor->dynamic && text_eq(anchor->name, ref->name)) target = anchor->node;
    }
    return target;
}

static bool apply_refs(struct judge *judge, const struct frame *at, struct marks *marks) {
    const struct applicators *apply = at->node->apply;
    bool valid = true;
    if (apply->ref) {
        struct frame inner = frame_inner(at, apply->ref, "$ref");
        valid = apply_inner(judge, &inner, marks);
    }
    if (apply->dynamic && (valid || judge->report)) {
        struct frame inner =
            frame_inner(at, judge_dynamic_target(at, apply->dynamic),
                        apply->dynamic->name.ptr ? "$dynamicRef" : "$recursiveRef");
        valid &= apply_inner(judge, &inner, marks);
    }
    for (size_t i = 0; i < apply->all.count && (valid || judge->report); i++) {
        struct frame inner = frame_nth(at, apply->all.nodes[i], "allOf", i);
        valid &= apply_inner(judge, &inner, marks);
    }
    return valid;
}

static unsigned coarse_type(const struct json *value) {
    unsigned type = type_of(value);
    return type & TYPE_NUMBER ? TYPE_NUMBER : type;
}

static bool could_accept(const struct node *node, const struct json *value) {
    return node->kinds & coarse_type(value);
}

/* No alternative accepts: tells what is wrong with the one that comes nearest. */
static void report_nearest(struct judge *judge, const struct frame *at, const char *keyword,
                           const struct node_list *list) {
    struct report *outer = judge->report, best = {NULL, NULL, 0, 0, 0, UINT32_MAX};
    unsigned kinds = 0;
    if (!outer) return;
    for (size_t i = 0; i < list->count && judge->status == GRAMC_OK; i++) {
        kinds |= list->nodes[i]->kinds;
        if (!could_accept(list->nodes[i], at->value)) continue;
        struct report report = {NULL, NULL, 0, 0, outer->max, 0};
        struct frame inner = frame_nth(at, list->nodes[i], keyword, i);
        report.link = &report.first;
        judge->report = &report;
        judge_frame(judge, &inner, NULL);
        if (report.weight < best.weight && report.first) best = report;
    }
    judge->report = outer;
    if (judge->status != GRAMC_OK) return;
    if (best.first) report_append(outer, &best);
    else report_none_fits(judge, at, keyword, kinds);
}

static bool apply_any(struct judge *judge, const struct frame *at, struct marks *marks) {
    const struct node_list *any = &at->node->apply->any;
    bool valid = false;
    for (size_t i = 0; i < any->count && (!valid || marks); i++) {
        struct frame inner = frame_nth(at, any->nodes[i], "anyOf", i);
        if (could_accept(any->nodes[i], at->value)) valid |= apply_quietly(judge, &inner, marks);
    }
    if (!valid) report_nearest(judge, at, "anyOf", any);
    return valid;
}

static bool apply_one(struct judge *judge, const struct frame *at, struct marks *marks) {
    const struct node_list *one = &at->node->apply->one;
    size_t count = 0, fitting[2] = {0, 0};
    for (size_t i = 0; i < one->count && count < 2; i++) {
        struct frame inner = frame_nth(at, one->nodes[i], "oneOf", i);
        if (could_accept(one->nodes[i], at->value) && apply_quietly(judge, &inner, marks))
            fitting[count++] = i;
    }
    if (count == 0) report_nearest(judge, at, "oneOf", one);
    if (count == 2) report_two_fit(judge, at, fitting[0], fitting[1]);
    return count == 1;
}

static bool apply_conditions(struct judge *judge, const struct frame *at, struct marks *marks) {
    const struct applicators *apply = at->node->apply;
    bool valid = true;
    if (apply->no) {
        struct frame inner = frame_inner(at, apply->no, "not");
        valid = !judge_quietly(judge, &inner);
        if (!valid) report_not(judge, at);
        if (!valid && !judge->report) return false;
    }
    if (!apply->if_node) return valid;
    struct frame condition = frame_inner(at, apply->if_node, "if");
    bool holds = apply_quietly(judge, &condition, marks);
    const struct node *next = holds ? apply->then_node : apply->else_node;
    if (!next) return valid;
    struct frame inner = frame_inner(at, next, holds ? "then" : "else");
    return apply_inner(judge, &inner, marks) && valid;
}

static bool apply_dependents(struct judge *judge, const struct frame *at, struct marks *marks) {
    const struct object_rules *rules = at->node->object;
    bool valid = true;
    for (size_t i = 0; i < rules->dependent_count && (valid || judge->report); i++) {
        const struct dependent *dependent = &rules->dependents[i];
        if (!dependent->node || !json_get_text(at->value, dependent->key)) continue;
        struct frame inner = frame_inner(at, dependent->node, dependent->keyword);
        inner.token = dependent->key;
        valid &= apply_inner(judge, &inner, marks);
    }
    return valid;
}

bool judge_apply(struct judge *judge, const struct frame *at, struct marks *marks) {
    const struct applicators *apply = at->node->apply;
    bool valid = true;
    if (at->node->object && at->value->kind == JSON_OBJECT)
        valid = apply_dependents(judge, at, marks);
    if (!apply || (!valid && !judge->report)) return valid;
    valid &= apply_refs(judge, at, marks);
    if (apply->any.count && (valid || judge->report)) valid &= apply_any(judge, at, marks);
    if (apply->one.count && (valid || judge->report)) valid &= apply_one(judge, at, marks);
    if (valid || judge->report) valid &= apply_conditions(judge, at, marks);
    return valid;
}

/* ## Everything */

/* Items and members that nothing has evaluated. */
static bool judge_unevaluated(struct judge *judge, const struct frame *at, struct marks *marks) {
    const struct applicators *apply = at->node->apply;
    bool object = at->value->kind == JSON_OBJECT, valid = true;
    const struct node *node = object ? apply->unevaluated_properties : apply->unevaluated_items;
    uint32_t i = 0;
    if (!node || at->value->kind < JSON_ARRAY) return true;
    for (const struct json *child = at->value->first; child; child = child->next, i++) {
        if (marks_has(marks, i)) continue;
        struct frame inner =
            frame_child(at, node, child, object ? "unevaluatedProperties" : "unevaluatedItems");
        valid &= judge_frame(judge, &inner, NULL);
        if (!valid && !judge->report) return false;
        marks_set(marks, i);
    }
    return valid;
}

static bool has_type(const struct node *node, const struct json *value) {
    if (node->types == TYPE_ALL) return true;
    return node->types &
           (value->kind == JSON_NUMBER && (node->types & TYPE_FRACTION) ? TYPE_FRACTION
                                                                        : type_of(value));
}

static bool judge_rules(struct judge *judge, const struct frame *at, struct marks *marks) {
    const struct node *node = at->node;
    if (node->types == 0) {
        report_never(judge, at);
        return false;
    }
    if (!has_type(node, at->value)) {
        report_type(judge, at);
        return false;
    }
    bool valid = judge_scalar(judge, at);
    if (!valid && !judge->report) return false;
    if (at->value->kind == JSON_ARRAY && node->array) valid &= judge_array(judge, at, marks);
    if (at->value->kind == JSON_OBJECT && node->object) valid &= judge_object(judge, at, marks);
    if (!valid && !judge->report) return false;
    if (node->apply || (node->object && node->object->dependent_count))
        valid &= judge_apply(judge, at, marks);
    return valid;
}

bool judge_frame(struct judge *judge, const struct frame *at, struct marks *marks) {
    if (judge->status != GRAMC_OK) return false;
    if (judge->frames >= JUDGE_MAX_FRAMES || judge->steps == 0)
        return judge_stop(judge, GRAMC_LIMIT);
    judge->frames++;
    judge->steps--;
    struct marks own;
    bool asks = at->node->flags & NODE_UNEVALUATED && at->value->kind >= JSON_ARRAY;
    bool valid = true;
    if (asks && !marks) {
        marks = &own;
        valid = marks_init(judge, marks, at->value);
    }
    valid = valid && judge_rules(judge, at, marks);
    if (asks && (valid || judge->report)) valid &= judge_unevaluated(judge, at, marks);
    judge->frames--;
    return valid && judge->status == GRAMC_OK;
}

bool judge_document(struct judge *judge, const struct json *value) {
    struct frame root = {.node = judge->schema->root, .value = value};
    return judge_frame(judge, &root, NULL);
}
