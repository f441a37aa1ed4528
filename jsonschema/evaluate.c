/* Evaluates a document against a compiled schema. This file knows the order of things, scalars and
 * what applies to the same place; items and members are in evaluate_parts.c, the sentences in
 * report.c. Recursion: JUDGE_FRAMES_MAX. Time: a number of steps. */
#include "jsonschema/evaluate.h"

#include <stdio.h>
#include <string.h>

#include "base/json/number.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "jsonschema/discriminate.h"
#include "jsonschema/formats.h"
#include "jsonschema/words.h"

enum { LONGEST_PLACE = 4096, BYTES_PER_STEP = 64, FRAMES_PER_STEP = 8, PASSED_PER_STEP = 8 };

void evaluation_init(struct evaluation *evaluation, const struct gramc_schema *schema,
                     struct arena *arena, struct report *report, size_t bytes) {
    evaluation->schema = schema;
    evaluation->arena = arena;
    evaluation->report = report;
    evaluation->steps = evaluation->all_steps =
        JUDGE_STEPS_MAX + EVALUATE_STEPS_PER_BYTE * (uint64_t)bytes;
    evaluation->most_memory = JUDGE_MEMORY_MAX + EVALUATE_MEMORY_PER_BYTE * bytes;
    evaluation->memo = (struct memo){.slots = NULL};
    evaluation->members = (struct member_index){.object = NULL};
    evaluation->walked = NULL;
    evaluation->frames = evaluation->trials = 0;
    evaluation->status = GRAMC_OK;
    evaluation->current = NULL;
    evaluation->error = NULL;
    regex_session_init(&evaluation->regexes, &arena->allocator, &evaluation->steps);
}

void evaluation_spend(struct evaluation *evaluation, uint64_t steps) {
    evaluation->all_steps -= steps < evaluation->all_steps ? steps : evaluation->all_steps;
    evaluation->steps = evaluation->all_steps;
}

void evaluation_free(struct evaluation *evaluation) {
    regex_session_free(&evaluation->regexes);
}

bool evaluation_stop(struct evaluation *evaluation, gramc_status status) {
    if (evaluation->status == GRAMC_OK) evaluation->status = status;
    return false;
}

bool evaluation_limit(struct evaluation *evaluation, enum evaluation_limit limit) {
    static const char *const messages[] = {
        [LIMIT_WORK] = "evaluating it takes too much work",
        [LIMIT_MEMORY] = "evaluating it takes too much memory",
        [LIMIT_FRAMES] = "more than 2500 schemas apply inside each other",
        [LIMIT_PATTERN] = "matching patterns takes too much backtracking",
        [LIMIT_CONTENT] = "the JSON in a text is nested deeper than 1000 levels or too large",
        [LIMIT_RESULT] = "what it would become is larger than 64 MiB",
    };
    gramc_json_error *error = evaluation->error;
    const struct evaluation_frame *at = evaluation->current;
    struct buf pointer;
    if (evaluation->status != GRAMC_OK || !error) return evaluation_stop(evaluation, GRAMC_LIMIT);
    snprintf(error->message, sizeof error->message, "%s", messages[limit]);
    buf_init(&pointer, &evaluation->arena->allocator, LONGEST_PLACE);
    if (at) words_put_instance(&pointer, at, NULL);
    snprintf(error->pointer, sizeof error->pointer, "%s", pointer.ptr ? pointer.ptr : "");
    while (at && at->value->mark & MARK_NEW) at = at->up;
    error->position = at ? at->value->start : 0;
    buf_free(&pointer);
    return evaluation_stop(evaluation, GRAMC_LIMIT);
}

bool evaluation_take(struct evaluation *evaluation, uint64_t steps) {
    if (steps >= evaluation->steps) return evaluation_limit(evaluation, LIMIT_WORK);
    if (evaluation->arena->total > evaluation->most_memory)
        return evaluation_limit(evaluation, LIMIT_MEMORY);
    evaluation->steps -= steps;
    return true;
}

