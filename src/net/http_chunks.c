/* SPDX-License-Identifier: Apache-2.0 */
/* Chunked bodies. evhttp reads the head; then its input goes to `raw`, is
 * taken apart here, and when all is there evhttp gets an empty body, so that
 * it ends the request as always. So a chunk need not be whole before it is
 * told, and nothing that frames it can be longer than its limit. */
#include "net/http_conn.h"

bool
vecwire__http_begin_chunks(struct vecwire__http *http)
{
    struct evbuffer *input = bufferevent_get_input(http->bev);

    if (http->raw == NULL)
        http->raw = evbuffer_new();
    if (http->raw == NULL || evbuffer_add_buffer(http->raw, input) != 0) {
        vecwire__http_blame(http, VECWIRE_ENOMEM, "out of memory");
        return false;
    }
    vecwire__chunks_begin(&http->chunks, http->net->config.max_reply_bytes,
                          &http->guard);
    http->dechunking = true;
    /* Not from here: evhttp is on the stack. */
    if (!http->in_turn && evbuffer_get_length(http->raw) > 0)
        vecwire__http_soon(http, VECWIRE__HTTP_TAKE_CHUNKS, false);
    return true;
}

/* What frames the body is dropped in one go. *n_body: how much of the body
 * follows it in the same piece. */
static enum vecwire__chunk_fault
drop_framing(struct vecwire__http *http, size_t *n_body)
{
    enum vecwire__chunk_fault fault = VECWIRE__CHUNK_FINE;
    struct evbuffer_iovec part;
    size_t at = 0, used = 0;
    bool is_body = false;

    *n_body = 0;
    if (evbuffer_peek(http->raw, -1, NULL, &part, 1) < 1)
        return fault;
    while (at < part.iov_len && !is_body && fault == VECWIRE__CHUNK_FINE &&
           http->chunks.state != VECWIRE__CHUNK_AT_END) {
        fault = vecwire__chunks_take(&http->chunks,
                                     (const char *)part.iov_base + at,
                                     part.iov_len - at, &used, &is_body);
        at += used;
    }
    if (is_body)
        *n_body = used;
    evbuffer_drain(http->raw, at - *n_body);
    return fault;
}

/* Take apart what is there and tell it, chunk by chunk; in a pause it stays as
 * it is. False: blamed. */
static bool
take_apart(struct vecwire__http *http, const struct evhttp_request *evreq)
{
    char why[128];

    while (http->chunks.state != VECWIRE__CHUNK_AT_END && !http->paused &&
           evbuffer_get_length(http->raw) > 0) {
        size_t n_body;
        enum vecwire__chunk_fault fault = drop_framing(http, &n_body);

        if (fault != VECWIRE__CHUNK_FINE) {
            vecwire__chunks_text(&http->chunks, fault, why, sizeof(why));
            vecwire__http_blame(http,
                                fault == VECWIRE__CHUNK_BODY
                                    ? VECWIRE_EREPLYSIZE
                                    : VECWIRE_EPROTO,
                                "reply refused: %s", why);
            return false;
        }
        if (n_body == 0)
            continue;
        if (evbuffer_remove_buffer(http->raw, http->held, n_body) < 0) {
            vecwire__http_blame(http, VECWIRE_ENOMEM, "out of memory");
            return false;
        }
        vecwire__http_tell_body(http, http->held);
        if (http->state != VECWIRE__HTTP_BUSY || http->evreq != evreq)
            return true;
    }
    return true;
}

/* Let evhttp end the request; what came behind it stays in its input, where
 * it makes the connection unfit for more. */
static void
end_for_evhttp(struct vecwire__http *http)
{
    static const char end[] = "0\r\n\r\n";
    struct evbuffer *input = bufferevent_get_input(http->bev);
    bool taking = http->taking;
    int failed;

    http->dechunking = false;
    http->taking = true;
    evbuffer_unfreeze(input, 0);
    failed = evbuffer_add(input, end, sizeof(end) - 1);
    if (failed == 0)
        failed = evbuffer_add_buffer(input, http->raw);
    evbuffer_freeze(input, 0);
    http->taking = taking;
    if (failed != 0) {
        vecwire__http_blame(http, VECWIRE_ENOMEM, "out of memory");
        vecwire__http_abort(http);
        return;
    }
    bufferevent_trigger(http->bev, EV_READ, 0);
}

void
vecwire__http_take_chunks(struct vecwire__http *http)
{
    const struct evhttp_request *evreq = http->evreq;
    bool sound;

    if (!http->dechunking || http->paused ||
        http->state != VECWIRE__HTTP_BUSY || evreq == NULL)
        return;
    sound = take_apart(http, evreq);
    if (http->state != VECWIRE__HTTP_BUSY || http->evreq != evreq)
        return;
    if (!sound)
        vecwire__http_abort(http);
    else if (http->chunks.state == VECWIRE__CHUNK_AT_END)
        end_for_evhttp(http);
}
