/* Puts places, types and values into words, for report.c. Knows nothing of rules. */
#include "jsonschema/words.h"

#include <string.h>

#include "base/text.h"
#include "jsonschema/uri.h"

enum { LONGEST_SHORT = 60, LONGEST_READ_WITHOUT_MEMORY = 1024 };

/* ## Places */

static bool is_plain_name(gramc_text key) {
    for (size_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];
        bool letter = ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || (c & 0x80);
        bool digit = (c >= '0' && c <= '9') || c == '-';
        if (!letter && !(digit && i)) return false;
    }
    return key.len > 0 && key.len <= 100;
}

static void put_name(struct buf *out, gramc_text key, bool first) {
    if (is_plain_name(key)) {
        if (!first) buf_putc(out, '.');
        buf_text(out, key);
    } else {
        buf_putc(out, '[');
        words_put_quoted(out, key);
        buf_putc(out, ']');
    }
}

/* The place of an item in its array. */
static size_t place_of(const struct evaluation_frame *at) {
    size_t i = 0;
    if (at->placed) return at->item;
    for (const struct json *item = at->up->value->first; item && item != at->value;
         item = item->next)
        i++;
    return i;
}

static void put_item(struct buf *out, size_t place) {
    buf_putc(out, '[');
    buf_number(out, place);
    buf_putc(out, ']');
}

static void put_index(struct buf *out, size_t index) {
    buf_putc(out, '/');
    buf_number(out, index);
}

/* The frames at which the instance changes, from the root on: recursion as deep as the frames. */
static bool put_steps(struct buf *out, const struct evaluation_frame *at) {
    if (!at->up) return true;
    bool first = put_steps(out, at->up);
    if (at->value == at->up->value || at->name) return first;
    if (at->up->value->kind == JSON_ARRAY) put_item(out, place_of(at));
    else put_name(out, at->value->key, first);
    return false;
}

void words_put_place(struct buf *out, const struct evaluation_frame *at) {
    if (put_steps(out, at)) buf_puts(out, "the value");
    if (!at->name) return;
    buf_puts(out, ", member name ");
    words_put_quoted(out, at->value->text);
}

void words_put_member(struct buf *out, const struct evaluation_frame *at, gramc_text key) {
    put_name(out, key, put_steps(out, at));
}

void words_put_instance(struct buf *out, const struct evaluation_frame *at, const char *keyword) {
    (void)keyword;
    if (!at->up) return;
    words_put_instance(out, at->up, NULL);
    if (at->value == at->up->value || at->name) return;
    if (at->up->value->kind == JSON_ARRAY) put_index(out, place_of(at));
    else json_put_pointer_token(out, at->value->key);
}

static void put_keyword(struct buf *out, const char *keyword) {
    if (!keyword) return;
    buf_putc(out, '/'); /* none has anything to be escaped in it */
    buf_puts(out, keyword);
}

/* A schema that is false is reported at the keyword that leads to it. */
static bool is_own_place(const struct evaluation_frame *at, const char *keyword) {
    return keyword && at->node->types == 0 && at->node->flags & NODE_FALSE;
}

/* The root of a tool call is closed by the caller, not by the schema's text. */
static bool is_closed_by_caller(const struct evaluation_frame *at) {
    return at->node->types == 0 && (at->node->flags & NODE_CLOSED);
}

const struct schema_node *words_written_node(const struct evaluation_frame *at) {
    return at->node->resource ? at->node : at->up->node;
}

static bool is_of_other_document(const struct evaluation_frame *at) {
    const struct schema_document *document = words_written_node(at)->resource->document;
    const struct evaluation_frame *root = at;
    if (!document->uri.len || !at->up) return false;
    while (root->up) root = root->up;
    return root->node->resource->document != document;
}

/* No keyword of the schema: what every reader of JSON asks for. */
static bool is_of_reader(const char *keyword) {
    return strcmp(keyword, "json") == 0 || strcmp(keyword, "duplicate") == 0;
}

void words_put_schema(struct buf *out, const struct evaluation_frame *at, const char *keyword) {
    const struct schema_node *node = words_written_node(at);
    const struct schema_document *document = node->resource->document;
    if (is_of_other_document(at)) {
        buf_text(out, document->uri);
        buf_putc(out, '#');
    }
    put_pointer_to(out, document, document->start, node->place);
    if (!is_of_reader(keyword) && !is_own_place(at, keyword)) put_keyword(out, keyword);
}

bool words_is_direct(const struct evaluation_frame *at) {
    const struct resource *resource = words_written_node(at)->resource;
    if (is_closed_by_caller(at)) return false;
    for (; at->up; at = at->up)
        if (!at->keyword || strstr(at->keyword, "ef")) return false; /* $ref and its like */
    return at->node->resource == resource && at->node->place == resource->place;
}

