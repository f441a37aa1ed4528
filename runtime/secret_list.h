/* What secret.c keeps and secret_hide.c looks for. */
#ifndef RUNTIME_SECRET_LIST_H
#define RUNTIME_SECRET_LIST_H

#include "runtime/secret.h"

struct secret {
    gramc_text name, value;
    bool is_set;
};

/* What a value is looked for as: itself, or a stretch of base64. */
struct secret_form {
    gramc_text text, name;
    size_t value_len;
    bool is_value;
};

/* What a byte may be in a text that holds a secret; any other one is passed over. */
enum { MARK_FIRST = 1, MARK_SECOND = 2, MARK_ESCAPE = 4 };

struct secrets {
    gramc_allocator allocator;
    size_t size; /* of the block: this, the lists, the bytes */
    size_t count, form_count;
    struct secret *list; /* the longest first, as are the forms */
    struct secret_form *forms;
    unsigned char marks[256], sure_marks[256]; /* of all forms; of those that are SECRET_SURE */
};

#endif
