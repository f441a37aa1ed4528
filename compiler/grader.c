/* Turns `[name:Grader {...}]` into a grader: what it looks at, and what passes. What is told by
 * looking at answer and calls becomes an object as a case's `expect`, so that both are judged by
 * the same code. Judges nothing. */
#include "compiler/grader.h"

#include "base/expectation.h"
#include "base/json/writer.h"
#include "base/placeholder.h"
#include "base/text.h"
#include "compiler/config.h"
#include "compiler/data.h"
#include "compiler/library.h"
#include "compiler/metric.h"
#include "compiler/model.h"
#include "compiler/pattern.h"
#include "compiler/sampling.h"
#include "compiler/schema_reader.h"
#include "compiler/words.h"
#include "jsonschema/regex.h"

#include <stdio.h>

enum { DEFAULT_JUDGE_MS = 60000 };

struct grader_properties {
    const struct value *checks[EXPECTATION_MEMBERS];
    const struct value *type, *exec, *min, *max;
    gramc_text description, rubric, prefer, model, metric, threshold, weight, meta;
    uint32_t timeout_ms;
    bool required;
};

#define AT(member) offsetof(struct grader_properties, member)
static const struct property_row rows[] = {
    {"description", PROPERTY_TEXT, AT(description)},
    {"equals", PROPERTY_VALUE, AT(checks[EXPECT_EQUALS])},
    {"contains", PROPERTY_VALUE, AT(checks[EXPECT_CONTAINS])},
    {"matches", PROPERTY_VALUE, AT(checks[EXPECT_MATCHES])},
    {"json", PROPERTY_VALUE, AT(checks[EXPECT_JSON])},
    {"pointer", PROPERTY_VALUE, AT(checks[EXPECT_POINTER])},
    {"calls", PROPERTY_VALUE, AT(checks[EXPECT_CALLS])},
    {"notCalls", PROPERTY_VALUE, AT(checks[EXPECT_NOT_CALLS])},
    {"arguments", PROPERTY_VALUE, AT(checks[EXPECT_ARGUMENTS])},
    {"mode", PROPERTY_VALUE, AT(checks[EXPECT_MODE])},
    {"type", PROPERTY_VALUE, AT(type)},
    {"exec", PROPERTY_VALUE, AT(exec)},
    {"rubric", PROPERTY_NAME, AT(rubric)},
    {"prefer", PROPERTY_NAME, AT(prefer)},
    {"model", PROPERTY_TEXT, AT(model)},
    {"metric", PROPERTY_TEXT, AT(metric)},
    {"min", PROPERTY_VALUE, AT(min)},
    {"max", PROPERTY_VALUE, AT(max)},
    {"threshold", PROPERTY_NUMBER, AT(threshold)},
    {"weight", PROPERTY_NUMBER, AT(weight)},
    {"required", PROPERTY_FLAG, AT(required)},
    {"timeout", PROPERTY_DURATION, AT(timeout_ms)},
    {"meta", PROPERTY_META, AT(meta)},
};
#undef AT

static const struct number_range ranges[] = {
    {"threshold", "0", "1", false, false, "a score from 0 to 1"},
    {"weight", "0", NULL, true, false, "a number above 0"},
};

bool grader_is(const struct pattern *element) {
    return element->kind != PATTERN_PATH && text_is(pattern_label(element), "Grader");
}

/* ## What it looks at */

static const struct {
    const char *property;
    gramc_grader_kind kind;
} kinds[] = {{"equals", GRAMC_GRADER_CHECKS},   {"contains", GRAMC_GRADER_CHECKS},
             {"matches", GRAMC_GRADER_CHECKS},  {"json", GRAMC_GRADER_CHECKS},
             {"pointer", GRAMC_GRADER_CHECKS},  {"calls", GRAMC_GRADER_CHECKS},
             {"notCalls", GRAMC_GRADER_CHECKS}, {"type", GRAMC_GRADER_CHECKS},
             {"exec", GRAMC_GRADER_EXEC},       {"rubric", GRAMC_GRADER_RUBRIC},
             {"prefer", GRAMC_GRADER_PREFER},   {"metric", GRAMC_GRADER_METRIC}};

