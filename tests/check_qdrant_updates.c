/* SPDX-License-Identifier: Apache-2.0 */
/* Updates of Qdrant's: what is sent, what is refused, what comes of them. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/qdrant_fixture.h"

#define UPSERT vecwire__qdrant_encode_upsert
#define PAYLOAD vecwire__qdrant_encode_payload
#define UPDATE_VECTORS vecwire__qdrant_encode_update_vectors
#define DELETE_VECTORS vecwire__qdrant_encode_delete_vectors
#define C "/collections/c"

static struct qdrant_fixture f;
static const uint64_t numbers[] = {7, UINT64_MAX};
static const float matrix[] = {1, 2, 3, 4};
static const uint32_t indices[] = {5, 1};
static const struct vecwire_vector plain = {.values = matrix, .dim = 2};
static const struct vecwire_vector sparse = {
    .values = matrix, .indices = indices, .dim = 2};
static const struct vecwire_vector named[] = {
    {.name = "a", .values = matrix, .dim = 1},
    {.name = "m", .values = matrix, .dim = 1, .rows = 2}};

static void
setup(void)
{
    qdrant_begin(&f);
}

static void
teardown(void)
{
    qdrant_end(&f);
}

/* --- upserts --- */

START_TEST(rows_of_a_matrix_are_points)
{
    static const char *const payloads[] = {"{\"a\": 1}", NULL};

    QDRANT_SENDS(&f, UPSERT,
                 &VECWIRE_UPSERT(.matrix = matrix, .rows = 2, .dim = 2,
                                 .numbers = numbers, .payloads = payloads),
                 C "/points",
                 "{\"points\":[{\"id\":7,\"vector\":[1,2],\"payload\":"
                 "{\"a\": 1}},{\"id\":18446744073709551615,\"vector\":"
                 "[3,4]}]}");
    QDRANT_SENDS(&f, UPSERT,
                 &VECWIRE_UPSERT(.matrix = matrix, .rows = 1, .dim = 2,
                                 .numbers = numbers, .vector_name = "a b"),
                 C "/points",
                 "{\"points\":[{\"id\":7,\"vector\":{\"a b\":[1,2]}}]}");
    QDRANT_SENDS(&f, UPSERT, &VECWIRE_UPSERT(.rows = 1, .numbers = numbers),
                 C "/points", "{\"points\":[{\"id\":7,\"vector\":{}}]}");
}
END_TEST

START_TEST(rows_have_vectors_of_any_kind)
{
    const struct vecwire_vectors rows[] = {
        {&plain, 1}, {&sparse, 1}, {named, 2}, {NULL, 0}};
    const char *const ids[] = {"1", "2", "3",
                               "{550E8400-e29b-41d4-a716-446655440000}"};

    QDRANT_SENDS(&f, UPSERT,
                 &VECWIRE_UPSERT(.vectors = rows, .rows = 4, .ids = ids),
                 C "/points",
                 "{\"points\":[{\"id\":1,\"vector\":[1,2]},{\"id\":2,"
                 "\"vector\":{\"\":{\"indices\":[5,1],\"values\":[1,2]}}},"
                 "{\"id\":3,\"vector\":{\"a\":[1],\"m\":[[1],[2]]}},"
                 "{\"id\":\"550e8400-e29b-41d4-a716-446655440000\","
                 "\"vector\":{}}]}");
}
END_TEST

START_TEST(an_upsert_may_have_conditions)
{
    f.settings.qdrant = &f.params;
    f.params.update_mode = VECWIRE_QDRANT_INSERT_ONLY;
    f.params.update_filter = "{\"must\":[]}";
    f.params.shard_key = "\"k\"";
    QDRANT_SENDS(&f, UPSERT, &VECWIRE_UPSERT(.rows = 1, .numbers = numbers),
                 C "/points",
                 "{\"update_mode\":\"insert_only\",\"update_filter\":"
                 "{\"must\":[]},\"points\":[{\"id\":7,\"vector\":{}}],"
                 "\"shard_key\":\"k\"}");
    f.params.update_mode = 3;
    QDRANT_REFUSES(&f, UPSERT, &VECWIRE_UPSERT(.rows = 1, .numbers = numbers),
                   VECWIRE_EINVAL, SIZE_MAX, "params.update_mode is 3");
    f.params.update_mode = 0;
    f.params.update_filter = "{\"filters\":[]}";
    QDRANT_REFUSES(&f, UPSERT, &VECWIRE_UPSERT(.rows = 1, .numbers = numbers),
                   VECWIRE_EINVAL, SIZE_MAX,
                   "filter: a key that neither filters nor conditions have");
}
END_TEST

