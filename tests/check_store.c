/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/seed.h"
#include "server/store.h"

#define DIM 4

static struct vecwire__store store;
static struct vecwire__tenant *tenant;

static void
set_up(void)
{
    bool full;

    vecwire__store_init(&store, DIM);
    tenant = vecwire__store_open(&store, "default", &full);
    ck_assert_ptr_nonnull(tenant);
}

static void
tear_down(void)
{
    vecwire__store_fini(&store);
}

static void
put(const char *id, float first, const char *text, const char *metadata)
{
    const float vector[DIM] = {first, 1, 2, 3};
    struct vecwire__document document = {.id = id,
                                         .text = text,
                                         .metadata = metadata,
                                         .vector = vector,
                                         .id_len = strlen(id),
                                         .text_len = strlen(text),
                                         .metadata_len = strlen(metadata)};

    ck_assert(vecwire__tenant_upsert(tenant, &document));
}

static void
put_number(size_t number)
{
    char id[32];

    snprintf(id, sizeof(id), "id-%zu", number);
    put(id, (float)number, "", "{}");
}

static size_t
find(const char *id)
{
    return vecwire__tenant_find(tenant, id, strlen(id));
}

START_TEST(a_row_is_found_by_its_id)
{
    put("a", 1, "text", "{}");
    put("b", 2, "text", "{}");
    ck_assert_uint_eq(find("a"), 0);
    ck_assert_uint_eq(find("b"), 1);
    ck_assert_uint_eq(find("c"), SIZE_MAX);
}
END_TEST

START_TEST(an_id_may_hold_a_nul_byte)
{
    const float vector[DIM] = {1, 0, 0, 0};
    struct vecwire__document document = {.id = "a\0b",
                                         .text = "",
                                         .metadata = "{}",
                                         .vector = vector,
                                         .id_len = 3,
                                         .metadata_len = 2};

    ck_assert(vecwire__tenant_upsert(tenant, &document));
    ck_assert_uint_eq(vecwire__tenant_find(tenant, "a\0b", 3), 0);
    ck_assert_uint_eq(vecwire__tenant_find(tenant, "a\0c", 3), SIZE_MAX);
    ck_assert_uint_eq(vecwire__tenant_find(tenant, "a", 1), SIZE_MAX);
}
END_TEST

START_TEST(an_upsert_replaces_everything_of_a_row)
{
    const struct vecwire__record *record;

    put("a", 1, "old text", "{\"old\":1}");
    put("a", 7, "new", "{\"new\":22}");
    record = tenant->records[0];
    ck_assert_uint_eq(tenant->n_rows, 1);
    ck_assert_float_eq(tenant->matrix[0], 7);
    ck_assert_double_eq_tol(tenant->norms[0], sqrt(49 + 1 + 4 + 9), 1e-12);
    ck_assert_uint_eq(record->text_len, 3);
    ck_assert_mem_eq(record->bytes, "anew{\"new\":22}", 14);
}
END_TEST

START_TEST(an_upsert_replaces_the_parsed_metadata)
{
    put("a", 1, "", "{\"n\":1}");
    ck_assert_ptr_nonnull(vecwire__record_tree(tenant->records[0]));
    put("a", 1, "", "{\"n\":2}");
    ck_assert_int_eq(json_integer_value(json_object_get(
                         vecwire__record_tree(tenant->records[0]), "n")),
                     2);
}
END_TEST

START_TEST(the_last_row_takes_the_place_of_a_deleted_one)
{
    put("a", 1, "", "{}");
    put("b", 2, "", "{}");
    put("c", 3, "", "{}");
    ck_assert(vecwire__tenant_delete(tenant, "a", 1));
    ck_assert_uint_eq(tenant->n_rows, 2);
    ck_assert_uint_eq(find("a"), SIZE_MAX);
    ck_assert_uint_eq(find("b"), 1);
    ck_assert_uint_eq(find("c"), 0);
    ck_assert_float_eq(tenant->matrix[0], 3);
    ck_assert_double_eq_tol(tenant->norms[0], sqrt(9 + 1 + 4 + 9), 1e-12);
}
END_TEST

