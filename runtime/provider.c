/* Which servers of models are known by name: where they are, which environment variable holds their
 * key, how they are asked, and by whose rules they take names. Others are named by their URL. */
#include "base/text.h"
#include "gramc/runtime.h"
#include "runtime/llm.h"

static const gramc_provider providers[] = {
#define GRAMC_PROVIDER(word, name, url, key, target, protocol) {word, url, key, target, protocol},
#include "gramc/providers.def"
};

const gramc_provider *gramc_provider_get(size_t i) {
    return i < sizeof(providers) / sizeof(providers[0]) ? &providers[i] : NULL;
}

const gramc_provider *gramc_provider_of(gramc_text model) {
    gramc_text name = model_provider(model);
    if (name.len == 0) return &providers[0];
    for (size_t i = 0; i < sizeof(providers) / sizeof(providers[0]); i++)
        if (text_is_nocase(name, providers[i].name)) return &providers[i];
    return NULL;
}