bool marks_init(struct evaluation *evaluation, struct marks *marks, const struct json *value) {
    size_t words = (value->count + 63) / 64;
    marks->count = value->count;
    marks->bits = marks->some;
    memset(marks->some, 0, sizeof marks->some);
    if (words <= sizeof marks->some / sizeof marks->some[0]) return true;
    if (!evaluation_take(evaluation, words)) return false;
    marks->bits = arena_array(evaluation->arena, words, sizeof *marks->bits);
    return marks->bits || evaluation_stop(evaluation, GRAMC_NOMEM);
}

bool evaluate_matches(struct evaluation *evaluation, const struct regex *regex, gramc_text text) {
    if (!evaluation_take(evaluation, regex_steps(regex, text.len))) return false;
    switch (regex_matches(&evaluation->regexes, regex, text)) {
    case REGEX_YES: return true;
    case REGEX_NO: return false;
    case REGEX_LIMIT: return evaluation_limit(evaluation, LIMIT_PATTERN);
    case REGEX_NOMEM: return evaluation_stop(evaluation, GRAMC_NOMEM);
    }
    return false;
}

/* ## Scalars */

static bool is_choice(struct evaluation *evaluation, const struct json *choices,
                      const struct json *value) {
    if (!evaluation_take(evaluation, choices->count / PASSED_PER_STEP)) return false;
    for (const struct json *choice = choices->first; choice; choice = choice->next)
        if (json_equal_within(choice, value, &evaluation->steps)) return true;
    return evaluation->steps ? false : evaluation_limit(evaluation, LIMIT_WORK);
}

static bool evaluate_values(struct evaluation *evaluation, const struct evaluation_frame *at) {
    const struct schema_node *node = at->node;
    bool valid = true;
    if (!node->values) return true;
    if (node_constant(node) &&
        !json_equal_within(node_constant(node), at->value, &evaluation->steps)) {
        if (!evaluation->steps) return evaluation_limit(evaluation, LIMIT_WORK);
        report_choice(evaluation, at, "const");
        valid = false;
    }
    if (node_choices(node) && !is_choice(evaluation, node_choices(node), at->value)) {
        if (evaluation->status == GRAMC_OK) report_choice(evaluation, at, "enum");
        valid = false;
    }
    return valid;
}

static bool evaluate_number(struct evaluation *evaluation, const struct evaluation_frame *at) {
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
    int64_t whole;
    bool valid = true;
    if (rules->bounded && number_to_int(&whole, number) && whole >= rules->least &&
        whole <= rules->most)
        return true;
    for (size_t i = 0; i < BOUND_COUNT; i++) {
        if (!rules->bounds[i].ptr) continue;
        int order = json_number_compare(number, rules->bounds[i]);
        if (order != bounds[i].order && !(order == 0 && bounds[i].also_same)) continue;
        report_number(evaluation, at, bounds[i].keyword, bounds[i].expected, rules->bounds[i]);
        valid = false;
    }
    if (rules->multiple_of.ptr && !decimal_is_multiple(number, rules->multiple_of)) {
        report_number(evaluation, at, "multipleOf", "a multiple of", rules->multiple_of);
        valid = false;
    }
    return valid;
}

static bool evaluate_string(struct evaluation *evaluation, const struct evaluation_frame *at) {
    const struct string_rules *rules = at->node->string;
    gramc_text text = at->value->text;
    bool valid = true;
    /* A character takes 1 to 4 bytes: often these alone settle it. */
    if (text.len > rules->max || text.len / 4 < rules->min) {
        size_t length = text_length(text);
        if (length < rules->min) report_size(evaluation, at, "minLength", rules->min, length);
        if (length > rules->max) report_size(evaluation, at, "maxLength", rules->max, length);
        valid = length >= rules->min && length <= rules->max;
    }
    if (rules->pattern && !evaluate_matches(evaluation, rules->pattern, text)) {
        if (evaluation->status == GRAMC_OK) report_pattern(evaluation, at);
        valid = false;
    }
    if (rules->format && !rules->format->fits(text)) {
        report_format(evaluation, at);
        valid = false;
    }
    return (!rules->content || evaluate_content(evaluation, at)) && valid;
}

/* A long text or number is read through by each schema that has something to say of it. */
static bool take_reading(struct evaluation *evaluation, const struct evaluation_frame *at) {
    size_t len =
        at->value->kind == JSON_STRING || at->value->kind == JSON_NUMBER ? at->value->text.len : 0;
    uint64_t bytes = len;
    if (at->value->kind == JSON_NUMBER && at->node->number)
        bytes = number_rules_bytes(at->node->number, len);
    return bytes < BYTES_PER_STEP || evaluation_take(evaluation, bytes / BYTES_PER_STEP);
}

