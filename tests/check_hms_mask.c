/* SPDX-License-Identifier: Apache-2.0 */
/* HMS's vector mask: the key, the permutation, and what is then sent. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dialect/hms_mask.h"
#include "tests/counting_mem.h"
#include "tests/hms_fixture.h"

#ifndef VECWIRE_NO_OPENSSL

/* The key of the first four cases; in dimension 3 it makes order 1 2 0 and
 * sign - + -. */
#define KEY "4dace8f327bbc4765d50d69143aa5624533825d29ca0d7f0cd6fabf0960332ec"

static json_t *cases;
static struct hms_fixture f;
static struct counting_mem mem;
static struct vecwire__hms_masking masking;

/* The case with that number. */
static const json_t *
case_at(int i)
{
    const char *source = getenv("VECWIRE_SOURCE");
    char path[4096];

    snprintf(path, sizeof(path), "%s/tests/hms_mask.json",
             source == NULL ? "." : source);
    cases = json_load_file(path, 0, NULL);
    ck_assert_msg(cases != NULL, "%s cannot be read", path);
    ck_assert_uint_eq(json_array_size(cases), 12);
    return json_array_get(cases, (size_t)i);
}

static const char *
text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    ck_assert_ptr_nonnull(text);
    return text;
}

static size_t
bytes_of_hex(const char *hex, unsigned char *bytes)
{
    size_t n = strlen(hex) / 2;

    for (size_t i = 0; i < n; i++) {
        unsigned byte;

        ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
        bytes[i] = (unsigned char)byte;
    }
    return n;
}

static void
mask_from_key(const char *hex)
{
    struct vecwire_hms_mask mask;

    ck_assert_uint_eq(bytes_of_hex(hex, mask.key), sizeof(mask.key));
    vecwire__hms_masking_init(&masking, &mask, &mem.mem);
}

/* A salt of no bytes: none is given. */
static void
check_key(const json_t *one, const unsigned char *salt, size_t salt_len)
{
    unsigned char key[VECWIRE__HMS_KEY_BYTES];
    struct vecwire_hms_mask *mask;

    bytes_of_hex(text_of(one, "key_hex"), key);
    ck_assert_int_eq(
        vecwire_hms_mask_new(
            &mask,
            &VECWIRE_HMS_MASK_OPTIONS(.passphrase = text_of(one, "passphrase"),
                                      .salt = salt_len > 0 ? salt : NULL,
                                      .salt_len = salt_len)),
        VECWIRE_OK);
    ck_assert_mem_eq(mask->key, key, sizeof(key));
    vecwire_hms_mask_free(mask);
}

static void
setup(void)
{
    hms_begin(&f);
    counting_mem_init(&mem);
    f.settings.hms_masking = &masking;
}

static void
teardown(void)
{
    vecwire__hms_masking_fini(&masking);
    hms_end(&f);
    json_decref(cases);
    cases = NULL;
    ck_assert_uint_eq(mem.blocks, 0);
}

/* --- key and permutation, case by case --- */

START_TEST(the_key_is_that_of_the_case)
{
    const json_t *one = case_at(_i);
    unsigned char salt[64];

    check_key(one, salt, bytes_of_hex(text_of(one, "salt_hex"), salt));
}
END_TEST

START_TEST(without_a_salt_it_is_that_of_the_sdk)
{
    check_key(case_at(4), NULL, 0);
}
END_TEST

/* The dimension of a case, whose key is then at work. */
static size_t
take_case(const json_t *one)
{
    size_t dim = (size_t)json_integer_value(json_object_get(one, "dim"));

    mask_from_key(text_of(one, "key_hex"));
    ck_assert_uint_ge(dim, 1);
    ck_assert_uint_eq(json_array_size(json_object_get(one, "order")), dim);
    ck_assert_uint_eq(json_array_size(json_object_get(one, "sign")), dim);
    return dim;
}

START_TEST(order_and_signs_are_those_of_the_case)
{
    const json_t *one = case_at(_i);
    const json_t *order = json_object_get(one, "order");
    const json_t *sign = json_object_get(one, "sign");
    size_t dim = take_case(one);

    ck_assert(vecwire__hms_masking_prepare(&masking, dim));
    for (size_t j = 0; j < dim; j++) {
        size_t source = vecwire__hms_place_source(masking.places[j]);
        bool minus = vecwire__hms_place_flip(masking.places[j]) != 0;

        ck_assert_int_eq(json_integer_value(json_array_get(order, j)),
                         (json_int_t)source);
        ck_assert_int_eq(json_integer_value(json_array_get(sign, source)),
                         minus ? -1 : 1);
    }
}
END_TEST

