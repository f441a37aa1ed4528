/* Makes values that a schema accepts: any of them, or one that another schema refuses. Candidates
 * are cheap guesses: bounds, lengths, examples, small objects. The validator says which of them are
 * any good, so a bad guess costs time and nothing else. */
#include "jsonschema/subsume/subsume.h"

#include "base/text.h"

enum { LONGEST_STRING = 4096, MOST_ITEMS = 64, MOST_TASTES = 40 };

/* What a candidate must be: of A, and (b not NULL) not of B. */
struct pool {
    struct compat *compat;
    const struct conjunction *a;
    const struct json *b;
    uint32_t skip; /* so many good ones are passed over */
    gramc_text found;
};

/* True once there is no need for more. */
static bool offer(struct pool *pool, gramc_text json) {
    struct compat *compat = pool->compat;
    if (pool->found.len || !subsume_step(compat)) return true;
    if (!json.len) return false;
    bool good = pool->b ? subsume_evaluate_witness(compat, pool->a, pool->b, json)
                        : subsume_evaluate_conjunction(compat, pool->a, json);
    if (good && pool->skip == 0) pool->found = json;
    else if (good) pool->skip--;
    return pool->found.len > 0;
}

static gramc_text keep(struct compat *compat, struct buf *text) {
    gramc_text copy = {NULL, 0};
    if (text->state == BUF_NOMEM) compat->arena.oom = true;
    else if (text->state == BUF_FINE) copy = arena_text(&compat->arena, buf_view(text));
    buf_free(text);
    return copy;
}

/* ## Values that the schema itself names */

static bool offer_value(struct pool *pool, const struct json *value, bool is_list) {
    if (!is_list) return offer(pool, subsume_print(pool->compat, value));
    for (const struct json *one = json_is(value, JSON_ARRAY) ? value->first : NULL; one;
         one = one->next)
        if (offer(pool, subsume_print(pool->compat, one))) return true;
    return false;
}

static void offer_named(struct pool *pool) {
    static const struct {
        const char *key;
        bool is_list;
    } small[] = {{"const", false}, {"enum", true}, {"default", false}, {"examples", true}},
      typical[] = {{"const", false}, {"default", false}, {"examples", true}, {"enum", true}};
    for (uint32_t i = 0; i < pool->a->count; i++) {
        for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
            bool is_typical = pool->compat->typical;
            const char *key = is_typical ? typical[k].key : small[k].key;
            bool is_list = is_typical ? typical[k].is_list : small[k].is_list;
            const struct json *value = json_get(pool->a->nodes[i], key);
            if (value && offer_value(pool, value, is_list)) return;
        }
    }
}

/* ## Numbers */

/* Near enough for a guess. */
static double approximate(gramc_text number) {
    double value = 0, scale = 1;
    int exponent = 0;
    bool fraction = false, down = false;
    size_t i = number.ptr[0] == '-' ? 1 : 0;
    for (; i < number.len && number.ptr[i] != 'e' && number.ptr[i] != 'E'; i++) {
        if (number.ptr[i] == '.') fraction = true;
        else value = value * 10 + (number.ptr[i] - '0');
        if (fraction && number.ptr[i] != '.') scale *= 10;
    }
    for (i++; i < number.len; i++) {
        if (number.ptr[i] == '-') down = true;
        else if (number.ptr[i] != '+' && exponent < 400)
            exponent = exponent * 10 + (number.ptr[i] - '0');
    }
    for (; exponent > 0; exponent--) value = down ? value / 10 : value * 10;
    return number.ptr[0] == '-' ? -value / scale : value / scale;
}

static bool offer_number(struct pool *pool, double value) {
    struct buf text;
    bool whole = value > -1e15 && value < 1e15 && (double)(int64_t)value == value;
    buf_init(&text, &pool->compat->arena.allocator, 64);
    if (whole) buf_printf(&text, "%lld", (long long)value);
    else json_put_double(&text, value);
    return offer(pool, keep(pool->compat, &text));
}

