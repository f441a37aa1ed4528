/* Fuzzes whole runs, in process: the bytes choose an agent, a library, a scripted model and the
 * wire; the program text is compiled, bound and run. Whatever the model calls, however wrongly, the
 * run must end with an outcome, once, with a trace whose lines are JSON and nothing left over. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/text.h"
#include "gramc/compile.h"
#include "gramc/runtime.h"
#include "tests/fuzz/fuzz_run.h"

enum { TEXT_MAX = 1 << 20, MOST_TOOLS = 4, MOST_MESSAGES = 3 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void demand(bool condition) {
    if (!condition) abort();
}

/* ## Choices: each byte decides one thing; behind the last one, everything is the first choice. */

struct choices {
    const uint8_t *data;
    size_t left;
};

static size_t choose(struct choices *c, size_t count) {
    if (!c->left) return 0;
    c->left--;
    return *c->data++ % count;
}

static const char *pick(struct choices *c, const char *const *list, size_t count) {
    return list[choose(c, count)];
}

#define PICK(choices, list) pick((choices), (list), COUNT(list))

/* ## Agents and libraries */

static const char *const signatures[] = {
    "()==>(::Text)",
    "(name::Text)==>(::Text)",
    "(n::Int {range: 1..9})==>(::Int)",
    "(a::Number)==>(b::Number {default: 2})==>(::Number)",
    "(list::Array {items: Text})==>(::Null)",
    "(flag::Bool {optional: true})==>(::Any)",
    "(deep::Object {fields: {k: [Int], t: Text}})==>(::Array {items: Int})",
    "(when::DateTime)==>(mail::Text {pattern: '^[a-z]+@[a-z]+$'})==>(::Bool)",
};
static const char *const tool_words[] = {
    "",
    ", returnDirect: true",
    ", maxCallErrors: 1, maxToolErrors: 1",
    ", optional: true",
    ", name: \"the-tool\"",
    ", readOnly: true, idempotent: true",
};
static const char *const agent_words[] = {
    "",
    ", maxIterations: 1",
    ", maxIterations: 3",
    ", maxCallsPerTurn: 1",
    ", parallelToolCalls: false",
    ", wire: functions",
    ", strategy: evaluated",
    ", strategy: prompted",
    ", output: [Int]",
    ", output: {type: Object, fields: {n: Int, t: Text}}",
    ", toolChoice: required",
    ", instruction: \"Speak ${language}.\"",
    ", memory: {maxMessages: 3}",
};
static const char *const implementations[] = {
    "returns: \"fine\"",        "returns: \"\"",
    "returns: \"7\"",           "returns: \"[1, 2]\"",
    "returns: \"null\"",        "returns: \"true\"",
    "returns: \"no JSON {\"",   "builtin: \"greeting.sayHello\"",
    "builtin: \"math.add\"",    "builtin: \"math.sqrt\"",
    "builtin: \"text.length\"",
};

static void put_tool(struct buf *out, struct choices *c, const char *prefix, size_t i) {
    buf_printf(out, "[%s%zu:Tool {description: \"d\"%s} | %s]", prefix, i, PICK(c, tool_words),
               PICK(c, signatures));
}

static void put_agent(struct buf *out, struct choices *c, size_t tools) {
    size_t tasks = choose(c, 4);
    buf_puts(out, "[a:Agent {description: \"d\", model: \"OpenAI/m\"");
    for (size_t i = choose(c, 3); i; i--) buf_puts(out, PICK(c, agent_words));
    buf_puts(out, tools || tasks > 1 ? "} |\n" : "}\n");
    for (size_t i = 0; i < tools; i++) {
        buf_puts(out, i ? ",\n " : " ");
        put_tool(out, c, "t", i);
    }
    for (size_t i = 0; i + 1 < tasks; i++) {
        static const char *const prompts[] = {"Go on", "${message}", "${language}?"};
        static const char *const words[] = {"", ", output: Int", ", toolChoice: auto",
                                            ", toolChoice: none",
                                            ", output: {type: Object, fields: {n: Int}}"};
        buf_printf(out, "%s [k%zu:Task {prompt: \"%s\"%s} | ", i || tools ? ",\n" : "", i,
                   PICK(c, prompts), PICK(c, words));
        put_tool(out, c, "u", i);
        buf_puts(out, "]");
    }
    buf_puts(out, "]\n");
}

