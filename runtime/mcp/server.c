/* Fills in what a library says about an MCP server, and tells servers apart by a digest of it: the
 * program, its environment and folder, or the address and its headers. How a server is spoken to is
 * client.c's matter. */
#include "runtime/mcp/server.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "runtime/route.h"
#include "runtime/sandbox.h"
#include "runtime/tool_http.h"

/* What secrets were filled into, as it is to be overwritten in the end. */
struct mcp_filled {
    struct mcp_filled *next;
    size_t len;
    char bytes[];
};

struct filling {
    struct arena *arena;
    const struct secrets *secrets;
    const struct egress_policy *egress;
    struct mcp_server *server;
    char *why;
    bool failed;
};

static void fail(struct filling *filling, const char *before, gramc_text name, const char *after) {
    if (filling->failed) return;
    filling->failed = true;
    snprintf(filling->why, MCP_WHY_MAX, "%s`%.*s`%s", before, name.len < 100 ? (int)name.len : 100,
             name.ptr, after);
}

/* ## Secrets */

static void check_secret(struct filling *filling, const struct template_part *part) {
    switch (secrets_find(filling->secrets, part->text, NULL)) {
    case SECRET_FINE: break;
    case SECRET_OF_PROVIDER:
        fail(filling, "", part->text, " is the key of a model's provider, which no tool may read");
        break;
    case SECRET_NOT_ALLOWED:
        fail(filling, "the environment variable ", part->text,
             " may not be read: list it under `allowEnv` in gramc.gram, or say --allow-env");
        break;
    case SECRET_NOT_SET:
        if (!part->has_fallback)
            fail(filling, "the environment variable ", part->text, " is not set");
    }
}

/* Writes the text with its ${env:NAME} filled in; there are no other names. */
static void fill_in(struct filling *filling, struct buf *out, gramc_text name, gramc_text text,
                    enum template_kind kind) {
    struct template template;
    struct template_error error;
    gramc_status status = template_read(&template, filling->arena, text, kind, false, &error);
    if (!status) status = template_check(&template, NULL, 0, NULL, &error);
    for (size_t i = 0; !status && i < template.count; i++)
        if (template.parts[i].kind == PART_SECRET) check_secret(filling, &template.parts[i]);
    if (filling->failed) return;
    if (!status)
        status = template_expand(out, &template, NULL, secrets_look_up, filling->secrets, &error);
    if (status == GRAMC_NOMEM) filling->arena->oom = true;
    else if (status == GRAMC_LIMIT) fail(filling, "", name, " is too long");
    else if (status) {
        fail(filling, "in ", name, ": ");
        size_t len = strlen(filling->why);
        snprintf(filling->why + len, MCP_WHY_MAX - len, "%s", error.message);
    }
}

static gramc_text keep_bytes(struct filling *filling, gramc_text text) {
    struct mcp_filled *copy = arena_alloc(filling->arena, sizeof(*copy) + text.len + 1);
    if (!copy) return (gramc_text){NULL, 0};
    copy->next = filling->server->filled;
    copy->len = text.len;
    memcpy(copy->bytes, text.ptr, text.len);
    copy->bytes[text.len] = '\0';
    filling->server->filled = copy;
    return (gramc_text){copy->bytes, text.len};
}

static gramc_text keep(struct filling *filling, struct buf *text) {
    gramc_text kept = {NULL, 0};
    if (buf_status(text) == GRAMC_OK) kept = keep_bytes(filling, buf_view(text));
    else if (buf_status(text) == GRAMC_NOMEM) filling->arena->oom = true;
    else fail(filling, "", TEXT("a value"), " is too long");
    buf_free(text);
    return kept;
}

/* ## Programs */

