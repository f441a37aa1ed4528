/* Decides whether every value that schema A accepts is accepted by schema B. A is split into
 * branches of one type each; each branch must pass every keyword of B. What a type and a keyword
 * mean to each other is rules.c's matter.
 *
 * A "yes" is proven by rules that may make A larger, never smaller, and B smaller, never larger. A
 * "no" is a value that the validator evaluated by both whole schemas. Recursive schemas are
 * compared as if the pair that is being compared were fine: values are finite, so an exception
 * would show in a smaller value first. */
#include "jsonschema/subsume/subsume.h"

#include "base/text.h"
#include "jsonschema/subsume/prove.h"

struct pair {
    const struct pair *outer;
    const struct conjunction *a;
    const struct json *b;
    uint32_t level;
    enum json_type only;
};

const struct subsume_answer subsume_yes = {GRAMC_COMPARE_YES, {NULL, 0}, NULL};

struct subsume_answer subsume_unknown(const char *reason) {
    return (struct subsume_answer){GRAMC_COMPARE_UNKNOWN, {NULL, 0}, reason};
}

struct subsume_answer subsume_no(gramc_text witness) {
    if (!witness.len) return subsume_unknown("no value was found that would show it");
    return (struct subsume_answer){GRAMC_COMPARE_NO, witness, NULL};
}

bool subsume_step(struct compat *compat) {
    if (compat->arena.oom) return false;
    if (compat->steps == 0) {
        compat->limit = "comparing them takes too much work";
        return false;
    }
    compat->steps--;
    return true;
}

/* Of a part that must hold as well: NO wins, then UNKNOWN. False: nothing else can change it. */
static bool join(const struct compat *compat, struct subsume_answer *all,
                 struct subsume_answer part) {
    if (part.kind == GRAMC_COMPARE_NO) *all = part;
    else if (all->kind == GRAMC_COMPARE_YES) *all = part;
    if (compat->only_proves) return all->kind == GRAMC_COMPARE_YES;
    return all->kind != GRAMC_COMPARE_NO;
}

void conjunction_add(struct conjunction *conjunction, const struct json *node) {
    if (!node || node->kind == JSON_TRUE || conjunction->count == COMPAT_NODES) return;
    for (uint32_t i = 0; i < conjunction->count; i++)
        if (conjunction->nodes[i] == node) return;
    conjunction->nodes[conjunction->count++] = node;
}

bool conjunction_is_false(const struct conjunction *conjunction) {
    for (uint32_t i = 0; i < conjunction->count; i++)
        if (conjunction->nodes[i]->kind == JSON_FALSE) return true;
    return false;
}

/* Where a local reference leads; NULL for any other. */
const struct json *subsume_follow(const struct subsume_side *side, const struct json *reference) {
    if (!json_is(reference, JSON_STRING) || !text_starts(reference->text, "#")) return NULL;
    gramc_text pointer = text_slice(reference->text, 1, reference->text.len);
    for (size_t i = 0; i < pointer.len; i++)
        if (pointer.ptr[i] == '%') return NULL;
    const struct json *target = json_at(side->root, pointer);
    return target && target->kind >= JSON_FALSE ? target : NULL;
}

/* ## Branches of A */

static struct subsume_answer ask_values(struct compat *compat, const struct conjunction *a,
                                        const struct json *b, branch_question *question,
                                        const struct json *node) {
    const struct json *list = json_get(node, "enum"), *one = json_get(node, "const");
    if (question != subsume_branch_includes) return subsume_unknown("values are not listed");
    for (const struct json *value = one ? one : list->first; value;
         value = one ? NULL : value->next) {
        gramc_text text = subsume_print(compat, value);
        if (subsume_evaluate_witness(compat, a, b, text)) return subsume_no(text);
    }
    return subsume_yes;
}

