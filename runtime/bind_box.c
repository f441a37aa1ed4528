/* Turns what boxes offer into tools that are bound: looks a tool up among all boxes of a library,
 * and brings an agent the tools that it takes of them. How a box is asked is not known here. */
#include "runtime/bind_box.h"

#include "base/diag/diag.h"
#include "base/json/json.h"
#include "base/limits.h"
#include "base/list.h"
#include "base/text.h"

static struct bind_place place_of(const gramc_box *box) {
    return (struct bind_place){box->file, box->start, box->end};
}

/* ## Opening */

bool bind_boxes_init(gramc_bound *bound) {
    size_t count = bound->library ? bound->library->box_count : 0;
    bound->boxes = arena_zalloc(&bound->arena, (count + 1) * sizeof(*bound->boxes));
    if (!bound->boxes) return false;
    bound->box_count = count;
    for (size_t i = 0; i < count; i++) {
        const gramc_box *box = &bound->library->boxes[i];
        bound->boxes[i] = (struct box_view){.box = box, .kind = tool_kind_of_box(box->kind)};
    }
    return true;
}

gramc_text bind_near_offer(gramc_bound *bound, const struct offered_box *offered, gramc_text name) {
    gramc_text *names = arena_array(&bound->arena, offered->tool_count + 1, sizeof(*names));
    for (size_t i = 0; names && i < offered->tool_count; i++) names[i] = offered->tools[i].name;
    gramc_text near = names ? text_nearest(name, names, offered->tool_count) : TEXT("");
    return bound_did_you_mean(bound, near, "");
}

static void check_named(gramc_bound *bound, const struct box_view *view, gramc_text name) {
    const struct bind_place place = place_of(view->box);
    if (offered_tool(view->offered, name)) return;
    BOUND_TELL(bound, D_NOT_OFFERED, &place, bind_near_offer(bound, view->offered, name),
               view->box->name, name);
}

/* What the library says of the box must be true of it. */
static void check_selection(gramc_bound *bound, const struct box_view *view) {
    const gramc_box *box = view->box;
    for (size_t i = 0; i < box->tool_count; i++) check_named(bound, view, box->tools[i]);
    for (size_t i = 0; i < box->rename_count && box->all_tools; i++)
        check_named(bound, view, box->renames[i].name);
}

static void open_view(gramc_bound *bound, struct box_view *view) {
    if (view->opened) return;
    view->opened = true;
    view->kind->boxes->open(bound, view);
    if (view->offered) check_selection(bound, view);
}

static struct box_view *find_view(gramc_bound *bound, gramc_text name) {
    for (size_t i = 0; i < bound->box_count; i++)
        if (text_eq(bound->boxes[i].box->name, name)) return &bound->boxes[i];
    return NULL;
}

const struct offered_tool *bind_offer_of(gramc_bound *bound, const gramc_impl *impl) {
    const struct offered_box *known =
        offered_box(bound->offered, bound->offered_count, impl->server);
    struct box_view *view = find_view(bound, impl->server);
    if (known && known->failure.len && view) open_view(bound, view);
    return known && !known->failure.len ? offered_tool(known, impl->target) : NULL;
}

const struct offered_tool *bind_offer_for(gramc_bound *bound, const gramc_impl *impl) {
    const struct tool_kind *kind = tool_kind_of(impl->kind);
    return kind && kind->offer ? kind->offer(bound, impl) : NULL;
}

/* ## One tool of a box */

static void make(gramc_bound *bound, struct bound_tool *choice, const struct box_view *view,
                 const struct offered_tool *offered) {
    const gramc_box *box = view->box;
    const gramc_tool *tool = choice->tool;
    gramc_impl *impl = ARENA_NEW(&bound->arena, gramc_impl);
    if (!impl) return;
    *impl = (gramc_impl){.name = tool->name,
                         .kind = gramc_box_tool_kind(box->kind),
                         .target = offered->name,
                         .server = box->name,
                         .timeout_ms = box->timeout_ms,
                         .folder = box->folder,
                         .file = box->file,
                         .start = box->start,
                         .end = box->end};
    choice->impl = impl;
    choice->box = box->name;
    choice->kind = view->kind;
    choice->timeout_ms = box->timeout_ms ? box->timeout_ms : tool->timeout_ms;
    if (choice->timeout_ms == 0) choice->timeout_ms = DEFAULT_TOOL_TIMEOUT_MS;
    choice->secrets = bound->secrets;
    choice->data = view->kind->boxes->bind(bound, view, offered, tool);
}

