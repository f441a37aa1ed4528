/* Names of models: `Provider/id`. */
#ifndef COMPILER_MODEL_H
#define COMPILER_MODEL_H

#include "compiler/config.h"

/* Reports, of the property of that name if the subject has it, a model that lacks its provider or
 * its id, and a provider that nobody knows: none of the table (gramc/providers.def) nor of the
 * configuration's `endpoints`. An id alone is fine, and so is a value that is no text: that is
 * another pass's finding. `config` may be NULL. */
void model_check(struct pass *pass, const struct config *config, const struct subject *subject,
                 const char *name);
/* The same for a provider by itself: `provider: "Ollama"`. */
void provider_check(struct pass *pass, const struct config *config, const struct value *value,
                    gramc_text provider);

#endif