bool evaluate_scalar(struct evaluation *evaluation, const struct evaluation_frame *at) {
    if (!evaluate_values(evaluation, at)) return false;
    if (at->value->kind == JSON_NUMBER && at->node->number) return evaluate_number(evaluation, at);
    if (at->value->kind == JSON_STRING && at->node->string) return evaluate_string(evaluation, at);
    return true;
}

/* ## What applies to the same place */

/* Evaluates with another report for a while; NULL: only the answer counts. */
static bool evaluate_aside(struct evaluation *evaluation, const struct evaluation_frame *frame,
                           struct report *aside) {
    struct report *report = evaluation->report;
    evaluation->report = aside;
    evaluation->trials++;
    bool valid = evaluate_frame(evaluation, frame, NULL);
    evaluation->trials--;
    evaluation->report = report;
    return valid;
}

bool evaluate_quietly(struct evaluation *evaluation, const struct evaluation_frame *frame) {
    return evaluate_aside(evaluation, frame, NULL);
}

/* Applies an inner schema and keeps what it evaluated if it accepts. */
static bool apply_inner(struct evaluation *evaluation, const struct evaluation_frame *frame,
                        struct marks *marks) {
    struct marks inner;
    if (!marks) return evaluate_frame(evaluation, frame, NULL);
    if (!marks_init(evaluation, &inner, frame->value) || !evaluate_frame(evaluation, frame, &inner))
        return false;
    marks_add(marks, &inner);
    return true;
}

static bool apply_quietly(struct evaluation *evaluation, const struct evaluation_frame *frame,
                          struct marks *marks) {
    struct report *report = evaluation->report;
    evaluation->report = NULL;
    evaluation->trials++;
    bool valid = apply_inner(evaluation, frame, marks);
    evaluation->trials--;
    evaluation->report = report;
    return valid;
}

const struct schema_node *evaluate_dynamic_target(const struct evaluation_frame *frame,
                                                  const struct dynamic_ref *ref) {
    const struct schema_node *target = ref->target;
    for (; ref->dynamic && frame; frame = frame->up) {
        const struct resource *resource = frame->node->resource;
        if (!ref->name.ptr) {
            if (resource->recursive_anchor) target = resource->root_node;
            continue;
        }
        const struct anchor *anchor = resource_anchor(resource, ref->name, true);
        if (anchor) target = anchor->node;
    }
    return target;
}

static bool apply_refs(struct evaluation *evaluation, const struct evaluation_frame *at,
                       struct marks *marks) {
    const struct applicators *apply = at->node->apply;
    bool valid = true;
    if (apply->ref) {
        struct evaluation_frame inner = frame_inner(at, apply->ref, "$ref");
        valid = apply_inner(evaluation, &inner, marks);
    }
    if (apply->dynamic && (valid || evaluation->report)) {
        if (!evaluation_take(evaluation, evaluation->frames / FRAMES_PER_STEP)) return false;
        struct evaluation_frame inner =
            frame_inner(at, evaluate_dynamic_target(at, apply->dynamic),
                        apply->dynamic->name.ptr ? "$dynamicRef" : "$recursiveRef");
        valid &= apply_inner(evaluation, &inner, marks);
    }
    for (size_t i = 0; i < apply->all.count && evaluation_goes_on(evaluation, valid); i++) {
        struct evaluation_frame inner = frame_nth(at, apply->all.nodes[i], "allOf", i);
        valid &= apply_inner(evaluation, &inner, marks);
    }
    return valid;
}

static unsigned coarse_type(const struct json *value) {
    return value->kind == JSON_NUMBER ? TYPE_BIT_NUMBER : type_of(value);
}

static bool could_accept(const struct schema_node *node, const struct json *value) {
    return node->kinds & coarse_type(value);
}

/* Whether what is wrong with the value could be told by this alternative. */
static bool is_meant(struct evaluation *evaluation, const struct evaluation_frame *at,
                     const struct schema_node *node, const struct discriminator *by) {
    if (!could_accept(node, at->value)) return false;
    return !by || discriminate_names(evaluation, by, node);
}

