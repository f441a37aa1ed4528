/* Turns the keys and paths of a JOLT spec into elements: literals, wildcards, references, lookups,
 * array places. What was escaped by a backslash means itself. Matching them is match.c's. */
#include <string.h>

#include "base/text.h"
#include "jolt/jolt.h"

/* ## Spellings */

bool spelling_read(struct jolt_reader *reader, gramc_text text, struct spelling *out) {
    char *chars = arena_alloc(reader->arena, text.len + 1);
    bool *escaped = arena_alloc(reader->arena, text.len + 1);
    size_t len = 0;
    if (!chars || !escaped) return false;
    for (size_t i = 0; i < text.len; i++, len++) {
        escaped[len] = text.ptr[i] == '\\' && i + 1 < text.len;
        if (escaped[len]) i++;
        chars[len] = text.ptr[i];
    }
    *out = (struct spelling){chars, escaped, len};
    return true;
}

static bool is_mark(struct spelling s, size_t i, char c) {
    return i < s.len && s.chars[i] == c && !s.escaped[i];
}

static size_t count_marks(struct spelling s, char c) {
    size_t count = 0;
    for (size_t i = 0; i < s.len; i++) count += is_mark(s, i, c);
    return count;
}

static struct spelling slice(struct spelling s, size_t start, size_t end) {
    return (struct spelling){s.chars + start, s.escaped + start, end - start};
}

static gramc_text text_in(struct spelling s) {
    return (gramc_text){s.chars, s.len};
}

bool spelling_next(struct spelling *rest, struct spelling *part) {
    size_t end = 0;
    if (!rest->chars) return false;
    while (end < rest->len && !is_mark(*rest, end, '|')) end++;
    *part = slice(*rest, 0, end);
    if (end == rest->len) rest->chars = NULL;
    else *rest = slice(*rest, end + 1, rest->len);
    return true;
}

/* ## References */

static bool read_number(struct spelling s, size_t *i, uint32_t *out) {
    size_t start = *i;
    while (*i < s.len && s.chars[*i] >= '0' && s.chars[*i] <= '9') (*i)++;
    return text_index(text_slice(text_in(s), start, *i), out);
}

/* Behind the & or $ or #: nothing, 2, (2) or (2,1). Moves *i behind it. */
static bool read_reference(struct spelling s, size_t *i, struct jolt_reference *out) {
    *out = (struct jolt_reference){0, 0};
    if (!is_mark(s, *i, '(')) {
        if (*i < s.len && s.chars[*i] >= '0' && s.chars[*i] <= '9')
            return read_number(s, i, &out->level);
        return true;
    }
    (*i)++;
    if (!read_number(s, i, &out->level)) return false;
    if (is_mark(s, *i, ',')) {
        (*i)++;
        if (!read_number(s, i, &out->group)) return false;
    }
    return is_mark(s, (*i)++, ')');
}

static bool read_whole_reference(struct spelling s, struct jolt_reference *out) {
    size_t i = 1;
    return read_reference(s, &i, out) && i == s.len;
}

/* ## Elements with tokens */

struct token_list {
    struct jolt_token *tokens;
    size_t count;
};

static bool read_tokens(struct spelling s, struct token_list *list) {
    size_t start = 0, i = 0;
    while (i < s.len) {
        if (!is_mark(s, i, '&')) {
            i++;
            continue;
        }
        if (i > start) list->tokens[list->count++].text = text_in(slice(s, start, i));
        struct jolt_token *token = &list->tokens[list->count++];
        token->is_reference = true;
        i++;
        if (!read_reference(s, &i, &token->reference)) return false;
        start = i;
    }
    if (i > start) list->tokens[list->count++].text = text_in(slice(s, start, i));
    return true;
}

/* References written out in full, so that & and &(0,0) are the same key. */
static bool write_canonical(struct jolt_reader *reader, const struct token_list *list,
                            gramc_text *out) {
    struct buf buf;
    buf_init(&buf, &reader->arena->allocator, 1 << 20);
    for (size_t i = 0; i < list->count; i++) {
        const struct jolt_token *token = &list->tokens[i];
        if (token->is_reference)
            buf_printf(&buf, "&(%u,%u)", (unsigned)token->reference.level,
                       (unsigned)token->reference.group);
        else buf_text(&buf, token->text);
    }
    *out = buf_to_arena(&buf, reader->arena);
    return out->ptr;
}

static bool read_amp(struct jolt_reader *reader, const struct json *at, struct spelling key,
                     struct element *out) {
    struct token_list list = {
        arena_zalloc(reader->arena, (2 * count_marks(key, '&') + 1) * sizeof(struct jolt_token)),
        0};
    out->kind = ELEMENT_AMP;
    if (!list.tokens) return false;
    if (!read_tokens(key, &list))
        return jolt_fail(reader, at, "a reference is written &, &1 or &(1,2)");
    out->tokens = list.tokens;
    out->token_count = list.count;
    return write_canonical(reader, &list, &out->canonical);
}

