/* Turns changes of types into findings at the place that they come from: a named type, a word of
 * the vocabulary. Where a type is used and says nothing else than before, the change is that of
 * the types that it names; each is one finding, with all its uses. What came and went is
 * signature.c's and agents.c's. */
#include "compiler/diff/cause.h"

#include "base/text.h"
#include "compiler/definition.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_EXAMPLE = 160, MOST_NAMED = 512 };

/* ## What can be named */

/* A named type, or the parameter whose name others use again. */
struct entity {
    gramc_text name;
    struct diff_place at;
    const struct field *field;
};

/* Plain types are shared: the word tells those apart. */
static gramc_text key_of(struct arena *arena, const struct schema *schema, gramc_text word) {
    char *bytes = arena_array(arena, sizeof schema + word.len, 1);
    if (!bytes) return (gramc_text){NULL, 0};
    memcpy(bytes, &schema, sizeof schema);
    if (word.len) memcpy(bytes + sizeof schema, word.ptr, word.len);
    return (gramc_text){bytes, sizeof schema + word.len};
}

static const struct entity *find_entity(struct gramc_diff *diff, const struct map *map,
                                        const struct schema *schema, gramc_text word) {
    static const gramc_text no_word = {NULL, 0};
    gramc_text key = key_of(&diff->arena, schema, no_word);
    const struct entity *entity = key.ptr ? map_get(map, key) : NULL;
    if (entity || !word.len) return entity;
    key = key_of(&diff->arena, schema, word);
    return key.ptr ? map_get(map, key) : NULL;
}

static void note_entity(struct gramc_diff *diff, struct map *map, const struct field *field,
                        const struct source *source, gramc_text word) {
    gramc_text key = key_of(&diff->arena, field->schema, word);
    struct entity *entity = ARENA_NEW(&diff->arena, struct entity);
    if (!entity || !key.ptr || map_get(map, key)) return;
    *entity = (struct entity){field->identifier, {source, field->span}, field};
    map_put(map, key, entity);
}

/* Written with its name alone. */
static bool is_reuse(const struct field *field) {
    const struct schema *schema = field->schema, *base = schema->base;
    return base && !(schema->definition && base == schema->definition->field.schema);
}

static void note_types(struct gramc_diff *diff, struct map *map,
                       const gramc_compilation *compilation) {
    static const gramc_text no_word = {NULL, 0};
    for (const struct gramc_spec *spec = compilation->specs; spec; spec = spec->older)
        for (const struct definition *d = spec->first_definition; d; d = d->next)
            if (d->row && !d->cyclic && d->name.ptr && !d->cut_from)
                note_entity(diff, map, &d->field, d->source, no_word);
}

/* A parameter counts from the first one on that reuses it. */
static void note_words(struct gramc_diff *diff, struct map *map, const struct gramc_spec *spec) {
    struct map reused;
    map_init(&reused, &diff->arena);
    for (const struct tool *t = spec->first_tool; t; t = t->next)
        for (const struct field *p = t->signature ? t->signature->parameters : NULL; p;
             p = p->next) {
            if (!is_reuse(p)) continue;
            gramc_text key = key_of(&diff->arena, p->schema->base, p->identifier);
            if (key.ptr) map_put(&reused, key, diff);
        }
    for (const struct tool *t = spec->first_tool; t; t = t->next)
        for (const struct field *p = t->signature ? t->signature->parameters : NULL; p;
             p = p->next) {
            gramc_text key = key_of(&diff->arena, p->schema, p->identifier);
            if (key.ptr && map_get(&reused, key))
                note_entity(diff, map, p, t->source, p->identifier);
        }
}

void causes_begin(struct gramc_diff *diff, const struct gramc_spec *before,
                  const struct gramc_spec *after) {
    map_init(&diff->old_entities, &diff->arena);
    map_init(&diff->new_entities, &diff->arena);
    map_init(&diff->causes, &diff->arena);
    map_init(&diff->properties, &diff->arena);
    note_types(diff, &diff->old_entities, before->compilation);
    note_types(diff, &diff->new_entities, after->compilation);
    note_words(diff, &diff->old_entities, before);
    note_words(diff, &diff->new_entities, after);
}

