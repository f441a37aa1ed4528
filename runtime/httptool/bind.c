/* Turns `ToolImpl {http: "GET", url: "http://host/x/${id}", ...}` into an endpoint: origin,
 * templates of path, headers and body, a compiled transformation. A name that nobody declared and a
 * secret that may not be read are messages, at the implementation. The call itself is
 * tool_http.c's. */
#include "runtime/httptool/bind.h"
#include "gramc/jolt.h"

#include <stdio.h>
#include <string.h>

#include "base/diag/diag.h"
#include "base/text.h"
#include "runtime/route.h"
#include "runtime/secret.h"

enum { WHAT_MAX = 96, WHO_MAX = 160, MESSAGE_MAX = 1024 };

/* ## Messages */

static gramc_text keep(struct arena *arena, const char *text) {
    return arena_text(arena, text_of(text));
}

void http_bind_wrong(struct http_binder *binder, const char *what, const char *message,
                     const char *help) {
    char line[WHAT_MAX + MESSAGE_MAX];
    snprintf(line, sizeof(line), "%s%s", what, message);
    binder->failed = true;
    BOUND_TELL(binder->bound, D_BAD_HTTP_CALL, &binder->place, keep(&binder->bound->arena, help),
               binder->who, text_of(line));
}

static void warn_unsent(struct http_binder *binder, const char *before, gramc_text name,
                        const char *after) {
    char what[WHAT_MAX];
    snprintf(what, sizeof(what), "%s%.*s%s", before, name.len < 80 ? (int)name.len : 80, name.ptr,
             after);
    BOUND_TELL(binder->bound, D_NEVER_SENT, &binder->place, TEXT(""), binder->who, text_of(what));
}

/* ## Templates */

static void check_secret(struct http_binder *binder, const char *what, gramc_text name) {
    char help[256] = "";
    enum diag_id id = D_ENV_NOT_SET;
    switch (secrets_find(binder->bound->secrets, name, NULL)) {
    case SECRET_FINE: return;
    case SECRET_OF_PROVIDER:
        id = D_PROVIDER_KEY;
        snprintf(help, sizeof(help), "give the tool a token of its own");
        break;
    case SECRET_NOT_ALLOWED:
        id = D_ENV_NOT_ALLOWED;
        snprintf(help, sizeof(help),
                 "list it under `allowEnv` in gramc.gram, or say --allow-env %.*s",
                 name.len < 80 ? (int)name.len : 80, name.ptr);
        break;
    case SECRET_NOT_SET:
        if (binder->bound->secrets_may_miss) return;
        break;
    }
    binder->failed = true;
    BOUND_TELL(binder->bound, id, &binder->place, keep(&binder->bound->arena, help), binder->who,
               text_of(what), name);
}

void http_bind_secrets(struct http_binder *binder, const char *what, const struct template *used) {
    for (size_t i = 0; i < used->count; i++) {
        const struct template_part *part = &used->parts[i];
        bool excused = part->has_fallback &&
                       secrets_find(binder->bound->secrets, part->text, NULL) == SECRET_NOT_SET;
        if (part->kind == PART_SECRET && !excused) check_secret(binder, what, part->text);
    }
}

static void read_template(struct http_binder *binder, const char *what, gramc_text text,
                          enum template_kind kind, struct template *out) {
    struct template_error error;
    gramc_status status = template_read(out, &binder->bound->arena, text, kind, false, &error);
    if (status == GRAMC_OK && !binder->any_names)
        status = template_check(out, binder->names, binder->name_count, binder->used, &error);
    if (status == GRAMC_OK) template_set_styles(out, binder->styles, binder->style_count);
    if (status == GRAMC_OK) http_bind_secrets(binder, what, out);
    else if (status == GRAMC_FINDINGS) http_bind_wrong(binder, what, error.message, "");
    else if (status == GRAMC_LIMIT) http_bind_wrong(binder, what, "it is too long", "");
    else binder->bound->arena.oom = true;
}

/* ## How the server is reached */

static void take_why(struct http_binder *binder, gramc_status status, const char *why) {
    if (status == GRAMC_NOMEM) binder->bound->arena.oom = true;
    else if (status) http_bind_wrong(binder, why, "", "");
}

const struct http_route *http_bind_route(struct http_binder *binder, const struct http_said *said) {
    const struct route_source source = {.transport = said->transport,
                                        .folder = said->folder,
                                        .secrets = binder->bound->secrets,
                                        .egress = binder->bound->egress,
                                        .file = said->file,
                                        .url = said->url};
    const struct http_route *route;
    char why[ROUTE_WHY_MAX];
    gramc_status status = route_read(&route, &binder->bound->arena, &source, why);
    take_why(binder, status, why);
    return status ? NULL : route;
}

