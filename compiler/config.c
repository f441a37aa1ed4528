/* Turns the tree of a gramc.gram into settings: a header record, and a pattern for each model. What
 * the settings do is done elsewhere (settle.c, naming.c, the command); here is what may be said. */
#include "compiler/config.h"

#include "base/host.h"
#include "base/number.h"
#include "base/text.h"
#include "compiler/data.h"
#include "compiler/imports.h"
#include "compiler/model.h"
#include "compiler/pattern.h"
#include "compiler/properties.h"

#include <string.h>

struct config_reader {
    struct pass *pass;
    struct config *config;
    struct map seen; /* settings by key */
};

/* ## Settings */

static gramc_text join(struct arena *arena, gramc_text a, gramc_text b) {
    char *text = arena_alloc(arena, a.len + b.len + 2);
    if (!text) return (gramc_text){NULL, 0};
    if (a.len) memcpy(text, a.ptr, a.len);
    text[a.len] = '.';
    if (b.len) memcpy(text + a.len + 1, b.ptr, b.len);
    text[a.len + 1 + b.len] = '\0';
    return (gramc_text){text, a.len + 1 + b.len};
}

static void set(struct config_reader *reader, gramc_text key, gramc_text value, struct span at) {
    struct setting *setting = ARENA_NEW(reader->pass->arena, struct setting);
    if (!setting) return;
    *setting = (struct setting){NULL, key, value, at};
    const struct setting *other = map_put(&reader->seen, key, setting);
    bool is_list = text_is(key, "allowEnv") || text_is(key, "allowFiles") ||
                   text_is(key, "allowHosts") || text_is(key, "exclude");
    if (other != setting && !is_list) {
        struct findings *findings = reader->pass->findings;
        struct finding *f = FIND(findings, D_DUPLICATE_PROPERTY, reader->pass->source, at, key);
        finding_label(findings, f, reader->pass->source, other->at, "first written here");
        return;
    }
    *reader->config->last_setting = setting;
    reader->config->last_setting = &setting->next;
}

static void wrong(struct config_reader *reader, gramc_text key, const struct value *value,
                  const char *wanted) {
    FIND(reader->pass->findings, D_WRONG_VALUE, reader->pass->source, value->span, key,
         text_of(wanted), text_of(value_noun(value)));
}

