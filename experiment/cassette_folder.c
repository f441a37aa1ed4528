/* Turns what a store has of an experiment into a folder of cassettes, and a cell into its
 * recording. What stands in a file is cassette.c's matter; here are folders, files and their names.
 */
#define _POSIX_C_SOURCE 200809L
#include "experiment/cassette_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/text.h"
#include "base/write_all.h"

enum { PATH_LONGEST = 4096 };

static gramc_status refuse(struct cassette_error *error, const char *path, int why) {
    snprintf(error->message, sizeof error->message, "%.400s: %.80s", path, strerror(why));
    return GRAMC_IO;
}

/* False: it is too long, or memory ran out. */
static bool path_of(const struct cassette_folder *folder, uint32_t item, char path[PATH_LONGEST]) {
    struct arena arena;
    arena_init(&arena, folder->allocator);
    gramc_text name = cassette_file_name(&arena, folder->plan->cases->items[item].id);
    int len =
        snprintf(path, PATH_LONGEST - 8, "%.*s/%.*s", TEXT_ARGS(folder->path), TEXT_ARGS(name));
    bool good = name.ptr && len > 0 && len < PATH_LONGEST - 8;
    arena_free(&arena);
    return good;
}

/* ## Writing */

/* Beside its place first, so that nobody finds half a file. */
static gramc_status replace_file(const char *path, gramc_text bytes, struct cassette_error *error) {
    char beside[PATH_LONGEST + 8];
    snprintf(beside, sizeof beside, "%s.new", path);
    int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return refuse(error, beside, errno);
    bool good = write_all(file, bytes) && fsync(file) == 0;
    int why = errno;
    if (close(file) && good) {
        good = false;
        why = errno;
    }
    if (good && rename(beside, path) == 0) return GRAMC_OK;
    if (good) why = errno;
    unlink(beside);
    return refuse(error, path, why);
}

struct saving {
    const struct cassette_folder *folder;
    struct cassettes_saved *saved;
    struct cassette_error *error;
    struct cassette_writer writer;
    gramc_status status;
    uint32_t item;
    bool open, spoiled; /* spoiled: one of its cells cannot be recorded */
};

static void spoil(struct saving *saving, const struct cassette_error *why) {
    if (!saving->saved->left_out++) saving->saved->reason = *why;
    saving->spoiled = true;
}

static gramc_status read_file(struct buf *out, const char *path, struct cassette_error *error);

/* What is there already, but for the day of recording, stays: nothing would be learned. */
static gramc_status keep_or_replace(struct saving *saving, const char *path) {
    struct cassette_error error;
    struct arena arena;
    struct buf old;
    arena_init(&arena, saving->folder->allocator);
    buf_init(&old, saving->folder->allocator, TRACE_SIZE_MAX);
    gramc_text bytes = cassette_bytes(&saving->writer);
    gramc_status status = read_file(&old, path, &error);
    bool alike = !status && cassettes_are_alike(&arena, buf_view(&old), bytes);
    bool no_memory = arena.oom || status == GRAMC_NOMEM;
    buf_free(&old);
    arena_free(&arena);
    if (no_memory) return GRAMC_NOMEM;
    return alike ? GRAMC_OK : replace_file(path, bytes, saving->error);
}

static void end_item(struct saving *saving) {
    char path[PATH_LONGEST];
    if (!saving->open) return;
    saving->open = false;
    if (!saving->status && !saving->spoiled && saving->writer.cells) {
        struct cassette_error long_name = {"the id of an item is too long for the name of a file"};
        if (path_of(saving->folder, saving->item, path))
            saving->status = keep_or_replace(saving, path);
        else spoil(saving, &long_name);
        saving->saved->items += !saving->status && !saving->spoiled;
        if (!saving->spoiled) saving->saved->cells += (uint32_t)saving->writer.cells;
    }
    cassette_end(&saving->writer);
}

static void begin_item(struct saving *saving, uint32_t item) {
    saving->item = item;
    saving->open = true;
    saving->spoiled = false;
    cassette_begin(&saving->writer, saving->folder->plan, item, saving->folder->allocator);
}

static int put_attempt(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct saving *saving = ctx;
    struct cassette_error why;
    (void)place;
    if (!saving->open || saving->item != attempt->cell.item) {
        end_item(saving);
        begin_item(saving, attempt->cell.item);
    }
    if (attempt->state != CELL_DONE || saving->spoiled || saving->status)
        return saving->status != 0;
    gramc_status status = cassette_put(&saving->writer, saving->folder->plan, attempt, &why);
    if (status == GRAMC_FINDINGS) spoil(saving, &why);
    else saving->status = status;
    return saving->status != 0;
}

gramc_status cassettes_save(const struct cassette_folder *folder, struct store *store,
                            struct cassettes_saved *out, struct cassette_error *error) {
    struct saving saving = {.folder = folder, .saved = out, .error = error};
    struct store_error why = {""};
    char path[PATH_LONGEST];
    *out = (struct cassettes_saved){.items = 0};
    snprintf(path, sizeof path, "%.*s", TEXT_ARGS(folder->path));
    if (mkdir(path, 0700) && errno != EEXIST) return refuse(error, path, errno);
    gramc_status status = store_each(store, true, put_attempt, &saving, &why);
    end_item(&saving);
    if (!status) return saving.status;
    snprintf(error->message, sizeof error->message, "%s", why.message);
    return status;
}

/* ## Reading */

