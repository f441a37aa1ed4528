/* Skeletons in C: a struct for the arguments of each tool, a function for each tool, a small reader
 * of JSON, and the loop of the kind. Needs a C11 compiler and libc; a plugin gramc/plugin.h
 * besides. Lists, records and whatever has several types stay JSON, to be read by the same small
 * reader. */
#include "compiler/stub/stub.h"

#include "base/text.h"

/* ## Types */

enum c_type { C_TEXT, C_INTEGER, C_NUMBER, C_BOOLEAN, C_JSON };

/* Enums of texts are texts; named types are looked up. */
static enum c_type type_of(const struct stub *s, const struct json *schema, unsigned links) {
    enum stub_shape shape = stub_shape(schema);
    bool is_list = json_is(json_get(schema, "enum"), JSON_ARRAY);
    if (shape == SHAPE_REFERENCE && links < 16) {
        gramc_text name = stub_reference(s->arena, schema);
        for (size_t i = 0; i < s->definition_count; i++)
            if (text_eq(s->definitions[i]->key, name))
                return type_of(s, s->definitions[i], links + 1);
    }
    if (shape == SHAPE_VALUES) {
        for (const struct json *v = stub_values(schema); v; v = is_list ? v->next : NULL)
            if (v->kind != JSON_STRING) return C_JSON;
        return C_TEXT;
    }
    return shape == SHAPE_TEXT      ? C_TEXT
           : shape == SHAPE_INTEGER ? C_INTEGER
           : shape == SHAPE_NUMBER  ? C_NUMBER
           : shape == SHAPE_BOOLEAN ? C_BOOLEAN
                                    : C_JSON;
}

static const char *const type_words[] = {[C_TEXT] = "char *",
                                         [C_INTEGER] = "long long ",
                                         [C_NUMBER] = "double ",
                                         [C_BOOLEAN] = "bool ",
                                         [C_JSON] = "struct json_piece "};

/* A field's name in its struct: made once, in order, for the struct and what fills it. */
static gramc_text *field_names(struct stub *s, const struct json *fields) {
    struct map taken = s->taken;
    size_t i = 0;
    gramc_text *names = arena_array(s->arena, fields->count + 1u, sizeof *names);
    map_init(&s->taken, s->arena);
    for (const struct json *f = fields->first; f && names; f = f->next)
        names[i++] = stub_name(s, f->key, false);
    s->taken = taken;
    return names;
}

static void put_struct(struct stub *s, const struct stub_tool *t, const struct json *fields,
                       const gramc_text *names) {
    size_t i = 0;
    buf_printf(s->out, "struct %.*s {\n", TEXT_ARGS(t->type));
    for (const struct json *f = fields->first; f; f = f->next, i++) {
        enum c_type type = type_of(s, f, 0);
        stub_comment(s->out, "    //", stub_description(f));
        stub_comment(s->out, "    // Checked, not typed:", stub_bounds(s, f));
        buf_printf(s->out, "    %s%.*s;", type_words[type], TEXT_ARGS(names[i]));
        bool there = stub_is_there(t->parameters, f);
        buf_puts(s->out, type == C_JSON
                             ? there ? " // JSON" : " // JSON; at is NULL when it is absent"
                         : there          ? ""
                         : type == C_TEXT ? " // NULL when it is absent"
                                          : " // 0 when it is absent");
        buf_putc(s->out, '\n');
    }
    buf_puts(s->out, "};\n\n");
}

static void put_filling(struct stub *s, const struct json *fields, const gramc_text *names) {
    static const char *const read[] = {[C_TEXT] = "json_text(value)",
                                       [C_INTEGER] = "json_integer(value)",
                                       [C_NUMBER] = "strtod(value.at, NULL)",
                                       [C_BOOLEAN] = "*value.at == 't'",
                                       [C_JSON] = "value"};
    size_t i = 0;
    for (const struct json *f = fields->first; f; f = f->next, i++) {
        enum c_type type = type_of(s, f, 0);
        buf_puts(s->out, "    if (json_member(given, ");
        stub_c_string(s->out, f->key);
        buf_printf(s->out, ", &value)) arguments.%.*s = %s;\n", TEXT_ARGS(names[i]), read[type]);
    }
}

/* The function that somebody fills in. */
static void put_place(struct stub *s, const struct stub_tool *t, bool takes) {
    const struct json *sample = json_parse(s->arena, t->sample, NULL);
    bool is_text = t->tool->result_kind == GRAMC_RESULT_TEXT && json_is(sample, JSON_STRING);
    stub_comment(s->out, "//", t->tool->description);
    stub_comment(s->out, "// Result, checked and not typed:", stub_bounds(s, t->result));
    buf_printf(s->out, "static void do_%.*s(", TEXT_ARGS(t->function));
    if (takes) buf_printf(s->out, "const struct %.*s *arguments, ", TEXT_ARGS(t->type));
    buf_puts(s->out, "struct result *result) {\n");
    if (takes) buf_puts(s->out, "    (void)arguments;\n");
    buf_puts(s->out, "    // TODO: do it; this answer only has the right type.\n");
    if (t->tool->result_kind == GRAMC_RESULT_NULL) buf_puts(s->out, "    (void)result;\n");
    else {
        buf_puts(s->out, "    const char answer[] = ");
        stub_c_string(s->out, is_text ? sample->text : t->sample);
        buf_puts(s->out, ";\n    result_put(result, answer, sizeof answer - 1);\n");
    }
    buf_puts(s->out, "}\n\n");
}

