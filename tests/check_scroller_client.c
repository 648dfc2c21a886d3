/* SPDX-License-Identifier: Apache-2.0 */
/* The scroller as its callers see it, over sockets. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "tests/counting_mem.h"
#include "tests/scroll_rig.h"

static struct client_rig rig;

START_TEST(all_rows_of_a_collection_come_once_in_order_as_a_matrix)
{
    struct scroll_seen seen = {.rig = NULL};

    scroll_rig_init(&rig, VECWIRE_OPTIONS(.mem = NULL), 10000);
    ck_assert_int_eq(
        scroll_rig_begin(&rig, &seen, VECWIRE_SCROLLER_OPTIONS(.page_rows = 0)),
        VECWIRE_OK);
    client_rig_run(&rig);
    ck_assert_uint_eq(seen.runs, 1);
    ck_assert_int_eq(seen.code, VECWIRE_OK);
    ck_assert_uint_eq(seen.next, 10000);
    ck_assert_uint_eq(seen.result.rows, 10000);
    ck_assert_uint_eq(seen.result.pages, 40);
    ck_assert_ptr_null(vecwire_scroller_offset(seen.s));
    vecwire_scroller_free(seen.s);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(another_scroll_goes_on_where_one_was_canceled)
{
    struct scroll_seen first = {.pauses = 1}, second = {.rig = NULL};
    const struct vecwire_scroller_options small =
        VECWIRE_SCROLLER_OPTIONS(.page_rows = 7);
    struct vecwire_scroller_options rest = small;

    scroll_rig_init(&rig, VECWIRE_OPTIONS(.mem = NULL), 100);
    ck_assert_int_eq(scroll_rig_begin(&rig, &first, small), VECWIRE_OK);
    while (scroll_rig_requests() < 3)
        ck_assert_int_eq(vecwire_loop_step(rig.loop, NULL), VECWIRE_OK);
    ck_assert(vecwire_scroller_cancel(first.s));
    client_rig_run(&rig);
    ck_assert_int_eq(first.code, VECWIRE_ECANCELED);
    rest.offset = vecwire_scroller_offset(first.s);
    second.next = first.next;
    ck_assert_uint_gt(first.next, 0);
    ck_assert_int_eq(scroll_rig_begin(&rig, &second, rest), VECWIRE_OK);
    vecwire_scroller_free(first.s);
    client_rig_run(&rig);
    ck_assert_uint_eq(second.next, 100);
    vecwire_scroller_free(second.s);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_paused_scroll_asks_for_nothing_once_two_pages_are_held)
{
    struct scroll_seen seen = {.pauses = 1};

    scroll_rig_init(&rig, VECWIRE_OPTIONS(.mem = NULL), 1000);
    ck_assert_int_eq(
        scroll_rig_begin(&rig, &seen,
                         VECWIRE_SCROLLER_OPTIONS(.page_rows = 10)),
        VECWIRE_OK);
    /* Its time runs out: nothing goes on by itself. */
    ck_assert_int_eq(vecwire_client_drain(rig.client, 50), VECWIRE_ETIMEDOUT);
    ck_assert_uint_eq(scroll_rig_requests(), 3);
    ck_assert_uint_eq(seen.turns, 1);
    ck_assert_uint_eq(vecwire_client_stats(rig.client)->connections_idle, 1);
    ck_assert(vecwire_scroller_resume(seen.s));
    client_rig_run(&rig);
    ck_assert_uint_eq(seen.next, 1000);
    vecwire_scroller_free(seen.s);
    client_rig_fini(&rig);
}
END_TEST

/* --- one page --- */

static void
note_next(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_id *next = vecwire_reply_next_offset(reply);
    uint64_t *number = arg;

    ck_assert_ptr_null(vecwire_reply_error(reply));
    ck_assert_uint_eq(vecwire_reply_rows_given(reply), 10);
    ck_assert_ptr_nonnull(next);
    ck_assert_str_eq(next->text, "10");
    ck_assert(next->is_number);
    *number = next->number;
}

START_TEST(a_page_whose_rows_went_out_before_tells_the_next_offset)
{
    struct scroll_seen seen = {.rig = NULL};
    uint64_t next = 0;

    scroll_rig_init(&rig, VECWIRE_OPTIONS(.mem = NULL), 100);
    ck_assert_int_eq(
        vecwire_scroll(rig.client,
                       &VECWIRE_SCROLL(.limit = 10, .on_rows = scroll_rig_rows,
                                       .rows_arg = &seen, .with_vector = true),
                       note_next, &next, NULL),
        VECWIRE_OK);
    client_rig_run(&rig);
    ck_assert_uint_eq(next, 10);
    client_rig_fini(&rig);
}
END_TEST

