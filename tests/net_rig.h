/* SPDX-License-Identifier: Apache-2.0 */
/* A net, a fault server and a loop under one test, and what the upcalls of
 * each request said. */
#ifndef VECWIRE_TESTS_NET_RIG_H
#define VECWIRE_TESTS_NET_RIG_H

#include <check.h>
#include <event2/event.h>

#include "net/net.h"
#include "net/timers.h"
#include "tests/fault_server.h"

/* Where a test may step in. */
enum rig_at {
    RIG_NOWHERE,
    RIG_SENDING,
    RIG_RECEIVING,
    RIG_HEAD,
    RIG_BODY,
    RIG_END,
    RIG_LOST,
    RIG_IDLE_LOST
};

struct net_rig {
    struct event_base *base;
    struct event *timer;
    struct vecwire__timers timers;
    struct fault_server *server;
    struct vecwire__net *net;
    struct vecwire__net_config config;
    size_t pending;                  /* requests without end or loss */
    const struct fault_step *script; /* of rig_init() */
    bool freed;                      /* the net, by a test */
    struct ssl_ctx_st *tls;          /* the server's; NULL: plain */
};

/* One request, or more of them after each other on one connection. */
struct rig_call {
    struct net_rig *rig;
    struct vecwire__conn *conn;
    struct vecwire__request req;
    char log[512]; /* "sending waiting receiving 200 body end " */
    char *body;
    size_t body_len, n_body;
    uint32_t status, wakeups;
    char header[128]; /* value of X-Test */
    unsigned n_ended, n_lost, n_idle_lost;
    bool reusable;
    enum vecwire_err code;
    bool sent_any, reply_seen;
    char detail[200];
    enum rig_at act_at; /* once */
    void (*act)(struct rig_call *call);
};

/* Net and server on a fresh base; `host` stands in the URL. The scripts
 * outlive the rig. */
void rig_init(struct net_rig *rig, const char *host,
              const struct fault_step *script);
void rig_init_scripts(struct net_rig *rig, const char *host,
                      const char *listen_address,
                      const struct fault_step *const *scripts, size_t n);

/* Everything over TLS: VECWIRE_OVER_TLS is in the environment. */
bool rig_over_tls(void);

/* Make the net anew, after a change of rig->config. */
void rig_reconfigure(struct net_rig *rig);
void rig_fini(struct net_rig *rig);

/* A GET of "/x" on a new connection; set more before rig_send(). */
void rig_call_init(struct rig_call *call, struct net_rig *rig);
void rig_call_fini(struct rig_call *call);
void rig_send(struct rig_call *call);
void rig_close(struct rig_call *call);
void rig_free_net(struct net_rig *rig);

/* Until nothing is pending. */
void rig_run(struct net_rig *rig);
/* Until *flag is not zero. */
void rig_run_until(struct net_rig *rig, const unsigned *flag);
/* A few passes that do not wait. */
void rig_turn(struct net_rig *rig);

/* Open descriptors of this process. */
size_t rig_descriptors(void);

/* Send and run. */
void rig_do(struct rig_call *call);

#define RIG_TEST(name) tcase_add_test(tcase, name)

#endif
