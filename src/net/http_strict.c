/* SPDX-License-Identifier: Apache-2.0 */
/* What evhttp takes for HTTP and is none: another reader between the server
 * and us, or after us, may see other replies in it than evhttp does. */
#include "net/http_conn.h"

#include <string.h>

#include <event2/buffer.h>
#include <event2/http_struct.h>

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "HTTP/1.x NNN", and then a blank or the line's end: evhttp reads its
 * numbers with what takes "+200", "200abc" and 2^32 + 200 for 200. */
static bool
line_is_sound(struct evbuffer *buf, size_t len)
{
    static const char begin[] = "HTTP/1.";
    char line[13];

    if (len < sizeof(line) ||
        evbuffer_copyout(buf, line, sizeof(line)) != sizeof(line))
        return false;
    return memcmp(line, begin, sizeof(begin) - 1) == 0 && is_digit(line[7]) &&
           line[8] == ' ' && is_digit(line[9]) && is_digit(line[10]) &&
           is_digit(line[11]) &&
           (line[12] == ' ' || line[12] == '\r' || line[12] == '\n');
}

/* evhttp's lines are C's: they end at a NUL. */
static bool
has_nul(struct evbuffer *buf)
{
    struct evbuffer_ptr end = evbuffer_search(buf, "\r\n\r\n", 4, NULL);

    if (end.pos < 0)
        end = evbuffer_search(buf, "\n\n", 2, NULL);
    return evbuffer_search_range(buf, "", 1, NULL, end.pos < 0 ? NULL : &end)
               .pos >= 0;
}

static bool
head_is_sound(struct vecwire__http *http, struct evbuffer *buf)
{
    if (http->line_due) {
        struct evbuffer_ptr end = evbuffer_search(buf, "\n", 1, NULL);

        if (end.pos >= 0 && !line_is_sound(buf, (size_t)end.pos + 1)) {
            vecwire__http_blame(http, VECWIRE_EPROTO,
                                "reply's status line is malformed");
            return false;
        }
        http->line_due = end.pos < 0;
    }
    if (!has_nul(buf))
        return true;
    vecwire__http_blame(http, VECWIRE_EPROTO, "reply's head has a NUL in it");
    return false;
}

/* evhttp looks for the next size wherever a chunk has ended. */
static bool
chunk_is_sound(struct vecwire__http *http, struct evbuffer *buf)
{
    char end[2];
    ev_ssize_t n = evbuffer_copyout(buf, end, sizeof(end));

    if (n <= 0 || (n == 1 && end[0] == '\r'))
        return true;
    http->chunk_ended = false;
    if (end[0] == '\n' || (end[0] == '\r' && end[1] == '\n'))
        return true;
    vecwire__http_blame(http, VECWIRE_EPROTO,
                        "reply has a chunk that is longer than it said");
    return false;
}

bool
vecwire__http_sound(struct vecwire__http *http)
{
    struct evbuffer *buf = bufferevent_get_input(http->bev);

    if (http->chunk_ended)
        return chunk_is_sound(http, buf);
    return !http->head_due || head_is_sound(http, buf);
}

bool
vecwire__http_within_limit(struct vecwire__http *http)
{
    const struct vecwire__net_config *config = &http->net->config;
    const struct evhttp_request *evreq = http->evreq;
    uint64_t left = config->max_reply_bytes - http->body_bytes;
    size_t waits = evbuffer_get_length(bufferevent_get_input(http->bev));

    /* evhttp waits for the whole of a chunk, however long that is. */
    if (waits <= config->max_reply_bytes + config->max_header_bytes &&
        (!http->framing.chunked || evreq->ntoread <= 0 ||
         (uint64_t)evreq->ntoread <= left))
        return true;
    vecwire__http_blame(http, VECWIRE_EREPLYSIZE,
                        "reply has a chunk over the limit");
    return false;
}
