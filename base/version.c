/* Says which version is running, and which versions of the forms it reads and writes. */
#include "base/version.h"

#include "gramc/gramc.h"

#define STRING_OF(x) #x
#define VERSION(major, minor, patch) STRING_OF(major) "." STRING_OF(minor) "." STRING_OF(patch)

const char *gramc_version(void) {
    return VERSION(GRAMC_VERSION_MAJOR, GRAMC_VERSION_MINOR, GRAMC_VERSION_PATCH);
}

bool gramc_format_version_get(size_t i, gramc_format_version *out) {
    static const gramc_format_version forms[] = {
        {"language", VERSION_LANGUAGE},
        {"bundle", VERSION_BUNDLE},
        {"trace", VERSION_TRACE},
        {"snapshot", VERSION_SNAPSHOT},
        {"baseline", VERSION_BASELINE},
        {"diagnostics", VERSION_DIAGNOSTICS},
        {"run", VERSION_RUN},
        {"session", VERSION_SESSION},
        {"experiment", VERSION_EXPERIMENT},
        {"plan", VERSION_PLAN},
        {"cassette", VERSION_CASSETTE},
        {"work", VERSION_WORK},
    };
    if (i >= sizeof forms / sizeof *forms) return false;
    *out = forms[i];
    return true;
}

const char *gramc_notation_version(void) {
    return VERSION_NOTATION;
}
