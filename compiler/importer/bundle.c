/* Reads bundles (`gramc compile --target bundle`): the agent with its instruction, model and tasks,
 * and what a tool says beside its schemas. Writes agents, those of bundles and the one that the
 * caller asks for. What a bundle derives, such as its fingerprint, is derived again. */
#include "compiler/importer/parts.h"

#include "base/text.h"

/* ## Properties */

/* A member of the bundle, which was the property of that name. What is `usual` need not be said. */
struct bundle_member {
    const char *member, *usual;
};

static const struct bundle_member agent_settings[] = {
    {"description", NULL},
    {"instruction", NULL},
    {"model", NULL},
    {"temperature", NULL},
    {"topP", NULL},
    {"presencePenalty", NULL},
    {"frequencyPenalty", NULL},
    {"maxTokens", NULL},
    {"seed", NULL},
    {"numCtx", NULL},
    {"keepAlive", NULL},
    {"maxIterations", "10"},
    {"maxCallsPerTurn", NULL},
    {"toolChoice", NULL},
    {"parallelToolCalls", NULL},
    {"strategy", "direct"},
    {"wire", "tools"},
    {"generatorModel", NULL},
    {"evaluatorModel", NULL},
    {"outputModel", NULL},
    {"maxRounds", NULL},
    {"coerce", NULL},
    {"maxTotalTokens", NULL},
    {"maxCost", NULL},
    {"meta", NULL},
};

static const struct bundle_member task_settings[] = {
    {"description", NULL}, {"prompt", NULL}, {"toolChoice", NULL}, {"meta", NULL}};

static const struct bundle_member tool_settings[] = {
    {"readOnly", NULL},     {"destructive", NULL},  {"idempotent", NULL},   {"openWorld", NULL},
    {"approve", NULL},      {"untrusted", NULL},    {"sensitive", NULL},    {"optional", NULL},
    {"returnDirect", NULL}, {"maxCallErrors", "5"}, {"maxToolErrors", "5"}, {"meta", NULL},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool is_setting_of(gramc_text key, const struct bundle_member *settings, size_t count) {
    size_t i = 0;
    while (i < count && !text_is(key, settings[i].member)) i++;
    return i < count;
}

bool import_is_setting(gramc_text key) {
    return text_is(key, "timeoutMs") || is_setting_of(key, tool_settings, COUNT(tool_settings));
}

struct doc *import_map(struct importer *in, const struct json *object) {
    struct doc *map = doc_list(&in->words, "{", "}");
    for (const struct json *m = object->first; m; m = m->next) {
        struct doc *entry = doc_chain(&in->words);
        doc_add(entry, import_key(&in->words, m->key));
        doc_add(entry, doc_words(&in->words, ": "));
        doc_add(entry, doc_data(&in->words, m));
        doc_add(map, entry);
    }
    return map;
}

static struct doc *value_of(struct importer *in, const struct json *value) {
    if (value->kind == JSON_STRING) return doc_string(&in->words, value->text);
    return value->kind == JSON_OBJECT ? import_map(in, value) : doc_data(&in->words, value);
}

/* What the compiler refused in an earlier round is left out. */
static void put_property(struct importer *in, struct doc *list, const char *property,
                         const struct json *value) {
    if (import_marks(in, value)) {
        if (in->report) import_find(in, D_IMPORT_LOST, NULL, value, value->key, TEXT("the bundle"));
        return;
    }
    struct doc *doc = value_of(in, value);
    if (doc) doc->origin = value;
    doc_property(&in->words, list, property, doc);
}

static void put_settings(struct importer *in, struct doc *list, const struct json *object,
                         const struct bundle_member *settings, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct json *value = json_get(object, settings[i].member);
        bool usual = value && settings[i].usual && text_is(value->text, settings[i].usual);
        if (value && !usual) put_property(in, list, settings[i].member, value);
    }
}

/* 30000 is `30s`. */
static void put_duration(struct importer *in, struct doc *list, const char *property,
                         const struct json *value, const char *usual) {
    struct buf time;
    bool good = json_is(value, JSON_NUMBER) && !import_marks(in, value) && value->text.len;
    if (!good || text_is(value->text, usual)) return;
    buf_init(&time, &in->arena->allocator, SOURCE_MAX);
    gramc_text ms = value->text;
    bool seconds = ms.len > 3 && text_is(text_slice(ms, ms.len - 3, ms.len), "000");
    buf_text(&time, seconds ? text_slice(ms, 0, ms.len - 3) : ms);
    buf_puts(&time, seconds ? "s" : "ms");
    struct doc *doc = doc_text(&in->words, buf_to_arena(&time, in->arena));
    if (doc) doc->origin = value;
    doc_property(&in->words, list, property, doc);
}

