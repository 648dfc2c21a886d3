/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads in random order of events, to servers with random limits: every
 * request is whole, and every row is stored or reported, never neither. */
#include "tests/upload_fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/client_rig.h"

#define MAX_ROWS 1000 /* from there on numbers have exponents */

static struct upload_fixture f;
static unsigned seed;

/* The server. */
static bool lacks_many;
static size_t max_body, in_flight;
static bool stored[MAX_ROWS], reported[MAX_ROWS];

static unsigned
below(unsigned n)
{
    /* The test's own, so that a seed is the same run everywhere. */
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

static void
note_failures(struct upload_fixture *fixture, enum upload_event event)
{
    const struct upload_failure *seen = &fixture->failures[0];

    if (event != UPLOAD_FAILED_ROWS)
        return;
    for (uint64_t i = seen->first; i < seen->first + seen->count; i++) {
        ck_assert(!reported[i]);
        reported[i] = true;
        /* What the server has may be reported only as unknown. */
        ck_assert(!stored[i] || seen->outcome_unknown);
    }
    fixture->n_failures = 0;
}

static size_t
count_rows(const char *body)
{
    size_t n = 0;

    for (; (body = strstr(body, "\"id\":")) != NULL; body++)
        n++;
    return n;
}

/* The request is what its rows make, to the byte. */
static void
check_body(const char *body, bool many, unsigned first, size_t n)
{
    char wanted[4096];
    size_t len = 0;

    wanted[len++] = '[';
    for (unsigned i = first; i < first + n; i++)
        len += (size_t)snprintf(wanted + len, sizeof(wanted) - len,
                                "%s{\"id\":\"r%u\",\"vector\":[1,%u,0]}",
                                i == first ? "" : ",", i, i);
    wanted[len++] = ']';
    wanted[len] = '\0';
    if (!many) {
        ck_assert_uint_eq(n, 1);
        wanted[len - 1] = '\0';
    }
    ck_assert_str_eq(body, many ? wanted : wanted + 1);
}

static void
answer_some(void)
{
    size_t n = upload_under_way(&f), index, rows;
    const char *body, *id;
    unsigned first;
    bool many;

    ck_assert_uint_le(n, in_flight);
    if (n == 0)
        return;
    index = below((unsigned)n);
    body = upload_body(&f, index);
    many = strstr(upload_path(&f, index), "batch") != NULL;
    rows = count_rows(body);
    id = strstr(body, "\"id\":\"r");
    ck_assert_ptr_nonnull(id);
    first = (unsigned)strtoul(id + 7, NULL, 10);
    check_body(body, many, first, rows);
    if (many && lacks_many) {
        upload_answer(&f, index, 404, "");
    } else if (strlen(body) > max_body) {
        upload_answer(&f, index, 413, "");
    } else if (below(20) == 0) {
        upload_answer(&f, index, 422, "");
    } else if (below(20) == 0) {
        upload_answer(&f, index, 503, "");
    } else {
        bool told = below(20) != 0;

        for (unsigned i = first; i < first + rows; i++)
            stored[i] = true;
        if (told) {
            upload_added(&f, index, rows);
        } else {
            struct vecwire__conn *conn = upload_conn(&f, index);

            if (!conn->up)
                fake_up(conn);
            engine_lose(conn, true, false);
        }
    }
}

static void
one_event(void)
{
    enum vecwire_err err;

    switch (below(6)) {
    case 0:
    case 1:
        if (f.next_row + 64 < MAX_ROWS)
            upload_rows(&f, 1 + below(60), &err);
        break;
    case 2:
        engine_pass(&f.base);
        break;
    case 3:
        fake_clock_pass(&f.base.clock, below(200) * FAKE_MS);
        break;
    default:
        answer_some();
        break;
    }
}

static void
finish(void)
{
    switch (below(4)) {
    case 0:
        vecwire_uploader_cancel(f.up);
        break;
    case 1:
        vecwire__engine_close(&f.base.engine, NULL, UINT64_MAX, NULL, NULL);
        break;
    default:
        vecwire_uploader_end(f.up);
        break;
    }
    for (unsigned i = 0; i < 5000 && f.completions == 0; i++) {
        answer_some();
        engine_pass(&f.base);
        if (upload_under_way(&f) == 0)
            fake_clock_pass(&f.base.clock, 100 * FAKE_MS);
    }
    ck_assert_uint_eq(f.completions, 1);
}

START_TEST(every_row_is_stored_or_reported)
{
    seed = (unsigned)_i * 2654435761u + 1;
    memset(stored, 0, sizeof(stored));
    memset(reported, 0, sizeof(reported));
    in_flight = 1 + below(5);
    lacks_many = below(3) == 0;
    max_body = below(3) == 0 ? 60 + below(300) : 100000;
    upload_begin_with(&f, 1 + below(40), in_flight,
                      below(2) == 0 ? 0 : 40 + below(600), UINT64_MAX);
    f.then = note_failures;
    for (unsigned i = 0; i < 300; i++)
        one_event();
    finish();
    for (size_t i = 0; i < f.next_row; i++)
        ck_assert_msg(stored[i] || reported[i], "row %zu is lost", i);
    ck_assert_uint_eq(f.result.rows_taken, f.next_row);
    upload_fini(&f);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_set_timeout(tcase, 20);
    tcase_add_loop_test(tcase, every_row_is_stored_or_reported, 0, 100);
}

int
main(void)
{
    return client_rig_main("upload_random", add_tests);
}
