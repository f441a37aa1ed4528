/* Which model is asked in which role: the resolver from the names that an agent gives its models to
 * what whoever runs it has opened. */
#include "runtime/role.h"

#include "base/text.h"

const char *role_name(enum run_role role) {
    static const char *const names[] = {
        [RUN_GENERATOR] = "generator", [RUN_EVALUATOR] = "evaluator", [RUN_OUTPUT] = "output"};
    return role == RUN_AGENT ? NULL : names[role];
}

enum run_role role_first(unsigned roles) {
    size_t role = 0;
    while (role + 1 < RUN_ROLES && !(roles & 1u << role)) role++;
    return (enum run_role)role;
}

gramc_text role_wants(const gramc_agent *agent, enum run_role role) {
    const gramc_text names[] = {[RUN_AGENT] = agent->model,
                                [RUN_GENERATOR] = agent->generator_model,
                                [RUN_EVALUATOR] = agent->evaluator_model,
                                [RUN_OUTPUT] = agent->output_model};
    return names[role].len ? names[role] : agent->model;
}

static const gramc_named_model *find(const gramc_run_options *options, gramc_text name) {
    for (size_t i = 0; i < options->model_count; i++)
        if (text_eq(options->models[i].name, name)) return &options->models[i];
    return NULL;
}

/* One that answers whatever it is asked, or the same server. */
static bool will_do(const gramc_model *model, gramc_text name, gramc_text wanted) {
    bool same = text_eq_nocase(model_provider(name), model_provider(wanted));
    return model->kind != &model_endpoint || text_eq(name, wanted) || (!model->id.len && same);
}

/* A script is asked by the names that it was recorded with: all by one where --model or the like
 * had replaced those of the agent. `first`: that of the first role. */
static gramc_text name_it(const gramc_model *model, gramc_text wanted, gramc_text first) {
    bool replaced = !text_eq(model->id, model_id(first));
    gramc_text id = model_id(wanted);
    if (model->id.len && (model->kind == &model_endpoint || replaced)) return model->id;
    if (!id.len) id = model->id;
    if (!id.len && model->kind != &model_endpoint) id = text_of(model->kind->name);
    return id;
}

static struct run_model resolve(const gramc_agent *agent, const gramc_run_options *options,
                                gramc_text wanted, gramc_text first) {
    bool other = !text_eq(wanted, agent->model);
    const gramc_named_model *found = other ? find(options, wanted) : NULL;
    struct run_model out = {options->model, {NULL, 0}, other ? NULL : options->prices};
    if (found) out = (struct run_model){found->model, {NULL, 0}, found->prices};
    else if (!will_do(options->model, agent->model, wanted)) out.model = NULL;
    if (out.model) out.id = name_it(out.model, wanted, first);
    return out;
}

/* Nothing is asked of a server, and perhaps paid for, that nobody has named: no id, no model. */
bool roles_resolve(struct run_model out[RUN_ROLES], unsigned roles, const gramc_agent *agent,
                   const gramc_run_options *options) {
    gramc_text first = role_wants(agent, role_first(roles));
    for (size_t i = 0; i < RUN_ROLES; i++) {
        out[i] = (struct run_model){NULL, {NULL, 0}, NULL};
        if (!(roles & 1u << i)) continue;
        out[i] = resolve(agent, options, role_wants(agent, (enum run_role)i), first);
        if (!out[i].model || !out[i].id.len) return false;
    }
    return true;
}
