/* Turns a chain of JOLT specs into compiled operations and applies them to a document, within
 * budgets. What an operation means is its own file's; this one knows their order and their limits.
 */
#include "jolt/jolt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "base/text.h"

enum {
    DEFAULT_OUTPUT = 16 << 20,
    DEFAULT_VALUES = 2000000,
    MADE_TEXT = 64 << 20, /* bytes of texts that functions make */
    STEPS_PER_VALUE = 16
};

struct link {
    const struct jolt_operation *operation;
    const void *spec;
};

struct gramc_jolt {
    struct arena arena;
    struct link *links;
    size_t count;
};

static const struct jolt_operation *const operations[] = {
    &jolt_shift,       &jolt_default,          &jolt_remove,         &jolt_sort,
    &jolt_cardinality, &jolt_modify_overwrite, &jolt_modify_default, &jolt_modify_define,
};

enum { OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

/* ## Errors */

static bool holds(const struct json *value, const struct json *at) {
    return value == at || (value->start <= at->start && at->end <= value->end);
}

/* Down to `at`, whose place in the text tells the way. */
static void put_pointer(struct buf *out, const struct json *document, const struct json *at) {
    const struct json *value = document;
    while (value != at) {
        uint32_t index = 0;
        const struct json *child = value->first;
        while (child && !holds(child, at)) child = child->next, index++;
        if (!child) return;
        char digits[INDEX_DIGITS];
        json_put_pointer_token(out,
                               value->kind == JSON_OBJECT ? child->key : index_text(index, digits));
        value = child;
    }
}

static void tell_pointer(struct jolt_reader *reader, const struct json *at) {
    struct buf pointer;
    size_t room = sizeof(reader->error->pointer) - 1;
    buf_init(&pointer, &reader->arena->allocator, 1 << 20);
    put_pointer(&pointer, reader->document, at);
    size_t len = pointer.len < room ? pointer.len : room;
    if (len) memcpy(reader->error->pointer, pointer.ptr, len);
    reader->error->pointer[len] = '\0';
    if (pointer.state == BUF_NOMEM) reader->arena->oom = true;
    buf_free(&pointer);
}

bool jolt_fail(struct jolt_reader *reader, const struct json *at, const char *format, ...) {
    va_list args;
    if (reader->failed) return false;
    reader->failed = true;
    if (!reader->error) return false;
    tell_pointer(reader, at);
    reader->error->position = at->key.ptr ? at->key_start : at->start;
    va_start(args, format);
    vsnprintf(reader->error->message, sizeof(reader->error->message), format, args);
    va_end(args);
    return false;
}

bool jolt_may_nest(struct jolt_reader *reader, const struct json *at, unsigned depth) {
    if (depth <= JOLT_SPEC_DEPTH) return true;
    reader->limit = true;
    return jolt_fail(reader, at, "a spec deeper than %d levels", JOLT_SPEC_DEPTH);
}

static gramc_status tell_syntax(const struct json_error *syntax, gramc_json_error *error) {
    if (error) {
        *error = (gramc_json_error){.position = syntax->position};
        snprintf(error->message, sizeof(error->message), "%s",
                 syntax->message ? syntax->message : "no JSON");
    }
    return syntax->limit ? GRAMC_LIMIT : GRAMC_FINDINGS;
}

/* ## Compiling */

static bool unknown_operation(struct jolt_reader *reader, const struct json *name) {
    gramc_text names[OPERATIONS], shown = name->text;
    if (shown.len > 80) shown.len = 80;
    for (size_t i = 0; i < OPERATIONS; i++) names[i] = text_of(operations[i]->name);
    gramc_text near = text_nearest(name->text, names, OPERATIONS);
    if (near.len)
        return jolt_fail(reader, name, "there is no operation `%.*s`; did you mean `%.*s`?",
                         TEXT_ARGS(shown), TEXT_ARGS(near));
    return jolt_fail(reader, name, "there is no operation `%.*s`", TEXT_ARGS(shown));
}

static bool read_link(struct jolt_reader *reader, const struct json *entry, struct link *out) {
    const struct json *name = json_get(entry, "operation"), *spec = json_get(entry, "spec");
    if (entry->kind != JSON_OBJECT)
        return jolt_fail(reader, entry, "each entry is an object with operation and spec");
    if (!name) return jolt_fail(reader, entry, "the entry names no operation");
    if (name->kind != JSON_STRING) return jolt_fail(reader, name, "the operation is a text");
    for (size_t i = 0; i < OPERATIONS; i++) {
        if (!text_is(name->text, operations[i]->name)) continue;
        out->operation = operations[i];
        if (!spec && operations[i]->needs_spec)
            return jolt_fail(reader, entry, "this operation needs a spec");
        return operations[i]->read(reader, spec, &out->spec);
    }
    return unknown_operation(reader, name);
}

static bool read_chain(struct jolt_reader *reader, gramc_jolt *jolt) {
    const struct json *chain = reader->document;
    if (chain->kind != JSON_ARRAY || !chain->first)
        return jolt_fail(reader, chain, "a chain is a list of at least one operation");
    jolt->links = arena_zalloc(reader->arena, chain->count * sizeof(*jolt->links));
    if (!jolt->links) return false;
    for (const struct json *entry = chain->first; entry; entry = entry->next)
        if (!read_link(reader, entry, &jolt->links[jolt->count++])) return false;
    return true;
}

static gramc_status compile(gramc_jolt *jolt, gramc_text spec, gramc_json_error *error) {
    struct json_error syntax = {.position = 0};
    gramc_text copy = arena_text(&jolt->arena, spec);
    const struct json *document = copy.ptr ? json_parse(&jolt->arena, copy, &syntax) : NULL;
    if (jolt->arena.oom) return GRAMC_NOMEM;
    if (!document) return tell_syntax(&syntax, error);
    struct jolt_reader reader = {&jolt->arena, document, error, false, false};
    if (read_chain(&reader, jolt)) return jolt->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
    if (!reader.failed || jolt->arena.oom) return GRAMC_NOMEM;
    return reader.limit ? GRAMC_LIMIT : GRAMC_FINDINGS;
}

gramc_status gramc_jolt_compile(gramc_jolt **out, gramc_text spec, const gramc_allocator *given,
                                gramc_json_error *error) {
    gramc_allocator allocator = given ? *given : mem_default();
    gramc_jolt *jolt = mem_alloc(&allocator, sizeof(*jolt));
    *out = NULL;
    if (error) *error = (gramc_json_error){.position = 0};
    if (!jolt) return GRAMC_NOMEM;
    *jolt = (gramc_jolt){.count = 0};
    arena_init(&jolt->arena, &allocator);
    gramc_status status = compile(jolt, spec, error);
    if (status == GRAMC_OK) *out = jolt;
    else gramc_jolt_free(jolt);
    return status;
}

void gramc_jolt_free(gramc_jolt *jolt) {
    if (!jolt) return;
    gramc_allocator allocator = jolt->arena.allocator;
    arena_free(&jolt->arena);
    mem_free(&allocator, jolt, sizeof(*jolt));
}

/* ## Applying */

static gramc_status read_document(struct jolt_work *work, gramc_text text, struct jolt_node **out,
                                  gramc_json_error *error) {
    struct json_error syntax;
    const struct json *document = json_parse(&work->arena, text, &syntax);
    if (work->arena.oom) return GRAMC_NOMEM;
    if (!document) return tell_syntax(&syntax, error);
    *out = node_from_json(work, document);
    return work->arena.oom ? GRAMC_NOMEM : work->status;
}

static struct jolt_node *run(const gramc_jolt *jolt, struct jolt_work *work,
                             struct jolt_node *document) {
    for (size_t i = 0; i < jolt->count && document; i++) {
        document = jolt->links[i].operation->apply(work, jolt->links[i].spec, document);
        if (document && !node_fits(document, JOLT_TREE_DEPTH)) {
            work_fail(work, GRAMC_LIMIT);
            return NULL;
        }
    }
    return document;
}

static gramc_status write_document(struct jolt_work *work, const struct jolt_node *document,
                                   size_t max, gramc_writer writer) {
    struct buf out;
    buf_init(&out, &work->arena.allocator, max);
    node_put(&out, document);
    gramc_status status = buf_send(&out, writer);
    buf_free(&out);
    return status;
}

static gramc_status apply(const gramc_jolt *jolt, struct jolt_work *work, gramc_text input,
                          const gramc_jolt_options *options, gramc_writer writer,
                          gramc_json_error *error) {
    struct jolt_node *document = NULL;
    gramc_text context = options->context.len ? options->context : TEXT("{}");
    work->null = node_new(work, JSON_NULL);
    if (!work->null) return work->status;
    gramc_status status = read_document(work, context, &work->context, error);
    if (status == GRAMC_OK) status = read_document(work, input, &document, error);
    if (status != GRAMC_OK) return status;
    document = run(jolt, work, document);
    if (work->arena.oom) return GRAMC_NOMEM;
    if (work->status != GRAMC_OK) return work->status;
    return write_document(work, document,
                          options->max_output ? options->max_output : DEFAULT_OUTPUT, writer);
}

gramc_status gramc_jolt_apply(const gramc_jolt *jolt, gramc_text input,
                              const gramc_jolt_options *given, gramc_writer writer,
                              gramc_json_error *error) {
    gramc_jolt_options options = GRAMC_JOLT_OPTIONS_INIT;
    OPTIONS_READ(options, given);
    uint32_t values = options.max_values ? options.max_values : DEFAULT_VALUES;
    struct jolt_work work = {.values_left = values,
                             .bytes_left = MADE_TEXT,
                             .steps_left = (uint64_t)values * STEPS_PER_VALUE};
    arena_init(&work.arena, options.allocator);
    if (error) *error = (gramc_json_error){.position = 0};
    gramc_status status = apply(jolt, &work, input, &options, writer, error);
    arena_free(&work.arena);
    return status;
}
