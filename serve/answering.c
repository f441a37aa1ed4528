/* Starts the run that answers a request, hands what happens to the endpoint's form, and ends it
 * when its client has gone. What the answer looks like is the form's matter. */
#include "serve/answering.h"

#include "base/text.h"

/* ## What happens */

static void on_event(void *ctx, const gramc_event *event) {
    struct served_run *run = ctx;
    document_event(&run->document, event);
    if (run->record) online_event(run->record, event);
    if (run->form->event && run->asked->connection) run->form->event(run, event);
}

static void free_run(struct served_run *run) {
    struct service *service = run->asked->service;
    if (run->session) web_session_release(service, run->session);
    gramc_session_free(run->history);
    document_free(&run->document);
    mem_free(&service->allocator, run, sizeof(*run));
}

static void on_done(void *ctx, const gramc_run_result *result) {
    struct served_run *run = ctx;
    struct asked *asked = run->asked;
    struct service *service = asked->service;
    service->running--;
    pump_unwatch(asked);
    /* What is answered is known to the experiment. */
    if (run->record) online_end(run->record, result);
    run->record = NULL;
    if (asked->connection) run->form->done(run, result);
    asked->run = NULL;
    free_run(run);
    request_free_if_over(asked);
    pump_look(service);
}

void answering_cancel(struct served_run *run) {
    gramc_run_cancel(run->run);
}

unsigned answering_status(gramc_outcome outcome) {
    switch (outcome) {
    case GRAMC_OUTCOME_MODEL_ERROR:
    case GRAMC_OUTCOME_CASSETTE_MISS: return 502;
    case GRAMC_OUTCOME_TIMEOUT:
    case GRAMC_OUTCOME_MAX_DURATION: return 504;
    case GRAMC_OUTCOME_CANCELED: return 503;
    case GRAMC_OUTCOME_TRACE_ERROR:
    case GRAMC_OUTCOME_INTERNAL: return 500;
    case GRAMC_OUTCOME_ANSWERED:
    case GRAMC_OUTCOME_MAX_ITERATIONS:
    case GRAMC_OUTCOME_TOO_MANY_CALL_ERRORS:
    case GRAMC_OUTCOME_TOO_MANY_TOOL_ERRORS:
    case GRAMC_OUTCOME_EMPTY_RESPONSE:
    case GRAMC_OUTCOME_LENGTH:
    case GRAMC_OUTCOME_CONTENT_FILTER:
    case GRAMC_OUTCOME_REFUSED:
    case GRAMC_OUTCOME_BAD_ANSWER:
    case GRAMC_OUTCOME_TOKEN_BUDGET:
    case GRAMC_OUTCOME_COST_BUDGET: return 200;
    }
    return 500;
}

/* ## Starting */

static bool has_input(const struct served_question *question, gramc_text name) {
    for (size_t i = 0; i < question->input_count; i++)
        if (text_eq(question->inputs[i].name, name)) return true;
    return false;
}

static bool asks_for(const gramc_agent *agent, gramc_text name) {
    for (size_t i = 0; i < agent->input_count; i++)
        if (text_eq(agent->inputs[i], name)) return true;
    return false;
}

/* What the agent's texts ask for and what is given are the same names. */
static bool check_inputs(struct asked *asked, const struct served_question *question) {
    const gramc_agent *agent = question->agent->agent;
    for (size_t i = 0; i < agent->input_count; i++) {
        if (has_input(question, agent->inputs[i])) continue;
        reply_error(asked, 400, "missing_input", "the agent asks for the input `%.*s`",
                    TEXT_ARGS(agent->inputs[i]));
        return false;
    }
    for (size_t i = 0; i < question->input_count; i++) {
        if (asks_for(agent, question->inputs[i].name)) continue;
        reply_error(asked, 400, "unknown_input", "the agent has no input `%.*s`",
                    TEXT_ARGS(question->inputs[i].name));
        return false;
    }
    return true;
}

static bool check(struct asked *asked, const struct served_question *question) {
    if (asked->service->running >= asked->service->options.max_runs) {
        reply_error(asked, 503, "busy", "%zu runs are under way, and no more are taken",
                    asked->service->running);
        return false;
    }
    for (size_t i = 0; i < question->message_count; i++) {
        if (text_trim(question->messages[i]).len) continue;
        reply_error(asked, 400, "empty_message", "message %zu is empty", i + 1);
        return false;
    }
    if (question->message_count) return check_inputs(asked, question);
    reply_error(asked, 400, "no_message", "there is no message");
    return false;
}

static struct served_run *make_run(struct asked *asked, const struct served_question *question,
                                   const struct reply_form *form) {
    struct served_run *run = mem_alloc(&asked->service->allocator, sizeof(*run));
    if (!run) return NULL;
    *run = (struct served_run){.asked = asked,
                               .agent = question->agent,
                               .form = form,
                               .session = question->session,
                               .history = question->history,
                               .wants_usage = question->wants_usage};
    document_init(&run->document, &asked->service->allocator);
    if (run->session) run->document.session = web_session_id(run->session);
    const struct serve_options *options = &asked->service->options;
    if (options->online && !options->shows_arm)
        run->document.alias = options->agents[0].agent->name;
    run->created =
        (uint64_t)(asked->service->loop->clock.wall_ms(asked->service->loop->clock.ctx) / 1000);
    return run;
}

static gramc_status start(struct served_run *run, const struct served_question *question) {
    gramc_run_options options = question->agent->options;
    const gramc_run_handler handler = {.done = on_done, .event = on_event, .ctx = run};
    options.model = question->agent->model;
    options.messages = question->messages;
    options.message_count = question->message_count;
    options.inputs = question->inputs;
    options.input_count = question->input_count;
    options.stream = run->form->streams;
    options.more_instruction = question->more_instruction;
    options.session = run->session ? web_session_get(run->session) : run->history;
    if (run->record) online_prepare(run->record, &options);
    return gramc_run_start(&run->run, run->asked->service->loop, question->agent->bound, &options,
                           &handler);
}

static void refuse(struct asked *asked, gramc_status status) {
    if (status == GRAMC_NOMEM) reply_nomem(asked);
    else if (status == GRAMC_LIMIT)
        reply_error(asked, 409, "session_busy", "another run has the session");
    else reply_error(asked, 500, "not_runnable", "the agent cannot be run as it is served");
}

static void drop_question(struct asked *asked, const struct served_question *question) {
    if (question->session) web_session_release(asked->service, question->session);
    gramc_session_free(question->history);
}

/* Whatever a run needs is there before it is recorded, so that little can go wrong afterwards. */
static gramc_status begin(struct served_run *run, const struct served_question *question) {
    struct asked *asked = run->asked;
    if (!pump_watch(asked)) return GRAMC_NOMEM;
    if (!experiment_expose(run, question)) return GRAMC_FINDINGS; /* it was refused */
    if (run->form->streams && !outpour_begin(asked)) return GRAMC_NOMEM;
    return start(run, question);
}

void answering_start(struct asked *asked, struct served_question *question,
                     const struct reply_form *form) {
    struct served_run *run = NULL;
    if (!experiment_assign(asked, question) || !check(asked, question) ||
        !(run = make_run(asked, question, form))) {
        if (!asked->status) reply_nomem(asked);
        drop_question(asked, question);
        return;
    }
    gramc_status status = begin(run, question);
    if (status) {
        if (run->record) online_fail(run->record, "the run cannot be started");
        pump_unwatch(asked);
        outpour_drop(asked);
        if (!asked->status) refuse(asked, status);
        free_run(run);
        return;
    }
    asked->run = run;
    asked->service->running++;
}
