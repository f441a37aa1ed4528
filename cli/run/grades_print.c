/* Prints what graders said of recorded answers: a table an arm and every reason, or one JSON
 * document. */
#include "cli/run/grades.h"

#include "base/json/writer.h"
#include "base/text.h"
#include "cli/run/table.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { OUTPUT_MAX = 256 << 20 };

static size_t arm_count(const struct grades *grades) {
    return grades->study->experiment->arm_count + 1;
}

/* ## For people */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static gramc_text
say(struct arena *arena, const char *format, ...) {
    struct buf out;
    va_list args;
    buf_init(&out, &arena->allocator, 200);
    va_start(args, format);
    buf_vprintf(&out, format, args);
    va_end(args);
    return buf_to_arena_cut(&out, arena);
}

static void add_row(struct table *table, struct arena *arena, gramc_text arm, gramc_text grader,
                    struct grade_sum sum) {
    table_add(table, arena, arm);
    table_add(table, arena, grader);
    table_add(table, arena, say(arena, "%zu of %zu", sum.passed, sum.count));
    table_add(table, arena, sum.scored ? say(arena, "%.3f", sum.score) : TEXT("-"));
    table_add(table, arena, sum.missing ? say(arena, "%zu", sum.missing) : TEXT("-"));
}

static void print_table(const struct grades *grades, struct arena *arena, FILE *file) {
    static const char *const heads[] = {"ARM", "GRADER", "PASSED", "SCORE", "NOT JUDGED"};
    struct table table = {.columns = 5};
    for (size_t i = 0; i < 5; i++) table_add(&table, arena, text_of(heads[i]));
    for (size_t arm = 0; arm < arm_count(grades); arm++) {
        gramc_text name = grades_arm_name(grades, arm);
        if (!grades_has_arm(grades, arm)) continue;
        for (size_t g = 0; g < grading_count(grades->grading); g++)
            if (!grading_is_preference(grades->grading, g))
                add_row(&table, arena, name, grading_name(grades->grading, g),
                        grades_sum(grades, arm, g));
        add_row(&table, arena, name, TEXT("all that are required"), grades_sum_all(grades, arm));
    }
    if (!arena->oom) table_print(&table, file);
}

static void print_reasons(const struct grades *grades, FILE *file) {
    bool any = false;
    for (size_t i = 0; i < grades->count; i++)
        for (size_t g = 0; g < grading_count(grades->grading); g++) {
            const struct graded_answer *answer = &grades->answers[i];
            const struct score *score = &answer->scores[g];
            if (score->pass || grading_is_preference(grades->grading, g)) continue;
            if (!any) fputc('\n', file);
            any = true;
            cli_put_safe(file, grades_arm_name(grades, answer->arm));
            fputc(' ', file);
            cli_put_safe(file, answer->run.item->id);
            fputs(" ", file);
            cli_put_safe(file, grading_name(grades->grading, g));
            fputs(score->missing ? ": not judged: " : ": ", file);
            cli_put_safe(file, score->reason);
            fputc('\n', file);
        }
}

static void print_gates(const struct grade_gates *gates, FILE *file) {
    if (gates->count) fputc('\n', file);
    for (size_t i = 0; i < gates->count; i++) {
        const struct grade_gate *gate = &gates->list[i];
        fprintf(file, "%s --min ", gate->passed ? "passed" : "FAILED");
        cli_put_safe(file, gate->rule.source);
        fputs(": ", file);
        cli_put_safe(file, gate->arm);
        if (isnan(gate->seen)) fputs(" has nothing that was judged\n", file);
        else fprintf(file, " has %.4g\n", gate->seen);
    }
}

int grades_print(const struct grades *grades, const struct grade_gates *gates) {
    struct cli *cli = grades->study->cli;
    struct arena arena;
    arena_init(&arena, &cli->allocator);
    print_table(grades, &arena, cli->out);
    bool oom = arena.oom;
    arena_free(&arena);
    if (oom) return cli_no_memory(cli);
    print_reasons(grades, cli->out);
    print_gates(gates, cli->out);
    if (grades->judge_cost > 0) fprintf(cli->out, "\njudges cost %.6g\n", grades->judge_cost);
    return EXIT_FINE;
}

/* ## JSON */

