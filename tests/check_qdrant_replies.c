/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's replies, from their bytes to rows: whole, in pieces, and with rows
 * handed out after every piece. */
#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "codec/mem.h"
#include "dialect/qdrant_reply.h"

#define PAGE(points)                                                           \
    "{\"result\":{\"points\":[" points "],\"next_page_offset\":null},"         \
    "\"status\":\"ok\",\"time\":1.2e-5}"

static struct vecwire_reply *reply;
static struct vecwire__json_reader reader;

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

/* --- rows as text, so that two readings can be compared --- */

static char told[16384];
static size_t told_len;

static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void
tell(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    told_len += (size_t)vsnprintf(told + told_len, sizeof(told) - told_len,
                                  format, args);
    va_end(args);
    ck_assert_uint_lt(told_len, sizeof(told));
}

static void
tell_vector(const struct vecwire_vector *vector)
{
    size_t n = vector->dim * (vector->rows == 0 ? 1 : vector->rows);

    tell(" %s=%zux%zu[", vector->name == NULL ? "*" : vector->name,
         vector->rows, vector->dim);
    for (size_t i = 0; i < n; i++)
        tell("%s%.9g", i == 0 ? "" : ",", (double)vector->values[i]);
    tell("]");
    if (vector->indices == NULL)
        return;
    tell("@[");
    for (size_t i = 0; i < vector->dim; i++)
        tell("%s%" PRIu32, i == 0 ? "" : ",", vector->indices[i]);
    tell("]");
}

static void
tell_row(const struct vecwire_row *row)
{
    ck_assert_uint_eq(strlen(row->id.text), row->id.len);
    tell("%s%s", row->id.is_number ? "#" : "", row->id.text);
    if (row->id.is_number)
        tell("=%" PRIu64, row->id.number);
    if ((row->flags & VECWIRE_ROW_HAS_SCORE) != 0)
        tell(" s%.9g", (double)row->score);
    if ((row->flags & VECWIRE_ROW_HAS_NAN) != 0)
        tell(" nan");
    if (row->version != 0)
        tell(" v%" PRIu64, row->version);
    if (row->payload != NULL) {
        ck_assert_uint_eq(strlen(row->payload), row->payload_len);
        tell(" p%s", row->payload);
    }
    if (row->order_value != NULL)
        tell(" o%s", row->order_value);
    if (row->shard_key != NULL)
        tell(" k%s", row->shard_key);
    for (size_t i = 0; i < row->n_vectors; i++) {
        tell_vector(&row->vectors[i]);
        ck_assert_ptr_eq(vecwire_row_vector(row, row->vectors[i].name),
                         &row->vectors[i]);
    }
    if (row->vector != NULL) {
        ck_assert_uint_eq(row->n_vectors, 1);
        ck_assert_ptr_eq(row->vector, row->vectors[0].values);
        ck_assert_uint_eq(row->dim, row->vectors[0].dim);
    }
    tell("\n");
}

static void
tell_rows(size_t n)
{
    vecwire__reply_settle(reply);
    for (size_t i = 0; i < n; i++)
        tell_row(&reply->rows[i]);
}

/* Feed it in pieces of `step` bytes, each in a block of its own size; rows
 * are told and dropped after each when `drops`. What is left is told. */
static enum vecwire__json_rc
read_in(const struct vecwire__decoding *how, const char *json, size_t step,
        bool drops)
{
    size_t len = strlen(json);
    enum vecwire__json_rc rc;

    told_len = 0;
    told[0] = '\0';
    vecwire__reply_reset(reply);
    vecwire__json_init(&reader, how->table, how->sink, reply, &reply->texts,
                       128);
    for (size_t at = 0; at < len; at += step) {
        size_t n = len - at < step ? len - at : step;
        char *piece = malloc(n);

        ck_assert_ptr_nonnull(piece);
        memcpy(piece, json + at, n);
        rc = vecwire__json_feed(&reader, piece, n);
        free(piece);
        if (rc == VECWIRE__JSON_MORE && !vecwire__reply_row_fits(reply))
            return VECWIRE__JSON_ESINK;
        if (drops && reply->n_whole > 0) {
            size_t whole_at = reply->whole_at, moved;

            tell_rows(reply->n_whole);
            moved = vecwire__reply_drop_rows(reply, &reader);
            if (reader.text_at >= whole_at)
                reader.text_at -= moved;
        }
        if (len - at <= step)
            break;
    }
    rc = vecwire__json_finish(&reader);
    if (rc == VECWIRE__JSON_DONE)
        tell_rows(reply->n_rows);
    return rc;
}

