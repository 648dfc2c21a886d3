/* SPDX-License-Identifier: Apache-2.0 */
/* Points: stored, got, changed, deleted, scrolled over and uploaded. */
#include "tests/live_qdrant.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N_MANY 1000

static uint64_t
count(const char *filter)
{
    return vecwire_reply_total(live_fine_reply(
        vecwire_count(live.client, &VECWIRE_COUNT(.filter = filter), live_keep,
                      live_slot(), NULL)));
}

static const struct vecwire_row *
get(uint64_t number)
{
    const struct vecwire_reply *reply = live_fine_reply(
        vecwire_get(live.client,
                    &VECWIRE_GET(.numbers = &number, .rows = 1,
                                 .with_payload = true, .with_vector = true),
                    live_keep, live_slot(), NULL));

    ck_assert_uint_eq(vecwire_reply_count(reply), 1);
    return vecwire_reply_row(reply, 0);
}

START_TEST(rows_of_all_forms_come_back_bit_for_bit)
{
    static const float dense[] = {0.1F, -1e-42F, 3.4e38F, 16777217.0F};
    static const float values[] = {0.75F, 0.25F};
    static const uint32_t indices[] = {UINT32_MAX, 5};
    static const struct vecwire_vector both[] = {
        {.values = dense, .dim = 4},
        {.name = "s", .values = values, .indices = indices, .dim = 2}};
    static const struct vecwire_vectors vectors[] = {{both, 2}, {both + 1, 1}};
    static const char *const ids[] = {"18446744073709551615",
                                      "550E8400-E29B-41D4-A716-446655440000"};
    static const char *const payloads[] = {
        "{\"z\":1234567890123456789,\"a\":\"\xc3\xa9\"}", NULL};
    const struct vecwire_reply *reply;
    const struct vecwire_row *row;

    live_fine_reply(vecwire_upsert(
        live.client,
        &VECWIRE_UPSERT(.ids = ids, .rows = 2, .vectors = vectors,
                        .payloads = payloads, .call = &live_wait),
        live_keep, live_slot(), NULL));
    reply = live_fine_reply(
        vecwire_get(live.client,
                    &VECWIRE_GET(.ids = ids, .rows = 2, .with_payload = true,
                                 .with_vector = true),
                    live_keep, live_slot(), NULL));
    live_ids(reply,
             "18446744073709551615 550e8400-e29b-41d4-a716-446655440000");
    row = vecwire_reply_row(reply, 0);
    ck_assert(row->id.is_number && row->id.number == UINT64_MAX);
    ck_assert_str_eq(row->payload, payloads[0]);
    ck_assert_mem_eq(vecwire_row_vector(row, NULL)->values, dense,
                     sizeof(dense));
    ck_assert_uint_eq(vecwire_row_vector(row, "s")->indices[0], 5);
    ck_assert(vecwire_row_vector(row, "s")->values[0] == 0.25F);
    row = vecwire_reply_row(reply, 1);
    ck_assert_str_eq(row->payload, "{}");
    ck_assert_ptr_null(vecwire_row_vector(row, NULL));
    ck_assert_uint_eq(vecwire_row_vector(row, "s")->dim, 2);
}
END_TEST

