/* Turns two signatures of one tool into changes: parameters that came, went or changed, and the
 * result. Whether a type became narrower or wider is gramc_schema_compare's answer, both ways. */
#include "compiler/diff/cause.h"

#include "base/text.h"

enum { LONGEST_EXAMPLE = 160 };

static const struct diff_place nowhere = {NULL, {0, 0}};
static const gramc_text nothing = {NULL, 0};

struct signatures {
    struct gramc_diff *diff;
    const struct tool *before, *after;
};

static struct diff_place field_place(const struct tool *tool, const struct field *field) {
    return (struct diff_place){tool->source, field->span};
}

static const struct field *find(const struct tool *tool, gramc_text name) {
    for (const struct field *f = tool->signature->parameters; f; f = f->next)
        if (text_eq(f->name, name)) return f;
    return NULL;
}

static struct built_schema build(struct gramc_diff *diff, const struct schema *schema,
                                 unsigned style) {
    return schema_build(&diff->arena, schema, style);
}

static gramc_text print(struct gramc_diff *diff, const struct schema *schema, unsigned style) {
    return build(diff, schema, style).text;
}

/* ## Types */

/* How a type changed: which sentences there are for it. */
struct diff_vocabulary {
    enum change_id narrowed, widened, retyped, maybe_narrowed, maybe_widened;
    const char *refused, *allowed; /* about an example */
};

static const struct diff_vocabulary of_parameters = {CHANGE_PARAMETER_NARROWED,
                                                     CHANGE_PARAMETER_WIDENED,
                                                     CHANGE_PARAMETER_RETYPED,
                                                     CHANGE_PARAMETER_MAYBE_NARROWED,
                                                     CHANGE_PARAMETER_MAYBE_WIDENED,
                                                     " was accepted and is not any more",
                                                     " is accepted now and was not before"};

/* Nothing else is accepted, but what was filled in may be missing. */
static const struct diff_vocabulary of_what_is_sent = {
    CHANGE_PARAMETER_FILLS_LESS,         CHANGE_PARAMETER_FILLS_LESS, CHANGE_PARAMETER_FILLS_LESS,
    CHANGE_PARAMETER_FILLS_LESS,         CHANGE_PARAMETER_FILLS_LESS, "",
    " can come now and could not before"};

static const struct diff_vocabulary of_results = {CHANGE_RESULT_NARROWED,
                                                  CHANGE_RESULT_WIDENED,
                                                  CHANGE_RESULT_RETYPED,
                                                  CHANGE_RESULT_MAYBE_NARROWED,
                                                  CHANGE_RESULT_MAYBE_WIDENED,
                                                  " was allowed and is not any more",
                                                  " is allowed now and was not before"};

struct change_of_type {
    const struct signatures *s;
    const struct diff_vocabulary *words;
    struct diff_place before, after;
    gramc_text parameter; /* empty: the result */
    struct diff_typed was, is;
    struct change_of_values values;
    bool explained; /* by what it names */
};

/* What is accepted now and was not before does not reach implementers if it is filled in. */
static struct difference *add(const struct change_of_type *c, enum change_id id) {
    const gramc_diff_kind *kind = diff_kind(id);
    bool is_met = !c->parameter.len || c->values.shift.sent_more;
    struct difference *d = diff_add_judged(
        c->s->diff, id, kind->caller, is_met ? kind->implementer : GRAMC_IMPACT_NONE, c->before,
        c->after, c->s->after->public.name, c->parameter, nothing);
    for (int i = 0; d && i < 2; i++) d->evidence[i] = c->values.schemas[i];
    return d;
}

/* {"age":-1} for a parameter, the value alone for a result; its beginning if it is long. */
static void put_value(struct buf *out, const struct change_of_type *c, gramc_text value) {
    if (c->parameter.len) {
        buf_putc(out, '{');
        json_put_string(out, c->parameter);
        buf_putc(out, ':');
    }
    size_t end = 0;
    while (end < value.len && end < LONGEST_EXAMPLE) text_decode(value, &end);
    buf_text(out, text_slice(value, 0, end));
    if (end < value.len) buf_puts(out, "...");
    if (c->parameter.len) buf_putc(out, '}');
}

