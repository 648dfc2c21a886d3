/* SPDX-License-Identifier: Apache-2.0 */
/* Dates as Qdrant takes them in filters. */
#include "api/qdrant_filter.h"

/* `n` digits at *p, `least` to `most`; *p goes behind them. */
static bool
digits(const char **p, unsigned n, unsigned least, unsigned most,
       unsigned *value)
{
    *value = 0;
    for (; n > 0; n--, (*p)++) {
        if (**p < '0' || **p > '9')
            return false;
        *value = *value * 10 + (unsigned)(**p - '0');
    }
    return *value >= least && *value <= most;
}

static bool
one(const char **p, char c)
{
    if (**p != c)
        return false;
    (*p)++;
    return true;
}

static bool
date(const char **p)
{
    static const unsigned char days[] = {31, 29, 31, 30, 31, 30,
                                         31, 31, 30, 31, 30, 31};
    unsigned year, month, day;

    if (!digits(p, 4, 0, 9999, &year) || !one(p, '-') ||
        !digits(p, 2, 1, 12, &month) || !one(p, '-') ||
        !digits(p, 2, 1, days[month - 1], &day))
        return false;
    return month != 2 || day != 29 ||
           (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* HH:MM, HH:MM:SS or HH:MM:SS.fff */
static bool
time_of_day(const char **p)
{
    unsigned value;

    if (!digits(p, 2, 0, 23, &value) || !one(p, ':') ||
        !digits(p, 2, 0, 59, &value))
        return false;
    if (!one(p, ':'))
        return true;
    /* 60: a leap second. */
    if (!digits(p, 2, 0, 60, &value))
        return false;
    if (!one(p, '.'))
        return true;
    if (!digits(p, 1, 0, 9, &value))
        return false;
    while (digits(p, 1, 0, 9, &value))
        continue;
    return true;
}

/* Nothing, Z, or +HH:MM. */
static bool
zone(const char **p)
{
    unsigned value;

    if (**p == '\0' || one(p, 'Z') || one(p, 'z'))
        return true;
    if (!one(p, '+') && !one(p, '-'))
        return false;
    if (!digits(p, 2, 0, 23, &value))
        return false;
    if (**p == '\0')
        return true;
    (void)one(p, ':');
    return digits(p, 2, 0, 59, &value);
}

bool
vecwire__is_datetime(const char *text)
{
    const char *p = text;

    if (!date(&p))
        return false;
    if (*p == '\0')
        return true;
    if (!one(&p, 'T') && !one(&p, 't') && !one(&p, ' '))
        return false;
    return time_of_day(&p) && zone(&p) && *p == '\0';
}
