/* SPDX-License-Identifier: Apache-2.0 */
/* What a mask leaves behind: nothing in memory that is given back, nothing in
 * the host's queue of OpenSSL errors. */
#include <check.h>
#include <stdlib.h>

#include <vecwire/hms.h>

#include "codec/mem.h"
#include "dialect/hms_mask.h"
#include "tests/client_rig.h"

#include <openssl/err.h>

static unsigned freed;

/* Nothing but zeros may come back. */
static void
free_wiped(void *block, size_t size, void *ctx)
{
    const unsigned char *bytes = block;

    (void)ctx;
    freed++;
    for (size_t i = 0; i < size; i++)
        ck_assert_uint_eq(bytes[i], 0);
    free(block);
}

START_TEST(a_permutation_and_what_it_was_made_from_are_overwritten)
{
    static const struct vecwire_hms_mask mask = {.key = {1, 2, 3}};
    struct vecwire_mem mem = vecwire__mem_libc;
    struct vecwire__hms_masking masking;

    mem.free = free_wiped;
    freed = 0;
    vecwire__hms_masking_init(&masking, &mask, &mem);
    ck_assert(vecwire__hms_masking_prepare(&masking, 100));
    ck_assert_uint_eq(freed, 1);
    ck_assert(vecwire__hms_masking_prepare(&masking, 7));
    vecwire__hms_masking_fini(&masking);
    ck_assert_uint_eq(freed, 4);
}
END_TEST

/* The host's own error, and no mark, are there as before. */
static void
check_errors(unsigned long error)
{
    ck_assert_uint_eq(ERR_peek_error(), error);
    ck_assert_uint_eq(ERR_peek_last_error(), error);
    ck_assert_int_eq(ERR_pop_to_mark(), 0);
    ERR_clear_error();
}

static unsigned long
raise_error(void)
{
    ERR_clear_error();
    ERR_raise(ERR_LIB_USER, 1);
    return ERR_peek_error();
}

START_TEST(deriving_a_key_leaves_the_host_s_errors_alone)
{
    unsigned char key[VECWIRE__HMS_KEY_BYTES];
    unsigned long error = raise_error();

    ck_assert_int_eq(vecwire__hms_mask_derive("pass", "salt", 4, key),
                     VECWIRE_OK);
    check_errors(error);
}
END_TEST

START_TEST(making_a_permutation_leaves_the_host_s_errors_alone)
{
    static const unsigned char key[VECWIRE__HMS_KEY_BYTES] = {1};
    unsigned char tags[3 * VECWIRE__HMS_TAG_BYTES];
    unsigned long error = raise_error();

    ck_assert(vecwire__hms_mask_tags(key, 3, tags));
    check_errors(error);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase,
                   a_permutation_and_what_it_was_made_from_are_overwritten);
    tcase_add_test(tcase, deriving_a_key_leaves_the_host_s_errors_alone);
    tcase_add_test(tcase, making_a_permutation_leaves_the_host_s_errors_alone);
}

int
main(void)
{
    return client_rig_main("hms mask, traces", add_tests);
}
