/* Turns trees into a spec: each top-level pattern is read by its label. Tools, agents and libraries
 * have a file each; here is the order of the steps, and the public look-ups. */
#include "compiler/spec.h"

#include "base/sort.h"
#include "base/text.h"
#include "compiler/config.h"
#include "compiler/definition.h"
#include "compiler/experiment.h"
#include "compiler/fixes.h"
#include "compiler/imports.h"
#include "compiler/library.h"
#include "compiler/naming.h"
#include "compiler/pattern.h"
#include "compiler/properties.h"
#include "compiler/reuse.h"
#include "compiler/schema_reader.h"
#include "compiler/task.h"
#include "compiler/tool.h"
#include "compiler/types.h"
#include "compiler/vocabulary.h"

typedef void pattern_reader(struct pass *pass, struct gramc_spec *spec,
                            const struct pattern *pattern);

static void read_tool(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern) {
    tool_read(pass, spec, pattern);
}

/* The labels of the language; read NULL: it stands `inside` another pattern, not at top level. */
static const struct {
    const char *label;
    pattern_reader *read;
    bool (*has_property)(gramc_text key);
    const char *inside;
} labels[] = {{"Agent", agent_read, agent_has_property, NULL},
              {"Tool", read_tool, tool_has_property, NULL},
              {"ToolLibrary", library_read, library_has_property, NULL},
              {"Experiment", experiment_read, experiment_has_property, NULL},
              {"Task", NULL, NULL, "an agent"},
              {"ToolBox", NULL, NULL, "an agent or a task"},
              {"ToolImpl", NULL, NULL, "a tool library"},
#define GRAMC_BOX(id, label, tools) {#label, NULL, NULL, "a tool library"},
#include "gramc/kinds.def"
              {"Arm", NULL, NULL, "an experiment"},
              {"Grader", NULL, NULL, "an experiment"},
              {"Model", NULL, NULL, "a configuration (gramc.gram)"}};

enum { LABELS = sizeof labels / sizeof *labels };

bool label_is_known(gramc_text label) {
    for (size_t i = 0; i < LABELS; i++)
        if (text_is(label, labels[i].label)) return true;
    return false;
}

/* ## Top level */

/* One letter from it: labels of other programs are left alone. A pattern is not built on itself. */
static bool is_slip_of(const struct pattern *pattern, gramc_text type) {
    return type.len && !text_eq(type, name_text(pattern->subject->identifier)) &&
           text_distance(pattern_label(pattern), type, 1) <= 1;
}

/* The label, the type of the language or the definition that was meant. */
static gramc_text nearest_label(const struct pass *pass, const struct pattern *pattern,
                                const gramc_text names[LABELS]) {
    gramc_text label = pattern_label(pattern), near = text_nearest(label, names, LABELS);
    const gramc_text types[] = {type_nearest(label), definition_nearest(pass, label)};
    for (size_t i = 0; i < sizeof types / sizeof *types && !near.len; i++)
        if (is_slip_of(pattern, types[i])) near = types[i];
    return near;
}

static void report_label(struct pass *pass, const struct pattern *pattern) {
    gramc_text label = pattern_label(pattern), names[LABELS], near = {NULL, 0};
    for (size_t i = 0; i < LABELS; i++) names[i] = text_of(labels[i].label);
    if (label.len) near = nearest_label(pass, pattern, names);
    enum diag_id id = near.len ? D_MISSPELT_LABEL : D_IGNORED_PATTERN;
    if (!near.len) pass->compilation->spec->ignored[pass->source->order]++;
    struct span at = label.len ? name_span(pattern->subject->labels->name) : pattern->span;
    struct finding *f = FIND(pass->findings, id, pass->source, at, label);
    if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
    struct slip slip = {.word = label};
    for (size_t i = 0; i < LABELS; i++) slip_try(&slip, names[i]);
    fix_slip(pass, f, &slip);
}

static bool has_property(gramc_text label, gramc_text key) {
    for (size_t i = 0; i < LABELS; i++)
        if (text_is(label, labels[i].label))
            return labels[i].has_property && labels[i].has_property(key);
    return label.len && type_has_property(key);
}

