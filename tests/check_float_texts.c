/* SPDX-License-Identifier: Apache-2.0 */
/* A small part of what tests/exhaustive_decode.c does. */
#include <check.h>

#include "tests/float_texts.h"

#define N_TEXTS 60000

static struct texts sample;

/* As many texts as one test reads, seeded by `seed`. */
static void
sample_check(uint64_t seed)
{
    memset(&sample, 0, sizeof(sample));
    sample.state = seed;
    while (sample.n < N_TEXTS)
        texts_check(&sample);
}

START_TEST(every_reader_reads_any_number_as_strtof_does)
{
    sample_check((uint64_t)_i);
    ck_assert_uint_eq(sample.failures, 0);
}
END_TEST

START_TEST(a_fifth_of_the_texts_lies_at_midpoints)
{
    sample_check(99);
    ck_assert_uint_gt(sample.n_middles, sample.n / 5);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("float_texts");
    TCase *tcase = tcase_create("texts");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, every_reader_reads_any_number_as_strtof_does, 0,
                        4);
    tcase_add_test(tcase, a_fifth_of_the_texts_lies_at_midpoints);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
