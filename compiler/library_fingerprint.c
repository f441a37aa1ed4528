/* Takes a library's fingerprint: all that it says, and the bytes of every file that it names and
 * that can be read. Where it is written does not count. */
#include "compiler/kinds.h"

#include <string.h>

#include "base/sha256.h"
#include "base/text.h"
#include "compiler/approve.h"

/* What the parts share. */
struct taker {
    struct sha256 sha;
    struct arena *arena;
    gramc_reader reader;
};

static void add_file(struct taker *taker, gramc_text folder, gramc_text name) {
    gramc_reader reader = taker->reader;
    struct buf path;
    gramc_text bytes;
    buf_init(&path, &taker->arena->allocator, SOURCE_MAX);
    if (name.len && name.ptr[0] != '/') buf_text(&path, folder);
    buf_text(&path, name);
    int failure = path.state == BUF_NOMEM ? GRAMC_NOMEM : GRAMC_NOT_FOUND;
    if (reader.read && name.len && path.state == BUF_FINE)
        failure = reader.read(reader.ctx, buf_view(&path), &bytes);
    if (failure == GRAMC_NOMEM) taker->arena->oom = true;
    if (!failure) sha256_add_text(&taker->sha, bytes);
    buf_free(&path);
}

static void add_texts(struct sha256 *sha, const gramc_text *texts, size_t count) {
    sha256_add_number(sha, count);
    for (size_t i = 0; i < count; i++) sha256_add_text(sha, texts[i]);
}

static void add_pairs(struct sha256 *sha, const gramc_pair *pairs, size_t count) {
    sha256_add_number(sha, count);
    for (size_t i = 0; i < count; i++) {
        sha256_add_text(sha, pairs[i].name);
        sha256_add_text(sha, pairs[i].value);
    }
}

void impl_texts(gramc_text *out[IMPL_TEXTS], gramc_impl *impl) {
    gramc_text *const texts[IMPL_TEXTS] = {
        &impl->name,   &impl->target,         &impl->description,   &impl->method,
        &impl->body,   &impl->transform,      &impl->content_type,  &impl->server,
        &impl->symbol, &impl->accepts_schema, &impl->returns_schema};
    memcpy(out, texts, sizeof texts);
}

static void add_impl_texts(struct sha256 *sha, gramc_impl impl) {
    gramc_text *texts[IMPL_TEXTS];
    impl_texts(texts, &impl);
    sha256_add_number(sha, IMPL_TEXTS);
    for (size_t i = 0; i < IMPL_TEXTS; i++) sha256_add_text(sha, *texts[i]);
}

/* Libraries without any have the fingerprint that they always had. */
static void add_styles(struct sha256 *sha, const gramc_style *styles, size_t count) {
    if (!count) return;
    sha256_add_text(sha, TEXT("styles"));
    sha256_add_number(sha, count);
    for (size_t i = 0; i < count; i++) {
        sha256_add_text(sha, styles[i].parameter);
        sha256_add_text(sha, styles[i].style);
        sha256_add_text(sha, styles[i].explode);
    }
}

/* Likewise. */
static void add_parts(struct sha256 *sha, const gramc_impl *impl) {
    if (impl->body_file.ptr) {
        sha256_add_text(sha, TEXT("bodyFile"));
        sha256_add_text(sha, impl->body_file);
    }
    if (!impl->part_count) return;
    sha256_add_text(sha, TEXT("multipart"));
    sha256_add_number(sha, impl->part_count);
    for (size_t i = 0; i < impl->part_count; i++) {
        sha256_add_text(sha, impl->parts[i].name);
        sha256_add_text(sha, impl->parts[i].value);
        sha256_add_text(sha, impl->parts[i].content_type);
        sha256_add_number(sha, impl->parts[i].is_file);
    }
}

/* Likewise. */
static void add_guard(struct taker *taker, const char *key, const gramc_guard_program *guard) {
    if (!guard->argc) return;
    sha256_add_text(&taker->sha, text_of(key));
    add_texts(&taker->sha, guard->argv, guard->argc);
    for (size_t i = 0; i < guard->argc; i++) add_file(taker, guard->folder, guard->argv[i]);
}

static void add_approve(struct sha256 *sha, gramc_approve approve) {
    if (approve == GRAMC_APPROVE_UNSAID) return;
    sha256_add_text(sha, TEXT("approve"));
    sha256_add_text(sha, approve_word(approve));
}

static void add_taint(struct sha256 *sha, gramc_said untrusted, bool sensitive) {
    if (untrusted) sha256_add_text(sha, TEXT("untrusted"));
    if (untrusted) sha256_add_text(sha, said_word(untrusted));
    if (sensitive) sha256_add_text(sha, TEXT("sensitive"));
}

/* The usual one is not told: fingerprints are older than the property. */
static void add_isolation(struct sha256 *sha, gramc_isolation isolation) {
    if (isolation == GRAMC_ISOLATION_RUN) sha256_add_text(sha, TEXT("isolation run"));
}

/* Likewise. A key is nobody's business. */
static void add_transport(struct taker *taker, gramc_text folder,
                          const gramc_transport *transport) {
    if (!transport->ca_file.len && !transport->client_certificate.len && !transport->proxy.len)
        return;
    sha256_add_text(&taker->sha, TEXT("transport"));
    sha256_add_text(&taker->sha, transport->ca_file);
    sha256_add_text(&taker->sha, transport->client_certificate);
    sha256_add_text(&taker->sha, transport->proxy);
    add_file(taker, folder, transport->ca_file);
    add_file(taker, folder, transport->client_certificate);
}

