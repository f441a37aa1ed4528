/* Turns two sets of agents into changes: agents that came and went, what they say about themselves,
 * and which tools they list. The tools themselves are diff.c's. */
#include "compiler/diff/cause.h"

#include "base/text.h"
#include "compiler/task.h"

#include <stddef.h>
#include <stdio.h>

static const struct diff_place nowhere = {NULL, {0, 0}};
static const gramc_text nothing = {NULL, 0};

static struct diff_place place(const struct agent *agent) {
    return (struct diff_place){agent->source, agent->name_at};
}

static bool is_same(const struct gramc_diff *diff, const struct agent *a, const struct agent *b,
                    bool a_is_old) {
    return text_eq(a->public.name, b->public.name) &&
           (a_is_old ? diff_same_file(diff, a->source, b->source)
                     : diff_same_file(diff, b->source, a->source));
}

static const struct agent *find_in_file(const struct gramc_diff *diff,
                                        const struct gramc_spec *spec, const struct agent *wanted,
                                        bool is_old) {
    for (const struct agent *a = spec->first_agent; a; a = a->next)
        if (is_same(diff, a, wanted, is_old)) return a;
    return NULL;
}

/* In `spec`, which is the old one or not: of the same name in the same file; or else the first of
 * that name that has no such partner in `own`. */
static const struct agent *find(const struct gramc_diff *diff, const struct gramc_spec *spec,
                                const struct gramc_spec *own, const struct agent *wanted,
                                bool is_old) {
    const struct agent *a = find_in_file(diff, spec, wanted, is_old);
    size_t rank = 0;
    if (a) return a;
    for (a = own->first_agent; a && a != wanted; a = a->next)
        rank +=
            text_eq(a->public.name, wanted->public.name) && !find_in_file(diff, spec, a, is_old);
    for (a = spec->first_agent; a; a = a->next)
        if (text_eq(a->public.name, wanted->public.name) && !find_in_file(diff, own, a, !is_old) &&
            rank-- == 0)
            return a;
    return NULL;
}

/* ## Properties */

static const struct {
    const char *name;
    size_t offset;
} texts[] = {
    {"description", offsetof(gramc_agent, description)},
    {"model", offsetof(gramc_agent, model)},
    {"temperature", offsetof(gramc_agent, temperature)},
    {"topP", offsetof(gramc_agent, top_p)},
    {"presencePenalty", offsetof(gramc_agent, presence_penalty)},
    {"frequencyPenalty", offsetof(gramc_agent, frequency_penalty)},
    {"maxTokens", offsetof(gramc_agent, max_tokens)},
    {"seed", offsetof(gramc_agent, seed)},
    {"numCtx", offsetof(gramc_agent, num_ctx)},
    {"keepAlive", offsetof(gramc_agent, keep_alive)},
    {"toolChoice", offsetof(gramc_agent, tool_choice)},
    {"wire", offsetof(gramc_agent, wire)},
    {"strategy", offsetof(gramc_agent, strategy)},
    {"generatorModel", offsetof(gramc_agent, generator_model)},
    {"evaluatorModel", offsetof(gramc_agent, evaluator_model)},
    {"outputModel", offsetof(gramc_agent, output_model)},
    {"maxCost", offsetof(gramc_agent, max_cost)},
};

static const struct {
    const char *name;
    size_t offset;
} counts[] = {
    {"maxIterations", offsetof(gramc_agent, max_iterations)},
    {"maxCallsPerTurn", offsetof(gramc_agent, max_calls_per_turn)},
    {"memory", offsetof(gramc_agent, max_messages)},
    {"maxRounds", offsetof(gramc_agent, max_rounds)},
    {"maxTotalTokens", offsetof(gramc_agent, max_total_tokens)},
};

static const void *member(const gramc_agent *agent, size_t offset) {
    return (const char *)agent + offset;
}

static gramc_text number(struct gramc_diff *diff, uint32_t count) {
    char text[16];
    int len = snprintf(text, sizeof text, "%u", (unsigned)count);
    return count ? arena_text(&diff->arena, (gramc_text){text, (size_t)len}) : nothing;
}

static gramc_text duration(struct gramc_diff *diff, uint32_t ms) {
    char text[16];
    int len = snprintf(text, sizeof text, "%ums", (unsigned)ms);
    return ms ? arena_text(&diff->arena, (gramc_text){text, (size_t)len}) : nothing;
}

static void property(struct gramc_diff *diff, const struct agent *before, const struct agent *after,
                     const char *name, gramc_text old, gramc_text new) {
    if (text_eq(old, new)) return;
    diff_add(diff, CHANGE_AGENT_PROPERTY, place(before), place(after), after->public.name,
             text_of(name), diff_from_to(diff, old, new));
}

