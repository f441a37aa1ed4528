/* Answers from a trace: the model.response events of the file, in order, for each run anew. Where
 * the trace holds the request that came before an answer, the run must make the same one; the
 * first difference is shown. Nothing else in the file matters here. */
#include "base/text.h"
#include "runtime/difference.h"
#include "runtime/model.h"
#include "runtime/run.h"
#include "base/json/trace_read.h"

/* ## Reading a trace */

struct script_reader {
    gramc_model *model;
    struct trace_reader trace;
    const struct json *request; /* the newest that was not answered yet */
};

/* What is no known protocol is none that anything could be asked by. */
static bool read_named(gramc_model *model, const struct json *list) {
    if (!json_is(list, JSON_ARRAY)) return true;
    model->named = arena_array(&model->arena, list->count + 1, sizeof(*model->named));
    model->named_count = 0;
    for (const struct json *item = model->named ? list->first : NULL; item; item = item->next) {
        const struct protocol *protocol = protocol_named(trace_text(item, "protocol"));
        if (protocol)
            model->named[model->named_count++] =
                (struct script_named){trace_text(item, "model"), protocol};
    }
    return model->named;
}

static gramc_status read_header(struct script_reader *reader, const struct json *event) {
    reader->model->id = trace_text(event, "model");
    reader->model->protocol = protocol_named(trace_text(event, "protocol"));
    if (!read_named(reader->model, json_get(event, "protocols"))) return GRAMC_NOMEM;
    reader->model->is_mock = text_is(trace_text(event, "provider"), model_mock.name);
    return GRAMC_OK;
}

/* To which profile of servers the recorded requests were made. */
static unsigned profile_of(const struct json *request) {
    return (json_get(request, "max_completion_tokens") ? (unsigned)PROFILE_COMPLETION_TOKENS : 0) |
           (json_get(request, "parallel_tool_calls") ? (unsigned)PROFILE_SAYS_PARALLEL : 0);
}

static gramc_status read_request(struct script_reader *reader, const struct json *event) {
    reader->request = json_get(event, "body");
    reader->model->profile |= profile_of(reader->request);
    if (!reader->model->id.len) reader->model->id = trace_text(reader->request, "model");
    return GRAMC_OK;
}

/* Of an agent that does a tool: its model is its own. */
static gramc_status read_inner_request(struct script_reader *reader, const struct json *event) {
    reader->request = json_get(event, "body");
    return GRAMC_OK;
}

static gramc_status read_calls(struct script_reader *reader, struct reply *reply,
                               const struct json *calls) {
    reply->calls = arena_array(&reader->model->arena, calls->count + 1, sizeof(*reply->calls));
    if (!reply->calls) return GRAMC_NOMEM;
    for (const struct json *item = calls->first; item; item = item->next) {
        const struct json *arguments = json_get(item, "arguments");
        if (!json_is(arguments, JSON_STRING) || !json_is(json_get(item, "name"), JSON_STRING))
            return trace_refuse(&reader->trace,
                                "a call needs `name` and `arguments`, both strings");
        reply->calls[reply->call_count++] = (gramc_model_call){.id = trace_text(item, "id"),
                                                               .name = trace_text(item, "name"),
                                                               .arguments = arguments->text};
    }
    return GRAMC_OK;
}

static gramc_status read_response(struct script_reader *reader, const struct json *event) {
    gramc_model *model = reader->model;
    struct script_answer *answer = &model->answers[model->answer_count++];
    const struct json *calls = json_get(event, "calls"), *usage = json_get(event, "usage");
    answer->request = reader->request;
    answer->within = trace_text(event, "within");
    reader->request = NULL;
    answer->reply.content = trace_text(event, "content");
    answer->reply.has_content = json_is(json_get(event, "content"), JSON_STRING);
    answer->reply.refusal = trace_text(event, "refusal");
    const struct json *opaque = json_get(event, "opaque");
    if (opaque) answer->reply.opaque = protocol_print(&model->arena, opaque);
    answer->reply.finish_reason = trace_text(event, "finish");
    answer->reply.finish = protocol_finish(answer->reply.finish_reason);
    answer->reply.usage =
        (struct usage){trace_number(usage, "prompt"), trace_number(usage, "completion"),
                       trace_number(usage, "total"), trace_number(usage, "cached")};
    return json_is(calls, JSON_ARRAY) ? read_calls(reader, &answer->reply, calls) : GRAMC_OK;
}

static const struct {
    const char *event;
    gramc_status (*read)(struct script_reader *reader, const struct json *event);
} readers[] = {
    {"header", read_header},
    {"model.request", read_request},
    {"model.response", read_response},
    {"inner.model.request", read_inner_request},
    {"inner.model.response", read_response},
};

