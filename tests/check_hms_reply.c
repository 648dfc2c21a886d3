/* SPDX-License-Identifier: Apache-2.0 */
/* HMS's replies, from their bytes to rows. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/mem.h"
#include "dialect/hms.h"

static struct vecwire_reply *reply;
static struct vecwire__json_reader reader;
static struct vecwire__server_error found;

static void
setup(void)
{
    reply = vecwire__reply_new(&vecwire__mem_libc);
    ck_assert_ptr_nonnull(reply);
}

static void
teardown(void)
{
    vecwire__reply_release(reply);
}

/* Feed it in pieces of `step` bytes, each in a block of its own size. */
static enum vecwire__json_rc
read_in(const struct vecwire__decoding *how, const char *json, size_t step)
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

static void
read_query(const char *json)
{
    ck_assert_int_eq(read_in(&vecwire__hms_query_decoding, json, SIZE_MAX),
                     VECWIRE__JSON_DONE);
    ck_assert(reply->answered);
    vecwire__reply_settle(reply);
}

static const struct vecwire_row *
row(size_t index)
{
    return vecwire_reply_row(reply, index);
}

/* --- rows --- */

#define TWO_MATCHES                                                            \
    "{\"matches\":[{\"id\":\"row-1\",\"text\":\"h\\u00e9\","                   \
    "\"metadata\":{\"a\": [1, 2]},\"score\":0.25},"                            \
    "{\"score\":-1,\"metadata\":{},\"text\":\"\",\"id\":\"x\"}]}"

static void
check_two_matches(void)
{
    ck_assert_uint_eq(vecwire_reply_count(reply), 2);
    ck_assert_str_eq(row(0)->id.text, "row-1");
    ck_assert_uint_eq(row(0)->id.len, 5);
    ck_assert(!row(0)->id.is_number);
    ck_assert_str_eq(row(0)->text, "h\xc3\xa9");
    ck_assert_uint_eq(row(0)->text_len, 3);
    ck_assert_str_eq(row(0)->payload, "{\"a\": [1, 2]}");
    ck_assert_uint_eq(row(0)->payload_len, 13);
    ck_assert(row(0)->score == 0.25f);
    ck_assert_uint_eq(row(0)->flags, VECWIRE_ROW_HAS_SCORE);
    ck_assert_ptr_null(row(0)->vector);
    ck_assert_str_eq(row(1)->id.text, "x");
    ck_assert_str_eq(row(1)->text, "");
    ck_assert_uint_eq(row(1)->text_len, 0);
    ck_assert_str_eq(row(1)->payload, "{}");
    ck_assert(row(1)->score == -1.0f);
    ck_assert_ptr_null(row(2));
}

START_TEST(matches_become_rows_in_their_order)
{
    read_query(TWO_MATCHES);
    check_two_matches();
}
END_TEST

START_TEST(matches_may_come_in_pieces_of_any_size)
{
    ck_assert_int_eq(
        read_in(&vecwire__hms_query_decoding, TWO_MATCHES, (size_t)_i),
        VECWIRE__JSON_DONE);
    vecwire__reply_settle(reply);
    check_two_matches();
}
END_TEST

START_TEST(no_matches_are_an_answer)
{
    read_query("{\"matches\":[]}");
    ck_assert_uint_eq(vecwire_reply_count(reply), 0);
}
END_TEST

START_TEST(unknown_keys_are_skipped)
{
    read_query("{\"took\":{\"ms\":[1]},\"matches\":[{\"extra\":{\"id\":1},"
               "\"id\":\"a\",\"score\":1,\"rank\":null}],\"score\":\"x\"}");
    ck_assert_uint_eq(vecwire_reply_count(reply), 1);
    ck_assert_str_eq(row(0)->id.text, "a");
    ck_assert(row(0)->score == 1.0f);
}
END_TEST

START_TEST(a_null_score_is_nan_and_says_so)
{
    read_query("{\"matches\":[{\"id\":\"a\",\"score\":null},"
               "{\"id\":\"b\",\"score\":0.5}]}");
    ck_assert(isnan(row(0)->score));
    ck_assert_uint_eq(row(0)->flags,
                      VECWIRE_ROW_HAS_SCORE | VECWIRE_ROW_HAS_NAN);
    ck_assert(row(1)->score == 0.5f);
    ck_assert_uint_eq(row(1)->flags, VECWIRE_ROW_HAS_SCORE);
}
END_TEST

