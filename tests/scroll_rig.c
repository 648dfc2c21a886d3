/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/scroll_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fault_step answering[] = {
    {FAULT_READ, NULL, 0}, {FAULT_ANSWER, NULL, 0}, {FAULT_AGAIN, NULL, 0}};
static const struct fault_step *const scripts[] = {answering};

static uint64_t n_rows;
static unsigned n_requests;
static char request_text[8192];

static uint64_t
number_behind(const char *request, const char *key)
{
    const char *at = strstr(request, key);

    return at == NULL ? 0 : strtoull(at + strlen(key), NULL, 10);
}

static size_t
put_rows(char *body, size_t room, uint64_t from, uint64_t to)
{
    size_t len = 0;

    for (uint64_t id = from; id < to; id++) {
        unsigned long long n = id;

        len += (size_t)snprintf(body + len, room - len,
                                "%s{\"id\":%llu,\"vector\":[%llu,%llu.5]}",
                                id == from ? "" : ",", n, n, n);
        ck_assert_uint_lt(len, room);
    }
    return len;
}

static const char *
answer(const char *request)
{
    static char body[1 << 18], reply[1 << 18];
    uint64_t from = number_behind(request, "\"offset\":");
    uint64_t to = from + number_behind(request, "\"limit\":");
    char next[24] = "null";
    size_t len, at;

    n_requests++;
    snprintf(request_text, sizeof(request_text), "%s", request);
    if (to >= n_rows)
        to = n_rows;
    else
        snprintf(next, sizeof(next), "%llu", (unsigned long long)to);
    len = (size_t)snprintf(body, sizeof(body), "{\"result\":{\"points\":[");
    len += put_rows(body + len, sizeof(body) - len, from, to);
    len += (size_t)snprintf(body + len, sizeof(body) - len,
                            "],\"next_page_offset\":%s},\"status\":\"ok\","
                            "\"time\":0.001}",
                            next);
    at =
        (size_t)snprintf(reply, sizeof(reply),
                         "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", len);
    ck_assert_uint_lt(at + len, sizeof(reply));
    memcpy(reply + at, body, len + 1);
    return reply;
}

void
scroll_rig_init(struct client_rig *rig, struct vecwire_options options,
                uint64_t rows)
{
    options.dialect = VECWIRE_QDRANT;
    if (options.collection == NULL)
        options.collection = "c";
    n_rows = rows;
    n_requests = 0;
    client_rig_init(rig, scripts, 1, options);
    fault_server_set_answer(rig->server, answer);
}

enum vecwire_rows_action
scroll_rig_rows(const struct vecwire_reply *rows, void *arg)
{
    struct scroll_seen *seen = arg;
    size_t n, dim;
    const float *matrix = vecwire_reply_matrix(rows, &n, &dim);

    ck_assert_uint_eq(seen->runs, 0);
    ck_assert_ptr_nonnull(matrix);
    ck_assert_uint_eq(n, vecwire_reply_count(rows));
    ck_assert_uint_eq(dim, 2);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_eq(vecwire_reply_row(rows, i)->id.number, seen->next);
        ck_assert(matrix[2 * i] == (float)seen->next);
        ck_assert(matrix[2 * i + 1] == (float)seen->next + 0.5F);
        seen->next++;
    }
    seen->turns++;
    if (seen->pauses == 0)
        return VECWIRE_CONTINUE;
    seen->pauses--;
    return VECWIRE_PAUSE;
}

static void
on_done(struct vecwire_scroller *s, const struct vecwire_scroll_result *result,
        void *arg)
{
    struct scroll_seen *seen = arg;

    ck_assert_ptr_nonnull(s);
    seen->runs++;
    seen->result = *result;
    seen->code = result->error == NULL ? VECWIRE_OK : result->error->code;
}

enum vecwire_err
scroll_rig_begin(struct client_rig *rig, struct scroll_seen *seen,
                 struct vecwire_scroller_options options)
{
    seen->rig = rig;
    options.on_rows = scroll_rig_rows;
    options.on_done = on_done;
    options.arg = seen;
    options.with_vector = true;
    return vecwire_scroller_new(&seen->s, rig->client, &options);
}

const char *
scroll_rig_request(void)
{
    return request_text;
}

unsigned
scroll_rig_requests(void)
{
    return n_requests;
}