/* The function that reads the arguments, calls the other, and frees them. */
static void put_caller(struct stub *s, const struct stub_tool *t, const struct json *fields,
                       const gramc_text *names) {
    size_t i = 0;
    buf_printf(s->out, "static void call_%.*s(struct json_piece given, struct result *result) {\n",
               TEXT_ARGS(t->function));
    if (!names) {
        buf_printf(s->out, "    (void)given;\n    do_%.*s(result);\n}\n\n", TEXT_ARGS(t->function));
        return;
    }
    buf_printf(s->out, "    struct %.*s arguments = {0};\n    struct json_piece value;\n",
               TEXT_ARGS(t->type));
    put_filling(s, fields, names);
    buf_printf(s->out, "    do_%.*s(&arguments, result);\n", TEXT_ARGS(t->function));
    for (const struct json *f = fields->first; f; f = f->next, i++)
        if (type_of(s, f, 0) == C_TEXT)
            buf_printf(s->out, "    free(arguments.%.*s);\n", TEXT_ARGS(names[i]));
    buf_puts(s->out, "}\n\n");
}

static void put_tool(struct stub *s, const struct stub_tool *t) {
    const struct json *fields = json_get(t->parameters, "properties");
    bool takes = json_is(fields, JSON_OBJECT) && fields->count;
    const gramc_text *names = takes ? field_names(s, fields) : NULL;
    if (names) put_struct(s, t, fields, names);
    put_place(s, t, takes);
    put_caller(s, t, fields, names);
}

/* ## The program */

static void put_call(struct stub *s) {
    buf_puts(
        s->out,
        "static bool call(const char *name, struct json_piece given, struct result *result) {\n");
    for (size_t i = 0; i < s->count; i++) {
        buf_puts(s->out, "    if (strcmp(name, ");
        stub_c_string(s->out, s->tools[i].tool->name);
        buf_printf(s->out,
                   ") == 0) {\n        call_%.*s(given, result);\n        return true;\n    }\n",
                   TEXT_ARGS(s->tools[i].function));
    }
    buf_puts(s->out, "    return false;\n}\n\n");
    if (s->kind != STUB_STAYING) return;
    buf_puts(
        s->out,
        "static bool gives_text(const char *name) {\n    static const char *const names[] = {");
    for (size_t i = 0; i < s->count; i++) {
        if (s->tools[i].tool->result_kind != GRAMC_RESULT_TEXT) continue;
        stub_c_string(s->out, s->tools[i].tool->name);
        buf_puts(s->out, ", ");
    }
    buf_puts(s->out,
             "NULL};\n    for (size_t i = 0; names[i]; i++)\n"
             "        if (strcmp(name, names[i]) == 0) return true;\n    return false;\n}\n\n");
}

static void put_plugin(struct stub *s) {
    for (size_t i = 0; i < s->count; i++)
        buf_printf(s->out,
                   "GRAMC_PLUGIN_TOOL(tool_%.*s) {\n"
                   "    struct result result = {NULL, 0, 0, false};\n"
                   "    call_%.*s((struct json_piece){call->arguments, call->arguments + "
                   "call->arguments_len}, "
                   "&result);\n"
                   "    if (result.failed) call->fail(call->ctx, result.bytes, result.len);\n"
                   "    else if (result.len) call->write(call->ctx, result.bytes, result.len);\n"
                   "    free(result.bytes);\n"
                   "    return result.failed;\n"
                   "}\n\n",
                   TEXT_ARGS(s->tools[i].function), TEXT_ARGS(s->tools[i].function));
}

static void print(struct stub *s) {
    static const char *const own[] = {"call",         "main",        "answer",
                                      "gives_text",   "put_string",  "result_put",
                                      "json_blank",   "json_behind", "json_behind_string",
                                      "json_text",    "json_hex",    "json_put_utf8",
                                      "json_member",  "result",      "json",
                                      "given",        "value",       "arguments",
                                      "json_integer", "name",        "Result",
                                      "Json"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) stub_take(s, own[i]);
    stub_name_all(s);
    buf_puts(s->out, "// Tools of a spec. gramc checks arguments and fills in defaults before it "
                     "calls, and checks "
                     "results.\n");
    buf_puts(s->out, stub_c_head);
    if (s->kind == STUB_PLUGIN) buf_puts(s->out, "#include <gramc/plugin.h>\n\nGRAMC_PLUGIN\n\n");
    buf_puts(s->out, stub_c_reader);
    buf_puts(s->out, stub_c_result);
    buf_puts(s->out, "/* ## Tools */\n\n");
    for (size_t i = 0; i < s->count; i++) put_tool(s, &s->tools[i]);
    if (s->kind == STUB_PLUGIN) put_plugin(s);
    else put_call(s);
    if (s->kind != STUB_PLUGIN)
        buf_puts(s->out, s->kind == STUB_EXEC ? stub_c_exec_loop : stub_c_staying_loop);
}

const struct stub_language stub_c = {
    "c",
    "tools.c",
    "",
    1 << STUB_EXEC | 1 << STUB_STAYING | 1 << STUB_PLUGIN,
    " auto break case char const continue default do double else enum extern float for goto if "
    "inline "
    "int long register restrict return short signed sizeof static struct switch typedef union "
    "unsigned "
    "void volatile while bool true false NULL abort exit free malloc realloc printf puts putchar "
    "remove "
    "rename system signal time index read write open close select send link pipe fork kill sleep "
    "access log exp "
    "sin cos tan pow div abs y0 y1 yn j0 j1 jn gamma errno stdin stdout stderr EOF linux unix "
    "assert "
    "isalnum isspace tolower toupper strlen strchr memcpy getc gets putc fread fwrite atoi atof "
    "atol "
    "rand random round floor ceil scanf fputs getchar getenv calloc labs qsort bsearch tmpfile ",
    false,
    print};
