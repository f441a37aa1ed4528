/* Checks one label of an international host name, given as code points: RFC 5892 (which code points
 * may stand in it), its appendix A (which of them only in company), RFC 5893 (directions). General
 * categories come from re2c's Unicode tables; the rest are ranges of the Unicode Character Database.
 * Labels, lengths and Punycode are left to formats_host.c. */
#include "jsonschema/formats_idna.h"

#include "base/text.h"

enum category { CATEGORY_NONE, CATEGORY_LETTER, CATEGORY_MARK, CATEGORY_NONSPACING, CATEGORY_DIGIT };

/*!include:re2c "unicode_categories.re" */

static enum category category_of(uint32_t code_point) {
    char bytes[4];
    const unsigned char *p = (const unsigned char *)bytes, *marker = p;
    const unsigned char *const end = p + text_encode(bytes, code_point);
    (void)marker;
    /*!re2c
        re2c:api = custom;
        re2c:api:style = free-form;
        re2c:define:YYCTYPE = "unsigned char";
        re2c:define:YYPEEK = "(p < end ? *p : 0)";
        re2c:define:YYSKIP = "++p;";
        re2c:define:YYBACKUP = "marker = p;";
        re2c:define:YYRESTORE = "p = marker;";
        re2c:define:YYLESSTHAN = "p >= end";
        re2c:yyfill:enable = 0;
        re2c:eof = 0;

        Ll | Lo | Lm { return CATEGORY_LETTER; }
        Mn { return CATEGORY_NONSPACING; }
        Mc { return CATEGORY_MARK; }
        Nd { return CATEGORY_DIGIT; }
        * { return CATEGORY_NONE; }
        $ { return CATEGORY_NONE; }
    */
}

struct code_range {
    uint32_t first, last;
};

static bool is_in(const struct code_range *ranges, size_t count, uint32_t c) {
    for (size_t i = 0; i < count; i++)
        if (c >= ranges[i].first && c <= ranges[i].last) return true;
    return false;
}
#define IS_IN(ranges, c) is_in((ranges), sizeof(ranges) / sizeof(ranges)[0], (c))

/* Letters and marks that are not stable under normalisation and case folding, and old jamo:
 * RFC 5892, sections 2.2 and 2.9; with the disallowed exceptions of section 2.6. */
static const struct code_range refused[] = {
    {0xAA, 0xAA}, {0xBA, 0xBA}, {0x133, 0x133}, {0x140, 0x140}, {0x149, 0x149}, {0x17F, 0x17F},
    {0x1C6, 0x1C6}, {0x1C9, 0x1C9}, {0x1CC, 0x1CC}, {0x1F3, 0x1F3}, {0x2B0, 0x2B8},
    {0x2E0, 0x2E4}, {0x340, 0x341}, {0x343, 0x345}, {0x374, 0x374}, {0x37A, 0x37A},
    {0x3D0, 0x3D6}, {0x3F0, 0x3F2}, {0x3F5, 0x3F5}, {0x587, 0x587}, {0x640, 0x640},
    {0x675, 0x678}, {0x7FA, 0x7FA}, {0x958, 0x95F}, {0x9DC, 0x9DD}, {0x9DF, 0x9DF},
    {0xA33, 0xA33}, {0xA36, 0xA36}, {0xA59, 0xA5B}, {0xA5E, 0xA5E}, {0xB5C, 0xB5D},
    {0xE33, 0xE33}, {0xEB3, 0xEB3}, {0xEDC, 0xEDD}, {0xF43, 0xF43}, {0xF4D, 0xF4D},
    {0xF52, 0xF52}, {0xF57, 0xF57}, {0xF5C, 0xF5C}, {0xF69, 0xF69}, {0xF73, 0xF73},
    {0xF75, 0xF79}, {0xF81, 0xF81}, {0x10FC, 0x10FC}, {0x1100, 0x11FF}, {0x1D2C, 0x1D2E},
    {0x1D30, 0x1D3A}, {0x1D3C, 0x1D4D}, {0x1D4F, 0x1D6A}, {0x1D78, 0x1D78}, {0x1D9B, 0x1DBF},
    {0x1E9A, 0x1E9B}, {0x1F71, 0x1F71}, {0x1F73, 0x1F73}, {0x1F75, 0x1F75}, {0x1F77, 0x1F77},
    {0x1F79, 0x1F79}, {0x1F7B, 0x1F7B}, {0x1F7D, 0x1F7D}, {0x1F80, 0x1FAF}, {0x2071, 0x2071},
    {0x207F, 0x207F}, {0x2090, 0x209C}, {0x2100, 0x214D}, {0x2C7C, 0x2C7D}, {0x2D6F, 0x2D6F},
    {0x302E, 0x302F}, {0x3031, 0x3035}, {0x303B, 0x303C}, {0x309F, 0x309F}, {0x30FF, 0x30FF},
    {0x3131, 0x318E}, {0xA69C, 0xA69D}, {0xA770, 0xA770}, {0xA7F2, 0xA7F4}, {0xA7F8, 0xA7F9},
    {0xA960, 0xA97C}, {0xAB5C, 0xAB5F}, {0xAB69, 0xAB69}, {0xAB70, 0xABBF}, {0xD7B0, 0xD7FB},
    {0xF900, 0xFA0D}, {0xFA10, 0xFA10}, {0xFA12, 0xFA12}, {0xFA15, 0xFA1E}, {0xFA20, 0xFA20},
    {0xFA22, 0xFA22}, {0xFA25, 0xFA26}, {0xFA2A, 0xFB1D}, {0xFB1F, 0xFDFF}, {0xFE70, 0xFEFF},
    {0xFF00, 0xFFEF}, {0x1D400, 0x1D7FF}, {0x1EE00, 0x1EEFF}, {0x2F800, 0x2FA1F},
};

