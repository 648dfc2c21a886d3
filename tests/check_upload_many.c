/* SPDX-License-Identifier: Apache-2.0 */
/* Far more uploads on one client than may wait for its connections. */
#include <check.h>
#include <stdlib.h>

#include "codec/mem.h"
#include "tests/upload_fixture.h"

#define N_UPLOADS 300
#define PLACES 9 /* one connection, and eight may wait */

static struct engine_fixture f;
static struct vecwire_uploader *ups[N_UPLOADS];
static size_t order[N_UPLOADS], completed;
static uint64_t stored;

static void
on_done(struct vecwire_uploader *up, const struct vecwire_upload_result *result,
        void *arg)
{
    struct vecwire_uploader **at = arg;

    if (result->error != NULL) {
        ck_assert_int_eq(result->error->code, VECWIRE_ECLOSED);
        return;
    }
    ck_assert_ptr_eq(up, *at);
    stored += result->rows_done;
    order[completed++] = (size_t)(at - ups);
}

/* One row, which is one request. */
static void
add(size_t i)
{
    static const float vector[3] = {1, 2, 3};
    static const char *const id = "a";
    struct vecwire_refusal refusal;
    size_t taken;

    ck_assert_int_eq(
        vecwire__upload_add(
            ups[i],
            &VECWIRE_UPSERT(.matrix = vector, .rows = 1, .dim = 3, .ids = &id),
            &taken, &refusal),
        VECWIRE_OK);
}

static void
begin(size_t i)
{
    add(i);
    vecwire__upload_end(ups[i]);
}

static void
set_up(void)
{
    static const struct vecwire__headers none;
    static const struct vecwire__settings settings = {.prefix = "",
                                                      .json_depth = 128};
    const struct vecwire__engine_config overrides = {.connections = 1,
                                                     .max_waiting = 8};

    stored = completed = 0;
    engine_fixture_init(&f, &overrides);
    for (size_t i = 0; i < N_UPLOADS; i++) {
        struct vecwire__upload_config config = {
            .mem = &vecwire__mem_libc,
            .settings = &settings,
            .open = {.mem = &vecwire__mem_libc},
            .others = &none,
            .on_done = on_done,
            .arg = &ups[i],
            .deadline_ns = UINT64_MAX,
            .request_deadline_ns = UINT64_MAX,
            .batch_bytes = 4096,
            .batch_rows = 1,
            .in_flight = 20,
        };

        ck_assert(vecwire__buf_str(&config.open, "["));
        ck_assert_int_eq(vecwire__upload_new(&ups[i], &f.engine, &config),
                         VECWIRE_OK);
    }
}

static void
tear_down(void)
{
    for (size_t i = 0; i < N_UPLOADS; i++)
        vecwire_uploader_free(ups[i]);
    ck_assert(TAILQ_EMPTY(&f.engine.uploads.due));
    ck_assert(TAILQ_EMPTY(&f.engine.uploads.stuck));
    engine_fixture_fini(&f);
}

static void
answer(void)
{
    fake_reply(fake_conn(&f.net, 1), 200, "{\"added\":1}");
}

/* Answers until there is nothing to answer; how many that took. */
static size_t
serve(void)
{
    size_t n = 0;

    for (;; n++) {
        engine_pass(&f);
        if (!fake_conn_of(fake_conn(&f.net, 1))->busy)
            return n;
        answer();
    }
}

START_TEST(each_gets_its_turn_when_few_of_them_find_a_place)
{
    for (size_t i = 0; i < N_UPLOADS; i++)
        begin(i);
    ck_assert_uint_eq(serve(), N_UPLOADS);
    ck_assert_uint_eq(completed, N_UPLOADS);
    ck_assert_uint_eq(stored, N_UPLOADS);
    for (size_t i = 0; i < N_UPLOADS; i++)
        ck_assert_uint_eq(order[i], i);
}
END_TEST

START_TEST(places_that_become_free_together_are_taken_in_one_pass)
{
    for (size_t i = 0; i < N_UPLOADS; i++)
        begin(i);
    engine_pass(&f);
    ck_assert_uint_eq(f.engine.stats.calls_started, PLACES);
    for (int i = 0; i < PLACES; i++)
        answer();
    engine_pass(&f);
    ck_assert_uint_eq(f.engine.stats.calls_started, 2 * PLACES);
    (void)serve();
}
END_TEST

/* Queries have all the places at first. */
START_TEST(who_had_a_turn_waits_behind_the_others)
{
    static struct seen seen[PLACES];
    size_t answers = 0;

    for (int i = 0; i < PLACES; i++)
        ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 0, &seen[i], NULL),
                         VECWIRE_OK);
    for (int i = 0; i < 20; i++)
        add(0);
    begin(1);
    for (engine_pass(&f); completed == 0; engine_pass(&f)) {
        answer();
        answers++;
    }
    ck_assert_uint_eq(order[0], 1);
    ck_assert_uint_eq(answers, PLACES + 2);
}
END_TEST

START_TEST(who_waits_for_a_place_may_be_freed)
{
    for (size_t i = 0; i < N_UPLOADS; i++)
        begin(i);
    engine_pass(&f);
    /* Those behind the places, one of which is due. */
    answer();
    for (size_t i = PLACES; i < N_UPLOADS; i += 2) {
        vecwire_uploader_free(ups[i]);
        ups[i] = NULL;
    }
    (void)serve();
    ck_assert_uint_eq(stored, PLACES + (N_UPLOADS - PLACES) / 2);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("upload_many");
    TCase *tc = tcase_create("places");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, each_gets_its_turn_when_few_of_them_find_a_place);
    tcase_add_test(tc, places_that_become_free_together_are_taken_in_one_pass);
    tcase_add_test(tc, who_had_a_turn_waits_behind_the_others);
    tcase_add_test(tc, who_waits_for_a_place_may_be_freed);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
