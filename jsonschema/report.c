/* Turns a failed rule into a violation: two pointers, a position, and a sentence that says what was
 * expected, what came, and what to pass instead. Sentences are made only when somebody listens.
 * words.c has the words for values, types and places. */
#include "jsonschema/evaluate.h"

#include <string.h>

#include "base/text.h"
#include "jsonschema/advice.h"
#include "jsonschema/discriminate.h"
#include "jsonschema/formats.h"
#include "jsonschema/uri.h"
#include "jsonschema/words.h"

enum { LONGEST_SENTENCE = 4096, LONGEST_POINTER = 64 * 1024, MOST_LISTED = 12 };
enum { USUAL_SENTENCE = 500 };                /* and its pointers */
enum { LONGEST_LIST = 2000, MOST_NEAR = 64 }; /* of the values that name an alternative */

/* How far off a value is, for choosing among alternatives: one that has another type or another
 * constant was probably never meant. */
enum { WEIGHT_SLIGHT = 1, WEIGHT_USUAL = 4, WEIGHT_MEMBER = 6, WEIGHT_OTHER = 40 };

/* What a violation is made of, one behind the other, each with a NUL behind it. */
enum piece {
    PIECE_MESSAGE,
    PIECE_INSTANCE,
    PIECE_PATH,
    PIECE_ABSOLUTE,
    PIECE_SCHEMA, /* empty where it is the end of the one before */
    PIECES
};

/* A violation on its way: `out` collects its sentence. */
struct sentence {
    struct evaluation *evaluation;
    const struct evaluation_frame *at;
    const char *keyword;
    bool is_end; /* the schema's own pointer is the end of the URI */
    struct buf out;
};

void report_weigh(struct report *report, unsigned weight) {
    bool too_much = weight > UINT32_MAX - report->weight;
    report->total++;
    report->weight = too_much ? UINT32_MAX : report->weight + weight;
}

/* False when nobody listens, or enough was said: then only counts. */
static bool begin(struct sentence *s, struct evaluation *evaluation,
                  const struct evaluation_frame *at, const char *keyword, unsigned weight) {
    struct report *report = evaluation->report;
    if (!report) return false;
    report_weigh(report, weight);
    if (report->kept >= report->max) return false;
    s->evaluation = evaluation;
    s->at = at;
    s->keyword = keyword;
    s->is_end = false;
    buf_init_arena(&s->out, evaluation->arena, LONGEST_SENTENCE);
    buf_reserve(&s->out, USUAL_SENTENCE);
    words_put_place(&s->out, at);
    buf_puts(&s->out, ": ");
    return true;
}

/* What was written is over: its end. What comes next has its own greatest length. */
static size_t end_piece(struct sentence *s, size_t next_longest) {
    size_t end = s->out.len;
    if (s->out.state == BUF_TOO_BIG) s->out.state = BUF_FINE; /* it was cut */
    s->out.max = end + 1 + next_longest;
    buf_putc(&s->out, '\0');
    return end;
}

/* Where no reference leads elsewhere, the URI ends as the way through the schema does. */
static void put_absolute(struct sentence *s, size_t path, size_t len) {
    struct buf *out = &s->out;
    gramc_text uri = words_written_node(s->at)->resource->uri;
    if (!words_is_direct(s->at)) {
        words_put_absolute(out, s->at, s->keyword);
    } else if (buf_reserve(out, uri.len + 1 + len)) { /* the bytes stay where they are */
        buf_text(out, uri);
        buf_putc(out, '#');
        buf_put(out, out->ptr + path, len);
    }
}

static void put_pointers(struct sentence *s, size_t ends[PIECES]) {
    ends[PIECE_MESSAGE] = end_piece(s, LONGEST_POINTER);
    words_put_instance(&s->out, s->at, NULL);
    ends[PIECE_INSTANCE] = end_piece(s, LONGEST_POINTER);
    words_put_path(&s->out, s->at, s->keyword);
    ends[PIECE_PATH] = end_piece(s, LONGEST_POINTER);
    size_t start = s->out.len, path = ends[PIECE_INSTANCE] + 1;
    put_absolute(s, path, ends[PIECE_PATH] - path);
    if (uri_encode_fragment(&s->out, start + words_written_node(s->at)->resource->uri.len + 1))
        s->is_end = false;
    ends[PIECE_ABSOLUTE] = end_piece(s, LONGEST_POINTER);
    if (!s->is_end) words_put_schema(&s->out, s->at, s->keyword);
    ends[PIECE_SCHEMA] = end_piece(s, 0);
}