/* However it is cut, and whether or not rows are dropped, these are told. */
static void
tells(const struct vecwire__decoding *how, const char *json, const char *rows)
{
    size_t len = strlen(json);

    for (size_t step = 1; step <= len; step += step < 64 ? 1 : 31) {
        ck_assert_int_eq(read_in(how, json, step, false), VECWIRE__JSON_DONE);
        ck_assert_str_eq(told, rows);
        ck_assert(reply->answered);
        ck_assert_int_eq(read_in(how, json, step, true), VECWIRE__JSON_DONE);
        ck_assert_str_eq(told, rows);
    }
    ck_assert_int_eq(read_in(how, json, SIZE_MAX, false), VECWIRE__JSON_DONE);
}

static void
tells_page(const char *json, const char *rows)
{
    tells(&vecwire__qdrant_page_decoding, json, rows);
}

/* However it is cut, this is wrong with it. */
static void
fails(const struct vecwire__decoding *how, const char *json, const char *fault)
{
    for (size_t step = 1; step <= strlen(json); step++) {
        ck_assert_int_eq(read_in(how, json, step, step % 2 == 0),
                         VECWIRE__JSON_ESINK);
        ck_assert_str_eq(reply->fault, fault);
    }
}

/* --- shapes of points --- */

START_TEST(points_have_vectors_of_every_shape)
{
    tells_page(
        PAGE("{\"id\":1,\"vector\":[1,2.5]},"
             "{\"id\":2,\"vector\":[[1,2],[3,4]]},"
             "{\"id\":3,\"vector\":{\"a\":[1],\"b\":[[1],[2]],"
             "\"s\":{\"indices\":[5,4294967295],\"values\":[0.5,-1]}}},"
             "{\"id\":4,\"vector\":{}},{\"id\":5,\"vector\":null},{\"id\":6},"
             "{\"id\":7,\"vector\":{\"\":[7],\"n\":null}}"),
        "#1=1 *=0x2[1,2.5]\n#2=2 *=2x2[1,2,3,4]\n"
        "#3=3 a=0x1[1] b=2x1[1,2] s=0x2[0.5,-1]@[5,4294967295]\n"
        "#4=4\n#5=5\n#6=6\n#7=7 =0x1[7]\n");
}
END_TEST

START_TEST(empty_vectors_are_vectors)
{
    tells_page(PAGE("{\"id\":1,\"vector\":[]},"
                    "{\"id\":2,\"vector\":{\"a\":[],"
                    "\"s\":{\"values\":[],\"indices\":[]}}},"
                    "{\"id\":3,\"vector\":[[]]}"),
               "#1=1 *=0x0[]\n#2=2 a=0x0[] s=0x0[]@[]\n#3=3 *=1x0[]\n");
}
END_TEST

START_TEST(a_sparse_vector_s_keys_come_in_any_order)
{
    tells_page(PAGE("{\"id\":1,\"vector\":{\"s\":{\"values\":[1],\"x\":[9],"
                    "\"indices\":[3]},\"t\":{\"indices\":[4],\"values\":"
                    "[2]}}}"),
               "#1=1 s=0x1[1]@[3] t=0x1[2]@[4]\n");
}
END_TEST

START_TEST(keys_come_in_any_order_and_others_are_skipped)
{
    tells_page("{\"time\":0,\"status\":\"ok\",\"usage\":{\"a\":[{}]},"
               "\"result\":{\"next_page_offset\":null,\"x\":1,\"points\":["
               "{\"vector\":{\"a\":[1]},\"payload\":{\"id\":\"x\"},"
               "\"shard_key\":\"k\",\"order_value\":1.5,\"q\":null,"
               "\"id\":\"u\"},{\"payload\":{},\"vector\":[2],\"id\":9}]}}",
               "u p{\"id\":\"x\"} o1.5 k\"k\" a=0x1[1]\n#9=9 p{} *=0x1[2]\n");
}
END_TEST

START_TEST(hits_have_scores_and_versions)
{
    tells(&vecwire__qdrant_hits_decoding,
          "{\"result\":{\"points\":[{\"id\":18446744073709551615,"
          "\"version\":18446744073709551615,\"score\":0.1},"
          "{\"id\":\"550e8400-e29b-41d4-a716-446655440000\",\"version\":0,"
          "\"score\":null,\"payload\":null,\"shard_key\":12,"
          "\"order_value\":-3}]},\"status\":\"ok\"}",
          "#18446744073709551615=18446744073709551615 s0.100000001 "
          "v18446744073709551615\n"
          "550e8400-e29b-41d4-a716-446655440000 snan nan o-3 k12\n");
}
END_TEST

