/* SPDX-License-Identifier: Apache-2.0 */
/* Vecwire: vector databases over HTTP, on your own libevent loop. On a warm
 * connection a call costs one iteration of that loop.
 *
 * The contract
 *  1. A verb that returns VECWIRE_OK runs its completion callback exactly
 *     once, never before it returns: from the loop, or inside
 *     vecwire_client_free() with VECWIRE_ECLOSED. A verb that returns
 *     anything else never runs it. A NULL callback is allowed.
 *  2. Any function may be called from any of these callbacks (completion,
 *     rows, failed rows, room, the end of an upload or a scroll, close),
 *     freeing the client included. The log callback and the allocator hooks
 *     must not call the library.
 *  3. Arguments are read before the verb returns. The library never owns the
 *     caller's memory.
 *  4. A reply dies when its callback returns, unless kept (no copy). A kept
 *     reply may outlive the client, not the allocator's context.
 *  5. One client, one event_base, one thread. The library starts no threads
 *     and never touches the process: no signal handlers, no setlocale, no
 *     libevent log or memory hooks, nothing printed. (libevent's own resolver
 *     has a line for stderr when a name server fails; a host that does not
 *     want it calls event_set_log_callback().)
 *  6. vecwire_client_free() completes every unfinished call before it
 *     returns, wherever it is called from; after it no callback runs.
 *  7. After vecwire_cancel() the callback still runs once, with
 *     VECWIRE_ECANCELED, from the loop; keep `arg` until then.
 *  8. An idle client does not keep its base from returning, except through a
 *     kept-alive connection for at most idle_ms.
 *
 * Several loops may run side by side in several threads, each with a base
 * and clients of its own.
 *
 * After fork() a client is its parent's. In the child it may be left alone or
 * freed, which the parent does not feel (see vecwire_client_free()); other
 * functions send nothing and change nothing: VECWIRE_ECLOSED, or false. The
 * child makes clients of its own, on a base of its own.
 */
#ifndef VECWIRE_H
#define VECWIRE_H

#include <vecwire/error.h>
#include <vecwire/client.h>
#include <vecwire/query.h>
#include <vecwire/hms.h>
#include <vecwire/reply.h>
#include <vecwire/qdrant.h>
#include <vecwire/qdrant_admin.h>
#include <vecwire/qdrant_server.h>
#include <vecwire/scroller.h>
#include <vecwire/uploader.h>
#include <vecwire/vector.h>
#include <vecwire/loop.h>

/* Version of these headers. */
#define VECWIRE_VERSION_MAJOR 0
#define VECWIRE_VERSION_MINOR 1
#define VECWIRE_VERSION_PATCH 0
#define VECWIRE_VERSION "0.1.0"

#endif
