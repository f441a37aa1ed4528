/* Drives one run: take a message, ask the model, read the answer, make the calls, put the results
 * into the conversation, ask again, until there is text. A table of steps, one per state; a state
 * without a step waits for the loop. Where an answer comes from is the model's business, what a
 * call is round.c's. */
#include "runtime/run.h"

#include "runtime/model_stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/placeholder.h"
#include "base/text.h"
#include "base/options.h"
#include "runtime/cassette.h"
#include "runtime/mcp/server.h"
#include "runtime/process/worker.h"
#include "runtime/reading.h"
#include "runtime/secret.h"
#include "runtime/session/session.h"

enum { BODY_MAX = 256 << 20 };
/* No number of gramc_run_options.company. */
static const uint64_t OWN = UINT64_C(1) << 63;

static const char *const outcome_names[] = {
    [GRAMC_OUTCOME_ANSWERED] = "answered",
    [GRAMC_OUTCOME_MAX_ITERATIONS] = "max-iterations",
    [GRAMC_OUTCOME_TOO_MANY_CALL_ERRORS] = "too-many-call-errors",
    [GRAMC_OUTCOME_TOO_MANY_TOOL_ERRORS] = "too-many-tool-errors",
    [GRAMC_OUTCOME_EMPTY_RESPONSE] = "empty-response",
    [GRAMC_OUTCOME_LENGTH] = "length",
    [GRAMC_OUTCOME_CONTENT_FILTER] = "content-filter",
    [GRAMC_OUTCOME_REFUSED] = "refused",
    [GRAMC_OUTCOME_MODEL_ERROR] = "model-error",
    [GRAMC_OUTCOME_TIMEOUT] = "timeout",
    [GRAMC_OUTCOME_CANCELED] = "canceled",
    [GRAMC_OUTCOME_TRACE_ERROR] = "trace-error",
    [GRAMC_OUTCOME_INTERNAL] = "internal",
    [GRAMC_OUTCOME_BAD_ANSWER] = "bad-answer",
    [GRAMC_OUTCOME_TOKEN_BUDGET] = "token-budget",
    [GRAMC_OUTCOME_COST_BUDGET] = "cost-budget",
    [GRAMC_OUTCOME_MAX_DURATION] = "max-duration",
    [GRAMC_OUTCOME_CASSETTE_MISS] = "cassette-miss"};

const char *gramc_outcome_name(gramc_outcome outcome) {
    size_t count = sizeof(outcome_names) / sizeof(outcome_names[0]);
    return (size_t)outcome < count ? outcome_names[outcome] : "unknown";
}

/* ## Ends */

bool run_is_ending(const gramc_run *run) {
    return run->state == RUN_END || run->state == RUN_OVER;
}

static void end_with(gramc_run *run, gramc_outcome outcome, gramc_text message) {
    run->result.outcome = outcome;
    run->result.message = message;
    run->state = RUN_END;
}

void run_end(gramc_run *run, gramc_outcome outcome, const char *format, ...) {
    va_list args;
    if (run_is_ending(run)) return;
    va_start(args, format);
    vsnprintf(run->message, sizeof(run->message), format, args);
    va_end(args);
    end_with(run, outcome, text_of(run->message));
}

void run_nomem(gramc_run *run) {
    if (!run_is_ending(run)) run->result.no_memory = true;
    run_end(run, GRAMC_OUTCOME_INTERNAL, "out of memory");
}

static void run_free(gramc_run *run) {
    gramc_loop *loop = run->loop;
    *run->link = run->next;
    if (run->next) run->next->link = run->link;
    buf_free(&run->body);
    buf_free(&run->said);
    arena_free(&run->turn);
    arena_free(&run->inner);
    trace_free(&run->watch.trace);
    secrets_free(run->watch.secrets);
    arena_free(&run->arena);
    mem_free(&loop->allocator, run, sizeof(*run));
}

