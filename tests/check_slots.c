/* SPDX-License-Identifier: Apache-2.0 */
/* Names of calls. The calls themselves are never looked at. */
#include <check.h>
#include <stdlib.h>

#include "call/slots.h"
#include "codec/mem.h"

static struct vecwire__slots slots;
static bool memory_is_out;

/* Addresses to stand for calls. */
static char calls[4096];

static struct vecwire__call *
call(size_t index)
{
    return (struct vecwire__call *)(void *)&calls[index];
}

static void *
test_alloc(size_t size, void *ctx)
{
    (void)ctx;
    return memory_is_out ? NULL : malloc(size);
}

static void *
test_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    (void)old_size;
    (void)ctx;
    return memory_is_out ? NULL : realloc(block, size);
}

static void
test_free(void *block, size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    free(block);
}

static const struct vecwire_mem mem = {test_alloc, test_realloc, test_free,
                                       NULL};

static void
setup(void)
{
    memory_is_out = false;
    vecwire__slots_init(&slots, &mem);
}

static void
teardown(void)
{
    vecwire__slots_fini(&slots);
}

START_TEST(a_name_finds_its_call)
{
    vecwire_call_id a = vecwire__slots_take(&slots, call(1));
    vecwire_call_id b = vecwire__slots_take(&slots, call(2));

    ck_assert_ptr_eq(vecwire__slots_find(&slots, a), call(1));
    ck_assert_ptr_eq(vecwire__slots_find(&slots, b), call(2));
}
END_TEST

START_TEST(zero_names_no_call)
{
    ck_assert_ptr_null(vecwire__slots_find(&slots, 0));
    ck_assert(vecwire__slots_take(&slots, call(1)) != 0);
    ck_assert_ptr_null(vecwire__slots_find(&slots, 0));
}
END_TEST

START_TEST(a_name_given_back_names_no_call)
{
    vecwire_call_id a = vecwire__slots_take(&slots, call(1));

    vecwire__slots_give(&slots, a);
    ck_assert_ptr_null(vecwire__slots_find(&slots, a));
}
END_TEST

START_TEST(names_nobody_gave_out_find_nothing)
{
    vecwire_call_id a = vecwire__slots_take(&slots, call(1));

    ck_assert_ptr_null(vecwire__slots_find(&slots, a + 1));
    ck_assert_ptr_null(vecwire__slots_find(&slots, a + (1u << 24)));
    ck_assert_ptr_null(vecwire__slots_find(&slots, a | 0xffffff));
    ck_assert_ptr_null(vecwire__slots_find(&slots, UINT64_MAX));
}
END_TEST

START_TEST(an_old_name_does_not_find_the_slots_next_call)
{
    vecwire_call_id first = vecwire__slots_take(&slots, call(1)), next;
    unsigned taken = 0;

    vecwire__slots_give(&slots, first);
    do {
        next = vecwire__slots_take(&slots, call(2));
        ck_assert_uint_lt(taken++, 10000);
        ck_assert(next != first);
        ck_assert_ptr_null(vecwire__slots_find(&slots, first));
        if ((next & 0xffffff) != (first & 0xffffff))
            vecwire__slots_give(&slots, next);
    } while ((next & 0xffffff) != (first & 0xffffff));
    ck_assert_ptr_eq(vecwire__slots_find(&slots, next), call(2));
}
END_TEST

START_TEST(a_slot_rests_while_63_others_are_used)
{
    vecwire_call_id first;

    /* whether few or many calls have names */
    for (int i = 0; i < 13 * _i; i++)
        ck_assert(vecwire__slots_take(&slots, call(3)) != 0);
    first = vecwire__slots_take(&slots, call(1));
    vecwire__slots_give(&slots, first);
    for (int i = 0; i < 63; i++) {
        vecwire_call_id id = vecwire__slots_take(&slots, call(2));

        ck_assert((id & 0xffffff) != (first & 0xffffff));
        vecwire__slots_give(&slots, id);
    }
}
END_TEST

static int
compare(const void *left, const void *right)
{
    vecwire_call_id a = *(const vecwire_call_id *)left;
    vecwire_call_id b = *(const vecwire_call_id *)right;

    return a < b ? -1 : a > b;
}

START_TEST(no_name_is_given_out_twice)
{
    enum { N = 20000 };
    vecwire_call_id *ids = calloc(N, sizeof(*ids));

    ck_assert_ptr_nonnull(ids);
    /* up to 200 at a time, given back in another order than taken */
    for (size_t i = 0; i < N; i++) {
        ids[i] = vecwire__slots_take(&slots, call(i % sizeof(calls)));
        if (i % 200 == 199) {
            for (size_t k = 0; k < 200; k++)
                vecwire__slots_give(&slots, ids[i - (k * 7) % 200]);
        }
    }
    qsort(ids, N, sizeof(*ids), compare);
    ck_assert(ids[0] != 0);
    for (size_t i = 1; i < N; i++)
        ck_assert(ids[i] != ids[i - 1]);
    ck_assert_uint_le(slots.cap, 512);
    free(ids);
}
END_TEST

START_TEST(thousands_of_calls_are_found_at_once)
{
    static vecwire_call_id ids[sizeof(calls)];

    for (size_t i = 0; i < sizeof(calls); i++)
        ids[i] = vecwire__slots_take(&slots, call(i));
    for (size_t i = 0; i < sizeof(calls); i += 2)
        vecwire__slots_give(&slots, ids[i]);
    for (size_t i = 0; i < sizeof(calls); i++)
        ck_assert_ptr_eq(vecwire__slots_find(&slots, ids[i]),
                         i % 2 == 0 ? NULL : call(i));
}
END_TEST

START_TEST(without_memory_there_is_no_first_name)
{
    memory_is_out = true;
    ck_assert(vecwire__slots_take(&slots, call(1)) == 0);
    memory_is_out = false;
    ck_assert(vecwire__slots_take(&slots, call(1)) != 0);
}
END_TEST

START_TEST(without_memory_the_free_slots_are_used_up_first)
{
    vecwire_call_id last = vecwire__slots_take(&slots, call(0));
    size_t n = 1;

    memory_is_out = true;
    for (vecwire_call_id id = last; id != 0; n++) {
        last = id;
        id = vecwire__slots_take(&slots, call(n));
    }
    ck_assert_uint_eq(slots.n_free, 0);
    ck_assert_uint_eq(n - 1, slots.cap);
    ck_assert_ptr_eq(vecwire__slots_find(&slots, last), call(slots.cap - 1));
    vecwire__slots_give(&slots, last);
    ck_assert(vecwire__slots_take(&slots, call(1)) != 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("slots");
    TCase *tc = tcase_create("names");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_name_finds_its_call);
    tcase_add_test(tc, zero_names_no_call);
    tcase_add_test(tc, a_name_given_back_names_no_call);
    tcase_add_test(tc, names_nobody_gave_out_find_nothing);
    tcase_add_test(tc, an_old_name_does_not_find_the_slots_next_call);
    tcase_add_loop_test(tc, a_slot_rests_while_63_others_are_used, 0, 20);
    tcase_add_test(tc, no_name_is_given_out_twice);
    tcase_add_test(tc, thousands_of_calls_are_found_at_once);
    tcase_add_test(tc, without_memory_there_is_no_first_name);
    tcase_add_test(tc, without_memory_the_free_slots_are_used_up_first);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
