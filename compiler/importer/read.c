/* Finds the tools in a document of JSON or YAML, or in JSON lines: which of the forms each item
 * has, what its name, description and schemas are. OpenAPI has a file of its own. */
#include "compiler/importer/parts.h"

#include "base/text.h"
#include "base/yaml/yaml.h"

#include <string.h>

enum { DEEPEST_CONTAINER = 8, LONGEST_DESCRIPTION = 1024 };

/* One way to write a tool down. `inside`: the member that holds the rest; `mark`: the member whose
 * presence tells the form. In the order in which they are asked. */
static const struct form {
    const char *kind, *inside, *mark, *parameters, *result;
    uint8_t dialect;
} forms[] = {
    {"openai", "function", "name", "parameters", NULL, IMPORT_DIALECT_SCHEMA},
    {"anthropic", NULL, "input_schema", "input_schema", NULL, IMPORT_DIALECT_SCHEMA},
    {"mcp", NULL, "inputSchema", "inputSchema", "outputSchema", IMPORT_DIALECT_SCHEMA},
    {"gemini", NULL, "parametersJsonSchema", "parametersJsonSchema", "responseJsonSchema",
     IMPORT_DIALECT_SCHEMA},
    {"jsonl", NULL, "response", "parameters", "response", IMPORT_DIALECT_SCHEMA},
    {"jsonl", NULL, "result", "parameters", "result", IMPORT_DIALECT_SCHEMA},
    {"openai-functions", NULL, "parameters", "parameters", NULL, IMPORT_DIALECT_SCHEMA},
    {"openai-functions", NULL, "name", "parameters", NULL, IMPORT_DIALECT_SCHEMA},
};

enum { FORMS = sizeof forms / sizeof *forms };

static const char *const kinds[] = {"openai", "openai-functions", "anthropic", "gemini",
                                    "mcp",    "json-schema",      "jsonl",     "openapi",
                                    "bundle"};

const char *gramc_import_kind(size_t i) {
    return i < sizeof kinds / sizeof *kinds ? kinds[i] : NULL;
}

void import_find(struct importer *in, enum diag_id id, const struct source *source,
                 const struct json *at, gramc_text first, gramc_text second) {
    struct span span = {at->start, at->end > at->start ? at->end : at->start};
    FIND(in->findings, id, source ? source : in->source, span, first, second);
}

/* ## One tool */

void import_open(struct importer *in, const struct json *document) {
    in->document = document;
    in->document_number++;
}

struct import_tool *import_add(struct importer *in, const struct json *at, gramc_text name,
                               gramc_text description) {
    struct import_tool *tool = ARENA_NEW(in->arena, struct import_tool);
    if (!tool) return NULL;
    *tool = (struct import_tool){
        .source = in->source, .at = at, .name = name, .description = description};
    if (!text_trim(description).len) {
        tool->description = (gramc_text){NULL, 0};
        import_find(in, D_IMPORT_DESCRIPTION, in->source, at, name, TEXT(""));
    }
    *in->last = tool;
    in->last = &tool->next;
    return tool;
}

static bool is_type(const struct json *value) {
    return json_is(value, JSON_OBJECT) && (json_is(json_get(value, "type"), JSON_STRING) ||
                                           json_is(json_get(value, "description"), JSON_STRING));
}

/* {"score": {"type": "int"}, ...}: the fields of a result without the object round them. */
static bool is_field_map(const struct json *value) {
    const struct json *member = json_is(value, JSON_OBJECT) ? value->first : NULL;
    if (!member) return false;
    while (member && is_type(member)) member = member->next;
    return member == NULL;
}

static struct json *field_map(struct importer *in, const struct json *value) {
    struct json *object = import_json(in->arena, JSON_OBJECT, TEXT(""), TEXT(""));
    struct json *fields = import_json(in->arena, JSON_OBJECT, TEXT("properties"), TEXT(""));
    if (!object || !fields) return NULL;
    object->start = value->start;
    object->end = value->end;
    fields->first = value->first;
    fields->count = value->count;
    import_append(object, import_json(in->arena, JSON_STRING, TEXT("type"), TEXT("object")));
    import_append(object, fields);
    return import_normalise(in, object);
}

static bool is_schema(const struct json *value) {
    return value && (value->kind == JSON_OBJECT || value->kind == JSON_TRUE);
}

