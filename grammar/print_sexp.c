/* Turns a tree into the s-expression that tree-sitter-gram prints for the same text: its node and
 * field names, one node a line, two blanks a level. Paths, flat in our tree, are nested to the
 * right there; they are written without recursion. A comment stands in the deepest node that has it
 * in its middle. What only the superset has gets the name of the nearest thing. Indentation stops
 * growing at a depth, or a path of n steps would print n * n blanks. */
#include "grammar/print.h"

#include "grammar/lexer.h"

enum { DEEPEST_INDENT = 100 };

struct sexp {
    struct buf *out;
    const struct source *source;
    const struct comment *comment; /* the next one */
    unsigned depth;
};

static void new_line(struct sexp *sexp) {
    unsigned depth = sexp->depth < DEEPEST_INDENT ? sexp->depth : DEEPEST_INDENT;
    buf_putc(sexp->out, '\n');
    for (unsigned i = 0; i < depth; i++) buf_put(sexp->out, "  ", 2);
}

/* Comments that begin before this place belong to the node that is open. */
static void put_comments(struct sexp *sexp, uint32_t before) {
    for (; sexp->comment && sexp->comment->span.start < before;
         sexp->comment = sexp->comment->next) {
        new_line(sexp);
        buf_puts(sexp->out, "(comment)");
    }
}

/* field may be NULL. */
static void open_node(struct sexp *sexp, const char *field, const char *name, uint32_t start) {
    put_comments(sexp, start);
    new_line(sexp);
    if (field) buf_printf(sexp->out, "%s: ", field);
    buf_printf(sexp->out, "(%s", name);
    sexp->depth++;
}

static void close_node(struct sexp *sexp, uint32_t end) {
    put_comments(sexp, end);
    buf_putc(sexp->out, ')');
    sexp->depth--;
}

static void put_leaf(struct sexp *sexp, const char *field, const char *name, struct span span) {
    open_node(sexp, field, name, span.start);
    close_node(sexp, span.start);
}

/* ## Names and values */

/* A quoted thing with its content. */
static void put_quoted(struct sexp *sexp, const char *field, const char *name, struct span span) {
    open_node(sexp, field, name, span.start);
    put_leaf(sexp, "content", "string_content", span);
    close_node(sexp, span.end);
}

static void put_name(struct sexp *sexp, const char *field, const struct name *name) {
    switch (name_kind(*name)) {
    case NAME_SYMBOL: put_leaf(sexp, field, "symbol", name_span(*name)); break;
    case NAME_INTEGER: put_leaf(sexp, field, "integer", name_span(*name)); break;
    case NAME_QUOTED: put_quoted(sexp, field, "quoted_name", name_span(*name)); break;
    case NAME_DOUBLE_QUOTED: put_quoted(sexp, field, "double_quoted_name", name_span(*name)); break;
    }
}

static void put_value(struct sexp *sexp, const char *field, const struct value *value);

static void put_properties(struct sexp *sexp, const char *name, const struct property *first) {
    for (const struct property *p = first; p; p = p->next) {
        open_node(sexp, NULL, name, property_span(p).start);
        put_name(sexp, "key", &p->key);
        put_value(sexp, "value", p->value);
        close_node(sexp, property_span(p).end);
    }
}

/* Only a fence can have no content node at all: where nothing but blanks stands in it. */
static void put_string(struct sexp *sexp, const char *field, const struct value *value) {
    const struct name *tag = scalar_tag(value);
    open_node(sexp, field, tag ? "tagged_string" : "string_literal", value->span.start);
    if (tag) put_name(sexp, "tag", tag);
    put_comments(sexp, value->span.end);
    if (value->quote != QUOTE_FENCE || scalar_text(value).len)
        put_leaf(sexp, "content", "string_content", value->span);
    close_node(sexp, value->span.end);
}

static void put_array(struct sexp *sexp, const char *field, const struct value *array) {
    open_node(sexp, field, "array", array->span.start);
    for (const struct value *item = array->as.items; item; item = item->next)
        put_value(sexp, NULL, item);
    close_node(sexp, array->span.end);
}

