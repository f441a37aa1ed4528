/* Lets a program judge: the case, the answer and the calls go to its standard input as one JSON
 * object; it exits with 0 if it passes, 1 if not. Anything else is a program that could not judge,
 * and says nothing about the answer. */
#include "base/json/writer.h"
#include "base/number.h"
#include "base/text.h"
#include "experiment/grading.h"
#include "runtime/loop.h"
#include "runtime/process/child.h"

enum { OUTPUT_MAX = 65536 };

struct program_part {
    struct grading_part *part; /* NULL: it is over, or was stopped */
    gramc_loop *loop;
    struct child *child; /* NULL: it has ended */
    uv_timer_t timer;
    uint32_t timeout_ms;
    struct buf output;
    double threshold;
    bool has_threshold;
};

/* ## What it reads */

static void put_calls(struct json_writer *w, const struct graded_run *run) {
    json_member_array(w, "calls");
    for (size_t i = 0; i < run->call_count; i++) {
        const struct graded_call *call = &run->calls[i];
        struct arena arena;
        arena_init(&arena, &w->out->allocator);
        json_object_begin(w);
        json_member_text(w, "name", call->name);
        /* What is no JSON goes as the text that it is. */
        const struct json *arguments = json_parse(&arena, call->arguments, NULL);
        if (arguments) json_member_value(w, "arguments", arguments);
        else json_member_text(w, "arguments", call->arguments);
        json_member_bool(w, "made", call->sent.len > 0);
        if (call->outcome) json_member_text(w, "outcome", text_of(call->outcome));
        json_object_end(w);
        arena_free(&arena);
    }
    json_array_end(w);
}

