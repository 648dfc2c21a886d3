/* SPDX-License-Identifier: Apache-2.0 */
/* Which points an update of Qdrant's concerns, several updates in one
 * request, what comes of them, and memory that is short on the way. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "tests/counting_mem.h"
#include "tests/qdrant_fixture.h"

#define DELETE vecwire__qdrant_encode_delete
#define OPERATIONS vecwire__qdrant_encode_operations
#define C "/collections/c"

static struct qdrant_fixture f;
static struct counting_mem counting;
static const uint64_t numbers[] = {7, UINT64_MAX};
static const float matrix[] = {1, 2, 3, 4};

static void
setup(void)
{
    counting_mem_init(&counting);
    qdrant_begin_with(&f, &counting.mem);
}

static void
teardown(void)
{
    qdrant_end(&f);
    ck_assert_uint_eq(counting.blocks, 0);
}

/* --- which points --- */

static const char *const vacuous[] = {
    "{}",
    "{\"must\":[]}",
    "{\"must\":null,\"should\":[],\"must_not\":null,\"min_should\":null}",
    "{\"must\":{}}",
    "{\"must\":[{}]}",
    "{\"must\":[{\"should\":[]},{\"must\":[{}]}]}",
    "{\"should\":[{\"must\":[]},{\"has_id\":[1]}]}",
    "{\"should\":{\"must_not\":[]}}",
    "{\"min_should\":{\"conditions\":[{},{\"has_id\":[1]}],\"min_count\":1}}",
    "{\"must_not\":[{\"has_id\":[]}]}",
    "{\"must_not\":{\"key\":\"a\",\"match\":{\"any\":[]}}}",
    "{\"must_not\":[{\"must_not\":[{}]}]}",
    "{\"must_not\":[{\"must\":[{\"has_id\":[]},{\"has_id\":[1]}]}]}",
    "{\"must_not\":{\"should\":[{\"has_id\":[]},{\"must_not\":{}}]}}",
};
#define N_VACUOUS ((int)(sizeof(vacuous) / sizeof(vacuous[0])))

static const char *const selective[] = {
    "{\"must\":[{\"has_id\":[]}]}",
    "{\"must\":[{},{\"is_null\":{\"key\":\"a\"}}]}",
    "{\"must\":{\"nested\":{\"key\":\"a\",\"filter\":{}}}}",
    "{\"should\":[{\"key\":\"a\",\"match\":{\"value\":1}}]}",
    "{\"must_not\":[{}]}",
    "{\"must_not\":[{\"has_id\":[1]}]}",
    "{\"must_not\":[{\"should\":[{\"has_id\":[]},{\"has_id\":[1]}]}]}",
    "{\"must_not\":[{\"key\":\"a\",\"match\":{\"except\":[]}}]}",
    "{\"min_should\":{\"conditions\":[{},{\"has_id\":[1]}],\"min_count\":2}}",
};
#define N_SELECTIVE ((int)(sizeof(selective) / sizeof(selective[0])))

static const char refused[] =
    "filter matches every point: set `everything` if that is meant";

START_TEST(a_filter_that_matches_everything_is_refused)
{
    json_t *tree = json_loads(vacuous[_i], 0, NULL);

    QDRANT_REFUSES(&f, DELETE, &VECWIRE_DELETE(.filter = vacuous[_i]),
                   VECWIRE_EINVAL, SIZE_MAX, refused);
    QDRANT_REFUSES(&f, DELETE, &VECWIRE_DELETE(.filter_tree = tree),
                   VECWIRE_EINVAL, SIZE_MAX, refused);
    json_decref(tree);
}
END_TEST

START_TEST(everything_may_be_meant)
{
    char body[256];

    snprintf(body, sizeof(body), "{\"filter\":%s}", vacuous[_i]);
    QDRANT_SENDS(&f, DELETE,
                 &VECWIRE_DELETE(.filter = vacuous[_i], .everything = true),
                 C "/points/delete", body);
    QDRANT_SENDS(&f, DELETE, &VECWIRE_DELETE(.everything = true),
                 C "/points/delete", "{\"filter\":{}}");
}
END_TEST