static void put_range(struct sexp *sexp, const char *field, const struct value *range) {
    open_node(sexp, field, "range", range->span.start);
    if (range->as.range->lower) put_value(sexp, "lower", range->as.range->lower);
    if (range->as.range->upper) put_value(sexp, "upper", range->as.range->upper);
    close_node(sexp, range->span.end);
}

static void put_map(struct sexp *sexp, const char *field, const struct value *map) {
    open_node(sexp, field, "map", map->span.start);
    put_properties(sexp, "map_entry", map->as.entries);
    close_node(sexp, map->span.end);
}

static void put_value(struct sexp *sexp, const char *field, const struct value *value) {
    switch ((enum value_kind)value->kind) {
    case VALUE_INTEGER: put_leaf(sexp, field, "integer", value->span); break;
    case VALUE_DECIMAL: put_leaf(sexp, field, "decimal", value->span); break;
    case VALUE_HEXADECIMAL: put_leaf(sexp, field, "hexadecimal", value->span); break;
    case VALUE_OCTAL: put_leaf(sexp, field, "octal", value->span); break;
    case VALUE_MEASUREMENT: put_leaf(sexp, field, "measurement", value->span); break;
    case VALUE_BOOLEAN: put_leaf(sexp, field, "boolean_literal", value->span); break;
    case VALUE_SYMBOL: put_leaf(sexp, field, "symbol", value->span); break;
    case VALUE_STRING:
    case VALUE_TAGGED: put_string(sexp, field, value); break;
    case VALUE_RANGE: put_range(sexp, field, value); break;
    case VALUE_ARRAY: put_array(sexp, field, value); break;
    case VALUE_MAP: put_map(sexp, field, value); break;
    }
}

/* ## Subjects */

/* The first token at or behind a place, comments passed over. */
static uint32_t next_token(const struct sexp *sexp, uint32_t from) {
    gramc_text text = sexp->source->text;
    struct lexer lexer = {text.ptr, text.ptr + text.len, text.ptr + from};
    for (;;) {
        struct token token = lexer_next(&lexer);
        if (token.code != LEX_COMMENT) return token.start;
    }
}

/* `from` is where the token in front of them ends: the labels begin with the colon behind it. */
static void put_labels(struct sexp *sexp, const struct label *first, uint32_t from) {
    const struct label *last = first;
    uint32_t start = sexp->comment ? next_token(sexp, from) : name_span(first->name).start;
    open_node(sexp, "labels", "labels", start);
    for (const struct label *label = first; label; label = label->next) {
        put_name(sexp, NULL, &label->name);
        last = label;
    }
    close_node(sexp, name_span(last->name).end);
}

static void put_names(struct sexp *sexp, const struct subject *subject, uint32_t from) {
    if (subject_has_identifier(subject)) {
        put_name(sexp, "identifier", &subject->identifier);
        from = name_span(subject->identifier).end;
    }
    if (subject->labels) put_labels(sexp, subject->labels, from);
}

static void put_record(struct sexp *sexp, const char *field, const struct subject *subject) {
    open_node(sexp, field, "record", subject->record.start);
    put_properties(sexp, "record_property", subject->properties);
    close_node(sexp, subject->record.end);
}

/* Its parts stand in the node that has it. */
static void put_subject(struct sexp *sexp, const struct subject *subject, uint32_t from) {
    if (!subject) return;
    put_names(sexp, subject, from);
    if (subject_has_record(subject)) put_record(sexp, "record", subject);
}

/* ## Patterns */

static void put_node(struct sexp *sexp, const char *field, const struct pattern *node) {
    open_node(sexp, field, "node_pattern", node->span.start);
    put_subject(sexp, node->subject, node->span.start + 1);
    close_node(sexp, node->span.end);
}

static void put_arrow(struct sexp *sexp, const struct pattern *arrow) {
    static const char *const names[] = {[ARROW_UNDIRECTED] = "undirected_arrow",
                                        [ARROW_RIGHT] = "right_arrow",
                                        [ARROW_LEFT] = "left_arrow",
                                        [ARROW_BOTH] = "bidirectional_arrow"};
    uint32_t start = arrow->span.start;
    open_node(sexp, "kind", names[arrow->direction], start);
    if (arrow->subject && !subject_has_identifier(arrow->subject) && arrow->subject->labels) {
        /* Behind the half and the bracket: the bracket is one byte, wherever it stands. */
        bool has_head = arrow->direction == ARROW_LEFT || arrow->direction == ARROW_BOTH;
        start = next_token(sexp, start + (has_head ? 2 : 1)) + 1;
    }
    put_subject(sexp, arrow->subject, start);
    close_node(sexp, arrow->span.end);
}

