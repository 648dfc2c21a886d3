/* SPDX-License-Identifier: Apache-2.0 */
/* One pass of one fault through the public functions. */
#ifndef VECWIRE_TESTS_FAULT_RIG_H
#define VECWIRE_TESTS_FAULT_RIG_H

#include <event2/event.h>

#include "tests/counting_mem.h"
#include "tests/fake_clock.h"
#include "tests/fault_list.h"

/* What one call came to. */
struct fault_outcome {
    struct fault_run *run;
    const struct fault *fault; /* NULL: a call of ours before or after it */
    vecwire_call_id id;
    char mark[8];
    unsigned completions;
    struct fault_seen sees;
    bool own_mark, foreign_mark; /* seen in the reply */
    unsigned rows;               /* that on_rows was given */
    char detail[256], code[64];
    struct vecwire_uploader *uploader;
    struct vecwire_scroller *scroller;
};

#define FAULT_MAX_CALLS 40

struct fault_run {
    const struct fault_list *list;
    const struct fault *fault;
    bool tls;
    unsigned pass; /* from 1 */
    struct event_base *base, *server_base;
    struct fault_server *server;
    struct vecwire_client *client;
    struct counting_mem counting;
    struct ssl_ctx_st *tls_ctx; /* the server's */
    const struct fault_step *scripts[5];
    size_t n_scripts;
    char url[64];
    struct fake_clock clock; /* the client's */
    unsigned ended;          /* calls */
    bool gate_opened, closed;
    struct fault_outcome outcomes[FAULT_MAX_CALLS];
    int peer;  /* a socket of prepare(); 0: none */
    void *own; /* of prepare() and mend() */
};

/* The whole of a fault: each of its passes, and each of the three
 * invariants. Fails the test. */
void fault_run(const struct fault_list *list, const struct fault *fault,
               bool tls);

/* Of passes one in so many is done. */
unsigned fault_stride(const struct fault_list *list, bool tls);

/* Is there TLS to run it over? */
bool fault_rig_has_tls(void);

/* Both sides, until nothing moves any more. */
void fault_run_settle(struct fault_run *run);

/* --- fault_peers.c --- */

/* Count what libevent allocates; before anything else. */
void fault_rig_count_libevent(void);
size_t fault_rig_libevent_blocks(void);

/* Their files stay open. */
void fault_run_make_certificates(void);

/* The server speaks TLS, and the client trusts it. */
void fault_run_use_tls(struct fault_run *run, struct vecwire_options *options);
void fault_run_drop_tls(struct fault_run *run);

/* Another client connects to the server, and goes. */
void fault_run_connect(struct fault_run *run);
void fault_run_disconnect(struct fault_run *run);

/* --- fault_calls.c --- */

/* Begin a call of this kind, with a mark of its own. */
void fault_call_begin(struct fault_run *run, enum fault_call kind,
                      struct fault_outcome *outcome);

/* What the server answers where it answers well. */
const char *fault_answer(const char *request);

/* The dialect of fault_answer(). */
void fault_answer_as(const struct fault_dialect *dialect);

#endif