static void diff_properties(struct gramc_diff *diff, const struct agent *before,
                            const struct agent *after) {
    const gramc_agent *old = &before->public, *new = &after->public;
    static const char *const flags[] = {"false", "true"};
    if (!text_eq(old->instruction, new->instruction))
        diff_add(diff, CHANGE_AGENT_INSTRUCTION, place(before), place(after), new->name, nothing,
                 nothing);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        property(diff, before, after, texts[i].name,
                 *(const gramc_text *)member(old, texts[i].offset),
                 *(const gramc_text *)member(new, texts[i].offset));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        property(diff, before, after, counts[i].name,
                 number(diff, *(const uint32_t *)member(old, counts[i].offset)),
                 number(diff, *(const uint32_t *)member(new, counts[i].offset)));
    property(diff, before, after, "maxDuration", duration(diff, old->max_duration_ms),
             duration(diff, new->max_duration_ms));
    property(diff, before, after, "parallelToolCalls",
             old->parallel_tool_calls < 0 ? nothing : text_of(flags[old->parallel_tool_calls]),
             new->parallel_tool_calls < 0 ? nothing : text_of(flags[new->parallel_tool_calls]));
    property(diff, before, after, "coerce", text_of(flags[old->coerce]),
             text_of(flags[new->coerce]));
}

/* ## Lists of tools */

static bool lists(const struct agent *agent, gramc_text name) {
    for (size_t i = 0; i < agent->reach_count; i++)
        if (text_eq(agent->reach[i]->public.name, name)) return true;
    return false;
}

static bool defines(const struct gramc_spec *spec, gramc_text name) {
    for (const struct tool *t = spec->first_tool; t; t = t->next)
        if (text_eq(t->public.name, name)) return true;
    return false;
}

/* A tool that came or went altogether is reported as that alone. */
static void diff_list(struct gramc_diff *diff, const struct agent *before,
                      const struct gramc_spec *old_spec, const struct agent *after,
                      const struct gramc_spec *new_spec) {
    for (size_t i = 0; i < after->reach_count; i++) {
        gramc_text name = after->reach[i]->public.name;
        if (!lists(before, name) && defines(old_spec, name))
            diff_add(diff, CHANGE_AGENT_TOOL_ADDED, place(before), place(after), after->public.name,
                     name, nothing);
    }
    for (size_t i = 0; i < before->reach_count; i++) {
        gramc_text name = before->reach[i]->public.name;
        if (!lists(after, name) && defines(new_spec, name))
            diff_add(diff, CHANGE_AGENT_TOOL_REMOVED, place(before), place(after),
                     after->public.name, name, nothing);
    }
}

static const struct tool *listed(const struct agent *agent, gramc_text name) {
    for (size_t i = 0; i < agent->reach_count; i++)
        if (text_eq(agent->reach[i]->public.name, name)) return agent->reach[i];
    return NULL;
}

/* Their places in a file changed as well: diff.c reports that. */
static bool stand_otherwise(const struct tool *old[2], const struct tool *new[2]) {
    bool is_one_file = old[0]->source == old[1]->source && new[0]->source == new[1]->source;
    return is_one_file && (old[0]->name_at.start < old[1]->name_at.start) !=
                              (new[0]->name_at.start < new[1]->name_at.start);
}

/* The first tool, in the new order, that the agent lists behind one that it listed in front of. */
static void diff_list_order(struct gramc_diff *diff, const struct agent *before,
                            const struct agent *after) {
    size_t expected = 0;
    for (size_t i = 0; i < after->reach_count; i++) {
        const struct tool *now = after->reach[i], *was = listed(before, now->public.name);
        if (!was) continue;
        while (expected < before->reach_count &&
               !listed(after, before->reach[expected]->public.name))
            expected++;
        if (expected == before->reach_count) return;
        const struct tool *first = before->reach[expected++];
        if (text_eq(first->public.name, now->public.name)) continue;
        const struct tool *old[2] = {first, was},
                          *new[2] = {listed(after, first->public.name), now};
        if (!stand_otherwise(old, new))
            diff_add(diff, CHANGE_TOOLS_REORDERED, place(before), place(after), now->public.name,
                     nothing, nothing);
        return;
    }
}

/* ## Tasks, inputs, answers */

struct output {
    const struct schema *schema;
    struct diff_place at;
};

/* True if the answer is of the same type, or the type is reported where it is defined. */
static bool same_type(struct gramc_diff *diff, const struct output *before,
                      const struct output *after, gramc_text owner,
                      struct change_of_values *change) {
    const struct schema *a = before->schema, *b = after->schema;
    *change = (struct change_of_values){.shift = {.narrowed = a != b, .widened = a != b}};
    if (!a || !b) return a == b;
    compare_values(diff, a, b, change);
    if (change->is_same || diff->arena.oom) return true;
    const gramc_text names[3] = {owner, nothing, nothing};
    const struct diff_use use = {.text = diff_fill(diff, "answer of `{0}`", names),
                                 .at = after->at,
                                 .position = DIFF_ANSWER,
                                 .shift = change->shift};
    return cause_explains(diff, &use, &(struct diff_typed){a, NULL}, &(struct diff_typed){b, NULL});
}

