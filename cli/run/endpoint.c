/* From --model, --base-url and the environment to a model. Keys come from the environment or a
 * file: what stands in argv can be read by everybody on the machine. */
#include "cli/run/run.h"

#include <string.h>

#include "base/text.h"

#define SCRIPT "script:"

static gramc_text variable(const struct cli *cli, const char *name) {
    const char *value = cli_variable(cli, name);
    return text_of(value ? value : "");
}

static gramc_text first_variable(const struct cli *cli, const char *const *names) {
    gramc_text value = {NULL, 0};
    for (; *names && value.len == 0; names++) value = variable(cli, *names);
    return value;
}

/* ## Proxies, as curl has them. HTTP_PROXY in capitals is not asked: a CGI program's client could
 * set it. */

static gramc_text host_of(gramc_text url) {
    const char *slashes = url.len ? strstr(url.ptr, "://") : NULL;
    if (!slashes) return (gramc_text){NULL, 0};
    const char *host = slashes + 3;
    const char *at = strpbrk(host, "@/");
    if (at && *at == '@') host = at + 1;
    return (gramc_text){host, strcspn(host, ":/")};
}

/* `no_proxy` is a list of names that also mean everything below them, or `*`. */
static bool is_exempt(gramc_text host, gramc_text list) {
    while (list.len) {
        const char *comma = memchr(list.ptr, ',', list.len);
        size_t len = comma ? (size_t)(comma - list.ptr) : list.len;
        gramc_text name = text_trim(text_slice(list, 0, len));
        if (name.len && name.ptr[0] == '.') name = text_slice(name, 1, name.len);
        if (text_is(name, "*")) return true;
        if (name.len && host.len >= name.len &&
            text_eq(text_slice(host, host.len - name.len, host.len), name) &&
            (host.len == name.len || host.ptr[host.len - name.len - 1] == '.'))
            return true;
        list = text_slice(list, comma ? len + 1 : len, list.len);
    }
    return false;
}

/* url: never empty. */
static gramc_text choose_proxy(const struct cli *cli, gramc_text url) {
    static const char *const exempt[] = {"no_proxy", "NO_PROXY", NULL};
    static const char *const secure[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
                                         NULL};
    static const char *const plain[] = {"http_proxy", "all_proxy", "ALL_PROXY", NULL};
    bool https = text_starts(url, "https:");
    if (is_exempt(host_of(url), first_variable(cli, exempt))) return (gramc_text){NULL, 0};
    return first_variable(cli, https ? secure : plain);
}

/* ## Endpoints */

/* The nearest name of the table, for a slip. */
static const char *nearest_provider(gramc_text model) {
    gramc_text names[64];
    size_t count = 0, slash = 0;
    while (slash < model.len && model.ptr[slash] != '/') slash++;
    for (; count < 64 && gramc_provider_get(count); count++)
        names[count] = text_of(gramc_provider_get(count)->name);
    gramc_text near = text_nearest(text_slice(model, 0, slash), names, count);
    return near.len ? near.ptr : NULL;
}

static int unknown_provider(struct cli *cli, gramc_text model) {
    const char *near = nearest_provider(model);
    return cli_usage(cli,
                     "the provider of model %.*s is not known; %s%s%sname its OpenAI-compatible "
                     "server with --base-url",
                     TEXT_ARGS(model), near ? "did you mean " : "", near ? near : "",
                     near ? "? Otherwise " : "");
}

static int explain(struct cli *cli, gramc_status status, gramc_text model) {
    switch (status) {
    case GRAMC_NOT_FOUND: return unknown_provider(cli, model);
    case GRAMC_USAGE:
        return cli_usage(cli, "the base URL must begin with http:// or https:// and the key must "
                              "be one line");
    default: return cli_status(cli, status);
    }
}

gramc_text run_of_provider(const gramc_compilation *compilation, gramc_text model,
                           const char *prefix, const char *suffix) {
    size_t slash = 0, start = strlen(prefix), rest = strlen(suffix);
    gramc_setting setting;
    char provider[64] = "OpenAI";
    while (slash < model.len && model.ptr[slash] != '/') slash++;
    if (slash < model.len && slash < sizeof provider) {
        memcpy(provider, model.ptr, slash);
        provider[slash] = '\0';
    }
    for (size_t i = 0; gramc_setting_get(compilation, i, &setting); i++) {
        gramc_text key = setting.key;
        if (key.len < start + rest || !text_starts(key, prefix)) continue;
        if (!text_is(text_slice(key, key.len - rest, key.len), suffix)) continue;
        if (text_is_nocase(text_slice(key, start, key.len - rest), provider)) return setting.value;
    }
    return (gramc_text){NULL, 0};
}

