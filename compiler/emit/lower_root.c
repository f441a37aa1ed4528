/* Takes from the top of a tool's parameters what providers refuse there, though they take it
 * further inside: choices, conjunctions, negations. The names that only such a part knows become
 * optional ones, and what it says goes into the description; so all that the spec accepts is still
 * accepted. */
#include "compiler/emit/lower.h"

#include "base/json/edit.h"
#include "base/text.h"

struct root {
    struct arena *arena;
    const struct json *document;
    const struct lower_report *report;
    struct json *json, *properties, *required;
    struct buf words;
};

/* OpenAI names them all when it refuses them, Anthropic the first three. */
static const char *const refused[] = {"anyOf", "oneOf", "allOf", "not", "enum", "const"};

enum { REFUSED = sizeof refused / sizeof *refused, COMBINERS = 3, DEEPEST_PART = 8 };

bool lower_root_is_refused(const struct json *document) {
    size_t i = 0;
    while (i < REFUSED && !json_get(document, refused[i])) i++;
    return i < REFUSED;
}

static const struct json *behind(const struct root *r, const struct json *part) {
    for (int i = 0; i < DEEPEST_PART; i++) {
        const struct json *reference = json_get(part, "$ref");
        if (!json_is(reference, JSON_STRING) || !text_starts(reference->text, "#")) break;
        part = json_at(r->document, text_slice(reference->text, 1, reference->text.len));
    }
    return part;
}

/* ## What a part brings along */

static void add_properties(struct root *r, const struct json *part) {
    const struct json *properties = json_get(part, "properties");
    const struct json *p = json_is(properties, JSON_OBJECT) ? properties->first : NULL;
    for (; p; p = p->next)
        if (!json_get_text(r->properties, p->key))
            json_set(r->properties, p->key, json_copy_shallow(r->arena, p));
}

static bool is_required(const struct root *r, gramc_text name) {
    const struct json *n = r->required ? r->required->first : NULL;
    while (n && !text_eq(n->text, name)) n = n->next;
    return n;
}

static void add_required(struct root *r, const struct json *part) {
    const struct json *names = json_get(part, "required");
    const struct json *n = json_is(names, JSON_ARRAY) ? names->first : NULL;
    for (; n; n = n->next) {
        bool known = n->kind == JSON_STRING && json_get_text(r->properties, n->text);
        if (known && !is_required(r, n->text))
            json_append(r->required, json_new_text(r->arena, JSON_STRING, n->text));
    }
}

static void add_part(struct root *r, const struct json *part, bool demanded, int depth) {
    part = behind(r, part);
    if (!json_is(part, JSON_OBJECT) || depth == DEEPEST_PART) return;
    add_properties(r, part);
    if (demanded) add_required(r, part);
    for (size_t i = 0; i < COMBINERS; i++) {
        const struct json *list = json_get(part, refused[i]);
        bool all = demanded && text_is(text_of(refused[i]), "allOf");
        for (const struct json *v = json_is(list, JSON_ARRAY) ? list->first : NULL; v; v = v->next)
            add_part(r, v, all, depth + 1);
    }
}

/* ## Whether that is all that it says */

static bool says_only_fields(const struct root *r, const struct json *part) {
    static const char *const fields[] = {"type", "properties", "required", "title", "description"};
    for (const struct json *m = part->first; m; m = m->next) {
        size_t i = 0;
        while (i < sizeof fields / sizeof *fields && !text_is(m->key, fields[i])) i++;
        if (i == sizeof fields / sizeof *fields) return false;
    }
    const struct json *properties = json_get(part, "properties");
    for (const struct json *p = properties ? properties->first : NULL; p; p = p->next) {
        const struct json *own = json_get_text(r->properties, p->key);
        if (own && !json_equal(own, p)) return false;
    }
    return true;
}

