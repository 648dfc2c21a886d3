/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs refuse before anything is sent, on a real client. Its server
 * listens and never answers: it would see any connection. */
#include <arpa/inet.h>
#include <event2/event.h>
#include <math.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vecwire/vecwire.h>

#include "tests/counting_mem.h"

static struct event_base *base;
static struct vecwire_client *client;
static struct vecwire_refusal refusal;
static struct counting_mem mem;
static vecwire_call_id id;
static unsigned runs;
static enum vecwire_err last_code;
static int server = -1;
static const float vector[] = {1, 2, 3};
static const char *const ids[] = {"a", "b"};

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);

    ck_assert_ptr_eq(arg, &runs);
    last_code = error == NULL ? VECWIRE_OK : error->code;
    runs++;
}

static void
make_client(void)
{
    struct sockaddr_in addr = {.sin_family = AF_INET};
    socklen_t len = sizeof(addr);
    char url[64];

    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    ck_assert_int_eq(bind(server, (struct sockaddr *)&addr, len), 0);
    ck_assert_int_eq(listen(server, 16), 0);
    ck_assert_int_eq(getsockname(server, (struct sockaddr *)&addr, &len), 0);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u",
             (unsigned)ntohs(addr.sin_port));
    ck_assert_int_eq(
        vecwire_client_new(&client, base,
                           &VECWIRE_OPTIONS(.url = url, .mem = &mem.mem,
                                            .connections = 1, .max_waiting = 1,
                                            .max_waiting_bytes = 65536)),
        VECWIRE_OK);
}

static void
setup(void)
{
    runs = 0;
    id = 77;
    last_code = VECWIRE_OK;
    memset(&refusal, 0, sizeof(refusal));
    counting_mem_init(&mem);
    base = vecwire_event_base_new();
    ck_assert_ptr_nonnull(base);
    make_client();
}

static void
teardown(void)
{
    vecwire_client_free(client);
    event_base_free(base);
    close(server);
    ck_assert_uint_eq(mem.blocks, 0);
}

/* The call that just returned `err` was refused and left nothing behind. */
static void
check_refused(enum vecwire_err err, enum vecwire_err code, size_t row,
              const char *text)
{
    const struct vecwire_stats *stats = vecwire_client_stats(client);

    ck_assert_int_eq(err, code);
    ck_assert_uint_eq(id, 0);
    ck_assert_ptr_nonnull(strstr(refusal.text, text));
    ck_assert_uint_eq(refusal.row, row);
    ck_assert_uint_eq(stats->calls_refused, 1);
    ck_assert_uint_eq(stats->calls_started, 0);
    ck_assert_uint_eq(stats->calls_waiting, 0);
    ck_assert_uint_eq(stats->connections_open, 0);
    event_base_loop(base, EVLOOP_NONBLOCK);
    ck_assert_uint_eq(runs, 0);
    ck_assert_int_lt(accept(server, NULL, NULL), 0);
}

static enum vecwire_err
query(struct vecwire_query_request q)
{
    q.refusal = &refusal;
    return vecwire_query(client, &q, on_reply, &runs, &id);
}

static enum vecwire_err
raw(struct vecwire_raw_request r)
{
    r.refusal = &refusal;
    return vecwire_raw(client, &r, on_reply, &runs, &id);
}

static enum vecwire_err
query_with(struct vecwire_call_options options)
{
    return query(VECWIRE_QUERY(.vector = vector, .dim = 3, .call = &options));
}

/* --- what the dialect refuses comes through --- */

START_TEST(a_bad_query_is_refused_with_its_place)
{
    const float bad[] = {1, NAN};

    check_refused(query(VECWIRE_QUERY(.vector = bad, .dim = 2)), VECWIRE_EINVAL,
                  SIZE_MAX, "coordinate 1");
    ck_assert_uint_eq(refusal.coordinate, 1);
}
END_TEST

START_TEST(a_bad_upsert_is_refused_with_its_row)
{
    const char *const bad[] = {"a", ""};

    check_refused(
        vecwire_upsert(client,
                       &VECWIRE_UPSERT(.matrix = vector, .rows = 2, .dim = 1,
                                       .ids = bad, .refusal = &refusal),
                       on_reply, &runs, &id),
        VECWIRE_EINVAL, 1, "row 1: id is empty");
}
END_TEST

