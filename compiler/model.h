/* Names of models: `Provider/id`. */
#ifndef COMPILER_MODEL_H
#define COMPILER_MODEL_H

#include "compiler/compilation.h"

/* Reports a model that lacks its provider or its id, and a provider that nobody knows: none of the
 * table (gramc/providers.def) nor of the configuration's `endpoints`. An id alone is fine, and so
 * is a value that is no text: that is another pass's finding. */
void model_check(struct pass *pass, const struct value *value);
/* The same for the property of that name, if the subject has it. */
void model_check_property(struct pass *pass, const struct subject *subject, const char *name);
/* A provider by itself: `provider: "Ollama"`. */
void provider_check(struct pass *pass, const struct value *value, gramc_text provider);

#endif
