/* Writes what boxes offer into a file and reads it back (docs/formats/snapshot.md), so that a
 * library can be bound where its servers are not. Schemas are kept byte for byte. */
#include "runtime/offering.h"

#include <stdio.h>

#include "base/json/writer.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/version.h"

enum { SNAPSHOT_MAX = 256 << 20 };

/* ## Writing */

/* Members of a tool stand on lines of their own. */
static void put_text(struct json_writer *w, const char *key, gramc_text text) {
    if (text.len == 0) return;
    json_line(w, 5);
    json_member_text(w, key, text);
}

/* A schema is put as it came: nothing about it changes on the way. */
static void put_schema(struct json_writer *w, const char *key, gramc_text schema) {
    json_line(w, 5);
    json_member_raw(w, key, schema);
}

static void put_tool(struct json_writer *w, const struct offered_tool *tool) {
    json_line(w, 4);
    json_object_begin(w);
    json_member_text(w, "name", tool->name);
    put_text(w, "title", tool->title);
    put_text(w, "description", tool->description);
    put_schema(w, "inputSchema", tool->accepts);
    if (tool->returns.len) put_schema(w, "outputSchema", tool->returns);
    if (tool->annotations.len) put_schema(w, "annotations", tool->annotations);
    json_object_end(w);
}

static void put_box(struct json_writer *w, const struct offered_box *box) {
    json_line(w, 2);
    json_object_begin(w);
    json_member_text(w, "name", box->name);
    json_member_some(w, "url", box->url);
    json_member_array(w, "tools");
    for (size_t i = 0; i < box->tool_count; i++) put_tool(w, &box->tools[i]);
    if (box->tool_count == 0) buf_putc(w->out, '\n');
    json_array_end(w);
    json_object_end(w);
}

static void put_offering(struct json_writer *w, const gramc_offering *offering) {
    json_object_begin(w);
    json_member_text(w, "format", TEXT("gramc-snapshot"));
    json_member_number(w, "version", VERSION_SNAPSHOT);
    json_line(w, 1);
    json_member_object(w, "library");
    json_member_text(w, "name", offering->library);
    json_member_text(w, "fingerprint", offering->fingerprint);
    json_object_end(w);
    json_line(w, 1);
    json_member_array(w, "boxes");
    for (size_t i = 0; i < offering->box_count; i++) put_box(w, &offering->boxes[i]);
    if (offering->box_count == 0) buf_putc(w->out, '\n');
    json_array_end(w);
    json_object_end(w);
    buf_putc(w->out, '\n');
}

gramc_status gramc_offering_save(const gramc_offering *offering, gramc_writer writer) {
    struct buf out;
    for (size_t i = 0; i < offering->box_count; i++)
        if (offering->boxes[i].failure.len) return GRAMC_FINDINGS;
    buf_init(&out, &offering->arena.allocator, SNAPSHOT_MAX);
    struct json_writer w = {.out = &out, .spaced = true};
    put_offering(&w, offering);
    gramc_status status = buf_send(&out, writer);
    buf_free(&out);
    return status;
}

/* ## Reading */

struct snapshot_reader {
    gramc_offering *offering;
    gramc_text text;
    gramc_json_error *error;
    size_t tools_left;
    bool failed;
};

static void wrong(struct snapshot_reader *reader, const struct json *at, const char *message) {
    if (reader->failed) return;
    reader->failed = true;
    if (!reader->error) return;
    *reader->error = (gramc_json_error){.position = at ? at->start : 0};
    snprintf(reader->error->message, sizeof(reader->error->message), "%s", message);
}

static gramc_text keep(struct snapshot_reader *reader, gramc_text text) {
    return text.len ? arena_text(&reader->offering->arena, text) : TEXT("");
}

static gramc_text text_at(struct snapshot_reader *reader, const struct json *object,
                          const char *key, const char *missing) {
    const struct json *value = json_get(object, key);
    if (json_is(value, JSON_STRING) && (value->text.len || !missing))
        return keep(reader, value->text);
    if (value || missing)
        wrong(reader, value ? value : object, missing ? missing : "this is no text");
    return TEXT("");
}

/* The bytes between the braces of the file. */
static gramc_text schema_at(struct snapshot_reader *reader, const struct json *object,
                            const char *key, bool needed) {
    const struct json *value = json_get(object, key);
    if (json_is(value, JSON_OBJECT) || json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE))
        return keep(reader, text_slice(reader->text, value->start, value->end));
    if (value || needed) wrong(reader, value ? value : object, "a tool needs its inputSchema");
    return TEXT("");
}