/* ## Looking through all of them */

struct box_search {
    const struct box_view *view;
    const struct offered_tool *tool;
    struct name_list list; /* of all that were found */
    bool failed;           /* a box could not be opened */
};

static void search_box(gramc_bound *bound, struct box_search *search, struct box_view *view,
                       gramc_text name) {
    open_view(bound, view);
    if (!view->offered) {
        search->failed = true;
        return;
    }
    for (size_t i = 0; i < view->offered->tool_count; i++) {
        const struct offered_tool *tool = &view->offered->tools[i];
        if (!box_takes(view->box, tool->name)) continue;
        if (!box_means(&bound->arena, view->box, tool->name, name)) continue;
        list_add(&search->list, view->box->name, tool->name);
        search->view = view;
        search->tool = tool;
    }
}

static bool is_down(const gramc_bound *bound, const struct box_view *view) {
    const struct offered_box *known =
        offered_box(bound->offered, bound->offered_count, view->box->name);
    return !view->kind->boxes->opens_alone && (!known || known->failure.len);
}

/* Who calls one tool by hand need not care for boxes that are down, if another has it: they are
 * looked into last, and then to report them. */
static void search_boxes(gramc_bound *bound, struct box_search *search, gramc_text name) {
    for (size_t i = 0; i < bound->box_count; i++)
        if (!bound->is_by_hand || !is_down(bound, &bound->boxes[i]))
            search_box(bound, search, &bound->boxes[i], name);
    if (!bound->is_by_hand || search->list.count) return;
    for (size_t i = 0; i < bound->box_count; i++)
        if (is_down(bound, &bound->boxes[i])) search_box(bound, search, &bound->boxes[i], name);
}

static gramc_text way_out(gramc_bound *bound, const struct box_search *search, gramc_text name) {
    gramc_text id = box_tool_id(&bound->arena, search->view->box, search->tool->name);
    return BOUND_JOIN(bound, TEXT("say `name: \""), id, TEXT("\"` of the tool `"), name,
                      TEXT("`, rename one, take fewer, or write a ToolImpl"));
}

static void search_all(gramc_bound *bound, struct box_search *search, gramc_text name) {
    *search = (struct box_search){.failed = false};
    list_init(&search->list, &bound->arena.allocator, "");
    search_boxes(bound, search, name);
    if (search->list.count > 1) {
        const struct bind_place place = place_of(search->view->box);
        BOUND_TELL(bound, D_SEVERAL_OFFERS, &place, way_out(bound, search, name), name,
                   arena_text(&bound->arena, list_end(&search->list)));
        search->failed = true;
    }
    if (buf_status(&search->list.text) == GRAMC_NOMEM) bound->arena.oom = true;
    list_free(&search->list);
}

const gramc_text *bind_offered_names(gramc_bound *bound, size_t *count) {
    size_t room = 1;
    for (size_t i = 0; i < bound->box_count; i++)
        room += bound->boxes[i].offered ? bound->boxes[i].offered->tool_count : 0;
    gramc_text *names = arena_array(&bound->arena, room, sizeof(*names));
    *count = 0;
    for (size_t i = 0; i < bound->box_count && names; i++) {
        const struct box_view *view = &bound->boxes[i];
        for (size_t j = 0; view->offered && j < view->offered->tool_count; j++) {
            gramc_text tool = view->offered->tools[j].name;
            if (box_takes(view->box, tool)) names[(*count)++] = box_offers_as(view->box, tool);
        }
    }
    return names;
}

const struct offered_tool *bind_box_tool(gramc_bound *bound, struct bound_tool *choice,
                                         bool *failed) {
    struct box_search search;
    search_all(bound, &search, choice->tool->name);
    *failed = search.failed;
    if (search.list.count != 1 || search.failed || bound->arena.oom) return NULL;
    make(bound, choice, search.view, search.tool);
    return search.tool;
}

/* ## Tools with a box's schemas */

static void free_schema(void *schema) {
    gramc_schema_free(schema);
}

/* What the box does not say is open; what it leaves out is closed, as in a signature. */
static bool says_more(const struct json *root) {
    static const char *const words[] = {"additionalProperties", "patternProperties",
                                        "unevaluatedProperties"};
    for (size_t i = 0; i < 3; i++)
        if (json_get(root, words[i])) return true;
    return !json_get(root, "properties");
}