/* Every value is listed: then the validator alone decides. */
static const struct json *find_values(const struct conjunction *a) {
    for (uint32_t i = 0; i < a->count; i++)
        if (json_is(json_get(a->nodes[i], "enum"), JSON_ARRAY) || json_get(a->nodes[i], "const"))
            return a->nodes[i];
    return NULL;
}

static struct subsume_answer ask_types(struct compat *compat, const struct conjunction *a,
                                       const struct json *b, branch_question *question) {
    struct subsume_answer all = subsume_yes;
    unsigned types = TYPE_BIT_ALL;
    const struct json *values = find_values(a);
    if (conjunction_is_false(a)) return subsume_yes;
    if (values && question == subsume_branch_includes)
        return ask_values(compat, a, b, question, values);
    for (uint32_t i = 0; i < a->count; i++) types &= shape_types(a->nodes[i]);
    if (types & 1u << JSON_TYPE_NUMBER) types &= ~(1u << JSON_TYPE_INTEGER);
    for (enum json_type only = 0; only < JSON_TYPES; only++) {
        if (!(types & 1u << only)) continue;
        if (!join(compat, &all, question(compat, a, only, b))) break;
    }
    return all;
}

static struct subsume_answer split(struct compat *compat, const struct conjunction *a, uint32_t at,
                                   int stage, const struct json *b, branch_question *question);

static struct subsume_answer choose(struct compat *compat, const struct conjunction *a, uint32_t at,
                                    int stage, const struct json *options, const struct json *b,
                                    branch_question *question) {
    struct subsume_answer all = subsume_yes;
    for (const struct json *option = options->first; option; option = option->next) {
        struct conjunction chosen = *a;
        conjunction_add(&chosen, option);
        if (!join(compat, &all, split(compat, &chosen, at, stage, b, question))) break;
    }
    return all;
}

/* Follows references and takes each alternative. oneOf counts as anyOf: that only enlarges A. */
static struct subsume_answer split(struct compat *compat, const struct conjunction *a, uint32_t at,
                                   int stage, const struct json *b, branch_question *question) {
    static const char *const choices[] = {"anyOf", "oneOf"};
    struct conjunction own = *a;
    if (!subsume_step(compat)) return subsume_unknown(compat->limit);
    for (; at < own.count; at++, stage = 0) {
        const struct json *node = own.nodes[at];
        conjunction_add(&own, subsume_follow(&compat->a, json_get(node, "$ref")));
        const struct json *all = json_get(node, "allOf");
        if (json_is(all, JSON_ARRAY))
            for (const struct json *part = all->first; part; part = part->next)
                conjunction_add(&own, part);
        for (; stage < 2; stage++) {
            const struct json *options = json_get(node, choices[stage]);
            if (json_is(options, JSON_ARRAY))
                return choose(compat, &own, at, stage + 1, options, b, question);
        }
    }
    return ask_types(compat, &own, b, question);
}

struct subsume_answer subsume_each_branch(struct compat *compat, const struct conjunction *a,
                                          const struct json *b, branch_question *question) {
    return split(compat, a, 0, 0, b, question);
}

/* ## Keywords of B */

bool subsume_has_reference(const struct json *value) {
    if (value->kind != JSON_ARRAY && value->kind != JSON_OBJECT) return false;
    if (json_get(value, "$ref")) return true;
    for (const struct json *child = value->first; child; child = child->next)
        if (subsume_has_reference(child)) return true;
    return false;
}

static bool is_same(struct compat *compat, const struct conjunction *a, const struct json *b) {
    for (uint32_t i = 0; i < a->count; i++) {
        uint64_t work = compat->steps;
        if (json_equal_within(a->nodes[i], b, &work) &&
            (compat->same_defs || !subsume_has_reference(b)))
            return true;
    }
    return false;
}

static const struct pair *find_pair(const struct compat *compat, const struct pair *wanted) {
    for (const struct pair *pair = compat->pairs; pair; pair = pair->outer) {
        bool same = pair->b == wanted->b && pair->only == wanted->only &&
                    pair->a->count == wanted->a->count;
        for (uint32_t i = 0; same && i < pair->a->count; i++)
            same = pair->a->nodes[i] == wanted->a->nodes[i];
        if (same) return pair;
    }
    return NULL;
}

