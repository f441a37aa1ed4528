/* Checks host names: takes them apart into labels, turns Punycode (RFC 3492) into code points
 * and back, counts octets. What may stand in an international label is left to formats_idna.re. */
#include "jsonschema/formats_host.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "jsonschema/formats_idna.h"

struct host_label {
    uint32_t points[HOST_LABEL_MAX + 1];
    size_t len;
    size_t octets; /* as it goes over the wire */
};

/* ## Punycode: RFC 3492, section 6 */

enum {
    BASE = 36,
    T_MIN = 1,
    T_MAX = 26,
    SKEW = 38,
    DAMP = 700,
    INITIAL_BIAS = 72,
    INITIAL_N = 128
};

static uint32_t adapt(uint32_t delta, uint32_t points, bool first) {
    uint32_t k = 0;
    delta = first ? delta / DAMP : delta / 2;
    delta += delta / points;
    for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE) delta /= BASE - T_MIN;
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t threshold(uint32_t k, uint32_t bias) {
    return k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
}

static uint32_t digit_value(char c) {
    if (c >= '0' && c <= '9') return (uint32_t)(c - '0' + 26);
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'z' ? (uint32_t)(c - 'a') : BASE;
}

/* One number of variable length; false when it is cut off or too large. */
static bool read_delta(gramc_text text, size_t *pos, uint32_t bias, uint32_t *i) {
    uint64_t weight = 1, sum = *i;
    for (uint32_t k = BASE;; k += BASE) {
        if (*pos == text.len) return false;
        uint32_t digit = digit_value(text.ptr[(*pos)++]), t = threshold(k, bias);
        if (digit == BASE) return false;
        sum += digit * weight;
        if (sum > UINT32_MAX) return false;
        if (digit < t) break;
        weight *= BASE - t;
        if (weight > UINT32_MAX) return false;
    }
    *i = (uint32_t)sum;
    return true;
}

static bool decode(gramc_text text, struct host_label *label) {
    size_t hyphen = text.len, pos = 0;
    uint32_t n = INITIAL_N, i = 0, bias = INITIAL_BIAS;
    while (hyphen > 0 && text.ptr[hyphen - 1] != '-') hyphen--;
    label->len = 0;
    for (size_t k = 0; k + 1 < hyphen; k++)
        label->points[label->len++] = (unsigned char)text.ptr[k];
    for (pos = hyphen; pos < text.len;) {
        uint32_t before = i, count = (uint32_t)label->len + 1;
        if (label->len == HOST_LABEL_MAX || !read_delta(text, &pos, bias, &i)) return false;
        bias = adapt(i - before, count, before == 0);
        n += i / count;
        i %= count;
        if (n > 0x10FFFF || (n >= 0xD800 && n <= 0xDFFF)) return false;
        memmove(label->points + i + 1, label->points + i,
                (label->len - i) * sizeof label->points[0]);
        label->points[i++] = n;
        label->len++;
    }
    return true;
}

/* Counts, and compares with `expected` if it is not NULL, what an encoder writes. */
struct encoder {
    const char *expected;
    size_t len, limit;
    bool fits;
};

static void put_digit(struct encoder *out, uint32_t digit) {
    char c = (char)(digit < 26 ? 'a' + digit : '0' + digit - 26);
    if (out->len >= out->limit || (out->expected && (out->expected[out->len] | 0x20) != (c | 0x20)))
        out->fits = false;
    out->len++;
}

static void put_delta(struct encoder *out, uint32_t delta, uint32_t bias) {
    for (uint32_t k = BASE;; k += BASE) {
        uint32_t t = threshold(k, bias);
        if (delta < t) break;
        put_digit(out, t + (delta - t) % (BASE - t));
        delta = (delta - t) / (BASE - t);
    }
    put_digit(out, delta);
}

static uint32_t next_point(const struct host_label *label, uint32_t n) {
    uint32_t next = UINT32_MAX;
    for (size_t i = 0; i < label->len; i++)
        if (label->points[i] >= n && label->points[i] < next) next = label->points[i];
    return next;
}

/* Encodes the code points beyond ASCII; `out` already counts the others. */
static void encode(struct encoder *out, const struct host_label *label, uint32_t basic) {
    uint32_t n = INITIAL_N, delta = 0, bias = INITIAL_BIAS, done = basic;
    while (done < label->len && out->fits) {
        uint32_t next = next_point(label, n);
        delta += (next - n) * (done + 1);
        n = next;
        for (size_t i = 0; i < label->len; i++) {
            if (label->points[i] < n) delta++;
            if (label->points[i] != n) continue;
            put_delta(out, delta, bias);
            bias = adapt(delta, done + 1, done == basic);
            delta = 0;
            done++;
        }
        delta++;
        n++;
    }
}