static bool read_star(struct jolt_reader *reader, const struct json *at, struct spelling key,
                      struct element *out) {
    size_t stars = count_marks(key, '*'), start = 0, count = 0;
    struct jolt_token *tokens =
        arena_zalloc(reader->arena, (stars + 1) * sizeof(struct jolt_token));
    out->kind = ELEMENT_STAR;
    if (!tokens) return false;
    if (stars > JOLT_STARS) return jolt_fail(reader, at, "more than %d stars in a key", JOLT_STARS);
    for (size_t i = 0; i <= key.len; i++) {
        if (i < key.len && !is_mark(key, i, '*')) continue;
        tokens[count++].text = text_in(slice(key, start, i));
        start = i + 1;
    }
    out->tokens = tokens;
    out->token_count = count;
    return true;
}

/* ## Lookups and array places */

/* Behind the @: 2, author, (2), (2,a.b) or (a.b). */
static bool read_lookup(struct jolt_reader *reader, const struct json *at, struct spelling key,
                        struct element *out) {
    struct spelling inside = slice(key, 1, key.len);
    size_t i = 0;
    out->kind = ELEMENT_LOOKUP;
    if (is_mark(inside, 0, '(')) {
        if (!is_mark(inside, inside.len - 1, ')'))
            return jolt_fail(reader, at, "the parenthesis behind @ is never closed");
        inside = slice(inside, 1, inside.len - 1);
    }
    if (count_marks(inside, '@')) return jolt_fail(reader, at, "a lookup inside a lookup");
    if (inside.len == 0) return jolt_fail(reader, at, "nothing stands inside @()");
    if (inside.chars[0] >= '0' && inside.chars[0] <= '9') {
        if (!read_number(inside, &i, &out->reference.level) ||
            !(i == inside.len || is_mark(inside, i, ',')))
            return jolt_fail(reader, at, "behind @ stand a level, a path, or both with a comma");
        inside = slice(inside, i < inside.len ? i + 1 : i, inside.len);
    }
    if (inside.len == 0) return true;
    struct jolt_path *path = ARENA_NEW(reader->arena, struct jolt_path);
    out->path = path;
    return path && path_read(reader, at, inside, true, path);
}

static bool read_index_inside(struct jolt_reader *reader, const struct json *at,
                              struct spelling inside, struct element *out) {
    size_t i = 0;
    if (inside.len == 0) {
        out->kind = ELEMENT_APPEND;
        return true;
    }
    if (is_mark(inside, 0, '&') || is_mark(inside, 0, '#')) {
        out->kind = is_mark(inside, 0, '&') ? ELEMENT_INDEX_AMP : ELEMENT_INDEX_HITS;
        return read_whole_reference(inside, &out->reference) ||
               jolt_fail(reader, at, "a reference is written [&1], [&(1,2)] or [#1]");
    }
    if (is_mark(inside, 0, '@')) {
        if (!read_lookup(reader, at, inside, out)) return false;
        out->kind = ELEMENT_INDEX_LOOKUP;
        return true;
    }
    out->kind = ELEMENT_INDEX;
    return (read_number(inside, &i, &out->index) && i == inside.len) ||
           jolt_fail(reader, at, "inside [] stand a position, &, #, @ or nothing");
}

static bool read_index(struct jolt_reader *reader, const struct json *at, struct spelling key,
                       struct element *out) {
    if (!is_mark(key, 0, '[') || !is_mark(key, key.len - 1, ']') || count_marks(key, '[') != 1 ||
        count_marks(key, ']') != 1)
        return jolt_fail(reader, at, "a place in an array is written [2] and stands alone");
    return read_index_inside(reader, at, slice(key, 1, key.len - 1), out);
}

/* ## One element */

static bool read_dollar(struct jolt_reader *reader, const struct json *at, struct spelling key,
                        struct element *out) {
    out->kind = ELEMENT_DOLLAR;
    return (is_mark(key, 0, '$') && read_whole_reference(key, &out->reference)) ||
           jolt_fail(reader, at, "a key is taken by $, $1 or $(1,2), which stand alone");
}

static bool read_hash(struct jolt_reader *reader, const struct json *at, struct spelling key,
                      struct element *out) {
    out->kind = ELEMENT_HASH;
    if (!is_mark(key, 0, '#') || key.len < 2)
        return jolt_fail(reader, at, "a constant is written #text; a # in a name is escaped");
    struct spelling inside = slice(key, 1, key.len);
    if (is_mark(inside, 0, '(')) {
        if (!is_mark(inside, inside.len - 1, ')'))
            return jolt_fail(reader, at, "the parenthesis behind # is never closed");
        inside = slice(inside, 1, inside.len - 1);
    }
    out->text = text_in(inside);
    return true;
}

static bool read_mixed_at(struct jolt_reader *reader, const struct json *at, struct spelling key,
                          struct element *out) {
    (void)key, (void)out;
    return jolt_fail(reader, at, "an @ stands at the front of a key, or is escaped");
}