static gramc_text fill_variable(struct filling *filling, gramc_text pair) {
    struct buf out;
    const char *equals = pair.len ? memchr(pair.ptr, '=', pair.len) : NULL;
    size_t name = equals ? (size_t)(equals - pair.ptr) : pair.len;
    buf_init_secret(&out, &filling->arena->allocator, ENV_VALUE_MAX);
    buf_text(&out, text_slice(pair, 0, equals ? name + 1 : name));
    if (equals)
        fill_in(filling, &out, text_slice(pair, 0, name), text_slice(pair, name + 1, pair.len),
                TEMPLATE_TEXT);
    return keep(filling, &out);
}

gramc_impl mcp_program(const gramc_box *box) {
    return (gramc_impl){.name = box->name,
                        .kind = GRAMC_IMPL_EXEC,
                        .argv = box->argv,
                        .argc = box->argc,
                        .folder = box->folder,
                        .file = box->file,
                        .start = box->start,
                        .end = box->end,
                        .env = box->env,
                        .env_count = box->env_count,
                        .sandbox = box->sandbox};
}

/* What it may touch; a variable that its sandbox names is as one that the box declares. */
static void contain(struct filling *filling, struct mcp_server *server,
                    const struct mcp_given *given) {
    struct sandboxed sandboxed;
    const gramc_impl program = mcp_program(server->box);
    gramc_box *whole = ARENA_NEW(filling->arena, gramc_box);
    if (!whole ||
        !sandbox_decide(&sandboxed, filling->arena, given->sandboxes, given->sandbox, &program))
        return;
    if (sandboxed.verdict != SANDBOX_FINE) {
        filling->failed = true;
        snprintf(filling->why, MCP_WHY_MAX, "%s%.*s",
                 sandboxed.verdict == SANDBOX_WIDER
                     ? "it is of a library from elsewhere, whose sandbox asks for "
                     : "it cannot be contained: ",
                 TEXT_ARGS(sandboxed.why));
        return;
    }
    *whole = *server->box;
    whole->env =
        sandbox_env(filling->arena, &sandboxed, &program, given->secrets, &whole->env_count);
    server->box = whole;
    server->sandbox = sandboxed.held;
    server->said = sandboxed.said;
}

static void fill_environment(struct filling *filling, struct mcp_server *server) {
    const gramc_box *box = server->box;
    gramc_text *env = arena_array(filling->arena, box->env_count + 1, sizeof(*env));
    for (size_t i = 0; env && i < box->env_count; i++) env[i] = fill_variable(filling, box->env[i]);
    server->env = env;
}

/* ## Addresses */

static const char *url_problem(gramc_text url) {
    size_t origin = http_origin_length(url);
    if (origin == 0) return "an address begins with http:// or https://";
    for (size_t i = 0; i < url.len; i++) {
        if ((unsigned char)url.ptr[i] <= ' ') return "an address holds no blanks; write %20";
        if (url.ptr[i] == '#') return "nothing behind a # is sent";
        if (i < origin && url.ptr[i] == '@')
            return "a password stands in a header, not in an address";
    }
    return NULL;
}

static const char *fill_header(struct filling *filling, const gramc_pair *pair) {
    struct buf line;
    const char *problem = http_header_problem(pair->name);
    if (problem) {
        fail(filling, "its header ", pair->name, " ");
        size_t len = strlen(filling->why);
        if (len < MCP_WHY_MAX) snprintf(filling->why + len, MCP_WHY_MAX - len, "%s", problem);
        return NULL;
    }
    buf_init_secret(&line, &filling->arena->allocator, ENV_VALUE_MAX);
    buf_text(&line, pair->name);
    buf_puts(&line, ": ");
    size_t before = line.len;
    fill_in(filling, &line, pair->name, pair->value, TEMPLATE_HEADER);
    if (line.len == before && before) { /* libcurl's way to send an empty one */
        line.len = before - 2;
        buf_putc(&line, ';');
    }
    return keep(filling, &line).ptr;
}