static struct subsume_answer against_keywords(struct compat *compat, const struct conjunction *a,
                                              enum json_type only, const struct json *b) {
    struct subsume_answer all = subsume_yes;
    for (const struct json *keyword = b->first; keyword; keyword = keyword->next) {
        struct subsume_answer part = rules_keyword(compat, a, only, b, keyword);
        bool shown = part.kind == GRAMC_COMPARE_NO && !compat->only_proves &&
                     subsume_evaluate_witness(compat, a, b, part.witness);
        if (part.kind == GRAMC_COMPARE_NO && !shown)
            part = subsume_unknown("the value that should show it does not");
        if (!join(compat, &all, part)) return all;
    }
    if (all.kind == GRAMC_COMPARE_UNKNOWN && !compat->only_proves)
        return subsume_sample_against(compat, a, only, b, all.reason);
    return all;
}

struct subsume_answer subsume_branch_includes(struct compat *compat, const struct conjunction *a,
                                              enum json_type only, const struct json *b) {
    struct pair pair = {compat->pairs, a, b, compat->level, only};
    if (!subsume_step(compat)) return subsume_unknown(compat->limit);
    if (b->kind == JSON_TRUE || (b->kind == JSON_OBJECT && b->count == 0)) return subsume_yes;
    if (is_same(compat, a, b)) return subsume_yes;
    if (rules_empty(compat, a, only, NULL).kind == GRAMC_COMPARE_YES) return subsume_yes;
    static const char unsure[] = "it is not known whether there is such a value";
    if (b->kind != JSON_OBJECT)
        return compat->only_proves ? subsume_unknown(unsure)
                                   : subsume_sample_against(compat, a, only, b, unsure);
    const struct pair *known = find_pair(compat, &pair);
    if (known && known->level < compat->level) return subsume_yes;
    if (known) return subsume_unknown("a schema refers to itself without getting any deeper");
    compat->pairs = &pair;
    struct subsume_answer answer = against_keywords(compat, a, only, b);
    compat->pairs = pair.outer;
    return answer;
}

struct subsume_answer subsume_includes(struct compat *compat, const struct conjunction *a,
                                       const struct json *b) {
    if (b->kind == JSON_TRUE || is_same(compat, a, b)) return subsume_yes;
    if (compat->level >= COMPAT_LEVELS) return subsume_unknown("the schemas are nested too deep");
    compat->level++;
    struct subsume_answer answer = subsume_each_branch(compat, a, b, subsume_branch_includes);
    compat->level--;
    return answer;
}

/* ## Documents */

/* What would make references and keywords mean something else than they say here. */
static const char *find_obstacle(const struct json *value, bool is_root) {
    static const char *const keys[] = {"$id", "$anchor", "$dynamicAnchor", "$dynamicRef",
                                       "$recursiveRef"};
    if (value->kind != JSON_ARRAY && value->kind != JSON_OBJECT) return NULL;
    for (size_t i = is_root ? 1 : 0; i < sizeof keys / sizeof *keys; i++)
        if (json_is(json_get(value, keys[i]), JSON_STRING))
            return "anchors and identifiers inside schemas are not compared";
    const struct json *reference = json_get(value, "$ref");
    if (json_is(reference, JSON_STRING) && !text_starts(reference->text, "#/$defs/"))
        return "only references to #/$defs/... are followed";
    const struct json *draft = json_get(value, "$schema");
    if (json_is(draft, JSON_STRING) &&
        !text_is(draft->text, "https://json-schema.org/draft/2020-12/schema"))
        return "only JSON Schema 2020-12 is compared";
    for (const struct json *child = value->first; child; child = child->next) {
        const char *obstacle = find_obstacle(child, false);
        if (obstacle) return obstacle;
    }
    return NULL;
}

