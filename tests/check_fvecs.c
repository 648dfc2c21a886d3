/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/fvecs.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/client_rig.h"
#include "tool/npy.h"

/* A .fvecs file in memory, and what its reader says. */
static int fd = -1;
static char path[64];
static char why[NPY_WHY_MAX];
static struct fvecs fvecs;
static float matrix[64];

static void
begin_file(void)
{
    fd = memfd_create("fvecs", 0);
    ck_assert_int_ge(fd, 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    fvecs.fd = -1;
}

static void
teardown(void)
{
    vecwire__fvecs_close(&fvecs);
    if (fd >= 0)
        close(fd);
    fd = -1;
}

static void
put(const void *bytes, size_t len)
{
    ck_assert_int_eq(write(fd, bytes, len), (ssize_t)len);
}

static void
put_number(uint32_t number)
{
    unsigned char raw[4] = {(unsigned char)number, (unsigned char)(number >> 8),
                            (unsigned char)(number >> 16),
                            (unsigned char)(number >> 24)};

    put(raw, sizeof(raw));
}

/* A row of two coordinates: 1.0 and 0.5. */
static void
put_row(void)
{
    put_number(2);
    put_number(0x3f800000);
    put_number(0x3f000000);
}

static void
refused_with(const char *part)
{
    ck_assert(!vecwire__fvecs_open(&fvecs, path, why));
    ck_assert_msg(strstr(why, part) != NULL, "\"%s\" lacks \"%s\"", why, part);
}

/* A good row, and then one that is bad. */
static void
bad_row(const char *wanted)
{
    ck_assert(vecwire__fvecs_open(&fvecs, path, why));
    ck_assert_uint_eq(vecwire__fvecs_read(&fvecs, 8, matrix, why), 1);
    ck_assert_str_eq(why, wanted);
}

START_TEST(rows_are_read)
{
    begin_file();
    put_row();
    put_row();
    ck_assert(vecwire__fvecs_open(&fvecs, path, why));
    ck_assert_uint_eq(fvecs.rows, 2);
    ck_assert_uint_eq(fvecs.dim, 2);
    ck_assert_uint_eq(vecwire__fvecs_read(&fvecs, 8, matrix, why), 2);
    ck_assert_str_eq(why, "");
    ck_assert(matrix[2] == 1.0f && matrix[3] == 0.5f);
    ck_assert_uint_eq(vecwire__fvecs_read(&fvecs, 8, matrix, why), 0);
}
END_TEST

START_TEST(rows_are_read_a_few_at_a_time)
{
    begin_file();
    for (int i = 0; i < 5; i++)
        put_row();
    ck_assert(vecwire__fvecs_open(&fvecs, path, why));
    ck_assert_uint_eq(vecwire__fvecs_read(&fvecs, 2, matrix, why), 2);
    ck_assert_uint_eq(vecwire__fvecs_read(&fvecs, 2, matrix, why), 2);
    ck_assert_uint_eq(vecwire__fvecs_read(&fvecs, 2, matrix, why), 1);
    ck_assert_str_eq(why, "");
    ck_assert_uint_eq(fvecs.next, 5);
}
END_TEST

START_TEST(an_empty_file_is_refused)
{
    begin_file();
    refused_with("it has no rows");
}
END_TEST

START_TEST(a_directory_is_refused)
{
    snprintf(path, sizeof(path), "/");
    refused_with("it is no regular file");
}
END_TEST

START_TEST(a_missing_file_is_refused)
{
    snprintf(path, sizeof(path), "/none.fvecs");
    refused_with("it cannot be opened: ");
}
END_TEST

START_TEST(a_cut_first_dimension_is_refused)
{
    begin_file();
    put("\2\0\0", 3);
    refused_with("row 0 at byte 0: 3 bytes, a dimension has 4");
}
END_TEST

START_TEST(dimension_zero_is_refused)
{
    begin_file();
    put_number(0);
    refused_with("row 0 at byte 0: its dimension is 0 (1 to 65536");
}
END_TEST

START_TEST(a_negative_dimension_is_refused)
{
    begin_file();
    put_number(UINT32_MAX);
    refused_with("its dimension is -1 (");
}
END_TEST

START_TEST(a_dimension_in_big_endian_order_is_refused)
{
    begin_file();
    put("\0\0\1\200", 4);
    put(matrix, sizeof(matrix));
    refused_with("its dimension is -2147418112 (");
}
END_TEST

START_TEST(a_huge_dimension_is_refused)
{
    begin_file();
    put_number(INT32_MAX);
    put(matrix, sizeof(matrix));
    refused_with("its dimension is 2147483647 (");
}
END_TEST

START_TEST(another_dimension_is_refused_with_row_and_byte)
{
    begin_file();
    put_row();
    put_number(3);
    put(matrix, 12);
    bad_row("row 1 at byte 12: its dimension is 3, the first row's is 2");
}
END_TEST

/* The second row ends after `_i` bytes. */
START_TEST(a_row_that_is_cut_off_is_refused_with_row_and_byte)
{
    char wanted[NPY_WHY_MAX];

    begin_file();
    put_row();
    put("\2\0\0\0\0\0\0\0\0\0\0", (size_t)_i);
    snprintf(wanted, sizeof(wanted),
             "row 1 at byte 12: it is cut off, %d of its 12 bytes are there",
             _i);
    bad_row(wanted);
}
END_TEST

START_TEST(a_file_that_shrinks_while_it_is_read_is_cut_off)
{
    begin_file();
    put_row();
    put_row();
    ck_assert(vecwire__fvecs_open(&fvecs, path, why));
    ck_assert_int_eq(ftruncate(fd, 14), 0);
    ck_assert_uint_eq(vecwire__fvecs_read(&fvecs, 8, matrix, why), 1);
    ck_assert_ptr_nonnull(strstr(why, "row 1 at byte 12: it is cut off, 2 of"));
}
END_TEST

START_TEST(nan_is_refused_with_row_and_coordinate)
{
    begin_file();
    put_row();
    put_number(2);
    put_number(0x3f800000);
    put_number(0x7fc00000);
    bad_row("row 1, coordinate 1 (byte 20) is NaN");
}
END_TEST

START_TEST(infinity_is_refused_with_row_and_coordinate)
{
    begin_file();
    put_row();
    put_number(2);
    put_number(0xff800000);
    put_number(0);
    bad_row("row 1, coordinate 0 (byte 16) is infinite");
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, rows_are_read);
    tcase_add_test(tcase, rows_are_read_a_few_at_a_time);
    tcase_add_test(tcase, an_empty_file_is_refused);
    tcase_add_test(tcase, a_directory_is_refused);
    tcase_add_test(tcase, a_missing_file_is_refused);
    tcase_add_test(tcase, a_cut_first_dimension_is_refused);
    tcase_add_test(tcase, dimension_zero_is_refused);
    tcase_add_test(tcase, a_negative_dimension_is_refused);
    tcase_add_test(tcase, a_dimension_in_big_endian_order_is_refused);
    tcase_add_test(tcase, a_huge_dimension_is_refused);
    tcase_add_test(tcase, another_dimension_is_refused_with_row_and_byte);
    tcase_add_loop_test(
        tcase, a_row_that_is_cut_off_is_refused_with_row_and_byte, 1, 12);
    tcase_add_test(tcase, a_file_that_shrinks_while_it_is_read_is_cut_off);
    tcase_add_test(tcase, nan_is_refused_with_row_and_coordinate);
    tcase_add_test(tcase, infinity_is_refused_with_row_and_coordinate);
}

int
main(void)
{
    return client_rig_main("fvecs", add_tests);
}
