/* Compares the headers of an MCP client's request with its body: who routes by the former must not
 * be led elsewhere than who reads the latter. Both eras. */
#include "serve/mcp_exchange.h"

#include "base/text.h"
#include "runtime/mcp/client.h"
#include "serve/mcp_shelf.h"

static const char *differs(struct mcp_mismatch *out, enum mcp_code code, const char *why) {
    out->code = code;
    return out->why = why;
}

/* ## The handshake's era: one header, which need not be there */

static bool is_legacy(gramc_text revision) {
    for (size_t i = 0; mcp_legacy[i]; i++)
        if (text_is(revision, mcp_legacy[i])) return true;
    return false;
}

static bool fits_legacy(const struct asked *asked, const struct mcp_said *said,
                        struct mcp_mismatch *out) {
    gramc_text revision = text_trim(asked->headers.mcp_revision);
    if (!revision.len || is_legacy(revision) || text_is(said->method, "initialize")) return true;
    if (text_is(revision, mcp_modern))
        return !differs(out, MCP_CODE_PARAMS, "_meta does not say the protocol version");
    out->revision = revision;
    return !differs(out, MCP_CODE_VERSION, "this protocol version is not spoken here");
}

/* ## The stateless era */

static const char *wrong_name(struct asked *asked, const struct mcp_said *said) {
    const struct json *name = json_get(said->params, "name");
    gramc_text told;
    if (!text_is(said->method, "tools/call") || !json_is(name, JSON_STRING)) return NULL;
    if (!mcp_header_read(&told, &asked->arena, asked->headers.mcp_name))
        return "Mcp-Name is no base64";
    return text_eq(told, name->text) ? NULL : "Mcp-Name is not what the body says";
}

/* Behind `Mcp-Param-`; NULL: it was not sent. */
static const gramc_text *find_header(const struct asked *asked, gramc_text name) {
    for (const struct asked_parameter *p = asked->headers.parameters; p; p = p->next)
        if (text_eq_nocase(p->name, name)) return &p->value;
    return NULL;
}

static const char *wrong_argument(struct asked *asked, const struct mcp_parameter *mirrored,
                                  const struct json *arguments) {
    const gramc_text *header = find_header(asked, mirrored->name);
    gramc_text told, meant;
    bool is_there = mcp_mirror_text(&meant, mirrored, arguments);
    if (!header) return is_there ? "an Mcp-Param header is missing" : NULL;
    if (!mcp_header_read(&told, &asked->arena, *header)) return "an Mcp-Param header is no base64";
    if (is_there && text_eq(told, meant)) return NULL;
    return "an Mcp-Param header is not what the body says";
}

static const char *wrong_arguments(struct asked *asked, const struct mcp_said *said) {
    const struct json *name = json_get(said->params, "name");
    const struct json *arguments = json_get(said->params, "arguments");
    if (!text_is(said->method, "tools/call") || !json_is(name, JSON_STRING)) return NULL;
    const struct shelf_tool *tool = shelf_find(asked->service->shelf, name->text);
    const char *wrong = NULL;
    for (struct mcp_parameter *p = tool ? tool->mirrored : NULL; p && !wrong; p = p->next)
        wrong = wrong_argument(asked, p, arguments);
    return wrong;
}

/* Others may read the first of them, or the last. */
static bool are_ambiguous(const struct asked_headers *headers) {
    return headers->mcp_revisions > 1 || headers->mcp_methods > 1 || headers->mcp_names > 1 ||
           headers->has_twins;
}

bool mcp_headers_fit(struct asked *asked, const struct mcp_said *said, struct mcp_mismatch *out) {
    const struct asked_headers *headers = &asked->headers;
    const char *why = NULL;
    *out = (struct mcp_mismatch){.revision = said->revision};
    if (are_ambiguous(headers))
        return !differs(out, MCP_CODE_HEADERS, "a header of MCP stands there twice");
    if (!said->is_modern) return fits_legacy(asked, said, out);
    if (said->kind != MCP_SAID_REQUEST || !said->revision.len) return true;
    if (!text_eq(text_trim(headers->mcp_revision), said->revision))
        why = "MCP-Protocol-Version is not what the body says";
    else if (!text_eq(text_trim(headers->mcp_method), said->method))
        why = "Mcp-Method is not what the body says";
    else if (!(why = wrong_name(asked, said))) why = wrong_arguments(asked, said);
    return !why || !differs(out, MCP_CODE_HEADERS, why);
}
