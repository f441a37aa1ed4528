/* Turns `[name:Task {prompt: "..."} | tools]` inside an agent into a step of it: its prompt, the
 * type of its answer, the tools that it sees besides the agent's. What ${names} its prompt holds is
 * inputs.c's matter. */
#include "compiler/task.h"

#include "base/text.h"
#include "compiler/box_use.h"
#include "compiler/emit/bundle.h"
#include "compiler/pattern.h"
#include "compiler/properties.h"
#include "compiler/schema_reader.h"
#include "compiler/tool_choice.h"
#include "compiler/tool_list.h"

struct task_properties {
    gramc_text description, prompt, tool_choice, meta;
    const struct value *output;
};

#define AT(member) offsetof(struct task_properties, member)
static const struct property_row rows[] = {
    {"description", PROPERTY_TEXT, AT(description)},
    {"prompt", PROPERTY_TEXT, AT(prompt)},
    {"toolChoice", PROPERTY_TEXT, AT(tool_choice)},
    {"output", PROPERTY_VALUE, AT(output)},
    {"meta", PROPERTY_META, AT(meta)},
};
#undef AT

bool task_is(const struct pattern *element) {
    return element->kind != PATTERN_PATH && text_is(pattern_label(element), "Task");
}

static void check_prompt(struct pass *pass, const struct task *task) {
    if (text_trim(task->public->prompt).len) return;
    struct finding *f =
        FIND(pass->findings, D_NO_PROMPT, pass->source, task->name_at, task->public->name);
    finding_help(pass->findings, f, "write {prompt: \"what the model shall do in this step\"}");
}

void task_read(struct pass *pass, struct gramc_spec *spec, struct agent *agent,
               const struct pattern *element) {
    struct task_properties p = {.output = NULL};
    struct task *task = ARENA_NEW(pass->arena, struct task);
    gramc_task *public = ARENA_NEW(pass->arena, gramc_task);
    gramc_text name = public ? pattern_name(pass, element, "a task") : (gramc_text){NULL, 0};
    if (!name.ptr) return;
    properties_read(pass, element->subject->properties, rows, sizeof rows / sizeof *rows, &p,
                    "tasks");
    if (element->subject->labels->next)
        FIND0(pass->findings, D_SEVERAL_LABELS, pass->source,
              name_span(element->subject->labels->next->name));
    *public = (gramc_task){.name = name,
                           .description = p.description,
                           .prompt = p.prompt,
                           .tool_choice = p.tool_choice};
    task->public = public;
    task->meta = p.meta;
    task->name_at = name_span(element->subject->identifier);
    task->prompt_at = property_place(element->subject, "prompt");
    task->choice_at = property_place(element->subject, "toolChoice");
    if (p.output) task->output = schema_of_value(pass, p.output);
    public->has_output = task->output != NULL;
    check_prompt(pass, task);
    task->own = tools_read(pass, spec, element);
    *agent->last_task = task;
    agent->last_task = &task->next;
    agent->public.task_count++;
}

/* ## Tasks of one name must mean the same, and are one then */

static bool mean_the_same(struct pass *pass, const struct task *a, const struct task *b) {
    struct buf texts[2];
    for (int i = 0; i < 2; i++) {
        buf_init(&texts[i], &pass->arena->allocator, SOURCE_MAX);
        task_print_meaning(&texts[i], i ? b : a);
        if (texts[i].state == BUF_NOMEM) pass->arena->oom = true;
    }
    bool same = text_eq(buf_view(&texts[0]), buf_view(&texts[1]));
    for (int i = 0; i < 2; i++) buf_free(&texts[i]);
    return same;
}

static const struct task *find_earlier(const struct agent *agent, const struct task *task) {
    const struct task *t = agent->first_task;
    while (t != task && !text_eq(t->public->name, task->public->name)) t = t->next;
    return t == task ? NULL : t;
}

static void drop_twins(struct pass *pass, struct agent *agent) {
    for (struct task **link = &agent->first_task; *link && !pass->arena->oom;) {
        struct task *task = *link;
        const struct task *other = find_earlier(agent, task);
        if (other && !mean_the_same(pass, other, task))
            report_name_taken(pass, D_DUPLICATE_TASK, task->public->name, task->name_at,
                              pass->source, other->name_at);
        if (!other) {
            link = &task->next;
            continue;
        }
        *link = task->next;
        agent->public.task_count--;
    }
}

/* ## References */

static void resolve(struct pass *pass, struct gramc_spec *spec, const struct agent *agent,
                    struct task *task) {
    struct tool_uses *own = &task->own;
    if (!own->tools) return;
    tools_resolve(pass, spec, own);
    const struct choice_scope choice = {.tools = {own->tools, agent->own.tools},
                                        .count = {own->count, agent->own.count},
                                        .at = task->choice_at,
                                        .has_boxes = agent->has_boxes};
    tool_choice_resolve(pass, &task->public->tool_choice, &choice);
    struct wire_scope scope = {"task",     task->public->name, task->name_at,   own->tools,
                               own->count, agent->own.tools,   agent->own.count};
    wire_scope_check(pass, &scope);
    task->public->box_uses = box_uses_read(pass, own->references, &task->public->box_use_count);
    task->public->tools = tools_public(pass, own->tools, own->count);
    task->public->tool_count = task->public->tools ? own->count : 0;
}

static void reach(struct agent *agent, struct tool *const *tools, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t seen = 0;
        while (seen < agent->reach_count && agent->reach[seen] != tools[i]) seen++;
        if (seen == agent->reach_count) agent->reach[agent->reach_count++] = tools[i];
    }
}

/* Most agents have no tasks: they reach what they list. */
static void fill_reach(struct pass *pass, struct agent *agent) {
    size_t room = agent->own.count;
    agent->reach = agent->own.tools;
    agent->reach_count = agent->own.count;
    if (!agent->first_task) return;
    for (const struct task *t = agent->first_task; t; t = t->next) room += t->own.count;
    agent->reach = arena_array(pass->arena, room, sizeof(void *));
    agent->reach_count = 0;
    if (!agent->reach) return;
    reach(agent, agent->own.tools, agent->own.count);
    for (const struct task *t = agent->first_task; t; t = t->next)
        reach(agent, t->own.tools, t->own.count);
}

void tasks_resolve(struct pass *pass, struct gramc_spec *spec, struct agent *agent) {
    for (struct task *t = agent->first_task; t && !pass->arena->oom; t = t->next)
        resolve(pass, spec, agent, t);
    drop_twins(pass, agent);
    fill_reach(pass, agent);
    /* One array for who reads the public structs: the tasks were read one by one. */
    gramc_task *list = arena_array(pass->arena, agent->public.task_count, sizeof *list);
    agent->public.tasks = list;
    if (!list) agent->public.task_count = 0;
    for (struct task *t = agent->first_task; t && list; t = t->next) {
        *list = *t->public;
        t->public = list++;
    }
}
