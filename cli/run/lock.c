/* Reads, compares and writes gramc.lock: a line for each tool that a box offered, with the words
 * and schemas that models are shown, under the library that has the box, with the fingerprint that
 * covers its text and files. One writer, members and entries in one order: what has not changed
 * gives the same bytes. Who is refused for a difference is workshop.c's. */
#define _XOPEN_SOURCE 700
#include "cli/run/lock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json/json.h"
#include "base/json/writer.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/project.h"

enum { LOCK_MAX = 64 << 20, LIBRARIES_MAX = 1024 };

struct lock {
    struct cli *cli;
    struct arena arena;
    char root[PATH_MAX]; /* of the project */
    char path[CLI_PATH];
    gramc_text before;                         /* as it was read; ptr NULL: there is none */
    const struct json *entries[LIBRARIES_MAX]; /* of libraries */
    size_t count;
};

/* ## Reading */

static bool is_text(const struct json *object, const char *key) {
    return json_is(json_get(object, key), JSON_STRING);
}

static bool is_tool(const struct json *tool) {
    return json_is(tool, JSON_OBJECT) && is_text(tool, "box") && is_text(tool, "tool");
}

static bool is_entry(const struct json *entry) {
    const struct json *tools = json_is(entry, JSON_OBJECT) ? json_get(entry, "tools") : NULL;
    if (!json_is(tools, JSON_ARRAY) || !is_text(entry, "file") || !is_text(entry, "library") ||
        !is_text(entry, "sha256") || !is_text(entry, "fingerprint"))
        return false;
    for (const struct json *tool = tools->first; tool; tool = tool->next)
        if (!is_tool(tool)) return false;
    return true;
}

static int take(struct lock *lock, const struct json *root) {
    const struct json *format = json_get(root, "format"), *version = json_get(root, "version");
    const struct json *libraries = json_get(root, "libraries");
    if (!json_is(format, JSON_STRING) || !text_is(format->text, "gramc-lock") ||
        !json_is(libraries, JSON_ARRAY))
        return cli_usage(lock->cli, "%s: this is no lock of gramc's", lock->path);
    if (!json_is(version, JSON_NUMBER) || !text_is(version->text, "1"))
        return cli_usage(lock->cli, "%s: this version of gramc reads locks of version 1 alone",
                         lock->path);
    for (const struct json *entry = libraries->first; entry; entry = entry->next) {
        if (!is_entry(entry) || lock->count == LIBRARIES_MAX)
            return cli_usage(lock->cli,
                             "%s: library %zu cannot be read; write it anew by `gramc lock`",
                             lock->path, lock->count + 1);
        lock->entries[lock->count++] = entry;
    }
    return EXIT_FINE;
}

static int parse(struct lock *lock) {
    struct json_error error = {0};
    const struct cli_file *file = cli_read(lock->cli, lock->path);
    if (!file) return lock->cli->failure;
    lock->before = (gramc_text){file->bytes, file->len};
    const struct json *root = json_parse(&lock->arena, lock->before, &error);
    if (lock->arena.oom) return cli_no_memory(lock->cli);
    if (!json_is(root, JSON_OBJECT))
        return cli_usage(lock->cli, "%s: %s (at byte %zu)", lock->path,
                         error.message ? error.message : "this is no lock of gramc's",
                         (size_t)error.position);
    return take(lock, root);
}

int lock_read(struct lock **out, struct cli *cli, bool has_spec) {
    struct lock *lock = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, sizeof *lock);
    *out = lock;
    if (!lock) return cli_no_memory(cli);
    memset(lock, 0, sizeof *lock);
    lock->cli = cli;
    arena_init(&lock->arena, &cli->allocator);
    const char *start = has_spec && cli->operand_count ? cli->operands[0] : ".";
    if (!project_root(start, lock->root) || !project_join(lock->path, lock->root, LOCK_FILE))
        return cli_usage(cli, "the project of %s cannot be found", start);
    return access(lock->path, F_OK) == 0 ? parse(lock) : EXIT_FINE;
}