START_TEST(a_bad_delete_is_refused_with_its_limit)
{
    check_refused(vecwire_delete(client,
                                 &VECWIRE_DELETE(.ids = ids, .rows = 2,
                                                 .refusal = &refusal),
                                 on_reply, &runs, &id),
                  VECWIRE_ETOOBIG, SIZE_MAX, "HMS deletes 1 a call");
}
END_TEST

START_TEST(a_refusal_needs_no_place_and_no_name)
{
    ck_assert_int_eq(
        vecwire_query(client, &VECWIRE_QUERY(.dim = 1), NULL, NULL, NULL),
        VECWIRE_EINVAL);
}
END_TEST

/* --- requests without macro and init --- */

START_TEST(a_request_without_macro_and_init_is_refused)
{
    struct vecwire_query_request q = {.vector = vector, .dim = 3};
    struct vecwire_upsert_request u = {
        .matrix = vector, .rows = 1, .dim = 3, .ids = ids};
    struct vecwire_delete_request d = {.ids = ids, .rows = 1};
    struct vecwire_raw_request r = {.path = "/"};
    enum vecwire_err err =
        _i == 0   ? vecwire_query(client, &q, on_reply, &runs, &id)
        : _i == 1 ? vecwire_upsert(client, &u, on_reply, &runs, &id)
        : _i == 2 ? vecwire_delete(client, &d, on_reply, &runs, &id)
                  : vecwire_raw(client, &r, on_reply, &runs, &id);

    check_refused(err, VECWIRE_EINVAL, 0, "");
}
END_TEST

START_TEST(a_null_request_is_refused)
{
    enum vecwire_err err =
        _i == 0   ? vecwire_query(client, NULL, on_reply, &runs, &id)
        : _i == 1 ? vecwire_upsert(client, NULL, on_reply, &runs, &id)
        : _i == 2 ? vecwire_delete(client, NULL, on_reply, &runs, &id)
                  : vecwire_raw(client, NULL, on_reply, &runs, &id);

    check_refused(err, VECWIRE_EINVAL, 0, "");
}
END_TEST

START_TEST(a_later_request_is_refused_when_a_new_field_is_set)
{
    struct {
        struct vecwire_query_request now;
        uint64_t more;
    } later = {VECWIRE_QUERY(.vector = vector, .dim = 3), 1};

    later.now.size = sizeof(later);
    check_refused(vecwire_query(client, &later.now, on_reply, &runs, &id),
                  VECWIRE_EINVAL, 0, "");
}
END_TEST

START_TEST(a_later_request_is_taken_when_the_new_fields_are_zero)
{
    struct {
        struct vecwire_query_request now;
        uint64_t more;
    } later = {VECWIRE_QUERY(.vector = vector, .dim = 3), 0};

    later.now.size = sizeof(later);
    ck_assert_int_eq(vecwire_query(client, &later.now, on_reply, &runs, &id),
                     VECWIRE_OK);
    ck_assert(id != 0);
    ck_assert_uint_eq(runs, 0);
}
END_TEST

START_TEST(the_init_functions_do_as_well_as_the_macros)
{
    struct vecwire_query_request q;
    struct vecwire_call_options options;

    memset(&q, 0xff, sizeof(q));
    memset(&options, 0xff, sizeof(options));
    vecwire_query_init(&q);
    vecwire_call_options_init(&options);
    q.vector = vector;
    q.dim = 3;
    q.call = &options;
    ck_assert_int_eq(query(q), VECWIRE_OK);
}
END_TEST

/* --- settings of a call --- */

START_TEST(call_options_without_macro_and_init_are_refused)
{
    check_refused(query_with((struct vecwire_call_options){.deadline_ms = 1}),
                  VECWIRE_EINVAL, SIZE_MAX, "VECWIRE_CALL_OPTIONS()");
}
END_TEST

START_TEST(a_call_has_no_collection_in_hms)
{
    check_refused(query_with(VECWIRE_CALL_OPTIONS(.collection = "c")),
                  VECWIRE_EINVAL, SIZE_MAX,
                  "collection: hms has no collections");
}
END_TEST

static const char *const bad_tenants[] = {"", "a b", "a\r\nX: y", "a/b"};

START_TEST(a_calls_tenant_is_checked)
{
    check_refused(query_with(VECWIRE_CALL_OPTIONS(.tenant = bad_tenants[_i])),
                  VECWIRE_EINVAL, SIZE_MAX, "tenant: ");
}
END_TEST

START_TEST(a_calls_headers_are_checked)
{
    const struct vecwire_header bad[] = {{"X-A", "a\nb"}, {"Host", "h"}};

    check_refused(
        query_with(VECWIRE_CALL_OPTIONS(.headers = &bad[_i], .n_headers = 1)),
        VECWIRE_EINVAL, SIZE_MAX, _i == 0 ? "header X-A" : "header Host");
}
END_TEST