static gramc_status read_file(struct buf *out, const char *path, struct cassette_error *error) {
    char piece[16384];
    ssize_t got = 1;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 && errno == ENOENT) {
        snprintf(error->message, sizeof error->message, "%.400s: there is no such file", path);
        return GRAMC_NOT_FOUND;
    }
    if (file < 0) return refuse(error, path, errno);
    while (got > 0 || (got < 0 && errno == EINTR)) {
        got = read(file, piece, sizeof piece);
        if (got > 0) buf_text(out, (gramc_text){piece, (size_t)got});
    }
    int why = errno;
    close(file);
    return got < 0 ? refuse(error, path, why) : buf_status(out);
}

gramc_status cassettes_read(struct buf *out, const struct cassette_folder *folder, uint32_t item,
                            struct cassette_error *error) {
    char path[PATH_LONGEST];
    *error = (struct cassette_error){"out of memory"};
    if (path_of(folder, item, path)) return read_file(out, path, error);
    *error = (struct cassette_error){"the id of the item is too long for the name of a file"};
    return GRAMC_NOT_FOUND;
}

gramc_status cassettes_open(gramc_cassette **out, int64_t *recorded_ms,
                            const struct cassette_folder *folder, const struct cell *cell,
                            struct cassette_error *error) {
    struct cassette_error why = {""};
    char path[PATH_LONGEST];
    struct arena arena;
    struct buf file;
    *out = NULL;
    arena_init(&arena, folder->allocator);
    buf_init(&file, folder->allocator, TRACE_SIZE_MAX);
    gramc_status status = cassettes_read(&file, folder, cell->item, error);
    if (!status)
        status = cassette_load(out, buf_view(&file), folder->plan, cell, folder->allocator, &why);
    if (!status) *recorded_ms = cassette_recorded(&arena, buf_view(&file));
    if (why.message[0] && path_of(folder, cell->item, path))
        snprintf(error->message, sizeof error->message, "%.250s: %.250s", path, why.message);
    buf_free(&file);
    arena_free(&arena);
    return status;
}

gramc_status cassettes_script(gramc_model **out, const struct cassette_folder *folder,
                              gramc_text arm) {
    gramc_status status = GRAMC_NOT_FOUND;
    struct cassette_error error;
    *out = NULL;
    for (uint32_t i = 0; i < folder->plan->cases->count && status == GRAMC_NOT_FOUND; i++) {
        struct buf file;
        buf_init(&file, folder->allocator, TRACE_SIZE_MAX);
        gramc_status got = cassettes_read(&file, folder, i, &error);
        if (got == GRAMC_NOMEM) status = got;
        if (!got) status = cassette_script(out, buf_view(&file), arm, folder->allocator);
        buf_free(&file);
    }
    return status;
}

gramc_status cassettes_judged(gramc_text *out, struct arena *arena,
                              const struct cassette_folder *folder, const struct cell *cell,
                              struct cassette_error *error) {
    struct buf file;
    *out = TEXT("");
    buf_init(&file, folder->allocator, TRACE_SIZE_MAX);
    gramc_status status = cassettes_read(&file, folder, cell->item, error);
    if (!status) status = cassette_judged(out, arena, buf_view(&file), folder->plan, cell, error);
    buf_free(&file);
    return status;
}

/* ## Files by their names */

static int compare_names(const void *a, const void *b) {
    return text_compare(*(const gramc_text *)a, *(const gramc_text *)b);
}

static bool is_file(gramc_text name) {
    static const char ending[] = ".jsonl";
    size_t len = sizeof ending - 1;
    return name.len > len && name.ptr[0] != '.' &&
           memcmp(name.ptr + name.len - len, ending, len) == 0;
}

struct name_link {
    gramc_text name;
    struct name_link *next;
};

static bool gather(DIR *folder, struct arena *arena, struct name_link **links, size_t *count) {
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (!is_file(text_of(entry->d_name))) continue;
        struct name_link *link = arena_alloc(arena, sizeof *link);
        if (!link) return false;
        *link = (struct name_link){arena_text(arena, text_of(entry->d_name)), *links};
        *links = link;
        (*count)++;
    }
    return !arena->oom;
}

static bool join(char path[PATH_LONGEST], gramc_text folder, gramc_text name,
                 struct cassette_error *error) {
    int len = snprintf(path, PATH_LONGEST - 8, "%.*s%s%.*s", TEXT_ARGS(folder), name.len ? "/" : "",
                       TEXT_ARGS(name));
    if (len > 0 && len < PATH_LONGEST - 8) return true;
    *error = (struct cassette_error){"the path is too long"};
    return false;
}

gramc_status cassettes_list(gramc_text **out, size_t *count, struct arena *arena, gramc_text folder,
                            struct cassette_error *error) {
    struct name_link *links = NULL;
    char path[PATH_LONGEST];
    *count = 0;
    if (!join(path, folder, TEXT(""), error)) return GRAMC_IO;
    DIR *open_folder = opendir(path);
    if (!open_folder) return refuse(error, path, errno);
    bool good = gather(open_folder, arena, &links, count);
    closedir(open_folder);
    gramc_text *names = good ? arena_array(arena, *count + 1, sizeof *names) : NULL;
    if (!names) return GRAMC_NOMEM;
    for (size_t i = 0; links; links = links->next) names[i++] = links->name;
    qsort(names, *count, sizeof *names, compare_names);
    *out = names;
    return GRAMC_OK;
}

gramc_status cassettes_read_file(struct buf *out, gramc_text folder, gramc_text name,
                                 struct cassette_error *error) {
    char path[PATH_LONGEST];
    return join(path, folder, name, error) ? read_file(out, path, error) : GRAMC_IO;
}

gramc_status cassettes_write_file(gramc_text folder, gramc_text name, gramc_text bytes,
                                  struct cassette_error *error) {
    char path[PATH_LONGEST];
    if (!join(path, folder, name, error)) return GRAMC_IO;
    if (bytes.ptr) return replace_file(path, bytes, error);
    return unlink(path) ? refuse(error, path, errno) : GRAMC_OK;
}
