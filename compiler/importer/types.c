/* Finds the schemas that deserve a name: those that a $ref points at, and records that stand in
 * several places. Gives names to types and tools that are unique and can be written. */
#include "compiler/importer/parts.h"

#include "base/text.h"

enum { LONGEST_NAME = 64, LEAST_FIELDS = 2, MOST_TYPES = 10000 };

/* ## References */

static bool hex_digit(char c, unsigned *digit) {
    char lower = (char)(c | 0x20);
    if (c >= '0' && c <= '9') *digit = (unsigned)(c - '0');
    else if (lower >= 'a' && lower <= 'f') *digit = (unsigned)(lower - 'a') + 10;
    else return false;
    return true;
}

/* The fragment of a URI, percent-decoded. */
static gramc_text decode(struct arena *arena, gramc_text text) {
    struct buf out;
    unsigned high, low;
    buf_init(&out, &arena->allocator, text.len + 1);
    for (size_t i = 0; i < text.len; i++) {
        bool escape = text.ptr[i] == '%' && i + 2 < text.len && hex_digit(text.ptr[i + 1], &high) &&
                      hex_digit(text.ptr[i + 2], &low);
        buf_putc(&out, escape ? (char)(high * 16 + low) : text.ptr[i]);
        if (escape) i += 2;
    }
    return buf_to_arena(&out, arena);
}

const struct json *import_target(struct importer *in, const struct json *document,
                                 gramc_text reference) {
    gramc_text pointer = text_slice(reference, 1, reference.len);
    if (!text_starts(reference, "#/")) return NULL;
    if (memchr(pointer.ptr, '%', pointer.len)) pointer = decode(in->arena, pointer);
    return pointer.ptr ? import_at(in, document, pointer) : NULL;
}

static struct import_type *add_type(struct importer *in, gramc_text name) {
    struct import_type *type = ARENA_NEW(in->arena, struct import_type);
    if (!type) return NULL;
    type->name = name;
    type->source = in->source;
    type->dialect = in->dialect;
    *in->last_type = type;
    in->last_type = &type->next;
    return type;
}

static gramc_text last_token(gramc_text pointer) {
    size_t start = pointer.len;
    while (start > 0 && pointer.ptr[start - 1] != '/' && pointer.ptr[start - 1] != '#') start--;
    return text_slice(pointer, start, pointer.len);
}

/* "0#/$defs/Address": the number of the document, and a pointer into it. */
struct import_type *import_reference(struct importer *in, gramc_text reference) {
    struct import_type *known = map_get(&in->references, reference);
    size_t hash = 0;
    if (known || in->references.count >= MOST_TYPES) return known;
    while (hash < reference.len && reference.ptr[hash] >= '0' && reference.ptr[hash] <= '9') hash++;
    if (hash == reference.len || reference.ptr[hash] != '#') return NULL;
    gramc_text pointer = decode(in->arena, text_slice(reference, hash + 1, reference.len));
    const struct json *target = in->arena->oom ? NULL : import_at(in, in->document, pointer);
    bool schema =
        json_is(target, JSON_OBJECT) || json_is(target, JSON_TRUE) || json_is(target, JSON_FALSE);
    if (!schema) return NULL;
    struct import_type *type = add_type(in, last_token(pointer));
    if (!type) return NULL;
    type->original = target;
    map_put(&in->references, reference, type);
    return type;
}

/* ## Repeated records */

struct candidate {
    struct json *first; /* without what may differ from place to place */
    gramc_text hint;
    struct import_type *type; /* once there is a second */
};

struct collector {
    struct importer *in;
    struct map seen; /* canonical text to struct candidate */
};

static gramc_text address(struct arena *arena, const struct json *schema) {
    const struct json **cell = arena_alloc(arena, sizeof *cell);
    if (!cell) return (gramc_text){NULL, 0};
    *cell = schema;
    return (gramc_text){(const char *)cell, sizeof *cell};
}

struct import_type *import_type_of(const struct importer *in, const struct json *schema) {
    const struct json *reference = json_get(schema, "$ref");
    if (json_is(reference, JSON_STRING)) return map_get(&in->references, reference->text);
    return map_get(&in->records, (gramc_text){(const char *)&schema, sizeof schema});
}

static bool belongs_to_place(gramc_text key) {
    return text_is(key, "description") || text_is(key, "title") || text_is(key, "default") ||
           text_is(key, "examples") || text_is(key, "deprecated");
}

/* The record itself, without what is said about one use of it. */
static struct json *bare_record(struct importer *in, const struct json *schema) {
    struct arena *arena = in->arena;
    struct json *bare = import_json(arena, JSON_OBJECT, TEXT(""), TEXT(""));
    struct json **tail = bare ? &bare->first : NULL;
    for (const struct json *m = schema->first; m && bare; m = m->next) {
        struct json *member = belongs_to_place(m->key) ? NULL : ARENA_NEW(arena, struct json);
        if (!member) continue;
        *member = *m;
        import_set_marks(in, member, import_marks(in, m));
        member->next = NULL;
        *tail = member;
        tail = &member->next;
        bare->count++;
    }
    if (bare) {
        bare->start = schema->start;
        bare->end = schema->end;
    }
    return bare;
}

