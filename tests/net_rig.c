/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/net_rig.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "codec/mem.h"

#ifndef VECWIRE_NO_OPENSSL
#include "tests/certs.h"
#endif

/* Longer than any test takes, valgrind included. */
#define PATIENCE_NS ((uint64_t)20 * 1000000000)

static uint64_t
clock_now(void *ctx)
{
    struct timespec now;

    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void
clock_arm(void *ctx, uint64_t at_ns)
{
    struct net_rig *rig = ctx;
    uint64_t now = clock_now(NULL), us;

    event_del(rig->timer);
    if (at_ns == 0)
        return;
    us = at_ns > now ? (at_ns - now) / 1000 + 1 : 0;
    event_add(rig->timer,
              &(struct timeval){.tv_sec = (time_t)(us / 1000000),
                                .tv_usec = (suseconds_t)(us % 1000000)});
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct net_rig *rig = arg;

    (void)fd;
    (void)what;
    vecwire__timers_run(&rig->timers);
}

static void
note(struct rig_call *call, const char *word)
{
    size_t n = strlen(call->log);

    snprintf(call->log + n, sizeof(call->log) - n, "%s ", word);
}

static void
act(struct rig_call *call, enum rig_at at)
{
    if (call->act_at != at)
        return;
    call->act_at = RIG_NOWHERE;
    call->act(call);
}

static void
on_phase(struct vecwire__conn *conn, enum vecwire_phase phase)
{
    static const char *const words[] = {
        [VECWIRE_PHASE_RESOLVING] = "resolving",
        [VECWIRE_PHASE_CONNECTING] = "connecting",
        [VECWIRE_PHASE_SENDING] = "sending",
        [VECWIRE_PHASE_WAITING] = "waiting",
        [VECWIRE_PHASE_RECEIVING] = "receiving"};
    struct rig_call *call = conn->lease;

    /* Tests that know nothing of TLS run over it as well. */
    if (phase == VECWIRE_PHASE_TLS)
        return;
    note(call, words[phase]);
    if (phase == VECWIRE_PHASE_SENDING)
        act(call, RIG_SENDING);
    else if (phase == VECWIRE_PHASE_RECEIVING)
        act(call, RIG_RECEIVING);
}

static void
on_head(struct vecwire__conn *conn, const struct vecwire__head *head)
{
    struct rig_call *call = conn->lease;
    char word[16];

    snprintf(word, sizeof(word), "%u", head->status);
    note(call, word);
    call->status = head->status;
    for (size_t i = 0; i < head->n_headers; i++) {
        if (strcasecmp(head->headers[i].name, "X-Test") == 0)
            snprintf(call->header, sizeof(call->header), "%s",
                     head->headers[i].value);
    }
    act(call, RIG_HEAD);
}

static void
on_body(struct vecwire__conn *conn, const char *bytes, size_t len)
{
    struct rig_call *call = conn->lease;

    if (call->n_body++ == 0)
        note(call, "body");
    call->body = realloc(call->body, call->body_len + len + 1);
    ck_assert_ptr_nonnull(call->body);
    memcpy(call->body + call->body_len, bytes, len);
    call->body_len += len;
    call->body[call->body_len] = '\0';
    act(call, RIG_BODY);
}

static void
on_end(struct vecwire__conn *conn, bool reusable)
{
    struct rig_call *call = conn->lease;

    note(call, "end");
    call->n_ended++;
    call->reusable = reusable;
    call->wakeups = conn->wakeups;
    call->rig->pending--;
    act(call, RIG_END);
}

static void
on_lost(struct vecwire__conn *conn, const struct vecwire__loss *loss)
{
    struct rig_call *call = conn->lease;

    note(call, "lost");
    call->n_lost++;
    call->code = loss->code;
    call->sent_any = loss->sent_any;
    call->reply_seen = loss->reply_seen;
    snprintf(call->detail, sizeof(call->detail), "%s", loss->detail);
    call->rig->pending--;
    act(call, RIG_LOST);
}

static void
on_idle_lost(struct vecwire__conn *conn)
{
    struct rig_call *call = conn->lease;

    note(call, "idle-lost");
    call->n_idle_lost++;
    act(call, RIG_IDLE_LOST);
}

bool
rig_over_tls(void)
{
    return getenv("VECWIRE_OVER_TLS") != NULL;
}

#ifndef VECWIRE_NO_OPENSSL

static void
use_tls(struct net_rig *rig)
{
    rig->tls = NULL;
    if (!rig_over_tls())
        return;
    rig->tls = cert_server_ctx(cert_localhost());
    fault_server_use_tls(rig->server, rig->tls, SIZE_MAX);
}

/* The client's side. */
static void
make_tls(struct net_rig *rig)
{
    struct vecwire__tls_config config = {.mem = rig->config.mem,
                                         .host = rig->config.url.host};
    char why[200] = "";

    rig->config.tls = NULL;
    if (rig->tls == NULL)
        return;
    config.ca_file = cert_authority()->cert_file;
    ck_assert_msg(vecwire__tls_new(&rig->config.tls, &config, why,
                                   sizeof(why)) == VECWIRE_OK,
                  "%s", why);
}

static void
drop_tls(struct net_rig *rig)
{
    SSL_CTX_free(rig->tls);
}

/* They stay open: not between two counts. */
static void
make_certificates(void)
{
    if (rig_over_tls())
        (void)cert_localhost();
}

#else

static void
make_certificates(void)
{
}

static void
use_tls(struct net_rig *rig)
{
    rig->tls = NULL;
}

static void
make_tls(struct net_rig *rig)
{
    (void)rig;
}

static void
drop_tls(struct net_rig *rig)
{
    (void)rig;
}

#endif

void
rig_init(struct net_rig *rig, const char *host, const struct fault_step *script)
{
    memset(rig, 0, sizeof(*rig));
    rig->script = script;
    rig_init_scripts(rig, host, "127.0.0.1", &rig->script, 1);
}

void
rig_init_scripts(struct net_rig *rig, const char *host,
                 const char *listen_address,
                 const struct fault_step *const *scripts, size_t n)
{
    struct vecwire__clock clock = {clock_now, clock_arm, rig};
    struct event_config *flags = event_config_new();
    const char *why;
    char text[300];

    rig->pending = 0;
    rig->freed = false;
    event_config_set_flag(flags, EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST);
    rig->base = event_base_new_with_config(flags);
    event_config_free(flags);
    rig->timer = event_new(rig->base, -1, 0, on_timer, rig);
    vecwire__timers_init(&rig->timers, &vecwire__mem_libc, &clock);
    rig->server = fault_server_new(rig->base, listen_address, scripts, n);
    ck_assert_ptr_nonnull(rig->server);
    rig->config = (struct vecwire__net_config){
        .base = rig->base,
        .mem = &vecwire__mem_libc,
        .timers = &rig->timers,
        .events = {on_phase, on_head, on_body, on_end, on_lost, on_idle_lost},
        .connect_ms = 5000,
        .max_header_bytes = 65536,
        .max_header_lines = 128,
        .read_per_turn = 262144,
        .max_reply_bytes = 268435456};
    snprintf(text, sizeof(text), "http%s://%s:%u", rig_over_tls() ? "s" : "",
             host, (unsigned)fault_server_port(rig->server));
    ck_assert_int_eq(vecwire__url_parse(&rig->config.url, text, 8080, &why),
                     VECWIRE_OK);
    use_tls(rig);
    rig->net = NULL;
    rig_reconfigure(rig);
}

void
rig_reconfigure(struct net_rig *rig)
{
    vecwire__net_free(rig->net);
    make_tls(rig);
    ck_assert_int_eq(vecwire__net_new(&rig->net, &rig->config), VECWIRE_OK);
}

void
rig_free_net(struct net_rig *rig)
{
    vecwire__net_free(rig->net);
    rig->net = NULL;
    rig->freed = true;
}

void
rig_fini(struct net_rig *rig)
{
    if (!rig->freed)
        rig_free_net(rig);
    fault_server_free(rig->server);
    drop_tls(rig);
    vecwire__timers_fini(&rig->timers);
    event_free(rig->timer);
    event_base_free(rig->base);
}

void
rig_call_init(struct rig_call *call, struct net_rig *rig)
{
    memset(call, 0, sizeof(*call));
    call->rig = rig;
    call->req.method = VECWIRE__GET;
    call->req.path = "/x";
}

void
rig_call_fini(struct rig_call *call)
{
    free(call->body);
    call->body = NULL;
}

/* What the last request on this connection said. */
static void
forget(struct rig_call *call)
{
    rig_call_fini(call);
    call->log[0] = call->detail[0] = call->header[0] = '\0';
    call->body_len = call->n_body = 0;
    call->status = 0;
    call->n_ended = call->n_lost = 0;
    call->code = VECWIRE_OK;
}

void
rig_send(struct rig_call *call)
{
    struct net_rig *rig = call->rig;

    forget(call);
    if (call->conn == NULL) {
        call->conn = vecwire__net_transport.open(rig->net);
        ck_assert_ptr_nonnull(call->conn);
        call->conn->lease = call;
    }
    rig->pending++;
    ck_assert_int_eq(vecwire__net_transport.send(call->conn, &call->req),
                     VECWIRE_OK);
    ck_assert_str_eq(call->log, ""); /* no upcall inside send */
}

void
rig_close(struct rig_call *call)
{
    if (call->conn != NULL)
        vecwire__net_transport.close(call->conn);
    call->conn = NULL;
}

static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
}