static void put_library(struct buf *out, struct choices *c, size_t tools) {
    buf_puts(out, "[l:ToolLibrary {description: \"d\"} |\n");
    for (size_t i = 0; i < tools; i++)
        buf_printf(out, "%s[t%zu:ToolImpl {%s}]", i ? "," : "", i, PICK(c, implementations));
    for (size_t i = 0; i < 3; i++)
        buf_printf(out, "%s[u%zu:ToolImpl {%s}]", i || tools ? "," : "", i,
                   PICK(c, implementations));
    buf_puts(out, "]\n");
}

/* ## The model */

static const char *const names[] = {"t0",   "t1", "t2", "u0",        "u1",       "the-tool",
                                    "nope", "",   "t",  "t0\\u0000", "\\u20acx", "t0 "};
static const char *const arguments[] = {
    "{}",
    "",
    "no JSON",
    "[1]",
    "null",
    "{\\\"name\\\":\\\"Ann\\\"}",
    "{\\\"name\\\":null}",
    "{\\\"n\\\":5}",
    "{\\\"n\\\":1e400}",
    "{\\\"a\\\":1,\\\"b\\\":null}",
    "{\\\"a\\\":1,\\\"a\\\":\\\"x\\\"}",
    "{\\\"list\\\":[\\\"x\\\",1]}",
    "{\\\"deep\\\":{\\\"k\\\":[1],\\\"t\\\":\\\"x\\\"}}",
    "{\\\"flag\\\":\\\"yes\\\",\\\"more\\\":[[[[]]]]}",
    "{\\\"when\\\":\\\"2026-01-01T00:00:00Z\\\",\\\"mail\\\":\\\"a@b\\\"}",
    "{\\\"\\\\ud800\\\":1}",
};
static const char *const texts[] = {"null",
                                    "\"done\"",
                                    "\"\"",
                                    "\"[1,2]\"",
                                    "\"{\\\"n\\\":1,\\\"t\\\":\\\"x\\\"}\"",
                                    "\"PASS\"",
                                    "\"\\u20ac\"",
                                    "\"{\\\"answer\\\":[1]}\"",
                                    "7"};
static const char *const finishes[] = {"",
                                       ",\"finish\":\"stop\"",
                                       ",\"finish\":\"length\"",
                                       ",\"finish\":\"content_filter\"",
                                       ",\"finish\":7",
                                       ",\"refusal\":\"no\""};

static void put_script(struct buf *out, struct choices *c) {
    buf_puts(out, "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n");
    for (size_t i = choose(c, 12); i; i--) {
        buf_printf(out, "{\"event\":\"model.response\",\"content\":%s", PICK(c, texts));
        size_t calls = choose(c, 5);
        if (calls == 4) calls = choose(c, 200);
        if (calls) buf_puts(out, ",\"calls\":[");
        for (size_t k = 0; k < calls; k++)
            buf_printf(out, "%s{\"id\":\"i%zu\",\"name\":\"%s\",\"arguments\":\"%s\"}",
                       k ? "," : "", choose(c, 3), PICK(c, names), PICK(c, arguments));
        buf_printf(out, "%s%s}\n", calls ? "]" : "", PICK(c, finishes));
    }
}

/* ## A run */

struct ending {
    int done;
    size_t turns;
};

static void on_turn(void *ctx, gramc_text answer) {
    struct ending *ending = ctx;
    demand(answer.len == 0 || answer.ptr);
    ending->turns++;
}

static void on_note(void *ctx, gramc_text line) {
    (void)ctx;
    demand(line.ptr != NULL);
}

static void on_done(void *ctx, const gramc_run_result *result) {
    struct ending *ending = ctx;
    ending->done++;
    demand(gramc_outcome_name(result->outcome) != NULL);
    demand(result->outcome != GRAMC_OUTCOME_INTERNAL);
}

static void check_trace(gramc_text trace) {
    struct arena arena;
    arena_init(&arena, NULL);
    while (trace.len) {
        const char *end = memchr(trace.ptr, '\n', trace.len);
        demand(end != NULL);
        size_t len = (size_t)(end - trace.ptr);
        demand(json_is(json_parse(&arena, text_slice(trace, 0, len), NULL), JSON_OBJECT));
        trace = text_slice(trace, len + 1, trace.len);
    }
    arena_free(&arena);
}