static void set_example(const struct change_of_type *c, struct difference *difference,
                        gramc_text refused, gramc_text allowed) {
    struct buf text;
    buf_init(&text, &c->s->diff->arena.allocator, 1 << 16);
    if (refused.len) put_value(&text, c, refused);
    if (refused.len) buf_puts(&text, c->words->refused);
    if (refused.len && allowed.len) buf_puts(&text, "; ");
    if (allowed.len) put_value(&text, c, allowed);
    if (allowed.len) buf_puts(&text, c->words->allowed);
    if (text.state == BUF_NOMEM) c->s->diff->arena.oom = true;
    else if (difference) difference->example = arena_text(&c->s->diff->arena, buf_view(&text));
    buf_free(&text);
}

static void report_undecided(const struct change_of_type *c, enum change_id id, gramc_text reason) {
    diff_help(c->s->diff, add(c, id), "not decided: {0}", reason);
}

static struct diff_use use_of(const struct change_of_type *c) {
    const gramc_text names[3] = {c->parameter, c->s->after->public.name, nothing};
    bool is_parameter = c->parameter.len > 0;
    return (struct diff_use){
        .text = diff_fill(c->s->diff,
                          is_parameter ? "parameter `{0}` of tool `{1}`" : "result of tool `{1}`",
                          names),
        .at = c->after,
        .position = is_parameter ? DIFF_PARAMETER : DIFF_RESULT,
    };
}

/* True if it is the change of something that is named here, and reported there. */
static bool is_explained(const struct change_of_type *c) {
    struct diff_use use = use_of(c);
    use.shift = c->values.shift;
    return cause_explains(c->s->diff, &use, &c->was, &c->is);
}

/* True if it was reported that less is filled in, inside of a parameter. */
static bool report_sent(const struct change_of_type *c) {
    struct change_of_type sent = *c;
    if (!c->parameter.len || !c->values.shift.sent_more) return false;
    sent.words = &of_what_is_sent;
    if (c->values.answers[WAS_SENT] == GRAMC_COMPARE_UNKNOWN)
        report_undecided(&sent, CHANGE_PARAMETER_FILLS_LESS, c->values.reasons[WAS_SENT]);
    else
        set_example(&sent, add(&sent, CHANGE_PARAMETER_FILLS_LESS), nothing,
                    c->values.examples[WAS_SENT]);
    return true;
}

/* True if anything was reported. */
static bool report_type(const struct change_of_type *c) {
    gramc_comparison_answer forth = c->values.answers[IS_STILL],
                            back = c->values.answers[WAS_BEFORE];
    gramc_text refused = c->values.examples[IS_STILL], allowed = c->values.examples[WAS_BEFORE];
    if (forth == GRAMC_COMPARE_NO && back == GRAMC_COMPARE_NO) {
        set_example(c, add(c, c->words->retyped), refused, allowed);
        return true;
    }
    if (forth == GRAMC_COMPARE_NO) set_example(c, add(c, c->words->narrowed), refused, nothing);
    if (forth == GRAMC_COMPARE_UNKNOWN)
        report_undecided(c, c->words->maybe_narrowed, c->values.reasons[IS_STILL]);
    if (back == GRAMC_COMPARE_NO) set_example(c, add(c, c->words->widened), nothing, allowed);
    if (back == GRAMC_COMPARE_UNKNOWN)
        report_undecided(c, c->words->maybe_widened, c->values.reasons[WAS_BEFORE]);
    if (back == GRAMC_COMPARE_YES && report_sent(c)) return true;
    return forth != GRAMC_COMPARE_YES || back != GRAMC_COMPARE_YES;
}