/* No alternative accepts: tells what is wrong with the one that the value names, or else with the
 * one that comes nearest. */
static void report_nearest(struct evaluation *evaluation, const struct evaluation_frame *at,
                           const char *keyword, const struct node_list *list) {
    struct discriminator found, *by = NULL;
    size_t nearest = list->count;
    unsigned kinds = 0, least = UINT32_MAX;
    if (!evaluation->report) return;
    if (discriminate(evaluation, list, at->value, &found)) by = &found;
    if (by && !by->named) {
        report_unnamed(evaluation, at, keyword, list, by);
        return;
    }
    for (size_t i = 0; i < list->count && evaluation->status == GRAMC_OK; i++) {
        struct report weighed = {.max = 0};
        struct evaluation_frame inner = frame_nth(at, list->nodes[i], keyword, i);
        kinds |= list->nodes[i]->kinds;
        if (i % PASSED_PER_STEP == PASSED_PER_STEP - 1) evaluation_take(evaluation, 1);
        if (!is_meant(evaluation, at, list->nodes[i], by)) continue;
        evaluate_aside(evaluation, &inner, &weighed);
        if (weighed.weight >= least || !weighed.total) continue;
        least = weighed.weight;
        nearest = i;
    }
    if (evaluation->status != GRAMC_OK) return;
    if (nearest == list->count) {
        report_none_fits(evaluation, at, keyword, kinds);
    } else if (!evaluation->report->max) {
        report_weigh(evaluation->report, least);
    } else {
        struct evaluation_frame inner = frame_nth(at, list->nodes[nearest], keyword, nearest);
        evaluate_frame(evaluation, &inner, NULL);
    }
}

/* The i-th of many alternatives; those that are passed over cost little, but not nothing. */
static bool is_worth_a_try(struct evaluation *evaluation, const struct schema_node *node,
                           const struct json *value, size_t i) {
    if (could_accept(node, value)) return true;
    if (i % PASSED_PER_STEP == PASSED_PER_STEP - 1) evaluation_take(evaluation, 1);
    return false;
}

static bool apply_any(struct evaluation *evaluation, const struct evaluation_frame *at,
                      struct marks *marks) {
    const struct node_list *any = &at->node->apply->any;
    bool valid = false;
    for (size_t i = 0; i < any->count && (!valid || marks) && evaluation->status == GRAMC_OK; i++) {
        struct evaluation_frame inner = frame_nth(at, any->nodes[i], "anyOf", i);
        if (is_worth_a_try(evaluation, any->nodes[i], at->value, i))
            valid |= apply_quietly(evaluation, &inner, marks);
    }
    if (!valid && evaluation->status == GRAMC_OK) report_nearest(evaluation, at, "anyOf", any);
    return valid;
}

static bool apply_one(struct evaluation *evaluation, const struct evaluation_frame *at,
                      struct marks *marks) {
    const struct node_list *one = &at->node->apply->one;
    size_t count = 0, fitting[2] = {0, 0};
    for (size_t i = 0; i < one->count && count < 2 && evaluation->status == GRAMC_OK; i++) {
        struct evaluation_frame inner = frame_nth(at, one->nodes[i], "oneOf", i);
        if (is_worth_a_try(evaluation, one->nodes[i], at->value, i) &&
            apply_quietly(evaluation, &inner, marks))
            fitting[count++] = i;
    }
    if (count == 0) report_nearest(evaluation, at, "oneOf", one);
    if (count == 2) report_two_fit(evaluation, at, fitting[0], fitting[1]);
    return count == 1;
}

static bool apply_conditions(struct evaluation *evaluation, const struct evaluation_frame *at,
                             struct marks *marks) {
    const struct applicators *apply = at->node->apply;
    bool valid = true;
    if (apply->no) {
        struct evaluation_frame inner = frame_inner(at, apply->no, "not");
        valid = !evaluate_quietly(evaluation, &inner);
        if (!valid) report_not(evaluation, at);
        if (!valid && !evaluation->report) return false;
    }
    if (!apply->if_node) return valid;
    struct evaluation_frame condition = frame_inner(at, apply->if_node, "if");
    bool holds = apply_quietly(evaluation, &condition, marks);
    const struct schema_node *next = holds ? apply->then_node : apply->else_node;
    if (!next) return valid;
    struct evaluation_frame inner = frame_inner(at, next, holds ? "then" : "else");
    return apply_inner(evaluation, &inner, marks) && valid;
}

