/* Reads requests as OpenAI's clients write them: which agent, what was said before, what is asked
 * now. Instructions stand behind the agent's own. Tools are refused, since a client that gave some
 * would wait to be asked for them; what the spec decides about sampling is left to it, and told in
 * a header. */
#include "serve/completions.h"

#include "base/json/writer.h"
#include "base/text.h"

enum { HISTORY_MAX = 16 << 20, INPUTS_MAX = 100, NAMES_MAX = 4096 };

static bool refuse(struct asked *asked, const char *param, const char *code, const char *words) {
    asked->param = text_of(param);
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
        {"tools", USE_READ},
        {"functions", USE_READ},
        {"tool_choice", USE_READ},
        {"logprobs", USE_READ},
        {"modalities", USE_READ},
        {"user", USE_LABEL},
        {"store", USE_LABEL},
        {"service_tier", USE_LABEL},
        {"safety_identifier", USE_LABEL},
        {"prompt_cache_key", USE_LABEL},
        {"prompt_cache_retention", USE_LABEL},
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
        if (use == USE_REFUSED) {
            asked->param = text_slice(each->key, 0, each->key.len < 100 ? each->key.len : 100);
            reply_error(asked, 400, "unsupported_parameter",
                        "`%.*s` is not taken: what an agent does is in its spec",
                        TEXT_ARGS(asked->param));
        }
        if (use == USE_IGNORED)
            buf_printf(&ignored, "%s%.*s", ignored.len ? ", " : "", TEXT_ARGS(each->key));
    }
    asked->ignored = arena_text(&asked->arena, buf_view(&ignored));
    buf_free(&ignored);
    return !asked->status;
}

static bool is_word(const struct json *value, const char *word) {
    return json_is(value, JSON_STRING) && text_is(value->text, word);
}

static bool is_given(const struct json *value) {
    return value && value->kind != JSON_NULL;
}

/* An empty list is what some clients write for "none"; a choice between no tools says nothing. */
static bool check_tools(struct asked *asked, const struct json *root) {
    static const char *const lists[] = {"tools", "functions"};
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        const struct json *list = json_get(root, lists[i]);
        if (is_given(list) && !(list->kind == JSON_ARRAY && list->count == 0))
            return refuse(asked, lists[i], "unsupported_parameter",
                          "tools of clients are not taken: an agent has its own, and calls them "
                          "here");
    }
    const struct json *choice = json_get(root, "tool_choice");
    return !is_given(choice) || is_word(choice, "auto") || is_word(choice, "none") ||
           refuse(asked, "tool_choice", "unsupported_value",
                  "when an agent calls its tools is in its spec");
}

static bool is_one(const struct json *n) {
    return !is_given(n) || (n->kind == JSON_NUMBER && json_number_compare(n->text, TEXT("1")) == 0);
}

static bool is_text_alone(const struct json *modalities) {
    return !is_given(modalities) || (modalities->kind == JSON_ARRAY && modalities->count == 1 &&
                                     is_word(modalities->first, "text"));
}

static bool check_values(struct asked *asked, const struct json *root) {
    const struct json *format = json_get(root, "response_format");
    const struct json *logprobs = json_get(root, "logprobs"), *stream = json_get(root, "stream");
    if (!is_one(json_get(root, "n")))
        return refuse(asked, "n", "unsupported_value", "`n` is 1: an agent gives one answer");
    if (is_given(format) && !is_word(json_get(format, "type"), "text"))
        return refuse(asked, "response_format", "unsupported_value",
                      "`response_format` is text: the form of an agent's answer is in its spec");
    if (is_given(stream) && stream->kind > JSON_TRUE)
        return refuse(asked, "stream", "invalid_type", "`stream` is true or false");
    if (is_given(logprobs) && logprobs->kind != JSON_FALSE)
        return refuse(asked, "logprobs", "unsupported_value", "agents tell no probabilities");
    if (!is_text_alone(json_get(root, "modalities")))
        return refuse(asked, "modalities", "unsupported_value", "agents answer with text");
    return check_tools(asked, root);
}

/* ## Messages */