/* Annotations mean nothing here; one that reads like a property would mislead. */
static const struct pattern *without_annotations(struct pass *pass, const struct pattern *pattern) {
    const struct pattern *inner = pattern_plain(pattern);
    gramc_text label = pattern_label(inner);
    for (; pattern != inner; pattern = pattern->elements) {
        const struct subject *subject = pattern->subject;
        for (const struct property *p = subject ? subject->properties : NULL; p; p = p->next)
            if (has_property(label, name_text(p->key)))
                FIND(pass->findings, D_ANNOTATION, pass->source, property_span(p),
                     name_text(p->key));
    }
    return inner;
}

/* For a program that wants the schemas of one signature and has no tool. */
static void read_bare(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern) {
    struct bare *bare = ARENA_NEW(pass->arena, struct bare);
    if (!bare) return;
    bare->source = pass->source;
    bare->signature = signature_read(pass, pattern);
    *spec->last_bare = bare;
    spec->last_bare = &bare->next;
}

static void report_misplaced(struct pass *pass, const struct pattern *pattern, const char *inside) {
    static const struct {
        const char *inside, *owner;
    } owners[] = {{"an agent", "Agent"},
                  {"an agent or a task", "Agent"},
                  {"a tool library", "ToolLibrary"},
                  {"an experiment", "Experiment"}};
    gramc_text label = pattern_label(pattern);
    struct finding *f = FIND(pass->findings, D_MISPLACED_LABEL, pass->source,
                             name_span(pattern->subject->labels->name), label, text_of(inside));
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++)
        if (text_is(text_of(inside), owners[i].inside))
            finding_help(pass->findings, f, "write `[name:%s {...} | [...:%.*s {...}]]`",
                         owners[i].owner, TEXT_ARGS(label));
}

static void read_pattern(struct pass *pass, struct gramc_spec *spec,
                         const struct pattern *pattern) {
    gramc_text label = pattern_label(pattern);
    if (signature_is(pattern)) read_bare(pass, spec, pattern);
    for (size_t i = 0; i < LABELS; i++) {
        if (!text_is(label, labels[i].label)) continue;
        const struct label *second = pattern->subject->labels->next;
        if (second) FIND0(pass->findings, D_SEVERAL_LABELS, pass->source, name_span(second->name));
        if (labels[i].read) labels[i].read(pass, spec, pattern);
        else report_misplaced(pass, pattern, labels[i].inside);
    }
}

/* A pattern with another label may be a type; one without is nothing to us. */
static void collect_pattern(struct pass *pass, struct gramc_spec *spec,
                            const struct pattern *pattern) {
    pattern = without_annotations(pass, pattern);
    gramc_text label = pattern_label(pattern);
    if (label_is_known(label)) return;
    if (label.len && pattern->kind != PATTERN_PATH) definition_collect(pass, spec, pattern);
    else if (signature_is(pattern)) return;
    else report_label(pass, pattern);
}

bool tree_may_define(const struct tree *tree) {
    const struct pattern *p = tree->patterns;
    while (p && (p->kind == PATTERN_HEADER ||
                 (p->kind != PATTERN_ANNOTATED && label_is_known(pattern_label(p)))))
        p = p->next;
    return p != NULL;
}

/* Of a tree that nobody reads again, gives back what has been understood. */
static void read_patterns(struct pass *pass, struct gramc_spec *spec, struct unit *unit) {
    bool forgets = unit->is_read_once;
    for (const struct pattern *p = unit->tree->patterns; p && !pass->arena->oom; p = p->next) {
        if (p->kind != PATTERN_HEADER) read_pattern(pass, spec, pattern_plain(p));
        /* The header is made last and stands first. */
        if (forgets && p->kind != PATTERN_HEADER) arena_free_before(&unit->nodes, p);
    }
    if (!forgets) return;
    arena_free(&unit->nodes);
    unit->tree->patterns = NULL;
    unit->is_forgotten = true;
}

