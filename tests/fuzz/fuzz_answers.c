/* Fuzzes the answers that `gramc grade` is given: whatever the bytes of the file are, they are
 * graded or refused with a line, nothing hostile reaches the terminal, and JSON that is printed is
 * JSON. The first byte chooses the format. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/run/commands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char spec[] =
    "[a:Agent {description: \"d\", model: \"OpenAI/x\"} | [t:Tool {description: \"d\"} | "
    "(n::Int)==>(::Text)]]\n"
    "[l:ToolLibrary | [t:ToolImpl {returns: \"x\"}]]\n[k:ToolLibrary | [t:ToolImpl {returns: "
    "\"y\"}]]\n"
    "[e:Experiment {cases: \"cases.jsonl\", maxMissing: 1} | [one:Arm {agent: a, library: l}], "
    "[two:Arm {agent: a, library: k}], [has:Grader {contains: \"o\"}], "
    "[does:Grader {calls: t, arguments: json`{\"n\": 1}`, required: false}], "
    "[shape:Grader {json: json`{\"a\": {}}`, required: false}], "
    "[cheap:Grader {metric: cost, max: 1, required: false}]]\n";
static const char cases[] = "{\"id\":\"one\",\"message\":\"m\"}\n{\"id\":2,\"message\":\"n\"}\n";

static void demand(bool condition) {
    if (!condition) abort();
}

/* A folder that all inputs of this process share, and that goes with it. */
struct place {
    char folder[32], spec[64], cases[64], answers[64];
};

static struct place *place(void) {
    static struct place only;
    return &only;
}

static void write_file(const char *path, const void *bytes, size_t len) {
    FILE *file = fopen(path, "wb");
    demand(file && fwrite(bytes, 1, len, file) == len && fclose(file) == 0);
}

static void leave_place(void) {
    unlink(place()->spec);
    unlink(place()->cases);
    unlink(place()->answers);
    rmdir(place()->folder);
}

static void make_place(struct place *made) {
    snprintf(made->folder, sizeof made->folder, "/tmp/gramc-answers-XXXXXX");
    demand(mkdtemp(made->folder) && atexit(leave_place) == 0);
    snprintf(made->spec, sizeof made->spec, "%s/spec.gram", made->folder);
    snprintf(made->cases, sizeof made->cases, "%s/cases.jsonl", made->folder);
    snprintf(made->answers, sizeof made->answers, "%s/answers", made->folder);
    write_file(made->spec, spec, sizeof spec - 1);
    write_file(made->cases, cases, sizeof cases - 1);
}

static void check_shown(gramc_text shown) {
    for (size_t at = 0; at < shown.len;) {
        uint32_t c = text_decode(shown, &at);
        demand(c != UINT32_MAX && !text_is_treacherous(c));
    }
}

static void check_json(gramc_text text) {
    struct arena arena;
    arena_init(&arena, NULL);
    demand(json_is(json_parse(&arena, text, NULL), JSON_OBJECT));
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct place *here = place();
    char *words[] = {"gramc",     "grade",       here->spec, "--no-config",
                     "--answers", here->answers, "--format", "json"};
    char *out_bytes = NULL, *err_bytes = NULL;
    size_t out_len = 0, err_len = 0;
    if (!size) return 0;
    if (!here->folder[0]) make_place(here);
    write_file(here->answers, data + 1, size - 1);
    FILE *out = open_memstream(&out_bytes, &out_len), *err = open_memstream(&err_bytes, &err_len);
    demand(out && err);
    gramc_allocator allocator = mem_default();
    struct cli cli;
    bool json = data[0] & 1;
    cli_init(&cli, out, err, &allocator);
    int code = cli_main(&cli, run_commands, json ? 8 : 6, words);
    cli_free(&cli);
    fclose(out);
    fclose(err);
    demand(code >= 0 && code <= 3);
    demand(out_len || err_len);
    check_shown((gramc_text){err_bytes, err_len});
    if (!json) check_shown((gramc_text){out_bytes, out_len});
    else if (out_len) check_json((gramc_text){out_bytes, out_len});
    free(out_bytes);
    free(err_bytes);
    return 0;
}