/* ## What a type says itself */

/* What it says, with all types that it names by name. */
static const struct json *surface(struct gramc_diff *diff, const struct schema *schema) {
    return schema_build(&diff->arena, schema, SCHEMA_CHECKED | SCHEMA_DEFS).document;
}

static const struct json *skip(const struct json *member, bool described) {
    while (member &&
           (text_is(member->key, "$defs") || (!described && text_is(member->key, "description"))))
        member = member->next;
    return member;
}

/* `described`: its own description counts as well; that of a parameter is a change of its own. */
static bool says_the_same(const struct json *a, const struct json *b, bool described) {
    if (!a || !b) return false;
    const struct json *x = skip(a->first, described), *y = skip(b->first, described);
    while (x && y && text_eq(x->key, y->key) && diff_same_schema(x, y)) {
        x = skip(x->next, described);
        y = skip(y->next, described);
    }
    return !x && !y;
}

/* What a reuse says besides the name that it reuses. */
static struct schema own_part(const struct schema *schema) {
    struct schema own = *schema;
    own.base = NULL;
    own.definition = NULL;
    return own;
}

/* ## Causes */

struct named_pairs {
    struct gramc_diff *diff;
    struct diff_cause *causes[MOST_NAMED];
    size_t count;
    bool is_full;
};

static bool is_null_default(const struct json *member) {
    return text_is(member->key, "default") && member->kind == JSON_NULL;
}

static const struct json *skip_null_default(const struct json *member) {
    while (member && is_null_default(member)) member = member->next;
    return member;
}

bool diff_same_schema(const struct json *a, const struct json *b) {
    if (!a || !b || a->kind != b->kind) return false;
    if (a->kind != JSON_OBJECT && a->kind != JSON_ARRAY) return json_equal(a, b);
    const struct json *x = skip_null_default(a->first), *y = skip_null_default(b->first);
    while (x && y && text_eq(x->key, y->key) && diff_same_schema(x, y)) {
        x = skip_null_default(x->next);
        y = skip_null_default(y->next);
    }
    return !x && !y;
}

static bool has_default(const struct json *schema) {
    if (schema->kind != JSON_OBJECT && schema->kind != JSON_ARRAY) return false;
    if (json_get(schema, "default")) return true;
    for (const struct json *part = schema->first; part; part = part->next)
        if (has_default(part)) return true;
    return false;
}

static void ask(struct gramc_diff *diff, enum diff_question question, const struct json *from,
                const struct json *to, struct change_of_values *out) {
    gramc_compare_options options = GRAMC_COMPARE_OPTIONS_INIT;
    gramc_comparison *c = NULL;
    gramc_status status = GRAMC_LIMIT;
    options.allocator = &diff->arena.allocator;
    options.filled_in = question == WAS_SENT;
    if (from && to) status = gramc_schema_compare_documents(&c, from, to, &options);
    if (status == GRAMC_NOMEM) diff->arena.oom = true;
    out->answers[question] = c ? c->answer : GRAMC_COMPARE_UNKNOWN;
    out->reasons[question] =
        c ? arena_text(&diff->arena, c->reason) : TEXT("the schemas are too large to be compared");
    if (c) out->examples[question] = arena_text(&diff->arena, c->counterexample);
    gramc_comparison_free(c);
}

/* Without a default, what is sent is what is accepted. */
static void ask_all(struct gramc_diff *diff, const struct json *old, const struct json *new,
                    struct change_of_values *out) {
    ask(diff, IS_STILL, old, new, out);
    ask(diff, WAS_BEFORE, new, old, out);
    out->answers[WAS_SENT] = out->answers[WAS_BEFORE];
    if (old && new && (has_default(old) || has_default(new))) ask(diff, WAS_SENT, new, old, out);
    out->shift = (struct diff_shift){.narrowed = out->answers[IS_STILL] != GRAMC_COMPARE_YES,
                                     .widened = out->answers[WAS_BEFORE] != GRAMC_COMPARE_YES,
                                     .sent_more = out->answers[WAS_SENT] != GRAMC_COMPARE_YES};
}

