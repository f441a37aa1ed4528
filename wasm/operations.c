/* The operations that JavaScript can ask for, each a few calls of libgramc's public functions.
 * Texts come in the request and go back in the reply; no file is opened, what a spec names is
 * looked up among the files of the request. */
#include "wasm/call.h"

#include "base/text.h"
#include "gramc/diff.h"

enum { OUTPUT_MAX = INT32_MAX };

static bool is_over(gramc_status status) {
    return status != GRAMC_OK && status != GRAMC_FINDINGS;
}

/* ## Sources */

static int read_file(void *ctx, gramc_text path, gramc_text *out) {
    struct call *call = ctx;
    const struct json *file = json_get_text(call->members[CALL_FILES], path);
    bool leaves = text_starts(path, "/") || text_starts(path, "../");
    if (!file) return leaves ? GRAMC_USAGE : GRAMC_NOT_FOUND;
    *out = arena_text(&call->arena, file->text);
    return out->ptr ? 0 : GRAMC_NOMEM;
}

static gramc_status add_configuration(struct call *call, gramc_compilation *compilation) {
    if (!call->members[CALL_CONFIGURATION]) return GRAMC_OK;
    const gramc_text text = call_text(call, CALL_CONFIGURATION);
    if (!text.ptr) return GRAMC_NOMEM;
    return gramc_add_configuration(compilation, TEXT("gramc.gram"), text.ptr, text.len);
}

static gramc_status add_text(struct call *call, gramc_compilation *compilation,
                             enum call_member member, gramc_text name) {
    const gramc_text text = call_text(call, member);
    if (!text.ptr) return GRAMC_NOMEM;
    return gramc_add_source(compilation, name, text.ptr, text.len);
}

/* A compilation with one source; *out is NULL if there is none. */
static gramc_status open_text(struct call *call, enum call_member member, gramc_text name,
                              gramc_compilation **out) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    options.allocator = &call->arena.allocator;
    options.strict = call_flag(call, CALL_STRICT);
    options.advice = call_flag(call, CALL_ADVICE);
    if (call->members[CALL_FILES]) options.reader = (gramc_reader){read_file, call};
    *out = NULL;
    gramc_status status = gramc_compilation_new(out, &options);
    if (status == GRAMC_OK) status = add_configuration(call, *out);
    if (!is_over(status)) status = add_text(call, *out, member, name);
    if (!is_over(status)) return GRAMC_OK;
    gramc_compilation_free(*out);
    *out = NULL;
    if (status == GRAMC_USAGE) call->why = "a name holds a NUL";
    return status;
}

static gramc_text name_of(struct call *call, gramc_text otherwise) {
    const gramc_text name = call_text(call, CALL_NAME);
    return name.len ? name : otherwise;
}

static gramc_status open_spec(struct call *call, gramc_compilation **out) {
    return open_text(call, CALL_TEXT, name_of(call, TEXT("spec.gram")), out);
}

/* ## Check, format, fix */

static bool knows_target(struct call *call) {
    const gramc_text target = call_text(call, CALL_TARGET);
    size_t i = 0;
    while (gramc_target_name(i) && !text_is(target, gramc_target_name(i))) i++;
    if (!gramc_target_name(i)) call->why = "there is no such target";
    return gramc_target_name(i) != NULL;
}

gramc_status call_check(struct call *call) {
    gramc_compilation *compilation;
    bool has_target = call->members[CALL_TARGET];
    if (has_target && !knows_target(call)) return GRAMC_USAGE;
    gramc_status status = open_spec(call, &compilation);
    if (status != GRAMC_OK) return status;
    status = gramc_compile_each(compilation);
    if (!is_over(status) && has_target)
        status = gramc_target_check(compilation, NULL, call_text(call, CALL_TARGET));
    if (!is_over(status)) status = reply_findings(call, compilation, TEXT("json"));
    gramc_compilation_free(compilation);
    return status;
}

/* Puts what was written into the reply, unless writing failed. */
static gramc_status put_output(struct call *call, const char *name, gramc_status status,
                               struct buf *text) {
    if (status == GRAMC_IO) status = buf_status(text);
    if (status == GRAMC_OK) reply_text(call->out, name, buf_view(text));
    buf_free(text);
    return status;
}