static bool apply_dependents(struct evaluation *evaluation, const struct evaluation_frame *at,
                             struct marks *marks) {
    const struct object_rules *rules = at->node->object;
    struct member_index index;
    bool valid = true;
    if (!rules->dependent_count) return true;
    if (!evaluate_index(evaluation, at->value, &index)) return false;
    for (size_t i = 0; i < rules->dependent_count && evaluation_goes_on(evaluation, valid); i++) {
        const struct dependent *dependent = &rules->dependents[i];
        if (!dependent->node) continue;
        if (!evaluation_take(evaluation, 1)) return false;
        if (!member_find(&index, dependent->key)) continue;
        struct evaluation_frame inner = frame_inner(at, dependent->node, dependent->keyword);
        inner.token = dependent->key;
        valid &= apply_inner(evaluation, &inner, marks);
    }
    return valid;
}

bool evaluate_apply(struct evaluation *evaluation, const struct evaluation_frame *at,
                    struct marks *marks) {
    const struct applicators *apply = at->node->apply;
    bool valid = true;
    if (at->node->object && at->value->kind == JSON_OBJECT)
        valid = apply_dependents(evaluation, at, marks);
    if (!apply || (!valid && !evaluation->report)) return valid;
    valid &= apply_refs(evaluation, at, marks);
    if (apply->any.count && (valid || evaluation->report))
        valid &= apply_any(evaluation, at, marks);
    if (apply->one.count && (valid || evaluation->report))
        valid &= apply_one(evaluation, at, marks);
    if (valid || evaluation->report) valid &= apply_conditions(evaluation, at, marks);
    return valid;
}

/* ## Everything */

/* Items and members that nothing has evaluated. */
static bool evaluate_unevaluated(struct evaluation *evaluation, const struct evaluation_frame *at,
                                 struct marks *marks) {
    const struct applicators *apply = at->node->apply;
    bool object = at->value->kind == JSON_OBJECT, valid = true;
    const struct schema_node *node =
        object ? apply->unevaluated_properties : apply->unevaluated_items;
    uint32_t i = 0;
    if (!node || at->value->kind < JSON_ARRAY) return true;
    for (const struct json *child = at->value->first; child; child = child->next, i++) {
        if (marks_has(marks, i)) continue;
        struct evaluation_frame inner =
            frame_child(at, node, child, object ? "unevaluatedProperties" : "unevaluatedItems");
        valid &= evaluate_frame(evaluation, &inner, NULL);
        if (!evaluation_goes_on(evaluation, valid)) return false;
        marks_set(marks, i);
    }
    return valid;
}

static bool has_type(const struct schema_node *node, const struct json *value) {
    if (node->types == TYPE_BIT_ALL) return true;
    if (value->kind != JSON_NUMBER) return node->types & type_of(value);
    if (node->types & TYPE_BIT_FRACTION) return true;
    return node->types & type_of(value) &&
           !(node->flags & NODE_WRITTEN && !json_number_is_written_whole(value->text));
}

bool evaluate_itself(struct evaluation *evaluation, const struct evaluation_frame *at) {
    const struct schema_node *node = at->node;
    if (!take_reading(evaluation, at)) return false;
    bool valid = has_type(node, at->value);
    if (!valid) report_type(evaluation, at);
    valid &= evaluate_values(evaluation, at);
    if (at->value->kind == JSON_NUMBER && node->number) valid &= evaluate_number(evaluation, at);
    if (at->value->kind == JSON_STRING && node->string) valid &= evaluate_string(evaluation, at);
    if (at->value->kind == JSON_ARRAY && node->array)
        valid &= evaluate_array_itself(evaluation, at);
    if (at->value->kind == JSON_OBJECT && node->object)
        valid &= evaluate_object_itself(evaluation, at);
    return valid;
}