START_TEST(a_calls_number_of_headers_needs_headers)
{
    check_refused(query_with(VECWIRE_CALL_OPTIONS(.n_headers = 2)),
                  VECWIRE_EINVAL, SIZE_MAX, "headers is NULL, n_headers is 2");
}
END_TEST

/* --- raw --- */

static const char *const bad_methods[] = {"",        "get",  "TRACE",
                                          "CONNECT", "GET ", "GET\r\n"};

START_TEST(raw_refuses_other_methods)
{
    check_refused(raw(VECWIRE_RAW(.method = bad_methods[_i], .path = "/")),
                  VECWIRE_EINVAL, SIZE_MAX, "method: expected GET HEAD");
}
END_TEST

static const char *const bad_paths[] = {
    NULL,  "",      "x",     "/a b",      "/a\r\n",
    "/\t", "/\x7f", "/\x80", "/\xc3\xa9", "http://h/"};

START_TEST(raw_refuses_other_paths)
{
    check_refused(raw(VECWIRE_RAW(.path = bad_paths[_i])), VECWIRE_EINVAL,
                  SIZE_MAX, "path: ");
}
END_TEST

START_TEST(raw_refuses_a_length_without_a_body)
{
    check_refused(
        raw(VECWIRE_RAW(.method = "POST", .path = "/", .body_len = 3)),
        VECWIRE_EINVAL, SIZE_MAX, "body is NULL, body_len is 3");
}
END_TEST

static const char *const bad_types[] = {"text/plain\r\nX: y", "a\x80", " a",
                                        "a "};

START_TEST(raw_refuses_a_bad_content_type)
{
    check_refused(
        raw(VECWIRE_RAW(.method = "POST", .path = "/", .body = "x",
                        .body_len = 1, .content_type = bad_types[_i])),
        VECWIRE_EINVAL, SIZE_MAX, "content_type has ");
}
END_TEST

/* --- limits, closing, memory --- */

START_TEST(a_full_queue_refuses_at_once)
{
    ck_assert_int_eq(query(VECWIRE_QUERY(.vector = vector, .dim = 3)),
                     VECWIRE_OK);
    ck_assert_int_eq(query(VECWIRE_QUERY(.vector = vector, .dim = 3)),
                     VECWIRE_OK);
    ck_assert_int_eq(query(VECWIRE_QUERY(.vector = vector, .dim = 3)),
                     VECWIRE_EFULL);
    ck_assert_uint_eq(id, 0);
    ck_assert_ptr_nonnull(strstr(refusal.text, "wait"));
    ck_assert_uint_eq(vecwire_client_stats(client)->calls_refused, 1);
    vecwire_client_free(client);
    client = NULL;
    ck_assert_uint_eq(runs, 2);
    ck_assert_int_eq(last_code, VECWIRE_ECLOSED);
}
END_TEST

START_TEST(bytes_that_may_not_wait_are_refused_at_once)
{
    static const char body[65537];

    ck_assert_int_eq(query(VECWIRE_QUERY(.vector = vector, .dim = 3)),
                     VECWIRE_OK);
    ck_assert_int_eq(raw(VECWIRE_RAW(.method = "POST", .path = "/",
                                     .body = body, .body_len = sizeof(body))),
                     VECWIRE_EFULL);
    ck_assert_uint_eq(id, 0);
    ck_assert_ptr_nonnull(strstr(refusal.text, "wait"));
}
END_TEST

START_TEST(a_closed_client_refuses)
{
    ck_assert_int_eq(vecwire_client_close(client, VECWIRE_NEVER, NULL, NULL),
                     VECWIRE_OK);
    check_refused(query(VECWIRE_QUERY(.vector = vector, .dim = 3)),
                  VECWIRE_ECLOSED, SIZE_MAX, "the client was closed");
    ck_assert_int_eq(vecwire_client_close(client, 0, NULL, NULL),
                     VECWIRE_ECLOSED);
}
END_TEST