START_TEST(rows_that_are_none_are_refused_with_their_place)
{
    const float bad[] = {1, 2, 3, NAN};
    const struct vecwire_vector twice[] = {named[0], named[0]};
    const struct vecwire_vectors doubled[] = {{&plain, 1}, {twice, 2}};
    const struct vecwire_vectors no_list[] = {{&plain, 1}, {NULL, 2}};
    static const char *const payloads[] = {"{}", "[1]"};

    QDRANT_REFUSES(
        &f, UPSERT,
        &VECWIRE_UPSERT(.matrix = bad, .rows = 2, .dim = 2, .numbers = numbers),
        VECWIRE_EINVAL, 1, "row 1: coordinate 1 is NaN or infinite");
    QDRANT_REFUSES(
        &f, UPSERT,
        &VECWIRE_UPSERT(.vectors = doubled, .rows = 2, .numbers = numbers),
        VECWIRE_EINVAL, 1, "row 1: two vectors of the same name");
    QDRANT_REFUSES(
        &f, UPSERT,
        &VECWIRE_UPSERT(.vectors = no_list, .rows = 2, .numbers = numbers),
        VECWIRE_EINVAL, 1, "row 1: vectors: list is NULL, n is 2");
    QDRANT_REFUSES(
        &f, UPSERT,
        &VECWIRE_UPSERT(.rows = 2, .numbers = numbers, .payloads = payloads),
        VECWIRE_EINVAL, 1, "row 1: payload: expected an object ");
}
END_TEST

START_TEST(upserts_that_are_none_are_refused)
{
    static const char *const texts[] = {"a"};
    const struct vecwire_vectors rows[] = {{&plain, 1}};

    QDRANT_REFUSES(&f, UPSERT, &VECWIRE_UPSERT(.rows = 1), VECWIRE_EINVAL,
                   SIZE_MAX, "expected either ids or numbers, one a row");
    QDRANT_REFUSES(&f, UPSERT, &VECWIRE_UPSERT(.numbers = numbers),
                   VECWIRE_EINVAL, SIZE_MAX, "rows is 0, expected at least 1");
    QDRANT_REFUSES(
        &f, UPSERT,
        &VECWIRE_UPSERT(.rows = 1, .numbers = numbers, .texts = texts),
        VECWIRE_EINVAL, SIZE_MAX, "texts: Qdrant has none beside the payload");
    QDRANT_REFUSES(&f, UPSERT,
                   &VECWIRE_UPSERT(.rows = 1, .numbers = numbers,
                                   .vectors = rows, .dim = 2),
                   VECWIRE_EINVAL, SIZE_MAX,
                   "expected either vectors or a matrix");
    QDRANT_REFUSES(&f, UPSERT,
                   &VECWIRE_UPSERT(.rows = 1, .numbers = numbers, .dim = 2),
                   VECWIRE_EINVAL, SIZE_MAX, "matrix is NULL");
}
END_TEST

static void
sends_columns(const struct vecwire_upsert_request *upsert, const char *body)
{
    f.settings.qdrant = &f.params;
    f.params.by_columns = true;
    QDRANT_SENDS(&f, UPSERT, upsert, C "/points", body);
}

START_TEST(an_upsert_may_go_by_columns)
{
    static const char *const payloads[] = {NULL, "{}"};
    const struct vecwire_vectors both[] = {{named, 2}, {named, 2}};
    const struct vecwire_vectors one[] = {{&plain, 1}, {&plain, 1}};
    const struct vecwire_vectors words[] = {{&sparse, 1}, {&sparse, 1}};

    sends_columns(&VECWIRE_UPSERT(.matrix = matrix, .rows = 2, .dim = 2,
                                  .numbers = numbers, .payloads = payloads),
                  "{\"batch\":{\"ids\":[7,18446744073709551615],\"vectors\":"
                  "[[1,2],[3,4]],\"payloads\":[null,{}]}}");
    sends_columns(&VECWIRE_UPSERT(.matrix = matrix, .rows = 2, .dim = 2,
                                  .numbers = numbers, .vector_name = "v"),
                  "{\"batch\":{\"ids\":[7,18446744073709551615],\"vectors\":"
                  "{\"v\":[[1,2],[3,4]]}}}");
    sends_columns(
        &VECWIRE_UPSERT(.vectors = both, .rows = 2, .numbers = numbers),
        "{\"batch\":{\"ids\":[7,18446744073709551615],\"vectors\":"
        "{\"a\":[[1],[1]],\"m\":[[[1],[2]],[[1],[2]]]}}}");
    sends_columns(
        &VECWIRE_UPSERT(.vectors = one, .rows = 2, .numbers = numbers),
        "{\"batch\":{\"ids\":[7,18446744073709551615],\"vectors\":"
        "[[1,2],[1,2]]}}");
    /* There is no column of these without a name. */
    sends_columns(
        &VECWIRE_UPSERT(.vectors = words, .rows = 2, .numbers = numbers),
        "{\"batch\":{\"ids\":[7,18446744073709551615],\"vectors\":{\"\":["
        "{\"indices\":[5,1],\"values\":[1,2]},"
        "{\"indices\":[5,1],\"values\":[1,2]}]}}}");
}
END_TEST