bool http_bind_url(struct http_binder *binder, gramc_text url, gramc_text *out) {
    const struct route_source source = {.secrets = binder->bound->secrets};
    char why[ROUTE_WHY_MAX];
    gramc_status status = route_url(out, &binder->bound->arena, url, &source, why);
    take_why(binder, status, why);
    return !status;
}

/* ## Parts of a call */

static const char *url_problem(gramc_text url, size_t origin) {
    if (origin == 0) return "an address begins with http:// or https://";
    for (size_t i = 0; i < origin; i++) {
        if (url.ptr[i] == '@') return "a password stands in a header, not in an address";
        if (url.ptr[i] == '$') return "scheme and host of an address are not filled in";
    }
    for (size_t i = 0; i < url.len; i++) {
        if ((unsigned char)url.ptr[i] <= ' ')
            return "an address holds no blanks and no line ends; write %20";
        if (url.ptr[i] == '#') return "nothing behind a # is sent";
    }
    return NULL;
}

const char *http_origin_problem(gramc_text url) {
    size_t origin = http_origin_length(url);
    const char *problem = url_problem(url, origin);
    if (problem) return problem;
    bool query = url.len && memchr(url.ptr, '?', url.len);
    return query ? "the url of an upstream is a scheme, a host and perhaps a path" : NULL;
}

/* The path of a url begins with /; what has none is asked for /. */
static void read_url(struct http_binder *binder, const gramc_impl *impl,
                     struct http_endpoint *endpoint, struct http_call *call) {
    struct arena *arena = &binder->bound->arena;
    gramc_text url = impl->target;
    if (!http_bind_url(binder, impl->target, &url)) return;
    size_t origin = http_origin_length(url);
    const char *problem = url_problem(url, origin);
    if (problem) {
        http_bind_wrong(binder, "in its url, ", problem, "");
        return;
    }
    endpoint->url = arena_text(arena, text_slice(url, 0, origin));
    gramc_text path = text_slice(url, origin, url.len);
    bool rooted = path.len && path.ptr[0] == '/';
    char *whole = arena_alloc(arena, path.len + 1);
    if (!whole) return;
    whole[0] = '/';
    if (path.len) memcpy(whole + !rooted, path.ptr, path.len);
    read_template(binder, "in its url, ", (gramc_text){whole, path.len + !rooted}, TEMPLATE_URL,
                  &call->path);
}

static bool check_header(struct http_binder *binder, gramc_text name) {
    char what[WHAT_MAX];
    const char *problem = http_header_problem(name);
    if (!problem) return true;
    snprintf(what, sizeof(what), "`%.*s` ", name.len < 60 ? (int)name.len : 60, name.ptr);
    http_bind_wrong(binder, what, problem, "");
    return false;
}

struct http_header *http_bind_headers(struct http_binder *binder, const gramc_pair *pairs,
                                      size_t count) {
    struct http_header *headers =
        arena_zalloc(&binder->bound->arena, (count + 1) * sizeof(*headers));
    for (size_t i = 0; headers && i < count; i++) {
        char what[WHAT_MAX];
        headers[i].name = pairs[i].name;
        if (!check_header(binder, pairs[i].name)) continue;
        snprintf(what, sizeof(what), "in its header `%.*s`, ", TEXT_ARGS(pairs[i].name));
        read_template(binder, what, pairs[i].value, template_header_kind(pairs[i].name),
                      &headers[i].value);
    }
    return headers;
}

static void read_method(struct http_binder *binder, const gramc_impl *impl,
                        struct http_call *call) {
    char message[WHAT_MAX];
    for (size_t i = 0; i < METHODS; i++) {
        if (!text_is(impl->method, http_method_names[i])) continue;
        call->method = (enum http_method)i;
        return;
    }
    snprintf(message, sizeof(message), "there is no method `%.*s`",
             impl->method.len < 40 ? (int)impl->method.len : 40, impl->method.ptr);
    http_bind_wrong(binder, "", message, "GET, POST, PUT, PATCH, DELETE and HEAD are known");
}

static bool check_content_type(struct http_binder *binder, gramc_text type) {
    for (size_t i = 0; i < type.len; i++) {
        if ((unsigned char)type.ptr[i] >= ' ' && type.ptr[i] != 0x7F) continue;
        http_bind_wrong(binder, "", "a content type stands on one line", "");
        return false;
    }
    return true;
}

/* Nobody has said where files may lie: each call that names one will fail. */
static void warn_no_folder(struct http_binder *binder) {
    if (binder->bound->folders.count) return;
    BOUND_TELL(binder->bound, D_FILES_NOT_ALLOWED, &binder->place,
               TEXT("list a folder under `allowFiles` in gramc.gram, or say --allow-files FOLDER"),
               binder->who);
}

