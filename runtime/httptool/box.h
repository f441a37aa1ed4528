/* HttpToolBoxes of a library as boxes of tools. */
#ifndef RUNTIME_HTTPTOOL_BOX_H
#define RUNTIME_HTTPTOOL_BOX_H

#include "runtime/bind_box.h"

/* Opening one reads its file through the bind options' reader, and reports everything that is wrong
 * in it at its place. */
extern const struct box_kind http_boxes;

/* What boxes offer, without binding anything: `failure` is the first thing that is wrong with one.
 * Needs no loop. GRAMC_NOMEM. */
gramc_status http_boxes_ask(const struct box_question *question);

#endif