static bool evaluate_rules(struct evaluation *evaluation, const struct evaluation_frame *at,
                           struct marks *marks) {
    const struct schema_node *node = at->node;
    if (node->types == 0) {
        report_never(evaluation, at);
        return false;
    }
    if (!take_reading(evaluation, at)) return false;
    if (!has_type(node, at->value)) {
        report_type(evaluation, at);
        return false;
    }
    bool valid = evaluate_scalar(evaluation, at);
    if (!valid && !evaluation->report) return false;
    if (at->value->kind == JSON_ARRAY && node->array)
        valid &= evaluate_array(evaluation, at, marks);
    if (at->value->kind == JSON_OBJECT && node->object)
        valid &= evaluate_object(evaluation, at, marks);
    if (!valid && !evaluation->report) return false;
    if (node->apply || (node->object && node->object->dependent_count))
        valid &= evaluate_apply(evaluation, at, marks);
    return valid;
}

static bool evaluate_all(struct evaluation *evaluation, const struct evaluation_frame *at,
                         struct marks *marks) {
    struct marks own;
    bool asks = at->node->flags & NODE_UNEVALUATED && at->value->kind >= JSON_ARRAY;
    bool valid = true;
    if (asks && !marks) {
        marks = &own;
        valid = marks_init(evaluation, marks, at->value);
    }
    valid = valid && evaluate_rules(evaluation, at, marks);
    if (asks && (valid || evaluation->report)) valid &= evaluate_unevaluated(evaluation, at, marks);
    return valid && evaluation->status == GRAMC_OK;
}

/* Whether the answer is worth to be remembered, and depends on the node and the value alone. A
 * report that keeps violations wants all of them. */
static bool is_memorable(const struct evaluation *evaluation, const struct evaluation_frame *at) {
    const struct schema_node *node = at->node;
    bool inner = at->value->kind >= JSON_ARRAY && (node->array || node->object);
    return evaluation->all_steps - evaluation->steps > EVALUATE_MEMO_AFTER &&
           (node->apply || (inner && evaluation->trials)) && !evaluation->schema->dynamic &&
           !(evaluation->report && evaluation->report->max) && !(at->value->mark & MARK_BRIEF);
}

static bool evaluate_once(struct evaluation *evaluation, const struct evaluation_frame *at) {
    struct report *report = evaluation->report;
    const struct memo_entry *known =
        memo_find(&evaluation->memo, at->node, at->value, report != NULL);
    if (known) {
        if (!known->valid && report) report_weigh(report, known->weight);
        return known->valid;
    }
    struct report weighed = {.max = 0};
    if (report) evaluation->report = &weighed;
    bool valid = evaluate_all(evaluation, at, NULL);
    evaluation->report = report;
    if (evaluation->status != GRAMC_OK) return false;
    if (!valid && report) report_weigh(report, weighed.weight);
    const struct memo_entry entry = {.node = at->node,
                                     .value = at->value,
                                     .weight = weighed.weight,
                                     .weighed = report != NULL,
                                     .valid = valid};
    return memo_add(&evaluation->memo, evaluation->arena, &entry)
               ? valid
               : evaluation_stop(evaluation, GRAMC_NOMEM);
}

bool evaluation_enter(struct evaluation *evaluation, const struct evaluation_frame *at) {
    if (evaluation->status != GRAMC_OK) return false;
    if (evaluation->frames >= JUDGE_FRAMES_MAX) return evaluation_limit(evaluation, LIMIT_FRAMES);
    if (!evaluation_take(evaluation, 1)) return false;
    evaluation->current = at;
    evaluation->frames++;
    return true;
}

void evaluation_leave(struct evaluation *evaluation, const struct evaluation_frame *outer) {
    evaluation->frames--;
    evaluation->current = outer;
}

bool evaluate_frame(struct evaluation *evaluation, const struct evaluation_frame *at,
                    struct marks *marks) {
    const struct evaluation_frame *outer = evaluation->current;
    if (!evaluation_enter(evaluation, at)) return false;
    bool valid = !marks && is_memorable(evaluation, at) ? evaluate_once(evaluation, at)
                                                        : evaluate_all(evaluation, at, marks);
    evaluation_leave(evaluation, outer);
    return valid;
}

bool evaluate_document(struct evaluation *evaluation, const struct json *value) {
    struct evaluation_frame root = {.node = evaluation->schema->root, .value = value};
    return evaluate_frame(evaluation, &root, NULL);
}
