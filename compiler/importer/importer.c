/* The importer as a whole: JSON files in, the text of a spec out. The text is compiled at once, and
 * what compiles is compared with what came in; where an error or a difference shows up, that schema
 * is marked and the text written again, closer to the JSON. So what comes out always passes. */
#include "compiler/importer/parts.h"

#include "base/json/edit.h"
#include "base/options.h"
#include "base/text.h"
#include "compiler/agent.h"
#include "compiler/tool.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_ROUNDS = 24,
    LOCAL_ROUNDS = 12, /* afterwards the whole parameter is blamed, not the innermost schema */
    MOST_FINDINGS = 1 << 20,
    MOST_FOR_PROVIDERS = 128
};

/* ## Blame */

static struct doc_span span_at(const struct importer *in, size_t i) {
    struct doc_span note;
    memcpy(&note, in->spans.ptr + i * sizeof note, sizeof note);
    return note;
}

/* What may be wrong with a schema, and the mark that mends it. */
static uint8_t mend(enum diag_id id) {
    switch (id) {
    case D_DEFAULT_MISMATCH: return MARK_DEFAULT;
    case D_ENUM_MISMATCH: return MARK_ENUM;
    case D_CONST_MISMATCH: return MARK_CONST;
    case D_EXAMPLE_MISMATCH: return MARK_EXAMPLES;
    default: return MARK_RAW;
    }
}

/* True if there was a stronger mark to set. Several errors of one round blame a schema once, as an
 * enum has an error for each member that does not fit. */
static bool escalate(struct importer *in, const struct json *schema, uint8_t mark) {
    uint8_t marks = import_marks(in, schema);
    if (marks & MARK_DROP) return false;
    if (marks & MARK_TOUCHED) {
        if (mark < MARK_RAW) import_set_marks(in, schema, marks | mark);
        return true;
    }
    if (marks & MARK_RAW && mark >= MARK_RAW) mark = MARK_DROP;
    else if (marks & mark) mark = marks & MARK_RAW ? MARK_DROP : MARK_RAW;
    import_set_marks(in, schema, marks | mark | MARK_TOUCHED);
    return true;
}

static void forget_blame(struct importer *in) {
    size_t count = in->spans.len / sizeof(struct doc_span);
    for (size_t i = 0; i < count; i++) {
        const struct json *schema = span_at(in, i).origin;
        import_set_marks(in, schema, import_marks(in, schema) & (uint8_t)~MARK_TOUCHED);
    }
}

