/* Numbers within bounds, digit by digit. They are written without an exponent where there is a
 * bound, and with as many digits as most machines keep. */
#include "compiler/emit/grammar.h"

#include "base/number.h"
#include "base/text.h"

enum { WHOLE_DIGITS = 18, PLACES = 16, DECIMAL_ROOM = 64, MULTIPLES = 200 };

/* Without zeros at either end; an empty `whole` is 0. */
struct bound_digits {
    char digits[DECIMAL_ROOM];
    size_t whole, len; /* digits before the point, and of all */
    bool negative, is_there;
};

/* ## Reading bounds */

static int64_t exponent_of(gramc_text number, size_t *end) {
    int64_t exponent = 0;
    size_t at = 0;
    while (at < number.len && number.ptr[at] != 'e' && number.ptr[at] != 'E') at++;
    *end = at;
    if (at == number.len) return 0;
    bool plus = number.ptr[at + 1] == '+';
    gramc_text digits = text_slice(number, at + 1 + plus, number.len);
    return number_to_int(&exponent, digits) ? exponent : INT32_MAX;
}

/* False for one with too many digits. */
static bool decimal_read(struct bound_digits *d, gramc_text number) {
    size_t end;
    int64_t point = exponent_of(number, &end);
    bool behind = false;
    *d = (struct bound_digits){.is_there = true, .negative = number.ptr[0] == '-'};
    if (point > DECIMAL_ROOM || point < -DECIMAL_ROOM) return false;
    for (size_t i = d->negative; i < end; i++) {
        if (number.ptr[i] == '.') behind = true;
        if (number.ptr[i] == '.') continue;
        if (d->len == DECIMAL_ROOM) return false;
        point += !behind;
        if (d->len == 0 && number.ptr[i] == '0') point--;
        else d->digits[d->len++] = number.ptr[i];
    }
    while (d->len && d->digits[d->len - 1] == '0') d->len--;
    if (d->len == 0) point = 0;
    if (d->len == 0) d->negative = false;
    int64_t lead = point < 0 ? -point : 0,
            fill = point > (int64_t)d->len ? point - (int64_t)d->len : 0;
    if ((int64_t)d->len + lead + fill > DECIMAL_ROOM - 2) return false;
    memmove(d->digits + lead, d->digits, d->len);
    memset(d->digits, '0', (size_t)lead);
    memset(d->digits + lead + d->len, '0', (size_t)fill);
    d->len += (size_t)(lead + fill);
    d->whole = point > 0 ? (size_t)point : 0;
    return true;
}

static gramc_text whole_of(const struct bound_digits *d) {
    return d->whole ? (gramc_text){d->digits, d->whole} : TEXT("0");
}

static gramc_text places_of(const struct bound_digits *d) {
    return (gramc_text){d->digits + d->whole, d->len - d->whole};
}

/* ## Digits */

static const struct grammar_piece *digits_from(struct grammar *g, char low, char high) {
    const struct char_range range = {(uint32_t)(unsigned char)low, (uint32_t)(unsigned char)high};
    if (low == high) return piece_bytes(g, (gramc_text){&low, 1});
    return piece_set(g, PIECE_SET, &range, low < high);
}

static const struct grammar_piece *digits(struct grammar *g, uint64_t least, uint64_t most) {
    return piece_repeat(g, digits_from(g, '0', '9'), least, most);
}

static bool is_all(gramc_text text, char c) {
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != c) return false;
    return true;
}

/* As many digits as the bounds have (those of NULL have none), not less than one and not more than
 * the other. */
static const struct grammar_piece *same_length(struct grammar *g, const char *low, const char *high,
                                               size_t len) {
    if (low && is_all((gramc_text){low, len}, '0')) low = NULL;
    if (high && is_all((gramc_text){high, len}, '9')) high = NULL;
    if (len == 0 || (!low && !high)) return digits(g, len, len);
    char from = low ? *low : '0', to = high ? *high : '9';
    const char *more_low = low ? low + 1 : NULL, *more_high = high ? high + 1 : NULL;
    if (from == to)
        return piece_row(
            g, PIECES(digits_from(g, from, from), same_length(g, more_low, more_high, len - 1)));
    bool whole_low = !low || is_all((gramc_text){more_low, len - 1}, '0');
    bool whole_high = !high || is_all((gramc_text){more_high, len - 1}, '9');
    const struct grammar_piece *first = &piece_never, *last = &piece_never;
    if (!whole_low)
        first = piece_row(
            g, PIECES(digits_from(g, from, from), same_length(g, more_low, NULL, len - 1)));
    if (!whole_high)
        last =
            piece_row(g, PIECES(digits_from(g, to, to), same_length(g, NULL, more_high, len - 1)));
    const struct grammar_piece *middle =
        digits_from(g, (char)(from + !whole_low), (char)(to - !whole_high));
    return piece_choice(
        g, PIECES(first, piece_row(g, PIECES(middle, digits(g, len - 1, len - 1))), last));
}

