/* SPDX-License-Identifier: Apache-2.0 */
/* The batches of an import: rows with vectors and rows without. */
#include "tool/rows.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int fd = -1;
static char path[64];
static struct rows rows;

static void
open_text(const char *text, size_t batch)
{
    fd = memfd_create("rows", 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    memset(&rows, 0, sizeof(rows));
    rows.path = path;
    rows.batch = batch;
    ck_assert_msg(vecwire__rows_open(&rows), "%s", rows.why);
}

static void
teardown(void)
{
    if (fd >= 0) {
        vecwire__rows_close(&rows);
        close(fd);
    }
    fd = -1;
}

/* The next batch: its first row's number, its rows' ids, their kind. */
static void
expect(uint64_t first, const char *ids, bool have_vectors)
{
    char got[256] = "";

    vecwire__rows_next(&rows);
    for (size_t i = 0; i < rows.count; i++) {
        size_t len = strlen(got);

        snprintf(got + len, sizeof(got) - len, "%s ", rows.ids[i]);
    }
    ck_assert_str_eq(got, ids);
    ck_assert_uint_eq(rows.first, first);
    ck_assert_int_eq(rows.have_vectors, have_vectors);
}

#define VECTOR(id, x) "{\"id\":\"" id "\",\"vector\":[" x ",0]}\n"
#define TEXT(id) "{\"id\":\"" id "\",\"text\":\"t\"}\n"

START_TEST(a_batch_has_vectors_for_all_rows_or_for_none)
{
    open_text(VECTOR("a", "1") VECTOR("b", "2") TEXT("c") TEXT("d")
                  VECTOR("e", "5"),
              10);
    expect(0, "a b ", true);
    expect(2, "c d ", false);
    expect(4, "e ", true);
    ck_assert(rows.matrix[0] == 5);
    ck_assert(rows.ended && !rows.bad);
}
END_TEST

START_TEST(a_batch_that_is_full_ends_where_it_would)
{
    open_text(VECTOR("a", "1") VECTOR("b", "2") TEXT("c"), 2);
    expect(0, "a b ", true);
    expect(2, "c ", false);
}
END_TEST

START_TEST(a_file_may_have_no_vector_at_all)
{
    open_text(TEXT("a") TEXT("b"), 10);
    expect(0, "a b ", false);
    ck_assert_ptr_nonnull(rows.texts[1]);
    ck_assert_uint_eq(rows.dim, 0);
}
END_TEST

START_TEST(rows_without_ids_are_numbered_through)
{
    open_text("{\"vector\":[1]}\n{\"text\":\"t\"}\n{\"vector\":[2]}\n", 10);
    expect(0, "0 ", true);
    expect(1, "1 ", false);
    expect(2, "2 ", true);
}
END_TEST

START_TEST(a_bad_line_behind_a_row_that_waits_is_told)
{
    open_text(VECTOR("a", "1") TEXT("b") "nonsense\n", 10);
    expect(0, "a ", true);
    ck_assert(!rows.bad);
    expect(1, "b ", false);
    ck_assert(rows.bad);
    ck_assert_uint_eq(rows.why_line, 3);
}
END_TEST

START_TEST(a_row_that_waits_is_freed_with_the_rest)
{
    open_text(VECTOR("a", "1") TEXT("b"), 10);
    expect(0, "a ", true);
    ck_assert(rows.holds);
    vecwire__rows_close(&rows);
    ck_assert(!rows.holds);
    ck_assert_ptr_null(rows.held.text);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("tool rows");
    TCase *tc = tcase_create("tool rows");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, NULL, teardown);
    tcase_add_test(tc, a_batch_has_vectors_for_all_rows_or_for_none);
    tcase_add_test(tc, a_batch_that_is_full_ends_where_it_would);
    tcase_add_test(tc, a_file_may_have_no_vector_at_all);
    tcase_add_test(tc, rows_without_ids_are_numbered_through);
    tcase_add_test(tc, a_bad_line_behind_a_row_that_waits_is_told);
    tcase_add_test(tc, a_row_that_waits_is_freed_with_the_rest);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
