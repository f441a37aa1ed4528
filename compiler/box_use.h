/* `[name:ToolBox {...}]` among the elements of an agent or a task. */
#ifndef COMPILER_BOX_USE_H
#define COMPILER_BOX_USE_H

#include "compiler/compilation.h"

bool box_use_is(const struct pattern *element);
/* Those of one owner, each once; NULL if there are none. */
const gramc_box_use *box_uses_read(struct pass *pass, const struct pattern *elements,
                                   size_t *count);

#endif