static bool compare_types(struct change_of_type *c) {
    compare_values(c->s->diff, c->was.schema, c->is.schema, &c->values);
    if (c->s->diff->arena.oom || c->values.is_same) return false;
    c->explained = is_explained(c);
    return c->explained || report_type(c);
}

/* The same but for the description at the top? */
static bool is_same_but_described(const struct json *a, const struct json *b) {
    if (!a || !b) return false;
    const struct json *x = a->first, *y = b->first;
    for (;; x = x->next, y = y->next) {
        if (x && text_is(x->key, "description")) x = x->next;
        if (y && text_is(y->key, "description")) y = y->next;
        if (!x || !y) return !x && !y;
        if (!text_eq(x->key, y->key) || !diff_same_schema(x, y)) return false;
    }
}

/* ## Parameters */

/* At the place of the word, if presence and default are those of a word that is reused. */
static void add_property(const struct change_of_type *c, enum change_id id, gramc_text value) {
    struct diff_place places[2];
    struct gramc_diff *diff = c->s->diff;
    if (cause_of_property(diff, &c->was, &c->is, places)) {
        const struct diff_use use = use_of(c);
        cause_add_property(diff, id, places, &use, c->s->after->public.name, c->parameter, value);
        return;
    }
    diff_add(diff, id, c->before, c->after, c->s->after->public.name, c->parameter, value);
}

/* The default that is filled in: null is none. */
static gramc_text filled_in(const struct field *field) {
    gramc_text value = field->fallback ? field->fallback->text : nothing;
    return text_is(value, "null") ? nothing : value;
}

static void report_default(const struct change_of_type *c) {
    const struct field *before = c->was.field, *after = c->is.field;
    gramc_text old = filled_in(before), new = filled_in(after);
    enum change_id id = !old.len   ? CHANGE_DEFAULT_ADDED
                        : !new.len ? CHANGE_DEFAULT_REMOVED
                                   : CHANGE_DEFAULT_CHANGED;
    if (text_eq(old, new) || !before->optional || !after->optional) return;
    add_property(c, id,
                 id == CHANGE_DEFAULT_CHANGED ? diff_from_to(c->s->diff, old, new)
                 : old.len                    ? old
                                              : new);
}

static void report_presence(const struct change_of_type *c) {
    const struct field *before = c->was.field, *after = c->is.field;
    enum change_id id = !after->optional       ? CHANGE_PARAMETER_NOW_REQUIRED
                        : filled_in(after).len ? CHANGE_PARAMETER_NOW_DEFAULTED
                                               : CHANGE_PARAMETER_NOW_OPTIONAL;
    if (before->optional == after->optional) return;
    add_property(c, id, filled_in(after));
}

static bool says_itself(const struct schema *schema, enum type_property property) {
    const struct constraint *c = schema->constraints;
    while (c && c->property != property) c = c->next;
    return c != NULL;
}

static void diff_parameter(const struct signatures *s, const struct field *before,
                           const struct field *after) {
    struct diff_place old_at = field_place(s->before, before),
                      new_at = field_place(s->after, after);
    struct change_of_type c = {.s = s,
                               .words = &of_parameters,
                               .before = old_at,
                               .after = new_at,
                               .parameter = after->name,
                               .was = {before->schema, before},
                               .is = {after->schema, after}};
    gramc_text name = s->after->public.name;
    bool reported = compare_types(&c);
    report_presence(&c);
    report_default(&c);
    bool is_elsewhere = c.explained && !says_itself(before->schema, P_DESCRIPTION) &&
                        !says_itself(after->schema, P_DESCRIPTION);
    if (!is_elsewhere && !text_eq(schema_get(before->schema, P_DESCRIPTION),
                                  schema_get(after->schema, P_DESCRIPTION)))
        diff_add(s->diff, CHANGE_PARAMETER_DESCRIPTION, old_at, new_at, name, after->name, nothing);
    const struct built_schema old = build(s->diff, before->schema, SCHEMA_PRINTED),
                              new = build(s->diff, after->schema, SCHEMA_PRINTED);
    if (!reported && !s->diff->arena.oom && !text_eq(old.text, new.text) &&
        !diff_same_schema(old.document, new.document) &&
        !is_same_but_described(old.document, new.document))
        diff_add(s->diff, CHANGE_PARAMETER_RESTATED, old_at, new_at, name, after->name, nothing);
}