/* --- what it is begun with --- */

/* Begin with `options`; it must be refused so, in these words. */
static void
refused(struct vecwire_client *client, struct vecwire_scroller_options options,
        enum vecwire_err code, const char *words)
{
    struct vecwire_refusal refusal = {0};
    struct vecwire_scroller *s = (struct vecwire_scroller *)&refusal;

    options.refusal = &refusal;
    ck_assert_int_eq(vecwire_scroller_new(&s, client, &options), code);
    ck_assert_ptr_null(s);
    ck_assert_msg(strstr(refusal.text, words) != NULL,
                  "\"%s\" is not in \"%s\"", words, refusal.text);
}

static enum vecwire_rows_action
no_rows(const struct vecwire_reply *rows, void *arg)
{
    (void)rows;
    (void)arg;
    return VECWIRE_CONTINUE;
}

#define WITH(...) VECWIRE_SCROLLER_OPTIONS(.on_rows = no_rows, __VA_ARGS__)

START_TEST(what_cannot_be_sent_is_refused_with_its_place)
{
    struct vecwire_client *client;
    json_t *tree = json_object();

    scroll_rig_init(&rig, VECWIRE_OPTIONS(.mem = NULL), 0);
    client = rig.client;
    refused(NULL, WITH(.arg = NULL), VECWIRE_EINVAL, "client");
    refused(client, VECWIRE_SCROLLER_OPTIONS(.arg = NULL), VECWIRE_EINVAL,
            "on_rows");
    refused(client, WITH(.offset = "x"), VECWIRE_EINVAL, "offset \"x\"");
    refused(client, WITH(.filter = "[]"), VECWIRE_EINVAL, "filter");
    refused(client, WITH(.filter = "{}", .filter_tree = tree), VECWIRE_EINVAL,
            "filter");
    refused(client,
            WITH(.call = &VECWIRE_CALL_OPTIONS(.qdrant = &VECWIRE_QDRANT_PARAMS(
                                                       .order_by = "\"k\""))),
            VECWIRE_EINVAL, "order_by");
    refused(client,
            WITH(.call = &VECWIRE_CALL_OPTIONS(
                         .qdrant = &VECWIRE_QDRANT_PARAMS(.wait = true))),
            VECWIRE_EINVAL, "wait");
    refused(client, WITH(.call = &VECWIRE_CALL_OPTIONS(.collection = "a/b")),
            VECWIRE_EINVAL, "collection");
    ck_assert_int_eq(vecwire_scroller_new(NULL, client, &WITH(.arg = NULL)),
                     VECWIRE_EINVAL);
    ck_assert_uint_eq(scroll_rig_requests(), 0);
    json_decref(tree);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_dialect_without_a_scroll_is_refused)
{
    client_rig_init(&rig, NULL, 0, VECWIRE_OPTIONS(.mem = NULL));
    refused(rig.client, WITH(.arg = NULL), VECWIRE_EUNSUPPORTED, "hms");
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_closed_client_begins_no_scroll)
{
    scroll_rig_init(&rig, VECWIRE_OPTIONS(.mem = NULL), 0);
    ck_assert_int_eq(vecwire_client_close(rig.client, 0, NULL, NULL),
                     VECWIRE_OK);
    refused(rig.client, WITH(.arg = NULL), VECWIRE_ECLOSED, "closed");
    client_rig_fini(&rig);
}
END_TEST

/* Everything that it is begun with, in memory that is gone afterwards. */
static void
begin_and_forget(struct scroll_seen *seen)
{
    char filter[] = "{\"must\":[]}", shard[] = "\"s\"", name[] = "v";
    char collection[] = "other", tenant[] = "x", value[] = "y";
    const char *names[] = {name};
    struct vecwire_header header = {tenant, value};
    struct vecwire_qdrant_params params =
        VECWIRE_QDRANT_PARAMS(.shard_key = shard, .vector_names = names,
                              .n_vector_names = 1,
                              .consistency = VECWIRE_QDRANT_MAJORITY,
                              .timeout_ms = 2000);
    struct vecwire_call_options call =
        VECWIRE_CALL_OPTIONS(.collection = collection, .headers = &header,
                             .n_headers = 1, .qdrant = &params);

    ck_assert_int_eq(scroll_rig_begin(&rig, seen,
                                      VECWIRE_SCROLLER_OPTIONS(.page_rows = 10,
                                                               .filter = filter,
                                                               .call = &call)),
                     VECWIRE_OK);
    memset(filter, '#', sizeof(filter));
    memset(shard, '#', sizeof(shard));
    memset(name, '#', sizeof(name));
    memset(collection, '#', sizeof(collection));
    memset(tenant, '#', sizeof(tenant));
    memset(value, '#', sizeof(value));
    memset(names, 0, sizeof(names));
    memset(&params, 0, sizeof(params));
    memset(&call, 0, sizeof(call));
}

