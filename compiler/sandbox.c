/* Turns `sandbox: {read: [...], write: [...], network: none, env: [...]}` into what it means, and
 * what means nothing there into findings. Which sandbox holds for what is started, and what is told
 * to the program that builds it, is the runtime's. */
#include "compiler/sandbox.h"

#include <string.h>

#include "base/text.h"
#include "compiler/data.h"
#include "compiler/library.h"
#include "compiler/properties.h"
#include "compiler/words.h"

struct sandbox_properties {
    const struct value *read, *write, *network, *env;
};

#define AT(member) offsetof(struct sandbox_properties, member)
static const struct property_row rows[] = {
    {"read", PROPERTY_VALUE, AT(read)},
    {"write", PROPERTY_VALUE, AT(write)},
    {"network", PROPERTY_VALUE, AT(network)},
    {"env", PROPERTY_VALUE, AT(env)},
};
#undef AT

/* ## Lists, which may be empty */

typedef bool check_entry(struct pass *pass, const struct value *value, gramc_text text);

static const gramc_text *read_list(struct pass *pass, const struct value *value, const char *key,
                                   check_entry *is_fine, size_t *count) {
    const char *wanted = text_is(text_of(key), "env") ? "a list of names" : "a list of places";
    gramc_text *list = NULL;
    if (value->kind == VALUE_ARRAY) list = arena_array(pass->arena, value->count + 1, sizeof *list);
    else library_wrong_value(pass, value, key, wanted);
    for (const struct value *v = list ? value->as.items : NULL; v; v = v->next) {
        gramc_text text = value_is_name(v) ? value_text(pass, v) : TEXT("");
        if (!value_is_name(v)) library_wrong_value(pass, v, key, "texts");
        else if (library_whole(pass, v->span, key, text) && is_fine(pass, v, text))
            list[(*count)++] = text;
    }
    return list;
}

/* ## Places */

/* NULL: it is one. */
static const char *place_problem(gramc_text text) {
    if (!text.len) return "it is empty; the folder of the library itself can be read anyway";
    if (memchr(text.ptr, '*', text.len)) return "there are no patterns; name the folder";
    if (text.ptr[0] == '~' && text.len > 1 && text.ptr[1] != '/')
        return "it begins with `~/`, or is absolute, or is relative to the library";
    if (memchr(text.ptr, '$', text.len)) return "nothing is filled in there";
    return NULL;
}

static bool is_place(struct pass *pass, const struct value *value, gramc_text text) {
    const char *problem = place_problem(text);
    if (problem)
        FIND(pass->findings, D_BAD_PLACE, pass->source, value->span, text, text_of(problem));
    return !problem;
}

/* ## Variables */

static bool is_variable_name(gramc_text text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool letter = (unsigned char)((c | 32) - 'a') < 26 || c == '_';
        if (!letter && (i == 0 || (unsigned char)(c - '0') > 9)) return false;
    }
    return text.len > 0;
}

/* These lead into the sandbox, whatever they are outside. */
static bool is_ours(gramc_text name) {
    return text_is(name, "HOME") || text_is(name, "TMPDIR");
}

static bool is_variable(struct pass *pass, const struct value *value, gramc_text text) {
    if (is_ours(text)) {
        FIND(pass->findings, D_CONTRADICTION, pass->source, value->span,
             TEXT("HOME and TMPDIR lead to the scratch folder of a sandbox"),
             TEXT("name what is in them under `read` or `write`"));
        return false;
    }
    if (is_variable_name(text)) return true;
    FIND(pass->findings, D_WRONG_VALUE, pass->source, value->span, TEXT("env"),
         TEXT("names of variables"), TEXT("something else"));
    return false;
}

/* ## The network */

static gramc_network read_network(struct pass *pass, const struct value *value) {
    if (!value_is_name(value)) {
        library_wrong_value(pass, value, "network", "none, hosts or open");
        return GRAMC_NETWORK_NONE;
    }
    word_check_value(pass, "network", "none hosts open", value);
    gramc_text word = value_name(value);
    return text_is(word, "open")    ? GRAMC_NETWORK_OPEN
           : text_is(word, "hosts") ? GRAMC_NETWORK_HOSTS
                                    : GRAMC_NETWORK_NONE;
}

/* ## The whole */

const gramc_sandbox *sandbox_read(struct pass *pass, const struct value *value) {
    struct sandbox_properties p = {.read = NULL};
    if (value->kind != VALUE_MAP) {
        library_wrong_value(pass, value, "sandbox", "a map, such as {write: [\"out\"]}");
        return NULL;
    }
    gramc_sandbox *sandbox = ARENA_NEW(pass->arena, gramc_sandbox);
    if (!sandbox) return NULL;
    *sandbox = (gramc_sandbox){.folder = library_folder(pass->source->name),
                               .file = pass->source->name,
                               .start = value->span.start,
                               .end = value->span.end};
    properties_read(pass, value->as.entries, rows, sizeof rows / sizeof *rows, &p, "sandboxes");
    if (p.read) sandbox->read = read_list(pass, p.read, "read", is_place, &sandbox->read_count);
    if (p.write)
        sandbox->write = read_list(pass, p.write, "write", is_place, &sandbox->write_count);
    if (p.env) sandbox->env = read_list(pass, p.env, "env", is_variable, &sandbox->env_count);
    if (p.network) sandbox->network = read_network(pass, p.network);
    return sandbox;
}
