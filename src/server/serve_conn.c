/* SPDX-License-Identifier: Apache-2.0 */
#include "server/serve_conn.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>

#include "server/request_guard.h"
#include "server/serve_refuse.h"

#define BODY_MAX ((uint64_t)16 << 20)
#define READ_TURN ((size_t)256 << 10) /* bytes read in one pass */
/* Unread input of one connection: the longest body that evhttp lets through
 * as one chunk, and a little. */
#define INPUT_MAX (((size_t)32 << 20) + ((size_t)64 << 10))
/* While it is being answered: requests that came too early. */
#define AHEAD_MAX ((size_t)64 << 10)
/* A client that was refused may read why. */
#define LINGER_MS 1000
/* When there is no room, one that has said nothing yet has so much time. */
#define SILENT_MS 1000

enum state {
    IDLE,
    IN_HEAD,
    IN_BODY,
    ANSWERED, /* or about to be */
    REFUSED,  /* by us: whatever comes is dropped */
    SHUT      /* evhttp is about to see the end */
};

struct vecwire__serve_conn {
    TAILQ_ENTRY(vecwire__serve_conn) link;
    struct vecwire__serve_conns *conns;
    struct bufferevent *bev;
    struct evhttp_connection *evcon; /* NULL: evhttp has just got it */
    struct event *soon;
    int fd; /* -1 as long as evcon is NULL */
    bool tls;
    bool answered; /* once before */
    enum state state;
    uint64_t ends_ms; /* the state, at the latest */
    struct vecwire__request_guard guard;
    struct vecwire__refusal_reply refusal;
};

static uint64_t
now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void
enter(struct vecwire__serve_conn *conn, enum state state, uint32_t ms)
{
    bool ahead = conn->state == ANSWERED, next_ahead = state == ANSWERED;

    conn->state = state;
    conn->ends_ms = now_ms() + ms;
    if (ahead != next_ahead)
        bufferevent_setwatermark(conn->bev, EV_READ, 0,
                                 next_ahead ? AHEAD_MAX : INPUT_MAX);
}

static void
shut(struct vecwire__serve_conn *conn)
{
    enter(conn, SHUT, LINGER_MS);
    (void)shutdown(bufferevent_getfd(conn->bev), SHUT_RDWR);
}

/* The answer follows from the loop: evhttp and the buffers may be on the
 * stack. */
static void
refuse(struct vecwire__serve_conn *conn, int status, const char *reason,
       const char *code, const char *message)
{
    struct evbuffer *input = bufferevent_get_input(conn->bev);

    vecwire__refusal_make(&conn->refusal, status, reason, code, message);
    enter(conn, REFUSED, LINGER_MS);
    evbuffer_drain(input, evbuffer_get_length(input));
    event_active(conn->soon, EV_TIMEOUT, 0);
}

static void
become_idle(struct vecwire__serve_conn *conn)
{
    enter(conn, IDLE, conn->conns->limits.idle_ms);
    conn->answered = true;
    TAILQ_REMOVE(&conn->conns->list, conn, link);
    TAILQ_INSERT_TAIL(&conn->conns->list, conn, link);
}

/* False: refused, and the input is empty. */
static bool
take(struct vecwire__serve_conn *conn, const char *bytes, size_t n)
{
    struct vecwire__request_guard *guard = &conn->guard;

    if (!vecwire__request_guard_take(guard, bytes, n)) {
        refuse(conn, guard->status, guard->reason, guard->code, guard->message);
        return false;
    }
    if (conn->state == IN_HEAD && guard->in_body)
        enter(conn, IN_BODY, conn->conns->limits.request_ms);
    return true;
}

