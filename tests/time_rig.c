/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/time_rig.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/client.h"
#include "tests/net_rig.h"
#ifndef VECWIRE_NO_OPENSSL
#include "tests/certs.h"
#endif

#define NS_PER_MS UINT64_C(1000000)

static bool
wants_tls(enum time_rig_peer peer)
{
    return peer == TIME_RIG_TLS || peer == TIME_RIG_TLS12 ||
           peer == TIME_RIG_TLS_TO_PLAIN;
}

static bool
wants_name(enum time_rig_peer peer)
{
    return peer == TIME_RIG_NAMED || peer == TIME_RIG_BAD_NAME ||
           peer == TIME_RIG_NO_NAME;
}

static const struct name_rule *
rule_for(enum time_rig_peer peer)
{
    static const struct name_rule good = {.a = {.addresses = "127.0.0.1"}};
    static const struct name_rule none = {.a = {.rcode = 3},
                                          .aaaa = {.rcode = 3}};
    static const struct name_rule silent = {.a = {.fault = NAME_SILENT},
                                            .aaaa = {.fault = NAME_SILENT}};

    if (peer == TIME_RIG_NAMED)
        return &good;
    return peer == TIME_RIG_BAD_NAME ? &none : &silent;
}

#ifndef VECWIRE_NO_OPENSSL

static bool
use_tls(struct time_rig *rig, enum time_rig_peer peer,
        struct vecwire_options *options)
{
    if (!wants_tls(peer))
        return true;
    rig->tls = cert_server_ctx(cert_localhost());
    if (peer == TIME_RIG_TLS12)
        SSL_CTX_set_max_proto_version(rig->tls, TLS1_2_VERSION);
    if (peer != TIME_RIG_TLS_TO_PLAIN)
        fault_server_use_tls(rig->server, rig->tls, SIZE_MAX);
    options->ca_file = cert_authority()->cert_file;
    return true;
}

static void
drop_tls(struct time_rig *rig)
{
    SSL_CTX_free(rig->tls);
}

static void
make_certificates(void)
{
    (void)cert_localhost();
}

#else

static bool
use_tls(struct time_rig *rig, enum time_rig_peer peer,
        struct vecwire_options *options)
{
    (void)rig;
    (void)options;
    return !wants_tls(peer);
}

static void
drop_tls(struct time_rig *rig)
{
    (void)rig;
}

static void
make_certificates(void)
{
}

#endif

size_t
time_rig_descriptors(void)
{
    make_certificates();
    return rig_descriptors();
}

/* A listener whose queue is full; its port. */
static uint16_t
listen_deaf(struct time_rig *rig)
{
    struct sockaddr_in sin = {.sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr *sa = (struct sockaddr *)&sin;
    socklen_t len = sizeof(sin);

    rig->deaf[0] = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(rig->deaf[0], sa, len), 0);
    ck_assert_int_eq(listen(rig->deaf[0], 0), 0);
    ck_assert_int_eq(getsockname(rig->deaf[0], sa, &len), 0);
    for (int i = 1; i < TIME_RIG_DEAF; i++) {
        rig->deaf[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)connect(rig->deaf[i], sa, len);
    }
    return ntohs(sin.sin_port);
}

bool
time_rig_init(struct time_rig *rig, enum time_rig_peer peer,
              const struct fault_step *const *scripts, size_t n,
              struct vecwire_options options)
{
    char url[64];

    memset(rig, 0, sizeof(*rig));
    rig->clock.now_ns = 1;
    counting_mem_init(&rig->counting);
    rig->base = vecwire_event_base_new();
    rig->server_base = vecwire_event_base_new();
    ck_assert(rig->base != NULL && rig->server_base != NULL);
    rig->server = fault_server_new(rig->server_base, "127.0.0.1", scripts, n);
    rig->names =
        name_server_new(rig->server_base, "127.0.0.1", rule_for(peer), 1);
    if (!use_tls(rig, peer, &options)) {
        time_rig_fini(rig);
        return false;
    }
    snprintf(url, sizeof(url), "http%s://%s:%u", rig->tls == NULL ? "" : "s",
             wants_name(peer) ? "db.test" : "127.0.0.1",
             peer == TIME_RIG_DEAF_SERVER
                 ? (unsigned)listen_deaf(rig)
                 : (unsigned)fault_server_port(rig->server));
    options.url = url;
    options.mem = &rig->counting.mem;
    options.resolv_conf = name_server_conf(rig->names);
    ck_assert_int_eq(vecwire_client_new(&rig->client, rig->base, &options),
                     VECWIRE_OK);
    rig->real = fake_clock_lead(&rig->clock, &rig->client->timers);
    return true;
}

void
time_rig_fini(struct time_rig *rig)
{
    vecwire_client_free(rig->client);
    fault_server_free(rig->server);
    name_server_free(rig->names);
    /* Nothing of ours is left to wait for. */
    ck_assert_int_eq(event_base_dispatch(rig->base), 1);
    event_base_free(rig->base);
    event_base_free(rig->server_base);
    drop_tls(rig);
    for (int i = 0; i < TIME_RIG_DEAF && rig->deaf[0] != 0; i++)
        close(rig->deaf[i]);
    ck_assert_uint_eq(rig->counting.blocks, 0);
}

void
time_rig_use_real_clock(struct time_rig *rig)
{
    rig->client->timers.clock = rig->real;
}

void
time_rig_step(struct time_rig *rig)
{
    /* A pass takes some time. */
    rig->clock.now_ns += 1000;
    if (rig->clock.armed_ns != 0 && rig->clock.armed_ns <= rig->clock.now_ns) {
        rig->clock.armed_ns = 0;
        event_active(rig->client->timer_event, EV_TIMEOUT, 0);
    }
    /* EVLOOP_NONBLOCK alone goes on as long as there is something to do. */
    event_base_loop(rig->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

void
time_rig_turn(struct time_rig *rig)
{
    for (int i = 0; i < 12; i++) {
        event_base_loop(rig->server_base, EVLOOP_NONBLOCK);
        time_rig_step(rig);
    }
}

void
time_rig_pass(struct time_rig *rig, uint64_t ms)
{
    uint64_t until = rig->clock.now_ns + ms * NS_PER_MS;

    while (rig->clock.armed_ns != 0 && rig->clock.armed_ns <= until) {
        if (rig->clock.armed_ns > rig->clock.now_ns)
            rig->clock.now_ns = rig->clock.armed_ns;
        time_rig_turn(rig);
    }
    if (rig->clock.now_ns < until)
        rig->clock.now_ns = until;
    time_rig_turn(rig);
}

void
time_rig_oversleep(struct time_rig *rig, uint64_t ms)
{
    rig->clock.now_ns += ms * NS_PER_MS;
}
