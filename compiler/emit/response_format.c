/* Turns the type of a structured answer into what a request says about it: `response_format` of a
 * chat completion, in strict mode where that can say the type, and what other providers have
 * instead. They want an object, so that any other answer is the member `answer` of one. */
#include "compiler/emit/response_format.h"

#include "base/json/writer.h"
#include "base/limits.h"
#include "base/text.h"
#include "compiler/emit/lower.h"

static bool is_object(const struct json *document) {
    const struct json *type = json_get(document, "type");
    return json_is(type, JSON_STRING) && text_is(type->text, "object");
}

/* Definitions stay at the root, where references look for them. */
static struct json *wrap(struct arena *arena, const struct json *document) {
    struct json *outer = json_new(arena, JSON_OBJECT), *inner = json_copy_shallow(arena, document);
    struct json *properties = json_new(arena, JSON_OBJECT), *required = json_new(arena, JSON_ARRAY);
    const struct json *definitions = json_get(document, "$defs");
    if (arena->oom) return NULL;
    json_remove(inner, "$defs");
    json_set(properties, TEXT("answer"), inner);
    json_append(required, json_new_text(arena, JSON_STRING, TEXT("answer")));
    json_set(outer, TEXT("type"), json_new_text(arena, JSON_STRING, TEXT("object")));
    json_set(outer, TEXT("properties"), properties);
    json_set(outer, TEXT("required"), required);
    json_set(outer, TEXT("additionalProperties"), json_new(arena, JSON_FALSE));
    if (definitions) json_set(outer, TEXT("$defs"), json_copy_shallow(arena, definitions));
    return outer;
}

static void put_chat_format(struct json_writer *w, const struct json *schema, bool strict) {
    json_object_begin(w);
    json_member_text(w, "type", TEXT("json_schema"));
    json_member_object(w, "json_schema");
    json_member_text(w, "name", TEXT("answer"));
    json_member_bool(w, "strict", strict);
    json_member_value(w, "schema", schema);
    json_object_end(w);
    json_object_end(w);
}

static void put_responses_format(struct json_writer *w, const struct json *schema, bool strict) {
    json_object_begin(w);
    json_member_text(w, "type", TEXT("json_schema"));
    json_member_text(w, "name", TEXT("answer"));
    json_member_bool(w, "strict", strict);
    json_member_value(w, "schema", schema);
    json_object_end(w);
}

static void put_anthropic_format(struct json_writer *w, const struct json *schema, bool strict) {
    (void)strict;
    json_object_begin(w);
    json_member_text(w, "type", TEXT("json_schema"));
    json_member_value(w, "schema", schema);
    json_object_end(w);
}

static void put_schema(struct json_writer *w, const struct json *schema, bool strict) {
    (void)strict;
    json_value(w, schema);
}

/* What providers call it, and how much of JSON Schema they take there. */
static const struct answer_form {
    const char *target;
    enum target_dialect dialect;
    void (*put)(struct json_writer *w, const struct json *schema, bool strict);
} forms[] = {
    {"openai-strict", DIALECT_STRICT, put_chat_format},
    {"openai-responses", DIALECT_STRICT, put_responses_format},
    {"anthropic", DIALECT_ANTHROPIC, put_anthropic_format},
    {"gemini", DIALECT_PLAIN, put_schema},
    {"ollama", DIALECT_PLAIN, put_schema},
};

static const struct answer_form *find_form(gramc_text target) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (text_is(target, forms[i].target)) return &forms[i];
    return &forms[0];
}

static void put_format(struct buf *out, struct arena *arena, const struct answer_form *form,
                       const struct json *document) {
    const struct lower_report silent = {.target = text_of(form->target)};
    gramc_text refused = {NULL, 0};
    const struct json *lowered = NULL;
    struct json_writer w = json_writer(out);
    if (form->dialect != DIALECT_PLAIN)
        lowered = lower_schema(arena, form->dialect, document, &silent, &refused);
    form->put(&w, lowered ? lowered : document, lowered != NULL);
}

bool answer_put_format(struct buf *out, gramc_text target, const struct json *output) {
    struct arena arena;
    bool wrapped = output && !is_object(output);
    if (!output) return false;
    arena_init(&arena, &out->allocator);
    const struct json *document = wrapped ? wrap(&arena, output) : output;
    if (document) put_format(out, &arena, find_form(target), document);
    if (arena.oom) out->state = BUF_NOMEM;
    arena_free(&arena);
    return wrapped;
}

gramc_status gramc_target_answer(gramc_text target, const struct json *output,
                                 const gramc_allocator *allocator, gramc_writer writer) {
    const gramc_allocator chosen = allocator ? *allocator : mem_default();
    struct buf out;
    buf_init(&out, &chosen, SOURCE_MAX);
    (void)answer_put_format(&out, target, output);
    gramc_status status = buf_status(&out);
    if (!status) status = buf_send(&out, writer);
    buf_free(&out);
    return status;
}