static void unknown_word(struct config_reader *reader, gramc_text key, const struct value *value,
                         const char *const *words, size_t count, const char *wanted) {
    gramc_text names[16], word = value_name(value);
    for (size_t i = 0; i < count; i++) names[i] = text_of(words[i]);
    gramc_text near = text_nearest(word, names, count);
    struct finding *f = FIND(reader->pass->findings, D_UNKNOWN_WORD, reader->pass->source,
                             value->span, word, key, text_of(wanted));
    if (near.len) finding_help(reader->pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
}

static void report_key(struct config_reader *reader, const struct property *p, enum diag_id id,
                       gramc_text near) {
    struct findings *findings = reader->pass->findings;
    struct finding *f =
        FIND(findings, id, reader->pass->source, name_span(p->key), name_text(p->key));
    if (near.len) finding_help(findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
}

/* ## The header */

static void read_language(struct config_reader *reader, const struct property *p) {
    language_check(reader->pass, p->value);
}

static void read_strict(struct config_reader *reader, const struct property *p) {
    if (p->value->kind != VALUE_BOOLEAN) {
        wrong(reader, name_text(p->key), p->value, "true or false");
        return;
    }
    reader->config->strict = text_is(scalar_text(p->value), "true");
    set(reader, name_text(p->key), scalar_text(p->value), p->value->span);
}

static void read_target(struct config_reader *reader, const struct property *p) {
    const char *names[16];
    size_t count = 0;
    while (count < sizeof names / sizeof *names && gramc_target_name(count)) {
        names[count] = gramc_target_name(count);
        count++;
    }
    if (!value_is_name(p->value)) {
        wrong(reader, name_text(p->key), p->value, "the name of a target");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!text_is(value_name(p->value), names[i])) continue;
        set(reader, name_text(p->key), value_name(p->value), p->value->span);
        return;
    }
    unknown_word(reader, name_text(p->key), p->value, names, count, "a target of gramc compile");
}

static bool is_lowered(enum diag_id id, enum config_severity severity) {
    return (int)severity - SEVERITY_NOTE < (int)diag_row(id)->severity;
}

static void read_severity(struct config_reader *reader, gramc_text group,
                          const struct property *p) {
    static const char *const words[] = {"off", "note", "warning", "error"};
    enum { WORDS = sizeof words / sizeof *words };
    enum diag_id id = diag_find(name_text(p->key));
    if (id == DIAG_COUNT) {
        report_key(reader, p, D_UNKNOWN_FINDING, diag_nearest(name_text(p->key)));
        return;
    }
    if (!value_is_name(p->value)) {
        wrong(reader, name_text(p->key), p->value, "error, warning, note or off");
        return;
    }
    int word = 0;
    while (word < WORDS && !text_is(value_name(p->value), words[word])) word++;
    enum config_severity severity = (enum config_severity)(SEVERITY_OFF + word);
    if (word == WORDS) {
        unknown_word(reader, name_text(p->key), p->value, words, WORDS,
                     "error, warning, note or off");
    } else if (is_lowered(id, severity) && !diag_is_suppressible(id)) {
        report_key(reader, p, D_NOT_SUPPRESSIBLE, (gramc_text){NULL, 0});
    } else {
        gramc_text code = text_of(diag_row(id)->code);
        reader->config->severities[id] = (uint8_t)severity;
        set(reader, join(reader->pass->arena, group, code), value_name(p->value), p->value->span);
    }
}

static void read_severities(struct config_reader *reader, const struct property *p) {
    if (p->value->kind != VALUE_MAP) {
        wrong(reader, name_text(p->key), p->value, "a map from finding to severity");
        return;
    }
    for (const struct property *s = p->value->as.entries; s; s = s->next)
        read_severity(reader, name_text(p->key), s);
}

static void read_naming(struct config_reader *reader, const struct property *p) {
    static const char *const words[] = {"camelCase", "snake_case", "kebab-case", "PascalCase"};
    static const char wanted[] = "camelCase, snake_case, kebab-case or PascalCase";
    if (p->value->kind != VALUE_MAP) {
        wrong(reader, name_text(p->key), p->value, "a map with `tools` and `parameters`");
        return;
    }
    for (const struct property *rule = p->value->as.entries; rule; rule = rule->next) {
        bool tools = text_is(name_text(rule->key), "tools");
        if (!tools && !text_is(name_text(rule->key), "parameters")) {
            FIND(reader->pass->findings, D_UNKNOWN_PROPERTY, reader->pass->source,
                 name_span(rule->key), name_text(rule->key), TEXT("naming rules"));
            continue;
        }
        if (!value_is_name(rule->value)) {
            wrong(reader, name_text(rule->key), rule->value, wanted);
            continue;
        }
        enum naming naming = naming_find(value_name(rule->value));
        if (naming == NAMING_ANY) {
            unknown_word(reader, name_text(rule->key), rule->value, words, 4, wanted);
            continue;
        }
        if (tools) reader->config->tool_names = naming;
        else reader->config->parameter_names = naming;
        set(reader, join(reader->pass->arena, name_text(p->key), name_text(rule->key)),
            value_name(rule->value), rule->value->span);
    }
}

static void read_list(struct config_reader *reader, const struct property *p, const char *wanted) {
    if (p->value->kind != VALUE_ARRAY) {
        wrong(reader, name_text(p->key), p->value, wanted);
        return;
    }
    for (const struct value *v = p->value->as.items; v; v = v->next) {
        if (value_is_name(v)) set(reader, name_text(p->key), value_name(v), v->span);
        else wrong(reader, name_text(p->key), v, wanted);
    }
}

static void read_allow_env(struct config_reader *reader, const struct property *p) {
    read_list(reader, p, "a list of names");
}

static void read_allow_files(struct config_reader *reader, const struct property *p) {
    read_list(reader, p, "a list of folders");
}

/* An empty list is a setting too: no host may be asked. */
static void read_allow_hosts(struct config_reader *reader, const struct property *p) {
    gramc_text key = name_text(p->key);
    struct host_entry entry;
    if (p->value->kind != VALUE_ARRAY || !p->value->as.items) {
        read_list(reader, p, "a list of hosts");
        set(reader, key, TEXT(""), p->value->span);
        return;
    }
    for (const struct value *v = p->value->as.items; v; v = v->next) {
        if (!value_is_name(v)) {
            wrong(reader, key, v, "a list of hosts");
            continue;
        }
        const char *problem = host_entry_read(&entry, value_name(v));
        if (problem)
            FIND(reader->pass->findings, D_BAD_HOST, reader->pass->source, v->span, value_name(v),
                 text_of(problem));
        else set(reader, key, value_name(v), v->span);
    }
}

static void read_exclude(struct config_reader *reader, const struct property *p) {
    read_list(reader, p, "a list of patterns, as in a .gitignore");
}

/* Of models that are named without one: `provider: "Ollama"`. */
static void read_provider(struct config_reader *reader, const struct property *p) {
    bool said = value_is_name(p->value) && value_name(p->value).len;
    if (said) set(reader, name_text(p->key), value_name(p->value), p->value->span);
    else wrong(reader, name_text(p->key), p->value, "the name of a provider");
}

/* Of agents that name none: `model: "Ollama/llama3.1:8b"`. */
static void read_default_model(struct config_reader *reader, const struct property *p) {
    bool said = value_is_name(p->value) && value_name(p->value).len;
    if (said) set(reader, name_text(p->key), value_name(p->value), p->value->span);
    else wrong(reader, name_text(p->key), p->value, "the name of a model");
}

/* `endpoints: {Ollama: "http://127.0.0.1:11434/v1"}` */
static void read_endpoints(struct config_reader *reader, const struct property *p) {
    if (p->value->kind != VALUE_MAP) {
        wrong(reader, name_text(p->key), p->value, "a map from provider to URL");
        return;
    }
    for (const struct property *e = p->value->as.entries; e; e = e->next) {
        bool url =
            e->value->kind == VALUE_STRING && (text_starts(value_name(e->value), "http://") ||
                                               text_starts(value_name(e->value), "https://"));
        if (!url)
            wrong(reader, name_text(e->key), e->value,
                  "a URL that begins with http:// or https://");
        else
            set(reader, join(reader->pass->arena, name_text(p->key), name_text(e->key)),
                value_name(e->value), e->value->span);
    }
}

/* What one provider takes: `{maxConcurrent: 8, requestsPerMinute: 500}` */
static void read_limit(struct config_reader *reader, gramc_text provider,
                       const struct property *p) {
    static const char *const names[] = {"maxConcurrent", "requestsPerMinute", "tokensPerMinute"};
    gramc_text key = name_text(p->key), known[3];
    int64_t number = 0;
    for (size_t i = 0; i < 3; i++) known[i] = text_of(names[i]);
    for (size_t i = 0; i < 3; i++) {
        if (!text_eq(key, known[i])) continue;
        bool good = p->value->kind == VALUE_INTEGER &&
                    number_to_int(&number, scalar_text(p->value)) && number >= 1 &&
                    number <= UINT32_MAX;
        if (good)
            set(reader, join(reader->pass->arena, provider, key), scalar_text(p->value),
                p->value->span);
        else wrong(reader, key, p->value, "a whole number from 1 to 4294967295");
        return;
    }
    struct findings *findings = reader->pass->findings;
    struct finding *f = FIND(findings, D_UNKNOWN_PROPERTY, reader->pass->source, name_span(p->key),
                             key, TEXT("limits"));
    gramc_text near = text_nearest(key, known, 3);
    if (near.len) finding_help(findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
}

/* `limits: {OpenAI: {maxConcurrent: 8, requestsPerMinute: 500, tokensPerMinute: 200000}}` */
static void read_limits(struct config_reader *reader, const struct property *p) {
    if (p->value->kind != VALUE_MAP) {
        wrong(reader, name_text(p->key), p->value, "a map from provider to its limits");
        return;
    }
    for (const struct property *e = p->value->as.entries; e; e = e->next) {
        gramc_text provider = join(reader->pass->arena, name_text(p->key), name_text(e->key));
        if (e->value->kind != VALUE_MAP) {
            wrong(reader, name_text(e->key), e->value, "a map of limits");
            continue;
        }
        for (const struct property *l = e->value->as.entries; l; l = l->next)
            read_limit(reader, provider, l);
    }
}

typedef void setting_reader(struct config_reader *reader, const struct property *p);

static void read_header(struct config_reader *reader, const struct pattern *header) {
    static const struct {
        const char *name;
        setting_reader *read; /* NULL: known and done */
    } settings[] = {{"language", read_language},
                    {"kind", NULL},
                    {"strict", read_strict},
                    {"target", read_target},
                    {"severities", read_severities},
                    {"naming", read_naming},
                    {"allowEnv", read_allow_env},
                    {"allowFiles", read_allow_files},
                    {"allowHosts", read_allow_hosts},
                    {"provider", read_provider},
                    {"model", read_default_model},
                    {"endpoints", read_endpoints},
                    {"exclude", read_exclude},
                    {"limits", read_limits},
                    {"meta", NULL}};
    enum { SETTINGS = sizeof settings / sizeof *settings };
    struct property_row rows[SETTINGS];
    const struct value *values[SETTINGS]; /* read by the setting's own reader */
    for (size_t i = 0; i < SETTINGS; i++)
        rows[i] = (struct property_row){settings[i].name, PROPERTY_VALUE,
                                        i * sizeof(const struct value *)};
    properties_read(reader->pass, header->subject->properties, rows, SETTINGS, values,
                    "configurations");
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct property *p = property_find(header->subject, settings[i].name);
        if (p && settings[i].read) settings[i].read(reader, p);
    }
}

/* ## Models */

struct prices {
    gramc_text input, output, cached;
};

static const struct property_row price_rows[] = {
    {"inputPerMillion", PROPERTY_NUMBER, offsetof(struct prices, input)},
    {"outputPerMillion", PROPERTY_NUMBER, offsetof(struct prices, output)},
    {"cachedPerMillion", PROPERTY_NUMBER, offsetof(struct prices, cached)},
    {"meta", PROPERTY_IGNORED, 0},
};

static void set_price(struct config_reader *reader, gramc_text model, const struct pattern *pattern,
                      const char *name, gramc_text price) {
    const struct property *p = property_find(pattern->subject, name);
    if (!p || !price.len) return;
    if (price.ptr[0] == '-') wrong(reader, name_text(p->key), p->value, "a price from 0 up");
    else set(reader, join(reader->pass->arena, model, name_text(p->key)), price, p->value->span);
}

static void read_model(struct config_reader *reader, const struct pattern *pattern) {
    struct prices prices = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    gramc_text name = pattern_name(reader->pass, pattern, "a model");
    if (!name.ptr) return;
    properties_read(reader->pass, pattern->subject->properties, price_rows,
                    sizeof price_rows / sizeof *price_rows, &prices, "models");
    gramc_text model = join(reader->pass->arena, TEXT("models"), name);
    if (!model.ptr) return;
    set_price(reader, model, pattern, "inputPerMillion", prices.input);
    set_price(reader, model, pattern, "outputPerMillion", prices.output);
    set_price(reader, model, pattern, "cachedPerMillion", prices.cached);
}

/* ## Files */

bool config_is(const struct tree *tree) {
    const struct pattern *header = tree->has_header ? tree->patterns : NULL;
    const struct property *kind = header ? property_find(header->subject, "kind") : NULL;
    return kind && value_is_name(kind->value) && text_is(value_name(kind->value), "configuration");
}

static void read_tree(struct config_reader *reader, const struct tree *tree) {
    for (const struct pattern *p = tree->patterns; p && !reader->pass->arena->oom; p = p->next) {
        if (p->kind == PATTERN_HEADER) read_header(reader, p);
        else if (text_is(pattern_label(p), "Model")) read_model(reader, p);
        else FIND0(reader->pass->findings, D_NOT_A_SETTING, reader->pass->source, p->span);
    }
}

/* Once the endpoints are known. */
static void check_providers(struct pass *pass, const struct config *config,
                            const struct tree *tree) {
    const struct subject *header = tree->patterns->subject;
    const struct property *provider = property_find(header, "provider");
    if (provider && value_is_name(provider->value) && value_name(provider->value).len)
        provider_check(pass, config, provider->value, value_name(provider->value));
    model_check(pass, config, header, "model");
    const struct property *limits = property_find(header, "limits");
    if (!limits || limits->value->kind != VALUE_MAP) return;
    for (const struct property *l = limits->value->as.entries; l; l = l->next)
        provider_check(pass, config, l->value, name_text(l->key));
}

void config_check(struct pass *pass, const struct tree *tree) {
    struct config *config = ARENA_NEW(pass->arena, struct config);
    struct config_reader reader = {.pass = pass, .config = config};
    if (!config) return;
    map_init(&reader.seen, pass->arena);
    config->last_setting = &config->first_setting;
    read_tree(&reader, tree);
    check_providers(pass, config, tree);
}

static void read_unit(struct pass *pass, struct config *config, const struct unit *unit) {
    struct config_reader reader = {.pass = pass, .config = config};
    struct span beginning = {0, 0};
    pass->source = &unit->source;
    /* An empty one only marks the project's root. */
    if (!unit->tree->pattern_count) return;
    if (config_is(unit->tree)) {
        map_init(&reader.seen, pass->arena);
        read_tree(&reader, unit->tree);
        check_providers(pass, config, unit->tree);
        return;
    }
    struct finding *f = FIND0(pass->findings, D_NOT_A_CONFIGURATION, pass->source, beginning);
    finding_help(pass->findings, f, "let it begin with `{kind: \"configuration\"}`");
}

/* NULL without memory. */
static struct config *config_add(gramc_compilation *compilation, gramc_text name, gramc_text text) {
    struct pass pass = {compilation, &compilation->arena, &compilation->findings, NULL};
    uint32_t before = compilation->findings.counts[GRAMC_ERROR];
    struct config *config = ARENA_NEW(&compilation->arena, struct config);
    struct unit *unit = config ? unit_parse(compilation, name, text, false) : NULL;
    if (!unit) return NULL;
    config->source = &unit->source;
    config->last_setting = &config->first_setting;
    if (compilation->findings.counts[GRAMC_ERROR] == before) read_unit(&pass, config, unit);
    config->errors = compilation->findings.counts[GRAMC_ERROR] - before;
    config->next = compilation->configs;
    compilation->configs = config;
    return compilation->arena.oom ? NULL : config;
}

gramc_status gramc_add_configuration(gramc_compilation *compilation, gramc_text name,
                                     const char *bytes, size_t len) {
    if (compilation->config || compilation->units) return GRAMC_USAGE;
    if (len > SOURCE_MAX) return GRAMC_LIMIT;
    const struct config *config = config_add(compilation, name, (gramc_text){bytes, len});
    if (!config) return GRAMC_NOMEM;
    compilation->config = config;
    compilation->is_configured = true;
    return config->errors ? GRAMC_FINDINGS : GRAMC_OK;
}

/* Reads it only if it was not read for another source. */
static gramc_status find_config(gramc_compilation *compilation, gramc_text name, gramc_text text,
                                const struct config **out) {
    const struct config *config = compilation->configs;
    while (config && !text_eq(config->source->name, name)) config = config->next;
    if (!config && text.len > SOURCE_MAX) return GRAMC_LIMIT;
    if (!config) config = config_add(compilation, name, text);
    *out = config;
    return config ? GRAMC_OK : GRAMC_NOMEM;
}

static gramc_status ask_for_config(gramc_compilation *compilation, gramc_text name,
                                   const struct config **out) {
    gramc_configurer configurer = compilation->configurer;
    gramc_text config_name, text;
    *out = NULL;
    if (!configurer.find) return GRAMC_OK;
    int failure = configurer.find(configurer.ctx, name, &config_name, &text);
    if (failure == GRAMC_NOT_FOUND) return GRAMC_OK;
    if (failure) return failure == GRAMC_NOMEM ? GRAMC_NOMEM : GRAMC_IO;
    return find_config(compilation, config_name, text, out);
}

gramc_status config_of(gramc_compilation *compilation, gramc_text name, const struct config **out) {
    *out = compilation->config;
    if (compilation->is_configured) return GRAMC_OK;
    gramc_status status = ask_for_config(compilation, name, out);
    if (!compilation->units) compilation->config = *out;
    return status;
}

const struct config *config_for(const gramc_compilation *compilation, const struct source *source) {
    return compilation->is_configured ? compilation->config : source->config;
}

bool gramc_configuration_is_broken(const gramc_compilation *compilation) {
    for (const struct config *c = compilation->configs; c; c = c->next)
        if (c->errors && !c->is_left_out) return true;
    return false;
}

gramc_status gramc_configure(gramc_compilation *compilation, gramc_text name) {
    const struct config *config;
    gramc_status status = config_of(compilation, name, &config);
    if (status == GRAMC_OK && !config) return GRAMC_NOT_FOUND;
    return status == GRAMC_OK && config->errors ? GRAMC_FINDINGS : status;
}

/* ## Look-ups */

static void tell(const struct config *config, const struct setting *setting, gramc_setting *out) {
    struct position at = source_position(config->source, setting->at.start);
    *out = (gramc_setting){setting->key, setting->value, config->source->name, at.line, at.column};
}

bool gramc_setting_get(const gramc_compilation *compilation, size_t i, gramc_setting *out) {
    const struct config *config = compilation->config;
    const struct setting *setting = config ? config->first_setting : NULL;
    while (setting && i--) setting = setting->next;
    if (setting) tell(config, setting, out);
    return setting != NULL;
}

bool gramc_setting_find(const gramc_compilation *compilation, gramc_text key, gramc_setting *out) {
    const struct config *config = compilation->config;
    const struct setting *setting = config ? config->first_setting : NULL;
    while (setting && !text_eq(setting->key, key)) setting = setting->next;
    if (setting) tell(config, setting, out);
    return setting != NULL;
}