void compare_values(struct gramc_diff *diff, const struct schema *before,
                    const struct schema *after, struct change_of_values *out) {
    const struct built_schema old = schema_build(&diff->arena, before, SCHEMA_CHECKED),
                              new = schema_build(&diff->arena, after, SCHEMA_CHECKED);
    *out = (struct change_of_values){.is_same = text_eq(old.text, new.text) ||
                                                diff_same_schema(old.document, new.document),
                                     .schemas = {old.text, new.text}};
    if (!out->is_same && !diff->arena.oom) ask_all(diff, old.document, new.document, out);
}

static gramc_text place_key(struct arena *arena, struct diff_place at) {
    char key[48];
    int len =
        snprintf(key, sizeof key, "%u %u", (unsigned)at.source->order, (unsigned)at.span.start);
    return arena_text(arena, (gramc_text){key, (size_t)len});
}

/* The change of that name; one that did not change is remembered as well. NULL without memory. */
static struct diff_cause *cause_of(struct gramc_diff *diff, const struct entity *before,
                                   const struct entity *after) {
    gramc_text key = place_key(&diff->arena, after->at);
    struct diff_cause *cause = key.ptr ? map_get(&diff->causes, key) : NULL;
    if (cause || !key.ptr) return cause;
    cause = ARENA_NEW(&diff->arena, struct diff_cause);
    if (!cause) return NULL;
    const struct schema *old = before->field->schema, *new = after->field->schema;
    *cause = (struct diff_cause){.name = after->name, .before = before->at, .after = after->at};
    cause->last_use = &cause->uses;
    cause->is_changed = !says_the_same(surface(diff, old), surface(diff, new), true);
    if (cause->is_changed) compare_values(diff, old, new, &cause->values);
    map_put(&diff->causes, key, cause);
    *diff->last_cause = cause;
    diff->last_cause = &cause->next;
    return cause;
}

static bool is_met(const struct named_pairs *pairs, const struct diff_cause *cause) {
    for (size_t i = 0; i < pairs->count; i++)
        if (pairs->causes[i] == cause) return true;
    return false;
}

static void gather(struct named_pairs *pairs, const struct schema *before,
                   const struct schema *after);

static void gather_entity(struct named_pairs *pairs, const struct entity *before,
                          const struct entity *after) {
    struct diff_cause *cause = cause_of(pairs->diff, before, after);
    if (!cause || is_met(pairs, cause)) return;
    pairs->is_full = pairs->count == MOST_NAMED;
    if (pairs->is_full) return;
    pairs->causes[pairs->count++] = cause;
    gather(pairs, before->field->schema, after->field->schema);
}

static void gather_definitions(struct named_pairs *pairs, const struct definition *before,
                               const struct definition *after) {
    struct gramc_diff *diff = pairs->diff;
    static const gramc_text no_word = {NULL, 0};
    if (!text_eq(before->name, after->name)) return;
    const struct entity *old =
        find_entity(diff, &diff->old_entities, before->field.schema, no_word);
    const struct entity *new = find_entity(diff, &diff->new_entities, after->field.schema, no_word);
    if (old && new) gather_entity(pairs, old, new);
}

