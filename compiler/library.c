/* Turns `[name:ToolLibrary {...} | implementations, boxes]` into a library: what does each tool.
 * Reads the elements first; when all names are known, merges in what it extends. Nothing is started
 * or opened here; binding and running are the runtime's. */
#include "compiler/kinds.h"

#include <string.h>

#include "base/text.h"
#include "compiler/data.h"
#include "compiler/pattern.h"
#include "compiler/properties.h"
#include "compiler/sandbox.h"

struct library_properties {
    gramc_text description;
    const struct value *extends, *before, *after, *sandbox;
};

static const struct property_row library_rows[] = {
    {"description", PROPERTY_TEXT, offsetof(struct library_properties, description)},
    {"extends", PROPERTY_VALUE, offsetof(struct library_properties, extends)},
    {"before", PROPERTY_VALUE, offsetof(struct library_properties, before)},
    {"after", PROPERTY_VALUE, offsetof(struct library_properties, after)},
    {"sandbox", PROPERTY_VALUE, offsetof(struct library_properties, sandbox)},
    {"meta", PROPERTY_IGNORED, 0},
};

/* ## Elements */

static void add_impl(struct pass *pass, struct library *library, struct map *seen,
                     const struct pattern *pattern) {
    struct impl *impl = &library->impls[library->impl_count];
    if (!impl_read(pass, impl, pattern)) return;
    const struct impl *other = map_put(seen, impl->public.name, impl);
    if (other == impl) library->impl_count++;
    else if (!text_eq(source_slice(pass->source, pattern->span),
                      source_slice(pass->source, other->pattern->span)))
        report_name_taken(pass, D_DUPLICATE_IMPL, other->public.name, pattern->span, pass->source,
                          (struct span){other->public.start, other->public.end});
}

static void add_box(struct pass *pass, struct library *library, struct map *seen,
                    const struct pattern *pattern) {
    gramc_box *box = &library->boxes[library->box_count];
    if (!box_read(pass, box, pattern)) return;
    const gramc_box *other = map_put(seen, box->name, box);
    if (other == box) library->box_count++;
    else
        report_name_taken(pass, D_DUPLICATE_BOX, other->name, pattern->span, pass->source,
                          (struct span){other->start, other->end});
}

static void not_an_element(struct pass *pass, const struct pattern *element) {
    gramc_text label = pattern_label(element);
    const gramc_text labels[] = {
        TEXT("ToolImpl"),
#define GRAMC_BOX(id, label, tools) TEXT(#label),
#include "gramc/kinds.def"
    };
    gramc_text near = text_nearest(label, labels, sizeof labels / sizeof *labels);
    struct finding *f = FIND0(pass->findings, D_NOT_AN_IMPL, pass->source, element->span);
    if (text_is_nocase(label, "Tool"))
        finding_help(pass->findings, f, "an implementation has the label `ToolImpl`");
    else if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
}

static void read_elements(struct pass *pass, struct library *library,
                          const struct pattern *pattern) {
    struct map impls, boxes;
    map_init(&impls, pass->arena);
    map_init(&boxes, pass->arena);
    for (const struct pattern *e = pattern->elements; e && !pass->arena->oom; e = e->next) {
        bool is_pattern = e->kind == PATTERN_NODE || e->kind == PATTERN_BRACKET;
        gramc_text label = is_pattern ? pattern_label(e) : TEXT("");
        if (text_is(label, "ToolImpl")) add_impl(pass, library, &impls, e);
        else if (box_label(label)) add_box(pass, library, &boxes, e);
        else not_an_element(pass, e);
    }
}

