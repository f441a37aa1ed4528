/* Turns what the parser has recognised into patterns: documents, brackets, nodes, paths,
 * annotations, subjects. Values are build_value.c's. Sets every field itself, because a cleared
 * struct would be written twice. */
#include "grammar/build.h"

#include "grammar/build_private.h"

bool build_init(struct build *build, struct arena *arena, struct arena *nodes,
                const struct source *source) {
    *build = (struct build){.arena = arena, .nodes = nodes, .text = source->text.ptr};
    build->tree = ARENA_NEW(arena, struct tree);
    if (build->tree) build->tree->source = source;
    return build->tree != NULL;
}

void build_comment(struct build *build, struct token token) {
    struct comment *comment = arena_piece(build->arena, sizeof *comment);
    if (!comment) return;
    *comment = (struct comment){.span = {token.start, token.end}};
    if (build->last_comment) build->last_comment->next = comment;
    else build->tree->comments = comment;
    build->last_comment = comment;
}

static struct pattern *pattern_new(struct build *build, enum pattern_kind kind, uint32_t start,
                                   uint32_t end, struct subject *subject) {
    struct pattern *pattern = build_alloc(build, sizeof *pattern);
    if (!pattern) return NULL;
    *pattern = (struct pattern){.subject = subject, .span = {start, end}, .kind = (uint8_t)kind};
    return pattern;
}

static struct pattern *header(struct build *build, const struct record *record) {
    struct subject *subject = build_subject(build, NULL, NULL, record);
    return pattern_new(build, PATTERN_HEADER, record->span.start, record->span.end, subject);
}

void build_document(struct build *build, const struct record *record,
                    const struct pattern_list *tops) {
    struct tree *tree = build->tree;
    struct pattern *first = record ? header(build, record) : NULL;
    if (first) first->next = tops->first;
    tree->patterns = first ? first : tops->first;
    tree->pattern_count = tops->count + (first ? 1 : 0);
    tree->has_header = first != NULL;
}

static void adopt(struct pattern *parent, const struct pattern_list *elements) {
    if (!parent || !elements) return;
    parent->elements = elements->first;
    parent->element_count = elements->count;
}

struct pattern *build_bracket(struct build *build, struct token open, struct subject *subject,
                              const struct pattern_list *elements, struct token close) {
    struct pattern *bracket = pattern_new(build, PATTERN_BRACKET, open.start, close.end, subject);
    adopt(bracket, elements);
    return bracket;
}

struct pattern *build_node(struct build *build, struct token open, struct subject *subject,
                           struct token close) {
    return pattern_new(build, PATTERN_NODE, open.start, close.end, subject);
}

struct pattern *build_reference(struct build *build, struct token identifier) {
    struct subject *subject = build_subject(build, &identifier, NULL, NULL);
    return pattern_new(build, PATTERN_REFERENCE, identifier.start, identifier.end, subject);
}

static enum arrow_family family_of(uint16_t code) {
    switch (code) {
    case TK_EQUALS:
    case TK_EQUALS_LEFT: return ARROW_DOUBLE;
    case TK_TILDE:
    case TK_TILDE_LEFT: return ARROW_SQUIGGLE;
    default: return ARROW_SINGLE;
    }
}

struct pattern *build_arrow(struct build *build, struct token left, struct subject *subject,
                            struct token right) {
    struct pattern *arrow = pattern_new(build, PATTERN_ARROW, left.start, right.end, subject);
    if (!arrow) return NULL;
    /* The half with a head is the longer one. */
    bool points_left = left.end - left.start == 2, points_right = right.end - right.start == 2;
    arrow->family = (uint8_t)family_of(left.code);
    arrow->direction = (uint8_t)(points_left && points_right ? ARROW_BOTH
                                 : points_left               ? ARROW_LEFT
                                 : points_right              ? ARROW_RIGHT
                                                             : ARROW_UNDIRECTED);
    return arrow;
}

struct pattern *build_path(struct build *build, const struct pattern_list *path) {
    if (path->count < 2) return path->first;
    struct pattern *whole =
        pattern_new(build, PATTERN_PATH, path->first->span.start, path->last->span.end, NULL);
    adopt(whole, path);
    return whole;
}

static struct annotations annotations_new(struct build *build, uint32_t start,
                                          struct subject *subject) {
    struct pattern *pattern = NULL;
    if (subject) pattern = pattern_new(build, PATTERN_ANNOTATED, start, start, subject);
    return (struct annotations){pattern, NULL};
}

struct annotations build_annotations(struct build *build, struct token open,
                                     const struct token *identifier,
                                     const struct label_list *labels) {
    return annotations_new(build, open.start, build_subject(build, identifier, labels, NULL));
}

struct property *build_annotation_property(struct build *build, struct token open, struct token key,
                                           struct value *value, struct token close) {
    struct annotation *annotation = value ? build_alloc(build, sizeof *annotation) : NULL;
    if (!annotation) return NULL;
    annotation->property = (struct property){.key = build_name(build, key, false), .value = value};
    annotation->span = (struct span){open.start, close.end};
    value->annotates = true;
    return &annotation->property;
}

struct annotations build_property_annotation(struct build *build, struct property *property) {
    if (!property) return (struct annotations){NULL, NULL};
    struct annotations annotations = annotations_new(build, property_span(property).start,
                                                     build_subject(build, NULL, NULL, NULL));
    build_annotate(&annotations, property);
    return annotations;
}

void build_annotate(struct annotations *annotations, struct property *property) {
    if (!annotations->pattern || !property) return;
    if (annotations->last) annotations->last->next = property;
    else annotations->pattern->subject->properties = property;
    annotations->last = property;
}

struct pattern *build_annotated(struct annotations annotations, struct pattern *element) {
    struct pattern *pattern = annotations.pattern;
    if (!pattern || !element) return NULL;
    pattern->elements = element;
    pattern->element_count = 1;
    pattern->span.end = element->span.end;
    return pattern;
}

struct subject *build_subject(struct build *build, const struct token *identifier,
                              const struct label_list *labels, const struct record *record) {
    struct subject *subject = build_alloc(build, sizeof *subject);
    if (!subject) return NULL;
    *subject = (struct subject){.labels = labels ? labels->first : NULL,
                                .properties = record ? record->first : NULL};
    if (identifier) subject->identifier = build_name(build, *identifier, false);
    if (record) subject->record = record->span;
    return subject;
}

struct label *build_label(struct build *build, struct token name, uint8_t colons) {
    struct label *label = build_alloc(build, sizeof *label);
    if (!label) return NULL;
    label->next = NULL;
    label->name = build_name(build, name, colons == 2);
    return label;
}
