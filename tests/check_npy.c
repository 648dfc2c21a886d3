/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/npy.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A .npy file in memory, and what its reader says. */
static int fd = -1;
static char path[64];
static char why[NPY_WHY_MAX];
static struct npy npy;
static float matrix[64];

static void
teardown(void)
{
    vecwire__npy_close(&npy);
    if (fd >= 0)
        close(fd);
    fd = -1;
}

static void
write_all(const void *bytes, size_t len)
{
    ck_assert_int_eq(write(fd, bytes, len), (ssize_t)len);
}

static void
begin_file(void)
{
    fd = memfd_create("npy", 0);
    ck_assert_int_ge(fd, 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    npy.fd = -1;
}

/* A version 1 file with this dictionary and these numbers. */
static void
make_file(const char *dict, const void *data, size_t len)
{
    char start[10] = "\x93NUMPY\x01";
    size_t header = strlen(dict) + 1;

    start[8] = (char)header;
    begin_file();
    write_all(start, sizeof(start));
    write_all(dict, strlen(dict));
    write_all("\n", 1);
    if (len > 0)
        write_all(data, len);
}

#define DICT(descr, order, shape)                                              \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

static const float six[6] = {1, 2, 3, 4, 5, 6.5f};

static void
refused_with(const char *part)
{
    ck_assert(!vecwire__npy_open(&npy, path, why));
    ck_assert_msg(strstr(why, part) != NULL, "\"%s\" lacks \"%s\"", why, part);
}

static void
bad_row(const char *part)
{
    ck_assert(vecwire__npy_open(&npy, path, why));
    ck_assert_uint_eq(vecwire__npy_read(&npy, 8, matrix, why), 1);
    ck_assert_str_eq(why, part);
}

START_TEST(float32_rows_are_read)
{
    make_file(DICT("<f4", "False", "(2, 3)"), six, sizeof(six));
    ck_assert_msg(vecwire__npy_open(&npy, path, why), "%s", why);
    ck_assert_uint_eq(npy.rows, 2);
    ck_assert_uint_eq(npy.dim, 3);
    ck_assert_uint_eq(vecwire__npy_read(&npy, 8, matrix, why), 2);
    ck_assert_str_eq(why, "");
    ck_assert_mem_eq(matrix, six, sizeof(six));
}
END_TEST

START_TEST(rows_come_in_pieces)
{
    make_file(DICT("<f4", "False", "(3, 2)"), six, sizeof(six));
    ck_assert(vecwire__npy_open(&npy, path, why));
    ck_assert_uint_eq(vecwire__npy_read(&npy, 2, matrix, why), 2);
    ck_assert_uint_eq(vecwire__npy_read(&npy, 2, matrix, why), 1);
    ck_assert(matrix[0] == 5 && matrix[1] == 6.5f);
    ck_assert_uint_eq(vecwire__npy_read(&npy, 2, matrix, why), 0);
    ck_assert_str_eq(why, "");
}
END_TEST

START_TEST(reading_begins_at_any_row)
{
    make_file(DICT("<f4", "False", "(3, 2)"), six, sizeof(six));
    ck_assert(vecwire__npy_open(&npy, path, why));
    npy.next = 1;
    ck_assert_uint_eq(vecwire__npy_read(&npy, 1, matrix, why), 1);
    ck_assert(matrix[0] == 3 && matrix[1] == 4);
}
END_TEST

START_TEST(float64_is_rounded_to_float32)
{
    double wide[2] = {0.1, -1e-40};

    make_file(DICT("<f8", "False", "(1, 2)"), wide, sizeof(wide));
    ck_assert(vecwire__npy_open(&npy, path, why));
    ck_assert_uint_eq(vecwire__npy_read(&npy, 1, matrix, why), 1);
    ck_assert(matrix[0] == 0.1f && matrix[1] == -1e-40f);
}
END_TEST

START_TEST(float16_is_widened)
{
    /* 1, -2, the largest, the smallest, zero */
    uint16_t half[5] = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x0000};

    make_file(DICT("<f2", "False", "(1, 5)"), half, sizeof(half));
    ck_assert(vecwire__npy_open(&npy, path, why));
    ck_assert_uint_eq(vecwire__npy_read(&npy, 1, matrix, why), 1);
    ck_assert(matrix[0] == 1 && matrix[1] == -2 && matrix[2] == 65504);
    ck_assert(matrix[3] == ldexpf(1, -24) && matrix[4] == 0);
}
END_TEST

START_TEST(big_endian_numbers_are_turned)
{
    unsigned char raw[8] = {0x3f, 0x80, 0, 0, 0xc0, 0x00, 0, 0};

    make_file(DICT(">f4", "False", "(1, 2)"), raw, sizeof(raw));
    ck_assert(vecwire__npy_open(&npy, path, why));
    ck_assert_uint_eq(vecwire__npy_read(&npy, 1, matrix, why), 1);
    ck_assert(matrix[0] == 1 && matrix[1] == -2);
}
END_TEST

