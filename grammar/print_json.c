/* Turns a tree into the gram project's canonical JSON: an array of {"elements", "subject"}, keys
 * sorted at every level, one line. Here the notation is lowered:
 *   - a reference is a pattern with nothing but an identity, and so is a node by itself;
 *   - a relationship (a)-[r]->(b) is r with the elements a and b; a left arrow turns them round;
 *   - a longer path is an anonymous pattern without labels whose elements are its relationships;
 *   - annotations are a pattern round what they annotate; the header is a pattern too.
 * Where the reference implementations differ (left arrows, longer paths) this is what the
 * notation's own documents say. Of equal keys the last counts; numbers keep their spelling, except
 * that hexadecimal and octal ones become decimal. */
#include "grammar/print.h"

#include <stdlib.h>

#include "base/json/json.h"
#include "base/text.h"
#include "grammar/radix.h"

/* ## Sorting, for keys and labels */

struct entry {
    gramc_text key;
    const struct value *value; /* NULL: a label */
};

static int compare_entries(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    int order = text_compare(a->key, b->key);
    if (order || !a->value) return order;
    /* The same key twice: by place, so that the last of a run is the one that counts. */
    return a->value->span.start < b->value->span.start ? -1 : 1;
}

static struct entry *entries_new(struct buf *out, size_t count) {
    struct entry *entries = mem_alloc(&out->allocator, count * sizeof *entries);
    if (!entries) out->state = BUF_NOMEM;
    return entries;
}

/* Leaves one of each; returns how many. */
static size_t sort_entries(struct entry *entries, size_t count) {
    size_t kept = 0;
    qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || !text_eq(entries[i].key, entries[i + 1].key))
            entries[kept++] = entries[i];
    return kept;
}

/* ## Values */

static void put_value(struct buf *out, const struct value *value);

static void put_properties(struct buf *out, const struct property *first, uint32_t count) {
    size_t used = 0;
    struct entry *entries = count ? entries_new(out, count) : NULL;
    buf_putc(out, '{');
    if (entries) {
        for (const struct property *p = first; p && used < count; p = p->next)
            entries[used++] = (struct entry){p->key.text, p->value};
        used = sort_entries(entries, used);
        for (size_t i = 0; i < used; i++) {
            if (i) buf_putc(out, ',');
            json_put_string(out, entries[i].key);
            buf_putc(out, ':');
            put_value(out, entries[i].value);
        }
        mem_free(&out->allocator, entries, count * sizeof *entries);
    }
    buf_putc(out, '}');
}

/* JSON has no use for the sign of an integer zero. */
static void put_integer(struct buf *out, gramc_text digits) {
    buf_text(out, text_is(digits, "-0") ? TEXT("0") : digits);
}

static void put_measurement(struct buf *out, const struct value *value) {
    gramc_text text = value->as.scalar.text;
    uint32_t unit_at = value->unit_at;
    buf_puts(out, "{\"type\":\"measurement\",\"unit\":");
    json_put_string(out, text_slice(text, unit_at, text.len));
    buf_puts(out, ",\"value\":");
    put_integer(out, text_slice(text, 0, unit_at));
    buf_putc(out, '}');
}

static void put_range(struct buf *out, const struct value *lower, const struct value *upper) {
    buf_puts(out, "{\"lower\":");
    if (lower) put_value(out, lower);
    else buf_puts(out, "null");
    buf_puts(out, ",\"type\":\"range\",\"upper\":");
    if (upper) put_value(out, upper);
    else buf_puts(out, "null");
    buf_putc(out, '}');
}

static void put_array(struct buf *out, const struct value *first) {
    buf_putc(out, '[');
    for (const struct value *item = first; item; item = item->next) {
        if (item != first) buf_putc(out, ',');
        put_value(out, item);
    }
    buf_putc(out, ']');
}

static void put_symbol(struct buf *out, gramc_text text) {
    buf_puts(out, "{\"type\":\"symbol\",\"value\":");
    json_put_string(out, text);
    buf_putc(out, '}');
}

static void put_tagged(struct buf *out, const struct value *value) {
    buf_puts(out, "{\"content\":");
    json_put_string(out, value->as.scalar.text);
    buf_puts(out, ",\"tag\":");
    json_put_string(out, value->as.scalar.tag->text);
    buf_puts(out, ",\"type\":\"tagged\"}");
}

