/* Templates that an engine of the host fills in (gramc/toolbox.h). */
#ifndef TOOLBOX_ENGINE_H
#define TOOLBOX_ENGINE_H

#include "gramc/toolbox.h"
#include "toolbox/template.h"

/* NULL: there is none of that name. */
const gramc_template_engine *engine_find(const gramc_toolbox_host *host, gramc_text name);

/* Makes a template of a text that the engine takes; `text` is copied. GRAMC_FINDINGS with `error`:
 * it does not. `names` are the tool's parameters. */
gramc_status engine_read(struct template *out, struct arena *arena,
                         const gramc_template_engine *engine, const gramc_template *what,
                         const gramc_text *names, size_t count, struct template_error *error);
/* template_expand for such a template. */
gramc_status engine_expand(struct buf *out, const struct template *what,
                           const struct json *arguments, struct template_error *error);

#endif
