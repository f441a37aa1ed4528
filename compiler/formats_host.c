/* Judges host names. */
#include "compiler/formats_host.h"

static bool is_letter_digit(char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

bool host_is_name(gramc_text text) {
    size_t label = 0;
    if (text.len == 0 || text.len > 253) return false;
    for (size_t i = 0; i <= text.len; i++) {
        char c = i < text.len ? text.ptr[i] : '.';
        if (c == '.') {
            if (label == 0 || label > 63 || text.ptr[i - 1] == '-') return false;
            label = 0;
        } else if (is_letter_digit(c) || (c == '-' && label)) {
            label++;
        } else {
            return false;
        }
    }
    return true;
}

bool host_is_international(gramc_text text) {
    return text.len > 0;
}

bool host_is_mail_domain(gramc_text text) {
    return text.len > 0;
}