START_TEST(columns_are_rows_too)
{
    static const struct vecwire_qdrant_params columns = {
        .size = sizeof(columns), .wait = true, .by_columns = true};
    static const struct vecwire_call_options call = {.size = sizeof(call),
                                                     .qdrant = &columns};
    static const float matrix[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const uint64_t numbers[] = {1, 2};

    live_fine_reply(
        vecwire_upsert(live.client,
                       &VECWIRE_UPSERT(.matrix = matrix, .rows = 2, .dim = 4,
                                       .numbers = numbers, .call = &call),
                       live_keep, live_slot(), NULL));
    ck_assert_mem_eq(get(2)->vector, matrix + 4, 4 * sizeof(float));
}
END_TEST

START_TEST(outcomes_of_updates_are_told_apart)
{
    static const uint64_t number = 9;
    const struct vecwire_reply *reply;

    reply = live_fine_reply(vecwire_delete(
        live.client, &VECWIRE_DELETE(.numbers = &number, .rows = 1), live_keep,
        live_slot(), NULL));
    ck_assert_int_eq(vecwire_qdrant_update_outcome(reply, 0),
                     VECWIRE_QDRANT_ACKNOWLEDGED);
    reply = live_fine_reply(vecwire_delete(
        live.client,
        &VECWIRE_DELETE(.numbers = &number, .rows = 1, .call = &live_wait),
        live_keep, live_slot(), NULL));
    ck_assert_int_eq(vecwire_qdrant_update_outcome(reply, 0),
                     VECWIRE_QDRANT_COMPLETED);
}
END_TEST

START_TEST(a_built_filter_deletes_what_it_matches)
{
    struct vecwire_qdrant_filter *filter;

    live_fill();
    ck_assert_int_eq(vecwire_qdrant_filter_new(&filter, NULL), VECWIRE_OK);
    vecwire_qdrant_filter_clause(filter, VECWIRE_QDRANT_MUST);
    vecwire_qdrant_filter_match_text(filter, "city", "Rome");
    vecwire_qdrant_filter_range_i64(filter, "n", VECWIRE_QDRANT_GT, 1,
                                    VECWIRE_QDRANT_NO_BOUND, 0);
    live_fine_reply(vecwire_delete(
        live.client,
        &VECWIRE_DELETE(.filter = vecwire_qdrant_filter_text(filter),
                        .call = &live_wait),
        live_keep, live_slot(), NULL));
    vecwire_qdrant_filter_free(filter);
    ck_assert_uint_eq(count(NULL), 4);
    ck_assert_uint_eq(
        count("{\"must\":{\"key\":\"city\",\"match\":{\"value\":\"Rome\"}}}"),
        1);
}
END_TEST

/* Change the payload of row 1, and look at it. */
static void
change_payload(uint32_t change, const char *payload, const char *key,
               const char *wanted)
{
    static const uint64_t number = 1;

    live_fine_reply(vecwire_qdrant_change_payload(
        live.client,
        &VECWIRE_QDRANT_PAYLOAD(.points = {.numbers = &number, .n = 1},
                                .change = change, .payload = payload,
                                .keys = key == NULL ? NULL : &key,
                                .n_keys = key != NULL, .call = &live_wait),
        live_keep, live_slot(), NULL));
    ck_assert_str_eq(get(1)->payload, wanted);
}

START_TEST(payloads_are_set_overwritten_deleted_and_cleared)
{
    live_fill();
    change_payload(VECWIRE_QDRANT_OVERWRITE_PAYLOAD, "{\"a\":1}", NULL,
                   "{\"a\":1}");
    change_payload(VECWIRE_QDRANT_SET_PAYLOAD, "{\"b\":[2]}", NULL,
                   "{\"a\":1,\"b\":[2]}");
    change_payload(VECWIRE_QDRANT_DELETE_PAYLOAD, NULL, "a", "{\"b\":[2]}");
    change_payload(VECWIRE_QDRANT_CLEAR_PAYLOAD, NULL, NULL, "{}");
}
END_TEST

START_TEST(vectors_are_replaced_and_deleted)
{
    static const float vector[] = {4, 3, 2, 1};
    static const uint64_t number = 1;
    static const char *const name = "";

    live_fill();
    live_fine_reply(vecwire_qdrant_update_vectors(
        live.client,
        &VECWIRE_UPSERT(.matrix = vector, .rows = 1, .dim = 4,
                        .numbers = &number, .call = &live_wait),
        live_keep, live_slot(), NULL));
    ck_assert_mem_eq(get(1)->vector, vector, sizeof(vector));
    live_fine_reply(vecwire_qdrant_delete_vectors(
        live.client,
        &VECWIRE_QDRANT_DELETE_VECTORS(.points = {.numbers = &number, .n = 1},
                                       .names = &name, .n_names = 1,
                                       .call = &live_wait),
        live_keep, live_slot(), NULL));
    ck_assert_uint_eq(get(1)->n_vectors, 0);
}
END_TEST

START_TEST(operations_go_in_order_each_with_its_outcome)
{
    static const float vector[] = {4, 3, 2, 1};
    static const uint64_t number = 7;
    const struct vecwire_upsert_request upsert =
        VECWIRE_UPSERT(.matrix = vector, .rows = 1, .dim = 4,
                       .numbers = &number);
    const struct vecwire_delete_request del =
        VECWIRE_DELETE(.numbers = &number, .rows = 1);
    const struct vecwire_qdrant_operation list[] = {
        {.upsert = &upsert}, {.del = &del}, {.upsert = &upsert}};
    const struct vecwire_reply *reply =
        live_fine_reply(vecwire_qdrant_update_points(
            live.client,
            &VECWIRE_QDRANT_OPERATIONS(.list = list, .n = 3,
                                       .call = &live_wait),
            live_keep, live_slot(), NULL));

    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(vecwire_qdrant_update_outcome(reply, i),
                         VECWIRE_QDRANT_COMPLETED);
    ck_assert_int_eq(vecwire_qdrant_update_outcome(reply, 3),
                     VECWIRE_QDRANT_NO_UPDATE);
    ck_assert_uint_eq(count(NULL), 1);
}
END_TEST

START_TEST(operations_that_fail_are_not_told_as_not_applied)
{
    static const float vector[] = {4, 3, 2, 1};
    static const uint64_t number = 7;
    const struct vecwire_upsert_request good =
        VECWIRE_UPSERT(.matrix = vector, .rows = 1, .dim = 4,
                       .numbers = &number);
    const struct vecwire_upsert_request bad =
        VECWIRE_UPSERT(.matrix = vector, .rows = 1, .dim = 3,
                       .numbers = &number);
    const struct vecwire_qdrant_operation list[] = {{.upsert = &good},
                                                    {.upsert = &bad}};
    const struct vecwire_error *error =
        live_error(vecwire_qdrant_update_points(
                       live.client,
                       &VECWIRE_QDRANT_OPERATIONS(.list = list, .n = 2,
                                                  .call = &live_wait),
                       live_keep, live_slot(), NULL),
                   400);

    ck_assert(error->outcome_unknown);
}
END_TEST

/* What a scroll and an upload met. */
struct flow {
    struct vecwire_scroller *scroller;
    uint64_t rows;
    uint64_t stop_at; /* rows after which the scroll is canceled */
    uint64_t failed;
    bool pause; /* after each run */
    bool done;
    bool room;
    char offset[64];
};

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *reply, void *arg)
{
    struct flow *flow = arg;
    size_t rows, dim;
    const float *matrix = vecwire_reply_matrix(reply, &rows, &dim);

    ck_assert_ptr_nonnull(matrix);
    ck_assert_uint_eq(rows, vecwire_reply_count(reply));
    ck_assert_uint_eq(dim, 4);
    ck_assert_uint_eq((uintptr_t)matrix % sizeof(float), 0);
    for (size_t i = 0; i < rows; i++) {
        const struct vecwire_row *row = vecwire_reply_row(reply, i);

        ck_assert_uint_eq(row->id.number, flow->rows++);
        ck_assert(matrix[i * dim] == (float)row->id.number);
        ck_assert_ptr_eq(row->vector, matrix + i * dim);
    }
    if (flow->stop_at > 0 && flow->rows >= flow->stop_at)
        ck_assert(vecwire_scroller_cancel(flow->scroller));
    return flow->pause ? VECWIRE_PAUSE : VECWIRE_CONTINUE;
}

