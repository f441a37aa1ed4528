/* Notices that the files of a shelf have changed, and has another shelf made of them. Who is told
 * of it is the transports' matter (mcp_stdio.c, mcp_http.c), as is when to look. */
#include "serve/mcp_watch.h"

#include "base/text.h"

struct watched_file {
    uv_timespec_t changed;
    uint64_t size, inode;
};

/* A file that is not there is like no file that is. */
static struct watched_file look_at(const struct shelf_watch *watch, gramc_text path) {
    struct watched_file file = {.size = UINT64_MAX};
    uv_fs_t request;
    char *copy = mem_alloc(&watch->allocator, path.len + 1);
    if (!copy) return file;
    memcpy(copy, path.ptr, path.len);
    copy[path.len] = '\0';
    if (uv_fs_stat(&watch->loop->uv, &request, copy, NULL) == 0)
        file = (struct watched_file){.changed = request.statbuf.st_mtim,
                                     .size = request.statbuf.st_size,
                                     .inode = request.statbuf.st_ino};
    uv_fs_req_cleanup(&request);
    mem_free(&watch->allocator, copy, path.len + 1);
    return file;
}

static bool is_same_file(const struct watched_file *a, const struct watched_file *b) {
    return a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec &&
           a->size == b->size && a->inode == b->inode;
}

static bool look_at_files(struct shelf_watch *watch) {
    bool changed = false;
    for (size_t i = 0; i < watch->count; i++) {
        struct watched_file now = look_at(watch, watch->source->files[i]);
        if (!is_same_file(&now, &watch->files[i])) changed = true;
        watch->files[i] = now;
    }
    return changed;
}

void shelf_watch_close(struct shelf_watch *watch) {
    mem_free(&watch->allocator, watch->files, (watch->count + 1) * sizeof(*watch->files));
    watch->files = NULL;
    watch->count = 0;
}

/* Those that the source names now. Without memory none is watched any more. Of the first one it is
 * known what it was like before it was read: it may have changed once more since. */
static bool take_files(struct shelf_watch *watch) {
    size_t count = watch->source->file_count, known = watch->count ? 1 : 0;
    struct watched_file *files = mem_alloc(&watch->allocator, (count + 1) * sizeof(*files));
    if (files && known) files[0] = watch->files[0];
    shelf_watch_close(watch);
    if (!files) return false;
    for (size_t i = known; i < count; i++) files[i] = look_at(watch, watch->source->files[i]);
    watch->files = files;
    watch->count = count;
    return true;
}

bool shelf_watch_open(struct shelf_watch *watch, const gramc_allocator *allocator, gramc_loop *loop,
                      const struct shelf_source *source) {
    *watch = (struct shelf_watch){.allocator = *allocator, .loop = loop, .source = source};
    return !source || take_files(watch);
}

/* Whoever writes them may not be done: they are read once nothing has changed for a while. */
struct tool_shelf *shelf_watch_look(struct shelf_watch *watch) {
    if (look_at_files(watch)) {
        watch->has_changes = true;
        return NULL;
    }
    if (!watch->has_changes) return NULL;
    watch->has_changes = false;
    struct tool_shelf *shelf = watch->source->again(watch->source->ctx);
    take_files(watch);
    return shelf;
}
