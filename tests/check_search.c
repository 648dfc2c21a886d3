/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/dot.h"
#include "server/search.h"
#include "server/seed.h"
#include "server/store.h"

#define MAX_DIM 300
#define N_ROWS 400

static struct vecwire__store store;
static struct vecwire__tenant *tenant;
static struct vecwire__hit hits[N_ROWS + 1];
static size_t n_hits;

static void
open_tenant(size_t dim)
{
    bool full;

    vecwire__store_init(&store, dim);
    tenant = vecwire__store_open(&store, "default", &full);
    ck_assert_ptr_nonnull(tenant);
}

static void
tear_down(void)
{
    vecwire__store_fini(&store);
}

static void
put(const char *id, const float *vector, const char *metadata)
{
    struct vecwire__document document = {.id = id,
                                         .text = "",
                                         .metadata = metadata,
                                         .vector = vector,
                                         .id_len = strlen(id),
                                         .metadata_len = strlen(metadata)};

    ck_assert(vecwire__tenant_upsert(tenant, &document));
}

static vecwire__dot
best_kernel(void)
{
    size_t n;

    return vecwire__dot_kernels(&n)[0].dot;
}

static void
search(const float *query, const char *filter, size_t top_k)
{
    struct vecwire__search request = {
        .query = query, .top_k = top_k, .dot = best_kernel()};

    if (filter != NULL) {
        request.filter = json_loads(filter, 0, NULL);
        ck_assert_ptr_nonnull(request.filter);
    }
    ck_assert(vecwire__search_run(tenant, &request, hits, &n_hits));
    json_decref(request.filter);
}

/* Every length, and every alignment of both sides. */
START_TEST(every_kernel_agrees_with_double_arithmetic)
{
    float a[MAX_DIM + 8], b[MAX_DIM + 8];
    uint64_t state = 5;
    size_t n_kernels;
    const struct vecwire__dot_kernel *kernels =
        vecwire__dot_kernels(&n_kernels);

    vecwire__seed_vector(&state, a, MAX_DIM + 8);
    vecwire__seed_vector(&state, b, MAX_DIM + 8);
    for (size_t k = 0; k < n_kernels; k++) {
        for (size_t n = 0; n <= MAX_DIM; n++) {
            const float *from = a + n % 5, *with = b + n % 7;

            ck_assert_double_eq_tol((double)kernels[k].dot(from, with, n),
                                    vecwire__dot_exact(from, with, n), 1e-6);
        }
    }
}
END_TEST

START_TEST(no_kernel_reads_behind_the_vectors)
{
    size_t n_kernels;
    const struct vecwire__dot_kernel *kernels =
        vecwire__dot_kernels(&n_kernels);

    for (size_t k = 0; k < n_kernels; k++) {
        for (size_t n = 1; n <= 70; n++) {
            float *a = calloc(n, sizeof(*a)), *b = calloc(n, sizeof(*b));

            ck_assert(a != NULL && b != NULL);
            a[n - 1] = 3;
            b[n - 1] = 2;
            ck_assert_float_eq(kernels[k].dot(a, b, n), 6);
            free(a);
            free(b);
        }
    }
}
END_TEST

START_TEST(the_last_kernel_is_the_scalar_one)
{
    size_t n_kernels;
    const struct vecwire__dot_kernel *kernels =
        vecwire__dot_kernels(&n_kernels);

    ck_assert_str_eq(kernels[n_kernels - 1].name, "scalar");
}
END_TEST

static double
cosine(const float *a, const float *b, size_t dim)
{
    return vecwire__dot_exact(a, b, dim) /
           sqrt(vecwire__dot_exact(a, a, dim) * vecwire__dot_exact(b, b, dim));
}

/* Each size of top_k against the scores of all rows. */
START_TEST(the_best_rows_come_first_and_none_is_missed)
{
    enum { DIM = 37 };
    static const size_t sizes[] = {1, 2, 3, 10, 100, N_ROWS, N_ROWS + 1};
    float query[DIM];
    uint64_t state = 77;
    size_t top_k = sizes[_i];

    open_tenant(DIM);
    ck_assert(vecwire__seed_rows(tenant, N_ROWS, 0));
    vecwire__seed_vector(&state, query, DIM);
    search(query, NULL, top_k);
    ck_assert_uint_eq(n_hits, top_k < N_ROWS ? top_k : N_ROWS);
    for (size_t i = 0; i < n_hits; i++) {
        double score = cosine(query, tenant->matrix + hits[i].row * DIM, DIM);
        size_t better = 0;

        ck_assert_double_eq_tol(hits[i].score, score, 1e-6);
        for (size_t row = 0; row < N_ROWS; row++)
            better += cosine(query, tenant->matrix + row * DIM, DIM) > score;
        ck_assert_uint_eq(better, i);
    }
}
END_TEST

