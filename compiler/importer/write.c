/* Puts the text together: named types first, then the tools, then the agent that has them all; and
 * for HTTP interfaces the library that calls them. */
#include "compiler/importer/parts.h"

#include "base/text.h"

static struct doc_printer printer_for(struct importer *in, struct buf *out) {
    return (struct doc_printer){out, &in->spans, out->len, UINT32_MAX};
}

static void print(struct importer *in, struct buf *out, const struct doc *doc, unsigned indent) {
    struct doc_printer printer = printer_for(in, out);
    while (printer.line_start > 0 && out->ptr[printer.line_start - 1] != '\n') printer.line_start--;
    doc_print(&printer, doc, indent);
}

/* What has been printed is needed no more. */
static void forget_words(struct importer *in) {
    if (in->words.oom) in->arena->oom = true;
    arena_reset(&in->words);
}

/* ## Types */

static void write_types(struct importer *in, struct buf *out) {
    for (const struct import_type *type = in->first_type; type && !in->arena->oom;
         type = type->next) {
        if (!type->schema) continue;
        in->source = type->source;
        print(in, out, import_definition(in, type), 0);
        forget_words(in);
        buf_puts(out, "\n\n");
    }
}

/* ## Signatures */

/* Lines are never broken beside an arrow, so a signature that is too long opens the braces of its
 * parameters. */
static void open_braces(struct doc *node) {
    for (struct doc *part = node ? node->first : NULL; part; part = part->next)
        if (part->kind == DOC_LIST && part->first) part->tall = true;
}

static struct doc *signature(struct importer *in, const struct import_tool *tool) {
    const struct json *properties =
        tool->parameters ? json_get(tool->parameters, "properties") : NULL;
    struct doc *chain = doc_chain(&in->words);
    bool any = json_is(properties, JSON_OBJECT) && properties->first;
    for (const struct json *p = any ? properties->first : NULL; p; p = p->next) {
        struct import_field field = {p->key, import_is_required(tool->parameters, p->key)};
        doc_add(chain, import_node(in, p, &field));
        doc_add(chain, doc_words(&in->words, "==>"));
    }
    if (!any) doc_add(chain, doc_words(&in->words, "()==>"));
    if (tool->result) doc_add(chain, import_node(in, tool->result, NULL));
    else doc_add(chain, doc_words(&in->words, "(::Any)"));
    return chain;
}

static void write_signature(struct importer *in, struct buf *out, const struct import_tool *tool) {
    struct doc *chain = signature(in, tool);
    struct doc_printer printer = printer_for(in, out);
    if (!chain) return;
    if (chain->tall || !doc_fits(&printer, chain->width))
        for (struct doc *node = chain->first; node; node = node->next) open_braces(node);
    print(in, out, chain, 2);
}

/* ## Tools */

static const struct {
    const char *hint, *property;
} hints[] = {{"readOnlyHint", "readOnly"},
             {"destructiveHint", "destructive"},
             {"idempotentHint", "idempotent"},
             {"openWorldHint", "openWorld"}};

static void add_hints(struct importer *in, const struct import_tool *tool, struct doc *list) {
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        const struct json *value =
            tool->annotations ? json_get(tool->annotations, hints[i].hint) : NULL;
        bool said = json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE);
        if (said)
            doc_property(&in->words, list, hints[i].property,
                         doc_words(&in->words, value->kind == JSON_TRUE ? "true" : "false"));
    }
}

/* What a call is, the language checks: those that do not fit the parameters are left out, or kept
 * for the provider that does not ask. */
static void add_examples(struct importer *in, struct import_tool *tool, struct doc *list) {
    if (!tool->examples) return;
    bool refused = import_marks(in, tool->examples);
    if (refused && text_is(tool->examples->key, "input_examples") && !tool->settings) {
        import_keep(in, tool, "anthropic", NULL, tool->examples);
        return;
    }
    if (refused) {
        if (in->report)
            import_find(in, D_IMPORT_LOST, NULL, tool->examples, tool->examples->key,
                        TEXT("a tool that refuses them"));
        return;
    }
    struct doc *examples = doc_list(&in->words, "[", "]");
    for (const struct json *call = tool->examples->first; call; call = call->next)
        doc_add(examples, doc_data(&in->words, call));
    if (examples) examples->origin = tool->examples;
    doc_property(&in->words, list, "examples", examples);
}

