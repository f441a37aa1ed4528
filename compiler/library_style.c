/* Turns `style` and `explode` of an HTTP call into what is said of each parameter, and looks for it
 * in the call's templates: a style that its place does not take, that has no place, or that cannot
 * say the parameter's type is found here. Writing values is the runtime's. */
#include "compiler/library.h"

#include "base/placeholder.h"
#include "base/text.h"
#include "compiler/data.h"
#include "compiler/properties.h"

enum { NAMES_MAX = 64 };

/* ## Reading */

static struct style_use *use_of(struct pass *pass, struct impl *impl, const struct property *p) {
    struct style_use **link = &impl->styles;
    while (*link && !text_eq((*link)->parameter, name_text(p->key))) link = &(*link)->next;
    if (*link) return *link;
    struct style_use *use = ARENA_NEW(pass->arena, struct style_use);
    if (!use) return NULL;
    *use = (struct style_use){.parameter = name_text(p->key), .name_at = name_span(p->key)};
    return *link = use;
}

static void read_style(struct pass *pass, struct style_use *use, const struct value *value) {
    gramc_text names[STYLES];
    size_t count = style_words(names);
    if (!value_is_name(value)) {
        library_wrong_value(pass, value, "style", "names of styles");
        return;
    }
    gramc_text word = value_name(value);
    use->style = style_of_word(word);
    use->style_at = value->span;
    if (use->style) return;
    struct finding *f =
        FIND(pass->findings, D_UNKNOWN_WORD, pass->source, value->span, word, TEXT("style"),
             TEXT("form, spaceDelimited, pipeDelimited, deepObject, "
                  "simple, label, matrix, json"));
    gramc_text near = text_nearest(word, names, count);
    for (size_t i = 0; i < count && !near.len; i++)
        if (text_eq_nocase(word, names[i])) near = names[i];
    if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
}

static void read_explode(struct pass *pass, struct style_use *use, const struct value *value) {
    if (value->kind != VALUE_BOOLEAN) {
        library_wrong_value(pass, value, "explode", "true or false");
        return;
    }
    use->explode = text_is(scalar_text(value), "true") ? EXPLODE_TRUE : EXPLODE_FALSE;
}

static void read_map(struct pass *pass, struct impl *impl, const struct value *map, const char *key,
                     void (*read)(struct pass *pass, struct style_use *use,
                                  const struct value *value)) {
    if (map->kind != VALUE_MAP) {
        library_wrong_value(pass, map, key, "a map from parameters");
        return;
    }
    for (const struct property *p = map->as.entries; p; p = p->next) {
        const struct property *before = map->as.entries;
        while (before != p && !text_eq(name_text(before->key), name_text(p->key)))
            before = before->next;
        if (before != p)
            FIND(pass->findings, D_DUPLICATE_PROPERTY, pass->source, name_span(p->key),
                 name_text(p->key));
        struct style_use *use = use_of(pass, impl, p);
        if (use) read(pass, use, p->value);
    }
}

/* What is said in the words of the public library. */
static void publish(struct pass *pass, struct impl *impl) {
    static const char *const truths[] = {"", "false", "true"};
    size_t count = 0;
    for (const struct style_use *use = impl->styles; use; use = use->next) count++;
    gramc_style *styles = arena_array(pass->arena, count, sizeof *styles);
    impl->public.styles = styles;
    for (const struct style_use *use = impl->styles; use && styles; use = use->next)
        styles[impl->public.style_count++] = (gramc_style){
            use->parameter, text_of(style_word(use->style)), text_of(truths[use->explode])};
}

void library_styles(struct pass *pass, struct impl *impl, const struct value *style,
                    const struct value *explode) {
    if (style) read_map(pass, impl, style, "style", read_style);
    if (explode) read_map(pass, impl, explode, "explode", read_explode);
    if (impl->styles) publish(pass, impl);
}

/* ## Checking */