START_TEST(older_routes_answer_with_a_bare_array)
{
    tells(&vecwire__qdrant_hits_decoding,
          "{\"result\":[{\"id\":1,\"version\":3,\"score\":1.0,\"vector\":[1]}"
          ",{\"id\":2,\"version\":3,\"score\":0.5}],\"status\":\"ok\"}",
          "#1=1 s1 v3 *=0x1[1]\n#2=2 s0.5 v3\n");
    tells(&vecwire__qdrant_page_decoding, "{\"result\":[]}", "");
}
END_TEST

START_TEST(a_point_by_itself_is_a_row)
{
    tells(&vecwire__qdrant_point_decoding,
          "{\"result\":{\"id\":7,\"payload\":{\"a\":\"}\"},\"vector\":{"
          "\"a\":[1,null]}},\"status\":\"ok\",\"time\":0}",
          "#7=7 nan p{\"a\":\"}\"} a=0x2[1,nan]\n");
}
END_TEST

START_TEST(names_and_texts_may_be_escaped)
{
    tells_page(PAGE("{\"id\":\"\\u0061\",\"vector\":{\"\\u00e4\\n\":[1],"
                    "\"a long name, longer than any block of bytes\":[2]}},"
                    "{\"id\":2,\"payload\":{\"\\u0061\": [ 1 , 2 ] }}"),
               "a \xc3\xa4\n=0x1[1] a long name, longer than any block of "
               "bytes=0x1[2]\n#2=2 p{\"\\u0061\": [ 1 , 2 ] }\n");
}
END_TEST

START_TEST(many_rows_with_many_vectors_are_told_whole)
{
    static char json[8192], rows[8192];
    size_t len = 0, n = 0;

    len += (size_t)sprintf(json, "{\"result\":{\"points\":[");
    for (unsigned i = 0; i < 12; i++) {
        len += (size_t)sprintf(
            json + len,
            "%s{\"id\":%u,\"vector\":{\"a\":[%u,%u.5],\"s\":{\"indices\":[%u,"
            "%u],\"values\":[1,2]},\"m\":[[%u],[1]]},\"payload\":{\"n\":%u}}",
            i == 0 ? "" : ",", i, i, i, i, i + 1, i, i);
        n += (size_t)sprintf(rows + n,
                             "#%u=%u p{\"n\":%u} a=0x2[%u,%u.5] s=0x2[1,2]@["
                             "%u,%u] m=2x1[%u,1]\n",
                             i, i, i, i, i, i, i + 1, i);
    }
    sprintf(json + len, "],\"next_page_offset\":12}}");
    tells_page(json, rows);
    ck_assert_str_eq(vecwire_reply_next_offset(reply)->text, "12");
}
END_TEST

/* --- the next offset --- */

static void
next_is(const char *json, const char *text)
{
    for (size_t step = 1; step <= strlen(json); step++) {
        for (int drops = 0; drops < 2; drops++) {
            const struct vecwire_id *next;

            ck_assert_int_eq(
                read_in(&vecwire__qdrant_page_decoding, json, step, drops == 1),
                VECWIRE__JSON_DONE);
            next = vecwire_reply_next_offset(reply);
            ck_assert_ptr_nonnull(next);
            ck_assert_str_eq(next->text, text);
            ck_assert_uint_eq(next->len, strlen(text));
            ck_assert(next->is_number == (text[0] == '1'));
        }
    }
}

START_TEST(the_next_offset_may_stand_before_or_behind_the_points)
{
    next_is("{\"result\":{\"next_page_offset\":18446744073709551615,"
            "\"points\":[{\"id\":1,\"payload\":{}},{\"id\":2}]}}",
            "18446744073709551615");
    next_is("{\"result\":{\"points\":[{\"id\":1,\"payload\":{}},{\"id\":2}],"
            "\"next_page_offset\":\"550e8400-e29b-41d4-a716-446655440000\"}}",
            "550e8400-e29b-41d4-a716-446655440000");
}
END_TEST

START_TEST(the_last_page_has_no_next_offset)
{
    tells_page(PAGE(""), "");
    ck_assert_ptr_null(vecwire_reply_next_offset(reply));
}
END_TEST

/* --- faults --- */

