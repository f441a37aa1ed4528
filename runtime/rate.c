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
