/* SPDX-License-Identifier: Apache-2.0 */
/* How a call moves: leases, timers and the connection's upcalls. */
#ifndef VECWIRE_CALL_FLOW_H
#define VECWIRE_CALL_FLOW_H

#include "call/engine.h"

/* The pool's grant(). Runs no user code. */
void vecwire__flow_grant(struct vecwire__waiter *waiter,
                         struct vecwire__conn *conn);

/* A call's timer: the deadline, or the next attempt. */
void vecwire__flow_timer(struct vecwire__timer *timer);

#endif