static struct style_survey survey(const struct impl *impl, gramc_text name,
                                  enum parameter_style style) {
    struct style_survey survey = {.stands = false};
    for (const struct template_use *use = impl->templates; use; use = use->next)
        style_survey(&survey, use->kind, use->text, name, style);
    return survey;
}

static bool is_parameter(const struct impl *impl, gramc_text name) {
    const struct field *p = impl->signature ? impl->signature->parameters : NULL;
    while (p && !text_eq(p->name, name)) p = p->next;
    return p;
}

/* The name in the templates that was probably meant. */
static gramc_text nearest_placed(const struct impl *impl, gramc_text name) {
    gramc_text names[NAMES_MAX];
    size_t count = 0;
    for (const struct template_use *use = impl->templates; use; use = use->next) {
        struct placeholder part;
        for (size_t pos = 0; count < NAMES_MAX && placeholder_next(use->text, &pos, &part);)
            if (part.kind == PLACEHOLDER_NAME) names[count++] = part.text;
    }
    return text_nearest(name, names, count);
}

static void report_unplaced(struct pass *pass, const struct impl *impl, const struct style_use *use,
                            bool stands) {
    const char *why = stands ? "it has no place of its own in the call"
                      : is_parameter(impl, use->parameter) ? "it stands nowhere in the call"
                      : impl->signature                    ? "there is no such parameter"
                                                           : "no `${...}` of the call names it";
    struct finding *f = FIND(pass->findings, D_STYLE_UNPLACED, pass->source, use->name_at,
                             use->parameter, text_of(why));
    gramc_text near = stands ? (gramc_text){NULL, 0} : nearest_placed(impl, use->parameter);
    if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
    else if (stands)
        finding_help(pass->findings, f,
                     "a style is for a value that stands alone: in a path, as the value of a pair "
                     "of a query, form or cookie, or as a whole header");
}

static void check_use(struct pass *pass, const struct impl *impl, const struct style_use *use) {
    struct style_survey found = survey(impl, use->parameter, use->style);
    if (!found.place) {
        report_unplaced(pass, impl, use, found.stands);
        return;
    }
    if (!found.misfit) return;
    struct finding *f = FIND(pass->findings, D_STYLE_MISFIT, pass->source, use->style_at,
                             text_of(style_word(use->style)),
                             text_of(style_place_name(found.misfit)), use->parameter);
    finding_help(pass->findings, f, "%s", style_choices(found.misfit));
}

static const struct style_use *said_of(const struct impl *impl, gramc_text name) {
    const struct style_use *use = impl->styles;
    while (use && !text_eq(use->parameter, name)) use = use->next;
    return use;
}

static void check_type(struct pass *pass, const struct impl *impl, const struct field *p) {
    const struct json *root = impl->public.accepts_document;
    const struct json *schema = json_get_text(json_get(root, "properties"), p->name);
    const struct style_use *use = said_of(impl, p->name);
    enum parameter_style style = use ? use->style : STYLE_UNSAID;
    struct style_survey found = survey(impl, p->name, style);
    if (!found.place || found.misfit) return;
    if (!style) style = style_default(found.place);
    const char *problem = style_cannot_say(root, schema, style);
    if (!problem) return;
    struct finding *f = FIND(pass->findings, D_STYLE_CANNOT_SAY, pass->source,
                             use && use->style ? use->style_at : p->span,
                             text_of(style_word(style)), p->name, text_of(problem));
    finding_help(pass->findings, f, "`style: {%.*s: \"json\"}` sends it as JSON",
                 TEXT_ARGS(p->name));
}

void library_styles_check(struct pass *pass, const struct impl *impl) {
    if (!impl->public.target.len) return;
    for (const struct style_use *use = impl->styles; use; use = use->next)
        check_use(pass, impl, use);
    for (const struct field *p = impl->signature ? impl->signature->parameters : NULL; p;
         p = p->next)
        check_type(pass, impl, p);
}
