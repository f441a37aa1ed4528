/* Reads answers that were recorded elsewhere: a JSON object a line, with the case's id, the answer
 * and the calls that were made. What it does not say is not known of it. */
#include "cli/run/grades.h"

#include "base/json/json.h"
#include "base/map.h"
#include "base/number.h"
#include "base/text.h"

#include <string.h>

struct answer_reader {
    struct grades *grades;
    struct map cases; /* items by id */
    unsigned line;
};

static int refuse(const struct answer_reader *reader, const char *what, gramc_text more) {
    struct cli *cli = reader->grades->study->cli;
    fputs("gramc: ", cli->err);
    cli_put_safe(cli->err, text_of(cli->options[OPTION_ANSWERS]));
    fprintf(cli->err, ":%u: %s", reader->line, what);
    cli_put_safe(cli->err, more);
    fputc('\n', cli->err);
    return EXIT_USAGE;
}

/* ## One answer */

static gramc_text as_text(struct arena *arena, const struct json *value) {
    struct buf out;
    if (!value || value->kind == JSON_STRING) return value ? value->text : TEXT("");
    buf_init(&out, &arena->allocator, SOURCE_MAX);
    json_put(&out, value);
    return buf_to_arena(&out, arena);
}

/* {name, arguments}, or as chat completions have it, with both in `function`. */
static bool read_call(struct arena *arena, const struct json *call, struct graded_call *out) {
    const struct json *inner = json_get(call, "function");
    if (json_is(inner, JSON_OBJECT)) call = inner;
    const struct json *name = json_get(call, "name"), *arguments = json_get(call, "arguments");
    if (!json_is(name, JSON_STRING)) return false;
    gramc_text text = arguments ? as_text(arena, arguments) : TEXT("{}");
    *out = (struct graded_call){.name = name->text, .arguments = text, .sent = text};
    return true;
}

static int read_calls(struct answer_reader *reader, const struct json *row,
                      struct graded_answer *out) {
    struct arena *arena = &reader->grades->arena;
    const struct json *list = json_get(row, "calls");
    if (!list) return EXIT_FINE;
    struct graded_call *calls = arena_array(arena, list->count, sizeof *calls);
    size_t count = 0;
    if (list->kind != JSON_ARRAY) return refuse(reader, "`calls` is no list", TEXT(""));
    for (const struct json *c = list->first; c && calls; c = c->next)
        if (!read_call(arena, c, &calls[count++]))
            return refuse(reader, "a call has no `name`", TEXT(""));
    out->run.calls = calls;
    out->run.call_count = count;
    out->attempt.calls = (uint32_t)count;
    return EXIT_FINE;
}

static int find_arm(struct answer_reader *reader, const struct json *row,
                    struct graded_answer *out) {
    const gramc_experiment *experiment = reader->grades->study->experiment;
    const struct json *arm = json_get(row, "arm");
    out->arm = experiment->arm_count;
    if (!arm) return EXIT_FINE;
    for (size_t i = 0; i < experiment->arm_count; i++) {
        if (!text_eq(experiment->arms[i].name, arm->text)) continue;
        out->arm = i;
        out->attempt.cell.arm = (uint32_t)i;
        return EXIT_FINE;
    }
    return refuse(reader, "the experiment has no arm ", arm->text);
}

static bool read_number(const struct json *row, const char *name, double *out) {
    const struct json *value = json_get(row, name);
    return json_is(value, JSON_NUMBER) && number_to_double(out, value->text) && *out >= 0;
}

/* What it took, where whoever recorded it wrote that down. */
static void read_measures(const struct json *row, struct attempt *attempt) {
    double number = 0;
    attempt->has_cost = read_number(row, "cost", &attempt->cost);
    if (read_number(row, "latencyMs", &number) && number < 1e12)
        attempt->wall_us = (uint64_t)(number * 1000);
    attempt->has_tokens = read_number(row, "tokens", &number) && number < 1e15;
    if (attempt->has_tokens) attempt->completion_tokens = (uint64_t)number;
}

