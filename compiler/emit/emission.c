/* What the printers of provider targets share: the tool's name as the provider sees it, and its
 * parameters in the target's dialect, with the findings about both. */
#include "compiler/emit/target.h"

#include "base/text.h"

gramc_text emission_name(const struct emission *e) {
    return e->names[e->at];
}

/* ## Parameters */

static struct span parameter_at(const void *ctx, gramc_text name) {
    const struct tool *tool = ctx;
    for (const struct field *f = tool->signature->parameters; f; f = f->next)
        if (text_eq(f->name, name)) return f->span;
    return tool->name_at;
}

static struct lower_report report_of(const struct emission *e, const struct tool *tool,
                                     struct findings *findings) {
    return (struct lower_report){.findings = findings,
                                 .source = tool->source,
                                 .tool_at = tool->name_at,
                                 .target = text_of(e->target->name),
                                 .tool = tool->public.name,
                                 .parameter_at = findings ? parameter_at : NULL,
                                 .ctx = tool};
}

static void report_refused(const struct emission *e, const struct tool *tool, gramc_text path) {
    size_t end = 0;
    while (end < path.len && path.ptr[end] != '.' && path.ptr[end] != '[') end++;
    struct span at = parameter_at(tool, text_slice(path, 0, end));
    FIND(e->findings, D_NOT_STRICT, tool->source, at, path, tool->public.name);
}

/* When strict mode refuses, nothing has been rewritten: what was reported until then goes. */
static struct json *lower_tool(struct emission *e, const struct tool *tool, struct arena *arena,
                               const struct json *document, gramc_text *refused) {
    const struct lower_report report = report_of(e, tool, e->findings);
    struct findings before;
    if (e->findings) before = *e->findings;
    struct json *lowered = lower_schema(arena, e->target->dialect, document, &report, refused);
    if (!e->findings) return lowered;
    if (refused->ptr) {
        findings_rewind(e->findings, &before);
        report_refused(e, tool, *refused);
    }
    if (lowered && e->target->dialect == DIALECT_STRICT) limits_check(e, tool, lowered);
    return lowered;
}

/* Of several types: arguments are an object in every call, and protocols want to read just that. */
static const struct json *without_other_types(struct arena *arena, const struct json *document) {
    const struct json *types = json_get(document, "type");
    const struct json *type = json_is(types, JSON_ARRAY) ? types->first : NULL;
    while (type && !(type->kind == JSON_STRING && text_is(type->text, "object"))) type = type->next;
    struct json *copy = type ? json_copy_shallow(arena, document) : NULL;
    if (copy) json_set(copy, TEXT("type"), json_new_text(arena, JSON_STRING, TEXT("object")));
    return type ? copy : document;
}

const struct json *emission_document(const struct emission *e, const struct tool *tool,
                                     struct arena *arena) {
    bool prepared = tool->public.document && e->style == SCHEMA_PRINTED;
    const struct json *document =
        prepared ? tool->public.document
                 : schema_document(arena, &tool->signature->arguments, e->style);
    return e->target->flags & EVALUATES_SCHEMAS ? without_other_types(arena, document) : document;
}

/* What no provider takes at the top has gone into the description. */
static const struct json *accepted_of(const struct emission *e, const struct tool *tool,
                                      struct arena *arena) {
    const struct json *document = emission_document(e, tool, arena);
    if (!document || !(e->target->flags & REQUEST_FORM) || !lower_root_is_refused(document))
        return document;
    const struct lower_report report = report_of(e, tool, e->findings);
    return lower_root(arena, document, &report);
}

/* Parameters alone are never refused. */
static bool may_be_refused(const struct emission *e, const struct tool *tool) {
    return e->target->flags & EVALUATES_SCHEMAS &&
           (!tool->signature || signature_says_more(tool->signature));
}

/* As it is, but for what stands at its top. */
static void put_accepted(struct emission *e, const struct tool *tool) {
    struct arena arena;
    arena_init(&arena, &e->out->allocator);
    const struct json *document = accepted_of(e, tool, &arena);
    if (document) json_put(e->out, document);
    if (arena.oom) e->out->state = BUF_NOMEM;
    arena_free(&arena);
}

/* In full. */
static void put_plain(struct emission *e, const struct tool *tool) {
    bool prepared = tool->public.parameters.len && e->style == SCHEMA_PRINTED;
    if (prepared) buf_text(e->out, tool->public.parameters);
    else schema_print(e->out, &tool->signature->arguments, e->style);
}

/* True if an array in it could be without `items`; surely not in scalars and lists of them. */
static bool may_lack_items(const struct schema *schema) {
    if (schema->raw || schema->base || schema->all || schema->fields || schema->patterns)
        return true;
    switch ((enum type_kind)schema->kind) {
    case TYPE_NULL:
    case TYPE_STRING:
    case TYPE_INTEGER:
    case TYPE_NUMBER:
    case TYPE_BOOLEAN: return false;
    case TYPE_ARRAY: return !schema->inner || may_lack_items(schema->inner);
    case TYPE_ANY:
    case TYPE_OBJECT:
    case TYPE_MAP:
    case TYPE_TUPLE:
    case TYPE_ANY_OF:
    case TYPE_ONE_OF:
    case TYPE_ALL_OF:
    case TYPE_KINDS: break;
    }
    return true;
}

static bool parameters_may_lack_items(const struct tool *tool) {
    const struct field *p = tool->signature->parameters;
    while (p && p->schema && !may_lack_items(p->schema)) p = p->next;
    return p || signature_says_more(tool->signature);
}

/* Of what is sent in full. Most tools need no document for it. */
static void check_items(struct emission *e, const struct tool *tool) {
    struct arena arena;
    if (!e->findings || !(e->target->flags & NEEDS_ITEMS)) return;
    if (!parameters_may_lack_items(tool)) return;
    arena_init(&arena, &e->out->allocator);
    const struct json *document = emission_document(e, tool, &arena);
    if (document) items_check(e, tool, document);
    if (arena.oom) e->out->state = BUF_NOMEM;
    arena_free(&arena);
}

bool emission_put_parameters(struct emission *e, const struct tool *tool) {
    json_slot(&e->json);
    struct arena arena;
    gramc_text refused = {NULL, 0};
    const struct json *lowered = NULL;
    if (e->target->dialect == DIALECT_PLAIN) {
        /* Where only findings are wanted, nobody reads it. */
        if (e->findings) check_items(e, tool);
        if (may_be_refused(e, tool)) put_accepted(e, tool);
        else if (!e->findings) put_plain(e, tool);
        return true;
    }
    arena_init(&arena, &e->out->allocator);
    const struct json *document = accepted_of(e, tool, &arena);
    if (document) lowered = lower_tool(e, tool, &arena, document, &refused);
    if (lowered) json_put(e->out, lowered);
    else if (arena.oom) e->out->state = BUF_NOMEM;
    else if (document && may_be_refused(e, tool)) json_put(e->out, document);
    else put_plain(e, tool); /* refused, or nested too deeply for a document */
    if (!lowered) check_items(e, tool);
    arena_free(&arena);
    return lowered != NULL;
}
