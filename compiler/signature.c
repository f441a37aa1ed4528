/* Turns a curried path, `(name::Text {default: "world"})==>(age::Int)==>(::String)`, into a list of
 * parameters and a result type. What a single node's label and properties mean is schema.c's. */
#include "compiler/signature.h"

#include "base/text.h"
#include "compiler/fixes.h"
#include "compiler/pattern.h"
#include "compiler/raw_schema.h"
#include "compiler/reuse.h"
#include "compiler/spec.h"

/* A node that is written `()`. */
static bool is_unit(const struct pattern *node) {
    return node->subject == NULL;
}

static bool is_last(const struct pattern *node) {
    return node->next == NULL;
}

/* Families do not matter; the direction does, because it says what goes in and what comes out. */
static void check_arrow(struct pass *pass, const struct pattern *path,
                        const struct pattern *arrow) {
    if (arrow->direction != ARROW_RIGHT) {
        struct finding *f = FIND0(pass->findings, D_ARROW_DIRECTION, pass->source, arrow->span);
        finding_help(pass->findings, f, "write `==>`: parameters on the left, the result last");
        if (arrow == path->elements->next) fix_reversed(pass, f, path);
    }
    if (arrow->subject) FIND0(pass->findings, D_ARROW_SUBJECT, pass->source, arrow->span);
}

static bool has_name(struct pass *pass, const struct pattern *node) {
    const struct subject *subject = node->subject;
    struct finding *f;
    if (!subject_has_identifier(subject)) {
        f = FIND0(pass->findings, D_PARAMETER_WITHOUT_NAME, pass->source, node->span);
        if (subject->labels)
            finding_help(pass->findings, f,
                         "write `(name::%.*s)`; only the last node, the result, "
                         "has no name",
                         TEXT_ARGS(name_text(subject->labels->name)));
        return false;
    }
    return true;
}

/* `(personName)`: its meaning stands elsewhere, and is looked up when all has been read. */
static void note_reuse(struct pass *pass, const struct pattern *node, struct field *field) {
    struct gramc_spec *spec = pass->compilation->spec;
    struct reuse *reuse = ARENA_NEW(pass->arena, struct reuse);
    if (!reuse) return;
    *reuse = (struct reuse){.field = field, .source = pass->source};
    reuse->node = pattern_kept(pass, node);
    *spec->last_reuse = reuse;
    spec->last_reuse = &reuse->next;
}

static struct field *read_parameter(struct pass *pass, const struct pattern *path,
                                    const struct pattern *node) {
    if (is_unit(node)) {
        struct finding *f = FIND0(pass->findings, D_MISPLACED_UNIT, pass->source, node->span);
        finding_help(pass->findings, f, "`()` stands alone, in `()==>(::Text)`: leave it out here");
        fix_unit(pass, f, path, node);
        return NULL;
    }
    if (!has_name(pass, node)) return NULL;
    struct field *field = ARENA_NEW(pass->arena, struct field);
    if (!field) return NULL;
    field->identifier = field->name = name_text(node->subject->identifier);
    field->span = name_span(node->subject->identifier);
    if (node->subject->labels) field->schema = schema_of_node(pass, node, field);
    else note_reuse(pass, node, field);
    return field;
}

/* Within one signature a name stands once. */
static void append(struct pass *pass, struct field_list *list, struct field *field) {
    struct field *other = field ? field_list_add(list, field) : NULL;
    if (!other) return;
    struct finding *f =
        FIND(pass->findings, D_DUPLICATE_PARAMETER, pass->source, field->span, field->name);
    finding_label(pass->findings, f, pass->source, other->span, "first declared here");
    finding_help(pass->findings, f, "give one of them another name");
}

/* A name there says nothing; where the result was forgotten, it is that of the last parameter. */
static void check_result_name(struct pass *pass, const struct pattern *node) {
    if (!subject_has_identifier(node->subject)) return;
    struct finding *f = FIND(pass->findings, D_NAMED_RESULT, pass->source, node->span,
                             name_text(node->subject->identifier));
    finding_help(pass->findings, f,
                 "write `(::%.*s)`; if it is a parameter, end with what comes back",
                 TEXT_ARGS(name_text(node->subject->labels->name)));
}

static struct schema *read_result(struct pass *pass, const struct pattern *node) {
    if (!is_unit(node) && node->subject->labels) {
        check_result_name(pass, node);
        return schema_of_node(pass, node, NULL);
    }
    struct finding *f = FIND0(pass->findings, D_MISSING_RESULT, pass->source, node->span);
    finding_help(pass->findings, f,
                 "end with a type, `==>(::Text)`; `(::Null)` if nothing comes "
                 "back");
    return NULL;
}