/* Whole numbers; high.len 0: without end. */
static const struct grammar_piece *whole_between(struct grammar *g, gramc_text low,
                                                 gramc_text high) {
    char least[DECIMAL_ROOM];
    size_t most = high.len ? high.len : WHOLE_DIGITS > low.len ? WHOLE_DIGITS : low.len;
    if (high.len && low.len == high.len) return same_length(g, low.ptr, high.ptr, low.len);
    if (text_is(low, "0"))
        return piece_choice(g, PIECES(piece_text(g, "0"), whole_between(g, TEXT("1"), high)));
    bool round = low.ptr[0] == '1' && is_all(text_slice(low, 1, low.len), '0');
    const struct grammar_piece *first = &piece_never, *last = &piece_never, *middle = &piece_never;
    size_t from = low.len + !round, to = high.len ? most - 1 : most;
    memset(least, '0', sizeof least);
    least[0] = '1';
    if (!round) first = same_length(g, low.ptr, NULL, low.len);
    if (high.len) last = same_length(g, least, high.ptr, high.len);
    if (from <= to)
        middle = piece_row(g, PIECES(digits_from(g, '1', '9'), digits(g, from - 1, to - 1)));
    return piece_choice(g, PIECES(first, middle, last));
}

/* ## Places behind the point */

/* What the places that follow must be: not less than `low`, not more than `high`, while these still
 * bind. */
struct place_bounds {
    gramc_text low, high;
    bool has_low, over; /* more than it */
    bool has_high, under;
    bool some;   /* one is needed at least */
    size_t room; /* places that may be written */
};

/* Zeros, then another digit, and some more. All places do not have to be counted, unless there are
 * to be fewer of them. */
static const struct grammar_piece *some_above_zero(struct grammar *g, size_t room) {
    const struct grammar_piece *any = &piece_never, *digit = digits_from(g, '1', '9');
    const struct grammar_piece *zeros = piece_repeat(g, piece_text(g, "0"), 0, PLACES - 1);
    if (room == PLACES) return piece_row(g, PIECES(zeros, digit, digits(g, 0, room - 1)));
    for (size_t k = 0; k < room; k++) {
        zeros = piece_repeat(g, piece_text(g, "0"), k, k);
        const struct grammar_piece *one =
            piece_row(g, PIECES(zeros, digit, digits(g, 0, room - 1 - k)));
        any = piece_choice(g, PIECES(any, one));
    }
    return any;
}

static const struct grammar_piece *places_between(struct grammar *g, struct place_bounds p);

static const struct grammar_piece *next_place(struct grammar *g, struct place_bounds p, char low,
                                              char high, char from, char to) {
    if (from > to || from < '0' || to > '9') return &piece_never;
    p.has_low = p.has_low && from == low;
    p.has_high = p.has_high && to == high;
    if (p.low.len) p.low = text_slice(p.low, 1, p.low.len);
    if (p.high.len) p.high = text_slice(p.high, 1, p.high.len);
    p.room--;
    p.some = false;
    return piece_row(g, PIECES(digits_from(g, from, to), places_between(g, p)));
}

static bool may_end(const struct place_bounds *p) {
    if (p->some) return false;
    if (p->has_low && (p->low.len || p->over)) return false;
    return !(p->has_high && p->under && p->high.len == 0);
}

