/* Turns the right-hand sides of JOLT's modify operations into expressions, and those into values.
 * What a function computes is jolt_function*.c's. */
#include "jolt/expression.h"

#include "base/text.h"
#include "jolt/function.h"

enum expression_kind { EXPRESSION_LITERAL, EXPRESSION_LOOKUP, EXPRESSION_CONTEXT, EXPRESSION_CALL };

struct expression {
    enum expression_kind kind;
    const struct json *literal;
    struct element lookup;
    struct jolt_path path; /* in the context */
    const struct function *function;
    const struct expression *arguments; /* NULL: the current value */
    size_t argument_count;
};

/* ## Reading */

static bool read_lookup(struct jolt_reader *reader, const struct json *at, gramc_text text,
                        struct expression *out) {
    struct spelling spelling;
    out->kind = EXPRESSION_LOOKUP;
    if (!spelling_read(reader, text, &spelling) ||
        !element_read(reader, at, spelling, &out->lookup))
        return false;
    return out->lookup.kind == ELEMENT_LOOKUP ||
           jolt_fail(reader, at, "a value is looked up by @(levels,path)");
}

static bool read_context(struct jolt_reader *reader, const struct json *at, gramc_text text,
                         struct expression *out) {
    struct spelling spelling;
    out->kind = EXPRESSION_CONTEXT;
    return spelling_read(reader, text_slice(text, 1, text.len), &spelling) &&
           path_read(reader, at, spelling, true, &out->path);
}

static bool set_literal(struct jolt_reader *reader, enum json_kind kind, gramc_text text,
                        struct expression *out) {
    struct json *literal = ARENA_NEW(reader->arena, struct json);
    out->kind = EXPRESSION_LITERAL;
    out->literal = literal;
    if (!literal) return false;
    literal->kind = (uint8_t)kind;
    literal->text = text;
    return true;
}

/* 'text', true, false, a number, nothing for null, or a word that stands for itself. */
static bool read_word(struct jolt_reader *reader, gramc_text text, struct expression *out) {
    if (text.len == 0) return set_literal(reader, JSON_NULL, text, out);
    if (text.len > 1 && text.ptr[0] == '\'' && text.ptr[text.len - 1] == '\'')
        return set_literal(reader, JSON_STRING, text_slice(text, 1, text.len - 1), out);
    if (text_is_nocase(text, "true")) return set_literal(reader, JSON_TRUE, text, out);
    if (text_is_nocase(text, "false")) return set_literal(reader, JSON_FALSE, text, out);
    gramc_text number = number_spelling(reader->arena, text);
    if (reader->arena->oom) return false;
    return number.ptr ? set_literal(reader, JSON_NUMBER, number, out)
                      : set_literal(reader, JSON_STRING, text, out);
}

static bool read_argument(struct jolt_reader *reader, const struct json *at, gramc_text text,
                          struct expression *out) {
    *out = (struct expression){.argument_count = 0};
    if (text_starts(text, "^")) return read_context(reader, at, text, out);
    if (text_starts(text, "@")) return read_lookup(reader, at, text, out);
    return read_word(reader, text, out);
}

/* The end of the argument that begins at `start`: a comma outside of quotes and parentheses. */
static size_t argument_end(gramc_text text, size_t start) {
    bool quoted = false;
    size_t depth = 0, i = start;
    for (; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\'') quoted = !quoted;
        if (quoted) continue;
        if (c == ',' && depth == 0) break;
        depth += c == '(';
        depth -= c == ')' && depth > 0;
    }
    return i;
}

static bool read_arguments(struct jolt_reader *reader, const struct json *at, gramc_text text,
                           struct expression *out) {
    size_t most = 1;
    for (size_t i = 0; i < text.len; i++) most += text.ptr[i] == ',';
    struct expression *arguments = arena_array(reader->arena, most, sizeof(*arguments));
    if (!arguments) return false;
    out->arguments = arguments;
    for (size_t start = 0; start <= text.len;) {
        size_t end = argument_end(text, start);
        gramc_text argument = text_trim(text_slice(text, start, end));
        if (!read_argument(reader, at, argument, &arguments[out->argument_count++])) return false;
        start = end + 1;
    }
    return true;
}

