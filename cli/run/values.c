/* Reads the values of options and writes text that nobody vouches for. */
#include "cli/run/run.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"

bool run_parse_count(const char *text, uint32_t *count) {
    uint32_t value = 0;
    if (!*text) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || value > 100000000) return false;
        value = value * 10 + (uint32_t)(*text - '0');
    }
    *count = value;
    return value > 0;
}

bool run_parse_amount(const char *text, double *amount) {
    if (strspn(text, "0123456789.") != strlen(text)) return false;
    bool dots = text[0] == '.' || strchr(text, '.') != strrchr(text, '.');
    return *text && !dots && number_to_double(amount, text_of(text)) && *amount > 0;
}

bool run_parse_duration(const char *text, uint32_t *ms) {
    static const struct {
        const char *unit;
        uint32_t ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
    char digits[12];
    uint32_t count;
    size_t len = strspn(text, "0123456789");
    if (len == 0 || len >= sizeof digits) return false;
    memcpy(digits, text, len);
    digits[len] = '\0';
    if (!run_parse_count(digits, &count)) return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(text + len, units[i].unit) != 0) continue;
        *ms = count * units[i].ms;
        return count <= UINT32_MAX / units[i].ms;
    }
    return false;
}

void run_print_hostile(FILE *file, gramc_text text) {
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t code_point = text_decode(text, &pos);
        if (code_point == UINT32_MAX) fprintf(file, "\\x%02x", (unsigned char)text.ptr[start]);
        else if (text_is_treacherous(code_point)) fprintf(file, "\\u{%x}", (unsigned)code_point);
        else fwrite(text.ptr + start, 1, pos - start, file);
    }
}