/* Side by side, as far as both name the same. Ends: each name is looked into once. */
static void gather(struct named_pairs *pairs, const struct schema *before,
                   const struct schema *after) {
    if (!before || !after || pairs->is_full) return;
    if (before->definition && after->definition)
        gather_definitions(pairs, before->definition, after->definition);
    gather(pairs, before->inner, after->inner);
    gather(pairs, before->values, after->values);
    gather(pairs, before->keys, after->keys);
    for (const struct field *g = after->patterns; g; g = g->next)
        for (const struct field *f = before->patterns; f; f = f->next)
            if (text_eq(f->name, g->name)) gather(pairs, f->schema, g->schema);
    for (const struct field *g = after->fields; g; g = g->next)
        for (const struct field *f = before->fields; f; f = f->next)
            if (text_eq(f->name, g->name)) gather(pairs, f->schema, g->schema);
    const struct member *x = before->members, *y = after->members;
    for (; x && y; x = x->next, y = y->next) gather(pairs, x->schema, y->schema);
    for (x = before->all, y = after->all; x && y; x = x->next, y = y->next)
        gather(pairs, x->schema, y->schema);
}

/* What a parameter stands for: the word that it reuses, or itself where others reuse it. */
static const struct entity *entity_of(struct gramc_diff *diff, const struct diff_typed *typed,
                                      bool is_old) {
    const struct map *map = is_old ? &diff->old_entities : &diff->new_entities;
    const struct field *field = typed->field;
    if (!field) return NULL;
    if (is_reuse(field)) return find_entity(diff, map, typed->schema->base, field->identifier);
    const struct entity *own = find_entity(diff, map, typed->schema, field->identifier);
    return own && own->field == field ? own : NULL;
}

/* False if it says something else itself, or names other types. */
static bool gather_use(struct named_pairs *pairs, const struct diff_typed *before,
                       const struct diff_typed *after) {
    struct gramc_diff *diff = pairs->diff;
    const struct entity *old = entity_of(diff, before, true), *new = entity_of(diff, after, false);
    if (old && new &&text_eq(old->name, new->name)) {
        bool is_old_itself = old->field == before->field,
             is_new_itself = new->field == after->field;
        struct schema a = own_part(before->schema), b = own_part(after->schema);
        bool same = is_old_itself && is_new_itself;
        if (!is_old_itself && !is_new_itself)
            same = says_the_same(surface(diff, &a), surface(diff, &b), false);
        if (same) gather_entity(pairs, old, new);
        return same;
    }
    if (!says_the_same(surface(diff, before->schema), surface(diff, after->schema), false))
        return false;
    gather(pairs, before->schema, after->schema);
    return true;
}

/* ## Impacts */

static gramc_impact greater(gramc_impact a, gramc_impact b) {
    return a > b ? a : b;
}

struct diff_impacts diff_impacts_of(struct diff_shift shift, enum diff_position position) {
    gramc_impact giver = shift.narrowed  ? GRAMC_IMPACT_BREAKING
                         : shift.widened ? GRAMC_IMPACT_ADDITIVE
                                         : GRAMC_IMPACT_COSMETIC;
    gramc_impact taker = shift.widened    ? GRAMC_IMPACT_BREAKING
                         : shift.narrowed ? GRAMC_IMPACT_ADDITIVE
                                          : GRAMC_IMPACT_COSMETIC;
    gramc_impact sent = shift.sent_more ? GRAMC_IMPACT_BREAKING : GRAMC_IMPACT_NONE;
    if (position == DIFF_PARAMETER) return (struct diff_impacts){giver, sent};
    bool is_restated = !shift.narrowed && !shift.widened;
    if (position == DIFF_ANSWER || is_restated) giver = GRAMC_IMPACT_NONE;
    return (struct diff_impacts){taker, giver};
}

static bool covers(struct diff_shift shift, const struct diff_use *use) {
    struct diff_impacts own = diff_impacts_of(use->shift, use->position);
    struct diff_impacts there = diff_impacts_of(shift, use->position);
    return there.caller >= own.caller && there.implementer >= own.implementer;
}

/* ## Uses */

static void add_use(struct gramc_diff *diff, struct diff_cause *cause, const struct diff_use *use) {
    struct diff_use *copy = ARENA_NEW(&diff->arena, struct diff_use);
    if (!copy) return;
    *copy = *use;
    copy->next = NULL;
    *cause->last_use = copy;
    cause->last_use = &copy->next;
    cause->counts[use->position]++;
}

