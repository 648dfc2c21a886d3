/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fake_transport.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define FAKE_PEER "127.0.0.1:8080"

void
fake_transport_init(struct fake_transport *net, struct fake_clock *clock,
                    const struct vecwire__conn_events *events)
{
    memset(net, 0, sizeof(*net));
    net->clock = clock;
    net->events = events;
    TAILQ_INIT(&net->open);
}

void
fake_transport_fini(struct fake_transport *net)
{
    ck_assert_uint_eq(net->n_open, 0);
    ck_assert(TAILQ_EMPTY(&net->open));
}

struct fake_conn *
fake_conn_of(struct vecwire__conn *conn)
{
    return (struct fake_conn *)(void *)conn;
}

struct vecwire__conn *
fake_conn(struct fake_transport *net, unsigned number)
{
    struct fake_conn *fake;

    TAILQ_FOREACH (fake, &net->open, next) {
        if (fake->number == number)
            return &fake->conn;
    }
    return NULL;
}

static struct vecwire__conn *
fake_open(void *ctx)
{
    struct fake_transport *net = ctx;
    struct fake_conn *fake;

    if (net->fail_opens > 0) {
        net->fail_opens--;
        return NULL;
    }
    fake = calloc(1, sizeof(*fake));
    ck_assert_ptr_nonnull(fake);
    fake->net = net;
    fake->number = ++net->opened;
    net->n_open++;
    TAILQ_INSERT_TAIL(&net->open, fake, next);
    return &fake->conn;
}

static void
record(struct fake_transport *net, struct vecwire__conn *conn,
       const struct vecwire__request *req)
{
    size_t kept = req->body_len < sizeof(net->last_body)
                      ? req->body_len
                      : sizeof(net->last_body) - 1;

    net->sends++;
    net->last_conn = conn;
    net->last_method = req->method;
    snprintf(net->last_path, sizeof(net->last_path), "%s", req->path);
    if (kept > 0)
        memcpy(net->last_body, req->body, kept);
    net->last_body[kept] = '\0';
    net->last_body_len = req->body_len;
}

static enum vecwire_err
fake_send(struct vecwire__conn *conn, const struct vecwire__request *req)
{
    struct fake_conn *fake = fake_conn_of(conn);

    ck_assert_msg(!fake->busy, "a second request on a busy connection");
    if (fake->net->fail_sends > 0) {
        fake->net->fail_sends--;
        return VECWIRE_ENOMEM;
    }
    fake->busy = true;
    fake->sends++;
    fake->req = req;
    conn->used = fake->answered > 0;
    conn->wakeups = 0;
    conn->connected_ns = 0;
    conn->first_byte_ns = 0;
    conn->sent_ns = conn->up ? fake->net->clock->now_ns : 0;
    conn->bytes_sent = conn->up ? 100 + req->body_len : 0;
    conn->bytes_received = 0;
    record(fake->net, conn, req);
    return VECWIRE_OK;
}

static bool
fake_quiet(struct vecwire__conn *conn)
{
    struct fake_conn *fake = fake_conn_of(conn);

    ck_assert_msg(!fake->busy, "a look at a busy connection");
    fake->net->looks++;
    return conn->up && !fake->loud;
}

static size_t
fake_unread(struct vecwire__conn *conn)
{
    return fake_conn_of(conn)->unread;
}

static void
fake_pause(struct vecwire__conn *conn)
{
    struct fake_conn *fake = fake_conn_of(conn);

    ck_assert_msg(fake->busy && !fake->paused, "a pause out of turn");
    fake->paused = true;
    fake->net->pauses++;
}

static void
fake_resume(struct vecwire__conn *conn)
{
    struct fake_conn *fake = fake_conn_of(conn);

    ck_assert_msg(fake->paused, "a resume out of turn");
    fake->paused = false;
    fake->net->resumes++;
}

static void
fake_close(struct vecwire__conn *conn)
{
    struct fake_conn *fake = fake_conn_of(conn);
    struct fake_transport *net = fake->net;

    TAILQ_REMOVE(&net->open, fake, next);
    net->n_open--;
    net->closed++;
    if (net->last_conn == conn)
        net->last_conn = NULL;
    free(fake);
}

