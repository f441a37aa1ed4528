/* gramc diff against the validator: for random pairs of specs, what is called not breaking breaks
 * no sample. Callers: each call that the old tool accepted, the new one accepts; each result of the
 * new tool is one of the old one. Implementers: each call of the new tool, its defaults filled in,
 * is one that the old tool would have passed on; each result that was right stays right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/text.h"
#include "gramc/compile.h"
#include "gramc/diff.h"
#include "gramc/schema.h"
#include "random_value.h"

enum { PAIRS = 1500, LONG_FACTOR = 40, SAMPLES = 60, LARGEST = 1 << 16 };

/* ## Types, as a map inside of a value */

static void put_type(struct random *random, struct buf *out, int depth);

static void put_said(struct random *random, struct buf *out, const char *key, uint32_t below) {
    if (!draw(random, 3)) buf_printf(out, ", %s: %u", key, draw(random, below));
}

static void put_integer(struct random *random, struct buf *out) {
    buf_printf(out, "type: %s", draw(random, 3) ? "Int" : "Double");
    if (!draw(random, 3)) buf_printf(out, ", min: %u", draw(random, 3));
    if (!draw(random, 3)) buf_printf(out, ", max: %u", 2 + draw(random, 3));
}

static void put_words(struct random *random, struct buf *out) {
    static const char *const enums[] = {
        "enum: [\"a\"]",   "enum: [\"a\", \"b\"]", "enum: {a: \"One\", b: \"Two\"}",
        "pattern: \"^a\"", "maxLength: 1",         "minLength: 1"};
    buf_puts(out, "type: Text");
    if (draw(random, 2)) buf_printf(out, ", %s", enums[draw(random, 6)]);
}

static void put_field(struct random *random, struct buf *out, const char *name, int depth) {
    uint32_t presence = draw(random, 4);
    buf_printf(out, "%s: {", name);
    if (presence == 0) {
        buf_printf(out, "type: Int, default: %u", draw(random, 2));
    } else if (presence == 1) {
        buf_puts(out, "type: Int, default: null");
    } else {
        put_type(random, out, depth);
        if (presence == 2) buf_puts(out, ", optional: true");
    }
    buf_putc(out, '}');
}

static void put_fields(struct random *random, struct buf *out, int depth) {
    bool some = false;
    buf_puts(out, ", fields: {");
    for (size_t i = 0; i < 3; i++) {
        if (draw(random, 2)) continue;
        if (some) buf_puts(out, ", ");
        put_field(random, out, names[i], depth);
        some = true;
    }
    if (!some) put_field(random, out, "a", depth);
    buf_putc(out, '}');
}

static void put_inner(struct random *random, struct buf *out, const char *key, int depth) {
    buf_printf(out, ", %s: {", key);
    put_type(random, out, depth);
    buf_putc(out, '}');
}

static void put_object(struct random *random, struct buf *out, int depth) {
    buf_puts(out, "type: Object");
    put_fields(random, out, depth);
    switch (draw(random, 5)) {
    case 0: buf_puts(out, ", open: false"); break;
    case 1: put_inner(random, out, "values", 0); break;
    case 2: put_said(random, out, "minProperties", 3); break;
    case 3:
        buf_puts(out, ", patterns: {\"^b\": {");
        put_type(random, out, 0);
        buf_puts(out, "}}");
        break;
    default: break;
    }
}

static void put_map(struct random *random, struct buf *out, int depth) {
    static const char *const keys[] = {"enum: [\"a\", \"b\"]", "enum: [\"a\"]", "pattern: \"^a\""};
    buf_puts(out, "type: Map");
    put_inner(random, out, "values", depth);
    if (!draw(random, 3)) buf_printf(out, ", keys: {type: Text, %s}", keys[draw(random, 3)]);
    put_said(random, out, "maxProperties", 3);
    if (!draw(random, 4)) buf_printf(out, ", required: [\"%s\"]", names[draw(random, 2)]);
}

