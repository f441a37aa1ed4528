/* Guards and approvers that an embedding program gives to a run: what they are told, what their
 * decisions lead to, that what they put in place is checked, and that an answer may come late and
 * from anywhere. Those of libraries: tests/golden/run/guard-*. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "tests/support/agent.h"

#define HEADER "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
#define CALL(arguments)                                                                            \
    "{\"event\":\"model.response\",\"content\":null,\"calls\":[{\"name\":\"tool\","                \
    "\"arguments\":\"" arguments "\"}]}\n"
#define SAYS "{\"event\":\"model.response\",\"content\":\"done\"}\n"
#define OBJECT                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"},"                           \
    "\"y\":{\"type\":\"integer\",\"default\":7}}}"
#define STRING "{\"type\":\"string\",\"maxLength\":40}"

/* A guard that follows a plan, and what it was told. */
struct plan {
    gramc_decision before, after;
    char arguments[256], result[256];
    unsigned befores, afters;
    uint32_t turn, iteration, index;
    bool parts; /* they put in place what they were given, the result cut short */
};

static void keep(char out[256], gramc_text text) {
    assert_true(text.len < 256);
    if (text.len) memcpy(out, text.ptr, text.len);
    out[text.len] = '\0';
}

static void before(void *ctx, const gramc_guarded_call *call, gramc_decision *decision) {
    struct plan *plan = ctx;
    plan->befores++;
    keep(plan->arguments, call->arguments);
    plan->turn = call->turn;
    plan->iteration = call->iteration;
    plan->index = call->index;
    assert_true(text_is(call->tool->name, "tool") && text_is(call->call->name, "tool"));
    assert_int_equal(decision->kind, GRAMC_DECISION_ALLOW);
    *decision = plan->before;
    if (plan->parts)
        *decision = (gramc_decision){GRAMC_DECISION_REWRITE, TEXT(""), call->arguments};
}

static void after(void *ctx, const gramc_guarded_call *call, gramc_text result,
                  gramc_decision *decision) {
    struct plan *plan = ctx;
    plan->afters++;
    keep(plan->arguments, call->arguments);
    keep(plan->result, result);
    *decision = plan->after;
    if (plan->parts)
        *decision = (gramc_decision){GRAMC_DECISION_REWRITE, TEXT(""), text_slice(result, 0, 6)};
}

struct scene {
    const char *script, *result; /* JSON Schema; NULL: STRING */
    gramc_result_kind kind;
    const char *target; /* of a builtin; NULL: `returns` */
    uint32_t max_iterations;
    const gramc_allocator *allocator;
};

/* The model's script for the whole run; GRAMC_NOMEM is the only other status. */
static gramc_status act(struct test_run *out, struct plan *plan, const struct scene *scene) {
    struct test_agent test;
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_loop_options loop_options = GRAMC_LOOP_OPTIONS_INIT;
    const gramc_text message = TEXT("Hello");
    gramc_run_handler handler = test_handler(out);
    gramc_builtins *builtins;
    gramc_json_error error;
    gramc_model *model;
    gramc_bound *bound;
    gramc_loop *loop = NULL;
    test_run_init(out);
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, scene->result ? scene->result : STRING, scene->kind);
    if (scene->target) test_builtin(&test, "tool", scene->target);
    else test_returns(&test, "tool", "out of the tool");
    assert_int_equal(gramc_builtins_new(&builtins, NULL), GRAMC_OK);
    assert_int_equal(gramc_model_new_script(&model, text_of(scene->script), NULL, &error),
                     GRAMC_OK);
    options.model = model;
    options.messages = &message;
    options.message_count = 1;
    options.max_iterations = scene->max_iterations;
    options.trace = buf_writer(&out->trace);
    options.trace_without_times = true;
    options.guard = (gramc_guard){before, after, plan};
    bind.builtins = builtins;
    loop_options.allocator = scene->allocator;
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, &bind), GRAMC_OK);
    gramc_status status = gramc_loop_new(&loop, &loop_options);
    if (!status) status = gramc_run_start(NULL, loop, bound, &options, &handler);
    if (!status) status = gramc_loop_run(loop);
    gramc_loop_free(loop);
    gramc_bound_free(bound);
    gramc_model_free(model);
    gramc_builtins_free(builtins);
    test_agent_free(&test);
    return status;
}

