/* Turns `[name:Tool {...} | signature]` into a tool. The signature is signature.c's. */
#include "compiler/tool.h"

#include "base/limits.h"
#include "base/text.h"
#include "compiler/data.h"
#include "compiler/emit/bundle.h"
#include "compiler/approve.h"
#include "compiler/meant.h"
#include "compiler/pattern.h"
#include "compiler/properties.h"
#include "compiler/raw_schema.h"
#include "compiler/schema_reader.h"
#include "compiler/vocabulary.h"

/* Everything goes through one struct, so that the table needs one kind of offset. */
struct tool_properties {
    gramc_text description, name, title, meta;
    const struct value *examples, *deprecated, *arguments, *schema, *approve;
    bool optional, return_direct;
    uint32_t max_call_errors, max_tool_errors, timeout_ms;
    int open, read_only, destructive, idempotent, open_world, untrusted, sensitive;
};

#define AT(member) offsetof(struct tool_properties, member)
static const struct property_row rows[] = {
    {"description", PROPERTY_TEXT, AT(description)},
    {"name", PROPERTY_NAME, AT(name)},
    {"title", PROPERTY_TEXT, AT(title)},
    {"examples", PROPERTY_VALUE, AT(examples)},
    {"optional", PROPERTY_FLAG, AT(optional)},
    {"maxCallErrors", PROPERTY_COUNT, AT(max_call_errors)},
    {"maxToolErrors", PROPERTY_COUNT, AT(max_tool_errors)},
    {"timeout", PROPERTY_DURATION, AT(timeout_ms)},
    {"returnDirect", PROPERTY_FLAG, AT(return_direct)},
    {"deprecated", PROPERTY_VALUE, AT(deprecated)},
    {"readOnly", PROPERTY_TRISTATE, AT(read_only)},
    {"destructive", PROPERTY_TRISTATE, AT(destructive)},
    {"idempotent", PROPERTY_TRISTATE, AT(idempotent)},
    {"openWorld", PROPERTY_TRISTATE, AT(open_world)},
    {"approve", PROPERTY_VALUE, AT(approve)},
    {"untrusted", PROPERTY_TRISTATE, AT(untrusted)},
    {"sensitive", PROPERTY_TRISTATE, AT(sensitive)},
    {"open", PROPERTY_TRISTATE, AT(open)},
    {"arguments", PROPERTY_VALUE, AT(arguments)},
    {"schema", PROPERTY_VALUE, AT(schema)},
    {"meta", PROPERTY_META, AT(meta)},
};
#undef AT

static gramc_text read_deprecated(struct pass *pass, const struct value *value) {
    if (value_is_name(value)) return value_text(pass, value);
    if (value->kind == VALUE_BOOLEAN)
        return text_is(scalar_text(value), "true") ? TEXT("true") : (gramc_text){NULL, 0};
    FIND(pass->findings, D_WRONG_VALUE, pass->source, value->span, TEXT("deprecated"),
         TEXT("true, or what to use instead"), text_of(value_noun(value)));
    return (gramc_text){NULL, 0};
}

static void read_examples(struct pass *pass, const struct value *value,
                          struct data_constraint *examples) {
    struct constraint *c = &examples->constraint;
    *c = (struct constraint){.at = value->span, .has_document = true};
    if (value->kind == VALUE_ARRAY) {
        c->text = data_document(pass, value, &examples->document);
        return;
    }
    FIND(pass->findings, D_WRONG_VALUE, pass->source, value->span, TEXT("examples"),
         TEXT("a list of json`{...}` calls"), text_of(value_noun(value)));
}

/* What an object says of itself but for its fields, which are the parameters, and what the tool has
 * a property for. */
static bool is_of_arguments(gramc_text key) {
    static const enum type_property taken[] = {
        P_TITLE, P_DESCRIPTION, P_ENUM,     P_CONST,     P_EXAMPLES,  P_ALL_OF, P_VALUES,
        P_KEYS,  P_PATTERNS,    P_REQUIRED, P_MIN_NAMES, P_MAX_NAMES, P_META};
    enum type_property id = type_property_named(key);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (id == taken[i]) return true;
    return id == TYPE_PROPERTIES; /* the reader of types reports it */
}

/* `arguments: {values: Text, minProperties: 1}` */
static void read_whole(struct pass *pass, struct schema *arguments, const struct value *map) {
    struct reader reader = {.pass = pass, .schema = arguments};
    if (map->kind != VALUE_MAP) {
        FIND(pass->findings, D_WRONG_VALUE, pass->source, map->span, TEXT("arguments"),
             TEXT("a map: {minProperties: 1}"), text_of(value_noun(map)));
        return;
    }
    for (const struct property *p = map->as.entries; p; p = p->next) {
        if (is_of_arguments(name_text(p->key))) continue;
        struct finding *f =
            FIND(pass->findings, D_PROPERTY_NOT_HERE, pass->source, name_span(p->key),
                 name_text(p->key), TEXT("of the arguments only names and their values are told"));
        finding_help(pass->findings, f,
                     "fields are the parameters; `open` and `schema` stand in the tool");
        return;
    }
    arguments->span = map->span;
    properties_of_type(&reader, map->as.entries);
}

