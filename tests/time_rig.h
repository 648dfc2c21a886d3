/* SPDX-License-Identifier: Apache-2.0 */
/* A client on a clock that stands still until a test moves it, and servers on
 * real sockets: one that speaks HTTP by scripts, a name server, a listener
 * that accepts nobody. The servers' base may be turned apart from the
 * client's. */
#ifndef VECWIRE_TESTS_TIME_RIG_H
#define VECWIRE_TESTS_TIME_RIG_H

#include <check.h>
#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "tests/counting_mem.h"
#include "tests/fake_clock.h"
#include "tests/fault_server.h"
#include "tests/name_server.h"

#define TIME_RIG_DEAF 5

struct time_rig {
    struct event_base *base, *server_base;
    struct fault_server *server;
    struct name_server *names;
    struct vecwire_client *client;
    struct counting_mem counting;
    struct ssl_ctx_st *tls; /* the server's; NULL: plain */
    struct fake_clock clock;
    struct vecwire__clock real;
    int deaf[TIME_RIG_DEAF];
};

/* What the client talks to. */
enum time_rig_peer {
    TIME_RIG_SERVER,
    TIME_RIG_TLS,          /* the same, over TLS 1.3 */
    TIME_RIG_TLS12,        /* and 1.2 */
    TIME_RIG_TLS_TO_PLAIN, /* over TLS, and the server knows none */
    TIME_RIG_NAMED,        /* plain, by a name */
    TIME_RIG_BAD_NAME,     /* a name that does not exist */
    TIME_RIG_NO_NAME,      /* a name that nobody answers for */
    TIME_RIG_DEAF_SERVER   /* a listener that accepts nobody */
};

/* False: no TLS here; nothing was made. The scripts outlive the rig. */
bool time_rig_init(struct time_rig *rig, enum time_rig_peer peer,
                   const struct fault_step *const *scripts, size_t n,
                   struct vecwire_options options);

/* Open descriptors, but for certificates, which stay. */
size_t time_rig_descriptors(void);

/* Frees what there is, and checks that nothing is left. */
void time_rig_fini(struct time_rig *rig);

/* From now on, and before the first call, time is real. */
void time_rig_use_real_clock(struct time_rig *rig);

/* Of both bases, some passes that do not wait. */
void time_rig_turn(struct time_rig *rig);

/* Time passes, and the loop is there at every moment that counts. */
void time_rig_pass(struct time_rig *rig, uint64_t ms);

/* Time passes while the loop does something else. */
void time_rig_oversleep(struct time_rig *rig, uint64_t ms);

/* One pass of the client's base; its timer rings when it is due. */
void time_rig_step(struct time_rig *rig);

#endif
