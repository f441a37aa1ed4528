/* Turns a tool and the schemas of its implementation into a verdict: parameters are contravariant
 * over what the runtime sends, results covariant. Comparing is gramc_schema_compare's; here is
 * which schemas stand against each other, and what is said about it. */
#include "runtime/proof.h"

#include "base/diag/diag.h"
#include "base/json/json.h"
#include "base/list.h"
#include "base/text.h"
#include "runtime/bind_box.h"

enum { QUOTED_MAX = 4 << 20 };

/* What is compared, and what is said of the outcome. */
struct proof_question {
    const struct json *a, *b; /* is everything that fits `a` fit for `b`? */
    bool as_sent;
    enum diag_id refuted, undecided;
};

static void settle(gramc_bound *bound, const struct bound_tool *choice, struct bound_proof *proof,
                   const struct proof_question *question, gramc_proof answer, gramc_text why) {
    const gramc_impl *impl = choice->impl;
    const struct bind_place place = {impl->file, impl->start, impl->end};
    proof->answer = answer;
    proof->why = arena_text(&bound->arena, why);
    if (answer == GRAMC_PROOF_REFUTED)
        BOUND_TELL(bound, question->refuted, &place, TEXT(""), choice->tool->name, proof->why);
    if (answer == GRAMC_PROOF_UNKNOWN)
        BOUND_TELL(bound, question->undecided, &place, TEXT(""), choice->tool->name, proof->why);
}

static void compare(gramc_bound *bound, const struct bound_tool *choice, struct bound_proof *proof,
                    const struct proof_question *question) {
    gramc_compare_options options = GRAMC_COMPARE_OPTIONS_INIT;
    gramc_comparison *comparison = NULL;
    options.allocator = &bound->arena.allocator;
    options.as_sent = question->as_sent;
    gramc_status status =
        gramc_schema_compare_documents(&comparison, question->a, question->b, &options);
    if (status == GRAMC_NOMEM) bound->arena.oom = true;
    else if (status)
        settle(bound, choice, proof, question, GRAMC_PROOF_UNKNOWN,
               TEXT("one of the two schemas cannot be compiled"));
    else if (comparison->answer == GRAMC_COMPARE_YES)
        settle(bound, choice, proof, question, GRAMC_PROOF_PROVEN, TEXT(""));
    else if (comparison->answer == GRAMC_COMPARE_NO)
        settle(bound, choice, proof, question, GRAMC_PROOF_REFUTED, comparison->counterexample);
    else settle(bound, choice, proof, question, GRAMC_PROOF_UNKNOWN, comparison->reason);
    gramc_comparison_free(comparison);
}

/* A side of a tool, as its implementation or its box says it; the box's was read before. */
struct side_schema {
    gramc_text text;
    const struct json *document; /* NULL: it is to be read, or it is no JSON */
};

/* The implementation has the first word. False: neither says anything; *document is NULL for what
 * is no JSON. */
static bool find_schema(gramc_bound *bound, const struct json **document,
                        const struct side_schema *own, const struct side_schema *box) {
    bool is_own = own->text.len > 0;
    *document = is_own ? own->document : box->document;
    if (is_own && !*document) *document = json_parse(&bound->arena, own->text, NULL);
    return is_own || box->text.len;
}

/* ## Constants: `returns: "pong"` is its own proof */

static bool is_json(gramc_bound *bound, gramc_text text) {
    struct arena scratch;
    arena_init(&scratch, &bound->arena.allocator);
    bool is = json_parse(&scratch, text, NULL) != NULL;
    if (scratch.oom) bound->arena.oom = true;
    arena_free(&scratch);
    return is;
}