/* What the case says, worked out in the plainest way, is what is sent. */
START_TEST(the_vector_that_is_sent_is_that_of_the_case)
{
    const json_t *one = case_at(_i);
    const json_t *order = json_object_get(one, "order");
    const json_t *sign = json_object_get(one, "sign");
    size_t dim = take_case(one), n;
    float plain[384], wanted[384], sent[384];
    const char *body, *end;

    for (size_t i = 0; i < dim; i++)
        plain[i] = sinf((float)i + 0.5f) * 0.1f;
    for (size_t j = 0; j < dim; j++) {
        size_t source = (size_t)json_integer_value(json_array_get(order, j));

        wanted[j] = plain[source] *
                    (float)json_integer_value(json_array_get(sign, source));
    }
    ck_assert_int_eq(hms_query(&f, VECWIRE_QUERY(.vector = plain, .dim = dim)),
                     VECWIRE_OK);
    body = f.enc.text.bytes + f.enc.body_at + strlen("{\"query_vector\":");
    end = memchr(body, ']', f.enc.text.len - f.enc.body_at);
    ck_assert_ptr_nonnull(end);
    ck_assert_int_eq(
        vecwire_vector_parse(body, (size_t)(end + 1 - body), sent, 384, &n),
        VECWIRE_OK);
    ck_assert_uint_eq(n, dim);
    ck_assert_mem_eq(sent, wanted, dim * sizeof(float));
}
END_TEST

/* --- bodies --- */

static void
check_body(const char *body)
{
    ck_assert_uint_eq(f.enc.text.len - f.enc.body_at, strlen(body));
    ck_assert_mem_eq(f.enc.text.bytes + f.enc.body_at, body, strlen(body));
}

START_TEST(a_query_goes_out_masked)
{
    static const float plain[] = {0.1f, -2, 0.5f};

    mask_from_key(KEY);
    ck_assert_int_eq(hms_query(&f, VECWIRE_QUERY(.vector = plain, .dim = 3)),
                     VECWIRE_OK);
    check_body("{\"query_vector\":[-2,-0.5,-0.1],\"top_k\":10}");
}
END_TEST

START_TEST(every_row_of_an_upsert_goes_out_masked)
{
    static const float plain[] = {0.1f, -2, 0.5f, 1, 2, 3};
    const char *const ids[] = {"a", "b"};
    const char *const texts[] = {"t", NULL};

    mask_from_key(KEY);
    ck_assert_int_eq(
        hms_upsert(&f, VECWIRE_UPSERT(.matrix = plain, .rows = 2, .dim = 3,
                                      .ids = ids, .texts = texts)),
        VECWIRE_OK);
    check_body("[{\"id\":\"a\",\"vector\":[-2,-0.5,-0.1],\"text\":\"t\"},"
               "{\"id\":\"b\",\"vector\":[2,-3,-1]}]");
}
END_TEST

START_TEST(the_sign_of_a_zero_is_masked_too)
{
    static const float plain[] = {0, -0.0f, 1};

    mask_from_key(KEY);
    ck_assert_int_eq(hms_query(&f, VECWIRE_QUERY(.vector = plain, .dim = 3)),
                     VECWIRE_OK);
    check_body("{\"query_vector\":[-0,-1,-0],\"top_k\":10}");
}
END_TEST

START_TEST(texts_and_rows_without_vectors_go_out_as_they_are)
{
    const char *id = "a", *text = "t";

    mask_from_key(KEY);
    ck_assert_int_eq(
        hms_upsert(&f, VECWIRE_UPSERT(.rows = 1, .ids = &id, .texts = &text)),
        VECWIRE_OK);
    check_body("{\"id\":\"a\",\"text\":\"t\"}");
}
END_TEST

START_TEST(a_refusal_names_the_plain_coordinate)
{
    const float bad[] = {1, 2, NAN, 3, INFINITY, NAN};
    const char *const ids[] = {"a", "b"};

    mask_from_key(KEY);
    ck_assert_int_eq(hms_query(&f, VECWIRE_QUERY(.vector = bad, .dim = 3)),
                     VECWIRE_EINVAL);
    ck_assert_uint_eq(f.refusal.coordinate, 2);
    ck_assert_str_eq(f.refusal.text, "vector: coordinate 2 is NaN or infinite");
    ck_assert_int_eq(hms_upsert(&f, VECWIRE_UPSERT(.matrix = bad + 3, .rows = 1,
                                                   .dim = 3, .ids = ids)),
                     VECWIRE_EINVAL);
    ck_assert_uint_eq(f.refusal.row, 0);
    ck_assert_uint_eq(f.refusal.coordinate, 1);
}
END_TEST

START_TEST(a_vector_without_a_direction_is_refused_as_ever)
{
    static const float zeros[3];
    const char *id = "a";

    mask_from_key(KEY);
    ck_assert_int_eq(hms_upsert(&f, VECWIRE_UPSERT(.matrix = zeros, .rows = 1,
                                                   .dim = 3, .ids = &id)),
                     VECWIRE_EINVAL);
    ck_assert_ptr_nonnull(strstr(f.refusal.text, "every coordinate is 0"));
}
END_TEST

/* --- what a mask keeps --- */

