/* POST /v1/agents/NAME/messages: one message or several, in a session or not; answered by the same
 * document as `gramc run --format json`, or by a stream of events that ends with it. And GET
 * /NAME?message=, which answers with the text alone. */
#include "serve/answering.h"

#include "base/json/writer.h"
#include "base/text.h"

enum { MESSAGES_MAX = 100, INPUTS_MAX = 100, EVENT_MAX = 64 << 20 };

/* ## Whole */

static void answer_document(struct served_run *run, const gramc_run_result *result) {
    struct buf out;
    buf_init(&out, &run->asked->service->allocator, DOCUMENT_MAX);
    gramc_status status = document_print(&run->document, &out, result, result->text);
    if (status) out.state = status == GRAMC_NOMEM ? BUF_NOMEM : BUF_TOO_BIG;
    reply_json(run->asked, answering_status(result->outcome), &out);
}

static const struct reply_form whole = {.done = answer_document};

/* ## As events */

static struct json_writer begin_event(struct served_run *run, const char *name) {
    struct buf *out = outpour_buffer(run->asked);
    if (out) buf_printf(out, "event: %s\ndata: ", name);
    return json_writer(out);
}

static void end_event(struct served_run *run, struct json_writer *w) {
    json_object_end(w);
    buf_puts(w->out, "\n\n");
    outpour_flush(run->asked);
}

static void put_place(struct json_writer *w, const gramc_event *event) {
    json_object_begin(w);
    json_member_number(w, "turn", event->turn);
    json_member_number(w, "iteration", event->iteration);
}

static void put_begin(struct served_run *run, struct json_writer *w, const gramc_event *event) {
    json_object_begin(w);
    json_member_text(w, "run", event->start->run);
    bool told = !run->document.alias.len;
    json_member_text(w, "agent", told ? event->start->agent : run->document.alias);
    if (told) json_member_text(w, "library", event->start->library);
    if (told) json_member_text(w, "model", event->start->model);
    if (run->session) json_member_text(w, "session", web_session_id(run->session));
}

static void put_delta(struct served_run *run, struct json_writer *w, const gramc_event *event) {
    (void)run;
    put_place(w, event);
    json_member_text(w, "text", event->text);
}

static void put_called(struct served_run *run, struct json_writer *w, const gramc_event *event) {
    (void)run;
    put_place(w, event);
    json_member_number(w, "call", event->call->index + 1);
    json_member_text(w, "name", event->call->tool);
    json_member_text(w, "arguments", event->call->sent);
}

static void put_came_back(struct served_run *run, struct json_writer *w, const gramc_event *event) {
    (void)run;
    put_place(w, event);
    json_member_number(w, "call", event->call->index + 1);
    json_member_text(w, "name", event->call->tool);
    json_member_text(w, "arguments", event->call->call->arguments);
    json_member_text(w, "outcome", text_of(event->call->outcome));
    json_member_text(w, "result", event->text);
    json_member_number(w, "duration_us", event->duration_ns / 1000);
}

static void put_answered(struct served_run *run, struct json_writer *w, const gramc_event *event) {
    (void)run;
    put_place(w, event);
    json_member_text(w, "text", event->text);
}

static void tell_event(struct served_run *run, const gramc_event *event) {
    static const struct {
        gramc_event_kind kind;
        const char *name;
        void (*put)(struct served_run *run, struct json_writer *w, const gramc_event *event);
    } rows[] = {
        {GRAMC_EVENT_RUN, "run", put_begin},          {GRAMC_EVENT_DELTA, "delta", put_delta},
        {GRAMC_EVENT_CALL, "call", put_called},       {GRAMC_EVENT_RESULT, "result", put_came_back},
        {GRAMC_EVENT_ANSWER, "answer", put_answered},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (rows[i].kind != event->kind) continue;
        struct json_writer w = begin_event(run, rows[i].name);
        if (!w.out) return;
        rows[i].put(run, &w, event);
        end_event(run, &w);
    }
}

