/* Turns `[name:ToolLibrary {...} | [tool:ToolImpl {...}]]` into a library: for each tool, what does
 * it. Nothing is started or opened here; binding and running are the runtime's. */
#include "compiler/properties.h"
#include "compiler/spec.h"

#include "base/sha256.h"
#include "base/text.h"
#include "compiler/data.h"

struct impl_properties {
    gramc_text name, description, builtin;
    const struct value *exec, *returns, *env;
    uint32_t timeout_ms;
};

#define AT(member) offsetof(struct impl_properties, member)
static const struct property_row impl_rows[] = {
    {"name", PROPERTY_TEXT, AT(name)},
    {"description", PROPERTY_TEXT, AT(description)},
    {"builtin", PROPERTY_TEXT, AT(builtin)},
    {"exec", PROPERTY_VALUE, AT(exec)},
    {"returns", PROPERTY_VALUE, AT(returns)},
    {"env", PROPERTY_VALUE, AT(env)},
    {"timeout", PROPERTY_DURATION, AT(timeout_ms)},
    {"meta", PROPERTY_IGNORED, 0},
};
#undef AT

static const struct property_row library_rows[] = {
    {"description", PROPERTY_TEXT, offsetof(gramc_library, description)},
    {"meta", PROPERTY_IGNORED, 0},
};

static gramc_text folder_of(gramc_text path) {
    while (path.len && path.ptr[path.len - 1] != '/') path.len--;
    return path;
}

/* ## Kinds */

static void wrong_value(struct pass *pass, const struct value *value, const char *key,
                        const char *wanted) {
    FIND(pass->findings, D_WRONG_VALUE, pass->source, value->span, text_of(key), text_of(wanted),
         text_of(value_noun(value)));
}

/* `exec: ["python3", "say_hello.py"]` */
static void read_exec(struct pass *pass, gramc_impl *impl, const struct value *exec) {
    bool list = exec->kind == VALUE_ARRAY && exec->as.array.count > 0;
    impl->kind = GRAMC_IMPL_EXEC;
    if (!list) {
        wrong_value(pass, exec, "exec", "a list: the program and its arguments");
        return;
    }
    gramc_text *argv = arena_array(pass->arena, exec->as.array.count, sizeof *argv);
    if (!argv) return;
    for (const struct value *v = exec->as.array.first; v; v = v->next) {
        bool text = v->kind == VALUE_STRING || v->kind == VALUE_SYMBOL;
        bool number = v->kind == VALUE_INTEGER || v->kind == VALUE_DECIMAL;
        if (text) argv[impl->argc++] = value_text(pass, v);
        else if (number) argv[impl->argc++] = v->as.scalar.text;
        else wrong_value(pass, v, "exec", "texts");
    }
    impl->argv = argv;
    impl->target = argv[0];
}

/* A text is returned as it is, any other data as JSON. */
static void read_returns(struct pass *pass, gramc_impl *impl, const struct value *returns) {
    impl->kind = GRAMC_IMPL_RETURNS;
    impl->target =
        returns->kind == VALUE_STRING ? value_text(pass, returns) : data_json(pass, returns);
    if (returns->kind == VALUE_SYMBOL) impl->target = value_name(returns);
}

/* `env: {LC_ALL: "C"}` as NAME=value. */
static void read_env(struct pass *pass, gramc_impl *impl, const struct value *env) {
    if (env->kind != VALUE_MAP) {
        wrong_value(pass, env, "env", "a map from name to text");
        return;
    }
    gramc_text *list = arena_array(pass->arena, env->as.map.count, sizeof *list);
    for (const struct property *p = env->as.map.first; p && list; p = p->next) {
        struct buf pair;
        if (!value_is_name(p->value)) {
            wrong_value(pass, p->value, "env", "texts");
            continue;
        }
        buf_init(&pair, &pass->arena->allocator, SOURCE_MAX);
        buf_text(&pair, p->key.text);
        buf_putc(&pair, '=');
        buf_text(&pair, value_text(pass, p->value));
        if (pair.state == BUF_NOMEM) pass->arena->oom = true;
        list[impl->env_count++] = arena_text(pass->arena, buf_view(&pair));
        buf_free(&pair);
    }
    impl->env = list;
}

static void one_kind_only(struct pass *pass, const struct pattern *pattern, gramc_text name,
                          size_t kinds) {
    struct finding *f = FIND(pass->findings, kinds ? D_SEVERAL_KINDS : D_NO_KIND, pass->source,
                             pattern->subject->identifier.span, name);
    finding_help(pass->findings, f,
                 "say one of `builtin: \"math.add\"`, `exec: [\"program\", "
                 "\"argument\"]`, `returns: \"text\"`");
}