static void put_no_pointers(struct sentence *s, size_t ends[PIECES]) {
    for (size_t i = 0; i < PIECES; i++) ends[i] = end_piece(s, LONGEST_POINTER);
}

static void fill(struct violation *violation, const struct sentence *s, gramc_text all,
                 const size_t ends[PIECES]) {
    gramc_text pieces[PIECES];
    for (size_t i = 0, start = 0; i < PIECES; start = ends[i++] + 1)
        pieces[i] = text_slice(all, start, ends[i]);
    gramc_text absolute = pieces[PIECE_ABSOLUTE];
    size_t hash = words_written_node(s->at)->resource->uri.len;
    violation->next = NULL;
    violation->shown.instance = pieces[PIECE_INSTANCE];
    violation->shown.schema =
        s->is_end ? text_slice(absolute, hash + 1, absolute.len) : pieces[PIECE_SCHEMA];
    violation->shown.keyword = text_of(s->keyword);
    violation->shown.position = s->at->value->start;
    violation->shown.message = pieces[PIECE_MESSAGE];
    violation->path = pieces[PIECE_PATH];
    violation->absolute = absolute;
}

static void finish(struct sentence *s) {
    struct evaluation *evaluation = s->evaluation;
    struct report *report = evaluation->report;
    size_t ends[PIECES];
    s->is_end = !report->brief && words_is_end_of_absolute(s->at, s->keyword);
    (report->brief ? put_no_pointers : put_pointers)(s, ends);
    gramc_text all = buf_to_arena_cut(&s->out, evaluation->arena);
    struct violation *violation = arena_piece(evaluation->arena, sizeof *violation);
    if (!all.ptr || !violation) {
        evaluation_stop(evaluation, GRAMC_NOMEM);
        return;
    }
    fill(violation, s, all, ends);
    *report->link = violation;
    report->link = &violation->next;
    report->kept++;
}

static void put_got(struct sentence *s) {
    bool shown = !words_is_secret(s->at->node) || s->at->value->kind == JSON_NULL;
    buf_puts(&s->out, shown ? ", got " : ", got a secret that is not shown");
    if (shown) words_put_value(&s->out, s->at->value);
}

/* ## Types and values */

static void put_advice(struct buf *out, const struct schema_node *node, const struct json *value) {
    buf_puts(out, "; pass ");
    words_put_example(out, node, value);
}

void report_type(struct evaluation *evaluation, const struct evaluation_frame *at) {
    struct sentence s;
    if (!begin(&s, evaluation, at, "type",
               at->up && at->up->value != at->value ? WEIGHT_MEMBER : WEIGHT_OTHER))
        return;
    buf_puts(&s.out, "expected ");
    put_types(&s.out, at->node->types);
    put_got(&s);
    if (!advice_put_held(&s.out, evaluation, at, at->node->types))
        put_advice(&s.out, at->node, at->value);
    finish(&s);
}

static gramc_text nearest_choice(const struct json *choices, const struct json *value) {
    gramc_text names[MOST_LISTED], none = {NULL, 0};
    size_t count = 0;
    if (value->kind != JSON_STRING) return none;
    for (const struct json *choice = choices->first; choice && count < MOST_LISTED;
         choice = choice->next)
        if (choice->kind == JSON_STRING) names[count++] = choice->text;
    return count ? text_nearest(value->text, names, count) : none;
}

static void put_nearest(struct buf *out, gramc_text near) {
    if (!near.ptr) return;
    buf_puts(out, "; did you mean ");
    words_put_quoted(out, near);
    buf_puts(out, "?");
}

