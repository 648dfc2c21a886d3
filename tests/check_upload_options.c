/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of an upload's options. */
#include <check.h>
#include <string.h>

#include "api/client.h"
#include "call/upload.h"
#include "tests/upload_rig.h"

#define MS UINT64_C(1000000)

static const struct fault_step silent[] = {{FAULT_STALL, NULL, 0}};
static const struct fault_step *const scripts[] = {silent};

static struct client_rig rig;
static struct upload_seen seen;

/* Begin an upload by a client with these options; what came of its own. */
static const struct vecwire__upload_config *
begin(struct vecwire_options client, struct vecwire_uploader_options options)
{
    client_rig_init(&rig, scripts, 1, client);
    seen = (struct upload_seen){.rig = NULL};
    ck_assert_int_eq(upload_rig_begin(&rig, &seen, options), VECWIRE_OK);
    return &seen.up->config;
}

static const struct vecwire__upload_config *
begin_plain(void)
{
    return begin(VECWIRE_OPTIONS(.url = NULL),
                 VECWIRE_UPLOADER_OPTIONS(.call = NULL));
}

static void
end(void)
{
    vecwire_uploader_free(seen.up);
    client_rig_fini(&rig);
}

START_TEST(a_request_has_256_rows_where_nothing_is_said)
{
    ck_assert_uint_eq(begin_plain()->batch_rows, 256);
    end();
}
END_TEST

START_TEST(a_request_has_8_mib_where_nothing_is_said)
{
    ck_assert_uint_eq(begin_plain()->batch_bytes, (size_t)8 << 20);
    end();
}
END_TEST

START_TEST(four_requests_are_in_flight_where_nothing_is_said)
{
    ck_assert_uint_eq(begin_plain()->in_flight, 4);
    end();
}
END_TEST

START_TEST(an_upload_has_no_deadline_where_nothing_is_said)
{
    ck_assert_uint_eq(begin_plain()->deadline_ns, UINT64_MAX);
    end();
}
END_TEST

/* Begin one whose dialect has lower limits than the defaults. */
static const struct vecwire__upload_config *
begin_limited(void)
{
    static struct vecwire__upsert_parts parts;
    static struct vecwire__dialect dialect;

    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.url = NULL));
    parts = *rig.client->dialect->upsert_parts;
    parts.max_rows = 7;
    parts.max_bytes = 4096;
    dialect = *rig.client->dialect;
    dialect.upsert_parts = &parts;
    rig.client->dialect = &dialect;
    seen = (struct upload_seen){.rig = NULL};
    ck_assert_int_eq(
        upload_rig_begin(&rig, &seen, VECWIRE_UPLOADER_OPTIONS(.call = NULL)),
        VECWIRE_OK);
    return &seen.up->config;
}

START_TEST(a_request_has_no_more_rows_than_the_dialect_takes)
{
    ck_assert_uint_eq(begin_limited()->batch_rows, 7);
    end();
}
END_TEST

START_TEST(a_request_has_no_more_bytes_than_the_dialect_takes)
{
    ck_assert_uint_eq(begin_limited()->batch_bytes, 4096);
    end();
}
END_TEST

START_TEST(the_largest_options_are_taken)
{
    const struct vecwire__upload_config *config =
        begin(VECWIRE_OPTIONS(.url = NULL),
              VECWIRE_UPLOADER_OPTIONS(.batch_rows = 1000,
                                       .batch_bytes = (uint64_t)16 << 20,
                                       .in_flight = 256));

    ck_assert_uint_eq(config->batch_rows, 1000);
    ck_assert_uint_eq(config->batch_bytes, (size_t)16 << 20);
    ck_assert_uint_eq(config->in_flight, 256);
    end();
}
END_TEST

START_TEST(the_upload_s_deadline_is_that_of_the_whole)
{
    ck_assert_uint_eq(begin(VECWIRE_OPTIONS(.url = NULL),
                            VECWIRE_UPLOADER_OPTIONS(.deadline_ms = 5000))
                          ->deadline_ns,
                      5000 * MS);
    end();
}
END_TEST

START_TEST(a_request_has_the_client_s_deadline)
{
    ck_assert_uint_eq(begin(VECWIRE_OPTIONS(.deadline_ms = 1234),
                            VECWIRE_UPLOADER_OPTIONS(.call = NULL))
                          ->request_deadline_ns,
                      1234 * MS);
    end();
}
END_TEST

