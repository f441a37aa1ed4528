/* Turns a tree into an indented listing for people: what each node is, with everything that the
 * other forms lose: spans, which colon and which quotes were written, families and directions of
 * arrows, comments, uses of the superset. */
#include "grammar/print.h"

#include "base/json/json.h"
#include "base/text.h"

struct listing {
    struct buf *out;
    const struct source *source;
    unsigned depth;
};

static void begin(struct listing *listing, const char *what) {
    for (unsigned i = 0; i < listing->depth; i++) buf_put(listing->out, "  ", 2);
    buf_puts(listing->out, what);
}

static void end(struct listing *listing, struct span span) {
    buf_printf(listing->out, " [%u..%u]\n", (unsigned)span.start, (unsigned)span.end);
}

/* ## Names and values */

static void put_name(struct listing *listing, const struct name *name) {
    static const char *const kinds[] = {[NAME_SYMBOL] = "",
                                        [NAME_QUOTED] = " in backticks",
                                        [NAME_DOUBLE_QUOTED] = " in double quotes",
                                        [NAME_INTEGER] = " as a number"};
    json_put_string(listing->out, name_text(*name));
    buf_puts(listing->out, kinds[name_kind(*name)]);
}

static void put_value(struct listing *listing, const struct value *value);

static void put_properties(struct listing *listing, const char *what,
                           const struct property *first) {
    for (const struct property *p = first; p; p = p->next) {
        begin(listing, what);
        put_name(listing, &p->key);
        buf_puts(listing->out, p->key.two_colons ? " ::" : " :");
        end(listing, property_span(p));
        listing->depth++;
        put_value(listing, p->value);
        listing->depth--;
    }
}

static const char *kind_of(const struct value *value) {
    static const char *const kinds[] = {[VALUE_INTEGER] = "integer",
                                        [VALUE_DECIMAL] = "decimal",
                                        [VALUE_HEXADECIMAL] = "hexadecimal",
                                        [VALUE_OCTAL] = "octal",
                                        [VALUE_MEASUREMENT] = "measurement",
                                        [VALUE_BOOLEAN] = "boolean",
                                        [VALUE_SYMBOL] = "symbol",
                                        [VALUE_STRING] = "string",
                                        [VALUE_TAGGED] = "tagged",
                                        [VALUE_RANGE] = "range",
                                        [VALUE_ARRAY] = "array",
                                        [VALUE_MAP] = "map"};
    return kinds[value->kind];
}

static const char *quotes_of(const struct value *value) {
    static const char *const quotes[] = {[QUOTE_NONE] = "",
                                         [QUOTE_SINGLE] = " in single quotes",
                                         [QUOTE_DOUBLE] = " in double quotes",
                                         [QUOTE_BACKTICK] = " in backticks",
                                         [QUOTE_FENCE] = " in a fence"};
    return quotes[value->quote];
}

static bool is_scalar(const struct value *value) {
    return value->kind < VALUE_RANGE;
}

static void put_bound(struct listing *listing, const char *what, const struct value *bound) {
    if (!bound) {
        begin(listing, what);
        buf_puts(listing->out, " open\n");
        return;
    }
    put_value(listing, bound);
}

static void put_parts(struct listing *listing, const struct value *value) {
    listing->depth++;
    if (value->kind == VALUE_RANGE) {
        put_bound(listing, "lower", value->as.range->lower);
        put_bound(listing, "upper", value->as.range->upper);
    }
    if (value->kind == VALUE_ARRAY)
        for (const struct value *item = value->as.items; item; item = item->next)
            put_value(listing, item);
    if (value->kind == VALUE_MAP) put_properties(listing, "entry ", value->as.entries);
    listing->depth--;
}

