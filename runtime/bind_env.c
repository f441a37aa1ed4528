/* Fills in the ${env:NAME} of `env: {TOKEN: "${env:CRM_TOKEN}"}` when a program or plugin is bound.
 * The values are kept beside the implementation, never in it, are overwritten when what was bound
 * is freed, and are taken out of results by tool.c. */
#include "runtime/bind_env.h"

#include <string.h>

#include "base/limits.h"
#include "base/placeholder.h"
#include "base/text.h"
#include "runtime/bind_sandbox.h"
#include "runtime/httptool/bind.h"
#include "runtime/secret.h"

/* What is overwritten in the end. */
struct filled {
    char **pairs;
    size_t *sizes;
    size_t count;
};

static void wipe(void *what) {
    const struct filled *filled = what;
    for (size_t i = 0; i < filled->count; i++) mem_wipe(filled->pairs[i], filled->sizes[i]);
}

static bool has_template(const gramc_impl *impl) {
    for (size_t i = 0; i < impl->env_count; i++)
        if (placeholder_is_in(impl->env[i])) return true;
    return false;
}

/* A variable that is not set, though that was allowed, fails the calls. */
static gramc_status expand(struct http_binder *binder, struct bound_environment *environment,
                           const struct template *value, struct buf *out) {
    struct template_error error;
    gramc_status status =
        template_expand(out, value, NULL, secrets_look_up, binder->bound->secrets, &error);
    if (status != GRAMC_FINDINGS) return status;
    environment->problem = arena_text(&binder->bound->arena, text_of(error.message)).ptr;
    return GRAMC_OK;
}

/* Writes NAME= and the value, filled in. */
static void fill_pair(struct http_binder *binder, const gramc_impl *impl, gramc_text pair,
                      struct bound_environment *environment, struct buf *out) {
    struct template value;
    struct template_error error;
    const char *equals = pair.len ? memchr(pair.ptr, '=', pair.len) : NULL;
    size_t name = equals ? (size_t)(equals - pair.ptr) + 1 : pair.len;
    buf_text(out, text_slice(pair, 0, name));
    gramc_status status =
        template_read(&value, &binder->bound->arena, text_slice(pair, name, pair.len),
                      TEMPLATE_TEXT, false, &error);
    if (!status) status = template_check(&value, NULL, 0, NULL, &error);
    if (!status) http_bind_secrets(binder, "in its env, ", &value);
    if (!status && !binder->failed) status = expand(binder, environment, &value, out);
    if (!status) status = buf_status(out);
    if (status == GRAMC_NOMEM) binder->bound->arena.oom = true;
    else if (status) {
        binder->failed = true;
        bound_cannot_work(binder->bound, impl,
                          status == GRAMC_LIMIT ? "a variable of its env is too long"
                                                : error.message);
    }
}

static void fill(struct http_binder *binder, const gramc_impl *impl, struct filled *filled,
                 struct bound_environment *environment, gramc_text *env) {
    for (size_t i = 0; i < impl->env_count && !binder->failed; i++) {
        struct buf out;
        buf_init_secret(&out, &binder->bound->arena.allocator, ENV_VALUE_MAX);
        fill_pair(binder, impl, impl->env[i], environment, &out);
        char *copy = arena_alloc(&binder->bound->arena, out.len + 1);
        if (copy) {
            memcpy(copy, buf_view(&out).ptr, out.len);
            copy[out.len] = '\0';
            env[i] = (gramc_text){copy, out.len};
            filled->pairs[i] = copy;
            filled->sizes[i] = out.len;
        }
        buf_free(&out);
    }
}

static void fill_all(gramc_bound *bound, const gramc_impl *impl, gramc_text who,
                     struct bound_environment *environment) {
    struct arena *arena = &bound->arena;
    struct http_binder binder = {
        .bound = bound, .place = {impl->file, impl->start, impl->end}, .who = who};
    gramc_text *env = arena_array(arena, impl->env_count, sizeof(*env));
    struct filled *filled = ARENA_NEW(arena, struct filled);
    if (!env || !filled) return;
    filled->pairs = arena_array(arena, impl->env_count, sizeof(*filled->pairs));
    filled->sizes = arena_array(arena, impl->env_count, sizeof(*filled->sizes));
    if (!filled->pairs || !filled->sizes) return;
    filled->count = impl->env_count;
    if (!bound_own(bound, wipe, filled)) return;
    environment->pairs = env;
    fill(&binder, impl, filled, environment, env);
}

struct bound_environment *environment_make(gramc_bound *bound, const gramc_impl *program,
                                           gramc_text who) {
    struct sandboxed sandboxed;
    gramc_impl *whole = ARENA_NEW(&bound->arena, gramc_impl);
    struct bound_environment *environment = ARENA_NEW(&bound->arena, struct bound_environment);
    if (!whole || !environment || !bind_sandbox(&sandboxed, bound, program, who)) return NULL;
    *whole = *program;
    whole->env = sandbox_env(&bound->arena, &sandboxed, program, bound->secrets, &whole->env_count);
    if (!whole->env) return NULL;
    *environment = (struct bound_environment){.pairs = whole->env,
                                              .count = whole->env_count,
                                              .sandbox = sandboxed.held,
                                              .said = sandboxed.said};
    if (has_template(whole)) fill_all(bound, whole, who, environment);
    return environment;
}

const gramc_sandbox *environment_sandbox(const void *environment) {
    return ((const struct bound_environment *)environment)->said;
}

void bind_environment(gramc_bound *bound, struct bound_tool *choice) {
    const gramc_impl *impl = choice->impl;
    struct bound_environment *environment =
        environment_make(bound, impl, http_bind_who(bound, "tool", impl->name));
    choice->data = environment;
    if (environment && environment->pairs != impl->env && environment->count)
        choice->secrets = bound->secrets;
}

bool bound_started(struct tool_call *call, gramc_impl *out) {
    const struct bound_environment *environment = call->bound->data;
    *out = *call->bound->impl;
    out->env = environment->pairs;
    out->env_count = environment->count;
    out->sandbox = environment->sandbox;
    if (environment->problem) tool_fail(call, "%s", environment->problem);
    return !environment->problem;
}