static const struct grammar_piece *places_between(struct grammar *g, struct place_bounds p) {
    if (p.has_low && p.low.len == 0 && !p.over) p.has_low = false;
    if (!p.has_low && !p.has_high) return digits(g, p.some, p.room);
    if (p.has_high && p.high.len == 0) {
        if (p.under || p.has_low) return &piece_never;
        return piece_repeat(g, piece_text(g, "0"), p.some, p.room);
    }
    if (p.has_low && p.low.len == 0 && !p.has_high) return some_above_zero(g, p.room);
    const struct grammar_piece *end = may_end(&p) ? &piece_empty : &piece_never;
    if (p.room == 0) return end;
    char low = p.has_low && p.low.len ? p.low.ptr[0] : '0', high = p.has_high ? p.high.ptr[0] : '9';
    if (low == high) return piece_choice(g, PIECES(end, next_place(g, p, low, high, low, high)));
    if (low > high) return end;
    char from = (char)(low + p.has_low), to = (char)(high - p.has_high);
    const struct grammar_piece *first =
        p.has_low ? next_place(g, p, low, high, low, low) : &piece_never;
    const struct grammar_piece *last =
        p.has_high ? next_place(g, p, low, high, high, high) : &piece_never;
    struct place_bounds free = p;
    free.has_low = free.has_high = false;
    const struct grammar_piece *middle = next_place(g, free, low, high, from, to);
    return piece_choice(g, PIECES(end, first, middle, last));
}

/* The point and what follows, or nothing. */
static const struct grammar_piece *fraction(struct grammar *g, struct place_bounds p) {
    bool may_be_none = may_end(&p);
    p.some = true;
    const struct grammar_piece *places = p.room ? places_between(g, p) : &piece_never;
    const struct grammar_piece *pointed = piece_row(g, PIECES(piece_text(g, "."), places));
    return may_be_none ? piece_maybe(g, pointed) : pointed;
}

/* ## Ranges */

struct bounds {
    struct bound_digits low, high; /* neither is negative; high may be absent */
    bool over, under, whole;
    size_t room;
};

/* One more, or one less, of a whole number; false for less than 0. */
static bool step(char *out, size_t *len, gramc_text number, bool up) {
    size_t i = number.len;
    memcpy(out + 1, number.ptr, number.len);
    out[0] = '0';
    if (!up && is_all(number, '0')) return false;
    for (; i > 0 && out[i] == (up ? '9' : '0'); i--) out[i] = up ? '0' : '9';
    out[i] = (char)(out[i] + (up ? 1 : -1));
    size_t skip = 0;
    while (skip < number.len && out[skip] == '0') skip++;
    memmove(out, out + skip, number.len + 1 - skip);
    *len = number.len + 1 - skip;
    return true;
}

static int compare_whole(gramc_text a, gramc_text b) {
    if (a.len != b.len) return a.len < b.len ? -1 : 1;
    return text_compare(a, b);
}

static const struct grammar_piece *whole_range(struct grammar *g, const struct bounds *b) {
    char low[DECIMAL_ROOM + 2], high[DECIMAL_ROOM + 2];
    gramc_text from = whole_of(&b->low), to = b->high.is_there ? whole_of(&b->high) : TEXT("");
    size_t len;
    if (places_of(&b->low).len || b->over) {
        (void)step(low, &len, from, true);
        from = (gramc_text){low, len};
    }
    if (b->high.is_there && !places_of(&b->high).len && b->under) {
        if (!step(high, &len, to, false)) return &piece_never;
        to = (gramc_text){high, len};
    }
    if (to.len && compare_whole(from, to) > 0) return &piece_never;
    return whole_between(g, from, to);
}

/* Numbers with places, whose whole part may be that of a bound. */
static const struct grammar_piece *broken_range(struct grammar *g, const struct bounds *b) {
    gramc_text from = whole_of(&b->low), to = b->high.is_there ? whole_of(&b->high) : TEXT("");
    struct place_bounds p = {.low = places_of(&b->low),
                             .high = places_of(&b->high),
                             .has_low = true,
                             .over = b->over,
                             .has_high = b->high.is_there,
                             .under = b->under,
                             .room = b->room};
    int order = to.len ? compare_whole(from, to) : -1;
    if (order > 0) return &piece_never;
    if (order == 0) return piece_row(g, PIECES(piece_bytes(g, from), fraction(g, p)));
    struct place_bounds above = p, below = p, free = p;
    above.has_high = below.has_low = free.has_low = free.has_high = false;
    struct bounds between = *b;
    between.over = between.under = true;
    between.low.len = between.low.whole;
    between.high.len = between.high.whole;
    const struct grammar_piece *last = &piece_never;
    if (to.len) last = piece_row(g, PIECES(piece_bytes(g, to), fraction(g, below)));
    return piece_choice(g, PIECES(piece_row(g, PIECES(piece_bytes(g, from), fraction(g, above))),
                                  piece_row(g, PIECES(whole_range(g, &between), fraction(g, free))),
                                  last));
}

static const struct grammar_piece *positive(struct grammar *g, const struct bounds *b) {
    return b->whole ? whole_range(g, b) : broken_range(g, b);
}

