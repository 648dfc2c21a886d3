/* SPDX-License-Identifier: Apache-2.0 */
/* What the server answers about collections, aliases and snapshots, each cut
 * into pieces of every size. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "codec/mem.h"
#include "dialect/qdrant_server.h"

static struct vecwire_reply *reply;
static struct vecwire__json_reader reader;

static void
setup(void)
{
    reply = vecwire__reply_new(&vecwire__mem_libc);
    ck_assert_ptr_nonnull(reply);
    reply->status = 200;
}

static void
teardown(void)
{
    vecwire__reply_release(reply);
}

/* Feed it in pieces of `step` bytes, each in a block of its own size. */
static enum vecwire__json_rc
feed(const struct vecwire__decoding *how, const char *json, size_t step)
{
    size_t len = strlen(json);

    vecwire__json_init(&reader, how->table, how->sink, reply, &reply->texts,
                       128);
    for (size_t at = 0; at < len; at += step) {
        size_t n = len - at < step ? len - at : step;
        char *piece = malloc(n);

        memcpy(piece, json + at, n);
        vecwire__json_feed(&reader, piece, n);
        free(piece);
    }
    return vecwire__json_finish(&reader);
}

/* Read it in pieces of all sizes; the last time it stays. */
static void
read_all(const struct vecwire__decoding *how, const char *json,
         void (*look)(void))
{
    for (size_t step = 1; step <= strlen(json); step++) {
        teardown();
        setup();
        ck_assert_int_eq(feed(how, json, step), VECWIRE__JSON_DONE);
        ck_assert(reply->answered);
        vecwire__reply_settle(reply);
        look();
    }
}

static void
is_true(void)
{
    ck_assert_uint_eq(vecwire_reply_total(reply), 1);
}

static void
is_false(void)
{
    ck_assert_uint_eq(vecwire_reply_total(reply), 0);
}

START_TEST(true_is_one_and_false_is_none)
{
    const struct vecwire__decoding *how = &vecwire__qdrant_bool_decoding;

    read_all(how, "{\"result\":true,\"status\":\"ok\",\"time\":1e-5}", is_true);
    read_all(how, "{\"time\":0.1,\"status\":\"ok\",\"result\":false}",
             is_false);
}
END_TEST

START_TEST(what_exists_is_told)
{
    const struct vecwire__decoding *how = &vecwire__qdrant_exists_decoding;

    read_all(how, "{\"result\":{\"new\":[],\"exists\":true}}", is_true);
    read_all(how, "{\"result\":{\"exists\":false},\"usage\":null}", is_false);
}
END_TEST

static void
are_two_names(void)
{
    ck_assert_uint_eq(vecwire_reply_count(reply), 2);
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->id.text, "a");
    ck_assert_str_eq(vecwire_reply_row(reply, 1)->id.text, "\xc3\xa4");
    ck_assert_uint_eq(vecwire_reply_row(reply, 1)->id.len, 2);
}

static void
is_empty(void)
{
    ck_assert_uint_eq(vecwire_reply_count(reply), 0);
}

START_TEST(collections_are_rows)
{
    const struct vecwire__decoding *how = &vecwire__qdrant_names_decoding;

    read_all(how,
             "{\"result\":{\"collections\":[{\"name\":\"a\"},"
             "{\"new\":1,\"name\":\"\\u00e4\"}]}}",
             are_two_names);
    read_all(how, "{\"result\":{\"collections\":[]}}", is_empty);
}
END_TEST

static void
is_an_alias(void)
{
    ck_assert_uint_eq(vecwire_reply_count(reply), 1);
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->id.text, "x");
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->text, "c");
    ck_assert_uint_eq(vecwire_reply_row(reply, 0)->text_len, 1);
}

START_TEST(aliases_are_rows_with_their_collections)
{
    const struct vecwire__decoding *how = &vecwire__qdrant_aliases_decoding;

    read_all(how,
             "{\"result\":{\"aliases\":[{\"collection_name\":\"c\","
             "\"alias_name\":\"x\"}]}}",
             is_an_alias);
    read_all(how, "{\"result\":{\"aliases\":[]}}", is_empty);
}
END_TEST

static void
is_a_snapshot(void)
{
    struct vecwire_qdrant_snapshot snapshot;

    ck_assert(vecwire_qdrant_snapshot_at(reply, 0, &snapshot));
    ck_assert_str_eq(snapshot.name, "s.snapshot");
    ck_assert_str_eq(snapshot.creation_time, "2024-07-22T08:31:55");
    ck_assert_str_eq(snapshot.checksum, "ab12");
    ck_assert_uint_eq(snapshot.size, UINT64_MAX);
    ck_assert(!vecwire_qdrant_snapshot_at(reply, 1, &snapshot));
    ck_assert_ptr_null(snapshot.name);
}

