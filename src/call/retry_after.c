/* SPDX-License-Identifier: Apache-2.0 */
/* RFC 9110, 5.6.7 (dates, the two obsolete forms too) and 10.2.3. The C
 * library's date functions follow the locale; these do not. */
#include "call/verdict.h"

#include <string.h>

#define DAY_S 86400

struct cursor {
    const char *at;
    bool bad;
};

struct date {
    int64_t year, month, day; /* month and day count from 1 */
    int64_t hour, minute, second;
};

static const char *const short_days[7] = {"Sun", "Mon", "Tue", "Wed",
                                          "Thu", "Fri", "Sat"};
static const char *const long_days[7] = {"Sunday",    "Monday",   "Tuesday",
                                         "Wednesday", "Thursday", "Friday",
                                         "Saturday"};
static const char *const months[12] = {"Jan", "Feb", "Mar", "Apr",
                                       "May", "Jun", "Jul", "Aug",
                                       "Sep", "Oct", "Nov", "Dec"};

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void
literal(struct cursor *c, const char *text)
{
    size_t len = strlen(text);

    if (c->bad || strncmp(c->at, text, len) != 0)
        c->bad = true;
    else
        c->at += len;
}

/* Exactly so many digits. */
static int64_t
digits(struct cursor *c, int n)
{
    int64_t value = 0;

    for (; n > 0 && !c->bad; n--) {
        if (is_digit(*c->at))
            value = value * 10 + (*c->at++ - '0');
        else
            c->bad = true;
    }
    return value;
}

/* The place of the name that stands here, from 1 on. */
static int64_t
name(struct cursor *c, const char *const *names, int n)
{
    for (int i = 0; i < n && !c->bad; i++) {
        size_t len = strlen(names[i]);

        if (strncmp(c->at, names[i], len) == 0) {
            c->at += len;
            return i + 1;
        }
    }
    c->bad = true;
    return 0;
}

static void
time_of_day(struct cursor *c, struct date *date)
{
    date->hour = digits(c, 2);
    literal(c, ":");
    date->minute = digits(c, 2);
    literal(c, ":");
    date->second = digits(c, 2);
}

/* "Sun, 06 Nov 1994 08:49:37 GMT" */
static bool
imf_fixdate(struct cursor c, struct date *date)
{
    name(&c, short_days, 7);
    literal(&c, ", ");
    date->day = digits(&c, 2);
    literal(&c, " ");
    date->month = name(&c, months, 12);
    literal(&c, " ");
    date->year = digits(&c, 4);
    literal(&c, " ");
    time_of_day(&c, date);
    literal(&c, " GMT");
    return !c.bad && *c.at == '\0';
}

/* "Sunday, 06-Nov-94 08:49:37 GMT" */
static bool
rfc850_date(struct cursor c, struct date *date)
{
    name(&c, long_days, 7);
    literal(&c, ", ");
    date->day = digits(&c, 2);
    literal(&c, "-");
    date->month = name(&c, months, 12);
    literal(&c, "-");
    date->year = digits(&c, 2);
    literal(&c, " ");
    time_of_day(&c, date);
    literal(&c, " GMT");
    return !c.bad && *c.at == '\0';
}

/* "Sun Nov  6 08:49:37 1994" */
static bool
asctime_date(struct cursor c, struct date *date)
{
    name(&c, short_days, 7);
    literal(&c, " ");
    date->month = name(&c, months, 12);
    literal(&c, " ");
    if (*c.at == ' ') {
        literal(&c, " ");
        date->day = digits(&c, 1);
    } else {
        date->day = digits(&c, 2);
    }
    literal(&c, " ");
    time_of_day(&c, date);
    literal(&c, " ");
    date->year = digits(&c, 4);
    return !c.bad && *c.at == '\0';
}

static bool
is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int64_t
days_in_month(int64_t year, int64_t month)
{
    static const unsigned char days[12] = {31, 28, 31, 30, 31, 30,
                                           31, 31, 30, 31, 30, 31};

    return days[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

/* Days of all years before this one, from year 1 on. */
static int64_t
days_before_year(int64_t year)
{
    int64_t past = year - 1;

    return past * 365 + past / 4 - past / 100 + past / 400;
}

static bool
date_is_real(const struct date *date)
{
    return date->year >= 1 && date->day >= 1 &&
           date->day <= days_in_month(date->year, date->month) &&
           date->hour <= 23 && date->minute <= 59 &&
           date->second <= 60; /* a leap second */
}

/* Seconds since 1970. */
static int64_t
date_seconds(const struct date *date)
{
    int64_t days = days_before_year(date->year) - days_before_year(1970);

    for (int64_t month = 1; month < date->month; month++)
        days += days_in_month(date->year, month);
    days += date->day - 1;
    return days * DAY_S + date->hour * 3600 + date->minute * 60 + date->second;
}

/* The year at a time: 400 years have 146097 days, the guess is low. */
static int64_t
year_of(int64_t now_s)
{
    int64_t days = now_s / DAY_S + days_before_year(1970);
    int64_t year = days * 400 / 146097;

    while (days_before_year(year + 1) <= days)
        year++;
    return year;
}

/* Two digits mean this century, but not more than 50 years ahead. */
static void
expand_year(struct date *date, int64_t now_s)
{
    int64_t this_year = year_of(now_s);

    date->year += this_year - this_year % 100;
    if (date->year > this_year + 50)
        date->year -= 100;
}

static int64_t
date_ms(const char *value, int64_t now_s)
{
    struct cursor c = {.at = value};
    struct date date = {0};
    int64_t at;

    if (rfc850_date(c, &date))
        expand_year(&date, now_s);
    else if (!imf_fixdate(c, &date) && !asctime_date(c, &date))
        return -1;
    if (!date_is_real(&date))
        return -1;
    at = date_seconds(&date);
    return at <= now_s ? 0 : (at - now_s) * 1000;
}

/* Digits only. More than fits counts as the most that fits: it is far over
 * what anybody waits for. */
static int64_t
seconds_ms(const char *value)
{
    int64_t ms = 0;

    for (; *value != '\0'; value++) {
        if (!is_digit(*value))
            return -1;
        if (__builtin_mul_overflow(ms, (int64_t)10, &ms) ||
            __builtin_add_overflow(ms, (*value - '0') * (int64_t)1000, &ms))
            ms = INT64_MAX;
    }
    return ms;
}

int64_t
vecwire__retry_after_ms(const char *value, int64_t now_s)
{
    if (value == NULL)
        return -1;
    return is_digit(*value) ? seconds_ms(value) : date_ms(value, now_s);
}