static void tell_document(struct served_run *run, const gramc_run_result *result) {
    struct buf *out = outpour_buffer(run->asked);
    if (out) {
        buf_puts(out, "event: done\ndata: ");
        gramc_status status = document_print(&run->document, out, result, result->text);
        buf_puts(out, "\n\n");
        if (status) out->state = BUF_NOMEM; /* an end without the document is a broken one */
    }
    outpour_end(run->asked);
}

static const struct reply_form events = {
    .event = tell_event, .done = tell_document, .streams = true};

/* ## What is asked */

struct body {
    const struct json *message, *messages, *input, *session, *stream, *library, *user, *covariate;
};

static bool refuse(struct asked *asked, const char *words) {
    reply_error(asked, 400, "bad_request", "%s", words);
    return false;
}

/* A member that is not known is no request of ours: nothing is dropped without a word. */
static bool read_members(struct asked *asked, const struct json *root, struct body *out) {
    const struct {
        const char *name;
        const struct json **value;
    } rows[] = {{"message", &out->message}, {"messages", &out->messages},
                {"input", &out->input},     {"session", &out->session},
                {"stream", &out->stream},   {"library", &out->library},
                {"user", &out->user},       {"covariate", &out->covariate}};
    /* The last two are an experiment's, which takes the place of the library. */
    size_t count = sizeof(rows) / sizeof(*rows) - (asked->service->options.online ? 0 : 2);
    for (const struct json *member = root->first; member; member = member->next) {
        size_t i = 0;
        while (i < count && !text_is(member->key, rows[i].name)) i++;
        if (i == count) {
            reply_error(asked, 400, "unknown_member", "there is no member `%.*s` of a request",
                        (int)(member->key.len < 100 ? member->key.len : 100), member->key.ptr);
            return false;
        }
        if (*rows[i].value) return refuse(asked, "a member is given twice");
        *rows[i].value = member;
    }
    return true;
}

static bool read_messages(struct asked *asked, const struct body *body,
                          struct served_question *out) {
    const struct json *list = body->messages ? body->messages->first : body->message;
    gramc_text *texts = arena_array(&asked->arena, MESSAGES_MAX, sizeof(*texts));
    if (!body->message == !body->messages)
        return refuse(asked, "say `message`, a text, or `messages`, a list of them");
    if (body->messages && body->messages->kind != JSON_ARRAY)
        return refuse(asked, "`messages` is a list of texts");
    for (; texts && list; list = body->messages ? list->next : NULL) {
        if (list->kind != JSON_STRING) return refuse(asked, "a message is a text");
        if (out->message_count == MESSAGES_MAX) return refuse(asked, "there are over 100 messages");
        texts[out->message_count++] = list->text;
    }
    out->messages = texts;
    return texts != NULL;
}

static bool read_inputs(struct asked *asked, const struct json *given,
                        struct served_question *out) {
    gramc_input *inputs = arena_array(&asked->arena, INPUTS_MAX, sizeof(*inputs));
    if (!inputs) return false;
    if (given && given->kind != JSON_OBJECT)
        return refuse(asked, "`input` is an object with a text for each name");
    for (const struct json *each = given ? given->first : NULL; each; each = each->next) {
        if (each->kind != JSON_STRING && each->kind != JSON_NUMBER)
            return refuse(asked, "an input is a text or a number");
        if (out->input_count == INPUTS_MAX) return refuse(asked, "there are over 100 inputs");
        inputs[out->input_count++] = (gramc_input){each->key, each->text};
    }
    out->inputs = inputs;
    return true;
}

static bool read_agent(struct asked *asked, const struct body *body, struct served_question *out) {
    gramc_text name, library = {NULL, 0};
    if (body->library && body->library->kind != JSON_STRING)
        return refuse(asked, "`library` is a name");
    if (body->library) library = body->library->text;
    if (unescape(&asked->arena, asked->rest, false, &name))
        out->agent = find_agent(asked->service, name, library);
    if (!out->agent && library.len && find_agent(asked->service, name, TEXT("")))
        reply_error(asked, 404, "no_library", "the agent is not served with that library");
    else if (!out->agent) reply_error(asked, 404, "no_agent", "there is no agent of that name");
    return out->agent != NULL;
}

