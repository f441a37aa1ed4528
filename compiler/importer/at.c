/* Follows JSON Pointers into documents that are large: a map of thousands of schemas that thousands
 * of references lead into is indexed once, where a search would begin anew for each. */
#include "compiler/importer/parts.h"

#include "base/text.h"

#include <string.h>

enum { MANY_MEMBERS = 32 };

/* Of one object, for as long as the import goes on. */
struct import_index {
    const struct json *object; /* its address is the key */
    struct map members;
    bool has_twice; /* a name stands there twice: the last one counts, and a search finds it */
};

static struct import_index *make_index(struct importer *in, const struct json *object) {
    struct import_index *index = ARENA_NEW(in->arena, struct import_index);
    if (!index) return NULL;
    index->object = object;
    map_init(&index->members, in->arena);
    for (const struct json *m = object->first; m; m = m->next) {
        void *member = (void *)(uintptr_t)m;
        index->has_twice = map_put(&index->members, m->key, member) != member || index->has_twice;
    }
    map_put(&in->indexes, (gramc_text){(const char *)&index->object, sizeof index->object}, index);
    return in->arena->oom ? NULL : index;
}

/* `token` with its slash. */
static const struct json *child_at(struct importer *in, const struct json *value,
                                   gramc_text token) {
    bool large = value->kind == JSON_OBJECT && value->count > MANY_MEMBERS;
    bool plain = !memchr(token.ptr, '~', token.len);
    if (!large || !plain) return json_at(value, token);
    struct import_index *index =
        map_get(&in->indexes, (gramc_text){(const char *)&value, sizeof value});
    if (!index) index = make_index(in, value);
    if (!index || index->has_twice) return json_at(value, token);
    return map_get(&index->members, text_slice(token, 1, token.len));
}

const struct json *import_at(struct importer *in, const struct json *value, gramc_text pointer) {
    if (pointer.len && pointer.ptr[0] != '/') return NULL;
    size_t pos = 0;
    while (value && pos < pointer.len) {
        size_t start = pos++;
        while (pos < pointer.len && pointer.ptr[pos] != '/') pos++;
        value = child_at(in, value, text_slice(pointer, start, pos));
    }
    return value;
}
