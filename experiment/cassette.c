/* Turns the traces of an item's cells into a file that can lie in a repository, and back into the
 * recording of one cell. What differs between two equal runs (times, ids of runs, raw answers) is
 * left out; what looks like a key is never written. Reading and writing files is the caller's. */
#include "experiment/cassette.h"

#include "base/json/trace_read.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "experiment/day.h"
#include "experiment/judge_tape.h"

#include <stdio.h>

static gramc_status fail(struct cassette_error *error, gramc_status status, const char *what,
                         gramc_text more) {
    int len = more.len > 200 ? 200 : (int)more.len;
    snprintf(error->message, sizeof error->message, "%s%.*s", what, len, len ? more.ptr : "");
    return status;
}

/* ## Names of files */

static bool is_plain(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

gramc_text cassette_file_name(struct arena *arena, gramc_text item) {
    struct buf out;
    buf_init(&out, &arena->allocator, 1 << 16);
    for (size_t i = 0; i < item.len; i++) {
        unsigned char c = (unsigned char)item.ptr[i];
        if (is_plain(c) && (i || c != '.')) buf_putc(&out, (char)c);
        else buf_printf(&out, "%%%02X", (unsigned)c);
    }
    buf_puts(&out, ".jsonl");
    return buf_to_arena(&out, arena);
}

/* ## Recording */

/* Differs from run to run, and nothing that is played needs it. */
static bool is_volatile(gramc_text key) {
    static const char *const keys[] = {"seq",      "ms",          "time",      "run",
                                       "parent",   "duration_ms", "queued_ms", "wait_ms",
                                       "model_ms", "tool_ms",     "gramc",     "size"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (text_is(key, keys[i])) return true;
    return false;
}

/* What a judge was asked is an event within one. */
static void put_object(struct json_writer *w, const struct json *event) {
    json_object_begin(w);
    for (const struct json *member = event->first; member; member = member->next) {
        if (is_volatile(member->key)) continue;
        json_key_text(w, member->key);
        if (text_is(member->key, "said") && json_is(member, JSON_OBJECT)) put_object(w, member);
        else json_value(w, member);
    }
    json_object_end(w);
}

static void put_event(struct buf *out, const struct json *event) {
    struct json_writer w = json_writer(out);
    put_object(&w, event);
    buf_putc(out, '\n');
}

static bool is_attempt(const struct json *event) {
    const struct json *said = json_get(event, "said");
    gramc_text name = trace_text(said ? said : event, "event");
    return text_is(name, "model.attempt") || text_is(name, "inner.model.attempt");
}

static void put_first_line(struct buf *out, const struct cassette_writer *writer) {
    struct json_writer w = json_writer(out);
    char day[DAY_ROOM];
    json_object_begin(&w);
    json_member_text(&w, "event", TEXT("cassette"));
    json_member_text(&w, "format", TEXT(CASSETTE_FORMAT));
    json_member_number(&w, "version", VERSION_CASSETTE);
    json_member_text(&w, "item", writer->item);
    json_member_number(&w, "seed", writer->seed);
    if (day_spell(day, writer->newest_ms)) json_member_text(&w, "recorded", text_of(day));
    json_object_end(&w);
    buf_putc(out, '\n');
}

void cassette_begin(struct cassette_writer *writer, const struct plan *plan, uint32_t item,
                    const gramc_allocator *allocator) {
    *writer = (struct cassette_writer){.item = plan->cases->items[item].id, .seed = plan->seed};
    buf_init(&writer->out, allocator, TRACE_SIZE_MAX);
    put_first_line(&writer->out, writer);
}

static gramc_text behind_first_line(gramc_text file) {
    const char *end = file.len ? memchr(file.ptr, '\n', file.len) : NULL;
    return text_slice(file, end ? (size_t)(end - file.ptr) + 1 : file.len, file.len);
}

/* The first line is known when the last run is. */
static void note_day(struct cassette_writer *writer, int64_t ms) {
    struct buf whole;
    if (ms <= writer->newest_ms || buf_status(&writer->out)) return;
    writer->newest_ms = ms;
    buf_init(&whole, &writer->out.allocator, TRACE_SIZE_MAX);
    put_first_line(&whole, writer);
    buf_text(&whole, behind_first_line(buf_view(&writer->out)));
    buf_free(&writer->out);
    writer->out = whole;
}

static const struct json *first_line(struct arena *arena, gramc_text file) {
    return json_parse(arena, text_slice(file, 0, file.len - behind_first_line(file).len), NULL);
}

bool cassettes_are_alike(struct arena *arena, gramc_text a, gramc_text b) {
    const struct json *first = first_line(arena, a), *second = first_line(arena, b);
    return first && second && text_eq(behind_first_line(a), behind_first_line(b)) &&
           trace_number(first, "version") == trace_number(second, "version") &&
           trace_number(first, "seed") == trace_number(second, "seed") &&
           text_eq(trace_text(first, "item"), trace_text(second, "item"));
}

int64_t cassette_recorded(struct arena *arena, gramc_text file) {
    return day_read(trace_text(first_line(arena, file), "recorded"));
}

static void put_cell(struct buf *out, const struct plan *plan, const struct cell *cell) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "event", TEXT("cell"));
    json_member_number(&w, "repeat", cell->repeat + 1);
    json_member_text(&w, "arm", plan->experiment->arms[cell->arm].name);
    json_object_end(&w);
    buf_putc(out, '\n');
}

