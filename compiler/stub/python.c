/* Skeletons in Python: a TypedDict for each record, a function for each tool, and the loop of the
 * kind. Needs Python 3.11 and nothing besides. */
#include "compiler/stub/stub.h"

#include "base/text.h"

static void put_type(struct stub *s, struct buf *out, const struct json *schema, gramc_text hint);

static void put_json_text(struct buf *out, const struct json *value) {
    if (value->kind == JSON_TRUE || value->kind == JSON_FALSE || value->kind == JSON_NULL)
        buf_puts(out, value->kind == JSON_TRUE    ? "True"
                      : value->kind == JSON_FALSE ? "False"
                                                  : "None");
    else json_put(out, value);
}

static bool is_literal(const struct json *v) {
    if (v->kind == JSON_NUMBER) return json_number_is_written_whole(v->text);
    return v->kind != JSON_ARRAY && v->kind != JSON_OBJECT;
}

/* Numbers with a point, lists and objects cannot stand in a Literal. */
static void put_values(struct buf *out, const struct json *schema) {
    bool fits = true, is_list = json_is(json_get(schema, "enum"), JSON_ARRAY);
    for (const struct json *v = stub_values(schema); v; v = is_list ? v->next : NULL)
        fits = fits && is_literal(v);
    buf_puts(out, fits ? "Literal[" : "Any");
    for (const struct json *v = stub_values(schema); v && fits; v = is_list ? v->next : NULL) {
        if (v != stub_values(schema)) buf_puts(out, ", ");
        put_json_text(out, v);
    }
    if (fits) buf_puts(out, "]");
}

static void put_union(struct stub *s, struct buf *out, const struct json *schema, gramc_text hint) {
    buf_puts(out, "Union[");
    for (const struct json *m = stub_members(schema); m; m = m->next) {
        if (m != stub_members(schema)) buf_puts(out, ", ");
        put_type(s, out, m, hint);
    }
    buf_puts(out, "]");
}

/* Fields whose names are none of Python's are said in the other syntax. */
static bool has_plain_fields(const struct json *fields) {
    for (const struct json *f = fields->first; f; f = f->next)
        if (!stub_is_identifier(&stub_python, f->key)) return false;
    return true;
}

/* In the other syntax types are texts, as they may name what comes later. */
static void put_field_type(struct stub *s, struct buf *out, const struct json *field, bool is_there,
                           bool is_plain) {
    struct buf type;
    buf_init(&type, &s->arena->allocator, 1 << 20);
    if (!is_there) buf_puts(&type, "NotRequired[");
    put_type(s, &type, field, field->key);
    if (!is_there) buf_putc(&type, ']');
    if (is_plain) buf_text(out, buf_view(&type));
    else json_put_string(out, buf_view(&type));
    if (type.state != BUF_FINE) out->state = type.state;
    buf_free(&type);
}

static void put_field(struct stub *s, struct buf *out, const struct json *schema,
                      const struct json *field, bool is_plain) {
    stub_comment(out, "    #", stub_description(field));
    stub_comment(out, "    # Checked, not typed:", stub_bounds(s, field));
    buf_puts(out, "    ");
    if (is_plain) buf_text(out, field->key);
    else json_put_string(out, field->key);
    buf_puts(out, ": ");
    put_field_type(s, out, field, stub_is_there(schema, field), is_plain);
    buf_puts(out, is_plain ? "\n" : ",\n");
}

static void put_record_body(struct stub *s, struct buf *out, const struct json *schema,
                            gramc_text name) {
    const struct json *fields = json_get(schema, "properties");
    const struct json *first = json_is(fields, JSON_OBJECT) ? fields->first : NULL;
    bool is_plain = !first || has_plain_fields(fields);
    if (is_plain) buf_printf(out, "class %.*s(TypedDict):\n", TEXT_ARGS(name));
    else buf_printf(out, "%.*s = TypedDict(\"%.*s\", {\n", TEXT_ARGS(name), TEXT_ARGS(name));
    for (const struct json *f = first; f; f = f->next) put_field(s, out, schema, f, is_plain);
    buf_puts(out, !is_plain ? "})\n\n\n" : first ? "\n\n" : "    pass\n\n\n");
}

/* A record in place gets a name of its own; its definition comes before what is being written. */
static void put_record(struct stub *s, struct buf *out, const struct json *schema,
                       gramc_text hint) {
    gramc_text name = stub_name(s, hint, true);
    struct buf body;
    buf_init(&body, &s->arena->allocator, 1 << 24);
    put_record_body(s, &body, schema, name);
    stub_append(&s->later, &body);
    buf_text(out, name);
}