/* Below zero it is the other way round; there is no -0. */
static const struct grammar_piece *between(struct grammar *g, const struct bounds *b) {
    const struct grammar_piece *above = &piece_never, *below = &piece_never;
    const struct bound_digits zero = {.is_there = true};
    bool low_is_below = !b->low.is_there || b->low.negative;
    struct bounds half = *b;
    if (!b->high.is_there || !b->high.negative) {
        half.low = low_is_below ? zero : b->low;
        half.over = low_is_below ? false : b->over;
        above = positive(g, &half);
    }
    if (low_is_below) {
        bool high_is_below = b->high.is_there && b->high.negative;
        half = *b;
        half.low = high_is_below ? b->high : zero;
        half.over = high_is_below ? b->under : true;
        half.high = b->low;
        half.under = b->over;
        below = piece_row(g, PIECES(piece_text(g, "-"), positive(g, &half)));
    }
    return piece_choice(g, PIECES(above, below));
}

/* ## Multiples */

static gramc_text step_of(const struct meet *meet, size_t *count) {
    gramc_text found = {NULL, 0};
    *count = 0;
    for (uint32_t i = 0; i < meet->of.count; i++) {
        const struct json *of = json_get(meet->of.nodes[i], "multipleOf");
        if (!json_is(of, JSON_NUMBER)) continue;
        if (*count == 0 || json_number_compare(of->text, found) != 0) ++*count;
        found = of->text;
    }
    return found;
}

/* 0.01 has two places, 1 none; false for what is no power of ten, or above 1. */
static bool is_tenth(const struct bound_digits *d, size_t *places) {
    gramc_text behind = places_of(d);
    *places = behind.len;
    if (d->whole) return d->whole == 1 && d->digits[0] == '1' && !behind.len;
    return behind.len && behind.ptr[behind.len - 1] == '1' &&
           is_all(text_slice(behind, 0, behind.len - 1), '0');
}

/* n times the step, which is so many units of its last place. */
static gramc_text multiple(char out[DECIMAL_ROOM], int64_t n, int64_t unit, size_t places) {
    uint64_t scale = 1, value = (uint64_t)(n < 0 ? -n : n) * (uint64_t)unit;
    size_t len = 0, count = 0;
    char backwards[24];
    for (size_t i = 0; i < places; i++) scale *= 10;
    uint64_t whole = value / scale, behind = value % scale;
    do backwards[count++] = (char)('0' + whole % 10);
    while ((whole /= 10) > 0);
    if (n < 0) out[len++] = '-';
    while (count > 0) out[len++] = backwards[--count];
    if (behind) out[len++] = '.';
    for (; behind; behind %= scale) {
        scale /= 10;
        out[len++] = (char)('0' + behind / scale);
    }
    return (gramc_text){out, len};
}

/* The step as a whole number of units of its last place. */
static bool unit_of(const struct bound_digits *d, int64_t *unit) {
    enum { DIGITS_OF_UNIT = 12 };
    *unit = 0;
    if (d->len > DIGITS_OF_UNIT || d->len == 0) return false;
    for (size_t i = 0; i < d->len; i++) *unit = *unit * 10 + (d->digits[i] - '0');
    return *unit > 0;
}

/* Where the multiples begin that are looked at: at the bound that is nearest to zero, or at zero.
 */
static bool first_multiple(const struct bounds *b, gramc_text step_text, int64_t unit, int64_t *n) {
    double bound = 0, place = 1, step_size = 1;
    const struct bound_digits *d = NULL;
    if (b->low.is_there && !b->low.negative) d = &b->low;
    if (b->high.is_there && b->high.negative) d = &b->high;
    if (!number_to_double(&step_size, step_text)) return false;
    for (size_t i = 0; d && i < d->whole; i++) bound = bound * 10 + (d->digits[i] - '0');
    for (size_t i = d ? d->whole : 0; d && i < d->len; i++)
        bound += (d->digits[i] - '0') * (place /= 10);
    double times = bound / step_size;
    if (times > 1e12 || times * (double)unit > 1e18) return false;
    *n = (int64_t)times;
    if (d && d->negative) *n = -*n - 1;
    return true;
}

struct multiples {
    struct grammar *g;
    const struct meet *meet;
    struct piece_list list;
    int64_t unit;
    size_t places;
};

static bool add_multiple(struct multiples *m, int64_t n) {
    char out[DECIMAL_ROOM];
    gramc_text text = multiple(out, n, m->unit, m->places);
    if (!grammar_accepts(m->g, m->meet, text)) return false;
    piece_list_add(&m->list, piece_bytes(m->g, text));
    return true;
}

