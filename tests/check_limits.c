/* SPDX-License-Identifier: Apache-2.0 */
/* What a server may make us read and hold: each limit of a reply one under
 * it, at it, and one over it, with its code and its text; and memory. */
#include <stdlib.h>
#include <string.h>

#include <malloc.h>

#include "tests/net_rig.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"
#define EMPTY "Content-Length: 0\r\n\r\n"
#define GO_ON "HTTP/1.1 100 Continue\r\n\r\n"
#define MIB ((size_t)1 << 20)

/* `front`, `fill` times 'x', `back`, and the end of the connection. */
static void
ask(struct rig_call *call, const char *front, size_t fill, const char *back)
{
    static struct net_rig rig;
    static struct fault_step script[5];

    script[0] = (struct fault_step){FAULT_READ, NULL, 0};
    script[1] = (struct fault_step){FAULT_SEND, front, 0};
    script[2] = (struct fault_step){FAULT_FILL, NULL, fill};
    script[3] = (struct fault_step){FAULT_SEND, back, 0};
    script[4] = (struct fault_step){FAULT_END, NULL, 0};
    rig_init(&rig, "127.0.0.1", script);
    rig.config.max_header_bytes = 2000;
    rig.config.max_header_lines = 4;
    rig.config.max_reply_bytes = 1000;
    rig_reconfigure(&rig);
    rig_call_init(call, &rig);
    rig_do(call);
    ck_assert_uint_eq(call->n_ended + call->n_lost, 1);
    rig_fini(&rig);
}

struct limit {
    const char *front, *back;
    size_t most; /* fill bytes that are allowed */
    enum vecwire_err code;
    const char *detail;
};

static const struct limit limits[] = {
    /* status line */
    {"HTTP/1.1 200 ", "\r\n" EMPTY, 1024 - 13, VECWIRE_EPROTO,
     "reply refused: first line is over the limit of 1024 bytes"},
    /* bytes of the head */
    {OK "A: ", "\r\n" EMPTY, 2000 - 17 - 3 - 2 - 21, VECWIRE_EPROTO,
     "reply refused: head: more than 2000 bytes (max_header_bytes)"},
    /* of the trailers: together with the head */
    {CHUNKED "0\r\nA: ", "\r\n\r\n", 2000 - 17 - 30 - 3 - 4, VECWIRE_EPROTO,
     "reply refused: trailers: more than 2000 bytes (max_header_bytes)"},
    /* a body without a length */
    {OK "\r\n", "", 1000, VECWIRE_EREPLYSIZE,
     "reply refused: body without a length is over the limit of 1000 bytes "
     "(max_reply_bytes)"},
    {"HTTP/1.0 200 OK\r\n\r\n", "", 1000, VECWIRE_EREPLYSIZE,
     "reply refused: body without a length is over the limit of 1000 bytes "
     "(max_reply_bytes)"},
};

START_TEST(a_limit_is_kept_to_the_byte)
{
    const struct limit *limit = &limits[_i];
    struct rig_call call;

    for (size_t fill = limit->most - 1; fill <= limit->most; fill++) {
        ask(&call, limit->front, fill, limit->back);
        ck_assert_msg(call.n_ended == 1, "%zu: %s", fill, call.detail);
        rig_call_fini(&call);
    }
    ask(&call, limit->front, limit->most + 1, limit->back);
    ck_assert_uint_eq(call.n_lost, 1);
    ck_assert_int_eq(call.code, limit->code);
    ck_assert_str_eq(call.detail, limit->detail);
    rig_call_fini(&call);
}
END_TEST

struct reply {
    const char *text;
    const char *detail; /* NULL: taken */
    enum vecwire_err code;
};

