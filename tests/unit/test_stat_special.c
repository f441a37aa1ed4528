/* The distributions against numbers of 20 digits (computed with mpmath), to 1e-12 of their value in
 * both tails, and their inverses against themselves over many orders of magnitude. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "experiment/stat/random.h"
#include "experiment/stat/special.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static void near(const char *what, size_t row, double got, double wanted) {
    if (!(fabs(got - wanted) <= 1e-12 * fabs(wanted)))
        fail_msg("%s, row %zu: %.17g, not %.17g", what, row, got, wanted);
}

static void log_gamma(void **state) {
    static const struct {
        double x, wanted;
    } rows[] = {{1e-05, 11.512919692895825626},   {0.25, 1.2880225246980774574},
                {0.5, 0.57236494292470008707},    {1.0000001, -5.772155829918507097e-8},
                {1.5, -0.12078223763524522235},   {2.4, 0.21685932244884157388},
                {3.7, 1.4280723266653881292},     {11.9, 17.258477450595522012},
                {12.1, 17.747007270798739306},    {170.5, 704.00442773420467079},
                {1000000.0, 12815504.56914761166}};
    (void)state;
    /* Near its zero at 1, the rounding of x itself is 1e-9 of the value. */
    for (size_t i = 0; i < COUNT(rows); i++)
        if (i != 3) near("log_gamma", i, stat_log_gamma(rows[i].x), rows[i].wanted);
    assert_true(fabs(stat_log_gamma(1.0000001) - rows[3].wanted) < 1e-22);
    assert_true(stat_log_gamma(1) == 0 && stat_log_gamma(2) == 0);
    assert_true(isnan(stat_log_gamma(0)) && isnan(stat_log_gamma(-1.5)));
    assert_true(isnan(stat_log_gamma(NAN)) && isinf(stat_log_gamma(INFINITY)));
    /* ln B(a, b) where ln Gamma cancels: B(a, 1) = 1 / a. */
    near("log_beta", 0, stat_log_beta(1e9, 1), -log(1e9));
    near("log_beta", 1, stat_log_beta(1e-3, 1), -log(1e-3));
    near("log_beta", 2, stat_log_beta(3, 4), -log(60));
}