/* What is said about the arguments as a whole. */
static void read_arguments(struct pass *pass, struct schema *arguments,
                           const struct tool_properties *p) {
    bool wrong = false;
    if (p->arguments) read_whole(pass, arguments, p->arguments);
    if (p->open >= 0) arguments->open = p->open ? SAID_TRUE : SAID_FALSE;
    if (p->schema) arguments->raw = raw_read(pass, p->schema, &wrong);
    if (wrong)
        FIND(pass->findings, D_WRONG_VALUE, pass->source, p->schema->span, TEXT("schema"),
             TEXT("a JSON object: json`{...}`"), text_of(value_noun(p->schema)));
}

/* `arguments`: what the properties say about them, before the signature is read. */
static void read_properties(struct pass *pass, struct tool *tool, struct schema *arguments,
                            const struct subject *subject) {
    struct tool_properties p = {.max_call_errors = DEFAULT_ERRORS,
                                .max_tool_errors = DEFAULT_ERRORS,
                                .timeout_ms = DEFAULT_TOOL_TIMEOUT_MS,
                                .open = -1,
                                .read_only = -1,
                                .destructive = -1,
                                .idempotent = -1,
                                .open_world = -1,
                                .untrusted = -1,
                                .sensitive = -1};
    properties_read(pass, subject->properties, rows, sizeof rows / sizeof *rows, &p, "tools");
    tool->public = (gramc_tool){.name = p.name.len ? p.name : tool->identifier,
                                .description = p.description,
                                .title = p.title,
                                .timeout_ms = p.timeout_ms,
                                .max_call_errors = p.max_call_errors,
                                .max_tool_errors = p.max_tool_errors,
                                .optional = p.optional,
                                .return_direct = p.return_direct};
    tool->meta = p.meta;
    tool->read_only = p.read_only;
    tool->destructive = p.destructive;
    tool->public.destructive = p.destructive == 1;
    if (p.approve) tool->public.approve = approve_read(pass, p.approve);
    tool->idempotent = p.idempotent;
    tool->open_world = p.open_world;
    tool->untrusted = p.untrusted;
    tool->sensitive = p.sensitive;
    tool->public.untrusted = said_of(p.untrusted >= 0 ? p.untrusted : p.open_world);
    tool->public.sensitive = p.sensitive == 1;
    if (p.examples) read_examples(pass, p.examples, &tool->examples);
    tool->public.examples = tool->examples.constraint.text;
    read_arguments(pass, arguments, &p);
    if (p.deprecated) tool->deprecated = read_deprecated(pass, p.deprecated);
    /* One that is no text was told of. */
    if (p.description.len || (!p.description.ptr && property_find(subject, "description"))) return;
    struct finding *f =
        FIND(pass->findings, D_MISSING_DESCRIPTION, pass->source, tool->name_at, tool->identifier);
    finding_help(pass->findings, f,
                 "add {description: \"what it does and when to use it\"}: the "
                 "model chooses by it");
}

/* The signature stands in a property, which was told of. */
static bool says_otherwise(const struct subject *subject) {
    const struct property *p = subject->properties;
    while (p && (tool_has_property(name_text(p->key)) || !meant_signature(name_text(p->key))))
        p = p->next;
    return p != NULL;
}

static void read_signature(struct pass *pass, struct tool *tool, const struct schema *arguments,
                           const struct pattern *pattern) {
    if (pattern->element_count == 0 && says_otherwise(pattern->subject)) return;
    if (pattern->element_count != 1) {
        struct finding *f =
            FIND(pass->findings, D_ONE_SIGNATURE, pass->source, tool->name_at, tool->identifier);
        if (pattern->element_count > 1)
            finding_help(pass->findings, f,
                         "arrows join parameters and result, not commas: "
                         "`(first::Text)==>(second::Int)==>(::Text)`");
        else
            finding_help(pass->findings, f, "write `[%.*s:Tool {...} | (name::Text)==>(::Text)]`",
                         TEXT_ARGS(tool->identifier));
        return;
    }
    tool->signature = signature_read(pass, pattern->elements);
    if (!tool->signature) return;
    signature_take(tool->signature, arguments);
    switch ((enum type_kind)tool->signature->result->kind) {
    case TYPE_STRING: tool->public.result_kind = GRAMC_RESULT_TEXT; break;
    case TYPE_NULL: tool->public.result_kind = GRAMC_RESULT_NULL; break;
    case TYPE_ANY:
    case TYPE_INTEGER:
    case TYPE_NUMBER:
    case TYPE_BOOLEAN:
    case TYPE_OBJECT:
    case TYPE_MAP:
    case TYPE_ARRAY:
    case TYPE_TUPLE:
    case TYPE_ANY_OF:
    case TYPE_ONE_OF:
    case TYPE_ALL_OF:
    case TYPE_KINDS: tool->public.result_kind = GRAMC_RESULT_JSON; break;
    }
}

