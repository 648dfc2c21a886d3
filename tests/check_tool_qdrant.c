/* SPDX-License-Identifier: Apache-2.0 */
/* What the tool has for Qdrant: its options; what an export writes and an
 * import reads back: .npy files whose rows are counted while they are written,
 * rows as JSON lines, vectors of every kind. */
#include "tool/npy_out.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tool/args.h"
#include "tool/npy.h"
#include "tool/row_text.h"
#include "tool/rows.h"
#include "tool/vectors.h"

static int fd = -1;
static char path[64];

static void
setup(void)
{
    fd = memfd_create("export", 0);
    ck_assert_int_ge(fd, 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
}

static void
teardown(void)
{
    close(fd);
}

/* --- options --- */

static struct tool_args args;
static struct tool_common common;

static bool
parse(const char *first, const char *second)
{
    static char words[3][40];
    static char *argv[4] = {words[0], words[1], words[2], NULL};
    int status;

    snprintf(words[0], sizeof(words[0]), "test");
    snprintf(words[1], sizeof(words[1]), "%s", first);
    snprintf(words[2], sizeof(words[2]), "%s", second);
    args = (struct tool_args){
        .command = "test", .help = "", .argc = 3, .argv = argv};
    args.options =
        &(const struct tool_option){"unused", OPTION_FLAG, NULL, 0, 0};
    return vecwire__args_parse(&args, &common, &status);
}

START_TEST(each_dialect_has_its_own_url)
{
    ck_assert(parse("--dialect=qdrant", "--collection=c"));
    ck_assert_str_eq(common.url, "http://127.0.0.1:6333");
    ck_assert_int_eq(common.dialect, VECWIRE_QDRANT);
    ck_assert_str_eq(common.collection, "c");
}
END_TEST

START_TEST(qdrant_needs_a_collection)
{
    ck_assert(parse("--dialect=qdrant", "--json"));
    ck_assert(!vecwire__args_has_collection(&args, &common));
    ck_assert(vecwire__args_has_collections(&args, &common));
}
END_TEST

START_TEST(hms_has_no_collections)
{
    ck_assert(parse("--dialect=hms", "--json"));
    ck_assert(vecwire__args_has_collection(&args, &common));
    ck_assert(!vecwire__args_has_collections(&args, &common));
}
END_TEST

/* --- .npy --- */

START_TEST(a_file_of_rows_is_read_back_bit_for_bit)
{
    const float rows[6] = {1, -0.0f, 0x1p-149f, 3.4028234e38f, 0.1f, -2};
    struct npy_out out;
    struct npy npy;
    float got[6];
    char why[NPY_WHY_MAX];

    ck_assert(vecwire__npy_out_open(&out, path));
    ck_assert(vecwire__npy_out_add(&out, rows, 1, 2));
    ck_assert(vecwire__npy_out_add(&out, rows + 2, 2, 2));
    ck_assert(vecwire__npy_out_close(&out));
    ck_assert_msg(vecwire__npy_open(&npy, path, why), "%s", why);
    ck_assert_uint_eq(npy.rows, 3);
    ck_assert_uint_eq(npy.dim, 2);
    ck_assert_uint_eq(vecwire__npy_read(&npy, 9, got, why), 3);
    ck_assert_mem_eq(got, rows, sizeof(rows));
    vecwire__npy_close(&npy);
}
END_TEST

START_TEST(the_header_is_that_of_numpy)
{
    const float row[2] = {1, 2};
    struct npy_out out;
    char got[137] = "";

    ck_assert(vecwire__npy_out_open(&out, path));
    ck_assert(vecwire__npy_out_add(&out, row, 1, 2));
    ck_assert(vecwire__npy_out_close(&out));
    ck_assert_int_eq(pread(fd, got, sizeof(got), 0), 136);
    ck_assert_mem_eq(got, "\x93NUMPY\x01\x00\x76\x00{'descr': '", 21);
    ck_assert_mem_eq(got + 22,
                     "f4', 'fortran_order': False, 'shape': (1, 2), }  ", 49);
    ck_assert_int_eq(got[127], '\n');
}
END_TEST

START_TEST(a_disk_that_is_full_is_noticed_at_the_close)
{
    const float row[2] = {1, 2};
    struct npy_out out;
    bool fine = vecwire__npy_out_open(&out, "/dev/full") &&
                vecwire__npy_out_add(&out, row, 1, 2);

    ck_assert(!vecwire__npy_out_close(&out) && fine);
}
END_TEST

START_TEST(a_directory_is_no_file)
{
    struct npy_out out;

    ck_assert(!vecwire__npy_out_open(&out, "/"));
    ck_assert(!vecwire__npy_out_close(&out));
}
END_TEST

/* --- rows as text --- */

static char *
text_of(const struct vecwire_row *row)
{
    static char text[1024];
    FILE *file = fmemopen(text, sizeof(text), "w");

    ck_assert_ptr_nonnull(file);
    vecwire__row_text(file, row, true, true);
    fclose(file);
    return text;
}

static const float floats[4] = {1, 0.5f, -3, 1e20f};
static const uint32_t indices[2] = {7, 4294967295u};

START_TEST(an_id_of_64_bits_is_written_as_a_number)
{
    struct vecwire_row row = {
        .id = {.text = "18446744073709551615",
               .len = 20,
               .number = UINT64_MAX,
               .is_number = true},
        .payload = "{\"n\":1.50}",
        .payload_len = 10,
    };

    ck_assert_str_eq(text_of(&row), "{\"id\":18446744073709551615,"
                                    "\"vector\":{},\"payload\":{\"n\":1.50}}");
}
END_TEST

START_TEST(one_unnamed_vector_is_an_array)
{
    const struct vecwire_vector vector = {.values = floats, .dim = 4};
    struct vecwire_row row = {
        .id = {.text = "a", .len = 1}, .vectors = &vector, .n_vectors = 1};

    ck_assert_str_eq(text_of(&row),
                     "{\"id\":\"a\",\"vector\":[1,0.5,-3,1e20]}");
}
END_TEST

START_TEST(named_sparse_and_multi_vectors_have_their_own_forms)
{
    const struct vecwire_vector list[3] = {
        {.name = "d\"", .values = floats, .dim = 2},
        {.name = "s", .values = floats, .indices = indices, .dim = 2},
        {.name = "m", .values = floats, .dim = 2, .rows = 2}};
    struct vecwire_row row = {
        .id = {.text = "a", .len = 1}, .vectors = list, .n_vectors = 3};

    ck_assert_str_eq(text_of(&row),
                     "{\"id\":\"a\",\"vector\":{\"d\\\"\":[1,0.5],"
                     "\"s\":{\"indices\":[7,4294967295],\"values\":[1,0.5]},"
                     "\"m\":[[1,0.5],[-3,1e20]]}}");
}
END_TEST

START_TEST(a_payload_of_several_lines_becomes_one)
{
    struct vecwire_row row = {.id = {.text = "a", .len = 1},
                              .payload = "{\n \"a\":\r\n1}",
                              .payload_len = 11};

    ck_assert_str_eq(text_of(&row),
                     "{\"id\":\"a\",\"vector\":{},\"payload\":{  \"a\":  1}}");
}
END_TEST

/* --- vectors of any kind --- */

static struct vectors vectors;

static bool
read_text(const char *json, char *why)
{
    return vecwire__vectors_read(&vectors, (struct span){json, strlen(json)},
                                 why);
}

static const char *const kinds[] = {
    "[1,0.5,-3]",
    "[[1,2],[3,4],[5,6]]",
    "{\"a\":[1,2]}",
    "{\"a\":[1,2],\"b\":{\"indices\":[0,4294967295],\"values\":[1,-2]}}",
    "{\"s\":{\"indices\":[],\"values\":[]}}",
    "{\"\":[1,2],\"m\":[[1],[2]]}",
    "{}",
};

START_TEST(what_is_written_is_read_back)
{
    struct vecwire_row row = {.id = {.text = "a", .len = 1}};
    char why[VECTORS_WHY_MAX], wanted[200];

    ck_assert_msg(read_text(kinds[_i], why), "%s", why);
    row.vectors = vectors.list;
    row.n_vectors = vectors.n;
    snprintf(wanted, sizeof(wanted), "{\"id\":\"a\",\"vector\":%s}", kinds[_i]);
    ck_assert_str_eq(text_of(&row), wanted);
    vecwire__vectors_free(&vectors);
}
END_TEST

START_TEST(null_is_no_vector)
{
    char why[VECTORS_WHY_MAX];

    ck_assert(read_text("null", why));
    ck_assert_uint_eq(vectors.n, 0);
}
END_TEST

START_TEST(an_object_without_indices_is_left_to_the_server)
{
    char why[VECTORS_WHY_MAX];

    ck_assert(read_text("{\"a\":{\"text\":\"x\",\"model\":\"m\"}}", why));
    ck_assert_str_eq(vectors.list[0].inference,
                     "{\"text\":\"x\",\"model\":\"m\"}");
    vecwire__vectors_free(&vectors);
}
END_TEST

static const char *const bad[][2] = {
    {"7", "a vector is neither an array nor an object"},
    {"[]", "the vector is empty"},
    {"[1,\"x\"]", "vector, coordinate 1 is no number"},
    {"[1,1e39]", "vector, coordinate 1 is beyond float32"},
    {"[[1,2],[3]]", "row 1 of the vector has 1 coordinates, those before it "
                    "have 2"},
    {"[[1],2]", "the vector is no array of arrays"},
    {"[[]]", "the vector is empty"},
    {"{\"a\":1}", "vector \"a\": a vector is neither an array nor an object"},
    {"{\"s\":{\"indices\":[1]}}",
     "vector \"s\": a sparse vector needs \"indices\" and \"values\""},
    {"{\"s\":{\"indices\":[1,2],\"values\":[1]}}",
     "vector \"s\": a sparse vector has 2 indices and 1 values"},
    {"{\"s\":{\"indices\":[4294967296],\"values\":[1]}}",
     "vector \"s\": index 0 of the sparse vector is no whole number from 0 to "
     "4294967295"},
    {"{\"s\":{\"indices\":[-1],\"values\":[1]}}",
     "vector \"s\": index 0 of the sparse vector is no whole number from 0 to "
     "4294967295"},
};

START_TEST(a_bad_vector_is_told)
{
    char why[VECTORS_WHY_MAX] = "";

    ck_assert(!read_text(bad[_i][0], why));
    ck_assert_str_eq(why, bad[_i][1]);
    ck_assert_ptr_null(vectors.list);
}
END_TEST

/* --- the batches of an import --- */

static const char lines[] =
    "{\"id\":1,\"vector\":[1,2]}\n{\"id\":2,\"vector\":[3,4]}\n"
    "{\"id\":3,\"vector\":{\"a\":[1]}}\n{\"id\":4}\n"
    "{\"id\":5,\"vector\":null}\n{\"id\":6,\"vector\":[[1],[2]]}\n"
    "{\"id\":7,\"vector\":[5,6]}\n{\"id\":8,\"vector\":{\"a\":7}}\n";

static void
expect_batch(struct rows *rows, size_t count, bool have_lists)
{
    vecwire__rows_next(rows);
    ck_assert_uint_eq(rows->count, count);
    ck_assert_int_eq(rows->have_lists, have_lists);
    ck_assert_int_eq(rows->have_vectors, !have_lists);
}

START_TEST(plain_vectors_and_others_are_batches_of_their_own)
{
    struct rows rows = {.path = path, .batch = 9, .any_vectors = true};

    ck_assert_int_eq(write(fd, lines, strlen(lines)), (ssize_t)strlen(lines));
    ck_assert_msg(vecwire__rows_open(&rows), "%s", rows.why);
    expect_batch(&rows, 2, false);
    expect_batch(&rows, 4, true);
    ck_assert_uint_eq(rows.lists[0].n, 1);
    ck_assert_str_eq(rows.lists[0].list[0].name, "a");
    ck_assert_uint_eq(rows.lists[1].n, 0);
    ck_assert_uint_eq(rows.lists[2].n, 0);
    ck_assert_uint_eq(rows.lists[3].list[0].rows, 2);
    expect_batch(&rows, 1, false);
    ck_assert(rows.bad);
    ck_assert_uint_eq(rows.why_line, 8);
    vecwire__rows_close(&rows);
}
END_TEST

START_TEST(ids_lie_beside_the_numbers)
{
    char *made = vecwire__rows_ids_path("a.npy/b.npy");

    ck_assert_str_eq(made, "a.npy/b.ids.jsonl");
    free(made);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("tool_qdrant");
    TCase *tc = tcase_create("all");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, each_dialect_has_its_own_url);
    tcase_add_test(tc, qdrant_needs_a_collection);
    tcase_add_test(tc, hms_has_no_collections);
    tcase_add_test(tc, plain_vectors_and_others_are_batches_of_their_own);
    tcase_add_test(tc, ids_lie_beside_the_numbers);
    tcase_add_test(tc, a_file_of_rows_is_read_back_bit_for_bit);
    tcase_add_test(tc, the_header_is_that_of_numpy);
    tcase_add_test(tc, a_disk_that_is_full_is_noticed_at_the_close);
    tcase_add_test(tc, a_directory_is_no_file);
    tcase_add_test(tc, an_id_of_64_bits_is_written_as_a_number);
    tcase_add_test(tc, one_unnamed_vector_is_an_array);
    tcase_add_test(tc, named_sparse_and_multi_vectors_have_their_own_forms);
    tcase_add_test(tc, a_payload_of_several_lines_becomes_one);
    tcase_add_loop_test(tc, what_is_written_is_read_back, 0,
                        (int)(sizeof(kinds) / sizeof(kinds[0])));
    tcase_add_test(tc, null_is_no_vector);
    tcase_add_test(tc, an_object_without_indices_is_left_to_the_server);
    tcase_add_loop_test(tc, a_bad_vector_is_told, 0,
                        (int)(sizeof(bad) / sizeof(bad[0])));
    suite_add_tcase(suite, tc);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