START_TEST(a_filter_that_selects_is_sent)
{
    char body[256];

    snprintf(body, sizeof(body), "{\"filter\":%s}", selective[_i]);
    QDRANT_SENDS(&f, DELETE, &VECWIRE_DELETE(.filter = selective[_i]),
                 C "/points/delete", body);
}
END_TEST

START_TEST(points_are_selected_in_one_way)
{
    static const char at_once[] = "points by id and by filter at once";

    QDRANT_REFUSES(
        &f, DELETE,
        &VECWIRE_DELETE(.numbers = numbers, .rows = 1, .filter = "{}"),
        VECWIRE_EINVAL, SIZE_MAX, at_once);
    QDRANT_REFUSES(
        &f, DELETE,
        &VECWIRE_DELETE(.numbers = numbers, .rows = 1, .everything = true),
        VECWIRE_EINVAL, SIZE_MAX, at_once);
    QDRANT_REFUSES(&f, DELETE, &VECWIRE_DELETE(.numbers = numbers),
                   VECWIRE_EINVAL, SIZE_MAX, "no ids, expected at least 1");
    QDRANT_REFUSES(&f, DELETE, &VECWIRE_DELETE(.filter = "[]"), VECWIRE_EINVAL,
                   SIZE_MAX, "filter: expected an object ");
    QDRANT_REFUSES(
        &f, DELETE, &VECWIRE_DELETE(.rows = 3), VECWIRE_EINVAL, SIZE_MAX,
        "no points: expected ids, numbers, a filter or `everything`");
}
END_TEST

/* Memory is short for looking: nothing goes out on the chance. */
static void *
no_block(size_t size)
{
    (void)size;
    return NULL;
}

START_TEST(a_filter_that_cannot_be_looked_at_is_not_sent)
{
    json_malloc_t take;
    json_free_t give;

    json_get_alloc_funcs(&take, &give);
    json_set_alloc_funcs(no_block, give);
    ck_assert_int_eq(
        qdrant_encode(&f, DELETE, &VECWIRE_DELETE(.filter = "{\"must\":[]}")),
        VECWIRE_EINVAL);
    ck_assert_ptr_nonnull(strstr(f.refusal.text, "cannot be checked"));
    json_set_alloc_funcs(take, give);
}
END_TEST

/* --- several in one --- */

static const struct vecwire_upsert_request upsert =
    VECWIRE_UPSERT(.matrix = matrix, .rows = 2, .dim = 2, .numbers = numbers);
static const struct vecwire_delete_request del =
    VECWIRE_DELETE(.numbers = numbers, .rows = 2);
static const char *const keys[] = {"a"};
static const struct vecwire_qdrant_payload_request payloads[] = {
    VECWIRE_QDRANT_PAYLOAD(.points = {.everything = true}, .payload = "{}",
                           .change = VECWIRE_QDRANT_SET_PAYLOAD),
    VECWIRE_QDRANT_PAYLOAD(.points = {.everything = true}, .payload = "{}",
                           .change = VECWIRE_QDRANT_OVERWRITE_PAYLOAD),
    VECWIRE_QDRANT_PAYLOAD(.points = {.everything = true}, .keys = keys,
                           .n_keys = 1,
                           .change = VECWIRE_QDRANT_DELETE_PAYLOAD),
    VECWIRE_QDRANT_PAYLOAD(.points = {.everything = true},
                           .change = VECWIRE_QDRANT_CLEAR_PAYLOAD)};
static const struct vecwire_qdrant_delete_vectors_request del_vectors =
    VECWIRE_QDRANT_DELETE_VECTORS(.points = {.everything = true}, .names = keys,
                                  .n_names = 1);

