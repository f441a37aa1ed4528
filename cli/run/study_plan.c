/* gramc experiment FILE plan: what would be run, in which order, and what it will probably cost.
 * Calls nothing. */
#include <math.h>
#include <string.h>

#include "base/json/writer.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/run/study_estimate.h"

enum { PLACES_SHOWN = 5, PLAN_MAX = 256 << 20, COST_ROOM = 40 };

static void count_first(const struct study *study, uint32_t first[ARMS_MAX]) {
    const struct plan *plan = &study->plan;
    uint32_t arms[ARMS_MAX];
    for (uint32_t item = 0; item < plan->items; item++)
        for (uint32_t repeat = 0; repeat < plan->repeats; repeat++) {
            plan_arms(plan, item, repeat, arms);
            first[arms[0]]++;
        }
}

/* ## For people */

static void put_differences(const struct study *study, size_t i) {
    FILE *out = study->cli->out;
    if (!study->arms[i].differs.len) return;
    fputs("           differs from ", out);
    cli_put_safe(out, study->experiment->arms[0].name);
    fputs(": ", out);
    cli_put_safe(out, study->arms[i].differs);
    fputc('\n', out);
}

static void put_arms(const struct study *study) {
    FILE *out = study->cli->out;
    for (size_t i = 0; i < study->arm_count; i++) {
        const gramc_arm *arm = &study->experiment->arms[i];
        fputs(i ? "           " : "Arms:      ", out);
        cli_put_safe(out, arm->name);
        fputs(": agent ", out);
        cli_put_safe(out, arm->agent->name);
        if (arm->library) {
            fputs(", library ", out);
            cli_put_safe(out, arm->library->name);
        }
        fprintf(out, ", model %s", study->arms[i].model_name);
        if (!study->arms[i].has_prices) fputs(" (no price known)", out);
        fputc('\n', out);
        put_differences(study, i);
    }
}

static void put_order(const struct study *study) {
    const struct plan *plan = &study->plan;
    uint32_t first[ARMS_MAX] = {0};
    FILE *out = study->cli->out;
    fputs("Order:     ", out);
    for (uint32_t place = 0; place < plan->items && place < PLACES_SHOWN; place++) {
        if (place) fputs(", ", out);
        cli_put_safe(out, plan->cases->items[plan->order[place]].id);
    }
    fputs(plan->items > PLACES_SHOWN ? ", ...\nFirst:     " : "\nFirst:     ", out);
    count_first(study, first);
    for (uint32_t i = 0; i < plan->arms; i++) {
        fprintf(out, "%s%u time%s ", i ? ", " : "", (unsigned)first[i], text_plural(first[i]));
        cli_put_safe(out, study->experiment->arms[i].name);
    }
    fputc('\n', out);
}

static void spell_count(char room[COST_ROOM], double count) {
    snprintf(room, COST_ROOM, "%.0f", count);
}

/* Three digits that count, two decimals at least. */
static void spell_cost(char room[COST_ROOM], double cost) {
    int decimals = cost > 0 ? 2 - (int)floor(log10(cost)) : 2;
    snprintf(room, COST_ROOM, "%.*f", decimals < 2 ? 2 : decimals > 9 ? 9 : decimals, cost);
}

static void put_range(FILE *out, const struct estimate_range *range,
                      void (*spell)(char room[COST_ROOM], double value)) {
    char low[COST_ROOM], high[COST_ROOM];
    if (!range->known) {
        fputs("unknown", out);
        return;
    }
    spell(low, range->low);
    spell(high, range->high);
    if (!range->bounded) fprintf(out, "at least %s", low);
    else if (strcmp(low, high) == 0) fputs(low, out);
    else fprintf(out, "%s to %s", low, high);
}

static void put_arm_estimate(FILE *out, gramc_text name, const struct estimate_arm *arm) {
    cli_put_safe(out, name);
    fputs(": requests ", out);
    put_range(out, &arm->requests, spell_count);
    fputs(", tokens in ", out);
    put_range(out, &arm->input, spell_count);
    fputs(" and out ", out);
    put_range(out, &arm->output, spell_count);
    fputs(", cost ", out);
    put_range(out, &arm->cost, spell_cost);
    const char *basis = estimate_basis_name(arm->basis);
    int shown = (int)strlen(basis) - (arm->seen == 1); /* one has no s */
    fprintf(out, " (by %llu %.*s)\n", (unsigned long long)arm->seen, shown, basis);
}

static void put_estimate(const struct study *study, const struct study_estimate *estimate) {
    FILE *out = study->cli->out;
    for (size_t i = 0; i < study->arm_count; i++) {
        fputs(i ? "           " : "Estimate:  ", out);
        put_arm_estimate(out, study->experiment->arms[i].name, &estimate->arms[i]);
    }
    if (estimate->judge_requests) {
        fprintf(out, "           judges, apart: requests %llu, cost ",
                (unsigned long long)estimate->judge_requests);
        put_range(out, &estimate->judge_cost, spell_cost);
        fputc('\n', out);
    }
    fputs("           all arms: cost ", out);
    put_range(out, &estimate->cost, spell_cost);
    fputs(study_plays_models(study) ? "; --replay asks nobody and costs nothing\n" : "\n", out);
}

