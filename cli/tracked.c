/* Reads the index of a git repository for the paths of its gram files. Of an entry only the path
 * counts; a split index is read without its shared part. See gitformat-index(5). */
#include "cli/tracked.h"

#include <string.h>

#include "base/text.h"

/* Before an entry's flags stand its times, numbers and size, then the name of the object. */
enum { HEADER = 12, STATUS = 40, SHA1 = 20, SHA256 = 32, EXTENDED = 0x4000, LENGTH = 0xFFF };

struct index_reader {
    gramc_text index;
    size_t at;
    uint32_t version;
    size_t object; /* bytes of an object's name */
    char *path;    /* of the newest entry */
    size_t len, room;
    struct arena *arena;
};

static uint32_t number_at(gramc_text text, size_t at) {
    const unsigned char *p = (const unsigned char *)text.ptr + at;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool make_room(struct index_reader *r, size_t wanted) {
    if (wanted <= r->room) return true;
    size_t room = wanted * 2;
    char *path = arena_alloc(r->arena, room);
    if (!path) return false;
    if (r->len) memcpy(path, r->path, r->len);
    r->path = path;
    r->room = room;
    return true;
}

/* How many bytes of the path before are not shared: git's own variable-length number. */
static bool take_shared(struct index_reader *r, size_t *out) {
    size_t value = 0;
    for (unsigned i = 0; r->at < r->index.len && i < 5; i++) {
        unsigned char c = (unsigned char)r->index.ptr[r->at++];
        value = (i ? (value + 1) << 7 : 0) + (c & 127);
        *out = value;
        if (!(c & 128)) return true;
    }
    return false;
}

/* False: this is no entry. */
static bool take_entry(struct index_reader *r) {
    size_t start = r->at, flags_at = start + STATUS + r->object, cut = r->len;
    if (flags_at + 4 > r->index.len) return false;
    uint32_t flags = number_at(r->index, flags_at) >> 16;
    r->at = flags_at + 2 + (flags & EXTENDED ? 2 : 0);
    if (r->version == 4 && !take_shared(r, &cut)) return false;
    if (cut > r->len || r->at >= r->index.len) return false;
    const char *name = r->index.ptr + r->at, *end = memchr(name, '\0', r->index.len - r->at);
    size_t more = end ? (size_t)(end - name) : 0, kept = r->len - cut, len = kept + more;
    bool is_true = end && len && ((flags & LENGTH) == (len < LENGTH ? len : LENGTH));
    if (!is_true || !make_room(r, len)) return false;
    if (more) memcpy(r->path + kept, name, more);
    r->len = len;
    r->at += more + 1;
    if (r->version < 4)
        r->at = start + (((size_t)(name - r->index.ptr) - start + more + 8) & ~(size_t)7);
    return true;
}

/* A file, and the folders that lead to it. */
static void keep(struct tracked *tracked, struct arena *arena, gramc_text path) {
    gramc_text copy = arena_text(arena, path);
    if (!copy.ptr) return;
    for (size_t i = copy.len + 1; i-- > 1 && !arena->oom;) {
        bool ends = i == copy.len || copy.ptr[i] == '/';
        if (ends) (void)map_put(&tracked->paths, text_slice(copy, 0, i), tracked);
    }
}

static bool ends_in_gram(gramc_text path) {
    return path.len > 5 && memcmp(path.ptr + path.len - 5, ".gram", 5) == 0;
}

/* `tracked` NULL: only whether it can be read with object names of that size. */
static bool read_entries(struct tracked *tracked, struct arena *arena, gramc_text index,
                         size_t object) {
    struct index_reader r = {.index = index, .at = HEADER, .object = object, .arena = arena};
    r.version = number_at(index, 4);
    for (uint32_t left = number_at(index, 8); left; left--) {
        if (!take_entry(&r)) return false;
        gramc_text path = {r.path, r.len};
        if (tracked && ends_in_gram(path)) keep(tracked, arena, path);
    }
    return true;
}

void tracked_init(struct tracked *tracked, struct arena *arena) {
    map_init(&tracked->paths, arena);
}

void tracked_add(struct tracked *tracked, gramc_text index) {
    static const size_t objects[] = {SHA1, SHA256};
    struct arena *arena = tracked->paths.arena;
    if (index.len < HEADER || memcmp(index.ptr, "DIRC", 4) != 0) return;
    if (number_at(index, 4) < 2 || number_at(index, 4) > 4) return;
    for (size_t i = 0; i < 2 && !arena->oom; i++) {
        if (!read_entries(NULL, arena, index, objects[i])) continue;
        (void)read_entries(tracked, arena, index, objects[i]);
        return;
    }
}

bool tracked_has(const struct tracked *tracked, gramc_text path) {
    return map_get(&tracked->paths, path) != NULL;
}
