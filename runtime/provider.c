/* Which OpenAI-compatible servers are known by name: where they are, which environment variable
 * holds their key, and by whose rules they take names. Others are named by their URL. */
#include "base/text.h"
#include "gramc/runtime.h"
#include "runtime/llm.h"

static const gramc_provider providers[] = {
    {"openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "openai"},
    {"gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY",
     "gemini"},
    {"openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "openai"},
    {"ollama", "http://127.0.0.1:11434/v1", NULL, "openai"},
    {"llama.cpp", "http://127.0.0.1:8080/v1", NULL, "openai"},
    {"vllm", "http://127.0.0.1:8000/v1", NULL, "openai"},
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
