/* Passes among the repeats of an item become the chances that one of k runs passes, or all k. */
#include "experiment/stat/stat.h"

#include "experiment/stat/common.h"

/* C(n - c, k) / C(n, k): none of k draws is one of c. The same with c and k exchanged, so that the
 * shorter product is taken; it ends when nothing is left of it. */
static double none_of(double n, double c, double k) {
    double few = fmin(c, k), many = fmax(c, k), product = 1;
    for (double i = 0; i < few && product > 0; i++) product *= fmax(0, n - many - i) / (n - i);
    return product;
}

struct stat_pass stat_pass(uint64_t runs, uint64_t passes, uint64_t k) {
    double n = (double)runs, c = (double)passes, wanted = (double)k;
    if (passes > runs || k > runs) return (struct stat_pass){NAN, NAN};
    return (struct stat_pass){.at_k = 1 - none_of(n, c, wanted),
                              .hat_k = none_of(n, n - c, wanted)};
}