static bool
is_pending(const struct net_rig *rig, const unsigned *flag)
{
    return flag == NULL ? rig->pending > 0 : *flag == 0;
}

/* Pass by pass; a pass that waits for nothing ends too. */
static void
run_while_pending(struct net_rig *rig, const unsigned *flag)
{
    const struct timeval second = {1, 0};
    struct event *tick = event_new(rig->base, -1, EV_PERSIST, on_tick, NULL);
    uint64_t end = clock_now(NULL) + PATIENCE_NS;

    event_add(tick, &second);
    while (is_pending(rig, flag) && clock_now(NULL) < end)
        event_base_loop(rig->base, EVLOOP_ONCE);
    event_free(tick);
    ck_assert_msg(!is_pending(rig, flag), "nothing happens any more");
}

void
rig_run(struct net_rig *rig)
{
    run_while_pending(rig, NULL);
}

void
rig_run_until(struct net_rig *rig, const unsigned *flag)
{
    run_while_pending(rig, flag);
}

void
rig_turn(struct net_rig *rig)
{
    for (int i = 0; i < 20; i++)
        event_base_loop(rig->base, EVLOOP_NONBLOCK);
}

size_t
rig_descriptors(void)
{
    size_t n = 0;
    DIR *dir;

    make_certificates();
    dir = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(dir);
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n;
}

void
rig_do(struct rig_call *call)
{
    rig_send(call);
    rig_run(call->rig);
}
