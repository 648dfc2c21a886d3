/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a reply: no more than were asked for, none larger than its limit,
 * and none that makes us hold more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/client_rig.h"
#include "tests/counting_mem.h"

#define MIB ((size_t)1 << 20)
#define HEAD "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"

static char text[4096];
static struct fault_step script[6];
static const struct fault_step *const scripts[] = {script};

/* Text, filling, text, and the end. */
static void
serve(const char *front, size_t fill, const char *back)
{
    script[0] = (struct fault_step){FAULT_READ, NULL, 0};
    script[1] = (struct fault_step){FAULT_SEND, HEAD, 0};
    script[2] = (struct fault_step){FAULT_SEND, front, 0};
    script[3] = (struct fault_step){FAULT_FILL, NULL, fill};
    script[4] = (struct fault_step){FAULT_SEND, back, 0};
    script[5] = (struct fault_step){FAULT_END, NULL, 0};
}

struct outcome {
    unsigned runs;
    size_t rows;
    enum vecwire_err code;
    char message[256];
};

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    struct outcome *outcome = arg;

    outcome->runs++;
    outcome->rows += vecwire_reply_count(reply);
    outcome->code = error == NULL ? VECWIRE_OK : error->code;
    snprintf(outcome->message, sizeof(outcome->message), "%s",
             error == NULL ? "" : error->detail);
}

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    struct outcome *outcome = arg;

    outcome->rows += vecwire_reply_count(rows);
    return VECWIRE_CONTINUE;
}

static void
query(struct outcome *outcome, struct vecwire_options options, uint32_t top_k,
      bool early)
{
    static const float vector[] = {1, 0.5F, -2};
    struct client_rig rig;

    memset(outcome, 0, sizeof(*outcome));
    options.no_retry = true;
    client_rig_init(&rig, scripts, 1, options);
    ck_assert_int_eq(
        vecwire_query(rig.client,
                      &VECWIRE_QUERY(.vector = vector, .dim = 3, .top_k = top_k,
                                     .on_rows = early ? on_rows : NULL,
                                     .rows_arg = outcome),
                      on_reply, outcome, NULL),
        VECWIRE_OK);
    client_rig_run(&rig);
    ck_assert_uint_eq(outcome->runs, 1);
    client_rig_fini(&rig);
}

#define ROW "{\"id\":\"a\",\"score\":1}"

START_TEST(no_more_rows_come_than_were_asked_for)
{
    static const char *const bodies[] = {
        "{\"matches\":[" ROW "]}", "{\"matches\":[" ROW "," ROW "]}",
        "{\"matches\":[" ROW "," ROW "," ROW "]}"};
    struct outcome outcome;

    for (int n = 1; n <= 3; n++) {
        serve(bodies[n - 1], 0, "");
        query(&outcome, VECWIRE_OPTIONS(.url = NULL), 2, _i == 1);
        if (n <= 2) {
            ck_assert_msg(outcome.code == VECWIRE_OK, "%s", outcome.message);
            ck_assert_uint_eq(outcome.rows, (size_t)n);
        } else {
            ck_assert_int_eq(outcome.code, VECWIRE_EDECODE);
            ck_assert_msg(strstr(outcome.message,
                                 "more rows than were asked for, limit 2") !=
                              NULL,
                          "%s", outcome.message);
            ck_assert_uint_le(outcome.rows, 2);
        }
    }
}
END_TEST

/* id, text and payload of 19 bytes; a payload is counted as it is sent. */
START_TEST(a_row_has_as_many_bytes_as_are_allowed)
{
    struct outcome outcome;

    for (size_t most = 19; most <= 21; most++) {
        serve("{\"matches\":[{\"id\":\"ab\",\"text\":\"x\\u0041cdefghij\","
              "\"metadata\":{\"b\":1} ,\"score\":1,\"other\":\"",
              100, "\"}]}");
        query(&outcome, VECWIRE_OPTIONS(.max_row_bytes = most), 2, _i == 1);
        ck_assert_msg((outcome.code == VECWIRE_OK) == (most >= 19), "%s",
                      outcome.message);
        query(&outcome, VECWIRE_OPTIONS(.max_row_bytes = most - 1), 2, _i == 1);
        ck_assert_int_eq(outcome.code,
                         most - 1 >= 19 ? VECWIRE_OK : VECWIRE_EDECODE);
        if (outcome.code != VECWIRE_OK)
            ck_assert_msg(strstr(outcome.message,
                                 "row is over max_row_bytes, limit 18") != NULL,
                          "%s", outcome.message);
    }
}
END_TEST

