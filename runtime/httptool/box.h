/* An HttpToolBox of a library, opened: its file read, one upstream of it chosen, url and headers of
 * the library put over the file's. */
#ifndef RUNTIME_HTTPTOOL_BOX_H
#define RUNTIME_HTTPTOOL_BOX_H

#include "runtime/httptool/bind.h"
#include "runtime/offered.h"

struct http_box {
    const gramc_box *box;
    const struct toolbox_upstream *upstream;
    gramc_text file; /* the path that was read */
    gramc_text text; /* of the file, while binding */
    gramc_text url;
    const struct http_header *headers;
    size_t header_count;
    struct offered_box offered; /* in the order of the file */
};

/* What a box offers, without binding anything: texts are in the arena, `failure` is the first thing
 * that is wrong. GRAMC_NOMEM. */
gramc_status http_box_ask(struct offered_box *out, struct arena *arena, const gramc_box *box,
                          gramc_reader reader);

/* Reads the file through the bind options' reader and reports everything that is wrong in it at its
 * place. NULL after a message, or without memory (bound->arena.oom). Lives as long as `bound`. */
const struct http_box *http_box_open(gramc_bound *bound, const gramc_box *box, gramc_reader reader);
/* The endpoint of the tool that is offered under that name, which must exist; NULL as above. */
const struct http_endpoint *http_box_endpoint(gramc_bound *bound, const struct http_box *box,
                                              gramc_text name);

#endif