/* Together they must explain it: what is breaking here is breaking there. */
static bool explain(const struct named_pairs *pairs, const struct diff_use *use) {
    struct diff_shift all = {false, false, false};
    bool changed = false;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct diff_shift *shift = &pairs->causes[i]->values.shift;
        if (!pairs->causes[i]->is_changed) continue;
        changed = true;
        all.narrowed = all.narrowed || shift->narrowed;
        all.widened = all.widened || shift->widened;
        all.sent_more = all.sent_more || shift->sent_more;
    }
    return changed && covers(all, use);
}

bool cause_explains(struct gramc_diff *diff, const struct diff_use *use,
                    const struct diff_typed *before, const struct diff_typed *after) {
    struct named_pairs pairs = {.diff = diff};
    if (!gather_use(&pairs, before, after) || pairs.is_full || diff->arena.oom) return false;
    if (!explain(&pairs, use)) return false;
    for (size_t i = 0; i < pairs.count; i++)
        if (pairs.causes[i]->is_changed) add_use(diff, pairs.causes[i], use);
    return true;
}

bool cause_of_property(struct gramc_diff *diff, const struct diff_typed *before,
                       const struct diff_typed *after, struct diff_place places[2]) {
    const struct entity *old = entity_of(diff, before, true), *new = entity_of(diff, after, false);
    if (!old || !new || !text_eq(old->name, new->name)) return false;
    bool is_inherited = old->field->optional == before->field->optional &&
                        new->field->optional == after->field->optional &&
                        old->field->fallback == before->field->fallback &&new->field->fallback ==
                            after->field->fallback;
    if (!is_inherited) return false;
    places[0] = old->at;
    places[1] = new->at;
    return true;
}

static struct difference *find_property(struct gramc_diff *diff, enum change_id id,
                                        struct diff_place at, gramc_text *key) {
    char text[64];
    int len = snprintf(text, sizeof text, "%d %u %u", (int)id, (unsigned)at.source->order,
                       (unsigned)at.span.start);
    *key = arena_text(&diff->arena, (gramc_text){text, (size_t)len});
    return key->ptr ? map_get(&diff->properties, *key) : NULL;
}

void cause_add_property(struct gramc_diff *diff, enum change_id id,
                        const struct diff_place places[2], const struct diff_use *use, gramc_text a,
                        gramc_text b, gramc_text c) {
    gramc_text key;
    struct difference *d = find_property(diff, id, places[1], &key);
    struct diff_use *copy = ARENA_NEW(&diff->arena, struct diff_use);
    if (!d && key.ptr) {
        d = diff_add(diff, id, places[0], places[1], a, b, c);
        if (d) map_put(&diff->properties, key, d);
    }
    if (!d || !copy) return;
    *copy = *use;
    struct diff_use **last = d->uses ? &d->last_use->next : &d->uses;
    *last = copy;
    d->last_use = copy;
    d->use_count++;
}

/* ## What comes of it */

static void put_count(struct buf *out, uint32_t count, const char *noun, bool *any) {
    if (!count) return;
    buf_printf(out, "%s%u %s%s", *any ? ", " : "", (unsigned)count, noun, count == 1 ? "" : "s");
    *any = true;
}

static gramc_text count_uses(struct gramc_diff *diff, const struct diff_cause *cause) {
    struct buf out;
    bool any = false;
    buf_init(&out, &diff->arena.allocator, 256);
    put_count(&out, cause->counts[DIFF_PARAMETER], "parameter", &any);
    put_count(&out, cause->counts[DIFF_RESULT], "result", &any);
    put_count(&out, cause->counts[DIFF_ANSWER], "answer", &any);
    return buf_to_arena_cut(&out, &diff->arena);
}

static void put_value(struct buf *out, gramc_text value, const char *became) {
    size_t end = 0;
    if (!value.len) return;
    if (out->len) buf_puts(out, "; ");
    while (end < value.len && end < LONGEST_EXAMPLE) text_decode(value, &end);
    buf_text(out, text_slice(value, 0, end));
    if (end < value.len) buf_puts(out, "...");
    buf_puts(out, became);
}

