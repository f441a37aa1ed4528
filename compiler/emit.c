/* The table of targets, and what all of them share: an array of tools, one a line, so that a diff
 * shows which tool has changed. How one tool is printed is the matter of the emit_*.c files. */
#include "compiler/spec.h"

#include "base/text.h"

enum { OUTPUT_MAX = INT32_MAX, CHUNK = 1 << 16 };

static const struct {
    const char *name, *about;
    target_printer *print; /* NULL: the whole agent, by emit_bundle */
} targets[] = {
    {"json-schema", "name, description and the JSON Schemas of parameters and result",
     emit_schemas},
    {"openai", "OpenAI chat completions: the `tools` array", emit_openai},
    {"openai-functions", "OpenAI chat completions, older form: the `functions` array",
     emit_openai_functions},
    {"bundle", "the agent with everything that it says, and its fingerprint", NULL},
};

enum { TARGETS = sizeof targets / sizeof *targets };

const char *gramc_target_name(size_t i) {
    return i < TARGETS ? targets[i].name : NULL;
}

const char *gramc_target_about(size_t i) {
    return i < TARGETS ? targets[i].about : NULL;
}

/* Hands on what has gathered, so that ten thousand tools need no buffer of their size. */
static gramc_status flush(struct buf *out, gramc_writer writer, size_t at_least) {
    if (out->state == BUF_FINE && out->len < at_least) return GRAMC_OK;
    gramc_status status = buf_send(out, writer);
    buf_reset(out);
    return status;
}

static gramc_status put_array(struct buf *out, struct tool *const *tools, size_t count,
                              target_printer *print, unsigned style, gramc_writer writer) {
    gramc_status status = GRAMC_OK;
    buf_putc(out, '[');
    for (size_t i = 0; i < count && status == GRAMC_OK; i++) {
        if (!tools[i]->signature) continue;
        buf_puts(out, i ? ",\n" : "\n");
        print(out, tools[i], style);
        status = flush(out, writer, CHUNK);
    }
    buf_puts(out, count ? "\n]\n" : "]\n");
    return status == GRAMC_OK ? flush(out, writer, 0) : status;
}

/* The struct behind a public agent. */
static const struct agent *find(const gramc_spec *spec, const gramc_agent *agent) {
    for (const struct agent *a = spec->first_agent; a; a = a->next)
        if (&a->public == agent) return a;
    return NULL;
}

gramc_status gramc_emit(const gramc_spec *spec, const gramc_agent *agent, gramc_text target,
                        gramc_writer writer) {
    const struct agent *one = find(spec, agent);
    struct tool *const *tools = one ? one->tools : spec->tool_list;
    size_t count = one ? one->tool_count : spec->tool_count, i = 0;
    unsigned style = spec->compilation->keep_types ? SCHEMA_DEFS : SCHEMA_PRINTED;
    struct buf out;
    while (i < TARGETS && !text_is(target, targets[i].name)) i++;
    if (i == TARGETS) return GRAMC_USAGE;
    buf_init(&out, &spec->compilation->arena.allocator, OUTPUT_MAX);
    gramc_status status = GRAMC_OK;
    if (targets[i].print) {
        status = put_array(&out, tools, count, targets[i].print, style, writer);
    } else {
        emit_bundle(&out, one, tools, count, style);
        status = flush(&out, writer, 0);
    }
    buf_free(&out);
    return status;
}