static bool offer_around(struct pool *pool, gramc_text number) {
    static const double steps[] = {1, -1, 0.5, -0.5, 0.001, -0.001};
    double value = approximate(number);
    if (offer(pool, number)) return true;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (offer_number(pool, value + steps[i])) return true;
    return false;
}

static bool offer_bounds(struct pool *pool, const struct json *node) {
    static const char *const keys[] = {"minimum", "maximum", "exclusiveMinimum",
                                       "exclusiveMaximum"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct json *bound = json_get(node, keys[i]);
        if (json_is(bound, JSON_NUMBER) && offer_around(pool, bound->text)) return true;
    }
    return false;
}

/* Multiples at the bounds and at zero. */
static bool offer_multiples(struct pool *pool, const struct json *node, const struct range *range) {
    const struct json *step = json_get(node, "multipleOf");
    if (!json_is(step, JSON_NUMBER)) return false;
    double size = approximate(step->text), start = range->low.len ? approximate(range->low) : 0;
    if (!range->low.len && range->high.len) start = approximate(range->high) - 3 * size;
    double count = size > 0 ? start / size : 0;
    if (!(count > -9e15 && count < 9e15)) return false;
    int64_t first = !pool->compat->typical ? -2 : range->low.len ? 0 : 1;
    for (int64_t k = first; k < 5; k++)
        if (offer_number(pool, (double)((int64_t)count + k) * size)) return true;
    return false;
}

static void offer_numbers(struct pool *pool, enum json_type only) {
    static const double plain[] = {1, 0, -1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, -2.5, 100, 1e6, -1e6};
    struct range range = shape_range(pool->compat, pool->a, only);
    bool done = (pool->compat->typical && !range.low.len && offer_number(pool, 1)) ||
                (range.low.len && offer_around(pool, range.low)) ||
                (range.high.len && offer_around(pool, range.high));
    for (uint32_t i = 0; i < pool->a->count && !done; i++)
        done = offer_multiples(pool, pool->a->nodes[i], &range);
    if (!done && range.low.len && range.high.len)
        done = offer_number(pool, (approximate(range.low) + approximate(range.high)) / 2);
    if (!done && pool->b)
        done = offer_bounds(pool, pool->b) || offer_multiples(pool, pool->b, &range);
    for (size_t i = 0; i < sizeof plain / sizeof *plain && !done; i++)
        done = offer_number(pool, plain[i]);
    double start = range.low.len ? approximate(range.low) : 0;
    for (int k = 2; k < MOST_ITEMS && !done && !pool->b; k++) done = offer_number(pool, start + k);
}

/* ## Strings */

static bool offer_string(struct pool *pool, gramc_text value) {
    struct buf text;
    buf_init(&text, &pool->compat->arena.allocator, 2 * LONGEST_STRING + 64);
    json_put_string(&text, value);
    return offer(pool, keep(pool->compat, &text));
}

static bool offer_length(struct pool *pool, uint64_t count) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz01 -/";
    char text[LONGEST_STRING];
    if (count > LONGEST_STRING) return false;
    for (size_t i = 0; i < sizeof letters - 1; i++) {
        for (uint64_t k = 0; k < count; k++) text[k] = k + 1 == count ? letters[i] : 'a';
        if (offer_string(pool, (gramc_text){text, (size_t)count})) return true;
        if (count == 0 || (pool->b && i > 2)) break;
    }
    return false;
}

static bool offer_matching(struct pool *pool, const struct json *node) {
    const struct json *pattern = json_get(node, "pattern");
    bool done = false;
    struct buf text;
    if (!json_is(pattern, JSON_STRING)) return false;
    buf_init(&text, &pool->compat->arena.allocator, LONGEST_STRING);
    for (uint32_t taste = 0; taste < MOST_TASTES && !done; taste++) {
        buf_reset(&text);
        pattern_guess(&text, pattern->text, taste);
        if (text.state == BUF_NOMEM) pool->compat->arena.oom = true;
        done = offer_string(pool, buf_view(&text));
    }
    buf_free(&text);
    return done;
}

