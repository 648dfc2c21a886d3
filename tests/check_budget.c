/* SPDX-License-Identifier: Apache-2.0 */
#include "call/verdict.h"

#include <check.h>
#include <stdlib.h>

START_TEST(a_budget_of_ten_is_ten)
{
    struct vecwire__budget budget;

    vecwire__budget_init(&budget);
    for (int i = 0; i < 10; i++) {
        ck_assert(vecwire__budget_left(&budget));
        vecwire__budget_take(&budget);
    }
    ck_assert(!vecwire__budget_left(&budget));
}
END_TEST

START_TEST(ten_calls_earn_one_repeat)
{
    struct vecwire__budget budget = {0};

    for (int i = 0; i < 9; i++)
        vecwire__budget_call(&budget);
    ck_assert(!vecwire__budget_left(&budget));
    vecwire__budget_call(&budget);
    ck_assert(vecwire__budget_left(&budget));
}
END_TEST

START_TEST(a_budget_never_grows_over_ten)
{
    struct vecwire__budget budget;

    vecwire__budget_init(&budget);
    for (int i = 0; i < 1000; i++)
        vecwire__budget_call(&budget);
    ck_assert_uint_eq(budget.tenths, 100);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("budget");
    TCase *tc = tcase_create("budget");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tc, a_budget_of_ten_is_ten);
    tcase_add_test(tc, ten_calls_earn_one_repeat);
    tcase_add_test(tc, a_budget_never_grows_over_ten);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