void import_tool_settings(struct importer *in, const struct import_tool *tool, struct doc *list) {
    if (!tool->settings) return;
    put_settings(in, list, tool->settings, tool_settings, COUNT(tool_settings));
    put_duration(in, list, "timeout", json_get(tool->settings, "timeoutMs"), "30000");
}

/* ## Reading */

bool import_is_bundle(const struct json *object) {
    return text_is(import_text(object, "format"), "gramc-bundle");
}

static struct import_agent *add_agent(struct importer *in, const struct json *at, gramc_text name) {
    struct import_agent *agent = ARENA_NEW(in->arena, struct import_agent);
    if (!agent) return NULL;
    *agent = (struct import_agent){.source = in->source, .at = at, .name = name};
    agent->last = &agent->first;
    agent->last_task = &agent->first_task;
    *in->last_agent = agent;
    in->last_agent = &agent->next;
    return agent;
}

static struct import_use **add_use(struct importer *in, struct import_use **last,
                                   const struct import_tool *tool) {
    struct import_use *use = tool ? ARENA_NEW(in->arena, struct import_use) : NULL;
    if (!use) return last;
    *use = (struct import_use){NULL, tool};
    *last = use;
    return &use->next;
}

/* Tasks and agent may have the same tool: it stands in the bundle once for each. */
static const struct import_tool *tool_of(struct importer *in, struct import_tool *first,
                                         const struct json *item) {
    for (const struct import_tool *tool = first; tool; tool = tool->next)
        if (json_equal(tool->at, item)) return tool;
    return import_item(in, item);
}

static struct import_use **read_tools(struct importer *in, const struct json *holder,
                                      struct import_tool *const *first, struct import_use **last) {
    const struct json *tools = json_get(holder, "tools");
    for (const struct json *t = json_is(tools, JSON_ARRAY) ? tools->first : NULL; t; t = t->next)
        last = add_use(in, last, tool_of(in, *first, t));
    return last;
}

static const struct json *read_output(struct importer *in, const struct json *holder) {
    const struct json *output = json_get(holder, "output");
    if (!json_is(output, JSON_OBJECT)) return NULL;
    import_open(in, output);
    return import_normalise(in, output);
}

static void report_unknown(struct importer *in, const struct json *object,
                           const struct bundle_member *settings, size_t count, const char *place) {
    static const char *const others[] = {
        "name",           "output",      "tools",         "inputs",      "toolBoxes",
        "responseFormat", "maxMessages", "maxDurationMs", "fingerprint", NULL};
    for (const struct json *m = json_is(object, JSON_OBJECT) ? object->first : NULL; m; m = m->next)
        if (!is_setting_of(m->key, settings, count) && !import_in_list(m->key, others))
            import_lose(in, m, NULL, place);
}

static void read_task(struct importer *in, struct import_agent *agent, const struct json *at,
                      struct import_tool *const *first) {
    struct import_task *task = ARENA_NEW(in->arena, struct import_task);
    if (!task) return;
    *task = (struct import_task){.at = at};
    task->last = read_tools(in, at, first, &task->first);
    task->output = read_output(in, at);
    report_unknown(in, at, task_settings, COUNT(task_settings), "a task");
    *agent->last_task = task;
    agent->last_task = &task->next;
}

void import_bundle(struct importer *in, const struct json *object) {
    static const char *const known[] = {"format", "version", "agent", "tasks", "tools", NULL};
    struct import_tool *const *first = in->last;
    const struct json *at = json_get(object, "agent"), *tasks = json_get(object, "tasks");
    import_lose_others(in, object, known, NULL, "the bundle");
    in->bundles = true;
    if (!json_is(at, JSON_OBJECT)) {
        struct import_use *nobody = NULL;
        read_tools(in, object, first, &nobody);
        return;
    }
    gramc_text name = import_text(at, "name");
    struct import_agent *agent = add_agent(in, at, name.len ? name : TEXT("agent"));
    if (!agent) return;
    agent->output = read_output(in, at);
    report_unknown(in, at, agent_settings, COUNT(agent_settings), "the agent");
    for (const struct json *t = json_is(tasks, JSON_ARRAY) ? tasks->first : NULL; t; t = t->next)
        read_task(in, agent, t, first);
    agent->last = read_tools(in, object, first, agent->last);
}

static bool is_used(const struct importer *in, const struct import_tool *tool) {
    for (const struct import_agent *agent = in->first_agent; agent; agent = agent->next) {
        for (const struct import_use *use = agent->first; use; use = use->next)
            if (use->tool == tool) return true;
        for (const struct import_task *task = agent->first_task; task; task = task->next)
            for (const struct import_use *use = task->first; use; use = use->next)
                if (use->tool == tool) return true;
    }
    return false;
}