/* A handle is still to be closed, the loop's list still holds it, or a step is on the way back. */
static void free_if_over(gramc_run *run) {
    if (run->state == RUN_OVER && run->handles == 0 && !run->is_ready && !run->stepping)
        run_free(run);
}

void run_handle_closed(gramc_run *run) {
    run->handles--;
    free_if_over(run);
}

static void deadline_closed(uv_handle_t *handle) {
    run_handle_closed(handle->data);
}

/* What the model had said when its answer broke off. */
static void keep_partial_text(gramc_run *run) {
    gramc_text text = streamed_part(&run->ask, &run->arena);
    if (text.len && run->result.outcome != GRAMC_OUTCOME_ANSWERED) run->result.text = text;
}

static void step_end(gramc_run *run) {
    keep_partial_text(run);
    ask_cancel(&run->ask);
    round_cancel(run);
    worker_spend_own(run->loop, run->memory.own);
    mcp_pool_spend_own(run->loop, run->memory.own);
    run->watch.role = NULL;
    run->result.duration_ns = watch_now(&run->watch) - run->watch.start;
    watch_outcome(&run->watch, &run->result);
    run->state = RUN_OVER;
    run->loop->active--;
    run_leave_session(run); /* the handler may start the next run of it */
    run->handler.done(run->handler.ctx, &run->result);
    ask_free(&run->ask);
    if (run->has_deadline) uv_close((uv_handle_t *)&run->deadline, deadline_closed);
}

/* ## Asking */