/* A new parameter of the same type may be the old one under another name. */
static void hint_rename(const struct signatures *s, struct difference *difference,
                        const struct field *gone) {
    gramc_text type = print(s->diff, gone->schema, SCHEMA_CHECKED);
    for (const struct field *f = s->after->signature->parameters; f; f = f->next) {
        if (find(s->before, f->name)) continue;
        if (!text_eq(print(s->diff, f->schema, SCHEMA_CHECKED), type)) continue;
        diff_help(s->diff, difference, "was it renamed to `{0}`?", f->name);
        return;
    }
}

/* Any argument that no parameter names is taken as it is. */
static bool is_open(const struct tool *tool) {
    return tool->signature->arguments.open == SAID_TRUE && !tool->signature->arguments.raw;
}

/* An open tool still takes it, and as anything. */
static void diff_removed_parameter(const struct signatures *s, const struct field *field) {
    enum change_id id = !field->optional       ? CHANGE_PARAMETER_REMOVED_REQUIRED
                        : filled_in(field).len ? CHANGE_PARAMETER_REMOVED_DEFAULT
                                               : CHANGE_PARAMETER_REMOVED_OPTIONAL;
    const gramc_diff_kind *kind = diff_kind(id);
    bool still_taken = is_open(s->after);
    struct difference *d = diff_add_judged(
        s->diff, id, still_taken ? GRAMC_IMPACT_ADDITIVE : kind->caller,
        still_taken ? GRAMC_IMPACT_BREAKING : kind->implementer, field_place(s->before, field),
        diff_tool_place(s->after), s->after->public.name, field->name, nothing);
    hint_rename(s, d, field);
    if (still_taken && d && !d->help.len)
        diff_help(s->diff, d, "the tool is open: an argument `{0}` is still accepted, of any type",
                  field->name);
}

static void diff_removed(const struct signatures *s) {
    for (const struct field *f = s->before->signature->parameters; f; f = f->next)
        if (!find(s->after, f->name)) diff_removed_parameter(s, f);
}

/* An open tool took an argument of that name before, of any type: does each still fit? A null does,
 * where an argument may be absent. */
static bool is_any_fit(const struct signatures *s, const struct field *field, gramc_text *refused) {
    const gramc_text any =
        TEXT("{\"type\":[\"string\",\"number\",\"boolean\",\"object\",\"array\"]}");
    gramc_compare_options options = GRAMC_COMPARE_OPTIONS_INIT;
    struct arena *arena = &s->diff->arena;
    gramc_comparison *c;
    options.allocator = &arena->allocator;
    gramc_status status =
        gramc_schema_compare(&c, any, build(s->diff, field->schema, SCHEMA_CHECKED).text, &options);
    if (status == GRAMC_NOMEM) arena->oom = true;
    bool fits = c && c->answer == GRAMC_COMPARE_YES;
    if (c) *refused = arena_text(arena, c->counterexample);
    gramc_comparison_free(c);
    return fits;
}

static void diff_added(const struct signatures *s, const struct field *field) {
    const struct change_of_type c = {.s = s, .words = &of_parameters, .parameter = field->name};
    bool was_closed = signature_is_closed(s->before->signature);
    gramc_text refused = nothing;
    enum change_id id = !field->optional ? CHANGE_PARAMETER_ADDED_REQUIRED
                        : was_closed || is_any_fit(s, field, &refused)
                            ? CHANGE_PARAMETER_ADDED_OPTIONAL
                            : CHANGE_PARAMETER_NAMED;
    struct difference *d = diff_add(s->diff, id, nowhere, field_place(s->after, field),
                                    s->after->public.name, field->name, nothing);
    if (refused.len && is_open(s->before)) set_example(&c, d, refused, nothing);
}

