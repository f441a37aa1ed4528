/* Turns what a plan is made of into fingerprints: settings, cases, graders, and of each arm what it
 * changes, its agent, library, what the boxes of that offer, its model. All of them make the plan's
 * own; one by one they say in what two plans differ. Limits such as maxCost and concurrency are in
 * none: they may be changed for the rest of a run. */
#include "experiment/plan.h"

#include <string.h>

#include "base/json/json.h"
#include "base/sha256.h"
#include "base/text.h"

/* Their names as JSON, and in a sentence; those of an arm are followed by its name. */
static const char *const whole_names[PLAN_WHOLE_PARTS][2] = {
    {"settings", "its settings"}, {"cases", "its cases"}, {"graders", "its graders"}};
static const char *const arm_names[PLAN_ARM_PARTS][2] = {
    {"settings", "the settings of arm "},
    {"spec", "the agent of arm "},
    {"library", "the library of arm "},
    {"offers", "what the servers and boxes offer of arm "},
    {"model", "the model of arm "}};

/* ## Taking */

static void close_part(struct sha256 *sha, char out[PLAN_PRINT]) {
    sha256_hex(sha, out);
    out[SHA256_HEX] = '\0';
}

static void add_list(struct sha256 *sha, const gramc_text *list, size_t count) {
    sha256_add_number(sha, count);
    for (size_t i = 0; i < count; i++) sha256_add_text(sha, list[i]);
}

/* Nothing where nothing is said: plans from before there were online experiments stay the same. */
static void add_online(struct sha256 *sha, const gramc_experiment *experiment) {
    if (experiment->units) sha256_add_number(sha, experiment->units);
    for (size_t i = 0; i < experiment->arm_count; i++) {
        if (!experiment->arms[i].weight.len) continue;
        sha256_add_number(sha, i);
        sha256_add_text(sha, experiment->arms[i].weight);
    }
}

static void take_settings(struct plan *plan, char out[PLAN_PRINT]) {
    const gramc_experiment *experiment = plan->experiment;
    const gramc_text texts[] = {experiment->name, experiment->metric, experiment->stop,
                                experiment->margin, experiment->alpha};
    struct sha256 sha;
    sha256_init(&sha);
    add_list(&sha, texts, sizeof(texts) / sizeof(texts[0]));
    sha256_add_number(&sha, plan->seed);
    sha256_add_number(&sha, plan->repeats);
    add_list(&sha, experiment->guardrails, experiment->guardrail_count);
    add_list(&sha, experiment->vary, experiment->vary_count);
    add_list(&sha, experiment->reset, experiment->reset_count);
    sha256_add_number(&sha, experiment->arm_count);
    for (size_t i = 0; i < experiment->arm_count; i++)
        sha256_add_text(&sha, experiment->arms[i].name);
    add_online(&sha, experiment);
    close_part(&sha, out);
}

static void add_grader(struct sha256 *sha, const gramc_grader *grader) {
    const gramc_text texts[] = {grader->name,      grader->checks, grader->type, grader->question,
                                grader->model,     grader->metric, grader->min,  grader->max,
                                grader->threshold, grader->weight};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) sha256_add_text(sha, texts[i]);
    sha256_add_number(sha, grader->kind);
    sha256_add_number(sha, grader->required);
    add_list(sha, grader->argv, grader->argc);
}

static void take_graders(const gramc_experiment *experiment, gramc_text judge,
                         char out[PLAN_PRINT]) {
    struct sha256 sha;
    sha256_init(&sha);
    for (size_t i = 0; i < experiment->grader_count; i++) add_grader(&sha, &experiment->graders[i]);
    sha256_add_text(&sha, judge);
    close_part(&sha, out);
}

static void take_text(gramc_text text, char out[PLAN_PRINT]) {
    struct sha256 sha;
    sha256_init(&sha);
    sha256_add_text(&sha, text);
    close_part(&sha, out);
}

static void take_arm(const gramc_arm *arm, char out[PLAN_PRINT]) {
    const gramc_text texts[] = {arm->model,
                                arm->temperature,
                                arm->top_p,
                                arm->presence_penalty,
                                arm->frequency_penalty,
                                arm->max_tokens,
                                arm->seed};
    struct sha256 sha;
    sha256_init(&sha);
    add_list(&sha, texts, sizeof(texts) / sizeof(texts[0]));
    close_part(&sha, out);
}