/* False after a finding: it looks at nothing, or at what cannot be looked at together. */
static bool find_kind(struct pass *pass, struct grader *grader) {
    const struct property *first = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct property *p = property_find(grader->pattern->subject, kinds[i].property);
        if (!p) continue;
        if (!first) grader->public.kind = kinds[i].kind;
        else if (kinds[i].kind != grader->public.kind ||
                 grader->public.kind != GRAMC_GRADER_CHECKS) {
            struct finding *f = FIND(pass->findings, D_SEVERAL_LOOKS, pass->source,
                                     name_span(p->key), name_text(first->key), name_text(p->key));
            finding_help(pass->findings, f, "write two graders");
            return false;
        }
        if (!first) first = p;
    }
    if (first) return true;
    struct finding *f = FIND(pass->findings, D_NO_LOOK, pass->source,
                             name_span(grader->pattern->subject->identifier), grader->public.name);
    finding_help(
        pass->findings, f,
        "say one of equals, contains, matches, json, pointer, calls, notCalls, type, exec, "
        "rubric, prefer, metric");
    return false;
}

/* ## Properties that belong to others */

static bool says(const struct pattern *pattern, const char *names) {
    gramc_text rest = text_of(names);
    for (size_t start = 0, i = 0; i <= rest.len; i++) {
        if (i < rest.len && rest.ptr[i] != ' ') continue;
        for (const struct property *p = pattern->subject->properties; p; p = p->next)
            if (text_eq(name_text(p->key), text_slice(rest, start, i))) return true;
        start = i + 1;
    }
    return false;
}

