/* Converts values by their bytes: what the fast path refuses because it has another type is
 * written anew as convert_value() (normalise_convert.c) says, evaluated as if it stood there, and
 * noted. Whatever would be changed inside of the new value is left to the thorough half. */
#include "jsonschema/fast.h"

#include "base/limits.h"
#include "base/text.h"
#include "jsonschema/normalise.h"

/* A value and where it ends. */
struct read_value {
    struct json value;
    const char *end;
};

/* p is at the quote. False without memory too, and then as ever the thorough half finds out. */
static bool read_text(struct run *run, const char *p, struct read_value *out) {
    unsigned seen = 0;
    const char *inside = p + 1, *close = run_scan_string(run, inside, &seen);
    if (!close) return false;
    gramc_text text = {inside, (size_t)(close - inside)};
    if (seen & JSON_SEEN_ESCAPE) {
        char *decoded = arena_alloc(run->fills->arena, text.len + 1);
        if (!decoded) return false;
        text = (gramc_text){decoded, json_unescape(decoded, inside, close)};
    }
    out->value.kind = JSON_STRING;
    out->value.text = text;
    out->end = close + 1;
    return true;
}

/* Everything but null, which is never converted. */
static bool read_value(struct run *run, const char *p, struct read_value *out) {
    *out = (struct read_value){.value = {.next = NULL}, .end = NULL};
    if (*p == '"') return read_text(run, p, out);
    if (*p == 'n') return false;
    struct fills *fills = run_quietly(run);
    out->end = run_value(run, &schema_any, p);
    run->fills = fills;
    if (!out->end) return false;
    switch (*p) {
    case 't': out->value.kind = JSON_TRUE; break;
    case 'f': out->value.kind = JSON_FALSE; break;
    case '[': out->value.kind = JSON_ARRAY; break;
    case '{': out->value.kind = JSON_OBJECT; break;
    default:
        out->value.kind = JSON_NUMBER;
        out->value.text = (gramc_text){p, (size_t)(out->end - p)};
    }
    return true;
}

/* What a string holds, as it is written in the arena: `[value]`. */
static bool convert_held(struct run *run, struct json *value, unsigned types) {
    gramc_text text = text_trim(value->text);
    if (value->kind != JSON_STRING || !convert_may_hold(text, types)) return false;
    const struct json *held = json_parse(run->fills->arena, value->text, NULL);
    if (!held || !(types & type_of(held))) return false;
    *value = *held;
    return true;
}

/* False: it has the type already, or cannot be converted. */
static bool is_converted(struct run *run, const struct schema_node *node, struct json *value,
                         gramc_text bytes) {
    if (node->types & type_of(value)) return false;
    if (value->kind >= JSON_ARRAY && !convert_takes_json(node, run->fills->flags)) return false;
    return convert_value(value, node->types, bytes) || convert_held(run, value, node->types);
}

/* `[value]`; no ptr where it is too large, or without memory. */
static gramc_text bracketed(struct arena *arena, const struct json *value) {
    struct buf buf;
    buf_init_arena(&buf, arena, JUDGE_RESULT_MAX);
    buf_putc(&buf, '[');
    json_put(&buf, value);
    buf_putc(&buf, ']');
    if (buf.state == BUF_FINE) return buf_to_arena(&buf, arena);
    buf_free(&buf);
    return (gramc_text){NULL, 0};
}

/* Whether the node takes the value between the brackets as it stands: the run goes on over there
 * for a while, with all that it may still spend. */
static bool takes(struct run *run, const struct schema_node *node, gramc_text text) {
    const char *start = run->start, *end = run->end, *furthest = run->furthest;
    const char *closing = text.ptr + text.len - 1;
    struct fills *fills = run_quietly(run);
    run_over(run, text.ptr, closing + 1);
    bool fits = run_try(run, node, text.ptr + 1) == closing;
    run_over(run, start, end);
    run->furthest = furthest;
    run->fills = fills;
    fits = fits && !run->unfilled;
    run->unfilled = false;
    return fits;
}

