/* How many cases an experiment takes: what so many can show, by how often two arms would differ in
 * a case; and beside it what the runs that there are have shown. Calls nothing. */
#include <math.h>

#include "base/json/writer.h"
#include "base/list.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/run/study.h"
#include "experiment/stat/stat.h"

enum { SHARES = 3, ROWS = 6, OUTPUT_MAX = 1 << 20 };

static const double shares[SHARES] = {0.1, 0.2, 0.4}; /* of cases in which the arms differ */
static const uint64_t counts[ROWS - 1] = {50, 100, 200, 500, 1000};

/* The smallest difference of two rates that n pairs show with 80 % power, if such a share of them
 * differs; infinite: not even the largest possible one. By bisection: the larger the difference,
 * the fewer pairs it takes (Connor 1987). */
static double detectable(uint64_t n, double share, double alpha) {
    double low = 0, high = share;
    if (!(stat_items_mcnemar(share, 0, alpha, 0.8) <= (double)n)) return INFINITY;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        double needed = stat_items_mcnemar((share + middle) / 2, (share - middle) / 2, alpha, 0.8);
        if (needed <= (double)n) high = middle;
        else low = middle;
    }
    return high;
}

static double alpha_of(const struct study *study) {
    double alpha = 0.05;
    (void)number_to_double(&alpha, study->experiment->alpha);
    return alpha / (double)(study->experiment->arm_count - 1);
}

static void put_json(struct buf *out, const struct study *study) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_number(&w, "cases", study->cases.count);
    json_member_array(&w, "rows");
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t n = i ? counts[i - 1] : study->cases.count;
        for (size_t k = 0; k < SHARES; k++) {
            double least = detectable(n, shares[k], alpha_of(study));
            json_object_begin(&w);
            json_member_number(&w, "cases", n);
            json_key(&w, "differing");
            json_put_double(json_slot(&w), shares[k]);
            json_key(&w, "detectable");
            if (isfinite(least)) json_put_double(json_slot(&w), least);
            else json_null(&w);
            json_object_end(&w);
        }
    }
    json_array_end(&w);
    json_object_end(&w);
    buf_putc(out, '\n');
}

static void put_text(struct buf *out, const struct study *study) {
    buf_puts(out, "The smallest difference of two pass rates that is seen with 80 % power, if the "
                  "arms differ in\nso many cases (one run of each case in each arm):\n\n"
                  "     cases   10 %     20 %     40 %\n");
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t n = i ? counts[i - 1] : study->cases.count;
        buf_printf(out, "%10llu", (unsigned long long)n);
        for (size_t k = 0; k < SHARES; k++) {
            double least = detectable(n, shares[k], alpha_of(study));
            if (isfinite(least)) buf_printf(out, "  %4.1f pp", 100 * least);
            else buf_puts(out, "     none");
        }
        buf_puts(out, i ? "\n" : "  (those of the experiment)\n");
    }
    buf_puts(out, "\nOnce there are runs, `report` says what they need.\n");
}

int study_power(struct study *study) {
    struct cli *cli = study->cli;
    const char *format = study->request.format->name;
    struct buf out;
    int code = study_read_cases(study);
    if (code != EXIT_FINE) return code;
    bool json = text_is(text_of(format), "json");
    if (!json && !text_is(text_of(format), "text"))
        return cli_usage(cli, "power: --format takes text or json");
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    (json ? put_json : put_text)(&out, study);
    code = cli_send_json_buf(cli, &out);
    buf_free(&out);
    return code;
}
