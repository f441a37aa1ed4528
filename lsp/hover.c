/* Turns what is under the cursor into a few lines of Markdown: the schema of a tool, parameter or
 * type, where a tool is used, what a property means, what a finding says. */
#include "lsp/insight.h"

#include "compiler/agent.h"
#include "compiler/definition.h"
#include "compiler/library.h"
#include "compiler/properties.h"
#include "compiler/tool.h"
#include "lsp/schema_text.h"
#include "lsp/words.h"

enum { LONGEST_HOVER = 1 << 20 };

static void put_code(struct buf *out, const char *language, gramc_text text) {
    buf_printf(out, "```%s\n", language);
    buf_text(out, text);
    buf_puts(out, "\n```\n");
}

static void put_json(struct buf *out, struct arena *arena, gramc_text json) {
    struct buf pretty;
    const struct json *document = json_parse(arena, json, NULL);
    if (!document) return;
    buf_init(&pretty, &out->allocator, LONGEST_HOVER);
    json_put_pretty(&pretty, document);
    put_code(out, "json", text_trim(buf_view(&pretty)));
    buf_free(&pretty);
}

static void put_title(struct buf *out, const struct occurrence *m) {
    buf_printf(out, "**%.*s** — %s\n\n", TEXT_ARGS(m->name), occurrence_noun(m->kind));
}

static void put_property(struct buf *out, const struct occurrence *d, const char *name) {
    const struct property *p = d->pattern ? property_find(d->pattern->subject, name) : NULL;
    if (!p || (p->value->kind != VALUE_STRING && p->value->kind != VALUE_SYMBOL)) return;
    buf_text(out, text_trim(scalar_text(p->value)));
    buf_puts(out, "\n\n");
}

/* ## Where a tool is used */

struct uses {
    const struct occurrence *tool;
    gramc_text wire;
    struct buf agents, libraries;
};

static void add_name(struct buf *list, gramc_text name) {
    if (list->len) buf_puts(list, ", ");
    buf_printf(list, "`%.*s`", TEXT_ARGS(name));
}

static const struct occurrence *outermost(const struct insight *a, const struct occurrence *m) {
    while (m->parent >= 0) m = &a->occurrences.list[m->parent];
    return m;
}

static void count_use(void *ctx, const struct insight *a) {
    struct uses *uses = ctx;
    for (size_t i = 0; i < a->occurrences.count; i++) {
        const struct occurrence *m = &a->occurrences.list[i];
        if (m->unit != a->root) continue;
        bool impl = m->kind == SYMBOL_IMPL && m->defines && text_eq(wire_name(m), uses->wire);
        const struct occurrence *d = m->kind == SYMBOL_TOOL ? occurrence_target(a, m) : NULL;
        bool used = d && text_eq(d->unit->path, uses->tool->unit->path) &&
                    d->at.start == uses->tool->at.start;
        const struct occurrence *outer = outermost(a, m);
        if (used && outer != m && outer->kind == SYMBOL_AGENT) add_name(&uses->agents, outer->name);
        if (impl && m->scope) {
            const struct pattern *library = m->scope;
            add_name(&uses->libraries, name_text(library->subject->identifier));
        }
    }
}

static void put_uses(struct buf *out, struct lsp *lsp, const struct occurrence *tool) {
    struct uses uses = {.tool = tool, .wire = wire_name(tool)};
    buf_init(&uses.agents, &out->allocator, LONGEST_HOVER);
    buf_init(&uses.libraries, &out->allocator, LONGEST_HOVER);
    each_file(lsp, count_use, &uses);
    if (uses.agents.len) buf_printf(out, "Offered by %s\n\n", uses.agents.ptr);
    if (uses.libraries.len) buf_printf(out, "Done by %s\n\n", uses.libraries.ptr);
    else buf_puts(out, "No library of the workspace does it\n\n");
    buf_free(&uses.agents);
    buf_free(&uses.libraries);
}

/* ## Kinds */

static void put_schema(struct buf *out, struct lsp_request *r, const struct insight *a,
                       const struct occurrence *d) {
    gramc_text schema = schema_of_occurrence(r->arena, a, d);
    if (schema.len) put_json(out, r->arena, schema);
}

static void put_agent(struct buf *out, const struct insight *a, const struct occurrence *d) {
    const gramc_agent *agent;
    if (!a->spec || gramc_spec_find_agent(&agent, a->spec, d->name)) return;
    if (agent->model.len) buf_printf(out, "Model `%.*s`\n\n", TEXT_ARGS(agent->model));
    for (size_t i = 0; i < agent->tool_count; i++)
        buf_printf(out, "* `%.*s` %.*s\n", TEXT_ARGS(agent->tools[i]->name),
                   TEXT_ARGS(agent->tools[i]->description));
    for (size_t i = 0; i < agent->input_count; i++)
        buf_printf(out, "%s`${%.*s}`%s", i ? ", " : "\nInputs: ", TEXT_ARGS(agent->inputs[i]),
                   i + 1 == agent->input_count ? "\n" : "");
}

