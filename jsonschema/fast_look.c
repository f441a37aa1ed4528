/* The fast path through what cannot be done in one pass: applicators look at the same bytes again,
 * patterns need a decoded string, and where even that does not help a document is read from here
 * on and given to the evaluator. */
#include "jsonschema/fast.h"

/* ## Patterns */

static bool matches(struct run *run, const struct regex *regex, gramc_text text) {
    if (!run->has_session)
        regex_session_init(&run->regexes, &run->schema->arena.allocator, &run->steps);
    run->has_session = true;
    uint64_t cost = regex_steps(regex, text.len);
    if (run->steps <= cost) return run_give_up(run) != NULL;
    run->steps -= cost;
    enum regex_result result = regex_matches(&run->regexes, regex, text);
    if (result == REGEX_LIMIT || result == REGEX_NOMEM) run_give_up(run);
    return result == REGEX_YES;
}

bool run_matches(struct run *run, const struct regex *regex, const char *inside, const char *close,
                 unsigned seen) {
    char decoded[1024];
    gramc_text text = {inside, (size_t)(close - inside)};
    if (!(seen & JSON_SEEN_ESCAPE)) return matches(run, regex, text);
    if (text.len > sizeof decoded) return run_give_up(run) != NULL;
    return matches(run, regex, (gramc_text){decoded, json_unescape(decoded, inside, close)});
}

/* ## Documents */

void run_start_evaluation(const struct run *run, struct evaluation *evaluation, struct arena *arena,
                          size_t bytes) {
    evaluation_init(evaluation, run->schema, arena, NULL, bytes);
    evaluation->steps = evaluation->all_steps = run->steps;
}

/* Reads [p, end), which is known to be well-formed, and evaluates it by the node. */
static bool evaluate_span(struct run *run, const struct schema_node *node, const char *p,
                          const char *end) {
    struct arena arena;
    struct evaluation evaluation;
    arena_init(&arena, &run->schema->arena.allocator);
    run_start_evaluation(run, &evaluation, &arena, (size_t)(end - p));
    const struct json *value = json_parse(&arena, (gramc_text){p, (size_t)(end - p)}, NULL);
    struct evaluation_frame frame = {.node = node, .value = value};
    bool valid = value && evaluate_frame(&evaluation, &frame, NULL);
    if (!value || evaluation.status != GRAMC_OK) run_give_up(run);
    run->steps = evaluation.steps;
    evaluation_free(&evaluation);
    arena_free(&arena);
    return valid;
}

const char *run_tree(struct run *run, const struct schema_node *node, const char *p) {
    const char *end = run_value(run, &schema_any, p);
    if (!end) return NULL;
    if (run->schema->has_defaults) run_unfilled(run);
    if (!run_look_again(run, (size_t)(end - p))) return NULL;
    return evaluate_span(run, node, p, end) ? end : NULL;
}

/* ## Applicators */

/* One node at one place, as several schemas look at it. */
struct look {
    struct run *run;
    const char *start;
    const char *end; /* behind the value, once somebody has read it all */
    struct glanced glanced;
};

/* All may accept what nobody has glanced at. */
static struct look look_from(struct run *run, const struct applicators *apply, const char *p) {
    const char *end = run->read_from == p ? run->read_to : NULL;
    struct look look = {run, p, end, {UINT64_MAX, 0}};
    if (*p == '{' && apply->glance) look.glanced = run_glance(run, apply->glance, p);
    return look;
}

/* Whether a node accepts the value. A refusal leaves the run as it was. */
static bool accepts(struct look *look, const struct schema_node *node) {
    struct run *run = look->run;
    if (run->given_up) return false;
    const char *before = run->furthest;
    run->furthest = look->start;
    const char *end = run_try(run, node->same, look->start);
    const char *read = end ? end : run->furthest;
    if (before > run->furthest) run->furthest = before;
    if (!run_look_again(run, (size_t)(read - look->start) + RUN_WINDOW) || !end) return false;
    look->end = end;
    run->read_from = look->start;
    run->read_to = end;
    return true;
}

/* The same for one of the subjects of a glance: those beyond the last bit are all read. */
static bool accepts_subject(struct look *look, const struct schema_node *node, size_t i) {
    uint64_t bit = i < 64 ? UINT64_C(1) << i : 0;
    if (bit & ~look->glanced.alive) return false;
    if (bit & look->glanced.exact) return !look->run->given_up;
    return accepts(look, node);
}

/* Makes sure that the value is well-formed, before a refusal can mean anything. */
static bool is_value(struct look *look) {
    return look->end || accepts(look, &schema_any);
}