static void expect_in(const struct test_run *run, const char *piece) {
    if (!strstr(buf_view(&run->trace).ptr, piece))
        fail_msg("no %s in\n%s", piece, buf_view(&run->trace).ptr);
}

static void expect_not_in(const struct test_run *run, const char *piece) {
    if (strstr(buf_view(&run->trace).ptr, piece))
        fail_msg("%s in\n%s", piece, buf_view(&run->trace).ptr);
}

static void play(struct test_run *run, struct plan *plan, const char *script) {
    assert_int_equal(act(run, plan, &(struct scene){.script = script}), GRAMC_OK);
    assert_int_equal(run->outcome, GRAMC_OUTCOME_ANSWERED);
}

#define ONE_CALL HEADER CALL("{\\\"x\\\":1}") SAYS

static void allowed(void **state) {
    struct test_run run;
    struct plan plan = {.befores = 0};
    (void)state;
    play(&run, &plan, ONE_CALL);
    assert_int_equal(plan.befores, 1);
    assert_int_equal(plan.afters, 1);
    assert_string_equal(plan.arguments, "{\"x\":1,\"y\":7}"); /* the default is there */
    assert_string_equal(plan.result, "out of the tool");
    assert_true(plan.turn == 1 && plan.iteration == 1 && plan.index == 0);
    expect_in(&run, "\"event\":\"tool.guard\",\"turn\":1,\"iteration\":1,\"call\":1,\"id\":"
                    "\"call_1\",\"name\":\"tool\",\"phase\":\"before\",\"guard\":\"function\","
                    "\"decision\":\"allow\"");
    expect_in(&run, "\"phase\":\"after\",\"guard\":\"function\",\"decision\":\"allow\"");
    expect_in(&run, "\"result\":\"out of the tool\"");
    assert_int_equal(run.result.denied, 0);
    test_run_free(&run);
}

static void denied(void **state) {
    struct test_run run;
    struct plan plan = {.before = {GRAMC_DECISION_DENY, TEXT("not on a Sunday"), TEXT("")}};
    (void)state;
    play(&run, &plan, ONE_CALL);
    assert_int_equal(plan.afters, 0);
    expect_not_in(&run, "\"event\":\"tool.request\"");
    expect_in(&run, "\"outcome\":\"denied\",\"result\":\"Error: the call was denied: not on a "
                    "Sunday\"");
    expect_in(&run, "\"denied\":1");
    assert_true(run.result.denied == 1 && run.result.calls == 1);
    assert_true(run.result.call_errors == 0 && run.result.tool_errors == 0);
    test_run_free(&run);
    plan.before.message = (gramc_text){NULL, 0};
    play(&run, &plan, ONE_CALL);
    expect_in(&run, "\"result\":\"Error: the call was denied\"");
    test_run_free(&run);
}

static void withheld(void **state) {
    struct test_run run;
    struct plan plan = {.after = {GRAMC_DECISION_DENY, TEXT("it names a patient"), TEXT("")}};
    (void)state;
    play(&run, &plan, ONE_CALL);
    expect_in(&run, "\"event\":\"tool.request\"");
    expect_in(&run, "\"outcome\":\"denied\",\"result\":\"Error: the result was withheld: it names "
                    "a patient\",\"own\":\"out of the tool\"");
    test_run_free(&run);
}

static void rewritten(void **state) {
    struct test_run run;
    struct plan plan = {.before = {GRAMC_DECISION_REWRITE, TEXT(""), TEXT("{\"x\": 2}")},
                        .after = {GRAMC_DECISION_REWRITE, TEXT(""), TEXT("[hidden]")}};
    (void)state;
    play(&run, &plan, ONE_CALL);
    assert_string_equal(plan.arguments, "{\"x\": 2,\"y\":7}");
    expect_in(&run, "\"decision\":\"rewrite\",\"from\":\"{\\\"x\\\":1,\\\"y\\\":7}\",\"to\":"
                    "\"{\\\"x\\\": 2,\\\"y\\\":7}\"");
    expect_in(&run, "\"arguments\":\"{\\\"x\\\":1}\",\"sent\":\"{\\\"x\\\": 2,\\\"y\\\":7}\"");
    expect_in(&run, "\"decision\":\"rewrite\",\"from\":\"out of the tool\",\"to\":\"[hidden]\"");
    expect_in(&run, "\"result\":\"[hidden]\",\"own\":\"out of the tool\"");
    test_run_free(&run);
}

