/* The references of one schema document: which named types and which definitions of raw schemas
 * stand under $defs, and under what names; raw schemas, whose references get these names. */
#include "compiler/schema_references.h"

#include "base/text.h"
#include "compiler/definition.h"
#include "jsonschema/keywords.h"

#include <string.h>

size_t references_count(const struct schema_description *document) {
    return document->references.len / sizeof(struct schema_reference);
}

struct schema_reference references_at(const struct schema_description *document, size_t i) {
    struct schema_reference reference;
    memcpy(&reference, document->references.ptr + i * sizeof reference, sizeof reference);
    return reference;
}

static void append_reference(struct schema_description *document,
                             const struct schema_reference *reference) {
    buf_put(&document->references, (const char *)reference, sizeof *reference);
}

void references_note(struct schema_description *document, const struct definition *definition) {
    size_t count = references_count(document), i = 0;
    const struct schema_reference reference = {.definition = definition};
    while (i < count && references_at(document, i).definition != definition) i++;
    if (i == count) append_reference(document, &reference);
}

static void put_name(struct buf *out, const struct schema_reference *reference) {
    buf_text(out, reference->definition ? reference->definition->name : reference->use->name);
    if (reference->number > 1) buf_printf(out, "_%u", reference->number);
}

static void begin_name(const struct schema_description *document, struct buf *name) {
    buf_init(name, json_sink_allocator(document->sink), SOURCE_MAX);
}

static void end_name(struct schema_description *document, struct buf *name) {
    json_sink_fail(document->sink, name);
    buf_free(name);
}

static bool same_name(struct schema_description *document, const struct schema_reference *a,
                      const struct schema_reference *b) {
    struct buf names[2];
    for (int i = 0; i < 2; i++) {
        begin_name(document, &names[i]);
        put_name(&names[i], i ? b : a);
    }
    bool same = text_eq(buf_view(&names[0]), buf_view(&names[1]));
    for (int i = 0; i < 2; i++) end_name(document, &names[i]);
    return same;
}

/* A name belongs to the type that has it, printed or not, and otherwise to whoever comes first. */
static bool is_taken(struct schema_description *document,
                     const struct schema_reference *reference) {
    struct buf name;
    begin_name(document, &name);
    put_name(&name, reference);
    bool taken = map_get(reference->raw->types, buf_view(&name)) != NULL;
    end_name(document, &name);
    for (size_t i = 0; i < references_count(document) && !taken; i++) {
        const struct schema_reference other = references_at(document, i);
        taken = same_name(document, reference, &other);
    }
    return taken;
}

/* The same name in two raw schemas that bring the same definitions along is one. */
static bool brings_same(const struct schema_reference *a, const struct raw_schema *raw,
                        const struct raw_use *use) {
    if (a->use == use) return true;
    return a->use && text_eq(a->use->reference, use->reference) &&
           json_equal(json_get(a->raw->json, "$defs"), json_get(raw->json, "$defs"));
}

static struct schema_reference note_own(struct schema_description *document,
                                        const struct raw_schema *raw, const struct raw_use *use) {
    struct schema_reference reference = {NULL, raw, use, 1};
    for (size_t i = 0; i < references_count(document); i++) {
        const struct schema_reference other = references_at(document, i);
        if (brings_same(&other, raw, use)) return other;
    }
    while (!json_sink_is_broken(document->sink) && is_taken(document, &reference))
        reference.number++;
    append_reference(document, &reference);
    return reference;
}

void references_put_pointer(struct schema_description *document,
                            const struct schema_reference *reference) {
    struct buf name, pointer;
    begin_name(document, &name);
    begin_name(document, &pointer);
    put_name(&name, reference);
    buf_puts(&pointer, "#/$defs");
    if (reference->definition) json_put_pointer_token(&pointer, buf_view(&name));
    else {
        /* It was written as a pointer. */
        buf_putc(&pointer, '/');
        buf_text(&pointer, buf_view(&name));
    }
    json_sink_string(document->sink, json_sink_keep(document->sink, buf_view(&pointer)));
    end_name(document, &name);
    end_name(document, &pointer);
}

/* A name in a pointer may be escaped; as a key it is as it is. */
void references_put_key(struct schema_description *document,
                        const struct schema_reference *reference) {
    struct buf name;
    begin_name(document, &name);
    if (reference->definition) buf_text(&name, reference->definition->name);
    else buf_text(&name, reference->use->own->key);
    if (reference->number > 1) buf_printf(&name, "_%u", reference->number);
    json_sink_key(document->sink, json_sink_keep(document->sink, buf_view(&name)));
    end_name(document, &name);
}

/* ## Raw schemas */

static void put_raw_reference(struct schema_description *document, const struct raw_schema *raw,
                              const struct json *value) {
    const struct raw_use *use = raw_find(raw, value->text);
    if (!use) json_sink_value(document->sink, value);
    else if (use->own) {
        const struct schema_reference reference = note_own(document, raw, use);
        references_put_pointer(document, &reference);
    } else {
        const struct schema_reference reference = {.definition = use->definition};
        references_note(document, use->definition);
        references_put_pointer(document, &reference);
    }
}

/* A list of schemas, or a map to them. */
static void put_raw_schemas(struct schema_description *document, const struct raw_schema *raw,
                            const struct json *holder) {
    json_sink_open(document->sink, (enum json_kind)holder->kind);
    for (const struct json *m = holder->first; m; m = m->next) {
        if (holder->kind == JSON_OBJECT) json_sink_key(document->sink, m->key);
        references_put_raw(document, raw, m);
    }
    json_sink_close(document->sink, (enum json_kind)holder->kind);
}

void references_put_raw_member(struct schema_description *document, const struct raw_schema *raw,
                               const struct json *member) {
    bool reference = text_is(member->key, "$ref") && member->kind == JSON_STRING;
    enum keyword_content content = keyword_content(member);
    json_sink_key(document->sink, member->key);
    if (reference) put_raw_reference(document, raw, member);
    else if (content == CONTENT_SCHEMA) references_put_raw(document, raw, member);
    else if (content == CONTENT_SCHEMAS) put_raw_schemas(document, raw, member);
    else json_sink_value(document->sink, member);
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
void references_put_raw(struct schema_description *document, const struct raw_schema *raw,
                        const struct json *schema) {
    if (schema->kind != JSON_OBJECT) {
        json_sink_value(document->sink, schema);
        return;
    }
    json_sink_open(document->sink, JSON_OBJECT);
    for (const struct json *m = schema->first; m; m = m->next)
        references_put_raw_member(document, raw, m);
    json_sink_close(document->sink, JSON_OBJECT);
}