static void diff_order(const struct signatures *s) {
    const struct field *expected = s->before->signature->parameters;
    for (const struct field *f = s->after->signature->parameters; f; f = f->next) {
        if (!find(s->before, f->name)) continue;
        while (expected && !find(s->after, expected->name)) expected = expected->next;
        if (expected && !text_eq(expected->name, f->name)) {
            diff_add(s->diff, CHANGE_PARAMETERS_REORDERED, field_place(s->before, expected),
                     field_place(s->after, f), s->after->public.name, f->name, nothing);
            return;
        }
        if (expected) expected = expected->next;
    }
}

/* What is said about the arguments as a whole, and not about one of them. */
static struct schema whole_of(const struct signature *signature) {
    struct schema whole = signature->arguments;
    whole.fields = NULL;
    whole.has_fields = false;
    whole.open = UNSAID;
    return whole;
}

/* Which calls are accepted besides what is said about each parameter. */
static struct diff_shift shift_of_arguments(const struct signatures *s) {
    const struct signature *old = s->before->signature, *new = s->after->signature;
    bool was_closed = signature_is_closed(old), is_closed = signature_is_closed(new);
    struct schema before = whole_of(old), after = whole_of(new);
    struct change_of_values values;
    compare_values(s->diff, &before, &after, &values);
    struct diff_shift shift = values.shift;
    shift.narrowed = shift.narrowed || (!was_closed && is_closed);
    shift.widened = shift.widened || (was_closed && !is_closed);
    shift.sent_more = shift.widened;
    return shift;
}

static void diff_arguments(const struct signatures *s) {
    const struct signature *old = s->before->signature, *new = s->after->signature;
    const struct diff_place was = diff_tool_place(s->before), is = diff_tool_place(s->after);
    const struct schema before = whole_of(old), after = whole_of(new);
    gramc_text name = s->after->public.name;
    bool changed =
        signature_is_closed(old) != signature_is_closed(new) ||
        !text_eq(print(s->diff, &before, SCHEMA_CHECKED), print(s->diff, &after, SCHEMA_CHECKED));
    if (!changed && old->arguments.open == new->arguments.open) return;
    if (!changed) {
        diff_add(s->diff, CHANGE_ARGUMENTS_RESTATED, was, is, name, nothing, nothing);
        return;
    }
    struct diff_impacts impacts = diff_impacts_of(shift_of_arguments(s), DIFF_PARAMETER);
    diff_add_judged(s->diff, CHANGE_ARGUMENTS_CHANGED, impacts.caller, impacts.implementer, was, is,
                    name, nothing, nothing);
}

/* ## The whole */

static void diff_result(const struct signatures *s) {
    const struct schema *before = s->before->signature->result,
                        *after = s->after->signature->result;
    struct change_of_type c = {.s = s,
                               .words = &of_results,
                               .before = {s->before->source, before->span},
                               .after = {s->after->source, after->span},
                               .was = {before, NULL},
                               .is = {after, NULL}};
    if (compare_types(&c) || s->diff->arena.oom) return;
    const struct built_schema old = build(s->diff, before, SCHEMA_PRINTED),
                              new = build(s->diff, after, SCHEMA_PRINTED);
    if (!text_eq(old.text, new.text) && !diff_same_schema(old.document, new.document))
        add(&c, CHANGE_RESULT_RESTATED);
}

void diff_signature(struct gramc_diff *diff, const struct tool *before, const struct tool *after) {
    const struct signatures s = {diff, before, after};
    for (const struct field *f = after->signature->parameters; f; f = f->next) {
        const struct field *old = find(before, f->name);
        if (old) diff_parameter(&s, old, f);
        else diff_added(&s, f);
    }
    diff_removed(&s);
    diff_order(&s);
    diff_arguments(&s);
    diff_result(&s);
}
