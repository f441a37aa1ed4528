/* Cuts a cassette into lines and keeps in mind whose they are. What is wrong with a file is said by
 * its line; what the events mean is for others. */
#include "experiment/cassette_read.h"

#include <stdio.h>

#include "base/json/trace_read.h"
#include "base/text.h"

static gramc_status refuse(struct cassette_reader *reader, const char *why) {
    snprintf(reader->error.message, sizeof reader->error.message, "line %zu: %s", reader->line,
             why);
    return GRAMC_FINDINGS;
}

static gramc_status check_header(struct cassette_reader *reader) {
    if (!text_is(trace_text(reader->event, "format"), CASSETTE_FORMAT))
        return refuse(reader, "it is no cassette: its first line does not say so");
    if (trace_number(reader->event, "version") != VERSION_CASSETTE)
        return refuse(reader, "it is a cassette of another version");
    return GRAMC_OK;
}

gramc_status cassette_next(struct cassette_reader *reader) {
    struct json_error error = {.message = "it is no object"};
    size_t end = reader->at;
    if (reader->at >= reader->text.len) return GRAMC_NOT_FOUND;
    while (end < reader->text.len && reader->text.ptr[end] != '\n') end++;
    reader->source = text_slice(reader->text, reader->at, end);
    reader->at = end + 1;
    reader->line++;
    reader->event = json_parse(reader->arena, reader->source, &error);
    if (reader->arena->oom) return GRAMC_NOMEM;
    if (!json_is(reader->event, JSON_OBJECT)) return refuse(reader, error.message);
    reader->kind = trace_text(reader->event, "event");
    if (reader->line == 1) return check_header(reader);
    if (text_is(reader->kind, "cell")) {
        reader->arm = trace_text(reader->event, "arm");
        reader->repeat = trace_number(reader->event, "repeat");
    } else if (!reader->repeat) {
        return refuse(reader, "it belongs to no cell");
    }
    return GRAMC_OK;
}

bool cassette_used(const struct cassette_reader *reader, struct attempt *out) {
    if (!text_is(reader->kind, "outcome")) return false;
    const struct json *usage = json_get(reader->event, "usage");
    *out = (struct attempt){.state = CELL_DONE,
                            .replayed = true,
                            .outcome = trace_text(reader->event, "outcome"),
                            .requests = (uint32_t)trace_number(reader->event, "requests"),
                            .calls = (uint32_t)trace_number(reader->event, "calls"),
                            .prompt_tokens = trace_number(usage, "prompt"),
                            .completion_tokens = trace_number(usage, "completion"),
                            .cached_tokens = trace_number(usage, "cached")};
    out->has_tokens = out->prompt_tokens + out->completion_tokens > 0;
    out->cell.repeat = (uint32_t)reader->repeat - 1;
    return true;
}