/* The guard hands back what it was given, or a part of it. */
static void rewritten_by_a_part(void **state) {
    struct test_run run;
    struct plan plan = {.parts = true};
    (void)state;
    play(&run, &plan, ONE_CALL);
    expect_in(&run, "\"to\":\"{\\\"x\\\":1,\\\"y\\\":7}\"");
    expect_in(&run, "\"from\":\"out of the tool\",\"to\":\"out of\"");
    expect_in(&run, "\"result\":\"out of\"");
    test_run_free(&run);
}

static void fails(const char *arguments, const char *result, const char *piece, const char *told) {
    struct test_run run;
    struct plan plan = {.befores = 0};
    if (arguments)
        plan.before = (gramc_decision){GRAMC_DECISION_REWRITE, TEXT(""), text_of(arguments)};
    if (result) plan.after = (gramc_decision){GRAMC_DECISION_REWRITE, TEXT(""), text_of(result)};
    play(&run, &plan, ONE_CALL);
    expect_in(&run, "\"decision\":\"deny\",\"failed\":true");
    expect_in(&run, piece);
    expect_in(&run, told);
    assert_true(run.result.denied == 1 && !run.result.call_errors && !run.result.tool_errors);
    test_run_free(&run);
}

static void unfit(void **state) {
    static const char call[] = "\"result\":\"Error: the call was denied, since what guards the "
                               "tool does not work\"",
                      result[] = "\"result\":\"Error: the result was withheld, since what guards "
                                 "the tool does not work\"";
    (void)state;
    fails("{\"x\":\"two\"}", NULL, "what it puts in place does not fit: ", call);
    fails("{\"z\":1}", NULL, "what it puts in place does not fit: ", call);
    fails("nonsense", NULL, "what it puts in place does not fit: ", call);
    fails("", NULL, "what it puts in place does not fit: ", call);
    fails(NULL, "longer than the forty characters that its type allows", "does not fit: ", result);
}

static void no_decision(void **state) {
    struct test_run run;
    struct plan plan = {.before = {(gramc_decision_kind)77, TEXT("?"), TEXT("")}};
    (void)state;
    play(&run, &plan, ONE_CALL);
    expect_in(&run, "\"failed\":true,\"message\":\"it gave no decision\"");
    expect_not_in(&run, "tool.request");
    test_run_free(&run);
}

/* Other results than texts. */
static void kinds_of_results(void **state) {
    struct test_run run;
    struct plan plan = {.after = {GRAMC_DECISION_REWRITE, TEXT(""), TEXT(" {\"a\": 1} ")}};
    struct scene scene = {
        .script = ONE_CALL, .result = "{}", .kind = GRAMC_RESULT_JSON, .target = "text.echo"};
    (void)state;
    assert_int_equal(act(&run, &plan, &scene), GRAMC_OK);
    expect_in(&run, "\"result\":\"{\\\"a\\\": 1}\",\"own\":\"{\\\"x\\\":1,\\\"y\\\":7}\"");
    test_run_free(&run);
    plan.after.text = TEXT("no JSON");
    assert_int_equal(act(&run, &plan, &scene), GRAMC_OK);
    expect_in(&run, "\"result\":\"no JSON\"");
    test_run_free(&run);
    scene = (struct scene){.script = ONE_CALL,
                           .target = "math.sqrt",
                           .result = "{\"type\":\"null\"}",
                           .kind = GRAMC_RESULT_NULL};
    assert_int_equal(act(&run, &plan, &scene), GRAMC_OK);
    expect_in(&run, "\"message\":\"it rewrites the result of a tool that has none\"");
    test_run_free(&run);
}

