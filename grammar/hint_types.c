/* Knows how types are written in other languages, `[Text]`, `{a: Text}`, `Text[]`, `Text | Null`,
 * `"red" | "green"`, `Array<Item>`, and says how the same is written here; with a fix where only
 * one thing can have been meant. Reads the source's bytes: there are no tokens for it. */
#include "grammar/hint_types.h"

#include "parser.h"

#include "base/text.h"

enum { MOST_MEMBERS = 16, WRITTEN_MAX = 512, DEEPEST = 8 };

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool is_word_byte(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word(gramc_text text) {
    for (size_t i = 0; i < text.len; i++)
        if (!is_word_byte(text.ptr[i])) return false;
    return text.len > 0 && !(text.ptr[0] >= '0' && text.ptr[0] <= '9');
}

static bool is_quoted(gramc_text text) {
    return text.len > 1 && (text.ptr[0] == '"' || text.ptr[0] == '\'') &&
           text.ptr[text.len - 1] == text.ptr[0];
}

static char closer_of(char c) {
    return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : c == '<' ? '>' : 0;
}

/* Behind the string that begins here, or at the end of the line. */
static size_t skip_string(gramc_text text, size_t at) {
    char quote = text.ptr[at++];
    while (at < text.len && text.ptr[at] != quote && text.ptr[at] != '\n')
        at += text.ptr[at] == '\\' && at + 1 < text.len ? 2U : 1U;
    return at < text.len && text.ptr[at] == quote ? at + 1 : at;
}

/* Where the bracket at `at` is closed, on the same line; 0: it is not. */
static size_t close_of(gramc_text text, size_t at) {
    char open = text.ptr[at], close = closer_of(open);
    int depth = 0;
    while (at < text.len && text.ptr[at] != '\n') {
        char c = text.ptr[at];
        if (c == '"' || c == '\'') {
            at = skip_string(text, at);
            continue;
        }
        depth += c == open ? 1 : c == close ? -1 : 0;
        if (depth == 0) return at;
        at++;
    }
    return 0;
}

/* The parts between commas or bars, outside of brackets and strings; more than fit: 0. */
static size_t split(gramc_text text, char between, gramc_text parts[MOST_MEMBERS]) {
    size_t count = 0, start = 0, i = 0;
    for (; i <= text.len; i++) {
        bool ends = i == text.len || text.ptr[i] == between;
        if (!ends && (text.ptr[i] == '"' || text.ptr[i] == '\'')) {
            i = skip_string(text, i) - 1;
        } else if (!ends && closer_of(text.ptr[i])) {
            size_t close = close_of(text, i);
            if (close) i = close;
        } else if (ends) {
            if (count == MOST_MEMBERS) return 0;
            parts[count++] = text_trim(text_slice(text, start, i));
            start = i + 1;
        }
    }
    return count;
}

static bool all(const gramc_text *parts, size_t count, bool (*is)(gramc_text)) {
    for (size_t i = 0; i < count; i++)
        if (!is(parts[i])) return false;
    return count > 0;
}

/* ## What is written instead: a label, and a property of its record (or none) */

struct written {
    const char *label;
    struct buf property;
    bool sure; /* only one thing can have been meant */
};

static void put_list(struct buf *out, const char *key, const gramc_text *parts, size_t count) {
    buf_printf(out, "%s: [", key);
    for (size_t i = 0; i < count; i++) {
        if (i) buf_puts(out, ", ");
        buf_text(out, parts[i]);
    }
    buf_putc(out, ']');
}

/* `[Text]`, `["red", "green"]`, `[Text, Int]`, `[]`: what stands between the brackets. */
static bool write_array(struct written *out, gramc_text inner) {
    gramc_text parts[MOST_MEMBERS];
    size_t count = split(inner, ',', parts);
    bool one = count == 1 && (is_word(parts[0]) || (parts[0].len && closer_of(parts[0].ptr[0])));
    out->label = "Array";
    out->sure = one || !inner.len;
    if (!inner.len) return true;
    if (one) {
        buf_puts(&out->property, "items: ");
        buf_text(&out->property, parts[0]);
    } else if (all(parts, count, is_quoted)) {
        out->label = "Text";
        put_list(&out->property, "enum", parts, count);
    } else if (all(parts, count, is_word)) {
        out->label = "Tuple";
        put_list(&out->property, "items", parts, count);
    }
    return out->property.len > 0;
}

/* `a: Text, b: {c: Int}`; a map inside becomes a type with fields. False: that is no list of
 * fields. */
static bool put_fields(struct buf *out, gramc_text inner, unsigned depth) {
    gramc_text parts[MOST_MEMBERS];
    size_t count = depth < DEEPEST ? split(inner, ',', parts) : 0;
    bool good = count > 0;
    for (size_t i = 0; i < count && good; i++) {
        const char *colon = memchr(parts[i].ptr, ':', parts[i].len);
        size_t at = colon ? (size_t)(colon - parts[i].ptr) : parts[i].len;
        gramc_text name = text_trim(text_slice(parts[i], 0, at));
        gramc_text type = text_trim(text_slice(parts[i], at + (colon != NULL), parts[i].len));
        bool map = type.len > 1 && type.ptr[0] == '{' && type.ptr[type.len - 1] == '}';
        good = is_word(name) && type.len;
        buf_printf(out, "%s%.*s: ", i ? ", " : "", TEXT_ARGS(name));
        if (!map) buf_text(out, type);
        else buf_puts(out, "{type: Object, fields: {");
        if (map)
            good = put_fields(out, text_trim(text_slice(type, 1, type.len - 1)), depth + 1) && good;
        if (map) buf_puts(out, "}}");
    }
    return good;
}

/* `{a: Text, b: Int}` */
static bool write_object(struct written *out, gramc_text inner) {
    out->label = "Object";
    out->sure = true;
    if (!inner.len) return true;
    buf_puts(&out->property, "fields: {");
    out->sure = put_fields(&out->property, inner, 0);
    buf_putc(&out->property, '}');
    return out->sure;
}

/* `Text | Null`, `"red" | "green"`, `Circle | Square` */
static bool write_union(struct written *out, gramc_text text) {
    gramc_text parts[MOST_MEMBERS], others[MOST_MEMBERS];
    size_t count = split(text, '|', parts), left = 0;
    for (size_t i = 0; i < count; i++)
        if (!text_is_nocase(parts[i], "null") && !text_is(parts[i], "None"))
            others[left++] = parts[i];
    out->label = "AnyOf";
    if (count < 2) {
        return false; /* a name in quotes, more likely */
    } else if (all(parts, count, is_quoted)) {
        out->label = "Text";
        put_list(&out->property, "enum", parts, count);
    } else if (left == 1 && count == 2 && is_word(others[0])) {
        out->label = NULL; /* the other one */
        buf_text(&out->property, others[0]);
        buf_puts(&out->property, " {nullable: true}");
    } else if (all(parts, count, is_word)) {
        put_list(&out->property, "of", parts, count);
    }
    return out->property.len > 0;
}

/* ## Saying it */

static void say(const struct recovery *recovery, struct finding *finding,
                const struct written *written) {
    int len = (int)written->property.len;
    const char *property = len ? written->property.ptr : "";
    if (!written->label) finding_help(recovery->findings, finding, "write `%.*s`", len, property);
    else if (len)
        finding_help(recovery->findings, finding, "write `%s {%.*s}`", written->label, len,
                     property);
    else finding_help(recovery->findings, finding, "write `%s`", written->label);
}

static void put_fix(const struct recovery *recovery, struct finding *finding, struct span span,
                    const char *label, const struct buf *property, const char *form) {
    struct buf out;
    buf_init(&out, &recovery->build->arena->allocator, WRITTEN_MAX * 2);
    buf_printf(&out, form, label, (int)property->len, property->len ? property->ptr : "");
    if (out.state == BUF_NOMEM) recovery->build->arena->oom = true;
    else if (out.state == BUF_FINE) finding_fix(recovery->findings, finding, span, buf_view(&out));
    buf_free(&out);
}

/* A record behind the type takes the property in. */
static void fix(const struct recovery *recovery, struct finding *finding, struct span span,
                const struct written *written) {
    gramc_text text = recovery->source->text;
    size_t at = span.end;
    while (at < text.len && is_blank(text.ptr[at])) at++;
    bool record = at < text.len && text.ptr[at] == '{';
    if (!record || !written->property.len) {
        put_fix(recovery, finding, span, written->label, &written->property,
                written->property.len ? "%s {%.*s}" : "%s%.*s");
        return;
    }
    size_t next = at + 1;
    while (next < text.len && (is_blank(text.ptr[next]) || text.ptr[next] == '\n')) next++;
    bool empty = next < text.len && text.ptr[next] == '}';
    put_fix(recovery, finding, (struct span){span.start, (uint32_t)at + 1}, written->label,
            &written->property, empty ? "%s {%.*s" : "%s {%.*s, ");
}

static void say_and_fix(const struct recovery *recovery, struct finding *finding, struct span span,
                        struct written *written, bool known) {
    known = known && written->property.state == BUF_FINE;
    if (known) say(recovery, finding, written);
    if (known && written->sure && written->label) fix(recovery, finding, span, written);
    if (written->property.state == BUF_NOMEM) recovery->build->arena->oom = true;
    buf_free(&written->property);
}

static void init(const struct recovery *recovery, struct written *written) {
    *written = (struct written){.label = NULL};
    buf_init(&written->property, &recovery->build->arena->allocator, WRITTEN_MAX);
}

/* Up to the bracket or record that ends the node. */
static gramc_text rest_of_node(gramc_text text, uint32_t start) {
    size_t end = start;
    while (end < text.len && !strchr("){}\n", text.ptr[end]))
        end = text.ptr[end] == '"' || text.ptr[end] == '\'' ? skip_string(text, end) : end + 1;
    return text_trim(text_slice(text, start, end));
}

/* ## The forms */

static bool is_colon(uint16_t code) {
    return code == TK_COLON || code == TK_COLONCOLON;
}

bool hint_type(const struct recovery *recovery, struct finding *finding, struct token token) {
    gramc_text text = recovery->source->text;
    struct token last = recovery->last;
    struct written written;
    struct span span = {token.start, token.end};
    bool after_label = last.code == TK_SYMBOL && is_colon(recovery->before_last.code);
    bool opens = token.code == TK_LBRACKET || (token.code == TK_LBRACE && !after_label);
    bool string = token.code == TK_DOUBLE || token.code == TK_SINGLE;
    size_t close = opens ? close_of(text, token.start) : 0;
    if (!is_colon(last.code) && !after_label) return false;
    init(recovery, &written);
    bool known = false;
    if (opens && close) {
        gramc_text inner = text_trim(text_slice(text, token.start + 1, close));
        gramc_text name = text_slice(text, last.start, last.end);
        if (after_label && text_is_nocase(name, "dict")) inner.len = 0;
        if (after_label && !inner.len) inner = name; /* Text[] */
        known =
            token.code == TK_LBRACE ? write_object(&written, inner) : write_array(&written, inner);
        written.sure = written.sure && !after_label;
        span.end = (uint32_t)close + 1;
    } else if (token.code == TK_BAR && after_label) {
        known = write_union(&written, rest_of_node(text, last.start));
    } else if (string && is_colon(last.code)) {
        known = write_union(&written, rest_of_node(text, token.start));
    }
    say_and_fix(recovery, finding, span, &written, known);
    return known;
}

/* Writes `Array {items: Item}` for what stands between the angle brackets. */
static bool write_generic(struct written *out, gramc_text name, gramc_text inner) {
    gramc_text parts[MOST_MEMBERS];
    size_t count = split(inner, ',', parts);
    bool is_map = text_is_nocase(name, "map") || text_is_nocase(name, "record") ||
                  text_is_nocase(name, "dict");
    if (!all(parts, count, is_word)) return false;
    out->label = is_map ? "Map" : "Array";
    if (is_map && count == 2) buf_puts(&out->property, "values: ");
    else if (count == 1 && !is_map) buf_puts(&out->property, "items: ");
    else return false;
    buf_text(&out->property, parts[count - 1]);
    out->sure = text_is(name, out->label);
    return true;
}

uint32_t hint_generic(const struct recovery *recovery, struct finding *finding, uint32_t at) {
    gramc_text text = recovery->source->text;
    struct token last = recovery->last;
    struct written written;
    bool is_type = last.code == TK_SYMBOL && last.end == at && is_colon(recovery->before_last.code);
    size_t close = is_type ? close_of(text, at) : 0;
    if (!close) return 0;
    init(recovery, &written);
    gramc_text name = text_slice(text, last.start, last.end);
    bool known = write_generic(&written, name, text_slice(text, at + 1, close));
    struct span span = {last.start, (uint32_t)close + 1};
    say_and_fix(recovery, finding, span, &written, known);
    if (!known)
        finding_help(recovery->findings, finding,
                     "a label has no parameters; say more in its record: `Array {items: Text}`");
    return span.end;
}
