/* SPDX-License-Identifier: Apache-2.0 */
#include "server/datetime.h"

#define SECOND INT64_C(1000000)

struct text {
    const char *p;
    const char *end;
};

static bool
is_digit(const struct text *text)
{
    return text->p < text->end && *text->p >= '0' && *text->p <= '9';
}

/* Exactly `n` digits, a number of `low` to `high`. */
static bool
take_number(struct text *text, unsigned n, int low, int high, int *number)
{
    *number = 0;
    while (n-- > 0) {
        if (!is_digit(text))
            return false;
        *number = *number * 10 + (*text->p++ - '0');
    }
    return *number >= low && *number <= high;
}

static bool
take_char(struct text *text, char c)
{
    if (text->p == text->end || *text->p != c)
        return false;
    text->p++;
    return true;
}

static bool
is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Days from 1970-01-01 in the Gregorian calendar, which goes on before it was
 * made. Years are counted from March, so that a leap day is the last. */
static int64_t
days_of(int year, int month, int day)
{
    const int64_t y = year - (month <= 2) + 400;
    const int64_t m = (month + 9) % 12;

    return y * 365 + y / 4 - y / 100 + y / 400 + (m * 306 + 5) / 10 + day - 1 -
           719468 - 146097;
}

static bool
take_date(struct text *text, int64_t *days)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30,
                                  31, 31, 30, 31, 30, 31};
    int year, month, day;

    if (!take_number(text, 4, 0, 9999, &year) || !take_char(text, '-') ||
        !take_number(text, 2, 1, 12, &month) || !take_char(text, '-') ||
        !take_number(text, 2, 1,
                     lengths[month - 1] + (month == 2 && is_leap(year)), &day))
        return false;
    *days = days_of(year, month, day);
    return true;
}

/* Digits behind the point; what is finer than a microsecond is dropped. */
static bool
take_fraction(struct text *text, int64_t *microseconds)
{
    int64_t unit = SECOND / 10;

    if (!is_digit(text))
        return false;
    for (; is_digit(text); unit /= 10)
        *microseconds += unit * (*text->p++ - '0');
    return true;
}

static bool
take_time(struct text *text, int64_t *microseconds)
{
    int hour, minute, second = 0;

    *microseconds = 0;
    if (!take_number(text, 2, 0, 23, &hour) || !take_char(text, ':') ||
        !take_number(text, 2, 0, 59, &minute))
        return false;
    if (take_char(text, ':')) {
        if (!take_number(text, 2, 0, 59, &second) ||
            (take_char(text, '.') && !take_fraction(text, microseconds)))
            return false;
    }
    *microseconds += ((hour * 60 + minute) * 60 + second) * SECOND;
    return true;
}

static bool
take_zone(struct text *text, int64_t *offset)
{
    int hours, minutes = 0;
    bool is_west;

    *offset = 0;
    if (text->p == text->end || take_char(text, 'Z') || take_char(text, 'z'))
        return true;
    is_west = take_char(text, '-');
    if ((!is_west && !take_char(text, '+')) ||
        !take_number(text, 2, 0, 23, &hours))
        return false;
    if (text->p < text->end) {
        (void)take_char(text, ':');
        if (!take_number(text, 2, 0, 59, &minutes))
            return false;
    }
    *offset =
        ((int64_t)hours * 60 + minutes) * 60 * SECOND * (is_west ? -1 : 1);
    return true;
}

bool
vecwire__datetime_parse(const char *text, size_t len, int64_t *microseconds)
{
    struct text rest = {text, text + len};
    int64_t days, time = 0, offset = 0;

    if (!take_date(&rest, &days))
        return false;
    if (rest.p < rest.end) {
        if ((!take_char(&rest, 'T') && !take_char(&rest, 't') &&
             !take_char(&rest, ' ')) ||
            !take_time(&rest, &time) || !take_zone(&rest, &offset))
            return false;
    }
    *microseconds = days * 86400 * SECOND + time - offset;
    return rest.p == rest.end;
}
