/* What a host can put in the place of two parts of HTTP toolboxes: where the tools are kept (a
 * store), and who fills in the templates of their calls (an engine). Both are tables of functions
 * that gramc calls.
 *
 * Ownership: the tables and whatever their ctx points to are borrowed, and must outlive everything
 * that was bound with them. Texts that are handed over, in either direction, live as long as the
 * call alone.
 * Threads: a store is asked by the thread that binds or loads; an engine checks there too, and
 * expands on the thread of the loop whose run makes the call. A host with several of these threads
 * has tables that stand being called by all of them at once. None of the functions may call back
 * into the same loop. Failures: GRAMC_NOMEM ends what was asked for with GRAMC_NOMEM. Any other
 * status of a store is told as a box that cannot be asked, and any other of an engine as a finding
 * (check) or an error of the tool (expand), with the words in `why`. Nothing is called again after
 * a failure. */
#ifndef GRAMC_TOOLBOX_H
#define GRAMC_TOOLBOX_H

#include "gramc/gramc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ## Stores */

typedef struct gramc_stored_tool {
    gramc_text upstream, name;
    gramc_text url;        /* of the upstream; empty: the library says it */
    gramc_text definition; /* JSON: {"metadata": ..., "definition": ..., "transformer": ...}, as an
                              item of `tools` in a toolbox file (docs/http-tools.md) */
} gramc_stored_tool;

/* Takes one of the tools that a store has. What it returns but GRAMC_OK is returned by the store at
 * once. */
typedef struct gramc_tool_taker {
    gramc_status (*take)(void *ctx, const gramc_stored_tool *tool);
    void *ctx;
} gramc_tool_taker;

/* `[crm:HttpToolBox {store: "crm"}]` in a library takes the tools of the upstream `crm`. A binding
 * sees what the store has at that moment; what is registered later is there for the next. */
typedef struct gramc_toolstore {
    /* Hands over the tools of one upstream, or (upstream.len 0) all tools; always in the same
     * order. An upstream that is not there has none. */
    gramc_status (*each)(void *ctx, gramc_text upstream, gramc_tool_taker taker, char why[256]);
    /* Keeps a copy of a tool, in the place of one of the same upstream and name; *replaced says
     * whether there was one. */
    gramc_status (*put)(void *ctx, const gramc_stored_tool *tool, bool *replaced, char why[256]);
    /* GRAMC_NOT_FOUND: there is none. */
    gramc_status (*remove)(void *ctx, gramc_text upstream, gramc_text name, char why[256]);
    void *ctx;
} gramc_toolstore;

/* ## Engines */

typedef enum gramc_template_use {
    GRAMC_TEMPLATE_PATH,   /* path and query of an address */
    GRAMC_TEMPLATE_HEADER, /* the value of one header */
    GRAMC_TEMPLATE_BODY
} gramc_template_use;

typedef struct gramc_template {
    gramc_text source; /* `content`, as it stands in the file */
    gramc_template_use use;
    gramc_text content_type; /* of a body; empty: application/json */
} gramc_template;

typedef struct gramc_template_argument {
    gramc_text name;
    gramc_text json; /* the value */
    gramc_text text; /* of a string what it says, without quotes and escapes; else `json` */
} gramc_template_argument;

/* `{type: MUSTACHE, content: "/people/{{name}}"}` in a toolbox is the business of the engine of
 * that name. What it makes of the values is sent: encoding them for their place is its part of the
 * work. gramc still refuses a path that does not begin with /, holds blanks, control characters, a
 * \ or a #, or goes a step up, a header with control characters, and a body that is to be JSON and
 * is not. */
typedef struct gramc_template_engine {
    gramc_text name; /* as in `type`; TEXT and TEXT_SUBSTITUTOR are gramc's own */
    /* May the template stand in a tool with these parameters? */
    gramc_status (*check)(void *ctx, const gramc_template *what, const gramc_text *parameters,
                          size_t count, char why[256]);
    /* Writes the template with the arguments filled in. They fit the tool's parameters; those that
     * a call leaves out are not there. */
    gramc_status (*expand)(void *ctx, const gramc_template *what,
                           const gramc_template_argument *arguments, size_t count, gramc_writer out,
                           char why[256]);
    void *ctx;
} gramc_template_engine;

/* For gramc_bind_options and gramc_offering_options. */
typedef struct gramc_toolbox_host {
    const gramc_toolstore *store; /* NULL: none */
    const gramc_template_engine *engines;
    size_t engine_count;
} gramc_toolbox_host;

/* ## What gramc brings */

/* The store that a host has without one of its own: in memory, for any number of threads. Free it
 * when nothing uses it any more. allocator NULL means malloc; it is called by every thread that
 * calls the store. GRAMC_NOMEM. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_toolstore_new(gramc_toolstore **out,
                                                          const gramc_allocator *allocator);
GRAMC_API void gramc_toolstore_free(gramc_toolstore *store);

/* Puts all tools of a toolbox file (YAML or JSON; `name` is for messages) into the store of `host`,
 * once the file has proved to be sound. Tools of the same upstream and name are replaced; *replaced
 * (may be NULL) counts them. GRAMC_FINDINGS: the file is not, and `why` says where; nothing was
 * put. What else the store says, with its `why`; then some may have been put. GRAMC_USAGE: there is
 * no store. GRAMC_NOMEM. Any thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_toolstore_load(const gramc_toolbox_host *host,
                                                           gramc_text name, gramc_text file,
                                                           size_t *replaced, char why[256],
                                                           const gramc_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