/* "example", cut or drawn out to a length that fits. */
static bool offer_word(struct pool *pool, const struct counts *counts) {
    char text[LONGEST_STRING] = "example";
    uint64_t len = 7;
    if (len > counts->max) len = counts->max;
    for (; len < counts->min && len < LONGEST_STRING; len++) text[len] = 'x';
    return offer_string(pool, (gramc_text){text, (size_t)len});
}

static void offer_strings(struct pool *pool) {
    static const char *const plain[] = {"a",
                                        "b",
                                        "c",
                                        "",
                                        "A",
                                        "0",
                                        "1",
                                        "-1",
                                        "1.5",
                                        "true",
                                        "abc",
                                        "ABC",
                                        "Abc",
                                        "a b",
                                        "123",
                                        "12345",
                                        "a-b",
                                        "a_b",
                                        "a1",
                                        "#00ff00",
                                        "+4912345",
                                        "2024-02-29",
                                        "12:30:00Z",
                                        "P1D",
                                        "example.com",
                                        "192.0.2.1",
                                        "2001:db8::1",
                                        "2024-02-29T12:30:00Z",
                                        "ada@example.com",
                                        "https://example.com/a",
                                        "123e4567-e89b-12d3-a456-426614174000",
                                        "/a/b",
                                        "en",
                                        "en-US",
                                        "EUR",
                                        "\xC3\xA9"};
    struct counts counts = shape_counts(pool->a, "minLength", "maxLength");
    for (uint32_t i = 0; i < pool->a->count; i++)
        if (offer_matching(pool, pool->a->nodes[i])) return;
    if (pool->compat->typical && offer_word(pool, &counts)) return;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (offer_string(pool, text_of(plain[i]))) return;
    if (offer_length(pool, counts.min) || offer_length(pool, counts.max)) return;
    if (!pool->b) return;
    uint64_t least = shape_count(json_get(pool->b, "minLength"), 0);
    uint64_t most = shape_count(json_get(pool->b, "maxLength"), LONGEST_STRING);
    if (least > 0 && offer_length(pool, least - 1)) return;
    offer_length(pool, most + 1);
}

/* ## Arrays */

gramc_text subsume_sample_array(struct compat *compat, const struct conjunction *a, uint64_t count,
                                uint64_t index, gramc_text value) {
    if (compat->only_proves) return (gramc_text){NULL, 0};
    bool unique = shape_is_unique(a);
    struct buf text;
    buf_init(&text, &compat->arena.allocator, 1 << 20);
    if (count > MOST_ITEMS) return (gramc_text){NULL, 0};
    buf_putc(&text, '[');
    for (uint64_t i = 0; i < count; i++) {
        struct conjunction item;
        shape_item(&item, a, i);
        gramc_text one = value.len && i == index
                             ? value
                             : subsume_sample_of(compat, &item, unique ? (uint32_t)i : 0);
        if (i) buf_putc(&text, ',');
        buf_text(&text, one);
        if (one.len) continue;
        buf_free(&text);
        return one;
    }
    buf_putc(&text, ']');
    return keep(compat, &text);
}

static bool offer_array(struct pool *pool, uint64_t count) {
    struct conjunction first;
    gramc_text none = {NULL, 0};
    if (offer(pool, subsume_sample_array(pool->compat, pool->a, count, 0, none))) return true;
    if (!pool->b || count < 2) return false;
    /* The same item twice, for B's uniqueItems. */
    shape_item(&first, pool->a, 0);
    gramc_text twin = subsume_sample_of(pool->compat, &first, 0);
    return offer(pool, subsume_sample_array(pool->compat, pool->a, count, 1, twin));
}

static void offer_arrays(struct pool *pool) {
    struct counts counts = shape_items(pool->a);
    if (offer_array(pool, counts.min) || offer_array(pool, counts.min + 1)) return;
    if (!pool->b) return;
    uint64_t least = shape_count(json_get(pool->b, "minItems"), 0);
    uint64_t most = shape_count(json_get(pool->b, "maxItems"), MOST_ITEMS);
    if (least > 0 && offer_array(pool, least - 1)) return;
    if (offer_array(pool, most + 1) || offer_array(pool, counts.min + 2)) return;
    offer_array(pool, shape_prefix(pool->a));
}