/* An instruction or prompt for this turn; an empty text, and the run ends, if that cannot be. */
static gramc_text fill_prompt(gramc_run *run, struct arena *arena, gramc_text prompt) {
    struct buf out;
    gramc_text text = {NULL, 0};
    if (!prompt.len || !memchr(prompt.ptr, '$', prompt.len)) return prompt; /* outlives the run */
    buf_init(&out, &run->loop->allocator, BODY_MAX);
    gramc_status status =
        gramc_prompt_fill(prompt, run->inputs, run->input_count, buf_writer(&out));
    if (buf_status(&out) == GRAMC_NOMEM) run_nomem(run);
    else if (buf_status(&out) == GRAMC_LIMIT)
        run_end(run, GRAMC_OUTCOME_INTERNAL, "a prompt is longer than %d bytes", BODY_MAX);
    else if (status) run_end(run, GRAMC_OUTCOME_INTERNAL, "a prompt holds a ${ that is no input");
    else text = arena_text(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

/* The agent's own, and behind it what whoever started the run has to add. */
static gramc_text fill_instruction(gramc_run *run) {
    gramc_text own = fill_prompt(run, &run->turn, run->bound->agent->instruction);
    gramc_text more = run->more_instruction;
    if (!more.len || run_is_ending(run)) return own;
    if (!own.len) return more;
    char *both = arena_alloc(&run->turn, own.len + 2 + more.len);
    if (!both) {
        run_nomem(run);
        return own;
    }
    memcpy(both, own.ptr, own.len);
    memcpy(both + own.len, "\n\n", 2);
    memcpy(both + own.len + 2, more.ptr, more.len);
    return (gramc_text){both, own.len + 2 + more.len};
}

static void step_turn(gramc_run *run) {
    if (run->next_message == 0) run_tell_session(run);
    if (run_is_ending(run)) return;
    if (run->next_message == run->message_count) {
        if (!run_keep_session(run)) run_nomem(run);
        else end_with(run, GRAMC_OUTCOME_ANSWERED, TEXT(""));
        return;
    }
    gramc_text message = run->messages[run->next_message++];
    run->result.text = (gramc_text){NULL, 0};
    run->watch.turn = (uint32_t)run->next_message;
    run->watch.iteration = 0;
    run->watch.role = NULL;
    watch_turn(&run->watch, message);
    run->inputs[run->input_count - 1].value = message;
    arena_reset(&run->turn);
    run->instruction = fill_instruction(run);
    run->next_step = 0;
    if (!run_is_ending(run)) run->state = RUN_STEP;
}

static bool names_message(gramc_text prompt) {
    struct placeholder part;
    for (size_t pos = 0; placeholder_next(prompt, &pos, &part);)
        if (part.kind == PLACEHOLDER_NAME && text_is(part.text, "message")) return true;
    return false;
}

/* A message that no task asks for stands in front of the first one's prompt. */
static bool message_comes_first(const gramc_run *run) {
    for (size_t i = 0; i < run->bound->step_count; i++)
        if (names_message(run->bound->steps[i].task->prompt)) return false;
    return true;
}

static gramc_text text_of_step(gramc_run *run, bool first) {
    gramc_text message = run->inputs[run->input_count - 1].value, text;
    struct buf out;
    if (!run->step->task) return message;
    bool joined = first && message_comes_first(run);
    text = fill_prompt(run, joined ? &run->turn : &run->arena, run->step->task->prompt);
    if (run_is_ending(run) || !joined) return text;
    buf_init(&out, &run->loop->allocator, BODY_MAX);
    buf_text(&out, message);
    buf_puts(&out, "\n\n");
    buf_text(&out, text);
    text = buf_to_arena(&out, &run->arena);
    if (!text.ptr) run_nomem(run);
    return text;
}

static void step_step(gramc_run *run) {
    size_t counters = (run->bound->tool_count + 1) * sizeof(struct failures);
    bool first = run->next_step == 0;
    run->step = &run->bound->steps[run->next_step++];
    run->iteration = 0;
    run->bad_answers = 0;
    run->unknown_calls = (struct failures){0, 0};
    memset(run->call_errors, 0, counters);
    memset(run->tool_errors, 0, counters);
    run->watch.iteration = 0;
    run->watch.role = NULL;
    gramc_text text = text_of_step(run, first);
    if (run_is_ending(run)) return;
    if (run->step->task) watch_task(&run->watch, run->step->task->name, text);
    arena_reset(&run->inner);
    size_t room = run->strategy->room;
    run->plan = room ? arena_array(&run->inner, 1, room) : NULL;
    run->state = RUN_ASK;
    if (run->plan || !room) run->strategy->begin(run, text);
}

gramc_text run_model_id(const gramc_run *run) {
    return run->models[run->asking.role].id;
}

gramc_text run_tool_choice(const gramc_run *run) {
    gramc_text own = run->step->task ? run->step->task->tool_choice : (gramc_text){NULL, 0};
    gramc_text choice = own.len ? own : run->bound->agent->tool_choice;
    bool word = text_is(choice, "auto") || text_is(choice, "none") || text_is(choice, "required");
    const struct bound_tool *tool = word ? NULL : step_find(run->step, choice);
    return word ? choice : tool ? tool->wire_name : (gramc_text){NULL, 0};
}

const struct protocol *run_protocol(const gramc_run *run, enum run_role role) {
    return run->bound->protocols[role];
}

void run_ask_as(const gramc_run *run, struct planned_request *asking, enum run_role role) {
    const struct bound_blocks *blocks = &run->step->blocks[role];
    const struct protocol *protocol = run_protocol(run, role);
    bool functions = protocol && protocol->has_functions && run->wire == GRAMC_WIRE_FUNCTIONS;
    asking->role = role;
    asking->tools = functions ? blocks->functions : blocks->tools;
    asking->answer_format = blocks->answer;
}

/* What a request takes where little is escaped, so that its buffer seldom grows. */
static size_t usual_size(const struct request *request) {
    size_t size = 1024 + request->instruction.len + request->tools.len;
    for (const struct message *message = request->talk->first; message; message = message->next)
        size += 1 + message->json.len;
    return size < BODY_MAX ? size : 0;
}

static bool build_body(gramc_run *run) {
    const struct planned_request *asking = &run->asking;
    struct request request = {asking->agent,
                              run_model_id(run),
                              asking->tools,
                              asking->talk->protocol->has_functions ? run->wire : GRAMC_WIRE_TOOLS,
                              asking->talk,
                              asking->tool_choice,
                              asking->answer_format,
                              asking->instruction,
                              run->model->profile,
                              run->stream,
                              run->seed};
    buf_reset(&run->body);
    buf_reserve(&run->body, usual_size(&request));
    asking->talk->protocol->request(&run->body, &request);
    if (buf_status(&run->body) == GRAMC_NOMEM) run_nomem(run);
    if (buf_status(&run->body) == GRAMC_LIMIT)
        run_end(run, GRAMC_OUTCOME_INTERNAL, "the request is longer than %d bytes", BODY_MAX);
    return buf_status(&run->body) == GRAMC_OK;
}

/* As the agent's own model is asked, unless its strategy says otherwise. */
static void prepare(gramc_run *run) {
    run->asking = (struct planned_request){.talk = &run->talk,
                                           .arena = &run->arena,
                                           .agent = run->bound->agent,
                                           .instruction = run->instruction,
                                           .tool_choice = run_tool_choice(run),
                                           .stream = true};
    run_ask_as(run, &run->asking, RUN_AGENT);
    run->strategy->ask(run, &run->asking);
    run->model = run->models[run->asking.role].model;
    run->watch.role = role_name(run->asking.role);
    run->watch.model = run_model_id(run);
    run->stream = run->streams && run->asking.stream && run->model->kind == &model_endpoint &&
                  run->asking.talk->protocol->stream;
}

static void step_ask(gramc_run *run) {
    if (budget_is_spent(run, "")) return;
    run->iteration++;
    run->watch.iteration++;
    run->asked++;
    for (gramc_run *r = run; r; r = r->caller) r->result.requests++;
    run->slot_count = 0; /* of the last answer, whose memory goes */
    prepare(run);
    if (run_is_ending(run) || !build_body(run)) return;
    watch_request(&run->watch, buf_view(&run->body), run->asking.prompt);
    run->state = RUN_AWAIT_ANSWER;
    run->waiting_since = watch_now(&run->watch);
    ask_start(&run->ask);
}

/* ## Reading answers */

static void step_read(gramc_run *run) {
    const struct ask *ask = &run->ask;
    run->result.model_ns += watch_now(&run->watch) - run->waiting_since;
    if (ask->nomem) {
        run_nomem(run);
    } else if (ask->failed) {
        gramc_outcome why =
            run->model->of_cassette ? GRAMC_OUTCOME_CASSETTE_MISS : GRAMC_OUTCOME_MODEL_ERROR;
        end_with(run, why, text_of(run->message)); /* that ask_fail wrote */
    } else {
        budget_count(run, &ask->reply.usage);
        run->strategy->read(run, &ask->reply);
    }
}

/* ## Calls */

static void step_call(gramc_run *run) {
    run->state = RUN_AWAIT_TOOLS;
    run->waiting_since = watch_now(&run->watch);
    round_start(run);
}

static void step_collect(gramc_run *run) {
    run->result.tool_ns += watch_now(&run->watch) - run->waiting_since - run->asked_ns;
    run->asked_ns = 0;
    round_count(run);
    if (run->memory.recording && run->memory.missed)
        run_end(run, GRAMC_OUTCOME_CASSETTE_MISS, "a call of `%.*s` was not recorded",
                TEXT_ARGS(run->memory.missed->tool->name));
    if (!run_is_ending(run)) run->strategy->collect(run);
}

/* ## Stepping */

static void (*const steps[])(gramc_run *run) = {
    [RUN_TURN] = step_turn,    [RUN_STEP] = step_step,       [RUN_ASK] = step_ask,
    [RUN_AWAIT_ANSWER] = NULL, [RUN_READ] = step_read,       [RUN_CALL] = step_call,
    [RUN_AWAIT_TOOLS] = NULL,  [RUN_COLLECT] = step_collect, [RUN_END] = step_end,
    [RUN_OVER] = NULL};

static void check_interruptions(gramc_run *run) {
    if (run->arena.oom || run->turn.oom || run->inner.oom || run->ask.arena.oom ||
        run->watch.trace.status == GRAMC_NOMEM)
        run_nomem(run);
    if (run->watch.trace.status)
        run_end(run, GRAMC_OUTCOME_TRACE_ERROR, "the trace could not be written");
    if (run->canceled) run_end(run, GRAMC_OUTCOME_CANCELED, "canceled");
    if (run->timed_out)
        run_end(run, GRAMC_OUTCOME_TIMEOUT, "the run took longer than %u ms",
                (unsigned)run->timeout_ms);
    if (run->overdue)
        run_end(run, GRAMC_OUTCOME_MAX_DURATION, "the run took longer than %u ms",
                (unsigned)run->budget.max_ms);
}

void run_step(gramc_run *run) {
    if (run->stepping) return;
    run->stepping = true;
    for (check_interruptions(run); steps[run->state]; check_interruptions(run))
        steps[run->state](run);
    run->stepping = false;
    free_if_over(run);
}

static void deadline_passed(uv_timer_t *timer) {
    gramc_run *run = timer->data;
    if (budget_has_less_time(run)) run->overdue = true;
    else run->timed_out = true;
    run_step(run);
}

void gramc_run_cancel(gramc_run *run) {
    if (run->canceled || run->state == RUN_OVER) return;
    run->canceled = true;
    loop_ready(run->loop, run);
}

/* ## Starting */

static bool is_given(const gramc_run_options *options, gramc_text name) {
    for (size_t i = 0; i < options->input_count; i++)
        if (text_eq(options->inputs[i].name, name)) return true;
    return false;
}

static bool is_count(gramc_text text) {
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9') return false;
    return true;
}

static gramc_status evaluate(const gramc_bound *bound, const gramc_run_options *options,
                             const gramc_run_handler *handler) {
    if (bound->failed) return GRAMC_FINDINGS;
    if (options->approver.ask && !options->approver.withdraw) return GRAMC_USAGE;
    if (!options->model || !handler->done || options->message_count == 0) return GRAMC_USAGE;
    for (size_t i = 0; i < options->message_count; i++)
        if (text_trim(options->messages[i]).len == 0) return GRAMC_USAGE;
    for (size_t i = 0; i < options->model_count; i++)
        if (!options->models[i].model) return GRAMC_USAGE;
    if (options->wire == GRAMC_WIRE_FUNCTIONS && !bound->protocol->has_functions)
        return GRAMC_USAGE;
    if (!is_count(options->seed)) return GRAMC_USAGE;
    for (size_t i = 0; i < bound->agent->input_count; i++)
        if (!is_given(options, bound->agent->inputs[i])) return GRAMC_USAGE;
    return GRAMC_OK;
}

/* A script was asked by the protocols that it tells of. */
static bool speaks(const gramc_model *model, const struct protocol *protocol) {
    bool listed = !model->protocol || model->protocol == protocol;
    for (size_t i = 0; i < model->named_count && !listed; i++)
        listed = model->named[i].protocol == protocol;
    return listed;
}

static gramc_status find_models(struct run_model models[RUN_ROLES], const gramc_bound *bound,
                                const gramc_run_options *options) {
    const struct strategy *strategy = strategy_of(bound->agent);
    if (!roles_resolve(models, strategy->roles, bound->agent, options)) return GRAMC_USAGE;
    for (size_t i = 0; i < RUN_ROLES; i++) {
        const gramc_model *model = models[i].model;
        if (model && !speaks(model, bound->protocols[i])) return GRAMC_USAGE;
    }
    return budget_is_usable(bound->agent, options, models) ? GRAMC_OK : GRAMC_USAGE;
}

static gramc_wire choose_wire(const gramc_run_options *options, const gramc_bound *bound) {
    if (options->wire != GRAMC_WIRE_AGENT) return options->wire;
    bool functions = bound->protocol->has_functions && text_is(bound->agent->wire, "functions");
    return functions ? GRAMC_WIRE_FUNCTIONS : GRAMC_WIRE_TOOLS;
}

static void copy_inputs(gramc_run *run, const gramc_run_options *options) {
    run->inputs = arena_array(&run->arena, options->input_count + 1, sizeof(*run->inputs));
    if (!run->inputs) return;
    for (size_t i = 0; i < options->input_count; i++) {
        if (text_is(options->inputs[i].name, "message")) continue;
        run->inputs[run->input_count].name = arena_text(&run->arena, options->inputs[i].name);
        run->inputs[run->input_count++].value = arena_text(&run->arena, options->inputs[i].value);
    }
    run->inputs[run->input_count++].name = TEXT("message");
}

static void copy_environment(gramc_run *run, const gramc_run_options *options) {
    struct tool_memory *memory = &run->memory;
    gramc_text *copy = arena_array(&run->arena, options->environment_count + 1, sizeof(*copy));
    for (size_t i = 0; copy && i < options->environment_count; i++)
        copy[i] = arena_text(&run->arena, options->environment[i]);
    memory->run = run;
    memory->arena = &run->arena;
    memory->environment = copy;
    memory->environment_count = options->environment_count;
    memory->company = options->company;
    memory->own = OWN | ++run->loop->run_count;
}

static void copy_models(gramc_run *run, const gramc_run_options *options) {
    size_t count = options->model_count;
    gramc_named_model *named = arena_array(&run->arena, count + 1, sizeof(*named));
    gramc_prices *prices = named ? arena_array(&run->arena, count + 1, sizeof(*prices)) : NULL;
    if (!prices) return;
    for (size_t i = 0; i < count; i++) {
        named[i] = options->models[i];
        named[i].name = arena_text(&run->arena, named[i].name);
        if (!named[i].prices) continue;
        prices[i] = *named[i].prices;
        named[i].prices = &prices[i];
    }
    run->named = named;
    run->named_count = count;
}

static void fill(gramc_run *run, const gramc_run_options *options) {
    const gramc_agent *agent = run->bound->agent;
    size_t counters = run->bound->tool_count + 1;
    gramc_text *messages = arena_array(&run->arena, options->message_count, sizeof(*messages));
    run->call_errors = arena_array(&run->arena, counters, sizeof(*run->call_errors));
    run->tool_errors = arena_array(&run->arena, counters, sizeof(*run->tool_errors));
    for (size_t i = 0; messages && i < options->message_count; i++)
        messages[i] = arena_text(&run->arena, options->messages[i]);
    copy_inputs(run, options);
    copy_environment(run, options);
    if (options->model_count) copy_models(run, options);
    run->seed = options->seed.len ? arena_text(&run->arena, options->seed) : agent->seed;
    run->messages = messages;
    run->message_count = options->message_count;
    run->wire = choose_wire(options, run->bound);
    run->max_iterations = options->max_iterations ? options->max_iterations : agent->max_iterations;
    if (run->max_iterations == 0) run->max_iterations = DEFAULT_ITERATIONS;
    run->streams = options->stream || options->model->stream;
    budget_init(run, options);
    run->timeout_ms = options->timeout_ms;
    if (run->timeout_ms == 0) run->timeout_ms = run->budget.max_ms ? UINT32_MAX : RUN_TIMEOUT_MS;
}

static void arm_deadline(gramc_run *run) {
    uint32_t ms = budget_has_less_time(run) ? run->budget.max_ms : run->timeout_ms;
    if (ms == UINT32_MAX) return;
    uv_timer_init(&run->loop->uv, &run->deadline);
    run->deadline.data = run;
    run->has_deadline = true;
    run->handles++;
    uv_update_time(&run->loop->uv);
    uv_timer_start(&run->deadline, deadline_passed, ms, 0);
}

static void enlist(gramc_run *run) {
    gramc_loop *loop = run->loop;
    run->next = loop->runs;
    run->link = &loop->runs;
    if (run->next) run->next->link = &run->next;
    loop->runs = run;
    loop->active++;
    loop_ready(loop, run);
}

/* Equal runs give equal traces where times are not wanted: none is made up then. */
static gramc_text choose_id(gramc_run *run, const gramc_run_options *options) {
    uint8_t bytes[16];
    if (options->run_id.len && options->run_id.len < sizeof(run->id))
        snprintf(run->id, sizeof(run->id), "%.*s", TEXT_ARGS(options->run_id));
    if (options->run_id.len || options->trace_without_times) return options->run_id;
    if (uv_random(NULL, NULL, bytes, sizeof(bytes), 0, NULL)) return (gramc_text){NULL, 0};
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(run->id + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    return text_of(run->id);
}

static bool sends_seed(const gramc_bound *bound) {
    for (size_t i = 0; i < RUN_ROLES; i++)
        if (bound->protocols[i] && !(bound->protocols[i]->lacks & SETTING_SEED)) return true;
    return false;
}

static void tell_start(gramc_run *run, const gramc_run_options *options) {
    const gramc_bound *bound = run->bound;
    const gramc_library *library = bound->library;
    const gramc_clock *clock = run->watch.clock;
    if (!watch_is_on(&run->watch)) return;
    const gramc_event_start start = {.run = choose_id(run, options),
                                     .parent = options->parent_id,
                                     .time_ms = clock->wall_ms(clock->ctx),
                                     .agent = bound->agent->name,
                                     .agent_fingerprint = bound->agent->fingerprint,
                                     .library = library ? library->name : TEXT(""),
                                     .library_fingerprint = gramc_bound_library_fingerprint(bound),
                                     .provider = text_of(run->model->kind->name),
                                     .protocol = text_of(bound->protocol->name),
                                     .model = run->models[role_first(run->strategy->roles)].id,
                                     .wire = run->wire == GRAMC_WIRE_TOOLS ? "tools" : "functions",
                                     .seed = sends_seed(bound) ? run->seed : TEXT(""),
                                     .bound = bound,
                                     .inputs = run->inputs,
                                     .input_count = run->input_count - 1,
                                     .history = run->talk.count};
    watch_start(&run->watch, &start);
}

static gramc_status learn_secrets(gramc_loop *loop, const gramc_bound *bound,
                                  const gramc_model *model) {
    gramc_status status = loop_learn(loop, bound->secrets);
    return status ? status : loop_learn(loop, model->secrets);
}

/* One that answers whatever it is asked, or that was made for this very model. */
static bool will_do(const gramc_model *model, const gramc_agent *agent) {
    gramc_text wanted = model_id(agent->model);
    return model->kind != &model_endpoint || !wanted.len || text_eq(model->id, wanted);
}

/* An agent that another calls is asked of the model of its name, else of the caller's. */
static gramc_status take_from_caller(gramc_run_options *options, const gramc_bound *bound,
                                     const gramc_run *caller) {
    const gramc_agent *agent = bound->agent;
    if (!caller) return GRAMC_OK;
    const struct run_model *first = &caller->models[role_first(caller->strategy->roles)];
    options->model = first->model;
    options->prices = first->prices;
    options->models = caller->named;
    options->model_count = caller->named_count;
    options->trace_without_times = caller->watch.trace.without_times;
    for (size_t i = 0; i < caller->named_count; i++) {
        if (!text_eq(caller->named[i].name, agent->model)) continue;
        options->model = caller->named[i].model;
        options->prices = caller->named[i].prices;
        return GRAMC_OK;
    }
    return will_do(options->model, agent) ? GRAMC_OK : GRAMC_NOT_FOUND;
}

/* The id of a script is that of the agent that was asked first. */
static void name_models(struct run_model models[RUN_ROLES], const gramc_agent *agent) {
    for (size_t i = 0; i < RUN_ROLES; i++) {
        gramc_text own = model_id(role_wants(agent, (enum run_role)i));
        if (models[i].model && models[i].model->kind != &model_endpoint && own.len)
            models[i].id = own;
    }
}

gramc_status gramc_run_start(gramc_run **out, gramc_loop *loop, const gramc_bound *bound,
                             const gramc_run_options *given, const gramc_run_handler *handler) {
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    OPTIONS_READ(options, given);
    return run_start_in(out, loop, bound, &options, handler, &(struct run_caller){.run = NULL});
}

/* What an agent is told as a tool is as secret as it was to its caller. */
static bool inherit_secrets(gramc_run *run) {
    const gramc_run *caller = run->caller;
    return !caller ||
           !secrets_merge(&run->watch.secrets, &run->loop->allocator, caller->watch.secrets);
}

gramc_status run_start_in(gramc_run **out, gramc_loop *loop, const gramc_bound *bound,
                          const gramc_run_options *given, const gramc_run_handler *handler,
                          const struct run_caller *caller) {
    gramc_run_options options = *given;
    struct run_model models[RUN_ROLES];
    gramc_status status = take_from_caller(&options, bound, caller->run);
    if (!status) status = evaluate(bound, &options, handler);
    if (!status) status = find_models(models, bound, &options);
    if (!status && caller->run) name_models(models, bound->agent);
    if (status) return status;
    status = learn_secrets(loop, bound, options.model);
    if (status) return status;
    if (options.session && !session_take(options.session)) return GRAMC_LIMIT;
    gramc_run *run = mem_alloc(&loop->allocator, sizeof(*run));
    if (!run) {
        if (options.session) session_let_go(options.session);
        return GRAMC_NOMEM;
    }
    *run = (gramc_run){.loop = loop,
                       .caller = caller->run,
                       .within = caller->within,
                       .bound = bound,
                       .strategy = strategy_of(bound->agent),
                       .model = options.model,
                       .handler = *handler,
                       .guard = options.guard,
                       .approver = options.approver,
                       .tainted_by = caller->run ? caller->run->tainted_by : (gramc_text){NULL, 0},
                       .talk = {.protocol = bound->protocol},
                       .session = options.session,
                       .more_instruction = options.more_instruction};
    arena_init(&run->arena, &loop->allocator);
    arena_init(&run->turn, &loop->allocator);
    arena_init(&run->inner, &loop->allocator);
    memcpy(run->models, models, sizeof(models));
    buf_init(&run->said, &loop->allocator, INT32_MAX);
    if (options.tools) run->memory.recording = &options.tools->tools;
    if (caller->run) run->memory.recording = caller->run->memory.recording;
    buf_init(&run->body, &loop->allocator, BODY_MAX);
    run->watch =
        (struct watch){.clock = &loop->clock, .event = handler->event, .ctx = handler->ctx};
    run->watch.start = watch_now(&run->watch);
    trace_init(&run->watch.trace, &loop->allocator, options.trace, options.trace_without_times);
    ask_init(&run->ask, run);
    fill(run, &options);
    if (!inherit_secrets(run) || !run_resume(run) || run->arena.oom) {
        run_leave_session(run);
        secrets_free(run->watch.secrets);
        arena_free(&run->arena);
        mem_free(&loop->allocator, run, sizeof(*run));
        return GRAMC_NOMEM;
    }
    tell_start(run, &options);
    arm_deadline(run);
    enlist(run);
    if (out) *out = run;
    return GRAMC_OK;
}