static const gramc_schema *compile(gramc_bound *bound, const struct json *document, bool closed,
                                   gramc_text *why) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error = {.message = "it is too large"};
    gramc_schema *schema = NULL;
    options.allocator = &bound->arena.allocator;
    options.assert_formats = true;
    options.closed_root = closed;
    gramc_status status = gramc_schema_compile_document(&schema, document, &options, &error);
    if (status == GRAMC_NOMEM) bound->arena.oom = true;
    else if (status) *why = arena_text(&bound->arena, text_of(error.message));
    if (status) return NULL;
    return bound_own(bound, free_schema, schema) ? schema : NULL;
}

/* NULL: *why says what is wrong with it, unless something else was wrong before. */
static const struct json *read_schema(gramc_bound *bound, gramc_text text, gramc_text *why) {
    struct json_error error = {0};
    const struct json *document = json_parse(&bound->arena, text, &error);
    if (document || bound->arena.oom || why->len) return document;
    struct buf sentence;
    buf_init(&sentence, &bound->arena.allocator, 256);
    buf_printf(&sentence, "not JSON: %s", error.message);
    *why = buf_to_arena(&sentence, &bound->arena);
    return NULL;
}

const struct offered_schemas *bind_offer_schemas(gramc_bound *bound,
                                                 const struct offered_tool *offered) {
    const gramc_text key = {(const char *)&offered, sizeof offered};
    struct offered_schemas *schemas = map_get(&bound->offered_schemas, key);
    if (schemas) return schemas;
    schemas = ARENA_NEW(&bound->arena, struct offered_schemas);
    if (!schemas) return NULL;
    *schemas = (struct offered_schemas){.tool = offered};
    if (offered->accepts.len)
        schemas->accepts = read_schema(bound, offered->accepts, &schemas->why);
    if (offered->returns.len)
        schemas->returns = read_schema(bound, offered->returns, &schemas->why);
    map_put(&bound->offered_schemas,
            (gramc_text){(const char *)&schemas->tool, sizeof schemas->tool}, schemas);
    return bound->arena.oom ? NULL : schemas;
}

/* On one line, as it is sent. */
static gramc_text compact(gramc_bound *bound, const struct json *document) {
    struct buf out;
    buf_init(&out, &bound->arena.allocator, SOURCE_MAX);
    json_put(&out, document);
    return buf_to_arena(&out, &bound->arena);
}

static gramc_result_kind kind_of(const struct json *result) {
    const struct json *type = json_get(result, "type");
    gramc_text name = type && type->kind == JSON_STRING ? type->text : TEXT("");
    return text_is(name, "string") ? GRAMC_RESULT_TEXT
           : text_is(name, "null") ? GRAMC_RESULT_NULL
                                   : GRAMC_RESULT_JSON;
}

/* What is known of a tool's schemas; NULL documents are read from its texts. */
struct given_schemas {
    const struct json *accepts, *returns;
};

/* The two schemas are there as texts; the rest that a run needs comes here. False: *why says it. */
static bool complete(gramc_bound *bound, gramc_tool *tool, const struct given_schemas *given,
                     gramc_text *why) {
    if (tool->parameters.len == 0) tool->parameters = TEXT("{\"type\":\"object\"}");
    if (tool->result.len == 0) tool->result = TEXT("{\"type\":\"string\"}");
    if (tool->timeout_ms == 0) tool->timeout_ms = DEFAULT_TOOL_TIMEOUT_MS;
    tool->max_call_errors = tool->max_tool_errors = DEFAULT_ERRORS;
    const struct json *parameters = given->accepts, *result = given->returns;
    if (!parameters) parameters = read_schema(bound, tool->parameters, why);
    if (parameters && !result) result = read_schema(bound, tool->result, why);
    if (!parameters || !result) return false;
    tool->document = parameters;
    tool->parameters = compact(bound, parameters);
    tool->result_kind = kind_of(result);
    tool->accepts = compile(bound, parameters, !says_more(parameters), why);
    if (tool->accepts) tool->returns = compile(bound, result, false, why);
    return tool->accepts && tool->returns;
}

