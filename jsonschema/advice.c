/* Looks into a text that stands where something else was asked for: models put quotes around
 * numbers, and write lists and objects as text. Says so, and what to pass. */
#include "jsonschema/advice.h"

#include "base/limits.h"
#include "base/text.h"
#include "jsonschema/words.h"

enum { BYTES_PER_STEP = 2 };

static void put_scalar(struct buf *out, const struct json *held) {
    buf_puts(out, "; pass ");
    words_put_short(out, held);
    buf_puts(out, ", without quotes");
}

static void put_container(struct buf *out, const struct json *held) {
    const char *name = held->kind == JSON_ARRAY ? "an array" : "an object";
    buf_printf(out, "; it is text that holds %s: send the %s itself", name,
               held->kind == JSON_ARRAY ? "array" : "object");
}

/* What the text holds stands in its place for a moment. */
static bool fits(struct evaluation *evaluation, const struct evaluation_frame *at,
                 struct json *held) {
    struct evaluation_frame inner = *at;
    held->mark = MARK_NEW | MARK_BRIEF;
    held->key = at->value->key;
    inner.value = held;
    return evaluate_quietly(evaluation, &inner);
}

bool advice_put_held(struct buf *out, struct evaluation *evaluation,
                     const struct evaluation_frame *at, unsigned types) {
    const struct json *value = at->value;
    struct arena scratch;
    bool told = false;
    if (value->kind != JSON_STRING || value->text.len > ADVICE_BYTES_MAX) return false;
    if (words_is_secret(at->node)) return false;
    /* What is wrong is known: a used up budget only makes it shorter. */
    if (evaluation->steps <= value->text.len / BYTES_PER_STEP) return false;
    evaluation->steps -= value->text.len / BYTES_PER_STEP;
    arena_init(&scratch, &evaluation->arena->allocator);
    struct json *held = json_parse(&scratch, text_trim(value->text), NULL);
    if (scratch.oom) evaluation_stop(evaluation, GRAMC_NOMEM);
    if (held && held->kind != JSON_STRING && types & type_of(held)) {
        told = held->kind >= JSON_ARRAY || fits(evaluation, at, held);
        if (told) (held->kind >= JSON_ARRAY ? put_container : put_scalar)(out, held);
    }
    arena_free(&scratch);
    return told;
}