bool words_is_end_of_absolute(const struct evaluation_frame *at, const char *keyword) {
    const struct resource *resource = words_written_node(at)->resource;
    return resource->place == resource->document->start && !is_of_other_document(at) &&
           !is_of_reader(keyword);
}

static void put_way(struct buf *out, const struct evaluation_frame *at) {
    if (!at->up) return;
    put_way(out, at->up);
    put_keyword(out, at->keyword);
    if (at->token.ptr) json_put_pointer_token(out, at->token);
    if (at->listed) put_index(out, at->index);
}

void words_put_path(struct buf *out, const struct evaluation_frame *at, const char *keyword) {
    put_way(out, at);
    if (!is_own_place(at, keyword) && !is_closed_by_caller(at)) put_keyword(out, keyword);
}

static size_t put_uri(struct buf *out, const struct schema_node *node) {
    const struct resource *resource = node->resource;
    buf_text(out, resource->uri);
    buf_putc(out, '#');
    return put_pointer_to(out, resource->document, resource->place, node->place);
}

size_t words_put_uri(struct buf *out, const struct schema_node *node) {
    size_t start = out->len, passed = put_uri(out, node);
    uri_encode_fragment(out, start + node->resource->uri.len + 1);
    return passed;
}

void words_put_absolute(struct buf *out, const struct evaluation_frame *at, const char *keyword) {
    (void)put_uri(out, words_written_node(at));
    if (!is_own_place(at, keyword)) put_keyword(out, keyword);
}

/* ## Types */

void put_types(struct buf *out, unsigned types) {
    static const struct {
        unsigned types;
        const char *name;
    } names[] = {
        {TYPE_BIT_STRING, "a string"},    {TYPE_BIT_NUMBER, "a number"},
        {TYPE_BIT_INTEGER, "an integer"}, {TYPE_BIT_FRACTION, "a number that is not whole"},
        {TYPE_BIT_BOOLEAN, "a boolean"},  {TYPE_BIT_ARRAY, "an array"},
        {TYPE_BIT_OBJECT, "an object"},   {TYPE_BIT_NULL, "null"},
    };
    const char *list[8];
    size_t count = 0;
    if (types == TYPE_BIT_ALL || types == 0) {
        buf_puts(out, types ? "any value" : "nothing");
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((types & names[i].types) != names[i].types) continue;
        types &= ~names[i].types;
        list[count++] = names[i].name;
    }
    for (size_t i = 0; i < count; i++) {
        if (i) buf_puts(out, i + 1 == count ? " or " : ", ");
        buf_puts(out, list[i]);
    }
}

/* ## Values */

void words_put_cut(struct buf *out, gramc_text text, size_t most) {
    if (text.len <= most) {
        buf_text(out, text);
        return;
    }
    while (most > 0 && ((unsigned char)text.ptr[most] & 0xC0) == 0x80) most--;
    buf_put(out, text.ptr, most);
    buf_puts(out, "...");
}

void words_put_quoted(struct buf *out, gramc_text text) {
    size_t most = LONGEST_SHORT;
    if (text.len <= most) {
        json_put_string(out, text);
        return;
    }
    while (most > 0 && ((unsigned char)text.ptr[most] & 0xC0) == 0x80) most--;
    json_put_string(out, text_slice(text, 0, most));
    buf_puts(out, "...");
}

void words_put_short(struct buf *out, const struct json *value) {
    switch ((enum json_kind)value->kind) {
    case JSON_NULL: buf_puts(out, "null"); break;
    case JSON_FALSE: buf_puts(out, "false"); break;
    case JSON_TRUE: buf_puts(out, "true"); break;
    case JSON_NUMBER: words_put_cut(out, value->text, LONGEST_SHORT); break;
    case JSON_STRING: words_put_quoted(out, value->text); break;
    case JSON_ARRAY:
        buf_printf(out, "an array of %u item%s", (unsigned)value->count, text_plural(value->count));
        break;
    case JSON_OBJECT:
        buf_printf(out, "an object of %u member%s", (unsigned)value->count,
                   text_plural(value->count));
        break;
    }
}

static bool has_secret(const struct node_list *list, unsigned depth);

static bool is_secret(const struct schema_node *node, unsigned depth) {
    const struct applicators *apply = node->apply;
    if (node->string && node->string->secret) return true;
    if (!apply || !depth) return false;
    return has_secret(&apply->all, depth) || has_secret(&apply->any, depth) ||
           has_secret(&apply->one, depth);
}

