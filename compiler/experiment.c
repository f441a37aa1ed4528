/* Turns `[name:Experiment {...} | [control:Arm {...}], ...]` into an experiment: what is compared,
 * on which cases. Its graders are grader.c's, its metric and guardrails metric.c's matter; whether
 * the arms differ in more than they may is confound.c's; planning and running are not here. */
#include "compiler/experiment.h"

#include "base/limits.h"
#include "base/text.h"
#include "compiler/cases.h"
#include "compiler/config.h"
#include "compiler/data.h"
#include "compiler/emit/bundle.h"
#include "compiler/grader.h"
#include "compiler/library.h"
#include "compiler/metric.h"
#include "compiler/model.h"
#include "compiler/pattern.h"
#include "compiler/properties.h"
#include "compiler/sampling.h"
#include "compiler/words.h"

#include <stdio.h>
#include <string.h>

struct experiment_properties {
    gramc_experiment experiment;
    const struct value *vary, *reset;
    gramc_text seed, meta;
};

#define AT(member) offsetof(struct experiment_properties, member)
static const struct property_row rows[] = {
    {"cases", PROPERTY_TEXT, AT(experiment.cases)},
    {"repeats", PROPERTY_COUNT, AT(experiment.repeats)},
    {"seed", PROPERTY_NUMBER, AT(seed)},
    {"metric", PROPERTY_TEXT, AT(experiment.metric)},
    {"guardrails", PROPERTY_IGNORED, 0}, /* once the graders are known */
    {"margin", PROPERTY_NUMBER, AT(experiment.margin)},
    {"alpha", PROPERTY_NUMBER, AT(experiment.alpha)},
    {"stop", PROPERTY_TEXT, AT(experiment.stop)},
    {"maxCost", PROPERTY_NUMBER, AT(experiment.max_cost)},
    {"maxJudgeCost", PROPERTY_NUMBER, AT(experiment.max_judge_cost)},
    {"concurrency", PROPERTY_COUNT, AT(experiment.concurrency)},
    {"maxMissing", PROPERTY_NUMBER, AT(experiment.max_missing)},
    {"units", PROPERTY_COUNT, AT(experiment.units)},
    {"vary", PROPERTY_VALUE, AT(vary)},
    {"reset", PROPERTY_VALUE, AT(reset)},
    {"meta", PROPERTY_META, AT(meta)},
};
#undef AT

static const struct number_range ranges[] = {
    {"seed", "0", "18446744073709551615", false, true, "a whole number from 0 to 2^64 - 1"},
    {"margin", "0", "1", false, false, "a number from 0 to 1"},
    {"alpha", "0", "1", true, false, "a number between 0 and 1"},
    {"maxCost", "0", NULL, true, false, "a number above 0"},
    {"maxJudgeCost", "0", NULL, true, false, "a number above 0"},
    {"maxMissing", "0", "1", false, false, "a share from 0 to 1"},
};

struct arm_properties {
    gramc_arm arm;
    gramc_text agent, library, meta;
};

#define AT(member) offsetof(struct arm_properties, member)
static const struct property_row arm_rows[] = {
    {"agent", PROPERTY_TEXT, AT(agent)},
    {"library", PROPERTY_TEXT, AT(library)},
    {"model", PROPERTY_TEXT, AT(arm.model)},
    {"temperature", PROPERTY_NUMBER, AT(arm.temperature)},
    {"topP", PROPERTY_NUMBER, AT(arm.top_p)},
    {"presencePenalty", PROPERTY_NUMBER, AT(arm.presence_penalty)},
    {"frequencyPenalty", PROPERTY_NUMBER, AT(arm.frequency_penalty)},
    {"maxTokens", PROPERTY_NUMBER, AT(arm.max_tokens)},
    {"seed", PROPERTY_NUMBER, AT(arm.seed)},
    {"weight", PROPERTY_NUMBER, AT(arm.weight)},
    {"meta", PROPERTY_META, AT(meta)},
};
#undef AT

static const struct number_range arm_ranges[] = {
    {"weight", "0", "1000", true, false, "a number above 0, up to 1000"}};

/* ## Properties */

static void need(struct pass *pass, gramc_text noun, gramc_text name, struct span at,
                 const char *property, const char *example) {
    struct finding *f =
        FIND(pass->findings, D_MISSING_PROPERTY, pass->source, at, noun, name, text_of(property));
    finding_help(pass->findings, f, "write %s", example);
}

