/* Turns `[name:McpServer {...}]` and `[name:HttpToolBox {...}]` into boxes of tools: where they are
 * found, which of their tools are taken and how those are called here. What they hold is only known
 * when they are asked, at binding. */
#include "compiler/library.h"

#include "base/text.h"
#include "compiler/approve.h"
#include "compiler/data.h"
#include "compiler/pattern.h"
#include "compiler/properties.h"
#include "compiler/sandbox.h"

struct box_properties {
    gramc_text description, url, file, store;
    const struct value *isolation, *approve, *sandbox;
    const struct value *command, *env, *headers, *tools, *rename;
    uint32_t timeout_ms;
    bool literal, sensitive;
    int untrusted;
    gramc_transport transport;
    const struct value *url_from;
};

#define AT(member) offsetof(struct box_properties, member)
static const struct property_row mcp_rows[] = {
    {"description", PROPERTY_TEXT, AT(description)},
    {"command", PROPERTY_VALUE, AT(command)},
    {"url", PROPERTY_TEXT, AT(url)},
    {"urlFrom", PROPERTY_VALUE, AT(url_from)},
    {"env", PROPERTY_VALUE, AT(env)},
    {"headers", PROPERTY_VALUE, AT(headers)},
    {"caFile", PROPERTY_TEXT, AT(transport.ca_file)},
    {"clientCertificate", PROPERTY_TEXT, AT(transport.client_certificate)},
    {"clientKey", PROPERTY_TEXT, AT(transport.client_key)},
    {"proxy", PROPERTY_TEXT, AT(transport.proxy)},
    {"tools", PROPERTY_VALUE, AT(tools)},
    {"rename", PROPERTY_VALUE, AT(rename)},
    {"timeout", PROPERTY_DURATION, AT(timeout_ms)},
    {"approve", PROPERTY_VALUE, AT(approve)},
    {"untrusted", PROPERTY_TRISTATE, AT(untrusted)},
    {"sensitive", PROPERTY_FLAG, AT(sensitive)},
    {"isolation", PROPERTY_VALUE, AT(isolation)},
    {"sandbox", PROPERTY_VALUE, AT(sandbox)},
    {"meta", PROPERTY_IGNORED, 0},
};
static const struct property_row http_rows[] = {
    {"description", PROPERTY_TEXT, AT(description)},
    {"file", PROPERTY_TEXT, AT(file)},
    {"store", PROPERTY_TEXT, AT(store)},
    {"url", PROPERTY_TEXT, AT(url)},
    {"urlFrom", PROPERTY_VALUE, AT(url_from)},
    {"headers", PROPERTY_VALUE, AT(headers)},
    {"caFile", PROPERTY_TEXT, AT(transport.ca_file)},
    {"clientCertificate", PROPERTY_TEXT, AT(transport.client_certificate)},
    {"clientKey", PROPERTY_TEXT, AT(transport.client_key)},
    {"proxy", PROPERTY_TEXT, AT(transport.proxy)},
    {"tools", PROPERTY_VALUE, AT(tools)},
    {"rename", PROPERTY_VALUE, AT(rename)},
    {"literal", PROPERTY_FLAG, AT(literal)},
    {"timeout", PROPERTY_DURATION, AT(timeout_ms)},
    {"approve", PROPERTY_VALUE, AT(approve)},
    {"untrusted", PROPERTY_TRISTATE, AT(untrusted)},
    {"sensitive", PROPERTY_FLAG, AT(sensitive)},
    {"meta", PROPERTY_IGNORED, 0},
};
#undef AT

/* ## Where */

static void check_secret_text(struct pass *pass, const struct value *value, gramc_text text) {
    struct template_check check = {.secrets_only = true};
    struct template_use use = {.text = text, .at = value->span};
    library_template(pass, &use, &check);
}

