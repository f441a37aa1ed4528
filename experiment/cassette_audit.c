/* Reads cassettes line by line and holds them to their format: readable, in order, nothing twice,
 * each cell whole and playable, one spec, library and seed for all, no secrets. Counts on the way.
 */
#include "experiment/cassette_audit.h"

#include <stdio.h>

#include "base/json/trace_read.h"
#include "base/text.h"
#include "experiment/cassette_scrub.h"

struct audit_file {
    struct cassette_audit *audit;
    struct cassette_reader reader;
    gramc_text name;
    size_t cell_line, cell_start; /* of the cell at hand; 0: none */
    size_t judged_at;             /* where the lines of its judges begin; 0: there are none */
    uint64_t repeat;
    size_t arm;       /* its place; ARMS_MAX: before the first */
    bool begun, over; /* the cell has its header; its outcome */
    struct map seen;  /* cells of this file */
};

void cassette_audit_init(struct cassette_audit *audit, const gramc_allocator *allocator) {
    *audit = (struct cassette_audit){.has_seed = false};
    arena_init(&audit->arena, allocator);
}

void cassette_audit_free(struct cassette_audit *audit) {
    arena_free(&audit->arena);
}

static void find(struct audit_file *file, size_t line, const char *what, gramc_text detail) {
    struct cassette_audit *audit = file->audit;
    audit->findings++;
    if (audit->finding) audit->finding(audit->ctx, file->name, line, what, detail);
}

/* ## The first line */

static void note_date(struct cassette_audit *audit, gramc_text date) {
    if (!date.len) return;
    if (!audit->first_date.len || text_compare(date, audit->first_date) < 0)
        audit->first_date = arena_text(&audit->arena, date);
    if (!audit->last_date.len || text_compare(date, audit->last_date) > 0)
        audit->last_date = arena_text(&audit->arena, date);
}

static void take_first_line(struct audit_file *file) {
    struct cassette_audit *audit = file->audit;
    const struct json *header = file->reader.event;
    gramc_text item = trace_text(header, "item");
    gramc_text name = cassette_file_name(file->reader.arena, item);
    uint64_t seed = trace_number(header, "seed");
    if (name.ptr && !text_eq(name, file->name))
        find(file, 1, "the file is not called as its item is, so that nobody finds it", name);
    if (audit->has_seed && seed != audit->seed)
        find(file, 1, "it was recorded with another seed than the files before it", TEXT(""));
    if (!audit->has_seed) audit->seed = seed;
    audit->has_seed = true;
    note_date(audit, trace_text(header, "recorded"));
}

/* ## Cells */

/* A cell is whole, and can be played. */
static gramc_status end_cell(struct audit_file *file) {
    struct cassette_reader *reader = &file->reader;
    gramc_cassette *cassette = NULL;
    gramc_json_error why = {.message = ""};
    if (!file->cell_line) return GRAMC_OK;
    size_t end = reader->source.ptr ? (size_t)(reader->source.ptr - reader->text.ptr) : 0;
    if (file->judged_at) end = file->judged_at;
    if (!file->begun) find(file, file->cell_line, "a cell has no header", TEXT(""));
    else if (!file->over) find(file, file->cell_line, "a cell does not come to its end", TEXT(""));
    if (!file->begun || end < file->cell_start) return GRAMC_OK;
    gramc_status status =
        gramc_cassette_new(&cassette, text_slice(reader->text, file->cell_start, end),
                           &reader->arena->allocator, &why);
    gramc_cassette_free(cassette);
    if (status == GRAMC_FINDINGS)
        find(file, file->cell_line, "a cell cannot be played", text_of(why.message));
    return status == GRAMC_FINDINGS ? GRAMC_OK : status;
}

static size_t place_of_arm(struct cassette_audit *audit, gramc_text name) {
    size_t i = 0;
    while (i < audit->arm_count && !text_eq(audit->arms[i].name, name)) i++;
    if (i < audit->arm_count || i == ARMS_MAX) return i;
    audit->arms[audit->arm_count++] =
        (struct audit_arm){.name = arena_text(&audit->arena, name), .place = i};
    return i;
}

/* Repeats come in order, and in each the arms in the order in which they first came. */
static void check_order(struct audit_file *file, uint64_t repeat, size_t arm) {
    struct cassette_reader *reader = &file->reader;
    char *mark = arena_alloc(reader->arena, 1);
    if (!mark) return;
    if (map_put(&file->seen, reader->source, mark) != mark)
        find(file, reader->line, "a cell is recorded twice", reader->arm);
    else if (file->arm != ARMS_MAX &&
             (repeat < file->repeat || (repeat == file->repeat && arm < file->arm)))
        find(file, reader->line, "a cell is not in its place", reader->arm);
    file->repeat = repeat;
    file->arm = arm;
}

static gramc_status begin_cell(struct audit_file *file) {
    struct cassette_reader *reader = &file->reader;
    struct cassette_audit *audit = file->audit;
    gramc_status status = end_cell(file);
    size_t arm = place_of_arm(audit, reader->arm);
    if (!reader->repeat || !reader->arm.len)
        find(file, reader->line, "a cell has no repeat or no arm", TEXT(""));
    else if (arm == ARMS_MAX) find(file, reader->line, "there are too many arms", reader->arm);
    else check_order(file, reader->repeat, arm);
    if (arm < ARMS_MAX) audit->arms[arm].cells++;
    audit->counts.cells++;
    file->cell_line = reader->line;
    file->cell_start = reader->at < reader->text.len ? reader->at : reader->text.len;
    file->begun = file->over = false;
    file->judged_at = 0;
    return status;
}

