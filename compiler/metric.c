/* Reads the metric and the guardrails of an experiment: words of the language or names of its
 * graders. How they are measured and compared is not here. */
#include "compiler/metric.h"

#include "base/text.h"
#include "compiler/data.h"
#include "compiler/words.h"

/* What lies between 0 and 1, as the scores of graders do. */
#define SCORED_METRICS "pass score"
#define METRICS SCORED_METRICS " " MEASURED_METRICS " " ONLINE_METRICS

static bool is_among(const char *words, gramc_text word) {
    gramc_text rest = text_of(words);
    for (size_t start = 0, i = 0; i <= rest.len; i++) {
        if (i < rest.len && rest.ptr[i] != ' ') continue;
        if (text_eq(word, text_slice(rest, start, i))) return true;
        start = i + 1;
    }
    return false;
}

bool metric_is_taken(gramc_text name) {
    return is_among(METRICS " expect", name);
}

static bool is_grader(const gramc_experiment *experiment, gramc_text name) {
    for (size_t i = 0; i < experiment->grader_count; i++)
        if (text_eq(experiment->graders[i].name, name)) return true;
    return false;
}

/* False after a finding: of runs over cases nobody says what they think. */
static bool check_online(struct pass *pass, const gramc_experiment *experiment,
                         const struct value *value) {
    if (experiment->units || !is_among(ONLINE_METRICS, value_name(value))) return true;
    FIND(pass->findings, D_CONTRADICTION, pass->source, value->span,
         TEXT("only those who use an online experiment give feedback"),
         TEXT("say how many `units` are planned"));
    return false;
}

/* False after a finding, which names the graders too. */
static bool check_metric(struct pass *pass, const gramc_experiment *experiment,
                         const char *property, const struct value *value) {
    struct buf words;
    if (is_grader(experiment, value_name(value))) return true;
    if (!check_online(pass, experiment, value)) return false;
    buf_init(&words, &pass->arena->allocator, SOURCE_MAX);
    buf_puts(&words, METRICS);
    for (size_t i = 0; i < experiment->grader_count; i++) {
        buf_putc(&words, ' ');
        buf_text(&words, experiment->graders[i].name);
    }
    bool good = words.state == BUF_FINE && word_check_value(pass, property, words.ptr, value);
    if (words.state == BUF_NOMEM) pass->arena->oom = true;
    buf_free(&words);
    return good;
}

/* ## Guardrails */

static void read_guardrail(struct pass *pass, gramc_experiment *experiment, gramc_text *list,
                           const struct value *value) {
    gramc_text name = value_name(value);
    check_metric(pass, experiment, "guardrails", value);
    if (text_eq(name, experiment->metric))
        FIND(pass->findings, D_CONTRADICTION, pass->source, value->span,
             TEXT("a guardrail is judged beside the metric"), TEXT("this one is the metric"));
    for (size_t i = 0; i < experiment->guardrail_count; i++)
        if (text_eq(list[i], name))
            FIND(pass->findings, D_CONTRADICTION, pass->source, value->span,
                 TEXT("this guardrail is named already"), TEXT("once is enough"));
    list[experiment->guardrail_count++] = name;
}

/* `guardrails: [cost, latency]`, or one alone. */
static void read_guardrails(struct pass *pass, gramc_experiment *experiment,
                            const struct value *value) {
    bool several = value->kind == VALUE_ARRAY;
    gramc_text *list = arena_array(pass->arena, several ? value->count : 1, sizeof *list);
    if (!list) return;
    experiment->guardrails = list;
    experiment->guardrail_count = 0;
    for (const struct value *v = several ? value->as.items : value; v;
         v = several ? v->next : NULL) {
        if (value_is_name(v)) read_guardrail(pass, experiment, list, v);
        else find_wrong_value_of(pass, v, TEXT("guardrails"), "names of metrics");
    }
}

/* ## The metric */

static void check_stop(struct pass *pass, const struct experiment *experiment) {
    const gramc_experiment *public = &experiment->public;
    const struct property *p = property_find(experiment->pattern->subject, "stop");
    if (!p || !text_is(public->stop, "sequential")) return;
    if (is_among(SCORED_METRICS " " ONLINE_METRICS, public->metric) ||
        is_grader(public, public->metric))
        return;
    struct finding *f =
        FIND(pass->findings, D_UNBOUNDED_METRIC, pass->source, p->value->span, public->metric);
    finding_help(pass->findings, f, "compare pass, score or a grader's score; or leave `stop` out");
}

void metrics_read(struct pass *pass, struct experiment *experiment) {
    const struct subject *subject = experiment->pattern->subject;
    const struct property *metric = property_find(subject, "metric");
    const struct property *guardrails = property_find(subject, "guardrails");
    bool named = metric && value_is_name(metric->value);
    bool good = !named || check_metric(pass, &experiment->public, "metric", metric->value);
    if (good) check_stop(pass, experiment);
    if (guardrails) read_guardrails(pass, &experiment->public, guardrails->value);
}