/* A number stands in its string as it will stand without quotes. */
static bool stands_in(gramc_text bytes, const struct json *value) {
    return value->kind == JSON_NUMBER && value->text.ptr > bytes.ptr &&
           value->text.ptr < bytes.ptr + bytes.len;
}

/* The value at p, whose bytes end at *end, as the node takes it; no ptr if it does not. */
static gramc_text convert(struct run *run, const struct schema_node *node, const char *p,
                          const char **end) {
    struct read_value read;
    gramc_text none = {NULL, 0};
    if (!run->fills || run->given_up || !(run->fills->flags & GRAMC_CHECK_COERCE)) return none;
    /* What applies beside it might convert it as well. */
    if (node->apply || !read_value(run, p, &read)) return none;
    *end = read.end;
    gramc_text bytes = {p, (size_t)(read.end - p)};
    if (!is_converted(run, node, &read.value, bytes)) return none;
    if (stands_in(bytes, &read.value)) {
        const gramc_text number = read.value.text;
        return run_value(run, node, number.ptr) == number.ptr + number.len ? number : none;
    }
    gramc_text text = bracketed(run->fills->arena, &read.value);
    return text.ptr && takes(run, node, text) ? text_slice(text, 1, text.len - 1) : none;
}

/* ## Notes */

static bool note(struct fills *fills, struct fill_change *change, gramc_text before,
                 gramc_text after) {
    const struct fill_cut cut = {.from = (uint32_t)(before.ptr - fills->text),
                                 .to = (uint32_t)(before.ptr + before.len - fills->text),
                                 .change = (uint32_t)fills->change_count + 1};
    change->kind = GRAMC_ADJUSTED_COERCED;
    change->before = before;
    change->written = after;
    return fills_note(fills, change) && fills_cut(fills, &cut);
}

/* The name of a member as it is meant; no ptr without memory. */
static gramc_text key_of(struct run *run, const struct refused_member *at) {
    unsigned seen = 0;
    if (at->key) return at->key->text;
    const char *inside = at->quote + 1, *close = run_scan_string(run, inside, &seen);
    gramc_text key = {inside, (size_t)(close - inside)};
    if (!(seen & JSON_SEEN_ESCAPE)) return key;
    char *decoded = arena_alloc(run->fills->arena, key.len + 1);
    size_t len = decoded ? json_unescape(decoded, inside, close) : 0;
    return (gramc_text){decoded, len};
}

const char *run_coerce_member(struct run *run, const struct schema_node *node,
                              const struct refused_member *at) {
    const char *end = NULL;
    gramc_text after = node ? convert(run, node, at->value, &end) : (gramc_text){NULL, 0};
    if (!after.ptr) return NULL;
    gramc_text before = {at->value, (size_t)(end - at->value)};
    struct fill_change change = {.object = (uint32_t)(at->open - run->fills->text),
                                 .key = key_of(run, at)};
    return change.key.ptr && note(run->fills, &change, before, after) ? end : run_give_up(run);
}

const char *run_coerce_item(struct run *run, const struct schema_node *node,
                            const struct refused_item *at) {
    const char *end = NULL;
    gramc_text after = convert(run, node, at->value, &end);
    if (!after.ptr) return NULL;
    gramc_text before = {at->value, (size_t)(end - at->value)};
    struct fill_change change = {
        .object = (uint32_t)(at->open - run->fills->text), .of = FILL_ITEM, .item = at->item};
    return note(run->fills, &change, before, after) ? end : run_give_up(run);
}

const char *run_coerce_root(struct run *run, const struct schema_node *node, const char *p,
                            gramc_text whole) {
    const char *end = NULL;
    gramc_text after = convert(run, node, p, &end);
    if (!after.ptr || (size_t)(end - p) != whole.len) return NULL;
    struct fill_change change = {.of = FILL_ROOT};
    return note(run->fills, &change, whole, after) ? end : run_give_up(run);
}
