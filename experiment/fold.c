/* Turns a text into what is compared in its place. The pairs of letters are ranges of Unicode's
 * simple mapping; letters whose small form is several code points stay as they are. */
#include "experiment/fold.h"

#include "base/text.h"

/* `step` 1: each code point maps to the one `offset` further; 2: even ones do, and odd ones are
 * small already (`odd` says which of the two is the capital). */
static const struct {
    uint32_t first, last;
    uint32_t offset;
    bool pairs, odd;
} ranges[] = {{'A', 'Z', 32, false, false},     {0xC0, 0xD6, 32, false, false},
              {0xD8, 0xDE, 32, false, false},   {0x100, 0x12F, 1, true, false},
              {0x132, 0x137, 1, true, false},   {0x139, 0x148, 1, true, true},
              {0x14A, 0x177, 1, true, false},   {0x179, 0x17E, 1, true, true},
              {0x1A0, 0x1A5, 1, true, false},   {0x1AF, 0x1B0, 1, true, true},
              {0x1CD, 0x1DC, 1, true, true},    {0x1DE, 0x1EF, 1, true, false},
              {0x1F8, 0x21F, 1, true, false},   {0x222, 0x233, 1, true, false},
              {0x386, 0x386, 38, false, false}, {0x388, 0x38A, 37, false, false},
              {0x38C, 0x38C, 64, false, false}, {0x38E, 0x38F, 63, false, false},
              {0x391, 0x3A1, 32, false, false}, {0x3A3, 0x3AB, 32, false, false},
              {0x400, 0x40F, 80, false, false}, {0x410, 0x42F, 32, false, false},
              {0x460, 0x481, 1, true, false},   {0x48A, 0x4BF, 1, true, false},
              {0x4C1, 0x4CE, 1, true, true},    {0x4D0, 0x52F, 1, true, false},
              {0x531, 0x556, 48, false, false}, {0x1E00, 0x1E95, 1, true, false},
              {0x1EA0, 0x1EFF, 1, true, false}, {0xFF21, 0xFF3A, 32, false, false}};

uint32_t fold_lower(uint32_t code_point) {
    if (code_point == 0x178) return 0xFF;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (code_point < ranges[i].first || code_point > ranges[i].last) continue;
        bool capital = !ranges[i].pairs || (code_point % 2 == 1) == ranges[i].odd;
        return capital ? code_point + ranges[i].offset : code_point;
    }
    return code_point;
}

void fold_put(struct buf *out, gramc_text text) {
    static const char dropped[] = " ,./-_*^";
    for (size_t at = 0; at < text.len;) {
        size_t start = at;
        char bytes[4];
        uint32_t code_point = text_decode(text, &at);
        if (code_point < 128 && memchr(dropped, (int)code_point, sizeof dropped - 1)) continue;
        if (code_point == '\'') code_point = '"';
        if (code_point == UINT32_MAX) buf_put(out, text.ptr + start, at - start);
        else buf_put(out, bytes, text_encode(bytes, fold_lower(code_point)));
    }
}
