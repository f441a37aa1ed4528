/* What an agent does with one message: its tasks in order, or the message itself. Each step has the
 * tools that the model sees in it and the type of its answer. */
#include "base/text.h"
#include "runtime/bound.h"

static void add(const gramc_tool **list, size_t *count, const gramc_tool *const *tools,
                size_t tool_count) {
    for (size_t i = 0; i < tool_count; i++) {
        size_t seen = 0;
        while (seen < *count && list[seen] != tools[i]) seen++;
        if (seen == *count) list[(*count)++] = tools[i];
    }
}

const gramc_tool **steps_tools(struct arena *arena, const gramc_agent *agent, size_t *count) {
    size_t room = agent->tool_count + 1;
    for (size_t i = 0; i < agent->task_count; i++) room += agent->tasks[i].tool_count;
    const gramc_tool **list = arena_array(arena, room, sizeof(*list));
    *count = 0;
    if (!list) return NULL;
    add(list, count, agent->tools, agent->tool_count);
    for (size_t i = 0; i < agent->task_count; i++)
        add(list, count, agent->tasks[i].tools, agent->tasks[i].tool_count);
    return list;
}

/* ## One step */

static void offer(gramc_bound *bound, struct bound_step *step, const gramc_tool *tool) {
    for (size_t i = 0; i < step->tool_count; i++)
        if (step->tools[i]->tool == tool) return;
    for (size_t i = 0; i < bound->tool_count; i++)
        if (bound->tools[i].tool == tool && bound->tools[i].impl)
            step->tools[step->tool_count++] = &bound->tools[i];
}

static void set_answer(struct bound_step *step, const gramc_agent *agent, bool last) {
    const gramc_task *task = step->task;
    if (task && task->has_output) {
        step->output_document = task->output_document;
        step->output = task->output;
        step->answers = task->answers;
        step->answer_wrapped = task->answer_wrapped;
    } else if (last && agent->has_output) {
        step->output_document = agent->output_document;
        step->output = agent->output;
        step->answers = agent->answers;
        step->answer_wrapped = agent->answer_wrapped;
    }
}

static void offer_of_boxes(gramc_bound *bound, struct bound_step *step, const gramc_task *task) {
    for (size_t i = 0; i < bound->tool_count; i++) {
        struct bound_tool *tool = &bound->tools[i];
        if (tool->of_box && tool->task == task && tool->impl)
            step->tools[step->tool_count++] = tool;
    }
}

static void make(gramc_bound *bound, struct bound_step *step, const gramc_task *task) {
    const gramc_agent *agent = bound->agent;
    step->task = task;
    step->tools = arena_array(&bound->arena, bound->tool_count + 1, sizeof(struct bound_tool *));
    if (!step->tools) return;
    for (size_t i = 0; task && i < task->tool_count; i++) offer(bound, step, task->tools[i]);
    if (task) offer_of_boxes(bound, step, task);
    for (size_t i = 0; i < agent->tool_count; i++) offer(bound, step, agent->tools[i]);
    offer_of_boxes(bound, step, NULL);
}

void steps_make(gramc_bound *bound) {
    const gramc_agent *agent = bound->agent;
    size_t count = agent->task_count ? agent->task_count : 1;
    bound->steps = arena_array(&bound->arena, count, sizeof(*bound->steps));
    if (!bound->steps) return;
    bound->step_count = count;
    for (size_t i = 0; i < count; i++) {
        make(bound, &bound->steps[i], agent->task_count ? &agent->tasks[i] : NULL);
        set_answer(&bound->steps[i], agent, i + 1 == count);
    }
}

/* Some models have seen a tool's own name elsewhere, in an instruction or a script. */
const struct bound_tool *step_find(const struct bound_step *step, gramc_text name) {
    for (size_t i = 0; i < step->tool_count; i++)
        if (text_eq(step->tools[i]->wire_name, name)) return step->tools[i];
    for (size_t i = 0; i < step->tool_count; i++)
        if (text_eq(step->tools[i]->tool->name, name)) return step->tools[i];
    return NULL;
}
