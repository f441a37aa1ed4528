/* Answers questions about schemas, a line each way, for the tests that ask others the same.
 * A question: {"draft": "2020-12" | "2019-09" | "7" | "6" | "4", "formats": true | false, "schema":
 * text, "instances": [text...]}; the texts are JSON inside of strings, so that they arrive byte for
 * byte. The answer: "ok " and a letter for each instance: 1 valid, 0 invalid, L a limit was hit, D
 * gramc_schema_accepts and gramc_schema_check disagree; or "bad " and why the schema cannot be
 * compiled. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/text.h"
#include "gramc/compile.h"

/* Evaluates a copy of exactly these bytes, so that a sanitizer sees any step beyond them. */
static char evaluate(const gramc_schema *schema, gramc_text text) {
    gramc_verdict *verdict = NULL;
    char *copy = malloc(text.len ? text.len : 1);
    if (!copy) return 'L';
    memcpy(copy, text.ptr, text.len);
    bool accepts = gramc_schema_accepts(schema, copy, text.len);
    gramc_status status = gramc_schema_check(&verdict, schema, copy, text.len, NULL);
    char answer = 'L';
    if (status == GRAMC_OK) answer = verdict->valid != accepts ? 'D' : accepts ? '1' : '0';
    if (status == GRAMC_OK && verdict->valid != (verdict->error_count == 0)) answer = 'D';
    if (status == GRAMC_OK) gramc_verdict_free(verdict);
    free(copy);
    return answer;
}

static void answer(const struct json *question) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error = {"", 0, ""};
    gramc_schema *schema = NULL;
    const struct json *draft = json_get(question, "draft");
    const struct json *text = json_get(question, "schema");
    const struct json *instances = json_get(question, "instances");
    if (!json_is(draft, JSON_STRING) || !gramc_draft_find(draft->text, &options.draft) ||
        !json_is(text, JSON_STRING) || !json_is(instances, JSON_ARRAY)) {
        puts("bad question");
        return;
    }
    options.assert_formats = json_is(json_get(question, "formats"), JSON_TRUE);
    if (gramc_schema_compile(&schema, text->text.ptr, text->text.len, &options, &error)) {
        printf("bad %s: %s\n", error.pointer, error.message);
        return;
    }
    fputs("ok ", stdout);
    for (const struct json *instance = instances->first; instance; instance = instance->next)
        putchar(evaluate(schema, instance->text));
    putchar('\n');
    gramc_schema_free(schema);
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    while ((len = getline(&line, &room, stdin)) > 0) {
        struct arena arena;
        arena_init(&arena, NULL);
        const struct json *question = json_parse(&arena, (gramc_text){line, (size_t)len}, NULL);
        if (question) answer(question);
        else puts("bad line");
        fflush(stdout);
        arena_free(&arena);
    }
    free(line);
    return 0;
}
