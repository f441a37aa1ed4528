/* Cuts a trace into its lines and makes an event of each; checks that it begins with a header of a
 * version that is known. What the events mean is for llm_script.c and tool_replay.c to say. */
#include "base/json/trace_read.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

gramc_text trace_text(const struct json *event, const char *key) {
    const struct json *member = json_get(event, key);
    return json_is(member, JSON_STRING) ? member->text : (gramc_text){NULL, 0};
}

uint64_t trace_number(const struct json *event, const char *key) {
    const struct json *member = json_get(event, key);
    uint64_t number = 0;
    if (!json_is(member, JSON_NUMBER)) return 0;
    for (size_t i = 0; i < member->text.len && number < UINT64_MAX / 100; i++) {
        if (member->text.ptr[i] < '0' || member->text.ptr[i] > '9') break;
        number = number * 10 + (uint64_t)(member->text.ptr[i] - '0');
    }
    return number;
}

gramc_status trace_refuse(struct trace_reader *reader, const char *why) {
    if (!reader->error) return GRAMC_FINDINGS;
    *reader->error = (gramc_json_error){.position = reader->position};
    snprintf(reader->error->message, sizeof(reader->error->message), "line %zu: %s",
             reader->line ? reader->line : 1, why);
    return GRAMC_FINDINGS;
}

static gramc_status check_header(struct trace_reader *reader, const struct json *event) {
    if (!text_is(trace_text(event, "format"), TRACE_FORMAT))
        return trace_refuse(reader, "this is no trace: `format` is not \"" TRACE_FORMAT "\"");
    uint64_t version = trace_number(event, "version");
    if (version < 1 || version > TRACE_VERSION)
        return trace_refuse(reader, "this version of the trace format is not known");
    reader->has_header = true;
    return GRAMC_OK;
}

static gramc_status read_line(struct trace_reader *reader, gramc_text line,
                              const struct json **event) {
    struct json_error error;
    *event = json_parse(reader->arena, line, &error);
    if (reader->arena->oom) return GRAMC_NOMEM;
    if (!*event) {
        reader->position += error.position;
        return trace_refuse(reader, error.message);
    }
    if (text_is(trace_text(*event, "event"), "header")) return check_header(reader, *event);
    if (reader->has_header) return GRAMC_OK;
    return trace_refuse(reader, "a trace begins with a header event");
}

gramc_status trace_next(struct trace_reader *reader, const struct json **event) {
    *event = NULL;
    while (reader->next < reader->text.len) {
        size_t start = reader->next;
        const char *newline = memchr(reader->text.ptr + start, '\n', reader->text.len - start);
        size_t end = newline ? (size_t)(newline - reader->text.ptr) : reader->text.len;
        gramc_text line = text_slice(reader->text, start, end);
        reader->next = end + 1;
        reader->line++;
        reader->position = start;
        if (text_trim(line).len) return read_line(reader, line, event);
    }
    return reader->has_header ? GRAMC_OK : trace_refuse(reader, "the trace is empty");
}