START_TEST(the_last_row_can_be_deleted)
{
    put("a", 1, "", "{}");
    put("b", 2, "", "{}");
    ck_assert(vecwire__tenant_delete(tenant, "b", 1));
    ck_assert(vecwire__tenant_delete(tenant, "a", 1));
    ck_assert_uint_eq(tenant->n_rows, 0);
    ck_assert_uint_eq(find("a"), SIZE_MAX);
}
END_TEST

START_TEST(deleting_an_unknown_id_changes_nothing)
{
    put("a", 1, "", "{}");
    ck_assert(!vecwire__tenant_delete(tenant, "b", 1));
    ck_assert_uint_eq(tenant->n_rows, 1);
}
END_TEST

/* Against a plain table of which ids are there. */
START_TEST(many_random_writes_and_deletes_keep_every_row_findable)
{
    enum { N = 500 };
    bool there[N] = {false};
    size_t n_there = 0;
    uint64_t state = 11;

    for (int i = 0; i < 20000; i++) {
        size_t number = vecwire__seed_next(&state) % N;
        char id[32];

        snprintf(id, sizeof(id), "id-%zu", number);
        if (vecwire__seed_next(&state) % 2 == 0) {
            put_number(number);
            n_there += !there[number];
            there[number] = true;
        } else {
            ck_assert(vecwire__tenant_delete(tenant, id, strlen(id)) ==
                      there[number]);
            n_there -= there[number];
            there[number] = false;
        }
        ck_assert_uint_eq(tenant->n_rows, n_there);
    }
    for (size_t number = 0; number < N; number++) {
        char id[32];
        size_t row;

        snprintf(id, sizeof(id), "id-%zu", number);
        row = find(id);
        ck_assert((row != SIZE_MAX) == there[number]);
        if (row != SIZE_MAX)
            ck_assert_float_eq(tenant->matrix[row * DIM], (float)number);
    }
}
END_TEST

START_TEST(ids_that_differ_in_one_byte_spread_over_the_table)
{
    enum { N = 4096, BINS = 256 };
    size_t bins[BINS] = {0};

    for (size_t i = 0; i < N; i++) {
        char id[32];

        snprintf(id, sizeof(id), "row-%zu", i);
        bins[vecwire__id_hash(id, strlen(id)) % BINS]++;
    }
    for (size_t i = 0; i < BINS; i++)
        ck_assert_uint_lt(bins[i], 64); /* 16 is the mean */
}
END_TEST

START_TEST(tenants_do_not_see_each_others_rows)
{
    bool full;

    put("a", 1, "", "{}");
    tenant = vecwire__store_open(&store, "other", &full);
    ck_assert_uint_eq(find("a"), SIZE_MAX);
    ck_assert_ptr_eq(vecwire__store_find(&store, "other"), tenant);
    ck_assert_ptr_ne(vecwire__store_find(&store, "default"), tenant);
}
END_TEST

START_TEST(names_of_tenants_are_case_sensitive)
{
    ck_assert_ptr_null(vecwire__store_find(&store, "Default"));
}
END_TEST

START_TEST(the_65th_tenant_is_refused)
{
    bool full;
    char name[32];

    for (int i = 1; i < VECWIRE__STORE_TENANTS; i++) {
        snprintf(name, sizeof(name), "t%d", i);
        ck_assert_ptr_nonnull(vecwire__store_open(&store, name, &full));
        ck_assert(!full);
    }
    ck_assert_ptr_null(vecwire__store_open(&store, "one-more", &full));
    ck_assert(full);
    ck_assert_ptr_nonnull(vecwire__store_open(&store, "t1", &full));
    ck_assert(!full);
}
END_TEST

