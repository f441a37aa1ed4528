/* Rewrites the JSON Schema of a tool's parameters for one provider: walks over all schemas in it
 * and takes each through the steps of the dialect and the keyword table, lower.def. The steps are
 * those of lower_steps.c and lower_objects.c. */
#include "compiler/emit/lower_rules.h"

#include "base/json/number.h"
#include "base/text.h"
#include "jsonschema/keywords.h"

/* DESCRIBE first: what has no row is all zero. */
enum action { DESCRIBE, KEEP, COUNT, DROP };

struct row {
    const char *sentence; /* NULL: there is never one */
    enum action actions[DIALECTS];
};

#define ROW(sentence, strict, anthropic, gemini, ollama)                                           \
    {                                                                                              \
        sentence, {                                                                                \
            KEEP, strict, anthropic, gemini, ollama                                                \
        }                                                                                          \
    }
static const struct row rows[K_COUNT] = {
#define KEYWORD(id, ...) [K_##id] = ROW(__VA_ARGS__),
#define OTHER(name, ...)
#include "compiler/emit/lower.def"
#undef KEYWORD
#undef OTHER
};

static const struct {
    const char *name;
    struct row row;
} others[] = {
#define KEYWORD(id, ...)
#define OTHER(name, ...) {name, ROW(__VA_ARGS__)},
#include "compiler/emit/lower.def"
#undef KEYWORD
#undef OTHER
};

static const struct row *find_row(gramc_text name) {
    static const struct row unknown = {NULL, {DESCRIBE}};
    enum keyword keyword = keyword_named(name);
    for (size_t i = 0; keyword == K_COUNT && i < sizeof others / sizeof *others; i++)
        if (text_is(name, others[i].name)) return &others[i].row;
    return keyword == K_COUNT ? &unknown : &rows[keyword];
}

const char *lower_sentence(gramc_text keyword) {
    return find_row(keyword)->sentence;
}

enum {
    STRICT = 1 << DIALECT_STRICT,
    ANTHROPIC = 1 << DIALECT_ANTHROPIC,
    GEMINI = 1 << DIALECT_GEMINI,
    OLLAMA = 1 << DIALECT_OLLAMA,
    EVERY = STRICT | ANTHROPIC | GEMINI | OLLAMA
};

struct lower_step {
    void (*run)(struct lower_node *node);
    unsigned dialects;
};

/* In this order, before the keywords of a schema are looked at. */
static const struct lower_step before[] = {
    {step_inline_reference, GEMINI | OLLAMA},
    {step_all_of, EVERY},
    {step_wrap_reference, STRICT | ANTHROPIC},
    {step_single_type, STRICT | ANTHROPIC},
    {step_described_enum, EVERY},
    {step_one_of, EVERY},
    {step_choice_or_fields, STRICT},
    {step_tuple, EVERY},
    {step_const, GEMINI | OLLAMA},
    {step_null_flag, GEMINI},
    {step_all_of, GEMINI},
    {step_text_enum, GEMINI},
    {step_choice_alone, GEMINI},
    {step_no_properties, GEMINI},
    {step_format, EVERY},
    {step_split_null, ANTHROPIC},
    {step_one_combiner, ANTHROPIC},
    {step_missing_type, STRICT | ANTHROPIC | GEMINI},
    {step_out_of_place, STRICT | ANTHROPIC | GEMINI},
    {step_missing_items, STRICT | ANTHROPIC | GEMINI},
};

/* Once what is inside has been lowered. */
static const struct lower_step after[] = {
    {step_required_known, GEMINI},    {step_names, ANTHROPIC | GEMINI},
    {step_close, STRICT | ANTHROPIC}, {step_require_all, STRICT},
    {step_upper_case, GEMINI},
};

static void run_steps(struct lower_node *node, const struct lower_step *steps, size_t count) {
    for (size_t i = 0; i < count && !node->lowering->arena->oom; i++)
        if (steps[i].dialects & 1U << node->lowering->dialect) steps[i].run(node);
}

/* ## Messages */

gramc_text place_path(struct arena *arena, const struct lower_place *place) {
    struct buf out;
    const struct lower_place *chain[LOWER_MAX_DEPTH + 8];
    size_t count = 0;
    for (; place && count < LOWER_MAX_DEPTH + 8; place = place->outer)
        if (place->name.len) chain[count++] = place;
    buf_init(&out, &arena->allocator, 4096);
    for (size_t i = count; i-- > 0;) {
        if (i + 1 < count && !text_is(chain[i]->name, "[]")) buf_putc(&out, '.');
        buf_text(&out, chain[i]->name);
    }
    return buf_to_arena_cut(&out, arena);
}