static const struct task *find_task(const struct agent *agent, gramc_text name) {
    const struct task *t = agent->first_task;
    while (t && !text_eq(t->public->name, name)) t = t->next;
    return t;
}

/* How many of those that both have stand in front of it. */
static size_t rank_of(const struct agent *agent, const struct agent *other, gramc_text name) {
    size_t rank = 0;
    for (const struct task *t = agent->first_task; !text_eq(t->public->name, name); t = t->next)
        rank += find_task(other, t->public->name) ? 1 : 0;
    return rank;
}

static void diff_task(struct gramc_diff *diff, const struct agent *before,
                      const struct agent *after, const struct task *task) {
    const struct task *old = find_task(before, task->public->name);
    const struct diff_place was = {before->source, old ? old->name_at : before->name_at};
    const struct diff_place is = {after->source, task->name_at};
    gramc_text agent = after->public.name, name = task->public->name;
    if (!old) {
        diff_add(diff, CHANGE_AGENT_TASK_ADDED, place(before), is, agent, name, nothing);
        return;
    }
    const struct output was_of = {old->output, was}, is_of = {task->output, is};
    struct change_of_values change;
    const struct {
        bool differs;
        const char *what;
    } sides[] = {{!text_eq(old->public->prompt, task->public->prompt), "its prompt"},
                 {!same_type(diff, &was_of, &is_of, name, &change), "the type of its answer"},
                 {rank_of(before, after, name) != rank_of(after, before, name), "its place"}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (sides[i].differs)
            diff_add(diff, CHANGE_AGENT_TASK_CHANGED, was, is, agent, name, text_of(sides[i].what));
    gramc_text chose = old->public->tool_choice, chooses = task->public->tool_choice;
    if (!text_eq(chose, chooses))
        diff_add(diff, CHANGE_AGENT_TASK_CHOICE, was, is, agent, name,
                 diff_from_to(diff, chose, chooses));
}

static void diff_tasks(struct gramc_diff *diff, const struct agent *before,
                       const struct agent *after) {
    for (const struct task *t = after->first_task; t; t = t->next)
        diff_task(diff, before, after, t);
    for (const struct task *t = before->first_task; t; t = t->next)
        if (!find_task(after, t->public->name))
            diff_add(diff, CHANGE_AGENT_TASK_REMOVED,
                     (struct diff_place){before->source, t->name_at}, place(after),
                     after->public.name, t->public->name, nothing);
}

static void diff_answer(struct gramc_diff *diff, const struct agent *before,
                        const struct agent *after) {
    const struct output old = {before->output, place(before)}, new = {after->output, place(after)};
    struct change_of_values change;
    if (same_type(diff, &old, &new, after->public.name, &change)) return;
    enum change_id id = change.shift.widened    ? CHANGE_AGENT_OUTPUT
                        : change.shift.narrowed ? CHANGE_AGENT_OUTPUT_NARROWED
                                                : CHANGE_AGENT_OUTPUT_RESTATED;
    struct difference *d =
        diff_add(diff, id, place(before), place(after), after->public.name, nothing, nothing);
    for (int i = 0; d && i < 2; i++) d->evidence[i] = change.schemas[i];
}

static bool asks_for(const gramc_agent *agent, gramc_text name) {
    for (size_t i = 0; i < agent->input_count; i++)
        if (text_eq(agent->inputs[i], name)) return true;
    return false;
}

static void diff_inputs(struct gramc_diff *diff, const struct agent *before,
                        const struct agent *after) {
    const gramc_agent *old = &before->public, *new = &after->public;
    for (size_t i = 0; i < new->input_count; i++)
        if (!asks_for(old, new->inputs[i]))
            diff_add(diff, CHANGE_INPUT_ADDED, place(before), place(after), new->name,
                     new->inputs[i], nothing);
    for (size_t i = 0; i < old->input_count; i++)
        if (!asks_for(new, old->inputs[i]))
            diff_add(diff, CHANGE_INPUT_REMOVED, place(before), place(after), new->name,
                     old->inputs[i], nothing);
    diff_answer(diff, before, after);
}

void diff_agents(struct gramc_diff *diff, const struct gramc_spec *before,
                 const struct gramc_spec *after) {
    for (const struct agent *a = after->first_agent; a; a = a->next) {
        const struct agent *old = find(diff, before, after, a, true);
        if (!old && !diff_is_skipped_agent(diff, a))
            diff_add(diff, CHANGE_AGENT_ADDED, nowhere, place(a), a->public.name, nothing, nothing);
        if (!old) continue;
        diff_properties(diff, old, a);
        diff_list(diff, old, before, a, after);
        diff_list_order(diff, old, a);
        diff_tasks(diff, old, a);
        diff_inputs(diff, old, a);
    }
    for (const struct agent *a = before->first_agent; a; a = a->next)
        if (!find(diff, after, before, a, false))
            diff_add(diff, CHANGE_AGENT_REMOVED, place(a), nowhere, a->public.name, nothing,
                     nothing);
}
