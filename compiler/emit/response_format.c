/* Turns the type of a structured answer into what a chat completion request says about it:
 * `response_format`, in strict mode where that can say the type. Providers want an object, so that
 * any other answer is the member `answer` of one. */
#include "compiler/emit/response_format.h"

#include "base/json/writer.h"
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

static void put_format(struct buf *out, struct arena *arena, const struct json *document) {
    const struct lower_report silent = {.target = TEXT("openai-strict")};
    gramc_text refused = {NULL, 0};
    const struct json *lowered = lower_schema(arena, DIALECT_STRICT, document, &silent, &refused);
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "type", TEXT("json_schema"));
    json_member_object(&w, "json_schema");
    json_member_text(&w, "name", TEXT("answer"));
    json_member_bool(&w, "strict", lowered != NULL);
    json_member_value(&w, "schema", lowered ? lowered : document);
    json_object_end(&w);
    json_object_end(&w);
}

bool answer_put_format(struct buf *out, const struct json *output) {
    struct arena arena;
    bool wrapped = output && !is_object(output);
    if (!output) return false;
    arena_init(&arena, &out->allocator);
    const struct json *document = wrapped ? wrap(&arena, output) : output;
    if (document) put_format(out, &arena, document);
    if (arena.oom) out->state = BUF_NOMEM;
    arena_free(&arena);
    return wrapped;
}
