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

#include "base/json/writer.h"
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

static void put_value(struct json_writer *w, const struct value *value);

static void put_properties(struct json_writer *w, const struct property *first, uint32_t count) {
    size_t used = 0;
    struct entry *entries = count ? entries_new(w->out, count) : NULL;
    json_object_begin(w);
    if (entries) {
        for (const struct property *p = first; p && used < count; p = p->next)
            entries[used++] = (struct entry){name_text(p->key), p->value};
        used = sort_entries(entries, used);
        for (size_t i = 0; i < used; i++) {
            json_key_text(w, entries[i].key);
            put_value(w, entries[i].value);
        }
        mem_free(&w->out->allocator, entries, count * sizeof *entries);
    }
    json_object_end(w);
}

/* JSON has no use for the sign of an integer zero. */
static void put_integer(struct json_writer *w, gramc_text digits) {
    json_raw(w, text_is(digits, "-0") ? TEXT("0") : digits);
}

static void put_measurement(struct json_writer *w, const struct value *value) {
    gramc_text text = scalar_text(value);
    uint32_t unit_at = measurement_unit_at(value);
    json_object_begin(w);
    json_member_text(w, "type", TEXT("measurement"));
    json_member_text(w, "unit", text_slice(text, unit_at, text.len));
    json_key(w, "value");
    put_integer(w, text_slice(text, 0, unit_at));
    json_object_end(w);
}

static void put_bound(struct json_writer *w, const char *key, const struct value *bound) {
    json_key(w, key);
    if (bound) put_value(w, bound);
    else json_null(w);
}

static void put_range(struct json_writer *w, const struct value *range) {
    json_object_begin(w);
    put_bound(w, "lower", range->as.range->lower);
    json_member_text(w, "type", TEXT("range"));
    put_bound(w, "upper", range->as.range->upper);
    json_object_end(w);
}

static void put_array(struct json_writer *w, const struct value *first) {
    json_array_begin(w);
    for (const struct value *item = first; item; item = item->next) put_value(w, item);
    json_array_end(w);
}

static void put_symbol(struct json_writer *w, gramc_text text) {
    json_object_begin(w);
    json_member_text(w, "type", TEXT("symbol"));
    json_member_text(w, "value", text);
    json_object_end(w);
}

static void put_tagged(struct json_writer *w, const struct value *value) {
    json_object_begin(w);
    json_member_text(w, "content", scalar_text(value));
    json_member_text(w, "tag", name_text(*scalar_tag(value)));
    json_member_text(w, "type", TEXT("tagged"));
    json_object_end(w);
}

static void put_value(struct json_writer *w, const struct value *value) {
    gramc_text text = scalar_text(value);
    switch ((enum value_kind)value->kind) {
    case VALUE_INTEGER: put_integer(w, text); break;
    case VALUE_DECIMAL:
    case VALUE_BOOLEAN: json_raw(w, text); break;
    case VALUE_HEXADECIMAL:
        radix_put_decimal(json_slot(w), text_slice(text, 2, text.len), 16);
        break;
    case VALUE_OCTAL: radix_put_decimal(json_slot(w), text, 8); break;
    case VALUE_MEASUREMENT: put_measurement(w, value); break;
    case VALUE_SYMBOL: put_symbol(w, text); break;
    case VALUE_STRING: json_text(w, text); break;
    case VALUE_TAGGED: put_tagged(w, value); break;
    case VALUE_RANGE: put_range(w, value); break;
    case VALUE_ARRAY: put_array(w, value->as.items); break;
    case VALUE_MAP: put_properties(w, value->as.entries, value->count); break;
    }
}

/* ## Patterns */

static void put_labels(struct json_writer *w, const struct label *first) {
    size_t count = 0, used = 0;
    for (const struct label *label = first; label; label = label->next) count++;
    struct entry *entries = count ? entries_new(w->out, count) : NULL;
    json_array_begin(w);
    if (entries) {
        for (const struct label *label = first; label; label = label->next)
            entries[used++] = (struct entry){name_text(label->name), NULL};
        used = sort_entries(entries, used);
        for (size_t i = 0; i < used; i++) json_text(w, entries[i].key);
        mem_free(&w->out->allocator, entries, count * sizeof *entries);
    }
    json_array_end(w);
}

static void begin_pattern(struct json_writer *w) {
    json_object_begin(w);
    json_member_array(w, "elements");
}

static void end_pattern(struct json_writer *w, const struct subject *subject) {
    static const struct subject anonymous = {0};
    if (!subject) subject = &anonymous;
    json_array_end(w);
    json_member_object(w, "subject");
    json_member_text(w, "identity",
                     subject_has_identifier(subject) ? name_text(subject->identifier) : TEXT(""));
    json_key(w, "labels");
    put_labels(w, subject->labels);
    json_key(w, "properties");
    uint32_t count = 0;
    for (const struct property *p = subject->properties; p; p = p->next) count++;
    put_properties(w, subject->properties, count);
    json_object_end(w);
    json_object_end(w);
}

static void put_node(struct json_writer *w, const struct pattern *node) {
    begin_pattern(w);
    end_pattern(w, node->subject);
}

static void put_relationship(struct json_writer *w, const struct pattern *left) {
    const struct pattern *arrow = left->next, *right = arrow->next;
    bool turned = arrow->direction == ARROW_LEFT;
    begin_pattern(w);
    put_node(w, turned ? right : left);
    put_node(w, turned ? left : right);
    end_pattern(w, arrow->subject);
}

static void put_path(struct json_writer *w, const struct pattern *path) {
    if (path->element_count == 3) {
        put_relationship(w, path->elements);
        return;
    }
    begin_pattern(w);
    for (const struct pattern *node = path->elements; node->next; node = node->next->next)
        put_relationship(w, node);
    end_pattern(w, NULL);
}

static void put_pattern(struct json_writer *w, const struct pattern *pattern) {
    if (pattern->kind == PATTERN_PATH) {
        put_path(w, pattern);
        return;
    }
    begin_pattern(w);
    for (const struct pattern *element = pattern->elements; element; element = element->next)
        put_pattern(w, element);
    end_pattern(w, pattern->subject);
}

void print_json(struct buf *out, const struct tree *tree) {
    struct json_writer w = json_writer(out);
    json_array_begin(&w);
    for (const struct pattern *pattern = tree->patterns; pattern; pattern = pattern->next)
        put_pattern(&w, pattern);
    json_array_end(&w);
    buf_putc(out, '\n');
}
