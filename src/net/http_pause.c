/* SPDX-License-Identifier: Apache-2.0 */
/* A reply whose owner wants no more of it for now. Reading stops, so that the
 * server is held up by its own socket and the loop is not woken. evhttp turns
 * reading on again whenever it has read some, so libevent's is stopped by its
 * read limit, which that does not undo. */
#include "net/http_conn.h"

#include <assert.h>
#include <limits.h>

void
vecwire__http_pause(struct vecwire__conn *conn)
{
    struct vecwire__http *http = vecwire__http_of(conn);

    assert(http->state == VECWIRE__HTTP_BUSY && !http->paused);
    http->paused = true;
    /* What may have come meanwhile is looked for at the end. */
    http->sated = true;
    if (http->evcon == NULL || http->gone)
        return;
    /* First: it would be called for ever for what nobody reads. */
    if (http->watch != NULL)
        event_free(http->watch);
    http->watch = NULL;
    if (http->tls == NULL)
        bufferevent_decrement_read_limit(http->bev,
                                         bufferevent_get_read_limit(http->bev));
}

void
vecwire__http_resume(struct vecwire__conn *conn)
{
    struct vecwire__http *http = vecwire__http_of(conn);

    assert(http->state == VECWIRE__HTTP_BUSY && http->paused);
    vecwire__http_soon(http, VECWIRE__HTTP_RESUME, true);
}

static void
read_on(struct vecwire__http *http)
{
    if (http->gone)
        return;
    if (http->tls == NULL)
        bufferevent_decrement_read_limit(http->bev, -(ev_ssize_t)INT_MAX);
    vecwire__http_watch(http);
    vecwire__http_turn_again(http);
}

void
vecwire__http_go_on(struct vecwire__http *http)
{
    http->paused = false;
    vecwire__http_tell_body(http, http->held);
    if (http->state != VECWIRE__HTTP_BUSY || http->paused)
        return;
    switch (http->held_end) {
    case VECWIRE__HTTP_HELD_LOSS:
        vecwire__http_tell_lost(http);
        break;
    case VECWIRE__HTTP_HELD_END:
        read_on(http);
        vecwire__http_reply_ended(http);
        break;
    case VECWIRE__HTTP_HELD_NONE:
        read_on(http);
        if (http->watch != NULL) {
            vecwire__http_take_chunks(http);
        } else {
            vecwire__http_blame(http, VECWIRE_ENOMEM, "out of memory");
            vecwire__http_abort(http);
        }
        break;
    }
}
