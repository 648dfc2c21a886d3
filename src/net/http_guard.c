/* SPDX-License-Identifier: Apache-2.0 */
/* Heads are counted before evhttp sees them. */
#include "net/http_conn.h"

/* Times 100 Continue before a reply. */
#define MAX_INTERIMS 8

void
vecwire__http_guard_head(struct vecwire__http *http, const char *bytes,
                         size_t n)
{
    size_t used;

    /* Trailers are counted where they are read. */
    if (!http->guard.ended && !http->dechunking &&
        http->head_fault == VECWIRE__HEAD_FINE)
        http->head_fault =
            vecwire__head_guard_count(&http->guard, bytes, n, &used);
}

void
vecwire__http_guard_added(struct vecwire__http *http, struct evbuffer *buf,
                          size_t n)
{
    struct evbuffer_iovec part;
    struct evbuffer_ptr at;
    int failed = evbuffer_ptr_set(buf, &at, evbuffer_get_length(buf) - n,
                                  EVBUFFER_PTR_SET);

    while (failed == 0 && n > 0 && evbuffer_peek(buf, -1, &at, &part, 1) > 0) {
        vecwire__http_guard_head(http, part.iov_base, part.iov_len);
        n -= part.iov_len;
        if (n > 0)
            failed = evbuffer_ptr_set(buf, &at, part.iov_len, EVBUFFER_PTR_ADD);
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
    vecwire__http_guard_added(http, input, evbuffer_get_length(input));
    if (http->head_fault == VECWIRE__HEAD_FINE)
        return true;
    vecwire__http_blame_head(http);
    return false;
}