static void
on_scrolled(struct vecwire_scroller *scroller,
            const struct vecwire_scroll_result *result, void *arg)
{
    struct flow *flow = arg;
    const char *offset = vecwire_scroller_offset(scroller);

    if (flow->stop_at == 0)
        ck_assert_msg(result->error == NULL, "%s",
                      result->error == NULL ? "" : result->error->detail);
    snprintf(flow->offset, sizeof(flow->offset), "%s",
             offset == NULL ? "" : offset);
    flow->done = true;
}

static void
scroll(struct flow *flow, const char *offset)
{
    flow->done = false;
    ck_assert_int_eq(
        vecwire_scroller_new(
            &flow->scroller, live.client,
            &VECWIRE_SCROLLER_OPTIONS(.on_rows = on_rows,
                                      .on_done = on_scrolled, .arg = flow,
                                      .offset = offset, .page_rows = 64,
                                      .with_vector = true)),
        VECWIRE_OK);
    while (!flow->done) {
        event_base_loop(live.base, EVLOOP_ONCE);
        if (flow->pause)
            vecwire_scroller_resume(flow->scroller);
    }
    vecwire_scroller_free(flow->scroller);
}

static void
on_failed(const struct vecwire_failed_rows *failed, void *arg)
{
    struct flow *flow = arg;

    ck_assert_int_eq(failed->error->code, VECWIRE_EHTTP);
    ck_assert_uint_gt(strlen(failed->error->detail), 0);
    flow->failed += failed->count;
}