static uint64_t number_of(gramc_text digits) {
    uint64_t number = 0;
    for (size_t i = 0; i < digits.len && digits.ptr[i] >= '0' && digits.ptr[i] <= '9'; i++)
        number = number * 10 + (uint64_t)(digits.ptr[i] - '0');
    return number;
}

/* The path as the compilation's paths go: relative to the file that names it. */
static gramc_text cases_path(struct pass *pass, gramc_text named) {
    gramc_text folder = pass->source->name;
    while (folder.len && folder.ptr[folder.len - 1] != '/') folder.len--;
    if (!named.len || named.ptr[0] == '/' || !folder.len) return named;
    char *path = arena_alloc(pass->arena, folder.len + named.len + 1);
    if (!path) return named;
    memcpy(path, folder.ptr, folder.len);
    memcpy(path + folder.len, named.ptr, named.len);
    path[folder.len + named.len] = '\0';
    return (gramc_text){path, folder.len + named.len};
}

/* One word or a list; `none` alone is the empty list. */
static void read_vary(struct pass *pass, gramc_experiment *experiment, const struct value *value) {
    static const char words[] = "none description schema model agent";
    bool several = value->kind == VALUE_ARRAY;
    gramc_text *list = arena_array(pass->arena, several ? value->count : 1, sizeof *list);
    if (!list) return;
    experiment->vary = list;
    for (const struct value *v = several ? value->as.items : value; v;
         v = several ? v->next : NULL) {
        bool alone = !several || value->count == 1;
        if (!value_is_name(v)) find_wrong_value_of(pass, v, TEXT("vary"), "words");
        else if (!word_check_value(pass, "vary", words, v)) continue;
        else if (!text_is(value_name(v), "none")) list[experiment->vary_count++] = value_name(v);
        else if (!alone)
            FIND(pass->findings, D_CONTRADICTION, pass->source, v->span,
                 TEXT("`none` stands in a list with others"), TEXT("leave it out"));
    }
}

static void read_reset(struct pass *pass, gramc_experiment *experiment, const struct value *value) {
    experiment->reset = library_list(pass, value, "reset", &experiment->reset_count);
    experiment->folder = library_folder(pass->source->name);
}

static void read_properties(struct pass *pass, struct experiment *experiment, gramc_text name) {
    const struct subject *subject = experiment->pattern->subject;
    struct experiment_properties p = {.experiment = {.name = name,
                                                     .metric = {"pass", 4},
                                                     .max_missing = {"0.02", 4},
                                                     .stop = {"fixed", 5},
                                                     .margin = {"0", 1},
                                                     .alpha = {"0.05", 4},
                                                     .repeats = 1}};
    properties_read(pass, subject->properties, rows, sizeof rows / sizeof *rows, &p, "experiments");
    ranges_check(pass, subject, ranges, sizeof ranges / sizeof *ranges);
    word_check(pass, property_find(subject, "stop"), "fixed sequential");
    experiment->public = p.experiment;
    experiment->meta = p.meta;
    experiment->public.seed = number_of(p.seed);
    if (p.vary) read_vary(pass, &experiment->public, p.vary);
    if (p.reset) read_reset(pass, &experiment->public, p.reset);
    if (!p.experiment.cases.len && !p.experiment.units)
        need(pass, TEXT("experiment"), name, experiment->name_at, "cases",
             "{cases: \"cases.jsonl\"}, one case a line");
    experiment->public.cases = cases_path(pass, p.experiment.cases);
}

void experiment_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *in_tree) {
    const struct pattern *pattern = pattern_kept(pass, in_tree);
    struct experiment *experiment = ARENA_NEW(pass->arena, struct experiment);
    gramc_text name = experiment && pattern ? pattern_name(pass, pattern, "an experiment")
                                            : (gramc_text){NULL, 0};
    if (!name.ptr) return;
    experiment->name_at = name_span(pattern->subject->identifier);
    experiment->source = pass->source;
    experiment->pattern = pattern;
    read_properties(pass, experiment, name);
    graders_read(pass, experiment);
    if (registry_add(&spec->experiments, name, experiment) != experiment) return;
    *spec->last_experiment = experiment;
    spec->last_experiment = &experiment->next;
}

/* ## Arms, once all names are known */