START_TEST(header_keys_come_in_any_order_and_spacing)
{
    make_file("{ \"shape\":(2,3),'fortran_order':False,'descr':'=f4'}", six,
              sizeof(six));
    ck_assert_msg(vecwire__npy_open(&npy, path, why), "%s", why);
}
END_TEST

START_TEST(version_2_has_a_longer_length)
{
    static const char dict[] = DICT("<f4", "False", "(2, 3)");
    char start[12] = "\x93NUMPY\x02";

    start[8] = (char)(sizeof(dict) - 1);
    begin_file();
    write_all(start, sizeof(start));
    write_all(dict, sizeof(dict) - 1);
    write_all(six, sizeof(six));
    ck_assert_msg(vecwire__npy_open(&npy, path, why), "%s", why);
    ck_assert_uint_eq(vecwire__npy_read(&npy, 2, matrix, why), 2);
    ck_assert_mem_eq(matrix, six, sizeof(six));
}
END_TEST

START_TEST(a_missing_file_is_refused)
{
    strcpy(path, "no-such-directory/x.npy");
    refused_with("cannot be opened: No such file");
}
END_TEST

START_TEST(a_directory_is_refused)
{
    strcpy(path, ".");
    refused_with("no regular file");
}
END_TEST

START_TEST(another_kind_of_file_is_refused)
{
    begin_file();
    write_all("{\"id\":\"a\",\"vector\":[1]}\n", 25);
    refused_with("no .npy file");
}
END_TEST

START_TEST(an_empty_file_is_refused)
{
    begin_file();
    refused_with("no .npy file");
}
END_TEST

START_TEST(an_unknown_version_is_refused)
{
    begin_file();
    write_all("\x93NUMPY\x04\x00\x02\x00{}  ", 14);
    refused_with("version is 4");
}
END_TEST

START_TEST(a_header_past_the_end_is_refused)
{
    begin_file();
    write_all("\x93NUMPY\x01\x00\x76\x00{'descr'", 18);
    refused_with("header is truncated");
}
END_TEST

START_TEST(bytes_behind_a_nul_in_the_header_are_refused)
{
    static const char dict[] = DICT("<f4", "False", "(2, 3)") "\0{}";
    char start[10] = "\x93NUMPY\x01";

    start[8] = (char)(sizeof(dict) - 1);
    begin_file();
    write_all(start, sizeof(start));
    write_all(dict, sizeof(dict) - 1);
    write_all(six, sizeof(six));
    refused_with("its .npy header is malformed");
}
END_TEST

START_TEST(a_pipe_without_a_writer_is_refused_at_once)
{
    char name[] = "/tmp/check_npy.XXXXXX", pipe_path[64];
    bool opened;

    npy.fd = -1;
    ck_assert_ptr_nonnull(mkdtemp(name));
    snprintf(pipe_path, sizeof(pipe_path), "%s/pipe.npy", name);
    ck_assert_int_eq(mkfifo(pipe_path, 0600), 0);
    opened = vecwire__npy_open(&npy, pipe_path, why);
    unlink(pipe_path);
    rmdir(name);
    ck_assert(!opened);
    ck_assert_str_eq(why, "it is no regular file");
}
END_TEST

START_TEST(integers_are_refused)
{
    make_file(DICT("<i4", "False", "(2, 3)"), six, sizeof(six));
    refused_with("type \"<i4\" (float16, float32 or float64 is needed)");
}
END_TEST

START_TEST(long_doubles_are_refused)
{
    make_file(DICT("<f16", "False", "(1, 1)"), six, 16);
    refused_with("type \"<f16\"");
}
END_TEST

START_TEST(structured_types_are_refused)
{
    make_file("{'descr': [('x', '<f4')], 'fortran_order': False, "
              "'shape': (2, 3), }",
              six, sizeof(six));
    refused_with("no plain type");
}
END_TEST

START_TEST(fortran_order_is_refused)
{
    make_file(DICT("<f4", "True", "(2, 3)"), six, sizeof(six));
    refused_with("Fortran order");
}
END_TEST

START_TEST(one_dimension_is_refused)
{
    make_file(DICT("<f4", "False", "(6,)"), six, sizeof(six));
    refused_with("it has 1 dimensions");
}
END_TEST

START_TEST(three_dimensions_are_refused)
{
    make_file(DICT("<f4", "False", "(1, 2, 3)"), six, sizeof(six));
    refused_with("it has 3 dimensions");
}
END_TEST

START_TEST(a_scalar_is_refused)
{
    make_file(DICT("<f4", "False", "()"), six, 4);
    refused_with("it has 0 dimensions");
}
END_TEST

START_TEST(zero_rows_are_refused)
{
    make_file(DICT("<f4", "False", "(0, 3)"), six, 0);
    refused_with("shape is (0, 3)");
}
END_TEST