/* Canonical combining class 9. */
static const struct code_range viramas[] = {
    {0x94D, 0x94D}, {0x9CD, 0x9CD}, {0xA4D, 0xA4D}, {0xACD, 0xACD}, {0xB4D, 0xB4D},
    {0xBCD, 0xBCD}, {0xC4D, 0xC4D}, {0xCCD, 0xCCD}, {0xD3B, 0xD3C}, {0xD4D, 0xD4D},
    {0xDCA, 0xDCA}, {0xE3A, 0xE3A}, {0xEBA, 0xEBA}, {0xF84, 0xF84}, {0x1039, 0x103A},
    {0x1714, 0x1715}, {0x1734, 0x1734}, {0x17D2, 0x17D2}, {0x1A60, 0x1A60}, {0x1B44, 0x1B44},
    {0x1BAA, 0x1BAB}, {0x1BF2, 0x1BF3}, {0x2D7F, 0x2D7F}, {0xA806, 0xA806}, {0xA82C, 0xA82C},
    {0xA8C4, 0xA8C4}, {0xA953, 0xA953}, {0xA9C0, 0xA9C0}, {0xAAF6, 0xAAF6}, {0xABED, 0xABED},
    {0x10A3F, 0x10A3F}, {0x11046, 0x11046}, {0x1107F, 0x1107F}, {0x110B9, 0x110B9},
    {0x11133, 0x11134}, {0x111C0, 0x111C0}, {0x11235, 0x11235}, {0x112EA, 0x112EA},
    {0x1134D, 0x1134D}, {0x11442, 0x11442}, {0x114C2, 0x114C2}, {0x115BF, 0x115BF},
    {0x1163F, 0x1163F}, {0x116B6, 0x116B6}, {0x1172B, 0x1172B}, {0x11839, 0x11839},
    {0x1193D, 0x1193E}, {0x119E0, 0x119E0}, {0x11A34, 0x11A34}, {0x11A47, 0x11A47},
    {0x11A99, 0x11A99}, {0x11C3F, 0x11C3F}, {0x11D44, 0x11D45}, {0x11D97, 0x11D97},
};

