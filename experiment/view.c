/* Takes the first request of each arm from the runtime itself, and compares them as JSON: tools by
 * their names, everything else place by place. What an experiment varies is left out; so is the
 * sampling seed, which is the same in all arms by construction. */
#include "experiment/view.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

/* ## Taking */

struct capture {
    struct arena *arena;
    gramc_run *run;
    gramc_text body, message;
    bool done, no_memory;
};

/* The run ends before anybody is asked: it is canceled in the step that builds the request. */
static void on_event(void *ctx, const gramc_event *event) {
    struct capture *capture = ctx;
    if (event->kind != GRAMC_EVENT_REQUEST || capture->body.ptr) return;
    capture->body = arena_text(capture->arena, event->text);
    gramc_run_cancel(capture->run);
}

static void on_done(void *ctx, const gramc_run_result *result) {
    struct capture *capture = ctx;
    capture->message = arena_text(capture->arena, result->message);
    capture->done = true;
    capture->no_memory = result->no_memory;
}

static gramc_status capture_body(struct capture *capture, gramc_loop *loop,
                                 const gramc_bound *bound, const struct item *item) {
    const gramc_run_handler handler = {.done = on_done, .event = on_event, .ctx = capture};
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_allocator allocator = capture->arena->allocator;
    gramc_model *mock;
    gramc_status status = gramc_model_new_mock(&mock, &allocator);
    if (status) return status;
    options.model = mock;
    options.messages = item->messages;
    options.message_count = item->message_count;
    options.inputs = item->inputs;
    options.input_count = item->input_count;
    options.trace_without_times = true;
    status = gramc_run_start(&capture->run, loop, bound, &options, &handler);
    if (!status) status = gramc_loop_run(loop);
    gramc_model_free(mock);
    return status;
}

gramc_status view_take(struct request_view *out, struct arena *arena, gramc_loop *loop,
                       const gramc_bound *bound, const struct item *item, struct buf *why) {
    struct capture capture = {.arena = arena};
    gramc_status status = capture_body(&capture, loop, bound, item);
    if (status == GRAMC_NOMEM || arena->oom || capture.no_memory) return GRAMC_NOMEM;
    if (status || !capture.body.ptr) {
        buf_puts(why, "a run cannot begin with the first case");
        if (capture.message.len) buf_puts(why, ": ");
        buf_text(why, capture.message);
        return GRAMC_FINDINGS;
    }
    out->body = capture.body;
    out->document = json_parse(arena, capture.body, NULL);
    return out->document ? GRAMC_OK : GRAMC_NOMEM;
}

/* ## What is not compared */

enum varied { VARY_DESCRIPTION = 1, VARY_SCHEMA = 2, VARY_MODEL = 4, VARY_AGENT = 8 };

static unsigned read_vary(const gramc_text *vary, size_t count) {
    static const struct {
        const char *word;
        unsigned bit;
    } rows[] = {{"description", VARY_DESCRIPTION},
                {"schema", VARY_SCHEMA},
                {"model", VARY_MODEL},
                {"agent", VARY_AGENT}};
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++)
            if (text_is(vary[i], rows[row].word)) bits |= rows[row].bit;
    return bits;
}

static bool is_among(gramc_text key, const char *const *words) {
    for (; *words; words++)
        if (text_is(key, *words)) return true;
    return false;
}

/* Names of the protocols for what `model` covers. */
static bool is_sampling(gramc_text key) {
    static const char *const words[] = {"model",
                                        "temperature",
                                        "top_p",
                                        "topP",
                                        "max_tokens",
                                        "max_completion_tokens",
                                        "max_output_tokens",
                                        "maxOutputTokens",
                                        "num_predict",
                                        "presence_penalty",
                                        "presencePenalty",
                                        "frequency_penalty",
                                        "frequencyPenalty",
                                        NULL};
    return is_among(key, words);
}

static bool is_words(gramc_text key) {
    static const char *const words[] = {"description", "title", "examples", NULL};
    return is_among(key, words);
}

static bool is_schema(gramc_text key) {
    static const char *const words[] = {"parameters",  "input_schema", "parametersJsonSchema",
                                        "inputSchema", "strict",       NULL};
    return is_among(key, words);
}

