/* Turns `bodyFile` and `multipart` of an HTTP call into parts: the name of each, the template of
 * its value or of the path of its file, its content type. What cannot be sent together is found
 * here; reading files and sending them is the runtime's. */
#include "compiler/library.h"

#include "base/text.h"
#include "compiler/data.h"
#include "compiler/properties.h"
#include "compiler/words.h"

/* ## One part */

static bool is_line(gramc_text text) {
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7F) return false;
    return true;
}

static void unknown_key(struct pass *pass, const struct property *p) {
    static const gramc_text known[] = {{"value", 5}, {"file", 4}, {"contentType", 11}};
    struct finding *f = FIND(pass->findings, D_UNKNOWN_PROPERTY, pass->source, name_span(p->key),
                             name_text(p->key), TEXT("parts of a multipart body"));
    gramc_text near = text_nearest(name_text(p->key), known, sizeof known / sizeof *known);
    if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
    else finding_help(pass->findings, f, "there are value, file and contentType");
}

static void read_content_type(struct pass *pass, gramc_part *part, const struct value *value) {
    if (!value_is_name(value) || !value_name(value).len || !is_line(value_name(value)))
        library_wrong_value(pass, value, "contentType", "a media type");
    else part->content_type = value_text(pass, value);
}

static void read_template(struct pass *pass, struct impl *impl, gramc_part *part,
                          const struct property *p) {
    part->is_file = text_is(name_text(p->key), "file");
    if (!value_is_name(p->value)) {
        library_wrong_value(pass, p->value, part->is_file ? "file" : "value", "a text");
        return;
    }
    part->value = value_text(pass, p->value);
    library_add_template(pass, impl, part->value, p->value->span,
                         part->is_file ? STYLE_IN_FILE : STYLE_IN_PART);
}

/* `{value: "${x}", contentType: "..."}` or `{file: "${path}"}` */
static void read_map(struct pass *pass, struct impl *impl, gramc_part *part,
                     const struct value *map) {
    const struct property *template = NULL;
    for (const struct property *p = map->as.entries; p; p = p->next) {
        bool is_template =
            text_is(name_text(p->key), "file") || text_is(name_text(p->key), "value");
        if (text_is(name_text(p->key), "contentType")) {
            read_content_type(pass, part, p->value);
        } else if (!is_template) {
            unknown_key(pass, p);
        } else if (template) {
            FIND(pass->findings, D_CONTRADICTION, pass->source, name_span(p->key),
                 TEXT("a part is a value or a file, and is said once"), TEXT("leave one out"));
        } else {
            template = p;
            read_template(pass, impl, part, p);
        }
    }
    if (!template) library_wrong_value(pass, map, "multipart", "parts with a `value` or a `file`");
}

static bool read_part(struct pass *pass, struct impl *impl, gramc_part *part,
                      const struct property *p) {
    *part = (gramc_part){.name = name_text(p->key)};
    if (!part->name.len || text_has_nul(part->name)) {
        library_wrong_value(pass, p->value, "multipart", "names that are not empty, without a NUL");
    } else if (p->value->kind == VALUE_MAP) {
        read_map(pass, impl, part, p->value);
    } else if (!value_is_name(p->value)) {
        library_wrong_value(pass, p->value, "multipart",
                            "texts, or maps such as {file: \"${path}\"}");
    } else {
        part->value = value_text(pass, p->value);
        library_add_template(pass, impl, part->value, p->value->span, STYLE_IN_PART);
    }
    return part->value.ptr;
}

/* ## The body */

static void read_parts(struct pass *pass, struct impl *impl, const struct value *map) {
    if (map->kind != VALUE_MAP) {
        library_wrong_value(pass, map, "multipart", "a map from the names of parts");
        return;
    }
    if (!map->count)
        FIND(pass->findings, D_WRONG_VALUE, pass->source, map->span, TEXT("multipart"),
             TEXT("a map from the names of parts"), TEXT("an empty one"));
    gramc_part *parts = arena_array(pass->arena, map->count, sizeof *parts);
    impl->public.parts = parts;
    for (const struct property *p = map->as.entries; p && parts; p = p->next)
        if (read_part(pass, impl, &parts[impl->public.part_count], p)) impl->public.part_count++;
}

static void check_content_type(struct pass *pass, const struct impl *impl) {
    const struct property *p = property_find(impl->pattern->subject, "contentType");
    gramc_text type = impl->public.content_type;
    if (!p || text_is_nocase(type, "multipart/form-data")) return;
    FIND(pass->findings, D_CONTRADICTION, pass->source, p->value->span,
         TEXT("a body with `multipart` is multipart/form-data"), TEXT("leave `contentType` out"));
}

/* Two of `body`, `bodyFile` and `multipart`. */
static void one_body_only(struct pass *pass, const struct impl *impl) {
    static const char *const names[] = {"body", "bodyFile", "multipart"};
    const struct property *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct property *p = property_find(impl->pattern->subject, names[i]);
        if (p && found) {
            struct finding *f =
                FIND(pass->findings, D_CONTRADICTION, pass->source, name_span(p->key),
                     TEXT("a call has one body"), TEXT("leave one of them out"));
            finding_label(pass->findings, f, pass->source, name_span(found->key), "the other one");
        }
        if (p) found = p;
    }
}

void library_body(struct pass *pass, struct impl *impl, const struct value *file,
                  const struct value *multipart) {
    one_body_only(pass, impl);
    if (multipart) {
        read_parts(pass, impl, multipart);
        check_content_type(pass, impl);
    }
    if (!file) return;
    if (!value_is_name(file)) {
        library_wrong_value(pass, file, "bodyFile", "a text");
        return;
    }
    impl->public.body_file = value_text(pass, file);
    library_add_template(pass, impl, impl->public.body_file, file->span, STYLE_IN_OTHER);
}