/* Nothing where there is none, so that libraries keep the fingerprints that they had. */
static void add_newer_limits(struct sha256 *sha, const gramc_impl *impl) {
    if (!impl->max_processes && !impl->max_file_size) return;
    sha256_add_text(sha, TEXT("limits"));
    sha256_add_number(sha, impl->max_processes);
    sha256_add_number(sha, impl->max_file_size);
}

/* Likewise. */
static void add_sandbox(struct sha256 *sha, const char *key, const gramc_sandbox *sandbox) {
    if (!sandbox) return;
    sha256_add_text(sha, text_of(key));
    add_texts(sha, sandbox->read, sandbox->read_count);
    add_texts(sha, sandbox->write, sandbox->write_count);
    add_texts(sha, sandbox->env, sandbox->env_count);
    sha256_add_number(sha, sandbox->network);
}

static void add_impl(struct taker *taker, const gramc_impl *impl) {
    struct sha256 *sha = &taker->sha;
    const uint64_t numbers[] = {impl->kind,       impl->timeout_ms, impl->in_process,
                                impl->persistent, impl->max_memory, impl->max_cpu_s,
                                impl->max_files};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sha256_add_number(sha, numbers[i]);
    add_newer_limits(sha, impl);
    add_impl_texts(sha, *impl);
    add_texts(sha, impl->argv, impl->argc);
    add_texts(sha, impl->env, impl->env_count);
    add_pairs(sha, impl->headers, impl->header_count);
    add_styles(sha, impl->styles, impl->style_count);
    add_parts(sha, impl);
    add_isolation(sha, impl->isolation);
    if (impl_names_file(impl)) add_file(taker, impl->folder, impl->target);
    for (size_t i = 0; i < impl->argc; i++) add_file(taker, impl->folder, impl->argv[i]);
    add_guard(taker, "before", &impl->before);
    add_guard(taker, "after", &impl->after);
    add_approve(sha, impl->approve);
    add_taint(sha, impl->untrusted, impl->sensitive);
    if (impl->library_named.len) sha256_add_text(sha, impl->library_named);
    add_transport(taker, impl->folder, &impl->transport);
    add_sandbox(sha, "sandbox", impl->sandbox);
}

static void add_box(struct taker *taker, const gramc_box *box) {
    struct sha256 *sha = &taker->sha;
    const gramc_text texts[] = {box->name, box->description, box->url, box->file_named};
    const uint64_t numbers[] = {box->kind, box->literal, box->all_tools, box->timeout_ms};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sha256_add_number(sha, numbers[i]);
    add_texts(sha, texts, sizeof texts / sizeof *texts);
    add_texts(sha, box->argv, box->argc);
    add_texts(sha, box->env, box->env_count);
    add_texts(sha, box->tools, box->tool_count);
    add_pairs(sha, box->headers, box->header_count);
    add_pairs(sha, box->renames, box->rename_count);
    add_isolation(sha, box->isolation);
    add_approve(sha, box->approve);
    add_taint(sha, box->untrusted, box->sensitive);
    add_transport(taker, box->folder, &box->transport);
    add_sandbox(sha, "sandbox", box->sandbox);
    add_file(taker, box->folder, box->file_named);
    for (size_t i = 0; i < box->argc; i++) add_file(taker, box->folder, box->argv[i]);
    if (box->stored.len) sha256_add_text(sha, TEXT("store"));
    if (box->stored.len) sha256_add_text(sha, box->stored);
    if (!box->url_argc) return;
    sha256_add_text(sha, TEXT("url from"));
    add_texts(sha, box->url_argv, box->url_argc);
    for (size_t i = 0; i < box->url_argc; i++) add_file(taker, box->folder, box->url_argv[i]);
}

gramc_text library_fingerprint_whole(struct arena *arena, const gramc_library *library) {
    struct sha256 sha;
    char hex[SHA256_HEX];
    bool any = false;
    sha256_init(&sha);
    sha256_add_text(&sha, TEXT("gramc library 2, with agents"));
    sha256_add_text(&sha, library->fingerprint);
    for (size_t i = 0; i < library->impl_count; i++) {
        const gramc_impl *impl = &library->impls[i];
        if (!impl->agent) continue;
        any = true;
        sha256_add_text(&sha, impl->name);
        sha256_add_text(&sha, impl->agent->fingerprint);
        sha256_add_text(&sha, impl->library ? impl->library->fingerprint : TEXT(""));
    }
    sha256_hex(&sha, hex);
    return any ? arena_text(arena, (gramc_text){hex, SHA256_HEX}) : library->fingerprint;
}

gramc_text library_fingerprint(struct arena *arena, gramc_reader reader,
                               const gramc_library *library) {
    struct taker taker = {.arena = arena, .reader = reader};
    char hex[SHA256_HEX];
    sha256_init(&taker.sha);
    sha256_add_text(&taker.sha, TEXT("gramc library 2"));
    sha256_add_text(&taker.sha, library->name);
    sha256_add_text(&taker.sha, library->description);
    sha256_add_number(&taker.sha, library->impl_count);
    for (size_t i = 0; i < library->impl_count; i++) add_impl(&taker, &library->impls[i]);
    for (size_t i = 0; i < library->box_count; i++) add_box(&taker, &library->boxes[i]);
    add_guard(&taker, "before of all", &library->before);
    add_guard(&taker, "after of all", &library->after);
    add_sandbox(&taker.sha, "sandbox of all", library->sandbox);
    sha256_hex(&taker.sha, hex);
    return arena_text(arena, (gramc_text){hex, SHA256_HEX});
}
