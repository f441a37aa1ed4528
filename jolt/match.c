/* Matches keys of a document against elements of a JOLT spec, and evaluates references and lookups
 * against the way that was walked. Knows nothing of operations. */
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "jolt/jolt.h"

gramc_text node_spelling(const struct jolt_node *scalar) {
    switch ((enum json_kind)scalar->kind) {
    case JSON_TRUE: return TEXT("true");
    case JSON_FALSE: return TEXT("false");
    case JSON_NULL: return TEXT("null");
    case JSON_NUMBER:
    case JSON_STRING:
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    return scalar->text;
}

static const struct jolt_step *step_up(const struct jolt_step *step, uint32_t levels) {
    while (step && levels--) step = step->up;
    return step;
}

/* ## Stars */

static bool ends_with(gramc_text text, gramc_text end) {
    return text.len >= end.len && text_eq(text_slice(text, text.len - end.len, text.len), end);
}

/* The first place from `start` on, one character later at least, where `part` stands and leaves
 * something before `end`. */
static bool find_part(gramc_text key, size_t start, size_t end, gramc_text part, size_t *out) {
    size_t i = start;
    if (i >= end) return false;
    text_decode(key, &i);
    for (; i + part.len < end; i++) {
        if (memcmp(key.ptr + i, part.ptr, part.len) != 0) continue;
        *out = i;
        return true;
    }
    return false;
}

/* Every star takes as little as it can, and at least one character. Taking the first place for each
 * part leaves the most to those behind, so there is no need to go back. */
bool star_match(const struct element *element, gramc_text key, struct match *out) {
    const struct jolt_token *tokens = element->tokens;
    size_t last = element->token_count - 1, at = tokens[0].text.len;
    gramc_text suffix = tokens[last].text;
    if (key.len < at || !text_eq(text_slice(key, 0, at), tokens[0].text)) return false;
    if (key.len < at + suffix.len || !ends_with(key, suffix)) return false;
    size_t end = key.len - suffix.len;
    bool is_bare = last == 1 && suffix.len == 0 && at == 0; /* takes no character as well */
    if (at >= end && !is_bare) return false;
    *out = (struct match){.key = key, .group_count = (uint32_t)last};
    for (size_t i = 1; i < last; i++) {
        size_t found;
        if (!find_part(key, at, end, tokens[i].text, &found)) return false;
        out->groups[i - 1] = text_slice(key, at, found);
        at = found + tokens[i].text.len;
    }
    out->groups[last - 1] = text_slice(key, at, end);
    return true;
}

/* ## References */

static bool reference_text(struct jolt_reference reference, const struct jolt_step *step,
                           gramc_text *out) {
    const struct jolt_step *level = step_up(step, reference.level);
    if (!level || !level->match || reference.group > level->match->group_count) return false;
    *out = reference.group ? level->match->groups[reference.group - 1] : level->match->key;
    return true;
}

static bool join_tokens(struct jolt_work *work, const struct element *element,
                        const struct jolt_step *step, gramc_text *out) {
    gramc_text parts[2 * JOLT_PATH_LENGTH] = {{NULL, 0}};
    size_t len = 0;
    if (element->token_count > sizeof(parts) / sizeof(parts[0])) return false;
    for (size_t i = 0; i < element->token_count; i++) {
        const struct jolt_token *token = &element->tokens[i];
        parts[i] = token->text;
        if (token->is_reference && !reference_text(token->reference, step, &parts[i])) return false;
        len += parts[i].len;
    }
    *out = parts[0];
    if (element->token_count == 1) return true;
    char *joined = work_bytes(work, len) ? arena_alloc(&work->arena, len + 1) : NULL;
    *out = (gramc_text){joined, 0};
    if (!joined) {
        work_fail(work, GRAMC_NOMEM);
        return false;
    }
    for (size_t i = 0; i < element->token_count; i++) {
        if (parts[i].len) memcpy(joined + out->len, parts[i].ptr, parts[i].len);
        out->len += parts[i].len;
    }
    return true;
}

static bool number_text(struct jolt_work *work, uint32_t number, gramc_text *out) {
    char digits[INDEX_DIGITS];
    *out = arena_text(&work->arena, index_text(number, digits));
    if (!out->ptr) work_fail(work, GRAMC_NOMEM);
    return out->ptr != NULL;
}

/* ## Lookups */

static struct jolt_node **child_of(struct jolt_work *work, const struct element *element,
                                   struct jolt_node *tree, gramc_text key) {
    uint32_t index;
    if (!element_is_index(element))
        return node_is(tree, JSON_OBJECT) ? node_member(work, tree, key) : NULL;
    return node_is(tree, JSON_ARRAY) && text_index(key, &index) ? node_item(tree, index) : NULL;
}

bool path_lookup(struct jolt_work *work, const struct jolt_path *path, struct jolt_node *tree,
                 const struct jolt_step *step, struct jolt_node **out) {
    for (size_t i = 0; i < path->count; i++) {
        gramc_text key;
        if (!tree || !work_step(work) || !element_text(work, &path->elements[i], step, &key))
            return false;
        struct jolt_node **child = child_of(work, &path->elements[i], tree, key);
        if (!child) return false;
        tree = *child;
    }
    *out = tree;
    return tree != NULL;
}

bool element_lookup(struct jolt_work *work, const struct element *element,
                    const struct jolt_step *step, struct jolt_node **out) {
    const struct jolt_step *level = step_up(step, element->reference.level);
    if (!level || !level->tree) return false;
    *out = level->tree;
    return !element->path || path_lookup(work, element->path, level->tree, step, out);
}

static bool whole_part(struct jolt_work *work, const struct jolt_node *number, gramc_text *out) {
    size_t whole = 0;
    double value;
    while (whole < number->text.len && !strchr(".eE", number->text.ptr[whole])) whole++;
    *out = text_slice(number->text, 0, whole);
    if (!memchr(number->text.ptr, 'e', number->text.len) &&
        !memchr(number->text.ptr, 'E', number->text.len))
        return true;
    if (!number_to_double(&value, number->text) || value >= 4294967296.0 || value <= -1)
        return false; /* no position, and no name that anybody would write so */
    return number_text(work, value > 0 ? (uint32_t)value : 0, out);
}

/* A text as it is, a boolean by its name, of a number the part before its point. */
static bool lookup_text(struct jolt_work *work, const struct element *element,
                        const struct jolt_step *step, gramc_text *out) {
    struct jolt_node *found;
    if (!element_lookup(work, element, step, &found)) return false;
    *out = node_spelling(found);
    switch ((enum json_kind)found->kind) {
    case JSON_STRING:
    case JSON_TRUE:
    case JSON_FALSE: return true;
    case JSON_NUMBER: return whole_part(work, found, out);
    case JSON_NULL:
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    return false;
}

bool element_text(struct jolt_work *work, const struct element *element,
                  const struct jolt_step *step, gramc_text *out) {
    const struct jolt_step *level;
    switch (element->kind) {
    case ELEMENT_AMP: return join_tokens(work, element, step, out);
    case ELEMENT_DOLLAR:
    case ELEMENT_INDEX_AMP: return reference_text(element->reference, step, out);
    case ELEMENT_INDEX: return number_text(work, element->index, out);
    case ELEMENT_INDEX_HITS:
        level = step_up(step, element->reference.level);
        return level && level->match && number_text(work, level->match->hits, out);
    case ELEMENT_LOOKUP:
    case ELEMENT_INDEX_LOOKUP: return lookup_text(work, element, step, out);
    case ELEMENT_LITERAL:
    case ELEMENT_HASH:
    case ELEMENT_APPEND:
    case ELEMENT_STAR:
    case ELEMENT_AT:
    case ELEMENT_KINDS: break;
    }
    *out = element->text;
    return true;
}

bool element_match(struct jolt_work *work, const struct element *element, gramc_text key,
                   const struct jolt_step *step, struct match *out) {
    gramc_text text;
    if (element->kind == ELEMENT_STAR) return star_match(element, key, out);
    if (!element_text(work, element, step, &text)) return false;
    *out = (struct match){.key = text};
    return element->kind == ELEMENT_DOLLAR || element->kind == ELEMENT_HASH || text_eq(text, key);
}

/* ## Precedence */

static int rank(const struct element *element) {
    if (element->kind != ELEMENT_STAR) return 0;
    if (element->token_count > 3) return 1;
    if (element->token_count == 3) return 2;
    return element->canonical.len > 1 ? 3 : 4;
}

int element_order(const struct element *a, const struct element *b) {
    int difference = rank(a) - rank(b);
    if (difference) return difference;
    if (a->canonical.len != b->canonical.len) return a->canonical.len > b->canonical.len ? -1 : 1;
    return text_compare(a->canonical, b->canonical);
}
