/* Speaks the protocol of bowtie, which runs the same JSON Schema cases through many validators: a
 * command in a line of JSON on standard input, its answer in a line on standard output.
 *     {"cmd": "start", "version": 1}         who we are, and which drafts we know
 *     {"cmd": "dialect", "dialect": URI}     the draft of schemas that do not say it
 *     {"cmd": "run", "seq": S, "case": ...}  one schema, what it refers to, its instances
 *     {"cmd": "stop"}
 * A schema that cannot be compiled, or a limit, is an error of that case alone. What is no command,
 * or comes in the wrong order, ends the program with status 2; so does an end without a stop. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "base/json/json.h"
#include "base/text.h"
#include "gramc/schema.h"

enum { LONGEST_ANSWER = 64 << 20, PROTOCOL_VERSION = 1 };

static const struct {
    const char *uri;
    gramc_draft draft;
} dialects[] = {
    {"https://json-schema.org/draft/2020-12/schema", GRAMC_DRAFT_2020_12},
    {"https://json-schema.org/draft/2019-09/schema", GRAMC_DRAFT_2019_09},
    {"http://json-schema.org/draft-07/schema#", GRAMC_DRAFT_7},
    {"http://json-schema.org/draft-06/schema#", GRAMC_DRAFT_6},
    {"http://json-schema.org/draft-04/schema#", GRAMC_DRAFT_4},
};
enum { DIALECTS = sizeof dialects / sizeof dialects[0] };

enum next { GO_ON, STOPPED, BROKEN };

struct harness {
    struct arena arena; /* of one command */
    gramc_text line;
    struct buf answer;
    gramc_draft draft;
    bool started;
};

static gramc_text bytes_of(const struct harness *h, const struct json *value) {
    return text_slice(h->line, value->start, value->end);
}

static enum next broken(const char *why) {
    fprintf(stderr, "bowtie_harness: %s\n", why);
    return BROKEN;
}

/* ## start and dialect */

static enum next start(struct harness *h, const struct json *command) {
    const struct json *version = json_get(command, "version");
    if (!json_is(version, JSON_NUMBER) || !text_is(version->text, "1"))
        return broken("only version 1 of the protocol is spoken");
    h->started = true;
    buf_printf(
        &h->answer,
        "{\"version\": %d, \"implementation\": {\"language\": \"c\", \"name\": \"gramc\", "
        "\"version\": \"%s\", \"homepage\": \"urn:gramc\", \"issues\": \"urn:gramc:issues\", "
        "\"source\": \"urn:gramc:source\", \"dialects\": [",
        PROTOCOL_VERSION, gramc_version());
    for (size_t i = 0; i < DIALECTS; i++)
        buf_printf(&h->answer, "%s\"%s\"", i ? ", " : "", dialects[i].uri);
    buf_puts(&h->answer, "]}}");
    return GO_ON;
}

static enum next choose_dialect(struct harness *h, const struct json *command) {
    const struct json *uri = json_get(command, "dialect");
    size_t i = 0;
    if (!json_is(uri, JSON_STRING)) return broken("a dialect without its URI");
    while (i < DIALECTS && !text_is(uri->text, dialects[i].uri)) i++;
    if (i < DIALECTS) h->draft = dialects[i].draft;
    buf_printf(&h->answer, "{\"ok\": %s}", i < DIALECTS ? "true" : "false");
    return GO_ON;
}

/* ## run */

static void put_error(struct harness *h, const char *message) {
    buf_puts(&h->answer, "\"errored\": true, \"context\": {\"message\": ");
    json_put_string(&h->answer, text_of(message));
    buf_puts(&h->answer, "}}");
}

struct registry {
    const struct harness *harness;
    const struct json *schemas; /* by URI; NULL: none */
};

static int resolve(void *ctx, gramc_text uri, gramc_text *out) {
    const struct registry *registry = ctx;
    const struct json *found = json_get_text(registry->schemas, uri);
    if (found) *out = bytes_of(registry->harness, found);
    return found ? 0 : 1;
}

static void judge(struct harness *h, const gramc_schema *schema, gramc_text instance) {
    gramc_json_error error = {.message = "no memory"};
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    options.error = &error;
    buf_putc(&h->answer, '{');
    if (gramc_schema_check(&verdict, schema, instance.ptr, instance.len, &options))
        put_error(h, error.message);
    else buf_printf(&h->answer, "\"valid\": %s}", verdict->valid ? "true" : "false");
    gramc_verdict_free(verdict);
}

static void judge_all(struct harness *h, const gramc_schema *schema, const struct json *tests) {
    buf_puts(&h->answer, "\"results\": [");
    for (const struct json *test = tests->first; test; test = test->next) {
        const struct json *instance = json_get(test, "instance");
        if (test != tests->first) buf_puts(&h->answer, ", ");
        judge(h, schema, instance ? bytes_of(h, instance) : (gramc_text){"", 0});
    }
    buf_puts(&h->answer, "]}");
}

static enum next run(struct harness *h, const struct json *command) {
    const struct json *seq = json_get(command, "seq"), *all = json_get(command, "case");
    const struct json *document = json_get(all, "schema"), *tests = json_get(all, "tests");
    struct registry registry = {h, json_get(all, "registry")};
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error = {.message = "no memory"};
    gramc_schema *schema = NULL;
    if (!seq || !document || !json_is(tests, JSON_ARRAY))
        return broken("a run needs seq, and a case with a schema and tests");
    if (!json_get(document, "$schema")) options.draft = h->draft;
    options.resolver = (gramc_resolver){resolve, &registry};
    buf_puts(&h->answer, "{\"seq\": ");
    buf_text(&h->answer, bytes_of(h, seq));
    buf_puts(&h->answer, ", ");
    gramc_text text = bytes_of(h, document);
    if (gramc_schema_compile(&schema, text.ptr, text.len, &options, &error))
        put_error(h, error.message);
    else judge_all(h, schema, tests);
    gramc_schema_free(schema);
    return GO_ON;
}

/* ## Commands */

static enum next dispatch(struct harness *h, const struct json *command) {
    const struct json *name = json_get(command, "cmd");
    if (!json_is(name, JSON_STRING)) return broken("a line that is no command");
    if (text_is(name->text, "start")) return start(h, command);
    if (!h->started) return broken("the first command must be start");
    if (text_is(name->text, "dialect")) return choose_dialect(h, command);
    if (text_is(name->text, "run")) return run(h, command);
    return text_is(name->text, "stop") ? STOPPED : broken("an unknown command");
}

/* Whoever asks waits for the answer: it is sent at once. */
static enum next answer(struct harness *h, gramc_text line) {
    arena_init(&h->arena, NULL);
    buf_init(&h->answer, NULL, LONGEST_ANSWER);
    h->line = line;
    enum next next = dispatch(h, json_parse(&h->arena, line, NULL));
    if (next == GO_ON && buf_status(&h->answer)) next = broken("the answer is too long");
    if (next == GO_ON) {
        puts(h->answer.ptr);
        fflush(stdout);
    }
    buf_free(&h->answer);
    arena_free(&h->arena);
    return next;
}

int main(void) {
    struct harness h = {.draft = GRAMC_DRAFT_AUTO};
    enum next next = GO_ON;
    char *line = NULL;
    size_t size = 0;
    ssize_t len = 0;
    while (next == GO_ON && (len = getline(&line, &size, stdin)) >= 0)
        next = answer(&h, (gramc_text){line, (size_t)len});
    if (len < 0) next = broken("the commands end without a stop");
    free(line);
    return next == STOPPED ? 0 : 2;
}
