/* POST /v1/chat/completions, for clients that speak to OpenAI: a run is an answer of a model that
 * is called like the agent. Its tools are its own, so that only its texts are told: in chunks,
 * those beside calls on paragraphs of their own, or whole, the answer alone. */
#include "serve/completions.h"

#include "base/json/writer.h"
#include "base/text.h"

enum { COMPLETION_MAX = 64 << 20 };

/* ## What both have */

static const char *finish_reason(gramc_outcome outcome) {
    switch (outcome) {
    case GRAMC_OUTCOME_LENGTH:
    case GRAMC_OUTCOME_MAX_ITERATIONS:
    case GRAMC_OUTCOME_TOKEN_BUDGET:
    case GRAMC_OUTCOME_COST_BUDGET:
    case GRAMC_OUTCOME_MAX_DURATION: return "length";
    case GRAMC_OUTCOME_CONTENT_FILTER: return "content_filter";
    case GRAMC_OUTCOME_ANSWERED:
    case GRAMC_OUTCOME_REFUSED: return "stop";
    case GRAMC_OUTCOME_TOO_MANY_CALL_ERRORS:
    case GRAMC_OUTCOME_TOO_MANY_TOOL_ERRORS:
    case GRAMC_OUTCOME_EMPTY_RESPONSE:
    case GRAMC_OUTCOME_MODEL_ERROR:
    case GRAMC_OUTCOME_TIMEOUT:
    case GRAMC_OUTCOME_CANCELED:
    case GRAMC_OUTCOME_TRACE_ERROR:
    case GRAMC_OUTCOME_INTERNAL:
    case GRAMC_OUTCOME_BAD_ANSWER:
    case GRAMC_OUTCOME_CASSETTE_MISS: return NULL;
    }
    return NULL;
}

static void put_head(struct served_run *run, struct json_writer *w, const char *object) {
    json_object_begin(w);
    buf_printf(json_slot(w), "\"id\":\"chatcmpl-%.*s\"", TEXT_ARGS(run->document.run));
    json_member_text(w, "object", text_of(object));
    json_member_number(w, "created", run->created);
    bool told = !run->document.alias.len;
    json_member_text(w, "model", told ? run->agent->agent->name : run->document.alias);
}

static void put_usage(struct json_writer *w, const gramc_run_result *result) {
    json_member_object(w, "usage");
    json_member_number(w, "prompt_tokens", result->prompt_tokens);
    json_member_number(w, "completion_tokens", result->completion_tokens);
    json_member_number(w, "total_tokens", result->total_tokens);
    json_member_object(w, "prompt_tokens_details");
    json_member_number(w, "cached_tokens", result->cached_tokens);
    json_object_end(w);
    json_object_end(w);
}

/* ## Whole */

static void put_choice(struct json_writer *w, const gramc_run_result *result) {
    bool refused = result->outcome == GRAMC_OUTCOME_REFUSED;
    json_member_array(w, "choices");
    json_object_begin(w);
    json_member_number(w, "index", 0);
    json_member_object(w, "message");
    json_member_text(w, "role", TEXT("assistant"));
    json_key(w, "content");
    if (refused) json_null(w);
    else json_text(w, result->text);
    json_key(w, "refusal");
    if (refused) json_text(w, result->text);
    else json_null(w);
    json_object_end(w);
    json_key(w, "logprobs");
    json_null(w);
    json_member_text(w, "finish_reason", text_of(finish_reason(result->outcome)));
    json_object_end(w);
    json_array_end(w);
}

static void answer_whole(struct served_run *run, const gramc_run_result *result) {
    unsigned status = answering_status(result->outcome);
    struct buf out;
    if (!finish_reason(result->outcome)) {
        reply_error(run->asked, status == 200 ? 502 : status, gramc_outcome_name(result->outcome),
                    "%.*s", TEXT_ARGS(result->message));
        return;
    }
    buf_init(&out, &run->asked->service->allocator, COMPLETION_MAX);
    struct json_writer w = json_writer(&out);
    put_head(run, &w, "chat.completion");
    put_choice(&w, result);
    put_usage(&w, result);
    json_object_end(&w);
    reply_json(run->asked, 200, &out);
}

static const struct reply_form whole = {.done = answer_whole};

/* ## In chunks */