/* ## Objects */

gramc_text subsume_sample_name(struct compat *compat, const struct conjunction *a,
                               const struct json *b) {
    static const char *const names[] = {"extra", "another", "more", "unexpected", "x", "_", "zz"};
    const struct json *theirs = json_get(b, "properties");
    (void)compat;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        gramc_text name = text_of(names[n]);
        bool known = json_get_text(theirs, name) != NULL;
        for (uint32_t i = 0; i < a->count && !known; i++)
            known = json_get_text(json_get(a->nodes[i], "properties"), name) != NULL;
        if (!known) return name;
    }
    return TEXT("a name that nobody uses");
}

struct drawing {
    struct compat *compat;
    const struct conjunction *a;
    struct buf text;
    gramc_text names[MOST_ITEMS];
    size_t count;
    bool failed;
};

static void draw(struct drawing *d, gramc_text name, gramc_text value) {
    for (size_t i = 0; i < d->count; i++)
        if (text_eq(d->names[i], name)) return;
    if (!value.len) {
        struct conjunction member;
        shape_member(&member, d->a, name);
        value = subsume_sample_of(d->compat, &member, 0);
    }
    if (d->count == MOST_ITEMS || !value.len) d->failed = true;
    if (d->failed) return;
    if (d->text.len > 1) buf_putc(&d->text, ',');
    json_put_string(&d->text, name);
    buf_putc(&d->text, ':');
    buf_text(&d->text, value);
    d->names[d->count++] = name;
}

static void draw_required(struct drawing *d, gramc_text without) {
    for (uint32_t i = 0; i < d->a->count; i++) {
        const struct json *names = json_get(d->a->nodes[i], "required");
        if (!json_is(names, JSON_ARRAY)) continue;
        for (const struct json *n = names->first; n && !d->failed; n = n->next)
            if (!text_eq(n->text, without)) draw(d, n->text, (gramc_text){NULL, 0});
    }
}

static gramc_text finish(struct drawing *d) {
    buf_putc(&d->text, '}');
    if (!d->failed) return keep(d->compat, &d->text);
    buf_free(&d->text);
    return (gramc_text){NULL, 0};
}

static void begin(struct drawing *d, struct compat *compat, const struct conjunction *a) {
    *d = (struct drawing){.compat = compat, .a = a};
    buf_init(&d->text, &compat->arena.allocator, 1 << 20);
    buf_putc(&d->text, '{');
}

gramc_text subsume_sample_object(struct compat *compat, const struct conjunction *a,
                                 gramc_text name, gramc_text value) {
    if (compat->only_proves) return (gramc_text){NULL, 0};
    struct drawing d;
    begin(&d, compat, a);
    if (name.ptr && value.len) draw(&d, name, value);
    draw_required(&d, value.len ? (gramc_text){NULL, 0} : name);
    return finish(&d);
}

/* With every member that A knows and that can be there. */
static gramc_text sample_full(struct compat *compat, const struct conjunction *a) {
    struct drawing d;
    begin(&d, compat, a);
    draw_required(&d, (gramc_text){NULL, 0});
    for (uint32_t i = 0; i < a->count; i++) {
        const struct json *known = json_get(a->nodes[i], "properties");
        if (!json_is(known, JSON_OBJECT)) continue;
        for (const struct json *p = known->first; p && d.count < MOST_ITEMS; p = p->next) {
            bool failed = d.failed;
            draw(&d, p->key, (gramc_text){NULL, 0});
            d.failed = failed;
        }
    }
    return finish(&d);
}