/* There are no parameters here: only `${env:NAME}`. */
static void check_secrets(struct pass *pass, const struct value *map) {
    struct template_check check = {.secrets_only = true};
    for (const struct property *p = map->kind == VALUE_MAP ? map->as.entries : NULL; p;
         p = p->next) {
        struct template_use use = {.at = p->value->span};
        if (!value_is_name(p->value)) continue;
        use.text = value_text(pass, p->value);
        library_template(pass, &use, &check);
    }
}

static bool is_whole_server(const gramc_box *box) {
    return (box->argc > 0) + (box->url.len > 0) + (box->url_argc > 0) == 1;
}

/* What belongs to the other of `command` and `url`. */
static void refuse_others(struct pass *pass, const struct pattern *pattern, bool is_program) {
    static const char *const of_url[] = {"headers",   "caFile", "clientCertificate",
                                         "clientKey", "proxy",  NULL};
    static const char *const of_command[] = {"env", "sandbox", NULL};
    for (const char *const *name = is_program ? of_url : of_command; *name; name++) {
        const struct property *other = property_find(pattern->subject, *name);
        if (other)
            FIND(pass->findings, D_IMPL_PROPERTY, pass->source, name_span(other->key),
                 name_text(other->key), is_program ? TEXT("command") : TEXT("url"),
                 is_program ? TEXT("url") : TEXT("command"));
    }
}

/* Exactly one of `command` and `url`; the other's properties mean nothing. */
static void read_server(struct pass *pass, gramc_box *box, const struct pattern *pattern,
                        const struct box_properties *p) {
    if (p->command) box->argv = library_list(pass, p->command, "command", &box->argc);
    if (!p->command + !p->url.ptr + !p->url_from != 2) {
        struct finding *f =
            FIND(pass->findings, p->command || p->url.ptr ? D_SEVERAL_KINDS : D_NO_KIND,
                 pass->source, name_span(pattern->subject->identifier), box->name);
        finding_help(pass->findings, f,
                     "say one of `command: [\"program\", \"argument\"]`, `url: \"http://...\"`, "
                     "`urlFrom: [\"program\", \"argument\"]`");
        return;
    }
    refuse_others(pass, pattern, p->command);
    if (p->sandbox && p->command) box->sandbox = sandbox_read(pass, p->sandbox);
    if (!p->env || !p->command) return;
    box->env = library_env(pass, p->env, &box->env_count);
    check_secrets(pass, p->env);
}

/* ## Which */

static bool is_taken(const gramc_box *box, gramc_text tool) {
    for (size_t i = 0; i < box->tool_count; i++)
        if (text_eq(box->tools[i], tool)) return true;
    return box->all_tools;
}

static void check_renames(struct pass *pass, const gramc_box *box, const struct value *rename) {
    for (size_t i = 0; i < box->rename_count; i++) {
        const gramc_pair *one = &box->renames[i];
        if (!is_taken(box, one->name))
            FIND(pass->findings, D_USELESS_RENAME, pass->source, rename->span, one->name);
        if (one->value.len == 0) library_wrong_value(pass, rename, "rename", "names");
        for (size_t j = 0; j < i; j++)
            if (text_eq(box->renames[j].value, one->value))
                FIND(pass->findings, D_RENAMED_ALIKE, pass->source, rename->span,
                     box->renames[j].name, one->name, one->value);
    }
}

static void read_selection(struct pass *pass, gramc_box *box, const struct box_properties *p) {
    box->all_tools = !p->tools;
    if (p->tools) box->tools = library_list(pass, p->tools, "tools", &box->tool_count);
    if (!p->rename) return;
    box->renames = library_pairs(pass, p->rename, "rename", false, &box->rename_count);
    check_renames(pass, box, p->rename);
}

/* ## Kinds */

static void read_file_box(struct pass *pass, gramc_box *box, const struct pattern *pattern,
                          const struct box_properties *p) {
    const struct property *file = property_find(pattern->subject, "file");
    const struct property *store = property_find(pattern->subject, "store");
    box->literal = p->literal;
    if (file && store)
        FIND(pass->findings, D_CONTRADICTION, pass->source, store->value->span,
             TEXT("the tools stand in a file, and in a store"), TEXT("say `file` or `store`"));
    if (store && library_whole(pass, store->value->span, "store", p->store)) box->stored = p->store;
    if (store) return;
    if (!file) library_incomplete(pass, pattern, box->name, "file", "file: \"tools.yaml\"");
    else if (library_whole(pass, file->value->span, "file", p->file)) box->file_named = p->file;
}

