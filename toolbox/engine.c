/* Hands templates over to an engine of the host, to be checked where they are read and filled in
 * where a call is made. What comes back is looked at like anything from outside: whatever the
 * engine made of the values, a path stays a path below its address and JSON is JSON. */
#include "toolbox/engine.h"

#include "base/text.h"

enum { VALUE_MAX = 256 << 20 };

const gramc_template_engine *engine_find(const gramc_toolbox_host *host, gramc_text name) {
    for (size_t i = 0; host && i < host->engine_count; i++)
        if (text_eq(host->engines[i].name, name)) return &host->engines[i];
    return NULL;
}

/* In the words of the engine, if it has any. */
static gramc_status refuse(const struct template *what, gramc_status status, char why[256],
                           struct template_error *error) {
    if (status == GRAMC_NOMEM) return GRAMC_NOMEM;
    why[255] = '\0';
    return template_fail(error, 0, what->source.len, "%s",
                         why[0] ? why : "the engine does not take it");
}

gramc_status engine_read(struct template *out, struct arena *arena,
                         const gramc_template_engine *engine, const gramc_template *what,
                         const gramc_text *names, size_t count, struct template_error *error) {
    char why[256] = "";
    *out = (struct template){.source = arena_text(arena, what->source),
                             .engine = engine,
                             .use = what->use,
                             .content_type = what->content_type};
    if (!out->source.ptr) return GRAMC_NOMEM;
    gramc_status status = engine->check(engine->ctx, what, names, count, why);
    return status == GRAMC_OK ? GRAMC_OK : refuse(out, status, why, error);
}

/* ## What came back */

static gramc_status check_path(const struct buf *out, size_t from, const struct template *what,
                               struct template_error *error) {
    for (size_t i = from; i < out->len; i++) {
        unsigned char c = (unsigned char)out->ptr[i];
        if (c > ' ' && c != 0x7F && c != '#' && c != '\\') continue;
        return template_fail(error, 0, what->source.len,
                             "the address would hold a blank, a control character, a \\ or a #");
    }
    return template_check_steps(out, from, what, error);
}

static gramc_status check_body(const struct buf *out, size_t from, const struct template *what,
                               struct template_error *error) {
    struct arena scratch;
    struct json_error wrong = {0};
    if (template_body_kind(what->content_type) != TEMPLATE_JSON) return GRAMC_OK;
    arena_init(&scratch, &out->allocator);
    bool is_json = json_parse(&scratch, text_slice(buf_view(out), from, out->len), &wrong) != NULL;
    bool oom = scratch.oom;
    arena_free(&scratch);
    if (oom) return GRAMC_NOMEM;
    return is_json ? GRAMC_OK
                   : template_fail(error, 0, what->source.len, "the body would be no JSON");
}

/* ## Filling in */

static gramc_text print_value(struct arena *arena, const struct json *value) {
    struct buf out;
    buf_init_secret(&out, &arena->allocator, VALUE_MAX);
    json_put(&out, value);
    return buf_to_arena(&out, arena);
}

/* NULL without memory. */
static const gramc_template_argument *list_arguments(struct arena *arena, const struct json *object,
                                                     size_t *count) {
    for (const struct json *m = object->first; m; m = m->next) ++*count;
    gramc_template_argument *list = arena_array(arena, *count + 1, sizeof *list), *at = list;
    for (const struct json *m = object->first; m && list; m = m->next, at++) {
        gramc_text json = print_value(arena, m);
        *at = (gramc_template_argument){m->key, json, m->kind == JSON_STRING ? m->text : json};
    }
    return arena->oom ? NULL : list;
}

static gramc_status call_engine(struct buf *out, const struct template *what, struct arena *scratch,
                                const struct json *arguments, struct template_error *error) {
    const gramc_template_engine *engine = what->engine;
    const gramc_template given = {what->source, what->use, what->content_type};
    char why[256] = "";
    size_t count = 0;
    const gramc_template_argument *list = list_arguments(scratch, arguments, &count);
    if (!list) return GRAMC_NOMEM;
    gramc_status status = engine->expand(engine->ctx, &given, list, count, buf_writer(out), why);
    if (buf_status(out) != GRAMC_OK) return buf_status(out);
    return status == GRAMC_OK ? GRAMC_OK : refuse(what, status, why, error);
}

gramc_status engine_expand(struct buf *out, const struct template *what,
                           const struct json *arguments, struct template_error *error) {
    struct arena scratch;
    size_t from = out->len;
    arena_init(&scratch, &out->allocator);
    gramc_status status = call_engine(out, what, &scratch, arguments, error);
    arena_wipe(&scratch);
    if (status != GRAMC_OK) return status;
    if (what->use == GRAMC_TEMPLATE_PATH) return check_path(out, from, what, error);
    return what->use == GRAMC_TEMPLATE_BODY ? check_body(out, from, what, error) : GRAMC_OK;
}
