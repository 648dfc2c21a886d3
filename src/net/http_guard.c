/* SPDX-License-Identifier: Apache-2.0 */
/* Heads are counted before evhttp sees them. */
#include "net/http_conn.h"

/* Times 100 Continue before a reply. */
#define MAX_INTERIMS 8

void
vecwire__http_guard_head(struct vecwire__http *http, struct evbuffer *buf,
                         size_t n)
{
    struct evbuffer_iovec part;
    struct evbuffer_ptr at;
    size_t used;

    if (evbuffer_ptr_set(buf, &at, evbuffer_get_length(buf) - n,
                         EVBUFFER_PTR_SET) != 0)
        return;
    while (n > 0 && !http->guard.ended &&
           http->head_fault == VECWIRE__HEAD_FINE &&
           evbuffer_peek(buf, -1, &at, &part, 1) > 0) {
        http->head_fault = vecwire__head_guard_count(
            &http->guard, part.iov_base, part.iov_len, &used);
        n -= part.iov_len;
        if (n > 0 &&
            evbuffer_ptr_set(buf, &at, part.iov_len, EVBUFFER_PTR_ADD) != 0)
            return;
    }
}

void
vecwire__http_blame_head(struct vecwire__http *http)
{
    char why[128];

    vecwire__head_guard_text(&http->guard, http->head_fault, why, sizeof(why));
    vecwire__http_blame(http, VECWIRE_EPROTO, "reply refused: %s", why);
}

bool
vecwire__http_next_head(struct vecwire__http *http)
{
    struct evbuffer *input = bufferevent_get_input(http->bev);

    if (++http->interims > MAX_INTERIMS) {
        vecwire__http_blame(http, VECWIRE_EPROTO,
                            "reply refused: more than %d times 100 Continue",
                            MAX_INTERIMS);
        return false;
    }
    vecwire__head_guard_begin(&http->guard);
    vecwire__http_guard_head(http, input, evbuffer_get_length(input));
    if (http->head_fault == VECWIRE__HEAD_FINE)
        return true;
    vecwire__http_blame_head(http);
    return false;
}