gramc_status call_format(struct call *call) {
    gramc_compilation *compilation;
    struct buf text;
    gramc_status status = open_spec(call, &compilation);
    if (status != GRAMC_OK) return status;
    buf_init(&text, &call->arena.allocator, OUTPUT_MAX);
    status = gramc_source_format(compilation, 0, NULL, buf_writer(&text));
    status = put_output(call, "output", status, &text);
    gramc_status found = is_over(status) ? status : reply_findings(call, compilation, TEXT("json"));
    gramc_compilation_free(compilation);
    return is_over(found) ? found : status;
}

gramc_status call_fix(struct call *call) {
    gramc_compilation *compilation;
    struct buf text;
    size_t fixed = 0;
    gramc_status status = open_spec(call, &compilation);
    if (status != GRAMC_OK) return status;
    status = gramc_compile_each(compilation);
    if (!is_over(status)) {
        buf_init(&text, &call->arena.allocator, OUTPUT_MAX);
        status = gramc_source_fix(compilation, 0, buf_writer(&text), &fixed);
        status = put_output(call, "output", status, &text);
        reply_number(call->out, "fixed", fixed);
    }
    gramc_compilation_free(compilation);
    return status;
}

/* ## Compile */

static void put_agents(struct buf *out, const gramc_spec *spec) {
    reply_name(out, "agents");
    buf_putc(out, '[');
    for (size_t i = 0; i < gramc_spec_agent_count(spec); i++) {
        if (i) buf_putc(out, ',');
        json_put_string(out, gramc_spec_agent(spec, i)->name);
    }
    buf_putc(out, ']');
}

/* NULL in *out: a spec without agents, all its tools. */
static gramc_status choose_agent(struct call *call, const gramc_spec *spec,
                                 const gramc_agent **out) {
    *out = NULL;
    if (!call->members[CALL_AGENT] && gramc_spec_agent_count(spec) == 0) return GRAMC_OK;
    return gramc_spec_find_agent(out, spec, call_text(call, CALL_AGENT));
}

static gramc_status emit(struct call *call, const gramc_spec *spec, const gramc_agent *agent) {
    struct buf text;
    buf_init(&text, &call->arena.allocator, OUTPUT_MAX);
    gramc_status status = gramc_emit(spec, agent, call_text(call, CALL_TARGET), buf_writer(&text));
    return put_output(call, "output", status, &text);
}

/* The findings of the spec and, if it is sound, of the target; then what the target gets. */
static gramc_status compile(struct call *call, gramc_compilation *compilation) {
    const gramc_spec *spec = NULL;
    const gramc_agent *agent = NULL;
    gramc_status chosen = GRAMC_OK, status = gramc_compile_source(&spec, compilation, 0);
    bool sound = status == GRAMC_OK;
    if (sound) {
        put_agents(call->out, spec);
        chosen = choose_agent(call, spec, &agent);
        if (chosen == GRAMC_OK)
            status = gramc_target_check(compilation, agent, call_text(call, CALL_TARGET));
    }
    if (!is_over(status)) status = reply_findings(call, compilation, TEXT("json"));
    if (status == GRAMC_OK && !sound) return GRAMC_FINDINGS;
    if (status == GRAMC_OK) status = chosen;
    return status == GRAMC_OK ? emit(call, spec, agent) : status;
}

gramc_status call_compile(struct call *call) {
    gramc_compilation *compilation;
    if (!knows_target(call)) return GRAMC_USAGE;
    gramc_status status = open_spec(call, &compilation);
    if (status != GRAMC_OK) return status;
    status = compile(call, compilation);
    gramc_compilation_free(compilation);
    return status;
}

/* ## Import */

static gramc_status import(struct call *call, gramc_compilation *compilation) {
    gramc_import_options options = GRAMC_IMPORT_OPTIONS_INIT;
    struct buf spec, library;
    const gramc_text text = call_text(call, CALL_TEXT);
    const gramc_import_file file = {name_of(call, TEXT("tools.json")), text.ptr, text.len};
    if (!text.ptr) return GRAMC_NOMEM;
    buf_init(&spec, &call->arena.allocator, OUTPUT_MAX);
    buf_init(&library, &call->arena.allocator, OUTPUT_MAX);
    options.kind = call_text(call, CALL_KIND);
    options.agent = call_text(call, CALL_AGENT);
    options.library = buf_writer(&library);
    gramc_status status = gramc_import(compilation, &file, 1, &options, buf_writer(&spec));
    if (status == GRAMC_IO)
        status = buf_status(&library) ? buf_status(&library) : buf_status(&spec);
    status = put_output(call, "output", status, &spec);
    status = put_output(call, "library", status, &library);
    if (status == GRAMC_USAGE) call->why = "there is no such kind of definitions";
    return status;
}