/* What fails is not asked about. */
static void not_asked(void **state) {
    struct test_run run;
    struct plan plan = {.befores = 0};
    (void)state;
    play(&run, &plan, HEADER CALL("{\\\"x\\\":\\\"one\\\"}") SAYS);
    assert_true(plan.befores == 0 && plan.afters == 0);
    assert_int_equal(run.result.call_errors, 1);
    test_run_free(&run);
    struct scene scene = {.script = ONE_CALL, .target = "math.sqrt", .kind = GRAMC_RESULT_JSON};
    assert_int_equal(act(&run, &plan, &scene), GRAMC_OK);
    assert_true(plan.befores == 1 && plan.afters == 0);
    assert_int_equal(run.result.tool_errors, 1);
    test_run_free(&run);
}

/* Nobody counts denials as errors: maxIterations ends what repeats them. */
static void bounded(void **state) {
    struct test_run run;
    struct plan plan = {.before = {GRAMC_DECISION_DENY, TEXT("no"), TEXT("")}};
    struct scene scene = {.script = HEADER CALL("{}") CALL("{}") CALL("{}") CALL("{}") CALL("{}")
                              CALL("{}") CALL("{}") SAYS,
                          .max_iterations = 7};
    (void)state;
    assert_int_equal(act(&run, &plan, &scene), GRAMC_OK);
    assert_int_equal(run.outcome, GRAMC_OUTCOME_MAX_ITERATIONS);
    assert_int_equal(run.result.denied, 6);
    test_run_free(&run);
}

static void without_memory(void **state) {
    struct plan plan = {.before = {GRAMC_DECISION_REWRITE, TEXT(""), TEXT("{\"x\": 2}")},
                        .after = {GRAMC_DECISION_REWRITE, TEXT(""), TEXT("[hidden]")}};
    bool failed = true;
    (void)state;
    for (long at = 1; failed; at++) {
        struct failing failing = {.fail_at = at};
        const gramc_allocator allocator = test_failing(&failing);
        struct scene scene = {.script = ONE_CALL, .allocator = &allocator};
        struct test_run run;
        gramc_status status = act(&run, &plan, &scene);
        failed = failing.failed;
        if (!failed) assert_true(!status && run.outcome == GRAMC_OUTCOME_ANSWERED);
        else if (!status && run.outcome == GRAMC_OUTCOME_ANSWERED)
            expect_in(&run, "\"result\":\"[hidden]\"");
        else assert_true(status == GRAMC_NOMEM || run.outcome == GRAMC_OUTCOME_INTERNAL);
        assert_int_equal(failing.live, 0);
        test_run_free(&run);
    }
}

/* ## Approval */

enum { PEOPLE = 4 };

/* Somebody who answers at once, later from a thread, or never. */
struct person {
    bool allow, late, silent;
    const char *words;
    gramc_run *run; /* to be canceled when it is asked; NULL: none */
    unsigned asked, withdrawn;
    pthread_t threads[PEOPLE];
    gramc_approval *approvals[PEOPLE];
    bool destructive;
};

struct reply {
    struct person *person;
    gramc_approval *approval;
};

static void *answer_late(void *ctx) {
    struct reply *reply = ctx;
    const struct timespec pause = {0, 60000000};
    nanosleep(&pause, NULL);
    gramc_approval_answer(reply->approval, reply->person->allow, text_of(reply->person->words));
    free(reply);
    return NULL;
}

static void on_ask(void *ctx, gramc_approval *approval, const gramc_guarded_call *call) {
    struct person *person = ctx;
    unsigned i = person->asked++;
    assert_true(i < PEOPLE);
    person->destructive = call->destructive;
    assert_true(text_is(call->arguments, "{\"x\":1,\"y\":7}"));
    if (person->run) gramc_run_cancel(person->run);
    if (person->silent) return;
    if (person->late) {
        struct reply *reply = malloc(sizeof *reply);
        *reply = (struct reply){person, approval};
        assert_int_equal(pthread_create(&person->threads[i], NULL, answer_late, reply), 0);
    } else {
        gramc_approval_answer(approval, person->allow, text_of(person->words));
        gramc_approval_answer(approval, !person->allow, TEXT("the first answer counts"));
    }
}

static void on_withdraw(void *ctx, gramc_approval *approval) {
    struct person *person = ctx;
    (void)approval;
    person->withdrawn++;
}

struct office {
    struct test_agent test;
    gramc_model *model;
    gramc_bound *bound;
    gramc_loop *loop;
};

