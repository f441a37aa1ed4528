/* Turns `[tool:ToolImpl {...} | signature]` into an implementation: the one kind that does it, what
 * that kind takes (kinds.c), and the schemas of its own signature. Starts and opens nothing. */
#include "compiler/kinds.h"

#include "base/text.h"
#include "compiler/approve.h"
#include "compiler/data.h"
#include "compiler/pattern.h"
#include "compiler/properties.h"
#include "compiler/sandbox.h"
#include "gramc/jolt.h"

/* Everything that may be written; what each kind takes of it is in its row of gramc/kinds.def. */
struct impl_properties {
    gramc_text name, description, url, body, content_type, symbol, tool;
    const struct value *kinds[KINDS];
    const struct value *isolation, *sandbox;
    const struct value *env, *headers, *url_value, *transform, *max_memory, *max_file_size;
    const struct value *style, *explode, *body_file, *multipart;
    const struct value *before, *after, *approve, *library;
    uint32_t timeout_ms, max_cpu_ms, max_files, max_processes;
    bool persistent, in_process, sensitive;
    int untrusted;
    gramc_transport transport;
};

#define AT(member) offsetof(struct impl_properties, member)
static const struct property_row rows[] = {
    {"name", PROPERTY_TEXT, AT(name)},
    {"description", PROPERTY_TEXT, AT(description)},
#define GRAMC_KIND(id, word, value, takes, example)                                                \
    {#word, PROPERTY_VALUE, AT(kinds[GRAMC_IMPL_##id])},
#include "gramc/kinds.def"
    {"url", PROPERTY_TEXT, AT(url)},
    {"headers", PROPERTY_VALUE, AT(headers)},
    {"caFile", PROPERTY_TEXT, AT(transport.ca_file)},
    {"clientCertificate", PROPERTY_TEXT, AT(transport.client_certificate)},
    {"clientKey", PROPERTY_TEXT, AT(transport.client_key)},
    {"proxy", PROPERTY_TEXT, AT(transport.proxy)},
    {"body", PROPERTY_TEXT, AT(body)},
    {"bodyFile", PROPERTY_VALUE, AT(body_file)},
    {"multipart", PROPERTY_VALUE, AT(multipart)},
    {"contentType", PROPERTY_TEXT, AT(content_type)},
    {"style", PROPERTY_VALUE, AT(style)},
    {"explode", PROPERTY_VALUE, AT(explode)},
    {"transform", PROPERTY_VALUE, AT(transform)},
    {"tool", PROPERTY_TEXT, AT(tool)},
    {"symbol", PROPERTY_TEXT, AT(symbol)},
    {"inProcess", PROPERTY_FLAG, AT(in_process)},
    {"persistent", PROPERTY_FLAG, AT(persistent)},
    {"env", PROPERTY_VALUE, AT(env)},
    {"maxMemory", PROPERTY_VALUE, AT(max_memory)},
    {"maxCpu", PROPERTY_DURATION, AT(max_cpu_ms)},
    {"maxFiles", PROPERTY_COUNT, AT(max_files)},
    {"maxProcesses", PROPERTY_COUNT, AT(max_processes)},
    {"maxFileSize", PROPERTY_VALUE, AT(max_file_size)},
    {"isolation", PROPERTY_VALUE, AT(isolation)},
    {"sandbox", PROPERTY_VALUE, AT(sandbox)},
    {"timeout", PROPERTY_DURATION, AT(timeout_ms)},
    {"before", PROPERTY_VALUE, AT(before)},
    {"after", PROPERTY_VALUE, AT(after)},
    {"approve", PROPERTY_VALUE, AT(approve)},
    {"untrusted", PROPERTY_TRISTATE, AT(untrusted)},
    {"sensitive", PROPERTY_FLAG, AT(sensitive)},
    {"library", PROPERTY_VALUE, AT(library)},
    {"meta", PROPERTY_IGNORED, 0},
};
#undef AT

/* ## Kinds */

static void one_kind_only(struct pass *pass, const struct impl *impl, size_t count) {
    struct finding *f = FIND(pass->findings, count ? D_SEVERAL_KINDS : D_NO_KIND, pass->source,
                             name_span(impl->pattern->subject->identifier), impl->public.name);
    finding_help(pass->findings, f, "%.*s", TEXT_ARGS(kinds_help(pass->arena)));
}

static bool read_kind(struct pass *pass, struct impl *impl, const struct impl_properties *p) {
    size_t count = 0;
    for (size_t i = 0; i < KINDS; i++) {
        if (!p->kinds[i]) continue;
        if (count++ == 0) impl->public.kind = (gramc_impl_kind)i;
    }
    if (count != 1) one_kind_only(pass, impl, count);
    else kind_read(pass, impl, p->kinds[impl->public.kind]);
    return count == 1;
}

/* ## What a kind takes besides */

static void check_places(struct pass *pass, const struct impl *impl) {
    gramc_impl_kind kind = impl->public.kind;
    for (const struct property *p = impl->pattern->subject->properties; p; p = p->next) {
        if (kind_takes(kind, name_text(p->key))) continue;
        gramc_text names = kinds_that_take(pass->arena, name_text(p->key));
        if (names.len)
            FIND(pass->findings, D_IMPL_PROPERTY, pass->source, name_span(p->key),
                 name_text(p->key), text_of(gramc_impl_kind_name(kind)), names);
    }
}

void library_add_template(struct pass *pass, struct impl *impl, gramc_text text, struct span at,
                          enum style_text kind) {
    struct template_use *use = ARENA_NEW(pass->arena, struct template_use);
    if (!use) return;
    *use = (struct template_use){impl->templates, text, at, kind};
    impl->templates = use;
}

static void add_property_template(struct pass *pass, struct impl *impl, const char *name,
                                  gramc_text text, enum style_text kind) {
    const struct property *p = property_find(impl->pattern->subject, name);
    if (p && text.ptr) library_add_template(pass, impl, text, p->value->span, kind);
}

/* A list of steps, or json`[...]`. */
static void read_transform(struct pass *pass, struct impl *impl, const struct value *value) {
    gramc_json_error error = {.message = ""};
    gramc_jolt *jolt = NULL;
    gramc_text json = data_json(pass, value);
    if (!json.ptr) return;
    impl->public.transform = json;
    gramc_status status = gramc_jolt_compile(&jolt, json, &pass->arena->allocator, &error);
    gramc_jolt_free(jolt);
    if (status == GRAMC_NOMEM) pass->arena->oom = true;
    if (status != GRAMC_FINDINGS && status != GRAMC_LIMIT) return;
    struct finding *f =
        FIND(pass->findings, D_BAD_TRANSFORM, pass->source, value->span, text_of(error.message));
    if (error.pointer[0]) finding_help(pass->findings, f, "it is at %s", error.pointer);
}

static void read_request(struct pass *pass, struct impl *impl, const struct impl_properties *p) {
    gramc_impl *public = &impl->public;
    const struct property *url = property_find(impl->pattern->subject, "url");
    if (!url)
        library_incomplete(pass, impl->pattern, public->name, "url", "url: \"http://host/path\"");
    else if (p->url.ptr && library_url(pass, url->value, p->url)) public->target = p->url;
    public->transport = p->transport;
    library_check_transport(pass, impl->pattern, &public->transport);
    public->body = p->body;
    public->content_type = p->content_type;
    if (p->headers) public->headers = library_headers(pass, p->headers, &public->header_count);
    if (p->transform) read_transform(pass, impl, p->transform);
    bool is_map = p->headers && p->headers->kind == VALUE_MAP;
    for (const struct property *h = is_map ? p->headers->as.entries : NULL; h; h = h->next)
        if (value_is_name(h->value))
            library_add_template(pass, impl, value_text(pass, h->value), h->value->span,
                                 style_text_of_header(name_text(h->key)));
    add_property_template(pass, impl, "body", public->body,
                          style_text_of_body(public->content_type));
    add_property_template(pass, impl, "url", public->target, STYLE_IN_URL);
    library_body(pass, impl, p->body_file, p->multipart);
    library_styles(pass, impl, p->style, p->explode);
}

/* Only what stays can be shared, and what lives in this process is. */
static void read_isolation(struct pass *pass, gramc_impl *impl, const struct value *value) {
    impl->isolation = library_isolation(pass, value);
    if (impl->kind == GRAMC_IMPL_EXEC && !impl->persistent)
        FIND(pass->findings, D_CONTRADICTION, pass->source, value->span,
             TEXT("a program that does not stay is started for each call"),
             TEXT("`isolation` is for `persistent: true`"));
    if (impl->in_process && impl->isolation == GRAMC_ISOLATION_RUN)
        FIND(pass->findings, D_CONTRADICTION, pass->source, value->span,
             TEXT("a plugin in this process has none of its own for each run"),
             TEXT("leave `inProcess` out"));
}

/* What lives in this process is behind no wall. */
static void read_sandbox(struct pass *pass, gramc_impl *impl, const struct value *value) {
    impl->sandbox = sandbox_read(pass, value);
    if (impl->in_process)
        FIND(pass->findings, D_CONTRADICTION, pass->source, value->span,
             TEXT("a plugin in this process cannot be contained"), TEXT("leave `inProcess` out"));
}

static void read_child(struct pass *pass, gramc_impl *impl, const struct pattern *pattern,
                       const struct impl_properties *p) {
    if (p->env) impl->env = library_env(pass, p->env, &impl->env_count);
    if (p->max_memory) library_size(pass, p->max_memory, "maxMemory", &impl->max_memory);
    impl->max_cpu_s = p->max_cpu_ms / 1000 + (p->max_cpu_ms % 1000 != 0);
    impl->max_files = p->max_files;
    impl->max_processes = p->max_processes;
    if (p->max_file_size) library_size(pass, p->max_file_size, "maxFileSize", &impl->max_file_size);
    const struct property *symbol = property_find(pattern->subject, "symbol");
    if (symbol && library_whole(pass, symbol->value->span, "symbol", p->symbol))
        impl->symbol = p->symbol;
    impl->persistent = p->persistent;
    impl->in_process = p->in_process;
    if (p->isolation) read_isolation(pass, impl, p->isolation);
    if (p->sandbox && kind_takes(impl->kind, TEXT("sandbox"))) read_sandbox(pass, impl, p->sandbox);
}

static void read_own_signature(struct pass *pass, struct impl *impl) {
    const struct pattern *element = impl->pattern->elements;
    if (!element) return;
    if (element->next)
        FIND0(pass->findings, D_SEVERAL_SIGNATURES, pass->source, element->next->span);
    impl->signature = signature_read(pass, element);
}

bool impl_read(struct pass *pass, struct impl *impl, const struct pattern *pattern) {
    struct impl_properties p = {.untrusted = -1};
    gramc_text name = pattern_name(pass, pattern, "an implementation");
    if (!name.ptr) return false;
    *impl = (struct impl){.source = pass->source, .pattern = pattern};
    properties_read(pass, pattern->subject->properties, rows, sizeof rows / sizeof *rows, &p,
                    "implementations");
    impl->public = (gramc_impl){.name = p.name.len ? p.name : name,
                                .timeout_ms = p.timeout_ms,
                                .description = p.description,
                                .folder = library_folder(pass->source->name),
                                .file = pass->source->name,
                                .start = pattern->span.start,
                                .end = pattern->span.end};
    read_own_signature(pass, impl);
    if (p.approve) impl->public.approve = approve_read(pass, p.approve);
    impl->public.untrusted = said_of(p.untrusted);
    impl->public.sensitive = p.sensitive;
    if (p.before) library_guard(pass, p.before, "before", &impl->public.before);
    if (p.after) library_guard(pass, p.after, "after", &impl->public.after);
    if (!read_kind(pass, impl, &p)) return true;
    check_places(pass, impl);
    if (kind_takes(impl->public.kind, TEXT("url"))) read_request(pass, impl, &p);
    if (kind_takes(impl->public.kind, TEXT("tool")))
        impl->public.target = p.tool.len ? p.tool : impl->public.name;
    if (p.library) impl->public.library_named = library_name(pass, p.library, "library");
    if (p.library) impl->library_at = p.library->span;
    read_child(pass, &impl->public, pattern, &p);
    return true;
}

/* ## When all names are known */

static bool is_whole(const struct signature *signature) {
    const struct field *p = signature->parameters;
    while (p && p->schema && p->schema->type) p = p->next;
    return !p && signature->result->type;
}

static void build_schemas(struct pass *pass, struct impl *impl) {
    const struct signature *signature = impl->signature;
    const struct built_schema accepts =
                                  schema_build(pass->arena, &signature->arguments, SCHEMA_CHECKED),
                              returns =
                                  schema_build(pass->arena, signature->result, SCHEMA_CHECKED);
    impl->public.accepts_schema = accepts.text;
    impl->public.accepts_document = accepts.document;
    impl->public.returns_schema = returns.text;
    impl->public.returns_document = returns.document;
}

static void check_templates(struct pass *pass, const struct impl *impl) {
    size_t count = 0, i = 0;
    const struct field *first = impl->signature ? impl->signature->parameters : NULL;
    for (const struct field *p = first; p; p = p->next) count++;
    struct template_check check = {.parameters = first, .parameters_known = impl->signature};
    check.used = arena_zalloc(pass->arena, count + 1);
    if (!check.used) return;
    uint32_t errors = pass->findings->counts[GRAMC_ERROR];
    bool all_seen = kind_takes(impl->public.kind, TEXT("url")) && impl->public.target.len;
    for (const struct template_use *use = impl->templates; use; use = use->next)
        all_seen = library_template(pass, use, &check) && all_seen;
    /* A name that nothing gives a value may be the misspelt one of what seems unused. */
    all_seen = all_seen && pass->findings->counts[GRAMC_ERROR] == errors;
    for (const struct field *p = first; p && all_seen; p = p->next, i++)
        if (!check.used[i])
            FIND(pass->findings, D_UNUSED_PARAMETER, pass->source, p->span, p->name);
}

void impl_resolve(struct pass *pass, struct impl *impl) {
    const struct source *before = pass->source;
    pass->source = impl->source;
    if (impl->signature) signature_check(pass, impl->signature);
    check_templates(pass, impl);
    if (impl->signature && is_whole(impl->signature)) build_schemas(pass, impl);
    if (kind_takes(impl->public.kind, TEXT("style"))) library_styles_check(pass, impl);
    pass->source = before;
}