void library_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *in_tree) {
    const struct pattern *pattern = pattern_kept(pass, in_tree);
    struct library *library = ARENA_NEW(pass->arena, struct library);
    struct library_properties p = {.extends = NULL};
    gramc_text name =
        library && pattern ? pattern_name(pass, pattern, "a library") : (gramc_text){NULL, 0};
    if (!name.ptr) return;
    library->name_at = name_span(pattern->subject->identifier);
    library->source = pass->source;
    properties_read(pass, pattern->subject->properties, library_rows,
                    sizeof library_rows / sizeof *library_rows, &p, "libraries");
    library->public.name = name;
    library->public.description = p.description;
    library->extends = p.extends;
    if (p.before) library_guard(pass, p.before, "before", &library->public.before);
    if (p.after) library_guard(pass, p.after, "after", &library->public.after);
    if (p.sandbox) library->public.sandbox = sandbox_read(pass, p.sandbox);
    library->impls = arena_array(pass->arena, pattern->element_count, sizeof *library->impls);
    library->boxes = arena_array(pass->arena, pattern->element_count, sizeof *library->boxes);
    if (!library->impls || !library->boxes) return;
    read_elements(pass, library, pattern);
    if (registry_add(&spec->libraries, name, library) != library) return;
    *spec->last_library = library;
    spec->last_library = &library->next;
}

/* ## What it extends */

static void unknown_base(struct pass *pass, const struct gramc_spec *spec,
                         const struct library *library, gramc_text name) {
    gramc_text best = {NULL, 0};
    for (const struct library *l = spec->first_library; l; l = l->next) {
        gramc_text pair[2] = {l->public.name, best};
        if (l != library) best = text_nearest(name, pair, best.len ? 2 : 1);
    }
    struct finding *f =
        FIND(pass->findings, D_UNKNOWN_BASE, library->source, library->extends->span, name);
    if (best.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(best));
    else
        finding_help(pass->findings, f,
                     "define it in the same compilation, or import its file: `{imports: "
                     "[\"%.*s.gram\"]}`",
                     TEXT_ARGS(name));
}

static struct library *base_of(struct pass *pass, const struct gramc_spec *spec,
                               const struct library *library) {
    if (!library->extends) return NULL;
    pass->source = library->source;
    gramc_text name = library_name(pass, library->extends, "extends");
    struct library *base = name.ptr ? registry_get(&spec->libraries, name) : NULL;
    if (name.ptr && !base) unknown_base(pass, spec, library, name);
    if (!base || base->state != LIBRARY_VISITED) return base;
    FIND(pass->findings, D_EXTENDS_ITSELF, library->source, library->extends->span,
         library->public.name);
    return NULL;
}

static bool has_impl(const struct library *library, gramc_text name) {
    for (size_t i = 0; i < library->impl_count; i++)
        if (text_eq(library->impls[i].public.name, name)) return true;
    return false;
}

static bool has_box(const struct library *library, gramc_text name) {
    for (size_t i = 0; i < library->box_count; i++)
        if (text_eq(library->boxes[i].name, name)) return true;
    return false;
}

/* Its own first, then what the base has and it has not. */
static void merge_impls(struct pass *pass, struct library *library, const gramc_library *base) {
    size_t inherited = base ? base->impl_count : 0, count = 0;
    gramc_impl *impls = arena_array(pass->arena, library->impl_count + inherited, sizeof *impls);
    if (!impls) return;
    for (size_t i = 0; i < library->impl_count; i++) impls[count++] = library->impls[i].public;
    for (size_t i = 0; i < inherited; i++)
        if (!has_impl(library, base->impls[i].name)) impls[count++] = base->impls[i];
    library->public.impls = impls;
    library->public.impl_count = count;
}

static void merge_boxes(struct pass *pass, struct library *library, const gramc_library *base) {
    size_t inherited = base ? base->box_count : 0, count = 0;
    gramc_box *boxes = arena_array(pass->arena, library->box_count + inherited, sizeof *boxes);
    if (!boxes) return;
    for (size_t i = 0; i < library->box_count; i++) boxes[count++] = library->boxes[i];
    for (size_t i = 0; i < inherited; i++)
        if (!has_box(library, base->boxes[i].name)) boxes[count++] = base->boxes[i];
    library->public.boxes = boxes;
    library->public.box_count = count;
}