/* How many spans begin at a place or in front of it. */
static size_t spans_until(const struct importer *in, uint32_t at) {
    size_t low = 0, high = in->spans.len / sizeof(struct doc_span);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (span_at(in, middle).span.start <= at) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The schema that a place in the text belongs to: the innermost, or the outermost. */
static const struct json *blamed(const struct importer *in, uint32_t at, bool outer) {
    const struct json *found = NULL;
    size_t count = spans_until(in, at);
    for (uint32_t i = count ? (uint32_t)count - 1 : UINT32_MAX; i != UINT32_MAX;) {
        struct doc_span note = span_at(in, i);
        if (at < note.span.end) {
            found = note.origin;
            if (!outer) return found;
        }
        i = note.parent;
    }
    return found;
}

static bool blame_errors(struct importer *in, const gramc_compilation *compilation, bool outer) {
    bool changed = false;
    forget_blame(in);
    for (const struct finding *f = compilation->findings.first; f; f = f->next) {
        if (f->severity != GRAMC_ERROR) continue;
        const struct json *schema = blamed(in, f->span.start, outer);
        if (schema) changed = escalate(in, schema, outer ? MARK_DROP : mend(f->id)) || changed;
        if (schema && import_marks(in, schema) & MARK_DROP)
            import_note_reason(in, schema, f->message);
    }
    return changed;
}

/* ## Comparison */

/* First it is written as raw schema; where that did not help, what changed is only said. Late it is
 * the whole that is written so: each round finds one difference in it. */
static void note_difference(struct importer *in, const struct json *whole,
                            const struct json *different, bool last) {
    if (in->late) different = whole;
    uint8_t marks = import_marks(in, different);
    bool final = last || marks & (MARK_RAW | MARK_CHANGED);
    import_set_marks(in, different, marks | (final ? MARK_CHANGED : MARK_RAW));
}

static bool compare_schema(struct importer *in, const struct json *schema, const struct json *root,
                           bool last) {
    const struct json *different = import_difference(in, schema, root, root);
    if (!different) return false;
    note_difference(in, schema, different, last);
    return true;
}

/* Only properties and what is required of them are said in a signature. */
static bool compare_parameters(struct importer *in, const struct import_tool *tool,
                               const struct json *root, bool last) {
    const struct json *properties =
        tool->parameters ? json_get(tool->parameters, "properties") : NULL;
    const struct json *compiled = json_get(root, "properties");
    bool changed = false;
    if (!json_is(properties, JSON_OBJECT)) return false;
    for (const struct json *p = properties->first; p; p = p->next) {
        const struct json *other = json_get_text(compiled, p->key);
        if (import_marks(in, p) & (MARK_DROP | MARK_CHANGED)) continue;
        const struct json *different = other ? import_difference(in, p, other, root) : p;
        if (!different) continue;
        note_difference(in, p, different, last || !other);
        changed = true;
    }
    return changed;
}

/* What is printed of the arguments as a whole: all but their list. */
static struct json *whole_of(struct importer *in, const struct json *schema) {
    struct json *whole = json_new(&in->scratch, JSON_OBJECT);
    for (const struct json *m = schema->first; m && whole; m = m->next) {
        static const char *const listed[] = {"properties", "$defs", NULL};
        bool is_object = text_is(m->key, "type") && text_is(m->text, "object");
        if (!is_object && !import_in_list(m->key, listed))
            json_set(whole, m->key, json_copy_shallow(&in->scratch, m));
    }
    return whole;
}

static bool compare_whole(struct importer *in, const struct import_tool *tool,
                          const struct json *root, bool last) {
    const struct json *printed = tool->whole ? whole_of(in, root) : NULL;
    const struct json *different =
        printed ? import_difference(in, tool->whole, printed, root) : NULL;
    if (!different) return false;
    note_difference(in, tool->whole, different, last);
    return true;
}

static bool compare_tool(struct importer *in, const struct import_tool *tool,
                         const struct signature *compiled, bool last) {
    bool changed = false;
    const struct json *root = schema_document(&in->scratch, &compiled->arguments, SCHEMA_PRINTED);
    if (root) changed = compare_parameters(in, tool, root, last);
    if (root && !changed) changed = compare_whole(in, tool, root, last);
    if (!tool->result || in->arena->oom) return changed;
    root = schema_document(&in->scratch, compiled->result, SCHEMA_PRINTED);
    return (root && compare_schema(in, tool->result, root, last)) || changed;
}

/* What was printed to be compared is needed no more. */
static void forget_printed(struct importer *in) {
    if (in->scratch.oom) in->arena->oom = true;
    arena_reset(&in->scratch);
}

/* Agents come out so, too. */
static bool compare_outputs(struct importer *in, const struct gramc_spec *spec, bool last) {
    const struct agent *compiled = spec->first_agent;
    bool changed = false;
    for (const struct import_agent *agent = in->first_agent; agent && compiled && !in->arena->oom;
         agent = agent->next, compiled = compiled->next) {
        const struct json *root =
            agent->output && compiled->output
                ? schema_document(&in->scratch, compiled->output, SCHEMA_PRINTED)
                : NULL;
        if (root) changed = compare_schema(in, agent->output, root, last) || changed;
        forget_printed(in);
    }
    return changed;
}

/* Tools come out in the order in which they were written. True if there was a difference. */
static bool compare_all(struct importer *in, const struct gramc_spec *spec, bool last) {
    const struct tool *compiled = spec->first_tool;
    bool changed = false;
    for (const struct import_tool *tool = in->first; tool && compiled && !in->arena->oom;
         tool = tool->next, compiled = compiled->next) {
        if (compiled->signature)
            changed = compare_tool(in, tool, compiled->signature, last) || changed;
        forget_printed(in);
    }
    return compare_outputs(in, spec, last) || changed;
}

/* ## Rounds */

enum round_verdict { PASSED, AGAIN, FAILED };

/* An error that belongs to no schema: it is the caller's to know. */
static enum round_verdict give_up(struct importer *in, const gramc_compilation *trial) {
    struct span start = {0, 0};
    const struct finding *f = trial->findings.first;
    while (f && f->severity != GRAMC_ERROR) f = f->next;
    const struct json *at = f ? blamed(in, f->span.start, true) : NULL;
    struct span span = at ? (struct span){at->start, at->end} : start;
    if (f) FIND(in->findings, D_IMPORT_LIMIT, in->source, span, f->message);
    return FAILED;
}

static enum round_verdict evaluate(struct importer *in, const struct buf *text, unsigned round) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *trial;
    const gramc_spec *spec;
    enum round_verdict verdict = FAILED;
    options.allocator = &in->arena->allocator;
    options.max_findings = MOST_FINDINGS;
    if (gramc_compilation_new(&trial, &options)) {
        in->arena->oom = true;
        return FAILED;
    }
    gramc_status status = gramc_add_source(trial, GRAMC_TEXT("import"), text->ptr, text->len);
    if (status == GRAMC_OK) status = gramc_compile(&spec, trial);
    if (status == GRAMC_NOMEM) in->arena->oom = true;
    bool last = round + 2 >= MOST_ROUNDS;
    in->late = round >= LOCAL_ROUNDS;
    if (status == GRAMC_FINDINGS)
        verdict = blame_errors(in, trial, round >= LOCAL_ROUNDS) ? AGAIN : give_up(in, trial);
    else if (status == GRAMC_OK) verdict = compare_all(in, spec, last) ? AGAIN : PASSED;
    gramc_compilation_free(trial);
    return verdict;
}