static const struct agent *find_agent(struct pass *pass, const struct gramc_spec *spec,
                                      const struct pattern *arm, gramc_text name) {
    const struct agent *agent = registry_get(&spec->agents, name);
    const struct property *p = property_find(arm->subject, "agent");
    if (!agent && name.len)
        report_unresolved(pass, D_UNRESOLVED_NAME, &spec->agents.names, TEXT("agent"), name,
                          p->value->span);
    return agent;
}

static const struct library *find_library(struct pass *pass, const struct gramc_spec *spec,
                                          const struct pattern *arm, gramc_text name) {
    const struct library *library = registry_get(&spec->libraries, name);
    const struct property *p = property_find(arm->subject, "library");
    if (!library && name.len)
        report_unresolved(pass, D_UNRESOLVED_NAME, &spec->libraries.names, TEXT("tool library"),
                          name, p->value->span);
    return library;
}

static bool needs_library(const struct agent *agent) {
    for (size_t i = 0; i < agent->reach_count; i++)
        if (!agent->reach[i]->public.optional) return true;
    return false;
}

static void resolve_arm(struct pass *pass, const struct gramc_spec *spec,
                        const struct pattern *pattern, gramc_arm *out, gramc_text *meta) {
    struct arm_properties p = {.agent = {NULL, 0}};
    struct span at = name_span(pattern->subject->identifier);
    properties_read(pass, pattern->subject->properties, arm_rows,
                    sizeof arm_rows / sizeof *arm_rows, &p, "arms");
    sampling_check(pass, pattern->subject);
    ranges_check(pass, pattern->subject, arm_ranges, sizeof arm_ranges / sizeof *arm_ranges);
    model_check(pass, config_for(pass->compilation, pass->source), pattern->subject, "model");
    const struct agent *agent = find_agent(pass, spec, pattern, p.agent);
    const struct library *library = find_library(pass, spec, pattern, p.library);
    gramc_text name = out->name;
    *meta = p.meta;
    *out = p.arm;
    out->name = name;
    out->agent = agent ? &agent->public : NULL;
    out->library = library ? &library->public : NULL;
    if (!p.agent.len) need(pass, TEXT("arm"), name, at, "agent", "{agent: someAgent, ...}");
    if (!p.library.len && agent && needs_library(agent))
        need(pass, TEXT("arm"), name, at, "library",
             "{library: someLibrary, ...}: its agent has tools");
}

static bool is_arm(struct pass *pass, const struct pattern *element) {
    bool arm = element->kind != PATTERN_PATH && text_is(pattern_label(element), "Arm");
    if (grader_is(element)) return false;
    if (!arm) FIND0(pass->findings, D_NOT_AN_ARM, pass->source, element->span);
    return arm && pattern_name(pass, element, "an arm").ptr;
}

/* True if the arm at `last` is one of those before it in all that it says. */
static bool same_arm(const gramc_arm *arms, size_t last) {
    const gramc_arm *a = &arms[last], *b = arms;
    while (!text_eq(a->name, b->name)) b++;
    return a->agent == b->agent && a->library == b->library && text_eq(a->model, b->model) &&
           text_eq(a->temperature, b->temperature) && text_eq(a->top_p, b->top_p) &&
           text_eq(a->presence_penalty, b->presence_penalty) &&
           text_eq(a->frequency_penalty, b->frequency_penalty) &&
           text_eq(a->max_tokens, b->max_tokens) && text_eq(a->seed, b->seed) &&
           text_eq(a->weight, b->weight);
}

static void read_arms(struct pass *pass, const struct gramc_spec *spec,
                      struct experiment *experiment, gramc_arm *arms) {
    struct map seen;
    map_init(&seen, pass->arena);
    for (const struct pattern *e = experiment->pattern->elements; e; e = e->next) {
        const struct pattern *element = pattern_plain(e);
        if (!is_arm(pass, element)) continue;
        gramc_arm *arm = &arms[experiment->public.arm_count];
        const struct name *name = &element->subject->identifier;
        const struct name *other = map_put(&seen, name_text(*name), &element->subject->identifier);
        arm->name = name_text(*name);
        resolve_arm(pass, spec, element, arm, &experiment->arm_metas[experiment->public.arm_count]);
        if (other == name) experiment->public.arm_count++;
        else if (!same_arm(arms, experiment->public.arm_count))
            report_name_taken(pass, D_DUPLICATE_ARM, name_text(*name), name_span(*name),
                              pass->source, name_span(*other));
    }
    if (experiment->public.arm_count > ARMS_MAX) {
        char limit[16];
        int len = snprintf(limit, sizeof limit, "%d", ARMS_MAX);
        FIND(pass->findings, D_MANY_ARMS, pass->source, experiment->name_at,
             experiment->public.name, (gramc_text){limit, (size_t)len});
    }
    if (experiment->public.arm_count > 1) return;
    struct finding *f = FIND(pass->findings, D_FEW_ARMS, pass->source, experiment->name_at,
                             experiment->public.name);
    finding_help(pass->findings, f, "write `| [control:Arm {...}], [treatment:Arm {...}]`");
}