static void put_many(struct random *random, struct buf *out, const char *type, const char *key,
                     int depth) {
    buf_printf(out, "type: %s, %s: [", type, key);
    for (uint32_t i = 0, count = 1 + draw(random, 2); i <= count; i++) {
        buf_puts(out, i ? ", {" : "{");
        put_type(random, out, depth);
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

/* Only one member takes objects: into which of several a default is filled is not compared. */
static void put_union(struct random *random, struct buf *out, int depth) {
    buf_puts(out, "type: AnyOf, of: [{");
    put_type(random, out, depth);
    buf_puts(out, "}, {");
    if (draw(random, 2)) put_words(random, out);
    else put_integer(random, out);
    buf_puts(out, "}]");
}

static void put_type(struct random *random, struct buf *out, int depth) {
    switch (draw(random, depth > 0 ? 11 : 5)) {
    case 0: buf_puts(out, "type: Any"); break;
    case 1: buf_puts(out, "type: Boolean, nullable: true"); break;
    case 2: put_words(random, out); break;
    case 3:
    case 4: put_integer(random, out); break;
    case 5:
        buf_puts(out, "type: Array");
        put_inner(random, out, "items", depth - 1);
        put_said(random, out, "maxItems", 3);
        break;
    case 6:
        put_many(random, out, "Tuple", "items", depth - 1);
        if (draw(random, 2)) put_inner(random, out, "rest", 0);
        break;
    case 7: put_union(random, out, depth - 1); break;
    case 8: put_map(random, out, depth - 1); break;
    default: put_object(random, out, depth - 1); break;
    }
}

/* `T` is a named type of both sides; q comes and goes. */
static void put_spec(struct random *random, struct buf *out) {
    buf_puts(out, "[T:Object {fields: {t: {");
    put_type(random, out, 1);
    buf_puts(out, "}}}]\n[t:Tool {description: \"d\"");
    if (!draw(random, 3)) buf_puts(out, ", open: true");
    buf_puts(out, "} | (p::Tuple {items: [{");
    put_type(random, out, 2);
    buf_puts(out, "}]");
    if (!draw(random, 4)) buf_puts(out, ", optional: true");
    buf_puts(out, "})");
    if (draw(random, 2)) {
        static const char *const q[] = {"Int {optional: true}", "Int {default: 1}",
                                        "Any {optional: true}", "Int", "T {optional: true}"};
        buf_printf(out, "==>(q::%s)", q[draw(random, 5)]);
    }
    buf_puts(out, "==>(::Tuple {items: [{");
    put_type(random, out, 2);
    buf_puts(out, "}, T]})]\n");
}

/* ## Values */

static void put_call(struct random *random, struct buf *out) {
    bool some = false;
    buf_putc(out, '{');
    if (draw(random, 8)) {
        buf_puts(out, "\"p\":[");
        put_value(random, out, 2);
        buf_putc(out, ']');
        some = true;
    }
    if (draw(random, 2)) {
        buf_printf(out, "%s\"q\":", some ? "," : "");
        if (draw(random, 2)) buf_puts(out, "1");
        else put_value(random, out, 1);
    }
    buf_putc(out, '}');
}

static void put_result(struct random *random, struct buf *out) {
    buf_putc(out, '[');
    put_value(random, out, 2);
    buf_puts(out, ",{\"t\":");
    put_value(random, out, 1);
    buf_puts(out, "}]");
}

/* ## One pair */

struct side {
    struct buf text;
    gramc_compilation *compilation;
    const gramc_spec *spec;
    const gramc_tool *tool;
};

static bool open_side(struct side *side, const char *name) {
    const gramc_tool *tool = NULL;
    assert_int_equal(gramc_compilation_new(&side->compilation, NULL), GRAMC_OK);
    gramc_status status =
        gramc_add_source(side->compilation, text_of(name), side->text.ptr, side->text.len);
    if (status == GRAMC_OK) status = gramc_compile(&side->spec, side->compilation);
    if (status == GRAMC_OK) tool = gramc_spec_tool(side->spec, 0);
    if (status == GRAMC_OK) status = gramc_tool_prepare(side->compilation, tool);
    side->tool = tool;
    return status == GRAMC_OK;
}

struct impacts {
    gramc_impact caller, implementer;
};

static struct impacts judge(const struct side *old, const struct side *new) {
    struct impacts all = {GRAMC_IMPACT_NONE, GRAMC_IMPACT_NONE};
    gramc_diff_entry entry;
    gramc_diff *diff;
    assert_int_equal(gramc_diff_new(&diff, old->spec, new->spec, NULL), GRAMC_OK);
    for (size_t i = 0; gramc_diff_get(diff, i, &entry); i++) {
        if (entry.caller > all.caller) all.caller = entry.caller;
        if (entry.implementer > all.implementer) all.implementer = entry.implementer;
    }
    gramc_diff_free(diff);
    return all;
}

/* What implementations get for that call; false for one that is refused. */
static bool fill(const gramc_schema *schema, gramc_text call, struct buf *out) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict;
    options.flags = GRAMC_CHECK_DEFAULTS;
    assert_int_equal(gramc_schema_check(&verdict, schema, call.ptr, call.len, &options), GRAMC_OK);
    bool valid = verdict->valid;
    buf_reset(out);
    buf_text(out, valid ? verdict->normalised : call);
    gramc_verdict_free(verdict);
    return valid;
}

static bool accepts(const gramc_schema *schema, gramc_text value) {
    return gramc_schema_accepts(schema, value.ptr, value.len);
}

static void fail_for(const struct side *old, const struct side *new, const char *whom,
                     gramc_text value) {
    fail_msg("not breaking for %s, but for %.*s:\n%s%s", whom, TEXT_ARGS(value), old->text.ptr,
             new->text.ptr);
}

struct pair {
    struct side old, new;
    struct impacts impacts;
    struct buf value, sent, again;
    size_t checked;
};

static bool has_unknown(const struct side *side, gramc_text call) {
    const char *text = side->text.ptr;
    return !strstr(text, "(q::") && !strstr(text, "open: true} |") && strstr(call.ptr, "\"q\":");
}

static void check_call(struct pair *p) {
    const gramc_schema *old = p->old.tool->accepts, *new = p->new.tool->accepts;
    gramc_text call = buf_view(&p->value);
    bool was = !has_unknown(&p->old, call) && accepts(old, call);
    bool is = !has_unknown(&p->new, call) && accepts(new, call);
    p->checked += was || is;
    if (p->impacts.caller < GRAMC_IMPACT_BREAKING && was && !is)
        fail_for(&p->old, &p->new, "callers", call);
    if (p->impacts.implementer == GRAMC_IMPACT_BREAKING || !is) return;
    if (strstr(p->new.text.ptr, "(q::") && !strstr(p->old.text.ptr, "(q::")) return;
    if (!fill(new, call, &p->sent)) return;
    gramc_text sent = buf_view(&p->sent);
    if (!fill(old, sent, &p->again) || !text_eq(buf_view(&p->again), sent))
        fail_for(&p->old, &p->new, "implementers", sent);
}

static void check_result(struct pair *p) {
    gramc_text value = buf_view(&p->value);
    bool was = accepts(p->old.tool->returns, value), is = accepts(p->new.tool->returns, value);
    p->checked += was || is;
    if (p->impacts.caller < GRAMC_IMPACT_BREAKING && is && !was)
        fail_for(&p->old, &p->new, "callers, who read", value);
    if (p->impacts.implementer < GRAMC_IMPACT_BREAKING && was && !is)
        fail_for(&p->old, &p->new, "implementers, who return", value);
}

static void check_samples(struct random *random, struct pair *p) {
    for (int i = 0; i < SAMPLES; i++) {
        buf_reset(&p->value);
        put_call(random, &p->value);
        check_call(p);
        buf_reset(&p->value);
        put_result(random, &p->value);
        check_result(p);
    }
}

static void open_bufs(struct pair *p) {
    struct buf *const all[] = {&p->old.text, &p->new.text, &p->value, &p->sent, &p->again};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) buf_init(all[i], NULL, LARGEST);
}