START_TEST(a_match_needs_neither_text_nor_metadata)
{
    read_query("{\"matches\":[{\"id\":\"a\",\"score\":1}]}");
    ck_assert_ptr_null(row(0)->text);
    ck_assert_ptr_null(row(0)->payload);
}
END_TEST

START_TEST(null_text_and_metadata_count_as_absent)
{
    read_query("{\"matches\":[{\"id\":\"a\",\"text\":null,"
               "\"metadata\":null,\"score\":1}]}");
    ck_assert_ptr_null(row(0)->text);
    ck_assert_uint_eq(row(0)->text_len, 0);
    ck_assert_ptr_null(row(0)->payload);
    ck_assert_uint_eq(row(0)->payload_len, 0);
}
END_TEST

START_TEST(a_text_may_hold_nuls)
{
    read_query("{\"matches\":[{\"id\":\"a\\u0000b\",\"score\":1,"
               "\"text\":\"c\\u0000\"}]}");
    ck_assert_uint_eq(row(0)->id.len, 3);
    ck_assert_mem_eq(row(0)->id.text, "a\0b", 4);
    ck_assert_uint_eq(row(0)->text_len, 2);
    ck_assert_mem_eq(row(0)->text, "c\0", 3);
}
END_TEST

START_TEST(a_hundred_matches_keep_their_texts_apart)
{
    static char json[16384];
    char text[32];
    size_t at = (size_t)snprintf(json, sizeof(json), "{\"matches\":[");

    for (int i = 0; i < 100; i++)
        at += (size_t)snprintf(json + at, sizeof(json) - at,
                               "%s{\"score\":%d,\"id\":\"row-%d\","
                               "\"metadata\":{\"n\":%d},\"text\":\"t%d\"}",
                               i == 0 ? "" : ",", i, i, i, i);
    snprintf(json + at, sizeof(json) - at, "]}");
    read_query(json);
    ck_assert_uint_eq(vecwire_reply_count(reply), 100);
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof(text), "row-%d", i);
        ck_assert_str_eq(row((size_t)i)->id.text, text);
        snprintf(text, sizeof(text), "t%d", i);
        ck_assert_str_eq(row((size_t)i)->text, text);
        snprintf(text, sizeof(text), "{\"n\":%d}", i);
        ck_assert_str_eq(row((size_t)i)->payload, text);
        ck_assert(row((size_t)i)->score == (float)i);
    }
}
END_TEST

/* --- what is no answer to a query --- */

static const struct {
    const char *json;
    enum vecwire__json_rc rc;
    const char *fault; /* of the sink */
} bad[] = {
    {"", VECWIRE__JSON_EEND, NULL},
    {"{\"matches\":[{\"id\":\"a\",\"score\":1}", VECWIRE__JSON_EEND, NULL},
    {"<html>", VECWIRE__JSON_EGRAMMAR, NULL},
    {"[]", VECWIRE__JSON_ETYPE, NULL},
    {"{\"matches\":{}}", VECWIRE__JSON_ETYPE, NULL},
    {"{\"matches\":null}", VECWIRE__JSON_ETYPE, NULL},
    {"{\"matches\":[1]}", VECWIRE__JSON_ETYPE, NULL},
    {"{\"matches\":[null]}", VECWIRE__JSON_ETYPE, NULL},
    {"{\"matches\":[{\"id\":1,\"score\":1}]}", VECWIRE__JSON_ETYPE, NULL},
    {"{\"matches\":[{\"id\":null,\"score\":1}]}", VECWIRE__JSON_ETYPE, NULL},
    {"{\"matches\":[{\"id\":\"a\",\"score\":\"1\"}]}", VECWIRE__JSON_ETYPE,
     NULL},
    {"{\"matches\":[{\"id\":\"a\",\"score\":1,\"text\":1}]}",
     VECWIRE__JSON_ETYPE, NULL},
    {"{\"matches\":[{\"id\":\"a\",\"score\":1,\"metadata\":[]}]}",
     VECWIRE__JSON_ETYPE, NULL},
    {"{\"matches\":[{\"id\":\"a\",\"score\":1e39}]}", VECWIRE__JSON_ERANGE,
     NULL},
    {"{\"matches\":[{\"id\":\"a\",\"id\":\"b\",\"score\":1}]}",
     VECWIRE__JSON_ETWICE, NULL},
    {"{\"matches\":[{\"id\":\"a\",\"score\":1,\"score\":1}]}",
     VECWIRE__JSON_ETWICE, NULL},
    {"{\"matches\":[],\"matches\":[]}", VECWIRE__JSON_ETWICE, NULL},
    {"{\"matches\":[{\"score\":1}]}", VECWIRE__JSON_ESINK,
     "a match lacks its \"id\""},
    {"{\"matches\":[{\"id\":\"a\",\"score\":1},{\"id\":\"b\"}]}",
     VECWIRE__JSON_ESINK, "a match lacks its \"score\""}};