void lock_free(struct lock *lock) {
    if (!lock) return;
    struct cli *cli = lock->cli;
    arena_free(&lock->arena);
    cli->allocator.alloc(cli->allocator.ctx, lock, sizeof *lock, 0);
}

/* ## Libraries */

static gramc_text file_of(const gramc_library *library) {
    if (library->impl_count) return library->impls[0].file;
    return library->box_count ? library->boxes[0].file : TEXT("");
}

/* From the project's folder on, if it is in there; ptr NULL without memory, or without a file. */
static gramc_text place_of(struct lock *lock, const gramc_library *library) {
    char file[CLI_PATH], real[PATH_MAX];
    gramc_text said = file_of(library);
    size_t root = strlen(lock->root);
    if (!said.len || said.len >= sizeof file) return (gramc_text){NULL, 0};
    memcpy(file, said.ptr, said.len);
    file[said.len] = '\0';
    if (!realpath(file, real)) return (gramc_text){NULL, 0};
    bool is_inside = strncmp(real, lock->root, root) == 0 && real[root] == '/';
    return arena_text(&lock->arena, text_of(is_inside ? real + root + 1 : real));
}

static const struct json **find(struct lock *lock, const gramc_library *library) {
    gramc_text place = place_of(lock, library);
    for (size_t i = 0; place.ptr && i < lock->count; i++)
        if (text_eq(json_get(lock->entries[i], "file")->text, place) &&
            text_eq(json_get(lock->entries[i], "library")->text, library->name))
            return &lock->entries[i];
    return NULL;
}

enum lock_state lock_state_of(struct lock *lock, const gramc_library *library) {
    const struct json **entry = find(lock, library);
    if (!entry) return LOCK_NOTHING;
    return text_eq(json_get(*entry, "fingerprint")->text, library->fingerprint) ? LOCK_SAME
                                                                                : LOCK_OTHER;
}

static bool hash_file(struct lock *lock, const gramc_library *library, char hex[SHA256_HEX]) {
    char path[CLI_PATH];
    struct sha256 sha;
    gramc_text said = file_of(library);
    if (said.len >= sizeof path) return false;
    memcpy(path, said.ptr, said.len);
    path[said.len] = '\0';
    const struct cli_file *file = cli_read(lock->cli, path);
    if (!file) return false;
    sha256_init(&sha);
    sha256_add(&sha, file->bytes, file->len);
    sha256_hex(&sha, hex);
    return true;
}

void lock_tell_library(struct lock *lock, const gramc_library *library) {
    char hex[SHA256_HEX];
    const struct json **entry = find(lock, library);
    FILE *err = lock->cli->err;
    bool same = entry && hash_file(lock, library, hex) &&
                text_eq(json_get(*entry, "sha256")->text, (gramc_text){hex, sizeof hex});
    fputs("gramc: library `", err);
    cli_put_safe(err, library->name);
    fprintf(err, "` is not what %s says: %s\n", LOCK_FILE,
            same ? "a file that it names has changed" : "its text has changed");
}

/* ## Tools of boxes */

static gramc_text compact(struct arena *arena, gramc_text json) {
    const struct json *value = json.len ? json_parse(arena, json, NULL) : NULL;
    struct buf out;
    if (!value) return json;
    buf_init(&out, &arena->allocator, LOCK_MAX);
    json_put(&out, value);
    return buf_to_arena(&out, arena);
}