void report_choice(struct evaluation *evaluation, const struct evaluation_frame *at,
                   const char *keyword) {
    struct sentence s;
    bool constant = node_constant(at->node) && keyword[0] == 'c';
    if (!begin(&s, evaluation, at, keyword, WEIGHT_OTHER)) return;
    buf_puts(&s.out, "expected ");
    if (constant) words_put_short(&s.out, node_constant(at->node));
    else words_put_choices(&s.out, node_choices(at->node), MOST_LISTED);
    put_got(&s);
    gramc_text near =
        constant ? (gramc_text){NULL, 0} : nearest_choice(node_choices(at->node), at->value);
    if (!advice_put_held(&s.out, evaluation, at, at->node->kinds)) put_nearest(&s.out, near);
    finish(&s);
}

void report_number(struct evaluation *evaluation, const struct evaluation_frame *at,
                   const char *keyword, const char *expected, gramc_text limit) {
    struct sentence s;
    if (!begin(&s, evaluation, at, keyword, WEIGHT_USUAL)) return;
    buf_puts(&s.out, "expected ");
    buf_puts(&s.out, expected);
    buf_putc(&s.out, ' ');
    buf_text(&s.out, text_slice(limit, 0, limit.len > 60 ? 60 : limit.len));
    buf_puts(&s.out, ", got ");
    words_put_short(&s.out, at->value);
    finish(&s);
}

void report_size(struct evaluation *evaluation, const struct evaluation_frame *at,
                 const char *keyword, uint32_t limit, size_t got) {
    static const char *const units[][2] = {
        {"character", "Length"}, {"item", "Items"}, {"member", "Properties"}};
    struct sentence s;
    size_t unit = 0;
    if (!begin(&s, evaluation, at, keyword, WEIGHT_USUAL)) return;
    while (strcmp(keyword + 3, units[unit][1]) != 0) unit++;
    buf_puts(&s.out, keyword[1] == 'i' ? "expected at least " : "expected at most ");
    buf_number(&s.out, limit);
    buf_putc(&s.out, ' ');
    buf_puts(&s.out, units[unit][0]);
    buf_puts(&s.out, text_plural(limit));
    buf_puts(&s.out, ", got ");
    if (got) buf_number(&s.out, got);
    else buf_puts(&s.out, "none");
    finish(&s);
}

void report_pattern(struct evaluation *evaluation, const struct evaluation_frame *at) {
    struct sentence s;
    if (!begin(&s, evaluation, at, "pattern", WEIGHT_USUAL)) return;
    buf_puts(&s.out, "expected a string that matches ");
    words_put_cut(&s.out, regex_pattern(at->node->string->pattern), 200);
    put_got(&s);
    finish(&s);
}

void report_format(struct evaluation *evaluation, const struct evaluation_frame *at) {
    struct sentence s;
    if (!begin(&s, evaluation, at, "format", WEIGHT_USUAL)) return;
    buf_printf(&s.out, "expected %s", at->node->string->format->about);
    put_got(&s);
    finish(&s);
}

void report_content(struct evaluation *evaluation, const struct evaluation_frame *at,
                    const char *keyword, const char *expected, const char *why) {
    struct sentence s;
    if (!begin(&s, evaluation, at, keyword, WEIGHT_USUAL)) return;
    buf_printf(&s.out, "expected %s", expected);
    put_got(&s);
    if (why) buf_printf(&s.out, ": %s", why);
    finish(&s);
}

/* ## Arrays and objects */

void report_equal_items(struct evaluation *evaluation, const struct evaluation_frame *at,
                        const uint32_t pair[2]) {
    struct sentence s;
    if (!begin(&s, evaluation, at, "uniqueItems", WEIGHT_USUAL)) return;
    buf_printf(&s.out, "items %u and %u are equal; each may stand here once", (unsigned)pair[0],
               (unsigned)pair[1]);
    finish(&s);
}

void report_contains(struct evaluation *evaluation, const struct evaluation_frame *at,
                     const char *keyword, uint32_t limit, uint32_t got) {
    struct sentence s;
    if (!begin(&s, evaluation, at, keyword, WEIGHT_USUAL)) return;
    const struct schema_node *node = at->node->array->contains;
    buf_printf(&s.out, "expected at %s %u item%s that %s ", keyword[0] == 'c' ? "least" : "most",
               (unsigned)limit, text_plural(limit), limit == 1 ? "is" : "are");
    if (node->kinds == TYPE_BIT_ALL) buf_puts(&s.out, "as \"contains\" says");
    else put_types(&s.out, node->kinds);
    buf_printf(&s.out, ", got %u", (unsigned)got);
    finish(&s);
}