static void read_part(struct http_binder *binder, struct http_part *part, const gramc_part *from) {
    char what[WHAT_MAX];
    *part = (struct http_part){
        .name = from->name, .content_type = from->content_type, .is_file = from->is_file};
    int len = from->name.len < 60 ? (int)from->name.len : 60;
    if (len) snprintf(what, sizeof(what), "in its part `%.*s`, ", len, from->name.ptr);
    else snprintf(what, sizeof(what), "in its bodyFile, ");
    if (!check_content_type(binder, from->content_type)) return;
    read_template(binder, what, from->value, from->is_file ? TEMPLATE_FILE : TEMPLATE_PART,
                  &part->value);
}

/* A body that is a file is its only part. */
static void read_parts(struct http_binder *binder, const gramc_impl *impl, struct http_call *call) {
    const gramc_part whole = {
        .value = impl->body_file, .content_type = impl->content_type, .is_file = true};
    const gramc_part *parts = impl->body_file.ptr ? &whole : impl->parts;
    size_t count = impl->body_file.ptr ? 1 : impl->part_count;
    bool files = false;
    call->parts = arena_zalloc(&binder->bound->arena, count * sizeof(*call->parts));
    for (size_t i = 0; i < count && call->parts; i++) {
        read_part(binder, &call->parts[i], &parts[i]);
        files = files || parts[i].is_file;
    }
    call->part_count = call->has_body && call->parts ? count : 0;
    if (files) warn_no_folder(binder);
}

static void read_body(struct http_binder *binder, const gramc_impl *impl, struct http_call *call) {
    gramc_text type = impl->content_type;
    bool parts = impl->body_file.ptr || impl->part_count;
    call->content_type = type.len ? type : TEXT("application/json");
    if (!check_content_type(binder, type) || (!impl->body.ptr && !parts)) return;
    call->has_body = http_method_has_body(call->method);
    if (!call->has_body) warn_unsent(binder, "the body of a ", impl->method, "");
    if (parts) read_parts(binder, impl, call);
    else read_template(binder, "in its body, ", impl->body, template_body_kind(type), &call->body);
}

static void free_jolt(void *jolt) {
    gramc_jolt_free(jolt);
}

static void read_transform(struct http_binder *binder, const gramc_impl *impl,
                           struct http_call *call) {
    gramc_json_error error;
    char message[MESSAGE_MAX];
    gramc_bound *bound = binder->bound;
    if (impl->transform.len == 0) return;
    gramc_status status =
        gramc_jolt_compile(&call->transform, impl->transform, &bound->arena.allocator, &error);
    if (status == GRAMC_OK && !bound_own(bound, free_jolt, call->transform)) {
        call->transform = NULL;
    } else if (status == GRAMC_NOMEM) {
        bound->arena.oom = true;
    } else if (status != GRAMC_OK) {
        snprintf(message, sizeof(message), "%s (at \"%s\")", error.message, error.pointer);
        http_bind_wrong(binder, "in its transform, ", message, "");
    }
}

/* ## Styles */

static void report_unknown_style(struct http_binder *binder, const gramc_style *said) {
    char message[WHAT_MAX];
    snprintf(message, sizeof(message), "there is no style `%.*s`",
             said->style.len < 40 ? (int)said->style.len : 40, said->style.ptr);
    http_bind_wrong(binder, "", message, "");
}

static bool read_styles(struct http_binder *binder, const gramc_impl *impl) {
    struct template_style *styles =
        arena_array(&binder->bound->arena, impl->style_count + 1, sizeof(*styles));
    binder->styles = styles;
    for (size_t i = 0; styles && i < impl->style_count; i++) {
        const gramc_style *said = &impl->styles[i];
        styles[i] =
            (struct template_style){.name = said->parameter, .style = style_of_word(said->style)};
        if (said->explode.len)
            styles[i].explode = text_is(said->explode, "true") ? EXPLODE_TRUE : EXPLODE_FALSE;
        if (said->style.len && !styles[i].style) report_unknown_style(binder, said);
    }
    binder->style_count = styles ? impl->style_count : 0;
    return styles;
}

static struct style_survey survey_call(const gramc_impl *impl, gramc_text name,
                                       enum parameter_style style) {
    struct style_survey survey = {.stands = false};
    style_survey(&survey, STYLE_IN_URL, impl->target, name, style);
    for (size_t i = 0; i < impl->header_count; i++)
        style_survey(&survey, style_text_of_header(impl->headers[i].name), impl->headers[i].value,
                     name, style);
    style_survey(&survey, style_text_of_body(impl->content_type), impl->body, name, style);
    for (size_t i = 0; i < impl->part_count; i++)
        style_survey(&survey, impl->parts[i].is_file ? STYLE_IN_FILE : STYLE_IN_PART,
                     impl->parts[i].value, name, style);
    style_survey(&survey, STYLE_IN_OTHER, impl->body_file, name, style);
    return survey;
}

