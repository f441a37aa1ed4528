/* Reads requests as OpenAI's clients write them: which agent, what was said before, what is asked
 * now. What an agent's spec decides (tools, instruction) is refused, since a client that asked for
 * it would wait for it; what it decides about sampling is left to it, and told in a header. */
#include "serve/completions.h"

#include "base/json/writer.h"
#include "base/text.h"

enum { HISTORY_MAX = 16 << 20, INPUTS_MAX = 100, NAMES_MAX = 4096 };

static bool refuse(struct asked *asked, const char *code, const char *words) {
    reply_error(asked, 400, code, "%s", words);
    return false;
}

/* ## Members */

enum member_use { USE_READ, USE_LABEL, USE_IGNORED, USE_REFUSED };

static enum member_use member_use(gramc_text name) {
    static const struct {
        const char *name;
        enum member_use use;
    } rows[] = {
        {"model", USE_READ},
        {"messages", USE_READ},
        {"stream", USE_READ},
        {"stream_options", USE_READ},
        {"metadata", USE_READ},
        {"n", USE_READ},
        {"response_format", USE_READ},
        {"user", USE_LABEL},
        {"store", USE_LABEL},
        {"service_tier", USE_LABEL},
        {"safety_identifier", USE_LABEL},
        {"prompt_cache_key", USE_LABEL},
        {"temperature", USE_IGNORED},
        {"top_p", USE_IGNORED},
        {"max_tokens", USE_IGNORED},
        {"max_completion_tokens", USE_IGNORED},
        {"seed", USE_IGNORED},
        {"stop", USE_IGNORED},
        {"presence_penalty", USE_IGNORED},
        {"frequency_penalty", USE_IGNORED},
        {"logit_bias", USE_IGNORED},
        {"reasoning_effort", USE_IGNORED},
        {"verbosity", USE_IGNORED},
        {"parallel_tool_calls", USE_IGNORED},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (text_is(name, rows[i].name)) return rows[i].use;
    return USE_REFUSED;
}

/* null is what some clients write for "not given". */
static bool look_at_members(struct asked *asked, const struct json *root) {
    struct buf ignored;
    buf_init(&ignored, &asked->service->allocator, NAMES_MAX);
    for (const struct json *each = root->first; each && !asked->status; each = each->next) {
        enum member_use use = each->kind == JSON_NULL ? USE_LABEL : member_use(each->key);
        if (use == USE_REFUSED)
            reply_error(asked, 400, "unsupported_parameter",
                        "`%.*s` is not taken: what an agent does is in its spec",
                        (int)(each->key.len < 100 ? each->key.len : 100), each->key.ptr);
        if (use == USE_IGNORED)
            buf_printf(&ignored, "%s%.*s", ignored.len ? ", " : "", TEXT_ARGS(each->key));
    }
    asked->ignored = arena_text(&asked->arena, buf_view(&ignored));
    buf_free(&ignored);
    return !asked->status;
}

static bool check_values(struct asked *asked, const struct json *root) {
    const struct json *n = json_get(root, "n"), *format = json_get(root, "response_format");
    const struct json *type = json_get(format, "type"), *stream = json_get(root, "stream");
    if (json_is(n, JSON_NUMBER) && json_number_compare(n->text, TEXT("1")) != 0)
        return refuse(asked, "unsupported_value", "`n` is 1: an agent gives one answer");
    if (json_is(format, JSON_OBJECT) &&
        !(json_is(type, JSON_STRING) && text_is(type->text, "text")))
        return refuse(asked, "unsupported_value",
                      "`response_format` is text: the form of an agent's answer is in its spec");
    if (stream && stream->kind > JSON_TRUE)
        return refuse(asked, "invalid_type", "`stream` is true or false");
    return true;
}

/* ## Messages */

/* A text, or the texts of a list of parts. */
static bool read_content(struct asked *asked, const struct json *message, struct buf *out) {
    const struct json *content = json_get(message, "content");
    if (json_is(content, JSON_STRING)) {
        buf_text(out, content->text);
        return true;
    }
    if (!json_is(content, JSON_ARRAY))
        return refuse(asked, "invalid_type", "the content of a message is a text");
    for (const struct json *part = content->first; part; part = part->next) {
        const struct json *type = json_get(part, "type"), *text = json_get(part, "text");
        if (!json_is(type, JSON_STRING) || !text_is(type->text, "text") ||
            !json_is(text, JSON_STRING))
            return refuse(asked, "unsupported_value", "only parts of the type text are taken");
        buf_text(out, text->text);
    }
    return true;
}

enum speaker { SPEAKER_USER, SPEAKER_ASSISTANT, SPEAKER_OTHER };

static enum speaker read_speaker(struct asked *asked, const struct json *message) {
    const struct json *role = json_get(message, "role"), *calls = json_get(message, "tool_calls");
    gramc_text name = json_is(role, JSON_STRING) ? role->text : TEXT("");
    if (text_is(name, "user")) return SPEAKER_USER;
    if (text_is(name, "assistant") && (!calls || calls->kind == JSON_NULL))
        return SPEAKER_ASSISTANT;
    if (text_is(name, "system") || text_is(name, "developer"))
        refuse(asked, "unsupported_value",
               "messages of the system are not taken: the agent's instruction is in its spec");
    else
        refuse(asked, "unsupported_value",
               "messages are the user's and the assistant's: agents call their tools themselves");
    return SPEAKER_OTHER;
}

/* What was said before, as a session; what one says in several messages is one. */
struct told_history {
    struct asked *asked;
    struct buf said; /* of whoever speaks */
    struct json_writer *session;
    enum speaker speaker; /* OTHER: nobody has spoken */
    uint32_t turn;
};

static void put_said(struct told_history *history) {
    struct json_writer *w = history->session;
    if (history->speaker == SPEAKER_OTHER) return;
    bool user = history->speaker == SPEAKER_USER;
    if (user) history->turn++;
    json_object_begin(w);
    json_member_text(w, "role", user ? TEXT("user") : TEXT("assistant"));
    json_member_number(w, "turn", history->turn ? history->turn : 1);
    json_member_text(w, "content", buf_view(&history->said));
    json_object_end(w);
    buf_reset(&history->said);
}

static bool read_message(struct told_history *history, const struct json *message) {
    enum speaker speaker = read_speaker(history->asked, message);
    if (speaker == SPEAKER_OTHER) return false;
    if (speaker != history->speaker) put_said(history);
    else buf_puts(&history->said, "\n\n");
    history->speaker = speaker;
    return read_content(history->asked, message, &history->said);
}

static bool load_session(struct asked *asked, const struct buf *json, struct served_question *out) {
    const gramc_allocator *allocator = &asked->service->allocator;
    gramc_status status = buf_status(json);
    if (!status) status = gramc_session_new(&out->history, allocator);
    if (!status) status = gramc_session_load(out->history, buf_view(json), NULL);
    if (!status) return true;
    gramc_session_free(out->history);
    out->history = NULL;
    if (status == GRAMC_FINDINGS) return refuse(asked, "invalid_value", "the history is none");
    reply_nomem(asked);
    return false;
}

static bool read_all(struct told_history *history, const struct json *list,
                     struct served_question *out) {
    struct asked *asked = history->asked;
    gramc_text *last = arena_array(&asked->arena, 1, sizeof(*last));
    for (const struct json *each = list->first; each; each = each->next)
        if (!read_message(history, each)) return false;
    if (history->speaker != SPEAKER_USER)
        return refuse(asked, "invalid_value", "the last message is the user's");
    if (last) *last = arena_text(&asked->arena, buf_view(&history->said));
    out->messages = last;
    out->message_count = 1;
    return !asked->arena.oom && !buf_status(&history->said);
}

static bool read_messages(struct asked *asked, const struct json *list,
                          struct served_question *out) {
    struct buf json;
    if (!json_is(list, JSON_ARRAY) || !list->first)
        return refuse(asked, "invalid_value", "`messages` is a list of messages");
    buf_init(&json, &asked->service->allocator, HISTORY_MAX);
    struct json_writer w = json_writer(&json);
    struct told_history history = {.asked = asked, .session = &w, .speaker = SPEAKER_OTHER};
    buf_init(&history.said, &asked->service->allocator, HISTORY_MAX);
    json_object_begin(&w);
    json_member_text(&w, "format", TEXT("gramc-session"));
    json_member_number(&w, "version", 1);
    json_member_array(&w, "messages");
    bool good = read_all(&history, list, out);
    json_array_end(&w);
    json_member_number(&w, "turns", history.turn);
    json_object_end(&w);
    if (good && list->count > 1) good = load_session(asked, &json, out);
    buf_free(&history.said);
    buf_free(&json);
    return good;
}

/* ## The rest */

/* AGENT or AGENT@LIBRARY; a name may hold an @ of its own. */
static bool read_model(struct asked *asked, const struct json *model, struct served_question *out) {
    if (!json_is(model, JSON_STRING))
        return refuse(asked, "invalid_value", "`model` names an agent");
    gramc_text name = model->text;
    out->agent = find_agent(asked->service, name, TEXT(""));
    for (size_t at = 0; !out->agent && at < name.len; at++)
        if (name.ptr[at] == '@' && at + 1 < name.len)
            out->agent = find_agent(asked->service, text_slice(name, 0, at),
                                    text_slice(name, at + 1, name.len));
    if (!out->agent)
        reply_error(asked, 404, "model_not_found", "the model `%.*s` does not exist",
                    (int)(name.len < 200 ? name.len : 200), name.ptr);
    return out->agent != NULL;
}

/* Labels that the agent asks for by name are its inputs. */
static bool read_inputs(struct asked *asked, const struct json *labels,
                        struct served_question *out) {
    gramc_input *inputs = arena_array(&asked->arena, INPUTS_MAX, sizeof(*inputs));
    const gramc_agent *agent = out->agent->agent;
    for (size_t i = 0; inputs && i < agent->input_count && i < INPUTS_MAX; i++) {
        const struct json *value = json_get_text(labels, agent->inputs[i]);
        if (json_is(value, JSON_STRING))
            inputs[out->input_count++] = (gramc_input){agent->inputs[i], value->text};
    }
    out->inputs = inputs;
    return inputs != NULL;
}

bool completions_read(struct asked *asked, struct served_question *out, bool *streams) {
    const struct json *root = json_parse(&asked->arena, buf_view(&asked->body), NULL);
    if (!json_is(root, JSON_OBJECT))
        return refuse(asked, "invalid_json", "the body is no JSON object");
    if (!look_at_members(asked, root) || !check_values(asked, root)) return false;
    *streams = json_is(json_get(root, "stream"), JSON_TRUE);
    out->wants_usage =
        json_is(json_get(json_get(root, "stream_options"), "include_usage"), JSON_TRUE);
    const struct json *user = json_get(root, "user");
    if (json_is(user, JSON_STRING)) out->user = user->text;
    out->told_covariate = json_get(json_get(root, "metadata"), "covariate");
    return read_model(asked, json_get(root, "model"), out) &&
           read_inputs(asked, json_get(root, "metadata"), out) &&
           read_messages(asked, json_get(root, "messages"), out);
}