static bool is_record(const struct json *schema) {
    const struct json *properties = json_get(schema, "properties");
    return text_is(import_text(schema, "type"), "object") && json_is(properties, JSON_OBJECT) &&
           properties->count >= LEAST_FIELDS;
}

static void note_record(struct collector *collector, const struct json *schema, gramc_text hint) {
    struct importer *in = collector->in;
    struct json *bare = bare_record(in, schema);
    struct buf text;
    buf_init(&text, &in->arena->allocator, INT32_MAX);
    if (bare) json_put_canonical(&text, bare);
    struct candidate *candidate = map_get(&collector->seen, buf_view(&text));
    if (text.state != BUF_FINE) {
        in->arena->oom = true;
    } else if (!candidate) {
        candidate = ARENA_NEW(in->arena, struct candidate);
        if (candidate) {
            *candidate = (struct candidate){.first = bare, .hint = hint};
            map_put(&collector->seen, arena_text(in->arena, buf_view(&text)), candidate);
        }
    } else if (!candidate->type) {
        candidate->type = add_type(in, candidate->hint);
        if (candidate->type) candidate->type->schema = candidate->first;
    }
    buf_free(&text);
}

/* The second walk: whoever has a type by now is a use of it. */
static void note_use(struct collector *collector, const struct json *schema) {
    struct importer *in = collector->in;
    struct buf text;
    struct json *bare = bare_record(in, schema);
    buf_init(&text, &in->arena->allocator, INT32_MAX);
    if (bare) json_put_canonical(&text, bare);
    const struct candidate *candidate = map_get(&collector->seen, buf_view(&text));
    gramc_text key = candidate && candidate->type ? address(in->arena, schema) : TEXT("");
    if (key.len) map_put(&in->records, key, candidate->type);
    if (text.state != BUF_FINE) in->arena->oom = true;
    buf_free(&text);
}

static gramc_text singular(gramc_text name) {
    bool plural = name.len > 3 && name.ptr[name.len - 1] == 's' && name.ptr[name.len - 2] != 's';
    return plural ? text_slice(name, 0, name.len - 1) : name;
}

static void walk(struct collector *collector, const struct json *schema, gramc_text hint,
                 bool second, bool root);

static void walk_fields(struct collector *collector, const struct json *field, bool second) {
    for (; field; field = field->next) walk(collector, field, field->key, second, false);
}

/* The fields of a base stand there already. */
static void walk_type(struct collector *collector, const struct import_type *type, bool second) {
    if (type->base) walk_fields(collector, import_own_fields(type), second);
    else walk(collector, type->schema, type->name, second, true);
}

/* Recursion is as deep as the schema, which json_parse keeps below JSON_MAX_DEPTH. */
static void walk(struct collector *collector, const struct json *schema, gramc_text hint,
                 bool second, bool root) {
    if (!json_is(schema, JSON_OBJECT) || collector->in->arena->oom) return;
    if (!root && is_record(schema) && !json_get(schema, "$ref")) {
        if (second) note_use(collector, schema);
        else note_record(collector, schema, hint);
    }
    const struct json *properties = json_get(schema, "properties");
    if (json_is(properties, JSON_OBJECT)) walk_fields(collector, properties->first, second);
    walk(collector, json_get(schema, "items"), singular(hint), second, false);
    walk(collector, json_get(schema, "additionalProperties"), singular(hint), second, false);
    const struct json *patterns = json_get(schema, "patternProperties");
    if (json_is(patterns, JSON_OBJECT)) walk_fields(collector, patterns->first, second);
    static const char *const lists[] = {"anyOf", "oneOf", "allOf", "prefixItems"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct json *list = json_get(schema, lists[i]);
        if (!json_is(list, JSON_ARRAY)) continue;
        for (const struct json *item = list->first; item; item = item->next)
            walk(collector, item, hint, second, false);
    }
}

static void find_records(struct importer *in) {
    struct collector collector = {.in = in};
    struct import_type **referred_end = in->last_type;
    map_init(&collector.seen, in->arena);
    for (int second = 0; second < 2; second++) {
        for (const struct import_tool *tool = in->first; tool; tool = tool->next) {
            walk(&collector, tool->parameters, tool->name, second, true);
            walk(&collector, tool->result, tool->name, second, false);
        }
        for (const struct import_type *t = in->first_type; t && &t->next != referred_end;
             t = t->next)
            walk_type(&collector, t, second);
        if (in->first_type && referred_end != &in->first_type) {
            const struct import_type *t = in->first_type;
            while (t && &t->next != referred_end) t = t->next;
            if (t) walk_type(&collector, t, second);
        }
    }
}