static void end_chunk(struct served_run *run, struct json_writer *w) {
    json_object_end(w);
    buf_puts(w->out, "\n\n");
    outpour_flush(run->asked);
}

static bool begin_chunk(struct served_run *run, struct json_writer *w) {
    struct buf *out = outpour_buffer(run->asked);
    if (!out) return false;
    buf_puts(out, "data: ");
    *w = json_writer(out);
    put_head(run, w, "chat.completion.chunk");
    return true;
}

static void put_piece(struct json_writer *w, const char *member, gramc_text text,
                      const char *finish) {
    json_member_array(w, "choices");
    json_object_begin(w);
    json_member_number(w, "index", 0);
    json_member_object(w, "delta");
    if (member && strcmp(member, "role") == 0) {
        json_member_text(w, "role", TEXT("assistant"));
        json_member_text(w, "content", TEXT(""));
    } else if (member) json_member_text(w, member, text);
    json_object_end(w);
    json_key(w, "finish_reason");
    if (finish) json_text(w, text_of(finish));
    else json_null(w);
    json_object_end(w);
    json_array_end(w);
}

static void tell(struct served_run *run, const char *member, gramc_text text, const char *finish) {
    struct json_writer w;
    if (!begin_chunk(run, &w)) return;
    put_piece(&w, member, text, finish);
    if (run->wants_usage) {
        json_key(&w, "usage");
        json_null(&w);
    }
    end_chunk(run, &w);
}

/* What is said in another round is another paragraph. */
static void tell_delta(struct served_run *run, const gramc_event *event) {
    bool another = run->said_turn &&
                   (run->said_turn != event->turn || run->said_iteration != event->iteration);
    if (another) tell(run, "content", TEXT("\n\n"), NULL);
    run->said_turn = event->turn;
    run->said_iteration = event->iteration;
    tell(run, "content", event->text, NULL);
}

/* A model that does not stream, or whose answer was mended, has said nothing yet. */
static void tell_answer(struct served_run *run, const gramc_event *event) {
    bool said = run->said_turn == event->turn && run->said_iteration == event->iteration;
    if (!said) tell_delta(run, event);
}

static void tell_event(struct served_run *run, const gramc_event *event) {
    if (event->kind == GRAMC_EVENT_RUN) tell(run, "role", TEXT(""), NULL);
    if (event->kind == GRAMC_EVENT_DELTA) tell_delta(run, event);
    if (event->kind == GRAMC_EVENT_ANSWER) tell_answer(run, event);
}

static void tell_usage(struct served_run *run, const gramc_run_result *result) {
    struct json_writer w;
    if (!run->wants_usage || !begin_chunk(run, &w)) return;
    json_member_array(&w, "choices");
    json_array_end(&w);
    put_usage(&w, result);
    end_chunk(run, &w);
}

/* The official clients throw this: the status is gone already. */
static void tell_error(struct served_run *run, const gramc_run_result *result) {
    struct buf *out = outpour_buffer(run->asked);
    unsigned status = answering_status(result->outcome);
    if (!out) return;
    buf_puts(out, "data: {\"error\":");
    reply_put_error(out, status == 200 ? 502 : status, gramc_outcome_name(result->outcome),
                    result->message, TEXT(""));
    buf_puts(out, "}\n\n");
    outpour_flush(run->asked);
}

static void end_chunks(struct served_run *run, const gramc_run_result *result) {
    const char *finish = finish_reason(result->outcome);
    bool refused = result->outcome == GRAMC_OUTCOME_REFUSED;
    if (!finish) tell_error(run, result);
    if (finish && refused) tell(run, "refusal", result->text, NULL);
    if (finish) tell(run, NULL, TEXT(""), finish);
    if (finish) tell_usage(run, result);
    struct buf *out = outpour_buffer(run->asked);
    if (out && finish) buf_puts(out, "data: [DONE]\n\n");
    outpour_end(run->asked);
}

static const struct reply_form chunks = {.event = tell_event, .done = end_chunks, .streams = true};

void answer_completions(struct asked *asked) {
    struct served_question question = {0};
    bool streams = false;
    if (completions_read(asked, &question, &streams)) {
        answering_start(asked, &question, streams ? &chunks : &whole);
        return;
    }
    gramc_session_free(question.history);
    if (!asked->status) reply_nomem(asked);
}
