/* Fuzzes snapshots of what boxes offer: any bytes are read or refused, what is read is written and
 * read again alike, and an agent that takes all of it is bound or refused with messages. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "gramc/runtime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
    if (!condition) abort();
}

static void write_again(const gramc_offering *offering) {
    gramc_offering *second;
    gramc_offer one, other;
    struct buf out;
    buf_init(&out, NULL, 1 << 24);
    demand(gramc_offering_save(offering, buf_writer(&out)) == GRAMC_OK);
    demand(gramc_offering_load(&second, buf_view(&out), NULL, NULL) == GRAMC_OK);
    for (size_t i = 0; gramc_offering_get(offering, i, &one); i++) {
        demand(gramc_offering_get(second, i, &other));
        demand(text_eq(one.tool, other.tool) && text_eq(one.parameters, other.parameters));
        demand(text_eq(one.result, other.result) && text_eq(one.description, other.description));
    }
    gramc_offering_free(second);
    buf_free(&out);
}

static void bind_to(const gramc_offering *offering) {
    static const char text[] =
        "[agent:Agent {model: \"OpenAI/x\"} | [a:ToolBox], [b:ToolBox {tools: [\"t\", \"say\"]}],"
        "  [b_t:Tool {description: \"d\"} | (id::Int {min: 0})==>(::Object {fields: {n: Int}})]]"
        "[tools:ToolLibrary | [a:McpServer {command: [\"x\"]}],"
        "  [b:McpServer {command: [\"x\"], rename: {echo: say}}], [m:ToolImpl {mcp: a}]]";
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_compilation *compilation;
    const gramc_spec *spec;
    gramc_bound *bound;
    gramc_bind_message message;
    demand(gramc_compilation_new(&compilation, NULL) == GRAMC_OK);
    demand(gramc_add_source(compilation, TEXT("f"), text, sizeof text - 1) == GRAMC_OK);
    demand(gramc_compile(&spec, compilation) == GRAMC_OK);
    const gramc_agent *agent = gramc_spec_agent(spec, 0);
    demand(gramc_agent_prepare(compilation, agent) == GRAMC_OK);
    options.offering = offering;
    gramc_status status = gramc_bind(&bound, agent, gramc_spec_library(spec, 0), &options);
    demand(status == GRAMC_OK ||
           (status == GRAMC_FINDINGS && gramc_bound_message(bound, 0, &message)));
    gramc_bound_free(bound);
    gramc_compilation_free(compilation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gramc_offering *offering;
    gramc_json_error error;
    gramc_status status =
        gramc_offering_load(&offering, (gramc_text){(const char *)data, size}, NULL, &error);
    demand(status == GRAMC_OK || (status == GRAMC_FINDINGS && error.message[0]));
    if (status) return 0;
    write_again(offering);
    bind_to(offering);
    gramc_offering_free(offering);
    return 0;
}
