/* Skeletons in C: a struct for the arguments of each tool, a function for each tool, a small reader
 * of JSON, and the loop of the kind. Needs a C11 compiler and libc; a plugin gramc/plugin.h
 * besides. Lists, records and whatever has several types stay JSON, to be read by the same small
 * reader. */
#include "compiler/stub/stub.h"

#include "base/text.h"

/* ## What stands in every program */

static const char head[] = "#include <ctype.h>\n"
                           "#include <stdbool.h>\n"
                           "#include <stdio.h>\n"
                           "#include <stdlib.h>\n"
                           "#include <string.h>\n"
                           "\n"
                           "#if defined __GNUC__ /* not every program needs all of the reader */\n"
                           "#define PERHAPS __attribute__((unused))\n"
                           "#else\n"
                           "#define PERHAPS\n"
                           "#endif\n"
                           "\n";

static const char reader[] =
    "/* ## JSON: a value is its bytes, which gramc has checked */\n"
    "struct json_piece {\n"
    "    const char *at, *end;\n"
    "};\n"
    "\n"
    "static const char *json_blank(const char *at, const char *end) {\n"
    "    while (at < end && isspace((unsigned char)*at)) at++;\n"
    "    return at;\n"
    "}\n"
    "\n"
    "static const char *json_behind_string(const char *at, const char *end) {\n"
    "    for (at++; at < end && *at != '\"'; at++)\n"
    "        if (*at == '\\\\' && at + 1 < end) at++;\n"
    "    return at < end ? at + 1 : end;\n"
    "}\n"
    "\n"
    "static const char *json_behind(const char *at, const char *end) {\n"
    "    unsigned depth = 0;\n"
    "    for (at = json_blank(at, end); at < end;) {\n"
    "        if (*at == '\"') at = json_behind_string(at, end);\n"
    "        else if (*at == '{' || *at == '[') depth++, at++;\n"
    "        else if (*at == '}' || *at == ']') {\n"
    "            if (!depth) break;\n"
    "            depth--, at++;\n"
    "        } else if (!depth && (*at == ',' || *at == ':' || isspace((unsigned char)*at))) "
    "break;\n"
    "        else at++;\n"
    "        if (!depth && (at == end || at[-1] == '\"' || at[-1] == '}' || at[-1] == ']')) "
    "break;\n"
    "    }\n"
    "    return at;\n"
    "}\n"
    "\n"
    "static size_t json_put_utf8(char *out, unsigned code) {\n"
    "    if (code < 0x80) return out[0] = (char)code, 1;\n"
    "    if (code < 0x800) return out[0] = (char)(0xC0 | code >> 6), out[1] = (char)(0x80 | (code "
    "& 63)), 2;\n"
    "    size_t len = code < 0x10000 ? 3 : 4;\n"
    "    out[0] = len == 3 ? (char)(0xE0 | code >> 12) : (char)(0xF0 | code >> 18);\n"
    "    if (len == 4) out[1] = (char)(0x80 | (code >> 12 & 63));\n"
    "    out[len - 2] = (char)(0x80 | (code >> 6 & 63));\n"
    "    out[len - 1] = (char)(0x80 | (code & 63));\n"
    "    return len;\n"
    "}\n"
    "\n"
    "static unsigned json_hex(const char *at) {\n"
    "    char digits[5] = {at[0], at[1], at[2], at[3], '\\0'};\n"
    "    return (unsigned)strtoul(digits, NULL, 16);\n"
    "}\n"
    "\n"
    "/* The decoded text of a string, to be freed; NULL without memory, and for what is none. */\n"
    "static char *json_text(struct json_piece value) {\n"
    "    if (value.at >= value.end || *value.at != '\"') return NULL;\n"
    "    char *text = malloc((size_t)(value.end - value.at) + 1);\n"
    "    size_t len = 0;\n"
    "    if (!text) return NULL;\n"
    "    for (const char *at = value.at + 1; at < value.end - 1; at++) {\n"
    "        static const char from[] = \"bfnrt\", to[] = \"\\b\\f\\n\\r\\t\";\n"
    "        if (*at != '\\\\') {\n"
    "            text[len++] = *at;\n"
    "            continue;\n"
    "        }\n"
    "        const char *simple = strchr(from, *++at);\n"
    "        if (*at != 'u') {\n"
    "            text[len++] = simple ? to[simple - from] : *at;\n"
    "            continue;\n"
    "        }\n"
    "        unsigned code = json_hex(at + 1);\n"
    "        at += 4;\n"
    "        if (code >= 0xD800 && code < 0xDC00 && value.end - at > 6 && at[1] == '\\\\') {\n"
    "            code = 0x10000 + ((code - 0xD800) << 10) + (json_hex(at + 3) - 0xDC00);\n"
    "            at += 6;\n"
    "        }\n"
    "        len += json_put_utf8(text + len, code);\n"
    "    }\n"
    "    text[len] = '\\0';\n"
    "    return text;\n"
    "}\n"
    "\n"
    "/* Any spelling of a whole number: 5, 5.0, 5e3. */\n"
    "PERHAPS static long long json_integer(struct json_piece value) {\n"
    "    char *end;\n"
    "    long long number = strtoll(value.at, &end, 10);\n"
    "    return end >= value.end ? number : (long long)strtod(value.at, NULL);\n"
    "}\n"
    "\n"
    "/* A member of an object; false if there is none of that name. */\n"
    "PERHAPS static bool json_member(struct json_piece object, const char *name, struct json_piece "
    "*value) {\n"
    "    const char *at = json_blank(object.at, object.end);\n"
    "    if (at == object.end || *at != '{') return false;\n"
    "    for (at = json_blank(at + 1, object.end); at < object.end && *at == '\"';) {\n"
    "        struct json_piece key = {at, json_behind_string(at, object.end)};\n"
    "        char *text = json_text(key);\n"
    "        bool found = text && strcmp(text, name) == 0;\n"
    "        free(text);\n"
    "        at = json_blank(key.end, object.end);\n"
    "        at = json_blank(at < object.end ? at + 1 : at, object.end);\n"
    "        value->at = at;\n"
    "        value->end = at = json_behind(at, object.end);\n"
    "        if (found) return true;\n"
    "        at = json_blank(at, object.end);\n"
    "        if (at < object.end && *at == ',') at = json_blank(at + 1, object.end);\n"
    "    }\n"
    "    return false;\n"
    "}\n"
    "\n";