#define SNAPSHOT                                                               \
    "{\"size\":18446744073709551615,\"checksum\":\"ab12\","                    \
    "\"name\":\"s.snapshot\",\"creation_time\":\"2024-07-22T08:31:55\"}"

START_TEST(a_snapshot_is_told_alone_and_in_a_list)
{
    read_all(&vecwire__qdrant_snapshots_decoding,
             "{\"result\":[" SNAPSHOT "],\"status\":\"ok\"}", is_a_snapshot);
    read_all(&vecwire__qdrant_snapshot_decoding,
             "{\"status\":\"ok\",\"result\":" SNAPSHOT "}", is_a_snapshot);
}
END_TEST

static void
is_bare(void)
{
    struct vecwire_qdrant_snapshot snapshot;

    ck_assert(vecwire_qdrant_snapshot_at(reply, 0, &snapshot));
    ck_assert_str_eq(snapshot.name, "s");
    ck_assert_ptr_null(snapshot.creation_time);
    ck_assert_ptr_null(snapshot.checksum);
}

START_TEST(a_snapshot_may_lack_time_and_checksum)
{
    read_all(
        &vecwire__qdrant_snapshots_decoding,
        "{\"result\":[{\"name\":\"s\",\"creation_time\":null,\"size\":0}]}",
        is_bare);
}
END_TEST

START_TEST(an_accepted_snapshot_is_none_yet)
{
    reply->status = 202;
    ck_assert_int_eq(feed(&vecwire__qdrant_snapshot_decoding,
                          "{\"status\":\"accepted\",\"time\":0.1}", 1),
                     VECWIRE__JSON_DONE);
    ck_assert(reply->answered);
    is_empty();
}
END_TEST

START_TEST(only_a_202_may_lack_its_result)
{
    ck_assert_int_eq(
        feed(&vecwire__qdrant_snapshot_decoding, "{\"status\":\"ok\"}", 1),
        VECWIRE__JSON_DONE);
    ck_assert(!reply->answered);
}
END_TEST

/* --- descriptions --- */

#define INFO                                                                   \
    "{\"result\":{\"status\":\"yellow\",\"optimizer_status\":\"ok\","          \
    "\"indexed_vectors_count\":5,\"points_count\":18446744073709551615,"       \
    "\"segments_count\":2,\"config\":{\"params\":{\"vectors\":{\"size\":4,"    \
    "\"distance\":\"Dot\"},\"shard_number\":1}}},\"status\":\"ok\"}"

static void
is_described(void)
{
    struct vecwire_qdrant_collection_info info;
    const struct vecwire_row *row = vecwire_reply_row(reply, 0);

    ck_assert_uint_eq(vecwire_reply_count(reply), 1);
    ck_assert_uint_eq(row->payload_len, strlen(row->payload));
    ck_assert_int_eq(row->payload[0], '{');
    ck_assert(vecwire_qdrant_info(reply, &info));
    ck_assert_uint_eq(info.status, VECWIRE_QDRANT_YELLOW);
    ck_assert(info.optimizer_ok);
    ck_assert(info.has_points_count && info.has_indexed_vectors_count);
    ck_assert_uint_eq(info.points_count, UINT64_MAX);
    ck_assert_uint_eq(info.indexed_vectors_count, 5);
    ck_assert_uint_eq(info.segments_count, 2);
    ck_assert_uint_eq(info.vector_size, 4);
    ck_assert_uint_eq(info.distance, VECWIRE_QDRANT_DOT);
}

START_TEST(a_description_is_one_row_and_its_numbers)
{
    read_all(&vecwire__qdrant_info_decoding, INFO, is_described);
}
END_TEST

/* Of that description. */
static bool
describe(const char *result, struct vecwire_qdrant_collection_info *info)
{
    char json[1024] = "{\"result\":";

    strcat(json, result);
    strcat(json, "}");
    ck_assert_int_eq(feed(&vecwire__qdrant_info_decoding, json, 7),
                     VECWIRE__JSON_DONE);
    vecwire__reply_settle(reply);
    return vecwire_qdrant_info(reply, info);
}

START_TEST(vectors_by_name_have_no_one_size)
{
    struct vecwire_qdrant_collection_info info;

    ck_assert(describe("{\"status\":\"green\",\"config\":{\"params\":{"
                       "\"vectors\":{\"distance\":{\"size\":3},"
                       "\"size\":{\"size\":4}}}}}",
                       &info));
    ck_assert_uint_eq(info.status, VECWIRE_QDRANT_GREEN);
    ck_assert_uint_eq(info.vector_size, 0);
    ck_assert_uint_eq(info.distance, 0);
}
END_TEST