/* JSON lists findings by the sources of a compilation, and what is imported is none: text it is. */
gramc_status call_import(struct call *call) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    options.allocator = &call->arena.allocator;
    gramc_status status = gramc_compilation_new(&compilation, &options);
    if (status != GRAMC_OK) return status;
    status = import(call, compilation);
    if (!is_over(status)) {
        gramc_status found = reply_findings(call, compilation, TEXT("text"));
        if (is_over(found)) status = found;
    }
    gramc_compilation_free(compilation);
    return status;
}

/* ## Diff */

/* One side, compiled; *out NULL if there is none. */
static gramc_status open_side(struct call *call, enum call_member member, gramc_text name,
                              gramc_compilation **out, const gramc_spec **spec) {
    gramc_status status = open_text(call, member, name, out);
    if (status != GRAMC_OK) return status;
    status = gramc_compile_each(*out);
    *spec = is_over(status) ? NULL : gramc_compiled(*out, 0);
    return status;
}

static void put_counts(struct buf *out, const gramc_diff *diff) {
    reply_number(out, "breaking", gramc_diff_count(diff, GRAMC_IMPACT_BREAKING));
    reply_number(out, "additive", gramc_diff_count(diff, GRAMC_IMPACT_ADDITIVE));
    reply_number(out, "cosmetic", gramc_diff_count(diff, GRAMC_IMPACT_COSMETIC));
}

static gramc_status put_diff(struct call *call, const gramc_diff *diff) {
    gramc_report_format format;
    struct buf report;
    const gramc_text wanted = call_text(call, CALL_FORMAT);
    if (!gramc_report_format_find(wanted.len ? wanted : TEXT("json"), &format)) {
        call->why = "there is no such format of findings";
        return GRAMC_USAGE;
    }
    put_counts(call->out, diff);
    buf_init(&report, &call->arena.allocator, OUTPUT_MAX);
    gramc_status status =
        gramc_diff_print(diff, format, GRAMC_IMPACT_BREAKING, buf_writer(&report));
    return put_output(call, "report", status, &report);
}

/* An error in one side is reported instead of changes; `side` says in which. */
static gramc_status report_side(struct call *call, const char *side,
                                const gramc_compilation *compilation) {
    reply_text(call->out, "side", text_of(side));
    gramc_status status = reply_findings(call, compilation, TEXT("json"));
    return status == GRAMC_OK ? GRAMC_FINDINGS : status;
}

static gramc_status compare(struct call *call, gramc_compilation *const sides[2],
                            const gramc_spec *before, const gramc_spec *after) {
    gramc_diff *diff;
    if (!after || gramc_finding_count(sides[1], GRAMC_ERROR))
        return report_side(call, "after", sides[1]);
    if (!before) return report_side(call, "before", sides[0]);
    gramc_status status = gramc_diff_new(&diff, before, after, &call->arena.allocator);
    if (status == GRAMC_FINDINGS) return report_side(call, "before", sides[0]);
    if (status != GRAMC_OK) return status;
    status = put_diff(call, diff);
    gramc_diff_free(diff);
    return status;
}

gramc_status call_diff(struct call *call) {
    gramc_compilation *sides[2] = {NULL, NULL};
    const gramc_spec *before = NULL, *after = NULL;
    gramc_status status = open_side(call, CALL_BEFORE, TEXT("before.gram"), &sides[0], &before);
    if (!is_over(status))
        status = open_side(call, CALL_AFTER, TEXT("after.gram"), &sides[1], &after);
    if (!is_over(status)) status = compare(call, sides, before, after);
    gramc_compilation_free(sides[0]);
    gramc_compilation_free(sides[1]);
    return status;
}

/* ## What there is */

gramc_status call_explain(struct call *call) {
    gramc_explanation row;
    const gramc_text code = call_text(call, CALL_CODE);
    size_t i = 0;
    while (gramc_explain(i, &row) && !text_is(code, row.code) && !text_is(code, row.slug)) i++;
    if (!gramc_explain(i, &row)) return GRAMC_NOT_FOUND;
    reply_text(call->out, "code", text_of(row.code));
    reply_text(call->out, "slug", text_of(row.slug));
    reply_text(call->out, "explanation", text_of(row.explanation));
    reply_text(call->out, "bad", text_of(row.bad));
    reply_text(call->out, "good", text_of(row.good));
    return GRAMC_OK;
}

gramc_status call_version(struct call *call) {
    reply_text(call->out, "notation", text_of(gramc_notation_version()));
    reply_tables(call->out);
    return GRAMC_OK;
}