/* All nodes but the last, which it returns. */
static const struct pattern *read_parameters(struct pass *pass, const struct pattern *path,
                                             struct field_list *list) {
    const struct pattern *node = path->elements;
    bool no_parameters = is_unit(node) && path->element_count == 3;
    for (; !is_last(node); node = node->next) {
        if (node->kind == PATTERN_ARROW) check_arrow(pass, path, node);
        else if (!no_parameters) append(pass, list, read_parameter(pass, path, node));
    }
    return node;
}

/* A name that the result should not have is told later. With one, `(a:Int)-->(b:Int)` may be data:
 * a type of the language behind `==>` says that a result was meant. */
static bool is_result(const struct pattern *path, const struct pattern *node) {
    if (is_unit(node) || !node->subject->labels) return false;
    bool doubled = path->elements->next->family == ARROW_DOUBLE;
    return !subject_has_identifier(node->subject) || (doubled && type_find(pattern_label(node)));
}

/* What is left is data: `(alice:Person)-[:KNOWS]->(bob:Person)`. */
bool signature_is(const struct pattern *pattern) {
    if (pattern->kind != PATTERN_PATH) return false;
    const struct pattern *node = pattern->elements;
    bool no_parameters = is_unit(node) && pattern->element_count == 3;
    for (; !is_last(node); node = node->next) {
        bool arrow = node->kind == PATTERN_ARROW;
        if (arrow && (node->direction != ARROW_RIGHT || node->subject)) return false;
        if (!arrow && !no_parameters && (is_unit(node) || !subject_has_identifier(node->subject)))
            return false;
    }
    return is_result(pattern, node);
}

struct signature *signature_read(struct pass *pass, const struct pattern *pattern) {
    if (pattern->kind != PATTERN_PATH) {
        enum diag_id id = pattern->kind == PATTERN_NODE ? D_MISSING_ARROW : D_NOT_A_SIGNATURE;
        struct finding *f = FIND0(pass->findings, id, pass->source, pattern->span);
        finding_help(pass->findings, f,
                     "a signature reads `(name::Text)==>(::Text)`, or "
                     "`()==>(::Text)` without parameters");
        return NULL;
    }
    struct signature *signature = ARENA_NEW(pass->arena, struct signature);
    if (!signature) return NULL;
    signature->span = pattern->span;
    struct field_list list;
    field_list_init(&list, pass->arena);
    const struct pattern *last = read_parameters(pass, pattern, &list);
    signature->parameters = list.first;
    signature->arguments = (struct schema){
        .kind = TYPE_OBJECT, .has_fields = true, .fields = list.first, .span = pattern->span};
    signature->result = read_result(pass, last);
    return signature->result ? signature : NULL;
}

bool signature_is_closed(const struct signature *signature) {
    static const char *const opening[] = {"patternProperties", "required", "unevaluatedProperties"};
    const struct raw_schema *raw = signature->arguments.raw;
    const struct json *others = raw ? json_get(raw->json, "additionalProperties") : NULL;
    const struct schema *whole = &signature->arguments;
    bool named = whole->values || whole->patterns || schema_find(whole, P_REQUIRED);
    bool open = others ? others->kind != JSON_FALSE : named || whole->open == SAID_TRUE;
    for (size_t i = 0; raw && i < sizeof opening / sizeof *opening; i++)
        open = open || json_get(raw->json, opening[i]);
    return !open;
}

bool signature_says_more(const struct signature *signature) {
    const struct schema *whole = &signature->arguments;
    return whole->raw || whole->constraints || whole->all || whole->values || whole->keys ||
           whole->patterns;
}

void signature_take(struct signature *signature, const struct schema *whole) {
    struct schema *own = &signature->arguments;
    if (whole->span.end) own->span = whole->span;
    own->open = whole->open;
    own->raw = whole->raw;
    own->constraints = whole->constraints;
    own->all = whole->all;
    own->values = whole->values;
    own->keys = whole->keys;
    own->patterns = whole->patterns;
}

void signature_check(struct pass *pass, const struct signature *signature) {
    const struct field *p = signature->parameters;
    while (p && p->schema) p = p->next;
    /* One without a type was reported, and the whole cannot be printed. */
    if (!p) schema_check(pass, &signature->arguments, NULL);
    schema_check(pass, signature->result, NULL);
}

void signature_check_examples(struct pass *pass, const struct signature *signature,
                              const struct constraint *examples) {
    examples_check(pass, &signature->arguments, signature_is_closed(signature), examples);
}