static void put_simple(struct stub *s, struct buf *out, enum stub_shape shape,
                       const struct json *schema, gramc_text hint) {
    static const char *const names[] = {
        [SHAPE_ANY] = "Any",      [SHAPE_TEXT] = "str",       [SHAPE_INTEGER] = "int",
        [SHAPE_NUMBER] = "float", [SHAPE_BOOLEAN] = "bool",   [SHAPE_NULL] = "None",
        [SHAPE_ARRAY] = "List",   [SHAPE_MAP] = "Dict[str, ", [SHAPE_TYPES] = ""};
    const struct json *items = json_get(schema, "items");
    const struct json *values = json_get(schema, "additionalProperties");
    buf_puts(out, names[shape]);
    if (shape == SHAPE_ARRAY) {
        bool known = json_is(items, JSON_OBJECT) && !json_get(schema, "prefixItems");
        buf_putc(out, '[');
        if (known) put_type(s, out, items, hint);
        else buf_puts(out, "Any");
        buf_putc(out, ']');
    }
    if (shape == SHAPE_MAP) {
        if (json_is(values, JSON_OBJECT)) put_type(s, out, values, hint);
        else buf_puts(out, "Any");
        buf_putc(out, ']');
    }
}

static void put_types(struct stub *s, struct buf *out, const struct json *schema, gramc_text hint) {
    const struct json *list = json_get(schema, "type");
    buf_puts(out, "Union[");
    for (const struct json *t = list->first; t; t = t->next) {
        if (t != list->first) buf_puts(out, ", ");
        put_simple(s, out, json_is(t, JSON_STRING) ? stub_type_shape(t->text) : SHAPE_ANY, schema,
                   hint);
    }
    buf_puts(out, "]");
}

static void put_type(struct stub *s, struct buf *out, const struct json *schema, gramc_text hint) {
    enum stub_shape shape = stub_shape(schema);
    switch (shape) {
    case SHAPE_REFERENCE: {
        const gramc_text *name = map_get(&s->types, stub_reference(s->arena, schema));
        buf_text(out, name ? *name : TEXT("Any"));
        break;
    }
    case SHAPE_VALUES: put_values(out, schema); break;
    case SHAPE_UNION: put_union(s, out, schema, hint); break;
    case SHAPE_RECORD: put_record(s, out, schema, hint); break;
    case SHAPE_TYPES: put_types(s, out, schema, hint); break;
    default: put_simple(s, out, shape, schema, hint);
    }
}

/* ## Named types */

static void put_named(struct stub *s, const struct json *definition) {
    const gramc_text *name = map_get(&s->types, definition->key);
    struct buf body;
    if (!name) return;
    buf_init(&body, &s->arena->allocator, 1 << 24);
    stub_comment(&body, "#", stub_description(definition));
    stub_comment(&body, "# Checked, not typed:", stub_bounds(s, definition));
    if (stub_shape(definition) == SHAPE_RECORD) put_record_body(s, &body, definition, *name);
    else {
        struct buf type;
        buf_init(&type, &s->arena->allocator, 1 << 20);
        put_type(s, &type, definition, definition->key);
        buf_printf(&body, "%.*s: TypeAlias = ", TEXT_ARGS(*name));
        json_put_string(&body, buf_view(&type)); /* may name what comes later */
        buf_puts(&body, "\n\n\n");
        if (type.state != BUF_FINE) body.state = type.state;
        buf_free(&type);
    }
    stub_append(s->out, &s->later);
    stub_append(s->out, &body);
}

/* ## Tools */

/* Strings and numbers of JSON are Python's as well. */
static void put_sample(struct buf *out, const struct json *value) {
    bool is_list = value->kind == JSON_ARRAY, is_object = value->kind == JSON_OBJECT;
    if (!is_list && !is_object) {
        put_json_text(out, value);
        return;
    }
    buf_putc(out, is_list ? '[' : '{');
    for (const struct json *v = value->first; v; v = v->next) {
        if (v != value->first) buf_puts(out, ", ");
        if (is_object) {
            json_put_string(out, v->key);
            buf_puts(out, ": ");
        }
        put_sample(out, v);
    }
    buf_putc(out, is_list ? ']' : '}');
}

