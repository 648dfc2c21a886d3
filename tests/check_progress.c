/* SPDX-License-Identifier: Apache-2.0 */
/* What the tool says while it works, and about what failed. */
#include "tool/progress.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/client_rig.h"
#include "tool/tally.h"

static const char *
text_of(struct progress_state state)
{
    static char text[160];

    vecwire__progress_text(&state, text, sizeof(text));
    return text;
}

START_TEST(all_of_it_is_told)
{
    ck_assert_str_eq(
        text_of((struct progress_state){
            .done = 12800, .total = 51200, .part = 0.25, .seconds = 2}),
        "12800 of 51200 rows, 25 %, 6400 rows/s, 6 s left");
}
END_TEST

START_TEST(what_is_not_known_is_left_out)
{
    ck_assert_str_eq(
        text_of((struct progress_state){.done = 10, .part = -1, .seconds = 2}),
        "10 rows, 5 rows/s");
}
END_TEST

START_TEST(the_time_left_is_not_guessed_in_the_first_second)
{
    ck_assert_str_eq(text_of((struct progress_state){
                         .done = 10, .total = 20, .part = 0.5, .seconds = 0.5}),
                     "10 of 20 rows, 50 %, 20 rows/s");
}
END_TEST

START_TEST(at_the_end_no_time_is_left)
{
    ck_assert_str_eq(text_of((struct progress_state){
                         .done = 20, .total = 20, .part = 1, .seconds = 2}),
                     "20 of 20 rows, 100 %, 10 rows/s");
}
END_TEST

START_TEST(long_times_are_in_minutes_and_hours)
{
    ck_assert_ptr_nonnull(
        strstr(text_of((struct progress_state){.part = 0.01, .seconds = 2}),
               ", 3 min 18 s left"));
    ck_assert_ptr_nonnull(
        strstr(text_of((struct progress_state){.part = 0.001, .seconds = 10}),
               ", 2 h 46 min left"));
}
END_TEST

/* Half of it took so long: as long is left. */
static void
check_left(double seconds, const char *left)
{
    const char *text =
        text_of((struct progress_state){.part = 0.5, .seconds = seconds});

    ck_assert_msg(strstr(text, left) != NULL, "%s", text);
}

START_TEST(the_first_second_is_enough_for_a_guess)
{
    check_left(1, ", 1 s left");
}
END_TEST

START_TEST(half_a_second_is_rounded_up)
{
    check_left(1.5, ", 2 s left");
}
END_TEST

START_TEST(sixty_seconds_are_a_minute)
{
    check_left(60, ", 1 min 0 s left");
}
END_TEST

START_TEST(sixty_minutes_are_an_hour)
{
    check_left(3600, ", 1 h 0 min left");
}
END_TEST

/* --- the tally --- */

static struct tally tally;
static char printed[1 << 18];

static void
print_tally(void)
{
    int file = memfd_create("out", 0), kept = dup(STDOUT_FILENO);
    ssize_t len;

    fflush(stdout);
    ck_assert_int_ge(dup2(file, STDOUT_FILENO), 0);
    vecwire__tally_print(&tally);
    fflush(stdout);
    ck_assert_int_ge(dup2(kept, STDOUT_FILENO), 0);
    close(kept);
    len = pread(file, printed, sizeof(printed) - 1, 0);
    ck_assert_int_ge(len, 0);
    printed[len] = '\0';
    close(file);
    vecwire__tally_fini(&tally);
}

START_TEST(few_errors_are_all_kept)
{
    tally.done = 3;
    vecwire__tally_fail(&tally, 3, "a", VECWIRE_EHTTP, "no");
    print_tally();
    ck_assert_str_eq(printed,
                     "{\"rows_done\":3,\"rows_failed\":1,\"errors\":[{"
                     "\"row\":3,\"id\":\"a\",\"code\":\"VECWIRE_EHTTP\","
                     "\"text\":\"no\"}]}\n");
}
END_TEST

START_TEST(of_many_errors_it_is_said_how_many_were_left_out)
{
    for (uint64_t i = 0; i < TALLY_MAX_ERRORS + 5; i++)
        vecwire__tally_fail(&tally, i, NULL, VECWIRE_EIO, "lost");
    ck_assert_uint_eq(tally.n_errors, TALLY_MAX_ERRORS);
    print_tally();
    ck_assert_ptr_nonnull(strstr(printed, "\"rows_failed\":1005,"));
    ck_assert_ptr_nonnull(strstr(printed, "],\"errors_left_out\":5}\n"));
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase, all_of_it_is_told);
    tcase_add_test(tcase, what_is_not_known_is_left_out);
    tcase_add_test(tcase, the_time_left_is_not_guessed_in_the_first_second);
    tcase_add_test(tcase, at_the_end_no_time_is_left);
    tcase_add_test(tcase, long_times_are_in_minutes_and_hours);
    tcase_add_test(tcase, the_first_second_is_enough_for_a_guess);
    tcase_add_test(tcase, half_a_second_is_rounded_up);
    tcase_add_test(tcase, sixty_seconds_are_a_minute);
    tcase_add_test(tcase, sixty_minutes_are_an_hour);
    tcase_add_test(tcase, few_errors_are_all_kept);
    tcase_add_test(tcase, of_many_errors_it_is_said_how_many_were_left_out);
}

int
main(void)
{
    return client_rig_main("progress", add_tests);
}
