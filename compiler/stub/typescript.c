/* Skeletons in TypeScript: a type for each record, a function for each tool, and the loop of the
 * kind. Types only, nothing that has to be compiled: Node runs the file as it is from 22.18 on. */
#include "compiler/stub/stub.h"

#include "base/text.h"

static void put_type(struct stub *s, struct buf *out, const struct json *schema);

static void put_values(struct buf *out, const struct json *schema) {
    bool is_list = json_is(json_get(schema, "enum"), JSON_ARRAY);
    const struct json *first = stub_values(schema);
    bool fits = first != NULL;
    for (const struct json *v = first; v; v = is_list ? v->next : NULL)
        fits = fits && v->kind != JSON_ARRAY && v->kind != JSON_OBJECT;
    if (!fits) buf_puts(out, "unknown");
    for (const struct json *v = first; v && fits; v = is_list ? v->next : NULL) {
        if (v != first) buf_puts(out, " | ");
        json_put(out, v);
    }
}

static void put_field_name(struct buf *out, gramc_text name) {
    if (stub_is_identifier(&stub_typescript, name)) buf_text(out, name);
    else json_put_string(out, name);
}

static void put_record(struct stub *s, struct buf *out, const struct json *schema) {
    const struct json *fields = json_get(schema, "properties");
    buf_puts(out, "{");
    for (const struct json *f = json_is(fields, JSON_OBJECT) ? fields->first : NULL; f;
         f = f->next) {
        if (f != fields->first) buf_puts(out, "; ");
        put_field_name(out, f->key);
        buf_puts(out, stub_is_there(schema, f) ? ": " : "?: ");
        put_type(s, out, f);
    }
    buf_puts(out, "}");
}

static void put_simple(struct stub *s, struct buf *out, enum stub_shape shape,
                       const struct json *schema) {
    static const char *const names[] = {
        [SHAPE_ANY] = "unknown",   [SHAPE_TEXT] = "string",           [SHAPE_INTEGER] = "number",
        [SHAPE_NUMBER] = "number", [SHAPE_BOOLEAN] = "boolean",       [SHAPE_NULL] = "null",
        [SHAPE_ARRAY] = "Array<",  [SHAPE_MAP] = "{[name: string]: ", [SHAPE_TYPES] = ""};
    const struct json *items = json_get(schema, "items");
    const struct json *values = json_get(schema, "additionalProperties");
    bool is_array = shape == SHAPE_ARRAY, is_map = shape == SHAPE_MAP;
    const struct json *inner = is_array && !json_get(schema, "prefixItems") ? items
                               : is_map                                     ? values
                                                                            : NULL;
    buf_puts(out, names[shape]);
    if (!is_array && !is_map) return;
    if (json_is(inner, JSON_OBJECT)) put_type(s, out, inner);
    else buf_puts(out, "unknown");
    buf_puts(out, is_map ? "}" : ">");
}

static void put_types(struct stub *s, struct buf *out, const struct json *schema) {
    const struct json *list = json_get(schema, "type");
    for (const struct json *t = list->first; t; t = t->next) {
        if (t != list->first) buf_puts(out, " | ");
        put_simple(s, out, json_is(t, JSON_STRING) ? stub_type_shape(t->text) : SHAPE_ANY, schema);
    }
}

static void put_union(struct stub *s, struct buf *out, const struct json *schema) {
    for (const struct json *m = stub_members(schema); m; m = m->next) {
        if (m != stub_members(schema)) buf_puts(out, " | ");
        put_type(s, out, m);
    }
}

static void put_type(struct stub *s, struct buf *out, const struct json *schema) {
    enum stub_shape shape = stub_shape(schema);
    switch (shape) {
    case SHAPE_REFERENCE: {
        const gramc_text *name = map_get(&s->types, stub_reference(s->arena, schema));
        buf_text(out, name ? *name : TEXT("unknown"));
        break;
    }
    case SHAPE_VALUES: put_values(out, schema); break;
    case SHAPE_UNION: put_union(s, out, schema); break;
    case SHAPE_RECORD: put_record(s, out, schema); break;
    case SHAPE_TYPES: put_types(s, out, schema); break;
    default: put_simple(s, out, shape, schema);
    }
}