/* Before the parts are added: parts that say the same name differently are no list of fields. */
static bool is_exact(struct root *r, const struct json *all) {
    for (const struct json *v = all->first; v; v = v->next) {
        const struct json *part = behind(r, v);
        if (!json_is(part, JSON_OBJECT) || !says_only_fields(r, part)) return false;
        add_part(r, v, true, 0);
    }
    return true;
}

/* ## Keywords */

/* Parts in line: some providers have no place for what a reference leads to. */
static const struct json *in_line(const struct root *r, const struct json *list) {
    struct json *parts = json_new(r->arena, JSON_ARRAY);
    for (const struct json *v = list->first; v; v = v->next) {
        const struct json *part = behind(r, v);
        json_append(parts, json_copy_shallow(r->arena, part ? part : v));
    }
    return parts ? parts : list;
}

static void say(struct root *r, const char *keyword, const struct json *value) {
    const char *sentence = lower_sentence(text_of(keyword));
    buf_puts(&r->words, r->words.len ? " " : "");
    buf_puts(&r->words, sentence ? sentence : keyword);
    buf_puts(&r->words, ": ");
    json_put(&r->words, value);
    buf_putc(&r->words, '.');
}

static void report(const struct root *r, const char *keyword, bool list) {
    const struct lower_report *to = r->report;
    struct buf what;
    if (!to->findings) return;
    buf_init(&what, &r->arena->allocator, 256);
    buf_printf(&what, "`%s` of all arguments becomes %swords", keyword,
               list ? "names that may be left out, and " : "");
    FIND(to->findings, D_REWRITTEN, to->source, to->tool_at, to->tool,
         buf_to_arena(&what, r->arena), to->target);
}

static void lower_keyword(struct root *r, size_t i) {
    const struct json *value = json_get(r->json, refused[i]);
    if (!value) return;
    bool list = i < COMBINERS && value->kind == JSON_ARRAY;
    bool all = list && text_is(text_of(refused[i]), "allOf");
    bool exact = all && is_exact(r, value);
    for (const struct json *v = list && !exact ? value->first : NULL; v; v = v->next)
        add_part(r, v, all, 0);
    if (!exact) {
        say(r, refused[i], list ? in_line(r, value) : value);
        report(r, refused[i], list);
    }
    json_remove(r->json, refused[i]);
}

/* ## The whole */

static struct json *own_list(struct root *r, const char *key, enum json_kind kind) {
    const struct json *said = json_get(r->json, key);
    return json_is(said, kind) ? json_copy_shallow(r->arena, said) : json_new(r->arena, kind);
}

static void add_words(struct root *r) {
    const struct json *said = json_get(r->json, "description");
    struct buf text;
    if (r->words.state == BUF_NOMEM) r->arena->oom = true;
    if (!r->words.len || r->arena->oom) return;
    buf_init(&text, &r->arena->allocator, INT32_MAX);
    if (json_is(said, JSON_STRING) && said->text.len) {
        buf_text(&text, said->text);
        buf_putc(&text, '\n');
    }
    buf_text(&text, buf_view(&r->words));
    gramc_text words = buf_to_arena(&text, r->arena);
    json_set(r->json, TEXT("description"), json_new_text(r->arena, JSON_STRING, words));
}

struct json *lower_root(struct arena *arena, const struct json *document,
                        const struct lower_report *to) {
    struct root r = {.arena = arena, .document = document, .report = to};
    r.json = json_copy_shallow(arena, document);
    if (!r.json) return NULL;
    buf_init(&r.words, &arena->allocator, INT32_MAX);
    r.properties = own_list(&r, "properties", JSON_OBJECT);
    r.required = own_list(&r, "required", JSON_ARRAY);
    for (size_t i = 0; i < REFUSED && !arena->oom; i++) lower_keyword(&r, i);
    if (!arena->oom) {
        json_set(r.json, TEXT("properties"), r.properties);
        if (r.required->count) json_set(r.json, TEXT("required"), r.required);
        add_words(&r);
    }
    buf_free(&r.words);
    return arena->oom ? NULL : r.json;
}
