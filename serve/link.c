/* Opens libmicrohttpd by name, so that only `gramc serve` loads it and the TLS library that it
 * drags along: the other commands start without their milliseconds. */
#define _POSIX_C_SOURCE 200809L
#include "serve/link.h"

#include <dlfcn.h>

/* ISO C has no conversion from what dlsym returns to a function. */
static bool find(const struct microhttpd *library, const char *name, void *function) {
    void *found = dlsym(library->module, name);
    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

gramc_status microhttpd_open(struct microhttpd *out) {
    bool good = true;
    *out = (struct microhttpd){.module = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL)};
    if (!out->module) return GRAMC_FINDINGS;
#define FUNCTION(ours, theirs, returns, takes) good = find(out, "MHD_" #theirs, &out->ours) && good;
    HTTPD_FUNCTIONS(FUNCTION)
#undef FUNCTION
    return good ? GRAMC_OK : GRAMC_FINDINGS;
}

void microhttpd_close(struct microhttpd *library) {
    if (library->module) dlclose(library->module);
    library->module = NULL;
}