static gramc_status put_events(struct cassette_writer *writer, struct trace_reader *reader) {
    const struct json *event;
    gramc_status status;
    while (!(status = trace_next(reader, &event)) && event)
        if (!is_attempt(event)) put_event(&writer->out, event);
    return status;
}

/* As it was written: a key that the trace spells with escapes is plain here. */
static gramc_status end_cell(struct cassette_writer *writer, size_t start,
                             struct cassette_error *error) {
    gramc_text bytes = buf_view(&writer->out);
    gramc_text secret = cassette_find_secret(text_slice(bytes, start, bytes.len));
    if (secret.len)
        return fail(error, GRAMC_FINDINGS,
                    "what looks like a key is in the run and is not recorded: it begins with ",
                    secret);
    writer->cells++;
    return GRAMC_OK;
}

gramc_status cassette_put(struct cassette_writer *writer, const struct plan *plan,
                          const struct attempt *attempt, struct cassette_error *error) {
    struct arena arena;
    gramc_json_error why = {.message = ""};
    if (!attempt->trace.len)
        return fail(error, GRAMC_FINDINGS, "no trace was kept of item ", writer->item);
    note_day(writer, attempt->started_ms);
    size_t before = writer->out.len;
    put_cell(&writer->out, plan, &attempt->cell);
    arena_init(&arena, &writer->out.allocator);
    struct trace_reader reader = {.arena = &arena, .text = attempt->trace, .error = &why};
    gramc_status status = put_events(writer, &reader);
    if (arena.oom) status = GRAMC_NOMEM;
    arena_free(&arena);
    if (status == GRAMC_FINDINGS) return fail(error, status, "", text_of(why.message));
    if (status == GRAMC_OK) status = buf_status(&writer->out);
    return status ? status : end_cell(writer, before, error);
}

gramc_text cassette_bytes(const struct cassette_writer *writer) {
    return buf_view(&writer->out);
}

void cassette_end(struct cassette_writer *writer) {
    buf_free(&writer->out);
}

/* ## Playing */

static gramc_text take_line(gramc_text text, size_t *at) {
    size_t start = *at, end = start;
    while (end < text.len && text.ptr[end] != '\n') end++;
    *at = end < text.len ? end + 1 : end;
    return text_slice(text, start, end);
}

static gramc_status check_header(struct arena *arena, gramc_text line, const struct plan *plan,
                                 const struct cell *cell, struct cassette_error *error) {
    const struct json *header = json_parse(arena, line, NULL);
    gramc_text item = plan->cases->items[cell->item].id;
    if (arena->oom) return GRAMC_NOMEM;
    if (!text_is(trace_text(header, "format"), CASSETTE_FORMAT))
        return fail(error, GRAMC_FINDINGS, "it is no cassette: its first line does not say so",
                    TEXT(""));
    if (trace_number(header, "version") != VERSION_CASSETTE)
        return fail(error, GRAMC_FINDINGS, "it is a cassette of another version", TEXT(""));
    if (!text_eq(trace_text(header, "item"), item))
        return fail(error, GRAMC_FINDINGS, "it is the cassette of item ",
                    trace_text(header, "item"));
    if (trace_number(header, "seed") != plan->seed)
        return fail(error, GRAMC_FINDINGS,
                    "it was recorded with another seed, so that the model was asked otherwise",
                    TEXT(""));
    return GRAMC_OK;
}