static void put_library(struct buf *out, const struct insight *a, const struct occurrence *d) {
    const gramc_library *library;
    if (!a->spec || gramc_spec_find_library(&library, a->spec, d->name)) return;
    for (size_t i = 0; i < library->impl_count; i++) {
        buf_printf(out, "* `%.*s` ", TEXT_ARGS(library->impls[i].name));
        if (gramc_impl_print(&library->impls[i], buf_writer(out)) != GRAMC_OK) return;
        buf_putc(out, '\n');
    }
    for (size_t i = 0; i < library->box_count; i++)
        buf_printf(out, "* box `%.*s`\n", TEXT_ARGS(library->boxes[i].name));
}

static void put_label(struct buf *out, const struct occurrence *m) {
    const struct label_word *label = label_find(m->name);
    const struct type_row *type = type_find(m->name);
    if (label) buf_printf(out, "**%s** — %s\n", label->label, label->about);
    if (!type) return;
    buf_printf(out, "**%s** — type\n\n```json\n{", type->label);
    const char *name = type_json_name(type->kind);
    if (name) buf_printf(out, "\"type\": \"%s\"", name);
    if (type->format) buf_printf(out, ", \"format\": \"%s\"", type->format);
    if (type->one_character) buf_puts(out, ", \"minLength\": 1, \"maxLength\": 1");
    if (type->min && !type->bounds_hidden)
        buf_printf(out, ", \"minimum\": %s, \"maximum\": %s", type->min, type->max);
    buf_puts(out, "}\n```\n");
}

static void put_definition(struct buf *out, struct lsp_request *r, const struct insight *a,
                           const struct occurrence *d) {
    put_title(out, d);
    put_property(out, d, "description");
    if (d->kind == SYMBOL_TOOL) put_uses(out, r->lsp, d);
    if (d->kind == SYMBOL_AGENT) put_agent(out, a, d);
    if (d->kind == SYMBOL_LIBRARY) put_library(out, a, d);
    put_schema(out, r, a, d);
    if (d->unit != a->root) buf_printf(out, "\n%.*s\n", TEXT_ARGS(d->unit->path));
}

static void put_occurrence(struct buf *out, struct lsp_request *r, const struct insight *a,
                           const struct occurrence *m) {
    if (m->kind == SYMBOL_PROPERTY) {
        const struct property_word *word = property_word_find(m->owner, m->name);
        if (!word) return;
        buf_printf(out, "**%s** — %s\n", word->name, word->about);
        if (word->words[0]) buf_printf(out, "\n`%s`\n", word->words);
        return;
    }
    if (m->kind == SYMBOL_LABEL) {
        put_label(out, m);
        return;
    }
    const struct occurrence *d = occurrence_target(a, m);
    if (d) put_definition(out, r, a, d);
    else put_title(out, m);
}

/* ## Findings */

static void put_findings(struct buf *out, const struct insight *a, const char *path,
                         uint32_t offset) {
    for (const struct finding *f = a->compilation->findings.first; f; f = f->next) {
        bool covers = f->span.start <= offset && offset <= f->span.end;
        if (!covers || !text_is(f->source->name, path)) continue;
        buf_printf(out, "%s**%s** %s\n\n%s\n", out->len ? "\n---\n" : "", f->row->code,
                   f->row->slug, f->row->explanation);
    }
}

void hover(struct lsp_request *r) {
    struct insight *a = r->document ? insight_of(r->lsp, r->document) : NULL;
    const struct occurrence *m = a ? occurrence_at(a, r->offset) : NULL;
    struct buf out;
    if (!a) return;
    buf_init(&out, &r->lsp->host.allocator, LONGEST_HOVER);
    if (m) put_occurrence(&out, r, a, m);
    put_findings(&out, a, r->document->path, r->offset);
    if (out.len) {
        json_object_begin(r->result);
        json_member_object(r->result, "contents");
        json_member_text(r->result, "kind", TEXT("markdown"));
        json_member_text(r->result, "value", buf_view(&out));
        json_object_end(r->result);
        if (m) put_range(r->result, "range", m->unit->source.text, m->at.start, m->at.end, r->lsp);
        json_object_end(r->result);
    }
    if (out.state == BUF_NOMEM) r->arena->oom = true;
    buf_free(&out);
}
