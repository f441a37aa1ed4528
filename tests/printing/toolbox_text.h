/* The findings of a toolbox, a line each with a line for its help. */
#ifndef TESTS_PRINTING_TOOLBOX_TEXT_H
#define TESTS_PRINTING_TOOLBOX_TEXT_H

#include "base/buf.h"
#include "toolbox/toolbox.h"

void toolbox_put_findings(struct buf *out, const struct toolbox *toolbox);

#endif