/* Types first: the tools look them up. */
static void read_units(struct pass *pass, struct gramc_spec *spec) {
    for (const struct unit_link *l = spec->units; l && !pass->arena->oom; l = l->next) {
        const struct unit *u = l->unit;
        pass->source = &u->source;
        if (u->is_configuration) {
            config_check(pass, u->tree);
            continue;
        }
        for (const struct pattern *p = u->may_define ? u->tree->patterns : NULL; p; p = p->next)
            if (p->kind != PATTERN_HEADER) collect_pattern(pass, spec, p);
    }
    definitions_read(pass, spec, report_label);
    definitions_measure(pass, spec);
    for (const struct unit_link *l = spec->units; l && !pass->arena->oom; l = l->next) {
        pass->source = &l->unit->source;
        if (!l->unit->is_configuration) read_patterns(pass, spec, l->unit);
    }
    definitions_measure(pass, spec);
}

/* ## The order of tools */

/* ./a.gram is a.gram. */
static gramc_text path_of(const struct tool *tool) {
    gramc_text path = tool->source->name;
    while (text_starts(path, "./")) path = text_slice(path, 2, path.len);
    return path;
}

/* Where it stands first, of the files that have it. */
static const struct tool *place_of(const struct tool *tool) {
    return tool->earliest ? tool->earliest : tool;
}

static bool is_earlier(const void *ctx, const void *a, const void *b) {
    const struct tool *one = place_of(*(struct tool *const *)a),
                      *other = place_of(*(struct tool *const *)b);
    int order = text_compare(path_of(one), path_of(other));
    (void)ctx;
    return order < 0 || (order == 0 && one->name_at.start < other->name_at.start);
}

static void place_twins(const struct gramc_spec *spec) {
    for (const struct twin *t = spec->tools.twins; t; t = t->next) {
        struct tool *first = t->first, *other = t->other;
        if (is_earlier(NULL, &other, &first)) first->earliest = place_of(other);
    }
}

static bool are_in_one_file(struct tool *const *tools, size_t count) {
    size_t i = 1;
    while (i < count && place_of(tools[i])->source == place_of(tools[0])->source) i++;
    return i >= count;
}

/* By the paths of their files, and as written in each: whichever order the files came in. */
static void order_tools(struct gramc_spec *spec, struct arena *arena) {
    size_t count = spec->tools.count;
    if (arena->oom) return;
    place_twins(spec);
    if (are_in_one_file(spec->tool_list, count)) return;
    struct tool **spare = arena_array(arena, count, sizeof *spare);
    if (!spare) return;
    spec->tool_list = sort_merge(spec->tool_list, spare, count, sizeof *spare, is_earlier, NULL);
}

/* ## The steps */

struct gramc_spec *spec_new(gramc_compilation *compilation, struct unit_link *units) {
    struct gramc_spec *spec = ARENA_NEW(&compilation->arena, struct gramc_spec);
    if (!spec) return NULL;
    spec->compilation = compilation;
    spec->units = units;
    spec->last_bare = &spec->first_bare;
    spec->last_tool = &spec->first_tool;
    spec->last_agent = &spec->first_agent;
    spec->last_library = &spec->first_library;
    spec->last_experiment = &spec->first_experiment;
    spec->last_definition = &spec->first_definition;
    spec->last_reuse = &spec->first_reuse;
    registry_init(&spec->definitions, &compilation->arena);
    map_init(&spec->cut_schemas, &compilation->arena);
    registry_init(&spec->tools, &compilation->arena);
    registry_init(&spec->agents, &compilation->arena);
    registry_init(&spec->libraries, &compilation->arena);
    registry_init(&spec->experiments, &compilation->arena);
    spec->ignored =
        arena_array(&compilation->arena,
                    compilation->last_source ? compilation->last_source->order + (size_t)1 : 1,
                    sizeof *spec->ignored);
    return spec->ignored ? spec : NULL;
}

/* Lists for the public look-ups by index. */
static void make_lists(struct gramc_spec *spec, struct arena *arena) {
    size_t i = 0;
    spec->agent_list = arena_array(arena, spec->agents.count, sizeof(void *));
    spec->library_list = arena_array(arena, spec->libraries.count, sizeof(void *));
    spec->experiment_list = arena_array(arena, spec->experiments.count, sizeof(void *));
    if (arena->oom) return;
    for (struct agent *a = spec->first_agent; a; a = a->next) spec->agent_list[i++] = a;
    i = 0;
    for (struct library *l = spec->first_library; l; l = l->next) spec->library_list[i++] = l;
    i = 0;
    for (struct experiment *e = spec->first_experiment; e; e = e->next)
        spec->experiment_list[i++] = e;
}