/* Which member of a union a list or an object is, type checkers do not always find out. */
static void put_answer(struct stub *s, const struct stub_tool *t, gramc_text type) {
    const struct json *sample = json_parse(s->arena, t->sample, NULL);
    const struct json *result = stub_behind_reference(s, t->result);
    enum stub_shape shape = result ? stub_shape(result) : SHAPE_ANY;
    bool is_union = shape == SHAPE_UNION || shape == SHAPE_TYPES;
    bool is_cast = is_union && (json_is(sample, JSON_ARRAY) || json_is(sample, JSON_OBJECT));
    buf_puts(s->out, "    return ");
    if (is_cast) {
        buf_puts(s->out, "cast(");
        json_put_string(s->out, type); /* may name what comes later */
        buf_puts(s->out, ", ");
    }
    if (sample) put_sample(s->out, sample);
    buf_puts(s->out, is_cast ? ")\n\n\n" : "\n\n\n");
}

static void put_tool(struct stub *s, const struct stub_tool *t) {
    struct buf result, body;
    buf_init(&result, &s->arena->allocator, 1 << 20);
    buf_init(&body, &s->arena->allocator, 1 << 24);
    put_record_body(s, &body, t->parameters, t->type);
    put_type(s, &result, t->result, t->tool->name);
    stub_append(s->out, &s->later);
    stub_append(s->out, &body);
    buf_printf(s->out, "def %.*s(arguments: %.*s) -> %.*s:\n", TEXT_ARGS(t->function),
               TEXT_ARGS(t->type), TEXT_ARGS(buf_view(&result)));
    stub_comment(s->out, "    #", t->tool->description);
    stub_comment(s->out, "    # Result, checked and not typed:", stub_bounds(s, t->result));
    buf_puts(s->out, "    # TODO: do it; this answer only has the right type.\n");
    put_answer(s, t, buf_view(&result));
    if (result.state != BUF_FINE) s->out->state = result.state;
    buf_free(&result);
}

static const char exec_loop[] = "def main() -> None:\n"
                                "    name = sys.argv[1]\n"
                                "    result = TOOLS[name](json.load(sys.stdin))\n"
                                "    if name in TEXTS:\n"
                                "        print(result)\n"
                                "    elif result is not None or name not in NOTHINGS:\n"
                                "        json.dump(result, sys.stdout)\n";

static const char staying_loop[] =
    "def main() -> None:\n"
    "    # A request a line, an answer a line; what is printed besides goes to standard error.\n"
    "    out, sys.stdout = sys.stdout, sys.stderr\n"
    "    for line in sys.stdin:\n"
    "        request = json.loads(line)\n"
    "        answer: Dict[str, Any] = {\"id\": request[\"id\"]}\n"
    "        try:\n"
    "            answer[\"result\"] = TOOLS[request[\"tool\"]](request[\"arguments\"])\n"
    "        except Exception as error:\n"
    "            answer[\"error\"] = str(error) or type(error).__name__\n"
    "        print(json.dumps(answer), file=out, flush=True)\n";

static const char mcp_loop[] =
    "def answer(method: str, params: Dict[str, Any]) -> Any:\n"
    "    if method == \"initialize\":\n"
    "        return {\"protocolVersion\": params.get(\"protocolVersion\", \"2025-06-18\"),\n"
    "                \"capabilities\": {\"tools\": {}}, \"serverInfo\": {\"name\": \"tools\", "
    "\"version\": \"0.1.0\"}}\n"
    "    if method == \"ping\":\n"
    "        return {}\n"
    "    if method == \"tools/list\":\n"
    "        return {\"tools\": OFFERED}\n"
    "    if method == \"tools/call\" and params.get(\"name\") in TOOLS:\n"
    "        try:\n"
    "            result = TOOLS[params[\"name\"]](params.get(\"arguments\") or {})\n"
    "        except Exception as error:\n"
    "            return {\"content\": [{\"type\": \"text\", \"text\": str(error)}], \"isError\": "
    "True}\n"
    "        text = result if params[\"name\"] in TEXTS else json.dumps(result)\n"
    "        reply: Dict[str, Any] = {\"content\": [{\"type\": \"text\", \"text\": text}]}\n"
    "        if isinstance(result, dict):\n"
    "            reply[\"structuredContent\"] = result\n"
    "        return reply\n"
    "    return None\n"
    "\n"
    "\n"
    "def main() -> None:\n"
    "    # JSON-RPC, a message a line; what is printed besides goes to standard error.\n"
    "    out, sys.stdout = sys.stdout, sys.stderr\n"
    "    for line in sys.stdin:\n"
    "        message = json.loads(line)\n"
    "        if \"id\" not in message or \"method\" not in message:\n"
    "            continue\n"
    "        reply: Dict[str, Any] = {\"jsonrpc\": \"2.0\", \"id\": message[\"id\"]}\n"
    "        result = answer(message[\"method\"], message.get(\"params\") or {})\n"
    "        if result is None:\n"
    "            reply[\"error\"] = {\"code\": -32601, \"message\": \"there is no such method or "
    "tool\"}\n"
    "        else:\n"
    "            reply[\"result\"] = result\n"
    "        print(json.dumps(reply), file=out, flush=True)\n";

