/* Writes a spec of any size, the same on every run. */
#include "bench/spec_text.h"

static void put_tool(struct buf *out, unsigned agent, unsigned tool) {
    buf_printf(out,
               "%s\n  [tool_%u_%u:Tool { description: \"Looks up the orders that match the "
               "parameters and returns a short summary\" } |\n"
               "    (query_%u::Text {description: \"What to look for\", minLength: 1})\n"
               "    ==>(limit::Int {default: 10, min: 1, max: 100})\n"
               "    ==>(verbose::Bool {default: false})==>(tags::Array {items: Text, optional: "
               "true})==>(::String)]",
               tool ? "," : "", agent, tool, tool);
}

void spec_agents(struct buf *out, unsigned first, unsigned count) {
    for (unsigned agent = first; agent < first + count; agent++) {
        buf_printf(out,
                   "[agent_%u:Agent {\n  description: \"Agent number %u\",\n  instruction: \"Use "
                   "the tools to answer, and say so when you cannot.\", // both are honest\n"
                   "  model: \"OpenAI/gpt-4o-mini\", temperature: 0.7\n} |",
                   agent, agent);
        for (unsigned tool = 0; tool < 4; tool++) put_tool(out, agent, tool);
        buf_puts(out, "\n]\n");
    }
}

void spec_text(struct buf *out, size_t size) {
    buf_init(out, NULL, size + 10000);
    for (unsigned agent = 0; out->len < size; agent++) spec_agents(out, agent, 1);
}