/* ## Events */

static void agree(struct audit_file *file, gramc_text *known, gramc_text said, const char *what) {
    if (!said.len) return;
    if (!known->len) *known = arena_text(&file->audit->arena, said);
    else if (!text_eq(*known, said)) find(file, file->reader.line, what, file->reader.arm);
}

static void note_model(struct cassette_audit *audit, gramc_text model) {
    for (size_t i = 0; i < audit->model_count; i++)
        if (text_eq(audit->models[i], model)) return;
    if (model.len && audit->model_count < AUDIT_MODELS)
        audit->models[audit->model_count++] = arena_text(&audit->arena, model);
}

static void take_header(struct audit_file *file) {
    const struct json *event = file->reader.event;
    struct cassette_audit *audit = file->audit;
    size_t arm = file->arm;
    if (file->begun) find(file, file->reader.line, "a cell has two headers", TEXT(""));
    file->begun = true;
    note_model(audit, trace_text(event, "model"));
    if (arm >= ARMS_MAX) return;
    agree(file, &audit->arms[arm].spec, trace_text(json_get(event, "spec"), "fingerprint"),
          "it was recorded with another spec than the other cells of its arm");
    agree(file, &audit->arms[arm].library, trace_text(json_get(event, "library"), "fingerprint"),
          "it was recorded with another library than the other cells of its arm");
}

static void count_event(struct audit_file *file) {
    struct cassette_reader *reader = &file->reader;
    struct audit_counts *counts = &file->audit->counts;
    struct attempt used;
    bool model = text_starts(reader->kind, "model."), tool = text_starts(reader->kind, "tool.");
    counts->requests += text_is(reader->kind, "model.request");
    counts->calls += text_is(reader->kind, "tool.request");
    if (model) counts->request_bytes += reader->source.len + 1;
    if (tool) counts->call_bytes += reader->source.len + 1;
    if (!cassette_used(reader, &used)) return;
    file->over = true;
    counts->answered += text_is(used.outcome, "answered");
    counts->prompt += used.prompt_tokens;
    counts->completion += used.completion_tokens;
}

/* Judges come behind what they judge. */
static void take_judging(struct audit_file *file) {
    struct cassette_reader *reader = &file->reader;
    struct audit_counts *counts = &file->audit->counts;
    gramc_text said = trace_text(json_get(reader->event, "said"), "event");
    if (!file->judged_at) file->judged_at = (size_t)(reader->source.ptr - reader->text.ptr);
    if (!file->over) find(file, reader->line, "a judge speaks before the outcome", TEXT(""));
    counts->judgings += text_is(said, "model.request");
    counts->judge_bytes += reader->source.len + 1;
}

static void check_secrets(struct audit_file *file) {
    struct secret_place place;
    char line[240];
    if (!cassette_event_secret(file->reader.arena, file->reader.event, &place)) return;
    snprintf(line, sizeof line, "%s begins with %s (%s)", place.where, place.begin, place.why);
    find(file, file->reader.line, "what looks like a secret", text_of(line));
}

static gramc_status take_line(struct audit_file *file) {
    struct cassette_reader *reader = &file->reader;
    if (reader->line == 1) take_first_line(file);
    else if (text_is(reader->kind, "cell")) return begin_cell(file);
    else if (text_is(reader->kind, "judge")) take_judging(file);
    else if (file->over) find(file, reader->line, "something stands behind an outcome", TEXT(""));
    else if (text_is(reader->kind, "header")) take_header(file);
    count_event(file);
    check_secrets(file);
    return GRAMC_OK;
}

gramc_status cassette_audit_file(struct cassette_audit *audit, gramc_text name, gramc_text bytes) {
    struct arena arena;
    arena_init(&arena, &audit->arena.allocator);
    struct audit_file file = {
        .audit = audit, .reader = {.arena = &arena, .text = bytes}, .name = name, .arm = ARMS_MAX};
    gramc_status status;
    map_init(&file.seen, &arena);
    audit->counts.files++;
    audit->counts.bytes += bytes.len;
    while (!(status = cassette_next(&file.reader)) && !(status = take_line(&file))) continue;
    if (status == GRAMC_FINDINGS) find(&file, 0, file.reader.error.message, TEXT(""));
    file.reader.source = text_slice(bytes, bytes.len, bytes.len);
    if (status == GRAMC_NOT_FOUND) status = end_cell(&file);
    else if (status == GRAMC_FINDINGS) status = GRAMC_OK;
    if (!bytes.len) find(&file, 0, "it is empty", TEXT(""));
    else if (bytes.ptr[bytes.len - 1] != '\n') find(&file, 0, "its last line is cut off", TEXT(""));
    else if (!file.cell_line) find(&file, 0, "it holds no cell", TEXT(""));
    if (arena.oom || audit->arena.oom) status = GRAMC_NOMEM;
    arena_free(&arena);
    return status;
}