START_TEST(dimension_zero_is_refused)
{
    make_file(DICT("<f4", "False", "(3, 0)"), six, 0);
    refused_with("shape is (3, 0)");
}
END_TEST

START_TEST(a_truncated_file_is_refused_with_both_sizes)
{
    make_file(DICT("<f4", "False", "(2, 3)"), six, sizeof(six) - 1);
    refused_with("truncated: 2 rows of 12 bytes are announced, 23 bytes");
}
END_TEST

START_TEST(a_shape_beyond_all_memory_is_refused)
{
    make_file(DICT("<f4", "False", "(18446744073709551615, 65536)"), six,
              sizeof(six));
    refused_with("truncated");
}
END_TEST

START_TEST(bytes_behind_the_last_row_are_refused)
{
    make_file(DICT("<f4", "False", "(1, 3)"), six, sizeof(six));
    refused_with("12 bytes too many");
}
END_TEST

START_TEST(nan_is_refused_with_row_and_coordinate)
{
    float bad[6] = {1, 2, 3, 4, NAN, 6};

    make_file(DICT("<f4", "False", "(2, 3)"), bad, sizeof(bad));
    bad_row("row 1, coordinate 1 is NaN");
}
END_TEST

START_TEST(infinity_is_refused_with_row_and_coordinate)
{
    float bad[6] = {1, 2, 3, 4, 5, -INFINITY};

    make_file(DICT("<f4", "False", "(2, 3)"), bad, sizeof(bad));
    bad_row("row 1, coordinate 2 is infinite");
}
END_TEST

START_TEST(half_infinity_is_refused)
{
    uint16_t half[2] = {0x3c00, 0x7c00};

    make_file(DICT("<f2", "False", "(2, 1)"), half, sizeof(half));
    bad_row("row 1, coordinate 0 is infinite");
}
END_TEST

START_TEST(float64_beyond_float32_is_refused)
{
    double wide[2] = {3.4e38, 3.5e38};

    make_file(DICT("<f8", "False", "(2, 1)"), wide, sizeof(wide));
    bad_row("row 1, coordinate 0 is beyond float32");
}
END_TEST

START_TEST(every_cut_of_a_header_is_refused)
{
    static const char dict[] = DICT("<f4", "False", "(2, 3)");
    char cut[sizeof(dict)];

    memcpy(cut, dict, sizeof(dict));
    cut[_i] = '\0';
    make_file(cut, six, sizeof(six));
    ck_assert(!vecwire__npy_open(&npy, path, why));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("npy");
    TCase *tc = tcase_create("npy");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tc, NULL, teardown);
    tcase_add_test(tc, float32_rows_are_read);
    tcase_add_test(tc, rows_come_in_pieces);
    tcase_add_test(tc, reading_begins_at_any_row);
    tcase_add_test(tc, float64_is_rounded_to_float32);
    tcase_add_test(tc, float16_is_widened);
    tcase_add_test(tc, big_endian_numbers_are_turned);
    tcase_add_test(tc, header_keys_come_in_any_order_and_spacing);
    tcase_add_test(tc, version_2_has_a_longer_length);
    tcase_add_test(tc, a_missing_file_is_refused);
    tcase_add_test(tc, a_directory_is_refused);
    tcase_add_test(tc, another_kind_of_file_is_refused);
    tcase_add_test(tc, an_empty_file_is_refused);
    tcase_add_test(tc, an_unknown_version_is_refused);
    tcase_add_test(tc, a_header_past_the_end_is_refused);
    tcase_add_test(tc, bytes_behind_a_nul_in_the_header_are_refused);
    tcase_add_test(tc, a_pipe_without_a_writer_is_refused_at_once);
    tcase_add_test(tc, integers_are_refused);
    tcase_add_test(tc, long_doubles_are_refused);
    tcase_add_test(tc, structured_types_are_refused);
    tcase_add_test(tc, fortran_order_is_refused);
    tcase_add_test(tc, one_dimension_is_refused);
    tcase_add_test(tc, three_dimensions_are_refused);
    tcase_add_test(tc, a_scalar_is_refused);
    tcase_add_test(tc, zero_rows_are_refused);
    tcase_add_test(tc, dimension_zero_is_refused);
    tcase_add_test(tc, a_truncated_file_is_refused_with_both_sizes);
    tcase_add_test(tc, a_shape_beyond_all_memory_is_refused);
    tcase_add_test(tc, bytes_behind_the_last_row_are_refused);
    tcase_add_test(tc, nan_is_refused_with_row_and_coordinate);
    tcase_add_test(tc, infinity_is_refused_with_row_and_coordinate);
    tcase_add_test(tc, half_infinity_is_refused);
    tcase_add_test(tc, float64_beyond_float32_is_refused);
    tcase_add_loop_test(tc, every_cut_of_a_header_is_refused, 0, 50);
    suite_add_tcase(suite, tc);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
