/* SPDX-License-Identifier: Apache-2.0 */
/* HMS's limits on a whole batch. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/hms.h"
#include "tests/client_rig.h"
#include "tests/hms_fixture.h"

#define ROWS 128
#define EACH 65536 /* ROWS of these are the limit */

static struct hms_fixture f;
static const char *ids[ROWS + 1], *texts[ROWS + 1];
static float *matrix;
static char *longest;

static void
setup(void)
{
    hms_begin(&f);
    matrix = calloc(1025 * 1024, sizeof(*matrix));
    longest = malloc(EACH + 1);
    ck_assert(matrix != NULL && longest != NULL);
    for (size_t i = 0; i < 1025 * 1024; i++)
        matrix[i] = 1;
    for (size_t i = 0; i <= ROWS; i++)
        ids[i] = "x";
    memset(longest, 'y', EACH);
    longest[EACH] = '\0';
}

static void
teardown(void)
{
    free(matrix);
    free(longest);
    hms_end(&f);
}

static void
check_refused(enum vecwire_err err, const char *words)
{
    ck_assert_int_eq(err, VECWIRE_ETOOBIG);
    ck_assert_uint_eq(f.refusal.row, SIZE_MAX);
    ck_assert_msg(strstr(f.refusal.text, words) != NULL, "%s", f.refusal.text);
}

START_TEST(a_batch_of_2_to_the_20_coordinates_is_taken_and_a_row_more_is_not)
{
    struct vecwire_upsert_request upsert =
        VECWIRE_UPSERT(.matrix = matrix, .rows = ROWS, .dim = 8192, .ids = ids);

    ck_assert_int_eq(hms_upsert(&f, upsert), VECWIRE_OK);
    upsert.rows++;
    check_refused(hms_upsert(&f, upsert), "HMS takes at most 1048576 coord");
}
END_TEST

START_TEST(a_single_row_has_no_limit_but_its_own)
{
    ck_assert_int_eq(hms_upsert(&f, VECWIRE_UPSERT(.matrix = matrix, .rows = 1,
                                                   .dim = 65536, .ids = ids)),
                     VECWIRE_OK);
}
END_TEST

START_TEST(ids_and_texts_of_8_mib_are_taken_and_a_byte_more_is_too_big)
{
    struct vecwire_upsert_request upsert =
        VECWIRE_UPSERT(.matrix = matrix, .rows = ROWS, .dim = 1, .ids = ids,
                       .texts = texts);

    for (size_t i = 0; i < ROWS; i++)
        texts[i] = longest + 1;
    ck_assert_int_eq(hms_upsert(&f, upsert), VECWIRE_OK);
    ids[ROWS - 1] = "xy";
    check_refused(hms_upsert(&f, upsert), "ids and texts of 8388609 bytes");
}
END_TEST

START_TEST(payloads_of_8_mib_are_taken_and_more_is_too_big)
{
    struct vecwire_upsert_request upsert =
        VECWIRE_UPSERT(.matrix = matrix, .rows = ROWS, .dim = 1, .ids = ids,
                       .payloads = texts);

    memcpy(longest, "{\"k\":\"", 6);
    memcpy(longest + EACH - 2, "\"}", 2);
    for (size_t i = 0; i < ROWS; i++)
        texts[i] = longest;
    ck_assert_int_eq(hms_upsert(&f, upsert), VECWIRE_OK);
    texts[ROWS] = "{}";
    upsert.rows++;
    check_refused(hms_upsert(&f, upsert), "payloads of 8388610 bytes");
}
END_TEST

/* --- the same limits, for batches that grow row by row --- */

#define MIB_8 ((size_t)8 << 20)

/* Does a row with an id of 1 byte, a text of 2 and a payload of 2 go into a
 * batch that holds so much? */
static bool
fits(size_t held_texts, size_t held_payloads)
{
    const char *id = "x", *text = "yy", *payload = "{}";
    struct vecwire_upsert_request row =
        VECWIRE_UPSERT(.rows = 1, .ids = &id, .texts = &text,
                       .payloads = &payload);
    struct vecwire__upsert_load load = {.texts = held_texts,
                                        .payloads = held_payloads};

    return vecwire__hms_batch_fits(&row, 0, &load);
}

START_TEST(a_row_fits_where_ids_and_texts_make_8_mib)
{
    ck_assert(fits(MIB_8 - 3, 0));
    ck_assert(!fits(MIB_8 - 2, 0));
}
END_TEST

START_TEST(a_row_fits_where_payloads_make_8_mib)
{
    ck_assert(fits(0, MIB_8 - 2));
    ck_assert(!fits(0, MIB_8 - 1));
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(
        tcase,
        a_batch_of_2_to_the_20_coordinates_is_taken_and_a_row_more_is_not);
    tcase_add_test(tcase, a_single_row_has_no_limit_but_its_own);
    tcase_add_test(tcase,
                   ids_and_texts_of_8_mib_are_taken_and_a_byte_more_is_too_big);
    tcase_add_test(tcase, payloads_of_8_mib_are_taken_and_more_is_too_big);
    tcase_add_test(tcase, a_row_fits_where_ids_and_texts_make_8_mib);
    tcase_add_test(tcase, a_row_fits_where_payloads_make_8_mib);
}

int
main(void)
{
    return client_rig_main("HMS batch", add_tests);
}