void import_set_parameters(struct importer *in, struct import_tool *tool,
                           const struct json *parameters) {
    if (!is_schema(parameters)) return;
    tool->raw = parameters;
    in->root = parameters;
    tool->parameters = import_root(in, import_normalise(in, parameters));
    tool->is_schema = parameters == tool->at;
}

static void set_result(struct importer *in, struct import_tool *tool, const struct json *result) {
    if (is_field_map(result)) tool->result = field_map(in, result);
    else if (is_schema(result) || json_is(result, JSON_FALSE))
        tool->result = import_normalise(in, result);
}

/* ## Forms */

static bool is_wanted(const struct importer *in, const char *kind) {
    if (!in->kind.len || text_is(in->kind, kind)) return true;
    /* The two have one inside. */
    return text_is(in->kind, "jsonl") ||
           (text_is(in->kind, "gemini") && text_is(text_of(kind), "openai-functions"));
}

/* {"type": "web_search"}: a tool of the provider's own, which has a name but no schema. */
static bool is_providers_own(const struct json *item) {
    const struct json *type = json_get(item, "type");
    return json_is(type, JSON_STRING) && !text_is(type->text, "function");
}

static const struct form *form_of(const struct importer *in, const struct json *item) {
    for (size_t i = 0; i < FORMS; i++) {
        const struct json *inside = forms[i].inside ? json_get(item, forms[i].inside) : item;
        if (!json_is(inside, JSON_OBJECT) || !is_wanted(in, forms[i].kind)) continue;
        if (strcmp(forms[i].mark, "name") == 0 && is_providers_own(item)) continue;
        if (json_get(inside, forms[i].mark) && json_is(json_get(inside, "name"), JSON_STRING))
            return &forms[i];
    }
    return NULL;
}

/* Gemini's own schemas spell types in capitals. */
static bool is_upper(const struct json *schema) {
    gramc_text type = import_text(schema, "type");
    return type.len > 1 && type.ptr[0] >= 'A' && type.ptr[0] <= 'Z' && type.ptr[1] >= 'A' &&
           type.ptr[1] <= 'Z';
}

/* Members that are read, or that say nothing that the form itself does not say. */
static const char *const known[] = {"name",
                                    "description",
                                    "title",
                                    "annotations",
                                    "parameters",
                                    "response",
                                    "result",
                                    "deprecated",
                                    "examples",
                                    "input_examples",
                                    "type",
                                    "input_schema",
                                    "function",
                                    "inputSchema",
                                    "outputSchema",
                                    "parametersJsonSchema",
                                    "responseJsonSchema",
                                    NULL};
static const char *const round_function[] = {"type", "function", NULL};
static const char *const known_hints[] = {"readOnlyHint", "destructiveHint", "idempotentHint",
                                          "openWorldHint", NULL};

/* Hints that are no properties, and a second title. */
static void keep_hints(struct importer *in, struct import_tool *tool, const struct json *hints) {
    for (const struct json *m = json_is(hints, JSON_OBJECT) ? hints->first : NULL; m; m = m->next)
        if (m->kind != JSON_NULL && !import_in_list(m->key, known_hints) &&
            !(text_is(m->key, "title") && text_eq(m->text, tool->title)))
            import_keep(in, tool, "mcp", "annotations", m);
}

/* What is said twice in two forms is read once: the other is left out. */
static void report_others(struct importer *in, const struct form *form, const struct json *item,
                          const struct json *inside, struct import_tool *tool) {
    static const char *const schemas[] = {"parameters", "input_schema", "inputSchema",
                                          "parametersJsonSchema", NULL};
    const char *kind = in->dialect == IMPORT_DIALECT_GEMINI ? "gemini" : form->kind;
    for (const struct json *m = inside->first; m; m = m->next) {
        bool other_schema = import_in_list(m->key, schemas) && !text_is(m->key, form->parameters);
        bool setting = tool->settings && import_is_setting(m->key);
        bool other = !import_in_list(m->key, known) && !setting;
        if (m->kind == JSON_NULL) continue;
        if (other) import_keep_others(in, tool, kind, m);
        else if (other_schema) import_lose(in, m, tool, NULL);
    }
    if (inside != item) import_lose_others(in, item, round_function, tool, NULL);
    keep_hints(in, tool, json_get(inside, "annotations"));
}

