/* Keeps what the language has no word for, but the provider or protocol that a definition is of: in
 * `meta` of the tool, under its name, from where its target prints it again. What belongs to a
 * request, or to nobody known, is lost with a finding. */
#include "compiler/importer/parts.h"

#include "base/json/edit.h"
#include "base/text.h"

/* Of a kind of definition, the members that are kept; `member` NULL: all. */
static const struct {
    const char *kind, *provider, *member;
} kept[] = {
    {"mcp", "mcp", NULL},
    {"openai", "openai", "strict"},
    {"openai-functions", "openai", "strict"},
    {"anthropic", "anthropic", "strict"},
    {"gemini", "gemini", "behavior"},
};

static struct json *object_in(struct importer *in, struct json *holder, const char *name) {
    struct json *object = holder ? json_find(holder, name) : NULL;
    if (object || !holder) return object;
    object = json_new(in->arena, JSON_OBJECT);
    json_set(holder, text_of(name), object);
    return object;
}

void import_keep(struct importer *in, struct import_tool *tool, const char *provider,
                 const char *inside, const struct json *member) {
    if (!tool->meta) tool->meta = json_new(in->arena, JSON_OBJECT);
    struct json *object = object_in(in, tool->meta, provider);
    if (inside) object = object_in(in, object, inside);
    if (!tool->meta || !object) return;
    json_set(object, member->key, json_copy_shallow(in->arena, member));
    tool->meta->start = tool->at->start;
    tool->meta->end = tool->at->end;
}

void import_keep_others(struct importer *in, struct import_tool *tool, const char *kind,
                        const struct json *member) {
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        bool all = !kept[i].member;
        if (!text_is(text_of(kind), kept[i].kind)) continue;
        if (tool->settings || !(all || text_is(member->key, kept[i].member))) continue;
        import_keep(in, tool, kept[i].provider, NULL, member);
        return;
    }
    import_lose(in, member, tool, NULL);
}

/* What the compiler refused in an earlier round is left out. */
void import_tool_meta(struct importer *in, const struct import_tool *tool, struct doc *list) {
    if (!tool->meta || tool->settings) return;
    if (import_marks(in, tool->meta)) {
        if (in->report)
            import_find(in, D_IMPORT_LOST, NULL, tool->meta, TEXT("meta"), TEXT("a tool"));
        return;
    }
    struct doc *doc = import_map(in, tool->meta);
    if (doc) doc->origin = tool->meta;
    doc_property(&in->words, list, "meta", doc);
}
