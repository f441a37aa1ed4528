/* Every answer of recorded conversations, cut behind each of its bytes, and with each of its values
 * replaced by one of every type: a whole run each, in every protocol, streamed and not. No run
 * crashes or hangs, none says that it was answered with what the model did not say, and no tool is
 * called with arguments that the model did not write. GRAMC_LONG=1 tries all of them, else a sample
 * is. */
#define _GNU_SOURCE /* memmem */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json.h"
#include "base/text.h"
#include "runtime/loop.h"
#include "tests/answers/lab.h"
#include "tests/answers/pairs.h"

/* One scenario in one way, and how it ends where nothing is changed. */
struct bench {
    struct lab lab;
    const struct scenario *scenario;
    struct buf files[SCENARIO_STEPS];
    struct replayed answers[SCENARIO_STEPS];
    size_t count;
    struct came whole, came;
    size_t runs, unlike; /* made; that ended otherwise than the whole */
};

static size_t stride(size_t sample) {
    const char *all = getenv("GRAMC_LONG");
    return all && strcmp(all, "1") == 0 ? 1 : sample;
}

/* ## What holds for every run */

static void expect_lines(gramc_text trace) {
    struct arena arena;
    arena_init(&arena, NULL);
    while (trace.len) {
        const char *end = memchr(trace.ptr, '\n', trace.len);
        assert_non_null(end);
        size_t len = (size_t)(end - trace.ptr);
        assert_true(json_is(json_parse(&arena, text_slice(trace, 0, len), NULL), JSON_OBJECT));
        trace = text_slice(trace, len + 1, trace.len);
    }
    arena_free(&arena);
}

static const char *name_of(const struct bench *bench, size_t step) {
    static char name[128];
    snprintf(name, sizeof name, "%s/%s.%s", bench->lab.way->folder, bench->scenario->steps[step],
             bench->lab.stream ? "stream" : "json");
    return name;
}

static void run(struct bench *bench) {
    struct came *came = &bench->came;
    lab_run(&bench->lab, came, bench->answers, bench->count);
    bench->runs++;
    if (came->done != 1) fail_msg("it ended %d times", came->done);
    if (came->outcome == GRAMC_OUTCOME_INTERNAL) fail_msg("internal: %s", came->message);
    if (came->outcome != GRAMC_OUTCOME_ANSWERED && !came->message[0]) fail_msg("not a word");
    expect_lines(buf_view(&came->trace));
    for (size_t i = 0; i < replay_count(bench->lab.loop->http) && i < SCENARIO_STEPS; i++) {
        gramc_text body = replay_request(bench->lab.loop->http, i);
        if (!pairs_match(bench->lab.way->folder, body))
            fail_msg("%s: calls and results do not match in %.*s", bench->lab.way->folder,
                     TEXT_ARGS(body));
    }
}

static bool is_whole(const struct bench *bench) {
    const struct came *came = &bench->came, *whole = &bench->whole;
    return came->outcome == whole->outcome && came->requests == whole->requests &&
           text_eq(buf_view(&came->text), buf_view(&whole->text)) &&
           text_eq(buf_view(&came->calls), buf_view(&whole->calls));
}

/* Every line of the one stands in the other. */
static bool lines_are_among(gramc_text lines, gramc_text all) {
    while (lines.len) {
        const char *end = memchr(lines.ptr, '\n', lines.len);
        size_t len = end ? (size_t)(end - lines.ptr) + 1 : lines.len;
        if (!memmem(all.ptr, all.len, lines.ptr, len)) return false;
        lines = text_slice(lines, len, lines.len);
    }
    return true;
}

/* ## Benches */

static void bench_free(struct bench *bench) {
    for (size_t i = 0; i < SCENARIO_STEPS; i++) buf_free(&bench->files[i]);
    came_free(&bench->whole);
    came_free(&bench->came);
    lab_free(&bench->lab);
}

