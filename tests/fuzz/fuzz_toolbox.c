/* Fuzzes the YAML reader of HTTP tools: any bytes are read or refused with a place; what is read
 * can be filled in. The first byte chooses the literal way. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "toolbox/toolbox.h"
#include "tests/printing/toolbox_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
    if (!condition) abort();
}

static void expand(const struct template *what, const struct json *values) {
    struct buf out;
    struct template_error error;
    buf_init(&out, NULL, 1 << 16);
    gramc_status status = template_expand(&out, what, values, NULL, NULL, &error);
    demand(status != GRAMC_FINDINGS || error.message[0]);
    demand(error.end <= what->source.len);
    buf_free(&out);
}

static void expand_call(const struct http_call *call, const struct json *values) {
    expand(&call->path, values);
    for (size_t i = 0; i < call->header_count; i++) expand(&call->headers[i].value, values);
    if (call->has_body) expand(&call->body, values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct toolbox *box;
    struct buf out;
    struct arena arena;
    if (size == 0) return 0;
    gramc_text text = {(const char *)data + 1, size - 1};
    gramc_status status = toolbox_read(&box, NULL, TEXT("fuzz"), text, data[0] & 1);
    demand(status == GRAMC_OK || status == GRAMC_FINDINGS);
    demand((status == GRAMC_FINDINGS) == (box->errors > 0));
    demand(!box->errors == !(box->findings && box->errors));
    buf_init(&out, NULL, 1 << 20);
    toolbox_put_findings(&out, box);
    arena_init(&arena, NULL);
    const struct json *values = json_parse(&arena, TEXT("{\"a\":\"x/..\",\"p\":[1,null]}"), NULL);
    for (const struct toolbox_upstream *u = box->upstreams; u; u = u->next)
        for (const struct toolbox_tool *tool = u->tools; tool && status == GRAMC_OK;
             tool = tool->next)
            expand_call(&tool->call, values);
    arena_free(&arena);
    buf_free(&out);
    toolbox_free(box);
    return 0;
}
