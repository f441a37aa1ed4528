/* From the names that an agent's strategy has for its models (generatorModel and the like), and
 * those that agents have which do its tools, to models, opened as the agent's own is. */
#include "cli/run/roles.h"

#include <stddef.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

static const struct {
    const char *role;
    size_t name; /* in gramc_agent */
} roles[ROLES_MOST] = {{"generator", offsetof(gramc_agent, generator_model)},
                       {"evaluator", offsetof(gramc_agent, evaluator_model)},
                       {"output", offsetof(gramc_agent, output_model)}};

static gramc_text name_of(const gramc_agent *agent, size_t role) {
    return *(const gramc_text *)(const void *)((const char *)agent + roles[role].name);
}

static const gramc_named_model *find(const struct role_models *models, gramc_text name) {
    for (size_t i = 0; i < models->count; i++)
        if (text_eq(models->models[i].name, name)) return &models->models[i];
    return NULL;
}

/* The agent as it would be if that were its model. */
static struct choice named(const struct choice *choice, gramc_agent *room, gramc_text name) {
    struct choice out = *choice;
    *room = *choice->agent;
    room->model = name;
    out.agent = room;
    return out;
}

static int open_one(struct role_models *out, struct cli *cli, const struct choice *choice,
                    gramc_text name, const gramc_model *model) {
    gramc_agent room;
    const struct choice with = named(choice, &room, name);
    gramc_named_model *made = &out->models[out->count];
    gramc_prices *prices = &out->prices[out->count];
    int code = EXIT_FINE;
    if (model && !cli->options[OPTION_MODEL]) code = run_model(cli, &with, &out->own[out->count]);
    const gramc_model *own = out->own[out->count];
    *made = (gramc_named_model){.name = name, .model = own ? own : model};
    if (run_find_prices(cli, &with, prices)) made->prices = prices;
    out->count++;
    return code;
}

/* Agents that do tools, and agents that do theirs; recursion is bounded by what can be bound. */
static int open_inner(struct role_models *out, struct cli *cli, const struct choice *choice,
                      const gramc_library *library, const gramc_model *model, unsigned depth) {
    int code = EXIT_FINE;
    for (size_t i = 0; library && i < library->impl_count && code == EXIT_FINE; i++) {
        const gramc_impl *impl = &library->impls[i];
        gramc_text name = impl->agent ? impl->agent->model : TEXT("");
        bool is_new = name.len && !text_eq(name, choice->agent->model) && !find(out, name);
        if (is_new && out->count == MODELS_MOST)
            return cli_usage(cli, "the agents of library %.*s name more than %d models",
                             TEXT_ARGS(library->name), MODELS_MOST);
        if (is_new) code = open_one(out, cli, choice, name, model);
        if (code == EXIT_FINE && impl->library && depth < AGENT_DEPTH_MAX)
            code = open_inner(out, cli, choice, impl->library, model, depth + 1);
    }
    return code;
}

int role_models_open(struct role_models *out, struct cli *cli, const struct choice *choice,
                     const gramc_model *model) {
    const gramc_agent *agent = choice->agent;
    for (size_t i = 0; i < ROLES_MOST; i++) {
        gramc_text name = name_of(agent, i);
        if (!name.len || text_eq(name, agent->model) || find(out, name)) continue;
        int code = open_one(out, cli, choice, name, model);
        if (code != EXIT_FINE) return code;
    }
    return open_inner(out, cli, choice, choice->library, model, 0);
}

/* ## How they are asked */

struct protocol_list {
    struct cli *cli;
    const struct choice *choice;
    struct role_protocols *out;
    const gramc_bind_options *binding;
    const gramc_model *model;
};

/* --model is asked in every role as in the agent's own; a script says how it was asked. */
static gramc_text protocol_of(const struct protocol_list *to, gramc_text name) {
    bool given = to->cli->options[OPTION_MODEL] != NULL;
    bool recorded = to->model && gramc_model_protocol(to->model).len;
    if (recorded) return gramc_model_protocol_of(to->model, name);
    if (given) return to->binding->protocol;
    gramc_agent room;
    const struct choice with = named(to->choice, &room, name);
    return run_protocol_of(to->cli, &with);
}

static void list(const struct protocol_list *to, gramc_text name) {
    struct role_protocols *out = to->out;
    for (size_t i = 0; i < out->count; i++)
        if (text_eq(out->list[i].model, name)) return;
    if (!name.len || out->count == MODELS_MOST) return;
    out->list[out->count++] = (gramc_named_protocol){name, protocol_of(to, name)};
}

static void list_inner(const struct protocol_list *to, const gramc_library *library,
                       unsigned depth) {
    for (size_t i = 0; library && i < library->impl_count; i++) {
        const gramc_impl *impl = &library->impls[i];
        const gramc_agent *agent = impl->agent;
        if (!agent) continue;
        list(to, agent->model);
        for (size_t role = 0; role < ROLES_MOST; role++) list(to, name_of(agent, role));
        if (impl->library && depth < AGENT_DEPTH_MAX) list_inner(to, impl->library, depth + 1);
    }
}

void role_protocols_list(struct role_protocols *out, struct cli *cli, const struct choice *choice,
                         const gramc_model *recorded, gramc_bind_options *binding) {
    const struct protocol_list to = {cli, choice, out, binding, recorded};
    const gramc_agent *agent = choice->agent;
    bool replaced = recorded && gramc_model_protocol(recorded).len;
    out->count = 0;
    if (replaced) list(&to, agent->model);
    for (size_t role = 0; role < ROLES_MOST; role++)
        if (!text_eq(name_of(agent, role), agent->model)) list(&to, name_of(agent, role));
    list_inner(&to, choice->library, 0);
    binding->protocols = out->list;
    binding->protocol_count = out->count;
}

void role_models_free(struct role_models *models) {
    for (size_t i = 0; i < models->count; i++) gramc_model_free(models->own[i]);
    models->count = 0;
}

const gramc_model *role_models_get(const struct role_models *models, const gramc_agent *agent,
                                   const char *role, const gramc_model *own) {
    for (size_t i = 0; role && i < ROLES_MOST; i++) {
        const gramc_named_model *found = find(models, name_of(agent, i));
        if (strcmp(role, roles[i].role) == 0 && found) return found->model;
    }
    return own;
}