static const struct reply replies[] = {
    /* header lines */
    {OK "A: 1\r\nB: 2\r\n" EMPTY, NULL, VECWIRE_OK},
    {OK "A: 1\r\nB: 2\r\nC: 3\r\n" EMPTY, NULL, VECWIRE_OK},
    {OK "A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n" EMPTY,
     "reply refused: head: more than 4 header lines (max_header_lines)",
     VECWIRE_EPROTO},
    /* a folded line is one more */
    {OK "A: 1\r\n 2\r\n 3\r\n 4\r\n" EMPTY,
     "reply refused: head: more than 4 header lines (max_header_lines)",
     VECWIRE_EPROTO},
    /* trailers */
    {CHUNKED "0\r\nA: 1\r\nB: 2\r\n\r\n", NULL, VECWIRE_OK},
    {CHUNKED "0\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n", NULL, VECWIRE_OK},
    {CHUNKED "0\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n\r\n",
     "reply refused: trailers: more than 4 header lines (max_header_lines)",
     VECWIRE_EPROTO},
    /* the line before a chunk */
    {CHUNKED "000000000000000000000000000000000000000000000000000000000000000"
             "\r\n\r\n",
     NULL, VECWIRE_OK},
    {CHUNKED "0000000000000000000000000000000000000000000000000000000000000000"
             "\r\n\r\n",
     NULL, VECWIRE_OK},
    {CHUNKED "00000000000000000000000000000000000000000000000000000000000000000"
             "\r\n\r\n",
     "reply refused: line of a chunk size is over the limit of 64 bytes, after "
     "0 bytes of body",
     VECWIRE_EPROTO},
    /* 100 Continue */
    {GO_ON GO_ON GO_ON GO_ON GO_ON GO_ON GO_ON OK EMPTY, NULL, VECWIRE_OK},
    {GO_ON GO_ON GO_ON GO_ON GO_ON GO_ON GO_ON GO_ON OK EMPTY, NULL,
     VECWIRE_OK},
    {GO_ON GO_ON GO_ON GO_ON GO_ON GO_ON GO_ON GO_ON GO_ON OK EMPTY,
     "reply refused: more than 8 times 100 Continue", VECWIRE_EPROTO},
    /* each head counts for itself */
    {"HTTP/1.1 100 Go\r\nA: 1\r\nB: 1\r\nC: 1\r\n\r\n" OK
     "A: 1\r\nB: 2\r\nC: 3\r\n" EMPTY,
     NULL, VECWIRE_OK},
    {GO_ON OK "A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n" EMPTY,
     "reply refused: head: more than 4 header lines (max_header_lines)",
     VECWIRE_EPROTO},
    {GO_ON "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
           "2\r\nab\r\n0\r\n\r\n",
     NULL, VECWIRE_OK},
    /* empty lines before the reply */
    {"\r\n" OK EMPTY, "reply refused: empty line before the first line",
     VECWIRE_EPROTO},
    /* announced bodies */
    {OK "Content-Length: 1001\r\n\r\nx",
     "reply refused: Content-Length 1001 is over the limit of 1000 bytes "
     "(max_reply_bytes)",
     VECWIRE_EREPLYSIZE},
    {CHUNKED "1\r\nx\r\n3e8\r\n",
     "reply refused: chunk after 1 bytes makes the body longer than the limit "
     "of 1000 bytes (max_reply_bytes)",
     VECWIRE_EREPLYSIZE},
    /* what was not asked for */
    {OK "Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx",
     "reply refused: Content-Encoding that was not asked for", VECWIRE_EPROTO},
    {OK "Transfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
     "reply refused: Transfer-Encoding is not just chunked", VECWIRE_EPROTO},
};
#define N_REPLIES ((int)(sizeof(replies) / sizeof(replies[0])))

START_TEST(a_reply_is_taken_or_refused_with_the_limit_named)
{
    const struct reply *reply = &replies[_i];
    struct rig_call call;

    ask(&call, reply->text, 0, "");
    if (reply->detail == NULL) {
        ck_assert_msg(call.n_ended == 1, "%s", call.detail);
    } else {
        ck_assert_uint_eq(call.n_lost, 1);
        ck_assert_str_eq(call.detail, reply->detail);
    }
    ck_assert_int_eq(call.code, reply->code);
    rig_call_fini(&call);
}
END_TEST

START_TEST(a_body_of_just_the_limit_is_taken_in_each_framing)
{
    static const char *const fronts[][2] = {
        {OK "Content-Length: 999\r\n\r\n", ""},
        {OK "Content-Length: 1000\r\n\r\n", ""},
        {CHUNKED "3e7\r\n", "\r\n0\r\n\r\n"},
        {CHUNKED "3e8\r\n", "\r\n0\r\n\r\n"},
    };
    struct rig_call call;

    ask(&call, fronts[_i][0], 999 + (size_t)_i % 2, fronts[_i][1]);
    ck_assert_msg(call.n_ended == 1, "%s", call.detail);
    ck_assert_uint_eq(call.body_len, 999 + (size_t)_i % 2);
    rig_call_fini(&call);
}
END_TEST

/* What libevent holds, the buffers of both sides included. */
static size_t held, most_held;

static void
count(void *block, int sign)
{
    size_t size = block == NULL ? 0 : malloc_usable_size(block);

    held = sign > 0 ? held + size : held - size;
    if (held > most_held)
        most_held = held;
}

static void *
counted_malloc(size_t size)
{
    void *block = malloc(size);

    count(block, 1);
    return block;
}

static void *
counted_realloc(void *block, size_t size)
{
    void *moved;

    count(block, -1);
    moved = realloc(block, size);
    count(moved, 1);
    return moved;
}

static void
counted_free(void *block)
{
    count(block, -1);
    free(block);
}

static size_t told;

static void
forget_body(struct vecwire__conn *conn, const char *bytes, size_t len)
{
    (void)conn;
    (void)bytes;
    told += len;
}

/* The most that was held while the reply came. */
static size_t
hold(const struct fault_step *script, bool taken)
{
    struct net_rig rig;
    struct rig_call call;
    size_t before;

    event_set_mem_functions(counted_malloc, counted_realloc, counted_free);
    rig_init(&rig, "127.0.0.1", script);
    rig.config.read_per_turn = 65536;
    rig.config.max_header_bytes = 65536;
    rig.config.max_reply_bytes = 64 * MIB;
    rig.config.events.body = forget_body;
    rig_reconfigure(&rig);
    rig_call_init(&call, &rig);
    before = held;
    most_held = held;
    told = 0;
    rig_do(&call);
    ck_assert_msg(call.n_ended == (taken ? 1 : 0), "%s", call.detail);
    rig_call_fini(&call);
    rig_fini(&rig);
    return most_held - before;
}