/* The rows stand the other way round, and one id begins another. */
START_TEST(equal_scores_come_in_the_order_of_ids)
{
    static const char *const ids[] = {"a", "aa", "ab", "b", "\xc3\xa9"};
    const float vector[2] = {3, 4};

    open_tenant(2);
    for (size_t i = 5; i-- > 0;)
        put(ids[i], vector, "{}");
    search(vector, NULL, 4);
    ck_assert_uint_eq(n_hits, 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(hits[i].row, 4 - i);
}
END_TEST

START_TEST(length_does_not_matter_and_direction_does)
{
    const float same[3] = {10, 20, 30}, opposite[3] = {-1, -2, -3};
    const float query[3] = {0.5F, 1, 1.5F}, across[3] = {3, 0, -1};

    open_tenant(3);
    put("opposite", opposite, "{}");
    put("across", across, "{}");
    put("same", same, "{}");
    search(query, NULL, 3);
    ck_assert_uint_eq(hits[0].row, 2);
    ck_assert_double_eq_tol(hits[0].score, 1, 1e-6);
    ck_assert_double_eq_tol(hits[1].score, 0, 1e-6);
    ck_assert_double_eq_tol(hits[2].score, -1, 1e-6);
}
END_TEST

/* Huge, tiny and subnormal numbers, whose products float cannot hold, on
 * either side. */
START_TEST(extreme_numbers_have_exact_scores)
{
    static const float vectors[][2] = {
        {FLT_MAX, FLT_MAX}, {FLT_TRUE_MIN, 3 * FLT_TRUE_MIN},
        {1, -0.2F},         {1e-30F, 2e-30F},
        {1e30F, -3e30F},
    };
    const float *query = vectors[_i];

    open_tenant(2);
    put("huge", vectors[0], "{}");
    put("subnormal", vectors[1], "{}");
    put("plain", vectors[2], "{}");
    put("tiny", vectors[3], "{}");
    put("large", vectors[4], "{}");
    search(query, NULL, 5);
    ck_assert_uint_eq(n_hits, 5);
    for (size_t i = 0; i < 5; i++)
        ck_assert_double_eq_tol(hits[i].score,
                                cosine(query, vectors[hits[i].row], 2), 1e-6);
}
END_TEST

START_TEST(a_filter_is_applied_before_ranking)
{
    float query[8];
    uint64_t state = 3;

    open_tenant(8);
    ck_assert(vecwire__seed_rows(tenant, 100, 0));
    vecwire__seed_vector(&state, query, 8);
    search(query, "{\"parity\":\"odd\"}", 100);
    ck_assert_uint_eq(n_hits, 50);
    for (size_t i = 0; i < n_hits; i++)
        ck_assert_uint_eq(hits[i].row % 2, 1);
    search(query, "{\"n\":17,\"parity\":\"odd\"}", 100);
    ck_assert_uint_eq(n_hits, 1);
    ck_assert_uint_eq(hits[0].row, 17);
}
END_TEST

static bool
matches(const char *metadata, const char *filter)
{
    json_t *tree = json_loads(metadata, 0, NULL);
    json_t *keys = json_loads(filter, 0, NULL);
    bool result = vecwire__search_matches(tree, keys);

    ck_assert(tree != NULL && keys != NULL);
    json_decref(tree);
    json_decref(keys);
    return result;
}

START_TEST(a_filter_wants_every_key_with_an_equal_value)
{
    ck_assert(matches("{\"a\":1,\"b\":[1,{\"c\":null}]}", "{}"));
    ck_assert(matches("{\"a\":1,\"b\":[1,{\"c\":null}]}",
                      "{\"b\":[1,{\"c\":null}]}"));
    ck_assert(!matches("{\"a\":1}", "{\"a\":1,\"b\":2}"));
    ck_assert(!matches("{\"a\":1}", "{\"a\":\"1\"}"));
    ck_assert(!matches("{\"a\":{\"x\":1,\"y\":2}}", "{\"a\":{\"x\":1}}"));
    ck_assert(!matches("{}", "{\"a\":null}"));
    ck_assert(matches("{\"a\":null}", "{\"a\":null}"));
}
END_TEST

START_TEST(an_empty_tenant_has_no_hits)
{
    const float query[2] = {1, 0};

    open_tenant(2);
    search(query, NULL, 5);
    ck_assert_uint_eq(n_hits, 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("search");
    TCase *kernels = tcase_create("kernels"), *tc = tcase_create("search");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(kernels, every_kernel_agrees_with_double_arithmetic);
    tcase_add_test(kernels, no_kernel_reads_behind_the_vectors);
    tcase_add_test(kernels, the_last_kernel_is_the_scalar_one);
    suite_add_tcase(suite, kernels);
    tcase_add_checked_fixture(tc, NULL, tear_down);
    tcase_add_loop_test(tc, the_best_rows_come_first_and_none_is_missed, 0, 7);
    tcase_add_test(tc, equal_scores_come_in_the_order_of_ids);
    tcase_add_test(tc, length_does_not_matter_and_direction_does);
    tcase_add_loop_test(tc, extreme_numbers_have_exact_scores, 0, 5);
    tcase_add_test(tc, a_filter_is_applied_before_ranking);
    tcase_add_test(tc, a_filter_wants_every_key_with_an_equal_value);
    tcase_add_test(tc, an_empty_tenant_has_no_hits);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