START_TEST(without_memory_at_any_point_a_verb_is_refused_or_completes)
{
    for (size_t n = 1;; n++) {
        enum vecwire_err err;
        size_t asked;

        runs = 0;
        counting_mem_arm(&mem, n, _i == 1);
        err = query(VECWIRE_QUERY(.vector = vector, .dim = 3));
        asked = mem.asked;
        counting_mem_arm(&mem, 0, false);
        ck_assert(err == VECWIRE_OK || err == VECWIRE_ENOMEM);
        ck_assert((err == VECWIRE_OK) == (id != 0));
        if (err == VECWIRE_ENOMEM)
            ck_assert_ptr_nonnull(strstr(refusal.text, "out of memory"));
        vecwire_client_free(client);
        ck_assert_uint_eq(runs, err == VECWIRE_OK ? 1 : 0);
        ck_assert_uint_eq(mem.blocks, 0);
        close(server);
        make_client();
        if (asked < n)
            break;
        ck_assert_uint_lt(n, 1000);
    }
}
END_TEST

/* --- no client --- */

START_TEST(without_a_client_every_verb_is_refused)
{
    vecwire_client_free(client);
    client = NULL;
    if (_i == 0)
        last_code = query(VECWIRE_QUERY(.vector = vector, .dim = 3));
    else if (_i == 1)
        last_code = vecwire_upsert(client,
                                   &VECWIRE_UPSERT(.matrix = vector, .rows = 1,
                                                   .dim = 3, .ids = ids,
                                                   .refusal = &refusal),
                                   on_reply, &runs, &id);
    else if (_i == 2)
        last_code = vecwire_delete(
            client, &VECWIRE_DELETE(.ids = ids, .rows = 1, .refusal = &refusal),
            on_reply, &runs, &id);
    else
        last_code = raw(VECWIRE_RAW(.path = "/"));
    ck_assert_int_eq(last_code, VECWIRE_EINVAL);
    ck_assert_uint_eq(id, 0);
    ck_assert_str_eq(refusal.text, "client is NULL");
}
END_TEST

START_TEST(without_a_client_the_other_functions_do_nothing)
{
    vecwire_client_free(NULL);
    ck_assert_int_eq(vecwire_client_close(NULL, 0, NULL, NULL), VECWIRE_EINVAL);
    ck_assert_int_eq(vecwire_client_drain(NULL, 0), VECWIRE_EINVAL);
    ck_assert(!vecwire_cancel(NULL, 1));
    ck_assert_ptr_null(vecwire_client_stats(NULL));
}
END_TEST

static void
add_argument_tests(TCase *tc)
{
    tcase_add_test(tc, a_bad_query_is_refused_with_its_place);
    tcase_add_test(tc, a_bad_upsert_is_refused_with_its_row);
    tcase_add_test(tc, a_bad_delete_is_refused_with_its_limit);
    tcase_add_test(tc, a_refusal_needs_no_place_and_no_name);
    tcase_add_loop_test(tc, a_request_without_macro_and_init_is_refused, 0, 4);
    tcase_add_loop_test(tc, a_null_request_is_refused, 0, 4);
    tcase_add_test(tc, a_later_request_is_refused_when_a_new_field_is_set);
    tcase_add_test(tc, a_later_request_is_taken_when_the_new_fields_are_zero);
    tcase_add_test(tc, the_init_functions_do_as_well_as_the_macros);
    tcase_add_test(tc, call_options_without_macro_and_init_are_refused);
    tcase_add_test(tc, a_call_has_no_collection_in_hms);
    tcase_add_loop_test(tc, a_calls_tenant_is_checked, 0, 4);
    tcase_add_loop_test(tc, a_calls_headers_are_checked, 0, 2);
    tcase_add_test(tc, a_calls_number_of_headers_needs_headers);
}

static void
add_other_tests(TCase *tc)
{
    tcase_add_loop_test(tc, raw_refuses_other_methods, 0, 6);
    tcase_add_loop_test(tc, raw_refuses_other_paths, 0, 10);
    tcase_add_test(tc, raw_refuses_a_length_without_a_body);
    tcase_add_loop_test(tc, raw_refuses_a_bad_content_type, 0, 4);
    tcase_add_test(tc, a_full_queue_refuses_at_once);
    tcase_add_test(tc, bytes_that_may_not_wait_are_refused_at_once);
    tcase_add_test(tc, a_closed_client_refuses);
    tcase_add_loop_test(
        tc, without_memory_at_any_point_a_verb_is_refused_or_completes, 0, 2);
    tcase_add_loop_test(tc, without_a_client_every_verb_is_refused, 0, 4);
    tcase_add_test(tc, without_a_client_the_other_functions_do_nothing);
}

int
main(void)
{
    Suite *suite = suite_create("verbs");
    TCase *tc = tcase_create("refusals");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    add_argument_tests(tc);
    add_other_tests(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
