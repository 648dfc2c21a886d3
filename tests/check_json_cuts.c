/* SPDX-License-Identifier: Apache-2.0 */
/* However a text is cut, the JSON reader tells the same. */
#include <sys/mman.h>
#include <unistd.h>

#include "tests/json_documents.h"

/* Each test takes every GROUPS-th document, in a process of its own. */
#define GROUPS 6

static struct record whole, parts;
static const struct document *document;
static char *text; /* the document's, */
static size_t len; /* of so many bytes, */
static size_t at;  /* with its fault here */

static void
for_each(int group, void (*fact)(void))
{
    for (size_t i = (size_t)group; i < N_DOCUMENTS; i += GROUPS) {
        record_init(&whole);
        record_init(&parts);
        document = &documents[i];
        text = document_text(document, &len, &at);
        record_whole(&whole, &record_table, text, len);
        fact();
        free(text);
        record_fini(&whole);
        record_fini(&parts);
    }
}

static void
require_same(size_t a, size_t b)
{
    REQUIRE(record_same(&whole, &parts),
            "%s: with %zu and %zu: %s at %llu (%s), not %s at %llu (%s)\n"
            "%.*s\n%.*s",
            text, a, b, vecwire__json_rc_text(parts.rc),
            (unsigned long long)parts.offset, parts.key,
            vecwire__json_rc_text(whole.rc), (unsigned long long)whole.offset,
            whole.key, (int)whole.log.len, whole.log.bytes, (int)parts.log.len,
            parts.log.bytes);
}

static void
ends_as_it_should(void)
{
    ck_assert_msg(whole.rc == document->rc, "%s: %s", text,
                  vecwire__json_rc_text(whole.rc));
    if (whole.rc != VECWIRE__JSON_DONE)
        ck_assert_msg(whole.offset == at, "%s: at %llu, not %zu", text,
                      (unsigned long long)whole.offset, at);
    ck_assert_str_eq(whole.key, document->key);
}

START_TEST(every_document_ends_as_it_should)
{
    for_each(_i, ends_as_it_should);
}
END_TEST

static void
one_cut(void)
{
    for (size_t cut = 0; cut <= len; cut++) {
        record_cut(&parts, &record_table, text, len, &cut, 1);
        require_same(cut, cut);
    }
}

START_TEST(a_cut_at_any_place_changes_nothing)
{
    for_each(_i, one_cut);
}
END_TEST

static void
two_cuts(void)
{
    size_t cuts[2];

    for (cuts[0] = 0; cuts[0] <= len; cuts[0]++) {
        for (cuts[1] = cuts[0]; cuts[1] <= len; cuts[1]++) {
            record_cut(&parts, &record_table, text, len, cuts, 2);
            require_same(cuts[0], cuts[1]);
        }
    }
}

START_TEST(cuts_at_any_two_places_change_nothing)
{
    for_each(_i, two_cuts);
}
END_TEST

static void
all_steps(void)
{
    for (size_t step = 1; step < 80; step++) {
        record_steps(&parts, &record_table, text, len, step);
        require_same(step, step);
    }
}

START_TEST(segments_of_any_size_change_nothing)
{
    for_each(_i, all_steps);
}
END_TEST

static void
all_prefixes(void)
{
    bool good = document->rc == VECWIRE__JSON_DONE;

    for (size_t n = 0; n < at; n++) {
        bool complete = good && strspn(text + n, " \t\r\n") == len - n;

        record_whole(&parts, &record_table, text, n);
        /* a fault behind a whole document has a whole one before it */
        if (!good && parts.rc == VECWIRE__JSON_DONE && text[n - 1] == '}')
            break;
        REQUIRE(parts.rc ==
                    (complete ? VECWIRE__JSON_DONE : VECWIRE__JSON_EEND),
                "%.*s: %s", (int)n, text, vecwire__json_rc_text(parts.rc));
        REQUIRE(complete || parts.offset == n, "%.*s", (int)n, text);
    }
}

START_TEST(every_proper_prefix_ended_too_early)
{
    for_each(_i, all_prefixes);
}
END_TEST