/* The last `n` bytes of the input are new. */
static void
look(struct vecwire__serve_conn *conn, struct evbuffer *input, size_t n)
{
    struct evbuffer_iovec part;
    struct evbuffer_ptr at;

    if (conn->state == IDLE) {
        vecwire__request_guard_begin(&conn->guard, BODY_MAX);
        enter(conn, IN_HEAD, conn->conns->limits.head_ms);
    }
    if ((conn->state != IN_HEAD && conn->state != IN_BODY) ||
        evbuffer_ptr_set(input, &at, evbuffer_get_length(input) - n,
                         EVBUFFER_PTR_SET) != 0)
        return;
    while (n > 0 && evbuffer_peek(input, -1, &at, &part, 1) > 0 &&
           take(conn, part.iov_base, part.iov_len)) {
        n -= part.iov_len;
        if (n > 0 &&
            evbuffer_ptr_set(input, &at, part.iov_len, EVBUFFER_PTR_ADD) != 0)
            break;
    }
}

/* libevent reads 4096 bytes a call and a pass. When it has taken a whole
 * number of those there may be more: read that in the same pass. Our own read
 * runs the callback again, but takes what is there, so that it ends. */
static void
read_more(struct bufferevent *bev, struct evbuffer *input, size_t had)
{
    struct evbuffer_iovec room;
    int waiting = 0, fd = bufferevent_getfd(bev);
    ssize_t got;

    if (had % 4096 != 0 || evbuffer_get_length(input) >= READ_TURN)
        return;
    if (ioctl(fd, FIONREAD, &waiting) != 0 || waiting <= 0)
        return;
    if ((size_t)waiting > READ_TURN)
        waiting = (int)READ_TURN;
    if (evbuffer_reserve_space(input, waiting, &room, 1) != 1)
        return;
    got = recv(fd, room.iov_base, room.iov_len, MSG_DONTWAIT);
    room.iov_len = got > 0 ? (size_t)got : 0;
    evbuffer_commit_space(input, &room, 1);
}

static void
input_added(struct evbuffer *input, const struct evbuffer_cb_info *info,
            void *arg)
{
    struct vecwire__serve_conn *conn = arg;

    if (info->n_added == 0)
        return;
    if (conn->state == REFUSED || conn->state == SHUT) {
        evbuffer_drain(input, evbuffer_get_length(input));
        return;
    }
    look(conn, input, info->n_added);
    if (!conn->tls && (conn->state == IN_HEAD || conn->state == IN_BODY))
        read_more(conn->bev, input, info->n_added);
}

static void
conn_free(struct vecwire__serve_conn *conn)
{
    struct vecwire__serve_conns *conns = conn->conns;

    if (conn->fd >= 0)
        conns->by_fd[conn->fd] = NULL;
    evbuffer_remove_cb(bufferevent_get_input(conn->bev), input_added, conn);
    TAILQ_REMOVE(&conns->list, conn, link);
    event_free(conn->soon);
    free(conn);
    if (--conns->n == 0)
        event_del(conns->sweep);
    if (conns->full && conns->listener != NULL) {
        conns->full = false;
        if (conns->ahead != NULL)
            evconnlistener_enable(conns->listener);
    }
}

static void
on_close(struct evhttp_connection *evcon, void *arg)
{
    evhttp_connection_set_closecb(evcon, NULL, NULL);
    conn_free(arg);
}

static bool
put_by_fd(struct vecwire__serve_conns *conns, struct vecwire__serve_conn *conn,
          int fd)
{
    if ((size_t)fd >= conns->cap_by_fd) {
        size_t cap = conns->cap_by_fd == 0 ? 64 : conns->cap_by_fd;
        void *table;

        while (cap <= (size_t)fd)
            cap *= 2;
        table = realloc(conns->by_fd, cap * sizeof(conns->by_fd[0]));
        if (table == NULL)
            return false;
        conns->by_fd = table;
        memset(conns->by_fd + conns->cap_by_fd, 0,
               (cap - conns->cap_by_fd) * sizeof(conns->by_fd[0]));
        conns->cap_by_fd = cap;
    }
    conns->by_fd[fd] = conn;
    conn->fd = fd;
    return true;
}

/* evhttp has taken it by now, or could not and has freed it: then only our
 * reference is left, and no callback. */