static void put_value(struct buf *out, const struct value *value) {
    switch ((enum value_kind)value->kind) {
    case VALUE_INTEGER: put_integer(out, value->as.scalar.text); break;
    case VALUE_DECIMAL: buf_text(out, value->as.scalar.text); break;
    case VALUE_HEXADECIMAL:
        radix_put_decimal(out, text_slice(value->as.scalar.text, 2, value->as.scalar.text.len), 16);
        break;
    case VALUE_OCTAL: radix_put_decimal(out, value->as.scalar.text, 8); break;
    case VALUE_MEASUREMENT: put_measurement(out, value); break;
    case VALUE_BOOLEAN: buf_text(out, value->as.scalar.text); break;
    case VALUE_SYMBOL: put_symbol(out, value->as.scalar.text); break;
    case VALUE_STRING: json_put_string(out, value->as.scalar.text); break;
    case VALUE_TAGGED: put_tagged(out, value); break;
    case VALUE_RANGE: put_range(out, value->as.range.lower, value->as.range.upper); break;
    case VALUE_ARRAY: put_array(out, value->as.array.first); break;
    case VALUE_MAP: put_properties(out, value->as.map.first, value->as.map.count); break;
    }
}

/* ## Patterns */

static void put_labels(struct buf *out, const struct label *first) {
    size_t count = 0, used = 0;
    for (const struct label *label = first; label; label = label->next) count++;
    struct entry *entries = count ? entries_new(out, count) : NULL;
    buf_putc(out, '[');
    if (entries) {
        for (const struct label *label = first; label; label = label->next)
            entries[used++] = (struct entry){label->name.text, NULL};
        used = sort_entries(entries, used);
        for (size_t i = 0; i < used; i++) {
            if (i) buf_putc(out, ',');
            json_put_string(out, entries[i].key);
        }
        mem_free(&out->allocator, entries, count * sizeof *entries);
    }
    buf_putc(out, ']');
}

static void put_subject(struct buf *out, const struct subject *subject) {
    static const struct subject anonymous = {0};
    if (!subject) subject = &anonymous;
    buf_puts(out, ",\"subject\":{\"identity\":");
    json_put_string(out, subject->has_identifier ? subject->identifier.text : TEXT(""));
    buf_puts(out, ",\"labels\":");
    put_labels(out, subject->labels);
    buf_puts(out, ",\"properties\":");
    put_properties(out, subject->properties, subject->property_count);
    buf_putc(out, '}');
}

static void put_node(struct buf *out, const struct pattern *node) {
    buf_puts(out, "{\"elements\":[]");
    put_subject(out, node->subject);
    buf_putc(out, '}');
}

static void put_relationship(struct buf *out, const struct pattern *left) {
    const struct pattern *arrow = left->next, *right = arrow->next;
    bool turned = arrow->direction == ARROW_LEFT;
    buf_puts(out, "{\"elements\":[");
    put_node(out, turned ? right : left);
    buf_putc(out, ',');
    put_node(out, turned ? left : right);
    buf_putc(out, ']');
    put_subject(out, arrow->subject);
    buf_putc(out, '}');
}

static void put_path(struct buf *out, const struct pattern *path) {
    if (path->element_count == 3) {
        put_relationship(out, path->elements);
        return;
    }
    buf_puts(out, "{\"elements\":[");
    for (const struct pattern *node = path->elements; node->next; node = node->next->next) {
        if (node != path->elements) buf_putc(out, ',');
        put_relationship(out, node);
    }
    buf_putc(out, ']');
    put_subject(out, NULL);
    buf_putc(out, '}');
}

static void put_pattern(struct buf *out, const struct pattern *pattern) {
    if (pattern->kind == PATTERN_PATH) {
        put_path(out, pattern);
        return;
    }
    buf_puts(out, "{\"elements\":[");
    for (const struct pattern *element = pattern->elements; element; element = element->next) {
        if (element != pattern->elements) buf_putc(out, ',');
        put_pattern(out, element);
    }
    buf_putc(out, ']');
    put_subject(out, pattern->subject);
    buf_putc(out, '}');
}

void print_json(struct buf *out, const struct tree *tree) {
    buf_putc(out, '[');
    for (const struct pattern *pattern = tree->patterns; pattern; pattern = pattern->next) {
        if (pattern != tree->patterns) buf_putc(out, ',');
        put_pattern(out, pattern);
    }
    buf_puts(out, "]\n");
}
