/* Judges what a string holds, where that was asked for: base64, JSON in it, and whether that JSON
 * is as contentSchema says. Other encodings and media types are not judged. */
#include "jsonschema/evaluate.h"

#include "base/base64.h"
#include "base/text.h"

/* What is read stays in memory, so each byte of it is a step. */
static bool decode(struct evaluation *evaluation, const struct evaluation_frame *at,
                   const struct content_rules *rules, gramc_text *out) {
    gramc_text text = at->value->text;
    if (!evaluation_take(evaluation, text.len)) return false;
    if (!rules->base64) {
        *out = arena_text(evaluation->arena, text);
        return out->ptr || evaluation_stop(evaluation, GRAMC_NOMEM);
    }
    if (base64_read(out, evaluation->arena, text)) return true;
    if (evaluation->arena->oom) return evaluation_stop(evaluation, GRAMC_NOMEM);
    report_content(evaluation, at, "contentEncoding", "text in base64", NULL);
    return false;
}

static bool judge_json(struct evaluation *evaluation, const struct evaluation_frame *at,
                       const struct content_rules *rules, gramc_text text) {
    struct json_error error;
    const struct json *held = json_parse(evaluation->arena, text, &error);
    if (!held && evaluation->arena->oom) return evaluation_stop(evaluation, GRAMC_NOMEM);
    if (!held && error.limit) return evaluation_limit(evaluation, LIMIT_CONTENT);
    if (!held) {
        report_content(evaluation, at, "contentMediaType", "JSON in the text", error.message);
        return false;
    }
    if (!rules->schema) return true;
    struct evaluation_frame inner = frame_child(at, rules->schema, held, "contentSchema");
    if (evaluate_quietly(evaluation, &inner)) return true;
    if (evaluation->status == GRAMC_OK)
        report_content(evaluation, at, "contentSchema", "JSON as \"contentSchema\" says", NULL);
    return false;
}

bool evaluate_content(struct evaluation *evaluation, const struct evaluation_frame *at) {
    const struct content_rules *rules = at->node->string->content;
    gramc_text text;
    if (!decode(evaluation, at, rules, &text)) return false;
    return !rules->json || judge_json(evaluation, at, rules, text);
}