static gramc_status too_large(struct importer *in, const char *why) {
    struct span start = {0, 0};
    FIND(in->findings, D_IMPORT_LIMIT, in->source, start, text_of(why));
    return GRAMC_FINDINGS;
}

/* Writes until what compiles is what came in, or until nothing more can be done about it. */
static gramc_status write_checked(struct importer *in, struct buf *text) {
    enum round_verdict verdict = AGAIN;
    for (unsigned round = 0; verdict == AGAIN && round < MOST_ROUNDS; round++) {
        buf_reset(text);
        import_share_marks(in);
        import_write(in, text);
        if (in->spans.state == BUF_NOMEM || text->state == BUF_NOMEM) in->arena->oom = true;
        if (in->arena->oom) return GRAMC_NOMEM;
        if (buf_status(text) != GRAMC_OK)
            return too_large(in, "what would be written is longer than 2 GiB");
        verdict = evaluate(in, text, round);
        if (in->arena->oom) return GRAMC_NOMEM;
    }
    if (verdict == AGAIN) return too_large(in, "it differs from what compiles after 24 rounds");
    return verdict == PASSED ? GRAMC_OK : GRAMC_FINDINGS;
}

/* ## Findings about what was marked */

static void report_marks(struct importer *in, const struct json *schema) {
    static const struct {
        uint8_t mark;
        const char *what;
    } mismatches[] = {{MARK_DEFAULT, "default"},
                      {MARK_ENUM, "enum"},
                      {MARK_CONST, "const"},
                      {MARK_EXAMPLES, "examples"}};
    uint8_t marks = import_marks(in, schema);
    for (size_t i = 0; i < sizeof mismatches / sizeof *mismatches; i++) {
        const struct json *value = json_get(schema, mismatches[i].what);
        if ((marks & mismatches[i].mark) && value)
            import_find(in, D_IMPORT_MISMATCH, NULL, value, text_of(mismatches[i].what), TEXT(""));
    }
    if (marks & MARK_CHANGED) import_find(in, D_IMPORT_CHANGED, NULL, schema, TEXT(""), TEXT(""));
}

/* Of an API, and of what one agent shall have. */
static void report_many(struct importer *in) {
    size_t count = 0;
    char number[24];
    struct span start = {0, 0};
    const struct import_tool *tool = in->first;
    for (; tool; tool = tool->next) count++;
    if (count <= MOST_FOR_PROVIDERS || !(in->openapi || in->agent.len)) return;
    int len = snprintf(number, sizeof number, "%zu", count);
    FIND(in->findings, D_IMPORT_MANY, in->first->source, start, (gramc_text){number, (size_t)len});
}

/* One more time, for the findings: the text is the same. */
static void report(struct importer *in) {
    struct buf text;
    buf_init(&text, &in->arena->allocator, SOURCE_MAX);
    in->report = true;
    import_write(in, &text);
    if (text.state == BUF_NOMEM || in->spans.state == BUF_NOMEM) in->arena->oom = true;
    buf_free(&text);
}

void import_report_marks(struct importer *in, const struct json *schema) {
    if (in->report) report_marks(in, schema);
}

/* ## The public face */