/* Its keys are names that somebody chose, not words of a schema. */
static bool holds_names(gramc_text key) {
    static const char *const words[] = {
        "properties", "$defs", "definitions", "patternProperties", "dependentSchemas", NULL};
    return is_among(key, words);
}

static bool holds_tools(gramc_text key) {
    static const char *const words[] = {"tools", "functions", "functionDeclarations", NULL};
    return is_among(key, words);
}

/* ## Comparing */

struct comparing {
    struct buf *why;
    struct buf path;
    const struct request_view *first, *second;
    unsigned vary;
    gramc_text tool;
    bool in_tools;
    unsigned depth;
};

static bool differ(struct comparing *c, const struct json *a, const struct json *b);

static bool is_left_out(const struct comparing *c, gramc_text key, bool names) {
    if (names) return false;
    if (c->in_tools)
        return ((c->vary & VARY_DESCRIPTION) && is_words(key)) ||
               ((c->vary & VARY_SCHEMA) && is_schema(key));
    if (c->depth > 2) return false;
    return text_is(key, "seed") || ((c->vary & VARY_MODEL) && is_sampling(key));
}

static void put_side(struct buf *why, const struct request_view *view, const struct json *value) {
    enum { MOST = 200 };
    struct buf text;
    buf_puts(why, "\n  ");
    buf_text(why, view->name);
    if (!value) {
        buf_puts(why, " does not have it");
        return;
    }
    buf_init(&text, &why->allocator, 1 << 26);
    json_put(&text, value);
    gramc_text shown = buf_view(&text);
    size_t end = 0;
    while (end < shown.len && end < MOST) text_decode(shown, &end);
    buf_puts(why, ": ");
    buf_text(why, text_slice(shown, 0, end));
    if (end < shown.len) buf_puts(why, "...");
    buf_free(&text);
}

static bool tell(struct comparing *c, const struct json *a, const struct json *b) {
    buf_puts(c->why, "the model does not see the same in all arms: ");
    if (c->tool.len) {
        buf_puts(c->why, "tool `");
        buf_text(c->why, c->tool);
        buf_puts(c->why, "`");
        if (c->path.len) buf_puts(c->why, ", ");
    }
    buf_text(c->why, buf_view(&c->path));
    put_side(c->why, c->first, a);
    put_side(c->why, c->second, b);
    return true;
}

/* Behind the tool's name the path begins anew. */
static bool differ_at(struct comparing *c, gramc_text key, const struct json *a,
                      const struct json *b) {
    size_t len = c->path.len;
    bool was_in_tools = c->in_tools;
    json_put_pointer_token(&c->path, key);
    c->in_tools |= holds_tools(key);
    c->depth++;
    bool differs = !a || !b ? tell(c, a, b) : differ(c, a, b);
    c->depth--;
    c->in_tools = was_in_tools;
    c->path.len = len;
    return differs;
}

static bool differ_in_objects(struct comparing *c, const struct json *a, const struct json *b,
                              bool names) {
    for (const struct json *m = a->first; m; m = m->next)
        if (!is_left_out(c, m->key, names) && differ_at(c, m->key, m, json_get_text(b, m->key)))
            return true;
    for (const struct json *m = b->first; m; m = m->next)
        if (!is_left_out(c, m->key, names) && !json_get_text(a, m->key))
            return differ_at(c, m->key, NULL, m);
    return false;
}

/* The name of a tool, in any protocol; empty: the value is none. */
static gramc_text tool_name(const struct json *value) {
    const struct json *name = json_get(json_get(value, "function"), "name");
    if (!name) name = json_get(value, "name");
    return json_is(name, JSON_STRING) ? name->text : (gramc_text){NULL, 0};
}

static const struct json *find_tool(const struct json *list, gramc_text name) {
    for (const struct json *item = list->first; item; item = item->next)
        if (text_eq(tool_name(item), name)) return item;
    return NULL;
}

static bool differ_in_tool(struct comparing *c, gramc_text name, const struct json *a,
                           const struct json *b) {
    struct comparing inner = *c;
    inner.tool = name;
    buf_init(&inner.path, &c->why->allocator, 1 << 16);
    bool differs = !a || !b ? tell(&inner, a, b) : differ(&inner, a, b);
    buf_free(&inner.path);
    return differs;
}

