/* SPDX-License-Identifier: Apache-2.0 */
/* What the log callback hears, and that neither it nor an allocator may call
 * back. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/client_rig.h"

static char heard[4096];
static struct client_rig *rig_at_work;
static int deed; /* what the callback does beside listening; 0: nothing */

static void
act(struct vecwire_client *client)
{
    enum vecwire_err err = VECWIRE_OK;

    switch (deed) {
    case 1:
        err = vecwire_raw(client, &VECWIRE_RAW(.path = "/"), NULL, NULL, NULL);
        break;
    case 2:
        vecwire_cancel(client, 1);
        break;
    case 3:
        err = vecwire_client_close(client, 0, NULL, NULL);
        break;
    case 4:
        err = vecwire_client_drain(client, 0);
        break;
    case 5:
        vecwire_client_free(client);
        break;
    default:
        break;
    }
    (void)err;
}

static void
listen_in(enum vecwire_log_level level, const char *line, void *arg)
{
    size_t len = strlen(heard);

    ck_assert(arg == heard);
    ck_assert_int_ge(level, VECWIRE_LOG_ERROR);
    ck_assert_int_le(level, VECWIRE_LOG_DEBUG);
    snprintf(heard + len, sizeof(heard) - len, "%s\n", line);
    act(rig_at_work->client);
}

/* The first connection is lost in its second request: one retry. */
static void
lose_one(struct client_rig *rig)
{
    static const struct fault_step once[] = {{FAULT_READ, NULL, 0},
                                             FAULT_OK("", "0"),
                                             {FAULT_READ, NULL, 0},
                                             {FAULT_END, NULL, 0}};
    static const struct fault_step more[] = {
        {FAULT_READ, NULL, 0}, FAULT_OK("", "0"), {FAULT_AGAIN, NULL, 0}};
    static const struct fault_step *const scripts[] = {once, more};
    static const struct vecwire_header header = {"X-Secret", "h1dden-header"};

    heard[0] = '\0';
    rig_at_work = rig;
    client_rig_init(rig, scripts, 2,
                    VECWIRE_OPTIONS(.log = listen_in, .log_arg = heard,
                                    .api_key = "h1dden-key", .headers = &header,
                                    .n_headers = 1));
    for (int i = 0; i < 2; i++) {
        struct rig_outcome outcome;

        client_rig_get(rig, &outcome);
        client_rig_run(rig);
        ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_OK);
        rig_outcome_fini(&outcome);
    }
    client_rig_fini(rig);
}

START_TEST(connections_and_retries_are_told_without_secrets)
{
    struct client_rig rig;

    deed = 0;
    lose_one(&rig);
    ck_assert_ptr_nonnull(strstr(heard, "connected to 127.0.0.1:"));
    ck_assert_ptr_nonnull(strstr(heard, "again in 0 ms"));
    ck_assert_ptr_null(strstr(heard, "h1dden"));
}
END_TEST

static struct client_rig rig_of_memory;

static void *
alloc_and_act(size_t size, void *ctx)
{
    (void)ctx;
    if (rig_of_memory.client != NULL)
        act(rig_of_memory.client);
    return malloc(size);
}

static void *
plain_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    (void)old_size;
    (void)ctx;
    return realloc(block, size);
}

/* Nothing that is given back still holds a secret. Blocks have bytes that
 * nobody has set, which memcheck does not like to see searched. */
static void
watchful_free(void *block, size_t size, void *ctx)
{
    (void)ctx;
    if (getenv("VECWIRE_VALGRIND") == NULL)
        ck_assert_ptr_null(memmem(block, size, "h1dden", 6));
    free(block);
}

/* A call allocates, once there is a client. */
static void
allocate_one(void)
{
    static const struct fault_step script[] = {
        {FAULT_READ, NULL, 0},
        FAULT_OK("{\"matches\":[]}", "14"),
        {FAULT_AGAIN, NULL, 0}};
    static const struct fault_step *const scripts[] = {script};
    static const struct vecwire_mem mem = {alloc_and_act, plain_realloc,
                                           watchful_free, NULL};
    struct rig_outcome outcome;

    /* A tenant of its own gives the call headers of its own, key and all. */
    client_rig_init(&rig_of_memory, scripts, 1,
                    VECWIRE_OPTIONS(.mem = &mem, .api_key = "h1dden-key"));
    client_rig_query(&rig_of_memory, &outcome,
                     &VECWIRE_CALL_OPTIONS(.tenant = "t"));
    client_rig_run(&rig_of_memory);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_OK);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig_of_memory);
    rig_of_memory.client = NULL;
}

START_TEST(an_allocator_gets_no_secret_back)
{
    deed = 0;
    allocate_one();
}
END_TEST

#ifndef NDEBUG
START_TEST(an_allocator_that_calls_the_library_is_caught)
{
    deed = _i;
    allocate_one();
}
END_TEST

START_TEST(a_log_callback_that_calls_the_library_is_caught)
{
    struct client_rig rig;

    deed = _i;
    lose_one(&rig);
}
END_TEST
#endif

int
main(void)
{
    Suite *suite = suite_create("log");
    TCase *tcase = tcase_create("log");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, connections_and_retries_are_told_without_secrets);
    tcase_add_test(tcase, an_allocator_gets_no_secret_back);
#ifndef NDEBUG
    /* The abort would end the program where Check does not fork. */
    if (srunner_fork_status(runner) == CK_FORK) {
        tcase_add_loop_test_raise_signal(
            tcase, an_allocator_that_calls_the_library_is_caught, SIGABRT, 1,
            6);
        tcase_add_loop_test_raise_signal(
            tcase, a_log_callback_that_calls_the_library_is_caught, SIGABRT, 1,
            6);
    }
#endif
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