const char *subsume_obstacle(const struct json *document) {
    return find_obstacle(document, true);
}

static gramc_schema_options program_options(const struct compat *compat) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    options.allocator = &compat->arena.allocator;
    options.assert_formats = true;
    return options;
}

static void set_root(struct subsume_side *side, const struct json *root) {
    side->root = root;
    side->defs = json_get(root, "$defs");
}

static gramc_status open_text(struct compat *compat, struct subsume_side *side, gramc_text text) {
    const gramc_schema_options options = program_options(compat);
    gramc_status status = gramc_schema_compile(&side->program, text.ptr, text.len, &options, NULL);
    if (status != GRAMC_OK) return status;
    set_root(side, gramc_schema_document(side->program));
    return side->root ? GRAMC_OK : GRAMC_NOMEM;
}

static gramc_status open_document(struct compat *compat, struct subsume_side *side,
                                  const struct json *document) {
    const gramc_schema_options options = program_options(compat);
    set_root(side, document);
    return gramc_schema_compile_document(&side->program, document, &options, NULL);
}

/* Takes what the runtime makes of a side's values in their place. */
static gramc_status open_rewritten(struct compat *compat, struct subsume_side *side,
                                   const struct json *rewritten) {
    side->given = side->program;
    side->program = NULL;
    return rewritten ? open_document(compat, side, rewritten) : GRAMC_NOMEM;
}

static gramc_status rewrite_sides(struct compat *compat, const gramc_compare_options *options) {
    struct arena *arena = &compat->arena;
    if (options->as_sent)
        return open_rewritten(compat, &compat->a, subsume_as_sent(arena, compat->a.root));
    gramc_status status =
        open_rewritten(compat, &compat->a, subsume_filled_in(arena, compat->a.root));
    if (status != GRAMC_OK) return status;
    return open_rewritten(compat, &compat->b, subsume_filled_in(arena, compat->b.root));
}

static struct subsume_answer decide(struct compat *compat, bool fill) {
    const char *obstacle = find_obstacle(compat->a.root, true);
    struct conjunction whole = {{NULL}, 0};
    if (!obstacle) obstacle = find_obstacle(compat->b.root, true);
    if (obstacle) return subsume_unknown(obstacle);
    compat->same_defs = !compat->a.defs || !compat->b.defs
                            ? compat->a.defs == compat->b.defs
                            : json_equal_within(compat->a.defs, compat->b.defs, &compat->steps);
    conjunction_add(&whole, compat->a.root);
    struct subsume_answer answer = subsume_includes(compat, &whole, compat->b.root);
    if (answer.kind == GRAMC_COMPARE_YES && compat->undecided)
        return subsume_unknown("a part of a schema cannot be judged on its own");
    if (answer.kind != GRAMC_COMPARE_NO || compat->only_proves) return answer;
    if (fill) answer.witness = subsume_evaluate_fill(compat, answer.witness);
    if (subsume_evaluate_program(compat, compat->a.program, answer.witness) &&
        !subsume_evaluate_program(compat, compat->b.program, answer.witness))
        return answer;
    return subsume_unknown("the value that should show it does not");
}

struct comparison {
    gramc_comparison public;
    struct compat compat;
};

static struct comparison *begin(const gramc_compare_options *options) {
    gramc_allocator allocator = options && options->allocator ? *options->allocator : mem_default();
    struct comparison *own = mem_alloc(&allocator, sizeof *own);
    if (!own) return NULL;
    *own = (struct comparison){.compat.steps = 100000};
    arena_init(&own->compat.arena, &allocator);
    if (options && options->max_steps) own->compat.steps = options->max_steps;
    return own;
}

static void close_sides(struct compat *compat) {
    subsume_evaluate_free(&compat->a);
    subsume_evaluate_free(&compat->b);
}