/* A record at the top has a field a line. */
static void put_declaration(struct stub *s, gramc_text name, const struct json *schema) {
    const struct json *fields = json_get(schema, "properties");
    bool is_record = stub_shape(schema) == SHAPE_RECORD;
    buf_printf(s->out,
               is_record ? "export interface %.*s {\n" : "export type %.*s = ", TEXT_ARGS(name));
    for (const struct json *f = is_record ? fields->first : NULL; f; f = f->next) {
        stub_comment(s->out, "  //", stub_description(f));
        stub_comment(s->out, "  // Checked, not typed:", stub_bounds(s, f));
        buf_puts(s->out, "  ");
        put_field_name(s->out, f->key);
        buf_puts(s->out, stub_is_there(schema, f) ? ": " : "?: ");
        put_type(s, s->out, f);
        buf_puts(s->out, ";\n");
    }
    if (!is_record) put_type(s, s->out, schema);
    buf_puts(s->out, is_record ? "}\n\n" : ";\n\n");
}

static void put_tool(struct stub *s, const struct stub_tool *t) {
    put_declaration(s, t->type, t->parameters);
    stub_comment(s->out, "//", t->tool->description);
    stub_comment(s->out, "// Result, checked and not typed:", stub_bounds(s, t->result));
    buf_printf(s->out, "export async function %.*s(args: %.*s): Promise<", TEXT_ARGS(t->function),
               TEXT_ARGS(t->type));
    put_type(s, s->out, t->result);
    buf_puts(s->out, "> {\n  // TODO: do it; this answer only has the right type.\n  return ");
    buf_text(s->out, t->sample.len ? t->sample : TEXT("null"));
    buf_puts(s->out, ";\n}\n\n");
}

static const char exec_loop[] =
    "const name = process.argv[2];\n"
    "const result = await TOOLS[name](JSON.parse(readFileSync(0, \"utf8\")));\n"
    "if (TEXTS.has(name)) console.log(result);\n"
    "else if (!NOTHINGS.has(name)) console.log(JSON.stringify(result));\n";

/* Node's readline would cut lines at U+2028, which may stand in JSON. */
static const char lines[] = "async function* lines(): AsyncGenerator<string> {\n"
                            "  let rest = \"\";\n"
                            "  process.stdin.setEncoding(\"utf8\");\n"
                            "  for await (const piece of process.stdin) {\n"
                            "    const whole = (rest + piece).split(\"\\n\");\n"
                            "    rest = whole.pop() ?? \"\";\n"
                            "    yield* whole;\n"
                            "  }\n"
                            "}\n\n";

static const char staying_loop[] =
    "// A request a line, an answer a line; what is logged besides goes to standard error.\n"
    "console.log = console.error;\n"
    "for await (const line of lines()) {\n"
    "  const request = JSON.parse(line);\n"
    "  let answer: Record<string, unknown>;\n"
    "  try {\n"
    "    answer = {id: request.id, result: await TOOLS[request.tool](request.arguments)};\n"
    "  } catch (error) {\n"
    "    answer = {id: request.id, error: String(error)};\n"
    "  }\n"
    "  process.stdout.write(JSON.stringify(answer) + \"\\n\");\n"
    "}\n";

static const char mcp_loop[] =
    "async function answer(method: string, params: any): Promise<unknown> {\n"
    "  if (method === \"initialize\")\n"
    "    return {protocolVersion: params.protocolVersion ?? \"2025-06-18\", capabilities: {tools: "
    "{}}, serverInfo: {name: \"tools\", version: \"0.1.0\"}};\n"
    "  if (method === \"ping\") return {};\n"
    "  if (method === \"tools/list\") return `{\"tools\":[${OFFERED.join()}]}`;\n"
    "  if (method !== \"tools/call\" || !Object.hasOwn(TOOLS, params.name)) return undefined;\n"
    "  try {\n"
    "    const result = await TOOLS[params.name](params.arguments ?? {});\n"
    "    const content = [{type: \"text\", text: TEXTS.has(params.name) ? result : "
    "JSON.stringify(result)}];\n"
    "    const isObject = typeof result === \"object\" && result !== null && "
    "!Array.isArray(result);\n"
    "    return isObject ? {content, structuredContent: result} : {content};\n"
    "  } catch (error) {\n"
    "    return {content: [{type: \"text\", text: String(error)}], isError: true};\n"
    "  }\n"
    "}\n"
    "\n"
    "// JSON-RPC, a message a line; what is logged besides goes to standard error.\n"
    "console.log = console.error;\n"
    "for await (const line of lines()) {\n"
    "  const message = JSON.parse(line);\n"
    "  if (message.id === undefined || message.method === undefined) continue;\n"
    "  const result = await answer(message.method, message.params ?? {});\n"
    "  const reply = result === undefined ? '\"error\":{\"code\":-32601,\"message\":\"there is no "
    "such method or tool\"}'\n"
    "    : `\"result\":${typeof result === \"string\" ? result : JSON.stringify(result)}`;\n"
    "  "
    "process.stdout.write(`{\"jsonrpc\":\"2.0\",\"id\":${JSON.stringify(message.id)},${reply}}\\n`"
    ");\n"
    "}\n";

