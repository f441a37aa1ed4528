/* What the printers of provider targets share: the tool's name as the provider sees it, and its
 * parameters in the target's dialect, with the findings about both. */
#include "compiler/emit/target.h"

#include "base/text.h"

void emit_key(struct buf *out, const char *key) {
    bool first = out->len && out->ptr[out->len - 1] == '{';
    if (!first) buf_putc(out, ',');
    json_put_string(out, text_of(key));
    buf_putc(out, ':');
}

void emit_text(struct buf *out, const char *key, gramc_text text) {
    if (!text.len) return;
    emit_key(out, key);
    json_put_string(out, text);
}

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
                                 .parameter_at = parameter_at,
                                 .ctx = tool};
}

static void report_refused(const struct emission *e, const struct tool *tool, gramc_text path) {
    size_t end = 0;
    while (end < path.len && path.ptr[end] != '.' && path.ptr[end] != '[') end++;
    struct span at = parameter_at(tool, text_slice(path, 0, end));
    FIND(e->findings, D_NOT_STRICT, tool->source, at, path, tool->public.name);
}

/* Strict mode is tried in silence first: when it refuses, nothing has been rewritten. */
static struct json *lower_tool(struct emission *e, const struct tool *tool, struct arena *arena,
                               const struct json *document, gramc_text *refused) {
    struct lower_report silent = report_of(e, tool, NULL), loud = report_of(e, tool, e->findings);
    enum target_dialect dialect = e->target->dialect;
    struct json *lowered = lower_schema(arena, dialect, document, &silent, refused);
    if (refused->ptr && e->findings) report_refused(e, tool, *refused);
    if (!lowered || !e->findings) return lowered;
    lowered = lower_schema(arena, dialect, document, &loud, refused);
    if (lowered && dialect == DIALECT_STRICT) limits_check(e, tool, lowered);
    return lowered;
}

/* `text`: the parameters in full. */
static bool put_lowered(struct emission *e, const struct tool *tool, gramc_text text) {
    struct arena arena;
    gramc_text refused = {NULL, 0};
    arena_init(&arena, &e->out->allocator);
    const struct json *document = json_parse(&arena, text, NULL), *lowered = NULL;
    if (document) lowered = lower_tool(e, tool, &arena, document, &refused);
    if (lowered) json_put(e->out, lowered);
    else if (arena.oom) e->out->state = BUF_NOMEM;
    else buf_text(e->out, text); /* refused, or deeper than JSON is read */
    arena_free(&arena);
    return lowered != NULL;
}

static bool asks_for_items(const struct emission *e) {
    return e->findings && (e->target->flags & NEEDS_ITEMS) && e->out->state == BUF_FINE;
}

bool emission_put_parameters(struct emission *e, const struct tool *tool) {
    struct buf text;
    if (e->target->dialect == DIALECT_PLAIN) {
        size_t start = e->out->len;
        schema_print(e->out, &tool->signature->arguments, e->style);
        if (asks_for_items(e))
            items_check(e, tool, text_slice(buf_view(e->out), start, e->out->len));
        return true;
    }
    buf_init(&text, &e->out->allocator, SOURCE_MAX);
    schema_print(&text, &tool->signature->arguments, e->style);
    bool good = buf_status(&text) == GRAMC_OK;
    if (good) good = put_lowered(e, tool, buf_view(&text));
    else e->out->state = text.state;
    /* Refused, it is sent in full. */
    if (!good && asks_for_items(e)) items_check(e, tool, buf_view(&text));
    buf_free(&text);
    return good;
}