/* One bundle and a name: that is how its agent is called now. */
void import_wanted_agent(struct importer *in) {
    struct import_agent *agent = in->first_agent;
    if (!in->agent.len) return;
    if (agent && !agent->next) agent->name = in->agent;
    else if (!agent) agent = add_agent(in, NULL, in->agent);
    while (agent && !text_eq(agent->name, in->agent)) agent = agent->next;
    if (!agent) agent = add_agent(in, NULL, in->agent);
    if (agent && !agent->at) agent->description = in->about;
    struct import_use **last = agent ? agent->last : NULL;
    bool others = in->first_agent && in->first_agent->at;
    for (const struct import_tool *tool = in->first; tool && last; tool = tool->next)
        if (!others || !is_used(in, tool)) last = add_use(in, last, tool);
    if (agent) agent->last = last;
}

/* ## Writing */

static void add_names(struct importer *in, struct doc *list, const struct import_use *use) {
    for (; use; use = use->next)
        doc_add(list, doc_text(&in->words, import_quote_name(in->arena, use->tool->identifier)));
}

/* `[name:ToolBox {tools: [...]}]` */
static void add_boxes(struct importer *in, struct doc *list, const struct json *holder) {
    const struct json *boxes = json_get(holder, "toolBoxes");
    for (const struct json *b = json_is(boxes, JSON_ARRAY) ? boxes->first : NULL; b; b = b->next) {
        struct doc *box = doc_chain(&in->words);
        const struct json *tools = json_get(b, "tools");
        doc_add(box, doc_words(&in->words, "["));
        doc_add(box, doc_text(&in->words, import_quote_name(in->arena, import_text(b, "name"))));
        doc_add(box, doc_words(&in->words, ":ToolBox"));
        if (tools) {
            struct doc *properties = doc_list(&in->words, " {", "}");
            doc_property(&in->words, properties, "tools", doc_data(&in->words, tools));
            doc_add(box, properties);
        }
        doc_add(box, doc_words(&in->words, "]"));
        doc_add(list, box);
    }
}

static void put_output(struct importer *in, struct doc *list, const struct json *output) {
    if (output) doc_property(&in->words, list, "output", import_type_value(in, output));
}

/* `[name:Label {properties} | elements]`; no blank where a part is missing. */
static struct doc *pattern(struct importer *in, gramc_text name, const char *label,
                           struct doc *properties, struct doc *elements) {
    struct doc *doc = doc_chain(&in->words);
    doc_add(doc, doc_words(&in->words, "["));
    doc_add(doc, doc_text(&in->words, import_quote_name(in->arena, name)));
    doc_add(doc, doc_words(&in->words, ":"));
    doc_add(doc, doc_words(&in->words, label));
    if (properties && properties->first) {
        doc_add(doc, doc_words(&in->words, " "));
        doc_add(doc, properties);
    }
    if (elements && elements->first) {
        doc_add(doc, doc_words(&in->words, " |"));
        doc_add(doc, elements);
    }
    doc_add(doc, doc_words(&in->words, "]"));
    return doc;
}

static struct doc *task_pattern(struct importer *in, const struct import_task *task) {
    struct doc *properties = doc_list(&in->words, "{", "}"), *list = doc_list(&in->words, " ", "");
    put_settings(in, properties, task->at, task_settings, COUNT(task_settings));
    put_output(in, properties, task->output);
    add_names(in, list, task->first);
    add_boxes(in, list, task->at);
    return pattern(in, import_text(task->at, "name"), "Task", properties, list);
}

static void put_agent_properties(struct importer *in, struct doc *list,
                                 const struct import_agent *agent) {
    const struct json *memory = json_get(agent->at, "maxMessages");
    if (agent->description.len)
        doc_property(&in->words, list, "description", doc_string(&in->words, agent->description));
    put_settings(in, list, agent->at, agent_settings, COUNT(agent_settings));
    put_duration(in, list, "maxDuration", json_get(agent->at, "maxDurationMs"), "");
    put_output(in, list, agent->output);
    if (!memory) return;
    struct doc *map = doc_list(&in->words, "{", "}");
    put_property(in, map, "maxMessages", memory);
    if (map && map->first) doc_property(&in->words, list, "memory", map);
}

static struct doc *agent_pattern(struct importer *in, const struct import_agent *agent) {
    struct doc *properties = doc_list(&in->words, "{", "}"), *list = doc_list(&in->words, " ", "");
    put_agent_properties(in, properties, agent);
    for (const struct import_task *task = agent->first_task; task; task = task->next)
        doc_add(list, task_pattern(in, task));
    add_names(in, list, agent->first);
    add_boxes(in, list, agent->at);
    return pattern(in, agent->name, "Agent", properties, list);
}

void import_write_agents(struct importer *in, struct buf *out) {
    for (const struct import_agent *agent = in->first_agent; agent && !in->arena->oom;
         agent = agent->next) {
        struct doc_printer printer = {out, &in->spans, out->len + 1, UINT32_MAX};
        in->source = agent->source;
        buf_putc(out, '\n');
        doc_print(&printer, agent_pattern(in, agent), 0);
        buf_putc(out, '\n');
    }
}
