/* A request to a provider as a curl command that can be pasted into a shell. Where the key stands
 * in the request, the command has the name of a variable: its value is never written. */
#include "base/buf.h"
#include "base/text.h"
#include "gramc/runtime.h"
#include "runtime/model.h"

enum { COMMAND_MAX = (256 << 20) + (1 << 20) };

/* For a POSIX shell, which reads nothing in single quotes but their end. */
static void put_quoted(struct buf *out, gramc_text text) {
    buf_putc(out, '\'');
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '\'') buf_puts(out, "'\\''");
        else buf_putc(out, text.ptr[i]);
    buf_putc(out, '\'');
}

static void put_header(struct buf *out, const char *line) {
    buf_puts(out, " \\\n  -H ");
    put_quoted(out, text_of(line));
}

static bool is_name(gramc_text name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) return false;
    }
    return name.len > 0;
}

static void put_key(struct buf *out, const gramc_model *model, gramc_text key) {
    buf_puts(out, " \\\n  -H \"");
    buf_puts(out, model->protocol->key);
    buf_putc(out, '$');
    buf_text(out, key);
    buf_putc(out, '"');
}

gramc_status gramc_model_curl(const gramc_model *model, gramc_text id, gramc_text key,
                              gramc_text body, bool streamed, gramc_writer writer) {
    struct buf url, out;
    if (model->kind != &model_endpoint) return GRAMC_NOT_FOUND;
    if (model->has_key && !is_name(key)) return GRAMC_USAGE;
    const char *stream_path = streamed ? model->protocol->stream_path : NULL;
    buf_init(&url, &model->arena.allocator, 1 << 16);
    buf_init(&out, &model->arena.allocator, COMMAND_MAX);
    model_put_url(&url, model, stream_path ? stream_path : model->protocol->path,
                  model->id.len ? model->id : id);
    buf_puts(&out, streamed ? "curl -sSN " : "curl -sS ");
    put_quoted(&out, buf_view(&url));
    put_header(&out, "Content-Type: application/json");
    if (model->protocol->version) put_header(&out, model->protocol->version);
    if (model->has_key) put_key(&out, model, key);
    buf_puts(&out, " \\\n  --data-binary ");
    put_quoted(&out, body);
    buf_putc(&out, '\n');
    gramc_status status = buf_status(&url) ? buf_status(&url) : buf_status(&out);
    if (!status) status = buf_send(&out, writer);
    buf_free(&out);
    buf_free(&url);
    return status;
}
