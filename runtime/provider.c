/* Which servers of models are known by name: where they are, which environment variable holds their
 * key, how they are asked, and by whose rules they take names. Others are named by their URL. */
#include "base/text.h"
#include "gramc/runtime.h"
#include "runtime/llm.h"

static const gramc_provider providers[] = {
#define GRAMC_PROVIDER(word, name, url, key, target, protocol, profile)                            \
    {word, url, key, target, protocol},
#include "gramc/providers.def"
};

static const unsigned profiles[] = {
#define GRAMC_PROVIDER(word, name, url, key, target, protocol, profile) profile,
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

/* Under OpenAI's name many a server is asked that knows OpenAI's protocol of years ago. */
unsigned provider_profile(gramc_text model, gramc_text base_url) {
    const gramc_provider *provider = gramc_provider_of(model);
    if (!provider) return 0;
    bool elsewhere = base_url.len && !text_is(base_url, provider->base_url);
    unsigned profile = profiles[provider - providers];
    return elsewhere ? profile & ~(unsigned)PROFILE_COMPLETION_TOKENS : profile;
}