static void open_office(struct office *office) {
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_json_error error;
    test_agent_init(&office->test);
    test_tool(&office->test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT)->destructive = true;
    test_returns(&office->test, "tool", "out of the tool");
    office->loop = NULL;
    assert_int_equal(gramc_model_new_script(&office->model, TEXT(ONE_CALL), NULL, &error),
                     GRAMC_OK);
    assert_int_equal(gramc_bind(&office->bound, &office->test.agent, &office->test.library, &bind),
                     GRAMC_OK);
}

static gramc_status start_in(struct office *office, gramc_run **out, struct test_run *run,
                             struct person *person) {
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_run_handler handler = test_handler(run);
    const gramc_text message = TEXT("Hello");
    test_run_init(run);
    options.model = office->model;
    options.messages = &message;
    options.message_count = 1;
    options.trace = buf_writer(&run->trace);
    if (person) options.approver = (gramc_approver){on_ask, on_withdraw, person};
    return gramc_run_start(out, office->loop, office->bound, &options, &handler);
}

static void close_office(struct office *office) {
    gramc_loop_free(office->loop);
    gramc_bound_free(office->bound);
    gramc_model_free(office->model);
    test_agent_free(&office->test);
}

static void ask_one(struct test_run *run, struct person *person) {
    struct office office;
    open_office(&office);
    assert_int_equal(gramc_loop_new(&office.loop, NULL), GRAMC_OK);
    assert_int_equal(start_in(&office, NULL, run, person), GRAMC_OK);
    assert_int_equal(gramc_loop_run(office.loop), GRAMC_OK);
    close_office(&office);
    assert_int_equal(run->outcome, GRAMC_OUTCOME_ANSWERED);
}

static void approved(void **state) {
    struct test_run run;
    struct person person = {.allow = true, .words = ""};
    (void)state;
    ask_one(&run, &person);
    assert_true(person.asked == 1 && person.withdrawn == 0 && person.destructive);
    expect_in(&run, "\"phase\":\"approval\",\"guard\":\"approver\",\"decision\":\"allow\"");
    expect_in(&run, "\"outcome\":\"ok\",\"result\":\"out of the tool\"");
    test_run_free(&run);
}

static void not_approved(void **state) {
    struct test_run run;
    struct person person = {.words = "over my dead body"};
    (void)state;
    ask_one(&run, &person);
    expect_in(&run, "\"outcome\":\"denied\",\"result\":\"Error: the call was denied: over my dead "
                    "body\"");
    expect_not_in(&run, "tool.request");
    test_run_free(&run);
    person = (struct person){.words = ""};
    ask_one(&run, &person);
    expect_in(&run, "Error: the call was denied: it was not approved");
    test_run_free(&run);
    ask_one(&run, NULL);
    expect_in(&run, "Error: the call was denied: it needs approval, and nobody can be asked");
    assert_int_equal(run.result.denied, 1);
    test_run_free(&run);
}

/* Longer than there is room for, cut between two characters. */
static void many_words(void **state) {
    static char words[1200];
    struct test_run run;
    struct person person = {.words = words};
    (void)state;
    words[0] = 'x';
    for (size_t i = 1; i + 2 < sizeof words; i += 2) memcpy(words + i, "\xC3\xBC", 2);
    ask_one(&run, &person);
    const char *from = strstr(buf_view(&run.trace).ptr, "was denied: x");
    assert_non_null(from);
    assert_int_equal(strcspn(from, "\""), strlen("was denied: ") + 499);
    test_run_free(&run);
}

/* The time of the question is waiting, not the tool's; another run ends before it is answered. */
static void answered_late(void **state) {
    struct office office;
    struct test_run slow, quick;
    struct person person = {.allow = true, .late = true, .words = ""},
                  prompt = {.allow = true, .words = ""};
    (void)state;
    open_office(&office);
    assert_int_equal(gramc_loop_new(&office.loop, NULL), GRAMC_OK);
    assert_int_equal(start_in(&office, NULL, &slow, &person), GRAMC_OK);
    assert_int_equal(start_in(&office, NULL, &quick, &prompt), GRAMC_OK);
    assert_int_equal(gramc_loop_run(office.loop), GRAMC_OK);
    pthread_join(person.threads[0], NULL);
    close_office(&office);
    expect_in(&slow, "\"outcome\":\"ok\"");
    expect_in(&slow, "\"queued_ms\":");
    assert_true(slow.result.duration_ns >= 55000000 && slow.result.tool_ns < 40000000);
    assert_true(quick.result.duration_ns < 55000000);
    test_run_free(&slow);
    test_run_free(&quick);
}