/* A text where JSON is promised is no JSON: it never fits, though a string of it might. */
static void evaluate_constant(gramc_bound *bound, struct bound_tool *choice,
                              const struct proof_question *question) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    gramc_text value = choice->impl->target;
    struct buf quoted;
    bool as_text = choice->tool->result_kind == GRAMC_RESULT_TEXT || !is_json(bound, value);
    options.allocator = &bound->arena.allocator;
    buf_init(&quoted, &bound->arena.allocator, QUOTED_MAX);
    if (as_text) json_put_string(&quoted, value);
    else buf_text(&quoted, value);
    gramc_status status = buf_status(&quoted);
    value = buf_view(&quoted);
    if (!status)
        status =
            gramc_schema_check(&verdict, choice->tool->returns, value.ptr, value.len, &options);
    if (status == GRAMC_NOMEM) bound->arena.oom = true;
    else if (status)
        settle(bound, choice, &choice->returns, question, GRAMC_PROOF_UNKNOWN,
               TEXT("it is too large to be judged"));
    else if (verdict->valid && (!as_text || choice->tool->result_kind == GRAMC_RESULT_TEXT))
        settle(bound, choice, &choice->returns, question, GRAMC_PROOF_PROVEN, TEXT(""));
    else settle(bound, choice, &choice->returns, question, GRAMC_PROOF_REFUTED, value);
    gramc_verdict_free(verdict);
    buf_free(&quoted);
}

/* ## Both sides */

static void evaluate_result(gramc_bound *bound, struct bound_tool *choice,
                            const struct offered_schemas *offered) {
    const gramc_impl *impl = choice->impl;
    const gramc_tool *tool = choice->tool;
    struct proof_question question = {.b = gramc_schema_document(tool->returns),
                                      .refuted = D_RETURNS_OTHER,
                                      .undecided = D_RESULT_UNDECIDED};
    bool as_text = tool->result_kind == GRAMC_RESULT_TEXT;
    const struct side_schema own = {impl->returns_schema, impl->returns_document};
    struct side_schema box = {TEXT(""), NULL};
    /* A box's schema is that of its JSON; where a text is wanted, the text beside it is taken. */
    if (offered && !as_text) box = (struct side_schema){offered->tool->returns, offered->returns};
    bool is_said = find_schema(bound, &question.a, &own, &box);
    if (tool->result_kind == GRAMC_RESULT_NULL) choice->returns.answer = GRAMC_PROOF_PROVEN;
    else if (choice->kind && choice->kind->is_constant) evaluate_constant(bound, choice, &question);
    else if (is_said) compare(bound, choice, &choice->returns, &question);
    else choice->returns_unsaid = offered != NULL;
}

static void compare_descriptions(gramc_bound *bound, const struct bound_tool *choice,
                                 const struct offered_tool *offered) {
    const gramc_impl *impl = choice->impl;
    gramc_text other = offered && !impl->description.len ? offered->description : impl->description;
    const struct bind_place place = {impl->file, impl->start, impl->end};
    if (!other.len || text_eq(text_trim(other), text_trim(choice->tool->description))) return;
    BOUND_TELL(bound, D_OTHER_DESCRIPTION, &place, TEXT(""), choice->tool->name,
               arena_text(&bound->arena, other));
}

void proof_make(gramc_bound *bound, struct bound_tool *choice, const struct offered_tool *offered) {
    const gramc_impl *impl = choice->impl;
    const gramc_tool *tool = choice->tool;
    struct proof_question question = {.a = gramc_schema_document(tool->accepts),
                                      .as_sent = true,
                                      .refuted = D_REFUSES_ARGUMENTS,
                                      .undecided = D_ARGUMENTS_UNDECIDED};
    const struct offered_schemas *schemas = offered ? bind_offer_schemas(bound, offered) : NULL;
    const struct side_schema own = {impl->accepts_schema, impl->accepts_document};
    struct side_schema box = {TEXT(""), NULL};
    if (bound->arena.oom) return;
    if (schemas) box = (struct side_schema){offered->accepts, schemas->accepts};
    if (find_schema(bound, &question.b, &own, &box))
        compare(bound, choice, &choice->accepts, &question);
    evaluate_result(bound, choice, schemas);
    compare_descriptions(bound, choice, offered);
}

void proof_summarise(gramc_bound *bound) {
    struct name_list names;
    list_init(&names, &bound->arena.allocator, "`");
    for (size_t i = 0; i < bound->tool_count; i++)
        if (bound->tools[i].returns_unsaid) list_add(&names, TEXT(""), bound->tools[i].tool->name);
    gramc_text text = list_end(&names);
    if (buf_status(&names.text) == GRAMC_NOMEM) bound->arena.oom = true;
    else if (names.count)
        BOUND_TELL(bound, D_NO_RESULT_SCHEMA, NULL, TEXT(""), bound->library->name,
                   arena_text(&bound->arena, text));
    list_free(&names);
}