static uint32_t count_basic(const struct host_label *label) {
    uint32_t basic = 0;
    for (size_t i = 0; i < label->len; i++) basic += label->points[i] < 0x80;
    return basic;
}

/* ## Labels */

static bool is_letter_digit(char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool is_ascii_label(gramc_text text) {
    if (text.len == 0 || text.len > HOST_LABEL_MAX) return false;
    for (size_t i = 0; i < text.len; i++)
        if (!is_letter_digit(text.ptr[i]) && text.ptr[i] != '-') return false;
    return text.ptr[0] != '-' && text.ptr[text.len - 1] != '-';
}

static bool is_encoded(gramc_text text) {
    return text.len >= 4 && text_is_nocase(text_slice(text, 0, 4), "xn--");
}

/* An A-label must decode to a U-label, and that must encode to it again. */
static bool read_encoded(gramc_text text, struct host_label *label) {
    gramc_text code = text_slice(text, 4, text.len);
    if (text.len > HOST_LABEL_MAX || !decode(code, label)) return false;
    for (size_t i = 0; i < label->len; i++)
        if (label->points[i] >= 'A' && label->points[i] <= 'Z') label->points[i] |= 0x20;
    uint32_t basic = count_basic(label);
    if (basic == label->len || !idna_label_is_valid(label->points, label->len)) return false;
    struct encoder out = {code.ptr, basic ? basic + 1 : 0, code.len, true};
    encode(&out, label, basic);
    label->octets = text.len;
    return out.fits && out.len == code.len;
}

static bool read_unicode(gramc_text text, struct host_label *label) {
    label->len = 0;
    for (size_t pos = 0; pos < text.len;) {
        if (label->len == HOST_LABEL_MAX) return false;
        label->points[label->len++] = text_decode(text, &pos);
    }
    uint32_t basic = count_basic(label);
    struct encoder out = {NULL, basic ? basic + 1 : 0, HOST_LABEL_MAX - 4, true};
    if (!idna_label_is_valid(label->points, label->len)) return false;
    encode(&out, label, basic);
    label->octets = out.len + 4;
    return out.fits;
}

static bool read_label(gramc_text text, bool international, struct host_label *label) {
    if (is_encoded(text)) return is_ascii_label(text) && read_encoded(text, label);
    if (is_ascii_label(text)) {
        label->len = label->octets = text.len;
        for (size_t i = 0; i < text.len; i++) {
            char c = text.ptr[i];
            label->points[i] = (uint32_t)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
        }
        return true;
    }
    return international && read_unicode(text, label);
}

/* The length of a dot at pos, 0 if there is none. RFC 3490, section 3.1, names the other dots. */
static size_t dot_length(gramc_text text, size_t pos, bool international) {
    static const char *const dots[] = {"\xE3\x80\x82", "\xEF\xBC\x8E", "\xEF\xBD\xA1"};
    if (text.ptr[pos] == '.') return 1;
    for (size_t i = 0; international && i < 3; i++)
        if (text.len - pos >= 3 && memcmp(text.ptr + pos, dots[i], 3) == 0) return 3;
    return 0;
}

typedef bool label_test(gramc_text text, bool international, struct host_label *label);

/* Every label in turn; the octets of the whole name. */
static bool is_name(gramc_text text, bool international, label_test *test) {
    size_t start = 0, octets = 0;
    bool any_right = false, all_keep = true;
    if (text.len == 0) return false;
    for (size_t pos = 0; pos <= text.len;) {
        size_t dot = pos == text.len ? 1 : dot_length(text, pos, international);
        if (!dot) {
            pos++;
            continue;
        }
        struct host_label label;
        if (!test(text_slice(text, start, pos), international, &label)) return false;
        octets += label.octets + 1;
        any_right |= idna_label_runs_right_to_left(label.points, label.len);
        all_keep &= idna_label_keeps_direction(label.points, label.len);
        start = pos += dot;
    }
    return octets - 1 <= HOST_NAME_MAX_BYTES && (!any_right || all_keep);
}

bool host_is_name(gramc_text text) {
    return is_name(text, false, read_label);
}

bool host_is_international(gramc_text text) {
    return is_name(text, true, read_label);
}

/* RFC 6531 takes any U-label; normalisation is the sender's business, so only shapes are checked.
 */
static bool is_mail_label(gramc_text text, bool international, struct host_label *label) {
    (void)international;
    if (text.len == 0 || text.ptr[0] == '-' || text.ptr[text.len - 1] == '-') return false;
    for (size_t pos = 0; pos < text.len;) {
        uint32_t c = text_decode(text, &pos);
        if (c < 0x80 && !is_letter_digit((char)c) && c != '-') return false;
    }
    label->points[0] = 'a';
    label->len = 1;
    label->octets = text.len;
    return true;
}

bool host_is_mail_domain(gramc_text text) {
    return is_name(text, true, is_mail_label);
}