START_TEST(operations_are_sent_in_their_order)
{
    const struct vecwire_qdrant_operation list[] = {
        {.upsert = &upsert},         {.del = &del},
        {.payload = &payloads[0]},   {.payload = &payloads[1]},
        {.payload = &payloads[2]},   {.payload = &payloads[3]},
        {.update_vectors = &upsert}, {.delete_vectors = &del_vectors}};

    f.settings.qdrant = &f.params;
    f.params.shard_key = "1";
    QDRANT_SENDS(
        &f, OPERATIONS, &VECWIRE_QDRANT_OPERATIONS(.list = list, .n = 8),
        C "/points/batch",
        "{\"operations\":[{\"upsert\":{\"points\":[{\"id\":7,\"vector\":[1,2]}"
        ",{\"id\":18446744073709551615,\"vector\":[3,4]}],\"shard_key\":1}},"
        "{\"delete\":{\"points\":[7,18446744073709551615],\"shard_key\":1}},"
        "{\"set_payload\":{\"payload\":{},\"filter\":{},\"shard_key\":1}},"
        "{\"overwrite_payload\":{\"payload\":{},\"filter\":{},"
        "\"shard_key\":1}},"
        "{\"delete_payload\":{\"keys\":[\"a\"],\"filter\":{},"
        "\"shard_key\":1}},"
        "{\"clear_payload\":{\"filter\":{},\"shard_key\":1}},"
        "{\"update_vectors\":{\"points\":[{\"id\":7,\"vector\":[1,2]},"
        "{\"id\":18446744073709551615,\"vector\":[3,4]}],\"shard_key\":1}},"
        "{\"delete_vectors\":{\"vector\":[\"a\"],\"filter\":{},"
        "\"shard_key\":1}}]}");
    QDRANT_SENDS(&f, OPERATIONS, &VECWIRE_QDRANT_OPERATIONS(.n = 0),
                 C "/points/batch", "{\"operations\":[]}");
}
END_TEST