static const char result_text[] =
    "/* ## Results: text, or JSON where the tool promises more than a Text */\n"
    "struct result {\n"
    "    char *bytes;\n"
    "    size_t len, size;\n"
    "    bool failed; /* then the bytes say why */\n"
    "};\n"
    "\n"
    "static void result_put(struct result *result, const char *bytes, size_t len) {\n"
    "    if (result->len + len + 1 > result->size) {\n"
    "        size_t size = (result->len + len + 1) * 2;\n"
    "        char *more = realloc(result->bytes, size);\n"
    "        if (!more) _Exit(3);\n"
    "        result->bytes = more;\n"
    "        result->size = size;\n"
    "    }\n"
    "    memcpy(result->bytes + result->len, bytes, len);\n"
    "    result->len += len;\n"
    "    result->bytes[result->len] = '\\0';\n"
    "}\n"
    "\n";

static const char exec_loop[] =
    "int main(int argc, char **argv) {\n"
    "    struct result in = {NULL, 0, 0, false}, out = {NULL, 0, 0, false};\n"
    "    char bytes[4096];\n"
    "    size_t got;\n"
    "    while ((got = fread(bytes, 1, sizeof bytes, stdin)) > 0) result_put(&in, bytes, got);\n"
    "    result_put(&in, \"\", 0);\n"
    "    if (argc < 2) return 2;\n"
    "    if (!call(argv[1], (struct json_piece){in.bytes, in.bytes + in.len}, &out)) {\n"
    "        fprintf(stderr, \"there is no tool %s\\n\", argv[1]);\n"
    "        return 1;\n"
    "    }\n"
    "    if (out.len) fprintf(out.failed ? stderr : stdout, \"%s\\n\", out.bytes);\n"
    "    free(in.bytes);\n"
    "    free(out.bytes);\n"
    "    return out.failed ? 1 : 0;\n"
    "}\n";

