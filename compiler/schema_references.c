/* The references of one printed schema: which named types and which definitions of escape hatches
 * stand under $defs, and under what names; escape hatches, whose references get these names. */
#include "compiler/schema_references.h"

#include "base/text.h"
#include "compiler/definition.h"
#include "jsonschema/keywords.h"

#include <string.h>

size_t references_count(const struct printed_document *document) {
    return document->references.len / sizeof(struct schema_reference);
}

struct schema_reference references_at(const struct printed_document *document, size_t i) {
    struct schema_reference reference;
    memcpy(&reference, document->references.ptr + i * sizeof reference, sizeof reference);
    return reference;
}

static void append_reference(struct printed_document *document,
                             const struct schema_reference *reference) {
    buf_put(&document->references, (const char *)reference, sizeof *reference);
}

void references_note(struct printed_document *document, const struct definition *definition) {
    size_t count = references_count(document), i = 0;
    const struct schema_reference reference = {.definition = definition};
    while (i < count && references_at(document, i).definition != definition) i++;
    if (i == count) append_reference(document, &reference);
}

static void put_reference_name(struct buf *out, const struct schema_reference *reference) {
    buf_text(out, reference->definition ? reference->definition->name : reference->use->name);
    if (reference->number > 1) buf_printf(out, "_%u", reference->number);
}

static bool same_name(const struct printed_document *document, const struct schema_reference *a,
                      const struct schema_reference *b) {
    struct buf names[2];
    for (int i = 0; i < 2; i++) buf_init(&names[i], &document->out->allocator, SOURCE_MAX);
    put_reference_name(&names[0], a);
    put_reference_name(&names[1], b);
    bool same = text_eq(buf_view(&names[0]), buf_view(&names[1]));
    bool good = names[0].state == BUF_FINE && names[1].state == BUF_FINE;
    for (int i = 0; i < 2; i++) buf_free(&names[i]);
    if (!good) document->out->state = BUF_NOMEM;
    return same && good;
}

/* A name belongs to the type that has it, printed or not, and otherwise to whoever comes first. */
static bool is_taken(const struct printed_document *document,
                     const struct schema_reference *reference) {
    struct buf name;
    buf_init(&name, &document->out->allocator, SOURCE_MAX);
    put_reference_name(&name, reference);
    bool taken = map_get(reference->raw->types, buf_view(&name)) != NULL;
    if (name.state != BUF_FINE) document->out->state = name.state;
    buf_free(&name);
    for (size_t i = 0; i < references_count(document) && !taken; i++) {
        const struct schema_reference other = references_at(document, i);
        taken = same_name(document, reference, &other);
    }
    return taken;
}

/* The same name in two hatches that bring the same definitions along is one. */
static bool brings_same(const struct schema_reference *a, const struct raw_schema *raw,
                        const struct raw_use *use) {
    if (a->use == use) return true;
    return a->use && text_eq(a->use->reference, use->reference) &&
           json_equal(json_get(a->raw->json, "$defs"), json_get(raw->json, "$defs"));
}

static struct schema_reference note_own(struct printed_document *document,
                                        const struct raw_schema *raw, const struct raw_use *use) {
    struct schema_reference reference = {NULL, raw, use, 1};
    for (size_t i = 0; i < references_count(document); i++) {
        const struct schema_reference other = references_at(document, i);
        if (brings_same(&other, raw, use)) return other;
    }
    while (document->out->state == BUF_FINE && is_taken(document, &reference)) reference.number++;
    append_reference(document, &reference);
    return reference;
}

void references_put_pointer(struct buf *out, const struct schema_reference *reference) {
    struct buf name, pointer;
    buf_init(&name, &out->allocator, SOURCE_MAX);
    buf_init(&pointer, &out->allocator, SOURCE_MAX);
    put_reference_name(&name, reference);
    buf_puts(&pointer, "#/$defs");
    if (reference->definition) json_put_pointer_token(&pointer, buf_view(&name));
    else {
        /* It was written as a pointer. */
        buf_putc(&pointer, '/');
        buf_text(&pointer, buf_view(&name));
    }
    if (name.state != BUF_FINE) out->state = name.state;
    else if (pointer.state != BUF_FINE) out->state = pointer.state;
    else json_put_string(out, buf_view(&pointer));
    buf_free(&name);
    buf_free(&pointer);
}

/* A name in a pointer may be escaped; as a key it is as it is. */
void references_put_key(struct printed_document *document,
                        const struct schema_reference *reference) {
    struct buf name;
    buf_init(&name, &document->out->allocator, SOURCE_MAX);
    if (reference->definition) buf_text(&name, reference->definition->name);
    else buf_text(&name, reference->use->own->key);
    if (reference->number > 1) buf_printf(&name, "_%u", reference->number);
    if (name.state != BUF_FINE) document->out->state = name.state;
    else json_put_string(document->out, buf_view(&name));
    buf_free(&name);
}

/* ## Escape hatches */

static void put_raw_reference(struct printed_document *document, const struct raw_schema *raw,
                              const struct json *value) {
    const struct raw_use *use = raw_find(raw, value->text);
    if (!use) json_put(document->out, value);
    else if (use->own) {
        const struct schema_reference reference = note_own(document, raw, use);
        references_put_pointer(document->out, &reference);
    } else {
        const struct schema_reference reference = {.definition = use->definition};
        references_note(document, use->definition);
        references_put_pointer(document->out, &reference);
    }
}

/* A list of schemas, or a map to them. */
static void put_raw_schemas(struct printed_document *document, const struct raw_schema *raw,
                            const struct json *holder) {
    bool list = holder->kind == JSON_ARRAY;
    buf_putc(document->out, list ? '[' : '{');
    for (const struct json *m = holder->first; m; m = m->next) {
        if (m != holder->first) buf_putc(document->out, ',');
        if (!list) {
            json_put_string(document->out, m->key);
            buf_putc(document->out, ':');
        }
        references_put_raw(document, raw, m);
    }
    buf_putc(document->out, list ? ']' : '}');
}

void references_put_raw_member(struct printed_document *document, const struct raw_schema *raw,
                               const struct json *member) {
    bool reference = text_is(member->key, "$ref") && member->kind == JSON_STRING;
    enum keyword_content content = keyword_content(member);
    json_put_string(document->out, member->key);
    buf_putc(document->out, ':');
    if (reference) put_raw_reference(document, raw, member);
    else if (content == CONTENT_SCHEMA) references_put_raw(document, raw, member);
    else if (content == CONTENT_SCHEMAS) put_raw_schemas(document, raw, member);
    else json_put(document->out, member);
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
void references_put_raw(struct printed_document *document, const struct raw_schema *raw,
                        const struct json *schema) {
    if (schema->kind != JSON_OBJECT) {
        json_put(document->out, schema);
        return;
    }
    buf_putc(document->out, '{');
    for (const struct json *m = schema->first; m; m = m->next) {
        if (m != schema->first) buf_putc(document->out, ',');
        references_put_raw_member(document, raw, m);
    }
    buf_putc(document->out, '}');
}