/* A page between two that must not be touched. */
static char *
guarded_page(size_t page)
{
    char *pages =
        mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(pages, MAP_FAILED);
    ck_assert_int_eq(mprotect(pages + page, page, PROT_READ | PROT_WRITE), 0);
    return pages + page;
}

/* Each half once at the beginning of the page, once at its end. */
static void
halves_between_guards(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *guarded = guarded_page(page);
    struct vecwire__json_reader reader;

    for (size_t cut = 0; cut <= len; cut++) {
        for (int side = 0; side < 2; side++) {
            size_t n[2] = {cut, len - cut}, from = 0;

            record_begin(&parts, &reader, &record_table);
            for (int half = 0; half < 2; from += n[half], half++) {
                char *place = side == half ? guarded : guarded + page - n[half];

                memcpy(place, text + from, n[half]);
                (void)vecwire__json_feed(&reader, place, n[half]);
            }
            record_end(&parts, &reader);
            require_same(cut, (size_t)side);
        }
    }
    ck_assert_int_eq(munmap(guarded - page, 3 * page), 0);
}

START_TEST(no_byte_outside_a_segment_is_read)
{
    for_each(_i, halves_between_guards);
}
END_TEST

static void
small_limits(void)
{
    for (size_t max = 1; max < 24; max++) {
        whole.texts.max = parts.texts.max = max;
        vecwire__buf_fini(&whole.texts);
        record_whole(&whole, &record_table, text, len);
        for (size_t step = 1; step < 20; step++) {
            vecwire__buf_fini(&parts.texts);
            record_steps(&parts, &record_table, text, len, step);
            require_same(step, max);
        }
    }
}

START_TEST(a_limit_on_texts_is_met_wherever_the_text_is_cut)
{
    for_each(_i, small_limits);
}
END_TEST

static void
each_event_refused(void)
{
    for (int event = 0; event <= VECWIRE__JSON_EV_NULL; event++) {
        whole.refused = parts.refused = event;
        record_whole(&whole, &record_table, text, len);
        for (size_t step = 1; step < 40; step++) {
            record_steps(&parts, &record_table, text, len, step);
            require_same(step, (size_t)event);
        }
    }
}

START_TEST(an_event_refused_is_refused_wherever_the_text_is_cut)
{
    for_each(_i, each_event_refused);
}
END_TEST

START_TEST(each_event_can_be_refused)
{
    static const char all[] =
        "{\"any\":[],\"ok\":true,\"time\":1,\"status\":1,\"result\":{\"count\":"
        "1,\"points\":[{\"name\":\"\",\"vector\":[1],\"payload\":null}]},"
        "\"either\":[{\"vector\":{\"a\":[[1]]}}]}";

    record_init(&whole);
    whole.refused = _i;
    record_whole(&whole, &record_table, all, sizeof(all) - 1);
    ck_assert_int_eq(whole.rc, VECWIRE__JSON_ESINK);
    record_fini(&whole);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("json_cuts");
    TCase *tcase = tcase_create("cuts");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, every_document_ends_as_it_should, 0, GROUPS);
    tcase_add_loop_test(tcase, a_cut_at_any_place_changes_nothing, 0, GROUPS);
    tcase_add_loop_test(tcase, cuts_at_any_two_places_change_nothing, 0,
                        GROUPS);
    tcase_add_loop_test(tcase, segments_of_any_size_change_nothing, 0, GROUPS);
    tcase_add_loop_test(tcase, every_proper_prefix_ended_too_early, 0, GROUPS);
    tcase_add_loop_test(tcase, no_byte_outside_a_segment_is_read, 0, GROUPS);
    tcase_add_loop_test(tcase, a_limit_on_texts_is_met_wherever_the_text_is_cut,
                        0, GROUPS);
    tcase_add_loop_test(
        tcase, an_event_refused_is_refused_wherever_the_text_is_cut, 0, GROUPS);
    tcase_add_loop_test(tcase, each_event_can_be_refused, 0,
                        VECWIRE__JSON_EV_NULL + 1);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