/* ## Names */

/* A type's name begins with a capital letter and has letters and digits only. */
static gramc_text type_name(struct arena *arena, gramc_text hint) {
    struct buf out;
    bool capital = true;
    buf_init(&out, &arena->allocator, LONGEST_NAME * 2);
    for (size_t i = 0; i < hint.len && out.len < LONGEST_NAME; i++) {
        char c = hint.ptr[i], lower = (char)(c | 0x20);
        bool letter = lower >= 'a' && lower <= 'z', digit = c >= '0' && c <= '9';
        if (digit && out.len == 0) buf_puts(&out, "T");
        if (letter && capital) buf_putc(&out, (char)(c & ~0x20));
        else if (letter || digit || (c == '_' && !capital && i + 1 < hint.len && false))
            buf_putc(&out, c);
        capital = !letter && !digit;
    }
    if (out.len == 0) buf_puts(&out, "Record");
    return buf_to_arena(&out, arena);
}

static bool is_reserved(gramc_text name) {
    static const char *const labels[] = {"Agent",      "Tool",      "ToolLibrary", "ToolImpl",
                                         "ToolBox",    "McpServer", "HttpToolBox", "Task",
                                         "Experiment", "Arm",       "Grader",      "Model"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (text_is(name, labels[i])) return true;
    return type_find(name) != NULL;
}

/* The name, or the first of name2, name3... that is free. */
static gramc_text unique(struct importer *in, struct map *taken, gramc_text name, void *owner,
                         const char *separator, bool reserved) {
    gramc_text found = name;
    for (unsigned n = 2; !in->arena->oom; n++) {
        if (!(reserved && is_reserved(found)) && map_put(taken, found, owner) == owner)
            return found;
        struct buf out;
        buf_init(&out, &in->arena->allocator, SOURCE_MAX);
        buf_text(&out, name);
        buf_printf(&out, "%s%u", separator, n);
        found = buf_to_arena(&out, in->arena);
    }
    return found;
}

static void name_types(struct importer *in) {
    for (struct import_type *type = in->first_type; type && !in->arena->oom; type = type->next)
        type->name = unique(in, &in->type_names, type_name(in->arena, type->name), type, "", true);
}

static void name_tools(struct importer *in) {
    for (struct import_tool *tool = in->first; tool && !in->arena->oom; tool = tool->next) {
        gramc_text given = tool->name, wanted = given.len ? given : TEXT("tool");
        tool->identifier = unique(in, &in->names, wanted, tool, "_", false);
        bool same = text_eq(tool->identifier, tool->name);
        /* Within one agent a name on the wire stands for one tool. */
        if (!same && (in->agent.len || !tool->name.len)) tool->name = tool->identifier;
        tool->named = !text_eq(tool->identifier, tool->name);
        if (!same)
            import_find(in, D_IMPORT_RENAMED, tool->source, tool->at, given, tool->identifier);
    }
}

void import_name_all(struct importer *in) {
    import_conjoin(in);
    import_derive(in);
    for (struct import_tool *tool = in->first; tool; tool = tool->next) import_find_whole(in, tool);
    find_records(in);
    name_types(in);
    name_tools(in);
}

/* ## As JSON, for escape hatches */

static bool put_value(const struct importer *in, struct json_writer *w, const struct json *value,
                      unsigned depth) {
    bool good = true;
    if (value->kind == JSON_OBJECT) return import_put_json(in, w, value, depth + 1);
    if (value->kind != JSON_ARRAY) {
        json_value(w, value);
        return true;
    }
    json_array_begin(w);
    for (const struct json *item = value->first; item && good; item = item->next)
        good = put_value(in, w, item, depth + 1);
    json_array_end(w);
    return good;
}

void import_put_reference(const struct importer *in, struct json_writer *w,
                          const struct json *value) {
    const struct import_type *type = map_get(&in->references, value->text);
    if (!type) {
        json_value(w, value);
        return;
    }
    struct buf *out = json_slot(w);
    buf_puts(out, "\"#/$defs/");
    buf_text(out, type->name);
    buf_putc(out, '"');
}

bool import_put_json(const struct importer *in, struct json_writer *w, const struct json *schema,
                     unsigned depth) {
    bool good = true;
    if (w->out->state != BUF_FINE || depth > JSON_MAX_DEPTH) return false;
    json_object_begin(w);
    for (const struct json *m = schema->first; m && good; m = m->next) {
        json_key_text(w, m->key);
        if (text_is(m->key, "$ref") && m->kind == JSON_STRING) import_put_reference(in, w, m);
        else good = put_value(in, w, m, depth);
    }
    json_object_end(w);
    return good;
}