static void read_words(struct import_tool *tool, const struct json *inside) {
    const struct json *deprecated = json_get(inside, "deprecated");
    const struct json *examples = json_get(inside, "examples");
    const struct json *annotations = json_get(inside, "annotations");
    if (!examples) examples = json_get(inside, "input_examples");
    if (json_is(deprecated, JSON_TRUE)) tool->deprecated = TEXT("true");
    if (json_is(deprecated, JSON_STRING)) tool->deprecated = deprecated->text;
    tool->title = import_text(inside, "title");
    if (!tool->title.len && annotations) tool->title = import_text(annotations, "title");
    if (json_is(annotations, JSON_OBJECT)) tool->annotations = annotations;
    if (json_is(examples, JSON_ARRAY)) tool->examples = examples;
}

static struct import_tool *read_form(struct importer *in, const struct form *form,
                                     const struct json *item) {
    const struct json *inside = form->inside ? json_get(item, form->inside) : item;
    const struct json *parameters = json_get(inside, form->parameters);
    gramc_text given = import_text(inside, "name");
    struct import_subject subject = {.operation = given, .operation_name = given, .name = given};
    if (!import_is_wanted(in, &subject)) return NULL;
    bool gemini = text_is(in->kind, "gemini") || is_upper(parameters);
    in->dialect = gemini ? IMPORT_DIALECT_GEMINI : form->dialect;
    struct import_tool *tool =
        import_add(in, inside, import_name(in, &subject), import_text(inside, "description"));
    if (!tool) return NULL;
    read_words(tool, inside);
    if (form->result && strcmp(form->mark, "result") == 0) tool->settings = inside;
    import_open(in, json_is(parameters, JSON_OBJECT) ? parameters : item);
    import_set_parameters(in, tool, parameters);
    const struct json *result = form->result ? json_get(inside, form->result) : NULL;
    if (!result) result = json_get(inside, "response");
    if (json_is(result, JSON_OBJECT)) import_open(in, result);
    if (result) set_result(in, tool, result);
    report_others(in, form, item, inside, tool);
    in->dialect = IMPORT_DIALECT_SCHEMA;
    return tool;
}

/* ## Plain JSON Schema: the arguments of one tool */

static gramc_text stem(gramc_text path) {
    size_t start = path.len;
    while (start > 0 && path.ptr[start - 1] != '/') start--;
    gramc_text name = text_slice(path, start, path.len);
    size_t end = 0;
    while (end < name.len && name.ptr[end] != '.') end++;
    return end ? text_slice(name, 0, end) : TEXT("tool");
}

static bool reads_as_schema(const struct importer *in, const struct json *item) {
    if (text_is(in->kind, "json-schema")) return true;
    return !in->kind.len && (json_get(item, "$schema") || json_get(item, "properties") ||
                             json_get(item, "$defs") || json_get(item, "$ref"));
}

static struct import_tool *read_schema(struct importer *in, const struct json *item) {
    gramc_text title = import_text(item, "title");
    gramc_text given = title.len ? title : stem(in->source->name);
    struct import_subject subject = {.operation = given, .operation_name = given, .name = given};
    if (!import_is_wanted(in, &subject)) return NULL;
    struct import_tool *tool =
        import_add(in, item, import_name(in, &subject), import_text(item, "description"));
    if (!tool) return NULL;
    import_open(in, item);
    import_set_parameters(in, tool, item);
    return tool;
}

struct import_tool *import_item(struct importer *in, const struct json *item) {
    const struct form *form = form_of(in, item);
    if (form) return read_form(in, form, item);
    if (reads_as_schema(in, item)) return read_schema(in, item);
    import_find(in, D_IMPORT_NO_TOOL, in->source, item, TEXT(""), TEXT(""));
    return NULL;
}

/* ## Containers */

static void read_item(struct importer *in, const struct json *item, unsigned depth);

/* Of an envelope of JSON-RPC and of a list of tools. */
static const char *const round_tools[] = {"jsonrpc",
                                          "id",
                                          "result",
                                          "tools",
                                          "functions",
                                          "functionDeclarations",
                                          "function_declarations",
                                          NULL};

/* {"tools": [...]}, {"result": {"tools": [...]}}, {"functionDeclarations": [...]}... */
static bool read_container(struct importer *in, const struct json *item, unsigned depth) {
    static const char *const lists[] = {"tools", "functions", "functionDeclarations",
                                        "function_declarations"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct json *list = json_get(item, lists[i]);
        if (!json_is(list, JSON_ARRAY)) continue;
        read_item(in, list, depth + 1);
        import_lose_others(in, item, round_tools, NULL, "the document");
        return true;
    }
    const struct json *result = json_get(item, "result");
    if (!json_is(json_get(result, "tools"), JSON_ARRAY)) return false;
    read_item(in, result, depth + 1);
    import_lose_others(in, item, round_tools, NULL, "the document");
    return true;
}