static int put_text(struct study *study, const struct study_estimate *estimate) {
    const struct plan *plan = &study->plan;
    FILE *out = study->cli->out;
    fputs("Experiment ", out);
    cli_put_safe(out, study->experiment->name);
    fprintf(out, "\nRuns:      %llu = %u cases x %u repeat%s x %u arms\n",
            (unsigned long long)plan_cells(plan), (unsigned)plan->items, (unsigned)plan->repeats,
            text_plural(plan->repeats), (unsigned)plan->arms);
    put_arms(study);
    put_order(study);
    put_estimate(study, estimate);
    fprintf(out, "Seed:      %llu\nPlan:      %.12s\n", (unsigned long long)plan->seed,
            plan->fingerprint);
    return EXIT_FINE;
}

/* ## For programs: docs/formats/plan.schema.json */

static void write_amount(struct json_writer *w, double value) {
    json_put_double(json_slot(w), value);
}

static void write_count(struct json_writer *w, double value) {
    json_number(w, (uint64_t)(value + 0.5));
}

static void write_range(struct json_writer *w, const char *key, const struct estimate_range *range,
                        void (*write)(struct json_writer *w, double value)) {
    json_key(w, key);
    if (!range->known) {
        json_null(w);
        return;
    }
    json_object_begin(w);
    json_key(w, "low");
    write(w, range->low);
    json_key(w, "high");
    if (range->bounded) write(w, range->high);
    else json_null(w);
    json_object_end(w);
}

static void write_arm(struct json_writer *w, const struct study *study, size_t i, uint32_t first,
                      const struct estimate_arm *estimate) {
    const gramc_arm *arm = &study->experiment->arms[i];
    json_object_begin(w);
    json_member_text(w, "name", arm->name);
    json_member_text(w, "agent", arm->agent->name);
    json_member_some(w, "library", arm->library ? arm->library->name : TEXT(""));
    json_member_text(w, "model", text_of(study->arms[i].model_name));
    json_member_some(w, "differs", study->arms[i].differs);
    json_member_bool(w, "priced", study->arms[i].has_prices);
    json_member_number(w, "first", first);
    json_member_object(w, "estimate");
    json_member_text(w, "basis", text_of(estimate_basis_name(estimate->basis)));
    json_member_number(w, "seen", estimate->seen);
    write_range(w, "requests", &estimate->requests, write_count);
    write_range(w, "input_tokens", &estimate->input, write_count);
    write_range(w, "output_tokens", &estimate->output, write_count);
    write_range(w, "cost", &estimate->cost, write_amount);
    json_object_end(w);
    json_object_end(w);
}

static void write_plan(struct json_writer *w, const struct study *study,
                       const struct study_estimate *estimate) {
    const struct plan *plan = &study->plan;
    uint32_t first[ARMS_MAX] = {0};
    json_member_text(w, "format", TEXT("gramc-plan"));
    json_member_number(w, "version", VERSION_PLAN);
    json_member_text(w, "experiment", study->experiment->name);
    json_member_text(w, "plan", text_of(plan->fingerprint));
    json_member_number(w, "seed", plan->seed);
    json_member_number(w, "runs", plan_cells(plan));
    json_member_number(w, "repeats", plan->repeats);
    json_member_array(w, "order");
    for (uint32_t place = 0; place < plan->items; place++)
        json_text(w, plan->cases->items[plan->order[place]].id);
    json_array_end(w);
    count_first(study, first);
    json_member_array(w, "arms");
    for (size_t i = 0; i < study->arm_count; i++)
        write_arm(w, study, i, first[i], &estimate->arms[i]);
    json_array_end(w);
    json_member_object(w, "judges");
    json_member_number(w, "requests", estimate->judge_requests);
    write_range(w, "cost", &estimate->judge_cost, write_amount);
    json_object_end(w);
    write_range(w, "cost", &estimate->cost, write_amount);
    json_member_bool(w, "replayed", study_plays_models(study));
}

static int put_json(struct study *study, const struct study_estimate *estimate) {
    struct buf out;
    buf_init(&out, &study->cli->allocator, PLAN_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    write_plan(&w, study, estimate);
    json_object_end(&w);
    buf_putc(&out, '\n');
    int code = cli_send_json_buf(study->cli, &out);
    buf_free(&out);
    return code;
}

int study_print_plan(struct study *study) {
    struct study_estimate estimate;
    gramc_text format = text_of(study->request.format->name);
    bool json = text_is(format, "json");
    if (!json && !text_is(format, "text"))
        return cli_usage(study->cli, "plan: --format takes text or json");
    int code = study_estimate(&estimate, study);
    if (code != EXIT_FINE) return code;
    return json ? put_json(study, &estimate) : put_text(study, &estimate);
}