START_TEST(rows_that_differ_have_no_columns)
{
    const struct vecwire_vectors mixed[] = {{named, 2}, {named, 1}};
    const struct vecwire_vectors other[] = {{&plain, 1}, {named, 1}};
    const struct vecwire_vectors no_list[] = {{NULL, 1}, {&plain, 1}};
    const struct vecwire_vectors no_second[] = {{&plain, 1}, {NULL, 1}};
    static const char columns[] =
        "row 1: other vectors than row 0 has: there are no columns of them";

    f.settings.qdrant = &f.params;
    f.params.by_columns = true;
    QDRANT_REFUSES(
        &f, UPSERT,
        &VECWIRE_UPSERT(.vectors = mixed, .rows = 2, .numbers = numbers),
        VECWIRE_EINVAL, 1, columns);
    QDRANT_REFUSES(
        &f, UPSERT,
        &VECWIRE_UPSERT(.vectors = other, .rows = 2, .numbers = numbers),
        VECWIRE_EINVAL, 1, columns);
    QDRANT_REFUSES(
        &f, UPSERT,
        &VECWIRE_UPSERT(.vectors = no_list, .rows = 2, .numbers = numbers),
        VECWIRE_EINVAL, 0, "row 0: no vectors: by_columns needs them");
    QDRANT_REFUSES(
        &f, UPSERT,
        &VECWIRE_UPSERT(.vectors = no_second, .rows = 2, .numbers = numbers),
        VECWIRE_EINVAL, 1, "row 1: no vectors: by_columns needs them");
    QDRANT_REFUSES(&f, UPSERT, &VECWIRE_UPSERT(.rows = 2, .numbers = numbers),
                   VECWIRE_EINVAL, SIZE_MAX,
                   "by_columns: there are no vectors");
}
END_TEST

START_TEST(a_body_over_32_mib_is_refused)
{
    const size_t len = (size_t)32 << 20;
    char *payload = malloc(len + 1);
    const char *const payloads[] = {payload};

    ck_assert_ptr_nonnull(payload);
    memset(payload, 'a', len);
    memcpy(payload, "{\"a\":\"", 6);
    memcpy(payload + len - 2, "\"}", 3);
    for (int by_columns = 0; by_columns < 2; by_columns++) {
        f.settings.qdrant = &f.params;
        f.params.by_columns = by_columns == 1;
        QDRANT_REFUSES(
            &f, UPSERT,
            &VECWIRE_UPSERT(.matrix = matrix, .dim = 1, .rows = 1,
                            .numbers = numbers, .payloads = payloads),
            VECWIRE_ETOOBIG, by_columns == 1 ? 0 : SIZE_MAX,
            by_columns == 1 ? "row 0: body of more than 33554432 bytes, which "
                              "is all that Qdrant takes"
                            : "body of more than 33554432 bytes, which is all "
                              "that Qdrant takes");
    }
    free(payload);
}
END_TEST

/* --- payloads and vectors --- */

START_TEST(payloads_are_set_overwritten_deleted_and_cleared)
{
    static const char *const keys[] = {"a.b", "c[0]"};
    const struct vecwire_qdrant_points points = {.numbers = numbers, .n = 1};

    QDRANT_SENDS(&f, PAYLOAD,
                 &VECWIRE_QDRANT_PAYLOAD(.points = points,
                                         .change = VECWIRE_QDRANT_SET_PAYLOAD,
                                         .payload = "{}", .key = "a[]"),
                 C "/points/payload",
                 "{\"payload\":{},\"key\":\"a[]\",\"points\":[7]}");
    QDRANT_SENDS(
        &f, PAYLOAD,
        &VECWIRE_QDRANT_PAYLOAD(.points = {.filter = "{\"must\":[{\"has_id\":"
                                                     "[1]}]}"},
                                .change = VECWIRE_QDRANT_OVERWRITE_PAYLOAD,
                                .payload = "{\"a\":1}"),
        C "/points/payload",
        "{\"payload\":{\"a\":1},\"filter\":{\"must\":[{\"has_id\":[1]}]}}");
    QDRANT_SENDS(
        &f, PAYLOAD,
        &VECWIRE_QDRANT_PAYLOAD(.points = {.everything = true}, .keys = keys,
                                .n_keys = 2,
                                .change = VECWIRE_QDRANT_DELETE_PAYLOAD),
        C "/points/payload/delete",
        "{\"keys\":[\"a.b\",\"c[0]\"],\"filter\":{}}");
    QDRANT_SENDS(
        &f, PAYLOAD,
        &VECWIRE_QDRANT_PAYLOAD(.points = points,
                                .change = VECWIRE_QDRANT_CLEAR_PAYLOAD),
        C "/points/payload/clear", "{\"points\":[7]}");
}
END_TEST