static gramc_text configured_url(const gramc_compilation *compilation, gramc_text model) {
    return run_of_provider(compilation, model, "endpoints.", "");
}

/* OpenAI's own SDKs know of a variable for the address too. */
static gramc_text chosen_url(struct cli *cli, const gramc_provider *provider,
                             gramc_text configured) {
    const char *base = cli->options[OPTION_BASE_URL];
    if (base) return text_of(base);
    if (configured.len) return configured;
    bool openai = provider && text_starts(text_of(provider->name), "openai");
    return openai ? variable(cli, "OPENAI_BASE_URL") : TEXT("");
}

/* Empty: the provider's own. */
static gramc_text named_url(struct cli *cli, const gramc_compilation *compilation,
                            gramc_text model) {
    gramc_text configured =
        cli->options[OPTION_BASE_URL] ? TEXT("") : configured_url(compilation, model);
    return chosen_url(cli, gramc_provider_of(model), configured);
}

static bool ends_in(gramc_text text, const char *end) {
    size_t len = strlen(end);
    while (text.len && text.ptr[text.len - 1] == '/') text.len--;
    return text.len >= len && memcmp(text.ptr + text.len - len, end, len) == 0;
}

/* Servers with a protocol of their own take chat completions under another path, too. */
static gramc_text protocol_at(const gramc_provider *provider, gramc_text url) {
    gramc_text own = text_of(provider ? provider->protocol : "chat");
    bool ollama = text_is(own, "ollama") && ends_in(url, "/v1");
    bool gemini = text_is(own, "gemini") && ends_in(url, "/openai");
    return ollama || gemini ? TEXT("chat") : own;
}

/* A key is for the provider, and for the server that whoever runs this has named: never for one
 * that a file of the project names. */
static int open_endpoint(struct cli *cli, const struct choice *choice, gramc_text model,
                         uint32_t timeout_ms, gramc_model **out) {
    const gramc_compilation *compilation = choice->compilation;
    gramc_endpoint_options options = GRAMC_ENDPOINT_OPTIONS_INIT;
    const gramc_provider *provider = gramc_provider_of(model);
    const char *key = provider ? provider->key : NULL;
    gramc_text configured =
        cli->options[OPTION_BASE_URL] ? TEXT("") : configured_url(compilation, model);
    options.allocator = &cli->allocator;
    options.model = model;
    options.base_url = chosen_url(cli, provider, configured);
    if (key && !configured.len) options.api_key = text_trim(variable(cli, key));
    if (options.base_url.len) options.proxy = choose_proxy(cli, options.base_url);
    else if (key) options.proxy = choose_proxy(cli, text_of(provider->base_url));
    options.timeout_ms = timeout_ms;
    options.protocol = protocol_at(provider, options.base_url);
    const char *idle = cli->options[OPTION_IDLE_TIMEOUT];
    if (idle && !run_parse_duration(idle, &options.idle_timeout_ms))
        return cli_usage(cli, "--idle-timeout takes a time such as 500ms, 30s or 5m, not %s", idle);
    bool lacks_key = key && options.base_url.len == 0 && options.api_key.len == 0;
    if (lacks_key && !choice->asks_nothing)
        return cli_usage(cli,
                         "%s is not set; set it, or name another model with --model (mock needs no "
                         "key)",
                         key);
    int code = run_limits(cli, compilation, model, &options);
    if (code != EXIT_FINE) return code;
    gramc_status status = gramc_model_new_endpoint(out, &options);
    return status ? explain(cli, status, model) : EXIT_FINE;
}

/* ## Scripts */

static int open_script(struct cli *cli, const char *path, gramc_model **out) {
    gramc_json_error error = {.message = ""};
    const struct cli_file *file = cli_read(cli, path);
    if (!file) return cli->failure;
    gramc_status status =
        gramc_model_new_script(out, (gramc_text){file->bytes, file->len}, &cli->allocator, &error);
    if (status == GRAMC_FINDINGS) return cli_usage(cli, "%s: %s", path, error.message);
    return cli_status(cli, status);
}