static void withdrawn(void **state) {
    struct office office;
    struct test_run run;
    struct person person = {.silent = true, .words = ""};
    (void)state;
    open_office(&office);
    assert_int_equal(gramc_loop_new(&office.loop, NULL), GRAMC_OK);
    assert_int_equal(start_in(&office, &person.run, &run, &person), GRAMC_OK);
    assert_int_equal(gramc_loop_run(office.loop), GRAMC_OK);
    assert_int_equal(run.outcome, GRAMC_OUTCOME_CANCELED);
    assert_true(person.asked == 1 && person.withdrawn == 1);
    test_run_free(&run);
    /* One that has been answered, but not been heard of, is not withdrawn. */
    person = (struct person){.allow = true, .words = ""};
    assert_int_equal(start_in(&office, &person.run, &run, &person), GRAMC_OK);
    assert_int_equal(gramc_loop_run(office.loop), GRAMC_OK);
    assert_int_equal(run.outcome, GRAMC_OUTCOME_CANCELED);
    assert_true(person.asked == 1 && person.withdrawn == 0);
    test_run_free(&run);
    /* With the loop. */
    person = (struct person){.silent = true, .words = ""};
    assert_int_equal(start_in(&office, NULL, &run, &person), GRAMC_OK);
    close_office(&office);
    assert_int_equal(run.outcome, GRAMC_OUTCOME_CANCELED);
    test_run_free(&run);
}

static void approval_without_memory(void **state) {
    bool failed = true;
    (void)state;
    for (long at = 1; failed; at++) {
        struct failing failing = {.fail_at = at};
        const gramc_allocator allocator = test_failing(&failing);
        gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
        struct person person = {.allow = true, .words = ""};
        struct office office;
        struct test_run run;
        open_office(&office);
        test_run_init(&run);
        options.allocator = &allocator;
        gramc_status status = gramc_loop_new(&office.loop, &options);
        if (!status) status = start_in(&office, NULL, &run, &person);
        if (!status) status = gramc_loop_run(office.loop);
        close_office(&office);
        failed = failing.failed;
        if (!failed) expect_in(&run, "\"outcome\":\"ok\"");
        else if (!status && run.outcome != GRAMC_OUTCOME_ANSWERED)
            assert_int_equal(run.outcome, GRAMC_OUTCOME_INTERNAL);
        assert_int_equal(failing.live, 0);
        test_run_free(&run);
    }
}

static void needs_withdraw(void **state) {
    struct office office;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    struct test_run run;
    gramc_run_handler handler = test_handler(&run);
    const gramc_text message = TEXT("Hello");
    (void)state;
    open_office(&office);
    assert_int_equal(gramc_loop_new(&office.loop, NULL), GRAMC_OK);
    options.model = office.model;
    options.messages = &message;
    options.message_count = 1;
    options.approver.ask = on_ask;
    assert_int_equal(gramc_run_start(NULL, office.loop, office.bound, &options, &handler),
                     GRAMC_USAGE);
    close_office(&office);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(allowed),
                                       cmocka_unit_test(denied),
                                       cmocka_unit_test(withheld),
                                       cmocka_unit_test(rewritten),
                                       cmocka_unit_test(unfit),
                                       cmocka_unit_test(no_decision),
                                       cmocka_unit_test(not_asked),
                                       cmocka_unit_test(kinds_of_results),
                                       cmocka_unit_test(bounded),
                                       cmocka_unit_test(rewritten_by_a_part),
                                       cmocka_unit_test(without_memory),
                                       cmocka_unit_test(approved),
                                       cmocka_unit_test(not_approved),
                                       cmocka_unit_test(many_words),
                                       cmocka_unit_test(answered_late),
                                       cmocka_unit_test(withdrawn),
                                       cmocka_unit_test(approval_without_memory),
                                       cmocka_unit_test(needs_withdraw)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