gramc_text graded_run_json(struct arena *arena, const struct graded_run *run) {
    struct buf out;
    buf_init(&out, &arena->allocator, SOURCE_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    json_member_text(&w, "id", run->item->id);
    json_member_raw(&w, "case", run->item->text);
    json_member_text(&w, "answer", run->attempt->answer);
    json_member_some(&w, "outcome", run->attempt->outcome);
    put_calls(&w, run);
    json_object_end(&w);
    return buf_to_arena(&out, arena);
}

/* ## What it says */

static void read_score(struct program_part *program, struct ruling *verdict,
                       const struct json *said) {
    const struct json *score = json_get(said, "score"), *pass = json_get(said, "pass");
    const struct json *reason = json_get(said, "reason");
    bool number = json_is(score, JSON_NUMBER);
    double value = verdict->value;
    if (number) number = number_to_double(&value, score->text);
    if (score && (!number || value < 0 || value > 1)) {
        verdict_miss(verdict, "the program said a score that is no number from 0 to 1");
        return;
    }
    verdict->value = value;
    if (program->has_threshold) verdict->pass = verdict->pass && value >= program->threshold;
    if (json_is(pass, JSON_FALSE)) verdict->pass = false;
    if (!score && !verdict->pass) verdict->value = 0;
    if (json_is(reason, JSON_STRING) && !verdict->pass)
        verdict_fail(verdict, "%.*s", TEXT_ARGS(reason->text));
    else if (!verdict->pass && number)
        verdict_fail(verdict, "the program gave %.*s", TEXT_ARGS(score->text));
}

static void judge_output(struct program_part *program, struct ruling *verdict) {
    gramc_text said = text_trim(buf_view(&program->output));
    const struct json *object = json_parse(verdict->arena, said, NULL);
    if (json_is(object, JSON_OBJECT)) read_score(program, verdict, object);
    else if (program->has_threshold)
        verdict->pass = verdict->pass && verdict->value >= program->threshold;
    if (verdict->pass) return;
    if (said.len && !json_is(object, JSON_OBJECT)) verdict_fail(verdict, "%.*s", TEXT_ARGS(said));
    else verdict_fail(verdict, "the program said no");
}

static void judge_end(struct program_part *program, const struct child_end *end) {
    struct ruling *verdict = &program->part->verdict;
    char why[CHILD_WHY_MAX];
    if (end->nomem) verdict->arena->oom = true;
    if (end->signal || end->broken || (end->status != 0 && end->status != 1)) {
        child_explain_end(why, sizeof why, "the program", end);
        verdict_miss(verdict, "%s", why);
        return;
    }
    verdict->pass = end->status == 0;
    verdict->value = verdict->pass ? 1 : 0;
    judge_output(program, verdict);
}

/* ## Its life: the timer is closed last, and frees it */

static void timer_closed(uv_handle_t *handle) {
    struct program_part *program = handle->data;
    gramc_allocator allocator = program->output.allocator;
    buf_free(&program->output);
    mem_free(&allocator, program, sizeof *program);
}

static void end(struct program_part *program) {
    struct grading_part *part = program->part;
    program->part = NULL;
    program->child = NULL;
    loop_let_go(program->loop);
    uv_close((uv_handle_t *)&program->timer, timer_closed);
    if (part) part_done(part, 0);
}

static void kill_child(struct program_part *program) {
    struct child *child = program->child;
    program->child = NULL;
    if (child) child_kill(child);
}

static void on_output(void *ctx, const char *bytes, size_t len) {
    struct program_part *program = ctx;
    buf_put(&program->output, bytes, len);
    if (program->output.state == BUF_FINE) return;
    if (program->output.state == BUF_NOMEM) program->part->verdict.arena->oom = true;
    verdict_miss(&program->part->verdict, "the program printed more than 64 KiB");
    kill_child(program);
    end(program);
}

static void on_ended(void *ctx, const struct child_end *how) {
    struct program_part *program = ctx;
    judge_end(program, how);
    end(program);
}

static void on_timeout(uv_timer_t *timer) {
    struct program_part *program = timer->data;
    verdict_miss(&program->part->verdict, "the program had not judged after %u ms",
                 (unsigned)program->timeout_ms);
    kill_child(program);
    end(program);
}

void program_stop(struct program_part *program) {
    program->part = NULL;
    kill_child(program);
    end(program);
}

/* ## Starting */

static gramc_text variable(struct arena *arena, const char *name, gramc_text value) {
    struct buf out;
    buf_init(&out, &arena->allocator, SOURCE_MAX);
    buf_printf(&out, "%s=%.*s", name, TEXT_ARGS(value));
    return buf_to_arena(&out, arena);
}

static bool make_words(struct exec_words *out, struct arena *arena, const gramc_grader *grader,
                       const struct graded_run *run, const gramc_loop *loop) {
    gramc_text *argv = arena_array(arena, grader->argc, sizeof *argv);
    gramc_text env[] = {variable(arena, "GRAMC_CELL_ID", run->cell_id),
                        variable(arena, "GRAMC_SCRATCH", run->scratch)};
    for (size_t i = 0; argv && i < grader->argc; i++)
        argv[i] = fill_text(arena, grader->argv[i], run->item);
    gramc_impl impl = {
        .argv = argv, .argc = grader->argc, .env = env, .env_count = 2, .folder = grader->folder};
    return argv && exec_words(out, arena, &impl, loop, NULL);
}

static gramc_status start_child(struct program_part *program, struct arena *arena,
                                const gramc_grader *grader, const struct graded_run *run,
                                char why[CHILD_WHY_MAX]) {
    const struct child_events events = {
        .output = on_output, .ended = on_ended, .ctx = program, .noun = "the program"};
    struct exec_words words;
    gramc_text input = graded_run_json(arena, run);
    if (!input.ptr || !make_words(&words, arena, grader, run, program->loop)) return GRAMC_NOMEM;
    gramc_status status = child_start(&program->child, &program->loop->uv,
                                      &program->loop->allocator, &words, &events, why);
    if (status != GRAMC_OK) return status;
    sigset_t before; /* the loop may not run yet: a program that does not read must not end us */
    loop_set_signals(&before);
    status = child_send(program->child, input, TEXT("\n"));
    loop_restore_signals(&before);
    if (status == GRAMC_NOMEM) kill_child(program);
    else child_end_input(program->child);
    return status == GRAMC_NOMEM ? status : GRAMC_OK;
}

gramc_status program_start(struct program_part **out, struct grading_part *part,
                           const struct grading *grading, const struct compiled_grader *grader,
                           const struct graded_run *run) {
    gramc_loop *loop = grading->options.loop;
    char why[CHILD_WHY_MAX] = "";
    struct arena arena;
    *out = NULL;
    if (!loop) {
        verdict_miss(&part->verdict, "programs cannot be run here");
        part_done(part, 0);
        return GRAMC_OK;
    }
    struct program_part *program = mem_alloc(&grading->allocator, sizeof *program);
    if (!program) return GRAMC_NOMEM;
    *program = (struct program_part){.part = part,
                                     .loop = loop,
                                     .timeout_ms = grader->says->timeout_ms,
                                     .threshold = grader->threshold,
                                     .has_threshold = grader->has_threshold};
    buf_init(&program->output, &grading->allocator, OUTPUT_MAX);
    uv_timer_init(&loop->uv, &program->timer);
    program->timer.data = program;
    loop_hold(loop);
    arena_init(&arena, &grading->allocator);
    gramc_status status = start_child(program, &arena, grader->says, run, why);
    arena_free(&arena);
    if (status == GRAMC_OK) {
        *out = program;
        uv_timer_start(&program->timer, on_timeout, program->timeout_ms, 0);
        return GRAMC_OK;
    }
    if (status == GRAMC_NOMEM) program->part = NULL;
    else verdict_miss(&part->verdict, "%s", why);
    end(program);
    return status == GRAMC_NOMEM ? status : GRAMC_OK;
}