static gramc_text example_of(struct gramc_diff *diff, const struct diff_cause *cause,
                             enum change_id id) {
    const struct change_of_values *values = &cause->values;
    struct buf out;
    buf_init(&out, &diff->arena.allocator, 1 << 16);
    if (values->answers[IS_STILL] == GRAMC_COMPARE_NO)
        put_value(&out, values->examples[IS_STILL], " was one and is not any more");
    if (values->answers[WAS_BEFORE] == GRAMC_COMPARE_NO)
        put_value(&out, values->examples[WAS_BEFORE], " is one now and was not before");
    if (id == CHANGE_TYPE_FILLS_LESS)
        put_value(&out, values->examples[WAS_SENT], " can come now and could not before");
    return buf_to_arena_cut(&out, &diff->arena);
}

static bool is_undecided(const struct diff_cause *cause, enum diff_question question) {
    return cause->values.answers[question] == GRAMC_COMPARE_UNKNOWN;
}

static enum change_id change_of(const struct diff_cause *cause) {
    struct diff_shift shift = cause->values.shift;
    if (is_undecided(cause, IS_STILL) || is_undecided(cause, WAS_BEFORE))
        return CHANGE_TYPE_UNDECIDED;
    if (shift.narrowed && shift.widened) return CHANGE_TYPE_RETYPED;
    if (shift.narrowed) return CHANGE_TYPE_NARROWED;
    if (shift.widened) return CHANGE_TYPE_WIDENED;
    bool is_seen = shift.sent_more && cause->counts[DIFF_PARAMETER];
    return is_seen ? CHANGE_TYPE_FILLS_LESS : CHANGE_TYPE_RESTATED;
}

static void report(struct gramc_diff *diff, const struct diff_cause *cause) {
    static const gramc_text nothing = {NULL, 0};
    struct diff_impacts all = {GRAMC_IMPACT_NONE, GRAMC_IMPACT_NONE};
    enum change_id id = change_of(cause);
    for (const struct diff_use *u = cause->uses; u; u = u->next) {
        struct diff_impacts one = diff_impacts_of(cause->values.shift, u->position);
        all.caller = greater(all.caller, one.caller);
        all.implementer = greater(all.implementer, one.implementer);
    }
    struct difference *d =
        diff_add_judged(diff, id, all.caller, all.implementer, cause->before, cause->after,
                        cause->name, count_uses(diff, cause), nothing);
    if (!d) return;
    d->uses = cause->uses;
    for (const struct diff_use *u = cause->uses; u; u = u->next) d->use_count++;
    d->example = example_of(diff, cause, id);
    for (int i = 0; i < 2; i++) d->evidence[i] = cause->values.schemas[i];
    for (enum diff_question i = IS_STILL;
         i <= (id == CHANGE_TYPE_FILLS_LESS ? WAS_SENT : WAS_BEFORE); i++)
        if (is_undecided(cause, i))
            diff_help(diff, d, "not decided: {0}", cause->values.reasons[i]);
}

/* "the default of parameter `limit` of tool `find` changed from 10 to 20, and in 4 more places" */
static void count_more(struct gramc_diff *diff, struct difference *d) {
    struct buf out;
    uint32_t more = d->use_count - 1;
    buf_init(&out, &diff->arena.allocator, 4096);
    buf_text(&out, d->message);
    buf_printf(&out, ", and in %u more place%s", (unsigned)more, more == 1 ? "" : "s");
    d->message = buf_to_arena_cut(&out, &diff->arena);
}

void causes_report(struct gramc_diff *diff) {
    for (struct difference *d = diff->first; d; d = d->next)
        if (d->use_count > 1) count_more(diff, d);
    for (const struct diff_cause *c = diff->first_cause; c; c = c->next)
        if (c->uses) report(diff, c);
}