static bool is_kind(gramc_text kind) {
    size_t i = 0;
    while (gramc_import_kind(i) && !text_is(kind, gramc_import_kind(i))) i++;
    return !kind.len || gramc_import_kind(i);
}

static void begin(struct importer *in, gramc_compilation *compilation,
                  const gramc_import_options *options) {
    *in = (struct importer){.arena = &compilation->arena,
                            .findings = &compilation->findings,
                            .kind = options->kind,
                            .agent = options->agent,
                            .name = options->name};
    in->last = &in->first;
    in->last_type = &in->first_type;
    in->last_loss = &in->first_loss;
    in->last_agent = &in->first_agent;
    arena_init(&in->words, &in->arena->allocator);
    arena_init(&in->scratch, &in->arena->allocator);
    map_init(&in->indexes, in->arena);
    map_init(&in->references, in->arena);
    map_init(&in->records, in->arena);
    map_init(&in->names, in->arena);
    map_init(&in->type_names, in->arena);
    map_init(&in->foreign, in->arena);
    map_init(&in->losses, in->arena);
    map_init(&in->marks, in->arena);
    map_init(&in->reasons, in->arena);
    import_filter_init(&in->tags, in, "--tag", options->tags, options->tag_count);
    import_filter_init(&in->paths, in, "--path", options->paths, options->path_count);
    import_filter_init(&in->operations, in, "--operation", options->operations,
                       options->operation_count);
    for (size_t i = 0; i + 5 <= in->name.len; i++)
        in->name_has_tag = in->name_has_tag || text_is(text_slice(in->name, i, i + 5), "{tag}");
    buf_init(&in->spans, &in->arena->allocator, SOURCE_MAX);
}

static bool is_before(const gramc_import_file *a, const gramc_import_file *b) {
    if (!text_eq(a->name, b->name)) return text_compare(a->name, b->name) < 0;
    return text_compare((gramc_text){a->bytes, a->len}, (gramc_text){b->bytes, b->len}) < 0;
}

/* The order in which a shell gives files depends on where it runs; what comes out must not. */
static const gramc_import_file **sorted(struct importer *in, const gramc_import_file *files,
                                        size_t count) {
    const gramc_import_file **list = arena_array(in->arena, count, sizeof *list);
    for (size_t i = 0; i < count && list; i++) {
        size_t at = i;
        for (; at > 0 && is_before(&files[i], list[at - 1]); at--) list[at] = list[at - 1];
        list[at] = &files[i];
    }
    return list;
}

static bool is_too_long(struct importer *in, const struct source *source) {
    struct span start = {0, 0};
    if (source->text.len <= SOURCE_MAX) return false;
    FIND(in->findings, D_IMPORT_LIMIT, source, start, TEXT("the file is longer than 2 GiB"));
    return true;
}

static gramc_status read_files(struct importer *in, const gramc_import_file *files, size_t count) {
    struct source *source = NULL;
    const gramc_import_file **list = sorted(in, files, count);
    bool good = true;
    for (size_t i = 0; i < count && good && list; i++) {
        source = ARENA_NEW(in->arena, struct source);
        if (!source) return GRAMC_NOMEM;
        source->name = arena_text(in->arena, list[i]->name);
        source->text = (gramc_text){list[i]->bytes, list[i]->len};
        source->order = (uint32_t)i;
        good = !is_too_long(in, source) && import_read(in, source);
    }
    if (good) import_report_losses(in);
    if (in->arena->oom) return GRAMC_NOMEM;
    struct span start = {0, 0};
    if (good && source && !import_filters_hit(in, source)) return GRAMC_FINDINGS;
    if (in->first_agent) return GRAMC_OK;
    if (good && !in->first && source) FIND0(in->findings, D_IMPORT_NOTHING, source, start);
    return good && in->first ? GRAMC_OK : GRAMC_FINDINGS;
}

/* ## The library */

/* Drops the calls that the compiler refuses, such as those to an address that is none. True if
 * there were any. */
static bool drop_refused(struct importer *in, const gramc_compilation *trial) {
    bool changed = false;
    for (const struct finding *f = trial->findings.first; f; f = f->next) {
        if (f->severity != GRAMC_ERROR) continue;
        const struct json *at = blamed(in, f->span.start, true);
        for (struct import_tool *tool = in->first; tool && at; tool = tool->next) {
            if (tool->at != at || !tool->http) continue;
            tool->http = NULL;
            import_find(in, D_IMPORT_NO_CALL, tool->source, at, tool->name, f->message);
            changed = true;
        }
    }
    return changed;
}

