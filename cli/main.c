/* The gramc command. */
#include "gramc/gramc.h"
int main(void) {
    return gramc_version()[0] == '0' ? 0 : 1;
}
