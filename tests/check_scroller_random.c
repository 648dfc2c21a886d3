/* SPDX-License-Identifier: Apache-2.0 */
/* Scrolls through replies that are cut anywhere, break, and come while the
 * caller pauses, goes on, cancels and begins again where that one was: every
 * row comes once, in order, whole. */
#include "tests/scroll_fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/client_rig.h"

#define N_NUMBERS 40
#define N_ROWS 60

static struct scroll_fixture f;
static uint64_t state;
static size_t next_row; /* that is due */
static unsigned pauses, breaks, cancels;

static unsigned
random_below(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % n;
}

/* Every third number, and then UUIDs; as JSON. */
static void
put_id(char *out, size_t room, size_t row)
{
    if (row < N_NUMBERS)
        snprintf(out, room, "%zu", 3 * row);
    else
        snprintf(out, room, "\"000000%02zx-0000-0000-0000-000000000000\"", row);
}

/* The first row that does not stand in front of what is asked for. */
static size_t
row_asked_for(void)
{
    const char *at = strstr(f.base.net.last_body, "\"offset\":");
    char id[64];
    size_t row = 0;

    if (at == NULL)
        return 0;
    at += strlen("\"offset\":");
    if (*at != '"')
        return (strtoul(at, NULL, 10) + 2) / 3 < N_NUMBERS
                   ? (strtoul(at, NULL, 10) + 2) / 3
                   : N_NUMBERS;
    for (row = N_NUMBERS; row < N_ROWS; row++) {
        put_id(id, sizeof(id), row);
        if (strncmp(id, at, strlen(id)) >= 0)
            break;
    }
    return row;
}

/* The reply to the request under way. */
static void
put_page(char *out, size_t room)
{
    size_t from = row_asked_for(), to = from + f.config.page_rows;
    size_t len = (size_t)snprintf(out, room, "{\"result\":{\"points\":[");
    char id[64];

    for (size_t row = from; row < to && row < N_ROWS; row++) {
        put_id(id, sizeof(id), row);
        len += (size_t)snprintf(out + len, room - len,
                                "%s{\"id\":%s,\"payload\":{\"row\":\"%zu\"},"
                                "\"vector\":[%zu.25,-%zue-1]}",
                                row == from ? "" : ",", id, row, row, row);
    }
    if (to < N_ROWS)
        put_id(id, sizeof(id), to);
    else
        snprintf(id, sizeof(id), "null");
    len +=
        (size_t)snprintf(out + len, room - len,
                         "],\"next_page_offset\":%s},\"status\":\"ok\"}", id);
    ck_assert_uint_lt(len, room);
}

static void
check_row(const struct vecwire_row *row)
{
    char id[64], text[64], payload[32];

    put_id(id, sizeof(id), next_row);
    snprintf(text, sizeof(text), row->id.is_number ? "%s" : "\"%s\"",
             row->id.text);
    ck_assert_str_eq(text, id);
    snprintf(payload, sizeof(payload), "{\"row\":\"%zu\"}", next_row);
    ck_assert_str_eq(row->payload, payload);
    ck_assert_uint_eq(row->dim, 2);
    ck_assert(row->vector[0] == (float)next_row + 0.25F);
    ck_assert(row->vector[1] == (float)((double)next_row * -0.1));
    next_row++;
}

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    (void)arg;
    for (size_t i = 0; i < vecwire_reply_count(rows); i++)
        check_row(vecwire_reply_row(rows, i));
    if (random_below(3) > 0)
        return VECWIRE_CONTINUE;
    pauses++;
    return VECWIRE_PAUSE;
}

static void
on_done(struct vecwire_scroller *s, const struct vecwire_scroll_result *result,
        void *arg)
{
    (void)s;
    (void)arg;
    f.completions++;
    f.code = result->error == NULL ? VECWIRE_OK : result->error->code;
}

/* The next piece of the reply, or its loss. False: it has ended. */
static bool
feed(const char *text, size_t *at)
{
    struct vecwire__conn *conn = scroll_conn(&f);
    size_t left = strlen(text + *at), n = 1 + random_below(60);
    char piece[64];

    if (left == 0) {
        fake_end(conn, true);
        return false;
    }
    if (random_below(40) == 0) {
        breaks++;
        scroll_break(&f);
        return false;
    }
    n = n < left ? n : left;
    memcpy(piece, text + *at, n);
    piece[n] = '\0';
    *at += n;
    fake_body(conn, piece);
    return true;
}

/* What the caller and the loop may do at any time. */
static void
do_something(void)
{
    if (random_below(4) == 0)
        (void)vecwire_scroller_resume(f.s);
    if (random_below(3) == 0)
        engine_pass(&f.base);
    if (random_below(60) == 0 && vecwire_scroller_cancel(f.s)) {
        cancels++;
        engine_pass(&f.base);
    }
}

/* One scroll to its end, or to its cancel. */
static void
run(void)
{
    char text[4096];
    unsigned turns = 0;

    while (f.completions == 0) {
        size_t at = 0;

        ck_assert_uint_lt(turns++, 10000);
        do_something();
        if (scroll_conn(&f) == NULL)
            continue;
        put_page(text, sizeof(text));
        fake_head(scroll_conn(&f), 200, NULL, 0);
        while (scroll_conn(&f) != NULL && feed(text, &at))
            do_something();
    }
}

/* Scrolls until all rows have come. */
static void
run_all(uint64_t seed)
{
    char offset[64] = "";
    const char *at = offset;

    state = UINT64_C(88172645463325252) + seed * 7919;
    next_row = 0;
    f.code = VECWIRE_ECANCELED;
    while (f.code == VECWIRE_ECANCELED && at != NULL) {
        scroll_init(&f, &(struct vecwire__engine_config){.attempts = 50});
        f.config.on_rows = on_rows;
        f.config.on_done = on_done;
        f.config.page_rows = 1 + random_below(9);
        f.config.offset = offset;
        scroll_begin(&f);
        run();
        at = vecwire_scroller_offset(f.s);
        snprintf(offset, sizeof(offset), "%s", at == NULL ? "" : at);
        scroll_fini(&f);
    }
    ck_assert(f.code == VECWIRE_OK || at == NULL);
    ck_assert_uint_eq(next_row, N_ROWS);
}

START_TEST(every_row_comes_once_whatever_happens)
{
    for (uint64_t seed = 0; seed < 300; seed++)
        run_all(seed);
    /* And it does happen. */
    ck_assert_uint_gt(pauses, 300);
    ck_assert_uint_gt(breaks, 300);
    ck_assert_uint_gt(cancels, 30);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase, every_row_comes_once_whatever_happens);
}

int
main(void)
{
    return client_rig_main("scroller_random", add_tests);
}