/* ## Money: a limit without a price would never be reached */

static bool has_price(struct pass *pass, gramc_text model) {
    gramc_setting setting;
    struct buf key;
    bool found = false;
    size_t slash = 0;
    while (slash < model.len && model.ptr[slash] != '/') slash++;
    gramc_text id = slash < model.len ? text_slice(model, slash + 1, model.len) : model;
    for (int i = 0; i < 2 && !found; i++) {
        buf_init(&key, &pass->arena->allocator, SOURCE_MAX);
        buf_puts(&key, "models.");
        buf_text(&key, i ? id : model);
        buf_puts(&key, ".inputPerMillion");
        if (key.state == BUF_NOMEM) pass->arena->oom = true;
        found = gramc_setting_find(pass->compilation, buf_view(&key), &setting);
        buf_free(&key);
    }
    return found;
}

/* False: it was said already. */
static bool check_price(struct pass *pass, const struct property *limit, const char *name,
                        gramc_text model) {
    if (!model.len || has_price(pass, model)) return true;
    struct finding *f =
        FIND(pass->findings, D_NO_PRICE, pass->source, limit->value->span, model, text_of(name));
    finding_help(pass->findings, f,
                 "add [`...`:Model {inputPerMillion: ..., outputPerMillion: ...}] to gramc.gram");
    return false;
}

static void check_prices(struct pass *pass, const struct experiment *experiment) {
    const gramc_experiment *public = &experiment->public;
    const struct property *p = property_find(experiment->pattern->subject, "maxCost");
    bool good = true;
    for (size_t i = 0; p && good && i < public->arm_count; i++) {
        const gramc_arm *arm = &public->arms[i];
        gramc_text own = arm->agent ? arm->agent->model : (gramc_text){NULL, 0};
        good = check_price(pass, p, "maxCost", arm->model.len ? arm->model : own);
    }
    p = property_find(experiment->pattern->subject, "maxJudgeCost");
    good = true;
    for (size_t i = 0; p && good && i < public->grader_count; i++)
        good = check_price(pass, p, "maxJudgeCost", public->graders[i].model);
}

void experiment_resolve(struct pass *pass, struct gramc_spec *spec, struct experiment *experiment) {
    gramc_arm *arms = arena_array(pass->arena, experiment->pattern->element_count, sizeof *arms);
    experiment->arm_metas =
        arena_array(pass->arena, experiment->pattern->element_count, sizeof(gramc_text));
    if (!arms || !experiment->arm_metas) return;
    experiment->public.arms = arms;
    read_arms(pass, spec, experiment, arms);
    graders_resolve(pass, experiment);
    metrics_read(pass, experiment);
    check_prices(pass, experiment);
    cases_check(pass, experiment);
}

static struct registered place(const void *thing) {
    const struct experiment *experiment = thing;
    return (struct registered){experiment->source, experiment->name_at};
}

static bool is_same(struct pass *pass, void *first, void *other) {
    const struct experiment *both[2] = {first, other};
    struct buf texts[2];
    experiment_resolve(pass, pass->compilation->spec, other);
    for (int i = 0; i < 2; i++) {
        buf_init(&texts[i], &pass->arena->allocator, SOURCE_MAX);
        experiment_print(&texts[i], both[i]);
        if (texts[i].state == BUF_NOMEM) pass->arena->oom = true;
    }
    bool same = text_eq(buf_view(&texts[0]), buf_view(&texts[1]));
    for (int i = 0; i < 2; i++) buf_free(&texts[i]);
    return same;
}

const struct registry_sort experiment_sort = {D_DUPLICATE_EXPERIMENT, place, is_same};

bool experiment_has_property(gramc_text key) {
    return rows_have(rows, sizeof rows / sizeof *rows, key);
}
