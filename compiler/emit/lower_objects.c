/* Steps of lowering that look at objects: which names they take, which of them must be there, and
 * how they are spelled. They see properties that have been lowered already. */
#include "compiler/emit/lower_rules.h"

#include "base/map.h"
#include "base/text.h"
#include "compiler/emit/wire_names.h"

/* ## Names */

static void report_renamed(struct lower_node *node, gramc_text name, gramc_text wire) {
    const struct lower_report *report = node->lowering->report;
    struct lower_place place = {.outer = node->place, .name = name, .at = node->place->at};
    struct lower_node inner = {.lowering = node->lowering, .place = &place};
    if (node->place->depth == 0 && report->parameter_at)
        place.at = report->parameter_at(report->ctx, name);
    node_report(&inner, D_RENAMED_PARAMETER, wire, report->target);
}

/* The new name of each old one, for `required`. */
static void rename_properties(struct lower_node *node, struct json *properties,
                              const gramc_text *names, gramc_text *wire, struct map *renamed) {
    size_t i = 0;
    for (struct json *p = properties->first; p; p = p->next, i++) {
        if (text_eq(names[i], wire[i])) continue;
        map_put(renamed, names[i], &wire[i]);
        report_renamed(node, names[i], wire[i]);
        p->key = wire[i];
    }
}

static void rename_required(struct lower_node *node, const struct map *renamed) {
    struct json *list = json_find(node->json, "required");
    if (!json_is(list, JSON_ARRAY)) return;
    for (struct json *v = list->first; v; v = v->next) {
        const gramc_text *wire = v->kind == JSON_STRING ? map_get(renamed, v->text) : NULL;
        if (wire) v->text = *wire;
    }
}

void step_names(struct lower_node *node) {
    struct arena *arena = node->lowering->arena;
    struct json *properties = json_find(node->json, "properties");
    size_t count = json_is(properties, JSON_OBJECT) ? properties->count : 0, i = 0;
    gramc_text *names = count ? arena_array(arena, count, sizeof *names) : NULL;
    gramc_text *wire = names ? arena_array(arena, count, sizeof *wire) : NULL;
    enum name_rule rule = node->lowering->dialect == DIALECT_GEMINI ? NAMES_GEMINI_PARAMETER
                                                                    : NAMES_ANTHROPIC_PARAMETER;
    struct map renamed;
    if (!wire) return;
    map_init(&renamed, arena);
    for (const struct json *p = properties->first; p; p = p->next) names[i++] = p->key;
    if (!wire_names_make(arena, rule, names, count, wire)) return;
    rename_properties(node, properties, names, wire, &renamed);
    rename_required(node, &renamed);
}

/* Gemini refuses what is required and not described. */
void step_required_known(struct lower_node *node) {
    const struct json *properties = json_get(node->json, "properties");
    const struct json *list = json_get(node->json, "required");
    struct json *known =
        json_is(list, JSON_ARRAY) ? json_new(node->lowering->arena, JSON_ARRAY) : NULL;
    for (const struct json *v = known ? list->first : NULL; v; v = v->next)
        if (v->kind == JSON_STRING && json_get_text(properties, v->text))
            json_append(known, json_copy_shallow(node->lowering->arena, v));
    if (!known || known->count == list->count) return;
    node_describe(node, "required");
    if (known->count) json_set(node->json, TEXT("required"), known);
}

/* ## Closed objects */

/* An object that takes names that nobody has listed can only be told where objects may be open. */
void step_close(struct lower_node *node) {
    struct lowering *l = node->lowering;
    struct json *properties = json_find(node->json, "properties");
    const struct json *more = json_get(node->json, "additionalProperties");
    bool root = node->place->depth == 0, any_name = !properties || !properties->count;
    bool open = !more || more->kind != JSON_FALSE;
    if (!type_includes(node->json, "object")) return;
    if (l->dialect == DIALECT_ANTHROPIC && !json_is(json_get(node->json, "type"), JSON_STRING))
        return; /* any value at all, or a list of types without properties */
    if (any_name && open && !root) {
        if (l->dialect == DIALECT_STRICT) node_refuse(node);
        else node_report(node, D_OPEN_OBJECT, l->report->target, (gramc_text){NULL, 0});
        return;
    }
    if (more && open) node_report(node, D_CLOSED, l->report->target, (gramc_text){NULL, 0});
    if (!properties) json_set(node->json, TEXT("properties"), json_new(l->arena, JSON_OBJECT));
    json_set(node->json, TEXT("additionalProperties"), json_new(l->arena, JSON_FALSE));
}

/* ## Required */

static void report_optional(struct lower_node *node, gramc_text name) {
    const struct lower_report *report = node->lowering->report;
    struct lower_place place = {.outer = node->place, .name = name, .at = node->place->at};
    struct lower_node inner = {.lowering = node->lowering, .place = &place};
    if (node->place->depth == 0 && report->parameter_at)
        place.at = report->parameter_at(report->ctx, name);
    node_report(&inner, D_NULL_FOR_ABSENT, report->target, (gramc_text){NULL, 0});
}

/* The map is a set: any value will do. */
static void note_required(struct map *names, const struct json *list) {
    for (const struct json *v = json_is(list, JSON_ARRAY) ? list->first : NULL; v; v = v->next)
        if (v->kind == JSON_STRING) map_put(names, v->text, names);
}

/* Strict mode asks for every name; null stands for one that would be left out. */
void step_require_all(struct lower_node *node) {
    struct arena *arena = node->lowering->arena;
    struct json *properties = json_find(node->json, "properties");
    struct json *list = json_is(properties, JSON_OBJECT) ? json_new(arena, JSON_ARRAY) : NULL;
    struct json **tail = list ? &list->first : NULL;
    struct map required;
    map_init(&required, arena);
    note_required(&required, json_get(node->json, "required"));
    for (struct json *p = list ? properties->first : NULL; p && !arena->oom; p = p->next) {
        struct json *name = json_new_text(arena, JSON_STRING, p->key);
        if (!map_get(&required, p->key)) {
            schema_allow_null(arena, p);
            report_optional(node, p->key);
        }
        if (!name) break;
        *tail = name;
        tail = &name->next;
        list->count++;
    }
    json_set(node->json, TEXT("required"), list);
}