#define N_BAD ((int)(sizeof(bad) / sizeof(bad[0])))

START_TEST(a_reply_that_is_wrong_says_what_is)
{
    ck_assert_int_eq(
        read_in(&vecwire__hms_query_decoding, bad[_i].json, SIZE_MAX),
        bad[_i].rc);
    ck_assert_pstr_eq(reply->fault, bad[_i].fault);
}
END_TEST

START_TEST(a_reply_that_is_wrong_is_so_byte_by_byte)
{
    ck_assert_int_eq(read_in(&vecwire__hms_query_decoding, bad[_i].json, 1),
                     bad[_i].rc);
    ck_assert_pstr_eq(reply->fault, bad[_i].fault);
}
END_TEST

START_TEST(an_object_without_its_key_is_no_answer)
{
    static const char *const required[] = {"matches", "added", "deleted"};
    static const struct vecwire__decoding *const all[] = {
        &vecwire__hms_query_decoding, &vecwire__hms_upsert_decoding,
        &vecwire__hms_delete_decoding};

    ck_assert_int_eq(read_in(all[_i], "{\"other\":[]}", SIZE_MAX),
                     VECWIRE__JSON_DONE);
    ck_assert(!reply->answered);
    ck_assert_str_eq(all[_i]->required, required[_i]);
}
END_TEST

/* --- writes --- */

static const struct {
    const struct vecwire__decoding *how;
    const char *json;
    enum vecwire__json_rc rc;
    uint64_t affected;
} writes[] = {
    {&vecwire__hms_upsert_decoding, "{\"added\":1}", VECWIRE__JSON_DONE, 1},
    {&vecwire__hms_upsert_decoding, "{\"ms\":2,\"added\":1000}",
     VECWIRE__JSON_DONE, 1000},
    {&vecwire__hms_upsert_decoding, "{\"added\":-1}", VECWIRE__JSON_ETYPE, 0},
    {&vecwire__hms_upsert_decoding, "{\"added\":true}", VECWIRE__JSON_ETYPE, 0},
    {&vecwire__hms_upsert_decoding, "{\"added\":null}", VECWIRE__JSON_ETYPE, 0},
    {&vecwire__hms_delete_decoding, "{\"deleted\":true}", VECWIRE__JSON_DONE,
     1},
    {&vecwire__hms_delete_decoding, "{\"deleted\":false}", VECWIRE__JSON_DONE,
     0},
    {&vecwire__hms_delete_decoding, "{\"deleted\":1}", VECWIRE__JSON_ETYPE, 0}};
#define N_WRITES ((int)(sizeof(writes) / sizeof(writes[0])))

START_TEST(a_write_tells_how_many_rows_it_touched)
{
    ck_assert_int_eq(read_in(writes[_i].how, writes[_i].json, 1),
                     writes[_i].rc);
    ck_assert_uint_eq(vecwire_reply_affected(reply), writes[_i].affected);
    ck_assert(reply->answered == (writes[_i].rc == VECWIRE__JSON_DONE));
}
END_TEST

/* --- error bodies --- */

static void
take_error(const char *body)
{
    ck_assert(vecwire__buf_str(&reply->body, body));
    vecwire__dialect_hms.server_error(reply, &found);
}

START_TEST(an_error_body_gives_code_and_text)
{
    take_error("{\"error\":{\"message\":\"dim \\u201c3\\u201d\","
               "\"code\":\"invalid_request\"}}");
    ck_assert(found.has_code);
    ck_assert_str_eq(reply->texts.bytes + found.code_at, "invalid_request");
    ck_assert(found.has_text);
    ck_assert_str_eq(reply->texts.bytes + found.text_at, "dim \xe2\x80\x9c"
                                                         "3\xe2\x80\x9d");
}
END_TEST

START_TEST(an_error_body_may_lack_its_text)
{
    take_error("{\"error\":{\"code\":\"internal\",\"message\":null}}");
    ck_assert(found.has_code);
    ck_assert(!found.has_text);
}
END_TEST