static void
attach(struct vecwire__serve_conn *conn)
{
    struct bufferevent *bev = conn->bev;
    bufferevent_event_cb event_cb;
    void *evcon;

    bufferevent_getcb(bev, NULL, NULL, &event_cb, &evcon);
    if (event_cb == NULL) {
        conn_free(conn);
    } else {
        conn->evcon = evcon;
        evhttp_connection_set_closecb(evcon, on_close, conn);
        if (!put_by_fd(conn->conns, conn, bufferevent_getfd(bev)))
            shut(conn);
    }
    bufferevent_decref(bev);
}

static void
on_soon(evutil_socket_t fd, short what, void *arg)
{
    struct vecwire__serve_conn *conn = arg;

    (void)fd;
    (void)what;
    if (conn->evcon == NULL)
        attach(conn);
    else if (conn->state == REFUSED)
        vecwire__refusal_send(&conn->refusal, conn->bev);
}

/* The one that has been idle for longest, of those that were answered. */
static void
close_longest_idle(struct vecwire__serve_conns *conns)
{
    struct vecwire__serve_conn *conn;

    TAILQ_FOREACH (conn, &conns->list, link) {
        if (conn->state == IDLE && conn->answered) {
            shut(conn);
            return;
        }
    }
}

static bool
is_silent(const struct vecwire__serve_conn *conn, uint64_t now)
{
    uint64_t since = conn->ends_ms - conn->conns->limits.idle_ms;

    return conn->state == IDLE && !conn->answered && since + SILENT_MS <= now;
}

/* Nobody takes it, and the kernel would keep what was written for long. */
static void
drop(struct vecwire__serve_conn *conn)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    (void)setsockopt(bufferevent_getfd(conn->bev), SOL_SOCKET, SO_LINGER,
                     &at_once, sizeof(at_once));
    shut(conn);
}

static void
time_is_up(struct vecwire__serve_conn *conn)
{
    /* What evhttp has to say, nobody reads. */
    if (evbuffer_get_length(bufferevent_get_output(conn->bev)) > 0) {
        drop(conn);
        return;
    }
    switch (conn->state) {
    case IN_HEAD:
        refuse(conn, 408, "Request Timeout", "request_timeout",
               "the head of the request took too long");
        break;
    case IN_BODY:
        refuse(conn, 408, "Request Timeout", "request_timeout",
               "the body of the request took too long");
        break;
    default:
        shut(conn);
        break;
    }
}

/* Ending one frees none: evhttp does that when it sees the end. */
static void
on_sweep(evutil_socket_t fd, short what, void *arg)
{
    struct vecwire__serve_conns *conns = arg;
    struct vecwire__serve_conn *conn;
    uint64_t now = now_ms();

    (void)fd;
    (void)what;
    TAILQ_FOREACH (conn, &conns->list, link)
        if (conn->evcon != NULL &&
            (conn->ends_ms <= now || (conns->full && is_silent(conn, now))))
            time_is_up(conn);
    if (conns->full)
        close_longest_idle(conns);
}

bool
vecwire__serve_conn_prepare(struct vecwire__serve_conns *conns,
                            struct bufferevent *bev, bool tls)
{
    struct vecwire__serve_conn *conn = calloc(1, sizeof(*conn));

    if (conn == NULL)
        return false;
    conn->conns = conns;
    conn->bev = bev;
    conn->tls = tls;
    conn->fd = -1;
    conn->soon = event_new(conns->base, -1, 0, on_soon, conn);
    if (conn->soon == NULL || evbuffer_add_cb(bufferevent_get_input(bev),
                                              input_added, conn) == NULL) {
        if (conn->soon != NULL)
            event_free(conn->soon);
        free(conn);
        return false;
    }
    conns->ahead = conn;
    return true;
}