void node_report(struct lower_node *node, enum diag_id id, gramc_text second, gramc_text third) {
    const struct lower_report *report = node->lowering->report;
    if (!report->findings) return;
    gramc_text path = place_path(node->lowering->arena, node->place);
    if (!path.len) path = report->tool;
    FIND(report->findings, id, report->source, node->place->at, path, second, third);
}

void node_rewritten(struct lower_node *node, const char *what) {
    node_report(node, D_REWRITTEN, text_of(what), node->lowering->report->target);
}

void node_refuse(struct lower_node *node) {
    struct lowering *l = node->lowering;
    if (l->refused.ptr) return;
    l->refused = place_path(l->arena, node->place);
    if (!l->refused.len) l->refused = l->report->tool;
}

/* ## Keywords */

static void put_sentence(struct lower_node *node, gramc_text keyword, const struct json *value) {
    const struct row *row = find_row(keyword);
    bool closed = text_is(keyword, "additionalProperties") && value->kind == JSON_FALSE;
    buf_puts(&node->words, node->words.len ? " " : "");
    if (closed) {
        buf_puts(&node->words, "No other names.");
    } else {
        if (row->sentence) buf_puts(&node->words, row->sentence);
        else buf_text(&node->words, keyword);
        buf_puts(&node->words, ": ");
        json_put(&node->words, value);
        buf_putc(&node->words, '.');
    }
    buf_puts(&node->keywords, node->keywords.len ? ", `" : "`");
    buf_text(&node->keywords, keyword);
    buf_putc(&node->keywords, '`');
}

void node_describe(struct lower_node *node, const char *keyword) {
    const struct json *value = json_find(node->json, keyword);
    if (!value) return;
    put_sentence(node, text_of(keyword), value);
    json_remove(node->json, keyword);
}

static struct json *lower_one(struct lowering *l, struct lower_place *place,
                              const struct json *schema);

struct json *lower_inside(struct lower_node *node, gramc_text name, const struct json *schema) {
    const struct lower_place *outer = node->place;
    const struct lower_report *report = node->lowering->report;
    struct lower_place place = {outer, name, NULL, outer->at, outer->depth + 1};
    bool is_parameter = outer->depth == 0 && name.len && report->parameter_at;
    if (is_parameter) place.at = report->parameter_at(report->ctx, name);
    return lower_one(node->lowering, &place, schema);
}

/* A list of schemas, or an object of them. */
static struct json *lower_several(struct lower_node *node, const struct json *value) {
    bool named = value->kind == JSON_OBJECT;
    struct json *out = json_new(node->lowering->arena, (enum json_kind)value->kind);
    struct json **tail = out ? &out->first : NULL;
    for (const struct json *v = value->first; v && tail; v = v->next) {
        struct json *inner = lower_inside(node, named ? v->key : TEXT(""), v);
        if (!inner) return NULL;
        inner->key = v->key;
        *tail = inner;
        tail = &inner->next;
        out->count++;
    }
    return out;
}

/* `items` is a schema here, whatever stands there; true and false stay what they are elsewhere. */
static struct json *lower_value(struct lower_node *node, const struct json *value) {
    bool items = text_is(value->key, "items");
    if (items) return lower_inside(node, TEXT("[]"), value);
    enum keyword_content content = keyword_content(value);
    if (content == CONTENT_SCHEMAS) return lower_several(node, value);
    if (content == CONTENT_SCHEMA && value->kind == JSON_OBJECT)
        return lower_inside(node, TEXT("*"), value);
    return json_copy_shallow(node->lowering->arena, value);
}

/* Google's JSON has 64-bit numbers as texts of digits. NULL: it is none of those. */
static struct json *count_of(struct lowering *l, const struct json *number) {
    char digits[20];
    int64_t len = 0;
    if (number->kind != JSON_NUMBER) return NULL;
    struct decimal d = decimal_read(number->text);
    int64_t top = d.zero ? 0 : d.top;
    if (!d.zero && (d.negative || top > 17 || decimal_low(&d) < 0)) return NULL;
    for (; len <= top; len++) {
        bool said = !d.zero && (size_t)len < decimal_length(&d);
        digits[len] = (char)('0' + (said ? decimal_digit(&d, d.first + (size_t)len) : 0));
    }
    return json_new_text(l->arena, JSON_STRING,
                         arena_text(l->arena, (gramc_text){digits, (size_t)len}));
}