static struct doc *tool_properties(struct importer *in, struct import_tool *tool) {
    struct doc *list = doc_list(&in->words, "{", "}");
    gramc_text description = tool->description.len ? tool->description : tool->name;
    if (tool->named) doc_property(&in->words, list, "name", doc_string(&in->words, tool->name));
    if (tool->title.len)
        doc_property(&in->words, list, "title", doc_string(&in->words, tool->title));
    doc_property(&in->words, list, "description", doc_string(&in->words, description));
    add_examples(in, tool, list);
    bool reason = tool->deprecated.len && !text_is(tool->deprecated, "true");
    if (reason)
        doc_property(&in->words, list, "deprecated", doc_string(&in->words, tool->deprecated));
    else if (tool->deprecated.len)
        doc_property(&in->words, list, "deprecated", doc_words(&in->words, "true"));
    add_hints(in, tool, list);
    import_tool_settings(in, tool, list);
    import_tool_meta(in, tool, list);
    import_arguments(in, tool, list);
    return list;
}

static void write_tool(struct importer *in, struct buf *out, struct import_tool *tool) {
    in->source = tool->source;
    buf_putc(out, '[');
    buf_text(out, import_quote_name(in->arena, tool->identifier));
    buf_puts(out, ":Tool ");
    print(in, out, tool_properties(in, tool), 0);
    buf_puts(out, " |\n  ");
    write_signature(in, out, tool);
    buf_puts(out, "\n]\n");
}

void import_write(struct importer *in, struct buf *out) {
    buf_reset(&in->spans);
    write_types(in, out);
    for (struct import_tool *tool = in->first; tool && !in->arena->oom; tool = tool->next) {
        if (tool != in->first) buf_putc(out, '\n');
        write_tool(in, out, tool);
        forget_words(in);
    }
    import_write_agents(in, out);
    forget_words(in);
}

/* ## The library of an HTTP interface */

static struct doc *header_map(struct importer *in, const struct import_header *first) {
    struct doc *map = doc_list(&in->words, "{", "}");
    for (const struct import_header *header = first; header; header = header->next) {
        struct doc *entry = doc_chain(&in->words);
        doc_add(entry, import_key(&in->words, header->name));
        doc_add(entry, doc_words(&in->words, ": "));
        doc_add(entry, doc_string(&in->words, header->value));
        doc_add(map, entry);
    }
    return map;
}

/* `"${name}"`, or `{file: "${name}", contentType: "..."}` */
static struct doc *part_value(struct importer *in, const struct import_part *part) {
    struct buf text;
    buf_init(&text, &in->arena->allocator, SOURCE_MAX);
    buf_puts(&text, "${");
    buf_text(&text, part->argument);
    buf_putc(&text, '}');
    struct doc *template = doc_string(&in->words, buf_to_arena(&text, in->arena));
    if (!part->is_file && !part->content_type.len) return template;
    struct doc *map = doc_list(&in->words, "{", "}");
    doc_property(&in->words, map, part->is_file ? "file" : "value", template);
    if (part->content_type.len)
        doc_property(&in->words, map, "contentType", doc_string(&in->words, part->content_type));
    return map;
}

static void add_parts(struct importer *in, const struct import_http *http, struct doc *list) {
    struct doc *map = http->parts ? doc_list(&in->words, "{", "}") : NULL;
    for (const struct import_part *part = http->parts; part; part = part->next) {
        struct doc *entry = doc_chain(&in->words);
        doc_add(entry, import_key(&in->words, part->name));
        doc_add(entry, doc_words(&in->words, ": "));
        doc_add(entry, part_value(in, part));
        doc_add(map, entry);
    }
    if (map) doc_property(&in->words, list, "multipart", map);
    if (!http->body_file.len) return;
    doc_property(&in->words, list, "bodyFile", doc_string(&in->words, http->body_file));
    if (http->content_type.len)
        doc_property(&in->words, list, "contentType", doc_string(&in->words, http->content_type));
}