/* What the compiler could not know: a library that was made by hand, or the types of the tool. */
static void check_styles(struct http_binder *binder, const gramc_impl *impl) {
    for (size_t i = 0; i < binder->style_count; i++) {
        const struct template_style *said = &binder->styles[i];
        struct style_survey found = survey_call(impl, said->name, said->style);
        char what[WHAT_MAX];
        snprintf(what, sizeof(what), "the style of `%.*s` ",
                 said->name.len < 60 ? (int)said->name.len : 60, said->name.ptr);
        if (!found.place)
            http_bind_wrong(binder, what, "means nothing: it has no place of its own in the call",
                            "");
        else if (found.misfit)
            http_bind_wrong(binder, what, "does not fit its place", style_choices(found.misfit));
    }
}

static void check_types(struct http_binder *binder, const gramc_impl *impl,
                        const struct json *schema) {
    const struct json *properties = json_get(schema, "properties");
    for (const struct json *p = properties ? properties->first : NULL; p; p = p->next) {
        enum parameter_style style = STYLE_UNSAID;
        for (size_t i = 0; i < binder->style_count; i++)
            if (text_eq(binder->styles[i].name, p->key)) style = binder->styles[i].style;
        struct style_survey found = survey_call(impl, p->key, style);
        if (!found.place || found.misfit) continue;
        if (!style) style = style_default(found.place);
        const char *problem = style_cannot_say(schema, p, style);
        if (!problem) continue;
        gramc_text what =
            BOUND_JOIN(binder->bound, TEXT("`"), p->key, TEXT("`: "), text_of(problem));
        BOUND_TELL(binder->bound, D_STYLE_CANNOT_SEND, &binder->place,
                   TEXT("the style json sends it as JSON"), binder->who, text_of(style_word(style)),
                   what);
    }
}

/* ## Names */

/* The members of `properties`. */
static bool read_names(struct http_binder *binder, const struct json *schema) {
    struct arena *arena = &binder->bound->arena;
    const struct json *properties = json_get(schema, "properties");
    size_t count = 0;
    for (const struct json *p = properties ? properties->first : NULL; p; p = p->next) count++;
    binder->names = arena_array(arena, count + 1, sizeof(*binder->names));
    binder->used = arena_zalloc(arena, (count + 1) * sizeof(*binder->used));
    if (!binder->names || !binder->used) return false;
    for (const struct json *p = properties ? properties->first : NULL; p; p = p->next)
        binder->names[binder->name_count++] = p->key;
    return true;
}

static void warn_unused(struct http_binder *binder) {
    for (size_t i = 0; i < binder->name_count; i++)
        if (!binder->used[i]) warn_unsent(binder, "`", binder->names[i], "`");
}

gramc_text http_bind_who(gramc_bound *bound, const char *noun, gramc_text name) {
    char who[WHO_MAX];
    snprintf(who, sizeof(who), "%s `%.*s`", noun, name.len < 128 ? (int)name.len : 128, name.ptr);
    return keep(&bound->arena, who);
}

const struct http_endpoint *http_bind_impl(gramc_bound *bound, const gramc_impl *impl,
                                           const gramc_tool *tool) {
    struct http_binder binder = {.bound = bound,
                                 .place = {impl->file, impl->start, impl->end},
                                 .who = http_bind_who(bound, "tool", impl->name)};
    struct http_endpoint *endpoint = ARENA_NEW(&bound->arena, struct http_endpoint);
    struct http_call *call = ARENA_NEW(&bound->arena, struct http_call);
    const struct json *schema = tool->document;
    if (impl->accepts_schema.len) schema = impl->accepts_document;
    if (!schema) /* made by hand */
        schema =
            json_parse(&bound->arena,
                       impl->accepts_schema.len ? impl->accepts_schema : tool->parameters, NULL);
    if (!endpoint || !call || !read_names(&binder, schema)) return NULL;
    binder.any_names = bound->is_by_hand && !impl->accepts_schema.len;
    endpoint->call = call;
    endpoint->secrets = bound->secrets;
    endpoint->folders = bound->folders;
    if (!read_styles(&binder, impl)) return NULL;
    read_method(&binder, impl, call);
    read_url(&binder, impl, endpoint, call);
    endpoint->route = http_bind_route(
        &binder, &(struct http_said){&impl->transport, impl->folder, impl->file, endpoint->url});
    call->headers = http_bind_headers(&binder, impl->headers, impl->header_count);
    call->header_count = impl->header_count;
    read_body(&binder, impl, call);
    read_transform(&binder, impl, call);
    check_styles(&binder, impl);
    /* Of its own signature the compiler has told it. */
    if (!impl->accepts_document) check_types(&binder, impl, schema);
    if (binder.failed || bound->arena.oom) return NULL;
    warn_unused(&binder);
    return endpoint;
}