static void put_double(struct json_writer *w, const char *key, double value) {
    json_key(w, key);
    if (isnan(value)) json_null(w);
    else (void)json_put_double(json_slot(w), value);
}

static void put_sum(struct json_writer *w, struct grade_sum sum) {
    json_member_number(w, "passed", sum.passed);
    json_member_number(w, "missing", sum.missing);
    put_double(w, "score", sum.scored ? sum.score : (double)NAN);
}

static void put_arm(struct json_writer *w, const struct grades *grades, size_t arm) {
    struct grade_sum all = grades_sum_all(grades, arm);
    json_object_begin(w);
    json_member_text(w, "name", grades_arm_name(grades, arm));
    json_member_number(w, "answers", all.count);
    put_sum(w, all);
    json_member_array(w, "graders");
    for (size_t g = 0; g < grading_count(grades->grading); g++) {
        if (grading_is_preference(grades->grading, g)) continue;
        json_object_begin(w);
        json_member_text(w, "name", grading_name(grades->grading, g));
        json_member_bool(w, "required", grading_required(grades->grading, g));
        put_sum(w, grades_sum(grades, arm, g));
        json_object_end(w);
    }
    json_array_end(w);
    json_member_array(w, "unanswered");
    const struct cases *cases = &grades->study->cases;
    for (size_t i = 0; i < cases->count; i++)
        if (!grades_answers_case(grades, arm, &cases->items[i])) json_text(w, cases->items[i].id);
    json_array_end(w);
    json_object_end(w);
}

static void put_answer(struct json_writer *w, const struct grades *grades,
                       const struct graded_answer *answer) {
    json_object_begin(w);
    json_member_text(w, "case", answer->run.item->id);
    json_member_text(w, "arm", grades_arm_name(grades, answer->arm));
    json_member_bool(w, "pass", answer->pass);
    json_member_bool(w, "missing", answer->missing);
    if (!answer->score_missing) put_double(w, "score", answer->score);
    json_member_array(w, "graders");
    for (size_t g = 0; g < grading_count(grades->grading); g++) {
        const struct score *score = &answer->scores[g];
        if (grading_is_preference(grades->grading, g)) continue;
        json_object_begin(w);
        json_member_text(w, "name", grading_name(grades->grading, g));
        json_member_bool(w, "pass", score->pass);
        json_member_bool(w, "missing", score->missing);
        put_double(w, "score", score->value);
        json_member_some(w, "reason", score->reason);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

static void put_gates(struct json_writer *w, const struct grade_gates *gates) {
    json_member_array(w, "gates");
    for (size_t i = 0; i < gates->count; i++) {
        const struct grade_gate *gate = &gates->list[i];
        json_object_begin(w);
        json_member_text(w, "min", gate->rule.source);
        json_member_text(w, "arm", gate->arm);
        json_member_bool(w, "passed", gate->passed);
        put_double(w, "seen", gate->seen);
        json_object_end(w);
    }
    json_array_end(w);
}

int grades_print_json(const struct grades *grades, const struct grade_gates *gates) {
    struct cli *cli = grades->study->cli;
    struct buf out;
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    json_member_text(&w, "format", TEXT("gramc-grades"));
    json_member_number(&w, "version", 1);
    json_member_text(&w, "experiment", grades->study->experiment->name);
    json_member_number(&w, "cases", grades->study->cases.count);
    json_member_array(&w, "arms");
    for (size_t arm = 0; arm < arm_count(grades); arm++)
        if (grades_has_arm(grades, arm)) put_arm(&w, grades, arm);
    json_array_end(&w);
    json_member_array(&w, "answers");
    for (size_t i = 0; i < grades->count; i++) {
        json_line(&w, 0);
        put_answer(&w, grades, &grades->answers[i]);
    }
    json_array_end(&w);
    json_member_array(&w, "unknown");
    for (size_t i = 0; i < grades->unknown_count; i++) json_text(&w, grades->unknown[i]);
    json_array_end(&w);
    put_gates(&w, gates);
    put_double(&w, "judgeCost", grades->judge_cost);
    json_object_end(&w);
    buf_putc(&out, '\n');
    int code = cli_send_json_buf(cli, &out);
    buf_free(&out);
    return code;
}