static int read_answer(struct answer_reader *reader, const struct json *row) {
    struct grades *grades = reader->grades;
    const struct json *id = json_get(row, "id") ? json_get(row, "id") : json_get(row, "case");
    const struct json *answer = json_get(row, "answer"), *outcome = json_get(row, "outcome");
    struct graded_answer *out = &grades->answers[grades->count];
    if (!id || (id->kind != JSON_STRING && id->kind != JSON_NUMBER))
        return refuse(reader, "this answer has no `id`, which says the case that it answers",
                      TEXT(""));
    if (!answer && !json_get(row, "calls"))
        return refuse(reader, "there is neither `answer` nor `calls`", TEXT(""));
    const struct item *item = map_get(&reader->cases, id->text);
    if (!item) {
        grades->unknown[grades->unknown_count++] = id->text;
        return EXIT_FINE;
    }
    *out = (struct graded_answer){.line = reader->line};
    out->run = (struct graded_run){.item = item, .recorded = true, .cell_id = item->id};
    out->attempt.answer = as_text(&grades->arena, answer);
    if (json_is(outcome, JSON_STRING)) out->attempt.outcome = outcome->text;
    read_measures(row, &out->attempt);
    int code = find_arm(reader, row, out);
    if (code == EXIT_FINE) code = read_calls(reader, row, out);
    grades->count += code == EXIT_FINE;
    return code;
}

/* ## All of them */

static int read_line(struct answer_reader *reader, gramc_text line) {
    reader->line++;
    if (!text_trim(line).len) return EXIT_FINE;
    const struct json *row = json_parse(&reader->grades->arena, line, NULL);
    if (reader->grades->arena.oom) return cli_no_memory(reader->grades->study->cli);
    if (!json_is(row, JSON_OBJECT)) return refuse(reader, "this is no JSON object", TEXT(""));
    return read_answer(reader, row);
}

static size_t count_lines(gramc_text text) {
    size_t count = 1;
    for (size_t i = 0; i < text.len; i++) count += text.ptr[i] == '\n';
    return count;
}

static int read_lines(struct answer_reader *reader, gramc_text text) {
    int code = EXIT_FINE;
    for (size_t start = 0, i = 0; i <= text.len && code == EXIT_FINE; i++) {
        if (i < text.len && text.ptr[i] != '\n') continue;
        code = read_line(reader, text_slice(text, start, i));
        start = i + 1;
    }
    return code;
}

/* Their places have come to rest: runs point at attempts. */
static void connect(struct grades *grades) {
    const struct cases *cases = &grades->study->cases;
    for (size_t i = 0; i < grades->count; i++) {
        struct graded_answer *answer = &grades->answers[i];
        answer->run.attempt = &answer->attempt;
        grades->answered[answer->arm * cases->count + (size_t)(answer->run.item - cases->items)] =
            true;
    }
}

int grades_read(struct grades *grades) {
    struct cli *cli = grades->study->cli;
    const struct cases *cases = &grades->study->cases;
    struct answer_reader reader = {.grades = grades};
    const struct cli_file *file = cli_read(cli, cli->options[OPTION_ANSWERS]);
    if (!file) return cli->failure;
    gramc_text text = {file->bytes, file->len};
    size_t room = count_lines(text);
    map_init(&reader.cases, &grades->arena);
    for (size_t i = 0; i < cases->count; i++)
        map_put(&reader.cases, cases->items[i].id, (void *)(uintptr_t)&cases->items[i]);
    grades->answers = arena_array(&grades->arena, room, sizeof *grades->answers);
    grades->unknown = arena_array(&grades->arena, room, sizeof *grades->unknown);
    grades->answered =
        arena_zalloc(&grades->arena, (grades->study->experiment->arm_count + 1) * cases->count);
    if (grades->arena.oom) return cli_no_memory(cli);
    int code = read_lines(&reader, text);
    if (grades->arena.oom) return cli_no_memory(cli);
    connect(grades);
    return code;
}