/* The schemas that a box gave; false without memory, or with *why where one is no JSON. */
static bool describe_schemas(gramc_bound *bound, gramc_tool *tool, struct given_schemas *given,
                             const struct offered_tool *offered, gramc_text *why) {
    const struct offered_schemas *schemas = bind_offer_schemas(bound, offered);
    if (!schemas) return false;
    tool->parameters = offered->accepts;
    tool->result = offered->returns;
    *given = (struct given_schemas){schemas->accepts, schemas->returns};
    *why = schemas->why;
    return why->len == 0;
}

static void describe(gramc_tool *tool, const gramc_box *box, const struct offered_tool *offered) {
    tool->title = offered->title;
    tool->description = offered->description;
    tool->timeout_ms = box->timeout_ms;
}

/* ## ToolBox in an agent */

static size_t count_uses(gramc_bound *bound, const gramc_box_use *uses, size_t use_count) {
    size_t count = 0;
    for (size_t i = 0; i < use_count; i++) {
        const gramc_box_use *use = &uses[i];
        struct box_view *view = find_view(bound, use->name);
        if (view) open_view(bound, view);
        bool known = view && view->offered;
        count += known && use->all_tools ? view->offered->tool_count : use->tool_count;
    }
    return count;
}

size_t bind_use_count(gramc_bound *bound) {
    const gramc_agent *agent = bound->agent;
    size_t count = count_uses(bound, agent->box_uses, agent->box_use_count);
    for (size_t i = 0; i < agent->task_count; i++)
        count += count_uses(bound, agent->tasks[i].box_uses, agent->tasks[i].box_use_count);
    return count;
}

static bool lists(const gramc_tool *const *tools, size_t count, const gramc_tool *tool) {
    for (size_t i = 0; i < count; i++)
        if (tools[i] == tool) return true;
    return false;
}

/* True if a model ever sees the tool beside those of the task (NULL: of the agent, which all tasks
 * see). */
static bool is_seen_with(const gramc_bound *bound, const struct bound_tool *tool,
                         const gramc_task *task) {
    const gramc_agent *agent = bound->agent;
    if (!task) return true;
    if (tool->of_box) return !tool->task || tool->task == task;
    return lists(agent->tools, agent->tool_count, tool->tool) ||
           lists(task->tools, task->tool_count, tool->tool);
}

static bool is_taken(const gramc_bound *bound, const gramc_task *task, gramc_text name) {
    for (size_t i = 0; i < bound->tool_count; i++)
        if (text_eq(bound->tools[i].tool->name, name) &&
            is_seen_with(bound, &bound->tools[i], task))
            return true;
    return false;
}

/* A use, and whose it is. */
struct box_taking {
    const gramc_box_use *use;
    const gramc_task *task; /* NULL: the agent's */
};

static void add_tool(gramc_bound *bound, const struct box_taking *taking,
                     const struct box_view *view, const struct offered_tool *offered,
                     gramc_text name) {
    const gramc_box_use *use = taking->use;
    const struct bind_place place = {use->file, use->start, use->end};
    gramc_tool *tool = ARENA_NEW(&bound->arena, gramc_tool);
    struct given_schemas given;
    gramc_text why = {NULL, 0};
    if (!tool) return;
    if (is_taken(bound, taking->task, name)) {
        BOUND_TELL(bound, D_NAME_TAKEN, &place,
                   use->qualified
                       ? TEXT("take fewer, or rename one in the library")
                       : TEXT("say `ids: qualified` in the ToolBox, take fewer, or rename "
                              "one in the library"),
                   use->name, name);
        return;
    }
    tool->name = name;
    describe(tool, view->box, offered);
    if (!describe_schemas(bound, tool, &given, offered, &why) ||
        !complete(bound, tool, &given, &why)) {
        if (why.len) BOUND_TELL(bound, D_BAD_OFFER, &place, TEXT(""), use->name, name, why);
        return;
    }
    struct bound_tool *choice = &bound->tools[bound->tool_count++];
    *choice = (struct bound_tool){.task = taking->task, .of_box = true, .tool = tool};
    if (bind_impl_tool(bound, choice)) return;
    make(bound, choice, view, offered);
}

/* As the agent wants it called, which means the tool whose own name is `name`. */
static gramc_text name_of_use(gramc_bound *bound, const gramc_box_use *use,
                              const struct box_view *view, const struct offered_tool *offered,
                              gramc_text name) {
    return use->qualified ? box_tool_id(&bound->arena, view->box, offered->name) : name;
}

