/* SPDX-License-Identifier: Apache-2.0 */
#include "call/verdict.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define NOW 784111777 /* Sun, 06 Nov 1994 08:49:37 GMT */

static const struct {
    const char *value;
    int64_t now_s;
    int64_t ms;
} values[] = {
    /* seconds */
    {"0", NOW, 0},
    {"1", NOW, 1000},
    {"007", NOW, 7000},
    {"99999", NOW, 99999000},
    {"9223372036854775", NOW, 9223372036854775000},
    {"9223372036854776", NOW, INT64_MAX},
    {"99999999999999999999999999999999999", NOW, INT64_MAX},
    /* the three forms of a date */
    {"Sun, 06 Nov 1994 08:49:37 GMT", NOW, 0},
    {"Sunday, 06-Nov-94 08:49:37 GMT", NOW, 0},
    {"Sun Nov  6 08:49:37 1994", NOW, 0},
    {"Sun, 06 Nov 1994 08:49:38 GMT", NOW, 1000},
    {"Sunday, 06-Nov-94 08:49:39 GMT", NOW, 2000},
    {"Sun Nov  6 08:49:40 1994", NOW, 3000},
    {"Wed Nov 16 08:49:37 1994", NOW, 864000000},
    {"Thu, 01 Jan 1970 00:00:01 GMT", 0, 1000},
    {"Thu, 29 Feb 2024 00:00:00 GMT", 1709164790, 10000},
    {"Fri, 01 Mar 2024 00:00:00 GMT", 1709164800, 86400000},
    {"Wed, 01 Mar 2000 00:00:00 GMT", 951782400, 86400000},
    {"Mon, 01 Mar 2100 00:00:00 GMT", 4107456000, 86400000},
    {"Sat, 31 Dec 2016 23:59:60 GMT", 1483228799, 1000},
    {"Fri, 31 Dec 9999 23:59:59 GMT", 253402300798, 1000},
    /* two digits of a year: this century, at most 50 years ahead */
    {"Friday, 01-Jan-27 00:00:00 GMT", 1798761590, 10000},
    {"Wednesday, 01-Jan-76 00:00:00 GMT", 1798675200, 1546387200000},
    {"Saturday, 01-Jan-77 00:00:00 GMT", 1798675200, 0},
    {"Friday, 31-Dec-99 23:59:59 GMT", NOW, 162573022000},
    /* the past */
    {"Sun, 06 Nov 1994 08:49:36 GMT", NOW, 0},
    {"Mon, 01 Jan 0001 00:00:00 GMT", NOW, 0},
    /* neither of the two */
    {NULL, NOW, -1},
    {"", NOW, -1},
    {"-1", NOW, -1},
    {"+1", NOW, -1},
    {"1.5", NOW, -1},
    {"1s", NOW, -1},
    {"1 ", NOW, -1},
    {" 1", NOW, -1},
    {"0x10", NOW, -1},
    {"1e3", NOW, -1},
    {"99999999999999999999999x", NOW, -1},
    {"soon", NOW, -1},
    {"Sun", NOW, -1},
    {"Sun, 06 Nov 1994 08:49:37", NOW, -1},
    {"Sun, 06 Nov 1994 08:49:37 GMT ", NOW, -1},
    {"Sun, 06 Nov 1994 08:49:37 CET", NOW, -1},
    {"Sun, 6 Nov 1994 08:49:37 GMT", NOW, -1},
    {"sun, 06 nov 1994 08:49:37 gmt", NOW, -1},
    {"Son, 06 Nov 1994 08:49:37 GMT", NOW, -1},
    {"Sun, 06 Nov 94 08:49:37 GMT", NOW, -1},
    {"Sun, 00 Nov 1994 08:49:37 GMT", NOW, -1},
    {"Sun, 31 Nov 1994 08:49:37 GMT", NOW, -1},
    {"Wed, 29 Feb 2023 00:00:00 GMT", NOW, -1},
    {"Mon, 29 Feb 2100 00:00:00 GMT", NOW, -1},
    {"Sun, 06 Nov 1994 24:00:00 GMT", NOW, -1},
    {"Sun, 06 Nov 1994 08:60:00 GMT", NOW, -1},
    {"Sun, 06 Nov 1994 08:49:61 GMT", NOW, -1},
    {"Sat, 01 Jan 0000 00:00:00 GMT", NOW, -1},
    {"Sunday, 06-Nov-1994 08:49:37 GMT", NOW, -1},
    {"Sun Nov 6 08:49:37 1994", NOW, -1},
    {"Sun Nov  6 08:49:37 1994 GMT", NOW, -1},
    {"1994-11-06T08:49:37Z", NOW, -1},
};

#define N_VALUES ((int)(sizeof(values) / sizeof(values[0])))

START_TEST(a_retry_after_means_so_many_milliseconds)
{
    int64_t ms = vecwire__retry_after_ms(values[_i].value, values[_i].now_s);

    ck_assert_msg(ms == values[_i].ms, "\"%s\": %lld",
                  values[_i].value == NULL ? "(absent)" : values[_i].value,
                  (long long)ms);
}
END_TEST

START_TEST(every_day_of_four_hundred_years_follows_the_one_before)
{
    /* Walk a calendar of our own beside it. */
    static const char *const months[12] = {"Jan", "Feb", "Mar", "Apr",
                                           "May", "Jun", "Jul", "Aug",
                                           "Sep", "Oct", "Nov", "Dec"};
    static const int lengths[12] = {31, 28, 31, 30, 31, 30,
                                    31, 31, 30, 31, 30, 31};
    char text[64];
    int64_t at = 0;

    for (int year = 1970; year < 2370; year++) {
        bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

        for (int month = 0; month < 12; month++) {
            int days = lengths[month] + (month == 1 && leap);

            for (int day = 1; day <= days; day++, at += 86400) {
                snprintf(text, sizeof(text), "Mon, %02d %s %04d 00:00:00 GMT",
                         day, months[month], year);
                if (vecwire__retry_after_ms(text, at - 1) != 1000 ||
                    vecwire__retry_after_ms(text, at) != 0)
                    ck_abort_msg("%s", text);
            }
        }
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("retry_after");
    TCase *tc = tcase_create("retry_after");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_retry_after_means_so_many_milliseconds, 0,
                        N_VALUES);
    tcase_add_test(tc, every_day_of_four_hundred_years_follows_the_one_before);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