/* What the model and the runtime would see of it; equal for two tools that mean the same. */
static void print_meaning(struct buf *out, const struct tool *tool) {
    tool_print_schemas(out, tool, SCHEMA_CHECKED);
    buf_printf(out, "%u %u %u %d %d", (unsigned)tool->public.timeout_ms,
               (unsigned)tool->public.max_call_errors, (unsigned)tool->public.max_tool_errors,
               tool->public.optional, tool->public.return_direct);
}

static bool mean_the_same(struct pass *pass, const struct tool *a, const struct tool *b) {
    struct buf texts[2];
    bool same = a->signature && b->signature;
    for (int i = 0; i < 2; i++) buf_init(&texts[i], &pass->arena->allocator, SOURCE_MAX);
    if (same) {
        print_meaning(&texts[0], a);
        print_meaning(&texts[1], b);
        same = text_eq(buf_view(&texts[0]), buf_view(&texts[1]));
    }
    for (int i = 0; i < 2; i++) {
        if (texts[i].state == BUF_NOMEM) pass->arena->oom = true;
        buf_free(&texts[i]);
    }
    return same;
}

/* At once: to walk along all tools later means to fetch each of them. */
static void list(struct gramc_spec *spec, struct tool *tool) {
    struct arena *arena = spec->tools.names.arena;
    const size_t count = spec->tools.count - 1;
    if (arena->oom) return;
    if ((count & (count - 1)) == 0) { /* full: the room is a power of two */
        struct tool **more = arena_array(arena, count ? 2 * count : 1, sizeof(void *));
        if (!more) return;
        if (count) memcpy(more, spec->tool_list, count * sizeof(void *));
        spec->tool_list = more;
    }
    spec->tool_list[count] = tool;
}

/* Returns the tool that the name stands for from now on. Whether a second one means the same is
 * known when all names are. */
static struct tool *add(struct gramc_spec *spec, struct tool *tool) {
    struct tool *first = registry_add(&spec->tools, tool->identifier, tool);
    if (first != tool) return first;
    list(spec, tool);
    *spec->last_tool = tool;
    spec->last_tool = &tool->next;
    return tool;
}

static bool is_complete(const struct signature *signature) {
    const struct field *p = signature ? signature->parameters : NULL;
    while (p && p->schema) p = p->next;
    return signature && !p;
}

static struct registered place(const void *thing) {
    const struct tool *tool = thing;
    return (struct registered){tool->source, tool->name_at};
}

/* What is not whole was reported. */
static bool is_same(struct pass *pass, void *first, void *other) {
    const struct tool *a = first, *b = other;
    if (is_complete(a->signature) && is_complete(b->signature)) return mean_the_same(pass, a, b);
    return findings_have_errors(pass->findings);
}

const struct registry_sort tool_sort = {D_DUPLICATE_TOOL, place, is_same};

bool tool_is_taken(struct pass *pass, const struct gramc_spec *spec, const struct tool *tool) {
    for (const struct twin *t = spec->tools.twins; t; t = t->next)
        if (t->first == tool && !is_same(pass, t->first, t->other)) return true;
    return false;
}

void tool_check(struct pass *pass, const struct tool *tool) {
    pass->source = tool->source;
    if (!tool->signature) return;
    uint32_t before = pass->findings->counts[GRAMC_ERROR];
    signature_check(pass, tool->signature);
    if (pass->findings->counts[GRAMC_ERROR] == before && tool->examples.document)
        signature_check_examples(pass, tool->signature, &tool->examples.constraint);
}

/* While all of it is at hand: later it has to be fetched again. What types and words of other
 * places have a say in waits for them. */
static void check_early(struct pass *pass, struct gramc_spec *spec, struct tool *tool) {
    if (spec->first_definition || (tool->signature && !is_complete(tool->signature))) {
        spec->has_late_tools = true;
        return;
    }
    tool->is_checked = true;
    tool_check(pass, tool);
    vocabulary_learn(pass, spec, tool);
}

struct tool *tool_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern) {
    struct schema arguments = {.kind = TYPE_OBJECT};
    struct tool *tool = ARENA_NEW(pass->arena, struct tool);
    gramc_text name = tool ? pattern_name(pass, pattern, "a tool") : (gramc_text){NULL, 0};
    if (!name.ptr) return NULL;
    tool->identifier = name;
    tool->name_at = name_span(pattern->subject->identifier);
    tool->source = pass->source;
    read_properties(pass, tool, &arguments, pattern->subject);
    read_signature(pass, tool, &arguments, pattern);
    struct tool *first = add(spec, tool);
    if (first == tool && !pass->arena->oom) check_early(pass, spec, tool);
    return first;
}

bool tool_has_property(gramc_text key) {
    return rows_have(rows, sizeof rows / sizeof *rows, key);
}