static void fill_headers(struct filling *filling, struct mcp_server *server) {
    const gramc_box *box = server->box;
    const char **headers = arena_zalloc(filling->arena, (box->header_count + 1) * sizeof(*headers));
    for (size_t i = 0; headers && i < box->header_count && !filling->failed; i++)
        headers[i] = fill_header(filling, &box->headers[i]);
    server->headers = headers;
}

/* ## The whole */

static void fill_address(struct filling *filling, struct mcp_server *server) {
    const gramc_box *box = server->box;
    struct route_source source = {.transport = &box->transport,
                                  .folder = box->folder,
                                  .secrets = filling->secrets,
                                  .egress = filling->egress,
                                  .file = box->file};
    gramc_text url = {NULL, 0};
    gramc_status status = route_url(&url, filling->arena, box->url, &source, filling->why);
    const char *problem = !status && url.len ? url_problem(url) : NULL;
    source.url = url;
    if (problem) snprintf(filling->why, MCP_WHY_MAX, "%s", problem);
    if (!status && !problem)
        status = route_read(&server->route, filling->arena, &source, filling->why);
    filling->failed = problem || status == GRAMC_FINDINGS;
    server->url = arena_text(filling->arena, url).ptr;
}

static void add_route(struct sha256 *sha, const struct http_route *route) {
    const char *const texts[] = {route->ca_file, route->certificate, route->key, route->proxy,
                                 route->egress.hosts};
    sha256_add_number(sha, route->egress.only);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        sha256_add_text(sha, text_of(texts[i] ? texts[i] : ""));
}

static void add_c_string(struct sha256 *sha, const char *text) {
    sha256_add_text(sha, text_of(text));
}

static void add_texts(struct sha256 *sha, const gramc_text *texts, size_t count) {
    sha256_add_number(sha, count);
    for (size_t i = 0; i < count; i++) sha256_add_text(sha, texts[i]);
}

static void add_sandbox(struct sha256 *sha, const gramc_sandbox *sandbox) {
    sha256_add_number(sha, sandbox->network);
    add_texts(sha, sandbox->read, sandbox->read_count);
    add_texts(sha, sandbox->write, sandbox->write_count);
}

static void take_digest(struct mcp_server *server) {
    const gramc_box *box = server->box;
    struct sha256 sha;
    sha256_init(&sha);
    add_texts(&sha, box->argv, box->argc);
    add_texts(&sha, server->env, box->env_count);
    sha256_add_text(&sha, box->folder);
    add_c_string(&sha, server->url);
    for (size_t i = 0; server->headers[i]; i++) add_c_string(&sha, server->headers[i]);
    if (server->route) add_route(&sha, server->route);
    if (server->sandbox) add_sandbox(&sha, server->sandbox);
    sha256_hex(&sha, server->digest);
}

gramc_status mcp_server_read(struct mcp_server **out, struct arena *arena, const gramc_box *box,
                             const struct mcp_given *given, char why[MCP_WHY_MAX]) {
    struct mcp_server *server = ARENA_NEW(arena, struct mcp_server);
    struct filling filling = {arena, given->secrets, given->egress, server, why, false};
    *out = NULL;
    if (!server) return GRAMC_NOMEM;
    server->box = box;
    server->url = "";
    if (box->url_argc) {
        snprintf(why, MCP_WHY_MAX, "its url is asked of a program, which has not said it");
        return GRAMC_FINDINGS;
    }
    if (box->url.len) fill_address(&filling, server);
    if (box->argc) contain(&filling, server, given);
    if (arena->oom) return GRAMC_NOMEM;
    if (filling.failed) return GRAMC_FINDINGS;
    fill_environment(&filling, server);
    fill_headers(&filling, server);
    if (arena->oom) return GRAMC_NOMEM;
    if (filling.failed) return GRAMC_FINDINGS;
    take_digest(server);
    *out = server;
    return GRAMC_OK;
}

void mcp_server_wipe(struct mcp_server *server) {
    for (struct mcp_filled *copy = server->filled; copy; copy = copy->next)
        mem_wipe(copy->bytes, copy->len);
}