struct bufferevent *
vecwire__serve_conn_begin(struct vecwire__serve_conns *conns)
{
    struct vecwire__serve_conn *conn = conns->ahead;
    const struct timeval every = {conns->sweep_ms / 1000,
                                  (suseconds_t)(conns->sweep_ms % 1000) * 1000};

    conns->ahead = NULL;
    enter(conn, IDLE, conns->limits.idle_ms);
    bufferevent_setwatermark(conn->bev, EV_READ, 0, INPUT_MAX);
    bufferevent_incref(conn->bev);
    TAILQ_INSERT_TAIL(&conns->list, conn, link);
    event_active(conn->soon, EV_TIMEOUT, 0);
    if (conns->n++ == 0)
        (void)event_add(conns->sweep, &every);
    if (conns->n >= conns->limits.max_connections) {
        conns->full = true;
        evconnlistener_disable(conns->listener);
        close_longest_idle(conns);
    }
    return conn->bev;
}

/* The answer has been written. What came ahead is a new request. */
static void
on_answered(struct evhttp_request *req, void *arg)
{
    struct vecwire__serve_conn *conn = arg;
    struct evbuffer *input = bufferevent_get_input(conn->bev);
    size_t n = evbuffer_get_length(input);

    (void)req;
    if (conn->state == SHUT)
        return;
    become_idle(conn);
    if (n > 0)
        look(conn, input, n);
}

void
vecwire__serve_conn_asked(struct vecwire__serve_conns *conns,
                          struct evhttp_request *req)
{
    struct bufferevent *bev =
        evhttp_connection_get_bufferevent(evhttp_request_get_connection(req));
    int fd = bufferevent_getfd(bev);
    struct vecwire__serve_conn *conn =
        fd >= 0 && (size_t)fd < conns->cap_by_fd ? conns->by_fd[fd] : NULL;

    if (conn == NULL)
        return;
    enter(conn, ANSWERED, conns->limits.answer_ms);
    evhttp_request_set_on_complete_cb(req, on_answered, conn);
}

static uint32_t
or_default(uint32_t value, uint32_t otherwise)
{
    return value == 0 ? otherwise : value;
}

bool
vecwire__serve_conns_init(struct vecwire__serve_conns *conns,
                          struct event_base *base,
                          const struct vecwire__serve_limits *limits)
{
    uint32_t least;

    memset(conns, 0, sizeof(*conns));
    TAILQ_INIT(&conns->list);
    conns->base = base;
    conns->limits = (struct vecwire__serve_limits){
        or_default(limits->idle_ms, 60000), or_default(limits->head_ms, 10000),
        or_default(limits->request_ms, 60000),
        or_default(limits->answer_ms, 60000),
        or_default(limits->max_connections, 4096)};
    least = conns->limits.head_ms < conns->limits.idle_ms
                ? conns->limits.head_ms
                : conns->limits.idle_ms;
    if (conns->limits.request_ms < least)
        least = conns->limits.request_ms;
    if (conns->limits.answer_ms < least)
        least = conns->limits.answer_ms;
    conns->sweep_ms = least / 4 > 1000 ? 1000 : least / 4 < 10 ? 10 : least / 4;
    conns->sweep = event_new(base, -1, EV_PERSIST, on_sweep, conns);
    return conns->sweep != NULL;
}

void
vecwire__serve_conns_close(struct vecwire__serve_conns *conns)
{
    struct vecwire__serve_conn *conn = TAILQ_FIRST(&conns->list), *next;

    conns->listener = NULL;
    for (; conn != NULL; conn = next) {
        next = TAILQ_NEXT(conn, link);
        if (conn->evcon == NULL)
            attach(conn);
    }
}

void
vecwire__serve_conns_fini(struct vecwire__serve_conns *conns)
{
    struct vecwire__serve_conn *ahead = conns->ahead;

    if (ahead != NULL) {
        evbuffer_remove_cb(bufferevent_get_input(ahead->bev), input_added,
                           ahead);
        bufferevent_free(ahead->bev);
        event_free(ahead->soon);
        free(ahead);
    }
    conns->ahead = NULL;
    if (conns->sweep != NULL)
        event_free(conns->sweep);
    conns->sweep = NULL;
    free(conns->by_fd);
    conns->by_fd = NULL;
}