static const char staying_loop[] =
    "static void put_string(const struct result *text) {\n"
    "    putchar('\"');\n"
    "    for (size_t i = 0; i < text->len; i++) {\n"
    "        unsigned char c = (unsigned char)text->bytes[i];\n"
    "        if (c == '\"' || c == '\\\\') fprintf(stdout, \"\\\\%c\", c);\n"
    "        else if (c < ' ') fprintf(stdout, \"\\\\u%04x\", (unsigned)c);\n"
    "        else putchar(c);\n"
    "    }\n"
    "    putchar('\"');\n"
    "}\n"
    "\n"
    "/* A request a line, an answer a line; anything else goes to standard error. */\n"
    "static void answer(struct json_piece request) {\n"
    "    struct json_piece id, tool, arguments;\n"
    "    struct result out = {NULL, 0, 0, false};\n"
    "    if (!json_member(request, \"id\", &id) || !json_member(request, \"tool\", &tool) ||\n"
    "        !json_member(request, \"arguments\", &arguments))\n"
    "        return;\n"
    "    char *name = json_text(tool);\n"
    "    if (!name || !call(name, arguments, &out)) {\n"
    "        out.failed = true;\n"
    "        result_put(&out, \"there is no such tool\", 21);\n"
    "    }\n"
    "    bool is_text = name && gives_text(name);\n"
    "    fprintf(stdout, \"{\\\"id\\\":%.*s,\\\"%s\\\":\", (int)(id.end - id.at), id.at, "
    "out.failed ? "
    "\"error\" : "
    "\"result\");\n"
    "    if (out.failed || is_text) put_string(&out);\n"
    "    else fputs(out.len ? out.bytes : \"null\", stdout);\n"
    "    fputs(\"}\\n\", stdout);\n"
    "    fflush(stdout);\n"
    "    free(name);\n"
    "    free(out.bytes);\n"
    "}\n"
    "\n"
    "int main(void) {\n"
    "    struct result line = {NULL, 0, 0, false};\n"
    "    int c;\n"
    "    while ((c = getchar()) != EOF) {\n"
    "        char byte = (char)c;\n"
    "        if (c != '\\n') result_put(&line, &byte, 1);\n"
    "        if (c != '\\n' || !line.len) continue;\n"
    "        answer((struct json_piece){line.bytes, line.bytes + line.len});\n"
    "        line.len = 0;\n"
    "    }\n"
    "    free(line.bytes);\n"
    "    return 0;\n"
    "}\n";

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

static void put_tool(struct stub *s, const struct stub_tool *t) {
    const struct json *fields = json_get(t->parameters, "properties");
    const struct json *sample = json_parse(s->arena, t->sample, NULL);
    bool any = json_is(fields, JSON_OBJECT) && fields->count;
    gramc_text *names = any ? field_names(s, fields) : NULL;
    if (any && names) put_struct(s, t, fields, names);
    stub_comment(s->out, "//", t->tool->description);
    stub_comment(s->out, "// Result, checked and not typed:", stub_bounds(s, t->result));
    buf_printf(s->out, "static void do_%.*s(%s%.*s%s%sstruct result *result) {\n",
               TEXT_ARGS(t->function), any ? "const struct " : "", any ? (int)t->type.len : 0,
               any ? t->type.ptr : "", any ? " *arguments" : "", any ? ", " : "");
    if (any) buf_puts(s->out, "    (void)arguments;\n");
    buf_puts(s->out, "    // TODO: do it; this answer only has the right type.\n");
    bool is_text = t->tool->result_kind == GRAMC_RESULT_TEXT && json_is(sample, JSON_STRING);
    gramc_text answer = is_text ? sample->text : t->sample;
    bool is_nothing = t->tool->result_kind == GRAMC_RESULT_NULL;
    if (is_nothing) buf_puts(s->out, "    (void)result;\n");
    else {
        buf_puts(s->out, "    const char answer[] = ");
        stub_c_string(s->out, answer);
        buf_puts(s->out, ";\n    result_put(result, answer, sizeof answer - 1);\n");
    }
    buf_puts(s->out, "}\n\n");
    buf_printf(s->out, "static void call_%.*s(struct json_piece given, struct result *result) {\n",
               TEXT_ARGS(t->function));
    if (any && names) {
        buf_printf(s->out, "    struct %.*s arguments = {0};\n    struct json_piece value;\n",
                   TEXT_ARGS(t->type));
        put_filling(s, fields, names);
        buf_printf(s->out, "    do_%.*s(&arguments, result);\n", TEXT_ARGS(t->function));
        size_t i = 0;
        for (const struct json *f = fields->first; f; f = f->next, i++)
            if (type_of(s, f, 0) == C_TEXT)
                buf_printf(s->out, "    free(arguments.%.*s);\n", TEXT_ARGS(names[i]));
    } else buf_printf(s->out, "    (void)given;\n    do_%.*s(result);\n", TEXT_ARGS(t->function));
    buf_puts(s->out, "}\n\n");
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
    buf_puts(s->out, head);
    if (s->kind == STUB_PLUGIN) buf_puts(s->out, "#include <gramc/plugin.h>\n\nGRAMC_PLUGIN\n\n");
    buf_puts(s->out, reader);
    buf_puts(s->out, result_text);
    buf_puts(s->out, "/* ## Tools */\n\n");
    for (size_t i = 0; i < s->count; i++) put_tool(s, &s->tools[i]);
    if (s->kind == STUB_PLUGIN) put_plugin(s);
    else put_call(s);
    if (s->kind != STUB_PLUGIN) buf_puts(s->out, s->kind == STUB_EXEC ? exec_loop : staying_loop);
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
