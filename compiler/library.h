/* The inside of a tool library while it is read: what its elements say besides what is public. */
#ifndef COMPILER_LIBRARY_H
#define COMPILER_LIBRARY_H

#include "toolbox/parameter_style.h"
#include "compiler/signature.h"
#include "compiler/spec.h"

/* A template as a library has it: a URL, a header, a body. */
struct template_use {
    struct template_use *next;
    gramc_text text;
    struct span at;
    enum style_text kind;
};

/* What `style` and `explode` say of one parameter. */
struct style_use {
    struct style_use *next;
    gramc_text parameter;
    enum parameter_style style;
    enum style_explode explode;
    struct span name_at, style_at; /* style_at: of the word, if there is one */
};

struct impl {
    gramc_impl public;
    const struct source *source;
    const struct pattern *pattern;
    struct signature *signature; /* its own; NULL: none */
    struct template_use *templates;
    struct style_use *styles;
    struct span server_at;            /* of MCP */
    struct span agent_at, library_at; /* of AGENT */
};

enum library_state { LIBRARY_READ, LIBRARY_VISITED, LIBRARY_RESOLVED, LIBRARY_FINISHED };

struct library {
    gramc_library public;
    struct library *next;
    struct span name_at;
    const struct source *source;
    const struct value *extends; /* NULL: nothing */
    struct impl *impls;          /* its own */
    size_t impl_count;
    gramc_box *boxes; /* its own */
    size_t box_count;
    enum library_state state;
};

/* Reads `[name:ToolLibrary {...} | elements]` and adds it to the spec. */
void library_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern);
/* Second step: what libraries extend, own signatures, references to servers. */
void libraries_resolve(struct pass *pass, struct gramc_spec *spec);
/* True if libraries have the property. */
bool library_has_property(gramc_text key);

/* ## Elements (library_impl.c, library_box.c). False, with findings, if there is nothing to keep */
bool impl_read(struct pass *pass, struct impl *impl, const struct pattern *pattern);
bool box_read(struct pass *pass, gramc_box *box, const struct pattern *pattern);
bool box_label(gramc_text label);
/* Is everything there that a box of its kind needs? */
bool box_is_whole(const gramc_box *box);
/* ## Agents that do a tool (library_agent.c) */
/* Finds who is meant, and with which library; once all agents and libraries were read. */
void impl_find_agent(struct pass *pass, const struct gramc_spec *spec, struct impl *impl);
/* Makes the agents that implementations name ready to run, and has fingerprints count them; once
 * all the rest is known. Nothing where something is wrong. */
void libraries_finish(struct pass *pass, struct gramc_spec *spec);

/* Once all names are known: its signature, its templates. */
void impl_resolve(struct pass *pass, struct impl *impl);

/* ## Values (library_values.c): each reports what does not fit */
void library_wrong_value(struct pass *pass, const struct value *value, const char *key,
                         const char *wanted);
/* "`name` needs `key`", at the name. */
void library_incomplete(struct pass *pass, const struct pattern *pattern, gramc_text name,
                        const char *key, const char *example);
gramc_text library_folder(gramc_text path);
/* Has the text no NUL? False after a finding. */
bool library_whole(struct pass *pass, struct span at, const char *key, gramc_text text);
/* A string or symbol, without a NUL. */
gramc_text library_name(struct pass *pass, const struct value *value, const char *key);
/* Texts and numbers; NULL if it is no list with something in it. */
const gramc_text *library_list(struct pass *pass, const struct value *value, const char *key,
                               size_t *count);
/* A program that is asked about calls: a list, as of `exec`. */
void library_guard(struct pass *pass, const struct value *value, const char *key,
                   gramc_guard_program *out);
/* A map from name to text, each name once; `nocase`: but for the case of its letters. */
const gramc_pair *library_pairs(struct pass *pass, const struct value *value, const char *key,
                                bool nocase, size_t *count);
/* `NAME=value` of each. */
const gramc_text *library_env(struct pass *pass, const struct value *value, size_t *count);
/* Pairs whose names and values can stand in a request. */
const gramc_pair *library_headers(struct pass *pass, const struct value *value, size_t *count);
/* Bytes, of 64MB or 1GiB. */
void library_size(struct pass *pass, const struct value *value, const char *key, uint64_t *out);
/* `run` or `arm`. */
gramc_isolation library_isolation(struct pass *pass, const struct value *value);
/* What it says can be a file, or a proxy, and there is no key without a certificate. */
void library_check_transport(struct pass *pass, const struct pattern *pattern,
                             const gramc_transport *transport);
/* It begins with http:// or https://, and says a host; or with ${env:NAME}, which says both. */
bool library_url(struct pass *pass, const struct value *value, gramc_text url);

/* ## Templates (library_template.c) */
/* Every `${name}` must be among the parameters, or be `${env:NAME}`; the names that occur are
 * marked in `used` (one flag a parameter, in order). `parameters_known` false: names are judged at
 * binding, only the form is looked at here. */
struct template_check {
    const struct field *parameters;
    bool *used;
    bool parameters_known;
    bool secrets_only; /* there are no parameters here, ever */
};
/* False if it cannot be read. */
bool library_template(struct pass *pass, const struct template_use *use,
                      const struct template_check *check);

/* Keeps a template of the call for those checks. */
void library_add_template(struct pass *pass, struct impl *impl, gramc_text text, struct span at,
                          enum style_text kind);

/* ## Bodies of several parts, and of files (library_body.c) */
/* Reads `bodyFile: "${path}"` and `multipart: {photo: {file: "${path}"}}`; NULL: not said. */
void library_body(struct pass *pass, struct impl *impl, const struct value *file,
                  const struct value *multipart);

/* ## Styles of arguments (library_style.c) */
/* Reads `style: {tags: "pipeDelimited"}` and `explode: {tags: false}`; NULL: not said. */
void library_styles(struct pass *pass, struct impl *impl, const struct value *style,
                    const struct value *explode);
/* Each is one that the parameter's place in the request takes, and can say its type; once the own
 * signature, if any, has its schema. */
void library_styles_check(struct pass *pass, const struct impl *impl);

/* ## Files (library_files.c) */
/* What the library names beside itself can be read and is what it has to be. */
void library_check_files(struct pass *pass, const struct library *library);

/* What an implementation says in single texts, in the order of the fingerprint. */
enum { IMPL_TEXTS = 11 }; /* library_named is told apart */
void impl_texts(gramc_text *out[IMPL_TEXTS], gramc_impl *impl);

/* ## Fingerprint (library_fingerprint.c), once everything else is there */
gramc_text library_fingerprint(struct arena *arena, gramc_reader reader,
                               const gramc_library *library);
/* The same, and the agents that its tools are done by, with their libraries; the library's own
 * where it names none. */
gramc_text library_fingerprint_whole(struct arena *arena, const gramc_library *library);

#endif
