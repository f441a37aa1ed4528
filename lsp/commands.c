/* workspace/executeCommand: the printed schema of a document's agent or tools, and the list of the
 * targets that it can be printed for. */
#include "lsp/insight.h"

enum { LARGEST_OUTPUT = 1 << 28 };

static gramc_text argument(const struct lsp_request *r, size_t i) {
    const struct json *list = json_get(r->params, "arguments");
    const struct json *item = json_is(list, JSON_ARRAY) ? list->first : NULL;
    while (item && i--) item = item->next;
    return json_is(item, JSON_STRING) ? item->text : (gramc_text){NULL, 0};
}

static void put_targets(struct lsp_request *r) {
    json_array_begin(r->result);
    for (size_t i = 0; gramc_target_name(i); i++) {
        json_object_begin(r->result);
        json_member_text(r->result, "name", text_of(gramc_target_name(i)));
        json_member_text(r->result, "about", text_of(gramc_target_about(i)));
        json_object_end(r->result);
    }
    json_array_end(r->result);
}

/* JSON as a person reads it; what is no JSON as it is. */
static void put_pretty(struct lsp_request *r, gramc_text text) {
    struct buf out;
    const struct json *document = json_parse(r->arena, text, NULL);
    buf_init(&out, &r->lsp->host.allocator, LARGEST_OUTPUT);
    if (document) json_put_pretty(&out, document);
    json_text(r->result, document ? buf_view(&out) : text);
    if (out.state == BUF_NOMEM) r->arena->oom = true;
    buf_free(&out);
}

/* Arguments: the document's uri, an agent's name or "", a target or "". */
static void put_schema(struct lsp_request *r) {
    struct open_document *document = document_find(r->lsp, argument(r, 0));
    gramc_text name = argument(r, 1), target = argument(r, 2);
    struct insight *a = document ? insight_of(r->lsp, document) : NULL;
    const gramc_agent *agent = NULL;
    struct buf out;
    if (!a || !a->spec || findings_have_errors(&a->compilation->findings)) {
        r->failure = document ? "the spec has errors" : "the document is not open";
        return;
    }
    if (name.len && gramc_spec_find_agent(&agent, a->spec, name)) {
        r->failure = "there is no such agent";
        return;
    }
    buf_init(&out, &r->lsp->host.allocator, LARGEST_OUTPUT);
    gramc_status status =
        gramc_emit(a->spec, agent, target.len ? target : TEXT("json-schema"), buf_writer(&out));
    if (status == GRAMC_OK) put_pretty(r, buf_view(&out));
    else if (status == GRAMC_USAGE) r->failure = "there is no such target";
    else if (out.state == BUF_NOMEM || status == GRAMC_NOMEM) r->arena->oom = true;
    else r->failure = "it cannot be printed";
    buf_free(&out);
}

void execute_command(struct lsp_request *r) {
    const struct json *command = json_get(r->params, "command");
    gramc_text name = json_is(command, JSON_STRING) ? command->text : (gramc_text){NULL, 0};
    if (text_is(name, "gramc.schema")) put_schema(r);
    else if (text_is(name, "gramc.targets")) put_targets(r);
    else r->failure = "there is no such command";
}
