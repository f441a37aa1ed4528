/* Sixty-one counters, one for each second that is still within a minute. What a second held counts
 * until all of it is a minute old: whoever asks earlier would pass the limit. */
#include "runtime/rate.h"

#include <string.h>

#include "base/number.h"

enum { SECOND_MS = 1000 };

static bool is_recent(const struct rate_second *s, uint64_t now) {
    return s->requests && s->second <= now && now - s->second < RATE_SECONDS;
}

static bool fits(const struct rate_limits *limits, uint64_t requests, uint64_t tokens,
                 uint64_t more) {
    if (limits->requests && requests >= limits->requests) return false;
    return !limits->tokens || !requests ||
           (tokens <= limits->tokens && more <= limits->tokens - tokens);
}

uint64_t rate_wait(const struct rate *rate, const struct rate_limits *limits, uint64_t now_ms,
                   uint64_t tokens) {
    uint64_t now = now_ms / SECOND_MS, requests = 0, used = 0;
    for (size_t i = 0; i < RATE_SECONDS; i++) {
        if (!is_recent(&rate->seconds[i], now)) continue;
        requests += rate->seconds[i].requests;
        used += rate->seconds[i].tokens;
    }
    if (fits(limits, requests, used, tokens)) return 0;
    for (uint64_t i = 1; i <= RATE_SECONDS; i++) { /* from the oldest second on */
        if (now + i < RATE_SECONDS) continue;
        uint64_t second = now + i - RATE_SECONDS;
        const struct rate_second *s = &rate->seconds[second % RATE_SECONDS];
        if (s->second != second || !is_recent(s, now)) continue;
        requests -= s->requests;
        used -= s->tokens;
        if (fits(limits, requests, used, tokens))
            return (second + RATE_SECONDS) * SECOND_MS - now_ms;
    }
    return 0;
}

void rate_take(struct rate *rate, uint64_t now_ms, uint64_t tokens) {
    uint64_t now = now_ms / SECOND_MS;
    struct rate_second *s = &rate->seconds[now % RATE_SECONDS];
    if (s->second != now) *s = (struct rate_second){.second = now};
    s->requests++;
    s->tokens += tokens;
}

void rate_correct(struct rate *rate, uint64_t taken_ms, uint64_t guessed, uint64_t tokens) {
    uint64_t then = taken_ms / SECOND_MS;
    struct rate_second *s = &rate->seconds[then % RATE_SECONDS];
    if (s->second != then || s->tokens < guessed) return;
    s->tokens = s->tokens - guessed + tokens;
}

/* ## Durations */

static double unit_ms(gramc_text *text) {
    static const struct {
        const char *name;
        double ms;
    } units[] = {{"ms", 1}, {"us", 1e-3}, {"ns", 1e-6}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (!text_starts(*text, units[i].name)) continue;
        *text = text_slice(*text, strlen(units[i].name), text->len);
        return units[i].ms;
    }
    return 0;
}

bool rate_duration(gramc_text text, double *ms) {
    *ms = 0;
    if (text.len == 0 || text.len > 64) return false;
    while (text.len) {
        size_t digits = 0;
        double count, unit;
        while (digits < text.len && strchr("0123456789.", text.ptr[digits]) && text.ptr[digits])
            digits++;
        if (digits == 0 || !number_to_double(&count, text_slice(text, 0, digits))) return false;
        text = text_slice(text, digits, text.len);
        unit = unit_ms(&text);
        if (unit == 0) return false;
        *ms += count * unit;
    }
    return true;
}

/* ## Moments */

/* So many digits; -1 if something else stands there. */
static int digits_at(gramc_text text, size_t at, size_t count) {
    int number = 0;
    for (size_t i = at; i < at + count; i++) {
        if (i >= text.len || text.ptr[i] < '0' || text.ptr[i] > '9') return -1;
        number = number * 10 + (text.ptr[i] - '0');
    }
    return number;
}

struct moment {
    int year, month, day, hour, minute, second;
};

/* Years begin in March here, so that the day that comes every four years is the last of one. */
static int64_t days_since_1970(const struct moment *m) {
    int64_t year = m->month > 2 ? m->year : m->year - 1, month = (m->month + 9) % 12;
    return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + m->day - 1 -
           719468;
}

static bool to_ms(const struct moment *m, int offset_minutes, int64_t *ms) {
    if (m->year < 1970 || m->month < 1 || m->month > 12 || m->day < 1 || m->day > 31) return false;
    if (m->hour < 0 || m->hour > 23 || m->minute < 0 || m->minute > 59) return false;
    if (m->second < 0 || m->second > 60) return false;
    int64_t minutes = days_since_1970(m) * 1440 + m->hour * 60 + m->minute - offset_minutes;
    *ms = (minutes * 60 + m->second) * SECOND_MS;
    return true;
}

/* `Z`, or hours and minutes that the place is ahead by. */
static bool read_offset(gramc_text text, int *minutes) {
    *minutes = 0;
    if (text_is_nocase(text, "Z")) return true;
    int hours = digits_at(text, 1, 2), rest = digits_at(text, 4, 2);
    if (text.len != 6 || text.ptr[3] != ':' || hours < 0 || rest < 0) return false;
    *minutes = (hours * 60 + rest) * (text.ptr[0] == '-' ? -1 : 1);
    return text.ptr[0] == '-' || text.ptr[0] == '+';
}

static bool read_rfc3339(gramc_text text, int64_t *ms) {
    const struct moment m = {digits_at(text, 0, 4),  digits_at(text, 5, 2),
                             digits_at(text, 8, 2),  digits_at(text, 11, 2),
                             digits_at(text, 14, 2), digits_at(text, 17, 2)};
    size_t at = 19, fraction = 0;
    int offset;
    if (text.len < 20 || text.ptr[4] != '-' || text.ptr[13] != ':') return false;
    if (text.ptr[at] == '.')
        for (at++; digits_at(text, at, 1) >= 0; at++) fraction++;
    if (fraction > 9 || !read_offset(text_slice(text, at, text.len), &offset)) return false;
    bool read = to_ms(&m, offset, ms);
    if (read && fraction) *ms += SECOND_MS; /* rather too late than too early */
    return read;
}

static bool read_date(gramc_text text, int64_t *ms) {
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct moment m = {digits_at(text, 12, 4), 0,
                       digits_at(text, 5, 2),  digits_at(text, 17, 2),
                       digits_at(text, 20, 2), digits_at(text, 23, 2)};
    if (text.len != 29 || memcmp(text.ptr + 25, " GMT", 4) != 0) return false;
    for (int i = 0; i < 12; i++)
        if (memcmp(months + (size_t)i * 3, text.ptr + 8, 3) == 0) m.month = i + 1;
    return to_ms(&m, 0, ms);
}

bool rate_moment(gramc_text text, int64_t *ms) {
    return read_rfc3339(text, ms) || read_date(text, ms);
}
