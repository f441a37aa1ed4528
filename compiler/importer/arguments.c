/* Turns what a schema says of the arguments as a whole, which no parameter says, into properties of
 * the tool: `open`, `arguments` and, for what gram has no word for, `schema`. */
#include "compiler/importer/description.h"

#include "base/json/edit.h"
#include "base/text.h"

/* The signature says it, or the tool. */
static bool is_elsewhere(const struct import_tool *tool, const struct json *member) {
    static const char *const listed[] = {"properties", "$defs", NULL};
    static const char *const words[] = {"title", "description", NULL};
    bool is_object = member->kind == JSON_STRING && text_is(member->text, "object");
    if (text_is(member->key, "type")) return is_object;
    if (import_in_list(member->key, words)) return tool->is_schema;
    return import_in_list(member->key, listed);
}

void import_find_whole(struct importer *in, struct import_tool *tool) {
    struct json *whole = tool->parameters ? json_new(in->arena, JSON_OBJECT) : NULL;
    if (!whole) return;
    whole->start = tool->parameters->start;
    whole->end = tool->parameters->end;
    for (const struct json *m = tool->parameters->first; m; m = m->next)
        if (!is_elsewhere(tool, m)) json_set(whole, m->key, json_copy_shallow(in->arena, m));
    tool->whole = whole;
}

static bool is_flag(const struct json *value) {
    return json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE);
}

/* As words of an object, but for `open`. */
static void describe_words(struct description *d, const struct import_tool *tool) {
    struct type_words said = {.count = 0};
    const struct json *values = json_get(d->schema, "additionalProperties");
    const struct json *fallback = json_get(d->schema, "default"),
                      *type = json_get(d->schema, "type");
    words_note(&said, "additionalProperties");
    if (json_is(values, JSON_OBJECT))
        description_add(d, "values", import_type_value(d->in, values));
    if (description_requires_once(tool->parameters)) {
        words_note(&said, "required");
        description_required_names(d, tool->parameters);
    }
    if (type) description_raw(d, type);
    description_choose_all(d, &said);
    description_keywords(d, &said);
    if (fallback) description_rest(d, fallback);
}

/* As JSON, or not at all. */
static void describe_members(struct description *d, const struct import_tool *tool) {
    for (const struct json *m = d->schema->first; m; m = m->next) {
        if (text_is(m->key, "additionalProperties") && is_flag(m)) continue;
        if (text_is(m->key, "required") && description_requires_fields(tool->parameters)) continue;
        if (description_is_marked(d, MARK_DROP)) description_lose(d, m, TEXT(""));
        else description_raw(d, m);
    }
}

static void add(struct importer *in, const struct import_tool *tool, struct doc *list,
                const char *key, struct doc *value) {
    if (value) value->origin = tool->whole;
    doc_property(&in->words, list, key, value);
}

void import_arguments(struct importer *in, const struct import_tool *tool, struct doc *list) {
    if (!tool->whole) return;
    import_report_marks(in, tool->whole);
    struct description d = description_new(in, tool->whole, false);
    const struct json *others = json_get(tool->whole, "additionalProperties");
    d.kind = TYPE_OBJECT;
    if (is_flag(others))
        add(in, tool, list, "open",
            doc_words(&in->words, others->kind == JSON_TRUE ? "true" : "false"));
    if (description_is_marked(&d, MARK_RAW | MARK_DROP)) describe_members(&d, tool);
    else describe_words(&d, tool);
    description_add_meta(&d);
    if (d.properties && d.properties->first) add(in, tool, list, "arguments", d.properties);
    if (in->report && d.raw.len)
        import_find(in, D_IMPORT_RAW, NULL, tool->whole, buf_view(&d.raw), TEXT(""));
    d.properties = list;
    description_add_raw(&d);
    buf_free(&d.raw);
}
