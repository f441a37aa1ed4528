/* Finds what gram notation allows and one of the reference parsers does not read, or reads as
 * something else: whoever formats with --portable wants every one of them to read the file. Forms
 * that no reference has are grammar/plain.c's. */
#include "compiler/fmt/format.h"

#include "base/text.h"
#include "grammar/plain.h"

struct portable {
    struct findings *findings;
    const struct source *source;
};

static void report(struct portable *p, struct span span, const char *what, const char *help) {
    struct finding *f = FIND(p->findings, D_NOT_PORTABLE, p->source, span, text_of(what));
    finding_help(p->findings, f, "%s", help);
}

/* ## Names */

static bool starts_boolean(gramc_text text) {
    return text_starts(text, "true") || text_starts(text, "false");
}

static void check_name(struct portable *p, const struct name *name) {
    if (name_kind(*name) == NAME_SYMBOL && starts_boolean(name_text(*name)))
        report(p, name_span(*name), "a name that begins with true or false",
               "write it in backticks");
}

/* ## Values */

/* More digits than this may not fit 64 bits. */
enum { SAFE_DIGITS = 18 };

static void check_integer(struct portable *p, struct span span, gramc_text text) {
    if (text.len > SAFE_DIGITS + (text.ptr[0] == '-'))
        report(p, span, "an integer of more than 18 digits", "write it as a string");
}

static void check_ends(struct portable *p, const struct value *range) {
    const struct value *ends[2] = {range->as.range->lower, range->as.range->upper};
    for (int i = 0; i < 2; i++) {
        if (!ends[i]) continue;
        if (ends[i]->kind != VALUE_INTEGER)
            report(p, ends[i]->span, "a range with an end that is no integer",
                   "use two properties");
        else check_integer(p, ends[i]->span, scalar_text(ends[i]));
    }
}

/* The reference grammar takes two slashes at the beginning for a comment. */
static void check_string(struct portable *p, const struct value *value) {
    gramc_text text = text_trim(scalar_text(value));
    if (value->quote == QUOTE_FENCE) {
        if (value->kind == VALUE_TAGGED)
            report(p, value->span, "a tag on a fence", "write tag`text` on one line");
    } else if (text_starts(text, "//")) {
        report(p, value->span, "a string that begins with two slashes", "write \"\\//...\"");
    }
}

static void check_value(struct portable *p, const struct value *value);

static void check_properties(struct portable *p, const struct property *first) {
    for (; first; first = first->next) {
        check_name(p, &first->key);
        check_value(p, first->value);
    }
}

static void check_value(struct portable *p, const struct value *value) {
    switch ((enum value_kind)value->kind) {
    case VALUE_INTEGER: check_integer(p, value->span, scalar_text(value)); break;
    case VALUE_HEXADECIMAL:
        report(p, value->span, "a hexadecimal number", "write it as a decimal number");
        break;
    case VALUE_OCTAL:
        report(p, value->span, "an octal number", "write it as a decimal number");
        break;
    case VALUE_SYMBOL:
        if (starts_boolean(scalar_text(value)))
            report(p, value->span, "a symbol that begins with true or false",
                   "write it as a string");
        break;
    case VALUE_STRING:
    case VALUE_TAGGED: check_string(p, value); break;
    case VALUE_RANGE: check_ends(p, value); break;
    case VALUE_ARRAY:
        for (const struct value *item = value->as.items; item; item = item->next)
            check_value(p, item);
        break;
    case VALUE_MAP: check_properties(p, value->as.entries); break;
    case VALUE_DECIMAL:
    case VALUE_MEASUREMENT:
    case VALUE_BOOLEAN: break;
    }
}

/* ## Patterns */

static void check_subject(struct portable *p, const struct subject *subject) {
    if (!subject) return;
    if (subject_has_identifier(subject)) {
        check_name(p, &subject->identifier);
        if (name_kind(subject->identifier) == NAME_INTEGER)
            check_integer(p, name_span(subject->identifier), name_text(subject->identifier));
    }
    for (const struct label *label = subject->labels; label; label = label->next)
        check_name(p, &label->name);
    check_properties(p, subject->properties);
}

static void check_reference(struct portable *p, const struct name *name) {
    if (name_kind(*name) == NAME_INTEGER)
        report(p, name_span(*name), "an integer as an element", "write it as a node: (1)");
    if (name_kind(*name) == NAME_QUOTED)
        report(p, name_span(*name), "a reference in backticks",
               "write it as a node: (`like this`)");
}

static void check_patterns(struct portable *p, const struct pattern *first) {
    for (; first; first = first->next) {
        if (first->kind == PATTERN_REFERENCE) check_reference(p, &first->subject->identifier);
        check_subject(p, first->subject);
        check_patterns(p, first->elements);
    }
}

void format_portable(struct findings *findings, const struct tree *tree) {
    struct portable p = {findings, tree->source};
    check_patterns(&p, tree->patterns);
}