static bool accepts_any(struct look *look, const struct node_list *any, size_t subject) {
    for (size_t i = 0; i < any->count; i++)
        if (accepts_subject(look, any->nodes[i], subject + i)) return true;
    return any->count == 0;
}

static bool accepts_one(struct look *look, const struct node_list *one, size_t subject) {
    size_t count = 0;
    for (size_t i = 0; i < one->count && count < 2; i++)
        count += accepts_subject(look, one->nodes[i], subject + i);
    return count == (one->count ? 1 : 0);
}

static bool accepts_conditions(struct look *look, const struct applicators *apply, size_t subject) {
    size_t no = subject + (apply->if_node != NULL), then = no + (apply->no != NULL);
    if ((apply->no || apply->if_node) && !is_value(look)) return false;
    if (apply->no && (accepts_subject(look, apply->no, no) || look->run->given_up)) return false;
    if (!apply->if_node) return true;
    bool holds = accepts_subject(look, apply->if_node, subject);
    const struct schema_node *next = holds ? apply->then_node : apply->else_node;
    if (look->run->given_up || !next) return !look->run->given_up;
    return accepts_subject(look, next, holds ? then : then + (apply->then_node != NULL));
}

/* What the applicators say whose subjects begin with that one. */
static bool accepts_branches(struct look *look, const struct applicators *apply, size_t subject) {
    size_t one = subject + apply->any.count;
    return accepts_any(look, &apply->any, subject) && accepts_one(look, &apply->one, one) &&
           accepts_conditions(look, apply, one + apply->one.count);
}

static bool accepts_all(struct look *look, const struct applicators *apply) {
    size_t glanced = apply->glance ? apply->glance->nodes : 0;
    size_t subject = applicators_subjects(apply);
    if (apply->ref && !accepts(look, apply->ref)) return false;
    if (apply->dynamic && !accepts(look, apply->dynamic->target)) return false;
    for (size_t i = 0; i < glanced; i++) {
        const struct applicators *inner = apply->all.nodes[i]->same->look;
        if (!accepts_branches(look, inner, subject)) return false;
        subject += applicators_subjects(inner);
    }
    for (size_t i = glanced; i < apply->all.count; i++)
        if (!accepts(look, apply->all.nodes[i])) return false;
    return true;
}

/* What alternatives alone say: the first that takes the value as it stands is the one by which it
 * is changed. */
static const char *fill_first(struct run *run, const struct schema_node *node, const char *p) {
    const struct node_list *any = &node->look->any;
    struct look look = look_from(run, node->look, p);
    for (size_t i = 0; i < any->count && !run->given_up; i++) {
        struct fills *fills = run_quietly(run);
        bool fits = accepts_subject(&look, any->nodes[i], i) && is_value(&look);
        bool unfilled = run->unfilled;
        run->unfilled = false;
        run_as_before(run, fills);
        if (fits) return unfilled ? run_value(run, any->nodes[i]->same, p) : look.end;
    }
    return NULL;
}

static bool is_choice_alone(const struct schema_node *node) {
    const struct applicators *a = node->look;
    return a->any.count && !node->itself && !a->ref && !a->dynamic && !a->all.count &&
           !a->one.count && !a->no && !a->if_node;
}

/* Nobody is left of alternatives of which there has to be one. */
static bool is_hopeless(const struct look *look, const struct applicators *apply) {
    size_t any = apply->any.count, one = apply->one.count;
    uint64_t all = look->glanced.alive;
    if (any && any < 64 && !(all & ((UINT64_C(1) << any) - 1))) return true;
    return one && any + one < 64 && !(all >> any & ((UINT64_C(1) << one) - 1));
}

static const char *look_at_all(struct run *run, const struct schema_node *node, const char *p) {
    const struct applicators *apply = node->look;
    struct look look = look_from(run, apply, p);
    if (is_hopeless(&look, apply)) return run_refuse(run, p);
    bool valid = (!node->itself || accepts(&look, node->itself)) && accepts_all(&look, apply) &&
                 accepts_branches(&look, apply, 0) && is_value(&look);
    return valid && !run->given_up ? look.end : NULL;
}

const char *run_merged(struct run *run, const struct schema_node *node, const char *p) {
    struct fills *fills = run_quietly(run);
    p = run_value(run, node->itself, p);
    run_as_before(run, fills);
    return p;
}

const char *run_look(struct run *run, const struct schema_node *node, const char *p) {
    const char *end;
    if (run->frames == RUN_MAX_FRAMES) return run_give_up(run);
    run->frames++;
    if (run->fills && is_choice_alone(node)) {
        end = fill_first(run, node, p);
    } else {
        struct fills *fills = run_quietly(run);
        end = look_at_all(run, node, p);
        run_as_before(run, fills);
    }
    run->frames--;
    return end;
}