static void add_named(gramc_bound *bound, const struct box_taking *taking,
                      const struct box_view *view, gramc_text name) {
    const gramc_box_use *use = taking->use;
    const struct bind_place place = {use->file, use->start, use->end};
    for (size_t i = 0; i < view->offered->tool_count; i++) {
        const struct offered_tool *offered = &view->offered->tools[i];
        if (!box_takes(view->box, offered->name)) continue;
        if (!box_means(&bound->arena, view->box, offered->name, name)) continue;
        add_tool(bound, taking, view, offered, name_of_use(bound, use, view, offered, name));
        return;
    }
    BOUND_TELL(bound, D_NOT_OFFERED, &place, bind_near_offer(bound, view->offered, name), use->name,
               name);
}

static void report_no_box(gramc_bound *bound, const gramc_box_use *use) {
    const struct bind_place place = {use->file, use->start, use->end};
    gramc_text *names = arena_array(&bound->arena, bound->box_count + 1, sizeof(*names));
    for (size_t i = 0; names && i < bound->box_count; i++) names[i] = bound->boxes[i].box->name;
    gramc_text near = names ? text_nearest(use->name, names, bound->box_count) : TEXT("");
    BOUND_TELL(bound, D_NO_SUCH_BOX, &place, bound_did_you_mean(bound, near, ""), use->name);
}

static void take(gramc_bound *bound, const struct box_taking *taking) {
    const gramc_box_use *use = taking->use;
    const struct box_view *view = find_view(bound, use->name);
    if (!view) report_no_box(bound, use);
    if (!view || !view->offered) return;
    for (size_t j = 0; j < use->tool_count; j++) add_named(bound, taking, view, use->tools[j]);
    for (size_t j = 0; use->all_tools && j < view->offered->tool_count; j++) {
        const struct offered_tool *offered = &view->offered->tools[j];
        if (box_takes(view->box, offered->name))
            add_tool(
                bound, taking, view, offered,
                name_of_use(bound, use, view, offered, box_offers_as(view->box, offered->name)));
    }
}

void bind_uses(gramc_bound *bound) {
    const gramc_agent *agent = bound->agent;
    for (size_t i = 0; i < agent->box_use_count; i++)
        take(bound, &(struct box_taking){&agent->box_uses[i], NULL});
    for (size_t t = 0; t < agent->task_count; t++) {
        const gramc_task *task = &agent->tasks[t];
        for (size_t i = 0; i < task->box_use_count; i++)
            take(bound, &(struct box_taking){&task->box_uses[i], task});
    }
}

/* ## A tool without an agent */

static const struct offered_tool *of_impl(gramc_bound *bound, const gramc_impl *impl,
                                          gramc_tool *tool, struct given_schemas *given) {
    tool->description = impl->description;
    if (!impl->accepts_schema.len) return bind_offer_for(bound, impl);
    tool->parameters = impl->accepts_schema;
    tool->result = impl->returns_schema;
    *given = (struct given_schemas){impl->accepts_document, impl->returns_document};
    return NULL;
}

/* NULL after a message. */
static const struct offered_tool *of_box(gramc_bound *bound, gramc_tool *tool) {
    struct box_search search;
    search_all(bound, &search, tool->name);
    if (search.failed) return NULL;
    if (search.list.count == 1) {
        describe(tool, search.view->box, search.tool);
        return search.tool;
    }
    BOUND_TELL(bound, D_UNBOUND_TOOL, NULL, bound_nearest_impl(bound, tool->name), tool->name,
               bound_missing_where(bound));
    return NULL;
}

bool bind_tool_of_library(gramc_bound *bound, gramc_text name, gramc_tool *tool) {
    const gramc_impl *impl = bound_impl(bound, name);
    struct given_schemas given = {NULL, NULL};
    gramc_text why = {NULL, 0};
    *tool = (gramc_tool){.name = name};
    const struct offered_tool *offered =
        impl ? of_impl(bound, impl, tool, &given) : of_box(bound, tool);
    if (!impl && !offered) return false;
    bool is_read = !offered || describe_schemas(bound, tool, &given, offered, &why);
    if (is_read && complete(bound, tool, &given, &why)) return true;
    if (why.len) BOUND_TELL(bound, D_BAD_OFFER, NULL, TEXT(""), bound->library->name, name, why);
    return false;
}
