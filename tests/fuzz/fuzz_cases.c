/* Cases of experiments: the first byte says whether they are CSV. Whatever the bytes are, they are
 * read or refused with a line; what was read reads back from its own canonical texts. */
#include <stdlib.h>

#include "base/case_file.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool truth) {
    if (!truth) abort();
}

static size_t read_all(struct case_file *file, gramc_text name, gramc_text text,
                       struct buf *lines) {
    struct case_fault fault = {0, ""};
    struct case_row row;
    struct arena arena;
    enum case_read read;
    arena_init(&arena, NULL);
    case_file_init(file, name, text, &arena.allocator);
    while ((read = case_file_next(file, &arena, &row, &fault)) == CASE_ROW) {
        demand(row.object->kind == JSON_OBJECT && row.id.len && row.line);
        json_put_canonical(lines, row.object);
        buf_putc(lines, '\n');
        arena_reset(&arena);
    }
    demand(read == CASE_END || (read == CASE_BROKEN && fault.message[0]));
    size_t count = read == CASE_END ? file->count : 0;
    case_file_free(file);
    arena_free(&arena);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct case_file file;
    struct buf lines, again;
    if (!size) return 0;
    gramc_text text = {(const char *)data + 1, size - 1};
    buf_init(&lines, NULL, (size_t)1 << 28);
    buf_init(&again, NULL, (size_t)1 << 28);
    size_t count = read_all(&file, data[0] & 1 ? TEXT("a.csv") : TEXT("a.jsonl"), text, &lines);
    size_t same = count ? read_all(&file, TEXT("a.jsonl"), buf_view(&lines), &again) : 0;
    /* Ids that were the lines' numbers may meet others now. */
    demand(!same || (same == count && text_eq(buf_view(&lines), buf_view(&again))));
    buf_free(&lines);
    buf_free(&again);
    return 0;
}
