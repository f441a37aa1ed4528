/* Turns the lines of a .gitignore, or the patterns of `exclude`, into an answer for a path: is it
 * passed over? As gitignore(5) says: `*`, `?`, `[a-z]` stay within a name, `**` does not; a slash
 * in front or inside ties a pattern to its folder, one behind it to folders; `!` takes back. */
#include "cli/ignore.h"

#include "base/text.h"

#include <string.h>

/* No pattern of a person needs more; one of an attacker could take for ever. */
enum { MOST_STEPS = 100000 };

/* ## Patterns */

struct glob {
    gramc_text pattern, text;
    uint32_t steps;
};

/* `[a-z]`, `[!a-z]` at `p`, which moves behind it; false, unmoved, if it is never closed. */
static bool read_class(gramc_text pattern, size_t *p, char c, bool *fits) {
    size_t at = *p + 1;
    bool negated = at < pattern.len && (pattern.ptr[at] == '!' || pattern.ptr[at] == '^');
    if (negated) at++;
    size_t start = at;
    *fits = false;
    for (; at < pattern.len && (pattern.ptr[at] != ']' || at == start); at++) {
        bool is_range =
            at + 2 < pattern.len && pattern.ptr[at + 1] == '-' && pattern.ptr[at + 2] != ']';
        char low = pattern.ptr[at], high = is_range ? pattern.ptr[at + 2] : low;
        if (low <= c && c <= high) *fits = true;
        if (is_range) at += 2;
    }
    if (at >= pattern.len) return false;
    *fits = *fits != negated;
    *p = at + 1;
    return true;
}

/* One character of the text against what stands at `p`; `p` moves behind it. */
static bool fits_one(const struct glob *g, size_t *p, char c) {
    char wanted = g->pattern.ptr[*p];
    bool fits;
    if (wanted == '[' && c != '/' && read_class(g->pattern, p, c, &fits)) return fits;
    if (wanted == '\\' && *p + 1 < g->pattern.len) wanted = g->pattern.ptr[++*p];
    else if (wanted == '?') wanted = c == '/' ? '\0' : c;
    ++*p;
    return wanted == c;
}

static bool glob_fits(struct glob *g, size_t p, size_t t);

/* `**` at `p`, alone between slashes: any folders, or none. */
static bool fits_folders(struct glob *g, size_t p, size_t t) {
    if (p + 2 == g->pattern.len) return true;
    p += 3; /* and its slash */
    for (;; t++) {
        if (glob_fits(g, p, t)) return true;
        while (t < g->text.len && g->text.ptr[t] != '/') t++;
        if (t >= g->text.len) return false;
    }
}

static bool is_folders(gramc_text pattern, size_t p) {
    bool two = p + 1 < pattern.len && pattern.ptr[p] == '*' && pattern.ptr[p + 1] == '*';
    bool begins = p == 0 || pattern.ptr[p - 1] == '/';
    return two && begins && (p + 2 == pattern.len || pattern.ptr[p + 2] == '/');
}

static bool glob_fits(struct glob *g, size_t p, size_t t) {
    while (p < g->pattern.len) {
        if (++g->steps > MOST_STEPS) return false;
        if (is_folders(g->pattern, p)) return fits_folders(g, p, t);
        if (g->pattern.ptr[p] == '*') {
            do {
                if (glob_fits(g, p + 1, t)) return true;
            } while (t < g->text.len && g->text.ptr[t++] != '/');
            return false;
        }
        if (t == g->text.len || !fits_one(g, &p, g->text.ptr[t])) return false;
        t++;
    }
    return t == g->text.len;
}

/* ## Rules */

static bool make_room(struct ignore *ignore, struct arena *arena) {
    if (ignore->count < ignore->room) return true;
    size_t room = ignore->room ? 2 * ignore->room : 16;
    struct ignore_rule *rules = arena_array(arena, room, sizeof *rules);
    if (!rules) return false;
    if (ignore->count) memcpy(rules, ignore->rules, ignore->count * sizeof *rules);
    ignore->rules = rules;
    ignore->room = room;
    return true;
}

/* Blanks at the end say nothing, unless the last one is escaped. */
static gramc_text trim_end(gramc_text line) {
    while (line.len && (line.ptr[line.len - 1] == ' ' || line.ptr[line.len - 1] == '\r') &&
           !(line.len > 1 && line.ptr[line.len - 2] == '\\'))
        line.len--;
    return line;
}

bool ignore_add(struct ignore *ignore, struct arena *arena, size_t base, gramc_text line) {
    struct ignore_rule rule = {.base = base};
    line = trim_end(line);
    if (!line.len || line.ptr[0] == '#') return true;
    rule.is_negated = line.ptr[0] == '!';
    if (rule.is_negated) line = text_slice(line, 1, line.len);
    rule.only_folders = line.len && line.ptr[line.len - 1] == '/';
    if (rule.only_folders) line.len--;
    if (!line.len) return true;
    rule.is_anchored = memchr(line.ptr, '/', line.len) != NULL;
    if (line.ptr[0] == '/') line = text_slice(line, 1, line.len);
    rule.pattern = arena_text(arena, line);
    if (!make_room(ignore, arena) || arena->oom) return false;
    ignore->rules[ignore->count++] = rule;
    return true;
}

bool ignore_add_lines(struct ignore *ignore, struct arena *arena, size_t base, gramc_text text) {
    for (size_t start = 0; start < text.len;) {
        const char *feed = memchr(text.ptr + start, '\n', text.len - start);
        size_t end = feed ? (size_t)(feed - text.ptr) : text.len;
        if (!ignore_add(ignore, arena, base, text_slice(text, start, end))) return false;
        start = end + 1;
    }
    return true;
}

static bool rule_fits(const struct ignore_rule *rule, gramc_text path, bool is_folder) {
    if (rule->only_folders && !is_folder) return false;
    size_t start = rule->base < path.len ? rule->base : path.len;
    while (start < path.len && path.ptr[start] == '/') start++;
    for (size_t i = path.len; !rule->is_anchored && i > start; i--)
        if (path.ptr[i - 1] == '/') start = i;
    struct glob g = {.pattern = rule->pattern, .text = text_slice(path, start, path.len)};
    return glob_fits(&g, 0, 0);
}

bool ignore_matches(const struct ignore *ignore, gramc_text path, bool is_folder) {
    for (size_t i = ignore->count; i > ignore->first; i--)
        if (rule_fits(&ignore->rules[i - 1], path, is_folder))
            return !ignore->rules[i - 1].is_negated;
    return false;
}