const struct vecwire__transport fake_transport = {
    fake_open,  fake_send,   fake_quiet, fake_unread,
    fake_pause, fake_resume, fake_close};

void
fake_phase(struct vecwire__conn *conn, enum vecwire_phase phase)
{
    struct fake_transport *net = fake_conn_of(conn)->net;

    ck_assert_msg(fake_conn_of(conn)->busy, "no request is under way");
    conn->wakeups = 1;
    if (net->events != NULL)
        net->events->phase(conn, phase);
}

void
fake_up(struct vecwire__conn *conn)
{
    struct fake_transport *net = fake_conn_of(conn)->net;
    unsigned number = fake_conn_of(conn)->number;

    conn->up = true;
    conn->connected_ns = net->clock->now_ns;
    snprintf(conn->peer, sizeof(conn->peer), FAKE_PEER);
    fake_phase(conn, VECWIRE_PHASE_SENDING);
    if (fake_conn(net, number) == NULL)
        return;
    conn->sent_ns = net->clock->now_ns;
    conn->bytes_sent = 100 + fake_conn_of(conn)->req->body_len;
    fake_phase(conn, VECWIRE_PHASE_WAITING);
}

void
fake_head(struct vecwire__conn *conn, uint32_t status,
          const struct vecwire_header *headers, size_t n_headers)
{
    struct fake_transport *net = fake_conn_of(conn)->net;
    struct vecwire__head head = {status, headers, n_headers};
    unsigned number = fake_conn_of(conn)->number;

    if (!conn->up)
        fake_up(conn);
    if (fake_conn(net, number) == NULL)
        return;
    conn->first_byte_ns = net->clock->now_ns;
    conn->bytes_received += 50;
    fake_phase(conn, VECWIRE_PHASE_RECEIVING);
    if (fake_conn(net, number) != NULL && net->events != NULL)
        net->events->head(conn, &head);
}

void
fake_body(struct vecwire__conn *conn, const char *text)
{
    struct fake_transport *net = fake_conn_of(conn)->net;

    ck_assert_msg(fake_conn_of(conn)->busy, "no request is under way");
    ck_assert_msg(!fake_conn_of(conn)->paused, "a body in a pause");
    conn->bytes_received += strlen(text);
    if (net->events != NULL)
        net->events->body(conn, text, strlen(text));
}

void
fake_end(struct vecwire__conn *conn, bool reusable)
{
    struct fake_conn *fake = fake_conn_of(conn);

    ck_assert_msg(fake->busy, "no request is under way");
    ck_assert_msg(!fake->paused, "an end in a pause");
    fake->busy = false;
    fake->req = NULL;
    fake->answered++;
    conn->up = true;
    if (fake->net->events != NULL)
        fake->net->events->end(conn, reusable);
}

void
fake_lost(struct vecwire__conn *conn, const struct vecwire__loss *loss)
{
    struct fake_conn *fake = fake_conn_of(conn);
    struct vecwire__loss told = *loss;

    ck_assert_msg(fake->busy, "no request is under way");
    fake->busy = false;
    fake->req = NULL;
    fake->loud = true;
    if (told.detail == NULL)
        told.detail = "lost by the test";
    if (fake->net->events != NULL)
        fake->net->events->lost(conn, &told);
}

void
fake_idle_lost(struct vecwire__conn *conn)
{
    struct fake_conn *fake = fake_conn_of(conn);

    ck_assert_msg(!fake->busy, "a request is under way");
    fake->loud = true;
    if (fake->net->events != NULL)
        fake->net->events->idle_lost(conn);
}

void
fake_reply(struct vecwire__conn *conn, uint32_t status, const char *body)
{
    struct fake_transport *net = fake_conn_of(conn)->net;
    unsigned number = fake_conn_of(conn)->number;

    fake_head(conn, status, NULL, 0);
    if (fake_conn(net, number) != NULL && *body != '\0')
        fake_body(conn, body);
    if (fake_conn(net, number) != NULL)
        fake_end(conn, true);
}