/* Hints of a server, whatever it calls them. */
static gramc_text annotations_at(struct snapshot_reader *reader, const struct json *tool) {
    const struct json *value = json_get(tool, "annotations");
    if (json_is(value, JSON_OBJECT))
        return keep(reader, text_slice(reader->text, value->start, value->end));
    if (value) wrong(reader, value, "annotations are an object");
    return TEXT("");
}

static void read_tools(struct snapshot_reader *reader, struct offered_box *box,
                       const struct json *list) {
    size_t count = json_is(list, JSON_ARRAY) ? list->count : 0;
    if (!json_is(list, JSON_ARRAY)) wrong(reader, list, "a box needs its tools");
    if (count > reader->tools_left) wrong(reader, list, "it holds more than 100,000 tools");
    if (reader->failed) return;
    reader->tools_left -= count;
    struct offered_tool *tools = arena_array(&reader->offering->arena, count + 1, sizeof(*tools));
    box->tools = tools;
    for (const struct json *t = count ? list->first : NULL; t && tools; t = t->next)
        tools[box->tool_count++] =
            (struct offered_tool){.name = text_at(reader, t, "name", "a tool needs its name"),
                                  .title = text_at(reader, t, "title", NULL),
                                  .description = text_at(reader, t, "description", NULL),
                                  .accepts = schema_at(reader, t, "inputSchema", true),
                                  .returns = schema_at(reader, t, "outputSchema", false),
                                  .annotations = annotations_at(reader, t)};
}

static void read_boxes(struct snapshot_reader *reader, const struct json *list) {
    gramc_offering *offering = reader->offering;
    if (!json_is(list, JSON_ARRAY)) {
        wrong(reader, list, "it has no list of boxes");
        return;
    }
    offering->boxes =
        arena_zalloc(&offering->arena, ((size_t)list->count + 1) * sizeof(*offering->boxes));
    for (const struct json *b = list->first; b && offering->boxes && !reader->failed; b = b->next) {
        struct offered_box *box = &offering->boxes[offering->box_count++];
        box->name = text_at(reader, b, "name", "a box needs its name");
        const struct json *url = json_get(b, "url");
        if (url) box->url = text_at(reader, b, "url", "the url of a box is a text");
        read_tools(reader, box, json_get(b, "tools"));
    }
}

static void read_snapshot(struct snapshot_reader *reader, const struct json *root) {
    const struct json *format = json_get(root, "format"), *version = json_get(root, "version");
    const struct json *library = json_get(root, "library");
    if (!json_is(format, JSON_STRING) || !text_is(format->text, "gramc-snapshot"))
        wrong(reader, root, "this is no snapshot of a library");
    else if (!json_is(version, JSON_NUMBER) || !text_is(version->text, "1"))
        wrong(reader, root, "a snapshot of version 1 is needed");
    if (reader->failed) return;
    reader->offering->library = text_at(reader, library, "name", "it does not name its library");
    reader->offering->fingerprint =
        text_at(reader, library, "fingerprint", "it has no fingerprint of its library");
    read_boxes(reader, json_get(root, "boxes"));
}

static gramc_status load(struct snapshot_reader *reader) {
    struct json_error syntax = {.message = "this is no JSON"};
    struct arena scratch;
    arena_init(&scratch, &reader->offering->arena.allocator);
    const struct json *root = json_parse(&scratch, reader->text, &syntax);
    if (root) read_snapshot(reader, root);
    else wrong(reader, NULL, syntax.message);
    if (!root && reader->error) reader->error->position = syntax.position;
    bool oom = scratch.oom || reader->offering->arena.oom;
    arena_free(&scratch);
    if (oom) return GRAMC_NOMEM;
    return reader->failed ? GRAMC_FINDINGS : GRAMC_OK;
}

gramc_status gramc_offering_load(gramc_offering **out, gramc_text snapshot,
                                 const gramc_allocator *given, gramc_json_error *error) {
    gramc_allocator allocator = given ? *given : mem_default();
    gramc_offering *offering = mem_alloc(&allocator, sizeof(*offering));
    *out = NULL;
    if (!offering) return GRAMC_NOMEM;
    *offering = (gramc_offering){.box_count = 0};
    arena_init(&offering->arena, &allocator);
    struct snapshot_reader reader = {offering, snapshot, error, SNAPSHOT_TOOLS_MAX, false};
    gramc_status status = load(&reader);
    if (!status) *out = offering;
    else gramc_offering_free(offering);
    return status;
}