static struct counting_mem counting;

/* A row without end, and one with a part that nobody keeps. */
START_TEST(what_is_held_of_a_row_is_bounded_by_its_limit)
{
    struct outcome outcome;

    counting_mem_init(&counting);
    serve(_i < 2 ? "{\"matches\":[{\"id\":\""
                 : "{\"matches\":[{\"id\":\"a\",\"score\":1,\"other\":\"",
          16 * MIB, "\"}]}");
    query(&outcome,
          VECWIRE_OPTIONS(.max_row_bytes = 64 << 10, .read_per_turn = 64 << 10,
                          .mem = &counting.mem),
          2, _i % 2 == 0);
    ck_assert_int_eq(outcome.code, _i < 2 ? VECWIRE_EDECODE : VECWIRE_OK);
    /* The row, a turn of reading, room to grow, and the client. */
    ck_assert_msg(counting.most < (size_t)512 << 10, "%zu", counting.most);
    ck_assert_uint_eq(counting.bytes, 0);
}
END_TEST

/* A hundred rows of 64 KiB each. */
START_TEST(rows_that_were_given_out_are_not_held)
{
    static char body[100 * 66000];
    struct outcome outcome;
    size_t len = (size_t)sprintf(body, "{\"matches\":[");

    for (int i = 0; i < 100; i++) {
        len += (size_t)sprintf(body + len, "%s{\"id\":\"", i == 0 ? "" : ",");
        memset(body + len, 'x', 65536);
        len += 65536;
        len += (size_t)sprintf(body + len, "\",\"score\":1}");
    }
    memcpy(body + len, "]}", 3);
    counting_mem_init(&counting);
    serve(body, 0, "");
    query(&outcome,
          VECWIRE_OPTIONS(.max_row_bytes = 64 << 10, .read_per_turn = 64 << 10,
                          .mem = &counting.mem),
          100, true);
    ck_assert_msg(outcome.code == VECWIRE_OK, "%s", outcome.message);
    ck_assert_uint_eq(outcome.rows, 100);
    ck_assert_msg(counting.most < (size_t)768 << 10, "%zu", counting.most);
    ck_assert_uint_eq(counting.bytes, 0);
}
END_TEST

START_TEST(depth_is_allowed_as_far_as_the_option_says)
{
    struct outcome outcome;
    /* 1, 2 and 3 brackets of the payload. */
    static const char *const payloads[] = {"{}", "{\"a\":[]}", "{\"a\":[[]]}"};

    for (int depth = 1; depth <= 3; depth++) {
        snprintf(text, sizeof(text),
                 "{\"matches\":[{\"id\":\"a\",\"score\":1,\"metadata\":%s}]}",
                 payloads[depth - 1]);
        serve(text, 0, "");
        query(&outcome, VECWIRE_OPTIONS(.json_depth = 2), 2, false);
        ck_assert_msg(outcome.code ==
                          (depth <= 2 ? VECWIRE_OK : VECWIRE_EDECODE),
                      "%d: %s", depth, outcome.message);
        if (depth == 3)
            ck_assert_str_eq(outcome.message,
                             "reply at byte 49, key \"metadata\": nested too "
                             "deep, limit 5 brackets in all (json_depth)");
    }
}
END_TEST

static void
add(TCase *tcase)
{
    tcase_add_loop_test(tcase, no_more_rows_come_than_were_asked_for, 0, 2);
    tcase_add_loop_test(tcase, a_row_has_as_many_bytes_as_are_allowed, 0, 2);
    tcase_add_loop_test(tcase, what_is_held_of_a_row_is_bounded_by_its_limit, 0,
                        4);
    tcase_add_test(tcase, rows_that_were_given_out_are_not_held);
    tcase_add_test(tcase, depth_is_allowed_as_far_as_the_option_says);
}

int
main(void)
{
    return client_rig_main("rows_limits", add);
}