static void normal(void **state) {
    static const struct {
        double p, wanted;
    } rows[] = {{1e-300, -37.047096299361199237},     {1e-20, -9.2623400897984075796},
                {0.001, -3.0902323061678135354},      {0.2, -0.84162123357291416552},
                {0.4999, -0.00025066283008800749239}, {0.75, 0.6744897501960817432},
                {0.975, 1.9599639845400538556},       {0.9999999, 5.1993375822906610937}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        near("normal", i, stat_normal_quantile(rows[i].p), rows[i].wanted);
    assert_true(stat_normal_quantile(0.5) == 0);
    assert_true(stat_normal_quantile(0) == -INFINITY && stat_normal_quantile(1) == INFINITY);
    assert_true(isnan(stat_normal_quantile(-1)) && isnan(stat_normal_quantile(NAN)));
    assert_true(stat_normal_cdf(INFINITY) == 1 && stat_normal_cdf(-INFINITY) == 0);
    for (double x = -37; x < 8; x += 0.173) {
        double p = stat_normal_cdf(x);
        if (p < 0.5) near("normal inverse", 0, stat_normal_quantile(p), x);
    }
}

static void beta(void **state) {
    static const struct {
        double a, b, x, lower, upper;
    } rows[] = {
        {0.5, 0.5, 0.1, 0.20483276469913345754, 0.79516723530086654246},
        {3, 4, 0.2, 0.098880000000000013642, 0.90111999999999998636},
        {500, 300, 0.6, 0.072921591992531694012, 0.92707840800746830599},
        {10000.0, 1, 0.999, 0.000045173345977048244514, 0.99995482665402295176},
        {0.1, 80, 0.02, 0.99026049717193545338, 0.0097395028280645466225},
        {200000.0, 300000.0, 0.401, 0.92551344497757894136, 0.074486555022421058643},
        {30, 2, 0.35, 4.3032362680806818084e-13, 0.99999999999956967637},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct stat_tails tails = stat_beta_tails(rows[i].a, rows[i].b, rows[i].x, 1 - rows[i].x);
        near("beta lower", i, tails.lower, rows[i].lower);
        near("beta upper", i, tails.upper, rows[i].upper);
    }
    assert_true(stat_beta_tails(2, 3, 0, 1).lower == 0 && stat_beta_tails(2, 3, 1, 0).upper == 0);
    assert_true(isnan(stat_beta_tails(0, 1, 0.5, 0.5).lower));
    assert_true(isnan(stat_beta_tails(1, 1, NAN, 0.5).lower));
    assert_true(isnan(stat_beta_tails(1, 1, 1.5, 0).upper));
}

static void t_and_chi_square(void **state) {
    static const struct {
        double t, df, upper;
    } ts[] = {{0.5, 1, 0.35241638234956672582},        {2.5, 7.25, 0.019932760379457289284},
              {40, 3, 0.000017190340394579264142},     {0.0001, 10, 0.49996108916167473343},
              {6, 100000.0, 9.899647278008812792e-10}, {3, 10000000.0, 0.0013499013555185806256}};
    static const struct {
        double x, df, upper;
    } squares[] = {{0.001, 1, 0.97477287936996038828},
                   {3.5, 2.5, 0.24443025068128152664},
                   {200, 50, 7.8576107246547435634e-20},
                   {1100, 1000, 0.014614408126295194045},
                   {30, 1, 4.3204630578274972948e-8}};
    (void)state;
    for (size_t i = 0; i < COUNT(ts); i++) {
        near("t", i, stat_t_tails(ts[i].t, ts[i].df).upper, ts[i].upper);
        near("-t", i, stat_t_tails(-ts[i].t, ts[i].df).lower, ts[i].upper);
        /* Near 1/2 the probability does not have the digits of t. */
        if (i != 3) near("t quantile", i, stat_t_quantile(ts[i].upper, ts[i].df), -ts[i].t);
    }
    for (size_t i = 0; i < COUNT(squares); i++)
        near("chi-square", i, stat_chi_square_tails(squares[i].x, squares[i].df).upper,
             squares[i].upper);
    assert_true(stat_t_quantile(0.5, 3) == 0 && stat_t_quantile(0, 3) == -INFINITY);
    assert_true(isnan(stat_t_quantile(0.5, 0)) && isnan(stat_t_tails(NAN, 3).lower));
    assert_true(stat_t_tails(INFINITY, 2).upper == 0);
    near("t of infinite df", 0, stat_t_quantile(0.975, INFINITY), 1.9599639845400538556);
    /* Cauchy: the quantile is tan. */
    near("cauchy", 0, stat_t_quantile(1e-12, 1), -1 / tan(3.14159265358979323846 * 1e-12));
}

static void binomial(void **state) {
    static const struct {
        double k, n, p, pmf, lower;
    } rows[] = {{3, 10, 0.5, 0.1171875, 0.171875},
                {0, 1000, 0.001, 0.36769542477096403696, 0.36769542477096403696},
                {420, 1000, 0.4, 0.011154301866447840935, 0.9068751547554520264},
                {7, 8, 0.9, 0.38263751999999998112, 0.56953278999999991504},
                {50, 1000000, 4e-05, 0.017706574855358126385, 0.94737549232036017399}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        near("pmf", i, stat_binomial_pmf(rows[i].k, rows[i].n, rows[i].p), rows[i].pmf);
        near("cdf", i, stat_binomial_tails(rows[i].k, rows[i].n, rows[i].p).lower, rows[i].lower);
        assert_true(stat_binomial_quantile(rows[i].lower, rows[i].n, rows[i].p) == rows[i].k);
    }
    assert_true(stat_binomial_pmf(0, 5, 0) == 1 && stat_binomial_pmf(5, 5, 1) == 1);
    assert_true(stat_binomial_pmf(3, 5, 0) == 0 && stat_binomial_pmf(0, 0, 0.3) == 1);
    assert_true(stat_binomial_tails(-1, 5, 0.3).lower == 0);
    assert_true(stat_binomial_quantile(0.5, 0, 0.3) == 0);
    assert_true(isnan(stat_binomial_pmf(1, 2, 1.5)));
}

/* Each quantile, put into its distribution, gives the probability back; and the other way round
 * symmetry holds. */
static void inverses(void **state) {
    struct stat_random random = stat_random_seeded(7);
    (void)state;
    for (int i = 0; i < 3000; i++) {
        double a = pow(10, 6 * stat_random_unit(&random) - 2);
        double b = pow(10, 6 * stat_random_unit(&random) - 2), p = stat_random_unit(&random);
        if (i % 3 == 0) p = pow(10, -12 * p);
        double x = stat_beta_quantile(p, a, b);
        assert_true(x >= 0 && x <= 1);
        if (x > 1e-290 && x < 0.5) {
            double got = stat_beta_tails(a, b, x, 1 - x).lower;
            /* One unit in the last place of x is worth so much. */
            double step = stat_beta_tails(a, b, x * (1 + 4e-16), 1 - x).lower - got;
            if (fabs(got - p) > 1e-11 * p + 4 * fabs(step)) fail_msg("beta %g %g %g", p, a, b);
        }
        double df = pow(10, 7 * stat_random_unit(&random) - 0.5), t = stat_t_quantile(p, df);
        if (p > 0.5) assert_true(t == -stat_t_quantile(1 - p, df));
        double tail = p < 0.5 ? stat_t_tails(t, df).lower : stat_t_tails(t, df).upper;
        double wanted = p < 0.5 ? p : 1 - p;
        if (fabs(tail - wanted) > 1e-12 * wanted) fail_msg("t %.17g %.17g", p, df);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_gamma),        cmocka_unit_test(normal),   cmocka_unit_test(beta),
        cmocka_unit_test(t_and_chi_square), cmocka_unit_test(binomial), cmocka_unit_test(inverses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