void report_required(struct evaluation *evaluation, const struct evaluation_frame *at,
                     const struct schema_property *property) {
    struct sentence s;
    if (!begin(&s, evaluation, at, "required", WEIGHT_MEMBER)) return;
    buf_reset(&s.out);
    words_put_member(&s.out, at, property->key);
    buf_puts(&s.out, ": missing; it is required");
    if (property->node && (property->node->kinds != TYPE_BIT_ALL || node_choices(property->node))) {
        buf_puts(&s.out, " and must be ");
        words_put_expected(&s.out, property->node, MOST_LISTED);
    }
    finish(&s);
}

void report_dependent(struct evaluation *evaluation, const struct evaluation_frame *at,
                      const struct dependent *dependent, gramc_text missing) {
    struct sentence s;
    if (!begin(&s, evaluation, at, dependent->keyword, WEIGHT_MEMBER)) return;
    buf_reset(&s.out);
    words_put_member(&s.out, at, missing);
    buf_puts(&s.out, ": missing; it is required beside ");
    words_put_cut(&s.out, dependent->key, 100);
    finish(&s);
}

/* Names that this place knows, for a "did you mean". */
static size_t known_names(const struct schema_node *node, gramc_text *names, size_t room) {
    const struct object_rules *rules = node->object;
    size_t count = 0;
    for (size_t i = 0; rules && i < rules->property_count && count < room; i++)
        if (rules->properties[i].node) names[count++] = rules->properties[i].key;
    return count;
}

static void put_known(struct sentence *s, const struct evaluation_frame *object, gramc_text key) {
    gramc_text names[MOST_NEAR];
    size_t count = known_names(object->node, names, MOST_NEAR);
    gramc_text near = count ? text_nearest(key, names, count) : (gramc_text){NULL, 0};
    if (near.ptr) {
        buf_puts(&s->out, "; did you mean ");
        words_put_cut(&s->out, near, 100);
        buf_puts(&s->out, "?");
        return;
    }
    if (count == 0) {
        buf_puts(&s->out, object->node->apply ? "; remove it" : "; no members are allowed here");
        return;
    }
    buf_puts(&s->out, count == 1 ? "; the only one is " : "; the known ones are ");
    for (size_t i = 0; i < count && i < MOST_LISTED; i++) {
        if (i) buf_puts(&s->out, ", ");
        words_put_cut(&s->out, names[i], 100);
    }
    if (count > MOST_LISTED) buf_puts(&s->out, " ...");
}

void report_never(struct evaluation *evaluation, const struct evaluation_frame *at) {
    struct sentence s;
    const char *keyword = at->keyword ? at->keyword : "false schema";
    bool member = at->up && at->up->value->kind == JSON_OBJECT && at->up->value != at->value;
    bool unknown = member && (strcmp(keyword, "additionalProperties") == 0 ||
                              strcmp(keyword, "unevaluatedProperties") == 0);
    if (at->node->flags & NODE_CLOSED) keyword = "additionalProperties";
    /* The keyword is the one that leads here: its place belongs to the frame above. */
    if (!begin(&s, evaluation, at, keyword, WEIGHT_MEMBER)) return;
    if (unknown) {
        buf_puts(&s.out, "not a known member");
        put_known(&s, at->up, at->value->key);
    } else if (at->name) {
        buf_puts(&s.out, "no member names are allowed here");
    } else {
        buf_puts(&s.out, "nothing is allowed here; remove it");
    }
    finish(&s);
}

void report_duplicate(struct evaluation *evaluation, const struct evaluation_frame *at,
                      const struct json *member) {
    struct sentence s;
    struct evaluation_frame inner = frame_child(at, at->node, member, NULL);
    if (!begin(&s, evaluation, &inner, "duplicate", WEIGHT_OTHER)) return;
    buf_puts(&s.out, "given more than once; keep one");
    finish(&s);
}

/* ## Alternatives */

