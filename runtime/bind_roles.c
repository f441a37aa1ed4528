/* Chooses by which protocol each model of an agent is asked: those of its strategy's roles, and
 * those of agents that do its tools. Which model that is, is decided when it runs (role.c). */
#include "runtime/bind_roles.h"

#include "base/text.h"
#include "runtime/protocol.h"
#include "runtime/strategy.h"

/* An agent may name its generator's model alone. */
static gramc_text own_name(const gramc_agent *agent) {
    return agent->model.len ? agent->model : agent->generator_model;
}

static const struct protocol *base_protocol(const gramc_bind_options *options) {
    return options->protocol.len ? protocol_named(options->protocol)
                                 : protocol_of_target(options->target);
}

const struct protocol *bind_protocol(const gramc_bind_options *options, const gramc_agent *agent,
                                     gramc_text name) {
    const struct protocol *base = base_protocol(options);
    gramc_text own = own_name(agent);
    const gramc_provider *of_own = gramc_provider_of(own), *of_name = gramc_provider_of(name);
    for (size_t i = 0; i < options->protocol_count; i++)
        if (text_eq(options->protocols[i].model, name))
            return protocol_named(options->protocols[i].protocol);
    bool by_provider = of_own && base && text_is(text_of(of_own->protocol), base->name);
    if (!name.len || text_eq(name, own) || !of_name || of_name == of_own || !by_provider)
        return base;
    return protocol_named(text_of(of_name->protocol));
}

bool bind_roles(gramc_bound *bound, gramc_bind_options *options) {
    const gramc_agent *agent = bound->agent;
    const struct strategy *strategy = strategy_of(agent);
    unsigned roles = strategy ? strategy->roles : 1u << RUN_AGENT;
    const struct protocol *base = base_protocol(options);
    if (!base) return false;
    options->protocol = text_of(base->name);
    for (size_t i = 0; i < RUN_ROLES; i++) {
        bound->protocols[i] = NULL;
        if (!(roles & 1u << i)) continue;
        bound->protocols[i] = bind_protocol(options, agent, role_wants(agent, (enum run_role)i));
        if (!bound->protocols[i]) return false;
    }
    bound->protocol = bound->protocols[role_first(roles)];
    if (bound->protocol != base || !options->target.len)
        options->target = text_of(bound->protocol->target);
    return true;
}

/* ## For traces */

static void list(gramc_bound *bound, gramc_text name, const struct protocol *protocol) {
    if (!name.len || protocol == bound->protocol) return;
    for (const struct bound_named *n = bound->named; n; n = n->next)
        if (text_eq(n->name, name)) return;
    struct bound_named *added = ARENA_NEW(&bound->arena, struct bound_named);
    if (!added) return;
    *added = (struct bound_named){name, protocol, NULL};
    *bound->named_end = added;
    bound->named_end = &added->next;
}

void bind_list_named(gramc_bound *bound) {
    for (size_t i = 0; i < RUN_ROLES; i++)
        if (bound->protocols[i])
            list(bound, role_wants(bound->agent, (enum run_role)i), bound->protocols[i]);
    for (size_t i = 0; i < bound->tool_count; i++) {
        const struct bound_tool *tool = &bound->tools[i];
        if (tool->kind != &tool_agent || !tool->data) continue;
        const gramc_bound *inner = tool->data;
        list(bound, own_name(inner->agent), inner->protocol);
        for (const struct bound_named *n = inner->named; n; n = n->next)
            list(bound, n->name, n->protocol);
    }
}