START_TEST(later_pages_are_asked_for_as_the_first_one_was)
{
    static const char *const parts[] = {"/collections/other/points/scroll?",
                                        "timeout=2",
                                        "consistency=majority",
                                        "x: y",
                                        "\"filter\":{\"must\":[]}",
                                        "\"shard_key\":\"s\"",
                                        "[\"v\"]",
                                        "\"offset\":20"};
    struct scroll_seen seen = {.rig = NULL};

    scroll_rig_init(&rig, VECWIRE_OPTIONS(.mem = NULL), 30);
    begin_and_forget(&seen);
    client_rig_run(&rig);
    ck_assert_uint_eq(seen.next, 30);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        ck_assert_msg(strstr(scroll_rig_request(), parts[i]) != NULL,
                      "%s is not in %s", parts[i], scroll_rig_request());
    vecwire_scroller_free(seen.s);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_filter_may_be_a_tree)
{
    struct scroll_seen seen = {.rig = NULL};
    json_t *tree = json_pack("{s:[]}", "must");

    scroll_rig_init(&rig, VECWIRE_OPTIONS(.mem = NULL), 20);
    ck_assert_int_eq(
        scroll_rig_begin(
            &rig, &seen,
            VECWIRE_SCROLLER_OPTIONS(.page_rows = 10, .filter_tree = tree)),
        VECWIRE_OK);
    json_decref(tree);
    client_rig_run(&rig);
    ck_assert_ptr_nonnull(
        strstr(scroll_rig_request(), "\"filter\":{\"must\":[]}"));
    vecwire_scroller_free(seen.s);
    client_rig_fini(&rig);
}
END_TEST

/* --- memory --- */

/* One scroll, with a pause, where the fail_at-th allocation fails, and all
 * behind it when `on`. True: that many were not asked for. */
static bool
scroll_without(size_t fail_at, bool on)
{
    struct counting_mem counting;
    struct scroll_seen seen = {.pauses = 1};
    bool enough;

    counting_mem_init(&counting);
    scroll_rig_init(&rig, VECWIRE_OPTIONS(.mem = &counting.mem), 50);
    counting_mem_arm(&counting, fail_at, on);
    if (scroll_rig_begin(
            &rig, &seen,
            VECWIRE_SCROLLER_OPTIONS(
                    .page_rows = 10, .filter = "{}",
                    .call = &VECWIRE_CALL_OPTIONS(
                            .collection = "other",
                            .headers = &(struct vecwire_header){"x", "y"},
                            .n_headers = 1))) == VECWIRE_OK) {
        while (seen.turns < 1 && seen.runs == 0)
            ck_assert_int_eq(vecwire_loop_step(rig.loop, NULL), VECWIRE_OK);
        (void)vecwire_scroller_resume(seen.s);
        client_rig_run(&rig);
        ck_assert_uint_eq(seen.runs, 1);
        ck_assert(seen.code == VECWIRE_OK || seen.code == VECWIRE_ENOMEM);
        ck_assert((seen.code == VECWIRE_OK) == (seen.next == 50));
        ck_assert_uint_eq(seen.result.rows, seen.next);
    } else {
        ck_assert_ptr_null(seen.s);
    }
    enough = counting.asked < fail_at;
    counting_mem_arm(&counting, 0, false);
    vecwire_scroller_free(seen.s);
    client_rig_fini(&rig);
    ck_assert_uint_eq(counting.blocks, 0);
    return enough;
}

START_TEST(any_allocation_may_fail)
{
    size_t n = 1;

    while (!scroll_without(n, false))
        n++;
    ck_assert_uint_gt(n, 10);
}
END_TEST

START_TEST(memory_may_run_out_anywhere)
{
    size_t n = 1;

    while (!scroll_without(n, true))
        n++;
    ck_assert_uint_gt(n, 10);
}
END_TEST

/* The most that a scroll through so many rows holds at a time. */
static size_t
most_bytes(uint64_t rows)
{
    struct counting_mem counting;
    struct scroll_seen seen = {.rig = NULL};

    counting_mem_init(&counting);
    scroll_rig_init(&rig, VECWIRE_OPTIONS(.mem = &counting.mem), rows);
    ck_assert_int_eq(
        scroll_rig_begin(&rig, &seen,
                         VECWIRE_SCROLLER_OPTIONS(.page_rows = 100)),
        VECWIRE_OK);
    client_rig_run(&rig);
    ck_assert_uint_eq(seen.next, rows);
    vecwire_scroller_free(seen.s);
    client_rig_fini(&rig);
    return counting.most;
}