static bool has_secret(const struct node_list *list, unsigned depth) {
    for (size_t i = 0; i < list->count; i++)
        if (list->nodes[i] && is_secret(list->nodes[i], depth - 1)) return true;
    return false;
}

bool words_is_secret(const struct schema_node *node) {
    return is_secret(node, 3);
}

void words_put_value(struct buf *out, const struct json *value) {
    if (value->kind == JSON_STRING) buf_puts(out, "the string ");
    if (value->kind == JSON_NUMBER) buf_puts(out, "the number ");
    words_put_short(out, value);
}

void words_put_choices(struct buf *out, const struct json *choices, size_t most) {
    size_t count = 0;
    if (choices->count != 1) buf_puts(out, choices->count ? "one of " : "nothing");
    for (const struct json *choice = choices->first; choice; choice = choice->next, count++) {
        if (count) buf_puts(out, ", ");
        if (count == most) {
            buf_printf(out, "... (%u in all)", (unsigned)choices->count);
            break;
        }
        words_put_short(out, choice);
    }
}

void words_put_expected(struct buf *out, const struct schema_node *node, size_t most) {
    if (node_constant(node)) words_put_short(out, node_constant(node));
    else if (node_choices(node)) words_put_choices(out, node_choices(node), most);
    else put_types(out, node->kinds);
}

/* ## Examples */

/* A value that the schema itself names. */
static const struct json *own_example(const struct schema_node *node, const struct json *schema) {
    const struct json *examples = json_get(schema, "examples");
    const struct json *example = json_is(examples, JSON_ARRAY) ? examples->first : NULL;
    if (!example) example = json_get(schema, "default");
    if (!example || example->kind == JSON_NULL || example->kind >= JSON_ARRAY) return NULL;
    return type_of(example) & node->types ? example : NULL;
}

static gramc_text number_example(const struct schema_node *node, const char *usual) {
    const struct number_rules *rules = node->number;
    gramc_text example = text_of(usual);
    if (!rules) return example;
    if (rules->bounds[BOUND_MIN].ptr && json_number_compare(example, rules->bounds[BOUND_MIN]) < 0)
        example = rules->bounds[BOUND_MIN];
    if (rules->bounds[BOUND_MAX].ptr && json_number_compare(example, rules->bounds[BOUND_MAX]) > 0)
        example = rules->bounds[BOUND_MAX];
    return example;
}

static void put_array_example(struct buf *out, const struct json *instead_of) {
    bool cut = instead_of->kind == JSON_STRING && text_starts(text_trim(instead_of->text), "[");
    buf_puts(out, "an array");
    if (instead_of->kind >= JSON_ARRAY || instead_of->kind == JSON_NULL || cut) return;
    buf_puts(out, " such as [");
    words_put_short(out, instead_of);
    buf_putc(out, ']');
}

static void put_example(struct buf *out, const struct schema_node *node, const struct json *example,
                        const struct json *instead_of) {
    if (node->values) {
        words_put_expected(out, node, 8);
    } else if (node->types & TYPE_BIT_NUMBER) {
        bool whole = !(node->types & TYPE_BIT_FRACTION);
        gramc_text number = example ? example->text : number_example(node, whole ? "18" : "3.5");
        buf_puts(out, whole ? "a whole number such as " : "a number such as ");
        if (example && example->kind != JSON_NUMBER) number = number_example(node, "18");
        words_put_cut(out, number, LONGEST_SHORT);
    } else if (node->types & TYPE_BIT_STRING) {
        buf_puts(out, "text in double quotes");
        if (example) buf_puts(out, " such as ");
        if (example) words_put_short(out, example);
    } else if (node->types & TYPE_BIT_BOOLEAN) {
        buf_puts(out, "true or false, without quotes");
    } else if (node->types & TYPE_BIT_ARRAY) {
        put_array_example(out, instead_of);
    } else if (node->types & TYPE_BIT_OBJECT) {
        buf_puts(out, "an object in braces");
    } else {
        buf_puts(out, "null");
    }
}

void words_put_example(struct buf *out, const struct schema_node *node,
                       const struct json *instead_of) {
    struct arena arena;
    uint64_t room[LONGEST_READ_WITHOUT_MEMORY / sizeof(uint64_t)];
    if (node->values || !(node->types & (TYPE_BIT_NUMBER | TYPE_BIT_STRING))) {
        put_example(out, node, NULL, instead_of);
        return;
    }
    arena_init(&arena, &out->allocator);
    arena.cursor = (char *)room;
    arena.end = (char *)room + sizeof room;
    const struct json *schema = read_schema(node, &arena);
    if (arena.oom) out->state = BUF_NOMEM;
    else put_example(out, node, own_example(node, schema), instead_of);
    arena_free(&arena);
}