static void check_places(struct pass *pass, const struct grader *grader) {
    static const struct {
        const char *property, *others, *said;
    } places[] = {{"arguments", "calls", "calls"},
                  {"mode", "calls", "calls"},
                  {"model", "rubric prefer", "rubric or prefer"},
                  {"timeout", "exec rubric prefer", "exec, rubric or prefer"},
                  {"min", "metric", "metric"},
                  {"max", "metric", "metric"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct property *p = property_find(grader->pattern->subject, places[i].property);
        if (p && !says(grader->pattern, places[i].others))
            FIND(pass->findings, D_IDLE_PROPERTY, pass->source, name_span(p->key),
                 name_text(p->key), text_of(places[i].said));
    }
}

/* ## Checks: an object as a case's `expect` */

static void put_check(struct pass *pass, struct json_writer *w, enum expectation_member member,
                      const struct value *value) {
    if (value_is_name(value)) {
        json_member_text(w, expectation_name(member), value_text(pass, value));
        return;
    }
    gramc_text json = data_json(pass, value);
    if (json.ptr) json_member_raw(w, expectation_name(member), json);
}

static bool has_property(gramc_text pattern) {
    for (size_t i = 1; i < pattern.len; i++)
        if (pattern.ptr[i - 1] == '\\' && (pattern.ptr[i] | 0x20) == 'p') return true;
    return false;
}

/* The names of properties of characters are PCRE2's to know. */
static bool compiles(struct arena *arena, gramc_text pattern, struct regex_error *error) {
    struct regex_set set;
    struct arena scratch;
    arena_init(&scratch, &arena->allocator);
    regex_set_init(&set, &scratch);
    bool fine = regex_compile(&set, pattern, error);
    if (scratch.oom) arena->oom = true;
    regex_set_free(&set);
    arena_free(&scratch);
    return fine;
}

static bool is_bad_pattern(struct arena *arena, const struct json *value, char *message,
                           size_t size) {
    struct regex_error error = {0, ""};
    if (value->kind != JSON_STRING || placeholder_is_in(value->text)) return false;
    bool fine = regex_translate(NULL, value->text, NULL, &error);
    if (fine && has_property(value->text)) fine = compiles(arena, value->text, &error);
    snprintf(message, size, "%s", error.message);
    return !fine;
}

bool expectation_bad_pattern(struct arena *arena, const struct json *object, char *message,
                             size_t size) {
    const struct json *matches = json_get(object, expectation_name(EXPECT_MATCHES));
    if (!matches) return false;
    const struct json *v = matches->kind == JSON_ARRAY ? matches->first : NULL;
    while (v && !is_bad_pattern(arena, v, message, size)) v = v->next;
    return v || is_bad_pattern(arena, matches, message, size);
}

/* At the property itself; the rest is said of the whole. */
static void report_misfit(struct pass *pass, const struct grader *grader,
                          const struct json *where) {
    char key[32];
    int len = snprintf(key, sizeof key, "%.*s", TEXT_ARGS(where->key));
    const struct property *p = len > 0 ? property_find(grader->pattern->subject, key) : NULL;
    gramc_text wanted = text_of(expectation_wanted(expectation_named(where->key)));
    if (p && where->count)
        FIND(pass->findings, D_WRONG_VALUE, pass->source, p->value->span, where->key, wanted,
             TEXT("what stands here"));
    else if (p) find_wrong_value_of(pass, p->value, where->key, wanted.ptr);
}

static void judge_checks(struct pass *pass, const struct grader *grader,
                         const struct json *object) {
    const struct json *where = NULL;
    char message[200];
    const struct property *matches = property_find(grader->pattern->subject, "matches");
    switch (expectation_check(object, &where)) {
    case EXPECTATION_MISFIT: report_misfit(pass, grader, where); return;
    case EXPECTATION_DANGLING:
        if (text_is(where->key, "arguments") && json_get(object, "calls"))
            FIND(pass->findings, D_CONTRADICTION, pass->source,
                 property_place(grader->pattern->subject, "arguments"),
                 TEXT("`arguments` belongs to one call that `calls` names"),
                 TEXT("write `calls: [{name: ..., arguments: ...}]`"));
        return;
    default: break; /* unknown and repeated ones have been reported; empty: there is `type` */
    }
    if (matches && expectation_bad_pattern(pass->arena, object, message, sizeof message))
        FIND(pass->findings, D_BAD_PATTERN, pass->source, matches->value->span, text_of(message));
}

static const struct json *read_checks(struct pass *pass, struct grader *grader,
                                      const struct grader_properties *p) {
    struct buf out;
    buf_init(&out, &pass->arena->allocator, SOURCE_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    for (int i = 0; i < EXPECTATION_MEMBERS; i++)
        if (p->checks[i]) put_check(pass, &w, (enum expectation_member)i, p->checks[i]);
    json_object_end(&w);
    grader->public.checks = buf_to_arena(&out, pass->arena);
    if (p->type) grader->type = schema_of_value(pass, p->type);
    const struct json *object = json_parse(pass->arena, grader->public.checks, NULL);
    if (object) judge_checks(pass, grader, object);
    return object;
}

/* ## Judges and programs */

static void read_judge(struct pass *pass, struct grader *grader,
                       const struct grader_properties *p) {
    bool rubric = grader->public.kind == GRAMC_GRADER_RUBRIC;
    grader->public.question = rubric ? p->rubric : p->prefer;
    grader->public.model = p->model;
    if (!p->model.len) {
        struct finding *f = FIND(pass->findings, D_MISSING_PROPERTY, pass->source,
                                 name_span(grader->pattern->subject->identifier), TEXT("grader"),
                                 grader->public.name, TEXT("model"));
        finding_help(pass->findings, f, "write {model: \"Provider/id\", ...}: a judge costs money");
    }
    model_check(pass, config_for(pass->compilation, pass->source), grader->pattern->subject,
                "model");
}

static void read_program(struct pass *pass, struct grader *grader, const struct value *exec) {
    grader->public.argv = library_list(pass, exec, "exec", &grader->public.argc);
}

/* ## Metrics */

/* A duration where the metric is one: in milliseconds. */
static gramc_text read_bound(struct pass *pass, const struct grader *grader, const char *name) {
    const struct property *p = property_find(grader->pattern->subject, name);
    gramc_text none = {NULL, 0};
    uint32_t ms = 0;
    char digits[16];
    if (!p) return none;
    if (text_is(grader->public.metric, "latency")) {
        if (!duration_read(pass, p, &ms)) return none;
        int len = snprintf(digits, sizeof digits, "%u", (unsigned)ms);
        return arena_text(pass->arena, (gramc_text){digits, (size_t)len});
    }
    if (p->value->kind == VALUE_INTEGER || p->value->kind == VALUE_DECIMAL)
        return scalar_text(p->value);
    find_wrong_value(pass, p, "a number");
    return none;
}

static void read_metric(struct pass *pass, struct grader *grader,
                        const struct grader_properties *p) {
    gramc_grader *public = &grader->public;
    const struct subject *subject = grader->pattern->subject;
    public->metric = p->metric;
    word_check(pass, property_find(subject, "metric"), MEASURED_METRICS);
    public->min = read_bound(pass, grader, "min");
    public->max = read_bound(pass, grader, "max");
    if (!p->min && !p->max) {
        struct finding *f =
            FIND(pass->findings, D_MISSING_PROPERTY, pass->source, name_span(subject->identifier),
                 TEXT("grader"), public->name, TEXT("max"));
        finding_help(pass->findings, f, "write {metric: %.*s, max: ...}, or min",
                     TEXT_ARGS(p->metric));
    } else if (public->min.len && public->max.len &&
               json_number_compare(public->min, public->max) > 0)
        FIND(pass->findings, D_CONTRADICTION, pass->source, property_place(subject, "min"),
             TEXT("`min` is greater than `max`"), TEXT("nothing would pass"));
}

/* ## The fields of the case that its texts name */

static size_t count_marks(gramc_text text) {
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) count += text.ptr[i] == '$';
    return count;
}

static void report_placeholder(struct pass *pass, const struct grader *grader, gramc_text what,
                               bool open) {
    struct finding *f = FIND(pass->findings, D_BAD_PLACEHOLDER, pass->source,
                             name_span(grader->pattern->subject->identifier),
                             text_slice(what, 0, what.len < 40 ? what.len : 40),
                             open ? TEXT("it is never closed") : TEXT("this is no name"));
    finding_help(pass->findings, f, "write ${name}; a literal ${ is written $${");
}

static void note_fields(struct pass *pass, struct grader *grader, gramc_text text) {
    struct placeholder part;
    gramc_text *fields =
        arena_array(pass->arena, grader->field_count + count_marks(text), sizeof *fields);
    if (!fields || !count_marks(text)) return;
    for (size_t i = 0; i < grader->field_count; i++) fields[i] = grader->fields[i];
    for (size_t pos = 0; placeholder_next(text, &pos, &part);) {
        if (part.kind == PLACEHOLDER_NAME) fields[grader->field_count++] = part.text;
        else if (part.kind != PLACEHOLDER_TEXT)
            report_placeholder(pass, grader, part.text, part.kind == PLACEHOLDER_OPEN);
    }
    grader->fields = fields;
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
static void note_fields_of(struct pass *pass, struct grader *grader, const struct json *value) {
    if (value->kind == JSON_STRING) note_fields(pass, grader, value->text);
    for (const struct json *v = value->first; v; v = v->next) note_fields_of(pass, grader, v);
}

/* ## One grader */

static void read_kind(struct pass *pass, struct grader *grader, const struct grader_properties *p) {
    const struct json *object = NULL;
    switch (grader->public.kind) {
    case GRAMC_GRADER_CHECKS: object = read_checks(pass, grader, p); break;
    case GRAMC_GRADER_EXEC: read_program(pass, grader, p->exec); break;
    case GRAMC_GRADER_RUBRIC:
    case GRAMC_GRADER_PREFER: read_judge(pass, grader, p); break;
    case GRAMC_GRADER_METRIC: read_metric(pass, grader, p); break;
    }
    if (object) note_fields_of(pass, grader, object);
    note_fields(pass, grader, grader->public.question);
    for (size_t i = 0; i < grader->public.argc; i++)
        note_fields(pass, grader, grader->public.argv[i]);
}

static void read_grader(struct pass *pass, struct grader *grader, const struct pattern *pattern,
                        gramc_text name) {
    struct grader_properties p = {.weight = {"1", 1}, .required = true};
    *grader = (struct grader){.pattern = pattern, .public = {.name = name}};
    properties_read(pass, pattern->subject->properties, rows, sizeof rows / sizeof *rows, &p,
                    "graders");
    ranges_check(pass, pattern->subject, ranges, sizeof ranges / sizeof *ranges);
    grader->meta = p.meta;
    grader->public.description = p.description;
    grader->public.threshold = p.threshold;
    grader->public.weight = p.weight;
    grader->public.required = p.required;
    grader->public.timeout_ms = p.timeout_ms ? p.timeout_ms : DEFAULT_JUDGE_MS;
    grader->public.folder = library_folder(pass->source->name);
    if (pattern->elements)
        FIND0(pass->findings, D_NOT_AN_ARM, pass->source, pattern->elements->span);
    check_places(pass, grader);
    if (find_kind(pass, grader)) read_kind(pass, grader, &p);
    if (metric_is_taken(name))
        FIND(pass->findings, D_CONTRADICTION, pass->source, name_span(pattern->subject->identifier),
             TEXT("a metric, or what a case expects, is reported by this name"),
             TEXT("call the grader otherwise"));
}

static bool same_pattern(const struct pass *pass, const struct pattern *a,
                         const struct pattern *b) {
    return text_eq(source_slice(pass->source, a->span), source_slice(pass->source, b->span));
}

void graders_read(struct pass *pass, struct experiment *experiment) {
    size_t room = experiment->pattern->element_count, count = 0;
    struct map seen;
    map_init(&seen, pass->arena);
    experiment->graders = arena_array(pass->arena, room, sizeof *experiment->graders);
    for (const struct pattern *e = experiment->pattern->elements; e && experiment->graders;
         e = e->next) {
        const struct pattern *element = pattern_plain(e);
        gramc_text name =
            grader_is(element) ? pattern_name(pass, element, "a grader") : (gramc_text){NULL, 0};
        if (!name.ptr) continue;
        const struct pattern *other = map_put(&seen, name, (void *)(uintptr_t)element);
        if (other == element) read_grader(pass, &experiment->graders[count++], element, name);
        else if (other && !same_pattern(pass, other, element))
            report_name_taken(pass, D_DUPLICATE_GRADER, name,
                              name_span(element->subject->identifier), pass->source,
                              name_span(other->subject->identifier));
    }
    experiment->public.grader_count = count;
}

static void check_calls(struct pass *pass, const struct experiment *experiment,
                        const struct grader *grader) {
    const struct subject *subject = grader->pattern->subject;
    if (!property_find(subject, "calls") && !property_find(subject, "notCalls")) return;
    const struct json *object = json_parse(pass->arena, grader->public.checks, NULL);
    gramc_text name =
        object ? expectation_unknown_call(object, &experiment->public) : (gramc_text){NULL, 0};
    if (!name.len) return;
    gramc_text near = nearest_call(pass->arena, name, &experiment->public);
    if (!near.len) return;
    struct finding *f = FIND(pass->findings, D_UNKNOWN_CALL, pass->source,
                             name_span(subject->identifier), name, TEXT("this grader"));
    finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
}

void graders_resolve(struct pass *pass, struct experiment *experiment) {
    size_t count = experiment->public.grader_count;
    gramc_grader *public = arena_array(pass->arena, count, sizeof *public);
    for (size_t i = 0; i < count && public; i++) {
        struct grader *grader = &experiment->graders[i];
        if (grader->type) schema_check(pass, grader->type, NULL);
        if (grader->type && grader->type->type)
            grader->public.type = schema_build(pass->arena, grader->type, SCHEMA_PRINTED).text;
        public[i] = grader->public;
        check_calls(pass, experiment, grader);
    }
    experiment->public.graders = public;
    if (!public) experiment->public.grader_count = 0;
}