static void put_value(struct listing *listing, const struct value *value) {
    begin(listing, kind_of(value));
    if (value->kind == VALUE_TAGGED) {
        buf_putc(listing->out, ' ');
        put_name(listing, scalar_tag(value));
    }
    if (is_scalar(value)) {
        buf_putc(listing->out, ' ');
        json_put_string(listing->out, scalar_text(value));
        buf_puts(listing->out, quotes_of(value));
    }
    end(listing, value->span);
    if (!is_scalar(value)) put_parts(listing, value);
}

/* ## Patterns */

static void put_subject(struct listing *listing, const struct subject *subject,
                        const char *property) {
    if (!subject) return;
    if (subject_has_identifier(subject)) {
        begin(listing, "identifier ");
        put_name(listing, &subject->identifier);
        end(listing, name_span(subject->identifier));
    }
    for (const struct label *label = subject->labels; label; label = label->next) {
        begin(listing, label->name.two_colons ? "label :: " : "label : ");
        put_name(listing, &label->name);
        end(listing, name_span(label->name));
    }
    if (subject_has_record(subject)) {
        begin(listing, "record");
        end(listing, subject->record);
        listing->depth++;
    }
    put_properties(listing, property, subject->properties);
    if (subject_has_record(subject)) listing->depth--;
}

static void put_pattern(struct listing *listing, const struct pattern *pattern) {
    static const char *const kinds[] = {
        [PATTERN_NODE] = "node",           [PATTERN_BRACKET] = "bracket",
        [PATTERN_REFERENCE] = "reference", [PATTERN_PATH] = "path",
        [PATTERN_ARROW] = "arrow",         [PATTERN_ANNOTATED] = "annotated",
        [PATTERN_HEADER] = "header"};
    static const char *const families[] = {
        [ARROW_SINGLE] = " single", [ARROW_DOUBLE] = " double", [ARROW_SQUIGGLE] = " squiggle"};
    static const char *const directions[] = {[ARROW_UNDIRECTED] = " undirected",
                                             [ARROW_RIGHT] = " right",
                                             [ARROW_LEFT] = " left",
                                             [ARROW_BOTH] = " both"};
    begin(listing, kinds[pattern->kind]);
    if (pattern->kind == PATTERN_ARROW) {
        buf_puts(listing->out, families[pattern->family]);
        buf_puts(listing->out, directions[pattern->direction]);
    }
    end(listing, pattern->span);
    listing->depth++;
    put_subject(listing, pattern->subject,
                pattern->kind == PATTERN_ANNOTATED ? "annotation " : "property ");
    for (const struct pattern *e = pattern->elements; e; e = e->next) put_pattern(listing, e);
    listing->depth--;
}

/* ## What belongs to no pattern */

static void put_comments(struct listing *listing, const struct comment *first) {
    for (const struct comment *comment = first; comment; comment = comment->next) {
        begin(listing, "comment ");
        json_put_string(listing->out, source_slice(listing->source, comment->span));
        end(listing, comment->span);
    }
}

static void put_extensions(struct listing *listing, const struct extension_use *first) {
    static const char *const names[EXTENSION_COUNT] = {
        [EXT_NESTED_VALUE] = "nested value",
        [EXT_EMPTY_ARRAY] = "empty array",
        [EXT_MAP_DOUBLE_COLON] = "double colon in a map",
        [EXT_EXPONENT] = "exponent",
        [EXT_DECIMAL_MEASUREMENT] = "decimal measurement",
        [EXT_STRING_NEWLINE] = "line end in a string",
        [EXT_UNICODE_ESCAPE] = "unicode escape"};
    for (const struct extension_use *use = first; use; use = use->next) {
        begin(listing, "extension ");
        buf_puts(listing->out, names[use->extension]);
        end(listing, use->span);
    }
}

void print_text(struct buf *out, const struct tree *tree) {
    struct listing listing = {out, tree->source, 0};
    for (const struct pattern *pattern = tree->patterns; pattern; pattern = pattern->next)
        put_pattern(&listing, pattern);
    put_comments(&listing, tree->comments);
    put_extensions(&listing, tree->extensions);
}