/* A text, or the texts of a list of parts. */
static bool read_content(struct asked *asked, const struct json *message, struct buf *out) {
    const struct json *content = json_get(message, "content");
    if (json_is(content, JSON_STRING)) {
        buf_text(out, content->text);
        return true;
    }
    bool refused = json_is(json_get(message, "refusal"), JSON_STRING);
    if (refused && !is_given(content)) {
        buf_text(out, json_get(message, "refusal")->text);
        return true;
    }
    if (!json_is(content, JSON_ARRAY))
        return refuse(asked, "messages", "invalid_type", "the content of a message is a text");
    for (const struct json *part = content->first; part; part = part->next) {
        const struct json *type = json_get(part, "type"), *text = json_get(part, "text");
        if (!json_is(type, JSON_STRING) || !text_is(type->text, "text") ||
            !json_is(text, JSON_STRING))
            return refuse(asked, "messages", "unsupported_value",
                          "only parts of the type text are taken");
        buf_text(out, text->text);
    }
    return true;
}

enum speaker { SPEAKER_USER, SPEAKER_ASSISTANT, SPEAKER_SYSTEM, SPEAKER_OTHER };

static enum speaker read_speaker(struct asked *asked, const struct json *message) {
    const struct json *role = json_get(message, "role"), *calls = json_get(message, "tool_calls");
    bool is_system = is_word(role, "system") || is_word(role, "developer");
    if (is_word(role, "user")) return SPEAKER_USER;
    if (is_word(role, "assistant") && (!is_given(calls) || !calls->first)) return SPEAKER_ASSISTANT;
    if (is_system && !asked->service->options.refuse_system) return SPEAKER_SYSTEM;
    refuse(asked, "messages", "unsupported_value",
           is_system ? "messages of the system are not taken here: the agent's instruction is in "
                       "its spec"
                     : "messages are the system's, the user's and the assistant's: agents call "
                       "their tools themselves");
    return SPEAKER_OTHER;
}

/* What was said before, as a session; what one says in several messages is one. */
struct told_history {
    struct asked *asked;
    struct buf said;         /* of whoever speaks */
    struct buf instructions; /* of the system, wherever they stand */
    struct json_writer *session;
    enum speaker speaker; /* OTHER: nobody has spoken */
    bool is_long;         /* something was said before */
    uint32_t turn;
};

static void put_said(struct told_history *history) {
    struct json_writer *w = history->session;
    if (history->speaker == SPEAKER_OTHER) return;
    history->is_long = true;
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
    if (speaker == SPEAKER_SYSTEM) {
        if (history->instructions.len) buf_puts(&history->instructions, "\n\n");
        return read_content(history->asked, message, &history->instructions);
    }
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
    if (status == GRAMC_FINDINGS)
        return refuse(asked, "messages", "invalid_value", "the history is none");
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
        return refuse(asked, "messages", "invalid_value", "the last message is the user's");
    if (last) *last = arena_text(&asked->arena, buf_view(&history->said));
    out->messages = last;
    out->message_count = 1;
    out->more_instruction = arena_text(&asked->arena, buf_view(&history->instructions));
    return !asked->arena.oom && !buf_status(&history->said) && !buf_status(&history->instructions);
}

static bool read_messages(struct asked *asked, const struct json *list,
                          struct served_question *out) {
    struct buf json;
    if (!json_is(list, JSON_ARRAY) || !list->first)
        return refuse(asked, "messages", "invalid_value", "`messages` is a list of messages");
    buf_init(&json, &asked->service->allocator, HISTORY_MAX);
    struct json_writer w = json_writer(&json);
    struct told_history history = {.asked = asked, .session = &w, .speaker = SPEAKER_OTHER};
    buf_init(&history.said, &asked->service->allocator, HISTORY_MAX);
    buf_init(&history.instructions, &asked->service->allocator, HISTORY_MAX);
    json_object_begin(&w);
    json_member_text(&w, "format", TEXT("gramc-session"));
    json_member_number(&w, "version", 1);
    json_member_array(&w, "messages");
    bool good = read_all(&history, list, out);
    json_array_end(&w);
    json_member_number(&w, "turns", history.turn);
    json_object_end(&w);
    if (good && history.is_long) good = load_session(asked, &json, out);
    buf_free(&history.said);
    buf_free(&history.instructions);
    buf_free(&json);
    return good;
}

/* ## The rest */

static bool read_model(struct asked *asked, const struct json *model, struct served_question *out) {
    if (!json_is(model, JSON_STRING))
        return refuse(asked, "model", "invalid_value", "`model` names an agent");
    out->agent = find_model(asked, model->text);
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
        return refuse(asked, "", "invalid_json", "the body is no JSON object");
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