static const struct json *tool_as_json(struct lock *lock, const gramc_offer *offer) {
    struct buf out;
    buf_init(&out, &lock->arena.allocator, LOCK_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    json_member_text(&w, "box", offer->box);
    json_member_text(&w, "tool", offer->tool);
    json_member_some(&w, "title", offer->title);
    json_member_some(&w, "description", offer->description);
    if (offer->parameters.len)
        json_member_raw(&w, "parameters", compact(&lock->arena, offer->parameters));
    if (offer->result.len) json_member_raw(&w, "result", compact(&lock->arena, offer->result));
    if (offer->annotations.len)
        json_member_raw(&w, "annotations", compact(&lock->arena, offer->annotations));
    json_object_end(&w);
    gramc_text text = buf_to_arena(&out, &lock->arena);
    return text.ptr ? json_parse(&lock->arena, text, NULL) : NULL;
}

static bool is_same_tool(const struct json *a, const struct json *b) {
    return text_eq(json_get(a, "box")->text, json_get(b, "box")->text) &&
           text_eq(json_get(a, "tool")->text, json_get(b, "tool")->text);
}

static const struct json *find_tool(const struct json *tools, const struct json *tool) {
    const struct json *t = tools->first;
    while (t && !is_same_tool(t, tool)) t = t->next;
    return t;
}

static void put_side(FILE *err, const char *sign, const struct json *value, struct arena *arena) {
    struct buf out;
    if (!value) return;
    buf_init(&out, &arena->allocator, LOCK_MAX);
    json_put(&out, value);
    fprintf(err, "  %s ", sign);
    cli_put_json_safe(err, buf_view(&out));
    fputc('\n', err);
    buf_free(&out);
}

static void put_name(FILE *err, const struct json *tool, const char *what) {
    fputs("gramc: tool `", err);
    cli_put_safe(err, json_get(tool, "tool")->text);
    fputs("` of box `", err);
    cli_put_safe(err, json_get(tool, "box")->text);
    fprintf(err, "` %s\n", what);
}

/* Each member that differs, as it was and as it is. */
static bool tell_tool(struct lock *lock, const struct json *old, const struct json *new) {
    static const char *const members[] = {"title", "description", "parameters", "result",
                                          "annotations"};
    bool differs = false;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const struct json *a = json_get(old, members[i]), *b = json_get(new, members[i]);
        if ((!a && !b) || (a && b && json_equal(a, b))) continue;
        char what[64];
        snprintf(what, sizeof what, "has another %s:", members[i]);
        put_name(lock->cli->err, new, what);
        put_side(lock->cli->err, "-", a, &lock->arena);
        put_side(lock->cli->err, "+", b, &lock->arena);
        differs = true;
    }
    return differs;
}

static bool offers_any(const gramc_offering *offering, gramc_text box) {
    gramc_offer offer;
    for (size_t i = 0; gramc_offering_get(offering, i, &offer); i++)
        if (text_eq(offer.box, box)) return true;
    return false;
}

static bool is_offered(const gramc_offering *offering, const struct json *tool) {
    gramc_offer offer;
    for (size_t i = 0; gramc_offering_get(offering, i, &offer); i++)
        if (text_eq(offer.box, json_get(tool, "box")->text) &&
            text_eq(offer.tool, json_get(tool, "tool")->text))
            return true;
    return false;
}

size_t lock_compare(struct lock *lock, const gramc_library *library,
                    const gramc_offering *offering) {
    const struct json **entry = find(lock, library);
    gramc_offer offer;
    size_t differing = 0;
    if (!entry || !offering) return 0;
    const struct json *tools = json_get(*entry, "tools");
    for (size_t i = 0; gramc_offering_get(offering, i, &offer); i++) {
        const struct json *new = tool_as_json(lock, &offer),
                          *old = new ? find_tool(tools, new) : NULL;
        if (new && !old) put_name(lock->cli->err, new, "is new");
        differing += new && (!old || tell_tool(lock, old, new));
    }
    for (const struct json *old = tools->first; old; old = old->next) {
        if (!offers_any(offering, json_get(old, "box")->text) || is_offered(offering, old))
            continue;
        put_name(lock->cli->err, old, "is gone");
        differing++;
    }
    return differing;
}

/* ## Writing */

static void put_tool_line(struct json_writer *w, const struct json *tool) {
    json_line(w, 6);
    json_value(w, tool);
}