START_TEST(what_a_point_lacks_is_named)
{
    fails(&vecwire__qdrant_page_decoding, PAGE("{\"id\":1},{\"vector\":[1]}"),
          "a point lacks its \"id\"");
    fails(&vecwire__qdrant_hits_decoding, PAGE("{\"id\":1,\"version\":1}"),
          "a point lacks its \"score\"");
    fails(&vecwire__qdrant_point_decoding, "{\"result\":{}}",
          "a point lacks its \"id\"");
}
END_TEST

START_TEST(vectors_that_are_none_are_faults)
{
    static const char *const rows[][2] = {
        {"[[1,2],[1]]", "rows of a multi-vector are of different lengths"},
        {"{\"a\":{\"values\":[1]}}",
         "a sparse vector lacks \"indices\" or \"values\""},
        {"{\"a\":{\"indices\":[1]}}",
         "a sparse vector lacks \"indices\" or \"values\""},
        {"{\"a\":{\"indices\":[1],\"values\":[1,2]}}",
         "a sparse vector has not as many values as indices"},
        {"{\"a\":[1],\"a\":[2]}", "a row has a vector twice"},
        {"{\"a\\u0000\":[1]}", "a vector's name has a NUL"}};
    char json[256];

    snprintf(json, sizeof(json),
             PAGE("{\"id\":1,\"vector\":{\"z\":[1]}},"
                  "{\"id\":1,\"vector\":%s}"),
             rows[_i][0]);
    fails(&vecwire__qdrant_page_decoding, json, rows[_i][1]);
}
END_TEST

START_TEST(other_types_are_refused)
{
    static const char *const points[] = {
        "{\"id\":null}",
        "{\"id\":1.5}",
        "{\"id\":-1}",
        "{\"id\":18446744073709551616}",
        "{\"id\":1,\"id\":1}",
        "{\"id\":1,\"vector\":1}",
        "{\"id\":1,\"vector\":[{}]}",
        "{\"id\":1,\"vector\":[1,[2]]}",
        "{\"id\":1,\"payload\":[]}",
        "{\"id\":1,\"vector\":{\"a\":{\"indices\":[4294967296]}}}",
        "{\"id\":1,\"vector\":{\"a\":{\"indices\":[null],\"values\":[1]}}}",
        "{\"id\":1,\"vector\":{\"a\":{\"indices\":[-1],\"values\":[1]}}}",
        "{\"id\":1,\"version\":\"1\"}",
        "1",
        "null",
        "[]"};
    char json[256];

    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        snprintf(json, sizeof(json), PAGE("%s"), points[i]);
        for (size_t step = 1; step <= strlen(json); step++) {
            enum vecwire__json_rc rc =
                read_in(&vecwire__qdrant_page_decoding, json, step, false);

            ck_assert_msg(rc == VECWIRE__JSON_ETYPE ||
                              rc == VECWIRE__JSON_ERANGE ||
                              rc == VECWIRE__JSON_ETWICE,
                          "%s: %d", points[i], (int)rc);
        }
    }
}
END_TEST

START_TEST(a_reply_without_points_is_no_answer)
{
    static const char *const replies[] = {
        "{}", "{\"result\":{}}", "{\"result\":{\"next_page_offset\":1}}",
        "{\"status\":\"ok\"}"};

    ck_assert_int_eq(
        read_in(&vecwire__qdrant_page_decoding, replies[_i], SIZE_MAX, false),
        VECWIRE__JSON_DONE);
    ck_assert(!reply->answered);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qdrant replies");
    TCase *tests = tcase_create("qdrant replies");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, points_have_vectors_of_every_shape);
    tcase_add_test(tests, empty_vectors_are_vectors);
    tcase_add_test(tests, a_sparse_vector_s_keys_come_in_any_order);
    tcase_add_test(tests, keys_come_in_any_order_and_others_are_skipped);
    tcase_add_test(tests, hits_have_scores_and_versions);
    tcase_add_test(tests, older_routes_answer_with_a_bare_array);
    tcase_add_test(tests, a_point_by_itself_is_a_row);
    tcase_add_test(tests, names_and_texts_may_be_escaped);
    tcase_add_test(tests, many_rows_with_many_vectors_are_told_whole);
    tcase_add_test(tests,
                   the_next_offset_may_stand_before_or_behind_the_points);
    tcase_add_test(tests, the_last_page_has_no_next_offset);
    tcase_add_test(tests, what_a_point_lacks_is_named);
    tcase_add_loop_test(tests, vectors_that_are_none_are_faults, 0, 6);
    tcase_add_test(tests, other_types_are_refused);
    tcase_add_loop_test(tests, a_reply_without_points_is_no_answer, 0, 4);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