START_TEST(memory_does_not_grow_with_the_collection)
{
    ck_assert_uint_le(most_bytes(20000), most_bytes(500) * 11 / 10);
}
END_TEST

/* --- lifetimes --- */

START_TEST(a_scroller_may_outlive_its_client)
{
    struct scroll_seen seen = {.pauses = 1};

    scroll_rig_init(&rig, VECWIRE_OPTIONS(.mem = NULL), 100);
    ck_assert_int_eq(
        scroll_rig_begin(&rig, &seen,
                         VECWIRE_SCROLLER_OPTIONS(.page_rows = 10)),
        VECWIRE_OK);
    while (seen.turns < 1)
        ck_assert_int_eq(vecwire_loop_step(rig.loop, NULL), VECWIRE_OK);
    vecwire_client_free(rig.client);
    rig.client = NULL;
    ck_assert_uint_eq(seen.runs, 1);
    ck_assert_int_eq(seen.code, VECWIRE_ECLOSED);
    ck_assert_uint_eq(vecwire_scroller_progress(seen.s)->rows, seen.next);
    ck_assert_int_eq(vecwire_scroller_progress(seen.s)->error->code,
                     VECWIRE_ECLOSED);
    vecwire_scroller_free(seen.s);
    client_rig_fini(&rig);
}
END_TEST

/* In a child: nothing works but free. 0: as it should be. */
static int
child(struct scroll_seen *seen)
{
    struct vecwire_scroller *other;

    if (vecwire_scroller_resume(seen->s) || vecwire_scroller_cancel(seen->s))
        return 1;
    if (vecwire_scroller_new(&other, rig.client, &WITH(.arg = NULL)) !=
        VECWIRE_ECLOSED)
        return 2;
    vecwire_scroller_free(seen->s);
    if (seen->runs != 1 || seen->code != VECWIRE_ECLOSED)
        return 3;
    vecwire_client_free(rig.client);
    return 0;
}

/* The child's end. Memcheck would count what is the parent's as lost here, so
 * it does not see a good one. */
static void
leave(int status)
{
    if (status == 0 && getenv("VECWIRE_VALGRIND") != NULL)
        execlp("true", "true", NULL);
    _exit(status);
}

START_TEST(a_forked_child_leaves_the_scroll_to_its_parent)
{
    struct scroll_seen seen = {.pauses = 1};
    int status;
    pid_t pid;

    scroll_rig_init(&rig, VECWIRE_OPTIONS(.mem = NULL), 100);
    ck_assert_int_eq(
        scroll_rig_begin(&rig, &seen,
                         VECWIRE_SCROLLER_OPTIONS(.page_rows = 10)),
        VECWIRE_OK);
    while (scroll_rig_requests() < 2)
        ck_assert_int_eq(vecwire_loop_step(rig.loop, NULL), VECWIRE_OK);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        leave(child(&seen));
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    ck_assert(vecwire_scroller_resume(seen.s));
    client_rig_run(&rig);
    ck_assert_int_eq(seen.code, VECWIRE_OK);
    ck_assert_uint_eq(seen.next, 100);
    ck_assert_uint_eq(vecwire_client_stats(rig.client)->connections_lost, 0);
    vecwire_scroller_free(seen.s);
    client_rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase,
                   all_rows_of_a_collection_come_once_in_order_as_a_matrix);
    tcase_add_test(tcase, another_scroll_goes_on_where_one_was_canceled);
    tcase_add_test(tcase,
                   a_paused_scroll_asks_for_nothing_once_two_pages_are_held);
    tcase_add_test(tcase,
                   a_page_whose_rows_went_out_before_tells_the_next_offset);
    tcase_add_test(tcase, what_cannot_be_sent_is_refused_with_its_place);
    tcase_add_test(tcase, a_dialect_without_a_scroll_is_refused);
    tcase_add_test(tcase, a_closed_client_begins_no_scroll);
    tcase_add_test(tcase, later_pages_are_asked_for_as_the_first_one_was);
    tcase_add_test(tcase, a_filter_may_be_a_tree);
    tcase_add_test(tcase, any_allocation_may_fail);
    tcase_add_test(tcase, memory_may_run_out_anywhere);
    tcase_add_test(tcase, memory_does_not_grow_with_the_collection);
    tcase_add_test(tcase, a_scroller_may_outlive_its_client);
    tcase_add_test(tcase, a_forked_child_leaves_the_scroll_to_its_parent);
}

int
main(void)
{
    return client_rig_main("scroller_client", add_tests);
}
