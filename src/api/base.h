/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_API_BASE_H
#define VECWIRE_API_BASE_H

#include <vecwire/loop.h>

/* Is this called from inside a callback of the base? Running it again would
 * make libevent print a warning. On a base with EVENT_BASE_FLAG_NO_CACHE_TIME
 * this cannot be seen and is false. */
bool vecwire__base_runs(struct event_base *base);

/* One counted pass, for callers that know that the base does not run. *more
 * is false when nothing is left to wait for. */
enum vecwire_err vecwire__loop_pass(struct vecwire_loop *loop, bool *more);

#endif
