/* Records what becomes of messages that an online experiment answers: that a unit is shown an arm,
 * before its run begins; how the run ended, before its answer is sent; what graders say, when they
 * have said it. Assigning is assign.c's, starting runs is the service's matter. */
#include "experiment/online.h"

#include <math.h>
#include <stdio.h>

#include "base/json/writer.h"
#include "base/placeholder.h"
#include "base/text.h"
#include "runtime/loop.h"

enum { TRACE_MOST = 64 << 20, ITEM_MOST = 64 << 20, COMMIT_MS = 1000, STALE_MS = 3600000 };

struct online {
    struct online_options options;
    gramc_allocator allocator;
    struct online_run *runs;
};

struct online_run {
    struct online *online;
    struct online_run *next, **link;
    struct run_record record;
    struct buf trace;
    struct store_claim claim;
    uint32_t arm;
    struct item item;
    char id[32];
    struct graded_run graded;
    struct judge_tape tape;
    struct grading_job *grading;
    bool is_starting, is_graded, is_saved;
};

const gramc_experiment *online_experiment(const struct online *online) {
    return online->options.plan->experiment;
}

/* ## Runs that a process before has left */

struct leftover {
    struct online *online;
    int64_t before_ms; /* 0: whenever they began */
    gramc_status status;
};

static int mark_crashed(void *ctx, const struct store_exposure *exposure) {
    struct leftover *left = ctx;
    const struct store_claim claim = {exposure->place, 1};
    const struct attempt attempt = {.cell = {.arm = exposure->arm},
                                    .number = 1,
                                    .state = CELL_DONE,
                                    .fault = FAULT_INFRASTRUCTURE,
                                    .outcome = TEXT("crash"),
                                    .message = TEXT("the server ended before the run did"),
                                    .started_ms = exposure->begun_ms};
    if (exposure->ended || (left->before_ms && exposure->begun_ms > left->before_ms)) return 0;
    left->status = store_save(left->online->options.store, &claim, &attempt);
    if (!left->status) left->status = store_finish(left->online->options.store, &claim);
    return left->status != GRAMC_OK;
}

gramc_status online_new(struct online **out, const struct online_options *options,
                        struct store_error *error) {
    gramc_allocator allocator = options->allocator ? *options->allocator : mem_default();
    struct online *online = mem_alloc(&allocator, sizeof(*online));
    const gramc_clock *clock = &options->loop->clock;
    *out = online;
    if (!online) return GRAMC_NOMEM;
    *online = (struct online){.options = *options, .allocator = allocator};
    struct leftover left = {.online = online};
    if (options->is_shared) left.before_ms = clock->wall_ms(clock->ctx) - STALE_MS;
    gramc_status status = store_exposures(options->store, mark_crashed, &left, error);
    return status ? status : left.status;
}

void online_assign(struct online_unit *out, const struct online *online, gramc_text key) {
    out->arm = assign_arm(online_experiment(online), key);
    assign_name(online_experiment(online), key, out->name);
}

/* ## A message */

static void put_case(struct json_writer *w, const struct online_message *message) {
    json_object_begin(w);
    if (message->message_count == 1) json_member_text(w, "message", message->messages[0]);
    else {
        json_member_array(w, "messages");
        for (size_t i = 0; i < message->message_count; i++) json_text(w, message->messages[i]);
        json_array_end(w);
    }
    for (size_t i = 0; i < message->input_count; i++) {
        json_key_text(w, message->inputs[i].name);
        json_text(w, message->inputs[i].value);
    }
    json_object_end(w);
}

/* Graders see the message as a case. */
static void make_item(struct online_run *run, const struct online_message *message) {
    struct arena *arena = &run->record.arena;
    gramc_text *texts = arena_array(arena, message->message_count + 1, sizeof(*texts));
    struct buf out;
    buf_init(&out, &run->online->allocator, ITEM_MOST);
    struct json_writer w = json_writer(&out);
    put_case(&w, message);
    for (size_t i = 0; texts && i < message->message_count; i++)
        texts[i] = arena_text(arena, message->messages[i]);
    run->item = (struct item){.messages = texts,
                              .message_count = texts ? message->message_count : 0,
                              .text = arena_text(arena, buf_view(&out))};
    if (buf_status(&out)) arena->oom = true;
    buf_free(&out);
}

static void free_run(struct online_run *run) {
    gramc_allocator allocator = run->online->allocator;
    *run->link = run->next;
    if (run->next) run->next->link = run->link;
    buf_free(&run->trace);
    run_record_free(&run->record);
    mem_free(&allocator, run, sizeof(*run));
}

static struct online_run *new_run(struct online *online, const struct online_message *message) {
    struct online_run *run = mem_alloc(&online->allocator, sizeof(*run));
    if (!run) return NULL;
    *run = (struct online_run){
        .online = online, .arm = message->unit->arm, .next = online->runs, .link = &online->runs};
    if (run->next) run->next->link = &run->next;
    online->runs = run;
    run_record_init(&run->record, &online->allocator);
    buf_init(&run->trace, &online->allocator, TRACE_MOST);
    make_item(run, message);
    if (!run->record.arena.oom) return run;
    free_run(run);
    return NULL;
}