START_TEST(a_name_of_64_characters_is_kept_whole)
{
    char name[65];
    bool full;

    memset(name, 'x', 64);
    name[64] = '\0';
    ck_assert_ptr_nonnull(vecwire__store_open(&store, name, &full));
    ck_assert_ptr_nonnull(vecwire__store_find(&store, name));
    name[63] = 'y';
    ck_assert_ptr_null(vecwire__store_find(&store, name));
}
END_TEST

START_TEST(splitmix64_gives_its_known_numbers)
{
    uint64_t state = 1234567;

    ck_assert_uint_eq(vecwire__seed_next(&state), 6457827717110365317U);
    ck_assert_uint_eq(vecwire__seed_next(&state), 3203168211198807973U);
    ck_assert_uint_eq(vecwire__seed_next(&state), 9817491932198370423U);
}
END_TEST

START_TEST(seed_rows_have_ids_texts_and_metadata_by_number)
{
    const struct vecwire__record *record;

    ck_assert(vecwire__seed_rows(tenant, 20, 0));
    ck_assert_uint_eq(tenant->n_rows, 20);
    record = tenant->records[find("row-17")];
    ck_assert_uint_eq(record->id_len + record->text_len + record->metadata_len,
                      6 + 6 + 23);
    ck_assert_mem_eq(record->bytes, "row-17row 17{\"n\":17,\"parity\":\"odd\"}",
                     35);
}
END_TEST

START_TEST(seed_rows_are_the_same_every_time)
{
    float vector[DIM];
    uint64_t state = 1;

    ck_assert(vecwire__seed_rows(tenant, 3, 0));
    for (size_t row = 0; row < 3; row++) {
        vecwire__seed_vector(&state, vector, DIM);
        ck_assert_mem_eq(vector, tenant->matrix + row * DIM, sizeof(vector));
    }
}
END_TEST

START_TEST(seed_vectors_have_length_1)
{
    ck_assert(vecwire__seed_rows(tenant, 50, 0));
    for (size_t row = 0; row < 50; row++)
        ck_assert_double_eq_tol(tenant->norms[row], 1, 1e-6);
}
END_TEST

START_TEST(seed_texts_have_the_length_asked_for)
{
    static const size_t lengths[] = {1, 5, 6, 1000};
    const struct vecwire__record *record;
    size_t bytes = lengths[_i];

    ck_assert(vecwire__seed_rows(tenant, 12, bytes));
    record = tenant->records[11];
    ck_assert_uint_eq(record->text_len, bytes);
    ck_assert_mem_eq(record->bytes + 6, "row 11",
                     bytes < 6 ? bytes : (size_t)6);
    if (bytes > 6)
        ck_assert_int_eq(record->bytes[6 + bytes - 1], '.');
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("store");
    TCase *tc = tcase_create("store");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, a_row_is_found_by_its_id);
    tcase_add_test(tc, an_id_may_hold_a_nul_byte);
    tcase_add_test(tc, an_upsert_replaces_everything_of_a_row);
    tcase_add_test(tc, an_upsert_replaces_the_parsed_metadata);
    tcase_add_test(tc, the_last_row_takes_the_place_of_a_deleted_one);
    tcase_add_test(tc, the_last_row_can_be_deleted);
    tcase_add_test(tc, deleting_an_unknown_id_changes_nothing);
    tcase_add_test(tc, many_random_writes_and_deletes_keep_every_row_findable);
    tcase_add_test(tc, ids_that_differ_in_one_byte_spread_over_the_table);
    tcase_add_test(tc, tenants_do_not_see_each_others_rows);
    tcase_add_test(tc, names_of_tenants_are_case_sensitive);
    tcase_add_test(tc, the_65th_tenant_is_refused);
    tcase_add_test(tc, a_name_of_64_characters_is_kept_whole);
    tcase_add_test(tc, splitmix64_gives_its_known_numbers);
    tcase_add_test(tc, seed_rows_have_ids_texts_and_metadata_by_number);
    tcase_add_test(tc, seed_rows_are_the_same_every_time);
    tcase_add_test(tc, seed_vectors_have_length_1);
    tcase_add_loop_test(tc, seed_texts_have_the_length_asked_for, 0, 4);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
