/* Coercions without loss: what is written afterwards says exactly what was written before. "5" and
 * 5, "true" and true, 1 and true; a text that is the JSON of a list or map, and back where the
 * schema says that the text is JSON. A value is converted once: where one schema asks for an
 * integer and another for a string, no value would do. */
#include "jsonschema/normalise.h"

#include "base/json/scan.h"
#include "base/text.h"

enum { BYTES_PER_STEP = 16 };

static bool to_number(struct json *value, unsigned types, gramc_text trimmed) {
    bool whole;
    const char *end = trimmed.ptr + trimmed.len;
    if (trimmed.len == 0 || (*trimmed.ptr != '-' && !json_byte_is(*trimmed.ptr, JSON_BYTE_DIGIT)))
        return false;
    if (json_scan_number(trimmed.ptr, end, &whole) != end) return false;
    if (!(types & TYPE_BIT_FRACTION) && !json_number_is_integer(trimmed)) return false;
    value->kind = JSON_NUMBER;
    value->text = trimmed;
    return true;
}

/* As JSON spells them, and Python, which models write. */
static bool to_boolean(struct json *value, gramc_text trimmed) {
    bool yes = text_is(trimmed, "true") || text_is(trimmed, "True");
    if (!yes && !text_is(trimmed, "false") && !text_is(trimmed, "False")) return false;
    value->kind = yes ? JSON_TRUE : JSON_FALSE;
    return true;
}

static bool from_string(struct json *value, unsigned types) {
    gramc_text trimmed = text_trim(value->text);
    if (types & TYPE_BIT_NUMBER && to_number(value, types, trimmed)) return true;
    return types & TYPE_BIT_BOOLEAN && to_boolean(value, trimmed);
}

static bool from_number(struct json *value, unsigned types) {
    bool one = text_is(value->text, "1");
    if (types & TYPE_BIT_STRING) value->kind = JSON_STRING;
    else if (types & TYPE_BIT_BOOLEAN && (one || text_is(value->text, "0")))
        value->kind = one ? JSON_TRUE : JSON_FALSE;
    else return false;
    return true;
}

/* The caller or the schema says of strings that they are JSON. */
bool convert_takes_json(const struct schema_node *node, unsigned flags) {
    return flags & GRAMC_CHECK_JSON_TEXT || node->flags & NODE_JSON_TEXT;
}

static bool to_string(struct json *value, unsigned types, gramc_text bytes) {
    if (!(types & TYPE_BIT_STRING)) return false;
    if (value->kind >= JSON_ARRAY) {
        value->text = bytes;
        value->first = NULL;
        value->count = 0;
    } else {
        value->text = value->kind == JSON_TRUE ? TEXT("true") : TEXT("false");
    }
    value->kind = JSON_STRING;
    return true;
}

bool convert_value(struct json *value, unsigned types, gramc_text bytes) {
    switch ((enum json_kind)value->kind) {
    case JSON_STRING: return from_string(value, types);
    case JSON_NUMBER: return from_number(value, types);
    case JSON_NULL: return false;
    case JSON_FALSE:
    case JSON_TRUE:
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    return to_string(value, types, bytes);
}

/* All of it stands where the string stood. */
static void place_at(struct json *value, uint32_t start, uint32_t end) {
    value->start = value->key_start = start;
    value->end = end;
    for (struct json *child = value->first; child; child = child->next) place_at(child, start, end);
}

/* What the string says, if it is the JSON of something whose type is asked for. */
static const struct json *inner_json(struct normaliser *n, gramc_text text, unsigned types) {
    struct evaluation *evaluation = n->evaluation;
    struct arena *arena = &n->verdict->arena;
    if (!evaluation_take(evaluation, text.len / BYTES_PER_STEP)) return NULL;
    const struct json *inner = json_parse(arena, text, NULL);
    if (arena->oom) evaluation_stop(evaluation, GRAMC_NOMEM);
    /* Of members with one name, one would be lost. */
    bool fits = inner && types & type_of(inner) && evaluate_duplicates(evaluation, inner);
    return fits && evaluation->status == GRAMC_OK ? inner : NULL;
}

bool convert_may_hold(gramc_text text, unsigned types) {
    bool asked = types & (TYPE_BIT_ARRAY | TYPE_BIT_OBJECT);
    return asked && text.len && (*text.ptr == '{' || *text.ptr == '[');
}

/* A string that is the JSON of the list or map that is asked for. */
static bool from_json(struct normaliser *n, struct json *value, unsigned types) {
    unsigned lists = types & (TYPE_BIT_ARRAY | TYPE_BIT_OBJECT);
    if (value->kind != JSON_STRING || !convert_may_hold(text_trim(value->text), types))
        return false;
    const struct json *inner = inner_json(n, value->text, lists);
    struct json *copy = inner ? normalise_clone(n, inner, MARK_NEW) : NULL;
    if (!copy) return false;
    place_at(copy, value->start, value->end);
    value->kind = copy->kind;
    value->first = copy->first;
    value->count = copy->count;
    value->text = (gramc_text){NULL, 0};
    return true;
}

bool normalise_convert(struct normaliser *n, const struct evaluation_frame *at,
                       struct json *value) {
    unsigned types = at->node->types;
    if (!(n->flags & GRAMC_CHECK_COERCE) || types == TYPE_BIT_ALL) return false;
    /* A long number is read to its end to say whether it is whole. */
    if (value->kind == JSON_NUMBER &&
        !evaluation_take(n->evaluation, value->text.len / BYTES_PER_STEP))
        return false;
    if (types & type_of(value)) return false;
    if (value->mark & MARK_COERCED || value->kind == JSON_NULL) return false;
    if (value->kind >= JSON_ARRAY &&
        !(types & TYPE_BIT_STRING && convert_takes_json(at->node, n->flags)))
        return false;
    gramc_text before = change_bytes(n, value);
    if (!convert_value(value, types, before) && !from_json(n, value, types)) return false;
    value->mark = (uint8_t)((value->mark & MARK_FILLED) | MARK_NEW | MARK_COERCED);
    struct change *change = change_note(n, at, GRAMC_ADJUSTED_COERCED);
    if (change) {
        change->shown.before = before;
        change->shown.after = change_bytes(n, value);
    }
    return true;
}