static bool unknown_function(struct jolt_reader *reader, const struct json *at, gramc_text name) {
    gramc_text near = function_nearest(name);
    if (near.len)
        return jolt_fail(reader, at, "there is no function %.*s; did you mean %.*s?",
                         TEXT_ARGS(text_slice(name, 0, name.len < 60 ? name.len : 60)),
                         TEXT_ARGS(near));
    return jolt_fail(reader, at, "there is no function %.*s",
                     TEXT_ARGS(text_slice(name, 0, name.len < 60 ? name.len : 60)));
}

static bool read_call(struct jolt_reader *reader, const struct json *at, gramc_text text,
                      struct expression *out) {
    size_t open = 1;
    while (open < text.len && text.ptr[open] != '(') open++;
    gramc_text name = text_trim(text_slice(text, 1, open));
    out->kind = EXPRESSION_CALL;
    out->function = function_find(name);
    if (!out->function) return unknown_function(reader, at, name);
    if (open == text.len) return true;
    if (text.ptr[text.len - 1] != ')')
        return jolt_fail(reader, at, "the parenthesis of a function is never closed");
    return read_arguments(reader, at, text_slice(text, open + 1, text.len - 1), out);
}

static bool read_expression(struct jolt_reader *reader, const struct json *value,
                            struct expression *out) {
    *out = (struct expression){.kind = EXPRESSION_LITERAL, .literal = value};
    if (value->kind != JSON_STRING) return true;
    if (text_starts(value->text, "=")) return read_call(reader, value, value->text, out);
    if (text_starts(value->text, "^")) return read_context(reader, value, value->text, out);
    if (text_starts(value->text, "@")) return read_lookup(reader, value, value->text, out);
    return true;
}

bool expressions_read(struct jolt_reader *reader, const struct json *value,
                      struct expressions *out) {
    bool list = value->kind == JSON_ARRAY && value->first;
    size_t count = list ? value->count : 1;
    struct expression *expressions = arena_array(reader->arena, count, sizeof(*expressions));
    if (!expressions) return false;
    *out = (struct expressions){expressions, count};
    if (!list) return read_expression(reader, value, expressions);
    for (const struct json *item = value->first; item; item = item->next)
        if (!read_expression(reader, item, expressions++)) return false;
    return true;
}

/* ## Values */

static bool value_of(struct jolt_work *work, const struct expression *expression,
                     struct jolt_node *current, const struct jolt_step *step,
                     struct jolt_node **out);

static bool call(struct jolt_work *work, const struct expression *expression,
                 struct jolt_node *current, const struct jolt_step *step, struct jolt_node **out) {
    size_t count = expression->arguments ? expression->argument_count : 1;
    struct jolt_node **arguments = arena_array(&work->arena, count, sizeof(*arguments));
    if (!arguments) {
        work_fail(work, GRAMC_NOMEM);
        return false;
    }
    arguments[0] = current;
    for (size_t i = 0; expression->arguments && i < count; i++)
        if (!value_of(work, &expression->arguments[i], current, step, &arguments[i]))
            arguments[i] = NULL;
    return work_step(work) && function_call(work, expression->function, arguments, count, out);
}

static bool value_of(struct jolt_work *work, const struct expression *expression,
                     struct jolt_node *current, const struct jolt_step *step,
                     struct jolt_node **out) {
    switch (expression->kind) {
    case EXPRESSION_LITERAL: *out = node_from_json(work, expression->literal); break;
    case EXPRESSION_LOOKUP: return element_lookup(work, &expression->lookup, step, out);
    case EXPRESSION_CONTEXT: return path_lookup(work, &expression->path, work->context, step, out);
    case EXPRESSION_CALL: return call(work, expression, current, step, out);
    }
    return *out != NULL;
}

bool expressions_value(struct jolt_work *work, const struct expressions *expressions,
                       struct jolt_node *current, const struct jolt_step *step,
                       struct jolt_node **out) {
    for (size_t i = 0; i < expressions->count && work->status == GRAMC_OK; i++) {
        struct jolt_node *value = NULL;
        if (!value_of(work, &expressions->list[i], current, step, &value)) continue;
        *out = node_copy(work, value);
        return *out != NULL;
    }
    return false;
}