static const char *const loops[STUB_KINDS] = {
    [STUB_EXEC] = exec_loop, [STUB_STAYING] = staying_loop, [STUB_MCP] = mcp_loop};

static void put_set(struct stub *s, const char *name, gramc_result_kind kind) {
    const char *between = "";
    buf_printf(s->out, "const %s = new Set<string>([", name);
    for (size_t i = 0; i < s->count; i++) {
        if (s->tools[i].tool->result_kind != kind) continue;
        buf_puts(s->out, between);
        json_put_string(s->out, s->tools[i].tool->name);
        between = ", ";
    }
    buf_puts(s->out, "]);\n");
}

static void put_schema(struct stub *s, gramc_text schema) {
    if (!schema.len) return;
    buf_puts(s->out, ",\n    ");
    json_put_string(s->out, schema);
}

/* Schemas stay texts: JavaScript would round the bounds of a Long. */
static void put_offered(struct stub *s) {
    buf_puts(
        s->out,
        "\n// JSON, as it is sent.\nfunction offered(name: string, description: string, input: "
        "string, output?: string): string {\n"
        "  const more = output === undefined ? \"\" : `,\"outputSchema\":${output}`;\n"
        "  return `{\"name\":${JSON.stringify(name)},\"description\":${JSON.stringify("
        "description)},\"inputSchema\":${input}${more}}`;\n"
        "}\n"
        "const OFFERED = [\n");
    for (size_t i = 0; i < s->count; i++) {
        const struct stub_tool *t = &s->tools[i];
        buf_puts(s->out, "  offered(");
        json_put_string(s->out, t->tool->name);
        buf_puts(s->out, ", ");
        json_put_string(s->out, t->tool->description);
        put_schema(s, t->tool->parameters);
        put_schema(s, stub_output_schema(s, t));
        buf_puts(s->out, "),\n");
    }
    buf_puts(s->out, "];\n");
}

static void put_table(struct stub *s) {
    buf_puts(s->out, "const TOOLS: Record<string, (args: any) => Promise<unknown>> = {\n");
    for (size_t i = 0; i < s->count; i++) {
        buf_puts(s->out, "  ");
        json_put_string(s->out, s->tools[i].tool->name);
        buf_printf(s->out, ": %.*s,\n", TEXT_ARGS(s->tools[i].function));
    }
    buf_puts(s->out, "};\n");
    if (s->kind != STUB_STAYING) put_set(s, "TEXTS", GRAMC_RESULT_TEXT);
    if (s->kind == STUB_EXEC) put_set(s, "NOTHINGS", GRAMC_RESULT_NULL);
    if (s->kind == STUB_MCP) put_offered(s);
    buf_puts(s->out, "\n");
}

static void print(struct stub *s) {
    static const char *const own[] = {
        "TOOLS",  "TEXTS",        "NOTHINGS", "OFFERED", "answer",  "name",  "result",
        "args",   "readFileSync", "lines",    "process", "console", "JSON",  "Array",
        "Record", "Promise",      "Set",      "Object",  "String",  "Value", "offered"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) stub_take(s, own[i]);
    stub_name_all(s);
    buf_puts(s->out, "// Tools of a spec. gramc checks arguments and fills in defaults before it "
                     "calls, and checks "
                     "results.\n");
    buf_puts(s->out, s->kind == STUB_EXEC ? "import {readFileSync} from \"node:fs\";\n\n" : "");
    for (size_t i = 0; i < s->definition_count; i++) {
        const gramc_text *name = map_get(&s->types, s->definitions[i]->key);
        stub_comment(s->out, "//", stub_description(s->definitions[i]));
        stub_comment(s->out, "// Checked, not typed:", stub_bounds(s, s->definitions[i]));
        if (name) put_declaration(s, *name, s->definitions[i]);
    }
    for (size_t i = 0; i < s->count; i++) put_tool(s, &s->tools[i]);
    put_table(s);
    if (s->kind != STUB_EXEC) buf_puts(s->out, lines);
    buf_puts(s->out, loops[s->kind]);
}

const struct stub_language stub_typescript = {
    "typescript",
    "tools.ts",
    "node",
    1 << STUB_EXEC | 1 << STUB_STAYING | 1 << STUB_MCP,
    " break case catch class const continue debugger default delete do else enum export extends "
    "false "
    "finally for function if import in instanceof new null return super switch this throw true try "
    "typeof var void while with as implements interface let package private protected public "
    "static "
    "yield any boolean number string symbol unknown never object type of await async arguments "
    "eval "
    "undefined NaN Infinity constructor ",
    true,
    print};