/* Joining types of Arabic, Syriac and N'Ko letters: on both sides, and only to the right. */
static const struct code_range joins_both[] = {
    {0x620, 0x620}, {0x626, 0x626}, {0x628, 0x628}, {0x62A, 0x62E}, {0x633, 0x63F},
    {0x641, 0x647}, {0x649, 0x64A}, {0x66E, 0x66F}, {0x678, 0x687}, {0x69A, 0x6BF},
    {0x6C1, 0x6C2}, {0x6CC, 0x6CC}, {0x6CE, 0x6CE}, {0x6D0, 0x6D1}, {0x6FA, 0x6FC},
    {0x6FF, 0x6FF}, {0x712, 0x714}, {0x71A, 0x71D}, {0x71F, 0x727}, {0x729, 0x729},
    {0x72B, 0x72B}, {0x72D, 0x72E}, {0x74E, 0x758}, {0x75C, 0x76A}, {0x76D, 0x770},
    {0x772, 0x772}, {0x775, 0x777}, {0x77A, 0x77F}, {0x7CA, 0x7EA},
};
static const struct code_range joins_right[] = {
    {0x622, 0x625}, {0x627, 0x627}, {0x629, 0x629}, {0x62F, 0x632}, {0x648, 0x648},
    {0x671, 0x673}, {0x688, 0x699}, {0x6C0, 0x6C0}, {0x6C3, 0x6CB}, {0x6CD, 0x6CD},
    {0x6CF, 0x6CF}, {0x6D2, 0x6D3}, {0x6D5, 0x6D5}, {0x6EE, 0x6EF}, {0x710, 0x710},
    {0x715, 0x719}, {0x71E, 0x71E}, {0x728, 0x728}, {0x72A, 0x72A}, {0x72C, 0x72C},
    {0x72F, 0x72F}, {0x74D, 0x74D}, {0x759, 0x75B}, {0x76B, 0x76C}, {0x771, 0x771},
    {0x773, 0x774}, {0x778, 0x779},
};

static const struct code_range greek[] = {{0x370, 0x3FF}, {0x1F00, 0x1FFF}};
static const struct code_range hebrew[] = {{0x591, 0x5F4}, {0xFB1D, 0xFB4F}};
static const struct code_range kana_or_han[] = {
    {0x3005, 0x3007}, {0x3021, 0x3029}, {0x3038, 0x303B}, {0x3041, 0x3096}, {0x309D, 0x309F},
    {0x30A1, 0x30FA}, {0x30FC, 0x30FF}, {0x31F0, 0x31FF}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF},
    {0xF900, 0xFAFF}, {0x20000, 0x323AF},
};
static const struct code_range right_to_left[] = {
    {0x590, 0x65F}, {0x66D, 0x6EF}, {0x6FA, 0x8FF}, {0xFB1D, 0xFDFF}, {0xFE70, 0xFEFF},
    {0x10800, 0x10FFF}, {0x1E800, 0x1EFFF},
};

/* ## Which code points */

enum { MIDDLE_DOT = 0xB7, KERAIA = 0x375, GERESH = 0x5F3, GERSHAYIM = 0x5F4, KATAKANA_DOT = 0x30FB,
       JOINER = 0x200D, NON_JOINER = 0x200C };

static bool is_arabic_digit(uint32_t c) {
    return c >= 0x660 && c <= 0x669;
}

static bool is_extended_digit(uint32_t c) {
    return c >= 0x6F0 && c <= 0x6F9;
}

static bool any_in(const struct code_range *ranges, size_t count, const uint32_t *label, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (is_in(ranges, count, label[i])) return true;
    return false;
}

/* Between letters that would join: RFC 5892, appendix A.1. */
static bool is_between_joining(const uint32_t *label, size_t len, size_t i) {
    size_t before = i, after = i + 1;
    while (before > 0 && category_of(label[before - 1]) == CATEGORY_NONSPACING) before--;
    while (after < len && category_of(label[after]) == CATEGORY_NONSPACING) after++;
    return before > 0 && after < len && IS_IN(joins_both, label[before - 1]) &&
           (IS_IN(joins_both, label[after]) || IS_IN(joins_right, label[after]));
}