static bool read_unit(struct asked *asked, const struct body *body, struct served_question *out) {
    if (body->library && asked->service->options.online)
        return refuse(asked, "the experiment says which `library` answers");
    if (body->user && body->user->kind != JSON_STRING && body->user->kind != JSON_NULL)
        return refuse(asked, "`user` is a text");
    if (json_is(body->user, JSON_STRING)) out->user = body->user->text;
    out->told_covariate = body->covariate;
    return true;
}

/* true begins one, an id continues it. */
static bool read_session(struct asked *asked, const struct json *given,
                         struct served_question *out) {
    if (!given || given->kind == JSON_FALSE || given->kind == JSON_NULL) return true;
    if (given->kind == JSON_TRUE) out->session = session_begin(asked);
    else if (given->kind == JSON_STRING) out->session = session_find(asked, given->text);
    else return refuse(asked, "`session` is true, for a new one, or an id");
    return out->session != NULL;
}

/* The session last: it is taken. */
static bool read_question(struct asked *asked, const struct json *root, struct served_question *out,
                          bool *streams) {
    struct body body = {0};
    if (!json_is(root, JSON_OBJECT)) return refuse(asked, "the body is no JSON object");
    if (!read_members(asked, root, &body)) return false;
    if (body.stream && body.stream->kind != JSON_TRUE && body.stream->kind != JSON_FALSE)
        return refuse(asked, "`stream` is true or false");
    *streams = json_is(body.stream, JSON_TRUE);
    return read_unit(asked, &body, out) && read_agent(asked, &body, out) &&
           read_messages(asked, &body, out) && read_inputs(asked, body.input, out) &&
           read_session(asked, body.session, out);
}

void answer_messages(struct asked *asked) {
    struct served_question question = {0};
    bool streams = false;
    const struct json *root = json_parse(&asked->arena, buf_view(&asked->body), NULL);
    if (read_question(asked, root, &question, &streams))
        answering_start(asked, &question, streams ? &events : &whole);
    else if (!asked->status || asked->arena.oom) reply_nomem(asked);
}

/* ## GET, for those who ask for it */

static void answer_text(struct served_run *run, const gramc_run_result *result) {
    struct asked *asked = run->asked;
    unsigned status = answering_status(result->outcome);
    if (result->outcome == GRAMC_OUTCOME_ANSWERED)
        reply_constant(asked, 200, "text/plain; charset=utf-8", result->text);
    else
        reply_error(asked, status == 200 ? 502 : status, gramc_outcome_name(result->outcome),
                    "%.*s", TEXT_ARGS(result->message));
}

static const struct reply_form text = {.done = answer_text};

/* The message and every other parameter, which is an input. */
static bool read_query(struct asked *asked, struct served_question *out) {
    gramc_text *message = arena_array(&asked->arena, 1, sizeof(*message));
    gramc_input *inputs = arena_array(&asked->arena, INPUTS_MAX, sizeof(*inputs));
    for (size_t pos = 0; inputs && message && pos < asked->query.len;) {
        size_t end = pos, equals;
        while (end < asked->query.len && asked->query.ptr[end] != '&') end++;
        for (equals = pos; equals < end && asked->query.ptr[equals] != '=';) equals++;
        gramc_text name, value;
        size_t from = equals < end ? equals + 1 : end;
        if (!unescape(&asked->arena, text_slice(asked->query, pos, equals), true, &name) ||
            !unescape(&asked->arena, text_slice(asked->query, from, end), true, &value))
            return refuse(asked, "the query cannot be read");
        pos = end + 1;
        if (text_is(name, "message")) {
            *message = value;
            out->message_count = 1;
        } else if (out->input_count == INPUTS_MAX)
            return refuse(asked, "there are over 100 inputs");
        else inputs[out->input_count++] = (gramc_input){name, value};
    }
    out->messages = message;
    out->inputs = inputs;
    return message && inputs;
}

void answer_get(struct asked *asked) {
    struct served_question question = {0};
    const struct body none = {0};
    if (read_agent(asked, &none, &question) && read_query(asked, &question))
        answering_start(asked, &question, &text);
    else if (!asked->status || asked->arena.oom) reply_nomem(asked);
}