static void close_bufs(struct pair *p) {
    struct buf *const all[] = {&p->old.text, &p->new.text, &p->value, &p->sent, &p->again};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) buf_free(all[i]);
}

struct counts {
    size_t pairs, calm, checked; /* calm: not breaking for one side at least */
};

/* Specs with errors, such as impossible types, are passed over. */
static void try_pair(struct random *random, struct pair *p, struct counts *counts) {
    struct random again = *random;
    buf_reset(&p->old.text);
    buf_reset(&p->new.text);
    put_spec(random, &p->old.text);
    again.strays = true;
    put_spec(&again, &p->new.text);
    random->other = again.other;
    bool fine = open_side(&p->old, "old.gram");
    fine = open_side(&p->new, "new.gram") && fine;
    if (fine && strcmp(p->old.text.ptr, p->new.text.ptr) != 0) {
        p->impacts = judge(&p->old, &p->new);
        p->checked = 0;
        counts->pairs++;
        counts->calm += p->impacts.caller < GRAMC_IMPACT_BREAKING ||
                        p->impacts.implementer < GRAMC_IMPACT_BREAKING;
        check_samples(random, p);
        counts->checked += p->checked;
    }
    gramc_compilation_free(p->old.compilation);
    gramc_compilation_free(p->new.compilation);
}

static void test_samples(void **state) {
    struct random random = {UINT64_C(0x9E3779B97F4A7C15), UINT64_C(0xD1B54A32D192ED03), false};
    const char *seed = getenv("GRAMC_SEED");
    size_t rounds = getenv("GRAMC_LONG") ? (size_t)PAIRS * LONG_FACTOR : PAIRS;
    struct counts counts = {0, 0, 0};
    struct pair pair;
    (void)state;
    if (seed) random.state ^= strtoull(seed, NULL, 10);
    open_bufs(&pair);
    for (size_t i = 0; i < rounds; i++) try_pair(&random, &pair, &counts);
    close_bufs(&pair);
    print_message("%zu pairs, %zu not breaking for a side, %zu samples accepted by one of both\n",
                  counts.pairs, counts.calm, counts.checked);
    assert_true(counts.pairs > rounds / 4 && counts.calm > counts.pairs / 10);
    assert_true(counts.checked > counts.pairs);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