START_TEST(counts_may_be_missing_or_null)
{
    struct vecwire_qdrant_collection_info info;

    ck_assert(describe("{\"points_count\":null,\"status\":\"blue\","
                       "\"optimizer_status\":{\"error\":\"x\"}}",
                       &info));
    ck_assert_uint_eq(info.status, VECWIRE_QDRANT_STATUS_OTHER);
    ck_assert(!info.has_points_count && !info.has_indexed_vectors_count);
    ck_assert(!info.optimizer_ok);
}
END_TEST

START_TEST(a_description_has_a_status)
{
    struct vecwire_qdrant_collection_info info;

    ck_assert(!describe("{\"points_count\":1}", &info));
}
END_TEST

/* --- what cannot be --- */

static const struct {
    const struct vecwire__decoding *how;
    const char *json;
} bad[] = {
    {&vecwire__qdrant_bool_decoding, "{\"result\":1}"},
    {&vecwire__qdrant_bool_decoding, "{\"result\":null}"},
    {&vecwire__qdrant_bool_decoding, "{\"result\":true,\"result\":true}"},
    {&vecwire__qdrant_exists_decoding, "{\"result\":true}"},
    {&vecwire__qdrant_names_decoding, "{\"result\":{\"collections\":null}}"},
    {&vecwire__qdrant_names_decoding, "{\"result\":{\"collections\":[{}]}}"},
    {&vecwire__qdrant_names_decoding, "{\"result\":{\"collections\":[1]}}"},
    {&vecwire__qdrant_aliases_decoding,
     "{\"result\":{\"aliases\":[{\"alias_name\":\"a\"}]}}"},
    {&vecwire__qdrant_aliases_decoding,
     "{\"result\":{\"aliases\":[{\"collection_name\":\"a\"}]}}"},
    {&vecwire__qdrant_snapshots_decoding, "{\"result\":{}}"},
    {&vecwire__qdrant_snapshots_decoding, "{\"result\":[{\"size\":1}]}"},
    {&vecwire__qdrant_snapshots_decoding,
     "{\"result\":[{\"name\":\"a\",\"size\":-1}]}"},
    {&vecwire__qdrant_snapshot_decoding, "{\"result\":{}}"},
    {&vecwire__qdrant_info_decoding, "{\"result\":[]}"},
};

START_TEST(a_reply_that_cannot_be_is_no_reply)
{
    enum vecwire__json_rc rc = feed(bad[_i].how, bad[_i].json, 3);

    ck_assert(rc == VECWIRE__JSON_ETYPE || rc == VECWIRE__JSON_ETWICE ||
              rc == VECWIRE__JSON_ERANGE || rc == VECWIRE__JSON_ESINK);
    if (rc == VECWIRE__JSON_ESINK)
        ck_assert_ptr_nonnull(reply->fault);
}
END_TEST

static const struct vecwire__decoding *const all[] = {
    &vecwire__qdrant_bool_decoding,      &vecwire__qdrant_exists_decoding,
    &vecwire__qdrant_names_decoding,     &vecwire__qdrant_aliases_decoding,
    &vecwire__qdrant_snapshots_decoding, &vecwire__qdrant_snapshot_decoding,
    &vecwire__qdrant_info_decoding,
};

START_TEST(a_reply_without_a_result_answers_nothing)
{
    ck_assert_int_eq(feed(all[_i], "{\"other\":{\"result\":true}}", 1),
                     VECWIRE__JSON_DONE);
    ck_assert(!reply->answered);
}
END_TEST

#define N(array) ((int)(sizeof(array) / sizeof((array)[0])))

int
main(void)
{
    Suite *suite = suite_create("qdrant admin reply");
    TCase *tc = tcase_create("replies");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, true_is_one_and_false_is_none);
    tcase_add_test(tc, what_exists_is_told);
    tcase_add_test(tc, collections_are_rows);
    tcase_add_test(tc, aliases_are_rows_with_their_collections);
    tcase_add_test(tc, a_snapshot_is_told_alone_and_in_a_list);
    tcase_add_test(tc, a_snapshot_may_lack_time_and_checksum);
    tcase_add_test(tc, an_accepted_snapshot_is_none_yet);
    tcase_add_test(tc, only_a_202_may_lack_its_result);
    tcase_add_test(tc, a_description_is_one_row_and_its_numbers);
    tcase_add_test(tc, vectors_by_name_have_no_one_size);
    tcase_add_test(tc, counts_may_be_missing_or_null);
    tcase_add_test(tc, a_description_has_a_status);
    tcase_add_loop_test(tc, a_reply_that_cannot_be_is_no_reply, 0, N(bad));
    tcase_add_loop_test(tc, a_reply_without_a_result_answers_nothing, 0,
                        N(all));
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