static bool is_cell_line(gramc_text line) {
    return text_starts(line, "{\"event\":\"cell\",");
}

/* `repeat` from 1; 0: any. */
static bool is_cell(struct arena *arena, gramc_text line, gramc_text arm, uint64_t repeat) {
    const struct json *said = is_cell_line(line) ? json_parse(arena, line, NULL) : NULL;
    return said && (!repeat || trace_number(said, "repeat") == repeat) &&
           text_eq(trace_text(said, "arm"), arm);
}

/* The lines of the first such cell, without its first. */
static gramc_text find_lines(struct arena *arena, gramc_text file, size_t at, gramc_text arm,
                             uint64_t repeat) {
    while (at < file.len && !is_cell(arena, take_line(file, &at), arm, repeat)) continue;
    size_t start = at, end = at;
    while (at < file.len && !is_cell_line(take_line(file, &at))) end = at;
    return text_slice(file, start, end);
}

static gramc_text find_cell(struct arena *arena, gramc_text file, size_t at,
                            const struct plan *plan, const struct cell *cell) {
    return find_lines(arena, file, at, plan->experiment->arms[cell->arm].name,
                      (uint64_t)cell->repeat + 1);
}

gramc_status cassette_load(gramc_cassette **out, gramc_text file, const struct plan *plan,
                           const struct cell *cell, const gramc_allocator *allocator,
                           struct cassette_error *error) {
    struct arena arena;
    gramc_json_error why = {.message = ""};
    size_t at = 0;
    *out = NULL;
    arena_init(&arena, allocator);
    gramc_text header = take_line(file, &at);
    gramc_status status = check_header(&arena, header, plan, cell, error);
    gramc_text lines = status ? header : find_cell(&arena, file, at, plan, cell);
    if (arena.oom) status = GRAMC_NOMEM;
    arena_free(&arena);
    if (status) return status;
    if (!lines.len)
        return fail(error, GRAMC_NOT_FOUND, "it has no recording of this repeat of arm ",
                    plan->experiment->arms[cell->arm].name);
    status = gramc_cassette_new(out, lines, allocator, &why);
    return status == GRAMC_FINDINGS ? fail(error, status, "", text_of(why.message)) : status;
}

gramc_status cassette_script(gramc_model **out, gramc_text file, gramc_text arm,
                             const gramc_allocator *allocator) {
    struct arena arena;
    arena_init(&arena, allocator);
    gramc_text lines = find_lines(&arena, file, 0, arm, 0);
    bool oom = arena.oom;
    arena_free(&arena);
    *out = NULL;
    if (oom) return GRAMC_NOMEM;
    if (!lines.len) return GRAMC_NOT_FOUND;
    gramc_status status = gramc_model_new_script(out, lines, allocator, NULL);
    return status == GRAMC_FINDINGS ? GRAMC_NOT_FOUND : status;
}

gramc_status cassette_judged(gramc_text *out, struct arena *arena, gramc_text file,
                             const struct plan *plan, const struct cell *cell,
                             struct cassette_error *error) {
    size_t at = 0;
    struct buf kept;
    *out = TEXT("");
    gramc_text header = take_line(file, &at);
    gramc_status status = check_header(arena, header, plan, cell, error);
    if (status) return status;
    gramc_text lines = find_cell(arena, file, at, plan, cell);
    buf_init(&kept, &arena->allocator, TRACE_SIZE_MAX);
    for (at = 0; at < lines.len;) {
        gramc_text line = take_line(lines, &at);
        if (!judge_tape_owns(line)) continue;
        buf_text(&kept, line);
        buf_putc(&kept, '\n');
    }
    *out = kept.len ? buf_to_arena(&kept, arena) : TEXT("");
    if (!kept.len) buf_free(&kept);
    return arena->oom ? GRAMC_NOMEM : GRAMC_OK;
}
