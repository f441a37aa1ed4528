/* Says what of a tool definition the language has no place for: members that providers and servers
 * know, those of newer versions, those of somebody's own. A collection has the same member on each
 * of its tools, so there is one finding for all of a name. */
#include "compiler/importer/parts.h"

#include "base/text.h"

bool import_in_list(gramc_text key, const char *const *list) {
    while (*list && !text_is(key, *list)) list++;
    return *list != NULL;
}

void import_lose(struct importer *in, const struct json *member, const struct import_tool *tool,
                 const char *place) {
    struct import_loss *loss = map_get(&in->losses, member->key);
    if (loss) {
        /* Twice in one tool is once. */
        if (!tool || tool != loss->latest) loss->count++;
        loss->latest = tool;
        return;
    }
    loss = ARENA_NEW(in->arena, struct import_loss);
    if (!loss) return;
    *loss = (struct import_loss){.source = in->source,
                                 .at = member,
                                 .tool = tool,
                                 .latest = tool,
                                 .place = place,
                                 .count = 1};
    map_put(&in->losses, member->key, loss);
    *in->last_loss = loss;
    in->last_loss = &loss->next;
}

/* null says nothing, in whatever form. */
void import_lose_others(struct importer *in, const struct json *object, const char *const *known,
                        const struct import_tool *tool, const char *place) {
    if (!json_is(object, JSON_OBJECT)) return;
    for (const struct json *m = object->first; m; m = m->next)
        if (m->kind != JSON_NULL && !import_in_list(m->key, known)) import_lose(in, m, tool, place);
}

/* What to do about it, where something can be done. */
static const struct {
    const char *member, *help;
} advice[] = {
    {"strict", "the target decides: gramc compile --target openai-strict writes it"},
    {"nextCursor",
     "there are more tools: ask the server for the next page, and import all of them"},
    {"defer_loading", "it is a matter of the request, not of the tool"},
    {"collectionFormat", "the items are joined by commas"},
    {"allowReserved", "whatever is no letter, digit, -, ., _ or ~ is percent-encoded"},
    {"readOnly", "a request goes without members that are only read"},
    {"writeOnly", "no answer has members that are only written"},
    {"cache_control", "it is a matter of the request, not of the tool"},
};

void import_report_losses(struct importer *in) {
    for (const struct import_loss *loss = in->first_loss; loss; loss = loss->next) {
        struct buf owner;
        struct span span = {loss->at->start, loss->at->end};
        buf_init(&owner, &in->arena->allocator, SOURCE_MAX);
        if (loss->tool) buf_printf(&owner, "`%.*s`", TEXT_ARGS(loss->tool->name));
        else buf_puts(&owner, loss->place);
        if (loss->count > 1) {
            buf_puts(&owner, " and ");
            buf_count(&owner, loss->count - 1, "other");
        }
        struct finding *f = FIND(in->findings, D_IMPORT_LOST, loss->source, span, loss->at->key,
                                 buf_to_arena(&owner, in->arena));
        for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
            if (text_is(loss->at->key, advice[i].member))
                finding_help(in->findings, f, "%s", advice[i].help);
    }
}

/* ## Why the compiler refused a schema */

static gramc_text key_of(const struct json *const *schema) {
    return (gramc_text){(const char *)schema, sizeof *schema};
}

void import_note_reason(struct importer *in, const struct json *schema, gramc_text message) {
    gramc_text *reason = ARENA_NEW(in->arena, gramc_text);
    if (!reason) return;
    *reason = arena_text(in->arena, message);
    map_put(&in->reasons, arena_text(in->arena, key_of(&schema)), reason);
}

void import_lose_schema(struct importer *in, const struct json *at, gramc_text why) {
    const gramc_text *reason = map_get(&in->reasons, key_of(&at));
    struct span span = {at->start, at->end};
    struct finding *f =
        FIND(in->findings, D_IMPORT_LOST, in->source, span, at->key, TEXT("the schema"));
    if (reason) why = *reason;
    if (why.len) finding_help(in->findings, f, "%.*s", TEXT_ARGS(why));
}