/* A model without a provider has the configuration's. False if that is too long. */
static bool complete(char *room, size_t size, const gramc_compilation *compilation,
                     gramc_text *model) {
    gramc_setting setting;
    bool named = !model->len || memchr(model->ptr, '/', model->len);
    if (named || !gramc_setting_find(compilation, TEXT("provider"), &setting)) return true;
    int len = snprintf(room, size, "%.*s/%.*s", TEXT_ARGS(setting.value), TEXT_ARGS(*model));
    if (len < 0 || (size_t)len >= size) return false;
    *model = (gramc_text){room, (size_t)len};
    return true;
}

bool run_name_model(struct cli *cli, const struct choice *choice, char *room, size_t size,
                    gramc_text *out) {
    const char *model = cli->options[OPTION_MODEL];
    gramc_setting setting;
    const gramc_agent *agent = choice->agent;
    *out = model ? text_of(model) : agent->model.len ? agent->model : agent->generator_model;
    if (!out->len && gramc_setting_find(choice->compilation, TEXT("model"), &setting))
        *out = setting.value;
    return complete(room, size, choice->compilation, out);
}

/* No model is chosen for anybody: what it costs is theirs to decide. */
static int no_model(struct cli *cli, const struct choice *choice, gramc_text name) {
    if (name.len)
        return cli_usage(cli, "%.*s names no model, only a provider; write Provider/model",
                         TEXT_ARGS(name));
    return cli_usage(
        cli,
        "agent %.*s names no model; say --model Provider/model (mock needs no key), or "
        "write `model` into the agent or into gramc.gram",
        TEXT_ARGS(choice->agent->name));
}

static bool names_a_model(gramc_text name) {
    const char *slash = name.len ? memchr(name.ptr, '/', name.len) : NULL;
    size_t id = slash ? (size_t)(slash - name.ptr) + 1 : 0;
    return text_trim(text_slice(name, id, name.len)).len > 0;
}

gramc_text run_key_name(struct cli *cli, const struct choice *choice) {
    char room[512];
    gramc_text name;
    const gramc_provider *provider =
        run_name_model(cli, choice, room, sizeof room, &name) ? gramc_provider_of(name) : NULL;
    return text_of(provider && provider->key ? provider->key : "");
}

/* What it was recorded from may be another provider. */
void run_follow(gramc_bind_options *out, const gramc_model *recorded) {
    gramc_text protocol = gramc_model_protocol(recorded);
    if (!protocol.len || text_eq(protocol, out->protocol)) return;
    out->protocol = protocol;
    out->target = (gramc_text){NULL, 0};
}

/* *provider NULL: it is not known. */
static gramc_text find_protocol(struct cli *cli, const struct choice *choice,
                                const gramc_provider **provider) {
    char room[512];
    gramc_text name;
    bool named = run_name_model(cli, choice, room, sizeof room, &name);
    *provider = named ? gramc_provider_of(name) : NULL;
    return protocol_at(*provider, named_url(cli, choice->compilation, name));
}

gramc_text run_protocol_of(struct cli *cli, const struct choice *choice) {
    const gramc_provider *provider;
    return find_protocol(cli, choice, &provider);
}

int run_provider(struct cli *cli, const struct choice *choice, gramc_bind_options *out,
                 gramc_model **model) {
    const char *given = cli->options[OPTION_MODEL];
    const gramc_provider *provider;
    out->protocol = find_protocol(cli, choice, &provider);
    out->target = text_of(provider ? provider->target : "openai");
    if (!given || strncmp(given, SCRIPT, strlen(SCRIPT)) != 0) return EXIT_FINE;
    int code = open_script(cli, given + strlen(SCRIPT), model);
    if (code == EXIT_FINE) run_follow(out, *model);
    return code;
}

int run_model(struct cli *cli, const struct choice *choice, gramc_model **out) {
    const char *model = cli->options[OPTION_MODEL], *timeout = cli->options[OPTION_TIMEOUT];
    uint32_t timeout_ms = 0;
    if (timeout && !run_parse_duration(timeout, &timeout_ms))
        return cli_usage(cli, "--timeout takes a time such as 500ms, 30s or 5m, not %s", timeout);
    if (model && strcmp(model, "mock") == 0)
        return cli_status(cli, gramc_model_new_mock(out, &cli->allocator));
    if (*out) return EXIT_FINE; /* a script, see run_provider */
    gramc_text name;
    char room[512];
    if (!run_name_model(cli, choice, room, sizeof room, &name))
        return cli_usage(cli, "the name of the model is too long");
    if (!names_a_model(name)) return no_model(cli, choice, name);
    return open_endpoint(cli, choice, name, timeout_ms, out);
}
