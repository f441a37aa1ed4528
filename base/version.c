/* Says which version is running. */
#include "gramc/gramc.h"

#define STRING_OF(x) #x
#define VERSION(major, minor, patch) STRING_OF(major) "." STRING_OF(minor) "." STRING_OF(patch)

const char *gramc_version(void) {
    return VERSION(GRAMC_VERSION_MAJOR, GRAMC_VERSION_MINOR, GRAMC_VERSION_PATCH);
}