static struct fuzz_runs counts;

struct fuzz_runs fuzz_runs(void) {
    return counts;
}

static void run(struct choices *c, const gramc_bound *bound, const gramc_model *model) {
    static const gramc_wire wires[] = {GRAMC_WIRE_AGENT, GRAMC_WIRE_TOOLS, GRAMC_WIRE_FUNCTIONS};
    const gramc_input input = {TEXT("language"), TEXT("Latin")};
    const gramc_text messages[MOST_MESSAGES] = {TEXT("Hello"), TEXT("${language}"), TEXT("")};
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    struct ending ending = {0, 0};
    const gramc_run_handler handler = {
        .turn = on_turn, .note = on_note, .done = on_done, .ctx = &ending};
    struct buf trace;
    gramc_loop *loop;
    buf_init(&trace, NULL, (size_t)TEXT_MAX * 64);
    demand(gramc_loop_new(&loop, NULL) == GRAMC_OK);
    options.model = model;
    options.messages = messages;
    options.message_count = 1 + choose(c, MOST_MESSAGES);
    options.wire = wires[choose(c, COUNT(wires))];
    options.max_iterations = (uint32_t)choose(c, 4);
    options.inputs = &input;
    options.input_count = 1;
    options.trace = buf_writer(&trace);
    options.trace_without_times = true;
    gramc_status status = gramc_run_start(NULL, loop, bound, &options, &handler);
    if (status == GRAMC_OK) {
        demand(gramc_loop_run(loop) == GRAMC_OK);
        demand(ending.done == 1);
        check_trace(buf_view(&trace));
        counts.ended++;
    }
    gramc_loop_free(loop);
    buf_free(&trace);
}

static void bind_and_run(struct choices *c, const gramc_spec *spec, const gramc_model *model) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_builtins *builtins;
    gramc_bound *bound = NULL;
    demand(gramc_builtins_new(&builtins, NULL) == GRAMC_OK);
    options.builtins = builtins;
    gramc_status status =
        gramc_bind(&bound, gramc_spec_agent(spec, 0), gramc_spec_library(spec, 0), &options);
    demand(status == GRAMC_OK || status == GRAMC_FINDINGS);
    if (status == GRAMC_OK) run(c, bound, model);
    else counts.unbound++;
    gramc_bound_free(bound);
    gramc_builtins_free(builtins);
}

static void play(struct choices *c, gramc_text program, const gramc_model *model) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    const gramc_spec *spec = NULL;
    demand(gramc_compilation_new(&compilation, &options) == GRAMC_OK);
    gramc_status status =
        gramc_add_source(compilation, TEXT("fuzz.gram"), program.ptr, program.len);
    if (status == GRAMC_OK) status = gramc_compile(&spec, compilation);
    demand(status == GRAMC_OK || status == GRAMC_FINDINGS);
    if (status == GRAMC_FINDINGS) counts.refused++;
    else {
        demand(gramc_spec_agent_count(spec) == 1 && gramc_spec_library_count(spec) == 1);
        status = gramc_agent_prepare(compilation, gramc_spec_agent(spec, 0));
        demand(status == GRAMC_OK);
        bind_and_run(c, spec, model);
    }
    gramc_compilation_free(compilation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct choices c = {data, size};
    struct buf program, script;
    gramc_model *model = NULL;
    buf_init(&program, NULL, TEXT_MAX);
    buf_init(&script, NULL, TEXT_MAX);
    put_script(&script, &c);
    size_t tools = choose(&c, MOST_TOOLS);
    put_agent(&program, &c, tools);
    put_library(&program, &c, tools);
    demand(!buf_status(&program) && !buf_status(&script));
    gramc_status status = gramc_model_new_script(&model, buf_view(&script), NULL, NULL);
    demand(status == GRAMC_OK || status == GRAMC_FINDINGS);
    if (status == GRAMC_OK) play(&c, buf_view(&program), model);
    else counts.refused++;
    gramc_model_free(model);
    buf_free(&program);
    buf_free(&script);
    return 0;
}