static void put_path(struct sexp *sexp, const char *field, const struct pattern *path) {
    const struct pattern *node = path->elements;
    for (; node->next; node = node->next->next) {
        open_node(sexp, field, "relationship_pattern", node->span.start);
        put_node(sexp, "left", node);
        put_arrow(sexp, node->next);
        field = "right";
    }
    put_node(sexp, "right", node);
    for (uint32_t i = 1; i < path->element_count; i += 2) close_node(sexp, path->span.end);
}

static void put_pattern(struct sexp *sexp, const char *field, const struct pattern *pattern);

static void put_bracket(struct sexp *sexp, const char *field, const struct pattern *bracket) {
    open_node(sexp, field, "subject_pattern", bracket->span.start);
    put_subject(sexp, bracket->subject, bracket->span.start + 1);
    if (bracket->elements) {
        const struct pattern *last = bracket->elements;
        open_node(sexp, "elements", "subject_pattern_elements", last->span.start);
        for (const struct pattern *element = last; element; element = element->next) {
            put_pattern(sexp, NULL, element);
            last = element;
        }
        close_node(sexp, last->span.end);
    }
    close_node(sexp, bracket->span.end);
}

static void put_reference(struct sexp *sexp, const struct pattern *reference) {
    open_node(sexp, NULL, "pattern_reference", reference->span.start);
    put_subject(sexp, reference->subject, reference->span.start);
    close_node(sexp, reference->span.end);
}

/* The `@@` part; returns where it ends. */
static uint32_t put_identified(struct sexp *sexp, const struct pattern *annotated) {
    const struct subject *subject = annotated->subject;
    uint32_t end = subject_has_identifier(subject) ? name_span(subject->identifier).end : 0;
    for (const struct label *label = subject->labels; label; label = label->next)
        end = name_span(label->name).end;
    if (end == 0) return 0;
    open_node(sexp, NULL, "identified_annotation", annotated->span.start);
    put_names(sexp, subject, annotated->span.start + 2);
    close_node(sexp, end);
    return end;
}

static void put_annotated(struct sexp *sexp, const char *field, const struct pattern *annotated) {
    open_node(sexp, field, "annotated_pattern", annotated->span.start);
    open_node(sexp, "annotations", "annotations", annotated->span.start);
    uint32_t end = put_identified(sexp, annotated);
    put_properties(sexp, "property_annotation", annotated->subject->properties);
    for (const struct property *p = annotated->subject->properties; p; p = p->next)
        end = property_span(p).end;
    close_node(sexp, end);
    put_pattern(sexp, "elements", annotated->elements);
    close_node(sexp, annotated->span.end);
}

static void put_pattern(struct sexp *sexp, const char *field, const struct pattern *pattern) {
    switch ((enum pattern_kind)pattern->kind) {
    case PATTERN_NODE: put_node(sexp, field, pattern); break;
    case PATTERN_BRACKET: put_bracket(sexp, field, pattern); break;
    case PATTERN_REFERENCE: put_reference(sexp, pattern); break;
    case PATTERN_PATH: put_path(sexp, field, pattern); break;
    case PATTERN_ARROW: put_arrow(sexp, pattern); break;
    case PATTERN_ANNOTATED: put_annotated(sexp, field, pattern); break;
    case PATTERN_HEADER: put_record(sexp, "root", pattern->subject); break;
    }
}

void print_sexp(struct buf *out, const struct tree *tree) {
    struct sexp sexp = {out, tree->source, tree->comments, 1};
    buf_puts(out, "(gram_pattern");
    for (const struct pattern *pattern = tree->patterns; pattern; pattern = pattern->next)
        put_pattern(&sexp, NULL, pattern);
    put_comments(&sexp, UINT32_MAX);
    buf_puts(out, ")\n");
}
