/* A list of findings that is full: errors stay, then warnings, then notes, in the order of their
 * places, and every format says how many of each severity it does not show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/diag/diag.h"
#include "base/text.h"

enum { MAX = 3 };

struct list {
    struct arena arena;
    struct source source;
    struct findings findings;
};

static const struct diag_row rows[] = {{"n", "a-note", GRAMC_NOTE, "m", "why", NULL, NULL},
                                       {"w", "a-warning", GRAMC_WARNING, "m", "why", NULL, NULL},
                                       {"e", "an-error", GRAMC_ERROR, "m", "why", NULL, NULL}};

static const struct diag_row *row_of(char severity) {
    return &rows[severity == 'n' ? GRAMC_NOTE : severity == 'w' ? GRAMC_WARNING : GRAMC_ERROR];
}

/* Reports one finding a letter, each a place further on. */
static void begin(struct list *list, const char *severities) {
    *list = (struct list){
        .source = {.name = GRAMC_TEXT("f.gram"), .text = GRAMC_TEXT("abcdefghijklmnopqrstuvwxyz")}};
    arena_init(&list->arena, NULL);
    findings_init(&list->findings, &list->arena, MAX);
    for (uint32_t i = 0; severities[i]; i++)
        findings_report(&list->findings, row_of(severities[i]), &list->source,
                        (struct span){i, i + 1}, TEXT("said"));
}

/* The places that are left, as letters of the source. */
static void check_kept(struct findings *findings, const char *expected) {
    char letters[32] = "";
    size_t count = 0;
    for (const struct finding *f = findings->first; f; f = f->next)
        letters[count++] = f->source->text.ptr[f->span.start];
    assert_string_equal(letters, expected);
    assert_int_equal(findings_kept(findings), count);
    assert_true(count == 0 || findings->last->next == NULL);
}

static void the_worst_stay(void **state) {
    static const struct {
        const char *reported, *kept;
        uint32_t unshown[3]; /* by gramc_severity */
    } table[] = {
        {"", "", {0, 0, 0}},
        {"nwe", "abc", {0, 0, 0}},
        {"nnnnn", "abc", {2, 0, 0}},
        {"nnnne", "abe", {2, 0, 0}},
        {"nnnnw", "abe", {2, 0, 0}},
        {"wwwwe", "abe", {0, 2, 0}},
        {"nnnwwwe", "deg", {3, 1, 0}},
        {"nwnwnwnw", "bdf", {4, 1, 0}},
        {"ennnnnwne", "agi", {6, 0, 0}},
        {"nweeewe", "cde", {1, 2, 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct list list;
        begin(&list, table[i].reported);
        findings_sort(&list.findings);
        check_kept(&list.findings, table[i].kept);
        for (int s = GRAMC_NOTE; s <= GRAMC_ERROR; s++)
            assert_int_equal(findings_unshown(&list.findings, (gramc_severity)s),
                             table[i].unshown[s]);
        arena_free(&list.arena);
    }
}

/* What was found for a target comes when the list has been sorted already. */
static void later_errors_find_room(void **state) {
    struct list list, more;
    (void)state;
    begin(&list, "nnnn");
    findings_sort(&list.findings);
    begin(&more, "nnwwe");
    more.source.order = 1;
    findings_move(&list.findings, &more.findings, NULL, NULL);
    assert_int_equal(findings_kept(&more.findings), 0);
    findings_sort(&list.findings);
    check_kept(&list.findings, "cde");
    assert_int_equal(findings_unshown(&list.findings, GRAMC_NOTE), 6);
    arena_free(&more.arena);
    arena_free(&list.arena);
}

static void taking_back_restores_all(void **state) {
    struct list list;
    (void)state;
    begin(&list, "nnn");
    struct findings before = list.findings;
    findings_report(&list.findings, row_of('e'), &list.source, (struct span){9, 10}, TEXT("said"));
    assert_int_equal(findings_kept(&list.findings), 4);
    findings_rewind(&list.findings, &before);
    findings_sort(&list.findings);
    check_kept(&list.findings, "abc");
    assert_false(findings_have_errors(&list.findings));
    arena_free(&list.arena);
}

/* A configuration may call a note an error when all have been reported. */
static void severities_may_change(void **state) {
    struct list list;
    (void)state;
    begin(&list, "nnnwwweee");
    for (struct finding *f = list.findings.first; f; f = f->next)
        if (f->severity == GRAMC_NOTE) finding_set_severity(&list.findings, f, GRAMC_ERROR);
    findings_sort(&list.findings);
    check_kept(&list.findings, "abc");
    assert_int_equal(findings_unshown(&list.findings, GRAMC_WARNING), 3);
    assert_int_equal(findings_unshown(&list.findings, GRAMC_ERROR), 3);
    arena_free(&list.arena);
}

static void every_format_counts_them(void **state) {
    static const struct {
        gramc_report_format format;
        const char *says;
    } table[] = {
        {GRAMC_REPORT_TEXT, "\n4 notes and 1 warning more\n"},
        {GRAMC_REPORT_CONCISE, "\n4 notes and 1 warning more\n"},
        {GRAMC_REPORT_JSON, "\"not_shown\":{\"warning\":1,\"information\":4},"},
        {GRAMC_REPORT_SARIF, "\"toolExecutionNotifications\":[{\"level\":\"warning\",\"message\":{"
                             "\"text\":\"4 notes and 1 warning more\"}}]"},
        {GRAMC_REPORT_JUNIT, "    <system-out>4 notes and 1 warning more</system-out>\n"},
        {GRAMC_REPORT_GITLAB, "{\"description\":\"4 notes and 1 warning more\","},
        {GRAMC_REPORT_GITHUB, "::warning title=gramc check::4 notes and 1 warning more\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct list list;
        struct buf out;
        begin(&list, "nwnwnnwe");
        findings_sort(&list.findings);
        const struct diag_report report = {
            &list.source, &list.findings, GRAMC_ERROR, "check", "gram", NULL, NULL, 0, NULL};
        buf_init(&out, &list.arena.allocator, 1 << 20);
        diag_format_printer(table[i].format)(&out, &report);
        buf_putc(&out, '\0');
        assert_int_equal(out.state, BUF_FINE);
        if (!strstr(out.ptr, table[i].says)) fail_msg("%s in\n%s", table[i].says, out.ptr);
        buf_free(&out);
        arena_free(&list.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_stay), cmocka_unit_test(later_errors_find_room),
        cmocka_unit_test(taking_back_restores_all), cmocka_unit_test(severities_may_change),
        cmocka_unit_test(every_format_counts_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
