/* Turns times into days and back, without the machine's time zone. */
#define _POSIX_C_SOURCE 200809L
#include "experiment/day.h"

#include <time.h>

bool day_spell(char room[DAY_ROOM], int64_t ms) {
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    room[0] = '\0';
    return ms > 0 && gmtime_r(&seconds, &tm) && strftime(room, DAY_ROOM, "%Y-%m-%d", &tm) > 0;
}

/* Days since 1970, by the calendar that begins its years in March (H. Hinnant). */
static int64_t days_of(int year, int month, int day) {
    if (month <= 2) year--;
    int era = year / 400, of_era = year - era * 400;
    int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return (int64_t)era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* -1: there is something else than digits. */
static int read_digits(gramc_text text, size_t from, size_t to) {
    int number = 0;
    for (size_t i = from; i < to; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') return -1;
        number = number * 10 + (text.ptr[i] - '0');
    }
    return number;
}

int64_t day_read(gramc_text day) {
    if (day.len != DAY_ROOM - 1 || day.ptr[4] != '-' || day.ptr[7] != '-') return 0;
    int y = read_digits(day, 0, 4), m = read_digits(day, 5, 7), d = read_digits(day, 8, 10);
    if (y < 1971 || m < 1 || m > 12 || d < 1 || d > 31) return 0;
    return days_of(y, m, d) * 86400000;
}
