/* Puts the words of the strategy `prompted` together: from the phase that a step is in to the next
 * question in its conversation, and from a tool's examples to turns in front of it. The words are
 * prompted_words.h's, a tool in words prompted_tool.c's; what comes next is strategy_prompted.c's.
 */
#include "base/json/json.h"
#include "base/text.h"
#include "runtime/prompted.h"
#include "runtime/prompted_tool.h"
#include "runtime/prompted_words.h"
#include "runtime/wire.h"

enum { PROMPT_MAX = 256 << 20 };

/* ## Questions */

struct buf prompted_text(gramc_run *run) {
    struct buf out;
    buf_init(&out, &run->loop->allocator, PROMPT_MAX);
    return out;
}

gramc_text prompted_take(gramc_run *run, struct buf *out) {
    gramc_text text = buf_to_arena(out, &run->inner);
    if (!text.ptr) run_nomem(run);
    return text;
}

static void add(gramc_run *run, struct buf *out) {
    struct prompted_plan *plan = run->plan;
    gramc_text text = prompted_take(run, out);
    plan->before = plan->talk.count;
    plan->prompt = text;
    if (!text.ptr || !conversation_remark(&plan->talk, &run->inner, text)) run_nomem(run);
}

static void put_task(struct buf *out, struct prompted_plan *plan) {
    buf_puts(out, WORDS_TASK);
    buf_text(out, plan->query);
    plan->told = true;
}

static void announce(gramc_run *run, struct buf *out) {
    const struct prompted_plan *plan = run->plan;
    const char *one = plan->may ? WORDS_MAY_USE : WORDS_MUST_USE;
    buf_puts(out, prompted_is_single(plan) ? one : WORDS_TOOLS);
    for (size_t i = 0; i < plan->tool_count; i++) {
        buf_puts(out, i ? "\n* " : prompted_is_single(plan) ? "" : "* ");
        prompted_put_tool(out, &run->inner, plan->tools[i]);
    }
    buf_puts(out, WORDS_ACKNOWLEDGE);
}

static void consider(gramc_run *run, struct buf *out) {
    struct prompted_plan *plan = run->plan;
    if (prompted_is_single(plan)) {
        buf_puts(out, WORDS_NEEDED);
        buf_text(out, plan->chosen->wire_name);
    }
    buf_puts(out, prompted_is_single(plan) ? WORDS_NEEDED_ONE : WORDS_NEEDED_ANY);
    put_task(out, plan);
}

static void decide(gramc_run *run, struct buf *out) {
    const struct prompted_plan *plan = run->plan;
    buf_puts(out, plan->phase == DECIDE ? WORDS_DECIDE : WORDS_DECIDE_MORE);
}

static void choose(gramc_run *run, struct buf *out) {
    struct prompted_plan *plan = run->plan;
    if (plan->failures) buf_puts(out, WORDS_NOT_CHOSEN);
    if (!plan->told) {
        put_task(out, plan);
        buf_puts(out, "\n\n");
    }
    buf_puts(out, WORDS_CHOOSE);
    for (size_t i = 0; i < plan->tool_count; i++) {
        if (i) buf_puts(out, ", ");
        buf_text(out, plan->tools[i]->wire_name);
    }
    buf_puts(out, WORDS_CHOOSE_ONE);
}

static void show(gramc_run *run, struct buf *out) {
    const struct prompted_plan *plan = run->plan;
    buf_puts(out, WORDS_SHAPE);
    buf_text(out, plan->chosen->wire_name);
    buf_puts(out, WORDS_SHAPE_IS);
    prompted_put_shape(out, &run->inner, plan->chosen);
    prompted_put_parameters(out, &run->inner, plan->chosen);
    buf_puts(out, WORDS_ACKNOWLEDGE);
}

static void call(gramc_run *run, struct buf *out) {
    struct prompted_plan *plan = run->plan;
    if (plan->failures) {
        buf_text(out, plan->result);
        buf_puts(out, WORDS_MEND);
        prompted_put_shape(out, &run->inner, plan->chosen);
    } else if (plan->told) {
        buf_puts(out, WORDS_CALL);
    } else {
        buf_puts(out, WORDS_CALL_FOR);
        put_task(out, plan);
    }
}

static void review(gramc_run *run, struct buf *out) {
    const struct prompted_plan *plan = run->plan;
    buf_puts(out, WORDS_RESULT);
    buf_text(out, plan->result);
    buf_puts(out, "\n\n" WORDS_MORE);
}

static void answer(gramc_run *run, struct buf *out) {
    struct prompted_plan *plan = run->plan;
    buf_puts(out, WORDS_RESULT);
    buf_text(out, plan->result);
    buf_puts(out, WORDS_ANSWER);
    put_task(out, plan);
}

void prompted_say(gramc_run *run) {
    static void (*const words[])(gramc_run * run, struct buf * out) = {
        [ANNOUNCE] = announce, [CONSIDER] = consider, [DECIDE] = decide, [CHOOSE] = choose,
        [SHOW] = show,         [CALL] = call,         [REVIEW] = review, [DECIDE_MORE] = decide,
        [ANSWER] = answer,     [PLAIN] = NULL};
    const struct prompted_plan *plan = run->plan;
    if (!words[plan->phase]) return;
    struct buf out = prompted_text(run);
    words[plan->phase](run, &out);
    add(run, &out);
}

/* ## Examples: turns that nobody is asked for */

static void put_turn(gramc_run *run, gramc_text prompt, gramc_text said) {
    struct prompted_plan *plan = run->plan;
    const struct reply reply = {.content = said, .has_content = true};
    if (!prompt.ptr || !said.ptr || !conversation_remark(&plan->talk, &run->inner, prompt) ||
        !conversation_assistant(&plan->talk, &run->inner, &reply))
        run_nomem(run);
}

static void put_example(gramc_run *run, const struct json *example) {
    const struct prompted_plan *plan = run->plan;
    struct buf prompt = prompted_text(run), said = prompted_text(run);
    buf_puts(&prompt, WORDS_EXAMPLE);
    buf_text(&prompt, plan->chosen->wire_name);
    buf_puts(&prompt, WORDS_EXAMPLE_WITH);
    for (const struct json *value = example->first; value; value = value->next) {
        if (value != example->first) buf_puts(&prompt, ", ");
        buf_text(&prompt, value->key);
        buf_puts(&prompt, " is ");
        json_put(&prompt, value);
    }
    json_put(&said, example);
    gramc_text asked = prompted_take(run, &prompt), told = prompted_take(run, &said);
    put_turn(run, asked, told);
    buf_free(&prompt);
    buf_free(&said);
}

void prompted_put_examples(gramc_run *run) {
    const struct prompted_plan *plan = run->plan;
    gramc_text text = wire_examples(&run->inner, plan->chosen);
    const struct json *list = text.len ? json_parse(&run->inner, text, NULL) : NULL;
    if (!json_is(list, JSON_ARRAY) || !list->first) return;
    for (const struct json *e = list->first; e && !run_is_ending(run); e = e->next)
        put_example(run, e);
    if (!run_is_ending(run)) put_turn(run, TEXT(WORDS_EXAMPLES_DONE), TEXT(WORDS_EXAMPLES_HEARD));
}
