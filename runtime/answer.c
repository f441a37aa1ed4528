/* What a run takes for the answer of a step: a text, or JSON of the type that is asked for, which
 * the model is told about where it does not fit. */
#include "runtime/answer.h"

#include "base/json/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "runtime/reading.h"
#include "runtime/run.h"

enum { REMARK_MAX = 64 << 20 };

/* ## Giving one */

void answer_set_text(gramc_run *run, gramc_text text) {
    buf_reset(&run->said);
    buf_text(&run->said, text);
    if (buf_status(&run->said)) {
        run->arena.oom = true; /* for those who decide on how the run goes on after this */
        run_nomem(run);
    }
    run->result.text = run->said.len ? buf_view(&run->said) : TEXT("");
}

void answer_give(gramc_run *run, gramc_text text) {
    answer_set_text(run, text);
    run->state = RUN_STEP;
    if (run->next_step < run->bound->step_count) return;
    run->result.turns++;
    run->watch.role = NULL;
    watch_answer(&run->watch, run->result.text);
    if (run->handler.turn) run->handler.turn(run->handler.ctx, run->result.text);
    run->state = RUN_TURN;
}

/* ## Structured answers */

/* The member `answer` of an object, where the request asked for one. */
static gramc_text unwrapped(void *ctx, struct arena *arena, gramc_text content) {
    const gramc_run *run = ctx;
    const struct json *document =
        run->step->answer_wrapped ? json_parse(arena, content, NULL) : NULL;
    const struct json *answer = json_get(document, "answer");
    return answer ? text_slice(content, answer->start, answer->end) : text_trim(content);
}

/* The model is told what is wrong, some times. */
static void refuse_answer(gramc_run *run, const gramc_verdict *verdict,
                          const gramc_json_error *limit) {
    struct buf out;
    char words[READING_WORDS_MAX];
    const char *why = verdict ? verdict->errors[0].message.ptr : words;
    const char *unread = verdict ? "" : "it cannot be checked: ";
    if (!verdict) reading_limit_words(words, limit);
    if (++run->bad_answers >= MOST_BAD_ANSWERS || run->iteration >= run->max_iterations) {
        run_end(run, GRAMC_OUTCOME_BAD_ANSWER,
                "the answer does not fit its type, after %u of them: %s%s",
                (unsigned)run->bad_answers, unread, why);
        return;
    }
    buf_init(&out, &run->loop->allocator, REMARK_MAX);
    buf_printf(&out,
               "Error: the answer does not fit its schema: %s%s. Answer again, with JSON that fits "
               "it and nothing else.",
               unread, why);
    gramc_text text = buf_to_arena(&out, run->asking.arena);
    run->state = RUN_ASK;
    if (!text.ptr || !conversation_remark(run->asking.talk, run->asking.arena, text))
        run_nomem(run);
}

/* A tool's result is no model's JSON. */
static gramc_text answer_itself(void *ctx, struct arena *arena, gramc_text text) {
    (void)ctx, (void)arena;
    return text;
}

/* `view` knows what the text stands for, and whether it may be mended. */
static void take_answer(gramc_run *run, gramc_text text, struct reading_view *view) {
    struct taken reading;
    gramc_verdict *verdict = NULL;
    view->schema = run->step->answers;
    view->flags = GRAMC_CHECK_DEFAULTS | GRAMC_CHECK_NULL_ABSENT |
                  (view->kinds ? reading_coercion(run->bound->agent) : 0);
    reading_init(&reading, &run->loop->allocator);
    gramc_status status = reading_take(&reading, &verdict, text, view);
    if (status == GRAMC_NOMEM) {
        run_nomem(run);
    } else if (status || !verdict->valid) {
        refuse_answer(run, status ? NULL : verdict, &reading.limit);
    } else {
        const gramc_event_reading told = reading_told(&reading, verdict);
        if (told.repair_count || told.change_count)
            watch_reading(&run->watch, &told, verdict->normalised);
        answer_give(run, verdict->normalised);
    }
    gramc_verdict_free(verdict);
    reading_free(&reading);
}

void answer_of_tools(gramc_run *run) {
    gramc_text text = round_direct_answer(run);
    if (!run->step->answers) answer_give(run, text);
    else if (gramc_schema_accepts_as_is(run->step->answers, text.ptr, text.len))
        answer_give(run, text);
    else take_answer(run, text, &(struct reading_view){.seen = answer_itself});
}

static void read_answer(gramc_run *run, gramc_text content) {
    struct arena scratch;
    struct reading_view view = {
        .kinds = reading_kinds(run->step->output_document), .seen = unwrapped, .ctx = run};
    if (run->step->answer_wrapped) view.kinds |= 1u << JSON_OBJECT;
    arena_init(&scratch, &run->loop->allocator);
    content = json_mended(&scratch, content);
    gramc_text text = scratch.oom ? content : unwrapped(run, &scratch, content);
    if (scratch.oom) run_nomem(run);
    else if (gramc_schema_accepts_as_is(run->step->answers, text.ptr, text.len))
        answer_give(run, text);
    else take_answer(run, content, &view);
    arena_free(&scratch);
}

/* An answer without calls: the text, unless the model says that it is none. */
void answer_read(gramc_run *run, const struct reply *reply) {
    if (reply->content.len) answer_set_text(run, reply->content);
    if (reply->refusal.len) {
        answer_set_text(run, reply->refusal);
        run_end(run, GRAMC_OUTCOME_REFUSED, "the model refused to answer");
    } else if (reply->finish == FINISH_FILTER) {
        run_end(run, GRAMC_OUTCOME_CONTENT_FILTER, "the answer was stopped by a content filter");
    } else if (reply->finish == FINISH_LENGTH) {
        run_end(run, GRAMC_OUTCOME_LENGTH, "the answer was cut off at the token limit");
    } else if (text_trim(reply->content).len == 0) {
        run_end(run, GRAMC_OUTCOME_EMPTY_RESPONSE,
                "the model answered with neither text nor calls");
    } else if (!conversation_assistant(run->asking.talk, run->asking.arena, reply)) {
        run_nomem(run);
    } else if (run->step->answers) {
        read_answer(run, reply->content);
    } else {
        answer_give(run, reply->content);
    }
}
