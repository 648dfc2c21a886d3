/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads without memory: every allocation fails once. And how much of it
 * they take when there is enough. */
#include <check.h>
#include <stdlib.h>

#include "tests/counting_mem.h"
#include "tests/upload_rig.h"

static const struct fault_step answers[] = {
    {FAULT_READ, NULL, 0},
    FAULT_OK("{\"added\":1000000}", "17"),
    {FAULT_AGAIN, NULL, 0}};
static const struct fault_step *const willing[] = {answers};

/* One upload where the fail_at-th allocation fails, and all behind it when
 * `on`. True: that many were not asked for. */
static bool
upload_without(size_t fail_at, bool on)
{
    struct counting_mem counting;
    struct client_rig rig;
    struct upload_seen seen = {.rig = NULL};
    size_t taken;
    bool enough;

    counting_mem_init(&counting);
    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.mem = &counting.mem));
    counting_mem_arm(&counting, fail_at, on);
    if (upload_rig_begin(
            &rig, &seen,
            VECWIRE_UPLOADER_OPTIONS(.batch_rows = 4, .in_flight = 2,
                                     .call =
                                         &VECWIRE_CALL_OPTIONS(.tenant =
                                                                   "ours"))) ==
        VECWIRE_OK) {
        for (size_t i = 0; i < 4; i++) {
            enum vecwire_err err = upload_rig_add(&seen, 4, &taken);

            ck_assert(err == VECWIRE_OK || err == VECWIRE_ENOMEM ||
                      err == VECWIRE_EFULL);
        }
        vecwire_uploader_end(seen.up);
        client_rig_run(&rig);
        ck_assert_uint_eq(seen.runs, 1);
        ck_assert_uint_eq(seen.done + seen.failed, seen.taken);
        ck_assert_uint_eq(seen.reported, seen.failed);
    } else {
        ck_assert_ptr_null(seen.up);
    }
    enough = counting.asked < fail_at;
    counting_mem_arm(&counting, 0, false);
    vecwire_uploader_free(seen.up);
    client_rig_fini(&rig);
    ck_assert_uint_eq(counting.blocks, 0);
    return enough;
}

START_TEST(any_allocation_may_fail)
{
    size_t n = 1;

    while (!upload_without(n, false))
        n++;
    ck_assert_uint_gt(n, 10);
}
END_TEST

START_TEST(memory_may_run_out_anywhere)
{
    size_t n = 1;

    while (!upload_without(n, true))
        n++;
    ck_assert_uint_gt(n, 10);
}
END_TEST

/* --- how much --- */

/* The most that an upload of so many rows holds at a time. */
static size_t
most_bytes(size_t rows)
{
    struct counting_mem counting;
    struct client_rig rig;
    struct upload_seen seen = {.rig = NULL};
    size_t taken;

    counting_mem_init(&counting);
    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.mem = &counting.mem));
    ck_assert_int_eq(
        upload_rig_begin(
            &rig, &seen,
            VECWIRE_UPLOADER_OPTIONS(.batch_rows = 128, .in_flight = 4)),
        VECWIRE_OK);
    while (rows > 0) {
        enum vecwire_err err =
            upload_rig_add(&seen, rows < 512 ? rows : 512, &taken);

        rows -= taken;
        if (err == VECWIRE_EFULL)
            event_base_loop(rig.base, EVLOOP_ONCE);
        else
            ck_assert_int_eq(err, VECWIRE_OK);
    }
    vecwire_uploader_end(seen.up);
    client_rig_run(&rig);
    ck_assert_uint_eq(seen.failed, 0);
    vecwire_uploader_free(seen.up);
    client_rig_fini(&rig);
    ck_assert_uint_eq(counting.bytes, 0);
    return counting.most;
}

START_TEST(an_upload_of_any_length_holds_a_few_requests_at_a_time)
{
    size_t few = most_bytes(2000);

    ck_assert_uint_gt(few, 4 * 128 * 8);
    ck_assert_uint_le(most_bytes(100000), few + few / 4);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_set_timeout(tcase, 20);
    tcase_add_test(tcase, any_allocation_may_fail);
    tcase_add_test(tcase, memory_may_run_out_anywhere);
    tcase_add_test(tcase,
                   an_upload_of_any_length_holds_a_few_requests_at_a_time);
}

int
main(void)
{
    return client_rig_main("upload_memory", add_tests);
}
