/* Names joined for a message, and never more of them than a reader takes in: "a, b, c, d, e and
 * 2,495 more". */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include "base/buf.h"

enum { LIST_SHOWN = 5 };

struct name_list {
    struct buf text;
    size_t count;      /* of all names, shown or not */
    const char *quote; /* round each; may be empty */
};

void list_init(struct name_list *list, const gramc_allocator *allocator, const char *quote);
/* `owner` may be empty; else "owner.name". */
void list_add(struct name_list *list, gramc_text owner, gramc_text name);
/* The whole sentence; lives as long as the list. Nothing may be added afterwards. */
gramc_text list_end(struct name_list *list);
void list_free(struct name_list *list);

/* A number as people read it: 2,495. */
void list_put_number(struct buf *out, size_t number);

#endif
