/* Holds the names that a model sees against the configuration's naming rules. Proposes the name in
 * the wanted form; renaming is the author's. */
#include "compiler/naming.h"

#include "base/text.h"
#include "compiler/config.h"
#include "compiler/tool.h"

enum { LONGEST_PROPOSAL = 128 };

struct name_form {
    const char *name;
    char separator;          /* between words, or 0 */
    bool first_upper, upper; /* of the first word, of the later ones */
};

static const struct name_form forms[] = {
    [NAMING_ANY] = {NULL, 0, false, false},
    [NAMING_CAMEL] = {"camelCase", 0, false, true},
    [NAMING_SNAKE] = {"snake_case", '_', false, false},
    [NAMING_KEBAB] = {"kebab-case", '-', false, false},
    [NAMING_PASCAL] = {"PascalCase", 0, true, true},
};

enum { FORMS = sizeof forms / sizeof *forms };

const char *naming_name(enum naming naming) {
    return forms[naming].name;
}

enum naming naming_find(gramc_text name) {
    for (int i = NAMING_ANY + 1; i < FORMS; i++)
        if (text_is(name, forms[i].name)) return (enum naming)i;
    return NAMING_ANY;
}

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_word(char c) {
    return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_ascii(gramc_text name) {
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.ptr[i] >= 0x80) return false;
    return true;
}

static char set_case(char c, bool upper) {
    if (upper && c >= 'a' && c <= 'z') return (char)(c - 'a' + 'A');
    return !upper && is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

/* A word begins behind a separator, and at a capital behind a small letter or digit. */
static gramc_text propose(const struct name_form *form, gramc_text name,
                          char out[LONGEST_PROPOSAL]) {
    size_t len = 0;
    bool begins = true;
    for (size_t i = 0; i < name.len && len + 2 < LONGEST_PROPOSAL; i++) {
        char c = name.ptr[i];
        if (!is_word(c)) {
            begins = true;
            continue;
        }
        if (i && is_upper(c) && is_word(name.ptr[i - 1]) && !is_upper(name.ptr[i - 1]))
            begins = true;
        if (begins && len && form->separator) out[len++] = form->separator;
        bool upper = begins && (len ? form->upper : form->first_upper);
        out[len++] = set_case(c, upper);
        begins = false;
    }
    return (gramc_text){out, len};
}

/* Words are parted as the form says, and each begins as it says; capitals inside a word of
 * camelCase are fine (toJSON). */
static bool follows(const struct name_form *form, gramc_text name) {
    bool begins = true;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (begins && (!is_word(c) || is_upper(c) != (i ? form->upper : form->first_upper)))
            return false;
        begins = form->separator && c == form->separator;
        if (!begins && !is_word(c)) return false;
        if (form->separator && is_upper(c)) return false;
    }
    return !begins;
}

static void check(struct pass *pass, enum naming naming, const char *noun, gramc_text name,
                  const struct source *source, struct span at) {
    const struct name_form *form = &forms[naming];
    char buffer[LONGEST_PROPOSAL];
    if (naming == NAMING_ANY || name.len == 0 || follows(form, name)) return;
    struct finding *f =
        FIND(pass->findings, D_NAMING, source, at, text_of(noun), name, text_of(form->name));
    gramc_text proposal = propose(form, name, buffer);
    if (is_ascii(name) && follows(form, proposal))
        finding_help(pass->findings, f, "write `%.*s`", TEXT_ARGS(proposal));
}

static void check_tool(struct pass *pass, const struct config *config, const struct tool *tool) {
    check(pass, config->tool_names, "tool", tool->public.name, tool->source, tool->name_at);
    const struct field *p = tool->signature ? tool->signature->parameters : NULL;
    for (; p; p = p->next)
        check(pass, config->parameter_names, "parameter", p->name, tool->source, p->span);
}

void naming_check(struct pass *pass, const struct gramc_spec *spec) {
    if (!pass->compilation->configs) return;
    for (const struct tool *tool = spec->first_tool; tool; tool = tool->next) {
        const struct config *config = config_for(pass->compilation, tool->source);
        if (config) check_tool(pass, config, tool);
    }
}