static void
on_room(struct vecwire_uploader *uploader, void *arg)
{
    struct flow *flow = arg;

    (void)uploader;
    flow->room = true;
}

static void
on_uploaded(struct vecwire_uploader *uploader,
            const struct vecwire_upload_result *result, void *arg)
{
    struct flow *flow = arg;

    (void)uploader;
    ck_assert_uint_eq(result->rows_taken,
                      result->rows_done + result->rows_failed);
    flow->rows = result->rows_done;
    flow->done = true;
}

/* Rows 0 to N_MANY, one at a time, whose first coordinate is the id. The
 * server refuses the `bad` ones, which come last, for their size. */
static void
upload(struct flow *flow, uint64_t bad)
{
    struct vecwire_uploader *uploader;

    ck_assert_int_eq(
        vecwire_uploader_new(
            &uploader, live.client,
            &VECWIRE_UPLOADER_OPTIONS(.call = &live_wait,
                                      .on_failed = on_failed,
                                      .on_room = on_room,
                                      .on_done = on_uploaded, .arg = flow,
                                      .batch_rows = 10, .in_flight = 2)),
        VECWIRE_OK);
    for (uint64_t i = 0; i < N_MANY + bad; i++) {
        const float vector[4] = {(float)i, 1, 2, 3};
        const struct vecwire_upsert_request row =
            VECWIRE_UPSERT(.matrix = vector, .rows = 1, .numbers = &i,
                           .dim = i < N_MANY ? 4 : 3);
        enum vecwire_err taken;

        while ((taken = vecwire_uploader_add(uploader, &row, NULL)) ==
               VECWIRE_EFULL) {
            flow->room = false;
            while (!flow->room)
                event_base_loop(live.base, EVLOOP_ONCE);
        }
        ck_assert_int_eq(taken, VECWIRE_OK);
    }
    vecwire_uploader_end(uploader);
    while (!flow->done)
        event_base_loop(live.base, EVLOOP_ONCE);
    vecwire_uploader_free(uploader);
}

START_TEST(rows_that_were_uploaded_are_scrolled_over)
{
    struct flow up = {0}, down = {0};

    upload(&up, 0);
    ck_assert_uint_eq(up.rows, N_MANY);
    scroll(&down, NULL);
    ck_assert_uint_eq(down.rows, N_MANY);
}
END_TEST

START_TEST(a_scroll_that_pauses_gets_all_rows)
{
    struct flow up = {0}, down = {.pause = true};

    upload(&up, 0);
    scroll(&down, NULL);
    ck_assert_uint_eq(down.rows, N_MANY);
}
END_TEST

START_TEST(a_scroll_that_was_canceled_goes_on_where_it_was)
{
    struct flow up = {0}, down = {.stop_at = 300};

    upload(&up, 0);
    scroll(&down, NULL);
    ck_assert_uint_lt(down.rows, N_MANY);
    down.stop_at = 0;
    scroll(&down, down.offset);
    ck_assert_uint_eq(down.rows, N_MANY);
}
END_TEST

START_TEST(rows_that_the_server_refuses_fail_with_its_reason)
{
    struct flow up = {0};

    upload(&up, 20);
    ck_assert_uint_eq(up.rows, N_MANY);
    ck_assert_uint_eq(up.failed, 20);
}
END_TEST

TCase *
live_qdrant_points_case(void)
{
    TCase *tcase = live_qdrant_case("points");

    tcase_add_test(tcase, rows_of_all_forms_come_back_bit_for_bit);
    tcase_add_test(tcase, columns_are_rows_too);
    tcase_add_test(tcase, outcomes_of_updates_are_told_apart);
    tcase_add_test(tcase, a_built_filter_deletes_what_it_matches);
    tcase_add_test(tcase, payloads_are_set_overwritten_deleted_and_cleared);
    tcase_add_test(tcase, vectors_are_replaced_and_deleted);
    tcase_add_test(tcase, operations_go_in_order_each_with_its_outcome);
    tcase_add_test(tcase, operations_that_fail_are_not_told_as_not_applied);
    tcase_add_test(tcase, rows_that_were_uploaded_are_scrolled_over);
    tcase_add_test(tcase, a_scroll_that_pauses_gets_all_rows);
    tcase_add_test(tcase, a_scroll_that_was_canceled_goes_on_where_it_was);
    tcase_add_test(tcase, rows_that_the_server_refuses_fail_with_its_reason);
    return tcase;
}