/* `status`: of opening the two sides. */
static gramc_status finish(gramc_comparison **out, struct comparison *own, gramc_status status,
                           const gramc_compare_options *options) {
    bool is_rewritten = options && (options->as_sent || options->filled_in);
    if (status == GRAMC_OK && is_rewritten) status = rewrite_sides(&own->compat, options);
    if (status == GRAMC_OK) {
        struct subsume_answer answer = decide(&own->compat, is_rewritten);
        /* It may be a piece of a document that goes when the sides are closed. */
        gramc_text witness =
            answer.witness.len ? arena_text(&own->compat.arena, answer.witness) : answer.witness;
        own->public = (gramc_comparison){answer.kind, witness, {NULL, 0}};
        if (answer.reason) own->public.reason = text_of(answer.reason);
        if (own->compat.arena.oom) status = GRAMC_NOMEM;
    }
    close_sides(&own->compat);
    if (status == GRAMC_OK) *out = &own->public;
    else gramc_comparison_free(&own->public);
    return status;
}

gramc_status gramc_schema_compare(gramc_comparison **out, gramc_text a, gramc_text b,
                                  const gramc_compare_options *options) {
    struct comparison *own = begin(options);
    *out = NULL;
    if (!own) return GRAMC_NOMEM;
    gramc_status status = open_text(&own->compat, &own->compat.a, a);
    if (status == GRAMC_OK) status = open_text(&own->compat, &own->compat.b, b);
    return finish(out, own, status, options);
}

gramc_status gramc_schema_compare_documents(gramc_comparison **out, const struct json *a,
                                            const struct json *b,
                                            const gramc_compare_options *options) {
    struct comparison *own = begin(options);
    *out = NULL;
    if (!own) return GRAMC_NOMEM;
    gramc_status status = open_document(&own->compat, &own->compat.a, a);
    if (status == GRAMC_OK) status = open_document(&own->compat, &own->compat.b, b);
    return finish(out, own, status, options);
}

/* The programs are compiled when something is evaluated. */
gramc_status subsume_prove(bool *proven, const struct json *a, const struct json *b,
                           const gramc_compare_options *options) {
    struct comparison *own = begin(options);
    *proven = false;
    if (!own) return GRAMC_NOMEM;
    struct compat *compat = &own->compat;
    compat->only_proves = true;
    set_root(&compat->a, a);
    set_root(&compat->b, b);
    *proven = decide(compat, false).kind == GRAMC_COMPARE_YES;
    gramc_status status = compat->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
    close_sides(compat);
    gramc_comparison_free(&own->public);
    return status;
}

/* ## Samples */

static gramc_status write_sample(struct compat *compat, gramc_writer writer) {
    struct conjunction whole = {{NULL}, 0};
    conjunction_add(&whole, compat->a.root);
    gramc_text value = subsume_sample_of(compat, &whole, 0);
    if (compat->arena.oom) return GRAMC_NOMEM;
    if (!value.len) return GRAMC_FINDINGS;
    return writer.write(writer.ctx, value.ptr, value.len) ? GRAMC_IO : GRAMC_OK;
}

gramc_status gramc_schema_sample(const struct json *document, const gramc_allocator *allocator,
                                 gramc_writer writer) {
    gramc_compare_options options = GRAMC_COMPARE_OPTIONS_INIT;
    options.allocator = allocator;
    struct comparison *own = begin(&options);
    if (!own) return GRAMC_NOMEM;
    own->compat.typical = true;
    gramc_status status = open_document(&own->compat, &own->compat.a, document);
    if (status == GRAMC_OK) status = write_sample(&own->compat, writer);
    close_sides(&own->compat);
    gramc_comparison_free(&own->public);
    return status;
}

void gramc_comparison_free(gramc_comparison *comparison) {
    if (!comparison) return;
    struct comparison *own = (struct comparison *)comparison;
    gramc_allocator allocator = own->compat.arena.allocator;
    arena_free(&own->compat.arena);
    mem_free(&allocator, own, sizeof *own);
}