static void offer_objects(struct pool *pool) {
    struct compat *compat = pool->compat;
    gramc_text none = {NULL, 0};
    if (offer(pool, subsume_sample_object(compat, pool->a, none, none)) || !pool->b) return;
    if (offer(pool, sample_full(compat, pool->a))) return;
    gramc_text name = subsume_sample_name(compat, pool->a, pool->b);
    struct conjunction member;
    shape_member(&member, pool->a, name);
    offer(pool,
          subsume_sample_object(compat, pool->a, name, subsume_sample_of(compat, &member, 0)));
}

/* ## All types */

static void offer_all(struct pool *pool, enum json_type only) {
    offer_named(pool);
    if (pool->found.len) return;
    switch (only) {
    case JSON_TYPE_NULL: offer(pool, TEXT("null")); break;
    case JSON_TYPE_BOOLEAN:
        if (!offer(pool, TEXT("true"))) offer(pool, TEXT("false"));
        break;
    case JSON_TYPE_INTEGER:
    case JSON_TYPE_NUMBER: offer_numbers(pool, only); break;
    case JSON_TYPE_STRING: offer_strings(pool); break;
    case JSON_TYPE_ARRAY: offer_arrays(pool); break;
    case JSON_TYPE_OBJECT: offer_objects(pool); break;
    case JSON_TYPES: break;
    }
}

static struct subsume_answer sample_branch(struct compat *compat, const struct conjunction *a,
                                           enum json_type only, const struct json *unused) {
    struct pool pool = {compat, a, NULL, compat->variant, {NULL, 0}};
    (void)unused;
    if (compat->sampled == JSON_TYPES || compat->sampled == only) offer_all(&pool, only);
    return pool.found.len ? subsume_no(pool.found) : subsume_unknown("none was found");
}

/* One branch after the other, in the order of their types: or first those that say most. */
static struct subsume_answer sample_branches(struct compat *compat, const struct conjunction *a) {
    static const enum json_type order[] = {JSON_TYPE_STRING,  JSON_TYPE_INTEGER, JSON_TYPE_NUMBER,
                                           JSON_TYPE_BOOLEAN, JSON_TYPE_OBJECT,  JSON_TYPE_ARRAY,
                                           JSON_TYPE_NULL};
    struct subsume_answer answer = subsume_unknown(NULL);
    bool has_members = false;
    for (uint32_t i = 0; i < a->count; i++)
        has_members = has_members || json_get(a->nodes[i], "properties");
    for (size_t i = 0; i <= sizeof order / sizeof *order; i++) {
        if (i == 0 && !has_members) continue;
        compat->sampled = !compat->typical ? JSON_TYPES : i ? order[i - 1] : JSON_TYPE_OBJECT;
        answer = subsume_each_branch(compat, a, NULL, sample_branch);
        if (!compat->typical || answer.kind == GRAMC_COMPARE_NO) break;
    }
    return answer;
}

/* First shallow, then deeper: a recursive type would else be followed to its limit. */
gramc_text subsume_sample_of(struct compat *compat, const struct conjunction *a, uint32_t variant) {
    if (compat->only_proves) return (gramc_text){NULL, 0};
    uint32_t outer_variant = compat->variant, outer_depth = compat->depth;
    bool outermost = !compat->sampling;
    struct subsume_answer answer = subsume_unknown(NULL);
    if (!outermost && outer_depth == 0) return (gramc_text){NULL, 0};
    compat->sampling = true;
    for (uint32_t depth = outermost ? 2 : outer_depth - 1; answer.kind != GRAMC_COMPARE_NO;
         depth *= 2) {
        compat->variant = variant;
        compat->depth = depth;
        answer = sample_branches(compat, a);
        if (!outermost || depth >= (compat->typical ? 32u : 8u)) break;
    }
    compat->sampling = !outermost;
    compat->variant = outer_variant;
    compat->depth = outer_depth;
    return answer.witness;
}

struct subsume_answer subsume_sample_against(struct compat *compat, const struct conjunction *a,
                                             enum json_type only, const struct json *b,
                                             const char *reason) {
    struct pool pool = {compat, a, b, 0, {NULL, 0}};
    offer_all(&pool, only);
    return pool.found.len ? subsume_no(pool.found) : subsume_unknown(reason);
}