static const char *later_kind(const struct subject *subject) {
    static const char *const kinds[] = {"http", "mcp", "plugin", "replay"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (property_find(subject, kinds[i])) return kinds[i];
    return NULL;
}

/* ## Implementations */

static void read_kind(struct pass *pass, gramc_impl *impl, const struct pattern *pattern,
                      const struct impl_properties *p) {
    size_t kinds = (p->builtin.len ? 1U : 0U) + (p->exec ? 1U : 0U) + (p->returns ? 1U : 0U);
    if (kinds != 1) one_kind_only(pass, pattern, impl->name, kinds);
    if (p->builtin.len) {
        impl->kind = GRAMC_IMPL_BUILTIN;
        impl->target = p->builtin;
    }
    if (p->exec) read_exec(pass, impl, p->exec);
    if (p->returns) read_returns(pass, impl, p->returns);
    if (p->env) read_env(pass, impl, p->env);
}

static bool impl_read(struct pass *pass, gramc_impl *impl, const struct pattern *pattern) {
    struct impl_properties p = {.timeout_ms = 0};
    gramc_text name = pattern_name(pass, pattern, "an implementation");
    const char *later = later_kind(pattern->subject);
    if (!name.ptr) return false;
    if (later) {
        FIND(pass->findings, D_NOT_SUPPORTED, pass->source, pattern->span, text_of(later));
        return false;
    }
    properties_read(pass, pattern->subject->properties, impl_rows,
                    sizeof impl_rows / sizeof *impl_rows, &p, "implementations");
    *impl = (gramc_impl){.name = p.name.len ? p.name : name,
                         .timeout_ms = p.timeout_ms,
                         .folder = folder_of(pass->source->name),
                         .file = pass->source->name,
                         .start = pattern->span.start,
                         .end = pattern->span.end};
    if (pattern->elements)
        FIND(pass->findings, D_NOT_SUPPORTED, pass->source, pattern->elements->span,
             TEXT("a signature on an implementation"));
    read_kind(pass, impl, pattern, &p);
    return true;
}

static size_t read_impls(struct pass *pass, gramc_impl *impls, const struct pattern *pattern) {
    size_t count = 0;
    struct map seen;
    map_init(&seen, pass->arena);
    for (const struct pattern *e = pattern->elements; e; e = e->next) {
        gramc_text label = pattern_label(e);
        bool later = text_is(label, "McpServer") || text_is(label, "HttpToolBox");
        if (later) FIND(pass->findings, D_NOT_SUPPORTED, pass->source, e->span, label);
        else if (!text_is(label, "ToolImpl"))
            FIND0(pass->findings, D_NOT_AN_IMPL, pass->source, e->span);
        if (!text_is(label, "ToolImpl") || !impl_read(pass, &impls[count], e)) continue;
        gramc_impl *other = map_put(&seen, impls[count].name, &impls[count]);
        if (other == &impls[count]) count++;
        else
            spec_report_duplicate(pass, D_DUPLICATE_IMPL, other->name, e->span, pass->source,
                                  (struct span){other->start, other->end});
    }
    return count;
}

/* ## Fingerprint */

/* A script or program that an implementation names and that can be read counts with its bytes. */
static void add_file(struct pass *pass, struct sha256 *sha, const gramc_impl *impl,
                     gramc_text name) {
    gramc_reader reader = pass->compilation->reader;
    struct buf path;
    gramc_text bytes;
    buf_init(&path, &pass->arena->allocator, SOURCE_MAX);
    if (name.len && name.ptr[0] != '/') buf_text(&path, impl->folder);
    buf_text(&path, name);
    int failure = path.state == BUF_NOMEM ? GRAMC_NOMEM : GRAMC_NOT_FOUND;
    if (reader.read && path.state == BUF_FINE)
        failure = reader.read(reader.ctx, buf_view(&path), &bytes);
    if (failure == GRAMC_NOMEM) pass->arena->oom = true;
    if (!failure) sha256_add_text(sha, bytes);
    buf_free(&path);
}

static void add_impl(struct pass *pass, struct sha256 *sha, const gramc_impl *impl) {
    sha256_add_number(sha, impl->kind);
    sha256_add_number(sha, impl->timeout_ms);
    sha256_add_text(sha, impl->name);
    sha256_add_text(sha, impl->target);
    for (size_t i = 0; i < impl->argc; i++) {
        sha256_add_text(sha, impl->argv[i]);
        if (impl->kind == GRAMC_IMPL_EXEC) add_file(pass, sha, impl, impl->argv[i]);
    }
    for (size_t i = 0; i < impl->env_count; i++) sha256_add_text(sha, impl->env[i]);
}

static gramc_text fingerprint(struct pass *pass, const gramc_library *library) {
    struct sha256 sha;
    char hex[SHA256_HEX];
    sha256_init(&sha);
    sha256_add_text(&sha, TEXT("gramc library 1"));
    sha256_add_text(&sha, library->name);
    sha256_add_text(&sha, library->description);
    for (size_t i = 0; i < library->impl_count; i++) add_impl(pass, &sha, &library->impls[i]);
    sha256_hex(&sha, hex);
    return arena_text(pass->arena, (gramc_text){hex, SHA256_HEX});
}

void library_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern) {
    struct library *library = ARENA_NEW(pass->arena, struct library);
    gramc_text name = library ? pattern_name(pass, pattern, "a library") : (gramc_text){NULL, 0};
    if (!name.ptr) return;
    library->name_at = pattern->subject->identifier.span;
    library->source = pass->source;
    properties_read(pass, pattern->subject->properties, library_rows,
                    sizeof library_rows / sizeof *library_rows, &library->public, "libraries");
    library->public.name = name;
    gramc_impl *impls = arena_array(pass->arena, pattern->element_count, sizeof *impls);
    if (!impls) return;
    library->public.impls = impls;
    library->public.impl_count = read_impls(pass, impls, pattern);
    library->public.fingerprint = fingerprint(pass, &library->public);
    struct library *other = map_put(&spec->libraries, name, library);
    if (other != library) {
        if (text_eq(other->public.fingerprint, library->public.fingerprint)) return;
        spec_report_duplicate(pass, D_DUPLICATE_LIBRARY, name, library->name_at, other->source,
                              other->name_at);
        return;
    }
    *spec->last_library = library;
    spec->last_library = &library->next;
    spec->library_count++;
}

bool library_has_property(gramc_text key) {
    return rows_have(library_rows, sizeof library_rows / sizeof *library_rows, key);
}