START_TEST(a_bad_operation_is_named_with_its_place_inside)
{
    const float bad[] = {1, 2, 3, NAN};
    const char *const ids[] = {"1", "x"};
    const char *const no_text[] = {"\"\xff\""};
    const struct vecwire_upsert_request not_finite =
        VECWIRE_UPSERT(.matrix = bad, .rows = 2, .dim = 2, .numbers = numbers);
    const struct vecwire_upsert_request no_rows =
        VECWIRE_UPSERT(.numbers = numbers);
    const struct vecwire_delete_request no_id =
        VECWIRE_DELETE(.ids = ids, .rows = 2);
    const struct vecwire_qdrant_payload_request no_path =
        VECWIRE_QDRANT_PAYLOAD(.points = {.everything = true}, .keys = no_text,
                               .n_keys = 1,
                               .change = VECWIRE_QDRANT_DELETE_PAYLOAD);
    const struct vecwire_upsert_request unmade = {.rows = 1};
    const struct {
        struct vecwire_qdrant_operation op;
        const char *text;
    } rows[] = {
        {{.upsert = &not_finite},
         "operation 1: row 1: coordinate 1 is NaN or infinite"},
        {{.upsert = &no_rows}, "operation 1: rows is 0, expected at least 1"},
        {{.update_vectors = &no_rows},
         "operation 1: rows is 0, expected at least 1"},
        {{.del = &no_id},
         "operation 1: row 1: id \"x\": expected a number 0 to 2^64-1 or a "
         "UUID"},
        {{.upsert = NULL}, "operation 1: expected exactly one of its requests"},
        {{.upsert = &upsert, .del = &del},
         "operation 1: expected exactly one of its requests"},
        {{.upsert = &unmade},
         "operation 1: its request was not made by its macro or init "
         "function"},
        {{.payload = &no_path},
         "operation 1: keys \"\"\xff\"\": expected a payload key such as a.b, "
         "a[].b, a[0] or \"any key\".b"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct vecwire_qdrant_operation list[] = {{.del = &del},
                                                        rows[i].op};

        QDRANT_REFUSES(&f, OPERATIONS,
                       &VECWIRE_QDRANT_OPERATIONS(.list = list, .n = 2),
                       VECWIRE_EINVAL, 1, rows[i].text);
    }
    QDRANT_REFUSES(&f, OPERATIONS, &VECWIRE_QDRANT_OPERATIONS(.n = 2),
                   VECWIRE_EINVAL, SIZE_MAX, "list is NULL, n is 2");
}
END_TEST

START_TEST(operations_may_have_been_done_in_part)
{
    const struct vecwire_qdrant_operation list[] = {{.del = &del}};

    ck_assert_int_eq(
        qdrant_encode(&f, OPERATIONS,
                      &VECWIRE_QDRANT_OPERATIONS(.list = list, .n = 1)),
        VECWIRE_OK);
    ck_assert(f.enc.may_be_partial);
    ck_assert_uint_eq(f.enc.max_parts, 1);
}
END_TEST

/* --- what came of them --- */

static struct vecwire_reply *reply;

static enum vecwire__json_rc
read_in(const struct vecwire__decoding *how, const char *json, size_t step)
{
    struct vecwire__json_reader reader;
    size_t len = strlen(json);

    vecwire__reply_release(reply);
    reply = vecwire__reply_new(&counting.mem);
    reply->rows_asked = 2;
    vecwire__json_init(&reader, how->table, how->sink, reply, &reply->texts,
                       128);
    for (size_t at = 0; at < len; at += step)
        (void)vecwire__json_feed(&reader, json + at,
                                 len - at < step ? len - at : step);
    return vecwire__json_finish(&reader);
}

static void
forget(void)
{
    vecwire__reply_release(reply);
    reply = NULL;
}

static const struct {
    const char *status;
    enum vecwire_qdrant_outcome outcome;
    uint64_t affected;
} outcomes[] = {{"acknowledged", VECWIRE_QDRANT_ACKNOWLEDGED, 2},
                {"compl\\u0065ted", VECWIRE_QDRANT_COMPLETED, 2},
                {"wait_timeout", VECWIRE_QDRANT_WAIT_TIMEOUT, 0}};

START_TEST(the_outcomes_of_an_update_are_told_apart)
{
    char json[256];
    uint64_t number = 0;

    snprintf(json, sizeof(json),
             "{\"result\":{\"status\":\"%s\",\"x\":\"completed\","
             "\"operation_id\":18446744073709551615},\"status\":\"ok\"}",
             outcomes[_i].status);
    for (size_t step = 1; step <= strlen(json); step++) {
        ck_assert_int_eq(read_in(&vecwire__qdrant_update_decoding, json, step),
                         VECWIRE__JSON_DONE);
        ck_assert(reply->answered);
        ck_assert_int_eq(vecwire_qdrant_update_outcome(reply, 0),
                         outcomes[_i].outcome);
        ck_assert(vecwire_qdrant_operation_number(reply, 0, &number));
        ck_assert(number == UINT64_MAX);
        ck_assert_uint_eq(vecwire_reply_affected(reply), outcomes[_i].affected);
        ck_assert_int_eq(vecwire_qdrant_update_outcome(reply, 1),
                         VECWIRE_QDRANT_NO_UPDATE);
    }
    forget();
}
END_TEST

START_TEST(each_operation_has_its_outcome)
{
    ck_assert_int_eq(
        read_in(&vecwire__qdrant_updates_decoding,
                "{\"result\":[{\"status\":\"completed\",\"operation_id\":4},"
                "{\"operation_id\":null,\"status\":\"wait_timeout\"},"
                "{\"status\":\"acknowledged\"}]}",
                3),
        VECWIRE__JSON_DONE);
    ck_assert_int_eq(vecwire_qdrant_update_outcome(reply, 0),
                     VECWIRE_QDRANT_COMPLETED);
    ck_assert_int_eq(vecwire_qdrant_update_outcome(reply, 1),
                     VECWIRE_QDRANT_WAIT_TIMEOUT);
    ck_assert_int_eq(vecwire_qdrant_update_outcome(reply, 2),
                     VECWIRE_QDRANT_ACKNOWLEDGED);
    ck_assert(vecwire_qdrant_operation_number(reply, 0, NULL));
    ck_assert(!vecwire_qdrant_operation_number(reply, 1, NULL));
    ck_assert(!vecwire_qdrant_operation_number(reply, 3, NULL));
    forget();
}
END_TEST

START_TEST(an_outcome_that_nobody_knows_is_a_fault)
{
    ck_assert_int_eq(read_in(&vecwire__qdrant_update_decoding,
                             "{\"result\":{\"status\":\"complete\"}}", 1),
                     VECWIRE__JSON_ESINK);
    ck_assert_str_eq(reply->fault, "an update of unknown status");
    ck_assert_int_eq(read_in(&vecwire__qdrant_updates_decoding,
                             "{\"result\":[{\"operation_id\":1}]}", 1),
                     VECWIRE__JSON_ESINK);
    ck_assert_str_eq(reply->fault, "an update lacks its \"status\"");
    ck_assert_int_eq(read_in(&vecwire__qdrant_update_decoding,
                             "{\"result\":{\"operation_id\":1}}", 1),
                     VECWIRE__JSON_DONE);
    ck_assert(!reply->answered);
    forget();
}
END_TEST

/* --- memory --- */

static enum vecwire_err
encode_one(int which)
{
    static const uint32_t indices[] = {5, 1};
    const struct vecwire_vector vectors[] = {
        {.name = "s", .values = matrix, .indices = indices, .dim = 2},
        {.name = "m", .values = matrix, .dim = 1, .rows = 2}};
    const struct vecwire_vectors rows[] = {{vectors, 2}, {vectors, 2}};
    const struct vecwire_qdrant_operation list[] = {
        {.upsert = &upsert}, {.payload = &payloads[2]}, {.del = &del}};
    const struct vecwire_qdrant_search inner = {.vector = vectors};
    const struct vecwire_qdrant_query_request query =
        VECWIRE_QDRANT_QUERY(.search = {.id = "1",
                                        .prefetch = &inner,
                                        .n_prefetch = 1,
                                        .filter = "{\"must\":[]}"});

    f.settings.qdrant = &f.params;
    f.params.shard_key = "\"a shard's key\"";
    f.params.by_columns = which == 1;
    switch (which) {
    case 0:
    case 1:
        return qdrant_encode(
            &f, vecwire__qdrant_encode_upsert,
            &VECWIRE_UPSERT(.vectors = rows, .rows = 2, .numbers = numbers));
    case 2:
        return qdrant_encode(&f, OPERATIONS,
                             &VECWIRE_QDRANT_OPERATIONS(.list = list, .n = 3));
    case 3:
        return qdrant_encode(
            &f, vecwire__qdrant_encode_groups,
            &VECWIRE_QDRANT_QUERY_GROUPS(.query = &query, .group_by = "a"));
    default:
        return qdrant_encode(
            &f, vecwire__qdrant_encode_batch,
            &VECWIRE_QDRANT_QUERY_BATCH(.queries = &query, .n = 1));
    }
}

START_TEST(an_encoder_without_memory_says_so)
{
    enum vecwire_err err = VECWIRE_ENOMEM;
    size_t at = 0;

    while (err != VECWIRE_OK) {
        qdrant_again(&f);
        counting_mem_arm(&counting, ++at, false);
        err = encode_one(_i);
        counting_mem_arm(&counting, 0, false);
        ck_assert(err == VECWIRE_OK || err == VECWIRE_ENOMEM);
    }
    ck_assert_uint_gt(at, 2);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qdrant outcomes");
    TCase *tests = tcase_create("qdrant outcomes");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, a_filter_that_matches_everything_is_refused, 0,
                        N_VACUOUS);
    tcase_add_loop_test(tests, everything_may_be_meant, 0, N_VACUOUS);
    tcase_add_loop_test(tests, a_filter_that_selects_is_sent, 0, N_SELECTIVE);
    tcase_add_test(tests, points_are_selected_in_one_way);
    tcase_add_test(tests, a_filter_that_cannot_be_looked_at_is_not_sent);
    tcase_add_test(tests, operations_are_sent_in_their_order);
    tcase_add_test(tests, a_bad_operation_is_named_with_its_place_inside);
    tcase_add_test(tests, operations_may_have_been_done_in_part);
    tcase_add_loop_test(tests, the_outcomes_of_an_update_are_told_apart, 0, 3);
    tcase_add_test(tests, each_operation_has_its_outcome);
    tcase_add_test(tests, an_outcome_that_nobody_knows_is_a_fault);
    tcase_add_loop_test(tests, an_encoder_without_memory_says_so, 0, 5);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
