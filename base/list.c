/* Turns any number of names into the few words of a message that can hold them: the first ones,
 * and how many more there are. Which names come first is the caller's choice. */
#include "base/list.h"

#include "base/text.h"

enum { LIST_MAX = 16 << 10, LONGEST_NAME = 60 };

void list_init(struct name_list *list, const gramc_allocator *allocator, const char *quote) {
    buf_init(&list->text, allocator, LIST_MAX);
    list->count = 0;
    list->quote = quote;
}

/* A name can be as long as its file; it is cut at a code point. */
static void put_name(struct buf *out, gramc_text name) {
    size_t pos = 0;
    while (pos < name.len && pos < LONGEST_NAME) text_decode(name, &pos);
    buf_text(out, text_slice(name, 0, pos));
    if (pos < name.len) buf_puts(out, "...");
}

void list_add(struct name_list *list, gramc_text owner, gramc_text name) {
    if (list->count++ >= LIST_SHOWN) return;
    if (list->count > 1) buf_puts(&list->text, ", ");
    buf_puts(&list->text, list->quote);
    put_name(&list->text, owner);
    if (owner.len) buf_putc(&list->text, '.');
    put_name(&list->text, name);
    buf_puts(&list->text, list->quote);
}

void list_put_number(struct buf *out, size_t number) {
    size_t thousands = 1;
    while (number / thousands >= 1000) thousands *= 1000;
    buf_printf(out, "%zu", number / thousands);
    while (thousands > 1) {
        number %= thousands;
        thousands /= 1000;
        buf_printf(out, ",%03zu", number / thousands);
    }
}

gramc_text list_end(struct name_list *list) {
    if (list->count > LIST_SHOWN) {
        buf_puts(&list->text, " and ");
        list_put_number(&list->text, list->count - LIST_SHOWN);
        buf_puts(&list->text, " more");
    }
    return buf_view(&list->text);
}

void list_free(struct name_list *list) {
    buf_free(&list->text);
}