gramc_status online_begin(struct online_run **out, struct online *online,
                          const struct online_message *message, struct store_error *error) {
    const gramc_clock *clock = &online->options.loop->clock;
    struct online_run *run = new_run(online, message);
    *out = run;
    if (!run) return GRAMC_NOMEM;
    const struct store_exposure exposure = {.arm = run->arm,
                                            .unit = text_of(message->unit->name),
                                            .covariate = message->covariate,
                                            .begun_ms = clock->wall_ms(clock->ctx)};
    gramc_status status = store_expose(online->options.store, &exposure, &run->claim, error);
    if (status) {
        free_run(run);
        *out = NULL;
        return status;
    }
    snprintf(run->id, sizeof(run->id), "message-%u", (unsigned)run->claim.place);
    run->item.id = text_of(run->id);
    run->record.attempt.cell = (struct cell){.item = run->claim.place, .arm = run->arm};
    return GRAMC_OK;
}

uint32_t online_place(const struct online_run *run) {
    return run->claim.place;
}

void online_prepare(struct online_run *run, gramc_run_options *options) {
    options->trace = buf_writer(&run->trace);
    options->company = run->arm + 1;
}

void online_event(struct online_run *run, const gramc_event *event) {
    run_record_event(&run->record, event);
}

/* ## Its end */

/* A second attempt has what graders said of the first: readers take the newest. */
static void save(struct online_run *run, bool is_last) {
    struct store *store = run->online->options.store;
    struct attempt *attempt = &run->record.attempt;
    struct store_error error;
    attempt->state = CELL_DONE;
    attempt->number = run->is_saved ? 2 : 1;
    attempt->trace = buf_status(&run->trace) ? TEXT("") : buf_view(&run->trace);
    gramc_status status = store_save(store, &run->claim, attempt);
    if (!status && is_last) status = store_finish(store, &run->claim);
    if (!status && !run->is_saved) (void)store_flush_within(store, COMMIT_MS, &error);
    run->is_saved = true;
}

static void finish(struct online_run *run) {
    save(run, true);
    free_run(run);
}

static void on_graded(void *ctx, const struct score *scores, size_t count, double cost) {
    struct online_run *run = ctx;
    run->grading = NULL;
    run_record_scores(&run->record, scores, count, cost);
    run->is_graded = true;
    if (!run->is_starting) finish(run);
}

/* What did not come to an answer by the infrastructure's fault is not judged: it is a failure. */
static bool start_grading(struct online_run *run) {
    const struct cell_graders *graders = &run->online->options.graders;
    struct run_record *record = &run->record;
    run->tape = (struct judge_tape){.written = &run->trace};
    run->graded = (struct graded_run){.item = &run->item,
                                      .attempt = &record->attempt,
                                      .calls = run_record_calls(record),
                                      .call_count = record->call_count,
                                      .cell_id = text_of(run->id),
                                      .scratch = TEXT(""),
                                      .tape = &run->tape};
    if (!graders->start || record->attempt.fault == FAULT_INFRASTRUCTURE || !run->graded.calls)
        return false;
    run->is_starting = true;
    gramc_status status =
        graders->start(&run->grading, graders->grading, &run->graded, on_graded, run);
    run->is_starting = false;
    return !status && !run->is_graded;
}

void online_end(struct online_run *run, const gramc_run_result *result) {
    run_record_end(&run->record, result);
    if (start_grading(run)) save(run, false);
    else finish(run);
}

void online_fail(struct online_run *run, const char *why) {
    run_record_fail(&run->record, "internal", why);
    finish(run);
}

gramc_status online_feedback(struct online *online, uint32_t place, double value,
                             struct store_error *error) {
    return store_feedback(online->options.store, place, value, error);
}

void online_free(struct online *online) {
    if (!online) return;
    while (online->runs) {
        struct online_run *run = online->runs;
        if (run->grading) online->options.graders.cancel(run->grading);
        free_run(run);
    }
    gramc_allocator allocator = online->allocator;
    mem_free(&allocator, online, sizeof(*online));
}

/* ## What graders ask for */

static bool has_field(const gramc_agent *agent, gramc_text name) {
    if (text_is(name, "message") || text_is(name, "id")) return true;
    for (size_t i = 0; i < agent->input_count; i++)
        if (text_eq(agent->inputs[i], name)) return true;
    return false;
}

static gramc_text lacks(gramc_text text, const gramc_agent *agent) {
    struct placeholder part;
    for (size_t pos = 0; placeholder_next(text, &pos, &part);)
        if (part.kind == PLACEHOLDER_NAME && !has_field(agent, part.text)) return part.text;
    return (gramc_text){NULL, 0};
}

gramc_text online_lacks(const gramc_grader *grader, const gramc_agent *agent) {
    gramc_text found = lacks(grader->checks, agent);
    if (!found.len) found = lacks(grader->question, agent);
    for (size_t i = 0; i < grader->argc && !found.len; i++) found = lacks(grader->argv[i], agent);
    return found;
}
