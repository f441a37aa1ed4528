/* What the two halves of the node builders share. */
#ifndef GRAMMAR_BUILD_PRIVATE_H
#define GRAMMAR_BUILD_PRIVATE_H

#include "grammar/build.h"

void build_name(struct build *build, struct token token, struct name *out);
void build_extension(struct build *build, enum extension extension, struct span span);

#endif