static const char *const no_errors[] = {
    "",
    "<html><body>502 Bad Gateway</body></html>",
    "{\"error\":{\"code\":\"x\",\"message\":\"y\"}",
    "{\"error\":{\"code\":\"x\",\"mess",
    "{\"error\":\"x\"}",
    "{\"error\":{\"code\":7,\"message\":\"y\"}}",
    "{\"error\":null}",
    "{}",
    "[]",
    "null"};
#define N_NO_ERRORS ((int)(sizeof(no_errors) / sizeof(no_errors[0])))

START_TEST(what_is_no_error_body_gives_neither)
{
    ck_assert(vecwire__buf_str(&reply->texts, "before"));
    take_error(no_errors[_i]);
    ck_assert(!found.has_code);
    ck_assert(!found.has_text);
    ck_assert_uint_eq(reply->texts.len, 6);
}
END_TEST

/* --- forgiven statuses --- */

static bool
forgives(enum vecwire__verb verb, uint32_t status, const char *body)
{
    reply->status = status;
    reply->affected = 7;
    ck_assert(vecwire__buf_str(&reply->body, body));
    return vecwire__dialect_hms.forgives(verb, reply);
}

#define NOT_FOUND "{\"error\":{\"code\":\"not_found\",\"message\":\"m\"}}"

START_TEST(deleting_what_is_not_there_is_success_with_0)
{
    ck_assert(forgives(VECWIRE__VERB_DELETE, 404, NOT_FOUND));
    ck_assert_uint_eq(reply->affected, 0);
}
END_TEST

START_TEST(no_other_verb_is_forgiven_a_404)
{
    ck_assert(!forgives(_i == 0   ? VECWIRE__VERB_QUERY
                        : _i == 1 ? VECWIRE__VERB_UPSERT
                                  : VECWIRE__VERB_RAW,
                        404, NOT_FOUND));
}
END_TEST

START_TEST(no_other_status_of_a_delete_is_forgiven)
{
    static const uint32_t others[] = {400, 401, 403, 410, 500};

    ck_assert(!forgives(VECWIRE__VERB_DELETE, others[_i], NOT_FOUND));
}
END_TEST

static const char *const other_404s[] = {
    "", "<html>404</html>", "{\"error\":{\"message\":\"not_found\"}}",
    "{\"error\":{\"code\":\"no_route\",\"message\":\"m\"}}",
    "{\"error\":{\"code\":\"not_found\""};

START_TEST(a_404_that_is_not_hms_own_is_not_forgiven)
{
    ck_assert(!forgives(VECWIRE__VERB_DELETE, 404, other_404s[_i]));
}
END_TEST

static void
add_row_tests(TCase *tc)
{
    tcase_add_test(tc, matches_become_rows_in_their_order);
    tcase_add_loop_test(tc, matches_may_come_in_pieces_of_any_size, 1, 40);
    tcase_add_test(tc, no_matches_are_an_answer);
    tcase_add_test(tc, unknown_keys_are_skipped);
    tcase_add_test(tc, a_null_score_is_nan_and_says_so);
    tcase_add_test(tc, a_match_needs_neither_text_nor_metadata);
    tcase_add_test(tc, null_text_and_metadata_count_as_absent);
    tcase_add_test(tc, a_text_may_hold_nuls);
    tcase_add_test(tc, a_hundred_matches_keep_their_texts_apart);
    tcase_add_loop_test(tc, a_reply_that_is_wrong_says_what_is, 0, N_BAD);
    tcase_add_loop_test(tc, a_reply_that_is_wrong_is_so_byte_by_byte, 0, N_BAD);
    tcase_add_loop_test(tc, an_object_without_its_key_is_no_answer, 0, 3);
}

static void
add_other_tests(TCase *tc)
{
    tcase_add_loop_test(tc, a_write_tells_how_many_rows_it_touched, 0,
                        N_WRITES);
    tcase_add_test(tc, an_error_body_gives_code_and_text);
    tcase_add_test(tc, an_error_body_may_lack_its_text);
    tcase_add_loop_test(tc, what_is_no_error_body_gives_neither, 0,
                        N_NO_ERRORS);
    tcase_add_test(tc, deleting_what_is_not_there_is_success_with_0);
    tcase_add_loop_test(tc, no_other_verb_is_forgiven_a_404, 0, 3);
    tcase_add_loop_test(tc, no_other_status_of_a_delete_is_forgiven, 0, 5);
    tcase_add_loop_test(tc, a_404_that_is_not_hms_own_is_not_forgiven, 0, 5);
}

int
main(void)
{
    Suite *suite = suite_create("hms replies");
    TCase *tc = tcase_create("replies");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    add_row_tests(tc);
    add_other_tests(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
