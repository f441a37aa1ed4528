/* The kinds of implementations (gramc/kinds.def), as the compiler asks for them. */
#ifndef COMPILER_KINDS_H
#define COMPILER_KINDS_H

#include "compiler/library.h"

enum {
#define GRAMC_KIND(id, word, value, takes, example) KIND_COUNT_##id,
#include "gramc/kinds.def"
    KINDS
};

/* Reads the value of the property that chose the kind. */
void kind_read(struct pass *pass, struct impl *impl, const struct value *value);
/* True if the property means something to the kind. */
bool kind_takes(gramc_impl_kind kind, gramc_text property);
/* The words of the kinds that take it: "exec and plugin"; empty: it is everybody's. */
gramc_text kinds_that_take(struct arena *arena, gramc_text property);
/* "say one of ..." */
gramc_text kinds_help(struct arena *arena);
/* Is everything there that the kind needs? */
bool impl_is_whole(const gramc_impl *impl);
/* A box of the library is named by it, and a file is the target. */
bool impl_names_server(const gramc_impl *impl);
/* Of a command: the word that is a file beside the library (./x, or a script of ours by its ending,
 * as the first word behind the program); empty: none is. */
gramc_text command_script(const gramc_text *argv, size_t argc);
bool impl_names_file(const gramc_impl *impl);
/* The label of boxes that have tools of the kind; NULL: there are none. */
const char *kind_box_label(gramc_impl_kind kind);

#endif
