/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader against jansson, on damaged texts, and against strtof(), on
 * vectors in segments of any size. */
#include <jansson.h>

#include "tests/json_documents.h"

#define N_MUTANTS 100000
#define N_ROWS 4000
#define ROW_MAX 40

static uint64_t random_state;

/* splitmix64 */
static uint64_t
next_random(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t
below(size_t n)
{
    return (size_t)(next_random() % n);
}

struct mutant {
    char text[2048];
    size_t len;
};

static void
replace(struct mutant *mutant, size_t at, size_t n, const char *with, size_t m)
{
    if (mutant->len - n + m > sizeof(mutant->text))
        return;
    memmove(mutant->text + at + m, mutant->text + at + n, mutant->len - at - n);
    memcpy(mutant->text + at, with, m);
    mutant->len = mutant->len - n + m;
}

static void
mutate(struct mutant *mutant)
{
    static const char letters[] = "0123456789.-+eE,[]{}:\"\\ \t\nabnrtu/\x01"
                                  "\x1f\x7f\x80\xbf\xc2\xe0\xed\xf0\xf4\xff";
    static const char *const pieces[] = {"null",
                                         "true",
                                         "1e5",
                                         "-0",
                                         "\\ud800",
                                         "\\u",
                                         "\\udc00",
                                         "\\u00",
                                         "[]",
                                         "{}",
                                         "0.1,",
                                         "\xed\xa0\x80",
                                         "\xf4\x90\x80\x80",
                                         "\xc0\xaf",
                                         "1e400",
                                         "00",
                                         "-",
                                         "\"\":1,",
                                         "\\u0000",
                                         "\\ud83d\\ude00",
                                         "1.0e+",
                                         "false"};
    size_t at = below(mutant->len), n = 1 + below(12), i;
    char copy[32];

    n = n < mutant->len - at ? n : mutant->len - at;
    switch (below(5)) {
    case 0:
        i = below(sizeof(letters) - 1);
        replace(mutant, at, below(2), letters + i, 1);
        break;
    case 1:
        replace(mutant, at, 1, "", 0);
        break;
    case 2:
        if (n < mutant->len)
            replace(mutant, at, n, "", 0);
        break;
    case 3:
        memcpy(copy, mutant->text + at, n);
        replace(mutant, below(mutant->len), 0, copy, n);
        break;
    default:
        i = below(sizeof(pieces) / sizeof(pieces[0]));
        replace(mutant, at, 0, pieces[i], strlen(pieces[i]));
        break;
    }
}

static void
make_mutant(struct mutant *mutant)
{
    size_t at;
    char *text =
        document_text(&documents[below(N_DOCUMENTS)], &mutant->len, &at);

    memcpy(mutant->text, text, mutant->len);
    free(text);
    for (size_t n = below(4); n > 0 && mutant->len > 0; n--)
        mutate(mutant);
}

/* What jansson refuses though it is JSON: numbers that its types do not hold,
 * NUL in keys. */
static bool
is_json_for_jansson(const struct mutant *mutant, bool *beyond)
{
    json_error_t error;
    json_t *tree = json_loadb(mutant->text, mutant->len,
                              JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    enum json_error_code code = json_error_code(&error);

    *beyond = tree == NULL && (code == json_error_numeric_overflow ||
                               code == json_error_null_byte_in_key ||
                               code == json_error_null_character);
    if (tree == NULL)
        return false;
    json_decref(tree);
    return true;
}

START_TEST(what_is_json_is_what_jansson_takes)
{
    size_t accepted = 0, n_beyond = 0;
    struct mutant mutant;

    random_state = (uint64_t)_i;
    for (int i = 0; i < N_MUTANTS / 4; i++) {
        enum vecwire__json_rc rc;
        bool theirs, beyond;

        make_mutant(&mutant);
        theirs = is_json_for_jansson(&mutant, &beyond);
        rc = vecwire__json_check(mutant.text, mutant.len, 255, false, NULL);
        accepted += rc == VECWIRE__JSON_DONE;
        n_beyond += beyond;
        REQUIRE(beyond || theirs == (rc == VECWIRE__JSON_DONE), "%s: %.*s",
                vecwire__json_rc_text(rc), (int)mutant.len, mutant.text);
    }
    /* neither half may be missing */
    ck_assert_uint_gt(accepted, N_MUTANTS / 40);
    ck_assert_uint_lt(accepted, N_MUTANTS / 5);
    ck_assert_uint_lt(n_beyond, N_MUTANTS / 80);
}
END_TEST

static size_t
random_cuts(size_t len, size_t *cuts, size_t most)
{
    size_t n = 1 + below(most);

    for (size_t i = 0; i < n; i++) {
        size_t cut = below(len + 1), j = i;

        for (; j > 0 && cuts[j - 1] > cut; j--)
            cuts[j] = cuts[j - 1];
        cuts[j] = cut;
    }
    return n;
}

START_TEST(a_damaged_text_is_refused_at_one_place_however_it_is_cut)
{
    struct record whole, parts;
    struct mutant mutant;
    size_t cuts[8], offset;

    random_state = (uint64_t)_i;
    record_init(&whole);
    record_init(&parts);
    for (int i = 0; i < N_MUTANTS / 4; i++) {
        enum vecwire__json_rc rc;

        make_mutant(&mutant);
        record_whole(&whole, &record_table, mutant.text, mutant.len);
        record_cut(&parts, &record_table, mutant.text, mutant.len, cuts,
                   random_cuts(mutant.len, cuts, 8));
        REQUIRE(record_same(&whole, &parts), "%.*s", (int)mutant.len,
                mutant.text);
        rc = vecwire__json_check(mutant.text, mutant.len, 128, false, &offset);
        /* what the table asks for comes on top of the grammar */
        REQUIRE(whole.rc != VECWIRE__JSON_DONE || rc == VECWIRE__JSON_DONE,
                "%.*s", (int)mutant.len, mutant.text);
        REQUIRE((whole.rc != VECWIRE__JSON_EGRAMMAR &&
                 whole.rc != VECWIRE__JSON_EEND) ||
                    (rc == whole.rc && offset == whole.offset),
                "%.*s: %zu, not %zu", (int)mutant.len, mutant.text, offset,
                (size_t)whole.offset);
    }
    record_fini(&whole);
    record_fini(&parts);
}
END_TEST

/* Numbers of all looks, those of vectors most often. */
static size_t
print_number(char *text)
{
    uint64_t random = next_random();
    uint32_t bits = (uint32_t)(random >> 32);
    double value = (double)(int32_t)bits / 2147483648.0;
    float any;

    if ((bits & 0x7f800000u) == 0x7f800000u)
        bits ^= 0x40000000u;
    memcpy(&any, &bits, sizeof(any));
    switch (random % 10) {
    case 0:
        return (size_t)sprintf(text, "%d", (int)(bits % 256));
    case 1:
        return (size_t)sprintf(text, "%.9g", (double)any);
    case 2: /* half way to the next float, with all its digits */
        return (size_t)sprintf(text, "%.40f", value + 1.0 / 33554432.0);
    case 3:
        return (size_t)sprintf(text, "%.3f", value * 100.0);
    case 4:
        return (size_t)sprintf(text, "%.17g", value);
    default:
        return (size_t)sprintf(text, "%.8f", value);
    }
}

static const char *
print_blank(void)
{
    static const char *const blanks[] = {" ", "\n", "\t ", " \r\n "};

    return below(12) == 0 ? blanks[below(4)] : "";
}

struct numbers {
    float expected[ROW_MAX];
    size_t n;
    char text[ROW_MAX * 64];
    size_t len;
};

static void
add_text(struct numbers *numbers, const char *text)
{
    size_t n = strlen(text);

    memcpy(numbers->text + numbers->len, text, n);
    numbers->len += n;
}

static void
make_numbers(struct numbers *numbers)
{
    char number[64];

    numbers->len = 0;
    numbers->n = below(ROW_MAX + 1);
    add_text(numbers, "[{\"vector\":[");
    for (size_t i = 0; i < numbers->n; i++) {
        number[print_number(number)] = '\0';
        numbers->expected[i] = strtof(number, NULL);
        add_text(numbers, i == 0 ? "" : ",");
        add_text(numbers, print_blank());
        add_text(numbers, number);
        add_text(numbers, print_blank());
    }
    add_text(numbers, "]}]");
}

struct row_sink {
    float row[ROW_MAX];
    size_t n;
};

static bool
take_row(struct vecwire__json_reader *reader, enum vecwire__json_event event,
         unsigned tag)
{
    struct row_sink *sink = reader->ctx;

    (void)tag;
    if (event == VECWIRE__JSON_EV_ROW) {
        reader->floats = sink->row;
        reader->room = ROW_MAX;
    } else if (event == VECWIRE__JSON_EV_F32S) {
        sink->n = reader->n;
    }
    return event != VECWIRE__JSON_EV_GROW;
}

START_TEST(floats_are_those_of_strtof_in_segments_of_any_size)
{
    struct numbers numbers;
    struct row_sink sink;
    size_t cuts[8];

    random_state = (uint64_t)_i;
    for (int i = 0; i < N_ROWS; i++) {
        struct vecwire__json_reader reader;
        size_t n_cuts, from = 0;

        make_numbers(&numbers);
        n_cuts = random_cuts(numbers.len, cuts, 7);
        cuts[n_cuts] = numbers.len;
        vecwire__json_init(&reader, &record_rows, take_row, &sink, NULL, 9);
        for (size_t j = 0; j <= n_cuts; from = cuts[j], j++)
            (void)record_feed(&reader, numbers.text + from, cuts[j] - from);
        REQUIRE(vecwire__json_finish(&reader) == VECWIRE__JSON_DONE, "%.*s",
                (int)numbers.len, numbers.text);
        REQUIRE(sink.n == numbers.n, "%.*s", (int)numbers.len, numbers.text);
        REQUIRE(memcmp(sink.row, numbers.expected, numbers.n * sizeof(float)) ==
                    0,
                "%.*s", (int)numbers.len, numbers.text);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("json_mutants");
    TCase *tcase = tcase_create("mutants");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, what_is_json_is_what_jansson_takes, 0, 4);
    tcase_add_loop_test(
        tcase, a_damaged_text_is_refused_at_one_place_however_it_is_cut, 0, 4);
    tcase_add_loop_test(
        tcase, floats_are_those_of_strtof_in_segments_of_any_size, 0, 2);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
