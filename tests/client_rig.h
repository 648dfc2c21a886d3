/* SPDX-License-Identifier: Apache-2.0 */
/* A client and a fault server on one base, and what each call came to. */
#ifndef VECWIRE_TESTS_CLIENT_RIG_H
#define VECWIRE_TESTS_CLIENT_RIG_H

#include <check.h>
#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "tests/fault_server.h"

/* Longer than anything here takes; only a test that fails waits so long. */
#define RIG_PATIENCE_MS 15000

struct client_rig {
    struct event_base *base;
    struct vecwire_loop *loop;
    struct fault_server *server;
    struct vecwire_client *client;
    struct ssl_ctx_st *tls; /* the server's; NULL: plain */
    char url[64];
};

/* One call. */
struct rig_outcome {
    struct client_rig *rig;
    const struct vecwire_reply *reply; /* kept; NULL: none yet */
    unsigned runs;                     /* of its callback */
};

/* The scripts outlive the rig. `options` may lack url and loop. */
void client_rig_init(struct client_rig *rig,
                     const struct fault_step *const *scripts, size_t n,
                     struct vecwire_options options);
/* The same on a base of the test's, which is the rig's from here on. */
void client_rig_init_on(struct client_rig *rig, struct event_base *base,
                        const struct fault_step *const *scripts, size_t n,
                        struct vecwire_options options);
void client_rig_fini(struct client_rig *rig);

/* Start a call; it must be taken. */
void client_rig_query(struct client_rig *rig, struct rig_outcome *outcome,
                      const struct vecwire_call_options *options);
void client_rig_upsert(struct client_rig *rig, struct rig_outcome *outcome,
                       const struct vecwire_call_options *options);
void client_rig_get(struct client_rig *rig, struct rig_outcome *outcome);
void client_rig_post(struct client_rig *rig, struct rig_outcome *outcome,
                     const void *body, size_t len);

/* Until no call is unfinished; fails when that takes too long. */
void client_rig_run(struct client_rig *rig);

/* The code of a call that has ended. */
enum vecwire_err rig_outcome_code(const struct rig_outcome *outcome);

void rig_outcome_fini(struct rig_outcome *outcome);

/* The main() of a program with one case; `add` fills it. */
int client_rig_main(const char *name, void (*add)(TCase *tcase));

/* The client's descriptor of its (first) connection to the server. */
int client_rig_descriptor(const struct client_rig *rig);

#endif