static void take_offers(const gramc_offering *offering, char out[PLAN_PRINT]) {
    struct sha256 sha;
    gramc_offer offer;
    sha256_init(&sha);
    for (size_t i = 0; offering && gramc_offering_get(offering, i, &offer); i++) {
        const gramc_text texts[] = {offer.box,         offer.tool,       offer.title,
                                    offer.description, offer.parameters, offer.result,
                                    offer.annotations};
        add_list(&sha, texts, sizeof(texts) / sizeof(texts[0]));
    }
    close_part(&sha, out);
}

static void take_arm_parts(struct plan *plan, size_t i, const struct plan_arm *runs) {
    const struct plan_arm none = {NULL, NULL, {"", 0}};
    char(*out)[PLAN_PRINT] = plan->parts.arms[i];
    if (!runs) runs = &none;
    const gramc_bound *bound = runs->bound;
    take_arm(&plan->experiment->arms[i], out[0]);
    take_text(bound ? gramc_bound_spec_fingerprint(bound) : TEXT(""), out[1]);
    take_text(bound ? gramc_bound_library_fingerprint(bound) : TEXT(""), out[2]);
    take_offers(runs->offering, out[3]);
    take_text(runs->model, out[4]);
}

void plan_parts_take(struct plan *plan, const struct plan_runs *runs) {
    struct plan_parts *parts = &plan->parts;
    struct sha256 sha;
    take_settings(plan, parts->whole[0]);
    take_text(text_of(plan->cases->fingerprint), parts->whole[1]);
    take_graders(plan->experiment, runs ? runs->judge : TEXT(""), parts->whole[2]);
    for (size_t i = 0; i < plan->experiment->arm_count; i++)
        take_arm_parts(plan, i, runs ? &runs->arms[i] : NULL);
    sha256_init(&sha);
    sha256_add_text(&sha, TEXT("plan 2"));
    for (size_t i = 0; i < PLAN_WHOLE_PARTS; i++) sha256_add_text(&sha, text_of(parts->whole[i]));
    for (size_t i = 0; i < plan->experiment->arm_count; i++)
        for (size_t part = 0; part < PLAN_ARM_PARTS; part++)
            sha256_add_text(&sha, text_of(parts->arms[i][part]));
    close_part(&sha, plan->fingerprint);
}

/* ## Writing and comparing */

void plan_parts_write(struct json_writer *w, const struct plan *plan) {
    json_member_object(w, "parts");
    for (size_t i = 0; i < PLAN_WHOLE_PARTS; i++)
        json_member_text(w, whole_names[i][0], text_of(plan->parts.whole[i]));
    json_member_array(w, "arms");
    for (size_t i = 0; i < plan->experiment->arm_count; i++) {
        json_object_begin(w);
        for (size_t part = 0; part < PLAN_ARM_PARTS; part++)
            json_member_text(w, arm_names[part][0], text_of(plan->parts.arms[i][part]));
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

/* What is not told is not known to differ. */
static bool differs(const struct json *told, const char *name, const char *print) {
    const struct json *value = json_get(told, name);
    return json_is(value, JSON_STRING) && !text_is(value->text, print);
}

static void put_part(struct buf *out, const char *words, gramc_text arm) {
    if (buf_view(out).len) buf_puts(out, ", ");
    buf_puts(out, words);
    buf_put(out, arm.ptr ? arm.ptr : "", arm.len);
}

bool plan_parts_differ(struct buf *out, const struct plan *plan, const struct json *parts) {
    const struct json *arms = json_get(parts, "arms");
    const struct json *told = json_is(arms, JSON_ARRAY) ? arms->first : NULL;
    for (size_t i = 0; i < PLAN_WHOLE_PARTS; i++)
        if (differs(parts, whole_names[i][0], plan->parts.whole[i]))
            put_part(out, whole_names[i][1], TEXT(""));
    for (size_t i = 0; told && i < plan->experiment->arm_count; i++, told = told->next)
        for (size_t part = 0; part < PLAN_ARM_PARTS; part++)
            if (differs(told, arm_names[part][0], plan->parts.arms[i][part]))
                put_part(out, arm_names[part][1], plan->experiment->arms[i].name);
    return buf_view(out).len > 0;
}