/* What boxes offer that were asked, in their order; then what the lock has of the others. */
static void put_tools(struct lock *lock, struct json_writer *w, const struct json *old,
                      const gramc_offering *offering) {
    gramc_offer offer;
    json_member_array(w, "tools");
    for (size_t i = 0; offering && gramc_offering_get(offering, i, &offer); i++) {
        const struct json *tool = tool_as_json(lock, &offer);
        if (tool) put_tool_line(w, tool);
    }
    for (const struct json *t = old ? json_get(old, "tools")->first : NULL; t; t = t->next)
        if (!offering || !offers_any(offering, json_get(t, "box")->text)) put_tool_line(w, t);
    json_array_end(w);
}

static int order(const void *a, const void *b) {
    const struct json *x = *(const struct json *const *)a, *y = *(const struct json *const *)b;
    int files = text_compare(json_get(x, "file")->text, json_get(y, "file")->text);
    return files ? files : text_compare(json_get(x, "library")->text, json_get(y, "library")->text);
}

int lock_set(struct lock *lock, const gramc_library *library, const gramc_offering *offering) {
    const struct json **entry = find(lock, library);
    char hex[SHA256_HEX];
    struct buf out;
    gramc_text place = place_of(lock, library);
    if (!place.ptr)
        return cli_usage(lock->cli, "the library has nothing in it that could be locked");
    if (!hash_file(lock, library, hex)) return lock->cli->failure;
    if (!entry && lock->count == LIBRARIES_MAX)
        return cli_usage(lock->cli, "%s: it has %d libraries already", lock->path, LIBRARIES_MAX);
    buf_init(&out, &lock->arena.allocator, LOCK_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    json_member_text(&w, "file", place);
    json_member_text(&w, "library", library->name);
    json_member_text(&w, "sha256", (gramc_text){hex, sizeof hex});
    json_member_text(&w, "fingerprint", library->fingerprint);
    put_tools(lock, &w, entry ? *entry : NULL, offering);
    json_object_end(&w);
    gramc_text text = buf_to_arena(&out, &lock->arena);
    const struct json *made = text.ptr ? json_parse(&lock->arena, text, NULL) : NULL;
    if (!made) return cli_no_memory(lock->cli);
    if (entry) *entry = made;
    else lock->entries[lock->count++] = made;
    qsort(lock->entries, lock->count, sizeof *lock->entries, order);
    return EXIT_FINE;
}

static void put_entry(struct json_writer *w, const struct json *entry) {
    static const char *const members[] = {"file", "library", "sha256", "fingerprint"};
    json_line(w, 4);
    json_object_begin(w);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_member_text(w, members[i], json_get(entry, members[i])->text);
    json_member_array(w, "tools");
    for (const struct json *t = json_get(entry, "tools")->first; t; t = t->next)
        put_tool_line(w, t);
    json_array_end(w);
    json_object_end(w);
}

static void print(struct lock *lock, struct buf *out) {
    struct json_writer w = json_writer(out);
    w.spaced = true;
    json_object_begin(&w);
    json_member_text(&w, "format", TEXT("gramc-lock"));
    json_member_number(&w, "version", 1);
    json_member_array(&w, "libraries");
    for (size_t i = 0; i < lock->count; i++) put_entry(&w, lock->entries[i]);
    json_array_end(&w);
    json_object_end(&w);
    buf_putc(out, '\n');
}

int lock_write(struct lock *lock, bool check) {
    struct cli *cli = lock->cli;
    struct buf out;
    int code;
    buf_init(&out, &cli->allocator, LOCK_MAX);
    print(lock, &out);
    bool same = lock->before.ptr && text_eq(lock->before, buf_view(&out));
    if (buf_status(&out)) code = cli_status(cli, buf_status(&out));
    else if (same) code = EXIT_FINE;
    else if (!check) code = cli_write_file(cli, lock->path, buf_view(&out));
    else {
        fprintf(cli->err, "gramc: %s would change\n", lock->path);
        code = EXIT_FINDINGS;
    }
    buf_free(&out);
    return code;
}