/* In the style of gramc fmt, where it can be laid out. */
static void lay_out(struct importer *in, gramc_compilation *trial, struct buf *text) {
    struct buf out;
    buf_init(&out, &in->arena->allocator, SOURCE_MAX);
    gramc_status status = gramc_source_format(trial, 0, NULL, buf_writer(&out));
    if (status == GRAMC_NOMEM || buf_status(&out) == GRAMC_NOMEM) in->arena->oom = true;
    if (status == GRAMC_OK) {
        buf_reset(text);
        buf_text(text, buf_view(&out));
    }
    buf_free(&out);
}

static bool library_passes(struct importer *in, struct buf *text) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *trial;
    const gramc_spec *spec;
    options.allocator = &in->arena->allocator;
    options.max_findings = MOST_FINDINGS;
    if (gramc_compilation_new(&trial, &options)) {
        in->arena->oom = true;
        return false;
    }
    gramc_status status = gramc_add_source(trial, GRAMC_TEXT("import"), text->ptr, text->len);
    if (status == GRAMC_OK) status = gramc_compile(&spec, trial);
    if (status == GRAMC_NOMEM) in->arena->oom = true;
    bool passes = status != GRAMC_FINDINGS || !drop_refused(in, trial);
    if (passes && !in->arena->oom) lay_out(in, trial, text);
    gramc_compilation_free(trial);
    return passes;
}

static void drop_flawed(struct importer *in) {
    for (struct import_tool *tool = in->first; tool; tool = tool->next) {
        if (!tool->http || !tool->http->flaw.len) continue;
        import_find(in, D_IMPORT_NO_CALL, tool->source, tool->at, tool->name, tool->http->flaw);
        tool->http = NULL;
    }
}

static gramc_status write_library(struct importer *in, struct buf *text) {
    bool passes = false;
    in->report = false; /* what the types lose is told already */
    drop_flawed(in);
    while (!passes) {
        buf_reset(text);
        import_write_library(in, text);
        if (in->spans.state == BUF_NOMEM || text->state == BUF_NOMEM) in->arena->oom = true;
        if (!in->arena->oom) passes = library_passes(in, text);
        if (in->arena->oom) return GRAMC_NOMEM;
    }
    return buf_status(text);
}

/* ## The text */

/* As `gramc fmt` would have it. */
static gramc_status send(const struct importer *in, const struct buf *text, gramc_writer writer) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *written;
    options.allocator = &in->arena->allocator;
    if (gramc_compilation_new(&written, &options)) return GRAMC_NOMEM;
    gramc_status status = gramc_add_source(written, GRAMC_TEXT("import"), text->ptr, text->len);
    if (!status) status = gramc_source_format(written, 0, NULL, writer);
    gramc_compilation_free(written);
    return status;
}

static gramc_status write_files(struct importer *in, const gramc_import_options *options,
                                gramc_writer spec) {
    struct buf text;
    buf_init(&text, &in->arena->allocator, SOURCE_MAX);
    import_name_all(in);
    import_wanted_agent(in);
    gramc_status status = in->arena->oom ? GRAMC_NOMEM : write_checked(in, &text);
    if (status == GRAMC_OK) {
        report(in);
        report_many(in);
    }
    if (in->arena->oom) status = GRAMC_NOMEM;
    if (status == GRAMC_OK) status = send(in, &text, spec);
    if (status == GRAMC_OK && options->library.write) {
        status = write_library(in, &text);
        if (status == GRAMC_OK) status = send(in, &text, options->library);
    }
    buf_free(&text);
    return status;
}

gramc_status gramc_import(gramc_compilation *compilation, const gramc_import_file *files,
                          size_t count, const gramc_import_options *options, gramc_writer spec) {
    gramc_import_options full = GRAMC_IMPORT_OPTIONS_INIT;
    struct importer in;
    OPTIONS_READ(full, options);
    if (!is_kind(full.kind)) return GRAMC_USAGE;
    begin(&in, compilation, &full);
    gramc_status status = read_files(&in, files, count);
    if (status == GRAMC_OK) status = write_files(&in, &full, spec);
    buf_free(&in.spans);
    arena_free(&in.words);
    arena_free(&in.scratch);
    findings_sort(&compilation->findings);
    return status;
}