/* Those next to zero, or to the bounds, one by one. */
static const struct grammar_piece *listed_multiples(struct grammar *g, const struct meet *meet,
                                                    const struct bounds *b, gramc_text step_text,
                                                    bool only_bounds) {
    struct multiples m = {.g = g, .meet = meet, .list = {.g = g}};
    struct bound_digits d;
    int64_t from = 0;
    bool fine = decimal_read(&d, step_text) && unit_of(&d, &m.unit) &&
                first_multiple(b, step_text, m.unit, &from);
    if (!fine) return grammar_refused(g, "every number, for `multipleOf`");
    m.places = d.len - d.whole;
    bool ends_low = false, ends_high = false;
    for (int64_t i = 0; i < MULTIPLES && !g->arena->oom; i++) {
        bool high = add_multiple(&m, from + i), low = i > 0 && add_multiple(&m, from - i);
        ends_high = !high && i > 1;
        ends_low = !low && i > 1;
        if (ends_high && ends_low && only_bounds) break;
    }
    if (!ends_high || !ends_low || !only_bounds) grammar_narrowed(g, "multiples that are far away");
    return g->arena->oom ? &piece_never : piece_choice(g, m.list.parts, m.list.count);
}

/* ## Counts */

static uint64_t count_of(const struct json *value, uint64_t otherwise) {
    struct bound_digits d;
    uint64_t count = 0;
    if (!json_is(value, JSON_NUMBER)) return otherwise;
    if (!decimal_read(&d, value->text) || d.whole > 9) return WITHOUT_END;
    for (size_t i = 0; i < d.whole; i++) count = count * 10 + (uint64_t)(d.digits[i] - '0');
    return count;
}

struct counts grammar_counts(const struct meet *meet, const char *min, const char *max) {
    struct counts counts = {0, WITHOUT_END};
    for (uint32_t i = 0; i < meet->of.count; i++) {
        uint64_t least = count_of(json_get(meet->of.nodes[i], min), 0);
        uint64_t most = count_of(json_get(meet->of.nodes[i], max), WITHOUT_END);
        if (least > counts.min) counts.min = least;
        if (most < counts.max) counts.max = most;
    }
    return counts;
}

/* ## All of it */

static const struct grammar_piece *any_number(struct grammar *g, size_t room) {
    const struct bounds all = {.room = room};
    const struct grammar_piece *sign =
        piece_choice(g, PIECES(piece_text(g, "-"), piece_text(g, "+")));
    const struct grammar_piece *e = piece_choice(g, PIECES(piece_text(g, "e"), piece_text(g, "E")));
    const struct grammar_piece *exponent =
        piece_row(g, PIECES(e, piece_maybe(g, sign), digits(g, 1, 2)));
    const struct bound_digits zero = {.is_there = true};
    struct bounds half = all;
    half.low = zero;
    const struct grammar_piece *above = positive(g, &half);
    return piece_row(g,
                     PIECES(piece_maybe(g, piece_text(g, "-")), above, piece_maybe(g, exponent)));
}

static bool read_bounds(struct grammar *g, const struct meet *meet, struct bounds *b) {
    struct range range = shape_range(g->compat, &meet->of, JSON_TYPE_NUMBER);
    b->over = range.over;
    b->under = range.under;
    bool low = !range.low.len || decimal_read(&b->low, range.low);
    bool high = !range.high.len || decimal_read(&b->high, range.high);
    return low && high;
}

const struct grammar_piece *grammar_number(struct grammar *g, const struct meet *meet, bool whole) {
    struct bounds b = {.whole = whole, .room = PLACES};
    struct bound_digits d;
    size_t count, places;
    gramc_text of = step_of(meet, &count);
    if (!read_bounds(g, meet, &b)) return grammar_refused(g, "numbers with bounds of many digits");
    if (count) {
        bool is_simple =
            count == 1 && decimal_read(&d, of) && is_tenth(&d, &places) && places <= PLACES;
        bool only_bounds = count == 1 && (!whole || json_number_is_integer(of));
        if (!is_simple) return listed_multiples(g, meet, &b, of, only_bounds);
        b.whole = b.whole || places == 0;
        b.room = places;
    }
    if (b.low.is_there || b.high.is_there) return between(g, &b);
    if (b.whole) return grammar_named(g, "integer", between(g, &b));
    return count ? between(g, &b) : any_number(g, PLACES);
}