/* False: this way has no such thing. */
static bool bench_init(struct bench *bench, const struct way *way, bool stream,
                       const struct scenario *scenario) {
    if (lab_lists(scenario->lacking, text_of(way->folder))) return false;
    *bench = (struct bench){.scenario = scenario};
    lab_init(&bench->lab, way, stream);
    came_init(&bench->whole);
    came_init(&bench->came);
    for (size_t i = 0; i < SCENARIO_STEPS; i++) {
        buf_init(&bench->files[i], NULL, 1 << 20);
        if (!scenario->steps[i]) continue;
        if (!lab_read(&bench->files[i], &bench->lab, scenario->steps[i]))
            fail_msg("%s cannot be read", name_of(bench, i));
        bench->answers[i].body = buf_view(&bench->files[i]);
        bench->count++;
    }
    lab_run(&bench->lab, &bench->whole, bench->answers, bench->count);
    return true;
}

/* How often `use` complained. */
static int for_each_bench(int (*use)(struct bench *bench)) {
    int bad = 0;
    for (size_t i = 0; i < WAYS * SCENARIOS * 2; i++) {
        struct bench bench;
        const struct way *way = &ways[i / (SCENARIOS * 2)];
        if (!bench_init(&bench, way, i % 2, &scenarios[i / 2 % SCENARIOS])) continue;
        bad += use(&bench);
        bench_free(&bench);
    }
    return bad;
}

static int check_whole(struct bench *bench) {
    const struct came *whole = &bench->whole;
    const struct scenario *scenario = bench->scenario;
    static const char *const calls[] = {
        "look{\"city\":\"Z\303\274rich\"}\nadd{\"a\":20,\"b\":-1}\nadd{\"a\":19,\"b\":6}\n",
        "look{\"city\":\"Z\303\274rich\"}\nadd{\"a\":19,\"b\":6}\n"};
    bool one = strcmp(bench->lab.way->folder, "functions") == 0;
    if (whole->outcome != scenario->outcome)
        fail_msg("%s: %s: %s", name_of(bench, 0), gramc_outcome_name(whole->outcome),
                 whole->message);
    if (!text_is(buf_view(&whole->text), scenario->text))
        fail_msg("%s: '%.*s'", name_of(bench, 0), TEXT_ARGS(buf_view(&whole->text)));
    assert_int_equal(whole->requests, bench->count);
    assert_true(text_is(buf_view(&whole->calls), bench->count == 3 ? calls[one] : ""));
    return 0;
}

static void as_recorded(void **state) {
    (void)state;
    assert_int_equal(for_each_bench(check_whole), 0);
}

/* ## Cut */

/* How far a text may have come when its answer broke off. */
static void expect_broken(const struct bench *bench, size_t step) {
    const struct came *came = &bench->came, *whole = &bench->whole;
    gramc_text text = buf_view(&came->text), said = buf_view(&whole->said);
    size_t calls = whole->calls_before[step];
    if (came->outcome != GRAMC_OUTCOME_MODEL_ERROR)
        fail_msg("%s: cut after %zu bytes it ended as %s", name_of(bench, step),
                 bench->answers[step].body.len, gramc_outcome_name(came->outcome));
    assert_int_equal(came->requests, step + 1);
    assert_true(text_eq(buf_view(&came->calls), text_slice(buf_view(&whole->calls), 0, calls)));
    if (text.len && !text_is(text, "One moment.") &&
        !memmem(said.ptr, said.len, text.ptr, text.len))
        fail_msg("it says '%.*s'", TEXT_ARGS(text));
}

static void cut_step(struct bench *bench, size_t step) {
    static const enum http_failure ends[] = {HTTP_FINE, HTTP_UNREACHABLE, HTTP_TIMED_OUT};
    gramc_text all = bench->answers[step].body;
    size_t every = stride(11), known[3] = {0, 0, 0};
    for (size_t len = 0; len < all.len; len += every)
        for (size_t i = 0; i < 3; i++) {
            bench->answers[step].body = text_slice(all, 0, len);
            bench->answers[step].failure = ends[i];
            bench->answers[step].part = len % 5 == 0 ? 64 : 0;
            run(bench);
            bool unended = !bench->lab.stream && ends[i] != HTTP_FINE;
            if (unended || !is_whole(bench)) {
                if (known[i])
                    fail_msg("%s: whole after %zu bytes, not after %zu", name_of(bench, step),
                             known[i], len);
                expect_broken(bench, step);
                bench->unlike++;
            } else if (!known[i]) known[i] = len;
        }
    bench->answers[step] = (struct replayed){.body = all};
    for (size_t i = 0; i < 3; i++)
        if (known[i] && known[i] < all.len / 2)
            fail_msg("%s: whole after %zu of %zu bytes", name_of(bench, step), known[i], all.len);
}