/* A guard or a wall is not lost because a library stands on top of another. */
static void inherit_protection(struct library *library, const gramc_library *base) {
    if (!base) return;
    if (!library->public.before.argc) library->public.before = base->before;
    if (!library->public.after.argc) library->public.after = base->after;
    if (!library->public.sandbox) library->public.sandbox = base->sandbox;
}

/* ## References to servers */

static void check_server(struct pass *pass, const struct library *library,
                         const struct impl *impl) {
    const gramc_library *whole = &library->public;
    gramc_text wanted = impl->public.server, *names;
    if (!wanted.len) return;
    names = arena_array(pass->arena, whole->box_count + 1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; names && i < whole->box_count; i++) {
        if (gramc_box_tool_kind(whole->boxes[i].kind) != impl->public.kind) continue;
        names[count++] = whole->boxes[i].name;
        if (text_eq(whole->boxes[i].name, wanted)) return;
    }
    gramc_text near = names ? text_nearest(wanted, names, count) : (gramc_text){NULL, 0};
    struct finding *f =
        FIND(pass->findings, D_UNKNOWN_SERVER, impl->source, impl->server_at, wanted);
    if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
    else
        finding_help(pass->findings, f, "define it in the library: `[%.*s:%s {...}]`",
                     TEXT_ARGS(wanted), kind_box_label(impl->public.kind));
}

static void resolve(struct pass *pass, const struct gramc_spec *spec, struct library *library,
                    const gramc_library *base) {
    for (size_t i = 0; i < library->impl_count; i++) {
        impl_resolve(pass, &library->impls[i]);
        impl_find_agent(pass, spec, &library->impls[i]);
    }
    merge_impls(pass, library, base);
    merge_boxes(pass, library, base);
    if (pass->arena->oom) return;
    for (size_t i = 0; i < library->impl_count; i++)
        check_server(pass, library, &library->impls[i]);
    if (pass->compilation->looks_for_files) library_check_files(pass, library);
    inherit_protection(library, base);
    library->public.fingerprint =
        library_fingerprint(pass->arena, pass->compilation->reader, &library->public);
    library->state = LIBRARY_RESOLVED;
}

/* Walks down the bases, then back up: a chain may be as long as there are libraries. */
static void resolve_chain(struct pass *pass, struct gramc_spec *spec, struct library *library,
                          struct library **chain) {
    size_t depth = 0;
    for (; library && library->state == LIBRARY_READ; library = base_of(pass, spec, library)) {
        library->state = LIBRARY_VISITED;
        chain[depth++] = library;
    }
    while (depth-- && !pass->arena->oom) {
        resolve(pass, spec, chain[depth], library ? &library->public : NULL);
        library = chain[depth];
    }
}

static struct registered place(const void *thing) {
    const struct library *library = thing;
    return (struct registered){library->source, library->name_at};
}

static bool is_same(struct pass *pass, void *first, void *other) {
    const struct library *a = first, *b = other;
    (void)pass;
    return text_eq(a->public.fingerprint, b->public.fingerprint);
}

/* Libraries of one name must mean the same. */
static const struct registry_sort sort = {D_DUPLICATE_LIBRARY, place, is_same};

void libraries_resolve(struct pass *pass, struct gramc_spec *spec) {
    struct library **chain = arena_array(pass->arena, spec->libraries.count + 1, sizeof *chain);
    if (!chain) return;
    for (struct library *l = spec->first_library; l && !pass->arena->oom; l = l->next)
        resolve_chain(pass, spec, l, chain);
    for (struct twin *t = spec->libraries.twins; t && !pass->arena->oom; t = t->next)
        resolve_chain(pass, spec, t->other, chain);
    registry_check(pass, &spec->libraries, &sort);
}

bool library_has_property(gramc_text key) {
    return rows_have(library_rows, sizeof library_rows / sizeof *library_rows, key);
}
