/* Reads a decision or a tool's name out of what a small model says around it. Names may contain one
 * another (`add`, `adder`), so what matches more of the text goes first. */
#include "runtime/prompted_read.h"

#include <string.h>

#include "base/text.h"

static bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

enum prompted_word prompted_word(gramc_text said) {
    for (size_t at = 0, end; at < said.len; at = end + 1) {
        for (end = at; end < said.len && is_word_byte(said.ptr[end]);) end++;
        gramc_text word = text_slice(said, at, end);
        if (text_is_nocase(word, "yes")) return PROMPTED_YES;
        if (text_is_nocase(word, "no")) return PROMPTED_NO;
    }
    return PROMPTED_NEITHER;
}

/* ## Names */

static gramc_text bare(gramc_text said) {
    static const char around[] = " \t\r\n`'\"*.:,;!()[]";
    size_t start = 0, end = said.len;
    while (start < end && strchr(around, said.ptr[start]) && said.ptr[start]) start++;
    while (end > start && strchr(around, said.ptr[end - 1]) && said.ptr[end - 1]) end--;
    return text_slice(said, start, end);
}

static bool stands_at(gramc_text said, gramc_text name, size_t at, bool as_word) {
    size_t end = at + name.len;
    if (!text_eq_nocase(text_slice(said, at, end), name)) return false;
    bool joined = (at > 0 && is_word_byte(said.ptr[at - 1])) ||
                  (end < said.len && is_word_byte(said.ptr[end]));
    return !as_word || !joined;
}

static bool is_found(gramc_text said, gramc_text name, bool as_word) {
    for (size_t at = 0; name.len && at + name.len <= said.len; at++)
        if (stands_at(said, name, at, as_word)) return true;
    return false;
}

static size_t only_one(const gramc_text *names, size_t count, gramc_text said, bool as_word) {
    size_t found = count;
    for (size_t i = 0; i < count; i++) {
        if (!is_found(said, names[i], as_word)) continue;
        if (found < count) return count;
        found = i;
    }
    return found;
}

size_t prompted_choice(const gramc_text *names, size_t count, gramc_text said) {
    gramc_text plain = bare(said);
    for (size_t i = 0; i < count; i++)
        if (text_eq(names[i], plain)) return i;
    for (size_t i = 0; i < count; i++)
        if (text_eq_nocase(names[i], plain)) return i;
    size_t found = only_one(names, count, said, true);
    return found < count ? found : only_one(names, count, said, false);
}