static bool read_at(struct jolt_reader *reader, const struct json *at, struct spelling key,
                    struct element *out) {
    if (key.len > 1) return read_lookup(reader, at, key, out);
    out->kind = ELEMENT_AT;
    return true;
}

static bool read_literal(struct jolt_reader *reader, const struct json *at, struct spelling key,
                         struct element *out) {
    (void)reader, (void)at, (void)key;
    out->kind = ELEMENT_LITERAL;
    return true;
}

/* What a key is, by the first of these marks that it has. */
static const struct {
    char mark;
    bool in_front; /* only there */
    bool (*read)(struct jolt_reader *reader, const struct json *at, struct spelling key,
                 struct element *out);
} readers[] = {
    {'[', true, read_index},   {'@', true, read_at},     {'@', false, read_mixed_at},
    {'$', false, read_dollar}, {'[', false, read_index}, {'&', false, read_amp},
    {'*', false, read_star},   {'#', false, read_hash},
};

bool element_read(struct jolt_reader *reader, const struct json *at, struct spelling key,
                  struct element *out) {
    *out = (struct element){.text = text_in(key), .canonical = text_in(key)};
    if (count_marks(key, '&') && count_marks(key, '*') && !is_mark(key, 0, '['))
        return jolt_fail(reader, at, "* and & cannot stand in one key");
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
        if (readers[i].in_front ? is_mark(key, 0, readers[i].mark)
                                : count_marks(key, readers[i].mark) > 0)
            return readers[i].read(reader, at, key, out);
    return read_literal(reader, at, key, out);
}

bool element_read_name(struct jolt_reader *reader, const struct json *at, struct spelling key,
                       struct element *out) {
    *out = (struct element){.text = text_in(key), .canonical = text_in(key)};
    return count_marks(key, '*') ? read_star(reader, at, key, out)
                                 : read_literal(reader, at, key, out);
}

bool element_is_index(const struct element *element) {
    return element->kind >= ELEMENT_APPEND;
}

/* ## Paths */

/* Where the brackets that open at `i` are closed; the text's end if they are not. */
static size_t skip_brackets(struct spelling s, size_t i) {
    size_t depth = 0;
    do {
        depth += is_mark(s, i, '(') || is_mark(s, i, '[');
        depth -= (is_mark(s, i, ')') || is_mark(s, i, ']')) && depth > 0;
        i++;
    } while (depth && i < s.len);
    return i;
}

/* The end of the piece that begins at `start`. Behind @(1,a) the next one begins without a point.
 */
static size_t piece_end(struct spelling s, size_t start) {
    if (is_mark(s, start, '[')) return skip_brackets(s, start);
    if (is_mark(s, start, '@') && is_mark(s, start + 1, '(')) return skip_brackets(s, start + 1);
    size_t i = start;
    while (i < s.len && !is_mark(s, i, '.') && !(i > start && is_mark(s, i, '['))) {
        bool opens = is_mark(s, i, '(') && i > 0 && (is_mark(s, i - 1, '@'));
        i = opens ? skip_brackets(s, i) : i + 1;
    }
    return i;
}

static bool is_allowed(struct jolt_reader *reader, const struct json *at,
                       const struct element *element, bool lookup) {
    static const char *const reasons[ELEMENT_KINDS] = {
        [ELEMENT_STAR] = "a path holds no *",
        [ELEMENT_AT] = "@ in a path needs a level or a path: @(1,name)",
        [ELEMENT_DOLLAR] = "a path holds no $; & is the key of a level",
        [ELEMENT_HASH] = "a path holds no #constant",
    };
    const char *reason = reasons[element->kind];
    if (lookup && element->kind == ELEMENT_APPEND) reason = "a lookup cannot read []";
    return !reason || jolt_fail(reader, at, "%s", reason);
}

bool path_read(struct jolt_reader *reader, const struct json *at, struct spelling text, bool lookup,
               struct jolt_path *out) {
    size_t most = count_marks(text, '.') + count_marks(text, '[') + count_marks(text, ')') + 1;
    if (most > JOLT_PATH_LENGTH) most = JOLT_PATH_LENGTH;
    struct element *elements = arena_array(reader->arena, most, sizeof(*elements));
    if (!elements) return false;
    *out = (struct jolt_path){elements, 0};
    for (size_t i = 0; i < text.len;) {
        if (is_mark(text, i, '.')) {
            i++;
            continue;
        }
        size_t end = piece_end(text, i);
        struct element *element = &elements[out->count];
        if (is_mark(text, i, '[') && end < text.len && !is_mark(text, end, '.') &&
            !is_mark(text, end, '['))
            return jolt_fail(reader, at, "behind a place in an array stands a dot, a [ or nothing");
        if (out->count == most)
            return jolt_fail(reader, at, "a path of more than %d elements", JOLT_PATH_LENGTH);
        if (!element_read(reader, at, slice(text, i, end), element) ||
            !is_allowed(reader, at, element, lookup))
            return false;
        out->count++;
        i = end;
    }
    return true;
}
