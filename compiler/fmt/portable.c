/* Finds what gram notation allows and one of the reference parsers does not read, or reads as
 * something else: whoever formats with --portable wants every one of them to read the file. Forms
 * that no reference has are grammar/plain.c's. */
#include "compiler/fmt/format.h"

#include "base/text.h"
#include "compiler/data.h"
#include "grammar/plain.h"

#include <string.h>

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

/* ## Spellings of strings */

gramc_text format_meant(struct arena *arena, const struct value *value) {
    gramc_text text = scalar_text(value);
    return value->quote == QUOTE_FENCE ? fence_text(arena, text) : text;
}

static bool has(gramc_text text, const char *part) {
    size_t len = strlen(part);
    for (size_t i = 0; i + len <= text.len; i++)
        if (memcmp(text.ptr + i, part, len) == 0) return true;
    return false;
}

static bool has_byte(gramc_text text, char byte) {
    return text.len && memchr(text.ptr, byte, text.len);
}

/* The reference grammar takes two slashes at the beginning for a comment. */
static bool begins_like_comment(gramc_text text) {
    return text_starts(text_trim(text), "//");
}

static void put_quoted(struct buf *out, gramc_text text) {
    static const char escaped[] = "\"\\\n\r\t", letters[] = "\"\\nrt";
    bool begins = begins_like_comment(text);
    buf_putc(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        const char *found = memchr(escaped, text.ptr[i], sizeof escaped - 1);
        bool is_slash = begins && text.ptr[i] == '/';
        if (found || is_slash) buf_putc(out, '\\');
        buf_putc(out, found ? letters[found - escaped] : text.ptr[i]);
        begins = begins && !is_slash;
    }
    buf_putc(out, '"');
}

/* One reference takes comments and blank lines out of fences. */
static bool fits_fence(gramc_text content) {
    for (size_t pos = 0; pos < content.len;) {
        size_t start = pos;
        while (pos < content.len && content.ptr[pos] != '\n') pos++;
        gramc_text line = text_slice(content, start, pos);
        if (!text_trim(line).len || has(line, "//") || has_byte(line, '\r')) return false;
        pos++;
    }
    return content.len > 0 && content.ptr[content.len - 1] != '\n';
}

/* It does not see that one behind the closing backticks is a comment. */
static bool precedes_comment(gramc_text source, size_t end) {
    size_t line = end;
    while (line < source.len && source.ptr[line] != '\n') line++;
    if (has(text_slice(source, end, line), "//")) return true;
    gramc_text rest = text_trim(text_slice(source, end, source.len));
    if (text_starts(rest, ",")) rest = text_trim(text_slice(rest, 1, rest.len));
    return text_starts(rest, "//");
}

/* Three backticks and a line end, the text, and three backticks on a line of their own? */
static bool is_plain_fence(gramc_text source, const struct value *value, gramc_text content) {
    gramc_text whole = text_slice(source, value->span.start, value->span.end);
    size_t tail = content.len;
    while (tail && (content.ptr[tail - 1] == ' ' || content.ptr[tail - 1] == '\t')) tail--;
    return text_starts(whole, "```\n") && whole.len == content.len + 7 && tail &&
           content.ptr[tail - 1] == '\n';
}

static void spell_fence(struct buf *out, gramc_text source, const struct value *value,
                        gramc_text meant, bool in_array) {
    gramc_text content = scalar_text(value);
    gramc_text text = content;
    while (text.len && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t'))
        text.len--;
    if (text.len && text.ptr[text.len - 1] == '\n') text.len--;
    else text = content;
    if (in_array || !fits_fence(text) || precedes_comment(source, value->span.end)) {
        put_quoted(out, meant);
    } else if (!is_plain_fence(source, value, content)) {
        buf_puts(out, "```\n");
        buf_text(out, text);
        buf_puts(out, "\n```");
    }
}

/* Escapes that not every reference knows, and quotes in which one sees a symbol. */
static bool is_odd(gramc_text written, const struct value *value) {
    bool spelled_slash = has(written, "\\/");
    if (value->quote == QUOTE_BACKTICK) return true;
    if (begins_like_comment(scalar_text(value)) && !spelled_slash) return true;
    for (size_t i = 0; i + 1 < written.len; i++) {
        if (written.ptr[i] != '\\') continue;
        if (written.ptr[++i] == 'b' || written.ptr[i] == 'f') return true;
    }
    return false;
}

/* One reference knows no escapes there: a backtick ends the text, and a backslash stays one. */
static bool spell_tagged(struct buf *out, gramc_text source, const struct value *value,
                         gramc_text meant) {
    gramc_text tag = name_text(*scalar_tag(value));
    gramc_text written = text_slice(source, value->span.start, value->span.end);
    gramc_text body = text_slice(written, tag.len, written.len);
    if (starts_boolean(tag) || has_byte(meant, '`')) return false;
    if (value->quote == QUOTE_BACKTICK && text_starts(body, "`") &&
        !begins_like_comment(text_slice(body, 1, body.len)))
        return true;
    if (has_byte(meant, '\\') || has_byte(meant, '\n') || begins_like_comment(meant)) return false;
    buf_text(out, tag);
    buf_putc(out, '`');
    buf_text(out, meant);
    buf_putc(out, '`');
    return true;
}

bool format_spell(gramc_text *out, struct arena *arena, gramc_text source,
                  const struct value *value, bool in_array) {
    gramc_text written = text_slice(source, value->span.start, value->span.end);
    gramc_text meant = format_meant(arena, value);
    struct buf spelled;
    bool can = true;
    *out = (gramc_text){NULL, 0};
    if (has_byte(meant, '\0')) return false;
    buf_init(&spelled, &arena->allocator, SOURCE_MAX);
    if (value->kind == VALUE_TAGGED) can = spell_tagged(&spelled, source, value, meant);
    else if (value->quote == QUOTE_FENCE)
        spell_fence(&spelled, source, value, meant, in_array || value->annotates);
    else if (is_odd(written, value)) put_quoted(&spelled, meant);
    if (spelled.state == BUF_NOMEM) arena->oom = true;
    if (can && spelled.len) *out = arena_text(arena, buf_view(&spelled));
    buf_free(&spelled);
    return can;
}

static void check_name(struct portable *p, const struct name *name) {
    if (name_kind(*name) == NAME_SYMBOL && starts_boolean(name_text(*name)))
        report(p, name_span(*name), "a name that begins with true or false",
               "write it in backticks");
    if (name_kind(*name) != NAME_SYMBOL && begins_like_comment(name_text(*name)))
        report(p, name_span(*name), "a name that begins with two slashes", "choose another one");
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

static void check_string(struct portable *p, const struct value *value) {
    gramc_text spelled;
    if (format_spell(&spelled, p->findings->arena, p->source->text, value, false)) return;
    if (value->kind == VALUE_STRING)
        report(p, value->span, "a string with a zero byte", "leave it out");
    else if (starts_boolean(name_text(*scalar_tag(value))))
        report(p, value->span, "a tag that begins with true or false", "choose another tag");
    else if (value->quote == QUOTE_FENCE)
        report(p, value->span, "a tag on a fence", "write tag`text` on one line");
    else
        report(p, value->span, "a tagged string of this kind",
               "write tag`text` without backticks in it, and without blanks in front");
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