static void lower_keywords(struct lower_node *node) {
    struct lowering *l = node->lowering;
    struct json *out = json_new(l->arena, JSON_OBJECT);
    for (const struct json *m = node->json->first; m && !l->arena->oom; m = m->next) {
        enum action action = find_row(m->key)->actions[l->dialect];
        if (action == DESCRIBE) put_sentence(node, m->key, m);
        if (action == KEEP) json_set(out, m->key, lower_value(node, m));
        struct json *count = action == COUNT ? count_of(l, m) : NULL;
        if (count) json_set(out, m->key, count);
        else if (action == COUNT) put_sentence(node, m->key, m);
    }
    node->json = out;
}

/* ## Schemas */

static void add_words(struct lower_node *node) {
    struct lowering *l = node->lowering;
    const struct json *said = json_find(node->json, "description");
    struct buf text;
    if (!node->words.len) return;
    buf_init(&text, &l->arena->allocator, SOURCE_MAX);
    if (json_is(said, JSON_STRING) && said->text.len) {
        buf_text(&text, said->text);
        buf_putc(&text, '\n');
    }
    buf_text(&text, buf_view(&node->words));
    gramc_text words = buf_to_arena(&text, l->arena);
    json_set(node->json, TEXT("description"), json_new_text(l->arena, JSON_STRING, words));
    node_report(node, D_DESCRIBED, buf_view(&node->keywords), l->report->target);
}

static struct json *rewrite(struct lower_node *node) {
    run_steps(node, before, sizeof before / sizeof *before);
    if (node->lowering->arena->oom) return NULL;
    lower_keywords(node);
    run_steps(node, after, sizeof after / sizeof *after);
    if (buf_status(&node->words) != GRAMC_OK || buf_status(&node->keywords) != GRAMC_OK)
        node->lowering->arena->oom = true;
    if (!node->lowering->arena->oom) add_words(node);
    return node->lowering->arena->oom ? NULL : node->json;
}

/* What stays of a schema that lies too deep: its type. Something has to be said, or the steps would
 * say it with schemas that lie deeper still. */
static struct json *only_type(struct arena *arena, const struct json *schema) {
    struct json *out = json_new(arena, JSON_OBJECT);
    const struct json *type = json_get(schema, "type");
    if (type) json_set(out, TEXT("type"), json_copy_shallow(arena, type));
    else schema_set_type(arena, out, "object");
    return out;
}

/* Boolean schemas become {} and {"not": {}}. */
static struct json *begin(struct lower_node *node, const struct json *schema) {
    struct lowering *l = node->lowering;
    if (node->place->depth >= LOWER_MAX_DEPTH || l->budget == 0) {
        node_report(node, D_CUT, l->report->target, (gramc_text){NULL, 0});
        return only_type(l->arena, schema);
    }
    l->budget--;
    if (json_is(schema, JSON_OBJECT)) return json_copy_shallow(l->arena, schema);
    struct json *out = json_new(l->arena, JSON_OBJECT);
    if (json_is(schema, JSON_FALSE)) json_set(out, TEXT("not"), json_new(l->arena, JSON_OBJECT));
    return out;
}

/* Recursion is bounded by LOWER_MAX_DEPTH and a few levels more. */
static struct json *lower_one(struct lowering *l, struct lower_place *place,
                              const struct json *schema) {
    struct lower_node node = {.lowering = l, .place = place};
    if (l->arena->oom) return NULL;
    node.json = begin(&node, schema);
    buf_init(&node.words, &l->arena->allocator, SOURCE_MAX);
    buf_init(&node.keywords, &l->arena->allocator, SOURCE_MAX);
    struct json *out = node.json ? rewrite(&node) : NULL;
    buf_free(&node.words);
    buf_free(&node.keywords);
    return out;
}

struct json *lower_schema(struct arena *arena, enum target_dialect dialect,
                          const struct json *document, const struct lower_report *report,
                          gramc_text *refused) {
    struct lowering l = {.arena = arena,
                         .dialect = dialect,
                         .report = report,
                         .document = document,
                         .budget = LOWER_MAX_SCHEMAS};
    struct lower_place root = {.at = report->tool_at};
    struct json *out = lower_one(&l, &root, document);
    *refused = l.refused;
    return l.refused.ptr || arena->oom ? NULL : out;
}
