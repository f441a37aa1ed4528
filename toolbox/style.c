/* Turns `style` and `explode` of a parameter of a YAML file into what its templates take, and says
 * which of them cannot be meant: OpenAPI's words, which the original does not know. */
#include "base/text.h"
#include "toolbox/reader.h"

static enum parameter_style read_word(struct toolbox_reader *reader, const struct yaml *node) {
    gramc_text names[STYLES];
    size_t count = style_words(names);
    enum parameter_style style = style_of_word(node->text);
    if (!style) toolbox_unknown_word(reader, node, "style", names, count);
    return style;
}

static enum style_explode read_explode(struct toolbox_reader *reader, const struct yaml *node) {
    bool yes = text_is(node->text, "true"), no = text_is(node->text, "false");
    if (!yes && !no) ERROR_AT(reader, node, "`explode` is true or false");
    return yes ? EXPLODE_TRUE : EXPLODE_FALSE;
}

/* There are no objects among the types. */
static void check_type(struct toolbox_reader *reader, const struct yaml *style) {
    if (text_is(style->text, "deepObject"))
        toolbox_help(
            ERROR_AT(reader, style, "deepObject says objects, and no type is one"),
            "form repeats the name for each item, pipeDelimited and spaceDelimited do not");
}

void toolbox_read_style(struct toolbox_reader *reader, const struct yaml_item *parameter,
                        struct parameter_list *list) {
    if (parameter->value->kind != YAML_MAP) return;
    const struct yaml *style = yaml_get(parameter->value, "style"),
                      *explode = yaml_get(parameter->value, "explode");
    bool styled = !yaml_is_null(style) && style->kind == YAML_SCALAR;
    bool exploded = !yaml_is_null(explode) && explode->kind == YAML_SCALAR;
    if (!styled && !exploded) return;
    struct template_style *said = &list->styles[list->style_count];
    list->style_nodes[list->style_count++] = styled ? style : explode;
    said->name = parameter->key->text;
    if (styled) said->style = read_word(reader, style);
    if (styled) check_type(reader, style);
    if (exploded) said->explode = read_explode(reader, explode);
}

/* What is sent as it is has no places. */
static void survey(struct style_survey *found, enum style_text kind, const struct template *what,
                   const struct template_style *said) {
    bool fixed = what->count == 1 && what->parts[0].kind == PART_TEXT;
    if (!fixed) style_survey(found, kind, what->source, said->name, said->style);
}

static void check_style(struct toolbox_reader *reader, const struct http_call *call,
                        const struct template_style *said, const struct yaml *node) {
    struct style_survey found = {.stands = false};
    survey(&found, STYLE_IN_URL, &call->path, said);
    for (size_t i = 0; i < call->header_count; i++)
        survey(&found, style_text_of_header(call->headers[i].name), &call->headers[i].value, said);
    survey(&found, style_text_of_body(call->content_type), &call->body, said);
    if (reader->literal && found.stands)
        WARN_AT(reader, node, "values go in as they are here: the style of `%.*s` means nothing",
                SHORT(said->name));
    else if (!found.place && found.stands)
        toolbox_help(
            ERROR_AT(reader, node,
                     "the style of `%.*s` means nothing: it has no place of its own in the call",
                     SHORT(said->name)),
            "a style is for a value that stands alone: in a path, as the value of a pair "
            "of a query, form or cookie, or as a whole header");
    else if (found.misfit)
        toolbox_help(ERROR_AT(reader, node, "`%s` is no style of %s, where `%.*s` stands",
                              style_word(said->style), style_place_name(found.misfit),
                              SHORT(said->name)),
                     style_choices(found.misfit));
}

void toolbox_check_styles(struct toolbox_reader *reader, const struct http_call *call,
                          const struct parameter_list *list) {
    for (size_t i = 0; i < list->style_count; i++)
        check_style(reader, call, &list->styles[i], list->style_nodes[i]);
}
