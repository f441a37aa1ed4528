/* A program of somebody else's that starts what libgramcrun needs for a run, and says whether it
 * could. */
#include <gramc/runtime.h>
#include <stdio.h>

int main(void) {
    gramc_builtins *builtins;
    gramc_loop *loop;
    if (!*gramc_version()) return 3; /* the compiler's library is found as well */
    if (gramc_builtins_new(&builtins, NULL)) return 1;
    if (gramc_loop_new(&loop, NULL)) return 2;
    gramc_loop_free(loop);
    gramc_builtins_free(builtins);
    puts("runs works");
    return 0;
}