static int cut_steps(struct bench *bench) {
    for (size_t step = 0; step < bench->count; step++) cut_step(bench, step);
    assert_true(bench->unlike > 0);
    return 0;
}

static void cut(void **state) {
    (void)state;
    assert_int_equal(for_each_bench(cut_steps), 0);
}

/* ## Replaced */

static const char *const others[] = {
    NULL /* left out */, "null", "true", "0", "-1", "1e400", "\"\"", "[]", "{}"};
enum { OTHERS = sizeof others / sizeof *others };

/* A value of an answer: where it stands, and what it is called or what holds it is. */
struct place {
    size_t start, end;
    gramc_text key;
    enum json_kind kind;
    bool is_member;
    size_t from; /* of a member, with its key and a comma */
};

struct places {
    struct place *list;
    size_t count, room;
};

static void add_place(struct places *places, struct place place) {
    if (places->count == places->room) {
        places->room = 2 * places->room + 64;
        places->list = realloc(places->list, places->room * sizeof *places->list);
        assert_non_null(places->list);
    }
    places->list[places->count++] = place;
}

static void find_places(struct places *places, gramc_text all, size_t base,
                        const struct json *value, gramc_text key) {
    for (const struct json *item = value->first; item; item = item->next) {
        bool member = value->kind == JSON_OBJECT;
        gramc_text own = member ? item->key : key;
        struct place place = {base + item->start,
                              base + item->end,
                              own,
                              (enum json_kind)item->kind,
                              member,
                              base + (member ? item->key_start : item->start)};
        add_place(places, place);
        find_places(places, all, base, item, own);
    }
}

/* Of each line that holds an object, from its brace on. */
static void find_all(struct places *places, struct arena *arena, gramc_text all) {
    for (size_t at = 0, end; at < all.len; at = end + 1) {
        const char *feed = memchr(all.ptr + at, '\n', all.len - at);
        end = feed ? (size_t)(feed - all.ptr) : all.len;
        const char *brace = memchr(all.ptr + at, '{', end - at);
        if (!brace) continue;
        size_t start = (size_t)(brace - all.ptr);
        const struct json *json = json_parse(arena, text_slice(all, start, end), NULL);
        assert_non_null(json);
        add_place(places, (struct place){start, end, TEXT(""), JSON_OBJECT, false, start});
        find_places(places, all, start, json, TEXT(""));
    }
}

/* A member is left out with one of the commas beside it. */
static void put_replaced(struct buf *out, gramc_text all, const struct place *place,
                         const char *other) {
    size_t from = other ? place->start : place->from, end = place->end;
    if (!other && all.ptr[end] == ',') end++;
    else if (!other && from && all.ptr[from - 1] == ',') from--;
    buf_reset(out);
    buf_text(out, text_slice(all, 0, from));
    buf_puts(out, other ? other : "");
    buf_text(out, text_slice(all, end, all.len));
}

/* The text but for one piece of it. */
static bool lacks_a_piece(gramc_text text, gramc_text whole) {
    size_t before = 0, behind = 0;
    if (text.len >= whole.len) return false;
    while (before < text.len && text.ptr[before] == whole.ptr[before]) before++;
    while (behind < text.len &&
           text.ptr[text.len - 1 - behind] == whole.ptr[whole.len - 1 - behind])
        behind++;
    return before + behind >= text.len;
}

/* Says nothing where something could have been said, in a way that no reader can take for wrong. */
static bool is_nothing(const struct place *place, const char *other) {
    static const char *const empty[] = {
        [JSON_STRING] = "\"\"", [JSON_ARRAY] = "[]", [JSON_OBJECT] = "{}"};
    if (!other) return true;
    if (strcmp(other, "null") == 0) return place->is_member;
    const char *same = place->kind < sizeof empty / sizeof *empty ? empty[place->kind] : NULL;
    /* a text may be in parts, events in a list, and there may be none of them */
    bool none = text_is(place->key, "content") || place->key.len == 0;
    if (none && strcmp(other, "[]") == 0) return true;
    bool ends = text_is(place->key, "done") && strcmp(other, "true") == 0;
    return ends || (same && strcmp(same, other) == 0);
}

