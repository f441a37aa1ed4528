/* Turns a YAML tree into JSON by the core schema of YAML 1.2 (section 10.3): which plain scalars
 * are null, booleans and numbers. Numbers that JSON spells otherwise are spelled as JSON does; what
 * JSON has none for (infinities) stays a text. */
#include "base/yaml/yaml.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

struct converter {
    struct arena *arena;
    const struct yaml_limits *limits;
    struct yaml_error *error;
    uint32_t nodes, depth;
    bool failed;
};

static struct json *fail(struct converter *c, const struct yaml *at, const char *message) {
    if (c->failed) return NULL;
    c->failed = true;
    *c->error = (struct yaml_error){.line = at->line, .column = at->column, .start = at->start};
    memcpy(c->error->message, message, strlen(message) + 1);
    return NULL;
}

static struct json *fail_limit(struct converter *c, const struct yaml *at, const char *more,
                               size_t limit, const char *what) {
    char message[64];
    snprintf(message, sizeof message, "%s %zu %s", more, limit, what);
    return fail(c, at, message);
}

/* ## Scalars */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static size_t digits_from(gramc_text text, size_t pos) {
    size_t start = pos;
    while (pos < text.len && is_digit(text.ptr[pos])) pos++;
    return pos - start;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?, in JSON's spelling. */
static bool put_decimal(struct buf *out, gramc_text text) {
    size_t pos = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+');
    size_t whole = digits_from(text, pos), first = pos;
    if (pos && text.ptr[0] == '-') buf_putc(out, '-');
    while (whole > 1 && text.ptr[first] == '0') {
        first++;
        whole--;
    }
    if (whole) buf_put(out, text.ptr + first, whole);
    else buf_putc(out, '0');
    pos = first + whole;
    size_t fraction = 0;
    if (pos < text.len && text.ptr[pos] == '.') {
        fraction = digits_from(text, ++pos);
        if (fraction) buf_putc(out, '.');
        buf_put(out, text.ptr + pos, fraction);
        pos += fraction;
    }
    if (!whole && !fraction) return false;
    if (pos < text.len && (text.ptr[pos] | 0x20) == 'e') {
        size_t sign = pos + 1 < text.len && (text.ptr[pos + 1] == '-' || text.ptr[pos + 1] == '+');
        size_t count = digits_from(text, pos + 1 + sign);
        if (!count) return false;
        buf_put(out, text.ptr + pos, 1 + sign + count);
        pos += 1 + sign + count;
    }
    return pos == text.len;
}

/* 0o17 and 0x1F, as far as 64 bits go. */
static bool put_other_base(struct buf *out, gramc_text text) {
    unsigned shift = text_starts(text, "0x") ? 4 : 3;
    uint64_t value = 0;
    if (text.len < 3 || (!text_starts(text, "0x") && !text_starts(text, "0o"))) return false;
    for (size_t i = 2; i < text.len; i++) {
        char c = text.ptr[i], lower = (char)(c | 0x20);
        unsigned digit = is_digit(c) ? (unsigned)(c - '0') : (unsigned)(lower - 'a') + 10;
        bool letter = lower >= 'a' && lower <= 'f';
        if ((!is_digit(c) && !letter) || digit >> shift || value >> (64 - shift)) return false;
        value = value << shift | digit;
    }
    buf_printf(out, "%llu", (unsigned long long)value);
    return true;
}

static bool is_one_of(gramc_text text, const char *a, const char *b, const char *c) {
    return text_is(text, a) || text_is(text, b) || text_is(text, c);
}

static void read_number(struct converter *c, struct json *json, gramc_text text) {
    struct buf out;
    buf_init(&out, &c->arena->allocator, text.len + 32);
    bool good = put_other_base(&out, text);
    if (!good) {
        buf_reset(&out);
        good = put_decimal(&out, text);
    }
    if (out.state != BUF_FINE) c->arena->oom = true;
    if (good && out.state == BUF_FINE) {
        json->kind = JSON_NUMBER;
        json->text = arena_text(c->arena, buf_view(&out));
    }
    buf_free(&out);
}

static void read_scalar(struct converter *c, struct json *json, const struct yaml *node) {
    gramc_text text = node->text;
    json->kind = JSON_STRING;
    json->text = text;
    if (!node->plain) return;
    if (yaml_is_null(node)) json->kind = JSON_NULL;
    else if (is_one_of(text, "true", "True", "TRUE")) json->kind = JSON_TRUE;
    else if (is_one_of(text, "false", "False", "FALSE")) json->kind = JSON_FALSE;
    else if (text.len && (is_digit(text.ptr[0]) || strchr("+-.", text.ptr[0])))
        read_number(c, json, text);
}

/* ## Containers */

static struct json *convert(struct converter *c, const struct yaml *node);

static void append(struct json *parent, struct json ***tail, struct json *child) {
    **tail = child;
    *tail = &child->next;
    parent->count++;
}

static bool is_merge(const struct yaml_item *item) {
    return item->key && item->key->plain && text_is(item->key->text, "<<") &&
           item->value->kind != YAML_SCALAR;
}

static bool has_key(const struct json *object, gramc_text key) {
    return json_get_text(object, key) != NULL;
}

static void add_member(struct converter *c, struct json *parent, struct json ***tail,
                       const struct yaml_item *item) {
    struct json *child = convert(c, item->value);
    if (!child) return;
    child->key = item->key->text;
    child->key_start = item->key->start;
    append(parent, tail, child);
}

/* What is merged in stands behind the map's own members and never replaces one. */
static void merge(struct converter *c, struct json *parent, struct json ***tail,
                  const struct yaml *from) {
    if (from->kind == YAML_LIST)
        for (const struct yaml_item *item = from->first; item && !c->failed; item = item->next)
            if (item->value->kind == YAML_MAP) merge(c, parent, tail, item->value);
    for (const struct yaml_item *item = from->kind == YAML_MAP ? from->first : NULL;
         item && !c->failed; item = item->next)
        if (!is_merge(item) && !has_key(parent, item->key->text)) add_member(c, parent, tail, item);
}

static void fill(struct converter *c, struct json *json, const struct yaml *node) {
    struct json **tail = &json->first;
    bool map = node->kind == YAML_MAP;
    for (const struct yaml_item *item = node->first; item && !c->failed; item = item->next) {
        struct json *child = map ? NULL : convert(c, item->value);
        if (child) append(json, &tail, child);
        else if (map && !is_merge(item)) add_member(c, json, &tail, item);
    }
    for (const struct yaml_item *item = map ? node->first : NULL; item && !c->failed;
         item = item->next)
        if (is_merge(item)) merge(c, json, &tail, item->value);
}

/* Recursion is bounded: what is read is no deeper than the limits, and holds no node inside itself;
 * aliases inside aliases make it deeper, but not more than nodes are allowed. */
static struct json *convert(struct converter *c, const struct yaml *node) {
    if (++c->nodes > c->limits->nodes)
        return fail_limit(c, node, "more than", c->limits->nodes, "nodes");
    if (++c->depth > JSON_MAX_DEPTH)
        return fail_limit(c, node, "nested deeper than", JSON_MAX_DEPTH, "levels");
    struct json *json = ARENA_NEW(c->arena, struct json);
    if (!json) c->failed = true;
    else {
        json->start = node->start;
        json->end = node->end;
        json->kind = node->kind == YAML_MAP ? JSON_OBJECT : JSON_ARRAY;
        if (node->kind == YAML_SCALAR) read_scalar(c, json, node);
        else fill(c, json, node);
    }
    c->depth--;
    return c->failed ? NULL : json;
}

struct json *yaml_json(struct arena *arena, const struct yaml *root,
                       const struct yaml_limits *limits, struct yaml_error *error) {
    struct converter c = {.arena = arena, .limits = limits, .error = error};
    *error = (struct yaml_error){.line = 0};
    struct json *json = convert(&c, root);
    return arena->oom ? NULL : json;
}