static void read_object(struct importer *in, const struct json *item, unsigned depth) {
    bool openapi = json_is(json_get(item, "openapi"), JSON_STRING) ||
                   json_is(json_get(item, "swagger"), JSON_STRING);
    /* A schema has whatever keywords it likes. */
    if (text_is(in->kind, "json-schema")) import_item(in, item);
    else if (openapi || text_is(in->kind, "openapi")) import_openapi(in, item);
    else if (import_is_bundle(item)) import_bundle(in, item);
    else if (!read_container(in, item, depth)) import_item(in, item);
}

/* Recursion is bounded by DEEPEST_CONTAINER. */
static void read_item(struct importer *in, const struct json *item, unsigned depth) {
    if (in->arena->oom) return;
    if (item->kind == JSON_ARRAY && depth < DEEPEST_CONTAINER)
        for (const struct json *inner = item->first; inner; inner = inner->next)
            read_item(in, inner, depth + 1);
    else if (item->kind == JSON_OBJECT && depth < DEEPEST_CONTAINER) read_object(in, item, depth);
    else import_find(in, D_IMPORT_NO_TOOL, in->source, item, TEXT(""), TEXT(""));
}

/* ## Documents */

/* Places in a line become places in the file. Recursion is bounded by JSON_MAX_DEPTH. */
static void move(struct json *value, uint32_t by) {
    for (; value; value = value->next) {
        value->start += by;
        value->end += by;
        value->key_start += by;
        move(value->first, by);
    }
}

static bool not_json(struct importer *in, const struct source *source, size_t at,
                     const char *message) {
    struct span span = {(uint32_t)at, (uint32_t)at};
    if (!in->arena->oom) FIND(in->findings, D_IMPORT_NOT_JSON, source, span, text_of(message));
    return false;
}

static bool read_lines(struct importer *in, const struct source *source) {
    gramc_text text = source->text;
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        struct json_error error = {0};
        while (pos < text.len && text.ptr[pos] != '\n') pos++;
        gramc_text line = text_slice(text, start, pos++);
        if (!text_trim(line).len) continue;
        struct json *item = json_parse(in->arena, line, &error);
        if (!item) return not_json(in, source, start + error.position, error.message);
        move(item, (uint32_t)start);
        read_item(in, item, 0);
    }
    return true;
}

/* The first line is a document of its own, and there are more. */
static bool is_lines(struct importer *in, gramc_text text) {
    size_t end = 0;
    while (end < text.len && text.ptr[end] != '\n') end++;
    if (!text_trim(text_slice(text, end, text.len)).len) return false;
    return json_parse(in->arena, text_slice(text, 0, end), NULL) != NULL;
}

/* JSON, by its first character or by what the caller said; anything else may be YAML. */
static bool looks_like_json(gramc_text text) {
    gramc_text rest = text_trim(text);
    return !rest.len || rest.ptr[0] == '{' || rest.ptr[0] == '[' || rest.ptr[0] == '"';
}

static bool not_yaml(struct importer *in, const struct source *source,
                     const struct yaml_error *error) {
    struct span span = {error->start, error->start};
    if (!in->arena->oom)
        FIND(in->findings, D_IMPORT_NOT_YAML, source, span, text_of(error->message));
    return false;
}

static bool read_yaml(struct importer *in, const struct source *source) {
    struct yaml_error error;
    struct yaml *tree;
    gramc_status status = yaml_read_within(&tree, in->arena, source->text, &yaml_large, &error);
    if (status == GRAMC_NOMEM) in->arena->oom = true;
    const struct json *document =
        status == GRAMC_OK ? yaml_json(in->arena, tree, &yaml_large, &error) : NULL;
    if (!document) return not_yaml(in, source, &error);
    read_item(in, document, 0);
    return true;
}

bool import_read(struct importer *in, const struct source *source) {
    struct json_error error = {0};
    gramc_text text = source->text;
    in->source = source;
    if (text_starts(text, "\xEF\xBB\xBF"))
        return not_json(in, source, 0, "a byte order mark stands in front");
    if (!looks_like_json(text)) return read_yaml(in, source);
    if (is_lines(in, text)) return read_lines(in, source);
    const struct json *document = json_parse(in->arena, text, &error);
    if (!document) return not_json(in, source, error.position, error.message);
    read_item(in, document, 0);
    return true;
}
