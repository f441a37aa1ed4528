/* Turns a tree back into gram text that parses to the same tree, as short as that allows. Keeps
 * which quotes, colons and arrows were written; drops comments and layout. `fmt` is built
 * elsewhere; this one is for tests and for programs. */
#include "tests/printing/print_gram.h"

static void put_value(struct buf *out, const struct value *value);

/* ## Strings and names */

/* What has to be escaped between these delimiters, and no more. A NUL has no escape in plain gram;
 * it can only come from \u0000 anyway. */
static void put_quoted(struct buf *out, gramc_text text, char delimiter) {
    buf_putc(out, delimiter);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\0') buf_puts(out, "\\u0000");
        else if (c == '\n') buf_puts(out, "\\n");
        else {
            if (c == '\\' || c == delimiter) buf_putc(out, '\\');
            buf_putc(out, c);
        }
    }
    buf_putc(out, delimiter);
}

static void put_name(struct buf *out, const struct name *name) {
    switch (name_kind(*name)) {
    case NAME_QUOTED: put_quoted(out, name_text(*name), '`'); break;
    case NAME_DOUBLE_QUOTED: put_quoted(out, name_text(*name), '"'); break;
    case NAME_SYMBOL:
    case NAME_INTEGER: buf_text(out, name_text(*name)); break;
    }
}

static void put_string(struct buf *out, const struct value *value) {
    const struct name *tag = scalar_tag(value);
    if (value->quote == QUOTE_FENCE) {
        buf_puts(out, "```");
        if (tag) buf_text(out, name_text(*tag));
        buf_putc(out, '\n');
        buf_text(out, scalar_text(value));
        buf_puts(out, "```");
        return;
    }
    if (tag) buf_text(out, name_text(*tag));
    put_quoted(out, scalar_text(value),
               value->quote == QUOTE_SINGLE   ? '\''
               : value->quote == QUOTE_DOUBLE ? '"'
                                              : '`');
}

/* ## Values */

static void put_colon(struct buf *out, const struct name *name) {
    buf_puts(out, name->two_colons ? "::" : ":");
}

static void put_properties(struct buf *out, const struct property *first) {
    buf_putc(out, '{');
    for (const struct property *p = first; p; p = p->next) {
        if (p != first) buf_putc(out, ',');
        put_name(out, &p->key);
        put_colon(out, &p->key);
        put_value(out, p->value);
    }
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

static void put_range(struct buf *out, const struct value *lower, const struct value *upper) {
    if (lower) put_value(out, lower);
    buf_puts(out, lower && upper ? ".." : "...");
    if (upper) put_value(out, upper);
}

static void put_value(struct buf *out, const struct value *value) {
    switch ((enum value_kind)value->kind) {
    case VALUE_INTEGER:
    case VALUE_DECIMAL:
    case VALUE_HEXADECIMAL:
    case VALUE_OCTAL:
    case VALUE_MEASUREMENT:
    case VALUE_BOOLEAN:
    case VALUE_SYMBOL: buf_text(out, scalar_text(value)); break;
    case VALUE_STRING:
    case VALUE_TAGGED: put_string(out, value); break;
    case VALUE_RANGE: put_range(out, value->as.range->lower, value->as.range->upper); break;
    case VALUE_ARRAY: put_array(out, value->as.items); break;
    case VALUE_MAP: put_properties(out, value->as.entries); break;
    }
}

/* ## Patterns */

static void put_labels(struct buf *out, const struct label *first) {
    for (const struct label *label = first; label; label = label->next) {
        put_colon(out, &label->name);
        put_name(out, &label->name);
    }
}

static void put_subject(struct buf *out, const struct subject *subject) {
    if (!subject) return;
    if (subject_has_identifier(subject)) put_name(out, &subject->identifier);
    put_labels(out, subject->labels);
    if (subject_has_record(subject)) put_properties(out, subject->properties);
}

static void put_arrow(struct buf *out, const struct pattern *arrow) {
    static const char shafts[] = {
        [ARROW_SINGLE] = '-', [ARROW_DOUBLE] = '=', [ARROW_SQUIGGLE] = '~'};
    char shaft = shafts[arrow->family];
    bool both = arrow->direction == ARROW_BOTH;
    if (both || arrow->direction == ARROW_LEFT) buf_putc(out, '<');
    buf_putc(out, shaft);
    if (arrow->subject) {
        buf_putc(out, '[');
        put_subject(out, arrow->subject);
        buf_putc(out, ']');
    }
    buf_putc(out, shaft);
    if (both || arrow->direction == ARROW_RIGHT) buf_putc(out, '>');
}

static void put_pattern(struct buf *out, const struct pattern *pattern);

static void put_elements(struct buf *out, const struct pattern *first, const char *separator) {
    for (const struct pattern *element = first; element; element = element->next) {
        if (element != first) buf_puts(out, separator);
        put_pattern(out, element);
    }
}

/* A blank ends each annotation: `@` would go on a symbol. */
static void put_annotated(struct buf *out, const struct pattern *annotated) {
    const struct subject *subject = annotated->subject;
    if (subject_has_identifier(subject) || subject->labels) {
        buf_puts(out, "@@");
        if (subject_has_identifier(subject)) put_name(out, &subject->identifier);
        put_labels(out, subject->labels);
        buf_putc(out, ' ');
    }
    for (const struct property *p = subject->properties; p; p = p->next) {
        buf_putc(out, '@');
        put_name(out, &p->key);
        buf_putc(out, '(');
        put_value(out, p->value);
        buf_puts(out, ") ");
    }
    put_pattern(out, annotated->elements);
}

static void put_pattern(struct buf *out, const struct pattern *pattern) {
    switch ((enum pattern_kind)pattern->kind) {
    case PATTERN_NODE:
        buf_putc(out, '(');
        put_subject(out, pattern->subject);
        buf_putc(out, ')');
        break;
    case PATTERN_BRACKET:
        buf_putc(out, '[');
        put_subject(out, pattern->subject);
        if (pattern->elements) buf_putc(out, '|');
        put_elements(out, pattern->elements, ",");
        buf_putc(out, ']');
        break;
    case PATTERN_HEADER:
    case PATTERN_REFERENCE: put_subject(out, pattern->subject); break;
    case PATTERN_PATH: put_elements(out, pattern->elements, ""); break;
    case PATTERN_ARROW: put_arrow(out, pattern); break;
    case PATTERN_ANNOTATED: put_annotated(out, pattern); break;
    }
}

void print_gram(struct buf *out, const struct tree *tree) {
    for (const struct pattern *pattern = tree->patterns; pattern; pattern = pattern->next) {
        put_pattern(out, pattern);
        buf_putc(out, '\n');
    }
}