START_TEST(a_request_has_the_deadline_of_the_call_options)
{
    ck_assert_uint_eq(
        begin(VECWIRE_OPTIONS(.deadline_ms = 1234),
              VECWIRE_UPLOADER_OPTIONS(.call =
                                           &VECWIRE_CALL_OPTIONS(.deadline_ms =
                                                                     77)))
            ->request_deadline_ns,
        77 * MS);
    end();
}
END_TEST

START_TEST(a_client_without_retries_has_none_for_uploads)
{
    ck_assert(begin(VECWIRE_OPTIONS(.no_retry = true),
                    VECWIRE_UPLOADER_OPTIONS(.call = NULL))
                  ->no_retry);
    end();
}
END_TEST

START_TEST(call_options_without_retries_have_none_for_uploads)
{
    ck_assert(
        begin(VECWIRE_OPTIONS(.url = NULL),
              VECWIRE_UPLOADER_OPTIONS(.call = &VECWIRE_CALL_OPTIONS(.no_retry =
                                                                         true)))
            ->no_retry);
    end();
}
END_TEST

/* What `options` are refused with, by a client of this dialect. */
static enum vecwire_err
refused(const struct vecwire__dialect *dialect,
        struct vecwire_uploader_options options, const char *words)
{
    struct vecwire_refusal refusal = {.text = ""};
    enum vecwire_err err;

    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.url = NULL));
    if (dialect != NULL)
        rig.client->dialect = dialect;
    seen = (struct upload_seen){.rig = NULL};
    options.refusal = &refusal;
    err = upload_rig_begin(&rig, &seen, options);
    ck_assert_ptr_null(seen.up);
    ck_assert_msg(strstr(refusal.text, words) != NULL, "%s", refusal.text);
    client_rig_fini(&rig);
    return err;
}

START_TEST(a_dialect_that_takes_no_rows_is_unsupported)
{
    struct vecwire__dialect dialect = vecwire__dialect_hms;

    dialect.upsert_parts = NULL;
    ck_assert_int_eq(refused(&dialect, VECWIRE_UPLOADER_OPTIONS(.call = NULL),
                             "hms does not offer this"),
                     VECWIRE_EUNSUPPORTED);
}
END_TEST

START_TEST(call_options_without_macro_and_init_are_refused)
{
    struct vecwire_call_options raw = {.no_retry = true};

    ck_assert_int_eq(refused(NULL, VECWIRE_UPLOADER_OPTIONS(.call = &raw),
                             "VECWIRE_CALL_OPTIONS"),
                     VECWIRE_EINVAL);
}
END_TEST

START_TEST(the_init_function_sets_the_size_and_nothing_else)
{
    struct vecwire_uploader_options made =
        VECWIRE_UPLOADER_OPTIONS(.call = NULL);
    struct vecwire_uploader_options init;

    memset(&init, 0xa5, sizeof(init));
    vecwire_uploader_options_init(&init);
    ck_assert_mem_eq(&init, &made, sizeof(init));
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase, a_request_has_256_rows_where_nothing_is_said);
    tcase_add_test(tcase, a_request_has_8_mib_where_nothing_is_said);
    tcase_add_test(tcase, four_requests_are_in_flight_where_nothing_is_said);
    tcase_add_test(tcase, an_upload_has_no_deadline_where_nothing_is_said);
    tcase_add_test(tcase, a_request_has_no_more_rows_than_the_dialect_takes);
    tcase_add_test(tcase, a_request_has_no_more_bytes_than_the_dialect_takes);
    tcase_add_test(tcase, the_largest_options_are_taken);
    tcase_add_test(tcase, the_upload_s_deadline_is_that_of_the_whole);
    tcase_add_test(tcase, a_request_has_the_client_s_deadline);
    tcase_add_test(tcase, a_request_has_the_deadline_of_the_call_options);
    tcase_add_test(tcase, a_client_without_retries_has_none_for_uploads);
    tcase_add_test(tcase, call_options_without_retries_have_none_for_uploads);
    tcase_add_test(tcase, a_dialect_that_takes_no_rows_is_unsupported);
    tcase_add_test(tcase, call_options_without_macro_and_init_are_refused);
    tcase_add_test(tcase, the_init_function_sets_the_size_and_nothing_else);
}

int
main(void)
{
    return client_rig_main("upload_options", add_tests);
}