/* Code points that need company: RFC 5892, appendix A. */
static bool has_company(const uint32_t *label, size_t len, size_t i) {
    uint32_t before = i ? label[i - 1] : 0, after = i + 1 < len ? label[i + 1] : 0;
    switch (label[i]) {
    case MIDDLE_DOT: return before == 'l' && after == 'l';
    case KERAIA: return IS_IN(greek, after);
    case GERESH:
    case GERSHAYIM: return IS_IN(hebrew, before);
    case KATAKANA_DOT:
        return any_in(kana_or_han, sizeof kana_or_han / sizeof kana_or_han[0], label, len);
    case JOINER: return IS_IN(viramas, before);
    case NON_JOINER: return IS_IN(viramas, before) || is_between_joining(label, len, i);
    default: return false;
    }
}

static bool may_stand(const uint32_t *label, size_t len, size_t i) {
    uint32_t c = label[i];
    if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    switch (c) {
    case 0x3C2:
    case 0x6FD:
    case 0x6FE:
    case 0xF0B:
    case 0x3007: return true;
    case MIDDLE_DOT:
    case KERAIA:
    case GERESH:
    case GERSHAYIM:
    case KATAKANA_DOT:
    case JOINER:
    case NON_JOINER: return has_company(label, len, i);
    default: return category_of(c) != CATEGORY_NONE && !IS_IN(refused, c);
    }
}

static bool mixes_digits(const uint32_t *label, size_t len) {
    bool arabic = false, extended = false;
    for (size_t i = 0; i < len; i++) {
        arabic |= is_arabic_digit(label[i]);
        extended |= is_extended_digit(label[i]);
    }
    return arabic && extended;
}

static bool is_mark(uint32_t c) {
    enum category category = category_of(c);
    return category == CATEGORY_MARK || category == CATEGORY_NONSPACING;
}

bool idna_label_is_valid(const uint32_t *label, size_t len) {
    if (len == 0 || label[0] == '-' || label[len - 1] == '-') return false;
    if (len >= 4 && label[2] == '-' && label[3] == '-') return false;
    if (is_mark(label[0]) || mixes_digits(label, len)) return false;
    for (size_t i = 0; i < len; i++)
        if (!may_stand(label, len, i)) return false;
    return true;
}

/* ## Directions */

enum direction { DIRECTION_LEFT, DIRECTION_RIGHT, DIRECTION_EUROPEAN, DIRECTION_ARABIC,
                 DIRECTION_NONSPACING, DIRECTION_NEUTRAL };

static enum direction direction_of(uint32_t c) {
    if ((c >= '0' && c <= '9') || is_extended_digit(c)) return DIRECTION_EUROPEAN;
    if (is_arabic_digit(c)) return DIRECTION_ARABIC;
    if (c == '-' || c == MIDDLE_DOT || c == KERAIA || c == KATAKANA_DOT || c == JOINER ||
        c == NON_JOINER)
        return DIRECTION_NEUTRAL;
    if (category_of(c) == CATEGORY_NONSPACING) return DIRECTION_NONSPACING;
    return IS_IN(right_to_left, c) ? DIRECTION_RIGHT : DIRECTION_LEFT;
}

bool idna_label_runs_right_to_left(const uint32_t *label, size_t len) {
    for (size_t i = 0; i < len; i++) {
        enum direction direction = direction_of(label[i]);
        if (direction == DIRECTION_RIGHT || direction == DIRECTION_ARABIC) return true;
    }
    return false;
}

/* RFC 5893, section 2. */
bool idna_label_keeps_direction(const uint32_t *label, size_t len) {
    unsigned seen = 0;
    enum direction first = direction_of(label[0]), last = DIRECTION_NONSPACING;
    for (size_t i = 0; i < len; i++) seen |= 1U << direction_of(label[i]);
    while (len > 0 && last == DIRECTION_NONSPACING) last = direction_of(label[--len]);
    if (first == DIRECTION_LEFT)
        return !(seen & (1U << DIRECTION_RIGHT | 1U << DIRECTION_ARABIC)) &&
               (last == DIRECTION_LEFT || last == DIRECTION_EUROPEAN);
    if (first != DIRECTION_RIGHT) return false;
    bool both = (seen & 1U << DIRECTION_EUROPEAN) && (seen & 1U << DIRECTION_ARABIC);
    return !both && !(seen & 1U << DIRECTION_LEFT) && last != DIRECTION_NEUTRAL;
}