START_TEST(changes_of_payloads_that_are_none_are_refused)
{
    const struct vecwire_qdrant_points points = {.numbers = numbers, .n = 1};

    QDRANT_REFUSES(&f, PAYLOAD, &VECWIRE_QDRANT_PAYLOAD(.points = points),
                   VECWIRE_EINVAL, SIZE_MAX,
                   "change is 0, expected one of enum "
                   "vecwire_qdrant_payload_change");
    QDRANT_REFUSES(
        &f, PAYLOAD,
        &VECWIRE_QDRANT_PAYLOAD(.points = points, .payload = "{}",
                                .change = VECWIRE_QDRANT_CLEAR_PAYLOAD),
        VECWIRE_EINVAL, SIZE_MAX, "payload and key go with set and overwrite");
    QDRANT_REFUSES(
        &f, PAYLOAD,
        &VECWIRE_QDRANT_PAYLOAD(.points = points,
                                .change = VECWIRE_QDRANT_DELETE_PAYLOAD),
        VECWIRE_EINVAL, SIZE_MAX, "no keys, expected at least 1");
    QDRANT_REFUSES(
        &f, PAYLOAD,
        &VECWIRE_QDRANT_PAYLOAD(.points = points,
                                .change = VECWIRE_QDRANT_SET_PAYLOAD),
        VECWIRE_EINVAL, SIZE_MAX, "payload is NULL, expected JSON");
    QDRANT_REFUSES(
        &f, PAYLOAD,
        &VECWIRE_QDRANT_PAYLOAD(.payload = "{}",
                                .change = VECWIRE_QDRANT_SET_PAYLOAD),
        VECWIRE_EINVAL, SIZE_MAX,
        "no points: expected ids, numbers, a filter or `everything`");
}
END_TEST

START_TEST(vectors_are_updated_and_deleted)
{
    static const char *const names[] = {"a", "", NULL};
    const struct vecwire_vectors none[] = {{named, 1}, {NULL, 0}};

    QDRANT_SENDS(&f, UPDATE_VECTORS,
                 &VECWIRE_UPSERT(.matrix = matrix, .rows = 1, .dim = 2,
                                 .numbers = numbers),
                 C "/points/vectors",
                 "{\"points\":[{\"id\":7,\"vector\":[1,2]}]}");
    QDRANT_REFUSES(
        &f, UPDATE_VECTORS,
        &VECWIRE_UPSERT(.vectors = none, .rows = 2, .numbers = numbers),
        VECWIRE_EINVAL, 1, "row 1: there are no vectors");
    QDRANT_SENDS(
        &f, DELETE_VECTORS,
        &VECWIRE_QDRANT_DELETE_VECTORS(.points = {.numbers = numbers, .n = 2},
                                       .names = names, .n_names = 3),
        C "/points/vectors/delete",
        "{\"vector\":[\"a\",\"\",\"\"],"
        "\"points\":[7,18446744073709551615]}");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qdrant updates");
    TCase *tests = tcase_create("qdrant updates");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, rows_of_a_matrix_are_points);
    tcase_add_test(tests, rows_have_vectors_of_any_kind);
    tcase_add_test(tests, an_upsert_may_have_conditions);
    tcase_add_test(tests, rows_that_are_none_are_refused_with_their_place);
    tcase_add_test(tests, upserts_that_are_none_are_refused);
    tcase_add_test(tests, an_upsert_may_go_by_columns);
    tcase_add_test(tests, rows_that_differ_have_no_columns);
    tcase_add_test(tests, a_body_over_32_mib_is_refused);
    tcase_add_test(tests, payloads_are_set_overwritten_deleted_and_cleared);
    tcase_add_test(tests, changes_of_payloads_that_are_none_are_refused);
    tcase_add_test(tests, vectors_are_updated_and_deleted);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
