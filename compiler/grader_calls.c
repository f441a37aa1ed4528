/* Looks whether the calls that graders and cases speak of can be made at all: a tool that no arm's
 * agent has makes a check fail always, or hold always. Only a name that is nearly a tool's is worth
 * a warning: cases are shared by agents with other tools. */
#include "compiler/grader.h"

#include "base/expectation.h"
#include "base/text.h"
#include "compiler/agent.h"
#include "compiler/tool.h"

/* A public agent is the beginning of a struct agent. */
static const struct agent *agent_of(const gramc_experiment *experiment, size_t arm) {
    return (const struct agent *)(const void *)experiment->arms[arm].agent;
}

static bool has_tool(const struct agent *agent, gramc_text name) {
    for (size_t i = 0; i < agent->reach_count; i++)
        if (text_eq(agent->reach[i]->public.name, name)) return true;
    return false;
}

/* What a box brings is known at binding. */
static bool may_be_called(const gramc_experiment *experiment, gramc_text name) {
    for (size_t i = 0; i < experiment->arm_count; i++) {
        const struct agent *agent = agent_of(experiment, i);
        if (!agent || agent->has_boxes || has_tool(agent, name)) return true;
    }
    return !name.len || text_starts(name, "${");
}

static gramc_text name_of(const struct json *call) {
    const struct json *name = call->kind == JSON_OBJECT ? json_get(call, "name") : call;
    return json_is(name, JSON_STRING) ? name->text : (gramc_text){NULL, 0};
}

static gramc_text unknown_in(const struct json *calls, const gramc_experiment *experiment) {
    bool list = json_is(calls, JSON_ARRAY);
    for (const struct json *c = list ? calls->first : calls; c; c = list ? c->next : NULL)
        if (!may_be_called(experiment, name_of(c))) return name_of(c);
    return (gramc_text){NULL, 0};
}

gramc_text expectation_unknown_call(const struct json *object, const gramc_experiment *experiment) {
    const enum expectation_member members[] = {EXPECT_CALLS, EXPECT_NOT_CALLS};
    gramc_text name = {NULL, 0};
    for (size_t i = 0; i < 2 && !name.len; i++)
        name = unknown_in(json_get(object, expectation_name(members[i])), experiment);
    return name;
}

gramc_text nearest_call(struct arena *arena, gramc_text name, const gramc_experiment *experiment) {
    for (size_t arm = 0; arm < experiment->arm_count; arm++) {
        const struct agent *agent = agent_of(experiment, arm);
        gramc_text *names = agent ? arena_array(arena, agent->reach_count, sizeof *names) : NULL;
        for (size_t i = 0; names && i < agent->reach_count; i++)
            names[i] = agent->reach[i]->public.name;
        gramc_text near =
            names ? text_nearest(name, names, agent->reach_count) : (gramc_text){NULL, 0};
        if (near.len) return near;
    }
    return (gramc_text){NULL, 0};
}