START_TEST(a_body_is_not_held_however_long_its_chunks_are)
{
    static const struct fault_step scripts[][6] = {
        {{FAULT_READ, NULL, 0},
         {FAULT_SEND, CHUNKED "1000000\r\n", 0},
         {FAULT_FILL, NULL, 16 * MIB},
         {FAULT_SEND, "\r\n0\r\n\r\n", 0},
         {FAULT_STALL, NULL, 0}},
        {{FAULT_READ, NULL, 0},
         {FAULT_SEND, OK "Content-Length: 16777216\r\n\r\n", 0},
         {FAULT_FILL, NULL, 16 * MIB},
         {FAULT_STALL, NULL, 0}},
        {{FAULT_READ, NULL, 0},
         {FAULT_SEND, OK "\r\n", 0},
         {FAULT_FILL, NULL, 16 * MIB},
         {FAULT_END, NULL, 0}},
    };
    size_t most = hold(scripts[_i], true);

    ck_assert_uint_eq(told, 16 * MIB);
    /* Two turns of reading, and what the test's server keeps. */
    ck_assert_msg(most < 512 * 1024, "%zu", most);
}
END_TEST

START_TEST(a_head_without_end_is_held_up_to_its_limit)
{
    static char lines[MIB];
    static struct fault_step script[] = {{FAULT_READ, NULL, 0},
                                         {FAULT_SEND, OK, 0},
                                         {FAULT_SEND, lines, MIB},
                                         {FAULT_STALL, NULL, 0}};
    size_t most;

    /* Each line costs some hundred bytes once it is a header. */
    for (size_t i = 0; i < MIB; i++)
        lines[i] = "a:\n"[i % 3];
    if (_i == 1)
        memset(lines, 'a', MIB);
    if (_i == 2)
        memset(lines, '\r', MIB);
    most = hold(script, false);
    ck_assert_msg(most < 384 * 1024, "%zu", most);
}
END_TEST

START_TEST(chunks_of_one_byte_are_not_held_either)
{
    static char chunks[5 * 100000 + 5];
    static struct fault_step script[] = {{FAULT_READ, NULL, 0},
                                         {FAULT_SEND, CHUNKED, 0},
                                         {FAULT_SEND, chunks, sizeof(chunks)},
                                         {FAULT_STALL, NULL, 0}};
    size_t most;

    for (size_t at = 0, i = 0; i < 100000; i++, at += 5)
        memcpy(chunks + at, "1\nx\r\n", 5);
    memcpy(chunks + 5 * 100000, "0\n\r\n", 5);
    script[2].n = sizeof(chunks) - 1;
    most = hold(script, true);
    ck_assert_uint_eq(told, 100000);
    ck_assert_msg(most < 1024 * 1024, "%zu", most);
}
END_TEST

START_TEST(trailers_without_end_are_held_up_to_their_limit)
{
    static const struct fault_step script[] = {
        {FAULT_READ, NULL, 0},
        {FAULT_SEND, CHUNKED "0\r\nA: ", 0},
        {FAULT_FILL, NULL, 16 * MIB},
        {FAULT_STALL, NULL, 0}};
    size_t most = hold(script, false);

    ck_assert_msg(most < 384 * 1024, "%zu", most);
}
END_TEST

START_TEST(decompression_is_never_offered)
{
    static struct net_rig rig;
    const struct fault_step script[] = {
        {FAULT_READ, NULL, 0}, {FAULT_SEND, OK EMPTY, 0}, {FAULT_END, NULL, 0}};
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", script);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_uint_eq(call.n_ended, 1);
    ck_assert_ptr_nonnull(strcasestr(fault_server_request(rig.server), "Host"));
    ck_assert_ptr_null(
        strcasestr(fault_server_request(rig.server), "Accept-Encoding"));
    ck_assert_ptr_null(strcasestr(fault_server_request(rig.server), "\nTE:"));
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("limits");
    TCase *tcase = tcase_create("limits");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, a_limit_is_kept_to_the_byte, 0,
                        (int)(sizeof(limits) / sizeof(limits[0])));
    tcase_add_loop_test(tcase, a_reply_is_taken_or_refused_with_the_limit_named,
                        0, N_REPLIES);
    tcase_add_loop_test(
        tcase, a_body_of_just_the_limit_is_taken_in_each_framing, 0, 4);
    tcase_add_loop_test(tcase, a_body_is_not_held_however_long_its_chunks_are,
                        0, 3);
    tcase_add_loop_test(tcase, a_head_without_end_is_held_up_to_its_limit, 0,
                        3);
    RIG_TEST(chunks_of_one_byte_are_not_held_either);
    RIG_TEST(trailers_without_end_are_held_up_to_their_limit);
    RIG_TEST(decompression_is_never_offered);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