void report_not(struct evaluation *evaluation, const struct evaluation_frame *at) {
    struct sentence s;
    const struct schema_node *no = at->node->apply->no;
    if (!begin(&s, evaluation, at, "not", WEIGHT_USUAL)) return;
    if (no->values || no->kinds != TYPE_BIT_ALL) {
        buf_puts(&s.out, "must not be ");
        words_put_expected(&s.out, no, MOST_LISTED);
    } else {
        buf_puts(&s.out, "must not be as \"not\" says");
    }
    put_got(&s);
    finish(&s);
}

void report_none_fits(struct evaluation *evaluation, const struct evaluation_frame *at,
                      const char *keyword, unsigned kinds) {
    struct sentence s;
    if (!begin(&s, evaluation, at, keyword, WEIGHT_OTHER)) return;
    buf_puts(&s.out, "expected ");
    put_types(&s.out, kinds);
    put_got(&s);
    advice_put_held(&s.out, evaluation, at, kinds);
    finish(&s);
}

static void put_values(struct buf *out, const struct node_list *list, gramc_text name) {
    size_t count = 0, left_out = 0, start = out->len;
    for (size_t i = 0; i < list->count; i++) {
        const struct schema_node *values = discriminate_values(list->nodes[i], name);
        const struct json *value = discriminate_next(values, NULL);
        for (; value; value = discriminate_next(values, value), count++) {
            left_out += out->len - start > LONGEST_LIST;
            if (left_out) continue;
            buf_puts(out, count ? ", " : "one of ");
            words_put_short(out, value);
        }
    }
    if (left_out) buf_printf(out, ", ... (%zu in all)", count);
}

/* Of the first alternatives, those that are texts. */
static gramc_text nearest_value(const struct node_list *list, const struct discriminator *by) {
    gramc_text names[MOST_NEAR], none = {NULL, 0};
    size_t count = 0;
    if (by->member->kind != JSON_STRING) return none;
    for (size_t i = 0; i < list->count; i++) {
        const struct schema_node *values = discriminate_values(list->nodes[i], by->name);
        const struct json *value = discriminate_next(values, NULL);
        for (; value && count < MOST_NEAR; value = discriminate_next(values, value))
            if (value->kind == JSON_STRING) names[count++] = value->text;
    }
    return count ? text_nearest(by->member->text, names, count) : none;
}

void report_unnamed(struct evaluation *evaluation, const struct evaluation_frame *at,
                    const char *keyword, const struct node_list *list,
                    const struct discriminator *by) {
    struct sentence s;
    struct evaluation_frame inner;
    if (by->member) {
        inner = frame_child(at, at->node, by->member, NULL);
        at = &inner;
    }
    if (!begin(&s, evaluation, at, keyword, WEIGHT_OTHER)) return;
    if (by->member) {
        buf_puts(&s.out, "expected ");
        put_values(&s.out, list, by->name);
        put_got(&s);
        put_nearest(&s.out, nearest_value(list, by));
    } else {
        buf_reset(&s.out);
        words_put_member(&s.out, at, by->name);
        buf_puts(&s.out, ": missing; it is required and must be ");
        put_values(&s.out, list, by->name);
    }
    finish(&s);
}

void report_two_fit(struct evaluation *evaluation, const struct evaluation_frame *at, size_t first,
                    size_t second) {
    struct sentence s;
    if (!begin(&s, evaluation, at, "oneOf", WEIGHT_USUAL)) return;
    buf_printf(&s.out,
               "fits alternatives %zu and %zu of \"oneOf\"; it must fit exactly one of them",
               first + 1, second + 1);
    finish(&s);
}

/* ## Not JSON */

void report_not_json(struct evaluation *evaluation, const struct json_error *error) {
    struct sentence s;
    struct json nothing = {.start = (uint32_t)error->position};
    struct evaluation_frame at = {.node = evaluation->schema->root, .value = &nothing};
    if (!begin(&s, evaluation, &at, "json", WEIGHT_OTHER)) return;
    buf_reset(&s.out);
    buf_puts(&s.out, "not JSON at byte ");
    buf_number(&s.out, error->position);
    buf_puts(&s.out, ": ");
    buf_puts(&s.out, error->message);
    finish(&s);
}