static bool is_whole_file_box(const gramc_box *box) {
    return box->file_named.len > 0 || box->stored.len > 0;
}

#define ROWS(rows) rows, sizeof rows / sizeof *rows
static const struct {
    const char *noun, *nouns; /* in messages */
    const struct property_row *rows;
    size_t row_count;
    void (*read)(struct pass *pass, gramc_box *box, const struct pattern *pattern,
                 const struct box_properties *p);
    bool (*is_whole)(const gramc_box *box);
} kinds[] = {
    [GRAMC_BOX_MCP] = {"a server", "MCP servers", ROWS(mcp_rows), read_server, is_whole_server},
    [GRAMC_BOX_HTTP] = {"a box", "HTTP toolboxes", ROWS(http_rows), read_file_box,
                        is_whole_file_box}};
#undef ROWS

enum { BOX_KINDS = sizeof kinds / sizeof *kinds };

bool box_is_whole(const gramc_box *box) {
    return (size_t)box->kind < BOX_KINDS && kinds[box->kind].is_whole(box);
}

/* BOX_KINDS: it is no box. */
static size_t kind_of(gramc_text label) {
    static const char *const labels[BOX_KINDS] = {
#define GRAMC_BOX(id, label, tools) [GRAMC_BOX_##id] = #label,
#include "gramc/kinds.def"
    };
    size_t kind = 0;
    while (kind < BOX_KINDS && !text_is(label, labels[kind])) kind++;
    return kind;
}

bool box_label(gramc_text label) {
    return kind_of(label) < BOX_KINDS;
}

bool box_read(struct pass *pass, gramc_box *box, const struct pattern *pattern) {
    struct box_properties p = {.untrusted = -1};
    size_t kind = kind_of(pattern_label(pattern));
    gramc_text name = pattern_name(pass, pattern, kinds[kind].noun);
    if (!name.ptr) return false;
    properties_read(pass, pattern->subject->properties, kinds[kind].rows, kinds[kind].row_count, &p,
                    kinds[kind].nouns);
    *box = (gramc_box){.name = name,
                       .kind = (gramc_box_kind)kind,
                       .description = p.description,
                       .timeout_ms = p.timeout_ms,
                       .folder = library_folder(pass->source->name),
                       .file = pass->source->name,
                       .start = pattern->span.start,
                       .end = pattern->span.end};
    const struct property *url = property_find(pattern->subject, "url");
    if (p.url.ptr && library_url(pass, url->value, p.url)) box->url = p.url;
    if (text_starts(box->url, "${env:")) check_secret_text(pass, url->value, box->url);
    if (p.url_from) box->url_argv = library_list(pass, p.url_from, "urlFrom", &box->url_argc);
    if (p.url_from && p.url.ptr && kind == GRAMC_BOX_HTTP)
        FIND(pass->findings, D_CONTRADICTION, pass->source, p.url_from->span,
             TEXT("the url is said, and a program is asked for it"),
             TEXT("say `url` or `urlFrom`"));
    box->transport = p.transport;
    library_check_transport(pass, pattern, &box->transport);
    if (p.approve) box->approve = approve_read(pass, p.approve);
    box->untrusted = said_of(p.untrusted);
    box->sensitive = p.sensitive;
    if (p.isolation) box->isolation = library_isolation(pass, p.isolation);
    kinds[kind].read(pass, box, pattern, &p);
    if (p.headers) {
        box->headers = library_headers(pass, p.headers, &box->header_count);
        check_secrets(pass, p.headers);
    }
    read_selection(pass, box, &p);
    if (pattern->elements)
        FIND0(pass->findings, D_NOT_AN_IMPL, pass->source, pattern->elements->span);
    return true;
}