/* What is wrong with how the run ended; NULL: nothing. */
static const char *judge(const struct bench *bench, size_t step, const struct place *place,
                         const char *other) {
    const struct came *came = &bench->came, *whole = &bench->whole;
    const struct way *way = bench->lab.way;
    bool finish = lab_lists(way->finish, place->key);
    bool heeded = finish || place->key.len == 0 || lab_lists(way->heeded, place->key);
    if (is_whole(bench)) return NULL;
    if (!heeded) return "it is of no concern";
    bool argument = lab_lists(" city a b ", place->key); /* then the model did ask for it */
    if (!argument && !lines_are_among(buf_view(&came->calls), buf_view(&whole->calls)))
        return "a call that nobody asked for";
    if (came->outcome == GRAMC_OUTCOME_MODEL_ERROR || came->outcome == GRAMC_OUTCOME_EMPTY_RESPONSE)
        return NULL;
    gramc_text text = buf_view(&came->text), all = buf_view(&whole->text);
    bool nothing = is_nothing(place, other);
    bool cut_off = strcmp(bench->scenario->steps[step], "length-call") == 0;
    if (nothing && cut_off && came->outcome == GRAMC_OUTCOME_LENGTH) return NULL;
    if (came->outcome != whole->outcome &&
        !(nothing && finish && came->outcome == GRAMC_OUTCOME_ANSWERED))
        return "another outcome";
    if (text_eq(text, all) || (nothing && lacks_a_piece(text, all))) return NULL;
    if (nothing && text_is(text, "the model refused to answer")) return NULL;
    if (step || !nothing) return "another text";
    return text_is(text, "One moment.") || lacks_a_piece(text, TEXT("One moment."))
               ? NULL
               : "another text";
}

static int complain(const struct bench *bench, size_t step, const struct place *place,
                    const char *other, const char *why) {
    gramc_text body = bench->answers[step].body;
    gramc_text key = place->key;
    size_t before = place->from > 60 ? place->from - 60 : 0;
    print_message("%s: `%.*s` as %s: %s: %s, '%.*s', calls %.*s\n    %.*s\n", name_of(bench, step),
                  TEXT_ARGS(key.ptr ? key : TEXT("")), other ? other : "nothing", why,
                  gramc_outcome_name(bench->came.outcome), TEXT_ARGS(buf_view(&bench->came.text)),
                  TEXT_ARGS(buf_view(&bench->came.calls)),
                  (int)(body.len - before < 110 ? body.len - before : 110), body.ptr + before);
    return 1;
}

static int replace_in(struct bench *bench, size_t step) {
    struct places places = {NULL, 0, 0};
    struct arena arena;
    struct buf changed;
    gramc_text all = bench->answers[step].body;
    size_t every = stride(4);
    int bad = 0;
    arena_init(&arena, NULL);
    buf_init(&changed, NULL, 1 << 20);
    find_all(&places, &arena, all);
    for (size_t n = 0; n < places.count * OTHERS; n += every) {
        const struct place *place = &places.list[n / OTHERS];
        const char *other = others[n % OTHERS];
        put_replaced(&changed, all, place, other);
        bench->answers[step].body = buf_view(&changed);
        run(bench);
        bench->unlike += !is_whole(bench);
        const char *why = judge(bench, step, place, other);
        if (why) bad += complain(bench, step, place, other, why);
    }
    bench->answers[step].body = all;
    free(places.list);
    buf_free(&changed);
    arena_free(&arena);
    return bad;
}

static int replace_steps(struct bench *bench) {
    int bad = 0;
    for (size_t step = 0; step < bench->count; step++) bad += replace_in(bench, step);
    assert_true(bench->unlike > 0);
    return bad;
}

static void replaced(void **state) {
    (void)state;
    assert_int_equal(for_each_bench(replace_steps), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_recorded),
        cmocka_unit_test(cut),
        cmocka_unit_test(replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