static const char *const loops[STUB_KINDS] = {
    [STUB_EXEC] = exec_loop, [STUB_STAYING] = staying_loop, [STUB_MCP] = mcp_loop};

/* ## The program */

static void put_names(struct stub *s, const char *set, gramc_result_kind kind) {
    bool any = false;
    buf_printf(s->out, "%s: Set[str] = ", set);
    for (size_t i = 0; i < s->count; i++) {
        if (s->tools[i].tool->result_kind != kind) continue;
        buf_puts(s->out, any ? ", " : "{");
        json_put_string(s->out, s->tools[i].tool->name);
        any = true;
    }
    buf_puts(s->out, any ? "}\n" : "set()\n");
}

static void put_schema(struct stub *s, const char *name, gramc_text schema) {
    if (!schema.len) return;
    buf_printf(s->out, ",\n     \"%s\": json.loads(", name);
    json_put_string(s->out, schema);
    buf_putc(s->out, ')');
}

static void put_offered(struct stub *s) {
    buf_puts(s->out, "OFFERED: List[Dict[str, Any]] = [\n");
    for (size_t i = 0; i < s->count; i++) {
        const struct stub_tool *t = &s->tools[i];
        buf_puts(s->out, "    {\"name\": ");
        json_put_string(s->out, t->tool->name);
        buf_puts(s->out, ", \"description\": ");
        json_put_string(s->out, t->tool->description);
        put_schema(s, "inputSchema", t->tool->parameters);
        put_schema(s, "outputSchema", stub_output_schema(s, t));
        buf_puts(s->out, "},\n");
    }
    buf_puts(s->out, "]\n");
}

static void put_table(struct stub *s) {
    buf_puts(s->out, "TOOLS: Dict[str, Callable[[Any], Any]] = {\n");
    for (size_t i = 0; i < s->count; i++) {
        buf_puts(s->out, "    ");
        json_put_string(s->out, s->tools[i].tool->name);
        buf_printf(s->out, ": %.*s,\n", TEXT_ARGS(s->tools[i].function));
    }
    buf_puts(s->out, "}\n");
    if (s->kind != STUB_STAYING) put_names(s, "TEXTS", GRAMC_RESULT_TEXT);
    if (s->kind == STUB_EXEC) put_names(s, "NOTHINGS", GRAMC_RESULT_NULL);
    if (s->kind == STUB_MCP) put_offered(s);
    buf_puts(s->out, "\n\n");
}

static void print(struct stub *s) {
    static const char *const own[] = {
        "json",      "sys",       "main",        "answer",   "TOOLS",       "TEXTS",    "Any",
        "Dict",      "List",      "Union",       "Literal",  "NotRequired", "NOTHINGS", "OFFERED",
        "TypeAlias", "TypedDict", "annotations", "Callable", "Set",         "cast"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) stub_take(s, own[i]);
    stub_name_all(s);
    buf_puts(s->out,
             "\"\"\"Tools of a spec. gramc checks arguments and fills in defaults before it calls, "
             "and checks results.\"\"\"\n"
             "from __future__ import annotations\n\n"
             "import json\nimport sys\n"
             "from typing import Any, Callable, Dict, List, Literal, NotRequired, Set, TypeAlias, "
             "TypedDict, Union, cast\n\n\n");
    for (size_t i = 0; i < s->definition_count; i++) put_named(s, s->definitions[i]);
    for (size_t i = 0; i < s->count; i++) put_tool(s, &s->tools[i]);
    put_table(s);
    buf_puts(s->out, loops[s->kind]);
    buf_puts(s->out, "\n\nif __name__ == \"__main__\":\n    main()\n");
}

const struct stub_language stub_python = {
    "python",
    "tools.py",
    "python3",
    1 << STUB_EXEC | 1 << STUB_STAYING | 1 << STUB_MCP,
    " False None True and as assert async await break class continue def del elif else except "
    "finally for from global if import in is lambda nonlocal not or pass raise return try while "
    "with yield match case type print len str int float bool list dict set ",
    false,
    print};