static void
mask_row(const float *plain, size_t dim, float *masked)
{
    ck_assert_int_eq(vecwire__hms_put_masked(&masking, &f.enc.text, plain, dim,
                                             0, &f.refusal),
                     VECWIRE_OK);
    memcpy(masked, masking.row, dim * sizeof(float));
}

START_TEST(inner_products_stay_the_same)
{
    float a[384], b[384], masked_a[384], masked_b[384];
    double plain = 0, masked = 0;

    /* Whole numbers, so that no sum is rounded, in whatever order. */
    for (size_t i = 0; i < 384; i++) {
        a[i] = (float)(i * 37 % 201) - 100;
        b[i] = (float)(i * 53 % 199) - 99;
    }
    mask_from_key(KEY);
    mask_row(a, 384, masked_a);
    mask_row(b, 384, masked_b);
    for (size_t i = 0; i < 384; i++) {
        plain += (double)a[i] * (double)b[i];
        masked += (double)masked_a[i] * (double)masked_b[i];
    }
    ck_assert(plain == masked);
    ck_assert_mem_ne(a, masked_a, sizeof(a));
}
END_TEST

START_TEST(the_largest_dimension_is_a_permutation)
{
    size_t dim = 65536;
    unsigned char *seen = calloc(dim, 1);

    ck_assert_ptr_nonnull(seen);
    mask_from_key(KEY);
    ck_assert(vecwire__hms_masking_prepare(&masking, dim));
    for (size_t j = 0; j < dim; j++) {
        size_t source = vecwire__hms_place_source(masking.places[j]);

        ck_assert_uint_lt(source, dim);
        ck_assert_uint_eq(seen[source]++, 0);
    }
    free(seen);
}
END_TEST

START_TEST(the_permutation_is_made_once_a_dimension)
{
    static const float plain[] = {0.1f, -2, 0.5f};
    float masked[3];

    mask_from_key(KEY);
    mask_row(plain, 3, masked);
    counting_mem_arm(&mem, 1, true);
    mask_row(plain, 3, masked);
    ck_assert_uint_eq(mem.asked, 0);
}
END_TEST

START_TEST(one_permutation_is_kept_and_dimensions_may_change)
{
    static const float plain[] = {0.1f, -2, 0.5f, 4};
    float first[3], other[4], again[3];

    mask_from_key(KEY);
    mask_row(plain, 3, first);
    mask_row(plain, 4, other);
    ck_assert_uint_eq(mem.blocks, 1);
    mask_row(plain, 3, again);
    ck_assert_uint_eq(mem.blocks, 1);
    ck_assert_mem_eq(first, again, sizeof(first));
}
END_TEST

START_TEST(without_memory_for_the_permutation_nothing_is_sent)
{
    static const float plain[] = {0.1f, -2, 0.5f};
    size_t n = 1;

    mask_from_key(KEY);
    for (;; n++) {
        struct vecwire_query_request query =
            VECWIRE_QUERY(.vector = plain, .dim = 3);
        enum vecwire_err err;

        f.enc.text.len = 0;
        counting_mem_arm(&mem, n, _i == 1);
        err = hms_query(&f, query);
        counting_mem_arm(&mem, 0, false);
        if (err == VECWIRE_OK)
            break;
        ck_assert_int_eq(err, VECWIRE_ENOMEM);
        ck_assert_uint_eq(mem.blocks, 0);
    }
    ck_assert_uint_eq(n, 3);
    check_body("{\"query_vector\":[-2,-0.5,-0.1],\"top_k\":10}");
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_loop_test(tc, the_key_is_that_of_the_case, 0, 12);
    tcase_add_loop_test(tc, order_and_signs_are_those_of_the_case, 0, 12);
    tcase_add_loop_test(tc, the_vector_that_is_sent_is_that_of_the_case, 0, 12);
    tcase_add_test(tc, without_a_salt_it_is_that_of_the_sdk);
    tcase_add_test(tc, a_query_goes_out_masked);
    tcase_add_test(tc, every_row_of_an_upsert_goes_out_masked);
    tcase_add_test(tc, the_sign_of_a_zero_is_masked_too);
    tcase_add_test(tc, texts_and_rows_without_vectors_go_out_as_they_are);
    tcase_add_test(tc, a_refusal_names_the_plain_coordinate);
    tcase_add_test(tc, a_vector_without_a_direction_is_refused_as_ever);
    tcase_add_test(tc, inner_products_stay_the_same);
    tcase_add_test(tc, the_largest_dimension_is_a_permutation);
    tcase_add_test(tc, the_permutation_is_made_once_a_dimension);
    tcase_add_test(tc, one_permutation_is_kept_and_dimensions_may_change);
    tcase_add_loop_test(tc, without_memory_for_the_permutation_nothing_is_sent,
                        0, 2);
}

int
main(void)
{
    Suite *suite = suite_create("hms mask");
    TCase *tc = tcase_create("mask");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    add_tests(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#else

/* What is left of masks is seen by check_hms_mask_new. */
int
main(void)
{
    puts("SKIP check_hms_mask: built without OpenSSL");
    return 77;
}

#endif
