/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_LOOP_H
#define VECWIRE_LOOP_H

#include <vecwire/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct event_base;   /* libevent's */
struct vecwire_loop; /* the counting runner of one base */

/* A new event_base with the flags that cost least: no locks, and epoll
 * changes gathered per pass. To be freed by event_base_free(), after every
 * client on it. It must be used from one thread. NULL: it could not be made.
 * Any base will do for Vecwire; on others a request may cost one or two
 * epoll_ctl calls more. */
VECWIRE_API struct event_base *vecwire_event_base_new(void);

/* An iteration is one pass of the loop that ran at least one callback. The
 * base must have one priority. The runner is made with malloc(). VECWIRE_OK:
 * *out is the runner, to be freed by vecwire_loop_free() before the base and
 * after the clients that name it. VECWIRE_EINVAL: base or out is NULL.
 * VECWIRE_ENOMEM. *out is NULL then. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_loop_new(struct vecwire_loop **out, struct event_base *base);

/* NULL is fine. The base stays. */
VECWIRE_API void vecwire_loop_free(struct vecwire_loop *loop);

/* Run the base as event_base_dispatch() does and count its iterations.
 * VECWIRE_OK: no events are left, or event_base_loopexit(), _loopbreak() or
 * vecwire_loop_stop() was called. VECWIRE_EBUSY: the base runs already.
 * VECWIRE_EIO: the backend failed. VECWIRE_EINVAL: NULL. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_loop_run(struct vecwire_loop *loop);

/* One iteration: waits until something happens, runs its callbacks. *more
 * (may be NULL) is false when there was nothing to wait for, and so no
 * iteration. Returns as vecwire_loop_run(). To see whether the base runs
 * already costs 3 us: vecwire_loop_run() looks once, this each time. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_loop_step(struct vecwire_loop *loop, bool *more);

/* Let vecwire_loop_run() return when the iteration at hand has ended. From a
 * callback of the base; NULL is fine. */
VECWIRE_API void vecwire_loop_stop(struct vecwire_loop *loop);

/* Iterations counted so far. 0 for NULL. */
VECWIRE_API uint64_t vecwire_loop_iterations(const struct vecwire_loop *loop);

#ifdef __cplusplus
}
#endif
#endif