static gramc_status read_event(struct script_reader *reader, const struct json *event) {
    gramc_text name = trace_text(event, "event");
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
        if (text_is(name, readers[i].event)) return readers[i].read(reader, event);
    return GRAMC_OK;
}

static gramc_status read_events(struct script_reader *reader) {
    const struct json *event;
    gramc_status status;
    while (!(status = trace_next(&reader->trace, &event)) && event)
        if ((status = read_event(reader, event)) != GRAMC_OK) break;
    return status;
}

static size_t count_lines(gramc_text text) {
    size_t count = 1;
    for (size_t i = 0; i < text.len; i++) count += text.ptr[i] == '\n';
    return count;
}

gramc_status gramc_model_new_script(gramc_model **out, gramc_text trace,
                                    const gramc_allocator *allocator, gramc_json_error *error) {
    gramc_model *model = model_new(&model_script, allocator);
    *out = NULL;
    if (!model) return GRAMC_NOMEM;
    gramc_text copy = arena_text(&model->arena, trace);
    struct script_reader reader = {.model = model,
                                   .trace = {.arena = &model->arena, .text = copy, .error = error}};
    model->answers = arena_array(&model->arena, count_lines(trace), sizeof(*model->answers));
    gramc_status status = model->answers && copy.ptr ? read_events(&reader) : GRAMC_NOMEM;
    if (status) gramc_model_free(model);
    else *out = model;
    return status;
}

/* ## Answering */

/* Whether an answer came in pieces makes no other request of it. NULL without memory. */
static const struct json *without_streaming(struct arena *arena, const struct json *request) {
    struct json *copy = arena_alloc(arena, sizeof(*copy)), **link;
    if (!copy || !json_is(request, JSON_OBJECT)) return copy ? request : NULL;
    *copy = *request;
    link = &copy->first;
    for (const struct json *member = request->first; member; member = member->next) {
        if (text_is(member->key, "stream") || text_is(member->key, "stream_options")) continue;
        struct json *kept = arena_alloc(arena, sizeof(*kept));
        if (!kept) return NULL;
        *kept = *member;
        *link = kept;
        link = &kept->next;
    }
    *link = NULL;
    return copy;
}

/* NULL if the request is as the script has it, else a sentence in the buffer. */
static const char *compare(struct ask *ask, const struct json *expected, struct buf *out) {
    if (!expected) return NULL;
    const struct json *body = json_parse(&ask->arena, buf_view(&ask->run->body), NULL);
    expected = without_streaming(&ask->arena, expected);
    body = body ? without_streaming(&ask->arena, body) : NULL;
    if (!body || !expected || !json_difference(out, expected, body)) return NULL;
    return buf_status(out) == GRAMC_NOMEM ? NULL : out->ptr;
}

static void answer(struct ask *ask, const struct script_answer *scripted) {
    bool functions = ask->run->wire == GRAMC_WIRE_FUNCTIONS;
    ask->reply = scripted->reply;
    ask->reply.legacy =
        functions && scripted->reply.call_count == 1 && scripted->reply.calls[0].id.len == 0;
    ask_answer(ask);
}

/* Its next answer, of those that are this run's; NULL: there are only *count. */
static const struct script_answer *find_answer(const gramc_run *run, size_t *count) {
    const gramc_model *model = run->model;
    *count = 0;
    for (size_t i = 0; i < model->answer_count; i++)
        if (text_eq(model->answers[i].within, run->within) && ++*count == run->asked)
            return &model->answers[i];
    return NULL;
}

static void start(struct ask *ask) {
    const gramc_run *run = ask->run;
    size_t count;
    const struct script_answer *found = find_answer(run, &count);
    struct buf difference;
    if (!found) {
        ask_fail(ask, "the script has %zu answer%s%s%.*s, and this is request %u", count,
                 text_plural(count), run->within.len ? " within " : "", TEXT_ARGS(run->within),
                 (unsigned)run->asked);
        return;
    }
    buf_init(&difference, &ask->run->loop->allocator, 2048);
    const char *why = compare(ask, found->request, &difference);
    if (ask->arena.oom || buf_status(&difference) == GRAMC_NOMEM) ask_fail_nomem(ask);
    else if (why) ask_fail(ask, "request %u is not the script's: %s", (unsigned)run->asked, why);
    else answer(ask, found);
    buf_free(&difference);
}

static void cancel(struct ask *ask) {
    (void)ask;
}

const struct model_kind model_script = {"script", start, cancel};