static void check_tools(struct pass *pass, const struct gramc_spec *spec) {
    const struct tool *tool = spec->has_late_tools ? spec->first_tool : NULL;
    for (; tool && !pass->arena->oom; tool = tool->next)
        if (!tool->is_checked) tool_check(pass, tool);
}

static void check_bare(struct pass *pass, const struct gramc_spec *spec) {
    for (const struct bare *b = spec->first_bare; b && !pass->arena->oom; b = b->next) {
        pass->source = b->source;
        if (b->signature) signature_check(pass, b->signature);
    }
}

/* Imports alone are something, and so is a configuration; a version of the language is not. */
static bool says_something(const struct unit *unit, uint32_t ignored) {
    const struct tree *tree = unit->tree;
    uint32_t header = tree->has_header ? 1 : 0;
    return unit->imports || unit->is_configuration || tree->pattern_count > header + ignored;
}

static bool looks_like_json(gramc_text text) {
    size_t opened = 0;
    text = text_trim(text);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '[' || c == '{') opened++;
        else if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return opened && c == '"';
    }
    return false;
}

static bool is_ignored_in(void *source, const struct finding *f) {
    return f->id == D_IGNORED_PATTERN && f->source == source;
}

/* That each of its patterns means nothing is the same news. */
static void gather_ignored(struct pass *pass, struct finding *told, struct source *source) {
    const struct finding *f = pass->findings->first;
    while (f && !is_ignored_in(source, f)) f = f->next;
    if (!f) return;
    if (f->span.start)
        finding_label(pass->findings, told, source, f->span, "this has no label that gramc knows");
    (void)findings_remove(pass->findings, is_ignored_in, source);
}

/* What was left out by mistake must not look like what is without mistakes. */
static void check_meaning(struct pass *pass, const struct gramc_spec *spec) {
    const struct span beginning = {0, 0};
    for (const struct unit_link *l = spec->units; l; l = l->next) {
        if (says_something(l->unit, spec->ignored[l->unit->source.order])) continue;
        struct finding *f = FIND0(pass->findings, D_NO_MEANING, &l->unit->source, beginning);
        bool json = looks_like_json(l->unit->source.text);
        finding_help(pass->findings, f,
                     json ? "this looks like JSON: `gramc import` makes a spec of tool definitions"
                          : "if it is no file for gramc, name it in `exclude` of gramc.gram");
        gather_ignored(pass, f, &l->unit->source);
    }
}

/* The types of structured answers. */
static void check_outputs(struct pass *pass, const struct agent *agent) {
    pass->source = agent->source;
    schema_check(pass, agent->output, NULL);
    for (const struct task *t = agent->first_task; t; t = t->next)
        schema_check(pass, t->output, NULL);
}

/* What the arms show can be compared once everything in them is sound. */
static void resolve_experiments(struct pass *pass, struct gramc_spec *spec) {
    for (struct experiment *e = spec->first_experiment; e && !pass->arena->oom; e = e->next) {
        pass->source = e->source;
        experiment_resolve(pass, spec, e);
    }
    if (!pass->arena->oom) registry_check(pass, &spec->experiments, &experiment_sort);
    bool sound = !findings_have_errors(pass->findings);
    for (struct experiment *e = spec->first_experiment; e && sound && !pass->arena->oom;
         e = e->next) {
        pass->source = e->source;
        experiment_compare(pass, e);
    }
}

void spec_read(struct pass *pass, struct gramc_spec *spec) {
    read_units(pass, spec);
    if (!pass->arena->oom) reuses_resolve(pass, spec);
    definitions_measure(pass, spec);
    if (!pass->arena->oom) definitions_check(pass, spec);
    check_tools(pass, spec);
    check_bare(pass, spec);
    if (!pass->arena->oom) libraries_resolve(pass, spec);
    for (const struct agent *agent = spec->first_agent; agent; agent = agent->next)
        check_outputs(pass, agent);
    for (struct agent *agent = spec->first_agent; agent && !pass->arena->oom; agent = agent->next) {
        pass->source = agent->source;
        agent_resolve(pass, spec, agent);
    }
    if (!pass->arena->oom) registry_check(pass, &spec->tools, &tool_sort);
    if (!pass->arena->oom) registry_check(pass, &spec->agents, &agent_sort);
    resolve_experiments(pass, spec);
    if (!pass->arena->oom) vocabulary_check(pass, spec);
    if (!pass->arena->oom) naming_check(pass, spec);
    if (!pass->arena->oom) check_meaning(pass, spec);
    libraries_finish(pass, spec);
    if (!pass->arena->oom) make_lists(spec, pass->arena);
    order_tools(spec, pass->arena);
}