static void add_styles(struct importer *in, const struct import_http *http, struct doc *list) {
    static const char *const truths[] = {"", "false", "true"};
    struct doc *styles = doc_list(&in->words, "{", "}"), *explode = doc_list(&in->words, "{", "}");
    for (const struct import_style *s = http->styles; s; s = s->next) {
        struct doc *style = doc_chain(&in->words), *flag = doc_chain(&in->words);
        doc_add(style, import_key(&in->words, s->argument));
        doc_add(style, doc_words(&in->words, ": "));
        doc_add(style, doc_string(&in->words, text_of(style_word(s->style))));
        doc_add(flag, import_key(&in->words, s->argument));
        doc_add(flag, doc_words(&in->words, ": "));
        doc_add(flag, doc_words(&in->words, truths[s->explode]));
        if (s->style) doc_add(styles, style);
        if (s->explode) doc_add(explode, flag);
    }
    if (styles && styles->first) doc_property(&in->words, list, "style", styles);
    if (explode && explode->first) doc_property(&in->words, list, "explode", explode);
}

/* What is said of the arguments as a whole has no place in an implementation: there the tool's own
 * signature is all that binding has, as without this one. */
static bool has_signature(struct importer *in, const struct import_tool *tool) {
    struct doc *list = doc_list(&in->words, "{", "}");
    import_arguments(in, tool, list);
    return list && !list->first;
}

static struct doc *implementation(struct importer *in, const struct import_tool *tool) {
    struct doc *doc = doc_chain(&in->words), *list = doc_list(&in->words, "{", "}");
    if (doc) doc->origin = tool->at;
    doc_add(doc, doc_words(&in->words, "["));
    doc_add(doc, doc_text(&in->words, import_quote_name(in->arena, tool->identifier)));
    doc_add(doc, doc_words(&in->words, ":ToolImpl "));
    doc_property(&in->words, list, "http", doc_string(&in->words, tool->http->method));
    doc_property(&in->words, list, "url", doc_string(&in->words, tool->http->url));
    if (tool->http->headers)
        doc_property(&in->words, list, "headers", header_map(in, tool->http->headers));
    if (tool->http->body.len) {
        doc_property(&in->words, list, "body", doc_string(&in->words, tool->http->body));
        doc_property(&in->words, list, "contentType",
                     doc_string(&in->words, tool->http->content_type));
    }
    add_parts(in, tool->http, list);
    add_styles(in, tool->http, list);
    doc_add(doc, list);
    if (has_signature(in, tool)) {
        in->source = tool->source;
        doc_add(doc, doc_words(&in->words, " | "));
        doc_add(doc, signature(in, tool));
    }
    doc_add(doc, doc_words(&in->words, "]"));
    return doc;
}

static bool makes_calls(const struct importer *in) {
    const struct import_tool *tool = in->first;
    while (tool && !tool->http) tool = tool->next;
    return tool;
}

/* Types are for the signatures of implementations: without any, there are none. */
void import_write_library(struct importer *in, struct buf *out) {
    buf_reset(&in->spans);
    if (makes_calls(in)) write_types(in, out);
    struct doc *list = doc_list(&in->words, " ", "");
    for (const struct import_tool *tool = in->first; tool && !in->arena->oom; tool = tool->next)
        if (tool->http) doc_add(list, implementation(in, tool));
    if (list) list->tall = true;
    buf_puts(out, "[");
    buf_text(out, import_quote_name(in->arena, in->agent.len ? in->agent : TEXT("imported")));
    buf_puts(out, ":ToolLibrary");
    if (list && list->first) {
        buf_puts(out, " |");
        print(in, out, list, 0);
    }
    buf_puts(out, "]\n");
    forget_words(in);
}
