/* Which agents there are and what they are called: as /v1/agents has it, and as models for clients
 * that speak to OpenAI. AGENT is an agent with its first library, AGENT@LIBRARY with that one. */
#include "serve/answering.h"

#include "base/json/writer.h"
#include "base/text.h"

enum { LIST_MAX = 16 << 20 };

const struct served_agent *find_agent(const struct service *service, gramc_text name,
                                      gramc_text library) {
    const struct serve_options *options = &service->options;
    for (size_t i = 0; i < options->agent_count; i++) {
        const struct served_agent *agent = &options->agents[i];
        if (!text_eq(agent->agent->name, name)) continue;
        if (options->online) return library.len || i ? NULL : agent;
        if (library.len == 0 || text_eq(agent->library, library)) return agent;
    }
    return NULL;
}

/* A name may hold an @ of its own. */
const struct served_agent *find_model(struct asked *asked, gramc_text name) {
    const struct served_agent *found = find_agent(asked->service, name, TEXT(""));
    for (size_t at = 0; !found && at < name.len; at++)
        if (name.ptr[at] == '@' && at + 1 < name.len)
            found = find_agent(asked->service, text_slice(name, 0, at),
                               text_slice(name, at + 1, name.len));
    if (found) return found;
    asked->param = TEXT("model");
    reply_error(asked, 404, "model_not_found", "the model `%.*s` does not exist",
                (int)(name.len < 200 ? name.len : 200), name.ptr);
    return NULL;
}

bool is_first_of_name(const struct service *service, size_t i) {
    const struct served_agent *agent = &service->options.agents[i];
    return find_agent(service, agent->agent->name, TEXT("")) == agent;
}

/* ## Escapes of addresses */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool unescape(struct arena *arena, gramc_text text, bool form, gramc_text *out) {
    char *bytes = arena_alloc(arena, text.len + 1);
    size_t len = 0;
    if (!bytes) return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = form && text.ptr[i] == '+' ? ' ' : text.ptr[i];
        if (text.ptr[i] == '%') {
            int high = i + 2 < text.len ? hex_digit(text.ptr[i + 1]) : -1;
            int low = high >= 0 ? hex_digit(text.ptr[i + 2]) : -1;
            if (low < 0) return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c == '\0') return false;
        bytes[len++] = c;
    }
    bytes[len] = '\0';
    *out = (gramc_text){bytes, len};
    return text_is_utf8(*out);
}

/* ## Lists */

void answer_health(struct asked *asked) {
    struct buf out;
    buf_init(&out, &asked->service->allocator, LIST_MAX);
    buf_puts(&out, "{\"status\":\"ok\"}");
    reply_json(asked, 200, &out);
}

/* Which of them answers is an experiment's secret. */
static void put_libraries(struct json_writer *w, const struct service *service, gramc_text name) {
    size_t count = service->options.online ? 0 : service->options.agent_count;
    json_member_array(w, "libraries");
    for (size_t i = 0; i < count; i++) {
        const struct served_agent *agent = &service->options.agents[i];
        if (!text_eq(agent->agent->name, name)) continue;
        json_object_begin(w);
        json_member_text(w, "name", agent->library);
        json_member_text(w, "fingerprint", gramc_bound_library_fingerprint(agent->bound));
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_agent(struct json_writer *w, const struct service *service,
                      const struct served_agent *agent) {
    json_object_begin(w);
    json_member_text(w, "name", agent->agent->name);
    json_member_some(w, "description", agent->agent->description);
    json_member_text(w, "fingerprint", gramc_bound_spec_fingerprint(agent->bound));
    json_member_array(w, "inputs");
    for (size_t i = 0; i < agent->agent->input_count; i++) json_text(w, agent->agent->inputs[i]);
    json_array_end(w);
    json_member_array(w, "tools");
    for (size_t i = 0; i < agent->agent->tool_count; i++) {
        json_object_begin(w);
        json_member_text(w, "name", agent->agent->tools[i]->name);
        json_member_some(w, "description", agent->agent->tools[i]->description);
        json_object_end(w);
    }
    json_array_end(w);
    put_libraries(w, service, agent->agent->name);
    json_object_end(w);
}

void answer_agents(struct asked *asked) {
    struct service *service = asked->service;
    struct buf out;
    buf_init(&out, &service->allocator, LIST_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    json_member_array(&w, "agents");
    for (size_t i = 0; i < service->options.agent_count; i++)
        if (is_first_of_name(service, i)) put_agent(&w, service, &service->options.agents[i]);
    json_array_end(&w);
    json_object_end(&w);
    reply_json(asked, 200, &out);
}

static void put_model(struct json_writer *w, const struct served_agent *agent, bool whole_name) {
    struct buf *out = json_slot(w);
    struct buf id;
    buf_init(&id, &out->allocator, LIST_MAX);
    buf_text(&id, agent->agent->name);
    if (whole_name) buf_putc(&id, '@');
    if (whole_name) buf_text(&id, agent->library);
    struct json_writer model = json_writer(out);
    json_object_begin(&model);
    json_member_text(&model, "id", buf_view(&id));
    json_member_text(&model, "object", TEXT("model"));
    json_member_number(&model, "created", 0);
    json_member_text(&model, "owned_by", TEXT("gramc"));
    json_object_end(&model);
    if (buf_status(&id)) out->state = id.state;
    buf_free(&id);
}

void answer_models(struct asked *asked) {
    struct service *service = asked->service;
    struct buf out;
    buf_init(&out, &service->allocator, LIST_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    json_member_text(&w, "object", TEXT("list"));
    json_member_array(&w, "data");
    for (size_t i = 0; i < service->options.agent_count; i++) {
        const struct served_agent *agent = &service->options.agents[i];
        if (is_first_of_name(service, i)) put_model(&w, agent, false);
        if (agent->library.len && !service->options.online) put_model(&w, agent, true);
    }
    json_array_end(&w);
    json_object_end(&w);
    reply_json(asked, 200, &out);
}

void answer_model(struct asked *asked) {
    gramc_text name = TEXT("");
    struct buf out;
    if (!unescape(&asked->arena, asked->rest, false, &name)) name = asked->rest;
    const struct served_agent *agent = find_model(asked, name);
    if (!agent) return;
    buf_init(&out, &asked->service->allocator, LIST_MAX);
    struct json_writer w = json_writer(&out);
    put_model(&w, agent, !text_eq(name, agent->agent->name));
    reply_json(asked, 200, &out);
}