/* ## Tools of several specs, as one list */

static void add_own(struct pass *pass, struct gramc_spec *list, const struct gramc_spec *spec,
                    struct tool **room) {
    for (struct tool *t = spec->first_tool; t; t = t->next)
        if (spec_owns(spec, t->source) && registry_add(&list->tools, t->identifier, t) == t)
            room[list->tools.count - 1] = t;
    for (const struct bare *b = spec->first_bare; b; b = b->next) {
        struct bare *copy = spec_owns(spec, b->source) ? ARENA_NEW(pass->arena, struct bare) : NULL;
        if (!copy) continue;
        *copy = *b;
        copy->next = NULL;
        *list->last_bare = copy;
        list->last_bare = &copy->next;
    }
}

void spec_list_tools(struct pass *pass, struct gramc_spec *list) {
    const struct gramc_spec **specs, *spec = pass->compilation->specs;
    size_t i = pass->compilation->spec_count, tools = 0;
    specs = arena_array(pass->arena, i, sizeof *specs);
    for (; specs && spec; spec = spec->older) {
        specs[--i] = spec;
        tools += spec->tools.count;
    }
    list->tool_list = arena_array(pass->arena, tools, sizeof(void *));
    if (!specs || !list->tool_list) return;
    for (i = 0; i < pass->compilation->spec_count && !pass->arena->oom; i++)
        add_own(pass, list, specs[i], list->tool_list);
    if (!pass->arena->oom) registry_check(pass, &list->tools, &tool_sort);
    order_tools(list, pass->arena);
}

/* ## Look-ups */

size_t gramc_spec_agent_count(const gramc_spec *spec) {
    return spec->agents.count;
}

const gramc_agent *gramc_spec_agent(const gramc_spec *spec, size_t i) {
    return i < spec->agents.count ? &spec->agent_list[i]->public : NULL;
}

size_t gramc_spec_tool_count(const gramc_spec *spec) {
    return spec->tools.count;
}

const gramc_tool *gramc_spec_tool(const gramc_spec *spec, size_t i) {
    return i < spec->tools.count ? &spec->tool_list[i]->public : NULL;
}

size_t gramc_spec_signature_count(const gramc_spec *spec) {
    size_t count = 0;
    for (const struct bare *b = spec->first_bare; b; b = b->next) count++;
    return count;
}

size_t gramc_spec_library_count(const gramc_spec *spec) {
    return spec->libraries.count;
}

const gramc_library *gramc_spec_library(const gramc_spec *spec, size_t i) {
    return i < spec->libraries.count ? &spec->library_list[i]->public : NULL;
}

gramc_status gramc_spec_find_agent(const gramc_agent **out, const gramc_spec *spec,
                                   gramc_text name) {
    gramc_status status;
    const struct agent *agent = registry_choose(&spec->agents, name, &status);
    *out = agent ? &agent->public : NULL;
    return status;
}

gramc_status gramc_spec_find_library(const gramc_library **out, const gramc_spec *spec,
                                     gramc_text name) {
    gramc_status status;
    const struct library *library = registry_choose(&spec->libraries, name, &status);
    *out = library ? &library->public : NULL;
    return status;
}

size_t gramc_spec_experiment_count(const gramc_spec *spec) {
    return spec->experiments.count;
}

const gramc_experiment *gramc_spec_experiment(const gramc_spec *spec, size_t i) {
    return i < spec->experiments.count ? &spec->experiment_list[i]->public : NULL;
}

gramc_status gramc_spec_find_experiment(const gramc_experiment **out, const gramc_spec *spec,
                                        gramc_text name) {
    gramc_status status;
    const struct experiment *experiment = registry_choose(&spec->experiments, name, &status);
    *out = experiment ? &experiment->public : NULL;
    return status;
}