static bool differ_in_lists(struct comparing *c, const struct json *a, const struct json *b) {
    const struct json *x = a->first, *y = b->first;
    bool tools = c->in_tools && !c->tool.len && (tool_name(x).len || tool_name(y).len);
    for (; tools && x; x = x->next)
        if (differ_in_tool(c, tool_name(x), x, find_tool(b, tool_name(x)))) return true;
    for (; tools && y; y = y->next)
        if (!find_tool(a, tool_name(y))) return differ_in_tool(c, tool_name(y), NULL, y);
    for (x = a->first, y = b->first; x && y; x = x->next, y = y->next)
        if (tools ? !text_eq(tool_name(x), tool_name(y)) : differ(c, x, y))
            return tools ? tell(c, a, b) : true;
    return x || y ? tell(c, a, b) : false;
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
static bool differ(struct comparing *c, const struct json *a, const struct json *b) {
    gramc_text path = buf_view(&c->path);
    size_t slash = path.len;
    while (slash && path.ptr[slash - 1] != '/') slash--;
    if (a->kind != b->kind) return tell(c, a, b);
    if (a->kind == JSON_OBJECT)
        return differ_in_objects(c, a, b,
                                 c->in_tools && holds_names(text_slice(path, slash, path.len)));
    if (a->kind == JSON_ARRAY) return differ_in_lists(c, a, b);
    return text_eq(a->text, b->text) ? false : tell(c, a, b);
}

bool view_differs(struct buf *why, const struct request_view *first,
                  const struct request_view *second, const gramc_text *vary, size_t vary_count) {
    struct comparing c = {
        .why = why, .first = first, .second = second, .vary = read_vary(vary, vary_count)};
    if (c.vary & VARY_AGENT) return false;
    if (!(c.vary & VARY_MODEL) && !text_eq(first->model, second->model)) {
        buf_printf(why, "the arms ask different models, and the experiment does not vary `model`:");
        buf_printf(why, "\n  %.*s: %.*s\n  %.*s: %.*s", TEXT_ARGS(first->name),
                   TEXT_ARGS(first->model), TEXT_ARGS(second->name), TEXT_ARGS(second->model));
        return true;
    }
    buf_init(&c.path, &why->allocator, 1 << 16);
    bool differs = differ(&c, first->document, second->document);
    buf_free(&c.path);
    return differs;
}

/* ## All that differs */

struct summing {
    struct buf *out;
    const struct request_view *first, *second;
};

static void add_part(struct summing *s, const char *before, gramc_text name, const char *after) {
    if (s->out->len) buf_puts(s->out, "; ");
    buf_puts(s->out, before);
    buf_text(s->out, name);
    buf_puts(s->out, after);
}

/* With what `vary` says left out of it; NULL: one does not have it. */
static bool are_unlike(const struct summing *s, const struct json *a, const struct json *b,
                       unsigned vary, bool in_tools) {
    struct buf why;
    if (!a || !b) return a != b;
    buf_init(&why, &s->out->allocator, 1 << 16);
    struct comparing c = {.why = &why,
                          .first = s->first,
                          .second = s->second,
                          .vary = vary,
                          .in_tools = in_tools,
                          .depth = 3};
    if (in_tools) c.tool = tool_name(a);
    buf_init(&c.path, &s->out->allocator, 1 << 16);
    bool unlike = differ(&c, a, b);
    buf_free(&c.path);
    buf_free(&why);
    return unlike;
}

static void sum_tool(struct summing *s, const struct json *a, const struct json *b) {
    gramc_text name = tool_name(a ? a : b);
    if (!a || !b) {
        gramc_text owner = a ? s->first->name : s->second->name;
        add_part(s, "tool `", name, "`, which only ");
        buf_text(s->out, owner);
        buf_puts(s->out, " has");
        return;
    }
    if (are_unlike(s, a, b, VARY_SCHEMA, true)) add_part(s, "the description of `", name, "`");
    if (are_unlike(s, a, b, VARY_DESCRIPTION, true)) add_part(s, "the schema of `", name, "`");
}

/* The list that has names: Gemini's is one further inside. */
static const struct json *tools_of(const struct json *list) {
    const struct json *first = json_is(list, JSON_ARRAY) ? list->first : NULL;
    if (!first || tool_name(first).len) return list;
    for (const struct json *m = json_is(first, JSON_OBJECT) ? first->first : NULL; m; m = m->next)
        if (holds_tools(m->key)) return m;
    return list;
}

static void sum_tools(struct summing *s, const struct json *a, const struct json *b) {
    const struct json none = {.kind = JSON_ARRAY};
    a = a ? tools_of(a) : &none;
    b = b ? tools_of(b) : &none;
    for (const struct json *x = a->first; x; x = x->next)
        sum_tool(s, x, find_tool(b, tool_name(x)));
    for (const struct json *y = b->first; y; y = y->next)
        if (!find_tool(a, tool_name(y))) sum_tool(s, NULL, y);
}

static bool is_instruction(gramc_text key) {
    static const char *const words[] = {"system", "instructions", "systemInstruction", NULL};
    return is_among(key, words);
}

/* The messages of a role, or all others, as one text. */
static void put_messages(struct buf *out, const struct json *list, bool instructs) {
    for (const struct json *m = json_is(list, JSON_ARRAY) ? list->first : NULL; m; m = m->next) {
        const struct json *role = json_get(m, "role");
        bool is = json_is(role, JSON_STRING) &&
                  (text_is(role->text, "system") || text_is(role->text, "developer"));
        if (is == instructs) json_put(out, m);
    }
}

static void sum_messages(struct summing *s, const struct json *a, const struct json *b) {
    for (int instructs = 1; instructs >= 0; instructs--) {
        struct buf first, second;
        buf_init(&first, &s->out->allocator, TRACE_SIZE_MAX);
        buf_init(&second, &s->out->allocator, TRACE_SIZE_MAX);
        put_messages(&first, a, instructs);
        put_messages(&second, b, instructs);
        if (!text_eq(buf_view(&first), buf_view(&second)))
            add_part(s, instructs ? "the instruction" : "what the user says", TEXT(""), "");
        if (buf_status(&first) || buf_status(&second)) s->out->state = BUF_NOMEM;
        buf_free(&first);
        buf_free(&second);
    }
}

static void sum_member(struct summing *s, gramc_text key, const struct json *a,
                       const struct json *b) {
    if (text_is(key, "seed") || text_is(key, "model")) return; /* models are told by their names */
    if (holds_tools(key)) sum_tools(s, a, b);
    else if (text_is(key, "messages")) sum_messages(s, a, b);
    else if (!are_unlike(s, a, b, 0, false)) return;
    else if (is_instruction(key)) add_part(s, "the instruction", TEXT(""), "");
    else add_part(s, "`", key, "`");
}

void view_differences(struct buf *out, const struct request_view *first,
                      const struct request_view *second) {
    struct summing s = {out, first, second};
    const struct json *a = first->document, *b = second->document;
    if (!text_eq(first->model, second->model)) add_part(&s, "the model", TEXT(""), "");
    for (const struct json *m = a->first; m; m = m->next)
        sum_member(&s, m->key, m, json_get_text(b, m->key));
    for (const struct json *m = b->first; m; m = m->next)
        if (!json_get_text(a, m->key)) sum_member(&s, m->key, NULL, m);
}

/* ## Cases */

static bool is_given(const struct item *item, gramc_text name) {
    for (size_t i = 0; i < item->input_count; i++)
        if (text_eq(item->inputs[i].name, name)) return true;
    return false;
}

bool view_case_lacks(struct buf *why, const gramc_agent *agent, const struct cases *cases) {
    for (size_t i = 0; i < cases->count; i++)
        for (size_t input = 0; input < agent->input_count; input++) {
            const struct item *item = &cases->items[i];
            if (is_given(item, agent->inputs[input])) continue;
            buf_printf(why, "line %u: case %.*s has no `%.*s`, which agent %.*s asks for",
                       item->line, TEXT_ARGS(item->id), TEXT_ARGS(agent->inputs[input]),
                       TEXT_ARGS(agent->name));
            return true;
        }
    return false;
}
